//! What a page asks for, and what it is refused with.

use std::collections::BTreeMap;

use hopscope_engine::trace::Filter;
use hopscope_page::{only, records_named};
use hopscope_scenario::point::KeyFault;
use hopscope_scenario::value::Value;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

/// A scenario with what is set.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    pub(crate) text: String,
    #[serde(default)]
    set: Map<String, Json>,
    #[serde(default)]
    pub(crate) seed: Option<u64>,
    #[serde(default)]
    pub(crate) records: Kept,
    /// Text of files that the scenario names, by their names as it writes them.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
}

/// Which records are kept: all, none, or those of these names.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Kept {
    All(bool),
    Names(Vec<String>),
}

impl Default for Kept {
    fn default() -> Self {
        Kept::All(true)
    }
}

impl Request {
    pub(crate) fn read(given: &str) -> Result<Request, Vec<KeyFault>> {
        serde_json::from_str(given).map_err(|error| vec![whole(error.to_string())])
    }

    pub(crate) fn settings(&self) -> Vec<(String, Value)> {
        self.set.iter().map(|(key, value)| (key.clone(), value_of(value))).collect()
    }
}

impl Kept {
    /// The filter; none: no record passes.
    pub(crate) fn filter(&self) -> Result<Option<Filter>, Vec<KeyFault>> {
        let names = match self {
            Kept::All(false) => return Ok(None),
            Kept::All(true) => return Ok(Some(Filter::default())),
            Kept::Names(names) => names,
        };
        let names = records_named(names).map_err(|problem| vec![whole(format!("records: {problem}"))])?;
        Ok(Some(only(names)))
    }
}

/// A problem of the request as a whole.
pub(crate) fn whole(message: String) -> KeyFault {
    KeyFault { key: String::new(), message, at: None }
}

/// A value of JSON as a scenario file has it.
fn value_of(json: &Json) -> Value {
    match json {
        Json::Null => Value::Other("None".to_string()),
        Json::Bool(flag) => Value::Flag(*flag),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Value::Int(i128::from(whole)),
            (_, Some(whole)) => Value::Int(i128::from(whole)),
            _ => Value::Float(number.as_f64().unwrap_or(f64::NAN), number.to_string()),
        },
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(value_of).collect()),
        Json::Object(keys) => Value::Table(keys.iter().map(|(name, value)| (name.clone(), value_of(value))).collect()),
    }
}

/// Problems as a page reads them.
pub(crate) fn shown(problems: &[KeyFault]) -> Json {
    let one = |problem: &KeyFault| {
        let mut shown = json!({"key": problem.key, "message": problem.message});
        if let Some((line, column)) = problem.at {
            shown["line"] = json!(line);
            shown["column"] = json!(column);
        }
        shown
    };
    problems.iter().map(one).collect()
}
