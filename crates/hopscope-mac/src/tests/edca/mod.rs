//! The MAC of one QoS station in a hand-clocked laboratory, as [`super`] has it for a station of the DCF.
//!
//! HT20 MCS 7 in the 5 GHz band, other frames at 24 Mbit/s: an MPDU of 1538 bytes takes 228 us, 28 of them in one
//! A-MPDU 5360; ACK and CTS 28, Block Ack, request and RTS 32, 32 and 28; slot 9, SIFS 16, AIFS 79, 43, 34 and 34.

mod access;
mod exchange;
mod flows;
mod frames;
mod late;
mod limits;
mod link;
mod protection;
mod rates;
mod recipient;
mod setup;
mod txop;

use super::{DECODABLE, ME, OTHER, PACKET, PEER, at, stream};
use crate::MacRules;
use crate::block_ack::Recipient;
use crate::config::mac::TxopTable;
use crate::config::{MacConfig, presets};
use crate::contention::Station;
use crate::dcf::Outcome;
use crate::edca::access::EdcaAnswer;
use crate::edca::category::Ac;
use crate::edca::{
    Accepted, Addba, Aqm, BlockAckInfo, Carried, Delivered, DropCause, Edca, EdcaCx, EdcaEffects, FrameInfo,
    PacketEntry,
};
use crate::fair::{FairRules, FlowKey};
use crate::frame::{Frame, FrameKind, Mpdu};
use crate::rate::ht::HtRates;
use frames::RxFrame;
use hopscope_core::event::Event;
use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_core::queue::EventQueue;
use hopscope_core::units::{Span, Time};
use hopscope_phy::config::RadioConfig;
use hopscope_phy::config::layout::PpduFormat;
use hopscope_phy::phy::{Arrival, Packed};
use std::collections::VecDeque;

/// Traffic identifiers of the four categories.
const BK: u8 = 1;
const BE: u8 = 0;
const VI: u8 = 5;
const VO: u8 = 6;

/// What becomes of a frame of the station at node 1.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Peer {
    /// It comes, and so does the answer.
    Answers,
    /// These of its MPDUs do not come, by their sequence numbers.
    Lacks(Vec<u16>),
    /// It comes, but the answer is lost.
    Unheard,
    /// It does not come.
    Silent,
}

/// CoDel and FQ-CoDel as RFC 8289 and 8290 have them.
const FAIR: FairRules =
    FairRules { target: Span::from_millis(5), interval: Span::from_millis(100), quantum: 1_514, queues: 1_024 };

/// A packet of a flow of its neighbour and traffic identifier.
fn new_packet(packet: PacketId, (to, tid): (NodeId, u8), bytes: u32) -> PacketEntry {
    let flow = FlowKey { ends: (ME, to), protocol: 17, ports: (tid.into(), 0) };
    PacketEntry { packet, to, tid, bytes, flow, aqm: Aqm::Drops }
}

struct Lab {
    /// The station looks at its back-offs at the end of every frame, as if each were an event to it.
    watchful: bool,
    rules: MacRules,
    station: Station,
    edca: Edca,
    events: EventQueue,
    /// Frames of the others, by air slot.
    air: Vec<(Frame, RxFrame)>,
    /// Frames of the station.
    sent: Vec<(Frame, Carried)>,
    offers: Vec<(NodeId, u8, u32)>,
    packets: u32,
    /// Node 2 answers as node 1 does, under traffic identifiers of its own.
    both_answer: bool,
    /// What becomes of the frames of the station, in their order, and of those beyond the list.
    peer: VecDeque<Peer>,
    beyond: Peer,
    /// Node 1 under the agreements, by traffic identifier.
    recipients: [Recipient<PacketId>; 8],
    /// Ratio at which node 1 says to have heard data.
    ratio: f32,
    log: Vec<String>,
}

impl Lab {
    fn new(profile: &str) -> Self {
        Lab::with(profile, |_, _| ())
    }

    fn with(profile: &str, change: impl FnOnce(&mut RadioConfig, &mut MacConfig)) -> Self {
        let rules = rules(profile, change);
        Lab {
            watchful: false,
            station: Station::new(&rules.station, stream(0)),
            edca: Edca::new(ME).with_rates(HtRates::new(&rules, || stream(0))),
            events: EventQueue::new(),
            air: Vec::new(),
            sent: Vec::new(),
            offers: Vec::new(),
            packets: 0,
            both_answer: false,
            peer: VecDeque::new(),
            beyond: Peer::Answers,
            recipients: std::array::from_fn(|_| Recipient::new(0, 64, None)),
            ratio: 0.0,
            log: Vec::new(),
            rules,
        }
    }

    /// The station will make these draws: (contention window, slots).
    fn draws(mut self, wanted: &[(u32, u32)]) -> Self {
        let seed = (0..).find(|&seed| {
            let mut stream = stream(seed);
            wanted.iter().all(|&(cw, draw)| stream.below(cw + 1) == draw)
        });
        self.station = Station::new(&self.rules.station, stream(seed.expect("some seed gives these draws")));
        self
    }

    /// What becomes of the first frames of the station.
    fn peer(mut self, first: impl IntoIterator<Item = Peer>) -> Self {
        self.peer = first.into_iter().collect();
        self
    }

    /// What becomes of all further frames.
    fn beyond(self, beyond: Peer) -> Self {
        Lab { beyond, ..self }
    }

    /// So many packets of best effort for node 1 come at one instant.
    fn offer(self, us: u64, packets: usize) -> Self {
        (0..packets).fold(self, |lab, _| lab.offer_to(us, PEER, BE, PACKET))
    }

    fn offer_to(mut self, us: u64, to: NodeId, tid: u8, bytes: u32) -> Self {
        self.events.push(at(us), Event::App { flow: FlowId(self.offers.len() as u32) });
        self.offers.push((to, tid, bytes));
        self
    }

    /// A packet of a category for node 1.
    fn offer_tid(self, us: u64, tid: u8) -> Self {
        self.offer_to(us, PEER, tid, PACKET)
    }

    /// Somebody else's frame begins.
    fn hears(mut self, us: u64, frame: RxFrame) -> Self {
        self.put(at(us), frame);
        self
    }

    fn put(&mut self, start: Time, rx: RxFrame) {
        let slot = self.air.len() as u32;
        let length = Span::from_micros(rx.length);
        let rules = self.rules.qos.as_ref().expect("a QoS station");
        let mode = match rx.kind {
            FrameKind::Data => rules.data,
            FrameKind::Action => rules.lowest,
            _ => self.rules.rates.first(rx.to, FrameKind::Rts),
        };
        let frame = Frame {
            kind: rx.kind,
            mode,
            retry: rx.retry,
            frag: 0,
            tid: rx.tid,
            seq: rx.seq,
            src: rx.from,
            dst: rx.to,
            bytes: PACKET + 38,
            body: PacketId(rx.seq.into()),
            airtime: length,
            duration: Span::from_micros(rx.nav),
        };
        let mine = rx.to == ME || rx.to == NodeId::BROADCAST;
        let flags = rx.flags
            | if mine { Arrival::FOR_ME } else { 0 }
            | if rx.kind == FrameKind::Rts { Arrival::RTS } else { 0 };
        let (end, nav, mode) = (start + length, Span::from_micros(rx.nav).0 as u32, mode.number());
        let arrival = Arrival { start, end, nav, power: 1e-9, slot, flags, mode };
        let packed = Packed::new(&arrival).with_mpdus(rx.mpdus.len() as u8);
        self.air.push((frame, rx));
        self.station.radio.post_packed(packed);
        if self.watchful {
            self.events.push(end, Event::Touch { node: ME });
        }
        if mine {
            self.events.push(end, Event::RxEnd { node: ME, slot });
        }
    }

    /// Runs up to an instant and gives everything that has happened so far, with its instant in us: frames sent by the
    /// station with their sequence number, A-MPDUs with the first number and how many, `up` (a packet handed up;
    /// `early`: while its PPDU is on the air), `sent` or `dropped` (the end of an exchange) with the packet.
    fn run(&mut self, us: u64) -> Vec<String> {
        let mut taken = 0;
        while let Some((now, event)) = self.events.pop_until(at(us)) {
            taken += 1;
            assert!(taken < 1_000_000, "the station goes round in circles at {now:?}");
            if let (Event::ResponseTimeout { generation, .. }, false) = (event, self.watchful) {
                let stale = self.edca.response_is_stale(generation);
                if stale || self.edca.waits_for_end(now, &mut self.station, &self.rules) {
                    continue;
                }
            }
            self.station.catch_up(now, &self.rules.station);
            match event {
                Event::RxEnd { slot, .. } => self.end_of_frame(now, slot),
                Event::Sifs { generation, .. } => self.input(now, |edca, cx| edca.on_sifs(generation, cx)),
                Event::ResponseTimeout { generation, .. } => {
                    self.input(now, |edca, cx| edca.on_response_timeout(generation, cx));
                }
                Event::Access { .. } => {
                    if self.station.access_event(now) {
                        match self.station.poll_edca(now, &self.rules.station) {
                            EdcaAnswer::Granted(ac, lost) => self.input(now, |edca, cx| edca.on_access(ac, lost, cx)),
                            EdcaAnswer::Later(then) => self.events.push(then, Event::Access { node: ME }),
                            EdcaAnswer::Nothing => {}
                        }
                    }
                }
                Event::App { flow } => {
                    let (to, tid, bytes) = self.offers[flow.index()];
                    let packet = PacketId(self.packets);
                    self.packets += 1;
                    let mut taken = false;
                    let new = new_packet(packet, (to, tid), bytes);
                    self.input(now, |edca, cx| taken = edca.enqueue(&new, false, cx));
                    if !taken {
                        self.note(now, format!("refused {}", packet.0));
                    }
                }
                Event::Touch { .. } => self.input(now, |_, cx| {
                    cx.out.mac.arm_access = cx.station.edca_access_to_queue(cx.now, &cx.rules.station);
                }),
                Event::Link { .. } => self.input(now, Edca::on_release),
                other => panic!("the laboratory has no {other:?}"),
            }
        }
        self.log.clone()
    }

    fn end_of_frame(&mut self, now: Time, slot: u32) {
        let (frame, rx) = self.air[slot as usize].clone();
        let received = self.station.take_received(slot);
        if received || self.edca.is_decided_at(now) {
            let frame = received.then_some(frame);
            self.input(now, |edca, cx| {
                edca.note_ratio(rx.carried.ratio);
                edca.on_rx_end(frame, &rx.mpdus, rx.carried.said, cx);
            });
        }
    }

    fn input(&mut self, now: Time, input: impl FnOnce(&mut Edca, &mut EdcaCx<'_>)) {
        let mut out = EdcaEffects::default();
        let (station, rules) = (&mut self.station, &self.rules);
        input(&mut self.edca, &mut EdcaCx { now, station, rules, out: &mut out });
        if let Some(frame) = out.mac.transmit {
            let slot = self.sent.len() as u32;
            self.edca.begin_frame(slot);
            self.on_transmit(now, frame, self.edca.carried(slot).clone());
        }
        if let Some((then, generation)) = out.mac.arm_sifs {
            self.events.push(then, Event::Sifs { node: ME, generation });
        }
        if let Some((then, generation)) = out.mac.arm_response {
            self.events.push(then, Event::ResponseTimeout { node: ME, generation });
        }
        if let Some(then) = out.mac.arm_access {
            self.events.push(then, Event::Access { node: ME });
        }
        for accepted in std::mem::take(&mut out.accepted) {
            if accepted.seq.is_none() {
                let Accepted { packet, from, within, .. } = accepted;
                out.delivered.push(Delivered { packet, from, within });
            }
            let (station, rules) = (&mut self.station, &self.rules);
            self.edca.store(&accepted, accepted.packet, Vec::new(), &mut EdcaCx { now, station, rules, out: &mut out });
        }
        for then in [out.arm_release, out.arm_setup].into_iter().flatten() {
            self.events.push(then, Event::Link { node: ME });
        }
        for delivered in out.delivered {
            let early = if delivered.within { " early" } else { "" };
            self.note(now, format!("up {}{early}", delivered.packet.0));
        }
        for packet in out.marked {
            self.note(now, format!("marked {}", packet.0));
        }
        for (packet, why) in out.discarded {
            let what = match why {
                DropCause::Lifetime => "expired",
                DropCause::QueueFull => "pushed out",
                DropCause::CoDel => "codel",
            };
            self.note(now, format!("{what} {}", packet.0));
        }
        for (packet, outcome) in out.done {
            let what = if outcome == Outcome::Sent { "sent" } else { "dropped" };
            self.note(now, format!("{what} {}", packet.0));
        }
    }

    fn on_transmit(&mut self, now: Time, frame: Frame, carried: Carried) {
        let what = match (frame.kind, carried.mpdus.len()) {
            (FrameKind::Data, 0) => format!("DATA {}", frame.seq),
            (FrameKind::Data, count) => format!("A-MPDU {} x{count}", frame.seq),
            (FrameKind::BlockAckReq, _) => format!("BAR {}", frame.seq),
            (kind, _) => super::name(kind).to_owned(),
        };
        self.note(now, what);
        let start = now + frame.airtime + self.rules.station.timing.sifs;
        self.answer(start, &frame, &carried.mpdus);
        self.sent.push((frame, carried));
    }

    /// Node 1 answers a frame of the station.
    fn answer(&mut self, start: Time, frame: &Frame, mpdus: &[Mpdu]) {
        let asks = matches!(frame.kind, FrameKind::Rts | FrameKind::Data | FrameKind::BlockAckReq | FrameKind::Action);
        if frame.dst != PEER && !self.both_answer || !asks {
            return;
        }
        let peer = self.peer.pop_front().unwrap_or(self.beyond.clone());
        let recipient = &mut self.recipients[usize::from(frame.tid)];
        let lacks: &[u16] = if let Peer::Lacks(seqs) = &peer { seqs } else { &[] };
        if peer != Peer::Silent {
            let mut up = Vec::new();
            if frame.kind == FrameKind::BlockAckReq {
                recipient.on_request(frame.seq, Time::ZERO, &mut up);
            }
            for mpdu in mpdus.iter().filter(|mpdu| !lacks.contains(&mpdu.seq)) {
                recipient.on_mpdu(mpdu.seq, mpdu.packet, start, &mut up);
            }
            if frame.kind == FrameKind::Data && mpdus.is_empty() {
                recipient.on_mpdu(frame.seq, frame.body, start, &mut up);
            }
        }
        if matches!(peer, Peer::Silent | Peer::Unheard) {
            return;
        }
        let (kind, length) = match frame.kind {
            FrameKind::Rts => (FrameKind::Cts, 28),
            FrameKind::Data if mpdus.is_empty() => (FrameKind::Ack, 28),
            FrameKind::Action => (FrameKind::Ack, 44),
            _ => (FrameKind::BlockAck, 32),
        };
        let (ssn, bitmap) = recipient.block_ack();
        let mut rx = RxFrame::new(kind, frame.dst, ME, length).tid(frame.tid);
        rx.carried.said.block_ack = BlockAckInfo { ssn, bitmap, size: 64 };
        rx.carried.ratio = self.ratio;
        self.put(start, rx);
    }

    fn note(&mut self, now: Time, what: String) {
        assert_eq!(now.0 % 1_000, 0, "{what} at {now:?}: the laboratory works in whole microseconds");
        self.log.push(format!("{} {what}", now.0 / 1_000));
    }

    /// Sequence numbers of the MPDUs of one frame sent, with their Retry bits.
    fn mpdus(&self, frame: usize) -> Vec<(u16, bool)> {
        self.sent[frame].1.mpdus.iter().map(|mpdu| (mpdu.seq, mpdu.retry)).collect()
    }

    /// The ADDBA frames sent.
    fn addba(&self) -> Vec<Addba> {
        let actions = self.sent.iter().filter(|(frame, _)| frame.kind == FrameKind::Action);
        actions.filter_map(|(_, carried)| carried.said.addba).collect()
    }

    /// Bytes and Duration field (us) of each frame sent.
    fn fields(&self) -> Vec<(u32, u64)> {
        self.sent.iter().map(|(frame, _)| (frame.bytes, frame.duration.0 / 1_000)).collect()
    }

    fn cw(&self, ac: Ac) -> u32 {
        self.station.edca_cw(ac)
    }
}

/// Rules of HT20 MCS 7 under a profile, without RTS and TXOPs, after a change.
fn rules(profile: &str, change: impl FnOnce(&mut RadioConfig, &mut MacConfig)) -> MacRules {
    let mut base = presets::base(profile, "ofdm-54M").expect("a profile");
    base.radio.ppdu_format = PpduFormat::Ht;
    base.radio.basic_rate = 24_000_000;
    base.mac.qos = true;
    base.mac.edca_txop_table = TxopTable::None;
    base.mac.rts_threshold = None;
    base.mac.queue = 500;
    change(&mut base.radio, &mut base.mac);
    MacRules::new(&base.radio, &base.mac)
}

/// The lines with one of these words.
fn only(log: &[String], words: &[&str]) -> Vec<String> {
    log.iter().filter(|line| words.iter().any(|word| line.contains(word))).cloned().collect()
}

/// The instant of a line.
fn time(line: &str) -> u64 {
    line.split_once(' ').and_then(|(us, _)| us.parse().ok()).expect("an instant")
}

/// What happened then.
fn what(line: &str) -> &str {
    line.split_once(' ').expect("an instant and what happened").1
}
