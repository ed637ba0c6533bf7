//! The boundary to a congestion control that lives outside the engine.
//!
//! The caller hands a [`Control`] to a flow whose `control` names it. At each of the moments of [`Hook`] the
//! sender shows it a [`View`] and takes a [`Reaction`]; what it does not answer follows RFC 5681. When a segment is
//! sent and what is repeated stays with the engine.

use std::fmt::Debug;

use crate::endpoint::MacCounters;
use hopscope_core::units::{Span, Time};

/// A congestion control from outside. One object serves one flow of one run; calls come in the order of simulated time.
pub trait Control: Debug + Send + Sync {
    /// It wants to be asked at this moment; the answer is taken once, before the run.
    fn answers(&self, hook: Hook) -> bool;
    /// What to do at this moment.
    fn react(&self, hook: Hook, view: &View) -> Reaction;
}

/// When a control is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hook {
    /// An ACK of new data outside of recovery.
    Ack,
    /// A loss was found before the timer, or a mark came back (ECN).
    Loss,
    /// The retransmission timer expired.
    Timeout,
    /// An ACK gave a round-trip time, in recovery too; `Ack` or `Loss` may follow at the same instant.
    Rtt,
    /// An ACK of any kind, duplicates and those of a recovery included, behind `Rtt` and before anything else.
    Every,
    /// A segment leaves, new or again; the window stays as it is.
    Sent,
    /// The instant that the control asked for by [`Reaction::wake`].
    Wake,
    /// A round trip has ended: what was outstanding at its start is acknowledged. Behind `Every`, in recovery too.
    RoundTrip,
}

impl Hook {
    /// Number of moments.
    pub const COUNT: usize = 8;
    /// Every moment, by its index.
    pub const ALL: [Hook; Hook::COUNT] =
        [Hook::Ack, Hook::Loss, Hook::Timeout, Hook::Rtt, Hook::Every, Hook::Sent, Hook::Wake, Hook::RoundTrip];

    /// A number below [`Hook::COUNT`], for tables.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The sender as a control sees it. Windows and amounts are segments of `packet` bytes.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// The instant.
    pub now: Time,
    /// Congestion window, at most the receiver's window.
    pub cwnd: f64,
    /// Slow-start threshold; infinite before the first loss where `initial_ssthresh` is unlimited.
    pub ssthresh: f64,
    /// Sent and not known to have arrived; at a loss or timeout FlightSize (RFC 5681).
    pub in_flight: f64,
    /// Receiver window.
    pub max_window: f64,
    /// Payload of a full segment, in bytes.
    pub packet: u64,
    /// Newly acknowledged; zero at a loss or timeout.
    pub acked: f64,
    /// Known to have arrived, in all.
    pub delivered: f64,
    /// Delivery rate over the last round trip (draft-cheng-iccrg-delivery-rate-estimation), segments per second.
    pub delivery_rate: Option<f64>,
    /// The last round-trip time; none before the first.
    pub rtt: Option<Span>,
    /// That of the last ACK; none where it gave none.
    pub new_rtt: Option<Span>,
    /// Smoothed round-trip time (RFC 6298); none before the first.
    pub srtt: Option<Span>,
    /// Smallest round-trip time so far.
    pub min_rtt: Option<Span>,
    /// Hops the last ACK has travelled.
    pub hops: u8,
    /// The pace in use, segments per second; none: as fast as the window allows.
    pub pacing_rate: Option<f64>,
    /// A recovery is under way.
    pub in_recovery: bool,
    /// The usable window was filled when the ACK came.
    pub window_limited: bool,
    /// Nothing was lost: a packet was marked (ECN).
    pub marked: bool,
    /// The same segment has timed out before.
    pub repeated: bool,
    /// Segments that the last ACK was the first to name.
    pub newly_delivered: f64,
    /// Those among them that its SACK blocks named.
    pub newly_sacked: f64,
    /// Segments given up since the last call at [`Hook::Every`], where recovery judges them one by one (RACK).
    pub newly_lost: f64,
    /// The last ACK echoed a mark (ECE).
    pub echo: bool,
    /// Of the last sample of the delivery rate; none: the last ACK gave none.
    pub sample: Option<Sample>,
    /// First number of the segment that leaves, in segments from 0; of [`Hook::Sent`].
    pub sent: f64,
    /// The node of the sender; none where there is none (a bottleneck alone).
    pub node: Option<NodeState>,
}

/// A sample of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation). Amounts are segments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Delivered in the interval.
    pub delivered: f64,
    /// How long that took.
    pub interval: Span,
    /// Delivered in all when the segment left that the sample is of.
    pub prior_delivered: f64,
    /// The application could have been the limit.
    pub app_limited: bool,
    /// In flight once the segment had left.
    pub in_flight: f64,
    /// Given up since.
    pub lost: f64,
}

/// What a control sees of its node.
#[derive(Debug, Clone, Copy)]
pub struct NodeState {
    /// Packets in the interface queue.
    pub queued: u32,
    /// The queue takes no more.
    pub is_full: bool,
    /// Counters of its MAC since the start.
    pub mac: MacCounters,
}

impl Default for View {
    /// Before anything has been sent.
    fn default() -> Self {
        View {
            now: Time::ZERO,
            cwnd: 1.0,
            ssthresh: f64::INFINITY,
            in_flight: 0.0,
            max_window: 1.0,
            packet: 1,
            acked: 0.0,
            delivered: 0.0,
            delivery_rate: None,
            rtt: None,
            new_rtt: None,
            srtt: None,
            min_rtt: None,
            hops: 0,
            pacing_rate: None,
            in_recovery: false,
            window_limited: false,
            marked: false,
            repeated: false,
            newly_delivered: 0.0,
            newly_sacked: 0.0,
            newly_lost: 0.0,
            echo: false,
            sample: None,
            sent: 0.0,
            node: None,
        }
    }
}

/// What a control wants changed; none: nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Reaction {
    /// Congestion window in segments: finite and above zero; less than one counts as one. After a loss it is the new
    /// slow-start threshold too.
    pub cwnd: Option<f64>,
    /// Pace in segments per second, within [`PACING_RATES`].
    pub pacing_rate: Option<f64>,
    /// Slow-start threshold in segments: above zero, infinite for none.
    pub ssthresh: Option<f64>,
    /// When to be asked at [`Hook::Wake`]; replaces an instant asked for earlier.
    pub wake: Option<Time>,
}

/// Least and greatest pace in segments per second.
pub const PACING_RATES: (f64, f64) = (0.001, 1e9);
