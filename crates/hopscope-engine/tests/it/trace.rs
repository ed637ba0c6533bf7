//! A trace needs nothing but the records: small runs read as text.

use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::{App, Config, HostConfig, Transport, WireConfig};
use hopscope_engine::record::TextTrace;
use hopscope_engine::units::Span;
use hopscope_engine::world::World;

use crate::support::{chain, flow};

/// One datagram from the first node to the last.
fn with_datagram(mut config: Config) -> Config {
    let last = config.nodes.len() as u32 - 1;
    config.net.arp = false;
    config.flows.push(flow("standard", 0, last, Transport::Udp, App::File { bytes: 1_000 }));
    config
}

/// Holds the text of a run against the one stored.
fn compare(config: &Config, stored: &str) {
    let mut world = World::new(config, TextTrace::default()).expect("a sound scenario");
    world.run_until(config.duration);
    let found: Vec<&str> = world.recorder().lines().collect();
    let stored: Vec<&str> = stored.lines().collect();
    for (line, (found, stored)) in found.iter().zip(&stored).enumerate() {
        assert_eq!(found, stored, "line {}", line + 1);
    }
    assert_eq!(found.len(), stored.len(), "{}", found.join("\n"));
}

#[test]
fn a_datagram_over_two_hops_reads_as_text() {
    compare(&with_datagram(chain("standard", 2, 2)), include_str!("trace.txt"));
}

#[test]
fn a_search_and_its_datagram_read_as_text() {
    let mut config = with_datagram(chain("standard", 1, 2));
    config.routing.protocol = RoutingProtocol::Aodv;
    compare(&config, include_str!("trace_aodv.txt"));
}

#[test]
fn a_datagram_over_two_wires_reads_as_text() {
    let mut config = with_datagram(chain("standard", 2, 2));
    let host = serde_json::json!({ "nodes": [0, 1, 2], "wifi": false });
    config.hosts = vec![serde_json::from_value::<HostConfig>(host).expect("settings of nodes")];
    let wire = |ends| WireConfig::between(ends, 1_000_000, Span::from_millis(2), 5);
    config.wires = vec![wire([0, 1]), wire([1, 2])];
    compare(&config, include_str!("trace_wire.txt"));
}
