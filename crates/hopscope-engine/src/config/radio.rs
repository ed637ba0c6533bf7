//! Parameters of the radio and the channel.

use super::params::{choice, params};

choice! {
    /// How received power falls with distance.
    pub enum Propagation {
        /// Free space: power falls with the square of the distance (Friis 1946).
        Friis = "friis",
        /// Free space up to the crossover distance, two-ray ground reflection (fourth power) beyond it.
        TwoRay = "two-ray",
    }
}

choice! {
    /// What a frame that overlaps a reception does to it.
    pub enum Interference {
        /// Pairwise comparison of powers, with `capture_rule`.
        Capture = "capture",
        /// Any frame from within `interference_range` of the receiver destroys the reception, whatever its power.
        Range = "range",
        /// Powers of all other frames and the noise add; the reception survives while the ratio stays above the
        /// threshold of its rate.
        Sinr = "sinr",
    }
}

choice! {
    /// Which of two overlapping frames a receiver can keep.
    pub enum CaptureRule {
        /// Only the frame that came first can survive; a later, stronger one destroys it and is lost too.
        FirstComes = "first-comes",
        /// A later frame stronger by the threshold takes the receiver over.
        Strongest = "strongest",
    }
}

choice! {
    /// What a sensed frame that cannot be decoded does to a receiver.
    pub enum Undecodable {
        /// It occupies the receiver for its duration and ends in EIFS.
        Locks = "locks",
        /// It only raises carrier sense.
        EnergyOnly = "energy-only",
    }
}

choice! {
    /// What a weaker frame does that a reception survives by capture.
    pub enum IgnoredFrame {
        /// It sets the NAV to its duration plus EIFS, counted from its start.
        NavEifs = "nav-eifs",
        /// It only keeps carrier sense busy.
        CarrierSense = "carrier-sense",
    }
}

choice! {
    /// Frame timing family.
    pub enum Phy {
        /// DSSS and HR/DSSS: preamble and PLCP header, then bytes at the data rate.
        Dsss = "dsss",
        /// OFDM (clause 17): 20 us preamble and signal, then 4 us symbols.
        Ofdm = "ofdm",
        /// ERP-OFDM (clause 18): OFDM plus 6 us of signal extension.
        ErpOfdm = "erp-ofdm",
    }
}

choice! {
    /// Channel error process.
    pub enum ErrorKind {
        /// No channel errors.
        None = "none",
        /// Each frame copy is lost with probability `error_per`, independently.
        Uniform = "uniform",
    }
}

choice! {
    /// Which frames the error process hits.
    pub enum ErrorScope {
        /// Every frame copy at every receiver: RTS, CTS, DATA, ACK, broadcast, overheard or only sensed.
        All = "all",
        /// Data frames only.
        Data = "data",
    }
}

choice! {
    /// What happens to a frame copy hit by an error.
    pub enum OnError {
        /// The copy occupies the receiver and ends in error (EIFS).
        Flag = "flag",
        /// The copy vanishes: no carrier sense, no NAV, no EIFS.
        Drop = "drop",
    }
}

params! {
    /// Radio and channel.
    pub struct RadioConfig {
        /// Path-loss model.
        propagation: Propagation = Propagation::TwoRay, "", "ns2-facts item 1";
        /// Distance at which a frame can just be received; sets the receive threshold through the path-loss model.
        tx_range: f64 = 250.0, "m", "fu2003.table1";
        /// Distance at which a frame can just be sensed; sets the carrier-sense threshold.
        cs_range: f64 = 550.0, "m", "fu2003.table1";
        /// Distance within which a frame destroys a reception under `interference = "range"`.
        interference_range: f64 = 550.0, "m", "fu2003.table1";
        /// Interference model.
        interference: Interference = Interference::Capture, "", "ns2-facts item 3";
        /// Which of two overlapping frames can survive under `interference = "capture"`.
        capture_rule: CaptureRule = CaptureRule::Strongest, "", "a default";
        /// Power ratio from which a frame survives another one (10 is 10 dB).
        capture_threshold: f64 = 10.0, "ratio", "ns2-facts item 1";
        /// What a weaker frame does that a reception survives by capture.
        ignored_frame: IgnoredFrame = IgnoredFrame::CarrierSense, "", "a default";
        /// What a sensed but undecodable frame does to a receiver.
        undecodable: Undecodable = Undecodable::EnergyOnly, "", "IEEE 802.11-2020 15.4.6 (CCA)";
        /// Transmit power.
        tx_power: f64 = 0.281_838_15, "W", "ns2-facts item 1";
        /// Carrier frequency.
        frequency: f64 = 914e6, "Hz", "ns2-facts item 1";
        /// Antenna height above ground, same at both ends.
        antenna_height: f64 = 1.5, "m", "ns2-facts item 1";
        /// Antenna gain, same at both ends.
        antenna_gain: f64 = 1.0, "ratio", "ns2-facts item 1";
        /// System loss (1 or more).
        system_loss: f64 = 1.0, "ratio", "ns2-facts item 1";
        /// Speed of propagation.
        propagation_speed: f64 = 299_792_458.0, "m/s", "speed of light";
        /// Noise floor under `interference = "sinr"`.
        noise_floor: f64 = -100.0, "dBm", "a default: thermal noise of 22 MHz plus 7 dB noise figure, rounded";
        /// Frame timing family.
        phy: Phy = Phy::Dsss, "", "IEEE 802.11-2020 clause 15";
        /// Rate of unicast data frames.
        data_rate: u64 = 2_000_000, "bit/s", "fu2003.table1";
        /// Rate of RTS and broadcast frames.
        basic_rate: u64 = 1_000_000, "bit/s", "ns2-facts item 10";
        /// Rates allowed for CTS and ACK: the highest one not above the rate of the frame answered (or the lowest of
        /// them) is used. Empty: `basic_rate` alone.
        response_rates: Vec<u64> = Vec::new(), "bit/s", "IEEE 802.11-2020 10.6.6.5";
        /// DSSS preamble and PLCP header bits sent at 1 Mbit/s.
        plcp_bits_1m: u32 = 192, "bits", "IEEE 802.11-2020 15.2.2";
        /// Further PLCP header bits sent at 2 Mbit/s (short preamble; never before a 1 Mbit/s frame).
        plcp_bits_2m: u32 = 0, "bits", "IEEE 802.11-2020 16.2.2.3";
        /// Channel error process.
        error_kind: ErrorKind = ErrorKind::None, "", "a default";
        /// Probability that a frame copy is lost.
        error_per: f64 = 0.0, "probability", "a default";
        /// Which frames the error process hits.
        error_applies_to: ErrorScope = ErrorScope::All, "", "ns2-facts item 47";
        /// What happens to a frame copy hit by an error.
        error_on_error: OnError = OnError::Flag, "", "ns2-facts item 48";
    }
}
