//! What a run gives.

use hopscope_engine::BuildError;
use hopscope_engine::results::RunResult;
use pyo3::prelude::*;

use crate::columns::{self, Table};
use crate::error::engine_error;
use crate::value;

/// The results of a run: as values, as the text that a store keeps, and its time series as columns.
#[pyclass(frozen, module = "hopscope._core")]
pub struct Outcome {
    /// Without its series.
    result: RunResult,
    series: Vec<Table>,
}

impl Outcome {
    pub fn of(py: Python<'_>, mut result: RunResult) -> Outcome {
        // Taken out: as JSON the series would be most of the text that a store keeps of a run.
        let series = columns::of_series(py, &std::mem::take(&mut result.series));
        Outcome { result, series }
    }
}

#[pymethods]
impl Outcome {
    /// Its entries without the time series.
    fn values(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        value::shown(py, &self.result)
    }

    /// The same as a store keeps it, JSON.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| serde_json::to_string(&self.result))
            .map_err(|error| engine_error(py, &BuildError::new("results", error.to_string())))
    }

    /// The time series, by name: of each column its name, the name of its type in Arrow, and its values side by side.
    #[getter]
    fn series(&self, py: Python<'_>) -> Vec<Table> {
        let columns = |columns: &[columns::Column]| {
            columns.iter().map(|(name, kind, values)| (*name, *kind, values.clone_ref(py))).collect()
        };
        self.series.iter().map(|(name, table)| (*name, columns(table))).collect()
    }
}
