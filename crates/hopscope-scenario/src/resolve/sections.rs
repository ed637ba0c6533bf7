//! The sections of the engine: what is given over what profile and preset set, channel errors, and the parameters of the
//! routing protocol.

use std::collections::BTreeMap;
use std::sync::Arc;

use hopscope_engine::config::presets::{base, conflict};
use hopscope_engine::config::schema::{ENGINE_SECTIONS, PROTOCOLS, Protocol, parameters};
use serde_json::Value as Json;

use super::Resolved;
use super::outside::Shared;
use super::reader::{Reader, written};
use super::schema::defaults;
use super::values::{Layered, Values};
use crate::read::expected;
use crate::value::Value;
use crate::words::listed;

/// What a profile sets with a preset.
pub struct Base {
    sections: BTreeMap<String, Arc<Values>>,
    /// The parameter set of each routing protocol.
    sets: BTreeMap<&'static str, &'static str>,
}

impl Base {
    fn of(profile: &str, preset: &str) -> Base {
        let json = serde_json::to_value(base(profile, preset)).unwrap_or_default();
        let mut sections: BTreeMap<String, Arc<Values>> = BTreeMap::new();
        if let Json::Object(tables) = json {
            for (name, table) in tables {
                if let Json::Object(values) = table {
                    sections.insert(name, Arc::new(values));
                }
            }
        }
        sections.entry("routing".to_string()).or_insert_with(|| Arc::new(defaults(&parameters("routing"))));
        // A profile gives values, not the name of a set: the set with just these values is the one it means.
        let is_usual = |protocol: &Protocol, name: &str| match (protocol.set)(name) {
            Some(Json::Object(set)) => sections.get(protocol.word).is_some_and(|usual| **usual == set),
            _ => false,
        };
        let usual = |protocol: &Protocol| protocol.sets.iter().find(|(name, _)| is_usual(protocol, name));
        let sets = PROTOCOLS.iter().filter_map(|protocol| usual(protocol).map(|(name, _)| (protocol.word, *name)));
        let sets = sets.collect();
        Base { sections, sets }
    }

    fn section(&self, name: &str) -> Arc<Values> {
        self.sections.get(name).cloned().unwrap_or_default()
    }
}

/// A table that was given inside another.
fn taken(given: &mut Values, name: &str) -> Option<Values> {
    match given.remove(name) {
        Some(Json::Object(values)) => Some(values),
        _ => None,
    }
}

pub(super) fn read(reader: &mut Reader<'_>, document: &Value, shared: &mut Shared, result: &mut Resolved) {
    let nothing = Value::Table(Vec::new());
    let schema = reader.schema;
    let routing = written(document, "routing");
    let protocol = match routing.and_then(|table| written(table, "protocol")) {
        Some(Value::Text(word)) => Some(word.as_str()),
        _ => None,
    };
    // Before the keys are read: a set of another protocol is one without use in this point of a sweep, no mistake.
    let without_set = foreign_set(reader, routing, protocol);
    let mut given: BTreeMap<&str, Values> = BTreeMap::new();
    for &name in ENGINE_SECTIONS {
        let table = written(document, name).unwrap_or(&nothing);
        let (table, keys) = match name {
            "routing" => (without_set.as_ref().unwrap_or(table), schema.routing(protocol)),
            _ => (table, schema.table(name)),
        };
        given.insert(name, reader.table(&[name.to_string()], table, keys));
    }
    let mut section = |name: &str| given.remove(name).unwrap_or_default();
    let [mut radio, mut mac, mut link, net, mut routing, tcp] =
        ["radio", "mac", "link", "net", "routing", "tcp"].map(&mut section);
    let usual = || schema.key("radio", "preset").map(|key| key.default.clone()).unwrap_or_default();
    // What the engine does not know leaves the section: preset, traces, the nested tables.
    result.preset = radio.remove("preset").unwrap_or_else(usual).as_str().unwrap_or_default().to_string();
    if let Some(message) = conflict(result.top.text("profile"), &result.preset) {
        reader.refuse(["radio", "preset"].map(str::to_string).to_vec(), message);
    }
    result.traces = super::traces::taken(&mut radio);
    if let Some(layer) = mac.remove("link") {
        link.insert("layer".to_string(), layer);
    }
    if let Some(errors) = radio.remove("error").and_then(|errors| errors.as_object().cloned()) {
        let errors = channel_errors(reader, errors);
        radio.extend(errors.into_iter().map(|(name, value)| (format!("error_{name}"), value)));
    }
    let name = (result.top.text("profile").to_string(), result.preset.clone());
    let base = shared.bases.entry(name).or_insert_with_key(|(profile, preset)| Arc::new(Base::of(profile, preset)));
    let base = Arc::clone(base);
    protocol_of(reader, document, &mut routing, &base, result);
    let over = |name: &str, own: Values| Layered::new(base.section(name), own);
    result.sections = vec![
        ("radio", over("radio", radio)),
        ("mac", over("mac", mac)),
        ("link", over("link", link)),
        ("net", over("net", net)),
        ("routing", over("routing", routing)),
        ("tcp", over("tcp", tcp)),
    ];
}

/// The channel errors, whose kind must be given.
fn channel_errors(reader: &mut Reader<'_>, given: Values) -> Values {
    let kind = ["radio", "error", "kind"].map(str::to_string).to_vec();
    let keys = reader.schema.inner("radio", "error");
    // [radio.error] as a whole, or its kind.
    let is_refused = [2, 3].iter().any(|&parts| reader.refused.contains(&kind[..parts]));
    if let Some(kinds) = keys.iter().find(|key| key.name == "kind" && !given.contains_key("kind") && !is_refused) {
        reader.refuse(kind, format!("is missing; expected {}", expected(kinds)));
    }
    given
}

fn has_set(protocol: &Protocol, set: &str) -> bool {
    protocol.sets.iter().any(|(name, _)| *name == set)
}

/// The protocols that have a parameter set of this name.
fn owners(set: Option<&Value>) -> Vec<&'static str> {
    match set {
        Some(Value::Text(set)) => {
            PROTOCOLS.iter().filter(|protocol| has_set(protocol, set)).map(|protocol| protocol.word).collect()
        }
        _ => Vec::new(),
    }
}

/// The `[routing]` without a parameter set that is one of another protocol; none where it has none such.
fn foreign_set(reader: &mut Reader<'_>, routing: Option<&Value>, protocol: Option<&str>) -> Option<Value> {
    let (Some(Value::Table(keys)), Some(protocol)) = (routing, protocol) else { return None };
    let chosen = keys.iter().find(|(name, _)| name == "parameters").map(|(_, value)| value)?;
    let known = PROTOCOLS.iter().find(|known| known.word == protocol)?;
    let owners = owners(Some(chosen));
    if owners.is_empty() || owners.contains(&protocol) {
        return None;
    }
    let sets: Vec<&str> = known.sets.iter().map(|(name, _)| *name).collect();
    let message = format!("found {}; allowed: {}; {}", chosen.shown(), listed(&sets), belongs(&owners, protocol));
    reader.without_use(["routing", "parameters"].map(str::to_string).to_vec(), message);
    Some(Value::Table(keys.iter().filter(|(name, _)| name != "parameters").cloned().collect()))
}

fn belongs(owners: &[&str], protocol: &str) -> String {
    let wanted = owners.iter().map(|owner| format!("\"{owner}\"")).collect::<Vec<_>>().join(" or ");
    format!("belongs to protocol = {wanted}; found protocol = \"{protocol}\"")
}

/// Takes the protocol's own parameters out of the `[routing]` that was given; those of others have no use.
fn protocol_of(reader: &mut Reader<'_>, document: &Value, given: &mut Values, base: &Base, result: &mut Resolved) {
    let chosen = given.remove("parameters").and_then(|set| set.as_str().map(str::to_string));
    let mut overrides: BTreeMap<&str, Values> =
        PROTOCOLS.iter().map(|known| (known.word, taken(given, known.word).unwrap_or_default())).collect();
    let usual = base.section("routing");
    let protocol = given.get("protocol").or_else(|| usual.get("protocol")).and_then(Json::as_str).unwrap_or_default();
    let known = PROTOCOLS.iter().find(|known| known.word == protocol);
    if let Some(known) = known {
        let set = chosen.as_deref().unwrap_or_else(|| base.sets.get(known.word).copied().unwrap_or_default());
        let constants = match (known.set)(set) {
            Some(Json::Object(constants)) => Arc::new(constants),
            _ => base.section(known.word),
        };
        result.routing_set = set.to_string();
        result.routing_constants = Some(Layered::new(constants, overrides.remove(known.word).unwrap_or_default()));
    }
    let Some(table @ Value::Table(_)) = written(document, "routing") else { return };
    if written(table, "protocol").is_some() && !given.contains_key("protocol") {
        return; // a wrong protocol is a problem of its own
    }
    let at = |name: &str| vec!["routing".to_string(), name.to_string()];
    if let (Some(set), None) = (written(table, "parameters"), known) {
        let found = owners(Some(set));
        let all: Vec<&str> = PROTOCOLS.iter().map(|known| known.word).collect();
        let message = belongs(if found.is_empty() { &all } else { &found }, protocol);
        reader.without_use(at("parameters"), message);
    }
}
