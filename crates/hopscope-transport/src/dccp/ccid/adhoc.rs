//! The delay-based control of zhang2006 for ad hoc access networks (chapters 4 and 6), as a CCID of its own.
//!
//! It keeps a few packets queued: with x = cwnd * (average - base) / average packets estimated in queues, the window
//! grows by D = min(cwnd, 1 + int(1 - x)) in a round trip. After a timeout it sends probes, one each timeout, without
//! back-off, and the answer to a probe begins anew with the round trip that it measures. The thesis leaves much of this
//! open; each reading is a parameter (`adhoc_...`), the defaults being those of the two-state version that was
//! simulated.

use super::Report;
use crate::config::DccpConfig;
use crate::config::dccp::{
    AdhocCount, AdhocDelay, AdhocErrors, AdhocInt, AdhocLeave, AdhocReset, AdhocResume, AdhocStates, AdhocUpdate,
};
use hopscope_core::units::Span;
use hopscope_packet::dccp::Seq;

/// The window stays below this: a scaling after a failure has no bound of its own.
const MOST: f64 = 10_000.0;
/// Least part of the rate that is left in the state Error (zhang2006 4.3: from 1/2 to 1).
const LEAST_PART: f64 = 0.5;
/// Weight of the newest packet in the average error rate; a default.
const ERROR_WEIGHT: f64 = 1.0 / 32.0;

/// What an acknowledgement means to the control (zhang2006 4.3); Failure lasts from a timeout, or from news of
/// a failed route, to the answer of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    /// Nothing was lost, or a mark alone.
    Normal,
    /// A packet was lost.
    Congestion,
    /// Data was corrupt.
    Error,
}

/// State of the control.
#[derive(Debug)]
pub(in crate::dccp) struct Adhoc {
    update: AdhocUpdate,
    count: AdhocCount,
    int_mode: AdhocInt,
    delay: AdhocDelay,
    leave: AdhocLeave,
    reset: AdhocReset,
    resume: AdhocResume,
    states: AdhocStates,
    /// What the error rate is, and its average.
    errors: AdhocErrors,
    error_rate: f64,
    halve_on_loss: bool,
    /// A failed route begins the probing.
    elfn: bool,
    /// What a probe's round trip falls short of that of data.
    probe_correction: Span,
    cwnd: f64,
    /// Least round trip since the last failure.
    base: Option<Span>,
    /// Probes are out instead of data.
    is_probing: bool,
    /// The window moves next when this number is acknowledged (`per-rtt`).
    turn: Option<Seq>,
    /// Packets before this one left before the last cut.
    cut_at: Option<Seq>,
}

impl Adhoc {
    pub(super) fn new(cfg: &DccpConfig) -> Self {
        Adhoc {
            update: cfg.adhoc_update,
            count: cfg.adhoc_count,
            int_mode: cfg.adhoc_int_mode,
            delay: cfg.adhoc_delay,
            leave: cfg.adhoc_leave,
            reset: cfg.adhoc_reset,
            resume: cfg.adhoc_resume,
            states: cfg.adhoc_states,
            errors: cfg.adhoc_errors,
            error_rate: 0.0,
            halve_on_loss: cfg.adhoc_halve_on_loss,
            elfn: cfg.adhoc_elfn,
            probe_correction: cfg.adhoc_probe_correction,
            cwnd: f64::from(cfg.initial_window.max(1)),
            base: None,
            is_probing: false,
            turn: None,
            cut_at: None,
        }
    }

    /// An acknowledgement has come; true where the window was cut.
    pub(super) fn on_ack(&mut self, report: &Report) -> bool {
        if self.is_probing {
            if !self.ends_failure(report) {
                return false;
            }
            self.recover(report);
            return false;
        }
        // Also from acknowledgements that report a loss: a short round trip is one, whatever came with it.
        if let Some(sample) = report.sample {
            self.base = Some(self.base.map_or(sample, |base| base.min(sample)));
        }
        let (corrupt, acked) = (f64::from(report.corrupt), f64::from(report.acked));
        self.error_rate += ERROR_WEIGHT * (corrupt - acked * self.error_rate);
        match self.condition(report) {
            Condition::Normal => {
                self.grow(report);
                false
            }
            Condition::Congestion => self.halve(report),
            Condition::Error => {
                // The part of the rate that errors leave is not given; here it is the part that was not corrupt.
                self.grow(report);
                let errors = match self.errors {
                    AdhocErrors::Report => corrupt / acked.max(corrupt),
                    AdhocErrors::Average => self.error_rate,
                };
                self.cwnd = (self.cwnd * (1.0 - errors).max(LEAST_PART)).max(1.0);
                true
            }
        }
    }

    /// Nothing has come back for a timeout: probes ask instead of data. The window is kept for the answer.
    pub(super) fn on_timeout(&mut self) {
        self.is_probing = true;
        self.turn = None;
        self.cut_at = None;
    }

    /// The route has failed; true where probes begin with that. Those under way go on as they are.
    pub(super) fn on_route_failed(&mut self) -> bool {
        let begins = self.elfn && !self.is_probing;
        if begins {
            self.on_timeout();
        }
        begins
    }

    pub(super) fn is_probing(&self) -> bool {
        self.is_probing
    }

    /// Packets that an acknowledgement reports lost stay in flight until a timeout.
    pub(super) fn keeps_lost(&self) -> bool {
        self.leave == AdhocLeave::Rto
    }

    pub(super) fn window(&self) -> f64 {
        self.cwnd
    }

    /// An acknowledgement that ends the probing: the one that answers a probe, or any.
    pub(super) fn ends_failure(&self, report: &Report) -> bool {
        match self.reset {
            AdhocReset::Probe => report.answers_probe,
            AdhocReset::Any => true,
        }
    }

    fn condition(&self, report: &Report) -> Condition {
        match self.states {
            AdhocStates::Two if report.lost > 0 && self.halve_on_loss => Condition::Congestion,
            AdhocStates::Two => Condition::Normal,
            AdhocStates::Four if report.lost > 0 => Condition::Congestion,
            AdhocStates::Four if report.corrupt > 0 && report.marked.is_none() => Condition::Error,
            AdhocStates::Four => Condition::Normal,
        }
    }

    /// Half the window, once for the losses of one window; later losses of it are as no loss.
    fn halve(&mut self, report: &Report) -> bool {
        let is_new = |seq: Seq| self.cut_at.is_none_or(|cut| seq.since(cut) >= 0);
        if !report.newest_lost.is_some_and(is_new) {
            self.grow(report);
            return false;
        }
        self.cwnd = (self.cwnd / 2.0).max(1.0);
        self.cut_at = Some(report.next);
        true
    }

    /// The answer to a probe: the round trip begins anew, and the window follows what has become of it.
    fn recover(&mut self, report: &Report) {
        self.is_probing = false;
        // Without a sample the old round trip stands, and so does the window that fits it.
        let Some(sample) = report.sample else { return };
        let base = if report.answers_probe { sample + self.probe_correction } else { sample };
        if let Some(old) = self.base {
            let ratio = old.0 as f64 / base.0.max(1) as f64;
            let scale = match self.resume {
                AdhocResume::Window => ratio,
                // A rate of cwnd / old, times base / old, for the round trip of base.
                AdhocResume::Rate => 1.0 / (ratio * ratio),
                AdhocResume::Keep => 1.0,
            };
            self.cwnd = (self.cwnd * scale).clamp(1.0, MOST);
        }
        self.base = Some(base);
    }

    fn grow(&mut self, report: &Report) {
        let Some(base) = self.base else { return };
        // The average may lag behind a new least round trip; a queue is never negative.
        let average = report.average.max(base);
        let under = match self.delay {
            AdhocDelay::Average => average,
            AdhocDelay::Sample => report.sample.unwrap_or(average),
        };
        let queued = self.cwnd * average.saturating_sub(base).0 as f64 / under.0.max(1) as f64;
        let step = 1.0
            + match self.int_mode {
                AdhocInt::Trunc => (1.0 - queued).trunc(),
                AdhocInt::Floor => (1.0 - queued).floor(),
                AdhocInt::Real => 1.0 - queued,
            };
        let times = match self.count {
            AdhocCount::Packet => report.acked,
            AdhocCount::Ack => report.acked.min(1),
        };
        // D = min(cwnd, ...): from a window of one it doubles, and does not jump.
        let capped = step.min(self.cwnd);
        let more = match self.update {
            AdhocUpdate::PerAck => capped / self.cwnd * f64::from(times),
            AdhocUpdate::PerAckLiteral => step * f64::from(times),
            AdhocUpdate::PerRtt => {
                if self.turn.is_some_and(|turn| report.ack.since(turn) < 0) {
                    return;
                }
                self.turn = Some(report.next);
                capped
            }
        };
        self.cwnd = (self.cwnd + more).clamp(1.0, MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn control(cfg: DccpConfig, cwnd: f64, base_ms: u64) -> Adhoc {
        Adhoc { cwnd, base: Some(Span::from_millis(base_ms)), ..Adhoc::new(&cfg) }
    }

    /// An acknowledgement of one packet with this average.
    fn acked(average_ms: u64) -> Report {
        let average = Span::from_millis(average_ms);
        Report { acked: 1, average, sample: Some(average), ..Report::default() }
    }

    /// D of one acknowledgement: what it adds, times the window.
    fn step(cfg: &DccpConfig, cwnd: f64, queueing_ms: u64, rtt_ms: u64) -> i64 {
        let mut control = control(cfg.clone(), cwnd, rtt_ms - queueing_ms);
        control.on_ack(&acked(rtt_ms));
        ((control.cwnd - cwnd) * cwnd).round() as i64
    }

    #[test]
    fn worked_steps() {
        // cwnd, queueing delay and round trip in ms, D: algorithms of zhang2006 in the recommended reading.
        let cases = [
            (4.0, 0, 100, 2),
            (4.0, 10, 110, 1),
            (4.0, 90, 200, 1),
            (4.0, 110, 200, 0),
            (8.0, 61, 160, -1),
            (20.0, 50, 150, -4),
        ];
        for (cwnd, queueing, rtt, expected) in cases {
            assert_eq!(step(&DccpConfig::default(), cwnd, queueing, rtt), expected, "{cwnd} {queueing} {rtt}");
        }
    }

    #[test]
    fn both_printed_properties_hold() {
        assert_eq!(step(&DccpConfig::default(), 1.0, 0, 100), 1, "one packet a round trip at one");
        assert_eq!(step(&DccpConfig::default(), 9.0, 0, 100), 2, "two above one");
    }

    #[test]
    fn the_integer_can_be_cut_or_floored_or_left() {
        let steps = |int| {
            let cfg = DccpConfig { adhoc_int_mode: int, ..DccpConfig::default() };
            [5, 30, 60].map(|queueing| step(&cfg, 10.0, queueing, 100))
        };
        // x = 0.5, 3, 6.
        assert_eq!(steps(AdhocInt::Trunc), [1, -1, -4]);
        assert_eq!(steps(AdhocInt::Floor), [1, -1, -4]);
        let at =
            |int, queueing| step(&DccpConfig { adhoc_int_mode: int, ..DccpConfig::default() }, 10.0, queueing, 100);
        assert_eq!([AdhocInt::Trunc, AdhocInt::Floor].map(|int| at(int, 15)), [1, 0], "x = 1.5");
        assert_eq!([12, 18].map(|queueing| at(AdhocInt::Real, queueing)), [1, 0], "0.8 and 0.2, rounded");
    }

    #[test]
    fn updates_by_acknowledgement_by_round_trip_and_to_the_letter() {
        let after = |update, acks: u64| {
            let mut control = control(DccpConfig { adhoc_update: update, ..DccpConfig::default() }, 4.0, 100);
            for n in 0..acks {
                control.on_ack(&Report { ack: Seq::new(n), next: Seq::new(n + 4), ..acked(100) });
            }
            control.cwnd
        };
        assert!((after(AdhocUpdate::PerAck, 4) - 5.75).abs() < 0.1, "about two for a window");
        assert_eq!(after(AdhocUpdate::PerAckLiteral, 4), 12.0, "two for each");
        assert_eq!([1, 4, 5].map(|acks| after(AdhocUpdate::PerRtt, acks)), [6.0, 6.0, 8.0]);
        let mut by_ack = control(DccpConfig { adhoc_count: AdhocCount::Ack, ..DccpConfig::default() }, 4.0, 100);
        by_ack.on_ack(&Report { acked: 3, ..acked(100) });
        assert_eq!(by_ack.cwnd, 4.5, "an acknowledgement of three counts once");
    }

    #[test]
    fn losses_matter_where_they_are_to() {
        let lost = Report { lost: 1, newest_lost: Some(Seq::new(7)), next: Seq::new(9), ..acked(100) };
        let mut two = control(DccpConfig::default(), 8.0, 100);
        assert!(!two.on_ack(&lost) && two.cwnd > 8.0, "as if nothing were lost");
        for cfg in [
            DccpConfig { adhoc_halve_on_loss: true, ..DccpConfig::default() },
            DccpConfig { adhoc_states: AdhocStates::Four, ..DccpConfig::default() },
        ] {
            let mut halving = control(cfg, 8.0, 100);
            assert!(halving.on_ack(&lost));
            assert_eq!(halving.cwnd, 4.0);
            assert!(!halving.on_ack(&Report { newest_lost: Some(Seq::new(8)), ..lost }), "it left before the cut");
        }
    }

    #[test]
    fn errors_leave_a_part_of_the_rate_and_marks_none() {
        let four = || control(DccpConfig { adhoc_states: AdhocStates::Four, ..DccpConfig::default() }, 8.0, 100);
        let corrupt = Report { acked: 4, corrupt: 1, ..acked(100) };
        let mut control = four();
        assert!(control.on_ack(&corrupt));
        assert!((control.cwnd - 9.0 * 0.75).abs() < 1e-9, "{}", control.cwnd);
        let mut control = four();
        control.on_ack(&Report { acked: 1, corrupt: 4, ..acked(100) });
        assert!((control.cwnd - 8.25 * 0.5).abs() < 1e-9, "no less than half");
        // One error in four packets each: the average is 1/4, after the first one 1/32 of it and more each time.
        let averaged =
            DccpConfig { adhoc_states: AdhocStates::Four, adhoc_errors: AdhocErrors::Average, ..DccpConfig::default() };
        let mut control = self::control(averaged, 8.0, 100);
        assert!(control.on_ack(&corrupt));
        assert!((control.cwnd - 9.0 * (1.0 - 1.0 / 32.0)).abs() < 1e-9, "{}", control.cwnd);
        (0..300).for_each(|_| _ = control.on_ack(&corrupt));
        assert!((control.error_rate - 0.25).abs() < 1e-6, "{}", control.error_rate);
        (0..300).for_each(|_| _ = control.on_ack(&acked(100)));
        assert!(control.error_rate < 1e-3, "errors that are over are forgotten");
        let mut control = four();
        assert!(!control.on_ack(&Report { marked: Some(Seq::new(3)), ..acked(100) }) && control.cwnd > 8.0);
    }

    #[test]
    fn the_answer_to_a_probe_begins_anew() {
        let resumed = |resume| {
            let mut control = control(DccpConfig { adhoc_resume: resume, ..DccpConfig::default() }, 8.0, 100);
            control.on_timeout();
            assert!(!control.on_ack(&acked(300)) && control.is_probing(), "of a packet that left before");
            control.on_ack(&Report { answers_probe: true, ..acked(200) });
            assert!(!control.is_probing());
            (control.cwnd, control.base)
        };
        let base = Some(Span::from_millis(200));
        assert_eq!(resumed(AdhocResume::Window), (4.0, base));
        assert_eq!(resumed(AdhocResume::Rate), (32.0, base));
        assert_eq!(resumed(AdhocResume::Keep), (8.0, base));
        let cfg =
            DccpConfig { adhoc_reset: AdhocReset::Any, adhoc_probe_correction: Span(MS), ..DccpConfig::default() };
        let mut any = control(cfg.clone(), 8.0, 100);
        any.on_timeout();
        any.on_ack(&acked(400));
        assert_eq!((any.is_probing(), any.cwnd), (false, 2.0));
        let mut corrected = control(cfg, 8.0, 100);
        corrected.on_timeout();
        corrected.on_ack(&Report { answers_probe: true, ..acked(99) });
        assert_eq!((corrected.base, corrected.cwnd), (Some(Span::from_millis(100)), 8.0));
    }

    #[test]
    fn the_window_settles_with_two_to_three_packets_queued() {
        // One queue that serves a packet in 10 ms behind 100 ms of delay: cwnd = 10 fills the way.
        let mut control = control(DccpConfig::default(), 1.0, 100);
        for _ in 0..3_000 {
            let queued = (control.cwnd - 10.0).max(0.0);
            control.on_ack(&acked(100 + (queued * 10.0) as u64));
        }
        let x = control.cwnd - 10.0;
        assert!((1.9..=3.1).contains(&x), "{x} packets");
    }
}
