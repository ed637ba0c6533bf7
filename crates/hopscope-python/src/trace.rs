//! Runs whose records are written out: lines of text, or dictionaries, go to a function of the caller's, some thousand
//! at a time.

use std::sync::{Arc, Mutex, PoisonError};

use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::Time;
use hopscope_engine::BuildError;
use hopscope_engine::Simulation;
use hopscope_engine::config::Config;
use hopscope_engine::record::{Record, Recorder};
use hopscope_engine::trace::{
    FieldValues, Filter, Form, Ns2Trace, RecordTrace, RecordValues, Sink, Style, Trace, Value, ValueSink,
};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::config;
use crate::control::Code;
use crate::error::engine_error;
use crate::outcome::Outcome;
use crate::run::{CancelToken, run_part};

/// What a trace lets through, as Python says it.
#[derive(FromPyObject)]
pub struct TraceFilter {
    #[pyo3(item)]
    nodes: Option<Vec<u32>>,
    #[pyo3(item)]
    flows: Option<Vec<u32>>,
    #[pyo3(item)]
    kinds: Option<Vec<String>>,
    #[pyo3(item)]
    from_ns: u64,
    #[pyo3(item)]
    until_ns: Option<u64>,
}

impl TraceFilter {
    fn filter(self) -> Filter {
        let named = |kinds: Vec<String>| {
            // The own texts of the engine, by which filters compare; Python has checked the words.
            Record::NAMES.iter().copied().filter(|name| kinds.iter().any(|kind| kind == name)).collect()
        };
        Filter {
            nodes: self.nodes.map(|nodes| nodes.into_iter().map(NodeId).collect()),
            flows: self.flows.map(|flows| flows.into_iter().map(FlowId).collect()),
            names: self.kinds.map(named),
            from: Time(self.from_ns),
            until: self.until_ns.map_or(Time::NEVER, Time),
        }
    }
}

/// A function of the caller's: it takes text or a list of records and says whether it takes more.
struct Writer {
    write: Py<PyAny>,
    failure: Failure,
}

type Failure = Arc<Mutex<Option<PyErr>>>;

impl Writer {
    fn take<'py>(&self, py: Python<'py>, given: PyResult<Bound<'py, PyAny>>) -> bool {
        let answer = given.and_then(|given| self.write.bind(py).call1((given,)));
        match answer.and_then(|answer| answer.is_truthy()) {
            Ok(goes_on) => goes_on,
            Err(error) => {
                self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                false
            }
        }
    }
}

impl Sink for Writer {
    fn take(&mut self, lines: &str) -> bool {
        Python::attach(|py| Writer::take(self, py, Ok(PyString::new(py, lines).into_any())))
    }
}

impl ValueSink for Writer {
    fn take(&mut self, records: &[FieldValues]) -> bool {
        Python::attach(|py| Writer::take(self, py, dictionaries(py, records).map(Bound::into_any)))
    }
}

/// A dictionary for each record, its fields in their order.
fn dictionaries<'py>(py: Python<'py>, records: &[FieldValues]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for entries in records {
        let record = PyDict::new(py);
        for (name, value) in entries {
            // The names are few and come often: Python keeps one text of each.
            record.set_item(PyString::intern(py, name), object(py, value)?)?;
        }
        list.append(record)?;
    }
    Ok(list)
}

fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::None => Ok(py.None().into_bound(py)),
        Value::Flag(holds) => holds.into_bound_py_any(py),
        Value::Number(number) => number.into_bound_py_any(py),
        Value::Real(number) => number.into_bound_py_any(py),
        Value::Word(word) => Ok(PyString::intern(py, word).into_any()),
        Value::Ranges(ranges) => {
            let pairs =
                ranges.iter().map(|&(start, end)| PyList::new(py, [start, end])).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, pairs)?.into_any())
        }
    }
}

/// Runs a configuration and hands its records to `write`; gives the results as `run` does. With `cut` the run ends
/// where the last record wanted is written.
#[pyfunction]
#[pyo3(signature = (config, form, wanted, write, cut=false, cancel=None, progress=None, controls=None))]
#[expect(clippy::too_many_arguments, reason = "each is an argument of the Python function")]
pub fn trace(
    py: Python<'_>,
    config: &Bound<'_, PyAny>,
    form: &str,
    wanted: TraceFilter,
    write: Py<PyAny>,
    cut: bool,
    cancel: Option<&Bound<'_, CancelToken>>,
    progress: Option<Py<PyAny>>,
    controls: Option<Vec<Code>>,
) -> PyResult<Outcome> {
    let config = config::taken(config)?;
    let token = cancel.map(|c| c.get().clone()).unwrap_or_default();
    let filter = wanted.filter();
    // Nothing after the last instant wanted is written, so that the run need not go there.
    let end = if cut { filter.until } else { Time::NEVER };
    let failure = Failure::default();
    let sink = Writer { write, failure: Arc::clone(&failure) };
    let options = RunOptions { end, token, progress, controls };
    let given = match form {
        "text" => traced(py, config, RecordTrace::new(Form::Text, filter, sink), options),
        "json" => traced(py, config, RecordTrace::new(Form::Json, filter, sink), options),
        "values" => traced(py, config, RecordValues::new(filter, sink), options),
        "ns2-old" => {
            let trace = Ns2Trace::new(&config, Style::Old, filter, sink);
            traced(py, config, trace, options)
        }
        "ns2-new" => {
            let trace = Ns2Trace::new(&config, Style::New, filter, sink);
            traced(py, config, trace, options)
        }
        _ => {
            let message = format!("found {form:?}; allowed: text, json, values, ns2-old, ns2-new");
            Err(engine_error(py, &BuildError::new("form", message)))
        }
    };
    // The exception of the caller first: the run has ended because of it, and its own result says less.
    match failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Err(error),
        None => given,
    }
}

/// What goes along with a run, and where it ends.
struct RunOptions {
    end: Time,
    token: CancelToken,
    progress: Option<Py<PyAny>>,
    controls: Option<Vec<Code>>,
}

fn traced<T: Recorder + Trace + Send>(
    py: Python<'_>,
    config: Config,
    trace: T,
    options: RunOptions,
) -> PyResult<Outcome> {
    let flush = |simulation: &mut Simulation<T>| {
        simulation.observe(|trace, _, _| trace.flush());
        (None, ())
    };
    let RunOptions { end, token, progress, controls } = options;
    run_part(py, config, (trace, flush), end, &token, progress, controls).map(|(given, ())| given)
}

/// The names of all records.
#[pyfunction]
pub fn record_kinds() -> Vec<&'static str> {
    Record::NAMES.to_vec()
}
