//! Sockets and applications: an input finds its endpoint here, and the endpoint's effects find the network.

use super::World;
use crate::app::AppEffect;
use crate::event::Event;
use crate::ids::{FlowId, NodeId, SocketId};
use crate::packet::{Body, Packet};
use crate::record::{Classes, Header, Record, Recorder};
use crate::transport::{Cx, Endpoint, NodeView, Note, PathEvent, Payload, Protocol, Timer, TransportEffect};
use crate::units::{Span, Time};

impl<R: Recorder> World<R> {
    // ---- inputs ----------------------------------------------------------------------------------------------

    /// A packet has reached its destination: the socket at its port takes it.
    pub(super) fn deliver(&mut self, node: NodeId, packet: &Packet) {
        let Some(protocol) = Protocol::of(&packet.body) else {
            debug_assert!(matches!(packet.body, Body::Opaque { .. }), "it ends below the transport");
            return;
        };
        let Some(socket) = self.sockets.find(node, protocol, packet.ports) else { return };
        let (payload, out) = match packet.body {
            Body::Tcp(mut segment) if self.nodes[node].gateway.is_some() => {
                self.pass_gateway(node, packet.flow, &mut segment);
                let packet = Packet { body: Body::Tcp(segment), ..*packet };
                self.hand_up(socket, &packet)
            }
            _ => self.hand_up(socket, packet),
        };
        if let Some(Payload { bytes, duplicate, retransmission }) = payload {
            let (flow, delay) = (self.sockets[socket].receives, self.now - packet.sent);
            self.note(Record::DataReceived { flow, bytes, delay, duplicate, retransmission });
        }
        self.carry_out_transport(socket, out);
    }

    /// A packet goes up to its socket; gives what it brought and what the endpoint wants done.
    #[inline(always)]
    fn hand_up(&mut self, id: SocketId, packet: &Packet) -> (Option<Payload>, Vec<TransportEffect>) {
        let socket = &self.sockets[id];
        let (node, flow, answers) = (socket.node, socket.receives, socket.sends);
        let header = Header::of(&packet.body);
        self.note(Record::SegmentReceived { node, flow, answers, header, delay: self.now - packet.sent });
        self.ask(id, |endpoint, cx| endpoint.on_packet(packet, cx))
    }

    pub(super) fn on_transport_timer(&mut self, socket: SocketId, code: u8, generation: u32) {
        let timer = Timer::ALL[usize::from(code)];
        if !self.sockets[socket].is_current(timer, generation) {
            return;
        }
        let (node, flow) = (self.sockets[socket].node, self.sockets[socket].sends);
        self.note(Record::TimerExpired { node, flow, timer });
        let ((), out) = self.ask(socket, |endpoint, cx| endpoint.on_timer(timer, cx));
        self.carry_out_transport(socket, out);
    }

    /// Sources that fill the interface queue of a node themselves: it has let a packet go, or (`again`) their wait is over.
    pub(super) fn refill(&mut self, node: NodeId, again: bool) {
        if !self.wiring.saturating {
            return;
        }
        for place in 0..self.nodes[node].saturating.len() {
            let socket = self.nodes[node].saturating[place];
            let ((), out) = self.ask(socket, |endpoint, cx| match again {
                true => endpoint.on_timer(Timer::Refill, cx),
                false => endpoint.on_writable(cx),
            });
            self.carry_out_transport(socket, out);
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

    fn app_effect(&mut self, flow: FlowId, effect: AppEffect) {
        let socket = self.flows[flow.index()].socket;
        let ((), out) = match effect {
            AppEffect::Arm { at } => {
                if at < Time::NEVER {
                    self.events.push(at, Event::App { flow });
                }
                return;
            }
            AppEffect::Send { bytes } => self.send(flow, bytes),
            AppEffect::SendForever => self.send(flow, u64::MAX),
            AppEffect::Close => {
                self.note(Record::AppClosed { flow });
                self.ask(socket, |endpoint, cx| endpoint.close(cx))
            }
        };
        self.carry_out_transport(socket, out);
    }

    fn send(&mut self, flow: FlowId, bytes: u64) -> ((), Vec<TransportEffect>) {
        self.note(Record::AppSent { flow, bytes });
        self.ask(self.flows[flow.index()].socket, |endpoint, cx| endpoint.on_send(bytes, cx))
    }

    /// Gives an endpoint an input; what it wants done is left to [`World::carry_out_transport`].
    #[inline(always)]
    fn ask<T>(
        &mut self,
        socket: SocketId,
        input: impl FnOnce(&mut Endpoint, &mut Cx<'_>) -> T,
    ) -> (T, Vec<TransportEffect>) {
        let mut out = std::mem::take(&mut self.transport_effects);
        let node = self.view(socket);
        let given = input(&mut self.sockets[socket].endpoint, &mut Cx { now: self.now, out: &mut out, node });
        (given, out)
    }

    /// What the endpoint may see of its node, if it wants to.
    #[inline]
    fn view(&self, socket: SocketId) -> Option<NodeView> {
        let socket = &self.sockets[socket];
        if !socket.endpoint.wants_view() {
            return None;
        }
        let queue = &self.wifi[socket.node].port.queue;
        let is_resolving = self.nodes[socket.node].is_resolving();
        Some(NodeView { queued: queue.len(), is_full: queue.is_full(), is_resolving })
    }

    // ---- effects ---------------------------------------------------------------------------------------------

    /// Carries out what an endpoint asked for, in order, and keeps the emptied list for the next input.
    fn carry_out_transport(&mut self, socket: SocketId, mut effects: Vec<TransportEffect>) {
        let mut next = 0;
        while let Some(&effect) = effects.get(next) {
            next += 1;
            if let Some(event) = self.transport_effect(socket, effect) {
                let node = self.view(socket);
                let mut cx = Cx { now: self.now, out: &mut effects, node };
                self.sockets[socket].endpoint.on_path_event(event, &mut cx);
            }
        }
        effects.clear();
        self.transport_effects = effects;
        if R::WANTS.has(Classes::WINDOWS) {
            self.note_cwnd(socket);
        }
    }

    fn note_cwnd(&mut self, socket: SocketId) {
        let socket = &self.sockets[socket];
        let Some(sender) = socket.endpoint.sender() else { return };
        let (flow, window) = (socket.sends, sender.cwnd().min(sender.receiver_window()));
        let noted = &mut self.flows[flow.index()].cwnd;
        if *noted != window {
            *noted = window;
            self.note(Record::Window { flow, cwnd: window });
        }
    }

    /// Carries out one effect; tells what became of a packet, where the endpoint wants to know.
    fn transport_effect(&mut self, id: SocketId, effect: TransportEffect) -> Option<PathEvent> {
        let socket = &mut self.sockets[id];
        match effect {
            TransportEffect::Emit(body) => return self.emit(id, body),
            TransportEffect::Arm(Timer::Refill, at) => {
                let node = &mut self.nodes[socket.node];
                if !node.refill_queued {
                    node.refill_queued = true;
                    self.events.push(at, Event::Refill { node: socket.node });
                }
            }
            TransportEffect::Arm(timer, at) => {
                let (node, flow, generation) = (socket.node, socket.sends, socket.renew(timer));
                self.note(Record::TimerArmed { node, flow, timer, until: at });
                self.events.push(at, Event::Transport { socket: id, timer: timer.index() as u8, generation });
            }
            TransportEffect::Disarm(timer) => {
                socket.renew(timer);
            }
            TransportEffect::Deliver { bytes } => {
                let flow = socket.receives;
                self.note(Record::Delivered { flow, bytes });
            }
            TransportEffect::Note(Note::Rtt(rtt)) => {
                let flow = socket.sends;
                self.note(Record::Rtt { flow, rtt });
            }
            TransportEffect::Note(Note::Completed) => {
                let flow = socket.sends;
                self.note(Record::Completed { flow });
            }
            TransportEffect::Note(Note::PeerClosed) => {}
        }
        None
    }

    /// Sends what a socket has emitted.
    fn emit(&mut self, id: SocketId, body: Body) -> Option<PathEvent> {
        let socket = &self.sockets[id];
        let (node, peer, ports) = (socket.node, socket.peer, socket.ports);
        let header = Header::of(&body);
        // An ACK without data belongs to the data that it acknowledges.
        let flow = if header.is_data { socket.sends } else { socket.receives };
        let bytes = socket.endpoint.packet_bytes(&body);
        let wants_to_know = socket.endpoint.wants_view();
        self.note(Record::SegmentSent { node, flow, header });
        if !wants_to_know {
            self.originate(node, peer, bytes, body, flow, ports);
            return None;
        }
        let waiting = |world: &Self| (world.wifi[node].mac.is_free(), world.wifi[node].port.queue.len());
        let before = waiting(self);
        let is_routed = self.originate(node, peer, bytes, body, flow, ports);
        let passes = self.wiring.link_delay > Span::ZERO;
        Some(match (is_routed, passes) {
            (true, true) => PathEvent::Passing,
            (true, false) if waiting(self) != before => PathEvent::Queued,
            (true | false, _) => PathEvent::Held,
        })
    }
}
