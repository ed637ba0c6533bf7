//! Checks that several sections of parameters share.

use crate::error::{BuildError, BuildErrors};
use crate::units::Span;

/// Longest time of a parameter: a sum of an instant and a few of them cannot overflow.
pub const LONGEST: Span = Span::from_secs(1_000_000);

/// For messages: exact where the number of seconds is.
pub fn seconds(span: Span) -> f64 {
    // A quotient is rounded once; `as_secs` multiplies with 1e-9, which is no exact number itself.
    span.0 as f64 / 1e9
}

/// The checks of one section: all its mistakes, each key at most once.
#[derive(Debug)]
pub struct Checks<'a> {
    section: &'a str,
    found: BuildErrors,
}

impl<'a> Checks<'a> {
    /// Of the section with this dotted name.
    pub fn of(section: &'a str) -> Self {
        Checks { section, found: BuildErrors::default() }
    }

    /// What was found to be wrong.
    pub fn into_errors(self) -> Vec<BuildError> {
        self.found.0
    }

    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.section)
    }

    /// A value is allowed.
    pub fn require(&mut self, holds: bool, name: &str, message: impl FnOnce() -> String) {
        self.found.require(holds, self.key(name), message);
    }

    /// A value goes with those of other keys; not looked at where one of those is wrong by itself.
    pub fn agree(&mut self, holds: bool, name: &str, others: &[&str], message: impl FnOnce() -> String) {
        if !others.iter().any(|other| self.found.has(&self.key(other))) {
            self.require(holds, name, message);
        }
    }

    /// No time is zero.
    pub fn no_zero_time(&mut self, times: &[(&str, Span)]) {
        for (name, time) in times {
            self.require(*time > Span::ZERO, name, || "is 0 s; it must be more".to_string());
        }
    }

    /// No count is zero.
    pub fn no_zero_count(&mut self, counts: &[(&str, u32)]) {
        for (name, count) in counts {
            self.require(*count > 0, name, || "is 0; it must be at least 1".to_string());
        }
    }

    /// No time exceeds [`LONGEST`].
    pub fn no_endless_time(&mut self, times: &[(&str, Span)]) {
        for (name, time) in times {
            self.require(*time <= LONGEST, name, || {
                format!("is {} s; at most {} s are possible", seconds(*time), seconds(LONGEST))
            });
        }
    }

    /// Hop counts are at least 1 and at most this.
    pub fn hops_up_to(&mut self, most: u32, hops: &[(&str, u32)]) {
        for (name, hops) in hops {
            self.require((1..=most).contains(hops), name, || format!("is {hops} hops; 1 to {most} are possible"));
        }
    }
}
