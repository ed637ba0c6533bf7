//! Wires: rate, delay and drop-tail queue, and ways that lead over radio and wire.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::config::link::{LinkConfig, LinkPart};
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::{App, Config, HostConfig, Transport, WireConfig};
use hopscope_engine::ledger::Ledger;
use hopscope_engine::record::NullRecorder;
use hopscope_engine::simulation::Simulation;
use hopscope_engine::world::Doorkeeper;
use hopscope_engine::{World, world};

use crate::support::{chain, flow, take_arrived};

fn wire(ends: [u32; 2], rate: u64, delay_ms: u64, queue: u32) -> WireConfig {
    WireConfig::between(ends, rate, Span::from_millis(delay_ms), queue)
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
    let mut world = World::new(&pair(1_000_000, 5, 2), Doorkeeper::default()).expect("a sound scenario");
    // 1250 bytes take 10 ms: one is sent, two wait, the fourth finds no room.
    for _ in 0..4 {
        world.inject(NodeId(0), NodeId(1), &[0; 1_250]).expect("a way");
    }
    world.run_until(Time::ZERO + Span::from_secs(1));
    let arrived: Vec<(u64, u64)> = take_arrived(&mut world).iter().map(|p| (p.number, p.at.0 / 1_000_000)).collect();
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
fn packets_pass_each_other_where_that_is_asked_for() {
    let arrived = |change: &dyn Fn(&mut WireConfig)| {
        let mut config = pair(10_000_000, 20, 100);
        change(&mut config.wires[0]);
        let mut world = World::new(&config, Doorkeeper::default()).expect("a sound scenario");
        for _ in 0..100 {
            world.inject(NodeId(0), NodeId(1), &[0; 1_250]).expect("a way");
        }
        world.run_until(Time::ZERO + Span::from_secs(1));
        assert_eq!(world.live_packets(), 0);
        let found: Vec<(u64, u64)> = take_arrived(&mut world).iter().map(|p| (p.number, p.at.0 / 1_000)).collect();
        assert_eq!(found.len(), 100, "nothing is lost");
        found
    };
    let sorted = |found: &[(u64, u64)]| found.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let usual = arrived(&|_| {});
    // A packet leaves each millisecond.
    assert!(usual.iter().all(|&(number, at)| at == 1_000 * number + 21_000));
    let jitter = arrived(&|wire| wire.jitter = Span::from_millis(5));
    assert!(sorted(&jitter) && jitter != usual);
    assert!(!sorted(&arrived(&|wire| (wire.jitter, wire.jitter_reorders) = (Span::from_millis(5), true))));
    let held = arrived(&|wire| (wire.reorder, wire.reorder_delay) = (0.1, Span::from_micros(3_500)));
    let late: Vec<u64> = held.iter().filter(|&&(n, at)| at == 1_000 * n + 24_500).map(|&(n, _)| n).collect();
    assert!((3..20).contains(&late.len()), "{late:?}");
    assert!(held.iter().all(|&(n, at)| late.contains(&n) || at == 1_000 * n + 21_000));
    let past = arrived(&|wire| wire.reorder = 0.1);
    assert!(past.iter().all(|&(n, at)| at == 1_000 * n + if late.contains(&n) { 1_000 } else { 21_000 }));
}

#[test]
fn a_sender_hears_of_the_disorder() {
    let run = |reorder| {
        let mut config = pair(2_000_000, 40, 100);
        (config.wires[0].reorder, config.wires[0].reorder_delay) = (reorder, Span::from_millis(30));
        config.flows.push(flow("standard", 0, 1, Transport::TcpNewReno, App::Bulk));
        Simulation::new(config).expect("a sound scenario").run().flows[0].clone()
    };
    let (usual, disorder) = (run(0.0), run(0.02));
    // Segments held back for five others' time make duplicates, taken for losses: nothing is lost, and the window is cut.
    assert!(disorder.retransmission_index_pct > Some(0.0), "{disorder:?}");
    assert_eq!(usual.retransmission_index_pct, Some(0.0));
    assert!(disorder.throughput_kbps < 0.9 * usual.throughput_kbps, "{disorder:?}");
}

#[test]
fn a_way_leads_over_radio_and_wire() {
    // Nodes 0 - 1 - 2 by radio, 2 - 3 by wire; node 3 stands next to node 0, but has no radio.
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
fn the_ledger_reports_waiting_before_a_wire_from_the_time_on_it() {
    let mut config = pair(1_000_000, 5, 50);
    // Three packets of 1508 bytes at once, 12.064 ms each: the second waits for one, the third for two.
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::File { bytes: 3 * 1_480 }));
    let mut simulation = Simulation::observed(config.clone(), Ledger::new(&config)).expect("a sound scenario");
    simulation.run();
    let ledger = simulation.observe(|ledger, now, view| ledger.result(now, view));
    let flow = &ledger.flows[0];
    assert_eq!((flow.copies, flow.packets["data"].delivered), (3, 3));
    let one = 12_064_000;
    let parts: Vec<(&str, u64)> = flow.ns.iter().map(|(part, ns)| (*part, *ns)).collect();
    assert_eq!(parts, [("airtime", 3 * (one + 5_000_000)), ("queueing", 3 * one)]);
}

/// Two radio chains of two hops that only a wire joins: 0 - 1 - 2 = 3 - 4 - 5, far apart, and a wired node 6 behind node 3.
fn two_islands(protocol: RoutingProtocol, seconds: u64) -> Config {
    let mut config = chain("standard", 2, seconds);
    config.nodes.extend((0..3).map(|i| [50_000.0 + 200.0 * f64::from(i), 0.0]));
    config.nodes.push([10.0, 0.0]);
    config.hosts = vec![wired_only(&[6])];
    config.wires = vec![wire([2, 3], 10_000_000, 2, 50), wire([3, 6], 10_000_000, 2, 50)];
    config.routing.protocol = protocol;
    config
}

#[test]
fn every_routing_protocol_finds_ways_over_wires() {
    use RoutingProtocol::{Aodv, Babel, BatmanIv, BatmanV, Dsdv, Dsr, Olsr, Static};
    for protocol in [Static, Aodv, Dsdv, Dsr, Olsr, Babel, BatmanIv, BatmanV] {
        let mut config = two_islands(protocol, 120);
        // The pro-active ones have had the time to notify each other.
        config.warmup = Time::ZERO + Span::from_secs(60);
        for (from, to) in [(0, 5), (6, 0)] {
            let app = App::cbr(20e3);
            config.flows.push(flow("standard", from, to, Transport::Udp, app));
        }
        let result = Simulation::new(config).expect("a sound scenario").run();
        for flow in &result.flows {
            let got = flow.throughput_kbps;
            assert!((19.0..=20.5).contains(&got), "{protocol:?}, {} to {}: {got} kbit/s", flow.from, flow.to);
        }
    }
}

#[test]
fn a_network_without_radios_routes_and_keeps_the_air_silent() {
    let mut config = two_islands(RoutingProtocol::Aodv, 20);
    config.hosts = vec![wired_only(&[0, 1, 2, 3, 4, 5, 6])];
    config.wires.extend([[0, 1], [1, 2], [3, 4], [4, 5]].map(|ends| wire(ends, 1_000_000, 1, 20)));
    config.flows.push(flow("standard", 0, 5, Transport::TcpNewReno, App::Bulk));
    let mut world = World::new(&config, NullRecorder).expect("a sound scenario");
    world.run_until(config.duration);
    assert_eq!((world.frames(), world.edges()), (0, 0), "nobody has a radio");
    let result = Simulation::new(config).expect("a sound scenario").run();
    assert!(result.flows[0].throughput_kbps > 850.0, "{:?}", result.flows[0]);
}

#[test]
fn a_wire_loses_its_share_in_each_direction() {
    let mut config = pair(1_000_000, 1, 20);
    config.wires[0].loss = 0.1;
    config.wires[0].back_loss = Some(0.0);
    for (from, to) in [(0, 1), (1, 0)] {
        config.flows.push(flow("standard", from, to, Transport::Udp, App::cbr(500e3)));
    }
    let result = Simulation::new(config).expect("a sound scenario").run();
    let [there, back] = [0, 1].map(|flow| result.flows[flow].loss_pct.expect("packets were sent"));
    // 380 packets: the standard deviation of the share is 1.5 %.
    assert!((there - 10.0).abs() < 4.5 && back < 0.5, "{there} and {back} %");
    let lost = result.nodes[0].drops["wire-loss"];
    assert!((20..=60).contains(&lost), "{lost} packets");
    assert_eq!(result.nodes[1].drops.get("wire-loss"), None);
}

#[test]
fn what_stands_before_a_wire_works_as_over_radio() {
    let delay = |parts: &str| {
        let mut config = pair(2_000_000, 5, 200);
        (config.duration, config.warmup) = (Time::ZERO + Span::from_secs(40), Time::ZERO + Span::from_secs(10));
        config.wires[0].link = parts.parse().expect("parts");
        for _ in 0..2 {
            let mut flow = flow("standard", 0, 1, Transport::TcpSack, App::Bulk);
            flow.max_window = 100;
            config.flows.push(flow);
        }
        config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(64e3)));
        let result = Simulation::new(config).expect("a sound scenario").run();
        let used: f64 = result.flows.iter().map(|flow| flow.throughput_kbps).sum();
        (result.flows[2].delay_ms.expect("packets arrived"), used, result.nodes[0].early_drops)
    };
    // Two windows of 100 packets fill the queue: 6 ms for each that waits.
    let (plain, used, early) = delay("plain");
    assert!(plain > 500.0 && used > 1_900.0 && early == 0, "{plain} ms, {used} kbit/s, {early} dropped");
    for (parts, most) in [("red", 150.0), ("codel", 150.0), ("fq-codel", 20.0)] {
        let (waited, used, early) = delay(parts);
        assert!(waited < most && used > 1_700.0 && early > 0, "{parts}: {waited} ms, {used} kbit/s, {early} dropped");
    }
}

#[test]
fn parts_that_need_a_mac_are_refused_before_a_wire() {
    let mut config = pair(1_000_000, 1, 1);
    config.wires[0].link = "pacing".parse().expect("a part");
    let error = world::check(&config).expect_err("refused").to_string();
    assert!(
        error.starts_with("wires.0.link: found pacing; before a wire may stand plain, red, codel, fq-codel"),
        "{error}"
    );
}

#[test]
fn throughput_while_all_are_active_ends_with_the_first_that_completes() {
    let mut config = pair(1_000_000, 5, 100);
    // Packets of 1508 bytes take 12.064 ms each. The sources take turns at the queue: by the last of the ten of flow 0 six of
    // flow 1 have come.
    for packets in [10, 30] {
        config.flows.push(flow("standard", 0, 1, Transport::Udp, App::File { bytes: packets * 1_480 }));
    }
    let result = Simulation::new(config.clone()).expect("a sound scenario").run();
    let kbps = |packets: f64, ms: f64| packets * 1_480.0 * 8.0 / ms;
    let close = |found: Option<f64>, expected: f64| found.is_some_and(|found| (found - expected).abs() < 1e-6);
    let (first, second) = (16.0 * 12.064 + 5.0, 40.0 * 12.064 + 5.0);
    let [near, far] = [&result.flows[0], &result.flows[1]];
    assert!(close(near.overall_kbps, kbps(10.0, first)) && close(near.shared_kbps, kbps(10.0, first)), "{near:?}");
    assert!(close(far.overall_kbps, kbps(30.0, second)) && close(far.shared_kbps, kbps(6.0, first)), "{far:?}");
    assert!(close(Some(result.network.shared_kbps), kbps(16.0, first)));
    assert!(close(result.network.shared_jain, 256.0 / 272.0), "{:?}", result.network);
    assert!(close(result.network.shared_max_min, 0.25), "10 and 6 where 8 are fair: {:?}", result.network);
    // Nobody completes: all are active to the end, nine seconds.
    config.flows.iter_mut().for_each(|flow| flow.app = App::cbr(100e3));
    let result = Simulation::new(config).expect("a sound scenario").run();
    assert_eq!(result.flows[0].shared_kbps, result.flows[0].overall_kbps);
    assert!(close(result.network.shared_jain, 1.0), "{:?}", result.network);
}

/// A wired node 0 before the gateway 1 of a radio chain that ends with node `hops`.
fn behind_a_gateway(hops: u32, seconds: u64) -> Config {
    let mut config = chain("standard", hops, seconds);
    config.hosts = vec![wired_only(&[0])];
    config.wires = vec![wire([0, 1], 10_000_000, 20, 50)];
    config
}

#[test]
fn every_control_works_across_a_gateway_in_both_directions() {
    for transport in Transport::built_in_tcp() {
        for (from, to) in [(0, 3), (3, 0)] {
            let mut config = behind_a_gateway(3, 10);
            config.flows.push(flow("standard", from, to, transport, App::Bulk));
            let flow = Simulation::new(config).expect("a sound scenario").run().flows.remove(0);
            assert!(flow.throughput_kbps > 200.0, "{transport:?}, {from} to {to}: {}", flow.throughput_kbps);
        }
    }
}

#[test]
fn the_timer_of_a_gateway_holds_back_what_comes_by_the_wire() {
    let run = |(from, to), timer: bool| {
        let mut config = behind_a_gateway(2, 20);
        config.flows.push(flow("standard", from, to, Transport::Udp, App::cbr(1e6)));
        if timer {
            config.layers = vec![LinkConfig { layer: LinkPart::Timer.into(), nodes: vec![1], ..LinkConfig::default() }];
        }
        Simulation::new(config).expect("a sound scenario").run().flows[0].received_packets
    };
    let (plain, timed) = (run((0, 2), false), run((0, 2), true));
    assert!(plain > 1_500 && timed * 10 > plain && timed * 10 < plain * 8, "IN: {timed} of {plain} packets");
    assert_eq!(run((2, 0), true), run((2, 0), false), "OUT: it sends nothing but acknowledgements of its MAC");
}

#[test]
fn marks_before_a_wire_are_counted_where_no_radio_has_a_link_layer() {
    for part in ["red", "codel", "fq-codel"] {
        let mut config = pair(1_000_000, 5, 200);
        config.wires[0].link = part.parse().expect("a part");
        let mut flow = flow("standard", 0, 1, Transport::TcpSack, App::Bulk);
        (flow.max_window, flow.tcp.ecn) = (100, true);
        config.flows.push(flow);
        let marks = Simulation::new(config).expect("a sound scenario").run().nodes[0].ecn_marks;
        assert!(marks > 0, "{part}: {marks}");
    }
}
