//! What of a run is captured.

use hopscope_core::error::BuildError;
use hopscope_engine::Config;
use serde::Deserialize;

/// A choice of nodes, flows and layers.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// This node alone; none: all of them.
    #[serde(default)]
    pub node: Option<u32>,
    /// Packets of this flow alone, and the frames that carry them; none: everything.
    #[serde(default)]
    pub flow: Option<u32>,
    /// Radios.
    #[serde(default = "yes")]
    pub radio: bool,
    /// Hosts.
    #[serde(default = "yes")]
    pub host: bool,
    /// Frames and packets that were lost, too, each with a comment that says why.
    #[serde(default)]
    pub lost: bool,
    /// Frames for others that a radio could read, too.
    #[serde(default)]
    pub monitor: bool,
}

fn yes() -> bool {
    true
}

impl Default for Choice {
    fn default() -> Self {
        Choice { node: None, flow: None, radio: true, host: true, lost: false, monitor: false }
    }
}

impl Choice {
    /// What is wrong with it for a configuration.
    ///
    /// # Errors
    /// There is no such node or flow.
    pub fn check(&self, config: &Config) -> Result<(), BuildError> {
        let flows = config.measured().flows.len();
        for (key, found, count) in [("node", self.node, config.nodes.len()), ("flow", self.flow, flows)] {
            if let Some(found) = found.filter(|found| *found as usize >= count) {
                let message = format!("found {found}; the scenario has {key}s 0 to {}", count.saturating_sub(1));
                return Err(BuildError::new(key, message));
            }
        }
        Ok(())
    }
}
