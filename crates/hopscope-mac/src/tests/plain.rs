//! What the MAC keeps packed, compared with the same in ordinary fields, over random inputs: the duplicate filter, the flags and the
//! span that a station keeps in its radio, and the generations of timers.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::config::MacConfig;
use crate::config::mac::{EifsRule, NavConfirmation};
use crate::contention::Station;
use crate::dedup::{Dedup, Fragment, PacketCounts};
use crate::frame::SequenceControl;
use crate::rules::MacRules;
use hopscope_core::event::Generation;
use hopscope_core::ids::NodeId;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};
use hopscope_phy::config::RadioConfig;
use hopscope_phy::phy::{AnyRules, Arrival};
use hopscope_testing::property;

/// A neighbour to the plain filter.
#[derive(Debug, Default, Clone)]
struct Neighbour {
    seq: u16,
    frag: u8,
    packets: u64,
    /// When the first fragment of its packet came.
    since: Time,
}

#[derive(Debug, Default)]
struct PlainDedup(BTreeMap<u32, Neighbour>);

impl PlainDedup {
    fn is_duplicate(&mut self, from: u32, seq: u16, may_repeat: bool) -> bool {
        if self.0.get(&from).is_some_and(|last| last.seq == seq && may_repeat) {
            return true;
        }
        let last = self.0.entry(from).or_default();
        last.seq = seq;
        last.packets += 1;
        false
    }

    /// `end`: the last fragment of its packet.
    fn take_fragment(
        &mut self,
        from: u32,
        (seq, frag, end): (u16, u8, bool),
        may_repeat: bool,
        now: Time,
        lifetime: Span,
    ) -> Fragment {
        let known = self.0.get(&from).cloned();
        let repeats = known.as_ref().is_some_and(|last| (last.seq, last.frag) == (seq, frag));
        if repeats && may_repeat {
            return Fragment::Duplicate;
        }
        let units = |at: Time| at.0 / 1_024_000;
        let follows = known.as_ref().is_some_and(|last| {
            let age = (units(now) - units(last.since)) * 1_024_000;
            last.seq == seq && last.frag + 1 == frag && age <= lifetime.0
        });
        let continues = frag == 0 || follows;
        if continues || (end && !repeats) {
            let last = self.0.entry(from).or_insert_with(|| Neighbour { since: now, ..Neighbour::default() });
            (last.seq, last.frag) = (seq, frag);
            last.since = if frag == 0 { now } else { last.since };
            last.packets += u64::from(continues && end);
        }
        if continues { Fragment::Continues } else { Fragment::Orphan }
    }

    fn packets(&self) -> Vec<(NodeId, u64)> {
        self.0.iter().map(|(from, last)| (NodeId(*from), last.packets)).collect()
    }
}

/// What a station reserves and owes, in ordinary fields (10.3.2.4, 10.3.4.3).
#[derive(Debug, Default)]
struct PlainStation {
    nav_until: Time,
    /// The NAV was set by an RTS: when it falls back, and to what was reserved before.
    unconfirmed: Option<(Time, Time)>,
    /// The last frame came in error: the medium is busy until then, for the count.
    eifs_until: Option<Time>,
}

impl PlainStation {
    fn nav_end(&self) -> Time {
        self.unconfirmed.map_or(self.nav_until, |(reset_at, before)| reset_at.max(before))
    }

    fn extend(&mut self, until: Time) {
        if until > self.nav_until {
            (self.nav_until, self.unconfirmed) = (until, None);
        }
    }

    fn extend_by_rts(&mut self, end: Time, nav: u64, rules: &MacRules) {
        let until = end + Span(nav);
        if until > self.nav_until {
            let reset_at = until.min(end + rules.timing().nav_reset);
            (self.unconfirmed, self.nav_until) = (Some((reset_at, self.nav_end())), until);
        }
    }

    fn confirm(&mut self, at: Time, rules: &MacRules) {
        let Some((reset_at, _)) = self.unconfirmed else { return };
        let in_time =
            if rules.station.nav_by_carrier { at <= reset_at } else { at <= rules.timing().announced_by(reset_at) };
        if !in_time {
            self.nav_until = self.nav_end();
        }
        self.unconfirmed = None;
    }
}

/// What happens to a station.
#[derive(Debug, Clone)]
enum Received {
    /// A frame for another station that reserves so many nanoseconds; an RTS.
    Other(u32, bool),
    /// A frame in error.
    Error,
    /// A frame begins that can confirm the NAV.
    Begins,
}

fn received() -> impl Strategy<Value = Received> {
    prop_oneof![
        4 => (0u32..3_000_000, any::<bool>()).prop_map(|(nav, rts)| Received::Other(nav, rts)),
        1 => Just(Received::Error),
        3 => Just(Received::Begins),
    ]
}

proptest! {
    #![proptest_config(property(1_000))]

    #[test]
    fn whole_packets_are_filtered_and_counted_as_by_the_plain_filter(
        frames in proptest::collection::vec((0u32..4, 0u16..3, any::<bool>()), 1..100),
    ) {
        let (mut dedup, mut counts, mut plain) = (Dedup::default(), PacketCounts::default(), PlainDedup::default());
        for (from, seq, may_repeat) in frames {
            let control = SequenceControl::new(seq * 2_047, 0);
            let found = dedup.is_duplicate(NodeId(from), control, || may_repeat, &mut counts);
            prop_assert_eq!(found, plain.is_duplicate(from, seq * 2_047, may_repeat));
            prop_assert_eq!(dedup.packets(&counts, false), plain.packets());
        }
    }

    #[test]
    fn fragments_continue_their_packet_as_by_the_plain_filter(
        frames in proptest::collection::vec(
            ((0u32..3, 0u16..2, 0u8..16), any::<bool>(), any::<bool>(), 0u64..3, 0u64..40_000_000_000),
            1..100,
        ),
        lifetime in 1u64..60_000,
        in_order in any::<bool>(),
    ) {
        let (mut dedup, mut counts, mut plain) = (Dedup::default(), PacketCounts::default(), PlainDedup::default());
        let (mut now, lifetime) = (Time::ZERO, Span::from_millis(lifetime));
        for (place, ((from, seq, frag), end, may_repeat, slow, later)) in frames.into_iter().enumerate() {
            // No neighbour is silent for more than 67 s: beyond, the start that wraps is a known limit.
            now += Span(later / if slow == 0 { 2 } else { 10_000 });
            let frag = if in_order { (place % 5) as u8 } else { frag };
            let from = if in_order { 0 } else { from };
            let seq = if in_order { 4_095 } else { 4_094 + seq };
            let control = (SequenceControl::new(seq, frag), end);
            let known = plain.0.get(&from).map_or(now, |last| last.since);
            if now - known > Span::from_millis(66_000) {
                break;
            }
            let found = dedup.take_fragment(NodeId(from), control, may_repeat, now, lifetime, &mut counts);
            prop_assert_eq!(found, plain.take_fragment(from, (seq, frag, end), may_repeat, now, lifetime));
            prop_assert_eq!(dedup.packets(&counts, true), plain.packets());
        }
    }

    #[test]
    fn a_station_reserves_and_waits_as_the_plain_one(
        steps in proptest::collection::vec((0u64..400_000, received()), 1..60),
        by_carrier in any::<bool>(),
        eifs_as_nav in any::<bool>(),
    ) {
        let mac = MacConfig {
            nav_confirmed_by: if by_carrier { NavConfirmation::Carrier } else { NavConfirmation::RxStart },
            eifs: if eifs_as_nav { EifsRule::Nav } else { EifsRule::ReplacesDifs },
            nav_reset: true,
            ..MacConfig::default()
        };
        let rules = MacRules::new(&RadioConfig::default(), &mac);
        let timing = rules.timing();
        let mut station = Station::new(&rules.station, Stream::derive(1, 0, 0, Purpose::Backoff));
        let (mut plain, mut now) = (PlainStation::default(), Time(1_000_000));
        for (later, what) in steps {
            now += Span(later);
            match what {
                Received::Other(nav, rts) => {
                    let flags = if rts { Arrival::RTS } else { 0 };
                    station.on_rx_ok::<AnyRules>(now, 0, nav, flags, &rules.station);
                    plain.eifs_until = None;
                    match (nav, rts) {
                        (0, _) => {}
                        (_, true) => plain.extend_by_rts(now, u64::from(nav), &rules),
                        (_, false) => plain.extend(now + Span(u64::from(nav))),
                    }
                }
                Received::Error => {
                    station.on_rx_bad::<AnyRules>(now, &rules.station);
                    if eifs_as_nav {
                        plain.extend(now + timing.eifs);
                    } else {
                        plain.eifs_until = Some(now + (timing.eifs - timing.difs));
                    }
                }
                Received::Begins => {
                    station.confirm_nav(now, &rules.station);
                    plain.confirm(now, &rules);
                }
            }
            prop_assert_eq!(station.nav_end(), plain.nav_end(), "at {:?}", now);
            prop_assert_eq!(station.nav_idle(now), plain.nav_end() <= now);
            prop_assert_eq!(station.eifs_until(), plain.eifs_until.unwrap_or(Time::ZERO));
        }
    }

    /// The plain timer holds the number of the event that is still awaited.
    #[test]
    fn an_event_of_a_renewed_timer_means_nothing(steps in proptest::collection::vec(0u8..3, 1..60)) {
        let (mut timer, mut plain) = (Generation::default(), None);
        let mut waiting = Vec::new();
        for step in steps {
            match step {
                0 => {
                    plain = Some(waiting.len());
                    waiting.push(timer.renew());
                }
                1 => {
                    timer.renew();
                    plain = None;
                }
                _ => {
                    for (place, generation) in waiting.iter().enumerate() {
                        prop_assert_eq!(*generation == timer, plain == Some(place));
                    }
                }
            }
        }
    }
}

#[test]
fn packets_are_counted_beyond_the_round_as_by_the_plain_filter() {
    let (mut dedup, mut counts, mut plain) = (Dedup::default(), PacketCounts::default(), PlainDedup::default());
    for n in 0..140_000_u32 {
        let (from, seq) = (n % 2, (n / 2 % 4_096) as u16);
        assert!(!dedup.is_duplicate(NodeId(from), SequenceControl::new(seq, 0), || true, &mut counts));
        plain.is_duplicate(from, seq, true);
        if (65_530..65_540).contains(&(n / 2)) || n % 9_973 == 0 {
            assert_eq!(dedup.packets(&counts, false), plain.packets(), "after {n}");
        }
    }
}

#[test]
fn the_start_of_a_packet_is_known_across_its_wrap() {
    // The unit of the start is 1024 us in 16 bits: it wraps at 67.1 s, here between the two fragments.
    let wrap = 1_024_000 << 16;
    let (mut dedup, mut counts, mut plain) = (Dedup::default(), PacketCounts::default(), PlainDedup::default());
    let lifetime = Span::from_millis(500);
    for (seq, gap) in [(1, 400_000_000), (2, 600_000_000), (3, 490_000_000)] {
        for (frag, at) in [(0, wrap * u64::from(seq) - gap / 2), (1, wrap * u64::from(seq) + gap / 2)] {
            let control = (SequenceControl::new(seq, frag), frag == 1);
            let found = dedup.take_fragment(NodeId(7), control, true, Time(at), lifetime, &mut counts);
            let expected = plain.take_fragment(7, (seq, frag, frag == 1), true, Time(at), lifetime);
            assert_eq!(found, expected, "fragment {frag} of {seq}");
            assert_eq!(found == Fragment::Continues, frag == 0 || seq != 2);
        }
    }
}
