//! What a machine of routing is given and what it answers: the inputs with their instant, the effects that the caller
//! carries out, and the facts for records.

use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};
use hopscope_packet::dsr::SourceRoute;
use hopscope_packet::routing::RoutingMessage;
use hopscope_packet::{Body, DropReason, Packet};

/// The instant of an input, what the radios know, the node's random numbers and the list its effects go to.
#[derive(Debug)]
pub struct Cx<'a> {
    /// Now.
    pub now: Time,
    /// Radio of the node that a message came by, or by which a frame was given up, in the order of its radios; 0 where the
    /// input is neither.
    pub interface: u8,
    /// What the MAC knows of the links to neighbours.
    pub link: &'a dyn LinkLayer,
    /// Random numbers of the node's routing.
    pub rng: &'a mut Stream,
    /// Where effects go.
    pub out: &'a mut Vec<RoutingEffect>,
}

impl Cx<'_> {
    /// Adds an effect.
    pub fn push(&mut self, effect: RoutingEffect) {
        self.out.push(effect);
    }

    /// Adds a fact for records.
    pub fn note(&mut self, note: RoutingNote) {
        self.out.push(RoutingEffect::Note(note));
    }

    /// Loses a packet of the machine.
    pub fn drop_packet(&mut self, packet: PacketId, reason: DropReason) {
        self.out.push(RoutingEffect::Drop { packet, reason });
    }

    /// Drops the packet of a frame that the MAC gave up, if it was data.
    pub fn drop_lost(&mut self, lost: Option<&Lost>) {
        if let Some(lost) = lost {
            self.drop_packet(lost.packet, DropReason::LinkFailed);
        }
    }

    /// The radio of the node that what concerns an interface leaves by: a wire counts with the first radio.
    pub fn radio_of(&self, interface: u8) -> u8 {
        if interface < self.link.radios() { interface } else { 0 }
    }

    /// A uniform part of `longest`.
    pub fn part_of(&mut self, longest: Span) -> Span {
        Span((self.rng.uniform() * longest.0 as f64) as u64)
    }
}

/// What a routing protocol may ask of the MAC below it.
pub trait LinkLayer: std::fmt::Debug {
    /// Radios of the node, at least one; interfaces with higher numbers are wires.
    fn radios(&self) -> u8;

    /// The link to a neighbour by one of the node's radios, as the MAC sees it.
    fn estimate(&self, interface: u8, neighbour: NodeId) -> LinkEstimate;
}

/// A link as the MAC of its sender sees it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinkEstimate {
    /// Rate that unicast data goes at now, bit/s.
    pub data_rate: u64,
    /// Bit/s of unicast data that rate control expects to come through; none where it knows nothing of the neighbour.
    pub expected_throughput: Option<u64>,
    /// Average share of failures of its frames, 0 to 1; zero where no protocol asks for it.
    pub failed: f64,
    /// Packets given up since the last one that came; zero where no protocol asks for it.
    pub failed_in_row: u32,
}

/// A packet that needs a next hop.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The packet.
    pub packet: PacketId,
    /// Its source.
    pub src: NodeId,
    /// Its destination.
    pub dst: NodeId,
    /// Neighbour that forwarded it to this node; none: it originates here.
    pub prev: Option<NodeId>,
    /// The source route it carries.
    pub source_route: Option<&'a SourceRoute>,
}

impl<'a> Query<'a> {
    /// The question of `node` for a packet.
    #[inline]
    pub fn new(node: NodeId, id: PacketId, packet: &Packet, source_route: Option<&'a SourceRoute>) -> Self {
        let Packet { src, dst, prev_hop, .. } = *packet;
        Query { packet: id, src, dst, prev: (prev_hop != node).then_some(prev_hop), source_route }
    }
}

/// Answer to a packet that needs a next hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteAnswer {
    /// Send it to this neighbour.
    Via(NodeId),
    /// Send it to this neighbour by this radio of the node.
    ViaInterface(NodeId, u8),
    /// The machine keeps it until a route is found.
    Held,
    /// It is lost.
    Drop(DropReason),
}

/// A packet the MAC could not deliver to a neighbour.
#[derive(Debug, Clone, Copy)]
pub struct Lost<'a> {
    /// The packet; it now belongs to the machine.
    pub packet: PacketId,
    /// Its source.
    pub src: NodeId,
    /// Its destination.
    pub dst: NodeId,
    /// Hops it has travelled to this node; 0 at its source.
    pub hops: u8,
    /// The source route it carries.
    pub source_route: Option<&'a SourceRoute>,
}

impl<'a> Lost<'a> {
    /// A data packet.
    pub fn new(id: PacketId, packet: &Packet, source_route: Option<&'a SourceRoute>) -> Self {
        let Packet { src, dst, hops, .. } = *packet;
        Lost { packet: id, src, dst, hops, source_route }
    }
}

/// Whose packet the MAC could not deliver, by what it carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossOf {
    /// Data: the machine learns of the link and takes the packet.
    Data,
    /// A message of a machine, which learns of the link.
    Message,
    /// What lies below routing: the machine learns nothing.
    Other,
}

impl LossOf {
    /// The loss of a packet with this body.
    pub fn body(body: &Body) -> Self {
        match body {
            Body::Tcp(_)
            | Body::Udp { .. }
            | Body::Dccp(_)
            | Body::Atp(_)
            | Body::PathNotice(_)
            | Body::Opaque { .. } => LossOf::Data,
            Body::Aodv(_) | Body::Routing => LossOf::Message,
            Body::Arp { .. } | Body::Notice(_) | Body::Ethernet { .. } => LossOf::Other,
        }
    }
}

/// What a machine wants done. The caller carries effects out in the order given.
#[derive(Debug, Clone, PartialEq)]
pub enum RoutingEffect {
    /// Send a message to all neighbours after `delay`.
    Broadcast {
        /// The message.
        message: RoutingMessage,
        /// Radio that it leaves by, wires with the first one ([`Cx::radio_of`]); none: it leaves by all.
        interface: Option<u8>,
        /// Time to live of its packet.
        ttl: u8,
        /// Random delay that keeps neighbours from answering in chorus.
        delay: Span,
    },
    /// Send a message to one neighbour after `delay`.
    Unicast {
        /// The message.
        message: RoutingMessage,
        /// The neighbour.
        to: NodeId,
        /// Radio that it leaves by; none: the first one that leads there.
        interface: Option<u8>,
        /// Time to live of its packet.
        ttl: u8,
        /// Time before it goes.
        delay: Span,
    },
    /// Send a packet of the machine to a neighbour after `delay`.
    Forward {
        /// The packet.
        packet: PacketId,
        /// The neighbour.
        next_hop: NodeId,
        /// Radio that it leaves by; none: the first one that leads there.
        interface: Option<u8>,
        /// Time between released packets (`release_gap`).
        delay: Span,
    },
    /// Give a packet this source route in place of the one it has; it stands before the packet's answer or `Forward`.
    SetSourceRoute {
        /// The packet.
        packet: PacketId,
        /// The route.
        route: SourceRoute,
    },
    /// A packet of the machine is lost.
    Drop {
        /// The packet.
        packet: PacketId,
        /// Why.
        reason: DropReason,
    },
    /// Drop the packets of the interface queue that wait for this neighbour.
    FlushNextHop {
        /// The neighbour.
        next_hop: NodeId,
    },
    /// Hand the packets of the interface queue that wait for this neighbour to the machine, as if the MAC had given
    /// each of them up.
    RecallNextHop {
        /// The neighbour.
        next_hop: NodeId,
    },
    /// Call `on_timer` with this timer of the machine at this instant. It replaces the pending expiry of the same
    /// timer; an expiry that comes though it was replaced must be ignored by the machine.
    Arm(u8, Time),
    /// Something to record.
    Note(RoutingNote),
}

/// A fact for records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoutingNote {
    /// A destination has a new next hop or can be reached again.
    RouteUp {
        /// Destination.
        dst: NodeId,
        /// Neighbour that takes its packets.
        next_hop: NodeId,
        /// Hops.
        hops: u8,
    },
    /// The way to a destination has another length, over the same next hop.
    HopsChanged {
        /// Destination.
        dst: NodeId,
        /// Neighbour that takes its packets.
        next_hop: NodeId,
        /// Hops.
        hops: u8,
    },
    /// A route can no longer be used.
    RouteDown {
        /// Destination.
        dst: NodeId,
        /// Why.
        cause: RouteLoss,
    },
    /// A search began.
    SearchStarted {
        /// Destination.
        dst: NodeId,
        /// It repairs a broken route of others.
        repair: bool,
    },
    /// A search found a route.
    SearchDone {
        /// Destination.
        dst: NodeId,
        /// Time since it began.
        latency: Span,
    },
    /// A search was given up.
    SearchFailed {
        /// Destination.
        dst: NodeId,
    },
    /// What a node says of the quality of a link is new.
    LinkQuality {
        /// The neighbour.
        neighbour: NodeId,
        /// Share of the neighbour's packets that comes here, in 1/255.
        lq: u8,
        /// Share of this node's packets that the neighbour says it receives, in 1/255.
        nlq: u8,
    },
    /// A neighbour is taken for gone.
    LinkLost {
        /// The neighbour.
        neighbour: NodeId,
    },
}

/// Why a route can no longer be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteLoss {
    /// It was not used for its lifetime.
    Expired,
    /// The link to its next hop is gone.
    LinkLost,
    /// Its next hop, or another node, reported it gone.
    Reported,
}
