//! Round-trip time and retransmission timeout: RFC 6298 with exact times, and the tick clock of ns-2.

use crate::config::TcpConfig;
use crate::config::tcp::RttEstimator;
use hopscope_core::units::{Span, Time};

/// RTO to fall back to when the SYN had to be repeated (RFC 6298 5.7).
const RTO_AFTER_LOST_SYN: Span = Span::from_secs(3);

/// The estimator of a connection: samples in, RTO out.
#[derive(Debug, Clone)]
pub(super) struct Rtt {
    min_rto: Span,
    max_rto: Span,
    granularity: Span,
    /// RTO without back-off and, with the tick clock, without the lower bound.
    base: Span,
    /// Factor by which the RTO is backed off, a power of two times the least factor.
    backoff: u64,
    /// The same after a round-trip time was measured: 1 unless asked for.
    least_factor: u64,
    sampled: bool,
    /// A timeout was needless: the first sample of data sent from then on does not undercut what was known before it.
    cautious: Option<(Cautious, Time)>,
    kind: Kind,
}

/// 8 SRTT and 4 RTTVAR as a needless timeout found them, in the units of the estimator (SRTT_prev and RTTVAR_prev of
/// RFC 4015).
#[derive(Debug, Clone, Copy)]
pub(super) struct Cautious {
    srtt8: u64,
    rttvar4: u64,
}

#[derive(Debug, Clone)]
enum Kind {
    /// Nanoseconds in fixed point: 8 SRTT and 4 RTTVAR.
    Rfc { srtt8: u64, rttvar4: u64 },
    /// Ticks in fixed point: 8 SRTT and 4 RTTVAR; SRTT 0 means "start afresh with the next sample".
    Ticks { srtt8: i64, rttvar4: i64, phase: Span },
}

impl Rtt {
    pub(super) fn new(cfg: &TcpConfig) -> Self {
        let kind = match cfg.rtt_estimator {
            RttEstimator::Rfc6298 => Kind::Rfc { srtt8: 0, rttvar4: 0 },
            RttEstimator::Ns2 => Kind::Ticks { srtt8: 0, rttvar4: 0, phase: Span::ZERO },
        };
        Rtt {
            min_rto: cfg.min_rto,
            max_rto: cfg.max_rto,
            granularity: Span(cfg.clock_granularity.0.max(1)),
            base: cfg.initial_rto,
            backoff: 1,
            least_factor: u64::from(cfg.rto_multiplier),
            sampled: false,
            cautious: None,
            kind,
        }
    }

    /// Shifts the ticks of the clock against the start of the simulation; no effect on exact times.
    pub(super) fn set_phase(&mut self, shift: Span) {
        if let Kind::Ticks { phase, .. } = &mut self.kind {
            *phase = Span(shift.0 % self.granularity.0);
        }
    }

    /// The timeout to arm now, back-off included.
    pub(super) fn rto(&self) -> Span {
        let backed_off = |span: Span| Span(span.0.saturating_mul(self.backoff).min(self.max_rto.0));
        match self.kind {
            Kind::Rfc { .. } => backed_off(self.base),
            // The lower bound comes before the factor, so a backed-off RTO is at least min * 2^k (ns-2, item 36).
            Kind::Ticks { .. } => Span(backed_off(self.base.max(self.min_rto)).0.max(2 * self.granularity.0)),
        }
    }

    /// Smoothed round-trip time; none before the first sample.
    pub(super) fn srtt(&self) -> Option<Span> {
        match self.kind {
            Kind::Rfc { srtt8, .. } => self.sampled.then_some(Span(srtt8 / 8)),
            Kind::Ticks { srtt8, .. } => (srtt8 > 0).then(|| Span((srtt8 >> 3) as u64 * self.granularity.0)),
        }
    }

    /// What a timeout that may be needless has to keep (RFC 4015 3.1).
    pub(super) fn cautious(&self) -> Cautious {
        match self.kind {
            Kind::Rfc { srtt8, rttvar4 } => Cautious { srtt8: srtt8 + 16 * self.granularity.0, rttvar4 },
            Kind::Ticks { srtt8, rttvar4, .. } => {
                Cautious { srtt8: srtt8.max(0) as u64 + 16, rttvar4: rttvar4.max(0) as u64 }
            }
        }
    }

    /// It was needless (step 11).
    pub(super) fn adapt(&mut self, kept: Cautious, now: Time) {
        self.cautious = Some((kept, now));
    }

    /// A segment sent once at `sent` is acknowledged at `now`. Ends the back-off (Karn).
    pub(super) fn sample(&mut self, sent: Time, now: Time) {
        self.backoff = self.least_factor;
        let kept = self.cautious.take_if(|(_, since)| sent >= *since);
        let first = !self.sampled;
        self.sampled = true;
        match &mut self.kind {
            Kind::Rfc { srtt8, rttvar4 } => {
                let rtt = now.saturating_since(sent).0;
                if let Some((kept, _)) = kept {
                    (*srtt8, *rttvar4) = (kept.srtt8.max(rtt * 8), kept.rttvar4.max(rtt * 2));
                } else if first {
                    *srtt8 = rtt * 8;
                    *rttvar4 = rtt * 2;
                } else {
                    // The deviation first: RFC 6298 2.3 takes it from the old average.
                    *rttvar4 = *rttvar4 - *rttvar4 / 4 + (*srtt8 / 8).abs_diff(rtt);
                    *srtt8 = *srtt8 - *srtt8 / 8 + rtt;
                }
                let rto = *srtt8 / 8 + self.granularity.0.max(*rttvar4);
                self.base = Span(rto.max(self.min_rto.0).min(self.max_rto.0));
            }
            Kind::Ticks { srtt8, rttvar4, phase } => {
                let tick = self.granularity.0;
                // The ticks between two readings of the clock, as a kernel counts them, not the time in ticks.
                let rtt = (((now.0 + phase.0) / tick) as i64 - ((sent.0 + phase.0) / tick) as i64).max(1);
                if let Some((kept, _)) = kept {
                    *srtt8 = (kept.srtt8 as i64).max(rtt << 3);
                    *rttvar4 = (kept.rttvar4 as i64).max(rtt << 1);
                } else if *srtt8 == 0 {
                    // Zero also after a long back-off, which throws the average away: the next sample stands alone.
                    *srtt8 = rtt << 3;
                    *rttvar4 = rtt << 1;
                } else {
                    let error = rtt - (*srtt8 >> 3);
                    *srtt8 = (*srtt8 + error).max(1);
                    *rttvar4 = (*rttvar4 + error.abs() - (*rttvar4 >> 2)).max(1);
                }
                self.base = Span((((*rttvar4 << 3) + *srtt8) >> 3) as u64 * tick);
            }
        }
    }

    /// The timer expired.
    pub(super) fn back_off(&mut self) {
        if self.rto() < self.max_rto {
            self.backoff = self.backoff.saturating_mul(2);
        }
        match &mut self.kind {
            // As BSD and ns-2: after some doublings the average is thrown away, and the deviation keeps the RTO up.
            Kind::Ticks { srtt8, rttvar4, .. } if self.backoff > 8 * self.least_factor => {
                *rttvar4 += *srtt8 >> 3;
                *srtt8 = 0;
            }
            _ => {}
        }
    }

    /// Ends the back-off without a sample (ns-2's Sack1 does so on a partial ACK).
    pub(super) fn end_back_off(&mut self) {
        self.backoff = if self.sampled { self.least_factor } else { 1 };
    }

    /// Data transmission begins after a SYN that had to be repeated.
    pub(super) fn after_lost_syn(&mut self) {
        if matches!(self.kind, Kind::Rfc { .. }) && !self.sampled {
            self.backoff = 1;
            self.base = self.base.max(RTO_AFTER_LOST_SYN).min(self.max_rto);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn rfc() -> Rtt {
        Rtt::new(&TcpConfig::default())
    }

    fn ticks() -> Rtt {
        Rtt::new(&TcpConfig {
            rtt_estimator: RttEstimator::Ns2,
            initial_rto: Span::from_secs(3),
            min_rto: Span::from_millis(200),
            clock_granularity: Span::from_millis(10),
            ..TcpConfig::default()
        })
    }

    fn sample(rtt: &mut Rtt, ms: u64) {
        rtt.sample(Time(1000 * MS), Time((1000 + ms) * MS));
    }

    #[test]
    fn rfc6298_worked_numbers() {
        let mut rtt = rfc();
        assert_eq!((rtt.rto(), rtt.srtt()), (Span::from_secs(1), None));
        sample(&mut rtt, 800); // SRTT 800, RTTVAR 400
        assert_eq!((rtt.rto(), rtt.srtt()), (Span::from_millis(2400), Some(Span::from_millis(800))));
        sample(&mut rtt, 400); // RTTVAR 300 + 100, SRTT 700 + 50
        assert_eq!((rtt.rto(), rtt.srtt()), (Span::from_millis(2350), Some(Span::from_millis(750))));
        for _ in 0..200 {
            sample(&mut rtt, 100);
        }
        assert_eq!(rtt.rto(), Span::from_secs(1), "lower bound");
    }

    #[test]
    fn rfc6298_granularity_bounds_the_variance_term() {
        let mut rtt = Rtt::new(&TcpConfig { min_rto: Span::ZERO, ..TcpConfig::default() });
        for _ in 0..400 {
            sample(&mut rtt, 100);
        }
        let rto = rtt.rto().0;
        assert!((101 * MS - 100..=101 * MS).contains(&rto), "SRTT + G = 101 ms, not {rto} ns");
    }

    #[test]
    fn rfc6298_back_off_doubles_to_the_maximum_and_ends_with_a_sample() {
        let mut rtt = rfc();
        let seconds: Vec<u64> = (0..8)
            .map(|_| {
                rtt.back_off();
                rtt.rto().0 / 1_000_000_000
            })
            .collect();
        assert_eq!(seconds, [2, 4, 8, 16, 32, 60, 60, 60]);
        sample(&mut rtt, 100);
        assert_eq!(rtt.rto(), Span::from_secs(1));
    }

    #[test]
    fn rfc6298_lost_syn_gives_three_seconds() {
        let mut rtt = rfc();
        rtt.back_off();
        rtt.after_lost_syn();
        assert_eq!(rtt.rto(), Span::from_secs(3));
    }

    #[test]
    fn tick_clock_worked_numbers() {
        let mut rtt = ticks();
        assert_eq!((rtt.rto(), rtt.srtt()), (Span::from_secs(3), None));
        sample(&mut rtt, 125); // 12 ticks: SRTT 12, RTTVAR 6, RTO 36 ticks
        assert_eq!((rtt.rto(), rtt.srtt()), (Span::from_millis(360), Some(Span::from_millis(120))));
        sample(&mut rtt, 200); // 8 SRTT = 96 + 8; 4 RTTVAR = 24 + 8 - 6; RTO = 26 + 13 ticks
        assert_eq!((rtt.rto(), rtt.srtt()), (Span::from_millis(390), Some(Span::from_millis(130))));
    }

    #[test]
    fn tick_clock_counts_boundaries_and_at_least_one() {
        let mut rtt = ticks();
        rtt.sample(Time(1009 * MS), Time(1031 * MS)); // 22 ms that cross 1010, 1020, 1030
        assert_eq!(rtt.srtt(), Some(Span::from_millis(30)));
        let mut rtt = ticks();
        rtt.sample(Time(1001 * MS), Time(1002 * MS));
        assert_eq!(rtt.srtt(), Some(Span::from_millis(10)));
        let mut rtt = ticks();
        rtt.set_phase(Span::from_millis(2)); // the same 22 ms on a shifted clock: from 1011 to 1033 ms
        rtt.sample(Time(1009 * MS), Time(1031 * MS));
        assert_eq!(rtt.srtt(), Some(Span::from_millis(20)));
    }

    #[test]
    fn tick_clock_lower_bound_comes_before_the_back_off() {
        let mut rtt = ticks();
        sample(&mut rtt, 10); // RTO 3 ticks, below the bound of 200 ms
        let ms = |rtt: &Rtt| rtt.rto().0 / MS;
        assert_eq!(ms(&rtt), 200);
        let mut seen = Vec::new();
        for _ in 0..10 {
            rtt.back_off();
            seen.push(ms(&rtt));
        }
        assert_eq!(seen, [400, 800, 1600, 3200, 6400, 12800, 25600, 51200, 60000, 60000]);
    }

    #[test]
    fn tick_clock_forgets_srtt_beyond_a_factor_of_eight() {
        let mut rtt = ticks();
        sample(&mut rtt, 100);
        for _ in 0..3 {
            rtt.back_off();
        }
        assert!(rtt.srtt().is_some(), "a factor of 8 keeps it");
        rtt.back_off();
        assert_eq!(rtt.srtt(), None, "a factor of 16 folds it");
        sample(&mut rtt, 50); // as a first sample: SRTT 5, RTTVAR 2.5, RTO 15 ticks, bound 200 ms
        assert_eq!(rtt.srtt(), Some(Span::from_millis(50)));
        assert_eq!(rtt.rto(), Span::from_millis(200));
    }
}
