//! The resolved point as a scenario document, every key with its value in base units.

use hopscope_engine::config::schema::{ENGINE_SECTIONS, Key, Kind};
use serde_json::{Value as Json, json};

use super::Resolved;
use super::flows::{Control, FILE, LEFT_TO_FILE, SET_BY_FILE};
use super::home::Home;
use super::outside::OwnControl;
use super::schema::Schema;
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
        put("flow", Shown::Tables((0..self.flows.len()).map(|flow| self.shown_flow(schema, flow)).collect()));
        let wire = |(number, wire): (usize, &Layered)| {
            Shown::Table(given(&self.effective(schema, Home::Wire(number)), |key| wire.get(key)))
        };
        put("wire", Shown::Tables(self.wires.iter().enumerate().map(wire).collect()));
        put("event", tables("event", &self.events));
        put("outage", tables("outage", &self.outages));
        let layer = |(number, layer): (usize, &Values)| {
            let name_of = |name: &str| layer.get(if name == "link" { "layer" } else { name });
            Shown::Table(shown(&self.effective(schema, Home::Layer(number)), name_of))
        };
        put("layer", Shown::Tables(self.layers.iter().enumerate().map(layer).collect()));
        if !self.interfaces.is_empty() {
            put("interface", tables("interface", &self.interfaces));
        }
        if !self.programs.is_empty() {
            put("node", tables("node", &self.programs));
        }
        let used = self.effective(schema, Home::Section("mobility"));
        put("mobility", Shown::Table(given(&used, |name| self.mobility.values.get(name))));
        let used = self.effective(schema, Home::Section("series"));
        put("series", Shown::Table(shown(&used, |name| self.series.get(name))));
        Shown::Table(document)
    }

    fn shown_topology(&self, schema: &Schema) -> Entries {
        let kind = self.topology.get("kind").cloned().unwrap_or_default();
        let keys = self.effective(schema, Home::Section("topology"));
        let mut table = vec![("kind".to_string(), Shown::Plain(kind))];
        table.extend(given(&keys, |name| self.topology.get(name)));
        table
    }

    fn shown_section(&self, schema: &Schema, name: &'static str) -> Entries {
        let section = self.section(name);
        let plain = |text: &str| Shown::Plain(json!(text));
        let keys = self.effective(schema, Home::Section(name));
        let has = |name: &str| keys.iter().any(|key| key.name == name);
        let mut table = shown(&keys, |key| section.get(key));
        match name {
            "radio" if has("preset") => {
                table.insert(0, ("preset".to_string(), plain(&self.preset)));
                let value = |key: &str| section.get(&format!("error_{key}"));
                table.push(("error".to_string(), Shown::Table(shown(&self.effective(schema, Home::Error), value))));
                table.extend(given(&keys, |key| self.traces.given.get(key)));
            }
            "mac" if has("link") => table.push(("link".to_string(), plain(self.section("link").text("layer")))),
            "routing" => {
                if let (Some(constants), Some(protocol)) =
                    (&self.routing_constants, schema.section_name(section.text("protocol")))
                {
                    let keys = self.effective(schema, Home::Protocol(protocol));
                    table.push(("parameters".to_string(), plain(&self.routing_set)));
                    table.push((protocol.to_string(), Shown::Table(shown(&keys, |key| constants.get(key)))));
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

    fn shown_flow(&self, schema: &Schema, number: usize) -> Shown {
        let flow = &self.flows[number];
        let values = &flow.values;
        let used = self.effective(schema, Home::Flow(number));
        let parameters = |own: &[(String, Json)]| -> Entries {
            own.iter().map(|(name, value)| (name.clone(), Shown::Plain(value.clone()))).collect()
        };
        let class = |own: &OwnControl| {
            let named = (CLASS.to_string(), Shown::Plain(json!(own.named)));
            Shown::Table(std::iter::once(named).chain(parameters(&own.parameters)).collect())
        };
        let control = || match &flow.control {
            Control::None => None,
            Control::Word(word) => Some(Shown::Plain(json!(word))),
            Control::Own(own) if values.text("transport") == TCP => Some(class(own)),
            // `transport` names the class here; the table has only its parameters.
            Control::Own(own) => Some(Shown::Table(parameters(&own.parameters))),
        };
        let mut table = Entries::new();
        for key in used.iter().filter(|key| key.kind != Kind::Table) {
            let name = key.name.as_str();
            let is_left = SET_BY_FILE.contains(&name) || LEFT_TO_FILE.contains(&name) && !values.has_own(name);
            // The file says it; of its keys only the number of connections is shown.
            if values.text("pattern") == FILE && is_left && name != "copies" {
                continue;
            }
            let value = match name {
                "control" => control(),
                "ack" if flow.ack.is_some() => flow.ack.as_ref().map(class),
                _ => values.get(name).filter(|value| !value.is_null()).map(|value| Shown::Plain(show(key, value))),
            };
            table.extend(value.map(|value| (name.to_string(), value)));
        }
        if let Some((reply, _)) = &flow.reply {
            let keys = self.effective(schema, Home::Reply(number));
            table.push(("reply".to_string(), Shown::Table(shown(&keys, |name| reply.get(name)))));
        }
        for (name, inner) in [("tcp", &flow.tcp), (DCCP, &flow.dccp), (ATP, &flow.atp)] {
            if used.iter().any(|key| key.name == name) {
                let keys = self.effective(schema, Home::Inner(number, name));
                table.push((name.to_string(), Shown::Table(shown(&keys, |key| inner.get(key)))));
            }
        }
        Shown::Table(table)
    }
}
