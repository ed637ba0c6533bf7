//! Channel errors: losses of frame copies besides those that overlapping frames cause.
//!
//! A copy is lost with a rate for each frame and a rate for each bit of the MAC frame. Both are fixed (`uniform`) or
//! those of the state that the link is in when the frame begins. A link stays in a state for a drawn time and then
//! jumps: exponential times between two states (Gilbert 1960, Elliott 1963), or times of a whole number of steps
//! between any number of states (Markov chain). Both directions of a link are in the same state; its changes are drawn
//! from a stream of its own, one after the other, so that only the time counts and not who asks how often.

use hopscope_core::math;
use std::collections::BTreeMap;

use crate::channel::pairs::{Pairs, pair};
use crate::config::RadioConfig;
use crate::config::radio::{ErrorKind, ErrorScope, OnError};
use hopscope_core::ids::NodeId;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};

/// Error rates of a state.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rates {
    /// Of a frame copy.
    frame: f64,
    /// Of a bit.
    bit: f64,
}

impl Rates {
    /// Probability that a copy of a frame of `bits` bits is lost.
    fn loss(&self, bits: u32) -> f64 {
        // 1 - (1 - bit)^bits without cancellation.
        let by_bits = if self.bit < 1.0 { -math::exp_m1(f64::from(bits) * math::ln_1p(-self.bit)) } else { 1.0 };
        self.frame + (1.0 - self.frame) * by_bits
    }
}

/// How a link leaves a state.
#[derive(Debug, Clone)]
enum Sojourn {
    /// For ever.
    Stays,
    /// Exponential with this mean, nanoseconds.
    Exponential(f64),
    /// A whole number of steps (nanoseconds each); the probability of staying for another one.
    Steps(u64, f64),
}

/// A state: how long it lasts and where it leads.
#[derive(Debug, Clone)]
struct Leave {
    sojourn: Sojourn,
    /// Cumulative probability of each next state.
    next: Vec<f64>,
}

/// State of a link, both directions of it, and when it ends.
#[derive(Debug)]
struct LinkState {
    until: Time,
    state: usize,
    stream: Stream,
}

/// Links that are hit.
#[derive(Debug)]
struct Chosen {
    /// One place for each node: those into it are.
    into: Vec<bool>,
    /// Both ends of others, sorted.
    links: Vec<[u32; 2]>,
}

impl Chosen {
    fn new(radio: &RadioConfig, nodes: usize) -> Option<Self> {
        if radio.error_nodes.is_empty() && radio.error_links.is_empty() {
            return None;
        }
        let mut links = radio.error_links.clone();
        links.sort_unstable();
        Some(Chosen { into: (0..nodes as u32).map(|n| radio.error_nodes.contains(&n)).collect(), links })
    }

    fn include(&self, from: NodeId, to: NodeId) -> bool {
        self.into[to.index()] || self.links.binary_search(&[from.0, to.0]).is_ok()
    }
}

/// The error process of a run.
#[derive(Debug)]
pub struct Losses {
    data_only: bool,
    drops: bool,
    rates: Vec<Rates>,
    leaves: Vec<Leave>,
    /// Long-run shares of the states, cumulative.
    shares: Vec<f64>,
    seed: u64,
    /// Links that are hit; none: all.
    chosen: Option<Chosen>,
    /// Links and their states, where there is more than one.
    links: Pairs<LinkState>,
    /// Draws of each receiver.
    streams: Vec<Stream>,
    /// Probabilities that a trace gives for links, by sender and receiver, in place of the process.
    traced: BTreeMap<[u32; 2], f64>,
}

impl Losses {
    /// The error process of a configuration of so many nodes, if there is any.
    pub fn new(radio: &RadioConfig, seed: u64, nodes: usize) -> Option<Self> {
        let (rates, leaves) = states(radio)?;
        if rates.iter().all(|r| r.frame <= 0.0 && r.bit <= 0.0) {
            return None;
        }
        Some(Self::with(radio, seed, nodes, (rates, leaves)))
    }

    /// No process but what traces will say of links.
    pub fn of_traces(radio: &RadioConfig, seed: u64, nodes: usize) -> Self {
        let leave = Leave { sojourn: Sojourn::Stays, next: vec![1.0] };
        Self::with(radio, seed, nodes, (vec![Rates { frame: 0.0, bit: 0.0 }], vec![leave]))
    }

    fn with(radio: &RadioConfig, seed: u64, nodes: usize, (rates, leaves): (Vec<Rates>, Vec<Leave>)) -> Self {
        Losses {
            data_only: radio.error_applies_to == ErrorScope::Data,
            drops: radio.error_on_error == OnError::Drop,
            seed,
            chosen: Chosen::new(radio, nodes),
            links: Pairs::default(),
            streams: (0..nodes).map(|n| Stream::derive(seed, 0, n as u64, Purpose::Error)).collect(),
            shares: shares(radio, &leaves),
            rates,
            leaves,
            traced: BTreeMap::new(),
        }
    }

    /// A link loses a copy of a frame with this probability from now on.
    pub fn set_link(&mut self, ends: [NodeId; 2], probability: f64) {
        self.traced.insert(ends.map(|node| node.0), probability);
    }

    /// Frames are lost with this probability from now on; of the kind `uniform`.
    pub fn set_per(&mut self, per: f64) {
        self.rates[0].frame = per;
    }

    /// True when data frames (`is_data`) or other frames are hit at all.
    #[inline]
    pub fn concern(&self, is_data: bool) -> bool {
        is_data || !self.data_only
    }

    /// True when a lost copy vanishes, false when it occupies its receiver.
    #[inline]
    pub fn drops(&self) -> bool {
        self.drops
    }

    /// True when the copy of a frame of `bits` bits that leaves now over the link of `from` to `to` is lost. Instants
    /// never go back.
    pub fn hit(&mut self, from: NodeId, to: NodeId, bits: u32, now: Time) -> bool {
        // A trace has the whole say over its link, also where `nodes` or `links` leave the link out.
        if !self.traced.is_empty() {
            if let Some(&probability) = self.traced.get(&[from.0, to.0]) {
                return self.streams[to.index()].uniform() < probability;
            }
        }
        if self.chosen.as_ref().is_some_and(|chosen| !chosen.include(from, to)) {
            return false;
        }
        let state = if self.rates.len() > 1 { self.state(pair(from, to), now) } else { 0 };
        self.streams[to.index()].uniform() < self.rates[state].loss(bits)
    }

    /// The share of copies of a frame of `bits` bits that is lost over the link of `from` to `to` in the long run; of a
    /// traced link what its trace says now.
    pub fn mean(&self, from: NodeId, to: NodeId, bits: u32) -> f64 {
        if let Some(&probability) = self.traced.get(&[from.0, to.0]) {
            return probability;
        }
        if self.chosen.as_ref().is_some_and(|chosen| !chosen.include(from, to)) {
            return 0.0;
        }
        let before = std::iter::once(&0.0).chain(&self.shares);
        let shares = self.shares.iter().zip(before).map(|(share, before)| share - before);
        shares.zip(&self.rates).map(|(share, rates)| share * rates.loss(bits)).sum()
    }

    fn state(&mut self, name: u64, now: Time) -> usize {
        let link = self.links.at(name, || LinkState {
            // The first question draws the first state.
            until: Time::ZERO,
            state: self.rates.len(),
            stream: Stream::derive(self.seed, 0, name, Purpose::LinkState),
        });
        while link.until <= now {
            let next = self.leaves.get(link.state).map_or(&self.shares, |leave| &leave.next);
            link.state = pick(next, link.stream.uniform());
            let time = match self.leaves[link.state].sojourn {
                Sojourn::Stays => u64::MAX,
                // A nanosecond at least, so that even a mean of almost nothing brings the states past `now`.
                Sojourn::Exponential(mean) => (link.stream.exponential(mean) as u64).max(1),
                Sojourn::Steps(step, again) => step.saturating_mul(whole_steps(again, link.stream.uniform())),
            };
            link.until = Time(link.until.0.saturating_add(time));
        }
        link.state
    }
}

/// Steps until a state is left that is kept with probability `again` at each: geometric, 1 or more.
fn whole_steps(again: f64, uniform: f64) -> u64 {
    // Uniform reals lie below 1, so that the logarithm is finite.
    if again <= 0.0 { 1 } else { (math::ln(1.0 - uniform) / math::ln(again)) as u64 + 1 }
}

/// Place of a uniform real in cumulative probabilities.
fn pick(cumulative: &[f64], uniform: f64) -> usize {
    cumulative.iter().position(|&c| uniform < c).unwrap_or(cumulative.len() - 1)
}

fn cumulative(weights: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    let mut result: Vec<f64> = weights
        .map(|w| {
            sum += w;
            sum
        })
        .collect();
    for value in &mut result {
        *value = if sum > 0.0 { *value / sum } else { 1.0 };
    }
    result
}

/// The states of a configuration: their rates, and how each is left.
fn states(radio: &RadioConfig) -> Option<(Vec<Rates>, Vec<Leave>)> {
    match radio.error_kind {
        ErrorKind::None => None,
        // Losses by the ratio are the radio's; these come on top.
        ErrorKind::Uniform | ErrorKind::Sinr => {
            let rates = Rates { frame: radio.error_per, bit: radio.error_ber };
            Some((vec![rates], vec![Leave { sojourn: Sojourn::Stays, next: vec![1.0] }]))
        }
        ErrorKind::GilbertElliott => {
            let state = |time: Span, next: Vec<f64>| Leave { sojourn: Sojourn::Exponential(time.0 as f64), next };
            let good = Rates { frame: radio.error_good_per, bit: radio.error_good_ber };
            let bad = Rates { frame: radio.error_bad_per, bit: radio.error_bad_ber };
            let leaves =
                vec![state(radio.error_good_time, vec![0.0, 1.0]), state(radio.error_bad_time, vec![1.0, 1.0])];
            Some((vec![good, bad], leaves))
        }
        ErrorKind::Markov => {
            let rate = |list: &[f64], state: usize| list.get(state).copied().unwrap_or(0.0);
            let chain = radio.markov_chain();
            let rates = (0..chain.transitions.len())
                .map(|n| Rates { frame: rate(&chain.per, n), bit: rate(&chain.ber, n) })
                .collect();
            let leave = |(state, row): (usize, &Vec<f64>)| {
                let away = cumulative(row.iter().enumerate().map(|(to, &p)| if to == state { 0.0 } else { p }));
                let leaves: f64 = row.iter().enumerate().filter(|(to, _)| *to != state).map(|(_, p)| p).sum();
                let sojourn =
                    if leaves > 0.0 { Sojourn::Steps(chain.step.0, (1.0 - leaves).max(0.0)) } else { Sojourn::Stays };
                Leave { sojourn, next: away }
            };
            Some((rates, chain.transitions.iter().enumerate().map(leave).collect()))
        }
    }
}

/// Long-run shares of the states, cumulative; of a chain that never mixes, those after an even start.
fn shares(radio: &RadioConfig, leaves: &[Leave]) -> Vec<f64> {
    match radio.error_kind {
        ErrorKind::None | ErrorKind::Sinr | ErrorKind::Uniform => vec![1.0],
        ErrorKind::GilbertElliott => {
            cumulative([radio.error_good_time, radio.error_bad_time].into_iter().map(|time| time.0 as f64))
        }
        ErrorKind::Markov => {
            let n = leaves.len();
            let transitions = radio.markov_chain().transitions;
            // Half a step of standing still and half a step of the chain: the same shares, and no periods. Squared
            // sixty times over.
            let still = |row: usize, column: usize| if row == column { 0.5 } else { 0.0 };
            let mut power: Vec<Vec<f64>> = (0..n)
                .map(|row| (0..n).map(|column| still(row, column) + 0.5 * transitions[row][column]).collect())
                .collect();
            for _ in 0..60 {
                power = square(&power);
            }
            cumulative((0..n).map(|column| power.iter().map(|row| row[column]).sum::<f64>()))
        }
    }
}

/// The square of a matrix whose rows sum to 1, with its rows brought back to 1.
fn square(m: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = m.len();
    let row = |row: &Vec<f64>| {
        let product: Vec<f64> = (0..n).map(|column| (0..n).map(|k| row[k] * m[k][column]).sum()).collect();
        let sum: f64 = product.iter().sum();
        product.into_iter().map(|p| p / sum).collect()
    };
    m.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::radio::MarkovChannel;

    fn radio(kind: ErrorKind) -> RadioConfig {
        RadioConfig { error_kind: kind, ..RadioConfig::default() }
    }

    /// Share of copies of 1000-bit frames lost from 0 to 1, one every `every`.
    fn share(radio: &RadioConfig, copies: u64, every: Span) -> f64 {
        let mut losses = Losses::new(radio, 5, 3).expect("errors");
        let hits = (0..copies).filter(|&n| losses.hit(NodeId(0), NodeId(1), 1_000, Time(n * every.0))).count();
        hits as f64 / copies as f64
    }

    #[test]
    fn uniform_rates_for_frames_and_bits() {
        let every = Span::from_millis(1);
        let frames = RadioConfig { error_per: 0.1, ..radio(ErrorKind::Uniform) };
        assert!((share(&frames, 50_000, every) - 0.1).abs() < 0.006);
        // 1 - (1 - 1e-4)^1000 = 0.0952.
        let bits = RadioConfig { error_ber: 1e-4, ..radio(ErrorKind::Uniform) };
        assert!((share(&bits, 50_000, every) - 0.0952).abs() < 0.006);
        let both = RadioConfig { error_per: 0.1, ..bits };
        assert!((share(&both, 50_000, every) - (1.0 - 0.9 * 0.9048)).abs() < 0.008);
        assert_eq!(Rates { frame: 0.05, bit: 0.0 }.loss(12_000), 0.05);
        assert_eq!(Rates { frame: 0.0, bit: 1.0 }.loss(1), 1.0);
        assert!((Rates { frame: 0.0, bit: 1e-12 }.loss(12_000) / 1.2e-8 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_mean_of_a_link_is_what_it_loses_in_the_long_run() {
        let two = RadioConfig {
            error_good_time: Span::from_millis(30),
            error_bad_time: Span::from_millis(10),
            error_good_per: 0.02,
            error_bad_ber: 1e-3,
            error_bad_per: 0.0,
            error_links: vec![[0, 1]],
            ..radio(ErrorKind::GilbertElliott)
        };
        let losses = Losses::new(&two, 5, 3).expect("errors");
        // Three quarters of the time 0.02, one quarter 1 - 0.999^1000 = 0.6323.
        let mean = losses.mean(NodeId(0), NodeId(1), 1_000);
        assert!((mean - 0.173_075).abs() < 1e-5, "{mean}");
        assert!((share(&two, 100_000, Span::from_millis(7)) - mean).abs() < 0.01);
        assert_eq!(losses.mean(NodeId(1), NodeId(0), 1_000), 0.0, "the other direction is not hit");
    }

    #[test]
    fn gilbert_elliott_loses_the_mean_over_its_states() {
        let two = RadioConfig {
            error_good_time: Span::from_millis(30),
            error_bad_time: Span::from_millis(10),
            error_good_per: 0.02,
            error_bad_per: 0.8,
            ..radio(ErrorKind::GilbertElliott)
        };
        // Three quarters good: 0.75 * 0.02 + 0.25 * 0.8.
        let found = share(&two, 400_000, Span::from_millis(1));
        assert!((found - 0.215).abs() < 0.01, "{found}");
    }

    #[test]
    fn the_times_in_a_state_are_exponential() {
        let two = RadioConfig {
            error_good_time: Span::from_millis(40),
            error_bad_time: Span::from_millis(10),
            ..radio(ErrorKind::GilbertElliott)
        };
        let mut losses = Losses::new(&two, 5, 3).expect("errors");
        // With loss 0 and 1 a copy every 0.1 ms shows the state.
        let (mut lengths, mut length, mut before) = ([Vec::new(), Vec::new()], 0.0, false);
        for n in 0..2_000_000u64 {
            let bad = losses.hit(NodeId(0), NodeId(1), 1, Time(n * 100_000));
            if bad != before {
                lengths[usize::from(before)].push(length);
                length = 0.0;
            }
            length += 0.1;
            before = bad;
        }
        for (found, mean) in lengths.iter().zip([40.0, 10.0]) {
            let count = found.len() as f64;
            let average = found.iter().sum::<f64>() / count;
            let deviation = (found.iter().map(|x| (x - average).powi(2)).sum::<f64>() / count).sqrt();
            assert!((average / mean - 1.0).abs() < 0.06, "mean {average} ms, expected {mean}");
            assert!((deviation / average - 1.0).abs() < 0.08, "deviation {deviation} of {average} ms");
        }
    }

    #[test]
    fn a_markov_chain_visits_its_states_by_their_long_run_shares() {
        let chain = RadioConfig {
            error_transitions: vec![vec![0.9, 0.1, 0.0], vec![0.2, 0.7, 0.1], vec![0.0, 0.5, 0.5]],
            error_step: Span::from_millis(2),
            error_state_per: vec![0.0, 0.1, 1.0],
            ..radio(ErrorKind::Markov)
        };
        // Balance: 0.1 a = 0.2 b, 0.1 b = 0.5 c, so a : b : c = 10 : 5 : 1.
        let found = share(&chain, 400_000, Span::from_millis(2));
        assert!((found - (0.1 * 5.0 + 1.0) / 16.0).abs() < 0.006, "{found}");
        let shares = shares(&chain, &states(&chain).expect("states").1);
        for (found, expected) in shares.iter().zip([10.0 / 16.0, 15.0 / 16.0, 1.0]) {
            assert!((found - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn the_named_channels_of_four_states_have_the_shares_that_they_say() {
        // Of a chain of neighbours that an inner state leaves either way alike, ends are entered half as often: shares 8/2 : 4 : 2 : 1/2.
        let expected = [8.0 / 21.0, 16.0 / 21.0, 20.0 / 21.0, 1.0];
        for (channel, loss) in [
            (MarkovChannel::FourState, 0.46 / 21.0),
            (MarkovChannel::FourStateFast, 0.46 / 21.0),
            (MarkovChannel::FourStateHarsh, 1.13 / 21.0),
        ] {
            let named = RadioConfig { error_channel: channel, ..radio(ErrorKind::Markov) };
            let (rates, leaves) = states(&named).expect("states");
            let found = shares(&named, &leaves);
            assert!(found.iter().zip(expected).all(|(found, share)| (found - share).abs() < 1e-9), "{found:?}");
            let mean: f64 = (0..4).map(|n| rates[n].frame * (found[n] - if n > 0 { found[n - 1] } else { 0.0 })).sum();
            assert!((mean - loss).abs() < 1e-9, "{channel:?}: {mean}");
            // Two hours of 0.1 s each, where the fast one has thousands of sojourns.
            let lost = share(&named, 2_000_000, Span::from_millis(20));
            let tolerance = if channel == MarkovChannel::FourStateFast { 0.001 } else { 0.003 };
            assert!((lost - loss).abs() < tolerance, "{channel:?}: {lost}");
        }
    }

    #[test]
    fn a_named_channel_stays_in_each_state_as_long_as_it_says() {
        let named = RadioConfig { error_channel: MarkovChannel::FourState, ..radio(ErrorKind::Markov) };
        let chain = named.markov_chain();
        for (state, seconds) in [8.0, 4.0, 2.0, 1.0].into_iter().enumerate() {
            let leaves = 1.0 - chain.transitions[state][state];
            assert!((chain.step.as_secs() / leaves - seconds).abs() < 1e-9, "state {state}");
            assert!((chain.transitions[state].iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_runs_of_a_markov_state_are_geometric() {
        let chain = RadioConfig {
            error_transitions: vec![vec![0.95, 0.05], vec![0.25, 0.75]],
            error_step: Span::from_millis(1),
            error_state_per: vec![0.0, 1.0],
            ..radio(ErrorKind::Markov)
        };
        let mut losses = Losses::new(&chain, 1, 3).expect("errors");
        let states: Vec<bool> =
            (0..200_000u64).map(|n| losses.hit(NodeId(0), NodeId(1), 1, Time(n * 1_000_000 + 500_000))).collect();
        let bad = states.windows(2).filter(|w| w[0]).count() as f64;
        let kept = states.windows(2).filter(|w| w[0] && w[1]).count() as f64;
        assert!((kept / bad - 0.75).abs() < 0.015, "{kept} of {bad} steps in the bad state lead to it again");
        let good = 199_999.0 - bad;
        let left = states.windows(2).filter(|w| !w[0] && w[1]).count() as f64;
        assert!((left / good - 0.05).abs() < 0.003);
    }

    #[test]
    fn chains_that_alternate_or_never_leave() {
        let chain = |transitions| RadioConfig {
            error_transitions: transitions,
            error_step: Span::from_millis(1),
            error_state_per: vec![0.0, 1.0],
            ..radio(ErrorKind::Markov)
        };
        let alternating = chain(vec![vec![0.0, 1.0], vec![1.0, 0.0]]);
        assert!((share(&alternating, 1_000, Span::from_millis(1)) - 0.5).abs() < 1e-9);
        // Everything ends in the second state.
        let absorbing = chain(vec![vec![0.5, 0.5], vec![0.0, 1.0]]);
        assert_eq!(share(&absorbing, 1_000, Span::from_millis(1)), 1.0);
    }

    #[test]
    fn both_directions_share_a_state_and_questions_do_not_change_it() {
        let two = RadioConfig {
            error_good_time: Span::from_millis(5),
            error_bad_time: Span::from_millis(5),
            ..radio(ErrorKind::GilbertElliott)
        };
        let mut often = Losses::new(&two, 9, 3).expect("errors");
        let mut seldom = Losses::new(&two, 9, 3).expect("errors");
        let mut differ = 0;
        for n in 0..20_000u64 {
            let now = Time(n * 200_000);
            let bad = often.hit(NodeId(0), NodeId(1), 1, now);
            assert_eq!(bad, often.hit(NodeId(1), NodeId(0), 1, now));
            if n % 61 == 0 {
                assert_eq!(bad, seldom.hit(NodeId(1), NodeId(0), 1, now));
            }
            differ += u32::from(bad != often.hit(NodeId(1), NodeId(2), 1, now));
        }
        assert!((9_000..11_000).contains(&differ), "another link is independent: {differ} of 20000 differ");
    }

    #[test]
    fn chosen_nodes_and_links_are_hit_and_no_others() {
        let some = RadioConfig {
            error_per: 1.0,
            error_nodes: vec![2],
            error_links: vec![[1, 0]],
            ..radio(ErrorKind::Uniform)
        };
        let mut losses = Losses::new(&some, 1, 3).expect("errors");
        let all = (0..3).flat_map(|from| (0..3).map(move |to| (from, to))).filter(|(from, to)| from != to);
        let hit: Vec<(u32, u32)> =
            all.filter(|&(from, to)| losses.hit(NodeId(from), NodeId(to), 1, Time::ZERO)).collect();
        assert_eq!(hit, [(0, 2), (1, 0), (1, 2)]);
    }

    #[test]
    fn losses_by_the_ratio_leave_room_for_others() {
        let ratio = RadioConfig { error_kind: ErrorKind::Sinr, ..RadioConfig::default() };
        assert!(Losses::new(&ratio, 1, 3).is_none());
        let both = RadioConfig { error_per: 1.0, error_nodes: vec![2], ..ratio };
        let mut losses = Losses::new(&both, 1, 3).expect("errors");
        let mut hit = |from, to| losses.hit(NodeId(from), NodeId(to), 800, Time::ZERO);
        assert!(hit(0, 2) && hit(1, 2) && !hit(2, 1));
    }

    #[test]
    fn rates_of_zero_are_no_errors() {
        assert!(Losses::new(&radio(ErrorKind::Uniform), 1, 3).is_none());
        assert!(Losses::new(&radio(ErrorKind::None), 1, 3).is_none());
    }
}
