//! Path loss: received power as a function of distance.

use crate::config::RadioConfig;
use crate::config::radio::Propagation;
use hopscope_core::math;

/// Path loss with the parameters of a run.
#[derive(Debug, Clone)]
pub struct PathLoss {
    model: Propagation,
    /// Transmit power times both gains over system loss, watts.
    radiated: f64,
    wavelength: f64,
    /// What two-ray ground divides by the fourth power of the distance.
    far: f64,
    crossover: f64,
    reference: f64,
    exponent: f64,
}

impl PathLoss {
    /// Path loss for these parameters.
    pub fn new(radio: &RadioConfig) -> Self {
        let wavelength = radio.propagation_speed / radio.frequency;
        let height = radio.antenna_height;
        let radiated = radio.tx_power * radio.antenna_gain * radio.antenna_gain / radio.system_loss;
        PathLoss {
            model: radio.propagation,
            radiated,
            wavelength,
            far: radiated * height.powi(4),
            crossover: 4.0 * std::f64::consts::PI * height * height / wavelength,
            reference: radio.reference_distance,
            exponent: radio.path_loss_exponent,
        }
    }

    /// Mean received power in watts at `distance` metres.
    ///
    /// Friis: Pt G (lambda / 4 pi d)^2 / L. Two-ray ground: the same up to d = 4 pi h^2 / lambda, Pt G h^4 / (d^4 L)
    /// beyond. Log-distance: Friis up to the reference distance d0, P(d0) (d0 / d)^n beyond.
    #[inline]
    pub fn power(&self, distance: f64) -> f64 {
        let distance = distance.max(NEAREST);
        match self.model {
            Propagation::TwoRay => self.two_ray(distance),
            Propagation::LogDistance if distance > self.reference => {
                self.free_space(self.reference) * math::pow(self.reference / distance, self.exponent)
            }
            Propagation::Friis | Propagation::LogDistance => self.free_space(distance),
        }
    }

    /// True for two-ray ground.
    pub fn is_two_ray(&self) -> bool {
        self.model == Propagation::TwoRay
    }

    /// The mean received power in watts by two-ray ground, whatever the model.
    #[inline(always)]
    pub fn two_ray(&self, distance: f64) -> f64 {
        let distance = distance.max(NEAREST);
        if distance > self.crossover { self.far / distance.powi(4) } else { self.free_space(distance) }
    }

    fn free_space(&self, distance: f64) -> f64 {
        self.radiated * (self.wavelength / (4.0 * std::f64::consts::PI * distance)).powi(2)
    }

    /// Distance in metres from which the mean power stays below `power` watts; at most `most`.
    pub fn distance_of(&self, power: f64, most: f64) -> f64 {
        // Every model falls with distance.
        let (mut near, mut far) = (0.0, most);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (near + far);
            if self.power(middle) >= power {
                near = middle;
            } else {
                far = middle;
            }
        }
        far
    }
}

/// Nodes nearer than this count as this far from each other, metres.
const NEAREST: f64 = 1e-3;
/// Halvings of the interval in which a distance is looked for: far below a millimetre for any that nodes can have.
const HALVINGS: u32 = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::presets;
    use hopscope_core::config::profile::Profile;

    #[test]
    fn wavelan_thresholds_lie_at_250_and_550_metres() {
        let radio = presets::radio(Profile::Ns2, "wavelan-2M").expect("a preset");
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

    #[test]
    fn log_distance_starts_from_free_space() {
        let friis = PathLoss::new(&RadioConfig { propagation: Propagation::Friis, ..RadioConfig::default() });
        let radio = RadioConfig {
            propagation: Propagation::LogDistance,
            path_loss_exponent: 3.5,
            reference_distance: 2.0,
            ..RadioConfig::default()
        };
        let loss = PathLoss::new(&radio);
        for near in [0.5, 1.0, 2.0] {
            assert_eq!(loss.power(near), friis.power(near), "{near} m");
        }
        // Ten times the distance costs 35 dB.
        assert!((loss.power(2.0) / loss.power(20.0) / 10f64.powf(3.5) - 1.0).abs() < 1e-12);
        assert!((loss.power(30.0) / loss.power(300.0) / 10f64.powf(3.5) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_distance_of_a_power_is_found() {
        for propagation in [Propagation::Friis, Propagation::TwoRay, Propagation::LogDistance] {
            let loss = PathLoss::new(&RadioConfig { propagation, ..RadioConfig::default() });
            for distance in [3.0, 250.0, 1800.0] {
                assert!((loss.distance_of(loss.power(distance), 3000.0) - distance).abs() < 2e-3, "{distance} m");
            }
            assert_eq!(loss.distance_of(0.0, 3000.0), 3000.0);
        }
    }
}
