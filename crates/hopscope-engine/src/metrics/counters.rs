//! Counters that machines keep for themselves, read when the measured time begins and when results are wanted.
//!
//! A record for each step of a counter would cost every run some time; the counters stand already, and an observer may look
//! at them ([`NetworkView::counters`], [`NetworkView::sender_stats`]).

use crate::config::Config;
use crate::record::{Counters, NetworkView};
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::Time;
use hopscope_tcp::SenderStats;

/// Counters of all nodes and of the senders of all flows at one instant.
#[derive(Debug, Clone, Default)]
pub struct CounterSnapshot {
    nodes: Vec<Counters>,
    /// What each node has got from each neighbour, packets.
    received: Vec<Vec<(NodeId, u64)>>,
    senders: Vec<SenderStats>,
    /// Data packets of each flow that are neither received nor lost.
    in_flight: Vec<u64>,
}

impl CounterSnapshot {
    /// As they stand now; queues are measured since `from`.
    pub(super) fn read(view: &mut impl NetworkView, (nodes, flows): (usize, usize), from: Time) -> Self {
        CounterSnapshot {
            nodes: (0..nodes as u32).map(|node| view.counters(NodeId(node), from)).collect(),
            received: (0..nodes as u32).map(|node| view.received_from(NodeId(node))).collect(),
            senders: (0..flows as u32).map(|flow| view.sender_stats(FlowId(flow)).unwrap_or_default()).collect(),
            in_flight: view.in_flight(flows),
        }
    }

    /// Data packets of a flow that are neither received nor lost; none before the first reading.
    pub fn in_flight(&self, flow: FlowId) -> u64 {
        self.in_flight.get(flow.index()).copied().unwrap_or_default()
    }

    /// Those of a node; zero before the first reading.
    pub fn node(&self, node: NodeId) -> Counters {
        self.nodes.get(node.index()).copied().unwrap_or_default()
    }

    /// The links that have carried packets since `before`: receiver, sender, packets; in order.
    pub fn carried_since<'a>(
        &'a self,
        before: &'a CounterSnapshot,
    ) -> impl Iterator<Item = (NodeId, NodeId, u64)> + 'a {
        self.received.iter().enumerate().flat_map(move |(node, neighbours)| {
            let old = before.received.get(node).map_or(&[][..], Vec::as_slice);
            neighbours.iter().filter_map(move |&(from, packets)| {
                let earlier = old.iter().find(|(node, _)| *node == from).map_or(0, |(_, packets)| *packets);
                (packets > earlier).then(|| (NodeId(node as u32), from, packets - earlier))
            })
        })
    }

    /// Those of the sender of a flow; zero before the first reading, and for UDP.
    pub fn sender(&self, flow: FlowId) -> SenderStats {
        self.senders.get(flow.index()).copied().unwrap_or_default()
    }
}

/// Packets can be marked: some queue of the network has a link layer.
pub(super) fn marks(config: &Config) -> bool {
    config.has_link_layers() || config.wires.iter().any(|wire| !wire.link.is_plain())
}
