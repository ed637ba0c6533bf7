//! PROBE_RTT (draft-ietf-ccwg-bbr 5.3.4): now and then little is in flight, so that queues drain and the path shows its
//! round-trip time.

use super::super::Window;
use super::cycle::AckPhase;
use super::{Bbr3, CWND_GAIN_PROBE_RTT, MIN_WINDOW, Sample, State};
use hopscope_core::units::{Span, Time};

/// How long little is in flight.
const PROBE_RTT_TIME: Span = Span::from_millis(200);

/// A probe under way.
#[derive(Debug, Clone)]
pub(super) struct ProbeRtt {
    /// Its end at the earliest, once the window has drained, and whether a round has passed since.
    pub(super) end: Option<Time>,
    round: bool,
    /// Samples of segments sent before this many bytes were delivered are limited by the probe itself.
    pub(super) limited_until: u64,
}

impl ProbeRtt {
    pub(super) fn new() -> Self {
        ProbeRtt { end: None, round: false, limited_until: 0 }
    }
}

impl Bbr3 {
    /// Window while it lasts.
    pub(super) fn probe_rtt_window(&self) -> f64 {
        self.bdp_times(self.bw, CWND_GAIN_PROBE_RTT).max(MIN_WINDOW)
    }

    /// CheckProbeRTT. A flow that comes back from idleness needs none: its queue has drained meanwhile.
    pub(super) fn check_probe_rtt(&mut self, w: &mut Window, rs: &Sample) {
        if self.state != State::ProbeRtt && self.min_rtt.is_due && !self.idle.restarts {
            self.saved.save(w.cwnd, self.state);
            self.state = State::ProbeRtt;
            self.probe_rtt.end = None;
            self.cycle.phase = AckPhase::Stopping;
            self.rounds.restart();
        }
        if self.state == State::ProbeRtt {
            self.go_on_probing_rtt(w, rs);
        }
        if rs.delivered > 0.0 {
            self.idle.restarts = false;
        }
    }

    /// HandleProbeRTT: the wait begins once the window has drained, and lasts for a round too, so that segments sent
    /// into the drained path have come back.
    fn go_on_probing_rtt(&mut self, w: &mut Window, rs: &Sample) {
        self.probe_rtt.limited_until = self.rounds.delivered + ((rs.in_flight * self.mss) as u64).max(1);
        match self.probe_rtt.end {
            None if rs.in_flight <= self.probe_rtt_window() => {
                self.probe_rtt.end = Some(rs.now + PROBE_RTT_TIME);
                self.probe_rtt.round = false;
                self.rounds.restart();
            }
            None => {}
            Some(end) => {
                self.probe_rtt.round |= self.rounds.starts;
                if self.probe_rtt.round && rs.now > end {
                    self.min_rtt.probed_at = rs.now;
                    self.saved.restore(w);
                    self.leave_probe_rtt(rs.now);
                }
            }
        }
    }

    /// ExitProbeRTT. Little is in flight, so there is nothing for DOWN to drain: the cycle goes on where it cruises.
    fn leave_probe_rtt(&mut self, now: Time) {
        self.bounds.forget_short_term();
        if self.full.reached {
            self.start_down(now);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }
}
