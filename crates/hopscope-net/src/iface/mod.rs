//! The interfaces of a node: a closed set.
//!
//! A node names its interfaces by their order; a packet on its way names the one that it leaves by. The state of each kind
//! lies in a table of its own, so that what a frame touches at its hearers stays packed.
//!
//! | kind | what it is made of |
//! |---|---|
//! | [`Wifi`] | radio and back-off, frame exchange, queue and link layer |
//! | [`WireEnd`] | transmitter of one direction of a wire, and its queue |
//! | `Interface::Outside` | the door for packets with octets: they enter and leave the network here |

pub mod air;
mod delay;
pub mod port;
pub mod rules;
pub mod wifi;
pub mod wire;

pub use air::AirSlots;
pub use port::Port;
pub use rules::RuleSets;
pub use wifi::Wifi;
pub use wire::{WireEnd, Wires};

use hopscope_core::ids::NodeId;

/// One interface of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// IEEE 802.11; each of a node is on a channel of its own.
    Wifi {
        /// Number of its station: that of the node, or of a further radio.
        station: NodeId,
    },
    /// One end of a wire.
    Wire {
        /// Its number in the table of ends: twice the wire's, plus 0 or 1.
        end: u32,
        /// The node at the other end.
        peer: NodeId,
    },
    /// The door for packets with octets.
    Outside,
}

impl Interface {
    /// Number of the first 802.11 interface at a node that has one; further ones follow it.
    pub const WIFI: u8 = 0;
}
