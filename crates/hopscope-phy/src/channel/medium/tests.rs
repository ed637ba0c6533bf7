//! Lists against those made anew, from all pairs, and early.

use proptest::prelude::*;

use super::*;
use crate::channel::budget::Budget;
use crate::config::presets;
use crate::config::radio::{Propagation, Shadowing};
use crate::mobility::Leg;
use hopscope_core::config::profile::Profile;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::Span;
use hopscope_testing::property;

fn radio() -> RadioConfig {
    presets::radio(Profile::Ns2, "wavelan-2M").expect("a preset")
}

/// Both ends of every link.
fn ends(medium: &Medium) -> Vec<(u32, u32)> {
    let of = |n: u32| medium.hearers(NodeId(n)).iter().map(move |link| (n, link.to.0));
    (0..medium.nodes() as u32).flat_map(of).collect()
}

#[test]
fn a_chain_node_decodes_one_hop_and_senses_two() {
    let positions: Vec<[f64; 2]> = (0..8).map(|i| [200.0 * f64::from(i), 0.0]).collect();
    let medium = Medium::new(&positions, &radio());
    let received: Vec<(u32, u8, u16)> =
        medium.hearers(NodeId(3)).iter().map(|l| (l.to.0, l.flags & Arrival::DECODABLE, l.delay_ns)).collect();
    assert_eq!(received, vec![(2, 1, 667), (4, 1, 667), (1, 0, 1333), (5, 0, 1333)]);
}

#[test]
fn the_grid_finds_what_a_full_scan_finds() {
    let mut stream = Stream::derive(5, 0, 0, Purpose::Placement);
    let positions: Vec<[f64; 2]> = (0..300).map(|_| [stream.uniform() * 4000.0, stream.uniform() * 900.0]).collect();
    let radio = radio();
    let medium = Medium::new(&positions, &radio);
    for (node, a) in positions.iter().enumerate() {
        let mut expected: Vec<u32> = (0..positions.len())
            .filter(|&o| o != node && (positions[o][0] - a[0]).hypot(positions[o][1] - a[1]) <= 550.0)
            .map(|o| o as u32)
            .collect();
        let mut found: Vec<u32> = medium.hearers(NodeId(node as u32)).iter().map(|l| l.to.0).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "node {node}");
    }
}

/// Who hears each node, with power and flags, at an instant; `names` renames nodes.
fn receptions(medium: &mut Medium, nodes: &[u32], names: impl Fn(u32) -> u32, now: Time) -> Vec<Vec<(u32, u32, u8)>> {
    let of = |n: &u32| {
        medium.refresh(NodeId(*n), now);
        let links = medium.hearers(NodeId(*n)).iter();
        links.map(|link| (names(link.to.0), link.power.to_bits(), link.flags)).collect()
    };
    nodes.iter().map(of).collect()
}

#[test]
fn a_channel_is_as_if_the_others_were_not_there() {
    let mut stream = Stream::derive(6, 0, 0, Purpose::Placement);
    let positions: Vec<[f64; 2]> = (0..120).map(|_| [stream.uniform() * 1500.0, stream.uniform() * 600.0]).collect();
    let channels: Vec<u16> = (0..120).map(|n| [1, 6, 11][n % 3]).collect();
    let own: Vec<u32> = (0..120).filter(|n| n % 3 == 1).collect();
    let alone: Vec<[f64; 2]> = own.iter().map(|&n| positions[n as usize]).collect();
    let (mut all, mut one) = (Medium::new(&positions, &radio()), Medium::new(&alone, &radio()));
    all.set_channels(&channels);
    assert!(all.decoding().is_none(), "a search by distance alone would meet other channels");
    for n in 0..40 {
        let name = |found: Option<NodeId>| found.map(|node| node.0);
        assert_eq!(all.count_hearers(NodeId(own[n])), one.count_hearers(NodeId(n as u32)));
        let nearest = name(one.nearest(NodeId(n as u32), |_| true)).map(|found| own[found as usize]);
        assert_eq!(name(all.nearest(NodeId(own[n]), |_| true)), nearest);
    }
    let numbers: Vec<u32> = (0..40).collect();
    let ns = |n: u32| n / 3;
    assert_eq!(receptions(&mut all, &own, ns, Time::ZERO), receptions(&mut one, &numbers, |n| n, Time::ZERO));
    // The same once nodes are under way, and for those that jump.
    let now = Time::ZERO + Span::from_secs(1);
    for (medium, node) in [(&mut all, own[7]), (&mut one, 7)] {
        let from = medium.position(NodeId(node), now);
        medium.set_leg(NodeId(node), Leg::at_speed(now, from, [750.0, 300.0], 10.0), now);
    }
    let later = Time::ZERO + Span::from_secs(20);
    assert_eq!(receptions(&mut all, &own, ns, later), receptions(&mut one, &numbers, |n| n, later));
    assert!(
        !all.decodes(NodeId(0), NodeId(1), later)
            && all.decodes(NodeId(own[7]), NodeId(own[7] + 3), later) == one.decodes(NodeId(7), NodeId(8), later)
    );
}

#[test]
fn static_shadowing_is_normal_in_decibels_and_the_same_both_ways() {
    // Pairs 100 m apart, pairs of their own far from each other.
    let positions: Vec<[f64; 2]> =
        (0..20_000).map(|n| [f64::from(n / 2) * 20_000.0 + f64::from(n % 2) * 100.0, 0.0]).collect();
    let radio = RadioConfig { shadowing: Shadowing::Static, shadowing_sigma: 6.0, ..radio() };
    let medium = Medium::seeded(&positions, &radio, 3);
    let mean = Budget::new(&radio).loss.power(100.0);
    let mut levels = Vec::new();
    for n in (0..20_000).step_by(2) {
        let (there, back) = (medium.hearers(NodeId(n)), medium.hearers(NodeId(n + 1)));
        // At 100 m sigma is far too small to silence a link.
        assert_eq!((there.len(), back.len()), (1, 1));
        assert_eq!((there[0].power, there[0].flags), (back[0].power, back[0].flags));
        let decodable = there[0].flags & Arrival::DECODABLE != 0;
        assert_eq!(decodable, f64::from(there[0].power) >= Budget::new(&radio).loss.power(250.0));
        levels.push(10.0 * (f64::from(there[0].power) / mean).log10());
    }
    let average = levels.iter().sum::<f64>() / 1e4;
    let deviation = (levels.iter().map(|x| (x - average).powi(2)).sum::<f64>() / 1e4).sqrt();
    assert!(average.abs() < 0.2, "mean {average} dB");
    assert!((deviation - 6.0).abs() < 0.15, "standard deviation {deviation} dB");
    // 100 m to 250 m cost 15.9 dB: 0.4 % of the links are below.
    let lost = levels.iter().filter(|x| **x < -15.9).count();
    assert!((15..80).contains(&lost), "{lost} links lost");
}

#[test]
fn shadowing_reaches_beyond_the_ranges_and_another_seed_is_another_field() {
    let mut stream = Stream::derive(8, 0, 0, Purpose::Placement);
    let positions: Vec<[f64; 2]> = (0..200).map(|_| [stream.uniform() * 3000.0, stream.uniform() * 3000.0]).collect();
    let shadowed = RadioConfig { shadowing: Shadowing::Static, shadowing_sigma: 6.0, ..radio() };
    let sensed = |seed| {
        let medium = Medium::seeded(&positions, &shadowed, seed);
        let all: Vec<(u32, u32)> = ends(&medium);
        assert!(all.iter().all(|&(a, b)| all.contains(&(b, a))), "every link has two directions");
        all
    };
    let (one, two) = (sensed(1), sensed(2));
    assert_ne!(one, two);
    let distance = |(a, b): (u32, u32)| {
        let (p, q) = (positions[a as usize], positions[b as usize]);
        (p[0] - q[0]).hypot(p[1] - q[1])
    };
    assert!(one.iter().any(|&link| distance(link) > 600.0), "lucky links are longer than the sense range");
    let short = positions.len() * (positions.len() - 1);
    let missing = (0..short)
        .map(|n| ((n / 199) as u32, (n % 199) as u32))
        .filter(|&(a, b)| a != b && distance((a, b)) < 500.0 && !one.contains(&(a, b)))
        .count();
    assert!(missing > 0, "unlucky links are shorter");
    // The draws of a link do not depend on who else is there.
    let fewer = Medium::seeded(&positions[..50], &shadowed, 1);
    let among: Vec<(u32, u32)> = one.iter().copied().filter(|&(a, b)| a < 50 && b < 50).collect();
    assert_eq!(ends(&fewer), among);
}

/// What may happen to a network.
#[derive(Debug, Clone)]
enum Change {
    Move(u32, [f64; 2]),
    Power(u32, f64),
    Ask(u32),
}

fn change(nodes: u32) -> impl Strategy<Value = Change> {
    let place = [-2_000.0..4_000.0, -500.0..1_500.0];
    prop_oneof![
        4 => (0..nodes, place).prop_map(|(node, to)| Change::Move(node, to)),
        1 => (0..nodes, prop_oneof![Just(1.0), Just(0.1), 0.01..6.0f64]).prop_map(|(node, gain)| Change::Power(node, gain)),
        3 => (0..nodes).prop_map(Change::Ask),
    ]
}

proptest! {
    #![proptest_config(property(300))]

    #[test]
    fn after_any_changes_the_links_are_those_of_a_medium_made_anew(
        changes in proptest::collection::vec(change(24), 1..60),
        shadowing in prop_oneof![Just(Shadowing::None), Just(Shadowing::Static)],
        log_distance in any::<bool>(),
    ) {
        let radio = RadioConfig {
            shadowing,
            propagation: if log_distance { Propagation::LogDistance } else { Propagation::TwoRay },
            ..RadioConfig::default()
        };
        let mut stream = Stream::derive(9, 0, 0, Purpose::Placement);
        let mut positions: Vec<[f64; 2]> = (0..24).map(|_| [stream.uniform() * 1_500.0, stream.uniform() * 600.0]).collect();
        let places: Arc<[u32]> = (0..24).rev().collect();
        let mut powers = [radio.tx_power; 24];
        let make = |positions: &[[f64; 2]], powers: &[f64]| {
            let mut medium = Medium::seeded(positions, &radio, 4);
            medium.place(places.clone());
            for (node, &watts) in powers.iter().enumerate().filter(|(_, watts)| **watts != radio.tx_power) {
                medium.set_power(NodeId(node as u32), watts);
            }
            medium
        };
        let mut medium = make(&positions, &powers);
        for change in changes {
            match change {
                Change::Move(node, to) => {
                    medium.move_node(NodeId(node), to, Time::ZERO);
                    positions[node as usize] = to;
                }
                Change::Power(node, gain) => {
                    powers[node as usize] = gain * radio.tx_power;
                    medium.set_power(NodeId(node), powers[node as usize]);
                }
                Change::Ask(node) => {
                    medium.refresh(NodeId(node), Time::ZERO);
                    let anew = make(&positions, &powers);
                    prop_assert_eq!(medium.hearers(NodeId(node)), anew.hearers(NodeId(node)));
                }
            }
        }
        medium.refresh_all(Time::ZERO);
        let anew = make(&positions, &powers);
        for node in 0..24 {
            prop_assert_eq!(medium.hearers(NodeId(node)), anew.hearers(NodeId(node)));
        }
    }
}

#[test]
fn a_list_is_made_again_only_where_something_near_has_changed() {
    // Two groups far from each other.
    let positions: Vec<[f64; 2]> =
        (0..40).map(|n| [f64::from(n % 20) * 50.0 + f64::from(n / 20) * 20_000.0, 0.0]).collect();
    let mut medium = Medium::new(&positions, &radio());
    (0..40).for_each(|node| medium.make_list(NodeId(node)));
    medium.refresh(NodeId(30), Time::ZERO);
    assert!(!medium.has_changed());
    let before = medium.hearers(NodeId(30)).as_ptr();
    medium.move_node(NodeId(3), [140.0, 30.0], Time::ZERO);
    assert!(medium.has_changed());
    // The first move looks at all cells anew, the next only at its own.
    medium.refresh_all(Time::ZERO);
    let made = |medium: &Medium, node: usize| medium.motion.as_ref().expect("it has moved").made[node];
    let counted = [made(&medium, 5), made(&medium, 30)];
    medium.move_node(NodeId(3), [150.0, 40.0], Time::ZERO);
    medium.refresh_all(Time::ZERO);
    assert_eq!([made(&medium, 5), made(&medium, 30)], [counted[0] + 1, counted[1]]);
    assert_eq!(medium.hearers(NodeId(30)).as_ptr(), before, "it lies where it lay");
}

#[test]
fn lists_that_grow_and_shrink_fill_no_more_than_twice_their_room() {
    let positions: Vec<[f64; 2]> = (0..60).map(|n| [f64::from(n) * 100.0, 0.0]).collect();
    let mut medium = Medium::new(&positions, &radio());
    (0..60).for_each(|node| medium.make_list(NodeId(node)));
    for n in 0..3_000u32 {
        medium.move_node(NodeId(n % 60), [f64::from(n * 7 % 60) * 100.0, f64::from(n % 5) * 60.0], Time::ZERO);
        medium.refresh_all(Time::ZERO);
    }
    let links: usize = (0..60).map(|n| medium.hearers(NodeId(n)).len()).sum();
    assert!(medium.lists.stored() <= 2 * links + 60, "{} places for {links} links", medium.lists.stored());
}

#[test]
fn a_louder_node_is_heard_farther_and_hears_as_before() {
    let mut medium = Medium::new(&[[0.0, 0.0], [400.0, 0.0], [900.0, 0.0]], &radio());
    let received = |medium: &Medium, node: u32| {
        medium.hearers(NodeId(node)).iter().map(|l| (l.to.0, l.flags & Arrival::DECODABLE)).collect::<Vec<_>>()
    };
    assert_eq!(received(&medium, 0), [(1, 0)]);
    // Twice the distance needs 12 dB under the fourth power.
    medium.set_power(NodeId(0), 16.01 * radio().tx_power);
    assert_eq!(received(&medium, 0), [(1, 1), (2, 0)]);
    assert_eq!(received(&medium, 1), [(0, 0), (2, 0)]);
    medium.set_power(NodeId(0), radio().tx_power);
    assert_eq!(received(&medium, 0), [(1, 0)]);
}

/// What the lists of a still network are, from all pairs: no cells, and nothing made by need.
fn all_pairs(positions: &[[f64; 2]], radio: &RadioConfig, seed: u64, places: &[u32]) -> Vec<Vec<Link>> {
    let law = Law::new(radio, seed);
    let of = |node: usize| {
        let away = |other: usize| (squared(positions[node], positions[other]), other as u32);
        let mut near: Vec<_> = (0..positions.len()).filter(|&other| other != node).map(away).collect();
        near.sort_by(|one, other| one.partial_cmp(other).expect("distances are finite"));
        let within = near.into_iter().filter(|(squared, _)| *squared <= law.full.reach * law.full.reach);
        within.filter_map(|at| law.link(node, at, 1.0, Some(places))).collect()
    };
    (0..positions.len()).map(of).collect()
}

/// Some radios: each propagation, with shadowing and interference far beyond the ranges.
fn any_radio() -> impl Strategy<Value = RadioConfig> {
    let propagations = prop_oneof![Just(Propagation::TwoRay), Just(Propagation::LogDistance), Just(Propagation::Friis)];
    (propagations, any::<bool>(), any::<bool>(), 50.0..500.0f64).prop_map(|(propagation, shadowed, narrow, range)| {
        let shadowing = if shadowed { Shadowing::Static } else { Shadowing::None };
        let plain = RadioConfig { propagation, shadowing, tx_range: range, ..RadioConfig::default() };
        if narrow { RadioConfig { cs_range: range, interference_range: range, ..plain } } else { plain }
    })
}

/// A field of nodes, a few of which are at the same place or as far from others.
fn any_field() -> impl Strategy<Value = Vec<[f64; 2]>> {
    let free = [0.0..1_500.0, 0.0..900.0];
    let lattice = [0..8u32, 0..5u32].prop_map(|at| at.map(|n| f64::from(n) * 150.0));
    proptest::collection::vec(prop_oneof![free, lattice], 1..40)
}

/// The next change of a medium or question to it, for two of them alike.
#[derive(Debug, Clone)]
enum Step {
    Jump(u32, [f64; 2]),
    Power(u32, f64),
    Part([u32; 2], f64),
    Traced([u32; 2], Option<f64>),
    Alone(bool),
    Leg(u32, [f64; 2], f64),
    Ask(u32),
}

fn step() -> impl Strategy<Value = Step> {
    let (node, place) = (0..40u32, [-500.0..2_000.0, -500.0..1_500.0]);
    let ends = || [0..40u32, 0..40u32].prop_filter("two ends", |[a, b]| a != b);
    prop_oneof![
        3 => (node.clone(), place.clone()).prop_map(|(node, to)| Step::Jump(node, to)),
        1 => (node.clone(), 0.01..4.0f64).prop_map(|(node, gain)| Step::Power(node, gain)),
        1 => (ends(), prop_oneof![Just(1.0), Just(0.0), 0.0..1.0f64]).prop_map(|(ends, part)| Step::Part(ends, part)),
        1 => (ends(), proptest::option::of(1e-12..1e-8f64)).prop_map(|(ends, watts)| Step::Traced(ends, watts)),
        1 => any::<bool>().prop_map(Step::Alone),
        2 => (node.clone(), place, 1.0..30.0f64).prop_map(|(node, to, speed)| Step::Leg(node, to, speed)),
        6 => node.prop_map(Step::Ask),
    ]
}

/// What happens before one question at an instant.
fn apply(medium: &mut Medium, step: &Step, power: f64, now: Time) {
    match *step {
        Step::Jump(node, to) => medium.move_node(NodeId(node), to, now),
        Step::Power(node, gain) => medium.set_power(NodeId(node), gain * power),
        Step::Part(ends, part) => medium.set_part(ends.map(NodeId), part),
        Step::Traced([from, to], watts) => medium.apply_traced(&[(NodeId(from), NodeId(to), watts)]),
        Step::Alone(alone) => medium.follow_traces(alone),
        Step::Leg(node, to, speed) => {
            let leg = Leg::at_speed(now, medium.position(NodeId(node), now), to, speed);
            medium.set_leg(NodeId(node), leg, now);
        }
        Step::Ask(node) => medium.refresh(NodeId(node), now),
    }
}

proptest! {
    #![proptest_config(property(300))]

    #[test]
    fn lists_made_by_need_are_those_of_all_pairs(
        positions in any_field(),
        radio in any_radio(),
        asked in proptest::collection::vec((0..40usize, 0..4u32, any::<u64>()), 1..60),
        is_placed in any::<bool>(),
    ) {
        let nodes = positions.len();
        let places: Arc<[u32]> = if is_placed { (0..nodes as u32).rev().collect() } else { (0..nodes as u32).collect() };
        let expected = all_pairs(&positions, &radio, 6, &places);
        let mut medium = Medium::seeded(&positions, &radio, 6);
        if is_placed {
            // Some lists are there when the places become known.
            asked.iter().step_by(3).for_each(|&(node, ..)| medium.make_list(NodeId((node % nodes) as u32)));
            medium.place(places);
        }
        for (node, question, among) in asked {
            let (node, counts) = (node % nodes, |other: NodeId| among >> other.0 & 1 == 1);
            let (expected, node) = (&expected[node], NodeId(node as u32));
            match question {
                0 => prop_assert_eq!(medium.hearers(node), &expected[..]),
                1 => prop_assert_eq!(medium.count_hearers(node), expected.len()),
                2 => {
                    let mut links = Vec::new();
                    medium.hearers_among(node, counts, &mut links);
                    let expected: Vec<Link> = expected.iter().filter(|link| counts(link.to)).copied().collect();
                    prop_assert_eq!(links, expected);
                }
                _ => {
                    let decodes = |link: &&Link| link.flags & Arrival::DECODABLE != 0 && counts(link.to);
                    prop_assert_eq!(medium.nearest(node, counts), expected.iter().find(decodes).map(|link| link.to));
                }
            }
        }
    }

    #[test]
    fn lists_made_by_need_among_changing_nodes_are_those_made_at_the_beginning(
        places in proptest::collection::vec([0.0..1_500.0, 0.0..900.0f64], 40),
        radio in any_radio(),
        steps in proptest::collection::vec((step(), 0..300_000_000u64), 1..80),
    ) {
        let mut late = Medium::seeded(&places, &radio, 6);
        let mut early = Medium::seeded(&places, &radio, 6);
        (0..40).for_each(|node| early.make_list(NodeId(node)));
        let mut now = Time::ZERO;
        for (step, pause) in steps {
            now = Time(now.0 + pause);
            [&mut late, &mut early].into_iter().for_each(|medium| apply(medium, &step, radio.tx_power, now));
            if let Step::Ask(node) = step {
                prop_assert_eq!(late.hearers(NodeId(node)), early.hearers(NodeId(node)));
                prop_assert_eq!(late.count_hearers(NodeId(node)), early.count_hearers(NodeId(node)));
            }
        }
    }
}

#[test]
fn in_a_crowd_only_those_who_send_have_lists() {
    let positions: Vec<[f64; 2]> = (0..400).map(|n| [f64::from(n % 20) * 5.0, f64::from(n / 20) * 5.0]).collect();
    let medium = Medium::new(&positions, &radio());
    assert_eq!((medium.hearers(NodeId(7)).len(), medium.hearers(NodeId(8)).len()), (399, 399));
    let mut among = Vec::new();
    medium.hearers_among(NodeId(9), |other| other.0 < 10, &mut among);
    assert_eq!((among.len(), medium.count_hearers(NodeId(10))), (9, 399));
    assert_eq!(medium.nearest(NodeId(11), |other| other.0 % 2 == 0), Some(NodeId(10)));
    assert_eq!(medium.lists.stored(), 2 * 399);
}
