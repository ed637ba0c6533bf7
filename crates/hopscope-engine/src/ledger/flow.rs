//! Flows: where the delay of their packets went, and where packets were lost.

use std::collections::VecDeque;

use super::cause::{DelayPart, Verdict};
use crate::ids::NodeId;
use crate::record::DropReason;
use crate::units::Time;

/// Packets lost at one place for one reason.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lost {
    /// It was on the way back to the source: an ACK.
    pub(super) is_ack: bool,
    /// Hop that it did not get across, from 1.
    pub(super) hop: u32,
    pub(super) node: NodeId,
    pub(super) reason: DropReason,
    /// Why the last attempt had failed, for a packet that the MAC gave up.
    pub(super) verdict: Option<Verdict>,
}

/// One flow.
#[derive(Debug, Default)]
pub(super) struct FlowAccount {
    /// Copies of data packets received.
    pub(super) copies: u64,
    /// Nanoseconds over all copies.
    pub(super) parts: [u128; DelayPart::COUNT],
    pub(super) lost: Vec<(Lost, u64)>,
    /// First number and first departure of segments not acknowledged yet, in order.
    first_sent: VecDeque<(u64, Time)>,
}

impl FlowAccount {
    /// A segment leaves the source; everything below `una` is acknowledged.
    pub(super) fn sent(&mut self, now: Time, seq: u64, una: u64, again: bool) {
        while self.first_sent.front().is_some_and(|&(first, _)| first < una) {
            self.first_sent.pop_front();
        }
        if !again && self.first_sent.back().is_none_or(|&(last, _)| last < seq) {
            self.first_sent.push_back((seq, now));
        }
    }

    /// Time from the first departure of the segment that holds `seq` to `again`, when it left again.
    pub(super) fn wait_until(&self, seq: u64, again: Time) -> u64 {
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

    pub(super) fn drop(&mut self, lost: Lost) {
        match self.lost.iter_mut().find(|(known, _)| *known == lost) {
            Some((_, count)) => *count += 1,
            None => self.lost.push((lost, 1)),
        }
    }

    /// Forgets what was counted.
    pub(super) fn restart(&mut self) {
        self.copies = 0;
        self.parts = [0; DelayPart::COUNT];
        self.lost.clear();
    }
}
