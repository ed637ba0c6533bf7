//! Numbers that follow another one slowly, so that a node does not change its routes for a passing change (RFC 8966 A.3).
//!
//! The average of a sum is the sum of averages: a link's cost is smoothed once, and not with each route over it.

use hopscope_core::math;
use hopscope_core::units::{Span, Time};

/// A smoothed number: as of an instant it was away from what it follows by this much.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Smoothed {
    away: f32,
    /// Milliseconds since the start of the run.
    since: u32,
}

impl Smoothed {
    /// It begins this much above what it follows.
    pub(super) fn above(away: f32, now: Time) -> Self {
        Smoothed { away, since: millis(now) }
    }

    /// How much it is away from what it follows.
    pub(super) fn away(self, half_life: Span, now: Time) -> f32 {
        if self.away == 0.0 || half_life == Span::ZERO {
            return 0.0;
        }
        let passed = f64::from(millis(now) - self.since) * 1e6 / half_life.0 as f64;
        (f64::from(self.away) * math::exp(-passed * std::f64::consts::LN_2)) as f32
    }

    /// What it follows changed.
    pub(super) fn follow(&mut self, old: u16, new: u16, half_life: Span, now: Time) {
        let away = self.away(half_life, now) + f32::from(old) - f32::from(new);
        *self = Smoothed::above(away, now);
    }
}

/// An instant in the milliseconds of tables that are large.
pub(super) fn millis(at: Time) -> u32 {
    (at.0 / 1_000_000) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_change_is_there_after_a_half_life() {
        let at = |secs| Time::ZERO + Span::from_secs(secs);
        let half_life = Span::from_secs(4);
        let mut cost = Smoothed::above(0.0, at(0));
        cost.follow(256, 512, half_life, at(10));
        assert_eq!(cost.away(half_life, at(10)), -256.0);
        assert_eq!([14, 18].map(|s| cost.away(half_life, at(s)).round()), [-128.0, -64.0]);
        cost.follow(512, 256, half_life, at(14));
        assert_eq!(cost.away(half_life, at(18)).round(), 64.0, "half of 256 - 128");
        assert_eq!(cost.away(Span::ZERO, at(14)), 0.0, "it is not smoothed");
    }
}
