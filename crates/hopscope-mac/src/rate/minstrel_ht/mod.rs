//! Minstrel-HT: the rate that carries most of late among groups of the same streams, guard interval and width, and others
//! sampled now and then. Three variants, whose facts were read in Linux mac80211 (`rc80211_minstrel_ht.c` before and from
//! version 5.12 on) and in ns-3.44 (`minstrel-ht-wifi-manager.cc`):
//!
//! | | Linux before 5.12 | Linux from 5.12 on | ns-3.44 |
//! |---|---|---|---|
//! | share of MPDUs acknowledged | a quarter new, three quarters old | low-pass filter of second order; slower rates that were never tried take over a faster one's | as before 5.12, in whole percent |
//! | time of an MPDU | symbols of 1200 bytes, and the overhead over the mean length of PPDUs | the same | preamble and 1200 bytes: as if nothing were aggregated |
//! | most likely | of fewer streams than the best | the same | of any |
//! | sample | one MPDU, down its chain | the same | a whole PPDU |
//! | when | 16 + 2 mean lengths MPDUs after the last | 20 ms after the last, while its lists have any | 16 + 2 mean lengths PPDUs after the last |
//! | sudden death of the best | below 20 % of more than 30 MPDUs | below 25 % | none |
//!
//! A PPDU of which nothing came steps down the chain: the best, the second, the most likely, or in place of the best the
//! sample, once. How often each is tried is what fits 6 ms, two to seven times. [`stats`] has what is known of a rate,
//! [`sampler`] which one is sampled next.

mod sampler;
mod stats;

use crate::config::MacConfig;
pub(crate) use crate::config::mac::MinstrelHtVariant as Variant;
use crate::config::mac::RateGroups;
use crate::ppdu::PpduRules;
use crate::rate::groups::groups;
use crate::rate::ht::{NextPpdu, PpduReport};
use crate::rate::response_rate;
use crate::timing::Timing;
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};
use hopscope_phy::config::RadioConfig;
use hopscope_phy::phy::modes::Mode;
use sampler::Sampler;
use stats::{Chosen, Stats};

/// What is the same for all neighbours.
#[derive(Debug, Clone)]
pub(crate) struct MinstrelHtRules {
    variant: Variant,
    /// Group by group, MCS rising.
    rates: Vec<Rate>,
    groups: Vec<RateGroup>,
    slot: Span,
    /// What an attempt takes besides its MPDUs.
    overhead: Span,
}

/// One of the rates.
#[derive(Debug, Clone, Copy)]
struct Rate {
    mode: Mode,
    group: usize,
    streams: u8,
    /// What an MPDU of the usual length takes, by which rates are compared.
    time: Span,
    /// What each further MPDU of an A-MPDU takes.
    further: Span,
}

/// Rates of the same streams, guard interval and width.
#[derive(Debug, Clone)]
struct RateGroup {
    streams: u8,
    /// By MCS; none where the format leaves one out.
    rates: Vec<Option<usize>>,
}

/// Bytes of the MPDU that rates are compared by.
const BYTES: u64 = 1_200;
/// Time between two looks at what the rates have carried.
const WINDOW: Span = Span::from_millis(50);
/// Linux: a frame of no bytes and an ACK at 6 Mbit/s, each with its SIFS.
const LINUX_OVERHEAD: Span = Span::from_micros(40 + 56);

impl MinstrelHtRules {
    pub(super) fn new(radio: &RadioConfig, mac: &MacConfig, timing: &Timing) -> Self {
        let variant = mac.minstrel_ht;
        let ppdu = PpduRules::new(radio);
        let lowest = Mode::of(response_rate(radio, 0)).unwrap_or_default();
        let mut rules = MinstrelHtRules {
            variant,
            rates: Vec::new(),
            groups: Vec::new(),
            slot: timing.slot,
            overhead: match variant {
                Variant::Linux | Variant::Linux512 => LINUX_OVERHEAD,
                Variant::Ns3 => timing.sifs + timing.airtime(BLOCK_ACK_BYTES, lowest),
            },
        };
        for group in groups(radio, mac.minstrel_ht_groups == RateGroups::All) {
            let number = rules.groups.len();
            let rates = group.modes.iter().map(|mode| {
                let (time, further) = times(variant, &ppdu, (*mode)?);
                rules.rates.push(Rate { mode: (*mode)?, group: number, streams: group.streams, time, further });
                Some(rules.rates.len() - 1)
            });
            let rates = rates.collect();
            rules.groups.push(RateGroup { streams: group.streams, rates });
        }
        rules
    }

    /// The mode that everything begins with.
    pub(super) fn first(&self) -> Mode {
        self.rates.first().map_or_else(Mode::default, |rate| rate.mode)
    }

    /// Greatest number of MCS of a group.
    fn width(&self) -> usize {
        self.groups.first().map_or(0, |group| group.rates.len())
    }

    /// So many MPDUs of the usual length in one PPDU, with what else an attempt takes.
    fn attempt(&self, rate: &Rate, mpdus: u64) -> Span {
        self.overhead + rate.time + rate.further * (mpdus - 1)
    }
}

/// Bytes of the compressed Block Ack with FCS by which ns-3 counts attempts (IEEE 802.11-2020 9.3.1.8).
const BLOCK_ACK_BYTES: u32 = 32;

/// What the first MPDU of the usual length takes in a mode, and each further one.
fn times(variant: Variant, ppdu: &PpduRules, mode: Mode) -> (Span, Span) {
    let (Some(layout), Some((mcs, streams))) = (mode.layout(), mode.mcs()) else { return (Span::ZERO, Span::ZERO) };
    let (bits, symbol) = (u64::from(layout.bits_per_symbol(mcs, streams)), layout.symbol());
    match variant {
        Variant::Linux | Variant::Linux512 => {
            let time = symbol * (8 * BYTES).div_ceil(bits);
            (time, time)
        }
        Variant::Ns3 => {
            // The field SERVICE of 16 bits counts, tail and padding do not.
            let time = |sent: u64| Span(symbol.0 * sent / bits);
            (ppdu.preamble(mode) + time(16 + 8 * BYTES), time(8 * BYTES))
        }
    }
}

/// What is known of the way to one neighbour.
#[derive(Debug)]
pub(crate) struct MinstrelHt {
    stats: Stats,
    chosen: Chosen,
    sampler: Sampler,
    /// The rate that is sampled first in the chain under way.
    sample: Option<usize>,
    /// PPDUs of this chain of which nothing came.
    failures: u32,
    /// Place of the rate in use.
    place: usize,
    next: NextPpdu,
    next_update: Time,
}

impl MinstrelHt {
    /// Nothing is known: the slowest rate. The order of samples is drawn.
    pub(super) fn new(rules: &MinstrelHtRules, now: Time, stream: &mut Stream) -> Self {
        let stats = Stats::new(rules);
        let chosen = stats.choose(rules);
        let mut sampler = Sampler::new(rules, stream);
        sampler.on_update(&stats, &chosen, rules);
        MinstrelHt {
            stats,
            chosen,
            sampler,
            sample: None,
            failures: 0,
            place: 0,
            next: NextPpdu { mode: rules.first(), alone: false },
            next_update: now + WINDOW,
        }
    }

    pub(super) fn next(&self) -> NextPpdu {
        self.next
    }

    /// Bit/s that the rate of most throughput stands for (minstrel_ht_get_expected_throughput); none where nothing has come.
    pub(super) fn expected_throughput(&self) -> Option<u64> {
        let mpdus = self.stats.throughput(self.chosen.best);
        (mpdus > 0.0).then_some((mpdus * (8 * BYTES) as f64) as u64)
    }

    /// A PPDU was answered, or not.
    pub(super) fn on_ppdu(&mut self, report: PpduReport, now: Time, rules: &MinstrelHtRules) {
        // What a Block Ack says that was asked for, only ns-3 counts, on the rate that comes next in the chain.
        if report.is_asked && rules.variant != Variant::Ns3 {
            return;
        }
        self.stats.count(self.place, report, rules.variant);
        if report.acknowledged == 0 {
            self.failures += 1;
            if let Some(place) = self.step(rules.variant) {
                self.sampler.on_ppdu(0, self.stats.mean_length());
                self.go(place, rules);
                return;
            }
        }
        self.sampler.on_ppdu(report.attempted, self.stats.mean_length());
        self.end_chain(now, rules);
    }

    /// A packet was given up: the next begins a chain.
    pub(super) fn on_given_up(&mut self, now: Time, rules: &MinstrelHtRules) {
        self.end_chain(now, rules);
    }

    /// The rate after so many failures; none where the chain is over.
    fn step(&self, variant: Variant) -> Option<usize> {
        let [mut first, second, third] = self.chosen.chain();
        if let Some(sample) = self.sample {
            first = (sample, 1);
        }
        // ns-3 has one attempt more at the end of its chain.
        let third = (third.0, third.1 + u32::from(variant == Variant::Ns3));
        let mut end = 0;
        [first, second, third].into_iter().find_map(|(place, tries)| {
            end += tries;
            (self.failures < end).then_some(place)
        })
    }

    fn end_chain(&mut self, now: Time, rules: &MinstrelHtRules) {
        self.failures = 0;
        if rules.variant != Variant::Ns3 {
            self.stats.look_for_sudden_death(&mut self.chosen, rules);
        }
        if now >= self.next_update {
            self.next_update = now + WINDOW;
            self.stats.end_window(rules);
            self.chosen = self.stats.choose(rules);
            self.sampler.on_update(&self.stats, &self.chosen, rules);
        }
        self.sample = self.sampler.draw(&self.stats, &self.chosen, now, rules);
        self.go(self.sample.unwrap_or(self.chosen.best), rules);
    }

    fn go(&mut self, place: usize, rules: &MinstrelHtRules) {
        self.place = place;
        // In Linux the one frame that carries the sample goes down its chain.
        let alone = self.sample.is_some() && rules.variant != Variant::Ns3;
        self.next = NextPpdu { mode: rules.rates[place].mode, alone };
    }
}

#[cfg(test)]
mod tests;
