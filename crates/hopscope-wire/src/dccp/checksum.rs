//! The checksum of DCCP (RFC 4340 9): that of the Internet over a pseudo-header, the header with options, and as much payload as
//! CsCov says.

use super::{Malformed, PROTOCOL, Packet, covered};

/// Addresses of the network header that the checksum covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addresses {
    /// IPv4: source and destination.
    V4([u8; 4], [u8; 4]),
    /// IPv6, likewise.
    V6([u8; 16], [u8; 16]),
}

/// The checksum of a packet, whatever stands in its place.
///
/// # Errors
/// The octets are no packet.
pub fn checksum(octets: &[u8], addresses: Addresses) -> Result<u16, Malformed> {
    let packet = Packet::decode(octets)?;
    let header = octets.len() - packet.payload.len();
    let end = header + covered(packet.coverage).unwrap_or(packet.payload.len());
    let length = octets.len() as u32;
    let mut sum = match &addresses {
        Addresses::V4(from, to) => words(from) + words(to),
        Addresses::V6(from, to) => words(from) + words(to),
    };
    // The length is that of the whole packet, however little of the payload is covered (RFC 4340 9.1).
    sum += u64::from(PROTOCOL) + u64::from(length >> 16) + u64::from(length & 0xFFFF);
    sum += words(&octets[..6]) + words(&octets[8..end]);
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    Ok(!(sum as u16))
}

/// Puts the checksum into the octets of a packet.
///
/// # Errors
/// The octets are no packet.
pub fn write_checksum(octets: &mut [u8], addresses: Addresses) -> Result<(), Malformed> {
    let sum = checksum(octets, addresses)?;
    octets[6..8].copy_from_slice(&sum.to_be_bytes());
    Ok(())
}

/// The octets are a packet whose checksum is right.
pub fn has_good_checksum(octets: &[u8], addresses: Addresses) -> bool {
    checksum(octets, addresses).is_ok_and(|sum| octets[6..8] == sum.to_be_bytes())
}

/// Sum of the words, the last one filled with zeros.
fn words(octets: &[u8]) -> u64 {
    octets.chunks(2).map(|word| u64::from(word[0]) << 8 | word.get(1).map_or(0, |low| u64::from(*low))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Addresses = Addresses::V4([10, 0, 0, 1], [10, 0, 0, 2]);

    /// A Data packet with 24-bit number and five octets of payload.
    fn octets(coverage: u8) -> Vec<u8> {
        vec![0, 1, 0, 2, 3, coverage, 0xFF, 0xFF, 2 << 1, 0, 0, 7, 1, 2, 3, 4, 5]
    }

    #[test]
    fn worked_sums() {
        // 0A00 + 0001 + 0A00 + 0002 + 0021 + 0011, then 0001 + 0002 + 0300 + 0400 + 0007 + 0102 + 0304 + 0500.
        assert_eq!(checksum(&octets(0), HERE), Ok(!0x2445));
        // Without payload, and with its first word.
        assert_eq!(checksum(&octets(1), HERE), Ok(!0x1B40));
        assert_eq!(checksum(&octets(2), HERE), Ok(!0x1F47));
        let far = Addresses::V6([0; 16], [0xFF; 16]);
        assert_eq!(checksum(&octets(1), far), Ok(!(0x1B40 - 0x1403)), "eight words of all ones are nothing");
    }

    #[test]
    fn what_is_covered_is_guarded() {
        let mut octets = octets(2);
        write_checksum(&mut octets, HERE).expect("a packet");
        assert!(has_good_checksum(&octets, HERE));
        let changed = |place: usize| {
            let mut other = octets.clone();
            other[place] ^= 0x10;
            has_good_checksum(&other, HERE)
        };
        assert_eq!([0, 11, 12, 15, 16].map(changed), [false, false, false, false, true]);
        assert!(!has_good_checksum(&octets, Addresses::V4([10, 0, 0, 1], [10, 0, 0, 3])));
        assert!(!has_good_checksum(&octets[..9], HERE));
    }
}
