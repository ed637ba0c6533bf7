//! A trace needs nothing but the records: one datagram over two hops, read as text.

use hopscope_engine::config::{App, Transport};
use hopscope_engine::record::TextTrace;
use hopscope_engine::world::World;

use crate::support::{chain, flow};

#[test]
fn a_datagram_over_two_hops_reads_as_text() {
    let mut config = chain("standard", 2, 2);
    config.net.arp = false;
    config.flows.push(flow("standard", 0, 2, Transport::Udp, App::File { bytes: 1_000 }));
    let mut world = World::new(&config, TextTrace::default()).expect("a sound scenario");
    world.run_until(config.duration);
    let found: Vec<&str> = world.recorder().lines().collect();
    let stored: Vec<&str> = include_str!("trace.txt").lines().collect();
    for (line, (found, stored)) in found.iter().zip(&stored).enumerate() {
        assert_eq!(found, stored, "line {}", line + 1);
    }
    assert_eq!(found.len(), stored.len(), "{}", found.join("\n"));
}
