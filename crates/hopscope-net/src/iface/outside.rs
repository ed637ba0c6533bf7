//! Packets with octets: where real stacks will meet the network.
//!
//! Whoever stands outside hands octets to a node with a destination; the network carries a packet of that length, and hands
//! the octets out where it arrives. What they mean is not looked at.

use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;

/// A packet from outside that has reached its destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalArrival {
    /// When.
    pub at: Time,
    /// Where.
    pub node: NodeId,
    /// Where it entered.
    pub from: NodeId,
    /// Hops it travelled.
    pub hops: u8,
    /// The number that it was given where it entered.
    pub number: u64,
    /// What it carries, network header included.
    pub octets: Box<[u8]>,
}

/// The doors of all nodes. The octets of packets under way lie in the packet arena.
#[derive(Debug, Default)]
pub struct Outside {
    entered: u64,
    arrived: Vec<ExternalArrival>,
}

impl Outside {
    /// A packet enters: gives its number.
    pub fn enter(&mut self) -> u64 {
        self.entered += 1;
        self.entered - 1
    }

    /// A packet leaves the network.
    pub fn leave(&mut self, packet: ExternalArrival) {
        self.arrived.push(packet);
    }

    /// What has arrived since the last call, in order.
    pub fn take_arrived(&mut self) -> Vec<ExternalArrival> {
        std::mem::take(&mut self.arrived)
    }
}
