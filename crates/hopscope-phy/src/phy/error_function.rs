//! Tails of the normal distribution, which the error rates of bits are made of.

use hopscope_core::math;

/// Upper tail of the normal distribution at the square root of `square`.
pub(super) fn q(square: f64) -> f64 {
    0.5 * erfc((0.5 * square).sqrt())
}

/// Complementary error function of a value that is not negative, to 1.2e-7 of itself (Press et al., Numerical Recipes).
pub(super) fn erfc(z: f64) -> f64 {
    const COEFFICIENTS: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let t = 1.0 / (1.0 + 0.5 * z);
    let exponent = COEFFICIENTS.iter().rev().fold(0.0, |sum, c| sum * t + c);
    t * math::exp(exponent - z * z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_function_meets_its_table() {
        for (z, expected) in [(0.0, 1.0), (0.5, 0.479_500_122), (1.0, 0.157_299_207), (2.0, 4.677_734_98e-3)] {
            assert!((erfc(z) / expected - 1.0).abs() < 2e-7, "erfc({z})");
        }
        assert!((erfc(5.0) / 1.537_459_79e-12 - 1.0).abs() < 2e-7);
        // 97.5 % of a normal distribution lie below 1.96.
        assert!((q(1.959_964f64.powi(2)) - 0.025).abs() < 1e-7);
    }
}
