//! Nodes that move by themselves, in whole runs.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::mobility::{MobilityConfig, MobilityModel, Path, PathConfig};
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::ledger::Ledger;
use hopscope_engine::record::{Record, TrajectoryHash};
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation::{self, Simulation};
use hopscope_phy::phy::RxOutcome;

use crate::support::{Log, busy_field, chain, flow, is_data_received};

fn at(seconds: f64) -> Time {
    Time::ZERO + Span::from_secs_f64(seconds)
}

/// The ways of nodes as places by seconds.
fn along(config: &mut Config, node: u32, path: &[(f64, [f64; 2])]) {
    config.mobility.model = MobilityModel::File;
    let path: Path = path.iter().map(|&(second, place)| (at(second), place)).collect();
    config.paths.push(PathConfig { node, path });
}

fn run(config: &Config) -> World<Log> {
    let mut world = World::new(config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    world
}

fn but_for_places(world: &World<Log>) -> Vec<(Time, Record)> {
    let all = world.recorder().0.iter().copied();
    all.filter(|(_, record)| !matches!(record, Record::SetOut { .. })).collect()
}

/// A busy field whose nodes move by random waypoint under a routing protocol.
fn moving_field(protocol: RoutingProtocol) -> Config {
    let mut config = busy_field("standard", 5);
    config.routing.protocol = protocol;
    // Two probes to each neighbour each half second fill a channel of 2 Mbit/s among so many.
    config.batman_v.elp_probes = 0;
    config.mobility = MobilityConfig {
        model: MobilityModel::RandomWaypoint,
        area: [1000.0, 600.0],
        pause: Span::from_secs(1),
        ..MobilityConfig::default()
    };
    config
}

#[test]
fn a_range_is_crossed_at_its_instant() {
    // From 200 m on at 10 m/s: 250 m are passed 6 s after the start.
    let mut config = chain("standard", 1, 12);
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(1480.0 * 800.0)));
    along(&mut config, 1, &[(1.0, [200.0, 0.0]), (11.0, [300.0, 0.0])]);
    let world = run(&config);
    let mut arrivals = world.recorder().0.iter().filter(|(_, record)| is_data_received(record));
    let last = arrivals.next_back().expect("datagrams").0.as_secs();
    assert!((5.98..6.01).contains(&last), "{last} s");
    assert_eq!(world.position(NodeId(1)), [300.0, 0.0]);
}

#[test]
fn who_is_said_to_move_but_stays_changes_nothing() {
    let still = busy_field("standard", 3);
    let mut moving = still.clone();
    let homes = moving.nodes.clone();
    for (node, home) in homes.into_iter().enumerate() {
        along(&mut moving, node as u32, &[(0.0, home), (2.0, home), (4.0, home)]);
    }
    let (still, moving) = (run(&still), run(&moving));
    assert!(moving.recorder().count(|record| matches!(record, Record::SetOut { .. })) >= 40);
    assert!(still.recorder().0.len() > 10_000);
    assert!(but_for_places(&still) == but_for_places(&moving));
}

#[test]
fn observers_of_nodes_under_way_change_nothing() {
    for model in [MobilityModel::RandomWaypoint, MobilityModel::GaussMarkov] {
        let mut config = moving_field(RoutingProtocol::Aodv);
        config.mobility.model = model;
        config.duration = at(30.0);
        let plain = simulation::trajectory(&config, false).expect("sound");
        // Both ask what became of frames, and who hears whom.
        let observer = ((TrajectoryHash::default(), Log::default()), Ledger::new(&config));
        let mut observed = Simulation::observed(config.clone(), observer).expect("sound");
        let measured = observed.run();
        assert_eq!(observed.observer().0.0.0, plain, "{model:?}");
        let lost =
            |record: &Record| matches!(record, Record::FrameEnded { outcome, .. } if *outcome != RxOutcome::Received);
        assert!(observed.observer().0.1.count(lost) > 100, "{model:?}: nobody had a reason to look");
        let alone = Simulation::new(config).expect("sound").run();
        let of = |result: &RunResult| format!("{:?}", (&result.flows, &result.nodes, &result.network));
        assert_eq!(of(&measured), of(&alone), "{model:?}");
    }
}

#[test]
fn every_routing_protocol_delivers_among_nodes_that_move_and_runs_repeat() {
    for protocol in RoutingProtocol::ALL.into_iter().filter(|protocol| *protocol != RoutingProtocol::Static) {
        let mut config = moving_field(protocol);
        config.flows.iter_mut().for_each(|flow| flow.transport = Transport::Udp);
        config.flows.iter_mut().for_each(|flow| (flow.app, flow.packet) = (App::cbr(40_000.0), 500));
        config.duration = at(60.0);
        let result = Simulation::new(config.clone()).expect("sound").run();
        assert!(result.flows.iter().any(|flow| flow.received_packets > 20), "{protocol:?}");
        let hash = |seed| simulation::trajectory(&Config { seed, ..config.clone() }, false).expect("sound");
        assert_eq!(hash(1), hash(1), "{protocol:?}");
        assert_ne!(hash(1), hash(2), "{protocol:?}");
    }
}

#[test]
fn observers_change_nothing_among_nodes_that_move() {
    let config = moving_field(RoutingProtocol::Aodv);
    let lazy = simulation::trajectory(&config, false).expect("sound");
    assert_eq!(simulation::trajectory(&config, true).expect("sound"), lazy, "every edge an event");
    let plain = Simulation::new(config.clone()).expect("sound").run();
    let mut watched = Simulation::observed(config.clone(), Ledger::new(&config)).expect("sound");
    let seen = watched.run();
    assert!(plain.flows.iter().zip(&seen.flows).all(|(a, b)| a.received_packets == b.received_packets));
    assert!(plain.flows.iter().any(|flow| flow.received_packets > 10));
}

#[test]
fn a_node_that_is_put_elsewhere_stays_there() {
    let config = moving_field(RoutingProtocol::Aodv);
    let mut world = World::new(&config, Log::default()).expect("a sound scenario");
    world.run_until(at(1.0));
    let (before, other) = (world.position(NodeId(3)), world.position(NodeId(4)));
    world.move_node(NodeId(3), [10.0, 20.0]).expect("a node");
    world.run_until(at(5.0));
    assert_ne!(before, [10.0, 20.0]);
    assert_eq!(world.position(NodeId(3)), [10.0, 20.0]);
    assert_ne!(world.position(NodeId(4)), other);
}
