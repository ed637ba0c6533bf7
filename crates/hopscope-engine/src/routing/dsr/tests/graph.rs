//! Random links that come and go, lost broadcasts: source routes without loops, no packet lost track of; and shortest
//! paths where links stay.

use std::collections::VecDeque;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::net::{Net, Place, ms};
use crate::config::dsr::{DsrConfig, LinkLife};
use crate::ids::NodeId;
use crate::units::Span;

const NODES: usize = 8;

/// One happening: after a pause, a link flips or a packet is offered.
#[derive(Debug, Clone, Copy)]
struct Step {
    pause_ms: u64,
    a: usize,
    b: usize,
    flip: bool,
}

fn step() -> impl Strategy<Value = Step> {
    let pause = prop_oneof![4 => 0u64..20, 2 => 0u64..2_000, 1 => 0u64..20_000];
    (pause, 0..NODES, 0..NODES, prop::bool::weighted(0.3)).prop_map(|(pause_ms, a, b, flip)| Step {
        pause_ms,
        a,
        b,
        flip,
    })
}

fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..NODES).flat_map(|a| (0..a).map(move |b| (a, b)))
}

fn links() -> impl Strategy<Value = Vec<bool>> {
    prop::collection::vec(prop::bool::weighted(0.35), NODES * (NODES - 1) / 2)
}

fn options() -> impl Strategy<Value = DsrConfig> {
    let bits = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let numbers = (0u32..=15, prop_oneof![Just(0u64), Just(1_000)], prop_oneof![Just(0u64), Just(3)], 1u32..6);
    (bits, numbers).prop_map(|(bits, (max_salvage_count, memory, hop, send_buffer_size))| {
        let (nonpropagating_request, cached_reply, reply_to_first, spread_errors, adaptive) = bits;
        DsrConfig {
            nonpropagating_request,
            cached_reply,
            reply_to_first,
            spread_errors,
            max_salvage_count,
            link_life: if adaptive { LinkLife::MaxLife } else { LinkLife::Timeout },
            route_cache_timeout: Span::from_secs(20),
            broken_link_memory: Span::from_millis(memory),
            cached_reply_delay: Span::from_millis(hop),
            send_buffer_size,
            ..DsrConfig::default()
        }
    })
}

fn nothing_leaks(net: &Net) {
    for (at, node) in net.nodes.iter().enumerate() {
        let held = net.packets.iter().filter(|p| p.place == Place::HeldBy(NodeId(at as u32))).count();
        assert_eq!(node.held(), held, "packets held by node {at}");
    }
}

/// Hops from `src` to every node.
fn hops(up: &[Vec<bool>], src: usize) -> Vec<Option<usize>> {
    let mut hops = vec![None; NODES];
    hops[src] = Some(0);
    let mut queue = VecDeque::from([src]);
    while let Some(at) = queue.pop_front() {
        for to in (0..NODES).filter(|&to| up[at][to]) {
            if hops[to].is_none() {
                hops[to] = hops[at].map(|hops| hops + 1);
                queue.push_back(to);
            }
        }
    }
    hops
}

fn build(cfg: &DsrConfig, seed: u64, there: &[bool]) -> (Net, Vec<Vec<bool>>) {
    let mut net = Net::new(NODES, cfg, seed);
    let mut up = vec![vec![false; NODES]; NODES];
    for ((a, b), &there) in pairs().zip(there) {
        (up[a][b], up[b][a]) = (there, there);
        net.set_link(a, b, there);
    }
    (net, up)
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    // That no node stands twice in a source route is asserted wherever one is written.
    #[test]
    fn every_packet_is_delivered_or_dropped_and_paths_recover(
        seed in any::<u64>(),
        loss in prop_oneof![Just(0.0), Just(0.2)],
        there in links(),
        steps in prop::collection::vec(step(), 1..80),
        cfg in options(),
    ) {
        let (mut net, mut up) = build(&cfg, seed, &there);
        net.loss = loss;
        let mut at = ms(10);
        for Step { pause_ms, a, b, flip } in steps {
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
        // All searches have ended by then.
        let quiet = at + Span::from_secs(400);
        net.run_checked(quiet, nothing_leaks);
        for (number, packet) in net.packets.iter().enumerate() {
            let ended = matches!(packet.place, Place::Delivered | Place::Dropped(_) | Place::TooFar);
            prop_assert!(ended, "packet {}: {:?}", number, packet);
            prop_assert!(packet.place != Place::TooFar || cfg.max_salvage_count > 7, "packet {}: {:?}", number, packet);
        }
        net.loss = 0.0;
        for src in 0..NODES {
            let reach = hops(&up, src);
            for dst in (0..NODES).filter(|&dst| dst != src) {
                // A link that is gone may still be known, each time to one node less.
                let mut arrives = || {
                    let packet = net.send_at(net.now, src, dst);
                    net.run_checked(net.now + Span::from_secs(200), nothing_leaks);
                    net.packet(packet).place == Place::Delivered
                };
                let delivered = (0..NODES).any(|_| arrives());
                prop_assert_eq!(delivered, reach[dst].is_some(), "{} to {}", src, dst);
            }
        }
    }

    #[test]
    fn the_first_search_finds_a_shortest_path(there in links(), src in 0..NODES, on in 1..NODES, first in any::<bool>()) {
        let dst = (src + on) % NODES;
        let cfg = DsrConfig { broadcast_jitter: Span::ZERO, reply_to_first: first, ..DsrConfig::default() };
        let (mut net, up) = build(&cfg, 1, &there);
        let packet = net.send_at(ms(0), src, dst);
        net.run(ms(200));
        let shortest = hops(&up, src)[dst];
        prop_assert_eq!(net.path(src, dst).map(|path| path.len() - 1), shortest);
        let taken = net.packet(packet);
        prop_assert_eq!((taken.place == Place::Delivered).then(|| taken.trail.len() - 1), shortest);
    }
}
