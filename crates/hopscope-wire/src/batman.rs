//! Frames of batman-adv as octets (`batadv_packet.h` of Linux, compatibility version 15), which go in frames of EtherType 0x4305.
//!
//! ```text
//!  OGM      type 0, version 1, TTL 1, flags 1, sequence number 4, originator 6, previous sender 6, reserved 1, TQ 1,
//!           length of TVLVs 2
//!  ELP      type 1, version 1, originator 6, sequence number 4, interval 4 (milliseconds), then zeros of a probe
//!  OGM2     type 1, version 1, TTL 1, flags 1, sequence number 4, originator 6, length of TVLVs 2, throughput 4
//!  unicast  type 1, version 1, TTL 1, version of the translation table 1, destination 6, then an Ethernet frame
//! ```

use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;
use hopscope_packet::batman::{BatmanMessage, Elp, Ogm, Ogm2, OgmFlags};

use crate::address;
use crate::link;
use crate::octets::{Malformed, take, take16, take32};

const IV_OGM: u8 = 0x00;
const ELP: u8 = 0x03;
const OGM2: u8 = 0x04;
const UNICAST: u8 = 0x40;
/// BATADV_COMPAT_VERSION.
const VERSION: u8 = 15;
const NOT_BEST_NEXT_HOP: u8 = 1;
const PRIMARIES_FIRST_HOP: u8 = 2;
const DIRECTLINK: u8 = 4;
const WHAT: &str = "batman-adv";

/// Writes the octets of a frame of messages.
pub fn write(message: &BatmanMessage, out: &mut Vec<u8>) {
    match message {
        BatmanMessage::Ogm(ogms) => ogms.iter().for_each(|ogm| write_ogm(ogm, out)),
        BatmanMessage::Elp(elp) => write_elp(elp, out),
        BatmanMessage::Ogm2(ogms) => ogms.iter().for_each(|ogm| write_ogm2(ogm, out)),
    }
}

fn write_ogm(ogm: &Ogm, out: &mut Vec<u8>) {
    let OgmFlags { not_best_next_hop, primaries_first_hop, direct_link } = ogm.flags;
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    let flags = flag(not_best_next_hop, NOT_BEST_NEXT_HOP)
        | flag(primaries_first_hop, PRIMARIES_FIRST_HOP)
        | flag(direct_link, DIRECTLINK);
    out.extend([IV_OGM, VERSION, ogm.ttl, flags]);
    out.extend(ogm.seq.to_be_bytes());
    out.extend(address::mac(ogm.origin));
    out.extend(address::mac(ogm.prev_sender));
    out.extend([0, ogm.tq, 0, 0]);
}

fn write_elp(elp: &Elp, out: &mut Vec<u8>) {
    out.extend([ELP, VERSION]);
    out.extend(address::mac(elp.origin));
    out.extend(elp.seq.to_be_bytes());
    out.extend(((elp.interval.0 / NANOSECONDS) as u32).to_be_bytes());
    out.extend(std::iter::repeat_n(0, elp.padding.into()));
}

fn write_ogm2(ogm: &Ogm2, out: &mut Vec<u8>) {
    out.extend([OGM2, VERSION, ogm.ttl, 0]);
    out.extend(ogm.seq.to_be_bytes());
    out.extend(address::mac(ogm.origin));
    out.extend([0, 0]);
    out.extend(ogm.throughput.to_be_bytes());
}

/// In a millisecond.
const NANOSECONDS: u64 = 1_000_000;

/// Writes what stands in front of an IPv4 packet: the header of unicast, and that of the Ethernet frame inside.
pub fn write_unicast(ttl: u8, (from, to): (NodeId, NodeId), out: &mut Vec<u8>) {
    out.extend([UNICAST, VERSION, ttl, 0]);
    out.extend(address::mac(to));
    out.extend(address::mac(to));
    out.extend(address::mac(from));
    out.extend(link::IPV4.to_be_bytes());
}

/// Reads a frame of messages.
///
/// # Errors
/// Sizes do not fit, TVLVs follow, or it is of another kind or version.
pub fn read(octets: &[u8]) -> Result<BatmanMessage, Malformed> {
    match octets.first() {
        Some(&IV_OGM) => Ok(BatmanMessage::Ogm(all(octets, read_ogm)?.into())),
        Some(&OGM2) => Ok(BatmanMessage::Ogm2(all(octets, read_ogm2)?.into())),
        Some(&ELP) => read_elp(octets).map(BatmanMessage::Elp),
        Some(&other) => Err(Malformed::field("batman-adv packet type", other, "0, 3 and 4")),
        None => Err(Malformed::Short { what: WHAT, found: 0, needed: 1 }),
    }
}

/// Messages behind each other up to the end.
fn all<T>(mut octets: &[u8], read: fn(&mut &[u8]) -> Result<T, Malformed>) -> Result<Vec<T>, Malformed> {
    let mut found = Vec::new();
    while !octets.is_empty() {
        found.push(read(&mut octets)?);
    }
    Ok(found)
}

fn read_head(kind: u8, octets: &mut &[u8]) -> Result<(), Malformed> {
    let [found, version] = take(WHAT, octets)?;
    if found != kind {
        return Err(Malformed::field("batman-adv packet type", found, "that of the first message"));
    }
    if version != VERSION {
        return Err(Malformed::field("batman-adv version", version, "15"));
    }
    Ok(())
}

fn no_tvlvs(octets: &mut &[u8]) -> Result<(), Malformed> {
    match take16(WHAT, octets)? {
        0 => Ok(()),
        length => Err(Malformed::field("batman-adv TVLV length", length, "0")),
    }
}

fn read_ogm(octets: &mut &[u8]) -> Result<Ogm, Malformed> {
    read_head(IV_OGM, octets)?;
    let [ttl, flags] = take(WHAT, octets)?;
    if flags & !(NOT_BEST_NEXT_HOP | PRIMARIES_FIRST_HOP | DIRECTLINK) != 0 {
        return Err(Malformed::field("batman-adv OGM flags", flags, "0 to 7"));
    }
    let seq = take32(WHAT, octets)?;
    let (origin, prev_sender) = (read_node(octets)?, read_node(octets)?);
    let [_, tq] = take(WHAT, octets)?;
    no_tvlvs(octets)?;
    let flags = OgmFlags {
        not_best_next_hop: flags & NOT_BEST_NEXT_HOP != 0,
        primaries_first_hop: flags & PRIMARIES_FIRST_HOP != 0,
        direct_link: flags & DIRECTLINK != 0,
    };
    Ok(Ogm { origin, prev_sender, seq, tq, ttl, flags })
}

fn read_ogm2(octets: &mut &[u8]) -> Result<Ogm2, Malformed> {
    read_head(OGM2, octets)?;
    let [ttl, _] = take(WHAT, octets)?;
    let seq = take32(WHAT, octets)?;
    let origin = read_node(octets)?;
    no_tvlvs(octets)?;
    Ok(Ogm2 { origin, seq, throughput: take32(WHAT, octets)?, ttl })
}

fn read_elp(mut octets: &[u8]) -> Result<Elp, Malformed> {
    let octets = &mut octets;
    read_head(ELP, octets)?;
    let origin = read_node(octets)?;
    let seq = take32(WHAT, octets)?;
    let interval = Span::from_millis(take32(WHAT, octets)?.into());
    let padding = octets.len().min(u16::MAX.into()) as u16;
    Ok(Elp { origin, seq, interval, padding })
}

fn read_node(octets: &mut &[u8]) -> Result<NodeId, Malformed> {
    address::node_of_mac(take(WHAT, octets)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn octets(message: &BatmanMessage) -> Vec<u8> {
        let mut out = Vec::new();
        write(message, &mut out);
        out
    }

    #[test]
    fn messages_have_their_octets_where_the_structures_of_the_kernel_have_them() {
        let flags = OgmFlags { direct_link: true, not_best_next_hop: true, ..OgmFlags::default() };
        let ogm = Ogm { origin: NodeId(1), prev_sender: NodeId(2), seq: 0x0102_0304, tq: 198, ttl: 49, flags };
        let expected = [0, 15, 49, 5, 1, 2, 3, 4, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0, 198, 0, 0];
        assert_eq!(octets(&BatmanMessage::Ogm([ogm; 2].into())), expected.repeat(2));
        let ogm2 = Ogm2 { origin: NodeId(1), seq: 5, throughput: 1000, ttl: 50 };
        let expected = [4, 15, 50, 0, 0, 0, 0, 5, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 0xE8];
        assert_eq!(octets(&BatmanMessage::Ogm2([ogm2].into())), expected);
        let elp = Elp { origin: NodeId(1), seq: 5, interval: Span::from_millis(500), padding: 2 };
        let expected = [3, 15, 2, 0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 1, 0xF4, 0, 0];
        assert_eq!(octets(&BatmanMessage::Elp(elp)), expected);
        let mut out = Vec::new();
        write_unicast(48, (NodeId(3), NodeId(7)), &mut out);
        let (to, from) = ([2, 0, 0, 0, 0, 7], [2, 0, 0, 0, 0, 3]);
        assert_eq!(out, [&[0x40, 15, 48, 0][..], &to, &to, &from, &[8, 0]].concat());
    }

    fn messages() -> impl Strategy<Value = BatmanMessage> {
        let node = || (0..1_000_000u32).prop_map(NodeId);
        let flags = any::<[bool; 3]>().prop_map(|[not_best_next_hop, primaries_first_hop, direct_link]| OgmFlags {
            not_best_next_hop,
            primaries_first_hop,
            direct_link,
        });
        let ogm = (node(), node(), any::<(u32, u8, u8)>(), flags)
            .prop_map(|(origin, prev_sender, (seq, tq, ttl), flags)| Ogm { origin, prev_sender, seq, tq, ttl, flags });
        let ogm2 = (node(), any::<(u32, u32, u8)>()).prop_map(|(origin, (seq, throughput, ttl))| Ogm2 {
            origin,
            seq,
            throughput,
            ttl,
        });
        let elp = (node(), any::<u32>(), 0..1_000_000u64, 0..300u16).prop_map(|(origin, seq, ms, padding)| {
            BatmanMessage::Elp(Elp { origin, seq, interval: Span::from_millis(ms), padding })
        });
        prop_oneof![
            proptest::collection::vec(ogm, 1..5).prop_map(|ogms| BatmanMessage::Ogm(ogms.into())),
            proptest::collection::vec(ogm2, 1..5).prop_map(|ogms| BatmanMessage::Ogm2(ogms.into())),
            elp,
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn messages_come_back_and_weigh_what_they_say(message in messages()) {
            let octets = octets(&message);
            prop_assert_eq!(octets.len() as u32, message.bytes());
            prop_assert_eq!(read(&octets), Ok(message));
        }

        #[test]
        fn any_octets_are_read_or_refused(kind in 0..6u8, rest in proptest::collection::vec(any::<u8>(), 0..50)) {
            let octets = [&[kind, 15][..], &rest].concat();
            if let Ok(message) = read(&octets) {
                prop_assert_eq!(read(&self::octets(&message)), Ok(message));
            }
            _ = read(&rest);
        }
    }
}
