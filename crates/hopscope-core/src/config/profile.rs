//! Behaviour profiles: whose documented behaviour a run follows.

use crate::choice;

choice! {
    /// A behaviour profile. What it sets among the parameters of a layer stands with the layer.
    pub enum Profile {
        /// The standards.
        Standard = "standard",
        /// ns-2.35 as distributed.
        Ns2 = "ns2",
        /// ns-3.44 as measured for this project.
        AsNs3 = "as-ns3",
    }
}

impl Profile {
    /// The profile of a word.
    pub fn of(word: &str) -> Option<Profile> {
        Profile::ALL.into_iter().find(|profile| profile.word() == word)
    }
}
