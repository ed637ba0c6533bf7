//! The radio's part of presets and profiles: assignments to documented parameters, nothing else.

use super::layout::{ChannelWidth, PpduFormat};
use super::radio::{
    CaptureRule, CarrierSense, CckDetection, DuringTransmission, ErrorKind, IgnoredFrame, Interference,
    InterferenceReach, OfdmDecoding, Phy, Propagation, RadioConfig, Synchronization, Undecodable,
};
use hopscope_core::config::profile::Profile;
use hopscope_core::units::Span;

/// Presets as given, then those of HT, VHT and HE with one to four spatial streams.
macro_rules! presets {
    ($(($name:literal, $text:literal),)+ streams: $(($format:literal, $of:literal),)+) => {
        &[
            $(($name, $text),)+
            $(
                ($format, $of),
                (concat!($format, "-2ss"), concat!($of, ", 2 spatial streams")),
                (concat!($format, "-3ss"), concat!($of, ", 3 spatial streams")),
                (concat!($format, "-4ss"), concat!($of, ", 4 spatial streams")),
            )+
        ]
    };
}

/// Names of the radio presets, each with one line of description.
pub const PRESETS: &[(&str, &str)] = presets![
    ("wavelan-2M", "914 MHz WaveLAN: two-ray ground, 250 m receive, 550 m sense, DSSS 2 Mbit/s, control at 1 Mbit/s"),
    ("wavelan-11M", "the same at 11 Mbit/s, control at 2 Mbit/s, 200 m receive, 350 m sense (zhang2006, chapter 6)"),
    ("dsss-1M", "802.11 DSSS, data 1 Mbit/s, long preamble"),
    ("dsss-2M", "802.11 DSSS, data 2 Mbit/s, responses at 1 or 2 Mbit/s, long preamble"),
    ("hr-dsss-5.5M", "802.11b, data 5.5 Mbit/s, long preamble"),
    ("hr-dsss-11M", "802.11b, data 11 Mbit/s, long preamble"),
    ("hr-dsss-5.5M-short", "802.11b, data 5.5 Mbit/s, short preamble"),
    ("hr-dsss-11M-short", "802.11b, data 11 Mbit/s, short preamble"),
    ("ofdm-6M", "802.11a, data 6 Mbit/s"),
    ("ofdm-9M", "802.11a, data 9 Mbit/s"),
    ("ofdm-12M", "802.11a, data 12 Mbit/s"),
    ("ofdm-18M", "802.11a, data 18 Mbit/s"),
    ("ofdm-24M", "802.11a, data 24 Mbit/s"),
    ("ofdm-36M", "802.11a, data 36 Mbit/s"),
    ("ofdm-48M", "802.11a, data 48 Mbit/s"),
    ("ofdm-54M", "802.11a, data 54 Mbit/s"),
    ("erp-ofdm-6M", "802.11g (no 802.11b station near), data 6 Mbit/s"),
    ("erp-ofdm-9M", "802.11g, data 9 Mbit/s"),
    ("erp-ofdm-12M", "802.11g, data 12 Mbit/s"),
    ("erp-ofdm-18M", "802.11g, data 18 Mbit/s"),
    ("erp-ofdm-24M", "802.11g, data 24 Mbit/s"),
    ("erp-ofdm-36M", "802.11g, data 36 Mbit/s"),
    ("erp-ofdm-48M", "802.11g, data 48 Mbit/s"),
    ("erp-ofdm-54M", "802.11g, data 54 Mbit/s"),
    streams:
    ("ht-20", "802.11n, 20 MHz, MCS 4, QoS with A-MPDU"),
    ("ht-40", "802.11n, 40 MHz, MCS 4, QoS with A-MPDU"),
    ("vht-20", "802.11ac, 20 MHz, MCS 4, QoS with A-MPDU"),
    ("vht-40", "802.11ac, 40 MHz, MCS 4, QoS with A-MPDU"),
    ("vht-80", "802.11ac, 80 MHz, MCS 4, QoS with A-MPDU"),
    ("vht-160", "802.11ac, 160 MHz, MCS 4, QoS with A-MPDU"),
    ("he-20", "802.11ax, 20 MHz, MCS 4, QoS with A-MPDU"),
    ("he-40", "802.11ax, 40 MHz, MCS 4, QoS with A-MPDU"),
    ("he-80", "802.11ax, 80 MHz, MCS 4, QoS with A-MPDU"),
    ("he-160", "802.11ax, 160 MHz, MCS 4, QoS with A-MPDU"),
];

/// What noise grows by with twice the width, rounded.
const DOUBLING_DB: f64 = 3.0;
/// MCS of the presets of HT, VHT and HE: 16-QAM 3/4. Higher ones need shorter links than those of most studies.
const USUAL_MCS: u32 = 4;

/// The radio of a preset under a profile; `None` for an unknown preset.
pub fn radio(profile: Profile, preset: &str) -> Option<RadioConfig> {
    let mut radio = RadioConfig::preset(preset)?;
    match profile {
        Profile::Standard => {}
        Profile::Ns2 => radio.apply_ns2(),
        Profile::AsNs3 => radio.apply_as_ns3(),
    }
    Some(radio)
}

impl RadioConfig {
    /// The radio of a preset; `None` for an unknown name.
    fn preset(preset: &str) -> Option<RadioConfig> {
        if !PRESETS.iter().any(|(name, _)| *name == preset) {
            return None;
        }
        let mut radio = RadioConfig::default();
        if radio.set_modern(preset).is_some() {
            return Some(radio);
        }
        let (name, short_preamble) = match preset.strip_suffix("-short") {
            Some(name) => (name, true),
            None => (preset, false),
        };
        let (family, rate) = name.rsplit_once('-')?;
        let megabits: f64 = rate.strip_suffix('M')?.parse().ok()?;
        radio.data_rate = (megabits * 1e6) as u64;
        match family {
            "wavelan" if rate == "11M" => {
                radio.basic_rate = 2_000_000;
                (radio.tx_range, radio.cs_range, radio.interference_range) = (200.0, 350.0, 350.0);
            }
            "wavelan" => {}
            "dsss" => radio.response_rates = vec![1_000_000, 2_000_000],
            "hr-dsss" => {
                radio.response_rates = vec![1_000_000, 2_000_000];
                radio.frequency = 2.4e9;
                if short_preamble {
                    // Short preamble: 72 bits at 1 Mbit/s and 48 at 2 Mbit/s; no 1 Mbit/s frame can carry it.
                    radio.basic_rate = 2_000_000;
                    radio.response_rates = vec![2_000_000];
                    radio.plcp_bits_1m = 72;
                    radio.plcp_bits_2m = 48;
                }
            }
            _ => {
                radio.set_ofdm(if family == "ofdm" { Phy::Ofdm } else { Phy::ErpOfdm });
            }
        }
        Some(radio)
    }

    /// The band of OFDM or ERP-OFDM, and its mandatory rates.
    fn set_ofdm(&mut self, phy: Phy) {
        self.phy = phy;
        self.frequency = if phy == Phy::Ofdm { 5.2e9 } else { 2.4e9 };
        self.basic_rate = 6_000_000;
        self.response_rates = vec![6_000_000, 12_000_000, 24_000_000];
    }

    /// A preset of HT, VHT or HE: `vht-80`, `vht-80-2ss`; `None` of another name.
    fn set_modern(&mut self, preset: &str) -> Option<()> {
        let mut parts = preset.split('-');
        let format = parts.next()?;
        self.ppdu_format = PpduFormat::ALL.into_iter().find(|known| known.word() == format)?;
        let width = ChannelWidth::of_mhz(parts.next()?.parse().ok()?)?;
        self.channel_width = width.mhz();
        self.spatial_streams = parts.next().map_or(Some(1), |part| part.strip_suffix("ss")?.parse().ok())?;
        self.mcs = USUAL_MCS;
        self.set_ofdm(Phy::Ofdm);
        // What is not in use should not decide how far interference reaches: one of the response rates.
        self.data_rate = 24_000_000;
        self.interference = Interference::Sinr;
        self.error_kind = ErrorKind::Sinr;
        self.error_ofdm = OfdmDecoding::Table;
        // -174 dBm/Hz, the width, and a noise figure of 7 dB.
        self.noise_floor = -94.0 + DOUBLING_DB * f64::from(width as u32);
        Some(())
    }

    /// The documented behaviour of ns-2.35; numbers are the items of docs/models/ns2.md.
    fn apply_ns2(&mut self) {
        self.propagation = Propagation::TwoRay; // 1
        self.undecodable = Undecodable::Locks; // 2
        self.capture_rule = CaptureRule::FirstComes; // 3
        self.ignored_frame = IgnoredFrame::NavEifs; // 5
        self.during_transmission = DuringTransmission::Locks; // 8
        self.propagation_speed = 3e8; // 7
        self.response_rates = Vec::new(); // 10
    }

    /// The behaviour of ns-3.44 as measured for this project; numbers are the items of docs/models/as-ns3.md.
    fn apply_as_ns3(&mut self) {
        self.interference = Interference::Sinr; // 3 to 5
        self.interference_reach = InterferenceReach::CarrierSense; // 1
        self.synchronization = Synchronization::Preamble; // 3
        self.error_kind = ErrorKind::Sinr; // 4
        self.error_cck = CckDetection::Biorthogonal; // 4
        self.error_ofdm = OfdmDecoding::Table; // 4
        self.carrier_sense = CarrierSense::Sum; // 5
        let width = ChannelWidth::of_mhz(self.channel_width).map_or(0, |width| width as u32);
        self.noise_floor = [-93.97, -90.96, -87.95, -84.94][width as usize]; // 5
        if self.phy == Phy::Dsss {
            self.response_rates = vec![1_000_000, 2_000_000, 5_500_000, 11_000_000]; // 12
        }
        self.short_gi_rounded = false; // 26
        self.vht_sig_b = false; // 26
        self.he_ltf = Span::from_micros(8); // 26
        self.he_tail_bits = true; // 26
        self.gi_1600_as_3200 = true; // 26
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(profile: Profile, preset: &str) -> RadioConfig {
        radio(profile, preset).expect("a preset")
    }

    #[test]
    fn modern_presets_are_their_names() {
        let is_modern = |name: &&str| ["ht-", "vht-", "he-"].iter().any(|format| name.starts_with(format));
        let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).filter(is_modern).collect();
        assert_eq!(names.len(), 40);
        for name in names {
            let radio = of(Profile::Standard, name);
            let mode = radio.data_mode().expect("a mode that exists");
            let streams = name.split('-').nth(2).map_or("1", |part| &part[..1]);
            let written = format!("{}-{}-{streams}", radio.ppdu_format.word(), radio.channel_width);
            assert_eq!(written, format!("{}-{streams}", name.splitn(3, '-').take(2).collect::<Vec<_>>().join("-")));
            assert_eq!(mode.mcs(), Some((4, streams.parse().expect("a digit"))));
        }
        assert_eq!(radio(Profile::Standard, "ht-80"), None);
        assert_eq!(radio(Profile::Standard, "he-80-5ss"), None);
    }

    #[test]
    fn noise_grows_with_the_width() {
        let floor = |profile, preset| of(profile, preset).noise_floor;
        let presets = ["he-20", "he-40", "vht-80-2ss", "vht-160"];
        assert_eq!(presets.map(|preset| floor(Profile::Standard, preset)), [-94.0, -91.0, -88.0, -85.0]);
        assert_eq!(presets.map(|preset| floor(Profile::AsNs3, preset)), [-93.97, -90.96, -87.95, -84.94]);
        assert_eq!(floor(Profile::AsNs3, "ofdm-54M"), -93.97);
    }
}
