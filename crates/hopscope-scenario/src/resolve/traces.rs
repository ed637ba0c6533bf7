//! Traces of links that `[radio]` names.

use std::sync::Arc;

use hopscope_engine::config::schema::LINK_TRACES;
use hopscope_engine::config::traces::{Sample, Untraced};
use serde_json::{Value as Json, json};

use super::Resolved;
use super::outside::{Outside, Shared};
use super::reader::{Path, Reader};
use super::values::Values;
use crate::link_traces::{self, Measured};

/// Key of what becomes of other links.
const UNTRACED: &str = "untraced";

/// Traces of links.
#[derive(Debug, Clone, Default)]
pub(super) struct Traces {
    /// Their keys, as given.
    pub(super) given: Values,
    rssi: Option<Arc<Vec<Sample>>>,
    loss: Option<Arc<Vec<Sample>>>,
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
    let mut read = |name: &str, measured: Measured| {
        let file = result.traces.given.get(name).and_then(Json::as_str)?.to_string();
        let label = (file, measured, nodes);
        if let Some(known) = shared.link_traces.get(&label) {
            return Some(Arc::clone(known));
        }
        let text = outside.text(&at(name), "a CSV file");
        match text.and_then(|(file, text)| link_traces::samples(&text, &file, measured, nodes)) {
            Ok(samples) => Some(Arc::clone(shared.link_traces.entry(label).or_insert(Arc::new(samples)))),
            Err(message) => {
                reader.refuse(at(name), message);
                None
            }
        }
    };
    let [rssi, loss] = [read("rssi_trace", Measured::Rssi), read("loss_trace", Measured::Loss)];
    (result.traces.rssi, result.traces.loss) = (rssi, loss);
    if !result.traces.is_named() {
        let message =
            "is given without rssi_trace or loss_trace; it says what becomes of the links that they do not tell of";
        reader.refuse(at(UNTRACED), message);
    }
}

impl Traces {
    /// A file is named.
    fn is_named(&self) -> bool {
        ["rssi_trace", "loss_trace"].iter().any(|name| self.given.contains_key(*name))
    }

    /// The engine's keys; none where nothing is traced.
    pub(super) fn lowered(&self) -> Option<(String, Json)> {
        let list = |samples: &Option<Arc<Vec<Sample>>>| json!(samples.as_ref().map_or(&[][..], |samples| samples));
        let others = self.given.get(UNTRACED).cloned().unwrap_or(json!(Untraced::Model.word()));
        let traces = json!({"rssi": list(&self.rssi), "loss": list(&self.loss), "untraced": others});
        self.is_named().then(|| ("traces".to_string(), traces))
    }
}
