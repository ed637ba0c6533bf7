//! Each effect becomes the input of the neighbour layer, an event, or a record.

use super::World;
use super::flow::{End, Endpoint, Flow};
use super::ledger::{hear, note_error};
use crate::app::AppEffect;
use crate::channel::Carried;
use crate::event::{Event, GENERATION_MASK};
use crate::ids::{FlowId, NodeId, PacketId};
use crate::ledger::Stage;
use crate::mac::dcf::{Frame, FrameKind, MacEffects, Outcome};
use crate::net::arp::{ARP_BYTES, Resolution};
use crate::packet::{Body, Packet};
use crate::phy::{Arrival, Packed};
use crate::record::{DropReason, Record, Recorder};
use crate::transport::tcp::TcpEffect;
use crate::units::{Span, Time};

/// Interface-queue length below which a saturating source adds its next packet.
const SATURATING_DEPTH: usize = 2;

/// How long such a source waits for an ARP reply or a route before it offers another packet (a default).
const PATIENCE: Span = Span::from_millis(100);
/// No signal is under way for longer: `build.rs` refuses such ranges.
const LONGEST_FLIGHT: Span = Span(u16::MAX as u64);

impl<R: Recorder> World<R> {
    // ---- MAC -> channel, queue, link layer -------------------------------------------------------------------

    #[inline]
    pub(super) fn mac_effects(&mut self, node: NodeId, effects: &MacEffects) {
        if let Some(frame) = &effects.transmit {
            self.transmit(frame);
        } else if R::LEDGER && effects.arm_sifs.is_none() && effects.done.is_none() {
            self.ledger_retry(node);
        }
        if let Some((at, generation)) = effects.arm_sifs {
            self.ledger_sifs(node, at);
            debug_assert!(self.sifs.is_none(), "an event begins one SIFS");
            self.sifs = Some((node, at, generation));
        }
        if let Some((at, generation)) = effects.arm_response {
            self.events.push(at, Event::ResponseTimeout { node, generation });
        }
        if let Some(at) = effects.arm_access {
            self.events.push(at, Event::Access { node });
        }
        if let Some((packet, from)) = effects.deliver {
            self.on_data_frame(node, packet, from);
        }
        if let Some((packet, outcome)) = effects.done {
            self.ledger_done(node, outcome);
            if !self.links.is_empty() && outcome != Outcome::Incomplete {
                self.tell_link(node);
            }
            match outcome {
                Outcome::Incomplete => {
                    let copy = self.packets.copy(packet);
                    self.ledger_copy(packet, copy);
                    self.drop_packet(node, copy, DropReason::Reassembly);
                    return;
                }
                Outcome::Sent if self.packets.get(packet).next_hop == NodeId::BROADCAST => self.release_later(packet),
                Outcome::Sent => self.packets.release(packet),
                Outcome::RetryLimit if self.routers.is_empty() => {
                    self.drop_packet(node, packet, DropReason::RetryLimit);
                }
                Outcome::RetryLimit => self.on_link_failure(node, packet, DropReason::RetryLimit),
            }
            self.feed_mac(node);
            self.refill(node, false);
        }
    }

    /// A broadcast has left, but has not come to everyone yet: its receivers still have to copy the packet.
    fn release_later(&mut self, packet: PacketId) {
        self.release_arrived();
        self.leaving.push_back((self.now + LONGEST_FLIGHT, packet));
    }

    /// Releases the packets of broadcasts that have come to everyone.
    pub(super) fn release_arrived(&mut self) {
        while let Some(&(at, packet)) = self.leaving.front() {
            if at >= self.now {
                break;
            }
            self.leaving.pop_front();
            self.packets.release(packet);
        }
    }

    /// A data frame came in: the receiver gets its own copy of the packet.
    fn on_data_frame(&mut self, node: NodeId, packet: PacketId, from: NodeId) {
        match self.packets.get(packet).body {
            Body::Arp { target, reply } => self.on_arp(node, from, target, reply),
            Body::Notice(notice) => self.on_notice(node, notice),
            _ => {
                let copy = self.packets.copy(packet);
                self.ledger_copy(packet, copy);
                self.packets.get_mut(copy).prev_hop = from;
                self.link_up(node, copy);
            }
        }
    }

    /// Puts a frame on the air: one scan over everyone who hears it.
    fn transmit(&mut self, frame: &Frame) {
        if self.is_off(frame.src) {
            if R::LEDGER {
                self.ledger_transmit_off(frame);
            }
            return;
        }
        self.frames += 1;
        self.note(Record::FrameSent {
            node: frame.src,
            kind: frame.kind,
            to: frame.dst,
            bytes: frame.bytes,
            airtime: frame.airtime,
        });
        let place = self.air.place(frame.src);
        let slot = frame.src.0 * 2 + self.air.at(place).put(frame);
        self.ledger_transmit(frame, slot);
        let is_data = frame.kind == FrameKind::Data;
        let broadcast = frame.dst == NodeId::BROADCAST;
        let mode = if is_data && !broadcast { self.wiring.data_mode } else { self.wiring.basic_mode };
        let flags =
            if frame.kind == FrameKind::Rts { Arrival::RTS } else { 0 } | if broadcast { Arrival::FOR_ME } else { 0 };
        let now = self.now;
        let heard = Packed::new(&Arrival {
            start: now,
            end: now + frame.airtime,
            nav: frame.nav.0 as u32,
            power: 0.0,
            slot,
            flags,
            mode,
        });
        if self.channel.is_plain() && self.off.is_empty() {
            for link in self.listeners.hearers(&self.medium, frame.src, place) {
                let mut flags = link.flags;
                let start = now + link.delay();
                if broadcast || link.to == frame.dst {
                    flags |= Arrival::FOR_ME;
                    if flags & Arrival::DECODABLE != 0 {
                        self.events.push(start + frame.airtime, Event::RxEnd { node: link.to, slot });
                    }
                }
                let station = self.stations.at(link.place);
                if R::LEDGER {
                    hear(&mut self.recorder, station, &self.rules.station, now, link.to, (start, frame.airtime), flags);
                }
                station.post(now, heard.heard_by(start, link.power, flags), &self.rules.station);
            }
        } else {
            self.transmit_through_channel(frame, heard, slot);
        }
        if self.wiring.watched {
            self.watch(frame);
        }
    }

    /// What a frame means beyond its effect on the radios: to tests that want every edge, and to meters of the channel.
    #[cold]
    fn watch(&mut self, frame: &Frame) {
        if self.wiring.eager {
            for link in self.medium.hearers(frame.src) {
                let start = self.now + link.delay();
                self.events.push(start + Span(1), Event::Touch { node: link.to });
                self.events.push(start + frame.airtime, Event::Touch { node: link.to });
            }
        }
        self.meter(frame);
    }

    /// The same scan where each copy has a power and a fate of its own, and radios may be off.
    #[inline(never)]
    fn transmit_through_channel(&mut self, frame: &Frame, heard: Packed, slot: u32) {
        let now = self.now;
        let broadcast = frame.dst == NodeId::BROADCAST;
        let carried = Carried { bits: 8 * frame.bytes, is_data: frame.kind == FrameKind::Data };
        let first = self.medium.first(frame.src);
        for (place, link) in self.medium.hearers(frame.src).iter().enumerate() {
            if self.is_off(link.to) || !self.listeners.include(link.to) {
                continue;
            }
            let Some((power, mut flags)) = self.channel.carry(first + place, link, &carried, now) else { continue };
            let start = now + link.delay();
            if self.wiring.metered && flags & Arrival::SENSED != 0 {
                let mine = link.to == frame.dst && flags & Arrival::DECODABLE != 0;
                if let Some(layer) = &mut self.links[link.to.index()] {
                    layer.on_sensed(start, start + frame.airtime, mine);
                }
            }
            if broadcast || link.to == frame.dst {
                flags |= Arrival::FOR_ME;
                if flags & Arrival::DECODABLE != 0 {
                    self.events.push(start + frame.airtime, Event::RxEnd { node: link.to, slot });
                }
            }
            let station = self.stations.at(link.place);
            if R::LEDGER {
                hear(&mut self.recorder, station, &self.rules.station, now, link.to, (start, frame.airtime), flags);
                note_error(&mut self.recorder, link.to, slot, flags);
            }
            station.post(now, heard.heard_by(start, power, flags), &self.rules.station);
        }
    }

    // ---- link layer and queue --------------------------------------------------------------------------------

    fn link_up(&mut self, node: NodeId, packet: PacketId) {
        if self.wiring.link_delay == Span::ZERO {
            self.receive(node, packet);
        } else {
            self.events.push(self.now + self.wiring.link_delay, Event::LinkUp { node, packet });
        }
    }

    fn link_down(&mut self, node: NodeId, packet: PacketId) {
        self.ledger_stage(node, packet, Stage::Processing);
        if self.wiring.link_delay == Span::ZERO {
            self.enqueue(node, packet);
        } else {
            self.events.push(self.now + self.wiring.link_delay, Event::LinkDown { node, packet });
        }
    }

    /// Routes a packet at `node` and hands it to the link layer; false when no route takes it now.
    pub(super) fn forward(&mut self, node: NodeId, id: PacketId) -> bool {
        if !self.routers.is_empty() {
            return self.ask_router(node, id);
        }
        let dst = self.packets.get(id).dst;
        let Some(next_hop) = self.routes.lookup(node, dst) else {
            self.drop_packet(node, id, DropReason::NoRoute);
            return false;
        };
        self.packets.get_mut(id).next_hop = next_hop;
        self.resolve(node, id);
        true
    }

    /// Hands a packet with its next hop to the link layer, by way of ARP where that is on.
    pub(super) fn resolve(&mut self, node: NodeId, id: PacketId) {
        let next_hop = self.packets.get(id).next_hop;
        if self.wiring.arp && next_hop != NodeId::BROADCAST {
            match self.nets[node].arp.resolve(next_hop, id) {
                Resolution::Known => {}
                Resolution::Ask { dropped } => {
                    self.ledger_stage(node, id, Stage::Held);
                    if let Some(old) = dropped {
                        self.drop_packet(node, old, DropReason::ArpReplaced);
                    }
                    self.send_arp(node, NodeId::BROADCAST, next_hop, false);
                    return;
                }
                Resolution::GiveUp { dropped } => {
                    for lost in dropped.into_iter().chain([id]) {
                        if self.routers.is_empty() {
                            self.drop_packet(node, lost, DropReason::ArpUnresolved);
                        } else {
                            self.on_link_failure(node, lost, DropReason::ArpUnresolved);
                        }
                    }
                    return;
                }
            }
        }
        self.link_down(node, id);
    }

    fn send_arp(&mut self, node: NodeId, next_hop: NodeId, target: NodeId, reply: bool) {
        let packet = Packet::new(node, next_hop, ARP_BYTES, 1, Body::Arp { target, reply }, self.now);
        let id = self.admit(packet);
        self.link_down(node, id);
    }

    fn on_arp(&mut self, node: NodeId, from: NodeId, target: NodeId, reply: bool) {
        if let Some(held) = self.nets[node].arp.learn(from) {
            self.link_down(node, held);
            self.refill(node, false);
        }
        if !reply && target == node {
            self.send_arp(node, from, from, true);
        }
    }

    /// A packet reaches the interface queue.
    pub(super) fn enqueue(&mut self, node: NodeId, id: PacketId) {
        self.ledger_stage(node, id, Stage::Queue);
        if !self.links.is_empty() {
            self.enqueue_linked(node, id);
            return;
        }
        if self.macs[node].is_free() && self.nets[node].queue.is_empty() {
            self.offer(node, id);
            return;
        }
        let priority = self.is_routing(id);
        if let Some(lost) = self.nets[node].queue.push(self.now, id, priority) {
            self.drop_packet(node, lost, DropReason::QueueFull);
        }
    }

    /// The MAC pulls its next packet.
    pub(super) fn feed_mac(&mut self, node: NodeId) {
        if !self.macs[node].is_free() {
            return;
        }
        let next = match self.links.is_empty() {
            true => self.nets[node].queue.pop(self.now),
            false => self.next_linked(node),
        };
        if let Some(next) = next {
            self.offer(node, next);
        }
    }

    fn offer(&mut self, node: NodeId, id: PacketId) {
        let packet = self.packets.get(id);
        let (to, bytes) = (packet.next_hop, packet.bytes);
        let pacing = self.pacing(node);
        self.ledger_offer(node, id);
        self.mac_input(node, |mac, cx| mac.offer(id, to, bytes, pacing, cx));
    }

    /// Sources that always have more fill the queue again. While the next hop's address is asked for they wait and try
    /// again now and then (`again`), as another packet is the only thing that repeats a lost request.
    pub(super) fn refill(&mut self, node: NodeId, again: bool) {
        if !self.wiring.saturating {
            return;
        }
        let net = &mut self.nets[node];
        if net.saturating.is_empty() {
            return;
        }
        if !again && net.arp.is_asking() {
            self.refill_later(node);
            return;
        }
        for place in 0..self.nets[node].saturating.len() {
            let flow = self.nets[node].saturating[place];
            self.pump_udp(flow);
        }
    }

    fn refill_later(&mut self, node: NodeId) {
        let net = &mut self.nets[node];
        if !net.refill_queued {
            net.refill_queued = true;
            self.events.push(self.now + PATIENCE, Event::Refill { node });
        }
    }

    // ---- transport -> network, timers, records ---------------------------------------------------------------

    /// Carries out what a TCP machine asked for and keeps the emptied list for the next input.
    pub(super) fn tcp_effects(&mut self, flow: FlowId, end: End, mut effects: Vec<TcpEffect>) {
        for effect in effects.drain(..) {
            self.tcp_effect(flow, end, effect);
        }
        self.tcp_effects = effects;
        if R::ENABLED && end == End::Sender {
            self.note_cwnd(flow);
        }
    }

    fn note_cwnd(&mut self, flow: FlowId) {
        let Flow { endpoint: Endpoint::Tcp(ends), cwnd, .. } = &mut self.flows[flow.index()] else { return };
        let window = ends.sender.cwnd().min(ends.sender.receiver_window());
        if *cwnd != window {
            *cwnd = window;
            self.note(Record::Cwnd { flow, cwnd: window });
        }
    }

    fn tcp_effect(&mut self, flow: FlowId, end: End, effect: TcpEffect) {
        let state = &mut self.flows[flow.index()];
        match effect {
            TcpEffect::Emit(segment) => {
                let (src, dst) = if end == End::Sender { (state.from, state.to) } else { (state.to, state.from) };
                let bytes = state.sizes.of(&segment, end);
                if end == End::Sender && (segment.len > 0 || segment.flags.syn) {
                    if R::LEDGER {
                        self.ledger_segment(flow, &segment);
                    }
                    self.note(Record::DataSent { flow, bytes: segment.len, retransmission: segment.retransmission });
                }
                self.originate(src, dst, bytes, Body::Tcp(segment), flow);
            }
            TcpEffect::Arm(timer, at) => {
                let code = Flow::timer_code(end, timer);
                let generation = &mut state.generations[usize::from(code)];
                *generation = (*generation + 1) & GENERATION_MASK;
                let event = Event::Transport { flow, timer: code, generation: *generation };
                self.events.push(at, event);
            }
            TcpEffect::Disarm(timer) => {
                let generation = &mut state.generations[usize::from(Flow::timer_code(end, timer))];
                *generation = (*generation + 1) & GENERATION_MASK;
            }
            TcpEffect::Deliver { bytes } => self.note(Record::Delivered { flow, bytes }),
            TcpEffect::RttSample(rtt) => self.note(Record::Rtt { flow, rtt }),
            TcpEffect::Completed => {
                if end == End::Sender {
                    self.note(Record::Completed { flow });
                }
            }
        }
    }

    // ---- application -> transport ----------------------------------------------------------------------------

    pub(super) fn app_effect(&mut self, flow: FlowId, effect: AppEffect) {
        let now = self.now;
        let before = self.ledger_source(flow);
        let state = &mut self.flows[flow.index()];
        match (&mut state.endpoint, effect) {
            (_, AppEffect::Arm { at }) => {
                if at < Time::NEVER {
                    self.events.push(at, Event::App { flow });
                }
            }
            (Endpoint::Tcp(ends), effect) => {
                let sender = &mut ends.sender;
                let mut out = std::mem::take(&mut self.tcp_effects);
                match effect {
                    AppEffect::Close => sender.close(now, &mut out),
                    AppEffect::Send { bytes } => {
                        sender.open(now, &mut out);
                        sender.offer(bytes, now, &mut out);
                    }
                    AppEffect::SendForever => {
                        sender.open(now, &mut out);
                        sender.offer(u64::MAX, now, &mut out);
                    }
                    AppEffect::Arm { .. } => {}
                }
                self.tcp_effects(flow, End::Sender, out);
            }
            (Endpoint::Udp(_), AppEffect::SendForever) => {
                state.backlog = u64::MAX;
                self.pump_udp(flow);
            }
            (Endpoint::Udp(_), AppEffect::Send { bytes }) if state.source.is_paced() => {
                self.send_udp(flow, bytes as u32);
            }
            (Endpoint::Udp(_), AppEffect::Send { bytes }) => {
                state.backlog = bytes;
                self.pump_udp(flow);
            }
            (Endpoint::Udp(_), AppEffect::Close) => {
                // A file keeps what it has left; an endless source ends here.
                if state.backlog == u64::MAX {
                    state.backlog = 0;
                }
            }
        }
        self.ledger_source_event(flow, before, None);
    }

    /// Sends from a UDP backlog while the interface queue is nearly empty.
    fn pump_udp(&mut self, flow: FlowId) {
        loop {
            let state = &self.flows[flow.index()];
            let node = state.from;
            let queue = &self.nets[node].queue;
            if state.backlog == 0 || queue.len() >= SATURATING_DEPTH || queue.is_full() {
                return;
            }
            let bytes = state.backlog.min(u64::from(state.packet)) as u32;
            if state.backlog != u64::MAX {
                self.flows[flow.index()].backlog -= u64::from(bytes);
                if self.flows[flow.index()].backlog == 0 {
                    self.note(Record::Completed { flow });
                }
            }
            let waiting = |world: &Self| (world.macs[node].is_free(), world.nets[node].queue.len());
            let before = waiting(self);
            let is_routed = self.send_udp(flow, bytes);
            if !is_routed || self.wiring.link_delay == Span::ZERO && waiting(self) == before {
                // It waits for a route, or there is none: filling the queue has to wait too.
                self.refill_later(node);
                return;
            }
            if self.wiring.link_delay > Span::ZERO {
                // The packet is still on its way to the queue; the next one follows when the MAC asks again.
                return;
            }
        }
    }

    /// Sends a datagram; false when no route takes it now.
    fn send_udp(&mut self, flow: FlowId, bytes: u32) -> bool {
        let state = &mut self.flows[flow.index()];
        let Endpoint::Udp(udp) = &mut state.endpoint else { return false };
        let seq = udp.send();
        let (src, dst) = (state.from, state.to);
        self.note(Record::DataSent { flow, bytes, retransmission: false });
        let size = self.wiring.ip_header + self.wiring.udp_header + bytes;
        self.originate(src, dst, size, Body::Udp { seq, len: bytes }, flow)
    }
}
