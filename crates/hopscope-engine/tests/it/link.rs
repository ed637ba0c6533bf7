//! Link layers in a whole network.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::link::{LinkPart, LinkParts};
use hopscope_engine::config::radio::Shadowing;
use hopscope_engine::config::{App, Config, Transport, WireConfig};
use hopscope_engine::record::{DropReason, Record};
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation;

use crate::support::{Log, chain, flow, tcp_chain};

/// A layer of these words.
fn layer(words: &str) -> LinkParts {
    words.parse().expect("a layer")
}

/// Every layer there can be.
fn every_layer() -> Vec<LinkParts> {
    let sets = 0..1u32 << LinkPart::ALL.len();
    let chosen = sets.map(|set| LinkPart::ALL.into_iter().filter(move |&part| set & 1 << part as u32 != 0));
    let parts = chosen.map(|parts| parts.fold(LinkParts::PLAIN, LinkParts::with));
    parts.filter(|parts| parts.to_string().parse::<LinkParts>().is_ok()).collect()
}

fn run(mut config: Config, words: &str) -> RunResult {
    config.link.layer = layer(words);
    simulation::run(config).expect("a sound scenario")
}

/// Thresholds that a single flow reaches.
fn sensitive(seconds: u64) -> Config {
    let mut config = tcp_chain("ns2", 4, seconds);
    (config.link.lred_min, config.link.red_min, config.link.red_max) = (0.2, 0.5, 3.0);
    (config.link.red_weight, config.link.codel_target) = (0.2, Span::from_millis(1));
    (config.link.nred_min, config.link.nred_max) = (0.4, 0.8);
    config
}

#[test]
fn every_layer_carries_the_flow() {
    for words in ["plain", "red", "nred", "lred", "codel", "fq-codel", "timer", "pacing", "lred+pacing"] {
        let result = run(sensitive(30), words);
        let kbps = result.flows[0].throughput_kbps;
        assert!(kbps > 100.0, "{words}: {kbps} kbit/s");
        let early: u64 = result.nodes.iter().map(|node| node.early_drops).sum();
        let drops = layer(words).parts().any(|part| !matches!(part, LinkPart::Timer | LinkPart::Pacing));
        assert!(early > 0 || !drops || words == "fq-codel", "{words} never acted");
        assert!(early == 0 || drops, "{words} dropped");
    }
}

#[test]
fn every_combination_carries_the_flow_and_only_its_parts_act() {
    let layers = every_layer();
    assert_eq!(layers.len(), 72);
    for parts in layers {
        let mut config = sensitive(6);
        config.link.layer = parts;
        config.flows[0].tcp.ecn = true;
        let result = simulation::run(config).expect("a sound scenario");
        assert!(result.flows[0].received_packets > 10, "{parts}");
        for node in &result.nodes {
            let at = format!("{parts}, node {}", node.id);
            let early: u64 = node.drops.iter().filter(|(reason, _)| reason.starts_with("early-")).map(|(_, n)| n).sum();
            assert_eq!((early, node.ecn_marks), (node.early_drops, node.marks.values().sum()), "{at}");
            let acted =
                node.drops.keys().filter_map(|reason| reason.strip_prefix("early-")).chain(node.marks.keys().copied());
            for word in acted {
                assert!(parts.parts().any(|part| part.word() == word), "{at}: {word}");
            }
        }
    }
}

#[test]
fn parts_act_together() {
    // More than the chain carries: each of two parts drops what the other has let pass.
    for (words, two) in [
        ("lred+red", ["early-red", "early-lred"]),
        ("nred+red", ["early-red", "early-nred"]),
        ("codel+nred", ["early-nred", "early-codel"]),
    ] {
        let mut config = sensitive(20);
        config.flows = vec![flow("standard", 0, 4, Transport::Udp, App::cbr(600e3))];
        let result = run(config, words);
        for reason in two {
            let drops: u64 = result.nodes.iter().filter_map(|node| node.drops.get(reason)).sum();
            assert!(drops > 0, "{words}: no {reason}");
        }
    }
    // The timer holds the packets back whose order the flow queues give: the modest flow still loses next to nothing.
    let shared = |words| {
        let mut config = chain("standard", 2, 20);
        config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(2.5e6)));
        config.flows.push(flow("standard", 0, 2, Transport::Udp, App::cbr(100e3)));
        let result = run(config, words);
        (result.flows[0].throughput_kbps, result.flows[1].loss_pct.expect("datagrams are sent"))
    };
    let (fair, timer, both) = (shared("fq-codel"), shared("timer"), shared("timer+fq-codel"));
    assert!(
        timer.1 > 10.0 && both.1 < 2.0,
        "the modest flow loses {} % without, {} % with flow queues",
        timer.1,
        both.1
    );
    assert!(both.0 < 0.7 * fair.0, "{} kbit/s with the timer, {} without", both.0, fair.0);
}

#[test]
fn codel_keeps_the_delay_of_an_overloaded_link_short() {
    let overloaded = |words| {
        let mut config = chain("standard", 1, 20);
        config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(1.7e6)));
        run(config, words).flows[0].delay_ms.expect("datagrams arrive")
    };
    let (plain, codel) = (overloaded("plain"), overloaded("codel"));
    assert!(codel * 2.0 < plain, "{codel} ms with CoDel, {plain} ms without");
}

#[test]
fn fair_queues_share_a_link_between_a_greedy_and_a_modest_flow() {
    let losses = |words| {
        let mut config = chain("standard", 2, 20);
        config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(2.5e6)));
        config.flows.push(flow("standard", 0, 2, Transport::Udp, App::cbr(100e3)));
        let result = run(config, words);
        result.flows[1].loss_pct.expect("datagrams are sent")
    };
    let (plain, fair) = (losses("plain"), losses("fq-codel"));
    assert!(plain > 10.0 && fair < 2.0, "modest flow loses {plain} % without, {fair} % with fair queues");
}

#[test]
fn a_layer_acts_only_where_it_is() {
    let mut config = chain("standard", 2, 10);
    config.flows.push(flow("standard", 0, 2, Transport::Udp, App::cbr(1.5e6)));
    config.link.layer = layer("codel");
    config.link.nodes = vec![0];
    let mut world = World::new(&config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    let acted = |&(_, record)| match record {
        Record::Dropped { node, reason: DropReason::EarlyCodel, .. } => Some(node.0),
        _ => None,
    };
    let mut nodes: Vec<u32> = world.recorder().0.iter().filter_map(acted).collect();
    nodes.sort_unstable();
    nodes.dedup();
    assert_eq!(nodes, [0]);
}

/// A world after its run.
fn observed(config: &Config) -> World<Log> {
    let mut world = World::new(config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    world
}

/// Broadcast frames and early drops of each node.
fn notices_and_drops(world: &World<Log>) -> Vec<(u32, u32)> {
    let mut found = vec![(0, 0); world.nodes()];
    for (_, record) in &world.recorder().0 {
        match *record {
            Record::FrameBegan { frame, .. } if frame.dst == NodeId::BROADCAST => found[frame.src.index()].0 += 1,
            Record::Dropped { node, reason: DropReason::EarlyNred, .. } => found[node.index()].1 += 1,
            _ => {}
        }
    }
    found
}

#[test]
fn a_busy_neighbourhood_drops_together() {
    // Node 3 only overhears; it has no part in the traffic and so neither notifies nor drops.
    let mut config = chain("standard", 3, 20);
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(0.9e6)));
    config.flows.push(flow("standard", 2, 1, Transport::Udp, App::cbr(0.5e6)));
    config.link.layer = layer("nred");
    let found = notices_and_drops(&observed(&config));
    assert!(found[..3].iter().any(|&(notices, _)| notices > 10), "{found:?}");
    // The larger share of the channel time drops more.
    assert!(found[0].1 > found[2].1 && found[2].1 > 0, "{found:?}");
    assert_eq!(found[3], (0, 0));
    // Where only node 2 has the layer it alone acts, and nobody notifies it.
    config.link.nodes = vec![2];
    let alone = notices_and_drops(&observed(&config));
    assert!(alone[2].0 > 10 && alone[2].1 > 0, "{alone:?}");
    assert_eq!([alone[0], alone[1], alone[3]], [(0, 0); 3]);
}

#[test]
fn an_idle_channel_needs_no_notices() {
    let mut config = chain("standard", 3, 20);
    config.flows.push(flow("standard", 0, 3, Transport::Udp, App::cbr(60e3)));
    config.link.layer = layer("nred");
    assert_eq!(notices_and_drops(&observed(&config)), [(0, 0); 4]);
}

#[test]
fn the_use_of_the_channel_is_the_same_however_radios_are_followed() {
    let mut config = tcp_chain("standard", 5, 20);
    config.link.layer = layer("nred");
    config.link.nred_min = 0.3;
    let lazy = observed(&config);
    let mut eager = World::new(&config, Log::default()).expect("a sound scenario");
    eager.set_eager();
    eager.run_until(config.duration);
    assert_eq!(lazy.recorder().0, eager.recorder().0);
    assert!(notices_and_drops(&lazy).iter().any(|&(notices, _)| notices > 0));
    // The same over a channel whose links have powers of their own.
    config.radio.shadowing = Shadowing::Static;
    config.radio.shadowing_sigma = 1e-6;
    let varied = observed(&config);
    assert!(notices_and_drops(&varied).iter().any(|&(notices, _)| notices > 0));
}

/// The largest usable window of each flow once all flows have begun, in segments.
fn largest_windows(config: &Config) -> Vec<f64> {
    let world = observed(config);
    let mut largest = vec![0.0f64; config.flows.len()];
    for &(at, record) in &world.recorder().0 {
        if at <= Time::ZERO + Span::from_secs(2) {
            continue;
        }
        if let Record::Window { flow, cwnd, .. } = record {
            largest[flow.index()] = largest[flow.index()].max(cwnd);
        }
    }
    largest
}

#[test]
fn flows_through_a_gateway_share_its_buffer() {
    let mut config = chain("standard", 3, 20);
    // Through node 1, to node 1 and from node 1: all three pass.
    for (from, to) in [(0, 2), (0, 1), (1, 3)] {
        config.flows.push(flow("standard", from, to, Transport::TcpNewReno, App::Bulk));
    }
    config.mac.queue = 12;
    config.net.window_gateways = vec![1];
    assert_eq!(largest_windows(&config), [4.0; 3]);
    // One ends early; the others get its part when it is forgotten.
    config.flows[2].stop = Some(Time::ZERO + Span::from_secs(3));
    config.net.window_idle = Span::from_secs(2);
    assert_eq!(largest_windows(&config)[..2], [6.0; 2]);
    // A node that no flow passes changes nothing.
    config.net.window_gateways = vec![3];
    config.flows.pop();
    let elsewhere = simulation::trajectory(&config, false).expect("a sound scenario");
    config.net.window_gateways.clear();
    assert_eq!(elsewhere, simulation::trajectory(&config, false).expect("a sound scenario"));
}

#[test]
fn a_gateway_between_wire_and_radio_lowers_windows_in_both_directions() {
    let mut config = chain("standard", 2, 20);
    config.hosts = vec![serde_json::from_value(serde_json::json!({ "nodes": [0], "wifi": false })).expect("a host")];
    config.wires = vec![WireConfig::between([0, 1], 10_000_000, Span::from_millis(2), 50)];
    config.mac.queue = 12;
    // ACKs of the first leave by the wire, those of the second by the radio.
    for (from, to) in [(0, 2), (2, 0)] {
        config.flows.push(flow("standard", from, to, Transport::TcpNewReno, App::Bulk));
    }
    config.net.window_gateways = vec![1];
    let mut largest = [0.0f64; 2];
    for &(_, record) in &observed(&config).recorder().0 {
        if let Record::Window { flow, cwnd, .. } = record {
            largest[flow.index()] = largest[flow.index()].max(cwnd);
        }
    }
    assert_eq!(largest, [6.0; 2], "segments");
}

#[test]
fn a_gateway_that_does_not_exist_is_refused() {
    let mut config = tcp_chain("standard", 2, 5);
    config.net.window_gateways = vec![1, 3];
    let error = simulation::run(config.clone()).expect_err("nodes are 0 to 2");
    assert_eq!(error.key, "net.window_gateways");
    config.net.window_gateways = vec![1];
    config.net.window_idle = Span::ZERO;
    assert_eq!(simulation::run(config).expect_err("no time at all").key, "net.window_idle");
}
