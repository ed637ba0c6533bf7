//! QoS stations in whole networks: what their frames mean to others, with QoS and without.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::config::{App, Config, HostConfig, MacConfig, Transport, presets};
use hopscope_engine::record::Record;
use hopscope_engine::simulation::Simulation;
use hopscope_mac::config::mac::Protection;
use hopscope_mac::dcf::{Frame, FrameKind};

use crate::support::{Log, flow};

/// Four stations of HT that hear each other, with UDP between these pairs that fills the medium.
pub(crate) fn crowd(pairs: &[(u32, u32)], change: impl FnOnce(&mut Config)) -> Config {
    let base = presets::base("standard", "ht-20").expect("a profile and a preset");
    let mut config = base.config((0..4).map(|node| [5.0 * f64::from(node), 0.0]).collect(), Span::from_secs(1));
    for &(from, to) in pairs {
        let mut flow = flow("standard", from, to, Transport::Udp, App::cbr(30e6));
        flow.start = Time::ZERO + Span::from_millis(100);
        config.flows.push(flow);
    }
    change(&mut config);
    config
}

/// Bytes that were delivered, and the frames with the instants at which they began.
pub(crate) fn run(config: Config) -> (u64, Vec<(Time, Frame)>) {
    let mut simulation = Simulation::observed(config, Log::default()).expect("a sound scenario");
    let result = simulation.run();
    let frame = |&(at, record): &(Time, Record)| match record {
        Record::FrameBegan { frame, .. } => Some((at, frame)),
        _ => None,
    };
    let frames = simulation.observer().0.iter().filter_map(frame).collect();
    (result.flows.iter().map(|flow| flow.received_bytes).sum(), frames)
}

#[test]
fn nobody_else_begins_a_frame_in_what_a_cts_to_self_reserves() {
    let (delivered, frames) = run(crowd(&[(0, 1), (2, 3)], |config| {
        (config.mac.rts_threshold, config.mac.protection) = (Some(100), Protection::CtsToSelf);
    }));
    let mut reserved = 0;
    for (place, (at, cts)) in frames.iter().enumerate().filter(|(_, (_, frame))| frame.kind == FrameKind::Cts) {
        assert_eq!((cts.dst, cts.bytes), (cts.src, 14), "nobody answers an RTS: there is none");
        let (begin, end) = (*at + cts.airtime, *at + cts.airtime + cts.duration);
        // Where two stations have begun at once, neither hears the other.
        let collides =
            |(other, frame): &&(Time, Frame)| frame.src != cts.src && *other < begin && *other + frame.airtime > *at;
        if frames.iter().any(|frame| collides(&frame)) {
            continue;
        }
        let [(_, data), ..] =
            frames[place + 1..].iter().filter(|(_, frame)| frame.src == cts.src).collect::<Vec<_>>()[..]
        else {
            continue;
        };
        assert_eq!(data.kind, FrameKind::Data);
        // The receiver answers, whatever is reserved.
        let within =
            |(at, frame): &&(Time, Frame)| *at > begin && *at < end && ![cts.src, data.dst].contains(&frame.src);
        assert_eq!(frames.iter().find(within), None, "within {begin:?} to {end:?}");
        reserved += 1;
    }
    assert!(reserved > 100 && delivered > 1_000_000, "{reserved}, {delivered}");
}

/// Stations 5 m apart at 54 Mbit/s, all without QoS but for those named, and UDP of so many bit/s between each pair.
fn mixed(nodes: u32, with_qos: &[u32], pairs: &[(u32, u32)], rate: f64) -> Config {
    let base = presets::base("standard", "ofdm-54M").expect("a profile and a preset");
    let mut config = base.config((0..nodes).map(|node| [5.0 * f64::from(node), 0.0]).collect(), Span::from_secs(1));
    config.mac.rts_threshold = None;
    let mac = MacConfig { qos: true, ..config.mac.clone() };
    config.hosts.push(HostConfig { mac: Some(mac), ..HostConfig::of(with_qos) });
    for &(from, to) in pairs {
        let mut flow = flow("standard", from, to, Transport::Udp, App::cbr(rate));
        flow.start = Time::ZERO + Span::from_millis(100);
        config.flows.push(flow);
    }
    config
}

#[test]
fn data_to_a_station_without_qos_has_no_qos_control_field() {
    let (_, frames) = run(mixed(4, &[0, 1], &[(0, 1), (0, 2), (2, 0), (2, 3)], 3e6));
    let bytes = |src, dst| {
        let is_it = |(_, frame): &&(Time, Frame)| {
            (frame.kind, frame.src, frame.dst) == (FrameKind::Data, NodeId(src), NodeId(dst))
        };
        let mut sizes: Vec<u32> = frames.iter().filter(is_it).map(|(_, frame)| frame.bytes).collect();
        assert!(sizes.len() > 50, "{src} to {dst}");
        sizes.dedup();
        sizes
    };
    // UDP of 1480 bytes: IP and UDP 28, LLC 8, header and FCS 28.
    assert_eq!(bytes(0, 1), [1_544 + 2]);
    assert_eq!([bytes(0, 2), bytes(2, 0), bytes(2, 3)], [[1_544], [1_544], [1_544]]);
    let acks = |src, dst| {
        let is_it = |(_, frame): &&(Time, Frame)| {
            (frame.kind, frame.src, frame.dst) == (FrameKind::Ack, NodeId(src), NodeId(dst))
        };
        frames.iter().filter(is_it).count()
    };
    assert!(acks(2, 0) > 50 && acks(0, 2) > 50, "both answer");
}

#[test]
fn a_station_with_the_dcf_beats_best_effort_by_a_slot() {
    // Two stations send to a third, of which node 0 has QoS, or both have, or none has.
    let shares = |with_qos: &[u32]| {
        let result = Simulation::new(mixed(3, with_qos, &[(0, 2), (1, 2)], 40e6)).expect("a sound scenario").run();
        let [zero, one] = &result.flows[..] else { panic!("two flows") };
        assert!(zero.received_bytes > 500_000 && one.received_bytes > 500_000);
        one.received_bytes as f64 / zero.received_bytes as f64
    };
    let (mixed, alike) = (shares(&[0]), shares(&[0, 1]));
    assert!(mixed > 1.1 && (0.9..1.1).contains(&alike), "{mixed} and {alike}");
}
