//! Packets in fragments, in a whole network.

use hopscope_core::units::Span;
use hopscope_engine::config::radio::ErrorKind;
use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::simulation;

use crate::support::{busy_field, chain, flow, tcp_chain};

fn kbps(config: Config) -> f64 {
    simulation::run(config).expect("a sound scenario").flows[0].throughput_kbps
}

#[test]
fn a_threshold_that_no_packet_reaches_changes_nothing() {
    for profile in ["standard", "ns2"] {
        let mut config = busy_field(profile, 5);
        let whole = simulation::trajectory(&config, false).expect("a sound scenario");
        config.mac.fragmentation_threshold = Some(8_000);
        assert_eq!(whole, simulation::trajectory(&config, false).expect("a sound scenario"), "{profile}");
        config.mac.fragmentation_threshold = Some(800);
        assert_ne!(whole, simulation::trajectory(&config, false).expect("a sound scenario"), "{profile}");
    }
}

#[test]
fn a_saturated_link_takes_the_time_of_its_frames() {
    // 1480 bytes in one datagram of 1516 with LLC header: frames of 564, 564 and 472 bytes at 2 Mbit/s.
    let mut config = chain("standard", 1, 30);
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::Bulk));
    config.mac.fragmentation_threshold = Some(564);
    let frames = (192.0 + 564.0 * 4.0) * 2.0 + (192.0 + 472.0 * 4.0);
    let answers = 3.0 * (10.0 + 304.0) + 2.0 * 10.0 + (352.0 + 10.0 + 304.0 + 10.0);
    let cycle_us = 50.0 + 15.5 * 20.0 + frames + answers;
    let expected = 1480.0 * 8.0 / cycle_us * 1e3 * 29.0 / 30.0;
    let found = kbps(config);
    assert!((found / expected - 1.0).abs() < 0.005, "{found} against {expected} kbit/s");
}

#[test]
fn fragments_pay_on_a_noisy_channel_and_cost_on_a_clean_one() {
    let run = |ber, threshold| {
        let mut config = chain("standard", 1, 20);
        config.flows.push(flow("standard", 0, 1, Transport::Udp, App::Bulk));
        config.radio.error_kind = if ber > 0.0 { ErrorKind::Uniform } else { ErrorKind::None };
        config.radio.error_ber = ber;
        config.mac.fragmentation_threshold = threshold;
        kbps(config)
    };
    let (whole, cut) = (run(0.0, None), run(0.0, Some(564)));
    assert!(cut < 0.95 * whole, "{whole} and {cut} kbit/s without errors");
    // 1e-4 for a bit: a frame of 1552 bytes survives in 29 % of the cases, one of 564 in 64 %.
    let (whole, cut) = (run(1e-4, None), run(1e-4, Some(564)));
    assert!(cut > 1.3 * whole, "{whole} and {cut} kbit/s with errors");
}

#[test]
fn tcp_works_in_fragments_over_several_hops() {
    for profile in ["standard", "ns2"] {
        let mut config = tcp_chain(profile, 3, 20);
        let whole = kbps(config.clone());
        config.mac.fragmentation_threshold = Some(600);
        let cut = kbps(config);
        assert!(cut > 0.5 * whole && cut < whole, "{profile}: {whole} kbit/s whole, {cut} cut");
    }
}

#[test]
fn thresholds_out_of_range_are_refused() {
    let key = |threshold, packet| {
        let mut config = tcp_chain("standard", 2, 5);
        config.mac.fragmentation_threshold = Some(threshold);
        config.mac.max_msdu = 8_000;
        config.flows[0].packet = packet;
        simulation::run(config).expect_err("refused").key
    };
    assert_eq!(key(255, 1000), "mac.fragmentation_threshold");
    assert_eq!(key(8_001, 1000), "mac.fragmentation_threshold");
    // 228 bytes in each of 16 fragments.
    assert_eq!(key(256, 3_648 - 47), "flows.0.packet");
    let mut config = tcp_chain("standard", 2, 5);
    config.mac.fragmentation_threshold = Some(256);
    config.mac.max_msdu = 8_000;
    config.flows[0].packet = 3_648 - 48;
    assert!(simulation::run(config).is_ok(), "40 bytes of IP and TCP, 8 of LLC");
}

#[test]
fn a_packet_that_does_not_come_together_in_time_is_lost_at_the_receiver() {
    let mut config = chain("standard", 1, 5);
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(100e3)));
    config.mac.fragmentation_threshold = Some(564);
    config.mac.receive_lifetime = Span::from_millis(1);
    let result = simulation::run(config).expect("a sound scenario");
    assert_eq!(result.flows[0].received_packets, 0);
    assert_eq!(result.nodes[1].drops.get("reassembly"), Some(&result.flows[0].sent_packets));
    assert_eq!(result.network.mac_retry_drops, 0);
}
