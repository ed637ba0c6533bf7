//! Scenario documents: where keys stand, and values as TOML.

use hopscope_scenario::value::Value;
use hopscope_scenario::{places, toml};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

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
