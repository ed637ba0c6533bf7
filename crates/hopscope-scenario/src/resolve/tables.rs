//! Topology, wires, outages and layers.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::Resolved;
use super::outside::{Outside, Shared};
use super::reader::{Reader, inside, written};
use super::values::{Layered, Values};
use crate::node_files;
use crate::read::{expected, read};
use crate::topology::{Layout, Misplaced, Placed};
use crate::value::Value;
use crate::words::listed;

pub(super) fn topology(
    reader: &mut Reader<'_>,
    document: &Value,
    outside: &mut dyn Outside,
    shared: &mut Shared,
    result: &mut Resolved,
) {
    let path = ["topology".to_string()];
    let schema = reader.schema;
    let Some(table) = written(document, "topology").filter(|table| !table.is_none()) else {
        let words: Vec<&str> = schema.topologies().iter().map(|(word, _)| *word).collect();
        let message = format!("is missing; expected a [topology] table with kind = {}", listed(&words));
        return reader.refuse(path.to_vec(), message);
    };
    let Value::Table(given) = table else {
        return reader.refuse(path.to_vec(), format!("found {}; expected a table", table.shown()));
    };
    let Some(kind) = written(table, "kind") else {
        return reader.refuse(inside(&path, "kind"), format!("is missing; expected {}", expected(schema.kind())));
    };
    let before = reader.findings.len();
    let kind = match read(schema.kind(), kind) {
        Ok(kind) => kind,
        Err(message) => return reader.refuse(inside(&path, "kind"), message),
    };
    let keys = schema.topologies().iter().find(|(word, _)| kind == *word).map_or(&[][..], |(_, keys)| keys);
    let rest = Value::Table(given.iter().filter(|(name, _)| name != "kind").cloned().collect());
    let mut values = reader.completed(&path, &rest, keys);
    if reader.findings.len() > before {
        return;
    }
    values.set("kind", kind);
    result.topology = values.merged();
    let label = json!([&result.topology, result.reach(), result.follows_file()]).to_string();
    let own = written(document, "mobility").is_some_and(|table| written(table, "path").is_some());
    let mut begin = Ok(Vec::new());
    if values.text("kind") == "file" && result.follows_file() && !own {
        let key = inside(&path, "path");
        let paths = result.movement(&key, values.text("format"), outside, shared);
        begin = paths.map(|paths| paths.iter().filter_map(|path| path.first()).map(|&(_, place)| place).collect());
    }
    let place = || {
        let layout = result.layout()?;
        let found = match values.text("kind") {
            "file" if result.follows_file() && !own => begin.map_err(|message| Misplaced::new("path", message))?,
            "file" => outside
                .text(&inside(&path, "path"), "a file of positions")
                .and_then(|(name, text)| node_files::positions(&text, &name, values.text("format")))
                .map_err(|message| Misplaced::new("path", message))?,
            _ => Vec::new(),
        };
        layout.place(found, result.reach()).map(Arc::new)
    };
    let placed: &Result<Arc<Placed>, Misplaced> = shared.placed.entry(label).or_insert_with(place);
    match placed {
        Ok(placed) => result.placed = Some(Arc::clone(placed)),
        Err(Misplaced { key, message }) => reader.refuse(inside(&path, key), message.clone()),
    }
}

impl Resolved {
    /// The topology as what places the nodes takes it.
    pub(super) fn layout(&self) -> Result<Layout, Misplaced> {
        // An absent key is one without a value.
        let given: Values = self.topology.clone().into_iter().filter(|(_, value)| !value.is_null()).collect();
        serde_json::from_value(given.into()).map_err(|error| Misplaced::new("kind", error.to_string()))
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
        number_nodes(result, &mut wire, &["from", "to"]);
        result.wires.push(wire);
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
        if let Some(Json::Array(nodes)) = layer.get_mut("nodes") {
            for node in nodes {
                if let Some(number) = node.as_str().and_then(|word| result.number_of(word)) {
                    *node = json!(number);
                }
            }
        }
        result.layers.push(layer);
    }
}
