//! Counters that machines keep for themselves, read when the measured time begins and when results are wanted.
//!
//! A record for each step of a counter would cost every run some time; the counters stand already, and an observer may look
//! at them ([`Look::counters`], [`Look::sender_stats`]).

use crate::config::Config;
use crate::ids::{FlowId, NodeId};
use crate::record::{Counters, Look};
use crate::transport::tcp::SenderStats;
use crate::units::Time;

/// Counters of all nodes and of the senders of all flows at one instant.
#[derive(Debug, Clone, Default)]
pub struct Counted {
    nodes: Vec<Counters>,
    senders: Vec<SenderStats>,
}

impl Counted {
    /// As they stand now; queues are measured since `from`.
    pub(super) fn read(look: &mut impl Look, (nodes, flows): (usize, usize), from: Time) -> Self {
        Counted {
            nodes: (0..nodes as u32).map(|node| look.counters(NodeId(node), from)).collect(),
            senders: (0..flows as u32).map(|flow| look.sender_stats(FlowId(flow)).unwrap_or_default()).collect(),
        }
    }

    /// Those of a node; zero before the first reading.
    pub fn node(&self, node: NodeId) -> Counters {
        self.nodes.get(node.index()).copied().unwrap_or_default()
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
