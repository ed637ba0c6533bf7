//! A window that the peer has closed: the persist timer and its probes (RFC 9293 3.8.6.1).
//!
//! While nothing may be sent and something waits, the retransmission timer stands for the persist timer: the first probe
//! leaves an RTO after the window has closed, each further one after twice the wait, up to `max_rto`. A probe is one byte
//! beyond the window. It goes on for as long as the peer answers with a closed window, cuts nothing, and is no timeout.

use super::Cx;
use super::core::Core;

impl Core {
    /// The peer takes nothing.
    pub(super) fn is_shut(&self) -> bool {
        self.max_window == 0
    }

    /// Where the window is closed and something waits, the timer runs.
    #[inline]
    pub(super) fn watch_window(&mut self, cx: &mut Cx) {
        if self.is_shut() && self.una < self.end() && !self.rto_timer.running() {
            self.restart_rto(cx);
        }
    }

    /// The timer has expired while the window is closed: a byte asks for it, the one that is under way again or the next.
    #[cold]
    pub(super) fn probe_window(&mut self, cx: &mut Cx) {
        if self.una < self.end() {
            let (seq, is_new) = (self.una, self.una == self.max);
            if !is_new || seq < self.data_end {
                let after = self.transmit(seq, seq + 1, cx);
                self.nxt = self.nxt.max(after);
            } else {
                self.transmit_next(cx); // a FIN is a byte of its own
            }
            self.timed = None;
            self.probed = true;
            self.rtt.back_off();
            self.restart_rto(cx);
        }
    }

    /// The window is open: what probes have done to the timer is over. What they sent is sent again by the usual ways.
    pub(super) fn unprobe(&mut self) {
        if std::mem::take(&mut self.probed) {
            self.rtt.end_back_off();
            if self.una < self.max {
                self.nxt = self.una;
                self.window_use.forget();
            }
        }
    }
}
