//! CoDel (RFC 8289): a queue is too long when its packets have waited too long for too long.

use super::AqmAction;
use crate::config::LinkConfig;
use hopscope_core::units::{Span, Time};

/// CoDel's state for one queue.
#[derive(Debug, Clone)]
pub struct Codel {
    target: Span,
    interval: Span,
    /// When the waiting time will have been above the target for an interval.
    first_above: Option<Time>,
    dropping: bool,
    drop_next: Time,
    count: u32,
    last_count: u32,
}

/// A recent dropping state is resumed within so many intervals (RFC 8289).
const RESUME_INTERVALS: u64 = 16;

impl Codel {
    /// CoDel at an empty queue.
    pub fn new(cfg: &LinkConfig) -> Self {
        Codel {
            target: cfg.codel_target,
            interval: cfg.codel_interval,
            first_above: None,
            dropping: false,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
        }
    }

    /// What becomes of the packet at the head that has waited for `sojourn`; `last`: no other waits behind it.
    pub fn decide(&mut self, sojourn: Span, last: bool, now: Time) -> AqmAction {
        let too_long = self.is_too_long(sojourn, last, now);
        if !self.dropping {
            if !too_long {
                return AqmAction::Pass;
            }
            self.dropping = true;
            // A queue that comes back soon goes on near the rate that had controlled it (RFC 8289).
            let dropped = self.count - self.last_count;
            let recent = now.saturating_since(self.drop_next) < self.interval * RESUME_INTERVALS;
            self.count = if dropped > 1 && recent { dropped } else { 1 };
            self.last_count = self.count;
            self.drop_next = self.after(now);
            return AqmAction::Mark;
        }
        if !too_long {
            self.dropping = false;
            return AqmAction::Pass;
        }
        if now < self.drop_next {
            return AqmAction::Pass;
        }
        self.count += 1;
        // From when it was due, not from now: packets that leave seldom do not slow the law down.
        self.drop_next = self.after(self.drop_next);
        AqmAction::Mark
    }

    /// The queue ran empty.
    pub fn on_empty(&mut self) {
        self.first_above = None;
        self.dropping = false;
    }

    fn is_too_long(&mut self, sojourn: Span, last: bool, now: Time) -> bool {
        // The last packet causes no delay to others, and dropping it would leave the link idle.
        if sojourn < self.target || last {
            self.first_above = None;
            return false;
        }
        let above = *self.first_above.get_or_insert(now + self.interval);
        now >= above
    }

    /// The control law: the time between drops falls with the square root of their number.
    fn after(&self, at: Time) -> Time {
        at + Span((self.interval.0 as f64 / f64::from(self.count).sqrt()) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// Instants (ms) at which packets are marked when one leaves every millisecond after this waiting time.
    fn marks(codel: &mut Codel, from: u64, to: u64, sojourn_ms: u64) -> Vec<u64> {
        let sojourn = Span::from_millis(sojourn_ms);
        (from..to).filter(|&ms| codel.decide(sojourn, false, at(ms)) == AqmAction::Mark).collect()
    }

    #[test]
    fn drops_come_faster_and_faster_after_an_interval_above_the_target() {
        let mut codel = Codel::new(&LinkConfig::default());
        // The first after 100 ms, then 100, 100/sqrt 2, 100/sqrt 3 ... later.
        assert_eq!(marks(&mut codel, 0, 450, 20), [100, 200, 271, 329, 379, 424]);
    }

    #[test]
    fn a_short_queue_is_left_alone_and_ends_the_dropping() {
        let mut codel = Codel::new(&LinkConfig::default());
        assert!(marks(&mut codel, 0, 1000, 4).is_empty());
        assert_eq!(marks(&mut codel, 1000, 1250, 20), [1100, 1200]);
        assert_eq!(codel.decide(Span::from_millis(2), false, at(1251)), AqmAction::Pass);
        // Back within 16 intervals with one drop fewer than the last time.
        assert_eq!(marks(&mut codel, 1252, 1400, 20), [1352]);
        assert_eq!(
            codel.decide(Span::from_millis(50), true, at(1500)),
            AqmAction::Pass,
            "the last packet is never dropped"
        );
    }
}
