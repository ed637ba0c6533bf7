//! Each event becomes one input of one machine.

use super::World;
use super::flow::{End, Endpoint, Flow, TcpEnds};
use crate::event::Event;
use crate::ids::{FlowId, NodeId, PacketId};
use crate::mac::Dcf;
use crate::mac::contention::AccessAnswer;
use crate::mac::dcf::{MacCx, MacEffects};
use crate::packet::tcp::TcpSegment;
use crate::packet::{Body, Packet};
use crate::record::{DropReason, Record, Recorder};

impl<R: Recorder> World<R> {
    pub(super) fn dispatch(&mut self, event: Event) {
        match event {
            Event::RxEnd { node, slot } => self.on_rx_end(node, slot),
            Event::Touch { node } => {
                self.stations[node].catch_up(self.now, &self.rules.station);
            }
            Event::Sifs { node, generation } => self.mac_input(node, |mac, cx| mac.on_sifs(generation, cx)),
            Event::ResponseTimeout { node, generation } => {
                // Most answers come: do not walk the station's edges for nothing.
                let place = self.stations.place(node);
                let (mac, station) = (self.macs.at(place), self.stations.at(place));
                if !mac.response_is_stale(generation) && !mac.waits_for_end(self.now, station, &self.rules) {
                    if R::LEDGER {
                        station.catch_up(self.now, &self.rules.station);
                        self.ledger_before_mac(node);
                    }
                    self.mac_input(node, |mac, cx| mac.on_response_timeout(generation, cx));
                }
            }
            Event::Access { node } => self.on_access_event(node),
            Event::LinkUp { node, packet } => self.receive(node, packet),
            Event::LinkDown { node, packet } => self.enqueue(node, packet),
            Event::Routing { node, timer } => self.on_routing_timer(node, timer),
            Event::RoutingSend { node, packet } => self.resolve(node, packet),
            Event::Transport { flow, timer, generation } => self.on_transport_timer(flow, timer, generation),
            Event::App { flow } => self.on_app(flow),
            Event::Refill { node } => {
                self.nets[node].refill_queued = false;
                self.refill(node, true);
            }
            Event::Link { node } => self.on_link_event(node),
            Event::Power { node, on } => {
                let outages = &mut self.off[node.index()];
                *outages = if on { *outages - 1 } else { *outages + 1 };
                self.ledger_power(node);
            }
            Event::Sample => self.on_sample(),
        }
    }

    fn on_access_event(&mut self, node: NodeId) {
        let place = self.stations.place(node);
        let station = self.stations.at(place);
        if !station.access_event(self.now) {
            return;
        }
        station.catch_up(self.now, &self.rules.station);
        match station.poll_access(self.now, &self.rules.station) {
            AccessAnswer::Granted => {
                self.ledger_before_mac(node);
                self.mac_input_caught_up(node, place, |mac, cx| mac.on_access(cx));
            }
            AccessAnswer::Later(at) => self.events.push(at, Event::Access { node }),
            AccessAnswer::Nothing => {}
        }
    }

    /// One input to a node's MAC with the radio's edges applied, and its effects carried out.
    #[inline]
    pub(super) fn mac_input(&mut self, node: NodeId, input: impl FnOnce(&mut Dcf, &mut MacCx<'_>)) {
        let place = self.stations.place(node);
        self.stations.at(place).catch_up(self.now, &self.rules.station);
        self.mac_input_caught_up(node, place, input);
    }

    /// The same for a station whose edges have been applied already.
    #[inline]
    fn mac_input_caught_up(&mut self, node: NodeId, place: u32, input: impl FnOnce(&mut Dcf, &mut MacCx<'_>)) {
        let mut out = MacEffects::default();
        let station = self.stations.at(place);
        let mut cx = MacCx { now: self.now, station, rules: &self.rules, out: &mut out };
        input(self.macs.at(place), &mut cx);
        self.mac_effects(node, &out);
    }

    fn on_rx_end(&mut self, node: NodeId, slot: u32) {
        let place = self.stations.place(node);
        let station = self.stations.at(place);
        station.catch_up(self.now, &self.rules.station);
        let received = station.take_received(slot) && !self.is_off(node);
        if R::LEDGER && !received {
            self.ledger_lost(node, slot);
        }
        if received || self.macs.at(place).is_decided_at(self.now) {
            let frame = self.sent_in(slot);
            if R::LEDGER && received {
                self.ledger_received(node, &frame);
            }
            self.mac_input_caught_up(node, place, |mac, cx| mac.on_rx_end(received.then_some(&frame), cx));
        }
    }

    /// A packet comes up from the link layer.
    pub(super) fn receive(&mut self, node: NodeId, id: PacketId) {
        let packet = self.packets.get_mut(id);
        packet.hops += 1;
        if !self.routers.is_empty() {
            let (from, extra) = (packet.prev_hop, packet.extra);
            if self.take_routing_message(node, id) {
                return;
            }
            self.routers[node.index()].on_heard(from, self.packets.source_route(extra), self.now);
        }
        self.ledger_arrival(node, id);
        let packet = self.packets.get_mut(id);
        if packet.dst == node {
            let packet = *packet;
            self.packets.release(id);
            self.deliver(node, &packet);
            return;
        }
        if packet.ttl <= 1 {
            self.drop_packet(node, id, DropReason::TtlExpired);
            return;
        }
        packet.ttl -= 1;
        self.forward(node, id);
    }

    /// A packet has reached its destination: hand it to the transport machine it is for.
    fn deliver(&mut self, node: NodeId, packet: &Packet) {
        match packet.body {
            Body::Tcp(segment) => {
                let mut segment = TcpSegment { ecn: packet.ecn, ..segment };
                if !self.gateways.is_empty() {
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
            Body::Opaque { handle } => {
                self.arrived.push(super::Arrived { at: self.now, node, from: packet.src, hops: packet.hops, handle });
            }
            Body::Arp { .. } | Body::Aodv(_) | Body::Routing | Body::Notice(_) => {
                debug_assert!(false, "they end below the transport")
            }
        }
    }

    fn on_transport_timer(&mut self, flow: FlowId, code: u8, generation: u32) {
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

    fn on_app(&mut self, flow: FlowId) {
        let mut out = std::mem::take(&mut self.app_effects);
        let state = &mut self.flows[flow.index()];
        state.source.on_tick(self.now, &mut state.rng, &mut out);
        for effect in out.drain(..) {
            self.app_effect(flow, effect);
        }
        self.app_effects = out;
    }

    fn on_sample(&mut self) {
        for node in (0..self.nets.len() as u32).map(NodeId) {
            let packets = self.nets[node].queue.len() as u32;
            self.note(Record::QueueLength { node, packets });
        }
        self.note(Record::SampleEnd);
        self.events.push(self.now + self.wiring.sample_interval, Event::Sample);
    }
}
