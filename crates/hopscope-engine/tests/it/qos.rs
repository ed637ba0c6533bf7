//! QoS stations in whole networks: what the layers above see of Block Ack agreements.

use hopscope_core::units::Span;
use hopscope_engine::config::{App, Config, Transport, presets};
use hopscope_engine::record::Record;
use hopscope_engine::world::World;

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
