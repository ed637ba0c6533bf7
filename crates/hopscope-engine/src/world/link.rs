//! Interface queue and MAC with a link layer between them.

use super::World;
use crate::event::Event;
use crate::ids::{FlowId, NodeId, PacketId};
use crate::iface::port::{Entry, PortEffect};
use crate::iface::{Interface, Wifi};
use crate::link::LinkLayer;
use crate::mac::MacRules;
use crate::mac::dcf::Frame;
use crate::packet::tcp::TcpSegment;
use crate::packet::{Body, Ecn, Notice, Packet};
use crate::phy::Arrival;
use crate::record::{Record, Recorder};

impl<R: Recorder> World<R> {
    /// The link layer of a node.
    #[inline]
    fn link(&mut self, node: NodeId) -> Option<&mut LinkLayer> {
        self.wifi[node].port.layer.as_deref_mut()
    }

    /// A packet reaches the interface queue of a node with a link layer.
    pub(super) fn enqueue_linked(&mut self, node: NodeId, id: PacketId) {
        let entry = self.entry(node, id);
        let mut out = std::mem::take(&mut self.port_effects);
        let joined = self.wifi[node].port.push(&entry, self.now, &mut out);
        self.port_effects(node, out);
        if joined {
            self.feed_mac(node);
        }
    }

    /// The packet that the MAC takes next from the queue of a node with a link layer.
    pub(super) fn next_linked(&mut self, node: NodeId) -> Option<PacketId> {
        let mut out = std::mem::take(&mut self.port_effects);
        let (packets, now) = (&self.packets, self.now);
        let Wifi { port, rules, .. } = &mut self.wifi[node];
        let next = port.pull(now, |id| entry(packets.get(id), id, rules), &mut out);
        self.port_effects(node, out);
        next
    }

    /// What the link layer of a node may know of a packet.
    fn entry(&self, node: NodeId, id: PacketId) -> Entry {
        entry(self.packets.get(id), id, &self.wifi[node].rules)
    }

    /// Carries out what a port wants done and keeps the emptied list.
    fn port_effects(&mut self, node: NodeId, mut effects: Vec<PortEffect>) {
        for effect in effects.drain(..) {
            match effect {
                PortEffect::Join(packet) => self.note(Record::Queued { node, via: Interface::WIFI, packet }),
                PortEffect::Drop(packet, reason) => self.drop_packet(node, packet, reason),
                PortEffect::Mark(packet, by) => {
                    self.packets.get_mut(packet).ecn = Ecn::Ce;
                    self.note(Record::Marked { node, packet, by });
                }
                PortEffect::Wake(at) => {
                    self.note(Record::HeldBack { node });
                    self.events.push(at, Event::Link { node });
                }
                PortEffect::Hold => self.note(Record::HeldBack { node }),
            }
        }
        self.port_effects = effects;
    }

    /// A segment passes a node: a gateway counts its flow and lowers the window that an ACK advertises.
    #[cold]
    pub(super) fn pass_gateway(&mut self, node: NodeId, flow: FlowId, segment: &mut TcpSegment) {
        let Some(gateway) = &mut self.nodes[node].gateway else { return };
        gateway.on_packet(flow, self.now);
        if segment.flags.ack && segment.len == 0 {
            segment.window = segment.window.min(gateway.window(self.flows[flow.index()].packet, self.now));
        }
    }

    /// A packet leaves a gateway.
    #[cold]
    pub(super) fn pass_gateway_down(&mut self, node: NodeId, id: PacketId) {
        let packet = *self.packets.get(id);
        if let Body::Tcp(mut segment) = packet.body {
            self.pass_gateway(node, packet.flow, &mut segment);
            self.packets.get_mut(id).body = Body::Tcp(segment);
        }
    }

    /// The MAC is done with a packet.
    pub(super) fn tell_link(&mut self, node: NodeId) {
        let Wifi { mac, port, .. } = &mut self.wifi[node];
        if let Some(layer) = &mut port.layer {
            layer.on_done(mac.last_retries());
        }
    }

    /// The layer of a node wanted to act now: its next packet may go, or an interval of its ends.
    pub(super) fn on_link_event(&mut self, node: NodeId) {
        let now = self.now;
        if let Some(tick) = self.link(node).and_then(|link| link.on_tick(now)) {
            self.events.push(tick.next, Event::Link { node });
            if let Some(notice) = tick.notice {
                self.send_notice(node, notice);
            }
        }
        self.feed_mac(node);
    }

    /// Tells the neighbours what they are to drop; goes in front of all data.
    fn send_notice(&mut self, node: NodeId, notice: Notice) {
        let Some(layer) = &self.wifi[node].port.layer else { return };
        let bytes = self.nodes[node].ip.header + layer.notice_bytes;
        let packet = Packet::new(node, NodeId::BROADCAST, bytes, 1, Body::Notice(notice), self.now);
        let id = self.admit(packet);
        self.enqueue(node, id);
    }

    /// A neighbour's notification has come.
    pub(super) fn on_notice(&mut self, node: NodeId, notice: Notice) {
        let now = self.now;
        if let Some(link) = self.link(node) {
            link.on_notice(notice, now);
        }
    }

    /// Layers that measure the use of the channel learn of a frame: its sender, and those that sense it unless the
    /// channel varies, where it is told copy by copy.
    pub(super) fn meter(&mut self, frame: &Frame) {
        if !self.wiring.metered {
            return;
        }
        let now = self.now;
        if let Some(layer) = &mut self.wifi[frame.src].port.layer {
            layer.on_air(now, now + frame.airtime);
        }
        if !(self.channel.is_plain() && self.outages.never()) {
            return;
        }
        for link in self.medium.hearers(frame.src) {
            if link.flags & Arrival::SENSED == 0 {
                continue;
            }
            if let Some(layer) = &mut self.wifi.at(link.place).port.layer {
                let start = now + link.delay();
                let mine = link.to == frame.dst && link.flags & Arrival::DECODABLE != 0;
                layer.on_sensed(start, start + frame.airtime, mine);
            }
        }
    }
}

/// What a link layer may know of a packet.
fn entry(packet: &Packet, id: PacketId, rules: &MacRules) -> Entry {
    let (is_control, is_bare, has_transport) = match packet.body {
        Body::Tcp(segment) => (false, segment.len == 0, true),
        Body::Udp { .. } | Body::Opaque { .. } => (false, false, true),
        Body::Arp { .. } => (false, true, false),
        Body::Aodv(_) | Body::Routing | Body::Notice(_) => (true, true, false),
    };
    Entry {
        packet: id,
        ends: (packet.src, packet.dst),
        bytes: packet.bytes,
        is_control,
        is_bare,
        has_transport,
        knows_ecn: packet.ecn != Ecn::NotEct,
        exchange: rules.exchange(packet.next_hop, packet.bytes),
    }
}
