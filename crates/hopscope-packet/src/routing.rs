//! What routing protocols say to each other.

use super::aodv::AodvEnvelope;
use crate::aodv::AodvMessage;
use crate::babel::BabelPacket;
use crate::batman::BatmanMessage;
use crate::dsdv::DsdvUpdate;
use crate::dsr::DsrMessage;
use crate::hwmp::HwmpMessage;
use crate::olsr::OlsrPacket;

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
    /// Babel.
    Babel(BabelPacket),
    /// batman-adv.
    Batman(BatmanMessage),
    /// HWMP, and what a mesh says besides.
    Hwmp(HwmpMessage),
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

impl From<BabelPacket> for RoutingMessage {
    fn from(packet: BabelPacket) -> Self {
        RoutingMessage::Babel(packet)
    }
}

impl From<BatmanMessage> for RoutingMessage {
    fn from(message: BatmanMessage) -> Self {
        RoutingMessage::Batman(message)
    }
}

impl From<HwmpMessage> for RoutingMessage {
    fn from(message: HwmpMessage) -> Self {
        RoutingMessage::Hwmp(message)
    }
}

impl RoutingMessage {
    /// True for what goes as a management frame of 802.11, without headers of IP and LLC.
    pub fn is_management(&self) -> bool {
        matches!(self, RoutingMessage::Hwmp(_))
    }

    /// Bytes without network header; of a management frame, of its body.
    pub fn bytes(&self, aodv: AodvEnvelope, udp_header: u32) -> u32 {
        match self {
            RoutingMessage::Aodv(message) => message.bytes(aodv),
            RoutingMessage::Dsdv(update) => update.bytes(udp_header),
            // Straight over IP (protocol 48): no header of UDP.
            RoutingMessage::Dsr(message) => message.bytes(),
            RoutingMessage::Olsr(packet) => packet.bytes(udp_header),
            RoutingMessage::Babel(packet) => packet.bytes(udp_header),
            RoutingMessage::Batman(message) => message.bytes(),
            RoutingMessage::Hwmp(message) => message.bytes(),
        }
    }

    /// Name of the kind in results.
    pub fn kind(&self) -> &'static str {
        match self {
            RoutingMessage::Aodv(message) => message.kind(),
            RoutingMessage::Dsdv(_) => "update",
            RoutingMessage::Dsr(message) => message.kind(),
            RoutingMessage::Olsr(packet) => packet.kind(),
            RoutingMessage::Babel(packet) => packet.kind(),
            RoutingMessage::Batman(message) => message.kind(),
            RoutingMessage::Hwmp(message) => message.kind(),
        }
    }

    /// True where it goes in an IP packet; the others lie straight in frames.
    pub fn is_over_ip(&self) -> bool {
        match self {
            RoutingMessage::Aodv(_)
            | RoutingMessage::Dsdv(_)
            | RoutingMessage::Dsr(_)
            | RoutingMessage::Olsr(_)
            | RoutingMessage::Babel(_) => true,
            RoutingMessage::Batman(_) | RoutingMessage::Hwmp(_) => false,
        }
    }
}
