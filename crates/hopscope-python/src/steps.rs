//! A run that Python advances step by step and changes in between.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::Simulation;
use hopscope_engine::config::Change;
use pyo3::prelude::*;

use crate::config;
use crate::control::{self, Code, Failures};
use crate::error::engine_error;
use crate::outcome::Outcome;
use crate::value;

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
    /// Builds the run of a configuration; `controls` as in `run`.
    #[new]
    #[pyo3(signature = (config, controls=None))]
    fn new(py: Python<'_>, config: &Bound<'_, PyAny>, controls: Option<Vec<Code>>) -> PyResult<Steps> {
        let config = config::taken(config)?;
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
            // Ctrl-C is noticed nowhere else: the interpreter does not run in between.
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

    /// Changes something now: the keys of an event without its time.
    fn change(&self, py: Python<'_>, change: &Bound<'_, PyAny>) -> PyResult<()> {
        let change: Change = value::read("change", change)?;
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

    /// Results from the end of the warm-up to now.
    fn results(&self, py: Python<'_>) -> Outcome {
        let result = py.detach(|| self.lock().results());
        Outcome::of(py, result)
    }
}
