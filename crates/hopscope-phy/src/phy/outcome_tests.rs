//! The outcome of every frame, and the frame at fault, in the three models of interference.

use super::{AnyRules, Arrival, Edge, Radio, RadioRules, RxOutcome};
use crate::config::RadioConfig;
use crate::config::radio::{CaptureRule, ErrorKind, Interference, Undecodable};
use hopscope_core::units::Time;

const NEAR: u8 = Arrival::FOR_ME | Arrival::DECODABLE | Arrival::SENSED | Arrival::INTERFERES;
const FAR: u8 = Arrival::SENSED | Arrival::INTERFERES;
const P: f32 = 1e-9;

fn rules(interference: Interference, change: impl FnOnce(&mut RadioConfig)) -> RadioRules {
    let mut radio = RadioConfig { interference, ..RadioConfig::default() };
    change(&mut radio);
    RadioRules::new(&radio)
}

/// A frame in a slot, from a start to an end, with a power in units of `P`. Mode 1 (2 Mbit/s) needs 7 dB.
fn frame(slot: u32, start: u64, end: u64, power: f32, flags: u8) -> Arrival {
    Arrival { start: Time(start), end: Time(end), nav: 0, power: power * P, slot, flags, mode: 1 }
}

/// What becomes of each frame, in the order of their ends; the own transmitter is on from `send.0` to `send.1`.
/// A radio that is asked notes the same of frames for others.
fn outcomes(rules: &RadioRules, arrivals: &[Arrival], send: Option<(u64, u64)>) -> Vec<(u32, RxOutcome)> {
    let own = outcomes_at(Radio::default(), rules, arrivals, send);
    let for_others = |a: &Arrival| Arrival { flags: a.flags & !Arrival::FOR_ME, ..*a };
    let others: Vec<Arrival> = arrivals.iter().map(for_others).collect();
    let mut asked = Radio::default();
    asked.note_all();
    let overheard = outcomes_at(asked, rules, &others, send);
    for ((slot, outcome), &(_, own)) in overheard.iter().zip(&own) {
        let is_decodable = arrivals.iter().any(|a| a.slot == *slot && a.flags & Arrival::DECODABLE != 0);
        assert!(*outcome == own || !is_decodable, "slot {slot}: {outcome:?} overheard, {own:?} as its own");
    }
    own
}

fn outcomes_at(
    mut radio: Radio<()>,
    rules: &RadioRules,
    arrivals: &[Arrival],
    send: Option<(u64, u64)>,
) -> Vec<(u32, RxOutcome)> {
    let mut waiting: Vec<Arrival> = arrivals.to_vec();
    let mut ends: Vec<(Time, u32)> = arrivals.iter().map(|a| (a.end, a.slot)).collect();
    waiting.sort_by_key(|a| a.start);
    ends.sort();
    let mut received = Vec::new();
    let apply = |radio: &mut Radio, until: Time, received: &mut Vec<u32>| {
        while let Some(edge) = radio.next_edge::<AnyRules>(until, rules) {
            if let Edge::RxOk { slot, .. } = edge {
                received.push(slot);
            }
        }
    };
    waiting.iter().for_each(|a| radio.post(a));
    let mut send = send;
    let mut result = Vec::new();
    for (end, slot) in ends {
        if let Some((start, until)) = send.filter(|(start, _)| Time(*start) < end) {
            apply(&mut radio, Time(start), &mut received);
            radio.begin_tx(Time(until));
            send = None;
        }
        apply(&mut radio, end, &mut received);
        let is_received = received.contains(&slot);
        assert!(!is_received || radio.noted(slot, end).is_none(), "slot {slot} was received");
        result.push((slot, if is_received { RxOutcome::Received } else { radio.outcome(slot, end) }));
    }
    result
}

const MODELS: [Interference; 3] = [Interference::Capture, Interference::Range, Interference::Sinr];

#[test]
fn undisturbed_frames_are_received_and_undecodable_ones_out_of_reach() {
    for model in MODELS {
        let found =
            outcomes(&rules(model, |_| ()), &[frame(0, 100, 200, 9.0, NEAR), frame(2, 300, 400, 1.0, FAR)], None);
        assert_eq!(found, [(0, RxOutcome::Received), (2, RxOutcome::OutOfReach)], "{model:?}");
        let locks = rules(model, |r| r.undecodable = Undecodable::Locks);
        assert_eq!(outcomes(&locks, &[frame(2, 300, 400, 1.0, FAR)], None), [(2, RxOutcome::OutOfReach)], "{model:?}");
    }
}

#[test]
fn a_frame_during_the_own_transmission_is_not_heard() {
    for model in MODELS {
        let rules = rules(model, |_| ());
        let frames = [frame(0, 200, 400, 9.0, NEAR)];
        for send in [(100, 300), (100, 500), (300, 350), (300, 500)] {
            assert_eq!(outcomes(&rules, &frames, Some(send)), [(0, RxOutcome::Deaf)], "{model:?} {send:?}");
        }
        assert_eq!(outcomes(&rules, &frames, Some((100, 200))), [(0, RxOutcome::Received)], "{model:?}");
    }
}

#[test]
fn a_channel_error_is_reported_from_a_collision() {
    for model in MODELS {
        let rules = rules(model, |_| ());
        let errored = frame(0, 100, 200, 9.0, NEAR | Arrival::ERRORED);
        assert_eq!(outcomes(&rules, &[errored], None), [(0, RxOutcome::Errored)], "{model:?}");
    }
    // The same where frames alone on the air are taken at once.
    let (rules, mut radio) = (rules(Interference::Capture, |_| ()), Radio::<()>::default());
    radio.post(&frame(0, 100, 200, 9.0, NEAR | Arrival::ERRORED));
    assert!(radio.lone_frame::<AnyRules>(Time(200), &rules).is_some_and(|frame| frame.flags & Arrival::ERRORED != 0));
    radio.note_errored();
    assert_eq!(radio.outcome(0, Time(200)), RxOutcome::Errored);
}

#[test]
fn frames_of_equal_power_collide_and_name_each_other() {
    for model in [Interference::Capture, Interference::Range] {
        let rules = rules(model, |_| ());
        for end in [300, 500] {
            let found = outcomes(&rules, &[frame(0, 100, 400, 1.0, NEAR), frame(4, 200, end, 1.0, NEAR)], None);
            let mut expected = [(0, RxOutcome::Collided { by: 4 }), (4, RxOutcome::Collided { by: 0 })];
            if end == 300 {
                expected.reverse();
            }
            assert_eq!(found, expected, "{model:?}, second until {end}");
        }
        // What was on the air before and holds no receiver is at fault as well.
        let found = outcomes(&rules, &[frame(4, 100, 300, 1.0, FAR), frame(0, 200, 400, 5.0, NEAR)], None);
        assert_eq!(found, [(4, RxOutcome::OutOfReach), (0, RxOutcome::Collided { by: 4 })], "{model:?}");
    }
    // Under the additive model the first is too weak against the second, which finds the receiver held.
    let sinr = rules(Interference::Sinr, |_| ());
    let found = outcomes(&sinr, &[frame(0, 100, 400, 1.0, NEAR), frame(4, 200, 500, 1.0, NEAR)], None);
    assert_eq!(found, [(0, RxOutcome::TooWeak { by: Some(4) }), (4, RxOutcome::Missed { by: 0 })]);
    let found = outcomes(&sinr, &[frame(4, 100, 300, 1.0, FAR), frame(0, 200, 400, 4.0, NEAR)], None);
    assert_eq!(found, [(4, RxOutcome::OutOfReach), (0, RxOutcome::TooWeak { by: Some(4) })]);
}

#[test]
fn the_first_frame_at_fault_is_named() {
    let rules = rules(Interference::Capture, |_| ());
    let found = outcomes(
        &rules,
        &[frame(0, 100, 400, 1.0, NEAR), frame(4, 200, 300, 1.0, FAR), frame(6, 320, 350, 1.0, NEAR)],
        Some((380, 390)),
    );
    assert_eq!(found[1..], [(6, RxOutcome::Collided { by: 0 }), (0, RxOutcome::Collided { by: 4 })]);
}

#[test]
fn a_stronger_frame_takes_the_receiver_over() {
    let frames = [frame(0, 100, 400, 1.0, NEAR), frame(4, 200, 300, 20.0, NEAR)];
    for model in [Interference::Capture, Interference::Sinr] {
        let strongest = rules(model, |_| ());
        assert_eq!(
            outcomes(&strongest, &frames, None),
            [(4, RxOutcome::Received), (0, RxOutcome::Captured { by: 4 })],
            "{model:?}"
        );
    }
    let first = rules(Interference::Capture, |r| r.capture_rule = CaptureRule::FirstComes);
    assert_eq!(
        outcomes(&first, &frames, None),
        [(4, RxOutcome::Collided { by: 0 }), (0, RxOutcome::Collided { by: 4 })]
    );
}

#[test]
fn nothing_is_kept_of_frames_for_others() {
    for (flags, kept) in [(NEAR, 2), (NEAR & !Arrival::FOR_ME, 0)] {
        let (rules, mut radio) = (rules(Interference::Capture, |_| ()), Radio::<()>::default());
        [frame(0, 100, 300, 1.0, flags), frame(4, 200, 400, 1.0, flags)].iter().for_each(|a| radio.post(a));
        while radio.next_edge::<AnyRules>(Time(300), &rules).is_some() {}
        assert_eq!(radio.rest.failed_receptions.len(), kept);
    }
}

#[test]
fn a_weaker_frame_misses_a_receiver_that_another_holds() {
    let frames = [frame(0, 100, 400, 20.0, NEAR), frame(4, 200, 300, 1.0, NEAR)];
    for model in [Interference::Capture, Interference::Sinr] {
        let rules = rules(model, |_| ());
        assert_eq!(
            outcomes(&rules, &frames, None),
            [(4, RxOutcome::Missed { by: 0 }), (0, RxOutcome::Received)],
            "{model:?}"
        );
    }
    let mut outside = frames;
    outside[1].flags = NEAR & !Arrival::INTERFERES;
    let range = rules(Interference::Range, |_| ());
    assert_eq!(outcomes(&range, &outside, None), [(4, RxOutcome::Missed { by: 0 }), (0, RxOutcome::Received)]);
}

#[test]
fn noise_alone_names_nobody_and_the_strongest_interferer_is_named() {
    // A floor of -64 dBm is 0.4 P: too much for 7 dB.
    let noisy = rules(Interference::Sinr, |r| r.noise_floor = -64.0);
    assert_eq!(outcomes(&noisy, &[frame(0, 100, 200, 1.0, NEAR)], None), [(0, RxOutcome::TooWeak { by: None })]);
    let quiet = |kind| {
        rules(Interference::Sinr, |r| {
            r.error_kind = kind;
            r.capture_threshold = 1e9;
        })
    };
    // The second and third are too weak to spoil it one by one at 7 dB; together they do. Under the error rate all four
    // are more than any frame survives.
    let frames = [
        frame(0, 1_000, 10_000_000, 10.0, NEAR),
        frame(2, 2_000, 9_000_000, 1.4, FAR),
        frame(4, 3_000, 9_000_000, 1.0, FAR),
    ];
    assert_eq!(outcomes(&quiet(ErrorKind::None), &frames, None)[2], (0, RxOutcome::TooWeak { by: Some(2) }));
    let drowned = [frames[0], frame(2, 2_000, 9_000_000, 90.0, FAR), frame(4, 3_000, 9_000_000, 100.0, FAR)];
    assert_eq!(outcomes(&quiet(ErrorKind::Sinr), &drowned, None)[2], (0, RxOutcome::TooWeak { by: Some(4) }));
}

#[test]
fn failed_receptions_are_forgotten_once_their_frames_have_ended() {
    let rules = rules(Interference::Capture, |_| ());
    let mut radio = Radio::<()>::default();
    for n in 0..1_000u64 {
        let start = 1_000 * n;
        radio.post(&frame(0, start + 100, start + 400, 1.0, NEAR));
        radio.post(&frame(4, start + 200, start + 500, 1.0, NEAR));
        while radio.next_edge::<AnyRules>(Time(start + 900), &rules).is_some() {}
        assert_eq!(radio.outcome(0, Time(start + 400)), RxOutcome::Collided { by: 4 });
    }
    assert!(radio.rest.failed_receptions.len() <= 4, "{}", radio.rest.failed_receptions.len());
}
