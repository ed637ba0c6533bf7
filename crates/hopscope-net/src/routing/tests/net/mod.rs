//! A network of machines in virtual time. Every node has an interface queue; a frame takes 1 ms over a link that is there
//! and fails after 5 ms over one that is not.

mod mac;
mod views;

use std::collections::{BTreeMap, VecDeque};

pub use mac::{Constants, STEADY, SteadyMac, cx};

use crate::routing::{Cx, Lost, Query, RouteAnswer, Router, RoutingEffect, RoutingNote};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};
use hopscope_mac::Failures;
use hopscope_packet::DropReason;
use hopscope_packet::arena::Extension;
use hopscope_packet::batman::BatmanMessage;
use hopscope_packet::dsr::SourceRoute;
use hopscope_packet::routing::RoutingMessage;

/// Time a frame takes.
pub const FRAME: Span = Span::from_millis(1);
const RETRIES: Span = Span::from_millis(5);
/// Hops a packet may take.
const TTL: u8 = 64;

pub fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// Where a packet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Moving,
    HeldBy(NodeId),
    Delivered,
    /// Its time to live is used up.
    TooFar,
    Dropped(DropReason),
}

#[derive(Debug, Clone)]
pub struct Packet {
    pub src: NodeId,
    pub dst: NodeId,
    pub hops: u8,
    pub place: Place,
    pub route: Option<SourceRoute>,
    /// Every node it was at, in order.
    pub trail: Vec<u32>,
    /// Radios that it left those nodes by, as far as routing chose them.
    pub radios: Vec<Option<u8>>,
}

/// A line of the log: what a machine did.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    Sent { message: RoutingMessage, to: Option<u32>, radio: Option<u8>, ttl: u8 },
    Forwarded { packet: PacketId, next_hop: NodeId },
    Dropped { packet: PacketId, reason: DropReason },
    Flush(NodeId),
    Recall(NodeId),
    Note(RoutingNote),
}

/// An entry of an interface queue.
#[derive(Debug, Clone)]
enum Frame {
    Message { to: Option<NodeId>, radio: Option<u8>, message: RoutingMessage, ttl: u8 },
    Data { to: NodeId, radio: Option<u8>, packet: PacketId },
}

impl Frame {
    fn to(&self) -> Option<NodeId> {
        match self {
            Frame::Message { to, .. } => *to,
            Frame::Data { to, .. } => Some(*to),
        }
    }

    fn radio(&self) -> Option<u8> {
        match self {
            Frame::Message { radio, .. } | Frame::Data { radio, .. } => *radio,
        }
    }
}

#[derive(Debug, Clone)]
enum Event {
    Data { at: NodeId, prev: Option<NodeId>, packet: PacketId },
    Queue { at: NodeId, frame: Frame },
    Sent { at: NodeId, frame: Frame, arrives: bool },
    Message { at: NodeId, from: NodeId, radio: u8, message: RoutingMessage, ttl: u8 },
    Timer { at: NodeId, timer: u8 },
    Link { a: usize, b: usize, up: bool },
}

pub struct Net {
    pub nodes: Vec<Router>,
    pub packets: Vec<Packet>,
    pub log: Vec<(Time, u32, Line)>,
    pub now: Time,
    /// Part of the broadcast copies that get lost.
    pub loss: f64,
    /// The same of single links, on top: `losses[&(a, b)]` of what `b` hears of `a`. Unicast is repeated until it comes.
    pub losses: BTreeMap<(usize, usize), f64>,
    /// The same of one channel: the radio of that number at both nodes is on it. With 1 they do not hear each other there.
    pub channel_losses: BTreeMap<(usize, usize, u8), f64>,
    /// Attempts of each unicast frame of a link that fail before one succeeds.
    pub retries: BTreeMap<(usize, usize), u32>,
    macs: Vec<SteadyMac>,
    /// `links[a][b]`: `b` hears `a`.
    pub links: Vec<Vec<bool>>,
    queues: Vec<VecDeque<Frame>>,
    busy: Vec<bool>,
    rngs: Vec<Stream>,
    events: BTreeMap<(Time, u64), Event>,
    count: u64,
    chance: Stream,
}

impl Net {
    /// Machines without links, started at 0.
    pub fn new<C: Constants>(nodes: usize, cfg: &C, seed: u64) -> Self {
        Net::of(std::iter::repeat_n(cfg, nodes), seed)
    }

    /// Machines without links, one for each set of constants, started at 0.
    pub fn of<'a, C: Constants + 'a>(cfgs: impl IntoIterator<Item = &'a C>, seed: u64) -> Self {
        Net::with_radios(1, cfgs, seed)
    }

    /// The same, each with so many radios.
    pub fn with_radios<'a, C: Constants + 'a>(radios: u8, cfgs: impl IntoIterator<Item = &'a C>, seed: u64) -> Self {
        let (nodes, macs): (Vec<_>, Vec<_>) = (0..)
            .zip(cfgs)
            .map(|(i, cfg)| {
                let failures = cfg.failure_rule().map(Failures::new);
                (cfg.machine(NodeId(i)), SteadyMac { radios, failures, ..STEADY })
            })
            .unzip();
        let count = nodes.len();
        let mut net = Net {
            nodes,
            packets: Vec::new(),
            log: Vec::new(),
            now: Time::ZERO,
            loss: 0.0,
            losses: BTreeMap::new(),
            channel_losses: BTreeMap::new(),
            retries: BTreeMap::new(),
            macs,
            links: vec![vec![false; count]; count],
            queues: vec![VecDeque::new(); count],
            busy: vec![false; count],
            rngs: (0..count).map(|i| Stream::derive(seed, 0, i as u64, Purpose::RoutingJitter)).collect(),
            events: BTreeMap::new(),
            count: 0,
            chance: Stream::derive(seed, 0, 0, Purpose::Error),
        };
        for i in 0..count {
            net.input(i, Router::start);
        }
        net
    }

    /// The same with these links.
    pub fn linked<C: Constants>(nodes: usize, links: &[(usize, usize)], cfg: &C) -> Self {
        let mut net = Net::new(nodes, cfg, 1);
        for &(a, b) in links {
            net.set_link(a, b, true);
        }
        net
    }

    pub fn chain<C: Constants>(nodes: usize, cfg: &C) -> Self {
        let links: Vec<_> = (1..nodes).map(|i| (i - 1, i)).collect();
        Net::linked(nodes, &links, cfg)
    }

    pub fn set_link(&mut self, a: usize, b: usize, up: bool) {
        (self.links[a][b], self.links[b][a]) = (up, up);
    }

    /// A link is up and loses a part of the broadcast copies in both directions.
    pub fn set_lossy(&mut self, a: usize, b: usize, loss: f64) {
        self.set_link(a, b, true);
        self.losses.extend([((a, b), loss), ((b, a), loss)]);
    }

    /// Broadcast copies of one channel get lost in both directions.
    pub fn set_channel(&mut self, a: usize, b: usize, radio: u8, loss: f64) {
        self.channel_losses.extend([((a, b, radio), loss), ((b, a, radio), loss)]);
    }

    /// `b` hears `a` on a channel.
    fn hears(&self, a: usize, b: usize, radio: u8) -> bool {
        self.links[a][b] && self.channel_losses.get(&(a, b, radio)).is_none_or(|&loss| loss < 1.0)
    }

    /// The radio that a unicast frame leaves by: the one that is asked for, or the first on whose channel the other hears it.
    fn radio_to(&self, a: usize, b: usize, wanted: Option<u8>) -> u8 {
        let first = || (0..self.macs[a].radios).find(|&radio| self.hears(a, b, radio));
        wanted.or_else(first).unwrap_or(0)
    }

    /// A broadcast copy that leaves `a` comes to `b`.
    fn arrives(&mut self, a: usize, b: usize, radio: u8) -> bool {
        let single = self.losses.get(&(a, b)).copied().unwrap_or(0.0);
        let channel = self.channel_losses.get(&(a, b, radio)).copied().unwrap_or(0.0);
        let comes = (1.0 - self.loss) * (1.0 - single) * (1.0 - channel);
        self.links[a][b] && self.chance.uniform() >= 1.0 - comes
    }

    pub fn link_at(&mut self, at: Time, a: usize, b: usize, up: bool) {
        self.push(at, Event::Link { a, b, up });
    }

    /// A packet originates at `src`.
    pub fn send_at(&mut self, at: Time, src: usize, dst: usize) -> PacketId {
        let packet = self.packet_of(src, dst, Place::Moving);
        self.push(at, Event::Data { at: NodeId(src as u32), prev: None, packet });
        packet
    }

    /// The MAC of `node` gives up a packet of its own that was for the neighbour `next_hop`.
    pub fn give_up(&mut self, node: usize, next_hop: usize) -> PacketId {
        let packet = self.packet_of(node, next_hop, Place::Moving);
        self.fail(NodeId(node as u32), Frame::Data { to: NodeId(next_hop as u32), radio: None, packet });
        packet
    }

    fn packet_of(&mut self, src: usize, dst: usize, place: Place) -> PacketId {
        let (src, dst) = (NodeId(src as u32), NodeId(dst as u32));
        self.packets.push(Packet { src, dst, hops: 0, place, route: None, trail: Vec::new(), radios: Vec::new() });
        PacketId(self.packets.len() as u32 - 1)
    }

    pub fn packet(&self, packet: PacketId) -> &Packet {
        &self.packets[packet.index()]
    }

    pub fn place(&self, packet: PacketId) -> Place {
        self.packet(packet).place
    }

    /// Runs up to and with `until`, calling `check` after every event.
    pub fn run_checked(&mut self, until: Time, mut check: impl FnMut(&mut Net)) {
        while let Some(entry) = self.events.first_entry() {
            if entry.key().0 > until {
                break;
            }
            let ((at, _), event) = entry.remove_entry();
            self.now = at;
            self.step(event);
            check(self);
        }
        self.now = until;
    }

    pub fn run(&mut self, until: Time) {
        self.run_checked(until, |_| ());
    }

    /// Gives a machine an input and carries out what it wants done.
    pub fn input<T>(&mut self, node: usize, input: impl FnOnce(&mut Router, &mut Cx) -> T) -> T {
        self.input_by(node, 0, input)
    }

    /// The same for an input that concerns one radio.
    fn input_by<T>(&mut self, node: usize, interface: u8, input: impl FnOnce(&mut Router, &mut Cx) -> T) -> T {
        let mut out = Vec::new();
        let (rng, link) = (&mut self.rngs[node], &self.macs[node]);
        let answer = input(&mut self.nodes[node], &mut Cx { now: self.now, interface, link, rng, out: &mut out });
        for effect in out {
            self.effect(NodeId(node as u32), effect);
        }
        answer
    }

    fn push(&mut self, at: Time, event: Event) {
        self.count += 1;
        self.events.insert((at, self.count), event);
    }

    fn step(&mut self, event: Event) {
        match event {
            Event::Data { at, prev, packet } => self.data(at, prev, packet),
            Event::Queue { at, frame } => {
                self.queues[at.index()].push_back(frame);
                self.transmit(at);
            }
            Event::Sent { at, frame, arrives } => {
                self.busy[at.index()] = false;
                self.end(at, frame, arrives);
                self.transmit(at);
            }
            Event::Message { at, from, radio, message, ttl } => {
                self.input_by(at.index(), radio, |router, cx| router.on_message(from, ttl, &message, cx));
            }
            Event::Timer { at, timer } => self.input(at.index(), |router, cx| router.on_timer(timer, cx)),
            Event::Link { a, b, up } => self.set_link(a, b, up),
        }
    }

    /// Puts the head of a node's queue on the air.
    fn transmit(&mut self, at: NodeId) {
        if self.busy[at.index()] {
            return;
        }
        let Some(frame) = self.queues[at.index()].pop_front() else { return };
        self.busy[at.index()] = true;
        let arrives = frame.to().is_none_or(|to| {
            let radio = self.radio_to(at.index(), to.index(), frame.radio());
            self.hears(at.index(), to.index(), radio)
        });
        self.push(self.now + if arrives { FRAME } else { RETRIES }, Event::Sent { at, frame, arrives });
    }

    fn end(&mut self, at: NodeId, frame: Frame, arrives: bool) {
        if let (Some(to), Some(failures)) = (frame.to(), &mut self.macs[at.index()].failures) {
            let tries = self.retries.get(&(at.index(), to.index())).copied().unwrap_or(0);
            failures.on_unanswered(to, tries);
            if arrives {
                failures.on_acknowledged(to, self.now);
            } else {
                failures.on_given_up(to, self.now);
            }
        }
        match frame {
            Frame::Message { to: None, radio, message, ttl } => {
                let all = 0..self.macs[at.index()].radios;
                for radio in radio.map_or(all, |radio| radio..radio + 1) {
                    self.spread(at, radio, &message, ttl);
                }
            }
            Frame::Message { to: Some(to), radio, message, ttl } if arrives => {
                self.overhear(at, to, &Extension::Message(message.clone()));
                let radio = self.radio_to(at.index(), to.index(), radio);
                self.push(self.now, Event::Message { at: to, from: at, radio, message, ttl });
            }
            Frame::Data { to, packet, .. } if arrives => {
                if let Some(route) = self.packet(packet).route.clone() {
                    self.overhear(at, to, &Extension::SourceRoute(route));
                }
                self.push(self.now, Event::Data { at: to, prev: Some(at), packet });
            }
            frame => self.fail(at, frame),
        }
    }

    /// A broadcast goes out on a channel.
    fn spread(&mut self, at: NodeId, radio: u8, message: &RoutingMessage, ttl: u8) {
        for to in 0..self.nodes.len() {
            if self.arrives(at.index(), to, radio) {
                let (to, message) = (NodeId(to as u32), message.clone());
                self.push(self.now, Event::Message { at: to, from: at, radio, message, ttl });
            }
        }
    }

    /// Other neighbours of `at` receive a frame for `to`.
    fn overhear(&mut self, at: NodeId, to: NodeId, carried: &Extension) {
        for node in 0..self.nodes.len() {
            if self.links[at.index()][node] && node != to.index() {
                self.input(node, |router, cx| router.on_overheard(at, carried, cx));
            }
        }
    }

    fn fail(&mut self, at: NodeId, frame: Frame) {
        let to = frame.to().expect("broadcasts do not fail");
        let radio = self.radio_to(at.index(), to.index(), frame.radio());
        match frame {
            Frame::Message { .. } => {
                self.input_by(at.index(), radio, |router, cx| router.on_link_failure(to, None, cx));
            }
            Frame::Data { packet, .. } => {
                let state = &mut self.packets[packet.index()];
                assert_eq!(state.place, Place::Moving);
                state.place = Place::HeldBy(at);
                let Packet { src, dst, hops, ref route, .. } = *state;
                let route = route.clone();
                let lost = Lost { packet, src, dst, hops, source_route: route.as_ref() };
                self.input_by(at.index(), radio, |router, cx| router.on_link_failure(to, Some(&lost), cx));
            }
        }
    }

    fn data(&mut self, at: NodeId, prev: Option<NodeId>, packet: PacketId) {
        let state = &mut self.packets[packet.index()];
        assert_eq!(state.place, Place::Moving, "packet {packet} is where it is said to be");
        state.hops += u8::from(prev.is_some());
        state.trail.push(at.0);
        let Packet { src, dst, hops, ref route, .. } = *state;
        let route = route.clone();
        if let Some(prev) = prev {
            if !self.nodes[at.index()].on_reception(prev, route.as_ref(), self.now) {
                self.packets[packet.index()].place = Place::Dropped(DropReason::LinkFailed);
                return;
            }
        }
        if at == dst || hops >= TTL {
            state.place = if at == dst { Place::Delivered } else { Place::TooFar };
            return;
        }
        // The machine may speak of the packet before it answers.
        state.place = Place::HeldBy(at);
        let query = Query { packet, src, dst, prev, source_route: route.as_ref() };
        match self.input(at.index(), |router, cx| router.route(&query, cx)) {
            RouteAnswer::Held => {}
            RouteAnswer::Via(to) => self.send(at, to, None, packet),
            RouteAnswer::ViaInterface(to, radio) => self.send(at, to, Some(radio), packet),
            RouteAnswer::Drop(reason) => self.packets[packet.index()].place = Place::Dropped(reason),
        }
    }

    /// Data leaves for a neighbour.
    fn send(&mut self, at: NodeId, to: NodeId, radio: Option<u8>, packet: PacketId) {
        let state = &mut self.packets[packet.index()];
        state.place = Place::Moving;
        state.radios.push(radio);
        self.push(self.now, Event::Queue { at, frame: Frame::Data { to, radio, packet } });
    }

    fn effect(&mut self, node: NodeId, effect: RoutingEffect) {
        let now = self.now;
        match effect {
            RoutingEffect::Broadcast { message, interface, ttl, delay } => {
                self.say(node, (None, interface), message, ttl, delay);
            }
            RoutingEffect::Unicast { message, to, interface, ttl, delay } => {
                self.say(node, (Some(to), interface), message, ttl, delay);
            }
            RoutingEffect::Forward { packet, next_hop, interface, delay } => {
                self.leaves(node, packet, Place::Moving);
                self.log(node, Line::Forwarded { packet, next_hop });
                self.packets[packet.index()].radios.push(interface);
                self.push(
                    now + delay,
                    Event::Queue { at: node, frame: Frame::Data { to: next_hop, radio: interface, packet } },
                );
            }
            RoutingEffect::SetSourceRoute { packet, route } => {
                let state = &mut self.packets[packet.index()];
                assert_eq!(state.place, Place::HeldBy(node), "only the holder of packet {packet} gives it a route");
                assert_eq!((route.path[0], route.path.last()), (node, Some(&state.dst)));
                let once = |at: usize| !route.path[..at].contains(&route.path[at]);
                assert!((0..route.path.len()).all(once), "a node stands twice in {route:?}");
                state.route = Some(route);
            }
            RoutingEffect::Drop { packet, reason } => {
                self.leaves(node, packet, Place::Dropped(reason));
                self.log(node, Line::Dropped { packet, reason });
            }
            RoutingEffect::FlushNextHop { next_hop } => {
                self.log(node, Line::Flush(next_hop));
                for frame in self.unqueue(node, next_hop) {
                    if let Frame::Data { packet, .. } = frame {
                        self.packets[packet.index()].place = Place::Dropped(DropReason::LinkFailed);
                    }
                }
            }
            RoutingEffect::RecallNextHop { next_hop } => {
                self.log(node, Line::Recall(next_hop));
                for frame in self.unqueue(node, next_hop) {
                    self.fail(node, frame);
                }
            }
            RoutingEffect::Arm(timer, at) => {
                assert!(at >= now, "a timer is asked for in the past");
                self.push(at, Event::Timer { at: node, timer });
            }
            RoutingEffect::Note(note) => self.log(node, Line::Note(note)),
        }
    }

    /// A node sends a message to a neighbour or to all, by a radio where one is named.
    fn say(
        &mut self,
        node: NodeId,
        (to, radio): (Option<NodeId>, Option<u8>),
        message: RoutingMessage,
        ttl: u8,
        delay: Span,
    ) {
        if let RoutingMessage::Dsdv(_) | RoutingMessage::Olsr(_) | RoutingMessage::Batman(BatmanMessage::Ogm(_)) =
            message
        {
            assert_eq!((to, ttl), (None, 1), "it is for all neighbours and for nobody else");
        }
        if let RoutingMessage::Babel(_) = message {
            assert_eq!(ttl, 1, "it goes no further than one hop");
        }
        let line = Line::Sent { message: message.clone(), to: to.map(|to| to.0), radio, ttl };
        self.log.push((self.now + delay, node.0, line));
        self.push(self.now + delay, Event::Queue { at: node, frame: Frame::Message { to, radio, message, ttl } });
    }

    fn log(&mut self, node: NodeId, line: Line) {
        self.log.push((self.now, node.0, line));
    }

    /// Takes what waits for `next_hop` off the queue of a node.
    fn unqueue(&mut self, node: NodeId, next_hop: NodeId) -> Vec<Frame> {
        let queue = std::mem::take(&mut self.queues[node.index()]);
        let (out, stay): (Vec<_>, Vec<_>) = queue.into_iter().partition(|frame| frame.to() == Some(next_hop));
        self.queues[node.index()] = stay.into();
        out
    }

    fn leaves(&mut self, node: NodeId, packet: PacketId, to: Place) {
        let place = &mut self.packets[packet.index()].place;
        assert_eq!(*place, Place::HeldBy(node), "only the holder of packet {packet} lets it go");
        *place = to;
    }
}
