//! Sockets: an endpoint with its address, and the table of a node in which a packet finds its own by protocol and port.
//!
//! The state of all sockets lies in one table of the network, so that what a flow uses stays packed; which of them are
//! its own, a node knows ([`BoundSockets`]).

mod ports;

pub use ports::{FIRST_DYNAMIC, assign_ports, check_ports};

use super::Endpoint;
use crate::config::Transport;
use hopscope_core::event::TransportGeneration;
use hopscope_core::ids::{FlowId, NodeId, SocketId};
use hopscope_core::units::Time;
use hopscope_packet::{Body, Packet, PathOption, Ports};
use hopscope_tcp::endpoint::Timer;

/// A transport protocol, as an IP header names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// DCCP.
    Dccp,
    /// ATP.
    Atp,
}

impl Protocol {
    /// The protocol of a transport.
    pub fn used_by(transport: Transport) -> Protocol {
        match transport {
            Transport::Udp => Protocol::Udp,
            Transport::Dccp | Transport::DccpAdhoc => Protocol::Dccp,
            Transport::Atp => Protocol::Atp,
            _ => Protocol::Tcp,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Protocol::Tcp => "TCP",
            Protocol::Udp => "UDP",
            Protocol::Dccp => "DCCP",
            Protocol::Atp => "ATP",
        }
    }

    /// The protocol of a packet that belongs to a transport.
    #[inline]
    pub fn of(body: &Body) -> Option<Protocol> {
        match body {
            Body::Tcp(_) => Some(Protocol::Tcp),
            Body::Udp { .. } => Some(Protocol::Udp),
            Body::Dccp(_) => Some(Protocol::Dccp),
            Body::Atp(_) => Some(Protocol::Atp),
            Body::Arp { .. }
            | Body::Aodv(_)
            | Body::Routing
            | Body::Notice(_)
            | Body::PathNotice(_)
            | Body::Opaque { .. }
            | Body::Ethernet { .. } => None,
        }
    }
}

/// An endpoint and its address.
#[derive(Debug)]
#[repr(C)]
pub struct Socket {
    /// Where it is.
    pub node: NodeId,
    /// Where the other end is.
    pub peer: NodeId,
    /// Ports of what it sends: its own and that of the other end.
    pub ports: Ports,
    /// The flow whose data it sends, and the one whose data it receives.
    pub sends: FlowId,
    /// The flow whose data arrives here.
    pub receives: FlowId,
    protocol: Protocol,
    /// Traffic identifier of what it sends.
    pub dscp: u8,
    /// The machine.
    pub endpoint: Endpoint,
    generations: [TransportGeneration; Timer::COUNT],
}

impl Socket {
    /// A socket at `node` towards `peer`, for the data of a flow each way.
    pub fn new(node: NodeId, peer: NodeId, ports: Ports, flows: (FlowId, FlowId), endpoint: Endpoint) -> Self {
        let protocol = match endpoint {
            Endpoint::Tcp(_) => Protocol::Tcp,
            Endpoint::Udp(_) => Protocol::Udp,
            Endpoint::Dccp(_) => Protocol::Dccp,
            Endpoint::Atp(_) => Protocol::Atp,
        };
        let (sends, receives) = flows;
        Socket { node, peer, ports, sends, receives, protocol, dscp: 0, endpoint, generations: Default::default() }
    }

    /// The packet in which it sends a body now. An ACK without data belongs to the data that it acknowledges.
    #[inline]
    pub fn packet(&self, body: Body, now: Time) -> Packet {
        let flow = if body.carries_data() { self.sends } else { self.receives };
        let path = (self.endpoint.wants_path() && body.carries_data()).then(|| PathOption::new(now));
        let bytes = self.endpoint.packet_bytes(&body);
        Packet {
            flow,
            ports: self.ports,
            path,
            dscp: self.dscp,
            ..Packet::new(self.node, self.peer, bytes, 0, body, now)
        }
    }

    /// A timer is armed anew or disarmed: what was pending of its kind is void. Gives the generation of the new expiry.
    pub fn renew(&mut self, timer: Timer) -> TransportGeneration {
        self.generations[timer.index()].renew()
    }

    /// An expiry of this generation is the one that the endpoint waits for.
    #[inline]
    pub fn is_current(&self, timer: Timer, generation: TransportGeneration) -> bool {
        self.generations[timer.index()] == generation
    }

    #[inline]
    fn is_at(&self, node: NodeId, protocol: Protocol, port: u16) -> bool {
        self.node == node && self.ports.from == port && self.protocol == protocol
    }
}

/// The state of all sockets of a network.
#[derive(Debug, Default)]
pub struct Sockets(Vec<Socket>);

impl Sockets {
    /// Adds a socket under the number given, which is the next one.
    pub fn add(&mut self, id: SocketId, socket: Socket) {
        // A socket's number is its place, so that the one that a packet names is found without a search.
        debug_assert_eq!(id.index(), self.0.len());
        self.0.push(socket);
    }
}

impl std::ops::Index<SocketId> for Sockets {
    type Output = Socket;

    #[inline]
    fn index(&self, id: SocketId) -> &Socket {
        &self.0[id.index()]
    }
}

impl std::ops::IndexMut<SocketId> for Sockets {
    #[inline]
    fn index_mut(&mut self, id: SocketId) -> &mut Socket {
        &mut self.0[id.index()]
    }
}

/// The sockets of one node, by protocol and port. A node without any pays for a pointer.
#[derive(Debug, Default)]
pub struct BoundSockets(Option<Box<Bound>>);

#[derive(Debug, Default)]
struct Bound {
    /// In the order of the addresses.
    places: Vec<((Protocol, u16), SocketId)>,
    /// Those that fill the interface queue themselves.
    refilling: Vec<SocketId>,
    /// They have asked to be woken.
    wakes: bool,
}

impl BoundSockets {
    /// A socket of the node gets its port.
    pub fn bind(&mut self, id: SocketId, socket: &Socket) {
        let bound = self.0.get_or_insert_default();
        let address = (socket.protocol, socket.ports.from);
        // Sorted once here: packets that name no socket find theirs by bisection.
        let place = bound.places.partition_point(|(other, _)| *other < address);
        debug_assert!(bound.places.get(place).is_none_or(|(other, _)| *other != address), "a port in use twice");
        bound.places.insert(place, (address, id));
        if socket.endpoint.wants_view() {
            bound.refilling.push(id);
        }
    }

    /// The socket of `node`, which this is, that a packet of `protocol` to these ports is for. Its sender may have
    /// found it before: then the packet names it, and only its address is compared.
    #[inline]
    pub fn find(&self, node: NodeId, protocol: Protocol, ports: Ports, all: &Sockets) -> Option<SocketId> {
        let found = match all.0.get(ports.found.index()) {
            Some(socket) if socket.is_at(node, protocol, ports.to) => Some(ports.found),
            _ => self.lookup(protocol, ports.to),
        };
        debug_assert_eq!(found, self.lookup(protocol, ports.to), "the port decides");
        found
    }

    fn lookup(&self, protocol: Protocol, port: u16) -> Option<SocketId> {
        let places = &self.0.as_ref()?.places;
        let place = places.binary_search_by_key(&(protocol, port), |(address, _)| *address).ok()?;
        Some(places[place].1)
    }

    /// Number of sockets.
    pub fn count(&self) -> usize {
        self.0.as_ref().map_or(0, |bound| bound.places.len())
    }

    /// The socket at this place, below [`BoundSockets::count`], in the order of protocol and port.
    pub fn at(&self, place: usize) -> SocketId {
        self.0.as_ref().map_or(SocketId::NONE, |bound| bound.places[place].1)
    }

    /// Those that fill the interface queue themselves, in the order in which they are asked.
    pub fn refilling(&self) -> &[SocketId] {
        self.0.as_ref().map_or(&[], |bound| &bound.refilling)
    }

    /// The one at this place of them sent something: the one after it is asked first next time, so that they take
    /// turns.
    pub fn next_after(&mut self, place: usize) {
        if let Some(bound) = self.0.as_mut() {
            let turn = (place + 1) % bound.refilling.len();
            bound.refilling.rotate_left(turn);
        }
    }

    /// One of them asks to be woken; false when they will be anyway.
    pub fn request_wakeup(&mut self) -> bool {
        self.0.as_mut().is_some_and(|bound| !std::mem::replace(&mut bound.wakes, true))
    }

    /// They are woken.
    pub fn wake(&mut self) {
        if let Some(bound) = &mut self.0 {
            bound.wakes = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::udp::Udp;
    use super::*;

    fn socket(node: u32, port: u16) -> Socket {
        let ports = Ports { from: port, to: 9, found: SocketId::NONE };
        let endpoint = Endpoint::Udp(Udp::new(1000, 28, false));
        Socket::new(NodeId(node), NodeId(9), ports, (FlowId(0), FlowId(0)), endpoint)
    }

    fn to(port: u16, found: u32) -> Ports {
        Ports { from: 1, to: port, found: SocketId(found) }
    }

    #[test]
    fn the_port_decides_and_the_hint_only_spares_the_search() {
        let mut all = Sockets::default();
        let mut nodes: [BoundSockets; 4] = Default::default();
        for (id, (node, port)) in [(3, 80), (1, 80), (1, 7)].into_iter().enumerate() {
            let id = SocketId(id as u32);
            all.add(id, socket(node, port));
            nodes[node as usize].bind(id, &all[id]);
        }
        let found = |node: u32, protocol, port, hint| {
            nodes[node as usize].find(NodeId(node), protocol, to(port, hint), &all).map(|id| id.0)
        };
        let find = |node, port, hint| found(node, Protocol::Udp, port, hint);
        for hint in [0, 1, 2, 17, u32::MAX] {
            assert_eq!([find(3, 80, hint), find(1, 80, hint), find(1, 7, hint)], [Some(0), Some(1), Some(2)]);
            assert_eq!([find(3, 7, hint), find(2, 80, hint)], [None, None]);
            assert_eq!(found(3, Protocol::Tcp, 80, hint), None, "another protocol");
        }
    }

    #[test]
    fn sources_that_fill_the_queue_wake_together() {
        let mut node = BoundSockets::default();
        assert!(node.refilling().is_empty() && !node.request_wakeup());
        for (id, refills) in [(4, true), (2, false), (1, true)] {
            let endpoint = Endpoint::Udp(Udp::new(1000, 28, refills));
            node.bind(SocketId(id), &Socket { endpoint, ..socket(0, 9 - id as u16) });
        }
        assert_eq!(node.refilling(), [SocketId(4), SocketId(1)]);
        assert_eq!([node.request_wakeup(), node.request_wakeup()], [true, false]);
        node.wake();
        assert!(node.request_wakeup());
    }

    #[test]
    fn sources_that_fill_the_queue_take_turns() {
        let mut node = BoundSockets::default();
        for id in 1..=3 {
            let endpoint = Endpoint::Udp(Udp::new(1000, 28, true));
            node.bind(SocketId(id), &Socket { endpoint, ..socket(0, id as u16) });
        }
        node.next_after(0);
        assert_eq!(node.refilling(), [SocketId(2), SocketId(3), SocketId(1)]);
        node.next_after(1);
        assert_eq!(node.refilling(), [SocketId(1), SocketId(2), SocketId(3)]);
        node.next_after(2);
        assert_eq!(node.refilling(), [SocketId(1), SocketId(2), SocketId(3)]);
    }

    #[test]
    fn a_timer_armed_anew_voids_its_expiry() {
        let mut socket = socket(0, 1);
        let first = socket.renew(Timer::Rto);
        assert!(socket.is_current(Timer::Rto, first));
        socket.renew(Timer::Rto);
        assert!(!socket.is_current(Timer::Rto, first));
    }
}
