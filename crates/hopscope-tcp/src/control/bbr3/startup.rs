//! STARTUP and DRAIN (draft-ietf-ccwg-bbr 5.3.1, 5.3.2): the rate doubles in each round until the pipe is full, then
//! the queue that this has left drains.

use super::bounds::loses_too_much;
use super::repair::Repair;
use super::{Bbr3, Sample, State};

/// Growth in a round that says the pipe is not full yet, and the rounds without it that say it is.
const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
/// Ranges lost in a round trip that end STARTUP (StartupFullLossCnt).
const STARTUP_LOSSES: u32 = 6;
/// Rounds that DRAIN lasts at most.
pub(super) const DRAIN_ROUNDS: u64 = 3;

/// The search for a plateau of the rate, in STARTUP and in UP.
#[derive(Debug, Clone)]
pub(super) struct FullPipe {
    /// Rate when it last grew by a quarter, and the rounds since.
    bw: f64,
    pub(super) rounds: u32,
    /// This search has found one.
    pub(super) now: bool,
    /// The pipe has been full once.
    pub(super) reached: bool,
}

impl FullPipe {
    pub(super) fn new() -> Self {
        FullPipe { bw: 0.0, rounds: 0, now: false, reached: false }
    }

    /// The search begins anew from this rate.
    pub(super) fn reset(&mut self, baseline: f64) {
        (self.bw, self.rounds, self.now) = (baseline, 0, false);
    }

    /// CheckFullBWReached: once a round, which the rate needs to answer. One that the application limits is no plateau.
    pub(super) fn check(&mut self, rs: &Sample, round_starts: bool) {
        if self.now || !round_starts || rs.app_limited {
            return;
        }
        if rs.rate >= FULL_GROWTH * self.bw {
            return self.reset(rs.rate);
        }
        self.rounds += 1;
        self.now = self.rounds >= FULL_ROUNDS;
        self.reached |= self.now;
    }
}

impl Bbr3 {
    /// CheckStartupDone: the pipe is full, or a round trip in recovery has lost too much in too many places.
    pub(super) fn check_startup(&mut self, rs: &Sample) {
        let ranges = self.congestion.lost_ranges();
        if self.state != State::Startup {
            return;
        }
        let recovering = self.saved.repair == Repair::Fast;
        if self.congestion.ends && recovering && ranges >= STARTUP_LOSSES && loses_too_much(rs) {
            self.full.reached = true;
            // What the path took in this round is safe, also where the bandwidth is not known in full yet.
            self.bounds.inflight_long = self.bdp_times(self.bw, 1.0).max(self.congestion.inflight);
        }
        if self.full.reached {
            self.state = State::Drain;
            self.drain_round = self.rounds.count;
        }
    }

    /// CheckDrainDone. On a path that has become slower the queue may stand for long: the rounds bound the wait.
    pub(super) fn check_drain(&mut self, rs: &Sample) {
        let drained = rs.in_flight <= self.inflight(self.bw);
        if self.state == State::Drain && (drained || self.rounds.count > self.drain_round + DRAIN_ROUNDS) {
            self.start_down(rs.now);
        }
    }
}
