//! Who is one hop from whom: over a wire, or within radio range.

use crate::channel::Medium;
use crate::config::Config;
use crate::ids::NodeId;
use crate::iface::WireEnd;
use crate::routing::fixed::{Neighbours, Tables, on_the_way};

/// Nodes that have no radio.
#[derive(Debug)]
pub(super) struct Radios {
    nodes: usize,
    without: Vec<NodeId>,
}

impl Radios {
    /// Those of a configuration.
    pub(super) fn new(config: &Config) -> Self {
        let nodes = config.nodes.len();
        let all = (0..nodes as u32).map(NodeId);
        // Without settings of single nodes every node has one.
        let without =
            if config.hosts.is_empty() { Vec::new() } else { all.filter(|n| !config.has_wifi(n.0)).collect() };
        Radios { nodes, without }
    }

    /// True when the node has a radio.
    fn has(&self, node: NodeId) -> bool {
        self.without.is_empty() || self.without.binary_search(&node).is_err()
    }

    /// True for each node that has a radio and may act one day: under static routes those on the ways.
    pub(super) fn that_may_act(&self, tables: &impl Tables) -> Vec<bool> {
        self.among(on_the_way(tables, self.nodes))
    }

    /// True for each node that has a radio; none: all have one.
    pub(super) fn some(&self) -> Option<Vec<bool>> {
        (!self.without.is_empty()).then(|| self.among(vec![true; self.nodes]))
    }

    fn among(&self, mut nodes: Vec<bool>) -> Vec<bool> {
        self.without.iter().for_each(|node| nodes[node.index()] = false);
        nodes
    }
}

/// The network as the search for static routes sees it. Wires come first: of equally short ways one over a wire is taken.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    medium: &'a Medium,
    wires: &'a [WireEnd],
    radios: &'a Radios,
}

impl<'a> Graph<'a> {
    pub(super) fn new(medium: &'a Medium, wires: &'a [WireEnd], radios: &'a Radios) -> Self {
        Graph { medium, wires, radios }
    }
}

impl Neighbours for Graph<'_> {
    fn neighbours(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let wired = self.wires.iter().filter(move |end| end.node == node).map(|end| end.peer);
        let heard = self.radios.has(node).then(|| self.medium.neighbours(node)).into_iter().flatten();
        wired.chain(heard.filter(|&other| self.radios.has(other)))
    }
}
