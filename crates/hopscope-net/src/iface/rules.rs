//! The rules of 802.11 interfaces: interfaces with the same parameters share one set by reference.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use hopscope_core::ids::NodeId;
use hopscope_mac::MacRules;
use hopscope_mac::config::MacConfig;
use hopscope_mac::edca::QosStations;
use hopscope_phy::channel::budget::Budget;
use hopscope_phy::config::RadioConfig;

/// Parameters of 802.11 interfaces that are the same.
#[derive(Debug, Clone)]
pub struct InterfaceSet<'a> {
    /// The stations; none: all that no other set names.
    pub stations: Option<Cow<'a, [u32]>>,
    /// Radio with the rates of these interfaces.
    pub radio: Cow<'a, RadioConfig>,
    /// MAC and queue.
    pub mac: &'a MacConfig,
    /// Key of the section that the rates come from, for messages.
    pub rates_key: String,
    /// Key of the section that the MAC comes from.
    pub mac_key: String,
}

/// Which stations have QoS, where some have and others have not.
fn qos_stations(sets: &[InterfaceSet<'_>]) -> Option<QosStations> {
    let (common, own) = sets.split_first()?;
    if own.iter().all(|set| set.mac.qos == common.mac.qos) {
        return None;
    }
    // The first set that names a node counts.
    let mut seen = BTreeMap::new();
    for set in own {
        set.stations.iter().flat_map(|stations| stations.iter()).for_each(|&node| {
            seen.entry(NodeId(node)).or_insert(set.mac.qos);
        });
    }
    let listed = seen.into_iter().filter(|(_, qos)| *qos != common.mac.qos).map(|(node, _)| node).collect();
    Some(QosStations { listed, have_qos: !common.mac.qos })
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
            rules
        };
        let sets: Vec<_> = sets.into_iter().collect();
        let stations = qos_stations(&sets);
        let rules = |set| {
            let mut rules: MacRules = rules(set);
            if let Some(stations) = &stations {
                rules.set_qos_stations(stations);
            }
            Arc::new(rules)
        };
        let (common, own) = sets.split_first().expect("there are common settings");
        let own = own.iter().map(|set| (set.stations.as_deref().unwrap_or_default().to_vec(), rules(set))).collect();
        RuleSets { common: rules(common), own }
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
