//! How far a rate reaches by the sensitivity that IEEE 802.11 asks of a receiver, given the range that the field's studies give
//! 2 Mbit/s.
//!
//! The studies' 250 m (fu2003, table 1) belong to WaveLAN at 2 Mbit/s. A faster rate needs more power: the distance is that at which
//! the power of a frame is above that of 250 m by the difference of the sensitivities. What is sensed does not depend on the
//! rate of the data: preamble and header go at the lowest one.

use super::propagation::PathLoss;
use crate::config::RadioConfig;
use crate::config::radio::Phy;
use hopscope_core::math;

/// Metres at which 2 Mbit/s is just received (fu2003, table 1).
const REFERENCE_M: f64 = 250.0;
/// Minimum sensitivity at 2 Mbit/s, dBm (IEEE 802.11-2012 16.4.8).
const REFERENCE_DBM: f64 = -80.0;
/// Farther than any rate reaches, metres.
const MOST_M: f64 = 1e5;

/// The minimum sensitivity of a receiver at the data rate, dBm; none where the standard gives no number or the rate is that of the
/// reference.
///
/// IEEE 802.11-2020 clause 16 (11 Mbit/s), 17.3.10.2 (20 MHz), clause 18 (the same for ERP-OFDM).
fn sensitivity_dbm(radio: &RadioConfig) -> Option<f64> {
    if let Some(mode) = radio.data_mode() {
        return mode.sensitivity_dbm();
    }
    Some(match (radio.phy, radio.data_rate) {
        (Phy::Dsss, 11_000_000) => -76.0,
        // 1 and 2 Mbit/s share the reference; for 5.5 Mbit/s the standard gives no number.
        (Phy::Dsss, _) => return None,
        (Phy::Ofdm | Phy::ErpOfdm, rate) => match rate {
            6_000_000 => -82.0,
            9_000_000 => -81.0,
            12_000_000 => -79.0,
            18_000_000 => -77.0,
            24_000_000 => -74.0,
            36_000_000 => -70.0,
            48_000_000 => -66.0,
            54_000_000 => -65.0,
            _ => return None,
        },
    })
}

/// How far a rate reaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// Minimum sensitivity at the rate, dBm.
    pub sensitivity_dbm: f64,
    /// Metres.
    pub range: f64,
}

/// How far the data rate reaches where 2 Mbit/s reaches 250 m; none where the standard gives no sensitivity for it.
pub fn reach(radio: &RadioConfig) -> Option<Reach> {
    let sensitivity_dbm = sensitivity_dbm(radio)?;
    let loss = PathLoss::new(radio);
    let needed = loss.power(REFERENCE_M) * math::from_decibels(sensitivity_dbm - REFERENCE_DBM);
    Some(Reach { sensitivity_dbm, range: loss.distance_of(needed, MOST_M) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::presets;
    use hopscope_core::config::profile::Profile;

    fn of(preset: &str) -> Option<f64> {
        reach(&presets::radio(Profile::Standard, preset).expect("a preset")).map(|reach| reach.range)
    }

    #[test]
    fn faster_rates_reach_less_far() {
        // Two-ray ground at 914 MHz: the fourth power, 4 dB more are 250 m / 10^0.1; zhang2006 has 200 m for this card.
        assert!((of("wavelan-11M").expect("a sensitivity") - 250.0 / 10f64.powf(0.1)).abs() < 1e-6);
        // 802.11a at 5.2 GHz: free space up to 490 m, 15 dB more are 250 m / 10^0.75.
        assert!((of("ofdm-54M").expect("a sensitivity") - 250.0 / 10f64.powf(0.75)).abs() < 1e-6);
        let rates = ["6M", "9M", "12M", "18M", "24M", "36M", "48M", "54M"];
        let ranges: Vec<f64> = rates.iter().filter_map(|rate| of(&format!("erp-ofdm-{rate}"))).collect();
        assert_eq!(ranges.len(), rates.len());
        assert!(ranges.windows(2).all(|pair| pair[0] > pair[1]), "{ranges:?}");
        assert_eq!([of("wavelan-2M"), of("dsss-1M"), of("hr-dsss-5.5M")], [None; 3]);
    }

    #[test]
    fn twice_the_width_needs_twice_the_power() {
        let of = |preset: &str, mcs: u32| {
            let radio = presets::radio(Profile::Standard, preset).expect("a preset");
            reach(&RadioConfig { mcs, ..radio }).expect("a sensitivity")
        };
        assert_eq!(of("ht-20", 7).sensitivity_dbm, -64.0);
        assert_eq!(of("he-160-4ss", 11).sensitivity_dbm, -43.0);
        // Free space: MCS 4 at 20 MHz needs 10 dB more than 2 Mbit/s, and 3 dB more with each doubling.
        let metres = ["vht-20", "vht-40", "vht-80", "vht-160"].map(|preset| of(preset, 4).range);
        for (found, db) in metres.into_iter().zip([10.0, 13.0, 16.0, 19.0]) {
            assert!((found - 250.0 / 10f64.powf(db / 20.0)).abs() < 1e-6, "{found}");
        }
    }
}
