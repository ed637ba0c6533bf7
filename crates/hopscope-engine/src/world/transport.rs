//! Sockets and applications: an input finds its endpoint here, and the endpoint's effects find the network.

use super::World;
use crate::app::AppEffect;
use crate::channel::Medium;
use crate::event::Event;
use crate::ids::{FlowId, NodeId, SocketId};
use crate::iface::{Interface, Wifi, WireEnd};
use crate::node::Node;
use crate::packet::{Body, Packet, PathOption};
use crate::record::{Classes, Header, Record, Recorder};
use crate::transport::{
    Cx, Endpoint, Neighbours, NodeView, Note, PathEvent, Payload, Protocol, Timer, TransportEffect,
};
use crate::units::{Span, Time};

impl<R: Recorder> World<R> {
    // ---- inputs ----------------------------------------------------------------------------------------------

    /// A packet has reached its destination: the socket at its port takes it.
    pub(super) fn deliver(&mut self, node: NodeId, packet: &Packet) {
        let Some(protocol) = Protocol::of(&packet.body) else {
            debug_assert!(matches!(packet.body, Body::Opaque { .. }), "it ends below the transport");
            return;
        };
        let Some(socket) = self.nodes[node].sockets.find(node, protocol, packet.ports, &self.sockets) else { return };
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
    #[inline(always)]
    pub(super) fn refill(&mut self, node: NodeId, again: bool) {
        if self.wiring.saturating {
            self.refill_sources(node, again);
        }
    }

    fn refill_sources(&mut self, node: NodeId, again: bool) {
        for place in 0..self.nodes[node].sockets.refilling().len() {
            let socket = self.nodes[node].sockets.refilling()[place];
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
        let World { sockets, nodes, wifi, wires, medium, now, .. } = self;
        let socket = &mut sockets[socket];
        let (node, peer) = (socket.node, socket.peer);
        let asks = socket.endpoint.wants_view();
        let node = asks.then(|| view((node, peer), &nodes[node], &wifi[node], wires, medium));
        let given = input(&mut socket.endpoint, &mut Cx { now: *now, out: &mut out, node });
        (given, out)
    }

    // ---- effects ---------------------------------------------------------------------------------------------

    /// Carries out what an endpoint asked for, in order, and keeps the emptied list for the next input.
    fn carry_out_transport(&mut self, socket: SocketId, mut effects: Vec<TransportEffect>) {
        let mut next = 0;
        while let Some(&effect) = effects.get(next) {
            next += 1;
            if let Some(event) = self.transport_effect(socket, effect) {
                let World { sockets, nodes, wifi, wires, medium, now, .. } = self;
                let socket = &mut sockets[socket];
                let (node, peer) = (socket.node, socket.peer);
                let node = Some(view((node, peer), &nodes[node], &wifi[node], wires, medium));
                socket.endpoint.on_path_event(event, &mut Cx { now: *now, out: &mut effects, node });
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
                let node = socket.node;
                if self.nodes[node].sockets.ask_to_wake() {
                    self.events.push(at, Event::Refill { node });
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
        let path = socket.endpoint.wants_path().then(|| PathOption::new(self.now));
        let packet = Packet { flow, ports, path, ..Packet::new(node, peer, bytes, 0, body, self.now) };
        let wants_to_know = socket.endpoint.wants_view();
        self.note(Record::SegmentSent { node, flow, header });
        if !wants_to_know {
            self.originate(packet);
            return None;
        }
        let way = self.nodes[node].way_to(peer);
        let waiting = |world: &Self| match way {
            Interface::Wire { end, .. } => {
                let wire = &world.wires[end as usize];
                (wire.is_free(), wire.port.queue.len())
            }
            Interface::Wifi | Interface::Outside => (world.wifi[node].mac.is_free(), world.wifi[node].port.queue.len()),
        };
        let before = waiting(self);
        let is_routed = self.originate(packet);
        let passes = self.wiring.link_delay > Span::ZERO && !matches!(way, Interface::Wire { .. });
        Some(match (is_routed, passes) {
            (true, true) => PathEvent::Passing,
            (true, false) if waiting(self) != before => PathEvent::Queued,
            (true | false, _) => PathEvent::Held,
        })
    }
}

/// What an endpoint may see of its node, and of the interface by which its packets leave.
#[inline]
fn view<'a>(
    (number, peer): (NodeId, NodeId),
    node: &Node,
    wifi: &'a Wifi,
    wires: &[WireEnd],
    medium: &'a Medium,
) -> NodeView<'a> {
    let queue = match node.way_to(peer) {
        Interface::Wire { end, .. } => &wires[end as usize].port.queue,
        Interface::Wifi | Interface::Outside => &wifi.port.queue,
    };
    NodeView {
        queued: queue.len(),
        is_full: queue.is_full(),
        is_resolving: node.is_resolving(),
        mac: wifi.mac.attempts(),
        neighbours: Neighbours::new(medium, number),
    }
}

#[cfg(test)]
mod tests {
    use crate::config::presets;
    use crate::ids::{FlowId, NodeId, PacketId};
    use crate::packet::PathOption;
    use crate::record::NullRecorder;
    use crate::transport::sockets::FIRST_DYNAMIC;
    use crate::units::{Span, Time};
    use crate::world::World;

    /// Two hops with one datagram every 50 ms.
    fn chain() -> World<NullRecorder> {
        let nodes = vec![[0.0, 0.0], [200.0, 0.0], [400.0, 0.0]];
        let base = presets::base("standard", "wavelan-2M").expect("a profile");
        let mut config = base.clone().config(nodes, Span::from_secs(2));
        let flow = serde_json::json!({
            "from": 0, "to": 2, "transport": "udp", "app": {"kind": "cbr", "rate": 160_000.0}, "packet": 1000,
            "max_window": 4, "start": 0, "ack": "every", "ack_delay": 1, "tcp": base.tcp,
        });
        config.flows.push(serde_json::from_value(flow).expect("a flow"));
        World::new(&config, NullRecorder).expect("a sound scenario")
    }

    #[test]
    fn a_packet_that_asks_learns_of_its_way_at_each_hop() {
        let mut world = chain();
        world.run_until(Time::ZERO + Span::from_millis(1));
        let id = PacketId(0);
        let packet = world.packets.get_mut(id);
        assert_eq!((packet.flow, packet.ports.from, packet.path), (FlowId(0), FIRST_DYNAMIC, None), "nobody has asked");
        let begun = packet.sent;
        packet.path = Some(PathOption::new(begun));
        // Its copy at the relay, on its second hop.
        let relayed = (0..250).find_map(|step| {
            world.run_until(begun + Span::from_micros(100 * step));
            if world.packets.live() < 2 {
                return None;
            }
            let copy = *world.packets.get(PacketId(1));
            (copy.hops == 1).then_some(copy)
        });
        let path = relayed.and_then(|packet| packet.path).expect("what it has learnt");
        assert!(path.largest_delay() > Span::from_millis(4), "a frame of 1000 bytes at 2 Mbit/s: {path:?}");
        assert_eq!(path.non_collision(), 1.0, "alone on the air");
        assert_eq!(world.attempts(NodeId(0)).retries, 0);
    }
}
