//! Runs that write a capture besides their results.

use std::path::PathBuf;

use hopscope_capture::{Capture, Choice, Sink, Summary};
use hopscope_engine::Simulation;
use hopscope_engine::config::Config;
use hopscope_engine::ledger::{Ledger, LedgerResult};
use hopscope_engine::record::Recorder;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::config;
use crate::control::Code;
use crate::error::engine_error;
use crate::outcome::Outcome;
use crate::run::{CancelToken, run_observed};
use crate::value;

/// Runs a configuration as `run` does and writes what `choice` names of it to the file `path`, of which `title` stands in its
/// head; gives what the capture has come to, and the results.
#[pyfunction]
#[pyo3(signature = (config, path, choice, title, force=false, cancel=None, progress=None, controls=None))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn capture(
    py: Python<'_>,
    config: &Bound<'_, PyAny>,
    path: PathBuf,
    choice: &Bound<'_, PyAny>,
    title: &str,
    force: bool,
    cancel: Option<&Bound<'_, CancelToken>>,
    progress: Option<Py<PyAny>>,
    controls: Option<Vec<Code>>,
) -> PyResult<(Outcome, Py<PyAny>)> {
    let config = config::taken(config)?;
    let choice: Choice = value::read("choice", choice)?;
    // Before the file is opened: a choice that is refused leaves no empty file.
    choice.check(&config).map_err(|e| engine_error(py, &e))?;
    let sink = Sink::open(&path, force).map_err(|e| unwritten(&path, &e))?;
    let token = cancel.map(|c| c.get().clone()).unwrap_or_default();
    let refused = |e| engine_error(py, &e);
    // Two types: what a recorder asks for is known when the engine is compiled, and only one wants every hearer.
    let (given, summary) = if choice.monitor {
        let capture = Capture::<true>::new(&config, choice, sink, title).map_err(refused)?;
        observed(py, config, capture, &token, progress, controls)?
    } else {
        let capture = Capture::<false>::new(&config, choice, sink, title).map_err(refused)?;
        observed(py, config, capture, &token, progress, controls)?
    };
    Ok((given, value::shown(py, &summary)?))
}

fn observed<const MONITOR: bool>(
    py: Python<'_>,
    config: Config,
    capture: Capture<MONITOR>,
    token: &CancelToken,
    progress: Option<Py<PyAny>>,
    controls: Option<Vec<Code>>,
) -> PyResult<(Outcome, Summary)> {
    if config.explain {
        // The ledger has to know the starts of flows, which the simulation would draw for itself.
        let config = config.with_starts_drawn();
        let ledger = Ledger::new(&config);
        let both = (ledger, capture);
        run_observed(py, config, (both, conclude_both), token, progress, controls)
    } else {
        run_observed(py, config, (capture, conclude), token, progress, controls)
    }
}

fn conclude<const MONITOR: bool>(run: &mut Simulation<Capture<MONITOR>>) -> (Option<LedgerResult>, Summary) {
    (None, run.observe(|capture, now, _| capture.finish(now)))
}

fn conclude_both<const MONITOR: bool>(
    run: &mut Simulation<(Ledger, Capture<MONITOR>)>,
) -> (Option<LedgerResult>, Summary)
where
    (Ledger, Capture<MONITOR>): Recorder,
{
    run.observe(|(ledger, capture), now, view| (Some(ledger.result(now, view)), capture.finish(now)))
}

/// A file that could not be opened, as Python says it.
pub fn unwritten(path: &std::path::Path, error: &std::io::Error) -> PyErr {
    let reason = error.to_string();
    // Rust adds the number, which OSError of Python prints by itself.
    let reason = reason.split(" (os error").next().unwrap_or_default().to_string();
    PyOSError::new_err((error.raw_os_error(), reason, path.to_path_buf()))
}
