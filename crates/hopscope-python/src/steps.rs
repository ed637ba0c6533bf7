//! A run that Python advances step by step and changes in between.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::config::{Change, Config};
use hopscope_engine::{BuildError, Simulation};
use pyo3::prelude::*;

use crate::columns::{self, Table};
use crate::control::{self, Code, Failures};
use crate::error::engine_error;

/// A run under way.
#[pyclass(frozen)]
pub struct Steps {
    simulation: Mutex<Simulation>,
    failures: Failures,
    duration: Time,
}

impl Steps {
    /// Nobody holds it for longer than one call.
    fn lock(&self) -> MutexGuard<'_, Simulation> {
        self.simulation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Steps {
    /// Builds the run of a configuration (JSON); `controls` as in `run`.
    #[new]
    #[pyo3(signature = (config_json, controls=None))]
    fn new(py: Python<'_>, config_json: &str, controls: Option<Vec<Code>>) -> PyResult<Steps> {
        let config: Config = serde_json::from_str(config_json)
            .map_err(|e| engine_error(py, &BuildError::new("config", e.to_string())))?;
        let duration = config.duration;
        let failures = Failures::default();
        let controls = control::controls(py, controls, &failures)?;
        let observer = hopscope_engine::record::NullRecorder;
        let simulation =
            py.detach(|| Simulation::controlled(config, observer, &controls)).map_err(|e| engine_error(py, &e))?;
        Ok(Steps { simulation: Mutex::new(simulation), failures, duration })
    }

    /// Advances to an instant in nanoseconds; at most to the end.
    fn run_until(&self, py: Python<'_>, nanoseconds: u64) -> PyResult<()> {
        /// So far at once, before exceptions of the user's code and signals are looked at.
        const LONGEST: Span = Span(1_000_000_000);
        loop {
            let left = py.detach(|| {
                let mut simulation = self.lock();
                let until = Time(nanoseconds).min(self.duration);
                let left = until.saturating_since(simulation.world().now());
                simulation.advance(left.min(LONGEST));
                left
            });
            self.failures.raise(py)?;
            py.check_signals()?;
            if left <= LONGEST {
                return Ok(());
            }
        }
    }

    /// The instant that it has come to, nanoseconds.
    #[getter]
    fn now(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.lock().world().now().0)
    }

    /// Changes something now (JSON, the keys of an event without its time).
    fn change(&self, py: Python<'_>, change_json: &str) -> PyResult<()> {
        let change: Change = serde_json::from_str(change_json)
            .map_err(|e| engine_error(py, &BuildError::new("change", e.to_string())))?;
        py.detach(|| self.lock().change(&change)).map_err(|e| engine_error(py, &e))?;
        self.failures.raise(py)
    }

    /// Where all nodes are now, metres.
    fn positions(&self, py: Python<'_>) -> Vec<[f64; 2]> {
        py.detach(|| {
            let simulation = self.lock();
            let world = simulation.world();
            (0..world.nodes() as u32).map(|node| world.position(NodeId(node))).collect()
        })
    }

    /// Results from the end of the warm-up to now: JSON, time series as tables beside it.
    fn results(&self, py: Python<'_>) -> PyResult<(String, Vec<Table>)> {
        let (json, series) = py.detach(|| {
            let mut result = self.lock().results();
            let series = std::mem::take(&mut result.series);
            (serde_json::to_string(&result), series)
        });
        let json = json.map_err(|e| engine_error(py, &BuildError::new("results", e.to_string())))?;
        Ok((json, columns::of_series(py, &series)))
    }
}
