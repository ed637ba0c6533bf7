//! Trains of probes: their gaps behind a narrow wire, times to live, losses, and that a run is nothing but loaded by them.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::config::{App, Config, HostConfig, Transport, WireConfig};
use hopscope_engine::probe::{Probe, Probing};
use hopscope_engine::world::Controls;

use crate::support::{chain, flow};

/// Nodes 0 - 1 - 2 - 3 by wires of 10, 1 and 4 Mbit/s, 1 ms each, queues of 20 packets; no radio.
fn narrow() -> Config {
    let mut config = chain("standard", 3, 10);
    let hosts = serde_json::json!({ "nodes": [0, 1, 2, 3], "wifi": false });
    config.hosts = vec![serde_json::from_value::<HostConfig>(hosts).expect("settings of nodes")];
    let rates = [10_000_000, 1_000_000, 4_000_000];
    config.wires =
        (0..).zip(rates).map(|(i, rate)| WireConfig::between([i, i + 1], rate, Span::from_millis(1), 20)).collect();
    config
}

fn probing(config: Config) -> Probing {
    Probing::new(config, &Controls::new()).expect("a sound scenario")
}

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_micros(us)
}

fn probes(number: usize, bytes: u32, first: Time) -> Vec<Probe> {
    vec![Probe { at: first, bytes, ttl: 0 }; number]
}

const ENDS: (NodeId, NodeId) = (NodeId(0), NodeId(3));
const PATIENCE: Span = Span::from_secs(1);

#[test]
fn a_pair_comes_out_as_far_apart_as_the_narrow_wire_takes_for_a_packet() {
    let mut net = probing(narrow());
    let seen = net.train(ENDS, &probes(2, 1_250, us(500)), PATIENCE).expect("a way");
    // 1, 10 and 2.5 ms to send, 3 ms on the way.
    let at: Vec<Time> = seen.iter().map(|seen| seen.expect("nothing is lost").at).collect();
    assert_eq!(at, [us(17_000), us(27_000)]);
    assert!(seen.iter().all(|seen| seen.is_some_and(|seen| seen.node == NodeId(3))));
    assert_eq!(net.now(), us(27_000), "it waits no longer than it has to");
}

#[test]
fn what_finds_no_room_is_lost_and_is_waited_for() {
    let mut net = probing(narrow());
    let seen = net.train(ENDS, &probes(30, 1_250, us(0)), PATIENCE).expect("a way");
    // Sent back to back at 10 Mbit/s; three leave by the narrow wire while they come.
    assert!(seen[..21].iter().all(Option::is_some), "{seen:?}");
    assert!((5..=9).contains(&seen.iter().filter(|seen| seen.is_none()).count()), "{seen:?}");
    assert_eq!(net.now(), Time::ZERO + PATIENCE);
    // The next train takes none of the last one's for its own.
    let seen = net.train(ENDS, &probes(1, 1_250, us(2_000_000)), PATIENCE).expect("a way");
    assert_eq!(seen[0].map(|seen| seen.at), Some(us(2_016_500)));
}

#[test]
fn where_the_time_to_live_is_used_up_the_router_answers() {
    let mut net = probing(narrow());
    // Over the wires 1, 10 and 2.5 ms and each time 1 ms more; 56 bytes back in 44.8, 448 and 112 us, and as much more.
    for (ttl, node, rtt) in [(1, 1, 3_044_800), (2, 2, 3_044_800 + 12_448_000), (3, 3, 20_104_800)] {
        let probe = Probe { at: net.now(), bytes: 1_250, ttl };
        let (took, by) = net.echo(ENDS, probe, 56, PATIENCE).expect("ways").expect("an answer");
        assert_eq!((by, took), (NodeId(node), Span(rtt)), "{ttl}");
    }
    let far = Probe { at: net.now(), bytes: 1_250, ttl: 9 };
    assert_eq!(net.echo(ENDS, far, 56, PATIENCE).expect("ways").map(|(_, by)| by), Some(NodeId(3)));
}

#[test]
fn times_to_live_hold_over_radio_under_a_routing_protocol() {
    let mut config = chain("standard", 3, 60);
    config.routing.protocol = hopscope_engine::config::net::RoutingProtocol::Aodv;
    let mut net = probing(config);
    for (ttl, node) in [(1, 1), (2, 2), (3, 3)] {
        let probe = Probe { at: net.now(), bytes: 500, ttl };
        let answer = net.echo(ENDS, probe, 56, Span::from_secs(3)).expect("nodes");
        assert_eq!(answer.map(|(_, by)| by), Some(NodeId(node)));
    }
}

#[test]
fn other_traffic_spreads_a_pair_and_no_way_is_an_error() {
    let mut config = narrow();
    config.flows.push(flow("standard", 1, 2, Transport::Udp, App::cbr(800e3)));
    let mut net = probing(config);
    net.advance(us(3_000_000));
    let mut first = net.now();
    let mut gaps = Vec::new();
    for _ in 0..20 {
        let seen = net.train(ENDS, &probes(2, 1_250, first), PATIENCE).expect("a way");
        let at = |n: usize| seen[n].map(|seen| seen.at);
        if let (Some(one), Some(two)) = (at(0), at(1)) {
            gaps.push(two.saturating_since(one));
        }
        first = net.now() + Span::from_micros(13_370);
    }
    assert!(gaps.len() > 15 && gaps.iter().any(|&gap| gap > Span::from_micros(10_001)), "{gaps:?}");
    let mut cut = narrow();
    cut.wires.remove(1);
    let error = probing(cut).train(ENDS, &probes(1, 100, us(0)), PATIENCE).expect_err("no way").to_string();
    assert!(error.contains("no way leads from node 0 to node 3"), "{error}");
}
