//! Sockets: an endpoint with its address, and the table in which a packet finds its own by node, protocol and port.
//!
//! Ports that a flow does not name are assigned: at its source the lowest free one from [`FIRST_DYNAMIC`] on, at its
//! destination from 5001 on, for each protocol and node apart and in the order of the flows.

use std::collections::BTreeMap;

use super::{Endpoint, Timer};
use crate::config::FlowConfig;
use crate::error::BuildError;
use crate::event::GENERATION_MASK;
use crate::ids::{FlowId, NodeId, SocketId};
use crate::packet::{Body, Ports};

/// First port given to a source (RFC 6335 6, dynamic ports).
pub const FIRST_DYNAMIC: u16 = 49_152;
/// First port given to a destination (a default).
const FIRST_SERVICE: u16 = 5_001;

/// A transport protocol, as an IP header names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}

impl Protocol {
    /// The protocol of a packet that belongs to a transport.
    #[inline]
    pub fn of(body: &Body) -> Option<Protocol> {
        match body {
            Body::Tcp(_) => Some(Protocol::Tcp),
            Body::Udp { .. } => Some(Protocol::Udp),
            Body::Arp { .. } | Body::Aodv(_) | Body::Routing | Body::Notice(_) | Body::Opaque { .. } => None,
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
    /// The machine.
    pub endpoint: Endpoint,
    generations: [u32; Timer::COUNT],
}

impl Socket {
    /// A socket at `node` towards `peer`, for the data of a flow each way.
    pub fn new(node: NodeId, peer: NodeId, ports: Ports, flows: (FlowId, FlowId), endpoint: Endpoint) -> Self {
        let protocol = match endpoint {
            Endpoint::Tcp(_) => Protocol::Tcp,
            Endpoint::Udp(_) => Protocol::Udp,
        };
        let (sends, receives) = flows;
        Socket { node, peer, ports, sends, receives, protocol, endpoint, generations: [0; Timer::COUNT] }
    }

    /// A timer is armed anew or disarmed: what was pending of its kind is void. Gives the generation of the new expiry.
    pub fn renew(&mut self, timer: Timer) -> u32 {
        let generation = &mut self.generations[timer.index()];
        *generation = (*generation + 1) & GENERATION_MASK;
        *generation
    }

    /// An expiry of this generation is the one that the endpoint waits for.
    #[inline]
    pub fn is_current(&self, timer: Timer, generation: u32) -> bool {
        self.generations[timer.index()] == generation
    }

    #[inline]
    fn is_at(&self, node: NodeId, protocol: Protocol, port: u16) -> bool {
        self.node == node && self.ports.from == port && self.protocol == protocol
    }
}

/// All sockets of a network.
#[derive(Debug, Default)]
pub struct Sockets {
    all: Vec<Socket>,
    /// Address and number of each, in the order of the addresses.
    places: Vec<((NodeId, Protocol, u16), SocketId)>,
}

impl Sockets {
    /// Adds a socket under the number given, which is the next one.
    pub fn add(&mut self, id: SocketId, socket: Socket) {
        debug_assert_eq!(id.index(), self.all.len());
        self.places.push(((socket.node, socket.protocol, socket.ports.from), id));
        self.all.push(socket);
    }

    /// All have been added: packets can be looked up.
    pub fn seal(&mut self) {
        self.places.sort_unstable();
        debug_assert!(self.places.windows(2).all(|pair| pair[0].0 != pair[1].0), "a port in use twice");
    }

    /// The socket at `node` that a packet of `protocol` to these ports is for. Its sender may have found it before: then
    /// the packet names it, and only its address is compared.
    #[inline]
    pub fn find(&self, node: NodeId, protocol: Protocol, ports: Ports) -> Option<SocketId> {
        let found = match self.all.get(ports.found.index()) {
            Some(socket) if socket.is_at(node, protocol, ports.to) => Some(ports.found),
            _ => self.look_up(node, protocol, ports.to),
        };
        debug_assert_eq!(found, self.look_up(node, protocol, ports.to), "the port decides");
        found
    }

    fn look_up(&self, node: NodeId, protocol: Protocol, port: u16) -> Option<SocketId> {
        let place = self.places.binary_search_by_key(&(node, protocol, port), |(address, _)| *address).ok()?;
        Some(self.places[place].1)
    }

    /// Number of sockets.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// There is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

impl std::ops::Index<SocketId> for Sockets {
    type Output = Socket;

    #[inline]
    fn index(&self, id: SocketId) -> &Socket {
        &self.all[id.index()]
    }
}

impl std::ops::IndexMut<SocketId> for Sockets {
    #[inline]
    fn index_mut(&mut self, id: SocketId) -> &mut Socket {
        &mut self.all[id.index()]
    }
}

/// The ports of every flow, at its source and at its destination.
///
/// # Errors
/// A port that is none, or in use twice at one node and protocol, by the key that asks for it.
pub fn assign_ports(flows: &[FlowConfig]) -> Result<Vec<[u16; 2]>, BuildError> {
    let mut taken: BTreeMap<(u32, bool, u16), usize> = BTreeMap::new();
    for (number, flow) in flows.iter().enumerate() {
        for (name, node, port) in [("from_port", flow.from, flow.from_port), ("to_port", flow.to, flow.to_port)] {
            let key = || format!("flows.{number}.{name}");
            let Some(port) = port else { continue };
            let port = u16::try_from(port)
                .ok()
                .filter(|port| *port > 0)
                .ok_or_else(|| BuildError::new(key(), format!("found {port}; allowed are 1 to 65535")))?;
            if let Some(other) = taken.insert((node, flow.transport.is_tcp(), port), number) {
                let protocol = if flow.transport.is_tcp() { "TCP" } else { "UDP" };
                let message = format!("found {port}; flow {other} uses this {protocol} port of node {node} already");
                return Err(BuildError::new(key(), message));
            }
        }
    }
    let mut next: BTreeMap<(u32, bool, u16), u32> = BTreeMap::new();
    let mut assigned = Vec::with_capacity(flows.len());
    for (number, flow) in flows.iter().enumerate() {
        let tcp = flow.transport.is_tcp();
        let mut free = |name: &str, node: u32, given: Option<u32>, first: u16| {
            if let Some(port) = given {
                return Ok(port as u16);
            }
            let next = next.entry((node, tcp, first)).or_insert(u32::from(first));
            loop {
                let port = u16::try_from(*next).map_err(|_| {
                    let message = format!("node {node} has no port left for it, from {first} on");
                    BuildError::new(format!("flows.{number}.{name}"), message)
                })?;
                *next += 1;
                if let std::collections::btree_map::Entry::Vacant(entry) = taken.entry((node, tcp, port)) {
                    entry.insert(number);
                    return Ok(port);
                }
            }
        };
        let from = free("from_port", flow.from, flow.from_port, FIRST_DYNAMIC)?;
        let to = free("to_port", flow.to, flow.to_port, FIRST_SERVICE)?;
        assigned.push([from, to]);
    }
    Ok(assigned)
}

#[cfg(test)]
mod tests {
    use super::super::udp::Udp;
    use super::*;
    use crate::config::{App, Transport, presets};

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
        let mut sockets = Sockets::default();
        for (id, (node, port)) in [(3, 80), (1, 80), (1, 7)].into_iter().enumerate() {
            sockets.add(SocketId(id as u32), socket(node, port));
        }
        sockets.seal();
        let find = |node, port, hint| sockets.find(NodeId(node), Protocol::Udp, to(port, hint)).map(|id| id.0);
        for hint in [0, 1, 2, 17, u32::MAX] {
            assert_eq!([find(3, 80, hint), find(1, 80, hint), find(1, 7, hint)], [Some(0), Some(1), Some(2)]);
            assert_eq!([find(3, 7, hint), find(2, 80, hint)], [None, None]);
            assert_eq!(sockets.find(NodeId(3), Protocol::Tcp, to(80, hint)), None, "another protocol");
        }
    }

    #[test]
    fn a_timer_armed_anew_voids_its_expiry() {
        let mut socket = socket(0, 1);
        let first = socket.renew(Timer::Rto);
        assert!(socket.is_current(Timer::Rto, first));
        socket.renew(Timer::Rto);
        assert!(!socket.is_current(Timer::Rto, first));
    }

    fn flow(from: u32, to: u32, transport: Transport, ports: [Option<u32>; 2]) -> FlowConfig {
        let tcp = presets::base("standard", "wavelan-2M").expect("a profile").tcp;
        let text = serde_json::json!({
            "from": from, "to": to, "transport": transport, "app": App::Bulk, "packet": 1000, "max_window": 4,
            "start": 0, "ack": "every", "ack_delay": 1, "tcp": tcp, "from_port": ports[0], "to_port": ports[1],
        });
        serde_json::from_value(text).expect("a flow")
    }

    #[test]
    fn ports_are_assigned_around_those_given() {
        let flows = [
            flow(0, 1, Transport::Tcp, [None, None]),
            flow(0, 1, Transport::Tcp, [Some(49_153), None]),
            flow(0, 1, Transport::TcpCubic, [None, Some(80)]),
            flow(0, 1, Transport::Udp, [None, None]),
            flow(1, 0, Transport::Tcp, [None, None]),
        ];
        let found = assign_ports(&flows).expect("ports enough");
        assert_eq!(found, [[49_152, 5_001], [49_153, 5_002], [49_154, 80], [49_152, 5_001], [49_152, 5_001]]);
    }

    #[test]
    fn a_port_in_use_twice_is_refused_by_name() {
        let refused = |flows: &[FlowConfig]| assign_ports(flows).expect_err("refused").to_string();
        let twice = |tcp| [flow(0, 1, Transport::Tcp, [None, Some(80)]), flow(2, 1, tcp, [None, Some(80)])];
        let error = refused(&twice(Transport::TcpVegas));
        assert!(error.contains("flows.1.to_port") && error.contains("flow 0 uses this TCP port of node 1"), "{error}");
        assert!(assign_ports(&twice(Transport::Udp)).is_ok(), "another protocol");
        // The two ends of different flows share the ports of a node.
        let error =
            refused(&[flow(0, 1, Transport::Tcp, [Some(7), None]), flow(1, 0, Transport::Tcp, [None, Some(7)])]);
        assert!(error.contains("flows.1.to_port"), "{error}");
        for port in [0, 65_536] {
            let error = refused(&[flow(0, 1, Transport::Tcp, [Some(port), None])]);
            assert!(error.contains("flows.0.from_port") && error.contains("1 to 65535"), "{error}");
        }
        let many: Vec<_> = (0..16_385).map(|_| flow(0, 1, Transport::Udp, [None, None])).collect();
        let error = refused(&many);
        assert!(error.contains("flows.16384.from_port") && error.contains("no port left"), "{error}");
    }
}
