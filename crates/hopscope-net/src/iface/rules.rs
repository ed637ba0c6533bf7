//! The rules of 802.11 interfaces: interfaces with the same parameters share one set by reference.

use std::borrow::Cow;
use std::sync::Arc;

use hopscope_core::ids::NodeId;
use hopscope_mac::MacRules;
use hopscope_mac::config::MacConfig;
use hopscope_phy::channel::budget::Budget;
use hopscope_phy::config::RadioConfig;

/// Parameters of 802.11 interfaces that are the same.
#[derive(Debug, Clone)]
pub struct InterfaceSet<'a> {
    /// The nodes; none: all that no other set names.
    pub nodes: Option<&'a [u32]>,
    /// Radio with the rates of these interfaces.
    pub radio: Cow<'a, RadioConfig>,
    /// MAC and queue.
    pub mac: &'a MacConfig,
    /// Key of the section that the rates come from, for messages.
    pub rates_key: String,
    /// Key of the section that the MAC comes from.
    pub mac_key: String,
}

/// The sets of rules of a configuration.
#[derive(Debug)]
pub struct RuleSets {
    common: Arc<MacRules>,
    /// Of nodes that have their own; the last that names a node counts.
    own: Vec<(Vec<u32>, Arc<MacRules>)>,
}

impl RuleSets {
    /// The sets of interfaces with the same parameters: the common ones first, then those of the nodes that have their own.
    ///
    /// # Panics
    /// There are no common ones.
    pub fn new<'a>(sets: impl IntoIterator<Item = InterfaceSet<'a>>) -> Self {
        let rules = |set: &InterfaceSet<'_>| {
            let mut rules = MacRules::new(&set.radio, set.mac);
            rules.station.radio.busy_power = Budget::new(&set.radio).busy;
            Arc::new(rules)
        };
        let mut sets = sets.into_iter();
        let common = rules(&sets.next().expect("there are common settings"));
        let own = sets.map(|set| (set.nodes.unwrap_or_default().to_vec(), rules(&set))).collect();
        RuleSets { common, own }
    }

    /// The set of a node's interface.
    pub fn of(&self, node: NodeId) -> &Arc<MacRules> {
        let own = self.own.iter().find(|(nodes, _)| nodes.contains(&node.0));
        own.map_or(&self.common, |(_, rules)| rules)
    }

    /// The set of all interfaces that have none of their own.
    pub fn common(&self) -> &Arc<MacRules> {
        &self.common
    }

    /// True when all interfaces have the same set.
    pub fn are_shared(&self) -> bool {
        self.own.is_empty()
    }
}
