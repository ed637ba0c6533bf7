//! Static shortest-path routing: minimum hops, computed before the run (fu2003: manual routes); `best.rs` has the ways of
//! least cost.
//!
//! Among equally short ways the next hop is the nearest neighbour, then the lowest-numbered. Only the nodes on the
//! way of a flow hold an entry, so a field of 10,000 nodes with one-hop flows stays small; further destinations are
//! found on demand.

use std::collections::VecDeque;

use smallvec::SmallVec;

use super::best;
use hopscope_core::ids::NodeId;
use hopscope_phy::channel::Medium;

/// Forwarding table of one node.
#[derive(Debug, Clone, Default)]
pub struct Table(SmallVec<[(NodeId, NodeId); 2]>);

impl Table {
    /// The next hop to `dst`, if a way was installed.
    #[inline]
    pub fn lookup(&self, dst: NodeId) -> Option<NodeId> {
        self.0.iter().find(|(to, _)| *to == dst).map(|&(_, next)| next)
    }

    /// Makes an entry for a destination that has none.
    pub(super) fn insert(&mut self, dst: NodeId, next_hop: NodeId) {
        self.0.push((dst, next_hop));
    }

    /// All next hops.
    fn next_hops(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.0.iter().map(|&(_, next)| next)
    }
}

/// Who holds the tables: one for each node.
pub trait Tables {
    /// The table of a node.
    fn table(&self, node: NodeId) -> &Table;
    /// The same, to change.
    fn table_mut(&mut self, node: NodeId) -> &mut Table;
}

impl Tables for Vec<Table> {
    fn table(&self, node: NodeId) -> &Table {
        &self[node.index()]
    }

    fn table_mut(&mut self, node: NodeId) -> &mut Table {
        &mut self[node.index()]
    }
}

/// Who is one hop away.
pub trait Neighbours {
    /// Shows the neighbours of a node in any order; those that a search has met before may be left out.
    fn meet(&mut self, node: NodeId, meet: impl FnMut(NodeId));

    /// The next search begins: nobody has been met.
    fn begin_again(&mut self) {}

    /// Of the neighbours of a node for which `counts` holds, the one that is preferred among equally short ways.
    fn preferred(&self, node: NodeId, counts: impl Fn(NodeId) -> bool) -> Option<NodeId>;

    /// Links have costs, and ways are short by their sums: then a search meets nodes as often as they come.
    fn is_weighted(&self) -> bool {
        false
    }

    /// What the link of a node to a neighbour costs; not negative, infinite where it cannot be used.
    fn cost(&self, _from: NodeId, _to: NodeId) -> f64 {
        1.0
    }
}

impl Neighbours for Medium {
    fn meet(&mut self, node: NodeId, meet: impl FnMut(NodeId)) {
        self.neighbours(node).for_each(meet);
    }

    fn preferred(&self, node: NodeId, counts: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        self.nearest(node, counts)
    }
}

/// Finds the ways: a breadth-first search whose scratch is reused.
#[derive(Debug, Default)]
pub struct FixedRoutes {
    level: Vec<u32>,
    touched: Vec<NodeId>,
    frontier: VecDeque<NodeId>,
}

const UNSEEN: u32 = u32::MAX;

/// An entry that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstalledRoute {
    /// At this node.
    pub node: NodeId,
    /// Neighbour that takes the packets.
    pub next_hop: NodeId,
    /// Hops from this node on.
    pub hops: u32,
}

impl FixedRoutes {
    /// A search among `nodes` nodes.
    pub fn new(nodes: usize) -> Self {
        FixedRoutes { level: vec![UNSEEN; nodes], ..FixedRoutes::default() }
    }

    /// Number of hops from `src` to `dst` with entries made at every node on the way; `None` when there is no way.
    pub fn install(
        &mut self,
        graph: &mut impl Neighbours,
        tables: &mut impl Tables,
        src: NodeId,
        dst: NodeId,
    ) -> Option<u32> {
        self.install_with(graph, tables, (src, dst), |_| {})
    }

    /// The same; `on_entry` is given each entry that is made, from the source on.
    pub fn install_with(
        &mut self,
        graph: &mut impl Neighbours,
        tables: &mut impl Tables,
        (src, dst): (NodeId, NodeId),
        mut on_entry: impl FnMut(InstalledRoute),
    ) -> Option<u32> {
        if tables.table(src).lookup(dst).is_some() {
            return Some(installed_hops(tables, src, dst));
        }
        if graph.is_weighted() {
            return best::install(graph, tables, (src, dst), on_entry);
        }
        let hops = self.levels(graph, src, dst);
        if let Some(hops) = hops {
            let mut at = src;
            for left in (0..hops).rev() {
                let next = graph
                    .preferred(at, |n| self.level[n.index()] == left)
                    .expect("a node at level n has a neighbour at level n - 1");
                let table = tables.table_mut(at);
                // Where another flow's way meets this one its entry stands: it is as short, and packets follow it
                // from here.
                if table.lookup(dst).is_none() {
                    table.insert(dst, next);
                    on_entry(InstalledRoute { node: at, next_hop: next, hops: left + 1 });
                }
                at = next;
            }
        }
        self.clear();
        hops
    }

    /// Fills `level` with hop counts to `dst` outwards until `src` is reached.
    fn levels(&mut self, graph: &mut impl Neighbours, src: NodeId, dst: NodeId) -> Option<u32> {
        self.level[dst.index()] = 0;
        self.touched.push(dst);
        self.frontier.push_back(dst);
        // Once the source has its level, all nodes of lower levels have theirs.
        while self.level[src.index()] == UNSEEN {
            let Some(at) = self.frontier.pop_front() else { break };
            let next_level = self.level[at.index()] + 1;
            graph.meet(at, |neighbour| {
                if self.level[neighbour.index()] == UNSEEN {
                    self.level[neighbour.index()] = next_level;
                    self.touched.push(neighbour);
                    self.frontier.push_back(neighbour);
                }
            });
        }
        graph.begin_again();
        let found = self.level[src.index()];
        (found != UNSEEN).then_some(found)
    }

    fn clear(&mut self) {
        // Only what was touched: a field of 10,000 nodes is not swept for each flow.
        for node in self.touched.drain(..) {
            self.level[node.index()] = UNSEEN;
        }
        self.frontier.clear();
    }
}

/// Number of hops of an installed way.
fn installed_hops(tables: &impl Tables, src: NodeId, dst: NodeId) -> u32 {
    let mut at = src;
    let mut hops = 0;
    while at != dst {
        at = tables.table(at).lookup(dst).expect("an installed way has an entry at every node on it");
        hops += 1;
    }
    hops
}

/// True for each of `nodes` nodes on an installed way: those that send, receive or forward.
pub fn on_routes(tables: &impl Tables, nodes: usize) -> Vec<bool> {
    let mut on = vec![false; nodes];
    for node in (0..nodes as u32).map(NodeId) {
        for next in tables.table(node).next_hops() {
            on[node.index()] = true;
            on[next.index()] = true;
        }
    }
    on
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_phy::config::RadioConfig;

    fn chain(hops: u32) -> Medium {
        let positions: Vec<[f64; 2]> = (0..=hops).map(|i| [200.0 * f64::from(i), 0.0]).collect();
        Medium::new(&positions, &RadioConfig::default())
    }

    #[test]
    fn a_chain_is_walked_node_by_node() {
        let mut medium = chain(7);
        let mut tables = vec![Table::default(); 8];
        assert_eq!(FixedRoutes::new(8).install(&mut medium, &mut tables, NodeId(0), NodeId(7)), Some(7));
        for node in 0..7 {
            assert_eq!(tables[node as usize].lookup(NodeId(7)), Some(NodeId(node + 1)));
        }
        assert_eq!(tables[7].lookup(NodeId(0)), None);
    }

    #[test]
    fn a_way_that_is_there_is_not_searched_again() {
        let mut medium = chain(7);
        let (mut routes, mut tables) = (FixedRoutes::new(8), vec![Table::default(); 8]);
        assert_eq!(routes.install(&mut medium, &mut tables, NodeId(0), NodeId(7)), Some(7));
        // Without any neighbours a search would find nothing.
        let mut nothing = Medium::new(&[[0.0, 0.0]; 0], &RadioConfig::default());
        assert_eq!(routes.install(&mut nothing, &mut tables, NodeId(0), NodeId(7)), Some(7));
        assert_eq!(routes.install(&mut nothing, &mut tables, NodeId(3), NodeId(7)), Some(4));
    }

    #[test]
    fn a_search_ends_where_the_source_is_found() {
        let mut medium = chain(7);
        let mut search = FixedRoutes::new(8);
        assert_eq!(search.levels(&mut medium, NodeId(4), NodeId(5)), Some(1));
        assert_eq!(search.touched, [NodeId(5), NodeId(4), NodeId(6)]);
    }

    #[test]
    fn a_gap_has_no_way() {
        let mut medium = Medium::new(&[[0.0, 0.0], [300.0, 0.0]], &RadioConfig::default());
        let mut tables = vec![Table::default(); 2];
        assert_eq!(FixedRoutes::new(2).install(&mut medium, &mut tables, NodeId(0), NodeId(1)), None);
    }

    #[test]
    fn ties_go_to_the_nearer_neighbour() {
        // Two ways of two hops from 0 to 3: over 1 (nearer to 0) and over 2.
        let positions = [[0.0, 0.0], [140.0, 100.0], [150.0, -100.0], [300.0, 0.0]];
        let mut medium = Medium::new(&positions, &RadioConfig::default());
        let mut tables = vec![Table::default(); 4];
        assert_eq!(FixedRoutes::new(4).install(&mut medium, &mut tables, NodeId(0), NodeId(3)), Some(2));
        assert_eq!(tables[0].lookup(NodeId(3)), Some(NodeId(1)));
    }
}
