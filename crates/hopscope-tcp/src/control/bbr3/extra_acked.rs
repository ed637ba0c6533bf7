//! Aggregation of ACKs (draft-ietf-ccwg-bbr 5.5, BBR.extra_acked): what is acknowledged beyond what the bandwidth
//! explains. It is added to the window, which would run dry while a link holds ACKs back.

use super::Sample;
use hopscope_core::units::Time;

/// Rounds over which it is the maximum (ExtraAckedFilterLen).
const ROUNDS: usize = 10;

/// The excess of each of the last rounds, segments.
#[derive(Debug, Clone)]
pub(super) struct ExtraAcked {
    rounds: [f64; ROUNDS],
    /// The interval over which what is delivered is compared with what is expected, and what is delivered in it.
    since: Time,
    delivered: f64,
    mss: f64,
}

impl ExtraAcked {
    pub(super) fn new(mss: f64) -> Self {
        ExtraAcked { rounds: [0.0; ROUNDS], since: Time::ZERO, delivered: 0.0, mss }
    }

    /// The maximum; STARTUP, before the pipe is `full`, remembers one round, as the bandwidth grows beneath the others.
    pub(super) fn get(&self, round: u64, full: bool) -> f64 {
        if full { self.rounds.iter().copied().fold(0.0, f64::max) } else { self.rounds[Self::place(round)] }
    }

    /// A round begins, in the place of the oldest.
    pub(super) fn begin_round(&mut self, round: u64) {
        self.rounds[Self::place(round)] = 0.0;
    }

    /// The flow was idle: the pause is no interval in which anything was expected.
    pub(super) fn restart(&mut self, now: Time) {
        self.since = now;
    }

    /// UpdateACKAggregation: an ACK at bandwidth `bw`. No more than the window can have been held back at once.
    pub(super) fn update(&mut self, rs: &Sample, round: u64, bw: f64, cwnd: f64) {
        let mut expected = bw * rs.now.saturating_since(self.since).as_secs() / self.mss;
        // Below the bandwidth nothing has been aggregated: the interval begins anew.
        if self.delivered <= expected {
            (self.delivered, self.since, expected) = (0.0, rs.now, 0.0);
        }
        self.delivered += rs.newly;
        let extra = (self.delivered - expected).min(cwnd);
        let slot = &mut self.rounds[Self::place(round)];
        *slot = slot.max(extra);
    }

    fn place(round: u64) -> usize {
        round as usize % ROUNDS
    }
}
