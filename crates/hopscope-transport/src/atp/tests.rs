//! Exchanges between two ends over a path of 10 ms each way whose nodes write a delay into data, and random packets
//! thrown at one end.

use proptest::prelude::*;

use super::*;
use crate::config::{App, AtpConfig, FlowConfig, Transport};
use hopscope_core::units::{Span, Time};
use hopscope_packet::Body;
use hopscope_packet::atp::{AtpKind, SackRun};
use hopscope_tcp::endpoint::{Note, TransportEffect};

const MS: u64 = 1_000_000;
const ONE_WAY: Span = Span::from_millis(10);

fn flow(atp: AtpConfig) -> FlowConfig {
    FlowConfig { packet: 1000, max_window: 4, atp, ..FlowConfig::new(0, 1, Transport::Atp, App::Bulk) }
}

/// Says of a packet of the sender (or not), with its place among all from that end, whether it is lost.
type Losses<'a> = &'a dyn Fn(bool, u64) -> bool;

struct Pipe<'a> {
    ends: [Connection; 2],
    /// Pending expiries of each end, by timer.
    timers: [[Option<Time>; Timer::COUNT]; 2],
    flying: Vec<(Time, usize, AtpPacket)>,
    counts: [u64; 2],
    losses: Losses<'a>,
    /// What the path writes into data, microseconds.
    delay: u32,
    now: Time,
    log: Vec<String>,
    delivered: u64,
    completed: Option<Time>,
    rates: Vec<(u64, f64)>,
}

impl<'a> Pipe<'a> {
    fn new(atp: AtpConfig, losses: Losses<'a>) -> Self {
        let (near, far) = Connection::pair(&flow(atp), 20);
        Pipe {
            ends: [near, far],
            timers: Default::default(),
            flying: Vec::new(),
            counts: [0; 2],
            losses,
            delay: 20_000,
            now: Time::ZERO,
            log: Vec::new(),
            delivered: 0,
            completed: None,
            rates: Vec::new(),
        }
    }

    fn input<T>(&mut self, end: usize, act: impl FnOnce(&mut Connection, &mut Cx<'_>) -> T) -> T {
        let mut out = Vec::new();
        let given = act(&mut self.ends[end], &mut Cx { now: self.now, out: &mut out, node: None, path_info: None });
        for effect in out {
            match effect {
                TransportEffect::Emit(Body::Atp(mut packet)) => {
                    let is_lost = (self.losses)(end == 0, self.counts[end]);
                    self.counts[end] += 1;
                    self.log.push(line(self.now, end, &packet, is_lost));
                    packet.pass(self.delay);
                    if !is_lost {
                        self.flying.push((self.now + ONE_WAY, 1 - end, packet));
                    }
                }
                TransportEffect::Emit(_) => panic!("another protocol"),
                TransportEffect::Arm(timer, at) => self.timers[end][timer.index()] = Some(at),
                TransportEffect::Disarm(timer) => self.timers[end][timer.index()] = None,
                TransportEffect::Deliver { bytes } => self.delivered += u64::from(bytes),
                TransportEffect::Note(Note::Completed) => self.completed = Some(self.now),
                TransportEffect::Note(Note::Rate(rate)) => self.rates.push((self.now.0 / MS, rate)),
                TransportEffect::Note(_) => {}
            }
        }
        given
    }

    fn offer(&mut self, bytes: u64) {
        self.input(0, |end, cx| {
            end.on_send(bytes, cx);
            if bytes < u64::MAX {
                end.close(cx);
            }
        });
    }

    fn run_to(&mut self, ms: u64) {
        let until = Time(ms * MS);
        loop {
            let arrival = self.flying.iter().map(|(at, ..)| *at).min();
            let expiry = self.timers.iter().flatten().flatten().copied().min();
            let Some(next) = arrival.into_iter().chain(expiry).min().filter(|next| *next <= until) else { break };
            self.now = next;
            if arrival == Some(next) {
                let place = self.flying.iter().position(|(at, ..)| *at == next).expect("it flies");
                let (_, end, packet) = self.flying.remove(place);
                self.input(end, |end, cx| end.on_packet(&packet, cx));
                continue;
            }
            let (end, kind) = (0..2)
                .flat_map(|end| (0..Timer::COUNT).map(move |kind| (end, kind)))
                .find(|&(end, kind)| self.timers[end][kind] == Some(next))
                .expect("it is pending");
            self.timers[end][kind] = None;
            self.input(end, |end, cx| end.on_timer(Timer::ALL[kind], cx));
        }
        self.now = until;
    }

    fn sent(&self) -> Vec<&str> {
        self.log.iter().map(String::as_str).collect()
    }
}

fn line(at: Time, end: usize, packet: &AtpPacket, is_lost: bool) -> String {
    let AtpPacket { kind, number, len, delay, .. } = packet;
    let arrow = if end == 0 { ">" } else { "<" };
    let mut line = format!("{} {arrow} {kind:?} {number}", at.0 / MS);
    if packet.is_data() {
        line += &format!(" len {len}{}", if packet.retransmission { " again" } else { "" });
    } else {
        line += &format!(" delay {delay}");
        packet.ranges().for_each(|(from, end)| line += &format!(" {from}-{end}"));
        line += if packet.runs.is_partial { " partial" } else { "" };
    }
    line + if is_lost { " lost" } else { "" }
}

fn none(_: bool, _: u64) -> bool {
    false
}

#[test]
fn a_probe_gives_the_rate_and_data_follows_at_it() {
    // 20 ms over the path times 3: 60 ms for each packet, until the feedback at the end of the epoch, which has
    // averaged it down: 20 + 40 * 0.85^16 ms, 16 packets after the probe.
    let mut pipe = Pipe::new(AtpConfig::default(), &none);
    pipe.offer(100_000);
    pipe.run_to(150);
    let expected =
        ["0 > Probe 0 len 1000", "10 < Answer 1 delay 60000", "60 > Data 1 len 1000", "120 > Data 2 len 1000"];
    assert_eq!(pipe.sent(), expected);
    pipe.run_to(1_015);
    assert_eq!(pipe.sent().last(), Some(&"1010 < Feedback 17 delay 22970"));
}

#[test]
fn a_file_arrives_whole_and_the_end_is_reported() {
    let mut pipe = Pipe::new(AtpConfig::default(), &none);
    pipe.offer(2_500);
    pipe.run_to(5_000);
    let expected =
        ["0 > Probe 0 len 1000", "10 < Answer 1 delay 60000", "60 > Data 1 len 1000", "120 > Data 2 len 500"];
    // 60 -> 60 - 0.15 * 40 = 54 -> 54 - 0.15 * 34 = 48.9 ms.
    assert_eq!(pipe.sent()[..4], expected);
    assert_eq!(pipe.sent()[4..], ["1010 < Feedback 3 delay 48900"], "and no epoch after a silent one");
    assert_eq!((pipe.delivered, pipe.completed), (2_500, Some(Time(1_020 * MS))));
}

#[test]
fn the_rate_goes_up_by_parts_and_down_at_once() {
    let cfg = AtpConfig { receiver_weight: 1.0, start_factor: 5.0, ..AtpConfig::default() };
    let mut pipe = Pipe::new(cfg, &none);
    pipe.offer(u64::MAX);
    // The answer says 10 packets a second, the path 50: up by a fifth of the difference an epoch.
    pipe.run_to(2_500);
    assert_eq!(pipe.rates, [(20, 10.0), (1_020, 18.0), (2_020, 24.4)]);
    // 41.67 a second from now on. Within a tenth above nothing changes.
    pipe.delay = 24_000;
    pipe.run_to(29_500);
    let steps = [27.853, 30.616, 32.826, 34.594, 36.009, 37.140, 38.046];
    let found: Vec<f64> = pipe.rates[3..].iter().map(|(_, rate)| (rate * 1e3).round() / 1e3).collect();
    assert_eq!(found, steps);
    // A path four times as slow is followed with the next feedback.
    pipe.delay = 100_000;
    pipe.run_to(30_100);
    assert_eq!(pipe.rates.last(), Some(&(30_020, 10.0)));
}

#[test]
fn an_increase_at_most_doubles_the_rate() {
    let mut pipe = Pipe::new(AtpConfig { start_factor: 100.0, receiver_weight: 1.0, ..AtpConfig::default() }, &none);
    pipe.offer(u64::MAX);
    pipe.run_to(4_500);
    // 0.5 until the first data packet, which comes at 2010 ms, reports 50.
    assert_eq!(pipe.rates, [(20, 0.5), (2_020, 1.0), (3_020, 2.0), (4_020, 4.0)]);
}

#[test]
fn lost_data_is_sent_again_before_new_data() {
    // The third and the fifth packet; 50 ms from packet to packet after the probe.
    let lost = |is_sender: bool, place: u64| is_sender && (place == 2 || place == 4);
    let cfg = AtpConfig { start_factor: 2.5, ..AtpConfig::default() };
    let mut pipe = Pipe::new(cfg, &lost);
    pipe.offer(30_000);
    pipe.run_to(1_100);
    let sent = pipe.sent();
    assert_eq!(sent[3..6], ["100 > Data 2 len 1000 lost", "150 > Data 3 len 1000", "200 > Data 4 len 1000 lost"]);
    let feedback = sent.iter().position(|line| line.contains("Feedback")).expect("an epoch is over");
    assert!(sent[feedback].starts_with("1010 < Feedback 2 delay") && sent[feedback].ends_with(" 3-4 5-21"), "{sent:?}");
    let again: Vec<_> = sent[feedback + 1..].iter().filter(|line| line.contains("again")).collect();
    assert_eq!(again.len(), 2, "{sent:?}");
    assert!(again[0].contains("Data 2") && again[1].contains("Data 4"), "{again:?}");
    pipe.run_to(10_000);
    assert_eq!(pipe.delivered, 30_000);
    assert_eq!(pipe.ends[0].stats().map(|stats| stats.retransmissions), Some(2));
}

#[test]
fn the_last_packet_is_missed_by_the_feedback_of_an_epoch() {
    // 10 packets: the last one is lost, and nothing follows it.
    let lost = |is_sender: bool, place: u64| is_sender && place == 9;
    let mut pipe = Pipe::new(AtpConfig { start_factor: 1.0, ..AtpConfig::default() }, &lost);
    pipe.offer(10_000);
    pipe.run_to(10_000);
    let tail: Vec<_> = pipe.sent().into_iter().filter(|line| line.contains(" 9 ")).collect();
    // 180 ms: sent; the feedback of 1010 ms does not report it, but it is younger than an epoch. The wait ends a
    // feedback's time and a half later, and each further epoch; with the third, a probe is this packet.
    assert_eq!(tail[0], "180 > Data 9 len 1000 lost");
    assert_eq!(tail.last(), Some(&"4520 > Probe 9 len 1000 again"));
    assert_eq!((pipe.delivered, pipe.completed), (10_000, Some(Time(4_540 * MS))));
}

#[test]
fn a_missed_feedback_halves_the_rate_and_the_third_asks_anew() {
    // Feedback is lost from the second epoch on.
    let lost = |is_sender: bool, place: u64| !is_sender && (2..5).contains(&place);
    let mut pipe = Pipe::new(AtpConfig { start_factor: 1.0, ..AtpConfig::default() }, &lost);
    pipe.offer(u64::MAX);
    pipe.run_to(4_900);
    // Heard at 1020 ms; missed at 2520 and 3520, a probe at 4520.
    assert_eq!(pipe.rates, [(20, 50.0), (2_520, 25.0), (3_520, 12.5), (4_540, 50.0)]);
    assert!(pipe.sent().iter().any(|line| line.starts_with("4520 > Probe")), "{:?}", pipe.log);
}

#[test]
fn a_probe_is_repeated_each_epoch_until_it_is_answered() {
    let lost = |is_sender: bool, place: u64| if is_sender { place < 2 } else { place == 0 };
    let mut pipe = Pipe::new(AtpConfig::default(), &lost);
    pipe.offer(u64::MAX);
    pipe.run_to(3_500);
    let probes: Vec<_> = pipe.sent().into_iter().filter(|line| line.contains("Probe")).collect();
    let expected = ["0 > Probe 0 len 1000 lost", "1000 > Probe 0 len 1000 again lost", "2000 > Probe 0 len 1000 again"];
    assert_eq!(probes[..3], expected);
    assert_eq!(probes[3..], ["3000 > Probe 0 len 1000 again"], "the first answer is lost");
}

#[test]
fn a_failed_route_begins_with_a_probe_that_reports_what_was_lost() {
    // What leaves between 300 and 400 ms is lost: five packets of 20 ms each.
    let lost = |is_sender: bool, place: u64| is_sender && (15..20).contains(&place);
    let mut pipe = Pipe::new(AtpConfig { start_factor: 1.0, ..AtpConfig::default() }, &lost);
    pipe.offer(u64::MAX);
    pipe.run_to(390);
    let before = pipe.log.len();
    pipe.input(0, |end, cx| end.on_path_event(PathEvent::RouteFailed, cx));
    pipe.run_to(600);
    let sent = pipe.sent()[before..].to_vec();
    // Everything before the probe is unreported: it is the first packet that the sender knows nothing of.
    assert_eq!(sent[0], "390 > Probe 1 len 1000 again");
    assert!(sent[1].starts_with("400 < Answer 15"), "{sent:?}");
    let again: Vec<_> = sent.iter().filter(|line| line.contains("Data") && line.contains("again")).collect();
    assert_eq!(again.len(), 5, "{sent:?}");
    let first = sent.iter().find(|line| line.contains("Data")).expect("data goes on");
    assert_eq!(*first, "410 > Data 15 len 1000 again");
    assert_eq!(pipe.ends[0].stats().map(|stats| (stats.route_failures, stats.probes)), Some((1, 2)));
    // Without ELFN the sender learns of it from its feedback alone.
    let mut deaf = Pipe::new(AtpConfig { elfn: false, start_factor: 1.0, ..AtpConfig::default() }, &lost);
    deaf.offer(u64::MAX);
    deaf.run_to(390);
    deaf.input(0, |end, cx| end.on_path_event(PathEvent::RouteFailed, cx));
    deaf.run_to(900);
    assert!(!deaf.log[1..].iter().any(|line| line.contains("Probe")), "{:?}", deaf.log);
}

#[test]
fn a_probe_may_carry_no_data() {
    let mut pipe = Pipe::new(AtpConfig { probe_data: false, ..AtpConfig::default() }, &none);
    pipe.offer(1_000);
    pipe.run_to(2_000);
    let expected = ["0 > Probe 0 len 0", "10 < Answer 0 delay 60000", "20 > Data 0 len 1000"];
    assert_eq!(pipe.sent()[..3], expected);
    assert_eq!(pipe.delivered, 1_000);
}

#[test]
fn a_rate_that_is_old_is_asked_for_again() {
    let mut pipe = Pipe::new(AtpConfig::default(), &none);
    for (at, kind) in [(0, "Probe 0"), (2_000, "Data 1"), (9_000, "Probe 2")] {
        pipe.run_to(at);
        let before = pipe.log.len();
        pipe.input(0, |end, cx| end.on_send(1_000, cx));
        assert_eq!(pipe.log[before], format!("{at} > {kind} len 1000"));
    }
}

#[test]
fn feedback_without_room_says_nothing_of_what_is_behind() {
    // Every other packet of 60 is lost: 29 blocks, of which 2 are reported.
    let lost = |is_sender: bool, place: u64| is_sender && place < 60 && place % 2 == 1;
    let cfg = AtpConfig { start_factor: 1.0, sack_blocks: 2, ..AtpConfig::default() };
    let mut pipe = Pipe::new(cfg, &lost);
    pipe.offer(200_000);
    pipe.run_to(1_015);
    assert!(
        pipe.log.last().is_some_and(|line| line.ends_with("Feedback 1 delay 20000 2-3 4-5 partial")),
        "{:?}",
        pipe.log
    );
    pipe.run_to(60_000);
    assert_eq!((pipe.delivered, pipe.completed.is_some()), (200_000, true));
    let stats = *pipe.ends[0].stats().expect("a sender");
    assert_eq!(stats.retransmissions, 30, "nothing is sent again that has come");
}

#[test]
fn a_file_arrives_over_a_path_that_loses_much() {
    // Every third packet of the sender and every fourth of the receiver.
    let lost = |is_sender: bool, place: u64| if is_sender { place % 3 == 1 } else { place % 4 == 2 };
    let mut pipe = Pipe::new(AtpConfig::default(), &lost);
    pipe.offer(123_456);
    pipe.run_to(120_000);
    assert_eq!((pipe.delivered, pipe.completed.is_some()), (123_456, true), "{:?}", pipe.log.last());
}

fn packets() -> impl Strategy<Value = AtpPacket> {
    let runs = proptest::collection::vec((any::<u16>(), any::<u16>()), 0..20);
    let fields = (0..4usize, 0..60u32, 0..2_000u32, any::<u32>(), any::<bool>(), runs);
    fields.prop_map(|(kind, number, len, delay, is_partial, runs)| {
        let mut packet = AtpPacket { kind: AtpKind::ALL[kind], number, len, delay, ..AtpPacket::default() };
        packet.runs.is_partial = is_partial;
        runs.into_iter().for_each(|(gap, length)| _ = packet.runs.push(SackRun { gap, length }));
        packet
    })
}

proptest! {
    #![proptest_config(hopscope_testing::property(200))]

    #[test]
    fn random_packets_break_neither_end(packets in proptest::collection::vec((0..2usize, packets()), 0..60)) {
        let mut pipe = Pipe::new(AtpConfig::default(), &none);
        pipe.offer(40_000);
        for (n, (end, packet)) in packets.into_iter().enumerate() {
            pipe.input(end, |end, cx| end.on_packet(&packet, cx));
            pipe.run_to(20 * n as u64);
        }
        prop_assert!(pipe.ends[0].backlog() <= 40_000);
    }

    #[test]
    fn a_file_arrives_whatever_is_lost(seed in any::<u64>(), part in 2..9u64) {
        let lost = |is_sender: bool, place: u64| {
            let mixed = (seed ^ place.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(is_sender)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            (mixed >> 33) % part == 0
        };
        let mut pipe = Pipe::new(AtpConfig::default(), &lost);
        pipe.offer(50_000);
        pipe.run_to(400_000);
        prop_assert_eq!((pipe.delivered, pipe.completed.is_some()), (50_000, true));
    }
}
