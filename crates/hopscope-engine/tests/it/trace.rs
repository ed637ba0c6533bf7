//! A trace needs nothing but the records: small runs read as text.

use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::{Span, Time};
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::{App, Config, FlowConfig, HostConfig, Transport, WireConfig};
use hopscope_engine::record::Record;
use hopscope_engine::simulation;
use hopscope_engine::trace::{FieldValues, Filter, Form, RecordTrace, RecordValues, Sink, Trace, Value};
use hopscope_engine::world::World;

use crate::support::{chain, flow};

/// One datagram from the first node to the last.
fn with_datagram(mut config: Config) -> Config {
    let last = config.nodes.len() as u32 - 1;
    config.net.arp = false;
    config.flows.push(flow("standard", 0, last, Transport::Udp, App::File { bytes: 1_000 }));
    config
}

/// What a trace of a whole run consists of.
fn traced(config: &Config, form: Form, filter: Filter) -> String {
    let mut world = World::new(config, RecordTrace::new(form, filter, String::new())).expect("a sound scenario");
    world.run_until(config.duration);
    world.observe(|trace, _, _| trace.flush());
    world.recorder().sink().clone()
}

/// Holds the text of a run against the one stored.
fn compare(config: &Config, stored: &str) {
    let found = traced(config, Form::Text, Filter::default());
    for (line, (found, stored)) in found.lines().zip(stored.lines()).enumerate() {
        assert_eq!(found, stored, "line {}", line + 1);
    }
    assert_eq!(found.lines().count(), stored.lines().count(), "{found}");
}

#[test]
fn a_datagram_over_two_hops_reads_as_text() {
    compare(&with_datagram(chain("standard", 2, 2)), include_str!("trace.txt"));
}

#[test]
fn a_search_and_its_datagram_read_as_text() {
    let mut config = with_datagram(chain("standard", 1, 2));
    config.routing.protocol = RoutingProtocol::Aodv;
    compare(&config, include_str!("trace_aodv.txt"));
}

#[test]
fn a_datagram_over_two_wires_reads_as_text() {
    let mut config = with_datagram(chain("standard", 2, 2));
    let host = serde_json::json!({ "nodes": [0, 1, 2], "wifi": false });
    config.hosts = vec![serde_json::from_value::<HostConfig>(host).expect("settings of nodes")];
    let wire = |ends| WireConfig::between(ends, 1_000_000, Span::from_millis(2), 5);
    config.wires = vec![wire([0, 1]), wire([1, 2])];
    compare(&config, include_str!("trace_wire.txt"));
}

/// Three nodes, a TCP flow over two hops and a UDP one over one, AODV: many kinds of records.
fn busy() -> Config {
    let mut config = chain("standard", 2, 5);
    config.routing.protocol = RoutingProtocol::Aodv;
    config.flows.push(flow("standard", 0, 2, Transport::TcpSack, App::Bulk));
    let start = Time(1_200_000_000); // searches that begin together collide for ever
    config.flows.push(FlowConfig { start, ..flow("standard", 2, 1, Transport::Udp, App::File { bytes: 200_000 }) });
    config
}

#[test]
fn text_and_json_report_the_same() {
    let (text, json) = (traced(&busy(), Form::Text, Filter::default()), traced(&busy(), Form::Json, Filter::default()));
    assert!(text.lines().count() > 2_000);
    assert_eq!(text.lines().count(), json.lines().count());
    for (text, json) in text.lines().zip(json.lines()) {
        let object: serde_json::Value = serde_json::from_str(json).unwrap_or_else(|e| panic!("{json}: {e}"));
        let nanos = object["time"].as_u64().expect("an instant");
        let head = format!(
            "{}.{:09} {}",
            nanos / 1_000_000_000,
            nanos % 1_000_000_000,
            object["record"].as_str().expect("a name")
        );
        assert!(text == head || text.starts_with(&format!("{head} ")), "{text}\n{json}");
        assert!(Record::NAMES.contains(&object["record"].as_str().expect("a name")));
        for name in ["node", "flow", "packet", "seq"] {
            let reported = text.split(' ').any(|word| word.starts_with(&format!("{name}=")));
            assert_eq!(reported, object.get(name).is_some(), "{text}\n{json}");
        }
    }
}

#[test]
fn values_are_what_json_says() {
    let json = traced(&busy(), Form::Json, Filter::default());
    let recorder = RecordValues::new(Filter::default(), Vec::<FieldValues>::new());
    let mut world = World::new(&busy(), recorder).expect("a sound scenario");
    world.run_until(busy().duration);
    world.observe(|trace, _, _| trace.flush());
    let records = world.recorder().sink();
    assert_eq!(records.len(), json.lines().count());
    for (entries, json) in records.iter().zip(json.lines()) {
        let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(json).expect("an object");
        assert_eq!(entries.len(), object.len(), "{json}");
        for (name, value) in entries {
            let want = match value {
                Value::None => serde_json::Value::Null,
                Value::Flag(holds) => (*holds).into(),
                Value::Number(number) => (*number).into(),
                // A real number that is whole has no point in JSON.
                Value::Real(number) => serde_json::from_str(&format!("{number}")).expect("a number"),
                Value::Word(word) => (*word).into(),
                Value::Ranges(ranges) => ranges.iter().map(|&(from, to)| vec![from, to]).collect::<Vec<_>>().into(),
            };
            assert_eq!(object[*name], want, "{name} in {json}");
        }
    }
}

#[test]
fn a_filter_lets_through_what_it_says_and_nothing_else() {
    let config = busy();
    let all = traced(&config, Form::Json, Filter::default());
    let objects: Vec<serde_json::Value> = all.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    type Holds = fn(&serde_json::Value) -> bool;
    let (from, until) = (Time(1_500_000_000), Time(1_600_000_000));
    let cases: [(Filter, Holds); 4] = [
        (Filter { from, until, ..Filter::default() }, |o| {
            (1_500_000_000..=1_600_000_000).contains(&o["time"].as_u64().unwrap_or(0))
        }),
        (Filter { flows: Some(vec![FlowId(1)]), ..Filter::default() }, |o| o["flow"] == 1),
        (Filter { names: Some(vec!["Dropped", "PacketArrived"]), ..Filter::default() }, |o| {
            o["record"] == "Dropped" || o["record"] == "PacketArrived"
        }),
        (Filter { nodes: Some(vec![NodeId(2)]), ..Filter::default() }, |o| {
            let leaves = o["record"] == "FrameBegan";
            o["node"] == 2 || leaves && (o["src"] == 2 || o["dst"] == 2)
        }),
    ];
    for (filter, holds) in cases {
        let label = format!("{filter:?}");
        let wanted: Vec<&str> =
            all.lines().zip(&objects).filter(|(_, object)| holds(object)).map(|(line, _)| line).collect();
        assert!(!wanted.is_empty() && wanted.len() < objects.len(), "{label}");
        assert_eq!(traced(&config, Form::Json, filter).lines().collect::<Vec<_>>(), wanted, "{label}");
    }
}

/// A sink that is full after so many bytes, and counts how often it was asked.
#[derive(Debug)]
struct Full {
    room: usize,
    asked: usize,
}

impl Sink for Full {
    fn take(&mut self, lines: &str) -> bool {
        assert!(lines.ends_with('\n'), "whole lines");
        self.asked += 1;
        self.room = self.room.saturating_sub(lines.len());
        self.room > 0
    }
}

#[test]
fn a_sink_that_is_full_ends_the_trace_and_not_the_run() {
    let config = busy();
    let plain = simulation::run(config.clone()).expect("a sound scenario");
    let sink = Full { room: 100_000, asked: 0 };
    let trace = RecordTrace::new(Form::Text, Filter::default(), sink);
    let mut run = hopscope_engine::Simulation::observed(config, trace).expect("a sound scenario");
    let mut result = run.run();
    run.observe(|trace, _, _| trace.flush());
    assert_eq!(run.observer().sink().asked, 2, "64 kB twice, and never again");
    result.engine.events = plain.engine.events; // what is overheard is an event of its own
    assert_eq!(serde_json::to_value(&result).expect("JSON"), serde_json::to_value(&plain).expect("JSON"));
}
