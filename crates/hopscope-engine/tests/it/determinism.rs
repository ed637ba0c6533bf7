//! The same configuration gives the same frames at the same nanoseconds, however the engine gets there.

use hopscope_core::units::Span;
use hopscope_engine::config::Config;
use hopscope_engine::config::mac::EifsRule;
use hopscope_engine::config::radio::{
    CaptureRule, CarrierSense, ErrorKind, Fading, Interference, OnError, Propagation, Shadowing, Synchronization,
    Undecodable,
};
use hopscope_engine::record::TrajectoryHash;
use hopscope_engine::simulation::{self, Simulation};

use crate::support::{busy_field, tcp_chain};

fn variants() -> Vec<(&'static str, Config)> {
    let mut all = vec![
        ("ns2 chain", tcp_chain("ns2", 7, 20)),
        ("standard chain", tcp_chain("standard", 7, 20)),
        ("ns2 field", busy_field("ns2", 8)),
        ("standard field", busy_field("standard", 8)),
    ];
    let mut locks = busy_field("standard", 8);
    locks.radio.undecodable = Undecodable::Locks;
    locks.radio.capture_rule = CaptureRule::FirstComes;
    all.push(("undecodable frames lock", locks));
    let mut range = busy_field("standard", 8);
    range.radio.interference = Interference::Range;
    range.radio.interference_range = 400.0;
    range.mac.eifs = EifsRule::Off;
    all.push(("range", range));
    let mut sinr = busy_field("standard", 8);
    sinr.radio.interference = Interference::Sinr;
    all.push(("sinr", sinr));
    for on_error in [OnError::Flag, OnError::Drop] {
        let mut errors = busy_field("ns2", 8);
        errors.radio.error_kind = ErrorKind::Uniform;
        errors.radio.error_per = 0.1;
        errors.radio.error_on_error = on_error;
        all.push(("errors", errors));
    }
    for interference in [Interference::Capture, Interference::Range, Interference::Sinr] {
        let mut varied = busy_field("standard", 8);
        varied.radio.interference = interference;
        varied.radio.propagation = Propagation::LogDistance;
        varied.radio.shadowing = Shadowing::Correlated;
        varied.radio.fading = Fading::Nakagami;
        varied.radio.error_kind = ErrorKind::GilbertElliott;
        all.push(("varying channel", varied));
    }
    let mut ratio = busy_field("standard", 8);
    ratio.radio.interference = Interference::Sinr;
    ratio.radio.error_kind = ErrorKind::Sinr;
    ratio.radio.noise_floor = -72.0;
    let mut preamble = ratio.clone();
    preamble.radio.synchronization = Synchronization::Preamble;
    preamble.radio.carrier_sense = CarrierSense::Sum;
    preamble.radio.energy_range = 500.0;
    all.push(("losses from the ratio", ratio));
    all.push(("preambles and sums of power", preamble));
    let mut basic = busy_field("standard", 8);
    basic.mac.rts_threshold = None;
    all.push(("basic access", basic));
    let mut cut = busy_field("standard", 8);
    cut.mac.fragmentation_threshold = Some(500);
    all.push(("fragments", cut));
    let mut defer = busy_field("ns2", 8);
    defer.mac.nonfreezing_defer = true;
    all.push(("non-freezing defer", defer));
    all
}

#[test]
fn applying_edges_late_changes_nothing() {
    for (name, config) in variants() {
        let lazy = simulation::trajectory(&config, false).expect("a sound scenario");
        let eager = simulation::trajectory(&config, true).expect("a sound scenario");
        assert_eq!(lazy, eager, "{name}: the eager walk over every edge sends other frames");
    }
}

#[test]
fn two_runs_are_the_same_and_seeds_differ() {
    let config = tcp_chain("ns2", 4, 20);
    let hash = |c: &Config| simulation::trajectory(c, false).expect("a sound scenario");
    assert_eq!(hash(&config), hash(&config));
    assert_ne!(hash(&config), hash(&Config { seed: 2, ..config.clone() }));
}

#[test]
fn stepping_and_measuring_change_nothing() {
    let config = tcp_chain("standard", 4, 20);
    let whole = simulation::trajectory(&config, false).expect("a sound scenario");
    let mut stepped = Simulation::observed(config, TrajectoryHash::default()).expect("a sound scenario");
    while !stepped.is_over() {
        stepped.advance(Span::from_micros(77_777));
    }
    assert_eq!(stepped.observer().0, whole);
}

#[test]
fn a_node_out_of_reach_changes_nothing() {
    let config = tcp_chain("standard", 4, 20);
    let mut larger = config.clone();
    larger.nodes.push([50_000.0, 0.0]);
    let hash = |c: &Config| simulation::trajectory(c, false).expect("a sound scenario");
    assert_eq!(hash(&config), hash(&larger));
}
