//! What one radio makes of overlapping frames, rule by rule.
//!
//! Powers are written as levels: `P` is a frame at the receive threshold's scale, 16 times that is a neighbour at half
//! the distance under the fourth-power law.

use proptest::prelude::*;

use super::{AnyRules, Arrival, Begin, Edge, LoneFrame, Radio, RadioRules, error_rate};
use crate::config::RadioConfig;
use crate::config::radio::{
    CaptureRule, CckDetection, DuringTransmission, ErrorKind, IgnoredFrame, Interference, OfdmDecoding, Undecodable,
};
use hopscope_core::units::Time;
use hopscope_testing::property;

const NEAR: u8 = Arrival::DECODABLE | Arrival::SENSED | Arrival::INTERFERES;
const FAR: u8 = Arrival::SENSED | Arrival::INTERFERES;
const P: f32 = 1e-9;

fn rules(change: impl FnOnce(&mut RadioConfig)) -> RadioRules {
    let mut radio = RadioConfig::default();
    change(&mut radio);
    RadioRules::new(&radio)
}

fn frame(slot: u32, start: u64, end: u64, power: f32, flags: u8) -> Arrival {
    Arrival { start: Time(start), end: Time(end), nav: 0, power, slot, flags, mode: 1 }
}

fn announce(radio: &mut Radio, arrival: Arrival) {
    radio.post(&arrival);
}

/// Applies every edge and gives which air slots were received and at which instants something was lost.
fn outcome(rules: &RadioRules, arrivals: &[Arrival]) -> (Vec<u32>, Vec<u64>) {
    let mut radio = Radio::default();
    arrivals.iter().for_each(|&a| announce(&mut radio, a));
    receive_all(&mut radio, rules)
}

fn receive_all(radio: &mut Radio, rules: &RadioRules) -> (Vec<u32>, Vec<u64>) {
    let (mut received, mut lost) = (Vec::new(), Vec::new());
    while let Some(edge) = radio.next_edge::<AnyRules>(Time(1_000_000), rules) {
        match edge {
            Edge::RxOk { slot, .. } => received.push(slot),
            Edge::RxBad { at } => lost.push(at.0),
            Edge::Busy { .. } | Edge::Ignored { .. } | Edge::Silent | Edge::Deaf => {}
        }
    }
    (received, lost)
}

#[test]
fn a_frame_alone_is_received() {
    assert_eq!(outcome(&rules(|_| ()), &[frame(0, 100, 200, P, NEAR)]), (vec![0], vec![]));
}

#[test]
fn the_frame_that_came_first_survives_from_10_db_on() {
    for rule in [CaptureRule::FirstComes, CaptureRule::Strongest] {
        let rules = rules(|r| r.capture_rule = rule);
        let with =
            |second: f32| outcome(&rules, &[frame(0, 100, 300, 16.0 * P, NEAR), frame(1, 200, 250, second, NEAR)]);
        assert_eq!(with(1.6 * P), (vec![0], vec![]), "{rule:?}: exactly 10 dB");
        assert_eq!(with(1.7 * P), (vec![], vec![300]), "{rule:?}: less than 10 dB, both are lost");
    }
}

#[test]
fn a_later_stronger_frame_is_received_only_where_the_strongest_captures() {
    let arrivals = [frame(0, 100, 300, P, NEAR), frame(1, 200, 400, 10.0 * P, NEAR)];
    let first = rules(|r| r.capture_rule = CaptureRule::FirstComes);
    assert_eq!(outcome(&first, &arrivals), (vec![], vec![400]), "lost both, occupied until the later end");
    let strongest = rules(|r| r.capture_rule = CaptureRule::Strongest);
    assert_eq!(outcome(&strongest, &arrivals), (vec![1], vec![]));
}

#[test]
fn a_frame_that_lost_the_receiver_goes_on_disturbing() {
    // Slot 1 takes over from slot 0 and ends first; slot 2 then meets what is left of slot 0.
    let rules = rules(|r| r.capture_rule = CaptureRule::Strongest);
    let arrivals =
        |third: f32| [frame(0, 100, 900, P, NEAR), frame(1, 200, 300, 10.0 * P, NEAR), frame(2, 400, 500, third, NEAR)];
    assert_eq!(outcome(&rules, &arrivals(9.0 * P)), (vec![1], vec![500]));
    assert_eq!(outcome(&rules, &arrivals(10.0 * P)), (vec![1, 2], vec![]));
}

#[test]
fn a_collision_ends_with_its_later_frame() {
    let arrivals = [frame(0, 100, 500, P, NEAR), frame(1, 200, 300, P, NEAR)];
    assert_eq!(outcome(&rules(|_| ()), &arrivals), (vec![], vec![500]));
    let arrivals = [frame(0, 100, 500, P, NEAR), frame(1, 200, 800, P, NEAR)];
    assert_eq!(outcome(&rules(|_| ()), &arrivals), (vec![], vec![800]));
}

#[test]
fn back_to_back_frames_do_not_collide() {
    let arrivals = [frame(0, 100, 200, P, NEAR), frame(1, 200, 300, P, NEAR)];
    assert_eq!(outcome(&rules(|_| ()), &arrivals), (vec![0, 1], vec![]));
}

#[test]
fn an_ignored_frame_is_reported_or_only_keeps_the_carrier() {
    let arrivals = [frame(0, 100, 300, 16.0 * P, NEAR), frame(1, 200, 400, P, FAR)];
    for (rule, expected, carrier) in [
        (IgnoredFrame::NavEifs, Edge::Ignored { at: Time(200), end: Time(400) }, 300),
        (IgnoredFrame::CarrierSense, Edge::Busy { at: Time(200) }, 400),
    ] {
        let rules = rules(|r| r.ignored_frame = rule);
        let mut radio = Radio::default();
        arrivals.iter().for_each(|&a| announce(&mut radio, a));
        assert_eq!(radio.next_edge::<AnyRules>(Time(1_000), &rules), Some(Edge::Busy { at: Time(100) }));
        assert_eq!(radio.next_edge::<AnyRules>(Time(1_000), &rules), Some(expected));
        assert_eq!(radio.carrier_until(), Time(carrier), "{rule:?}");
        assert!(matches!(radio.next_edge::<AnyRules>(Time(1_000), &rules), Some(Edge::RxOk { slot: 0, .. })));
    }
}

#[test]
fn an_undecodable_frame_locks_the_receiver_or_only_raises_the_carrier() {
    let alone = [frame(0, 100, 500, P / 2.0, FAR)];
    let then_decodable = [alone[0], frame(1, 200, 300, 16.0 * P, NEAR)];
    let locks = rules(|r| {
        r.undecodable = Undecodable::Locks;
        r.capture_rule = CaptureRule::FirstComes;
    });
    assert_eq!(outcome(&locks, &alone), (vec![], vec![500]), "it ends in error");
    assert_eq!(outcome(&locks, &then_decodable), (vec![], vec![500]), "a stronger frame comes too late");
    let energy = rules(|r| r.undecodable = Undecodable::EnergyOnly);
    assert_eq!(outcome(&energy, &alone), (vec![], vec![]), "no error to wait after");
    assert_eq!(outcome(&energy, &then_decodable), (vec![1], vec![]));
    let mut radio = Radio::default();
    announce(&mut radio, alone[0]);
    assert_eq!(radio.next_edge::<AnyRules>(Time(101), &energy), Some(Edge::Busy { at: Time(100) }));
    assert_eq!(radio.carrier_until(), Time(500));
    assert_eq!(radio.receiving_until(), None);
}

#[test]
fn energy_on_the_air_counts_against_a_frame_that_comes_later() {
    let energy = rules(|r| r.undecodable = Undecodable::EnergyOnly);
    let with = |later: f32| outcome(&energy, &[frame(0, 100, 500, P, FAR), frame(1, 200, 300, later, NEAR)]);
    assert_eq!(with(9.0 * P), (vec![], vec![300]));
    assert_eq!(with(10.0 * P), (vec![1], vec![]));
}

#[test]
fn each_energy_counts_for_as_long_as_it_lasts() {
    let energy = rules(|_| ());
    let with = |later: f32, at: u64| {
        let weak = [frame(0, 100, 900, P, FAR), frame(2, 150, 300, 5.0 * P, FAR), frame(4, 160, 400, 2.0 * P, FAR)];
        outcome(&energy, &[weak[0], weak[1], weak[2], frame(6, at, 800, later, NEAR)])
    };
    assert_eq!(with(51.0 * P, 200), (vec![6], vec![]));
    assert_eq!(with(49.0 * P, 200), (vec![], vec![800]), "against the strongest");
    assert_eq!(with(21.0 * P, 350), (vec![6], vec![]), "the strongest has ended");
    assert_eq!(with(19.0 * P, 350), (vec![], vec![800]));
    assert_eq!(with(11.0 * P, 450), (vec![6], vec![]), "only the longest is left");
    assert_eq!(with(9.0 * P, 450), (vec![], vec![800]));
}

#[test]
fn nothing_is_heard_while_the_own_transmitter_is_on() {
    // The transmitter is on from 0 to 300: a frame inside is never noticed. One that reaches beyond is energy, or ends in
    // error where it locks.
    for model in [Interference::Capture, Interference::Range, Interference::Sinr] {
        for (rule, error) in [(DuringTransmission::EnergyOnly, vec![]), (DuringTransmission::Locks, vec![400])] {
            let rules = rules(|r| (r.interference, r.during_transmission) = (model, rule));
            for (start, end, lost) in [(100, 200, vec![]), (100, 400, error), (300, 400, vec![])] {
                let mut radio = Radio::default();
                radio.begin_tx(Time(300));
                announce(&mut radio, frame(0, start, end, P, NEAR));
                let (received, bad) = receive_all(&mut radio, &rules);
                assert_eq!(bad, lost, "{model:?} {rule:?}: frame {start}..{end}");
                assert_eq!(!received.is_empty(), start >= 300, "{model:?} {rule:?}: frame {start}..{end}");
                assert_eq!(radio.carrier_until(), Time(end), "{model:?} {rule:?}: frame {start}..{end}");
            }
        }
    }
}

#[test]
fn a_frame_that_began_unheard_disturbs_those_after_it() {
    let rules = rules(|_| ());
    for (power, received) in [(10.0 * P, vec![1]), (9.0 * P, vec![])] {
        let mut radio = Radio::default();
        radio.begin_tx(Time(300));
        announce(&mut radio, frame(0, 100, 500, P, NEAR));
        announce(&mut radio, frame(1, 350, 450, power, NEAR));
        assert_eq!(receive_all(&mut radio, &rules).0, received);
        assert_eq!(radio.carrier_until(), Time(500));
    }
}

#[test]
fn a_transmission_spoils_the_reception_under_way() {
    let rules = rules(|_| ());
    for (tx_end, lost) in [(200, vec![300]), (400, vec![])] {
        let mut radio = Radio::default();
        announce(&mut radio, frame(0, 100, 300, P, NEAR));
        assert_eq!(radio.next_edge::<AnyRules>(Time(150), &rules), Some(Edge::Busy { at: Time(100) }));
        radio.begin_tx(Time(tx_end));
        assert_eq!(receive_all(&mut radio, &rules), (vec![], lost), "transmitter on from 150 to {tx_end}");
    }
}

#[test]
fn within_interference_range_power_does_not_help() {
    let rules = rules(|r| r.interference = Interference::Range);
    let inside = [frame(0, 100, 300, 1e6 * P, NEAR), frame(1, 200, 250, P, FAR)];
    assert_eq!(outcome(&rules, &inside), (vec![], vec![300]));
    let outside = [inside[0], frame(1, 200, 250, P, Arrival::SENSED)];
    assert_eq!(outcome(&rules, &outside), (vec![0], vec![]));
}

#[test]
fn interference_range_is_the_same_for_frames_that_came_first() {
    let rules = rules(|r| r.interference = Interference::Range);
    let later = frame(1, 200, 300, P, NEAR);
    assert_eq!(outcome(&rules, &[frame(0, 100, 250, P, FAR), later]), (vec![], vec![300]));
    assert_eq!(outcome(&rules, &[frame(0, 100, 250, P, Arrival::SENSED), later]), (vec![1], vec![]));
}

#[test]
fn interferers_add_up_under_sinr() {
    // Mode 1 (2 Mbit/s) needs 7 dB, a factor of 5.01; the noise floor of -100 dBm is 1e-13 W.
    let rules = rules(|r| {
        r.interference = Interference::Sinr;
        r.capture_rule = CaptureRule::FirstComes;
    });
    let wanted = frame(0, 100, 900, 8.0 * P, NEAR);
    let one = frame(1, 200, 600, P, FAR);
    let other = frame(2, 400, 800, P, FAR);
    assert_eq!(outcome(&rules, &[wanted, one]), (vec![0], vec![]), "8 to 1");
    assert_eq!(outcome(&rules, &[wanted, one, other]), (vec![], vec![900]), "8 to 2");
    let after = frame(2, 600, 800, P, FAR);
    assert_eq!(outcome(&rules, &[wanted, one, after]), (vec![0], vec![]), "one after the other do not add");
}

#[test]
fn noise_alone_can_prevent_a_reception_under_sinr() {
    let rules = rules(|r| r.interference = Interference::Sinr);
    assert_eq!(outcome(&rules, &[frame(0, 100, 200, 5.1e-13, NEAR)]), (vec![0], vec![]));
    assert_eq!(outcome(&rules, &[frame(0, 100, 200, 4.9e-13, NEAR)]), (vec![], vec![200]));
}

#[test]
fn an_errored_copy_occupies_the_receiver_and_ends_in_error() {
    let rules = rules(|_| ());
    let errored = frame(0, 100, 200, P, NEAR | Arrival::ERRORED);
    assert_eq!(outcome(&rules, &[errored]), (vec![], vec![200]));
}

#[test]
fn edges_at_the_limit_ends_yes_starts_no() {
    let rules = rules(|_| ());
    let mut radio = Radio::default();
    announce(&mut radio, frame(0, 100, 200, P, NEAR));
    assert_eq!(radio.next_edge::<AnyRules>(Time(100), &rules), None, "what begins now is not heard yet");
    assert_eq!(radio.next_edge::<AnyRules>(Time(101), &rules), Some(Edge::Busy { at: Time(100) }));
    assert!(matches!(radio.next_edge::<AnyRules>(Time(200), &rules), Some(Edge::RxOk { at: Time(200), .. })));
}

// ---- frames taken at once against every edge walked ----------------------------------------------------------------

/// What a caller may do to a radio.
#[derive(Debug, Clone)]
enum Step {
    /// Look at the radio this much later.
    Inspect(u64),
    /// Send for this long.
    Send(u64),
    /// A frame begins this much later, lasting so long, at a power level, with flags.
    Frame(u64, u64, u8, u8),
}

fn step() -> impl Strategy<Value = Step> {
    let flags = prop_oneof![
        4 => Just(NEAR),
        2 => Just(NEAR | Arrival::FOR_ME),
        1 => Just(NEAR | Arrival::ERRORED),
        3 => Just(FAR),
        1 => Just(Arrival::SENSED),
    ];
    prop_oneof![
        3 => (0u64..60).prop_map(Step::Inspect),
        1 => (1u64..40).prop_map(Step::Send),
        4 => (0u64..40, 1u64..50, 0u8..24, flags).prop_map(|(in_, length, level, flags)| Step::Frame(in_, length, level, flags)),
    ]
}

/// Everything a station learns from its radio, in order.
#[derive(Debug, PartialEq)]
enum Learnt {
    Busy(u64),
    Ignored(u64, u64),
    Ok(u64, u32),
    Bad(u64),
    /// Carrier known to last until then, transmitter until then.
    State(u64, u64),
}

fn learn(steps: &[Step], rules: &RadioRules) -> Vec<Learnt> {
    let (mut radio, mut now, mut learnt) = (Radio::default(), 0, Vec::new());
    for (slot, step) in steps.iter().enumerate() {
        match *step {
            Step::Inspect(later) => now += later,
            Step::Send(length) => {
                inspect(&mut radio, now, rules, &mut learnt);
                if radio.tx_until() <= Time(now) {
                    radio.begin_tx(Time(now + length));
                }
            }
            Step::Frame(later, length, level, flags) => {
                let start = now + later;
                announce(&mut radio, frame(slot as u32, start, start + length, P * f32::from(level + 1), flags));
            }
        }
        inspect(&mut radio, now, rules, &mut learnt);
    }
    inspect(&mut radio, now + 1_000, rules, &mut learnt);
    learnt
}

fn inspect(radio: &mut Radio, now: u64, rules: &RadioRules, learnt: &mut Vec<Learnt>) {
    loop {
        if let Some(LoneFrame { start, end, slot, flags, .. }) = radio.lone_frame::<AnyRules>(Time(now), rules) {
            let has = |bit: u8| flags & bit != 0;
            if !radio.take_begun() && has(Arrival::SENSED) {
                learnt.push(Learnt::Busy(start.0));
            }
            if has(Arrival::SENSED) {
                radio.extend_carrier(end);
            }
            if has(Arrival::DECODABLE) && !has(Arrival::ERRORED) {
                learnt.push(Learnt::Ok(end.0, slot));
            } else if has(Arrival::DECODABLE) || (rules.undecodable_locks && has(Arrival::SENSED)) {
                learnt.push(Learnt::Bad(end.0));
            }
            radio.drop_first();
            continue;
        }
        match radio.begin_alone::<AnyRules>(Time(now), rules) {
            Begin::Crowded => {}
            Begin::Nothing => break,
            Begin::Busy { at, .. } => {
                learnt.push(Learnt::Busy(at.0));
                continue;
            }
        }
        match radio.next_edge::<AnyRules>(Time(now), rules) {
            Some(Edge::Busy { at }) => learnt.push(Learnt::Busy(at.0)),
            Some(Edge::Ignored { at, end }) => learnt.push(Learnt::Ignored(at.0, end.0)),
            Some(Edge::RxOk { at, slot, .. }) => learnt.push(Learnt::Ok(at.0, slot)),
            Some(Edge::RxBad { at }) => learnt.push(Learnt::Bad(at.0)),
            Some(Edge::Silent | Edge::Deaf) => {}
            None => break,
        }
    }
    learnt.push(Learnt::State(radio.carrier_until().0, radio.tx_until().0));
}

proptest! {
    #![proptest_config(property(2_000))]

    #[test]
    fn frames_taken_at_once_mean_the_same_as_their_edges(
        steps in proptest::collection::vec(step(), 1..40),
        range in any::<bool>(),
        first in any::<bool>(),
        locks in any::<bool>(),
        nav in any::<bool>(),
        deaf_locks in any::<bool>(),
    ) {
        let mut rules = rules(|r| {
            r.interference = if range { Interference::Range } else { Interference::Capture };
            r.capture_rule = if first { CaptureRule::FirstComes } else { CaptureRule::Strongest };
            r.undecodable = if locks { Undecodable::Locks } else { Undecodable::EnergyOnly };
            if deaf_locks {
                r.during_transmission = DuringTransmission::Locks;
            }
            r.ignored_frame = if nav { IgnoredFrame::NavEifs } else { IgnoredFrame::CarrierSense };
        });
        prop_assert!(rules.isolated);
        let at_once = learn(&steps, &rules);
        rules.isolated = false;
        let edge_by_edge = learn(&steps, &rules);
        // The two may notice the start of a frame at different looks: what counts is what is known once both have
        // applied everything up to the same instant, and the order in which it was learnt.
        let events = |l: &[Learnt]| l.iter().filter(|l| !matches!(l, Learnt::State(..))).map(|l| format!("{l:?}")).collect::<Vec<_>>();
        prop_assert_eq!(events(&at_once), events(&edge_by_edge));
        let last = |l: &[Learnt]| l.last().map(|l| format!("{l:?}"));
        prop_assert_eq!(last(&at_once), last(&edge_by_edge));
    }
}

#[test]
fn losses_from_the_ratio_follow_the_noise_and_the_time_of_the_interference() {
    // 12 ms at 2 Mbit/s, 144 us of preamble and 48 us of header in front.
    let power = 1e-9f32;
    let airtime = 12_192_000;
    let rules = |db: f64| {
        // Noise so many decibels below the signal.
        let noise_floor = 10.0 * (1e-9f64 / 1e-3).log10() - db;
        rules(|r| {
            (r.interference, r.error_kind, r.noise_floor) = (Interference::Sinr, ErrorKind::Sinr, noise_floor);
        })
    };
    let received = |rules: &RadioRules, other: Option<(u64, u64)>| {
        let runs = 4_000;
        let good = (0..runs).filter(|&run| {
            let mut radio: Radio = Radio::default();
            radio.name_draws(run);
            radio.post(&frame(0, 1_000, 1_000 + airtime, power, NEAR));
            if let Some((start, end)) = other {
                radio.post(&frame(2, start, end, power, FAR));
            }
            let mut ok = false;
            while let Some(edge) = radio.next_edge::<AnyRules>(Time(100_000_000), rules) {
                ok |= matches!(edge, Edge::RxOk { slot: 0, .. });
            }
            ok
        });
        good.count() as f64 / runs as f64
    };
    let plain = error_rate::Detection { cck: CckDetection::CodeWords, ofdm: OfdmDecoding::Hard };
    let chance = |bits: f64, sinr: f64| plain.log_success(super::modes::Mode::ALL[1], sinr, bits).exp();
    // 24,000 bits at 0.5 dB; the header is far safer.
    let expected = chance(24_000.0, 10f64.powf(0.05));
    assert!((0.1..0.9).contains(&expected), "{expected}");
    let found = received(&rules(0.5), None);
    assert!((found - expected).abs() < 0.03, "{found} received, expected {expected}");
    assert!(received(&rules(5.0), None) > 0.999 && received(&rules(-6.0), None) < 0.001);
    // A second frame of the same power in the middle of the frame: two bits at 0 dB for each microsecond of it.
    let quiet = rules(20.0);
    let sinr = 1.0 / (1.0 + 0.01);
    for micros in [0, 3_000, 9_000] {
        let expected = chance(micros as f64 * 2.0, sinr);
        let found = received(&quiet, Some((2_000_000, 2_000_000 + micros * 1_000 + 1)));
        assert!((found - expected).abs() < 0.03, "{micros} us: {found} received, expected {expected}");
    }
    // In the preamble it does no harm.
    assert_eq!(received(&quiet, Some((2_000, 140_000))), 1.0);
}
