//! Path loss: received power as a function of distance.

use crate::config::RadioConfig;
use crate::config::radio::Propagation;

/// Path loss with the parameters of a run.
#[derive(Debug, Clone)]
pub struct PathLoss {
    model: Propagation,
    /// Transmit power times both gains over system loss, watts.
    radiated: f64,
    wavelength: f64,
    height: f64,
    crossover: f64,
}

impl PathLoss {
    /// Path loss for these parameters.
    pub fn new(radio: &RadioConfig) -> Self {
        let wavelength = radio.propagation_speed / radio.frequency;
        let height = radio.antenna_height;
        PathLoss {
            model: radio.propagation,
            radiated: radio.tx_power * radio.antenna_gain * radio.antenna_gain / radio.system_loss,
            wavelength,
            height,
            crossover: 4.0 * std::f64::consts::PI * height * height / wavelength,
        }
    }

    /// Received power in watts at `distance` metres.
    ///
    /// Friis: Pt G (lambda / 4 pi d)^2 / L. Two-ray ground: the same up to d = 4 pi h^2 / lambda, Pt G h^4 / (d^4 L)
    /// beyond.
    pub fn power(&self, distance: f64) -> f64 {
        let distance = distance.max(1e-3);
        if self.model == Propagation::TwoRay && distance > self.crossover {
            return self.radiated * self.height.powi(4) / distance.powi(4);
        }
        self.radiated * (self.wavelength / (4.0 * std::f64::consts::PI * distance)).powi(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::presets;

    #[test]
    fn wavelan_thresholds_lie_at_250_and_550_metres() {
        let radio = presets::base("ns2", "wavelan-2M").expect("a profile").radio;
        let loss = PathLoss::new(&radio);
        assert!((loss.power(250.0) / 3.652e-10 - 1.0).abs() < 1e-3);
        assert!((loss.power(550.0) / 1.559e-11 - 1.0).abs() < 1e-3);
        assert!((loss.power(200.0) / loss.power(400.0) - 16.0).abs() < 1e-9);
        assert!((loss.crossover - 86.14).abs() < 0.1, "{}", loss.crossover);
    }

    #[test]
    fn friis_falls_with_the_square() {
        let radio = RadioConfig { propagation: Propagation::Friis, ..RadioConfig::default() };
        let loss = PathLoss::new(&radio);
        assert!((loss.power(100.0) / loss.power(200.0) - 4.0).abs() < 1e-9);
    }
}
