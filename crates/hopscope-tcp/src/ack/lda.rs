//! The dynamic delayed ACK of Altman and Jimenez ("Novel delayed ACK techniques for improving TCP performance in
//! multihop wireless networks", PWC 2003), which later papers call TCP-LDA: the longer the connection has lasted, the
//! more segments one ACK stands for.
//!
//! The steps are remembered by those who cite it and are a default here. They never start again, so a window of fewer
//! segments than the last step asks for waits for the timer.

use super::{AckDecision, Arrival};
use crate::config::TcpConfig;
use hopscope_core::units::Span;

/// State of the policy.
#[derive(Debug, Clone)]
pub(in super::super) struct Lda {
    /// Segments from which on one ACK stands for one more.
    steps: Box<[u64]>,
    /// Segments received in order since the start.
    received: u64,
    held: u64,
    longest: Span,
}

impl Lda {
    pub(super) fn new(cfg: &TcpConfig, longest: Span) -> Self {
        Lda { steps: cfg.lda_steps.clone().into(), received: 0, held: 0, longest }
    }

    pub(super) fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        if !arrival.in_order {
            return AckDecision::Now;
        }
        self.received += 1;
        self.held += 1;
        if self.held >= self.due() { AckDecision::Now } else { AckDecision::Hold }
    }

    /// One more than the steps taken.
    fn due(&self) -> u64 {
        1 + self.steps.iter().filter(|step| **step <= self.received).count() as u64
    }

    /// Segments that one ACK is to stand for.
    pub(super) fn window(&self) -> f64 {
        self.due() as f64
    }

    pub(super) fn hold(&self) -> Span {
        self.longest
    }

    pub(super) fn on_ack_sent(&mut self) {
        self.held = 0;
    }
}
