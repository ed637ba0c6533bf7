//! What a scenario must satisfy across keys that are sound in themselves: flows between nodes that exist, that start, and
//! that end after they started.

use serde_json::{Map, Value as Json};

use crate::words::rounded;

/// Keys of a table with their values in engine form; those at fault are left out.
pub type Table = Map<String, Json>;

/// A key by its parts and what is wrong with it.
pub type Finding = (Vec<String>, String);

/// The parts of a scenario that have to agree.
#[derive(Debug, Default)]
pub struct Parts {
    /// The top of the file.
    pub top: Table,
    /// The sound flows, each with its number in the file.
    pub flows: Vec<(usize, Table)>,
    /// Outages.
    pub outages: Vec<Table>,
    /// Time series.
    pub series: Table,
    /// Number of nodes; 0 where the topology is at fault.
    pub nodes: u64,
}

/// Every contradiction.
pub fn contradictions(parts: &Parts) -> Vec<Finding> {
    let mut found = Findings { at: Vec::new(), findings: Vec::new() };
    let top = &parts.top;
    let end = number(top, "duration");
    if let (Some(end), Some(warmup)) = (end, number(top, "warmup")) {
        let message = || format!("{} is not before the end of the run (duration = {})", seconds(warmup), seconds(end));
        found.require(warmup < end, "warmup", message);
    }
    if let (Some(seed), Some(seeds)) = (number(top, "seed"), number(top, "seeds")) {
        let message = || "seed + seeds is too large; the last seed must stay below 2^63".to_string();
        // TOML has whole numbers of 64 bits with a sign; a report names the seed of each run by such a number.
        found.require(seed.saturating_add(seeds) <= 1 << 63, "seed", message);
    }
    for (index, flow) in &parts.flows {
        found.at = vec!["flow".to_string(), index.to_string()];
        // Without a topology every number of a node would be reported, and not the one mistake behind them alone.
        if parts.nodes > 0 {
            ends(flow, parts.nodes, &mut found);
        }
        times(flow, end, &mut found);
    }
    for (index, outage) in parts.outages.iter().enumerate() {
        found.at = vec!["outage".to_string(), index.to_string()];
        during(outage, parts.nodes, end, &mut found);
    }
    found.at = vec!["series".to_string()];
    let keeps = parts.series.get("keep").and_then(Json::as_array).is_some_and(|kept| !kept.is_empty());
    if let (Some(end), Some(interval)) = (end, number(&parts.series, "interval").filter(|_| keeps)) {
        found.require(interval <= end, "interval", || format!("{} is longer than the run", seconds(interval)));
    }
    found.findings
}

struct Findings {
    at: Vec<String>,
    findings: Vec<Finding>,
}

impl Findings {
    fn require(&mut self, holds: bool, name: &str, message: impl FnOnce() -> String) -> bool {
        if !holds {
            self.findings.push(([&self.at[..], &[name.to_string()]].concat(), message()));
        }
        holds
    }
}

fn number(table: &Table, name: &str) -> Option<u64> {
    table.get(name)?.as_u64()
}

/// A time for a message.
fn seconds(nanoseconds: u64) -> String {
    format!("{} s", rounded(nanoseconds as f64 / 1e9, 9))
}

fn ends(flow: &Table, nodes: u64, found: &mut Findings) {
    // Null is the default; a key that is absent here is one at fault.
    if flow.get("pattern") != Some(&Json::Null) {
        return; // which lays the flows between nodes that exist, or is at fault
    }
    let [from, to] = ["from", "to"].map(|name| (name, number(flow, name)));
    for (name, node) in [from, to] {
        if let Some(node) = node {
            let message = || format!("node {node} does not exist; the topology has nodes 0 to {}", nodes - 1);
            found.require(node < nodes, name, message);
        }
    }
    if let (Some(from), Some(to)) = (from.1, to.1) {
        found.require(from != to, "to", || format!("node {to} is also the sender; a flow runs between two nodes"));
    }
}

fn times(flow: &Table, end: Option<u64>, found: &mut Findings) {
    let Some(start) = number(flow, "start") else { return };
    let several = (number(flow, "copies"), number(flow, "stagger"), flow.get("pattern"));
    let (copies, last) = match several {
        // With a pattern at fault nobody knows how many copies there are: only the first start is looked at.
        (Some(copies), Some(stagger), Some(_)) => {
            (copies, copies.saturating_sub(1).saturating_mul(stagger).saturating_add(start))
        }
        _ => (1, start),
    };
    if let Some(end) = end {
        let too_late = |time| format!("{} is not before the end of the run ({})", seconds(time), seconds(end));
        // One of the two is enough: where the first never starts, the last does not either.
        let starts = found.require(start < end, "start", || format!("the flow never starts: {}", too_late(start)));
        found.require(!starts || last < end, "stagger", || {
            format!("the last of {copies} copies never starts: {}", too_late(last))
        });
    }
    let Some(stop) = number(flow, "stop") else { return };
    let after = format!("{} is not after the start", seconds(stop));
    // The copies share their stop.
    let stops = found.require(stop > start, "stop", || format!("{after} ({})", seconds(start)));
    found.require(!stops || stop > last, "stop", || format!("{after} of the last of {copies} copies"));
}

fn during(outage: &Table, nodes: u64, end: Option<u64>, found: &mut Findings) {
    if let Some(node) = number(outage, "node").filter(|_| nodes > 0) {
        let message = || format!("node {node} does not exist; nodes are 0 to {}", nodes - 1);
        found.require(node < nodes, "node", message);
    }
    let Some(from) = number(outage, "from") else { return };
    if let Some(end) = end {
        found.require(from < end, "from", || {
            let [from, end] = [from, end].map(seconds);
            format!("the outage never begins: {from} is not before the end of the run ({end})")
        });
    }
    if let Some(to) = number(outage, "to") {
        let message = || format!("found {}; it must come after from, {}", seconds(to), seconds(from));
        found.require(to > from, "to", message);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table(value: &Json) -> Table {
        value.as_object().cloned().unwrap_or_default()
    }

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn everything_that_contradicts_is_reported_at_once() {
        let flow = json!({
            "pattern": null, "from": 3, "to": 3, "start": SECOND, "copies": 3, "stagger": SECOND, "stop": 2 * SECOND
        });
        let parts = Parts {
            top: table(&json!({"duration": 2 * SECOND, "warmup": 2 * SECOND, "seed": 1_u64 << 63, "seeds": 1})),
            flows: vec![(4, table(&flow))],
            outages: vec![table(&json!({"node": 0, "from": 2 * SECOND, "to": SECOND / 2}))],
            series: table(&json!({"keep": ["cwnd"], "interval": 3 * SECOND})),
            nodes: 3,
        };
        let reported: Vec<String> = contradictions(&parts)
            .into_iter()
            .map(|(path, message)| format!("{}: {message}", path.join(".")))
            .collect();
        let expected = [
            "warmup: 2 s is not before the end of the run (duration = 2 s)",
            "seed: seed + seeds is too large; the last seed must stay below 2^63",
            "flow.4.from: node 3 does not exist; the topology has nodes 0 to 2",
            "flow.4.to: node 3 does not exist; the topology has nodes 0 to 2",
            "flow.4.to: node 3 is also the sender; a flow runs between two nodes",
            "flow.4.stagger: the last of 3 copies never starts: 3 s is not before the end of the run (2 s)",
            "flow.4.stop: 2 s is not after the start of the last of 3 copies",
            "outage.0.from: the outage never begins: 2 s is not before the end of the run (2 s)",
            "outage.0.to: found 0.5 s; it must come after from, 2 s",
            "series.interval: 3 s is longer than the run",
        ];
        assert_eq!(reported, expected);
    }

    #[test]
    fn keys_at_fault_say_nothing_of_others() {
        let flow = json!({"from": 9, "to": 9, "start": 9 * SECOND, "stop": SECOND});
        let flows = vec![(0, table(&flow))];
        let reported = contradictions(&Parts { flows, nodes: 2, ..Parts::default() });
        assert_eq!(
            reported.len(),
            1,
            "pattern and duration are at fault, the flow still ends before it starts: {reported:?}"
        );
    }
}
