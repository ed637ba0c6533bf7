//! The second table of the world: every effect of a machine becomes the input of the one below, an entry of the event
//! queue, or an item of work.
//!
//! From the top it is the way of a packet to the antenna: what an application wants done, then a transport, routing,
//! the port of an interface, and the MAC, whose frame goes on the air (`radio.rs`).

use super::World;
use super::work::Work;
use crate::app::AppEffect;
use crate::record::{Classes, DropReason, Record, Recorder};
use hopscope_core::event::Event;
use hopscope_core::ids::{FlowId, NodeId, PacketId, SocketId};
use hopscope_core::units::Time;
use hopscope_mac::MacEffects;
use hopscope_net::iface::port::PortEffect;
use hopscope_net::routing::{RouteLoss, RoutingEffect, RoutingNote};
use hopscope_packet::Ecn;
use hopscope_tcp::endpoint::{Cx, Note, PathEvent, Timer, TransportEffect};
impl<R: Recorder> World<R> {
    pub(super) fn app_effect(&mut self, flow: FlowId, effect: AppEffect) {
        match effect {
            AppEffect::Arm { at } => {
                self.flows[flow.index()].source.armed(at);
                if at < Time::NEVER {
                    self.events.push(at, Event::App { flow });
                }
            }
            AppEffect::Send { bytes } => self.send(flow, bytes),
            // No file is as long, so this is without end.
            AppEffect::SendForever => self.send(flow, u64::MAX),
            AppEffect::Close => {
                self.note(Record::AppClosed { flow });
                self.transport_input(self.flows[flow.index()].socket, |endpoint, cx| endpoint.close(cx));
            }
        }
    }

    /// Carries out what an endpoint asked for, in order, and keeps the emptied list for the next input.
    pub(super) fn transport_effects(&mut self, id: SocketId, mut effects: Vec<TransportEffect>) {
        let mut next = 0;
        // By place: an endpoint that hears what has become of its packet adds to the list that is being carried out.
        while let Some(&effect) = effects.get(next) {
            next += 1;
            if let Some(event) = self.transport_effect(id, effect) {
                let (node, peer) = (self.sockets[id].node, self.sockets[id].peer);
                let radio = self.radio_towards(node, peer);
                let World { sockets, nodes, wifi, wires, now, .. } = self;
                let socket = &mut sockets[id];
                let node = Some(nodes[node].view(peer, &wifi[radio], wires));
                socket.endpoint.on_path_event(event, &mut Cx { now: *now, out: &mut effects, node, path_info: None });
            }
        }
        effects.clear();
        self.transport_effects = effects;
        if R::WANTS.has(Classes::WINDOWS) {
            self.note_window(id);
        }
    }

    /// Carries out one effect; returns what became of a packet, where the endpoint wants to know.
    fn transport_effect(&mut self, id: SocketId, effect: TransportEffect) -> Option<PathEvent> {
        let socket = &mut self.sockets[id];
        match effect {
            TransportEffect::Emit(body) => return self.emit(id, body),
            TransportEffect::Arm(timer @ Timer::Refill, at) => {
                let (node, flow) = (socket.node, socket.sends);
                // One wake-up serves all sources of the node.
                if self.nodes[node].sockets.request_wakeup() {
                    self.note(Record::TimerArmed { node, flow, timer, until: at });
                    self.events.push(at, Event::Refill { node });
                }
            }
            TransportEffect::Arm(timer, at) => {
                let (node, flow, generation) = (socket.node, socket.sends, socket.renew(timer));
                self.note(Record::TimerArmed { node, flow, timer, until: at });
                self.events.push(at, Event::Transport { socket: id, timer: timer.index() as u8, generation });
            }
            // Nothing is taken out of the queue: the event comes up with an old generation.
            TransportEffect::Disarm(timer) => {
                socket.renew(timer);
                let (node, flow) = (socket.node, socket.sends);
                self.note(Record::TimerStopped { node, flow, timer });
            }
            TransportEffect::Deliver { bytes } => {
                let flow = socket.receives;
                self.note(Record::Delivered { flow, bytes });
            }
            TransportEffect::Note(Note::Rtt(rtt)) => {
                let flow = socket.sends;
                self.note(Record::Rtt { flow, rtt });
            }
            TransportEffect::Note(Note::AckWindow(segments)) => {
                let flow = socket.receives;
                self.note(Record::AckWindow { flow, segments });
            }
            TransportEffect::Note(Note::Rate(rate)) => {
                let flow = socket.sends;
                self.note(Record::SendingRate { flow, rate });
            }
            TransportEffect::Note(Note::Completed) => {
                let flow = socket.sends;
                self.note(Record::Completed { flow });
            }
            TransportEffect::Note(Note::PeerClosed) => {}
            TransportEffect::Note(Note::Reset(code)) => {
                let flow = socket.sends;
                self.note(Record::Reset { flow, code });
            }
        }
        None
    }

    pub(super) fn routing_effect(&mut self, node: NodeId, effect: RoutingEffect) {
        match effect {
            RoutingEffect::Broadcast { message, interface, ttl, delay } => {
                self.send_message(node, (NodeId::BROADCAST, interface), ttl, message, delay);
            }
            RoutingEffect::Unicast { message, to, interface, ttl, delay } => {
                self.send_message(node, (to, interface), ttl, message, delay);
            }
            RoutingEffect::Forward { packet, next_hop, interface, delay } => {
                self.packets.get_mut(packet).next_hop = next_hop;
                if let Some(radio) = interface {
                    self.choose_radio(packet, radio);
                }
                self.send_later(node, packet, delay);
            }
            RoutingEffect::SetSourceRoute { packet, route } => self.packets.set_source_route(packet, route),
            RoutingEffect::Drop { packet, reason } => self.drop_packet(node, packet, reason),
            RoutingEffect::FlushNextHop { next_hop } => {
                while let Some(packet) = self.take_waiting(node, next_hop) {
                    self.drop_packet(node, packet, DropReason::LinkFailed);
                }
            }
            RoutingEffect::RecallNextHop { next_hop } => {
                // All leave the queue first: the machine may send some of them to this neighbour again.
                while let Some(packet) = self.take_waiting(node, next_hop) {
                    let via = self.packets.get(packet).via;
                    self.note(Record::Dequeued { node, via, packet });
                    self.work.push(Work::LinkFailed { node, packet, reason: DropReason::RetryLimit });
                }
            }
            RoutingEffect::Arm(timer, at) => {
                if let Some(name) = self.routing_timer(node, timer) {
                    self.note(Record::RoutingTimerArmed { node, timer: name, until: at });
                }
                self.events.push(at, Event::Routing { node, timer });
            }
            RoutingEffect::Note(note) => {
                let in_range = self.is_false_alarm(node, note);
                self.note(Record::Routing { node, note, in_range });
                let (dst, event) = match note {
                    // A route that nobody used is no sign of a broken path.
                    RoutingNote::RouteDown { dst, cause: RouteLoss::Expired } => (dst, PathEvent::RouteExpired),
                    RoutingNote::RouteDown { dst, .. } => (dst, PathEvent::RouteFailed),
                    RoutingNote::RouteUp { dst, .. } => (dst, PathEvent::RouteFound),
                    RoutingNote::HopsChanged { .. }
                    | RoutingNote::LinkQuality { .. }
                    | RoutingNote::SearchStarted { .. }
                    | RoutingNote::SearchDone { .. }
                    | RoutingNote::SearchFailed { .. }
                    | RoutingNote::LinkLost { .. } => return,
                };
                self.work.push(Work::RouteChanged { node, dst, event });
            }
        }
    }

    /// Carries out what the port of the interface `via` wants done and keeps the emptied list; true when it has dropped
    /// `watched`.
    pub(super) fn port_effects(
        &mut self,
        node: NodeId,
        via: u8,
        mut effects: Vec<PortEffect>,
        watched: PacketId,
    ) -> bool {
        let mut is_lost = false;
        for effect in effects.drain(..) {
            match effect {
                PortEffect::Join(packet) => self.note(Record::Queued { node, via, packet }),
                // The caller has to know when the packet at hand is among those lost.
                PortEffect::Drop(packet, reason) => {
                    is_lost |= packet == watched;
                    self.drop_packet(node, packet, reason);
                }
                PortEffect::Mark(packet, by) => {
                    self.packets.get_mut(packet).ecn = Ecn::Ce;
                    self.note(Record::Marked { node, packet, by });
                }
                PortEffect::Wake(at) => {
                    self.note(Record::HeldBack { node });
                    self.events.push(at, Event::Link { node });
                }
                PortEffect::Hold => self.note(Record::HeldBack { node }),
            }
        }
        self.port_effects = effects;
        is_lost
    }

    #[inline(always)]
    pub(super) fn note_sifs(&mut self, node: NodeId, place: u32, until: Time) {
        if R::WANTS.has(Classes::MAC) {
            let then = self.wifi.at(place).after_sifs();
            self.note(Record::SifsBegan { node, until, then });
        }
    }

    #[inline(always)]
    pub(super) fn mac_effects(&mut self, node: NodeId, place: u32, effects: &MacEffects) {
        if effects.failed {
            self.note(Record::AttemptFailed { node });
        }
        // Rates change with what became of an attempt, so nobody asks in between.
        if R::WANTS.has(Classes::MAC) && (effects.failed || effects.done.is_some()) {
            self.note_rate(node);
        }
        if let Some(frame) = &effects.transmit {
            self.transmit(frame);
        }
        if let Some((at, generation)) = effects.arm_sifs {
            self.note_sifs(node, place, at);
            // Not into the queue: most often nothing comes before its end (`sifs.rs`).
            self.sifs.begin(node, at, generation);
        }
        if let Some((at, generation)) = effects.arm_response {
            self.events.push(at, Event::ResponseTimeout { node, generation });
        }
        if let Some(at) = effects.arm_access {
            self.events.push(at, Event::Access { node });
        }
        if let Some((packet, from)) = effects.deliver {
            self.work.push(Work::ExternalArrival { node, packet, from });
        }
        if let Some((packet, outcome)) = effects.done {
            self.mac_done(node, packet, outcome);
        }
    }
}
