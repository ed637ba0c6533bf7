//! Wires: packets enter the queue of an end, leave it one after the other, and arrive at the other end.

use super::World;
use crate::event::Event;
use crate::ids::PacketId;
use crate::record::{DropReason, Recorder};
use crate::units::Span;

impl<R: Recorder> World<R> {
    /// A packet reaches the queue of an end.
    pub(super) fn enqueue_wire(&mut self, end: u32, id: PacketId) {
        let wire = &mut self.wires[end as usize];
        if wire.is_free() {
            self.send_wire(end, id);
        } else if let Some(lost) = wire.port.queue.push(self.now, id, false) {
            let node = wire.node;
            self.drop_packet(node, lost, DropReason::QueueFull);
        }
    }

    fn send_wire(&mut self, end: u32, id: PacketId) {
        let bytes = self.packets.get(id).bytes;
        let sent = self.wires[end as usize].send(id, bytes, self.now);
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
        if let Some(next) = wire.port.queue.pop(self.now) {
            self.send_wire(end, next);
        }
        self.refill(self.wires[end as usize].node, false);
    }

    /// A packet sent by an end has come to the node at the other.
    pub(super) fn on_wire_arrived(&mut self, end: u32, id: PacketId) {
        let wire = &self.wires[end as usize];
        let packet = self.packets.get_mut(id);
        packet.prev_hop = wire.node;
        packet.hops = packet.hops.saturating_add(wire.hops - 1);
        self.receive(wire.peer, id);
    }
}
