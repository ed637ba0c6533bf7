//! Minstrel, the rate control of Linux before 802.11n: the rate that has carried most of late, and now and then another one
//! to see how that does (documentation of mac80211; the counts are those of ns-3.44).
//!
//! Ten times a second each rate's share of frames acknowledged goes into an average; over the airtime of a frame that is
//! its throughput. A packet goes down a chain of four rates until it is acknowledged or the chain is over, which takes the
//! place of the MAC's retry limits for data frames:
//!
//! | | usual | a sample that is faster | a sample that is slower |
//! |---|---|---|---|
//! | 1 | most throughput | sample | most throughput |
//! | 2 | second to it | most throughput | sample |
//! | 3 | most likely | most likely | most likely |
//! | 4 | slowest | slowest | slowest |
//!
//! One packet in ten carries a sample. A slower one comes second in its chain, unless it has not been tried for 20 intervals:
//! it is needed only where the best has failed. How often a rate is tried in its turn is what fits into 6 ms, and at most
//! twice where nearly all or nearly none of its frames come through.

use crate::config::MacConfig;
use crate::rate::Rates;
use crate::timing::Timing;
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};
use hopscope_phy::phy::modes::Mode;

/// What is the same for all neighbours.
#[derive(Debug, Clone)]
pub struct MinstrelRules {
    /// The slowest first.
    rates: Vec<Rate>,
    interval: Span,
    /// Bits of a frame of the usual length.
    bits: u64,
    /// Packets in a hundred that carry a sample.
    sampling: u64,
    /// Weight of the past in an average.
    weight: f64,
}

/// One of the rates.
#[derive(Debug, Clone, Copy)]
struct Rate {
    mode: Mode,
    /// Of a frame of the usual length.
    airtime: Span,
    /// Attempts that fit into its turn.
    tries: u32,
}

impl MinstrelRules {
    pub(super) fn new(mac: &MacConfig, rates: &Rates, timing: &Timing) -> Self {
        let rate = |&mode: &Mode| {
            let airtime = timing.airtime(mac.minstrel_bytes, mode);
            let exchange = airtime + timing.sifs + timing.response(rates.response(mode));
            Rate { mode, airtime, tries: tries(exchange, timing.slot) }
        };
        MinstrelRules {
            rates: rates.choices().iter().map(rate).collect(),
            interval: mac.minstrel_interval,
            bits: 8 * u64::from(mac.minstrel_bytes),
            sampling: u64::from(mac.minstrel_sampling),
            weight: mac.minstrel_weight,
        }
    }
}

/// Attempts of one rate: so many that a first frame and as many repetitions, each after a mean back-off from a window that
/// doubles, take no longer than [`TURN`].
fn tries(exchange: Span, slot: Span) -> u32 {
    let (mut time, mut window) = (exchange, 31u64);
    let mut fit = 1;
    for repeated in 1..=MOST_TRIES {
        time = time + exchange + Span(slot.0 * window / 2);
        // The step of ns-3; that of IEEE 802.11-2020 10.3.3 would be 2 CW + 1.
        window = (2 * (window + 1)).min(1023);
        if time > TURN {
            break;
        }
        fit = repeated;
    }
    fit
}

/// What is known of one rate.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// Frames of this interval.
    sent: u32,
    acknowledged: u32,
    /// One was acknowledged before this interval.
    has_worked: bool,
    /// Average share of frames acknowledged.
    probability: f64,
    /// Frames a second that this stands for.
    throughput: f64,
    /// Intervals in a row in which it was not used.
    unused: u32,
    /// Samples left in this interval; none: any number.
    samples: Option<u32>,
    /// Attempts in its turn.
    tries: u32,
}

/// The sample of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sample {
    None,
    /// It goes first.
    First(usize),
    /// It goes second, as it is slower than the best.
    Second(usize),
}

/// What is known of the way to one neighbour.
#[derive(Debug)]
pub struct Minstrel {
    seen: Vec<Seen>,
    /// Place of the rate in use.
    place: usize,
    mode: Mode,
    /// Failures of the packet under way.
    failures: u32,
    sample: Sample,
    /// Of most throughput, second to it, and most likely.
    best: usize,
    second: usize,
    likely: usize,
    /// Packets, and those of them that carried a sample.
    packets: u64,
    samples: u64,
    /// Samples put second lately.
    put_second: u64,
    next_update: Time,
    /// The order in which rates are sampled: columns of all rates, in each of which the last is left out.
    order: Vec<u8>,
    next_sample: usize,
}

impl Minstrel {
    /// Nothing is known: the slowest rate. The order of samples is drawn.
    pub(super) fn new(rules: &MinstrelRules, now: Time, stream: &mut Stream) -> Self {
        let count = rules.rates.len();
        let mut order = Vec::with_capacity(COLUMNS * count);
        for _ in 0..COLUMNS {
            let mut column: Vec<u8> = (0..count as u8).collect();
            for place in (1..count).rev() {
                column.swap(place, stream.below(place as u32 + 1) as usize);
            }
            order.extend(&column[..count - 1]);
        }
        let fresh = |rate: &Rate| Seen {
            sent: 0,
            acknowledged: 0,
            has_worked: false,
            probability: 0.0,
            throughput: 0.0,
            unused: 0,
            samples: None,
            tries: rate.tries,
        };
        Minstrel {
            seen: rules.rates.iter().map(fresh).collect(),
            place: 0,
            mode: rules.rates[0].mode,
            failures: 0,
            sample: Sample::None,
            best: 0,
            second: 0,
            likely: 0,
            packets: 0,
            samples: 0,
            put_second: 0,
            next_update: now + rules.interval,
            order,
            next_sample: 0,
        }
    }

    /// Mode of the next data frame.
    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// Bit/s that the rate of most throughput stands for; none where nothing has come.
    pub(super) fn expected_throughput(&self, rules: &MinstrelRules) -> Option<u64> {
        let frames = self.seen[self.best].throughput;
        (frames > 0.0).then_some((frames * rules.bits as f64) as u64)
    }

    /// A data frame was acknowledged, or not; true when its packet is given up.
    pub(super) fn on_attempt(&mut self, acknowledged: bool, now: Time, rules: &MinstrelRules) -> bool {
        let seen = &mut self.seen[self.place];
        seen.sent += 1;
        if acknowledged {
            seen.acknowledged += 1;
        } else {
            self.failures += 1;
            let [first, second, third] = self.chain().map(|place| self.seen[place].tries);
            let all = first + second + third;
            if self.failures < all + self.seen[0].tries {
                let [one, two, three] = self.chain();
                // As in ns-3, the second rate has one attempt more than its turn, and the slowest one less.
                let place = match self.failures {
                    failed if failed < first => one,
                    failed if failed <= first + second => two,
                    failed if failed <= all => three,
                    _ => 0,
                };
                self.go(place, rules);
                return false;
            }
        }
        self.end_packet(now, rules);
        !acknowledged
    }

    /// The packet was given up before its data frame was sent again.
    pub(super) fn on_abandoned(&mut self, rules: &MinstrelRules) {
        self.failures = 0;
        self.go(self.chain()[0], rules);
    }

    /// The first three rates of the packet under way; the slowest follows.
    fn chain(&self) -> [usize; 3] {
        match self.sample {
            Sample::None => [self.best, self.second, self.likely],
            Sample::First(sample) => [sample, self.best, self.likely],
            Sample::Second(sample) => [self.best, sample, self.likely],
        }
    }

    fn end_packet(&mut self, now: Time, rules: &MinstrelRules) {
        self.packets += 1;
        let came_to_it = match self.sample {
            Sample::None => false,
            Sample::First(_) => true,
            Sample::Second(_) => self.failures >= self.seen[self.best].tries,
        };
        self.samples += u64::from(came_to_it);
        self.put_second = self.put_second.saturating_sub(1);
        self.failures = 0;
        if now >= self.next_update {
            self.next_update = now + rules.interval;
            self.update(rules);
        }
        self.sample = self.draw(rules);
        self.go(self.chain()[0], rules);
    }

    /// What the next packet samples.
    fn draw(&mut self, rules: &MinstrelRules) -> Sample {
        let due = self.packets * rules.sampling / 100;
        let had = self.samples + self.put_second / 2;
        if due < had || self.order.is_empty() {
            return Sample::None;
        }
        // What has been missed is not made up for at one go, which would hurt where the channel has just got worse.
        let most = 2 * self.seen.len() as u64;
        self.samples += (due - had).saturating_sub(most);
        let sample = usize::from(self.order[self.next_sample]);
        self.next_sample = (self.next_sample + 1) % self.order.len();
        let slower = rules.rates[sample].airtime > rules.rates[self.best].airtime;
        if slower && self.seen[sample].unused < UNUSED {
            self.put_second += 1;
            return Sample::Second(sample);
        }
        match &mut self.seen[sample].samples {
            None => Sample::First(sample),
            Some(0) => Sample::None,
            Some(left) => {
                *left -= 1;
                Sample::First(sample)
            }
        }
    }

    /// An interval is over.
    fn update(&mut self, rules: &MinstrelRules) {
        for (seen, rate) in self.seen.iter_mut().zip(&rules.rates) {
            seen.end_interval(rate, rules.weight);
        }
        let most = |left_out: Option<usize>| {
            let places = (0..self.seen.len()).filter(|&place| Some(place) != left_out);
            places.fold((0, 0.0), |(best, throughput), place| match self.seen[place].throughput {
                more if more > throughput => (place, more),
                _ => (best, throughput),
            })
        };
        let best = most(None).0;
        let second = most(Some(best)).0;
        let mut likely = 0;
        let mut probability = 0.0;
        for (place, seen) in self.seen.iter().enumerate() {
            // Among rates that lose next to nothing the fastest is the likely one: their shares differ by chance
            // alone.
            let safe = seen.probability >= NEARLY_ALL && seen.throughput >= self.seen[likely].throughput;
            if safe || seen.probability >= probability {
                (likely, probability) = (place, seen.probability);
            }
        }
        (self.best, self.second, self.likely) = (best, second, likely);
    }

    fn go(&mut self, place: usize, rules: &MinstrelRules) {
        self.place = place;
        self.mode = rules.rates[place].mode;
    }
}

impl Seen {
    fn end_interval(&mut self, rate: &Rate, weight: f64) {
        if self.sent == 0 {
            self.unused += 1;
        } else {
            self.unused = 0;
            let share = f64::from(self.acknowledged) / f64::from(self.sent);
            // A share of nothing would drag the average of a rate down that has only now begun to work.
            let past = if self.has_worked { weight } else { 0.0 };
            self.probability = share * (1.0 - past) + self.probability * past;
            self.throughput = self.probability / rate.airtime.as_secs();
        }
        self.has_worked |= self.acknowledged > 0;
        (self.sent, self.acknowledged) = (0, 0);
        let is_clear = self.probability > NEARLY_ALL || self.probability < NEARLY_NONE;
        self.samples = is_clear.then_some(SAMPLES);
        self.tries = if is_clear { rate.tries.min(CLEAR_TRIES) } else { rate.tries };
    }
}

/// Longest turn of one rate.
const TURN: Span = Span::from_micros(6_000);
/// Most attempts of one rate.
const MOST_TRIES: u32 = 10;
/// Shares of frames acknowledged beyond which a rate is a clear case.
const NEARLY_ALL: f64 = 0.95;
/// See [`NEARLY_ALL`].
const NEARLY_NONE: f64 = 0.1;
/// Samples in an interval of a rate that is a clear case.
const SAMPLES: u32 = 4;
/// Attempts of such a rate.
const CLEAR_TRIES: u32 = 2;
/// Intervals without use after which a slower rate is sampled first.
const UNUSED: u32 = 20;
/// Columns of the order of samples.
const COLUMNS: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::mac::RateControlKind;
    use crate::config::presets;
    use hopscope_core::rng::Purpose;

    fn rules(preset: &str) -> MinstrelRules {
        let mut base = presets::base("as-ns3", preset).expect("a preset");
        base.mac.rate_control = RateControlKind::Minstrel;
        let rates = Rates::new(&base.radio, &base.mac);
        MinstrelRules::new(&base.mac, &rates, &Timing::new(&base.radio, &base.mac))
    }

    fn minstrel(rules: &MinstrelRules) -> Minstrel {
        Minstrel::new(rules, Time::ZERO, &mut Stream::derive(1, 0, 0, Purpose::RateControl))
    }

    /// Packets, one a millisecond, each attempt of which succeeds if the channel says so; the modes of all attempts.
    fn send(minstrel: &mut Minstrel, rules: &MinstrelRules, packets: u64, works: impl Fn(f64) -> bool) -> Vec<f64> {
        let mut attempts = Vec::new();
        for packet in 0..packets {
            let now = Time::ZERO + Span::from_millis(packet);
            loop {
                let rate = minstrel.mode().rate() as f64 / 1e6;
                attempts.push(rate);
                if minstrel.on_attempt(works(rate), now, rules) || works(rate) {
                    break;
                }
            }
        }
        attempts
    }

    #[test]
    fn turns_are_as_long_as_fits_into_6_ms() {
        // 1200 bytes at 54 Mbit/s take 200 us, an exchange 200 + 16 + 28 = 244 us; after n repetitions 244 (n + 1) us and the
        // mean back-offs 139.5, 288, 585, 1179, 2367, 4603.5 us: five make 6022.5 us, which is too long.
        let tries = |preset| rules(preset).rates.iter().map(|rate| rate.tries).collect::<Vec<_>>();
        assert_eq!(tries("ofdm-54M")[7], 4);
        // 192 + 9600 us at 1 Mbit/s: not even one repetition, and yet one attempt.
        assert_eq!(tries("hr-dsss-11M")[0], 1);
    }

    #[test]
    fn the_order_of_samples_leaves_out_one_rate_of_each_column() {
        let rules = rules("ofdm-54M");
        let order = minstrel(&rules).order;
        assert_eq!(order.len(), 70);
        for column in order.chunks(7) {
            let mut sorted = column.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), 7, "{column:?}");
            assert!(sorted.iter().all(|&place| place < 8));
        }
    }

    #[test]
    fn it_finds_the_fastest_rate_that_works_and_samples_a_tenth() {
        let rules = rules("ofdm-54M");
        let mut minstrel = minstrel(&rules);
        send(&mut minstrel, &rules, 500, |rate| rate <= 36.0);
        let attempts = send(&mut minstrel, &rules, 1_000, |rate| rate <= 36.0);
        let share =
            |wanted: f64| attempts.iter().filter(|&&rate| rate == wanted).count() as f64 / attempts.len() as f64;
        assert!(share(36.0) > 0.9, "{}", share(36.0));
        // Slower ones are never needed but for the 20th interval.
        assert!(share(6.0) < 0.005 && share(54.0) < 0.06 && share(54.0) > 0.0, "{} {}", share(6.0), share(54.0));
    }

    #[test]
    fn a_packet_goes_down_the_chain_and_is_given_up_at_its_end() {
        let rules = rules("hr-dsss-11M");
        let mut minstrel = minstrel(&rules);
        send(&mut minstrel, &rules, 2_000, |_| true);
        // Until a packet that carries no sample.
        let mut n = 2_000;
        while minstrel.sample != Sample::None {
            minstrel.on_attempt(true, Time::ZERO + Span::from_millis(n), &rules);
            n += 1;
        }
        assert_eq!((minstrel.best, minstrel.second, minstrel.likely), (3, 2, 3));
        // Each works always: two attempts in its turn, or one where no more fit (5.5 and 1 Mbit/s); the second has one more than
        // its turn, the slowest one less.
        let attempts = send(&mut minstrel, &rules, 1, |_| false);
        assert_eq!(attempts, [11.0, 11.0, 5.5, 5.5, 11.0, 11.0]);
    }

    #[test]
    fn a_packet_given_up_for_its_rts_leaves_nothing_to_the_next() {
        let rules = rules("hr-dsss-11M");
        let mut minstrel = minstrel(&rules);
        send(&mut minstrel, &rules, 2_000, |_| true);
        minstrel.on_attempt(false, Time::ZERO + Span::from_millis(2_000), &rules);
        minstrel.on_abandoned(&rules);
        assert_eq!(minstrel.failures, 0);
        assert_eq!(minstrel.place, minstrel.chain()[0]);
    }

    #[test]
    fn averages_keep_three_quarters_of_the_past() {
        let rate = rules("hr-dsss-11M").rates[3];
        let mut seen = Seen {
            sent: 10,
            acknowledged: 8,
            has_worked: false,
            probability: 0.0,
            throughput: 0.0,
            unused: 0,
            samples: None,
            tries: rate.tries,
        };
        seen.end_interval(&rate, 0.75);
        assert!((seen.probability - 0.8).abs() < 1e-12, "the first is taken as it is");
        (seen.sent, seen.acknowledged) = (10, 4);
        seen.end_interval(&rate, 0.75);
        assert!((seen.probability - 0.7).abs() < 1e-12);
        assert!((seen.throughput - 0.7 / rate.airtime.as_secs()).abs() < 1e-9);
        seen.end_interval(&rate, 0.75);
        assert_eq!(seen.unused, 1);
        assert!((seen.probability - 0.7).abs() < 1e-12, "nothing new");
    }
}
