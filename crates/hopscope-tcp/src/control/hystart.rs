//! HyStart++ (RFC 9406): slow start ends when the round-trip time rises, after five rounds of cautious growth that show
//! whether it meant it.

use super::round::Round;

/// RFC 9406 4.3. Times are seconds.
const MIN_RTT_THRESH: f64 = 0.004;
const MAX_RTT_THRESH: f64 = 0.016;
const MIN_RTT_DIVISOR: f64 = 8.0;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;
/// Segments of growth per ACK at most where nothing paces what it lets out.
const L: f64 = 8.0;

/// State of slow start.
#[derive(Debug, Clone)]
pub(super) struct HyStart {
    round: Round,
    last_min: f64,
    current_min: f64,
    samples: u32,
    /// Segments of growth per ACK at most.
    limit: f64,
    /// Conservative slow start: the smallest round-trip time when it began, and the rounds since.
    css: Option<(f64, u32)>,
}

/// What to do with an ACK in slow start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    /// The window grows by so many segments.
    Grow(f64),
    /// Slow start is over.
    Leave,
}

impl HyStart {
    /// `paced`: growth by many segments at once makes no burst.
    pub(super) fn new(paced: bool) -> Self {
        HyStart {
            round: Round::default(),
            last_min: f64::INFINITY,
            current_min: f64::INFINITY,
            samples: 0,
            limit: if paced { f64::INFINITY } else { L },
            css: None,
        }
    }

    /// A round-trip time measured in slow start, in seconds.
    pub(super) fn on_rtt(&mut self, rtt: f64) {
        self.current_min = self.current_min.min(rtt);
        self.samples += 1;
    }

    /// An ACK of `segments` segments in slow start.
    pub(super) fn on_ack(&mut self, una: u64, nxt: u64, segments: f64) -> Step {
        if self.samples >= N_RTT_SAMPLE {
            match self.css {
                None if self.last_min.is_finite() => {
                    let threshold = (self.last_min / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
                    if self.current_min >= self.last_min + threshold {
                        self.css = Some((self.current_min, 0));
                    }
                }
                // It fell again: the rise was a passing one.
                Some((baseline, _)) if self.current_min < baseline => self.css = None,
                _ => {}
            }
        }
        let step = Step::Grow(segments.min(self.limit) / if self.css.is_some() { CSS_GROWTH_DIVISOR } else { 1.0 });
        if self.round.ended(una, nxt) {
            self.last_min = self.current_min;
            self.current_min = f64::INFINITY;
            self.samples = 0;
            if let Some((_, rounds)) = &mut self.css {
                *rounds += 1;
                if *rounds >= CSS_ROUNDS {
                    self.css = None;
                    return Step::Leave;
                }
            }
        }
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One round of ten ACKs with a smallest round-trip time of `ms`; the step of each ACK.
    fn round(h: &mut HyStart, number: u64, ms: f64) -> Vec<Step> {
        (0..10)
            .map(|k| {
                h.on_rtt(ms / 1000.0);
                h.on_ack(number * 10 + k + 1, number * 10 + 11, 1.0)
            })
            .collect()
    }

    #[test]
    fn a_rise_that_stays_ends_slow_start_after_five_cautious_rounds() {
        let mut h = HyStart::new(false);
        for number in 0..3 {
            assert!(round(&mut h, number, 100.0).iter().all(|s| *s == Step::Grow(1.0)));
        }
        // 100 ms / 8 = 12.5 ms; the eighth sample decides.
        let steps = round(&mut h, 3, 113.0);
        assert!(steps.contains(&Step::Grow(0.25)), "{steps:?}");
        let left: Vec<u64> = (4..12).filter(|&n| round(&mut h, n, 113.0).contains(&Step::Leave)).collect();
        assert_eq!(left, [8]);
    }

    #[test]
    fn a_passing_rise_resumes_slow_start() {
        let mut h = HyStart::new(false);
        for number in 0..3 {
            round(&mut h, number, 100.0);
        }
        round(&mut h, 3, 120.0);
        assert!(h.css.is_some());
        round(&mut h, 4, 101.0);
        assert!(h.css.is_none());
        assert!(round(&mut h, 5, 101.0).iter().all(|s| *s == Step::Grow(1.0)));
    }

    #[test]
    fn a_rise_below_the_threshold_is_noise() {
        let mut h = HyStart::new(false);
        for number in 0..20 {
            round(&mut h, number, 100.0 + number as f64); // 1 ms per round
        }
        assert!(h.css.is_none());
    }

    #[test]
    fn one_ack_grows_the_window_by_eight_segments_at_most() {
        assert_eq!(HyStart::new(false).on_ack(1, 1, 20.0), Step::Grow(8.0));
        assert_eq!(
            HyStart::new(true).on_ack(1, 1, 20.0),
            Step::Grow(20.0),
            "where segments are paced there is no limit"
        );
    }
}
