//! Engine errors as Python exceptions: the one mapping.

use hopscope_engine::BuildError;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(_core, EngineError, PyException, "A configuration that cannot be run; has `key` and `message`.");
create_exception!(_core, Cancelled, PyException, "The run was stopped through its CancelToken.");

/// An `EngineError` that carries key and message.
pub fn engine_error(py: Python<'_>, error: &BuildError) -> PyErr {
    engine_errors(py, error, std::slice::from_ref(error))
}

/// The same for the first of several, which it carries as pairs of key and message.
pub fn engine_errors(py: Python<'_>, error: &BuildError, all: &[BuildError]) -> PyErr {
    let exception = EngineError::new_err(error.to_string());
    let value = exception.value(py);
    // Setting attributes on a fresh exception object cannot fail in a way worth reporting instead of the error itself.
    let _ = value.setattr("key", &error.key);
    let _ = value.setattr("message", &error.message);
    let pairs: Vec<(&str, &str)> = all.iter().map(|error| (error.key.as_str(), error.message.as_str())).collect();
    let _ = value.setattr("problems", pairs);
    exception
}
