//! Sequence numbers of 32 bits that wrap: how far two lie apart, and when a jump is taken for a restart.

use hopscope_core::units::{Span, Time};

/// Numbers that far ahead are none of the same run of an originator (BATADV_EXPECTED_SEQNO_RANGE).
const EXPECTED_RANGE: i32 = 65_536;
/// So long after one restart no other is believed (BATADV_RESET_PROTECTION_MS).
const RESET_PROTECTION: Span = Span::from_secs(30);

/// How far `seq` is ahead of `last`.
pub(super) fn ahead(seq: u32, last: u32) -> i32 {
    seq.wrapping_sub(last) as i32
}

/// What a number says of its originator (batadv_window_protected).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Jump {
    /// It follows those before.
    None,
    /// It is far from those before: the originator has started anew.
    Restart,
    /// The same, too soon after another restart: it is not believed.
    Protected,
}

/// The protection of the numbers of one originator.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Protection {
    since: Option<Time>,
}

impl Protection {
    /// A number comes that is so far ahead of the last one; those `age` and more behind are too old.
    pub(super) fn check(&mut self, ahead: i32, age: u32, now: Time) -> Jump {
        if ahead > -(age as i32) && ahead < EXPECTED_RANGE {
            return Jump::None;
        }
        if self.since.is_some_and(|since| now <= since + RESET_PROTECTION) {
            return Jump::Protected;
        }
        self.since = Some(now);
        Jump::Restart
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_wrap() {
        assert_eq!((ahead(1, u32::MAX), ahead(u32::MAX, 1), ahead(7, 7)), (2, -2, 0));
    }

    #[test]
    fn a_restart_is_believed_once_in_thirty_seconds() {
        let mut protection = Protection::default();
        let at = |s| Time::ZERO + Span::from_secs(s);
        assert_eq!([-63, 0, 65_535].map(|ahead| protection.check(ahead, 64, at(1))), [Jump::None; 3]);
        assert_eq!(protection.check(-64, 64, at(1)), Jump::Restart);
        assert_eq!(protection.check(65_536, 64, at(31)), Jump::Protected);
        assert_eq!(protection.check(3, 64, at(31)), Jump::None, "others are not concerned");
        assert_eq!(protection.check(i32::MIN, 64, at(32)), Jump::Restart);
    }
}
