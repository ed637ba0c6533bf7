//! The additive receiver: capture and rates, preambles that must be found, and sums of power that keep the medium busy.

use super::{AnyRules, Arrival, Edge, Radio, RadioRules, RxOutcome};
use crate::config::RadioConfig;
use crate::config::radio::{ErrorKind, Interference, Synchronization};
use crate::phy::modes::Mode;
use hopscope_core::units::Time;

const NEAR: u8 = Arrival::FOR_ME | Arrival::DECODABLE | Arrival::SENSED | Arrival::INTERFERES;
const FAR: u8 = Arrival::SENSED | Arrival::INTERFERES;
const UNSENSED: u8 = 0;
const P: f32 = 1e-9;

fn rules(change: impl FnOnce(&mut RadioConfig)) -> RadioRules {
    let mut radio = RadioConfig { interference: Interference::Sinr, ..RadioConfig::default() };
    change(&mut radio);
    RadioRules::new(&radio)
}

/// Preambles looked at for 4 us, that need 4 dB; then the error rate decides.
fn preambles() -> RadioRules {
    rules(|r| {
        r.synchronization = Synchronization::Preamble;
        r.error_kind = ErrorKind::Sinr;
    })
}

/// A frame at a rate in a slot, from a start to an end in microseconds, with a power in units of `P`.
fn at_rate(rate: u64, slot: u32, start: u64, end: u64, power: f32, flags: u8) -> Arrival {
    let mode = Mode::of(rate).expect("a rate").number();
    Arrival { start: Time(start * 1_000), end: Time(end * 1_000), nav: 0, power: power * P, slot, flags, mode }
}

fn frame(slot: u32, start: u64, end: u64, power: f32, flags: u8) -> Arrival {
    at_rate(2_000_000, slot, start, end, power, flags)
}

/// What a radio reports: the slots received, and the instants (in microseconds) at which something was lost.
fn receive_all(radio: &mut Radio, rules: &RadioRules) -> (Vec<u32>, Vec<u64>) {
    let (mut received, mut lost) = (Vec::new(), Vec::new());
    while let Some(edge) = radio.next_edge::<AnyRules>(Time(1_000_000_000), rules) {
        match edge {
            Edge::RxOk { slot, .. } => received.push(slot),
            Edge::RxBad { at } => lost.push(at.0 / 1_000),
            Edge::Busy { .. } | Edge::Ignored { .. } | Edge::Silent | Edge::Deaf => {}
        }
    }
    (received, lost)
}

fn outcome(rules: &RadioRules, arrivals: &[Arrival]) -> (Vec<u32>, Vec<u64>) {
    let mut radio = Radio::default();
    arrivals.iter().for_each(|a| radio.post(a));
    receive_all(&mut radio, rules)
}

#[test]
fn a_frame_that_takes_the_receiver_over_needs_the_ratio_of_its_rate() {
    let rules = rules(|_| ());
    // 12.4 dB are enough to capture and for 11 Mbit/s (12 dB), not for 54 Mbit/s (26 dB).
    let with = |rate, power| {
        let frames = [frame(0, 100, 900, 1.0, NEAR), at_rate(rate, 2, 200, 600, power, NEAR)];
        let mut radio = Radio::default();
        frames.iter().for_each(|a| radio.post(a));
        (receive_all(&mut radio, &rules), radio.outcome(2, Time(600_000)))
    };
    let db = |db: f32| 10f32.powf(db / 10.0);
    assert_eq!(with(11_000_000, db(12.4)).0, (vec![2], vec![]));
    assert_eq!(with(54_000_000, db(12.4)), ((vec![], vec![600]), RxOutcome::TooWeak { by: Some(0) }));
    assert_eq!(with(54_000_000, db(26.1)).0, (vec![2], vec![]));
}

#[test]
fn of_two_preambles_the_stronger_is_found_from_4_db_on() {
    let rules = preambles();
    let with = |db: f32| {
        let power = 10f32.powf(db / 10.0);
        [
            outcome(&rules, &[frame(0, 100, 1_100, power, NEAR), frame(2, 101, 1_101, 1.0, NEAR)]),
            outcome(&rules, &[frame(2, 100, 1_100, 1.0, NEAR), frame(0, 103, 1_103, power, NEAR)]),
        ]
    };
    for found in with(4.09) {
        assert_eq!(found, (vec![0], vec![]));
    }
    for found in with(3.92) {
        assert_eq!(found, (vec![], vec![]), "nothing was locked, so nothing ends in error");
    }
}

#[test]
fn a_receiver_that_let_a_preamble_go_is_free() {
    let frames = [frame(0, 100, 2_000, 1.0, NEAR), frame(2, 101, 2_000, 1.0, NEAR), frame(4, 110, 900, 100.0, NEAR)];
    assert_eq!(outcome(&preambles(), &frames), (vec![4], vec![]));
    let mut radio = Radio::default();
    frames.iter().for_each(|a| radio.post(a));
    receive_all(&mut radio, &preambles());
    assert_eq!(radio.outcome(0, Time(2_000_000)), RxOutcome::TooWeak { by: Some(2) });
    assert_eq!(radio.outcome(2, Time(2_000_000)), RxOutcome::Missed { by: 0 });
}

#[test]
fn a_frame_that_is_locked_is_kept_to_its_end() {
    // 5 us later the preamble has been found: the stronger frame only destroys.
    let found = |start| outcome(&preambles(), &[frame(0, 100, 1_100, 1.0, NEAR), frame(2, start, 900, 100.0, NEAR)]);
    assert_eq!(found(105), (vec![], vec![1_100]));
    assert_eq!(found(103), (vec![2], vec![]));
    // In the preamble of the first, after the lock, it does no harm: no bits are sent there.
    let short = [frame(0, 100, 1_100, 1.0, NEAR), frame(2, 110, 200, 100.0, FAR)];
    assert_eq!(outcome(&preambles(), &short), (vec![0], vec![]));
}

#[test]
fn a_frame_whose_start_fell_into_the_own_transmission_is_noise_to_its_end() {
    let rules = preambles();
    let mut radio = Radio::default();
    radio.begin_tx(Time(300_000));
    radio.post(&frame(0, 200, 2_000, 1.0, NEAR));
    radio.post(&frame(2, 400, 900, 2.0, NEAR));
    radio.post(&frame(4, 1_000, 1_900, 100.0, NEAR));
    assert_eq!(receive_all(&mut radio, &rules), (vec![4], vec![]), "2 against 1 is less than 4 dB");
    // The own transmission may begin while a preamble is looked at: it ends the look.
    let mut radio = Radio::default();
    radio.post(&frame(0, 200, 900, 1.0, NEAR));
    assert_eq!(radio.next_edge::<AnyRules>(Time(203_000), &rules), Some(Edge::Busy { at: Time(200_000) }));
    radio.begin_tx(Time(400_000));
    assert_eq!(receive_all(&mut radio, &rules), (vec![], vec![]));
    assert_eq!(radio.outcome(0, Time(900_000)), RxOutcome::Deaf);
}

#[test]
fn powers_that_cannot_be_sensed_alone_keep_the_medium_busy_together() {
    let with = |power: Option<f64>| {
        let mut rules = rules(|_| ());
        rules.busy_power = power;
        let mut radio = Radio::<()>::default();
        radio.post(&frame(0, 100, 900, 0.6, UNSENSED));
        radio.post(&frame(2, 200, 700, 0.6, UNSENSED));
        let edges: Vec<Edge> = std::iter::from_fn(|| radio.next_edge::<AnyRules>(Time(300_000), &rules)).collect();
        (edges, radio.carrier_until())
    };
    assert_eq!(with(None), (vec![Edge::Silent, Edge::Silent], Time(0)));
    let busy = vec![Edge::Silent, Edge::Busy { at: Time(200_000) }];
    assert_eq!(with(Some(1e-9)), (busy, Time(700_000)));
}

#[test]
fn a_reception_keeps_the_medium_busy_whatever_its_energy() {
    let mut preambles = preambles();
    preambles.busy_power = Some(1.0);
    let mut radio = Radio::<()>::default();
    radio.post(&frame(0, 100, 900, 1.0, NEAR));
    radio.post(&frame(2, 300, 1_500, 0.1, NEAR));
    assert_eq!(radio.next_edge::<AnyRules>(Time(103_000), &preambles), Some(Edge::Busy { at: Time(100_000) }));
    assert_eq!(radio.carrier_until(), Time(104_000), "as long as the preamble is looked at");
    while radio.next_edge::<AnyRules>(Time(500_000), &preambles).is_some() {}
    assert_eq!(radio.carrier_until(), Time(900_000), "the other is too weak to be sensed beyond that");
    // A preamble that is not found leaves nothing.
    let mut radio = Radio::<()>::default();
    radio.post(&frame(0, 100, 900, 1.0, NEAR));
    radio.post(&frame(2, 102, 900, 1.0, NEAR));
    while radio.next_edge::<AnyRules>(Time(500_000), &preambles).is_some() {}
    assert_eq!(radio.carrier_until(), Time(104_000));
}
