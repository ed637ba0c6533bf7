//! The rates of a QoS station's data PPDUs, where they are learnt.
//!
//! The MAC asks ([`HtRates::next`]) when it plans a PPDU, as its limits depend on the mode, and reports what became of it
//! ([`HtRates::on_ppdu`]): MPDUs attempted and acknowledged. RTS frames go at a rate of their own, so that their loss says
//! nothing of the rate of data.
//!
//! | | chooses by | needs |
//! |---|---|---|
//! | [`minstrel_ht`](super::minstrel_ht) | what carried most of late, and samples | Block Acks and ACKs |
//! | [`ideal`](super::ideal) | the ratio at which the last data PPDU was heard | an oracle: no frame of 802.11 reports it so |

use crate::config::MacConfig;
use crate::config::mac::RateControlKind;
use crate::rate::ideal::{Ideal, IdealRules};
use crate::rate::minstrel_ht::{MinstrelHt, MinstrelHtRules};
use crate::rules::MacRules;
use crate::timing::Timing;
use hopscope_core::ids::NodeId;
use hopscope_core::rng::Stream;
use hopscope_core::units::Time;
use hopscope_phy::config::RadioConfig;
use hopscope_phy::phy::modes::Mode;

/// How the rates of QoS stations are learnt; rules that stations share.
#[derive(Debug, Clone)]
pub(crate) enum HtRateRules {
    MinstrelHt(MinstrelHtRules),
    Ideal(IdealRules),
}

impl HtRateRules {
    /// The rules of a configuration; none where rates never change.
    pub(crate) fn new(radio: &RadioConfig, mac: &MacConfig, timing: &Timing) -> Option<Self> {
        radio.layout()?;
        match mac.rate_control {
            RateControlKind::Fixed | RateControlKind::Arf | RateControlKind::Aarf | RateControlKind::Minstrel => None,
            RateControlKind::MinstrelHt => Some(HtRateRules::MinstrelHt(MinstrelHtRules::new(radio, mac, timing))),
            RateControlKind::Ideal => Some(HtRateRules::Ideal(IdealRules::new(radio, mac))),
        }
    }

    /// The mode of a neighbour of whom nothing is known: the slowest.
    pub(crate) fn first(&self) -> Mode {
        match self {
            HtRateRules::MinstrelHt(rules) => rules.first(),
            HtRateRules::Ideal(rules) => rules.first(),
        }
    }
}

/// How the next data PPDU to a neighbour goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NextPpdu {
    pub mode: Mode,
    /// It carries one MPDU, however many wait.
    pub alone: bool,
}

/// What became of a data PPDU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PpduReport {
    /// MPDUs that it carried.
    pub attempted: u32,
    /// Of these, those that were acknowledged.
    pub acknowledged: u32,
    /// The answer to a Block Ack request says so, not the PPDU's own answer.
    pub is_asked: bool,
    /// Ratio (linear) at which the PPDU was heard; zero where nobody reports it.
    pub ratio: f32,
}

/// What a QoS station has learnt about its rates.
#[derive(Debug, Default)]
pub enum HtRates {
    /// Nothing: they never change.
    #[default]
    Fixed,
    /// What became of PPDUs to each neighbour.
    Learns(Box<NeighbourPpdus>),
}

/// What is known of the ways to the neighbours of a station.
#[derive(Debug)]
pub struct NeighbourPpdus {
    stream: Stream,
    /// By number.
    neighbours: Vec<(NodeId, HtAlgorithm)>,
    change: Option<(NodeId, Mode)>,
}

/// What is known of the way to one neighbour.
#[derive(Debug)]
enum HtAlgorithm {
    MinstrelHt(Box<MinstrelHt>),
    Ideal(Ideal),
}

impl HtAlgorithm {
    fn next(&self) -> NextPpdu {
        match self {
            HtAlgorithm::MinstrelHt(minstrel) => minstrel.next(),
            HtAlgorithm::Ideal(ideal) => NextPpdu { mode: ideal.mode(), alone: false },
        }
    }
}

impl HtRates {
    /// Those of a station which draws from `stream`; fixed where its rules have no rate control for QoS stations.
    pub fn new(rules: &MacRules, stream: impl FnOnce() -> Stream) -> Self {
        match rules.qos.as_deref().and_then(|qos| qos.rates.as_ref()) {
            None => HtRates::Fixed,
            Some(_) => {
                HtRates::Learns(Box::new(NeighbourPpdus { stream: stream(), neighbours: Vec::new(), change: None }))
            }
        }
    }

    /// How the next data PPDU to the neighbour `to` goes; none where nothing is known of it.
    pub(crate) fn next(&self, to: NodeId) -> Option<NextPpdu> {
        let HtRates::Learns(learnt) = self else { return None };
        let place = learnt.neighbours.binary_search_by_key(&to, |(node, _)| *node).ok()?;
        Some(learnt.neighbours[place].1.next())
    }

    /// Bit/s of data that the rate in use is expected to bring to `to`, as Linux has it: MPDUs a second of the usual length; none where nothing
    /// has come there yet, and where no control keeps account of it.
    pub(crate) fn expected_throughput(&self, to: NodeId) -> Option<u64> {
        let HtRates::Learns(learnt) = self else { return None };
        let place = learnt.neighbours.binary_search_by_key(&to, |(node, _)| *node).ok()?;
        match &learnt.neighbours[place].1 {
            HtAlgorithm::MinstrelHt(minstrel) => minstrel.expected_throughput(),
            HtAlgorithm::Ideal(_) => None,
        }
    }

    /// True where they change.
    pub(crate) fn are_learnt(&self) -> bool {
        matches!(self, HtRates::Learns(_))
    }

    /// A data PPDU to the neighbour `to` was answered, or not.
    pub(crate) fn on_ppdu(&mut self, rules: Option<&HtRateRules>, to: NodeId, report: PpduReport, now: Time) {
        if let (HtRates::Learns(learnt), Some(rules)) = (self, rules) {
            learnt.on_ppdu(rules, to, report, now);
        }
    }

    /// A packet to the neighbour `to` was given up.
    pub(crate) fn on_given_up(&mut self, rules: Option<&HtRateRules>, to: NodeId, now: Time) {
        if let (HtRates::Learns(learnt), Some(rules)) = (self, rules) {
            learnt.on_given_up(rules, to, now);
        }
    }

    /// The neighbour whose PPDUs go in another mode since this was asked last, and that mode.
    pub fn take_change(&mut self) -> Option<(NodeId, Mode)> {
        match self {
            HtRates::Fixed => None,
            HtRates::Learns(learnt) => learnt.change.take(),
        }
    }
}

impl NeighbourPpdus {
    fn on_ppdu(&mut self, rules: &HtRateRules, to: NodeId, report: PpduReport, now: Time) {
        let place = self.neighbours.binary_search_by_key(&to, |(node, _)| *node).unwrap_or_else(|place| {
            let algorithm = match rules {
                HtRateRules::MinstrelHt(rules) => {
                    HtAlgorithm::MinstrelHt(Box::new(MinstrelHt::new(rules, now, &mut self.stream)))
                }
                HtRateRules::Ideal(rules) => HtAlgorithm::Ideal(Ideal::new(rules)),
            };
            self.neighbours.insert(place, (to, algorithm));
            place
        });
        self.change(place, |algorithm| match (algorithm, rules) {
            (HtAlgorithm::MinstrelHt(minstrel), HtRateRules::MinstrelHt(rules)) => {
                minstrel.on_ppdu(report, now, rules);
            }
            (HtAlgorithm::Ideal(ideal), HtRateRules::Ideal(rules)) => ideal.on_ppdu(report, rules),
            (HtAlgorithm::MinstrelHt(_), HtRateRules::Ideal(_))
            | (HtAlgorithm::Ideal(_), HtRateRules::MinstrelHt(_)) => {}
        });
    }

    fn on_given_up(&mut self, rules: &HtRateRules, to: NodeId, now: Time) {
        let Ok(place) = self.neighbours.binary_search_by_key(&to, |(node, _)| *node) else { return };
        self.change(place, |algorithm| match (algorithm, rules) {
            (HtAlgorithm::MinstrelHt(minstrel), HtRateRules::MinstrelHt(rules)) => minstrel.on_given_up(now, rules),
            (HtAlgorithm::Ideal(ideal), HtRateRules::Ideal(rules)) => *ideal = Ideal::new(rules),
            (HtAlgorithm::MinstrelHt(_), HtRateRules::Ideal(_))
            | (HtAlgorithm::Ideal(_), HtRateRules::MinstrelHt(_)) => {}
        });
    }

    /// Looks whether an input to an algorithm changes its mode.
    fn change(&mut self, place: usize, input: impl FnOnce(&mut HtAlgorithm)) {
        let (to, algorithm) = &mut self.neighbours[place];
        let before = algorithm.next().mode;
        input(algorithm);
        let after = algorithm.next().mode;
        if after != before {
            self.change = Some((*to, after));
        }
    }
}
