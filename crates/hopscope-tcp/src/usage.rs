//! Whether a window is in use: only one that is may grow.

/// The use of a window: one that was full in the last round trip says something about the path, whatever single ACKs of that
/// round trip find (RFC 7661 4.2, RFC 9438 5.8).
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    /// Each ACK is judged by itself.
    by_ack: bool,
    /// The ACK of what is below this number is one of a round trip in which the window was full.
    until: u64,
}

impl Use {
    pub(super) fn new(by_ack: bool) -> Self {
        Use { by_ack, until: 0 }
    }

    /// An ACK comes while `[una, nxt)` is under way; `full`: that fills the window. True when the window may grow.
    pub(super) fn validates(&mut self, full: bool, una: u64, nxt: u64) -> bool {
        if full {
            self.until = nxt;
        }
        full || (!self.by_ack && una < self.until)
    }

    /// What was under way says nothing any more.
    pub(super) fn forget(&mut self) {
        self.until = 0;
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
