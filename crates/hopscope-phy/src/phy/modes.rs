//! Rates and the signal-to-interference ratio each needs (`interference = "sinr"`).

use crate::config::radio::Phy;

/// Rates in bit/s and the ratio in dB above which a frame at that rate is received.
///
/// A default: no clause publishes thresholds. The DSSS values lie 3 dB apart from 4 dB at 1 Mbit/s; the OFDM values
/// are 802.11's minimum sensitivities (17.3.10.2) less the thermal noise of 20 MHz and 10 dB noise figure, rounded.
const THRESHOLDS: &[(u64, f64)] = &[
    (1_000_000, 4.0),
    (2_000_000, 7.0),
    (5_500_000, 9.0),
    (11_000_000, 12.0),
    (6_000_000, 9.0),
    (9_000_000, 10.0),
    (12_000_000, 12.0),
    (18_000_000, 14.0),
    (24_000_000, 17.0),
    (36_000_000, 21.0),
    (48_000_000, 25.0),
    (54_000_000, 26.0),
];

/// How many rates of the table are those of DSSS and HR/DSSS (IEEE 802.11-2020 15.2.3 and 16.2.3); OFDM's follow.
const DSSS_RATES: usize = 4;

/// The same rates in Mbit/s.
const NAMES: [&str; THRESHOLDS.len()] = ["1", "2", "5.5", "11", "6", "9", "12", "18", "24", "36", "48", "54"];

/// A mode: a rate with its modulation and coding, one line of the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mode(u8);

impl Mode {
    /// Number of modes.
    pub const COUNT: usize = THRESHOLDS.len();
    /// Every mode, by its index.
    pub const ALL: [Mode; Mode::COUNT] = {
        let mut all = [Mode(0); Mode::COUNT];
        let mut index = 0;
        while index < Mode::COUNT {
            all[index] = Mode(index as u8);
            index += 1;
        }
        all
    };

    /// The mode of a rate in bit/s; `None` for a rate no 802.11 PHY of this table has.
    pub fn of(rate: u64) -> Option<Mode> {
        mode_of(rate).map(Mode)
    }

    /// Its rate, bit/s.
    pub fn rate(self) -> u64 {
        rate(self.0)
    }

    /// Its rate in Mbit/s as text.
    pub fn name(self) -> &'static str {
        NAMES[self.index()]
    }

    /// Length of a table by modes: a power of two, so that no index needs a check.
    pub const TABLE: usize = Mode::COUNT.next_power_of_two();

    /// A table with one entry for each mode, by [`Mode::index`].
    pub fn table<T>(entry: impl Fn(Mode) -> T) -> [T; Mode::TABLE] {
        std::array::from_fn(|index| entry(Mode::ALL[index.min(Mode::COUNT - 1)]))
    }

    /// Its index, below [`Mode::COUNT`].
    #[inline(always)]
    pub const fn index(self) -> usize {
        // The mask changes no index: it spares the check of bounds in a table of this length.
        self.0 as usize & (Mode::TABLE - 1)
    }

    /// The index as an arrival carries it.
    #[inline(always)]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The mode of an index that [`Mode::number`] gave.
    #[inline(always)]
    pub const fn numbered(number: u8) -> Mode {
        Mode(number)
    }
}

/// Index of a rate in the mode table; `None` for a rate no 802.11 PHY of this table has.
pub fn mode_of(rate: u64) -> Option<u8> {
    THRESHOLDS.iter().position(|&(r, _)| r == rate).map(|i| i as u8)
}

/// The rate of a mode, bit/s.
pub fn rate(mode: u8) -> u64 {
    THRESHOLDS[usize::from(mode)].0
}

/// Least signal-to-interference-and-noise ratio (linear) of a mode.
pub fn sinr_threshold(mode: u8) -> f64 {
    10f64.powf(THRESHOLDS[usize::from(mode)].1 / 10.0)
}

/// The rates of a PHY (IEEE 802.11-2020 15.2.3, 16.2.3, table 17-4 and clause 18), bit/s, rising.
pub fn rates(phy: Phy) -> impl Iterator<Item = u64> {
    let (dsss, ofdm) = THRESHOLDS.split_at(DSSS_RATES);
    let table = match phy {
        Phy::Dsss => dsss,
        Phy::Ofdm | Phy::ErpOfdm => ofdm,
    };
    table.iter().map(|&(r, _)| r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::presets::{PRESETS, radio};
    use hopscope_core::config::profile::Profile;

    #[test]
    fn names_are_the_rates() {
        for mode in Mode::ALL {
            assert_eq!(mode.name(), format!("{}", mode.rate() as f64 / 1e6));
        }
    }

    #[test]
    fn every_preset_uses_rates_of_its_phy() {
        for (name, _) in PRESETS {
            let radio = radio(Profile::Standard, name).expect("a preset");
            for rate in [radio.data_rate, radio.basic_rate].into_iter().chain(radio.response_rates) {
                assert!(rates(radio.phy).any(|r| r == rate), "{name}: {rate}");
                assert!(mode_of(rate).is_some(), "{name}: {rate}");
            }
        }
        let ofdm: Vec<u64> = rates(Phy::ErpOfdm).map(|rate| rate / 1_000_000).collect();
        assert_eq!(ofdm, [6, 9, 12, 18, 24, 36, 48, 54]);
        assert!(rates(Phy::Dsss).eq([1_000_000, 2_000_000, 5_500_000, 11_000_000]));
    }
}
