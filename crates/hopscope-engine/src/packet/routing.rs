//! What routing protocols say to each other, and the source routes that packets carry.

use std::sync::Arc;

use crate::config::aodv::AodvRules;
use crate::ids::NodeId;
use crate::packet::aodv::AodvMessage;
use crate::packet::dsdv::DsdvUpdate;

/// A message of a routing protocol.
#[derive(Debug, Clone, PartialEq)]
pub enum RoutingMessage {
    /// AODV.
    Aodv(AodvMessage),
    /// DSDV.
    Dsdv(DsdvUpdate),
}

impl From<AodvMessage> for RoutingMessage {
    fn from(message: AodvMessage) -> Self {
        RoutingMessage::Aodv(message)
    }
}

impl RoutingMessage {
    /// Bytes without network header.
    pub fn bytes(&self, aodv_rules: AodvRules, udp_header: u32) -> u32 {
        match self {
            RoutingMessage::Aodv(message) => message.bytes(aodv_rules, udp_header),
            RoutingMessage::Dsdv(update) => update.bytes(),
        }
    }

    /// Name of the kind in results.
    pub fn kind(&self) -> &'static str {
        match self {
            RoutingMessage::Aodv(message) => message.kind(),
            RoutingMessage::Dsdv(_) => "update",
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
    /// Bytes it adds to the packet: the fixed part of the DSR header (RFC 4728 6.1) and the option, which lists the
    /// nodes between the ends.
    pub fn bytes(&self) -> u32 {
        4 + 4 + 4 * (self.path.len() as u32).saturating_sub(2)
    }

    /// The node after `node`; none at the end of the way or off it.
    pub fn after(&self, node: NodeId) -> Option<NodeId> {
        let place = self.path.iter().position(|&n| n == node)?;
        self.path.get(place + 1).copied()
    }
}
