//! How a quantity that changes in steps stood on average, and how evenly segments leave their source.

use hopscope_core::units::Time;

/// A quantity that changes in steps.
#[derive(Debug, Clone, Copy)]
pub struct Level {
    value: Option<f64>,
    since: Time,
    area: f64,
    span: u64,
}

impl Level {
    /// Unknown until it is reported; its mean counts from `now`.
    pub(super) fn new(now: Time) -> Self {
        Level { value: None, since: now, area: 0.0, span: 0 }
    }

    /// The same quantity, its mean counted from `now`.
    pub(super) fn restarted(self, now: Time) -> Self {
        Level { value: self.value, ..Level::new(now) }
    }

    /// It is `value` from now on.
    pub(super) fn set(&mut self, now: Time, value: f64) {
        self.close(now);
        self.value = Some(value);
    }

    /// Accounts it up to `now`.
    pub(super) fn close(&mut self, now: Time) {
        let span = now.saturating_since(self.since).0;
        self.since = now;
        if let Some(value) = self.value {
            self.area += value * span as f64;
            self.span += span;
        }
    }

    /// Mean over the time in which it was known.
    pub fn mean(&self) -> Option<f64> {
        (self.span > 0).then(|| self.area / self.span as f64)
    }
}

/// When the data segments of a flow left their source.
#[derive(Debug, Clone, Copy, Default)]
pub struct Departures {
    last: Option<Time>,
    segments: u64,
    /// Instants at which any left.
    instants: u64,
    /// Sum of the times between them, in seconds, and of their squares.
    sum: f64,
    squares: f64,
}

impl Departures {
    /// A segment leaves.
    #[inline]
    pub(super) fn on_departure(&mut self, now: Time) {
        self.segments += 1;
        if self.last == Some(now) {
            return;
        }
        self.instants += 1;
        if let Some(last) = self.last.replace(now) {
            let gap = now.saturating_since(last).as_secs();
            self.sum += gap;
            self.squares += gap * gap;
        }
    }

    /// Segments that left at one instant, on average: the burst that one ACK lets out (Allman and Blanton 2005, "Notes on burst
    /// mitigation for transport protocols").
    pub fn mean_burst(&self) -> Option<f64> {
        (self.instants > 0).then(|| self.segments as f64 / self.instants as f64)
    }

    /// Standard deviation of the times between segments over their mean, those of one instant apart by zero: 0 for a steady pace, 1
    /// for a Poisson process. Its square is the index of dispersion for intervals at lag 1 (Gusella 1991, "Characterizing the
    /// variability of arrival processes with indexes of dispersion").
    pub fn burstiness(&self) -> Option<f64> {
        let gaps = self.segments.checked_sub(1).filter(|gaps| *gaps > 1)? as f64;
        let mean = self.sum / gaps;
        (mean > 0.0).then(|| (self.squares / gaps - mean * mean).max(0.0).sqrt() / mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_weighted_by_time() {
        let mut level = Level::new(Time(0));
        assert_eq!(level.mean(), None);
        level.set(Time(100), 1.0);
        level.set(Time(200), 4.0);
        level.close(Time(500));
        assert_eq!(level.mean(), Some((100.0 + 4.0 * 300.0) / 400.0), "the time before is not counted");
        let mut later = level.restarted(Time(500));
        later.close(Time(600));
        assert_eq!(later.mean(), Some(4.0));
    }

    fn left(at_ms: &[u64]) -> Departures {
        let mut departures = Departures::default();
        at_ms.iter().for_each(|&ms| departures.on_departure(Time(ms * 1_000_000)));
        departures
    }

    #[test]
    fn a_steady_pace_has_no_bursts_and_pairs_have() {
        let steady = left(&[10, 20, 30, 40, 50]);
        assert_eq!(steady.mean_burst(), Some(1.0));
        assert!(steady.burstiness().expect("gaps") < 1e-6);
        // Gaps 0, 20, 0, 20, 0: mean 8, mean square 160.
        let pairs = left(&[10, 10, 30, 30, 50, 50]);
        assert_eq!(pairs.mean_burst(), Some(2.0));
        let expected = (160.0f64 - 64.0).sqrt() / 8.0;
        assert!((pairs.burstiness().expect("gaps") - expected).abs() < 1e-9);
        assert_eq!((left(&[]).mean_burst(), left(&[5, 5, 5]).burstiness()), (None, None));
    }
}
