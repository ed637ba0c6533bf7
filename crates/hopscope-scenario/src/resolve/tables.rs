//! Topology, wires, events, outages, layers and interfaces.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::Resolved;
use super::mobility::PARAMS;
use super::outside::{Outside, Shared};
use super::reader::{Reader, inside, written};
use super::values::{Layered, Values};
use crate::node_files::{self, Positions};
use crate::patterns;
use crate::read::{expected, read};
use crate::topology::{Layout, Placement, PlacementError};
use crate::value::Value;
use crate::words::listed;

/// Nodes of fields that are placed to see whether each seed has one.
const FIELDS_WORK: usize = 200_000;

/// Reads the topology and places its nodes.
pub(super) fn topology(
    reader: &mut Reader<'_>,
    document: &Value,
    outside: &mut dyn Outside,
    shared: &mut Shared,
    result: &mut Resolved,
) {
    if let Some(values) = topology_values(reader, document) {
        result.topology = values.merged();
        place_nodes(reader, document, outside, shared, (&values, result));
    }
}

/// The keys of the topology with their defaults; none where something is wrong, which the reader then knows.
fn topology_values(reader: &mut Reader<'_>, document: &Value) -> Option<Layered> {
    let path = ["topology".to_string()];
    let schema = reader.schema;
    let Some(table) = written(document, "topology").filter(|table| !table.is_none()) else {
        let words: Vec<&str> = schema.topologies().iter().map(|(word, _)| *word).collect();
        let message = format!("is missing; expected a [topology] table with kind = {}", listed(&words));
        reader.refuse(path.to_vec(), message);
        return None;
    };
    let Value::Table(given) = table else {
        reader.refuse(path.to_vec(), format!("found {}; expected a table", table.shown()));
        return None;
    };
    let Some(kind) = written(table, "kind") else {
        reader.refuse(inside(&path, "kind"), format!("is missing; expected {}", expected(schema.kind())));
        return None;
    };
    let before = reader.findings.len();
    // The kind comes first: it decides which other keys there are.
    let kind = match read(schema.kind(), kind) {
        Ok(kind) => kind,
        Err(message) => {
            reader.refuse(inside(&path, "kind"), message);
            return None;
        }
    };
    let keys = schema.topologies().iter().find(|(word, _)| kind == *word).map_or(&[][..], |(_, keys)| keys);
    let rest = Value::Table(given.iter().filter(|(name, _)| name != "kind").cloned().collect());
    let mut values = reader.completed(&path, &rest, keys);
    values.set("kind", kind);
    (reader.findings.len() == before).then_some(values)
}

/// Places the nodes, unless a point before this one has the same placement.
fn place_nodes(
    reader: &mut Reader<'_>,
    document: &Value,
    outside: &mut dyn Outside,
    shared: &mut Shared,
    (values, result): (&Layered, &mut Resolved),
) {
    let path = ["topology".to_string()];
    let seed = result.top.whole("seed");
    // The seed of the run counts only where the field is drawn from it: points that differ in their seed alone share the rest.
    let drawn = result.draws_field().then_some(seed);
    // All that a placement depends on. The range of the radios counts, for fields that have to be connected.
    let label = json!([&result.topology, result.reach(), drawn, result.follows_file()]).to_string();
    // A movement with a file of its own begins there, and the positions of the topology are read as they are.
    let own = written(document, "mobility").is_some_and(|table| written(table, "path").is_some());
    let moves = values.text("kind") == "file" && result.follows_file() && !own;
    let mut begin = Ok(Positions::default());
    if moves {
        // Ahead of the closure below: both need `shared`.
        let paths = result.movement(&inside(&path, "path"), values.text("format"), outside, shared);
        begin = paths.map(|movement| Positions {
            places: movement.paths.iter().filter_map(|path| path.first()).map(|&(_, place)| place).collect(),
            ..Positions::default()
        });
    }
    let place = || {
        let layout = result.layout(seed)?;
        let found = match values.text("kind") {
            "file" if moves => begin,
            "file" => positions_in_file(&inside(&path, "path"), values.text("format"), outside),
            _ => Ok(Positions::default()),
        };
        let found = found.map_err(|message| PlacementError::new("path", message))?;
        let placed = layout.place(found.places, result.reach())?;
        Ok(Arc::new(Placement { unused: found.unused, other: found.other, ..placed }))
    };
    let placed: &Result<Arc<Placement>, PlacementError> = shared.placed.entry(label).or_insert_with(place);
    match placed {
        Ok(placed) => result.placed = Some(Arc::clone(placed)),
        Err(PlacementError { key, message }) => reader.refuse(inside(&path, key), message.clone()),
    }
}

/// The positions in the file that a key names.
fn positions_in_file(key: &[String], format: &str, outside: &mut dyn Outside) -> Result<Positions, String> {
    let params = outside.sibling(key, PARAMS);
    let (name, text) = outside.text(key, "a file of positions")?;
    node_files::positions(&text, &name, format, params.as_deref())
}

/// The field of each seed of the run must be there; so many that it would take long are looked at when they are run.
pub(super) fn fields(reader: &mut Reader<'_>, result: &Resolved) {
    if !result.draws_field() || result.placed.is_none() {
        return;
    }
    let [first, seeds] = ["seed", "seeds"].map(|name| result.top.whole(name));
    // The first seed has been placed above; of the others as many as stay quick.
    let looked_at = seeds.min((FIELDS_WORK / result.nodes().len().max(1)) as u64);
    for seed in first.saturating_add(1)..first.saturating_add(looked_at) {
        if let Err(PlacementError { key, message }) = result.redrawn(seed) {
            let table = if key == "copies" { "flow" } else { "topology" };
            let flow = result.flows.iter().position(|flow| flow.values.text("pattern") == "random").unwrap_or_default();
            let path = if table == "flow" {
                vec![table.to_string(), flow.to_string(), key.to_string()]
            } else {
                vec![table.to_string(), key.to_string()]
            };
            return reader.refuse(path, format!("seed {seed}: {message}"));
        }
    }
}

impl Resolved {
    /// Whether each seed of the run has a field of its own.
    pub(super) fn draws_field(&self) -> bool {
        self.topology.get("seed").and_then(Json::as_str) == Some("run")
    }

    /// The same point over the field of another seed of the run.
    ///
    /// # Errors
    /// There is no such field, or it is too small for the flows.
    pub(super) fn redrawn(&self, seed: u64) -> Result<Resolved, PlacementError> {
        let mut other = self.clone();
        other.placed = Some(Arc::new(self.layout(seed)?.place(Vec::new(), self.reach())?));
        // Their pairs must reach each other, which is another matter in each field.
        for flow in other.flows.iter_mut().filter(|flow| flow.values.text("pattern") == "random") {
            let (nodes, wired) = (self.nodes().len(), self.wired());
            let radios = other.placed.as_ref().map_or(&[][..], |placed| &placed.places[..nodes - wired]);
            flow.ends = patterns::drawn(radios, self.reach(), flow.ends.len(), flow.values.whole("pattern_seed"))?;
        }
        Ok(other)
    }

    /// The topology as what places the nodes takes it.
    pub(super) fn layout(&self, seed: u64) -> Result<Layout, PlacementError> {
        // An absent key is one without a value.
        let mut given: Values = self.topology.clone().into_iter().filter(|(_, value)| !value.is_null()).collect();
        if self.draws_field() {
            given.insert("seed".to_string(), json!(seed));
        }
        serde_json::from_value(given.into()).map_err(|error| PlacementError::new("kind", error.to_string()))
    }
}

/// Puts the numbers of the nodes in the place of "first" and "last".
pub(super) fn number_nodes(result: &Resolved, values: &mut Layered, names: &[&str]) {
    for name in names {
        if let Some(number) = result.number_of(values.text(name)) {
            values.set(name, number);
        }
    }
}

pub(super) fn wires(reader: &mut Reader<'_>, document: &Value, result: &mut Resolved) {
    let (keys, defaults) = (reader.schema.table("wire"), reader.schema.defaults("wire"));
    for (path, table) in reader.tables(document, "wire") {
        let mut wire = reader.complete(&path, table, keys, Arc::clone(&defaults));
        // Node words become numbers as soon as the nodes are there: all that follows sees numbers.
        number_nodes(result, &mut wire, &["from", "to"]);
        result.wires.push(wire);
    }
}

/// What the kind of an event needs, the engine says.
pub(super) fn events(reader: &mut Reader<'_>, document: &Value, result: &mut Resolved) {
    let (keys, defaults) = (reader.schema.table("event"), reader.schema.defaults("event"));
    for (path, table) in reader.tables(document, "event") {
        let mut event = reader.complete(&path, table, keys, Arc::clone(&defaults));
        number_nodes(result, &mut event, &["node", "from", "to"]);
        result.events.push(event);
    }
}

pub(super) fn outages(reader: &mut Reader<'_>, document: &Value, result: &mut Resolved) {
    let (keys, defaults) = (reader.schema.table("outage"), reader.schema.defaults("outage"));
    for (path, table) in reader.tables(document, "outage") {
        let mut outage = reader.complete(&path, table, keys, Arc::clone(&defaults));
        number_nodes(result, &mut outage, &["node"]);
        result.outages.push(outage);
    }
}

/// Radios beyond the first of each node, and channels.
pub(super) fn interfaces(reader: &mut Reader<'_>, document: &Value, result: &mut Resolved) {
    let (keys, defaults) = (reader.schema.table("interface"), reader.schema.defaults("interface"));
    for (path, table) in reader.tables(document, "interface") {
        let mut interface = reader.complete(&path, table, keys, Arc::clone(&defaults));
        if let Json::Array(nodes) = interface.value("nodes") {
            interface.set("nodes", numbers(result, nodes));
        }
        result.interfaces.push(interface);
    }
}

/// Puts the numbers of nodes in a list in the place of "first" and "last".
fn numbers(result: &Resolved, nodes: Vec<Json>) -> Json {
    let number = |node: Json| match node.as_str().and_then(|word| result.number_of(word)) {
        Some(number) => json!(number),
        None => node,
    };
    nodes.into_iter().map(number).collect()
}

/// A layer has the keys of `[link]` where it has none of its own.
pub(super) fn layers(reader: &mut Reader<'_>, document: &Value, result: &mut Resolved) {
    let (keys, defaults) = (reader.schema.table("layer"), reader.schema.defaults("layer"));
    for (path, table) in reader.tables(document, "layer") {
        let given = reader.complete(&path, table, keys, Arc::clone(&defaults)).merged();
        let mut layer = result.section("link").merged();
        layer.insert("nodes".to_string(), json!([]));
        for (name, value) in given.into_iter().filter(|(_, value)| !value.is_null()) {
            let name = if name == "link" { "layer".to_string() } else { name };
            layer.insert(name, value);
        }
        if let Some(Json::Array(nodes)) = layer.remove("nodes") {
            layer.insert("nodes".to_string(), numbers(result, nodes));
        }
        result.layers.push(layer);
    }
}
