//! The example cases of the draft's appendix, over a path with one bottleneck.

use std::collections::VecDeque;

use super::super::tests::window;
use super::startup::DRAIN_ROUNDS;
use super::*;
use crate::sent::SentLog;

const MSS: u64 = 1000;
const MS: u64 = 1_000_000;

/// A flow without end, paced and bounded by BBR, over a link with a drop-tail queue and a fixed delay. A segment is
/// given up when a later one has arrived.
struct Path {
    bbr: Bbr3,
    w: Window,
    log: SentLog,
    now: Time,
    /// Segments per second, round-trip delay without the queue, and room in the queue.
    rate: u64,
    delay: Span,
    queue: usize,
    /// Every so many segments is lost on the way; 0: none.
    lose_every: u64,
    /// The link is free at this time.
    free: Time,
    next_send: Time,
    nxt: u64,
    una: u64,
    /// Segments on their way: start, arrival of their ACK; lost ones have none.
    flight: VecDeque<(u64, Option<Time>)>,
    sent: u64,
    /// Each state entered, and when.
    visited: Vec<(Time, State)>,
}

impl Path {
    fn new(rate: u64, delay_ms: u64, queue: usize) -> Self {
        let mut bbr = Bbr3::new(MSS);
        let mut w = window(10.0, f64::INFINITY);
        bbr.on_established(&mut w, Time::ZERO);
        Path {
            bbr,
            w,
            log: SentLog::new(MSS, 10_000),
            now: Time::ZERO,
            rate,
            delay: Span::from_millis(delay_ms),
            queue,
            lose_every: 0,
            free: Time::ZERO,
            next_send: Time::ZERO,
            nxt: 1,
            una: 1,
            flight: VecDeque::new(),
            sent: 0,
            visited: vec![(Time::ZERO, State::Startup)],
        }
    }

    fn in_flight(&self) -> f64 {
        self.log.flying() as f64 / MSS as f64
    }

    fn queued(&self) -> u64 {
        self.free.saturating_since(self.now).0 * self.rate / 1_000_000_000
    }

    fn send(&mut self) {
        self.bbr.on_sent(self.nxt, self.now);
        self.log.on_sent(self.nxt, self.flight.is_empty(), self.now);
        self.sent += 1;
        let dropped = self.queued() >= self.queue as u64 || (self.lose_every > 0 && self.sent % self.lose_every == 0);
        let arrival = (!dropped).then(|| {
            self.free = self.free.max(self.now) + Span(1_000_000_000 / self.rate);
            self.free + self.delay
        });
        self.flight.push_back((self.nxt, arrival));
        let spacing = self.bbr.spacing(MSS).unwrap_or(Span::ZERO);
        self.next_send = self.next_send.max(self.now) + spacing;
        self.nxt += MSS;
    }

    /// The next ACK: lost segments before it are reported first, as a receiver with SACK would.
    fn acknowledge(&mut self) {
        let mut lost = false;
        while let Some((seq, arrival)) = self.flight.pop_front() {
            if arrival.is_some() {
                self.una = seq + MSS;
                break;
            }
            let Path { log, bbr, w, now, .. } = self;
            let mut first = true;
            log.lose(|_, _| std::mem::take(&mut first), |segment| bbr.on_lost(w, segment, *now));
            lost = true;
        }
        if lost && self.bbr.saved.repair == Repair::None {
            let loss = Loss { now: self.now, flight: self.in_flight(), ..super::super::tests::loss(0.0) };
            self.bbr.on_loss(&mut self.w, &loss);
        }
        let report = self.log.on_ack(self.una, false, &[], self.now);
        self.bbr.on_feedback(
            &mut self.w,
            &Feedback {
                now: self.now,
                una: self.una,
                nxt: self.nxt,
                bytes: MSS,
                rtt: report.rtt,
                srtt: report.rtt,
                rate: report.rate,
                delivered: self.log.delivered(),
                newly_delivered: MSS,
                in_flight: self.log.flying(),
                hops: 1,
                recovering: lost,
                newly_sacked: 0,
                marked: false,
            },
        );
        let state = self.bbr.state;
        if self.visited.last().is_none_or(|(_, last)| *last != state) {
            self.visited.push((self.now, state));
        }
    }

    fn run_until(&mut self, mut done: impl FnMut(&Path) -> bool) -> &mut Self {
        for _ in 0..2_000_000 {
            if done(self) {
                return self;
            }
            let ack = self.flight.iter().find_map(|(_, arrival)| *arrival);
            let room = self.in_flight() + 1.0 <= self.w.cwnd;
            match ack {
                Some(ack) if !room || ack <= self.next_send.max(self.now) => {
                    self.now = ack;
                    self.acknowledge();
                }
                _ => {
                    assert!(room, "nothing comes back and nothing may be sent");
                    self.now = self.now.max(self.next_send);
                    self.send();
                }
            }
        }
        panic!("never; now {:?} since {:?}", self.bbr.state, self.visited.last())
    }

    fn run_to(&mut self, seconds: f64) -> &mut Self {
        self.run_until(|p| p.now.as_secs() >= seconds)
    }

    fn run_to_state(&mut self, state: State) -> &mut Self {
        self.run_until(|p| p.bbr.state == state)
    }

    /// Bandwidth over that of the link.
    fn share(&self) -> f64 {
        self.bbr.max_bw.get() / (self.rate * MSS) as f64
    }
}

/// 1000 segments/s, 50 ms: 50 segments fill the path.
fn path() -> Path {
    Path::new(1000, 50, 100_000)
}

#[test]
fn startup_ends_on_a_plateau_with_the_bandwidth_known() {
    let mut p = path();
    p.run_to_state(State::Drain);
    assert!((p.share() - 1.0).abs() < 0.02, "{}", p.share());
    assert!(p.bbr.full.reached && p.bbr.full.rounds == 3);
    assert!(p.queued() > 20, "it overshoots: {}", p.queued());
}

#[test]
fn drain_ends_when_the_volume_in_flight_is_that_of_the_path() {
    let mut p = path();
    p.run_to_state(State::Drain).run_until(|p| p.bbr.state != State::Drain);
    assert!(p.in_flight() <= p.bbr.inflight(p.bbr.bw));
    assert!((p.in_flight() - 51.0).abs() < 3.0, "{}", p.in_flight());
}

#[test]
fn drain_ends_after_three_rounds_when_the_path_gets_slower() {
    let mut p = path();
    p.run_to_state(State::Drain);
    let rounds = p.bbr.rounds.count;
    p.rate = 300;
    p.run_until(|p| p.bbr.state != State::Drain);
    assert!(p.in_flight() > p.bbr.inflight(p.bbr.bw), "the queue still stands");
    assert_eq!(p.bbr.rounds.count, rounds + DRAIN_ROUNDS + 1);
}

#[test]
fn the_cycle_goes_down_cruise_refill_up() {
    let mut p = path();
    p.run_to(20.0);
    // What DRAIN has drained already needs no DOWN.
    let cycle: Vec<State> = p.visited.iter().map(|v| v.1).take(7).collect();
    use State::*;
    assert_eq!(cycle, [Startup, Drain, Cruise, Refill, Up, Down, Cruise]);
    // A probe comes two to three seconds after the last one.
    let waits = p.visited.windows(3).filter(|v| v[0].1 == Down && v[2].1 == Refill);
    let waits: Vec<f64> = waits.map(|v| v[2].0.saturating_since(v[0].0).as_secs()).collect();
    assert!(waits.len() >= 2 && waits.iter().all(|wait| (2.0..3.1).contains(wait)), "{waits:?}");
    assert!(p.queued() < 20 && p.share() > 0.97);
}

#[test]
fn small_paths_are_probed_as_often_as_reno_would() {
    // Five segments fill the path of 10 ms: five rounds from probe to probe, not two seconds.
    let mut p = Path::new(500, 10, 1000);
    p.run_to(4.0);
    let ups = p.visited.iter().filter(|v| v.1 == State::Up && v.0 > Time(MS * 1000)).count();
    assert!(ups > 10, "{ups} probes in 3 s");
}

#[test]
fn up_ends_on_a_plateau() {
    let mut p = path();
    p.run_to_state(State::Up);
    assert!(p.bbr.cycle.samples);
    p.run_to_state(State::Down);
    assert!(p.bbr.full.now && !p.bbr.cycle.too_high && p.bbr.bounds.inflight_long.is_infinite());
}

#[test]
fn up_ends_on_losses_and_the_next_probe_is_cautious() {
    // Room for half a path in the queue: probing at 1.25 overflows it.
    let mut p = path();
    p.run_to_state(State::Cruise);
    p.queue = 8;
    p.run_until(|p| p.bbr.cycle.too_high).run_to_state(State::Down);
    let bound = p.bbr.bounds.inflight_long;
    assert!((0.7 * 50.0..62.0).contains(&bound), "about what the path holds, not {bound}");
    // Cruising leaves headroom below it.
    p.run_to_state(State::Cruise);
    p.run_until(|p| p.bbr.state != State::Cruise || p.w.cwnd <= 0.85 * p.bbr.bounds.inflight_long + 1e-9);
    assert_eq!(p.bbr.state, State::Cruise);
    // The next probe stops as soon as it reaches the bound; if that loses nothing, another follows at once.
    p.queue = 1000;
    p.run_to_state(State::Up).run_to_state(State::Down);
    assert!(p.bbr.cycle.cautious && !p.bbr.cycle.too_high);
    let at = p.visited.len();
    p.run_to_state(State::Up);
    let after: Vec<State> = p.visited[at..].iter().map(|v| v.1).collect();
    assert!(after.len() <= 3 && after.ends_with(&[State::Refill, State::Up]), "{after:?}");
    // Then the bound rises, faster in each round.
    let bound = p.bbr.bounds.inflight_long;
    p.run_until(|p| p.bbr.state != State::Up || p.bbr.bounds.inflight_long > bound + 3.0);
    assert!(p.bbr.bounds.inflight_long > bound + 3.0);
}

#[test]
fn losses_outside_of_probes_pull_the_short_term_model_down_until_the_next_one() {
    let mut p = path();
    p.run_to_state(State::Cruise);
    assert!(p.bbr.bounds.bw_short.is_infinite());
    p.rate = 600;
    p.queue = 20;
    p.run_until(|p| p.bbr.bounds.bw_short.is_finite());
    let (long, short) = (p.bbr.max_bw.get(), p.bbr.bounds.bw_short);
    assert!(short >= 0.7 * long - 1.0 && short < long, "{short} of {long}");
    p.run_to_state(State::Refill);
    assert!(p.bbr.bounds.bw_short.is_infinite() && p.bbr.bounds.inflight_short.is_infinite());
}

#[test]
fn a_loss_in_each_round_trip_lowers_the_rate_until_the_next_probe() {
    // 1 % is below the threshold, so no probe is cut short by it, but a round trip of CRUISE with a loss leaves no more
    // than the largest rate of that round trip, which the pacing margin has lowered (draft 5.5.10.3 and 5.6.2; the same
    // in Linux).
    let mut p = Path::new(1000, 200, 100_000);
    p.lose_every = 100;
    p.run_to_state(State::Cruise);
    let (mut rates, mut rounds) = (Vec::new(), p.bbr.rounds.count);
    p.run_until(|p| {
        if p.bbr.rounds.count > rounds {
            rounds = p.bbr.rounds.count;
            rates.push(p.bbr.bw);
        }
        p.bbr.state != State::Cruise
    });
    assert!(rates.len() >= 5, "{rates:?}");
    let falls: Vec<f64> = rates.windows(2).map(|pair| pair[1] / pair[0]).collect();
    assert!(falls.iter().all(|fall| (0.96..=1.0).contains(fall)), "{falls:?}");
    let whole = rates[rates.len() - 1] / rates[0];
    assert!(whole < 0.98, "{whole} of the rate is left");
    assert!(p.bbr.bounds.inflight_long.is_infinite(), "no probe was cut short");
    p.run_to_state(State::Up);
    assert!((p.bbr.bw / p.bbr.max_bw.get() - 1.0).abs() < 1e-9, "the probe forgets it");
}

#[test]
fn a_mark_counts_as_a_loss() {
    let mark = |p: &mut Path| {
        let loss = Loss { now: p.now, flight: p.in_flight(), marked: true, ..super::super::tests::loss(0.0) };
        p.bbr.on_loss(&mut p.w, &loss)
    };
    let mut p = path();
    p.run_to_state(State::Cruise);
    assert!(mark(&mut p));
    assert_eq!(p.bbr.saved.repair, Repair::None, "nothing has to be repaired");
    p.run_until(|p| p.bbr.bounds.bw_short.is_finite());
    let mut p = path();
    p.run_to_state(State::Up);
    let flight = p.in_flight();
    mark(&mut p);
    assert_eq!((p.bbr.state, p.bbr.bounds.inflight_long), (State::Down, flight));
}

#[test]
fn the_bandwidth_follows_the_path_up_and_down() {
    let mut p = path();
    p.run_to(4.0);
    p.rate = 10_000;
    p.run_to(12.0);
    assert!(p.share() > 0.9, "{} of ten times the bandwidth", p.share());
    p.rate = 1000;
    p.queue = 100;
    p.run_to(30.0); // two cycles
    assert!((0.95..1.1).contains(&p.share()), "{} of a tenth", p.share());
}

#[test]
fn many_losses_end_startup() {
    // A queue of five: losses all along, in many places, long before the rate stops growing.
    let mut p = Path::new(10_000, 50, 100_000);
    p.run_until(|p| p.w.cwnd > 100.0);
    p.lose_every = 10;
    p.run_to_state(State::Drain);
    assert!(!p.bbr.full.now && p.bbr.bounds.inflight_long.is_finite(), "{} rounds", p.bbr.full.rounds);
}

#[test]
fn few_losses_do_not_end_startup() {
    let mut p = Path::new(10_000, 50, 100_000);
    p.lose_every = 200; // half a percent
    p.run_to_state(State::Drain);
    assert!(p.bbr.full.now && p.share() > 0.95, "{}", p.share());
}

#[test]
fn the_round_trip_time_is_probed_every_five_seconds() {
    let mut p = path();
    p.run_to(30.0);
    let at: Vec<f64> = p.visited.iter().filter(|v| v.1 == State::ProbeRtt).map(|v| v.0.as_secs()).collect();
    assert!((4..=6).contains(&at.len()), "{at:?}");
    for pair in at.windows(2) {
        assert!((5.0..5.6).contains(&(pair[1] - pair[0])), "{at:?}");
    }
    // Half a path in flight for 200 ms and a round trip, then on in CRUISE.
    let entry = p.visited.iter().position(|v| v.1 == State::ProbeRtt).expect("one");
    let lasted = p.visited[entry + 1].0.saturating_since(p.visited[entry].0).as_secs();
    assert!((0.2..0.4).contains(&lasted), "{lasted} s");
    assert_eq!(p.visited[entry + 1].1, State::Cruise);
    p.run_to_state(State::ProbeRtt).run_until(|p| p.bbr.probe_rtt.end.is_some());
    assert!((p.w.cwnd - 25.0).abs() < 3.0, "{}", p.w.cwnd);
    p.run_to_state(State::Cruise);
    assert!(p.w.cwnd > 50.0, "the window comes back: {}", p.w.cwnd);
}

#[test]
fn probe_rtt_in_startup_goes_back_to_startup() {
    let mut p = path();
    p.now = Time(100_000 * MS);
    p.run_until(|p| p.bbr.min_rtt.get().is_some());
    p.bbr.min_rtt.probed_at = Time(90_000 * MS); // long ago
    p.run_to_state(State::ProbeRtt).run_to_state(State::Startup).run_to_state(State::Drain);
    assert!((p.share() - 1.0).abs() < 0.05);
}

#[test]
fn idleness_takes_the_place_of_probe_rtt() {
    let mut p = path();
    p.run_to(3.0);
    let state = p.bbr.state;
    while !p.flight.is_empty() {
        p.now = p.flight[0].1.expect("nothing is lost here");
        p.acknowledge();
    }
    p.now += Span::from_secs(6);
    p.send();
    assert!(p.bbr.idle.restarts && p.bbr.pacing_rate <= MARGIN * p.bbr.bw);
    let seen = p.visited.len();
    p.run_to(p.now.as_secs() + 3.0);
    assert!(p.visited[seen..].iter().all(|v| v.1 != State::ProbeRtt), "{state:?} {:?}", &p.visited[seen..]);
}

#[test]
fn a_path_of_less_than_a_segment_keeps_four_in_flight() {
    let mut p = Path::new(10, 1, 1000);
    let mut least = f64::INFINITY;
    p.run_until(|p| {
        least = least.min(p.w.cwnd);
        p.now > Time(60_000 * MS)
    });
    assert_eq!(least, 4.0);
    assert!((p.share() - 1.0).abs() < 0.05, "{}", p.share());
}

#[test]
fn a_timeout_leaves_one_segment_and_the_window_returns_after_the_repair() {
    let mut p = path();
    p.run_to(3.0);
    let before = p.w.cwnd;
    let loss = Loss { now: p.now, flight: p.in_flight(), ..super::super::tests::loss(0.0) };
    p.bbr.on_timeout(&mut p.w, &loss);
    assert_eq!(p.w.cwnd, 1.0);
    let end = p.nxt;
    p.run_until(|p| p.una >= end + MSS);
    assert!(p.bbr.saved.repair == Repair::None && p.w.cwnd > 0.6 * before, "{} of {before}", p.w.cwnd);
}

#[test]
fn a_loss_that_was_none_takes_its_bounds_along() {
    let mut b = Bbr3::new(MSS);
    let mut w = window(20.0, f64::INFINITY);
    b.on_established(&mut w, Time::ZERO);
    (b.state, b.full.reached, b.bw, b.bounds.inflight_long) = (State::Up, true, 1e6, 30.0);
    let (before, to) = (b.clone(), w);
    b.on_loss(&mut w, &crate::control::tests::loss(20.0));
    b.bounds = Bounds { bw_short: 5e5, inflight_short: 14.0, inflight_long: 14.0 };
    (b.state, w.cwnd) = (State::Down, 7.0);
    b.on_undo(&mut w, &to, &before);
    let Bounds { bw_short, inflight_short, inflight_long } = b.bounds;
    assert_eq!((bw_short, inflight_short, inflight_long), (f64::INFINITY, f64::INFINITY, 30.0));
    assert_eq!((b.state, b.congestion.seen, b.saved.repair, w.cwnd), (State::Up, false, Repair::None, 20.0));
    // STARTUP goes on where the losses have ended it.
    let mut b = Bbr3 { state: State::Drain, ..before.clone() };
    b.on_undo(&mut w, &to, &Bbr3 { state: State::Startup, ..before });
    assert_eq!((b.state, b.full.reached), (State::Startup, false));
}
