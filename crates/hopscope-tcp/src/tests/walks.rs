//! ACK policies step by step, between a sender and a receiver: what figures 2-4, 3-5 and 3-6 of armaghani2008 are
//! about, whose own sequences could not be read. The exchanges stand in `walks/`, from which the documentation draws
//! them as sequence charts.

use super::*;
use hopscope_packet::{PathInfo, PathOption};

/// How long a segment is on its way, and how far apart data segments leave.
const DELAY: Span = Span::from_millis(10);
const GAP: Span = Span::from_millis(4);

/// A connection over a path that serializes data segments, loses some of them once, and collides with some probability.
struct Walk {
    sender: Sender,
    receiver: TcpReceiver,
    timers: Expiries,
    /// What is on its way: arrival, serial number, whether it goes to the receiver.
    under_way: Vec<(Time, u64, bool, TcpSegment)>,
    serial: u64,
    /// When the next data segment may leave.
    free_at: Time,
    lost: Vec<u64>,
    /// Collision probability of the path by instants from which on it holds.
    collisions: Vec<(Time, f64)>,
    log: Vec<(Time, String)>,
}

impl Walk {
    fn of(cfg: &TcpConfig, policy: AckPolicy) -> Self {
        Walk {
            sender: Sender::new(cfg, TcpVariant::NewReno, 8),
            receiver: TcpReceiver::new(cfg, policy, Span::from_millis(100), false, MSS, 8),
            timers: Expiries::default(),
            under_way: Vec::new(),
            serial: 0,
            free_at: Time::ZERO,
            lost: Vec::new(),
            collisions: vec![(Time::ZERO, 0.0)],
            log: Vec::new(),
        }
    }

    fn collision(&self, now: Time) -> f64 {
        self.collisions.iter().rev().find(|(from, _)| *from <= now).map_or(0.0, |(_, p)| *p)
    }

    fn settle(&mut self, now: Time, is_sender: bool, out: Vec<TransportEffect>) {
        for effect in out {
            if is_sender { &mut self.sender.timers } else { &mut self.timers }.note(&effect);
            let TransportEffect::Emit(Body::Tcp(seg)) = effect else { continue };
            let mut leaves = now;
            let mut text =
                if is_sender { show_segment(&seg) } else { format!("ACK {}", (seg.ack - 1) / u64::from(MSS)) };
            if seg.len > 0 {
                leaves = Time(now.0.max(self.free_at.0));
                self.free_at = leaves + GAP;
                let number = (seg.seq - 1) / u64::from(MSS) + 1;
                text = format!("data {number}{}", if seg.retransmission { " again" } else { "" });
                if let Some(place) = self.lost.iter().position(|&lost| lost == number) {
                    self.lost.swap_remove(place);
                    self.log.push((leaves, format!("> {text} lost")));
                    continue;
                }
            } else if seg.flags.syn {
                text = if is_sender { "SYN" } else { "SYN ACK" }.to_owned();
            } else if is_sender {
                text = "ACK".to_owned();
            }
            self.log.push((leaves, format!("{} {text}", if is_sender { '>' } else { '<' })));
            self.serial += 1;
            self.under_way.push((leaves + DELAY, self.serial, is_sender, seg));
        }
    }

    /// Sends so many segments and runs until nothing is left to happen; returns the exchange.
    fn run(mut self, segments: u64) -> String {
        let mut out = Vec::new();
        self.sender.tcp.offer(segments * u64::from(MSS), Time::ZERO, &mut out);
        self.sender.tcp.open(Time::ZERO, &mut out);
        self.settle(Time::ZERO, true, out);
        loop {
            let next = (0..self.under_way.len()).min_by_key(|&i| (self.under_way[i].0, self.under_way[i].1));
            let until = next.map_or(Time::NEVER, |i| self.under_way[i].0);
            let mut out = Vec::new();
            let (mine, theirs) = (self.sender.timers.earliest(until), self.timers.earliest(until));
            if let Some((kind, at)) = theirs.filter(|(_, at)| mine.is_none_or(|(_, other)| *at <= other)) {
                self.timers.take(kind);
                self.receiver.on_timer(kind, at, &mut out);
                self.settle(at, false, out);
            } else if let Some((kind, at)) = mine {
                self.sender.timers.take(kind);
                self.sender.tcp.on_timer(kind, at, &mut out);
                self.settle(at, true, out);
            } else if let Some(next) = next {
                let (at, _, to_receiver, seg) = self.under_way.swap_remove(next);
                if to_receiver {
                    let mut path = PathOption::new(at);
                    path.pass(at, self.collision(at));
                    self.receiver.take_path_info(&PathInfo { hops: 1, learnt: Some(path) });
                    self.receiver.on_segment(&seg, at, &mut out);
                } else {
                    self.sender.tcp.on_segment(&seg, 1, at, &mut out);
                }
                self.settle(at, !to_receiver, out);
            } else {
                break;
            }
        }
        for (from, p) in self.collisions.split_off(1) {
            let name = if p > 0.2 { "busy" } else { "free" };
            self.log.push((from, format!("= {name}; -; collisions {p}")));
        }
        self.log.sort_by_key(|(at, _)| *at);
        self.log.iter().map(|(at, text)| format!("{} {text}\n", at.0 / MS)).collect()
    }
}

/// The exchange is that of the file.
fn assert_reported(reported: &str, file: &str) {
    let expected: String = file.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    assert_eq!(reported, expected, "{reported}");
}

#[test]
fn figure_2_4_an_ack_for_each_segment_and_for_every_second_one() {
    let cfg = TcpConfig { initial_window: 2, ..TcpConfig::default() };
    assert_reported(&Walk::of(&cfg, AckPolicy::Every).run(8), include_str!("walks/2-4-each.txt"));
    assert_reported(&Walk::of(&cfg, AckPolicy::Delayed).run(8), include_str!("walks/2-4-second.txt"));
}

fn mda() -> TcpConfig {
    TcpConfig { initial_window: 2, dupack_threshold: 2, ..TcpConfig::default() }
}

#[test]
fn figure_3_5_the_window_grows_to_four_and_a_loss_brings_it_to_two() {
    let mut walk = Walk::of(&mda(), AckPolicy::Mda);
    walk.lost = vec![14];
    assert_reported(&walk.run(28), include_str!("walks/3-5.txt"));
}

#[test]
fn figure_3_6_on_a_busy_path_two_segments_for_an_ack() {
    let mut walk = Walk::of(&mda(), AckPolicy::Mda);
    walk.collisions = vec![(Time::ZERO, 0.0), (Time(125 * MS), 0.3), (Time(165 * MS), 0.1)];
    assert_reported(&walk.run(28), include_str!("walks/3-6.txt"));
}
