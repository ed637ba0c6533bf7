//! When the window is cut: at a loss, and at a mark that comes back (RFC 3168 6.1.2).

use super::core::Core;
use crate::control::{Controller, Loss};
use hopscope_core::units::Time;
use hopscope_packet::tcp::TcpSegment;

impl Core {
    /// An ACK with or without the echo of a mark: the first one in each window of data cuts it.
    pub(super) fn take_mark(&mut self, seg: &TcpSegment, now: Time) {
        self.ecn.on_ack(seg.flags.ece);
        // A recovery has cut the window already.
        if self.ecn.asks_for_cut(seg.ack) && !self.loss.is_recovering() {
            self.cut_window(now);
            self.ecn.on_cut(self.seq.max());
        }
    }

    /// Cuts the window for a mark, or for a loss that is repaired; false: the algorithm left it as it was.
    pub(super) fn cut_window(&mut self, now: Time) -> bool {
        self.keep_cut();
        self.answer_loss(now)
    }

    /// The same at the start of a recovery, which may turn out to be needless.
    pub(super) fn answer_loss(&mut self, now: Time) -> bool {
        let mut loss = self.loss_at(now);
        // FlightSize counts what is reported above a gap, which a lost repetition makes a multiple of cwnd. After a
        // mark in the same window of data cwnd is cut already, and FlightSize is what is left to judge by (RFC 3168
        // 6.1.2).
        let reported = self.sent.as_ref().is_some_and(|sent| sent.sacked() > 0);
        if reported && !self.ecn.was_cut_for(self.seq.una()) {
            loss.flight = loss.flight.min(loss.window);
        }
        let cut = self.cc.on_loss(&mut self.window, &loss);
        self.stats.window_cuts += u64::from(cut);
        cut
    }

    /// What the algorithm learns of a loss.
    pub(super) fn loss_at(&self, now: Time) -> Loss {
        Loss {
            now,
            una: self.seq.una(),
            dupacks: self.loss.dupacks(),
            flight: self.seq.in_flight().saturating_sub(self.loss.limited()) as f64 / self.mss as f64,
            window: (self.window.cwnd + self.window.inflation).min(self.peer.segments() as f64),
            repeated: self.timing.has_timed_out(),
            marked: self.ecn.echo(),
        }
    }
}
