//! From a resolved point to the engine's configuration: times in nanoseconds, rates in bit/s, lengths in metres.

use std::borrow::Cow;

use hopscope_core::units::Time;
use hopscope_engine::config::schema::{Key, Lowered, PREFIX};
use hopscope_engine::config::{Config, FlowConfig};
use serde_json::{Value as Json, json};

use super::flows::{Control, Flow, Frames};
use super::home::Home;
use super::schema::Schema;
use super::values::{Layered, Values};
use super::{Path, Resolved};
use crate::agreement::Finding;
use crate::movement_files::Off;
use crate::traffic_files::{Connection, TrafficKind};

/// From so many nodes on the engine looks only at scenarios without a problem: a search through them takes a while.
pub const MANY_NODES: usize = 100_000;
/// Tables whose mistakes leave the network itself sound.
const OF_FLOWS: [&str; 4] = ["flow", "outage", "event", "series"];

/// What of a point is sound, for the engine to look at.
#[derive(Debug, Clone, PartialEq)]
pub struct Sound {
    /// The configuration, or why the engine does not read it.
    pub config: Result<Config, String>,
    flows: Vec<usize>,
}

impl Resolved {
    /// The engine's configuration of one run.
    pub fn config(&self, schema: &Schema, seed: u64) -> Json {
        let all: Vec<usize> = (0..self.flows.len()).collect();
        let own = self.of_seed(seed);
        let mut config = own.lowered(schema, seed, &all, true);
        config["nodes"] = json!(own.nodes());
        config
    }

    /// The point over the field of a seed; without nodes, which the engine refuses by name, where there is no such field.
    fn of_seed(&self, seed: u64) -> Cow<'_, Resolved> {
        if !self.draws_field() || seed == self.top.whole("seed") {
            return Cow::Borrowed(self);
        }
        Cow::Owned(self.redrawn(seed).unwrap_or_else(|_| Resolved { placed: None, ..self.clone() }))
    }

    /// The same as the engine has it.
    ///
    /// # Errors
    /// The engine does not read it; the message is serde's.
    pub fn engine_config(&self, schema: &Schema, seed: u64) -> Result<Config, String> {
        let all: Vec<usize> = (0..self.flows.len()).collect();
        self.of_seed(seed).built(schema, seed, &all, true)
    }

    /// Made table by table: as one document, many flows or nodes would take much memory.
    fn built(&self, schema: &Schema, seed: u64, flows: &[usize], with_outages: bool) -> Result<Config, String> {
        let with_flows = |mut config: Config| {
            config.nodes = self.nodes().to_vec();
            for &flow in flows {
                self.flows[flow].add_to(schema, &mut config.flows)?;
            }
            Ok(config)
        };
        let network = self.lowered(schema, seed, &[], with_outages);
        serde_json::from_value(network).and_then(with_flows).map_err(|error| error.to_string())
    }

    /// The configuration without its nodes, whose places are put in by themselves.
    fn lowered(&self, schema: &Schema, seed: u64, flows: &[usize], with_outages: bool) -> Json {
        let mut config = handed(schema.table(""), &self.top);
        config.insert("seed".to_string(), json!(seed));
        config.insert("nodes".to_string(), json!([]));
        for (name, section) in self.sections.iter().filter(|(name, _)| *name != "tcp") {
            config.insert(name.to_string(), Json::Object(section.merged()));
        }
        if let Some(constants) = &self.routing_constants {
            let protocol = self.section("routing").text("protocol").to_string();
            config.insert(protocol, Json::Object(constants.merged()));
        }
        let flows: Vec<Json> = flows.iter().flat_map(|&flow| self.flows[flow].lowered(schema)).collect();
        let outages = self.outages.iter().filter(|_| with_outages).map(|outage| Json::Object(outage.merged()));
        let off = |off: Off| json!({"node": off.node, "from": off.from, "to": off.to});
        let end = self.top.whole("duration");
        let outages = outages.chain(self.off().filter(|off| off.from < end).map(off));
        config.insert("flows".to_string(), flows.into());
        config.insert("outages".to_string(), outages.collect());
        config.insert("layers".to_string(), self.layers.iter().cloned().map(Json::Object).collect());
        config.insert("series".to_string(), Json::Object(self.series.merged()));
        if !self.events.is_empty() && with_outages {
            let event = |event: &Layered| {
                let mut change = event.merged();
                let at = change.remove("at");
                // An event has the keys of all kinds, null where none is given; a change of the engine has those of
                // one.
                change.retain(|_, value| !value.is_null());
                json!({"at": at, "change": change})
            };
            config.insert("events".to_string(), self.events.iter().map(event).collect());
        }
        config.extend(self.mobility.lowered(&self.effective(schema, Home::Section("mobility"))));
        config.extend(self.traces.lowered());
        if !self.interfaces.is_empty() {
            config.insert("interfaces".to_string(), self.interfaces.iter().map(|own| self.radio_of(own)).collect());
        }
        if self.wired() > 0 {
            let nodes = self.nodes().len();
            let wired: Vec<usize> = (nodes - self.wired()..nodes).collect();
            // Nodes without radio are the last ones, by the rule of the topology.
            config.insert("hosts".to_string(), json!([{"nodes": wired, "wifi": false}]));
        }
        // In the order of their tables: messages of the engine name a wire by its number.
        let given = self.wires.iter().map(|wire| {
            let mut lowered = handed(schema.table("wire"), wire);
            lowered.insert("ends".to_string(), json!([wire.value("from"), wire.value("to")]));
            Json::Object(lowered)
        });
        let placed = self.placed.iter().flat_map(|placed| &placed.wires).map(|wire| json!(wire));
        let wires: Vec<Json> = given.chain(placed).collect();
        if !wires.is_empty() {
            config.insert("wires".to_string(), wires.into());
        }
        Json::Object(config)
    }

    /// A radio as the engine has it: with all of its rates where one of them is its own.
    fn radio_of(&self, interface: &Layered) -> Json {
        let keys = ["data_rate", "basic_rate", "response_rates"];
        let rate = |key: &&str| {
            let own = Some(interface.value(key)).filter(|value| !value.is_null());
            (key.to_string(), own.unwrap_or_else(|| self.section("radio").value(key)))
        };
        let has_own = keys.iter().any(|key| !interface.value(key).is_null());
        let rates: Option<Values> = has_own.then(|| keys.iter().map(rate).collect());
        let nodes = Some(interface.value("nodes")).filter(|nodes| !nodes.is_null());
        json!({
            "nodes": nodes.unwrap_or_else(|| json!([])),
            "number": interface.value("number"),
            "channel": interface.value("channel"),
            "rates": rates,
        })
    }

    /// What the engine is to look at besides what has been found; none where the network is at fault.
    ///
    /// Flows at fault are left out, so that what is wrong with the rest is reported as well; outages belong to it only where
    /// all of them are sound.
    pub fn sound(&self, schema: &Schema) -> Option<Sound> {
        let of_flows = self.findings.iter().all(|(path, _)| path.first().is_some_and(|at| OF_FLOWS.contains(&&**at)));
        // The engine can say more only of a network that is sound as far as known here.
        if !of_flows || (!self.findings.is_empty() && self.nodes().len() >= MANY_NODES) {
            return None;
        }
        let is_at_fault = |table: &str, at: &dyn Fn(&Path) -> bool| {
            self.findings.iter().any(|(path, _)| path.first().is_some_and(|known| known == table) && at(path))
        };
        let flawed = |flow: usize| is_at_fault("flow", &|path| path.get(1).is_some_and(|at| *at == flow.to_string()));
        // Numbers of the engine are those of this list; `reported` counts back through it.
        let flows: Vec<usize> = (0..self.flows.len()).filter(|&flow| !flawed(flow)).collect();
        // Which node or time a wrong one would have is not known, so all stay out.
        let outages = !is_at_fault("outage", &|_| true) && !is_at_fault("event", &|_| true);
        let config = self.built(schema, self.top.whole("seed"), &flows, outages);
        Some(Sound { config, flows })
    }

    /// What the engine says of a sound part, by the keys of the scenario.
    pub fn reported(&self, sound: &Sound, key: &str, message: &str) -> Finding {
        (self.of_table(super::engine_keys::of_scenario(key), &sound.flows), message.to_string())
    }

    /// The key of the scenario that a key of the engine comes from.
    pub fn key_of(&self, key: &str) -> Path {
        let all: Vec<usize> = (0..self.flows.len()).collect();
        self.of_table(super::engine_keys::of_scenario(key), &all)
    }

    /// The key of the `[[flow]]` table, of these, that the engine's flow of that number comes from.
    fn of_table(&self, mut path: Path, tables: &[usize]) -> Path {
        if path.len() < 2 || path[0] != "flow" {
            return path;
        }
        let Ok(mut number) = path[1].parse::<usize>() else { return path };
        for &table in tables {
            let copies = self.flows[table].ends.len();
            if number < copies {
                path[1] = table.to_string();
                return path;
            }
            number -= copies;
        }
        path
    }
}

/// What the schema hands to the engine under its own name.
fn handed(keys: &[Key], values: &Layered) -> Values {
    let value = |key: &Key| match (key.lowered, values.value(&key.name)) {
        (Lowered::No, _) | (Lowered::Given, Json::Null) => None,
        (Lowered::Given | Lowered::Always, value) => Some((key.name.clone(), value)),
    };
    keys.iter().filter_map(value).collect()
}

fn application(schema: &Schema, values: &Layered, frames: &Frames) -> Json {
    let app = schema.application(values.text("app"));
    // A video from a file is sent frame by frame: no other key of it matters to the engine.
    let mut own: Values = match frames {
        Some(frames) if app.engine == "trace" => {
            [("frames".to_string(), json!(frames.as_slice()))].into_iter().collect()
        }
        _ => app.keys.iter().map(|name| (name.to_string(), values.value(name))).collect(),
    };
    own.insert("kind".to_string(), json!(app.engine));
    Json::Object(own)
}

/// Puts what a connection of a file says into a flow of its table.
fn put(connection: &Connection, table: &Flow, flow: &mut Values) {
    flow.insert("start".to_string(), json!(connection.start));
    flow.insert("stop".to_string(), json!(connection.stop));
    flow.insert("packet".to_string(), json!(connection.packet));
    if table.follows_transport {
        flow.insert("transport".to_string(), json!(connection.transport()));
    }
    let mut left = Vec::new();
    let app = match &connection.sends {
        TrafficKind::Cbr { rate, jitter, packets } => {
            let jitter = if *jitter { "uniform" } else { "none" };
            json!({"kind": "cbr", "rate": rate, "jitter": jitter, "packets": packets.unwrap_or(0)})
        }
        TrafficKind::Ftp { bytes, window, initial, ack_delay, .. } => {
            left.push(("max_window", json!(window)));
            left.push(("ack", json!(if ack_delay.is_some() { "ns2-delack" } else { "every" })));
            left.extend(ack_delay.map(|delay| ("ack_delay", json!(delay))));
            if let (Some(initial), Some(Json::Object(tcp))) = (initial, flow.get_mut("tcp")) {
                tcp.insert("initial_window".to_string(), json!(initial));
            }
            bytes.map_or(json!({"kind": "bulk"}), |bytes| json!({"kind": "file", "bytes": bytes}))
        }
    };
    flow.insert("app".to_string(), app);
    for (name, value) in left.into_iter().filter(|(name, _)| !table.values.has_own(name)) {
        // What the table gives itself goes before what the file says.
        flow.insert(name.to_string(), value);
    }
}

impl Flow {
    /// The flows that the table stands for.
    fn lowered(&self, schema: &Schema) -> impl Iterator<Item = Json> + '_ {
        let table = self.table(schema);
        let copy = move |(n, (from, to, start)): (usize, (usize, usize, u64))| {
            let mut flow = table.clone();
            flow.insert("from".to_string(), json!(from));
            flow.insert("to".to_string(), json!(to));
            flow.insert("start".to_string(), json!(start));
            if let Some(connection) = self.traffic.get(n) {
                put(connection, self, &mut flow);
            }
            Json::Object(flow)
        };
        self.copies().enumerate().map(copy)
    }

    /// Adds these flows as the engine has them.
    fn add_to(&self, schema: &Schema, flows: &mut Vec<FlowConfig>) -> serde_json::Result<()> {
        if !self.traffic.is_empty() {
            let own =
                self.lowered(schema).map(serde_json::from_value).collect::<serde_json::Result<Vec<FlowConfig>>>()?;
            flows.extend(own);
            return Ok(());
        }
        let mut table = self.table(schema);
        for end in ["from", "to"] {
            table.insert(end.to_string(), json!(0));
        }
        // Read once and cloned: by way of JSON, a pattern of many thousand flows would take long.
        let table: FlowConfig = serde_json::from_value(Json::Object(table))?;
        flows.extend(self.copies().map(|(from, to, start)| FlowConfig {
            from: from as u32,
            to: to as u32,
            start: Time(start),
            ..table.clone()
        }));
        Ok(())
    }

    /// Ends and start in nanoseconds of each copy, each later than the one before by `stagger`.
    fn copies(&self) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
        let (start, stagger) = (self.values.whole("start"), self.values.whole("stagger"));
        let starts = (0..).map(move |n| start.saturating_add(stagger.saturating_mul(n)));
        self.ends.iter().zip(starts).map(|(&(from, to), start)| (from, to, start))
    }

    /// What the copies have in common.
    fn table(&self, schema: &Schema) -> Values {
        let mut lowered = handed(schema.table("flow"), &self.values);
        lowered.insert("tcp".to_string(), Json::Object(self.tcp.merged()));
        lowered.insert("dccp".to_string(), Json::Object(self.dccp.merged()));
        lowered.insert("atp".to_string(), Json::Object(self.atp.merged()));
        lowered.insert("app".to_string(), application(schema, &self.values, &self.frames));
        if let Some((reply, frames)) = &self.reply {
            lowered.insert("reply".to_string(), application(schema, reply, frames));
        }
        match &self.control {
            Control::None => {}
            Control::Word(word) => {
                lowered.insert("control".to_string(), json!(word));
            }
            Control::Own(own) => {
                lowered.insert("transport".to_string(), json!("tcp-external"));
                let name = format!("{PREFIX}{}", own.name);
                lowered.insert("control".to_string(), json!({"name": name, "identity": own.identity}));
            }
        }
        if let Some(own) = &self.ack {
            let asks = |name: &str| own.parameters.iter().any(|(known, value)| known == name && *value == json!(true));
            let code = json!({
                "name": own.name, "identity": own.identity,
                "reads_path": asks("reads_path"), "reads_window": asks("reads_window"),
            });
            lowered.insert("ack".to_string(), json!("external"));
            lowered.insert("ack_code".to_string(), code);
        }
        lowered
    }
}
