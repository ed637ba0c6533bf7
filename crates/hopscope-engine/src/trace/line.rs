//! One line of a trace, as text or as JSON.

use std::fmt::{Display, Write};

use super::Form;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};

/// A line that is being written. Fields come in a fixed order; one that does not apply is left out.
pub(super) struct Line<'a> {
    text: &'a mut String,
    form: Form,
}

const SECOND: u64 = 1_000_000_000;

impl<'a> Line<'a> {
    /// Begins a line with instant and name of a record.
    pub(super) fn begin(text: &'a mut String, form: Form, now: Time, name: &str) -> Self {
        let mut line = Line { text, form };
        match form {
            Form::Text => {
                line.push(format_args!("{}.{:09} {name}", now.0 / SECOND, now.0 % SECOND));
            }
            // Readers that have doubles for numbers (RFC 8259 6) read these nanoseconds exactly for 104 days.
            Form::Json => line.push(format_args!("{{\"time\":{},\"record\":\"{name}\"", now.0)),
        }
        line
    }

    pub(super) fn end(mut self) {
        self.push(match self.form {
            Form::Text => format_args!("\n"),
            Form::Json => format_args!("}}\n"),
        });
    }

    /// A number, or what is written like one.
    pub(super) fn number(&mut self, name: &str, value: impl Display) -> &mut Self {
        match self.form {
            Form::Text => self.push(format_args!(" {name}={value}")),
            Form::Json => self.push(format_args!(",\"{name}\":{value}")),
        }
        self
    }

    /// A real number. JSON has none that are infinite: they are null there.
    pub(super) fn real(&mut self, name: &str, value: f64) -> &mut Self {
        match self.form {
            Form::Json if !value.is_finite() => self.number(name, "null"),
            _ => self.number(name, value),
        }
    }

    /// A word without anything that would have to be escaped.
    pub(super) fn word(&mut self, name: &str, word: &str) -> &mut Self {
        match self.form {
            Form::Text => self.push(format_args!(" {name}={word}")),
            Form::Json => self.push(format_args!(",\"{name}\":\"{word}\"")),
        }
        self
    }

    /// Something that holds or not; text shows it where it holds.
    pub(super) fn flag(&mut self, name: &str, holds: bool) -> &mut Self {
        match self.form {
            Form::Text if holds => self.push(format_args!(" {name}")),
            Form::Text => {}
            Form::Json => self.push(format_args!(",\"{name}\":{holds}")),
        }
        self
    }

    /// A node; everybody is `all`, and null in JSON.
    pub(super) fn node(&mut self, name: &str, node: NodeId) -> &mut Self {
        match (node, self.form) {
            (NodeId::BROADCAST, Form::Text) => self.number(name, "all"),
            (NodeId::BROADCAST, Form::Json) => self.number(name, "null"),
            (node, _) => self.number(name, node),
        }
    }

    /// An instant: text has seconds, JSON nanoseconds. Never is left out.
    pub(super) fn time(&mut self, name: &str, time: Time) -> &mut Self {
        match self.form {
            _ if time == Time::NEVER => self,
            Form::Text => self.number(name, format_args!("{}.{:09}", time.0 / SECOND, time.0 % SECOND)),
            Form::Json => self.number(name, time.0),
        }
    }

    /// An interval: text has microseconds, JSON nanoseconds.
    pub(super) fn span(&mut self, name: &str, span: Span) -> &mut Self {
        match self.form {
            Form::Text => self.number(name, format_args!("{}us", span.0 as f64 / 1e3)),
            Form::Json => self.number(name, span.0),
        }
    }

    /// Ranges of numbers, as pairs.
    pub(super) fn ranges(&mut self, name: &str, ranges: impl Iterator<Item = (u64, u64)>) -> &mut Self {
        let json = self.form == Form::Json;
        self.number(name, if json { "[" } else { "" });
        for (place, (start, end)) in ranges.enumerate() {
            let comma = if place == 0 { "" } else { "," };
            match json {
                true => self.push(format_args!("{comma}[{start},{end}]")),
                false => self.push(format_args!("{comma}{start}-{end}")),
            }
        }
        if json {
            self.push(format_args!("]"));
        }
        self
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect("text takes what is written");
    }
}
