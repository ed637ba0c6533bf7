//! When a receiver acknowledges.

use super::linux_ack::LinuxAck;
use crate::config::{AckPolicy, TcpConfig};
use crate::units::{Span, Time};

/// What the arrival of data means for the receiver.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    pub(super) now: Time,
    /// It extended the data in order, and nothing was or is missing above it.
    pub(super) in_order: bool,
    /// It brought nothing new.
    pub(super) duplicate: bool,
    /// It repeats the last segment received in order, and nothing is missing above it.
    pub(super) repeats_last: bool,
    /// New in-order bytes.
    pub(super) bytes: u64,
    /// Payload bytes of the segment.
    pub(super) len: u64,
    /// It carries PSH.
    pub(super) pushed: bool,
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
        longest: Span,
    },
    /// One segment is held.
    Ns2Delack {
        held: bool,
        longest: Span,
    },
    Linux(LinuxAck),
}

impl Acker {
    /// A policy for segments of `mss` bytes and a receiver window of `window` bytes.
    pub(super) fn new(cfg: &TcpConfig, policy: AckPolicy, longest: Span, mss: u64, window: u64) -> Self {
        match policy {
            AckPolicy::Every => Acker::Every,
            AckPolicy::Delayed => Acker::Delayed { held: 0, two_segments: 2 * mss, longest },
            AckPolicy::Ns2Delack => Acker::Ns2Delack { held: false, longest },
            AckPolicy::Linux => Acker::Linux(LinuxAck::new(cfg, false, longest, mss, window)),
            AckPolicy::LinuxModern => Acker::Linux(LinuxAck::new(cfg, true, longest, mss, window)),
        }
    }

    /// Data has arrived. Out of order, repeated or gap-filling data is acknowledged at once (RFC 5681 4.2).
    pub(super) fn on_data(&mut self, arrival: &Arrival) -> Verdict {
        if let Acker::Linux(linux) = self {
            return linux.on_data(arrival);
        }
        // ns-2's sink takes a repetition of the last segment for a new one.
        let new = arrival.in_order || (arrival.repeats_last && matches!(self, Acker::Ns2Delack { .. }));
        if !new {
            return Verdict::Now;
        }
        match self {
            Acker::Every | Acker::Linux(_) => Verdict::Now,
            Acker::Delayed { held, two_segments, .. } => {
                *held += arrival.bytes;
                if held >= two_segments { Verdict::Now } else { Verdict::Hold }
            }
            Acker::Ns2Delack { held: true, .. } => Verdict::Now,
            Acker::Ns2Delack { held, .. } => {
                *held = true;
                Verdict::Hold
            }
        }
    }

    /// How long an ACK held back now may wait.
    pub(super) fn hold(&self) -> Span {
        match self {
            Acker::Every => Span::ZERO,
            Acker::Delayed { longest, .. } | Acker::Ns2Delack { longest, .. } => *longest,
            Acker::Linux(linux) => linux.hold(),
        }
    }

    /// The set-up took this long from SYN-ACK to ACK, both sent once.
    pub(super) fn on_set_up(&mut self, rtt: Span) {
        if let Acker::Linux(linux) = self {
            linux.on_set_up(rtt);
        }
    }

    /// The wait for more data ended without any.
    pub(super) fn on_expiry(&mut self) {
        if let Acker::Linux(linux) = self {
            linux.on_expiry();
        }
    }

    /// An ACK has been sent, for whatever reason.
    pub(super) fn on_ack_sent(&mut self) {
        match self {
            Acker::Every => {}
            Acker::Delayed { held, .. } => *held = 0,
            Acker::Ns2Delack { held, .. } => *held = false,
            Acker::Linux(linux) => linux.on_ack_sent(),
        }
    }
}
