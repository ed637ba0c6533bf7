//! Rates and the signal-to-interference ratio each needs (`interference = "sinr"`).

use hopscope_core::math;
use std::borrow::Cow;

use crate::config::RadioConfig;
use crate::config::layout::{ChannelWidth, GuardInterval, Layout};
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

/// A mode: how the bits of a frame lie in time and band. Of the non-HT PHYs a rate with its modulation and coding, one line of
/// the table; of HT, VHT and HE the MCS with streams, width and guard interval.
///
/// The lower six bits number the modes of one format, width and guard interval, behind the non-HT ones; the upper bits are
/// format, width and guard interval, which are the same in all of a run's PPDUs that are not non-HT.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mode(u16);

/// Bits of a mode's number within its format, width and guard interval.
const NUMBER_BITS: u32 = 6;
/// Room for the MCS of one number of streams.
const MCS_ROOM: u16 = 12;

impl Mode {
    /// Number of non-HT modes.
    pub const COUNT: usize = THRESHOLDS.len();
    /// Every non-HT mode, by its index.
    pub const ALL: [Mode; Mode::COUNT] = {
        let mut all = [Mode(0); Mode::COUNT];
        let mut index = 0;
        while index < Mode::COUNT {
            all[index] = Mode(index as u16);
            index += 1;
        }
        all
    };

    /// The mode of a rate in bit/s; `None` for a rate no non-HT PHY has.
    pub fn of(rate: u64) -> Option<Mode> {
        mode_of(rate).map(|number| Mode(number.into()))
    }

    /// The mode of an MCS (0 to 11) with 1 to 4 streams; `None` where the format has none (IEEE 802.11-2020 19.5, 21.5;
    /// 802.11ax-2021 27.5).
    pub fn of_mcs(layout: Layout, mcs: u8, streams: u8) -> Option<Mode> {
        let number = Mode::COUNT as u16 + MCS_ROOM * (u16::from(streams).checked_sub(1)?) + u16::from(mcs);
        let mode = Mode(layout.number() << NUMBER_BITS | number);
        (streams <= 4 && layout.allows(mcs, streams)).then_some(mode)
    }

    /// Format, width and guard interval; none of a non-HT mode.
    pub fn layout(self) -> Option<Layout> {
        Layout::numbered(self.0 >> NUMBER_BITS)
    }

    /// MCS of one stream (0 to 11) and number of streams; none of a non-HT mode.
    pub fn mcs(self) -> Option<(u8, u8)> {
        let number = u16::from(self.number()).checked_sub(Mode::COUNT as u16)?;
        Some(((number % MCS_ROOM) as u8, (number / MCS_ROOM) as u8 + 1))
    }

    /// True for a mode of the PHYs before HT.
    #[inline(always)]
    pub const fn is_non_ht(self) -> bool {
        self.0 < Mode::COUNT as u16
    }

    /// Minimum sensitivity of a receiver, dBm; none of a non-HT mode. Streams do not count.
    pub fn sensitivity_dbm(self) -> Option<f64> {
        let (layout, (mcs, _)) = (self.layout()?, self.mcs()?);
        Some(MCS_SENSITIVITY_DBM[usize::from(mcs)] + DOUBLING_DB * f64::from(layout.width as u32))
    }

    /// Its rate, bit/s, rounded down.
    pub fn rate(self) -> u64 {
        match (self.layout(), self.mcs()) {
            (Some(layout), Some((mcs, streams))) => {
                u64::from(layout.bits_per_symbol(mcs, streams)) * 1_000_000_000 / layout.symbol().0
            }
            _ => rate(self.number()),
        }
    }

    /// The non-HT reference rate, bit/s: what answers to a frame in this mode are chosen by (IEEE 802.11-2020 10.6.11).
    pub fn reference_rate(self) -> u64 {
        self.mcs().map_or_else(|| self.rate(), |(mcs, _)| reference_rate(mcs))
    }

    /// The rate of a non-HT mode in Mbit/s as text.
    pub fn rate_name(self) -> &'static str {
        NAMES[self.index()]
    }

    /// Its rate in Mbit/s as text; with format, width, MCS and streams where it is not non-HT: `HT20-MCS7`, `VHT80-MCS9x2`.
    pub fn name(self) -> Cow<'static, str> {
        let (Some(layout), Some((mcs, streams))) = (self.layout(), self.mcs()) else {
            return Cow::Borrowed(self.rate_name());
        };
        let times = if streams > 1 { format!("x{streams}") } else { String::new() };
        Cow::Owned(format!("{}{}-MCS{mcs}{times}", layout.format.prefix(), layout.width.mhz()))
    }

    /// Length of a table by non-HT modes: a power of two, so that no index needs a check.
    pub const TABLE: usize = Mode::COUNT.next_power_of_two();

    /// A table with one entry for each non-HT mode, by [`Mode::index`].
    pub fn table<T>(entry: impl Fn(Mode) -> T) -> [T; Mode::TABLE] {
        std::array::from_fn(|index| entry(Mode::ALL[index.min(Mode::COUNT - 1)]))
    }

    /// The index of a non-HT mode, below [`Mode::COUNT`].
    #[inline(always)]
    pub const fn index(self) -> usize {
        debug_assert!(self.is_non_ht());
        // The mask changes no index: it spares the check of bounds in a table of this length.
        self.0 as usize & (Mode::TABLE - 1)
    }

    /// Its number among the modes of its layout and the non-HT ones, below 64: as an arrival carries it.
    #[inline(always)]
    pub const fn number(self) -> u8 {
        (self.0 & ((1 << NUMBER_BITS) - 1)) as u8
    }

    /// The mode of a number that [`Mode::number`] gave, where PPDUs that are not non-HT have this layout.
    #[inline]
    pub(super) fn numbered(number: u8, layout: Option<Layout>) -> Mode {
        let is_non_ht = usize::from(number) < Mode::COUNT;
        let above = layout.filter(|_| !is_non_ht).map_or(0, Layout::number);
        Mode(above << NUMBER_BITS | u16::from(number))
    }

    /// All of it, below 4096.
    #[inline(always)]
    pub const fn code(self) -> u16 {
        self.0
    }

    /// The mode of a code that [`Mode::code`] gave.
    #[inline(always)]
    pub const fn coded(code: u16) -> Mode {
        Mode(code)
    }
}

/// Number of MCS of one stream, those of all formats.
pub const MCS_COUNT: usize = MCS_ROOM as usize;

/// The non-HT reference rate of an MCS, bit/s (IEEE 802.11-2020 10.6.11).
pub fn reference_rate(mcs: u8) -> u64 {
    const BY_MCS: [u64; 7] = [6, 12, 18, 24, 36, 48, 54];
    BY_MCS[usize::from(mcs).min(BY_MCS.len() - 1)] * 1_000_000
}

/// Index of a rate in the mode table; `None` for a rate no 802.11 PHY of this table has.
fn mode_of(rate: u64) -> Option<u8> {
    THRESHOLDS.iter().position(|&(r, _)| r == rate).map(|i| i as u8)
}

/// The rate of a mode, bit/s.
pub fn rate(mode: u8) -> u64 {
    THRESHOLDS[usize::from(mode)].0
}

/// Minimum sensitivity by MCS at 20 MHz, dBm: IEEE 802.11-2020 tables 19-23 and 21-25, IEEE 802.11ax-2021 table 27-51.
const MCS_SENSITIVITY_DBM: [f64; 12] =
    [-82.0, -79.0, -77.0, -74.0, -70.0, -66.0, -65.0, -64.0, -59.0, -57.0, -54.0, -52.0];
/// What it rises by with twice the width, dB.
const DOUBLING_DB: f64 = 3.0;
/// Thermal noise of 20 MHz and 10 dB noise figure, rounded.
const NOISE_DBM: f64 = -91.0;

/// Least signal-to-interference-and-noise ratio (linear) of a mode.
pub fn sinr_threshold(mode: Mode) -> f64 {
    let db = match mode.mcs() {
        Some((mcs, _)) => MCS_SENSITIVITY_DBM[usize::from(mcs)] - NOISE_DBM,
        None => THRESHOLDS[mode.index()].1,
    };
    math::from_decibels(db)
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

impl RadioConfig {
    /// Layout of data frames that are not non-HT; none where they are, or where the format has no such width or guard interval.
    pub fn layout(&self) -> Option<Layout> {
        let width = ChannelWidth::of_mhz(self.channel_width)?;
        let guard = GuardInterval::of_span(self.guard_interval)?;
        Some(Layout { format: self.ppdu_format, width, guard }).filter(|layout| layout.exists())
    }

    /// Mode of data frames that are not non-HT; none as above, or where there is no such MCS.
    pub fn data_mode(&self) -> Option<Mode> {
        let number = |value: u32| u8::try_from(value).ok();
        Mode::of_mcs(self.layout()?, number(self.mcs)?, number(self.spatial_streams)?)
    }
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
