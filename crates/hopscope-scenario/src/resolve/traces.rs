//! Traces of links that `[radio]` names.

use hopscope_core::math;
use std::sync::Arc;

use hopscope_core::units::Time;
use hopscope_engine::config::schema::LINK_TRACES;
use hopscope_engine::config::traces::{Sample, Untraced};
use serde_json::{Value as Json, json};

use super::Resolved;
use super::outside::{Outside, Shared};
use super::reader::{Path, Reader};
use super::values::Values;
use crate::link_traces::{self, LinkQuantity, Trace};

/// Traces of links.
#[derive(Debug, Clone, Default)]
pub(super) struct Traces {
    /// Their keys, as given.
    pub(super) given: Values,
    /// The files by their keys.
    files: Vec<(&'static str, Arc<Trace>)>,
    /// Nanoseconds that are taken off every time.
    origin: u64,
    /// That some values begin after the end of the run.
    pub(super) late: Vec<String>,
}

fn at(name: &str) -> Path {
    ["radio", name].map(str::to_string).to_vec()
}

/// Takes the keys out of what `[radio]` gives: they are the file's alone.
pub(super) fn taken(radio: &mut Values) -> Traces {
    let given = LINK_TRACES.iter().filter_map(|name| radio.remove_entry(*name)).collect();
    Traces { given, ..Traces::default() }
}

/// Reads the files, whose nodes must be there.
pub(super) fn read(reader: &mut Reader<'_>, outside: &mut dyn Outside, shared: &mut Shared, result: &mut Resolved) {
    if result.traces.given.is_empty() || result.placed.is_none() {
        return;
    }
    let nodes = result.nodes().len();
    let mut read = |name: &str, measured: LinkQuantity| {
        let file = result.traces.given.get(name).and_then(Json::as_str)?.to_string();
        // With the number of nodes, since the file was checked against it.
        let label = (file, measured, nodes);
        if let Some(known) = shared.link_traces.get(&label) {
            return Some(Arc::clone(known));
        }
        let text = outside.text(&at(name), "a CSV file");
        match text.and_then(|(file, text)| link_traces::samples(&text, &file, measured, nodes)) {
            Ok(trace) => Some(Arc::clone(shared.link_traces.entry(label).or_insert(Arc::new(trace)))),
            Err(message) => {
                reader.refuse(at(name), message);
                None
            }
        }
    };
    let files = [("rssi_trace", LinkQuantity::Rssi), ("loss_trace", LinkQuantity::Loss)];
    result.traces.files =
        files.into_iter().filter_map(|(name, measured)| Some((name, read(name, measured)?))).collect();
    let is_first = result.traces.given.get("time_origin").and_then(Json::as_str) == Some("first");
    // The earliest of both files: they were measured together, and keep their distance in time.
    let first =
        result.traces.files.iter().filter_map(|(_, trace)| trace.samples.first()).map(|sample| sample.0.0).min();
    result.traces.origin = first.filter(|_| is_first).unwrap_or(0);
}

/// Values have to begin within the run, and no power is above that of its sender.
pub(super) fn check(reader: &mut Reader<'_>, result: &mut Resolved) {
    let (end, origin) = (result.top.whole("duration"), result.traces.origin);
    let mut reported = Vec::new();
    for (name, trace) in &result.traces.files {
        let late = trace.samples.iter().filter(|sample| sample.0.0 - origin >= end).count();
        if late > 0 {
            let first = trace.samples.partition_point(|sample| sample.0.0 - origin < end);
            let begin = (trace.samples[first].0.0 - origin) as f64 / 1e9;
            let message = format!(
                "{}:{}: found {begin} s, after the end of the run ({} s): {late} of {} values are without effect",
                trace.name,
                trace.lines[first],
                end as f64 / 1e9,
                trace.samples.len()
            );
            // All of them: the trace does nothing, which cannot be meant. Some: the run is shorter than the
            // measurement.
            if late == trace.samples.len() {
                let hint = "; time_origin = \"first\" counts from the first of them";
                reader.refuse(at(name), message + hint);
            } else {
                reported.push(format!("radio.{name}: {message}"));
            }
        }
        if *name == "rssi_trace" {
            if let Some(message) = result.too_strong(trace) {
                reader.refuse(at(name), message);
            }
        }
    }
    result.traces.late = reported;
}

impl Resolved {
    /// That a node receives more than the sender has.
    fn too_strong(&self, trace: &Trace) -> Option<String> {
        let radio = self.section("radio");
        // Of both antennas. One with a loss does not lower the bound: the trace was measured with antennas of its
        // own.
        let gain = radio.number("antenna_gain").max(1.0).powi(2);
        let dbm = |watts: f64| 10.0 * math::log10(watts * 1e3 * gain);
        let mut most = vec![dbm(radio.number("tx_power")); self.nodes().len()];
        for event in self.events.iter().filter(|event| event.text("kind") == "power") {
            if let Some(known) = most.get_mut(event.whole("node") as usize) {
                *known = known.max(dbm(event.number("power")));
            }
        }
        let wrong = trace.samples.iter().position(|&Sample(_, from, _, value)| value > most[from as usize])?;
        let Sample(_, from, to, value) = trace.samples[wrong];
        Some(format!(
            "{}:{}: found {value} dBm from node {from} at node {to}; the sender has {:.2} dBm (radio.tx_power)",
            trace.name, trace.lines[wrong], most[from as usize]
        ))
    }
}

impl Traces {
    /// A file is named.
    fn is_named(&self) -> bool {
        ["rssi_trace", "loss_trace"].iter().any(|name| self.given.contains_key(*name))
    }

    /// The engine's keys; none where nothing is traced.
    pub(super) fn lowered(&self) -> Option<(String, Json)> {
        let samples = |name: &str| {
            let found = self.files.iter().find(|(known, _)| *known == name);
            let samples = found.map_or(&[][..], |(_, trace)| &trace.samples);
            let shifted = |&Sample(at, from, to, value): &Sample| Sample(Time(at.0 - self.origin), from, to, value);
            samples.iter().map(shifted).collect::<Vec<_>>()
        };
        let others = self.given.get("untraced").cloned().unwrap_or(json!(Untraced::Model.word()));
        let traces = json!({"rssi": samples("rssi_trace"), "loss": samples("loss_trace"), "untraced": others});
        self.is_named().then(|| ("traces".to_string(), traces))
    }
}
