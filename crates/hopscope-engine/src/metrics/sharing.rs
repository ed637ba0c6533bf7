//! How flows share over time: Jain's index interval by interval.
//!
//! A flow is active from its start until it stops or has carried everything. Deliveries are counted as they come,
//! without an event of its own.

use super::tables::NetworkCx;
use super::{RunCx, RunFamily, SeriesSet};
use crate::config::{Config, FlowConfig, SeriesKind};
use crate::record::{NetworkView, Record};
use hopscope_core::ids::FlowId;
use hopscope_core::units::{Span, Time};

/// Jain's fairness index of shares, (sum x)^2 / (n sum x^2): 1 for equal ones, 1/n when one has all; `None` when all
/// are zero (Jain, Chiu and Hawe 1984).
pub(super) fn jain(shares: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut count, mut sum, mut squares) = (0u32, 0.0, 0.0);
    for share in shares {
        count += 1;
        sum += share;
        squares += share * share;
    }
    (squares > 0.0).then(|| sum * sum / (f64::from(count) * squares))
}

/// Jain's index of throughputs; 1 when nothing was carried.
pub(super) fn jain_of(throughputs: impl Iterator<Item = f64>) -> f64 {
    jain(throughputs).unwrap_or(1.0)
}

/// Max-min index of shares, max |x - f| / f: 0 for fair ones (zhang2006, chapter 5). Flows that always want more have
/// the same fair share f of what they all carry; `None` when all are zero.
pub(super) fn max_min(shares: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let fair = shares.clone().sum::<f64>() / shares.clone().count() as f64;
    (fair > 0.0).then(|| shares.fold(0.0, |most: f64, share| most.max((share - fair).abs() / fair)))
}

/// Time in which a flow is active.
#[derive(Debug, Clone, Copy)]
pub(super) struct Active {
    pub(super) from: Time,
    pub(super) to: Time,
}

impl Active {
    pub(super) fn of(flow: &FlowConfig) -> Self {
        Active { from: flow.start, to: flow.stop.unwrap_or(Time::NEVER) }
    }

    pub(super) fn end(&mut self, now: Time) {
        // The earlier end counts; a flow that is over before its start was active at no time.
        self.to = self.to.min(now).max(self.from);
    }
}

/// Jain's index of what the flows got in each interval.
#[derive(Debug, Clone)]
pub(crate) struct Fairness {
    interval: Span,
    /// Start of the interval under way.
    begin: Time,
    active: Vec<Active>,
    bytes: Vec<u64>,
    sum: f64,
    count: u64,
}

impl RunFamily for Fairness {
    fn begin(config: &Config, _series: &mut SeriesSet) -> Self {
        Fairness::new(config)
    }

    #[inline(always)]
    fn record(&mut self, record: &Record, cx: &mut RunCx<'_, impl NetworkView>) {
        match *record {
            Record::Delivered { flow, bytes } => {
                // What comes at the end of an interval belongs to the next one.
                self.close_intervals(cx.now, cx.series);
                self.on_delivered(flow, bytes);
            }
            Record::Completed { flow } => self.end(cx.now, flow),
            _ => {}
        }
    }

    fn restart(&mut self, now: Time, _view: &mut impl NetworkView) {
        self.begin_interval(now);
    }

    fn close(&mut self, now: Time, _start: Time, series: &mut SeriesSet, _view: &mut impl NetworkView) {
        self.close_intervals(now, series);
    }
}

/// The metric.
impl Fairness {
    pub(super) fn jain_interval(&self, _cx: &NetworkCx<'_>) -> Option<f64> {
        self.mean()
    }
}

impl Fairness {
    /// A meter of intervals of the configured length that begin with the run.
    fn new(config: &Config) -> Self {
        let interval = config.series.interval;
        Fairness {
            // The metric is there also where no series is kept, with the interval that a series has by default.
            interval: if interval == Span::ZERO { Span::from_secs(1) } else { interval },
            begin: Time::ZERO,
            active: config.flows.iter().map(Active::of).collect(),
            bytes: vec![0; config.flows.len()],
            sum: 0.0,
            count: 0,
        }
    }

    /// Forgets what it has and begins an interval now.
    fn begin_interval(&mut self, now: Time) {
        self.begin = now;
        self.bytes.iter_mut().for_each(|b| *b = 0);
        (self.sum, self.count) = (0.0, 0);
    }

    /// A flow got something in the interval under way; those over by `now` must have been closed.
    #[inline]
    fn on_delivered(&mut self, flow: FlowId, bytes: u32) {
        self.bytes[flow.index()] += u64::from(bytes);
    }

    /// A flow has carried everything.
    fn end(&mut self, now: Time, flow: FlowId) {
        self.active[flow.index()].end(now);
    }

    /// Closes the interval under way if it is over by `now`: its end and its index, `None` where fewer than two flows
    /// were active throughout. To be called until it returns `None`; intervals in which nothing came are passed over.
    #[inline]
    fn close_next(&mut self, now: Time) -> Option<(Time, Option<f64>)> {
        if now < self.begin + self.interval {
            return None;
        }
        self.close_or_skip(now)
    }

    fn close_intervals(&mut self, now: Time, series: &mut SeriesSet) {
        while let Some((end, index)) = self.close_next(now) {
            if let Some(index) = index {
                series.push(SeriesKind::Fairness, 0, end, index);
            }
        }
    }

    fn close_or_skip(&mut self, now: Time) -> Option<(Time, Option<f64>)> {
        // An interval without deliveries has no index: a long silence is passed over in one step.
        if self.bytes.iter().all(|&b| b == 0) {
            let over = (now - self.begin).0 / self.interval.0;
            self.begin += Span(over * self.interval.0);
            return None;
        }
        let (begin, end) = (self.begin, self.begin + self.interval);
        // A flow that came or went in the middle had less time, which is no unfairness.
        let throughout = |active: &Active| active.from <= begin && active.to >= end;
        let active = self.active.iter().zip(&self.bytes).filter(|(active, _)| throughout(active));
        // One flow alone shares with nobody.
        let index = if active.clone().nth(1).is_some() { jain(active.map(|(_, &bytes)| bytes as f64)) } else { None };
        if let Some(index) = index {
            self.sum += index;
            self.count += 1;
        }
        self.bytes.iter_mut().for_each(|b| *b = 0);
        self.begin = end;
        Some((end, index))
    }

    /// Mean index of the closed intervals that have one.
    fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::test::{at, config};
    use super::*;

    #[test]
    fn the_index_of_equal_single_and_no_shares() {
        let unfair = |shares: &[f64]| max_min(shares.iter().copied());
        assert_eq!(
            [&[2.0, 2.0][..], &[3.0, 1.0], &[4.0, 0.0, 2.0, 2.0]].map(unfair),
            [Some(0.0), Some(0.5), Some(1.0)]
        );
        assert_eq!([&[0.0, 0.0][..], &[]].map(unfair), [None, None]);
        let index = |shares: &[f64]| jain(shares.iter().copied());
        assert_eq!(index(&[3.0, 3.0, 3.0]), Some(1.0));
        assert_eq!(index(&[5.0, 0.0]), Some(0.5));
        assert_eq!(index(&[0.0, 0.0]), None);
        // afrakhteh2005.exp12, case 6.
        assert!((index(&[185.0, 41.0]).expect("shares") - 0.711).abs() < 5e-4);
    }

    fn deliver(meter: &mut Fairness, ms: u64, flow: u32, bytes: u32) -> Vec<(Time, Option<f64>)> {
        let closed = std::iter::from_fn(|| meter.close_next(at(ms))).collect();
        meter.on_delivered(FlowId(flow), bytes);
        closed
    }

    #[test]
    fn intervals_close_when_time_has_passed_them() {
        let mut meter = Fairness::new(&config(&[(0, None), (0, None)]));
        assert_eq!(deliver(&mut meter, 100, 0, 500), []);
        assert_eq!(deliver(&mut meter, 999, 1, 500), []);
        // What comes at the end of an interval belongs to the next one.
        assert_eq!(deliver(&mut meter, 1_000, 0, 700), [(at(1_000), Some(1.0))]);
        assert_eq!(deliver(&mut meter, 3_500, 1, 1), [(at(2_000), Some(0.5))]);
        // Nothing came in the third.
        assert_eq!(deliver(&mut meter, 4_000, 0, 1), [(at(4_000), Some(0.5))]);
        assert_eq!(meter.mean(), Some(2.0 / 3.0));
    }

    #[test]
    fn only_flows_that_are_active_throughout_count() {
        let mut meter = Fairness::new(&config(&[(0, None), (0, None), (500, None), (0, Some(1_500))]));
        for flow in 0..3 {
            deliver(&mut meter, 600, flow, 100);
        }
        // The third began late; the fourth got nothing.
        assert_eq!(deliver(&mut meter, 1_000, 0, 100), [(at(1_000), Some(2.0 / 3.0))]);
        deliver(&mut meter, 1_100, 1, 100);
        meter.end(at(1_200), FlowId(2));
        // Two are left: one has stopped, one has carried everything.
        assert_eq!(deliver(&mut meter, 2_000, 0, 100), [(at(2_000), Some(1.0))]);
    }

    #[test]
    fn a_single_flow_has_no_index() {
        let mut meter = Fairness::new(&config(&[(0, None)]));
        deliver(&mut meter, 100, 0, 100);
        assert_eq!(deliver(&mut meter, 1_000, 0, 100), [(at(1_000), None)]);
        assert_eq!(meter.mean(), None);
    }

    #[test]
    fn a_restart_begins_an_interval() {
        let mut meter = Fairness::new(&config(&[(0, None), (0, None)]));
        deliver(&mut meter, 100, 0, 100);
        meter.begin_interval(at(700));
        deliver(&mut meter, 800, 1, 100);
        deliver(&mut meter, 900, 0, 100);
        assert_eq!(deliver(&mut meter, 1_699, 0, 0), []);
        assert_eq!(deliver(&mut meter, 1_700, 0, 0), [(at(1_700), Some(1.0))]);
    }
}
