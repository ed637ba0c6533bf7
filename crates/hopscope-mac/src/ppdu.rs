//! Durations of HT-mixed, VHT SU and HE SU PPDUs (IEEE 802.11-2020 19.4.3 and 21.4.3, IEEE 802.11ax-2021 27.4.3).
//!
//! Control frames, and all frames of a station without these formats, are non-HT PPDUs: [`crate::timing`] has those.

use hopscope_core::units::Span;
use hopscope_phy::config::RadioConfig;
use hopscope_phy::config::layout::{ChannelWidth, GuardInterval, Layout, PpduFormat};
use hopscope_phy::config::radio::Phy;
use hopscope_phy::phy::modes::Mode;

/// Longest PPDU: aPPDUMaxTime of HT-mixed, VHT and HE (IEEE 802.11-2020 tables 19-25 and 21-28, 802.11ax-2021 table
/// 27-56).
pub const MAX_PPDU: Span = Span::from_micros(5_484);

/// L-STF, L-LTF and L-SIG, which begin every such PPDU (17.3.2).
const LEGACY_PREAMBLE: Span = Span::from_micros(20);
/// HT-SIG, VHT-SIG-A or HE-SIG-A.
const SIG: Span = Span::from_micros(8);
/// HT-STF, VHT-STF or HE-STF.
const STF: Span = Span::from_micros(4);
/// A symbol of 4 us: HT-LTF, VHT-LTF, VHT-SIG-B or RL-SIG.
const SYMBOL: Span = Span::from_micros(4);

/// Bits of the SERVICE field, which the data field begins with.
const SERVICE_BITS: u64 = 16;
/// Bits that return a convolutional encoder to its first state.
const TAIL_BITS: u64 = 6;

/// How PPDUs of a run are timed: a value of its own, as every station has the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PpduRules {
    short_gi_rounded: bool,
    vht_sig_b: bool,
    he_tail_bits: bool,
    gi_1600_as_3200: bool,
    /// Each HE-LTF with its guard interval; zero: by the guard interval.
    he_ltf: Span,
    packet_extension: Span,
    signal_extension: Span,
}

/// A mode, taken apart.
#[derive(Debug, Clone, Copy)]
struct Parts {
    layout: Layout,
    mcs: u8,
    streams: u8,
}

impl PpduRules {
    /// The rules of these parameters.
    pub fn new(radio: &RadioConfig) -> Self {
        PpduRules {
            short_gi_rounded: radio.short_gi_rounded,
            vht_sig_b: radio.vht_sig_b,
            he_tail_bits: radio.he_tail_bits,
            gi_1600_as_3200: radio.gi_1600_as_3200,
            he_ltf: radio.he_ltf,
            packet_extension: radio.packet_extension,
            // It makes up for the shorter SIFS of 2.4 GHz (10.3.8).
            signal_extension: if radio.phy == Phy::ErpOfdm { Span::from_micros(6) } else { Span::ZERO },
        }
    }

    /// All fields before the data field.
    ///
    /// # Panics
    ///
    /// Of a non-HT mode, as do the others.
    pub fn preamble(&self, mode: Mode) -> Span {
        self.preamble_of(self.parts(mode))
    }

    /// Time on the air of a PPDU with a PSDU of so many bytes.
    pub fn airtime(&self, mode: Mode, psdu_bytes: u32) -> Span {
        let parts = self.parts(mode);
        let bits = self.bits_around(parts) + 8 * u64::from(psdu_bytes);
        let data = parts.layout.symbol() * bits.div_ceil(parts.bits_per_symbol());
        let data = if self.rounds(parts) { SYMBOL * data.0.div_ceil(SYMBOL.0) } else { data };
        self.preamble_of(parts) + data + self.end(parts)
    }

    /// Format, width and guard interval as they are sent, MCS and streams.
    fn parts(&self, mode: Mode) -> Parts {
        let (Some(mut layout), Some((mcs, streams))) = (mode.layout(), mode.mcs()) else {
            panic!("{} is a non-HT mode", mode.name());
        };
        if self.gi_1600_as_3200 && layout.guard == GuardInterval::Ns1600 {
            layout.guard = GuardInterval::Ns3200;
        }
        Parts { layout, mcs, streams }
    }

    fn preamble_of(&self, parts: Parts) -> Span {
        let training = parts.training_fields();
        let common = LEGACY_PREAMBLE + SIG + STF;
        match parts.layout.format {
            PpduFormat::NonHt | PpduFormat::Ht => common + SYMBOL * training,
            PpduFormat::Vht => common + SYMBOL * (training + u64::from(self.vht_sig_b)),
            PpduFormat::He => common + SYMBOL + self.he_ltf_of(parts.layout.guard) * training,
        }
    }

    /// One HE-LTF with its guard interval: by default 2x with the shorter guard intervals, 4x with the longest.
    fn he_ltf_of(&self, guard: GuardInterval) -> Span {
        let field = if guard == GuardInterval::Ns3200 { 12_800 } else { 6_400 };
        if self.he_ltf == Span::ZERO { Span(field) + guard.span() } else { self.he_ltf }
    }

    /// Bits of the data field besides the PSDU.
    fn bits_around(&self, parts: Parts) -> u64 {
        let encoders = if parts.layout.format == PpduFormat::He {
            u64::from(self.he_tail_bits) // LDPC has no tail; 27.3.12.5
        } else {
            parts.encoders()
        };
        SERVICE_BITS + TAIL_BITS * encoders
    }

    /// Whether the data field ends on the grid of 4 us.
    fn rounds(&self, parts: Parts) -> bool {
        self.short_gi_rounded && parts.layout.guard == GuardInterval::Ns400
    }

    /// What follows the data field.
    fn end(&self, parts: Parts) -> Span {
        let extension = if parts.layout.format == PpduFormat::He { self.packet_extension } else { Span::ZERO };
        extension + self.signal_extension
    }
}

impl Parts {
    fn bits_per_symbol(self) -> u64 {
        self.layout.bits_per_symbol(self.mcs, self.streams).into()
    }

    /// Number of HT-LTF, VHT-LTF or HE-LTF: that of the streams, but 4 for 3 (tables 19-13 and 21-13).
    fn training_fields(self) -> u64 {
        if self.streams == 3 { 4 } else { self.streams.into() }
    }

    /// Convolutional encoders, N_ES (tables of 19.5 and 21.5): two above 300 Mbit/s in HT, and one for every 540 Mbit/s
    /// in VHT, with long guard intervals.
    fn encoders(self) -> u64 {
        let most = if self.layout.format == PpduFormat::Vht { 2_160 } else { 1_200 };
        match (self.layout.width, self.mcs, self.streams) {
            // Five encoders do not share the bits of such a symbol evenly.
            (ChannelWidth::Mhz160, 7, 4) => 6,
            _ => self.bits_per_symbol().div_ceil(most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PpduFormat::{He, Ht, Vht};
    use super::*;
    use crate::config::presets;
    use hopscope_testing::property;
    use proptest::prelude::*;

    fn rules(profile: &str, preset: &str) -> PpduRules {
        PpduRules::new(&presets::base(profile, preset).expect("a preset").radio)
    }

    /// A mode by format, width in MHz, MCS, streams and guard interval in nanoseconds.
    fn mode((format, mhz, mcs, streams, guard): (PpduFormat, u32, u8, u8, u64)) -> Mode {
        let width = ChannelWidth::of_mhz(mhz).expect("a width");
        let guard = GuardInterval::of_span(Span(guard)).expect("a guard interval");
        Mode::of_mcs(Layout { format, width, guard }, mcs, streams).expect("a mode")
    }

    #[test]
    fn preambles_by_streams() {
        // 19.3.9, 21.3.8, 802.11ax-2021 27.3.10: 20 + 8 + 4 + 4 N; with VHT-SIG-B 4 more; in HE RL-SIG and longer LTFs.
        let rules = rules("standard", "ofdm-54M");
        for (format, guard, nanoseconds) in [
            (Ht, 800, [36_000, 40_000, 48_000, 48_000]),
            (Vht, 400, [40_000, 44_000, 52_000, 52_000]),
            (He, 800, [43_200, 50_400, 64_800, 64_800]),
            (He, 1600, [44_000, 52_000, 68_000, 68_000]),
            (He, 3200, [52_000, 68_000, 100_000, 100_000]),
        ] {
            let found = [1, 2, 3, 4].map(|streams| rules.preamble(mode((format, 20, 0, streams, guard))).0);
            assert_eq!(found, nanoseconds, "{format:?}, {guard}");
        }
    }

    #[test]
    fn durations_of_the_standard() {
        // Preamble and ceil((16 + 8 L + 6 N_ES) / N_DBPS) symbols, as the comments show. python/hopscope/models/ppdu.py
        // was written apart and has the same nanoseconds.
        let rules = rules("standard", "ofdm-54M");
        for (of, bytes, nanoseconds) in [
            ((Ht, 20, 7, 1, 800), 1538, 228_000),             // 36 + 48 * 4: ceil(12326 / 260)
            ((Ht, 20, 7, 1, 800), 28 * 1544 - 2, 5_360_000),  // 28 MPDUs of 1538 with delimiters: 36 + 1331 * 4
            ((Ht, 20, 0, 1, 800), 1538, 1_936_000),           // 36 + 475 * 4: ceil(12326 / 26)
            ((Ht, 20, 7, 1, 400), 31 * 1544 - 2, 5_340_000),  // 36 + 1473 * 3.6 = 5338.8, then the grid
            ((Ht, 40, 7, 2, 800), 1538, 88_000),              // 40 + 12 * 4: ceil(12326 / 1080)
            ((Ht, 40, 7, 4, 400), 65_535, 924_000),           // 48 + 243 * 3.6 = 922.8, then the grid; N_ES 2
            ((Ht, 40, 4, 4, 800), 1_000, 76_000),             // 48 + 7 * 4: ceil(8028 / 1296)
            ((Vht, 20, 8, 1, 800), 1_542, 200_000),           // 40 + 40 * 4: ceil(12358 / 312)
            ((Vht, 80, 9, 1, 400), 64 * 1544 - 2, 1_868_000), // 40 + 507 * 3.6 = 1865.2, then the grid
            ((Vht, 80, 9, 3, 800), 3_000, 76_000),            // 52 + 6 * 4: ceil((24016 + 18) / 4680)
            ((Vht, 160, 9, 2, 800), 100_000, 560_000),        // 44 + 129 * 4: ceil((800016 + 18) / 6240)
            ((He, 20, 0, 1, 800), 1_542, 1_484_800),          // 43.2 + 106 * 13.6: ceil(12352 / 117)
            ((He, 20, 5, 1, 800), 30 * 1544 - 2, 5_428_800),  // 43.2 + 396 * 13.6
            ((He, 80, 11, 1, 800), 1_542, 70_400),            // 43.2 + 2 * 13.6: ceil(12352 / 8166)
            ((He, 80, 11, 3, 1600), 1_542, 82_400),           // 68 + 14.4
            ((He, 160, 11, 4, 3200), 6_000_000, 11_860_000),  // 100 + 735 * 16
        ] {
            assert_eq!(rules.airtime(mode(of), bytes).0, nanoseconds, "{of:?}, {bytes}");
        }
    }

    #[test]
    fn encoders_end_in_tail_bits_each() {
        // Bytes that just fill symbols: 16 + 8 L + 6 N_ES = N_DBPS * n; one more byte takes another symbol.
        let rules = rules("standard", "ofdm-54M");
        for (of, bytes, symbols, nanoseconds) in [
            ((Ht, 40, 7, 2, 800), (1080 * 9 - 16 - 6) / 8, 9, 40_000), // 270 Mbit/s: one
            ((Ht, 40, 7, 3, 800), (1620 * 9 - 16 - 12) / 8, 9, 48_000), // 405 Mbit/s: two
            ((Vht, 80, 9, 1, 800), (1560 * 3 - 16 - 6) / 8, 3, 40_000), // 390 Mbit/s: one
            ((Vht, 80, 9, 2, 800), (3120 * 3 - 16 - 12) / 8, 3, 44_000), // 780 Mbit/s: two
            ((Vht, 160, 7, 4, 800), (9360 * 2 - 16 - 36) / 8, 2, 52_000), // 2340 Mbit/s: six (table 21-61)
            ((He, 160, 11, 4, 800), (65_333 * 3 - 16) / 8, 3, 64_800), // LDPC
        ] {
            let symbol = mode(of).layout().expect("a layout").symbol().0;
            let found = [bytes, bytes + 1].map(|bytes| rules.airtime(mode(of), bytes).0);
            assert_eq!(found, [symbols, symbols + 1].map(|symbols| nanoseconds + symbols * symbol), "{of:?}");
        }
    }

    #[test]
    fn frames_of_2_4_ghz_and_extensions_end_later() {
        let of = mode((He, 20, 7, 1, 800));
        let mut radio = presets::base("standard", "ofdm-54M").expect("a preset").radio;
        let plain = PpduRules::new(&radio).airtime(of, 1_542);
        radio.packet_extension = Span::from_micros(16);
        assert_eq!(PpduRules::new(&radio).airtime(of, 1_542), plain + Span::from_micros(16));
        let ht = mode((Ht, 20, 7, 1, 800));
        assert_eq!(PpduRules::new(&radio).airtime(ht, 1_538), Span::from_micros(228), "HT has none");
        assert_eq!(rules("standard", "erp-ofdm-54M").airtime(ht, 1_538), Span::from_micros(228 + 6));
    }

    #[test]
    fn durations_of_ns3() {
        // ns3-ht rule 1, and the number of encoders in its he-phy.cc: no VHT-SIG-B, HE-LTF of 8 us, tail bits in HE, no
        // grid of 4 us, and 3200 ns for 1600.
        let rules = rules("as-ns3", "ofdm-54M");
        for (of, bytes, nanoseconds) in [
            ((Ht, 20, 7, 1, 400), 31 * 1544 - 2, 5_338_800),
            ((Ht, 20, 7, 1, 800), 1_538, 228_000),
            ((Vht, 20, 8, 1, 800), 1_542, 196_000),
            ((He, 80, 11, 1, 800), 1_542, 44_000 + 2 * 13_600),
            ((He, 20, 0, 1, 1600), 1_542, 44_000 + 106 * 16_000),
            ((He, 20, 0, 2, 3200), 1_542, 52_000 + 53 * 16_000),
            // 16 + 8 * 1519 bits fill 104 symbols of 117 bits; with the tail a further one.
            ((He, 20, 0, 1, 800), 1_519, 44_000 + 105 * 13_600),
        ] {
            assert_eq!(rules.airtime(mode(of), bytes).0, nanoseconds, "{of:?}, {bytes}");
        }
    }

    #[test]
    #[should_panic(expected = "54 is a non-HT mode")]
    fn a_non_ht_mode_is_refused() {
        let _ = rules("standard", "ofdm-54M").preamble(Mode::of(54_000_000).expect("a mode"));
    }

    fn any_mode() -> impl Strategy<Value = Mode> {
        let formats = prop_oneof![Just(Ht), Just(Vht), Just(He)];
        (formats, 0usize..4, 0usize..4, 0u8..12, 1u8..5).prop_filter_map(
            "no such mode",
            |(format, width, guard, mcs, streams)| {
                let layout = Layout { format, width: ChannelWidth::ALL[width], guard: GuardInterval::ALL[guard] };
                Mode::of_mcs(layout, mcs, streams)
            },
        )
    }

    fn any_rules() -> impl Strategy<Value = PpduRules> {
        let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
        let spans = (0u64..3, 0u64..5, any::<bool>());
        (flags, spans).prop_map(
            |((short_gi_rounded, vht_sig_b, he_tail_bits, gi_1600_as_3200), (ltf, extension, erp))| PpduRules {
                short_gi_rounded,
                vht_sig_b,
                he_tail_bits,
                gi_1600_as_3200,
                he_ltf: Span::from_micros(8 * ltf),
                packet_extension: Span::from_micros(4 * extension),
                signal_extension: Span::from_micros(if erp { 6 } else { 0 }),
            },
        )
    }

    proptest! {
        #![proptest_config(property(4_000))]

        /// A longer PSDU takes no less time.
        #[test]
        fn airtime_grows_with_the_psdu(rules in any_rules(), mode in any_mode(), bytes in 0u32..7_000_000, more in 0u32..5_000) {
            let airtime = rules.airtime(mode, bytes);
            prop_assert!(rules.preamble(mode) < airtime && airtime <= rules.airtime(mode, bytes + more));
        }
    }
}
