//! A straight way at constant speed: what every movement is made of.

use hopscope_core::math;
use hopscope_core::units::{Span, Time};

/// A straight way of one node: at rest before it begins and after it has ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leg {
    /// When it begins.
    pub since: Time,
    /// When it ends; a node at rest for good: never.
    pub until: Time,
    /// Where it begins, metres.
    pub from: [f64; 2],
    /// Where it ends, metres.
    pub to: [f64; 2],
    /// Parts of the way in a nanosecond.
    rate: f64,
}

impl Leg {
    /// From one place to another, metres, in the time between two instants; at once where there is none between them.
    pub fn between(since: Time, until: Time, from: [f64; 2], to: [f64; 2]) -> Self {
        let rate = if until > since && from != to { 1.0 / (until.0 - since.0) as f64 } else { 0.0 };
        Leg { since, until, from, to, rate }
    }

    /// From one place to another, metres, at a speed in m/s.
    pub fn at_speed(since: Time, from: [f64; 2], to: [f64; 2], speed: f64) -> Self {
        Leg::between(since, after(since, distance(from, to) / speed), from, to)
    }

    /// At rest for so long.
    pub fn rest(since: Time, span: Span, place: [f64; 2]) -> Self {
        Leg { since, until: Time(since.0.saturating_add(span.0)), from: place, to: place, rate: 0.0 }
    }

    /// At rest for good.
    pub fn rest_for_good(since: Time, place: [f64; 2]) -> Self {
        Leg { since, until: Time::NEVER, from: place, to: place, rate: 0.0 }
    }

    /// Where the node is, metres.
    #[inline]
    pub fn at(&self, now: Time) -> [f64; 2] {
        // A leg that takes no time has no rate, and puts the node at its end at once.
        if now >= self.until || self.rate == 0.0 {
            return self.to;
        }
        let done = now.0.saturating_sub(self.since.0) as f64 * self.rate;
        let along = |axis: usize| self.from[axis] + (self.to[axis] - self.from[axis]) * done;
        [along(0), along(1)]
    }

    /// True when it leads nowhere, or takes no time.
    pub fn rests(&self) -> bool {
        self.rate == 0.0
    }

    /// Parts of the way in a nanosecond.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Speed under way, m/s.
    pub fn speed(&self) -> f64 {
        if self.rate == 0.0 { 0.0 } else { distance(self.from, self.to) * self.rate * 1e9 }
    }
}

/// Distance between two places.
pub(super) fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    math::hypot(a[0] - b[0], a[1] - b[1])
}

/// So many seconds later; what takes longer than any run lasts for good.
pub(super) fn after(time: Time, seconds: f64) -> Time {
    const LONGEST: f64 = 5e9;
    if seconds < LONGEST { time + Span::from_secs_f64(seconds) } else { Time::NEVER }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Time {
        Time::ZERO + Span::from_secs_f64(seconds)
    }

    #[test]
    fn a_node_under_way_is_where_its_speed_has_brought_it() {
        let leg = Leg::at_speed(at(10.0), [0.0, 0.0], [30.0, 40.0], 5.0);
        assert_eq!((leg.until, leg.speed()), (at(20.0), 5.0));
        for (when, place) in [(0.0, [0.0, 0.0]), (10.0, [0.0, 0.0]), (12.5, [7.5, 10.0]), (20.0, [30.0, 40.0])] {
            assert_eq!(leg.at(at(when)), place, "{when} s");
        }
        assert_eq!(leg.at(at(99.0)), [30.0, 40.0]);
    }

    #[test]
    fn a_node_at_rest_stays() {
        let rest = Leg::rest(at(1.0), Span::from_secs(2), [3.0, 4.0]);
        assert_eq!((rest.until, rest.speed(), rest.at(at(2.0))), (at(3.0), 0.0, [3.0, 4.0]));
        assert_eq!(Leg::rest_for_good(at(1.0), [3.0, 4.0]).until, Time::NEVER);
        // Nearly no speed takes longer than any run.
        assert_eq!(Leg::at_speed(at(0.0), [0.0, 0.0], [1.0, 0.0], 1e-12).until, Time::NEVER);
    }
}
