//! Exchanges between two ends over a path of 10 ms each way, and random packets thrown at one end.
//!
//! A line of an exchange is the instant in ms, who sends (`>` the client, `<` the server), the type, its number counted
//! from the first of its end, `ack` with a number counted likewise, payload bytes, and `lost` where the path drops it.

mod failure;
mod walks;

use proptest::prelude::*;

use super::tfrc::{LOSS_EVENT_RATE, RECEIVE_RATE};
use super::*;
use crate::config::dccp::{AdhocStates, AdhocUpdate, ReceiverCcid};
use crate::config::{App, ControlChoice, DccpConfig, DccpControl, FlowConfig, Transport};
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};
use hopscope_packet::dccp::{DccpPacket, DccpType, ResetCode, Seq, Stamp};
use hopscope_packet::{Body, Ecn};
use hopscope_tcp::Expiries;
use hopscope_tcp::endpoint::{Cx, Note, PathEvent, Timer, TransportEffect};

const MS: u64 = 1_000_000;
const ONE_WAY: Span = Span::from_millis(10);

fn flow(control: DccpControl, dccp: DccpConfig) -> FlowConfig {
    let control = Some(ControlChoice::Dccp(control));
    FlowConfig { packet: 1000, max_window: 4, dccp, control, ..FlowConfig::new(0, 1, Transport::Dccp, App::Bulk) }
}

/// An acknowledgement for every packet.
fn every() -> DccpConfig {
    DccpConfig { ack_ratio: 1, adapt_ack_ratio: false, ..DccpConfig::default() }
}

/// Says of a packet of the client (or not), with its place among those of its type from that end, whether it is lost.
type Losses<'a> = &'a dyn Fn(bool, DccpType, u64) -> bool;

struct Pipe<'a> {
    ends: [Connection; 2],
    timers: [Expiries; 2],
    first: [Option<Seq>; 2],
    flying: Vec<(Time, usize, DccpPacket)>,
    counts: [[u64; 10]; 2],
    losses: Losses<'a>,
    /// Numbers of reliable DCCP whose next packet is lost.
    lost_numbers: Vec<u32>,
    /// Packets say nothing about time.
    without_stamps: bool,
    now: Time,
    log: Vec<String>,
    delivered: u64,
    completed: bool,
    windows: Vec<f64>,
}

impl<'a> Pipe<'a> {
    fn new(cfg: DccpConfig, losses: Losses<'a>) -> Self {
        Pipe::of(DccpControl::Ccid2, cfg, losses)
    }

    fn of(control: DccpControl, cfg: DccpConfig, losses: Losses<'a>) -> Self {
        let (client, server) =
            Connection::pair(&flow(control, cfg), 20, Stream::derive(1, 0, 0, Purpose::InitialSequence));
        Pipe {
            ends: [client, server],
            timers: [Expiries::default(); 2],
            first: [None; 2],
            flying: Vec::new(),
            counts: [[0; 10]; 2],
            losses,
            lost_numbers: Vec::new(),
            without_stamps: false,
            now: Time::ZERO,
            log: Vec::new(),
            delivered: 0,
            completed: false,
            windows: Vec::new(),
        }
    }

    fn input(&mut self, end: usize, input: impl FnOnce(&mut Connection, &mut Cx<'_>)) {
        let mut out = Vec::new();
        input(&mut self.ends[end], &mut Cx { now: self.now, out: &mut out, node: None, path_info: None });
        for effect in out {
            self.timers[end].note(&effect);
            match effect {
                TransportEffect::Emit(Body::Dccp(packet)) => self.sent(end, packet),
                TransportEffect::Deliver { bytes } => self.delivered += u64::from(bytes),
                TransportEffect::Note(Note::Completed) => self.completed = true,
                _ => {}
            }
        }
        self.windows.extend(self.ends[0].window().map(|(cwnd, ..)| cwnd));
    }

    fn sent(&mut self, end: usize, mut packet: DccpPacket) {
        if self.without_stamps {
            packet.stamp = Stamp::None;
        }
        let first = *self.first[end].get_or_insert(packet.seq);
        let count = &mut self.counts[end][packet.kind as usize];
        *count += 1;
        let number = self.lost_numbers.iter().position(|number| packet.number == *number);
        let is_lost = (self.losses)(end == 0, packet.kind, *count) || number.is_some();
        number.map(|place| self.lost_numbers.remove(place));
        let mut line = format!("{} {} {:?}", self.now.0 / MS, [">", "<"][end], packet.kind);
        line += &format!(" {}", packet.seq.since(first));
        if let (true, Some(other)) = (packet.kind.acknowledges(), self.first[1 - end]) {
            line += &format!(" ack {}", packet.ack.since(other));
        }
        if packet.kind == DccpType::Reset {
            line += &format!(" {:?}", packet.reset);
        }
        if packet.len > 0 {
            line += &format!(" {} B", packet.len);
        }
        if packet.number > 0 {
            line += &format!(" #{}{}", packet.number, if packet.retransmission { " again" } else { "" });
        }
        self.log.push(line + if is_lost { " lost" } else { "" });
        if !is_lost {
            self.flying.push((self.now + ONE_WAY, 1 - end, packet));
        }
    }

    fn run(&mut self, until_ms: u64) {
        let until = Time(until_ms * MS);
        loop {
            let arrival = self.flying.iter().map(|(at, ..)| *at).min().filter(|at| *at <= until);
            let expiry = [0, 1].into_iter().filter_map(|end| Some((end, self.timers[end].earliest(until)?)));
            let expiry = expiry.min_by_key(|(_, (_, at))| *at);
            match (arrival, expiry) {
                (None, None) => break,
                (Some(at), expiry) if expiry.is_none_or(|(_, (_, due))| at <= due) => {
                    let place = self.flying.iter().position(|(when, ..)| *when == at).expect("the earliest");
                    let (_, end, packet) = self.flying.remove(place);
                    self.now = at;
                    self.input(end, |connection, cx| {
                        connection.on_packet(&packet, Ecn::NotEct, cx);
                    });
                }
                (_, Some((end, (timer, at)))) => {
                    self.timers[end].take(timer);
                    self.now = at;
                    self.input(end, |connection, cx| connection.on_timer(timer, cx));
                }
                (Some(_), None) => unreachable!("an arrival alone is taken above"),
            }
        }
        self.now = until;
    }

    /// A file of so many bytes from the start, for a while.
    fn file(cfg: DccpConfig, bytes: u64, until_ms: u64, losses: Losses<'a>) -> Self {
        let mut pipe = Pipe::new(cfg, losses);
        pipe.input(0, |client, cx| client.on_send(bytes, cx));
        pipe.input(0, |client, cx| client.close(cx));
        pipe.run(until_ms);
        pipe
    }

    fn states(&self) -> [State; 2] {
        [0, 1].map(|end| self.ends[end].state())
    }
}

const NO_LOSS: Losses<'static> = &|_, _, _| false;

#[test]
fn acknowledgements_lost_in_partopen_are_asked_for() {
    let losses: Losses<'_> = &|client, kind, n| !client && kind == DccpType::Ack && n <= 3;
    let pipe = Pipe::file(DccpConfig { initial_window: 1, ..every() }, 5_000, 20_000, losses);
    assert_eq!((pipe.delivered, pipe.completed), (5_000, true), "{:?}", pipe.log);
}

#[test]
fn a_connection_is_opened_used_and_closed() {
    let pipe = Pipe::file(DccpConfig::default(), 2_500, 1_000, NO_LOSS);
    let expected = [
        "0 > Request 0",
        "10 < Response 0 ack 0",
        "20 > DataAck 1 ack 0 1000 B",
        "20 > DataAck 2 ack 0 1000 B",
        "20 > DataAck 3 ack 0 500 B",
        "30 < Ack 1 ack 2",
        "230 < Ack 2 ack 3", // the third waits for its second
        "240 > Close 4 ack 2",
        "250 < Reset 3 ack 4 Closed",
    ];
    assert_eq!(pipe.log, expected);
    assert_eq!((pipe.delivered, pipe.completed), (2_500, true));
    assert_eq!(pipe.states(), [State::TimeWait, State::Closed]);
}

#[test]
fn the_handshake_survives_losses() {
    let losses: Losses<'_> = &|client, kind, n| match kind {
        DccpType::Request => n == 1,
        DccpType::Response => n == 1,
        DccpType::DataAck => client && n == 1,
        _ => false,
    };
    let pipe = Pipe::file(every(), 1_000, 60_000, losses);
    let expected = [
        "0 > Request 0 lost",
        "1000 > Request 1",
        "1010 < Response 0 ack 1 lost",
        "3000 > Request 2",
        "3010 < Response 1 ack 2",
        "3020 > DataAck 3 ack 1 1000 B lost",
        "3220 > DataAck 4 ack 1", // PARTOPEN after 200 ms
    ];
    assert_eq!(pipe.log[..7], expected);
    assert_eq!(pipe.states(), [State::TimeWait, State::Closed]);
}

#[test]
fn a_lost_reset_is_asked_for_again() {
    let losses: Losses<'_> = &|_, kind, n| matches!((kind, n), (DccpType::Reset, 1) | (DccpType::Close, 1));
    let pipe = Pipe::file(every(), 1_000, 60_000, losses);
    let expected = [
        "40 > Close 2 ack 1 lost",
        "240 > Close 3 ack 1",
        "250 < Reset 2 ack 3 Closed lost",
        "640 > Close 4 ack 1",
        "650 < Reset 2 ack 4 NoConnection",
    ];
    assert_eq!(pipe.log[4..], expected);
    assert_eq!(pipe.states(), [State::TimeWait, State::Closed]);
}

#[test]
fn the_end_that_closed_is_free_after_time_wait() {
    let pipe = Pipe::file(DccpConfig::default(), 1_000, 300_000, NO_LOSS);
    assert_eq!(pipe.states(), [State::Closed, State::Closed]);
}

#[test]
fn a_server_that_closes_asks_its_client_to() {
    let mut pipe = Pipe::new(every(), NO_LOSS);
    pipe.input(0, |client, cx| client.on_send(1_000, cx));
    pipe.run(100);
    pipe.log.clear();
    pipe.input(1, |server, cx| server.close(cx));
    pipe.run(200);
    let expected = ["100 < CloseReq 2 ack 1", "110 > Close 2 ack 2", "120 < Reset 3 ack 2 Closed"];
    assert_eq!(pipe.log, expected);
    assert_eq!(pipe.states(), [State::TimeWait, State::Closed]);
}

#[test]
fn a_loss_halves_the_window_and_repeats_nothing() {
    let losses: Losses<'_> = &|client, kind, n| client && kind == DccpType::Data && n == 30;
    let pipe = Pipe::file(DccpConfig::default(), 300_000, 10_000, losses);
    assert_eq!((pipe.delivered, pipe.completed), (299_000, true));
    let cut = pipe.windows.windows(2).find(|pair| pair[1] < pair[0]).expect("a cut");
    assert_eq!(cut[1], (cut[0] / 2.0).floor());
    assert_eq!(pipe.ends[0].stats().map(|stats| (stats.timeouts, stats.window_cuts)), Some((0, 1)));
    let numbers: Vec<&String> = pipe.log.iter().filter(|line| line.contains("> Data")).collect();
    assert_eq!(numbers.len(), 300, "each packet once");
}

#[test]
fn silence_ends_in_a_timeout_and_a_window_of_one() {
    let losses: Losses<'_> = &|client, kind, n| client && kind == DccpType::Data && (20..40).contains(&n);
    let pipe = Pipe::file(DccpConfig::default(), 100_000, 60_000, losses);
    assert!(pipe.completed && pipe.windows.contains(&1.0));
    assert!(pipe.ends[0].stats().is_some_and(|stats| stats.timeouts > 0));
}

#[test]
fn lost_acknowledgements_raise_the_ratio_and_clean_windows_lower_it() {
    // One lost packet ends slow start, so that the transfer takes many windows.
    let losses: Losses<'_> = &|client, kind, n| match kind {
        DccpType::Ack => !client && n % 10 == 0,
        DccpType::DataAck => client && n == 30,
        _ => false,
    };
    let pipe = Pipe::file(DccpConfig::default(), 2_000_000, 60_000, losses);
    assert_eq!(pipe.delivered, 1_999_000);
    let acks = pipe.counts[1][DccpType::Ack as usize];
    assert!(acks * 5 < 2_000 * 2, "{acks} acknowledgements of 2,000 packets: fewer than by the first ratio of two");
    let steady = Pipe::file(DccpConfig { adapt_ack_ratio: false, ..DccpConfig::default() }, 2_000_000, 60_000, losses);
    assert!(steady.counts[1][DccpType::Ack as usize] >= 999);
}

#[test]
fn headers_may_be_short() {
    let short = Pipe::file(DccpConfig { short_seq: true, ..DccpConfig::default() }, 300_000, 10_000, NO_LOSS);
    assert_eq!((short.delivered, short.completed), (300_000, true));
    assert_eq!(short.states(), [State::TimeWait, State::Closed]);
}

#[test]
fn the_sequence_window_follows_the_congestion_window() {
    let pipe = Pipe::file(DccpConfig::default(), 3_000_000, 60_000, NO_LOSS);
    assert_eq!((pipe.delivered, pipe.completed), (3_000_000, true));
    assert!(pipe.windows.iter().any(|cwnd| *cwnd > 200.0), "wider than a window of 100 allows");
    assert!(!pipe.log.iter().any(|line| line.contains("Sync")));
}

#[test]
fn a_slow_reader_slows_its_sender() {
    // The application reads 25 packets a second, the path would carry hundreds.
    let slow = DccpConfig { receive_buffer: 10, read_rate: 200_000, ..every() };
    let mut pipe = Pipe::new(slow, NO_LOSS);
    pipe.input(0, |client, cx| client.on_send(u64::MAX, cx));
    pipe.run(4_000);
    let (before, sent) = (pipe.delivered, pipe.counts[0][DccpType::Data as usize]);
    pipe.run(24_000);
    let read = pipe.delivered - before;
    assert!((490_000..=510_000).contains(&read), "{read} bytes in 20 s");
    let reported = pipe.counts[0][DccpType::Data as usize] - sent;
    assert!(reported < 50 * 20 * 2, "{reported} packets: the window came down to what it could and stayed");
    assert!(pipe.windows.last().is_some_and(|cwnd| *cwnd <= 2.0), "{:?}", pipe.windows.last());
    assert_eq!(pipe.ends[0].stats().map(|stats| stats.fast_retransmits), Some(0), "nothing was lost");
}

#[test]
fn data_with_errors_is_reported_and_only_the_design_slows_down() {
    let carried = |states| {
        let cfg = DccpConfig { corrupt_period: 10, adhoc_states: states, ..DccpConfig::default() };
        let mut pipe = Pipe::of(DccpControl::Adhoc, cfg, NO_LOSS);
        pipe.input(0, |client, cx| client.on_send(u64::MAX, cx));
        pipe.run(20_000);
        assert_eq!(pipe.ends[0].stats().map(|stats| stats.timeouts), Some(0), "nothing was lost");
        let sent = pipe.counts[0][DccpType::Data as usize] + pipe.counts[0][DccpType::DataAck as usize];
        let share = pipe.delivered as f64 / (sent * 1_000) as f64;
        assert!((share - 0.9).abs() < 0.01, "nine of ten arrive whole: {share}");
        pipe.delivered
    };
    let (two, four) = (carried(AdhocStates::Two), carried(AdhocStates::Four));
    assert!(four < two, "{four} of {two}");
    // The reliable layer repeats what had errors.
    let cfg = DccpConfig { corrupt_period: 10, reliable: true, ..DccpConfig::default() };
    let mut pipe = Pipe::of(DccpControl::Adhoc, cfg, NO_LOSS);
    pipe.input(0, |client, cx| client.on_send(100_000, cx));
    pipe.run(60_000);
    assert_eq!(pipe.delivered, 100_000);
}

#[test]
fn the_adhoc_control_probes_at_a_constant_pace_until_it_is_answered() {
    // The way is lost for five probes.
    let losses: Losses<'_> = &|client, kind, n| client && kind == DccpType::Data && (5..=12).contains(&n);
    let cfg = DccpConfig { adhoc_update: AdhocUpdate::PerRtt, ..DccpConfig::default() };
    let mut pipe = Pipe::of(DccpControl::Adhoc, cfg, losses);
    pipe.input(0, |client, cx| client.on_send(12_000, cx));
    pipe.run(2_000);
    let asked = |line: &&String| line.contains("> Data") && !line.contains(" B");
    let probes: Vec<u64> =
        pipe.log.iter().filter(asked).map(|line| line.split(' ').next().unwrap().parse().unwrap()).collect();
    let gaps: Vec<u64> = probes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.len() >= 3 && gaps.iter().all(|gap| *gap == 200), "{probes:?}");
    assert_eq!(pipe.windows.iter().copied().fold(0.0, f64::max), pipe.windows[pipe.windows.len() - 1], "kept");
    assert_eq!(pipe.ends[0].backlog(), 0, "it has sent the rest");
}

/// A connection that is open, with what it has sent so far thrown away.
fn open() -> Pipe<'static> {
    let mut pipe = Pipe::new(every(), NO_LOSS);
    pipe.input(0, |client, cx| client.on_send(3_000, cx));
    pipe.run(100);
    pipe.log.clear();
    pipe
}

#[test]
fn numbers_outside_their_windows_are_answered_with_a_sync() {
    let mut pipe = open();
    let (first, other) = (pipe.first[0].expect("sent"), pipe.first[1].expect("sent"));
    let far = DccpPacket { seq: first.plus(3 + 75), len: 100, ..DccpPacket::default() };
    let mut at = |seq: Seq, expected: &[&str]| {
        pipe.run(pipe.now.0 / MS + 200);
        pipe.log.clear();
        let packet = DccpPacket { seq, ..far };
        pipe.input(1, |server, cx| {
            server.on_packet(&packet, Ecn::NotEct, cx);
        });
        assert_eq!(pipe.log, expected, "{}", seq.since(first));
    };
    // GSR is 3 and W 100: valid are 0 (the first) to 78 (RFC 4340 7.5.1).
    at(first.plus(79), &["300 < Sync 4 ack 79"]);
    at(first.minus(1), &["500 < Sync 5 ack -1"]);
    at(first.plus(78), &["700 < Ack 6 ack 78"]);
    let ahead = DccpPacket { kind: DccpType::Ack, seq: first.plus(79), ack: other.plus(9), ..DccpPacket::default() };
    pipe.run(1_000);
    pipe.log.clear();
    pipe.input(1, |server, cx| {
        server.on_packet(&ahead, Ecn::NotEct, cx);
    });
    assert_eq!(pipe.log, ["1000 < Sync 7 ack 79"], "an acknowledgement of what was never sent");
    pipe.input(1, |server, cx| {
        server.on_packet(&ahead, Ecn::NotEct, cx);
    });
    assert_eq!(pipe.log.len(), 1, "not more often than eight times a second");
}

#[test]
fn a_sync_is_answered_and_puts_numbers_in_order() {
    let mut pipe = open();
    let (first, other) = (pipe.first[0].expect("sent"), pipe.first[1].expect("sent"));
    let sync = DccpPacket { kind: DccpType::Sync, seq: first.plus(5_000), ack: other.plus(1), ..DccpPacket::default() };
    pipe.input(1, |server, cx| {
        server.on_packet(&sync, Ecn::NotEct, cx);
    });
    assert_eq!(pipe.log, ["100 < SyncAck 4 ack 5000"]);
    let data = DccpPacket { seq: first.plus(5_001), len: 100, ..DccpPacket::default() };
    let before = pipe.delivered;
    pipe.input(1, |server, cx| {
        server.on_packet(&data, Ecn::NotEct, cx);
    });
    assert_eq!(pipe.delivered, before + 100);
}

#[test]
fn an_ack_vector_longer_than_what_was_sent_is_read_as_far_as_it_goes() {
    let mut pipe = open();
    let (first, other) = (pipe.first[0].expect("sent"), pipe.first[1].expect("sent"));
    // 44 octets of 64 packets each, of which the client has sent four.
    let mut ack = DccpPacket { kind: DccpType::Ack, seq: other.plus(4), ack: first.plus(3), ..DccpPacket::default() };
    ack.push_vector(std::iter::repeat_n(0x3F, 300), 0);
    assert_eq!(ack.vector().len(), 44);
    let before = pipe.ends[0].stats().map(|stats| stats.bytes_acked);
    pipe.input(0, |client, cx| {
        client.on_packet(&ack, Ecn::NotEct, cx);
    });
    assert_eq!(pipe.states()[0], State::Open);
    assert_eq!(pipe.ends[0].stats().map(|stats| stats.bytes_acked), before, "all were reported before");
    assert_eq!(pipe.ends[0].window().map(|(.., flight)| flight), Some(0.0));
}

#[test]
fn a_reset_needs_numbers_that_fit() {
    let mut pipe = open();
    let (first, other) = (pipe.first[0].expect("sent"), pipe.first[1].expect("sent"));
    let reset = |seq: u64, ack: u64| DccpPacket {
        kind: DccpType::Reset,
        reset: ResetCode::Aborted,
        seq: other.plus(seq),
        ack: first.plus(ack),
        ..DccpPacket::default()
    };
    for (seq, ack, state) in [(2, 3, State::Open), (200, 3, State::Open), (4, 1, State::Open), (4, 3, State::TimeWait)]
    {
        let packet = reset(seq, ack);
        pipe.input(0, |client, cx| {
            client.on_packet(&packet, Ecn::NotEct, cx);
        });
        assert_eq!(pipe.states()[0], state, "{seq} {ack}");
    }
}

/// A packet: its type, the steps of its numbers from those in use, its payload, the octets of its vector and of an
/// option, its window counter, feedback on a rate (one over the loss event rate, and bytes/s), and whether its header
/// is short.
type Strange = (usize, [u64; 2], u32, [Vec<u8>; 2], u8, Option<(u32, u32)>, bool);

/// What happens to an end: a packet whose numbers are near those in use or anywhere, a timer, an offer, its close, or
/// news of a failed route.
#[derive(Debug, Clone)]
enum Step {
    Packet(Box<Strange>),
    Timer(usize),
    Offer(u64),
    Close,
    RouteFailed,
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let near = || prop_oneof![4 => 0..12u64, 1 => 0..400u64, 1 => (1u64 << 48) - 200..(1 << 48), 1 => any::<u64>()];
    let octets = |n| proptest::collection::vec(any::<u8>(), 0..n);
    let reported = prop_oneof![2 => 1..1_000u32, 1 => Just(u32::MAX), 1 => any::<u32>()];
    let packet = (
        0..10usize,
        [near(), near()],
        prop_oneof![Just(0u32), Just(1_000)],
        (octets(12), octets(9)).prop_map(|(vector, option)| [vector, option]),
        0..16u8,
        proptest::option::of((reported, prop_oneof![1 => 0..1_000_000u32, 1 => any::<u32>()])),
        any::<bool>(),
    );
    let step = prop_oneof![
        10 => packet.prop_map(|packet| Step::Packet(Box::new(packet))),
        2 => (0..Timer::COUNT).prop_map(Step::Timer),
        1 => (1..20_000u64).prop_map(Step::Offer),
        1 => Just(Step::Close),
        1 => Just(Step::RouteFailed),
        2 => (0..400u64).prop_map(Step::Wait),
    ];
    proptest::collection::vec(step, 1..60)
}

/// An option of a type that the octet picks: those of the standard, those of a control by rate, any.
fn push_strange(packet: &mut DccpPacket, octets: &[u8]) {
    let Some((pick, content)) = octets.split_first() else { return };
    let kind = match pick % 4 {
        0 | 1 => 32 + pick / 4 % 16,
        2 => 192 + pick / 4 % 4,
        _ => 32 + pick.saturating_mul(2).min(223),
    };
    packet.push_option(kind, content);
}

proptest! {
    #![proptest_config(hopscope_testing::property(6_000))]

    // Some 17 packets each, 100,000 in all, to ends with every control; `make nightly` throws 10 million. That no state
    // follows another that the standard does not let follow is asserted where states change.
    #[test]
    fn no_packet_is_too_strange(
        steps in steps(), is_server in any::<bool>(), short_seq in any::<bool>(), control in 0..DccpControl::ALL.len(),
        reliable in any::<bool>(), design in any::<bool>(),
        knows in prop_oneof![9 => Just(0), 1 => 0..ReceiverCcid::ALL.len()],
    ) {
        let cfg = DccpConfig {
            short_seq,
            reliable,
            ndp_count: true,
            timestamps: true,
            receive_buffer: 2,
            read_rate: 50_000,
            corrupt_period: if design { 5 } else { 0 },
            receiver_ccid: ReceiverCcid::ALL[knows],
            adhoc_states: if design { AdhocStates::Four } else { AdhocStates::Two },
            adhoc_elfn: design,
            ..DccpConfig::default()
        };
        let mut pipe = Pipe::of(DccpControl::ALL[control], cfg, NO_LOSS);
        pipe.input(0, |client, cx| client.on_send(5_000, cx));
        pipe.run(25);
        let end = usize::from(is_server);
        let (theirs, ours) = (pipe.first[1 - end].expect("sent"), pipe.first[end].expect("sent"));
        for step in steps {
            match step {
                Step::Packet(packet) => {
                    let (kind, [seq, ack], len, [vector, option], ccval, feedback, short) = *packet;
                    let mut packet = DccpPacket {
                        kind: DccpType::ALL[kind], seq: theirs.plus(seq), ack: ours.plus(ack), len, ccval,
                        stamp: if short { Stamp::Echo { value: seq as u32, elapsed: ack as u32 } } else { Stamp::None },
                        ..DccpPacket::default()
                    };
                    packet.short = short && packet.kind.may_be_short();
                    packet.push_vector(vector.into_iter(), 0);
                    push_strange(&mut packet, &option);
                    if let Some((inverse, rate)) = feedback {
                        packet.push_option(LOSS_EVENT_RATE, &inverse.to_be_bytes());
                        packet.push_option(RECEIVE_RATE, &rate.to_be_bytes());
                    }
                    pipe.input(end, |end, cx| { end.on_packet(&packet, Ecn::Ce, cx); });
                }
                Step::Timer(timer) => pipe.input(end, |end, cx| end.on_timer(Timer::ALL[timer], cx)),
                Step::Offer(bytes) => pipe.input(end, |end, cx| end.on_send(bytes, cx)),
                Step::Close => pipe.input(end, |end, cx| end.close(cx)),
                Step::RouteFailed => pipe.input(end, |end, cx| end.on_path_event(PathEvent::RouteFailed, cx)),
                Step::Wait(ms) => {
                    let until = pipe.now.0 / MS + ms;
                    pipe.flying.retain(|(_, to, _)| *to != 1 - end);
                    pipe.run(until);
                }
            }
        }
        let is_sound = |(cwnd, _, pipe): (f64, f64, f64)| cwnd >= 1.0 && cwnd.is_finite() && pipe >= 0.0;
        prop_assert!(pipe.ends[0].window().is_none_or(is_sound), "{:?}", pipe.ends[0].window());
    }
}
