//! Frame durations and inter-frame spaces: pure functions of the PHY (IEEE 802.11-2020 clauses 15 to 18).

use crate::config::MacConfig;
use crate::config::mac::{EifsRate, EifsRule, ResponseTimeout};
use crate::frame::{ACK_BYTES, FrameKind, RTS_BYTES};
use crate::rate::Rates;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_phy::config::RadioConfig;
use hopscope_phy::config::radio::Phy;
use hopscope_phy::phy::modes::Mode;

/// Data bits per 4 us OFDM symbol for a rate in bit/s (table 17-4).
fn ofdm_bits_per_symbol(rate: u64) -> u64 {
    rate / 250_000
}

/// Time on the air of a frame of `bytes` bytes (header and FCS included) at `rate` bit/s.
///
/// DSSS frames end on a whole microsecond (the PLCP LENGTH field counts microseconds, 16.2.3.5).
pub fn airtime(radio: &RadioConfig, bytes: u32, rate: u64) -> Span {
    preamble(radio) + payload(radio.phy, bytes, rate)
}

/// The same without preamble and PLCP header.
fn payload(phy: Phy, bytes: u32, rate: u64) -> Span {
    let bits = u64::from(bytes) * 8;
    Span::from_micros(match phy {
        Phy::Dsss => (bits * 1_000_000).div_ceil(rate),
        Phy::Ofdm | Phy::ErpOfdm => {
            // SERVICE field and tail bits around the frame (17.4.3). The 6 us without signal make up for ERP's SIFS,
            // which is 6 us shorter than that of OFDM and leaves a decoder too little time.
            let symbols = (16 + bits + 6).div_ceil(ofdm_bits_per_symbol(rate));
            let extension = if phy == Phy::ErpOfdm { 6 } else { 0 };
            4 * symbols + extension
        }
    })
}

/// PLCP preamble and header: from the start of a frame to the receiver's PHY-RXSTART indication.
fn preamble(radio: &RadioConfig) -> Span {
    match radio.phy {
        Phy::Dsss => Span(u64::from(radio.plcp_bits_1m) * 1_000 + u64::from(radio.plcp_bits_2m) * 500),
        // 16 us of training and one symbol of SIGNAL (17.3.2).
        Phy::Ofdm | Phy::ErpOfdm => Span::from_micros(20),
    }
}

/// Time on the air of the ACK within EIFS (10.3.7).
fn eifs_ack(radio: &RadioConfig, rate: EifsRate) -> Span {
    match (rate, radio.phy) {
        (EifsRate::LowestUsed, _) => {
            let used = radio.response_rates.iter().copied().chain([radio.basic_rate]);
            airtime(radio, ACK_BYTES, used.min().unwrap_or(radio.basic_rate))
        }
        // Mandatory are 1 and 2 Mbit/s (clause 15), which HR/DSSS and ERP keep, or 6, 12 and 24 Mbit/s (clause 17). A short
        // preamble never comes before 1 Mbit/s (16.2.2.3).
        (EifsRate::LowestMandatory, Phy::Dsss | Phy::ErpOfdm) => {
            LONG_PREAMBLE + payload(Phy::Dsss, ACK_BYTES, 1_000_000)
        }
        (EifsRate::Plcp, Phy::Dsss) => match (radio.plcp_bits_1m, radio.plcp_bits_2m) {
            (0, 1..) => airtime(radio, ACK_BYTES, 2_000_000),
            (_, 0) => airtime(radio, ACK_BYTES, 1_000_000),
            // Bits at both rates are a short preamble, which never comes before 1 Mbit/s.
            (1.., 1..) => LONG_PREAMBLE + payload(Phy::Dsss, ACK_BYTES, 1_000_000),
        },
        (EifsRate::LowestMandatory, Phy::Ofdm) | (EifsRate::Plcp, Phy::Ofdm | Phy::ErpOfdm) => {
            airtime(radio, ACK_BYTES, 6_000_000)
        }
    }
}

/// Long preamble and PLCP header of DSSS (15.2.2).
const LONG_PREAMBLE: Span = Span::from_micros(192);

/// Every duration that the DCF of a run needs, worked out once.
#[derive(Debug, Clone)]
pub struct Timing {
    /// Slot time.
    pub slot: Span,
    /// Short inter-frame space.
    pub sifs: Span,
    /// DCF inter-frame space: SIFS and two slots (10.3.7).
    pub difs: Span,
    /// Extended inter-frame space: SIFS, an ACK at the lowest rate, DIFS (10.3.7).
    pub eifs: Span,
    /// The shortest answer that this station gives or gets.
    pub shortest_response: Span,
    /// After the end of an RTS, when a NAV set by it may be reset (10.3.2.4).
    pub nav_reset: Span,
    /// The wait for an answer covers the whole answer, not only its beginning.
    pub waits_for_all: bool,
    /// From the end of a frame to the end of the wait for what follows it, which is beyond that the answer itself where
    /// all of it is waited for.
    response_wait: Span,
    /// Time on the air of an RTS, and of a CTS or an ACK, by the index of its mode.
    rts: [Span; Mode::TABLE],
    response: [Span; Mode::TABLE],
    rate: [u64; Mode::TABLE],
    preamble: Span,
    phy: Phy,
    whole_us: bool,
}

impl Timing {
    /// Durations for these parameters.
    pub fn new(radio: &RadioConfig, mac: &MacConfig) -> Self {
        let difs = mac.sifs + mac.slot * 2;
        let of_bytes = |bytes| Mode::table(|mode| airtime(radio, bytes, mode.rate()));
        let response = of_bytes(ACK_BYTES);
        let rates = Rates::new(radio, mac);
        let answer = |asked| response[rates.response(asked).index()];
        let cts = answer(rates.first(NodeId(0), FrameKind::Rts));
        let ack = rates.choices().iter().map(|&mode| answer(mode)).min().unwrap_or(cts);
        let eifs = match mac.eifs {
            EifsRule::Off => difs,
            EifsRule::ReplacesDifs | EifsRule::Nav => mac.sifs + eifs_ack(radio, mac.eifs_rate) + difs,
        };
        let waits_for_all = mac.response_timeout == ResponseTimeout::FullFrame;
        let beginning = if waits_for_all { mac.timeout_margin * 2 } else { mac.slot + preamble(radio) };
        Timing {
            slot: mac.slot,
            sifs: mac.sifs,
            difs,
            eifs,
            shortest_response: cts.min(ack),
            nav_reset: mac.sifs * 2 + cts + preamble(radio) + mac.slot * 2,
            waits_for_all,
            response_wait: mac.sifs + beginning,
            rts: of_bytes(RTS_BYTES),
            response,
            rate: Mode::table(Mode::rate),
            preamble: preamble(radio),
            phy: radio.phy,
            whole_us: mac.duration_whole_us,
        }
    }

    /// Time on the air of a frame of `bytes` bytes in a mode.
    pub fn airtime(&self, bytes: u32, mode: Mode) -> Span {
        self.preamble + payload(self.phy, bytes, self.rate[mode.index()])
    }

    /// Time on the air of an RTS.
    #[inline(always)]
    pub fn rts(&self, mode: Mode) -> Span {
        self.rts[mode.index()]
    }

    /// Time on the air of a CTS or an ACK.
    #[inline(always)]
    pub fn response(&self, mode: Mode) -> Span {
        self.response[mode.index()]
    }

    /// PCF inter-frame space: SIFS and a slot (10.3.7).
    pub fn pifs(&self) -> Span {
        self.sifs + self.slot
    }

    /// From the end of a frame to the end of the wait for its answer, which takes `answer`.
    #[inline(always)]
    pub fn wait_for(&self, answer: Span) -> Span {
        self.response_wait + if self.waits_for_all { answer } else { Span::ZERO }
    }

    /// A frame that began by then has been announced by the PHY (PHY-RXSTART.indication) at `now`: its preamble and its
    /// header, which take so long, have come.
    #[inline(always)]
    pub fn announced_by(&self, now: Time) -> Time {
        Time(now.0.saturating_sub(self.preamble.0))
    }

    /// A duration as the Duration field carries it: whole microseconds, rounded up (9.3.1.2 to 9.3.2.1).
    #[inline(always)]
    pub fn duration_field(&self, span: Span) -> Span {
        if self.whole_us { Span::from_micros(span.0.div_ceil(1_000)) } else { span }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::presets;

    fn radio(preset: &str) -> RadioConfig {
        presets::base("standard", preset).expect("a preset").radio
    }

    fn micros(preset: &str, bytes: u32, rate: u64) -> u64 {
        airtime(&radio(preset), bytes, rate).0 / 1_000
    }

    #[test]
    fn dsss_long_preamble_airtimes() {
        // Derived from clause 15: 192 us of preamble and header, then 8 bits per byte at the rate.
        for (bytes, rate, us) in [
            (14, 1_000_000, 304),
            (14, 2_000_000, 248),
            (20, 1_000_000, 352),
            (20, 2_000_000, 272),
            (1536, 1_000_000, 12_480),
            (1536, 2_000_000, 6_336),
            (1536, 5_500_000, 2_427),
            (1536, 11_000_000, 1_310),
        ] {
            assert_eq!(micros("hr-dsss-11M", bytes, rate), us, "{bytes} bytes at {rate}");
        }
    }

    #[test]
    fn ofdm_airtimes() {
        for (bytes, rate, us) in [
            (14, 6, 44),
            (14, 12, 32),
            (14, 24, 28),
            (20, 6, 52),
            (20, 12, 36),
            (20, 24, 28),
            (1536, 6, 2_072),
            (1536, 12, 1_048),
            (1536, 24, 536),
            (1536, 54, 248),
        ] {
            assert_eq!(micros("ofdm-54M", bytes, rate * 1_000_000), us, "{bytes} bytes at {rate} Mbit/s");
        }
        assert_eq!(micros("erp-ofdm-54M", 1536, 54_000_000), 254);
    }

    #[test]
    fn ns2_spaces() {
        let base = presets::base("ns2", "wavelan-2M").expect("a profile");
        let timing = Timing::new(&base.radio, &base.mac);
        assert_eq!(timing.difs, Span::from_micros(50));
        assert_eq!(timing.eifs, Span::from_micros(364));
        assert_eq!(timing.wait_for(Span::from_micros(304)), Span::from_micros(670 - 352));
    }

    #[test]
    fn ns2_sends_control_frames_at_the_basic_rate() {
        // Item 10 of docs/models/ns2.md: ns-2.35 takes 304 us for the ACK of a frame at 11 Mbit/s, 248 with basicRate_ 2 Mb.
        for preset in ["wavelan-11M", "dsss-2M", "hr-dsss-11M", "hr-dsss-11M-short", "ofdm-54M", "erp-ofdm-54M"] {
            let base = presets::base("ns2", preset).expect("a preset");
            let rates = Rates::new(&base.radio, &base.mac);
            let data = rates.first(NodeId(0), FrameKind::Data);
            assert_eq!(rates.response(data).rate(), base.radio.basic_rate, "{preset}");
        }
    }

    #[test]
    fn eifs_has_an_ack_at_the_lowest_mandatory_rate() {
        assert_eq!(micros("hr-dsss-11M-short", 0, 2_000_000), 96);
        let eifs = |profile, preset| {
            let base = presets::base(profile, preset).expect("a preset");
            Timing::new(&base.radio, &base.mac).eifs.0 / 1_000
        };
        // SIFS, ACK and DIFS: 10 + 304 + 50, 16 + 44 + 34 and 10 + 304 + 28.
        assert_eq!(eifs("standard", "hr-dsss-11M"), 364);
        assert_eq!(eifs("standard", "hr-dsss-11M-short"), 364, "no short preamble before 1 Mbit/s");
        assert_eq!(eifs("standard", "ofdm-54M"), 94);
        assert_eq!(eifs("standard", "erp-ofdm-54M"), 342, "802.11g keeps the rates of 802.11b");
        // The rates in use, of which as-ns3 has all mandatory ones with DSSS: at 6 Mbit/s with its extension, after the long slots.
        assert_eq!(eifs("as-ns3", "hr-dsss-11M"), 364);
        assert_eq!(eifs("as-ns3", "erp-ofdm-54M"), 10 + 50 + 50);
    }

    #[test]
    fn ns2_eifs_has_an_ack_at_the_plcp_rate() {
        // Item 9 of docs/models/ns2.md: 10 + 304 + 50 with every rate of frames.
        for preset in [
            "wavelan-2M",
            "wavelan-11M",
            "dsss-1M",
            "dsss-2M",
            "hr-dsss-5.5M",
            "hr-dsss-11M",
            "hr-dsss-5.5M-short",
            "hr-dsss-11M-short",
        ] {
            for basic_rate in [1_000_000, 2_000_000, 11_000_000] {
                let mut base = presets::base("ns2", preset).expect("a preset");
                base.radio.basic_rate = basic_rate;
                assert_eq!(Timing::new(&base.radio, &base.mac).eifs, Span::from_micros(364), "{preset}, {basic_rate}");
            }
        }
        // The PLCP's own length and rate count: 120 bits at 1 Mbit/s, 192 bits at 2 Mbit/s.
        for (bits_1m, bits_2m, ack) in [(120, 0, 120 + 112), (0, 192, 96 + 56)] {
            let mut base = presets::base("ns2", "wavelan-11M").expect("a preset");
            (base.radio.plcp_bits_1m, base.radio.plcp_bits_2m) = (bits_1m, bits_2m);
            assert_eq!(Timing::new(&base.radio, &base.mac).eifs, Span::from_micros(10 + ack + 50));
        }
        let ofdm = |preset| {
            let base = presets::base("ns2", preset).expect("a preset");
            Timing::new(&base.radio, &base.mac).eifs.0 / 1_000
        };
        assert_eq!((ofdm("ofdm-54M"), ofdm("erp-ofdm-54M")), (16 + 44 + 34, 10 + 50 + 28));
    }
}
