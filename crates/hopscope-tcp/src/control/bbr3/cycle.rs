//! The states after STARTUP: DRAIN, the probing cycle for bandwidth, and PROBE_RTT (draft-ietf-ccwg-bbr 5.3).

use super::super::Window;
use super::{BETA, Bbr3, CWND_GAIN_PROBE_RTT, DRAIN_ROUNDS, MIN_WINDOW, PROBE_RTT_TIME, Sample, State};
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

impl Bbr3 {
    /// In one of the four states that probe for bandwidth in turn.
    pub(super) fn probes_bandwidth(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// In a state that looks for more bandwidth (IsProbingBW).
    pub(super) fn accelerates(&self) -> bool {
        matches!(self.state, State::Startup | State::Refill | State::Up)
    }

    /// The volume wanted in flight, unless the window was cut below it.
    fn target(&self, w: &Window) -> f64 {
        self.bdp_times(self.bw, 1.0).min(w.cwnd)
    }

    // Entering states.

    fn start_down(&mut self, now: Time) {
        self.loss_in_round = false;
        (self.bw_latest, self.inflight_latest) = (0.0, 0.0);
        self.up_per_segment = f64::INFINITY;
        self.rounds_since_up = u64::from(self.stream.below(2));
        self.probe_wait = SHORTEST_WAIT + Span::from_secs_f64(self.stream.uniform());
        self.cycle_since = now;
        self.phase = AckPhase::Stopping;
        self.start_round();
        self.state = State::Down;
    }

    fn start_refill(&mut self) {
        self.forget_short_term();
        self.up_rounds = 0;
        self.up_acked = 0.0;
        self.cautious = false;
        self.phase = AckPhase::Refilling;
        self.start_round();
        self.state = State::Refill;
    }

    pub(super) fn start_up(&mut self, w: &Window, rate: f64) {
        self.phase = AckPhase::Starting;
        self.start_round();
        self.reset_full(rate);
        self.state = State::Up;
        self.raise_slope(w);
    }

    // Leaving them.

    /// CheckDrainDone.
    pub(super) fn check_drain(&mut self, rs: &Sample) {
        let drained = rs.in_flight <= self.inflight(self.bw);
        if self.state == State::Drain && (drained || self.rounds > self.drain_round + DRAIN_ROUNDS) {
            self.start_down(rs.now);
        }
    }

    /// UpdateProbeBWCyclePhase.
    pub(super) fn advance_cycle(&mut self, w: &Window, rs: &Sample) {
        if !self.full || self.adapt_long_term(w, rs) {
            return;
        }
        let over = self.state == State::Up && self.is_time_to_go_down(w, rs);
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe(w, rs.now) => self.start_refill(),
            State::Down if self.is_time_to_cruise(rs) => self.state = State::Cruise,
            State::Refill if self.round_start => {
                self.probe_sample = true;
                self.start_up(w, rs.rate);
            }
            State::Up if over => {
                self.too_high = false;
                self.start_down(rs.now);
            }
            _ => {}
        }
    }

    /// After two to three seconds, or as many rounds as Reno needs to grow by the volume in flight.
    fn is_time_to_probe(&self, w: &Window, now: Time) -> bool {
        now.saturating_since(self.cycle_since) > self.probe_wait
            || self.rounds_since_up as f64 >= self.target(w).min(RENO_ROUNDS)
    }

    fn is_time_to_cruise(&self, rs: &Sample) -> bool {
        rs.in_flight <= self.inflight_with_headroom() && rs.in_flight <= self.inflight(self.max_bw())
    }

    fn is_time_to_go_down(&mut self, w: &Window, rs: &Sample) -> bool {
        if self.too_high && rs.in_flight + rs.newly + 1.0 > self.inflight_long {
            self.cautious = true; // as much as fits below what was too much the last time
            return true;
        }
        if rs.cwnd_limited && w.cwnd >= self.inflight_long {
            self.reset_full(rs.rate); // it is the bound that holds the rate down
            return false;
        }
        self.full_now
    }

    /// AdaptLongTermModel; true when it has decided on the next state.
    fn adapt_long_term(&mut self, w: &Window, rs: &Sample) -> bool {
        if self.phase == AckPhase::Starting && self.round_start {
            self.phase = AckPhase::Feedback;
        }
        if self.phase == AckPhase::Stopping && self.round_start {
            self.probe_sample = false;
            self.phase = AckPhase::Init;
            if self.probes_bandwidth() && !rs.app_limited {
                self.advance_max_bw();
            }
            // The cautious probe lost little: the next one follows at once.
            if self.probes_bandwidth() && self.cautious && !self.too_high {
                self.start_refill();
                return true;
            }
        }
        if !Self::loses_too_much(rs) && self.inflight_long.is_finite() {
            self.inflight_long = self.inflight_long.max(rs.sent_in_flight);
            if self.state == State::Up {
                self.raise_inflight_long(w, rs);
            }
        }
        false
    }

    /// ProbeInflightLongtermUpward: by 1, 2, 4, ... segments per round trip while the bound is in use.
    fn raise_inflight_long(&mut self, w: &Window, rs: &Sample) {
        if !rs.cwnd_limited || w.cwnd < self.inflight_long {
            return;
        }
        self.up_acked += rs.newly;
        if self.up_acked >= self.up_per_segment {
            let grown = (self.up_acked / self.up_per_segment).floor();
            self.up_acked -= grown * self.up_per_segment;
            self.inflight_long += grown;
        }
        if self.round_start {
            self.raise_slope(w);
        }
    }

    fn raise_slope(&mut self, w: &Window) {
        let growth = f64::from(1_u32 << self.up_rounds);
        self.up_rounds = (self.up_rounds + 1).min(MAX_UP_ROUNDS);
        self.up_per_segment = (w.cwnd / growth).max(1.0);
    }

    /// HandleInflightTooHigh: a probe with `volume` in flight lost more than it may.
    pub(super) fn flew_too_high(&mut self, w: &Window, volume: f64, app_limited: bool, now: Time) {
        self.too_high = true;
        self.probe_sample = false; // one answer per probe
        if !app_limited {
            self.inflight_long = volume.max(self.target(w) * BETA);
        }
        if self.state == State::Up {
            self.start_down(now);
        }
    }

    // PROBE_RTT.

    pub(super) fn probe_rtt_window(&self) -> f64 {
        self.bdp_times(self.bw, CWND_GAIN_PROBE_RTT).max(MIN_WINDOW)
    }

    /// CheckProbeRTT.
    pub(super) fn check_probe_rtt(&mut self, w: &mut Window, rs: &Sample) {
        if self.state != State::ProbeRtt && self.probe_rtt_due && !self.idle_restart {
            self.save_cwnd(w);
            self.state = State::ProbeRtt;
            self.probe_end = None;
            self.phase = AckPhase::Stopping;
            self.start_round();
        }
        if self.state == State::ProbeRtt {
            self.probe_rtt(w, rs);
        }
        if rs.delivered > 0.0 {
            self.idle_restart = false;
        }
    }

    fn probe_rtt(&mut self, w: &mut Window, rs: &Sample) {
        self.limited_until = self.delivered + ((rs.in_flight * self.mss) as u64).max(1);
        match self.probe_end {
            None if rs.in_flight <= self.probe_rtt_window() => {
                self.probe_end = Some(rs.now + PROBE_RTT_TIME);
                self.probe_round = false;
                self.start_round();
            }
            None => {}
            Some(end) => {
                self.probe_round |= self.round_start;
                if self.probe_round && rs.now > end {
                    self.probe_rtt_at = rs.now;
                    w.cwnd = w.cwnd.max(self.prior_cwnd);
                    self.leave_probe_rtt(rs.now);
                }
            }
        }
    }

    /// Little is in flight: the cycle goes on where it cruises.
    fn leave_probe_rtt(&mut self, now: Time) {
        self.forget_short_term();
        if self.full {
            self.start_down(now);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }
}
