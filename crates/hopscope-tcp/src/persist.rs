//! A window that the peer has closed: the persist timer and its probes (RFC 9293 3.8.6.1).
//!
//! While nothing may be sent and something waits, the retransmission timer stands for the persist timer: the first
//! probe leaves an RTO after the window has closed, each further one after twice the wait, up to `max_rto`. A probe is
//! one byte beyond the window. It goes on for as long as the peer answers with a closed window, cuts nothing, and is no
//! timeout.

use super::Cx;
use super::core::Core;

impl Core {
    /// Where the window is closed and something waits, the timer runs.
    #[inline]
    pub(super) fn watch_window(&mut self, cx: &mut Cx) {
        if self.peer.is_shut() && self.seq.una() < self.seq.end() && !self.timing.is_running() {
            self.timing.restart(cx);
        }
    }

    /// The timer has expired while the window is closed: a byte asks for it, the one that is under way again or the
    /// next.
    #[cold]
    pub(super) fn probe_window(&mut self, cx: &mut Cx) {
        let seq = self.seq.una();
        if seq < self.seq.end() {
            if !self.seq.is_idle() || seq < self.seq.data_end() {
                let after = self.transmit(seq, seq + 1, cx);
                self.seq.move_past(after);
            } else {
                self.transmit_next(cx); // a FIN is a byte of its own
            }
            // A peer that opens its window late says nothing of the path.
            self.timing.forget();
            self.peer.note_probe();
            self.timing.rtt.back_off();
            self.timing.restart(cx);
        }
    }

    /// The window is open: what probes have done to the timer is over. What they sent is sent again by the usual ways.
    pub(super) fn unprobe(&mut self) {
        if self.peer.end_probing() {
            self.timing.rtt.end_back_off();
            if !self.seq.is_idle() {
                self.seq.go_back();
                self.usage.forget_window();
            }
        }
    }
}
