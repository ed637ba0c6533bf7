//! Link layers in a whole network.

use hopscope_engine::World;
use hopscope_engine::config::link::LinkKind;
use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::record::{DropReason, Record};
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation;
use hopscope_engine::units::Span;

use crate::support::{Log, chain, flow, tcp_chain};

const ALL: [LinkKind; 8] = [
    LinkKind::Lred,
    LinkKind::Pacing,
    LinkKind::LredPacing,
    LinkKind::Red,
    LinkKind::Codel,
    LinkKind::FqCodel,
    LinkKind::Timer,
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
        let result = run(config, layer);
        let kbps = result.flows[0].throughput_kbps;
        assert!(kbps > 100.0, "{layer:?}: {kbps} kbit/s");
        let drops = matches!(layer, LinkKind::Lred | LinkKind::LredPacing | LinkKind::Red | LinkKind::Codel);
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
