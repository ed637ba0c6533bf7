//! Congestion controls of DCCP, by their numbers (RFC 4340 10): a closed set.

mod adhoc;
mod ccid2;
mod ccid3;

use adhoc::Adhoc;
use ccid2::Ccid2;
use ccid3::Ccid3;

use super::tfrc::Feedback;
use crate::config::{DccpConfig, DccpControl};
use hopscope_core::units::{Span, Time};
use hopscope_packet::dccp::Seq;

/// What an acknowledgement has reported.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Report {
    /// Data packets newly reported received.
    pub(super) acked: u32,
    /// Data packets newly given up, and the newest of them.
    pub(super) lost: u32,
    pub(super) newest_lost: Option<Seq>,
    /// The newest packet newly reported to have met congestion.
    pub(super) marked: Option<Seq>,
    /// Data packets newly reported to have found the receiver's buffer full, and to have been corrupt.
    pub(super) refused: u32,
    pub(super) corrupt: u32,
    /// The receiver cannot take more (option Slow Receiver).
    pub(super) slow_receiver: bool,
    /// Greatest number acknowledged.
    pub(super) ack: Seq,
    /// Number of the next packet to leave.
    pub(super) next: Seq,
    /// The round trip that it measured, and the average with it.
    pub(super) sample: Option<Span>,
    pub(super) average: Span,
    /// It is of a packet that left after the timeout.
    pub(super) answers_probe: bool,
    /// The window was used up when it came.
    pub(super) was_full: bool,
    /// Data packets for each acknowledgement.
    pub(super) ack_ratio: u64,
    /// When it came.
    pub(super) now: Time,
    /// The application had more to send when one of the packets newly reported left.
    pub(super) was_held_back: bool,
    /// What it reports to a control that goes by rate.
    pub(super) feedback: Option<Feedback>,
}

/// The control of one half-connection.
#[derive(Debug)]
pub(super) enum Ccid {
    /// CCID 2: as TCP with selective acknowledgements.
    Two(Ccid2),
    /// The delay-based control for ad hoc networks.
    Adhoc(Adhoc),
    /// CCID 3 and 4: by rate.
    Three(Ccid3),
}

impl Ccid {
    /// The control of a word, for packets of so many payload bytes and so many in headers.
    pub(super) fn new(control: DccpControl, cfg: &DccpConfig, packet: u32, header: u32) -> Self {
        match control {
            DccpControl::Ccid2 => Ccid::Two(Ccid2::new(cfg, packet)),
            DccpControl::Adhoc => Ccid::Adhoc(Adhoc::new(cfg)),
            DccpControl::Ccid3 | DccpControl::Ccid4 => Ccid::Three(Ccid3::new(control, cfg, packet, header)),
        }
    }

    /// An acknowledgement has come; true where the window was cut.
    pub(super) fn on_ack(&mut self, report: &Report) -> bool {
        match self {
            Ccid::Two(ccid) => ccid.on_ack(report),
            Ccid::Adhoc(ccid) => ccid.on_ack(report),
            Ccid::Three(ccid) => ccid.on_ack(report),
        }
    }

    /// Nothing has come back for a timeout; nothing is in flight any more but with a control by rate.
    pub(super) fn on_timeout(&mut self, now: Time) {
        match self {
            Ccid::Two(ccid) => ccid.on_timeout(),
            Ccid::Adhoc(ccid) => ccid.on_timeout(),
            Ccid::Three(ccid) => ccid.on_timeout(false, now),
        }
    }

    /// The route has failed; true where nothing is in flight any more and probes begin.
    pub(super) fn on_route_failed(&mut self) -> bool {
        match self {
            Ccid::Two(_) | Ccid::Three(_) => false,
            Ccid::Adhoc(ccid) => ccid.on_route_failed(),
        }
    }

    /// Data packets that may be in flight; of a control by rate those of a round trip.
    #[inline]
    pub(super) fn window(&self) -> f64 {
        match self {
            Ccid::Two(ccid) => ccid.window(),
            Ccid::Adhoc(ccid) => ccid.window(),
            Ccid::Three(ccid) => ccid.window(),
        }
    }

    /// Slow-start threshold in packets, where there is one.
    pub(super) fn ssthresh(&self) -> f64 {
        match self {
            Ccid::Two(ccid) => ccid.ssthresh(),
            Ccid::Adhoc(_) | Ccid::Three(_) => f64::INFINITY,
        }
    }

    /// A packet without data asks at each timeout whether the way is there; no data leaves meanwhile.
    pub(super) fn is_probing(&self) -> bool {
        match self {
            Ccid::Two(_) | Ccid::Three(_) => false,
            Ccid::Adhoc(ccid) => ccid.is_probing(),
        }
    }

    /// This acknowledgement ends the probing.
    pub(super) fn ends_failure(&self, report: &Report) -> bool {
        match self {
            Ccid::Two(_) | Ccid::Three(_) => false,
            Ccid::Adhoc(ccid) => ccid.is_probing() && ccid.ends_failure(report),
        }
    }

    /// Round trips are measured by timestamps alone.
    pub(super) fn needs_timestamps(&self) -> bool {
        matches!(self, Ccid::Adhoc(_))
    }

    /// Packets reported lost stay in flight until a timeout.
    pub(super) fn keeps_lost(&self) -> bool {
        match self {
            Ccid::Two(_) | Ccid::Three(_) => false,
            Ccid::Adhoc(ccid) => ccid.keeps_lost(),
        }
    }

    /// Another data packet may leave with so many in flight.
    #[inline]
    pub(super) fn has_room(&self, pipe: u32, now: Time) -> bool {
        match self {
            Ccid::Two(_) | Ccid::Adhoc(_) => f64::from(pipe) + 1.0 <= self.window(),
            Ccid::Three(ccid) => ccid.next_send() <= now,
        }
    }

    /// The control where it goes by rate: it has its own timer and sees every packet of data.
    #[inline]
    pub(super) fn by_rate(&self) -> Option<&Ccid3> {
        match self {
            Ccid::Two(_) | Ccid::Adhoc(_) => None,
            Ccid::Three(ccid) => Some(ccid),
        }
    }

    /// The same, to report it.
    #[inline]
    pub(super) fn by_rate_mut(&mut self) -> Option<&mut Ccid3> {
        match self {
            Ccid::Two(_) | Ccid::Adhoc(_) => None,
            Ccid::Three(ccid) => Some(ccid),
        }
    }
}
