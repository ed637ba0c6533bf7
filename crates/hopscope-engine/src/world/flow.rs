//! A flow in motion: a label for the two sockets that carry it, its application, and what is measured of it.

use crate::app::Source;
use crate::config::Transport;
use hopscope_core::ids::{FlowId, NodeId, SocketId};
use hopscope_core::rng::Stream;

/// One flow.
#[derive(Debug)]
pub struct Flow {
    /// Sending node.
    pub from: NodeId,
    /// Receiving node.
    pub to: NodeId,
    /// Transport protocol, as the configuration words it.
    pub transport: Transport,
    /// Payload bytes per packet.
    pub packet: u32,
    /// Hops under static routing.
    pub hops: u32,
    /// The flow whose receiver sends this one over the same connection.
    pub reply_to: Option<FlowId>,
    /// The socket that its data leaves from.
    pub socket: SocketId,
    pub(super) source: Source,
    /// Window and slow-start threshold last recorded.
    pub(super) window: (f64, f64),
    pub(super) rng: Stream,
}

impl Flow {
    /// The socket that its data comes to: the two of a connection have neighbouring numbers.
    pub(super) fn receiving_socket(&self) -> SocketId {
        SocketId(self.socket.0 ^ 1)
    }
}
