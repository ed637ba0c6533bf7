//! Running a configuration under Python: interpreter lock released, cancellable, with progress.
#![expect(clippy::disallowed_methods, reason = "results say how long a run took on the wall clock")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hopscope_core::units::{Span, Time};
use hopscope_engine::bottleneck::{self as wired, BottleneckConfig};
use hopscope_engine::config::Config;
use hopscope_engine::ledger::{Ledger, LedgerResult};
use hopscope_engine::record::{NullRecorder, Recorder};
use hopscope_engine::world::Reachability;
use hopscope_engine::{BuildError, Simulation, simulation, world};
use hopscope_phy::mobility::Mobility;
use hopscope_scenario::point::all_problems;
use pyo3::prelude::*;

use crate::columns::{self, Table};
use crate::config;
use crate::control::{self, Code, Failures, built};
use crate::error::{Cancelled, engine_error, engine_errors};
use crate::outcome::Outcome;
use crate::value;

/// Stops a run from another thread or a signal handler.
#[pyclass(frozen, skip_from_py_object)]
#[derive(Clone, Default)]
pub struct CancelToken {
    stopped: Arc<AtomicBool>,
}

#[pymethods]
impl CancelToken {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Asks the run to stop soon.
    fn set(&self) {
        // The flag hands nothing else over, so that its order with other memory does not matter.
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// True after `set`.
    fn is_set(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// How often a run looks at its token and reports progress.
const PERIOD: Duration = Duration::from_millis(100);

/// The first step, before it is known what a scenario costs.
const FIRST_STEP: Span = Span(10_000_000);

/// Steps of simulated time that adapt, so that the token is seen every [`PERIOD`] or so whatever the scenario costs.
struct Steps {
    next: Span,
    longest: Span,
    end: Time,
}

impl Steps {
    fn new(end: Time) -> Self {
        // A long step must not reach from a silent part far into a busy one.
        let longest = Span(end.0 / 64).max(Span(1));
        Self { next: FIRST_STEP.min(longest), longest, end }
    }

    fn are_over<R: Recorder>(&self, simulation: &Simulation<R>) -> bool {
        simulation.world().now() >= self.end
    }

    /// Advances for about a period, or until the run is over or cancelled.
    fn advance<R: Recorder>(&mut self, simulation: &mut Simulation<R>, token: &CancelToken) {
        let begun = Instant::now();
        let mut before = begun;
        while !self.are_over(simulation) && !token.is_set() && before - begun < PERIOD {
            simulation.advance(self.next.min(self.end.saturating_since(simulation.world().now())));
            let now = Instant::now();
            self.adapt(now - before);
            before = now;
        }
    }

    fn adapt(&mut self, took: Duration) {
        // A quarter, so that twice the step still ends within the period.
        if took * 4 < PERIOD {
            self.next = Span(self.next.0.saturating_mul(2)).min(self.longest);
        } else if took > PERIOD {
            self.next = Span(self.next.0 / 2).max(Span(1));
        }
    }
}

/// Runs a configuration and gives its results; `controls` has one entry for each flow, see [`control::controls`].
#[pyfunction]
#[pyo3(signature = (config, cancel=None, progress=None, controls=None))]
pub fn run(
    py: Python<'_>,
    config: &Bound<'_, PyAny>,
    cancel: Option<&Bound<'_, CancelToken>>,
    progress: Option<Py<PyAny>>,
    controls: Option<Vec<Code>>,
) -> PyResult<Outcome> {
    let config = config::taken(config)?;
    let token = cancel.map(|c| c.get().clone()).unwrap_or_default();
    let observed = if config.explain {
        let config = config.with_starts_drawn();
        let ledger = Ledger::new(&config);
        let explain = |simulation: &mut Simulation<Ledger>| {
            (Some(simulation.observe(|ledger, now, view| ledger.result(now, view))), ())
        };
        run_observed(py, config, (ledger, explain), &token, progress, controls)
    } else {
        run_observed(py, config, (NullRecorder, |_: &mut _| (None, ())), &token, progress, controls)
    };
    observed.map(|(result, ())| result)
}

/// Runs a configuration with an observer; at the end `conclude` asks it for the ledger, and for what else it has.
pub fn run_observed<R: Recorder + Send, T: Send>(
    py: Python<'_>,
    config: Config,
    observed: (R, impl FnOnce(&mut Simulation<R>) -> (Option<LedgerResult>, T) + Send),
    token: &CancelToken,
    progress: Option<Py<PyAny>>,
    controls: Option<Vec<Code>>,
) -> PyResult<(Outcome, T)> {
    let end = config.duration;
    run_part(py, config, observed, end, token, progress, controls)
}

/// The same up to an instant.
pub fn run_part<R: Recorder + Send, T: Send>(
    py: Python<'_>,
    config: Config,
    (observer, conclude): (R, impl FnOnce(&mut Simulation<R>) -> (Option<LedgerResult>, T) + Send),
    end: Time,
    token: &CancelToken,
    progress: Option<Py<PyAny>>,
    controls: Option<Vec<Code>>,
) -> PyResult<(Outcome, T)> {
    let started = Instant::now();
    // The end of a trace may be asked for behind that of the run.
    let end = end.min(config.duration);
    let failures = Failures::default();
    let controls = control::controls(py, controls, &failures)?;
    let mut simulation =
        py.detach(|| Simulation::controlled(config, observer, &controls)).map_err(|e| engine_error(py, &e))?;
    let mut steps = Steps::new(end);
    while !steps.are_over(&simulation) {
        py.detach(|| steps.advance(&mut simulation, token));
        // Before the token: code that raised on Ctrl-C says more than that the run was stopped.
        failures.raise(py)?;
        if token.is_set() {
            return Err(Cancelled::new_err("the run was cancelled"));
        }
        if let Some(callback) = &progress {
            callback.call1(py, (simulation.world().now().as_secs(),))?;
        }
    }
    let (result, concluded) = py.detach(|| {
        let mut result = simulation.results();
        let (ledger, concluded) = conclude(&mut simulation);
        if let Some(ledger) = ledger {
            result.keep_ledger(ledger);
        }
        // Last: the ledger and the observer are part of what a run costs.
        result.engine.wall_s = started.elapsed().as_secs_f64();
        (result, concluded)
    });
    Ok((Outcome::of(py, result), concluded))
}

/// Runs one flow over a wired bottleneck and gives its retransmissions, timeouts and tables; `code` is what
/// the user wrote for it.
#[pyfunction]
#[pyo3(signature = (config, code=None))]
pub fn bottleneck(py: Python<'_>, config: &Bound<'_, PyAny>, code: Option<Code>) -> PyResult<(u64, u64, Vec<Table>)> {
    let config: BottleneckConfig = value::read("config", config)?;
    refuse(py, &wired::problems(&config))?;
    let failures = Failures::default();
    let controls = control::controls(py, code.map(|code| vec![code]), &failures)?;
    let result = py.detach(|| wired::run(&config, &controls)).map_err(|e| engine_error(py, &e))?;
    failures.raise(py)?;
    Ok((result.retransmissions, result.timeouts, columns::of_bottleneck(py, &result)))
}

/// Builds a configuration without running it; the error carries everything that is wrong.
#[pyfunction]
pub fn validate(py: Python<'_>, config: &Bound<'_, PyAny>) -> PyResult<()> {
    let config = config::taken(config)?;
    let problems = py.detach(|| all_problems(&config, &mut Reachability::default()));
    refuse(py, &problems)
}

/// The error that carries everything that is wrong, if anything is.
fn refuse(py: Python<'_>, problems: &[BuildError]) -> PyResult<()> {
    problems.first().map_or(Ok(()), |first| Err(engine_errors(py, first, problems)))
}

/// Rough cost of a configuration; nothing is built.
#[pyfunction]
pub fn estimate(py: Python<'_>, config: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let config = config::taken(config)?;
    let estimate = simulation::estimate(&config).map_err(|e| engine_error(py, &e))?;
    value::shown(py, &estimate)
}

/// Hops of each flow under static routing.
#[pyfunction]
pub fn static_hops(py: Python<'_>, config: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let config = config::taken(config)?;
    let simulation = py.detach(|| built(config)).map_err(|e| engine_error(py, &e))?;
    Ok(simulation.world().flows().iter().map(|f| f.hops).collect())
}

/// The next hop from every node to every other under static routing; None: to itself, or there is no way.
#[pyfunction]
pub fn next_hops(py: Python<'_>, config: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<Option<u32>>>> {
    let config = config::taken(config)?;
    let found = py.detach(|| world::next_hops(&config)).map_err(|e| engine_error(py, &e))?;
    Ok(found.into_iter().map(|row| row.into_iter().map(|hop| hop.map(|node| node.0)).collect()).collect())
}

/// The way of every node that moves until `until_s` seconds: its number, and instants in seconds with places in metres.
#[pyfunction]
pub fn node_paths(py: Python<'_>, config: &Bound<'_, PyAny>, until_s: f64) -> PyResult<Vec<(u32, Vec<[f64; 3]>)>> {
    let config = config::taken(config)?;
    world::check(&config).map_err(|e| engine_error(py, &e))?;
    let paths = py.detach(|| Mobility::new(&config.movement()).paths(Time::ZERO + Span::from_secs_f64(until_s)));
    Ok(paths
        .into_iter()
        .map(|(node, path)| (node.0, path.into_iter().map(|(at, [x, y])| [at.as_secs(), x, y]).collect()))
        .collect())
}

/// Hash of all frames a configuration sends, for checks of determinism; `eager` makes every radio edge an event.
#[pyfunction]
#[pyo3(signature = (config, eager=false))]
pub fn trajectory(py: Python<'_>, config: &Bound<'_, PyAny>, eager: bool) -> PyResult<u64> {
    let config = config::taken(config)?;
    py.detach(|| simulation::trajectory(&config, eager)).map_err(|e| engine_error(py, &e))
}
