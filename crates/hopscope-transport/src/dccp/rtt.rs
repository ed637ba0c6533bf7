//! Round-trip time, the timeout made of it (RFC 6298, zhang2006 7.1 or RFC 5348), and a timer that is queued only when
//! it must.

use crate::config::dccp::{AdhocAverages, AdhocVariance};
use crate::config::{DccpConfig, DccpControl};
use hopscope_core::units::{Span, Time};
use hopscope_tcp::endpoint::{Timer, TransportEffect};

/// Longest timeout (RFC 6298 2.5).
const MAX_RTO: Span = Span::from_secs(60);

/// How samples make averages, and averages the timeout.
#[derive(Debug, Clone, Copy)]
enum Law {
    /// Weights 1/8 and 1/4, four variances, doubled at each timeout (RFC 6298).
    Rfc6298,
    /// Weights 1/4, eight variances from the new average, never doubled (zhang2006 7.1); the first variance.
    Adhoc(AdhocVariance),
    /// Weight 1/10, four averages, never doubled (RFC 5348 4.3).
    Rate,
}

/// Smoothed round-trip time and timeout.
#[derive(Debug, Clone)]
pub struct Rtt {
    min_rto: Span,
    initial: Span,
    backoff: u64,
    law: Law,
    backs_off: bool,
    /// Tick of the clock that measures; zero: it is exact.
    clock: Span,
    /// What is read of an average is a multiple of this; zero: all of it.
    unit: Span,
    /// SRTT and RTTVAR.
    smoothed: Option<(Span, Span)>,
}

impl Rtt {
    /// Nothing measured, for this control.
    pub fn new(control: DccpControl, cfg: &DccpConfig) -> Self {
        let (initial, law, backs_off) = match control {
            DccpControl::Ccid2 => (cfg.initial_rto, Law::Rfc6298, true),
            DccpControl::Adhoc => (cfg.adhoc_initial_rto, Law::Adhoc(cfg.adhoc_first_variance), cfg.adhoc_backoff),
            DccpControl::Ccid3 | DccpControl::Ccid4 => (cfg.initial_rto, Law::Rate, false),
        };
        let clock = if control == DccpControl::Adhoc { cfg.adhoc_clock } else { Span::ZERO };
        let unit = if cfg.adhoc_averages == AdhocAverages::FixedPoint { clock } else { Span::ZERO };
        Rtt { min_rto: cfg.min_rto, initial, backoff: 1, law, backs_off, clock, unit, smoothed: None }
    }

    /// A round trip as the clock shows it: the nearest number of ticks, at least one.
    pub fn clocked(&self, rtt: Span) -> Span {
        match self.clock.0 {
            0 => rtt,
            tick => Span(((rtt.0 + tick / 2) / tick).max(1) * tick),
        }
    }

    /// What is read of an average: whole ticks where fractions are only carried on.
    fn read(&self, average: Span) -> Span {
        match self.unit.0 {
            0 => average,
            tick => Span(average.0 / tick * tick),
        }
    }

    /// A round trip after which what was known no longer holds.
    pub fn restart(&mut self, rtt: Span) {
        self.smoothed = None;
        self.sample(rtt);
    }

    /// A measured round trip; it ends the back-off.
    pub fn sample(&mut self, rtt: Span) {
        self.backoff = 1;
        self.smoothed = Some(match (self.smoothed, self.law) {
            (None, Law::Adhoc(AdhocVariance::Zero)) => (rtt, Span::ZERO),
            (None, Law::Rfc6298 | Law::Adhoc(AdhocVariance::Half)) => (rtt, Span(rtt.0 / 2)),
            (None, Law::Rate) => (rtt, Span::ZERO),
            (Some((srtt, _)), Law::Rate) => (Span((9 * srtt.0 + rtt.0) / 10), Span::ZERO),
            (Some((srtt, var)), Law::Adhoc(_)) => {
                // zhang2006 7.1 takes the deviation from the new average, RFC 6298 that from the old one.
                // What is read leaves by a quarter, what is carried on stays.
                let srtt = Span((4 * srtt.0 - self.read(srtt).0 + rtt.0) / 4);
                let off = self.read(srtt).0.abs_diff(rtt.0);
                (srtt, Span((4 * var.0 - self.read(var).0 + off) / 4))
            }
            (Some((srtt, var)), Law::Rfc6298) => {
                let off = srtt.0.abs_diff(rtt.0);
                (Span((7 * srtt.0 + rtt.0) / 8), Span((3 * var.0 + off) / 4))
            }
        });
    }

    /// The timeout to arm now.
    pub fn rto(&self) -> Span {
        let whole = |(srtt, var): (Span, Span)| match self.law {
            Law::Rfc6298 => srtt + var * 4,
            Law::Adhoc(_) => self.read(srtt + var * 8),
            Law::Rate => srtt * 4,
        };
        let base = self.smoothed.map_or(self.initial, |known| whole(known).max(self.min_rto));
        Span(base.0.saturating_mul(self.backoff).min(MAX_RTO.0))
    }

    /// Smoothed round-trip time.
    pub fn srtt(&self) -> Option<Span> {
        self.smoothed.map(|(srtt, _)| self.read(srtt))
    }

    /// The timer has expired: the next timeout is twice as long.
    pub fn back_off(&mut self) {
        // Beyond the longest timeout a further doubling would only overflow.
        if self.backs_off && self.rto() < MAX_RTO {
            self.backoff *= 2;
        }
    }
}

/// A deadline that moves often; the caller holds an expiry that is not later.
#[derive(Debug, Clone)]
pub struct Deadline {
    kind: Timer,
    at: Option<Time>,
    armed: Option<Time>,
}

impl Deadline {
    /// Stopped.
    pub fn new(kind: Timer) -> Self {
        Deadline { kind, at: None, armed: None }
    }

    /// It is set.
    pub fn is_set(&self) -> bool {
        self.at.is_some()
    }

    /// Expires then, and not before.
    pub fn set(&mut self, at: Time, out: &mut Vec<TransportEffect>) {
        self.at = Some(at);
        // A later deadline needs no expiry of its own: the earlier one that is queued comes, and is set anew.
        if self.armed.is_none_or(|armed| armed > at) {
            self.armed = Some(at);
            out.push(TransportEffect::Arm(self.kind, at));
        }
    }

    /// Expires no more.
    pub fn stop(&mut self) {
        self.at = None;
    }

    /// The same, and the expiry that the caller holds goes, too.
    pub fn retire(&mut self, out: &mut Vec<TransportEffect>) {
        self.at = None;
        if self.armed.take().is_some() {
            out.push(TransportEffect::Disarm(self.kind));
        }
    }

    /// An expiry has come; true where the deadline is reached, which stops it.
    pub fn is_due(&mut self, now: Time, out: &mut Vec<TransportEffect>) -> bool {
        self.armed = None;
        match self.at {
            Some(at) if at <= now => {
                self.at = None;
                true
            }
            Some(at) => {
                self.set(at, out);
                false
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_numbers_of_rfc_6298() {
        let ms = Span::from_millis;
        let mut rtt = Rtt::new(DccpControl::Ccid2, &DccpConfig::default());
        assert_eq!((rtt.rto(), rtt.srtt()), (ms(1_000), None));
        rtt.sample(ms(80)); // 80, 40
        assert_eq!((rtt.rto(), rtt.srtt()), (ms(240), Some(ms(80))));
        rtt.back_off();
        assert_eq!(rtt.rto(), ms(480));
        rtt.sample(ms(40)); // 30 + 10, 70 + 5
        assert_eq!((rtt.rto(), rtt.srtt()), (ms(235), Some(ms(75))));
        (0..20).for_each(|_| rtt.back_off());
        assert_eq!(rtt.rto(), MAX_RTO);
    }

    #[test]
    fn worked_numbers_of_the_thesis() {
        let ms = Span::from_millis;
        let mut rtt = Rtt::new(DccpControl::Adhoc, &DccpConfig::default());
        assert_eq!(rtt.rto(), ms(6_000));
        rtt.sample(ms(80));
        assert_eq!((rtt.rto(), rtt.srtt()), (ms(400), Some(ms(80))));
        rtt.sample(ms(120)); // 90; (3 * 40 + 30) / 4 = 37.5
        assert_eq!((rtt.rto(), rtt.srtt()), (ms(390), Some(ms(90))));
        rtt.back_off();
        assert_eq!(rtt.rto(), ms(390), "the period of probes is constant");
        rtt.restart(ms(40));
        assert_eq!(rtt.rto(), ms(200), "the least");
        let cfg = DccpConfig { adhoc_first_variance: AdhocVariance::Zero, ..DccpConfig::default() };
        let mut rtt = Rtt::new(DccpControl::Adhoc, &cfg);
        rtt.sample(ms(300));
        assert_eq!(rtt.rto(), ms(300));
        let cfg = DccpConfig { adhoc_backoff: true, ..cfg };
        let mut rtt = Rtt::new(DccpControl::Adhoc, &cfg);
        rtt.sample(ms(300));
        (0..2).for_each(|_| rtt.back_off());
        assert_eq!(rtt.rto(), ms(1_200), "a contrast");
        rtt.restart(ms(300));
        assert_eq!(rtt.rto(), ms(300), "an answer ends it");
    }

    #[test]
    fn a_clock_of_whole_ticks_and_averages_in_quarters_of_one() {
        let ms = Span::from_millis;
        let cfg = DccpConfig { adhoc_clock: ms(100), ..DccpConfig::default() };
        let mut rtt = Rtt::new(DccpControl::Adhoc, &cfg);
        assert_eq!([4, 149, 150, 260].map(|sample| rtt.clocked(ms(sample))), [100, 100, 200, 300].map(ms));
        rtt.sample(ms(100));
        rtt.sample(ms(200)); // (3 * 100 + 200) / 4; (3 * 50 + 75) / 4 = 56.25
        assert_eq!((rtt.srtt(), rtt.rto()), (Some(ms(125)), ms(575)));
        let whole = DccpConfig { adhoc_averages: AdhocAverages::FixedPoint, ..cfg };
        let mut rtt = Rtt::new(DccpControl::Adhoc, &whole);
        let mut shown = vec![];
        for sample in [100, 200, 200, 200, 200] {
            rtt.sample(ms(sample));
            shown.push((rtt.srtt().unwrap().0 / ms(1).0, rtt.rto().0 / ms(1).0));
        }
        // SRTT 1, 1.25, 1.5, 1.75, 2 ticks, read as 1, 1, 1, 1, 2; RTTVAR 0.5, 0.75, 1, 1, 0.75.
        assert_eq!(shown, [(100, 500), (100, 700), (100, 900), (100, 900), (200, 800)]);
        assert_eq!(Rtt::new(DccpControl::Ccid2, &whole).clocked(ms(4)), ms(4), "of this control alone");
    }

    #[test]
    fn worked_numbers_of_rate_control() {
        let ms = Span::from_millis;
        let mut rtt = Rtt::new(DccpControl::Ccid3, &DccpConfig::default());
        rtt.sample(ms(80));
        assert_eq!((rtt.rto(), rtt.srtt()), (ms(320), Some(ms(80))));
        rtt.sample(ms(180));
        rtt.back_off();
        assert_eq!((rtt.rto(), rtt.srtt()), (ms(360), Some(ms(90))));
    }

    #[test]
    fn a_deadline_that_moves_away_is_queued_once() {
        let (mut timer, mut out) = (Deadline::new(Timer::Rto), Vec::new());
        timer.set(Time(100), &mut out);
        timer.set(Time(150), &mut out);
        assert_eq!(out, [TransportEffect::Arm(Timer::Rto, Time(100))]);
        assert!(!timer.is_due(Time(100), &mut out));
        assert_eq!(out[1..], [TransportEffect::Arm(Timer::Rto, Time(150))]);
        assert!(timer.is_due(Time(150), &mut out) && !timer.is_set());
        timer.set(Time(200), &mut out);
        timer.retire(&mut out);
        assert_eq!(out.last(), Some(&TransportEffect::Disarm(Timer::Rto)));
    }
}
