//! Files of other tools: numbers without nodes, and that every part of a file is followed by some key.

use serde_json::Value as Json;

use super::Resolved;
use super::reader::{Path, Reader};
use crate::movement_files::Off;

/// Most numbers of nodes in a warning.
const SHOWN: usize = 10;

fn key(table: &str, name: &str) -> Path {
    [table, name].map(str::to_string).to_vec()
}

/// Refuses a file of movement with traffic that no flow follows, and one of traffic with movement that nothing follows.
pub(super) fn check(reader: &mut Reader<'_>, result: &Resolved) {
    let text = |value: Option<&Json>| value.and_then(Json::as_str).map(str::to_string);
    let topology = text(result.topology.get("path"));
    let mobility = text(result.mobility.values.get("path"));
    let flows: Vec<Option<String>> = result.flows.iter().map(|flow| text(flow.values.get("path"))).collect();
    let is_sent = |path: &Option<String>| flows.contains(path);
    let placed = result.placed.as_deref().and_then(|placed| placed.other.clone());
    let moved = result.mobility.file.as_deref().and_then(|movement| movement.other.clone());
    // A movement without a path of its own is in the file of the topology.
    let own = if mobility.is_some() { ("mobility", &mobility) } else { ("topology", &topology) };
    for ((table, path), other) in [(("topology", &topology), placed), (own, moved)] {
        // One file may hold all of it; each part needs a key that follows it, so that nothing of it is lost in
        // silence.
        if let Some(message) = other.filter(|_| !is_sent(path)) {
            reader.refuse(key(table, "path"), message);
        }
    }
    for (index, flow) in result.flows.iter().enumerate() {
        let path = &flows[index];
        if let Some(message) = flow.other.clone().filter(|_| *path != topology && *path != mobility) {
            reader.refuse(vec!["flow".to_string(), index.to_string(), "path".to_string()], message);
        }
    }
}

impl Resolved {
    /// Times in which nodes of files are not there.
    pub(super) fn off(&self) -> impl Iterator<Item = Off> + '_ {
        let unused = self.placed.iter().flat_map(|placed| &placed.unused);
        let moving = self.mobility.file.iter().flat_map(|movement| &movement.off);
        unused.map(|&node| Off { node, from: 0, to: None }).chain(moving.copied())
    }

    /// Whether each node is there at no time.
    pub(super) fn never_there(&self) -> Vec<bool> {
        let mut never = vec![false; self.nodes().len()];
        let end = self.top.whole("duration");
        for off in self.off().filter(|off| off.from == 0 && off.to.is_none_or(|to| to >= end)) {
            if let Some(node) = never.get_mut(off.node) {
                *node = true;
            }
        }
        never
    }

    /// That nodes are not there.
    pub(super) fn of_unused(&self) -> Option<String> {
        let never: Vec<usize> =
            (0..).zip(self.never_there()).filter_map(|(node, never)| never.then_some(node)).collect();
        if never.is_empty() {
            return None;
        }
        let names: Vec<String> = never.iter().take(SHOWN).map(ToString::to_string).collect();
        let more = if never.len() > SHOWN { format!(" and {} more", never.len() - SHOWN) } else { String::new() };
        Some(format!("topology: the file has no node {}{more} during the run: radio off", names.join(", ")))
    }
}
