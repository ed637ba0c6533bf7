//! BBR version 1 (Cardwell et al. 2016; draft-cardwell-iccrg-bbr-congestion-control-00): a model of the path, its
//! bandwidth and its smallest round-trip time, sets the pace and the window; losses and delays do not.
//!
//! ```text
//! STARTUP -> DRAIN -> PROBE_BW <-> PROBE_RTT -> STARTUP (if the pipe was never full)
//! ```
//! Left out: the detector of traffic policers.

use super::{Acked, Controller, Feedback, Loss, Window};
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};

/// 2 / ln 2: the smallest gain that doubles the rate in each round trip.
const HIGH_GAIN: f64 = 2.885;
/// Gains of PROBE_BW, a round trip each.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Window in PROBE_BW over the bandwidth-delay product.
const CWND_GAIN: f64 = 2.0;
/// Rounds over which the bandwidth is the maximum.
const BANDWIDTH_ROUNDS: usize = 10;
/// Growth in a round that says the pipe is not full yet, and the rounds without it that say it is.
const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
/// How long the smallest round-trip time holds, and how long it is probed for.
const RTT_LIFETIME: Span = Span::from_secs(10);
const PROBE_RTT_TIME: Span = Span::from_millis(200);
/// Smallest window, in segments.
const MIN_WINDOW: f64 = 4.0;
/// Share of the bandwidth that is not used, so that queues drain.
const MARGIN: f64 = 0.99;
/// Below this rate (bytes per second) one segment is sent at a time, above it two.
const LOW_RATE: f64 = 150_000.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// State of BBR. Bandwidths are bytes per second.
#[derive(Debug, Clone)]
pub(in super::super) struct Bbr {
    mss: f64,
    mode: Mode,
    /// Largest delivery rate of each of the last rounds.
    rates: [f64; BANDWIDTH_ROUNDS],
    rounds: usize,
    /// The round ends when a segment sent after this many delivered bytes is acknowledged.
    round_end: u64,
    min_rtt: Option<Span>,
    min_rtt_at: Time,
    /// Bandwidth when it last grew by a quarter, and the rounds since.
    full_bandwidth: f64,
    full_rounds: u32,
    full: bool,
    /// Place in the cycle of PROBE_BW, and since when.
    phase: usize,
    phase_since: Time,
    /// End of PROBE_RTT at the earliest, once the window has drained, and whether a round has passed since.
    probe_end: Option<Time>,
    probe_round: bool,
    /// Window before a loss or PROBE_RTT.
    prior_cwnd: f64,
    /// Since this many rounds a loss is being repaired.
    recovery_round: Option<usize>,
    pacing_rate: f64,
    initial_cwnd: f64,
    /// Where the cycle starts is drawn, so that flows do not probe in step.
    stream: Stream,
}

impl Bbr {
    pub(in super::super) fn new(mss: u64) -> Self {
        Bbr {
            mss: mss as f64,
            mode: Mode::Startup,
            rates: [0.0; BANDWIDTH_ROUNDS],
            rounds: 0,
            round_end: 0,
            min_rtt: None,
            min_rtt_at: Time::ZERO,
            full_bandwidth: 0.0,
            full_rounds: 0,
            full: false,
            phase: 0,
            phase_since: Time::ZERO,
            probe_end: None,
            probe_round: false,
            prior_cwnd: 0.0,
            recovery_round: None,
            pacing_rate: 0.0,
            initial_cwnd: 0.0,
            stream: Stream::derive(0, 0, 0, Purpose::Clock),
        }
    }

    /// The stream that the start of the cycle is drawn from.
    pub(in super::super) fn set_stream(&mut self, stream: Stream) {
        self.stream = stream;
    }

    fn bandwidth(&self) -> f64 {
        self.rates.iter().copied().fold(0.0, f64::max)
    }

    fn gains(&self) -> (f64, f64) {
        match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (1.0 / HIGH_GAIN, HIGH_GAIN),
            Mode::ProbeBw => (CYCLE[self.phase], CWND_GAIN),
            Mode::ProbeRtt => (1.0, 1.0),
        }
    }

    /// Segments in flight that `gain` times the bandwidth-delay product are.
    fn inflight(&self, gain: f64) -> Option<f64> {
        let min_rtt = self.min_rtt?;
        Some(gain * self.bandwidth() * min_rtt.as_secs() / self.mss)
    }

    /// Segments beyond that: what lies in the end systems.
    fn quanta(&self) -> f64 {
        3.0 * if self.pacing_rate < LOW_RATE { 1.0 } else { 2.0 }
    }

    // Steps of an ACK, in order.

    /// Takes the delivery rate; true when a round has ended.
    fn update_bandwidth(&mut self, ack: &Feedback) -> bool {
        let Some(rate) = ack.rate else { return false };
        let new_round = rate.prior_delivered >= self.round_end;
        if new_round {
            self.round_end = ack.delivered;
            self.rounds += 1;
            self.rates[self.rounds % BANDWIDTH_ROUNDS] = 0.0;
        }
        let bandwidth = rate.bytes as f64 / rate.interval.as_secs();
        if !rate.app_limited || bandwidth >= self.bandwidth() {
            let slot = &mut self.rates[self.rounds % BANDWIDTH_ROUNDS];
            *slot = slot.max(bandwidth);
        }
        new_round
    }

    fn advance_cycle(&mut self, in_flight: f64, lost: bool, now: Time) {
        let (Mode::ProbeBw, Some(min_rtt)) = (self.mode, self.min_rtt) else { return };
        let long = now.saturating_since(self.phase_since) > min_rtt;
        let gain = CYCLE[self.phase];
        let over = if gain > 1.0 {
            long && (lost || in_flight >= self.inflight(gain).unwrap_or(0.0))
        } else if gain < 1.0 {
            long || in_flight <= self.inflight(1.0).unwrap_or(0.0)
        } else {
            long
        };
        if over {
            (self.phase, self.phase_since) = ((self.phase + 1) % CYCLE.len(), now);
        }
    }

    fn check_full(&mut self, app_limited: bool) {
        if self.full || app_limited {
            return;
        }
        let bandwidth = self.bandwidth();
        if bandwidth >= FULL_GROWTH * self.full_bandwidth {
            (self.full_bandwidth, self.full_rounds) = (bandwidth, 0);
            return;
        }
        self.full_rounds += 1;
        self.full = self.full_rounds >= FULL_ROUNDS;
    }

    fn check_drain(&mut self, in_flight: f64, now: Time) {
        if self.mode == Mode::Startup && self.full {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && self.inflight(1.0).is_some_and(|bdp| in_flight <= bdp) {
            self.enter_probe_bw(now);
        }
    }

    /// Anywhere in the cycle but where the queue is drained that no probe has built.
    fn enter_probe_bw(&mut self, now: Time) {
        self.mode = Mode::ProbeBw;
        let drawn = self.stream.below(CYCLE.len() as u32 - 1) as usize;
        self.phase = if drawn == 0 { 0 } else { drawn + 1 };
        self.phase_since = now;
    }

    fn update_min_rtt(&mut self, w: &mut Window, ack: &Feedback, new_round: bool, in_flight: f64) {
        let expired = self.min_rtt.is_some() && ack.now.saturating_since(self.min_rtt_at) > RTT_LIFETIME;
        if let Some(rtt) = ack.rtt {
            if expired || self.min_rtt.is_none_or(|least| rtt <= least) {
                (self.min_rtt, self.min_rtt_at) = (Some(rtt), ack.now);
            }
        }
        if expired && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.prior_cwnd = w.cwnd;
            self.probe_end = None;
        }
        if self.mode != Mode::ProbeRtt {
            return;
        }
        match self.probe_end {
            None if in_flight <= MIN_WINDOW => {
                self.probe_end = Some(ack.now + PROBE_RTT_TIME);
                self.probe_round = false;
                self.round_end = ack.delivered;
            }
            None => {}
            Some(end) => {
                self.probe_round |= new_round;
                if self.probe_round && ack.now >= end {
                    self.min_rtt_at = ack.now;
                    w.cwnd = w.cwnd.max(self.prior_cwnd);
                    self.probe_end = None;
                    if self.full { self.enter_probe_bw(ack.now) } else { self.mode = Mode::Startup }
                }
            }
        }
    }

    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = MARGIN * gain * self.bandwidth();
        if self.full || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    fn set_cwnd(&mut self, w: &mut Window, ack: &Feedback, cwnd_gain: f64, in_flight: f64) {
        let delivered = ack.newly_delivered as f64 / self.mss;
        match self.recovery_round {
            // Packet conservation in the first round of a recovery.
            Some(round) if ack.recovering && self.rounds <= round => {
                w.cwnd = w.cwnd.max(in_flight + delivered);
            }
            Some(_) if !ack.recovering => {
                self.recovery_round = None;
                w.cwnd = w.cwnd.max(self.prior_cwnd);
            }
            _ => {
                if let Some(bdp) = self.inflight(cwnd_gain) {
                    let target = bdp + self.quanta();
                    if self.full {
                        w.cwnd = (w.cwnd + delivered).min(target);
                    } else if w.cwnd < target || (ack.delivered as f64) < self.initial_cwnd * self.mss {
                        w.cwnd += delivered;
                    }
                } else {
                    w.cwnd += delivered;
                }
            }
        }
        w.cwnd = w.cwnd.max(MIN_WINDOW);
        if self.mode == Mode::ProbeRtt {
            w.cwnd = w.cwnd.min(MIN_WINDOW);
        }
    }
}

impl Controller for Bbr {
    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_established(&mut self, w: &mut Window, _now: Time) {
        self.initial_cwnd = w.cwnd;
    }

    fn on_feedback(&mut self, w: &mut Window, ack: &Feedback) {
        if self.pacing_rate == 0.0 {
            if let Some(rtt) = ack.rtt {
                // Before there is a bandwidth: the initial window per round trip.
                self.pacing_rate = HIGH_GAIN * self.initial_cwnd * self.mss / rtt.as_secs().max(1e-6);
            }
        }
        let in_flight = ack.in_flight as f64 / self.mss;
        let new_round = self.update_bandwidth(ack);
        self.advance_cycle(in_flight, ack.recovering, ack.now);
        if new_round {
            self.check_full(ack.rate.is_some_and(|r| r.app_limited));
        }
        self.check_drain(in_flight, ack.now);
        self.update_min_rtt(w, ack, new_round, in_flight);
        let (pacing_gain, cwnd_gain) = self.gains();
        self.set_pacing_rate(pacing_gain);
        self.set_cwnd(w, ack, cwnd_gain, in_flight);
    }

    fn on_ack(&mut self, _w: &mut Window, _ack: &Acked) {}

    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        if loss.marked {
            return false; // version 1 does not know marks
        }
        if self.recovery_round.is_none() {
            self.prior_cwnd = w.cwnd;
        }
        self.recovery_round = Some(self.rounds);
        w.cwnd = loss.flight.max(MIN_WINDOW).min(w.cwnd);
        false
    }

    fn on_timeout(&mut self, w: &mut Window, _loss: &Loss) {
        if self.recovery_round.is_none() {
            self.prior_cwnd = w.cwnd;
        }
        // The window comes back with what arrives; there is nothing to conserve.
        self.recovery_round = None;
        w.cwnd = 1.0;
    }

    /// The model has gone on; the window is that of before, and whether the pipe is full has to show anew (Linux does
    /// so too).
    fn on_undo(&mut self, w: &mut Window, to: &Window, _before: &Self) {
        self.recovery_round = None;
        (self.full_bandwidth, self.full_rounds) = (0.0, 0);
        if self.mode != Mode::ProbeRtt {
            w.cwnd = w.cwnd.max(to.cwnd);
        }
    }

    fn restarts_after_idle(&self) -> bool {
        false // the pace is that of the model, whatever the window allows
    }

    fn paces(&self) -> bool {
        true
    }

    fn spacing(&self, bytes: u64) -> Option<Span> {
        (self.pacing_rate > 0.0).then(|| Span::from_secs_f64(bytes as f64 / self.pacing_rate))
    }
}
