//! ATP over whole networks: the rate that the nodes of the path give, and what becomes of it where routes fail.

use std::collections::BTreeMap;

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::outage::Outage;
use hopscope_engine::config::{
    App, Config, CongestionControl, ControlChoice, LossRecovery, SeriesKind, Transport, WireConfig,
};
use hopscope_engine::record::Record;
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation;
use hopscope_mac::dcf::FrameKind;

use crate::support::{Log, chain, flow};

fn with(hops: u32, seconds: u64, app: App) -> Config {
    let mut config = chain("standard", hops, seconds);
    config.flows.push(flow("standard", 0, hops, Transport::Atp, app));
    config
}

fn run(config: &Config) -> RunResult {
    simulation::run(config.clone()).expect("a sound scenario")
}

/// The rates of a flow over time, packets a second.
fn rates(config: &Config) -> Vec<(f64, f64)> {
    let mut config = config.clone();
    config.series.keep = vec![SeriesKind::Rate];
    let series = &run(&config).series["rate"];
    series.t_s.iter().copied().zip(series.value.iter().copied()).collect()
}

/// Mean of Q + T over the data packets that `node` sends from `from` on, in seconds: read from records of queue and MAC.
fn delay(config: &Config, node: NodeId, from: Time) -> f64 {
    let mut world = World::new(config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    let mut since = BTreeMap::new();
    let mut spans = Vec::new();
    for (at, record) in &world.recorder().0 {
        match record {
            Record::Queued { node: n, packet, .. } if *n == node => _ = since.insert(packet.0, *at),
            Record::ExchangeEnded { node: n, packet, .. } if *n == node => {
                if let Some(since) = since.remove(&packet.0).filter(|_| *at >= from) {
                    spans.push((*at - since).as_secs());
                }
            }
            _ => {}
        }
    }
    assert!(spans.len() > 100, "{} packets", spans.len());
    spans.iter().sum::<f64>() / spans.len() as f64
}

#[test]
fn over_one_hop_the_rate_is_one_over_what_the_node_takes() {
    let config = with(1, 120, App::Bulk);
    let late = Time::ZERO + Span::from_secs(60);
    let reported = 1.0 / delay(&config, NodeId(0), late);
    let rate = rates(&config).last().expect("it has a rate").1;
    // It goes down with each lower feedback, and up only where that lies a tenth above: so it stays within a tenth below, and the
    // back-off that is drawn moves the averages by a few per cent.
    assert!((0.87..=1.03).contains(&(rate / reported)), "{rate} packets/s, {reported} reported");
    // 1 / T is what a source that fills the queue gets.
    let mut full = config.clone();
    full.flows[0].transport = Transport::Udp;
    full.flows[0].packet = 1468; // the header of ATP is 8 bytes longer
    let (own, most) = (run(&config).flows[0].throughput_kbps, run(&full).flows[0].throughput_kbps);
    assert!((0.85..=1.0).contains(&(own / most)), "{own} of {most} kbit/s");
}

#[test]
fn a_file_arrives_over_any_chain_and_waits_less_than_over_tcp() {
    for hops in 1..=10 {
        let own = run(&with(hops, 120, App::File { bytes: 730_000 }));
        assert_eq!(own.flows[0].received_bytes, 730_000, "{hops} hops");
        assert!(own.flows[0].completion_s.is_some() && own.network.queue_drops == 0, "{hops} hops");
        let mut tcp = with(hops, 120, App::File { bytes: 730_000 });
        tcp.flows[0].transport = Transport::TcpNewReno;
        let tcp = run(&tcp);
        // A window fills the queues of the path, the rate leaves them nearly empty.
        let waits = [&own, &tcp].map(|result| result.flows[0].delay_ms.expect("packets have come"));
        assert!(waits[0] < waits[1], "{hops} hops: {waits:?} ms");
    }
}

#[test]
fn a_file_arrives_whole_over_a_channel_that_loses_packets() {
    let mut config = with(3, 300, App::File { bytes: 1_460_000 });
    config.mac.long_retry_limit = 1;
    config.mac.short_retry_limit = 2;
    config.flows.push(flow("standard", 3, 0, Transport::Udp, App::cbr(100e3)));
    let flow = run(&config).flows[0].clone();
    assert_eq!(flow.received_bytes, 1_460_000, "all of it, and nothing twice");
    assert!(flow.completion_s.is_some() && flow.retransmitted_packets > 0, "{flow:?}");
}

#[test]
fn two_flows_of_one_node_share_its_rate() {
    let mut config = with(2, 120, App::Bulk);
    config.warmup = Time::ZERO + Span::from_secs(30);
    config.flows.push(config.flows[0].clone());
    let jain = |seed| {
        let mut config = config.clone();
        config.seed = seed;
        run(&config).network.jain
    };
    let mut seen: Vec<f64> = (1..=5).map(jain).collect();
    seen.sort_by(f64::total_cmp);
    assert!(seen[0] > 0.9, "{seen:?}");
}

/// Four hops over AODV, whose node 3 is off from 5 to 15 s.
fn broken(app: App) -> Config {
    let mut config = with(4, 60, app);
    config.routing.protocol = RoutingProtocol::Aodv;
    let at = |seconds| Time::ZERO + Span::from_secs(seconds);
    config.outages = vec![Outage { node: 3, from: at(5), to: Some(at(15)) }];
    config
}

#[test]
fn a_failed_route_stops_data_until_a_probe_is_answered() {
    let config = broken(App::Bulk);
    let mut world = World::new(&config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    let own = |(at, record): &(Time, Record)| match record {
        Record::SegmentSent { node: NodeId(0), .. } => Some(at.as_secs()),
        _ => None,
    };
    let sent: Vec<f64> = world.recorder().0.iter().filter_map(own).collect();
    let between = |from: f64, to: f64| sent.iter().filter(|at| (from..to).contains(*at)).count();
    assert!(between(3.0, 5.0) > 20, "{}", between(3.0, 5.0));
    // Once the news is there: a probe each epoch, while routes are looked for in vain.
    assert_eq!(between(6.0, 15.0), 9);
    // The search for a route waits longer each time, and so comes some seconds after the node is back.
    assert!(between(30.0, 35.0) > 20, "{}", between(30.0, 35.0));
}

#[test]
fn a_file_crosses_an_outage_with_notices_and_without() {
    for elfn in [true, false] {
        let mut config = broken(App::File { bytes: 400_000 });
        config.flows[0].atp.elfn = elfn;
        let flow = run(&config).flows[0].clone();
        assert_eq!(flow.received_bytes, 400_000, "{elfn}");
        assert!(flow.completion_s.is_some_and(|s| (14.0..50.0).contains(&s)), "{elfn}: {:?}", flow.completion_s);
    }
}

#[test]
fn over_wires_the_slowest_one_decides() {
    // 8 Mbit/s, then 800 kbit/s: 1496 bytes take 14.96 ms there, which is 66.8 packets a second.
    let mut config = chain("standard", 2, 60);
    let nodes = serde_json::json!({ "nodes": [0, 1, 2], "wifi": false });
    config.hosts = vec![serde_json::from_value(nodes).expect("settings of nodes")];
    let wire = |ends, rate| WireConfig::between(ends, rate, Span::from_millis(5), 50);
    config.wires = vec![wire([0, 1], 8_000_000), wire([1, 2], 800_000)];
    config.flows.push(flow("standard", 0, 2, Transport::Atp, App::Bulk));
    let rate = rates(&config).last().expect("it has a rate").1;
    assert!((60.0..=66.9).contains(&rate), "{rate}");
    let flow = &run(&config).flows[0];
    assert_eq!(flow.retransmitted_packets, 0);
    // Nothing waits: 1.5 and 15 ms to leave, twice 5 ms of delay.
    assert!(flow.delay_ms.is_some_and(|ms| (26.4..27.0).contains(&ms)), "{:?}", flow.delay_ms);
}

#[test]
fn other_flows_do_not_notice_that_nodes_measure() {
    // A flow of ATP that starts in the last nanosecond: its nodes measure all the same.
    let plain = |atp: bool| {
        let mut config = chain("standard", 4, 20);
        config.flows.push(flow("standard", 0, 4, Transport::TcpNewReno, App::Bulk));
        if atp {
            config.flows.push(flow("standard", 0, 4, Transport::Atp, App::Bulk));
            config.flows[1].start = Time(config.duration.0 - 1);
        }
        format!("{:?}", run(&config).flows[0])
    };
    assert_eq!(plain(false), plain(true));
}

#[test]
fn its_packets_weigh_what_their_headers_do() {
    // A packet of 1460 bytes over one hop is 1496 bytes with both headers, and its answer 36.
    let config = with(1, 30, App::File { bytes: 1_460 });
    let mut world = World::new(&config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    let frames = world.recorder().0.iter().filter_map(|(_, record)| match record {
        Record::FrameBegan { frame, .. } if frame.kind == FrameKind::Data && !frame.retry => Some(frame.bytes),
        _ => None,
    });
    let frames: Vec<u32> = frames.collect();
    let around = frames[0] - 1_496;
    assert_eq!(frames, [1_496 + around, 36 + around, 36 + around], "data, the answer, the feedback");
}

#[test]
fn what_does_not_go_with_it_is_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Config), key: &str, why: &str| {
        let mut config = with(1, 5, App::Bulk);
        change(&mut config);
        let error = simulation::run(config).expect_err("refused").to_string();
        assert!(error.contains(key) && error.contains(why), "{error}");
    };
    refused(&|config| config.flows[0].atp.epoch = Span::ZERO, "flows.0.atp.epoch", "at least 0.001");
    refused(&|config| config.flows[0].atp.sack_blocks = 21, "flows.0.atp.sack_blocks", "at most 20");
    refused(&|config| config.net.delay_weight = 0.0, "net.delay_weight", "more than 0");
    refused(&|config| config.flows[0].reply = Some(App::Bulk), "flows.0.reply", "over a TCP connection");
    let cubic = Some(ControlChoice::BuiltIn(CongestionControl::Cubic));
    refused(&|config| config.flows[0].control = cubic.clone(), "flows.0.control", "goes with transport \"tcp\"");
    refused(&|config| config.flows[0].recovery = LossRecovery::Sack, "flows.0.recovery", "in its own way");
}
