//! Log-normal shadowing: a normal level in dB for each link, constant or changing with time.
//!
//! Both directions of a link see the same level. The level is a function of the seed, the two nodes and the time alone:
//! nobody's question changes anybody's answer, and a link that is silent for an hour costs nothing.
//!
//! The changing level is a stationary Gauss-Markov process, whose values at two instants a time t apart are normal with
//! correlation exp(-t / tau) (Gudmundson 1991). It is held for steps of tau / 32. Steps stand in segments of 1024: the
//! levels at the ends of a segment, 32 tau apart, are drawn independently (their correlation is 1e-14), and those within
//! it by halving: given the levels a and b at the ends of an interval of length 2 h, the one in the middle is normal
//! with mean (a + b) r / (1 + r^2) and variance (1 - r^2) / (1 + r^2), where r = exp(-h / tau). Ten halvings reach any
//! step.

use hopscope_core::math;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};

/// Halvings from a segment to a step.
const HALVINGS: u32 = 10;
/// Steps in the decorrelation time.
const STEPS: u64 = 32;

/// Factor of a level in dB.
pub fn factor(db: f64) -> f64 {
    math::exp(db * (std::f64::consts::LN_10 / 10.0))
}

/// A changing level with mean 0 and standard deviation 1.
#[derive(Debug, Clone)]
pub struct GaussMarkov {
    step: u64,
    /// Weight of the sum of both ends and of the new draw, for intervals of 1, 2, 4, ... steps on each side.
    halves: [(f64, f64); HALVINGS as usize],
}

impl GaussMarkov {
    /// A process whose correlation falls to 1/e within `decorrelation`.
    pub fn new(decorrelation: Span) -> Self {
        let step = (decorrelation.0 / STEPS).max(1);
        let half = |level: u32| {
            let r = math::exp(-((step << level) as f64) / decorrelation.0 as f64);
            (r / (1.0 + r * r), ((1.0 - r * r) / (1.0 + r * r)).sqrt())
        };
        GaussMarkov { step, halves: std::array::from_fn(|level| half(level as u32)) }
    }

    /// The level of the link named by `key` at `now`, and the instant until which it stays.
    pub fn level(&self, key: u64, now: Time) -> (f64, Time) {
        // Links do not change their steps together.
        let offset = key % self.step;
        let place = (now.0 + offset) / self.step;
        let draw = |place: u64| Stream::derive(key, 0, place, Purpose::Shadowing).normal();
        // Each draw belongs to the number of a step: the ends of a segment are those of its neighbours, too.
        let mut low = place >> HALVINGS << HALVINGS;
        let (mut a, mut b) = (draw(low), draw(low + (1 << HALVINGS)));
        for level in (0..HALVINGS).rev() {
            if place == low {
                break;
            }
            let middle = low + (1 << level);
            let (weight, spread) = self.halves[level as usize];
            let value = (a + b) * weight + spread * draw(middle);
            if place >= middle {
                (low, a) = (middle, value);
            } else {
                b = value;
            }
        }
        (a, Time((place + 1) * self.step - offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAU: Span = Span::from_millis(320);

    /// Mean product of the levels of many links at instants `lag` apart.
    fn correlation(lag: Span) -> f64 {
        let process = GaussMarkov::new(TAU);
        let links = 40_000;
        let products = (0..links).map(|link| {
            let key = Stream::derive(1, 0, link, Purpose::Fading).next_u64();
            // Anywhere in the first minute, so that all places in a segment and its borders occur.
            let start = Time(key % 60_000_000_000);
            process.level(key, start).0 * process.level(key, start + lag).0
        });
        products.sum::<f64>() / links as f64
    }

    #[test]
    fn the_level_is_standard_normal_at_any_time() {
        let process = GaussMarkov::new(TAU);
        let levels: Vec<f64> =
            (0..50_000u64).map(|n| process.level(n.wrapping_mul(0x9E37_79B9_7F4A_7C15), Time(n * 777_777)).0).collect();
        let mean = levels.iter().sum::<f64>() / 5e4;
        let variance = levels.iter().map(|x| x * x).sum::<f64>() / 5e4;
        let within = levels.iter().filter(|x| x.abs() < 1.0).count() as f64 / 5e4;
        assert!(mean.abs() < 0.02, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.03, "variance {variance}");
        assert!((within - 0.6827).abs() < 0.01, "{within} within one standard deviation");
    }

    #[test]
    fn the_correlation_falls_exponentially() {
        // Standard error of the mean product: at most sqrt(2 / 40000) = 0.007.
        for (lag, expected) in [
            (Span::ZERO, 1.0),
            (Span::from_millis(80), (-0.25f64).exp()),
            (TAU, (-1.0f64).exp()),
            (TAU * 2, (-2.0f64).exp()),
            (TAU * 8, 0.0),
            (TAU * 40, 0.0),
        ] {
            let found = correlation(lag);
            assert!((found - expected).abs() < 0.028, "lag {lag:?}: {found}, expected {expected}");
        }
    }

    #[test]
    fn the_correlation_also_holds_across_the_border_of_a_segment() {
        let process = GaussMarkov::new(TAU);
        let segment = process.step << HALVINGS;
        let products = (0..40_000u64).map(|link| {
            let key = Stream::derive(2, 0, link, Purpose::Fading).next_u64();
            let border = Time(segment - key % process.step);
            let before = Time(border.0 - 8 * process.step);
            process.level(key, before).0 * process.level(key, before + Span(16 * process.step)).0
        });
        let found = products.sum::<f64>() / 40_000.0;
        assert!((found - (-0.5f64).exp()).abs() < 0.028, "{found}");
    }

    #[test]
    fn a_level_stays_until_it_says_and_does_not_depend_on_the_questions() {
        let process = GaussMarkov::new(TAU);
        let key = 0xDEAD_BEEF_0123_4567;
        let mut now = Time::ZERO;
        let mut changes = 0;
        while now < Time(20_000_000_000) {
            let (level, until) = process.level(key, now);
            assert!(until > now);
            assert_eq!(process.level(key, Time(until.0 - 1)).0, level);
            assert_ne!(process.level(key, until).0, level);
            now = until;
            changes += 1;
        }
        // One change every 10 ms.
        assert_eq!(changes, 2_001);
        assert_eq!(GaussMarkov::new(TAU).level(key, Time(7_654_321)), process.level(key, Time(7_654_321)));
    }
}
