//! The MAC of one station in a hand-clocked laboratory.
//!
//! The station under test is node 0. Everybody else is a script: frames of others are put on the air at written
//! instants, and a peer (node 1) may answer what the station sends. Nothing takes time to propagate, all instants are
//! whole microseconds, and back-off draws are chosen by searching a seed that gives them, so that each test reads as a
//! table of instants and frames that can be checked by hand.

mod access;
mod as_ns3;
mod edca;
mod exchange;
mod fragment;
mod late;
mod ns2;
mod ns3_access;
mod plain;

use std::collections::VecDeque;

use super::contention::{AccessAnswer, Station};
use super::dcf::{MacCx, MacEffects, Outcome};
use super::frame::{Frame, FrameKind};
use super::{Dcf, MacRules, Pacing};
use crate::config::mac::PacingClock;
use crate::config::{MacConfig, presets};
use hopscope_core::event::Event;
use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_core::queue::EventQueue;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};
use hopscope_phy::config::RadioConfig;
use hopscope_phy::phy::Arrival;

const ME: NodeId = NodeId(0);
const PEER: NodeId = NodeId(1);
const OTHER: NodeId = NodeId(2);
/// Network packet of the tests: 1536 bytes of MAC frame under standard, 1534 under ns2.
const PACKET: u32 = 1500;

/// What node 1 does with what the station sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peer {
    /// Answers every RTS and every data frame SIFS after its end.
    Answers,
    /// Answers every RTS, no data frame.
    ClearsOnly,
    /// Answers nothing.
    Silent,
}

/// A frame of somebody else.
#[derive(Debug, Clone, Copy)]
struct RxFrame {
    kind: FrameKind,
    from: NodeId,
    to: NodeId,
    /// Duration field, us.
    nav: u64,
    /// Length, us.
    length: u64,
    seq: u16,
    frag: u8,
    retry: bool,
    flags: u8,
    power: f32,
}

const DECODABLE: u8 = Arrival::DECODABLE | Arrival::SENSED | Arrival::INTERFERES;

impl RxFrame {
    fn new(kind: FrameKind, from: NodeId, to: NodeId, nav: u64, length: u64) -> Self {
        RxFrame { kind, from, to, nav, length, seq: 0, frag: 0, retry: false, flags: DECODABLE, power: 1e-9 }
    }

    /// A frame between others that reserves nothing beyond its end.
    fn foreign(length: u64) -> Self {
        RxFrame::new(FrameKind::Ack, OTHER, PEER, 0, length)
    }

    /// A frame that ends in error here.
    fn errored(length: u64) -> Self {
        RxFrame { flags: DECODABLE | Arrival::ERRORED, ..RxFrame::foreign(length) }
    }

    /// A frame too far away to be decoded or to disturb a nearer one.
    fn distant(length: u64) -> Self {
        RxFrame { flags: Arrival::SENSED, power: 1e-11, ..RxFrame::foreign(length) }
    }

    /// A data frame of `PACKET` bytes from node 1 for the station.
    fn data(seq: u16) -> Self {
        RxFrame { seq, ..RxFrame::new(FrameKind::Data, PEER, ME, 314, 6_336) }
    }

    fn rts(from: NodeId, to: NodeId, nav: u64) -> Self {
        RxFrame::new(FrameKind::Rts, from, to, nav, 352)
    }
}

/// An instant in microseconds and what happened: a frame sent by the station, `up` (a packet handed up), `sent` or
/// `dropped` (the end of an exchange).
type Line = (u64, &'static str);

struct Lab {
    /// The station looks at its back-off at the end of every frame, as if each were an event to it.
    watchful: bool,
    /// Adaptive pacing is on.
    pacing: Option<Pacing>,
    rules: MacRules,
    station: Station,
    mac: Dcf,
    peer: Peer,
    events: EventQueue,
    /// Frames of the others, by air slot.
    air: Vec<Frame>,
    /// Frames of the station.
    sent: Vec<Frame>,
    /// Packets that wait for the MAC, and those to be offered by a script.
    waiting: VecDeque<(NodeId, u32)>,
    offers: Vec<(NodeId, u32)>,
    packets: u32,
    log: Vec<Line>,
}

impl Lab {
    fn new(profile: &str) -> Self {
        Lab::with(profile, |_, _| ())
    }

    /// A station whose packets are all paced.
    fn paced(clock: PacingClock, overhead: bool) -> Self {
        Lab { pacing: Some(Pacing { clock, overhead }), ..Lab::new("standard") }
    }

    fn with(profile: &str, change: impl FnOnce(&mut RadioConfig, &mut MacConfig)) -> Self {
        let mut base = presets::base(profile, "wavelan-2M").expect("a profile");
        change(&mut base.radio, &mut base.mac);
        let rules = MacRules::new(&base.radio, &base.mac);
        Lab {
            watchful: false,
            pacing: None,
            station: Station::new(&rules.station, stream(0)),
            mac: Dcf::new(ME),
            peer: Peer::Answers,
            events: EventQueue::new(),
            air: Vec::new(),
            sent: Vec::new(),
            waiting: VecDeque::new(),
            offers: Vec::new(),
            packets: 0,
            log: Vec::new(),
            rules,
        }
    }

    /// The station will draw these numbers of slots, all from the smallest contention window.
    fn draws(self, wanted: &[u32]) -> Self {
        let cw = self.station.cw();
        let pairs: Vec<(u32, u32)> = wanted.iter().map(|&draw| (cw, draw)).collect();
        self.draws_from(&pairs)
    }

    /// The station will make these draws: (contention window, slots).
    fn draws_from(mut self, wanted: &[(u32, u32)]) -> Self {
        let inclusive = u32::from(self.rules.station.backoff_includes_cw);
        let seed = (0..).find(|&seed| {
            let mut stream = stream(seed);
            wanted.iter().all(|&(cw, draw)| stream.below(cw + inclusive) == draw)
        });
        self.station = Station::new(&self.rules.station, stream(seed.expect("some seed gives these draws")));
        self
    }

    /// What a station that nobody chose draws for will draw from these contention windows.
    fn unchosen_draws(&self, windows: &[u32]) -> Vec<u64> {
        let mut stream = stream(0);
        let inclusive = u32::from(self.rules.station.backoff_includes_cw);
        windows.iter().map(|&cw| u64::from(stream.below(cw + inclusive))).collect()
    }

    fn peer(mut self, peer: Peer) -> Self {
        self.peer = peer;
        self
    }

    /// A packet for node 1 comes from above.
    fn offer(self, us: u64) -> Self {
        self.offer_to(us, PEER, PACKET)
    }

    fn offer_to(mut self, us: u64, to: NodeId, bytes: u32) -> Self {
        self.events.push(at(us), Event::App { flow: FlowId(self.offers.len() as u32) });
        self.offers.push((to, bytes));
        self
    }

    /// Somebody else's frame begins.
    fn hears(mut self, us: u64, frame: RxFrame) -> Self {
        self.put(at(us), frame);
        self
    }

    fn put(&mut self, start: Time, frame: RxFrame) {
        let slot = self.air.len() as u32;
        let length = Span::from_micros(frame.length);
        let mode = self.rules.rates.first(frame.to, frame.kind);
        self.air.push(Frame {
            kind: frame.kind,
            mode,
            retry: frame.retry,
            frag: frame.frag,
            tid: 0,
            seq: frame.seq,
            src: frame.from,
            dst: frame.to,
            bytes: PACKET + 36,
            body: PacketId(77),
            airtime: length,
            duration: Span::from_micros(frame.nav),
        });
        let mine = frame.to == ME || frame.to == NodeId::BROADCAST;
        let flags = frame.flags
            | if mine { Arrival::FOR_ME } else { 0 }
            | if frame.kind == FrameKind::Rts { Arrival::RTS } else { 0 };
        let nav = Span::from_micros(frame.nav).0 as u32;
        let arrival = Arrival { start, end: start + length, nav, power: frame.power, slot, flags, mode: mode.number() };
        self.station.radio.post(&arrival);
        if self.watchful {
            self.events.push(start + length, Event::Touch { node: ME });
        }
        if mine {
            self.events.push(start + length, Event::RxEnd { node: ME, slot });
        }
    }

    /// Runs up to an instant and gives everything that has happened so far.
    fn run(&mut self, us: u64) -> Vec<Line> {
        let mut taken = 0;
        while let Some((now, event)) = self.events.pop_until(at(us)) {
            taken += 1;
            assert!(taken < 1_000_000, "the station goes round in circles at {now:?}");
            if let (Event::ResponseTimeout { generation, .. }, false) = (event, self.watchful) {
                let stale = self.mac.response_is_stale(generation);
                if stale || self.mac.waits_for_end(now, &mut self.station, &self.rules) {
                    continue;
                }
            }
            self.station.catch_up(now, &self.rules.station);
            match event {
                Event::RxEnd { slot, .. } => {
                    let frame = self.station.take_received(slot).then_some(self.air[slot as usize]);
                    self.input(now, |mac, cx| mac.on_rx_end(frame, cx));
                }
                Event::Sifs { generation, .. } => self.input(now, |mac, cx| mac.on_sifs(generation, cx)),
                Event::ResponseTimeout { generation, .. } => {
                    self.input(now, |mac, cx| mac.on_response_timeout(generation, cx));
                }
                Event::Access { .. } => {
                    if self.station.access_event(now) {
                        match self.station.poll_access(now, &self.rules.station) {
                            AccessAnswer::Granted => self.input(now, |mac, cx| mac.on_access(cx)),
                            AccessAnswer::Later(then) => self.events.push(then, Event::Access { node: ME }),
                            AccessAnswer::Nothing => {}
                        }
                    }
                }
                Event::Touch { .. } => self.input(now, |_, cx| {
                    cx.out.arm_access = cx.station.access_to_queue(cx.now, &cx.rules.station);
                }),
                Event::App { flow } => {
                    self.waiting.push_back(self.offers[flow.index()]);
                    self.feed(now);
                }
                other => panic!("the laboratory has no {other:?}"),
            }
        }
        self.log.clone()
    }

    fn feed(&mut self, now: Time) {
        if self.mac.is_free() {
            if let Some((to, bytes)) = self.waiting.pop_front() {
                let packet = PacketId(self.packets);
                self.packets += 1;
                let pacing = self.pacing;
                self.input(now, |mac, cx| mac.offer(packet, to, bytes, pacing, cx));
            }
        }
    }

    fn input(&mut self, now: Time, input: impl FnOnce(&mut Dcf, &mut MacCx<'_>)) {
        let mut out = MacEffects::default();
        input(&mut self.mac, &mut MacCx { now, station: &mut self.station, rules: &self.rules, out: &mut out });
        if let Some(frame) = out.transmit {
            self.note(now, name(frame.kind));
            self.sent.push(frame);
            self.answer(now + frame.airtime + self.rules.station.timing.sifs, &frame);
        }
        if let Some((then, generation)) = out.arm_sifs {
            self.events.push(then, Event::Sifs { node: ME, generation });
        }
        if let Some((then, generation)) = out.arm_response {
            self.events.push(then, Event::ResponseTimeout { node: ME, generation });
        }
        if let Some(then) = out.arm_access {
            self.events.push(then, Event::Access { node: ME });
        }
        if out.deliver.is_some() {
            self.note(now, "up");
        }
        if let Some((_, outcome)) = out.done {
            self.note(
                now,
                match outcome {
                    Outcome::Sent => "sent",
                    Outcome::RetryLimit => "dropped",
                    Outcome::Incomplete => "incomplete",
                },
            );
            self.feed(now);
        }
    }

    /// Node 1 answers a frame of the station.
    fn answer(&mut self, start: Time, frame: &Frame) {
        let length = self.rules.answer(frame.mode);
        let (kind, nav) = match frame.kind {
            FrameKind::Rts if self.peer != Peer::Silent => {
                (FrameKind::Cts, frame.duration - (self.rules.station.timing.sifs + length))
            }
            FrameKind::Data if self.peer == Peer::Answers && frame.dst == PEER => (FrameKind::Ack, Span::ZERO),
            _ => return,
        };
        self.put(start, RxFrame::new(kind, PEER, ME, nav.0 / 1_000, length.0 / 1_000));
    }

    fn note(&mut self, now: Time, what: &'static str) {
        assert_eq!(now.0 % 1_000, 0, "{what} at {now:?}: the laboratory works in whole microseconds");
        self.log.push((now.0 / 1_000, what));
    }
}

fn at(us: u64) -> Time {
    Time::ZERO + Span::from_micros(us)
}

fn stream(seed: u64) -> Stream {
    Stream::derive(seed, 0, 0, Purpose::Backoff)
}

fn name(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Rts => "RTS",
        FrameKind::Cts => "CTS",
        FrameKind::Data => "DATA",
        FrameKind::Ack => "ACK",
        FrameKind::BlockAck => "BA",
        FrameKind::BlockAckReq => "BAR",
        FrameKind::CfEnd => "CF-END",
        FrameKind::Action => "ACTION",
    }
}

/// Only the frames of one kind.
fn instants(log: &[Line], kind: &str) -> Vec<u64> {
    log.iter().filter(|(_, what)| *what == kind).map(|(us, _)| *us).collect()
}
