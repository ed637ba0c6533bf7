//! FQ-CoDel (RFC 8290): flow queues that are served in turn, each under CoDel (RFC 8289).
//!
//! QoS stations have them for each neighbour (`edca/stations.rs`); link layers before stations without QoS and before wires have
//! one. `Turns` is the round robin of both, of flows by their bytes and of neighbours by their airtime.

mod codel;
mod flows;
mod turns;

pub use codel::Codel;
pub use flows::FairQueue;
pub(crate) use turns::{Turns, Visit};

use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;

/// Parameters of CoDel and FQ-CoDel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FairRules {
    /// Waiting time that is acceptable.
    pub target: Span,
    /// Time over which it may be exceeded.
    pub interval: Span,
    /// Bytes that a flow may send in its turn.
    pub quantum: u32,
    /// Queues that flows are spread over.
    pub queues: u32,
}

/// What names a flow: addresses, protocol and ports (RFC 8290 4.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FlowKey {
    /// Source and destination.
    pub ends: (NodeId, NodeId),
    /// Number of the transport protocol (RFC 791 3.1); 0 of what has no ports.
    pub protocol: u8,
    /// Their ports.
    pub ports: (u16, u16),
}
