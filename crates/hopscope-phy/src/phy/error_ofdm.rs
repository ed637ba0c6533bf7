//! Errors of OFDM, of non-HT, HT, VHT and HE modes: modulation of the subcarriers, then the convolutional code K = 7
//! and its punctured forms.
//!
//! | word | bits of a subcarrier | code |
//! |---|---|---|
//! | `hard` | Gray-coded, errors to the nearest points | union bound with hard decisions |
//! | `soft` | Bhattacharyya factor B of the nearest points, mean over the bits | union bound: Q(sqrt(-2 d ln B)) |
//! | `yans` | symbol errors of square QAM over the bits of a symbol | words at the free distance and one more |
//! | `table` | | see [`super::error_table`] |
//!
//! Sources: weights of `hard` from Frenger, Orten and Ottosson 1999, its formula from Pei and Henderson 2010 (ns-3's
//! NistErrorRateModel); `soft` from Caire, Taricco and Biglieri 1998, for words at distance d; `yans` from Lacage and
//! Henderson 2006 (ns-3's YansErrorRateModel), its symbol errors from Proakis, its counts of words from Haccoun and
//! Begin 1989.
//!
//! The noise is taken over the channel. Streams gain nothing and lose nothing, as with as many antennas as streams.

use super::error_function::{erfc, q};
use super::error_table;
use super::modes::Mode;
use crate::config::layout::Layout;
use crate::config::radio::OfdmDecoding;
use hopscope_core::math;

/// The convolutional code with generators 133 and 171 at one code rate.
#[derive(Debug)]
struct Code {
    /// Information bits of a branch.
    branch: f64,
    /// Free distance.
    distance: i32,
    /// Information weights from the free distance upwards.
    weights: &'static [f64],
    /// How many of them non-HT rates take. They had no more, and their results stay as they were.
    non_ht: usize,
    /// Words at the free distance and at one more.
    words: [f64; 2],
}

#[rustfmt::skip]
const HALF: Code = Code {
    branch: 1.0,
    distance: 10,
    weights: &[
        36.0, 0.0, 211.0, 0.0, 1_404.0, 0.0, 11_633.0, 0.0, 77_433.0,
        0.0, 502_690.0, 0.0, 3_322_763.0, 0.0, 21_292_910.0, 0.0, 134_365_911.0,
    ],
    non_ht: 11,
    words: [11.0, 0.0],
};
const TWO_THIRDS: Code = Code {
    branch: 2.0,
    distance: 6,
    weights: &[3.0, 70.0, 285.0, 1_276.0, 6_160.0, 27_128.0, 117_019.0, 498_860.0, 2_103_891.0, 8_784_123.0],
    non_ht: 7,
    words: [1.0, 16.0],
};
#[rustfmt::skip]
const THREE_QUARTERS: Code = Code {
    branch: 3.0,
    distance: 5,
    weights: &[
        42.0, 201.0, 1_492.0, 10_469.0, 62_935.0,
        379_644.0, 2_253_373.0, 13_073_811.0, 75_152_755.0, 428_005_675.0,
    ],
    non_ht: 7,
    words: [8.0, 31.0],
};
#[rustfmt::skip]
const FIVE_SIXTHS: Code = Code {
    branch: 5.0,
    distance: 4,
    weights: &[
        92.0, 528.0, 8_694.0, 79_453.0, 792_114.0,
        7_375_573.0, 67_884_974.0, 610_875_423.0, 5_427_275_376.0, 47_664_215_639.0,
    ],
    non_ht: 0,
    words: [14.0, 69.0],
};

/// How the bits of a mode lie on its subcarriers.
#[derive(Debug, Clone, Copy)]
struct Coding {
    /// Bits of a subcarrier.
    bits: u32,
    code: &'static Code,
    /// How many weights of the code count.
    terms: usize,
    /// Energy of a subcarrier's symbol over the density of noise, for each unit of the ratio in the channel.
    energy: f64,
    /// Measured curves, if there are any.
    curves: Option<usize>,
}

/// Data subcarriers of 20 MHz in a non-HT PPDU, in symbols of 4 us (IEEE 802.11-2020 table 17-5).
const NON_HT_ENERGY: f64 = 20.0 * 4.0 / 48.0;

impl Coding {
    fn of(mode: Mode) -> Coding {
        match mode.layout().zip(mode.mcs()) {
            Some((layout, (mcs, _))) => Coding::of_mcs(layout, mcs),
            None => Coding::of_rate(mode.rate()),
        }
    }

    /// Of a non-HT rate, bit/s.
    fn of_rate(rate: u64) -> Coding {
        let (bits, code, curves) = match rate {
            6_000_000 => (1, &HALF, 0),
            9_000_000 => (1, &THREE_QUARTERS, 1),
            12_000_000 => (2, &HALF, 2),
            18_000_000 => (2, &THREE_QUARTERS, 3),
            24_000_000 => (4, &HALF, 4),
            36_000_000 => (4, &THREE_QUARTERS, 5),
            48_000_000 => (6, &TWO_THIRDS, 6),
            _ => (6, &THREE_QUARTERS, 7),
        };
        Coding { bits, code, terms: code.non_ht, energy: NON_HT_ENERGY, curves: Some(curves) }
    }

    fn of_mcs(layout: Layout, mcs: u8) -> Coding {
        let (bits, rate) = Layout::modulation(mcs);
        let code = match rate {
            (1, 2) => &HALF,
            (2, 3) => &TWO_THIRDS,
            (3, 4) => &THREE_QUARTERS,
            _ => &FIVE_SIXTHS,
        };
        // MCS 0 to 6 have modulation and code of the non-HT rates, of which 9 Mbit/s has no MCS.
        const CURVES: [usize; 10] = [0, 2, 3, 4, 5, 6, 7, 8, 9, 10];
        let symbol = layout.symbol().0 as f64 * 1e-3;
        let energy = f64::from(layout.width.mhz()) * symbol / f64::from(layout.data_subcarriers());
        let curves = CURVES.get(usize::from(mcs)).copied();
        Coding { bits, code, terms: code.weights.len(), energy, curves }
    }
}

/// Logarithm of the probability that `bits` bits sent in an OFDM mode at a ratio `snr` (linear) are all received.
pub(super) fn log_success(decoding: OfdmDecoding, mode: Mode, snr: f64, bits: f64) -> f64 {
    let coding = Coding::of(mode);
    let per_bit = match (decoding, coding.curves) {
        (OfdmDecoding::Hard, _) => coding.hard(snr),
        (OfdmDecoding::Soft, _) => coding.soft(snr),
        (OfdmDecoding::Table, Some(curves)) => return error_table::log_success(curves, snr, bits),
        // ns-3's table ends at MCS 9, and it goes on with this.
        (OfdmDecoding::Yans, _) | (OfdmDecoding::Table, None) => coding.yans(snr),
    };
    bits * math::ln_1p(-per_bit)
}

/// Share of the bits of Gray-coded square QAM whose nearest point of the other value lies 1, 2, 3... steps away.
const QAM16: [f64; 2] = [0.75, 0.25];
const QAM64: [f64; 4] = [7.0 / 12.0, 3.0 / 12.0, 1.0 / 12.0, 1.0 / 12.0];
#[rustfmt::skip]
const QAM256: [f64; 8] = [
    15.0 / 32.0, 7.0 / 32.0, 3.0 / 32.0, 3.0 / 32.0, 1.0 / 32.0, 1.0 / 32.0, 1.0 / 32.0, 1.0 / 32.0,
];
#[rustfmt::skip]
const QAM1024: [f64; 16] = [
    31.0 / 80.0, 15.0 / 80.0, 7.0 / 80.0, 7.0 / 80.0, 3.0 / 80.0, 3.0 / 80.0, 3.0 / 80.0, 3.0 / 80.0,
    1.0 / 80.0, 1.0 / 80.0, 1.0 / 80.0, 1.0 / 80.0, 1.0 / 80.0, 1.0 / 80.0, 1.0 / 80.0, 1.0 / 80.0,
];

impl Coding {
    /// Bit errors from bits decided one by one: (1 / 2k) sum of c_d D^d with D = sqrt(4 p (1 - p)), for k information
    /// bits a branch.
    fn hard(&self, snr: f64) -> f64 {
        // Errors to the nearest points alone, as the others are rare where frames come through at all.
        let p = match self.bits {
            1 => q(2.0 * snr),
            // Two bits share the energy of a symbol.
            2 => q(snr),
            4 => 0.75 * q(snr / 5.0),
            6 => 7.0 / 12.0 * q(snr / 21.0),
            8 => 15.0 / 32.0 * q(snr / 85.0),
            _ => 31.0 / 80.0 * q(snr / 341.0),
        };
        let d = (4.0 * p * (1.0 - p)).sqrt();
        let sum: f64 = self.weights().iter().rev().fold(0.0, |sum, weight| sum * d + weight);
        (sum * d.powi(self.code.distance) / (2.0 * self.code.branch)).min(0.5)
    }

    /// The same from the reliability of each bit: (1 / k) sum of c_d Q(sqrt(-2 d ln B)).
    fn soft(&self, snr: f64) -> f64 {
        let factor = match self.bits {
            1 => math::exp(-snr),
            2 => math::exp(-snr / 2.0),
            // Points two apart have a mean energy of 2 (M - 1) / 3 in M-QAM.
            4 => bhattacharyya(snr / 10.0, &QAM16),
            6 => bhattacharyya(snr / 42.0, &QAM64),
            8 => bhattacharyya(snr / 170.0, &QAM256),
            _ => bhattacharyya(snr / 682.0, &QAM1024),
        };
        let step = -2.0 * math::ln(factor);
        let free = f64::from(self.code.distance);
        let terms = self.weights().iter().enumerate().map(|(more, weight)| weight * q(step * (free + more as f64)));
        (terms.sum::<f64>() / self.code.branch).min(0.5)
    }

    fn weights(&self) -> &'static [f64] {
        &self.code.weights[..self.terms]
    }

    /// Wrong decisions of the decoder a bit: words at the free distance and, but for BPSK, at one more.
    fn yans(&self, snr: f64) -> f64 {
        let energy = snr * self.energy;
        let distance = self.code.distance;
        let [first, second] = self.code.words;
        let wrong = if self.bits == 1 {
            first * wrong_word(0.5 * erfc(energy.sqrt()), distance)
        } else {
            let points = f64::from(1u32 << self.bits);
            let axis = (1.0 - 1.0 / points.sqrt()) * erfc((1.5 * energy / (points - 1.0)).sqrt());
            let p = axis * (2.0 - axis) / f64::from(self.bits);
            first * wrong_word(p, distance) + second * wrong_word(p, distance + 1)
        };
        wrong.min(0.5)
    }
}

/// Probability that hard decisions, each wrong with probability `p`, lie nearer to a word at a distance than to the one
/// sent. A tie goes either way.
fn wrong_word(p: f64, distance: i32) -> f64 {
    let odds = p / (1.0 - p);
    let mut exactly = (1.0 - p).powi(distance);
    let mut sum = 0.0;
    for wrong in 0..=distance {
        match (2 * wrong).cmp(&distance) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => sum += 0.5 * exactly,
            std::cmp::Ordering::Greater => sum += exactly,
        }
        exactly *= odds * f64::from(distance - wrong) / f64::from(wrong + 1);
    }
    sum
}

/// Mean of exp(-d^2 / 4 N0) over the bits, where one step to the next point makes the exponent `step`.
fn bhattacharyya(step: f64, shares: &[f64]) -> f64 {
    let terms = shares.iter().enumerate().map(|(less, share)| {
        let steps = (less + 1) as f64;
        share * math::exp(-steps * steps * step)
    });
    terms.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares of the bits of one axis of Gray-coded QAM by the steps to the nearest point of the other value, counted.
    fn counted(bits: u32) -> Vec<f64> {
        let points = 1i32 << bits;
        let gray = |point: i32| point ^ (point >> 1);
        let mut shares = vec![0.0; points as usize / 2];
        for (bit, point) in (0..bits).flat_map(|bit| (0..points).map(move |point| (bit, point))) {
            let other = (0..points).filter(|&other| (gray(other) ^ gray(point)) >> bit & 1 == 1);
            let steps = other.map(|other| (other - point).abs()).min().expect("both values");
            shares[steps as usize - 1] += 1.0 / f64::from(points * bits as i32);
        }
        shares
    }

    #[test]
    fn nearest_points_are_counted() {
        let known: [&[f64]; 4] = [&QAM16, &QAM64, &QAM256, &QAM1024];
        for (bits, shares) in (2..).zip(known) {
            let counted = counted(bits);
            assert_eq!(counted.len(), shares.len());
            assert!(counted.iter().zip(shares).all(|(found, share)| (found - share).abs() < 1e-12), "{counted:?}");
        }
    }

    #[test]
    fn wrong_words_are_counted() {
        // Two of three decisions wrong, or three: 3 p^2 (1 - p) + p^3. With two decisions a tie counts half.
        let p: f64 = 0.2;
        assert!((wrong_word(p, 3) - (3.0 * p * p * (1.0 - p) + p.powi(3))).abs() < 1e-15);
        assert!((wrong_word(p, 2) - (p * (1.0 - p) + p * p)).abs() < 1e-15);
        assert_eq!(wrong_word(0.0, 10), 0.0);
    }
}
