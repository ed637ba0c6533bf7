//! What Minstrel-HT knows of each rate, and which ones it chooses by that.

use super::{MinstrelHtRules, Rate, Variant};
use crate::rate::ht::PpduReport;
use hopscope_core::units::Span;

/// What is known of one rate.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen {
    /// MPDUs of this window.
    attempted: u32,
    acknowledged: u32,
    /// It was used in an earlier window.
    is_tried: bool,
    /// One of its MPDUs was acknowledged in an earlier window.
    has_worked: bool,
    /// Average share of MPDUs acknowledged.
    pub(super) probability: f64,
    /// The same one window before, for the filter of second order.
    before: f64,
    /// MPDUs a second that this stands for.
    throughput: f64,
    /// Windows in a row in which it was not used.
    pub(super) unused: u32,
}

/// What is known of all rates to one neighbour.
#[derive(Debug)]
pub(super) struct Stats {
    seen: Vec<Seen>,
    /// Mean number of MPDUs of a PPDU, and both numbers in this window.
    length: f64,
    ppdus: u32,
    mpdus: u32,
}

/// The rates that a chain is made of, and how often each is tried in its turn.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    /// Of most throughput.
    pub(super) best: usize,
    /// Second to it.
    pub(super) second: usize,
    /// Most likely to come through.
    pub(super) likely: usize,
    tries: [u32; 3],
    /// The best and the second of each group.
    of_groups: Vec<(usize, usize)>,
}

impl Chosen {
    /// Rates with their tries.
    pub(super) fn chain(&self) -> [(usize, u32); 3] {
        let [first, second, third] = self.tries;
        [(self.best, first), (self.second, second), (self.likely, third)]
    }
}

impl Stats {
    pub(super) fn new(rules: &MinstrelHtRules) -> Self {
        Stats { seen: vec![Seen::default(); rules.rates.len()], length: 1.0, ppdus: 0, mpdus: 0 }
    }

    pub(super) fn of(&self, place: usize) -> &Seen {
        &self.seen[place]
    }

    /// MPDUs a second that a rate brings, as far as is known.
    pub(super) fn throughput(&self, place: usize) -> f64 {
        self.seen[place].throughput
    }

    /// Mean number of MPDUs of a PPDU, rounded down.
    pub(super) fn mean_length(&self) -> u32 {
        self.length as u32
    }

    /// What became of a PPDU sent at a rate.
    pub(super) fn count(&mut self, place: usize, report: PpduReport, variant: Variant) {
        let seen = &mut self.seen[place];
        seen.attempted += report.attempted;
        seen.acknowledged += report.acknowledged;
        // ns-3 counts A-MPDUs alone.
        if variant != Variant::Ns3 || report.attempted > 1 {
            self.ppdus += 1;
            self.mpdus += report.attempted;
        }
    }

    /// A window is over: its shares go into the averages.
    pub(super) fn end_window(&mut self, rules: &MinstrelHtRules) {
        if self.ppdus > 0 {
            let length = f64::from(self.mpdus) / f64::from(self.ppdus);
            self.length = match rules.variant {
                Variant::Linux | Variant::Linux512 => NEW * length + OLD * self.length,
                Variant::Ns3 => (NEW * length.floor() + OLD * self.length).floor(),
            };
            (self.ppdus, self.mpdus) = (0, 0);
        }
        for group in &rules.groups {
            let mut highest = 0.0;
            // From the fastest down, so that a slower one that was never tried may take over what a faster one has shown.
            for &place in group.rates.iter().rev().flatten() {
                let seen = &mut self.seen[place];
                seen.end_window(rules.variant);
                if rules.variant == Variant::Linux512 {
                    if !seen.is_tried {
                        seen.probability = seen.probability.max(highest);
                    }
                    highest = seen.probability.max(highest);
                }
            }
        }
        let length = self.mean_length().max(1);
        for (seen, rate) in self.seen.iter_mut().zip(&rules.rates) {
            seen.throughput = throughput(seen.probability, rate, length, rules);
        }
    }

    /// The rates of the next chains.
    pub(super) fn choose(&self, rules: &MinstrelHtRules) -> Chosen {
        let (best, second) = self.best_of(0, 0..rules.rates.len());
        let of_group = |group: &super::RateGroup| {
            let mut rates = group.rates.iter().flatten().copied().peekable();
            let first = rates.peek().copied().unwrap_or(0);
            self.best_of(first, rates)
        };
        let of_groups = rules.groups.iter().map(of_group).collect();
        let mut chosen = Chosen { best, second, likely: 0, tries: [1; 3], of_groups };
        chosen.likely = self.likely(best, rules);
        self.count_tries(&mut chosen, rules);
        chosen
    }

    fn count_tries(&self, chosen: &mut Chosen, rules: &MinstrelHtRules) {
        let length = u64::from(self.mean_length().max(1));
        let of = |place: usize| tries(self.seen[place].probability, rules.attempt(&rules.rates[place], length), rules);
        chosen.tries = [chosen.best, chosen.second, chosen.likely].map(of);
    }

    /// The two of these rates with most throughput, beginning with `first`.
    fn best_of(&self, first: usize, places: impl IntoIterator<Item = usize>) -> (usize, usize) {
        let key = |place: usize| (self.seen[place].throughput, self.seen[place].probability);
        places.into_iter().filter(|&place| self.seen[place].throughput > 0.0).fold(
            (first, first),
            |(best, second), place| {
                if key(place) > key(best) {
                    (place, best)
                } else if key(place) > key(second) {
                    (best, place)
                } else {
                    (best, second)
                }
            },
        )
    }

    /// The rate most likely to come through: where several nearly always do, the one of most throughput.
    fn likely(&self, best: usize, rules: &MinstrelHtRules) -> usize {
        let all = 0..rules.rates.len();
        if rules.variant == Variant::Ns3 {
            return self.likely_of(0, all);
        }
        let fastest = &rules.rates[best];
        // A faster rate that is less likely than the best is none to fall back to.
        let is_risky = |place: usize| {
            rules.variant == Variant::Linux512
                && rules.rates[place].time < fastest.time
                && self.seen[place].probability < self.seen[best].probability
        };
        let safe =
            |places: Vec<usize>, first| self.likely_of(first, places.into_iter().filter(|&place| !is_risky(place)));
        // With fewer streams it stands strong changes better.
        let fewer = rules.groups.iter().filter(|group| group.streams < fastest.streams);
        let of_groups = fewer.filter_map(|group| {
            let places: Vec<usize> = group.rates.iter().flatten().copied().collect();
            let first = *places.first()?;
            Some(safe(places, first))
        });
        let of_groups = of_groups.filter(|&place| self.seen[place].throughput > 0.0);
        let fewest = of_groups
            .reduce(|one, other| if self.seen[other].throughput > self.seen[one].throughput { other } else { one });
        fewest.unwrap_or_else(|| safe(all.collect(), 0))
    }

    fn likely_of(&self, first: usize, places: impl IntoIterator<Item = usize>) -> usize {
        places.into_iter().filter(|&place| self.seen[place].throughput > 0.0).fold(first, |likely, place| {
            let (seen, so_far) = (&self.seen[place], &self.seen[likely]);
            let is_better = if seen.probability > LIKELY {
                seen.throughput > so_far.throughput
            } else {
                seen.probability > so_far.probability
            };
            if is_better { place } else { likely }
        })
    }

    /// Where the best rate or the second has all at once become useless, that of the next group below takes its place before
    /// the window is over.
    pub(super) fn look_for_sudden_death(&self, chosen: &mut Chosen, rules: &MinstrelHtRules) {
        let least = if rules.variant == Variant::Linux512 { 0.25 } else { 0.2 };
        let is_dead = |place: usize| {
            let seen = &self.seen[place];
            seen.attempted > 30 && f64::from(seen.acknowledged) < least * f64::from(seen.attempted)
        };
        let below = |place: usize| {
            let Rate { group, streams, .. } = rules.rates[place];
            (0..group).rev().find(|&lower| rules.groups[lower].streams <= streams)
        };
        let best = below(chosen.best).filter(|_| is_dead(chosen.best));
        let second = below(chosen.second).filter(|_| is_dead(chosen.second));
        if let Some(group) = best {
            chosen.best = chosen.of_groups[group].0;
        }
        if let Some(group) = second {
            chosen.second = chosen.of_groups[group].1;
        }
        if best.or(second).is_some() {
            self.count_tries(chosen, rules);
        }
    }
}

impl Seen {
    fn end_window(&mut self, variant: Variant) {
        if self.attempted == 0 {
            self.unused += 1;
            return;
        }
        self.unused = 0;
        let share = f64::from(self.acknowledged) / f64::from(self.attempted);
        match variant {
            Variant::Linux if !self.is_tried => self.probability = share,
            Variant::Linux => self.probability = NEW * share + OLD * self.probability,
            Variant::Linux512 => self.filter(share),
            Variant::Ns3 => {
                // Whole percents.
                let share = f64::from(100 * self.acknowledged / self.attempted) / 100.0;
                // A share of nothing would drag the average of a rate down that has only now begun to work.
                let is_first = !self.has_worked;
                self.probability = if is_first { share } else { NEW * share + OLD * self.probability };
            }
        }
        self.is_tried = true;
        self.has_worked |= self.acknowledged > 0;
        (self.attempted, self.acknowledged) = (0, 0);
    }

    /// The low-pass filter of Linux from 5.12 on, in its fractions of 4096: its constants stand for a period of 16 windows.
    fn filter(&mut self, share: f64) {
        let [new, last, before] = [1_173.0, 5_273.0, -2_350.0].map(|part: f64| part / 4_096.0);
        let share = share.max(LEAST);
        if self.probability == 0.0 {
            (self.probability, self.before) = (share, share);
            return;
        }
        let value = new * share + last * self.probability + before * self.before;
        (self.probability, self.before) = (value.clamp(LEAST, 1.0), self.probability);
    }
}

/// Least share that the filter knows.
const LEAST: f64 = 1.0 / 4_096.0;
/// Weights of a new value and of the average so far.
const NEW: f64 = 0.25;
/// See [`NEW`].
const OLD: f64 = 0.75;
/// Share above which throughput decides which rate is the most likely one.
const LIKELY: f64 = 0.75;
/// Share below which a rate is not reckoned with.
const HOPELESS: f64 = 0.1;
/// Collisions make shares above this one uncertain.
const NEARLY_ALL: f64 = 0.9;

/// MPDUs a second that a share of them stands for.
fn throughput(probability: f64, rate: &Rate, length: u32, rules: &MinstrelHtRules) -> f64 {
    if probability < HOPELESS {
        return 0.0;
    }
    let time = match rules.variant {
        Variant::Linux | Variant::Linux512 => Span(rules.overhead.0 / u64::from(length)) + rate.time,
        Variant::Ns3 => rate.time,
    };
    probability.min(NEARLY_ALL) / time.as_secs()
}

/// Attempts of a rate in its turn: two, and as many more, after mean back-offs from a window that doubles, as take less
/// than [`TURN`] together.
fn tries(probability: f64, attempt: Span, rules: &MinstrelHtRules) -> u32 {
    match rules.variant {
        Variant::Linux | Variant::Linux512 if probability < 0.2 => return 2,
        Variant::Ns3 if probability < 0.01 => return 1,
        Variant::Linux | Variant::Linux512 | Variant::Ns3 => {}
    }
    let mut window = 15;
    let mut backoff = || {
        let mean = match rules.variant {
            Variant::Linux | Variant::Linux512 => Span(rules.slot.0 * window / 2),
            Variant::Ns3 => rules.slot * (window / 2),
        };
        window = match rules.variant {
            Variant::Linux | Variant::Linux512 => 2 * window + 1,
            // The step of ns-3.
            Variant::Ns3 => 2 * (window + 1),
        };
        window = window.min(1_023);
        mean
    };
    let mut time = backoff() + backoff() + attempt * 2;
    let mut tries = 2;
    loop {
        time = time + backoff() + attempt;
        if time >= TURN {
            return tries;
        }
        tries += 1;
        if tries >= MOST_TRIES {
            return tries;
        }
    }
}

/// Longest turn of one rate.
const TURN: Span = Span::from_micros(6_000);
/// Most attempts of one rate.
const MOST_TRIES: u32 = 7;

#[cfg(test)]
impl Stats {
    /// A rate has had this average.
    pub(super) fn set(&mut self, place: usize, probability: f64) {
        let seen = &mut self.seen[place];
        (seen.probability, seen.throughput) = (probability, probability * (place + 1) as f64);
        (seen.is_tried, seen.has_worked) = (true, true);
    }
}
