//! Keys of a scenario as Python objects, and the tables of them.

use hopscope_engine::config::schema::{self, Key, Kind, Range};
use hopscope_scenario::brought::{self, Meaning};
use hopscope_scenario::resolve::show;
use hopscope_scenario::{quantity as quantities, read, words};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::Value as Json;

use crate::value;

pyo3::create_exception!(
    hopscope._core,
    FieldError,
    PyValueError,
    "The value does not fit its key; the message says what was found and what is allowed."
);
pyo3::create_exception!(
    hopscope._core,
    QuantityError,
    PyValueError,
    "The text is no quantity of the wanted kind; the message says what is allowed."
);

/// One key: what it takes, what it means, and how a value is read.
#[pyclass(frozen, module = "hopscope._core")]
pub struct Field {
    key: Key,
    default: Py<PyAny>,
    fields: Py<PyTuple>,
}

impl Field {
    fn of(py: Python<'_>, key: Key) -> PyResult<Field> {
        let default = value::shown(py, &key.default)?;
        let fields = fields(py, key.fields.clone())?.unbind();
        Ok(Field { key, default, fields })
    }
}

#[pymethods]
impl Field {
    #[new]
    #[pyo3(signature = (name, kind, doc, unit="", *, default=None, choices=Vec::new(), minimum=Some(0.0), maximum=None,
        exclusive=false, required=false, source=""))]
    #[expect(clippy::too_many_arguments, reason = "each is an argument by name in Python")]
    fn new(
        py: Python<'_>,
        name: &str,
        kind: &str,
        doc: &str,
        unit: &str,
        default: Option<Py<PyAny>>,
        choices: Vec<String>,
        minimum: Option<f64>,
        maximum: Option<f64>,
        exclusive: bool,
        required: bool,
        source: &str,
    ) -> PyResult<Field> {
        let kind = Kind::of(kind).ok_or_else(|| PyTypeError::new_err(format!("no kind {kind:?} of keys")))?;
        let range = Range { least: minimum, most: maximum, above: exclusive };
        let key = Key::new(name, kind, doc).unit(unit).choices(choices).range(range).source(source);
        let key = if required { key.required() } else { key };
        Ok(Field { key, default: default.unwrap_or_else(|| py.None()), fields: PyTuple::empty(py).unbind() })
    }

    /// Name inside its table.
    #[getter]
    fn name(&self) -> &str {
        &self.key.name
    }

    /// What it takes.
    #[getter]
    fn kind(&self) -> &'static str {
        self.key.kind.word()
    }

    /// What it means.
    #[getter]
    fn doc(&self) -> &str {
        &self.key.doc
    }

    /// Base unit of the number.
    #[getter]
    fn unit(&self) -> &str {
        &self.key.unit
    }

    /// Default in engine form.
    #[getter]
    fn default(&self, py: Python<'_>) -> Py<PyAny> {
        self.default.clone_ref(py)
    }

    /// Allowed words.
    #[getter]
    fn choices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.key.choices)
    }

    /// Smallest number.
    #[getter]
    fn minimum(&self) -> Option<f64> {
        self.key.range.least
    }

    /// Largest number.
    #[getter]
    fn maximum(&self) -> Option<f64> {
        self.key.range.most
    }

    /// The smallest number itself is refused.
    #[getter]
    fn exclusive(&self) -> bool {
        self.key.range.above
    }

    /// It must be given.
    #[getter]
    fn required(&self) -> bool {
        self.key.required
    }

    /// When it has an effect, in words; none: always.
    #[getter]
    fn when(&self) -> Option<String> {
        self.key.when.as_ref().map(|when| when.in_words(str::to_string))
    }

    /// Where the default comes from.
    #[getter]
    fn source(&self) -> &str {
        &self.key.source
    }

    /// Keys of a table.
    #[getter]
    fn fields(&self, py: Python<'_>) -> Py<PyTuple> {
        self.fields.clone_ref(py)
    }

    /// The value in engine form.
    fn read(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let written = value::from_python(value)?;
        let found = read::read(&self.key, &written).map_err(FieldError::new_err)?;
        match self.key.kind {
            // What stands for a class is more than its text.
            Kind::Text | Kind::Name | Kind::Transport | Kind::Table => Ok(value.clone().unbind()),
            Kind::Control | Kind::Policy if value.is_instance_of::<pyo3::types::PyString>() => {
                Ok(value.clone().unbind())
            }
            Kind::Control | Kind::Policy => {
                // A copy, so that the table of the caller stays as it is whatever a run does with this one.
                let copy = PyDict::new(py);
                copy.call_method1("update", (value,))?;
                Ok(copy.into_any().unbind())
            }
            _ => value::shown(py, &found),
        }
    }

    /// An engine value in the base unit of the key, as a scenario file would hold it.
    fn show(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        match self.key.kind {
            Kind::Time | Kind::IntOrOff | Kind::FlagOrOwn => {
                let plain = if value.is_none() { Json::Null } else { value::from_python(value)?.json() };
                value::shown(py, &show(&self.key, &plain))
            }
            // The others are the same in both forms.
            _ => Ok(value.clone().unbind()),
        }
    }

    /// What the key takes, for messages.
    fn expected(&self) -> String {
        read::expected(&self.key)
    }

    fn __repr__(&self) -> String {
        format!("Field({:?}, {:?})", self.key.name, self.key.kind.word())
    }
}

fn fields(py: Python<'_>, keys: Vec<Key>) -> PyResult<Bound<'_, PyTuple>> {
    let fields = keys.into_iter().map(|key| Py::new(py, Field::of(py, key)?)).collect::<PyResult<Vec<_>>>()?;
    PyTuple::new(py, fields)
}

type Entry = (&'static str, &'static str, Py<PyTuple>);

/// Every table of the file but the topology and the sweep: name, description, keys; those in double brackets last.
#[pyfunction]
pub fn tables(py: Python<'_>) -> PyResult<Vec<(Entry, bool)>> {
    let entry = |table: schema::Table| Ok(((table.name, table.doc, fields(py, table.keys)?.unbind()), table.many));
    schema::tables().into_iter().map(entry).collect()
}

/// Kinds of topologies: word, description, keys besides `kind`.
#[pyfunction]
pub fn topologies(py: Python<'_>) -> PyResult<Vec<Entry>> {
    schema::TOPOLOGIES.iter().map(|kind| Ok((kind.name, kind.doc, fields(py, kind.keys())?.unbind()))).collect()
}

/// The key that names the kind of topology.
#[pyfunction]
pub fn topology_kind(py: Python<'_>) -> PyResult<Field> {
    Field::of(py, schema::topology())
}

/// Parameters of an engine section or of a routing protocol, under the engine's names.
#[pyfunction]
pub fn parameters(py: Python<'_>, section: &str) -> PyResult<Py<PyTuple>> {
    Ok(fields(py, schema::parameters(section))?.unbind())
}

/// Applications: word, description, keys used.
#[pyfunction]
pub fn apps(py: Python<'_>) -> PyResult<Vec<(&'static str, &'static str, Py<PyTuple>)>> {
    let row = |app: &schema::App| Ok((app.name, app.doc, PyTuple::new(py, app.keys)?.unbind()));
    schema::APPS.iter().map(row).collect()
}

/// Traffic patterns with one line each.
#[pyfunction]
pub fn patterns() -> Vec<(&'static str, &'static str)> {
    schema::PATTERNS.to_vec()
}

/// The JSON Schema (2020-12) of the scenario file.
#[pyfunction]
pub fn json_schema(py: Python<'_>) -> PyResult<Py<PyAny>> {
    value::shown(py, &hopscope_scenario::json_schema::schema())
}

/// What a message says of the choice that a word means; nothing where it means none.
#[pyfunction]
pub fn did_you_mean(word: &str, choices: Vec<String>) -> String {
    words::did_you_mean(word, &choices)
}

/// What a message says after a word that is none of the choices.
#[pyfunction]
pub fn instead(word: &str, choices: Vec<String>, allowed: &str) -> String {
    words::instead(word, &choices, allowed)
}

/// Every word of other tools that is known, with all that it means here.
#[pyfunction]
pub fn brought_words() -> Vec<(&'static str, Vec<String>)> {
    brought::all().into_iter().map(|(word, meant)| (word, meant.into_iter().map(Meaning::whole).collect())).collect()
}

/// A quantity in a base unit, as the text of a decimal number.
#[pyfunction]
pub fn quantity(text: &str, unit: &str) -> PyResult<String> {
    quantities::parse(text, unit).map(|number| number.text()).map_err(QuantityError::new_err)
}

/// The number of a quantity, as the text of a decimal number, and its unit.
#[pyfunction]
pub fn split_quantity(text: &str) -> PyResult<(String, String)> {
    quantities::split(text).map(|(number, unit)| (number.text(), unit)).map_err(QuantityError::new_err)
}
