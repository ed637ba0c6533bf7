//! How many frames to each neighbour fail, for routing that chooses links by that.
//!
//! A station keeps it only where it is asked for. Linux counts packets: one that was given up is a failure, one that came
//! is none, however often it was repeated. ns-3 counts attempts, and forgets with time.

use hopscope_core::ids::NodeId;
use hopscope_core::math;
use hopscope_core::units::{Span, Time};

/// What counts as a failure, and how old ones are forgotten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FailureRule {
    /// Packets: 1 for one that was given up, 0 for one that came; the average keeps this weight of what it was.
    Packets(f64),
    /// Attempts of a packet: the share of those that failed; what is so old weighs `1/e`.
    Attempts(Span),
}

/// The failures of a station's frames.
#[derive(Debug)]
pub struct Failures {
    rule: FailureRule,
    /// By number.
    neighbours: Vec<(NodeId, Failure)>,
}

/// What is known of frames to one neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Failure {
    /// Average share of failures, 0 to 1.
    pub average: f64,
    /// Packets given up since the last one that came.
    pub in_row: u32,
    /// Attempts of the packet in hand that failed.
    failed: u32,
    updated: Time,
}

impl Failures {
    /// Nothing is known yet.
    pub fn new(rule: FailureRule) -> Self {
        Failures { rule, neighbours: Vec::new() }
    }

    /// What is known of frames to a neighbour; nothing of one to which none was sent.
    pub fn of(&self, neighbour: NodeId) -> Failure {
        let found = self.neighbours.binary_search_by_key(&neighbour, |(node, _)| *node);
        found.map_or_else(|_| Failure::default(), |place| self.neighbours[place].1)
    }

    /// Attempts brought no answer.
    pub fn on_unanswered(&mut self, to: NodeId, attempts: u32) {
        self.slot(to).failed += attempts;
    }

    /// A packet has come to its receiver.
    pub fn on_acknowledged(&mut self, to: NodeId, now: Time) {
        let rule = self.rule;
        let one = self.slot(to);
        let failed = f64::from(std::mem::take(&mut one.failed));
        one.in_row = 0;
        one.add(rule, if matches!(rule, FailureRule::Packets(_)) { 0.0 } else { failed / (1.0 + failed) }, now);
    }

    /// A packet was given up.
    pub fn on_given_up(&mut self, to: NodeId, now: Time) {
        let rule = self.rule;
        let one = self.slot(to);
        one.failed = 0;
        one.in_row += 1;
        one.add(rule, 1.0, now);
    }

    fn slot(&mut self, to: NodeId) -> &mut Failure {
        let found = self.neighbours.binary_search_by_key(&to, |(node, _)| *node);
        let place = found.unwrap_or_else(|place| {
            self.neighbours.insert(place, (to, Failure::default()));
            place
        });
        &mut self.neighbours[place].1
    }
}

impl Failure {
    fn add(&mut self, rule: FailureRule, failed: f64, now: Time) {
        let kept = match rule {
            FailureRule::Packets(weight) => weight,
            FailureRule::Attempts(memory) => {
                math::exp(-now.saturating_since(self.updated).as_secs() / memory.as_secs())
            }
        };
        self.average = kept * self.average + (1.0 - kept) * failed;
        self.updated = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TO: NodeId = NodeId(7);

    #[test]
    fn linux_counts_packets_given_up() {
        let mut failures = Failures::new(FailureRule::Packets(0.8));
        failures.on_unanswered(TO, 3);
        failures.on_acknowledged(TO, Time(1));
        assert_eq!(failures.of(TO).average, 0.0, "repetitions are no failure");
        failures.on_given_up(TO, Time(2));
        failures.on_given_up(TO, Time(3));
        let known = failures.of(TO);
        assert!((known.average - 0.36).abs() < 1e-12, "0.2, then 0.8 of it and 0.2");
        assert_eq!(known.in_row, 2);
        failures.on_acknowledged(TO, Time(4));
        let known = failures.of(TO);
        assert!((known.average - 0.288).abs() < 1e-12 && known.in_row == 0);
        assert_eq!(failures.of(NodeId(8)), Failure::default());
    }

    #[test]
    fn ns3_counts_attempts_and_forgets_with_time() {
        let second = Span::from_secs(1);
        let mut failures = Failures::new(FailureRule::Attempts(second));
        let at = |s: u64| Time::ZERO + Span::from_secs(s);
        failures.on_unanswered(TO, 3);
        failures.on_acknowledged(TO, at(1));
        let (e, first) = (math::exp(-1.0), failures.of(TO).average);
        assert!((first - (1.0 - e) * 0.75).abs() < 1e-12, "three of four attempts failed");
        failures.on_acknowledged(TO, at(2));
        assert!((failures.of(TO).average - e * first).abs() < 1e-12);
        failures.on_given_up(TO, at(3));
        assert!((failures.of(TO).average - (e * e * first + 1.0 - e)).abs() < 1e-12);
    }
}
