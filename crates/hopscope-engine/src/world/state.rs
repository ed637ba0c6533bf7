//! Nodes and flows as they stand at an instant, for those who show them. To ask changes nothing of a run.

use super::World;
use super::flow::Flow;
use crate::record::Recorder;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
pub use hopscope_mac::state::InterfaceState;
use hopscope_net::routing::Forwarding;

/// A node as it stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeState {
    /// Metres.
    pub position: [f64; 2],
    /// Its radio is on.
    pub is_on: bool,
    /// Packets that wait for their first transmission.
    pub queued: usize,
    /// End of the NAV; in the past where nothing is reserved.
    pub nav_until: Time,
    /// Contention window, slots; of a QoS station that of best effort.
    pub cw: u32,
    /// Slots of back-off that are left, if one runs; of a QoS station that of best effort.
    pub backoff: Option<u32>,
    /// What its 802.11 interface does.
    pub doing: InterfaceState,
}

/// A flow as it stands; over UDP there is nothing to see.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowState {
    /// Congestion window, segments.
    pub cwnd: f64,
    /// Slow-start threshold, segments.
    pub ssthresh: f64,
    /// Sent and not acknowledged, segments.
    pub flight: f64,
    /// Smoothed round-trip time; none before the first sample.
    pub srtt: Option<Span>,
    /// Bytes acknowledged.
    pub acked: u64,
}

impl<R: Recorder> World<R> {
    /// A node as it stands now.
    pub fn node_state(&mut self, node: NodeId) -> NodeState {
        let (position, is_on) = (self.position(node), !self.is_off(node));
        let wifi = &mut self.wifi[node];
        let state = wifi.state(self.now);
        NodeState {
            position,
            is_on,
            queued: wifi.queued(),
            nav_until: state.nav_until,
            cw: state.cw,
            backoff: state.backoff,
            doing: state.doing,
        }
    }

    /// The sending half of a flow as it stands now; none over a transport without windows.
    pub fn flow_state(&self, flow: &Flow) -> Option<FlowState> {
        let sender = self.sender(flow)?;
        Some(FlowState {
            cwnd: sender.cwnd(),
            ssthresh: sender.ssthresh(),
            flight: sender.flight(),
            srtt: sender.srtt(),
            // The SYN takes the first number (RFC 9293 3.4).
            acked: sender.una().saturating_sub(1),
        })
    }

    /// The neighbour that gets the packets of a node for `dst` now; none where it knows of no way.
    pub fn next_hop(&self, node: NodeId, dst: NodeId) -> Option<NodeId> {
        match &self.nodes[node].forwarding {
            Forwarding::Static(table) => table.lookup(dst),
            Forwarding::Protocol(machine) => machine.router.next_hop(dst, self.now),
        }
    }
}
