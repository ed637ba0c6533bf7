//! Which rate Minstrel-HT samples next: from a table of random columns, or from lists (Linux from 5.12 on).

use super::stats::{Chosen, Stats};
use super::{MinstrelHtRules, Variant};
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};

/// What is to be sampled.
#[derive(Debug)]
pub(super) enum Sampler {
    Table(Table),
    Lists(Lists),
}

impl Sampler {
    /// The columns are drawn.
    pub(super) fn new(rules: &MinstrelHtRules, stream: &mut Stream) -> Self {
        let order = Order::new(rules, stream);
        match rules.variant {
            Variant::Linux | Variant::Ns3 => Sampler::Table(Table::new(order, rules.variant)),
            Variant::Linux512 => Sampler::Lists(Lists::new(order)),
        }
    }

    /// A window has begun.
    pub(super) fn on_update(&mut self, stats: &Stats, chosen: &Chosen, rules: &MinstrelHtRules) {
        match self {
            Sampler::Table(table) => table.on_update(rules),
            Sampler::Lists(lists) => lists.refill(stats, chosen, rules),
        }
    }

    /// A PPDU of so many MPDUs is over, which belong to no chain any more; none where its chain goes on.
    pub(super) fn on_ppdu(&mut self, mpdus: u32, mean_length: u32) {
        if let Sampler::Table(table) = self {
            table.on_ppdu(mpdus, mean_length);
        }
    }

    /// The rate that the next chain samples.
    pub(super) fn draw(&mut self, stats: &Stats, chosen: &Chosen, now: Time, rules: &MinstrelHtRules) -> Option<usize> {
        match self {
            Sampler::Table(table) => table.draw(stats, chosen, rules),
            Sampler::Lists(lists) => lists.draw(now),
        }
    }
}

/// In which order the MCS of each group are sampled: columns of all of them.
#[derive(Debug)]
struct Order {
    columns: Vec<u8>,
    /// Place of each group.
    at: Vec<usize>,
}

/// Columns of the order of samples.
const COLUMNS: usize = 10;

impl Order {
    fn new(rules: &MinstrelHtRules, stream: &mut Stream) -> Self {
        let count = rules.width();
        let mut columns = Vec::with_capacity(COLUMNS * count);
        for _ in 0..COLUMNS {
            let mut column: Vec<u8> = (0..count as u8).collect();
            for place in (1..count).rev() {
                column.swap(place, stream.below(place as u32 + 1) as usize);
            }
            columns.extend(column);
        }
        Order { columns, at: vec![0; rules.groups.len()] }
    }

    /// The MCS of a group that is next.
    fn mcs(&self, group: usize) -> usize {
        usize::from(self.columns[self.at[group]])
    }

    fn advance(&mut self, group: usize) {
        self.at[group] = (self.at[group] + 1) % self.columns.len();
    }
}

/// Samples by a count of frames, group after group.
#[derive(Debug)]
pub(super) struct Table {
    order: Order,
    group: usize,
    /// MPDUs are waited for; otherwise PPDUs.
    by_mpdus: bool,
    /// So many pass before the next sample.
    wait: u32,
    /// Samples then.
    tries: u32,
    /// Waits that may begin in this window.
    left: u32,
    /// Slow rates that came up in this window.
    slow: u32,
}

/// Share of MPDUs acknowledged above which nothing is to be learnt.
const NEARLY_ALL: f64 = 0.95;
/// Windows without use after which a slow rate may be sampled.
const UNUSED: u32 = 20;
/// Samples of slow rates in a window.
const SLOW: u32 = 2;
/// Waits in a window for each group.
const OF_GROUP: u32 = 8;
/// Samples at the start, one after the other.
const FIRST: u32 = 4;

impl Table {
    fn new(order: Order, variant: Variant) -> Self {
        let mut table =
            Table { order, group: 0, by_mpdus: variant == Variant::Linux, wait: 0, tries: FIRST, left: 0, slow: 0 };
        table.advance();
        table
    }

    fn on_update(&mut self, rules: &MinstrelHtRules) {
        self.slow = 0;
        self.left = OF_GROUP * rules.groups.len() as u32;
    }

    fn on_ppdu(&mut self, mpdus: u32, mean_length: u32) {
        if self.by_mpdus {
            self.wait = self.wait.saturating_sub(mpdus);
        }
        if self.wait == 0 && self.tries == 0 && self.left > 0 {
            self.wait = 16 + 2 * mean_length;
            self.tries = 1;
            self.left -= 1;
        }
    }

    fn draw(&mut self, stats: &Stats, chosen: &Chosen, rules: &MinstrelHtRules) -> Option<usize> {
        if self.wait == 0 && self.tries > 0 {
            let sample = rules.groups[self.group].rates.get(self.order.mcs(self.group)).copied().flatten();
            self.advance();
            let sample = sample.filter(|&place| self.is_worth(place, stats, chosen, rules));
            if sample.is_some() {
                self.tries -= 1;
            }
            return sample;
        }
        if !self.by_mpdus {
            self.wait = self.wait.saturating_sub(1);
        }
        None
    }

    fn advance(&mut self) {
        self.group = (self.group + 1) % self.order.at.len().max(1);
        self.order.advance(self.group);
    }

    /// Slow rates are sampled seldom, and those of which enough is known not at all.
    fn is_worth(&mut self, place: usize, stats: &Stats, chosen: &Chosen, rules: &MinstrelHtRules) -> bool {
        let Chosen { best, second, likely, .. } = *chosen;
        if [best, second, likely].contains(&place) || stats.of(place).probability > NEARLY_ALL {
            return false;
        }
        let rate = |place: usize| &rules.rates[place];
        let (time, streams) = (rate(place).time, rate(place).streams);
        if time < rate(second).time || streams < rate(best).streams && time < rate(likely).time {
            return true;
        }
        self.slow += 1;
        stats.of(place).unused >= UNUSED && self.slow <= SLOW
    }
}

/// Samples by the clock, from lists of few rates that are filled again in each window.
#[derive(Debug)]
pub(super) struct Lists {
    order: Order,
    /// The next faster one of each group.
    next_up: Vec<usize>,
    /// Any that is faster.
    jumps: Vec<usize>,
    /// Between the fastest and the slowest of those in use.
    slower: Vec<usize>,
    /// The groups that were last looked at for the first two lists.
    group_up: usize,
    group_jump: usize,
    /// Samples so far.
    turn: usize,
    /// No sample before then, unless a window begins.
    next: Time,
}

/// Rates of a list.
const LIST: usize = 5;
/// Least time between two samples.
const PAUSE: Span = Span::from_millis(20);

impl Lists {
    fn new(order: Order) -> Self {
        Lists {
            order,
            next_up: Vec::new(),
            jumps: Vec::new(),
            slower: Vec::new(),
            group_up: 0,
            group_jump: 0,
            turn: 0,
            next: Time::ZERO,
        }
    }

    /// Of six samples three are from the first list, two from the second, one from the third.
    fn draw(&mut self, now: Time) -> Option<usize> {
        if now < self.next {
            return None;
        }
        self.next = now + PAUSE;
        let list = match self.turn % 6 {
            0 | 2 | 4 => &mut self.next_up,
            1 | 3 => &mut self.jumps,
            _ => &mut self.slower,
        };
        self.turn += 1;
        (!list.is_empty()).then(|| list.remove(0))
    }

    fn refill(&mut self, stats: &Stats, chosen: &Chosen, rules: &MinstrelHtRules) {
        let time = |place: usize| rules.rates[place].time;
        let times = [chosen.best, chosen.second, chosen.likely].map(time);
        let fast = times.into_iter().min().unwrap_or(Span::ZERO);
        let slow = times.into_iter().max().unwrap_or(Span::ZERO);
        self.next = Time::ZERO;
        self.next_up.retain(|&place| time(place) < fast);
        self.jumps.retain(|&place| time(place) < fast);
        self.slower.retain(|&place| fast < time(place) && time(place) < slow);
        while self.next_up.len() < LIST {
            let Some(place) = self.up(time(chosen.best), rules) else { break };
            self.next_up.push(place);
        }
        while self.jumps.len() < LIST {
            let Some(place) = self.jump((fast, slow), stats, rules) else { break };
            self.jumps.push(place);
        }
    }

    /// The slowest rate of the next group that has one faster than `time`.
    fn up(&mut self, time: Span, rules: &MinstrelHtRules) -> Option<usize> {
        for _ in &rules.groups {
            self.group_up = (self.group_up + 1) % rules.groups.len();
            let found = slowest_below(self.group_up, time, rules).map(|(_, place)| place);
            if let Some(place) = found.filter(|place| !self.next_up.contains(place)) {
                return Some(place);
            }
        }
        None
    }

    /// A random rate that is faster than all in use. One between those that comes up on the way goes on its list.
    fn jump(&mut self, (fast, slow): (Span, Span), stats: &Stats, rules: &MinstrelHtRules) -> Option<usize> {
        for _ in &rules.groups {
            self.group_jump = (self.group_jump + 1) % rules.groups.len();
            let limit = if self.slower.len() < LIST { slow } else { fast };
            let Some((least, _)) = slowest_below(self.group_jump, limit, rules) else { continue };
            let Some(place) = self.random(self.group_jump, least, rules) else { continue };
            let time = rules.rates[place].time;
            if time < fast {
                if !self.jumps.contains(&place) {
                    return Some(place);
                }
            } else if time < slow
                && self.slower.len() < LIST
                && !self.slower.contains(&place)
                && stats.of(place).probability <= NEARLY_ALL
            {
                self.slower.push(place);
            }
        }
        None
    }

    /// The next MCS of a group's columns from `least` on.
    fn random(&mut self, group: usize, least: usize, rules: &MinstrelHtRules) -> Option<usize> {
        for _ in 0..rules.width() {
            let mcs = self.order.mcs(group);
            self.order.advance(group);
            let place = rules.groups[group].rates.get(mcs).copied().flatten();
            if let Some(place) = place.filter(|_| mcs >= least) {
                return Some(place);
            }
        }
        None
    }
}

/// The lowest MCS of a group that takes less than `time`, and its place.
fn slowest_below(group: usize, time: Span, rules: &MinstrelHtRules) -> Option<(usize, usize)> {
    let rates = rules.groups[group].rates.iter().enumerate();
    rates.filter_map(|(mcs, place)| Some((mcs, (*place)?))).find(|(_, place)| rules.rates[*place].time < time)
}
