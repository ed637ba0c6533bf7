//! `hopscope._core`: conversion and guards only. JSON goes in, JSON comes out, time series as columns of Arrow; the
//! interpreter lock is released while the engine works.

mod acks;
mod capture;
mod columns;
mod control;
mod document;
mod error;
mod info;
mod key;
mod place;
mod probe;
mod resolve;
mod run;
mod steps;
mod trace;
mod value;

use hopscope_scenario::resolve::MANY_NODES;
use pyo3::prelude::*;

#[pymodule]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("MANY_NODES", MANY_NODES)?;
    m.add("EngineError", m.py().get_type::<error::EngineError>())?;
    m.add("Cancelled", m.py().get_type::<error::Cancelled>())?;
    m.add("ControlError", m.py().get_type::<control::ControlError>())?;
    m.add("FieldError", m.py().get_type::<key::FieldError>())?;
    m.add("QuantityError", m.py().get_type::<key::QuantityError>())?;
    m.add("PlaceError", m.py().get_type::<place::PlaceError>())?;
    m.add_class::<key::Field>()?;
    m.add_class::<acks::AckState>()?;
    m.add_class::<control::FlowState>()?;
    m.add_class::<run::CancelToken>()?;
    m.add_class::<probe::Probing>()?;
    m.add_class::<steps::Steps>()?;
    m.add_function(wrap_pyfunction!(run::run, m)?)?;
    m.add_function(wrap_pyfunction!(capture::capture, m)?)?;
    m.add_function(wrap_pyfunction!(trace::trace, m)?)?;
    m.add_function(wrap_pyfunction!(trace::record_kinds, m)?)?;
    m.add_function(wrap_pyfunction!(run::bottleneck, m)?)?;
    m.add_function(wrap_pyfunction!(run::validate, m)?)?;
    m.add_function(wrap_pyfunction!(run::estimate, m)?)?;
    m.add_function(wrap_pyfunction!(run::static_hops, m)?)?;
    m.add_function(wrap_pyfunction!(run::trajectory, m)?)?;
    m.add_function(wrap_pyfunction!(run::ways, m)?)?;
    m.add_function(wrap_pyfunction!(info::version, m)?)?;
    m.add_function(wrap_pyfunction!(info::build_id, m)?)?;
    m.add_function(wrap_pyfunction!(info::profiles, m)?)?;
    m.add_function(wrap_pyfunction!(info::presets, m)?)?;
    m.add_function(wrap_pyfunction!(info::base_config, m)?)?;
    m.add_function(wrap_pyfunction!(info::transports, m)?)?;
    m.add_function(wrap_pyfunction!(info::controls, m)?)?;
    m.add_function(wrap_pyfunction!(info::recoveries, m)?)?;
    m.add_function(wrap_pyfunction!(info::ack_policies, m)?)?;
    m.add_function(wrap_pyfunction!(info::link_layers, m)?)?;
    m.add_function(wrap_pyfunction!(info::series, m)?)?;
    m.add_function(wrap_pyfunction!(info::metrics, m)?)?;
    m.add_function(wrap_pyfunction!(info::routings, m)?)?;
    m.add_function(wrap_pyfunction!(info::ledger_causes, m)?)?;
    m.add_function(wrap_pyfunction!(info::routing_sets, m)?)?;
    m.add_function(wrap_pyfunction!(info::routing_set, m)?)?;
    m.add_function(wrap_pyfunction!(info::frame_airtime_ns, m)?)?;
    m.add_function(wrap_pyfunction!(key::tables, m)?)?;
    m.add_function(wrap_pyfunction!(key::topologies, m)?)?;
    m.add_function(wrap_pyfunction!(key::topology_kind, m)?)?;
    m.add_function(wrap_pyfunction!(key::parameters, m)?)?;
    m.add_function(wrap_pyfunction!(key::apps, m)?)?;
    m.add_function(wrap_pyfunction!(key::patterns, m)?)?;
    m.add_function(wrap_pyfunction!(key::json_schema, m)?)?;
    m.add_function(wrap_pyfunction!(key::closest, m)?)?;
    m.add_function(wrap_pyfunction!(key::elsewhere, m)?)?;
    m.add_function(wrap_pyfunction!(key::brought_words, m)?)?;
    m.add_function(wrap_pyfunction!(key::quantity, m)?)?;
    m.add_function(wrap_pyfunction!(key::split_quantity, m)?)?;
    m.add("TomlError", m.py().get_type::<document::TomlError>())?;
    m.add_class::<document::Places>()?;
    m.add_class::<value::Date>()?;
    m.add_function(wrap_pyfunction!(document::read_toml, m)?)?;
    m.add_function(wrap_pyfunction!(document::toml_value, m)?)?;
    m.add_function(wrap_pyfunction!(document::to_toml, m)?)?;
    m.add_function(wrap_pyfunction!(document::inline, m)?)?;
    m.add_class::<resolve::Resolved>()?;
    m.add_class::<resolve::Common>()?;
    m.add_function(wrap_pyfunction!(resolve::resolve, m)?)?;
    m.add_function(wrap_pyfunction!(place::place, m)?)?;
    m.add_function(wrap_pyfunction!(place::across, m)?)?;
    m.add_function(wrap_pyfunction!(place::drawn, m)?)?;
    m.add_function(wrap_pyfunction!(place::components, m)?)?;
    m.add_function(wrap_pyfunction!(place::near, m)?)?;
    m.add_function(wrap_pyfunction!(place::positions, m)?)?;
    m.add_function(wrap_pyfunction!(place::import_ns2, m)?)?;
    m.add_function(wrap_pyfunction!(place::frames, m)?)?;
    Ok(())
}
