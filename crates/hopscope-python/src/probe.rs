//! Probing a network under Python: trains go in, what comes out is reported.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::probe::{Probe, Probing as Engine};
use pyo3::prelude::*;

use crate::config;
use crate::control::{self, Code, Failures};
use crate::error::engine_error;

/// A network under way that is probed.
#[pyclass]
pub struct Probing {
    engine: Engine,
    failures: Failures,
}

/// Where a packet came out, and when (ns); nothing of one that was lost.
type ProbeArrival = Option<(u64, u32)>;

#[pymethods]
impl Probing {
    #[new]
    #[pyo3(signature = (config, controls=None))]
    fn new(py: Python<'_>, config: &Bound<'_, PyAny>, controls: Option<Vec<Code>>) -> PyResult<Self> {
        let config = config::taken(config)?;
        let failures = Failures::default();
        let controls = control::controls(py, controls, &failures)?;
        let engine = py.detach(|| Engine::new(config, &controls)).map_err(|e| engine_error(py, &e))?;
        Ok(Probing { engine, failures })
    }

    /// Current instant, ns.
    #[getter]
    fn now(&self) -> u64 {
        self.engine.now().0
    }

    /// Lets the network go on until then, ns.
    fn advance(&mut self, py: Python<'_>, until: u64) -> PyResult<()> {
        py.detach(|| self.engine.advance(Time(until)));
        self.failures.raise(py)
    }

    /// Sends a train of (ns, bytes) and waits for all of it, `patience` ns after its last packet at most.
    #[pyo3(signature = (ends, train, patience, ttl=0))]
    fn train(
        &mut self,
        py: Python<'_>,
        ends: (u32, u32),
        train: Vec<(u64, u32)>,
        patience: u64,
        ttl: u8,
    ) -> PyResult<Vec<ProbeArrival>> {
        let probes: Vec<Probe> = train.into_iter().map(|(at, bytes)| Probe { at: Time(at), bytes, ttl }).collect();
        let ends = (NodeId(ends.0), NodeId(ends.1));
        let seen = py.detach(|| self.engine.train(ends, &probes, Span(patience))).map_err(|e| engine_error(py, &e))?;
        self.failures.raise(py)?;
        Ok(seen.into_iter().map(|seen| seen.map(|seen| (seen.at.0, seen.node.0))).collect())
    }

    /// Sends one packet now, answered by `reply` bytes where it comes out: time until they are back (ns), and by whom.
    #[pyo3(signature = (ends, bytes, reply, patience, ttl=0))]
    fn echo(
        &mut self,
        py: Python<'_>,
        ends: (u32, u32),
        bytes: u32,
        reply: u32,
        patience: u64,
        ttl: u8,
    ) -> PyResult<ProbeArrival> {
        let probe = Probe { at: self.engine.now(), bytes, ttl };
        let ends = (NodeId(ends.0), NodeId(ends.1));
        let echo = py.detach(|| self.engine.echo(ends, probe, reply, Span(patience)));
        let answer = echo.map_err(|e| engine_error(py, &e))?;
        self.failures.raise(py)?;
        Ok(answer.map(|(took, by)| (took.0, by.0)))
    }
}
