//! How a quantity that changes in steps stood on average.

use hopscope_core::units::Time;

/// A quantity that changes in steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
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
        // The old value counts up to now.
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
    pub(super) fn mean(&self) -> Option<f64> {
        (self.span > 0).then(|| self.area / self.span as f64)
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
}
