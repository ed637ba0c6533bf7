//! What holds of both algorithms: loops under random events, death and return.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config as Runner, TestRunner};

use crate::config::{BatmanIvConfig, BatmanVConfig};
use crate::routing::tests::graph::{self, hops};
use crate::routing::tests::net::{Constants, Net, ms};
use hopscope_core::units::Span;

/// Both algorithms. Links of 100 Mbit/s leave BATMAN_V something to divide over many hops.
fn v() -> BatmanVConfig {
    BatmanVConfig { throughput_override: Some(100_000_000), elp_probes: 0, ..BatmanVConfig::default() }
}

fn iv() -> BatmanIvConfig {
    BatmanIvConfig::default()
}

/// Pairs of nodes between which packets would go round in a circle, and pairs in all.
fn loops(net: &mut Net) -> (usize, usize) {
    let nodes = net.nodes.len();
    let pairs = (0..nodes).flat_map(|src| (0..nodes).map(move |dst| (src, dst)));
    let found = pairs.filter(|&(src, dst)| net.route(src, dst).is_err()).count();
    (found, nodes * (nodes - 1))
}

/// Pairs that have a way and whose next hops lead to its end, and all pairs that have a way.
fn routed(net: &mut Net) -> (usize, usize) {
    let (mut right, mut all) = (0, 0);
    for src in 0..net.nodes.len() {
        let reachable = hops(net, src);
        for dst in (0..net.nodes.len()).filter(|&dst| dst != src && reachable[dst].is_some()) {
            all += 1;
            let path = net.route(src, dst).ok().flatten();
            let holds = path.is_some_and(|path| path.windows(2).all(|hop| net.links[hop[0] as usize][hop[1] as usize]));
            right += usize::from(holds);
        }
    }
    (right, all)
}

/// 40 random graphs with 250 events each. Neither algorithm promises that next hops never lead in a circle while links
/// change. Fixed before it was run: at most one pair in a hundred does, at the mean event; and none that has a way is left
/// in one 60 s after the last event.
fn few_loops<C: Constants>(cfg: &C) {
    let mut runner = TestRunner::new(Runner { cases: 40, ..graph::config(40) });
    let (mut found, mut all, mut events) = (0, 0, 0);
    let cases = graph::cases(8, [1000, 2000, 4000], 1.0, 250..251);
    let mut drawn = Vec::new();
    for _ in 0..40 {
        drawn.push(cases.new_tree(&mut runner).expect("a case").current());
    }
    for case in drawn {
        let mut net = Net::new(8, cfg, case.seed);
        let last = case.plan(&mut net);
        let mut links = net.links.clone();
        net.run_checked(last, |net| {
            if net.links != links {
                links.clone_from(&net.links);
                let (in_loops, pairs) = loops(net);
                (found, all, events) = (found + in_loops, all + pairs, events + 1);
            }
        });
        net.run(last + Span::from_secs(60));
        let (right, pairs) = routed(&mut net);
        assert_eq!(right, pairs, "after 60 s of calm");
    }
    assert!(events >= 8_000, "{events} links flipped");
    assert!(found * 100 <= all, "{found} of {all} pairs in loops over {events} events");
}

#[test]
#[ignore = "ten thousand events: half a minute"]
fn batman_iv_has_few_loops_under_random_events() {
    few_loops(&iv());
}

#[test]
#[ignore = "ten thousand events: half a minute"]
fn batman_v_has_few_loops_under_random_events() {
    few_loops(&v());
}

/// A ring of eight nodes: there is another way round for every pair.
fn ring<C: Constants>(cfg: &C) -> Net {
    let mut net = Net::new(8, cfg, 5);
    for node in 0..8 {
        net.set_link(node, (node + 1) % 8, true);
    }
    net
}

/// Seconds until everyone who has a way has a route that holds.
fn settles(net: &mut Net, limit: u64) -> u64 {
    for second in 0..=limit {
        let (right, all) = routed(net);
        if right == all {
            return second;
        }
        net.run(net.now + Span::from_secs(1));
    }
    panic!("{:?} routes after {limit} s", routed(net));
}

/// A neighbour loses its place once five OGMs have not come by it, and what it carried on comes no more to those behind
/// it, who find their way after that.
#[test]
fn routes_heal_after_a_death_and_a_return() {
    fn heal<C: Constants>(cfg: &C, death: u64) {
        let mut net = ring(cfg);
        net.run(ms(100_000));
        assert_eq!(routed(&mut net), (56, 56));
        for other in [3, 5] {
            net.set_link(4, other, false);
        }
        assert!(settles(&mut net, death) >= 3, "OGMs that do not come take their time");
        net.run(net.now + Span::from_secs(30));
        for other in [3, 5] {
            net.set_link(4, other, true);
        }
        settles(&mut net, 10);
        // The window of 64 OGMs is full again.
        net.run(net.now + Span::from_secs(80));
        assert_eq!(net.path(3, 5), Some(vec![3, 4, 5]));
    }
    heal(&iv(), 20);
    heal(&v(), 20);
}

#[test]
fn an_originator_that_is_silent_is_forgotten() {
    fn forget<C: Constants>(cfg: &C) {
        let mut net = Net::chain(2, cfg);
        net.run(ms(20_000));
        assert_eq!(net.path(0, 1), Some(vec![0, 1]));
        net.set_link(0, 1, false);
        net.run(ms(218_000));
        assert_eq!(net.path(0, 1), Some(vec![0, 1]), "for 200 s nothing shows that it is gone");
        net.run(ms(221_100));
        assert_eq!(net.path(0, 1), None);
        net.set_link(0, 1, true);
        net.run(ms(240_000));
        assert_eq!(net.path(0, 1), Some(vec![0, 1]));
    }
    forget(&iv());
    forget(&v());
}
