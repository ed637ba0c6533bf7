//! From the document of one point to typed values in base units with every default filled in, or to the list of
//! everything that is wrong; from there to what the engine runs and to the resolved document that a user reads.

mod describe;
mod effect;
mod engine_keys;
mod flows;
mod foreign;
mod home;
mod lower;
mod mobility;
mod outside;
mod programs;
mod reader;
mod schema;
mod sections;
mod tables;
#[cfg(test)]
mod tests;
mod traces;
mod transport;
mod values;
mod warnings;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use describe::{Shown, show};
pub use flows::{Control, Flow};
pub use lower::{MANY_NODES, Sound};
pub use outside::{Outside, OwnControl, Shared, UserControl};
pub use reader::Path;
pub use schema::Schema;
pub use values::{Layered, Values};
pub use warnings::Warning;

use crate::agreement::{self, Finding, Parts};
use crate::near::Position;
use crate::topology::Placement;
use crate::value::Value;
use reader::Reader;

/// One point of a scenario, complete: engine form (times in nanoseconds), all defaults filled in.
#[derive(Debug, Clone, Default)]
pub struct Resolved {
    /// The top of the file.
    pub top: Layered,
    /// The kind of topology with its keys; empty where it is at fault.
    pub topology: Values,
    /// Where the nodes stand; none where the topology is at fault.
    pub placed: Option<Arc<Placement>>,
    preset: String,
    sections: Vec<(&'static str, Layered)>,
    routing_set: String,
    routing_constants: Option<Layered>,
    /// The `[[flow]]` tables.
    pub flows: Vec<Flow>,
    /// The first of each kind of flows that conditions can distinguish.
    distinct: Vec<usize>,
    wires: Vec<Layered>,
    events: Vec<Layered>,
    /// The `[[outage]]` tables.
    pub outages: Vec<Layered>,
    layers: Vec<Values>,
    interfaces: Vec<Layered>,
    /// The `[[node]]` tables: what runs on real stacks.
    programs: Vec<Layered>,
    mobility: mobility::Mobility,
    traces: traces::Traces,
    series: Layered,
    /// What is wrong, with the key at fault.
    pub findings: Vec<Finding>,
    refused: BTreeSet<Path>,
    /// Keys that have no effect in this point, with what to say unless they have one in another.
    pub idle: Vec<(Path, String)>,
}

/// Reads a document without its sweep.
pub fn resolve(schema: &Schema, document: &Value, outside: &mut dyn Outside, shared: &mut Shared) -> Resolved {
    let mut reader = Reader::new(schema);
    let mut result = Resolved::default();
    let Value::Table(given) = document else { return result };
    let names = schema.top_names();
    let is_top = |name: &str| schema.key("", name).is_some();
    for (name, _) in given.iter().filter(|(name, _)| !names.contains(&name.as_str())) {
        reader.refuse(vec![name.clone()], reader.unknown(&[], name, &names));
    }
    let tops = Value::Table(given.iter().filter(|(name, _)| is_top(name)).cloned().collect());
    result.top = reader.complete(&[], &tops, schema.table(""), schema.defaults(""));
    // Sections first: the topology needs the receive range.
    sections::read(&mut reader, document, shared, &mut result);
    mobility::read(&mut reader, document, &mut result);
    tables::topology(&mut reader, document, outside, shared, &mut result);
    mobility::complete(&mut reader, document, outside, shared, &mut result);
    // Once the nodes are there, whose numbers the file names.
    traces::read(&mut reader, outside, shared, &mut result);
    tables::wires(&mut reader, document, &mut result);
    flows::read(&mut reader, document, outside, shared, &mut result);
    foreign::check(&mut reader, &result);
    tables::fields(&mut reader, &result);
    tables::events(&mut reader, document, &mut result);
    traces::check(&mut reader, &mut result);
    tables::outages(&mut reader, document, &mut result);
    tables::layers(&mut reader, document, &mut result);
    tables::interfaces(&mut reader, document, &mut result);
    programs::read(&mut reader, document, &mut result);
    let nothing = Value::Table(Vec::new());
    let series = reader::written(document, "series").unwrap_or(&nothing);
    result.series = reader.complete(&["series".to_string()], series, schema.table("series"), schema.defaults("series"));
    // Last: a condition may name any key.
    effect::check(&mut reader, document, &mut result);
    result.refused = reader.refused;
    result.idle = reader.idle;
    result.findings = reader.findings;
    let contradictions = agreement::contradictions(&result.parts());
    result.findings.extend(contradictions);
    result
}

impl Resolved {
    /// A section of the engine.
    pub fn section(&self, name: &str) -> &Layered {
        self.sections.iter().find(|(known, _)| *known == name).map_or(&self.top, |(_, section)| section)
    }

    /// The radio preset that it begins with.
    pub fn preset(&self) -> &str {
        &self.preset
    }

    /// Positions of the nodes in metres; none where the topology is at fault.
    pub fn nodes(&self) -> &[Position] {
        self.placed.as_ref().map_or(&[], |placed| &placed.places)
    }

    /// How many of the nodes, the last ones, have no radio.
    pub(super) fn wired(&self) -> usize {
        self.placed.as_ref().map_or(0, |placed| placed.wired)
    }

    /// Receive range in metres.
    pub(super) fn reach(&self) -> f64 {
        self.section("radio").number("tx_range")
    }

    /// The number of a node that is named by its end of the topology.
    pub(super) fn number_of(&self, word: &str) -> Option<usize> {
        let last = self.nodes().len().checked_sub(1)?;
        match word {
            "first" => Some(0),
            "last" => Some(last),
            _ => None,
        }
    }

    /// Times of flows, outages and events that shortening a run changes: table, number, key, nanoseconds.
    pub fn times(&self) -> Vec<(&'static str, usize, &'static str, u64)> {
        let flows = self.flows.iter().map(|flow| &flow.values).enumerate();
        let flows = flows.flat_map(|(n, flow)| {
            ["start", "stop", "stagger", "start_jitter"].map(|key| ("flow", n, key, flow.whole(key)))
        });
        let outages = self.outages.iter().enumerate();
        let outages = outages.flat_map(|(n, outage)| ["from", "to"].map(|key| ("outage", n, key, outage.whole(key))));
        let events = self.events.iter().enumerate().map(|(n, event)| ("event", n, "at", event.whole("at")));
        // Zero stays zero however short the run becomes.
        flows.chain(outages).chain(events).filter(|(.., time)| *time > 0).collect()
    }

    /// What has to agree; keys at fault are left out.
    fn parts(&self) -> Parts {
        let pick = |at: &[String], values: &Layered, names: &[&str]| {
            let sound = names.iter().filter(|name| !self.refused.contains(&reader::inside(at, name)));
            sound.filter_map(|name| Some((name.to_string(), values.get(name)?.clone()))).collect()
        };
        let numbered = |name: &str, index: usize| vec![name.to_string(), index.to_string()];
        let flows = self.flows.iter().enumerate().map(|(index, flow)| (numbered("flow", index), index, flow));
        let names = ["pattern", "from", "to", "start", "stop", "copies", "stagger"];
        Parts {
            top: pick(&[], &self.top, &["duration", "warmup", "seed", "seeds"]),
            flows: flows
                .filter(|(at, ..)| !self.refused.contains(at))
                .map(|(at, index, flow)| (index, pick(&at, &flow.values, &names)))
                .collect(),
            outages: self
                .outages
                .iter()
                .enumerate()
                .map(|(index, outage)| pick(&numbered("outage", index), outage, &["node", "from", "to"]))
                .collect(),
            series: pick(&["series".to_string()], &self.series, &["keep", "interval"]),
            nodes: self.nodes().len() as u64,
        }
    }
}
