//! Transports and applications of the flows: their inputs and their effects.

use super::World;
use super::flow::{End, Endpoint, Flow, TcpEnds};
use crate::app::AppEffect;
use crate::event::{Event, GENERATION_MASK};
use crate::ids::{FlowId, NodeId};
use crate::packet::tcp::TcpSegment;
use crate::packet::{Body, Packet};
use crate::record::{Record, Recorder};
use crate::transport::tcp::TcpEffect;
use crate::units::{Span, Time};

/// Interface-queue length below which a saturating source adds its next packet.
const SATURATING_DEPTH: usize = 2;

impl<R: Recorder> World<R> {
    // ---- inputs ----------------------------------------------------------------------------------------------

    /// A packet has reached its destination: hand it to the transport machine it is for.
    pub(super) fn deliver(&mut self, node: NodeId, packet: &Packet) {
        match packet.body {
            Body::Tcp(segment) => {
                let mut segment = TcpSegment { ecn: packet.ecn, ..segment };
                if self.nodes[node].gateway.is_some() {
                    self.pass_gateway(node, packet.flow, &mut segment);
                }
                let flow = packet.flow;
                let state = &mut self.flows[flow.index()];
                let at_receiver = node == state.to;
                let before = self.ledger_source(flow);
                let state = &mut self.flows[flow.index()];
                let Endpoint::Tcp(ends) = &mut state.endpoint else { return };
                let TcpEnds { sender, receiver } = &mut **ends;
                let mut out = std::mem::take(&mut self.tcp_effects);
                if at_receiver {
                    let before = receiver.stats().duplicates;
                    receiver.on_segment(&segment, self.now, &mut out);
                    let duplicate = receiver.stats().duplicates != before;
                    if segment.len > 0 || segment.flags.syn {
                        self.note(Record::DataReceived {
                            flow,
                            bytes: segment.len,
                            delay: self.now - packet.sent,
                            duplicate,
                            retransmission: segment.retransmission,
                        });
                    }
                    self.tcp_effects(flow, End::Receiver, out);
                } else {
                    sender.on_segment(&segment, packet.hops, self.now, &mut out);
                    self.tcp_effects(flow, End::Sender, out);
                    self.ledger_source_event(flow, before, None);
                }
            }
            Body::Udp { len, .. } => {
                let delay = self.now - packet.sent;
                self.note(Record::DataReceived {
                    flow: packet.flow,
                    bytes: len,
                    delay,
                    duplicate: false,
                    retransmission: false,
                });
                self.note(Record::Delivered { flow: packet.flow, bytes: len });
            }
            Body::Opaque { .. } => {}
            Body::Arp { .. } | Body::Aodv(_) | Body::Routing | Body::Notice(_) => {
                debug_assert!(false, "they end below the transport")
            }
        }
    }

    pub(super) fn on_transport_timer(&mut self, flow: FlowId, code: u8, generation: u32) {
        let state = &mut self.flows[flow.index()];
        if state.generations[usize::from(code)] != generation {
            return;
        }
        let (end, timer) = Flow::decode_timer(code);
        let before = self.ledger_source(flow);
        let Endpoint::Tcp(ends) = &mut self.flows[flow.index()].endpoint else { return };
        let mut out = std::mem::take(&mut self.tcp_effects);
        match end {
            End::Sender => ends.sender.on_timer(timer, self.now, &mut out),
            End::Receiver => ends.receiver.on_timer(timer, self.now, &mut out),
        }
        self.tcp_effects(flow, end, out);
        if end == End::Sender {
            self.ledger_source_event(flow, before, Some(timer));
        }
    }

    pub(super) fn on_app(&mut self, flow: FlowId) {
        let mut out = std::mem::take(&mut self.app_effects);
        let state = &mut self.flows[flow.index()];
        state.source.on_tick(self.now, &mut state.rng, &mut out);
        for effect in out.drain(..) {
            self.app_effect(flow, effect);
        }
        self.app_effects = out;
    }

    // ---- effects ---------------------------------------------------------------------------------------------

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
    pub(super) fn pump_udp(&mut self, flow: FlowId) {
        loop {
            let state = &self.flows[flow.index()];
            let node = state.from;
            let queue = &self.wifi[node].port.queue;
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
            let waiting = |world: &Self| (world.wifi[node].mac.is_free(), world.wifi[node].port.queue.len());
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
