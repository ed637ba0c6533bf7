//! The records of a run written out while it runs: as text to be read, as lines of JSON, as the lines that ns-2 traces
//! have, or as names with values.
//!
//! A trace is a recorder like any other. It puts its lines into a small buffer and hands that to a [`Sink`] whenever it
//! is full, so that a run of any length takes the same memory. A sink that takes no more ends the trace, and the run
//! goes on.

mod fields;
mod line;
mod ns2;
mod numbers;
mod values;

pub use line::{FieldValues, Value};
pub use ns2::{Ns2Trace, Style};
pub use values::{RecordValues, ValueSink};

use crate::record::{Classes, NetworkView, Record, Recorder};
use fields::Fields;
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::Time;
use line::Line;
use numbers::Numbers;

/// Where the lines of a trace go.
pub trait Sink {
    /// Takes some whole lines; false: it wants no more.
    fn take(&mut self, lines: &str) -> bool;
}

/// A sink in memory, for small runs.
impl Sink for String {
    fn take(&mut self, lines: &str) -> bool {
        self.push_str(lines);
        true
    }
}

/// Bytes after which the buffer of a trace goes to its sink.
const CHUNK: usize = 64 * 1024;

/// What a trace lets through: a record has to pass every part.
#[derive(Debug, Clone)]
pub struct Filter {
    /// Nodes at which it happens, or that a frame goes to; none: all, and what happens at no node.
    pub nodes: Option<Vec<NodeId>>,
    /// Flows; none: all, and what belongs to no flow.
    pub flows: Option<Vec<FlowId>>,
    /// Names of records; none: all.
    pub names: Option<Vec<&'static str>>,
    /// First instant.
    pub from: Time,
    /// Last instant.
    pub until: Time,
}

impl Default for Filter {
    fn default() -> Self {
        Filter { nodes: None, flows: None, names: None, from: Time::ZERO, until: Time::NEVER }
    }
}

impl Filter {
    /// True when nothing of this instant can pass.
    fn is_outside(&self, now: Time) -> bool {
        now < self.from || now > self.until
    }

    /// Whether a record passes.
    fn passes(&self, record: &Record, view: &impl NetworkView) -> bool {
        // The cheapest part first: the others look a packet up.
        if self.names.as_ref().is_some_and(|names| !names.contains(&record.name())) {
            return false;
        }
        if self.nodes.is_none() && self.flows.is_none() {
            return true;
        }
        let about = record.about().seen(view);
        let has_flow = self.flows.as_ref().is_none_or(|flows| about.flow.is_some_and(|flow| flows.contains(&flow)));
        let has_node = || {
            self.nodes.as_ref().is_none_or(|nodes| {
                let is_there = |node: NodeId| nodes.contains(&node);
                about.node.is_some_and(is_there) || addressee(record).is_some_and(is_there)
            })
        };
        has_flow && has_node()
    }
}

/// Who a frame goes to.
fn addressee(record: &Record) -> Option<NodeId> {
    match record {
        Record::FrameBegan { frame, .. } | Record::FrameUnsent { frame } => Some(frame.dst),
        // Where a frame ends, the record is about its hearer anyway.
        _ => None,
    }
}

/// Lines on their way to a sink.
#[derive(Debug)]
struct Output<S> {
    buffer: String,
    sink: S,
    is_open: bool,
}

impl<S: Sink> Output<S> {
    fn new(sink: S) -> Self {
        // Twice the chunk: the line that fills it may go beyond.
        Output { buffer: String::with_capacity(2 * CHUNK), sink, is_open: true }
    }

    /// A line is complete.
    fn settle(&mut self) {
        // Behind a line and never within one: sinks get whole lines.
        if self.buffer.len() >= CHUNK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.is_open = self.is_open && self.sink.take(&self.buffer);
        self.buffer.clear();
    }
}

/// How the records of a trace are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A line of text each: instant in seconds, name, fields.
    Text,
    /// A JSON object in a line each.
    Json,
}

/// Which records are shown, and the numbers of their packets.
#[derive(Debug, Default)]
struct Selection {
    filter: Filter,
    numbers: Numbers,
}

impl Selection {
    fn new(filter: Filter) -> Self {
        Selection { filter, numbers: Numbers::default() }
    }

    /// Whether a record is shown; has to see every one.
    fn takes(&mut self, now: Time, record: &Record, view: &impl NetworkView) -> bool {
        // Before the filter: a packet has one number, whatever a trace shows of it.
        self.numbers.note(record);
        !self.filter.is_outside(now) && self.filter.passes(record, view)
    }
}

/// Writes every record that passes a filter.
#[derive(Debug)]
pub struct RecordTrace<S> {
    form: Form,
    selection: Selection,
    written: u64,
    out: Output<S>,
}

impl<S: Sink> RecordTrace<S> {
    /// A trace into `sink`.
    pub fn new(form: Form, filter: Filter, sink: S) -> Self {
        RecordTrace { form, selection: Selection::new(filter), written: 0, out: Output::new(sink) }
    }

    /// Another filter from now on.
    pub fn set_filter(&mut self, filter: Filter) {
        self.selection.filter = filter;
    }

    /// How many records it has written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Where its lines go, for a sink that gives them away; what is in the buffer goes there first.
    pub fn flushed(&mut self) -> &mut S {
        self.out.flush();
        &mut self.out.sink
    }

    /// Where its lines have gone.
    pub fn sink(&self) -> &S {
        &self.out.sink
    }
}

/// What a caller asks of any trace.
pub trait Trace {
    /// Hands over what is still in the buffer.
    fn flush(&mut self);
}

impl<S: Sink> Trace for RecordTrace<S> {
    fn flush(&mut self) {
        self.out.flush();
    }
}

impl<S: Sink> Recorder for RecordTrace<S> {
    // Filters are chosen at run time, classes when the engine is compiled.
    const WANTS: Classes = Classes::ALL;

    fn record(&mut self, now: Time, record: &Record, view: &mut impl NetworkView) {
        if !self.selection.takes(now, record, view) || !self.out.is_open {
            return;
        }
        let mut line = Line::begin(&mut self.out.buffer, self.form, now, record.name());
        fields::write(record, &mut Fields { line: &mut line, numbers: &self.selection.numbers, view });
        line.end();
        self.written += 1;
        self.out.settle();
    }
}
