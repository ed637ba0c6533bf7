//! Packets of OLSR as octets (RFC 3626 3.3, 6.1, 9.1), which go over UDP between ports 698.
//!
//! ```text
//!  packet   length 2, sequence number 2, then messages
//!  message  type 1, Vtime 1, size 2, originator 4, TTL 1, hop count 1, sequence number 2, then its body
//!  HELLO    reserved 2, Htime 1, willingness 1, then groups: link code 1, reserved 1, size 2, addresses 4 each
//!  TC       ANSN 2, reserved 2, addresses 4 each
//! ```

use hopscope_core::ids::NodeId;
use hopscope_core::units::TimeCode;
use hopscope_packet::olsr::{
    Hello, HelloLink, LinkCode, LinkType, NeighbourType, OlsrBody, OlsrMessage, OlsrPacket, Tc,
};

use crate::address;
use crate::octets::{Malformed, split, take, take16};

const HELLO: u8 = 1;
const TC: u8 = 2;
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
    let kind = match message.body {
        OlsrBody::Hello(_) => HELLO,
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
            for group in hello.links.chunk_by(|a, b| a.code == b.code) {
                let at = out.len();
                out.extend([link_code(group[0].code), 0, 0, 0]);
                group.iter().for_each(|link| out.extend(address::ip(link.node)));
                set_size(out, at, at + 2);
            }
        }
        OlsrBody::Tc(tc) => {
            out.extend(tc.ansn.to_be_bytes());
            out.extend([0; 2]);
            tc.advertised.iter().for_each(|node| out.extend(address::ip(*node)));
        }
    }
    set_size(out, start, start + 2);
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
        HELLO => OlsrBody::Hello(read_hello(octets)?),
        TC => {
            let ansn = take16(WHAT, octets)?;
            _ = take16(WHAT, octets)?;
            OlsrBody::Tc(Tc { ansn, advertised: read_nodes(octets)?.into() }.into())
        }
        other => return Err(Malformed::field("OLSR message type", other, "1 and 2")),
    };
    Ok(OlsrMessage { origin, seq, vtime: TimeCode::of_octet(vtime), ttl, hops, body })
}

fn read_hello(octets: &mut &[u8]) -> Result<Hello, Malformed> {
    let [_, _, htime, willingness]: [u8; 4] = take(WHAT, octets)?;
    let mut links = Vec::new();
    while !octets.is_empty() {
        let (head, _) = split(WHAT, octets, GROUP_HEADER)?;
        let size = usize::from(u16::from_be_bytes([head[2], head[3]]));
        // A group of no size would be read for ever.
        if size < GROUP_HEADER {
            return Err(Malformed::field("OLSR link message size", size as u64, "4 and more"));
        }
        let (group, rest) = split(WHAT, octets, size)?;
        let code = read_code(head[0])?;
        links.extend(read_nodes(&group[GROUP_HEADER..])?.into_iter().map(|node| HelloLink { code, node }));
        *octets = rest;
    }
    Ok(Hello { htime: TimeCode::of_octet(htime), willingness, links: links.into() })
}

fn read_nodes(octets: &[u8]) -> Result<Vec<NodeId>, Malformed> {
    if octets.len() % 4 != 0 {
        return Err(Malformed::field("octets of OLSR addresses", octets.len() as u64, "a multiple of 4"));
    }
    octets.chunks_exact(4).map(|ip| address::node([ip[0], ip[1], ip[2], ip[3]])).collect()
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
            }),
        };
        let tc = OlsrMessage {
            seq: 9,
            ttl: 250,
            hops: 4,
            body: OlsrBody::Tc(Tc { ansn: 0x0A0B, advertised: [NodeId(1)].into() }.into()),
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

    fn messages() -> impl Strategy<Value = OlsrMessage> {
        let nodes = || proptest::collection::vec((0..1_000_000u32).prop_map(NodeId), 0..6);
        let link = (1..4u8, 0..3u8, 0..1_000u32).prop_map(|(link, neighbour, node)| HelloLink {
            code: read_code(neighbour << 2 | link).expect("known codes"),
            node: NodeId(node),
        });
        let hello =
            (any::<u8>(), 0..8u8, proptest::collection::vec(link, 0..8)).prop_map(|(htime, willingness, mut links)| {
                links.sort();
                OlsrBody::Hello(Hello { htime: TimeCode::of_octet(htime), willingness, links: links.into() })
            });
        let tc = (any::<u16>(), nodes())
            .prop_map(|(ansn, nodes)| OlsrBody::Tc(Tc { ansn, advertised: nodes.into() }.into()));
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
        fn any_octets_are_read_or_refused(kind in 0..4u8, rest in proptest::collection::vec(any::<u8>(), 0..40)) {
            let size = 4 + rest.len() as u8;
            let octets = [&[0, 4 + size, 0, 1, kind, 0, 0, size][..], &rest].concat();
            if let Ok(packet) = read(&octets) {
                prop_assert_eq!(read(&self::octets(&packet)), Ok(packet));
            }
            _ = read(&rest);
        }
    }
}
