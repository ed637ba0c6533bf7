//! The machines under profile `ns2` against ns-2.35 itself: every send of 8 s over a lossy link, in order and in time.
//!
//! The measurements lie beside this file; their first lines say how they were made. Sends agree to 20 us: ns-2 keeps
//! time in floating point and its trace in 10 us.

use std::collections::BTreeMap;

use super::*;

const RATE: u64 = 1_000_000;
const DELAY: Span = Span::from_millis(40);
const HEADERS: u64 = 40;
const END: Time = Time(8_000 * MS);
const TOLERANCE_S: f64 = 2e-5;

/// A measurement file.
struct Measured {
    variant: Transport,
    policy: AckPolicy,
    phase: Span,
    drops: Vec<u64>,
    /// Instant in seconds and packet number, 0 for the SYN.
    sends: Vec<(f64, u64)>,
}

fn parse(text: &str) -> Measured {
    let word = |w: &str| serde_json::Value::String(w.to_string());
    let mut m = Measured {
        variant: Transport::TcpReno,
        policy: AckPolicy::Every,
        phase: Span::ZERO,
        drops: Vec::new(),
        sends: Vec::new(),
    };
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let (key, rest) = line.split_once(' ').expect("a key and a value");
        let numbers = || rest.split(' ').map(|n| n.parse::<u64>().expect("a number"));
        match key {
            "variant" => m.variant = serde_json::from_value(word(rest)).expect("a transport"),
            "ack" => m.policy = serde_json::from_value(word(rest)).expect("a policy"),
            "phase_ns" => m.phase = Span(rest.parse().expect("nanoseconds")),
            "drops" => m.drops = numbers().collect(),
            at => m.sends.extend(numbers().map(|n| (at.parse::<f64>().expect("seconds"), n))),
        }
    }
    m
}

enum Event {
    ToReceiver(TcpSegment),
    ToSender(TcpSegment),
    SenderTimer(Timer),
    ReceiverTimer(Timer),
}

/// A link in each direction with an endless queue.
struct Link {
    now: Time,
    events: BTreeMap<(Time, u64), Event>,
    serial: u64,
    free: [Time; 2],
    sent: u64,
    sends: Vec<(f64, u64)>,
}

impl Link {
    fn schedule(&mut self, at: Time, event: Event) {
        self.serial += 1;
        self.events.insert((at, self.serial), event);
    }

    /// When the last bit of `bytes` arrives at the other end.
    fn carry(&mut self, direction: usize, bytes: u64) -> Time {
        let start = self.free[direction].max(self.now);
        self.free[direction] = start + Span(bytes * 8 * 1_000_000_000 / RATE);
        self.free[direction] + DELAY
    }

    fn sender_said(&mut self, m: &Measured, out: &mut Vec<TransportEffect>) {
        for effect in out.drain(..) {
            match effect {
                TransportEffect::Emit(Body::Tcp(seg)) => {
                    let number = if seg.flags.syn { 0 } else { (seg.seq - 1) / u64::from(MSS) + 1 };
                    self.sends.push((self.now.as_secs(), number));
                    // ns-2's Vegas adds no headers and sends its SYN as a full packet.
                    let vegas = m.variant == Transport::TcpVegas;
                    let bytes = if vegas { u64::from(MSS) } else { HEADERS + u64::from(seg.len) };
                    let at = self.carry(0, bytes);
                    self.sent += 1;
                    if !m.drops.contains(&(self.sent - 1)) {
                        self.schedule(at, Event::ToReceiver(seg));
                    }
                }
                TransportEffect::Arm(timer, at) => {
                    self.events.retain(|_, e| !matches!(e, Event::SenderTimer(t) if *t == timer));
                    self.schedule(at, Event::SenderTimer(timer));
                }
                _ => {}
            }
        }
    }

    fn receiver_said(&mut self, out: &mut Vec<TransportEffect>) {
        for effect in out.drain(..) {
            match effect {
                TransportEffect::Emit(Body::Tcp(seg)) => {
                    let at = self.carry(1, HEADERS + 8 * u64::from(seg.n_sack));
                    self.schedule(at, Event::ToSender(seg));
                }
                TransportEffect::Arm(timer, at) => {
                    self.events.retain(|_, e| !matches!(e, Event::ReceiverTimer(t) if *t == timer));
                    self.schedule(at, Event::ReceiverTimer(timer));
                }
                _ => {}
            }
        }
    }
}

fn simulate(m: &Measured) -> Vec<(f64, u64)> {
    let cfg = ns2_config();
    let mut sender = TcpSender::new(&cfg, m.variant.kind(&cfg), MSS, 20);
    sender.set_clock_phase(m.phase);
    let sack = m.variant == Transport::TcpSack;
    let mut receiver = TcpReceiver::new(&cfg, m.policy, Span::from_millis(100), sack, MSS, 20);
    let free = [Time::ZERO; 2];
    let mut link = Link { now: Time::ZERO, events: BTreeMap::new(), serial: 0, free, sent: 0, sends: Vec::new() };
    let mut out = Vec::new();
    sender.offer(u64::MAX, link.now, &mut out);
    sender.open(link.now, &mut out);
    link.sender_said(m, &mut out);
    while let Some(((at, _), event)) = link.events.pop_first() {
        if at >= END {
            break;
        }
        link.now = at;
        match event {
            Event::ToReceiver(seg) => receiver.on_segment(&seg, at, &mut out),
            Event::ReceiverTimer(timer) => receiver.on_timer(timer, at, &mut out),
            Event::ToSender(seg) => sender.on_segment(&seg, 1, at, &mut out),
            Event::SenderTimer(timer) => sender.on_timer(timer, at, &mut out),
        }
        match event {
            Event::ToReceiver(_) | Event::ReceiverTimer(_) => link.receiver_said(&mut out),
            Event::ToSender(_) | Event::SenderTimer(_) => link.sender_said(m, &mut out),
        }
    }
    link.sends
}

fn compare(text: &str) {
    let measured = parse(text);
    assert!(measured.sends.len() > 100, "a measurement of {} sends", measured.sends.len());
    let sends = simulate(&measured);
    for (k, (ours, theirs)) in sends.iter().zip(&measured.sends).enumerate() {
        let near = (ours.0 - theirs.0).abs() <= TOLERANCE_S && ours.1 == theirs.1;
        assert!(near, "{:?}: send {k} is {ours:?}, in ns-2 {theirs:?}", measured.variant);
    }
    assert_eq!(sends.len(), measured.sends.len());
}

macro_rules! measurements {
    ($($name:ident: $file:literal),+ $(,)?) => {
        $(#[test]
        fn $name() {
            compare(include_str!(concat!("ns2/", $file)));
        })+
    };
}

measurements! {
    tahoe: "tahoe.txt",
    tahoe_delayed_acks: "tahoe-delack.txt",
    reno: "reno.txt",
    reno_delayed_acks: "reno-delack.txt",
    newreno: "newreno.txt",
    newreno_delayed_acks: "newreno-delack.txt",
    sack: "sack.txt",
    sack_delayed_acks: "sack-delack.txt",
    vegas: "vegas.txt",
    vegas_delayed_acks: "vegas-delack.txt",
}
