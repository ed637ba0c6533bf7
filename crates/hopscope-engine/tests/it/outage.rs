//! A node whose radio is off is neither heard nor hears, and comes back as it was.

use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::outage::Outage;
use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::record::Record;
use hopscope_engine::simulation;

use crate::support::{Log, chain, flow, is_data_received};

fn at(seconds: u64) -> Time {
    Time::ZERO + Span::from_secs(seconds)
}

/// Datagrams over two hops, ten a second, with these outages (node, from, to in seconds).
fn relayed(outages: &[(u32, u64, Option<u64>)]) -> Config {
    let mut config = chain("standard", 2, 10);
    config.flows.push(flow("standard", 0, 2, Transport::Udp, App::cbr(1480.0 * 80.0)));
    config.outages = outages.iter().map(|&(node, from, to)| Outage { node, from: at(from), to: to.map(at) }).collect();
    config
}

/// Seconds in which datagrams arrived.
fn seconds_of_arrival(config: &Config) -> Vec<u64> {
    let mut world = World::new(config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    let arrival = |&(at, record): &(Time, Record)| is_data_received(&record).then_some(at.0 / 1_000_000_000);
    let mut seconds: Vec<u64> = world.recorder().0.iter().filter_map(arrival).collect();
    seconds.dedup();
    seconds
}

#[test]
fn nothing_passes_a_node_that_is_off() {
    for node in 0..3 {
        assert_eq!(seconds_of_arrival(&relayed(&[(node, 4, Some(7))])), [1, 2, 3, 7, 8, 9], "node {node}");
    }
    assert_eq!(seconds_of_arrival(&relayed(&[(1, 4, None)])), [1, 2, 3]);
}

#[test]
fn outages_of_one_node_may_overlap() {
    assert_eq!(seconds_of_arrival(&relayed(&[(1, 3, Some(6)), (1, 5, Some(8))])), [1, 2, 8, 9]);
}

#[test]
fn the_flow_says_which_of_its_ends_was_off() {
    let result = simulation::run(relayed(&[(0, 4, Some(7)), (1, 5, Some(6)), (2, 9, None)])).expect("a sound scenario");
    let note = "its source, node 0, was off from 4 s to 7 s; its destination, node 2, was off from 9 s to the end";
    assert_eq!(result.flows[0].note.as_deref(), Some(note));
}

#[test]
fn an_outage_names_a_node_and_ends_after_it_began() {
    let refused = |outages: &[(u32, u64, Option<u64>)]| {
        World::new(&relayed(outages), Log::default()).expect_err("refused").to_string()
    };
    assert!(refused(&[(3, 1, None)]).contains("node 3 does not exist; nodes are 0 to 2"));
    assert!(refused(&[(1, 1, Some(2)), (1, 5, Some(5))]).contains("outages.1.to"));
}
