//! The records of a run as names with values, for callers that would have to read text again.

use super::fields::{self, Fields};
use super::line::{FieldValues, Line, Value};
use super::{Filter, Selection, Trace};
use crate::record::{Classes, NetworkView, Record, Recorder};
use hopscope_core::units::Time;

/// Where records go.
pub trait ValueSink {
    /// Takes some records, each with its instant as `time` and its name as `record` before its fields; false: it wants
    /// no more.
    fn take(&mut self, records: &[FieldValues]) -> bool;
}

/// A sink in memory, for small runs.
impl ValueSink for Vec<FieldValues> {
    fn take(&mut self, records: &[FieldValues]) -> bool {
        self.extend_from_slice(records);
        true
    }
}

/// So many records go to a sink at once.
const BATCH: usize = 1024;

/// Hands over every record that passes a filter.
#[derive(Debug)]
pub struct RecordValues<S> {
    selection: Selection,
    batch: Vec<FieldValues>,
    sink: S,
    is_open: bool,
}

impl<S: ValueSink> RecordValues<S> {
    /// A trace into `sink`.
    pub fn new(filter: Filter, sink: S) -> Self {
        RecordValues { selection: Selection::new(filter), batch: Vec::with_capacity(BATCH), sink, is_open: true }
    }

    /// Where its records have gone.
    pub fn sink(&self) -> &S {
        &self.sink
    }
}

impl<S: ValueSink> Trace for RecordValues<S> {
    fn flush(&mut self) {
        self.is_open = self.is_open && self.sink.take(&self.batch);
        self.batch.clear();
    }
}

impl<S: ValueSink> Recorder for RecordValues<S> {
    // Filters are chosen at run time, classes when the engine is compiled.
    const WANTS: Classes = Classes::ALL;

    fn record(&mut self, now: Time, record: &Record, view: &mut impl NetworkView) {
        if !self.selection.takes(now, record, view) || !self.is_open {
            return;
        }
        let mut entries = vec![("time", Value::Number(now.0)), ("record", Value::Word(record.name()))];
        let mut line = Line::values(&mut entries);
        fields::write(record, &mut Fields { line: &mut line, numbers: &self.selection.numbers, view });
        line.end();
        self.batch.push(entries);
        if self.batch.len() == BATCH {
            self.flush();
        }
    }
}
