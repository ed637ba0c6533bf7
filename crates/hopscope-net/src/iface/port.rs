//! What an interface pulls its packets from: the queue, and the link layer that orders, marks and holds them back.
//!
//! Two doors: a packet comes ([`Port::push`]), and the transmitter takes the one that goes next ([`Port::pull`]). What the
//! layer wants done meanwhile is said in [`PortEffect`]s. Without a layer the port is its queue.

use crate::config::link::LinkPart;
use crate::link::{AqmAction, AqmDecision, FlowKey, LinkLayer};
use crate::net::InterfaceQueue;
use hopscope_core::ids::PacketId;
use hopscope_core::units::{Span, Time};
use hopscope_mac::Pacing;
use hopscope_packet::{Body, DropReason, Ecn, Packet};

/// The upper door of an interface.
#[derive(Debug)]
pub struct Port {
    /// Packets that wait.
    pub queue: InterfaceQueue,
    /// The link layer, where there is one.
    pub layer: Option<Box<LinkLayer>>,
    /// Instant of the last wake-up that the layer asked for; `NEVER` before the first.
    wake: Time,
}

/// What a link layer may know of a packet.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The packet.
    pub packet: PacketId,
    /// Its flow.
    pub flow: FlowKey,
    /// Bytes with network header.
    pub bytes: u32,
    /// A message of a routing protocol or a notice: it goes in front and is never judged.
    pub is_control: bool,
    /// A segment without data, such as an ACK.
    pub is_bare: bool,
    /// Its transport: ARP has none and is never judged.
    pub has_transport: bool,
    /// It can be marked.
    pub knows_ecn: bool,
    /// Time that its exchange takes without contention.
    pub exchange: Span,
}

impl Entry {
    /// What may be known of a packet whose exchange takes so long without contention.
    pub fn of(packet: &Packet, id: PacketId, exchange: Span) -> Self {
        // IANA's protocol numbers. ATP has none: 253 is for experiments (RFC 3692).
        let (is_bare, has_transport, protocol) = match packet.body {
            Body::Tcp(segment) => (segment.len == 0, true, 6),
            Body::Udp { .. } => (false, true, 17),
            Body::Dccp(packet) => (!packet.is_data(), true, 33),
            Body::Atp(packet) => (!packet.is_data(), true, 253),
            Body::Opaque { .. } | Body::Ethernet { .. } => (false, true, 0),
            Body::Arp { .. } | Body::Aodv(_) | Body::Routing | Body::Notice(_) | Body::PathNotice(_) => {
                (true, false, 0)
            }
        };
        Entry {
            packet: id,
            flow: FlowKey { ends: (packet.src, packet.dst), protocol, ports: (packet.ports.from, packet.ports.to) },
            bytes: packet.bytes,
            is_control: packet.body.is_control(),
            is_bare,
            has_transport,
            knows_ecn: packet.ecn != Ecn::NotEct,
            exchange,
        }
    }
}

/// What a port wants done, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortEffect {
    /// The packet has joined the queue.
    Join(PacketId),
    /// The packet is lost.
    Drop(PacketId, DropReason),
    /// The packet goes on with congestion experienced, as this part wanted.
    Mark(PacketId, LinkPart),
    /// The layer holds the next packet back: pull again then.
    Wake(Time),
    /// The same, with a wake-up asked for before.
    Hold,
}

/// How many packets are dropped among these.
pub fn drops(effects: &[PortEffect]) -> u64 {
    effects.iter().filter(|effect| matches!(effect, PortEffect::Drop(..))).count() as u64
}

impl Port {
    /// A queue for `limit` packets without a link layer.
    pub fn new(limit: u32) -> Self {
        Port { queue: InterfaceQueue::new(limit), layer: None, wake: Time::NEVER }
    }

    /// A packet comes to a port with a link layer; false when the layer took it out.
    pub fn push(&mut self, entry: &Entry, now: Time, out: &mut Vec<PortEffect>) -> bool {
        let waiting = self.queue.len();
        let layer = self.layer.as_deref_mut().filter(|_| !entry.is_control);
        let Some(layer) = layer else {
            self.join(entry, now, out);
            return true;
        };
        if layer.acts_on_arrival() && is_managed(layer, entry) {
            let decision = layer.on_arrival(waiting, entry.bytes, entry.exchange, now);
            if !settle(layer, entry, decision, out) {
                if waiting == 0 {
                    // Idle time goes on: RED's average must decay, or it refuses all that comes for ever.
                    layer.on_empty(now);
                }
                return false;
            }
        }
        if self.queue.is_full() {
            // FQ-CoDel makes room at the head of its longest queue (RFC 8290 4.1); any other layer refuses what
            // comes.
            let victim = layer.evict().and_then(|victim| self.queue.take(now, |waiting| waiting == victim));
            out.extend(victim.map(|victim| PortEffect::Drop(victim, DropReason::QueueFull)));
        }
        self.join(entry, now, out);
        true
    }

    /// Puts a packet into the queue, or drops the one that finds no room.
    fn join(&mut self, entry: &Entry, now: Time, out: &mut Vec<PortEffect>) {
        let lost = self.queue.push(now, entry.packet, entry.is_control);
        if lost != Some(entry.packet) {
            out.push(PortEffect::Join(entry.packet));
        }
        if let Some(lost) = lost {
            if let Some(layer) = &mut self.layer {
                layer.on_taken(lost);
            }
            out.push(PortEffect::Drop(lost, DropReason::QueueFull));
        }
        if !entry.is_control && lost != Some(entry.packet) {
            if let Some(layer) = &mut self.layer {
                layer.on_joined(entry.packet, entry.flow, entry.bytes, now);
            }
        }
    }

    /// The packet that goes next; `view` says what the layer may know of a packet.
    pub fn pull(&mut self, now: Time, view: impl Fn(PacketId) -> Entry, out: &mut Vec<PortEffect>) -> Option<PacketId> {
        let Some(layer) = self.layer.as_deref_mut() else { return self.queue.pop(now) };
        loop {
            let head = self.queue.head()?;
            // It stands at the head because the queue lets it in there; no layer may hold it back.
            if view(head).is_control {
                return self.queue.pop(now);
            }
            let ready = layer.ready();
            if ready > now {
                out.push(if self.wake == ready { PortEffect::Hold } else { PortEffect::Wake(ready) });
                self.wake = ready;
                return None;
            }
            let next = layer.next(head, now);
            let entry = view(next.packet);
            let decision = if is_managed(layer, &entry) { layer.decide_next(next.decision) } else { next.decision };
            self.queue.take(now, |waiting| waiting == next.packet)?;
            let goes = settle(layer, &entry, decision, out);
            if goes {
                layer.on_sent(next.packet, entry.bytes, entry.exchange, now);
            }
            if self.queue.is_empty() {
                layer.on_empty(now);
            }
            if goes {
                return Some(next.packet);
            }
        }
    }

    /// Takes out the first packet for which `wanted` holds.
    pub fn take(&mut self, now: Time, wanted: impl FnMut(PacketId) -> bool) -> Option<PacketId> {
        let packet = self.queue.take(now, wanted)?;
        if let Some(layer) = &mut self.layer {
            layer.on_taken(packet);
        }
        Some(packet)
    }

    /// How the next packet of the node is to be followed by a longer back-off; none: it is not.
    pub fn pacing(&self) -> Option<Pacing> {
        self.layer.as_ref()?.pacing()
    }
}

/// True for a packet that the layer may mark or drop.
fn is_managed(layer: &LinkLayer, entry: &Entry) -> bool {
    entry.has_transport && (layer.acks || !entry.is_bare)
}

/// Says what becomes of a packet by a judgement; false when it is gone.
fn settle(layer: &LinkLayer, entry: &Entry, decision: AqmDecision, out: &mut Vec<PortEffect>) -> bool {
    let Some((action, by)) = decision.action() else { return true };
    let marks = action == AqmAction::Mark && layer.ecn && entry.knows_ecn;
    out.push(if marks { PortEffect::Mark(entry.packet, by) } else { PortEffect::Drop(entry.packet, early(by)) });
    marks
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
