//! The doors of the network: where packets with octets come in from outside, and how they come out.
//!
//! A packet is handed in with a destination and takes routes, queues, wires and the air as any other ([`World::inject`]). An
//! Ethernet frame is handed to the link layer of a node for a neighbour or for all ([`World::offer_frame`]), past routing and address
//! resolution: real stacks have chosen the next hop themselves. It ends where it is received. What the octets mean is not looked at.
//!
//! [`Doorkeeper`] observes what comes out and what is lost, and lets the run pause where something comes out, so that the caller
//! can answer at that very instant.

use super::graph::Graph;
use super::listeners::Listeners;
use super::{DropReason, Record, Recorder, World};
use crate::record::{Classes, NetworkView};
use hopscope_core::error::BuildError;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Time;
use hopscope_mac::dcf::Outcome;
use hopscope_net::routing::Forwarding;
use hopscope_net::routing::fixed::InstalledRoute;
use hopscope_packet::{Body, Packet};

/// Octets of the header of an Ethernet frame: two addresses and the EtherType (IEEE 802.3-2022 3.1.1).
pub const ETHERNET_HEADER: usize = 14;

/// What the doors have to keep in mind.
#[derive(Debug, Default)]
pub(super) struct EntryPoints {
    /// Packets and frames that have come in.
    entered: u64,
    /// A frame has been offered: since then all nodes listen.
    are_open: bool,
}

impl<R: Recorder> World<R> {
    /// Hands a packet with octets (network header included) from outside to `node` for `dst`, now, and gives its
    /// number. Under static routes, nodes that nothing led through before begin to listen at this instant.
    ///
    /// # Errors
    /// When a node does not exist, no way leads to `dst`, or there are more octets than the MAC takes.
    pub fn inject(&mut self, node: NodeId, dst: NodeId, octets: &[u8]) -> Result<u64, BuildError> {
        self.inject_for(node, dst, octets, 0)
    }

    /// The same for a packet that takes at most `ttl` hops; 0: as many as any other.
    ///
    /// # Errors
    /// As [`inject`](Self::inject).
    pub fn inject_for(&mut self, node: NodeId, dst: NodeId, octets: &[u8], ttl: u8) -> Result<u64, BuildError> {
        self.check_octets("octets", octets, 0)?;
        self.check_node("node", node)?;
        self.check_node("dst", dst)?;
        self.lead_to(node, dst)?;
        let number = self.enter(octets);
        let packet = Packet::new(node, dst, octets.len() as u32, 0, Body::Opaque { number }, self.now);
        let usual = self.nodes[node].ip.ttl;
        // `originate` takes the node's own; it is put back below.
        self.nodes[node].ip.ttl = if ttl > 0 { ttl } else { usual };
        self.originate(packet);
        self.nodes[node].ip.ttl = usual;
        self.work_off();
        Ok(number)
    }

    /// Hands an Ethernet frame (header included, without check sequence) to the link layer of `node` for the neighbour `to`, or for
    /// all, now, and gives its number. In place of its header the headers of 802.11 and LLC count on the air. `dscp` is
    /// the service class that a QoS station goes by, 0 to 63.
    ///
    /// From the first frame on all nodes listen.
    ///
    /// # Errors
    /// When a node does not exist or has no radio, the frame is for the node itself, or it is longer than the MAC takes.
    pub fn offer_frame(&mut self, node: NodeId, to: NodeId, frame: &[u8], dscp: u8) -> Result<u64, BuildError> {
        self.check_octets("frame", frame, ETHERNET_HEADER)?;
        self.check_node("node", node)?;
        if to != NodeId::BROADCAST {
            self.check_node("to", to)?;
        }
        if !self.radios.has(node) {
            return Err(BuildError::new("node", format!("node {node} has no radio")));
        }
        if to == node {
            return Err(BuildError::new("to", format!("node {node} has no link to itself")));
        }
        if !self.entry_points.are_open {
            self.entry_points.are_open = true;
            self.set_all_listen();
        }
        let number = self.enter(frame);
        let bytes = (frame.len() - ETHERNET_HEADER) as u32;
        let packet = Packet::new(node, to, bytes, 1, Body::Ethernet { number }, self.now);
        let id = self.admit(Packet { dscp, ..packet });
        self.note(Record::PacketRouted { node, packet: id });
        self.enqueue(node, id);
        self.work_off();
        Ok(number)
    }

    /// Octets of the longest frame that [`offer_frame`](Self::offer_frame) takes.
    pub fn longest_frame(&self) -> usize {
        ETHERNET_HEADER + self.wiring.max_packet as usize
    }

    /// Keeps what comes in and gives its number.
    fn enter(&mut self, octets: &[u8]) -> u64 {
        let number = self.entry_points.entered;
        self.entry_points.entered += 1;
        self.packets.keep_octets(number, octets.into());
        number
    }

    /// There are octets behind so many of a header, and the MAC takes them.
    fn check_octets(&self, key: &str, octets: &[u8], header: usize) -> Result<(), BuildError> {
        let (found, least, most) = (octets.len(), header + 1, header + self.wiring.max_packet as usize);
        let message = || format!("found {found}; allowed are {least} to {most} octets");
        if (least..=most).contains(&found) { Ok(()) } else { Err(BuildError::new(key, message())) }
    }

    fn check_node(&self, key: &str, node: NodeId) -> Result<(), BuildError> {
        let nodes = self.nodes();
        if node.index() < nodes { Ok(()) } else { Err(BuildError::no_such_node(key, node, nodes)) }
    }

    /// A way leads from `node` to `dst`: under static routes one is installed where there is none.
    fn lead_to(&mut self, node: NodeId, dst: NodeId) -> Result<(), BuildError> {
        let Forwarding::Static(table) = &self.nodes[node].forwarding else { return Ok(()) };
        if table.lookup(dst).is_some() {
            return Ok(());
        }
        // Nodes may have moved since their links were last looked at.
        self.medium.refresh_all(self.now);
        let mut graph = Graph::new(&self.medium, &self.wires, &self.radios, &self.stations).by_metric(&self.settings);
        let mut installed = Vec::new();
        let on_entry = |entry| installed.push(entry);
        // Entries are collected, as records need the world that the search holds.
        if self.routes.install_with(&mut graph, &mut self.nodes, (node, dst), on_entry).is_none() {
            return Err(BuildError::new("dst", format!("no way leads from node {node} to node {dst}")));
        }
        for InstalledRoute { node, next_hop, hops } in installed {
            self.note(Record::RouteInstalled { node, dst, next_hop, hops });
        }
        // Where everyone listens already, nobody can join.
        if !self.entry_points.are_open && matches!(self.listeners, Listeners::Some { .. }) {
            self.announce_to(self.radios.that_may_act(&self.nodes, &self.stations));
        }
        Ok(())
    }

    /// A frame from outside has come in: it ends here.
    #[cold]
    pub(super) fn on_ethernet(&mut self, node: NodeId, packet: PacketId, from: NodeId) {
        let copy = self.copy_for(node, packet, from);
        self.hand_out(node, copy);
    }

    /// A node's own copy of a frame from outside comes out.
    #[cold]
    pub(super) fn hand_out(&mut self, node: NodeId, copy: PacketId) {
        self.packets.get_mut(copy).hops += 1;
        self.note(Record::PacketReceived { node, packet: copy });
        self.note(Record::PacketArrived { node, packet: copy });
        self.packets.release(copy);
    }
}

/// A packet or frame from outside that has come out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub at: Time,
    /// Where: its destination, or a receiver of a frame.
    pub node: NodeId,
    /// Where it came in.
    pub from: NodeId,
    /// Hops it travelled.
    pub hops: u8,
    /// The number that it was given where it came in.
    pub number: u64,
    /// It was for all, and each receiver has an arrival of its own.
    pub is_broadcast: bool,
    /// What was handed in.
    pub octets: Box<[u8]>,
}

/// A packet or frame from outside that a node has dropped. Who has missed the ACK of one that has arrived drops it as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// When.
    pub at: Time,
    /// Where.
    pub node: NodeId,
    /// The number that it was given where it came in.
    pub number: u64,
    /// Why.
    pub reason: DropReason,
}

/// Keeps what comes out of the doors, and what is lost behind them, until it is taken.
#[derive(Debug, Default)]
pub struct Doorkeeper {
    /// What has come out, in order.
    pub arrived: Vec<Arrival>,
    /// What was dropped, in order.
    pub lost: Vec<Loss>,
    /// Frames for all that have been on the air.
    pub sent: Vec<u64>,
    pauses: bool,
}

impl Doorkeeper {
    /// One that has the run pause while something that came out waits to be taken: right after the event that brought it.
    pub fn pausing() -> Self {
        Doorkeeper { pauses: true, ..Self::default() }
    }

    /// What there is so far; it begins anew.
    pub fn take(&mut self) -> Doorkeeper {
        let anew = Doorkeeper { pauses: self.pauses, ..Self::default() };
        std::mem::replace(self, anew)
    }
}

impl Recorder for Doorkeeper {
    const WANTS: Classes = Classes::PACKETS.and(Classes::DROPS).and(Classes::MAC);

    #[inline]
    fn goes_on(&self) -> bool {
        !self.pauses || self.arrived.is_empty()
    }

    fn record(&mut self, at: Time, record: &Record, view: &mut impl NetworkView) {
        match *record {
            Record::PacketArrived { node, packet } => {
                let packet = view.packet(packet);
                if let Some(number) = packet.body.outside() {
                    let is_broadcast = packet.dst == NodeId::BROADCAST;
                    let octets = view.octets(packet).into();
                    let Packet { src: from, hops, .. } = *packet;
                    self.arrived.push(Arrival { at, node, from, hops, number, is_broadcast, octets });
                }
            }
            // Of a frame in parts that stopped coming its transmitter still has the whole.
            Record::Dropped { reason: DropReason::Reassembly, .. } => {}
            Record::Dropped { node, packet, reason } => {
                let number = view.packet(packet).body.outside();
                self.lost.extend(number.map(|number| Loss { at, node, number, reason }));
            }
            Record::ExchangeEnded { packet, outcome: Outcome::Sent, .. } => {
                let packet = view.packet(packet);
                self.sent.extend(packet.body.outside().filter(|_| packet.dst == NodeId::BROADCAST));
            }
            _ => {}
        }
    }
}
