//! Frame durations and inter-frame spaces: pure functions of the PHY (IEEE 802.11-2020 clauses 15 to 18).

use crate::config::mac::{EifsRule, ResponseTimeout};
use crate::config::radio::Phy;
use crate::config::{MacConfig, RadioConfig};
use crate::units::Span;

/// Bytes of an RTS frame with FCS (9.3.1.2).
pub const RTS_BYTES: u32 = 20;
/// Bytes of a CTS frame with FCS (9.3.1.3).
pub const CTS_BYTES: u32 = 14;
/// Bytes of an ACK frame with FCS (9.3.1.4).
pub const ACK_BYTES: u32 = 14;

/// Data bits per 4 us OFDM symbol for a rate in bit/s (table 17-4).
fn ofdm_bits_per_symbol(rate: u64) -> u64 {
    rate / 250_000
}

/// Time on the air of a frame of `bytes` bytes (header and FCS included) at `rate` bit/s.
///
/// DSSS frames end on a whole microsecond (the PLCP LENGTH field counts microseconds, 16.2.3.5).
pub fn airtime(radio: &RadioConfig, bytes: u32, rate: u64) -> Span {
    let bits = u64::from(bytes) * 8;
    let payload = match radio.phy {
        Phy::Dsss => (bits * 1_000_000).div_ceil(rate),
        Phy::Ofdm | Phy::ErpOfdm => {
            let symbols = (16 + bits + 6).div_ceil(ofdm_bits_per_symbol(rate));
            let extension = if radio.phy == Phy::ErpOfdm { 6 } else { 0 };
            4 * symbols + extension
        }
    };
    preamble(radio) + Span::from_micros(payload)
}

/// PLCP preamble and header: from the start of a frame to the receiver's PHY-RXSTART indication.
fn preamble(radio: &RadioConfig) -> Span {
    match radio.phy {
        Phy::Dsss => Span(u64::from(radio.plcp_bits_1m) * 1_000 + u64::from(radio.plcp_bits_2m) * 500),
        Phy::Ofdm | Phy::ErpOfdm => Span::from_micros(20),
    }
}

/// Rate of the response to a frame sent at `rate`: the highest allowed one not above it, else the lowest (10.6.6.5).
fn response_rate(radio: &RadioConfig, rate: u64) -> u64 {
    let allowed = &radio.response_rates;
    let best = allowed.iter().copied().filter(|&r| r <= rate).max();
    best.or_else(|| allowed.iter().copied().min()).unwrap_or(radio.basic_rate)
}

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
    /// RTS at the basic rate.
    pub rts: Span,
    /// CTS answering an RTS.
    pub cts: Span,
    /// ACK answering a data frame.
    pub ack: Span,
    /// From the start of an RTS to the end of the wait for its CTS.
    pub cts_timeout: Span,
    /// From the end of a data frame to the end of the wait for its ACK.
    pub ack_timeout_after_data: Span,
    /// From the end of a CTS to the end of the wait for the data frame, less the data frame itself where the whole
    /// frame is waited for.
    pub data_timeout_after_cts: Span,
    /// The wait for a data frame covers the whole frame.
    pub data_timeout_full: bool,
    /// After the end of an RTS, when a NAV set by it may be reset (10.3.2.4).
    pub nav_reset: Span,
    radio: RadioConfig,
    whole_us: bool,
}

impl Timing {
    /// Durations for these parameters.
    pub fn new(radio: &RadioConfig, mac: &MacConfig) -> Self {
        let difs = mac.sifs + mac.slot * 2;
        let rts = airtime(radio, RTS_BYTES, radio.basic_rate);
        let cts = airtime(radio, CTS_BYTES, response_rate(radio, radio.basic_rate));
        let ack = airtime(radio, ACK_BYTES, response_rate(radio, radio.data_rate));
        let lowest = radio.response_rates.iter().copied().min().unwrap_or(radio.basic_rate).min(radio.basic_rate);
        let eifs = match mac.eifs {
            EifsRule::Off => difs,
            EifsRule::ReplacesDifs | EifsRule::Nav => mac.sifs + airtime(radio, ACK_BYTES, lowest) + difs,
        };
        let full = mac.response_timeout == ResponseTimeout::FullFrame;
        let margin = mac.timeout_margin * 2;
        let rx_start = mac.sifs + mac.slot + preamble(radio);
        Timing {
            slot: mac.slot,
            sifs: mac.sifs,
            difs,
            eifs,
            rts,
            cts,
            ack,
            cts_timeout: if full { rts + margin + mac.sifs + cts } else { rts + rx_start },
            ack_timeout_after_data: if full { margin + mac.sifs + ack } else { rx_start },
            data_timeout_after_cts: if full { margin + mac.sifs } else { rx_start },
            data_timeout_full: full,
            nav_reset: mac.sifs * 2 + cts + preamble(radio) + mac.slot * 2,
            radio: radio.clone(),
            whole_us: mac.duration_whole_us,
        }
    }

    /// Time on the air of a data frame; broadcast frames go at the basic rate.
    pub fn data(&self, bytes: u32, broadcast: bool) -> Span {
        airtime(&self.radio, bytes, if broadcast { self.radio.basic_rate } else { self.radio.data_rate })
    }

    /// A duration as the Duration field carries it: whole microseconds, rounded up (9.2.5).
    pub fn duration_field(&self, span: Span) -> Span {
        if self.whole_us { Span::from_micros(span.0.div_ceil(1_000)) } else { span }
    }

    /// Duration field of an RTS that announces a data frame of length `data`.
    pub fn rts_duration(&self, data: Span) -> Span {
        self.duration_field(self.sifs * 3 + self.cts + data + self.ack)
    }

    /// Duration field of the CTS that answers an RTS with duration `rts`.
    pub fn cts_duration(&self, rts: Span) -> Span {
        rts.saturating_sub(self.sifs + self.cts)
    }

    /// Duration field of a unicast data frame.
    pub fn data_duration(&self) -> Span {
        self.duration_field(self.sifs + self.ack)
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
    fn ns2_spaces_and_timeouts() {
        let base = presets::base("ns2", "wavelan-2M").expect("a profile");
        let timing = Timing::new(&base.radio, &base.mac);
        assert_eq!(timing.difs, Span::from_micros(50));
        assert_eq!(timing.eifs, Span::from_micros(364));
        assert_eq!(timing.cts_timeout, Span::from_micros(670));
        let data = timing.data(1500 + 34, false);
        assert_eq!(data, Span::from_micros(6_328));
        assert_eq!(timing.rts_duration(data), Span::from_micros(6_966));
    }

    #[test]
    fn short_preamble_and_11a_eifs() {
        assert_eq!(micros("hr-dsss-11M-short", 0, 2_000_000), 96);
        let base = presets::base("standard", "ofdm-6M").expect("a preset");
        assert_eq!(Timing::new(&base.radio, &base.mac).eifs, Span::from_micros(94));
    }
}
