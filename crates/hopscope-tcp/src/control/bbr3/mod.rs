//! BBR version 3 (draft-ietf-ccwg-bbr): a model of the path sets pace and window as in version 1, and losses and marks
//! bound the model.
//!
//! ```text
//! STARTUP -> DRAIN -> DOWN -> CRUISE -> REFILL -> UP -> DOWN ...     from anywhere: PROBE_RTT and back
//! ```
//! Two models: the long-term one keeps the largest bandwidth of two probing cycles and the volume in flight that the
//! path has taken without losing more than 2 %; the short-term one is pulled down by the losses of the present cycle
//! and forgotten before the next probe.
//!
//! Segments leave one at a time, so there is no budget for the offloading of bursts.

//! The parts are those of the draft:
//!
//! | file | part |
//! |---|---|
//! | `rounds.rs` | round trips counted by packets |
//! | `model.rs` | bandwidth, round-trip time, and the volumes that follow |
//! | `extra_acked.rs` | aggregation of ACKs |
//! | `congestion.rs` | what a round trip with losses shows |
//! | `bounds.rs` | what losses leave of the model, for long and for the cycle |
//! | `startup.rs` | the search for the full pipe, STARTUP and DRAIN |
//! | `cycle.rs` | the probing cycle for bandwidth |
//! | `probe_rtt.rs` | PROBE_RTT |
//! | `repair.rs` | the window during repairs and after them |
//! | `control.rs` | pace and window |

mod bounds;
mod congestion;
mod control;
mod cycle;
mod extra_acked;
mod model;
mod probe_rtt;
mod repair;
mod rounds;
mod startup;
#[cfg(test)]
mod tests;

use super::{Acked, Controller, Feedback, Loss, LostSegment, Window};
use bounds::{Bounds, LOSS_THRESHOLD};
use congestion::Congestion;
use control::{MARGIN, STARTUP_GAIN};
use cycle::Cycle;
use extra_acked::ExtraAcked;
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};
use model::{MaxBw, MinRtt};
use probe_rtt::ProbeRtt;
use repair::{Repair, SavedCwnd};
use rounds::Rounds;
use startup::FullPipe;

/// Window over the bandwidth-delay product in PROBE_RTT.
const CWND_GAIN_PROBE_RTT: f64 = 0.5;
/// Smallest window, in segments (MinPipeCwnd).
const MIN_WINDOW: f64 = 4.0;
/// Share kept in a round trip with losses (Beta).
const BETA: f64 = 0.7;

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

/// Whether the flow is idle (draft-ietf-ccwg-bbr 5.4).
#[derive(Debug, Clone)]
struct Idle {
    /// Nothing is in flight since then.
    since: Option<Time>,
    /// It has come back from that, and nothing of it is acknowledged yet.
    restarts: bool,
}

/// State of BBR. Bandwidths are bytes per second, volumes segments.
#[derive(Debug, Clone)]
pub(in super::super) struct Bbr3 {
    mss: f64,
    state: State,
    initial_cwnd: f64,
    rounds: Rounds,
    max_bw: MaxBw,
    min_rtt: MinRtt,
    /// Smallest round-trip time of the connection: no interval can be shorter.
    least_rtt: Option<Span>,
    extra_acked: ExtraAcked,
    congestion: Congestion,
    bounds: Bounds,
    full: FullPipe,
    drain_round: u64,
    cycle: Cycle,
    probe_rtt: ProbeRtt,
    idle: Idle,
    saved: SavedCwnd,
    /// The smaller of the two models' bandwidths, and the pace that follows.
    bw: f64,
    pacing_rate: f64,
}

impl Bbr3 {
    pub(in super::super) fn new(mss: u64) -> Self {
        let mss = mss as f64;
        Bbr3 {
            mss,
            state: State::Startup,
            initial_cwnd: 0.0,
            rounds: Rounds::new(),
            max_bw: MaxBw::new(),
            min_rtt: MinRtt::new(),
            least_rtt: None,
            extra_acked: ExtraAcked::new(mss),
            congestion: Congestion::new(),
            bounds: Bounds::new(),
            full: FullPipe::new(),
            drain_round: 0,
            cycle: Cycle::new(),
            probe_rtt: ProbeRtt::new(),
            idle: Idle { since: None, restarts: false },
            saved: SavedCwnd::new(),
            bw: 0.0,
            pacing_rate: 0.0,
        }
    }

    /// The stream that the times of probes are drawn from.
    pub(in super::super) fn set_stream(&mut self, stream: Stream) {
        self.cycle.stream = stream;
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
            app_limited: ack.rate.is_some_and(|r| r.app_limited || r.prior_delivered < self.probe_rtt.limited_until),
            sent_in_flight: ack.rate.map_or(0.0, |rate| segments(rate.in_flight)),
            lost: ack.rate.map_or(0.0, |rate| segments(rate.lost)),
            newly,
            in_flight,
            // One segment more would not have fitted before the ACK made room.
            cwnd_limited: in_flight + newly + 1.0 > w.cwnd,
        }
    }

    /// UpdateMaxBw: rounds, and the largest rate of the cycle.
    fn update_rounds_and_rate(&mut self, rs: &Sample) {
        if self.rounds.update(rs.prior) {
            self.cycle.rounds += 1;
            self.extra_acked.begin_round(self.rounds.count);
        }
        self.max_bw.update(rs);
    }

    /// The first loss of a round trip starts the round that answers it.
    fn note_loss(&mut self, w: &Window) {
        if self.congestion.note(self.rounds.delivered) {
            self.saved.save(w.cwnd, self.state);
        }
    }

    /// AdaptLowerBoundsFromCongestion: once per round trip with losses the short-term model gives way, but not while
    /// probing.
    fn answer_losses(&mut self, w: &Window) {
        if !self.congestion.ends {
            return;
        }
        if self.congestion.seen && !self.state.accelerates() {
            self.bounds.give_way(self.max_bw.get(), w.cwnd, &self.congestion);
        }
        self.congestion.seen = false;
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
        // Idleness has drained what the flow had queued. What leaves at the instant of the last ACK was not idle.
        if self.idle.since.take().is_some_and(|since| now > since) {
            self.idle.restarts = true;
            self.extra_acked.restart(now);
            if self.state.probes_bandwidth() && self.bw > 0.0 {
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
        self.rounds.delivered = ack.delivered;
        self.saved.on_ack(w, ack);
        // The order is the draft's: the model, then the states that look at it, then pace and window.
        let rs = self.sample(w, ack);
        self.congestion.update(&rs, self.rounds.delivered);
        self.update_rounds_and_rate(&rs);
        self.answer_losses(w);
        self.extra_acked.update(&rs, self.rounds.count, self.bw, w.cwnd);
        self.full.check(&rs, self.rounds.starts);
        self.check_startup(&rs);
        self.check_drain(&rs);
        self.advance_cycle(w, &rs);
        self.min_rtt.update(&rs);
        self.check_probe_rtt(w, &rs);
        self.congestion.advance(&rs);
        self.bw = self.max_bw.get().min(self.bounds.bw_short);
        self.set_pacing_rate();
        self.set_cwnd(w, &rs);
        self.idle.since = (ack.in_flight == 0).then_some(ack.now);
    }

    fn on_ack(&mut self, _w: &mut Window, _ack: &Acked) {}

    fn on_lost(&mut self, w: &mut Window, lost: &LostSegment, now: Time) {
        self.note_loss(w);
        self.congestion.count_range(lost.start, lost.end);
        if !self.cycle.samples {
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
            self.saved.save(w.cwnd, self.state);
            self.saved.repair = Repair::Fast;
        } else if self.cycle.samples {
            // A mark has no segment of its own: the volume at hand stands for the one that was too much.
            self.flew_too_high(w, loss.flight, false, loss.now);
        }
        // Outside of probes the model gives way at the end of the round.
        !self.state.accelerates()
    }

    fn on_timeout(&mut self, w: &mut Window, _loss: &Loss) {
        self.note_loss(w);
        self.saved.save(w.cwnd, self.state);
        self.saved.repair = Repair::TimedOut(None);
        // Until the first ACK, which makes it the smallest window of the model.
        w.cwnd = 1.0;
    }

    /// HandleSpuriousLossDetection: the bounds that the losses have set go, and a search for bandwidth that they ended
    /// goes on.
    fn on_undo(&mut self, w: &mut Window, to: &Window, before: &Self) {
        self.congestion.seen = false;
        self.saved.repair = Repair::None;
        self.full.reset(0.0);
        self.bounds.undo(&before.bounds);
        if self.state == State::ProbeRtt {
            return;
        }
        w.cwnd = w.cwnd.max(to.cwnd);
        match before.state {
            State::Startup if self.state != State::Startup => {
                (self.state, self.full.reached) = (State::Startup, false);
            }
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
