//! Parameters of the radio and the channel.

use super::layout::PpduFormat;
use hopscope_core::config::params::Range;
use hopscope_core::math;
use hopscope_core::units::Span;
use hopscope_core::{choice, params};

choice! {
    /// How received power falls with distance.
    pub enum Propagation {
        /// Free space: power falls with the square of the distance (Friis 1946).
        Friis = "friis",
        /// Free space up to the crossover distance, two-ray ground reflection (fourth power) beyond it.
        TwoRay = "two-ray",
        /// Free space up to `reference_distance`, then power falls with distance to the `path_loss_exponent`.
        LogDistance = "log-distance",
    }
}

choice! {
    /// How the obstacles around a link move its power away from the mean of its distance.
    pub enum Shadowing {
        /// Not at all: power follows from distance.
        None = "none",
        /// One log-normal factor for each link and run, the same in both directions.
        Static = "static",
        /// A log-normal factor that changes with time (Gauss-Markov), the same in both directions.
        Correlated = "correlated",
    }
}

choice! {
    /// How the sum of many paths moves the power of a link within fractions of a second.
    pub enum Fading {
        /// Not at all.
        None = "none",
        /// No line of sight: the power of each block is exponentially distributed.
        Rayleigh = "rayleigh",
        /// The power of each block is gamma distributed with shape `nakagami_m` (Nakagami 1960).
        Nakagami = "nakagami",
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
    /// What a frame does to a receiver that begins while its own transmitter is on.
    pub enum DuringTransmission {
        /// It only raises carrier sense: its preamble was not heard, so there is no reception to fail.
        EnergyOnly = "energy-only",
        /// It occupies the receiver to its end and ends in EIFS, unless the transmitter is still on then.
        Locks = "locks",
    }
}

choice! {
    /// Which energy keeps the medium busy.
    pub enum CarrierSense {
        /// Each frame that can be sensed alone, until its end.
        Frames = "frames",
        /// The reception under way, and the sum of all powers on the air while it reaches the threshold of energy detection
        /// (`energy_range`).
        Sum = "sum",
    }
}

choice! {
    /// Down to which power a frame interferes under `interference = "sinr"`.
    pub enum InterferenceReach {
        /// As long as it can matter to the ratio of the weakest frame that can be decoded, at the highest rate in use.
        Ratio = "ratio",
        /// As long as it can be sensed; a weaker frame does not exist.
        CarrierSense = "carrier-sense",
    }
}

choice! {
    /// How a receiver finds a frame under `interference = "sinr"`.
    pub enum Synchronization {
        /// At its first instant; a frame above `capture_threshold` then takes it over, see `capture_rule`.
        Start = "start",
        /// `preamble_time` after its start, if it is the strongest of the frames being looked at and its ratio is at
        /// least `preamble_threshold`; then it is kept to its end.
        Preamble = "preamble",
    }
}

choice! {
    /// How CCK (5.5 and 11 Mbit/s) is received, under `error_kind = "sinr"`.
    pub enum CckDetection {
        /// Coherently: union bound over the distances of the code words.
        CodeWords = "code-words",
        /// As biorthogonal signals of 16 words, one set at 5.5 and two at 11 Mbit/s, with half the energy.
        Biorthogonal = "biorthogonal",
    }
}

choice! {
    /// How the convolutional code of OFDM is decoded, under `error_kind = "sinr"`.
    pub enum OfdmDecoding {
        /// From bits decided one by one.
        Hard = "hard",
        /// From the reliability of each bit.
        Soft = "soft",
        /// Words at the free distance and one more, bits decided one by one: the curves of ns-3's YansErrorRateModel.
        Yans = "yans",
        /// As ns-3.44 takes it from a table: like `soft` within 0.3 to 0.9 dB at non-HT rates.
        Table = "table",
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
        /// Each frame copy is lost independently, with the rates `error_per` and `error_ber`.
        Uniform = "uniform",
        /// Each link is good or bad for exponential times, with a rate of its own in each state (Gilbert 1960, Elliott
        /// 1963).
        GilbertElliott = "gilbert-elliott",
        /// Each link moves between any number of states by `error_transitions`, one step every `error_step`.
        Markov = "markov",
        /// Each reception is lost with the probability that follows from its ratio of signal to interference and noise,
        /// in place of the threshold of its rate. Needs `interference = "sinr"`.
        Sinr = "sinr",
    }
}

choice! {
    /// Named channels of `error_kind = "markov"`: matrix, step and rates of the states. A study with a channel of four states
    /// (armaghani2008.fig4-2) publishes none of them: these are this project's. Each state leads to its neighbours, from an inner one to
    /// either with the same probability; the first loses nothing.
    pub enum MarkovChannel {
        /// What the keys give.
        Given = "given",
        /// States that last 8, 4, 2 and 1 s on average and lose 0, 2, 5 and 10 % of the copies: 2.2 % on the whole.
        FourState = "four-state",
        /// The same, ten times as fast: 0.8, 0.4, 0.2 and 0.1 s.
        FourStateFast = "four-state-fast",
        /// The same with 0, 5, 12 and 25 %: 5.4 % on the whole.
        FourStateHarsh = "four-state-harsh",
    }
}

impl MarkovChannel {
    /// Mean times in the four states in seconds, and the share of copies lost in each; none: the keys give them.
    const fn four_states(self) -> Option<([f64; 4], [f64; 4])> {
        match self {
            MarkovChannel::Given => None,
            MarkovChannel::FourState => Some(([8.0, 4.0, 2.0, 1.0], [0.0, 0.02, 0.05, 0.1])),
            MarkovChannel::FourStateFast => Some(([0.8, 0.4, 0.2, 0.1], [0.0, 0.02, 0.05, 0.1])),
            MarkovChannel::FourStateHarsh => Some(([8.0, 4.0, 2.0, 1.0], [0.0, 0.05, 0.12, 0.25])),
        }
    }

    /// The channel as the keys would give it; none: they do.
    pub(crate) fn chain(self) -> Option<MarkovChain> {
        let (times, per) = self.four_states()?;
        let row = |from: usize| {
            let leaves = CHANNEL_STEP.as_secs() / times[from];
            let neighbours = [from.checked_sub(1), (from < 3).then_some(from + 1)];
            let share = leaves / neighbours.iter().flatten().count() as f64;
            (0..4).map(move |to| match to {
                _ if to == from => 1.0 - leaves,
                _ if neighbours.contains(&Some(to)) => share,
                _ => 0.0,
            })
        };
        let transitions = (0..4).map(|from| row(from).collect()).collect();
        Some(MarkovChain { transitions, step: CHANNEL_STEP, per: per.to_vec(), ber: Vec::new() })
    }
}

/// Time between two steps of the named channels.
const CHANNEL_STEP: Span = Span::from_millis(10);

/// A chain of states and their error rates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MarkovChain {
    /// Probabilities of moving from state (row) to state (column) in one step.
    pub(crate) transitions: Vec<Vec<f64>>,
    /// Time between steps.
    pub(crate) step: Span,
    /// Probability that a frame copy is lost, by state; empty: none is.
    pub(crate) per: Vec<f64>,
    /// Probability that a bit is wrong, by state; empty: none is.
    pub(crate) ber: Vec<f64>,
}

/// A power in dBm as watts.
pub fn watts(dbm: f64) -> f64 {
    math::from_decibels(dbm) * 1e-3
}

impl RadioConfig {
    /// The chain of `error_kind = "markov"`.
    pub(crate) fn markov_chain(&self) -> MarkovChain {
        self.error_channel.chain().unwrap_or_else(|| MarkovChain {
            transitions: self.error_transitions.clone(),
            step: self.error_step,
            per: self.error_state_per.clone(),
            ber: self.error_state_ber.clone(),
        })
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

/// Mean times of states that are drawn: shorter than any frame they would make a run slow.
const DRAWN: Range = Range::within(10e-6, 1e6);

params! {
    /// Radio and channel.
    pub struct RadioConfig {
        /// Path-loss model.
        propagation: Propagation = Propagation::TwoRay, "", "ns2-facts item 1";
        /// Distance at which a frame can just be received; sets the receive threshold through the path-loss model.
        tx_range: f64 = 250.0, "m", "fu2003.table1", in Range::above(0.0);
        /// Distance at which a frame can just be sensed; sets the carrier-sense threshold.
        cs_range: f64 = 550.0, "m", "fu2003.table1", in Range::above(0.0);
        /// Distance within which a frame destroys a reception under `interference = "range"`.
        interference_range: f64 = 550.0, "m", "fu2003.table1", in Range::above(0.0), when "interference = range";
        /// Interference model.
        interference: Interference = Interference::Capture, "", "ns2-facts item 3";
        /// Which of two overlapping frames can survive under `interference = "capture"`.
        capture_rule: CaptureRule = CaptureRule::Strongest, "", "a default",
            when "interference = capture or interference = sinr and synchronization = start";
        /// Power ratio from which a frame survives another one (10 is 10 dB).
        capture_threshold: f64 = 10.0, "ratio", "ns2-facts item 1", in Range::from(1.0),
            when "interference = capture or interference = sinr and synchronization = start and capture_rule = strongest";
        /// What a weaker frame does that a reception survives by capture.
        ignored_frame: IgnoredFrame = IgnoredFrame::CarrierSense, "", "a default", when "interference = capture";
        /// What a sensed but undecodable frame does to a receiver.
        undecodable: Undecodable = Undecodable::EnergyOnly, "", "IEEE 802.11-2012 16.4.8.5 (CCA)";
        /// What a frame does to a receiver that begins while its own transmitter is on.
        during_transmission: DuringTransmission = DuringTransmission::EnergyOnly, "", "IEEE 802.11-2020 10.3.2.3.7 (no PHY-RXEND.indication)";
        /// How a receiver finds a frame under `interference = "sinr"`.
        synchronization: Synchronization = Synchronization::Start, "", "a default";
        /// Time after the start of a frame at which `synchronization = "preamble"` decides.
        preamble_time: Span = Span::from_micros(4), "s", "ns3-cells item 3", in Range::above(0.0).up_to(16e-6),
            when "synchronization = preamble";
        /// Ratio that the frame needs at that instant.
        preamble_threshold: f64 = 4.0, "dB", "ns3-cells item 3", in Range::within(-20.0, 60.0),
            when "synchronization = preamble";
        /// Which energy keeps the medium busy. `"sum"` needs `interference = "sinr"`.
        carrier_sense: CarrierSense = CarrierSense::Frames, "", "IEEE 802.11-2012 16.4.8.5 (CCA modes 2 and 1)";
        /// Distance at which a frame alone reaches the threshold of energy detection under `carrier_sense = "sum"`. 0 stands
        /// for `cs_range`.
        energy_range: f64 = 0.0, "m", "a default", in Range::within(0.0, 1e9), when "carrier_sense = sum";
        /// Down to which power a frame interferes under `interference = "sinr"`.
        interference_reach: InterferenceReach = InterferenceReach::Ratio, "", "a default", when "interference = sinr";
        /// Transmit power.
        tx_power: f64 = 0.281_838_15, "W", "ns2-facts item 1", in Range::above(0.0),
            when "interference = sinr or rssi_trace given or event.kind = power";
        /// Carrier frequency.
        frequency: f64 = 914e6, "Hz", "ns2-facts item 1", in Range::above(0.0),
            when "propagation = two-ray or interference = sinr or rssi_trace given or event.kind = power";
        /// Antenna height above ground, same at both ends.
        antenna_height: f64 = 1.5, "m", "ns2-facts item 1", in Range::above(0.0), when "propagation = two-ray";
        /// Antenna gain, same at both ends.
        antenna_gain: f64 = 1.0, "ratio", "ns2-facts item 1", in Range::above(0.0),
            when "interference = sinr or rssi_trace given or event.kind = power";
        /// System loss (1 or more).
        system_loss: f64 = 1.0, "ratio", "ns2-facts item 1", in Range::from(1.0),
            when "interference = sinr or rssi_trace given or event.kind = power";
        /// Exponent of the path loss beyond `reference_distance` under `propagation = "log-distance"`.
        path_loss_exponent: f64 = 3.0, "", "a default: between free space (2) and buildings (4 and more)",
            in Range::within(1.0, 10.0), when "propagation = log-distance";
        /// Distance up to which `propagation = "log-distance"` is free space.
        reference_distance: f64 = 1.0, "m", "a default", in Range::above(0.0).up_to(1e6),
            when "propagation = log-distance";
        /// Log-normal shadowing of each link. The ranges then hold for the mean power of a distance.
        shadowing: Shadowing = Shadowing::None, "", "a default";
        /// Standard deviation of the shadowing.
        shadowing_sigma: f64 = 4.0, "dB", "a default: 4 to 12 dB are common", in Range::within(0.0, 30.0),
            when "shadowing != none";
        /// Time after which the correlation of `shadowing = "correlated"` has fallen to 1/e.
        shadowing_time: Span = Span::from_secs(1), "s", "a default", in DRAWN, when "shadowing = correlated";
        /// Fading of each link in blocks.
        fading: Fading = Fading::None, "", "a default";
        /// Length of a block of fading: its power is constant for so long and then independent of what it was.
        coherence_time: Span = Span::from_millis(50), "s", "a default: 0.423 wavelengths at walking pace and 2.4 GHz",
            in DRAWN, when "fading != none";
        /// Shape of `fading = "nakagami"`: 1 is Rayleigh fading, larger values fade less.
        nakagami_m: f64 = 1.5, "", "a default", in Range::within(0.5, 1000.0), when "fading = nakagami";
        /// Speed of propagation.
        propagation_speed: f64 = 299_792_458.0, "m/s", "speed of light", in Range::above(0.0);
        /// Noise floor under `interference = "sinr"`.
        noise_floor: f64 = -100.0, "dBm", "a default: thermal noise of 22 MHz plus 7 dB noise figure, rounded",
            when "interference = sinr";
        /// Frame timing family.
        phy: Phy = Phy::Dsss, "", "IEEE 802.11-2020 clause 15";
        /// Rate of unicast data frames.
        data_rate: u64 = 2_000_000, "bit/s", "fu2003.table1", when "phy = dsss or ppdu_format = non-ht";
        /// Rate of RTS and broadcast frames.
        basic_rate: u64 = 1_000_000, "bit/s", "ns2-facts item 10";
        /// Rates allowed for CTS and ACK: the highest one not above the rate of the frame answered (or the lowest of
        /// them) is used. Empty: `basic_rate` alone.
        response_rates: Vec<u64> = Vec::new(), "bit/s", "IEEE 802.11-2020 10.6.6.5";
        /// DSSS preamble and PLCP header bits sent at 1 Mbit/s.
        plcp_bits_1m: u32 = 192, "bits", "IEEE 802.11-2020 15.2.2", in Range::within(0.0, 10_000.0),
            when "phy = dsss";
        /// Further PLCP header bits sent at 2 Mbit/s (short preamble; never before a 1 Mbit/s frame).
        plcp_bits_2m: u32 = 0, "bits", "IEEE 802.11-2020 16.2.2.3", in Range::within(0.0, 10_000.0),
            when "phy = dsss";
        /// Format of data frames to one station; RTS, answers and broadcast frames are non-HT, as `phy` says.
        ppdu_format: PpduFormat = PpduFormat::NonHt, "", "a default", when "phy = ofdm | erp-ofdm";
        /// Width of the channel: 20 or 40 MHz in HT, up to 160 in VHT and HE.
        channel_width: u32 = 20, "MHz", "IEEE 802.11-2020 19.3 and 21.3, 802.11ax-2021 27.3", in Range::within(20.0, 160.0),
            when "ppdu_format = ht | vht | he";
        /// Guard interval: 400 or 800 ns in HT and VHT, 800, 1600 or 3200 ns in HE.
        guard_interval: Span = Span(800), "s", "IEEE 802.11-2020 19.3 and 21.3, 802.11ax-2021 27.3", in Range::above(0.0).up_to(1e-5),
            when "ppdu_format = ht | vht | he";
        /// MCS of data frames, of one stream: 0 to 7 in HT, to 9 in VHT, to 11 in HE.
        mcs: u32 = 7, "", "a default", in Range::within(0.0, 11.0),
            when "ppdu_format = ht | vht | he and mac.rate_control = fixed";
        /// Spatial streams.
        spatial_streams: u32 = 1, "streams", "a default", in Range::within(1.0, 4.0), when "ppdu_format = ht | vht | he";
        /// The data field is rounded up to 4 us where the guard interval is 400 ns: L-SIG counts symbols of 4 us.
        short_gi_rounded: bool = true, "", "IEEE 802.11-2020 19.4.3 and 21.4.3", when "ppdu_format = ht | vht";
        /// VHT-SIG-B of 4 us is part of the preamble.
        vht_sig_b: bool = true, "", "IEEE 802.11-2020 21.3.4", when "ppdu_format = vht";
        /// Length of each HE-LTF with its guard interval. 0 stands for 6.4 us and the guard interval, or 12.8 and 3.2 us
        /// with the longest one.
        he_ltf: Span = Span::ZERO, "s", "IEEE 802.11ax-2021 27.3.4 (2x and 4x HE-LTF)", in Range::within(0.0, 16e-6),
            when "ppdu_format = he";
        /// Packet extension at the end of each PPDU: 0, 4, 8, 12 or 16 us.
        packet_extension: Span = Span::ZERO, "s", "IEEE 802.11ax-2021 27.3.13", in Range::within(0.0, 16e-6),
            when "ppdu_format = he";
        /// Six tail bits end the data field, as with a convolutional code (BCC). LDPC has none.
        he_tail_bits: bool = false, "", "IEEE 802.11ax-2021 27.3.12.5 (LDPC)", when "ppdu_format = he";
        /// A guard interval of 1600 ns is sent as 3200 ns.
        gi_1600_as_3200: bool = false, "", "ns3-ht rule 1", when "ppdu_format = he";
        /// Channel error process.
        error_kind: ErrorKind = ErrorKind::None, "", "a default";
        /// Probability that a frame copy is lost, under `uniform`.
        error_per: f64 = 0.0, "probability", "a default", when "kind = uniform | sinr";
        /// Probability that a bit of the MAC frame is wrong, under `uniform`: a frame of n bits survives it with
        /// probability (1 - error_ber)^n.
        error_ber: f64 = 0.0, "probability", "a default", when "kind = uniform | sinr";
        /// Mean time in the good state, under `gilbert-elliott`.
        error_good_time: Span = Span::from_secs(10), "s", "a default", in DRAWN, when "kind = gilbert-elliott";
        /// Mean time in the bad state.
        error_bad_time: Span = Span::from_secs(1), "s", "a default", in DRAWN, when "kind = gilbert-elliott";
        /// Probability that a frame copy is lost in the good state.
        error_good_per: f64 = 0.0, "probability", "a default", when "kind = gilbert-elliott";
        /// Probability that a frame copy is lost in the bad state.
        error_bad_per: f64 = 1.0, "probability", "a default", when "kind = gilbert-elliott";
        /// Probability that a bit is wrong in the good state.
        error_good_ber: f64 = 0.0, "probability", "a default", when "kind = gilbert-elliott";
        /// Probability that a bit is wrong in the bad state.
        error_bad_ber: f64 = 0.0, "probability", "a default", when "kind = gilbert-elliott";
        /// Named channel of `markov`, in place of matrix, step and rates.
        error_channel: MarkovChannel = MarkovChannel::Given, "", "a default; the others: armaghani2008.fig4-2, values of this project",
            when "kind = markov";
        /// Probabilities of moving from state (row) to state (column) in one step, under `markov`. Each row sums to 1. A
        /// link starts in a state drawn from the long-run shares of the states.
        error_transitions: Vec<Vec<f64>> = Vec::new(), "probability", "given by the user",
            when "kind = markov and channel = given";
        /// Duration of a step of `markov`.
        error_step: Span = Span::from_millis(10), "s", "a default", in DRAWN,
            when "kind = markov and channel = given";
        /// Probability that a frame copy is lost in each state of `markov`. Empty: never.
        error_state_per: Vec<f64> = Vec::new(), "probability", "given by the user",
            when "kind = markov and channel = given";
        /// Probability that a bit is wrong in each state of `markov`. Empty: never.
        error_state_ber: Vec<f64> = Vec::new(), "probability", "given by the user",
            when "kind = markov and channel = given";
        /// How CCK is received, under `sinr`.
        error_cck: CckDetection = CckDetection::CodeWords, "", "Pursley and Royster 2009",
            when "kind = sinr and radio.phy = dsss | erp-ofdm";
        /// How the convolutional code of OFDM is decoded, under `sinr`.
        error_ofdm: OfdmDecoding = OfdmDecoding::Hard, "", "a default",
            when "kind = sinr and radio.phy = ofdm | erp-ofdm";
        /// Nodes whose receptions the error process hits. Empty, and no `error_links` either: all.
        error_nodes: Vec<u32> = Vec::new(), "", "a default",
            when "kind = uniform | gilbert-elliott | markov | sinr";
        /// Links [from, to] that the error process hits, besides those into `error_nodes`.
        error_links: Vec<[u32; 2]> = Vec::new(), "", "a default",
            when "kind = uniform | gilbert-elliott | markov | sinr";
        /// Which frames the error process hits.
        error_applies_to: ErrorScope = ErrorScope::All, "", "ns2-facts item 47",
            when "kind = uniform | gilbert-elliott | markov | sinr";
        /// What happens to a frame copy hit by an error.
        error_on_error: OnError = OnError::Flag, "", "ns2-facts item 48",
            when "kind = uniform | gilbert-elliott | markov | sinr";
    }
}
