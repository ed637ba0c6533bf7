//! Interface queue and MAC with a link layer between them.

use super::World;
use crate::config::link::LinkPart;
use crate::event::Event;
use crate::ids::{FlowId, NodeId, PacketId};
use crate::iface::Wifi;
use crate::link::{Judgement, LinkLayer, Notice, Verdict};
use crate::mac::Pacing;
use crate::mac::dcf::Frame;
use crate::packet::tcp::TcpSegment;
use crate::packet::{Body, Ecn, Packet};
use crate::phy::Arrival;
use crate::record::{DropReason, Record, Recorder};
use crate::units::Time;

impl<R: Recorder> World<R> {
    /// The link layer of a node.
    #[inline]
    fn link(&mut self, node: NodeId) -> Option<&mut LinkLayer> {
        self.wifi[node].port.layer.as_deref_mut()
    }

    /// A packet reaches the interface queue of a node with a link layer.
    pub(super) fn enqueue_linked(&mut self, node: NodeId, id: PacketId) {
        let now = self.now;
        if self.is_routing(id) {
            self.join_queue(node, id, true);
            self.feed_mac(node);
            return;
        }
        let packet = *self.packets.get(id);
        let waiting = self.wifi[node].port.queue.len();
        let judges = self.link(node).is_some_and(|link| link.judges_arrivals());
        if judges && self.is_judged(node, id) {
            let service = self.rules.of(self.wifi[node].rules).exchange(packet.next_hop, packet.bytes);
            let judgement = self.link(node).map_or(Judgement::default(), |link| link.on_arrival(waiting, service, now));
            if !self.carry_out(node, id, judgement) {
                return;
            }
        }
        if self.wifi[node].port.queue.is_full() {
            if let Some(victim) = self.link(node).and_then(LinkLayer::gives_way) {
                if let Some(victim) = self.wifi[node].port.queue.take(now, |waiting| waiting == victim) {
                    self.drop_packet(node, victim, DropReason::QueueFull);
                }
            }
        }
        if self.join_queue(node, id, false) {
            if let Some(link) = self.link(node) {
                link.on_joined(id, packet.src, packet.dst, packet.bytes, now);
            }
        }
        self.feed_mac(node);
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

    /// Puts a packet into the queue; false when it was dropped.
    fn join_queue(&mut self, node: NodeId, id: PacketId, priority: bool) -> bool {
        let Some(lost) = self.wifi[node].port.queue.push(self.now, id, priority) else { return true };
        self.forget_waiting(node, lost);
        self.drop_packet(node, lost, DropReason::QueueFull);
        lost != id
    }

    /// A packet has left the queue without going to the MAC.
    pub(super) fn forget_waiting(&mut self, node: NodeId, id: PacketId) {
        if let Some(link) = self.link(node) {
            link.on_taken(id);
        }
    }

    /// The packet that the MAC takes next from the queue of a node with a link layer.
    pub(super) fn next_linked(&mut self, node: NodeId) -> Option<PacketId> {
        let now = self.now;
        loop {
            let head = self.wifi[node].port.queue.head()?;
            let routing = self.is_routing(head);
            let Some(link) = self.wifi[node].port.layer.as_mut().filter(|_| !routing) else {
                return self.wifi[node].port.queue.pop(now);
            };
            let ready = link.ready();
            if ready > now {
                self.note(Record::HeldBack { node });
                self.wake_link(node, ready);
                return None;
            }
            let next = link.next(head, now);
            let judgement = match self.is_judged(node, next.packet) {
                true => self.link(node).map_or(next.judgement, |link| link.judge_next(next.judgement)),
                false => next.judgement,
            };
            self.wifi[node].port.queue.take(now, |waiting| waiting == next.packet)?;
            let emptied = self.wifi[node].port.queue.is_empty();
            if self.carry_out(node, next.packet, judgement) {
                let packet = self.packets.get(next.packet);
                let bytes = packet.bytes;
                let exchange = self.rules.of(self.wifi[node].rules).exchange(packet.next_hop, bytes);
                if let Some(link) = self.link(node) {
                    link.on_sent(bytes, exchange, now);
                    if emptied {
                        link.on_empty(now);
                    }
                }
                return Some(next.packet);
            }
            if emptied {
                if let Some(link) = self.link(node) {
                    link.on_empty(now);
                }
            }
        }
    }

    /// How the next packet of the node is to be followed by a longer back-off; none: it is not.
    pub(super) fn pacing(&self, node: NodeId) -> Option<Pacing> {
        self.wifi[node].port.layer.as_ref()?.pacing()
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
        let bytes = self.wiring.ip_header + layer.notice_bytes;
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

    fn wake_link(&mut self, node: NodeId, at: Time) {
        let wakes = &mut self.wifi[node].port.wake;
        if *wakes != at {
            *wakes = at;
            self.events.push(at, Event::Link { node });
        }
    }

    /// True for a packet that the layer of the node, if it has one, may mark or drop.
    fn is_judged(&self, node: NodeId, id: PacketId) -> bool {
        let Some(layer) = &self.wifi[node].port.layer else { return false };
        match self.packets.get(id).body {
            Body::Tcp(segment) => layer.acks || segment.len > 0,
            Body::Udp { .. } | Body::Opaque { .. } => true,
            Body::Arp { .. } | Body::Aodv(_) | Body::Routing | Body::Notice(_) => false,
        }
    }

    /// Marks or drops a packet as the layer wants; false when it is gone.
    fn carry_out(&mut self, node: NodeId, id: PacketId, judgement: Judgement) -> bool {
        let Some((verdict, by)) = judgement.verdict() else { return true };
        if verdict == Verdict::Mark && self.wifi[node].port.layer.as_ref().is_some_and(|layer| layer.ecn) {
            let packet = self.packets.get_mut(id);
            if packet.ecn != Ecn::NotEct {
                packet.ecn = Ecn::Ce;
                self.note(Record::Marked { node, packet: id, by });
                return true;
            }
        }
        self.drop_packet(node, id, early(by));
        false
    }
}

/// The reason of a drop by a part of the layer.
fn early(by: LinkPart) -> DropReason {
    match by {
        LinkPart::Red => DropReason::EarlyRed,
        LinkPart::Nred => DropReason::EarlyNred,
        LinkPart::Lred => DropReason::EarlyLred,
        LinkPart::Codel => DropReason::EarlyCodel,
        LinkPart::FqCodel => DropReason::EarlyFqCodel,
        LinkPart::Timer | LinkPart::Pacing => unreachable!("they judge no packet"),
    }
}
