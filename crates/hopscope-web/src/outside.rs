//! What a page has not: files, and code of a user's.

use hopscope_scenario::point::Asked;
use hopscope_scenario::resolve::{Outside, Path, UserControl};
use hopscope_scenario::value::Value;

/// Refuses everything, and keeps in mind what for.
#[derive(Debug, Default)]
pub(crate) struct Nothing {
    document: Option<Value>,
    /// Key and reason of the first that was refused.
    pub(crate) refused: Option<(Path, String)>,
}

impl Nothing {
    fn refuse(&mut self, key: &[String], what: &str) -> String {
        let named = match self.at(key) {
            Some(value) => value.shown(),
            None => String::new(),
        };
        let message = format!("{named} is {what}, which a page does not read; `hopscope run FILE` runs it");
        self.refused.get_or_insert_with(|| (key.to_vec(), message.clone()));
        message
    }

    fn at(&self, key: &[String]) -> Option<&Value> {
        key.iter().try_fold(self.document.as_ref()?, |value, part| match value {
            Value::Table(keys) => keys.iter().find(|(name, _)| name == part).map(|(_, value)| value),
            Value::List(items) => items.get(part.parse::<usize>().ok()?),
            _ => None,
        })
    }
}

impl Asked for Nothing {
    fn knows(&mut self, values: &Value) {
        self.document = Some(values.clone());
    }

    fn outside(&mut self) -> &mut dyn Outside {
        self
    }
}

impl Outside for Nothing {
    fn text(&mut self, key: &[String], wanted: &str) -> Result<(String, String), String> {
        match self.at(key) {
            Some(Value::Text(_)) => Err(self.refuse(key, "a file")),
            Some(other) => Err(format!("found {}; expected {wanted}", other.shown())),
            None => Err(format!("a file is needed; expected {wanted}")),
        }
    }

    fn sibling(&mut self, _key: &[String], _ending: &str) -> Option<String> {
        None
    }

    fn is_class(&mut self, key: &[String]) -> bool {
        // A file or a module, as the command has it; classes of a process are nowhere here.
        matches!(self.at(key), Some(Value::Text(text)) if text.contains(':') || text.ends_with(".py"))
    }

    fn control(&mut self, named: &[String], _parameters: &[String]) -> UserControl {
        let message = self.refuse(named, "code of your own");
        UserControl { refused: vec![(named.to_vec(), message)], ..UserControl::default() }
    }
}
