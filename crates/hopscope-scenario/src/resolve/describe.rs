//! The resolved point as a scenario document, every key with its value in base units.

use hopscope_engine::config::schema::{ENGINE_SECTIONS, Key, Kind};
use serde_json::{Value as Json, json};

use super::Resolved;
use super::flows::{Control, FILE, Flow, LEFT_TO_FILE, SET_BY_FILE};
use super::outside::OwnControl;
use super::schema::{Schema, error_keys};
use super::transport::{ATP, DCCP, TCP};
use super::values::{Layered, Values};
use crate::read::CLASS;

/// Nanoseconds in a second.
const NS: u64 = 1_000_000_000;

/// A part of a document whose keys keep their order.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    /// Keys with their values.
    Table(Vec<(String, Shown)>),
    /// Tables.
    Tables(Vec<Shown>),
    /// A value.
    Plain(Json),
}

/// An engine value in the base unit of its key, as a scenario file would hold it.
pub fn show(key: &Key, value: &Json) -> Json {
    match (key.kind, value) {
        (Kind::Time, Json::Number(number)) => match number.as_u64() {
            Some(nanoseconds) if nanoseconds % NS == 0 => json!(nanoseconds / NS),
            Some(nanoseconds) => json!(nanoseconds as f64 / NS as f64),
            None => value.clone(),
        },
        (Kind::IntOrOff, Json::Null) => json!("off"),
        (Kind::FlagOrOwn, Json::Null) => json!("own"),
        _ => value.clone(),
    }
}

type Entries = Vec<(String, Shown)>;

/// The keys that have a value or none but are there.
fn shown<'v>(keys: &[Key], value: impl Fn(&str) -> Option<&'v Json>) -> Entries {
    let plain = keys.iter().filter(|key| key.kind != Kind::Table);
    plain.filter_map(|key| Some((key.name.clone(), Shown::Plain(show(key, value(&key.name)?))))).collect()
}

/// The keys that have a value.
fn given<'v>(keys: &[Key], value: impl Fn(&str) -> Option<&'v Json>) -> Entries {
    shown(keys, value).into_iter().filter(|(_, value)| *value != Shown::Plain(Json::Null)).collect()
}

impl Resolved {
    /// The point as a document.
    pub fn document(&self, schema: &Schema) -> Shown {
        let mut document = shown(schema.table(""), |name| self.top.get(name));
        let mut put = |name: &str, value: Shown| document.push((name.to_string(), value));
        put("topology", Shown::Table(self.shown_topology(schema)));
        for name in ENGINE_SECTIONS {
            put(name, Shown::Table(self.shown_section(schema, name)));
        }
        let tables = |name: &str, tables: &[Layered]| {
            let keys = schema.table(name);
            Shown::Tables(tables.iter().map(|table| Shown::Table(given(keys, |key| table.get(key)))).collect())
        };
        put("flow", Shown::Tables(self.flows.iter().map(|flow| flow.shown(schema)).collect()));
        put("wire", tables("wire", &self.wires));
        put("event", tables("event", &self.events));
        put("outage", tables("outage", &self.outages));
        let layer = |layer: &Values| {
            let name_of = |name: &str| layer.get(if name == "link" { "layer" } else { name });
            Shown::Table(shown(schema.table("layer"), name_of))
        };
        put("layer", Shown::Tables(self.layers.iter().map(layer).collect()));
        let model = self.mobility.values.text("model");
        let used: Vec<Key> = super::mobility::used(schema.table("mobility"), model).into_iter().cloned().collect();
        put("mobility", Shown::Table(given(&used, |name| self.mobility.values.get(name))));
        put("series", Shown::Table(shown(schema.table("series"), |name| self.series.get(name))));
        Shown::Table(document)
    }

    fn shown_topology(&self, schema: &Schema) -> Entries {
        let kind = self.topology.get("kind").cloned().unwrap_or_default();
        let keys = schema.topologies().iter().find(|(word, _)| kind == *word).map_or(&[][..], |(_, keys)| keys);
        let mut table = vec![("kind".to_string(), Shown::Plain(kind))];
        table.extend(given(keys, |name| self.topology.get(name)));
        table
    }

    fn shown_section(&self, schema: &Schema, name: &str) -> Entries {
        let section = self.section(name);
        let plain = |text: &str| Shown::Plain(json!(text));
        let mut table = shown(schema.table(name), |key| section.get(key));
        match name {
            "radio" => {
                table.insert(0, ("preset".to_string(), plain(&self.preset)));
                let keys = schema.inner("radio", "error");
                let value = |key: &str| section.get(&format!("error_{key}"));
                let kind = value("kind").and_then(Json::as_str).unwrap_or_default();
                let used: Vec<Key> = error_keys(keys, kind).into_iter().cloned().collect();
                table.push(("error".to_string(), Shown::Table(shown(&used, value))));
                let traces = schema.table(name);
                table.extend(given(traces, |key| self.traces.given.get(key)));
            }
            "mac" => table.push(("link".to_string(), plain(self.section("link").text("layer")))),
            "routing" => {
                if let Some(constants) = &self.routing_constants {
                    let protocol = section.text("protocol");
                    let keys = schema.inner("routing", protocol);
                    table.push(("parameters".to_string(), plain(&self.routing_set)));
                    table.push((protocol.to_string(), Shown::Table(shown(keys, |key| constants.get(key)))));
                }
            }
            _ => {}
        }
        table
    }

    /// Whether shadowing moves what a node reaches.
    pub(super) fn is_shadowed(&self) -> bool {
        self.section("radio").text("shadowing") != "none"
    }

    /// What makes another network of each seed: "field" where it is drawn, else "shadowing"; empty: nothing.
    pub fn by_seed(&self) -> &'static str {
        if self.draws_field() {
            "field"
        } else if self.is_shadowed() {
            "shadowing"
        } else {
            ""
        }
    }
}

impl Flow {
    fn shown(&self, schema: &Schema) -> Shown {
        let values = &self.values;
        let transport = values.text("transport");
        let (app, of_apps) = (schema.application(values.text("app")), schema.application_keys());
        let unused = schema.not_of(transport);
        let parameters = |own: &[(String, Json)]| -> Entries {
            own.iter().map(|(name, value)| (name.clone(), Shown::Plain(value.clone()))).collect()
        };
        let class = |own: &OwnControl| {
            let named = (CLASS.to_string(), Shown::Plain(json!(own.named)));
            Shown::Table(std::iter::once(named).chain(parameters(&own.parameters)).collect())
        };
        let control = || match &self.control {
            Control::None => None,
            Control::Word(word) => Some(Shown::Plain(json!(word))),
            Control::Own(own) if transport == TCP => Some(class(own)),
            Control::Own(own) => Some(Shown::Table(parameters(&own.parameters))),
        };
        let mut table = Entries::new();
        for key in schema.table("flow").iter().filter(|key| key.kind != Kind::Table) {
            let name = key.name.as_str();
            let is_used = !of_apps.contains(name) || app.keys.contains(&name);
            let is_left = SET_BY_FILE.contains(&name) || LEFT_TO_FILE.contains(&name) && !values.has_own(name);
            let belongs = match values.text("pattern") {
                "random" => true,
                FILE => !is_left || name == "copies",
                _ => name != "pattern_seed",
            };
            let value = match name {
                "control" => control(),
                "ack" if self.ack.is_some() => self.ack.as_ref().map(class),
                _ => values.get(name).filter(|value| !value.is_null()).map(|value| Shown::Plain(show(key, value))),
            };
            table.extend(value.filter(|_| is_used && belongs).map(|value| (name.to_string(), value)));
        }
        if let Some((reply, _)) = &self.reply {
            let used = schema.application(reply.text("app")).keys;
            let keys: Vec<Key> = schema.inner("flow", "reply").to_vec();
            let keys: Vec<Key> =
                keys.into_iter().filter(|key| key.name == "app" || used.contains(&key.name.as_str())).collect();
            table.push(("reply".to_string(), Shown::Table(shown(&keys, |name| reply.get(name)))));
        }
        if transport.starts_with(TCP) {
            table.push(("tcp".to_string(), Shown::Table(shown(schema.table("tcp"), |name| self.tcp.get(name)))));
        }
        if transport.starts_with(DCCP) {
            let keys = schema.inner("flow", "dccp");
            table.push(("dccp".to_string(), Shown::Table(shown(keys, |name| self.dccp.get(name)))));
        }
        if transport == ATP {
            let keys = schema.inner("flow", "atp");
            table.push(("atp".to_string(), Shown::Table(shown(keys, |name| self.atp.get(name)))));
        }
        table.retain(|(name, _)| unused.iter().all(|key| key.name != *name));
        Shown::Table(table)
    }
}
