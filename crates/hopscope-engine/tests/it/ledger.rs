//! The airtime ledger over whole networks: every nanosecond has one cause, and nothing changes by being watched.

use hopscope_core::units::{Span, Time};
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::radio::{ErrorKind, ErrorScope, OnError};
use hopscope_engine::config::{App, Config, Outage, Transport};
use hopscope_engine::ledger::{Balance, FailureResult, Ledger, LedgerResult, LinkLedger};
use hopscope_engine::record::TrajectoryHash;
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation::{self, Simulation};
use hopscope_mac::timing::Timing;
use hopscope_phy::phy::modes::Mode;
use proptest::prelude::*;

use crate::invariants::{EVERY, flows, routed, with_flows};
use crate::support::{chain, flow, tcp_chain};

/// Runs with a ledger and the hash of the trajectory.
pub fn explained(config: &Config) -> (RunResult, LedgerResult, u64) {
    let observer = (TrajectoryHash::default(), Ledger::new(config));
    let mut simulation = Simulation::observed(config.clone(), observer).expect("a sound scenario");
    let result = simulation.run();
    let ledger = simulation.observe(|(_, ledger), now, view| ledger.result(now, view));
    (result, ledger, simulation.observer().0.0)
}

/// What has to hold in any ledger.
pub fn check(config: &Config, result: &RunResult, ledger: &LedgerResult) -> Result<(), TestCaseError> {
    prop_assert_eq!(ledger.duration_ns, config.duration.0 - config.warmup.0);
    prop_assert_eq!(ledger.nodes.len(), config.nodes.len());
    for node in &ledger.nodes {
        prop_assert_eq!(node.ns.values().sum::<u64>(), ledger.duration_ns, "node {}: {:?}", node.id, node.ns);
    }
    for link in &ledger.links {
        prop_assert_eq!(link.ns.values().sum::<u64>(), ledger.duration_ns, "{:?}", link);
        let failed: u64 = link.failures.iter().map(|failure| failure.count).sum();
        let lost: u64 = link.ns.iter().filter(|(cause, _)| cause.starts_with("retry-")).map(|(_, ns)| ns).sum();
        prop_assert_eq!(link.failures.iter().map(|failure| failure.ns).sum::<u64>(), lost, "{:?}", link);
        // One attempt may be under way at either end of the measured time.
        prop_assert!(link.attempts.abs_diff(link.delivered + failed) <= 1, "{:?}", link);
    }
    for (flow, measured) in ledger.flows.iter().zip(&result.flows) {
        prop_assert_eq!(flow.copies, measured.received_packets);
        let parts: u64 = flow.ns.iter().filter(|(part, _)| **part != "timeout").map(|(_, ns)| ns).sum();
        let mean = (flow.copies > 0).then(|| parts as f64 / flow.copies as f64 / 1e6);
        prop_assert_eq!(mean, measured.delay_ms, "flow {}", flow.id);
        for (kind, packets) in &flow.packets {
            let Balance { sent, delivered, lost, under_way, .. } = *packets;
            prop_assert_eq!(sent, delivered + lost + under_way, "flow {}, {}: {:?}", flow.id, kind, packets);
            let reported: u64 = flow.losses.iter().filter(|loss| loss.kind == *kind).map(|loss| loss.count).sum();
            prop_assert_eq!(reported, lost, "flow {}, {}", flow.id, kind);
        }
        let data = &flow.packets["data"];
        prop_assert_eq!(data.delivered + data.again, measured.received_packets, "flow {}", flow.id);
        if config.warmup == Time::ZERO {
            prop_assert_eq!(data.sent, measured.sent_packets, "flow {}", flow.id);
        }
        // Without copies that the network has doubled, both books agree but for packets that the next node has dropped while
        // the one before still waits for the MAC ACK: one a node at most.
        if data.again == 0 {
            prop_assert_eq!(measured.lost_packets + measured.in_flight, data.lost + data.under_way, "flow {}", flow.id);
            let unsettled = data.under_way.saturating_sub(measured.in_flight);
            prop_assert!(measured.in_flight <= data.under_way, "flow {}: {:?}, {:?}", flow.id, measured, data);
            prop_assert!(unsettled <= config.nodes.len() as u64, "flow {}: {:?}, {:?}", flow.id, measured, data);
        }
    }
    Ok(())
}

/// Time of a node in states in which its transmitter is on.
pub fn on_air(ledger: &LedgerResult, node: usize) -> u64 {
    let sending = ["data", "data-again", "transport-ack", "routing", "rts", "cts", "mac-ack"];
    let of_qos = ["block-ack", "block-ack-req", "cf-end"];
    let is_sending = |cause: &str| sending.contains(&cause) || of_qos.contains(&cause) || cause.starts_with("retry-");
    ledger.nodes[node].ns.iter().filter(|(cause, _)| is_sending(cause)).map(|(_, ns)| ns).sum()
}

proptest! {
    #![proptest_config(hopscope_testing::property(150))]

    #[test]
    fn every_nanosecond_has_one_cause(config in routed(), flows in flows(), warmup in 0..1_200u64) {
        let mut config = with_flows(config, &flows, &EVERY);
        config.warmup = Time::ZERO + Span::from_millis(warmup);
        let (result, ledger, hash) = explained(&config);
        check(&config, &result, &ledger)?;
        prop_assert_eq!(hash, simulation::trajectory(&config, false).expect("a sound scenario"), "it only watches");
        if warmup == 0 {
            for node in &result.nodes {
                // A frame on the air at the end counts whole in the metric.
                let metric = (node.airtime_s * 1e9).round() as u64;
                let ledger = on_air(&ledger, node.id as usize);
                prop_assert!(ledger <= metric && metric - ledger <= 20_000_000, "{} and {}", ledger, metric);
            }
        }
    }
}

// ---- timelines by hand -------------------------------------------------------------------------------------------

/// Nodes on a line at these distances from the first, without address resolution; nothing is sent yet.
fn line(metres: &[f64]) -> Config {
    let mut config = chain("standard", 1, 2);
    config.nodes = metres.iter().map(|&x| [x, 0.0]).collect();
    config.net.arp = false;
    config
}

/// Adds a file of `packets` packets of 1000 bytes that starts `after_us` after 1 s.
fn add_file(config: &mut Config, from: u32, to: u32, packets: u64, after_us: u64) {
    let mut file = flow("standard", from, to, Transport::Udp, App::File { bytes: 1_000 * packets });
    file.packet = 1_000;
    file.start = Time::ZERO + Span::from_secs(1) + Span::from_micros(after_us);
    config.flows.push(file);
}

fn add_bulk(config: &mut Config, from: u32, to: u32) {
    config.flows.push(flow("standard", from, to, Transport::Udp, App::Bulk));
}

fn ledger_of(config: &Config) -> LedgerResult {
    let (result, ledger, _) = explained(config);
    check(config, &result, &ledger).expect("it adds up");
    ledger
}

/// Nanoseconds of a node in a state.
pub fn ns(ledger: &LedgerResult, node: usize, cause: &str) -> u64 {
    ledger.nodes[node].ns.get(cause).copied().unwrap_or(0)
}

fn link(ledger: &LedgerResult, from: u32, to: u32) -> &LinkLedger {
    ledger.links.iter().find(|link| (link.from, link.to) == (from, to)).expect("a link")
}

/// Time on the air of a data frame of these flows.
fn data(config: &Config, timing: &Timing) -> Span {
    let header = config.net.ip_header + config.net.udp_header + config.mac.llc_header + config.mac.data_header;
    timing.airtime(1_000 + header, mode(config.radio.data_rate))
}

/// The mode of a rate; control frames go at 1 Mbit/s.
fn mode(rate: u64) -> Mode {
    Mode::of(rate).expect("a rate of 802.11")
}

const CONTROL: u64 = 1_000_000;

const SECOND: u64 = 1_000_000_000;

#[test]
fn fragments_that_came_across_are_not_lost_with_the_one_behind_them() {
    // Nothing disturbs two nodes: with a channel that loses bits, fragments fail each for itself.
    let mut config = line(&[0.0, 200.0]);
    add_bulk(&mut config, 0, 1);
    config.radio.error_kind = ErrorKind::Uniform;
    config.radio.error_ber = 1e-4;
    config.radio.error_applies_to = ErrorScope::Data;
    let lost = |threshold| {
        let mut config = config.clone();
        config.mac.fragmentation_threshold = threshold;
        let (result, ledger, _) = explained(&config);
        check(&config, &result, &ledger).expect("sound accounts");
        let in_vain = ns(&ledger, 0, "retry-channel") as f64;
        in_vain / on_air(&ledger, 0) as f64
    };
    // A whole frame is lost in 71 % of the cases, a fragment in 36 %; RTS count too.
    let (whole, cut) = (lost(None), lost(Some(564)));
    assert!((0.66..0.74).contains(&whole), "{whole}");
    assert!((0.31..0.39).contains(&cut), "{cut}");
}

#[test]
fn one_exchange_without_rts() {
    let mut config = line(&[0.0, 240.0]);
    config.mac.rts_threshold = None;
    add_file(&mut config, 0, 1, 1, 0);
    let timing = Timing::new(&config.radio, &config.mac);
    let (data, ack, flight) = (data(&config, &timing).0, timing.response(mode(CONTROL)).0, 801);
    let ledger = ledger_of(&config);
    // The medium has been idle for long: the frame leaves at once, and its ACK comes a SIFS and two flights later.
    let sifs = timing.sifs.0 + 2 * flight;
    let sender = [("data", data), ("sifs", sifs), ("receive", ack), ("sender-limited", 2 * SECOND - data - sifs - ack)];
    assert_eq!(ledger.nodes[0].ns, sender.into_iter().collect());
    let rest = 2 * SECOND - data - timing.sifs.0 - ack;
    let receiver = [("receive", data), ("sifs", timing.sifs.0), ("mac-ack", ack), ("nothing-to-send", rest)];
    assert_eq!(ledger.nodes[1].ns, receiver.into_iter().collect());
    let delivered = data + sifs + ack;
    let over_link = [("delivered", delivered), ("idle", 2 * SECOND - delivered)];
    assert_eq!(link(&ledger, 0, 1).ns, over_link.into_iter().collect());
    assert_eq!(ledger.flows[0].ns, [("airtime", data + flight)].into_iter().collect());
}

#[test]
fn the_second_packet_waits_for_difs_and_back_off() {
    let mut config = line(&[0.0, 240.0]);
    config.mac.rts_threshold = None;
    add_file(&mut config, 0, 1, 2, 0);
    let timing = Timing::new(&config.radio, &config.mac);
    let ledger = ledger_of(&config);
    assert_eq!(ns(&ledger, 0, "difs"), timing.difs.0);
    let backoff = ns(&ledger, 0, "backoff");
    assert!(backoff % timing.slot.0 == 0 && backoff <= 31 * timing.slot.0, "{backoff}");
    let parts = &ledger.flows[0].ns;
    assert_eq!(parts["contention"], timing.difs.0 + backoff);
    // It was queued while the first one was on its way, ACK included.
    assert_eq!(parts["queueing"], link(&ledger, 0, 1).ns["delivered"] / 2);
    assert_eq!(parts["airtime"], 2 * (data(&config, &timing).0 + 801));
}

#[test]
fn a_reservation_defers_a_station_that_hears_only_the_cts() {
    // Node 2 hears node 1, but nothing of node 0.
    let mut config = line(&[0.0, 240.0, 480.0, 720.0]);
    (config.radio.cs_range, config.radio.interference_range) = (300.0, 300.0);
    add_file(&mut config, 0, 1, 1, 0);
    add_file(&mut config, 2, 3, 1, 2_000);
    let timing = Timing::new(&config.radio, &config.mac);
    let ledger = ledger_of(&config);
    let (sifs, flight) = (timing.sifs.0, 801);
    // RTS, CTS and data from the first start on; then the ACK begins at node 2.
    let ack_begins = timing.rts(mode(CONTROL)).0
        + sifs
        + timing.response(mode(CONTROL)).0
        + sifs
        + data(&config, &timing).0
        + sifs
        + 4 * flight;
    assert_eq!(ns(&ledger, 2, "nav"), ack_begins - 2_000_000);
    assert_eq!(ns(&ledger, 2, "carrier"), timing.response(mode(CONTROL)).0);
    assert_eq!(ns(&ledger, 2, "difs"), timing.difs.0);
    assert_eq!(ns(&ledger, 2, "backoff") % timing.slot.0, 0);
    // Before it had a packet it only listened: to the CTS.
    assert_eq!(ns(&ledger, 2, "overheard"), timing.response(mode(CONTROL)).0);
}

#[test]
fn a_frame_in_error_makes_its_hearer_wait_for_eifs() {
    let mut config = line(&[0.0, 240.0, 480.0]);
    config.mac.rts_threshold = None;
    let r = &mut config.radio;
    (r.error_kind, r.error_per, r.error_on_error) = (ErrorKind::Uniform, 1.0, OnError::Flag);
    r.error_applies_to = ErrorScope::Data;
    config.mac.short_retry_limit = 1;
    add_file(&mut config, 0, 1, 1, 0);
    // The packet of node 1 comes while it receives.
    add_file(&mut config, 1, 2, 1, 1_000);
    let timing = Timing::new(&config.radio, &config.mac);
    let ledger = ledger_of(&config);
    assert_eq!(ns(&ledger, 1, "eifs"), timing.eifs.0);
    assert_eq!(ns(&ledger, 1, "carrier"), data(&config, &timing).0 + 801 - 1_000_000);
    assert_eq!(ns(&ledger, 1, "difs"), 0);
    assert_eq!(ns(&ledger, 0, "retry-channel"), data(&config, &timing).0);
    let [FailureResult { cause, frame, by, count, .. }] = link(&ledger, 0, 1).failures[..] else {
        panic!("one reason, found {:?}", link(&ledger, 0, 1).failures)
    };
    assert_eq!((cause, frame, by, count), ("channel", "data", None, 1));
    let lost = &ledger.flows[0].losses[0];
    assert_eq!((lost.hop, lost.node, lost.reason, lost.cause, lost.count), (1, 0, "retry-limit", Some("channel"), 1));
    assert_eq!(ns(&ledger, 0, "response-timeout"), timing.wait_for(Span::ZERO).0);
}

#[test]
fn a_link_failure_reports_why_the_last_attempt_had_failed() {
    let mut config = line(&[0.0, 240.0]);
    config.routing.protocol = RoutingProtocol::Olsr;
    config.duration = Time::ZERO + Span::from_secs(30);
    config.outages.push(Outage { node: 1, from: Time::ZERO + Span::from_secs(20), to: None });
    add_file(&mut config, 0, 1, 2, 20_000_000);
    // By then the neighbour is forgotten: what the MAC never had has no last attempt.
    add_file(&mut config, 0, 1, 1, 28_000_000);
    let ledger = ledger_of(&config);
    let reported = |flow: usize| match ledger.flows[flow].losses[..] {
        [ref lost] => (lost.reason, lost.cause, lost.count),
        ref losses => panic!("one reason, found {losses:?}"),
    };
    assert_eq!(reported(0), ("link-failed", Some("no-answer"), 2));
    assert_eq!(reported(1), ("no-route", None, 1));
}

#[test]
fn a_hidden_terminal_is_named() {
    // Nodes 0 and 2 are 600 m apart and do not sense each other; node 2 drowns node 0 at node 1.
    let mut config = line(&[0.0, 240.0, 600.0, 800.0]);
    config.mac.rts_threshold = None;
    add_bulk(&mut config, 0, 1);
    add_bulk(&mut config, 2, 3);
    let ledger = ledger_of(&config);
    let victim = link(&ledger, 0, 1);
    let hidden: u64 = victim.failures.iter().filter(|f| f.cause == "hidden" && f.by == Some(2)).map(|f| f.count).sum();
    let failed: u64 = victim.failures.iter().map(|f| f.count).sum();
    assert!(hidden > 20 && hidden == failed, "{:?}", victim.failures);
    assert!(ns(&ledger, 0, "retry-hidden") > 0 && ns(&ledger, 0, "retry-collision") == 0);
    assert!(link(&ledger, 2, 3).failures.is_empty(), "{:?}", link(&ledger, 2, 3).failures);
}

#[test]
fn a_collision_in_the_same_slot_is_reported_from_a_hidden_terminal() {
    // Two stations at the same distance from their receiver, all within range.
    let mut config = line(&[0.0, 100.0, 200.0]);
    config.mac.rts_threshold = None;
    add_bulk(&mut config, 0, 1);
    add_bulk(&mut config, 2, 1);
    let ledger = ledger_of(&config);
    for (from, other) in [(0, 2), (2, 0)] {
        let failures = &link(&ledger, from, 1).failures;
        let collided = failures.iter().all(|f| f.cause == "collision" && f.by == Some(other) && f.frame == "data");
        assert!(collided && !failures.is_empty(), "{failures:?}");
    }
}

#[test]
fn a_source_waits_for_its_window_and_for_its_timer() {
    let mut config = tcp_chain("standard", 3, 20);
    config.flows[0].max_window = 1;
    let ledger = ledger_of(&config);
    assert!(ns(&ledger, 0, "window-closed") > SECOND && ns(&ledger, 0, "timeout") == 0, "{:?}", ledger.nodes[0]);
    config.flows[0].max_window = 4;
    // Node 2 is away from 5 s to 15 s: nothing comes back, and only the timer acts.
    config.outages.push(Outage {
        node: 2,
        from: Time::ZERO + Span::from_secs(5),
        to: Some(Time::ZERO + Span::from_secs(15)),
    });
    let ledger = ledger_of(&config);
    // It finishes the frame that it is sending at 5 s.
    assert!(ns(&ledger, 2, "off") <= 10 * SECOND && ns(&ledger, 2, "off") > 9_990_000_000, "{:?}", ledger.nodes[2]);
    assert!(ns(&ledger, 0, "timeout") > 8 * SECOND, "{:?}", ledger.nodes[0]);
    let failures = &link(&ledger, 1, 2).failures;
    assert!(failures.iter().any(|f| f.cause == "no-answer" && f.frame == "rts" && f.by.is_none()), "{failures:?}");
    // What had to be sent again waited at the source.
    let parts = &ledger.flows[0].ns;
    assert!(parts["timeout"] > 8 * SECOND, "{parts:?}");
}

#[test]
fn a_node_off_every_way_is_a_bystander() {
    let mut config = tcp_chain("standard", 2, 2);
    config.nodes.push([200.0, 200.0]);
    let ledger = ledger_of(&config);
    assert_eq!(ledger.nodes[3].ns, [("bystander", 2 * SECOND)].into_iter().collect());
}
