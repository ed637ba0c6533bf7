//! Nodes with several radios: packets on their way between a node and its stations.
//!
//! Above the interfaces a packet names nodes; from the interface down it names stations. It leaves by the radio that routing
//! has chosen, or by the first one that hears the next hop.

use super::World;
use super::work::Work;
use crate::record::{DropReason, Record, Recorder};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_net::iface::Interface;
use hopscope_packet::Packet;
use hopscope_tcp::endpoint::PathEvent;

impl<R: Recorder> World<R> {
    /// Routing wants a packet to leave by this radio of its node.
    pub(super) fn choose_radio(&mut self, id: PacketId, radio: u8) {
        if !self.stations.are_nodes() {
            self.packets.get_mut(id).via = radio | Packet::CHOSEN;
        }
    }

    /// A packet with its next hop goes to the radio that it leaves by; a broadcast that asks for none leaves by all, a copy
    /// by each.
    #[cold]
    pub(super) fn resolve_at_radios(&mut self, node: NodeId, id: PacketId) -> PathEvent {
        let Packet { next_hop, via, .. } = *self.packets.get(id);
        if next_hop == NodeId::BROADCAST && via & Packet::CHOSEN != 0 {
            self.packets.get_mut(id).via = Interface::WIFI;
            let station = self.stations.radio(node, via & !Packet::CHOSEN).unwrap_or(node);
            return self.resolve_address(station, id);
        }
        if next_hop == NodeId::BROADCAST {
            for station in self.stations.of(node).skip(1) {
                let copy = self.packets.copy(id);
                self.note(Record::PacketCopied { node: station, packet: id, copy });
                self.resolve_address(station, copy);
            }
            return self.resolve_address(node, id);
        }
        let Some((station, peer)) = self.stations_towards(node, next_hop, via) else {
            self.work.push(Work::LinkFailed { node, packet: id, reason: DropReason::NoRoute });
            return PathEvent::NoRoute;
        };
        let packet = self.packets.get_mut(id);
        (packet.next_hop, packet.via) = (peer, Interface::WIFI);
        self.resolve_address(station, id)
    }

    /// The station of a node that a packet leaves by and that of the neighbour that takes it: by the radio that is asked for, or
    /// else by the first that decodes the neighbour, or has its channel.
    fn stations_towards(&self, node: NodeId, next_hop: NodeId, via: u8) -> Option<(NodeId, NodeId)> {
        let pair = |station| Some((station, self.stations.peer(station, next_hop)?));
        if via & Packet::CHOSEN != 0 {
            return self.stations.radio(node, via & !Packet::CHOSEN).and_then(pair);
        }
        let hears = |&(station, peer): &(NodeId, NodeId)| self.medium.decodes(station, peer, self.now);
        let mut pairs = self.stations.of(node).filter_map(pair);
        pairs.clone().find(hears).or_else(|| pairs.next())
    }

    /// A packet leaves the station that it came up or was given up at; gives the node. From here on its neighbours are nodes.
    #[cold]
    pub(super) fn leave_station(&mut self, station: NodeId, id: PacketId) -> NodeId {
        let packet = self.packets.get_mut(id);
        packet.prev_hop = self.stations.node(packet.prev_hop);
        packet.next_hop = self.stations.node(packet.next_hop);
        packet.via = self.stations.number(station);
        self.stations.node(station)
    }

    /// Takes the first packet that waits for a neighbour out of the queue of any of a node's radios.
    #[cold]
    pub(super) fn take_waiting_at_radios(&mut self, node: NodeId, next_hop: NodeId) -> Option<PacketId> {
        self.stations.of(node).find_map(|station| {
            let peer = self.stations.peer(station, next_hop)?;
            let packets = &self.packets;
            self.wifi[station].take_waiting(self.now, |id| packets.get(id).next_hop == peer)
        })
    }

    /// The radio by which packets of a node for `peer` leave, as far as static routes say.
    pub(super) fn radio_towards(&self, node: NodeId, peer: NodeId) -> NodeId {
        if self.stations.are_nodes() {
            return node;
        }
        let next_hop = self.next_hop(node, peer);
        let pair = next_hop.and_then(|next_hop| self.stations_towards(node, next_hop, Interface::WIFI));
        pair.map_or(node, |(station, _)| station)
    }

    /// True when two nodes decode each other on some channel.
    pub(super) fn are_joined(&self, a: NodeId, b: NodeId) -> bool {
        let hears = |from, to| self.medium.decodes(from, to, self.now);
        self.stations
            .of(a)
            .any(|own| self.stations.peer(own, b).is_some_and(|peer| hears(own, peer) && hears(peer, own)))
    }
}
