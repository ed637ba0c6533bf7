//! The rules of 802.11 interfaces: one set for all that have the same, named by the interfaces that keep it.

use crate::channel::budget::Budget;
use crate::config::Config;
use crate::mac::MacRules;

/// All sets of rules of a run.
#[derive(Debug)]
pub struct RulesTable {
    common: MacRules,
    /// Sets of single nodes, numbered from 1 on.
    own: Vec<MacRules>,
}

impl RulesTable {
    /// The sets of a configuration, and the number of the set of each node's interface.
    pub fn new(config: &Config) -> (Self, impl Fn(u32) -> u16) {
        let mut chosen = vec![0; config.nodes.len()];
        for (number, set) in config.interfaces().enumerate() {
            set.nodes.into_iter().flatten().for_each(|&node| chosen[node as usize] = number as u16);
        }
        let mut sets = config.interfaces().map(|set| {
            let mut rules = MacRules::new(&set.radio, set.mac);
            rules.station.radio.busy_power = Budget::new(&set.radio).busy;
            rules
        });
        let common = sets.next().expect("there are common settings");
        let own = sets.collect();
        (RulesTable { common, own }, move |node| chosen[node as usize])
    }

    /// The rules that an interface names.
    #[inline(always)]
    pub fn of(&self, number: u16) -> &MacRules {
        if self.own.is_empty() { &self.common } else { self.one_of_many(number) }
    }

    #[cold]
    fn one_of_many(&self, number: u16) -> &MacRules {
        match number {
            0 => &self.common,
            _ => &self.own[usize::from(number) - 1],
        }
    }
}
