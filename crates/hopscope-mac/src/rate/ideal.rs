//! The ideal rate: an oracle that others are measured against. It takes the fastest mode whose bits come through at the
//! ratio at which the receiver has heard the last data PPDU, as ns-3's IdealWifiManager does.
//!
//! The threshold of a mode is the ratio at which one bit in so many is wrong (`ideal_ber`), from the error model of the run.

use crate::config::MacConfig;
use crate::rate::groups::groups;
use crate::rate::ht::PpduReport;
use hopscope_core::math;
use hopscope_phy::config::RadioConfig;
use hopscope_phy::phy::error_rate::Detection;
use hopscope_phy::phy::modes::Mode;

/// Modes with their thresholds.
#[derive(Debug, Clone)]
pub(crate) struct IdealRules {
    /// Slower modes first.
    modes: Vec<(Mode, f64)>,
}

impl IdealRules {
    pub(super) fn new(radio: &RadioConfig, mac: &MacConfig) -> Self {
        let detection = Detection { cck: radio.error_cck, ofdm: radio.error_ofdm };
        let modes = groups(radio, false).into_iter().flat_map(|group| group.modes).flatten();
        let mut modes: Vec<_> = modes.map(|mode| (mode, threshold(detection, mode, mac.ideal_ber))).collect();
        modes.sort_by_key(|(mode, _)| mode.rate());
        IdealRules { modes }
    }

    pub(super) fn first(&self) -> Mode {
        self.modes.first().map_or_else(Mode::default, |(mode, _)| *mode)
    }

    /// The fastest mode for a ratio; the slowest where none has so low a threshold.
    fn best(&self, ratio: f64) -> Mode {
        let fits = self.modes.iter().rev().find(|(_, threshold)| *threshold < ratio);
        fits.map_or(self.first(), |(mode, _)| *mode)
    }
}

/// The least ratio (linear) at which no more than `ber` of the bits of a mode are wrong: halves the interval in decibels.
fn threshold(detection: Detection, mode: Mode, ber: f64) -> f64 {
    let fails = |db: f64| -math::exp_m1(detection.log_success(mode, math::from_decibels(db), 1.0)) > ber;
    let (mut low, mut high) = DECIBELS;
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if fails(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    math::from_decibels(high)
}

/// Ratios between which the thresholds of all modes lie.
const DECIBELS: (f64, f64) = (-20.0, 80.0);
/// Leaves less than a millionth of a decibel.
const HALVINGS: u32 = 30;

/// The rate to one neighbour.
#[derive(Debug)]
pub(crate) struct Ideal {
    mode: Mode,
}

impl Ideal {
    /// Nothing is known: the slowest mode.
    pub(super) fn new(rules: &IdealRules) -> Self {
        Ideal { mode: rules.first() }
    }

    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// A PPDU that nobody answers says nothing of the ratio.
    pub(super) fn on_ppdu(&mut self, report: PpduReport, rules: &IdealRules) {
        if report.ratio > 0.0 && !report.is_asked {
            self.mode = rules.best(f64::from(report.ratio));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::presets;

    fn rules(preset: &str, ber: f64) -> IdealRules {
        let mut base = presets::base("as-ns3", preset).expect("a preset");
        base.mac.ideal_ber = ber;
        IdealRules::new(&base.radio, &base.mac)
    }

    #[test]
    fn a_threshold_is_where_so_many_bits_are_wrong() {
        let base = presets::base("as-ns3", "ht-20").expect("a preset");
        let detection = Detection { cck: base.radio.error_cck, ofdm: base.radio.error_ofdm };
        for (mode, threshold) in rules("ht-20", 1e-5).modes {
            let wrong = |ratio: f64| -detection.log_success(mode, ratio, 1.0).exp_m1();
            assert!(wrong(threshold) <= 1e-5 && wrong(0.999 * threshold) > 1e-5, "{}", mode.name());
        }
    }

    #[test]
    fn thresholds_rise_with_the_mcs_and_with_fewer_errors() {
        let found = rules("vht-80", 1e-5).modes;
        assert_eq!(found.len(), 10);
        assert!(found.windows(2).all(|pair| pair[0].1 < pair[1].1), "{found:?}");
        let finer = rules("vht-80", 1e-7).modes;
        assert!(found.iter().zip(&finer).all(|(coarse, fine)| coarse.1 < fine.1));
    }

    #[test]
    fn the_rate_follows_the_ratio_that_was_reported() {
        let rules = rules("ht-20", 1e-5);
        let mcs = |ideal: &Ideal| ideal.mode().mcs().expect("an MCS").0;
        let mut ideal = Ideal::new(&rules);
        assert_eq!(mcs(&ideal), 0, "nothing is known");
        let report = |ratio| PpduReport { attempted: 1, acknowledged: 1, is_asked: false, ratio };
        for (place, &(_, threshold)) in rules.modes.iter().enumerate() {
            ideal.on_ppdu(report(1.001 * threshold as f32), &rules);
            assert_eq!(usize::from(mcs(&ideal)), place);
        }
        ideal.on_ppdu(PpduReport { acknowledged: 0, ..report(0.0) }, &rules);
        assert_eq!(mcs(&ideal), 7, "no answer says nothing");
        ideal.on_ppdu(PpduReport { is_asked: true, ..report(0.001) }, &rules);
        assert_eq!(mcs(&ideal), 7, "nor does the answer to a request");
        ideal.on_ppdu(report(0.001), &rules);
        assert_eq!(mcs(&ideal), 0, "no mode has so low a threshold");
    }
}
