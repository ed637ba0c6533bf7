//! Engine errors as Python exceptions: the one mapping.

use hopscope_engine::BuildError;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(_core, EngineError, PyException, "A configuration that cannot be run; has `key` and `message`.");
create_exception!(_core, Cancelled, PyException, "The run was stopped through its CancelToken.");

/// An `EngineError` that carries key and message.
pub fn engine_error(py: Python<'_>, error: &BuildError) -> PyErr {
    let exception = EngineError::new_err(error.to_string());
    let value = exception.value(py);
    // Setting attributes on a fresh exception object cannot fail in a way worth reporting instead of the error itself.
    let _ = value.setattr("key", &error.key);
    let _ = value.setattr("message", &error.message);
    exception
}
