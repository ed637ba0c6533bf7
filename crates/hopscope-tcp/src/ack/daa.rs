//! Dynamic adaptive acknowledgment (de Oliveira and Braun, "A dynamic adaptive acknowledgment strategy for TCP over
//! multihop wireless networks", INFOCOM 2005), the receiver's part: the delay window grows with each segment in order
//! and falls to two at any sign of loss.
//!
//! The sender's part (a window limit of four, two duplicate ACKs, five times the RTO) are parameters of their own:
//! `max_window` or `tcp.cwnd_limit`, `tcp.dupack_threshold`, `tcp.rto_multiplier`. The paper itself could not be read:
//! the constants are remembered by those who cite it, and whether the window is compared whole or not is not said
//! (whole here).
//!
//! Of the successor DAAp (IEEE TMC 2007) only the abstract is known. What `daap` does otherwise, slow growth after a
//! loss too, is a guess.

use super::gaps::Gaps;
use super::{AckDecision, Arrival};
use crate::config::TcpConfig;
use hopscope_core::units::Span;

/// The window after a sign of loss, in segments.
const AFTER_LOSS: f64 = 2.0;
/// What sums of steps may lack to the limit.
const ROUNDING: f64 = 1e-9;

/// State of the policy.
#[derive(Debug, Clone)]
pub(in super::super) struct Daa {
    /// Growth after a loss is as slow as at the start.
    regrows_slowly: bool,
    window: f64,
    most: f64,
    /// Growth per segment until the window was at its limit for the first time.
    growth: f64,
    has_been_full: bool,
    held: u32,
    gaps: Gaps,
    tolerance: f64,
    least_wait: Span,
    longest_wait: Span,
}

impl Daa {
    pub(super) fn new(cfg: &TcpConfig, regrows_slowly: bool) -> Self {
        Daa {
            regrows_slowly,
            window: 1.0,
            most: f64::from(cfg.daa_most),
            growth: cfg.daa_growth,
            has_been_full: false,
            held: 0,
            gaps: Gaps::new(cfg.daa_smoothing),
            tolerance: cfg.daa_tolerance,
            least_wait: cfg.daa_least_wait,
            longest_wait: cfg.daa_longest_wait,
        }
    }

    pub(super) fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        self.gaps.on_arrival(arrival.now, arrival.in_order);
        if !arrival.in_order {
            self.shrink();
            return AckDecision::Now;
        }
        let step = if self.has_been_full && !self.regrows_slowly { 1.0 } else { self.growth };
        self.window = (self.window + step).min(self.most);
        if self.window >= self.most - ROUNDING {
            self.window = self.most;
            self.has_been_full = true;
        }
        self.held += 1;
        if f64::from(self.held) >= self.window.floor() { AckDecision::Now } else { AckDecision::Hold }
    }

    /// Segments that one ACK is to stand for.
    pub(super) fn window(&self) -> f64 {
        self.window
    }

    /// The time in which the second next segment is expected, and some tolerance.
    pub(super) fn hold(&self) -> Span {
        self.gaps.times(2.0 + self.tolerance).unwrap_or(self.longest_wait).clamp(self.least_wait, self.longest_wait)
    }

    /// The wait ended without enough segments.
    pub(super) fn shrink(&mut self) {
        self.window = AFTER_LOSS.min(self.most);
    }

    pub(super) fn on_ack_sent(&mut self) {
        self.held = 0;
    }
}
