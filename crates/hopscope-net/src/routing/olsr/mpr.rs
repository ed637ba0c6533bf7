//! Choice of multipoint relays (RFC 3626 8.3.1 and 16.2).

use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;

/// A symmetric neighbour as the choice sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub(super) node: NodeId,
    /// Readiness to relay, 0 to 7.
    pub(super) willingness: u8,
    /// Its own symmetric neighbours, in the order of nodes.
    pub(super) reaches: &'a [(NodeId, Time)],
}

/// WILL_NEVER and WILL_ALWAYS of RFC 3626 18.8.
pub(super) const WILL_NEVER: u8 = 0;
pub(super) const WILL_ALWAYS: u8 = 7;

/// The relays of `me`, in the order of nodes: so many that every node two hops away is reached over `coverage` of them,
/// or over all its ways where there are fewer. `candidates` are all symmetric neighbours, in the order of nodes.
pub(super) fn select(me: NodeId, candidates: &[Candidate], coverage: u32) -> Vec<NodeId> {
    let is_near = |node: NodeId| node == me || candidates.binary_search_by_key(&node, |c| c.node).is_ok();
    let willing: Vec<Candidate> = candidates.iter().filter(|c| c.willingness != WILL_NEVER).copied().collect();
    // N2 of RFC 3626 8.3.1: not who is reached over the unwilling alone, not this node, not its neighbours.
    let mut far: Vec<NodeId> = willing.iter().flat_map(|c| c.reaches).map(|r| r.0).filter(|&n| !is_near(n)).collect();
    far.sort_unstable();
    far.dedup();
    // Places in `far`, candidate by candidate.
    let place = |node: NodeId| far.binary_search(&node).ok();
    let reaches: Vec<Vec<usize>> =
        willing.iter().map(|c| c.reaches.iter().filter_map(|r| place(r.0)).collect()).collect();
    let mut wanted = vec![0u32; far.len()];
    for &place in reaches.iter().flatten() {
        wanted[place] += 1;
    }
    let needs_all: Vec<bool> = wanted.iter().map(|&relays_wanted| relays_wanted <= coverage).collect();
    for relays_wanted in &mut wanted {
        *relays_wanted = (*relays_wanted).min(coverage);
    }
    let mut choice = Choice { chosen: vec![false; willing.len()], wanted, covered: vec![0; far.len()], reaches };
    // Steps 1 and 3 of RFC 3626 8.3.1; with more coverage (16.2) all ways to a node that has no more of them.
    for (at, candidate) in willing.iter().enumerate() {
        if candidate.willingness == WILL_ALWAYS || choice.reaches[at].iter().any(|&place| needs_all[place]) {
            choice.take(at);
        }
    }
    // Willingness first, then what is gained, then what is reached in all; the lowest number breaks ties.
    while let Some((_, _, _, at)) = (0..willing.len())
        .filter(|&at| !choice.chosen[at])
        .map(|at| (willing[at].willingness, choice.gain(at), choice.reaches[at].len(), at))
        .filter(|&(_, gain, _, _)| gain > 0)
        .max_by_key(|&(willingness, gain, degree, at)| (willingness, gain, degree, std::cmp::Reverse(at)))
    {
        choice.take(at);
    }
    let mut order: Vec<usize> = (0..willing.len()).filter(|&at| choice.chosen[at]).collect();
    // Step 5, which is optional there: relays that later ones made superfluous go, the least willing first.
    order.sort_by_key(|&at| willing[at].willingness);
    for at in order {
        if willing[at].willingness < WILL_ALWAYS && choice.can_spare(at) {
            choice.spare(at);
        }
    }
    willing.iter().zip(&choice.chosen).filter(|&(_, &chosen)| chosen).map(|(c, _)| c.node).collect()
}

/// A choice under way; places are those of nodes two hops away.
struct Choice {
    /// By candidate.
    chosen: Vec<bool>,
    /// Relays that each place must have.
    wanted: Vec<u32>,
    /// Relays that each place has.
    covered: Vec<u32>,
    /// Places of each candidate.
    reaches: Vec<Vec<usize>>,
}

impl Choice {
    fn take(&mut self, at: usize) {
        self.chosen[at] = true;
        for &place in &self.reaches[at] {
            self.covered[place] += 1;
        }
    }

    fn spare(&mut self, at: usize) {
        self.chosen[at] = false;
        for &place in &self.reaches[at] {
            self.covered[place] -= 1;
        }
    }

    /// Places that lack relays and that this candidate would cover.
    fn gain(&self, at: usize) -> usize {
        self.reaches[at].iter().filter(|&&place| self.covered[place] < self.wanted[place]).count()
    }

    fn can_spare(&self, at: usize) -> bool {
        self.reaches[at].iter().all(|&place| self.covered[place] > self.wanted[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_testing::property;
    use proptest::prelude::*;

    /// Neighbours with willingness and what they reach; the node itself is 0.
    fn chosen(neighbours: &[(u32, u8, &[u32])], coverage: u32) -> Vec<u32> {
        let reached: Vec<Vec<(NodeId, Time)>> =
            neighbours.iter().map(|n| n.2.iter().map(|&r| (NodeId(r), Time::NEVER)).collect()).collect();
        let candidates: Vec<Candidate> = neighbours
            .iter()
            .zip(&reached)
            .map(|(&(node, willingness, _), reaches)| Candidate { node: NodeId(node), willingness, reaches })
            .collect();
        select(NodeId(0), &candidates, coverage).iter().map(|n| n.0).collect()
    }

    #[test]
    fn nobody_is_needed_where_nothing_lies_beyond() {
        assert_eq!(chosen(&[], 1), [0; 0]);
        assert_eq!(
            chosen(&[(1, 3, &[0, 2]), (2, 3, &[0, 1])], 1),
            [0; 0],
            "neighbours and the node itself need no relay"
        );
    }

    #[test]
    fn the_only_way_to_a_node_is_taken() {
        assert_eq!(chosen(&[(1, 3, &[0, 10]), (2, 3, &[0, 10, 11]), (3, 3, &[0])], 1), [2]);
    }

    #[test]
    fn ties_fall_to_willingness_then_gain_then_degree_then_number() {
        let (ten, both): (&[u32], &[u32]) = (&[10], &[10, 11]);
        assert_eq!(chosen(&[(1, 3, both), (2, 6, both)], 1), [2], "willingness");
        assert_eq!(chosen(&[(1, 3, ten), (2, 3, both), (3, 3, &[11])], 1), [2], "gain");
        assert_eq!(chosen(&[(1, 3, both), (2, 3, both)], 1), [1], "number");
        // 3 is forced by 12 and covers 11; 1 and 2 gain node 10 alike, and 2 reaches more.
        assert_eq!(chosen(&[(1, 3, ten), (2, 3, both), (3, 3, &[11, 12])], 1), [2, 3], "degree");
    }

    #[test]
    fn the_unwilling_never_relay_and_the_always_willing_always_do() {
        assert_eq!(chosen(&[(1, 0, &[10]), (2, 3, &[11])], 1), [2]);
        assert_eq!(chosen(&[(1, 7, &[]), (2, 3, &[11])], 1), [1, 2]);
    }

    #[test]
    fn a_relay_made_superfluous_by_later_ones_is_spared() {
        // 2 gains most and goes first; 20 and 21 then ask for 1 and 3, which cover all that 2 does.
        let neighbours: &[(u32, u8, &[u32])] =
            &[(1, 3, &[10, 11, 20]), (2, 3, &[10, 11, 12, 13]), (3, 3, &[12, 13, 21]), (4, 3, &[20]), (5, 3, &[21])];
        assert_eq!(chosen(neighbours, 1), [1, 3]);
    }

    #[test]
    fn coverage_asks_for_more_ways_where_there_are_some() {
        let neighbours: &[(u32, u8, &[u32])] = &[(1, 3, &[10]), (2, 3, &[10]), (3, 3, &[10]), (4, 3, &[11])];
        assert_eq!(chosen(neighbours, 1), [1, 4]);
        assert_eq!(chosen(neighbours, 2), [1, 2, 4]);
        assert_eq!(chosen(neighbours, 5), [1, 2, 3, 4]);
    }

    proptest! {
        #![proptest_config(property(256))]

        #[test]
        fn every_node_two_hops_away_is_covered_and_no_relay_is_idle(
            reached in prop::collection::vec((0u8..=7, prop::collection::btree_set(20u32..40, 0..8)), 0..12),
            coverage in 1u32..4,
        ) {
            let lists: Vec<(u32, u8, Vec<u32>)> = reached.iter().enumerate()
                .map(|(at, (willingness, reaches))| (at as u32 + 1, *willingness, reaches.iter().copied().collect()))
                .collect();
            let neighbours: Vec<(u32, u8, &[u32])> = lists.iter().map(|(n, w, r)| (*n, *w, r.as_slice())).collect();
            let relays = chosen(&neighbours, coverage);
            prop_assert!(relays.is_sorted());
            for node in 20..40 {
                let reached_by = |only_relays: bool| neighbours.iter()
                    .filter(|n| n.1 > 0 && n.2.contains(&node) && (!only_relays || relays.contains(&n.0)))
                    .count();
                prop_assert!(reached_by(true) >= reached_by(false).min(coverage as usize), "node {node}: {relays:?}");
            }
            for &(node, willingness, reaches) in &neighbours {
                prop_assert!(willingness != 7 || relays.contains(&node));
                let idle = reaches.iter().all(|r| {
                    let others = neighbours.iter().filter(|n| n.0 != node && n.2.contains(r) && relays.contains(&n.0));
                    let reached_by = neighbours.iter().filter(|n| n.1 > 0 && n.2.contains(r)).count();
                    others.count() >= reached_by.min(coverage as usize)
                });
                prop_assert!(willingness == 7 || !relays.contains(&node) || !idle, "{node} of {relays:?} is idle");
            }
        }
    }
}
