//! The one event enum and the order of events at equal times.
//!
//! The variants stand in the order in which they happen at one instant; then the owner's number decides, then the
//! order of insertion (which can only matter between two events of one owner). A reception that ends frees the
//! medium before any station acts; a frame that begins at that instant is heard only after the station has acted,
//! so two stations whose back-off ends in the same nanosecond both send.

use crate::ids::{FlowId, NodeId, PacketId};

/// What can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A frame addressed to this node (or broadcast) ends; `slot` names it on the air.
    RxEnd {
        /// Receiver.
        node: NodeId,
        /// Air slot of the frame.
        slot: u32,
    },
    /// Apply radio edges up to now; used only by the eager mode that tests compare with.
    Touch {
        /// Receiver.
        node: NodeId,
    },
    /// SIFS has passed: send the pending response or data frame.
    Sifs {
        /// Station.
        node: NodeId,
        /// Generation of the timer.
        generation: u32,
    },
    /// The wait for a CTS or ACK ends, or a broadcast has left.
    ResponseTimeout {
        /// Station.
        node: NodeId,
        /// Generation of the timer.
        generation: u32,
    },
    /// The earliest instant at which the back-off may have ended.
    Access {
        /// Station.
        node: NodeId,
    },
    /// A packet leaves the link layer upwards.
    LinkUp {
        /// Node.
        node: NodeId,
        /// Packet.
        packet: PacketId,
    },
    /// A packet leaves the link layer towards the interface queue.
    LinkDown {
        /// Node.
        node: NodeId,
        /// Packet.
        packet: PacketId,
    },
    /// A timer of a node's routing machine.
    Routing {
        /// Node.
        node: NodeId,
        /// Index of the timer.
        timer: u8,
    },
    /// A packet that the routing machine delayed goes to the link layer.
    RoutingSend {
        /// Node.
        node: NodeId,
        /// Packet.
        packet: PacketId,
    },
    /// A timer of a flow's transport machines.
    Transport {
        /// Flow.
        flow: FlowId,
        /// Which timer of which end, see `world::flow`.
        timer: u8,
        /// Generation of the timer.
        generation: u32,
    },
    /// The application of a flow acts.
    App {
        /// Flow.
        flow: FlowId,
    },
    /// Sources that refill the interface queue themselves try again.
    Refill {
        /// Node.
        node: NodeId,
    },
    /// Sampled series take a value.
    Sample,
}

impl Event {
    /// Place at equal times: rank of the variant, then the owner.
    pub fn order(&self) -> u64 {
        let (rank, owner) = match *self {
            Event::RxEnd { node, .. } => (0, node.0),
            Event::Touch { node } => (1, node.0),
            Event::Sifs { node, .. } => (2, node.0),
            Event::ResponseTimeout { node, .. } => (3, node.0),
            Event::Access { node } => (4, node.0),
            Event::LinkUp { node, .. } => (5, node.0),
            Event::LinkDown { node, .. } => (6, node.0),
            Event::Routing { node, .. } => (7, node.0),
            Event::RoutingSend { node, .. } => (8, node.0),
            Event::Transport { flow, .. } => (9, flow.0),
            Event::App { flow } => (10, flow.0),
            Event::Refill { node } => (11, node.0),
            Event::Sample => (12, 0),
        };
        (rank << 32) | u64::from(owner)
    }
}

const _: () = assert!(std::mem::size_of::<Event>() <= 12, "an event stays small: it is copied on every sift");
