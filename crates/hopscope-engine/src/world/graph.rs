//! Who is one hop from whom: over a wire, or within radio range.

use crate::config::Config;
use hopscope_core::ids::NodeId;
use hopscope_net::iface::Wires;
use hopscope_net::routing::fixed::{Neighbours, Tables, on_routes};
use hopscope_phy::channel::Medium;

/// Who has a radio.
#[derive(Debug)]
pub(super) enum Radios {
    /// Every node.
    All {
        /// Number of nodes.
        nodes: usize,
    },
    /// Those nodes for which this holds; the others have wires alone.
    Some(Vec<bool>),
}

impl Radios {
    /// Those of a configuration.
    pub(super) fn new(config: &Config) -> Self {
        let nodes = config.nodes.len();
        // A node that no host names has a radio.
        if config.hosts.iter().all(|host| host.wifi) {
            return Radios::All { nodes };
        }
        Radios::Some(config.radios())
    }

    /// True when the node has a radio.
    #[inline]
    pub(super) fn has(&self, node: NodeId) -> bool {
        match self {
            Radios::All { .. } => true,
            Radios::Some(has) => has[node.index()],
        }
    }

    /// True for each node that has a radio.
    pub(super) fn all(&self) -> Vec<bool> {
        match self {
            Radios::All { nodes } => vec![true; *nodes],
            Radios::Some(has) => has.clone(),
        }
    }

    /// True for each node that has a radio and may act one day: under static routes those on the ways.
    pub(super) fn that_may_act(&self, tables: &impl Tables) -> Vec<bool> {
        match self {
            Radios::All { nodes } => on_routes(tables, *nodes),
            Radios::Some(has) => {
                let routes = on_routes(tables, has.len());
                routes.into_iter().zip(has).map(|(acts, &has)| acts && has).collect()
            }
        }
    }
}

/// The network as the search for static routes sees it. Wires come first: of equally short ways one over a wire is taken.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    medium: &'a Medium,
    wires: &'a Wires,
    radios: &'a Radios,
}

impl<'a> Graph<'a> {
    pub(super) fn new(medium: &'a Medium, wires: &'a Wires, radios: &'a Radios) -> Self {
        Graph { medium, wires, radios }
    }
}

impl Graph<'_> {
    /// The other node is heard where it hears: so it is until powers of their own or traces cover each direction.
    fn answers(&self, node: NodeId, other: NodeId) -> bool {
        !self.medium.has_changed() || self.medium.neighbours(other).any(|back| back == node)
    }
}

impl Neighbours for Graph<'_> {
    fn neighbours(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let wired = self.wires.of(node).iter().map(|&end| self.wires[end].peer);
        let received = self.radios.has(node).then(|| self.medium.neighbours(node)).into_iter().flatten();
        wired.chain(received.filter(move |&other| self.radios.has(other) && self.answers(node, other)))
    }
}
