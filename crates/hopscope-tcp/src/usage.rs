//! Whether a window is in use: only one that is may grow, and one that has not been for long is closed.

use hopscope_core::units::{Span, Time};

/// The use of a window: one that was full in the last round trip says something about the path, whatever single ACKs of
/// that round trip find (RFC 7661, RFC 9438 5.8).
#[derive(Debug, Clone, Copy)]
struct Use {
    /// Each ACK is judged by itself.
    by_ack: bool,
    /// The ACK of what is below this number is one of a round trip in which the window was full.
    until: u64,
}

impl Use {
    fn new(by_ack: bool) -> Self {
        Use { by_ack, until: 0 }
    }

    /// An ACK comes while `[una, nxt)` is under way; `full`: that fills the window. True when the window may grow.
    fn validates(&mut self, full: bool, una: u64, nxt: u64) -> bool {
        if full {
            self.until = nxt;
        }
        full || (!self.by_ack && una < self.until)
    }

    /// What was under way says nothing any more.
    fn forget(&mut self) {
        self.until = 0;
    }
}

/// The use that a sender makes of its windows.
#[derive(Debug, Clone)]
pub(super) struct Usage {
    /// Of the usable window, cwnd or the receiver's.
    window: Use,
    /// Of cwnd.
    cwnd: Use,
    /// Last send (RFC) or last ACK (ns-2): the start of an idle period.
    active: Time,
}

impl Usage {
    /// With `by_ack` each ACK is judged by itself.
    pub(super) fn new(by_ack: bool) -> Self {
        Usage { window: Use::new(by_ack), cwnd: Use::new(by_ack), active: Time::ZERO }
    }

    /// An ACK comes while `[una, nxt)` is under way, which fills the usable window, or cwnd, or not: whether the
    /// algorithm may take each of them for limited.
    pub(super) fn validate(&mut self, (window_full, cwnd_full): (bool, bool), una: u64, nxt: u64) -> (bool, bool) {
        (self.window.validates(window_full, una, nxt), self.cwnd.validates(cwnd_full, una, nxt))
    }

    /// What was under way says nothing any more.
    pub(super) fn forget(&mut self) {
        self.window.forget();
        self.cwnd.forget();
    }

    /// The same of the usable window alone: cwnd is as full as it was.
    pub(super) fn forget_window(&mut self) {
        self.window.forget();
    }

    /// The connection is active at `now`.
    pub(super) fn touch(&mut self, now: Time) {
        self.active = now;
    }

    /// Nothing has happened for longer than `limit`.
    pub(super) fn has_rested(&self, limit: Span, now: Time) -> bool {
        now.saturating_since(self.active) > limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_window_validates_the_acks_of_its_round_trip() {
        let mut used = Use::new(false);
        assert!(!used.validates(false, 1, 9), "never full");
        assert!(used.validates(true, 1, 11));
        assert!(used.validates(false, 10, 11), "of the same round trip");
        assert!(!used.validates(false, 11, 15), "of the next one");
        assert!(used.validates(true, 11, 15));
        used.forget();
        assert!(!used.validates(false, 11, 15));
        let mut single = Use::new(true);
        assert!(single.validates(true, 1, 11) && !single.validates(false, 10, 11));
    }
}
