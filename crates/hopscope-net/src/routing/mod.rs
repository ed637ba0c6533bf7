//! Routing: which neighbour takes a packet towards its destination.
//!
//! Static routes are a table at each node ([`Table`]). A routing protocol is one machine per node, which knows neither the
//! queue nor the MAC: every input comes with a [`Cx`], to which the machine appends its [`RoutingEffect`]s, and the
//! caller carries out all of them before the next input. A packet whose route was answered with [`RouteAnswer::Held`],
//! and one handed over as [`Lost`], belong to the machine until it names them in `Forward` or `Drop`.

pub mod aodv;
mod armed;
pub mod babel;
pub mod batman;
mod best;
mod buffer;
mod by_node;
pub mod dsdv;
pub mod dsr;
mod effects;
pub mod fixed;
pub mod hwmp;
pub mod olsr;
pub mod quality;
#[cfg(test)]
mod tests;

pub use effects::{
    Cx, LinkEstimate, LinkLayer, LossOf, Lost, Query, RouteAnswer, RouteLoss, RoutingEffect, RoutingNote,
};
pub use fixed::{FixedRoutes, Table};

use aodv::Aodv;
use babel::Babel;
use batman::iv::BatmanIv;
use batman::v::BatmanV;
use dsdv::Dsdv;
use dsr::Dsr;
use hwmp::Hwmp;
use olsr::Olsr;

use crate::config::Routing;
use crate::config::net::RoutingProtocol;
use hopscope_core::ids::NodeId;
use hopscope_core::rng::Stream;
use hopscope_core::units::Time;
use hopscope_packet::arena::Extension;
use hopscope_packet::batman::UNICAST_BYTES;
use hopscope_packet::dsr::SourceRoute;
use hopscope_packet::routing::RoutingMessage;

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
    /// Babel.
    Babel(Babel),
    /// BATMAN_IV of batman-adv.
    BatmanIv(BatmanIv),
    /// BATMAN_V of batman-adv.
    BatmanV(BatmanV),
    /// HWMP.
    Hwmp(Hwmp),
}

/// Calls the same method of whichever machine it is.
macro_rules! of_each {
    ($router:expr, $machine:ident => $call:expr) => {
        match $router {
            Router::Aodv($machine) => $call,
            Router::Dsdv($machine) => $call,
            Router::Dsr($machine) => $call,
            Router::Olsr($machine) => $call,
            Router::Babel($machine) => $call,
            Router::BatmanIv($machine) => $call,
            Router::BatmanV($machine) => $call,
            Router::Hwmp($machine) => $call,
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
            RoutingProtocol::Babel => Some(Router::Babel(Babel::new(node, config.babel))),
            RoutingProtocol::BatmanIv => Some(Router::BatmanIv(BatmanIv::new(node, config.batman_iv))),
            RoutingProtocol::BatmanV => Some(Router::BatmanV(BatmanV::new(node, config.batman_v))),
            RoutingProtocol::Hwmp => Some(Router::Hwmp(Hwmp::new(node, config.hwmp))),
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
            (Router::Babel(babel), RoutingMessage::Babel(packet)) => babel.on_message(from, packet, cx),
            (Router::BatmanIv(batman), RoutingMessage::Batman(message)) => batman.on_message(from, message, cx),
            (Router::BatmanV(batman), RoutingMessage::Batman(message)) => batman.on_message(from, message, cx),
            (Router::Hwmp(hwmp), RoutingMessage::Hwmp(message)) => hwmp.on_message(from, message, cx),
            _ => {}
        }
    }

    /// The MAC gave up a unicast frame to `next_hop`: `lost` is the data packet in it, none for a routing message.
    pub fn on_link_failure(&mut self, next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        of_each!(self, machine => machine.on_link_failure(next_hop, lost, cx));
    }

    /// A data packet for this node or to be forwarded came in from the neighbour `from`, with the source route it
    /// carries; false where the protocol does not let it in.
    #[inline]
    pub fn on_reception(&mut self, from: NodeId, source_route: Option<&SourceRoute>, now: Time) -> bool {
        match self {
            Router::Aodv(aodv) => aodv.on_reception(from, now),
            Router::Dsdv(_) | Router::Olsr(_) | Router::Babel(_) | Router::BatmanIv(_) | Router::BatmanV(_) => {}
            Router::Dsr(dsr) => dsr.on_reception(source_route, now),
            Router::Hwmp(hwmp) => return hwmp.on_reception(from),
        }
        true
    }

    /// A unicast frame from the neighbour `from` to another one was received, in which a packet carried this.
    pub fn on_overheard(&mut self, from: NodeId, carried: &Extension, cx: &mut Cx) {
        match self {
            Router::Aodv(_)
            | Router::Dsdv(_)
            | Router::Olsr(_)
            | Router::Babel(_)
            | Router::BatmanIv(_)
            | Router::BatmanV(_)
            | Router::Hwmp(_) => {}
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
            Router::Babel(_) => &babel::timer::NAMES,
            Router::BatmanIv(_) => &batman::iv::timer::NAMES,
            Router::BatmanV(_) => &batman::v::timer::NAMES,
            Router::Hwmp(_) => &hwmp::timer::NAMES,
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
            Router::BatmanIv(_) | Router::BatmanV(_) => UNICAST_BYTES,
            Router::Hwmp(hwmp) => hwmp.data_header(),
            Router::Aodv(_) | Router::Dsr(_) | Router::Olsr(_) | Router::Babel(_) => 0,
        }
    }

    /// Time to live of data packets that originate here; none: that of the network layer.
    pub fn data_ttl(&self) -> Option<u8> {
        match self {
            Router::Aodv(aodv) => aodv.data_ttl(),
            Router::Dsdv(dsdv) => dsdv.data_ttl(),
            Router::BatmanIv(batman) => Some(batman.data_ttl()),
            Router::BatmanV(batman) => Some(batman.data_ttl()),
            Router::Hwmp(hwmp) => hwmp.data_ttl(),
            Router::Dsr(_) | Router::Olsr(_) | Router::Babel(_) => None,
        }
    }
}
