//! Random links that come and go, lost broadcasts: no loop ever, no packet lost track of.

use proptest::prelude::*;

use super::net::{Net, Place, ms};
use crate::config::aodv::AodvConfig;
use crate::ids::NodeId;
use crate::units::Span;

const NODES: usize = 7;

/// One happening: after a pause, a link flips or a packet is offered.
#[derive(Debug, Clone, Copy)]
struct Step {
    pause_ms: u64,
    a: usize,
    b: usize,
    flip: bool,
}

fn step() -> impl Strategy<Value = Step> {
    let pause = prop_oneof![4 => 0u64..60, 2 => 0u64..2_000, 1 => 0u64..9_000];
    (pause, 0..NODES, 0..NODES, prop::bool::weighted(0.4)).prop_map(|(pause_ms, a, b, flip)| Step {
        pause_ms,
        a,
        b,
        flip,
    })
}

fn no_loop(net: &Net) {
    for src in 0..NODES {
        for dst in 0..NODES {
            net.path(src, dst);
        }
    }
}

fn nothing_leaks(net: &Net) {
    for (at, node) in net.nodes.iter().enumerate() {
        let held = net.packets.iter().filter(|p| p.place == Place::HeldBy(NodeId(at as u32))).count();
        assert_eq!(node.held(), held, "packets held by node {at}");
    }
}

fn flap(cfg: &AodvConfig, loops_are_errors: bool, seed: u64, loss: f64, links: &[bool], steps: &[Step]) {
    let mut net = Net::new(NODES, cfg, seed);
    net.loss = loss;
    let pairs = (0..NODES).flat_map(|a| (0..a).map(move |b| (a, b)));
    let mut up = vec![vec![false; NODES]; NODES];
    for ((a, b), &there) in pairs.zip(links) {
        (up[a][b], up[b][a]) = (there, there);
        net.set_link(a, b, there);
    }
    let mut at = ms(10);
    for &Step { pause_ms, a, b, flip } in steps {
        at += Span::from_millis(pause_ms);
        if a == b {
            continue;
        }
        if flip {
            let there = !up[a][b];
            (up[a][b], up[b][a]) = (there, there);
            net.link_at(at, a, b, there);
        } else {
            net.send_at(at, a, b);
        }
    }
    let end = at + Span::from_secs(120);
    net.run_checked(end, |net| {
        nothing_leaks(net);
        if loops_are_errors {
            no_loop(net);
        }
    });
    for (number, packet) in net.packets.iter().enumerate() {
        let ended = match packet.place {
            Place::Delivered | Place::Dropped(_) => true,
            Place::TooFar => !loops_are_errors,
            Place::Moving | Place::HeldBy(_) => false,
        };
        assert!(ended, "packet {number}: {packet:?}");
    }
}

fn case() -> impl Strategy<Value = (u64, f64, Vec<bool>, Vec<Step>)> {
    let loss = prop_oneof![Just(0.0), Just(0.2)];
    let links = prop::collection::vec(prop::bool::weighted(0.4), NODES * (NODES - 1) / 2);
    (any::<u64>(), loss, links, prop::collection::vec(step(), 1..80))
}

fn options() -> impl Strategy<Value = AodvConfig> {
    let bits = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    bits.prop_map(|(local_repair, gratuitous_rrep, expanding_ring, intermediate_reply, rerr_unicast)| AodvConfig {
        local_repair,
        gratuitous_rrep,
        expanding_ring,
        intermediate_reply,
        rerr_unicast,
        ..AodvConfig::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_rfc_never_loops((seed, loss, links, steps) in case(), cfg in options()) {
        flap(&cfg, true, seed, loss, &links, &steps);
    }

    #[test]
    fn hellos_never_loop((seed, loss, links, steps) in case()) {
        flap(&AodvConfig::set("aodv-uu").expect("a set"), true, seed, loss, &links, &steps);
    }

    #[test]
    fn the_agent_of_ns2_keeps_track_of_every_packet((seed, loss, links, steps) in case()) {
        flap(&AodvConfig::set("ns2").expect("a set"), false, seed, loss, &links, &steps);
    }
}
