//! The ends of wires: packets that arrive, the queue of an end, and its transmitter.

use super::World;
use crate::record::{DropReason, Record, Recorder};
use hopscope_core::event::Event;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_net::iface::port::Entry;
use hopscope_net::iface::{Interface, port, wire};
use hopscope_packet::Packet;
use hopscope_tcp::endpoint::PathEvent;
impl<R: Recorder> World<R> {
    /// The last bit of a packet has come to the far end of a wire, unless the wire has lost it.
    #[inline]
    pub(super) fn on_wire_arrived(&mut self, end: u32, packet: PacketId) {
        let wire = &mut self.wires[end];
        let (node, from) = (wire.peer, wire.node);
        // At the far end: what is lost has taken the wire's time all the same.
        if wire.loses_next() {
            self.drop_packet(from, packet, DropReason::WireLoss);
            return;
        }
        wire.hand_over(self.packets.get_mut(packet));
        self.note(Record::WireEnded { node, from, packet });
        self.receive(node, packet);
    }

    /// The last bit of a packet has left the end of a wire: the next one follows at once.
    pub(super) fn on_wire_sent(&mut self, end: u32) {
        let wire = &mut self.wires[end];
        let node = wire.node;
        if let Some((packet, at)) = wire.on_sent(self.now) {
            if let Some(layer) = &mut wire.port.layer {
                layer.on_left(self.now);
            }
            self.events.push(at, Event::WireArrived { end, packet });
            let via = self.packets.get(packet).via;
            self.feed_wire(end, via);
        }
        // After the next packet has left the queue: a source may fill its place.
        self.refill(node, false);
    }

    /// A broadcast leaves by every wire of the node, a copy by each; false when the node has no radio, and the packet
    /// is gone.
    #[cold]
    pub(super) fn broadcast_on_wires(&mut self, node: NodeId, id: PacketId) -> bool {
        for place in 0..self.nodes[node].interfaces.len() as u8 {
            if let Interface::Wire { end, .. } = self.nodes[node].interfaces[usize::from(place)] {
                // Each wire may lose its own.
                let copy = self.packets.copy(id);
                self.note(Record::PacketCopied { node, packet: id, copy });
                self.packets.get_mut(copy).via = place;
                self.enqueue_wire(end, copy);
            }
        }
        let has_radio = self.radios.has(node);
        if !has_radio {
            self.packets.release(id);
        }
        has_radio
    }

    /// A packet reaches the queue of the end of a wire.
    pub(super) fn enqueue_wire(&mut self, end: u32, id: PacketId) -> PathEvent {
        let Packet { bytes, via, .. } = *self.packets.get(id);
        let wire = &mut self.wires[end];
        // Past the queue, as at the radio: it counts only what waits.
        if wire.port.layer.is_none() && wire.is_free() {
            self.send_wire(end, id);
            return PathEvent::Queued;
        }
        let node = wire.node;
        let entry = Entry::of(self.packets.get(id), id, wire.service(bytes));
        let mut out = std::mem::take(&mut self.port_effects);
        wire.port.push(&entry, self.now, &mut out);
        wire.sent.dropped += port::drops(&out);
        let is_lost = self.port_effects(node, via, out, id);
        if self.feed_wire_with(end, via, id) || is_lost { PathEvent::Refused } else { PathEvent::Queued }
    }

    /// The transmitter of an end takes its next packet, if it is free.
    fn feed_wire(&mut self, end: u32, via: u8) {
        self.feed_wire_with(end, via, PacketId::NONE);
    }

    /// The same; true when the link layer has dropped `watched`.
    fn feed_wire_with(&mut self, end: u32, via: u8, watched: PacketId) -> bool {
        let World { wires, packets, now, port_effects, .. } = self;
        let wire = &mut wires[end];
        if !wire.is_free() {
            return false;
        }
        let (node, rate) = (wire.node, wire.rate());
        let view = |id| {
            let packet = packets.get(id);
            Entry::of(packet, id, wire::service(packet.bytes, rate))
        };
        let mut out = std::mem::take(port_effects);
        let next = wire.port.pull(*now, view, &mut out);
        wire.sent.dropped += port::drops(&out);
        let is_lost = self.port_effects(node, via, out, watched);
        if let Some(next) = next {
            self.note(Record::Dequeued { node, via, packet: next });
            self.send_wire(end, next);
        }
        is_lost
    }

    fn send_wire(&mut self, end: u32, id: PacketId) {
        let Packet { bytes, via, .. } = *self.packets.get(id);
        let wire = &mut self.wires[end];
        let (node, sent) = (wire.node, wire.send(id, bytes, self.now));
        self.note(Record::WireBegan { node, via, packet: id, until: sent });
        self.events.push(sent, Event::WireSent { end });
    }
}
