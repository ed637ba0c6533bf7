//! Block fading: the power of a link is constant for a coherence time, then drawn anew.
//!
//! Powers have mean 1. Rayleigh fading makes them exponential, Nakagami-m fading gamma distributed with shape m
//! (Nakagami 1960). A block's power is a function of the seed, the two nodes and the block's number alone, so both
//! directions of a link and any order of questions agree; the frames of an exchange see one power unless a block ends
//! between them.

use crate::config::RadioConfig;
use crate::config::radio::Fading;
use hopscope_core::math;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::Time;

/// A fading channel.
#[derive(Debug, Clone)]
pub struct BlockFading {
    /// Length of a block, nanoseconds.
    block: u64,
    /// Shape of the gamma distribution; 1 for Rayleigh fading.
    shape: f64,
}

impl BlockFading {
    /// The fading of a configuration, if there is any.
    pub fn new(radio: &RadioConfig) -> Option<Self> {
        let shape = match radio.fading {
            Fading::None => return None,
            Fading::Rayleigh => 1.0,
            Fading::Nakagami => radio.nakagami_m,
        };
        Some(BlockFading { block: radio.coherence_time.0, shape })
    }

    /// The power factor of the link named by `key` at `now`, and the instant until which it stays.
    pub fn power(&self, key: u64, now: Time) -> (f64, Time) {
        // Links do not change their blocks together.
        let offset = key % self.block;
        let block = (now.0 + offset) / self.block;
        let mut stream = Stream::derive(key, 0, block, Purpose::Fading);
        // Gamma with shape 1 is exponential, and that takes one draw.
        let power = if self.shape == 1.0 { stream.exponential(1.0) } else { stream.gamma(self.shape) };
        (power, Time((block + 1) * self.block - offset))
    }

    /// A power factor that a block exceeds with a probability below 1 in 1000 (Chernoff's bound of the gamma
    /// distribution, P(G > g) <= (g exp(1 - g))^m).
    pub fn peak(&self) -> f64 {
        let bound = |g: f64| self.shape * (math::ln(g) + 1.0 - g);
        let (mut low, mut high) = (1.0, 1e3);
        while high - low > 1e-6 {
            let middle = 0.5 * (low + high);
            if bound(middle) > math::ln(1e-3) {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::units::Span;

    fn fading(m: f64) -> BlockFading {
        BlockFading { block: 10_000_000, shape: m }
    }

    /// Powers of the blocks of one link.
    fn blocks(fading: &BlockFading, key: u64, count: u64) -> Vec<f64> {
        (0..count).map(|n| fading.power(key, Time(n * fading.block)).0).collect()
    }

    fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
        let count = values.len() as f64;
        values.sum::<f64>() / count
    }

    #[test]
    fn rayleigh_power_is_exponential() {
        let powers = blocks(&fading(1.0), 0x1234_5678_9ABC_DEF0, 50_000);
        assert!((mean(powers.iter().copied()) - 1.0).abs() < 0.02);
        for level in [0.1, 1.0, 3.0f64] {
            let above = powers.iter().filter(|p| **p > level).count() as f64 / 5e4;
            assert!((above - (-level).exp()).abs() < 0.008, "{above} above {level}");
        }
    }

    #[test]
    fn the_shape_comes_back_from_the_moments() {
        // Nakagami's definition: m = E[P]^2 / Var[P].
        for m in [0.5, 1.0, 1.5, 3.0, 20.0] {
            let powers = blocks(&fading(m), 0x0FED_CBA9_8765_4321, 50_000);
            let average = mean(powers.iter().copied());
            let variance = mean(powers.iter().map(|p| (p - average).powi(2)));
            let found = average * average / variance;
            assert!((average - 1.0).abs() < 0.02, "m {m}: mean {average}");
            assert!((found / m - 1.0).abs() < 0.05, "m {m}: found {found}");
        }
    }

    #[test]
    fn blocks_are_constant_inside_and_independent_of_each_other_and_of_other_links() {
        let fading = fading(1.0);
        let (one, other) = (blocks(&fading, 11_111_111_111, 40_000), blocks(&fading, 11_111_111_112, 40_000));
        let product = |a: &[f64], b: &[f64]| {
            mean(a.iter().zip(b).map(|(x, y)| (x - 1.0) * (y - 1.0)).collect::<Vec<_>>().into_iter())
        };
        assert!(product(&one, &other).abs() < 0.02, "two links");
        assert!(product(&one[1..], &one[..39_999]).abs() < 0.02, "two blocks");
        let mut now = Time(3_333_333);
        for _ in 0..100 {
            let (power, until) = fading.power(77, now);
            assert!(until > now && until <= now + Span(fading.block));
            assert_eq!(fading.power(77, Time(until.0 - 1)), (power, until));
            assert_ne!(fading.power(77, until).0, power);
            now = until;
        }
    }

    #[test]
    fn few_blocks_exceed_the_peak() {
        for m in [0.5, 1.0, 3.0, 20.0] {
            let fading = fading(m);
            let peak = fading.peak();
            let above = blocks(&fading, 987_654_321, 50_000).into_iter().filter(|p| *p > peak).count();
            assert!(above < 50, "m {m}: {above} of 50000 above {peak}");
        }
        // 10 dB for Rayleigh fading, less where there is less of it.
        assert!((fading(1.0).peak() - 10.2).abs() < 0.1 && (fading(20.0).peak() - 2.1).abs() < 0.1);
    }
}
