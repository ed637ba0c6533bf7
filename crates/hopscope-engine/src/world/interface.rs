//! The interface of a radio: data frames that came in, address resolution, the queue, the link layer over it, and the
//! packet that the MAC takes next.

use super::World;
use super::work::Work;
use crate::record::{DropReason, Record, Recorder};
use hopscope_core::event::Event;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Span;
use hopscope_mac::frame::FrameKind;
use hopscope_net::iface::port::Entry;
use hopscope_net::iface::{Interface, Wifi};
use hopscope_net::net::arp;
use hopscope_net::net::arp::{ArpOutcome, Resolution};
use hopscope_packet::{Body, Notice, Packet};
use hopscope_tcp::endpoint::PathEvent;
impl<R: Recorder> World<R> {
    /// A data frame came in: the receiver gets its own copy of the packet.
    #[inline(always)]
    pub(super) fn on_data_frame(&mut self, node: NodeId, packet: PacketId, from: NodeId) {
        match self.packets.get(packet).body {
            // It ends here and changes nothing: no copy is needed.
            Body::Arp { target, reply } => self.on_arp(node, from, target, reply),
            Body::Notice(notice) => self.on_notice(node, notice),
            Body::Ethernet { .. } => self.on_ethernet(node, packet, from),
            Body::Tcp(_)
            | Body::Udp { .. }
            | Body::Dccp(_)
            | Body::Atp(_)
            | Body::Aodv(_)
            | Body::Routing
            | Body::PathNotice(_)
            | Body::Opaque { .. } => {
                let copy = self.packets.copy(packet);
                self.packets.get_mut(copy).prev_hop = from;
                self.note(Record::PacketCopied { node, packet, copy });
                self.link_up(node, copy);
            }
        }
    }

    /// A packet goes up from the link layer of a node.
    #[inline(always)]
    pub(super) fn link_up(&mut self, node: NodeId, packet: PacketId) {
        if self.wiring.link_delay == Span::ZERO {
            self.receive(node, packet);
        } else {
            self.events.push(self.now + self.wiring.link_delay, Event::LinkUp { node, packet });
        }
    }

    fn on_arp(&mut self, node: NodeId, from: NodeId, target: NodeId, reply: bool) {
        let Some(arp) = &mut self.nodes[node].arp else { return };
        let ArpOutcome { released, answers } = arp.on_packet(node, from, target, reply);
        if let Some(held) = released {
            self.link_down(node, held);
            // A source may have waited for the packet to leave.
            self.refill(self.stations.node(node), false);
        }
        if answers {
            self.send_arp(node, from, from, true);
        }
    }

    /// A neighbour's link layer says how much is to be dropped.
    fn on_notice(&mut self, node: NodeId, notice: Notice) {
        if let Some(layer) = &mut self.wifi[node].port.layer {
            layer.on_notice(notice, self.now);
        }
    }

    /// The link layer of a node wanted to act now: its next packet may go, or an interval of its ends.
    pub(super) fn on_link_event(&mut self, node: NodeId) {
        let layer = self.wifi[node].port.layer.as_mut();
        if let Some(tick) = layer.and_then(|layer| layer.on_tick(self.now)) {
            self.events.push(tick.next, Event::Link { node });
            if let Some(notice) = tick.notice {
                self.send_notice(node, notice);
            }
        }
        // Also without a tick: the wait that the layer's timer asked for is over.
        self.feed_mac(node);
    }

    /// A packet with its next hop goes to the interface: to the end of a wire, or to the radio by way of ARP where that
    /// is on.
    pub(super) fn resolve(&mut self, node: NodeId, id: PacketId) -> PathEvent {
        if let Some(gateway) = &mut self.nodes[node].gateway {
            gateway.pass(self.packets.get_mut(id), self.now);
        }
        let Packet { next_hop, via, .. } = *self.packets.get(id);
        // What is for a further radio alone does not concern wires.
        let is_for_wires = via & Packet::CHOSEN == 0 || via == Packet::CHOSEN | Interface::WIFI;
        if next_hop == NodeId::BROADCAST
            && is_for_wires
            && !self.wires.of(node).is_empty()
            && !self.broadcast_on_wires(node, id)
        {
            return PathEvent::Queued;
        }
        let via = self.nodes[node].interface_to(next_hop);
        if let Interface::Wire { end, .. } = self.nodes[node].interfaces[usize::from(via)] {
            self.packets.get_mut(id).via = via;
            return self.enqueue_wire(end, id);
        }
        if !self.stations.are_nodes() {
            return self.resolve_at_radios(node, id);
        }
        self.resolve_address(node, id)
    }

    /// A packet goes down at the station that it leaves by, to the station that takes it; by way of ARP where that is on.
    pub(super) fn resolve_address(&mut self, node: NodeId, id: PacketId) -> PathEvent {
        let next_hop = self.packets.get(id).next_hop;
        // A broadcast needs no address.
        let arp = self.nodes[node].arp.as_mut().filter(|_| next_hop != NodeId::BROADCAST);
        match arp.map_or(Resolution::Known, |arp| arp.resolve(next_hop, id)) {
            Resolution::Known => self.link_down(node, id),
            Resolution::Ask { dropped } => {
                self.note(Record::PacketHeld { node, packet: id, routed: true });
                if let Some(old) = dropped {
                    self.drop_packet(node, old, DropReason::ArpReplaced);
                }
                self.send_arp(node, NodeId::BROADCAST, next_hop, false);
                PathEvent::Held
            }
            Resolution::GiveUp { dropped } => {
                // As failed links: a routing protocol may know another neighbour.
                for packet in dropped.into_iter().chain([id]) {
                    self.work.push(Work::LinkFailed { node, packet, reason: DropReason::ArpUnresolved });
                }
                PathEvent::Held
            }
        }
    }

    fn send_arp(&mut self, node: NodeId, to: NodeId, target: NodeId, reply: bool) {
        let id = self.admit(arp::packet(node, to, target, reply, self.now));
        self.link_down(node, id);
    }

    fn link_down(&mut self, node: NodeId, packet: PacketId) -> PathEvent {
        self.note(Record::PacketRouted { node, packet });
        if self.wiring.link_delay == Span::ZERO {
            return self.enqueue(node, packet);
        }
        self.events.push(self.now + self.wiring.link_delay, Event::LinkDown { node, packet });
        PathEvent::Passing
    }

    /// A packet reaches the interface queue of the radio.
    pub(super) fn enqueue(&mut self, node: NodeId, id: PacketId) -> PathEvent {
        let Wifi { mac, port, edca, .. } = &self.wifi[node];
        if edca.is_some() {
            return self.enqueue_qos(node, id);
        }
        if port.layer.is_some() {
            return self.enqueue_linked(node, id);
        }
        // Past the queue, which counts only what waits in it.
        if mac.is_free() && port.queue.is_empty() {
            self.offer(node, id);
        } else {
            let priority = self.packets.get(id).body.is_control();
            let lost = self.wifi[node].port.queue.push(self.now, id, priority);
            if lost != Some(id) {
                self.note(Record::Queued { node, via: Interface::WIFI, packet: id });
            }
            if let Some(lost) = lost {
                self.drop_packet(node, lost, DropReason::QueueFull);
                if lost == id {
                    return PathEvent::Refused;
                }
            }
        }
        PathEvent::Queued
    }

    /// The same where a link layer looks at it first.
    fn enqueue_linked(&mut self, node: NodeId, id: PacketId) -> PathEvent {
        let Wifi { port, rules, .. } = &mut self.wifi[node];
        let packet = self.packets.get(id);
        let entry = Entry::of(packet, id, rules.exchange(packet.next_hop, packet.bytes));
        let mut out = std::mem::take(&mut self.port_effects);
        let joined = port.push(&entry, self.now, &mut out);
        let mut is_lost = self.port_effects(node, Interface::WIFI, out, id);
        if joined {
            // The layer may drop at the head what it has let in at the tail, when the MAC asks at once.
            is_lost |= self.feed_mac_with(node, id);
        }
        if is_lost { PathEvent::Refused } else { PathEvent::Queued }
    }

    /// The MAC pulls its next packet.
    pub(super) fn feed_mac(&mut self, node: NodeId) {
        if !self.is_free(node) {
            return;
        }
        let port = &mut self.wifi[node].port;
        let next = match port.layer {
            None => port.queue.pop(self.now),
            Some(_) => self.next_linked(node, PacketId::NONE).0,
        };
        self.offer_queued(node, next);
    }

    /// True when the MAC of a station without QoS can take a packet. A QoS station has taken all of them.
    #[inline(always)]
    fn is_free(&self, node: NodeId) -> bool {
        let Wifi { mac, edca, .. } = &self.wifi[node];
        edca.is_none() && mac.is_free()
    }

    /// The same right after `joined` has come into the queue below a link layer; true when that was dropped.
    fn feed_mac_with(&mut self, node: NodeId, joined: PacketId) -> bool {
        if !self.is_free(node) {
            return false;
        }
        let (next, is_lost) = self.next_linked(node, joined);
        self.offer_queued(node, next);
        is_lost
    }

    fn offer_queued(&mut self, node: NodeId, next: Option<PacketId>) {
        if let Some(next) = next {
            self.note(Record::Dequeued { node, via: Interface::WIFI, packet: next });
            self.offer(node, next);
        }
    }

    /// What the link layer chooses, and whether it has dropped `watched`.
    fn next_linked(&mut self, node: NodeId, watched: PacketId) -> (Option<PacketId>, bool) {
        let mut out = std::mem::take(&mut self.port_effects);
        let (packets, now) = (&self.packets, self.now);
        let Wifi { port, rules, .. } = &mut self.wifi[node];
        let view = |id| {
            let packet = packets.get(id);
            Entry::of(packet, id, rules.exchange(packet.next_hop, packet.bytes))
        };
        let next = port.pull(now, view, &mut out);
        let is_lost = self.port_effects(node, Interface::WIFI, out, watched);
        (next, is_lost)
    }

    #[inline(always)]
    fn offer(&mut self, node: NodeId, id: PacketId) {
        let packet = self.packets.get(id);
        let (to, bytes) = (packet.next_hop, packet.bytes);
        let kind = if self.wiring.is_management(packet) { FrameKind::Action } else { FrameKind::Data };
        // Asked for each packet: a layer paces only while it is quiet.
        let pacing = self.wifi[node].port.pacing();
        self.note(Record::Offered { node, packet: id });
        self.mac_input(node, |mac, cx| mac.offer_as(kind, (id, to, bytes), pacing, cx));
    }

    /// Notifies the neighbours of what they are to drop; goes in front of all data.
    fn send_notice(&mut self, node: NodeId, notice: Notice) {
        let Some(layer) = &self.wifi[node].port.layer else { return };
        let bytes = self.nodes[node].ip.header + layer.notice_bytes;
        let packet = Packet::new(node, NodeId::BROADCAST, bytes, 1, Body::Notice(notice), self.now);
        let id = self.admit(packet);
        self.enqueue(node, id);
    }

    /// The MAC is done with a packet.
    pub(super) fn notify_link_layer(&mut self, node: NodeId) {
        let Wifi { mac, port, .. } = &mut self.wifi[node];
        if let Some(layer) = &mut port.layer {
            layer.on_done(&mac.view(), self.now);
        }
    }
}
