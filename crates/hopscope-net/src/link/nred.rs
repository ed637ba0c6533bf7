//! Neighborhood RED (Xu, Gerla, Qi and Shu, MobiCom 2003): RED on the distributed queue of all nodes that share the
//! channel around this one.
//!
//! The queue is estimated from the share of time in which the channel is busy. A node that finds it too long reports its
//! neighbours how much each is to drop for its own share of the channel time.
//!
//! ```text
//!   every interval:  busy, sent, received shares of time --> averages --> p = max_p (avg - min) / (max - min)
//!                    p > 0 and more than the neighbours ask for: NOTICE { p / (own share) }, for one lifetime
//!   at arrival:      p = notice * own share, spread evenly over the packets as RED does
//! ```

use super::AqmAction;
use crate::config::LinkConfig;
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};
use hopscope_packet::Notice;

/// Neighborhood RED at one node.
#[derive(Debug)]
pub struct Nred {
    cfg: Rules,
    busy: Meter,
    sent: Meter,
    received: Meter,
    /// Averages of the three shares of time.
    avg_busy: f64,
    avg_sent: f64,
    avg_received: f64,
    /// Begin of the interval under way, and its end.
    since: Time,
    ends: Time,
    notice: Notice,
    /// When the notice loses its force.
    notice_ends: Time,
    /// Packets since the last mark; none: nothing is to be dropped.
    count: Option<u32>,
}

#[derive(Debug)]
struct Rules {
    interval: Span,
    lifetime: Span,
    scale: f64,
    min: f64,
    max: f64,
    max_p: f64,
    weight: f64,
    own_min: f64,
}

/// What the end of an interval brings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tick {
    /// End of the next interval.
    pub next: Time,
    /// What the neighbours are to be sent.
    pub notice: Option<Notice>,
}

/// Time covered by intervals that come in order of their starts.
#[derive(Debug, Default)]
struct Meter {
    until: Time,
    counted: Span,
}

impl Meter {
    fn add(&mut self, start: Time, end: Time) {
        self.counted = self.counted + end.saturating_since(start.max(self.until));
        self.until = self.until.max(end);
    }

    /// The time covered up to `now`; what lies beyond counts from then.
    fn take(&mut self, now: Time) -> Span {
        let beyond = self.until.saturating_since(now);
        let counted = self.counted - beyond.min(self.counted);
        self.counted = beyond;
        counted
    }
}

impl Nred {
    /// Neighborhood RED that has heard nothing. Its first interval has a random length, so that the nodes do not all
    /// speak at once.
    pub fn new(cfg: &LinkConfig, rng: &mut Stream) -> Self {
        // Above 0 and up to 1: no interval is empty.
        let part = 1.0 - rng.uniform();
        let cfg = Rules {
            interval: cfg.nred_interval,
            lifetime: cfg.nred_lifetime,
            scale: cfg.nred_scale,
            min: cfg.nred_min,
            max: cfg.nred_max,
            max_p: cfg.nred_max_p,
            weight: cfg.nred_weight,
            own_min: cfg.nred_own_min,
        };
        let first = Span((part * cfg.interval.0 as f64) as u64);
        Nred {
            since: Time::ZERO + first,
            ends: Time::ZERO + first,
            cfg,
            busy: Meter::default(),
            sent: Meter::default(),
            received: Meter::default(),
            avg_busy: 0.0,
            avg_sent: 0.0,
            avg_received: 0.0,
            notice: Notice::default(),
            notice_ends: Time::ZERO,
            count: None,
        }
    }

    /// When the first interval begins: what was heard before does not count.
    pub fn begins(&self) -> Time {
        self.since
    }

    /// When the interval under way ends; before the first, when that begins.
    pub fn ticks_at(&self) -> Time {
        self.ends
    }

    /// The node sends from `start` to `end`.
    pub fn on_sent(&mut self, start: Time, end: Time) {
        self.busy.add(start, end);
        self.sent.add(start, end);
    }

    /// The node senses a frame from `start` to `end`; `mine`: it is addressed to it and can be decoded.
    pub fn on_sensed(&mut self, start: Time, end: Time, mine: bool) {
        self.busy.add(start, end);
        if mine {
            self.received.add(start, end);
        }
    }

    /// An interval ends.
    pub fn on_tick(&mut self, now: Time) -> Tick {
        let elapsed = now.saturating_since(self.since);
        let next = now + self.cfg.interval;
        (self.since, self.ends) = (now, next);
        let parts = [self.busy.take(now), self.sent.take(now), self.received.take(now)];
        // The first tick only begins: what was heard before it does not count.
        if elapsed == Span::ZERO {
            return Tick { next, notice: None };
        }
        let averages = [&mut self.avg_busy, &mut self.avg_sent, &mut self.avg_received];
        for (average, part) in averages.into_iter().zip(parts) {
            *average += self.cfg.weight * (part.0 as f64 / elapsed.0 as f64 - *average);
        }
        let queue = self.cfg.scale * self.avg_busy;
        let asked = (self.cfg.max_p * (queue - self.cfg.min) / (self.cfg.max - self.cfg.min)).clamp(0.0, 1.0);
        let own = self.own_share();
        if asked == 0.0 || own < self.cfg.own_min {
            return Tick { next, notice: None };
        }
        let notice = Notice { probability: asked / own };
        Tick { next, notice: self.take_over(notice, now).then_some(notice) }
    }

    /// A neighbour asks for drops.
    pub fn on_notice(&mut self, notice: Notice, now: Time) {
        self.take_over(notice, now);
    }

    /// What becomes of a packet that comes to the queue.
    pub fn on_arrival(&mut self, now: Time, rng: &mut Stream) -> AqmAction {
        let p = self.drop_probability(now);
        if p == 0.0 {
            self.count = None;
            return AqmAction::Pass;
        }
        let count = self.count.map_or(0, |count| count + 1);
        self.count = Some(count);
        let left = 1.0 - f64::from(count) * p;
        if left <= 0.0 || rng.uniform() < p / left {
            self.count = Some(0);
            return AqmAction::Mark;
        }
        AqmAction::Pass
    }

    /// Probability with which packets are marked now.
    fn drop_probability(&self, now: Time) -> f64 {
        if now >= self.notice_ends { 0.0 } else { (self.notice.probability * self.own_share()).min(1.0) }
    }

    /// Share of the channel time that the node's own frames and those for it take.
    fn own_share(&self) -> f64 {
        self.avg_sent + self.avg_received
    }

    /// The larger of two notices counts; true if it is this one.
    fn take_over(&mut self, notice: Notice, now: Time) -> bool {
        let larger = now >= self.notice_ends || notice.probability > self.notice.probability;
        if larger {
            self.notice = notice;
            self.notice_ends = now + self.cfg.lifetime;
        }
        larger
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::rng::Purpose;

    const MS: u64 = 1_000_000;

    fn at(ms: u64) -> Time {
        Time(ms * MS)
    }

    fn nred(change: impl FnOnce(&mut LinkConfig)) -> (Nred, Stream) {
        let mut cfg = LinkConfig { nred_weight: 1.0, ..LinkConfig::default() };
        change(&mut cfg);
        let mut rng = Stream::derive(5, 0, 0, Purpose::Link);
        let nred = Nred { since: Time::ZERO, ..Nred::new(&cfg, &mut rng) };
        (nred, rng)
    }

    #[test]
    fn overlapping_frames_count_once_and_one_across_the_end_in_both_intervals() {
        let (mut nred, _) = nred(|_| {});
        nred.on_sensed(at(10), at(30), true);
        nred.on_sensed(at(20), at(40), false);
        nred.on_sent(at(90), at(130));
        nred.on_tick(at(100));
        let round = |share: f64| (share * 1000.0).round() as u32;
        assert_eq!([nred.avg_busy, nred.avg_sent, nred.avg_received].map(round), [400, 100, 200]);
        nred.on_tick(at(200));
        assert_eq!([nred.avg_busy, nred.avg_sent, nred.avg_received].map(round), [300, 300, 0]);
    }

    #[test]
    fn the_probability_follows_the_busy_share_and_is_divided_by_ones_own() {
        // Busy for so many ms of 100, sending for 20 of them: what is asked of a unit of share, in thousandths.
        for (busy, reported) in [(49, None), (50, None), (60, Some(125)), (90, Some(500)), (100, Some(625))] {
            let (mut nred, _) = nred(|_| {});
            nred.on_sent(at(0), at(20));
            nred.on_sensed(at(20), at(busy), false);
            let tick = nred.on_tick(at(100));
            assert_eq!(tick.next, at(200));
            let thousandths = tick.notice.map(|n| (n.probability * 1000.0).round() as u32);
            assert_eq!(thousandths, reported, "busy for {busy} ms");
            // The node itself then drops its part of it.
            let own = reported.map_or(0.0, |t| f64::from(t) / 1000.0 * 0.2);
            assert!((nred.drop_probability(at(150)) - own).abs() < 1e-12);
            assert_eq!(nred.drop_probability(at(200)), 0.0, "the notice has lost its force");
        }
    }

    #[test]
    fn a_node_that_hardly_takes_part_reports_nothing() {
        let (mut nred, _) = nred(|cfg| cfg.nred_own_min = 0.05);
        nred.on_sensed(at(0), at(100), false);
        assert_eq!(nred.on_tick(at(100)).notice, None);
        nred.on_sent(at(100), at(104));
        nred.on_sensed(at(104), at(200), false);
        assert_eq!(nred.on_tick(at(200)).notice, None);
        nred.on_sent(at(200), at(206));
        nred.on_sensed(at(206), at(300), false);
        assert!(nred.on_tick(at(300)).notice.is_some());
    }

    #[test]
    fn the_largest_notice_in_force_counts_and_a_smaller_one_is_not_reported() {
        let (mut nred, _) = nred(|_| {});
        nred.on_notice(Notice { probability: 0.4 }, at(150));
        nred.on_sent(at(0), at(20));
        nred.on_sensed(at(20), at(80), false);
        assert_eq!(nred.on_tick(at(200)).notice, None, "40 % busy in the mean");
        nred.on_sent(at(200), at(220));
        nred.on_sensed(at(220), at(275), false);
        nred.on_notice(Notice { probability: 0.4 }, at(250));
        assert_eq!(nred.on_tick(at(300)).notice, None, "it asks for 0.3 and a neighbour for more");
        assert!((nred.drop_probability(at(301)) - 0.4 * 0.2).abs() < 1e-12);
        nred.on_notice(Notice { probability: 0.1 }, at(320));
        assert!((nred.drop_probability(at(349)) - 0.4 * 0.2).abs() < 1e-12);
        nred.on_notice(Notice { probability: 0.1 }, at(350));
        assert!((nred.drop_probability(at(351)) - 0.1 * 0.2).abs() < 1e-12);
    }

    #[test]
    fn drops_are_spread_evenly() {
        // p = 0.05: after 1 to 20 packets, each distance equally likely (mean 10.5).
        let (mut nred, mut rng) = nred(|cfg| cfg.nred_lifetime = Span::from_secs(1000));
        nred.avg_sent = 0.1;
        nred.on_notice(Notice { probability: 0.5 }, at(0));
        let actions: Vec<AqmAction> = (0..21_000).map(|_| nred.on_arrival(at(1), &mut rng)).collect();
        let places: Vec<usize> = (0..actions.len()).filter(|&i| actions[i] == AqmAction::Mark).collect();
        let gaps: Vec<usize> = places.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(gaps.iter().all(|&gap| (1..=20).contains(&gap)), "{:?}", gaps.iter().max());
        let mean = gaps.iter().sum::<usize>() as f64 / gaps.len() as f64;
        assert!((mean - 10.5).abs() < 0.65, "{mean}");
        assert!((0..100).all(|_| nred.on_arrival(at(2_000_000), &mut rng) == AqmAction::Pass));
    }

    #[test]
    fn first_intervals_begin_at_different_times_within_one() {
        let starts: Vec<Time> = (0..50)
            .map(|node| Nred::new(&LinkConfig::default(), &mut Stream::derive(1, 0, node, Purpose::Link)).begins())
            .collect();
        assert!(starts.iter().all(|&start| start > Time::ZERO && start <= at(100)));
        assert!(starts.iter().max() > Some(&at(90)) && starts.iter().min() < Some(&at(10)));
    }
}
