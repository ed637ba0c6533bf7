//! QoS stations with flow queues (`mac.link = "fq-codel"`) in whole networks: what they change for flows that share a station.

use hopscope_core::units::{Span, Time};
use hopscope_engine::config::{App, Config, Transport, presets};
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation;
use hopscope_mac::config::mac::RateControlKind;

use crate::support::flow;

/// Station 0 of 802.11n at the origin, and others at these distances.
fn cell(places: &[f64], change: impl FnOnce(&mut Config)) -> Config {
    let base = presets::base("standard", "ht-20").expect("a profile and a preset");
    let nodes = std::iter::once([0.0, 0.0]).chain(places.iter().map(|x| [*x, 0.0])).collect();
    let mut config = base.config(nodes, Span::from_secs(4));
    config.warmup = Time::ZERO + Span::from_secs(1);
    config.mac.queue = 500;
    change(&mut config);
    config
}

fn with_flow_queues(config: &mut Config) {
    config.link.layer = "fq-codel".parse().expect("a link layer");
}

/// A flow of more than the medium carries and one of 100 kbit/s, from one station to another.
fn bulk_and_sparse(change: impl FnOnce(&mut Config)) -> RunResult {
    simulation::run(cell(&[5.0], |config| {
        config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(80e6)));
        config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(100e3)));
        for flow in &mut config.flows {
            flow.start = Time::ZERO + Span::from_millis(500);
        }
        change(config);
    }))
    .expect("a sound scenario")
}

#[test]
fn a_sparse_flow_waits_for_nobody_but_the_ppdu_on_the_air() {
    let delay_of = |flow: usize, results: &RunResult| results.flows[flow].delay_ms.expect("packets");
    let delay = |results: &RunResult| delay_of(1, results);
    let fifo = bulk_and_sparse(|_| ());
    let fair = bulk_and_sparse(with_flow_queues);
    let limited = bulk_and_sparse(|config| {
        with_flow_queues(config);
        config.mac.airtime_limit = Some(12_000);
    });
    let waits = fifo.nodes[0].queue_ms.expect("packets");
    assert!((waits / delay_of(0, &fifo) - 1.0).abs() < 0.1, "{waits} and {}", delay_of(0, &fifo));
    // 500 packets of 1508 bytes at 52 Mbit/s; a PPDU takes up to 5.5 ms.
    assert!(delay(&fifo) > 80.0, "{}", delay(&fifo));
    assert!(delay(&fair) < 11.0, "{}", delay(&fair));
    // It waits for what the queue of the driver holds before it as well.
    assert!(delay(&limited) > delay(&fair) + 4.0 && delay(&limited) < 25.0, "{}", delay(&limited));
    for results in [&fair, &limited] {
        assert!((results.flows[1].throughput_kbps / 100.0 - 1.0).abs() < 0.05);
        assert!(results.network.aggregate_kbps > 0.97 * fifo.network.aggregate_kbps, "the bulk flow fills the rest");
    }
}

#[test]
fn neighbours_share_the_time_not_the_packets() {
    // One neighbour at 65 Mbit/s, and one at a third of it or less.
    let ratio = |change: fn(&mut Config)| {
        let results = simulation::run(cell(&[5.0, -200.0], |config| {
            config.radio.noise_floor = -78.0;
            config.mac.rate_control = RateControlKind::Ideal;
            for to in [1, 2] {
                config.flows.push(flow("standard", 0, to, Transport::Udp, App::cbr(60e6)));
            }
            change(config);
        }))
        .expect("a sound scenario");
        let [near, far] = &results.flows[..] else { panic!("two flows") };
        near.throughput_kbps / far.throughput_kbps
    };
    let (fifo, fair) = (ratio(|_| ()), ratio(with_flow_queues));
    assert!((0.8..1.25).contains(&fifo), "{fifo}");
    assert!(fair > 2.0, "{fair}");
}

#[test]
fn tcp_keeps_its_flow_queue_short() {
    // A window of 256 packets stands in the queue of a FIFO.
    let run = |change: fn(&mut Config)| {
        simulation::run(cell(&[5.0], |config| {
            let mut tcp = flow("standard", 0, 1, Transport::TcpCubic, App::Bulk);
            tcp.max_window = 256;
            config.flows.push(tcp);
            change(config);
        }))
        .expect("a sound scenario")
    };
    let delay = |results: &RunResult| results.flows[0].delay_ms.expect("packets");
    let fifo = run(|_| ());
    let fair = run(with_flow_queues);
    let marked = run(|config| {
        with_flow_queues(config);
        config.flows[0].tcp.ecn = true;
    });
    assert!(delay(&fair) < 0.6 * delay(&fifo), "{} and {}", delay(&fair), delay(&fifo));
    let acted = |results: &RunResult| (results.nodes[0].early_drops, results.nodes[0].ecn_marks);
    assert_eq!(acted(&fifo), (0, 0));
    assert!(acted(&fair).0 > 0 && acted(&fair).1 == 0, "{:?}", acted(&fair));
    assert!(acted(&marked).0 == 0 && acted(&marked).1 > 0, "{:?}", acted(&marked));
    for results in [&fair, &marked] {
        assert!(results.flows[0].throughput_kbps > 0.85 * fifo.flows[0].throughput_kbps);
    }
}
