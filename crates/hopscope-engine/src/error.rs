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
}
