//! Interface queue and MAC with a link layer between them.

use super::World;
use crate::event::Event;
use crate::ids::{NodeId, PacketId};
use crate::link::{Head, LinkLayer, Verdict};
use crate::packet::{Body, Ecn};
use crate::record::{DropReason, Record, Recorder};
use crate::units::Time;

impl<R: Recorder> World<R> {
    /// The link layer of a node.
    #[inline]
    fn link(&mut self, node: NodeId) -> Option<&mut LinkLayer> {
        self.links.get_mut(node.index())?.as_mut()
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
        let waiting = self.nets[node.index()].queue.len();
        if self.is_judged(id) {
            let service = self.rules.exchange(packet.next_hop, packet.bytes);
            let verdict = self.link(node).map_or(Verdict::Pass, |link| link.on_arrival(waiting, service, now));
            if !self.carry_out(node, Head { packet: id, verdict }) {
                return;
            }
        }
        if self.nets[node.index()].queue.is_full()
            && let Some(victim) = self.link(node).and_then(LinkLayer::gives_way)
            && let Some(victim) = self.nets[node.index()].queue.take(now, |waiting| waiting == victim)
        {
            self.drop_packet(node, victim, DropReason::QueueFull);
        }
        if self.join_queue(node, id, false)
            && let Some(link) = self.link(node)
        {
            link.on_joined(id, packet.src, packet.dst, packet.bytes, now);
        }
        self.feed_mac(node);
    }

    /// Puts a packet into the queue; false when it was dropped.
    fn join_queue(&mut self, node: NodeId, id: PacketId, priority: bool) -> bool {
        let Some(lost) = self.nets[node.index()].queue.push(self.now, id, priority) else { return true };
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
            let head = self.nets[node.index()].queue.head()?;
            let judged = self.is_judged(head);
            let routing = self.is_routing(head);
            let Some(link) = self.links[node.index()].as_mut().filter(|_| !routing) else {
                return self.nets[node.index()].queue.pop(now);
            };
            let ready = link.ready();
            if ready > now {
                self.wake_link(node, ready);
                return None;
            }
            let next = link.next(head, judged, now);
            self.nets[node.index()].queue.take(now, |waiting| waiting == next.packet)?;
            let emptied = self.nets[node.index()].queue.is_empty();
            if self.carry_out(node, next) {
                let packet = self.packets.get(next.packet);
                let bytes = packet.bytes;
                let exchange = self.rules.exchange(packet.next_hop, bytes);
                if let Some(link) = self.link(node) {
                    link.on_sent(bytes, exchange, now);
                    if emptied {
                        link.on_empty(now);
                    }
                }
                return Some(next.packet);
            }
            if emptied && let Some(link) = self.link(node) {
                link.on_empty(now);
            }
        }
    }

    /// True while the next packet of the node is to be followed by a longer back-off.
    pub(super) fn is_paced(&self, node: NodeId) -> bool {
        self.links.get(node.index()).and_then(Option::as_ref).is_some_and(LinkLayer::is_pacing)
    }

    /// The MAC is done with a packet.
    pub(super) fn tell_link(&mut self, node: NodeId) {
        let retries = self.macs[node.index()].last_retries();
        if let Some(link) = self.link(node) {
            link.on_done(retries);
        }
    }

    fn wake_link(&mut self, node: NodeId, at: Time) {
        let wakes = &mut self.link_wakes[node.index()];
        if *wakes != at {
            *wakes = at;
            self.events.push(at, Event::Link { node });
        }
    }

    /// True for a packet that the layer may mark or drop.
    fn is_judged(&self, id: PacketId) -> bool {
        match self.packets.get(id).body {
            Body::Tcp(segment) => self.wiring.link_acks || segment.len > 0,
            Body::Udp { .. } | Body::Opaque { .. } => true,
            Body::Arp { .. } | Body::Aodv(_) | Body::Routing => false,
        }
    }

    /// Marks or drops a packet as the layer wants; false when it is gone.
    fn carry_out(&mut self, node: NodeId, head: Head) -> bool {
        match head.verdict {
            Verdict::Pass => return true,
            Verdict::Mark if self.wiring.link_ecn => {
                let packet = self.packets.get_mut(head.packet);
                if packet.ecn != Ecn::NotEct {
                    packet.ecn = Ecn::Ce;
                    self.note(Record::Marked { node });
                    return true;
                }
            }
            Verdict::Mark | Verdict::Drop => {}
        }
        self.drop_packet(node, head.packet, DropReason::Early);
        false
    }
}
