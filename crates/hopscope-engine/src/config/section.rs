//! Checks that several sections of parameters share.

use crate::error::BuildError;
use crate::units::Span;

/// Longest time of a parameter: a sum of an instant and a few of them cannot overflow.
pub(crate) const LONGEST: Span = Span::from_secs(1_000_000);

/// For messages: exact where the number of seconds is.
pub(crate) fn seconds(span: Span) -> f64 {
    span.0 as f64 / 1e9
}

/// A section whose keys are checked, by the dotted name that stands before them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section<'a>(pub &'a str);

impl Section<'_> {
    /// The error at a key: what was found and what is allowed.
    pub fn refuse(self, key: &str, message: impl Into<String>) -> Result<(), BuildError> {
        Err(BuildError::new(format!("{}.{key}", self.0), message))
    }

    /// No time is zero.
    pub fn no_zero_time(self, times: &[(&str, Span)]) -> Result<(), BuildError> {
        match times.iter().find(|(_, time)| *time == Span::ZERO) {
            Some((key, _)) => self.refuse(key, "is 0 s; it must be more"),
            None => Ok(()),
        }
    }

    /// No count is zero.
    pub fn no_zero_count(self, counts: &[(&str, u32)]) -> Result<(), BuildError> {
        match counts.iter().find(|(_, count)| *count == 0) {
            Some((key, _)) => self.refuse(key, "is 0; it must be at least 1"),
            None => Ok(()),
        }
    }

    /// No time exceeds [`LONGEST`].
    pub fn no_endless_time(self, times: &[(&str, Span)]) -> Result<(), BuildError> {
        match times.iter().find(|(_, time)| *time > LONGEST) {
            Some((key, time)) => {
                let message = format!("is {} s; at most {} s are possible", seconds(*time), seconds(LONGEST));
                self.refuse(key, message)
            }
            None => Ok(()),
        }
    }

    /// Hop counts are at least 1 and at most this.
    pub fn hops_up_to(self, most: u32, hops: &[(&str, u32)]) -> Result<(), BuildError> {
        match hops.iter().find(|(_, hops)| !(1..=most).contains(hops)) {
            Some((key, hops)) => self.refuse(key, format!("is {hops} hops; 1 to {most} are possible")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{AodvConfig, DsdvConfig, DsrConfig, OlsrConfig};
    use crate::error::BuildError;

    fn are_valid<C>(
        sets: &[(&str, &str)],
        set: impl Fn(&str) -> Option<C>,
        check: impl Fn(&C) -> Result<(), BuildError>,
        unknown: &str,
    ) {
        for (name, _) in sets {
            assert_eq!(check(&set(name).expect("a listed set exists")), Ok(()), "{name}");
        }
        assert!(set(unknown).is_none(), "{unknown}");
    }

    #[test]
    fn every_named_set_is_valid_and_no_other_name_is_known() {
        are_valid(AodvConfig::SETS, AodvConfig::set, AodvConfig::check, "aodv");
        are_valid(DsdvConfig::SETS, DsdvConfig::set, DsdvConfig::check, "perkins");
        are_valid(DsrConfig::SETS, DsrConfig::set, DsrConfig::check, "dsr");
        are_valid(OlsrConfig::SETS, OlsrConfig::set, OlsrConfig::check, "olsr");
    }
}
