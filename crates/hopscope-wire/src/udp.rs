//! Datagrams of UDP (RFC 768): source port, destination port, length, checksum, 2 octets each.

use crate::ipv4::UDP;
use crate::octets::{Malformed, Sum, split};

/// Octets of the header.
pub const HEADER: usize = 8;
/// Port of AODV (RFC 3561 6).
pub const AODV_PORT: u16 = 654;
/// Port of OLSR (RFC 3626 3.1).
pub const OLSR_PORT: u16 = 698;
/// Port of Babel (RFC 8966 4).
pub const BABEL_PORT: u16 = 6696;
/// Port of DSDV updates. Nobody has assigned one: a choice of Hopscope.
pub const DSDV_PORT: u16 = 20_561;
/// Port of the notices of Neighborhood RED: a choice of Hopscope, too.
pub const NOTICE_PORT: u16 = 20_562;
/// Port of the notifications of TCP-F: the same.
pub const PATH_NOTICE_PORT: u16 = 20_563;

/// Addresses between which a datagram or segment goes; its checksum covers them.
pub type Ends = ([u8; 4], [u8; 4]);

/// Opens a datagram between these ports: a header without length and checksum, behind which the payload is written.
pub fn open((from, to): (u16, u16), out: &mut Vec<u8>) {
    out.extend(from.to_be_bytes());
    out.extend(to.to_be_bytes());
    out.extend([0; 4]);
}

/// Closes the datagram that begins at `start`: its length and its checksum. A sum of zero travels as all ones.
pub fn close(out: &mut [u8], start: usize, ends: Ends) {
    let length = out.len() - start;
    // A longer datagram than 16 bits hold has its checksum over all of it, whatever the field says.
    out[start + 4..start + 6].copy_from_slice(&(length.min(0xFFFF) as u16).to_be_bytes());
    let sum = checksum(&out[start..], ends);
    out[start + 6..start + 8].copy_from_slice(&sum.to_be_bytes());
}

fn checksum(octets: &[u8], ends: Ends) -> u16 {
    let sum = Sum::default().with_pseudo_header(ends, UDP, octets.len()).with(&octets[..6]).with(&octets[HEADER..]);
    match sum.checksum() {
        0 => 0xFFFF,
        other => other,
    }
}

/// Reads a datagram: its ports and its payload.
///
/// # Errors
/// It is cut off or damaged.
pub fn read(octets: &[u8], ends: Ends) -> Result<((u16, u16), &[u8]), Malformed> {
    const WHAT: &str = "UDP";
    let (head, _) = split(WHAT, octets, HEADER)?;
    let word = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
    let length = usize::from(word(4));
    if length < HEADER {
        return Err(Malformed::field("UDP length", length as u64, "8 and more"));
    }
    let (whole, _) = split(WHAT, octets, length)?;
    let (found, expected) = (word(6), checksum(whole, ends));
    // Zero says that the sender has made none (RFC 768), which IPv4 allows.
    if found != 0 && found != expected {
        return Err(Malformed::Checksum { what: WHAT, found: found.into(), expected: expected.into() });
    }
    Ok(((word(0), word(2)), &whole[HEADER..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ENDS: Ends = ([10, 1, 0, 1], [10, 1, 0, 2]);

    fn datagram(payload: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        open((654, 655), &mut out);
        out.extend(payload);
        close(&mut out, 0, ENDS);
        out
    }

    #[test]
    fn a_datagram_has_its_octets_where_the_standard_draws_them() {
        // 0A01 + 0001 + 0A01 + 0002 + 0011 + 000B, then 028E + 028F + 000B + 0102 + 0300 = 1D4B
        assert_eq!(datagram(&[1, 2, 3]), [0x02, 0x8E, 0x02, 0x8F, 0, 11, 0xE2, 0xB4, 1, 2, 3]);
        let theirs = etherparse::UdpHeader::with_ipv4_checksum(
            654,
            655,
            &etherparse::Ipv4Header::new(11, 1, etherparse::IpNumber::UDP, ENDS.0, ENDS.1).expect("it fits"),
            &[1, 2, 3],
        );
        assert_eq!(datagram(&[1, 2, 3])[..8], theirs.expect("it fits").to_bytes());
    }

    #[test]
    fn damage_is_found() {
        let mut octets = datagram(&[1, 2, 3]);
        octets[9] ^= 1;
        assert!(matches!(read(&octets, ENDS), Err(Malformed::Checksum { what: "UDP", .. })));
        assert!(matches!(read(&octets[..10], ENDS), Err(Malformed::Short { .. })));
        (octets[6], octets[7]) = (0, 0);
        assert!(read(&octets, ENDS).is_ok(), "no checksum at all is allowed");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn datagrams_come_back(from: u16, to: u16, payload in proptest::collection::vec(any::<u8>(), 0..60)) {
            let mut out = vec![7; 3];
            open((from, to), &mut out);
            out.extend(&payload);
            close(&mut out, 3, ENDS);
            prop_assert_eq!(read(&out[3..], ENDS), Ok(((from, to), &payload[..])));
        }

        #[test]
        fn any_octets_are_read_or_refused(octets in proptest::collection::vec(any::<u8>(), 0..30)) {
            _ = read(&octets, ENDS);
        }
    }
}
