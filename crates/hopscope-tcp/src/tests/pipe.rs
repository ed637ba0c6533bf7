//! A sender and a receiver joined by a pipe that loses, delays and reorders.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::*;
use crate::ack::outside::{AckAnswer, AckHook, AckRule, AckView};
use crate::config::tcp::RouteFailure;
use hopscope_testing::property;

/// What happens to the segments, in the order they are sent.
#[derive(Debug, Clone)]
struct Weather {
    /// Impairment of each of the first segments: lost, or delayed by that many milliseconds beyond `delay_ms`.
    impairments: Vec<Option<u64>>,
    delay_ms: u64,
}

/// What becomes of the route, and what the sender does about it.
#[derive(Debug, Clone)]
pub(super) struct Routes {
    pub(super) part: RouteFailure,
    pub(super) fixed_rto: bool,
    pub(super) elfn_any_ack: bool,
    pub(super) door: bool,
    /// It is there again, or has failed, after so many milliseconds.
    pub(super) changes: Vec<(u64, bool)>,
}

const STEADY: Routes =
    Routes { part: RouteFailure::Ignore, fixed_rto: false, elfn_any_ack: false, door: false, changes: Vec::new() };

#[derive(Debug, Clone)]
pub(super) struct Case {
    variant: TcpVariant,
    policy: AckPolicy,
    ns2: bool,
    max_window: u32,
    /// Greatest congestion window, and with odd ones an RTO of five times its length; 0: none.
    cwnd_limit: u32,
    /// Options in use, one bit each: see [`Case::config`].
    options: u8,
    /// Bytes of each offer; the first comes before the set-up, the others every 300 ms.
    offers: Vec<u64>,
    weather: Weather,
    pub(super) routes: Routes,
}

fn weather() -> impl Strategy<Value = Weather> {
    let impairment = prop_oneof![1 => Just(None), 4 => Just(Some(0)), 2 => (0u64..120).prop_map(Some)];
    (proptest::collection::vec(impairment, 0..300), 1u64..150)
        .prop_map(|(impairments, delay_ms)| Weather { impairments, delay_ms })
}

pub(super) fn case() -> impl Strategy<Value = Case> {
    (
        proptest::sample::select(TcpVariant::built_in().collect::<Vec<_>>()),
        proptest::sample::select(AckPolicy::ALL.to_vec()),
        any::<bool>(),
        1u32..40,
        0u32..8,
        any::<u8>(),
        proptest::collection::vec(prop_oneof![1u64..5000, 1u64..120_000], 1..4),
        weather(),
    )
        .prop_map(|(variant, policy, ns2, max_window, cwnd_limit, options, offers, weather)| Case {
            variant,
            policy,
            ns2,
            max_window,
            cwnd_limit,
            options,
            offers,
            weather,
            routes: STEADY,
        })
}

impl Case {
    fn takes(&self, recovery: LossRecovery) -> bool {
        let asked = TcpConfig { loss_recovery: recovery, ..TcpConfig::default() };
        self.variant.lets_choose_recovery() && self.variant.kind(&asked).is_sound()
    }

    fn config(&self) -> TcpConfig {
        let on = |bit: u8| self.options & (1 << bit) != 0;
        let loss_recovery = match self.options >> 6 {
            1 if self.variant.lets_choose_recovery() => LossRecovery::Sack,
            2 if self.variant.lets_choose_recovery() => LossRecovery::Rack,
            3 if self.takes(LossRecovery::Reno) => LossRecovery::Reno,
            0 if self.takes(LossRecovery::Tahoe) && self.max_window % 2 == 0 => LossRecovery::Tahoe,
            _ => LossRecovery::Own,
        };
        // ns-2's RTO may be as short as 200 ms: nobody waits as long.
        let wait = Span::from_millis(if self.ns2 { 100 } else { 500 });
        TcpConfig {
            ack_every: 1 + self.max_window % 7,
            ada_deferment: wait,
            daa_longest_wait: wait,
            timestamps: on(0),
            dsack: Some(on(1)),
            ecn: on(2),
            frto: on(3),
            prr: on(5),
            pacing: if on(4) { Pacing::Window } else { Pacing::Own },
            loss_recovery,
            route_failure: self.routes.part,
            fixed_rto: self.routes.fixed_rto,
            elfn_any_ack: self.routes.elfn_any_ack,
            door: self.routes.door,
            ack_guard: self.max_window % 3 == 0,
            cwnd_limit: self.cwnd_limit,
            rto_multiplier: if self.cwnd_limit % 2 == 1 { 5 } else { 1 },
            ..if self.ns2 { ns2_config() } else { TcpConfig::default() }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Sender,
    Receiver,
}

/// One thing that will happen; the list is short, so it is searched for the earliest.
#[derive(Debug, Clone, Copy)]
enum Event {
    Arrive(End, TcpSegment),
    Offer(u64),
    Close,
    Route(bool),
}

struct Pipe {
    case: Case,
    now: Time,
    sender: TcpSender,
    receiver: TcpReceiver,
    timers: [Expiries; 2],
    events: Vec<(Time, u64, Event)>,
    segments: usize,
    serial: u64,
    delivered: u64,
    completed: [bool; 2],
}

impl Pipe {
    fn new(case: Case) -> Self {
        let cfg = case.config();
        let sack = case.variant.kind(&cfg).uses_sack();
        let mut sender = TcpSender::new(&cfg, case.variant.kind(&cfg), MSS, case.max_window);
        if case.policy == AckPolicy::LinuxModern {
            sender.mark_pushes();
        }
        if case.policy.reads_window() || cfg.ack_guard {
            sender.signal_window();
        }
        Pipe {
            now: Time::ZERO,
            sender,
            receiver: TcpReceiver::new(&cfg, case.policy, Span::from_millis(100), sack, MSS, case.max_window),
            timers: [Expiries::default(), Expiries::default()],
            events: Vec::new(),
            segments: 0,
            serial: 0,
            delivered: 0,
            completed: [false; 2],
            case,
        }
    }

    fn schedule(&mut self, at: Time, event: Event) {
        self.serial += 1;
        self.events.push((at, self.serial, event));
    }

    /// Carries effects out and checks what must hold after every input.
    fn settle(&mut self, end: End, out: Vec<TransportEffect>) {
        for effect in out {
            self.timers[end as usize].note(&effect);
            match effect {
                TransportEffect::Emit(Body::Tcp(seg)) => self.send(end, seg),
                TransportEffect::Deliver { bytes } => {
                    assert_eq!(end, End::Receiver);
                    assert!(bytes > 0, "an empty delivery");
                    self.delivered += u64::from(bytes);
                }
                TransportEffect::Note(Note::Completed | Note::PeerClosed) => {
                    assert!(!self.completed[end as usize], "completed twice");
                    self.completed[end as usize] = true;
                }
                TransportEffect::Arm(_, at) => assert!(at >= self.now, "a timer in the past"),
                TransportEffect::Disarm(_) | TransportEffect::Note(Note::Rtt(_) | Note::AckWindow(_)) => {}
                TransportEffect::Emit(_) | TransportEffect::Note(Note::Reset(_) | Note::Rate(_)) => {
                    panic!("TCP sends segments")
                }
            }
        }
        // ns-2 halves a window of one, and its Vegas may close the window until the timer opens it.
        let least = if self.case.ns2 { 0.0 } else { 1.0 };
        assert!(self.sender.cwnd() >= least, "cwnd {}", self.sender.cwnd());
        assert!(self.sender.ssthresh() >= 2.0 || self.case.max_window < 2);
        let window = u64::from(self.case.max_window) * u64::from(MSS);
        assert!(self.sender.outstanding() <= window + 1, "outstanding {}", self.sender.outstanding());
        assert!(self.sender.rto() > Span::ZERO);
    }

    fn send(&mut self, from: End, seg: TcpSegment) {
        let impairment = self.case.weather.impairments.get(self.segments).copied().unwrap_or(Some(0));
        self.segments += 1;
        if let Some(delay_ms) = impairment {
            let mut seg = seg;
            if seg.ecn == Ecn::Ect && self.segments % 7 == 0 {
                seg.ecn = Ecn::Ce;
            }
            let to = if from == End::Sender { End::Receiver } else { End::Sender };
            let at = self.now + Span::from_millis(self.case.weather.delay_ms + delay_ms);
            self.schedule(at, Event::Arrive(to, seg));
        }
    }

    /// Runs until nothing is left to happen; returns the number of steps.
    fn run(&mut self) -> usize {
        let offers = self.case.offers.clone();
        let mut out = Vec::new();
        self.sender.offer(offers[0], self.now, &mut out);
        self.sender.open(self.now, &mut out);
        for (k, bytes) in offers.iter().enumerate().skip(1) {
            self.schedule(Time(300 * MS * k as u64), Event::Offer(*bytes));
        }
        self.schedule(Time(300 * MS * offers.len() as u64), Event::Close);
        for (at, found) in self.case.routes.changes.clone() {
            self.schedule(Time(at * MS), Event::Route(found));
        }
        self.settle(End::Sender, out);
        for step in 0.. {
            assert!(step < 50_000, "no end: {:?} {:?}", self.sender.state(), self.receiver.state());
            let next = (0..self.events.len()).min_by_key(|&i| (self.events[i].0, self.events[i].1));
            let event_at = next.map_or(Time::NEVER, |i| self.events[i].0);
            let mut out = Vec::new();
            let timers: Vec<(End, Timer, Time)> = [End::Sender, End::Receiver]
                .into_iter()
                .filter_map(|end| self.timers[end as usize].earliest(event_at).map(|(kind, at)| (end, kind, at)))
                .collect();
            if let Some(&(end, kind, at)) = timers.iter().min_by_key(|t| (t.2, t.0)) {
                self.timers[end as usize].take(kind);
                self.now = at;
                match end {
                    End::Sender => self.sender.on_timer(kind, at, &mut out),
                    End::Receiver => self.receiver.on_timer(kind, at, &mut out),
                }
                self.settle(end, out);
                continue;
            }
            let Some(next) = next else { return step };
            let (at, _, event) = self.events.swap_remove(next);
            self.now = at;
            let end = match event {
                Event::Arrive(End::Receiver, seg) => {
                    self.receiver.on_segment(&seg, at, &mut out);
                    End::Receiver
                }
                Event::Arrive(End::Sender, seg) => {
                    self.sender.on_segment(&seg, 1, at, &mut out);
                    End::Sender
                }
                Event::Offer(bytes) => {
                    self.sender.offer(bytes, at, &mut out);
                    End::Sender
                }
                Event::Close => {
                    self.sender.close(at, &mut out);
                    End::Sender
                }
                Event::Route(found) => {
                    let mut cx = Cx { now: at, out: &mut out };
                    if found {
                        self.sender.on_route_found(&mut cx)
                    } else {
                        self.sender.on_route_failed(&mut cx)
                    }
                    End::Sender
                }
            };
            self.settle(end, out);
        }
        unreachable!("the loop returns or panics")
    }
}

pub(super) fn check(case: Case) {
    let total: u64 = case.offers.iter().sum();
    let ns2 = case.ns2;
    let mut pipe = Pipe::new(case);
    pipe.run();
    // Deliveries are contiguous by construction of the receiver; their sum is the stream, once.
    assert_eq!(pipe.delivered, total);
    assert_eq!(pipe.receiver.stats().bytes_delivered, total);
    assert_eq!(pipe.sender.stats().bytes_acked, total);
    assert_eq!(pipe.completed, [true, !ns2]);
    assert_eq!(pipe.sender.state(), SenderState::Closed);
    assert_eq!(pipe.sender.outstanding(), 0);
    if !ns2 {
        assert_eq!(pipe.receiver.state(), ReceiverState::Closed);
    }
}

proptest! {
    #![proptest_config(property(512))]

    #[test]
    fn every_byte_arrives_once_and_the_connection_ends(case in case()) {
        check(case);
    }

    #[test]
    fn no_policy_deadlocks_under_any_limit_of_the_window(
        variant in proptest::sample::select(TcpVariant::built_in().collect::<Vec<_>>()),
        // A policy from outside as often as all others together.
        policy in prop_oneof![proptest::sample::select(AckPolicy::ALL.to_vec()), Just(AckPolicy::External)],
        waits in proptest::collection::vec(proptest::option::of(0u64..=500), 1..8),
        (max_window, cwnd_limit) in (1u32..40, 0u32..8),
        delay_ms in 1u64..150,
        // Without ECN: the pipe marks every seventh segment.
        options in any::<u8>().prop_map(|options| options & !(1 << 2)),
        offers in proptest::collection::vec(1u64..60_000, 1..4),
    ) {
        let total: u64 = offers.iter().sum();
        let weather = Weather { impairments: Vec::new(), delay_ms };
        let case =
            Case { variant, policy, ns2: false, max_window, cwnd_limit, options, offers, weather, routes: STEADY };
        let mut pipe = Pipe::new(case);
        pipe.receiver.set_rule(Arc::new(Whims { waits, asked: AtomicUsize::new(0) }));
        pipe.run();
        // Nothing is lost, so a sender's timer that expires has waited a whole RTO without progress. Round trip and
        // wait together stay below its least value, a second.
        prop_assert_eq!((pipe.delivered, pipe.sender.stats().timeouts), (total, 0));
    }
}

/// A policy from outside that holds ACKs back by the next of its waits in ms, over and over; none: as it was.
#[derive(Debug)]
struct Whims {
    waits: Vec<Option<u64>>,
    asked: AtomicUsize,
}

impl AckRule for Whims {
    fn answers(&self, _: AckHook) -> bool {
        true
    }

    fn decide(&self, _: AckHook, _: &AckView) -> AckAnswer {
        let turn = self.asked.fetch_add(1, Ordering::Relaxed) % self.waits.len();
        AckAnswer { wait: self.waits[turn].map(Span::from_millis), window: None }
    }
}

#[test]
fn every_combination_over_a_pipe_that_loses_a_tenth() {
    for variant in TcpVariant::built_in() {
        for policy in AckPolicy::ALL {
            for ns2 in [false, true] {
                let impairments = (0..400).map(|k| (k * 7 % 10 != 3).then_some(k * 13 % 17)).collect();
                let weather = Weather { impairments, delay_ms: 40 };
                check(Case {
                    variant,
                    policy,
                    ns2,
                    max_window: 20,
                    cwnd_limit: 0,
                    options: 0,
                    offers: vec![200_500],
                    weather,
                    routes: STEADY,
                });
            }
        }
    }
}

#[test]
fn a_clean_pipe_repeats_nothing() {
    for variant in TcpVariant::built_in() {
        for policy in AckPolicy::ALL {
            for ns2 in [false, true] {
                let weather = Weather { impairments: Vec::new(), delay_ms: 20 };
                let mut pipe = Pipe::new(Case {
                    variant,
                    policy,
                    ns2,
                    max_window: 16,
                    cwnd_limit: 0,
                    options: 0,
                    offers: vec![300_000],
                    weather,
                    routes: STEADY,
                });
                pipe.run();
                let stats = pipe.sender.stats();
                // An ACK for more than two segments may be held back for longer than a tail-loss probe waits.
                let thins = matches!(policy, AckPolicy::Fixed | AckPolicy::Lda | AckPolicy::Ada)
                    || matches!(policy, AckPolicy::Daa | AckPolicy::Daap | AckPolicy::Mda)
                    || matches!(policy, AckPolicy::Dca | AckPolicy::IatWindow | AckPolicy::Tack | AckPolicy::Asym);
                let needless =
                    if thins { stats.retransmissions.saturating_sub(stats.probes) } else { stats.retransmissions };
                assert_eq!((needless, stats.timeouts, stats.window_cuts), (0, 0, 0), "{variant:?} {policy:?}");
                assert_eq!(pipe.receiver.stats().duplicates, stats.retransmissions);
            }
        }
    }
}

#[test]
fn no_policy_waits_for_segments_that_a_small_window_never_sends() {
    // Progress within one RTO: the receiver's timer speaks before the sender's.
    for policy in AckPolicy::ALL {
        for (max_window, cwnd_limit) in (1..=6).flat_map(|n| [(n, 0), (20, n)]) {
            let weather = Weather { impairments: Vec::new(), delay_ms: 20 };
            let variant = TcpVariant::NewReno;
            let offers = vec![30_000, 1_500];
            let case = Case {
                variant,
                policy,
                ns2: false,
                max_window,
                cwnd_limit,
                options: 0,
                offers,
                weather,
                routes: STEADY,
            };
            let mut pipe = Pipe::new(case);
            pipe.run();
            assert_eq!(
                (pipe.delivered, pipe.sender.stats().timeouts),
                (31_500, 0),
                "{policy:?} {max_window} {cwnd_limit}"
            );
        }
    }
}
