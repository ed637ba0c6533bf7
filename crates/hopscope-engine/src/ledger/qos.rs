//! QoS stations: packets wait in their MAC, and a PPDU carries several, which come or are lost one by one.
//!
//! An attempt is one exchange: RTS, PPDU or Block Ack request, and the answer. It succeeds when the answer comes, whatever that
//! lacks. The airtime of its PPDU is divided among its MPDUs: what was lost at the receiver goes to the cause of that, the rest
//! to what it carried.

use super::journey::Stage;
use super::link::MpduAccount;
use super::timeline::{ATTEMPT_DATA, ATTEMPT_RTS, Mode};
use super::{Cause, Diagnosis, Ledger, class};
use crate::record::{NetworkView, Record};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_mac::dcf::{Frame, FrameKind, Outcome};
use hopscope_net::iface::Interface;
use hopscope_phy::phy::RxOutcome;

/// Of what the data PPDUs of a station consisted; those that began in the measured time count whole.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PpduAccount {
    pub(super) ppdus: u64,
    pub(super) mpdus: u64,
    pub(super) packets: u64,
    /// Preamble and PHY header.
    pub(super) preamble: u64,
    /// Network headers and what is behind them.
    pub(super) payload: u64,
    /// MAC and LLC headers, FCS, delimiters, padding, and what fills the last symbol.
    pub(super) overhead: u64,
}

/// An MPDU of the attempt under way.
#[derive(Debug, Clone, Copy)]
struct Part {
    class: Cause,
    /// Its share of the airtime, nanoseconds.
    ns: u64,
    /// Its packets, with those before it, in the list of the attempt.
    packets: usize,
    /// Why it was lost.
    lost: Option<Diagnosis>,
}

/// What a QoS station has beyond the account of any.
#[derive(Debug, Default)]
pub(super) struct QosLine {
    /// Packets in its MAC.
    held: u32,
    /// Packets of the attempt under way.
    packets: Vec<PacketId>,
    /// Its MPDUs.
    parts: Vec<Part>,
    /// It is known which of them have come.
    is_decided: bool,
    begun: Time,
    /// End of the attempt before.
    free: Time,
    /// Why packets that are still in the MAC were lost last.
    losses: Vec<(PacketId, Diagnosis)>,
    pub(super) ppdus: PpduAccount,
}

impl Ledger {
    /// What is otherwise where stations have QoS; false where nothing is.
    pub(super) fn record_of_qos(&mut self, now: Time, record: &Record, view: &mut impl NetworkView) -> bool {
        match *record {
            Record::FrameEnded { node, ref frame, outcome, .. } => {
                self.on_qos_frame_ended(now, node, frame, outcome, view);
            }
            Record::PacketCopied { packet, copy, .. } => self.tracker.copy(now, packet, copy, Stage::Reorder),
            Record::PacketReceived { packet, .. } => self.tracker.go_up(now, packet),
            Record::Queued { node, via, packet } => {
                self.enter(now, node, packet, Stage::Queue);
                if self.waits_in_mac(packet, via) {
                    self.on_qos_queued(now, node, packet, view.packet(packet).next_hop);
                }
            }
            Record::Dequeued { node, via, packet } if self.waits_in_mac(packet, via) => {
                self.on_qos_left(now, node, view.packet(packet).next_hop, view);
                self.enter(now, node, packet, Stage::Processing);
            }
            _ => return false,
        }
        true
    }

    // ---- packets in the MAC ----------------------------------------------------------------------------------

    /// A packet joins those in the MAC of `node`.
    fn on_qos_queued(&mut self, now: Time, node: NodeId, packet: PacketId, next_hop: NodeId) {
        let line = &mut self.nodes[node.index()];
        line.qos.get_or_insert_default().forget(packet);
        line.settle_if_idle(now);
        line.has_packet = true;
        if line.mode == Mode::Idle {
            line.mode = Mode::Contend;
        }
        line.links.hold(now, next_hop);
        line.qos.get_or_insert_default().held += 1;
    }

    /// A packet leaves the MAC of `node`.
    pub(super) fn on_qos_left(&mut self, now: Time, node: NodeId, next_hop: NodeId, view: &mut impl NetworkView) {
        self.settle(now, node, view);
        let line = &mut self.nodes[node.index()];
        line.links.release(now, next_hop);
        let Some(qos) = &mut line.qos else { return };
        qos.held -= 1;
        if qos.held == 0 {
            line.has_packet = false;
            line.leave_wait_if_over();
        }
    }

    /// The MAC of `node` is done with a packet.
    pub(super) fn on_qos_ended(
        &mut self,
        now: Time,
        node: NodeId,
        packet: PacketId,
        outcome: Outcome,
        view: &mut impl NetworkView,
    ) {
        match outcome {
            Outcome::Sent => {
                self.on_acknowledged(node, packet, view);
                self.nodes[node.index()].qos.get_or_insert_default().forget(packet);
            }
            Outcome::RetryLimit => self.tracker.fail(now, packet, true),
            Outcome::Incomplete => return,
        }
        let next_hop = view.packet(packet).next_hop;
        self.on_qos_left(now, node, next_hop, view);
    }

    /// True where a packet is among those of a QoS station's MAC that were never sent.
    pub(super) fn waits_in_mac(&self, id: PacketId, via: u8) -> bool {
        self.is_qos && via == Interface::WIFI && self.tracker.stage(id) == Stage::Queue
    }

    // ---- frames ----------------------------------------------------------------------------------------------

    /// A frame of a QoS station begins; see [`Ledger::on_frame`].
    pub(super) fn on_qos_frame(&mut self, now: Time, slot: Option<u32>, frame: &Frame, view: &mut impl NetworkView) {
        let goes_to = |account| if slot.is_some() { account } else { Cause::Off as usize };
        let end = now + frame.airtime;
        let line = &mut self.nodes[frame.src.index()];
        match frame.kind {
            FrameKind::CfEnd => {
                line.run_ahead(goes_to(Cause::CfEnd as usize), end);
                return;
            }
            FrameKind::Data if frame.is_broadcast() => {
                let class = class(view.packet(frame.body));
                line.run_ahead(goes_to(class as usize), end);
                self.tracker.enter(now, frame.body, Stage::Attempt);
                return;
            }
            FrameKind::Data => line.run_ahead(goes_to(ATTEMPT_DATA), end),
            _ => {
                line.attempt.asks = if frame.kind == FrameKind::Rts { Cause::Rts } else { Cause::BlockAckReq };
                line.run_ahead(goes_to(ATTEMPT_RTS), end);
            }
        }
        line.wait_until(Time::NEVER);
        let attempt = &mut line.attempt;
        (attempt.since, attempt.diagnosis) = (now, Diagnosis::unknown(frame.kind));
        if !attempt.open {
            (attempt.open, attempt.to, attempt.packet) = (true, frame.dst, frame.body);
            line.links.begin_exchange(now, frame.dst);
            let qos = line.qos.get_or_insert_default();
            qos.begun = now;
            qos.packets.clear();
            qos.parts.clear();
            qos.is_decided = false;
        }
        if frame.kind == FrameKind::Data {
            self.on_ppdu(now, slot, frame, view);
        } else if let (FrameKind::Rts, Some(qos)) = (frame.kind, &mut line.qos) {
            // It goes for all packets of the PPDU behind it.
            let planned = view.planned(frame.src);
            let firsts = planned.iter().map(|mpdu| mpdu.packet);
            qos.packets.clear();
            for first in firsts.chain(planned.is_empty().then_some(frame.body)) {
                qos.packets.push(first);
                qos.packets.extend_from_slice(slot.map_or(&[], |slot| view.msdus(slot, first)));
            }
            for packet in &qos.packets {
                self.tracker.begin_exchange(now, *packet, qos.free, qos.begun);
            }
        }
        self.note_if_off(slot, frame, view);
    }

    /// A PPDU with data begins.
    fn on_ppdu(&mut self, now: Time, slot: Option<u32>, frame: &Frame, view: &impl NetworkView) {
        let line = &mut self.nodes[frame.src.index()];
        let Some(qos) = &mut line.qos else { return };
        let Some(slot) = slot else { return };
        let mpdus = view.mpdus(slot);
        let alone = [(frame.body, frame.bytes)];
        let all = mpdus.iter().map(|mpdu| (mpdu.packet, mpdu.bytes));
        let all = all.chain(alone.into_iter().filter(|_| mpdus.is_empty()));
        let (mut bytes, mut left) = (0, frame.airtime.0);
        qos.packets.clear();
        for (first, mpdu) in all {
            let ns = frame.airtime.0 * u64::from(mpdu) / u64::from(frame.bytes);
            left -= ns;
            let of = qos.packets.len();
            qos.packets.push(first);
            qos.packets.extend_from_slice(view.msdus(slot, first));
            bytes += qos.packets[of..].iter().map(|packet| u64::from(view.packet(*packet).bytes)).sum::<u64>();
            let packets = qos.packets.len();
            qos.parts.push(Part { class: class(view.packet(first)), ns, packets, lost: None });
        }
        if let Some(first) = qos.parts.first_mut() {
            // Delimiters and padding between them, which are few.
            first.ns += left;
            line.attempt.class = first.class;
        }
        qos.ppdus.add(self.ppdu.divide(frame, bytes), qos.parts.len() as u64, qos.packets.len() as u64);
        let (free, begun) = (qos.free, qos.begun);
        for packet in &qos.packets {
            self.tracker.begin_exchange(now, *packet, free, begun);
        }
    }

    /// A frame for `node` has ended there; `outcome` says what became of it.
    fn on_qos_frame_ended(
        &mut self,
        now: Time,
        node: NodeId,
        frame: &Frame,
        outcome: RxOutcome,
        view: &mut impl NetworkView,
    ) {
        let came = outcome == RxOutcome::Received;
        if frame.kind == FrameKind::Data && frame.dst == node {
            self.decide_mpdus(now, node, frame, outcome, view);
        }
        if !came {
            self.on_lost(now, node, frame, outcome, view);
            return;
        }
        self.on_received(now, node, frame);
        let line = &self.nodes[node.index()];
        let answers = matches!(frame.kind, FrameKind::Ack | FrameKind::BlockAck);
        if answers && line.attempt.open && line.attempt.to == frame.src {
            self.end_exchange(now, node, None);
        }
    }

    /// The receiver of a PPDU has read its header: which of its MPDUs have come is known.
    fn decide_mpdus(
        &mut self,
        now: Time,
        node: NodeId,
        frame: &Frame,
        outcome: RxOutcome,
        view: &mut impl NetworkView,
    ) {
        let mut outcomes = view.mpdu_outcomes().to_vec();
        // A non-HT frame comes as a whole, or its loss is that of the attempt.
        if outcomes.is_empty() && outcome == RxOutcome::Received {
            outcomes.push(outcome);
        }
        let view = view.lend();
        let diagnosis = |ledger: &Ledger, outcome| {
            let (failure, by) = ledger.diagnose(now, node, frame, outcome, &view);
            Diagnosis { failure, frame: FrameKind::Data, by }
        };
        let reasons: Vec<_> = outcomes
            .into_iter()
            .map(|outcome| (outcome != RxOutcome::Received).then(|| diagnosis(self, outcome)))
            .collect();
        let line = &mut self.nodes[frame.src.index()];
        let Some(qos) = line.qos.as_mut().filter(|_| line.attempt.open && line.attempt.to == node) else { return };
        if reasons.len() == qos.parts.len() {
            qos.parts.iter_mut().zip(reasons).for_each(|(part, lost)| part.lost = lost);
            qos.is_decided = true;
        }
    }

    /// The attempt of `node`, settled up to now, has failed: no answer came in time.
    pub(super) fn on_exchange_failed(&mut self, now: Time, node: NodeId, view: &mut impl NetworkView) {
        if !self.nodes[node.index()].attempt.open {
            return;
        }
        if self.nodes[node.index()].attempt.is_unexplained() {
            self.conclude(node, &view.lend());
        }
        let diagnosis = self.nodes[node.index()].attempt.diagnosis;
        self.end_exchange(now, node, Some(diagnosis));
    }

    /// The attempt of `node`, settled up to now, is over; with what has made it fail.
    fn end_exchange(&mut self, now: Time, node: NodeId, failed: Option<Diagnosis>) {
        let line = &mut self.nodes[node.index()];
        let Some(qos) = &mut line.qos else { return };
        qos.free = now;
        // Only the answer was lost, and a request will bring it: what has come was not sent in vain.
        let counts = qos.is_decided && (failed.is_none() || self.asks_again && qos.parts.len() > 1);
        let unknown = failed.filter(|_| !qos.is_decided);
        let mut account = MpduAccount::default();
        let mut first = 0;
        for place in 0..qos.parts.len() {
            let Part { packets, lost, .. } = qos.parts[place];
            account.sent += 1;
            match lost.or(unknown) {
                Some(diagnosis) => {
                    account.lose(diagnosis);
                    (first..packets).for_each(|packet| qos.remember(qos.packets[packet], diagnosis));
                }
                None => account.came += 1,
            }
            first = packets;
        }
        line.links.end_exchange(now, failed, &account);
        if counts {
            let mut left = std::mem::take(&mut line.totals[ATTEMPT_DATA]);
            for part in &qos.parts {
                // Where the measured time began within the PPDU, less is there to be divided.
                let ns = part.ns.min(left);
                left -= ns;
                let cause = part.lost.map_or(part.class, |lost| lost.failure.cause());
                line.totals[cause as usize] += ns;
            }
            line.totals[line.attempt.class as usize] += left;
        }
        let packets = std::mem::take(&mut qos.packets);
        qos.parts.clear();
        line.close_attempt(failed.map(|diagnosis| diagnosis.failure));
        line.leave_wait();
        for packet in &packets {
            // Those that have come are over with the records that follow.
            self.tracker.fail(now, *packet, false);
        }
        if let Some(qos) = &mut self.nodes[node.index()].qos {
            qos.packets = packets;
            qos.packets.clear();
        }
    }
}

impl QosLine {
    /// A packet was lost, and will be sent again or given up.
    fn remember(&mut self, packet: PacketId, diagnosis: Diagnosis) {
        match self.losses.iter_mut().find(|(known, _)| *known == packet) {
            Some((_, last)) => *last = diagnosis,
            None => self.losses.push((packet, diagnosis)),
        }
    }

    /// A packet joins those in the MAC, or has come across.
    fn forget(&mut self, packet: PacketId) {
        self.losses.retain(|(known, _)| *known != packet);
    }

    /// Why a packet was lost last.
    pub(super) fn last_loss(&self, packet: PacketId) -> Option<Diagnosis> {
        self.losses.iter().find(|(known, _)| *known == packet).map(|(_, diagnosis)| *diagnosis)
    }
}

impl PpduAccount {
    /// One more PPDU: preamble, payload, overhead.
    fn add(&mut self, [preamble, payload, overhead]: [u64; 3], mpdus: u64, packets: u64) {
        self.ppdus += 1;
        self.mpdus += mpdus;
        self.packets += packets;
        self.preamble += preamble;
        self.payload += payload;
        self.overhead += overhead;
    }
}

/// How the airtime of a PPDU is divided.
#[derive(Debug)]
pub(super) struct PpduDivision {
    pub(super) rules: hopscope_mac::ppdu::PpduRules,
    /// Preamble of a non-HT PPDU.
    pub(super) non_ht: Span,
}

impl PpduDivision {
    /// Preamble, `bytes` bytes of packets, and the rest, nanoseconds.
    fn divide(&self, frame: &Frame, bytes: u64) -> [u64; 3] {
        let preamble = if frame.mode.is_non_ht() { self.non_ht } else { self.rules.preamble(frame.mode) };
        let payload = bytes * 8_000_000_000 / frame.mode.rate();
        [preamble.0, payload, frame.airtime.0 - preamble.0 - payload]
    }
}
