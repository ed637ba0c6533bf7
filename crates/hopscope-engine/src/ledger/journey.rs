//! The way of one packet through the network, and where its time goes.

use super::cause::DelayPart;
use hopscope_core::units::Time;

/// Where a packet is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Between the layers of a node.
    Processing,
    /// In the interface queue.
    Queue,
    /// The MAC has it and waits for the medium.
    Contention,
    /// An attempt is under way.
    Attempt,
    /// The MAC has given it up.
    Dropped,
    /// It waits for a route or an address.
    Held,
    /// It has come to a QoS station and waits for those before it.
    Reorder,
}

impl Stage {
    const fn part(self) -> DelayPart {
        match self {
            Stage::Processing => DelayPart::Processing,
            Stage::Queue => DelayPart::Queueing,
            // A dropped packet spends no time: at the same instant it is gone, or back at the router.
            Stage::Contention | Stage::Dropped => DelayPart::Contention,
            Stage::Attempt => DelayPart::Airtime,
            Stage::Held => DelayPart::RouteSearch,
            Stage::Reorder => DelayPart::Reordering,
        }
    }
}

/// The delay of a packet so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Journey {
    /// The datagram that it carries, as an index of the tracker.
    pub(super) datagram: u32,
    /// The next node has got it.
    pub(super) passed_on: bool,
    pub(super) stage: Stage,
    pub(super) since: Time,
    pub(super) parts: [u64; DelayPart::COUNT],
}

impl Journey {
    pub(super) fn new(now: Time, datagram: u32) -> Self {
        Journey { datagram, passed_on: false, stage: Stage::Processing, since: now, parts: [0; DelayPart::COUNT] }
    }

    /// The packet enters another stage.
    #[inline]
    pub(super) fn enter(&mut self, now: Time, stage: Stage) {
        self.spend(now, self.stage.part());
        self.stage = stage;
    }

    /// Accounts the time since the last change to `part`.
    #[inline]
    pub(super) fn spend(&mut self, now: Time, part: DelayPart) {
        self.parts[part as usize] += (now - self.since).0;
        self.since = now;
    }
}
