//! Two QoS stations over a link that loses PPDUs, MPDUs and answers, whatever the settings.
//!
//! Every packet ends once in the MAC that took it. One that was acknowledged goes up once at the other station, and
//! what goes up of one flow under one traffic identifier is in order. Where the recipient waits for a time only, what comes later
//! is lost.

use super::*;
use crate::config::mac::{BlockAckSetup, MissingBlockAck, Protection, TxopRecovery};
use hopscope_core::rng::{Purpose, Stream};
use hopscope_testing::property;
use proptest::prelude::*;

/// Between the stations.
const DELAY: Span = Span(100);

/// Air slot of all frames of others.
const FOREIGN: u32 = (1 << 20) - 1;

/// A run.
#[derive(Debug, Clone)]
struct Script {
    settings: Settings,
    seed: u64,
    /// Shares of PPDUs with data, of MPDUs and of other frames that are lost, in percent, and until when, us.
    losses: ([u32; 3], u64),
    packets: Vec<Offer>,
    /// Frames of others: begin and length (us), which stations they reach, reserved time (us), in error.
    foreign: Vec<(u64, u64, [bool; 2], u64, bool)>,
}

/// A packet from a station to the other one, or to all.
#[derive(Debug, Clone, Copy)]
struct Offer {
    us: u64,
    from: usize,
    is_broadcast: bool,
    tid: u8,
    bytes: u32,
}

#[derive(Debug, Clone)]
struct Settings {
    profile: &'static str,
    format: PpduFormat,
    mcs: u32,
    ampdu: Option<u32>,
    window: u32,
    setup: BlockAckSetup,
    missing: MissingBlockAck,
    retry_limit: Option<u32>,
    lifetime: Option<u32>,
    rts: Option<u32>,
    protection: Protection,
    amsdu: Option<u32>,
    txop: Vec<u32>,
    recovery: TxopRecovery,
    reorder_timeout: Option<u32>,
    queue: u32,
    /// Packets wait in flow queues, with this limit on airtime.
    flows: Option<Option<u32>>,
}

impl Settings {
    fn rules(&self) -> MacRules {
        rules(self.profile, |radio, mac| {
            (radio.ppdu_format, radio.mcs) = (self.format, self.mcs);
            (mac.ampdu, mac.block_ack_window, mac.missing_block_ack) = (self.ampdu, self.window, self.missing);
            (mac.mpdu_retry_limit, mac.msdu_lifetime, mac.rts_threshold) = (self.retry_limit, self.lifetime, self.rts);
            (mac.amsdu, mac.txop_recovery, mac.protection) = (self.amsdu, self.recovery, self.protection);
            mac.block_ack_setup = self.setup;
            (mac.edca_txop, mac.queue, mac.reorder_timeout) = (self.txop.clone(), self.queue, self.reorder_timeout);
            mac.airtime_limit = self.flows.flatten();
            (mac.airtime_limit_low, mac.airtime_threshold) = (mac.airtime_limit.unwrap_or(1) / 2, 4_000);
        })
    }
}

/// A packet and how it ended.
#[derive(Debug, Clone, Copy)]
struct Packet {
    offer: Offer,
    ended: Option<Outcome>,
    /// How often it went up at the other station.
    delivered: u32,
}

struct Node {
    station: Station,
    edca: Edca,
    /// The own transmitter is on until then.
    sends_until: Time,
}

struct Link {
    rules: MacRules,
    window: usize,
    /// A recipient waits for what is missing until the sender has given it up.
    keeps_all: bool,
    nodes: [Node; 2],
    events: EventQueue,
    draws: Stream,
    losses: ([u32; 3], Time),
    /// Frames with what a Block Ack says, and with the MPDUs that come through.
    air: Vec<(Frame, Carried)>,
    offers: Vec<Offer>,
    /// Those that were taken.
    packets: Vec<Packet>,
    /// Packets in the order in which they went up, by receiver.
    delivered: [Vec<PacketId>; 2],
}

impl Link {
    fn new(script: &Script) -> Self {
        let rules = script.settings.rules();
        let node = |number: u32| {
            let mut edca = Edca::new(NodeId(number));
            if script.settings.flows.is_some() {
                // Short times, so that CoDel acts within a run.
                let (target, interval) = (Span::from_micros(500), Span::from_millis(5));
                edca.order_by_flows(FairRules { target, interval, ..FAIR }, true);
            }
            let station = Station::new(&rules.station, stream(script.seed ^ u64::from(number)));
            Node { station, edca, sends_until: Time::ZERO }
        };
        let mut link = Link {
            window: script.settings.window as usize,
            keeps_all: script.settings.reorder_timeout.is_none(),
            nodes: [node(0), node(1)],
            events: EventQueue::new(),
            draws: Stream::derive(script.seed, 0, 0, Purpose::Error),
            losses: (script.losses.0, at(script.losses.1)),
            air: Vec::new(),
            offers: Vec::new(),
            packets: Vec::new(),
            delivered: [const { Vec::new() }; 2],
            rules,
        };
        script.packets.iter().for_each(|&offer| link.offer(offer));
        for &(us, length, reaches, nav, errored) in &script.foreign {
            for node in (0..2).filter(|&node| reaches[node]) {
                let flags = DECODABLE | if errored { Arrival::ERRORED } else { 0 };
                link.post(node, at(us), Span::from_micros(length), Span::from_micros(nav), flags, (0, 0, FOREIGN));
            }
        }
        link
    }

    fn offer(&mut self, offer: Offer) {
        self.events.push(at(offer.us), Event::App { flow: FlowId(self.offers.len() as u32) });
        self.offers.push(offer);
    }

    fn post(&mut self, node: usize, start: Time, length: Span, nav: Span, flags: u8, of: (u8, u8, u32)) {
        let (mode, mpdus, slot) = of;
        let nav = u32::try_from(nav.0).expect("a Duration field");
        let arrival = Arrival { start, end: start + length, nav, power: 1e-9, slot, flags, mode };
        self.nodes[node].station.radio.post_packed(Packed::new(&arrival).with_mpdus(mpdus));
    }

    /// Runs until nothing happens any more.
    fn run(&mut self) -> Time {
        let (mut taken, mut last) = (0, Time::ZERO);
        while let Some((now, event)) = self.events.pop_until(at(1_000_000_000)) {
            taken += 1;
            assert!(taken < 2_000_000, "the stations go round in circles at {now:?}");
            last = now;
            self.on_event(now, event);
        }
        last
    }

    fn on_event(&mut self, now: Time, event: Event) {
        match event {
            Event::RxEnd { node, slot } => self.end_of_frame(now, node.index(), slot),
            Event::Sifs { node, generation } => self.input(now, node.index(), |edca, cx| edca.on_sifs(generation, cx)),
            Event::ResponseTimeout { node, generation } => {
                let Node { edca, station, .. } = &mut self.nodes[node.index()];
                if !edca.response_is_stale(generation) && !edca.waits_for_end(now, station, &self.rules) {
                    self.input(now, node.index(), |edca, cx| edca.on_response_timeout(generation, cx));
                }
            }
            Event::Access { node } => {
                let Node { station, .. } = &mut self.nodes[node.index()];
                if station.access_event(now) {
                    station.catch_up(now, &self.rules.station);
                    match station.poll_edca(now, &self.rules.station) {
                        EdcaAnswer::Granted(ac, lost) => {
                            self.input(now, node.index(), |edca, cx| edca.on_access(ac, lost, cx));
                        }
                        EdcaAnswer::Later(then) => self.events.push(then, Event::Access { node }),
                        EdcaAnswer::Nothing => {}
                    }
                }
            }
            Event::App { flow } => self.on_offer(now, self.offers[flow.index()]),
            Event::Link { node } => self.input(now, node.index(), Edca::on_release),
            other => panic!("the link has no {other:?}"),
        }
    }

    /// A packet comes to a station, which may refuse it.
    fn on_offer(&mut self, now: Time, offer: Offer) {
        let packet = PacketId(self.packets.len() as u32);
        let to = if offer.is_broadcast { NodeId::BROADCAST } else { NodeId(1 - offer.from as u32) };
        self.packets.push(Packet { offer, ended: None, delivered: 0 });
        let mut is_taken = false;
        let aqm = [Aqm::Drops, Aqm::Marks, Aqm::Spares][packet.index() / FLOWS % 3];
        let flow = FlowKey { ports: (flow_of(packet) as u16, 0), ..FlowKey::default() };
        let new = PacketEntry { packet, to, tid: offer.tid, bytes: offer.bytes, flow, aqm };
        self.input(now, offer.from, |edca, cx| is_taken = edca.enqueue(&new, false, cx));
        if !is_taken {
            self.packets.pop();
        }
    }

    fn end_of_frame(&mut self, now: Time, node: usize, slot: u32) {
        let (frame, carried) = self.air[slot as usize].clone();
        let Node { station, edca, .. } = &mut self.nodes[node];
        station.catch_up(now, &self.rules.station);
        let mut received = station.take_received(slot);
        if received && frame.seq == EMPTY {
            // As the engine has it where none of the MPDUs came through.
            station.fail_reception(now, &self.rules.station);
            received = false;
        } else if !received && !edca.is_decided_at(now) {
            return;
        }
        let frame = received.then_some(frame);
        self.input(now, node, |edca, cx| edca.on_rx_end(frame, &carried.mpdus, carried.said, cx));
    }

    fn input(&mut self, now: Time, node: usize, input: impl FnOnce(&mut Edca, &mut EdcaCx<'_>)) {
        let mut out = EdcaEffects::default();
        let id = NodeId(node as u32);
        let [first, second] = &mut self.nodes;
        let (Node { station, edca, .. }, other) = if node == 0 { (first, second) } else { (second, first) };
        station.catch_up(now, &self.rules.station);
        input(edca, &mut EdcaCx { now, station, rules: &self.rules, out: &mut out });
        for accepted in std::mem::take(&mut out.accepted) {
            let Accepted { packet, from, within, .. } = accepted;
            let rest = other.edca.bundle(packet).to_vec();
            if accepted.seq.is_none() {
                let all = std::iter::once(packet).chain(rest);
                out.delivered.extend(all.map(|packet| Delivered { packet, from, within }));
                continue;
            }
            edca.store(&accepted, packet, rest, &mut EdcaCx { now, station, rules: &self.rules, out: &mut out });
        }
        if let Some(frame) = out.mac.transmit {
            let slot = self.air.len() as u32;
            edca.begin_frame(slot);
            let carried = edca.carried(slot).clone();
            self.transmit(now, node, frame, carried);
        }
        if let Some((then, generation)) = out.mac.arm_sifs {
            self.events.push(then, Event::Sifs { node: id, generation });
        }
        if let Some((then, generation)) = out.mac.arm_response {
            self.events.push(then, Event::ResponseTimeout { node: id, generation });
        }
        if let Some(then) = out.mac.arm_access {
            self.events.push(then, Event::Access { node: id });
        }
        for then in [out.arm_release, out.arm_setup].into_iter().flatten() {
            self.events.push(then, Event::Link { node: id });
        }
        for Delivered { packet, from, .. } in out.delivered {
            assert_ne!(from, id);
            self.packets[packet.index()].delivered += 1;
            self.delivered[node].push(packet);
        }
        let discarded = out.discarded.into_iter().map(|(packet, _)| (packet, Outcome::RetryLimit));
        for (packet, outcome) in out.done.into_iter().chain(discarded) {
            let packet = &mut self.packets[packet.index()];
            assert_eq!((packet.ended, packet.offer.from), (None, node), "it ends once");
            packet.ended = Some(outcome);
        }
    }

    fn transmit(&mut self, now: Time, node: usize, mut frame: Frame, mut carried: Carried) {
        assert!(self.nodes[node].sends_until <= now, "{frame:?} begins within another frame");
        self.nodes[node].sends_until = now + frame.airtime;
        assert!(carried.mpdus.len() <= self.window && carried.mpdus.len() != 1);
        let mode = frame.mode.number();
        let mut flags = DECODABLE | if frame.kind == FrameKind::Rts { Arrival::RTS } else { 0 };
        let ([ppdu, mpdu, other], until) = self.losses;
        let mut is_lost = |percent| now < until && self.draws.below(100) < percent;
        if is_lost(if frame.kind == FrameKind::Data { ppdu } else { other }) {
            flags |= Arrival::ERRORED;
        }
        let sent = carried.mpdus.len();
        if frame.kind == FrameKind::Data && sent > 0 {
            carried.mpdus.retain(|_| !is_lost(mpdu));
            if carried.mpdus.is_empty() {
                frame.seq = EMPTY;
            }
        }
        let slot = self.air.len() as u32;
        let to = 1 - node;
        flags |= Arrival::FOR_ME;
        self.air.push((frame, carried));
        self.post(to, now + DELAY, frame.airtime, frame.duration, flags, (mode, sent.min(127) as u8, slot));
        self.events.push(now + DELAY + frame.airtime, Event::RxEnd { node: NodeId(to as u32), slot });
    }

    fn check(&self) {
        for (number, packet) in self.packets.iter().enumerate() {
            let Packet { offer, ended, delivered } = *packet;
            let least = u32::from(ended == Some(Outcome::Sent) && !offer.is_broadcast && self.keeps_all);
            assert!(ended.is_some() && (least..=1).contains(&delivered), "packet {number}: {packet:?}");
        }
        let rows = (0..8).flat_map(|tid| (0..FLOWS).map(move |flow| (tid, flow)));
        for ((tid, flow), delivered) in
            rows.flat_map(|row| self.delivered.iter().map(move |delivered| (row, delivered)))
        {
            let of_it = |id: &&PacketId| {
                let offer = self.packets[id.index()].offer;
                offer.tid == tid && !offer.is_broadcast && flow_of(**id) == flow
            };
            assert!(delivered.iter().filter(of_it).is_sorted(), "in order");
        }
    }
}

/// Flows under each traffic identifier.
const FLOWS: usize = 3;

fn flow_of(packet: PacketId) -> usize {
    packet.index() % FLOWS
}

/// Stands for the sequence number of an A-MPDU of which nothing comes through.
const EMPTY: u16 = u16::MAX;

/// Two packets more under each identifier that was in use, behind everything else and by twos: an agreement is worth a request, and
/// long after the last request in vain.
fn last_packets(packets: &[Offer], us: u64) -> Vec<Offer> {
    let is_in_use =
        |from, tid| packets.iter().any(|offer| (offer.from, offer.tid, offer.is_broadcast) == (from, tid, false));
    let all = (0..2).flat_map(|from| (0..8).map(move |tid| (from, tid)));
    let used = all.filter(|&(from, tid)| is_in_use(from, tid));
    let last = |nth: u64, from, tid| Offer { us: us + 20_000 * nth, from, tid, is_broadcast: false, bytes: 100 };
    used.zip(0..).flat_map(|((from, tid), nth)| [last(nth, from, tid); 2]).collect()
}

fn settings() -> impl Strategy<Value = Settings> {
    let format = prop_oneof![Just(PpduFormat::Ht), Just(PpduFormat::Vht), Just(PpduFormat::He)];
    let ampdu = prop_oneof![1 => Just(None), 1 => Just(Some(4_000)), 3 => Just(Some(65_535))];
    let amsdu = prop_oneof![2 => Just(None), 1 => (200u32..8_000).prop_map(Some)];
    let window = prop_oneof![Just(1u32), Just(4), Just(64)];
    let window = (window, prop_oneof![Just(BlockAckSetup::Given), Just(BlockAckSetup::Addba)]);
    let missing = prop_oneof![Just(MissingBlockAck::Request), Just(MissingBlockAck::Resend)];
    let rts = prop_oneof![Just(None), Just(Some(0)), Just(Some(1_538))];
    let rts = (rts, prop_oneof![Just(Protection::RtsCts), Just(Protection::CtsToSelf)]);
    let limits = prop_oneof![Just(vec![0; 4]), Just(vec![300; 4]), Just(vec![2_528, 2_528, 4_096, 2_080])];
    let txop = (limits, prop_oneof![Just(TxopRecovery::Pifs), Just(TxopRecovery::Backoff)]);
    let ends = (proptest::option::of(1u32..6), proptest::option::of(1u32..30));
    let reorder_timeout = prop_oneof![3 => Just(None), 1 => (1u32..10).prop_map(Some)];
    let profile = prop_oneof![Just("standard"), Just("as-ns3")];
    let queue = prop_oneof![Just(3u32), Just(200)];
    let flows = prop_oneof![2 => Just(None), 1 => Just(Some(None)), 1 => (100u32..9_000).prop_map(|us| Some(Some(us)))];
    let queue = (queue, flows);
    ((profile, format, 0u32..8), (ampdu, amsdu, window, missing), ends, rts, (txop, queue, reorder_timeout)).prop_map(
        |(
            (profile, format, mcs),
            (ampdu, amsdu, (window, setup), missing),
            (retry_limit, lifetime),
            (rts, protection),
            ((txop, recovery), (queue, flows), reorder_timeout),
        )| Settings {
            profile,
            format,
            mcs,
            ampdu,
            amsdu,
            window,
            setup,
            missing,
            retry_limit,
            lifetime,
            rts,
            protection,
            txop,
            recovery,
            reorder_timeout,
            queue,
            flows,
        },
    )
}

fn offer() -> impl Strategy<Value = Offer> {
    let tid = prop_oneof![Just(BE), Just(BE), Just(BK), Just(VI), Just(VO), 0u8..8];
    (0u64..30_000, 0usize..2, proptest::bool::weighted(0.1), tid, 40u32..1_501)
        .prop_map(|(us, from, is_broadcast, tid, bytes)| Offer { us, from, is_broadcast, tid, bytes })
}

fn script() -> impl Strategy<Value = Script> {
    let percent = || prop_oneof![Just(0u32), 0u32..30, 0u32..100, Just(100)];
    let losses = ([percent(), percent(), percent()], 0u64..100_000);
    let foreign = (0u64..40_000, 20u64..3_000, any::<[bool; 2]>(), 0u64..1_000, any::<bool>());
    let foreign = proptest::collection::vec(foreign, 0..10);
    let packets = proptest::collection::vec(offer(), 0..200);
    (settings(), any::<u64>(), losses, packets, foreign).prop_map(|(settings, seed, losses, packets, foreign)| Script {
        settings,
        seed,
        losses,
        packets,
        foreign,
    })
}

proptest! {
    #![proptest_config(property(400))]

    #[test]
    fn every_packet_ends_once_and_goes_up_in_order(script in script()) {
        let mut link = Link::new(&script);
        let last = link.run().max(link.losses.1);
        // What waits in a reordering buffer, and was not asked about in time, goes up with the next packet.
        let us = last.0 / 1_000 + 300_000;
        last_packets(&script.packets, us).into_iter().for_each(|offer| link.offer(offer));
        let last = link.run();
        link.check();
        prop_assert!(link.nodes.iter().all(|node| node.edca.waiting() == 0));
        // Nothing is held: each category takes as many packets as at the beginning.
        for (node, tid) in [(0, BK), (0, BE), (0, VI), (0, VO), (1, BK), (1, BE), (1, VI), (1, VO)] {
            let before = link.packets.len();
            let us = last.0 / 1_000 + 20_000;
            for _ in 0..=script.settings.queue {
                link.on_offer(at(us), Offer { us, from: node, is_broadcast: false, tid, bytes: 100 });
            }
            // Flow queues push an earlier packet out.
            let held = link.packets[before..].iter().filter(|packet| packet.ended.is_none()).count();
            prop_assert_eq!(held, script.settings.queue as usize);
        }
    }
}
