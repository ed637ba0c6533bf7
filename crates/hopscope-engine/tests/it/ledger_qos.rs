//! The airtime ledger of QoS stations: every nanosecond has one cause, MPDUs are accounted one by one, and metrics agree.

use hopscope_core::units::{Span, Time};
use hopscope_engine::config::{App, Config, Outage, Transport, presets};
use hopscope_engine::ledger::{FailureResult, LedgerResult, LinkLedger, MpduLedger, PpduLedger};
use hopscope_engine::results::RunResult;
use hopscope_engine::{simulation, world};
use hopscope_mac::config::mac::BlockAckSetup;
use proptest::prelude::*;

use crate::invariants::{EVERY, flows, routed, with_flows};
use crate::ledger::{check, explained, ns, on_air};
use crate::support::flow;

/// Nodes on a line at these distances from the first, with a preset of QoS stations.
fn line(preset: &str, metres: &[f64], seconds: u64) -> Config {
    let nodes = metres.iter().map(|&x| [x, 0.0]).collect();
    let base = presets::base("standard", preset).expect("a preset");
    let mut config = base.config(nodes, Span::from_secs(seconds));
    config.net.arp = false;
    config
}

fn ledger_of(config: &Config) -> (RunResult, LedgerResult) {
    let (result, ledger, hash) = explained(config);
    check(config, &result, &ledger).expect("it adds up");
    assert_eq!(hash, simulation::trajectory(config, false).expect("a sound scenario"), "it only watches");
    (result, ledger)
}

fn mpdus(link: &LinkLedger) -> &MpduLedger {
    link.mpdus.as_ref().expect("MPDUs")
}

fn link(ledger: &LedgerResult, from: u32, to: u32) -> &LinkLedger {
    ledger.links.iter().find(|link| (link.from, link.to) == (from, to)).expect("a link")
}

fn ppdus(ledger: &LedgerResult, node: usize) -> PpduLedger {
    ledger.nodes[node].ppdus.expect("PPDUs")
}

/// Whether what the ledger says of MPDUs and PPDUs is what the stations count themselves.
fn check_counts(result: &RunResult, ledger: &LedgerResult) {
    for (node, found) in result.nodes.iter().zip(&ledger.nodes) {
        let PpduLedger { ppdus, mpdus: sent, preamble_ns, payload_ns, overhead_ns, .. } = match found.ppdus {
            Some(ppdus) => ppdus,
            None => {
                assert_eq!(node.data_ppdus, Some(0));
                continue;
            }
        };
        assert_eq!((Some(ppdus), Some(sent)), (node.data_ppdus, node.mpdus_sent), "node {}", node.id);
        let airtime = (preamble_ns + payload_ns + overhead_ns) as f64 / 1e9;
        assert!((airtime - node.data_airtime_s.expect("of a QoS station")).abs() < 1e-12, "node {}", node.id);
        // A PPDU may be under way at the end, and with it a request for the one before.
        let own = ledger.links.iter().filter(|link| link.from == node.id).filter_map(|link| link.mpdus.as_ref());
        let over = own.clone().map(|mpdus| mpdus.sent).sum::<u64>();
        assert!(over <= sent && sent - over <= 256, "node {}: {over} of {sent}", node.id);
        for mpdus in own {
            assert_eq!(mpdus.sent, mpdus.came + mpdus.lost.iter().map(|lost| lost.count).sum::<u64>());
        }
    }
}

#[test]
fn a_chain_loses_parts_of_aggregates_to_hidden_stations() {
    let mut config = line("ht-20", &[0.0, 200.0, 400.0, 600.0, 800.0], 2);
    config.flows.push(flow("standard", 0, 4, Transport::TcpNewReno, App::Bulk));
    (config.flows[0].max_window, config.flows[0].start) = (64, Time::ZERO);
    let (result, ledger) = ledger_of(&config);
    check_counts(&result, &ledger);
    let first = mpdus(link(&ledger, 0, 1));
    assert!(first.sent > 500 && first.came > first.sent / 2, "{first:?}");
    let hidden = first.lost.iter().find(|lost| lost.cause == "hidden").expect("node 3 is not sensed by node 0");
    assert_eq!(hidden.by, Some(3));
    assert!(ns(&ledger, 0, "retry-hidden") > 0 && ns(&ledger, 1, "block-ack") > 0);
    assert!(ledger.flows[0].ns["reordering"] > 0);
    // What is given up has the cause of its last loss, not that of an answer that has come.
    let lost = &ledger.flows[0].losses;
    assert!(lost.iter().any(|loss| loss.reason == "retry-limit" && loss.cause == Some("hidden")), "{lost:?}");
}

#[test]
fn the_time_of_a_ppdu_is_preamble_packets_and_the_rest() {
    let mut config = line("ht-20", &[0.0, 20.0], 2);
    let mut file = flow("standard", 0, 1, Transport::Udp, App::File { bytes: 20_000 });
    file.packet = 1_000;
    config.flows.push(file);
    let (result, ledger) = ledger_of(&config);
    check_counts(&result, &ledger);
    let PpduLedger { ppdus: count, mpdus: sent, packets, preamble_ns, payload_ns, overhead_ns } = ppdus(&ledger, 0);
    assert_eq!((sent, packets), (20, 20), "nothing is lost at 20 m");
    // HT-mixed, one stream: 36 us. MCS 4 at 39 Mbit/s; headers of IP and UDP are 28 bytes.
    assert_eq!(preamble_ns, count * 36_000);
    assert!((20 * 1_028 * 8_000 / 39 - 20..=20 * 1_028 * 8_000 / 39).contains(&payload_ns), "{payload_ns}");
    // MAC header, FCS and LLC are 38 bytes, delimiters 4, padding 2; below two symbols of 4 us in a PPDU for the rest.
    let least = 20 * 38 * 8_000 / 39;
    assert!((least..least + 20 * 6 * 206 + count * 8_000).contains(&overhead_ns), "{overhead_ns}");
    let data = preamble_ns + payload_ns + overhead_ns;
    assert_eq!((ns(&ledger, 0, "data"), ns(&ledger, 1, "receive")), (data, data));
    let answers = ns(&ledger, 1, "block-ack") + ns(&ledger, 1, "mac-ack");
    assert_eq!(ns(&ledger, 0, "receive"), answers);
    // 16-QAM 3/4 is answered at 24 Mbit/s: a Block Ack of 32 bytes takes 32 us.
    let block_acks = count - ns(&ledger, 1, "mac-ack") / 28_000;
    assert_eq!(ns(&ledger, 1, "block-ack"), block_acks * 32_000);
    assert!(!ledger.flows[0].ns.contains_key("reordering"), "all comes in order");
}

#[test]
fn what_noise_takes_is_nobodys_fault() {
    // With so much noise MCS 7 loses some MPDUs of a hundred at this distance.
    let mut config = line("ht-20", &[0.0, 200.0], 1);
    (config.radio.mcs, config.radio.noise_floor) = (7, -88.0);
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::Bulk));
    config.flows[0].start = Time::ZERO;
    let (result, ledger) = ledger_of(&config);
    check_counts(&result, &ledger);
    let found = mpdus(link(&ledger, 0, 1));
    assert!(found.came > 0 && found.sent > found.came, "{found:?}");
    assert!(found.lost.iter().all(|lost| (lost.cause, lost.by) == ("channel", None)), "{found:?}");
    // Headers of PPDUs are sound at this distance: what is lost is lost MPDU by MPDU, and shares airtime with what came.
    assert!(ns(&ledger, 0, "retry-channel") > 0 && ns(&ledger, 0, "data") > 0);
    let share = (found.sent - found.came) as f64 / found.sent as f64;
    let metric = result.network.mpdu_loss_ratio.expect("MPDUs were sent");
    assert!((share - metric).abs() < 0.02, "{share} at the receiver, {metric} at the sender");
    assert!(result.network.reorder_max_ms >= result.network.reorder_ms && result.network.reorder_ms > Some(0.0));
}

#[test]
fn the_rest_of_a_txop_is_given_back() {
    let mut config = line("ht-20", &[0.0, 20.0], 1);
    let mut voice = flow("standard", 0, 1, Transport::Udp, App::cbr(64e3));
    (voice.packet, voice.dscp, voice.start) = (160, 48, Time::ZERO);
    config.flows.push(voice);
    let (_, ledger) = ledger_of(&config);
    // 20 bytes at 6 Mbit/s: 52 us, once for each packet; the run ends before that of the last one.
    assert_eq!(ns(&ledger, 0, "cf-end"), (ppdus(&ledger, 0).ppdus - 1) * 52_000);
}

#[test]
fn who_has_disturbed_an_addba_request_is_named() {
    let mut config = line("ht-20", &[0.0, 240.0, 480.0], 1);
    (config.radio.mcs, config.radio.cs_range) = (0, 300.0);
    config.mac.block_ack_setup = BlockAckSetup::Addba;
    for (from, start) in [(2, 0), (0, 100)] {
        let mut bulk = flow("standard", from, 1, Transport::Udp, App::Bulk);
        bulk.start = Time::ZERO + Span::from_millis(start);
        config.flows.push(bulk);
    }
    let (_, ledger) = ledger_of(&config);
    let failures = &link(&ledger, 0, 1).failures;
    let disturbed =
        |failure: &FailureResult| (failure.frame, failure.cause, failure.by) == ("action", "hidden", Some(2));
    assert!(failures.iter().any(disturbed), "{failures:?}");
}

#[test]
fn an_rts_in_vain_is_an_attempt_of_all_its_packets() {
    let mut config = line("ht-20", &[0.0, 20.0], 1);
    (config.mac.rts_threshold, config.mac.mpdu_retry_limit) = (Some(0), None);
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::Bulk));
    config.flows[0].start = Time::ZERO;
    let at = |ms| Time::ZERO + Span::from_millis(ms);
    config.outages.push(Outage { node: 1, from: at(500), to: Some(at(520)) });
    let (result, ledger) = ledger_of(&config);
    check_counts(&result, &ledger);
    // Each takes 28 us, and SIFS, a slot and the start of a CTS are waited for; dozens of packets go behind it.
    let (failed, spent) = (result.nodes[0].mac_retries, ledger.flows[0].ns.get("retries").copied().unwrap_or(0));
    assert!(failed > 2 && spent > 10 * failed * 77_000, "{failed}, {spent}, {:?}", ledger.flows[0]);
}

proptest! {
    #![proptest_config(hopscope_testing::property(60))]

    #[test]
    fn every_nanosecond_of_a_qos_station_has_one_cause(
        config in routed(), flows in flows(), warmup in 0..1_200u64, preset in 0..3usize,
    ) {
        let mut config = with_flows(config, &flows, &EVERY);
        config.warmup = Time::ZERO + Span::from_millis(warmup);
        let base = presets::base("standard", ["ht-20", "vht-40", "ofdm-24M"][preset]).expect("a preset");
        (config.radio, config.mac) = (base.radio, base.mac);
        (config.mac.qos, config.mac.data_header) = (true, 30);
        config.link = presets::base("standard", "ht-20").expect("a preset").link;
        // Routing and links of the network may not go with QoS stations, or their ranges join no two nodes.
        let unwatched = world::check(&config).ok().and_then(|()| simulation::trajectory(&config, false).ok());
        prop_assume!(unwatched.is_some());
        let (result, ledger, hash) = explained(&config);
        check(&config, &result, &ledger)?;
        prop_assert_eq!(Some(hash), unwatched, "it only watches");
        if warmup == 0 {
            check_counts(&result, &ledger);
            for node in &result.nodes {
                let metric = (node.airtime_s * 1e9).round() as u64;
                let ledger = on_air(&ledger, node.id as usize);
                prop_assert!(ledger <= metric && metric - ledger <= 20_000_000, "{} and {}", ledger, metric);
            }
        }
    }
}
