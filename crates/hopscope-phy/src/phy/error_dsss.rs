//! Errors of DSSS and HR/DSSS, with the noise over 22 MHz.
//!
//! | Mbit/s | modulation | error rate |
//! |---|---|---|
//! | 1 | DBPSK, 11 chips a bit | exp(-Eb/N0) / 2 |
//! | 2 | DQPSK, 11 chips a symbol | (1 + sqrt 2) / sqrt(8 pi sqrt 2) exp(-(2 - sqrt 2) Eb/N0) / sqrt(Eb/N0) |
//! | 5.5, 11 | CCK, `code-words` | union bound over the distances of the code words (Pursley and Royster 2009) |
//! | | CCK, `biorthogonal` | 16 biorthogonal words, half the energy: union bound (Pursley and Taipale 1987) |

use super::error_function::q;
use crate::config::radio::CckDetection;
use hopscope_core::math;

/// Noise bandwidth, Hz.
const BANDWIDTH: f64 = 22e6;
/// Chips per second.
const CHIP_RATE: f64 = 11e6;

/// Logarithm of the probability that `bits` bits sent at `rate` bit/s at a ratio `sinr` (linear) are all received; none
/// at a rate of OFDM.
pub(super) fn log_success(cck: CckDetection, rate: u64, sinr: f64, bits: f64) -> Option<f64> {
    // The ratio is over the receiver's band; error rates want energy over the density of noise.
    let chip = sinr * BANDWIDTH / CHIP_RATE;
    // A wrong symbol of 4 or 8 bits is one error.
    let (errors, units) = match (rate, cck) {
        (1_000_000, _) => (dbpsk(sinr * BANDWIDTH / 1e6), bits),
        (2_000_000, _) => (dqpsk(sinr * BANDWIDTH / 2e6), bits),
        (5_500_000, CckDetection::CodeWords) => (cck_half(chip), bits / 4.0),
        (11_000_000, CckDetection::CodeWords) => (cck_full(chip), bits / 8.0),
        (5_500_000, CckDetection::Biorthogonal) => (biorthogonal(4.0 * chip), bits / 4.0),
        (11_000_000, CckDetection::Biorthogonal) => (biorthogonal(2.0 * chip), bits / 4.0),
        _ => return None,
    };
    Some(units * math::ln_1p(-errors))
}

/// Symbol errors of 16 biorthogonal words: 14 are orthogonal to a given one, one is its opposite.
fn biorthogonal(energy: f64) -> f64 {
    (14.0 * q(energy) + q(2.0 * energy)).min(15.0 / 16.0)
}

fn dbpsk(ebno: f64) -> f64 {
    0.5 * math::exp(-ebno)
}

fn dqpsk(ebno: f64) -> f64 {
    let root = std::f64::consts::SQRT_2;
    let scale = (1.0 + root) / (8.0 * std::f64::consts::PI * root).sqrt();
    // An approximation for more than a few decibels; nothing is worse than guessing.
    (scale / ebno.sqrt() * math::exp(-(2.0 - root) * ebno)).min(0.5)
}

/// Symbol errors of CCK at 5.5 Mbit/s: 14 code words are orthogonal to a given one, one is its opposite.
fn cck_half(chip: f64) -> f64 {
    (14.0 * q(8.0 * chip) + q(16.0 * chip)).min(15.0 / 16.0)
}

/// Symbol errors of CCK at 11 Mbit/s.
fn cck_full(chip: f64) -> f64 {
    let words = [(24.0, 4.0), (16.0, 6.0), (174.0, 8.0), (16.0, 10.0), (24.0, 12.0), (1.0, 16.0)];
    words.iter().map(|&(count, distance)| count * q(distance * chip)).sum::<f64>().min(255.0 / 256.0)
}
