//! Routes by link quality: what is measured over lossy links, which paths are taken, and how often they lead in circles.

use crate::config::olsr::{OlsrConfig, OlsrMetric};
use crate::routing::RoutingNote;
use crate::routing::tests::net::{Net, ms};
use hopscope_core::ids::NodeId;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};
use hopscope_packet::olsr::LinkQuality;

fn set(name: &str) -> OlsrConfig {
    OlsrConfig::set(name).expect("a set")
}

/// By hops, with HELLOs valid for as long as under the sets by quality.
fn by_hops() -> OlsrConfig {
    OlsrConfig { neighb_hold_time: Span::from_secs(20), ..set("olsr-unik") }
}

/// The share of the seconds from 60 s to 660 s in which packets from 0 to 2 go this path.
fn share_over(cfg: &OlsrConfig, loss: f64, path: &[u32]) -> f64 {
    let mut net = Net::new(3, cfg, 1);
    net.set_link(0, 1, true);
    net.set_link(1, 2, true);
    net.set_lossy(0, 2, loss);
    let taken = (60..660).filter(|&second| {
        net.run(ms(second * 1000));
        net.path(0, 2).as_deref() == Some(path)
    });
    taken.count() as f64 / 600.0
}

#[test]
fn two_good_hops_are_taken_over_one_bad_one() {
    // ETX 4 against 2.
    for name in ["olsr-etx", "olsrd"] {
        let share = share_over(&set(name), 0.5, &[0, 1, 2]);
        assert!(share > 0.9, "{name}: {share}");
    }
    let ett = OlsrConfig { metric: OlsrMetric::Ett, ..set("olsr-etx") };
    assert!(share_over(&ett, 0.5, &[0, 1, 2]) > 0.9);
    let share = share_over(&by_hops(), 0.5, &[0, 2]);
    assert!(share > 0.9, "by hops the bad link: {share}");
    // ETX 1.23 against 2.
    let share = share_over(&set("olsr-etx"), 0.1, &[0, 2]);
    assert!(share > 0.9, "a good link is no detour: {share}");
}

/// Qualities that 1 announces of its link to 0, at its HELLOs from `from` on.
fn announced(net: &Net, from: Time) -> Vec<LinkQuality> {
    let hellos = net.hellos(1).into_iter().filter(|(at, _)| *at >= from);
    let of_0 = hellos.filter_map(|(_, hello)| {
        let at = hello.links.iter().position(|link| link.node == NodeId(0))?;
        hello.qualities.map(|qualities| qualities[at])
    });
    of_0.collect()
}

#[test]
fn etx_is_that_of_the_link_within_the_error_of_its_window() {
    // 1 receives 0.6 of what 0 sends, 0 receives 0.9 of what 1 sends: ETX 1.852.
    let (from_0, from_1) = (0.6f64, 0.9f64);
    let mut net = Net::chain(2, &set("olsr-etx"));
    net.losses.extend([((0, 1), 1.0 - from_0), ((1, 0), 1.0 - from_1)]);
    let seconds = 6400;
    net.run(ms(seconds * 1000));
    let said = announced(&net, ms(64_000));
    assert!(said.len() > 3000, "{}", said.len());
    let mean = |share: &dyn Fn(&LinkQuality) -> u8| {
        said.iter().map(|quality| f64::from(share(quality)) / 255.0).sum::<f64>() / said.len() as f64
    };
    let windows = seconds as f64 / 32.0;
    for (measured, true_share) in [(mean(&|q| q.lq), from_0), (mean(&|q| q.nlq), from_1)] {
        // A HELLO each 1.75 s on average makes 18 probes in a window. Four standard errors, a 255th of rounding down, and
        // what is announced late: less than a tenth.
        let error = (true_share * (1.0 - true_share) / 18.0 / windows).sqrt();
        assert!((measured - true_share).abs() < 4.0 * error + 1.0 / 255.0 + 0.02, "{measured} for {true_share}");
    }
}

#[test]
fn a_new_quality_is_noted_when_messages_begin_to_say_it() {
    let mut net = Net::chain(2, &set("olsr-etx"));
    net.run(ms(100_000));
    let noted: Vec<(u8, u8)> = net
        .notes(1)
        .into_iter()
        .filter_map(|(_, note)| match note {
            RoutingNote::LinkQuality { neighbour: NodeId(0), lq, nlq } => Some((lq, nlq)),
            _ => None,
        })
        .collect();
    assert_eq!(noted.last(), Some(&(255, 255)), "{noted:?}");
    assert!(noted.len() < 40 && noted.windows(2).all(|pair| pair[0] != pair[1]), "{noted:?}");
}

#[test]
fn a_rate_is_announced_where_it_counts() {
    let rate = |metric| {
        let mut net = Net::chain(2, &OlsrConfig { metric, ..set("olsr-etx") });
        net.run(ms(60_000));
        announced(&net, ms(50_000)).pop().map(|quality| quality.rate.0)
    };
    assert_eq!(rate(OlsrMetric::Etx), Some(0), "olsrd's octet is empty");
    // 2 Mbit/s are 20 sixteenths of 2^4 times 100 kbit/s.
    assert_eq!(rate(OlsrMetric::Ett), Some(0x44));
}

#[test]
fn a_link_that_is_received_in_one_direction_only_is_not_used() {
    let mut net = Net::chain(3, &set("olsr-etx"));
    net.set_lossy(0, 2, 0.0);
    net.run(ms(60_000));
    assert_eq!(net.path(0, 2), Some(vec![0, 2]));
    // 2 no longer hears 0: its quality falls within the window, long before the hold time would end it at 0.
    net.losses.insert((0, 2), 1.0);
    net.run(ms(100_000));
    assert_eq!(net.path(0, 2), Some(vec![0, 1, 2]));
}

#[test]
fn routes_are_calculated_at_most_once_in_a_gap() {
    let cfg = OlsrConfig { route_gap: Span::from_secs(3), ..set("olsr-etx") };
    let mut net = Net::chain(5, &cfg);
    net.loss = 0.3;
    net.run(ms(600_000));
    let of_routes =
        |note: &(Time, RoutingNote)| !matches!(note.1, RoutingNote::LinkQuality { .. } | RoutingNote::LinkLost { .. });
    let mut noted: Vec<Time> = net.notes(1).into_iter().filter(of_routes).map(|note| note.0).collect();
    noted.dedup();
    assert!(noted.len() >= 3, "{noted:?}");
    assert!(noted.windows(2).all(|pair| pair[1] - pair[0] >= Span::from_secs(3)), "{noted:?}");
}

/// 10,000 links come, go or change their loss, one each 2 s on average; after each the paths between all nodes are followed.
fn loops(cfg: &OlsrConfig) -> (u32, u32) {
    const NODES: usize = 8;
    let mut net = Net::new(NODES, cfg, 1);
    let mut chance = Stream::derive(11, 0, 0, Purpose::Placement);
    let mut below = |limit: usize| (chance.uniform() * limit as f64) as usize;
    let (mut loops, mut paths) = (0, 0);
    for _ in 0..10_000 {
        let (a, b) = (below(NODES), below(NODES));
        if a != b {
            // Two in five are up; their losses are 0, 0.2, 0.4 or 0.6.
            net.set_lossy(a, b, below(4) as f64 * 0.2);
            net.set_link(a, b, below(5) < 2);
        }
        net.run(net.now + Span::from_millis(below(4000) as u64));
        net.log.clear();
        for (src, dst) in (0..NODES).flat_map(|src| (0..NODES).map(move |dst| (src, dst))) {
            match net.route(src, dst) {
                Ok(None) => {}
                Ok(Some(_)) => paths += 1,
                Err(_) => (loops, paths) = (loops + 1, paths + 1),
            }
        }
    }
    (loops, paths)
}

#[test]
fn paths_lead_in_circles_for_as_long_as_nodes_know_different_things() {
    // No claim of OLSR: docs/models/olsr.md has the figures. Link states differ while messages are under path.
    for (name, cfg) in [("olsr-etx", set("olsr-etx")), ("olsrd", set("olsrd")), ("hops", by_hops())] {
        let (loops, paths) = loops(&cfg);
        assert!(paths > 100_000 && loops > 0 && loops < paths / 10, "{name}: {loops} of {paths}");
    }
}
