//! The routing table by link quality: the paths whose costs add up to least (Dijkstra 1959).
//!
//! A node is reached over a neighbour along links that HELLOs of neighbours and TC messages name with their qualities. Among
//! equal sums the fewest hops count, then how a neighbour is preferred: a sum, hops and neighbour grow alike along every
//! path, so that the table does not depend on the order in which links became known.
//!
//! Rings, by which `routes.rs` confines a calculation, do not exist here: a link that gets worse moves nodes of any distance.
//! Most changes move none, though, and those are known: a link that gets worse must be on a path, one that gets better
//! must lead somewhere for no more than now. What is left is calculated as a whole, and no more often than `route_gap`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::quality::{BROKEN, Cost, Pricing};
use super::routes::{Change, Route};
use super::topology::Topology;
use crate::routing::by_node::ByNode;
use hopscope_core::ids::NodeId;
use hopscope_packet::olsr::Tc;

/// A symmetric neighbour as the calculation sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbour<'a> {
    pub(super) node: NodeId,
    /// Others may be reached over it.
    pub(super) relays: bool,
    /// What the link to it costs.
    pub(super) cost: Cost,
    /// Its own symmetric neighbours, in the order of nodes, with the costs of its links to them.
    pub(super) reaches: &'a [(NodeId, Cost)],
}

/// Routes by destination.
#[derive(Debug)]
pub(super) struct Weighted {
    pricing: Pricing,
    table: ByNode<Path>,
    /// Nodes with a route, in the order of nodes.
    reached: Vec<NodeId>,
    stale: bool,
}

/// A path in eight octets, as there is one for each pair of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Path {
    cost: Cost,
    /// Hops in the lowest octet, the next hop above it.
    over: u32,
}

impl Default for Path {
    fn default() -> Self {
        Path { cost: BROKEN, over: 0 }
    }
}

impl Path {
    fn new(cost: Cost, hops: u8, next_hop: NodeId) -> Self {
        debug_assert!(next_hop.0 < 1 << 24, "the engine has fewer nodes than {next_hop}");
        Path { cost, over: next_hop.0 << 8 | u32::from(hops) }
    }

    fn route(self) -> Option<Route> {
        (self.cost < BROKEN).then_some(Route { next_hop: NodeId(self.over >> 8), hops: self.over as u8 })
    }
}

/// A path that was found, as the search orders them: cost, hops, rank of the neighbour it begins with, destination.
type Found = (Cost, u8, u32, NodeId);

impl Weighted {
    pub(super) fn new(pricing: Pricing) -> Self {
        Weighted { pricing, table: ByNode::default(), reached: Vec::new(), stale: false }
    }

    #[inline]
    pub(super) fn get(&self, dst: NodeId) -> Option<Route> {
        self.table.get(dst).and_then(|path| path.route())
    }

    /// True if no calculation can change anything.
    pub(super) fn are_current(&self) -> bool {
        !self.stale
    }

    /// Neighbours changed, what they reach, their costs, or which are preferred.
    pub(super) fn neighbours_changed(&mut self) {
        self.stale = true;
    }

    fn cost_to(&self, node: NodeId) -> Cost {
        self.table.get(node).map_or(BROKEN, |path| path.cost)
    }

    /// `last` advertises the links of `new` in place of those of `old`.
    pub(super) fn links_changed(&mut self, me: NodeId, last: NodeId, old: &Tc, new: &Tc) {
        let path = self.cost_to(last);
        // A node without a route is looked at when it gets one.
        if self.stale || path == BROKEN {
            return;
        }
        let leads = |node: NodeId, cost: Cost| cost < BROKEN && path + cost == self.cost_to(node);
        let helps = |node: NodeId, cost: Cost| cost < BROKEN && path + cost <= self.cost_to(node);
        let mut before = links(self.pricing, old).peekable();
        let mut after = links(self.pricing, new).peekable();
        // Both lists are in the order of nodes.
        self.stale = loop {
            let (was, is) = match (before.peek(), after.peek()) {
                (None, None) => break false,
                (Some(was), Some(is)) if was.0 == is.0 => (before.next(), after.next()),
                (Some(was), Some(is)) if was.0 > is.0 => (None, after.next()),
                (None, Some(_)) => (None, after.next()),
                (Some(_), _) => (before.next(), None),
            };
            let node = was.or(is).map_or(me, |link| link.0);
            let (was, is) = (was.map_or(BROKEN, |link| link.1), is.map_or(BROKEN, |link| link.1));
            if node != me && (is > was && leads(node, was) || is < was && helps(node, is)) {
                break true;
            }
        };
    }

    /// Brings the table of `me` up to date; what changed, in the order of destinations. `neighbours` come in the order
    /// in which they are preferred as next hops.
    pub(super) fn calculate(&mut self, me: NodeId, neighbours: &[Neighbour], topology: &Topology) -> Vec<Change> {
        self.stale = false;
        let reached = std::mem::take(&mut self.reached);
        let before: Vec<Path> = reached.iter().map(|&node| std::mem::take(self.table.slot(node))).collect();
        self.search(me, neighbours, topology);
        self.reached.sort_unstable();
        let mut changes = Vec::new();
        for (&dst, path) in reached.iter().zip(before) {
            let new = self.get(dst);
            if new != path.route() {
                changes.push(Change { dst, old: path.route(), new });
            }
        }
        let is_new = |node: &&NodeId| reached.binary_search(node).is_err();
        changes.extend(self.reached.iter().filter(is_new).map(|&dst| Change { dst, old: None, new: self.get(dst) }));
        changes.sort_unstable_by_key(|change| change.dst);
        changes
    }

    /// Fills the empty table.
    fn search(&mut self, me: NodeId, neighbours: &[Neighbour], topology: &Topology) {
        let mut by_node: Vec<&Neighbour> = neighbours.iter().collect();
        by_node.sort_unstable_by_key(|neighbour| neighbour.node);
        let mut open: BinaryHeap<Reverse<Found>> = BinaryHeap::new();
        let direct = (0..).zip(neighbours).filter(|(_, neighbour)| neighbour.cost < BROKEN);
        open.extend(direct.map(|(rank, neighbour)| Reverse((neighbour.cost, 1, rank, neighbour.node))));
        while let Some(Reverse((cost, hops, rank, node))) = open.pop() {
            let path = self.table.slot(node);
            if path.cost < BROKEN {
                continue;
            }
            *path = Path::new(cost, hops, neighbours[rank as usize].node);
            self.reached.push(node);
            // A hop count is one octet.
            let Some(hops) = hops.checked_add(1) else { continue };
            let mut go_on = |(to, more): (NodeId, Cost)| {
                let known = self.table.get(to).is_some_and(|path| path.cost < BROKEN);
                if to != me && more < BROKEN && !known {
                    open.push(Reverse((cost + more, hops, rank, to)));
                }
            };
            // What a neighbour says itself is newer than its TC messages.
            match by_node.binary_search_by_key(&node, |neighbour| neighbour.node) {
                Ok(at) if by_node[at].relays => by_node[at].reaches.iter().copied().for_each(&mut go_on),
                Ok(_) => {}
                Err(_) => topology.tc(node).into_iter().flat_map(|tc| links(self.pricing, tc)).for_each(&mut go_on),
            }
        }
    }
}

/// The links of a TC message with their costs, in the order of nodes. One without qualities prices none.
fn links(pricing: Pricing, tc: &Tc) -> impl Iterator<Item = (NodeId, Cost)> + '_ {
    let qualities = tc.qualities.as_deref().unwrap_or_default();
    tc.advertised.iter().zip(qualities).map(move |(&node, &quality)| (node, pricing.cost(quality)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::olsr::{OlsrConfig, OlsrMetric};
    use hopscope_core::units::Time;
    use hopscope_packet::olsr::LinkQuality;
    use hopscope_testing::property;
    use proptest::prelude::*;

    const NODES: usize = 16;

    type Reaches = Vec<(NodeId, Cost)>;
    /// Node, relays, cost, and what it reaches.
    type Near = Vec<(u32, bool, Cost, Reaches)>;

    /// Node 0 with what it knows.
    struct Zero {
        routes: Weighted,
        topology: Topology,
        received: u16,
    }

    fn pricing() -> Pricing {
        Pricing::new(&OlsrConfig { metric: OlsrMetric::Etx, ..OlsrConfig::default() }).expect("a metric of qualities")
    }

    fn quality(lq: u8) -> LinkQuality {
        LinkQuality { lq, nlq: 255, ..LinkQuality::default() }
    }

    impl Zero {
        fn new() -> Self {
            Zero { routes: Weighted::new(pricing()), topology: Topology::default(), received: 0 }
        }

        /// `last` advertises links with these qualities, in the order of nodes.
        fn hears(&mut self, last: u32, links: &[(u32, u8)]) {
            let advertised = links.iter().map(|link| NodeId(link.0)).collect();
            let qualities = Some(links.iter().map(|link| quality(link.1)).collect());
            let tc = Tc { ansn: 0, advertised, qualities }.into();
            self.received += 1;
            let place = self.topology.see(NodeId(last), self.received, Time::ZERO, Time::NEVER).expect("a new number");
            if let Some(old) = self.topology.update(place, &tc, Time::ZERO, Time::NEVER) {
                self.routes.links_changed(NodeId(0), NodeId(last), &old, &tc);
            }
        }

        fn calculates(&mut self, near: &Near) -> Vec<Change> {
            let of = |&(node, relays, cost, ref reaches): &'_ (u32, bool, Cost, Reaches)| {
                (NodeId(node), relays, cost, reaches.clone())
            };
            let near: Vec<_> = near.iter().map(of).collect();
            let neighbours: Vec<Neighbour> = near
                .iter()
                .map(|(node, relays, cost, reaches)| Neighbour { node: *node, relays: *relays, cost: *cost, reaches })
                .collect();
            self.routes.calculate(NodeId(0), &neighbours, &self.topology)
        }

        fn paths(&self) -> Vec<Option<(Cost, u8, u32)>> {
            let path = |node: usize| {
                let path = self.routes.table.get(NodeId(node as u32))?;
                path.route().map(|route| (path.cost, route.hops, route.next_hop.0))
            };
            (0..NODES).map(path).collect()
        }

        /// The table by the rules alone: labels are improved until none can be (Bellman 1958).
        fn plain(&self, near: &Near) -> Vec<Option<(Cost, u8, u32)>> {
            let mut best: Vec<Option<(Cost, u8, usize)>> = vec![None; NODES];
            for (rank, &(node, _, cost, _)) in near.iter().enumerate().filter(|(_, n)| n.2 < BROKEN) {
                best[node as usize] = Some((cost, 1, rank));
            }
            loop {
                let before = best.clone();
                for last in 1..NODES {
                    let Some((cost, hops, rank)) = best[last] else { continue };
                    let reaches: Reaches = match near.iter().find(|n| n.0 as usize == last) {
                        Some((_, true, _, reaches)) => reaches.clone(),
                        Some(_) => Vec::new(),
                        None => self
                            .topology
                            .tc(NodeId(last as u32))
                            .map_or(Vec::new(), |tc| links(pricing(), tc).collect()),
                    };
                    for (to, more) in reaches.into_iter().filter(|&(to, more)| to.0 > 0 && more < BROKEN) {
                        let label = (cost + more, hops + 1, rank);
                        let known = &mut best[to.index()];
                        *known = Some(known.map_or(label, |known| known.min(label)));
                    }
                }
                if best == before {
                    let over = |(cost, hops, rank): (Cost, u8, usize)| (cost, hops, near[rank].0);
                    return best.into_iter().map(|path| path.map(over)).collect();
                }
            }
        }
    }

    #[test]
    fn two_good_hops_are_nearer_than_a_bad_one_and_three_are_not() {
        let mut zero = Zero::new();
        zero.hears(3, &[(4, 255)]);
        // ETX 1 to 1 and from 1 to 2, which is 2.5 away itself; 1 to 3 costs 1.5.
        let near =
            vec![(1, true, 1024, vec![(NodeId(2), 1024), (NodeId(3), 1536)]), (2, true, 2560, vec![(NodeId(3), 1024)])];
        let changes = zero.calculates(&near);
        assert_eq!(
            zero.paths()[1..5],
            [Some((1024, 1, 1)), Some((2048, 2, 1)), Some((2560, 2, 1)), Some((3584, 3, 1))]
        );
        assert_eq!(changes.iter().map(|c| c.dst.0).collect::<Vec<_>>(), [1, 2, 3, 4]);
        let near = vec![(1, true, 1024, vec![(NodeId(2), 1536)]), (2, true, 2560, vec![(NodeId(3), 1024)])];
        zero.calculates(&near);
        assert_eq!(
            zero.paths()[2..5],
            [Some((2560, 1, 2)), Some((3584, 2, 2)), Some((4608, 3, 2))],
            "equal sums: fewer hops"
        );
    }

    #[test]
    fn a_broken_link_and_a_neighbour_that_relays_nothing_lead_nowhere() {
        let mut zero = Zero::new();
        zero.hears(3, &[(4, 255), (5, 20)]);
        zero.hears(2, &[(6, 255)]);
        let reaches = |node| vec![(NodeId(node), 1024)];
        zero.calculates(&vec![
            (1, true, 1024, reaches(3)),
            (2, false, 1024, reaches(7)),
            (8, true, BROKEN, reaches(9)),
        ]);
        let known: Vec<usize> = (0..NODES).filter(|&node| zero.paths()[node].is_some()).collect();
        assert_eq!(known, [1, 2, 3, 4]);
    }

    #[test]
    fn links_that_change_no_route_ask_for_no_calculation() {
        let mut zero = Zero::new();
        let near = vec![(1, true, 1024, vec![(NodeId(3), 1024), (NodeId(4), 1024)])];
        zero.hears(3, &[(5, 255)]);
        zero.calculates(&near);
        // Who advertises, what, and whether a path may change by it. 5 is reached over 3 at 3,072.
        let cases = [
            (9, [(5, 255)].as_slice(), false),
            (4, &[(5, 128)], false),
            (4, &[(5, 200)], false),
            (4, &[(5, 255)], true),
            (4, &[(5, 255), (6, 100)], true),
            (3, &[(5, 254)], true),
        ];
        for (last, links, matters) in cases {
            zero.hears(last, links);
            assert_eq!(zero.routes.are_current(), !matters, "{last} to {links:?}");
            zero.calculates(&near);
        }
    }

    #[derive(Debug, Clone)]
    enum Step {
        Links(u32, Vec<(u32, u8)>),
        Neighbours(Near),
        Calculate,
    }

    /// Few qualities, so that sums are often equal.
    fn lq() -> impl Strategy<Value = u8> {
        prop_oneof![Just(255u8), Just(127), Just(85), Just(20)]
    }

    /// Whether a neighbour relays, the quality of the link to it, and those of its links.
    type Received = (bool, u8, Vec<(u32, u8)>);

    fn steps() -> impl Strategy<Value = Step> {
        let nodes = 0..NODES as u32;
        let links = move || {
            prop::collection::btree_map(nodes.clone(), lq(), 0..5).prop_map(|map| map.into_iter().collect::<Vec<_>>())
        };
        let priced = |(node, lq): (u32, u8)| (NodeId(node), pricing().cost(quality(lq)));
        let of = move |(node, (relays, lq, links)): (u32, Received)| {
            let reaches =
                links.into_iter().filter(|link| link.0 > 0).map(priced).filter(|link| link.1 < BROKEN).collect();
            (node, relays, pricing().cost(quality(lq)), reaches)
        };
        let near = prop::collection::btree_map(1..NODES as u32, (prop::bool::weighted(0.8), lq(), links()), 0..4);
        let near = near.prop_map(move |near| near.into_iter().map(of).collect::<Vec<_>>());
        prop_oneof![
            6 => (1..NODES as u32, links()).prop_map(|(last, links)| Step::Links(last, links)),
            1 => near.prop_shuffle().prop_map(Step::Neighbours),
            3 => Just(Step::Calculate),
        ]
    }

    proptest! {
        #![proptest_config(property(512))]

        #[test]
        fn the_table_is_that_of_a_calculation_from_nothing(steps in prop::collection::vec(steps(), 1..60)) {
            let mut zero = Zero::new();
            let mut near = Near::new();
            let mut before = zero.paths();
            for step in steps.into_iter().chain([Step::Calculate]) {
                match step {
                    Step::Links(last, links) => zero.hears(last, &links),
                    Step::Neighbours(list) => {
                        near = list;
                        zero.routes.neighbours_changed();
                    }
                    Step::Calculate => {
                        // What is current stays as it is: that is what the marks promise.
                        let changes = if zero.routes.are_current() { Vec::new() } else { zero.calculates(&near) };
                        let table = zero.paths();
                        prop_assert_eq!(&table, &zero.plain(&near));
                        let route = |path: Option<(Cost, u8, u32)>| path.map(|(_, hops, next_hop)| (next_hop, hops));
                        let differ: Vec<u32> =
                            (0..NODES).filter(|&n| route(table[n]) != route(before[n])).map(|n| n as u32).collect();
                        prop_assert_eq!(changes.iter().map(|c| c.dst.0).collect::<Vec<_>>(), differ);
                        before = table;
                    }
                }
            }
        }
    }
}
