//! Time series and samples as Arrow's columns: values in little-endian order side by side, none of them missing. Python's
//! pyarrow takes such a buffer as it is.

use std::collections::BTreeMap;

use hopscope_engine::bottleneck::BottleneckResult;
use hopscope_engine::results::SeriesResult;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A column: its name, the name of its type in Arrow, its values.
pub type Column = (&'static str, &'static str, Py<PyBytes>);

/// A table: its name, its columns of one length.
pub type Table = (&'static str, Vec<Column>);

fn column<T: Copy, const N: usize>(
    py: Python<'_>,
    (name, kind): (&'static str, &'static str),
    values: &[T],
    octets: impl Fn(T) -> [u8; N],
) -> Column {
    let buffer: Vec<u8> = values.iter().flat_map(|&value| octets(value)).collect();
    (name, kind, PyBytes::new(py, &buffer).unbind())
}

fn floats(py: Python<'_>, name: &'static str, values: &[f64]) -> Column {
    column(py, (name, "float64"), values, f64::to_le_bytes)
}

/// The series of a run, each a table.
pub fn of_series(py: Python<'_>, series: &BTreeMap<&'static str, SeriesResult>) -> Vec<Table> {
    let owners = |name, owners: &Option<Vec<u32>>| {
        owners.as_ref().map(|numbers| column(py, (name, "int64"), numbers, |number| i64::from(number).to_le_bytes()))
    };
    let table = |one: &SeriesResult| {
        let values = [floats(py, "t_s", &one.t_s), floats(py, "value", &one.value)];
        owners("flow", &one.flow).into_iter().chain(owners("node", &one.node)).chain(values).collect()
    };
    series.iter().map(|(&name, one)| (name, table(one))).collect()
}

/// The samples and the drops of a flow over a bottleneck.
pub fn of_bottleneck(py: Python<'_>, run: &BottleneckResult) -> Vec<Table> {
    let samples = vec![
        floats(py, "t_s", &run.t_s),
        floats(py, "cwnd", &run.cwnd),
        floats(py, "ssthresh", &run.ssthresh),
        floats(py, "in_flight", &run.in_flight),
        floats(py, "queue", &run.queue),
        // Signed like the other whole numbers of tables; no run sends more than they hold.
        column(py, ("sent", "int64"), &run.sent, |count| i64::try_from(count).unwrap_or(i64::MAX).to_le_bytes()),
        floats(py, "acked", &run.acked),
    ];
    vec![("samples", samples), ("drops", vec![floats(py, "t_s", &run.drops_s)])]
}
