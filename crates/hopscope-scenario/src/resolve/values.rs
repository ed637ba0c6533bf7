//! Values in engine form, over those that they replace.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

/// Keys with their values in engine form.
pub type Values = Map<String, Json>;

/// Given values over defaults that many points share.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layered {
    below: Arc<Values>,
    own: Values,
}

impl Layered {
    /// These over those.
    pub(super) fn new(below: Arc<Values>, own: Values) -> Layered {
        Layered { below, own }
    }

    /// The value of a key.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.own.get(name).or_else(|| self.below.get(name))
    }

    /// The value of a key, null where it has none.
    pub(super) fn value(&self, name: &str) -> Json {
        self.get(name).cloned().unwrap_or_default()
    }

    /// The text of a key.
    pub(super) fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Json::as_str).unwrap_or_default()
    }

    /// The number of a key.
    pub(super) fn number(&self, name: &str) -> f64 {
        self.get(name).and_then(Json::as_f64).unwrap_or_default()
    }

    /// The whole number of a key.
    pub fn whole(&self, name: &str) -> u64 {
        self.get(name).and_then(Json::as_u64).unwrap_or_default()
    }

    /// What was given.
    pub(super) fn own(&self) -> &Values {
        &self.own
    }

    /// Whether a key was given.
    pub(super) fn has_own(&self, name: &str) -> bool {
        self.own.contains_key(name)
    }

    /// Gives a key a value.
    pub(super) fn set(&mut self, name: &str, value: impl Into<Json>) {
        self.own.insert(name.to_string(), value.into());
    }

    /// Takes what was given for a key, which then has its default again.
    pub(super) fn take(&mut self, name: &str) -> Option<Json> {
        self.own.remove(name)
    }

    /// All of them.
    pub fn merged(&self) -> Values {
        let mut all = (*self.below).clone();
        all.extend(self.own.clone());
        all
    }

    /// All of them, to be shared.
    pub(super) fn shared(&self) -> Arc<Values> {
        // Thousands of flows over one [tcp] share one table.
        if self.own.is_empty() { Arc::clone(&self.below) } else { Arc::new(self.merged()) }
    }
}
