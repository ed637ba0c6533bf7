//! What of an Ethernet frame matters to the network: whom it is for, and its service class (IEEE 802.3-2022 3.1.1).

use hopscope_core::ids::NodeId;
use hopscope_engine::world::ETHERNET_HEADER;
use hopscope_wire::{address, link};

/// Whom a frame is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A node, or all of them.
    Node(NodeId),
    /// The address of no node.
    Unknown([u8; 6]),
}

/// The bit of an address that stands for several stations (IEEE 802-2014 8.2).
const GROUP: u8 = 1;

/// The least EtherType; below stand lengths of frames of another kind (802.3 3.2.6).
const LEAST_TYPE: u16 = 0x0600;

/// Whom a frame is for, of a network of so many nodes; nothing where it is none that can be carried.
pub fn target(frame: &[u8], nodes: usize) -> Option<Target> {
    let address = *frame.first_chunk::<6>()?;
    let (ether_type, packet) = link::in_ethernet(frame);
    if packet.is_empty() || ether_type < LEAST_TYPE {
        return None;
    }
    if address[0] & GROUP != 0 {
        // The receivers sort out by the address for which group it is, as it travels with the frame.
        return Some(Target::Node(NodeId::BROADCAST));
    }
    let node = address::node_of_mac(address).ok().filter(|node| node.index() < nodes);
    Some(node.map_or(Target::Unknown(address), Target::Node))
}

/// The differentiated services code point of the packet in a frame (RFC 2474 3); 0 of what has none.
pub fn dscp(frame: &[u8]) -> u8 {
    let (ether_type, _) = link::in_ethernet(frame);
    match (ether_type, frame.get(ETHERNET_HEADER..)) {
        (link::IPV4, Some([_, field, ..])) => field >> 2,
        // The field begins behind the four bits of the version (RFC 8200 3).
        (link::IPV6, Some([high, low, ..])) => (high << 4 | low >> 4) >> 2,
        _ => 0,
    }
}

/// The packet in a frame that the engine can route: one of IPv4.
pub fn routed(frame: &[u8]) -> Option<&[u8]> {
    let (ether_type, packet) = link::in_ethernet(frame);
    (ether_type == link::IPV4).then_some(packet)
}

/// The frame that brings a packet of IPv4 to a stack.
pub fn frame(to: NodeId, from: NodeId, packet: &[u8]) -> Vec<u8> {
    [&address::mac(to)[..], &address::mac(from), &link::IPV4.to_be_bytes(), packet].concat()
}

/// An address as it is written.
pub fn shown(address: [u8; 6]) -> String {
    address.map(|octet| format!("{octet:02x}")).join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(to: [u8; 6], ether_type: u16, packet: &[u8]) -> Vec<u8> {
        [&to[..], &[2, 0, 0, 0, 0, 9], &ether_type.to_be_bytes(), packet].concat()
    }

    #[test]
    fn addresses_name_nodes_and_groups_are_for_all() {
        let of = |to| target(&frame(to, 0x0800, &[0x45]), 300);
        assert_eq!(of([2, 0, 0, 0, 1, 43]), Some(Target::Node(NodeId(299))));
        for group in [[0xFF; 6], [1, 0, 0x5E, 0, 0, 5], [0x33, 0x33, 0, 0, 0, 1]] {
            assert_eq!(of(group), Some(Target::Node(NodeId::BROADCAST)), "{group:?}");
        }
        for stranger in [[2, 0, 0, 0, 1, 44], [0, 0, 0, 0, 0, 7], [0x0A, 1, 2, 3, 4, 5]] {
            assert_eq!(of(stranger), Some(Target::Unknown(stranger)), "{stranger:?}");
        }
        assert_eq!(shown([0x0A, 1, 2, 3, 4, 0xF5]), "0a:01:02:03:04:f5");
    }

    #[test]
    fn what_has_no_type_or_no_packet_is_not_carried() {
        assert_eq!(target(&frame([0xFF; 6], 0x05FF, &[1, 2, 3]), 2), None, "a length");
        assert_eq!(target(&frame([0xFF; 6], 0x0800, &[]), 2), None, "a header alone");
        assert_eq!(target(&[0xFF; 5], 2), None);
    }

    #[test]
    fn service_classes_are_those_of_the_packet() {
        // EF is 46 (RFC 3246), and the two bits behind it are those of ECN.
        assert_eq!(dscp(&frame([0xFF; 6], 0x0800, &[0x45, 46 << 2 | 3])), 46);
        assert_eq!(dscp(&frame([0xFF; 6], 0x86DD, &[0x6B, 0x9F])), 46);
        assert_eq!(dscp(&frame([0xFF; 6], 0x0806, &[0xFF, 0xFF])), 0, "ARP has none");
        assert_eq!(dscp(&[0xFF; 14]), 0);
    }
}
