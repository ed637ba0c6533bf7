//! OLSR packets and messages (RFC 3626 3.3, 6.1, 9.1), for nodes with one address each.

use std::sync::Arc;

use hopscope_core::ids::NodeId;
use hopscope_core::units::TimeCode;

/// An OLSR packet: the messages one node sends at once.
#[derive(Debug, Clone, PartialEq)]
pub struct OlsrPacket {
    /// Number of the packet among those of its sender.
    pub seq: u16,
    /// What it carries.
    pub messages: Arc<[OlsrMessage]>,
}

/// A message: what one node has to say, carried on by others where it is for all.
#[derive(Debug, Clone, PartialEq)]
pub struct OlsrMessage {
    /// Node that generated it.
    pub origin: NodeId,
    /// Number among the messages of its originator.
    pub seq: u16,
    /// How long its content is valid.
    pub vtime: TimeCode,
    /// Hops it may still travel, the next one included.
    pub ttl: u8,
    /// Hops travelled before this transmission.
    pub hops: u8,
    /// What it says.
    pub body: OlsrBody,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq)]
pub enum OlsrBody {
    /// A node's links and neighbours, for its neighbours.
    Hello(Hello),
    /// A node's advertised links, for all. In a large network thousands hold what it said.
    Tc(Arc<Tc>),
}

/// HELLO (RFC 3626 6).
#[derive(Debug, Clone, PartialEq)]
pub struct Hello {
    /// Longest time to the sender's next HELLO.
    pub htime: TimeCode,
    /// Its readiness to relay, 0 to 7.
    pub willingness: u8,
    /// Its links, in the order of (code, node); each neighbour stands once.
    pub links: Arc<[HelloLink]>,
}

/// A link in a HELLO.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HelloLink {
    /// What the sender says of it.
    pub code: LinkCode,
    /// The node at its other end.
    pub node: NodeId,
}

/// A link code (RFC 3626 6.1.1): state of the link and of the neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkCode {
    /// State of the link.
    pub link: LinkType,
    /// State of the neighbour.
    pub neighbour: NeighbourType,
}

/// State of a link (RFC 3626 18.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkType {
    /// ASYM_LINK: the sender hears the neighbour.
    Asymmetric,
    /// SYM_LINK: they hear each other.
    Symmetric,
    /// LOST_LINK: it is gone.
    Lost,
}

/// State of a neighbour (RFC 3626 18.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NeighbourType {
    /// NOT_NEIGH: no symmetric link.
    Not,
    /// SYM_NEIGH: a symmetric link.
    Symmetric,
    /// MPR_NEIGH: a symmetric link, and the sender chose it as relay.
    Mpr,
}

/// Topology control (RFC 3626 9).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tc {
    /// Number of the originator's set of advertised neighbours (ANSN).
    pub ansn: u16,
    /// The set, in the order of nodes.
    pub advertised: Box<[NodeId]>,
}

impl OlsrPacket {
    /// Bytes without network header.
    pub fn bytes(&self, udp_header: u32) -> u32 {
        udp_header + PACKET_HEADER + self.messages.iter().map(OlsrMessage::bytes).sum::<u32>()
    }

    /// Name of the kind in results.
    pub fn kind(&self) -> &'static str {
        let is_hello = |message: &OlsrMessage| matches!(message.body, OlsrBody::Hello(_));
        // A packet of several messages has one kind: the air is used once.
        match (self.messages.iter().any(is_hello), self.messages.iter().all(is_hello)) {
            (true, true) => "hello",
            (true, false) => "hello+tc",
            (false, _) => "tc",
        }
    }
}

impl OlsrMessage {
    /// Bytes with the message header.
    pub fn bytes(&self) -> u32 {
        MESSAGE_HEADER
            + match &self.body {
                OlsrBody::Hello(hello) => {
                    // Each group of links with one code has a head of its own (RFC 3626 6.1), so that their order
                    // decides the size.
                    let groups = hello.links.chunk_by(|a, b| a.code == b.code).count() as u32;
                    4 + 4 * groups + ADDRESS * hello.links.len() as u32
                }
                OlsrBody::Tc(tc) => 4 + ADDRESS * tc.advertised.len() as u32,
            }
    }
}

/// Packet Length and Packet Sequence Number.
pub const PACKET_HEADER: u32 = 4;
/// Type, Vtime, Size, Originator, TTL, Hop Count, Sequence Number.
const MESSAGE_HEADER: u32 = 12;
const ADDRESS: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::units::Span;

    fn message(body: OlsrBody) -> OlsrMessage {
        let vtime = TimeCode::at_least(Span::from_secs(6));
        OlsrMessage { origin: NodeId(0), seq: 0, vtime, ttl: 1, hops: 0, body }
    }

    fn hello(links: &[(LinkType, NeighbourType, u32)]) -> OlsrMessage {
        let links = links
            .iter()
            .map(|&(link, neighbour, node)| HelloLink { code: LinkCode { link, neighbour }, node: NodeId(node) });
        let htime = TimeCode::at_least(Span::from_secs(2));
        message(OlsrBody::Hello(Hello { htime, willingness: 3, links: links.collect() }))
    }

    fn tc(nodes: u32) -> OlsrMessage {
        message(OlsrBody::Tc(Tc { ansn: 1, advertised: (0..nodes).map(NodeId).collect() }.into()))
    }

    #[test]
    fn sizes_are_those_of_the_rfc() {
        let (sym, asym) = (LinkType::Symmetric, LinkType::Asymmetric);
        assert_eq!(hello(&[]).bytes(), 12 + 4);
        assert_eq!(hello(&[(asym, NeighbourType::Not, 1)]).bytes(), 12 + 4 + 8);
        let two_groups = hello(&[
            (sym, NeighbourType::Symmetric, 1),
            (sym, NeighbourType::Symmetric, 4),
            (sym, NeighbourType::Mpr, 2),
        ]);
        assert_eq!(two_groups.bytes(), 12 + 4 + (4 + 8) + (4 + 4));
        assert_eq!((tc(0).bytes(), tc(3).bytes()), (12 + 4, 12 + 4 + 12));
        let packet = OlsrPacket { seq: 0, messages: [two_groups, tc(1)].into() };
        assert_eq!(packet.bytes(8), 8 + 4 + 36 + 20);
    }

    #[test]
    fn kinds_name_what_a_packet_carries() {
        let kind = |messages: &[OlsrMessage]| OlsrPacket { seq: 0, messages: messages.into() }.kind();
        assert_eq!(kind(&[hello(&[])]), "hello");
        assert_eq!(kind(&[tc(1), tc(2)]), "tc");
        assert_eq!(kind(&[hello(&[]), tc(2)]), "hello+tc");
    }
}
