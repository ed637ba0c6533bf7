//! The routing table: shortest ways by number of hops (RFC 3626 10).
//!
//! It is built ring by ring: first the neighbours, then the nodes two hops away, which HELLOs name, then each ring from
//! the links that the nodes of the ring before it advertise. A change of links matters from the ring of the node that
//! advertises them on, and mostly to few others. So it marks that ring if the table may change at all; a calculation
//! begins behind a marked ring and rests at the first one that comes out as it was, until the next mark. The table is
//! what a calculation from nothing would give.

use super::topology::Topology;
use crate::routing::by_node::ByNode;
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

/// What a calculation changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) dst: NodeId,
    pub(super) old: Option<Route>,
    pub(super) new: Option<Route>,
}

/// Routes by destination.
#[derive(Debug, Default)]
pub(super) struct Routes {
    table: ByNode<Entry>,
    /// Destinations by their hops, each ring in the order of nodes. Ring 0 would be this node.
    rings: Vec<Vec<NodeId>>,
    marks: Marks,
}

/// A route in four octets, as there is one for each pair of nodes: hops in the lowest, the next hop above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Entry(u32);

impl Entry {
    /// No route.
    const NONE: Entry = Entry(0);
    /// The route is gone, and the calculation under way has found no other so far.
    const OPEN: Entry = Entry(1 << 8);

    #[inline]
    fn new(next_hop: NodeId, hops: u8) -> Self {
        debug_assert!(next_hop.0 < 1 << 24, "the engine has fewer nodes than {next_hop}");
        Entry(next_hop.0 << 8 | u32::from(hops))
    }

    #[inline]
    fn hops(self) -> u8 {
        self.0 as u8
    }

    #[inline]
    fn next_hop(self) -> NodeId {
        NodeId(self.0 >> 8)
    }

    fn route(self) -> Option<Route> {
        (self.hops() > 0).then_some(Route { next_hop: self.next_hop(), hops: self.hops() })
    }
}

/// Rings whose links to the next one changed since the last calculation, a bit each.
#[derive(Debug, Default, PartialEq)]
struct Marks([u64; 4]);

impl Marks {
    fn set(&mut self, ring: u8) {
        self.0[usize::from(ring / 64)] |= 1 << (ring % 64);
    }

    fn has(&self, ring: u8) -> bool {
        self.0[usize::from(ring / 64)] >> (ring % 64) & 1 == 1
    }

    /// The first marked ring from this one on.
    fn first_from(&self, ring: u8) -> Option<u8> {
        let word = usize::from(ring / 64);
        let rest = self.0[word] >> (ring % 64);
        if rest > 0 {
            return Some(ring + rest.trailing_zeros() as u8);
        }
        let word = (word + 1..4).find(|&word| self.0[word] > 0)?;
        Some(word as u8 * 64 + self.0[word].trailing_zeros() as u8)
    }
}

impl Routes {
    #[inline]
    pub(super) fn get(&self, dst: NodeId) -> Option<Route> {
        self.entry(dst).route()
    }

    #[inline]
    fn entry(&self, dst: NodeId) -> Entry {
        self.table.get(dst).copied().unwrap_or(Entry::NONE)
    }

    /// True if no calculation can change anything.
    pub(super) fn are_current(&self) -> bool {
        self.marks == Marks::default()
    }

    /// Neighbours changed, what they reach, or which are preferred.
    pub(super) fn neighbours_changed(&mut self) {
        self.marks.set(0);
        self.marks.set(1);
    }

    /// `last` advertises links to `new` in place of `old`.
    pub(super) fn links_changed(&mut self, me: NodeId, last: NodeId, old: &[NodeId], new: &[NodeId]) {
        let at = self.entry(last);
        let ring = at.hops();
        // Over a neighbour go links that HELLOs name. A node without a route is looked at when it gets one.
        if ring < 2 || ring == u8::MAX || self.marks.has(ring) {
            return;
        }
        let over_it = Entry::new(at.next_hop(), ring + 1);
        // The table stays as it is when a link goes over which no route can lead, or one comes that leads nowhere new.
        let leads = |&node: &NodeId| self.entry(node) == over_it;
        let is_near = |&node: &NodeId| node == me || (1..=ring).contains(&self.entry(node).hops());
        let breaks = old.iter().any(|node| !new.contains(node) && leads(node));
        if breaks || new.iter().any(|node| !old.contains(node) && !leads(node) && !is_near(node)) {
            self.marks.set(ring);
        }
    }

    /// Brings the table of `me` up to date; what changed, in the order of destinations. `neighbours` come in the order
    /// in which they are preferred as next hops.
    pub(super) fn calculate(&mut self, me: NodeId, neighbours: &[Neighbour], topology: &Topology) -> Vec<Change> {
        let marks = std::mem::take(&mut self.marks);
        let (found, before, changed) = (Vec::new(), Vec::new(), Vec::new());
        let mut pass = Pass { routes: self, me, ring: 0, found, before, changed, open: 0, robbed: 0 };
        let mut goes_on = false;
        // A hop count is one octet.
        while pass.ring < u8::MAX {
            if !goes_on {
                let Some(marked) = marks.first_from(pass.ring) else { break };
                pass.ring = marked;
            }
            goes_on = pass.make_next(neighbours, topology);
        }
        pass.end()
    }
}

/// A calculation under way.
struct Pass<'a> {
    routes: &'a mut Routes,
    me: NodeId,
    /// The ring made last. All up to it are as they should be.
    ring: u8,
    /// The nodes of the ring that is made.
    found: Vec<NodeId>,
    /// Routes to the nodes that it had.
    before: Vec<Entry>,
    /// Nodes whose routes changed, with what they were.
    changed: Vec<(NodeId, Entry)>,
    /// How many entries are open.
    open: usize,
    /// The outermost ring that lost a node to one further in.
    robbed: u8,
}

impl Pass<'_> {
    /// Makes the next ring anew; true if the one behind it must be made too.
    fn make_next(&mut self, neighbours: &[Neighbour], topology: &Topology) -> bool {
        self.ring += 1;
        let at = usize::from(self.ring);
        if self.routes.rings.len() <= at {
            self.routes.rings.resize_with(at + 1, Vec::new);
        }
        let old = std::mem::take(&mut self.routes.rings[at]);
        self.clear(&old);
        match self.ring {
            1 => neighbours.iter().for_each(|n| self.claim(n.node, n.node)),
            2 => {
                for neighbour in neighbours.iter().filter(|n| n.relays) {
                    neighbour.reaches.iter().for_each(|reached| self.claim(reached.0, neighbour.node));
                }
            }
            _ => {
                // Ties fall to the lowest number, as the ring has that order.
                let ring = std::mem::take(&mut self.routes.rings[at - 1]);
                for &last in &ring {
                    let next_hop = self.routes.entry(last).next_hop();
                    topology.from(last).iter().for_each(|&node| self.claim(node, next_hop));
                }
                self.routes.rings[at - 1] = ring;
            }
        }
        self.found.sort_unstable();
        let is_same = self.compare(&old);
        let is_last = self.found.is_empty() && at + 1 == self.routes.rings.len();
        self.routes.rings[at] = if is_same { old } else { self.found.clone() };
        self.found.clear();
        !is_last && (!is_same || self.open > 0 || self.ring < self.robbed)
    }

    /// Opens the routes to the nodes that the ring had.
    fn clear(&mut self, old: &[NodeId]) {
        self.before.clear();
        for &node in old {
            let entry = self.routes.table.slot(node);
            self.before.push(*entry);
            // Others are further in by now.
            if entry.hops() == self.ring {
                *entry = Entry::OPEN;
                self.open += 1;
            }
        }
    }

    /// Takes a node into the ring unless it has its place further in.
    fn claim(&mut self, node: NodeId, next_hop: NodeId) {
        let entry = self.routes.table.slot(node);
        if *entry == Entry::OPEN {
            self.open -= 1;
        } else if (1..=self.ring).contains(&entry.hops()) || node == self.me {
            return;
        } else {
            self.changed.push((node, *entry));
            self.robbed = self.robbed.max(entry.hops());
        }
        *entry = Entry::new(next_hop, self.ring);
        self.found.push(node);
    }

    /// Notes what became of the nodes that the ring had; true if the ring is as it was.
    fn compare(&mut self, old: &[NodeId]) -> bool {
        let mut is_same = self.found.len() == old.len();
        for (&node, &before) in old.iter().zip(&self.before) {
            if before.hops() < self.ring {
                is_same = false;
            } else if self.routes.entry(node) != before {
                is_same = false;
                self.changed.push((node, before));
            }
        }
        is_same
    }

    fn end(self) -> Vec<Change> {
        let Pass { routes, mut changed, .. } = self;
        while routes.rings.last().is_some_and(Vec::is_empty) {
            routes.rings.pop();
        }
        changed.sort_unstable_by_key(|change| change.0);
        let end = |(dst, old): (NodeId, Entry)| {
            let entry = routes.table.slot(dst);
            if *entry == Entry::OPEN {
                *entry = Entry::NONE;
            }
            Change { dst, old: old.route(), new: entry.route() }
        };
        changed.into_iter().map(end).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_packet::olsr::Tc;
    use hopscope_testing::property;
    use proptest::prelude::*;

    /// Node 0 with what it knows.
    #[derive(Default)]
    struct Zero {
        routes: Routes,
        topology: Topology,
        received: u16,
    }

    impl Zero {
        /// `last` advertises links to `nodes`.
        fn hears(&mut self, last: u32, nodes: &[u32]) {
            let tc = Tc { ansn: 0, advertised: nodes.iter().map(|&n| NodeId(n)).collect(), qualities: None }.into();
            self.received += 1;
            let place = self.topology.see(NodeId(last), self.received, Time::ZERO, Time::NEVER).expect("a new number");
            if let Some(old) = self.topology.update(place, &tc, Time::ZERO, Time::NEVER) {
                self.routes.links_changed(NodeId(0), NodeId(last), &old.advertised, &tc.advertised);
            }
        }

        fn calculates(&mut self, neighbours: &[Neighbour]) -> Vec<Change> {
            self.routes.calculate(NodeId(0), neighbours, &self.topology)
        }

        fn calculates_anew(&mut self, neighbours: &[Neighbour]) -> Vec<Change> {
            self.routes.neighbours_changed();
            self.calculates(neighbours)
        }

        fn route(&self, dst: u32) -> Option<(u32, u8)> {
            self.routes.get(NodeId(dst)).map(|r| (r.next_hop.0, r.hops))
        }

        /// The table by the rules alone.
        fn plain(&self, neighbours: &[Neighbour]) -> Vec<Option<Route>> {
            let mut table: Vec<Option<Route>> = vec![None; 24];
            let mut put = |dst: NodeId, next_hop, hops| {
                let is_new = dst != NodeId(0) && table[dst.index()].is_none();
                if is_new {
                    table[dst.index()] = Some(Route { next_hop, hops });
                }
                is_new.then_some((dst, next_hop))
            };
            for n in neighbours {
                put(n.node, n.node, 1);
            }
            let two = neighbours.iter().filter(|n| n.relays).flat_map(|n| n.reaches.iter().map(|r| (r.0, n.node)));
            let mut ring: Vec<(NodeId, NodeId)> = two.filter_map(|(dst, next_hop)| put(dst, next_hop, 2)).collect();
            let mut hops = 2;
            while !ring.is_empty() {
                hops += 1;
                ring.sort_unstable();
                let mut beyond = Vec::new();
                for (last, next_hop) in ring {
                    beyond.extend(self.topology.from(last).iter().filter_map(|&dst| put(dst, next_hop, hops)));
                }
                ring = beyond;
            }
            table
        }
    }

    type Reaches = Vec<(NodeId, Time)>;

    fn reaches(nodes: &[u32]) -> Reaches {
        nodes.iter().map(|&n| (NodeId(n), Time::NEVER)).collect()
    }

    fn neighbour(node: u32, reaches: &[(NodeId, Time)]) -> Neighbour<'_> {
        Neighbour { node: NodeId(node), relays: true, reaches }
    }

    #[test]
    fn ways_are_shortest_and_ties_fall_to_the_preferred() {
        let (of_1, of_2) = (reaches(&[0, 2, 10]), reaches(&[0, 1, 10, 11]));
        let mut zero = Zero::default();
        let links: [(u32, &[u32]); 5] = [(10, &[20]), (11, &[20, 21]), (20, &[30, 0]), (30, &[40]), (99, &[98])];
        links.into_iter().for_each(|(last, nodes)| zero.hears(last, nodes));
        let changes = zero.calculates_anew(&[neighbour(2, &of_2), neighbour(1, &of_1)]);
        let expected = [(1, 1, 1), (2, 2, 1), (10, 2, 2), (11, 2, 2), (20, 2, 3), (21, 2, 3), (30, 2, 4), (40, 2, 5)];
        let new = |c: &Change| c.new.map(|new| (c.dst.0, new.next_hop.0, new.hops));
        assert_eq!(changes.iter().filter_map(new).collect::<Vec<_>>(), expected, "nothing else, and no way to itself");
        let changes = zero.calculates_anew(&[neighbour(1, &of_1), neighbour(2, &of_2)]);
        assert_eq!((zero.route(10), zero.route(20)), (Some((1, 2)), Some((1, 3))));
        assert_eq!(changes.iter().map(|c| c.dst.0).collect::<Vec<_>>(), [10, 20, 30, 40]);
        assert!(zero.routes.are_current());
    }

    #[test]
    fn a_neighbour_that_relays_nothing_is_an_end() {
        let of_1 = reaches(&[0, 10]);
        let mut zero = Zero::default();
        zero.hears(10, &[20]);
        zero.calculates_anew(&[Neighbour { relays: false, ..neighbour(1, &of_1) }]);
        assert_eq!((zero.route(1), zero.route(10), zero.route(20)), (Some((1, 1)), None, None));
    }

    #[test]
    fn links_that_change_no_route_ask_for_no_calculation() {
        let of_1 = reaches(&[0, 10, 11]);
        let mut zero = Zero::default();
        zero.hears(10, &[20]);
        zero.calculates_anew(&[neighbour(1, &of_1)]);
        // (who advertises, what, whether it may matter)
        let cases: [(u32, &[u32], bool); 7] = [
            (1, &[30], false),
            (99, &[98], false),
            (10, &[0, 1, 11, 20], false),
            (10, &[20], false),
            (11, &[20], false),
            (11, &[], true),
            (11, &[21], true),
        ];
        for (last, nodes, matters) in cases {
            zero.hears(last, nodes);
            assert_eq!(zero.routes.are_current(), !matters, "{last} to {nodes:?}");
            zero.calculates(&[neighbour(1, &of_1)]);
        }
        assert_eq!((zero.route(20), zero.route(21)), (Some((1, 3)), Some((1, 3))));
    }

    #[derive(Debug, Clone)]
    enum Step {
        /// A node advertises these.
        Links(u32, Vec<u32>),
        /// The neighbours with what they reach, as preferred.
        Neighbours(Vec<(u32, bool, Vec<u32>)>),
        Calculate,
    }

    fn steps() -> impl Strategy<Value = Step> {
        let nodes = || prop::collection::btree_set(0u32..24, 0..5).prop_map(|set| set.into_iter().collect::<Vec<_>>());
        let near = prop::collection::btree_map(1u32..24, (prop::bool::weighted(0.8), nodes()), 0..4);
        let neighbours = near.prop_map(|near| near.into_iter().map(|(n, (relays, reaches))| (n, relays, reaches)));
        prop_oneof![
            6 => (1u32..24, nodes()).prop_map(|(last, nodes)| Step::Links(last, nodes)),
            1 => neighbours.prop_map(Iterator::collect::<Vec<_>>).prop_shuffle().prop_map(Step::Neighbours),
            3 => Just(Step::Calculate),
        ]
    }

    proptest! {
        #![proptest_config(property(512))]

        #[test]
        fn the_table_is_that_of_a_calculation_from_nothing(steps in prop::collection::vec(steps(), 1..60)) {
            let mut zero = Zero::default();
            let mut near: Vec<(u32, bool, Reaches)> = Vec::new();
            let mut before: Vec<Option<Route>> = vec![None; 24];
            for step in steps.into_iter().chain([Step::Calculate]) {
                match step {
                    Step::Links(last, nodes) => zero.hears(last, &nodes),
                    Step::Neighbours(list) => {
                        near = list.into_iter().map(|(n, relays, list)| (n, relays, reaches(&list))).collect();
                        zero.routes.neighbours_changed();
                    }
                    Step::Calculate => {
                        let neighbours: Vec<Neighbour> = near.iter()
                            .map(|(n, relays, list)| Neighbour { relays: *relays, ..neighbour(*n, list) })
                            .collect();
                        let changes = zero.calculates(&neighbours);
                        let table: Vec<_> = (0..24).map(|n| zero.routes.get(NodeId(n))).collect();
                        prop_assert_eq!(&table, &zero.plain(&neighbours));
                        let differ: Vec<Change> = (0..24).filter(|&n| table[n] != before[n])
                            .map(|n| Change { dst: NodeId(n as u32), old: before[n], new: table[n] })
                            .collect();
                        prop_assert_eq!(changes, differ);
                        before = table;
                    }
                }
            }
        }
    }
}
