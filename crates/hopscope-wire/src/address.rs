//! Addresses of nodes: node 7 is 10.0.0.8 and 02:00:00:00:00:07.
//!
//! IPv4 addresses are those that the engine gives to 802.11 interfaces (`config/host.rs`); a node with wires alone has one here,
//! too. MAC addresses are locally administered ones (IEEE 802-2014 8.4), and the network is an independent BSS with a fixed identifier:
//! a choice of Hopscope.

use hopscope_core::ids::NodeId;

use crate::octets::Malformed;

/// The address of node 0.
const FIRST: u32 = u32::from_be_bytes([10, 0, 0, 1]);
/// Nodes that have an address.
const MOST_NODES: u32 = (1 << 24) - 2;
/// Everyone on this network (RFC 919 7).
pub const BROADCAST: [u8; 4] = [255; 4];
/// Everyone who hears (IEEE 802.11-2020 9.2.4.3).
pub const MAC_BROADCAST: [u8; 6] = [255; 6];
/// Identifier of the independent BSS that all nodes form, "hopsc" behind the bits of a local address.
pub const BSSID: [u8; 6] = [0x02, b'h', b'o', b'p', b's', b'c'];

/// The IPv4 address of a node.
pub fn ip(node: NodeId) -> [u8; 4] {
    if node == NodeId::BROADCAST { BROADCAST } else { FIRST.wrapping_add(node.0).to_be_bytes() }
}

/// The node with an IPv4 address.
///
/// # Errors
/// None has it.
pub fn node(ip: [u8; 4]) -> Result<NodeId, Malformed> {
    if ip == BROADCAST {
        return Ok(NodeId::BROADCAST);
    }
    let number = u32::from_be_bytes(ip).wrapping_sub(FIRST);
    if number >= MOST_NODES {
        return Err(Malformed::field("IPv4 address", u32::from_be_bytes(ip), "10.0.0.1 and above, one for each node"));
    }
    Ok(NodeId(number))
}

/// The MAC address of a node.
pub fn mac(node: NodeId) -> [u8; 6] {
    if node == NodeId::BROADCAST {
        return MAC_BROADCAST;
    }
    let [a, b, c, d] = node.0.to_be_bytes();
    // Of the first octet 02 is the bit of local addresses; that of group addresses, 01, is zero.
    [0x02, 0, a, b, c, d]
}

/// The node with a MAC address.
///
/// # Errors
/// None has it.
pub fn node_of_mac(mac: [u8; 6]) -> Result<NodeId, Malformed> {
    match mac {
        MAC_BROADCAST => Ok(NodeId::BROADCAST),
        [0x02, 0, a, b, c, d] => Ok(NodeId(u32::from_be_bytes([a, b, c, d]))),
        [a, b, c, d, e, f] => {
            let found = u64::from_be_bytes([0, 0, a, b, c, d, e, f]);
            Err(Malformed::field("MAC address", found, "02:00 and the number of a node, or everyone"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use hopscope_core::units::Span;
    use hopscope_engine::config::presets;

    use super::*;

    #[test]
    fn numbers_of_nodes_can_be_read_in_their_addresses() {
        assert_eq!(ip(NodeId(7)), [10, 0, 0, 8]);
        assert_eq!(ip(NodeId(300)), [10, 0, 1, 45]);
        assert_eq!(mac(NodeId(300)), [2, 0, 0, 0, 1, 44]);
        for id in [0, 7, 300, 1_000_000] {
            assert_eq!(node(ip(NodeId(id))), Ok(NodeId(id)));
            assert_eq!(node_of_mac(mac(NodeId(id))), Ok(NodeId(id)));
        }
    }

    #[test]
    fn the_engine_gives_the_same_addresses() {
        let base = presets::base("standard", "wavelan-2M").expect("a profile");
        let config = base.config(vec![[0.0, 0.0]; 300], Span::from_secs(1));
        for id in [0, 7, 299] {
            assert_eq!(config.addresses(id), [Ipv4Addr::from(ip(NodeId(id)))]);
        }
    }

    #[test]
    fn everyone_is_an_address_and_strangers_have_none() {
        assert_eq!(node(ip(NodeId::BROADCAST)), Ok(NodeId::BROADCAST));
        assert_eq!(node_of_mac(mac(NodeId::BROADCAST)), Ok(NodeId::BROADCAST));
        assert!(node([10, 0, 0, 0]).is_err() && node([192, 168, 0, 1]).is_err());
        assert!(node_of_mac(BSSID).is_err());
    }
}
