//! A network of machines in virtual time. Every node has an interface queue; a frame takes 1 ms over a link that is there
//! and fails after 5 ms over one that is not.

use std::collections::{BTreeMap, VecDeque};

use crate::config::dsr::DsrConfig;
use crate::ids::{NodeId, PacketId};
use crate::packet::dsr::DsrMessage;
use crate::packet::routing::{RoutingMessage, SourceRoute};
use crate::rng::{Purpose, Stream};
use crate::routing::dsr::Dsr;
use crate::routing::{Cx, Lost, Query, RouteAnswer, RouteDrop, RoutingEffect, RoutingNote};
use crate::units::{Span, Time};

const FRAME: Span = Span::from_millis(1);
const RETRIES: Span = Span::from_millis(5);
/// Hops a packet may take.
const TTL: u8 = 64;

pub(super) fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// Where a packet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Moving,
    HeldBy(NodeId),
    Delivered,
    /// Its time to live is used up.
    TooFar,
    Dropped(RouteDrop),
}

#[derive(Debug, Clone)]
pub(super) struct Packet {
    pub(super) src: NodeId,
    pub(super) dst: NodeId,
    pub(super) hops: u8,
    pub(super) place: Place,
    pub(super) route: Option<SourceRoute>,
    /// Every node it was at, in order.
    pub(super) trail: Vec<u32>,
}

/// A line of the log: a message sent, or a note.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Line {
    Sent { message: DsrMessage, to: Option<u32>, ttl: u8 },
    Note(RoutingNote),
}

/// An entry of an interface queue.
#[derive(Debug, Clone)]
enum Frame {
    Message { to: Option<NodeId>, message: DsrMessage, ttl: u8 },
    Data { to: NodeId, packet: PacketId },
}

impl Frame {
    fn to(&self) -> Option<NodeId> {
        match self {
            Frame::Message { to, .. } => *to,
            Frame::Data { to, .. } => Some(*to),
        }
    }
}

#[derive(Debug, Clone)]
enum Event {
    Data { at: NodeId, prev: Option<NodeId>, packet: PacketId },
    Queue { at: NodeId, frame: Frame },
    Sent { at: NodeId, frame: Frame, arrives: bool },
    Message { at: NodeId, message: DsrMessage, ttl: u8 },
    Timer { at: NodeId, timer: u8 },
    Link { a: usize, b: usize, up: bool },
}

pub(super) struct Net {
    pub(super) nodes: Vec<Dsr>,
    pub(super) packets: Vec<Packet>,
    pub(super) log: Vec<(Time, u32, Line)>,
    pub(super) now: Time,
    /// Part of the broadcast copies that get lost.
    pub(super) loss: f64,
    links: Vec<Vec<bool>>,
    queues: Vec<VecDeque<Frame>>,
    busy: Vec<bool>,
    rngs: Vec<Stream>,
    events: BTreeMap<(Time, u64), Event>,
    count: u64,
    chance: Stream,
}

impl Net {
    /// Machines without links.
    pub(super) fn new(nodes: usize, cfg: &DsrConfig, seed: u64) -> Self {
        Net {
            nodes: (0..nodes).map(|i| Dsr::new(NodeId(i as u32), cfg)).collect(),
            packets: Vec::new(),
            log: Vec::new(),
            now: Time::ZERO,
            loss: 0.0,
            links: vec![vec![false; nodes]; nodes],
            queues: vec![VecDeque::new(); nodes],
            busy: vec![false; nodes],
            rngs: (0..nodes).map(|i| Stream::derive(seed, 0, i as u64, Purpose::RoutingJitter)).collect(),
            events: BTreeMap::new(),
            count: 0,
            chance: Stream::derive(seed, 0, 0, Purpose::Error),
        }
    }

    /// Machines without jitter and these links.
    pub(super) fn linked(nodes: usize, links: &[(usize, usize)], cfg: &DsrConfig) -> Self {
        let mut net = Net::new(nodes, &DsrConfig { broadcast_jitter: Span::ZERO, ..cfg.clone() }, 1);
        for &(a, b) in links {
            net.set_link(a, b, true);
        }
        net
    }

    /// A chain without jitter.
    pub(super) fn chain(nodes: usize, cfg: &DsrConfig) -> Self {
        let links: Vec<_> = (1..nodes).map(|i| (i - 1, i)).collect();
        Net::linked(nodes, &links, cfg)
    }

    pub(super) fn set_link(&mut self, a: usize, b: usize, up: bool) {
        (self.links[a][b], self.links[b][a]) = (up, up);
    }

    pub(super) fn link_at(&mut self, at: Time, a: usize, b: usize, up: bool) {
        self.push(at, Event::Link { a, b, up });
    }

    /// A packet originates at `src`.
    pub(super) fn send_at(&mut self, at: Time, src: usize, dst: usize) -> PacketId {
        let packet = PacketId(self.packets.len() as u32);
        let (src, dst) = (NodeId(src as u32), NodeId(dst as u32));
        let state = Packet { src, dst, hops: 0, place: Place::Moving, route: None, trail: Vec::new() };
        self.packets.push(state);
        self.push(at, Event::Data { at: src, prev: None, packet });
        packet
    }

    pub(super) fn packet(&self, packet: PacketId) -> &Packet {
        &self.packets[packet.index()]
    }

    /// Runs up to and with `until`, calling `check` after every event.
    pub(super) fn run_checked(&mut self, until: Time, mut check: impl FnMut(&Net)) {
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

    pub(super) fn run(&mut self, until: Time) {
        self.run_checked(until, |_| ());
    }

    /// Messages sent of one kind since `since`: instant, sender, receiver, time to live.
    pub(super) fn sent(&self, kind: &str, since: Time) -> Vec<(Time, u32, Option<u32>, u8)> {
        let of_kind = |(at, node, line): &(Time, u32, Line)| match line {
            Line::Sent { message, to, ttl } if message.kind() == kind && *at >= since => Some((*at, *node, *to, *ttl)),
            _ => None,
        };
        self.log.iter().filter_map(of_kind).collect()
    }

    /// Notes of a node: instant and note.
    pub(super) fn notes(&self, node: u32) -> Vec<(Time, RoutingNote)> {
        let note = |(at, of, line): &(Time, u32, Line)| match line {
            Line::Note(note) if *of == node => Some((*at, *note)),
            _ => None,
        };
        self.log.iter().filter_map(note).collect()
    }

    /// The path a packet that leaves now would take.
    pub(super) fn path(&self, src: usize, dst: usize) -> Option<Vec<u32>> {
        let path = self.nodes[src].path(NodeId(dst as u32), self.now)?;
        Some(path.iter().map(|node| node.0).collect())
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
            Event::Message { at, message, ttl } => {
                self.input(at.index(), |dsr, cx| dsr.on_message(ttl, &message, cx));
            }
            Event::Timer { at, timer } => self.input(at.index(), |dsr, cx| dsr.on_timer(timer, cx)),
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
        let arrives = frame.to().is_none_or(|to| self.links[at.index()][to.index()]);
        self.push(self.now + if arrives { FRAME } else { RETRIES }, Event::Sent { at, frame, arrives });
    }

    fn end(&mut self, at: NodeId, frame: Frame, arrives: bool) {
        match frame {
            Frame::Message { to: None, message, ttl } => {
                for to in 0..self.nodes.len() {
                    if self.links[at.index()][to] && self.chance.uniform() >= self.loss {
                        let message = message.clone();
                        self.push(self.now, Event::Message { at: NodeId(to as u32), message, ttl });
                    }
                }
            }
            Frame::Message { to: Some(to), message, ttl } if arrives => {
                self.push(self.now, Event::Message { at: to, message, ttl });
            }
            Frame::Data { to, packet } if arrives => {
                self.push(self.now, Event::Data { at: to, prev: Some(at), packet });
            }
            frame => self.fail(at, frame),
        }
    }

    fn fail(&mut self, at: NodeId, frame: Frame) {
        match frame {
            Frame::Message { to, .. } => {
                let next_hop = to.expect("broadcasts do not fail");
                self.input(at.index(), |dsr, cx| dsr.on_link_failure(next_hop, None, cx));
            }
            Frame::Data { to, packet } => {
                let state = &mut self.packets[packet.index()];
                assert_eq!(state.place, Place::Moving);
                state.place = Place::HeldBy(at);
                let Packet { src, dst, hops, ref route, .. } = *state;
                let route = route.clone();
                let lost = Lost { packet, src, dst, hops, source_route: route.as_ref() };
                self.input(at.index(), |dsr, cx| dsr.on_link_failure(to, Some(&lost), cx));
            }
        }
    }

    fn data(&mut self, at: NodeId, prev: Option<NodeId>, packet: PacketId) {
        let now = self.now;
        let state = &mut self.packets[packet.index()];
        assert_eq!(state.place, Place::Moving, "packet {packet} is where it is said to be");
        state.hops += u8::from(prev.is_some());
        state.trail.push(at.0);
        let Packet { src, dst, hops, ref route, .. } = *state;
        let route = route.clone();
        if prev.is_some() {
            self.nodes[at.index()].on_heard(route.as_ref(), now);
        }
        if at == dst || hops >= TTL {
            state.place = if at == dst { Place::Delivered } else { Place::TooFar };
            return;
        }
        // The machine may speak of the packet before it answers.
        state.place = Place::HeldBy(at);
        let mut answer = None;
        let query = Query { packet, src, dst, prev, source_route: route.as_ref() };
        self.input(at.index(), |dsr, cx| answer = Some(dsr.route(&query, cx)));
        match answer.expect("the machine answers") {
            RouteAnswer::Held => {}
            RouteAnswer::Via(to) => {
                self.packets[packet.index()].place = Place::Moving;
                self.push(now, Event::Queue { at, frame: Frame::Data { to, packet } });
            }
            RouteAnswer::Drop(reason) => self.packets[packet.index()].place = Place::Dropped(reason),
        }
    }

    fn input(&mut self, node: usize, input: impl FnOnce(&mut Dsr, &mut Cx)) {
        let mut out = Vec::new();
        input(&mut self.nodes[node], &mut Cx { now: self.now, rng: &mut self.rngs[node], out: &mut out });
        for effect in out {
            self.effect(NodeId(node as u32), effect);
        }
    }

    fn effect(&mut self, node: NodeId, effect: RoutingEffect) {
        let now = self.now;
        match effect {
            RoutingEffect::Broadcast { message: RoutingMessage::Dsr(message), ttl, delay } => {
                self.say(node, None, message, ttl, delay);
            }
            RoutingEffect::Unicast { message: RoutingMessage::Dsr(message), to, ttl, delay } => {
                self.say(node, Some(to), message, ttl, delay);
            }
            RoutingEffect::Forward { packet, next_hop, delay } => {
                self.leaves(node, packet, Place::Moving);
                self.push(now + delay, Event::Queue { at: node, frame: Frame::Data { to: next_hop, packet } });
            }
            RoutingEffect::SetSourceRoute { packet, route } => {
                let state = &mut self.packets[packet.index()];
                assert_eq!(state.place, Place::HeldBy(node), "only the holder of packet {packet} gives it a route");
                assert_eq!((route.path[0], route.path.last()), (node, Some(&state.dst)));
                let once = |at: usize| !route.path[..at].contains(&route.path[at]);
                assert!((0..route.path.len()).all(once), "a node stands twice in {route:?}");
                state.route = Some(route);
            }
            RoutingEffect::Drop { packet, reason } => self.leaves(node, packet, Place::Dropped(reason)),
            RoutingEffect::RecallNextHop { next_hop } => {
                let queue = std::mem::take(&mut self.queues[node.index()]);
                let (back, stay): (Vec<_>, Vec<_>) = queue.into_iter().partition(|frame| frame.to() == Some(next_hop));
                self.queues[node.index()] = stay.into();
                for frame in back {
                    self.fail(node, frame);
                }
            }
            RoutingEffect::Arm(timer, at) => {
                assert!(at >= now, "a timer is asked for in the past");
                self.push(at, Event::Timer { at: node, timer });
            }
            RoutingEffect::Note(note) => self.log.push((now, node.0, Line::Note(note))),
            other => panic!("not of DSR: {other:?}"),
        }
    }

    fn say(&mut self, node: NodeId, to: Option<NodeId>, message: DsrMessage, ttl: u8, delay: Span) {
        let line = Line::Sent { message: message.clone(), to: to.map(|to| to.0), ttl };
        self.log.push((self.now + delay, node.0, line));
        self.push(self.now + delay, Event::Queue { at: node, frame: Frame::Message { to, message, ttl } });
    }

    fn leaves(&mut self, node: NodeId, packet: PacketId, to: Place) {
        let place = &mut self.packets[packet.index()].place;
        assert_eq!(*place, Place::HeldBy(node), "only the holder of packet {packet} lets it go");
        *place = to;
    }
}
