//! Random streams: xoshiro256++ (Blackman and Vigna 2019), one per (seed, run, owner, purpose).
//!
//! A stream's start is a SplitMix64 hash of its name, so adding a node or a probe never moves the draws of another.
//! The bits live in this file because a run must give the same bytes for ever; `tests` hold the generator against
//! its published reference outputs.

use crate::math;

/// What a stream is used for. The discriminant is part of the derivation: never renumber.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// DCF back-off draws of one node.
    Backoff = 1,
    /// Frame errors at one receiver.
    Error = 2,
    /// Traffic of one flow (on-off times, start jitter).
    Traffic = 3,
    /// Fading of one link.
    Fading = 4,
    /// Jitter of routing messages of one node.
    RoutingJitter = 5,
    /// Node positions.
    Placement = 6,
    /// Phase of one TCP sender's coarse clock.
    Clock = 7,
    /// Shadowing of one link.
    Shadowing = 8,
    /// States of one link's error process.
    LinkState = 9,
    /// Marks and drops of one node's link layer.
    Link = 10,
    /// Losses of one direction of a wire.
    WireLoss = 11,
    /// Marks and drops of the link layer at one end of a wire.
    WireLink = 12,
    /// Order in which one node samples rates.
    RateControl = 20,
    /// Start of one flow.
    Start = 14,
    /// First sequence numbers of the two ends of a connection.
    InitialSequence = 13,
    /// Movement of one node, or of the point of one group.
    Mobility = 15,
    /// Delays of packets over one direction of a wire.
    WireJitter = 22,
    /// Which packets over one direction of a wire leave their order.
    WireReorder = 23,
}

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Stream {
    s: [u64; 4],
}

impl Stream {
    /// The stream of `owner` (a node, flow or link number) for `purpose` in run `run` of seed `seed`.
    pub fn derive(seed: u64, run: u64, owner: u64, purpose: Purpose) -> Self {
        let mut name = SplitMix64(seed);
        // One after the other, so that (1, 2) and (2, 1) name different streams.
        for part in [run, owner, purpose as u64] {
            name = SplitMix64(name.next() ^ part.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        }
        Stream { s: [name.next(), name.next(), name.next(), name.next()] }
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.s;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A uniform integer in `0..n` (multiply-shift; bias below 2^-32 for the small `n` used here). `n` must be positive.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        debug_assert!(n > 0, "an empty range has no value");
        // No division, and always one draw: rejection would make the number of draws depend on their values.
        (((self.next_u64() >> 32) * u64::from(n)) >> 32) as u32
    }

    /// A uniform real in `[0, 1)` with 53 random bits.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// An exponential real with the given mean (same unit as `mean`).
    pub fn exponential(&mut self, mean: f64) -> f64 {
        // The argument lies in (0, 1]: its logarithm is finite.
        -mean * math::ln(1.0 - self.uniform())
    }

    /// A standard normal real (Marsaglia's polar method, the second value left unused).
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = x * x + y * y;
            // Outside of the unit circle nothing is uniform in the angle, and at its centre there is none.
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * math::ln(square) / square).sqrt();
            }
        }
    }

    /// A gamma distributed real with the given shape (above zero) and mean 1 (Marsaglia and Tsang 2000).
    pub fn gamma(&mut self, shape: f64) -> f64 {
        // Shapes below 1 are drawn one higher and scaled back by a power of a uniform real.
        let raised = if shape < 1.0 { shape + 1.0 } else { shape };
        let d = raised - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        let drawn = loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && math::ln(1.0 - self.uniform()) < 0.5 * x * x + d * (1.0 - v + math::ln(v)) {
                break d * v;
            }
        };
        let scale = if shape < 1.0 { math::pow(1.0 - self.uniform(), 1.0 / shape) } else { 1.0 };
        drawn * scale / shape
    }
}

struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xoshiro_matches_the_reference_outputs() {
        // State 1, 2, 3, 4: the first outputs of the authors' C program.
        let mut stream = Stream { s: [1, 2, 3, 4] };
        let expected = [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386];
        for value in expected {
            assert_eq!(stream.next_u64(), value);
        }
    }

    #[test]
    fn streams_of_different_names_differ_and_repeat() {
        let draw = |seed, run, owner, purpose| Stream::derive(seed, run, owner, purpose).next_u64();
        let base = draw(1, 0, 0, Purpose::Backoff);
        assert_eq!(base, draw(1, 0, 0, Purpose::Backoff));
        for other in [
            draw(2, 0, 0, Purpose::Backoff),
            draw(1, 1, 0, Purpose::Backoff),
            draw(1, 0, 1, Purpose::Backoff),
            draw(1, 0, 0, Purpose::Error),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn below_covers_its_range_evenly() {
        let mut stream = Stream::derive(7, 0, 0, Purpose::Backoff);
        let mut counts = [0u32; 32];
        for _ in 0..32_000 {
            counts[stream.below(32) as usize] += 1;
        }
        // Chi-square with 31 degrees of freedom: 61.1 is the 0.1 % point; the seed is fixed.
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi2 < 61.1, "chi-square {chi2}");
    }

    #[test]
    fn exponential_has_its_mean() {
        let mut stream = Stream::derive(3, 0, 0, Purpose::Traffic);
        let mean = (0..20_000).map(|_| stream.exponential(2.0)).sum::<f64>() / 20_000.0;
        assert!((mean - 2.0).abs() < 0.06, "mean {mean}");
    }

    #[test]
    fn normal_and_gamma_have_their_moments() {
        let moments = |draw: &mut dyn FnMut() -> f64| {
            let values: Vec<f64> = (0..100_000).map(|_| draw()).collect();
            let mean = values.iter().sum::<f64>() / 1e5;
            let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 1e5;
            let third = values.iter().map(|x| (x - mean).powi(3)).sum::<f64>() / 1e5 / variance.powf(1.5);
            (mean, variance, third)
        };
        let mut stream = Stream::derive(4, 0, 0, Purpose::Fading);
        let (mean, variance, skewness) = moments(&mut || stream.normal());
        assert!(mean.abs() < 0.015 && (variance - 1.0).abs() < 0.02 && skewness.abs() < 0.03);
        for shape in [0.5, 1.0, 1.5, 4.0, 50.0] {
            let (mean, variance, skewness) = moments(&mut || stream.gamma(shape));
            // Mean 1, variance 1 / shape, skewness 2 / sqrt(shape).
            assert!((mean - 1.0).abs() < 0.015 / shape.sqrt(), "shape {shape}: mean {mean}");
            assert!((variance * shape - 1.0).abs() < 0.05, "shape {shape}: variance {variance}");
            assert!((skewness - 2.0 / shape.sqrt()).abs() < 0.15, "shape {shape}: skewness {skewness}");
        }
    }
}
