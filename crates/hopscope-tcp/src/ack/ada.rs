//! Adaptive delayed ACK (Singh and Kankipati, "TCP-ADA", WCNC 2004): one ACK for a whole burst, sent when it has ended.
//!
//! Each segment starts the wait anew, by a multiple of the smoothed time between segments; from the first segment held
//! on it lasts for the deferment period at most. The paper's constants could not be read: those here are defaults.

use super::gaps::Gaps;
use super::{AckDecision, Arrival};
use crate::config::TcpConfig;
use hopscope_core::units::{Span, Time};

/// State of the policy.
#[derive(Debug, Clone)]
pub(in super::super) struct Ada {
    beta: f64,
    deferment: Span,
    gaps: Gaps,
    /// When the first segment held came.
    first: Option<Time>,
    now: Time,
}

impl Ada {
    pub(super) fn new(cfg: &TcpConfig) -> Self {
        Ada {
            beta: cfg.ada_beta,
            deferment: cfg.ada_deferment,
            gaps: Gaps::new(cfg.ada_smoothing),
            first: None,
            now: Time::ZERO,
        }
    }

    pub(super) fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        self.gaps.on_arrival(arrival.now, arrival.in_order);
        self.now = arrival.now;
        // Without a sample it is not known how long a burst pauses.
        if !arrival.in_order || self.gaps.times(1.0).is_none() {
            return AckDecision::Now;
        }
        let first = *self.first.get_or_insert(arrival.now);
        if arrival.now.saturating_since(first) >= self.deferment { AckDecision::Now } else { AckDecision::Hold }
    }

    /// From the segment held last on.
    pub(super) fn hold(&self) -> Span {
        let waited = self.first.map_or(Span::ZERO, |first| self.now.saturating_since(first));
        let left = Span(self.deferment.0.saturating_sub(waited.0));
        self.gaps.times(self.beta).unwrap_or(left).min(left)
    }

    pub(super) fn on_ack_sent(&mut self) {
        self.first = None;
    }
}
