//! Where the state of each node lies.
//!
//! Under static routes most nodes of a large field never act. The others come first, in the order of the flows that they
//! serve, so that what is in use fills few pages of memory and few cache lines. Numbers of nodes stay those of the user;
//! nothing that happens depends on the place.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

use crate::node::Node;
use hopscope_core::ids::NodeId;
use hopscope_net::routing::Forwarding;
use hopscope_net::routing::fixed::{Table, Tables};

/// Place of each node.
#[derive(Debug, Clone)]
pub(super) struct Places(Arc<[u32]>);

impl Places {
    /// By number.
    pub(super) fn by_number(nodes: usize) -> Self {
        Places((0..nodes as u32).collect())
    }

    /// First the nodes on the ways of `flows` (both ends of each), then the others by number.
    pub(super) fn along(tables: &impl Tables, flows: impl Iterator<Item = (NodeId, NodeId)>, nodes: usize) -> Self {
        const NONE: u32 = u32::MAX;
        let mut places = vec![NONE; nodes];
        let mut taken = 0;
        let mut take = |node: NodeId| {
            let place = &mut places[node.index()];
            if *place == NONE {
                *place = taken;
                taken += 1;
            }
        };
        for (from, to) in flows {
            // Both ways, which may differ.
            for (mut node, end) in [(from, to), (to, from)] {
                take(node);
                while let Some(next) = tables.table(node).lookup(end).filter(|_| node != end) {
                    node = next;
                    take(node);
                }
            }
        }
        // Those that never act, behind all others.
        (0..nodes as u32).map(NodeId).for_each(take);
        Places(places.into())
    }

    /// The nodes by place.
    pub(super) fn in_order(&self) -> Vec<NodeId> {
        let mut order: Vec<NodeId> = (0..self.0.len() as u32).map(NodeId).collect();
        order.sort_unstable_by_key(|&node| self.of(node));
        order
    }

    /// By number of node, to be kept elsewhere.
    pub(super) fn shared(&self) -> Arc<[u32]> {
        self.0.clone()
    }

    /// Place of a node.
    #[inline(always)]
    pub(super) fn of(&self, node: NodeId) -> u32 {
        self.0[node.index()]
    }
}

/// One state for each node.
#[derive(Debug)]
pub(super) struct PerNode<T> {
    places: Places,
    states: Vec<T>,
}

impl<T> PerNode<T> {
    /// States made by number of node: `make` is called in the order of the places, so that what it allocates lies in
    /// that order, too.
    pub(super) fn new(places: &Places, make: impl FnMut(NodeId) -> T) -> Self {
        PerNode { places: places.clone(), states: places.in_order().into_iter().map(make).collect() }
    }

    /// The places.
    pub(super) fn places(&self) -> &Places {
        &self.places
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Place of a node, the same in all that were made with the same places.
    #[inline(always)]
    pub(super) fn place(&self, node: NodeId) -> u32 {
        self.places.of(node)
    }

    /// The state at a place.
    #[inline(always)]
    pub(super) fn at(&mut self, place: u32) -> &mut T {
        &mut self.states[place as usize]
    }

    /// All of them, in the order of the places.
    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut T> {
        self.states.iter_mut()
    }
}

impl<T> Index<NodeId> for PerNode<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, node: NodeId) -> &T {
        &self.states[self.places.of(node) as usize]
    }
}

impl<T> IndexMut<NodeId> for PerNode<T> {
    #[inline(always)]
    fn index_mut(&mut self, node: NodeId) -> &mut T {
        &mut self.states[self.places.of(node) as usize]
    }
}

/// Under static routes; a node with a routing protocol has no table.
impl Tables for PerNode<Node> {
    fn table(&self, node: NodeId) -> &Table {
        match &self[node].forwarding {
            Forwarding::Static(table) => table,
            Forwarding::Protocol(_) => unreachable!("node {node} has a routing protocol"),
        }
    }

    fn table_mut(&mut self, node: NodeId) -> &mut Table {
        match &mut self[node].forwarding {
            Forwarding::Static(table) => table,
            Forwarding::Protocol(_) => unreachable!("node {node} has a routing protocol"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::presets;
    use hopscope_net::routing::FixedRoutes;
    use hopscope_phy::channel::Medium;

    #[test]
    fn nodes_on_the_ways_come_first_and_everyone_has_a_place() {
        let radio = presets::base("ns2", "wavelan-2M").expect("a profile").radio;
        let positions: Vec<[f64; 2]> = (0..8).map(|n| [200.0 * f64::from(n), 0.0]).collect();
        let mut medium = Medium::new(&positions, &radio);
        let (mut routes, mut tables) = (FixedRoutes::new(8), vec![Table::default(); 8]);
        let flows = [(NodeId(6), NodeId(4)), (NodeId(2), NodeId(3))];
        for (from, to) in flows {
            routes.install(&mut medium, &mut tables, from, to);
        }
        let places = Places::along(&tables, flows.into_iter(), 8);
        let names = PerNode::new(&places, |node| node);
        assert_eq!(names.states, [6, 5, 4, 2, 3, 0, 1, 7].map(NodeId));
        assert!((0..8).map(NodeId).all(|node| names[node] == node));
    }
}
