//! Errors of the caller. A mistake of the engine itself is a panic.

use thiserror::Error;

/// A configuration that cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{key}: {message}")]
pub struct BuildError {
    /// Dotted key of the parameter at fault, such as `flows.0.to`.
    pub key: String,
    /// What was found and what is allowed.
    pub message: String,
}

impl BuildError {
    /// An error at `key`.
    pub fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        BuildError { key: key.into(), message: message.into() }
    }

    /// The error of a key that names a node beyond the `nodes` there are.
    pub fn no_such_node(key: impl Into<String>, node: impl std::fmt::Display, nodes: usize) -> Self {
        let there_are = match nodes {
            0 => "there are none".to_string(),
            some => format!("nodes are 0 to {}", some - 1),
        };
        BuildError::new(key, format!("node {node} does not exist; {there_are}"))
    }
}

/// Everything that is wrong with a configuration, each key at most once.
#[derive(Debug, Default)]
pub struct BuildErrors(pub Vec<BuildError>);

impl BuildErrors {
    /// Adds what a check found.
    pub fn note(&mut self, checked: Result<(), BuildError>) {
        match checked {
            // The first mistake of a key: later ones often follow from it.
            Err(error) if self.0.iter().all(|known| known.key != error.key) => self.0.push(error),
            Err(_) | Ok(()) => {}
        }
    }

    /// Adds all that a check found.
    pub fn note_all(&mut self, found: impl IntoIterator<Item = BuildError>) {
        found.into_iter().for_each(|error| self.note(Err(error)));
    }

    /// Whether something is wrong at `key`: nothing is compared with its value then.
    pub fn has(&self, key: &str) -> bool {
        self.0.iter().any(|known| known.key == key)
    }

    /// Whether something is wrong in the section whose keys begin so: nothing is reckoned with its values then.
    pub fn has_within(&self, section: &str) -> bool {
        self.0.iter().any(|known| known.key.strip_prefix(section).is_some_and(|rest| rest.starts_with('.')))
    }

    /// Adds the error at `key` unless something holds, which is returned.
    pub fn require(&mut self, holds: bool, key: impl Into<String>, message: impl FnOnce() -> String) -> bool {
        self.note(require(holds, key, message));
        holds
    }
}

/// The error at `key` unless something holds; the message is made where it is needed.
pub fn require(holds: bool, key: impl Into<String>, message: impl FnOnce() -> String) -> Result<(), BuildError> {
    if holds { Ok(()) } else { Err(BuildError::new(key, message())) }
}
