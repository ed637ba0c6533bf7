//! Flows: where the delay of their packets went, and where packets were lost.

use std::collections::VecDeque;

use super::cause::{DelayPart, Diagnosis};
use super::tracker::Kind;
use crate::config::FlowConfig;
use crate::record::{DropReason, Header};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;

/// How a packet was lost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lost {
    /// Hop that it did not get across, from 1.
    pub(super) hop: u32,
    pub(super) node: NodeId,
    /// None: a receiver acknowledged it and kept nothing.
    pub(super) reason: Option<DropReason>,
    /// Why the last attempt had failed, for a packet that the MAC gave up.
    pub(super) diagnosis: Option<Diagnosis>,
}

/// Packets by how they were lost.
#[derive(Debug, Default)]
pub(super) struct Losses(Vec<(Kind, Lost, u64)>);

impl Losses {
    pub(super) fn add(&mut self, kind: Kind, lost: Lost) {
        // A flow loses packets in few ways: a list needs no index.
        match self.0.iter_mut().find(|(known, as_this, _)| *known == kind && *as_this == lost) {
            Some((.., count)) => *count += 1,
            None => self.0.push((kind, lost, 1)),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(Kind, Lost, u64)> {
        self.0.iter()
    }
}

/// What became of the packets of one kind.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// Handed down by the transport in the measured time, or under way when it began.
    pub(super) sent: u64,
    pub(super) delivered: u64,
    pub(super) lost: u64,
    /// Came once more, another way.
    pub(super) again: u64,
}

/// One flow.
#[derive(Debug)]
pub(super) struct FlowAccount {
    pub(super) source: NodeId,
    /// The transport sends again what is lost.
    repeats: bool,
    /// Copies of data packets received.
    pub(super) copies: u64,
    /// Nanoseconds over all copies.
    pub(super) parts: [u128; DelayPart::COUNT],
    /// By [`Kind`].
    pub(super) counts: [Counts; 2],
    pub(super) losses: Losses,
    /// Packets that a node gave up though the next one had them.
    pub(super) unconfirmed: Losses,
    /// First number and first departure of segments not acknowledged yet, in order.
    first_sent: VecDeque<(u64, Time)>,
    /// Everything below is acknowledged.
    una: u64,
}

impl FlowAccount {
    pub(super) fn new(flow: &FlowConfig) -> Self {
        FlowAccount {
            source: NodeId(flow.from),
            repeats: flow.transport.is_tcp(),
            copies: 0,
            parts: [0; DelayPart::COUNT],
            counts: [Counts::default(); 2],
            losses: Losses::default(),
            unconfirmed: Losses::default(),
            first_sent: VecDeque::new(),
            una: 0,
        }
    }

    /// An acknowledgement has come to the source.
    pub(super) fn acknowledged(&mut self, header: &Header) {
        if header.flags.ack {
            self.una = self.una.max(header.ack);
        }
    }

    /// A segment leaves the source.
    pub(super) fn sent(&mut self, now: Time, seq: u64, again: bool) {
        // Here and not at each ACK: only segments make the list longer.
        while self.first_sent.front().is_some_and(|&(first, _)| first < self.una) {
            self.first_sent.pop_front();
        }
        // Only a number beyond all others is new, so the list stays in order for the search.
        if self.repeats && !again && self.first_sent.back().is_none_or(|&(last, _)| last < seq) {
            self.first_sent.push_back((seq, now));
        }
    }

    /// Time from the first departure of the segment that holds `seq` to `again`, when it left again.
    pub(super) fn wait_until(&self, seq: u64, again: Time) -> u64 {
        // A repetition may begin inside the segment that it repeats: the last start at or below it counts.
        let after = self.first_sent.partition_point(|&(first, _)| first <= seq);
        let found = after.checked_sub(1).and_then(|place| self.first_sent.get(place));
        found.map_or(0, |&(_, first)| again.saturating_since(first).0)
    }

    /// A copy has reached the receiver.
    pub(super) fn received(&mut self, parts: &[u64; DelayPart::COUNT]) {
        self.copies += 1;
        for (sum, part) in self.parts.iter_mut().zip(parts) {
            *sum += u128::from(*part);
        }
    }

    /// Forgets what was counted but packets under way.
    pub(super) fn restart(&mut self) {
        self.copies = 0;
        self.parts = [0; DelayPart::COUNT];
        // Packets under way end in the measured time: without them the balance would not hold.
        self.counts = self
            .counts
            .map(|counts| Counts { sent: counts.sent - counts.delivered - counts.lost, ..Counts::default() });
        (self.losses, self.unconfirmed) = (Losses::default(), Losses::default());
    }
}
