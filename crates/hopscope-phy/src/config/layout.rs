//! PPDU formats after non-HT: widths, guard intervals, and how many bits a symbol carries (IEEE 802.11-2020 clauses 19 and 21,
//! IEEE 802.11ax-2021 clause 27).

use hopscope_core::choice;
use hopscope_core::units::Span;

choice! {
    /// Format of the PPDUs that carry data to one station.
    pub enum PpduFormat {
        /// As `phy` says: DSSS, OFDM, ERP-OFDM.
        NonHt = "non-ht",
        /// HT-mixed (802.11n, clause 19).
        Ht = "ht",
        /// VHT SU (802.11ac, clause 21).
        Vht = "vht",
        /// HE SU (802.11ax, clause 27).
        He = "he",
    }
}

/// Width of the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChannelWidth {
    /// 20 MHz.
    Mhz20,
    /// 40 MHz.
    Mhz40,
    /// 80 MHz.
    Mhz80,
    /// 160 MHz.
    Mhz160,
}

/// Guard interval between symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuardInterval {
    /// 400 ns: short, of HT and VHT.
    Ns400,
    /// 800 ns.
    Ns800,
    /// 1600 ns, of HE.
    Ns1600,
    /// 3200 ns, of HE.
    Ns3200,
}

impl PpduFormat {
    /// How names of modes begin.
    pub fn prefix(self) -> &'static str {
        match self {
            PpduFormat::NonHt => "",
            PpduFormat::Ht => "HT",
            PpduFormat::Vht => "VHT",
            PpduFormat::He => "HE",
        }
    }
}

impl ChannelWidth {
    /// Every width, by its index.
    pub const ALL: [ChannelWidth; 4] =
        [ChannelWidth::Mhz20, ChannelWidth::Mhz40, ChannelWidth::Mhz80, ChannelWidth::Mhz160];

    /// In MHz.
    pub fn mhz(self) -> u32 {
        20 << self as u32
    }

    /// The width of so many MHz.
    pub fn of_mhz(mhz: u32) -> Option<Self> {
        ChannelWidth::ALL.into_iter().find(|width| width.mhz() == mhz)
    }
}

impl GuardInterval {
    /// Every guard interval, by its index.
    pub const ALL: [GuardInterval; 4] =
        [GuardInterval::Ns400, GuardInterval::Ns800, GuardInterval::Ns1600, GuardInterval::Ns3200];

    /// As a span of time.
    pub fn span(self) -> Span {
        Span(400 << self as u64)
    }

    /// The guard interval of this length.
    pub fn of_span(span: Span) -> Option<Self> {
        GuardInterval::ALL.into_iter().find(|guard| guard.span() == span)
    }
}

/// What all PPDUs of a run that are not non-HT have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Format, not `NonHt`.
    pub format: PpduFormat,
    /// Width.
    pub width: ChannelWidth,
    /// Guard interval.
    pub guard: GuardInterval,
}

/// Bits of a subcarrier and code rate by MCS: the same in HT (0 to 7), VHT (0 to 9) and HE (0 to 11).
const MCS: [(u32, (u32, u32)); 12] = [
    (1, (1, 2)),
    (2, (1, 2)),
    (2, (3, 4)),
    (4, (1, 2)),
    (4, (3, 4)),
    (6, (2, 3)),
    (6, (3, 4)),
    (6, (5, 6)),
    (8, (3, 4)),
    (8, (5, 6)),
    (10, (3, 4)),
    (10, (5, 6)),
];

impl Layout {
    /// Its number, 1 to 63; 0 is left to non-HT.
    pub(crate) fn number(self) -> u16 {
        (self.format as u16) << 4 | (self.width as u16) << 2 | self.guard as u16
    }

    /// The layout of a number; none of 0.
    pub(crate) fn numbered(number: u16) -> Option<Layout> {
        let format = PpduFormat::ALL[usize::from(number >> 4)];
        let width = ChannelWidth::ALL[usize::from(number >> 2 & 3)];
        let guard = GuardInterval::ALL[usize::from(number & 3)];
        (format != PpduFormat::NonHt).then_some(Layout { format, width, guard })
    }

    /// True when the format has this width and guard interval.
    pub fn exists(self) -> bool {
        match self.format {
            PpduFormat::NonHt => false,
            PpduFormat::Ht => self.width <= ChannelWidth::Mhz40 && self.guard <= GuardInterval::Ns800,
            PpduFormat::Vht => self.guard <= GuardInterval::Ns800,
            PpduFormat::He => self.guard >= GuardInterval::Ns800,
        }
    }

    /// Highest MCS of one stream.
    pub fn highest_mcs(self) -> u8 {
        match self.format {
            PpduFormat::NonHt | PpduFormat::Ht => 7,
            PpduFormat::Vht => 9,
            PpduFormat::He => 11,
        }
    }

    /// True when this MCS exists with so many streams (1 to 4). VHT leaves out those whose bits do not fill its encoders evenly
    /// (IEEE 802.11-2020 21.5).
    pub fn allows(self, mcs: u8, streams: u8) -> bool {
        let forbidden = self.format == PpduFormat::Vht
            && matches!(
                (self.width, mcs, streams),
                (ChannelWidth::Mhz20, 9, 1 | 2 | 4) | (ChannelWidth::Mhz80, 6, 3) | (ChannelWidth::Mhz160, 9, 3)
            );
        self.exists() && mcs <= self.highest_mcs() && (1..=4).contains(&streams) && !forbidden
    }

    /// Length of a symbol with its guard interval.
    pub fn symbol(self) -> Span {
        let useful = if self.format == PpduFormat::He { 12_800 } else { 3_200 };
        Span(useful) + self.guard.span()
    }

    /// Data subcarriers (IEEE 802.11-2020 19.3.6, 21.3.7; 802.11ax-2021 27.3.9 for the resource unit of the whole width).
    pub fn data_subcarriers(self) -> u32 {
        let by_width = if self.format == PpduFormat::He { [234, 468, 980, 1_960] } else { [52, 108, 234, 468] };
        by_width[self.width as usize]
    }

    /// Bits of a subcarrier in a symbol, and the code rate as a fraction.
    pub fn modulation(mcs: u8) -> (u32, (u32, u32)) {
        MCS[usize::from(mcs).min(MCS.len() - 1)]
    }

    /// Data bits of a symbol, N_DBPS, rounded down.
    pub fn bits_per_symbol(self, mcs: u8, streams: u8) -> u32 {
        let (bits, (of, coded)) = Layout::modulation(mcs);
        self.data_subcarriers() * bits * u32::from(streams) * of / coded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::modes::Mode;

    fn layouts() -> impl Iterator<Item = Layout> {
        let all = PpduFormat::ALL.into_iter().flat_map(|format| {
            let widths = ChannelWidth::ALL.into_iter();
            widths.flat_map(move |width| GuardInterval::ALL.map(move |guard| Layout { format, width, guard }))
        });
        all.filter(|layout| layout.exists())
    }

    fn layout(format: PpduFormat, width: ChannelWidth, guard: GuardInterval) -> Layout {
        Layout { format, width, guard }
    }

    #[test]
    fn a_mode_is_its_layout_mcs_and_streams() {
        let mut codes = std::collections::BTreeSet::new();
        for layout in layouts() {
            for (mcs, streams) in (0..12).flat_map(|mcs| (1..=4).map(move |streams| (mcs, streams))) {
                let Some(mode) = Mode::of_mcs(layout, mcs, streams) else { continue };
                assert_eq!((mode.layout(), mode.mcs()), (Some(layout), Some((mcs, streams))));
                assert!(!mode.is_non_ht() && mode.number() < 64 && mode.code() < 4_096);
                assert_eq!(Mode::coded(mode.code()), mode);
                assert!(codes.insert(mode.code()), "{}", mode.name());
            }
        }
        // HT: 2 widths, 2 guard intervals, 8 MCS, 4 streams. VHT: 4, 2, 10, 4, less those left out. HE: 4, 3, 12, 4.
        assert_eq!(codes.len(), 128 + 320 - 2 * 5 + 576);
        assert_eq!(Mode::of_mcs(layout(PpduFormat::Ht, ChannelWidth::Mhz20, GuardInterval::Ns800), 0, 5), None);
    }

    #[test]
    fn rates_are_those_of_the_tables() {
        use ChannelWidth::{Mhz20, Mhz40, Mhz80, Mhz160};
        use GuardInterval::{Ns400, Ns800};
        use PpduFormat::{He, Ht, Vht};
        // IEEE 802.11-2020 tables 19-27 to 19-38 and 21-30 to 21-61, 802.11ax-2021 tables 27-79 to 27-110: Mbit/s.
        for (format, width, guard, mcs, streams, rate) in [
            (Ht, Mhz20, Ns800, 7, 1, 65.0),
            (Ht, Mhz20, Ns400, 7, 1, 72.2),
            (Ht, Mhz40, Ns800, 7, 2, 270.0),
            (Ht, Mhz40, Ns400, 7, 2, 300.0),
            (Vht, Mhz20, Ns800, 8, 1, 78.0),
            (Vht, Mhz80, Ns800, 9, 1, 390.0),
            (Vht, Mhz80, Ns400, 9, 1, 433.3),
            (Vht, Mhz80, Ns400, 9, 2, 866.7),
            (Vht, Mhz160, Ns400, 9, 1, 866.7),
            (He, Mhz20, Ns800, 11, 1, 143.4),
            (He, Mhz80, Ns800, 11, 1, 600.5),
            (He, Mhz160, Ns800, 11, 2, 2_402.0),
        ] {
            let mode = Mode::of_mcs(layout(format, width, guard), mcs, streams).expect("a mode");
            let found = mode.rate() as f64 / 1e6;
            assert!((found - rate).abs() < 0.1, "{}: {found}, {rate}", mode.name());
        }
    }

    #[test]
    fn bits_of_a_symbol_are_rounded_after_the_streams() {
        let he = layout(PpduFormat::He, ChannelWidth::Mhz80, GuardInterval::Ns800);
        assert_eq!([1, 2, 3, 4].map(|streams| he.bits_per_symbol(11, streams)), [8_166, 16_333, 24_500, 32_666]);
        let ht = layout(PpduFormat::Ht, ChannelWidth::Mhz20, GuardInterval::Ns800);
        assert_eq!([0, 3, 7].map(|mcs| ht.bits_per_symbol(mcs, 1)), [26, 104, 260]);
    }

    #[test]
    fn vht_leaves_modes_out() {
        for (width, mcs, streams) in [
            (ChannelWidth::Mhz20, 9, 1),
            (ChannelWidth::Mhz20, 9, 2),
            (ChannelWidth::Mhz20, 9, 4),
            (ChannelWidth::Mhz80, 6, 3),
            (ChannelWidth::Mhz160, 9, 3),
        ] {
            let vht = layout(PpduFormat::Vht, width, GuardInterval::Ns800);
            assert!(
                !vht.allows(mcs, streams)
                    && vht.allows(mcs - 1, streams)
                    && Layout { format: PpduFormat::He, ..vht }.allows(mcs, streams)
            );
        }
        assert!(layout(PpduFormat::Vht, ChannelWidth::Mhz20, GuardInterval::Ns800).allows(9, 3));
    }

    #[test]
    fn answers_are_chosen_by_modulation_and_code_rate() {
        let he = layout(PpduFormat::He, ChannelWidth::Mhz80, GuardInterval::Ns800);
        let found = (0..12).map(|mcs| Mode::of_mcs(he, mcs, 2).expect("a mode").reference_rate() / 1_000_000);
        assert!(found.eq([6, 12, 18, 24, 36, 48, 54, 54, 54, 54, 54, 54]));
        assert_eq!(Mode::of(11_000_000).expect("a mode").reference_rate(), 11_000_000);
        assert_eq!(Mode::of_mcs(he, 9, 2).expect("a mode").name(), "HE80-MCS9x2");
    }
}
