//! Systems without TAP devices as Linux has them.

use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;

fn refused<T>() -> PyResult<T> {
    Err(PyNotImplementedError::new_err("live runs need Linux: its network namespaces, TAP devices and epoll"))
}

/// An open TAP device.
#[pyclass(frozen)]
pub struct Tap;

#[pymethods]
impl Tap {
    /// Raises.
    #[staticmethod]
    fn open(_name: &str) -> PyResult<Tap> {
        refused()
    }
}

/// A simulation at wall-clock time.
#[pyclass(frozen)]
pub struct Live;

#[pymethods]
impl Live {
    /// Raises.
    #[new]
    #[pyo3(signature = (*_args, **_options))]
    fn new(_args: &Bound<'_, PyAny>, _options: Option<&Bound<'_, PyAny>>) -> PyResult<Live> {
        refused()
    }
}
