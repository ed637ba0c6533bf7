//! One point of a scenario: its document goes in, what the engine runs and what a user reads come out.

use hopscope_engine::world::Reachability;
use hopscope_engine::{BuildError, simulation};
use hopscope_scenario::agreement::Finding;
use hopscope_scenario::near::Position;
use hopscope_scenario::point::all_problems;
use hopscope_scenario::resolve::{self as resolving, Outside, OwnControl, Schema, Shared, Shown, Sound, UserControl};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use serde_json::Value as Json;

use crate::config::Config;
use crate::error::engine_error;
use crate::value;

/// What the points of a sweep have in common, made once.
#[pyclass]
#[derive(Default)]
pub struct Common {
    shared: Shared,
    reachability: Reachability,
}

#[pymethods]
impl Common {
    #[new]
    fn new() -> Common {
        Common::default()
    }
}

/// One point, complete.
#[pyclass(frozen)]
pub struct Resolved(resolving::Resolved);

type Reported<'py> = Vec<(Bound<'py, PyTuple>, String)>;

fn reported<'py>(py: Python<'py>, findings: &[Finding]) -> PyResult<Reported<'py>> {
    findings.iter().map(|(path, message)| Ok((PyTuple::new(py, path)?, message.clone()))).collect()
}

/// Reads a document without its sweep; `outside` opens files and finds classes.
#[pyfunction]
pub fn resolve(document: &Bound<'_, PyAny>, outside: &Bound<'_, PyAny>, common: &mut Common) -> PyResult<Resolved> {
    let document = value::from_python(document)?;
    let mut callbacks = Callbacks { outside, failure: None };
    let found = resolving::resolve(Schema::engine(), &document, &mut callbacks, &mut common.shared);
    // What was read after an exception rests on the answers that stood in for its own.
    callbacks.failure.map_or(Ok(Resolved(found)), Err)
}

/// The Python side; the first exception that is no refusal ends everything.
struct Callbacks<'a, 'py> {
    outside: &'a Bound<'py, PyAny>,
    failure: Option<PyErr>,
}

impl Callbacks<'_, '_> {
    fn call<T: Default>(&mut self, asked: PyResult<T>) -> T {
        asked.unwrap_or_else(|error| {
            self.failure.get_or_insert(error);
            T::default()
        })
    }

    fn text_of(&self, key: &[String], wanted: &str) -> PyResult<(String, String)> {
        let path = PyTuple::new(self.outside.py(), key)?;
        self.outside.call_method1("text", (path, wanted))?.extract()
    }

    fn text_of_sibling(&self, key: &[String], ending: &str) -> PyResult<Option<String>> {
        self.outside.call_method1("sibling", (PyTuple::new(self.outside.py(), key)?, ending))?.extract()
    }

    fn is_named(&self, key: &[String]) -> PyResult<bool> {
        self.outside.call_method1("is_class", (PyTuple::new(self.outside.py(), key)?,))?.extract()
    }

    fn found(&self, named: &[String], parameters: &[String]) -> PyResult<UserControl> {
        type Given<'py> = Option<(String, String, String, Bound<'py, PyDict>)>;
        let py = self.outside.py();
        let paths = (PyTuple::new(py, named)?, PyTuple::new(py, parameters)?);
        let (own, refused, unused): (Given<'_>, Vec<Finding>, Vec<Finding>) =
            self.outside.call_method1("control", paths)?.extract()?;
        let entry = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Ok((name.extract()?, value::from_python(&value)?.json()))
        };
        let control = |(name, named, identity, parameters): (String, String, String, Bound<'_, PyDict>)| {
            let parameters = parameters.iter().map(entry).collect::<PyResult<_>>()?;
            Ok::<_, PyErr>(OwnControl { name, named, identity, parameters })
        };
        Ok(UserControl { own: own.map(control).transpose()?, refused, unused })
    }
}

impl Outside for Callbacks<'_, '_> {
    fn text(&mut self, key: &[String], wanted: &str) -> Result<(String, String), String> {
        let py = self.outside.py();
        match self.text_of(key, wanted) {
            // A file that cannot be decoded is a refusal; what a stream does not support is both errors, and a fault.
            Err(error) if error.is_instance_of::<PyValueError>(py) && !error.is_instance_of::<PyOSError>(py) => {
                Err(error.value(py).to_string())
            }
            asked => Ok(self.call(asked)),
        }
    }

    fn sibling(&mut self, key: &[String], ending: &str) -> Option<String> {
        let asked = self.text_of_sibling(key, ending);
        self.call(asked)
    }

    fn is_class(&mut self, key: &[String]) -> bool {
        let asked = self.is_named(key);
        self.call(asked)
    }

    fn control(&mut self, named: &[String], parameters: &[String]) -> UserControl {
        let asked = self.found(named, parameters);
        self.call(asked)
    }
}

/// A part of a document as Python has it.
fn to_python(py: Python<'_>, shown: &Shown) -> PyResult<Py<PyAny>> {
    Ok(match shown {
        Shown::Plain(json) => value::shown(py, json)?,
        Shown::Tables(tables) => {
            let tables = tables.iter().map(|table| to_python(py, table)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, tables)?.into_any().unbind()
        }
        Shown::Table(keys) => {
            let table = PyDict::new(py);
            for (name, shown) in keys {
                table.set_item(name, to_python(py, shown)?)?;
            }
            table.into_any().unbind()
        }
    })
}

#[pymethods]
impl Resolved {
    /// What is wrong, with the key at fault.
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Reported<'py>> {
        reported(py, &self.0.findings)
    }

    /// Keys that this point does not use, with what to say unless another one does; None where that is meant.
    #[getter]
    fn idle<'py>(&self, py: Python<'py>) -> PyResult<Reported<'py>> {
        self.0.idle.iter().map(|(path, message)| Ok((PyTuple::new(py, path)?, message.clone()))).collect()
    }

    /// What only the engine can report, such as a destination that no static route reaches.
    fn check<'py>(&self, py: Python<'py>, common: &mut Common) -> PyResult<Reported<'py>> {
        let Some(sound) = self.0.sound(Schema::engine()) else { return Ok(Vec::new()) };
        let problems = py.detach(|| match &sound.config {
            Ok(config) => all_problems(config, &mut common.reachability),
            Err(error) => vec![BuildError::new("config", error.clone())],
        });
        let findings: Vec<Finding> =
            problems.iter().map(|error| self.0.reported(&sound, &error.key, &error.message)).collect();
        reported(py, &findings)
    }

    /// Rough cost of a run, nothing is built; none where there is no configuration, of which `check` reports.
    fn estimate(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let Some(Sound { config: Ok(config), .. }) = self.0.sound(Schema::engine()) else { return Ok(None) };
        let cost = py.detach(|| simulation::estimate(&config)).map_err(|error| engine_error(py, &error))?;
        value::shown(py, &cost).map(Some)
    }

    /// The engine's configuration of a run.
    fn config(&self, py: Python<'_>, seed: u64) -> PyResult<Py<PyAny>> {
        value::shown(py, &self.0.config(Schema::engine(), seed))
    }

    /// The same as a value that the engine takes as it is.
    fn engine_config(&self, py: Python<'_>, seed: u64) -> PyResult<Config> {
        let config = py.detach(|| self.0.engine_config(Schema::engine(), seed));
        config.map(Config::of).map_err(|error| engine_error(py, &BuildError::new("config", error)))
    }

    /// Every key with its value in base units.
    fn document(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &self.0.document(Schema::engine()))
    }

    /// The key of the scenario that a key of the engine comes from.
    fn key_of(&self, engine_key: &str) -> String {
        self.0.key_of(engine_key).join(".")
    }

    /// What is allowed but hardly meant: what it is about, and in words.
    fn warnings(&self) -> Vec<resolving::Warning> {
        self.0.warnings()
    }

    /// The keys at the top of the file, in engine form.
    #[getter]
    fn top(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        value::shown(py, &Json::Object(self.0.top.merged()))
    }

    /// The kind of topology.
    #[getter]
    fn kind(&self) -> &str {
        self.0.topology.get("kind").and_then(Json::as_str).unwrap_or_default()
    }

    /// Positions of the nodes in metres.
    #[getter]
    fn nodes(&self) -> Vec<Position> {
        self.0.nodes().to_vec()
    }

    /// Numbers of a file of positions that no node has.
    #[getter]
    fn unused(&self) -> Vec<usize> {
        self.0.placed.as_ref().map_or_else(Vec::new, |placed| placed.unused.clone())
    }

    /// How many nodes there are.
    #[getter]
    fn size(&self) -> usize {
        self.0.nodes().len()
    }

    /// How many of the engine's flows each `[[flow]]` table stands for.
    #[getter]
    fn copies(&self) -> Vec<usize> {
        self.0.flows.iter().map(|flow| flow.ends.len()).collect()
    }

    /// Times of flows and outages above 0: table, number, key, nanoseconds.
    #[getter]
    fn times(&self) -> Vec<(&'static str, usize, &'static str, u64)> {
        self.0.times()
    }

    /// What makes another network of each seed.
    #[getter]
    fn by_seed(&self) -> &'static str {
        self.0.by_seed()
    }
}
