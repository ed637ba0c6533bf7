//! How a sender opens its connection (RFC 9293 3.5): the SYN, its repetition, and the window that it starts with.

use super::core::Core;
use super::{Cx, window_field};
use crate::config::TcpConfig;
use crate::control::{Cc, Controller};
use hopscope_core::units::Time;
use hopscope_packet::tcp::{TcpFlags, TcpSegment};

impl Core {
    /// Sends the SYN, first or again.
    pub(super) fn send_syn(&mut self, cx: &mut Cx) {
        let again = self.seq.max() > 0;
        self.seq.use_syn();
        if again {
            self.stats.syn_retransmissions += 1;
            self.timing.forget();
        } else {
            self.timing.on_syn_sent(cx.now);
        }
        self.usage.touch(cx.now);
        self.cc.on_sent(0, cx.now);
        self.timing.restart(cx);
        cx.emit(TcpSegment {
            seq: 0,
            // Both flags together ask for ECN (RFC 3168 6.1.1).
            flags: TcpFlags { syn: true, ece: self.ecn.is_on(), cwr: self.ecn.is_on(), ..TcpFlags::default() },
            timestamps: self.header.stamps(cx.now),
            window: window_field(self.peer.segments(), self.mss),
            retransmission: again,
            ..TcpSegment::default()
        });
    }

    /// The SYN is lost: the connection will start with one segment (RFC 5681 3.1).
    pub(super) fn time_out_syn(&mut self, cx: &mut Cx) {
        if self.rules.syn_loss_cuts {
            // ns-2 treats the SYN as data: ssthresh falls to its minimum.
            let loss = self.loss_at(cx.now);
            self.cc.on_timeout(&mut self.window, &loss);
            self.loss.set_recover(1);
        }
        if !(self.rules.vegas_keeps_start && matches!(self.cc, Cc::Vegas(_))) {
            self.initial_window = 1.0;
        }
        self.timing.rtt.back_off();
        self.send_syn(cx);
    }

    /// The peer has acknowledged our SYN-ACK, which left at this instant if it was sent once: our first number is used
    /// up as that of a SYN is.
    pub(super) fn establish_passively(&mut self, sent: Option<Time>, cx: &mut Cx) {
        self.seq.use_syn();
        match sent {
            Some(at) => self.timing.on_syn_sent(at),
            None => self.initial_window = 1.0, // as after a SYN that was lost
        }
        self.cc.on_sent(0, sent.unwrap_or(cx.now));
        self.establish(cx);
        if sent.is_none() {
            self.timing.rtt.after_lost_syn();
        }
    }

    /// The SYN is acknowledged.
    pub(super) fn establish(&mut self, cx: &mut Cx) {
        let lost_syn = self.stats.syn_retransmissions > 0;
        self.accept(1, cx);
        if lost_syn {
            self.timing.rtt.after_lost_syn();
        }
        self.usage.touch(cx.now);
        self.window.cwnd = self.initial_window;
        self.cc.on_established(&mut self.window, cx.now);
    }
}

/// Initial window in segments (RFC 5681 3.1 unless given).
pub(super) fn initial_window(cfg: &TcpConfig, mss: u64) -> f64 {
    match cfg.initial_window {
        0 if mss > 2190 => 2.0,
        0 if mss > 1095 => 3.0,
        0 => 4.0,
        given => f64::from(given),
    }
}
