//! The three modes of a root.

use super::quick;
use crate::config::hwmp::{HwmpConfig, RootMode};
use crate::routing::tests::net::{Net, ms};
use hopscope_core::units::Span;

fn rooted(root_mode: RootMode) -> Net {
    let second = Span::from_secs(1);
    let cfg = HwmpConfig { root: Some(0), root_mode, root_interval: second, rann_interval: second, ..quick() };
    let mut net = Net::chain(4, &cfg);
    net.run(ms(3_500));
    net
}

#[test]
fn all_know_the_root_and_it_knows_all() {
    let mut net = rooted(RootMode::PreqPrep);
    for node in 1..4 {
        let up: Vec<u32> = (0..=node as u32).collect();
        assert_eq!(net.path(0, node), Some(up.clone()));
        assert_eq!(net.path(node, 0), Some(up.into_iter().rev().collect()));
    }
    let own = net.sent("preq").into_iter().filter(|one| one.1 == 0).map(|one| one.0).collect::<Vec<_>>();
    assert!(own.len() >= 3 && own.windows(2).all(|pair| pair[1] == pair[0] + Span::from_secs(1)));
}

#[test]
fn without_replies_a_node_answers_when_it_has_data() {
    let mut net = rooted(RootMode::Preq);
    assert_eq!(net.path(3, 0), Some(vec![3, 2, 1, 0]));
    assert_eq!((net.path(0, 3), net.sent("prep").len()), (None, 0));
    let before = net.now;
    net.send_at(before, 3, 0);
    net.send_at(before + Span::from_millis(10), 3, 0);
    net.run(before + Span::from_millis(50));
    assert_eq!(net.path(0, 3), Some(vec![0, 1, 2, 3]));
    assert_eq!(net.sent("prep").len(), 3, "one reply over three hops");
}

#[test]
fn an_announced_root_is_asked_hop_by_hop() {
    let mut net = rooted(RootMode::Rann);
    for node in 1..4 {
        let up: Vec<u32> = (0..=node as u32).collect();
        assert_eq!(net.path(0, node), Some(up.clone()));
        assert_eq!(net.path(node, 0), Some(up.into_iter().rev().collect()));
    }
    let asked = net.sent("preq");
    assert!(!asked.is_empty() && asked.iter().all(|one| one.2.is_some()), "never to all");
    // Each of three nodes asks no more often than each 2000 TU.
    let own = asked.iter().filter(|one| one.1 == 1).count();
    assert!(own <= 2 * 3, "{own}");
}

#[test]
fn lost_broadcasts_cost_a_round_and_no_more() {
    let cfg = HwmpConfig { root: Some(0), root_interval: Span::from_millis(500), ..quick() };
    let mut net = Net::new(3, &cfg, 1);
    net.set_lossy(0, 1, 0.4);
    net.set_lossy(1, 2, 0.4);
    net.run(ms(20_000));
    // Ten requests within the lifetime of a path; each comes through both links with a chance of 0.36.
    assert_eq!(net.path(2, 0), Some(vec![2, 1, 0]));
    assert_eq!(net.path(0, 2), Some(vec![0, 1, 2]));
}
