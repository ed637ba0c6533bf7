//! When a receiver acknowledges.

use crate::config::AckPolicy;

/// What the arrival of data means for the receiver.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    /// It extended the data in order, and nothing was or is missing above it.
    pub(super) in_order: bool,
    /// It repeats the last segment received in order, and nothing is missing above it.
    pub(super) repeats_last: bool,
    /// New in-order bytes.
    pub(super) bytes: u64,
}

/// What to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Acknowledge at once.
    Now,
    /// Hold the ACK back until more arrives or the timer expires.
    Hold,
}

/// A policy with its state.
#[derive(Debug, Clone)]
pub(super) enum Acker {
    Every,
    /// Bytes in order not yet acknowledged; an ACK is due from `two_segments` on.
    Delayed {
        held: u64,
        two_segments: u64,
    },
    /// One segment is held.
    Ns2Delack {
        held: bool,
    },
}

impl Acker {
    pub(super) fn new(policy: AckPolicy, mss: u64) -> Self {
        match policy {
            AckPolicy::Every => Acker::Every,
            AckPolicy::Delayed => Acker::Delayed { held: 0, two_segments: 2 * mss },
            AckPolicy::Ns2Delack => Acker::Ns2Delack { held: false },
        }
    }

    /// Data has arrived. Out of order, repeated or gap-filling data is acknowledged at once (RFC 5681 4.2).
    pub(super) fn on_data(&mut self, arrival: &Arrival) -> Verdict {
        // ns-2's sink takes a repetition of the last segment for a new one.
        let new = arrival.in_order || (arrival.repeats_last && matches!(self, Acker::Ns2Delack { .. }));
        if !new {
            return Verdict::Now;
        }
        match self {
            Acker::Every => Verdict::Now,
            Acker::Delayed { held, two_segments } => {
                *held += arrival.bytes;
                if held >= two_segments { Verdict::Now } else { Verdict::Hold }
            }
            Acker::Ns2Delack { held: true } => Verdict::Now,
            Acker::Ns2Delack { held } => {
                *held = true;
                Verdict::Hold
            }
        }
    }

    /// An ACK has been sent, for whatever reason.
    pub(super) fn on_ack_sent(&mut self) {
        match self {
            Acker::Every => {}
            Acker::Delayed { held, .. } => *held = 0,
            Acker::Ns2Delack { held } => *held = false,
        }
    }
}
