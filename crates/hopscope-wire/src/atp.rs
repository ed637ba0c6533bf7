//! Packets of ATP (Sundaresan et al. 2003) as octets. No format and no number of a protocol are published: the header is Hopscope's,
//! below IP protocol 253, one of two for experiments (RFC 3692).
//!
//! ```text
//!  source port 2, destination port 2, flags and kind 1, blocks 1, checksum 2, delay in microseconds 4, number 4,
//!  then for each block: packets missing 2, packets that have come 2
//! ```
//!
//! The checksum is that of UDP over pseudo-header, header and payload; as every node on the way may write the delay, that counts as
//! zero.

use hopscope_packet::atp::{AtpKind, AtpPacket, MOST_BLOCKS, SackRun};

use crate::octets::{Malformed, Sum, split, take16, take32};
use crate::udp::Ends;

/// Number of the protocol in the header of IP: for experiments and tests (RFC 3692 2.1).
pub const PROTOCOL: u8 = 253;
/// Octets of the header without blocks.
pub const HEADER: usize = 16;
/// Kinds are the two low bits, flags these.
const KINDS: u8 = 0x03;
const AGAIN: u8 = 0x10;
const PARTIAL: u8 = 0x20;
/// Where checksum and delay stand.
const CHECKSUM: usize = 6;
const DELAY: usize = 8;

/// Writes the header of a packet between these ports, without its checksum; the payload is written behind it.
pub fn open(packet: &AtpPacket, (from, to): (u16, u16), out: &mut Vec<u8>) {
    let again = if packet.retransmission { AGAIN } else { 0 };
    let partial = if packet.runs.is_partial { PARTIAL } else { 0 };
    let runs = packet.runs.all();
    out.extend(from.to_be_bytes());
    out.extend(to.to_be_bytes());
    out.extend([packet.kind as u8 | again | partial, runs.len() as u8, 0, 0]);
    out.extend(packet.delay.to_be_bytes());
    out.extend(packet.number.to_be_bytes());
    for run in runs {
        out.extend(run.gap.to_be_bytes());
        out.extend(run.length.to_be_bytes());
    }
}

/// Closes the packet that begins at `start`: its checksum.
pub fn close(out: &mut [u8], start: usize, ends: Ends) {
    let sum = checksum(&out[start..], ends);
    out[start + CHECKSUM..start + CHECKSUM + 2].copy_from_slice(&sum.to_be_bytes());
}

fn checksum(octets: &[u8], ends: Ends) -> u16 {
    let sum = Sum::default().with_pseudo_header(ends, PROTOCOL, octets.len());
    sum.with(&octets[..CHECKSUM]).with(&octets[DELAY + 4..]).checksum()
}

/// A packet with what stands around its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Atp<'a> {
    /// Source and destination port.
    pub ports: (u16, u16),
    /// The header.
    pub packet: AtpPacket,
    /// The payload.
    pub payload: &'a [u8],
}

/// Reads a packet.
///
/// # Errors
/// It is cut off or damaged.
pub fn read(octets: &[u8], ends: Ends) -> Result<Atp<'_>, Malformed> {
    const WHAT: &str = "ATP";
    let (mut head, mut rest) = split(WHAT, octets, HEADER)?;
    let (from, to) = (take16(WHAT, &mut head)?, take16(WHAT, &mut head)?);
    let [flags, count] = take16(WHAT, &mut head)?.to_be_bytes();
    let found = take16(WHAT, &mut head)?;
    let (delay, number) = (take32(WHAT, &mut head)?, take32(WHAT, &mut head)?);
    if flags & !(KINDS | AGAIN | PARTIAL) != 0 {
        return Err(Malformed::field("ATP flags", flags, "kinds 0 to 3, and the bits 0x10 and 0x20"));
    }
    if usize::from(count) > MOST_BLOCKS {
        return Err(Malformed::field("ATP blocks", count, "0 to 20"));
    }
    let kind = AtpKind::ALL[usize::from(flags & KINDS)];
    let retransmission = flags & AGAIN != 0;
    let mut packet = AtpPacket { kind, number, delay, retransmission, ..AtpPacket::default() };
    packet.runs.is_partial = flags & PARTIAL != 0;
    for _ in 0..count {
        packet.runs.push(SackRun { gap: take16(WHAT, &mut rest)?, length: take16(WHAT, &mut rest)? });
    }
    let expected = checksum(octets, ends);
    if found != expected {
        return Err(Malformed::Checksum { what: WHAT, found: found.into(), expected: expected.into() });
    }
    packet.len = rest.len() as u32;
    Ok(Atp { ports: (from, to), packet, payload: rest })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ENDS: Ends = ([10, 0, 0, 1], [10, 0, 0, 2]);

    fn octets(packet: &AtpPacket, payload: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        open(packet, (0xC000, 0x1389), &mut out);
        out.extend(payload);
        close(&mut out, 0, ENDS);
        out
    }

    #[test]
    fn data_has_its_octets_where_they_are_drawn() {
        let data = AtpPacket { kind: AtpKind::Probe, number: 7, len: 3, delay: 0x0102_0304, ..AtpPacket::default() };
        // The sum is that of the words below: pseudo-header, header without the delay, payload.
        let drawn = [0xC0, 0, 0x13, 0x89, 0x01, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 7, 0xAA, 0xBB, 0xCC];
        assert_eq!(octets(&data, &[0xAA, 0xBB, 0xCC])[..6], drawn[..6]);
        assert_eq!(octets(&data, &[0xAA, 0xBB, 0xCC])[8..], drawn[8..]);
        let words = [0x0A00, 1, 0x0A00, 2, 0x00FD, 19, 0xC000, 0x1389, 0x0100, 0, 7, 0xAABB, 0xCC00u32];
        let sum: u32 = words.iter().sum();
        let sum = !((sum & 0xFFFF) + (sum >> 16)) as u16;
        assert_eq!(octets(&data, &[0xAA, 0xBB, 0xCC])[6..8], sum.to_be_bytes());
    }

    #[test]
    fn feedback_has_its_blocks_behind_the_header() {
        let mut feedback = AtpPacket { kind: AtpKind::Feedback, number: 0x0A0B_0C0D, delay: 1, ..AtpPacket::default() };
        feedback.runs.push(SackRun { gap: 2, length: 0x0304 });
        feedback.runs.is_partial = true;
        let found = octets(&feedback, &[]);
        assert_eq!(found[4..6], [0x22, 1]);
        assert_eq!(found[8..], [0, 0, 0, 1, 0x0A, 0x0B, 0x0C, 0x0D, 0, 2, 3, 4]);
        assert_eq!(found.len(), feedback.header_bytes() as usize);
    }

    #[test]
    fn nodes_may_write_the_delay_and_nothing_else() {
        let mut found = octets(&AtpPacket::default(), &[1, 2, 3]);
        found[DELAY + 3] = 9;
        assert_eq!(read(&found, ENDS).map(|atp| atp.packet.delay), Ok(9));
        found[HEADER] ^= 1;
        assert!(matches!(read(&found, ENDS), Err(Malformed::Checksum { what: "ATP", .. })));
        assert!(matches!(read(&found[..15], ENDS), Err(Malformed::Short { .. })));
        found[5] = 21;
        assert!(matches!(read(&found, ENDS), Err(Malformed::Field { what: "ATP blocks", .. })));
        found[4] = 0x40;
        assert!(matches!(read(&found, ENDS), Err(Malformed::Field { what: "ATP flags", .. })));
    }

    prop_compose! {
        fn packets()(
            kind in 0..4usize,
            (number, delay) in any::<(u32, u32)>(),
            (retransmission, is_partial) in any::<(bool, bool)>(),
            len in 0..60u32,
            runs in proptest::collection::vec(any::<(u16, u16)>(), 0..=MOST_BLOCKS),
        ) -> AtpPacket {
            let kind = AtpKind::ALL[kind];
            let mut packet = AtpPacket { kind, number, delay, retransmission, len, ..AtpPacket::default() };
            packet.runs.is_partial = is_partial;
            runs.into_iter().for_each(|(gap, length)| _ = packet.runs.push(SackRun { gap, length }));
            packet
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn packets_come_back(packet in packets(), octet: u8) {
            let payload = vec![octet; packet.len as usize];
            let found = octets(&packet, &payload);
            prop_assert_eq!(found.len(), (packet.header_bytes() + packet.len) as usize);
            prop_assert_eq!(read(&found, ENDS), Ok(Atp { ports: (0xC000, 0x1389), packet, payload: &payload }));
        }

        #[test]
        fn any_octets_are_read_or_refused(octets in proptest::collection::vec(any::<u8>(), 0..60)) {
            _ = read(&octets, ENDS);
            let mut octets = octets;
            if octets.len() >= HEADER {
                octets[4] &= KINDS | AGAIN | PARTIAL;
                octets[5] %= 4;
                close(&mut octets, 0, ENDS);
                if let Ok(Atp { ports, packet, payload }) = read(&octets, ENDS) {
                    let mut again = Vec::new();
                    open(&packet, ports, &mut again);
                    again.extend(payload);
                    close(&mut again, 0, ENDS);
                    prop_assert_eq!(again, octets);
                }
            }
        }
    }
}
