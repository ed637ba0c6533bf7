//! Random networks whose links come and go: once they rest, ways are shortest and free of loops.

use proptest::prelude::*;

use crate::config::olsr::{OlsrConfig, TcTrigger};
use crate::routing::tests::graph::{cases, config, hops};
use crate::routing::tests::net::Net;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};

const NODES: usize = 8;

fn is_settled(net: &mut Net) -> bool {
    let nodes = net.nodes.len();
    (0..nodes).all(|src| {
        let hops = hops(net, src);
        (0..nodes).all(|dst| net.route(src, dst).is_ok_and(|route| route.map(|p| p.len() - 1) == hops[dst]))
    })
}

fn assert_settled(net: &mut Net) {
    let nodes = net.nodes.len();
    for src in 0..nodes {
        for (dst, hops) in hops(net, src).into_iter().enumerate() {
            let path = net.path(src, dst);
            assert_eq!(path.as_ref().map(|p| p.len() - 1), hops, "{src} to {dst}: {path:?}");
        }
    }
}

fn options() -> impl Strategy<Value = OlsrConfig> {
    let trigger = prop_oneof![Just(TcTrigger::Never), Just(TcTrigger::Loss), Just(TcTrigger::Change)];
    (any::<bool>(), 1u32..4, 0u32..3, trigger).prop_map(|(hysteresis, mpr_coverage, tc_redundancy, tc_trigger)| {
        OlsrConfig { hysteresis, mpr_coverage, tc_redundancy, tc_trigger, ..OlsrConfig::default() }
    })
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn at_rest_every_way_is_a_shortest_one(
        case in cases(NODES, [100, 3_000, 12_000], 1.0, 0..40),
        cfg in options(),
        willing in prop::collection::vec(1u32..=7, NODES),
    ) {
        let cfgs: Vec<_> = willing.into_iter().map(|willingness| OlsrConfig { willingness, ..cfg.clone() }).collect();
        let mut net = Net::of(&cfgs, case.seed);
        let rest = case.plan(&mut net);
        net.run(rest);
        net.loss = 0.0;
        net.run(rest + Span::from_secs(60));
        assert_settled(&mut net);
    }

    /// Without losses every link has ETX 1: ways of least cost are those of fewest hops, over the relays of quality too.
    #[test]
    fn at_rest_paths_of_least_etx_are_shortest(
        case in cases(NODES, [100, 3_000, 12_000], 1.0, 0..40),
        (mpr_coverage, tc_redundancy, fisheye) in (1u32..8, 0u32..3, any::<bool>()),
    ) {
        let etx = OlsrConfig::set("olsr-etx").expect("a set");
        let cfg = OlsrConfig { mpr_coverage, tc_redundancy, fisheye, fisheye_sequence: fisheye, top_hold_time: Span::from_secs(90), ..etx };
        let mut net = Net::new(NODES, &cfg, case.seed);
        let rest = case.plan(&mut net);
        net.run(rest);
        net.loss = 0.0;
        // Hold times, the window of 32 s, and TC messages that go everywhere each 40 s.
        net.run(rest + Span::from_secs(240));
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
