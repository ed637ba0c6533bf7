//! Wires: packets enter the queue of an end, leave it one after the other, and arrive at the other end.

use super::World;
use crate::event::Event;
use crate::ids::PacketId;
use crate::packet::Packet;
use crate::record::{DropReason, Record, Recorder};
use crate::units::Span;

impl<R: Recorder> World<R> {
    /// A packet reaches the queue of an end.
    pub(super) fn enqueue_wire(&mut self, end: u32, id: PacketId) {
        let wire = &mut self.wires[end as usize];
        if wire.is_free() {
            self.send_wire(end, id);
            return;
        }
        let node = wire.node;
        match wire.port.queue.push(self.now, id, false) {
            Some(lost) => self.drop_packet(node, lost, DropReason::QueueFull),
            None => self.note(Record::Queued { node, via: self.packets.get(id).via, packet: id }),
        }
    }

    fn send_wire(&mut self, end: u32, id: PacketId) {
        let Packet { bytes, via, .. } = *self.packets.get(id);
        let wire = &mut self.wires[end as usize];
        let (node, sent) = (wire.node, wire.send(id, bytes, self.now));
        self.note(Record::WireBegan { node, via, packet: id, until: sent });
        self.events.push(sent, Event::WireSent { end });
    }

    /// Time that what is in the queue of an end and on its way out will take to leave.
    pub fn wire_backlog(&self, end: u32) -> Span {
        let wire = &self.wires[end as usize];
        let waiting = wire.port.queue.iter().map(|id| wire.service(self.packets.get(id).bytes));
        waiting.fold(wire.remaining(self.now), |sum, one| sum + one)
    }

    /// The last bit of a packet has left an end: the next one follows at once.
    pub(super) fn on_wire_sent(&mut self, end: u32) {
        let wire = &mut self.wires[end as usize];
        if let Some((packet, at)) = wire.on_sent(self.now) {
            self.events.push(at, Event::WireArrived { end, packet });
        }
        let node = wire.node;
        if let Some(next) = wire.port.queue.pop(self.now) {
            self.note(Record::Dequeued { node, via: self.packets.get(next).via, packet: next });
            self.send_wire(end, next);
        }
        self.refill(node, false);
    }

    /// A packet sent by an end has come to the node at the other.
    pub(super) fn on_wire_arrived(&mut self, end: u32, id: PacketId) {
        let wire = &self.wires[end as usize];
        let packet = self.packets.get_mut(id);
        packet.prev_hop = wire.node;
        packet.hops = packet.hops.saturating_add(wire.hops - 1);
        let (node, from) = (wire.peer, wire.node);
        self.note(Record::WireEnded { node, from, packet: id });
        self.receive(node, id);
    }
}
