//! Hashes of many runs, one line each: `trajectories FILE`, to hold two versions of the engine against each other.
//!
//! FILE holds one document a line: `{"profile": "ns2", "config": {...}}`. A key that a document leaves out has the value
//! of its profile, so that documents written by an older version keep their meaning. A line of output gives the hash of
//! the frames (instants, transmitters, kinds, receivers) and that of what the flows received and the nodes lost.
#![expect(clippy::print_stdout, reason = "a measuring program talks to the terminal")]

use hopscope_engine::config::{Config, presets};
use hopscope_engine::record::TrajectoryHash;
use hopscope_engine::simulation::Simulation;
use serde_json::{Value, json};

/// Sets what `from` says in `into`, section by section.
fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

/// The configuration of a line.
fn read(line: &str) -> Config {
    let document: Value = serde_json::from_str(line).expect("a document");
    let profile = document["profile"].as_str().expect("a profile");
    let base = serde_json::to_value(presets::base(profile, "wavelan-2M").expect("a profile")).expect("JSON");
    let mut config = json!({});
    for section in
        ["radio", "mac", "link", "net", "aodv", "dsdv", "dsr", "olsr", "babel", "batman_iv", "batman_v", "hwmp"]
    {
        config[section] = base[section].clone();
    }
    merge(&mut config, &document["config"]);
    for flow in config["flows"].as_array_mut().into_iter().flatten() {
        let mut tcp = base["tcp"].clone();
        merge(&mut tcp, &flow["tcp"]);
        flow["tcp"] = tcp;
    }
    serde_json::from_value(config).expect("a configuration")
}

/// FNV-1a of some text.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn main() {
    let path = std::env::args().nth(1).expect("a file of documents");
    let text = std::fs::read_to_string(path).expect("a readable file");
    for (number, line) in text.lines().enumerate() {
        let mut simulation = Simulation::observed(read(line), TrajectoryHash::default()).expect("a sound scenario");
        let result = serde_json::to_value(simulation.run()).expect("results are JSON");
        let mut figures = String::new();
        for flow in result["flows"].as_array().expect("flows") {
            for key in
                ["throughput_kbps", "sent_packets", "received_packets", "duplicate_packets", "delay_ms", "mean_cwnd"]
            {
                figures += &format!("{} ", flow[key]);
            }
        }
        for node in result["nodes"].as_array().expect("nodes") {
            for key in ["queue_mean", "queue_max", "drops"] {
                figures += &format!("{} ", node[key]);
            }
        }
        println!("{number} {:016x} {:016x}", simulation.observer().0, hash(&figures));
    }
}
