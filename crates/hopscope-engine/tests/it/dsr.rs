//! DSR over the radio: what it costs on the air, and how it gets round a node that dies.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::outage::Outage;
use hopscope_engine::config::{App, Change, ChangeKind, Config, EventConfig, FlowConfig, Transport};
use hopscope_engine::record::Record;
use hopscope_engine::simulation;
use hopscope_mac::dcf::FrameKind;

use crate::support::{Log, chain, flow, is_data_received, tcp_chain};

const IP: u32 = 20;

fn at(seconds: u64) -> Time {
    Time::ZERO + Span::from_secs(seconds)
}

fn log(config: &Config) -> Vec<(Time, Record)> {
    let mut world = World::new(config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    world.recorder().0.clone()
}

/// Ten datagrams a second from the first to the last node of a chain.
fn datagrams(hops: u32, seconds: u64) -> Config {
    let mut config = chain("standard", hops, seconds);
    config.routing.protocol = RoutingProtocol::Dsr;
    config.flows.push(flow("standard", 0, hops, Transport::Udp, App::cbr(1480.0 * 80.0)));
    config
}

#[test]
fn messages_have_their_sizes_on_the_air() {
    let mut sent: Vec<(&str, u32)> = Vec::new();
    for (_, record) in log(&datagrams(3, 3)) {
        if let Record::RoutingSent { kind, bytes, .. } = record {
            sent.push((kind, bytes - IP));
        }
    }
    // The request for neighbours, then one that gains an address with each of two nodes; the reply for three hops, over
    // a source route that lists the two nodes.
    let requests = [("rreq", 12), ("rreq", 12), ("rreq", 16), ("rreq", 20)];
    let reply = ("rrep", 4 + (4 + 2 * 4) + 3 + 3 * 4);
    assert_eq!(sent, [&requests[..], &[reply; 3][..]].concat());
}

#[test]
fn a_source_route_takes_its_time() {
    let airtimes = |config: &Config| -> Vec<Span> {
        let airtime = |(_, record): &(Time, Record)| match record {
            Record::FrameBegan { frame, .. } => {
                let is_data = frame.kind == FrameKind::Data && frame.dst != NodeId::BROADCAST;
                (is_data && frame.bytes > 1_000).then_some(frame.airtime)
            }
            _ => None,
        };
        let mut all: Vec<Span> = log(config).iter().filter_map(airtime).collect();
        all.sort();
        all.dedup();
        all
    };
    for hops in [1, 4] {
        let with = datagrams(hops, 5);
        let mut without = with.clone();
        without.routing.protocol = RoutingProtocol::Static;
        let [plain] = airtimes(&without)[..] else { panic!("all datagrams have one size") };
        let bits = if hops == 1 { 0 } else { 8 * (4 + 4 + 4 * u64::from(hops - 1)) };
        // At 2 Mbit/s a bit takes 500 ns.
        assert_eq!(airtimes(&with), [plain + Span(bits * 500)], "{hops} hops");
    }
}

#[test]
fn traffic_goes_round_a_node_that_is_off_and_back() {
    // A diamond: 0 and 3 are out of each other's reach, 1 and 2 between them.
    let mut config = datagrams(1, 20);
    config.nodes = vec![[0.0, 0.0], [150.0, 100.0], [150.0, -100.0], [300.0, 0.0]];
    config.flows[0].to = 3;
    config.outages =
        [(1, 5, 9), (2, 12, 16)].map(|(node, from, to)| Outage { node, from: at(from), to: Some(at(to)) }).into();
    let mut gaps = Vec::new();
    let mut last = at(1);
    for (now, record) in log(&config) {
        if is_data_received(&record) {
            gaps.push(now - last);
            last = now;
        }
    }
    let longest = gaps.iter().max().expect("datagrams arrive");
    assert!(*longest < Span::from_millis(300), "a break costs at most two datagrams, not {longest:?}");
    let result = simulation::run(config).expect("a sound scenario");
    assert_eq!(result.network.link_failures, 2);
    // The first route and, in the first outage, the other one from the cache; in the second that is lost too, and a search
    // finds the first again.
    assert_eq!(result.flows[0].route_changes, 4);
}

#[test]
fn a_network_that_parts_and_joins_again_is_searched_until_then() {
    let mut config = datagrams(2, 30);
    config.outages = vec![Outage { node: 1, from: at(5), to: Some(at(9)) }];
    let arrivals: Vec<u64> = log(&config)
        .iter()
        .filter(|(_, record)| is_data_received(record))
        .map(|(at, _)| at.0 / 1_000_000_000)
        .collect();
    let seconds = |range: std::ops::Range<u64>| arrivals.iter().filter(|second| range.contains(second)).count();
    assert_eq!(seconds(5..9), 0);
    // Requests at about 5.0, 5.5, 6.5, 8.5 and 12.5 s: then the packets held meanwhile arrive.
    assert_eq!((seconds(9..12), seconds(12..14) > 64), (0, true), "{arrivals:?}");
    assert!(seconds(14..30) >= 158, "all is well again");
}

#[test]
fn a_node_next_to_a_chain_needs_no_search_of_its_own() {
    // Node 4 is next to node 1 of a chain, from which it sends to the last node of it later.
    let requests = |promiscuous| {
        let mut config = datagrams(3, 10);
        config.nodes.push([200.0, 200.0]);
        config.dsr.promiscuous = promiscuous;
        let later = FlowConfig { from: 4, start: at(5), ..config.flows[0].clone() };
        config.flows.push(later);
        let is_request = |record: &Record| matches!(record, Record::RoutingSent { kind: "rreq", .. });
        log(&config).iter().filter(|(now, record)| *now >= at(5) && is_request(record)).count()
    };
    assert_eq!((requests(true), requests(false) > 0), (0, true));
}

#[test]
fn a_route_is_shortened_when_a_node_on_it_comes_nearer() {
    // A chain 0 to 4 whose nodes 3 and 4 come so near that nodes 1 and 3 hear each other; the source hears neither of the
    // two. The second time frames are announced copy by copy, as a radio is off one day.
    let relayed_by_2 = |shortening, outages: &[Outage]| {
        let mut config = datagrams(4, 10);
        config.dsr.route_shortening = shortening;
        config.outages = outages.to_vec();
        for (node, x) in [(4, 660.0), (3, 430.0)] {
            let moved = Change { node: Some(node), position: Some([x, 0.0]), ..Change::of(ChangeKind::Move) };
            config.events.push(EventConfig { at: at(5), change: moved });
        }
        let is_relayed = |record: &Record| match record {
            Record::FrameBegan { frame, .. } => {
                frame.src == NodeId(2) && frame.kind == FrameKind::Data && frame.bytes > 1_000
            }
            _ => false,
        };
        log(&config).iter().filter(|(now, record)| *now > at(6) && is_relayed(record)).count()
    };
    for outages in [vec![], vec![Outage { node: 4, from: at(9), to: None }]] {
        assert_eq!(relayed_by_2(true, &outages), 0);
        assert!(relayed_by_2(false, &outages) >= 29);
    }
}

#[test]
fn tcp_over_a_chain_is_close_to_static_routes() {
    let throughput = |protocol| {
        let mut config = tcp_chain("standard", 5, 40);
        config.routing.protocol = protocol;
        simulation::run(config).expect("a sound scenario").flows[0].throughput_kbps
    };
    let (dsr, fixed) = (throughput(RoutingProtocol::Dsr), throughput(RoutingProtocol::Static));
    assert!(
        dsr > 0.9 * fixed && dsr < fixed,
        "{dsr} against {fixed} kbit/s: source routes and false link failures cost"
    );
}
