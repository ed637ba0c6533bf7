//! The probing cycle for bandwidth: DOWN, CRUISE, REFILL, UP (draft-ietf-ccwg-bbr 5.3.3).

use super::super::Window;
use super::bounds::loses_too_much;
use super::{BETA, Bbr3, Sample, State};
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};

/// Shortest wait between two probes; up to a second more is drawn.
const SHORTEST_WAIT: Span = Span::from_secs(2);
/// Rounds between two probes at most: as many as a Reno flow of the same window would take (T_reno).
const RENO_ROUNDS: f64 = 63.0;
/// Doublings of the growth of `inflight_long` at most.
const MAX_UP_ROUNDS: u32 = 30;

/// What the ACKs that come report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AckPhase {
    /// No probe.
    Init,
    /// The pipe is being filled.
    Refilling,
    /// A probe is being sent; none of it is acknowledged yet.
    Starting,
    /// ACKs of the probe.
    Feedback,
    /// ACKs of the probe after its end.
    Stopping,
}

/// Where the cycle is, and when it goes on.
#[derive(Debug, Clone)]
pub(super) struct Cycle {
    pub(super) phase: AckPhase,
    /// ACKs report segments sent while probing.
    pub(super) samples: bool,
    slope: Slope,
    /// Rounds since the last probe, the time to the next, and since when it counts.
    pub(super) rounds: u64,
    wait: Span,
    since: Time,
    /// The last probe went too high; the present one stopped for caution.
    pub(super) too_high: bool,
    pub(super) cautious: bool,
    /// When a probe is due is drawn, so that flows do not probe in step.
    pub(super) stream: Stream,
}

impl Cycle {
    pub(super) fn new() -> Self {
        Cycle {
            phase: AckPhase::Init,
            samples: false,
            slope: Slope { acked: 0.0, per_segment: f64::INFINITY, rounds: 0 },
            rounds: 0,
            wait: Span::ZERO,
            since: Time::ZERO,
            too_high: false,
            cautious: false,
            stream: Stream::derive(0, 0, 0, Purpose::Clock),
        }
    }

    /// PickProbeWait: the wait for the next probe begins.
    fn begin_wait(&mut self, now: Time) {
        self.rounds = u64::from(self.stream.below(2));
        self.wait = SHORTEST_WAIT + Span::from_secs_f64(self.stream.uniform());
        self.since = now;
    }
}

/// How fast the safe volume grows in UP.
#[derive(Debug, Clone)]
struct Slope {
    acked: f64,
    /// Segments that must be acknowledged for each one that it grows by.
    per_segment: f64,
    rounds: u32,
}

impl Slope {
    /// RaiseInflightLongtermSlope: a round of growth begins, twice as fast as the one before.
    fn raise(&mut self, cwnd: f64) {
        let growth = f64::from(1_u32 << self.rounds);
        self.rounds = (self.rounds + 1).min(MAX_UP_ROUNDS);
        self.per_segment = (cwnd / growth).max(1.0);
    }

    /// Segments that it grows by when so many are acknowledged; parts of one are kept for the next ACK.
    fn grow(&mut self, newly: f64) -> f64 {
        self.acked += newly;
        if self.acked < self.per_segment {
            return 0.0;
        }
        let grown = (self.acked / self.per_segment).floor();
        self.acked -= grown * self.per_segment;
        grown
    }
}

impl State {
    /// One of the four states that probe for bandwidth in turn.
    pub(super) fn probes_bandwidth(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// A state that looks for more bandwidth (IsProbingBW): its losses are what it looks for, and no news of
    /// congestion.
    pub(super) fn accelerates(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }
}

impl Bbr3 {
    /// The volume wanted in flight, unless the window was cut below it.
    fn target(&self, w: &Window) -> f64 {
        self.bdp_times(self.bw, 1.0).min(w.cwnd)
    }

    // Entering states.

    pub(super) fn start_down(&mut self, now: Time) {
        self.congestion.reset();
        self.cycle.slope.per_segment = f64::INFINITY;
        self.cycle.begin_wait(now);
        self.cycle.phase = AckPhase::Stopping;
        self.rounds.restart();
        self.state = State::Down;
    }

    fn start_refill(&mut self) {
        self.bounds.forget_short_term();
        (self.cycle.slope.rounds, self.cycle.slope.acked) = (0, 0.0);
        self.cycle.cautious = false;
        self.cycle.phase = AckPhase::Refilling;
        self.rounds.restart();
        self.state = State::Refill;
    }

    pub(super) fn start_up(&mut self, w: &Window, rate: f64) {
        self.cycle.phase = AckPhase::Starting;
        self.rounds.restart();
        self.full.reset(rate);
        self.state = State::Up;
        self.cycle.slope.raise(w.cwnd);
    }

    // Leaving them.

    /// UpdateProbeBWCyclePhase.
    pub(super) fn advance_cycle(&mut self, w: &Window, rs: &Sample) {
        if !self.full.reached || self.adapt_long_term(w, rs) {
            return;
        }
        let over = self.state == State::Up && self.is_time_to_go_down(w, rs);
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe(w, rs.now) => self.start_refill(),
            State::Down if self.is_time_to_cruise(rs) => self.state = State::Cruise,
            // After one round the pipe is full: what is lost from now on is lost to the probe.
            State::Refill if self.rounds.starts => {
                self.cycle.samples = true;
                self.start_up(w, rs.rate);
            }
            State::Up if over => {
                self.cycle.too_high = false;
                self.start_down(rs.now);
            }
            _ => {}
        }
    }

    /// After two to three seconds, or as many rounds as Reno needs to grow by the volume in flight.
    fn is_time_to_probe(&self, w: &Window, now: Time) -> bool {
        now.saturating_since(self.cycle.since) > self.cycle.wait
            || self.cycle.rounds as f64 >= self.target(w).min(RENO_ROUNDS)
    }

    fn is_time_to_cruise(&self, rs: &Sample) -> bool {
        rs.in_flight <= self.bounds.with_headroom() && rs.in_flight <= self.inflight(self.max_bw.get())
    }

    fn is_time_to_go_down(&mut self, w: &Window, rs: &Sample) -> bool {
        if self.cycle.too_high && rs.in_flight + rs.newly + 1.0 > self.bounds.inflight_long {
            self.cycle.cautious = true; // as much as fits below what was too much the last time
            return true;
        }
        if rs.cwnd_limited && w.cwnd >= self.bounds.inflight_long {
            self.full.reset(rs.rate); // it is the bound that holds the rate down
            return false;
        }
        self.full.now
    }

    /// AdaptLongTermModel; true when it has decided on the next state.
    fn adapt_long_term(&mut self, w: &Window, rs: &Sample) -> bool {
        if self.cycle.phase == AckPhase::Starting && self.rounds.starts {
            self.cycle.phase = AckPhase::Feedback;
        }
        if self.cycle.phase == AckPhase::Stopping && self.rounds.starts {
            self.cycle.samples = false;
            self.cycle.phase = AckPhase::Init;
            if self.state.probes_bandwidth() && !rs.app_limited {
                self.max_bw.advance();
            }
            // The cautious probe lost little: the next one follows at once.
            if self.state.probes_bandwidth() && self.cycle.cautious && !self.cycle.too_high {
                self.start_refill();
                return true;
            }
        }
        // The bound only rises where there is one; without losses nothing has set it.
        if !loses_too_much(rs) && self.bounds.inflight_long.is_finite() {
            self.bounds.inflight_long = self.bounds.inflight_long.max(rs.sent_in_flight);
            if self.state == State::Up {
                self.raise_inflight_long(w, rs);
            }
        }
        false
    }

    /// ProbeInflightLongtermUpward: by 1, 2, 4, ... segments per round trip while the bound is in use.
    fn raise_inflight_long(&mut self, w: &Window, rs: &Sample) {
        if !rs.cwnd_limited || w.cwnd < self.bounds.inflight_long {
            return;
        }
        self.bounds.inflight_long += self.cycle.slope.grow(rs.newly);
        if self.rounds.starts {
            self.cycle.slope.raise(w.cwnd);
        }
    }

    /// HandleInflightTooHigh: a probe with `volume` in flight lost more than it may.
    pub(super) fn flew_too_high(&mut self, w: &Window, volume: f64, app_limited: bool, now: Time) {
        self.cycle.too_high = true;
        self.cycle.samples = false; // one answer per probe
        // A flow that has little to send was not at the limit of the path when it lost.
        if !app_limited {
            self.bounds.inflight_long = volume.max(self.target(w) * BETA);
        }
        if self.state == State::Up {
            self.start_down(now);
        }
    }
}
