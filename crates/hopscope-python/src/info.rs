//! What the engine offers: parameters, presets, names.

use hopscope_engine::config::presets::{PRESETS, PROFILES, base};
use hopscope_engine::config::schema::{PROTOCOLS, Protocol};
use hopscope_engine::config::{self, RadioConfig};
use hopscope_engine::ledger::{Cause, DelayPart, Failure, LinkCause};
use hopscope_mac::timing;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::value;

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

/// Whether this build is profile-guided.
#[pyfunction]
pub fn is_guided() -> bool {
    cfg!(guided)
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

/// Resolved parameters of a profile with a preset.
#[pyfunction]
pub fn base_config(py: Python<'_>, profile: &str, preset: &str) -> PyResult<Py<PyAny>> {
    let found = base(profile, preset)
        .ok_or_else(|| PyValueError::new_err(format!("unknown profile {profile:?} or preset {preset:?}")))?;
    value::shown(py, &found)
}

/// Transport protocols with one line each; those that a scenario names by code of its own are left out.
#[pyfunction]
pub fn transports() -> Vec<(&'static str, &'static str)> {
    let external = config::Transport::TcpExternal.word();
    config::Transport::WORDS.iter().copied().filter(|(word, _)| *word != external).collect()
}

/// Congestion controls of TCP with one line and the usual recovery each; one from outside the engine is named by its own code.
#[pyfunction]
pub fn controls() -> Vec<(&'static str, String)> {
    // The one from outside is the last word, so that the others keep theirs in the zip.
    let built_in = config::CongestionControl::ALL.into_iter().filter(|one| *one != config::CongestionControl::External);
    let described = built_in.zip(config::CongestionControl::WORDS);
    described
        .map(|(one, (word, doc))| {
            let doc = doc.trim_end_matches('.');
            (*word, format!("{doc}; recovery {}.", one.own_recovery().word()))
        })
        .collect()
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
    // No part of the closed set: a list without parts is written by this word.
    let none = (config::link::PLAIN, "no part: packets wait in order and leave when the MAC takes them");
    std::iter::once(none).chain(config::link::LinkPart::WORDS.iter().copied()).collect()
}

/// Time series that a run can keep: name, meaning, unit, heading, whose they are and what a value says.
#[pyfunction]
pub fn series(py: Python<'_>) -> PyResult<Py<PyAny>> {
    value::shown(py, &hopscope_engine::metrics::series::series())
}

/// Entries of results (of flows, nodes, the network and groups): name, unit, meaning, heading and where they are shown.
#[pyfunction]
pub fn metrics(py: Python<'_>) -> PyResult<Py<PyAny>> {
    value::shown(py, &hopscope_engine::results::metrics())
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

/// A parameter set of a routing protocol.
#[pyfunction]
pub fn routing_set(py: Python<'_>, protocol: &str, name: &str) -> PyResult<Py<PyAny>> {
    let set = self::protocol(protocol).and_then(|protocol| (protocol.set)(name));
    let unknown = || PyValueError::new_err(format!("unknown parameter set {name:?} of {protocol:?}"));
    value::shown(py, &set.ok_or_else(unknown)?)
}

/// Time on the air, in nanoseconds, of a frame of `bytes` bytes at `rate` bit/s with the radio parameters given.
#[pyfunction]
pub fn frame_airtime_ns(radio: &Bound<'_, PyAny>, bytes: u32, rate: u64) -> PyResult<u64> {
    let radio: RadioConfig = value::read("radio", radio)?;
    // Below, an OFDM symbol of 4 us has no whole data bit, and the time is divided by their number.
    if rate < 250_000 {
        return Err(PyValueError::new_err(format!("rate: found {rate} bit/s; at least 250000 is needed")));
    }
    Ok(timing::airtime(&radio, bytes, rate).0)
}
