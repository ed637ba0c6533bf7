//! How late deliveries were, and whether the run may be trusted.
//!
//! A delivery is late by the time from the ideal end of its frame until it is written to the device. Goodput does not show it: ideal
//! instants are kept, so that transfers lose little while what stacks measure of their network is wrong. So the verdict goes by lateness
//! alone (measured for this project: goodput was within 4 % with a third of all deliveries over a millisecond late).

use hdrhistogram::Histogram;
use serde::Serialize;

/// Whether the run may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Late by little: at most one of a hundred over a tenth of the time of a data frame and over 500 us, at most one of a thousand
    /// over a millisecond.
    Ok,
    /// Later than that: round-trip times that stacks measure are off.
    Degraded,
    /// A delivery was over 50 ms late, the run a second behind, or one of a hundred later than a data frame takes.
    Missed,
}

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LatenessReport {
    /// Deliveries.
    pub count: u64,
    /// Median, microseconds.
    pub p50: f64,
    /// 90 % were no later, microseconds.
    pub p90: f64,
    /// 99 %.
    pub p99: f64,
    /// 99.9 %.
    pub p999: f64,
    /// The latest.
    pub max: f64,
}

/// Deliveries after which percentiles mean something.
const ENOUGH: u64 = 100;
const MS: u64 = 1_000_000;
/// What is later counts as so late: an hour.
const MOST_NOTED: u64 = 3_600_000 * MS;
/// See [`Verdict`].
const MOST_P99: u64 = MS / 2;
pub(crate) const MOST_SINGLE: u64 = 50 * MS;
pub(crate) const MOST_BEHIND: u64 = 1_000 * MS;
const MOST_SHARE: f64 = 1e-3;

/// Lateness of the deliveries of a run.
#[derive(Debug)]
pub(crate) struct Lateness {
    histogram: Histogram<u64>,
    over_ms: u64,
    /// How far events were behind at most, nanoseconds.
    behind: u64,
    /// Time of a data frame, nanoseconds.
    frame: u64,
}

impl Lateness {
    /// Of a network whose data frames take so many nanoseconds.
    pub fn new(frame: u64) -> Self {
        // Three digits are exact to a thousandth.
        let histogram = Histogram::new_with_bounds(1, MOST_NOTED, 3).expect("bounds and digits are in range");
        Lateness { histogram, over_ms: 0, behind: 0, frame }
    }

    /// A delivery was so late, nanoseconds.
    pub fn note(&mut self, late: u64) {
        self.histogram.saturating_record(late);
        self.over_ms += u64::from(late > MS);
    }

    /// Events were so far behind, nanoseconds.
    pub fn note_behind(&mut self, behind: u64) {
        self.behind = self.behind.max(behind);
    }

    /// Share of the deliveries that were more than a millisecond late.
    pub fn share_above_ms(&self) -> f64 {
        self.over_ms as f64 / self.histogram.len().max(1) as f64
    }

    /// The verdict on what there is so far, and its cause.
    pub fn verdict(&self) -> (Verdict, String) {
        let ms = |ns: u64| ns as f64 / MS as f64;
        let (max, p99) = (self.histogram.max(), self.p99());
        if self.behind > MOST_BEHIND {
            return (Verdict::Missed, format!("the run was {:.0} ms behind the wall clock", ms(self.behind)));
        }
        if max > MOST_SINGLE {
            return (Verdict::Missed, format!("a delivery was {:.1} ms late; at most 50 ms are allowed", ms(max)));
        }
        if p99 > self.frame {
            let frame = ms(self.frame);
            return (Verdict::Missed, format!("p99 is {:.3} ms, longer than a data frame ({frame:.3} ms)", ms(p99)));
        }
        let most = (self.frame / 10).min(MOST_P99);
        if p99 > most {
            return (Verdict::Degraded, format!("p99 is {:.3} ms; at most {:.3} ms are good", ms(p99), ms(most)));
        }
        if self.is_much() && self.share_above_ms() > MOST_SHARE {
            let share = 100.0 * self.share_above_ms();
            return (Verdict::Degraded, format!("{share:.2} % were over 1 ms late; at most 0.1 % are good"));
        }
        (Verdict::Ok, String::new())
    }

    fn is_much(&self) -> bool {
        self.histogram.len() >= ENOUGH
    }

    /// The percentile that counts; 0 as long as there are too few.
    fn p99(&self) -> u64 {
        if self.is_much() { self.histogram.value_at_quantile(0.99) } else { 0 }
    }

    /// The figures.
    pub fn report(&self) -> LatenessReport {
        let us = |ns: u64| ns as f64 / 1e3;
        let at = |quantile| us(self.histogram.value_at_quantile(quantile));
        let [p50, p90, p99, p999] = [0.5, 0.9, 0.99, 0.999].map(at);
        LatenessReport { count: self.histogram.len(), p50, p90, p99, p999, max: us(self.histogram.max()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many deliveries so late (us), for data frames of 6 ms.
    fn of(deliveries: &[(u64, u64)]) -> Lateness {
        let mut lateness = Lateness::new(6 * MS);
        for &(count, us) in deliveries {
            (0..count).for_each(|_| lateness.note(us * 1_000));
        }
        lateness
    }

    #[test]
    fn verdicts_are_those_of_the_bounds() {
        for (deliveries, expected) in [
            (&[][..], Verdict::Ok),
            (&[(999, 90), (1, 3_000)], Verdict::Ok),
            (&[(99, 90), (10, 3_000)], Verdict::Degraded),
            (&[(998, 90), (2, 3_000)], Verdict::Degraded),
            (&[(90, 90), (10, 510)], Verdict::Degraded),
            (&[(90, 90), (10, 490)], Verdict::Ok),
            (&[(10_000, 90), (1, 50_100)], Verdict::Missed),
            (&[(98, 90), (2, 6_100)], Verdict::Missed),
            // Too few for percentiles.
            (&[(3, 6_100)], Verdict::Ok),
        ] {
            let (verdict, cause) = of(deliveries).verdict();
            assert_eq!(verdict, expected, "{deliveries:?}: {cause}");
            assert_eq!(cause.is_empty(), verdict == Verdict::Ok);
        }
        let mut late = of(&[(1_000, 10)]);
        late.note_behind(1_001 * MS);
        assert_eq!(late.verdict().1, "the run was 1001 ms behind the wall clock");
    }

    #[test]
    fn short_frames_ask_for_less_lateness() {
        let mut lateness = Lateness::new(MS / 2);
        (0..1_000).for_each(|_| lateness.note(70_000));
        assert_eq!(lateness.verdict(), (Verdict::Degraded, "p99 is 0.070 ms; at most 0.050 ms are good".to_string()));
    }

    #[test]
    fn figures_are_microseconds() {
        let report = of(&[(500, 20), (499, 80), (1, 2_000)]).report();
        let close = |found: f64, wanted: f64| (found - wanted).abs() <= wanted * 1e-3;
        assert!(close(report.p50, 20.0) && close(report.p90, 80.0) && close(report.max, 2_000.0), "{report:?}");
        assert_eq!(report.count, 1_000);
        assert!((of(&[(500, 20), (500, 1_200)]).share_above_ms() - 0.5).abs() < 1e-12);
    }
}
