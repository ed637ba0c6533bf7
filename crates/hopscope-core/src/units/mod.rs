//! Quantities as types: instants and intervals never mix, and everything is an integer.

mod time_code;

pub use time_code::TimeCode;

use std::ops::{Add, AddAssign, Mul, Sub};

use serde::{Deserialize, Serialize};

/// An instant: nanoseconds since the start of the simulation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(pub u64);

/// An interval in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(pub u64);

impl Time {
    /// The start of every run.
    pub const ZERO: Time = Time(0);
    /// Later than any instant a run can reach; used for "never".
    pub const NEVER: Time = Time(u64::MAX);

    /// Seconds since the start, for results only (the engine itself never computes with floats of time).
    pub fn as_secs(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// The interval from `earlier` to `self`; zero when `earlier` is later.
    pub fn saturating_since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// An interval of whole microseconds.
    pub const fn from_micros(us: u64) -> Self {
        Span(us * 1_000)
    }

    /// An interval of whole milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Span(ms * 1_000_000)
    }

    /// An interval of whole seconds.
    pub const fn from_secs(s: u64) -> Self {
        Span(s * 1_000_000_000)
    }

    /// The interval nearest to `s` seconds; negative values give zero.
    pub fn from_secs_f64(s: f64) -> Self {
        // `max` turns NaN into zero as well.
        Span((s.max(0.0) * 1e9).round() as u64)
    }

    /// Seconds, for results only.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// `self - other`, or zero.
    pub fn saturating_sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, span: Span) -> Time {
        Time(self.0 + span.0)
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Time> for Time {
    type Output = Span;
    fn sub(self, earlier: Time) -> Span {
        debug_assert!(self >= earlier, "time runs forward: {self:?} is before {earlier:?}");
        Span(self.0 - earlier.0)
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}

impl Sub for Span {
    type Output = Span;
    fn sub(self, other: Span) -> Span {
        debug_assert!(self >= other, "an interval cannot be negative");
        Span(self.0 - other.0)
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    fn mul(self, n: u64) -> Span {
        Span(self.0 * n)
    }
}
