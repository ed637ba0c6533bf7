//! A network of machines in virtual time: every frame takes 1 ms over a link that is there and fails after 5 ms over
//! one that is not.

use std::collections::BTreeMap;

use crate::config::aodv::AodvConfig;
use crate::ids::{NodeId, PacketId};
use crate::packet::aodv::AodvMessage;
use crate::packet::routing::RoutingMessage;
use crate::rng::{Purpose, Stream};
use crate::routing::aodv::Aodv;
use crate::routing::{Cx, Lost, Query, RouteAnswer, RouteDrop, RoutingEffect, RoutingNote};
use crate::units::{Span, Time};

pub(super) const FRAME: Span = Span::from_millis(1);
const RETRIES: Span = Span::from_millis(5);
/// Hops a packet may take.
const TTL: u8 = 30;

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

#[derive(Debug, Clone, Copy)]
pub(super) struct Packet {
    pub(super) src: NodeId,
    pub(super) dst: NodeId,
    pub(super) hops: u8,
    pub(super) place: Place,
}

/// A line of the log: a message sent, or a note.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Line {
    Sent { message: AodvMessage, to: Option<NodeId>, ttl: u8 },
    Note(RoutingNote),
    Flush(NodeId),
}

#[derive(Debug, Clone, Copy)]
enum Event {
    Broadcast { from: NodeId, message: AodvMessage, ttl: u8 },
    Unicast { from: NodeId, to: NodeId, message: AodvMessage, ttl: u8 },
    Data { at: NodeId, prev: Option<NodeId>, packet: PacketId },
    Frame { from: NodeId, to: NodeId, packet: PacketId },
    Failure { at: NodeId, next_hop: NodeId, packet: Option<PacketId> },
    Message { at: NodeId, from: NodeId, message: AodvMessage, ttl: u8 },
    Timer { at: NodeId, timer: u8 },
    Link { a: usize, b: usize, up: bool },
}

pub(super) struct Net {
    pub(super) nodes: Vec<Aodv>,
    pub(super) packets: Vec<Packet>,
    pub(super) log: Vec<(Time, NodeId, Line)>,
    pub(super) now: Time,
    /// Part of the broadcast copies that get lost.
    pub(super) loss: f64,
    links: Vec<Vec<bool>>,
    rngs: Vec<Stream>,
    events: BTreeMap<(Time, u64), Event>,
    count: u64,
    chance: Stream,
}

impl Net {
    /// Machines without links, started at 0.
    pub(super) fn new(nodes: usize, cfg: &AodvConfig, seed: u64) -> Self {
        let mut net = Net {
            nodes: (0..nodes).map(|i| Aodv::new(NodeId(i as u32), cfg)).collect(),
            packets: Vec::new(),
            log: Vec::new(),
            now: Time::ZERO,
            loss: 0.0,
            links: vec![vec![false; nodes]; nodes],
            rngs: (0..nodes).map(|i| Stream::derive(seed, 0, i as u64, Purpose::RoutingJitter)).collect(),
            events: BTreeMap::new(),
            count: 0,
            chance: Stream::derive(seed, 0, 0, Purpose::Error),
        };
        for i in 0..nodes {
            net.input(i, |aodv, cx| aodv.start(cx));
        }
        net
    }

    /// A chain without jitter.
    pub(super) fn chain(nodes: usize, cfg: &AodvConfig) -> Self {
        let mut net = Net::new(nodes, &AodvConfig { broadcast_jitter: Span::ZERO, ..cfg.clone() }, 1);
        for i in 1..nodes {
            net.set_link(i - 1, i, true);
        }
        net
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
        self.packets.push(Packet { src, dst, hops: 0, place: Place::Moving });
        self.push(at, Event::Data { at: src, prev: None, packet });
        packet
    }

    pub(super) fn place(&self, packet: PacketId) -> Place {
        self.packets[packet.index()].place
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

    /// Messages sent of one kind: instant, sender, time to live.
    pub(super) fn sent(&self, kind: &str) -> Vec<(Time, u32, u8)> {
        let of_kind = |&(at, node, line): &(Time, NodeId, Line)| match line {
            Line::Sent { message, ttl, .. } if message.kind() == kind => Some((at, node.0, ttl)),
            _ => None,
        };
        self.log.iter().filter_map(of_kind).collect()
    }

    pub(super) fn noted(&self, node: usize, note: RoutingNote) -> Option<Time> {
        let found = |&&(_, at, line): &&(Time, NodeId, Line)| at.index() == node && line == Line::Note(note);
        self.log.iter().find(found).map(|line| line.0)
    }

    /// The way packets take now.
    pub(super) fn path(&self, src: usize, dst: usize) -> Option<Vec<u32>> {
        let (mut at, dst) = (NodeId(src as u32), NodeId(dst as u32));
        let mut path = vec![at.0];
        while at != dst {
            at = self.nodes[at.index()].next_hop(dst, self.now)?;
            assert!(!path.contains(&at.0), "loop towards {dst}: {path:?} then {at}");
            path.push(at.0);
        }
        Some(path)
    }

    fn push(&mut self, at: Time, event: Event) {
        self.count += 1;
        self.events.insert((at, self.count), event);
    }

    fn step(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Broadcast { from, message, ttl } => {
                for to in 0..self.nodes.len() {
                    if self.links[from.index()][to] && self.chance.uniform() >= self.loss {
                        self.push(now + FRAME, Event::Message { at: NodeId(to as u32), from, message, ttl });
                    }
                }
            }
            Event::Unicast { from, to, message, ttl } => {
                if self.links[from.index()][to.index()] {
                    self.push(now + FRAME, Event::Message { at: to, from, message, ttl });
                } else {
                    self.push(now + RETRIES, Event::Failure { at: from, next_hop: to, packet: None });
                }
            }
            Event::Frame { from, to, packet } => {
                if self.links[from.index()][to.index()] {
                    self.push(now + FRAME, Event::Data { at: to, prev: Some(from), packet });
                } else {
                    self.push(now + RETRIES, Event::Failure { at: from, next_hop: to, packet: Some(packet) });
                }
            }
            Event::Data { at, prev, packet } => self.data(at, prev, packet),
            Event::Failure { at, next_hop, packet } => {
                let lost = packet.map(|packet| {
                    let state = &mut self.packets[packet.index()];
                    assert_eq!(state.place, Place::Moving);
                    state.place = Place::HeldBy(at);
                    Lost { packet, src: state.src, dst: state.dst, hops: state.hops, source_route: None }
                });
                self.input(at.index(), |aodv, cx| aodv.on_link_failure(next_hop, lost.as_ref(), cx));
            }
            Event::Message { at, from, message, ttl } => {
                self.input(at.index(), |aodv, cx| aodv.on_message(from, ttl, &message, cx));
            }
            Event::Timer { at, timer } => self.input(at.index(), |aodv, cx| aodv.on_timer(timer, cx)),
            Event::Link { a, b, up } => self.set_link(a, b, up),
        }
    }

    fn data(&mut self, at: NodeId, prev: Option<NodeId>, packet: PacketId) {
        let state = &mut self.packets[packet.index()];
        assert_eq!(state.place, Place::Moving, "packet {packet} is where it is said to be");
        state.hops += u8::from(prev.is_some());
        if let Some(prev) = prev {
            self.nodes[at.index()].on_heard(prev, self.now);
        }
        let Packet { src, dst, hops, .. } = *state;
        if at == dst || hops >= TTL {
            state.place = if at == dst { Place::Delivered } else { Place::TooFar };
            return;
        }
        // The machine may speak of the packet before it answers.
        state.place = Place::HeldBy(at);
        let mut answer = None;
        let query = Query { packet, src, dst, prev, source_route: None };
        self.input(at.index(), |aodv, cx| answer = Some(aodv.route(&query, cx)));
        match answer.expect("the machine answers") {
            RouteAnswer::Held => {}
            RouteAnswer::Via(to) => {
                self.packets[packet.index()].place = Place::Moving;
                self.push(self.now, Event::Frame { from: at, to, packet });
            }
            RouteAnswer::Drop(reason) => self.packets[packet.index()].place = Place::Dropped(reason),
        }
    }

    fn input(&mut self, node: usize, input: impl FnOnce(&mut Aodv, &mut Cx)) {
        let mut out = Vec::new();
        input(&mut self.nodes[node], &mut Cx { now: self.now, rng: &mut self.rngs[node], out: &mut out });
        let id = NodeId(node as u32);
        for effect in out {
            self.effect(id, effect);
        }
    }

    fn effect(&mut self, node: NodeId, effect: RoutingEffect) {
        let now = self.now;
        match effect {
            RoutingEffect::Broadcast { message: RoutingMessage::Aodv(message), ttl, delay } => {
                self.log.push((now + delay, node, Line::Sent { message, to: None, ttl }));
                self.push(now + delay, Event::Broadcast { from: node, message, ttl });
            }
            RoutingEffect::Unicast { message: RoutingMessage::Aodv(message), to, ttl, .. } => {
                self.log.push((now, node, Line::Sent { message, to: Some(to), ttl }));
                self.push(now, Event::Unicast { from: node, to, message, ttl });
            }
            RoutingEffect::Forward { packet, next_hop, delay } => {
                self.leaves(node, packet, Place::Moving);
                self.push(now + delay, Event::Frame { from: node, to: next_hop, packet });
            }
            RoutingEffect::Drop { packet, reason } => self.leaves(node, packet, Place::Dropped(reason)),
            RoutingEffect::FlushNextHop { next_hop } => self.log.push((now, node, Line::Flush(next_hop))),
            RoutingEffect::Arm(timer, at) => {
                assert!(at >= now, "a timer is asked for in the past");
                self.push(at, Event::Timer { at: node, timer });
            }
            RoutingEffect::Note(note) => self.log.push((now, node, Line::Note(note))),
            other => panic!("AODV never does this: {other:?}"),
        }
    }

    fn leaves(&mut self, node: NodeId, packet: PacketId, to: Place) {
        let place = &mut self.packets[packet.index()].place;
        assert_eq!(*place, Place::HeldBy(node), "only the holder of packet {packet} lets it go");
        *place = to;
    }
}
