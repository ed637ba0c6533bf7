//! Data both ways over one TCP connection, and the ports of flows.

use hopscope_core::units::{Span, Time};
use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::record::{Classes, NetworkView, Record, Recorder};
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation;
use hopscope_engine::{Simulation, ledger::Ledger};

use crate::support::{chain, flow, is_data_sent};

fn talk(hops: u32, seconds: u64, app: App, reply: Option<App>) -> Config {
    let mut config = chain("standard", hops, seconds);
    let mut flow = flow("standard", 0, hops, Transport::TcpNewReno, app);
    flow.reply = reply;
    config.flows.push(flow);
    config
}

fn run(config: Config) -> RunResult {
    simulation::run(config).expect("a sound scenario")
}

#[test]
fn both_ways_saturated_share_the_chain() {
    for hops in [1, 3] {
        let alone = run(talk(hops, 20, App::Bulk, None)).flows[0].throughput_kbps;
        let both = run(talk(hops, 20, App::Bulk, Some(App::Bulk)));
        let [there, back] = &both.flows[..] else { panic!("a flow and its reply") };
        assert_eq!((there.from, there.to, there.reply_to), (0, hops, None));
        assert_eq!((back.id, back.from, back.to, back.reply_to, back.hops), (1, hops, 0, Some(0), hops));
        let total = there.throughput_kbps + back.throughput_kbps;
        // Data that carries ACKs spares frames: together they carry at least what one carries alone, within a fifth.
        assert!(total > 0.8 * alone && total < 1.5 * alone, "{hops} hops: {total} against {alone}");
        let least = there.throughput_kbps.min(back.throughput_kbps);
        assert!(least > 0.2 * total, "{hops} hops: {there:?} {back:?}");
        assert!(both.network.aggregate_kbps > 0.99 * total);
    }
}

#[test]
fn a_request_and_its_reply_complete() {
    let result = run(talk(2, 20, App::File { bytes: 400 }, Some(App::File { bytes: 100_000 })));
    let [request, reply] = &result.flows[..] else { panic!("a flow and its reply") };
    assert_eq!((request.received_bytes, reply.received_bytes), (400, 100_000));
    assert!(request.completion_s < reply.completion_s && reply.completion_s < Some(5.0), "{request:?} {reply:?}");
    // One handshake: a single SYN is counted, with the request.
    assert_eq!((request.sent_packets, reply.sent_packets), (2, 100_000_u64.div_ceil(1460)));
}

/// Packets of one connection between two nodes.
#[derive(Debug, Default)]
struct Frames(u64);

impl Recorder for Frames {
    const WANTS: Classes = Classes::TRANSPORT;

    fn record(&mut self, _now: Time, record: &Record, _view: &mut impl NetworkView) {
        if is_data_sent(record) {
            self.0 += 1;
        }
    }
}

#[test]
fn a_ledger_and_an_observer_follow_both_ways() {
    let config = talk(2, 10, App::Bulk, Some(App::cbr(50e3)));
    let observer = (Frames::default(), Ledger::new(&config));
    let mut simulation = Simulation::observed(config, observer).expect("a sound scenario");
    let result = simulation.run();
    let sent: u64 = result.flows.iter().map(|flow| flow.sent_packets).sum();
    assert_eq!(simulation.observer().0.0, sent);
    let ledger = simulation.observe(|(_, ledger), now, view| ledger.result(now, view));
    assert_eq!(ledger.flows.len(), 2);
}

#[test]
fn replies_that_cannot_be_are_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Config)| {
        let mut config = talk(1, 5, App::Bulk, Some(App::Bulk));
        change(&mut config);
        simulation::run(config).expect_err("refused").to_string()
    };
    let error = refused(&|config| config.flows[0].transport = Transport::Udp);
    assert!(error.contains("flows.0.reply") && error.contains("TCP"), "{error}");
    let error = refused(&|config| config.flows[0].tcp.handshake = hopscope_engine::config::tcp::Handshake::Ns2);
    assert!(error.contains("flows.0.reply") && error.contains("three-way"), "{error}");
    let error = refused(&|config| config.flows[0].reply = Some(App::cbr(-1.0)));
    assert!(error.contains("flows.0.reply.rate"), "{error}");
}

#[test]
fn a_port_in_use_twice_and_a_socket_on_no_node_are_refused() {
    let refused = |from: u32, to_port: u32| {
        let mut config = talk(2, 5, App::Bulk, None);
        config.flows[0].to_port = Some(80);
        let mut other = flow("standard", from, 2, Transport::TcpCubic, App::Bulk);
        (other.to_port, other.start) = (Some(to_port), Time::ZERO + Span::from_secs(2));
        config.flows.push(other);
        simulation::run(config).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(refused(1, 81), Ok(()));
    let error = refused(1, 80).expect_err("a port in use twice");
    assert!(error.contains("flows.1.to_port") && error.contains("flow 0"), "{error}");
    let error = refused(9, 81).expect_err("no such node");
    assert!(error.contains("flows.1.from") && error.contains('9'), "{error}");
}
