//! Live runs under Python: TAP devices, and the driver in a thread of its own, which never waits for the interpreter lock.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod tap;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Live, Tap};
#[cfg(target_os = "linux")]
pub use run::Live;
#[cfg(target_os = "linux")]
pub use tap::Tap;

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

use crate::{config, value};

create_exception!(_core, LiveError, PyException, "A live run that cannot go on.");

/// What a page knows of a run before it begins.
#[pyfunction]
pub fn page_setup(py: Python<'_>, config: &Bound<'_, PyAny>, preset: &str) -> PyResult<Py<PyAny>> {
    value::shown(py, &hopscope_page::setup(&config::taken(config)?, preset))
}
