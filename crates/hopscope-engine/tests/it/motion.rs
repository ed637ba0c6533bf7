//! Nodes that move or change their power between two instants of a run.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::radio::{Fading, Shadowing};
use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::record::Record;

use crate::support::{Log, chain, flow, is_data_received};

fn at(seconds: u64) -> Time {
    Time::ZERO + Span::from_secs(seconds)
}

/// Datagrams over two hops, ten a second, for ten seconds.
fn relayed() -> Config {
    let mut config = chain("standard", 2, 10);
    config.flows.push(flow("standard", 0, 2, Transport::Udp, App::cbr(1480.0 * 80.0)));
    config
}

/// What happens to a world at a second.
type Change<'a> = (u64, &'a dyn Fn(&mut World<Log>));

/// The world of a configuration after what happens to it at some seconds.
fn moved(config: &Config, changes: &[Change<'_>]) -> World<Log> {
    let mut world = World::new(config, Log::default()).expect("a sound scenario");
    for (second, change) in changes {
        world.run_until(at(*second));
        change(&mut world);
    }
    world.run_until(config.duration);
    world
}

/// Seconds in which datagrams arrived.
fn seconds_of_arrival(world: &World<Log>) -> Vec<u64> {
    let arrivals = world.recorder().0.iter().filter(|(_, record)| is_data_received(record));
    let mut seconds: Vec<u64> = arrivals.map(|(at, _)| at.0 / 1_000_000_000).collect();
    seconds.dedup();
    seconds
}

/// What was recorded besides the moves themselves.
fn but_for_moves(world: &World<Log>) -> Vec<(Time, Record)> {
    let all = world.recorder().0.iter().copied();
    all.filter(|(_, record)| !matches!(record, Record::Moved { .. })).collect()
}

fn place(node: u32, x: f64, y: f64) -> impl Fn(&mut World<Log>) {
    move |world| world.move_node(NodeId(node), [x, y]).expect("a node")
}

#[test]
fn a_node_that_walks_away_stops_the_flow_and_brings_it_back() {
    let config = relayed();
    let still = moved(&config, &[]);
    assert_eq!(seconds_of_arrival(&still), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (node, home) in [(0, 0.0), (1, 200.0), (2, 400.0)] {
        let walked = moved(&config, &[(4, &place(node, home, 900.0)), (7, &place(node, home, 0.0))]);
        assert_eq!(seconds_of_arrival(&walked), [1, 2, 3, 7, 8, 9], "node {node}");
        let before = |world: &World<Log>| -> Vec<(Time, Record)> {
            but_for_moves(world).into_iter().take_while(|(time, _)| *time <= at(4)).collect()
        };
        assert!(before(&still).len() > 100);
        assert!(before(&walked) == before(&still), "until the move nothing differs");
    }
}

#[test]
fn a_node_that_stays_in_reach_breaks_nothing() {
    let near = moved(&relayed(), &[(4, &place(1, 210.0, 40.0)), (7, &place(2, 420.0, -40.0))]);
    assert_eq!(seconds_of_arrival(&near), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn a_whisper_is_not_heard_and_a_shout_is() {
    let config = relayed();
    let power = config.radio.tx_power;
    let set = |node: u32, gain: f64| {
        move |world: &mut World<Log>| world.set_power(NodeId(node), gain * power).expect("a node")
    };
    let whispered = moved(&config, &[(3, &set(1, 0.01)), (6, &set(1, 1.0))]);
    assert_eq!(seconds_of_arrival(&whispered), [1, 2, 6, 7, 8, 9]);
    // At 450 m from both, nodes need 10.5 times the power that reaches 250 m.
    let all = |gain: f64| move |world: &mut World<Log>| (0..3).for_each(|n| set(n, gain)(world));
    let far = place(1, 200.0, 403.0);
    let shouted = moved(&config, &[(3, &far), (6, &all(12.0))]);
    assert_eq!(seconds_of_arrival(&shouted), [1, 2, 6, 7, 8, 9]);
}

#[test]
fn a_varying_channel_and_errors_go_on_through_a_move() {
    let mut config = relayed();
    config.radio.shadowing = Shadowing::Correlated;
    config.radio.fading = Fading::Nakagami;
    config.radio.nakagami_m = 20.0;
    config.radio.shadowing_sigma = 1.0;
    let walked = moved(&config, &[(4, &place(1, 200.0, 900.0)), (7, &place(1, 200.0, 0.0))]);
    let seconds = seconds_of_arrival(&walked);
    assert!(seconds.contains(&3) && seconds.contains(&8) && !seconds.contains(&5), "{seconds:?}");
    // A place left and taken again at once changes nothing: the state of a link is that of its two nodes.
    let back = |world: &mut World<Log>| {
        place(1, 5_000.0, 0.0)(world);
        place(1, 200.0, 0.0)(world);
    };
    let (still, touched) = (moved(&config, &[]), moved(&config, &[(4, &back), (6, &back)]));
    assert!(but_for_moves(&still) == but_for_moves(&touched));
    assert_eq!(touched.recorder().count(|record| matches!(record, Record::Moved { .. })), 4);
}

#[test]
fn moves_of_nobody_or_to_nowhere_are_refused() {
    let mut world = World::new(&relayed(), Log::default()).expect("a sound scenario");
    let nobody = world.move_node(NodeId(3), [0.0, 0.0]).expect_err("refused").to_string();
    assert!(nobody.contains("node 3 does not exist"), "{nobody}");
    let nowhere = world.move_node(NodeId(0), [f64::NAN, 0.0]).expect_err("refused").to_string();
    assert!(nowhere.contains("coordinates are metres"), "{nowhere}");
    let silent = world.set_power(NodeId(0), 0.0).expect_err("refused").to_string();
    assert!(silent.contains("watts") && silent.contains("positive"), "{silent}");
}

#[test]
fn hops_are_compared_with_the_shortest_path_of_the_instant_where_that_is_asked_for() {
    let taken = |config: &Config, changes: &[Change<'_>]| {
        let world = moved(config, changes);
        let paths = world.recorder().0.iter().filter_map(|&(at, record)| match record {
            Record::PathTaken { hops, shortest, .. } => Some((at.0 / 1_000_000_000, hops, shortest)),
            _ => None,
        });
        let mut paths: Vec<_> = paths.collect();
        paths.dedup();
        paths
    };
    assert_eq!(taken(&relayed(), &[]), []);
    let config = Config { path_lengths: true, ..relayed() };
    // Routes are static: at 3 s the destination comes next to the source, and goes back at 5 s.
    let paths =
        taken(&config, &[(3, &place(2, 200.0, 50.0)), (5, &place(2, 400.0, 0.0)), (8, &place(1, 200.0, 100.0))]);
    let expected = (1..10).map(|second| (second, 2, Some(if (3..5).contains(&second) { 1 } else { 2 })));
    assert_eq!(paths, expected.collect::<Vec<_>>());
    // Nothing that is asked moves the run.
    let frames = |config: &Config| {
        let world = moved(config, &[(3, &place(2, 200.0, 50.0))]);
        let all = world.recorder().0.clone().into_iter();
        all.filter(|(_, record)| !matches!(record, Record::PathTaken { .. })).collect::<Vec<_>>()
    };
    assert_eq!(frames(&config), frames(&relayed()));
}

#[test]
fn the_shortest_path_follows_nodes_powers_and_cut_links() {
    let mut world = World::new(&chain("standard", 4, 10), Log::default()).expect("a sound scenario");
    let path = |world: &World<Log>| world.shortest_path(NodeId(0), NodeId(4));
    assert_eq!(path(&world), Some(4));
    world.move_node(NodeId(3), [600.0, 300.0]).expect("a node");
    assert_eq!(path(&world), None);
    // Twice the range takes sixteen times the power, and a hop both of its ends.
    for node in [2, 4] {
        world.set_power(NodeId(node), 20.0 * 0.28183815).expect("a node");
    }
    assert_eq!(path(&world), Some(3));
    world.set_power(NodeId(4), 0.28183815).expect("a node");
    assert_eq!(path(&world), None);
}
