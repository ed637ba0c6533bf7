//! Functions of real numbers that give the same bits wherever the engine runs.
//!
//! What the standard library calls is that of the system, whose last bit differs between systems, and between them and
//! WebAssembly. Square root, absolute value and whole powers need nothing of this: they are exact, or made of products.

/// Exponential function.
#[inline]
#[must_use]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// e^x - 1, exact also where x is small.
#[inline]
#[must_use]
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// Natural logarithm.
#[inline]
#[must_use]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// ln(1 + x), exact also where x is small.
#[inline]
#[must_use]
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// Decimal logarithm.
#[inline]
#[must_use]
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// `base` to the power of `exponent`.
#[inline]
#[must_use]
pub fn pow(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}

/// The ratio that decibels stand for.
#[inline]
#[must_use]
pub fn from_decibels(decibels: f64) -> f64 {
    pow(10.0, decibels / 10.0)
}

/// Sine of an angle in radians.
#[inline]
#[must_use]
pub fn sin(angle: f64) -> f64 {
    libm::sin(angle)
}

/// Cosine of an angle in radians.
#[inline]
#[must_use]
pub fn cos(angle: f64) -> f64 {
    libm::cos(angle)
}

/// Tangent of an angle in radians.
#[inline]
#[must_use]
pub fn tan(angle: f64) -> f64 {
    libm::tan(angle)
}

/// Angle in radians with this tangent.
#[inline]
#[must_use]
pub fn atan(x: f64) -> f64 {
    libm::atan(x)
}

/// Length of a vector.
#[inline]
#[must_use]
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_of_the_standard_library_but_for_the_last_bit() {
        let near =
            |found: f64, known: f64| assert!((found - known).abs() <= 1e-15 * known.abs(), "{found} and {known}");
        for x in [0.1, 0.7, 1.0, 3.3, 17.0] {
            near(exp(-x), (-x).exp());
            near(exp_m1(-x), (-x).exp_m1());
            near(ln(x), x.ln());
            near(ln_1p(x), x.ln_1p());
            near(log10(x), x.log10());
            near(pow(x, 2.7), x.powf(2.7));
            near(from_decibels(x), 10f64.powf(x / 10.0));
            near(sin(x), x.sin());
            near(cos(x), x.cos());
            near(tan(x), x.tan());
            near(atan(x), x.atan());
            near(hypot(x, 2.0), x.hypot(2.0));
        }
    }

    #[test]
    fn their_bits_are_these() {
        // Of libm 0.2 (musl), with which results are kept; the system of whoever runs this has no say.
        assert_eq!(exp(-1.3).to_bits(), BITS[0]);
        assert_eq!(ln(0.37).to_bits(), BITS[1]);
        assert_eq!(pow(10.0, 0.37).to_bits(), BITS[2]);
        assert_eq!(sin(2.1).to_bits(), BITS[3]);
        assert_eq!(hypot(123.4, 56.7).to_bits(), BITS[4]);
    }

    const BITS: [u64; 5] = [
        0x3fd1_7129_308c_e281,
        0xbfef_d0ea_24bf_89b8,
        0x4002_c0fb_0981_1e7e,
        0x3feb_9f69_3feb_72fb,
        0x4060_f9b2_07ec_9c00,
    ];
}
