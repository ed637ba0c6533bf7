//! The model of the path: bandwidth, volume in flight, round-trip time, aggregation of ACKs (draft-ietf-ccwg-bbr 5.5).

use super::super::Window;
use super::{
    BETA, Bbr3, EXTRA_ROUNDS, FULL_GROWTH, FULL_ROUNDS, HEADROOM, LOSS_THRESHOLD, MIN_RTT_LIFETIME, MIN_WINDOW,
    PROBE_RTT_INTERVAL, Repair, STARTUP_LOSSES, Sample, State,
};

impl Bbr3 {
    // What the model says.

    pub(super) fn max_bw(&self) -> f64 {
        self.rates[0].max(self.rates[1])
    }

    /// `gain` times the bandwidth-delay product at bandwidth `bw`; the initial window before there is one.
    pub(super) fn bdp_times(&self, bw: f64, gain: f64) -> f64 {
        self.min_rtt.map_or(self.initial_cwnd, |rtt| gain * bw * rtt.as_secs() / self.mss)
    }

    /// A volume that keeps the path busy: segments on their way in both directions, and room for a probe.
    pub(super) fn at_least_the_minimum(&self, volume: f64) -> f64 {
        volume.max(MIN_WINDOW) + if self.state == State::Up { 2.0 } else { 0.0 }
    }

    /// The bandwidth-delay product at `bw` as a volume in flight.
    pub(super) fn inflight(&self, bw: f64) -> f64 {
        self.at_least_the_minimum(self.bdp_times(bw, 1.0))
    }

    /// The safe volume less what is left to others.
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        let room = (HEADROOM * self.inflight_long).max(1.0);
        if self.inflight_long.is_finite() { (self.inflight_long - room).max(MIN_WINDOW) } else { f64::INFINITY }
    }

    pub(super) fn extra_acked(&self) -> f64 {
        if self.full {
            self.extra_acked.iter().copied().fold(0.0, f64::max)
        } else {
            self.extra_acked[self.rounds as usize % EXTRA_ROUNDS] // STARTUP remembers one round
        }
    }

    /// Losses over the last round trip say that too much was in flight.
    pub(super) fn loses_too_much(rs: &Sample) -> bool {
        rs.lost > rs.sent_in_flight * LOSS_THRESHOLD
    }

    // Steps of an ACK.

    /// UpdateLatestDeliverySignals.
    pub(super) fn take_latest(&mut self, rs: &Sample) {
        self.bw_latest = self.bw_latest.max(rs.rate);
        self.inflight_latest = self.inflight_latest.max(rs.delivered);
        self.loss_round_start = rs.prior.is_some_and(|prior| prior >= self.loss_round_end);
        if self.loss_round_start {
            self.loss_round_end = self.delivered;
        }
    }

    pub(super) fn start_round(&mut self) {
        self.round_end = self.delivered;
    }

    /// UpdateMaxBw: rounds, and the largest rate of the cycle.
    pub(super) fn take_bandwidth(&mut self, rs: &Sample) {
        self.round_start = rs.prior.is_some_and(|prior| prior >= self.round_end);
        if self.round_start {
            self.start_round();
            self.rounds += 1;
            self.rounds_since_up += 1;
            self.extra_acked[self.rounds as usize % EXTRA_ROUNDS] = 0.0;
        }
        if rs.rate >= self.max_bw() || !rs.app_limited {
            self.rates[1] = self.rates[1].max(rs.rate);
        }
    }

    /// The probing cycle is over: the cycle before it is forgotten.
    pub(super) fn advance_max_bw(&mut self) {
        if self.rates[1] > 0.0 {
            self.rates = [self.rates[1], 0.0];
        }
    }

    /// AdaptLowerBoundsFromCongestion: once per round trip with losses the short-term model gives way, but not while
    /// probing.
    pub(super) fn answer_losses(&mut self, w: &Window) {
        if !self.loss_round_start {
            return;
        }
        if self.loss_in_round && !self.accelerates() {
            if self.bw_short.is_infinite() {
                self.bw_short = self.max_bw();
            }
            if self.inflight_short.is_infinite() {
                self.inflight_short = w.cwnd;
            }
            self.bw_short = self.bw_latest.max(BETA * self.bw_short);
            self.inflight_short = self.inflight_latest.max(BETA * self.inflight_short);
        }
        self.loss_in_round = false;
    }

    pub(super) fn forget_short_term(&mut self) {
        self.bw_short = f64::INFINITY;
        self.inflight_short = f64::INFINITY;
    }

    /// UpdateACKAggregation: what has been acknowledged beyond what the bandwidth explains.
    pub(super) fn take_aggregation(&mut self, w: &Window, rs: &Sample) {
        let mut expected = self.bw * rs.now.saturating_since(self.extra_since).as_secs() / self.mss;
        if self.extra_delivered <= expected {
            (self.extra_delivered, self.extra_since, expected) = (0.0, rs.now, 0.0);
        }
        self.extra_delivered += rs.newly;
        let extra = (self.extra_delivered - expected).min(w.cwnd);
        let slot = &mut self.extra_acked[self.rounds as usize % EXTRA_ROUNDS];
        *slot = slot.max(extra);
    }

    pub(super) fn reset_full(&mut self, baseline: f64) {
        (self.full_bw, self.full_rounds, self.full_now) = (baseline, 0, false);
    }

    /// CheckFullBWReached: a plateau of the rate while the flow accelerates.
    pub(super) fn check_full(&mut self, rs: &Sample) {
        if self.full_now || !self.round_start || rs.app_limited {
            return;
        }
        if rs.rate >= FULL_GROWTH * self.full_bw {
            return self.reset_full(rs.rate);
        }
        self.full_rounds += 1;
        self.full_now = self.full_rounds >= FULL_ROUNDS;
        self.full |= self.full_now;
    }

    /// CheckStartupDone: the pipe is full, or a round trip in recovery has lost too much in too many places.
    pub(super) fn check_startup(&mut self, rs: &Sample) {
        let ranges = self.lost_ranges;
        if self.loss_round_start {
            self.lost_ranges = 0;
        }
        if self.state != State::Startup {
            return;
        }
        let recovering = self.repair == Repair::Fast;
        if self.loss_round_start && recovering && ranges >= STARTUP_LOSSES && Self::loses_too_much(rs) {
            self.full = true;
            self.inflight_long = self.bdp_times(self.bw, 1.0).max(self.inflight_latest);
        }
        if self.full {
            self.state = State::Drain;
            self.drain_round = self.rounds;
        }
    }

    /// UpdateMinRTT.
    pub(super) fn take_rtt(&mut self, rs: &Sample) {
        self.probe_rtt_due =
            self.probe_rtt_least.is_some() && rs.now.saturating_since(self.probe_rtt_at) > PROBE_RTT_INTERVAL;
        if let Some(rtt) = rs.rtt {
            if self.probe_rtt_due || self.probe_rtt_least.is_none_or(|least| rtt < least) {
                (self.probe_rtt_least, self.probe_rtt_at) = (Some(rtt), rs.now);
            }
        }
        let expired = rs.now.saturating_since(self.min_rtt_at) > MIN_RTT_LIFETIME;
        if let Some(least) = self.probe_rtt_least {
            if expired || self.min_rtt.is_none_or(|known| least < known) {
                (self.min_rtt, self.min_rtt_at) = (Some(least), self.probe_rtt_at);
            }
        }
    }
}
