//! Messages of AODV as octets (RFC 3561 5), which go over UDP between ports 654.
//!
//! ```text
//!  RREQ  type 1, flags J R G D U and reserved 2, hop count 1, id 4, destination 4, its number 4, originator 4, its number 4
//!  RREP  type 2, flags R A and prefix size 2, hop count 1, destination 4, its number 4, originator 4, lifetime 4 (ms)
//!  RERR  type 3, flag N and reserved 2, count 1, then address 4 and number 4 of each
//! ```
//! A hello is an RREP about its sender that nobody asked for: destination and originator are the same, hop count 0. When a request was
//! sent, which ns-2's messages report, has no place in the standard's.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::aodv::{AodvMessage, Rerr, Rrep, Rreq};

use crate::address;
use crate::octets::{Malformed, take, take32};

const RREQ: u8 = 1;
const RREP: u8 = 2;
const RERR: u8 = 3;

const GRATUITOUS: u8 = 0x20;
const DESTINATION_ONLY: u8 = 0x10;
const UNKNOWN: u8 = 0x08;

const MILLISECOND: u64 = 1_000_000;

/// Writes the octets of a message. A lifetime is rounded to milliseconds.
pub fn write(message: &AodvMessage, out: &mut Vec<u8>) {
    match message {
        AodvMessage::Rreq(rreq) => write_rreq(rreq, out),
        AodvMessage::Rrep(rrep) | AodvMessage::Hello(rrep) => write_rrep(rrep, out),
        AodvMessage::Rerr(rerr) => {
            out.extend([RERR, 0, 0, rerr.unreachable().len() as u8]);
            for &(dst, seq) in rerr.unreachable() {
                out.extend(address::ip(dst));
                out.extend(seq.to_be_bytes());
            }
        }
    }
}

fn write_rreq(rreq: &Rreq, out: &mut Vec<u8>) {
    let flags = if rreq.gratuitous { GRATUITOUS } else { 0 }
        | if rreq.destination_only { DESTINATION_ONLY } else { 0 }
        // The field is there in any case: zero is a number like any other, so that only the flag says that none is
        // known.
        | if rreq.dst_seq.is_none() { UNKNOWN } else { 0 };
    out.extend([RREQ, flags, 0, rreq.hops]);
    out.extend(rreq.id.to_be_bytes());
    out.extend(address::ip(rreq.dst));
    out.extend(rreq.dst_seq.unwrap_or(0).to_be_bytes());
    out.extend(address::ip(rreq.origin));
    out.extend(rreq.origin_seq.to_be_bytes());
}

fn write_rrep(rrep: &Rrep, out: &mut Vec<u8>) {
    let lifetime = (rrep.lifetime.0 + MILLISECOND / 2) / MILLISECOND;
    out.extend([RREP, 0, 0, rrep.hops]);
    out.extend(address::ip(rrep.dst));
    out.extend(rrep.dst_seq.to_be_bytes());
    out.extend(address::ip(rrep.origin));
    out.extend(u32::try_from(lifetime).unwrap_or(u32::MAX).to_be_bytes());
}

/// Reads the octets of a message.
///
/// # Errors
/// They are cut off, or have a type, a flag or a number of destinations that the engine does not know.
pub fn read(mut octets: &[u8]) -> Result<AodvMessage, Malformed> {
    const WHAT: &str = "AODV";
    let octets = &mut octets;
    let [kind, flags, low, count]: [u8; 4] = take(WHAT, octets)?;
    let node = |octets: &mut &[u8]| take(WHAT, octets).and_then(address::node);
    let message = match kind {
        RREQ => {
            if flags & !(GRATUITOUS | DESTINATION_ONLY | UNKNOWN) != 0 || low != 0 {
                return Err(Malformed::field("AODV RREQ flags", flags, "G, D and U"));
            }
            let id = take32(WHAT, octets)?;
            let dst = node(octets)?;
            let seq = take32(WHAT, octets)?;
            AodvMessage::Rreq(Rreq {
                id,
                dst,
                dst_seq: (flags & UNKNOWN == 0).then_some(seq),
                origin: node(octets)?,
                origin_seq: take32(WHAT, octets)?,
                hops: count,
                destination_only: flags & DESTINATION_ONLY != 0,
                gratuitous: flags & GRATUITOUS != 0,
                asked: Time::ZERO,
            })
        }
        RREP => {
            if (flags, low) != (0, 0) {
                return Err(Malformed::field("AODV RREP flags", flags, "none, prefix size 0"));
            }
            let rrep = Rrep {
                dst: node(octets)?,
                dst_seq: take32(WHAT, octets)?,
                origin: node(octets)?,
                hops: count,
                lifetime: Span(u64::from(take32(WHAT, octets)?) * MILLISECOND),
                asked: Time::ZERO,
            };
            // No flag says that it is a hello (RFC 3561 6.9). Nobody asks for a route to itself, so that no other
            // reply looks so.
            if rrep.hops == 0 && rrep.origin == rrep.dst { AodvMessage::Hello(rrep) } else { AodvMessage::Rrep(rrep) }
        }
        RERR => {
            if (flags, low) != (0, 0) || !(1..=Rerr::MAX).contains(&usize::from(count)) {
                return Err(Malformed::field("AODV RERR destinations", count, "1 to 8, no flags"));
            }
            let mut unreachable = [(NodeId(0), 0); Rerr::MAX];
            let unreachable = &mut unreachable[..usize::from(count)];
            for entry in &mut *unreachable {
                *entry = (node(octets)?, take32(WHAT, octets)?);
            }
            AodvMessage::Rerr(Rerr::new(unreachable))
        }
        other => return Err(Malformed::field("AODV type", other, "1 to 3")),
    };
    // A datagram holds one message.
    if !octets.is_empty() {
        return Err(Malformed::field("octets behind an AODV message", octets.len() as u64, "none"));
    }
    Ok(message)
}

#[cfg(test)]
mod tests {
    use hopscope_engine::config::aodv::AodvConfig;
    use proptest::prelude::*;

    use super::*;

    fn octets(message: &AodvMessage) -> Vec<u8> {
        let mut out = Vec::new();
        write(message, &mut out);
        out
    }

    #[test]
    fn messages_have_their_octets_where_the_standard_draws_them() {
        let rreq = Rreq {
            origin: NodeId(1),
            origin_seq: 5,
            id: 9,
            dst: NodeId(2),
            dst_seq: None,
            hops: 3,
            destination_only: true,
            gratuitous: false,
            asked: Time::ZERO,
        };
        let expected = [1, 0x18, 0, 3, 0, 0, 0, 9, 10, 0, 0, 3, 0, 0, 0, 0, 10, 0, 0, 2, 0, 0, 0, 5];
        assert_eq!(octets(&AodvMessage::Rreq(rreq)), expected);
        assert_eq!(read(&expected), Ok(AodvMessage::Rreq(rreq)));
        let rrep = Rrep {
            dst: NodeId(2),
            dst_seq: 7,
            origin: NodeId(1),
            hops: 1,
            lifetime: Span::from_millis(6_000),
            asked: Time::ZERO,
        };
        let expected = [2, 0, 0, 1, 10, 0, 0, 3, 0, 0, 0, 7, 10, 0, 0, 2, 0, 0, 0x17, 0x70];
        assert_eq!(octets(&AodvMessage::Rrep(rrep)), expected);
        assert_eq!(read(&expected), Ok(AodvMessage::Rrep(rrep)));
        let rerr = AodvMessage::Rerr(Rerr::new(&[(NodeId(3), 8)]));
        assert_eq!(octets(&rerr), [3, 0, 0, 1, 10, 0, 0, 4, 0, 0, 0, 8]);
        assert_eq!(read(&octets(&rerr)), Ok(rerr));
    }

    fn messages() -> impl Strategy<Value = AodvMessage> {
        let node = || (0..1_000_000u32).prop_map(NodeId);
        let rreq = (node(), any::<u32>(), any::<u32>(), node(), any::<Option<u32>>(), any::<u8>(), any::<[bool; 2]>());
        let rrep = (node(), any::<u32>(), node(), any::<u8>(), any::<u32>());
        let asked = Time::ZERO;
        prop_oneof![
            rreq.prop_map(move |(origin, origin_seq, id, dst, dst_seq, hops, [destination_only, gratuitous])| {
                let (dst_seq, hops) = (dst_seq, hops);
                AodvMessage::Rreq(Rreq {
                    origin,
                    origin_seq,
                    id,
                    dst,
                    dst_seq,
                    hops,
                    destination_only,
                    gratuitous,
                    asked,
                })
            }),
            rrep.prop_map(move |(dst, dst_seq, origin, hops, ms)| {
                let lifetime = Span::from_millis(ms.into());
                let rrep = Rrep { dst, dst_seq, origin, hops, lifetime, asked };
                if hops == 0 && dst == origin { AodvMessage::Hello(rrep) } else { AodvMessage::Rrep(rrep) }
            }),
            (node(), any::<u32>()).prop_map(move |(dst, dst_seq)| {
                AodvMessage::Hello(Rrep { dst, dst_seq, origin: dst, hops: 0, lifetime: Span::ZERO, asked })
            }),
            proptest::collection::vec((node(), any::<u32>()), 1..=Rerr::MAX)
                .prop_map(|entries| AodvMessage::Rerr(Rerr::new(&entries))),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

        #[test]
        fn messages_come_back_and_weigh_what_they_say(message in messages()) {
            let octets = octets(&message);
            let envelope = AodvConfig::set("rfc3561").expect("a listed set").envelope(0);
            prop_assert_eq!(octets.len() as u32, message.bytes(envelope));
            prop_assert_eq!(read(&octets), Ok(message));
        }

        #[test]
        fn any_octets_are_read_or_refused(kind in 0..5u8, rest in proptest::collection::vec(any::<u8>(), 0..40)) {
            let octets = [&[kind, 0, 0][..], &rest].concat();
            if let Ok(message) = read(&octets) {
                prop_assert_eq!(read(&self::octets(&message)), Ok(message));
            }
            _ = read(&rest);
        }
    }
}
