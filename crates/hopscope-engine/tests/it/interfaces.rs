//! Nodes with several radios: channels that do not disturb each other, the radio that a packet leaves by, and what is refused.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::{App, Change, ChangeKind, Config, InterfaceConfig, Transport};
use hopscope_engine::record::{NullRecorder, TrajectoryHash};
use hopscope_engine::simulation::Simulation;

use crate::support::{chain, flow};

/// Radio `number` of some nodes is on a channel.
fn radio(nodes: &[u32], number: u8, channel: u16) -> InterfaceConfig {
    InterfaceConfig { nodes: nodes.to_vec(), number, channel, mac: None, rates: None }
}

/// Each hop of a chain is on a channel of its own among `channels`: every node has a radio for the hop before it and one for the
/// hop behind it.
fn a_channel_for_each_hop(config: &mut Config, channels: &[u16]) {
    let hops = config.nodes.len() as u32 - 1;
    let channel = |hop: u32| channels[hop as usize % channels.len()];
    config.interfaces = (0..hops).map(|node| radio(&[node], 0, channel(node))).collect();
    config.interfaces.extend((1..hops).map(|node| radio(&[node], 1, channel(node - 1))));
    config.interfaces.push(radio(&[hops], 0, channel(hops - 1)));
}

fn saturated(hops: u32) -> Config {
    let mut config = chain("standard", hops, 20);
    config.flows.push(flow("standard", 0, hops, Transport::Udp, App::Bulk));
    config
}

fn throughput(config: Config) -> f64 {
    Simulation::new(config).expect("a sound scenario").run().flows[0].throughput_kbps
}

fn trajectory(config: &Config) -> (u64, u64) {
    let mut world = World::new(config, TrajectoryHash::default()).expect("a sound scenario");
    world.run_until(config.duration);
    (world.recorder().0, world.frames())
}

#[test]
fn hops_on_channels_of_their_own_carry_what_one_hop_carries() {
    let single = throughput(saturated(1));
    let shared = throughput(saturated(6));
    let mut config = saturated(6);
    a_channel_for_each_hop(&mut config, &[1, 6, 11]);
    let apart = throughput(config);
    // Hops three apart share a channel, and do not hear each other: no hop waits for another.
    assert!(apart > 0.99 * single && apart <= 1.001 * single, "{apart} of {single} kbit/s");
    assert!(shared < 0.35 * single, "{shared} of {single} kbit/s");
}

#[test]
fn routing_protocols_find_their_way_over_channels() {
    for protocol in RoutingProtocol::ALL.into_iter().filter(|protocol| *protocol != RoutingProtocol::Static) {
        let mut config = saturated(4);
        config.flows[0].app = App::cbr(80e3);
        config.duration = Time::ZERO + Span::from_secs(60);
        // Most have their routes at once, DSDV with its second update.
        config.flows[0].start = Time::ZERO + Span::from_secs(40);
        config.routing.protocol = protocol;
        a_channel_for_each_hop(&mut config, &[1, 6, 11]);
        let result = Simulation::new(config).expect("a sound scenario").run();
        assert!(result.flows[0].loss_pct < Some(5.0), "{protocol:?}: {:?} %", result.flows[0].loss_pct);
    }
}

#[test]
fn radios_that_nobody_uses_change_nothing() {
    let one = saturated(3);
    let mut two = saturated(3);
    two.interfaces = vec![radio(&[], 0, 1), radio(&[], 1, 6)];
    assert_eq!(trajectory(&one), trajectory(&two));
}

#[test]
fn a_channel_costs_the_others_nothing() {
    // Two pairs in one place: each on a channel of its own sends what it would send alone.
    let mut alone = chain("standard", 1, 10);
    alone.flows.push(flow("standard", 0, 1, Transport::Udp, App::Bulk));
    let mut both = alone.clone();
    both.nodes.extend(alone.nodes.clone());
    both.flows.push(flow("standard", 2, 3, Transport::Udp, App::Bulk));
    let together = Simulation::new(both.clone()).expect("a sound scenario").run();
    both.interfaces = vec![radio(&[2, 3], 0, 6)];
    let apart = Simulation::new(both).expect("a sound scenario").run();
    let single = throughput(alone);
    assert_eq!(apart.flows[0].throughput_kbps, single, "the same draws, and nobody else");
    assert!((apart.flows[1].throughput_kbps / single - 1.0).abs() < 0.01);
    assert!(together.flows.iter().all(|flow| flow.throughput_kbps < 0.6 * single));
}

#[test]
fn a_node_that_goes_off_takes_all_its_radios_along() {
    let mut config = saturated(2);
    a_channel_for_each_hop(&mut config, &[1, 6]);
    let mut world = World::new(&config, TrajectoryHash::default()).expect("a sound scenario");
    let off = Change { node: Some(1), ..Change::of(ChangeKind::NodeDown) };
    world.run_until(Time::ZERO + Span::from_secs(2));
    world.change(&off).expect("it is there");
    world.run_until(Time::ZERO + Span::from_secs(3));
    let (before, position) = (world.frames(), world.position(NodeId(1)));
    world.run_until(Time::ZERO + Span::from_secs(4));
    // The source alone sends, one attempt after the other.
    let attempts = world.frames() - before;
    world.change(&Change { node: Some(1), ..Change::of(ChangeKind::NodeUp) }).expect("it is there");
    world.run_until(Time::ZERO + Span::from_secs(5));
    assert!(attempts > 0 && world.position(NodeId(1)) == position);
    assert_ne!(world.frames() - before, 2 * attempts);
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let message = |interfaces: Vec<InterfaceConfig>| {
        let config = Config { interfaces, ..saturated(2) };
        World::new(&config, NullRecorder).err().map(|error| error.to_string()).unwrap_or_default()
    };
    for (interfaces, expected) in [
        (vec![radio(&[], 1, 1)], "interfaces.0.channel: found 1; radios 0 and 1 of node 0 are both there"),
        (
            vec![radio(&[], 1, 3)],
            "interfaces.0.channel: channels 1 and 3 overlap in part: 22 MHz wide, their centres lie 10 MHz apart",
        ),
        (vec![radio(&[7], 1, 6)], "interfaces.0.nodes: node 7 does not exist"),
        (vec![radio(&[1], 2, 6)], "interfaces.0.number: found 2; node 1 has no radio 1"),
        (vec![radio(&[1], 1, 6), radio(&[1], 1, 11)], "interfaces.1.nodes: radio 1 of node 1 is described twice"),
        (vec![radio(&[1], 8, 6)], "interfaces.0.number: found 8; a node has at most 8 radios, numbered from 0"),
        (vec![radio(&[0], 0, 6)], "flows.0.to: node 2 cannot be reached from node 0"),
    ] {
        let found = message(interfaces);
        assert!(found.starts_with(expected), "{found}");
    }
}
