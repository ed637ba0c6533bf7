//! Lines as ns-2.35 writes them: the wireless format of its CMU traces, old and new, and that of wired links. Written
//! down from traces that ns-2.35 made of small set-ups; `docs/reference/ns2-trace.md` goes through them field by field.
//!
//! | line | record |
//! |---|---|
//! | `s AGT`, `r RTR` at the source | `PacketMade` of a transport |
//! | `s RTR`, `f RTR` | `PacketRouted`, or `PacketHeld` where only the neighbour's address is wanted |
//! | `s MAC` | `FrameBegan` |
//! | `r MAC` | `FrameEnded`, received; of a packet that the MAC hands up, `PacketCopied` |
//! | `D MAC` | `FrameEnded`, collided or errored; a data frame that repeats one; `Dropped` by the MAC |
//! | `r RTR` | `PacketReceived` |
//! | `r AGT` | `PacketArrived` |
//! | `D IFQ`, `D RTR` | `Dropped` |
//! | `+`, `-`, `r`, `d` | `Queued`, `WireBegan`, `WireEnded`, `Dropped` |

mod event;
mod packets;
mod text;

use super::{Filter, Output, Sink, Trace};
use crate::config::Config;
use crate::record::{Classes, NetworkView, Record, Recorder};
use event::{Event, Layer, MacHeader, What};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Time;
use hopscope_mac::dcf::{Frame, FrameKind};
use hopscope_net::config::net::RoutingProtocol;
use hopscope_packet::{Body, DropReason, Packet};
use hopscope_phy::phy::RxOutcome;
use packets::Packets;

/// The two formats of lines about nodes with a radio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Fields by place: `s 1.000000000 _0_ AGT  --- 0 cbr 512 ...`.
    Old,
    /// Fields by name: `s -t 1.000000000 -Hs 0 -Hd -2 -Ni 0 ...`.
    New,
}

/// Bytes that ns-2 counts for preamble and header of a frame: 192 bits at 1 Mbit/s.
const PLCP_BYTES: u32 = 24;

/// Writes a run as ns-2 would have.
#[derive(Debug)]
pub struct Ns2Trace<S> {
    style: Style,
    filter: Filter,
    network: Network,
    packets: Packets,
    /// Data frames received at this instant whose packets the MAC has not handed up yet: at whom, and when.
    received: Vec<(Time, NodeId, Frame)>,
    /// By node: the last ARP frame that came, by sender and sequence number.
    last_arp: Vec<Option<(NodeId, u16)>>,
    out: Output<S>,
}

/// What lines say of the network.
#[derive(Debug)]
struct Network {
    motions: Vec<Motion>,
    has_radio: Vec<bool>,
    routing: RoutingProtocol,
    flows: Vec<event::Traffic>,
}

/// The straight way on which a node is; one at rest stays where it began.
#[derive(Debug, Clone, Copy)]
struct Motion {
    begun: Time,
    until: Time,
    from: [f64; 2],
    to: [f64; 2],
}

impl Motion {
    fn at_rest(place: [f64; 2]) -> Self {
        Motion { begun: Time::ZERO, until: Time::NEVER, from: place, to: place }
    }

    /// Where it leads through now, metres.
    fn place(&self, now: Time) -> [f64; 2] {
        let (gone, whole) = (now.saturating_since(self.begun), self.until.saturating_since(self.begun));
        if self.from == self.to || whole.0 == 0 {
            return self.to;
        }
        let share = (gone.0 as f64 / whole.0 as f64).min(1.0);
        std::array::from_fn(|axis| self.from[axis] + (self.to[axis] - self.from[axis]) * share)
    }
}

impl<S: Sink> Ns2Trace<S> {
    /// A trace of a run of `config` into `sink`.
    pub fn new(config: &Config, style: Style, filter: Filter, sink: S) -> Self {
        let stations = config.stations();
        let network = Network {
            motions: stations.spread(&config.nodes).into_iter().map(Motion::at_rest).collect(),
            has_radio: stations.spread(&config.radios()),
            routing: config.routing.protocol,
            flows: config.measured().flows.iter().map(event::Traffic::of).collect(),
        };
        Ns2Trace {
            style,
            filter,
            network,
            packets: Packets::default(),
            received: Vec::new(),
            last_arp: vec![None; stations.count()],
            out: Output::new(sink),
        }
    }

    /// Where its lines have gone.
    pub fn sink(&self) -> &S {
        &self.out.sink
    }

    fn has_radio(&self, node: NodeId) -> bool {
        self.network.has_radio[node.index()]
    }

    /// A packet leaves a node by a wire, not by its radio.
    fn is_on_wire(&self, node: NodeId, via: u8) -> bool {
        via != hopscope_net::iface::Interface::WIFI || !self.has_radio(node)
    }

    // ---- lines -----------------------------------------------------------------------------------------------

    /// Whether a line about a node and perhaps a packet is wanted.
    fn is_wanted(&self, now: Time, nodes: [NodeId; 2], packet: Option<&Packet>) -> bool {
        let Filter { nodes: wanted, flows, .. } = &self.filter;
        self.out.is_open
            && !self.filter.is_outside(now)
            && wanted.as_ref().is_none_or(|wanted| nodes.iter().any(|node| wanted.contains(node)))
            && flows.as_ref().is_none_or(|flows| packet.is_some_and(|packet| flows.contains(&packet.flow)))
    }

    fn write(&mut self, event: &Event<'_>) {
        if !self.has_radio(event.node) || !self.is_wanted(event.now, [event.node; 2], event.what.packet()) {
            return;
        }
        let [x, y] = self.network.motions[event.node.index()].place(event.now);
        match self.style {
            Style::Old => text::old(&mut self.out.buffer, event),
            Style::New => text::new(&mut self.out.buffer, event, x, y),
        }
        self.out.settle();
    }

    /// A line about a packet above the MAC.
    fn line(
        &mut self,
        (op, layer, reason): (char, Layer, &'static str),
        now: Time,
        node: NodeId,
        id: PacketId,
        view: &impl NetworkView,
    ) {
        let packet = view.packet(id);
        let (uid, mac) = self.packets.of(id);
        let size = if op == 's' && layer == Layer::Agent { event::agent_size(packet) } else { packet.bytes };
        let what = event::what(packet, packet.hops, &self.network.flows, self.network.routing);
        self.write(&Event { op, now, node, layer, reason, uid, size, mac, what });
    }

    /// A line about a frame.
    fn frame(
        &mut self,
        op: char,
        reason: &'static str,
        now: Time,
        node: NodeId,
        frame: &Frame,
        view: &impl NetworkView,
    ) {
        let mut event = Event {
            op,
            now,
            node,
            layer: Layer::Mac,
            reason,
            uid: 0,
            size: frame.bytes + PLCP_BYTES,
            mac: MacHeader::of(frame, false),
            what: What::Control(frame.kind),
        };
        if frame.kind == FrameKind::Data {
            let packet = view.packet(frame.body);
            event.uid = self.packets.of(frame.body).0;
            event.mac = MacHeader::of(frame, matches!(packet.body, Body::Arp { .. }));
            // Before the MAC of ns-2 logs a data frame received, it has counted the hop and taken its header off.
            let got = u8::from(op == 'r');
            event.what = event::what(packet, packet.hops + got, &self.network.flows, self.network.routing);
            if op == 'r' {
                event.size = packet.bytes;
            }
        }
        self.write(&event);
    }

    fn wire(&mut self, op: char, now: Time, (from, to): (NodeId, NodeId), id: PacketId, view: &impl NetworkView) {
        let packet = view.packet(id);
        if self.is_wanted(now, [from, to], Some(packet)) {
            let what = event::what(packet, packet.hops, &self.network.flows, self.network.routing);
            text::wired(&mut self.out.buffer, op, now, (from, to), self.packets.of(id).0, packet, &what);
            self.out.settle();
        }
    }

    // ---- what happens ----------------------------------------------------------------------------------------

    /// A packet comes into being.
    fn on_made(&mut self, now: Time, id: PacketId, view: &impl NetworkView) {
        let packet = view.packet(id);
        let node = packet.src;
        let is_numbered = !matches!(packet.body, Body::Aodv(_) | Body::Arp { .. } | Body::Notice(_));
        self.packets.make(id, is_numbered);
        if matches!(
            packet.body,
            Body::Tcp(_)
                | Body::Udp { .. }
                | Body::Dccp(_)
                | Body::Atp(_)
                | Body::Opaque { .. }
                | Body::Ethernet { .. }
        ) {
            // Two lines for one step: the router of ns-2 logs as received what comes down from an agent.
            self.line(('s', Layer::Agent, NO_REASON), now, node, id, view);
            let size = event::agent_size(packet);
            let what = event::what(packet, packet.hops, &self.network.flows, self.network.routing);
            let (uid, mac) = self.packets.of(id);
            self.write(&Event { op: 'r', now, node, layer: Layer::Router, reason: NO_REASON, uid, size, mac, what });
        }
    }

    /// The MAC hands a packet up, or a broadcast leaves by several wires.
    fn on_copied(&mut self, now: Time, node: NodeId, id: PacketId, copy: PacketId, view: &impl NetworkView) {
        // A copy that goes out by a wire has no frame here.
        let place = self.received.iter().position(|(_, at, frame)| *at == node && frame.body == id);
        let frame = place.map(|place| self.received.swap_remove(place).2);
        self.packets.copy(id, copy, frame.as_ref().map(|frame| MacHeader::of(frame, false)));
        if let Some(frame) = frame {
            self.frame('r', NO_REASON, now, node, &frame, view);
        }
    }

    /// A frame has come to its receiver whole.
    fn on_received(&mut self, now: Time, node: NodeId, frame: &Frame, view: &impl NetworkView) {
        if frame.kind != FrameKind::Data {
            self.frame('r', NO_REASON, now, node, frame, view);
        } else if matches!(view.packet(frame.body).body, Body::Arp { .. } | Body::Notice(_)) {
            // They end at the interface and are never copied, so a missing copy shows no duplicate.
            let number = Some((frame.src, frame.seq));
            let repeats = frame.retry && self.last_arp[node.index()] == number;
            self.last_arp[node.index()] = number;
            let (op, reason) = if repeats { ('D', "DUP") } else { ('r', NO_REASON) };
            self.frame(op, reason, now, node, frame, view);
        } else {
            self.received.push((now, node, *frame));
        }
    }

    /// Data frames whose packets the MAC has not handed up: fragments, and what it had before.
    fn settle_received(&mut self, now: Time, view: &impl NetworkView) {
        // The MAC hands a packet up at the instant of its frame: what is left from earlier was kept or filtered out.
        while self.received.first().is_some_and(|&(at, ..)| at < now) {
            let (at, node, frame) = self.received.remove(0);
            let is_fragment = frame.bytes < view.packet(frame.body).bytes;
            // A fragment waits for the rest of its packet: a Retry bit makes it no duplicate.
            let (op, reason) = if frame.retry && !is_fragment { ('D', "DUP") } else { ('r', NO_REASON) };
            self.frame(op, reason, at, node, &frame, view);
        }
    }

    /// A packet goes down to the radio.
    fn on_routed(&mut self, now: Time, node: NodeId, id: PacketId, view: &impl NetworkView) {
        let packet = view.packet(id);
        // ARP lies below the router of ns-2. A packet that had to wait for an address got its line when the wait began.
        if matches!(packet.body, Body::Arp { .. } | Body::Notice(_)) || !self.packets.passes(id) {
            return;
        }
        // A packet that a loop has brought back to its source is forwarded there.
        let op = if packet.src == node && packet.hops == 0 { 's' } else { 'f' };
        self.line((op, Layer::Router, NO_REASON), now, node, id, view);
    }

    fn on_came_up(&mut self, now: Time, node: NodeId, id: PacketId, view: &impl NetworkView) {
        self.packets.arrives(id);
        let packet = view.packet(id);
        let (_, mac) = self.packets.of(id);
        let is_for_router = packet.dst != node || packet.body.is_routing_message();
        // What came over a wire has had its line in the wired format.
        if is_for_router && mac != MacHeader::NONE {
            self.line(('r', Layer::Router, NO_REASON), now, node, id, view);
        }
    }

    fn on_dropped(&mut self, now: Time, node: NodeId, id: PacketId, reason: DropReason, view: &impl NetworkView) {
        let packet = view.packet(id);
        let to = packet.next_hop;
        let is_queue = reason == DropReason::QueueFull || DropReason::EARLY.contains(&reason);
        if reason == DropReason::WireLoss || is_queue && self.is_on_wire(node, packet.via) {
            // A queue of ns-2 logs an arrival before it looks for room.
            if is_queue && self.packets.passes(id) {
                self.wire('+', now, (node, to), id, view);
            }
            self.wire('d', now, (node, to), id, view);
            return;
        }
        let (layer, word) = event::drop_words(reason);
        if layer == Layer::Queue && to != NodeId::BROADCAST {
            // In ns-2 the link layer sets the addresses before the queue; the duration comes with the frame.
            self.packets.head_for(id, MacHeader { dst: to.0, src: node.0, kind: 0x800, duration_us: 0 });
        }
        self.line(('D', layer, word), now, node, id, view);
    }
}

/// In place of the reason of a drop.
const NO_REASON: &str = "---";

impl<S: Sink> Trace for Ns2Trace<S> {
    fn flush(&mut self) {
        self.out.flush();
    }
}

impl<S: Sink> Recorder for Ns2Trace<S> {
    const WANTS: Classes = Classes::FRAMES
        .and(Classes::FRAME_ENDS)
        .and(Classes::PACKETS)
        .and(Classes::QUEUES)
        .and(Classes::DROPS)
        .and(Classes::WIRES)
        .and(Classes::PLACES);

    fn record(&mut self, now: Time, record: &Record, view: &mut impl NetworkView) {
        // First, as these lines belong to an earlier instant.
        self.settle_received(now, view);
        match *record {
            Record::FrameBegan { ref frame, .. } => {
                if frame.kind == FrameKind::Data {
                    self.packets.head_for(frame.body, MacHeader::of(frame, false));
                }
                self.frame('s', NO_REASON, now, frame.src, frame, view);
            }
            Record::FrameEnded { node, ref frame, outcome, .. } => match outcome {
                RxOutcome::Received => self.on_received(now, node, frame, view),
                RxOutcome::Collided { .. } | RxOutcome::Captured { .. } | RxOutcome::TooWeak { .. } => {
                    self.frame('D', "COL", now, node, frame, view);
                }
                // ns-2 marks as in error what comes while the station sends (`Mac802_11::recv`).
                RxOutcome::Errored | RxOutcome::Deaf => self.frame('D', "ERR", now, node, frame, view),
                RxOutcome::Missed { .. } | RxOutcome::OutOfReach => {}
            },
            Record::Moved { node, position } => self.network.motions[node.index()] = Motion::at_rest(position),
            Record::SetOut { node, from, to, until } => {
                self.network.motions[node.index()] = Motion { begun: now, until, from, to };
            }
            Record::PacketMade { packet } => self.on_made(now, packet, view),
            Record::PacketCopied { node, packet, copy } => self.on_copied(now, node, packet, copy, view),
            Record::PacketReceived { node, packet } => self.on_came_up(now, node, packet, view),
            Record::PacketRouted { node, packet } | Record::PacketHeld { node, packet, routed: true } => {
                self.on_routed(now, node, packet, view);
            }
            Record::PacketArrived { node, packet } => {
                self.line(('r', Layer::Agent, NO_REASON), now, node, packet, view)
            }
            Record::Queued { node, via, packet } if self.is_on_wire(node, via) && self.packets.passes(packet) => {
                self.wire('+', now, (node, view.packet(packet).next_hop), packet, view);
            }
            Record::WireBegan { node, packet, .. } => {
                // A free wire takes a packet past the queue; in ns-2 each one joins it first.
                let ends = (node, view.packet(packet).next_hop);
                if self.packets.passes(packet) {
                    self.wire('+', now, ends, packet, view);
                }
                self.wire('-', now, ends, packet, view);
            }
            Record::WireEnded { node, from, packet } => {
                self.packets.comes_by_wire(packet);
                self.wire('r', now, (from, node), packet, view);
            }
            Record::Dropped { node, packet, reason } => self.on_dropped(now, node, packet, reason, view),
            _ => {}
        }
    }
}
