//! Link layers in a whole network.

use hopscope_engine::World;
use hopscope_engine::config::link::LinkKind;
use hopscope_engine::config::radio::Shadowing;
use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::ids::NodeId;
use hopscope_engine::record::{DropReason, Record};
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation;
use hopscope_engine::units::{Span, Time};

use crate::support::{Log, chain, flow, tcp_chain};

const ALL: [LinkKind; 9] = [
    LinkKind::Lred,
    LinkKind::Pacing,
    LinkKind::LredPacing,
    LinkKind::Red,
    LinkKind::Codel,
    LinkKind::FqCodel,
    LinkKind::Timer,
    LinkKind::Nred,
    LinkKind::Plain,
];

fn run(mut config: Config, layer: LinkKind) -> RunResult {
    config.link.layer = layer;
    simulation::run(config).expect("a sound scenario")
}

fn early(result: &RunResult) -> u64 {
    result.nodes.iter().filter_map(|node| node.drops.get("early")).sum()
}

#[test]
fn every_layer_carries_the_flow() {
    for layer in ALL {
        // Thresholds that a single flow reaches.
        let mut config = tcp_chain("ns2", 4, 30);
        (config.link.lred_min, config.link.red_min, config.link.red_max) = (0.2, 0.5, 3.0);
        (config.link.red_weight, config.link.codel_target) = (0.2, Span::from_millis(1));
        (config.link.nred_min, config.link.nred_max) = (0.4, 0.8);
        let result = run(config, layer);
        let kbps = result.flows[0].throughput_kbps;
        assert!(kbps > 100.0, "{layer:?}: {kbps} kbit/s");
        let drops = matches!(layer, LinkKind::Lred | LinkKind::LredPacing | LinkKind::Red | LinkKind::Codel)
            || layer == LinkKind::Nred;
        assert!(early(&result) > 0 || !drops, "{layer:?} never acted");
        assert!(early(&result) == 0 || drops || layer == LinkKind::FqCodel, "{layer:?} dropped");
    }
}

#[test]
fn codel_keeps_the_delay_of_an_overloaded_link_short() {
    let overloaded = |layer| {
        let mut config = chain("standard", 1, 20);
        config.flows.push(flow("standard", 0, 1, Transport::Udp, App::Cbr { rate: 1.7e6 }));
        run(config, layer).flows[0].delay_ms.expect("datagrams arrive")
    };
    let (plain, codel) = (overloaded(LinkKind::Plain), overloaded(LinkKind::Codel));
    assert!(codel * 2.0 < plain, "{codel} ms with CoDel, {plain} ms without");
}

#[test]
fn fair_queues_share_a_link_between_a_greedy_and_a_modest_flow() {
    let losses = |layer| {
        let mut config = chain("standard", 2, 20);
        config.flows.push(flow("standard", 0, 1, Transport::Udp, App::Cbr { rate: 2.5e6 }));
        config.flows.push(flow("standard", 0, 2, Transport::Udp, App::Cbr { rate: 100e3 }));
        let result = run(config, layer);
        result.flows[1].loss_pct.expect("datagrams are sent")
    };
    let (plain, fair) = (losses(LinkKind::Plain), losses(LinkKind::FqCodel));
    assert!(plain > 10.0 && fair < 2.0, "modest flow loses {plain} % without, {fair} % with fair queues");
}

#[test]
fn a_layer_acts_only_where_it_is() {
    let mut config = chain("standard", 2, 10);
    config.flows.push(flow("standard", 0, 2, Transport::Udp, App::Cbr { rate: 1.5e6 }));
    config.link.layer = LinkKind::Codel;
    config.link.nodes = vec![0];
    let mut world = World::new(&config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    let acted = |&(_, record)| match record {
        Record::Dropped { node, reason: DropReason::Early } => Some(node.0),
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
            Record::FrameSent { node, to: NodeId::BROADCAST, .. } => found[node.index()].0 += 1,
            Record::Dropped { node, reason: DropReason::Early } => found[node.index()].1 += 1,
            _ => {}
        }
    }
    found
}

#[test]
fn a_busy_neighbourhood_drops_together() {
    // Node 3 only overhears; it has no part in the traffic and so neither tells nor drops.
    let mut config = chain("standard", 3, 20);
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::Cbr { rate: 0.9e6 }));
    config.flows.push(flow("standard", 2, 1, Transport::Udp, App::Cbr { rate: 0.5e6 }));
    config.link.layer = LinkKind::Nred;
    let found = notices_and_drops(&observed(&config));
    assert!(found[..3].iter().any(|&(notices, _)| notices > 10), "{found:?}");
    // The larger share of the channel time drops more.
    assert!(found[0].1 > found[2].1 && found[2].1 > 0, "{found:?}");
    assert_eq!(found[3], (0, 0));
    // Where only node 2 has the layer it alone acts, and nobody tells it anything.
    config.link.nodes = vec![2];
    let alone = notices_and_drops(&observed(&config));
    assert!(alone[2].0 > 10 && alone[2].1 > 0, "{alone:?}");
    assert_eq!([alone[0], alone[1], alone[3]], [(0, 0); 3]);
}

#[test]
fn an_idle_channel_needs_no_notices() {
    let mut config = chain("standard", 3, 20);
    config.flows.push(flow("standard", 0, 3, Transport::Udp, App::Cbr { rate: 60e3 }));
    config.link.layer = LinkKind::Nred;
    assert_eq!(notices_and_drops(&observed(&config)), [(0, 0); 4]);
}

#[test]
fn the_use_of_the_channel_is_the_same_however_radios_are_followed() {
    let mut config = tcp_chain("standard", 5, 20);
    config.link.layer = LinkKind::Nred;
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
        if let Record::Cwnd { flow, cwnd } = record {
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
fn a_gateway_that_does_not_exist_is_refused() {
    let mut config = tcp_chain("standard", 2, 5);
    config.net.window_gateways = vec![1, 3];
    let error = simulation::run(config.clone()).expect_err("nodes are 0 to 2");
    assert_eq!(error.key, "net.window_gateways");
    config.net.window_gateways = vec![1];
    config.net.window_idle = Span::ZERO;
    assert_eq!(simulation::run(config).expect_err("no time at all").key, "net.window_idle");
}
