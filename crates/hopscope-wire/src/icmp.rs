//! Messages of ICMP (RFC 792) that name a packet which did not arrive: unreachable destinations, which nodes send with
//! `net.route_notices = "packets"`, and time that is used up, which is here for what is exchanged with real stacks.
//!
//! ```text
//!  type 1, code 1, checksum 2, unused 4, then the header of the packet and the first 8 octets behind it
//! ```

use crate::octets::{Malformed, Sum, split};

/// Octets before the packet.
const HEADER: usize = 8;

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Icmp<'a> {
    /// What happened.
    pub kind: IcmpKind,
    /// Beginning of the packet at fault: its header and 8 octets.
    pub packet: &'a [u8],
}

/// What happened to a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IcmpKind {
    /// Destination unreachable, with its code: 0 network, 1 host, 2 protocol, 3 port, 4 too long, 5 source route failed.
    Unreachable(u8),
    /// Time to live exceeded in transit.
    TimeExceeded,
}

impl<'a> Icmp<'a> {
    /// Writes the octets.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let (kind, code) = match self.kind {
            IcmpKind::Unreachable(code) => (3, code),
            IcmpKind::TimeExceeded => (11, 0),
        };
        out.extend([kind, code, 0, 0, 0, 0, 0, 0]);
        out.extend(self.packet);
        let sum = Sum::default().with(&out[start..]).checksum();
        out[start + 2..start + 4].copy_from_slice(&sum.to_be_bytes());
    }

    /// Reads the octets.
    ///
    /// # Errors
    /// They are damaged, or another message.
    pub fn read(octets: &'a [u8]) -> Result<Self, Malformed> {
        const WHAT: &str = "ICMP";
        let (head, packet) = split(WHAT, octets, HEADER)?;
        let found = u16::from_be_bytes([head[2], head[3]]);
        // ICMP has no pseudo-header: its checksum covers the message alone.
        let expected = Sum::default().with(&octets[..2]).with(&octets[4..]).checksum();
        if found != expected {
            return Err(Malformed::Checksum { what: WHAT, found: found.into(), expected: expected.into() });
        }
        let kind = match (head[0], head[1]) {
            (3, code @ 0..=5) => IcmpKind::Unreachable(code),
            (11, 0) => IcmpKind::TimeExceeded,
            (3, code) => return Err(Malformed::field("ICMP code", code, "0 to 5")),
            (other, _) => return Err(Malformed::field("ICMP type", other, "3, and 11 with code 0")),
        };
        Ok(Icmp { kind, packet })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn messages_have_their_octets_where_the_standard_draws_them() {
        let mut octets = Vec::new();
        Icmp { kind: IcmpKind::TimeExceeded, packet: &[0x45, 0x00, 1, 2] }.write(&mut octets);
        // 0B00 + 4500 + 0102 = 5102
        assert_eq!(octets, [11, 0, 0xAE, 0xFD, 0, 0, 0, 0, 0x45, 0, 1, 2]);
        octets[9] = 1;
        assert!(matches!(Icmp::read(&octets), Err(Malformed::Checksum { .. })));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn messages_come_back(code in 0..7u8, packet in proptest::collection::vec(any::<u8>(), 0..28)) {
            let kind = if code == 6 { IcmpKind::TimeExceeded } else { IcmpKind::Unreachable(code) };
            let message = Icmp { kind, packet: &packet };
            let mut octets = Vec::new();
            message.write(&mut octets);
            prop_assert_eq!(Icmp::read(&octets), Ok(message));
        }

        #[test]
        fn any_octets_are_read_or_refused(kind in 0..12u8, octets in proptest::collection::vec(any::<u8>(), 0..30)) {
            _ = Icmp::read(&octets);
            let mut octets = [&[kind, 0, 0, 0][..], &octets].concat();
            let sum = Sum::default().with(&octets).checksum();
            octets[2..4].copy_from_slice(&sum.to_be_bytes());
            if let Ok(message) = Icmp::read(&octets) {
                let mut again = Vec::new();
                message.write(&mut again);
                prop_assert_eq!(Icmp::read(&again), Ok(message));
            }
        }
    }
}
