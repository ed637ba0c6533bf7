//! Scenario documents: TOML as values with the places of their keys, and values as TOML.

use std::collections::BTreeMap;

use hopscope_scenario::document::{self, Document, Fault};
use hopscope_scenario::value::Value;
use hopscope_scenario::{dotted, toml};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::value;

pyo3::create_exception!(
    hopscope._core,
    TomlError,
    PyValueError,
    "The text is no scenario file; its argument is a list of what is wrong with line and column, both from 1."
);

/// Where the keys of a document and the items of its lists stand.
#[pyclass(frozen, module = "hopscope._core")]
#[derive(Default)]
pub struct Locations(document::Locations);

#[pymethods]
impl Locations {
    /// Those of a document that no file holds: none.
    #[new]
    fn new() -> Locations {
        Locations::default()
    }

    /// Line and column (from 1) of a key, by its parts; None where the file has it not.
    #[expect(clippy::needless_pass_by_value, reason = "a list from Python")]
    fn at(&self, path: Vec<String>) -> Option<(usize, usize)> {
        self.0.at(&path)
    }

    /// The same of the closest key that the file has: that of a path itself, or of a table that it lies in.
    #[expect(clippy::needless_pass_by_value, reason = "a list from Python")]
    fn nearest(&self, path: Vec<String>) -> (usize, usize) {
        self.0.nearest(&path)
    }
}

/// The values of a scenario file, and where they stand.
#[pyfunction]
pub fn read_toml(py: Python<'_>, octets: &[u8]) -> PyResult<(Py<PyAny>, Locations)> {
    // A file of many nodes takes a while, in which other threads of Python go on.
    let read = py.detach(|| document::read(octets));
    let refused = |faults: Vec<Fault>| {
        let faults: Vec<_> = faults.into_iter().map(|fault| (fault.message, fault.at.0, fault.at.1)).collect();
        TomlError::new_err(faults)
    };
    let Document { values, locations } = read.map_err(refused)?;
    Ok((value::of(py, &values)?, Locations(locations)))
}

/// The key paths that a dotted key stands for; `counts` has the number of tables of each name that stands in double brackets.
#[pyfunction]
pub fn key_paths(key: &str, counts: BTreeMap<String, usize>) -> PyResult<Vec<Vec<String>>> {
    let names: Vec<&str> = counts.keys().map(String::as_str).collect();
    let count = |name: &str| counts.get(name).copied().unwrap_or_default();
    dotted::key_paths(key, &names, count).map_err(PyValueError::new_err)
}

/// The value that a text is behind an equals sign; None where it is none.
#[pyfunction]
pub fn toml_value(py: Python<'_>, text: &str) -> PyResult<Option<Py<PyAny>>> {
    document::value(text).map(|found| value::of(py, &found)).transpose()
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
