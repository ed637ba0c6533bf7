//! Packets of Babel as octets (RFC 8966 4), which go over UDP between ports 6696.
//!
//! ```text
//!  packet         magic 42, version 2, length of the body 2, then TLVs: type 1, length 1, then its body
//!  Hello          flags 2, seqno 2, interval 2
//!  IHU            address encoding 1, reserved 1, rxcost 2, interval 2, address 4
//!  Router-Id      reserved 2, router-id 8
//!  Next Hop       address encoding 1, reserved 1, address 4
//!  Update         address encoding 1, flags 1, prefix length 1, octets omitted 1, interval 2, seqno 2, metric 2, prefix 4
//!  Route Request  address encoding 1, prefix length 1, prefix 4, or none for all
//!  Seqno Request  address encoding 1, prefix length 1, seqno 2, hop count 1, reserved 1, router-id 8, prefix 4
//! ```
//!
//! The router-id of a node is its address behind four zeros: what the flag of an update takes from an IPv4 prefix (RFC 8966 4.6.9).

use hopscope_core::ids::NodeId;
use hopscope_packet::babel::{BabelPacket, BabelTlv, BabelUpdate, Centiseconds, SeqnoRequest};

use crate::address;
use crate::octets::{Malformed, split, take, take16};

const MAGIC: u8 = 42;
const VERSION: u8 = 2;
/// Address encodings (RFC 8966 4.1.4): none, and IPv4.
const WILDCARD: u8 = 0;
const IPV4: u8 = 1;
/// Bits of an address in full.
const FULL: u8 = 32;
/// Flag of an update (RFC 8966 4.6.9).
const ROUTER_ID: u8 = 0x40;
const WHAT: &str = "Babel";

mod kind {
    pub(super) const HELLO: u8 = 4;
    pub(super) const IHU: u8 = 5;
    pub(super) const ROUTER_ID: u8 = 6;
    pub(super) const NEXT_HOP: u8 = 7;
    pub(super) const UPDATE: u8 = 8;
    pub(super) const ROUTE_REQUEST: u8 = 9;
    pub(super) const SEQNO_REQUEST: u8 = 10;
}

/// Writes the octets of a packet.
pub fn write(packet: &BabelPacket, out: &mut Vec<u8>) {
    let length: u32 = packet.tlvs.iter().map(BabelTlv::bytes).sum();
    out.extend([MAGIC, VERSION]);
    out.extend((length as u16).to_be_bytes());
    for tlv in packet.tlvs.iter() {
        write_tlv(tlv, out);
    }
}

fn write_tlv(tlv: &BabelTlv, out: &mut Vec<u8>) {
    // Type and length do not count.
    let length = (tlv.bytes() - 2) as u8;
    match *tlv {
        BabelTlv::Hello { seqno, interval } => {
            out.extend([kind::HELLO, length, 0, 0]);
            write_numbers(&[seqno, interval.0], out);
        }
        BabelTlv::Ihu { neighbour, rxcost, interval } => {
            out.extend([kind::IHU, length, IPV4, 0]);
            write_numbers(&[rxcost, interval.0], out);
            out.extend(address::ip(neighbour));
        }
        BabelTlv::RouterId(node) => {
            out.extend([kind::ROUTER_ID, length, 0, 0]);
            write_router_id(node, out);
        }
        BabelTlv::NextHop(node) => {
            out.extend([kind::NEXT_HOP, length, IPV4, 0]);
            out.extend(address::ip(node));
        }
        BabelTlv::Update(update) => {
            let flags = if update.router_id_flag { ROUTER_ID } else { 0 };
            out.extend([kind::UPDATE, length, IPV4, flags, FULL, 0]);
            write_numbers(&[update.interval.0, update.seqno, update.metric], out);
            out.extend(address::ip(update.dst));
        }
        BabelTlv::RouteRequest(None) => out.extend([kind::ROUTE_REQUEST, length, WILDCARD, 0]),
        BabelTlv::RouteRequest(Some(dst)) => {
            out.extend([kind::ROUTE_REQUEST, length, IPV4, FULL]);
            out.extend(address::ip(dst));
        }
        BabelTlv::SeqnoRequest(request) => {
            out.extend([kind::SEQNO_REQUEST, length, IPV4, FULL]);
            write_numbers(&[request.seqno], out);
            out.extend([request.hops, 0]);
            write_router_id(request.dst, out);
            out.extend(address::ip(request.dst));
        }
    }
}

fn write_numbers(numbers: &[u16], out: &mut Vec<u8>) {
    numbers.iter().for_each(|number| out.extend(number.to_be_bytes()));
}

fn write_router_id(node: NodeId, out: &mut Vec<u8>) {
    out.extend([0; 4]);
    out.extend(address::ip(node));
}

/// Reads the octets of a packet.
///
/// # Errors
/// Sizes do not fit, or there is a TLV or an address encoding that the engine does not know.
pub fn read(octets: &[u8]) -> Result<BabelPacket, Malformed> {
    let mut rest = octets;
    let [magic, version] = take(WHAT, &mut rest)?;
    if magic != MAGIC {
        return Err(Malformed::field("Babel magic", magic, "42"));
    }
    if version != VERSION {
        return Err(Malformed::field("Babel version", version, "2"));
    }
    let length = usize::from(take16(WHAT, &mut rest)?);
    // What follows the body is a trailer (RFC 8966 4.2), which the engine has no use for.
    if length != rest.len() {
        return Err(Malformed::field("Babel body length", length as u64, "that of the datagram without its header"));
    }
    let mut tlvs = Vec::new();
    while !rest.is_empty() {
        let [kind, length] = take(WHAT, &mut rest)?;
        let (body, others) = split(WHAT, rest, usize::from(length))?;
        tlvs.push(read_tlv(kind, body)?);
        rest = others;
    }
    Ok(BabelPacket { tlvs: tlvs.into() })
}

fn read_tlv(kind: u8, mut body: &[u8]) -> Result<BabelTlv, Malformed> {
    let body = &mut body;
    let tlv = match kind {
        kind::HELLO => {
            expect("Babel Hello flags", take16(WHAT, body)?, 0, "0")?;
            BabelTlv::Hello { seqno: take16(WHAT, body)?, interval: Centiseconds(take16(WHAT, body)?) }
        }
        kind::IHU => {
            read_encoding(body)?;
            let (rxcost, interval) = (take16(WHAT, body)?, Centiseconds(take16(WHAT, body)?));
            BabelTlv::Ihu { neighbour: read_node(body)?, rxcost, interval }
        }
        kind::ROUTER_ID => {
            expect("Babel reserved", take16(WHAT, body)?, 0, "0")?;
            BabelTlv::RouterId(read_router_id(body)?)
        }
        kind::NEXT_HOP => {
            read_encoding(body)?;
            BabelTlv::NextHop(read_node(body)?)
        }
        kind::UPDATE => read_update(body)?,
        kind::ROUTE_REQUEST => match take(WHAT, body)? {
            [WILDCARD, 0] => BabelTlv::RouteRequest(None),
            [IPV4, FULL] => BabelTlv::RouteRequest(Some(read_node(body)?)),
            [encoding, _] => {
                return Err(Malformed::field("Babel prefix", encoding, "an IPv4 address in full, or none"));
            }
        },
        kind::SEQNO_REQUEST => {
            read_full(body)?;
            let seqno = take16(WHAT, body)?;
            let [hops, _] = take(WHAT, body)?;
            let router = read_router_id(body)?;
            let dst = read_node(body)?;
            expect("Babel router-id", dst.0, router.0, "that of the prefix")?;
            BabelTlv::SeqnoRequest(SeqnoRequest { dst, seqno, hops })
        }
        other => return Err(Malformed::field("Babel TLV type", other, "4 to 10")),
    };
    expect("octets at the end of a Babel TLV", body.len() as u64, 0, "0")?;
    Ok(tlv)
}

fn read_update(body: &mut &[u8]) -> Result<BabelTlv, Malformed> {
    let [encoding, flags, length, omitted] = take(WHAT, body)?;
    if (encoding, length, omitted) != (IPV4, FULL, 0) || flags & !ROUTER_ID != 0 {
        return Err(Malformed::field("Babel update", encoding, "an IPv4 address in full, the Router-Id flag or none"));
    }
    let interval = Centiseconds(take16(WHAT, body)?);
    let (seqno, metric) = (take16(WHAT, body)?, take16(WHAT, body)?);
    let dst = read_node(body)?;
    Ok(BabelTlv::Update(BabelUpdate { dst, seqno, metric, interval, router_id_flag: flags != 0, hops: 0 }))
}

fn expect<T: Into<u64> + PartialEq>(
    what: &'static str,
    found: T,
    wanted: T,
    allowed: &'static str,
) -> Result<(), Malformed> {
    if found == wanted { Ok(()) } else { Err(Malformed::field(what, found, allowed)) }
}

/// Address encoding and a reserved octet.
fn read_encoding(body: &mut &[u8]) -> Result<(), Malformed> {
    let [encoding, _] = take(WHAT, body)?;
    expect("Babel address encoding", encoding, IPV4, "1 (IPv4)")
}

/// Address encoding and the length of a prefix.
fn read_full(body: &mut &[u8]) -> Result<(), Malformed> {
    let [encoding, length] = take(WHAT, body)?;
    expect("Babel address encoding", encoding, IPV4, "1 (IPv4)")?;
    expect("Babel prefix length", length, FULL, "32")
}

fn read_node(body: &mut &[u8]) -> Result<NodeId, Malformed> {
    address::node(take(WHAT, body)?)
}

fn read_router_id(body: &mut &[u8]) -> Result<NodeId, Malformed> {
    let zeros: [u8; 4] = take(WHAT, body)?;
    expect("Babel router-id", u32::from_be_bytes(zeros), 0, "an IPv4 address behind four zeros")?;
    read_node(body)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn octets(packet: &BabelPacket) -> Vec<u8> {
        let mut out = Vec::new();
        write(packet, &mut out);
        out
    }

    #[test]
    fn a_packet_has_its_octets_where_the_standard_draws_them() {
        let update = BabelUpdate {
            dst: NodeId(4),
            seqno: 0x0102,
            metric: 0x0203,
            interval: Centiseconds(1600),
            router_id_flag: true,
            hops: 0,
        };
        let tlvs = [
            BabelTlv::Hello { seqno: 7, interval: Centiseconds(400) },
            BabelTlv::Ihu { neighbour: NodeId(2), rxcost: 256, interval: Centiseconds(1200) },
            BabelTlv::RouterId(NodeId(1)),
            BabelTlv::NextHop(NodeId(1)),
            BabelTlv::Update(update),
            BabelTlv::Update(BabelUpdate { router_id_flag: false, metric: 0xFFFF, ..update }),
            BabelTlv::RouteRequest(None),
            BabelTlv::RouteRequest(Some(NodeId(4))),
            BabelTlv::SeqnoRequest(SeqnoRequest { dst: NodeId(4), seqno: 9, hops: 127 }),
        ];
        let expected = [
            &[42, 2, 0, 104][..],
            &[4, 6, 0, 0, 0, 7, 0x01, 0x90],
            &[5, 10, 1, 0, 1, 0, 0x04, 0xB0, 10, 0, 0, 3],
            &[6, 10, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2],
            &[7, 6, 1, 0, 10, 0, 0, 2],
            &[8, 14, 1, 0x40, 32, 0, 0x06, 0x40, 1, 2, 2, 3, 10, 0, 0, 5],
            &[8, 14, 1, 0, 32, 0, 0x06, 0x40, 1, 2, 0xFF, 0xFF, 10, 0, 0, 5],
            &[9, 2, 0, 0],
            &[9, 6, 1, 32, 10, 0, 0, 5],
            &[10, 18, 1, 32, 0, 9, 127, 0, 0, 0, 0, 0, 10, 0, 0, 5, 10, 0, 0, 5],
        ];
        let packet = BabelPacket { tlvs: tlvs.into() };
        assert_eq!(octets(&packet), expected.concat());
        assert_eq!(read(&expected.concat()), Ok(packet));
    }

    fn tlvs() -> impl Strategy<Value = BabelTlv> {
        let node = || (0..1_000_000u32).prop_map(NodeId);
        prop_oneof![
            any::<(u16, u16)>().prop_map(|(seqno, time)| BabelTlv::Hello { seqno, interval: Centiseconds(time) }),
            (node(), any::<(u16, u16)>()).prop_map(|(neighbour, (rxcost, time))| BabelTlv::Ihu {
                neighbour,
                rxcost,
                interval: Centiseconds(time)
            }),
            node().prop_map(BabelTlv::RouterId),
            node().prop_map(BabelTlv::NextHop),
            (node(), any::<(u16, u16, u16, bool)>()).prop_map(|(dst, (seqno, metric, time, router_id_flag))| {
                let interval = Centiseconds(time);
                BabelTlv::Update(BabelUpdate { dst, seqno, metric, interval, router_id_flag, hops: 0 })
            }),
            prop::option::of(node()).prop_map(BabelTlv::RouteRequest),
            (node(), any::<(u16, u8)>()).prop_map(|(dst, (seqno, hops))| BabelTlv::SeqnoRequest(SeqnoRequest {
                dst,
                seqno,
                hops
            })),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn packets_come_back_and_weigh_what_they_say(tlvs in proptest::collection::vec(tlvs(), 0..8)) {
            let packet = BabelPacket { tlvs: tlvs.into() };
            let octets = octets(&packet);
            prop_assert_eq!(octets.len() as u32, packet.bytes(0));
            prop_assert_eq!(read(&octets), Ok(packet));
        }

        #[test]
        fn any_octets_are_read_or_refused(kind in 0..12u8, rest in proptest::collection::vec(any::<u8>(), 0..30)) {
            let size = rest.len() as u8;
            let octets = [&[42, 2, 0, 2 + size, kind, size][..], &rest].concat();
            if let Ok(packet) = read(&octets) {
                prop_assert_eq!(read(&self::octets(&packet)), Ok(packet));
            }
            _ = read(&rest);
        }
    }
}
