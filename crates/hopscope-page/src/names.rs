//! Records by their names.

use hopscope_engine::record::Record;
use hopscope_engine::trace::Filter;

/// The names of records as the engine has them.
///
/// # Errors
/// One that no record has.
pub fn records_named(names: &[String]) -> Result<Vec<&'static str>, String> {
    let known = |name: &String| Record::NAMES.iter().copied().find(|known| known == name);
    names.iter().map(|name| known(name).ok_or_else(|| format!("there is no record {name:?}"))).collect()
}

/// Lets the records of these names through, and no others.
pub fn only(names: Vec<&'static str>) -> Filter {
    Filter { names: Some(names), ..Filter::default() }
}
