//! What a radio and the layer above it keep in one place: flags of both in one word, and a short span of the layer above.
//!
//! A frame comes to all its hearers, and what it asks at each is one cache line and one test: is anything in the way, a
//! reception or a back-off alike ([`Radio::has_begun_or`](super::Radio::has_begun_or))? So the flags of both
//! layers are bits of one word. Which bit is whose is known here alone: the radio names its flags, the layer above makes
//! its own from [`OwnerFlags::nth`], and neither can reach those of the other.

use hopscope_core::units::Span;
use std::ops::BitOr;

/// A set of flags of the radio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flags(u16);

/// A set of flags of the layer above, which has four.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnerFlags(u16);

/// A frame holds the receiver (`ColdState::lock`).
pub(super) const HELD: Flags = Flags(1);
/// More arrivals wait in `ColdState::later`.
pub(super) const MORE: Flags = Flags(1 << 1);
/// Energy or the own transmission may still be on the air: `ColdState` must be looked at.
pub(super) const DISTURBED: Flags = Flags(1 << 2);
/// The front arrival has begun with nothing else on the air and holds the receiver.
pub(super) const BEGUN: Flags = Flags(1 << 7);
/// The frame that holds the receiver is lost already.
pub(super) const SPOILED: Flags = Flags(1 << 8);
/// An observer asks what becomes of frames for others.
pub(super) const NOTES_ALL: Flags = Flags(1 << 9);

/// The lowest bit of the layer above. Its bits lie below `BEGUN`, so that all that is asked at every hearer is one octet:
/// the test of an octet is the shortest that the processor has.
const OWNER: u32 = 3;

impl OwnerFlags {
    /// How many flags the layer above has.
    pub const COUNT: u32 = 4;
    /// No flag.
    pub const NONE: OwnerFlags = OwnerFlags(0);

    /// The flag of a number below [`COUNT`](Self::COUNT).
    pub const fn nth(number: u32) -> Self {
        assert!(number < OwnerFlags::COUNT, "the layer above has four flags");
        OwnerFlags(1 << (OWNER + number))
    }
}

impl BitOr for Flags {
    type Output = Flags;

    #[inline(always)]
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOr<OwnerFlags> for Flags {
    type Output = Flags;

    #[inline(always)]
    fn bitor(self, other: OwnerFlags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOr for OwnerFlags {
    type Output = OwnerFlags;

    #[inline(always)]
    fn bitor(self, other: OwnerFlags) -> OwnerFlags {
        OwnerFlags(self.0 | other.0)
    }
}

impl From<OwnerFlags> for Flags {
    #[inline(always)]
    fn from(flags: OwnerFlags) -> Flags {
        Flags(flags.0)
    }
}

/// The flags of a radio and of the layer above it, and the span of the latter.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shared {
    /// Nanoseconds. It fills the rest of the eight octets that the flags begin.
    owner_span: u32,
    flags: u16,
}

impl Shared {
    /// True when one of these flags is set.
    #[inline(always)]
    pub(super) fn any(self, of: impl Into<Flags>) -> bool {
        self.flags & of.into().0 != 0
    }

    /// Sets these flags.
    #[inline(always)]
    pub(super) fn set(&mut self, flags: impl Into<Flags>) {
        self.flags |= flags.into().0;
    }

    /// Clears these flags.
    #[inline(always)]
    pub(super) fn clear(&mut self, flags: impl Into<Flags>) {
        self.flags &= !flags.into().0;
    }

    /// The span that the layer above keeps here.
    #[inline(always)]
    pub(super) fn owner_span(self) -> Span {
        Span(u64::from(self.owner_span))
    }

    /// Keeps a span, not longer than 32 bits of nanoseconds hold (4.29 s; no Duration field is longer).
    #[inline(always)]
    pub(super) fn set_owner_span(&mut self, span: Span) {
        debug_assert!(span.0 <= u64::from(u32::MAX));
        self.owner_span = span.0 as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_testing::property;
    use proptest::prelude::*;

    const OWN: [Flags; 6] = [HELD, MORE, DISTURBED, BEGUN, SPOILED, NOTES_ALL];

    /// The same in ordinary fields.
    #[derive(Debug, Default)]
    struct Plain {
        own: [bool; 6],
        owner: [bool; 4],
        span: Span,
    }

    impl Plain {
        /// Every question that the shared form answers, about each flag and each pair of flags.
        fn check(&self, shared: Shared) {
            assert_eq!(shared.owner_span(), self.span);
            for (flag, is_set) in OWN.into_iter().zip(self.own) {
                assert_eq!(shared.any(flag), is_set, "{flag:?}");
                for (number, with) in (0..).zip(self.owner) {
                    assert_eq!(shared.any(OwnerFlags::nth(number)), with, "flag {number} of the owner");
                    assert_eq!(shared.any(flag | OwnerFlags::nth(number)), is_set || with, "{flag:?} or {number}");
                }
            }
            let all = OwnerFlags::nth(0) | OwnerFlags::nth(1) | OwnerFlags::nth(2) | OwnerFlags::nth(3);
            assert_eq!(shared.any(all), self.owner.contains(&true));
            assert!(!shared.any(OwnerFlags::NONE));
        }
    }

    proptest! {
        #![proptest_config(property(500))]

        #[test]
        fn each_flag_and_the_span_stand_for_themselves(
            steps in proptest::collection::vec((0usize..11, any::<bool>(), any::<u32>()), 1..60),
        ) {
            let (mut shared, mut plain) = (Shared::default(), Plain::default());
            for (what, on, ns) in steps {
                match what {
                    own @ 0..6 => {
                        plain.own[own] = on;
                        if on { shared.set(OWN[own]) } else { shared.clear(OWN[own]) }
                    }
                    owner @ 6..10 => {
                        plain.owner[owner - 6] = on;
                        let flag = OwnerFlags::nth(owner as u32 - 6);
                        if on { shared.set(flag) } else { shared.clear(flag) }
                    }
                    _ => {
                        plain.span = Span(u64::from(ns));
                        shared.set_owner_span(plain.span);
                    }
                }
                plain.check(shared);
            }
        }
    }
}
