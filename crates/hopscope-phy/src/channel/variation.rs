//! A channel that varies with time: the power of each link at the instant a frame leaves.
//!
//! Changing shadowing and fading multiply the mean power. A frame keeps the power it began with.

use crate::channel::budget::Budget;
use crate::channel::fading::BlockFading;
use crate::channel::medium::Link;
use crate::channel::pairs::{Pairs, pair};
use crate::channel::shadowing::{GaussMarkov, factor};
use crate::config::RadioConfig;
use crate::config::radio::{Interference, Shadowing};
use hopscope_core::ids::NodeId;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::Time;

/// A link, both directions of it: what was worked out last and how long it holds.
#[derive(Debug, Clone)]
struct State {
    /// Name of the link's draws, the same for both directions.
    key: u64,
    shadowing_until: Time,
    fading_until: Time,
    shadowing: f32,
    fading: f32,
}

/// Shadowing and fading of all links of a run.
#[derive(Debug)]
pub struct Variation {
    shadowing: Option<(GaussMarkov, f64)>,
    fading: Option<BlockFading>,
    budget: Budget,
    /// What is too weak to be sensed does not exist: not where powers add up.
    cuts: bool,
    seed: u64,
    states: Pairs<State>,
}

impl Variation {
    /// The variation of a configuration, if there is any.
    pub fn new(radio: &RadioConfig, seed: u64) -> Option<Self> {
        let correlated = radio.shadowing == Shadowing::Correlated && radio.shadowing_sigma > 0.0;
        let shadowing = correlated.then(|| (GaussMarkov::new(radio.shadowing_time), radio.shadowing_sigma));
        let fading = BlockFading::new(radio);
        if shadowing.is_none() && fading.is_none() {
            return None;
        }
        let cuts = radio.interference != Interference::Sinr;
        Some(Variation { shadowing, fading, budget: Budget::new(radio), cuts, seed, states: Pairs::default() })
    }

    /// Power and `Arrival` bits of a frame that leaves `from` now over a link; `None` when nothing of it is
    /// heard.
    #[inline]
    pub fn hear(&mut self, from: NodeId, link: &Link, now: Time) -> Option<(f32, u8)> {
        let name = pair(from, link.to);
        // A process that is not there never has to be asked.
        let still = |varies: bool| if varies { Time::ZERO } else { Time::NEVER };
        let state = self.states.at(name, || State {
            // One name for both processes; their purposes keep their draws apart.
            key: Stream::derive(self.seed, 0, name, Purpose::Fading).next_u64(),
            shadowing_until: still(self.shadowing.is_some()),
            fading_until: still(self.fading.is_some()),
            shadowing: 1.0,
            fading: 1.0,
        });
        if now >= state.shadowing_until {
            if let Some((process, sigma)) = &self.shadowing {
                let (level, until) = process.level(state.key, now);
                state.shadowing = factor(sigma * level) as f32;
                state.shadowing_until = until;
            }
        }
        if now >= state.fading_until {
            if let Some(fading) = &self.fading {
                let (power, until) = fading.power(state.key, now);
                state.fading = power as f32;
                state.fading_until = until;
            }
        }
        let power = link.power * state.shadowing * state.fading;
        let flags = self.budget.flags(f64::from(power));
        (flags != 0 || !self.cuts).then_some((power, flags))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::Medium;
    use crate::config::radio::Fading;
    use crate::phy::Arrival;
    use hopscope_core::units::Span;

    fn varied() -> RadioConfig {
        RadioConfig {
            shadowing: Shadowing::Correlated,
            shadowing_sigma: 5.0,
            shadowing_time: Span::from_millis(500),
            fading: Fading::Nakagami,
            nakagami_m: 2.0,
            coherence_time: Span::from_millis(20),
            ..RadioConfig::default()
        }
    }

    /// Three nodes 200 m apart.
    fn field(radio: &RadioConfig) -> Medium {
        Medium::new(&[[0.0, 0.0], [200.0, 0.0], [400.0, 0.0]], radio)
    }

    fn link(medium: &Medium, from: u32, to: u32) -> (NodeId, Link) {
        let link = medium.hearers(NodeId(from)).iter().find(|l| l.to == NodeId(to)).expect("a link");
        (NodeId(from), *link)
    }

    #[test]
    fn both_directions_agree_and_links_differ() {
        let radio = varied();
        let medium = field(&radio);
        let mut variation = Variation::new(&radio, 7).expect("a varying channel");
        let [there, back, next] = [link(&medium, 0, 1), link(&medium, 1, 0), link(&medium, 1, 2)];
        let mut differ = 0;
        for n in 0..2_000u64 {
            // The answer comes 400 us after the question: nearly always in the same block of 20 ms.
            let now = Time(n * 5_037_011);
            let first = variation.hear(there.0, &there.1, now);
            assert_eq!(first, variation.hear(back.0, &back.1, now));
            let other = variation.hear(next.0, &next.1, now);
            assert!(first != other);
            differ += u32::from(first != variation.hear(back.0, &back.1, now + Span::from_micros(400)));
        }
        // A block ends within 400 us with probability 2 %, a step of the shadowing (15.6 ms) with 2.6 %.
        assert!((40..160).contains(&differ), "{differ} of 2000 exchanges saw a change");
    }

    #[test]
    fn more_questions_and_another_order_change_nothing() {
        let radio = varied();
        let medium = field(&radio);
        let ends: Vec<(NodeId, Link)> = [(0, 1), (1, 0), (1, 2), (0, 2)].map(|(a, b)| link(&medium, a, b)).to_vec();
        let mut all = Variation::new(&radio, 7).expect("a varying channel");
        let mut few = Variation::new(&radio, 7).expect("a varying channel");
        for n in 0..5_000u64 {
            let now = Time(n * 3_333_333);
            let asked: Vec<_> = ends.iter().map(|(from, link)| all.hear(*from, link, now)).collect();
            if n % 97 == 0 {
                let late: Vec<_> = ends.iter().rev().map(|(from, link)| few.hear(*from, link, now)).collect();
                assert_eq!(asked, late.into_iter().rev().collect::<Vec<_>>(), "at {now:?}");
            }
        }
        let mut other = Variation::new(&radio, 8).expect("a varying channel");
        assert_ne!(all.hear(ends[0].0, &ends[0].1, Time(9)), other.hear(ends[0].0, &ends[0].1, Time(9)));
    }

    #[test]
    fn the_bits_follow_the_power_of_the_moment() {
        let radio =
            RadioConfig { fading: Fading::Rayleigh, coherence_time: Span::from_millis(1), ..Default::default() };
        let medium = field(&radio);
        let budget = Budget::new(&radio);
        let mut variation = Variation::new(&radio, 1).expect("a varying channel");
        let (from, link) = link(&medium, 0, 2);
        let (mut decoded, mut sensed) = (0.0, 0.0);
        for n in 0..40_000u64 {
            let received = variation.hear(from, &link, Time(n * 1_000_000));
            let flags = received.map_or(0, |(_, flags)| flags);
            decoded += f64::from(flags & Arrival::DECODABLE) / 4e4;
            sensed += f64::from(u8::from(flags & Arrival::SENSED != 0)) / 4e4;
            if let Some((power, _)) = received {
                assert_eq!(flags & Arrival::DECODABLE != 0, f64::from(power) >= budget.loss.power(250.0 + 1e-6));
            }
        }
        // An exponential power of mean P(400 m) exceeds P(r) with probability exp(-(400 / r)^4).
        let expected = |range: f64| (-(400.0 / range).powi(4)).exp();
        assert!((decoded - expected(250.0)).abs() < 0.002, "{decoded} decodable");
        assert!((sensed - expected(550.0)).abs() < 0.01, "{sensed} sensed");
    }
}
