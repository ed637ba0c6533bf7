//! Random networks whose links come and go: once they rest, ways are shortest and free of loops.

use proptest::prelude::*;

use super::net::{Net, ms};
use crate::config::olsr::{OlsrConfig, TcTrigger};
use crate::rng::{Purpose, Stream};
use crate::units::{Span, Time};

const NODES: usize = 8;

/// Hops from `src` to every node, over the links that are up.
fn distances(net: &Net, src: usize) -> Vec<Option<usize>> {
    let mut hops = vec![None; net.links.len()];
    hops[src] = Some(0);
    let mut queue = std::collections::VecDeque::from([src]);
    while let Some(at) = queue.pop_front() {
        for to in 0..hops.len() {
            if net.links[at][to] && hops[to].is_none() {
                hops[to] = hops[at].map(|h| h + 1);
                queue.push_back(to);
            }
        }
    }
    hops
}

fn is_settled(net: &mut Net) -> bool {
    let nodes = net.nodes.len();
    (0..nodes).all(|src| {
        let hops = distances(net, src);
        (0..nodes).all(|dst| net.way(src, dst).is_ok_and(|way| way.map(|p| p.len() - 1) == hops[dst]))
    })
}

fn assert_settled(net: &mut Net) {
    let nodes = net.nodes.len();
    for src in 0..nodes {
        for (dst, hops) in distances(net, src).into_iter().enumerate() {
            let path = net.path(src, dst);
            assert_eq!(path.as_ref().map(|p| p.len() - 1), hops, "{src} to {dst}: {path:?}");
        }
    }
}

/// A flip of a link after a pause.
type Flip = (u64, usize, usize);

fn case() -> impl Strategy<Value = (u64, f64, Vec<bool>, Vec<Flip>)> {
    let loss = prop_oneof![Just(0.0), Just(0.3)];
    let links = prop::collection::vec(prop::bool::weighted(0.4), NODES * (NODES - 1) / 2);
    let pause = prop_oneof![4 => 0u64..100, 2 => 0u64..3_000, 1 => 0u64..12_000];
    (any::<u64>(), loss, links, prop::collection::vec((pause, 0..NODES, 0..NODES), 0..40))
}

fn options() -> impl Strategy<Value = OlsrConfig> {
    let trigger = prop_oneof![Just(TcTrigger::Never), Just(TcTrigger::Loss), Just(TcTrigger::Change)];
    (any::<bool>(), 1u32..4, 0u32..3, trigger).prop_map(|(hysteresis, mpr_coverage, tc_redundancy, tc_trigger)| {
        OlsrConfig { hysteresis, mpr_coverage, tc_redundancy, tc_trigger, ..OlsrConfig::default() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn at_rest_every_way_is_a_shortest_one(
        (seed, loss, links, flips) in case(),
        cfg in options(),
        willing in prop::collection::vec(1u32..=7, NODES),
    ) {
        let cfgs = willing.into_iter().map(|willingness| OlsrConfig { willingness, ..cfg.clone() }).collect();
        let mut net = Net::of(cfgs, seed);
        net.loss = loss;
        let pairs = (0..NODES).flat_map(|a| (0..a).map(move |b| (a, b)));
        let mut up = vec![vec![false; NODES]; NODES];
        for ((a, b), &there) in pairs.zip(&links) {
            (up[a][b], up[b][a]) = (there, there);
            net.set_link(a, b, there);
        }
        let mut at = ms(10);
        for (pause, a, b) in flips {
            at += Span::from_millis(pause);
            if a != b {
                let there = !up[a][b];
                (up[a][b], up[b][a]) = (there, there);
                net.link_at(at, a, b, there);
            }
        }
        net.run(at);
        net.loss = 0.0;
        net.run(at + Span::from_secs(60));
        assert_settled(&mut net);
    }
}

/// A connected field of 50 nodes: each is near some node before it.
fn field(cfg: &OlsrConfig) -> Net {
    let mut place = Stream::derive(7, 0, 0, Purpose::Placement);
    let mut at: Vec<(f64, f64)> = vec![(0.5, 0.5)];
    let near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).hypot(a.1 - b.1) < 0.2;
    while at.len() < 50 {
        let new = (place.uniform(), place.uniform());
        if at.iter().any(|&old| near(old, new)) {
            at.push(new);
        }
    }
    let mut net = Net::new(at.len(), cfg, 1);
    for a in 0..at.len() {
        for b in 0..a {
            net.set_link(a, b, near(at[a], at[b]));
        }
    }
    net
}

fn settles_within(net: &mut Net, limit: Span) {
    let start = net.now;
    while !is_settled(net) {
        net.run(net.now + Span::from_millis(100));
        assert!(net.now <= start + limit, "not settled in {limit:?}");
    }
}

#[test]
fn a_field_of_fifty_nodes_settles_and_heals() {
    let mut net = field(&OlsrConfig::set("olsr-unik").expect("a set"));
    let links = net.links.clone();
    settles_within(&mut net, Span::from_secs(15));
    net.run(Time::ZERO + Span::from_secs(60));
    assert_settled(&mut net);
    // The node with most neighbours dies and comes back.
    let dead = (0..50).max_by_key(|&n| links[n].iter().filter(|&&up| up).count()).expect("nodes");
    for other in 0..50 {
        net.set_link(dead, other, false);
    }
    // The hold time of 6 s until its neighbours give it up, a HELLO with other relays, their early TC messages.
    settles_within(&mut net, Span::from_secs(6 + 2 + 2));
    for (other, &up) in links[dead].iter().enumerate() {
        net.set_link(dead, other, up);
    }
    settles_within(&mut net, Span::from_secs(6));
}
