//! Packets of OLSR as octets (RFC 3626 3.3, 6.1, 9.1), which go over UDP between ports 698.
//!
//! ```text
//!  packet   length 2, sequence number 2, then messages
//!  message  type 1, Vtime 1, size 2, originator 4, TTL 1, hop count 1, sequence number 2, then its body
//!  HELLO    reserved 2, Htime 1, willingness 1, then groups: link code 1, reserved 1, size 2, addresses 4 each
//!  TC       ANSN 2, reserved 2, addresses 4 each
//! ```
//!
//! In olsrd's LQ_HELLO and LQ_TC each address has four octets behind it: LQ, NLQ, and two that olsrd leaves empty. LQ_TC has
//! the lower and upper border of a part in its reserved octets: 255 each, as a message is never in parts.

use hopscope_core::ids::NodeId;
use hopscope_core::units::TimeCode;
use hopscope_packet::olsr::{
    Hello, HelloLink, LinkCode, LinkQuality, LinkType, NeighbourType, OlsrBody, OlsrMessage, OlsrPacket, RateCode, Tc,
};

use crate::address;
use crate::octets::{Malformed, split, take, take16};

const HELLO: u8 = 1;
const TC: u8 = 2;
/// Messages of olsrd with the quality of links.
const LQ_HELLO: u8 = 201;
const LQ_TC: u8 = 202;
/// Lower and upper border of an LQ_TC that is not in parts.
const NO_BORDER: [u8; 2] = [255; 2];
/// Octets of a message before its body, and of a group before its addresses.
const MESSAGE_HEADER: usize = 12;
const GROUP_HEADER: usize = 4;
const WHAT: &str = "OLSR";

/// Writes the octets of a packet.
pub fn write(packet: &OlsrPacket, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend([0; 2]);
    out.extend(packet.seq.to_be_bytes());
    for message in packet.messages.iter() {
        write_message(message, out);
    }
    set_size(out, start, start);
}

fn write_message(message: &OlsrMessage, out: &mut Vec<u8>) {
    let start = out.len();
    let kind = match &message.body {
        OlsrBody::Hello(hello) if hello.qualities.is_some() => LQ_HELLO,
        OlsrBody::Hello(_) => HELLO,
        OlsrBody::Tc(tc) if tc.qualities.is_some() => LQ_TC,
        OlsrBody::Tc(_) => TC,
    };
    out.extend([kind, message.vtime.octet(), 0, 0]);
    out.extend(address::ip(message.origin));
    out.extend([message.ttl, message.hops]);
    out.extend(message.seq.to_be_bytes());
    match &message.body {
        OlsrBody::Hello(hello) => {
            out.extend([0, 0, hello.htime.octet(), hello.willingness]);
            // Groups as they come, not sorted: the order of the links is kept, and read back as it was.
            let mut qualities = hello.qualities.iter().flat_map(|list| list.iter());
            for group in hello.links.chunk_by(|a, b| a.code == b.code) {
                let at = out.len();
                out.extend([link_code(group[0].code), 0, 0, 0]);
                for link in group {
                    write_link(link.node, qualities.next(), out);
                }
                set_size(out, at, at + 2);
            }
        }
        OlsrBody::Tc(tc) => {
            out.extend(tc.ansn.to_be_bytes());
            out.extend(if tc.qualities.is_some() { NO_BORDER } else { [0; 2] });
            let mut qualities = tc.qualities.iter().flat_map(|list| list.iter());
            for &node in &tc.advertised {
                write_link(node, qualities.next(), out);
            }
        }
    }
    set_size(out, start, start + 2);
}

fn write_link(node: NodeId, quality: Option<&LinkQuality>, out: &mut Vec<u8>) {
    out.extend(address::ip(node));
    if let Some(LinkQuality { lq, nlq, rate }) = quality {
        out.extend([*lq, *nlq, rate.0, 0]);
    }
}

/// Writes at `place` how many octets have been written since `start`.
fn set_size(out: &mut [u8], start: usize, place: usize) {
    let size = (out.len() - start) as u16;
    out[place..place + 2].copy_from_slice(&size.to_be_bytes());
}

/// Link type in the two low bits, neighbour type in the next two (RFC 3626 6.1.1 and 18).
fn link_code(code: LinkCode) -> u8 {
    let link = match code.link {
        LinkType::Asymmetric => 1,
        LinkType::Symmetric => 2,
        LinkType::Lost => 3,
    };
    let neighbour = match code.neighbour {
        NeighbourType::Not => 0,
        NeighbourType::Symmetric => 1,
        NeighbourType::Mpr => 2,
    };
    neighbour << 2 | link
}

/// Reads the octets of a packet.
///
/// # Errors
/// Sizes do not fit, or there is a message or code that the engine does not know.
pub fn read(octets: &[u8]) -> Result<OlsrPacket, Malformed> {
    let mut rest = octets;
    let length = usize::from(take16(WHAT, &mut rest)?);
    // A packet fills its datagram (RFC 3626 3.3): another length means that one of the two is damaged.
    if length != octets.len() {
        return Err(Malformed::field("OLSR packet length", length as u64, "that of the datagram"));
    }
    let seq = take16(WHAT, &mut rest)?;
    let mut messages = Vec::new();
    while !rest.is_empty() {
        let (head, _) = split(WHAT, rest, MESSAGE_HEADER)?;
        let size = usize::from(u16::from_be_bytes([head[2], head[3]]));
        // A message of no size would be read for ever.
        if size < MESSAGE_HEADER {
            return Err(Malformed::field("OLSR message size", size as u64, "12 and more"));
        }
        let (message, others) = split(WHAT, rest, size)?;
        messages.push(read_message(message)?);
        rest = others;
    }
    Ok(OlsrPacket { seq, messages: messages.into() })
}

fn read_message(mut octets: &[u8]) -> Result<OlsrMessage, Malformed> {
    let octets = &mut octets;
    let [kind, vtime, _, _]: [u8; 4] = take(WHAT, octets)?;
    let origin = address::node(take(WHAT, octets)?)?;
    let [ttl, hops] = take(WHAT, octets)?;
    let seq = take16(WHAT, octets)?;
    let body = match kind {
        HELLO | LQ_HELLO => OlsrBody::Hello(read_hello(octets, kind == LQ_HELLO)?),
        TC | LQ_TC => {
            let ansn = take16(WHAT, octets)?;
            _ = take16(WHAT, octets)?;
            let (nodes, qualities) = read_links(octets, kind == LQ_TC)?;
            OlsrBody::Tc(Tc { ansn, advertised: nodes.into(), qualities: qualities.map(Into::into) }.into())
        }
        other => return Err(Malformed::field("OLSR message type", other, "1, 2, 201 and 202")),
    };
    Ok(OlsrMessage { origin, seq, vtime: TimeCode::of_octet(vtime), ttl, hops, body })
}

fn read_hello(octets: &mut &[u8], has_quality: bool) -> Result<Hello, Malformed> {
    let [_, _, htime, willingness]: [u8; 4] = take(WHAT, octets)?;
    let (mut links, mut qualities) = (Vec::new(), Vec::new());
    while !octets.is_empty() {
        let (head, _) = split(WHAT, octets, GROUP_HEADER)?;
        let size = usize::from(u16::from_be_bytes([head[2], head[3]]));
        // A group of no size would be read for ever.
        if size < GROUP_HEADER {
            return Err(Malformed::field("OLSR link message size", size as u64, "4 and more"));
        }
        let (group, rest) = split(WHAT, octets, size)?;
        let code = read_code(head[0])?;
        let (nodes, its_qualities) = read_links(&group[GROUP_HEADER..], has_quality)?;
        links.extend(nodes.into_iter().map(|node| HelloLink { code, node }));
        qualities.extend(its_qualities.into_iter().flatten());
        *octets = rest;
    }
    let qualities = has_quality.then(|| qualities.into());
    Ok(Hello { htime: TimeCode::of_octet(htime), willingness, links: links.into(), qualities })
}

/// Nodes, and the qualities of the links to them where each has one.
type Links = (Vec<NodeId>, Option<Vec<LinkQuality>>);

fn read_links(octets: &[u8], has_quality: bool) -> Result<Links, Malformed> {
    let (size, allowed) = if has_quality { (8, "a multiple of 8") } else { (4, "a multiple of 4") };
    if octets.len() % size != 0 {
        return Err(Malformed::field("octets of OLSR addresses", octets.len() as u64, allowed));
    }
    let links = octets.chunks_exact(size);
    let nodes =
        links.clone().map(|link| address::node([link[0], link[1], link[2], link[3]])).collect::<Result<_, _>>()?;
    let quality = |link: &[u8]| LinkQuality { lq: link[4], nlq: link[5], rate: RateCode(link[6]) };
    Ok((nodes, has_quality.then(|| links.map(quality).collect())))
}

fn read_code(code: u8) -> Result<LinkCode, Malformed> {
    let unknown = || Malformed::field("OLSR link code", code, "ASYM, SYM or LOST with NOT, SYM or MPR");
    let link = match code & 3 {
        1 => LinkType::Asymmetric,
        2 => LinkType::Symmetric,
        3 => LinkType::Lost,
        _ => return Err(unknown()),
    };
    let neighbour = match code >> 2 {
        0 => NeighbourType::Not,
        1 => NeighbourType::Symmetric,
        2 => NeighbourType::Mpr,
        _ => return Err(unknown()),
    };
    Ok(LinkCode { link, neighbour })
}

#[cfg(test)]
mod tests {
    use hopscope_core::units::Span;
    use proptest::prelude::*;

    use super::*;

    fn octets(packet: &OlsrPacket) -> Vec<u8> {
        let mut out = Vec::new();
        write(packet, &mut out);
        out
    }

    #[test]
    fn a_packet_has_its_octets_where_the_standard_draws_them() {
        let symmetric = LinkCode { link: LinkType::Symmetric, neighbour: NeighbourType::Mpr };
        let received = LinkCode { link: LinkType::Asymmetric, neighbour: NeighbourType::Not };
        let links = [(received, 3), (symmetric, 1), (symmetric, 2)];
        let links = links.map(|(code, node)| HelloLink { code, node: NodeId(node) });
        let hello = OlsrMessage {
            origin: NodeId(7),
            seq: 0x0102,
            vtime: TimeCode::at_least(Span::from_secs(6)), // a 8, b 6
            ttl: 1,
            hops: 0,
            body: OlsrBody::Hello(Hello {
                htime: TimeCode::at_least(Span::from_secs(2)),
                willingness: 3,
                links: links.into(),
                qualities: None,
            }),
        };
        let tc = OlsrMessage {
            seq: 9,
            ttl: 250,
            hops: 4,
            body: OlsrBody::Tc(Tc { ansn: 0x0A0B, advertised: [NodeId(1)].into(), qualities: None }.into()),
            ..hello.clone()
        };
        let packet = OlsrPacket { seq: 5, messages: [hello, tc].into() };
        let expected = [
            &[0, 60, 0, 5][..],
            &[1, 0x86, 0, 36, 10, 0, 0, 8, 1, 0, 1, 2],
            &[0, 0, 0x05, 3],
            &[0b0001, 0, 0, 8, 10, 0, 0, 4],
            &[0b1010, 0, 0, 12, 10, 0, 0, 2, 10, 0, 0, 3],
            &[2, 0x86, 0, 20, 10, 0, 0, 8, 250, 4, 0, 9],
            &[0x0A, 0x0B, 0, 0, 10, 0, 0, 2],
        ];
        assert_eq!(octets(&packet), expected.concat());
        assert_eq!(read(&expected.concat()), Ok(packet));
    }

    #[test]
    fn qualities_stand_behind_their_addresses_as_olsrd_writes_them() {
        let quality = |lq, nlq, rate| LinkQuality { lq, nlq, rate: RateCode::at_most(rate) };
        let code = LinkCode { link: LinkType::Symmetric, neighbour: NeighbourType::Mpr };
        let links = [1, 2].map(|node| HelloLink { code, node: NodeId(node) });
        let message =
            |body| OlsrMessage { origin: NodeId(7), seq: 1, vtime: TimeCode::of_octet(0x86), ttl: 1, hops: 0, body };
        let hello = message(OlsrBody::Hello(Hello {
            htime: TimeCode::of_octet(0x05),
            willingness: 3,
            links: links.into(),
            qualities: Some([quality(255, 128, 0), quality(1, 2, 1_000_000)].into()),
        }));
        let (advertised, qualities) = ([NodeId(1)].into(), Some([quality(3, 4, 0)].into()));
        let tc = message(OlsrBody::Tc(Tc { ansn: 6, advertised, qualities }.into()));
        let packet = OlsrPacket { seq: 5, messages: [hello, tc].into() };
        let expected = [
            &[0, 64, 0, 5][..],
            &[201, 0x86, 0, 36, 10, 0, 0, 8, 1, 0, 0, 1],
            &[0, 0, 0x05, 3],
            &[0b1010, 0, 0, 20, 10, 0, 0, 2, 255, 128, 0, 0, 10, 0, 0, 3, 1, 2, 0x34, 0],
            &[202, 0x86, 0, 24, 10, 0, 0, 8, 1, 0, 0, 1],
            &[0, 6, 255, 255, 10, 0, 0, 2, 3, 4, 0, 0],
        ];
        assert_eq!(octets(&packet), expected.concat());
        assert_eq!(read(&expected.concat()), Ok(packet));
    }

    fn messages() -> impl Strategy<Value = OlsrMessage> {
        let nodes = || proptest::collection::vec((0..1_000_000u32).prop_map(NodeId), 0..6);
        let link = (1..4u8, 0..3u8, 0..1_000u32).prop_map(|(link, neighbour, node)| HelloLink {
            code: read_code(neighbour << 2 | link).expect("known codes"),
            node: NodeId(node),
        });
        let quality =
            |&octet: &u8| LinkQuality { lq: octet, nlq: octet.wrapping_mul(7), rate: RateCode(octet.wrapping_mul(11)) };
        let octets = || proptest::option::of(proptest::collection::vec(any::<u8>(), 8));
        let links = proptest::collection::vec(link, 0..8);
        let hello = (any::<u8>(), 0..8u8, links, octets()).prop_map(move |(htime, willingness, mut links, octets)| {
            links.sort();
            let qualities = octets.map(|octets| octets.iter().map(quality).take(links.len()).collect());
            OlsrBody::Hello(Hello { htime: TimeCode::of_octet(htime), willingness, links: links.into(), qualities })
        });
        let tc = (any::<u16>(), nodes(), octets()).prop_map(move |(ansn, nodes, octets)| {
            let qualities = octets.map(|octets| octets.iter().map(quality).take(nodes.len()).collect());
            OlsrBody::Tc(Tc { ansn, advertised: nodes.into(), qualities }.into())
        });
        ((0..1_000_000u32).prop_map(NodeId), any::<u16>(), any::<[u8; 3]>(), prop_oneof![hello, tc]).prop_map(
            |(origin, seq, [vtime, ttl, hops], body)| OlsrMessage {
                origin,
                seq,
                vtime: TimeCode::of_octet(vtime),
                ttl,
                hops,
                body,
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn packets_come_back_and_weigh_what_they_say(seq: u16, messages in proptest::collection::vec(messages(), 0..4)) {
            let packet = OlsrPacket { seq, messages: messages.into() };
            let octets = octets(&packet);
            prop_assert_eq!(octets.len() as u32, packet.bytes(0));
            prop_assert_eq!(read(&octets), Ok(packet));
        }

        #[test]
        fn any_octets_are_read_or_refused(kind in prop_oneof![0..4u8, 200..203u8], rest in proptest::collection::vec(any::<u8>(), 0..40)) {
            let size = 4 + rest.len() as u8;
            let octets = [&[0, 4 + size, 0, 1, kind, 0, 0, size][..], &rest].concat();
            if let Ok(packet) = read(&octets) {
                prop_assert_eq!(read(&self::octets(&packet)), Ok(packet));
            }
            _ = read(&rest);
        }
    }
}
