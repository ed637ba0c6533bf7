//! Where a key lies: a table that stands once, a flow, a wire, a layer or an interface; its value there, and how it is dropped.

use hopscope_engine::config::schema::{Key, PROTOCOLS};
use serde_json::Value as Json;

use super::Resolved;
use super::schema::Schema;
use super::values::Layered;

/// The table of a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Home {
    /// A section of the engine, or another table that stands once.
    Section(&'static str),
    /// `[radio.error]`.
    Error,
    /// `[routing.PROTOCOL]`.
    Protocol(&'static str),
    Flow(usize),
    /// `tcp`, `dccp` or `atp` of a flow.
    Inner(usize, &'static str),
    Reply(usize),
    Wire(usize),
    Layer(usize),
    Interface(usize),
}

impl Resolved {
    /// The keys of a table.
    pub(super) fn keys<'a>(&self, schema: &'a Schema, home: Home) -> &'a [Key] {
        match home {
            Home::Section("topology") => {
                let kind = self.topology.get("kind").and_then(Json::as_str).unwrap_or_default();
                schema.topologies().iter().find(|(word, _)| *word == kind).map_or(&[], |(_, keys)| keys)
            }
            Home::Section(name) => schema.table(name),
            Home::Error => schema.inner("radio", "error"),
            Home::Protocol(name) => schema.inner("routing", name),
            Home::Flow(_) => schema.table("flow"),
            Home::Inner(_, "tcp") => schema.table("tcp"),
            Home::Inner(_, name) => schema.inner("flow", name),
            Home::Reply(_) => schema.inner("flow", "reply"),
            Home::Wire(_) => schema.table("wire"),
            Home::Layer(_) => schema.table("layer"),
            Home::Interface(_) => schema.table("interface"),
        }
    }

    /// The value of a key; of what follows from several keys of a flow, such as its congestion control, what it is.
    pub(super) fn value_at(&self, home: Home, name: &str) -> Json {
        let of = |table: Option<&Layered>| table.map(|table| table.value(name)).unwrap_or_default();
        match home {
            Home::Section("mobility") => of(Some(&self.mobility.values)),
            Home::Section("series") => of(Some(&self.series)),
            Home::Section("topology") => self.topology.get(name).cloned().unwrap_or_default(),
            Home::Section("radio") if self.traces.given.contains_key(name) => {
                self.traces.given.get(name).cloned().unwrap_or_default()
            }
            Home::Section("mac") if name == "link" => self.link_of(home),
            Home::Section(section) => self.section(section).value(name),
            Home::Error => self.section("radio").value(&format!("error_{name}")),
            Home::Protocol(name) => {
                of(self.routing_constants.as_ref().filter(|_| self.section("routing").text("protocol") == name))
            }
            Home::Flow(number) => self.flows[number].chosen(name),
            Home::Inner(number, "tcp") => of(Some(&self.flows[number].tcp)),
            Home::Inner(number, "dccp") => of(Some(&self.flows[number].dccp)),
            Home::Inner(number, _) => of(Some(&self.flows[number].atp)),
            Home::Reply(number) => of(self.flows[number].reply.as_ref().map(|(reply, _)| reply)),
            Home::Wire(number) => of(self.wires.get(number)),
            Home::Interface(number) => of(self.interfaces.get(number)),
            Home::Layer(number) => {
                self.layers.get(number).and_then(|layer| layer.get(name)).cloned().unwrap_or_default()
            }
        }
    }

    /// The parts of a link layer.
    pub(super) fn link_of(&self, home: Home) -> Json {
        match home {
            Home::Wire(number) => self.wires[number].value("link"),
            Home::Layer(number) => self.layers[number].get("layer").cloned().unwrap_or_default(),
            _ => self.section("link").value("layer"),
        }
    }

    /// Drops the value of a key, which then has its default.
    pub(super) fn drop_value(&mut self, path: &[String]) {
        let mut sections = self.sections.iter_mut();
        let mut section = |name: &str| sections.find(|(known, _)| *known == name).map(|(_, section)| section);
        match &path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["radio", "error", name] => drop(section("radio").and_then(|radio| radio.take(&format!("error_{name}")))),
            ["radio", name] if self.traces.given.contains_key(*name) => drop(self.traces.given.remove(*name)),
            ["routing", _, name] => drop(self.routing_constants.as_mut().and_then(|constants| constants.take(name))),
            ["mobility", name] => drop(self.mobility.values.take(name)),
            ["series", name] => drop(self.series.take(name)),
            ["flow", number, rest @ ..] => {
                let Some(flow) = number.parse().ok().and_then(|number: usize| self.flows.get_mut(number)) else {
                    return;
                };
                match rest {
                    ["tcp", name] => drop(flow.tcp.take(name)),
                    ["dccp", name] => drop(flow.dccp.take(name)),
                    ["atp", name] => drop(flow.atp.take(name)),
                    ["reply"] => flow.reply = None,
                    [name] => drop(flow.values.take(name)),
                    _ => {}
                }
            }
            ["wire", number, name] => {
                let wire = number.parse().ok().and_then(|number: usize| self.wires.get_mut(number));
                drop(wire.and_then(|wire| wire.take(name)));
            }
            ["interface", number, name] => {
                let interface = number.parse().ok().and_then(|number: usize| self.interfaces.get_mut(number));
                drop(interface.and_then(|interface| interface.take(name)));
            }
            ["layer", number, name] => {
                // A layer was filled up from [link] when it was read, and goes back to that.
                let usual = section("link").map(|link| link.value(name)).unwrap_or_default();
                if let Some(layer) = number.parse().ok().and_then(|number: usize| self.layers.get_mut(number)) {
                    layer.insert(name.to_string(), usual);
                }
            }
            [table, name] => {
                let Some(section) = section(table) else { return };
                section.take(name);
                // Flows and layers have taken it over.
                let usual = section.value(name);
                match *table {
                    "tcp" => self.flows.iter_mut().for_each(|flow| flow.tcp.set(name, usual.clone())),
                    "link" => {
                        self.layers.iter_mut().for_each(|layer| drop(layer.insert(name.to_string(), usual.clone())))
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

impl Home {
    /// The table inside a table.
    pub(super) fn inner(self, name: &str) -> Option<Home> {
        match (self, name) {
            (Home::Section("radio"), "error") => Some(Home::Error),
            (Home::Section("routing"), _) => {
                PROTOCOLS.iter().find(|known| known.word == name).map(|known| Home::Protocol(known.word))
            }
            (Home::Flow(number), "reply") => Some(Home::Reply(number)),
            (Home::Flow(number), _) => {
                ["tcp", "dccp", "atp"].into_iter().find(|known| *known == name).map(|name| Home::Inner(number, name))
            }
            _ => None,
        }
    }

    /// The dotted name of what a condition of a key of this table names.
    pub(super) fn full_name(self, name: &str) -> String {
        let flow = match self {
            Home::Flow(number) | Home::Inner(number, _) | Home::Reply(number) => number.to_string(),
            _ => "*".to_string(),
        };
        match (name.split_once('.'), self) {
            (Some(("flow", name)), _) => format!("flow.{flow}.{name}"),
            (Some((table @ ("tcp" | "dccp" | "atp"), name)), home) if home != Home::Section("tcp") => {
                format!("flow.{flow}.{table}.{name}")
            }
            (Some(("mac", "link")), Home::Section("link")) => "link (of [mac], a [[layer]] or a [[wire]])".to_string(),
            (Some(("mac", "link")), Home::Layer(number)) => format!("layer.{number}.link"),
            (Some(_), _) => name.to_string(),
            (None, Home::Section(section)) => format!("{section}.{name}"),
            (None, Home::Error) => format!("radio.error.{name}"),
            (None, Home::Protocol(protocol)) => format!("routing.{protocol}.{name}"),
            (None, Home::Flow(_)) => format!("flow.{flow}.{name}"),
            (None, Home::Inner(_, table)) => format!("flow.{flow}.{table}.{name}"),
            (None, Home::Reply(_)) => format!("flow.{flow}.reply.{name}"),
            (None, Home::Wire(number)) => format!("wire.{number}.{name}"),
            (None, Home::Layer(number)) => format!("layer.{number}.{name}"),
            (None, Home::Interface(number)) => format!("interface.{number}.{name}"),
        }
    }
}
