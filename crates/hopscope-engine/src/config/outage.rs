//! Times during which a node's radio is off.

use serde::{Deserialize, Serialize};

use hopscope_core::error::BuildError;
use hopscope_core::units::Time;

/// An outage: the node's radio neither sends nor hears. Its protocols go on and learn of it as they would of any
/// silence. A frame that it is sending when the outage begins still reaches everyone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// Node.
    pub node: u32,
    /// When the radio goes off.
    pub from: Time,
    /// When it comes back; none: never.
    #[serde(default)]
    pub to: Option<Time>,
}

impl Outage {
    /// What is wrong with the `number`-th outage of a network of so many nodes.
    pub fn check(&self, number: usize, nodes: usize) -> Vec<BuildError> {
        let mut found = Vec::new();
        if self.node as usize >= nodes {
            found.push(BuildError::no_such_node(format!("outages.{number}.node"), self.node, nodes));
        }
        if let Some(to) = self.to.filter(|&to| to <= self.from) {
            let message = format!("found {} s; it must come after from, {} s", to.as_secs(), self.from.as_secs());
            found.push(BuildError::new(format!("outages.{number}.to"), message));
        }
        found
    }

    /// What a flow's note says of an outage of its source or destination.
    pub fn note(&self, end: &str) -> String {
        let until = self.to.map_or_else(|| "the end".to_string(), |to| format!("{} s", to.as_secs()));
        format!("its {end}, node {}, was off from {} s to {until}", self.node, self.from.as_secs())
    }
}
