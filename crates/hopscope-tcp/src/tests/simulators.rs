//! The machines under profiles `ns2` and `as-ns3` against ns-2.35 and ns-3.44 themselves: every send of 8 s over a
//! lossy link, in order and in time.
//!
//! The measurements lie next to this file; their first lines say how they were made. Sends agree to 20 us: ns-2 keeps
//! time in floating point, and the traces are in 10 us.

use std::collections::BTreeMap;

use super::*;

const RATE: u64 = 1_000_000;
const DELAY: Span = Span::from_millis(40);
const END: Time = Time(8_000 * MS);
const TOLERANCE_S: f64 = 2e-5;

/// A measurement file.
struct Measured {
    cfg: TcpConfig,
    /// Bytes on the link besides the payload.
    headers: u64,
    variant: TcpVariant,
    policy: AckPolicy,
    phase: Span,
    drops: Vec<u64>,
    /// Instant in seconds and packet number, 0 for the SYN.
    sends: Vec<(f64, u64)>,
}

fn parse(text: &str) -> Measured {
    let word = |w: &str| serde_json::Value::String(w.to_string());
    let mut m = Measured {
        cfg: ns2_config(),
        headers: 40,
        variant: TcpVariant::Reno,
        policy: AckPolicy::Every,
        phase: Span::ZERO,
        drops: Vec::new(),
        sends: Vec::new(),
    };
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let (key, rest) = line.split_once(' ').expect("a key and a value");
        let numbers = || rest.split(' ').map(|n| n.parse::<u64>().expect("a number"));
        match key {
            "variant" => m.variant = variant_of(rest),
            "ack" => m.policy = serde_json::from_value(word(rest)).expect("a policy"),
            "profile" => {
                assert_eq!(rest, "as-ns3");
                (m.cfg, m.headers) = (counted::as_ns3(), 42); // the link has PPP
            }
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
                    let handshake = !seg.flags.syn && seg.len == 0; // its third packet
                    if handshake {
                        let at = self.carry(0, m.headers);
                        self.schedule(at, Event::ToReceiver(seg));
                        continue;
                    }
                    self.sends.push((self.now.as_secs(), number));
                    // ns-2's Vegas adds no headers and sends its SYN as a full packet.
                    let vegas = m.variant == TcpVariant::Vegas;
                    let bytes = if vegas { u64::from(MSS) } else { m.headers + u64::from(seg.len) };
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

    fn receiver_said(&mut self, m: &Measured, out: &mut Vec<TransportEffect>) {
        for effect in out.drain(..) {
            match effect {
                TransportEffect::Emit(Body::Tcp(seg)) => {
                    let at = self.carry(1, m.headers + 8 * u64::from(seg.n_sack));
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
    let cfg = &m.cfg;
    let mut sender = TcpSender::new(cfg, m.variant.kind(cfg), MSS, 20);
    sender.set_clock_phase(m.phase);
    let sack = m.variant == TcpVariant::Sack;
    let mut receiver = TcpReceiver::new(cfg, m.policy, Span::from_millis(100), sack, MSS, 20);
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
            Event::ToReceiver(_) | Event::ReceiverTimer(_) => link.receiver_said(m, &mut out),
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
        assert!(near, "{:?}: send {k} is {ours:?}, measured {theirs:?}", measured.variant);
    }
    assert_eq!(sends.len(), measured.sends.len());
}

macro_rules! measurements {
    ($($name:ident: $file:literal),+ $(,)?) => {
        $(#[test]
        fn $name() {
            compare(include_str!($file));
        })+
    };
}

measurements! {
    ns2_tahoe: "ns2/tahoe.txt",
    ns2_tahoe_delayed_acks: "ns2/tahoe-delack.txt",
    ns2_reno: "ns2/reno.txt",
    ns2_reno_delayed_acks: "ns2/reno-delack.txt",
    ns2_newreno: "ns2/newreno.txt",
    ns2_newreno_delayed_acks: "ns2/newreno-delack.txt",
    ns2_sack: "ns2/sack.txt",
    ns2_sack_delayed_acks: "ns2/sack-delack.txt",
    ns2_vegas: "ns2/vegas.txt",
    ns2_vegas_delayed_acks: "ns2/vegas-delack.txt",
    ns3_newreno: "ns3/newreno.txt",
    ns3_newreno_more_losses: "ns3/newreno-more.txt",
}

/// The variant of a transport's word in the files of the reference: `tcp-newreno`.
fn variant_of(word: &str) -> TcpVariant {
    let is_it = |variant: &TcpVariant| format!("tcp-{variant:?}").eq_ignore_ascii_case(word);
    TcpVariant::built_in().find(is_it).unwrap_or_else(|| panic!("{word} is no variant"))
}
