//! Links that a trace covers: their powers, their losses, and what becomes of the others.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::radio::Fading;
use hopscope_engine::config::traces::{Sample, Untraced};
use hopscope_engine::config::{App, Config, LinkTraces, RadioConfig, Transport};
use hopscope_engine::record::Record;
use hopscope_phy::channel::{Medium, medium::TracedLink};
use hopscope_phy::phy::Arrival;

use crate::support::{Log, chain, flow, is_data_received};

/// Datagrams of 1480 bytes over one hop, ten a second from 1 s on, for ten seconds.
fn one_hop() -> Config {
    let mut config = chain("standard", 1, 10);
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(1480.0 * 80.0)));
    config
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_millis(milliseconds)
}

fn run(config: &Config) -> Vec<(Time, Record)> {
    let mut world = World::new(config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    world.recorder().0.clone()
}

/// Datagrams that arrive in each second.
fn arrivals(config: &Config) -> Vec<usize> {
    let mut seconds = vec![0; 10];
    for (now, _) in run(config).iter().filter(|(_, record)| is_data_received(record)) {
        seconds[(now.0 / 1_000_000_000) as usize] += 1;
    }
    seconds
}

#[test]
fn a_power_holds_until_the_next_one() {
    let mut config = one_hop();
    // The power at 250 m is -64.4 dBm.
    config.traces.rssi = vec![Sample(at(3_000), 0, 1, -64.5), Sample(at(6_000), 0, 1, -64.0)];
    let found = arrivals(&config);
    assert_eq!((&found[1..3], &found[4..6]), (&[10; 2][..], &[0; 2][..]), "{found:?}");
    assert!(found[7..].iter().all(|&count| count >= 9), "{found:?}");
    let traced: Vec<_> = run(&config)
        .into_iter()
        .filter_map(|(now, record)| match record {
            Record::LinkTraced { node, peer, rssi, loss: None } => Some((now, node.0, peer.0, rssi)),
            _ => None,
        })
        .collect();
    assert_eq!(traced, [(at(3_000), 0, 1, Some(-64.5)), (at(6_000), 0, 1, Some(-64.0))]);
}

#[test]
fn the_other_direction_is_another_link() {
    let mut config = one_hop();
    config.mac.rts_threshold = None;
    config.traces.rssi = vec![Sample(at(5_000), 1, 0, -90.0), Sample(at(20_000), 1, 0, -50.0)];
    // Every datagram arrives, but no ACK comes back: the sender gives each of them up.
    let found = arrivals(&config);
    assert!(found[2..].iter().all(|&count| count >= 9), "{found:?}");
    let records = run(&config);
    let dropped = |early: bool| {
        records.iter().filter(|(now, r)| (*now < at(5_000)) == early && matches!(r, Record::Dropped { .. })).count()
    };
    assert_eq!(dropped(true), 0);
    assert!(dropped(false) > 40, "{}", dropped(false));
}

#[test]
fn a_loss_is_a_probability_for_each_copy_of_a_frame() {
    let mut config = one_hop();
    config.mac.rts_threshold = None;
    config.traces.loss = vec![Sample(at(0), 0, 1, 0.5), Sample(at(9_000), 0, 1, 1.0)];
    let records = run(&config);
    let sent = |from: u64, to: u64| {
        let data = |record: &Record| matches!(record, Record::FrameBegan { frame, .. } if frame.src == NodeId(0));
        records.iter().filter(|(now, record)| (at(from)..at(to)).contains(now) && data(record)).count() as f64
    };
    // Two attempts a datagram on average: 80 datagrams in eight seconds; the standard deviation is sqrt(2 * 80).
    assert!((sent(1_000, 9_000) - 160.0).abs() < 3.0 * 160f64.sqrt(), "{} frames", sent(1_000, 9_000));
    let late = records.iter().filter(|(now, record)| *now > at(9_100) && is_data_received(record)).count();
    assert_eq!(late, 0, "the link is dead");
}

#[test]
fn a_traced_loss_stands_in_for_the_error_process_of_its_link() {
    let mut config = one_hop();
    config.mac.rts_threshold = None;
    config.radio.error_kind = hopscope_engine::config::radio::ErrorKind::Uniform;
    config.radio.error_per = 1.0;
    assert_eq!(arrivals(&config).iter().sum::<usize>(), 0);
    config.traces.loss = vec![Sample(at(0), 0, 1, 0.0), Sample(at(0), 1, 0, 0.0)];
    assert_eq!(arrivals(&config)[2..], [10; 8]);
}

#[test]
fn links_without_a_trace_are_there_or_not() {
    let mut config = chain("standard", 2, 10);
    config.flows.push(flow("standard", 0, 2, Transport::Udp, App::cbr(1480.0 * 80.0)));
    let link = |a: u32, b: u32| [Sample(at(0), a, b, 0.0), Sample(at(0), b, a, 0.0)];
    config.traces.loss = link(0, 1).to_vec();
    assert!(World::new(&config, Log::default()).is_ok(), "by the model there is a link from 1 to 2");
    config.traces.untraced = Untraced::Absent;
    let refused = World::new(&config, Log::default()).expect_err("nothing leads to node 2").to_string();
    assert!(refused.starts_with("flows.0"), "{refused}");
    config.traces.loss.extend(link(1, 2));
    assert!(arrivals(&config)[2..].iter().all(|&count| count >= 9));
}

#[test]
fn static_routes_follow_the_mean_power_of_each_link() {
    // Nothing reaches 400 m but what the trace covers, from 2 s on: the way is one hop, and its packets are lost before.
    let mut config = chain("standard", 2, 10);
    config.flows.push(flow("standard", 0, 2, Transport::Udp, App::cbr(1480.0 * 80.0)));
    config.traces.rssi = vec![Sample(at(2_000), 0, 2, -50.0), Sample(at(2_000), 2, 0, -50.0)];
    let found = arrivals(&config);
    assert_eq!(found[1], 0, "{found:?}");
    assert!(found[3..].iter().all(|&count| count >= 9), "{found:?}");
}

#[test]
fn links_are_those_reported_and_those_of_the_model() {
    let radio = RadioConfig::default();
    let nodes: Vec<[f64; 2]> = (0..5).map(|n| [f64::from(n) * 200.0, 0.0]).collect();
    let plain = Medium::new(&nodes, &radio);
    let mut medium = Medium::new(&nodes, &radio);
    let received = |medium: &Medium, node: u32| -> Vec<(u32, u8)> {
        let mut found: Vec<_> =
            medium.hearers(NodeId(node)).iter().map(|l| (l.to.0, l.flags & Arrival::DECODABLE)).collect();
        found.sort_unstable();
        found
    };
    medium.follow_traces(false);
    assert!((0..5).all(|node| received(&medium, node) == received(&plain, node)), "nothing is traced");
    let traced_link = |to: u32, watts| -> TracedLink { (NodeId(0), NodeId(to), watts) };
    // Too weak, by the model, and strong at a distance of 800 m, which the model does not know.
    medium.apply_traced(&[traced_link(1, Some(1e-12)), traced_link(2, None), traced_link(4, Some(1e-6))]);
    assert_eq!(received(&medium, 0), [(2, 0), (4, 1)]);
    medium.apply_traced(&[traced_link(1, Some(1e-6)), traced_link(4, None)]);
    assert_eq!(received(&medium, 0), [(1, 1), (2, 0), (4, 1)], "a power stays where none is given");
    medium.set_part([NodeId(0), NodeId(4)], 0.0);
    assert_eq!(received(&medium, 0), [(1, 1), (2, 0)], "a cut comes on top");
    medium.follow_traces(true);
    assert_eq!((received(&medium, 0), received(&medium, 3)), (vec![], vec![]));
    medium.apply_traced(&[traced_link(2, None)]);
    assert_eq!(received(&medium, 0), [(2, 0)]);
    let delay = |medium: &Medium| medium.hearers(NodeId(0))[0].delay_ns;
    medium.apply_traced(&[traced_link(2, Some(1e-6))]);
    assert_eq!(delay(&medium), 1334, "400 m");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let traced = |change: &dyn Fn(&mut Config)| {
        let mut config = one_hop();
        config.traces = LinkTraces { rssi: vec![Sample(at(0), 0, 1, -60.0)], ..LinkTraces::default() };
        change(&mut config);
        World::new(&config, Log::default()).err().map_or(String::new(), |error| error.to_string())
    };
    assert_eq!(traced(&|_| ()), "");
    assert_eq!(
        traced(&|config| config.radio.fading = Fading::Rayleigh),
        "radio.fading: found \"rayleigh\" together with a trace of received powers, which has it already; leave one of them out"
    );
    assert!(traced(&|config| config.traces.rssi[0].1 = 7).starts_with("traces.rssi: node 7 does not exist"));
}

#[test]
fn the_shortest_path_follows_what_traces_report() {
    let path = |rssi: Vec<Sample>, untraced| {
        let mut config = chain("standard", 3, 10);
        config.traces = LinkTraces { rssi, untraced, ..LinkTraces::default() };
        let mut world = World::new(&config, Log::default()).expect("a sound scenario");
        world.run_until(at(2_000));
        world.shortest_path(NodeId(0), NodeId(3))
    };
    let both = |a: u32, b: u32, dbm: f64| [Sample(at(1_000), a, b, dbm), Sample(at(1_000), b, a, dbm)];
    assert_eq!(path(Vec::new(), Untraced::Model), Some(3));
    assert_eq!(path(both(0, 3, -50.0).to_vec(), Untraced::Model), Some(1), "longer than any range");
    assert_eq!(path(both(1, 2, -99.0).to_vec(), Untraced::Model), None);
    assert_eq!(path(both(0, 1, -50.0).to_vec(), Untraced::Absent), None);
}
