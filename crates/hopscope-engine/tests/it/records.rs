//! What the stream of records says: each kind is reported, and what it says of queues, frames and windows adds up.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::dccp::ReceiverCcid;
use hopscope_engine::config::mac::RateControlKind;
use hopscope_engine::config::mobility::{MobilityModel, PathConfig};
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::outage::Outage;
use hopscope_engine::config::radio::ErrorKind;
use hopscope_engine::config::traces::Sample;
use hopscope_engine::config::{AckPolicy, App, Change, ChangeKind, HostConfig, SeriesKind, Transport, WireConfig};
use hopscope_engine::ledger::Ledger;
use hopscope_engine::record::{Classes, NetworkView, Record, Recorder, TrajectoryHash};
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation::Simulation;
use hopscope_mac::dcf::Frame;
use hopscope_phy::phy::RxOutcome;
use proptest::prelude::*;

use crate::invariants::{EVERY, flows, routed, with_flows};
use crate::support::{Log, chain, flow, tcp_chain};

/// Interface queues as the records report them.
#[derive(Debug, Default)]
struct Queues {
    /// What waits, by node and interface.
    waiting: BTreeMap<(u32, u8), BTreeSet<u32>>,
    queued: u64,
    dequeued: u64,
    dropped: u64,
}

impl Queues {
    fn take(&mut self, record: &Record) -> Result<(), TestCaseError> {
        match *record {
            Record::Queued { node, via, packet } => {
                self.queued += 1;
                let is_new = self.waiting.entry((node.0, via)).or_default().insert(packet.0);
                prop_assert!(is_new, "{record:?}: it waits there already");
            }
            Record::Dequeued { node, via, packet } => {
                self.dequeued += 1;
                let waited = self.waiting.get_mut(&(node.0, via)).is_some_and(|queue| queue.remove(&packet.0));
                prop_assert!(waited, "{record:?}: it does not wait there");
            }
            Record::Dropped { node, packet, .. } => {
                let at_node = self.waiting.range_mut((node.0, 0)..=(node.0, u8::MAX));
                self.dropped += at_node.filter_map(|(_, queue)| queue.remove(&packet.0).then_some(1)).sum::<u64>();
            }
            Record::QueueLength { node, packets } => {
                let waiting = self.waiting.get(&(node.0, 0)).map_or(0, BTreeSet::len);
                prop_assert_eq!(packets as usize, waiting, "of node {}", node);
            }
            // A packet that goes on the air or to another node waits nowhere.
            Record::Offered { packet, .. }
            | Record::WireBegan { packet, .. }
            | Record::PacketArrived { packet, .. } => {
                prop_assert!(self.waiting.values().all(|queue| !queue.contains(&packet.0)), "{:?}", record);
            }
            _ => {}
        }
        Ok(())
    }

    fn left(&self) -> u64 {
        self.waiting.values().map(|queue| queue.len() as u64).sum()
    }
}

proptest! {
    #![proptest_config(hopscope_testing::property(150))]

    #[test]
    fn queues_are_what_joined_less_what_left_and_was_dropped(config in routed(), flows in flows()) {
        let mut config = with_flows(config, &flows, &EVERY);
        config.series.keep = vec![SeriesKind::Queue];
        config.series.interval = Span::from_millis(7);
        let mut world = World::new(&config, Log::default()).expect("a sound scenario");
        world.run_until(config.duration);
        let mut queues = Queues::default();
        for (_, record) in &world.recorder().0 {
            queues.take(record)?;
        }
        prop_assert_eq!(queues.queued, queues.dequeued + queues.dropped + queues.left());
    }
}

/// Nodes 0 and 1 without radios, and a wire of 1 Mbit/s between them whose queue holds five packets.
fn wired() -> hopscope_engine::config::Config {
    let mut config = chain("standard", 1, 3);
    let host = serde_json::json!({ "nodes": [0, 1], "wifi": false });
    config.hosts = vec![serde_json::from_value::<HostConfig>(host).expect("settings of nodes")];
    let delay = Span::from_millis(2);
    config.wires = vec![WireConfig::between([0, 1], 1_000_000, delay, 5)];
    config
}

#[test]
fn a_wire_reports_each_packet_that_waits_leaves_arrives_or_finds_no_room() {
    let mut config = wired();
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(1.5e6)));
    let mut world = World::new(&config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    let left = world.wire_backlog(0);
    let log = world.recorder();
    let mut queues = Queues::default();
    for (_, record) in &log.0 {
        queues.take(record).expect("as a queue");
    }
    let began = log.count(|record| matches!(record, Record::WireBegan { .. })) as u64;
    let ended = log.count(|record| matches!(record, Record::WireEnded { .. })) as u64;
    let dropped = log.count(|record| matches!(record, Record::Dropped { .. })) as u64;
    let made = log.count(|record| matches!(record, Record::PacketMade { .. })) as u64;
    assert_eq!(queues.queued, queues.dequeued + queues.left());
    assert_eq!(queues.dropped, 0, "what finds no room has not joined");
    // The first one found the wire free; all others waited.
    assert_eq!(began, 1 + queues.dequeued);
    assert_eq!(began, ended + 1, "one is under way");
    assert_eq!(made, began + queues.left() + dropped);
    assert!(dropped > 50 && queues.left() == 5, "it is overloaded: {queues:?}, {dropped} dropped");
    // 1508 bytes each.
    let one = Span::from_micros(12_064);
    assert!(left > Span(5 * one.0) && left <= Span(6 * one.0), "{left:?}");
    // What has begun is over after its bits and the delay.
    let instants = |wanted: fn(&Record) -> bool| -> Vec<u64> {
        log.0.iter().filter(|(_, record)| wanted(record)).map(|(at, _)| at.0).collect()
    };
    let began = instants(|record| matches!(record, Record::WireBegan { .. }));
    let ended = instants(|record| matches!(record, Record::WireEnded { .. }));
    assert!(began.iter().zip(&ended).all(|(began, ended)| ended - began == one.0 + 2_000_000));
}

#[test]
fn windows_are_reported_with_the_threshold_and_the_flight() {
    let mut config = tcp_chain("standard", 4, 20);
    config.mac.queue = 8;
    config.series.keep = vec![SeriesKind::Cwnd];
    let mut simulation = Simulation::observed(config.clone(), Log::default()).expect("a sound scenario");
    let series = simulation.run().series.remove("cwnd").expect("asked for");
    let (mut windows, mut last, mut una, mut nxt) = (Vec::new(), None, 0, 0);
    let mut thresholds = 0;
    for (at, record) in &simulation.observer().0 {
        match *record {
            Record::SegmentSent { flow: FlowId(0), header, .. } if header.is_data => {
                nxt = nxt.max(header.seq + u64::from(header.len))
            }
            Record::SegmentReceived { node: NodeId(0), header, .. } => una = una.max(header.ack),
            Record::Window { flow, cwnd, ssthresh, flight } => {
                assert_eq!(flow, FlowId(0));
                assert_ne!(last, Some((cwnd, ssthresh)), "something has changed");
                if last.is_none_or(|(before, _)| before != cwnd) {
                    windows.push((at.as_secs(), cwnd));
                }
                // A loss sets the threshold; RFC 5681 (4) bounds it from below.
                if last.is_some_and(|(_, before)| before != ssthresh) {
                    thresholds += 1;
                    assert!((2.0..=32.0).contains(&ssthresh), "{ssthresh}");
                }
                assert!(
                    cwnd <= 32.0 && flight >= 0.0 && flight * 1460.0 <= (nxt - una) as f64 + 1.0,
                    "{record:?}: {una} to {nxt}"
                );
                last = Some((cwnd, ssthresh));
            }
            _ => {}
        }
    }
    assert!(thresholds > 3, "{thresholds} losses");
    assert_eq!(
        windows,
        series.t_s.iter().copied().zip(series.value).collect::<Vec<_>>(),
        "the series is of the windows alone"
    );
}

/// Asks for what is overheard, and counts it.
#[derive(Debug, Default)]
struct Eavesdropper(u64);

impl Recorder for Eavesdropper {
    const WANTS: Classes = Classes::OVERHEARD;

    fn record(&mut self, _now: Time, record: &Record, _view: &mut impl NetworkView) {
        assert!(matches!(record, Record::FrameOverheard { .. }), "{record:?} was not asked for");
        self.0 += 1;
    }
}

proptest! {
    #![proptest_config(hopscope_testing::property(100))]

    #[test]
    fn who_is_overheard_does_not_notice(config in routed(), flows in flows()) {
        let config = with_flows(config, &flows, &EVERY);
        let of = |result: RunResult, ledger| (format!("{:?}{:?}", result.nodes, result.flows), format!("{ledger:?}"));
        let observer = (TrajectoryHash::default(), Ledger::new(&config));
        let mut alone = Simulation::observed(config.clone(), observer).expect("a sound scenario");
        let result = alone.run();
        let alone_says = of(result, alone.observe(|(_, ledger), now, view| ledger.result(now, view)));
        let observer = ((TrajectoryHash::default(), Ledger::new(&config)), Eavesdropper::default());
        let mut overheard = Simulation::observed(config, observer).expect("a sound scenario");
        let result = overheard.run();
        let says = of(result, overheard.observe(|((_, ledger), _), now, view| ledger.result(now, view)));
        prop_assert_eq!(alone.observer().0.0, overheard.observer().0.0.0, "the trajectory");
        prop_assert_eq!(alone_says, says);
    }
}

#[test]
fn a_frame_ends_at_everyone_who_senses_it() {
    // 200 m apart: a node decodes its neighbours, senses who stands two hops away, and hears nobody beyond.
    let mut config = tcp_chain("standard", 6, 5);
    config.net.arp = false;
    let mut world = World::new(&config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    let mut ends: BTreeMap<u32, (Frame, Vec<(u32, RxOutcome)>)> = BTreeMap::new();
    let (mut whole, mut outcomes) = (0, BTreeSet::new());
    for (_, record) in &world.recorder().0 {
        match *record {
            Record::FrameBegan { frame, slot } => {
                if let Some((before, received)) = ends.insert(slot, (frame, Vec::new())) {
                    let src = i64::from(before.src.0);
                    let sensing = (0..7).filter(|node| (1..=2).contains(&(src - node).abs())).count();
                    assert_eq!(received.len(), sensing, "{before:?}: {received:?}");
                    whole += 1;
                }
            }
            Record::FrameEnded { node, frame, slot, outcome } => {
                assert_eq!((frame, frame.dst), (ends[&slot].0, node));
                ends.get_mut(&slot).expect("it began").1.push((node.0, outcome));
            }
            Record::FrameOverheard { node, frame, slot, outcome } => {
                assert_eq!(frame, ends[&slot].0);
                assert_ne!(frame.dst, node, "it stands for itself");
                let near = frame.src.0.abs_diff(node.0) == 1;
                assert_eq!(!near, outcome == RxOutcome::OutOfReach, "{record:?}");
                outcomes.insert(format!("{outcome:?}").split([' ', '{']).next().expect("a word").to_string());
                ends.get_mut(&slot).expect("it began").1.push((node.0, outcome));
            }
            _ => {}
        }
    }
    assert!(whole > 3_000, "{whole} frames");
    let outcomes: Vec<&str> = outcomes.iter().map(String::as_str).collect();
    assert_eq!(outcomes, ["Collided", "Deaf", "OutOfReach", "Received"]);
}

/// What happens to a world at a second.
type Moment<'a> = (u64, &'a dyn Fn(&mut World<Log>));

/// The kinds of records that a run reports, by their names; at each second of `changes` something is done to its world.
fn reported(config: &hopscope_engine::config::Config, changes: &[Moment<'_>]) -> BTreeSet<&'static str> {
    let mut world = World::new(config, Log::default()).expect("a sound scenario");
    for (second, change) in changes {
        world.run_until(Time::ZERO + Span::from_secs(*second));
        change(&mut world);
    }
    world.begin_measure(changes.last().map_or(Time::ZERO, |(second, _)| Time::ZERO + Span::from_secs(*second)));
    world.run_until(config.duration);
    world.recorder().0.iter().map(|(_, record)| record.name()).collect()
}

#[test]
fn every_kind_of_record_is_reported_in_some_small_run() {
    // TCP over a lossy chain whose relay fails for a while and where a node follows a file and a trace covers a link, with a stream that ends, under AODV and a layer that marks; over a
    // wire a stream too fast for it, ends of DCCP that share no congestion control, and ATP.
    let mut radio = tcp_chain("standard", 4, 20);
    radio.routing.protocol = RoutingProtocol::Aodv;
    radio.warmup = Time::ZERO + Span::from_secs(2);
    radio.path_lengths = true;
    (radio.series.keep, radio.series.interval) = (vec![SeriesKind::Queue], Span::from_secs(1));
    (radio.radio.error_kind, radio.radio.error_per) = (ErrorKind::Uniform, 0.1);
    (radio.flows[0].tcp.ecn, radio.flows[0].ack) = (true, AckPolicy::Delayed);
    radio.link.layer = "lred+pacing".parse().expect("a layer");
    radio.link.lred_min = 0.2;
    radio.traces.loss = vec![Sample(Time::ZERO + Span::from_secs(1), 0, 1, 0.1)];
    let mut file = flow("standard", 1, 0, Transport::TcpNewReno, App::File { bytes: 20_000 });
    file.ack = AckPolicy::Delayed;
    let mut stream = flow("standard", 4, 0, Transport::Udp, App::cbr(50e3));
    stream.stop = Some(Time::ZERO + Span::from_secs(9));
    radio.flows.extend([file, stream]);
    let (from, to) = (Time::ZERO + Span::from_secs(6), Some(Time::ZERO + Span::from_secs(7)));
    radio.outages = vec![Outage { node: 1, from, to }];
    radio.mobility.model = MobilityModel::File;
    radio.paths = vec![PathConfig { node: 3, path: vec![(Time::ZERO, radio.nodes[3]), (from, radio.nodes[3])] }];
    let moves = |world: &mut World<Log>| {
        world.move_node(NodeId(2), [401.0, 0.0]).expect("a node");
        world.set_power(NodeId(2), 0.3).expect("a power");
        let mut change = Change { flow: Some(2), rate: Some(9e3), ..Change::of(ChangeKind::FlowRate) };
        world.change(&change).expect("a rate");
        change = Change { from: Some(0), to: Some(1), ..Change::of(ChangeKind::LinkRestore) };
        world.change(&change).expect("a link");
        let key = Some("mac.cw_min".to_string());
        world.change(&Change { key, value: Some(15.0), ..Change::of(ChangeKind::Set) }).expect("a parameter");
    };
    let mut wire = wired();
    wire.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(1.5e6)));
    let mut strangers = flow("standard", 0, 1, Transport::Dccp, App::Bulk);
    strangers.dccp.receiver_ccid = ReceiverCcid::Ccid3;
    wire.flows.push(strangers);
    wire.flows.push(flow("standard", 0, 1, Transport::Atp, App::Bulk));
    let mut held = tcp_chain("standard", 4, 5);
    held.link.layer = "timer".parse().expect("a layer");
    held.mac.rate_control = RateControlKind::Arf;
    let enters = |world: &mut World<Log>| {
        world.inject(NodeId(4), NodeId(1), &[0; 100]).expect("a way");
    };
    // A frame that is given up before it leaves takes some luck.
    let mut seen = BTreeSet::new();
    for seed in 1..=4 {
        radio.seed = seed;
        seen.append(&mut reported(&radio, &[(12, &moves)]));
    }
    seen.append(&mut reported(&wire, &[]));
    seen.append(&mut reported(&held, &[(2, &enters)]));
    assert!(Record::NAMES.len() > 35);
    let missing: Vec<_> = Record::NAMES.iter().filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "never reported: {missing:?}");
}

#[test]
fn timers_of_routing_expire_when_they_were_set_for() {
    for protocol in RoutingProtocol::ALL.into_iter().filter(|protocol| *protocol != RoutingProtocol::Static) {
        let mut config = tcp_chain("standard", 3, 20);
        config.routing.protocol = protocol;
        let mut world = World::new(&config, Log::default()).expect("a sound scenario");
        world.run_until(config.duration);
        let mut set = BTreeMap::new();
        let mut expired = 0;
        for (now, record) in &world.recorder().0 {
            match *record {
                Record::RoutingTimerArmed { node, timer, until } => {
                    *set.entry((until, node.0, timer)).or_insert(0) += 1
                }
                Record::RoutingTimerExpired { node, timer } => {
                    expired += 1;
                    let left = set.get_mut(&(*now, node.0, timer)).expect("it was set");
                    *left -= 1;
                    assert!(*left >= 0, "{protocol:?}: {record:?}");
                }
                _ => {}
            }
        }
        assert!(expired > 5, "{protocol:?}: {expired}");
        let late = set.iter().find(|((until, ..), left)| *until < world.now() && **left > 0);
        assert_eq!(late, None, "{protocol:?}: set, but never reported as over");
    }
}
