//! What waits in one access category, and what of it is in hand.

use std::collections::VecDeque;

use super::Addba;
use super::flows::FlowQueues;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Time;

/// A packet that waits for its first transmission.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    /// The packet.
    pub(crate) packet: PacketId,
    /// The neighbour that it goes to, or everyone.
    pub(crate) to: NodeId,
    /// Traffic identifier.
    pub(crate) tid: u8,
    /// Bytes of its MPDU: MAC header, packet, FCS.
    pub(crate) bytes: u32,
    /// When it came.
    pub(crate) since: Time,
    /// Accesses that it has lost inside the station.
    pub(crate) failures: u16,
}

/// An MPDU under no agreement: it is tried until it is acknowledged or given up, and nothing of its category passes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InHand {
    /// What it carries.
    pub(crate) of: Waiting,
    /// Sequence number.
    pub(crate) seq: u16,
    /// Attempts that failed.
    pub(crate) failures: u16,
    /// It was on the air before.
    pub(crate) is_repeated: bool,
}

/// A management frame: it is tried as an MPDU under no agreement is, and goes before data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Management {
    /// The neighbour that it goes to.
    pub(crate) to: NodeId,
    /// Traffic identifier that it is about.
    pub(crate) tid: u8,
    /// What it says.
    pub(crate) addba: Addba,
    /// Sequence number.
    pub(crate) seq: u16,
    /// Attempts that failed.
    pub(crate) failures: u16,
    /// It was on the air before.
    pub(crate) is_repeated: bool,
}

/// One access category of a station.
#[derive(Debug, Default)]
pub(crate) struct Category {
    /// Packets that wait, the oldest first; where there are flow queues, those that have left them, in that order.
    pub(crate) waiting: VecDeque<Waiting>,
    /// What waits before.
    pub(crate) flows: Option<Box<FlowQueues>>,
    /// Management frames, the oldest first.
    pub(crate) management: VecDeque<Management>,
    /// The MPDU in hand.
    pub(crate) in_hand: Option<InHand>,
    /// Packets that it holds, those under way included.
    pub(crate) held: u32,
    /// Failed attempts in a row, which the contention window follows.
    pub(crate) failures: u16,
}

impl Category {
    /// Where the first packet for a receiver and traffic identifier waits.
    pub(super) fn place(&self, key: (NodeId, u8)) -> Option<usize> {
        self.waiting.iter().position(|waiting| (waiting.to, waiting.tid) == key)
    }

    /// Takes out a packet that was never sent and that has come too early to wait on.
    pub(super) fn pop_late(&mut self, is_late: impl Fn(Time) -> bool) -> Option<PacketId> {
        let is_ordered = self.flows.is_none();
        let mut waiting = self.waiting.iter();
        // In one queue they wait in the order in which they have come.
        let place = if is_ordered {
            waiting.next().is_some_and(|one| is_late(one.since)).then_some(0)
        } else {
            waiting.position(|one| is_late(one.since))
        };
        let late = place.and_then(|place| self.waiting.remove(place)).map(|one| one.packet);
        late.or_else(|| self.flows.as_mut()?.take(|_, since| is_late(since)))
    }

    /// A packet has left the MAC.
    pub(super) fn on_left(&mut self, packet: PacketId) {
        if let Some(flows) = &mut self.flows {
            flows.on_left(packet);
        }
    }
}

/// How many packets wait for their first transmission, over time.
#[derive(Debug, Default)]
pub(crate) struct Occupancy {
    /// Packets that wait now.
    pub(crate) waiting: u32,
    most: u32,
    /// Packets times nanoseconds, up to `since`.
    packet_ns: u128,
    since: Time,
}

impl Occupancy {
    /// Adds up to now; before the number changes.
    pub(crate) fn account(&mut self, now: Time) {
        self.packet_ns += u128::from(self.waiting) * u128::from(now.saturating_since(self.since).0);
        self.since = now;
    }

    /// One more waits.
    pub(crate) fn add(&mut self, now: Time) {
        self.account(now);
        self.waiting += 1;
        self.most = self.most.max(self.waiting);
    }

    /// One less waits.
    pub(crate) fn take(&mut self, now: Time) {
        self.account(now);
        self.waiting -= 1;
    }

    /// Forgets what was before `now`.
    pub(crate) fn restart(&mut self, now: Time) {
        (self.since, self.packet_ns, self.most) = (now, 0, self.waiting);
    }

    /// Mean from `from` to `now`, up to which was added, and the greatest number.
    pub(crate) fn mean_and_most(&self, from: Time, now: Time) -> (f64, u32) {
        let span = now.saturating_since(from).0;
        (if span == 0 { 0.0 } else { self.packet_ns as f64 / span as f64 }, self.most)
    }
}
