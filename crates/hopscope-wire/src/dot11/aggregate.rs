//! Aggregates as octets: subframes of A-MPDUs (IEEE 802.11-2020 9.7.1) and of A-MSDUs (9.3.2.2.2).
//!
//! ```text
//!  A-MPDU subframe  delimiter (EOF 1 bit, zero 1, length 14, CRC 8, signature 8), MPDU, padding to 4 octets
//!  A-MSDU subframe  DA 6, SA 6, length 2, MSDU, padding to 4 octets
//! ```
//! The last subframe has no padding.

use hopscope_core::ids::NodeId;

use crate::address;
use crate::octets::{Malformed, split, take, take16};

/// Octets of an MPDU delimiter.
pub const DELIMITER_BYTES: usize = 4;
/// Longest MPDU that a delimiter can name, octets.
const MOST_DELIMITED: usize = (1 << 14) - 1;
/// Octets of the header of an A-MSDU subframe.
const MSDU_HEADER_BYTES: usize = 14;

/// By this pattern a receiver finds the next delimiter behind a damaged one: the letter N.
const SIGNATURE: u8 = 0x4E;
const EOF: u16 = 1;

/// CRC of a delimiter (9.7.1, calculated as that of HT-SIG in 19.3.9.4.4): polynomial x^8 + x^2 + x + 1, all ones at
/// the start, the complement at the end. The low bit of an octet goes first.
fn crc8(octets: &[u8]) -> u8 {
    const REVERSED: u8 = 0xE0;
    let shift = |crc: u8, _| if crc & 1 == 1 { crc >> 1 ^ REVERSED } else { crc >> 1 };
    !octets.iter().fold(0xFF, |crc, octet| (0..8).fold(crc ^ octet, shift))
}

/// Octets of padding behind so many.
fn padding(length: usize) -> usize {
    length.next_multiple_of(4) - length
}

/// Writes an MPDU with its delimiter, behind those that are in `out`, which has nothing else. `eof` marks an MPDU that
/// is alone in a VHT or HE PPDU.
///
/// # Panics
/// The MPDU is longer than 16,383 octets.
pub fn write_mpdu(mpdu: &[u8], eof: bool, out: &mut Vec<u8>) {
    let length = mpdu.len();
    assert!(length <= MOST_DELIMITED, "an MPDU of {length} octets, which no delimiter can name");
    out.resize(out.len().next_multiple_of(4), 0);
    // The low 12 bits of the length come last; HT has only these, and zeros before them.
    let field = if eof { EOF } else { 0 } | (length as u16 >> 12) << 2 | (length as u16) << 4;
    let [low, high] = field.to_le_bytes();
    out.extend_from_slice(&[low, high, crc8(&[low, high]), SIGNATURE]);
    out.extend_from_slice(mpdu);
}

/// Takes the next MPDU with its delimiter and padding off the front of an A-MPDU; gives its EOF bit too.
///
/// # Errors
/// The delimiter is damaged, or the MPDU is cut off.
pub fn take_mpdu<'a>(octets: &mut &'a [u8]) -> Result<(&'a [u8], bool), Malformed> {
    const WHAT: &str = "A-MPDU subframe";
    let mut head = *octets;
    let [low, high, found, signature]: [u8; DELIMITER_BYTES] = take(WHAT, &mut head)?;
    let expected = crc8(&[low, high]);
    if found != expected {
        return Err(Malformed::Checksum { what: WHAT, found: found.into(), expected: expected.into() });
    }
    let field = u16::from_le_bytes([low, high]);
    if signature != SIGNATURE || field & 2 != 0 {
        return Err(Malformed::field("MPDU delimiter", signature, "signature 4E, behind a zero for what is reserved"));
    }
    let (mpdu, rest) = split(WHAT, head, usize::from(field >> 4 | (field >> 2 & 3) << 12))?;
    *octets = rest.get(padding(mpdu.len())..).unwrap_or_default();
    Ok((mpdu, field & EOF != 0))
}

/// Writes an MSDU with its header, behind those that are in `out`, which has nothing else.
///
/// # Panics
/// The MSDU is longer than 65,535 octets.
pub fn write_msdu(to: NodeId, from: NodeId, msdu: &[u8], out: &mut Vec<u8>) {
    let length = u16::try_from(msdu.len()).expect("an MSDU has at most 2304 octets (9.2.4.7)");
    out.resize(out.len().next_multiple_of(4), 0);
    out.extend_from_slice(&address::mac(to));
    out.extend_from_slice(&address::mac(from));
    // The octets of this length are in the order of the network, as it comes from Ethernet (9.3.2.2.2).
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(msdu);
}

/// A part of an A-MSDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Msdu<'a> {
    /// Where it goes.
    pub to: NodeId,
    /// Where it comes from.
    pub from: NodeId,
    /// LLC header and packet.
    pub body: &'a [u8],
}

/// Takes the next MSDU with its header and padding off the front of an A-MSDU.
///
/// # Errors
/// An address is nobody's, or the MSDU is cut off.
pub fn take_msdu<'a>(octets: &mut &'a [u8]) -> Result<Msdu<'a>, Malformed> {
    const WHAT: &str = "A-MSDU subframe";
    let mut head = *octets;
    let to = address::node_of_mac(take(WHAT, &mut head)?)?;
    let from = address::node_of_mac(take(WHAT, &mut head)?)?;
    let length = usize::from(take16(WHAT, &mut head)?);
    let (body, rest) = split(WHAT, head, length)?;
    *octets = rest.get(padding(MSDU_HEADER_BYTES + length)..).unwrap_or_default();
    Ok(Msdu { to, from, body })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The shift register of figure 19-8, bit by bit, its last cell first.
    fn register(field: u16) -> u8 {
        let mut cells = [true; 8];
        for place in 0..16 {
            let back = cells[7] ^ (field >> place & 1 == 1);
            cells = [back, cells[0] ^ back, cells[1] ^ back, cells[2], cells[3], cells[4], cells[5], cells[6]];
        }
        (0..8).map(|place| u8::from(!cells[7 - place]) << place).sum()
    }

    #[test]
    fn the_crc_of_delimiters_is_that_of_the_standard() {
        // The check value of CRC-8/ROHC (RFC 3095 5.9.1), which has the same polynomial and start, complemented.
        assert_eq!(crc8(b"123456789"), !0xD0);
        for field in 0..=u16::MAX {
            assert_eq!(crc8(&field.to_le_bytes()), register(field), "{field}");
        }
    }

    #[test]
    fn subframes_have_their_octets_where_the_standard_draws_them() {
        let mut out = Vec::new();
        write_mpdu(&[7; 1538], false, &mut out);
        assert_eq!(out[..5], [0x20, 0x60, register(1538 << 4), b'N', 7]);
        write_mpdu(&[8; 1538], false, &mut out);
        // Two octets of padding behind the first, none behind the last.
        assert_eq!(out[1542..1548], [0, 0, 0x20, 0x60, register(1538 << 4), b'N']);
        assert_eq!(out.len(), 2 * (4 + 1538) + 2);
        out.clear();
        write_mpdu(&[7; 5000], true, &mut out);
        // 5000 is 4096 + 904: the high bits of the length stand behind EOF and the reserved bit.
        assert_eq!(u16::from_le_bytes([out[0], out[1]]), 1 | 1 << 2 | 904 << 4);
        out.clear();
        write_msdu(NodeId(3), NodeId(1), &[9; 3], &mut out);
        write_msdu(NodeId(4), NodeId(1), &[9; 1], &mut out);
        let expected = [2, 0, 0, 0, 0, 3, 2, 0, 0, 0, 0, 1, 0, 3, 9, 9, 9, 0, 0, 0, 2, 0, 0, 0, 0, 4];
        assert_eq!((&out[..26], out.len()), (&expected[..], 20 + 15));
    }

    #[test]
    fn a_damaged_delimiter_is_found() {
        let mut good = Vec::new();
        write_mpdu(&[1, 2, 3], false, &mut good);
        for bit in 0..32 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(take_mpdu(&mut &bad[..]).is_err(), "{bit}");
        }
        assert!(matches!(take_mpdu(&mut &good[..6]), Err(Malformed::Short { .. })));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn an_a_mpdu_comes_back(lengths in proptest::collection::vec((0..5_000usize, any::<bool>()), 1..6)) {
            let mut out = Vec::new();
            for (place, (length, eof)) in lengths.iter().enumerate() {
                write_mpdu(&vec![place as u8; *length], *eof, &mut out);
            }
            // A delimiter each, and padding behind all but the last (9.7.1).
            let padded: usize = lengths.iter().map(|(length, _)| length.div_ceil(4) * 4 + DELIMITER_BYTES).sum();
            let last = lengths[lengths.len() - 1].0;
            prop_assert_eq!(out.len(), padded - (last.div_ceil(4) * 4 - last));
            let mut rest = &out[..];
            for (place, (length, eof)) in lengths.iter().enumerate() {
                prop_assert_eq!(take_mpdu(&mut rest), Ok((&vec![place as u8; *length][..], *eof)));
            }
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn an_a_msdu_comes_back(parts in proptest::collection::vec((0..1000u32, 0..1000u32, 0..200usize), 1..6)) {
            let mut out = Vec::new();
            for (to, from, length) in &parts {
                write_msdu(NodeId(*to), NodeId(*from), &vec![0xAA; *length], &mut out);
            }
            let mut rest = &out[..];
            for (to, from, length) in &parts {
                let body = &vec![0xAA; *length][..];
                prop_assert_eq!(take_msdu(&mut rest), Ok(Msdu { to: NodeId(*to), from: NodeId(*from), body }));
            }
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn any_octets_are_read_or_refused(octets in proptest::collection::vec(any::<u8>(), 0..60)) {
            _ = take_mpdu(&mut &octets[..]);
            _ = take_msdu(&mut &octets[..]);
        }
    }
}
