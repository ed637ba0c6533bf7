//! Which routes are chosen: by quality, not by hops, and not for a passing change; how fast they heal.

use super::views::update;
use crate::config::babel::{BabelConfig, BabelLinkCost};
use crate::routing::tests::net::{Net, ms};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};

fn set(name: &str) -> BabelConfig {
    BabelConfig::set(name).expect("a set")
}

/// Runs until the way is the one that is expected.
fn runs_until(net: &mut Net, src: usize, dst: usize, path: Option<&[u32]>, limit: Span) -> Span {
    let start = net.now;
    while net.path(src, dst).as_deref() != path {
        net.run(net.now + Span::from_millis(100));
        assert!(net.now <= start + limit, "{:?} after {limit:?}", net.path(src, dst));
    }
    net.now - start
}

#[test]
fn two_good_hops_are_taken_over_one_bad_one() {
    for name in ["rfc8966", "babeld"] {
        let mut net = Net::linked(3, &[(0, 1), (1, 2)], &set(name));
        // ETX of the direct link is 1 / 0.4^2 = 6.25, that of two hops 2.
        net.set_lossy(0, 2, 0.6);
        net.run(ms(150_000));
        let mut good = 0;
        for _ in 0..100 {
            net.run(net.now + Span::from_secs(2));
            good += u32::from(net.path(0, 2) == Some(vec![0, 1, 2]));
        }
        assert!(good >= 95, "{name}: {good}");
        // By counting Hellos the bad link is often taken for up, and costs less than two.
        let wired = BabelConfig { link_cost: BabelLinkCost::KOutOfJ, hellos_needed: 1, ..set(name) };
        let mut net = Net::linked(3, &[(0, 1), (1, 2)], &wired);
        net.set_lossy(0, 2, 0.2);
        net.run(ms(150_000));
        assert_eq!((net.path(0, 2), net.babel(0).metric(NodeId(2))), (Some(vec![0, 2]), Some(96)));
    }
}

#[test]
fn a_better_metric_has_to_last() {
    // Seconds from the better route until it is used, with the half-life of 4 s: its smoothed metric begins at what it is, or at
    // 32,767 and comes down.
    let switches = |cfg: &BabelConfig| {
        let mut net = Net::new(3, cfg, 1);
        net.meet(0, &[1, 2]);
        net.hear(0, 1, &[update(3, 5, 600)]);
        net.run(net.now + Span::from_secs(1));
        let start = net.now;
        for step in 0..100 {
            if step % 4 == 0 {
                net.greet(0, 1, 20 + step / 4);
                net.greet(0, 2, 20 + step / 4);
            }
            net.hear(0, 1, &[update(3, 5, 600)]);
            net.hear(0, 2, &[update(3, 5, 256)]);
            if net.nodes[0].next_hop(NodeId(3), net.now) == Some(NodeId(2)) {
                return (net.now - start).0 / 1_000_000_000;
            }
            net.run(net.now + Span::from_secs(1));
        }
        panic!("never")
    };
    assert_eq!(switches(&set("rfc8966")), 0);
    // Seconds t after the better one came: 512 + 32,511 / 2^(t/4) < 856 + 32,167 / 2^((t+1)/4), as the route in use came a second
    // earlier; the powers are left behind when 2^((t+1)/4) exceeds (32,511 * 2^(1/4) - 32,167) / 344 = 18.9, so at 16 s.
    assert_eq!(switches(&set("babeld")), 16);
}

#[test]
fn large_changes_are_advertised_early_and_small_ones_are_not() {
    // Metric that neighbour 1 advertises after 1024; whether node 0 advertises it within a second.
    let cases = [(1024, false), (1300, false), (1407, false), (1408, true), (200, false), (1, false), (0, true)];
    for (metric, is_early) in cases {
        let mut net = Net::new(3, &BabelConfig { update_delay: Span::from_millis(900), ..set("babeld") }, 1);
        net.meet(0, &[1]);
        net.hear(0, 1, &[update(3, 5, 1024)]);
        net.run(net.now + Span::from_millis(250));
        // A new number: every metric is allowed.
        let now = net.now;
        net.hear(0, 1, &[update(3, 6, metric)]);
        net.run(now + Span::from_secs(1));
        let updates = net.babel_updates(0, 3, now);
        assert_eq!(!updates.is_empty(), is_early, "{metric}: {updates:?}");
    }
}

/// A ring: 0 reaches 2 over 1, and the other way round over 3 and 4.
fn ring(cfg: &BabelConfig) -> Net {
    Net::linked(5, &[(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)], cfg)
}

#[test]
fn routes_heal_after_a_death_and_come_back_after_a_return() {
    for name in ["rfc8966", "babeld"] {
        let cfg = set(name);
        let mut net = ring(&cfg);
        net.run(ms(200_000));
        assert_eq!(net.path(0, 2), Some(vec![0, 1, 2]));
        for other in [0, 2] {
            net.set_link(1, other, false);
        }
        // Each missing Hello raises the cost of the dead link: 341, 512, 1024. With the third one the way over 3 and 4 is better,
        // at most 4 + 1.7 * 4 + 2 * 4 s after the death; the smoothed metric follows within two more Hellos.
        let healed = runs_until(&mut net, 0, 2, Some(&[0, 3, 4, 2]), Span::from_secs(27));
        assert!(healed >= Span::from_secs(8), "{name}: {healed:?}");
        assert_eq!(net.babel(0).metric(NodeId(2)), Some(768));
        // Nobody finds the dead node, and all know that within the time of nine missing Hellos and the IHU.
        runs_until(&mut net, 3, 1, None, Span::from_secs(60));
        for other in [0, 2] {
            net.set_link(1, other, true);
        }
        // The link costs less than 512 after six Hellos; the smoothed metric and an update of node 1 come on top.
        let back = runs_until(&mut net, 0, 2, Some(&[0, 1, 2]), Span::from_secs(80));
        assert!(back >= Span::from_secs(8), "{name}: {back:?}");
        runs_until(&mut net, 3, 1, Some(&[3, 0, 1]), Span::from_secs(80));
    }
}

#[test]
fn a_chain_of_ten_knows_all_routes_within_two_updates() {
    let mut net = Net::chain(10, &set("rfc8966"));
    let know = |net: &mut Net| (0..10).all(|src| (0..10).all(|dst| net.path(src, dst).is_some()));
    while !know(&mut net) {
        net.run(net.now + Span::from_millis(100));
        assert!(net.now <= Time::ZERO + Span::from_secs(32));
    }
    // Every hop costs 256 once the Hellos before the start are forgotten.
    net.run(ms(300_000));
    assert_eq!(net.babel(0).metric(NodeId(9)), Some(9 * 256));
}
