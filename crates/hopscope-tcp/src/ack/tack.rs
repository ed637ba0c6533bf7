//! TACK (Li et al., "TACK: improving wireless transport performance by taming acknowledgments", SIGCOMM 2020), the
//! frequency of its ACKs: one for `tack_segments` full segments, but no more than `tack_beta` in a least round-trip
//! time.
//!
//! `f = min(bw / (L * MSS), beta / RTTmin)`. The least round-trip time is that of the set-up, from SYN-ACK to ACK;
//! where there was none (`handshake = "ns2"`, or a repeated SYN-ACK) the segments alone count. What is out of order,
//! repeated or fills a gap is acknowledged at once: the paper's extra ACK on a loss. Its sender, which paces and takes
//! the loss of ACKs into account, is not part of it.

use super::{AckDecision, Arrival};
use crate::config::TcpConfig;
use hopscope_core::units::{Span, Time};

/// State of the policy.
#[derive(Debug, Clone)]
pub(in super::super) struct Tack {
    segments: u32,
    beta: f64,
    longest: Span,
    /// Least time between two ACKs.
    spacing: Span,
    held: u32,
    /// When the last ACK for segments in order was due, the first segment held came, and the last one.
    last_ack: Option<Time>,
    first: Time,
    now: Time,
}

impl Tack {
    pub(super) fn new(cfg: &TcpConfig, longest: Span) -> Self {
        Tack {
            segments: cfg.tack_segments,
            beta: cfg.tack_beta,
            longest,
            spacing: Span::ZERO,
            held: 0,
            last_ack: None,
            first: Time::ZERO,
            now: Time::ZERO,
        }
    }

    /// The set-up took this long from SYN-ACK to ACK.
    pub(super) fn on_set_up(&mut self, rtt: Span) {
        self.spacing = Span::from_secs_f64(rtt.as_secs() / self.beta);
    }

    pub(super) fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        self.now = arrival.now;
        if !arrival.in_order {
            return AckDecision::Now;
        }
        if self.held == 0 {
            self.first = arrival.now;
        }
        self.held += 1;
        if self.held < self.segments || self.hold() > Span::ZERO {
            return AckDecision::Hold;
        }
        self.last_ack = Some(arrival.now);
        AckDecision::Now
    }

    /// Segments that one ACK is to stand for.
    pub(super) fn window(&self) -> f64 {
        f64::from(self.segments)
    }

    /// From the segment held last on: enough segments wait for the spacing, too few for more to come; the first never
    /// longer than the longest wait.
    pub(super) fn hold(&self) -> Span {
        let most = self.longest.saturating_sub(self.now.saturating_since(self.first));
        match self.last_ack {
            _ if self.held < self.segments => most,
            Some(last) => self.spacing.saturating_sub(self.now.saturating_since(last)).min(most),
            None => Span::ZERO,
        }
    }

    /// The wait has ended.
    pub(super) fn on_expiry(&mut self) {
        self.last_ack = Some(self.now + self.hold());
    }

    pub(super) fn on_ack_sent(&mut self) {
        self.held = 0;
    }
}
