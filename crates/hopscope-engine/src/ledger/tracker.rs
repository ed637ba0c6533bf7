//! Packets on their way: where their delay goes, and what becomes of each.
//!
//! A datagram that a transport hands down may be at several nodes at a time: a transmitter keeps its copy until it is
//! acknowledged, and a routing protocol may send it another way meanwhile. It is delivered when one copy arrives, lost
//! when the last one is gone without that, and under way until then. A copy that is given up though the next node has
//! got it is no loss: only its acknowledgement was lost.

use super::cause::DelayPart;
use super::flow::{FlowAccount, Lost};
use super::journey::{Journey, Stage};
use hopscope_core::ids::{FlowId, PacketId};
use hopscope_core::units::Time;
use hopscope_packet::{Body, Packet};
use hopscope_transport::Protocol;

/// A datagram that a transport handed down once.
#[derive(Debug, Clone, Copy)]
struct Datagram {
    flow: FlowId,
    kind: Kind,
    /// Packets that carry it now.
    copies: u32,
    delivered: bool,
    /// How the last copy that was not passed on was lost.
    lost: Option<Lost>,
}

/// Kinds of packets of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Data of the source, and what opens its connection.
    Data,
    /// All the rest: ACKs, and what ends a connection.
    Ack,
}

impl Kind {
    pub(super) const ALL: [Kind; 2] = [Kind::Data, Kind::Ack];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Kind::Data => "data",
            Kind::Ack => "ack",
        }
    }
}

/// Of packets that belong to no flow.
const NO_DATAGRAM: u32 = u32::MAX;

/// All packets under way, by their place in the arena.
#[derive(Debug, Default)]
pub(super) struct PacketTracker {
    journeys: Vec<Journey>,
    datagrams: Vec<Datagram>,
    free: Vec<u32>,
}

impl PacketTracker {
    /// A packet comes into being.
    #[inline]
    pub(super) fn make(&mut self, now: Time, id: PacketId, packet: &Packet, flows: &mut [FlowAccount]) {
        let mut datagram = NO_DATAGRAM;
        if let (Some(kind), Some(account)) = (kind(packet, flows), flows.get_mut(packet.flow.index())) {
            account.counts[kind as usize].sent += 1;
            let new = Datagram { flow: packet.flow, kind, copies: 1, delivered: false, lost: None };
            // Places are used again, so that memory goes by the packets under way and not by the length of the run.
            datagram = match self.free.pop() {
                Some(place) => {
                    self.datagrams[place as usize] = new;
                    place
                }
                None => {
                    self.datagrams.push(new);
                    (self.datagrams.len() - 1) as u32
                }
            };
        }
        self.keep(id, Journey::new(now, datagram));
    }

    /// A receiver gets `copy` of `packet`, whose attempt brought it across; it begins its stay there in `stage`.
    #[inline]
    pub(super) fn copy(&mut self, now: Time, packet: PacketId, copy: PacketId, stage: Stage) {
        let journey = &mut self.journeys[packet.index()];
        let mut copied = *journey;
        // A drop at the transmitter is no loss from now on.
        journey.passed_on = true;
        copied.passed_on = false;
        // The attempt is over for the copy alone: the transmitter does not know yet that it has succeeded.
        copied.enter(now, stage);
        if let Some(datagram) = self.datagrams.get_mut(copied.datagram as usize) {
            datagram.copies += 1;
        }
        self.keep(copy, copied);
    }

    fn keep(&mut self, packet: PacketId, journey: Journey) {
        match self.journeys.get_mut(packet.index()) {
            Some(kept) => *kept = journey,
            None => self.journeys.resize(packet.index() + 1, journey),
        }
    }

    /// Where a packet is on its way.
    pub(super) fn stage(&self, packet: PacketId) -> Stage {
        self.journeys[packet.index()].stage
    }

    /// A packet enters another stage of its way; gives the stage before.
    #[inline]
    pub(super) fn enter(&mut self, now: Time, packet: PacketId, stage: Stage) -> Stage {
        let journey = &mut self.journeys[packet.index()];
        let before = journey.stage;
        if before != stage {
            journey.enter(now, stage);
        }
        if stage == Stage::Contention {
            // A packet that is sent once more, another way, has got across nowhere yet.
            journey.passed_on = false;
        }
        before
    }

    /// A packet is sent in an exchange of a QoS station that began at `begun`; the one before it was over at `free`. Until then a
    /// packet that was never sent was in the queue, from then on it contended.
    pub(super) fn begin_exchange(&mut self, now: Time, packet: PacketId, free: Time, begun: Time) {
        let journey = &mut self.journeys[packet.index()];
        if journey.stage == Stage::Queue {
            journey.passed_on = false;
            journey.enter(free.clamp(journey.since, now), Stage::Contention);
        }
        journey.enter(begun.clamp(journey.since, now), Stage::Attempt);
    }

    /// A packet goes up from the interface where it has come in.
    pub(super) fn go_up(&mut self, now: Time, packet: PacketId) {
        let journey = &mut self.journeys[packet.index()];
        if journey.stage == Stage::Reorder {
            journey.enter(now, Stage::Processing);
        }
    }

    /// The attempt under way with a packet has failed.
    pub(super) fn fail(&mut self, now: Time, packet: PacketId, dropped: bool) {
        let journey = &mut self.journeys[packet.index()];
        // Not by `enter`, for which an attempt is airtime that got the packet across.
        journey.spend(now, DelayPart::Retries);
        journey.stage = if dropped { Stage::Dropped } else { Stage::Contention };
    }

    /// A packet comes to its destination: gives the parts of its delay.
    #[inline]
    pub(super) fn arrive(&mut self, now: Time, packet: PacketId, flows: &mut [FlowAccount]) -> [u64; DelayPart::COUNT] {
        let journey = &mut self.journeys[packet.index()];
        journey.enter(now, Stage::Processing);
        let Journey { datagram, parts, .. } = *journey;
        if let Some(known) = self.datagrams.get_mut(datagram as usize) {
            let counts = &mut flows[known.flow.index()].counts[known.kind as usize];
            // A datagram is delivered once, by whichever copy comes first.
            *if known.delivered { &mut counts.again } else { &mut counts.delivered } += 1;
            known.delivered = true;
            known.copies -= 1;
            if known.copies == 0 {
                self.free.push(datagram);
            }
        }
        parts
    }

    /// A packet was acknowledged by the next node: the copy there is all that is left. Where there is none, the packet
    /// is lost as `unnoticed` says.
    #[inline]
    pub(super) fn pass_on(&mut self, packet: PacketId, unnoticed: impl FnOnce() -> Lost, flows: &mut [FlowAccount]) {
        let datagram = self.journeys[packet.index()].datagram;
        if datagram != NO_DATAGRAM {
            self.let_go(datagram, unnoticed, flows);
        }
    }

    /// A packet is dropped.
    pub(super) fn drop(&mut self, packet: PacketId, lost: Lost, flows: &mut [FlowAccount]) {
        let Journey { datagram, passed_on, .. } = self.journeys[packet.index()];
        let Some(known) = self.datagrams.get_mut(datagram as usize) else { return };
        // The copy at the next node may still arrive, or be lost for a reason of its own.
        if passed_on {
            flows[known.flow.index()].unconfirmed.add(known.kind, lost);
        } else {
            known.lost = Some(lost);
        }
        self.let_go(datagram, || lost, flows);
    }

    /// Packets of a kind and flow that are neither delivered nor lost.
    pub(super) fn under_way(&self, flow: FlowId, kind: Kind) -> u64 {
        let waits = |datagram: &&Datagram| {
            datagram.copies > 0 && !datagram.delivered && (datagram.flow, datagram.kind) == (flow, kind)
        };
        self.datagrams.iter().filter(waits).count() as u64
    }

    /// One of the packets that carry a datagram is gone.
    #[inline]
    fn let_go(&mut self, place: u32, otherwise: impl FnOnce() -> Lost, flows: &mut [FlowAccount]) {
        let datagram = &mut self.datagrams[place as usize];
        datagram.copies -= 1;
        if datagram.copies > 0 {
            return;
        }
        self.free.push(place);
        if !datagram.delivered {
            let account = &mut flows[datagram.flow.index()];
            account.counts[datagram.kind as usize].lost += 1;
            account.losses.add(datagram.kind, datagram.lost.unwrap_or_else(otherwise));
        }
    }
}

/// What a packet of a flow is.
fn kind(packet: &Packet, flows: &[FlowAccount]) -> Option<Kind> {
    Protocol::of(&packet.body)?;
    let from_source = || flows.get(packet.flow.index()).map(|account| account.source) == Some(packet.src);
    let is_data = packet.body.carries_data() && (!matches!(packet.body, Body::Tcp(_)) || from_source());
    Some(if is_data { Kind::Data } else { Kind::Ack })
}
