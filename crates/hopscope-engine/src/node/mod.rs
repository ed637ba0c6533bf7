//! A node: what stands above its interfaces.

use smallvec::SmallVec;

use crate::ids::FlowId;
use crate::net::{Arp, Gateway};
use crate::routing::{Forwarding, Router};

/// Network layer and routing of one node. Its interfaces lie in tables of their own ([`crate::iface`]).
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Node {
    /// Where packets go next.
    pub forwarding: Forwarding,
    /// Address resolution, where it is on.
    pub arp: Option<Box<Arp>>,
    /// It lowers the advertised windows of the TCP flows that pass.
    pub gateway: Option<Box<Gateway>>,
    /// Flows at this node that refill the queue themselves (bulk over UDP).
    pub saturating: SmallVec<[FlowId; 2]>,
    /// A `Refill` event is queued.
    pub refill_queued: bool,
}

impl Node {
    /// A node that only forwards.
    pub fn new(forwarding: Forwarding) -> Self {
        Node { forwarding, arp: None, gateway: None, saturating: SmallVec::new(), refill_queued: false }
    }

    /// The machine of its routing protocol; none under static routes.
    pub fn router(&self) -> Option<&Router> {
        match &self.forwarding {
            Forwarding::Static(_) => None,
            Forwarding::Protocol(machine) => Some(&machine.router),
        }
    }

    /// True while a packet waits for the address of its next hop.
    pub fn is_resolving(&self) -> bool {
        self.arp.as_ref().is_some_and(|arp| arp.is_asking())
    }
}
