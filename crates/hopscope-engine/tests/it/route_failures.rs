//! What TCP and DCCP do about routes that fail, over AODV: the news crosses the air, and no part keeps a flow from its end.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::outage::Outage;
use hopscope_engine::config::tcp::RouteFailure;
use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::record::Record;
use hopscope_engine::simulation;
use hopscope_net::routing::{RouteLoss, RoutingNote};

use crate::support::{Log, chain, flow, tcp_chain};

const SECOND: u64 = 1_000_000_000;

fn at(seconds: u64) -> Time {
    Time::ZERO + Span::from_secs(seconds)
}

/// Four hops over AODV, whose node 3 is off from 5 s to `until` s.
fn broken(part: RouteFailure, until: u64) -> Config {
    let mut config = tcp_chain("standard", 4, 40);
    config.routing.protocol = RoutingProtocol::Aodv;
    config.flows[0].tcp.route_failure = part;
    config.outages = vec![Outage { node: 3, from: at(5), to: Some(at(until)) }];
    config
}

fn records(config: &Config) -> Vec<(Time, Record)> {
    let mut world = World::new(config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    world.recorder().0.clone()
}

/// When the first record such after `from` was made.
fn first(log: &[(Time, Record)], from: Time, wanted: impl Fn(&Record) -> bool) -> Time {
    log.iter().find(|(at, record)| *at >= from && wanted(record)).expect("it happens").0
}

/// When the source sent segments, from `from` to `to`, both included.
fn sent(log: &[(Time, Record)], from: Time, to: Time) -> Vec<u64> {
    let own = |record: &Record| matches!(record, Record::SegmentSent { node: NodeId(0), .. });
    log.iter().filter(|(at, record)| (from..=to).contains(at) && own(record)).map(|(at, _)| at.0).collect()
}

/// The instant at which the source hears that a link of others has failed.
fn notified_at(log: &[(Time, Record)]) -> Time {
    let reported = RoutingNote::RouteDown { dst: NodeId(4), cause: RouteLoss::Reported };
    first(log, at(5), |r| matches!(r, Record::Routing { node: NodeId(0), note, .. } if *note == reported))
}

#[test]
fn the_sender_stands_by_once_the_error_has_reached_it() {
    let log = records(&broken(RouteFailure::Elfn, 39));
    let lost = RoutingNote::LinkLost { neighbour: NodeId(3) };
    let found = first(&log, at(5), |r| matches!(r, Record::Routing { node: NodeId(2), note, .. } if *note == lost));
    let notified_at = notified_at(&log);
    for node in [2, 1] {
        let error =
            first(&log, found, |r| matches!(r, Record::RoutingSent { kind: "rerr", node: n, .. } if n.0 == node));
        assert!(found <= error && error < notified_at, "node {node} passes it on: {found:?} {error:?} {notified_at:?}");
    }
    assert!(notified_at > found + Span::from_millis(1), "two frames take their time");
    let probe = |k: u64| Time(notified_at.0 + 2 * k * SECOND);
    assert!(sent(&log, Time(notified_at.0 + 1), Time(probe(1).0 - 1)).is_empty(), "it stands by");
    assert_eq!(sent(&log, probe(1), Time(probe(4).0 - 1)), [1, 2, 3].map(|k| probe(k).0));
}

#[test]
fn a_new_route_ends_the_snooze() {
    let log = records(&broken(RouteFailure::TcpF, 7));
    let notified_at = notified_at(&log);
    let found = first(&log, notified_at, |r| {
        let up = |note: &RoutingNote| matches!(note, RoutingNote::RouteUp { dst: NodeId(4), .. });
        matches!(r, Record::Routing { node: NodeId(0), note, .. } if up(note))
    });
    assert!(found > at(7), "{found:?}");
    assert_eq!(sent(&log, notified_at, Time(found.0 - 1)), [notified_at.0], "one segment to search for");
    assert!(sent(&log, found, found).len() > 1, "what was not acknowledged goes out at once");
}

#[test]
fn every_part_brings_a_file_across_an_outage_with_any_control() {
    let controls = [Transport::TcpNewReno, Transport::TcpVegas, Transport::TcpFast, Transport::TcpWestwood];
    for transport in controls.into_iter().chain([Transport::TcpSack, Transport::TcpCubic, Transport::TcpBbr3]) {
        for part in [RouteFailure::Elfn, RouteFailure::TcpF, RouteFailure::Atcp] {
            let mut config = broken(part, 7);
            config.flows[0] = flow("standard", 0, 4, transport, App::File { bytes: 200_000 });
            config.flows[0].tcp.route_failure = part;
            config.flows[0].tcp.fixed_rto = true;
            let result = simulation::run(config).expect("a sound scenario");
            let flow = &result.flows[0];
            assert_eq!(flow.received_bytes, 200_000, "{transport:?} {part:?}");
            assert!(flow.completion_s.is_some_and(|s| s < 30.0), "{transport:?} {part:?}: {:?}", flow.completion_s);
        }
    }
}

/// Four hops over AODV whose node 3 is off from 5 to 15 s, and a DCCP flow with the control of zhang2006.
fn dccp(elfn: bool, app: App) -> Config {
    let mut config = broken(RouteFailure::Ignore, 15);
    config.flows[0] = flow("standard", 0, 4, Transport::DccpAdhoc, app);
    config.flows[0].dccp.adhoc_elfn = elfn;
    config
}

#[test]
fn dccp_probes_once_the_error_has_reached_it() {
    let log = records(&dccp(true, App::Bulk));
    let notified_at = notified_at(&log);
    assert_eq!(sent(&log, notified_at, Time(notified_at.0 + 100_000_000)), [notified_at.0], "a probe, and no data");
    let period = |log: &[(Time, Record)], from: Time| {
        let at = sent(log, from, at(14));
        at.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>()
    };
    let gaps = period(&log, notified_at);
    assert!(gaps.len() > 3 && gaps.iter().all(|gap| *gap == gaps[0]), "one each timeout: {gaps:?}");
    // Without the news the same probes begin with a timeout.
    let plain = records(&dccp(false, App::Bulk));
    assert_eq!(self::notified_at(&plain), notified_at, "the same until then");
    assert!(sent(&plain, Time(notified_at.0), Time(notified_at.0)).is_empty());
    // And data goes on after the outage.
    let last = |log: &[(Time, Record)]| sent(log, at(16), at(39)).len();
    assert!(last(&log) > 200 && last(&plain) > 200, "{} {}", last(&log), last(&plain));
}

#[test]
fn dccp_brings_a_file_across_an_outage_with_notices_and_without() {
    for elfn in [true, false] {
        let mut config = dccp(elfn, App::File { bytes: 200_000 });
        config.flows[0].dccp.reliable = true;
        let result = simulation::run(config).expect("a sound scenario");
        let flow = &result.flows[0];
        assert_eq!(flow.received_bytes, 200_000, "{elfn}");
        assert!(flow.completion_s.is_some_and(|s| s < 39.0), "{elfn}: {:?}", flow.completion_s);
    }
}

#[test]
fn failures_between_opposite_flows_are_false_and_change_what_the_senders_do() {
    let run = |part, fixed_rto, seed| {
        let mut config = tcp_chain("standard", 7, 60);
        config.seed = seed;
        config.flows.push(flow("standard", 7, 0, Transport::TcpNewReno, App::Bulk));
        config.routing.protocol = RoutingProtocol::Aodv;
        for flow in &mut config.flows {
            (flow.tcp.route_failure, flow.tcp.fixed_rto) = (part, fixed_rto);
        }
        let flows = simulation::run(config).expect("a sound scenario").flows;
        let changes: u64 = flows.iter().map(|flow| flow.route_changes).sum();
        assert!(changes > 10, "{part:?}: nobody moves, and routes fail: {changes}");
        flows.iter().map(|flow| flow.received_bytes).collect::<Vec<_>>()
    };
    let plain = run(RouteFailure::Ignore, false, 1);
    for part in [RouteFailure::Elfn, RouteFailure::TcpF, RouteFailure::Atcp] {
        let bytes = run(part, false, 1);
        assert!(bytes != plain && bytes.iter().sum::<u64>() > 200_000, "{part:?}: {bytes:?} against {plain:?}");
    }
    // A timeout that does not double matters only where two come in a row.
    let differs = |seed| run(RouteFailure::Ignore, true, seed) != run(RouteFailure::Ignore, false, seed);
    assert!((1..=4).any(differs));
}

#[test]
fn static_routes_never_fail() {
    let run = |part| {
        let mut config = chain("standard", 7, 20);
        config.flows.push(flow("standard", 0, 7, Transport::TcpNewReno, App::Bulk));
        config.flows[0].tcp.route_failure = part;
        serde_json::to_value(simulation::run(config).expect("a sound scenario")).expect("JSON")
    };
    let plain = run(RouteFailure::Ignore);
    for part in [RouteFailure::Elfn, RouteFailure::TcpF] {
        assert_eq!(run(part), plain, "{part:?}");
    }
    assert_ne!(run(RouteFailure::Atcp), plain, "losses are its business too");
}
