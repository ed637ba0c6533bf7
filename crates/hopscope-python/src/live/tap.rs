//! An open TAP device, until a live run takes it.

use std::sync::{Mutex, PoisonError};

use hopscope_live::Tap as Device;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// An open TAP device.
#[pyclass(frozen)]
pub struct Tap {
    name: String,
    device: Mutex<Option<Device>>,
}

impl Tap {
    /// The device, for the run that it is given to.
    pub fn take(&self) -> PyResult<Device> {
        let device = self.device.lock().unwrap_or_else(PoisonError::into_inner).take();
        device
            .ok_or_else(|| PyValueError::new_err(format!("taps: \"{}\" is closed, or a run has it already", self.name)))
    }
}

#[pymethods]
impl Tap {
    /// Makes an interface with this name in the network namespace of the calling thread.
    #[staticmethod]
    fn open(py: Python<'_>, name: &str) -> PyResult<Tap> {
        let opened = py.detach(|| Device::open(name));
        let device = opened.map_err(|error| os_error(&error, name))?;
        Ok(Tap { name: name.to_string(), device: Mutex::new(Some(device)) })
    }

    /// The name of the interface.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Takes the interface away, unless a run has it.
    fn close(&self) {
        drop(self.device.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// An error of the system with its number, as Python says it.
fn os_error(error: &std::io::Error, name: &str) -> PyErr {
    let reason = error.to_string();
    // Rust adds the number, which OSError of Python prints by itself.
    let reason = reason.split(" (os error").next().unwrap_or_default().to_string();
    PyOSError::new_err((error.raw_os_error(), reason, name.to_string()))
}
