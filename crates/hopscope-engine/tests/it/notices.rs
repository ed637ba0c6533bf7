//! News of failed routes as packets of their own (`net.route_notices = "packets"`): ICMP, and the notifications of TCP-F.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::net::{RouteNotices, RoutingProtocol};
use hopscope_engine::config::outage::Outage;
use hopscope_engine::config::tcp::RouteFailure;
use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::record::Record;
use hopscope_engine::simulation;
use hopscope_mac::dcf::FrameKind;
use hopscope_net::routing::RoutingNote;

use crate::support::{Log, flow, tcp_chain};

fn at(seconds: u64) -> Time {
    Time::ZERO + Span::from_secs(seconds)
}

/// Four hops over AODV, whose node 3 is off from 5 to `until` s; news are packets.
fn broken(part: RouteFailure, until: u64) -> Config {
    let mut config = tcp_chain("standard", 4, 40);
    config.net.route_notices = RouteNotices::Packets;
    config.routing.protocol = RoutingProtocol::Aodv;
    config.flows[0].tcp.route_failure = part;
    config.flows[0].max_window = 4; // fewer collisions, and so fewer failures that are none
    config.outages = vec![Outage { node: 3, from: at(5), to: Some(at(until)) }];
    config
}

fn records(config: &Config) -> Vec<(Time, Record)> {
    let mut world = World::new(config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    world.recorder().0.clone()
}

/// Instants at which nodes send notices of a kind, with the node.
fn notices(log: &[(Time, Record)], wanted: &str) -> Vec<(Time, u32)> {
    let sent = |(at, record): &(Time, Record)| match record {
        Record::RoutingSent { node, kind, .. } if *kind == wanted => Some((*at, node.0)),
        _ => None,
    };
    log.iter().filter_map(sent).collect()
}

/// When the source sent segments, from `from` to `to`, both included.
fn sent(log: &[(Time, Record)], from: Time, to: Time) -> Vec<Time> {
    let own = |record: &Record| matches!(record, Record::SegmentSent { node: NodeId(0), .. });
    log.iter().filter(|(at, record)| (from..=to).contains(at) && own(record)).map(|(at, _)| *at).collect()
}

#[test]
fn icmp_comes_back_over_the_air_and_the_sender_stands_by() {
    let log = records(&broken(RouteFailure::Elfn, 39));
    // The node before the break notifies.
    let reported = notices(&log, "unreachable");
    let made = reported.iter().find(|(when, node)| *when > at(5) && *node == 2).expect("a notice").0;
    // 20 + 8 + 20 + 8 bytes in a data frame of each hop.
    let frames: Vec<(Time, u32)> = log
        .iter()
        .filter_map(|(at, record)| match record {
            Record::FrameBegan { frame, .. }
                if *at >= made && frame.kind == FrameKind::Data && frame.bytes == 56 + 36 =>
            {
                Some((*at, frame.src.0))
            }
            _ => None,
        })
        .collect();
    assert!(frames.len() >= 2 && frames[0].1 == 2 && frames.iter().any(|(_, node)| *node == 1), "{frames:?}");
    let arrived = frames.iter().find(|(_, node)| *node == 1).expect("it is forwarded").0;
    // It takes half a millisecond on the last hop; from then on a probe each two seconds, and nothing else.
    let quiet = arrived + Span::from_millis(2);
    let first = *sent(&log, quiet, at(39)).first().expect("a probe");
    assert!((first - arrived).as_secs() > 1.99 && (first - arrived).as_secs() < 2.01, "{:?}", first - arrived);
    let probes = sent(&log, first, at(20));
    assert!(probes.windows(2).all(|pair| pair[1] - pair[0] == Span::from_secs(2)), "{probes:?}");
}

#[test]
fn tcp_f_is_reported_from_node_to_node() {
    let log = records(&broken(RouteFailure::TcpF, 7));
    // Node 3, which is off, notifies too: of the ACKs, node 4.
    let reported = notices(&log, "rfn").into_iter().filter(|(when, node)| *when > at(5) && *node < 3);
    let reported: Vec<_> = reported.collect();
    assert_eq!(reported.iter().map(|(_, node)| *node).take(2).collect::<Vec<_>>(), [2, 1], "{reported:?}");
    assert!(notices(&log, "unreachable").is_empty(), "it has notifications of its own");
    let received = reported.iter().find(|(_, node)| *node == 1).expect("it is passed on").0 + Span::from_millis(2);
    // The source is itself the node that learns of the new route.
    let up = |note: &RoutingNote| matches!(note, RoutingNote::RouteUp { dst: NodeId(4), .. });
    let found = log
        .iter()
        .find(|(at, r)| *at > received && matches!(r, Record::Routing { node: NodeId(0), note, .. } if up(note)))
        .expect("there is a route again")
        .0;
    assert!(sent(&log, received, Time(found.0 - 1)).is_empty(), "it snoozes");
    assert!(sent(&log, found, found).len() > 1, "what was not acknowledged goes out at once");
}

#[test]
fn a_node_that_has_a_route_again_reports_by_a_notification() {
    // OLSR finds the way back by itself: the node before the break is the first to have it.
    let mut config = broken(RouteFailure::TcpF, 60);
    config.duration = at(120);
    config.routing.protocol = RoutingProtocol::Olsr;
    config.flows[0].start = at(40);
    config.outages[0].from = at(50);
    config.flows[0].tcp.tcp_f_timer = Span::from_secs(100);
    let log = records(&config);
    assert!(notices(&log, "rfn").iter().any(|(_, node)| *node == 2), "{:?}", notices(&log, "rfn"));
    let reported = notices(&log, "rrn");
    assert!(reported.first().is_some_and(|(when, node)| *when > at(60) && *node != 0), "{reported:?}");
    assert!(sent(&log, at(100), at(120)).len() > 100, "data flows again");
}

#[test]
fn every_part_brings_a_file_across_an_outage() {
    for part in [RouteFailure::Ignore, RouteFailure::Elfn, RouteFailure::TcpF, RouteFailure::Atcp] {
        let mut config = broken(part, 7);
        config.duration = at(60);
        config.flows[0].app = App::File { bytes: 200_000 };
        let flow = &simulation::run(config).expect("a sound scenario").flows[0];
        assert_eq!(flow.received_bytes, 200_000, "{part:?}");
        assert!(flow.completion_s.is_some(), "{part:?}");
    }
    for transport in [Transport::Atp, Transport::DccpAdhoc] {
        let mut config = broken(RouteFailure::Ignore, 7);
        config.duration = at(60);
        config.flows[0] = flow("standard", 0, 4, transport, App::File { bytes: 200_000 });
        config.flows[0].dccp.adhoc_elfn = true;
        config.flows[0].dccp.reliable = true;
        let log = records(&config);
        assert!(!notices(&log, "unreachable").is_empty(), "{transport:?}");
        let flow = &simulation::run(config).expect("a sound scenario").flows[0];
        assert_eq!(flow.received_bytes, 200_000, "{transport:?}");
    }
}

#[test]
fn notices_keep_their_distance_and_cost_airtime() {
    let count = |gap| {
        let mut config = broken(RouteFailure::Ignore, 39);
        config.flows[0] = flow("standard", 0, 4, Transport::Udp, App::cbr(800e3));
        config.net.notice_gap = gap;
        notices(&records(&config), "unreachable").len()
    };
    let (all, few) = (count(Span::ZERO), count(Span::from_secs(60)));
    // Each node may notify once.
    assert!((1..=4).contains(&few) && all > few, "{all} {few}");
}

#[test]
fn where_nothing_asks_for_them_there_are_none() {
    let mut config = broken(RouteFailure::Elfn, 20);
    config.net.route_notices = RouteNotices::Routing;
    let log = records(&config);
    for kind in ["unreachable", "rfn", "rrn"] {
        assert!(notices(&log, kind).is_empty(), "{kind}");
    }
}

#[test]
fn dsr_has_its_own_notice() {
    let mut config = broken(RouteFailure::Elfn, 20);
    config.routing.protocol = RoutingProtocol::Dsr;
    let error = simulation::run(config).expect_err("refused").to_string();
    assert!(error.contains("net.route_notices") && error.contains("\"routing\" is allowed"), "{error}");
}
