//! Any configuration either runs or is refused with the key at fault: no panic, no hang.

use hopscope_core::units::{Span, Time};
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::{App, Config, LinkConfig, SeriesKind, Transport};
use hopscope_engine::record::NullRecorder;
use hopscope_engine::{World, simulation, world};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{chain, flow};

/// Events after which a run counts as alive.
const ENOUGH: u64 = 20_000;

fn sound(profile: &str) -> Value {
    let mut config = chain(profile, 3, 2);
    config.flows.push(flow(profile, 0, 3, Transport::TcpNewReno, App::Bulk));
    config.flows.push(flow(profile, 3, 0, Transport::TcpSack, App::File { bytes: 2_000 }));
    config.flows.push(flow(profile, 1, 2, Transport::Udp, App::cbr(400e3)));
    let on_off = App::OnOff { rate: 400e3, on: Span::from_millis(10), off: Span::from_millis(10), codec: None };
    config.flows.push(flow(profile, 2, 0, Transport::Udp, on_off));
    config.flows.push(flow(profile, 3, 2, Transport::Udp, App::Poisson { rate: 100e3 }));
    let frames = vec![(Span::ZERO, 4_000), (Span::from_millis(40), 100)];
    config.flows.push(flow(profile, 0, 2, Transport::Udp, App::Trace { frames }));
    for flow in &mut config.flows {
        flow.start = Time::ZERO + Span::from_millis(1);
    }
    config.link.layer = "red+lred+pacing".parse().expect("a layer");
    let everything = "nred+fq-codel+timer".parse().expect("a layer");
    config.layers = vec![LinkConfig { layer: everything, nodes: vec![1, 2], ..LinkConfig::default() }];
    config.series.keep = vec![SeriesKind::Queue, SeriesKind::Cwnd];
    config.series.interval = Span::from_millis(100);
    serde_json::to_value(config).expect("a configuration is JSON")
}

/// One small file over one hop: the connection opens, carries, closes and waits within the first events.
fn quiet(profile: &str) -> Value {
    let mut config = chain(profile, 1, 2);
    config.flows.push(flow(profile, 0, 1, Transport::TcpNewReno, App::File { bytes: 2_000 }));
    config.flows[0].start = Time::ZERO;
    serde_json::to_value(config).expect("a configuration is JSON")
}

/// The same network over a routing protocol.
fn routed(profile: &str, protocol: &str) -> Value {
    let mut document = sound(profile);
    document["routing"]["protocol"] = json!(protocol);
    document
}

/// The protocols that have parameters of their own; their sections bear their names.
fn protocols() -> impl Iterator<Item = &'static str> {
    RoutingProtocol::WORDS.iter().map(|(word, _)| *word).filter(|word| *word != "static")
}

/// One place of the document is changed: a walk from the root that takes the child `path[i] % children` at each level.
#[derive(Debug, Clone)]
struct Change {
    path: Vec<usize>,
    to: Value,
    how: u8,
}

fn value() -> impl Strategy<Value = Value> {
    let numbers = prop_oneof![
        Just(json!(0)),
        Just(json!(1)),
        Just(json!(-1)),
        Just(json!(2)),
        Just(json!(255)),
        Just(json!(65_536)),
        Just(json!(u32::MAX)),
        Just(json!(1_000_000_000u64)),
        Just(json!(i64::MAX)),
        Just(json!(u64::MAX)),
        Just(json!(0.5)),
        Just(json!(1e-300)),
        Just(json!(1e300)),
        any::<u64>().prop_map(|n| json!(n)),
        any::<u16>().prop_map(|n| json!(n)),
        (-1e6..1e6f64).prop_map(|x| json!(x)),
    ];
    let others = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        "[a-z0-9-]{0,12}".prop_map(Value::String),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[0.0, 0.0], [1.0, 1.0]])),
        Just(json!("tcp-vegas")),
        Just(json!("udp")),
        Just(json!("range")),
        Just(json!("codel+nred")),
        Just(json!("sinr")),
        Just(json!("ofdm")),
    ];
    prop_oneof![3 => numbers, 1 => others]
}

fn change() -> impl Strategy<Value = Change> {
    (proptest::collection::vec(any::<usize>(), 5), value(), 0..10u8).prop_map(|(path, to, how)| Change {
        path,
        to,
        how,
    })
}

fn apply(place: &mut Value, change: &Change) {
    apply_below(place, change, 0);
}

fn apply_below(place: &mut Value, change: &Change, depth: usize) {
    // Sections hold most parameters: the walk may stop early at any level but the first.
    let step = change.path.get(depth).copied().filter(|step| depth == 0 || step % 11 != 0);
    match (place, step) {
        (Value::Object(map), Some(step)) if !map.is_empty() => {
            let key = map.keys().nth(step % map.len()).cloned().expect("an entry");
            if change.how == 0 && depth > 0 {
                map.remove(&key);
            } else if change.how == 1 && depth > 0 {
                map.insert("unheard-of".into(), change.to.clone());
            } else {
                apply_below(&mut map[&key], change, depth + 1);
            }
        }
        (Value::Array(list), Some(step)) if !list.is_empty() => {
            let at = step % list.len();
            apply_below(&mut list[at], change, depth + 1);
        }
        (place, _) => *place = change.to.clone(),
    }
}

/// Builds and starts what may be nonsense; gives the error, if it was refused.
fn attempt(text: &str) -> Option<String> {
    let config: Config = match serde_json::from_str(text) {
        Ok(config) => config,
        Err(error) => return Some(error.to_string()),
    };
    let checked = world::check(&config).err();
    let estimated = simulation::estimate(&config).err();
    assert_eq!(checked, estimated, "one check for all");
    let built = World::new(&config, NullRecorder);
    if let Some(error) = checked {
        assert_eq!(built.err(), Some(error.clone()), "what the check refuses is not built");
        assert!(!error.key.is_empty() && !error.message.is_empty());
        return Some(error.to_string());
    }
    match built {
        Err(error) => Some(error.to_string()),
        Ok(mut world) => {
            while let Some(next) = world.next_event() {
                if !(next <= config.duration && world.events() < ENOUGH) {
                    break;
                }
                world.run_until(next);
            }
            None
        }
    }
}

#[test]
fn the_unchanged_documents_run() {
    for profile in ["standard", "ns2"] {
        assert_eq!(attempt(&sound(profile).to_string()), None);
    }
    for protocol in protocols() {
        assert_eq!(attempt(&routed("standard", protocol).to_string()), None, "{protocol}");
    }
}

#[test]
fn a_refusal_names_the_place() {
    for (place, value, expected) in [
        ("/radio/cs_range", json!(100.0), "radio.cs_range: found 100 m"),
        ("/mac/queue", json!(0), "mac.queue: found 0"),
        ("/flows/1/to", json!(9), "flows.1.to: node 9 does not exist"),
        ("/flows/0/packet", json!(9_000), "flows.0.packet: found 9000 bytes"),
        ("/nodes/2", json!([1e10, 0.0]), "nodes.2: found position"),
        ("/duration", json!(0), "duration: found 0 s"),
        ("/radio/phy", json!("dss"), "phy: unknown variant `dss`"),
        ("/mac/slot", json!(-5), "slot: invalid value: integer `-5`"),
    ] {
        let mut document = sound("standard");
        *document.pointer_mut(place).expect("a place") = value;
        let error = attempt(&document.to_string()).unwrap_or_default();
        assert!(error.starts_with(expected), "{place}: {error}");
    }
}

/// Pointers to every value of the document that is not a section.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, below)| leaves(below, &format!("{path}/{key}"), found)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(n, below)| leaves(below, &format!("{path}/{n}"), found))
        }
        _ => found.push(path.to_string()),
    }
}

#[test]
#[ignore = "takes half a minute; make test runs it"]
fn every_parameter_at_its_extremes_runs_or_is_refused_in_standard() {
    at_their_extremes("standard");
}

#[test]
#[ignore = "takes half a minute; make test runs it"]
fn every_parameter_at_its_extremes_runs_or_is_refused_in_ns2() {
    at_their_extremes("ns2");
}

fn at_their_extremes(profile: &str) {
    let (mut panics, mut ran, mut refused) = (Vec::new(), 0, 0);
    let extremes = [
        json!(0),
        json!(1),
        json!(u32::MAX),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(-1e308),
        json!(1e-308),
        json!(0.1),
        json!(1e308),
        json!(null),
    ];
    let mut documents = vec![
        ("many flows".to_string(), sound(profile), "/".to_string()),
        ("one file".to_string(), quiet(profile), "/".to_string()),
    ];
    for protocol in protocols() {
        documents.push((protocol.to_string(), routed(profile, protocol), format!("/{protocol}/")));
    }
    for (name, original, part) in documents {
        let mut places = Vec::new();
        leaves(&original, "", &mut places);
        places.retain(|place| place.starts_with(&part));
        assert!(!places.is_empty(), "{name} has parameters");
        for place in &places {
            for extreme in &extremes {
                let mut document = original.clone();
                *document.pointer_mut(place).expect("the place was found there") = extreme.clone();
                let text = document.to_string();
                match std::panic::catch_unwind(|| attempt(&text)) {
                    Ok(None) => ran += 1,
                    Ok(Some(_)) => refused += 1,
                    Err(_) => panics.push(format!("{name}: {place} = {extreme}")),
                }
            }
        }
    }
    assert!(panics.is_empty(), "these panic: {panics:#?}");
    assert!(ran > 500 && refused > 500, "{ran} ran, {refused} were refused");
}

proptest! {
    #![proptest_config(hopscope_testing::property(500))]

    #[test]
    fn changed_documents_run_or_are_refused(
        ns2 in any::<bool>(),
        protocol in proptest::sample::select(RoutingProtocol::WORDS.to_vec()),
        changes in proptest::collection::vec(change(), 1..4),
    ) {
        let mut document = routed(if ns2 { "ns2" } else { "standard" }, protocol.0);
        for change in &changes {
            apply(&mut document, change);
        }
        attempt(&document.to_string());
    }

    #[test]
    fn broken_text_is_refused(cut in 0..4_000usize, at in 0..4_000usize, byte in any::<char>()) {
        let mut text = sound("standard").to_string();
        let keep = |text: &str, n: usize| (0..=n.min(text.len() - 1)).rev().find(|&n| text.is_char_boundary(n)).unwrap_or(0);
        text.insert(keep(&text, at), byte);
        text.truncate(keep(&text, cut));
        prop_assert!(attempt(&text).is_some(), "a document cut short is refused");
    }
}
