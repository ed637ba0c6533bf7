//! The MAC's part of presets and profiles: assignments to documented parameters, nothing else.

use super::mac::{
    AmpduRelease, BackoffDraw, BusyAtExpiry, Counting, CtsRule, Duplicates, EifsRate, EifsRule, MacConfig,
    MinstrelHtVariant, NavConfirmation, RateGroups, ResponseTimeout, TxopTable,
};
use hopscope_core::config::profile::Profile;
use hopscope_core::units::Span;
use hopscope_phy::config::RadioConfig;
use hopscope_phy::config::layout::PpduFormat;
use hopscope_phy::config::radio::Phy;

/// The MAC of a radio under a profile.
pub fn mac(profile: Profile, radio: &RadioConfig) -> MacConfig {
    let mut mac = MacConfig::of_phy(radio.phy);
    if radio.ppdu_format != PpduFormat::NonHt {
        mac.set_qos(radio.ppdu_format);
    }
    match profile {
        Profile::Standard => {}
        Profile::Ns2 => mac.apply_ns2(),
        Profile::AsNs3 => mac.apply_as_ns3(radio.phy),
    }
    mac
}

impl MacConfig {
    /// The times of a PHY (IEEE 802.11-2020 tables 15-5, 17-21 and 18-5).
    fn of_phy(phy: Phy) -> MacConfig {
        let sifs = match phy {
            Phy::Dsss => return MacConfig::default(),
            Phy::Ofdm => Span::from_micros(16),
            Phy::ErpOfdm => Span::from_micros(10),
        };
        let (slot, cca_delay) = (Span::from_micros(9), Span::from_micros(2));
        MacConfig { slot, sifs, cw_min: 15, cca_delay, ..MacConfig::default() }
    }

    /// A QoS station with A-MPDUs as long as the format allows, without RTS.
    fn set_qos(&mut self, format: PpduFormat) {
        self.qos = true;
        self.rts_threshold = None;
        // Maximum A-MPDU Length Exponent of HT 3 and of VHT 7; HE takes that of VHT too (9.4.2.55, 9.4.2.157).
        self.ampdu = Some(if format == PpduFormat::Ht { 65_535 } else { 1_048_575 });
        self.block_ack_window = if format == PpduFormat::He { 256 } else { 64 };
    }

    /// The documented behaviour of ns-2.35; numbers are the items of docs/models/ns2.md.
    fn apply_ns2(&mut self) {
        self.data_header = 34; // 11
        self.llc_header = 0; // 11
        self.queue_reserve = 1; // measured with 26: a limit of 50 holds 49
        self.max_msdu = 8_000; // no limit in ns-2; the Duration field is 16 bits of microseconds
        self.duration_whole_us = true; // 13
        self.nav_reset = false; // 13
        self.eifs = EifsRule::Nav; // 14
        self.eifs_rate = EifsRate::Plcp; // 9
        self.cts_rule = CtsRule::MediumIdle; // 16
        self.response_timeout = ResponseTimeout::FullFrame; // 17
        self.backoff_includes_cw = false; // 18
        self.immediate_access = false; // 20
        self.backoff_after_drop = false; // 20
        self.ifs_from_start = true; // 19, 20
        self.slot_rounding = Span::ZERO; // 19
        self.busy_at_expiry = BusyAtExpiry::DoubleCw; // 22
        self.data_needs_idle = true; // 22
        self.cca_delay = Span::ZERO; // 22
        self.retry_counting = Counting::Station; // 23
        self.rts_counts_plcp = true; // 24
        self.data_needs_cts = true; // 25
        self.duplicates = Duplicates::Sequence; // 25
    }

    /// The behaviour of ns-3.44 as measured for this project; numbers are the items of docs/models/as-ns3.md.
    fn apply_as_ns3(&mut self, phy: Phy) {
        self.ifs_from_start = true; // 6
        self.backoff_draw = BackoffDraw::FoundBusy; // 7, 8
        self.eifs_rate = EifsRate::LowestUsed; // 9
        self.nav_confirmed_by = NavConfirmation::RxStart; // 16
        self.retry_limit = Some(7); // 10
        self.cw_reset_failures = Some(8); // 10
        self.queue_reserve = 1; // 11
        self.cca_delay = Span::from_micros(4); // 5, 17
        self.aarf_most = 60; // 22
        self.edca_txop_table = TxopTable::Ns3; // 27
        self.mpdu_retry_limit = None; // 27
        self.ampdu_release = AmpduRelease::Mpdu; // 27
        self.minstrel_ht = MinstrelHtVariant::Ns3; // ns3-ht rule 17
        self.minstrel_ht_groups = RateGroups::All; // ns3-ht rule 17
        self.ideal_ber = 1e-6; // ns3-ht rule 17
        if phy == Phy::ErpOfdm {
            self.slot = Span::from_micros(20); // 13
        }
    }
}

/// Radio and MAC of a test.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct Base {
    pub radio: RadioConfig,
    pub mac: MacConfig,
}

/// Radio and MAC of a profile with a radio preset; `None` for an unknown name.
#[cfg(test)]
pub(crate) fn base(profile: &str, preset: &str) -> Option<Base> {
    let profile = Profile::of(profile)?;
    let radio = hopscope_phy::config::presets::radio(profile, preset)?;
    Some(Base { mac: mac(profile, &radio), radio })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_of_a_format_brings_qos() {
        for (preset, ampdu, window) in [("ht-40-2ss", 65_535, 64), ("vht-80", 1_048_575, 64), ("he-20", 1_048_575, 256)]
        {
            let mac = base("standard", preset).expect("a preset").mac;
            assert!(mac.qos);
            assert_eq!((mac.ampdu, mac.block_ack_window), (Some(ampdu), window));
            assert_eq!((mac.data_overhead(), mac.llc_header, mac.rts_threshold), (30, 8, None));
            assert_eq!((mac.slot, mac.sifs, mac.cw_min), (Span::from_micros(9), Span::from_micros(16), 15));
        }
        assert!(!base("standard", "ofdm-54M").expect("a preset").mac.qos);
    }
}
