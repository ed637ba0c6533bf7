//! What stands between a MAC header and a network packet: LLC/SNAP (RFC 1042), and address resolution (RFC 826).

use hopscope_core::ids::NodeId;

use crate::address;
use crate::octets::{Malformed, split, take, take16};

/// Octets of an LLC/SNAP header.
pub const LLC_BYTES: usize = 8;
/// EtherType of IPv4.
pub const IPV4: u16 = 0x0800;
/// EtherType of IPv6.
pub const IPV6: u16 = 0x86DD;
/// EtherType of batman-adv.
pub const BATMAN: u16 = 0x4305;
/// EtherType of address resolution.
pub const ARP: u16 = 0x0806;

/// LLC of an unnumbered information frame between SNAP access points, and the organization of EtherTypes.
const SNAP: [u8; 6] = [0xAA, 0xAA, 0x03, 0, 0, 0];

/// Writes an LLC/SNAP header.
pub fn write_llc(out: &mut Vec<u8>, ether_type: u16) {
    out.extend(SNAP);
    out.extend(ether_type.to_be_bytes());
}

/// The EtherType of an Ethernet frame, and the packet behind its header (IEEE 802.3-2022 3.2.6); 0 and nothing of one that is
/// too short.
pub fn in_ethernet(frame: &[u8]) -> (u16, &[u8]) {
    match frame {
        [_, _, _, _, _, _, _, _, _, _, _, _, high, low, packet @ ..] => (u16::from_be_bytes([*high, *low]), packet),
        _ => (0, &[]),
    }
}

/// The EtherType of an LLC/SNAP header, and what follows it.
///
/// # Errors
/// It is another kind of LLC.
pub fn read_llc(octets: &[u8]) -> Result<(u16, &[u8]), Malformed> {
    let (head, rest) = split("LLC/SNAP", octets, LLC_BYTES)?;
    if head[..6] != SNAP {
        return Err(Malformed::field("LLC/SNAP", head[0], "AA AA 03 00 00 00"));
    }
    Ok((u16::from_be_bytes([head[6], head[7]]), rest))
}

/// A question for the address of a node, or the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arp {
    /// Who asks or answers.
    pub sender: NodeId,
    /// Whose address is asked for, or who asked.
    pub target: NodeId,
    /// It is the answer.
    pub is_reply: bool,
}

/// Hardware type of Ethernet, which 802.11 has too; protocol type of IPv4; lengths of their addresses.
const ARP_HEAD: [u8; 6] = [0, 1, 0x08, 0, 6, 4];

impl Arp {
    /// Writes its octets. Who asks does not know the hardware address yet: zeros stand there.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend(ARP_HEAD);
        out.extend(if self.is_reply { [0, 2] } else { [0, 1] });
        out.extend(address::mac(self.sender));
        out.extend(address::ip(self.sender));
        out.extend(if self.is_reply { address::mac(self.target) } else { [0; 6] });
        out.extend(address::ip(self.target));
    }

    /// Reads its octets.
    ///
    /// # Errors
    /// They are no question or answer about IPv4 over 802.11.
    pub fn read(mut octets: &[u8]) -> Result<Self, Malformed> {
        const WHAT: &str = "ARP";
        let octets = &mut octets;
        let head: [u8; 6] = take(WHAT, octets)?;
        if head != ARP_HEAD {
            return Err(Malformed::field("ARP types and lengths", head[1], "Ethernet and IPv4"));
        }
        let is_reply = match take16(WHAT, octets)? {
            1 => false,
            2 => true,
            other => return Err(Malformed::field("ARP operation", other, "1 and 2")),
        };
        let hardware: [u8; 6] = take(WHAT, octets)?;
        let sender = address::node(take(WHAT, octets)?)?;
        if hardware != address::mac(sender) {
            return Err(Malformed::field("ARP sender", hardware[5], "two addresses of one node"));
        }
        // Who asks does not know the hardware address of the target, and RFC 826 leaves open what stands in its
        // place.
        _ = take::<6>(WHAT, octets)?;
        Ok(Arp { sender, target: address::node(take(WHAT, octets)?)?, is_reply })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_request_and_its_reply() {
        let mut octets = Vec::new();
        Arp { sender: NodeId(1), target: NodeId(2), is_reply: false }.write(&mut octets);
        let request = [0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 10, 0, 0, 2, 0, 0, 0, 0, 0, 0, 10, 0, 0, 3];
        assert_eq!(octets, request);
        let reply = [0, 1, 8, 0, 6, 4, 0, 2, 2, 0, 0, 0, 0, 2, 10, 0, 0, 3, 2, 0, 0, 0, 0, 1, 10, 0, 0, 2];
        assert_eq!(Arp::read(&reply), Ok(Arp { sender: NodeId(2), target: NodeId(1), is_reply: true }));
        assert!(Arp::read(&reply[..27]).is_err());
    }

    #[test]
    fn snap_names_the_protocol() {
        let mut octets = Vec::new();
        write_llc(&mut octets, IPV4);
        assert_eq!(octets, [0xAA, 0xAA, 3, 0, 0, 0, 8, 0]);
        octets.push(9);
        assert_eq!(read_llc(&octets), Ok((IPV4, &[9][..])));
        octets[0] = 0x42;
        assert!(read_llc(&octets).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn arp_comes_back(sender in 0..1_000_000u32, target in 0..1_000_000u32, is_reply: bool) {
            let arp = Arp { sender: NodeId(sender), target: NodeId(target), is_reply };
            let mut octets = Vec::new();
            arp.write(&mut octets);
            prop_assert_eq!(octets.len(), 28);
            prop_assert_eq!(Arp::read(&octets), Ok(arp));
        }

        #[test]
        fn any_octets_are_read_or_refused(octets in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(arp) = Arp::read(&octets) {
                let mut again = Vec::new();
                arp.write(&mut again);
                prop_assert_eq!(Arp::read(&again), Ok(arp));
            }
            _ = read_llc(&octets);
        }
    }
}
