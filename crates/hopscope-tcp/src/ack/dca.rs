//! Delayed cumulative ACK (Chen, Gerla, Lee and Sanadidi, "TCP with delayed ack for wireless networks", Ad Hoc Networks
//! 6, 2008): the longer the path, the fewer segments one ACK stands for, and never more than the sender's window.
//!
//! The paper could not be read: limits by hops are those remembered by who cites it, and where it sets none, on short
//! paths, one of ten is a default here. The hops are those that the segment has travelled, the window is reported by
//! the sender. The timer, said to follow the time between segments, is that of `daa`.

use super::gaps::Gaps;
use super::{AckDecision, Arrival};
use crate::config::TcpConfig;
use hopscope_core::units::Span;

/// Longest paths, in hops, that count as short and as medium (as cited).
const SHORT: u8 = 3;
const MEDIUM: u8 = 9;

/// State of the policy.
#[derive(Debug, Clone)]
pub(in super::super) struct Dca {
    /// Limits on short, medium and long paths.
    limits: [u32; 3],
    hops: u8,
    /// Of the last segment: that of the path, or the sender's window if that is less.
    limit: u32,
    held: u32,
    gaps: Gaps,
    tolerance: f64,
    least_wait: Span,
    longest_wait: Span,
}

impl Dca {
    pub(super) fn new(cfg: &TcpConfig) -> Self {
        Dca {
            limits: [cfg.dca_short, cfg.dca_medium, cfg.dca_long],
            hops: 0,
            limit: cfg.dca_short,
            held: 0,
            gaps: Gaps::new(cfg.daa_smoothing),
            tolerance: cfg.daa_tolerance,
            least_wait: cfg.daa_least_wait,
            longest_wait: cfg.daa_longest_wait,
        }
    }

    /// The segment at hand has travelled so many hops.
    pub(super) fn on_hops(&mut self, hops: u8) {
        self.hops = hops;
    }

    pub(super) fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        self.gaps.on_arrival(arrival.now, arrival.in_order);
        if !arrival.in_order {
            return AckDecision::Now;
        }
        let [short, medium, long] = self.limits;
        let limit = match self.hops {
            hops if hops <= SHORT => short,
            hops if hops <= MEDIUM => medium,
            _ => long,
        };
        // A sender that does not say is not a reason to hold nothing.
        let window = if arrival.sender_window == 0 { u32::MAX } else { u32::from(arrival.sender_window) };
        self.held += 1;
        self.limit = limit.min(window);
        if self.held >= self.limit { AckDecision::Now } else { AckDecision::Hold }
    }

    /// Segments that one ACK is to stand for.
    pub(super) fn window(&self) -> f64 {
        f64::from(self.limit)
    }

    /// The time in which the second next segment is expected, and some tolerance.
    pub(super) fn hold(&self) -> Span {
        self.gaps.times(2.0 + self.tolerance).unwrap_or(self.longest_wait).clamp(self.least_wait, self.longest_wait)
    }

    pub(super) fn on_ack_sent(&mut self) {
        self.held = 0;
    }
}
