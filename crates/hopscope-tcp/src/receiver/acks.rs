//! The segments of a receiver: when an ACK leaves, and what it says.

use super::{Due, FIN_NUMBER, ReceiverState, TcpReceiver};
use crate::config::TcpConfig;
use crate::config::tcp::TIMESTAMPS_OPTION;
use crate::{Cx, Note, TransportEffect};
use hopscope_packet::tcp::{TcpSegment, Timestamps};

impl TcpReceiver {
    /// Acknowledges now or starts the wait.
    pub(crate) fn answer(&mut self, due: Due, cx: &mut Cx) {
        match due {
            Due::Never => {}
            Due::Now | Due::Bare => self.send_ack(cx),
            // The delay is bounded from the first segment that waits (RFC 5681 4.2), so a later one starts none.
            Due::Later if self.ack_timer.running() && !self.acker.waits_anew() => {}
            Due::Later => self.ack_timer.set(cx.now + self.acker.hold(), cx),
        }
    }

    /// Says for how many segments an ACK is to stand, where that is another number than before.
    pub(super) fn report_window(&mut self, cx: &mut Cx) {
        let window = self.acker.window();
        if window != self.reported_window {
            self.reported_window = window;
            cx.push(TransportEffect::Note(Note::AckWindow(window)));
        }
    }

    /// An ACK without data.
    pub(super) fn send_ack(&mut self, cx: &mut Cx) {
        self.stats.acks_sent += 1;
        // A receiver by itself has sent its SYN (number 0; ns-2's handshake has none) and its FIN (number 1) at most.
        let seq = match self.state {
            _ if self.sends_next.is_some() => self.sends_next.unwrap_or(0),
            ReceiverState::LastAck | ReceiverState::Closed => FIN_NUMBER + 1,
            _ => u64::from(self.three_way),
        };
        let mut seg = TcpSegment { seq, ..TcpSegment::default() };
        seg.flags.ack = true;
        seg.flags.ece = self.echo;
        // What came twice stands in the first block, and in one ACK alone (RFC 2883 4).
        if let Some(repeated) = self.repeated.take() {
            (seg.sack[0], seg.n_sack) = (repeated, 1);
        }
        self.data.report(self.sack_blocks, &mut seg);
        if let Some(order) = &mut self.order {
            seg.order = order.of_ack(self.data.next == self.last_ack);
        }
        self.emit(seg, cx);
    }

    /// Completes a segment and sends it; nothing is left to be held back.
    pub(super) fn emit(&mut self, mut seg: TcpSegment, cx: &mut Cx) {
        seg.ack = self.data.next;
        seg.timestamps =
            self.stamp_tick.map(|tick| Timestamps { value: (cx.now.0 / tick.0) as u32, echo: self.recent });
        // Last.ACK.sent of RFC 7323 4.3: SYN-ACK and FIN count, they acknowledge as well.
        self.last_ack = seg.ack;
        seg.window = match &mut self.reading {
            None => self.window,
            Some(reading) => reading.window(seg.ack),
        };
        self.on_ack_sent();
        cx.emit(seg);
    }

    /// Nothing is left to be held back.
    pub(super) fn on_ack_sent(&mut self) {
        self.acker.on_ack_sent();
        if let Some(guard) = &mut self.guard {
            guard.on_ack_sent();
        }
        self.ack_timer.stop();
    }

    /// The stamp of the segment that the next ACK answers first (RFC 7323 4.3).
    pub(crate) fn take_stamp(&mut self, seg: &TcpSegment) {
        if let Some(stamps) = seg.timestamps {
            // An older stamp comes with a segment that was overtaken.
            let newer = stamps.value.wrapping_sub(self.recent) as i32 >= 0 || seg.flags.syn;
            // Of several segments that one ACK covers the first one's stamp is echoed, so that its delay counts in the
            // sample.
            if seg.seq <= self.last_ack && newer {
                self.recent = stamps.value;
            }
        }
    }
}

/// SACK blocks of an ACK at most: a header has room for 40 bytes of options (RFC 9293 3.1), which time stamps (12) and
/// TCP-DOOR's order of ACKs (4) share with the blocks (4 and 8 for each).
pub(super) fn room_for_blocks(cfg: &TcpConfig) -> usize {
    // The option's kind and length take 2 bytes, and 2 more align its blocks.
    let taken = if cfg.timestamps { TIMESTAMPS_OPTION } else { 0 } + if cfg.door { 4 } else { 0 };
    cfg.max_sack_blocks.min((40 - 4 - taken) / 8) as usize
}
