//! What a scenario names that lies outside its text: files, which a page has where they were handed over, and code of a user's,
//! which it never has.

use std::collections::BTreeMap;

use hopscope_scenario::point::DocumentOutside;
use hopscope_scenario::resolve::{Outside, Path, UserControl};
use hopscope_scenario::value::Value;

/// Gives the files that were handed over, refuses everything else, and keeps in mind what for.
#[derive(Debug)]
pub(crate) struct Given<'a> {
    /// Text of files by their names as the scenario writes them.
    files: &'a BTreeMap<String, String>,
    document: Option<Value>,
    /// Key and reason of the first that was refused.
    pub(crate) refused: Option<(Path, String)>,
}

impl<'a> Given<'a> {
    pub(crate) fn new(files: &'a BTreeMap<String, String>) -> Self {
        Given { files, document: None, refused: None }
    }

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

/// The name of the file that goes with another: `walk.params` with `walk.movements.gz`.
fn companion(name: &str, ending: &str) -> String {
    let (folder, file) = name.rfind('/').map_or(("", name), |at| name.split_at(at + 1));
    let file = file.strip_suffix(".gz").unwrap_or(file);
    format!("{folder}{}{ending}", file.strip_suffix(".movements").unwrap_or(file))
}

impl DocumentOutside for Given<'_> {
    fn knows(&mut self, values: &Value) {
        self.document = Some(values.clone());
    }

    fn outside(&mut self) -> &mut dyn Outside {
        self
    }
}

impl Outside for Given<'_> {
    fn text(&mut self, key: &[String], wanted: &str) -> Result<(String, String), String> {
        match self.at(key) {
            Some(Value::Text(name)) => match self.files.get(name) {
                Some(text) => Ok((name.clone(), text.clone())),
                None => Err(self.refuse(key, "a file")),
            },
            Some(other) => Err(format!("found {}; expected {wanted}", other.shown())),
            None => Err(format!("a file is needed; expected {wanted}")),
        }
    }

    fn sibling(&mut self, key: &[String], ending: &str) -> Option<String> {
        match self.at(key) {
            Some(Value::Text(name)) => self.files.get(&companion(name, ending)).cloned(),
            _ => None,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_companion_has_the_name_of_its_file() {
        assert_eq!(companion("walks/walk.movements.gz", ".params"), "walks/walk.params");
        assert_eq!(companion("walk", ".params"), "walk.params");
    }
}
