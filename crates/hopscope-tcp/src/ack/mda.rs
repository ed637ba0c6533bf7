//! Monitoring delayed acknowledgment (Armaghani, "TCP Performance Optimization in Interaction with MAC Layer over
//! Multi-hop Ad-hoc Networks", 2008), the receiver's part: the delay window follows the collision probability of the
//! path, which data packets gather from the MAC of each hop ([`hopscope_packet::PathOption`], `mac.collision_signal`).
//!
//! Below the threshold the window grows by a segment with each segment in order, up to its limit; a gap, its end or the
//! end of the wait bring it down to two. What happens at the threshold and above could not be read: `mda_busy` names
//! three readings. A window of one, with which it starts, acknowledges the first segment at once. Limit, slow growth,
//! smoothing, tolerance and waits are those of `daa`, which it builds on.

use super::gaps::Gaps;
use super::{AckDecision, Arrival};
use crate::config::TcpConfig;
use crate::config::tcp::MdaBusy;
use hopscope_core::units::{Span, Time};
use hopscope_packet::PathOption;

/// The window after a sign of loss, and in which a busy path is kept where that resets it, in segments.
const LOW: f64 = 2.0;
/// What sums of steps may lack to the limit.
const ROUNDING: f64 = 1e-9;

/// State of the policy.
#[derive(Debug, Clone)]
pub(in super::super) struct Mda {
    threshold: f64,
    per_hop: bool,
    when_busy: MdaBusy,
    /// The path of the last segment is at the threshold or above.
    is_busy: bool,
    window: f64,
    most: f64,
    /// Growth per segment on a busy path: until the window was full for the first time, and afterwards.
    growth: f64,
    regrowth: f64,
    has_been_full: bool,
    held: u32,
    gaps: Gaps,
    tolerance: f64,
    least_wait: Span,
    longest_wait: Span,
    /// When the first segment held came, and the last one.
    first: Option<Time>,
    now: Time,
}

impl Mda {
    pub(super) fn new(cfg: &TcpConfig) -> Self {
        Mda {
            threshold: cfg.mda_threshold,
            per_hop: cfg.mda_per_hop,
            when_busy: cfg.mda_busy,
            is_busy: false,
            window: 1.0,
            most: f64::from(cfg.daa_most),
            growth: cfg.daa_growth,
            regrowth: cfg.mda_regrowth,
            has_been_full: false,
            held: 0,
            gaps: Gaps::new(cfg.daa_smoothing),
            tolerance: cfg.daa_tolerance,
            least_wait: cfg.daa_least_wait,
            longest_wait: cfg.daa_longest_wait,
            first: None,
            now: Time::ZERO,
        }
    }

    /// What the segment at hand has learnt on its way over so many hops.
    pub(super) fn on_path(&mut self, hops: u8, path: &PathOption) {
        let free = 1.0 - self.threshold;
        // Hops are taken for independent: a path is free where each of them is.
        let least = if self.per_hop { free.powi(i32::from(hops)) } else { free };
        self.is_busy = path.non_collision() <= least as f32;
    }

    pub(super) fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        self.gaps.on_arrival(arrival.now, arrival.in_order);
        self.now = arrival.now;
        self.first.get_or_insert(arrival.now);
        if !arrival.in_order {
            self.shrink();
            return AckDecision::Now;
        }
        if self.is_busy && self.when_busy == MdaBusy::Reset {
            self.window = self.window.min(LOW);
        }
        self.held += 1;
        let decision = if f64::from(self.held) >= self.window.floor() { AckDecision::Now } else { AckDecision::Hold };
        self.grow();
        decision
    }

    /// After each segment in order.
    fn grow(&mut self) {
        self.window += match self.when_busy {
            _ if !self.is_busy => 1.0,
            MdaBusy::Grow if self.has_been_full => self.regrowth,
            MdaBusy::Grow => self.growth,
            MdaBusy::Hold | MdaBusy::Reset => 0.0,
        };
        if self.window >= self.most - ROUNDING {
            self.window = self.most;
            self.has_been_full = true;
        }
    }

    /// Segments that one ACK is to stand for.
    pub(super) fn window(&self) -> f64 {
        self.window
    }

    /// The time in which the second next segment is expected, and some tolerance; over all segments held never longer
    /// than the longest wait, as a window that grows from the first segment on would otherwise outlast the sender's
    /// timer.
    pub(super) fn hold(&self) -> Span {
        let wait = self.gaps.times(2.0 + self.tolerance).unwrap_or(self.longest_wait);
        let waited = self.first.map_or(Span::ZERO, |first| self.now.saturating_since(first));
        wait.clamp(self.least_wait, self.longest_wait).min(self.longest_wait.saturating_sub(waited))
    }

    /// The wait ended without enough segments.
    pub(super) fn shrink(&mut self) {
        self.window = LOW.min(self.most);
    }

    pub(super) fn on_ack_sent(&mut self) {
        self.held = 0;
        self.first = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A policy and the segments that it has been shown.
    struct Shown(Mda, u64);

    impl Shown {
        fn new(change: impl FnOnce(&mut TcpConfig)) -> Self {
            let mut cfg = TcpConfig { mda_threshold: 0.2, ..TcpConfig::default() };
            change(&mut cfg);
            Shown(Mda::new(&cfg), 0)
        }

        /// Which of the next segments it acknowledges, all in order over `hops` hops with this collision probability.
        fn acknowledges(&mut self, segments: u64, hops: u8, collision: f64) -> Vec<u64> {
            let mut path = PathOption::new(Time::ZERO);
            path.pass(Time::ZERO, collision);
            (0..segments)
                .filter_map(|_| {
                    self.1 += 1;
                    self.0.on_path(hops, &path);
                    let is_now = self.0.on_data(&self.arrival(true)) == AckDecision::Now;
                    is_now.then(|| {
                        self.0.on_ack_sent();
                        self.1
                    })
                })
                .collect()
        }

        fn arrival(&self, in_order: bool) -> Arrival {
            let now = Time::ZERO + Span::from_millis(10 * self.1);
            Arrival {
                now,
                in_order,
                duplicate: false,
                repeats_last: false,
                bytes: 1000,
                len: 1000,
                pushed: false,
                marked: false,
                sender_window: 0,
            }
        }
    }

    #[test]
    fn a_free_path_has_the_window_grow_by_each_segment() {
        let mut mda = Shown::new(|_| ());
        assert_eq!(mda.acknowledges(14, 4, 0.19), [1, 5, 9, 13]);
        assert_eq!(mda.0.on_data(&mda.arrival(false)), AckDecision::Now);
        assert_eq!(mda.0.window, LOW);
        mda.0.on_ack_sent();
        assert_eq!(mda.acknowledges(8, 4, 0.0), [18, 22]);
    }

    #[test]
    fn readings_of_a_busy_path_differ() {
        for (busy, expected) in [
            (MdaBusy::Reset, &[15, 17, 19, 21, 23, 25][..]),
            (MdaBusy::Hold, &[17, 21, 25]),
            (MdaBusy::Grow, &[17, 21, 25]),
        ] {
            let mut mda = Shown::new(|cfg| cfg.mda_busy = busy);
            mda.acknowledges(14, 4, 0.0);
            assert_eq!(mda.acknowledges(12, 4, 0.2), expected, "{busy:?}");
        }
        let first = |busy| Shown::new(|cfg| cfg.mda_busy = busy).acknowledges(12, 4, 0.5);
        assert_eq!(first(MdaBusy::Hold), (1..=12).collect::<Vec<_>>());
        assert_eq!(first(MdaBusy::Reset), (1..=12).collect::<Vec<_>>());
        assert_eq!(first(MdaBusy::Grow), [1, 2, 3, 4, 6, 9]);
    }

    #[test]
    fn a_threshold_per_hop_allows_for_the_length_of_the_path() {
        for (per_hop, hops, is_busy) in [(false, 4, true), (true, 4, false), (true, 1, true), (true, 2, false)] {
            let mut mda = Shown::new(|cfg| cfg.mda_per_hop = per_hop);
            mda.acknowledges(1, hops, 0.3);
            assert_eq!(mda.0.is_busy, is_busy, "{hops} hops");
        }
    }

    #[test]
    fn the_wait_is_that_of_daa() {
        let mut mda = Shown::new(|_| ());
        assert_eq!(mda.0.hold(), Span::from_millis(500), "no gap is known");
        mda.acknowledges(5, 4, 0.0);
        assert_eq!(mda.0.hold(), Span::from_millis(22));
        mda.0.shrink();
        assert_eq!(mda.0.window, LOW);
    }
}
