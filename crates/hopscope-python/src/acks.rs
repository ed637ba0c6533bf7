//! An ACK policy written in Python, at the engine's boundary for such.

use hopscope_core::units::Span;
use hopscope_tcp::ack::outside::{AckAnswer, AckHook, AckRule, AckView, LONGEST_WAIT};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};

use crate::control::{Failures, shown};

/// The receiver of a flow as an ACK policy sees it: one object for the whole run, whose values are those of the call it
/// is handed to.
#[pyclass(name = "AckState")]
pub struct AckState {
    view: AckView,
}

#[pymethods]
impl AckState {
    /// Simulated time in seconds.
    #[getter]
    fn now_s(&self) -> f64 {
        self.view.now.as_secs()
    }

    /// The segment extended the data in order, and nothing was or is missing above it.
    #[getter]
    fn in_order(&self) -> bool {
        self.view.in_order
    }

    /// It lies above a gap.
    #[getter]
    fn above_gap(&self) -> bool {
        !self.view.in_order && !self.view.duplicate && self.view.new_bytes == 0
    }

    /// It filled a gap, or a part of one.
    #[getter]
    fn fills_gap(&self) -> bool {
        !self.view.in_order && self.view.new_bytes > 0
    }

    /// It brought nothing new.
    #[getter]
    fn duplicate(&self) -> bool {
        self.view.duplicate
    }

    /// Bytes that it made complete in order.
    #[getter]
    fn new_bytes(&self) -> u64 {
        self.view.new_bytes
    }

    /// Its payload in bytes.
    #[getter]
    fn bytes(&self) -> u64 {
        self.view.len
    }

    /// Payload of a full segment in bytes.
    #[getter]
    fn packet(&self) -> u64 {
        self.view.packet
    }

    /// It carries PSH.
    #[getter]
    fn pushed(&self) -> bool {
        self.view.pushed
    }

    /// It was marked on its way (ECN), and marks are understood.
    #[getter]
    fn marked(&self) -> bool {
        self.view.marked
    }

    /// Segments with data since the last ACK left, this one included.
    #[getter]
    fn held(&self) -> u32 {
        self.view.held
    }

    /// Bytes in order since the last ACK left.
    #[getter]
    fn held_bytes(&self) -> u64 {
        self.view.held_bytes
    }

    /// Seconds since the first segment that is held came.
    #[getter]
    fn waited_s(&self) -> f64 {
        self.view.waited.as_secs()
    }

    /// Seconds from the segment before to this one; None at the first.
    #[getter]
    fn gap_s(&self) -> Option<f64> {
        self.view.gap.map(Span::as_secs)
    }

    /// How long an ACK waits where the policy does not say, in seconds (`ack_delay`).
    #[getter]
    fn ack_delay_s(&self) -> f64 {
        self.view.ack_delay.as_secs()
    }

    /// Segments that the sender may have in flight; None unless `reads_window` is set.
    #[getter]
    fn sender_window(&self) -> Option<u16> {
        self.view.sender_window
    }

    /// Hops that the segment has travelled.
    #[getter]
    fn hops(&self) -> u8 {
        self.view.hops
    }

    /// Product over the hops of the probability that a transmission does not collide; None unless `reads_path` is set.
    #[getter]
    fn non_collision(&self) -> Option<f32> {
        self.view.non_collision
    }

    /// Longest time of a hop in seconds, its queue included; None unless `reads_path` is set.
    #[getter]
    fn largest_delay_s(&self) -> Option<f64> {
        self.view.largest_delay.map(Span::as_secs)
    }

    /// Round-trip time of the set-up in seconds; None where SYN-ACK or ACK were sent again, or there was none.
    #[getter]
    fn set_up_s(&self) -> Option<f64> {
        self.view.set_up.map(Span::as_secs)
    }

    fn __repr__(&self) -> String {
        let v = &self.view;
        let flag = |flag: bool| if flag { "True" } else { "False" };
        format!(
            "AckState(now_s={:.6}, in_order={}, duplicate={}, new_bytes={}, held={}, waited_s={:.6}, hops={})",
            v.now.as_secs(),
            flag(v.in_order),
            flag(v.duplicate),
            v.new_bytes,
            v.held,
            v.waited.as_secs(),
            v.hops,
        )
    }
}

/// The methods of a policy in the order of [`AckHook::ALL`]; none: left to the engine.
pub type AckMethods = [Option<Py<PyAny>>; AckHook::COUNT];

/// The methods of one object.
#[derive(Debug)]
pub struct PyRule {
    flow: u32,
    methods: AckMethods,
    state: Py<AckState>,
    /// The state as the one argument of every call.
    arguments: Py<PyTuple>,
    failures: Failures,
}

impl PyRule {
    pub fn new(py: Python<'_>, flow: u32, methods: AckMethods, failures: &Failures) -> PyResult<Self> {
        let state = Py::new(py, AckState { view: AckView::default() })?;
        // Made once: a policy is asked for every segment.
        let arguments = PyTuple::new(py, [&state])?.unbind();
        Ok(PyRule { flow, methods, state, arguments, failures: failures.clone() })
    }
}

impl AckRule for PyRule {
    fn answers(&self, hook: AckHook) -> bool {
        self.methods[hook.index()].is_some()
    }

    fn decide(&self, hook: AckHook, view: &AckView) -> AckAnswer {
        let Some(method) = &self.methods[hook.index()] else { return AckAnswer::default() };
        if self.failures.any() {
            return AckAnswer::default(); // the run ends at its next pause
        }
        Python::attach(|py| {
            self.state.borrow_mut(py).view = *view;
            let found = method.bind(py).call1(self.arguments.bind(py)).and_then(|found| answer(&found));
            // No exception goes through the engine: it is kept, and the default rules end the step.
            found.unwrap_or_else(|cause| {
                self.failures.keep(self.flow, view.now, name(hook), cause);
                AckAnswer::default()
            })
        })
    }
}

/// Name of the Python method of a moment.
fn name(hook: AckHook) -> &'static str {
    match hook {
        AckHook::Data => "on_data",
        AckHook::Timer => "on_timer",
    }
}

/// What a method returned: nothing, a wait, or a wait and a delay window.
fn answer(found: &Bound<'_, PyAny>) -> PyResult<AckAnswer> {
    if found.is_none() {
        return Ok(AckAnswer::default());
    }
    // What is no tuple has to be a number; if not, `wait` says what is expected.
    let Ok(pair) = found.cast::<PyTuple>() else {
        return Ok(AckAnswer { wait: Some(wait(found, found)?), window: None });
    };
    if pair.len() != 2 {
        return Err(PyValueError::new_err(format!("returned {}; {EXPECTED}", shown(found))));
    }
    let (seconds, segments) = (pair.get_item(0)?, pair.get_item(1)?);
    Ok(AckAnswer {
        wait: if seconds.is_none() { None } else { Some(wait(&seconds, found)?) },
        window: if segments.is_none() { None } else { Some(window(&segments, found)?) },
    })
}

const EXPECTED: &str = "expected None, a delay in seconds, or (delay, segments that one ACK stands for)";

fn wait(value: &Bound<'_, PyAny>, answer: &Bound<'_, PyAny>) -> PyResult<Span> {
    let seconds = number(value, answer)?;
    // Not a number lies in no range, so that it is refused here too.
    if (0.0..=LONGEST_WAIT).contains(&seconds) {
        return Ok(Span::from_secs_f64(seconds));
    }
    Err(PyValueError::new_err(format!("returned {}; a delay is 0 (at once) to {LONGEST_WAIT} seconds", shown(answer))))
}

fn window(value: &Bound<'_, PyAny>, answer: &Bound<'_, PyAny>) -> PyResult<f64> {
    let segments = number(value, answer)?;
    if segments.is_finite() && segments > 0.0 {
        return Ok(segments);
    }
    let message = format!("returned {}; one ACK stands for a finite number of segments above 0", shown(answer));
    Err(PyValueError::new_err(message))
}

fn number(value: &Bound<'_, PyAny>, answer: &Bound<'_, PyAny>) -> PyResult<f64> {
    let wrong = || PyTypeError::new_err(format!("returned {}; {EXPECTED}", shown(answer)));
    // True is an int in Python; who returns it means a decision, not one second.
    if value.is_instance_of::<PyBool>() {
        return Err(wrong());
    }
    value.extract().map_err(|_| wrong())
}
