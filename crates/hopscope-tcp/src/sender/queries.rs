//! What a sender shows of itself.

use super::{Phase, TcpSender};
use crate::{SenderState, SenderStats};
use hopscope_core::units::Span;

impl TcpSender {
    /// Congestion window in segments, without the inflation of fast recovery (Vegas: with it, as in ns-2).
    pub fn cwnd(&self) -> f64 {
        self.core.window.cwnd
    }

    /// Receiver window in segments: the flow's limit, or what ACKs advertise where that is less.
    pub fn receiver_window(&self) -> f64 {
        self.core.peer.segments() as f64
    }

    /// Slow-start threshold in segments.
    pub fn ssthresh(&self) -> f64 {
        self.core.window.ssthresh
    }

    /// Segments sent and not acknowledged.
    pub fn flight(&self) -> f64 {
        self.core.flight()
    }

    /// Smoothed round-trip time; none before the first sample.
    pub fn srtt(&self) -> Option<Span> {
        self.core.timing.rtt.srtt()
    }

    /// The present retransmission timeout, back-off included.
    pub fn rto(&self) -> Span {
        self.core.timing.rtt.rto()
    }

    /// What is lost is being repaired: true behind a timeout, false in a recovery that duplicate or selective ACKs
    /// began.
    pub fn is_repairing(&self) -> Option<bool> {
        match (self.core.loss.is_recovering(), self.core.loss.is_behind_timeout(self.core.seq.una())) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        }
    }

    /// Duplicate ACKs, or reports of data above a gap, have come since the last ACK of new data.
    pub fn hears_disorder(&self) -> bool {
        self.core.loss.dupacks() > 0 || self.core.sent.as_ref().is_some_and(|sent| sent.sacked() > 0)
    }

    /// Counters.
    pub fn stats(&self) -> &SenderStats {
        &self.core.stats
    }

    /// First number not acknowledged.
    pub fn una(&self) -> u64 {
        self.core.seq.una()
    }

    /// Numbers sent and not acknowledged.
    pub fn outstanding(&self) -> u64 {
        self.core.seq.max() - self.core.seq.una()
    }

    /// Bytes offered and not yet sent once; `u64::MAX` when the offer has no end.
    pub fn backlog(&self) -> u64 {
        match self.core.seq.data_end() {
            u64::MAX => u64::MAX,
            end => end.saturating_sub(self.core.seq.max().max(1)),
        }
    }

    /// State of the connection.
    pub fn state(&self) -> SenderState {
        match self.phase {
            Phase::Idle => SenderState::Idle,
            Phase::SynSent => SenderState::SynSent,
            Phase::Open if self.core.seq.una() > self.core.seq.data_end() => SenderState::FinWait2,
            Phase::Open if self.core.seq.max() > self.core.seq.data_end() => SenderState::FinWait1,
            Phase::Open => SenderState::Established,
            Phase::TimeWait => SenderState::TimeWait,
            Phase::Closed => SenderState::Closed,
        }
    }
}
