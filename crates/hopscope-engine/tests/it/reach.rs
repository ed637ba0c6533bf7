//! Destinations beyond what a packet lives for or a search reaches are refused before the run; what lies just within
//! is carried.

use hopscope_core::error::BuildError;
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::radio::{Fading, Shadowing};
use hopscope_engine::config::{AodvConfig, App, Config, DsdvConfig, Transport};
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation;

use crate::support::{chain, flow, tcp_chain};

/// A chain with a packet every 0.2 s from end to end.
fn udp_chain(profile: &str, hops: u32, seconds: u64) -> Config {
    let mut config = chain(profile, hops, seconds);
    config.flows.push(flow(profile, 0, hops, Transport::Udp, App::cbr(59_200.0)));
    config
}

/// Searches reach this far, rings included.
fn aodv(set: &str, net_diameter: u32) -> AodvConfig {
    AodvConfig { net_diameter, ttl_threshold: 2, ttl_start: 1, ..AodvConfig::set(set).expect("a known set") }
}

fn searching(set: &str, hops: u32, net_diameter: u32) -> Config {
    let mut config = udp_chain("standard", hops, 20);
    config.routing.protocol = RoutingProtocol::Aodv;
    config.aodv = aodv(set, net_diameter);
    config
}

fn carried(config: Config) -> RunResult {
    let result = simulation::run(config).expect("a scenario that can carry something");
    assert!(result.flows[0].received_packets > 0, "{:?}", result.flows[0]);
    result
}

#[track_caller]
fn refused(config: Config, message: &str) {
    assert_eq!(simulation::run(config).unwrap_err(), BuildError::new("flows.0.to", message));
}

#[test]
fn a_static_way_is_at_most_as_long_as_a_packet_lives() {
    let with_ttl = |hops, ttl| {
        let mut config = udp_chain("standard", hops, 5);
        config.net.ttl = ttl;
        config
    };
    carried(with_ttl(6, 6));
    refused(with_ttl(7, 6), "node 7 is 7 hops from node 0; a packet lives for at most 6 (net.ttl = 6)");
    refused(
        tcp_chain("standard", 70, 5),
        "node 70 is 70 hops from node 0; a packet lives for at most 64 (net.ttl = 64)",
    );
    carried(tcp_chain("ns2", 32, 20));
    refused(tcp_chain("ns2", 33, 5), "node 33 is 33 hops from node 0; a packet lives for at most 32 (net.ttl = 32)");
}

#[test]
fn static_routes_are_as_long_under_fading() {
    let mut config = tcp_chain("standard", 70, 5);
    config.radio.fading = Fading::Rayleigh;
    config.radio.shadowing = Shadowing::Correlated;
    let error = simulation::run(config).unwrap_err();
    assert_eq!(error.key, "flows.0.to");
}

#[test]
fn every_protocol_carries_packets_no_farther_than_they_live() {
    for protocol in [
        RoutingProtocol::Aodv,
        RoutingProtocol::Dsdv,
        RoutingProtocol::Dsr,
        RoutingProtocol::Olsr,
        RoutingProtocol::Babel,
    ] {
        let mut config = udp_chain("standard", 5, 60);
        (config.routing.protocol, config.net.ttl) = (protocol, 5);
        carried(config.clone());
        config.net.ttl = 4;
        refused(config, "node 5 is 5 hops from node 0; a packet lives for at most 4 (net.ttl = 4)");
    }
    let mut config = tcp_chain("ns2", 31, 5);
    (config.routing.protocol, config.aodv) = (RoutingProtocol::Aodv, AodvConfig::set("ns2").expect("a known set"));
    refused(
        config.clone(),
        "node 31 is 31 hops from node 0; a packet lives for at most 30 (routing.aodv.data_ttl = 30)",
    );
    config.nodes.extend((32..=33).map(|n| [200.0 * f64::from(n), 0.0]));
    config.flows[0].to = 33;
    (config.routing.protocol, config.dsdv) = (RoutingProtocol::Dsdv, DsdvConfig::set("ns2").expect("a known set"));
    refused(config, "node 33 is 33 hops from node 0; a packet lives for at most 32 (routing.dsdv.data_ttl = 32)");
}

#[test]
fn batman_adv_carries_packets_no_farther_than_its_own_headers_live() {
    let mut config = udp_chain("standard", 5, 60);
    (config.routing.protocol, config.batman_iv.ttl) = (RoutingProtocol::BatmanIv, 5);
    // That of IP does not change on the way.
    config.net.ttl = 1;
    carried(config.clone());
    config.batman_iv.ttl = 4;
    refused(config, "node 5 is 5 hops from node 0; a packet lives for at most 4 (routing.batman_iv.ttl = 4)");
}

#[test]
fn a_search_reaches_as_far_as_its_request() {
    carried(searching("rfc3561", 4, 4));
    refused(
        searching("rfc3561", 5, 4),
        "node 5 is 5 hops from node 0; a route request reaches at most 4 (routing.aodv.net_diameter = 4)",
    );
    let mut default = tcp_chain("standard", 36, 5);
    default.routing.protocol = RoutingProtocol::Aodv;
    refused(
        default,
        "node 36 is 36 hops from node 0; a route request reaches at most 35 (routing.aodv.net_diameter = 35)",
    );
    let mut mesh = udp_chain("standard", 4, 20);
    (mesh.routing.protocol, mesh.hwmp.element_ttl) = (RoutingProtocol::Hwmp, 4);
    carried(mesh.clone());
    mesh.hwmp.element_ttl = 3;
    refused(
        mesh.clone(),
        "node 4 is 4 hops from node 0; a route request reaches at most 3 (routing.hwmp.element_ttl = 3)",
    );
    (mesh.hwmp.element_ttl, mesh.hwmp.mesh_ttl) = (4, 3);
    refused(mesh, "node 4 is 4 hops from node 0; a packet lives for at most 3 (routing.hwmp.mesh_ttl = 3)");
    let mut config = udp_chain("standard", 4, 20);
    (config.routing.protocol, config.dsr.discovery_hop_limit) = (RoutingProtocol::Dsr, 4);
    carried(config.clone());
    config.dsr.discovery_hop_limit = 3;
    refused(
        config,
        "node 4 is 4 hops from node 0; a route request reaches at most 3 (routing.dsr.discovery_hop_limit = 3)",
    );
}

#[test]
fn a_neighbour_that_hears_hellos_of_the_destination_answers_for_it() {
    carried(searching("aodv-uu", 5, 4));
    refused(
        searching("aodv-uu", 6, 4),
        "node 6 is 6 hops from node 0; a route request reaches at most 5 (routing.aodv.net_diameter = 4)",
    );
}

#[test]
fn nodes_that_know_the_destination_from_another_flow_answer_for_it() {
    // Node 5 acknowledges to node 8, so it knows the way.
    let mut config = searching("rfc3561", 8, 5);
    let other = flow("standard", 8, 5, Transport::TcpNewReno, App::Bulk);
    config.flows.push(other);
    carried(config.clone());
    // One between other nodes teaches them nothing.
    (config.flows[1].from, config.flows[1].to) = (3, 5);
    refused(config, "node 8 is 8 hops from node 0; a route request reaches at most 5 (routing.aodv.net_diameter = 5)");
}

#[test]
fn links_that_come_and_go_may_make_a_way_shorter() {
    for fading in [Fading::Rayleigh, Fading::Nakagami] {
        let mut config = searching("rfc3561", 5, 4);
        config.radio.fading = fading;
        assert!(simulation::run(config).is_ok());
    }
}
