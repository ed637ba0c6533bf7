//! Data both ways over one connection.

use proptest::prelude::*;

use super::*;
use crate::config::ConnectionConfig;
use crate::endpoint::Cx as EndpointCx;
use hopscope_core::rng::Purpose;
use hopscope_testing::property;

fn flow(variant: TcpVariant, ack: AckPolicy, max_window: u32, tcp: &TcpConfig) -> ConnectionConfig<'_> {
    ConnectionConfig { packet: MSS, max_window, ack, ..ConnectionConfig::new(variant.kind(tcp), tcp) }
}

/// Both ends of a connection over a pipe of `delay_ms` each way. `impairments` says of the first segments, in the order
/// they are sent, whether they are lost or by how many milliseconds they are late.
struct Pipe {
    ends: [Connection; 2],
    timers: [Expiries; 2],
    now: Time,
    delay_ms: u64,
    impairments: Vec<Option<u64>>,
    sent: usize,
    in_transit: Vec<(Time, usize, usize, TcpSegment)>,
    /// What each end has sent, as words.
    said: Vec<String>,
    delivered: [u64; 2],
    completed: [bool; 2],
    closed: [bool; 2],
}

impl Pipe {
    fn new(flow: &ConnectionConfig<'_>, delay_ms: u64, impairments: Vec<Option<u64>>) -> Self {
        let stream = |owner| Stream::derive(1, 0, owner, Purpose::Clock);
        let (mut active, mut passive) = Connection::pair(flow, 20, stream(0));
        Connection::join((&mut active, &mut passive), flow, stream(1));
        Pipe {
            ends: [active, passive],
            timers: Default::default(),
            now: Time::ZERO,
            delay_ms,
            impairments,
            sent: 0,
            in_transit: Vec::new(),
            said: Vec::new(),
            delivered: [0; 2],
            completed: [false; 2],
            closed: [false; 2],
        }
    }

    fn input(&mut self, end: usize, input: impl FnOnce(&mut Connection, &mut EndpointCx<'_>)) {
        let mut out = Vec::new();
        input(&mut self.ends[end], &mut EndpointCx { now: self.now, out: &mut out, node: None, path_info: None });
        for effect in out {
            self.timers[end].note(&effect);
            match effect {
                TransportEffect::Emit(Body::Tcp(seg)) => self.send(end, seg),
                TransportEffect::Deliver { bytes } => self.delivered[end] += u64::from(bytes),
                TransportEffect::Note(Note::Completed) => {
                    assert!(!std::mem::replace(&mut self.completed[end], true), "completed twice");
                }
                TransportEffect::Note(Note::PeerClosed) => {
                    assert!(!std::mem::replace(&mut self.closed[end], true), "closed twice");
                }
                TransportEffect::Arm(_, at) => assert!(at >= self.now, "a timer in the past"),
                TransportEffect::Disarm(_) | TransportEffect::Note(Note::Rtt(_) | Note::AckWindow(_)) => {}
                TransportEffect::Emit(_) | TransportEffect::Note(Note::Reset(_) | Note::Rate(_)) => {
                    panic!("TCP sends segments")
                }
            }
        }
    }

    fn send(&mut self, end: usize, seg: TcpSegment) {
        let TcpFlags { syn, fin, ack, .. } = seg.flags;
        let kind = match (syn, seg.len, fin) {
            (true, ..) => "syn".to_string(),
            (false, 0, false) => "-".to_string(),
            (false, 0, true) => "fin".to_string(),
            (false, len, fin) => format!("{}:{len}{}", seg.seq, if fin { "+fin" } else { "" }),
        };
        let answer = if ack { format!(" ack {}", seg.ack) } else { String::new() };
        self.said.push(format!("{} {} {kind}{answer}", self.now.0 / MS, ["a", "b"][end]));
        if let Some(late) = self.impairments.get(self.sent).copied().unwrap_or(Some(0)) {
            let at = Time(self.now.0 + (self.delay_ms + late) * MS);
            self.in_transit.push((at, self.sent, 1 - end, seg));
        }
        self.sent += 1;
    }

    /// Runs until `until`, or until nothing is left to happen.
    fn run(&mut self, until: Time) {
        loop {
            let arrival = self.in_transit.iter().map(|&(at, number, ..)| (at, number)).min();
            let timer = |end: usize| self.timers[end].earliest(Time::NEVER).map(|(kind, at)| (at, end, kind));
            let expiry = [timer(0), timer(1)].into_iter().flatten().min_by_key(|(at, ..)| *at);
            let next = arrival.map(|(at, _)| at).into_iter().chain(expiry.map(|(at, ..)| at)).min();
            let Some(at) = next.filter(|at| *at <= until) else { break };
            self.now = at;
            match (arrival, expiry) {
                (Some((due, number)), _) if due == at => {
                    let place = self.in_transit.iter().position(|segment| segment.1 == number).expect("on its way");
                    let (_, _, end, seg) = self.in_transit.swap_remove(place);
                    self.input(end, |tcp, cx| {
                        tcp.on_segment(&seg, seg.ecn, cx);
                    });
                }
                (_, Some((_, end, kind))) => {
                    self.timers[end].take(kind);
                    self.input(end, |tcp, cx| tcp.on_timer(kind, cx));
                }
                (_, None) => unreachable!("one of the two is next"),
            }
        }
        self.now = self.now.max(until);
    }

    fn at(&mut self, ms: u64) -> &mut Self {
        self.run(Time(ms * MS));
        self
    }

    /// What was said since the last call.
    fn received(&mut self) -> Vec<String> {
        std::mem::take(&mut self.said)
    }
}

fn plain(ack: AckPolicy) -> Pipe {
    Pipe::new(&flow(TcpVariant::NewReno, ack, 8, &TcpConfig::default()), 10, Vec::new())
}

#[test]
fn one_handshake_serves_both_ways_and_data_carries_acks() {
    let mut pipe = plain(AckPolicy::Delayed);
    pipe.input(1, |tcp, cx| tcp.on_send(1500, cx));
    assert_eq!(pipe.received(), [""; 0], "the passive end waits for the connection");
    pipe.input(0, |tcp, cx| tcp.on_send(700, cx));
    pipe.at(500);
    assert_eq!(
        pipe.received(),
        [
            "0 a syn",
            "10 b syn ack 1",
            "20 a - ack 1",
            "20 a 1:700 ack 1",
            // The third packet of the handshake lets the reply go.
            "30 b 1:1000 ack 1",
            "30 b 1001:500 ack 1",
            // Data waits for company: both ends delay the ACK of less than two full segments.
            "230 b - ack 701",
            "240 a - ack 1501",
        ]
    );
    assert_eq!(pipe.delivered, [1500, 700]);
}

#[test]
fn a_request_is_acknowledged_by_its_reply() {
    let mut pipe = plain(AckPolicy::Delayed);
    pipe.input(0, |tcp, cx| tcp.on_send(300, cx));
    pipe.at(50).received();
    pipe.input(1, |tcp, cx| tcp.on_send(2000, cx));
    pipe.at(90);
    // The delayed ACK of the request rides on the reply, and no timer speaks later.
    assert_eq!(pipe.received(), ["50 b 1:1000 ack 301", "50 b 1001:1000 ack 301", "60 a - ack 2001"]);
    pipe.at(1000);
    assert_eq!(pipe.received(), [""; 0]);
}

#[test]
fn an_end_that_has_closed_still_receives() {
    let mut pipe = plain(AckPolicy::Every);
    pipe.input(0, |tcp, cx| {
        tcp.on_send(300, cx);
        tcp.close(cx);
    });
    pipe.at(100).received();
    assert_eq!((pipe.completed, pipe.closed), ([true, false], [false, true]));
    assert_eq!(pipe.ends[0].sender().map(TcpSender::state), Some(SenderState::FinWait2));
    pipe.input(1, |tcp, cx| tcp.on_send(1500, cx));
    pipe.at(200);
    assert_eq!(
        pipe.received(),
        ["100 b 1:1000 ack 302", "100 b 1001:500 ack 302", "110 a - ack 1001", "110 a - ack 1501"]
    );
    pipe.input(1, |tcp, cx| tcp.close(cx));
    pipe.at(300);
    assert_eq!(pipe.received(), ["200 b fin ack 302", "210 a - ack 1502"]);
    assert_eq!((pipe.completed, pipe.closed, pipe.delivered), ([true; 2], [true; 2], [1500, 300]));
    let states = [0, 1].map(|end| pipe.ends[end].sender().map(TcpSender::state));
    assert_eq!(states, [Some(SenderState::TimeWait), Some(SenderState::Closed)]);
}

#[test]
fn a_gap_is_reported_at_once_by_a_segment_without_data() {
    // The first data segment of the active end is lost; the reply flows on.
    let tcp = TcpConfig { initial_window: 4, ..TcpConfig::default() };
    let flow = flow(TcpVariant::Sack, AckPolicy::Delayed, 8, &tcp);
    let mut pipe = Pipe::new(&flow, 10, vec![Some(0), Some(0), Some(0), None]);
    pipe.input(0, |tcp, cx| tcp.on_send(4000, cx));
    pipe.input(1, |tcp, cx| tcp.on_send(2000, cx));
    pipe.at(35);
    let bare = pipe.received().iter().filter(|said| *said == "30 b - ack 1").count();
    assert_eq!(bare, 3, "one for each segment above the gap");
    pipe.at(2000);
    assert_eq!(pipe.delivered, [2000, 4000]);
    let stats = pipe.ends[0].sender().map(TcpSender::stats).expect("a sender");
    assert_eq!((stats.retransmissions, stats.fast_retransmits, stats.timeouts), (1, 1, 0));
}

#[derive(Debug, Clone)]
struct Case {
    transport: TcpVariant,
    policy: AckPolicy,
    options: u8,
    max_window: u32,
    delay_ms: u64,
    /// Bytes of each end's offers, by turns.
    offers: [Vec<u64>; 2],
    impairments: Vec<Option<u64>>,
}

fn case() -> impl Strategy<Value = Case> {
    let impairment = prop_oneof![1 => Just(None), 4 => Just(Some(0)), 1 => (0u64..80).prop_map(Some)];
    let offers = || proptest::collection::vec(prop_oneof![1u64..5000, 1u64..60_000], 0..4);
    (
        proptest::sample::select(TcpVariant::built_in().collect::<Vec<_>>()),
        proptest::sample::select(vec![AckPolicy::Every, AckPolicy::Delayed, AckPolicy::Linux, AckPolicy::LinuxModern]),
        any::<u8>(),
        1u32..40,
        1u64..100,
        (offers(), offers()),
        proptest::collection::vec(impairment, 0..400),
    )
        .prop_map(|(transport, policy, options, max_window, delay_ms, (near, far), impairments)| Case {
            transport,
            policy,
            options,
            max_window,
            delay_ms,
            offers: [near, far],
            impairments,
        })
}

proptest! {
    #![proptest_config(property(300))]

    /// Whatever is lost, late or out of order: each end gets all that the other has offered, hears of its end once, and
    /// both come to rest.
    #[test]
    fn everything_arrives_both_ways(case in case()) {
        check(case);
    }
}

fn check(case: Case) {
    let on = |bit: u8| case.options & (1 << bit) != 0;
    let tcp = TcpConfig {
        timestamps: on(0),
        dsack: Some(on(1)),
        ecn: on(2),
        frto: on(3),
        prr: on(4),
        pacing: if on(5) { Pacing::Window } else { Pacing::Own },
        ..TcpConfig::default()
    };
    let flow = flow(case.transport, case.policy, case.max_window, &tcp);
    let mut pipe = Pipe::new(&flow, case.delay_ms, case.impairments.clone());
    pipe.input(0, |tcp, cx| tcp.on_send(1, cx));
    for turn in 0..4 {
        for end in [0, 1] {
            if let Some(&bytes) = case.offers[end].get(turn) {
                pipe.input(end, |tcp, cx| tcp.on_send(bytes, cx));
            }
        }
        pipe.at(300 * (turn as u64 + 1));
    }
    for end in if on(6) { [0, 1] } else { [1, 0] } {
        pipe.input(end, |tcp, cx| tcp.close(cx));
        if on(7) {
            let now = pipe.now.0 / MS;
            pipe.at(now + 2000);
        }
    }
    pipe.run(Time(100_000_000 * MS));
    let offered = [0, 1].map(|end: usize| case.offers[end].iter().sum::<u64>() + u64::from(end == 0));
    assert_eq!(pipe.delivered, [offered[1], offered[0]], "all bytes, once and in order");
    assert_eq!((pipe.completed, pipe.closed), ([true; 2], [true; 2]));
    for end in &pipe.ends {
        let state = end.sender().map(TcpSender::state);
        assert_eq!(state, Some(SenderState::Closed), "{state:?}");
    }
    assert!(pipe.in_transit.is_empty());
}

#[test]
fn what_a_window_or_a_closed_end_refuses_brings_nothing_new() {
    let cfg = TcpConfig { read_rate: Some(0), ..TcpConfig::default() };
    let flow = flow(TcpVariant::NewReno, AckPolicy::Every, 1, &cfg);
    let (_, mut passive) = Connection::pair(&flow, 20, Stream::derive(1, 0, 0, Purpose::Clock));
    let mut take = |segment: TcpSegment| {
        let mut cx = EndpointCx { now: Time::ZERO, out: &mut Vec::new(), node: None, path_info: None };
        passive.on_segment(&segment, Ecn::NotEct, &mut cx).map(|payload| payload.duplicate)
    };
    let data = |seq| TcpSegment {
        seq,
        ack: 1,
        len: MSS,
        flags: TcpFlags { ack: true, ..TcpFlags::default() },
        ..TcpSegment::default()
    };
    take(TcpSegment { flags: TcpFlags { syn: true, ..TcpFlags::default() }, ..TcpSegment::default() });
    assert_eq!(take(data(1)), Some(false));
    assert_eq!(take(TcpSegment { len: 1, ..data(1 + u64::from(MSS)) }), Some(true), "a probe of a closed window");
    assert_eq!(
        take(TcpSegment { flags: TcpFlags { rst: true, ..TcpFlags::default() }, len: 0, ..data(1 + u64::from(MSS)) }),
        None
    );
    assert_eq!(take(data(1)), Some(true), "there is no connection any more");
}
