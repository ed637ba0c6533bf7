//! OLSR packets and messages (RFC 3626 3.3, 6.1, 9.1), for nodes with one address each, and the messages in which olsrd
//! adds the quality of links.

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
    /// Their qualities, one for each, in an LQ_HELLO of olsrd; none: a HELLO of the RFC.
    pub qualities: Option<Arc<[LinkQuality]>>,
}

/// What the two ends of a link receive of each other, as olsrd's `etx_ff` sends it: four octets, of which olsrd leaves two
/// empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkQuality {
    /// Share that the sender of the message receives of what its neighbour sends, in 1/255 (LQ).
    pub lq: u8,
    /// Share that the neighbour receives of what the sender sends, as the neighbour said last, in 1/255 (NLQ).
    pub nlq: u8,
    /// Rate of data to the neighbour, 0: not said. It takes the third octet, which is this project's choice.
    pub rate: RateCode,
}

/// A bit rate in one octet: sixteenths of a power of two, as RFC 3626 18.3 has times, from 100 kbit/s on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct RateCode(pub u8);

impl RateCode {
    const UNIT: u64 = 6_250;

    /// The highest code of a rate not above `rate` in bit/s; 0 below 106,250 bit/s.
    pub fn at_most(rate: u64) -> Self {
        let sixteenths = rate / Self::UNIT;
        if sixteenths < 16 {
            return RateCode(0);
        }
        let exponent = sixteenths.ilog2() - 4;
        if exponent > 15 {
            return RateCode(u8::MAX);
        }
        RateCode((((sixteenths >> exponent) as u8) & 15) | (exponent as u8) << 4)
    }

    /// The rate in bit/s.
    pub fn rate(self) -> u64 {
        (u64::from(16 + (self.0 & 15)) * Self::UNIT) << (self.0 >> 4)
    }
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
    /// The qualities of the links to them, one for each, in an LQ_TC of olsrd; none: a TC message of the RFC.
    pub qualities: Option<Box<[LinkQuality]>>,
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
                    4 + 4 * groups + link_bytes(hello.qualities.is_some()) * hello.links.len() as u32
                }
                OlsrBody::Tc(tc) => 4 + link_bytes(tc.qualities.is_some()) * tc.advertised.len() as u32,
            }
    }
}

/// Bytes of a neighbour in a message.
fn link_bytes(with_quality: bool) -> u32 {
    ADDRESS + if with_quality { QUALITY } else { 0 }
}

/// Packet Length and Packet Sequence Number.
pub const PACKET_HEADER: u32 = 4;
/// Type, Vtime, Size, Originator, TTL, Hop Count, Sequence Number.
const MESSAGE_HEADER: u32 = 12;
const ADDRESS: u32 = 4;
/// Link quality of olsrd's `etx_ff`.
const QUALITY: u32 = 4;

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
        message(OlsrBody::Hello(Hello { htime, willingness: 3, links: links.collect(), qualities: None }))
    }

    fn tc(nodes: u32) -> OlsrMessage {
        message(OlsrBody::Tc(Tc { ansn: 1, advertised: (0..nodes).map(NodeId).collect(), qualities: None }.into()))
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
    fn qualities_add_four_octets_a_link() {
        let mut hello =
            hello(&[(LinkType::Symmetric, NeighbourType::Mpr, 1), (LinkType::Symmetric, NeighbourType::Mpr, 4)]);
        let OlsrBody::Hello(body) = &mut hello.body else { unreachable!("made as a HELLO") };
        body.qualities = Some([LinkQuality::default(); 2].into());
        assert_eq!(hello.bytes(), 12 + 4 + 4 + 2 * (4 + 4));
        let advertised = [NodeId(1), NodeId(2), NodeId(3)].into();
        let tc = Tc { ansn: 1, advertised, qualities: Some([LinkQuality::default(); 3].into()) };
        assert_eq!(message(OlsrBody::Tc(tc.into())).bytes(), 12 + 4 + 3 * (4 + 4));
    }

    #[test]
    fn a_rate_loses_at_most_a_seventeenth_in_its_octet() {
        assert_eq!(RateCode::at_most(99_999), RateCode(0));
        for (rate, coded) in
            [(100_000, 100_000), (1_000_000, 1_000_000), (2_000_000, 2_000_000), (11_000_000, 10_800_000)]
        {
            assert_eq!(RateCode::at_most(rate).rate(), coded, "{rate}");
        }
        for rate in (100_000..1_200_000_000).step_by(777_777) {
            let coded = RateCode::at_most(rate).rate();
            assert!(coded <= rate && coded * 17 > rate * 16, "{rate} becomes {coded}");
        }
        assert_eq!(RateCode::at_most(u64::MAX).rate(), (31 * 6_250) << 15);
    }

    #[test]
    fn kinds_name_what_a_packet_carries() {
        let kind = |messages: &[OlsrMessage]| OlsrPacket { seq: 0, messages: messages.into() }.kind();
        assert_eq!(kind(&[hello(&[])]), "hello");
        assert_eq!(kind(&[tc(1), tc(2)]), "tc");
        assert_eq!(kind(&[hello(&[]), tc(2)]), "hello+tc");
    }
}
