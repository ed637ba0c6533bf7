//! The rates of a station: in which mode it sends each frame.
//!
//! The MAC asks ([`RateControl::choose`]) before every attempt and reports its outcome ([`RateControl::report`]); the
//! mode of an answer follows from that of the frame answered (IEEE 802.11-2020 10.6.6.5). Airtime, time-outs and Duration
//! fields follow from the modes, so that a rate control needs no other entry point. Its state is the station's own,
//! one for each neighbour; the rates that it chooses from, [`Rates`], are rules that stations share.
//!
//! | | goes up | goes down | attempts of a packet |
//! |---|---|---|---|
//! | [`arf`] | after 10 successes in a row, or the 15th attempt | after two failures in a row, or one of the first frame up | the retry limits |
//! | [`arf`] (AARF) | the same, with counts that double each time it went up too early | the same | the retry limits |
//! | [`minstrel`] | to what carried most of late, tried at random | the same | those of its chain of four rates |
//!
//! QoS stations have [`ht`] for the modes of HT, VHT and HE.

pub mod arf;
mod counts;
mod groups;
pub mod ht;
mod ideal;
pub mod minstrel;
mod minstrel_ht;

use crate::config::MacConfig;
use crate::config::mac::RateControlKind;
use crate::frame::FrameKind;
use crate::rate::arf::{Arf, ArfRules};
use crate::rate::minstrel::{Minstrel, MinstrelRules};
use crate::timing::Timing;
pub use counts::RateCounts;
use hopscope_core::ids::NodeId;
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};
use hopscope_phy::config::RadioConfig;
use hopscope_phy::phy::modes::{self, Mode};

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// The frame was acknowledged.
    Acknowledged,
    /// This frame, an RTS or a data frame, was not answered.
    Unanswered(FrameKind),
    /// The packet was given up for its RTS.
    Abandoned,
}

/// The rates of an interface: those for data, one for RTS and broadcast frames, and those allowed for answers.
#[derive(Debug, Clone)]
pub struct Rates {
    /// Of data frames to a neighbour of whom nothing is known.
    data: Mode,
    basic: Mode,
    /// Mode of the answer, by the index of the mode answered.
    responses: [Mode; Mode::TABLE],
    /// What a rate control chooses from, the slowest first; the rate of data alone where there is none.
    choices: Vec<Mode>,
    /// There is one: a word that all stations share, so that without one they look no further.
    are_learnt: bool,
}

impl Rates {
    /// The rates of a configuration, each of which a mode has.
    pub fn new(radio: &RadioConfig, mac: &MacConfig) -> Self {
        let mode = |rate| Mode::of(rate).unwrap_or_default();
        let choices: Vec<Mode> = choices(radio, mac).into_iter().map(mode).collect();
        Rates {
            data: choices.first().copied().unwrap_or_default(),
            basic: mode(radio.basic_rate),
            responses: Mode::table(|asked| mode(response_rate(radio, asked.rate()))),
            choices,
            are_learnt: matches!(
                mac.rate_control,
                RateControlKind::Arf | RateControlKind::Aarf | RateControlKind::Minstrel
            ),
        }
    }

    /// Mode of a frame of `kind` to the neighbour `to` before anything is known of the way there.
    #[inline(always)]
    pub fn first(&self, to: NodeId, kind: FrameKind) -> Mode {
        match kind {
            FrameKind::Data if to != NodeId::BROADCAST => self.data,
            FrameKind::Data
            | FrameKind::Rts
            | FrameKind::Cts
            | FrameKind::Ack
            | FrameKind::BlockAck
            | FrameKind::BlockAckReq
            | FrameKind::CfEnd
            | FrameKind::Action => self.basic,
        }
    }

    /// Mode of the CTS or ACK that answers a frame sent in the mode `asked`.
    #[inline(always)]
    pub fn response(&self, asked: Mode) -> Mode {
        self.responses[asked.index()]
    }

    /// Time on the air of the shortest ACK of a data frame.
    pub(super) fn shortest_ack(&self, timing: &Timing) -> Span {
        self.choices.iter().map(|&mode| timing.response(self.response(mode))).min().unwrap_or(Span::ZERO)
    }

    /// The modes that data frames to one station may be sent in, the slowest first.
    pub fn choices(&self) -> &[Mode] {
        &self.choices
    }
}

/// The rates in bit/s that data frames to one station may be sent at, the slowest first: `data_rate` alone, or under a rate
/// control those of `mac.rates`, without which all of the PHY up to `data_rate`.
pub fn choices(radio: &RadioConfig, mac: &MacConfig) -> Vec<u64> {
    let mut rates = match (mac.rate_control, mac.rates.is_empty()) {
        (RateControlKind::Fixed | RateControlKind::MinstrelHt | RateControlKind::Ideal, _) => vec![radio.data_rate],
        (_, true) => modes::rates(radio.phy).filter(|&rate| rate <= radio.data_rate).collect(),
        (_, false) => mac.rates.clone(),
    };
    rates.sort_unstable();
    rates.dedup();
    rates
}

/// How the rates of a station are learnt; rules that stations share.
#[derive(Debug, Clone)]
pub enum RateRules {
    /// ARF and AARF.
    Arf(ArfRules),
    /// Minstrel.
    Minstrel(MinstrelRules),
}

impl RateRules {
    /// The rules of a configuration; none where rates never change.
    pub(super) fn new(mac: &MacConfig, rates: &Rates, timing: &Timing) -> Option<Self> {
        match mac.rate_control {
            RateControlKind::Fixed | RateControlKind::MinstrelHt | RateControlKind::Ideal => None,
            RateControlKind::Arf | RateControlKind::Aarf => Some(RateRules::Arf(ArfRules::new(mac, rates))),
            RateControlKind::Minstrel => Some(RateRules::Minstrel(MinstrelRules::new(mac, rates, timing))),
        }
    }
}

/// What a station has learnt about its rates.
#[derive(Debug, Default)]
pub enum RateControl {
    /// Nothing: they never change.
    #[default]
    Fixed,
    /// What became of frames to each neighbour.
    Learns(Box<NeighbourRates>),
}

impl RateControl {
    /// That of a station which draws from `stream`; fixed where there are no rules.
    pub fn new(rules: Option<&RateRules>, stream: impl FnOnce() -> Stream) -> Self {
        match rules {
            None => RateControl::Fixed,
            Some(_) => RateControl::Learns(Box::new(NeighbourRates {
                stream: stream(),
                neighbours: Vec::new(),
                sent: RateCounts::default(),
                change: None,
            })),
        }
    }

    /// Mode of the next frame of `kind`, an RTS or a data frame of `_bytes` bytes, to the neighbour `to`.
    #[inline(always)]
    pub fn choose(&self, rates: &Rates, to: NodeId, kind: FrameKind, _bytes: u32) -> Mode {
        if !rates.are_learnt {
            return rates.first(to, kind);
        }
        match self {
            RateControl::Fixed => rates.first(to, kind),
            RateControl::Learns(learnt) => learnt.choose(rates, to, kind),
        }
    }

    /// Bit/s of data that the rate in use is expected to bring to `to`, as Linux has it (minstrel_get_expected_throughput): frames a
    /// second of the usual length; none where nothing has come there yet, and where no control keeps account of it.
    pub fn expected_throughput(&self, rules: Option<&RateRules>, to: NodeId) -> Option<u64> {
        let (RateControl::Learns(learnt), Some(RateRules::Minstrel(rules))) = (self, rules) else { return None };
        let place = learnt.neighbours.binary_search_by_key(&to, |(node, _)| *node).ok()?;
        match &learnt.neighbours[place].1 {
            RateAlgorithm::Arf(_) => None,
            RateAlgorithm::Minstrel(minstrel) => minstrel.expected_throughput(rules),
        }
    }

    /// An attempt to reach `to` is over. Gives, for a data frame that was not answered, whether the packet is dropped, where
    /// that is the business of the rate control.
    #[inline(always)]
    pub fn report(&mut self, rules: Option<&RateRules>, to: NodeId, attempt: Attempt, now: Time) -> Option<bool> {
        match (rules?, self) {
            (_, RateControl::Fixed) => None,
            (rules, RateControl::Learns(learnt)) => learnt.report(rules, to, attempt, now),
        }
    }

    /// Data frames to single stations whose outcome is known; none where rates never change.
    pub fn sent(&self) -> Option<RateCounts> {
        match self {
            RateControl::Fixed => None,
            RateControl::Learns(learnt) => Some(learnt.sent),
        }
    }

    /// The neighbour whose frames go in another mode since this was asked last, and that mode.
    pub fn take_change(&mut self) -> Option<(NodeId, Mode)> {
        match self {
            RateControl::Fixed => None,
            RateControl::Learns(learnt) => learnt.change.take(),
        }
    }
}

/// What is known of the ways to the neighbours of a station.
#[derive(Debug)]
pub struct NeighbourRates {
    stream: Stream,
    /// By number.
    neighbours: Vec<(NodeId, RateAlgorithm)>,
    sent: RateCounts,
    change: Option<(NodeId, Mode)>,
}

/// What is known of the way to one neighbour.
#[derive(Debug)]
enum RateAlgorithm {
    Arf(Arf),
    Minstrel(Box<Minstrel>),
}

impl RateAlgorithm {
    fn mode(&self) -> Mode {
        match self {
            RateAlgorithm::Arf(arf) => arf.mode(),
            RateAlgorithm::Minstrel(minstrel) => minstrel.mode(),
        }
    }
}

impl NeighbourRates {
    #[inline(never)]
    fn choose(&self, rates: &Rates, to: NodeId, kind: FrameKind) -> Mode {
        if kind != FrameKind::Data || to == NodeId::BROADCAST {
            return rates.first(to, kind);
        }
        match self.neighbours.binary_search_by_key(&to, |(node, _)| *node) {
            Ok(place) => self.neighbours[place].1.mode(),
            Err(_) => rates.first(to, kind),
        }
    }

    /// RTS frames go at a rate of their own, so that their loss says nothing of the rate of data.
    #[inline(never)]
    fn report(&mut self, rules: &RateRules, to: NodeId, attempt: Attempt, now: Time) -> Option<bool> {
        let acknowledged = match attempt {
            Attempt::Acknowledged => true,
            Attempt::Unanswered(FrameKind::Data) => false,
            Attempt::Unanswered(_) => return None,
            Attempt::Abandoned => {
                self.abandon(rules, to);
                return None;
            }
        };
        let found = self.neighbours.binary_search_by_key(&to, |(node, _)| *node);
        let place = found.unwrap_or_else(|place| {
            let algorithm = match rules {
                RateRules::Arf(rules) => RateAlgorithm::Arf(Arf::new(rules)),
                RateRules::Minstrel(rules) => {
                    RateAlgorithm::Minstrel(Box::new(Minstrel::new(rules, now, &mut self.stream)))
                }
            };
            self.neighbours.insert(place, (to, algorithm));
            place
        });
        let algorithm = &mut self.neighbours[place].1;
        // The attempt belongs to the mode that it went in, which the report may change.
        let before = algorithm.mode();
        self.sent.count(before);
        let gives_up = match (&mut *algorithm, rules) {
            (RateAlgorithm::Arf(arf), RateRules::Arf(rules)) => {
                arf.on_attempt(acknowledged, rules);
                None
            }
            (RateAlgorithm::Minstrel(minstrel), RateRules::Minstrel(rules)) => {
                let gives_up = minstrel.on_attempt(acknowledged, now, rules);
                (!acknowledged).then_some(gives_up)
            }
            (RateAlgorithm::Arf(_), RateRules::Minstrel(_)) | (RateAlgorithm::Minstrel(_), RateRules::Arf(_)) => None,
        };
        let after = algorithm.mode();
        if after != before {
            self.change = Some((to, after));
        }
        gives_up
    }

    fn abandon(&mut self, rules: &RateRules, to: NodeId) {
        let found = self.neighbours.iter_mut().find(|(node, _)| *node == to);
        if let (Some((_, RateAlgorithm::Minstrel(minstrel))), RateRules::Minstrel(rules)) = (found, rules) {
            minstrel.on_abandoned(rules);
        }
    }
}

/// Rate of the answer to a frame sent at `rate`: the highest allowed one not above it, else the lowest (10.6.6.5).
pub(crate) fn response_rate(radio: &RadioConfig, rate: u64) -> u64 {
    let allowed = &radio.response_rates;
    let best = allowed.iter().copied().filter(|&r| r <= rate).max();
    best.or_else(|| allowed.iter().copied().min()).unwrap_or(radio.basic_rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MacRules;
    use crate::config::presets;
    use hopscope_core::rng::Purpose;

    fn rates(preset: &str) -> Rates {
        let base = presets::base("standard", preset).expect("a preset");
        Rates::new(&base.radio, &base.mac)
    }

    #[test]
    fn an_answer_is_no_faster_than_the_frame_answered() {
        let answers = |preset, asked: &[u64]| {
            let rates = rates(preset);
            let of = |&mbps: &u64| rates.response(Mode::of(mbps * 1_000_000).expect("a rate")).rate() / 1_000_000;
            asked.iter().map(of).collect::<Vec<u64>>()
        };
        assert_eq!(answers("ofdm-54M", &[6, 9, 12, 18, 24, 36, 48, 54]), [6, 6, 12, 12, 24, 24, 24, 24]);
        assert_eq!(answers("hr-dsss-11M", &[1, 2, 11]), [1, 2, 2]);
        assert_eq!(answers("hr-dsss-11M-short", &[1, 2, 11]), [2, 2, 2], "never one that is not allowed");
        assert_eq!(answers("wavelan-2M", &[1, 2]), [1, 1]);
    }

    #[test]
    fn data_and_everything_else_go_in_their_modes() {
        let rates = rates("ofdm-54M");
        let rate = |to, kind| RateControl::Fixed.choose(&rates, to, kind, 100).rate();
        assert_eq!(rate(NodeId(3), FrameKind::Data), 54_000_000);
        assert_eq!(rate(NodeId::BROADCAST, FrameKind::Data), 6_000_000);
        assert_eq!(rate(NodeId(3), FrameKind::Rts), 6_000_000);
    }

    #[test]
    fn a_rate_control_chooses_up_to_the_data_rate_or_what_is_given() {
        let of = |preset: &str, rates: &[u64]| {
            let mut base = presets::base("standard", preset).expect("a preset");
            base.mac.rate_control = RateControlKind::Arf;
            base.mac.rates = rates.to_vec();
            let found = choices(&base.radio, &base.mac);
            found.iter().map(|rate| rate / 100_000).collect::<Vec<u64>>()
        };
        assert_eq!(of("wavelan-2M", &[]), [10, 20]);
        assert_eq!(of("hr-dsss-11M", &[]), [10, 20, 55, 110]);
        assert_eq!(of("ofdm-24M", &[]), [60, 90, 120, 180, 240]);
        assert_eq!(of("ofdm-54M", &[24_000_000, 6_000_000, 24_000_000]), [60, 240]);
    }

    #[test]
    fn each_neighbour_has_a_rate_of_its_own() {
        let mut base = presets::base("standard", "hr-dsss-11M").expect("a preset");
        base.mac.rate_control = RateControlKind::Arf;
        let rules = MacRules::new(&base.radio, &base.mac);
        let mut control =
            RateControl::new(rules.rate_rules.as_deref(), || Stream::derive(1, 0, 0, Purpose::RateControl));
        let mbps = |control: &RateControl, to: u32, kind| {
            control.choose(&rules.rates, NodeId(to), kind, 1500).rate() as f64 / 1e6
        };
        let mut now = Time::ZERO;
        for _ in 0..10 {
            now += Span::from_millis(1);
            assert_eq!(control.report(rules.rate_rules.as_deref(), NodeId(7), Attempt::Acknowledged, now), None);
        }
        // A lost RTS says nothing of the rate of data.
        control.report(rules.rate_rules.as_deref(), NodeId(7), Attempt::Unanswered(FrameKind::Rts), now);
        assert_eq!(mbps(&control, 7, FrameKind::Data), 2.0);
        assert_eq!(mbps(&control, 3, FrameKind::Data), 1.0, "nothing is known of that one");
        assert_eq!(mbps(&control, 7, FrameKind::Rts), 1.0);
        assert_eq!(mbps(&control, NodeId::BROADCAST.0, FrameKind::Data), 1.0);
        assert_eq!(control.take_change(), Some((NodeId(7), Mode::of(2_000_000).expect("a rate"))));
        assert_eq!(control.take_change(), None);
        assert_eq!(control.sent().expect("rates are learnt").by_name().into_iter().collect::<Vec<_>>(), [("1", 10)]);
    }
}
