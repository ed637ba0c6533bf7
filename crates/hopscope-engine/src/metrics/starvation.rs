//! The time in which a flow got nothing.

use super::sharing::Active;
use super::{FlowCx, FlowFamily, SeriesSet};
use crate::config::{Config, FlowConfig};
use crate::record::Record;
use hopscope_core::units::{Span, Time};

/// Time in which a flow got nothing for longer than a limit.
#[derive(Debug, Clone)]
pub(crate) struct Starvation {
    limit: Span,
    active: Active,
    /// Start of the measured time, or of the flow.
    from: Time,
    /// Last delivery.
    last: Time,
    starved: Span,
    /// Longest time without a delivery so far.
    longest: Span,
}

impl FlowFamily for Starvation {
    fn begin(config: &Config, flow: &FlowConfig) -> Self {
        let (from, none) = (flow.start, Span::ZERO);
        let limit = config.starved_after;
        Starvation { limit, active: Active::of(flow), from, last: from, starved: none, longest: none }
    }

    #[inline(always)]
    fn record(&mut self, now: Time, record: &Record, _series: &mut SeriesSet) {
        match *record {
            Record::Delivered { .. } => self.on_delivered(now),
            Record::Completed { .. } => self.active.end(now),
            _ => {}
        }
    }

    fn restart(&mut self, now: Time) {
        self.from = now.max(self.active.from);
        // The gap that the measured time begins in counts from there.
        self.last = self.from;
        (self.starved, self.longest) = (Span::ZERO, Span::ZERO);
    }
}

/// The metrics.
impl Starvation {
    pub(super) fn starved_pct(&self, cx: &FlowCx<'_>) -> Option<f64> {
        self.pct(cx.now)
    }

    pub(super) fn longest_outage_s(&self, cx: &FlowCx<'_>) -> Option<f64> {
        self.longest_outage(cx.now).map(Span::as_secs)
    }
}

impl Starvation {
    /// The flow got something.
    #[inline]
    fn on_delivered(&mut self, now: Time) {
        let gap = self.gap(now);
        self.starved = self.starved + self.counted(gap);
        self.longest = self.longest.max(gap);
        self.last = self.last.max(now);
    }

    /// The time since the last delivery, without what lies beyond the flow's end.
    fn gap(&self, now: Time) -> Span {
        // What comes after the flow's end closes no gap but that up to its end.
        now.min(self.active.to).saturating_since(self.last)
    }

    /// A gap, if it is long enough to count as starvation.
    fn counted(&self, gap: Span) -> Span {
        if gap > self.limit { gap } else { Span::ZERO }
    }

    /// Longest time without a delivery in the flow's measured time, from its start to its end: the longest outage.
    /// `None` without any time.
    fn longest_outage(&self, now: Time) -> Option<Span> {
        let time = now.min(self.active.to).saturating_since(self.from);
        // The gap under way counts, though nobody knows yet how long it gets.
        (time > Span::ZERO).then(|| self.longest.max(self.gap(now)))
    }

    /// Share of the flow's measured time that lies in gaps longer than the limit, per cent; `None` without any time.
    fn pct(&self, now: Time) -> Option<f64> {
        let time = now.min(self.active.to).saturating_since(self.from);
        let starved = self.starved + self.counted(self.gap(now));
        (time > Span::ZERO).then(|| 100.0 * starved.0 as f64 / time.0 as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::test::{at, config};
    use super::*;

    fn begin(flows: &[(u64, Option<u64>)]) -> Starvation {
        let mut config = config(flows);
        config.starved_after = Span::from_secs(1);
        Starvation::begin(&config, &config.flows[0])
    }

    fn starved(start: u64, stop: Option<u64>, deliveries: &[u64], end: u64) -> Option<f64> {
        let mut meter = begin(&[(start, stop)]);
        for &ms in deliveries {
            meter.on_delivered(at(ms));
        }
        meter.pct(at(end))
    }

    #[test]
    fn gaps_longer_than_the_limit_count_whole() {
        assert_eq!(starved(0, None, &[1_000, 2_000, 3_000, 4_000], 4_000), Some(0.0));
        assert_eq!(starved(0, None, &[500, 2_500], 4_000), Some(100.0 * 3.5 / 4.0));
        assert_eq!(starved(0, None, &[], 4_000), Some(100.0));
    }

    #[test]
    fn the_longest_outage_is_the_longest_gap_with_both_ends_of_the_flow() {
        let longest = |start, stop, deliveries: &[u64], end| {
            let mut meter = begin(&[(start, stop)]);
            deliveries.iter().for_each(|&ms| meter.on_delivered(at(ms)));
            meter.longest_outage(at(end))
        };
        assert_eq!(longest(0, None, &[500, 2_500, 2_600], 4_000), Some(Span::from_millis(2_000)));
        assert_eq!(longest(0, None, &[1_500, 1_600], 2_000), Some(Span::from_millis(1_500)));
        assert_eq!(longest(0, None, &[100, 200], 4_000), Some(Span::from_millis(3_800)));
        assert_eq!(longest(0, Some(2_000), &[1_500], 9_000), Some(Span::from_millis(1_500)));
        assert_eq!(longest(0, None, &[], 4_000), Some(Span::from_millis(4_000)));
        assert_eq!(longest(5_000, None, &[], 4_000), None);
    }

    #[test]
    fn only_the_time_of_the_flow_counts() {
        assert_eq!(starved(2_000, None, &[2_500, 3_000, 3_900], 4_000), Some(0.0));
        assert_eq!(starved(0, Some(2_000), &[500, 1_500], 10_000), Some(0.0));
        // What drains after the stop ends a gap at the stop.
        assert_eq!(starved(0, Some(2_000), &[500, 3_000], 10_000), Some(75.0));
        assert_eq!(starved(5_000, None, &[], 4_000), None);
    }

    #[test]
    fn a_flow_that_has_carried_everything_is_not_starved() {
        let mut meter = begin(&[(0, None)]);
        meter.on_delivered(at(900));
        meter.active.end(at(1_000));
        assert_eq!(meter.pct(at(9_000)), Some(0.0));
    }

    #[test]
    fn the_warm_up_does_not_count() {
        let mut meter = begin(&[(0, None)]);
        meter.on_delivered(at(100));
        meter.restart(at(5_000));
        meter.on_delivered(at(5_500));
        assert_eq!(meter.pct(at(6_000)), Some(0.0));
        assert_eq!(meter.pct(at(7_000)), Some(75.0));
    }
}
