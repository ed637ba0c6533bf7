//! Exchange tables: one line is an instant, what comes in, what must go out and, after a bar, what must hold then.
//!
//! ```text
//! 10 ack 3 > 6 7 | cwnd 5
//! ```
//!
//! Sender inputs: `open`, `offer N` (segments), `offer Nb` (bytes), `endless`, `close`, `synack`, `ack K [sack
//! 5-6,8-8]` (everything through segment K, the blocks in segments), `ackb N` (through byte N), `peerfin`, `rto`,
//! `timewait`, `pace`, `reorder` and `probe` (that timer must expire exactly then), `fail` and `found` (of the route);
//! an `ack` may add `ece`, `stamp N` (the echo) and `order N`. Outputs: `syn`, `ack`, segment numbers with `*` for a
//! repetition, `:len` for a short one and `+fin`, `fin`, `done`.
//!
//! Receiver inputs: `syn`, `seg K` (`seg K:len`, `seg K+fin`), `fin K` (after segment K), `ack N`, `delack`, `rto`.
//! Outputs: `synack`, `ack K` with `[a-b ...]` for its blocks, `fin`, `up N` bytes, `done`.

mod ack;
mod counted;
mod duplex;
mod linux;
mod loss;

mod options;
mod pipe;
mod rack;
mod receiver;
mod recovery;
mod route_failure;
mod setup;
mod simulators;
mod timeout;
mod undo;
mod walks;
mod window;

use super::*;
use crate::config::tcp::{Handshake, InitialSsthresh, LossRecovery, LossWindow, Pacing, Recovery, RttEstimator};
use crate::config::{AckPolicy, TcpConfig, TcpVariant};
use hopscope_core::units::Span;
use hopscope_packet::Ecn;
use hopscope_packet::tcp::{SackBlock, TcpFlags, Timestamps};

const MSS: u32 = 1000;
const MS: u64 = 1_000_000;

/// The profile `ns2` of `config/presets.rs`, TCP part.
fn ns2_config() -> TcpConfig {
    TcpConfig {
        handshake: Handshake::Ns2,
        initial_window: 2,
        initial_ssthresh: InitialSsthresh::Window,
        initial_rto: Span::from_secs(3),
        min_rto: Span::from_millis(200),
        clock_granularity: Span::from_millis(10),
        rtt_estimator: RttEstimator::Ns2,
        loss_window: LossWindow::Window,
        recovery: Recovery::Ns2,
        ..TcpConfig::default()
    }
}

/// A sender under test.
struct Sender {
    tcp: TcpSender,
    timers: Expiries,
}

impl Sender {
    fn new(cfg: &TcpConfig, variant: TcpVariant, max_window: u32) -> Self {
        Sender { tcp: TcpSender::new(cfg, variant.kind(cfg), MSS, max_window), timers: Expiries::default() }
    }

    /// A sender with an endless offer, three-way set-up done at 100 ms.
    fn established(cfg: &TcpConfig, variant: TcpVariant, max_window: u32) -> Self {
        let mut s = Sender::new(cfg, variant, max_window);
        let mut out = Vec::new();
        s.tcp.open(Time::ZERO, &mut out);
        s.tcp.on_segment(&answer("synack"), 1, Time(100 * MS), &mut out);
        out.iter().for_each(|e| s.timers.note(e));
        s
    }

    fn run(&mut self, table: &str) -> &mut Self {
        for line in table.lines().map(str::trim).filter(|l| !l.is_empty()) {
            let (exchange, checks) = line.split_once('|').unwrap_or((line, ""));
            let (input, expected) = exchange.split_once('>').expect("an exchange has a '>'");
            let (at, input) = input.trim().split_once(' ').expect("an instant and an input");
            let now = Time(at.parse::<u64>().expect("milliseconds") * MS);
            let got = self.step(input.trim(), now, line);
            assert_eq!(got, expected.split_whitespace().collect::<Vec<_>>().join(" "), "output of: {line}");
            self.check(checks, line);
        }
        self
    }

    fn step(&mut self, input: &str, now: Time, line: &str) -> String {
        let mut out = Vec::new();
        let timer = match input {
            "rto" => Some(Timer::Rto),
            "timewait" => Some(Timer::TimeWait),
            "pace" => Some(Timer::Pacing),
            "reorder" => Some(Timer::Reorder),
            "probe" => Some(Timer::Probe),
            _ => None,
        };
        let mut last = None;
        while let Some((kind, at)) =
            self.timers.due(if timer.is_some() { now } else { Time(now.0 - u64::from(now.0 > 0)) })
        {
            self.tcp.on_timer(kind, at, &mut out);
            out.iter().for_each(|e| self.timers.note(e));
            last = Some((kind, at));
            if !show_sender(&out).is_empty() {
                assert_eq!((Some(kind), at), (timer, now), "a timer spoke before: {line}");
                break;
            }
            out.clear();
        }
        if let Some(timer) = timer {
            assert_eq!(last, Some((timer, now)), "the timer of: {line}");
            return show_sender(&out);
        }
        let (word, rest) = input.split_once(' ').unwrap_or((input, ""));
        match word {
            "open" => self.tcp.open(now, &mut out),
            "close" => self.tcp.close(now, &mut out),
            "fail" => self.tcp.on_route_failed(&mut Cx { now, out: &mut out }),
            "found" => self.tcp.on_route_found(&mut Cx { now, out: &mut out }),
            "endless" => self.tcp.offer(u64::MAX, now, &mut out),
            "offer" => {
                let bytes = match rest.strip_suffix('b') {
                    Some(bytes) => bytes.parse().expect("bytes"),
                    None => rest.parse::<u64>().expect("segments") * u64::from(MSS),
                };
                self.tcp.offer(bytes, now, &mut out);
            }
            _ => self.tcp.on_segment(&answer(input), 1, now, &mut out),
        }
        out.iter().for_each(|e| self.timers.note(e));
        show_sender(&out)
    }

    fn check(&self, checks: &str, line: &str) {
        let words: Vec<&str> = checks.split_whitespace().collect();
        for pair in words.chunks(2) {
            let got = match pair[0] {
                "cwnd" => self.tcp.cwnd(),
                "ssthresh" => self.tcp.ssthresh(),
                "rto_ms" => self.tcp.rto().0 as f64 / MS as f64,
                "cuts" => self.tcp.stats().window_cuts as f64,
                "timeouts" => self.tcp.stats().timeouts as f64,
                other => panic!("unknown check {other} in: {line}"),
            };
            let want: f64 = pair[1].parse().expect("a number");
            assert!((got - want).abs() < 1e-3, "{} is {got}, not {want}, after: {line}", pair[0]);
        }
    }
}

/// A segment of the receiver as a table writes it.
fn answer(text: &str) -> TcpSegment {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut seg = TcpSegment { window: 64 * MSS, seq: 1, ..TcpSegment::default() };
    seg.flags.ack = true;
    let through = |k: u64| 1 + k * u64::from(MSS);
    match words[0] {
        "synack" => {
            seg.flags.syn = true;
            seg.seq = 0;
            seg.ack = 1;
        }
        "ack" => seg.ack = through(words[1].parse().expect("a segment number")),
        "ackb" => seg.ack = 1 + words[1].parse::<u64>().expect("bytes"),
        "peerfin" => {
            seg.flags.fin = true;
            seg.ack = 1 + words[1].parse::<u64>().expect("bytes");
        }
        other => panic!("unknown input {other}"),
    }
    seg.flags.ece = words.contains(&"ece");
    if let Some(at) = words.iter().position(|w| *w == "stamp") {
        seg.timestamps = Some(Timestamps { value: 0, echo: words[at + 1].parse().expect("a stamp") });
    }
    if let Some(at) = words.iter().position(|w| *w == "order") {
        seg.order = words[at + 1].parse().expect("a number");
    }
    if let Some(at) = words.iter().position(|w| *w == "sack") {
        for (slot, block) in seg.sack.iter_mut().zip(words[at + 1].split(',')) {
            let (first, last) = block.split_once('-').expect("a block");
            let (first, last): (u64, u64) = (first.parse().expect("first"), last.parse().expect("last"));
            *slot = SackBlock { start: through(first - 1), end: through(last) };
            seg.n_sack += 1;
        }
    }
    seg
}

fn show_sender(out: &[TransportEffect]) -> String {
    let mut words = Vec::new();
    for effect in out {
        match effect {
            TransportEffect::Emit(Body::Tcp(seg)) => words.push(show_segment(seg)),
            TransportEffect::Note(Note::Completed) => words.push("done".into()),
            TransportEffect::Deliver { .. } => panic!("a sender delivers nothing"),
            TransportEffect::Arm(..) | TransportEffect::Disarm(_) | TransportEffect::Note(_) => {}
            TransportEffect::Emit(_) => panic!("TCP sends segments"),
        }
    }
    words.join(" ")
}

fn show_segment(seg: &TcpSegment) -> String {
    let TcpFlags { syn, fin, .. } = seg.flags;
    let mut text = match (syn, fin, seg.len) {
        (true, ..) => "syn".to_string(),
        (_, true, 0) => "fin".to_string(),
        (_, false, 0) if seg.flags.rst => return "rst".to_string(),
        (_, false, 0) => return "ack".to_string(),
        _ => ((seg.seq - 1) / u64::from(MSS) + 1).to_string(),
    };
    if seg.len > 0 && seg.len != MSS {
        text += &format!(":{}", seg.len);
    }
    if fin && seg.len > 0 {
        text += "+fin";
    }
    if seg.retransmission {
        text += "*";
    }
    if seg.flags.cwr && !syn {
        text += "+cwr";
    }
    text
}
