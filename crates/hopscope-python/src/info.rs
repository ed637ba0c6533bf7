//! What the engine offers: parameters, presets, names.

use hopscope_engine::config::presets::{PRESETS, PROFILES, base};
use hopscope_engine::config::schema::{PROTOCOLS, Protocol};
use hopscope_engine::config::{self, RadioConfig};
use hopscope_engine::ledger::{Cause, DelayPart, Failure, LinkCause};
use hopscope_mac::timing;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Version of the engine.
#[pyfunction]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Hash of the engine's sources; part of the key of every stored run.
#[pyfunction]
pub fn build_id() -> &'static str {
    env!("HOPSCOPE_BUILD_ID")
}

/// Names of the behaviour profiles.
#[pyfunction]
pub fn profiles() -> Vec<&'static str> {
    PROFILES.to_vec()
}

/// Radio presets with one line each.
#[pyfunction]
pub fn presets() -> Vec<(&'static str, &'static str)> {
    PRESETS.to_vec()
}

/// Resolved parameters of a profile with a preset, as JSON.
#[pyfunction]
pub fn base_config(profile: &str, preset: &str) -> PyResult<String> {
    let found = base(profile, preset)
        .ok_or_else(|| PyValueError::new_err(format!("unknown profile {profile:?} or preset {preset:?}")))?;
    to_json(&found)
}

/// Transport protocols with one line each; those that a scenario names by code of its own are left out.
#[pyfunction]
pub fn transports() -> Vec<(&'static str, &'static str)> {
    let external = config::Transport::TcpExternal.word();
    config::Transport::WORDS.iter().copied().filter(|(word, _)| *word != external).collect()
}

/// Congestion controls of TCP with one line each; one from outside the engine is named by its own code.
#[pyfunction]
pub fn controls() -> Vec<(&'static str, &'static str)> {
    let external = config::CongestionControl::External.word();
    config::CongestionControl::WORDS.iter().copied().filter(|(word, _)| *word != external).collect()
}

/// Ways of loss recovery of TCP with one line each.
#[pyfunction]
pub fn recoveries() -> Vec<(&'static str, &'static str)> {
    config::LossRecovery::WORDS.to_vec()
}

/// ACK policies with one line each; one from outside the engine is named by its own code.
#[pyfunction]
pub fn ack_policies() -> Vec<(&'static str, &'static str)> {
    let external = config::AckPolicy::External.word();
    config::AckPolicy::WORDS.iter().copied().filter(|(word, _)| *word != external).collect()
}

/// Parts of link layers with one line each, and what stands for none.
#[pyfunction]
pub fn link_layers() -> Vec<(&'static str, &'static str)> {
    let none = (config::link::PLAIN, "no part: packets wait in order and leave when the MAC takes them");
    std::iter::once(none).chain(config::link::LinkPart::WORDS.iter().copied()).collect()
}

/// Time series that a run can keep, as JSON: name, meaning, unit, heading, whose they are and what a value tells.
#[pyfunction]
pub fn series() -> PyResult<String> {
    to_json(&hopscope_engine::metrics::series::series())
}

/// Entries of results (of flows, nodes, the network and groups) as JSON: name, unit, meaning, heading and where they are shown.
#[pyfunction]
pub fn metrics() -> PyResult<String> {
    to_json(&hopscope_engine::results::metrics())
}

/// Routing protocols with one line each.
#[pyfunction]
pub fn routings() -> Vec<(&'static str, &'static str)> {
    config::net::RoutingProtocol::WORDS.to_vec()
}

/// Names of the airtime ledger's causes in order: those of nodes, links, delays and failed attempts.
#[pyfunction]
pub fn ledger_causes() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("nodes", Cause::ALL.iter().map(|cause| cause.name()).collect()),
        ("links", LinkCause::ALL.iter().map(|cause| cause.name()).collect()),
        ("delay", DelayPart::ALL.iter().map(|part| part.name()).collect()),
        ("failures", Failure::ALL.iter().map(|failure| failure.name()).collect()),
    ]
}

fn protocol(word: &str) -> Option<&'static Protocol> {
    PROTOCOLS.iter().find(|protocol| protocol.word == word)
}

/// Parameter sets of a routing protocol with one line each; none for a protocol without parameters.
#[pyfunction]
pub fn routing_sets(protocol: &str) -> Vec<(&'static str, &'static str)> {
    self::protocol(protocol).map_or(Vec::new(), |protocol| protocol.sets.to_vec())
}

/// A parameter set of a routing protocol, as JSON.
#[pyfunction]
pub fn routing_set(protocol: &str, name: &str) -> PyResult<String> {
    let set = self::protocol(protocol).and_then(|protocol| (protocol.set)(name));
    let unknown = || PyValueError::new_err(format!("unknown parameter set {name:?} of {protocol:?}"));
    to_json(&set.ok_or_else(unknown)?)
}

/// Time on the air, in nanoseconds, of a frame of `bytes` bytes at `rate` bit/s with the radio parameters given as JSON.
#[pyfunction]
pub fn frame_airtime_ns(radio_json: &str, bytes: u32, rate: u64) -> PyResult<u64> {
    let radio: RadioConfig =
        serde_json::from_str(radio_json).map_err(|e| PyValueError::new_err(format!("radio parameters: {e}")))?;
    if rate < 250_000 {
        return Err(PyValueError::new_err(format!("rate: found {rate} bit/s; at least 250000 is needed")));
    }
    Ok(timing::airtime(&radio, bytes, rate).0)
}

fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyValueError::new_err(e.to_string()))
}
