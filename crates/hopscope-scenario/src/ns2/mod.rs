//! ns-2 scripts, read without executing Tcl: nodes, their movement, agents, applications, connections, times, and the
//! configuration of nodes. One reader for traffic files, movement files and whole scripts.
//!
//! Each statement is followed or becomes one of [`Script::unread`]; no statement is passed over in silence. The semantics
//! are those of ns-2.35, asked of its runs where this project's pages say so.

mod agents;
mod commands;
mod control;
pub mod import;
mod objects;
mod radio;
mod read;
#[cfg(test)]
mod tests;
mod units;

use std::collections::BTreeMap;

pub use agents::{Agent, AgentKind, Event, Source, SourceKind, Tcp, UNLIMITED};
pub use read::read;
pub use units::{rate, seconds};

use crate::near::Position;

/// Where a statement stands: the number of its file, and the line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// Number of the file in [`Script::files`].
    pub file: u32,
    /// Line, counted from 1.
    pub line: u32,
}

/// A destination that a node is sent to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Order {
    /// Where it stands.
    pub at: At,
    /// Seconds.
    pub time: f64,
    /// Metres.
    pub to: Position,
    /// m/s.
    pub speed: f64,
}

/// What a script says of a node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Node {
    /// `X_` and `Y_` in metres, each with its statement.
    pub position: [Option<(At, f64)>; 2],
    /// `setdest`, in the order of the script.
    pub orders: Vec<Order>,
}

/// A statement that is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Where it stands.
    pub at: At,
    /// Its beginning.
    pub text: String,
    /// Why.
    pub why: String,
}

/// A value that a script sets, with its statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Where it stands.
    pub at: At,
    /// The value.
    pub value: String,
}

/// What a script says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Script {
    /// The files that it consists of.
    pub files: Vec<String>,
    /// Nodes by their numbers.
    pub nodes: BTreeMap<usize, Node>,
    /// How many nodes `$ns node` has made.
    pub created: usize,
    /// Agents.
    pub agents: Vec<Agent>,
    /// Applications.
    pub sources: Vec<Source>,
    /// Variables of classes that are no agents or applications, by class and name.
    pub settings: BTreeMap<(String, String), Setting>,
    /// Options of `node-config`, by name without the dash.
    pub options: BTreeMap<String, Setting>,
    /// Width and height of the area (`load_flatgrid`).
    pub area: Option<(At, Position)>,
    /// When the run ends (`halt`, `exit`).
    pub end: Option<(At, f64)>,
    /// The first statement that belongs to a whole script: a simulator, a configuration.
    pub whole: Option<At>,
    /// Statements that are not followed.
    pub unread: Vec<Unread>,
}

impl Script {
    /// A message with the place of a statement in front.
    pub fn fault(&self, at: At, why: &str) -> String {
        format!("{}:{}: {why}", self.files.get(at.file as usize).map_or("", String::as_str), at.line)
    }

    /// A file of movement or traffic alone: everything in it is followed, and nothing belongs to a whole script.
    ///
    /// # Errors
    /// A statement is not followed.
    pub fn part(self) -> Result<Script, String> {
        if let Some(at) = self.whole {
            let why = "this statement belongs to a whole script, which hopscope import reads; expected nodes, agents, \
                       applications and times alone";
            return Err(self.fault(at, why));
        }
        match self.unread.first() {
            Some(unread) => Err(self.fault(unread.at, &unread.why)),
            None => Ok(self),
        }
    }

    /// The statement that first says something of traffic.
    pub fn traffic(&self) -> Option<At> {
        let agents = self.agents.iter().map(|agent| agent.at);
        agents.chain(self.sources.iter().map(|source| source.at)).min()
    }

    /// The statement that first says where a node is or goes.
    pub fn movement(&self) -> Option<At> {
        let of_node = |node: &Node| {
            let set = node.position.iter().flatten().map(|(at, _)| *at);
            set.chain(node.orders.iter().map(|order| order.at)).min()
        };
        self.nodes.values().filter_map(of_node).min()
    }
}

/// Whether a text looks like an ns-2 script.
pub fn looks_like(text: &str) -> bool {
    text.contains("$node_(") || text.contains("$node(") || text.contains("new Simulator")
}

/// No file can be opened from a file of movement or traffic.
pub fn closed(file: &str) -> Result<(String, String), String> {
    Err(format!("source {file}: a file of movement or traffic opens no other; name each in the scenario"))
}
