//! Code that the user wrote in Python for a run: congestion controls, at the engine's boundary for such, and how it fails.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hopscope_core::units::{Span, Time};
use hopscope_engine::world::Controls;
use hopscope_engine::{BuildError, Config};
use hopscope_tcp::ack::outside::{AckAnswer, AckHook, AckRule, AckView};
use hopscope_tcp::control::{Control, Hook, PACING_RATES, Reaction, View};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};

use crate::acks::{AckMethods, PyRule};

create_exception!(
    _core,
    ControlError,
    PyException,
    "Code of the user's raised, or returned what makes no sense; has `flow`, `time_s` and `hook`, and the cause."
);

/// The sender of a flow as a congestion control sees it: one object for the whole run, whose values are those of the
/// call it is handed to. Windows and amounts are segments of `packet` bytes.
#[pyclass(name = "FlowState")]
pub struct FlowState {
    view: View,
    /// What the call has set so far.
    ssthresh: Option<f64>,
    wake: Option<Time>,
}

#[pymethods]
impl FlowState {
    /// Simulated time in seconds.
    #[getter]
    fn now_s(&self) -> f64 {
        self.view.now.as_secs()
    }

    /// Congestion window in segments, at most the receiver's window.
    #[getter]
    fn cwnd(&self) -> f64 {
        self.view.cwnd
    }

    /// Slow-start threshold in segments; infinite before the first loss under the standard's rules.
    #[getter]
    fn ssthresh(&self) -> f64 {
        self.ssthresh.unwrap_or(self.view.ssthresh)
    }

    /// Sets it, from 2 segments on; infinite for none.
    #[setter]
    fn set_ssthresh(&mut self, segments: f64) -> PyResult<()> {
        if segments.is_nan() || segments <= 0.0 {
            return Err(PyValueError::new_err(format!(
                "ssthresh = {segments}; a number of segments above 0 is allowed"
            )));
        }
        // Below two segments is no fault: the engine raises it to two (RFC 5681 3.1).
        self.ssthresh = Some(segments);
        Ok(())
    }

    /// Asks for a call of `on_timer` at this instant, in seconds, in place of one asked for earlier.
    fn wake(&mut self, at_s: f64) -> PyResult<()> {
        // Not now either: a control that wakes itself at once would never let time go on.
        if !at_s.is_finite() || at_s <= self.view.now.as_secs() || at_s > LATEST_WAKE {
            let now = self.view.now.as_secs();
            return Err(PyValueError::new_err(format!(
                "wake({at_s}); an instant after now ({now} s) is allowed, up to {LATEST_WAKE:e} s"
            )));
        }
        self.wake = Some(Time::ZERO + Span::from_secs_f64(at_s));
        Ok(())
    }

    /// Segments sent and not known to have arrived; in `on_loss` and `on_timeout` FlightSize (RFC 5681).
    #[getter]
    fn in_flight(&self) -> f64 {
        self.view.in_flight
    }

    /// Receiver's window in segments.
    #[getter]
    fn max_window(&self) -> f64 {
        self.view.max_window
    }

    /// Payload of a full segment in bytes.
    #[getter]
    fn packet(&self) -> u64 {
        self.view.packet
    }

    /// Segments newly acknowledged by this ACK; 0 in `on_loss` and `on_timeout`.
    #[getter]
    fn acked(&self) -> f64 {
        self.view.acked
    }

    /// Segments known to have arrived since the start.
    #[getter]
    fn delivered(&self) -> f64 {
        self.view.delivered
    }

    /// Segments per second over the last round trip (draft-cheng-iccrg-delivery-rate-estimation), or None.
    #[getter]
    fn delivery_rate(&self) -> Option<f64> {
        self.view.delivery_rate
    }

    /// The last round-trip time in seconds, never of a segment sent twice; None before the first.
    #[getter]
    fn rtt_s(&self) -> Option<f64> {
        self.view.rtt.map(Span::as_secs)
    }

    /// That of this ACK in seconds; None where it gave none.
    #[getter]
    fn new_rtt_s(&self) -> Option<f64> {
        self.view.new_rtt.map(Span::as_secs)
    }

    /// Smoothed round-trip time in seconds (RFC 6298); None before the first.
    #[getter]
    fn srtt_s(&self) -> Option<f64> {
        self.view.srtt.map(Span::as_secs)
    }

    /// Smallest round-trip time so far in seconds; None before the first.
    #[getter]
    fn min_rtt_s(&self) -> Option<f64> {
        self.view.min_rtt.map(Span::as_secs)
    }

    /// Hops that the last ACK has travelled.
    #[getter]
    fn hops(&self) -> u8 {
        self.view.hops
    }

    /// The pace in use in segments per second; None: as fast as the window allows.
    #[getter]
    fn pacing_rate(&self) -> Option<f64> {
        self.view.pacing_rate
    }

    /// A loss is being repaired; only `on_rtt` is called then.
    #[getter]
    fn in_recovery(&self) -> bool {
        self.view.in_recovery
    }

    /// The window was filled when the ACK came; one that is not used says nothing about the path.
    #[getter]
    fn window_limited(&self) -> bool {
        self.view.window_limited
    }

    /// In `on_loss`: nothing was lost, a packet was marked (ECN).
    #[getter]
    fn marked(&self) -> bool {
        self.view.marked
    }

    /// In `on_timeout`: the same segment has timed out before.
    #[getter]
    fn repeated(&self) -> bool {
        self.view.repeated
    }

    /// Segments that this ACK was the first to name, by its number or by its SACK blocks.
    #[getter]
    fn newly_delivered(&self) -> f64 {
        self.view.newly_delivered
    }

    /// Segments that the SACK blocks of this ACK were the first to name.
    #[getter]
    fn newly_sacked(&self) -> f64 {
        self.view.newly_sacked
    }

    /// Segments given up since the last `on_every_ack`; with RACK-TLP alone, which judges them one by one.
    #[getter]
    fn newly_lost(&self) -> f64 {
        self.view.newly_lost
    }

    /// This ACK echoes a mark (ECE, RFC 3168).
    #[getter]
    fn ece(&self) -> bool {
        self.view.echo
    }

    /// Segments delivered over `interval_s`; 0 where this ACK gave no sample of the delivery rate.
    #[getter]
    fn sample_delivered(&self) -> f64 {
        self.view.sample.map_or(0.0, |sample| sample.delivered)
    }

    /// Time that this delivery took in seconds, the longer of sending and acknowledging; None without a sample.
    #[getter]
    fn interval_s(&self) -> Option<f64> {
        self.view.sample.map(|sample| sample.interval.as_secs())
    }

    /// Segments delivered in all when the segment left that the sample is of; None without a sample.
    #[getter]
    fn prior_delivered(&self) -> Option<f64> {
        self.view.sample.map(|sample| sample.prior_delivered)
    }

    /// The application could have been the limit of the sample.
    #[getter]
    fn app_limited(&self) -> bool {
        self.view.sample.is_some_and(|sample| sample.app_limited)
    }

    /// Segments in flight once the segment of the sample had left; None without a sample.
    #[getter]
    fn sample_in_flight(&self) -> Option<f64> {
        self.view.sample.map(|sample| sample.in_flight)
    }

    /// Segments given up since then (RACK-TLP alone).
    #[getter]
    fn sample_lost(&self) -> f64 {
        self.view.sample.map_or(0.0, |sample| sample.lost)
    }

    /// In `on_sent`: number of the segment that leaves, from 0.
    #[getter]
    fn sent(&self) -> f64 {
        self.view.sent
    }

    /// Packets in the interface queue of the sender's node; None where there is no node (a bottleneck alone).
    #[getter]
    fn queue(&self) -> Option<u32> {
        self.view.node.map(|node| node.queued)
    }

    /// Counters of the MAC of the sender's node since the start: rts, data, packets, retries, given_up, data_failures; None
    /// where there is no node.
    #[getter]
    fn mac(&self) -> Option<std::collections::BTreeMap<&'static str, u64>> {
        let mac = self.view.node?.mac;
        Some(std::collections::BTreeMap::from([
            ("rts", mac.rts),
            ("data", mac.data),
            ("packets", mac.packets),
            ("retries", mac.retries),
            ("given_up", mac.retry_drops),
            ("data_failures", mac.data_failures),
        ]))
    }

    fn __repr__(&self) -> String {
        let v = &self.view;
        let seconds = |span: Option<Span>| span.map_or("None".to_string(), |span| format!("{:.6}", span.as_secs()));
        format!(
            "FlowState(now_s={:.6}, cwnd={:.3}, ssthresh={:.3}, in_flight={:.3}, acked={:.3}, rtt_s={}, srtt_s={}, min_rtt_s={})",
            v.now.as_secs(),
            v.cwnd,
            v.ssthresh,
            v.in_flight,
            v.acked,
            seconds(v.rtt),
            seconds(v.srtt),
            seconds(v.min_rtt),
        )
    }
}

/// Latest instant that `wake` takes, in seconds: in nanoseconds still within 64 bits.
const LATEST_WAKE: f64 = 1e9;

/// The first thing that went wrong in the user's code.
#[derive(Debug)]
struct Failure {
    flow: u32,
    at: Time,
    /// The Python method.
    method: &'static str,
    cause: PyErr,
}

/// Where the user's code of a run leaves its first failure.
#[derive(Debug, Clone, Default)]
pub struct Failures(Arc<Mutex<Option<Failure>>>);

impl Failures {
    /// Raises the first failure, if there is one.
    pub fn raise(&self, py: Python<'_>) -> PyResult<()> {
        let Some(failure) = self.first().take() else { return Ok(()) };
        let message = format!("flow {} at {:.9} s, {}", failure.flow, failure.at.as_secs(), failure.method);
        let exception = ControlError::new_err(message);
        let value = exception.value(py);
        value.setattr("flow", failure.flow)?;
        value.setattr("time_s", failure.at.as_secs())?;
        value.setattr("hook", failure.method)?;
        // As `raise ... from`: the traceback goes down to the line of the user.
        exception.set_cause(py, Some(failure.cause));
        Err(exception)
    }

    pub fn keep(&self, flow: u32, at: Time, method: &'static str, cause: PyErr) {
        // What fails later in the same step may be a consequence of the first.
        self.first().get_or_insert(Failure { flow, at, method, cause });
    }

    pub fn any(&self) -> bool {
        self.first().is_some()
    }

    /// Code that panicked with the lock in hand leaves what it had kept.
    fn first(&self) -> MutexGuard<'_, Option<Failure>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Name of the Python method of a moment.
fn method(hook: Hook) -> &'static str {
    match hook {
        Hook::Ack => "on_ack",
        Hook::Loss => "on_loss",
        Hook::Timeout => "on_timeout",
        Hook::Rtt => "on_rtt",
        Hook::Every => "on_every_ack",
        Hook::Sent => "on_sent",
        Hook::Wake => "on_timer",
        Hook::RoundTrip => "on_round_trip",
    }
}

/// The methods of one object.
#[derive(Debug)]
struct PyControl {
    flow: u32,
    methods: Methods,
    state: Py<FlowState>,
    /// The state as the one argument of every call.
    arguments: Py<PyTuple>,
    failures: Failures,
}

impl Control for PyControl {
    fn answers(&self, hook: Hook) -> bool {
        self.methods[hook.index()].is_some()
    }

    fn react(&self, hook: Hook, view: &View) -> Reaction {
        let Some(method) = &self.methods[hook.index()] else { return Reaction::default() };
        if self.failures.any() {
            return Reaction::default(); // the run ends at its next pause
        }
        Python::attach(|py| {
            {
                // Given back before the call, in which the method borrows the same object.
                let mut state = self.state.borrow_mut(py);
                (state.view, state.ssthresh, state.wake) = (*view, None, None);
            }
            let answer = method.bind(py).call1(self.arguments.bind(py)).and_then(|answer| {
                let found = reaction(&answer)?;
                // A segment that leaves says nothing of the path: the window moves by ACKs, losses and timers.
                if hook == Hook::Sent && found.cwnd.is_some() {
                    return Err(PyValueError::new_err(format!("returned {}; on_sent sets no window", shown(&answer))));
                }
                let state = self.state.borrow(py);
                // Set on the object and not returned, so that the call may do it anywhere.
                Ok(Reaction { ssthresh: state.ssthresh, wake: state.wake, ..found })
            });
            answer.unwrap_or_else(|cause| {
                self.failures.keep(self.flow, view.now, self::method(hook), cause);
                Reaction::default()
            })
        })
    }
}

/// What a method returned: nothing, a window, or a window and a pace.
fn reaction(answer: &Bound<'_, PyAny>) -> PyResult<Reaction> {
    if answer.is_none() {
        return Ok(Reaction::default());
    }
    let Ok(pair) = answer.cast::<PyTuple>() else {
        return Ok(Reaction { cwnd: Some(window(answer, answer)?), ..Reaction::default() });
    };
    if pair.len() != 2 {
        return Err(PyValueError::new_err(format!("returned {}; {EXPECTED}", shown(answer))));
    }
    let (cwnd, rate) = (pair.get_item(0)?, pair.get_item(1)?);
    Ok(Reaction {
        cwnd: if cwnd.is_none() { None } else { Some(window(&cwnd, answer)?) },
        pacing_rate: if rate.is_none() { None } else { Some(pace(&rate, answer)?) },
        ..Reaction::default()
    })
}

const EXPECTED: &str = "expected None, a window in segments, or (window, pacing rate in segments per second)";

fn window(value: &Bound<'_, PyAny>, answer: &Bound<'_, PyAny>) -> PyResult<f64> {
    let cwnd = number(value, answer)?;
    if cwnd.is_finite() && cwnd > 0.0 {
        return Ok(cwnd);
    }
    Err(PyValueError::new_err(format!("returned {}; a window is a finite number of segments above 0", shown(answer))))
}

fn pace(value: &Bound<'_, PyAny>, answer: &Bound<'_, PyAny>) -> PyResult<f64> {
    let rate = number(value, answer)?;
    let (least, most) = PACING_RATES;
    if (least..=most).contains(&rate) {
        return Ok(rate);
    }
    let message = format!("returned {}; a pacing rate is {least} to {most:e} segments per second", shown(answer));
    Err(PyValueError::new_err(message))
}

fn number(value: &Bound<'_, PyAny>, answer: &Bound<'_, PyAny>) -> PyResult<f64> {
    let wrong = || PyTypeError::new_err(format!("returned {}; {EXPECTED}", shown(answer)));
    // True is an int in Python; who returns it means no window of one segment.
    if value.is_instance_of::<PyBool>() {
        return Err(wrong());
    }
    value.extract().map_err(|_| wrong())
}

/// A value as Python writes it, shortened.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    // A class of the user may fail in its own `__repr__`.
    let text = value.repr().map_or_else(|_| "something without a repr".to_string(), |text| text.to_string());
    if text.chars().count() <= 80 { text } else { text.chars().take(77).chain("...".chars()).collect() }
}

/// The methods of a control in the order of [`Hook::ALL`]; none: left to the engine.
pub type Methods = [Option<Py<PyAny>>; Hook::COUNT];

/// What the user wrote for one flow: the methods of its congestion control and of its ACK policy.
pub type Code = (Option<Methods>, Option<AckMethods>);

/// The code of a run: one entry for each flow.
pub fn controls(py: Python<'_>, code: Option<Vec<Code>>, failures: &Failures) -> PyResult<Controls> {
    let mut controls = Controls::new();
    for (flow, (control, ack)) in (0..).zip(code.unwrap_or_default()) {
        if let Some(methods) = control {
            let state = Py::new(py, FlowState { view: View::default(), ssthresh: None, wake: None })?;
            let arguments = PyTuple::new(py, [&state])?.unbind();
            let control = PyControl { flow, methods, state, arguments, failures: failures.clone() };
            controls.set_control(flow, Arc::new(control));
        }
        if let Some(methods) = ack {
            controls.set_ack(flow, Arc::new(PyRule::new(py, flow, methods, failures)?));
        }
    }
    Ok(controls)
}

/// Stands in where a configuration is only built.
#[derive(Debug)]
struct Unused;

impl Control for Unused {
    fn answers(&self, _hook: Hook) -> bool {
        false
    }

    fn react(&self, _hook: Hook, _view: &View) -> Reaction {
        Reaction::default()
    }
}

impl AckRule for Unused {
    fn answers(&self, _hook: AckHook) -> bool {
        false
    }

    fn decide(&self, _hook: AckHook, _view: &AckView) -> AckAnswer {
        AckAnswer::default()
    }
}

/// Builds a configuration that will not be run.
pub fn built(config: Config) -> Result<hopscope_engine::Simulation, BuildError> {
    let mut controls = Controls::new();
    // Every flow: which of them has code of its own does not matter where nothing runs.
    for flow in 0..config.flows.len() as u32 {
        controls.set_control(flow, Arc::new(Unused));
        controls.set_ack(flow, Arc::new(Unused));
    }
    hopscope_engine::Simulation::controlled(config, hopscope_engine::record::NullRecorder, &controls)
}
