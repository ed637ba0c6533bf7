//! BBR version 3 (draft-ietf-ccwg-bbr): a model of the path sets pace and window as in version 1, and losses and marks
//! bound the model.
//!
//! ```text
//! STARTUP -> DRAIN -> DOWN -> CRUISE -> REFILL -> UP -> DOWN ...     from anywhere: PROBE_RTT and back
//! ```
//! Two models: the long-term one keeps the largest bandwidth of two probing cycles and the volume in flight that the path
//! has taken without losing more than 2 %; the short-term one is pulled down by the losses of the present cycle and
//! forgotten before the next probe.
//!
//! Segments leave one at a time, so there is no budget for the offloading of bursts.

mod cycle;
mod model;
#[cfg(test)]
mod tests;

use super::{Acked, Controller, Feedback, Loss, LostSegment, Window};
use cycle::AckPhase;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};

/// Window over the bandwidth-delay product, and in UP and PROBE_RTT.
const CWND_GAIN: f64 = 2.0;
const CWND_GAIN_UP: f64 = 2.25;
const CWND_GAIN_PROBE_RTT: f64 = 0.5;
/// Pace over the bandwidth in STARTUP: the smallest that doubles it in each round trip.
const STARTUP_GAIN: f64 = 2.77;
const DRAIN_GAIN: f64 = 0.5;
const DOWN_GAIN: f64 = 0.9;
const UP_GAIN: f64 = 1.25;
/// Share of the bandwidth that is used, so that queues drain (PacingMarginPercent).
const MARGIN: f64 = 0.99;
/// Smallest window, in segments (MinPipeCwnd).
const MIN_WINDOW: f64 = 4.0;
/// Loss rate over a round trip that says that too much is in flight (LossThresh).
const LOSS_THRESHOLD: f64 = 0.02;
/// Share kept in a round trip with losses (Beta).
const BETA: f64 = 0.7;
/// Share of the volume known to be safe that is left to others (Headroom).
const HEADROOM: f64 = 0.15;
/// Growth in a round that says the pipe is not full yet, and the rounds without it that say it is.
const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
/// Ranges lost in a round trip that end STARTUP (StartupFullLossCnt).
const STARTUP_LOSSES: u32 = 6;
/// Rounds over which the aggregation of ACKs is the maximum (ExtraAckedFilterLen).
const EXTRA_ROUNDS: usize = 10;
/// How long the smallest round-trip time holds (MinRTTFilterLen).
const MIN_RTT_LIFETIME: Span = Span::from_secs(10);
/// Time between two PROBE_RTT, and how long one lasts.
const PROBE_RTT_INTERVAL: Span = Span::from_secs(5);
const PROBE_RTT_TIME: Span = Span::from_millis(200);
/// Rounds that DRAIN lasts at most.
const DRAIN_ROUNDS: u64 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

/// A repair under way, after which the window returns to what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repair {
    None,
    /// Fast recovery.
    Fast,
    /// Behind a timeout, until this number is acknowledged; none: not known yet.
    TimedOut(Option<u64>),
}

/// What an ACK says, in the units of the model.
#[derive(Debug, Clone, Copy)]
struct Sample {
    now: Time,
    rtt: Option<Span>,
    /// Delivery rate; zero: none that can be relied on.
    rate: f64,
    /// Segments delivered in the interval of the rate.
    delivered: f64,
    /// Bytes delivered in all when the newest segment left; none: the ACK names no segment.
    prior: Option<u64>,
    app_limited: bool,
    /// Segments in flight once that segment had left, and segments lost since.
    sent_in_flight: f64,
    lost: f64,
    /// Segments this ACK is the first to name, and those it leaves in flight.
    newly: f64,
    in_flight: f64,
    /// It was the window that held data back.
    cwnd_limited: bool,
}

/// State of BBR. Bandwidths are bytes per second, volumes segments.
#[derive(Debug, Clone)]
pub(in super::super) struct Bbr3 {
    mss: f64,
    state: State,
    /// Bytes known to have arrived.
    delivered: u64,

    // Rounds.
    /// The round ends when a segment sent after this many delivered bytes is acknowledged.
    round_end: u64,
    round_start: bool,
    rounds: u64,
    /// The same for rounds with losses, which begin with the first one.
    loss_round_end: u64,
    loss_round_start: bool,
    loss_in_round: bool,
    /// Ranges lost in the round, and where the last one ended.
    lost_ranges: u32,
    lost_end: u64,

    // Long-term model.
    /// Largest rate of the last probing cycle and of this one.
    rates: [f64; 2],
    inflight_long: f64,
    min_rtt: Option<Span>,
    min_rtt_at: Time,
    /// Smallest round-trip time of the connection: no interval can be shorter.
    least_rtt: Option<Span>,

    // Short-term model.
    bw_short: f64,
    inflight_short: f64,
    bw_latest: f64,
    inflight_latest: f64,

    // Aggregation of ACKs.
    extra_acked: [f64; EXTRA_ROUNDS],
    extra_since: Time,
    extra_delivered: f64,

    // The full pipe.
    full_bw: f64,
    full_rounds: u32,
    full_now: bool,
    /// The pipe has been full once.
    full: bool,
    drain_round: u64,

    // Probing for bandwidth.
    phase: AckPhase,
    /// ACKs report segments sent while probing.
    probe_sample: bool,
    up_acked: f64,
    /// Segments that must be acknowledged for each one that `inflight_long` grows by.
    up_per_segment: f64,
    up_rounds: u32,
    rounds_since_up: u64,
    probe_wait: Span,
    cycle_since: Time,
    /// The last probe went too high; the present one stopped for caution.
    too_high: bool,
    cautious: bool,

    // Probing for the round-trip time.
    probe_rtt_least: Option<Span>,
    probe_rtt_at: Time,
    probe_rtt_due: bool,
    /// End of PROBE_RTT at the earliest, once the window has drained, and whether a round has passed since.
    probe_end: Option<Time>,
    probe_round: bool,
    /// Samples of segments sent before this many bytes were delivered are limited by PROBE_RTT itself.
    limited_until: u64,
    /// Nothing is in flight since then; the flow has come back from that.
    drained: Option<Time>,
    idle_restart: bool,

    // Control.
    /// The smaller of the two models' bandwidths.
    bw: f64,
    pacing_rate: f64,
    initial_cwnd: f64,
    prior_cwnd: f64,
    repair: Repair,
    /// When a probe is due is drawn, so that flows do not probe in step.
    stream: Stream,
}

impl Bbr3 {
    pub(in super::super) fn new(mss: u64) -> Self {
        Bbr3 {
            mss: mss as f64,
            state: State::Startup,
            delivered: 0,
            round_end: 0,
            round_start: false,
            rounds: 0,
            loss_round_end: 0,
            loss_round_start: false,
            loss_in_round: false,
            lost_ranges: 0,
            lost_end: 0,
            rates: [0.0; 2],
            inflight_long: f64::INFINITY,
            min_rtt: None,
            min_rtt_at: Time::ZERO,
            least_rtt: None,
            bw_short: f64::INFINITY,
            inflight_short: f64::INFINITY,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            extra_acked: [0.0; EXTRA_ROUNDS],
            extra_since: Time::ZERO,
            extra_delivered: 0.0,
            full_bw: 0.0,
            full_rounds: 0,
            full_now: false,
            full: false,
            drain_round: 0,
            phase: AckPhase::Init,
            probe_sample: false,
            up_acked: 0.0,
            up_per_segment: f64::INFINITY,
            up_rounds: 0,
            rounds_since_up: 0,
            probe_wait: Span::ZERO,
            cycle_since: Time::ZERO,
            too_high: false,
            cautious: false,
            probe_rtt_least: None,
            probe_rtt_at: Time::ZERO,
            probe_rtt_due: false,
            probe_end: None,
            probe_round: false,
            limited_until: 0,
            drained: None,
            idle_restart: false,
            bw: 0.0,
            pacing_rate: 0.0,
            initial_cwnd: 0.0,
            prior_cwnd: 0.0,
            repair: Repair::None,
            stream: Stream::derive(0, 0, 0, Purpose::Clock),
        }
    }

    /// The stream that the times of probes are drawn from.
    pub(in super::super) fn set_stream(&mut self, stream: Stream) {
        self.stream = stream;
    }

    /// What an ACK says. A rate over less than the smallest round-trip time is not believed.
    fn sample(&mut self, w: &Window, ack: &Feedback) -> Sample {
        if let Some(rtt) = ack.rtt {
            self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        let segments = |bytes: u64| bytes as f64 / self.mss;
        let believed = ack.rate.filter(|rate| self.least_rtt.is_none_or(|least| rate.interval >= least));
        let (in_flight, newly) = (segments(ack.in_flight), segments(ack.newly_delivered));
        Sample {
            now: ack.now,
            rtt: ack.rtt,
            rate: believed.map_or(0.0, |rate| rate.bytes as f64 / rate.interval.as_secs()),
            delivered: ack.rate.map_or(0.0, |rate| segments(rate.bytes)),
            prior: ack.rate.map(|rate| rate.prior_delivered),
            app_limited: ack.rate.is_some_and(|r| r.app_limited || r.prior_delivered < self.limited_until),
            sent_in_flight: ack.rate.map_or(0.0, |rate| segments(rate.in_flight)),
            lost: ack.rate.map_or(0.0, |rate| segments(rate.lost)),
            newly,
            in_flight,
            cwnd_limited: in_flight + newly + 1.0 > w.cwnd,
        }
    }

    // Control (section 5.6).

    fn set_pacing_rate(&mut self) {
        let gain = match self.state {
            State::Startup => STARTUP_GAIN,
            State::Drain => DRAIN_GAIN,
            State::Down => DOWN_GAIN,
            State::Up => UP_GAIN,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
        };
        let rate = MARGIN * gain * self.bw;
        if rate > 0.0 && (self.full || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    fn set_cwnd(&mut self, w: &mut Window, rs: &Sample) {
        let gain = match self.state {
            State::Up => CWND_GAIN_UP,
            State::ProbeRtt => CWND_GAIN_PROBE_RTT,
            _ => CWND_GAIN,
        };
        let most = self.at_least_the_minimum(self.bdp_times(self.bw, gain) + self.extra_acked());
        if self.full {
            w.cwnd = (w.cwnd + rs.newly).min(most);
        } else if w.cwnd < most || (self.delivered as f64) < self.initial_cwnd * self.mss {
            w.cwnd += rs.newly;
        }
        w.cwnd = w.cwnd.max(MIN_WINDOW);
        if self.state == State::ProbeRtt {
            w.cwnd = w.cwnd.min(self.probe_rtt_window());
        }
        let bound = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_long,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        w.cwnd = w.cwnd.min(bound.min(self.inflight_short).max(MIN_WINDOW));
    }

    // Losses and repairs.

    /// Remembers the window before a repair or PROBE_RTT changes it.
    fn save_cwnd(&mut self, w: &Window) {
        let known_good = self.repair == Repair::None && self.state != State::ProbeRtt;
        self.prior_cwnd = if known_good { w.cwnd } else { self.prior_cwnd.max(w.cwnd) };
    }

    /// The first loss of a round trip starts the round that answers it.
    fn note_loss(&mut self, w: &Window) {
        if !self.loss_in_round {
            self.loss_round_end = self.delivered;
            self.save_cwnd(w);
        }
        self.loss_in_round = true;
    }

    /// After a repair the window is what it was before, as far as the model allows.
    fn end_repair(&mut self, w: &mut Window, ack: &Feedback) {
        let over = match self.repair {
            Repair::None => false,
            Repair::Fast => !ack.recovering,
            Repair::TimedOut(None) => {
                self.repair = Repair::TimedOut(Some(ack.nxt));
                false
            }
            Repair::TimedOut(Some(end)) => ack.una >= end,
        };
        if over {
            self.repair = Repair::None;
            w.cwnd = w.cwnd.max(self.prior_cwnd);
        }
    }
}

impl Controller for Bbr3 {
    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_established(&mut self, w: &mut Window, _now: Time) {
        self.initial_cwnd = w.cwnd;
    }

    fn on_sent(&mut self, _seq: u64, now: Time) {
        // Idleness has drained what the flow had queued.
        if self.drained.take().is_some_and(|since| now > since) {
            self.idle_restart = true;
            self.extra_since = now;
            if self.probes_bandwidth() && self.bw > 0.0 {
                self.pacing_rate = MARGIN * self.bw;
            }
        }
    }

    fn on_feedback(&mut self, w: &mut Window, ack: &Feedback) {
        if self.pacing_rate == 0.0 {
            if let Some(rtt) = ack.rtt {
                // Before there is a bandwidth: the initial window per round trip.
                self.pacing_rate = STARTUP_GAIN * self.initial_cwnd * self.mss / rtt.as_secs().max(1e-6);
            }
        }
        self.delivered = ack.delivered;
        self.end_repair(w, ack);
        let rs = self.sample(w, ack);
        self.take_latest(&rs);
        self.take_bandwidth(&rs);
        self.answer_losses(w);
        self.take_aggregation(w, &rs);
        self.check_full(&rs);
        self.check_startup(&rs);
        self.check_drain(&rs);
        self.advance_cycle(w, &rs);
        self.take_rtt(&rs);
        self.check_probe_rtt(w, &rs);
        if self.loss_round_start {
            (self.bw_latest, self.inflight_latest) = (rs.rate, rs.delivered);
        }
        self.bw = self.max_bw().min(self.bw_short);
        self.set_pacing_rate();
        self.set_cwnd(w, &rs);
        self.drained = (ack.in_flight == 0).then_some(ack.now);
    }

    fn on_ack(&mut self, _w: &mut Window, _ack: &Acked) {}

    fn on_lost(&mut self, w: &mut Window, lost: &LostSegment, now: Time) {
        self.note_loss(w);
        self.lost_ranges += u32::from(lost.start != self.lost_end);
        self.lost_end = lost.end;
        if !self.probe_sample {
            return;
        }
        let (in_flight, lost_since) = (lost.in_flight as f64 / self.mss, lost.lost as f64 / self.mss);
        if lost_since > in_flight * LOSS_THRESHOLD {
            // The volume at which the losses passed the threshold, inside this segment.
            let (before, lost_before) = (in_flight - 1.0, lost_since - 1.0);
            let prefix = (LOSS_THRESHOLD * before - lost_before) / (1.0 - LOSS_THRESHOLD);
            self.flew_too_high(w, before + prefix, lost.app_limited, now);
        }
    }

    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        self.note_loss(w);
        if !loss.marked {
            self.save_cwnd(w);
            self.repair = Repair::Fast;
        } else if self.probe_sample {
            self.flew_too_high(w, loss.flight, false, loss.now);
        }
        // Outside of probes the model gives way at the end of the round.
        !self.accelerates()
    }

    fn on_timeout(&mut self, w: &mut Window, _loss: &Loss) {
        self.note_loss(w);
        self.save_cwnd(w);
        self.repair = Repair::TimedOut(None);
        w.cwnd = 1.0;
    }

    /// HandleSpuriousLossDetection: the bounds that the losses have set go, and a search for bandwidth that they ended goes on.
    fn on_undo(&mut self, w: &mut Window, to: &Window, before: &Self) {
        self.loss_in_round = false;
        self.repair = Repair::None;
        self.reset_full(0.0);
        self.bw_short = self.bw_short.max(before.bw_short);
        self.inflight_short = self.inflight_short.max(before.inflight_short);
        self.inflight_long = self.inflight_long.max(before.inflight_long);
        if self.state == State::ProbeRtt {
            return;
        }
        w.cwnd = w.cwnd.max(to.cwnd);
        match before.state {
            State::Startup if self.state != State::Startup => (self.state, self.full) = (State::Startup, false),
            State::Up if self.state != State::Up => self.start_up(w, self.bw),
            _ => {}
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
