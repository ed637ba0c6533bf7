//! What routing protocols say to each other, and the source routes that packets carry.

use std::sync::Arc;

use crate::config::aodv::AodvRules;
use crate::ids::NodeId;
use crate::packet::aodv::AodvMessage;
use crate::packet::dsdv::DsdvUpdate;
use crate::packet::dsr::DsrMessage;
use crate::packet::olsr::OlsrPacket;

/// A message of a routing protocol.
#[derive(Debug, Clone, PartialEq)]
pub enum RoutingMessage {
    /// AODV.
    Aodv(AodvMessage),
    /// DSDV.
    Dsdv(DsdvUpdate),
    /// DSR.
    Dsr(DsrMessage),
    /// OLSR.
    Olsr(OlsrPacket),
}

impl From<AodvMessage> for RoutingMessage {
    fn from(message: AodvMessage) -> Self {
        RoutingMessage::Aodv(message)
    }
}

impl From<DsrMessage> for RoutingMessage {
    fn from(message: DsrMessage) -> Self {
        RoutingMessage::Dsr(message)
    }
}

impl From<OlsrPacket> for RoutingMessage {
    fn from(packet: OlsrPacket) -> Self {
        RoutingMessage::Olsr(packet)
    }
}

impl RoutingMessage {
    /// Bytes without network header.
    pub fn bytes(&self, aodv_rules: AodvRules, udp_header: u32) -> u32 {
        match self {
            RoutingMessage::Aodv(message) => message.bytes(aodv_rules, udp_header),
            RoutingMessage::Dsdv(update) => update.bytes(),
            RoutingMessage::Dsr(message) => message.bytes(),
            RoutingMessage::Olsr(packet) => packet.bytes(udp_header),
        }
    }

    /// Name of the kind in results.
    pub fn kind(&self) -> &'static str {
        match self {
            RoutingMessage::Aodv(message) => message.kind(),
            RoutingMessage::Dsdv(_) => "update",
            RoutingMessage::Dsr(message) => message.kind(),
            RoutingMessage::Olsr(packet) => packet.kind(),
        }
    }
}

/// The way a packet has to take (DSR Source Route option, RFC 4728 6.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRoute {
    /// Every node of the way, from the one that chose it to the destination; each stands once.
    pub path: Arc<[NodeId]>,
    /// How often the packet was salvaged.
    pub salvage: u8,
}

impl SourceRoute {
    /// Bytes it adds to the packet.
    pub fn bytes(&self) -> u32 {
        SourceRoute::header_bytes(self.path.len(), self.salvage)
    }

    /// The fixed part of the DSR header (RFC 4728 6.1) and the option, which lists the nodes between the ends and, once
    /// salvaged, the node that did it (8.3.6). A neighbour needs no source route (8.1.1).
    pub(super) fn header_bytes(nodes: usize, salvage: u8) -> u32 {
        let listed = (nodes as u32).saturating_sub(if salvage > 0 { 1 } else { 2 });
        if listed == 0 { 0 } else { 4 + 4 + 4 * listed }
    }

    /// The node after `node`; none at the end of the way or off it.
    pub fn after(&self, node: NodeId) -> Option<NodeId> {
        let place = self.path.iter().position(|&n| n == node)?;
        self.path.get(place + 1).copied()
    }
}
