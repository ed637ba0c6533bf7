//! Routing: which neighbour takes a packet towards its destination.
//!
//! Static routes are a table at each node ([`Table`]). A routing protocol is one machine per node, which knows neither the
//! queue nor the MAC: every input comes with a [`Cx`], to which the machine appends its [`RoutingEffect`]s, and the
//! caller carries out all of them before the next input. A packet whose route was answered with [`RouteAnswer::Held`],
//! and one handed over as [`Lost`], belong to the machine until it names them in `Forward` or `Drop`.

pub mod aodv;
mod armed;
mod buffer;
pub mod dsdv;
pub mod dsr;
pub mod fixed;
pub mod olsr;
#[cfg(test)]
mod tests;

pub use fixed::{FixedRoutes, Table};

use aodv::Aodv;
use dsdv::Dsdv;
use dsr::Dsr;
use olsr::Olsr;

use crate::config::Routing;
use crate::config::net::RoutingProtocol;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};
use hopscope_packet::arena::Extension;
use hopscope_packet::dsr::SourceRoute;
use hopscope_packet::routing::RoutingMessage;
use hopscope_packet::{Body, DropReason, Packet};

/// How a node finds the next hop of a packet.
#[derive(Debug)]
pub enum Forwarding {
    /// From a table computed before the run.
    Static(Table),
    /// From a routing protocol.
    Protocol(Box<Machine>),
}

/// The routing protocol of one node with its random numbers.
#[derive(Debug)]
pub struct Machine {
    /// The protocol.
    pub router: Router,
    /// What it draws.
    pub rng: Stream,
}

/// The machine of one node.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one per node, on the way of every packet: a pointer less to follow")]
pub enum Router {
    /// AODV.
    Aodv(Aodv),
    /// DSDV.
    Dsdv(Dsdv),
    /// DSR.
    Dsr(Dsr),
    /// OLSR.
    Olsr(Olsr),
}

/// Calls the same method of whichever machine it is.
macro_rules! of_each {
    ($router:expr, $machine:ident => $call:expr) => {
        match $router {
            Router::Aodv($machine) => $call,
            Router::Dsdv($machine) => $call,
            Router::Dsr($machine) => $call,
            Router::Olsr($machine) => $call,
        }
    };
}

impl Router {
    /// The machine of `node` under a protocol; none where routes are static.
    pub fn new(node: NodeId, config: Routing<'_>) -> Option<Self> {
        match config.protocol {
            RoutingProtocol::Static => None,
            RoutingProtocol::Aodv => Some(Router::Aodv(Aodv::new(node, config.aodv))),
            RoutingProtocol::Dsdv => Some(Router::Dsdv(Dsdv::new(node, config.dsdv))),
            RoutingProtocol::Dsr => Some(Router::Dsr(Dsr::new(node, config.dsr))),
            RoutingProtocol::Olsr => Some(Router::Olsr(Olsr::new(node, config.olsr))),
        }
    }

    /// Starts the machine's clocks.
    pub fn start(&mut self, cx: &mut Cx) {
        of_each!(self, machine => machine.start(cx));
    }

    /// The next hop of a packet.
    #[inline]
    pub fn route(&mut self, query: &Query, cx: &mut Cx) -> RouteAnswer {
        of_each!(self, machine => machine.route(query, cx))
    }

    /// A message came in from the neighbour `from` with this time to live, as sent. Those of other protocols are
    /// ignored.
    pub fn on_message(&mut self, from: NodeId, ttl: u8, message: &RoutingMessage, cx: &mut Cx) {
        match (self, message) {
            (Router::Aodv(aodv), RoutingMessage::Aodv(message)) => aodv.on_message(from, ttl, message, cx),
            (Router::Dsdv(dsdv), RoutingMessage::Dsdv(update)) => dsdv.on_message(from, update, cx),
            (Router::Dsr(dsr), RoutingMessage::Dsr(message)) => dsr.on_message(ttl, message, cx),
            (Router::Olsr(olsr), RoutingMessage::Olsr(packet)) => olsr.on_message(from, packet, cx),
            _ => {}
        }
    }

    /// The MAC gave up a unicast frame to `next_hop`: `lost` is the data packet in it, none for a routing message.
    pub fn on_link_failure(&mut self, next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        of_each!(self, machine => machine.on_link_failure(next_hop, lost, cx));
    }

    /// A data packet for this node or to be forwarded came in from the neighbour `from`, with the source route it
    /// carries.
    #[inline]
    pub fn on_reception(&mut self, from: NodeId, source_route: Option<&SourceRoute>, now: Time) {
        match self {
            Router::Aodv(aodv) => aodv.on_reception(from, now),
            Router::Dsdv(_) | Router::Olsr(_) => {}
            Router::Dsr(dsr) => dsr.on_reception(source_route, now),
        }
    }

    /// A unicast frame from the neighbour `from` to another one was received, in which a packet carried this.
    pub fn on_overheard(&mut self, from: NodeId, carried: &Extension, cx: &mut Cx) {
        match self {
            Router::Aodv(_) | Router::Dsdv(_) | Router::Olsr(_) => {}
            Router::Dsr(dsr) => dsr.on_overheard(from, carried, cx),
        }
    }

    /// A timer asked for expired.
    pub fn on_timer(&mut self, timer: u8, cx: &mut Cx) {
        of_each!(self, machine => machine.on_timer(timer, cx));
    }

    /// The name of a timer, for records.
    pub fn timer_name(&self, timer: u8) -> &'static str {
        let names: &[&'static str] = match self {
            Router::Aodv(_) => &aodv::timer::NAMES,
            Router::Dsdv(_) => &dsdv::timer::NAMES,
            Router::Dsr(_) => &dsr::timer::NAMES,
            Router::Olsr(_) => &olsr::timer::NAMES,
        };
        names[usize::from(timer)]
    }

    /// The neighbour that takes packets for `dst`, if a route is up at `now`.
    pub fn next_hop(&self, dst: NodeId, now: Time) -> Option<NodeId> {
        of_each!(self, machine => machine.next_hop(dst, now))
    }

    /// Bytes that a data packet grows by where it originates.
    pub fn data_header(&self) -> u32 {
        match self {
            Router::Dsdv(dsdv) => dsdv.data_header(),
            _ => 0,
        }
    }

    /// Time to live of data packets that originate here; none: that of the network layer.
    pub fn data_ttl(&self) -> Option<u8> {
        match self {
            Router::Aodv(aodv) => aodv.data_ttl(),
            Router::Dsdv(dsdv) => dsdv.data_ttl(),
            Router::Dsr(_) | Router::Olsr(_) => None,
        }
    }
}

/// The instant of an input, the node's random numbers and the list its effects go to.
#[derive(Debug)]
pub struct Cx<'a> {
    /// Now.
    pub now: Time,
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

    /// A uniform part of `longest`.
    pub fn part_of(&mut self, longest: Span) -> Span {
        Span((self.rng.uniform() * longest.0 as f64) as u64)
    }
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
            Body::Arp { .. } | Body::Notice(_) => LossOf::Other,
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
