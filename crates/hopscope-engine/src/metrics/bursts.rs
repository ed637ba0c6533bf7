//! How evenly segments leave their source.

use super::{FlowCx, FlowFamily, SeriesSet};
use crate::config::{Config, FlowConfig};
use crate::record::Record;
use hopscope_core::units::Time;

/// When the data segments of a flow left their source.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Departures {
    last: Option<Time>,
    segments: u64,
    /// Instants at which any left.
    instants: u64,
    /// Sum of the times between them, in seconds, and of their squares.
    sum: f64,
    squares: f64,
}

impl FlowFamily for Departures {
    fn begin(_config: &Config, _flow: &FlowConfig) -> Self {
        Departures::default()
    }

    #[inline(always)]
    fn record(&mut self, now: Time, record: &Record, _series: &mut SeriesSet) {
        match *record {
            Record::SegmentSent { ref header, .. } if header.is_data => self.on_departure(now),
            _ => {}
        }
    }

    fn restart(&mut self, _now: Time) {
        *self = Departures::default();
    }
}

/// The metrics.
impl Departures {
    pub(super) fn mean_burst(&self, _cx: &FlowCx<'_>) -> Option<f64> {
        self.burst()
    }

    pub(super) fn burstiness(&self, _cx: &FlowCx<'_>) -> Option<f64> {
        self.variation()
    }
}

impl Departures {
    /// A segment leaves.
    #[inline]
    fn on_departure(&mut self, now: Time) {
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

    /// Segments that left at one instant, on average: the burst that one ACK lets out (Allman and Blanton 2005, "Notes
    /// on burst mitigation for transport protocols").
    fn burst(&self) -> Option<f64> {
        (self.instants > 0).then(|| self.segments as f64 / self.instants as f64)
    }

    /// Standard deviation of the times between segments over their mean, those of one instant apart by zero: 0 for a
    /// steady pace, 1 for a Poisson process. Its square is the index of dispersion for intervals at lag 1 (Gusella
    /// 1991, "Characterizing the variability of arrival processes with indexes of dispersion").
    fn variation(&self) -> Option<f64> {
        // One gap has no deviation.
        let gaps = self.segments.checked_sub(1).filter(|gaps| *gaps > 1)? as f64;
        let mean = self.sum / gaps;
        // Rounding may bring the difference below zero.
        (mean > 0.0).then(|| (self.squares / gaps - mean * mean).max(0.0).sqrt() / mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(at_ms: &[u64]) -> Departures {
        let mut departures = Departures::default();
        at_ms.iter().for_each(|&ms| departures.on_departure(Time(ms * 1_000_000)));
        departures
    }

    #[test]
    fn a_steady_pace_has_no_bursts_and_pairs_have() {
        let steady = left(&[10, 20, 30, 40, 50]);
        assert_eq!(steady.burst(), Some(1.0));
        assert!(steady.variation().expect("gaps") < 1e-6);
        // Gaps 0, 20, 0, 20, 0: mean 8, mean square 160.
        let pairs = left(&[10, 10, 30, 30, 50, 50]);
        assert_eq!(pairs.burst(), Some(2.0));
        let expected = (160.0f64 - 64.0).sqrt() / 8.0;
        assert!((pairs.variation().expect("gaps") - expected).abs() < 1e-9);
        assert_eq!((left(&[]).burst(), left(&[5, 5, 5]).variation()), (None, None));
    }
}
