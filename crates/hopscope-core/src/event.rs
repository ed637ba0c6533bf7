//! The one event enum and the order of events at equal times.
//!
//! The variants stand in the order in which they happen at one instant; then the owner's number decides, then the
//! order of insertion (which can only matter between two events of one owner). A reception that ends frees the
//! medium before any station acts; a frame that begins at that instant is heard only after the station has acted,
//! so two stations whose back-off ends in the same nanosecond both send.

use crate::ids::{FlowId, NodeId, PacketId, SocketId};

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
    /// A frame ends at a radio that senses it; used only where an observer or routing asks for what is overheard.
    Overheard {
        /// Hearer.
        node: NodeId,
        /// Air slot of the frame.
        slot: u32,
        /// It is strong enough there to be decoded.
        decodable: bool,
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
        generation: Generation,
    },
    /// The same at a QoS station. Its events have kinds of their own, so that others need not be asked.
    EdcaSifs {
        /// Station.
        node: NodeId,
        /// Generation of the timer.
        generation: Generation,
    },
    /// The wait for a CTS or ACK ends, or a broadcast has left.
    ResponseTimeout {
        /// Station.
        node: NodeId,
        /// Generation of the timer.
        generation: Generation,
    },
    /// The wait of a QoS station for an answer ends, or its broadcast has left.
    EdcaTimeout {
        /// Station.
        node: NodeId,
        /// Generation of the timer.
        generation: Generation,
    },
    /// The earliest instant at which the back-off may have ended.
    Access {
        /// Station.
        node: NodeId,
    },
    /// The earliest instant at which the back-off of one of the categories of a QoS station may have ended.
    EdcaAccess {
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
    /// The last bit of a packet has left the end of a wire.
    WireSent {
        /// The end: twice the number of the wire, plus 0 or 1.
        end: u32,
    },
    /// A packet from the other end of a wire has arrived.
    WireArrived {
        /// The end that it was sent by.
        end: u32,
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
    /// A timer of an endpoint.
    Transport {
        /// Its socket.
        socket: SocketId,
        /// Index of the timer.
        timer: u8,
        /// Generation of the timer.
        generation: TransportGeneration,
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
    /// The link layer of a node lets the next packet go.
    Link {
        /// Node.
        node: NodeId,
    },
    /// A QoS station may no longer wait for MPDUs that are missing before those that have come.
    EdcaRelease {
        /// Station.
        node: NodeId,
    },
    /// A node's radio goes off or comes back.
    Power {
        /// Node.
        node: NodeId,
        /// It comes back.
        on: bool,
    },
    /// A node that moves has come to the end of a leg.
    Motion {
        /// Node.
        node: NodeId,
    },
    /// A change that the configuration asks for.
    Change {
        /// Its number there.
        number: u32,
    },
    /// Traces of links take their next values.
    Replay,
    /// Sampled series take a value.
    Sample,
}

/// The generation of a timer. No event is taken out of the queue: one whose timer was renewed since comes up with an old
/// generation and means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Generation(u32);

impl Generation {
    /// What was armed before means nothing from now on; gives the generation of what is armed now. It wraps: an event would
    /// have to wait for 2^32 others of its timer to be taken for a new one.
    #[inline(always)]
    pub fn renew(&mut self) -> Self {
        self.0 = self.0.wrapping_add(1);
        *self
    }
}

/// The generation of a timer of an endpoint, which has 28 bits: its event names the timer as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TransportGeneration(u32);

impl TransportGeneration {
    /// As [`Generation::renew`], and wraps sooner.
    #[inline(always)]
    pub fn renew(&mut self) -> Self {
        self.0 = (self.0 + 1) & GENERATION_MASK;
        *self
    }
}

/// Bits of a packed event: kind above owner above detail.
const OWNER_BITS: u32 = 27;
/// A timer code takes the upper 4 bits of the detail, its generation the lower ones.
const GENERATION_BITS: u32 = 28;
/// Whether an overheard frame is decodable, above its slot.
const DECODABLE: u32 = 1 << 31;
const GENERATION_MASK: u32 = (1 << GENERATION_BITS) - 1;

impl Event {
    /// The bits of a word that do not count in the order of events.
    pub const DETAIL: u64 = u32::MAX as u64;

    /// The event as one word. Compared by their upper halves, words of one instant stand in the order in which the
    /// events happen: kind first, then owner.
    #[inline(always)]
    pub fn pack(self) -> u64 {
        let (kind, owner, detail) = match self {
            // Ends of receptions first: what stations do at an instant follows what they have received by then.
            Event::RxEnd { node, slot } => (0, node.0, slot),
            Event::Overheard { node, slot, decodable } => (1, node.0, slot | if decodable { DECODABLE } else { 0 }),
            Event::Touch { node } => (2, node.0, 0),
            Event::Sifs { node, generation } => (3, node.0, generation.0),
            Event::EdcaSifs { node, generation } => (4, node.0, generation.0),
            Event::ResponseTimeout { node, generation } => (5, node.0, generation.0),
            Event::EdcaTimeout { node, generation } => (6, node.0, generation.0),
            Event::Access { node } => (7, node.0, 0),
            Event::EdcaAccess { node } => (8, node.0, 0),
            Event::LinkUp { node, packet } => (9, node.0, packet.0),
            Event::LinkDown { node, packet } => (10, node.0, packet.0),
            Event::WireSent { end } => (11, end, 0),
            Event::WireArrived { end, packet } => (12, end, packet.0),
            Event::Routing { node, timer } => (13, node.0, u32::from(timer)),
            Event::RoutingSend { node, packet } => (14, node.0, packet.0),
            Event::Transport { socket, timer, generation } => {
                (15, socket.0, (u32::from(timer) << GENERATION_BITS) | generation.0)
            }
            Event::App { flow } => (16, flow.0, 0),
            Event::Refill { node } => (17, node.0, 0),
            Event::Link { node } => (18, node.0, 0),
            Event::EdcaRelease { node } => (19, node.0, 0),
            Event::Power { node, on } => (20, node.0, u32::from(on)),
            Event::Motion { node } => (21, node.0, 0),
            Event::Change { number } => (22, number, 0),
            Event::Replay => (23, 0, 0),
            // Last: a sample shows what all else at its instant has left.
            Event::Sample => (24u64, 0, 0),
        };
        debug_assert!(owner < 1 << OWNER_BITS);
        (((kind << OWNER_BITS) | u64::from(owner)) << 32) | u64::from(detail)
    }

    /// The event of a word made by [`Event::pack`].
    #[inline(always)]
    pub fn unpack(word: u64) -> Self {
        let detail = word as u32;
        let owner = (word >> 32) as u32 & ((1 << OWNER_BITS) - 1);
        let (node, flow, socket, packet) = (NodeId(owner), FlowId(owner), SocketId(owner), PacketId(detail));
        match word >> (32 + OWNER_BITS) {
            0 => Event::RxEnd { node, slot: detail },
            1 => Event::Overheard { node, slot: detail & !DECODABLE, decodable: detail & DECODABLE != 0 },
            2 => Event::Touch { node },
            3 => Event::Sifs { node, generation: Generation(detail) },
            4 => Event::EdcaSifs { node, generation: Generation(detail) },
            5 => Event::ResponseTimeout { node, generation: Generation(detail) },
            6 => Event::EdcaTimeout { node, generation: Generation(detail) },
            7 => Event::Access { node },
            8 => Event::EdcaAccess { node },
            9 => Event::LinkUp { node, packet },
            10 => Event::LinkDown { node, packet },
            11 => Event::WireSent { end: owner },
            12 => Event::WireArrived { end: owner, packet },
            13 => Event::Routing { node, timer: detail as u8 },
            14 => Event::RoutingSend { node, packet },
            15 => {
                let timer = (detail >> GENERATION_BITS) as u8;
                Event::Transport { socket, timer, generation: TransportGeneration(detail & GENERATION_MASK) }
            }
            16 => Event::App { flow },
            17 => Event::Refill { node },
            18 => Event::Link { node },
            19 => Event::EdcaRelease { node },
            20 => Event::Power { node, on: detail != 0 },
            21 => Event::Motion { node },
            22 => Event::Change { number: owner },
            23 => Event::Replay,
            // All words come from `pack`.
            _ => Event::Sample,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_survives_its_word_and_keeps_its_place() {
        let (node, packet, flow, socket) = (NodeId(123_456), PacketId(77), FlowId(9), SocketId(8));
        let all = [
            Event::RxEnd { node, slot: 4_000_000 },
            Event::Overheard { node, slot: 3_999_999, decodable: true },
            Event::Touch { node },
            Event::Sifs { node, generation: Generation(u32::MAX) },
            Event::EdcaSifs { node, generation: Generation(2) },
            Event::ResponseTimeout { node, generation: Generation(1) },
            Event::EdcaTimeout { node, generation: Generation(u32::MAX) },
            Event::Access { node },
            Event::EdcaAccess { node },
            Event::LinkUp { node, packet },
            Event::LinkDown { node, packet },
            Event::WireSent { end: 5 },
            Event::WireArrived { end: 6, packet },
            Event::Routing { node, timer: 4 },
            Event::RoutingSend { node, packet },
            Event::Transport { socket, timer: 15, generation: TransportGeneration(GENERATION_MASK) },
            Event::App { flow },
            Event::Refill { node },
            Event::Link { node },
            Event::EdcaRelease { node },
            Event::Power { node, on: true },
            Event::Motion { node },
            Event::Change { number: 5 },
            Event::Replay,
            Event::Sample,
        ];
        for event in all {
            assert_eq!(Event::unpack(event.pack()), event);
        }
        assert!(all.is_sorted_by_key(|event| event.pack() >> (32 + OWNER_BITS)));
    }

    #[test]
    fn the_generation_of_a_transport_timer_wraps_within_its_bits() {
        let mut generation = TransportGeneration(GENERATION_MASK);
        let event = |generation| Event::Transport { socket: SocketId(8), timer: 9, generation };
        assert_eq!(generation.renew(), TransportGeneration::default());
        assert_eq!(Event::unpack(event(generation.renew()).pack()), event(TransportGeneration(1)));
    }
}
