//! What the model allows: pace and window (draft-ietf-ccwg-bbr 5.6).

use super::super::Window;
use super::{Bbr3, CWND_GAIN_PROBE_RTT, MIN_WINDOW, Sample, State};

/// Window over the bandwidth-delay product, and in UP.
const CWND_GAIN: f64 = 2.0;
const CWND_GAIN_UP: f64 = 2.25;
/// Pace over the bandwidth in STARTUP: the smallest that doubles it in each round trip.
pub(super) const STARTUP_GAIN: f64 = 2.77;
const DRAIN_GAIN: f64 = 0.5;
const DOWN_GAIN: f64 = 0.9;
const UP_GAIN: f64 = 1.25;
/// Share of the bandwidth that is used, so that queues drain (PacingMarginPercent).
pub(super) const MARGIN: f64 = 0.99;

impl Bbr3 {
    /// SetPacingRate.
    pub(super) fn set_pacing_rate(&mut self) {
        let gain = match self.state {
            State::Startup => STARTUP_GAIN,
            State::Drain => DRAIN_GAIN,
            State::Down => DOWN_GAIN,
            State::Up => UP_GAIN,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
        };
        let rate = MARGIN * gain * self.bw;
        // Before the pipe is full a low sample is no reason to slow down: the rate may not have answered yet.
        if rate > 0.0 && (self.full.reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// SetCwnd.
    pub(super) fn set_cwnd(&mut self, w: &mut Window, rs: &Sample) {
        let gain = match self.state {
            State::Up => CWND_GAIN_UP,
            State::ProbeRtt => CWND_GAIN_PROBE_RTT,
            _ => CWND_GAIN,
        };
        let extra = self.extra_acked.get(self.rounds.count, self.full.reached);
        let most = self.at_least_the_minimum(self.bdp_times(self.bw, gain) + extra);
        if self.full.reached {
            w.cwnd = (w.cwnd + rs.newly).min(most);
        } else if w.cwnd < most || (self.rounds.delivered as f64) < self.initial_cwnd * self.mss {
            // STARTUP never lowers the window, and the first window's worth of ACKs raises it before there is a model.
            w.cwnd += rs.newly;
        }
        w.cwnd = w.cwnd.max(MIN_WINDOW);
        if self.state == State::ProbeRtt {
            w.cwnd = w.cwnd.min(self.probe_rtt_window());
        }
        // BoundCwndForModel: states that probe go up to the safe volume, the others leave headroom below it.
        let bound = match self.state {
            State::Down | State::Refill | State::Up => self.bounds.inflight_long,
            State::Cruise | State::ProbeRtt => self.bounds.with_headroom(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        w.cwnd = w.cwnd.min(bound.min(self.bounds.inflight_short).max(MIN_WINDOW));
    }
}
