//! Block Ack agreements in whole networks: how they come about, and what the layers above see of them.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::config::{App, Config, FlowConfig, Transport, presets};
use hopscope_engine::record::Record;
use hopscope_engine::simulation;
use hopscope_engine::world::World;
use hopscope_mac::config::mac::BlockAckSetup;
use hopscope_mac::dcf::FrameKind;

use crate::edca::{crowd, run};
use crate::support::{Log, flow, is_data_received, is_data_sent};

/// Two stations of 802.11n, near each other.
fn one_hop() -> Config {
    let base = presets::base("standard", "ht-20").expect("a profile and a preset");
    let mut config = base.config(vec![[0.0, 0.0], [3.0, 0.0]], Span::from_secs(2));
    (config.mac.ampdu, config.mac.block_ack_window) = (Some(65_535), 64);
    config
}

fn log_of(config: &Config) -> Log {
    let mut world = World::new(config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    std::mem::take(&mut world.observe(|log, _, _| std::mem::take(log)))
}

/// Time from one packet's leave to its arrival, for a packet that finds the medium idle.
fn delay(link_delay: Span) -> Span {
    let mut config = one_hop();
    config.net.link_delay = link_delay;
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(100e3)));
    let log = log_of(&config);
    let at = |wanted: fn(&Record) -> bool| log.0.iter().find(|(_, record)| wanted(record)).expect("a packet").0;
    at(is_data_received) - at(is_data_sent)
}

#[test]
fn the_link_layer_takes_its_time_below_an_agreement_too() {
    let (none, some) = (delay(Span::ZERO), delay(Span::from_micros(25)));
    assert_eq!(some, none + Span::from_micros(2 * 25), "down at the sender and up at the receiver");
}

#[test]
fn a_backlog_of_datagrams_fills_every_aggregate() {
    // 28 MPDUs of 1500 bytes with headers: AIFS and mean back-off 43 + 67.5, PPDU 5360, SIFS 16, Block Ack 32 us.
    let mut config = one_hop();
    config.radio.mcs = 7;
    let packet = 1_500 - config.net.ip_header - config.net.udp_header;
    let source = flow("standard", 0, 1, Transport::Udp, App::Bulk);
    config.flows.push(FlowConfig { packet, ..source });
    config.duration = Time::ZERO + Span::from_secs(3);
    config.warmup = Time::ZERO + Span::from_millis(1_100);
    let found = simulation::run(config).expect("a sound scenario").network.aggregate_kbps;
    let expected = 28.0 * f64::from(packet) * 8.0 / 5_518.5 * 1e3;
    assert!((found / expected - 1.0).abs() < 0.01, "{found} kbit/s, by hand {expected}");
}

#[test]
fn addba_frames_set_up_one_agreement_for_each_neighbour() {
    const PAIRS: [(u32, u32); 3] = [(0, 1), (1, 0), (2, 3)];
    let setup = |setup| move |config: &mut Config| config.mac.block_ack_setup = setup;
    let (delivered, frames) = run(crowd(&PAIRS, setup(BlockAckSetup::Addba)));
    let actions: Vec<_> = frames.iter().filter(|(_, frame)| frame.kind == FrameKind::Action && !frame.retry).collect();
    // Requests of 0, 1 and 2, and a response to each.
    for (src, dst, count) in [(0, 1, 2), (1, 0, 2), (2, 3, 1), (3, 2, 1)] {
        let (src, dst) = (NodeId(src), NodeId(dst));
        let sent = actions.iter().filter(|(_, frame)| (frame.src, frame.dst) == (src, dst)).count();
        assert_eq!(sent, count, "{src:?}, {dst:?}");
        let begins = |kind| frames.iter().find(|(_, frame)| (frame.src, frame.dst, frame.kind) == (src, dst, kind));
        let (action, answered) = (begins(FrameKind::Action), begins(FrameKind::BlockAck));
        let is_late = answered.is_none_or(|(answered, _)| action.is_some_and(|(at, _)| at < answered));
        assert!(is_late, "no Block Ack before the agreement");
    }
    assert_eq!(actions.len(), 6);
    let (given, frames) = run(crowd(&PAIRS, setup(BlockAckSetup::Given)));
    assert!(frames.iter().all(|(_, frame)| frame.kind != FrameKind::Action));
    assert!(delivered.abs_diff(given) < given / 20, "{delivered} and {given}");
}
