//! Wires: rate, delay and drop-tail queue, and ways that lead over radio and wire.

use hopscope_engine::config::{App, Config, HostConfig, Transport, WireConfig};
use hopscope_engine::ids::NodeId;
use hopscope_engine::ledger::Ledger;
use hopscope_engine::record::NullRecorder;
use hopscope_engine::simulation::Simulation;
use hopscope_engine::units::{Span, Time};
use hopscope_engine::{World, world};

use crate::support::{chain, flow};

fn wire(ends: [u32; 2], rate: u64, delay_ms: u64, queue: u32) -> WireConfig {
    WireConfig { ends, rate, back_rate: None, delay: Span::from_millis(delay_ms), queue, hops: 1 }
}

fn wired_only(nodes: &[u32]) -> HostConfig {
    let document = serde_json::json!({ "nodes": nodes, "wifi": false });
    serde_json::from_value(document).expect("settings of nodes")
}

/// Two nodes and a wire, no radio.
fn pair(rate: u64, delay_ms: u64, queue: u32) -> Config {
    let mut config = chain("standard", 1, 10);
    config.hosts = vec![wired_only(&[0, 1])];
    config.wires = vec![wire([0, 1], rate, delay_ms, queue)];
    config
}

#[test]
fn packets_leave_one_after_the_other_and_the_tail_is_dropped() {
    let mut world = World::new(&pair(1_000_000, 5, 2), NullRecorder).expect("a sound scenario");
    // 1250 bytes take 10 ms: one is sent, two wait, the fourth finds no room.
    for _ in 0..4 {
        world.inject(NodeId(0), NodeId(1), &[0; 1_250]).expect("a way");
    }
    world.run_until(Time::ZERO + Span::from_secs(1));
    let arrived: Vec<(u64, u64)> = world.take_arrived().iter().map(|p| (p.number, p.at.0 / 1_000_000)).collect();
    assert_eq!(arrived, [(0, 15), (1, 25), (2, 35)]);
    assert_eq!(world.live_packets(), 0);
    assert_eq!(world.frames(), 0, "nothing is on the air");
}

#[test]
fn tcp_fills_a_wire() {
    let mut config = pair(2_000_000, 10, 30);
    config.flows.push(flow("standard", 0, 1, Transport::TcpNewReno, App::Bulk));
    let result = Simulation::new(config).expect("a sound scenario").run();
    // Nine seconds of ten; 1460 of 1500 bytes are payload.
    let full = 2_000.0 * 1_460.0 / 1_500.0 * 0.9;
    let got = result.flows[0].throughput_kbps;
    assert!(got > 0.97 * full && got <= full * 1.001, "{got} of {full} kbit/s");
    assert_eq!(result.engine.frames, 0);
}

#[test]
fn a_way_leads_over_radio_and_wire() {
    // Nodes 0 - 1 - 2 by radio, 2 - 3 by wire; node 3 stands beside node 0, but has no radio.
    let mut config = chain("standard", 2, 10);
    config.nodes.push([10.0, 0.0]);
    config.hosts = vec![wired_only(&[3])];
    config.wires = vec![wire([2, 3], 10_000_000, 2, 50)];
    config.flows.push(flow("standard", 0, 3, Transport::TcpNewReno, App::Bulk));
    let result = Simulation::new(config).expect("a sound scenario").run();
    assert_eq!(result.flows[0].hops, 3);
    assert!(result.flows[0].throughput_kbps > 300.0, "{:?}", result.flows[0]);
    assert!(result.engine.frames > 1_000);
}

#[test]
fn a_wire_of_zero_rate_and_a_node_without_any_way_are_named() {
    let error = |config: &Config| world::check(config).expect_err("refused").to_string();
    assert!(error(&pair(0, 1, 1)).starts_with("wires.0.rate: found 0 bit/s"), "{}", error(&pair(0, 1, 1)));
    let mut cut = pair(1_000_000, 1, 1);
    cut.wires.clear();
    cut.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(1e5)));
    let error = World::new(&cut, NullRecorder).expect_err("no way").to_string();
    assert!(error.starts_with("flows.0.to: node 1 cannot be reached from node 0"), "{error}");
}

#[test]
fn a_node_may_have_rules_and_rates_of_its_own() {
    let aggregate = |change: &dyn Fn(&mut Config)| {
        let mut config = chain("standard", 1, 5);
        config.flows.push(flow("standard", 0, 1, Transport::Udp, App::Bulk));
        change(&mut config);
        Simulation::new(config).expect("a sound scenario").run().flows[0].throughput_kbps
    };
    let host = |document: serde_json::Value| serde_json::from_value::<HostConfig>(document).expect("settings");
    let common = aggregate(&|_| {});
    let slower = aggregate(&|config| {
        let rates = serde_json::json!({ "data_rate": 1_000_000, "basic_rate": 1_000_000 });
        config.hosts = vec![host(serde_json::json!({ "nodes": [0], "rates": rates }))];
    });
    // At half the rate the data frame takes nearly twice as long: 12,3 instead of 6,3 of some 8 ms.
    assert!(slower < 0.62 * common && slower > 0.5 * common, "{slower} and {common} kbit/s");
    let other = aggregate(&|config| {
        let rates = serde_json::json!({ "data_rate": 1_000_000, "basic_rate": 1_000_000 });
        config.hosts = vec![host(serde_json::json!({ "nodes": [1], "rates": rates }))];
    });
    assert_eq!(other, common, "the receiver answers in the mode that the frame asks for");
    let without_rts = aggregate(&|config| {
        let mac = hopscope_engine::config::MacConfig { rts_threshold: None, ..config.mac.clone() };
        config.hosts = vec![HostConfig { mac: Some(mac), ..host(serde_json::json!({ "nodes": [0] })) }];
    });
    assert!(without_rts > 1.05 * common, "{without_rts} and {common} kbit/s");
    let mut wrong = chain("standard", 1, 5);
    let rates = serde_json::json!({ "data_rate": 3_000_000, "basic_rate": 1_000_000 });
    wrong.hosts = vec![host(serde_json::json!({ "nodes": [1], "rates": rates }))];
    let error = world::check(&wrong).expect_err("no such rate").to_string();
    assert!(error.starts_with("hosts.0.rates.data_rate: found 3 Mbit/s"), "{error}");
}

#[test]
fn udp_without_a_rate_of_its_own_fills_a_wire() {
    for profile in ["standard", "ns2"] {
        let mut config = pair(2_000_000, 10, 30);
        config.net = hopscope_engine::config::presets::base(profile, "wavelan-2M").expect("a profile").net;
        config.flows.push(flow(profile, 0, 1, Transport::Udp, App::Bulk));
        let header = config.net.ip_header + config.net.udp_header;
        let result = Simulation::new(config).expect("a sound scenario").run();
        let full = 2_000.0 * 1_480.0 / (1_480.0 + f64::from(header)) * 0.9;
        let got = result.flows[0].throughput_kbps;
        assert!(got > 0.99 * full && got <= full * 1.001, "{profile}: {got} of {full} kbit/s");
        assert_eq!(result.nodes[0].queue_drops, 0, "{profile}: it waits for room");
    }
}

#[test]
fn the_ledger_tells_waiting_before_a_wire_from_the_time_on_it() {
    let mut config = pair(1_000_000, 5, 50);
    // Three packets of 1508 bytes at once, 12.064 ms each: the second waits for one, the third for two.
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::File { bytes: 3 * 1_480 }));
    let mut simulation = Simulation::observed(config.clone(), Ledger::new(&config)).expect("a sound scenario");
    simulation.run();
    let ledger = simulation.observe(|ledger, now, look| ledger.result(now, look));
    let flow = &ledger.flows[0];
    assert_eq!((flow.copies, flow.packets["data"].delivered), (3, 3));
    let one = 12_064_000;
    let parts: Vec<(&str, u64)> = flow.ns.iter().map(|(part, ns)| (*part, *ns)).collect();
    assert_eq!(parts, [("airtime", 3 * (one + 5_000_000)), ("queueing", 3 * one)]);
}
