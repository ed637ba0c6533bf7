//! One line of a trace: as text, as JSON, or as names with values.

use std::fmt::{Arguments, Display, Write};

use super::Form;
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::{Span, Time};

/// What a field of a record is worth; instants and intervals are whole nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Everybody, or a number without an end.
    None,
    /// Something that holds or not.
    Flag(bool),
    /// A whole number.
    Number(u64),
    /// A real number.
    Real(f64),
    /// A word.
    Word(&'static str),
    /// Ranges of whole numbers, as pairs.
    Ranges(Vec<(u64, u64)>),
}

/// The fields of a record by name, in their order.
pub type FieldValues = Vec<(&'static str, Value)>;

/// A line that is being written. Fields come in a fixed order; one that does not apply is left out.
pub(super) struct Line<'a>(Target<'a>);

enum Target<'a> {
    Text(&'a mut String),
    Json(&'a mut String),
    Values(&'a mut FieldValues),
}

/// What stands in a line as a number.
pub(super) trait Number: Display + Copy {
    fn value(self) -> Value;
}

macro_rules! numbers {
    ($($type:ty => $value:expr;)+) => {$(
        impl Number for $type {
            fn value(self) -> Value {
                ($value)(self)
            }
        }
    )+};
}

numbers! {
    u8 => |number| Value::Number(u64::from(number));
    u16 => |number| Value::Number(u64::from(number));
    u32 => |number| Value::Number(u64::from(number));
    u64 => Value::Number;
    bool => Value::Flag;
    NodeId => |node: NodeId| Value::Number(u64::from(node.0));
    FlowId => |flow: FlowId| Value::Number(u64::from(flow.0));
}

const SECOND: u64 = 1_000_000_000;

impl<'a> Line<'a> {
    /// Begins a line of text with instant and name of a record.
    pub(super) fn begin(text: &'a mut String, form: Form, now: Time, name: &str) -> Self {
        let (target, head) = match form {
            Form::Text => (Target::Text as fn(_) -> _, format_args!("{}.{:09} {name}", now.0 / SECOND, now.0 % SECOND)),
            // Readers that have doubles for numbers (RFC 8259 6) read these nanoseconds exactly for 104 days.
            Form::Json => (Target::Json as fn(_) -> _, format_args!("{{\"time\":{},\"record\":\"{name}\"", now.0)),
        };
        push(text, head);
        Line(target(text))
    }

    /// Begins the values of a record.
    pub(super) fn values(entries: &'a mut FieldValues) -> Self {
        Line(Target::Values(entries))
    }

    pub(super) fn end(self) {
        match self.0 {
            Target::Text(text) => push(text, format_args!("\n")),
            Target::Json(text) => push(text, format_args!("}}\n")),
            Target::Values(_) => {}
        }
    }

    /// A whole number.
    pub(super) fn number(&mut self, name: &'static str, value: impl Number) -> &mut Self {
        self.entry(name, format_args!("{value}"), format_args!("{value}"), || value.value())
    }

    /// A real number. JSON has none that are infinite: they are null there.
    pub(super) fn real(&mut self, name: &'static str, value: f64) -> &mut Self {
        if value.is_finite() {
            self.entry(name, format_args!("{value}"), format_args!("{value}"), || Value::Real(value))
        } else {
            self.entry(name, format_args!("{value}"), format_args!("null"), || Value::None)
        }
    }

    /// A word without anything that would have to be escaped.
    pub(super) fn word(&mut self, name: &'static str, word: &'static str) -> &mut Self {
        self.entry(name, format_args!("{word}"), format_args!("\"{word}\""), || Value::Word(word))
    }

    /// Something that holds or not; text shows it where it holds.
    pub(super) fn flag(&mut self, name: &'static str, holds: bool) -> &mut Self {
        match &mut self.0 {
            Target::Text(text) if holds => push(text, format_args!(" {name}")),
            Target::Text(_) => {}
            Target::Json(_) | Target::Values(_) => _ = self.number(name, holds),
        }
        self
    }

    /// A node; everybody is `all`, and null in JSON.
    pub(super) fn node(&mut self, name: &'static str, node: NodeId) -> &mut Self {
        if node == NodeId::BROADCAST {
            self.entry(name, format_args!("all"), format_args!("null"), || Value::None)
        } else {
            self.number(name, node)
        }
    }

    /// An instant: text has seconds, the others nanoseconds. Never is left out.
    pub(super) fn time(&mut self, name: &'static str, time: Time) -> &mut Self {
        if time == Time::NEVER {
            return self;
        }
        let seconds = format_args!("{}.{:09}", time.0 / SECOND, time.0 % SECOND);
        self.entry(name, seconds, format_args!("{}", time.0), || Value::Number(time.0))
    }

    /// An interval: text has microseconds, the others nanoseconds.
    pub(super) fn span(&mut self, name: &'static str, span: Span) -> &mut Self {
        let microseconds = format_args!("{}us", span.0 as f64 / 1e3);
        self.entry(name, microseconds, format_args!("{}", span.0), || Value::Number(span.0))
    }

    /// Ranges of numbers, as pairs.
    pub(super) fn ranges(&mut self, name: &'static str, ranges: impl Iterator<Item = (u64, u64)>) -> &mut Self {
        let ranges: Vec<_> = ranges.collect();
        let joined = |pairs: Vec<String>| pairs.join(",");
        let text = joined(ranges.iter().map(|(start, end)| format!("{start}-{end}")).collect());
        let json = joined(ranges.iter().map(|(start, end)| format!("[{start},{end}]")).collect());
        self.entry(name, format_args!("{text}"), format_args!("[{json}]"), || Value::Ranges(ranges))
    }

    /// A field in the form of this line.
    #[inline]
    fn entry(
        &mut self,
        name: &'static str,
        text: Arguments<'_>,
        json: Arguments<'_>,
        value: impl FnOnce() -> Value,
    ) -> &mut Self {
        match &mut self.0 {
            Target::Text(line) => push(line, format_args!(" {name}={text}")),
            Target::Json(line) => push(line, format_args!(",\"{name}\":{json}")),
            Target::Values(entries) => entries.push((name, value())),
        }
        self
    }
}

fn push(line: &mut String, text: Arguments<'_>) {
    line.write_fmt(text).expect("text takes what is written");
}
