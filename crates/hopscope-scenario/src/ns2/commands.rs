//! Statements that run no others: variables, lists, expressions, files and new objects.

use std::borrow::Cow;

use super::objects::Object;
use super::read::{BYTES_PER_BYTE, Flow, HANDLE, Reader};
use crate::tcl::{self, expr};

/// Files that may be opened by `source`.
const MOST_FILES: usize = 20;

impl Reader<'_> {
    /// A statement whose words have their values.
    pub(super) fn plain(&mut self, words: &[Cow<'_, str>]) -> Result<Flow, String> {
        let head: &str = &words[0];
        if head.starts_with(HANDLE) {
            return self.of_object(words);
        }
        // Ahead of the commands that are known: a script may define its own `finish` or `puts`.
        if let Some(procedure) = self.procedures.get(head).cloned() {
            return self.call(&procedure, &words[1..]);
        }
        let rest: Vec<&str> = words[1..].iter().map(|word| &**word).collect();
        match (head, rest.as_slice()) {
            ("break", []) => return Ok(Flow::Break),
            ("continue", []) => return Ok(Flow::Continue),
            ("return", values) => {
                self.result = values.first().map(ToString::to_string).unwrap_or_default();
                return Ok(Flow::Return);
            }
            ("exit", _) => return Ok(self.ends()),
            ("source", [file]) => return self.opened(file),
            ("open", _) => self.result = self.handle(Object::Output),
            // They write traces or show something; none changes what nodes do.
            ("puts" | "close" | "flush" | "exec" | "global" | "remove-all-packet-headers" | "add-packet-header", _) => {
            }
            // The god of ns-2 knows shortest paths, for statistics alone.
            ("create-god", [_]) => self.result = self.handle(Object::God),
            ("new", [class, arguments @ ..]) => self.result = self.made(class, arguments)?,
            (head, rest) if self.of_variables(head, rest)? || self.of_lists(head, rest)? => {}
            // After all commands: any first word that is followed by `set` is taken for a class.
            (class, ["set", name, value]) => self.of_class(class, name, value)?,
            (class, ["set", name]) => return Err(format!("the value of {name} of {class} is not known here")),
            ("God", ["instance"]) => self.result = self.handle(Object::God),
            ("Simulator", ["instance"]) => self.result = self.handle(Object::Simulator),
            _ => return Err(format!("the statement {head} is not followed")),
        }
        Ok(Flow::Normal)
    }

    /// Statements about variables; false when it is none.
    fn of_variables(&mut self, head: &str, rest: &[&str]) -> Result<bool, String> {
        match (head, rest) {
            ("set", [name]) => self.result = self.variable(name)?,
            ("set", [name, value]) => {
                self.named(value, name);
                self.variables.insert(name.to_string(), value.to_string());
                self.result = value.to_string();
            }
            ("unset", names) => names.iter().for_each(|name| {
                self.variables.remove(*name);
            }),
            ("incr", [name, by @ ..]) => {
                let by = by.first().unwrap_or(&"1");
                let sum = format!("{} + {by}", self.variable(name)?);
                self.result = expr::value(&sum)?.written();
                self.variables.insert(name.to_string(), self.result.clone());
            }
            ("append", [name, values @ ..]) => {
                let value = self.variables.get(*name).cloned().unwrap_or_default() + &values.concat();
                // Appended in a loop, a value doubles: what the script makes is counted, not what it holds.
                self.spend(value.len())?;
                self.variables.insert(name.to_string(), value.clone());
                self.result = value;
            }
            ("array", ["set", name, values]) => {
                let values = tcl::list(values).map_err(|(_, why)| why)?;
                for pair in values.chunks_exact(2) {
                    self.variables.insert(format!("{name}({})", pair[0]), pair[1].clone());
                }
            }
            ("info", ["exists", name]) => self.result = u8::from(self.variables.contains_key(*name)).to_string(),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Expressions, and statements about lists; false when it is none.
    fn of_lists(&mut self, head: &str, rest: &[&str]) -> Result<bool, String> {
        match (head, rest) {
            ("expr", parts) => self.result = self.expression(&parts.join(" "))?.written(),
            ("list", items) => self.result = items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(" "),
            ("lindex", [items, index]) => {
                let items = tcl::list(items).map_err(|(_, why)| why)?;
                let item = index.parse::<usize>().ok().and_then(|index| items.get(index).cloned());
                self.result = item.unwrap_or_default();
            }
            ("llength", [items]) => self.result = tcl::list(items).map_err(|(_, why)| why)?.len().to_string(),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The run ends now, if it has begun.
    pub(super) fn ends(&mut self) -> Flow {
        // Before the run begins, `exit` only leaves the script.
        if let (Some(now), None) = (self.now, self.script.end) {
            self.script.end = Some((self.at, now));
        }
        Flow::Exit
    }

    fn opened(&mut self, file: &str) -> Result<Flow, String> {
        if self.script.files.len() > MOST_FILES {
            return Err(format!("source {file}: a script opens at most {MOST_FILES} files"));
        }
        let (name, text) = (self.open)(file)?;
        self.script.files.push(name);
        // A file brings its own allowance, as the first one has.
        self.bytes += BYTES_PER_BYTE * text.len();
        let number = (self.script.files.len() - 1) as u32;
        let at = self.at;
        // Files that open each other come to an end by their number.
        let flow = self.run(&text, number, 1);
        self.at = at;
        Ok(if flow == Flow::Exit { Flow::Exit } else { Flow::Normal })
    }
}

/// An element of a list.
fn quoted(item: &str) -> Cow<'_, str> {
    if item.is_empty() || item.contains([' ', '\t', '\n', ';', '"']) {
        Cow::Owned(format!("{{{item}}}"))
    } else {
        Cow::Borrowed(item)
    }
}
