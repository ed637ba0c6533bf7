//! A configuration of the engine as a value that Python passes on.

use std::sync::Arc;

use hopscope_engine::config::Config as Engine;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::value;

/// What the engine runs. Made of a mapping, or by `Resolved.engine_config` without one.
#[pyclass(frozen, module = "hopscope._core")]
pub struct Config(Arc<Engine>);

impl Config {
    pub fn of(config: Engine) -> Config {
        Config(Arc::new(config))
    }
}

#[pymethods]
impl Config {
    #[new]
    fn new(values: &Bound<'_, PyAny>) -> PyResult<Config> {
        value::read("config", values).map(Config::of)
    }

    /// Its keys and values: times in nanoseconds, rates in bit/s, lengths in metres.
    fn values(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        value::shown(py, &*self.0)
    }

    /// The same with another seed: an executor carries the configuration of many runs once.
    fn with_seed(&self, seed: u64) -> Config {
        Config::of(Engine { seed, ..(*self.0).clone() })
    }

    /// For other processes.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, (Py<PyAny>,))> {
        // By its keys: an executor of the user may carry it to another machine.
        Ok((py.get_type::<Config>(), (self.values(py)?,)))
    }
}

/// The configuration of an argument: a [`Config`], or a mapping of its keys.
pub fn taken(given: &Bound<'_, PyAny>) -> PyResult<Engine> {
    match given.cast::<Config>() {
        // A copy: the engine takes its configuration over, and the caller may run this one again.
        Ok(config) => Ok((*config.get().0).clone()),
        Err(_) => value::read("config", given),
    }
}
