//! A whole ns-2 script as a scenario file: nodes, movement, radio, MAC, routing and flows of what is followed, and a list of
//! what is not.

use super::Script;
use super::radio::{self, Configuration};
use crate::movement_files::{self, Path};
use crate::near::Position;
use crate::toml;
use crate::traffic_files::{self, Connection, TrafficKind};
use crate::value::Value;
use hopscope_core::math;

/// A scenario file made of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Its text; what is not followed stands in comments at its beginning.
    pub text: String,
    /// What is not followed: place, reason, and the beginning of the statement.
    pub left: Vec<String>,
}

pub(super) type Keys = Vec<(String, Value)>;

pub(super) fn key(name: &str, value: Value) -> (String, Value) {
    (name.to_string(), value)
}

pub(super) fn text(value: &str) -> Value {
    Value::Text(value.to_string())
}

/// A number; a whole one without a point.
pub(super) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return Value::Int(value as i128);
    }
    Value::Float(value, format!("{value:?}"))
}

fn nanoseconds(value: u64) -> Value {
    number(value as f64 / 1e9)
}

fn node(value: usize) -> Value {
    Value::Int(value as i128)
}

/// The scenario file of a script; `title` is its name there.
///
/// # Errors
/// It has fewer than two nodes, or nothing that sends: no scenario can be made of it.
pub fn import(script: &Script, name: &str, title: &str) -> Result<Imported, String> {
    let count = script.nodes.keys().next_back().map_or(0, |last| last + 1);
    if count < 2 {
        return Err(format!("{name}: makes {count} nodes; a scenario needs two at least"));
    }
    if count > MOST_NODES {
        return Err(format!("{name}: makes {count} nodes; at most {MOST_NODES} are imported"));
    }
    let mut left: Vec<String> = script
        .unread
        .iter()
        .map(|unread| {
            let shown = if unread.text.is_empty() { String::new() } else { format!(": {}", unread.text) };
            script.fault(unread.at, &format!("{}{shown}", unread.why))
        })
        .collect();
    let mut connections = Vec::new();
    for found in traffic_files::of_script(script) {
        match found {
            Ok(found) => connections.extend(found),
            Err(fault) => left.push(fault),
        }
    }
    // An `exit` at the end of a script without a run has no time.
    let end = script.end.map(|(_, end)| end).filter(|end| *end > 0.0);
    if end.is_none() {
        left.push(format!("{name}: no end of the run (halt, exit) was found; it lasts {DURATION} s"));
    }
    let end = end.unwrap_or(DURATION);
    // A scenario refuses flows that never start; in ns-2 they do nothing.
    connections.retain(|one| (one.start as f64) < end * 1e9);
    if connections.is_empty() {
        let more = left.first().map_or(String::new(), |first| format!("; {first}"));
        return Err(format!("{name}: nothing in it sends before the end of the run{more}"));
    }
    let Configuration { radio, mac, routing, left: unset } = radio::configuration(script);
    left.extend(unset);
    let positions: Vec<Value> =
        (0..count).map(|number_of| Value::List(home(script, number_of).map(number).to_vec())).collect();
    let topology = vec![key("kind", text("positions")), key("positions", Value::List(positions))];
    let flows = connections.iter().map(|one| Value::Table(flow(one))).collect();
    let mut keys = vec![
        key("title", text(title)),
        key("duration", number(end)),
        // Most of ns-2's defaults are in the profile; what differs is written as a key.
        key("profile", text("ns2")),
        key("topology", Value::Table(topology)),
        key("radio", Value::Table(radio)),
        key("mac", Value::Table(mac)),
        key("routing", Value::Table(routing)),
        key("flow", Value::List(flows)),
    ];
    keys.retain(|(_, value)| *value != Value::Table(Vec::new()));
    let moves: Vec<Value> = (0..count).flat_map(|node| moves(script, node, end)).collect();
    if !moves.is_empty() {
        keys.push(key("event", Value::List(moves)));
    }
    Ok(Imported { text: heading(name, &left) + &toml::document(&keys), left })
}

/// Where no end of the run is found, seconds: the default of `duration`.
const DURATION: f64 = 300.0;
/// Most nodes of a script.
const MOST_NODES: usize = 10_000;

/// Comments: where the file comes from, and what is not followed.
fn heading(name: &str, left: &[String]) -> String {
    let plain = |line: &str| -> String {
        // TOML allows no control characters in comments, and a script may hold any.
        line.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
    };
    let mut lines = vec![format!("# Made by hopscope import from {}.", plain(name))];
    if !left.is_empty() {
        lines.push("# Not followed:".to_string());
        lines.extend(left.iter().map(|line| format!("#   {}", plain(line))));
    }
    lines.join("\n") + "\n"
}

/// Where a node begins: at the origin where the script does not say it, as in ns-2.
fn home(script: &Script, node: usize) -> Position {
    let position = script.nodes.get(&node).map(|node| node.position).unwrap_or_default();
    position.map(|axis| axis.map_or(0.0, |(_, metres)| metres))
}

/// The movement of a node as events.
fn moves(script: &Script, number_of: usize, end: f64) -> Vec<Value> {
    let Some(orders) = script.nodes.get(&number_of).map(|node| node.orders.as_slice()) else { return Vec::new() };
    let path: Path = movement_files::follow(home(script, number_of), orders);
    let leg = |pair: &[(u64, Position)]| {
        let ((from, here), (to, there)) = (pair[0], pair[1]);
        // Rests need no event; those after the end would be refused.
        if here == there || to <= from || from as f64 >= end * 1e9 {
            return None;
        }
        // The path has no speeds: that of a leg follows from its ends.
        let speed = math::hypot(there[0] - here[0], there[1] - here[1]) / ((to - from) as f64 * 1e-9);
        Some(Value::Table(vec![
            key("at", nanoseconds(from)),
            key("kind", text("move")),
            key("node", node(number_of)),
            key("position", Value::List(there.map(number).to_vec())),
            key("speed", number(speed)),
        ]))
    };
    path.windows(2).filter_map(leg).collect()
}

fn flow(one: &Connection) -> Keys {
    let mut keys = vec![key("from", node(one.from)), key("to", node(one.to)), key("transport", text(one.transport()))];
    match &one.sends {
        TrafficKind::Cbr { rate, jitter, packets } => {
            keys.push(key("app", text("cbr")));
            keys.push(key("rate", number(*rate)));
            if *jitter {
                keys.push(key("jitter", text("uniform")));
            }
            keys.extend(packets.map(|packets| key("packets", Value::Int(packets.into()))));
        }
        TrafficKind::Ftp { bytes, window, initial, ack_delay, .. } => {
            if let Some(bytes) = bytes {
                keys.extend([key("app", text("file")), key("bytes", Value::Int((*bytes).into()))]);
            }
            keys.push(key("max_window", Value::Int((*window).into())));
            if let Some(delay) = ack_delay {
                keys.extend([key("ack", text("ns2-delack")), key("ack_delay", nanoseconds(*delay))]);
            }
            if let Some(initial) = initial {
                keys.push(key("tcp", Value::Table(vec![key("initial_window", Value::Int((*initial).into()))])));
            }
        }
    }
    keys.push(key("packet", Value::Int(one.packet.into())));
    keys.push(key("start", nanoseconds(one.start)));
    keys.extend(one.stop.map(|stop| key("stop", nanoseconds(stop))));
    keys
}
