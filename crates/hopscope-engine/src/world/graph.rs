//! Who is one hop from whom: over a wire, or within radio range.

use super::link_costs::LinkCosts;
use crate::config::{Config, Stations};
use hopscope_core::ids::NodeId;
use hopscope_net::iface::Wires;
use hopscope_net::routing::fixed::{Neighbours, Tables, on_routes};
use hopscope_phy::channel::Medium;
use hopscope_phy::channel::decoding::Decoding;

/// Who has a radio.
#[derive(Debug)]
pub(super) enum Radios {
    /// Every node.
    All,
    /// Those nodes for which this holds; the others have wires alone.
    Some(Vec<bool>),
}

impl Radios {
    /// Those of a configuration.
    pub(super) fn new(config: &Config) -> Self {
        // A node that no host names has a radio.
        if config.hosts.iter().all(|host| host.wifi) {
            return Radios::All;
        }
        Radios::Some(config.radios())
    }

    /// True when the node has a radio.
    #[inline]
    pub(super) fn has(&self, node: NodeId) -> bool {
        match self {
            Radios::All => true,
            Radios::Some(has) => has[node.index()],
        }
    }

    /// True for each station of a node that has a radio.
    pub(super) fn all(&self, stations: &Stations) -> Vec<bool> {
        match self {
            Radios::All => vec![true; stations.count()],
            Radios::Some(has) => stations.spread(has),
        }
    }

    /// True for each station of a node that may act one day: under static routes those on the ways.
    pub(super) fn that_may_act(&self, tables: &impl Tables, stations: &Stations) -> Vec<bool> {
        let on_routes = on_routes(tables, stations.nodes() as usize);
        let acts = |node: usize| on_routes[node] && self.has(NodeId(node as u32));
        stations.spread(&(0..on_routes.len()).map(acts).collect::<Vec<_>>())
    }
}

/// The network as the search for static routes sees it. Wires come first: of equally short ways one over a wire is taken.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    medium: &'a Medium,
    wires: &'a Wires,
    radios: &'a Radios,
    stations: &'a Stations,
    /// While the links are those of the beginning a search makes no lists of them.
    decoding: Option<Decoding>,
    /// What links cost; none: ways are short by hops.
    costs: Option<LinkCosts>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(medium: &'a Medium, wires: &'a Wires, radios: &'a Radios, stations: &'a Stations) -> Self {
        // A search by distance alone knows no stations.
        let decoding = stations.are_nodes().then(|| medium.decoding()).flatten();
        Graph { medium, wires, radios, stations, decoding, costs: None }
    }

    /// The same with links that cost what the configuration says.
    pub(super) fn by_metric(self, config: &Config) -> Self {
        let costs = LinkCosts::new(config);
        // A search by costs meets a node once for each of its links.
        let decoding = self.decoding.filter(|_| costs.is_none());
        Graph { costs, decoding, ..self }
    }

    fn wired(&self, node: NodeId) -> impl Iterator<Item = NodeId> + 'a {
        let wires = self.wires;
        wires.of(node).iter().map(|&end| wires[end].peer)
    }

    /// The other node is heard where it hears: so it is until powers of their own or traces cover each direction.
    fn answers(&self, node: NodeId, other: NodeId) -> bool {
        !self.medium.has_changed() || self.medium.neighbours(other).any(|back| back == node)
    }
}

impl Neighbours for Graph<'_> {
    fn meet(&mut self, node: NodeId, mut meet: impl FnMut(NodeId)) {
        self.wired(node).for_each(&mut meet);
        let radios = self.radios;
        if !radios.has(node) {
            return;
        }
        if let Some(decoding) = &mut self.decoding {
            return decoding.meet(node.index(), |other| {
                let other = NodeId(other);
                if radios.has(other) {
                    meet(other);
                }
                true
            });
        }
        for station in self.stations.of(node) {
            let received = self.medium.neighbours(station).filter(|&other| self.answers(station, other));
            received.map(|other| self.stations.node(other)).filter(|&other| radios.has(other)).for_each(&mut meet);
        }
    }

    fn is_weighted(&self) -> bool {
        self.costs.is_some()
    }

    fn cost(&self, from: NodeId, to: NodeId) -> f64 {
        self.costs.as_ref().map_or(1.0, |costs| costs.of(self.medium, from, to))
    }

    fn begin_again(&mut self) {
        if let Some(decoding) = &mut self.decoding {
            decoding.begin_again();
        }
    }

    fn preferred(&self, node: NodeId, counts: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        let wired = self.wired(node).find(|&other| counts(other));
        wired.or_else(|| {
            if !self.radios.has(node) {
                return None;
            }
            let nearest = |station| {
                let is_heard = |other| {
                    let of = self.stations.node(other);
                    counts(of) && self.radios.has(of) && self.answers(station, other)
                };
                self.medium.nearest(station, is_heard)
            };
            // The first radio that leads to one of them.
            self.stations.of(node).find_map(nearest).map(|other| self.stations.node(other))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::reachability::tests::network;
    use super::*;
    use hopscope_net::routing::{FixedRoutes, Table};

    #[test]
    fn a_search_without_lists_finds_the_ways_that_the_lists_say() {
        let mut found = 0;
        for number in 0..60 {
            let config = network(number);
            let medium = Medium::seeded(&config.nodes, &config.radio_with_all_rates(), config.seed);
            let wires = Wires::new(&config.wires, &config.link, config.nodes.len(), config.seed);
            let radios = Radios::new(&config);
            let stations = config.stations();
            let install_all = |mut graph: Graph<'_>| {
                let (mut routes, mut tables) = (FixedRoutes::new(60), vec![Table::default(); 60]);
                let mut install = |from, to| routes.install(&mut graph, &mut tables, NodeId(from), NodeId(to));
                let hops: Vec<_> = config.flows.iter().map(|flow| install(flow.from, flow.to)).collect();
                let next = |node: usize| config.flows.iter().map(|flow| tables[node].lookup(NodeId(flow.to))).collect();
                (hops, (0..60).map(next).collect::<Vec<Vec<_>>>())
            };
            let searched = install_all(Graph::new(&medium, &wires, &radios, &stations));
            (0..60).for_each(|node| medium.make_list(NodeId(node)));
            let listed = install_all(Graph { decoding: None, ..Graph::new(&medium, &wires, &radios, &stations) });
            assert_eq!(searched, listed, "network {number}");
            found += searched.0.iter().flatten().filter(|hops| **hops > 1).count();
        }
        assert!(found > 100, "{found} of 600 ways have several hops");
    }
}
