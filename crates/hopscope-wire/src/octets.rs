//! What all protocols share: why octets are refused, how numbers are read, and the checksums of the Internet and of 802.11.

use thiserror::Error;

/// Why octets are no header or message of a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Malformed {
    /// They end too early.
    #[error("{what}: {found} octets; at least {needed} are needed")]
    Short {
        /// Protocol or part of it.
        what: &'static str,
        /// Octets there.
        found: usize,
        /// Octets needed.
        needed: usize,
    },
    /// A field has a value that it cannot have, or that Hopscope does not know.
    #[error("{what}: found {found}; allowed: {allowed}")]
    Field {
        /// Field.
        what: &'static str,
        /// Its value.
        found: u64,
        /// What it may be.
        allowed: &'static str,
    },
    /// A checksum is wrong.
    #[error("{what}: found checksum {found:#x}; the octets have {expected:#x}")]
    Checksum {
        /// Protocol.
        what: &'static str,
        /// What stands there.
        found: u32,
        /// What is right.
        expected: u32,
    },
}

impl Malformed {
    /// A field with a value that is not allowed.
    pub(crate) fn field(what: &'static str, found: impl Into<u64>, allowed: &'static str) -> Self {
        Malformed::Field { what, found: found.into(), allowed }
    }
}

/// The first `count` octets and the rest.
pub(crate) fn split<'a>(what: &'static str, octets: &'a [u8], count: usize) -> Result<(&'a [u8], &'a [u8]), Malformed> {
    octets.split_at_checked(count).ok_or(Malformed::Short { what, found: octets.len(), needed: count })
}

/// The next `N` octets, taken off the front.
pub(crate) fn take<const N: usize>(what: &'static str, octets: &mut &[u8]) -> Result<[u8; N], Malformed> {
    let (head, rest) =
        octets.split_first_chunk::<N>().ok_or(Malformed::Short { what, found: octets.len(), needed: N })?;
    *octets = rest;
    Ok(*head)
}

/// The next number of two octets.
pub(crate) fn take16(what: &'static str, octets: &mut &[u8]) -> Result<u16, Malformed> {
    take::<2>(what, octets).map(u16::from_be_bytes)
}

/// The next number of four octets.
pub(crate) fn take32(what: &'static str, octets: &mut &[u8]) -> Result<u32, Malformed> {
    take::<4>(what, octets).map(u32::from_be_bytes)
}

/// Sum of words for an Internet checksum: pieces are added, and each but the last has an even length. The sum does not depend on
/// the order of octets in words but for the order in its own (RFC 1071 2 B): words are read as the machine has them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum(u64);

impl Sum {
    /// The sum with these octets too; an odd one at the end is followed by zero.
    #[must_use]
    pub fn with(self, octets: &[u8]) -> Sum {
        let mut sum = self.0;
        // Four octets at a time: 2^16 is 1 modulo 2^16 - 1, so that a long word counts as the sum of its halves.
        let words = octets.chunks_exact(4);
        let rest = words.remainder();
        for word in words {
            sum += u64::from(u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
        }
        // Zeros behind an odd octet change no sum (RFC 1071).
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        Sum(sum + u64::from(u32::from_ne_bytes(last)))
    }

    /// The sum with the pseudo-header of a transport (RFC 9293 3.1): addresses, protocol and length.
    #[must_use]
    pub fn with_pseudo_header(self, (from, to): ([u8; 4], [u8; 4]), protocol: u8, length: usize) -> Sum {
        let [a, b, c, d] = (length as u32).to_be_bytes();
        self.with(&from).with(&to).with(&[0, protocol]).with(&[a, b, c, d])
    }

    /// The checksum: the complement of the sum of 16-bit words in ones' complement (RFC 1071).
    pub fn checksum(self) -> u16 {
        let mut sum = self.0;
        // Carries go round: ones' complement.
        while sum > 0xFFFF {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        !u16::from_be_bytes((sum as u16).to_ne_bytes())
    }
}

/// The frame check sequence of 802.11 (IEEE 802.11-2020 9.2.4.8): CRC-32, sent from its low octet on.
pub fn fcs(octets: &[u8]) -> u32 {
    crc32fast::hash(octets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_rfc_1071() {
        // Its example: 0001 f203 f4f5 f6f7 sum to ddf2.
        let octets = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(Sum::default().with(&octets).checksum(), !0xddf2);
        let in_parts = Sum::default().with(&octets[..2]).with(&octets[2..]);
        assert_eq!(in_parts.checksum(), !0xddf2);
        assert_eq!(Sum::default().with(&[1, 2, 3]).checksum(), !0x0402, "zero follows an odd octet");
        let pseudo = Sum::default().with_pseudo_header(([10, 0, 0, 1], [10, 0, 0, 2]), 6, 0x1_0002);
        assert_eq!(pseudo.checksum(), !(0x0A00 + 1 + 0x0A00 + 2 + 6 + 1 + 2));
    }

    #[test]
    fn the_check_sequence_is_that_of_the_standard() {
        // The check value of CRC-32 (IEEE 802.3) over the nine digits.
        assert_eq!(fcs(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn what_is_missing_is_named() {
        let mut octets: &[u8] = &[1, 2, 3];
        assert_eq!(take16("part", &mut octets), Ok(0x0102));
        let short = take32("part", &mut octets).expect_err("one octet is left");
        assert_eq!(short.to_string(), "part: 1 octets; at least 4 are needed");
    }
}
