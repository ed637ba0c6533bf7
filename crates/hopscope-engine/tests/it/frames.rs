//! What a frame carries decides what becomes of it: its mode, its sequence number, its Retry bit.

use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;
use hopscope_engine::World;
use hopscope_engine::config::mac::EifsRule;
use hopscope_engine::config::radio::Interference;
use hopscope_engine::config::{App, Config, Transport, presets};
use hopscope_engine::simulation;
use hopscope_mac::frame::FrameKind;
use hopscope_phy::channel::Medium;

use crate::support::{Log, chain, flow};

/// One hop of OFDM without RTS, where noise alone decides, at a ratio of `decibels`.
fn noisy_hop(decibels: f64) -> Config {
    let mut base = presets::base("standard", "ofdm-24M").expect("a preset");
    base.radio.interference = Interference::Sinr;
    base.mac.eifs = EifsRule::Off;
    base.mac.rts_threshold = None;
    let nodes = vec![[0.0, 0.0], [100.0, 0.0]];
    let power = Medium::new(&nodes, &base.radio).hearers(NodeId(0))[0].power;
    base.radio.noise_floor = 10.0 * f64::from(power * 1e3).log10() - decibels;
    let mut config = base.config(nodes, Span::from_secs(3));
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(100e3)));
    config
}

#[test]
fn an_ack_is_decoded_by_the_threshold_of_its_own_rate() {
    // A data frame at 6 Mbit/s needs 9 dB, an ACK at 24 Mbit/s needs 17.
    let repeated = |response, decibels| {
        let mut config = noisy_hop(decibels);
        config.radio.data_rate = 6_000_000;
        config.radio.response_rates = vec![response];
        let result = simulation::run(config).expect("a sound scenario");
        assert!(result.flows[0].received_packets > 10, "the data frames come through at {decibels} dB");
        result.nodes[0].mac_retries > 0
    };
    assert!(repeated(24_000_000, 9.2));
    assert!(repeated(24_000_000, 16.9));
    assert!(!repeated(24_000_000, 17.1));
    assert!(!repeated(6_000_000, 9.2));
}

#[test]
fn a_cts_is_decoded_by_the_threshold_of_its_own_rate() {
    let frames = |response| {
        let mut config = noisy_hop(10.0);
        config.mac.rts_threshold = Some(0);
        config.radio.data_rate = 6_000_000;
        config.radio.response_rates = vec![response];
        let mut world = World::new(&config, Log::default()).expect("a sound scenario");
        world.run_until(config.duration);
        let frames = world.recorder().frames();
        [FrameKind::Cts, FrameKind::Data].map(|kind| frames.iter().any(|frame| frame.2 == kind))
    };
    assert_eq!(frames(24_000_000), [true, false]);
    assert_eq!(frames(6_000_000), [true, true]);
}

#[test]
fn a_number_that_comes_again_makes_no_duplicate() {
    // The sequence numbers of a sender are one counter modulo 4096: a packet each 4.095 s among 4095 others always has the
    // same one.
    let received = |profile| {
        let mut base = presets::base(profile, "ofdm-54M").expect("a preset");
        base.net.arp = false;
        base.mac.rts_threshold = None;
        let mut config = base.config(vec![[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]], Span::from_secs(50));
        config.flows.push(flow(profile, 0, 1, Transport::Udp, App::cbr(800e3)));
        config.flows.push(flow(profile, 0, 2, Transport::Udp, App::cbr(800.0 / 4.095)));
        config.flows.iter_mut().for_each(|flow| flow.packet = 100);
        let result = simulation::run(config).expect("a sound scenario");
        assert_eq!(result.nodes[0].mac_retries, 0);
        [result.flows[1].sent_packets, result.flows[1].received_packets]
    };
    let [sent, received_all] = received("standard");
    assert!(sent >= 12 && sent == received_all, "{received_all} of {sent}");
    assert!(received("ns2")[1] <= 1, "ns-2 takes them for repetitions");
}

#[test]
fn sources_of_one_node_that_fill_its_queue_take_turns() {
    for profile in ["standard", "ns2"] {
        let mut config = chain(profile, 2, 20);
        for _ in 0..3 {
            config.flows.push(flow(profile, 0, 2, Transport::Udp, App::Bulk));
        }
        let sent: Vec<u64> =
            simulation::run(config).expect("a sound scenario").flows.iter().map(|f| f.sent_packets).collect();
        // The first begins with the two places of an empty queue.
        assert!(sent[0] > 400 && sent.iter().all(|&other| other.abs_diff(sent[0]) <= 4), "{profile}: {sent:?}");
    }
}
