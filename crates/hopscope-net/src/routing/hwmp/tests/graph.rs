//! Random links that come and go: no packet lost track of, loops counted, and shortest ways where all rests.

use proptest::prelude::*;

use super::quick;
use crate::config::hwmp::{FailureCount, HwmpConfig};
use crate::routing::tests::graph::{Case, all_ended, cases, config, hops, nothing_leaks};
use crate::routing::tests::net::{Net, ms};
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::Span;

const NODES: usize = 7;

fn case() -> impl Strategy<Value = Case> {
    cases(NODES, [60, 2_000, 9_000], 0.4, 1..60)
}

fn options() -> impl Strategy<Value = HwmpConfig> {
    let bits = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    bits.prop_map(|(target_only, reply_and_forward, refresh_by_use, attempts, limits)| HwmpConfig {
        target_only,
        reply_and_forward,
        refresh_by_use,
        failure_count: if attempts { FailureCount::Attempts } else { FailureCount::Packets },
        max_packet_failures: limits.then_some(2),
        max_beacon_loss: limits.then_some(3),
        perr_unicast: if limits { 31 } else { 0 },
        ..quick()
    })
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn every_packet_is_kept_track_of(case in case(), cfg in options()) {
        let mut net = Net::new(NODES, &cfg, case.seed);
        let end = case.plan(&mut net) + Span::from_secs(30);
        net.run_checked(end, |net| nothing_leaks(net));
        all_ended(&net, true);
    }
}

/// Loops found after each of so many events of a network whose links come and go.
fn loops(cfg: &HwmpConfig, events: u32) -> u32 {
    let mut chance = Stream::derive(3, 0, 0, Purpose::Placement);
    let mut net = Net::new(12, cfg, 1);
    let mut found = 0;
    let mut pick = |most: usize| (chance.uniform() * most as f64) as usize;
    for _ in 0..events {
        let (a, b) = (pick(12), pick(12));
        let pause = pick(200) as u64;
        if a != b && pick(2) == 0 {
            // Three neighbours each, on average.
            let up = pick(11) < 3;
            net.set_link(a, b, up);
        } else if a != b {
            net.send_at(net.now, a, b);
        }
        net.run(net.now + Span::from_millis(pause));
        found += (0..12).map(|dst| u32::from((0..12).any(|src| net.route(src, dst).is_err()))).sum::<u32>();
    }
    found
}

#[test]
fn loops_are_counted_over_ten_thousand_events() {
    let standard = loops(&quick(), 10_000);
    let linux = HwmpConfig { beacon_interval: Span::from_millis(100), ..HwmpConfig::set("linux").expect("a set") };
    let ns3 = HwmpConfig { beacon_interval: Span::from_millis(100), ..HwmpConfig::set("ns3").expect("a set") };
    let found = [standard, loops(&linux, 10_000), loops(&ns3, 10_000)];
    assert_eq!(found, [0, 0, 0], "docs/models/hwmp.md names them");
}

#[test]
fn a_field_at_rest_has_shortest_ways() {
    let mut chance = Stream::derive(7, 0, 0, Purpose::Placement);
    let mut net = Net::new(30, &quick(), 1);
    let at: Vec<(f64, f64)> = (0..30).map(|_| (chance.uniform(), chance.uniform())).collect();
    for a in 0..30 {
        for b in 0..a {
            net.set_link(a, b, (at[a].0 - at[b].0).hypot(at[a].1 - at[b].1) < 0.3);
        }
    }
    net.run(ms(2_000));
    for dst in 1..30 {
        net.send_at(ms(2_000 + 300 * dst as u64), 0, dst);
        net.run(ms(2_250 + 300 * dst as u64));
        // All links cost the same.
        let wanted = hops(&net, 0)[dst];
        assert_eq!(net.path(0, dst).map(|path| path.len() - 1), wanted, "to {dst}");
    }
}
