//! Who decodes whom at the beginning of a run, found from one node outwards: no list of links is made for it.
//!
//! A search takes each node out of its cell when it first meets it, so that a crowded field costs about as much as it has
//! nodes, not links.

use crate::channel::budget::RANGE_SLACK;
use crate::channel::grid::{DrainingGrid, squared};
use crate::channel::law::Law;
use crate::config::RadioConfig;

/// The nodes that a search has not met yet.
#[derive(Debug)]
pub struct Decoding {
    law: Law,
    /// Within so many metres nodes are looked for.
    range: f64,
    positions: Vec<[f64; 2]>,
    unmet: DrainingGrid,
}

impl Decoding {
    /// All nodes, at `positions` (metres).
    pub fn new(positions: &[[f64; 2]], radio: &RadioConfig, seed: u64) -> Self {
        Self::of(Law::new(radio, seed), positions)
    }

    pub(super) fn of(law: Law, positions: &[[f64; 2]]) -> Self {
        let range = range(&law);
        let unmet = DrainingGrid::new(positions, range);
        Decoding { law, range, positions: positions.to_vec(), unmet }
    }

    /// True when the same nodes decode each other at these positions with these parameters.
    pub fn is_of(&self, positions: &[[f64; 2]], radio: &RadioConfig, seed: u64) -> bool {
        let law = Law::new(radio, seed);
        // Where distance decides, neither the seed nor another parameter of the radio changes who decodes whom.
        let by_distance = self.law.is_plain(1.0) && law.is_plain(1.0);
        let is_same = if by_distance {
            self.law.radio.tx_range == radio.tx_range && self.range == range(&law)
        } else {
            self.law.radio == *radio && self.law.seed == seed
        };
        is_same && self.positions == positions
    }

    /// Meets those not met yet that decode `node`, as [`Medium::neighbours`](super::Medium::neighbours) has them at the
    /// beginning; `meet` says whether that was all that it wants to see of one, and is asked again otherwise.
    pub fn meet(&mut self, node: usize, mut meet: impl FnMut(u32) -> bool) {
        let Decoding { law, range, positions, unmet, .. } = self;
        let position = positions[node];
        let limit = *range * *range;
        unmet.take(&position, *range, |other| {
            let squared = squared(position, positions[other as usize]);
            squared <= limit && other as usize != node && law.decodes(node, (squared, other)) && meet(other)
        });
    }

    /// Nothing has been met.
    pub fn begin_again(&mut self) {
        self.unmet.refill();
    }
}

/// How far nodes that decode can be: where distance alone decides, no farther than the range.
fn range(law: &Law) -> f64 {
    if law.is_plain(1.0) { law.full.reach.min(law.radio.tx_range + 2.0 * RANGE_SLACK) } else { law.full.reach }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::channel::Medium;
    use crate::config::radio::{Propagation, Shadowing};
    use hopscope_core::ids::NodeId;
    use hopscope_core::rng::{Purpose, Stream};

    #[test]
    fn a_search_meets_the_neighbours_of_the_medium_each_once() {
        let mut stream = Stream::derive(3, 0, 0, Purpose::Placement);
        let mut positions: Vec<[f64; 2]> =
            (0..400).map(|_| [stream.uniform() * 3000.0, stream.uniform() * 900.0]).collect();
        positions.extend([[250.0, 3000.0], [500.0, 3000.0], [500.0, 3000.0]]);
        let plain = RadioConfig::default();
        let narrow = RadioConfig { cs_range: plain.tx_range, interference_range: plain.tx_range, ..plain.clone() };
        let shadowed = RadioConfig {
            propagation: Propagation::LogDistance,
            shadowing: Shadowing::Static,
            shadowing_sigma: 6.0,
            ..plain.clone()
        };
        for radio in [plain, narrow, shadowed] {
            let medium = Medium::seeded(&positions, &radio, 7);
            let mut decoding = Decoding::new(&positions, &radio, 7);
            for node in 0..positions.len() {
                let expected: BTreeSet<u32> = medium.neighbours(NodeId(node as u32)).map(|other| other.0).collect();
                let mut met = Vec::new();
                decoding.meet(node, |other| {
                    met.push(other);
                    true
                });
                decoding.meet(node, |other| panic!("{other} is met twice"));
                decoding.begin_again();
                assert_eq!(met.len(), expected.len());
                assert_eq!(met.into_iter().collect::<BTreeSet<u32>>(), expected, "node {node}");
            }
        }
    }

    #[test]
    fn what_else_a_radio_has_decides_only_under_shadowing() {
        let positions = [[0.0, 0.0], [200.0, 0.0]];
        let plain = RadioConfig::default();
        let farther = RadioConfig { cs_range: 700.0, ..plain.clone() };
        let decoding = Decoding::new(&positions, &plain, 1);
        assert!(decoding.is_of(&positions, &farther, 2));
        assert!(!decoding.is_of(&[[0.0, 0.0], [201.0, 0.0]], &plain, 1));
        assert!(!decoding.is_of(&positions, &RadioConfig { tx_range: 251.0, ..plain.clone() }, 1));
        let shadowed = RadioConfig { shadowing: Shadowing::Static, shadowing_sigma: 6.0, ..plain.clone() };
        let decoding = Decoding::new(&positions, &shadowed, 1);
        assert!(decoding.is_of(&positions, &shadowed, 1));
        assert!(!decoding.is_of(&positions, &shadowed, 2));
        assert!(!decoding.is_of(&positions, &RadioConfig { shadowing_sigma: 7.0, ..shadowed.clone() }, 1));
        assert!(!decoding.is_of(&positions, &plain, 1));
    }
}
