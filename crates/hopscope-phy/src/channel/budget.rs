//! Thresholds of power and the distance to which frames matter at all.

use crate::channel::fading::BlockFading;
use crate::channel::propagation::PathLoss;
use crate::config::RadioConfig;
use crate::config::radio::{CarrierSense, Interference, InterferenceReach, Shadowing, watts};
use crate::phy::Arrival;
use crate::phy::modes::{self, Mode};
use hopscope_core::math;

/// Allowance for rounding when a distance equals a range exactly, in metres.
pub const RANGE_SLACK: f64 = 1e-6;

/// Shadowing beyond so many standard deviations is not looked for.
const DEVIATIONS: f64 = 3.0;

/// An interferer below this part of what the weakest frame can bear at once is not looked for: alone it takes less than
/// 0.42 dB from a ratio at its threshold.
const NEGLECTED: f64 = 0.1;

/// A varying channel, and interference beyond the ranges, reach no farther than a signal travels in this time (the SIFS of most PHYs), unless the ranges
/// themselves are longer.
const LONGEST_DELAY: f64 = 10e-6;

/// Mean powers at the three ranges of a run.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Mean power over distance.
    pub loss: PathLoss,
    decodable: f64,
    sensed: f64,
    interferes: f64,
    /// Sum of powers that keeps the medium busy, under `carrier_sense = "sum"`.
    pub busy: Option<f64>,
}

impl Budget {
    /// The thresholds of these parameters: mean powers at the ranges.
    pub fn new(radio: &RadioConfig) -> Self {
        let loss = PathLoss::new(radio);
        let at = |range: f64| loss.power(range + RANGE_SLACK);
        let (decodable, sensed, interferes) = (at(radio.tx_range), at(radio.cs_range), at(radio.interference_range));
        // Energy detection has a threshold of its own (`energy_range`); without one it is that of a single frame.
        let busy = (radio.carrier_sense == CarrierSense::Sum)
            .then(|| if radio.energy_range > 0.0 { at(radio.energy_range) } else { sensed });
        Budget { loss, decodable, sensed, interferes, busy }
    }

    /// `Arrival` bits of a frame received with `power` watts.
    #[inline]
    pub fn flags(&self, power: f64) -> u8 {
        let above = |threshold: f64, bit: u8| if power >= threshold { bit } else { 0 };
        above(self.decodable, Arrival::DECODABLE)
            | above(self.sensed, Arrival::SENSED)
            | above(self.interferes, Arrival::INTERFERES)
    }

    /// The lowest power in watts that matters to a receiver.
    pub fn floor(&self, radio: &RadioConfig) -> f64 {
        match (radio.interference, radio.interference_reach) {
            (Interference::Range, _) => self.sensed.min(self.interferes),
            (Interference::Sinr, InterferenceReach::Ratio) => self.sensed.min(self.least_interference(radio)),
            // What cannot be sensed does not exist to these, as in ns-2 and ns-3.
            (Interference::Capture, _) | (Interference::Sinr, InterferenceReach::CarrierSense) => self.sensed,
        }
    }

    /// The lowest power that can matter to a ratio: a part of the noise and interference that the weakest frame that can
    /// be decoded bears at the highest threshold in use, or of the noise where that alone is more.
    fn least_interference(&self, radio: &RadioConfig) -> f64 {
        let rates = [radio.data_rate, radio.basic_rate];
        let modes =
            rates.iter().chain(&radio.response_rates).filter_map(|&rate| Mode::of(rate)).chain(radio.data_mode());
        let threshold = modes.map(modes::sinr_threshold).fold(1.0, f64::max);
        let noise = watts(radio.noise_floor);
        NEGLECTED * (self.decodable / threshold).max(noise)
    }

    /// Distance in metres within which nodes are looked for that may hear each other.
    ///
    /// Without shadowing and fading this is the longest of the ranges, under `interference = "sinr"` the distance to which
    /// a frame can matter to a ratio ([`Budget::floor`]). With them it is where a link three standard
    /// deviations above the mean, at a peak of its fading that comes less than once in a thousand blocks, is still
    /// sensed; of independent margins the squares add.
    ///
    /// `gain` is the power in parts of `tx_power`.
    pub fn reach(&self, radio: &RadioConfig, gain: f64) -> f64 {
        let mut ranges = radio.cs_range.max(radio.tx_range);
        if radio.interference == Interference::Range {
            ranges = ranges.max(radio.interference_range);
        }
        let shadowing = if radio.shadowing == Shadowing::None { 0.0 } else { DEVIATIONS * radio.shadowing_sigma };
        let fading = BlockFading::new(radio).map_or(0.0, |fading| 10.0 * math::log10(fading.peak()));
        // Independent margins: both at their worst at once would reach much farther than any frame does.
        let margin = math::hypot(shadowing, fading);
        let far = radio.interference == Interference::Sinr && self.floor(radio) < self.sensed;
        if margin == 0.0 && gain == 1.0 && !far {
            return ranges;
        }
        let most = (LONGEST_DELAY * radio.propagation_speed).max(ranges);
        let least = self.floor(radio) / (gain * math::from_decibels(margin));
        let reach = self.loss.distance_of(least, most);
        // At the usual power the ranges hold by definition; at another one thresholds alone decide.
        if gain == 1.0 { reach.max(ranges) } else { reach }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::radio::{Fading, Propagation};

    #[test]
    fn the_ranges_are_met_exactly() {
        for propagation in [Propagation::Friis, Propagation::TwoRay, Propagation::LogDistance] {
            let radio = RadioConfig { propagation, interference_range: 400.0, ..RadioConfig::default() };
            let budget = Budget::new(&radio);
            let at = |distance: f64| budget.flags(budget.loss.power(distance));
            let (all, sensed) = (Arrival::DECODABLE | Arrival::SENSED | Arrival::INTERFERES, Arrival::SENSED);
            assert_eq!(at(250.0), all);
            assert_eq!(at(250.001), sensed | Arrival::INTERFERES);
            assert_eq!(at(400.001), sensed);
            assert_eq!(at(550.0), sensed);
            assert_eq!(at(550.001), 0);
        }
    }

    #[test]
    fn a_varying_channel_reaches_as_far_as_its_margins() {
        let plain = RadioConfig { propagation: Propagation::LogDistance, ..RadioConfig::default() };
        assert_eq!(Budget::new(&plain).reach(&plain, 1.0), 550.0);
        // 12 dB of shadowing at exponent 3 are a factor of 10^0.4.
        let shadowed = RadioConfig { shadowing: Shadowing::Static, shadowing_sigma: 4.0, ..plain.clone() };
        assert!((Budget::new(&shadowed).reach(&shadowed, 1.0) - 550.0 * 10f64.powf(0.4)).abs() < 0.01);
        // 10.1 dB of Rayleigh fading on top: sqrt(12^2 + 10.1^2) = 15.7 dB.
        let both = RadioConfig { fading: Fading::Rayleigh, ..shadowed };
        assert!((Budget::new(&both).reach(&both, 1.0) - 550.0 * 10f64.powf(15.68 / 30.0)).abs() < 5.0);
        // No farther than 10 us.
        let wild = RadioConfig { shadowing_sigma: 12.0, ..both };
        assert!((Budget::new(&wild).reach(&wild, 1.0) - 2_997.9).abs() < 0.1);
    }

    #[test]
    fn interference_reaches_as_far_as_it_can_matter_to_a_ratio() {
        let reach = |radio: &RadioConfig| Budget::new(radio).reach(radio, 1.0);
        let sinr = |data_rate| RadioConfig { interference: Interference::Sinr, data_rate, ..RadioConfig::default() };
        // A tenth of what the weakest frame bears at 26 dB: 36 dB below the power at 250 m, under the fourth power 10^0.9
        // times as far. At 7 dB 17 dB are a factor of 10^0.425.
        assert!((reach(&sinr(54_000_000)) - 250.0 * 10f64.powf(0.9)).abs() < 0.1);
        assert!((reach(&sinr(2_000_000)) - 250.0 * 10f64.powf(0.425)).abs() < 0.1);
        // With a noise of -80 dBm nothing below -90 dBm counts: 25.6 dB below the power at 250 m.
        let noisy = RadioConfig { noise_floor: -80.0, ..sinr(54_000_000) };
        assert!((reach(&noisy) - 250.0 * 10f64.powf(2.56 / 4.0)).abs() < 5.0, "{}", reach(&noisy));
        // No farther than 10 us, and no nearer than frames are sensed.
        let free = RadioConfig { propagation: Propagation::Friis, ..sinr(54_000_000) };
        assert!((reach(&free) - 2_997.9).abs() < 0.1);
        assert_eq!(reach(&RadioConfig { noise_floor: -40.0, ..sinr(54_000_000) }), 550.0);
        let near = RadioConfig { interference_reach: InterferenceReach::CarrierSense, ..sinr(54_000_000) };
        assert_eq!(reach(&near), 550.0);
        let capture = RadioConfig { interference: Interference::Capture, ..sinr(54_000_000) };
        assert_eq!(reach(&capture), 550.0);
    }
}
