//! The airtime ledger: what every nanosecond of every node and link went to, and where the delay of packets went.
//!
//! An observer like any other: all it knows comes from records, and from what it looks up at their instants. A run with
//! it takes the same course as one without.
//!
//! At each instant a node's time goes to the first of these that holds:
//!
//! 1. its radio is off (a frame or a SIFS begun before is finished);
//! 2. its transmitter is on: by kind of frame; RTS and data by the outcome of their attempt;
//! 3. it receives a frame meant for it;
//! 4. it is inside a frame exchange: the gaps, or the wait for an answer that does not come;
//! 5. a packet waits in the MAC: medium busy, reserved (NAV), EIFS or DIFS, back-off;
//! 6. no packet waits: the medium is busy (overheard), or why there is nothing to send.
//!
//! The medium is busy around a node while a frame of a station in carrier-sense range is on the air there; a pause
//! shorter than DIFS, in which nobody may begin, belongs to the busy period.

mod cause;
mod diagnosis;
mod exchange;
mod flow;
mod journey;
mod link;
mod qos;
mod report;
mod source;
mod timeline;
mod tracker;

pub use cause::{Cause, DelayPart, Diagnosis, Failure, LinkCause};
pub use report::{
    Balance, FailureResult, FlowLedger, LedgerResult, LinkLedger, LossResult, MpduLedger, MpduLoss, NodeLedger,
    PpduLedger,
};

use crate::config::Config;
use crate::record::{Classes, DropReason, NetworkView, Record, Recorder};
use flow::FlowAccount;
use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_mac::config::mac::MissingBlockAck;
use hopscope_mac::contention::QuietPlan;
use hopscope_mac::dcf::Frame;
use hopscope_mac::ppdu::PpduRules;
use hopscope_mac::timing::Timing;
use hopscope_packet::{Body, Packet};
use hopscope_phy::phy::modes::Mode as PhyMode;
use journey::Stage;
use qos::PpduDivision;
use timeline::{Mode, Timeline};
use tracker::PacketTracker;

/// The copy of a packet that is being handed to its transport.
#[derive(Debug, Clone, Copy)]
struct Arriving {
    parts: [u64; DelayPart::COUNT],
    seq: u64,
    sent: Time,
}

/// The ledger of a run.
#[derive(Debug)]
pub struct Ledger {
    start: Time,
    /// Pauses shorter than this end no busy period.
    pause: Span,
    /// From the end of a request to its answer.
    sifs: Span,
    slot: Span,
    /// Its stations have QoS.
    is_qos: bool,
    /// A Block Ack request follows where a Block Ack is missing.
    asks_again: bool,
    ppdu: PpduDivision,
    nodes: Vec<Timeline>,
    tracker: PacketTracker,
    flows: Vec<FlowAccount>,
    arriving: Arriving,
    /// Flow whose source's timer has expired with the last event.
    expired: FlowId,
}

impl Ledger {
    /// An empty ledger for a configuration.
    pub fn new(config: &Config) -> Self {
        let config = &*config.measured();
        let timing = Timing::new(&config.radio, &config.mac);
        let mut nodes: Vec<Timeline> = (0..config.stations().count()).map(|_| Timeline::new()).collect();
        for flow in &config.flows {
            nodes[flow.from as usize].is_source = true;
        }
        Ledger {
            start: Time::ZERO,
            pause: timing.difs,
            sifs: timing.sifs,
            slot: timing.slot,
            is_qos: config.mac.qos,
            asks_again: config.mac.missing_block_ack == MissingBlockAck::Request,
            ppdu: PpduDivision {
                rules: PpduRules::new(&config.radio),
                non_ht: timing.airtime(0, PhyMode::of(config.radio.data_rate).unwrap_or_default()),
            },
            nodes,
            tracker: PacketTracker::default(),
            flows: config.flows.iter().map(FlowAccount::new).collect(),
            arriving: Arriving { parts: [0; DelayPart::COUNT], seq: 0, sent: Time::ZERO },
            expired: FlowId::NONE,
        }
    }

    // ---- the medium ------------------------------------------------------------------------------------------

    /// A frame of another station will keep the medium busy at `node`.
    #[inline(always)]
    fn on_busy(&mut self, node: NodeId, from: Time, until: Time, view: &mut impl NetworkView) {
        let line = &mut self.nodes[node.index()];
        // Most frames lengthen a busy period. The plan walks the edges of the radio, so only a new period asks for it.
        if !line.hear(from, until, self.pause) {
            line.begin_busy(from, until, |plan| view.quiet_plan(node, plan));
        }
    }

    /// Accounts the time of `node` up to `now`.
    #[inline]
    fn settle(&mut self, now: Time, node: NodeId, view: &mut impl NetworkView) {
        self.nodes[node.index()].settle(now, || {
            let mut plan = QuietPlan::NONE;
            view.quiet_plan(node, &mut plan);
            plan
        });
    }

    fn settle_all(&mut self, now: Time, view: &mut impl NetworkView) {
        for node in 0..self.nodes.len() as u32 {
            self.settle(now, NodeId(node), view);
        }
    }

    /// A frame for `node` has ended there, received.
    #[inline(always)]
    fn on_received(&mut self, now: Time, node: NodeId, frame: &Frame) {
        let line = &mut self.nodes[node.index()];
        line.received(now, frame.airtime);
        // These ask for an answer. Whether it was sent matters only if the attempt fails.
        if frame.kind.asks() {
            line.asked = (frame.src, now);
        }
    }

    /// The radio of `node` goes off or comes back.
    fn on_power(&mut self, now: Time, node: NodeId, on: bool, view: &mut impl NetworkView) {
        self.settle(now, node, view);
        // Behind `settle`, which accounts the time until now to the state until now.
        self.nodes[node.index()].is_off = !on;
    }

    // ---- packets ---------------------------------------------------------------------------------------------

    /// A packet at `node` enters another stage of its way.
    #[inline]
    fn enter(&mut self, now: Time, node: NodeId, packet: PacketId, stage: Stage) {
        let before = self.tracker.enter(now, packet, stage);
        if (before == Stage::Held) != (stage == Stage::Held) {
            self.hold(now, node, stage == Stage::Held);
        }
    }

    /// One packet more, or less, waits at `node` for a route or an address.
    fn hold(&mut self, now: Time, node: NodeId, more: bool) {
        let line = &mut self.nodes[node.index()];
        line.settle_if_idle(now);
        line.held = if more { line.held + 1 } else { line.held - 1 };
    }

    /// The MAC of `node` takes a packet.
    #[inline]
    fn on_offered(&mut self, now: Time, node: NodeId, id: PacketId, packet: &Packet) {
        self.enter(now, node, id, Stage::Contention);
        let line = &mut self.nodes[node.index()];
        line.attempt.class = class(packet);
        line.settle_if_idle(now);
        line.link_waits = false;
        line.has_packet = true;
        // A node that waits for a frame of another exchange waits on, and contends once it leaves that.
        if line.mode == Mode::Idle {
            line.mode = Mode::Contend;
        }
        line.links.take(now, packet.next_hop);
    }

    /// The link layer of `node` holds its queue back until it offers the next packet.
    fn on_held_back(&mut self, now: Time, node: NodeId) {
        let line = &mut self.nodes[node.index()];
        line.settle_if_idle(now);
        line.link_waits = true;
    }

    /// A packet is lost at `node`.
    fn on_dropped(&mut self, now: Time, node: NodeId, id: PacketId, reason: DropReason, view: &mut impl NetworkView) {
        let &Packet { via, next_hop, hops, .. } = view.packet(id);
        let stage = self.tracker.stage(id);
        if self.waits_in_mac(id, via) {
            self.on_qos_left(now, node, next_hop, view);
        }
        // The packet leaves the count of those held, and with it the node may be idle for another cause.
        if stage == Stage::Held {
            self.enter(now, node, id, Stage::Processing);
        }
        // The attempt is over, but no other one has begun at the node: its diagnosis still stands.
        let line = &self.nodes[node.index()];
        // Of QoS stations an attempt that succeeded may have lost this packet.
        let own = line.qos.as_ref().and_then(|qos| qos.last_loss(id));
        let diagnosis = (stage == Stage::Dropped).then_some(own.unwrap_or(line.attempt.diagnosis));
        let hop = u32::from(hops) + 1;
        self.tracker.drop(id, flow::Lost { hop, node, reason: Some(reason), diagnosis }, &mut self.flows);
    }

    // ---- the run ---------------------------------------------------------------------------------------------

    /// The measured time begins.
    fn restart(&mut self, now: Time, view: &mut impl NetworkView) {
        // All nodes have to stand at one instant before anything is forgotten.
        self.settle_all(now, view);
        self.start = now;
        self.nodes.iter_mut().for_each(|line| line.restart(now));
        self.flows.iter_mut().for_each(FlowAccount::restart);
    }
}

/// What the airtime of a packet counts as.
fn class(packet: &Packet) -> Cause {
    match packet.body {
        // A SYN or FIN is among these: airtime goes by payload, where the balance of packets counts a SYN as data.
        Body::Tcp(segment) if segment.len == 0 => Cause::TransportAck,
        Body::Tcp(segment) if segment.retransmission => Cause::DataAgain,
        Body::Dccp(packet) if !packet.is_data() => Cause::TransportAck,
        Body::Dccp(packet) if packet.retransmission => Cause::DataAgain,
        Body::Atp(packet) if !packet.is_data() => Cause::TransportAck,
        Body::Atp(packet) if packet.retransmission => Cause::DataAgain,
        Body::Tcp(_)
        | Body::Udp { .. }
        | Body::Dccp(_)
        | Body::Atp(_)
        | Body::Opaque { .. }
        | Body::Ethernet { .. } => Cause::Data,
        Body::Arp { .. } | Body::Aodv(_) | Body::Routing | Body::Notice(_) | Body::PathNotice(_) => Cause::Routing,
    }
}

impl Recorder for Ledger {
    const WANTS: Classes = Classes::FRAMES
        .and(Classes::FRAME_ENDS)
        .and(Classes::CARRIER)
        .and(Classes::POWER)
        .and(Classes::MAC)
        .and(Classes::PACKETS)
        .and(Classes::QUEUES)
        .and(Classes::WIRES)
        .and(Classes::DROPS)
        .and(Classes::TRANSPORT)
        .and(Classes::TIMERS)
        .and(Classes::RUN);

    // The kind of record is known where it is written: of the choice nothing is left.
    #[inline(always)]
    fn record(&mut self, now: Time, record: &Record, view: &mut impl NetworkView) {
        if self.is_qos && self.record_of_qos(now, record, view) {
            return;
        }
        match *record {
            Record::FrameBegan { ref frame, slot } => self.on_frame(now, Some(slot), frame, view),
            Record::FrameUnsent { ref frame } => self.on_frame(now, None, frame, view),
            Record::Busy { node, from, until } => self.on_busy(node, from, until, view),
            Record::FrameEnded { node, ref frame, outcome: hopscope_phy::phy::RxOutcome::Received, .. } => {
                self.on_received(now, node, frame);
            }
            Record::FrameEnded { node, ref frame, outcome, .. } => self.on_lost(now, node, frame, outcome, view),
            Record::Power { node, on } => self.on_power(now, node, on, view),
            // The record brings the plan along, as the MAC gives it up when it acts on the grant.
            Record::AccessGranted { node, wait } => self.nodes[node.index()].settle_wait(now, wait),
            // `AttemptFailed` or `ExchangeEnded` may follow at this instant and take the node as settled.
            Record::ResponseTimeout { node } => self.settle(now, node, view),
            Record::SifsBegan { node, until, then } => self.on_sifs_begins(now, node, until, then),
            Record::AttemptFailed { node } => self.on_failure(now, node, false, view),
            Record::ExchangeEnded { node, packet, outcome } => {
                self.on_exchange_ended(now, node, packet, outcome, view);
            }
            Record::PacketMade { packet } => self.tracker.make(now, packet, view.packet(packet), &mut self.flows),
            Record::PacketCopied { packet, copy, .. } => self.tracker.copy(now, packet, copy, Stage::Processing),
            Record::PacketRouted { node, packet } => {
                self.enter(now, node, packet, Stage::Processing);
            }
            Record::PacketHeld { node, packet, .. } => self.enter(now, node, packet, Stage::Held),
            Record::PacketArrived { packet, .. } => {
                let parts = self.tracker.arrive(now, packet, &mut self.flows);
                self.arriving = Arriving { parts, seq: 0, sent: view.packet(packet).sent };
            }
            Record::Queued { node, packet, .. } => self.enter(now, node, packet, Stage::Queue),
            // A wire repeats nothing: its only attempt gets the packet across or loses it.
            Record::WireBegan { node, packet, .. } => self.enter(now, node, packet, Stage::Attempt),
            Record::WireEnded { node, packet, .. } => self.enter(now, node, packet, Stage::Processing),
            Record::Offered { node, packet } => self.on_offered(now, node, packet, view.packet(packet)),
            Record::HeldBack { node } => self.on_held_back(now, node),
            Record::Dropped { node, packet, reason } => {
                self.on_dropped(now, node, packet, reason, view);
            }
            Record::SegmentSent { node, flow, ref header } => self.on_segment(now, node, flow, header),
            Record::SegmentReceived { node, answers, ref header, .. } => {
                self.on_segment_received(now, node, answers, header, view);
            }
            Record::DataReceived { flow, delay, duplicate, retransmission, .. } => {
                self.on_data(flow, delay, !duplicate, retransmission);
            }
            Record::AppSent { flow, .. } | Record::AppClosed { flow } => self.on_source_event(now, flow, view),
            Record::TimerExpired { node, flow, timer } => self.on_timer(now, node, flow, timer),
            Record::MeasureBegan => self.restart(now, view),
            // What else comes of the classes that it wants changes no account.
            _ => {}
        }
    }
}
