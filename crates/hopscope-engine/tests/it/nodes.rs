//! Nodes: what cannot be one is refused by name before the run, and what a plain one takes.

use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::record::NullRecorder;
use hopscope_engine::{World, world};

use crate::support::{chain, flow, tcp_chain};

#[test]
fn what_no_network_can_be_is_refused_by_name() {
    let settings = |address: &str| {
        let document = serde_json::json!({ "nodes": [1], "addresses": [address] });
        serde_json::from_value(document).expect("settings of a node")
    };
    let wire = |rate: u64| {
        let document = serde_json::json!({ "ends": [0, 2], "rate": rate, "delay": 1_000, "queue": 10 });
        serde_json::from_value(document).expect("a wire")
    };
    let udp = |from, to, port| {
        let mut udp = flow("standard", from, to, Transport::Udp, App::Bulk);
        udp.to_port = Some(port);
        udp
    };
    type Change<'a> = &'a dyn Fn(&mut Config);
    let changes: [(Change<'_>, &str); 5] = [
        (&|c| c.hosts.push(settings("10.0.0.3")), "hosts.0.addresses.0: 10.0.0.3 is the address of two interfaces"),
        (
            &|c| c.flows.extend([udp(0, 2, 9), udp(1, 2, 9)]),
            "flows.1.to_port: found 9; flow 0 uses this UDP port of node 2",
        ),
        (&|c| c.flows.push(udp(3, 0, 9)), "flows.0.from: node 3 does not exist"),
        (&|c| c.flows.push(udp(0, 3, 9)), "flows.0.to: node 3 does not exist"),
        (&|c| c.wires.push(wire(0)), "wires.0.rate: found 0 bit/s"),
    ];
    for (change, expected) in changes {
        let mut config = chain("standard", 2, 2);
        assert!(world::check(&config).is_ok());
        change(&mut config);
        let checked = world::check(&config).expect_err("refused").to_string();
        assert!(checked.starts_with(expected), "{checked} for {expected}");
        let built = World::new(&config, NullRecorder).expect_err("refused").to_string();
        assert_eq!(built, checked);
    }
}

#[test]
fn a_plain_radio_node_takes_little_memory() {
    for profile in ["standard", "ns2"] {
        let world = World::new(&tcp_chain(profile, 30, 2), NullRecorder).expect("a sound scenario");
        let bytes = world.node_memory() / world.nodes();
        assert!(bytes <= 1_200, "{profile}: {bytes} bytes a node, links excluded");
    }
}
