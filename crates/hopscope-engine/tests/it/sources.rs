//! Sources that always have more: they keep the interface queue filled, and wait where it cannot be filled.

use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation;

use crate::support::{chain, flow};

fn run(config: Config) -> RunResult {
    simulation::run(config).expect("a sound scenario")
}

#[test]
fn a_queue_of_one_packet_is_filled_by_one() {
    for profile in ["standard", "ns2"] {
        let mut config = chain(profile, 1, 5);
        config.flows.push(flow(profile, 0, 1, Transport::Udp, App::Bulk));
        let long = run(config.clone());
        config.mac.queue = 1 + config.mac.queue_reserve;
        let short = run(config);
        assert_eq!(short.nodes[0].queue_max, 1, "{profile}");
        let (found, expected) = (short.network.aggregate_kbps, long.network.aggregate_kbps);
        assert!((found / expected - 1.0).abs() < 0.02, "{profile}: {found} kbit/s, {expected} with a long queue");
    }
}

#[test]
fn a_source_over_a_routing_protocol_waits_for_its_route() {
    for profile in ["standard", "ns2"] {
        let mut config = chain(profile, 2, 10);
        config.flows.push(flow(profile, 0, 2, Transport::Udp, App::Bulk));
        config.flows[0].start = Default::default();
        let fixed = run(config.clone()).network.aggregate_kbps;
        config.routing.protocol = RoutingProtocol::Aodv;
        let found = run(config.clone()).network.aggregate_kbps;
        assert!((found / fixed - 1.0).abs() < 0.1, "{profile}: {found} kbit/s over AODV, {fixed} over fixed routes");
        // Without a way it offers ten packets a second, and one after each request that its node broadcasts.
        config.nodes[2] = [5_000.0, 0.0];
        let lonely = run(config);
        let sent = lonely.flows[0].sent_packets;
        assert!(lonely.flows[0].received_packets == 0 && (1..=200).contains(&sent), "{profile}: {sent} packets");
    }
}
