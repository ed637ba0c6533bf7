//! What became of a frame at one radio, and which frame was at fault.
//!
//! A successful reception leaves nothing here: the radio notes a frame where it spoils it, lets another one take the
//! receiver over, or cannot take it, and forgets the note once the frame has ended.

use smallvec::SmallVec;

use super::arrival::Packed;
use super::radio::Radio;
use super::rules::{RadioRules, RuleSet};
use super::shared::NOTES_ALL;
use hopscope_core::units::Time;

/// What became of a frame at a radio.
///
/// `by` is the air slot of the frame at fault. It names the transmitter for certain; a transmitter that has sent twice
/// since has put another frame into the slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RxOutcome {
    /// It was received.
    Received,
    /// It overlapped another frame of comparable power, or one from within the interference range.
    Collided {
        /// The other frame.
        by: u32,
    },
    /// It held the receiver until a stronger frame took it over.
    Captured {
        /// The stronger frame.
        by: u32,
    },
    /// It held the receiver, but its ratio to noise and interference fell below what it needs.
    TooWeak {
        /// The strongest frame that interfered; none where noise alone was too much.
        by: Option<u32>,
    },
    /// A channel error hit it.
    Errored,
    /// The own transmitter was on.
    Deaf,
    /// Another frame held the receiver.
    Missed {
        /// The frame that held it.
        by: u32,
    },
    /// The radio could not decode it, or did not hear it at all.
    OutOfReach,
}

/// Frames that went wrong and have not ended yet.
#[derive(Debug, Default)]
pub(super) struct FailedReceptions(SmallVec<[FailedReception; 2]>);

#[derive(Debug)]
struct FailedReception {
    end: Time,
    slot: u32,
    outcome: RxOutcome,
}

impl FailedReceptions {
    /// Notes what becomes of a frame, if its end is an event here or an observer asks for `all`.
    #[inline(always)]
    pub(super) fn note(&mut self, frame: &Packed, outcome: RxOutcome, all: bool) {
        if frame.is_own() || all {
            self.keep(frame.start(), FailedReception { end: frame.end(), slot: frame.slot(), outcome });
        }
    }

    #[cold]
    fn keep(&mut self, start: Time, reception: FailedReception) {
        // Those that have ended were asked for then.
        self.0.retain(|old| old.end >= start);
        self.0.push(reception);
    }

    /// What becomes of the frame in `slot` that ends at `end`, if it was noted.
    pub(super) fn find(&self, slot: u32, end: Time) -> Option<RxOutcome> {
        self.0.iter().find(|noted| noted.slot == slot && noted.end == end).map(|noted| noted.outcome)
    }
}

impl<O> Radio<O> {
    /// What became of a frame in `slot` that ends at `end` and was not received; edges must be applied up to then.
    pub fn outcome(&self, slot: u32, end: Time) -> RxOutcome {
        self.noted(slot, end).unwrap_or(RxOutcome::OutOfReach)
    }

    /// What went wrong with a frame in `slot` that ends at `end`, if anything did; edges must be applied up to then. Known
    /// of frames for this radio, and of all that it could decode after [`Radio::note_all`].
    pub fn noted(&self, slot: u32, end: Time) -> Option<RxOutcome> {
        self.rest.failed_receptions.find(slot, end)
    }

    /// From now on notes what becomes of frames for others, too.
    pub fn note_all(&mut self) {
        self.shared.set(NOTES_ALL);
    }

    /// Notes what becomes of a frame, if anybody asks for it.
    #[inline(always)]
    pub(super) fn note(&mut self, frame: &Packed, outcome: RxOutcome) {
        let all = self.shared.any(NOTES_ALL);
        self.rest.failed_receptions.note(frame, outcome, all);
    }

    /// True when a frame begins while the own transmitter is on and is no more than energy for that.
    #[inline(always)]
    pub(super) fn begins_unheard<S: RuleSet>(&mut self, frame: Packed, rules: &RadioRules) -> bool {
        let unheard = self.tx_until() > frame.start() && !S::transmitting_locks(rules);
        if unheard {
            self.note(&frame, RxOutcome::Deaf);
        }
        unheard
    }

    /// What happens to a frame that begins at `at` while the own transmitter is on.
    #[inline(always)]
    pub(super) fn deaf(&self, at: Time) -> Option<RxOutcome> {
        (self.tx_until() > at).then_some(RxOutcome::Deaf)
    }
}

#[cfg(test)]
impl FailedReceptions {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
