//! Babel packets and their TLVs (RFC 8966 4), for nodes with one IPv4 prefix of 32 bits each.

use std::sync::Arc;

use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;

/// A Babel packet: the TLVs that one node sends at once.
#[derive(Debug, Clone, PartialEq)]
pub struct BabelPacket {
    /// What it carries. All that hear it share it.
    pub tlvs: Arc<[BabelTlv]>,
}

/// What a node says, in the order of the types of RFC 8966 4.6.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BabelTlv {
    /// A multicast Hello (4.6.5).
    Hello {
        /// Number among the Hellos of its sender.
        seqno: u16,
        /// Longest time to the next one.
        interval: Centiseconds,
    },
    /// IHU, "I heard you" (4.6.6).
    Ihu {
        /// Neighbour that was heard.
        neighbour: NodeId,
        /// Cost of reception from it.
        rxcost: u16,
        /// Longest time to the next one for this neighbour.
        interval: Centiseconds,
    },
    /// Router-Id of the updates that follow (4.6.7): that of this node.
    RouterId(NodeId),
    /// Next hop of the updates that follow (4.6.8).
    NextHop(NodeId),
    /// A route, or its retraction (4.6.9).
    Update(BabelUpdate),
    /// Route Request (4.6.10): for the route to a node, or for all routes.
    RouteRequest(Option<NodeId>),
    /// Seqno Request (4.6.11).
    SeqnoRequest(SeqnoRequest),
}

/// A route as its sender has it. The router-id is that of the node whose prefix it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BabelUpdate {
    /// Node whose prefix it is.
    pub dst: NodeId,
    /// Number that the node has given to its prefix.
    pub seqno: u16,
    /// Metric of the sender's route; [`INFINITY`]: it has none.
    pub metric: u16,
    /// Longest time to the next update of this route.
    pub interval: Centiseconds,
    /// The Router-Id flag: the router-id is taken from the prefix, so that no TLV has to say it.
    pub router_id_flag: bool,
    /// Hops of the route, for records alone: the octets have no place for them.
    pub hops: u8,
}

/// A request that the origin of a prefix gives it a newer number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeqnoRequest {
    /// Node whose prefix it is, and whose router-id.
    pub dst: NodeId,
    /// Number that is wanted.
    pub seqno: u16,
    /// Hops that the request may still travel.
    pub hops: u8,
}

/// A time as TLVs carry it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Centiseconds(pub u16);

impl Centiseconds {
    /// The longest time that a TLV can announce.
    pub const LONGEST: Span = Span::from_millis(655_350);

    /// The time, rounded up: what is announced is an upper bound.
    pub fn at_least(span: Span) -> Self {
        Centiseconds(span.0.div_ceil(10_000_000).min(u64::from(u16::MAX)) as u16)
    }

    /// The time.
    pub fn span(self) -> Span {
        Span::from_millis(u64::from(self.0) * 10)
    }
}

impl BabelPacket {
    /// Bytes without network header.
    pub fn bytes(&self, udp_header: u32) -> u32 {
        udp_header + PACKET_HEADER + self.tlvs.iter().map(BabelTlv::bytes).sum::<u32>()
    }

    /// Name of the kind in results: what a packet carries, where updates go before requests.
    pub fn kind(&self) -> &'static str {
        let any = |wanted: fn(&BabelTlv) -> bool| self.tlvs.iter().any(wanted);
        let greets = any(|tlv| matches!(tlv, BabelTlv::Hello { .. } | BabelTlv::Ihu { .. }));
        let updates = any(|tlv| matches!(tlv, BabelTlv::Update(_)));
        let requests = any(|tlv| matches!(tlv, BabelTlv::RouteRequest(_) | BabelTlv::SeqnoRequest(_)));
        match (greets, updates, requests) {
            (true, true, _) => "hello+update",
            (true, false, true) => "hello+request",
            (true, false, false) => "hello",
            (false, true, _) => "update",
            (false, false, _) => "request",
        }
    }
}

impl BabelTlv {
    /// Bytes with type and length.
    pub fn bytes(&self) -> u32 {
        match self {
            BabelTlv::Hello { .. } => 8,
            BabelTlv::Ihu { .. } => 8 + ADDRESS,
            BabelTlv::RouterId(_) => 12,
            BabelTlv::NextHop(_) => 4 + ADDRESS,
            BabelTlv::Update(_) => 12 + ADDRESS,
            BabelTlv::RouteRequest(dst) => 4 + dst.map_or(0, |_| ADDRESS),
            BabelTlv::SeqnoRequest(_) => 16 + ADDRESS,
        }
    }

    /// Name of its type in results.
    pub fn kind(&self) -> &'static str {
        match self {
            BabelTlv::Hello { .. } => "hello",
            BabelTlv::Ihu { .. } => "ihu",
            BabelTlv::RouterId(_) => "router-id",
            BabelTlv::NextHop(_) => "next-hop",
            BabelTlv::Update(_) => "update",
            BabelTlv::RouteRequest(_) => "route-request",
            BabelTlv::SeqnoRequest(_) => "seqno-request",
        }
    }
}

/// Metric and cost of what cannot be reached (RFC 8966 3.5.2).
pub const INFINITY: u16 = 0xFFFF;
/// Magic, version, and length of the body.
pub const PACKET_HEADER: u32 = 4;
const ADDRESS: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    const UPDATE: BabelTlv = BabelTlv::Update(BabelUpdate {
        dst: NodeId(3),
        seqno: 1,
        metric: 256,
        interval: Centiseconds(1600),
        router_id_flag: true,
        hops: 1,
    });
    const HELLO: BabelTlv = BabelTlv::Hello { seqno: 1, interval: Centiseconds(400) };
    const IHU: BabelTlv = BabelTlv::Ihu { neighbour: NodeId(1), rxcost: 256, interval: Centiseconds(1200) };
    const REQUEST: BabelTlv = BabelTlv::SeqnoRequest(SeqnoRequest { dst: NodeId(3), seqno: 2, hops: 9 });

    fn packet(tlvs: &[BabelTlv]) -> BabelPacket {
        BabelPacket { tlvs: tlvs.into() }
    }

    #[test]
    fn sizes_are_those_of_the_rfc() {
        let bytes = |tlv: BabelTlv| tlv.bytes();
        assert_eq!([HELLO, IHU, UPDATE, REQUEST].map(bytes), [8, 12, 16, 20]);
        assert_eq!([BabelTlv::RouterId(NodeId(1)), BabelTlv::NextHop(NodeId(1))].map(bytes), [12, 8]);
        assert_eq!([BabelTlv::RouteRequest(None), BabelTlv::RouteRequest(Some(NodeId(1)))].map(bytes), [4, 8]);
        assert_eq!(packet(&[HELLO, IHU, IHU, UPDATE]).bytes(8), 8 + 4 + 8 + 12 + 12 + 16);
    }

    #[test]
    fn kinds_name_what_a_packet_carries() {
        let kind = |tlvs: &[BabelTlv]| packet(tlvs).kind();
        assert_eq!(kind(&[HELLO, IHU]), "hello");
        assert_eq!(kind(&[HELLO, UPDATE, REQUEST]), "hello+update");
        assert_eq!(kind(&[IHU, REQUEST]), "hello+request");
        assert_eq!(kind(&[BabelTlv::NextHop(NodeId(0)), UPDATE, REQUEST]), "update");
        assert_eq!(kind(&[BabelTlv::RouteRequest(None)]), "request");
    }

    #[test]
    fn times_are_rounded_up_and_bounded() {
        assert_eq!(Centiseconds::at_least(Span::from_millis(4001)), Centiseconds(401));
        assert_eq!(Centiseconds::at_least(Span::from_secs(1000)).span(), Centiseconds::LONGEST);
    }
}
