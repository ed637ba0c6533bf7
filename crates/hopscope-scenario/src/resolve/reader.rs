//! Reading tables by their keys, and the list of what is wrong in them.

use std::collections::BTreeSet;
use std::sync::Arc;

use hopscope_engine::config::schema::{Key, Kind};
use serde_json::Value as Json;

use super::schema::{Schema, defaults};
use super::values::{Layered, Values};
use crate::agreement::Finding;
use crate::brought::{Meaning, meant};
use crate::read::{expected, read};
use crate::value::Value;
use crate::words::did_you_mean;

/// The parts of a key.
pub type Path = Vec<String>;

/// Reads tables and collects every problem on the way.
pub(super) struct Reader<'a> {
    pub(super) schema: &'a Schema,
    /// What is wrong, in the order in which it was found.
    pub(super) findings: Vec<Finding>,
    /// The keys at fault.
    pub(super) refused: BTreeSet<Path>,
    /// Keys without effect, with what to say unless another point of the sweep uses them.
    pub(super) idle: Vec<(Path, String)>,
}

/// The path of a key inside a table.
pub(super) fn inside(path: &[String], name: &str) -> Path {
    path.iter().cloned().chain([name.to_string()]).collect()
}

/// A value of a written table.
pub(super) fn written<'v>(table: &'v Value, name: &str) -> Option<&'v Value> {
    match table {
        Value::Table(keys) => keys.iter().find(|(known, _)| known == name).map(|(_, value)| value),
        _ => None,
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(schema: &'a Schema) -> Reader<'a> {
        Reader { schema, findings: Vec::new(), refused: BTreeSet::new(), idle: Vec::new() }
    }

    /// Notes a problem.
    pub(super) fn refuse(&mut self, path: Path, message: impl Into<String>) {
        self.refused.insert(path.clone());
        self.findings.push((path, message.into()));
    }

    /// Notes a key that has no effect.
    pub(super) fn without_use(&mut self, path: Path, message: String) {
        match self.idle.iter_mut().find(|(known, _)| *known == path) {
            Some((_, reported)) => *reported = message,
            None => self.idle.push((path, message)),
        }
    }

    /// Whether a key is at fault.
    pub(super) fn is_refused(&self, path: &[String], name: &str) -> bool {
        self.refused.contains(&inside(path, name))
    }

    /// Reads the keys that are given; unknown and ill-typed ones become problems.
    pub(super) fn table(&mut self, path: &[String], table: &Value, keys: &[Key]) -> Values {
        let mut result = Values::new();
        let Value::Table(given) = table else {
            self.refuse(path.to_vec(), format!("found {}; expected a table", table.shown()));
            return result;
        };
        for (name, value) in given {
            let Some(key) = keys.iter().find(|key| key.name == *name) else {
                let names: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
                self.refuse(inside(path, name), self.unknown(path, name, &names));
                continue;
            };
            match read(key, value) {
                Err(message) => self.refuse(inside(path, name), message),
                Ok(_) if key.kind == Kind::Table => {
                    let inner = self.table(&inside(path, name), value, &key.fields);
                    result.insert(name.clone(), Json::Object(inner));
                }
                Ok(found) => {
                    result.insert(name.clone(), found);
                }
            }
        }
        result
    }

    /// Reads a table over its defaults; a missing required key is a problem.
    pub(super) fn complete(&mut self, path: &[String], table: &Value, keys: &[Key], below: Arc<Values>) -> Layered {
        let own = self.table(path, table, keys);
        for key in keys.iter().filter(|key| key.required && written(table, &key.name).is_none()) {
            self.refuse(inside(path, &key.name), format!("is missing; expected {}", expected(key)));
        }
        Layered::new(below, own)
    }

    /// The same over the keys' own defaults.
    pub(super) fn completed(&mut self, path: &[String], table: &Value, keys: &[Key]) -> Layered {
        self.complete(path, table, keys, Arc::new(defaults(keys)))
    }

    /// The message for a key that a table does not have.
    pub(super) fn unknown(&self, path: &[String], name: &str, known: &[&str]) -> String {
        let of_tools = meant(name);
        let table = path.first().map_or("", String::as_str);
        let is_here =
            |meant: &&Meaning| meant.whole().split('.').next() == Some(table) && known.contains(&meant.last());
        // A name of another tool that has a key right here, before the same name elsewhere, before letters in common.
        if let Some(here) = of_tools.iter().find(is_here) {
            return format!("unknown key (did you mean \"{}\"?)", here.last());
        }
        let homes = self.schema.homes(name);
        if !homes.is_empty() {
            return format!("unknown key here; {name} is {}", homes.join(" or "));
        }
        let close = did_you_mean(name, known);
        match of_tools.first().filter(|_| close.is_empty()) {
            Some(other) => return format!("unknown key (did you mean {}?)", other.shown()),
            None if !close.is_empty() => return format!("unknown key{close}"),
            None => {}
        }
        format!("unknown key; allowed: {}", known.join(", "))
    }

    /// The `[[name]]` tables of a document with their places.
    pub(super) fn tables<'v>(&mut self, document: &'v Value, name: &str) -> Vec<(Path, &'v Value)> {
        match written(document, name) {
            None => Vec::new(),
            Some(Value::List(tables)) => {
                let place = |index: usize| vec![name.to_string(), index.to_string()];
                tables.iter().enumerate().map(|(index, table)| (place(index), table)).collect()
            }
            Some(other) => {
                let found = match other {
                    Value::Table(_) => format!("a single [{name}] table"),
                    _ => other.shown(),
                };
                let message = format!("found {found}; expected [[{name}]] tables (two brackets)");
                self.refuse(vec![name.to_string()], message);
                Vec::new()
            }
        }
    }
}
