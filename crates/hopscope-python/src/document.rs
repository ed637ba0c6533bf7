//! Scenario documents: where keys stand, values as TOML, and what has to agree.

use hopscope_scenario::agreement::{self, Finding, Parts, Table};
use hopscope_scenario::value::Value;
use hopscope_scenario::{places, toml};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::Value as Json;

use crate::value;

/// Line and column of every key of a valid TOML text, by the parts of the key.
#[pyfunction]
pub fn key_places<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    for (path, place) in places::of_keys(text) {
        found.set_item(PyTuple::new(py, path)?, place)?;
    }
    Ok(found)
}

/// A scenario document as TOML.
#[pyfunction]
pub fn to_toml(document: &Bound<'_, PyAny>) -> PyResult<String> {
    match value::from_python(document)? {
        Value::Table(keys) => Ok(toml::document(&keys)),
        other => Err(PyTypeError::new_err(format!("found {}; a table is needed", other.shown()))),
    }
}

/// A value as TOML in one line.
#[pyfunction]
pub fn inline(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(toml::inline(&value::from_python(value)?))
}

/// Contradictions between sound keys of a resolved point: path and message of each.
#[pyfunction]
pub fn contradictions<'py>(resolved: &Bound<'py, PyAny>) -> PyResult<Vec<(Bound<'py, PyTuple>, String)>> {
    let refused = resolved.getattr("refused")?;
    let is_refused = |path: &[&str]| refused.contains(PyTuple::new(resolved.py(), path)?);
    let pick = |at: &[&str], values: &Bound<'_, PyAny>, names: &[&'static str]| -> PyResult<Table> {
        let mut table = Table::new();
        for name in names {
            if !is_refused(&[at, &[*name]].concat())? && values.contains(name)? {
                table.insert((*name).to_string(), plain(&values.get_item(name)?)?);
            }
        }
        Ok(table)
    };
    let mut parts = Parts {
        top: pick(&[], &resolved.getattr("top")?, &["duration", "warmup", "seed", "seeds"])?,
        series: pick(&["series"], &resolved.getattr("series")?, &["keep", "interval"])?,
        nodes: resolved.getattr("nodes")?.len()? as u64,
        ..Parts::default()
    };
    for (index, flow) in resolved.getattr("flows")?.try_iter()?.enumerate() {
        let at = ["flow", &index.to_string()];
        if !is_refused(&at)? {
            let names = ["pattern", "from", "to", "start", "stop", "copies", "stagger"];
            parts.flows.push((index, pick(&at, &flow?, &names)?));
        }
    }
    for (index, outage) in resolved.getattr("outages")?.try_iter()?.enumerate() {
        parts.outages.push(pick(&["outage", &index.to_string()], &outage?, &["node", "from", "to"])?);
    }
    let told = |(path, message): Finding| Ok((PyTuple::new(resolved.py(), path)?, message));
    agreement::contradictions(&parts).into_iter().map(told).collect()
}

/// A value in engine form; a number of 64 bits stays one.
fn plain(value: &Bound<'_, PyAny>) -> PyResult<Json> {
    match value.extract::<u64>() {
        _ if value.is_none() => Ok(Json::Null),
        Ok(number) => Ok(number.into()),
        Err(_) => Ok(value::from_python(value)?.json()),
    }
}
