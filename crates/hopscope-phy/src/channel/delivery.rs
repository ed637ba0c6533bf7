//! What the channel delivers of the frames over a link while nobody else is on the air: the true share that probes estimate.
//!
//! It follows from the mean power of the link and from the error process. Interference, and what changes with time, are not
//! in it.

use crate::channel::loss::Losses;
use crate::config::RadioConfig;
use crate::config::radio::{ErrorKind, Interference, watts};
use crate::phy::error_rate::ErrorRules;
use crate::phy::modes::{Mode, sinr_threshold};
use hopscope_core::ids::NodeId;
use hopscope_core::math;

/// Shares of frames that arrive.
#[derive(Debug)]
pub struct Delivery {
    losses: Option<Losses>,
    noise: f64,
    ratio: Ratio,
}

/// What the ratio of power to noise does to a frame.
#[derive(Debug)]
enum Ratio {
    /// Nothing: what can be decoded arrives.
    Ignored,
    /// Below the threshold of its mode it is lost.
    Threshold,
    /// Each bit can be wrong.
    Errors(Box<ErrorRules>),
}

impl Delivery {
    /// Of a network of so many nodes.
    pub fn new(radio: &RadioConfig, nodes: usize) -> Self {
        let ratio = match (radio.interference, radio.error_kind) {
            (_, ErrorKind::Sinr) => Ratio::Errors(ErrorRules::new(radio).into()),
            (Interference::Sinr, _) => Ratio::Threshold,
            (Interference::Capture | Interference::Range, _) => Ratio::Ignored,
        };
        // Long-run shares do not depend on the seed.
        Delivery { losses: Losses::new(radio, 0, nodes), noise: watts(radio.noise_floor), ratio }
    }

    /// The share of frames of `bits` bits of the MAC, sent in `mode` over the link of `from` to `to`, that arrives where they
    /// are received with `power` watts.
    pub fn share(&self, ends: [NodeId; 2], power: f64, mode: Mode, bits: u32) -> f64 {
        let sinr = power / self.noise;
        let by_ratio = match &self.ratio {
            Ratio::Ignored => 1.0,
            Ratio::Threshold => f64::from(u8::from(sinr >= sinr_threshold(mode))),
            Ratio::Errors(rules) => math::exp(rules.frame_log_success(mode, bits, sinr)),
        };
        by_ratio * (1.0 - self.losses.as_ref().map_or(0.0, |losses| losses.mean(ends[0], ends[1], bits)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: [NodeId; 2] = [NodeId(0), NodeId(1)];

    fn share(radio: &RadioConfig, db: f64, rate: u64, bits: u32) -> f64 {
        let power = watts(radio.noise_floor + db);
        Delivery::new(radio, 2).share(ENDS, power, Mode::of(rate).expect("a rate"), bits)
    }

    #[test]
    fn errors_of_bits_hit_long_frames_more_than_short_probes() {
        let radio = RadioConfig { error_kind: ErrorKind::Uniform, error_ber: 1e-4, ..RadioConfig::default() };
        // (1 - 1e-4)^1072 and ^8736: a probe of 134 bytes, and 1,064 bytes of data with its header.
        assert!((share(&radio, 30.0, 1_000_000, 1072) - 0.898_33).abs() < 1e-4);
        assert!((share(&radio, 30.0, 2_000_000, 8736) - 0.417_40).abs() < 1e-4);
    }

    #[test]
    fn a_ratio_loses_by_threshold_or_by_bits() {
        let by_threshold = RadioConfig { interference: Interference::Sinr, ..RadioConfig::default() };
        let limit = 10.0 * math::log10(sinr_threshold(Mode::of(11_000_000).expect("a rate")));
        assert_eq!([limit - 0.1, limit + 0.1].map(|db| share(&by_threshold, db, 11_000_000, 8000)), [0.0, 1.0]);
        let by_bits = RadioConfig { error_kind: ErrorKind::Sinr, ..by_threshold };
        // At one ratio the slow small probe arrives and the fast long frame does not.
        let (probe, data) = (share(&by_bits, 1.0, 1_000_000, 1072), share(&by_bits, 1.0, 11_000_000, 8736));
        assert!(probe > 0.999 && data < 0.1, "{probe} and {data}");
        assert_eq!(
            share(&RadioConfig::default(), -10.0, 11_000_000, 8000),
            1.0,
            "no ratio: what can be decoded arrives"
        );
    }
}
