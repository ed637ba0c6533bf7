//! The routing table: shortest ways by number of hops (RFC 3626 10).

use super::topology::Topology;
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;

/// A symmetric neighbour as the calculation sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbour<'a> {
    pub(super) node: NodeId,
    /// Others may be reached over it.
    pub(super) relays: bool,
    /// Its own symmetric neighbours.
    pub(super) reaches: &'a [(NodeId, Time)],
}

/// A way to a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) next_hop: NodeId,
    pub(super) hops: u8,
}

/// Routes by destination.
#[derive(Debug, Default)]
pub(super) struct Routes {
    table: Vec<Option<Route>>,
    /// The table before the last calculation.
    old: Vec<Option<Route>>,
    /// Nodes reached in the last round.
    frontier: Vec<NodeId>,
    found: Vec<NodeId>,
}

impl Routes {
    #[inline]
    pub(super) fn get(&self, dst: NodeId) -> Option<Route> {
        self.table.get(dst.index()).copied().flatten()
    }

    /// Calculates the table of `me` anew. `neighbours` come in the order in which they are preferred as next hops.
    pub(super) fn calculate(&mut self, me: NodeId, neighbours: &[Neighbour], topology: &Topology) {
        std::mem::swap(&mut self.table, &mut self.old);
        self.table.clear();
        self.found.clear();
        for neighbour in neighbours {
            self.put(me, neighbour.node, Route { next_hop: neighbour.node, hops: 1 });
        }
        // Nodes two hops away come from HELLOs, all others from TC messages.
        self.found.clear();
        for neighbour in neighbours.iter().filter(|n| n.relays) {
            for &(node, _) in neighbour.reaches {
                self.put(me, node, Route { next_hop: neighbour.node, hops: 2 });
            }
        }
        let mut hops = 2;
        // A hop count is one octet.
        while !self.found.is_empty() && hops < u8::MAX {
            hops += 1;
            std::mem::swap(&mut self.frontier, &mut self.found);
            self.found.clear();
            // Ties fall to the lowest number.
            self.frontier.sort_unstable();
            for at in 0..self.frontier.len() {
                let last = self.frontier[at];
                let Some(Route { next_hop, .. }) = self.get(last) else { continue };
                for &node in topology.from(last) {
                    self.put(me, node, Route { next_hop, hops });
                }
            }
        }
    }

    fn put(&mut self, me: NodeId, dst: NodeId, route: Route) {
        if dst.index() >= self.table.len() {
            self.table.resize(dst.index() + 1, None);
        }
        let place = &mut self.table[dst.index()];
        if place.is_none() && dst != me {
            *place = Some(route);
            self.found.push(dst);
        }
    }

    /// What the last calculation changed: destination, route before, route now.
    pub(super) fn changes(&self) -> impl Iterator<Item = (NodeId, Option<Route>, Option<Route>)> {
        (0..self.table.len().max(self.old.len()))
            .map(|at| {
                let of = |table: &[Option<Route>]| table.get(at).copied().flatten();
                (NodeId(at as u32), of(&self.old), of(&self.table))
            })
            .filter(|(_, old, new)| old != new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_packet::olsr::Tc;

    fn topology(links: &[(u32, &[u32])]) -> Topology {
        let mut topology = Topology::default();
        for &(last, nodes) in links {
            let tc = Tc { ansn: 0, advertised: nodes.iter().map(|&n| NodeId(n)).collect() };
            topology.update(NodeId(last), &tc, Time::ZERO, Time::NEVER);
        }
        topology
    }

    fn reaches(nodes: &[u32]) -> Vec<(NodeId, Time)> {
        nodes.iter().map(|&n| (NodeId(n), Time::NEVER)).collect()
    }

    fn route(routes: &Routes, dst: u32) -> Option<(u32, u8)> {
        routes.get(NodeId(dst)).map(|r| (r.next_hop.0, r.hops))
    }

    #[test]
    fn ways_are_shortest_and_ties_fall_to_the_preferred() {
        let (of_1, of_2) = (reaches(&[0, 2, 10]), reaches(&[0, 1, 10, 11]));
        let neighbour = |node, reaches| Neighbour { node: NodeId(node), relays: true, reaches };
        let links = topology(&[(10, &[20]), (11, &[20, 21]), (20, &[30, 0]), (30, &[40]), (99, &[98])]);
        let mut routes = Routes::default();
        routes.calculate(NodeId(0), &[neighbour(2, &of_2), neighbour(1, &of_1)], &links);
        let expected = [(1, 1, 1), (2, 2, 1), (10, 2, 2), (11, 2, 2), (20, 2, 3), (21, 2, 3), (30, 2, 4), (40, 2, 5)];
        for (dst, next_hop, hops) in expected {
            assert_eq!(route(&routes, dst), Some((next_hop, hops)), "to {dst}");
        }
        assert_eq!(routes.table.iter().flatten().count(), expected.len(), "nothing else, and no way to itself");
        assert_eq!(routes.changes().count(), expected.len());
        routes.calculate(NodeId(0), &[neighbour(1, &of_1), neighbour(2, &of_2)], &links);
        assert_eq!((route(&routes, 10), route(&routes, 20)), (Some((1, 2)), Some((1, 3))));
        let changed: Vec<_> = routes.changes().map(|c| c.0.0).collect();
        assert_eq!(changed, [10, 20, 30, 40]);
    }

    #[test]
    fn a_neighbour_that_relays_nothing_is_an_end() {
        let of_1 = reaches(&[0, 10]);
        let mut routes = Routes::default();
        let end = Neighbour { node: NodeId(1), relays: false, reaches: &of_1 };
        routes.calculate(NodeId(0), &[end], &topology(&[(10, &[20])]));
        assert_eq!((route(&routes, 1), route(&routes, 10), route(&routes, 20)), (Some((1, 1)), None, None));
    }
}
