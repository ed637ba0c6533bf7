//! Rates and the signal-to-interference ratio each needs (`interference = "sinr"`).

/// Rates in bit/s and the ratio in dB above which a frame at that rate is received.
///
/// A default: no clause publishes thresholds. The DSSS values lie 3 dB apart from 4 dB at 1 Mbit/s; the OFDM values
/// are 802.11's minimum sensitivities (table 17-18) less the thermal noise of 20 MHz and 10 dB noise figure, rounded.
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

/// The rates of the table, for error messages.
pub fn rates() -> impl Iterator<Item = u64> {
    THRESHOLDS.iter().map(|&(r, _)| r)
}
