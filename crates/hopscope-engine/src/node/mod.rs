//! A node: what stands above its interfaces.

use smallvec::SmallVec;

use hopscope_core::ids::NodeId;
use hopscope_mac::Edca;
use hopscope_mac::dcf::Attempts;
use hopscope_net::iface::{Interface, Wifi, Wires};
use hopscope_net::net::ip::Ip;
use hopscope_net::net::{Arp, Gateway};
use hopscope_net::routing::{Forwarding, Router};
use hopscope_tcp::endpoint::{AccessLimit, MacCounters, NodeView};
use hopscope_transport::BoundSockets;

/// Sockets, network layer and routing of one node. The state of its sockets and interfaces lies in tables of their own
/// ([`hopscope_transport::Sockets`], [`hopscope_net::iface`]).
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Node {
    /// Where packets go next.
    pub forwarding: Forwarding,
    /// Its interfaces: 802.11 by number, then wires, then the door for packets from outside.
    pub interfaces: SmallVec<[Interface; 1]>,
    /// Address resolution, where it is on.
    pub arp: Option<Box<Arp>>,
    /// It lowers the advertised windows of the TCP flows that pass.
    pub gateway: Option<Box<Gateway>>,
    /// What packets that begin here get.
    pub ip: Ip,
    /// Where packets that end here go.
    pub sockets: BoundSockets,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Node>() == 128, "two cache lines");

impl Node {
    /// A node that only forwards.
    pub fn new(forwarding: Forwarding, ip: Ip, interfaces: SmallVec<[Interface; 1]>) -> Self {
        Node { forwarding, interfaces, arp: None, gateway: None, ip, sockets: BoundSockets::default() }
    }

    /// The interface that leads to a neighbour: a wire to it, or the first radio.
    #[inline]
    pub fn interface_to(&self, neighbour: NodeId) -> u8 {
        // Most nodes have one interface.
        if self.interfaces.len() == 1 {
            return 0;
        }
        let leads = |interface: &Interface| matches!(interface, Interface::Wire { peer, .. } if *peer == neighbour);
        self.interfaces.iter().position(leads).unwrap_or(0) as u8
    }

    /// The same, itself.
    #[inline]
    pub fn interface_for(&self, neighbour: NodeId) -> Interface {
        self.interfaces[usize::from(self.interface_to(neighbour))]
    }

    /// The interface by which a packet for `dst` leaves now; the first one where a protocol finds the way.
    fn interface_towards(&self, dst: NodeId) -> Interface {
        let via = match &self.forwarding {
            Forwarding::Static(table) => table.lookup(dst).map_or(0, |next_hop| self.interface_to(next_hop)),
            Forwarding::Protocol(_) => 0,
        };
        self.interfaces[usize::from(via)]
    }

    /// What an endpoint at this node may see of it and of the interface by which packets for `peer` leave; `wifi`: the radio
    /// that leads there.
    #[inline]
    pub fn view(&self, peer: NodeId, wifi: &Wifi, wires: &Wires) -> NodeView {
        let (queue, by_wire) = match self.interface_towards(peer) {
            Interface::Wire { end, .. } => (&wires[end].port.queue, true),
            Interface::Wifi { .. } | Interface::Outside => (&wifi.port.queue, false),
        };
        let view = NodeView {
            queued: queue.len(),
            is_full: queue.is_full(),
            is_resolving: self.is_resolving(),
            access: AccessLimit::ONE_PACKET,
            mac: counters(wifi.mac.attempts()),
        };
        match &wifi.edca {
            None => view,
            Some(edca) => qos_view(view, by_wire, edca, wifi),
        }
    }

    /// The machine of its routing protocol; none under static routes.
    pub fn router(&self) -> Option<&Router> {
        match &self.forwarding {
            Forwarding::Static(_) => None,
            Forwarding::Protocol(machine) => Some(&machine.router),
        }
    }

    /// True while a packet waits for the address of its next hop.
    fn is_resolving(&self) -> bool {
        self.arp.as_ref().is_some_and(|arp| arp.is_asking())
    }
}

/// What an endpoint may see of a QoS station, given that of one without QoS; `by_wire`: its packets leave by a wire.
#[cold]
fn qos_view(view: NodeView, by_wire: bool, edca: &Edca, wifi: &Wifi) -> NodeView {
    let view = NodeView { mac: counters(edca.attempts()), ..view };
    if by_wire {
        return view;
    }
    let (packets, bytes) = wifi.rules.most_of_an_access();
    let access = AccessLimit { packets, bytes };
    NodeView { queued: edca.waiting(), is_full: edca.is_full(&wifi.rules), access, ..view }
}

/// The counters of a MAC as transports see them.
#[inline]
fn counters(mac: &Attempts) -> MacCounters {
    let &Attempts { rts, data, packets, retries, retry_drops, data_failures } = mac;
    MacCounters { rts, data, packets, retries, retry_drops, data_failures }
}
