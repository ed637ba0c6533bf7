//! Where nodes stand and flows run, and the files that say so.

use hopscope_scenario::near::{self as within, Position};
use hopscope_scenario::topology::{Layout, PlacementError};
use hopscope_scenario::{frames as traces, node_files, ns2, patterns};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::value;

pyo3::create_exception!(
    hopscope._core,
    PlaceError,
    PyValueError,
    "Nodes cannot be placed or flows not be laid; `key` names the key at fault inside its table."
);

fn refused(py: Python<'_>, error: &PlacementError) -> PyErr {
    let exception = PlaceError::new_err(error.message.clone());
    // Setting an attribute on a fresh exception object cannot fail in a way worth reporting instead of the error itself.
    let _ = exception.value(py).setattr("key", error.key);
    exception
}

fn layout(table: &Bound<'_, PyAny>) -> PyResult<Layout> {
    let mut keys = serde_json::Map::new();
    for entry in table.cast::<PyDict>()? {
        // An absent key is one without a value.
        if !entry.1.is_none() {
            keys.insert(entry.0.extract()?, value::from_python(&entry.1)?.json());
        }
    }
    serde_json::from_value(keys.into()).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The place of every node in metres, how many have no radio, and the wires that the topology brings along.
#[pyfunction]
#[pyo3(signature = (table, tx_range, found=Vec::new()))]
pub fn place(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    tx_range: f64,
    found: Vec<Position>,
) -> PyResult<(Vec<Position>, usize, Py<PyAny>)> {
    let placed = layout(table)?.place(found, tx_range).map_err(|error| refused(py, &error))?;
    let wires = value::shown(py, &placed.wires)?;
    Ok((placed.places, placed.wired, wires))
}

/// The ends of the flows that cross a topology.
#[pyfunction]
#[pyo3(signature = (table, flows=None))]
pub fn across(py: Python<'_>, table: &Bound<'_, PyAny>, flows: Option<usize>) -> PyResult<patterns::Ends> {
    let kind = table.get_item("kind")?.to_string();
    patterns::across(&layout(table)?.kind, &kind, flows).map_err(|error| refused(py, &error))
}

/// The ends of flows between nodes that reach each other.
#[pyfunction]
pub fn drawn(
    py: Python<'_>,
    positions: Vec<Position>,
    reach: f64,
    flows: usize,
    seed: u64,
) -> PyResult<patterns::Ends> {
    patterns::drawn(&positions, reach, flows, seed).map_err(|error| refused(py, &error))
}

/// The sets of nodes that reach each other, by radio or over these wires; the last `wired` nodes have no radio.
#[pyfunction]
#[pyo3(signature = (positions, reach, wired=0, wires=Vec::new()))]
pub fn components(positions: Vec<Position>, reach: f64, wired: usize, wires: Vec<[usize; 2]>) -> Vec<Vec<usize>> {
    within::joined(&positions, reach, wired, &wires)
}

/// The others within reach of every node.
#[pyfunction]
pub fn near(positions: Vec<Position>, reach: f64) -> Vec<Vec<usize>> {
    within::near(&positions, reach)
}

/// The positions in the text of a file.
#[pyfunction]
pub fn positions(text: &str, name: &str, form: &str) -> PyResult<Vec<Position>> {
    node_files::positions(text, name, form, None).map(|found| found.places).map_err(PyValueError::new_err)
}

/// The scenario file of an ns-2 script, and what of it is not followed; `opener` opens what it names with `source`.
#[pyfunction]
pub fn import_ns2(
    py: Python<'_>,
    text: &str,
    name: &str,
    title: &str,
    opener: &Bound<'_, PyAny>,
) -> PyResult<(String, Vec<String>)> {
    let mut failure = None;
    let mut open = |file: &str| {
        let found: PyResult<(String, String)> = opener.call1((file,)).and_then(|found| found.extract());
        found.map_err(|error| {
            let why = error.value(py).to_string();
            // A file refused becomes a message of the reader; anything else, such as Ctrl-C, ends the import.
            if !error.is_instance_of::<PyValueError>(py) {
                failure.get_or_insert(error);
            }
            why
        })
    };
    let script = ns2::read(text, name, &mut open);
    // The script was read on with a file missing: nothing of it counts any more.
    if let Some(error) = failure {
        return Err(error);
    }
    let found = ns2::import::import(&script, name, title).map_err(PyValueError::new_err)?;
    Ok((found.text, found.left))
}

/// The frames in the text of a file.
#[pyfunction]
pub fn frames(text: &str, name: &str, frame_rate: f64) -> PyResult<Vec<traces::Frame>> {
    traces::frames(text, name, frame_rate).map_err(PyValueError::new_err)
}
