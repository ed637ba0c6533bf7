//! Values between Python and Rust.

use hopscope_engine::BuildError;
use hopscope_scenario::value::Value;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple, PyType};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::error::engine_error;

/// A value as it was written.
pub fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    // Before int, of which bool is a subclass in Python.
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Flag(flag.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(match value.extract::<i128>() {
            // Wide enough for every number of the engine, so that a message can show one that is too large.
            Ok(number) => Value::Int(number),
            Err(_) => Value::Huge(digits(value)?),
        });
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        // With its text: a message shows the number as it was written.
        return Ok(Value::Float(number.value(), value.repr()?.to_string()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::Text(text.to_string_lossy().into_owned()));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return value.try_iter()?.map(|item| from_python(&item?)).collect::<PyResult<_>>().map(Value::List);
    }
    // After the lists, and any mapping: a scenario made in Python need not be of dicts.
    if let Ok(table) = value.cast::<PyMapping>() {
        let entry = |entry: Bound<'_, PyAny>| {
            let (key, item): (Bound<'_, PyAny>, Bound<'_, PyAny>) = entry.extract()?;
            Ok((key.str()?.to_string_lossy().into_owned(), from_python(&item)?))
        };
        return table.items()?.iter().map(entry).collect::<PyResult<_>>().map(Value::Table);
    }
    Ok(Value::Other(value.str()?.to_string_lossy().into_owned()))
}

/// Decimal digits of a large number; Python writes no more than some thousands, and more are never looked at.
fn digits(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(match value.str() {
        Ok(text) => text.to_string(),
        Err(_) => {
            let sign = if value.lt(0)? { "-" } else { "" };
            // More than the 4,300 digits that Python writes by default; all that is said of it is that it is too large.
            format!("{sign}1{}", "0".repeat(5_000))
        }
    })
}

/// A date or a time of TOML, as it was written; no key takes one.
#[pyclass(frozen, eq, hash, module = "hopscope._core")]
#[derive(PartialEq, Eq, Hash)]
pub struct Date(String);

#[pymethods]
impl Date {
    #[new]
    fn new(text: String) -> Date {
        Date(text)
    }

    fn __repr__(&self) -> &str {
        &self.0
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (&str,)) {
        (py.get_type::<Date>(), (&self.0,))
    }
}

/// A value as Python has it.
pub fn of(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Value::Flag(flag) => PyBool::new(py, *flag).to_owned().into_any().unbind(),
        Value::Int(number) => number.into_pyobject(py)?.into_any().unbind(),
        // With 0x and its like in front where it was written so.
        Value::Huge(digits) => py.get_type::<PyInt>().call1((digits, 0))?.unbind(),
        Value::Float(number, _) => number.into_pyobject(py)?.into_any().unbind(),
        Value::Text(text) => text.into_pyobject(py)?.into_any().unbind(),
        Value::List(items) => {
            let items = items.iter().map(|item| of(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any().unbind()
        }
        Value::Table(keys) => {
            let table = PyDict::new(py);
            for (name, item) in keys {
                table.set_item(name, of(py, item)?)?;
            }
            table.into_any().unbind()
        }
        // Dates alone are left, and they have to come back as they were.
        Value::Other(text) => Py::new(py, Date(text.clone()))?.into_any(),
    })
}

/// What the engine reads as a value of Python says it; `what` names it in the message.
pub fn read<T: DeserializeOwned>(what: &str, given: &Bound<'_, PyAny>) -> PyResult<T> {
    let refused = |reason: String| engine_error(given.py(), &BuildError::new(what, reason));
    let json: Json = pythonize::depythonize(given).map_err(|error| refused(error.to_string()))?;
    serde_json::from_value(json).map_err(|error| refused(error.to_string()))
}

/// What the engine gives, as a value of Python.
pub fn shown(py: Python<'_>, found: &impl Serialize) -> PyResult<Py<PyAny>> {
    Ok(pythonize::pythonize(py, found)?.unbind())
}
