//! How flows share over time: Jain's index interval by interval, and the time in which a flow got nothing.
//!
//! A flow is active from its start until it stops or has carried everything. Both meters count deliveries as they
//! come and need no event of their own.

use crate::config::{Config, FlowConfig};
use hopscope_core::ids::FlowId;
use hopscope_core::units::{Span, Time};

/// Jain's fairness index of shares, (sum x)^2 / (n sum x^2): 1 for equal ones, 1/n when one has all; `None` when all
/// are zero (Jain, Chiu and Hawe 1984).
pub fn jain(shares: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut count, mut sum, mut squares) = (0u32, 0.0, 0.0);
    for share in shares {
        count += 1;
        sum += share;
        squares += share * share;
    }
    (squares > 0.0).then(|| sum * sum / (f64::from(count) * squares))
}

/// Max-min index of shares, max |x - f| / f: 0 for fair ones (zhang2006, chapter 5). Flows that always want more have the same
/// fair share f of what they all carry; `None` when all are zero.
pub fn max_min(shares: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let fair = shares.clone().sum::<f64>() / shares.clone().count() as f64;
    (fair > 0.0).then(|| shares.fold(0.0, |most: f64, share| most.max((share - fair).abs() / fair)))
}

/// Time in which a flow is active.
#[derive(Debug, Clone, Copy)]
struct Active {
    from: Time,
    to: Time,
}

impl Active {
    fn of(flow: &FlowConfig) -> Self {
        Active { from: flow.start, to: flow.stop.unwrap_or(Time::NEVER) }
    }

    fn end(&mut self, now: Time) {
        self.to = self.to.min(now).max(self.from);
    }
}

/// Jain's index of what the flows got in each interval.
#[derive(Debug, Clone)]
pub struct Fairness {
    interval: Span,
    /// Start of the interval under way.
    begin: Time,
    active: Vec<Active>,
    bytes: Vec<u64>,
    sum: f64,
    count: u64,
}

impl Fairness {
    /// A meter of intervals of the configured length that begin with the run.
    pub fn new(config: &Config) -> Self {
        let interval = config.series.interval;
        Fairness {
            interval: if interval == Span::ZERO { Span::from_secs(1) } else { interval },
            begin: Time::ZERO,
            active: config.flows.iter().map(Active::of).collect(),
            bytes: vec![0; config.flows.len()],
            sum: 0.0,
            count: 0,
        }
    }

    /// Forgets what it has and begins an interval now.
    pub fn restart(&mut self, now: Time) {
        self.begin = now;
        self.bytes.iter_mut().for_each(|b| *b = 0);
        (self.sum, self.count) = (0.0, 0);
    }

    /// A flow got something in the interval under way; those over by `now` must have been closed.
    #[inline]
    pub fn on_delivered(&mut self, flow: FlowId, bytes: u32) {
        self.bytes[flow.index()] += u64::from(bytes);
    }

    /// A flow has carried everything.
    pub fn end(&mut self, now: Time, flow: FlowId) {
        self.active[flow.index()].end(now);
    }

    /// Closes the interval under way if it is over by `now`: its end and its index, `None` where fewer than two flows
    /// were active throughout. To be called until it returns `None`; intervals in which nothing came are passed over.
    #[inline]
    pub fn close(&mut self, now: Time) -> Option<(Time, Option<f64>)> {
        if now < self.begin + self.interval {
            return None;
        }
        self.close_or_skip(now)
    }

    fn close_or_skip(&mut self, now: Time) -> Option<(Time, Option<f64>)> {
        if self.bytes.iter().all(|&b| b == 0) {
            let over = (now - self.begin).0 / self.interval.0;
            self.begin += Span(over * self.interval.0);
            return None;
        }
        let (begin, end) = (self.begin, self.begin + self.interval);
        let throughout = |active: &Active| active.from <= begin && active.to >= end;
        let active = self.active.iter().zip(&self.bytes).filter(|(active, _)| throughout(active));
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
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

/// Time in which a flow got nothing for longer than a limit.
#[derive(Debug, Clone)]
pub struct Starvation {
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

impl Starvation {
    /// A meter for a flow that counts as starved while nothing has come for longer than `limit`.
    pub fn new(flow: &FlowConfig, limit: Span) -> Self {
        let (from, none) = (flow.start, Span::ZERO);
        Starvation { limit, active: Active::of(flow), from, last: from, starved: none, longest: none }
    }

    /// Forgets what it has and counts from now.
    pub fn restart(&mut self, now: Time) {
        self.from = now.max(self.active.from);
        self.last = self.from;
        (self.starved, self.longest) = (Span::ZERO, Span::ZERO);
    }

    /// The flow got something.
    #[inline]
    pub fn on_delivered(&mut self, now: Time) {
        let gap = self.gap(now);
        self.starved = self.starved + self.counted(gap);
        self.longest = self.longest.max(gap);
        self.last = self.last.max(now);
    }

    /// The flow has carried everything.
    pub fn end(&mut self, now: Time) {
        self.active.end(now);
    }

    /// The time since the last delivery, without what lies beyond the flow's end.
    fn gap(&self, now: Time) -> Span {
        now.min(self.active.to).saturating_since(self.last)
    }

    /// A gap, if it is long enough to count as starvation.
    fn counted(&self, gap: Span) -> Span {
        if gap > self.limit { gap } else { Span::ZERO }
    }

    /// Longest time without a delivery in the flow's measured time, from its start to its end: the longest outage. `None` without
    /// any time.
    pub fn longest_outage(&self, now: Time) -> Option<Span> {
        let time = now.min(self.active.to).saturating_since(self.from);
        (time > Span::ZERO).then(|| self.longest.max(self.gap(now)))
    }

    /// Share of the flow's measured time that lies in gaps longer than the limit, per cent; `None` without any time.
    pub fn pct(&self, now: Time) -> Option<f64> {
        let time = now.min(self.active.to).saturating_since(self.from);
        let starved = self.starved + self.counted(self.gap(now));
        (time > Span::ZERO).then(|| 100.0 * starved.0 as f64 / time.0 as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{AckPolicy, App, TcpConfig, Transport, presets};

    const MS: u64 = 1_000_000;

    fn at(ms: u64) -> Time {
        Time(ms * MS)
    }

    fn config(flows: &[(u64, Option<u64>)]) -> Config {
        let base = presets::base("standard", "wavelan-2M").expect("a profile and a preset");
        let mut config = base.config(vec![[0.0, 0.0], [200.0, 0.0]], Span::from_secs(10));
        config.flows = flows
            .iter()
            .map(|&(start, stop)| {
                let app = App::Bulk;
                let (start, stop) = (at(start), stop.map(at));
                FlowConfig {
                    from: 0,
                    to: 1,
                    transport: Transport::Udp,
                    app,
                    packet: 1_000,
                    max_window: 1,
                    start,
                    stop,
                    ack: AckPolicy::Every,
                    ack_code: None,
                    ack_delay: Span::from_millis(200),
                    tcp: TcpConfig::default(),
                    dccp: Default::default(),
                    atp: Default::default(),
                    group: None,
                    control: None,
                    reply: None,
                    start_jitter: Span::ZERO,
                    from_port: None,
                    to_port: None,
                    recovery: crate::config::LossRecovery::Own,
                }
            })
            .collect();
        config
    }

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
        let closed = std::iter::from_fn(|| meter.close(at(ms))).collect();
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
        meter.restart(at(700));
        deliver(&mut meter, 800, 1, 100);
        deliver(&mut meter, 900, 0, 100);
        assert_eq!(deliver(&mut meter, 1_699, 0, 0), []);
        assert_eq!(deliver(&mut meter, 1_700, 0, 0), [(at(1_700), Some(1.0))]);
    }

    fn starved(start: u64, stop: Option<u64>, deliveries: &[u64], end: u64) -> Option<f64> {
        let mut meter = Starvation::new(&config(&[(start, stop)]).flows[0], Span::from_secs(1));
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
            let mut meter = Starvation::new(&config(&[(start, stop)]).flows[0], Span::from_secs(1));
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
        let mut meter = Starvation::new(&config(&[(0, None)]).flows[0], Span::from_secs(1));
        meter.on_delivered(at(900));
        meter.end(at(1_000));
        assert_eq!(meter.pct(at(9_000)), Some(0.0));
    }

    #[test]
    fn the_warm_up_does_not_count() {
        let mut meter = Starvation::new(&config(&[(0, None)]).flows[0], Span::from_secs(1));
        meter.on_delivered(at(100));
        meter.restart(at(5_000));
        meter.on_delivered(at(5_500));
        assert_eq!(meter.pct(at(6_000)), Some(0.0));
        assert_eq!(meter.pct(at(7_000)), Some(75.0));
    }
}
