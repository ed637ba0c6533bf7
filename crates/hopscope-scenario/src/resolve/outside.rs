//! What a scenario names that lies outside its file: node files, traces, and classes of code.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::reader::Path;
use super::sections::Base;
use crate::agreement::Finding;
use crate::frames::Frame;
use crate::link_traces::{LinkQuantity, Trace};
use crate::topology::{Placement, PlacementError};

/// Who opens files and finds classes; keys are given by their paths in the document.
pub trait Outside {
    /// The name of the file that a key names, for messages, and its text; `wanted` is what it should be.
    ///
    /// # Errors
    /// It cannot be read.
    fn text(&mut self, key: &[String], wanted: &str) -> Result<(String, String), String>;

    /// The text of the file with another ending next to the one that a key names; none where there is none.
    fn sibling(&mut self, key: &[String], ending: &str) -> Option<String>;

    /// Whether the text of a key is meant to name a class.
    fn is_class(&mut self, key: &[String]) -> bool;

    /// The congestion control or ACK policy that one key names, with the parameters that another one holds.
    fn control(&mut self, named: &[String], parameters: &[String]) -> UserControl;
}

/// A congestion control or an ACK policy of a user's own.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnControl {
    /// What it is called.
    pub name: String,
    /// The text that names it, without `tcp:`.
    pub named: String,
    /// What distinguishes runs with its code and parameters from others.
    pub identity: String,
    /// All its parameters.
    pub parameters: Vec<(String, Json)>,
}

/// What was found of such a class.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserControl {
    /// The class; none where there is no such class.
    pub own: Option<OwnControl>,
    /// What is wrong.
    pub refused: Vec<Finding>,
    /// Parameters that it does not have.
    pub unused: Vec<(Path, String)>,
}

/// What the points of a sweep have in common, made once.
#[derive(Default)]
pub struct Shared {
    pub(super) placed: BTreeMap<String, Result<Arc<Placement>, PlacementError>>,
    pub(super) movements: BTreeMap<String, Arc<crate::movement_files::Movement>>,
    pub(super) frames: BTreeMap<(String, u64), Arc<Vec<Frame>>>,
    pub(super) link_traces: BTreeMap<(String, LinkQuantity, usize), Arc<Trace>>,
    pub(super) bases: BTreeMap<(String, String), Arc<Base>>,
}
