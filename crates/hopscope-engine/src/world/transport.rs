//! Applications, sockets and their endpoints: what they send, what comes for them, their timers, and what they hear of
//! their paths.

use super::World;
use crate::record::{Header, Record, Recorder};
use hopscope_core::event::TransportGeneration;
use hopscope_core::ids::{FlowId, NodeId, SocketId};
use hopscope_packet::{Body, Packet};
use hopscope_tcp::endpoint::{Cx, PathEvent, Payload, Timer, TransportEffect};
use hopscope_transport::{Endpoint, Protocol, Socket};
impl<R: Recorder> World<R> {
    pub(super) fn on_app(&mut self, flow: FlowId) {
        let mut out = std::mem::take(&mut self.app_effects);
        let state = &mut self.flows[flow.index()];
        // A change has armed another instant since.
        if !state.source.is_due(self.now) {
            self.app_effects = out;
            return;
        }
        state.source.on_tick(self.now, &mut state.rng, &mut out);
        for effect in out.drain(..) {
            self.app_effect(flow, effect);
        }
        self.app_effects = out;
    }

    pub(super) fn send(&mut self, flow: FlowId, bytes: u64) {
        self.note(Record::AppSent { flow, bytes });
        self.transport_input(self.flows[flow.index()].socket, |endpoint, cx| endpoint.on_send(bytes, cx));
    }

    /// Sends what a socket has emitted.
    pub(super) fn emit(&mut self, id: SocketId, body: Body) -> Option<PathEvent> {
        let socket = &self.sockets[id];
        let (node, wants_to_know) = (socket.node, socket.endpoint.wants_view());
        let packet = socket.packet(body, self.now);
        self.note(Record::SegmentSent { node, flow: packet.flow, header: Header::of(&body) });
        let event = self.originate(packet);
        wants_to_know.then_some(event)
    }

    /// A packet has reached its destination: the socket at its port takes it.
    pub(super) fn deliver(&mut self, node: NodeId, packet: &mut Packet) {
        let Some(protocol) = Protocol::of(&packet.body) else {
            debug_assert!(
                matches!(packet.body, Body::Opaque { .. } | Body::PathNotice(_)),
                "it ends below the transport"
            );
            if let Body::PathNotice(notice) = packet.body {
                self.on_path_notice(node, packet.prev_hop, notice);
            }
            return;
        };
        // No socket at the port: the packet is ignored, where a host would answer by a reset (RFC 9293 3.5.2) or
        // ICMP.
        let Some(id) = self.nodes[node].sockets.find(node, protocol, packet.ports, &self.sockets) else { return };
        if let Some(gateway) = &mut self.nodes[node].gateway {
            gateway.pass(packet, self.now);
        }
        let socket = &self.sockets[id];
        let (flow, answers, delay) = (socket.receives, socket.sends, self.now - packet.sent);
        self.note(Record::SegmentReceived { node, flow, answers, header: Header::of(&packet.body), delay });
        let (payload, out) = self.ask(id, |endpoint, cx| {
            cx.path_info = Some(packet.path_info());
            endpoint.on_packet(packet, cx)
        });
        if let Some(Payload { bytes, duplicate, retransmission }) = payload {
            self.note(Record::DataReceived { flow, bytes, delay, duplicate, retransmission });
            if self.wiring.path_lengths {
                self.note_path(flow, packet);
            }
        }
        self.transport_effects(id, out);
    }

    pub(super) fn on_transport_timer(&mut self, id: SocketId, code: u8, generation: TransportGeneration) {
        let timer = Timer::ALL[usize::from(code)];
        let socket = &self.sockets[id];
        if !socket.is_current(timer, generation) {
            return;
        }
        self.note(Record::TimerExpired { node: socket.node, flow: socket.sends, timer });
        self.transport_input(id, |endpoint, cx| endpoint.on_timer(timer, cx));
    }

    /// Sources that fill the interface queue of a node themselves: it has let a packet go, or (`again`) their wait is
    /// over.
    #[inline(always)]
    pub(super) fn refill(&mut self, node: NodeId, again: bool) {
        if self.wiring.saturating {
            self.refill_sources(node, again);
        }
    }

    fn refill_sources(&mut self, node: NodeId, again: bool) {
        let mut sent = None;
        for place in 0..self.nodes[node].sockets.refilling().len() {
            let socket = self.nodes[node].sockets.refilling()[place];
            if again {
                self.note(Record::TimerExpired { node, flow: self.sockets[socket].sends, timer: Timer::Refill });
            }
            let ((), out) = self.ask(socket, |endpoint, cx| match again {
                true => endpoint.on_timer(Timer::Refill, cx),
                false => endpoint.on_writable(cx),
            });
            if out.iter().any(|effect| matches!(effect, TransportEffect::Emit(_))) {
                // Who has sent goes to the end of the row: the next round begins behind it.
                sent = Some(place);
            }
            self.transport_effects(socket, out);
        }
        if let Some(place) = sent {
            self.nodes[node].sockets.next_after(place);
        }
    }

    /// The route from `node` to `dst` has ended or is there again: its sockets hear of it.
    #[cold]
    #[inline(never)]
    pub(super) fn on_route_change(&mut self, node: NodeId, dst: NodeId, event: PathEvent) {
        let notice = if self.notices.is_some() { self.on_route_change_notice(node, dst, event) } else { Some(event) };
        let Some(event) = notice else { return };
        for place in 0..self.nodes[node].sockets.count() {
            let id = self.nodes[node].sockets.at(place);
            let Socket { peer, endpoint, .. } = &self.sockets[id];
            // That there is a route again matters to transports that froze; others find out by sending.
            if *peer == dst && (event != PathEvent::RouteFound || endpoint.needs_route_events()) {
                self.notify_endpoint(id, event);
            }
        }
    }

    /// A socket hears of its path. One that does nothing about it shows no window: it may not have begun.
    pub(super) fn notify_endpoint(&mut self, id: SocketId, event: PathEvent) {
        let ((), out) = self.ask(id, |endpoint, cx| endpoint.on_path_event(event, cx));
        if out.is_empty() {
            self.transport_effects = out;
        } else {
            self.transport_effects(id, out);
        }
    }

    /// One input to an endpoint, and its effects carried out.
    pub(super) fn transport_input(&mut self, id: SocketId, input: impl FnOnce(&mut Endpoint, &mut Cx<'_>)) {
        let ((), out) = self.ask(id, input);
        self.transport_effects(id, out);
    }

    /// Gives an endpoint an input; what it wants done is left to [`World::transport_effects`].
    #[inline(always)]
    fn ask<T>(
        &mut self,
        id: SocketId,
        input: impl FnOnce(&mut Endpoint, &mut Cx<'_>) -> T,
    ) -> (T, Vec<TransportEffect>) {
        let mut out = std::mem::take(&mut self.transport_effects);
        let Socket { node, peer, endpoint, .. } = &self.sockets[id];
        let (node, peer) = (*node, *peer);
        // Few endpoints ask, and every input would pay for it.
        let asks = endpoint.wants_view() || endpoint.sees_node();
        let radio = if asks { self.radio_towards(node, peer) } else { node };
        let World { sockets, nodes, wifi, wires, now, .. } = self;
        let socket = &mut sockets[id];
        let node = asks.then(|| nodes[node].view(peer, &wifi[radio], wires));
        let given = input(&mut socket.endpoint, &mut Cx { now: *now, out: &mut out, node, path_info: None });
        (given, out)
    }

    pub(super) fn note_window(&mut self, id: SocketId) {
        let socket = &self.sockets[id];
        let Some((cwnd, ssthresh, flight)) = socket.endpoint.window() else { return };
        let flow = socket.sends;
        let noted = &mut self.flows[flow.index()].window;
        if *noted != (cwnd, ssthresh) {
            *noted = (cwnd, ssthresh);
            self.note(Record::Window { flow, cwnd, ssthresh, flight });
        }
    }
}
