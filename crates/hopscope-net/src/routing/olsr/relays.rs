//! Choice of multipoint relays by link quality, as olsrd makes it at `LinkQualityLevel 2`.
//!
//! By the RFC few relays cover everybody two hops away, over whatever links. Here each node two hops away, and each
//! neighbour that two good hops reach better than a bad one, gets the relays over which its cost is least: so the best
//! paths are among the links that TC messages announce.

use super::quality::Cost;
use super::weighted::Neighbour;
use hopscope_core::ids::NodeId;

/// The relays among the symmetric neighbours, in the order of nodes: for each node that they reach, those on its `coverage`
/// best paths of two hops that are better than the link to it, and the `always` willing. `neighbours` come in any order.
pub(super) fn select(neighbours: &[Neighbour], coverage: u32, always: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
    let mut paths: Vec<(NodeId, Cost, NodeId)> = Vec::new();
    for relay in neighbours.iter().filter(|neighbour| neighbour.relays) {
        let two_hops = |&(far, cost): &(NodeId, Cost)| (far, relay.cost.saturating_add(cost), relay.node);
        paths.extend(relay.reaches.iter().map(two_hops));
    }
    paths.sort_unstable();
    let mut direct: Vec<(NodeId, Cost)> = neighbours.iter().map(|neighbour| (neighbour.node, neighbour.cost)).collect();
    direct.sort_unstable();
    let mut relays: Vec<NodeId> =
        neighbours.iter().map(|neighbour| neighbour.node).filter(|&node| always(node)).collect();
    for to_one in paths.chunk_by(|a, b| a.0 == b.0) {
        let limit = direct.binary_search_by_key(&to_one[0].0, |link| link.0).map_or(Cost::MAX, |at| direct[at].1);
        relays.extend(to_one.iter().take_while(|path| path.1 < limit).take(coverage as usize).map(|path| path.2));
    }
    relays.sort_unstable();
    relays.dedup();
    relays
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A neighbour with the cost of the link to it, and what it reaches at which costs.
    type Near<'a> = (u32, Cost, &'a [(u32, Cost)]);

    fn chosen(neighbours: &[Near<'_>], coverage: u32) -> Vec<u32> {
        let reached: Vec<Vec<(NodeId, Cost)>> =
            neighbours.iter().map(|n| n.2.iter().map(|&(node, cost)| (NodeId(node), cost)).collect()).collect();
        let of = |(&(node, cost, _), reaches): (&(u32, Cost, _), _)| Neighbour {
            node: NodeId(node),
            relays: node != 9,
            cost,
            reaches,
        };
        let neighbours: Vec<Neighbour> = neighbours.iter().zip(&reached).map(|(n, r)| of((n, r.as_slice()))).collect();
        select(&neighbours, coverage, |node| node == NodeId(7)).iter().map(|n| n.0).collect()
    }

    #[test]
    fn the_best_path_to_each_node_is_taken() {
        let neighbours: &[Near<'_>] =
            &[(1, 1000, &[(10, 1000)]), (2, 3000, &[(10, 1000), (11, 1000)]), (9, 100, &[(11, 100)])];
        assert_eq!(chosen(neighbours, 1), [1, 2], "9 relays nothing");
        assert_eq!(chosen(&neighbours[..1], 1), [1]);
        assert_eq!(chosen(neighbours, 2), [1, 2]);
    }

    #[test]
    fn two_good_hops_to_a_neighbour_ask_for_a_relay_and_two_bad_ones_do_not() {
        assert_eq!(chosen(&[(1, 1000, &[(2, 1000)]), (2, 2001, &[(1, 1000)])], 1), [1]);
        assert_eq!(chosen(&[(1, 1000, &[(2, 1000)]), (2, 2000, &[(1, 1000)])], 1), [0; 0]);
    }

    #[test]
    fn a_broken_link_leads_nowhere_and_the_always_willing_relay() {
        assert_eq!(chosen(&[(1, Cost::MAX, &[(10, 1000)]), (7, 1000, &[])], 1), [7]);
    }

    #[test]
    fn equal_paths_fall_to_the_lowest_number() {
        assert_eq!(chosen(&[(3, 1000, &[(10, 1000)]), (1, 1000, &[(10, 1000)])], 1), [1]);
    }
}
