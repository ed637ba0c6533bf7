//! Static routes of least cost: what the costs of links add up to decides, not their number (Dijkstra 1959).
//!
//! Among equal sums the fewest hops count, then the lowest number of the next hop: the path from a node does not depend on
//! the source for which it was sought, so that paths to one destination that meet go on together.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::by_node::ByNode;
use super::fixed::{InstalledRoute, Neighbours, Tables};
use hopscope_core::ids::NodeId;

/// Hops to the destination and the next one on the path.
type Ahead = Option<(u32, NodeId)>;

/// Number of hops from `src` to `dst` with entries made at every node on the path, which `on_entry` is given from the source
/// on; `None` when there is no path.
pub(super) fn install(
    graph: &mut impl Neighbours,
    tables: &mut impl Tables,
    (src, dst): (NodeId, NodeId),
    mut on_entry: impl FnMut(InstalledRoute),
) -> Option<u32> {
    let ahead = search(graph, src, dst);
    let (hops, _) = ahead.get(src).copied().flatten()?;
    let mut at = src;
    while at != dst {
        let (hops, next_hop) =
            ahead.get(at).copied().flatten().expect("nodes on the path were reached before its source");
        if tables.table(at).lookup(dst).is_none() {
            tables.table_mut(at).insert(dst, next_hop);
            on_entry(InstalledRoute { node: at, next_hop, hops });
        }
        at = next_hop;
    }
    Some(hops)
}

/// From `dst` outwards until `src` is reached.
fn search(graph: &mut impl Neighbours, src: NodeId, dst: NodeId) -> ByNode<Ahead> {
    let mut ahead: ByNode<Ahead> = ByNode::default();
    // Costs are not negative, and the bits of such numbers have their order.
    let mut open = BinaryHeap::from([Reverse((0f64.to_bits(), 0u32, dst, dst))]);
    let mut near = Vec::new();
    while let Some(Reverse((cost, hops, next_hop, node))) = open.pop() {
        let place = ahead.slot(node);
        if place.is_some() {
            continue;
        }
        *place = Some((hops, next_hop));
        if node == src {
            break;
        }
        graph.meet(node, |other| near.push(other));
        for other in near.drain(..) {
            let sum = f64::from_bits(cost) + graph.cost(other, node);
            if sum.is_finite() && !ahead.get(other).is_some_and(Option::is_some) {
                open.push(Reverse((sum.to_bits(), hops + 1, node, other)));
            }
        }
    }
    graph.begin_again();
    ahead
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::{FixedRoutes, Table};
    use std::collections::BTreeMap;

    /// Links with costs, the same in both directions unless given twice.
    struct Links(BTreeMap<(u32, u32), f64>);

    impl Neighbours for Links {
        fn meet(&mut self, node: NodeId, mut meet: impl FnMut(NodeId)) {
            self.0.keys().filter(|ends| ends.1 == node.0).for_each(|ends| meet(NodeId(ends.0)));
        }

        fn preferred(&self, _: NodeId, _: impl Fn(NodeId) -> bool) -> Option<NodeId> {
            unreachable!("costs decide")
        }

        fn is_weighted(&self) -> bool {
            true
        }

        fn cost(&self, from: NodeId, to: NodeId) -> f64 {
            self.0[&(from.0, to.0)]
        }
    }

    fn links(list: &[(u32, u32, f64)]) -> Links {
        Links(list.iter().flat_map(|&(a, b, cost)| [((a, b), cost), ((b, a), cost)]).collect())
    }

    fn path(graph: &mut Links, tables: &mut Vec<Table>, src: u32, dst: u32) -> Option<(u32, Vec<u32>)> {
        let hops = FixedRoutes::new(tables.len()).install(graph, tables, NodeId(src), NodeId(dst))?;
        let next = |&at: &u32| (at != dst).then(|| tables[at as usize].lookup(NodeId(dst)).expect("an entry").0);
        Some((hops, std::iter::successors(Some(src), next).collect()))
    }

    #[test]
    fn two_good_hops_are_taken_over_a_bad_one_and_three_are_not() {
        let mut graph = links(&[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 2.5), (2, 3, 1.0), (0, 3, 3.0)]);
        let mut tables = vec![Table::default(); 4];
        assert_eq!(path(&mut graph, &mut tables, 0, 2), Some((2, vec![0, 1, 2])));
        assert_eq!(path(&mut graph, &mut tables, 0, 3), Some((1, vec![0, 3])), "equal sums: fewer hops");
        assert_eq!(path(&mut graph, &mut tables, 1, 3), Some((2, vec![1, 2, 3])));
    }

    #[test]
    fn costs_are_those_of_the_direction_and_an_endless_one_is_no_link() {
        let mut graph = links(&[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 5.0)]);
        graph.0.insert((2, 0), 1.0);
        let mut tables = vec![Table::default(); 4];
        assert_eq!(path(&mut graph, &mut tables, 0, 2), Some((2, vec![0, 1, 2])));
        assert_eq!(path(&mut graph, &mut tables, 2, 0), Some((1, vec![2, 0])));
        graph.0.insert((2, 3), f64::INFINITY);
        assert_eq!(path(&mut graph, &mut tables, 2, 3), None);
    }
}
