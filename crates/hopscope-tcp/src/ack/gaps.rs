//! The smoothed time between segments, which adaptive policies measure their waits by.

use hopscope_core::units::{Span, Time};

/// An exponentially weighted average of the times between arrivals.
#[derive(Debug, Clone)]
pub(super) struct Gaps {
    /// Weight of the old average.
    smoothing: f64,
    last: Option<Time>,
    mean_s: Option<f64>,
}

impl Gaps {
    pub(super) fn new(smoothing: f64) -> Self {
        Gaps { smoothing, last: None, mean_s: None }
    }

    /// A segment has arrived; only what comes in order gives a sample.
    pub(super) fn on_arrival(&mut self, now: Time, in_order: bool) {
        let gap = self.last.replace(now).map(|last| now.saturating_since(last).as_secs());
        let Some(gap) = gap.filter(|_| in_order) else { return };
        self.mean_s = Some(match self.mean_s {
            Some(mean) => self.smoothing * mean + (1.0 - self.smoothing) * gap,
            None => gap,
        });
    }

    /// So many mean gaps; none before the first sample.
    pub(super) fn times(&self, factor: f64) -> Option<Span> {
        self.mean_s.map(|mean| Span::from_secs_f64(factor * mean))
    }
}
