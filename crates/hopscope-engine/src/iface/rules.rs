//! The rules of 802.11 interfaces: one set for all that have the same, named by the interfaces that keep it.

use crate::channel::budget::Budget;
use crate::config::Config;
use crate::mac::MacRules;

/// All sets of rules of a run.
#[derive(Debug)]
pub struct RulesTable(Vec<MacRules>);

impl RulesTable {
    /// The sets of a configuration, and the number of the set of each node's interface.
    pub fn new(config: &Config) -> (Self, impl Fn(u32) -> u16) {
        let mut chosen = vec![0; config.nodes.len()];
        for (number, set) in config.interfaces().enumerate() {
            set.nodes.into_iter().flatten().for_each(|&node| chosen[node as usize] = number as u16);
        }
        let rules = config.interfaces().map(|set| {
            let mut rules = MacRules::new(&set.radio, set.mac);
            rules.station.radio.busy_power = Budget::new(&set.radio).busy;
            rules
        });
        let rules = rules.collect();
        (RulesTable(rules), move |node| chosen[node as usize])
    }

    /// The rules that an interface names.
    #[inline(always)]
    pub fn of(&self, number: u16) -> &MacRules {
        // Where all keep the same rules nobody looks where they are.
        match &self.0[..] {
            [only] => only,
            sets => &sets[usize::from(number)],
        }
    }
}
