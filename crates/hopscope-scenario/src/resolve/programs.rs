//! What runs on real stacks: the `[[node]]` tables, which `hopscope live` follows and a simulation leaves out.

use std::collections::BTreeMap;
use std::sync::Arc;

use hopscope_engine::config::schema::STATIC;
use serde_json::{Value as Json, json};

use super::Resolved;
use super::reader::{Path, Reader, inside, written};
use super::tables::number_nodes;
use super::values::Layered;
use crate::value::Value;
use crate::words::listed;

/// Reads the tables; a node has one routing at most.
pub(super) fn read(reader: &mut Reader<'_>, document: &Value, result: &mut Resolved) {
    let (keys, defaults) = (reader.schema.table("node"), reader.schema.defaults("node"));
    let mut routed: BTreeMap<u64, usize> = BTreeMap::new();
    for (number, (path, table)) in reader.tables(document, "node").into_iter().enumerate() {
        let mut node = reader.complete(&path, table, keys, Arc::clone(&defaults));
        number_nodes(result, &mut node, &["node"]);
        if node.has_own("node") && node.has_own("nodes") {
            reader.refuse(path.clone(), "has both node and nodes; one of them says where it runs");
        }
        let at = named(reader, result, &path, &mut node);
        let has_routing = written(table, "routing").is_some();
        let known = at.iter().find_map(|node| Some((*node, *routed.get(node)?))).filter(|_| has_routing);
        if let Some((node, other)) = known {
            let message = format!("node {node} has the routing of node.{other} already");
            reader.refuse(inside(&path, "routing"), message);
        } else if has_routing {
            routed.extend(at.into_iter().map(|node| (node, number)));
        }
        result.programs.push(node);
    }
}

/// The nodes of a table, which then stand in it by number.
fn named(reader: &mut Reader<'_>, result: &Resolved, path: &Path, table: &mut Layered) -> Vec<u64> {
    let count = result.nodes().len() as u64;
    let (key, list) = match (table.value("node"), table.value("nodes")) {
        (Json::Null, Json::Null) => return (0..count).collect(),
        (Json::Null, Json::Array(nodes)) => ("nodes", nodes),
        (node, _) => ("node", vec![node]),
    };
    let number = |node: &Json| node.as_u64().or_else(|| result.number_of(node.as_str()?).map(|number| number as u64));
    let nodes: Vec<u64> = list.iter().filter_map(number).collect();
    if let Some(absent) = nodes.iter().find(|&&node| node >= count && count > 0) {
        let message = format!("node {absent} does not exist; nodes are 0 to {}", count - 1);
        reader.refuse(inside(path, key), message);
    }
    if key == "nodes" {
        table.set(key, json!(nodes));
    }
    nodes
}

impl Resolved {
    /// That a simulation leaves programs and routing daemons out.
    pub(super) fn of_programs(&self) -> Option<String> {
        let given = |key: &&str| self.programs.iter().any(|table| table.has_own(key));
        let keys: Vec<&str> = ["run", "routing", "on_exit"].into_iter().filter(given).collect();
        let first = self.programs.first()?;
        let alone = first.text("routing") == STATIC && keys == ["routing"] && self.programs.len() == 1;
        // Static routes are what the simulation has, too.
        (!alone && !keys.is_empty()).then(|| {
            format!(
                "node: {} of [[node]] run on real stacks (hopscope live); a simulation leaves them out",
                listed(&keys)
            )
        })
    }
}
