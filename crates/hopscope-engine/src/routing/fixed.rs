//! Static shortest-path routing: minimum hops, computed before the run (fu2003: manual routes).
//!
//! Among equally short ways the next hop is the nearest neighbour, then the lowest-numbered. Only the nodes on the
//! way of a flow hold an entry, so a field of 10,000 nodes with one-hop flows stays small; further destinations are
//! found on demand.

use std::collections::VecDeque;

use smallvec::SmallVec;

use crate::channel::Medium;
use crate::ids::NodeId;

/// Forwarding tables of all nodes.
#[derive(Debug)]
pub struct FixedRoutes {
    tables: Vec<SmallVec<[(NodeId, NodeId); 2]>>,
    search: Search,
}

/// Scratch of the breadth-first search, reused.
#[derive(Debug, Default)]
struct Search {
    level: Vec<u32>,
    touched: Vec<NodeId>,
    frontier: VecDeque<NodeId>,
}

const UNSEEN: u32 = u32::MAX;

impl FixedRoutes {
    /// Empty tables for `nodes` nodes.
    pub fn new(nodes: usize) -> Self {
        FixedRoutes {
            tables: vec![SmallVec::new(); nodes],
            search: Search { level: vec![UNSEEN; nodes], ..Search::default() },
        }
    }

    /// Number of hops from `src` to `dst` with entries made at every node on the way; `None` when there is no way.
    pub fn install(&mut self, medium: &Medium, src: NodeId, dst: NodeId) -> Option<u32> {
        if self.lookup(src, dst).is_some() {
            return Some(self.hops(src, dst));
        }
        let hops = self.search.levels(medium, src, dst);
        if let Some(hops) = hops {
            let mut at = src;
            for left in (0..hops).rev() {
                let next = medium
                    .neighbours(at)
                    .find(|n| self.search.level[n.index()] == left)
                    .expect("a node at level n has a neighbour at level n - 1");
                if self.lookup(at, dst).is_none() {
                    self.tables[at.index()].push((dst, next));
                }
                at = next;
            }
        }
        self.search.clear();
        hops
    }

    /// Number of hops of an installed way.
    fn hops(&self, src: NodeId, dst: NodeId) -> u32 {
        let mut at = src;
        let mut hops = 0;
        while at != dst {
            at = self.lookup(at, dst).expect("an installed way has an entry at every node on it");
            hops += 1;
        }
        hops
    }

    /// True for each node on an installed way: those that send, receive or forward.
    pub fn on_the_way(&self) -> Vec<bool> {
        let mut on = vec![false; self.tables.len()];
        for (node, table) in self.tables.iter().enumerate() {
            on[node] |= !table.is_empty();
            for (_, next) in table {
                on[next.index()] = true;
            }
        }
        on
    }

    /// The next hop from `node` to `dst`, if a way was installed.
    #[inline]
    pub fn lookup(&self, node: NodeId, dst: NodeId) -> Option<NodeId> {
        self.tables[node.index()].iter().find(|(to, _)| *to == dst).map(|&(_, next)| next)
    }
}

impl Search {
    /// Fills `level` with hop counts to `dst` outwards until `src` is reached.
    fn levels(&mut self, medium: &Medium, src: NodeId, dst: NodeId) -> Option<u32> {
        self.level[dst.index()] = 0;
        self.touched.push(dst);
        self.frontier.push_back(dst);
        // Once the source has its level, all nodes of lower levels have theirs.
        while self.level[src.index()] == UNSEEN {
            let Some(at) = self.frontier.pop_front() else { break };
            let next_level = self.level[at.index()] + 1;
            for neighbour in medium.neighbours(at) {
                if self.level[neighbour.index()] == UNSEEN {
                    self.level[neighbour.index()] = next_level;
                    self.touched.push(neighbour);
                    self.frontier.push_back(neighbour);
                }
            }
        }
        let found = self.level[src.index()];
        (found != UNSEEN).then_some(found)
    }

    fn clear(&mut self) {
        for node in self.touched.drain(..) {
            self.level[node.index()] = UNSEEN;
        }
        self.frontier.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RadioConfig;

    fn chain(hops: u32) -> Medium {
        let positions: Vec<[f64; 2]> = (0..=hops).map(|i| [200.0 * f64::from(i), 0.0]).collect();
        Medium::new(&positions, &RadioConfig::default())
    }

    #[test]
    fn a_chain_is_walked_node_by_node() {
        let medium = chain(7);
        let mut routes = FixedRoutes::new(8);
        assert_eq!(routes.install(&medium, NodeId(0), NodeId(7)), Some(7));
        for node in 0..7 {
            assert_eq!(routes.lookup(NodeId(node), NodeId(7)), Some(NodeId(node + 1)));
        }
        assert_eq!(routes.lookup(NodeId(7), NodeId(0)), None);
    }

    #[test]
    fn a_way_that_is_there_is_not_searched_again() {
        let medium = chain(7);
        let mut routes = FixedRoutes::new(8);
        assert_eq!(routes.install(&medium, NodeId(0), NodeId(7)), Some(7));
        // Without any neighbours a search would find nothing.
        let nothing = Medium::new(&[[0.0, 0.0]; 0], &RadioConfig::default());
        assert_eq!(routes.install(&nothing, NodeId(0), NodeId(7)), Some(7));
        assert_eq!(routes.install(&nothing, NodeId(3), NodeId(7)), Some(4));
    }

    #[test]
    fn a_search_ends_where_the_source_is_found() {
        let medium = chain(7);
        let mut search = FixedRoutes::new(8).search;
        assert_eq!(search.levels(&medium, NodeId(4), NodeId(5)), Some(1));
        assert_eq!(search.touched, [NodeId(5), NodeId(4), NodeId(6)]);
    }

    #[test]
    fn a_gap_has_no_way() {
        let medium = Medium::new(&[[0.0, 0.0], [300.0, 0.0]], &RadioConfig::default());
        assert_eq!(FixedRoutes::new(2).install(&medium, NodeId(0), NodeId(1)), None);
    }

    #[test]
    fn ties_go_to_the_nearer_neighbour() {
        // Two ways of two hops from 0 to 3: over 1 (nearer to 0) and over 2.
        let positions = [[0.0, 0.0], [140.0, 100.0], [150.0, -100.0], [300.0, 0.0]];
        let medium = Medium::new(&positions, &RadioConfig::default());
        let mut routes = FixedRoutes::new(4);
        assert_eq!(routes.install(&medium, NodeId(0), NodeId(3)), Some(2));
        assert_eq!(routes.lookup(NodeId(0), NodeId(3)), Some(NodeId(1)));
    }
}
