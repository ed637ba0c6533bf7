//! A network of machines in virtual time: every packet takes 1 ms over a link that is there.

use std::collections::BTreeMap;

use crate::config::olsr::OlsrConfig;
use crate::ids::{NodeId, PacketId};
use crate::packet::olsr::{Hello, OlsrBody, OlsrPacket, Tc};
use crate::packet::routing::RoutingMessage;
use crate::rng::{Purpose, Stream};
use crate::routing::olsr::Olsr;
use crate::routing::{Cx, Query, RouteAnswer, RoutingEffect, RoutingNote};
use crate::units::{Span, Time};

pub(super) const FRAME: Span = Span::from_millis(1);

pub(super) fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// A line of the log: a packet sent, or another effect.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Line {
    Sent(OlsrPacket),
    Note(RoutingNote),
    Flush(NodeId),
}

#[derive(Debug)]
enum Event {
    Broadcast { from: NodeId, packet: OlsrPacket },
    Message { at: NodeId, from: NodeId, packet: OlsrPacket },
    Timer { at: NodeId, timer: u8 },
    Link { a: usize, b: usize, up: bool },
}

pub(super) struct Net {
    pub(super) nodes: Vec<Olsr>,
    pub(super) log: Vec<(Time, NodeId, Line)>,
    pub(super) now: Time,
    /// Part of the copies that get lost.
    pub(super) loss: f64,
    /// `links[a][b]`: `b` hears `a`.
    pub(super) links: Vec<Vec<bool>>,
    rngs: Vec<Stream>,
    events: BTreeMap<(Time, u64), Event>,
    count: u64,
    chance: Stream,
}

impl Net {
    /// Machines without links, started at 0.
    pub(super) fn new(nodes: usize, cfg: &OlsrConfig, seed: u64) -> Self {
        Self::of((0..nodes).map(|_| cfg.clone()).collect(), seed)
    }

    /// Machines without links, one for each configuration, started at 0.
    pub(super) fn of(cfgs: Vec<OlsrConfig>, seed: u64) -> Self {
        let nodes = cfgs.len();
        let mut net = Net {
            nodes: cfgs.iter().enumerate().map(|(i, cfg)| Olsr::new(NodeId(i as u32), cfg)).collect(),
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
            net.input(i, |olsr, cx| olsr.start(cx));
        }
        net
    }

    /// A chain.
    pub(super) fn chain(nodes: usize, cfg: &OlsrConfig) -> Self {
        let mut net = Net::new(nodes, cfg, 1);
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

    /// Runs up to and with `until`.
    pub(super) fn run(&mut self, until: Time) {
        while let Some(entry) = self.events.first_entry() {
            if entry.key().0 > until {
                break;
            }
            let ((at, _), event) = entry.remove_entry();
            self.now = at;
            match event {
                Event::Broadcast { from, packet } => {
                    for to in 0..self.nodes.len() {
                        if self.links[from.index()][to] && self.chance.uniform() >= self.loss {
                            let at = NodeId(to as u32);
                            self.push(self.now + FRAME, Event::Message { at, from, packet: packet.clone() });
                        }
                    }
                }
                Event::Message { at, from, packet } => {
                    self.input(at.index(), |olsr, cx| olsr.on_message(from, &packet, cx));
                }
                Event::Timer { at, timer } => self.input(at.index(), |olsr, cx| olsr.on_timer(timer, cx)),
                Event::Link { a, b, up } => self.set_link(a, b, up),
            }
        }
        self.now = until;
    }

    /// The way packets take now, as each node on it answers; it must not loop.
    pub(super) fn path(&mut self, src: usize, dst: usize) -> Option<Vec<u32>> {
        self.way(src, dst).unwrap_or_else(|path| panic!("loop towards {dst}: {path:?}"))
    }

    /// The same; the error is a way that loops.
    pub(super) fn way(&mut self, src: usize, dst: usize) -> Result<Option<Vec<u32>>, Vec<u32>> {
        let (mut at, dst) = (NodeId(src as u32), NodeId(dst as u32));
        let mut path = vec![at.0];
        while at != dst {
            let query = Query { packet: PacketId(0), src: NodeId(src as u32), dst, prev: None, source_route: None };
            let mut answer = None;
            self.input(at.index(), |olsr, cx| answer = Some(olsr.route(&query, cx)));
            let Some(RouteAnswer::Via(next_hop)) = answer else { return Ok(None) };
            assert_eq!(self.nodes[at.index()].next_hop(dst, self.now), Some(next_hop));
            let again = path.contains(&next_hop.0);
            at = next_hop;
            path.push(at.0);
            if again {
                return Err(path);
            }
        }
        Ok(Some(path))
    }

    /// HELLOs of a node with their instants.
    pub(super) fn hellos(&self, node: usize) -> Vec<(Time, Hello)> {
        self.bodies(node, |body| match body {
            OlsrBody::Hello(hello) => Some(hello.clone()),
            OlsrBody::Tc(_) => None,
        })
    }

    /// TC messages that a node generated, with their instants.
    pub(super) fn tcs(&self, node: usize) -> Vec<(Time, Tc)> {
        self.bodies(node, |body| match body {
            OlsrBody::Tc(tc) => Some(tc.clone()),
            OlsrBody::Hello(_) => None,
        })
    }

    fn bodies<T>(&self, node: usize, wanted: impl Fn(&OlsrBody) -> Option<T>) -> Vec<(Time, T)> {
        let sent = self.log.iter().filter_map(|(at, by, line)| match line {
            Line::Sent(packet) if by.index() == node => Some((at, packet)),
            _ => None,
        });
        sent.flat_map(|(at, packet)| packet.messages.iter().map(move |m| (*at, m)))
            .filter(|(_, message)| message.origin.index() == node)
            .filter_map(|(at, message)| Some((at, wanted(&message.body)?)))
            .collect()
    }

    /// Packets in which a node carries on messages of others: instant, time to live and hops of the message.
    pub(super) fn relayed(&self, node: usize) -> Vec<(Time, u8, u8)> {
        let mut relayed = Vec::new();
        for (at, by, line) in &self.log {
            if let (true, Line::Sent(packet)) = (by.index() == node, line) {
                let others = packet.messages.iter().filter(|m| m.origin != *by);
                relayed.extend(others.map(|m| (*at, m.ttl, m.hops)));
            }
        }
        relayed
    }

    pub(super) fn noted(&self, node: usize, note: RoutingNote) -> Option<Time> {
        let found = |&&(_, at, ref line): &&(Time, NodeId, Line)| at.index() == node && *line == Line::Note(note);
        self.log.iter().find(found).map(|line| line.0)
    }

    /// Delivers a packet by hand.
    pub(super) fn deliver(&mut self, at: usize, from: usize, packet: &OlsrPacket) {
        self.input(at, |olsr, cx| olsr.on_message(NodeId(from as u32), packet, cx));
    }

    pub(super) fn input(&mut self, node: usize, input: impl FnOnce(&mut Olsr, &mut Cx)) {
        let mut out = Vec::new();
        input(&mut self.nodes[node], &mut Cx { now: self.now, rng: &mut self.rngs[node], out: &mut out });
        let id = NodeId(node as u32);
        for effect in out {
            match effect {
                RoutingEffect::Broadcast { message: RoutingMessage::Olsr(packet), ttl: 1, delay: Span::ZERO } => {
                    self.log.push((self.now, id, Line::Sent(packet.clone())));
                    self.push(self.now, Event::Broadcast { from: id, packet });
                }
                RoutingEffect::FlushNextHop { next_hop } => self.log.push((self.now, id, Line::Flush(next_hop))),
                RoutingEffect::Arm(timer, at) => {
                    assert!(at >= self.now, "a timer is asked for in the past");
                    self.push(at, Event::Timer { at: id, timer });
                }
                RoutingEffect::Note(note) => self.log.push((self.now, id, Line::Note(note))),
                RoutingEffect::Drop { .. } => {}
                other => panic!("OLSR does not do this: {other:?}"),
            }
        }
    }

    fn push(&mut self, at: Time, event: Event) {
        self.count += 1;
        self.events.insert((at, self.count), event);
    }
}
