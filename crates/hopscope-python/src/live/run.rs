//! A live run, advanced from one thread of Python and steered by others.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use hopscope_capture::{Capture, Choice, Sink};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use hopscope_engine::config::{Change, Config};
use hopscope_engine::ledger::Ledger;
use hopscope_live::{Driver, Ended, Failure, Handle, Layer, OnLate, Reactor, Scheduling, Tap as Device};
use hopscope_page::{Answer, Feed, records_named};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use super::LiveError;
use super::tap::Tap;
use crate::capture::unwritten;
use crate::config;
use crate::error::engine_error;
use crate::outcome::Outcome;
use crate::value;

/// What is observed besides the results, chosen when the run is made.
type Observer = ((Option<Ledger>, Option<Feed>), (Option<Capture<false>>, Option<Capture<true>>));

type Run = Driver<Device, Reactor, Observer>;

/// File, choice, title, and whether a file that is there is replaced: as `capture` has them.
type CaptureOptions<'py> = (PathBuf, Bound<'py, PyAny>, String, bool);

/// How often a run looks at signals.
const PERIOD: Duration = Duration::from_millis(50);

/// How long an answer of a run is waited for before it is asked whether it runs at all.
const PATIENCE: Duration = Duration::from_millis(20);

/// A simulation at wall-clock time between TAP devices.
#[pyclass(frozen)]
pub struct Live {
    run: Mutex<Run>,
    handle: Handle<Run>,
    fifo: bool,
}

impl Live {
    fn lock(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the run do something between two events, or at once where it does not run.
    fn asked<A: Send + 'static>(&self, py: Python<'_>, act: impl FnOnce(&mut Run) -> A + Send + 'static) -> A {
        let answer = self.handle.ask(act);
        py.detach(move || {
            loop {
                match self.run.try_lock() {
                    Ok(mut run) => run.serve(),
                    Err(TryLockError::Poisoned(run)) => run.into_inner().serve(),
                    Err(TryLockError::WouldBlock) => {}
                }
                match answer.recv_timeout(PATIENCE) {
                    Ok(answer) => return answer,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => panic!("a run answers what it has done"),
                }
            }
        })
    }
}

#[pymethods]
impl Live {
    /// Makes the run of a configuration, with a TAP device for each node that has a real stack.
    #[new]
    #[pyo3(signature = (config, taps, *, fifo=true, on_late="warn", layer="link", capture=None, records=None))]
    #[expect(clippy::too_many_arguments, reason = "one for each option of Python's")]
    fn new(
        py: Python<'_>,
        config: &Bound<'_, PyAny>,
        taps: Vec<Option<PyRef<'_, Tap>>>,
        fifo: bool,
        on_late: &str,
        layer: &str,
        capture: Option<CaptureOptions<'_>>,
        records: Option<&str>,
    ) -> PyResult<Live> {
        // The ledger has to know the starts of flows, which the simulation would draw for itself.
        let config = config::taken(config)?.with_starts_drawn();
        let on_late = chosen("on_late", on_late, [("warn", OnLate::Warn), ("abort", OnLate::Abort)])?;
        let layer = chosen("layer", layer, [("link", Layer::Link), ("network", Layer::Network)])?;
        hopscope_engine::world::check(&config).map_err(|e| engine_error(py, &e))?;
        let ledger = config.explain.then(|| Ledger::new(&config));
        let feed = records.map(|word| feed(&config, word)).transpose()?;
        let observer = ((ledger, feed), captures(py, &config, capture)?);
        let devices = taps.iter().map(|tap| tap.as_ref().map(|tap| tap.take()).transpose());
        let devices: Vec<Option<Device>> = devices.collect::<PyResult<_>>()?;
        let numbered = (0..).zip(&devices).filter_map(|(node, device)| Some((node, device.as_ref()?)));
        let clock = Reactor::new(numbered).map_err(PyOSError::new_err)?;
        let wake = clock.waker();
        let run = py.detach(|| Driver::new(config, devices, clock, observer, wake));
        let mut run = run.map_err(|e| engine_error(py, &e))?;
        run.set_on_late(on_late);
        run.set_layer(layer);
        Ok(Live { handle: run.handle(), run: Mutex::new(run), fifo })
    }

    /// Runs up to an instant of the simulation in nanoseconds, at most to its end.
    fn run(&self, py: Python<'_>, nanoseconds: u64) -> PyResult<()> {
        let (done, mut ended) = mpsc::channel();
        // A thread of its own: the interpreter lock, which is looked at for signals, would make it late.
        let (ended, signal) = thread::scope(|scope| {
            scope.spawn(move || {
                let scheduling = self.fifo.then(Scheduling::real_time);
                let mut run = self.lock();
                if let Some(scheduling) = &scheduling {
                    run.set_scheduling(scheduling.words().to_string());
                }
                // Who waits for it is there until it ends.
                _ = done.send(run.run(Time(nanoseconds)));
            });
            self.watched(py, &mut ended)
        });
        signal.map_or(Ok(()), Err)?;
        ended.map(|_| ()).map_err(|failure| LiveError::new_err(failure.to_string()))
    }

    /// Has a run under way return soon, or the next one at once.
    fn stop(&self) {
        self.handle.stop();
    }

    /// Changes something now: the keys of an event without its time.
    fn change(&self, py: Python<'_>, change: &Bound<'_, PyAny>) -> PyResult<()> {
        let change: Change = value::read("change", change)?;
        self.asked(py, move |run| run.simulation().change(&change)).map_err(|e| engine_error(py, &e))
    }

    /// The instant that it has come to, nanoseconds.
    #[getter]
    fn now(&self) -> u64 {
        self.handle.now().0
    }

    /// Where all nodes are now, metres.
    fn positions(&self, py: Python<'_>) -> Vec<[f64; 2]> {
        self.asked(py, |run| {
            let world = run.simulation().world();
            (0..world.nodes() as u32).map(|node| world.position(NodeId(node))).collect()
        })
    }

    /// Lateness, frames, processor time and verdict so far.
    fn report(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        value::shown(py, &self.asked(py, |run| run.report()))
    }

    /// Results from the end of the warm-up to now.
    fn results(&self, py: Python<'_>) -> Outcome {
        let result = self.asked(py, |run| {
            let mut result = run.results();
            let ledger =
                run.observe(|((ledger, _), _), now, view| ledger.as_mut().map(|ledger| ledger.result(now, view)));
            if let Some(ledger) = ledger {
                result.keep_ledger(ledger);
            }
            result
        });
        Outcome::of(py, result)
    }

    /// State and records for a page, as JSON.
    #[pyo3(signature = (names, after=None))]
    fn records(&self, py: Python<'_>, names: Vec<String>, after: Option<u64>) -> PyResult<String> {
        let names = records_named(&names).map_err(|problem| PyValueError::new_err(format!("records: {problem}")))?;
        let answer = self.asked(py, move |run| {
            let lines = run.observe(|((_, feed), _), now, _| feed.as_mut().map(|feed| feed.ask(now, after, &names)));
            lines.map(|lines| Answer::new(run.simulation(), lines))
        });
        let answer = answer.ok_or_else(|| PyValueError::new_err("records: this run was made without"))?;
        // Here, and not in the thread of the run, which has to be on time.
        py.detach(|| answer.json()).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Ends the capture and gives what it has come to; nothing where there is none.
    fn end_capture(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let summary = self.asked(py, |run| {
            run.observe(|(_, (plain, monitor)), now, _| match (plain, monitor) {
                (Some(capture), _) => Some(capture.finish(now)),
                (None, Some(capture)) => Some(capture.finish(now)),
                (None, None) => None,
            })
        });
        summary.map(|summary| value::shown(py, &summary)).transpose()
    }
}

impl Live {
    /// Waits for a run to end and looks at signals meanwhile; one that is to raise stops it.
    fn watched(
        &self,
        py: Python<'_>,
        ended: &mut Receiver<Result<Ended, Failure>>,
    ) -> (Result<Ended, Failure>, Option<PyErr>) {
        let mut signal = None;
        loop {
            let waited_for = &mut *ended;
            match py.detach(move || waited_for.recv_timeout(PERIOD)) {
                Ok(ended) => return (ended, signal),
                Err(RecvTimeoutError::Disconnected) => panic!("the thread of a run has ended without a word"),
                Err(RecvTimeoutError::Timeout) if signal.is_some() => {}
                Err(RecvTimeoutError::Timeout) => {
                    signal = py.check_signals().err();
                    if signal.is_some() {
                        self.handle.stop();
                    }
                }
            }
        }
    }
}

/// What a word of two stands for.
fn chosen<T>(key: &str, word: &str, [one, other]: [(&str, T); 2]) -> PyResult<T> {
    let allowed = [one.0, other.0].join(" and ");
    let found = [one, other].into_iter().find(|(name, _)| *name == word);
    found
        .map(|(_, value)| value)
        .ok_or_else(|| PyValueError::new_err(format!("{key}: found \"{word}\"; allowed are {allowed}")))
}

/// The records that pages may ask for.
fn feed(config: &Config, word: &str) -> PyResult<Feed> {
    let overhears = chosen("records", word, [("own", false), ("all", true)])?;
    Ok(Feed::new(config.measured().flows.len(), overhears))
}

/// The capture that is wanted: two types, of which only one wants every hearer.
fn captures(
    py: Python<'_>,
    config: &Config,
    options: Option<CaptureOptions<'_>>,
) -> PyResult<(Option<Capture<false>>, Option<Capture<true>>)> {
    let Some((path, choice, title, force)) = options else { return Ok((None, None)) };
    let choice: Choice = value::read("choice", &choice)?;
    let refused = |e| engine_error(py, &e);
    // Before the file is opened: a choice that is refused leaves no empty file.
    choice.check(config).map_err(refused)?;
    let sink = Sink::open(&path, force).map_err(|e| unwritten(&path, &e))?;
    if choice.monitor {
        Ok((None, Some(Capture::new(config, choice, sink, &title).map_err(refused)?)))
    } else {
        Ok((Some(Capture::new(config, choice, sink, &title).map_err(refused)?), None))
    }
}
