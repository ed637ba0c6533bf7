//! Frames on the air that do not hold a receiver (capture and range models): each disturbs until it ends.

use smallvec::SmallVec;

use crate::phy::arrival::Signal;
use hopscope_core::units::Time;

/// The energies on the air at one radio.
#[derive(Debug, Default)]
pub(super) struct Energies {
    /// The last end.
    until: Time,
    /// The one that is there, while it is alone.
    alone: Signal,
    /// End and power of each, where several have been on the air together since then.
    each: SmallVec<[(Time, Signal); 4]>,
}

impl Energies {
    /// True when one lasts beyond `at`.
    #[inline(always)]
    pub(super) fn last_beyond(&self, at: Time) -> bool {
        self.until > at
    }

    /// One more is on the air from `at` to `end`.
    #[inline(always)]
    pub(super) fn add(&mut self, at: Time, end: Time, signal: Signal) {
        if self.last_beyond(at) {
            self.add_to_others(at, end, signal);
        } else {
            self.each.clear();
            self.alone = signal;
            self.until = end;
        }
    }

    /// The same where another one is on the air already.
    #[cold]
    fn add_to_others(&mut self, at: Time, end: Time, signal: Signal) {
        if self.each.is_empty() {
            // As long as it was alone, the first stood in the two fields above, and no list was touched.
            self.each.push((self.until, self.alone));
        }
        self.each.retain(|(end, _)| *end > at);
        self.each.push((end, signal));
        self.until = self.until.max(end);
    }

    /// The strongest that is on the air beyond `at`.
    #[inline(always)]
    pub(super) fn strongest(&self, at: Time) -> Option<Signal> {
        if !self.last_beyond(at) {
            return None;
        }
        if self.each.is_empty() {
            return Some(self.alone);
        }
        self.each.iter().filter(|(end, _)| *end > at).map(|&(_, signal)| signal).max()
    }
}
