//! A trace to be read: a line of text for each record.

use std::fmt::Write;

use super::{Classes, Look, Record, Recorder};
use crate::units::Time;

/// Writes down every record: its instant in seconds, its name and its fields.
#[derive(Debug, Default)]
pub struct TextTrace(String);

impl TextTrace {
    /// The lines so far, in order of time.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.0.lines()
    }
}

impl Recorder for TextTrace {
    const WANTS: Classes = Classes::ALL;

    fn record(&mut self, now: Time, record: &Record, _look: &mut impl Look) {
        const SECOND: u64 = 1_000_000_000;
        writeln!(self.0, "{}.{:09} {record:?}", now.0 / SECOND, now.0 % SECOND).expect("text takes what is written");
    }
}
