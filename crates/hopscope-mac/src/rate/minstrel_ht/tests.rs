use super::*;
use crate::config::presets;
use crate::rate::ht::PpduReport;
use hopscope_core::rng::Purpose;

const ALL: [Variant; 3] = [Variant::Linux, Variant::Linux512, Variant::Ns3];

fn rules(preset: &str, variant: Variant, groups: RateGroups) -> MinstrelHtRules {
    let mut base = presets::base("standard", preset).expect("a preset");
    (base.mac.minstrel_ht, base.mac.minstrel_ht_groups) = (variant, groups);
    MinstrelHtRules::new(&base.radio, &base.mac, &Timing::new(&base.radio, &base.mac))
}

fn of(preset: &str, variant: Variant) -> MinstrelHtRules {
    rules(preset, variant, RateGroups::Streams)
}

fn minstrel(rules: &MinstrelHtRules) -> MinstrelHt {
    MinstrelHt::new(rules, Time::ZERO, &mut Stream::derive(1, 0, 0, Purpose::RateControl))
}

fn report(attempted: u32, acknowledged: u32) -> PpduReport {
    PpduReport { attempted, acknowledged, is_asked: false, ratio: 0.0 }
}

/// A link: one PPDU every 5 ms, of 30 MPDUs where more than one may go, of which all come or none.
struct Link<'a> {
    minstrel: MinstrelHt,
    rules: &'a MinstrelHtRules,
    now: Time,
}

impl<'a> Link<'a> {
    fn new(rules: &'a MinstrelHtRules) -> Self {
        Link { minstrel: minstrel(rules), rules, now: Time::ZERO }
    }

    /// MCS and streams of so many PPDUs, and whether they carried one MPDU alone.
    fn send(&mut self, ppdus: usize, works: impl Fn(u8, u8) -> bool) -> Vec<(u8, u8, bool)> {
        let mut sent = Vec::new();
        for _ in 0..ppdus {
            let NextPpdu { mode, alone } = self.minstrel.next();
            let (mcs, streams) = mode.mcs().expect("an MCS");
            sent.push((mcs, streams, alone));
            let mpdus = if alone { 1 } else { 30 };
            self.now += Span::from_millis(5);
            let report = report(mpdus, if works(mcs, streams) { mpdus } else { 0 });
            self.minstrel.on_ppdu(report, self.now, self.rules);
        }
        sent
    }

    /// Sends PPDUs that come until no sample is due next.
    fn settle(&mut self, works: impl Fn(u8, u8) -> bool + Copy) {
        while self.minstrel.sample.is_some() {
            self.send(1, works);
        }
    }
}

#[test]
fn rates_are_compared_by_the_time_of_1200_bytes() {
    // HT 20 MHz, MCS 7: 260 bits a symbol of 4 us. Linux: 37 symbols, whatever else the PPDU has; ns-3: 36 us and 9616 bits.
    let time = |variant| of("ht-20", variant).rates[7].time;
    assert_eq!(time(Variant::Linux), Span::from_micros(148));
    assert_eq!(time(Variant::Linux512), Span::from_micros(148));
    assert_eq!(time(Variant::Ns3), Span(36_000 + 4_000 * 9_616 / 260));
}

#[test]
fn turns_are_as_long_as_fits_into_6_ms() {
    // Linux: 96 + 148 us an attempt, mean back-offs 67.5, 139.5, 283.5, 571.5, 1147.5, 2299.5, 4603.5 us: six attempts make
    // 5973 us. ns-3: 84 + 183.9 us, back-offs 63, 144, 297, 603, 1215, 2439 us: five make 3661.7 us, six 6368.6.
    let tries = |variant, probability: f64| {
        let rules = of("ht-20", variant);
        let mut stats = Stats::new(&rules);
        stats.set(7, probability);
        stats.choose(&rules).chain()[0].1
    };
    assert_eq!(ALL.map(|variant| tries(variant, 1.0)), [6, 6, 5]);
    // 28 MPDUs of 148 us are beyond 6 ms with the third attempt.
    let rules = of("ht-20", Variant::Linux);
    let mut stats = Stats::new(&rules);
    (0..60).for_each(|_| {
        stats.count(7, report(28, 28), rules.variant);
        stats.end_window(&rules);
    });
    assert_eq!((stats.mean_length(), stats.choose(&rules).chain()[0]), (27, (7, 2)));
    // A rate that next to never works has little time: the second, of which nothing is known.
    let second = |variant| {
        let rules = of("ht-20", variant);
        let mut stats = Stats::new(&rules);
        stats.set(7, 1.0);
        stats.choose(&rules).chain()[1]
    };
    assert_eq!(ALL.map(second), [(0, 2), (0, 2), (0, 1)]);
}

#[test]
fn each_variant_has_its_average() {
    // 10 of 12 MPDUs, then 1 of 12. Linux: 5/6, then a quarter of 1/12 with three quarters of that. ns-3: 83 %, then 8 %.
    // From 5.12 on: (1173/12 + (5273 - 2350) * 5/6) / 4096.
    let expected = [
        (Variant::Linux, 5.0 / 6.0, 0.25 / 12.0 + 0.75 * 5.0 / 6.0),
        (Variant::Linux512, 5.0 / 6.0, (1_173.0 / 12.0 + 2_923.0 * 5.0 / 6.0) / 4_096.0),
        (Variant::Ns3, 0.83, 0.25 * 0.08 + 0.75 * 0.83),
    ];
    for (variant, first, then) in expected {
        let rules = of("ht-20", variant);
        let mut stats = Stats::new(&rules);
        for (acknowledged, expected) in [(10, first), (1, then)] {
            stats.count(3, report(12, acknowledged), variant);
            stats.end_window(&rules);
            let found = stats.of(3).probability;
            assert!((found - expected).abs() < 1e-12, "{variant:?}: {found}, {expected}");
        }
        stats.end_window(&rules);
        assert_eq!(stats.of(3).unused, 1, "nothing new");
    }
}

#[test]
fn a_rate_that_had_never_worked_begins_anew_in_ns3_alone() {
    let probability = |variant| {
        let rules = of("ht-20", variant);
        let mut stats = Stats::new(&rules);
        for acknowledged in [0, 12] {
            stats.count(3, report(12, acknowledged), variant);
            stats.end_window(&rules);
        }
        stats.of(3).probability
    };
    assert!((probability(Variant::Linux) - 0.25).abs() < 1e-12);
    assert!((probability(Variant::Ns3) - 1.0).abs() < 1e-12);
}

#[test]
fn slower_rates_take_over_what_a_faster_one_has_shown_from_5_12_on() {
    let found = |variant| {
        let rules = of("ht-20-2ss", variant);
        let mut stats = Stats::new(&rules);
        stats.count(4, report(10, 9), variant);
        stats.end_window(&rules);
        [3, 5, 8 + 3].map(|place| stats.of(place).probability)
    };
    assert_eq!(found(Variant::Linux), [0.0, 0.0, 0.0]);
    assert_eq!(found(Variant::Linux512), [0.9, 0.0, 0.0], "of the same group");
}

#[test]
fn ns3_values_rates_as_if_nothing_were_aggregated() {
    // 72 % of MCS 7 (183.9 us) and 98 % of MCS 5 (220.9 us): 0.72 / 183.9 us is less than 0.9 / 220.9. Of PPDUs of 100 MPDUs
    // Linux sees 0.72 / (0.96 + 148), which is more than 0.9 / (0.96 + 188).
    let best = |variant| {
        let rules = of("ht-20", variant);
        let mut stats = Stats::new(&rules);
        for _ in 0..100 {
            stats.count(7, report(100, 72), variant);
            stats.count(5, report(100, 98), variant);
            stats.end_window(&rules);
        }
        stats.choose(&rules).best
    };
    assert_eq!((best(Variant::Ns3), best(Variant::Linux)), (5, 7));
}

#[test]
fn every_variant_finds_the_fastest_rate_that_works() {
    for variant in ALL {
        for (preset, groups) in [("ht-20", RateGroups::Streams), ("ht-40-2ss", RateGroups::All)] {
            let rules = rules(preset, variant, groups);
            let mut link = Link::new(&rules);
            let streams = u8::from(preset == "ht-40-2ss") + 1;
            let works = |mcs: u8, of: u8| mcs <= if of == 1 { 5 } else { 4 };
            // ns-3 waits for 16 + 2 * 30 PPDUs with each sample: 8 groups of 8 rates take it 40,000 PPDUs.
            link.send(40_000, works);
            let most = if streams == 1 { 5 } else { 4 };
            let (mut best, mut all) = (0, 0);
            for (mcs, of, alone) in link.send(2_000, works) {
                let mpdus = if alone { 1 } else { 30 };
                all += mpdus;
                best += if (mcs, of) == (most, streams) { mpdus } else { 0 };
            }
            assert!(10 * best > 9 * all, "{variant:?}, {preset}: {best} of {all} MPDUs");
        }
    }
}

#[test]
fn the_first_ppdus_are_four_samples() {
    // Whatever works: the slowest, then four that are faster, then the wait, and after 50 ms the fastest of them.
    let rules = of("ht-20", Variant::Ns3);
    let mut link = Link::new(&rules);
    let sent = link.send(12, |_, _| true);
    assert_eq!(sent[0].0, 0);
    assert!(sent[1..5].iter().all(|(mcs, ..)| *mcs > 0), "{sent:?}");
    assert!(sent[5..10].iter().all(|(mcs, ..)| *mcs == 0), "{sent:?}");
    let fastest = sent[1..5].iter().map(|(mcs, ..)| *mcs).max();
    assert_eq!(Some(sent[10].0), fastest);
}

#[test]
fn samples_wait_for_ppdus_in_ns3_and_for_mpdus_in_linux() {
    // Only MCS 0 works, so that every other rate may be sampled. A-MPDUs of 30: the mean is 30 in the end, less rounding.
    let gaps = |variant| {
        let rules = of("ht-20", variant);
        let mut link = Link::new(&rules);
        let works = |mcs: u8, _: u8| mcs == 0;
        link.send(2_000, works);
        let sent = link.send(2_000, works);
        let samples: Vec<usize> = (0..sent.len()).filter(|&place| sent[place].0 > 0).collect();
        let alone = samples.iter().all(|&place| sent[place].2);
        let gaps: Vec<usize> = samples.windows(2).map(|pair| pair[1] - pair[0]).collect();
        (alone, gaps.iter().sum::<usize>() as f64 / gaps.len() as f64)
    };
    // ns-3: 16 + 2 * 27 PPDUs, as its average of whole numbers stays below 30; the chain steps back, and MCS 0 comes up too.
    let (alone, gap) = gaps(Variant::Ns3);
    assert!(!alone && (70.0..100.0).contains(&gap), "{gap}");
    // Linux: 16 + 2 * 29 MPDUs are three PPDUs of 30.
    let (alone, gap) = gaps(Variant::Linux);
    assert!(alone && (3.0..6.0).contains(&gap), "{gap}");
    // From 5.12 on 20 ms, four PPDUs, and with each window of 50 ms.
    let (alone, gap) = gaps(Variant::Linux512);
    assert!(alone && (3.0..6.0).contains(&gap), "{gap}");
}

#[test]
fn a_ppdu_of_which_nothing_came_steps_down_the_chain() {
    // All works up to MCS 4: MCS 4 is best and most likely, the second is the next best that was ever seen.
    let works = |mcs: u8, _: u8| mcs <= 4;
    for (variant, last) in [(Variant::Linux, 0), (Variant::Ns3, 1)] {
        let rules = of("ht-20", variant);
        let mut link = Link::new(&rules);
        link.send(4_000, works);
        link.settle(works);
        let [first, second, third] = link.minstrel.chosen.chain();
        assert_eq!((first.0, third.0), (4, 4), "{variant:?}");
        let mut expected = Vec::new();
        for (place, tries) in [first, second, (third.0, third.1 + last)] {
            expected.extend(std::iter::repeat_n(place as u8, tries as usize));
        }
        let sent: Vec<u8> = link.send(expected.len(), |_, _| false).into_iter().map(|(mcs, ..)| mcs).collect();
        assert_eq!(sent, expected, "{variant:?}");
        assert_eq!(link.minstrel.failures, 0, "the chain is over");
    }
}

#[test]
fn a_sample_is_tried_once_and_then_the_second_rate() {
    let works = |mcs: u8, _: u8| mcs <= 4;
    for variant in ALL {
        let rules = of("ht-20", variant);
        let mut link = Link::new(&rules);
        link.send(4_000, works);
        while link.minstrel.sample.is_none() {
            link.send(1, works);
        }
        let sample = link.minstrel.place;
        let second = link.minstrel.chosen.second;
        link.send(1, |_, _| false);
        assert_eq!(link.minstrel.place, second, "{variant:?}: after {sample}");
        assert_eq!(link.minstrel.next().alone, variant != Variant::Ns3, "one frame goes down its chain");
    }
}

#[test]
fn what_is_asked_for_counts_in_ns3_alone() {
    for (variant, attempted) in [(Variant::Linux, false), (Variant::Ns3, true)] {
        let works = |mcs: u8, _: u8| mcs <= 4;
        let rules = of("ht-20", variant);
        let mut link = Link::new(&rules);
        link.send(4_000, works);
        link.settle(works);
        link.send(1, |_, _| false);
        let before = link.minstrel.failures;
        let report = PpduReport { is_asked: true, ..report(30, 0) };
        link.minstrel.on_ppdu(report, link.now, &rules);
        assert_eq!(link.minstrel.failures - before, u32::from(attempted), "{variant:?}");
    }
}

#[test]
fn the_best_rate_dies_suddenly_in_linux_alone() {
    // MCS 7 of two streams has worked; now nothing of two streams does. Before the window is over Linux goes to one stream.
    for variant in ALL {
        let rules = of("ht-20-2ss", variant);
        let mut link = Link::new(&rules);
        link.send(20_000, |_, _| true);
        link.settle(|_, _| true);
        assert_eq!(link.minstrel.chosen.best, 15, "{variant:?}");
        // A window begins, in which more than 30 MPDUs fail, and its chain is over.
        link.minstrel.next_update = link.now + WINDOW * 100;
        for _ in 0..30 {
            link.send(1, |_, streams| streams == 1);
        }
        let streams = rules.rates[link.minstrel.chosen.best].streams;
        assert_eq!(streams, if variant == Variant::Ns3 { 2 } else { 1 }, "{variant:?}");
    }
}

#[test]
fn the_most_likely_rate_has_fewer_streams_in_linux() {
    let streams = |variant| {
        let rules = of("ht-20-2ss", variant);
        let mut stats = Stats::new(&rules);
        stats.set(15, 1.0);
        stats.set(14, 1.0);
        stats.set(6, 0.9);
        let chosen = stats.choose(&rules);
        (chosen.best, rules.rates[chosen.likely].streams)
    };
    assert_eq!(ALL.map(streams), [(15, 1), (15, 1), (15, 2)]);
}

#[test]
fn a_packet_given_up_leaves_nothing_to_the_next() {
    let rules = of("ht-20", Variant::Linux);
    let mut link = Link::new(&rules);
    link.send(4_000, |_, _| true);
    link.settle(|_, _| true);
    link.send(2, |_, _| false);
    assert_eq!(link.minstrel.failures, 2);
    link.minstrel.on_given_up(link.now, &rules);
    assert_eq!(link.minstrel.failures, 0);
    assert_eq!(link.minstrel.place, link.minstrel.sample.unwrap_or(link.minstrel.chosen.best));
}
