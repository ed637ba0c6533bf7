//! The ACK policies of Linux against counts taken from real kernels: one hop at 2 Mbit/s over one shared channel that
//! carries a data frame in 7.556 ms and an ACK in 1.764 ms, MSS 1460, an endless transfer (tshark at the receiver).

use std::collections::{BTreeMap, VecDeque};

use super::*;

const SEGMENT: u32 = 1460;
const DATA: Span = Span::from_micros(7556);
const ACK: Span = Span::from_micros(1764);

/// Segments covered by each ACK of a transfer of `segments` segments over an ideal shared channel of `hops` hops.
fn segments_per_ack(policy: AckPolicy, window: u32, segments: u64) -> Vec<u64> {
    let cfg = TcpConfig::default();
    let mut sender = TcpSender::new(&cfg, TcpVariant::NewReno.kind(&cfg), SEGMENT, window);
    if policy == AckPolicy::LinuxModern {
        sender.mark_pushes();
    }
    let mut receiver = TcpReceiver::new(&cfg, policy, Span::from_millis(200), false, SEGMENT, window);
    let mut timers = [Expiries::default(), Expiries::default()];
    // Frames waiting for the channel, in order; the first one is on it.
    let mut waiting: VecDeque<(usize, TcpSegment)> = VecDeque::new();
    let mut ends = None;
    let mut counts = Vec::new();
    let mut covered = 1;
    let mut now = Time::ZERO;
    let mut out = Vec::new();
    sender.offer(u64::MAX, now, &mut out);
    sender.open(now, &mut out);
    let mut end = 0;
    while covered < 1 + segments * u64::from(SEGMENT) {
        for effect in out.drain(..) {
            timers[end].note(&effect);
            if let TransportEffect::Emit(Body::Tcp(seg)) = effect {
                waiting.push_back((end, seg));
                if end == 1 && !seg.flags.syn {
                    counts.push((seg.ack - covered) / u64::from(SEGMENT));
                    covered = seg.ack;
                }
            }
        }
        if ends.is_none() {
            ends = waiting.front().map(|(_, seg)| now + if seg.len > 0 { DATA } else { ACK });
        }
        let frame_end = ends.unwrap_or(Time::NEVER);
        let timer = (0..2)
            .filter_map(|e| timers[e].earliest(frame_end).map(|(kind, at)| (at, e, kind)))
            .min_by_key(|t| (t.0, t.1));
        if let Some((at, e, kind)) = timer {
            (now, end) = (at, e);
            timers[e].take(kind);
            if e == 0 { sender.on_timer(kind, at, &mut out) } else { receiver.on_timer(kind, at, &mut out) }
        } else {
            let (from, seg) = waiting.pop_front().expect("something is always under way");
            now = frame_end;
            ends = None;
            end = 1 - from;
            if end == 0 { sender.on_segment(&seg, 1, now, &mut out) } else { receiver.on_segment(&seg, now, &mut out) }
        }
    }
    counts
}

/// How often an ACK covered so many segments, over 321 ACKs from segment 150 on.
fn histogram(policy: AckPolicy, window: u32) -> BTreeMap<u64, usize> {
    let mut found = BTreeMap::new();
    let mut before = 0;
    let counts = segments_per_ack(policy, window, 800);
    let steady = counts.iter().skip_while(|&&count| {
        before += count;
        before <= 150
    });
    for count in steady.take(321) {
        *found.entry(*count).or_insert(0) += 1;
    }
    found
}

#[test]
fn a_window_of_two_segments_or_fewer_is_acknowledged_segment_by_segment() {
    for policy in [AckPolicy::Linux, AckPolicy::LinuxModern] {
        for window in [1, 2] {
            assert_eq!(histogram(policy, window), BTreeMap::from([(1, 321)]), "{policy:?} {window}");
        }
    }
}

#[test]
fn larger_windows_are_acknowledged_every_second_segment() {
    for window in [3, 4, 5, 8, 16, 32] {
        let found = histogram(AckPolicy::Linux, window);
        assert_eq!(found.keys().collect::<Vec<_>>(), [&2], "window {window}");
    }
    for window in [4, 6, 8, 32] {
        let found = histogram(AckPolicy::LinuxModern, window);
        assert_eq!(found.keys().collect::<Vec<_>>(), [&2], "window {window}");
    }
}

#[test]
fn a_window_of_three_segments_on_a_current_kernel_gives_one_two_two() {
    let found = histogram(AckPolicy::LinuxModern, 3);
    assert_eq!(found, BTreeMap::from([(1, 107), (2, 214)]), "measured on 6.18: 107 and 214");
    let counts = segments_per_ack(AckPolicy::LinuxModern, 3, 400);
    let tail: Vec<u64> = counts[counts.len() - 30..].to_vec();
    let start = tail.iter().position(|&n| n == 1).expect("a single one");
    assert!(tail[start..].chunks_exact(3).all(|c| c == [1, 2, 2]), "{tail:?}");
}

#[test]
fn the_first_segments_are_acknowledged_one_by_one() {
    let singles = |policy, window| segments_per_ack(policy, window, 100).iter().take_while(|&&n| n == 1).count();
    for policy in [AckPolicy::Linux, AckPolicy::LinuxModern] {
        assert_eq!(singles(policy, 64), 16, "at most sixteen");
        assert_eq!(singles(policy, 8), 4, "half the window");
    }
}

/// Arrivals at a Linux receiver with a window of 16 segments, the SYN-ACK answered after 10 ms; what leaves and when.
fn acks(policy: AckPolicy, arrivals: &[(u64, u64)], until_ms: u64) -> Vec<(u64, u64)> {
    let mut tcp = TcpReceiver::new(&TcpConfig::default(), policy, Span::from_millis(200), false, MSS, 16);
    let mut timers = Expiries::default();
    let mut out = Vec::new();
    let mut sent = Vec::new();
    let syn = TcpSegment { flags: TcpFlags { syn: true, ..TcpFlags::default() }, ..TcpSegment::default() };
    tcp.on_segment(&syn, Time::ZERO, &mut out);
    let ack = TcpFlags { ack: true, ..TcpFlags::default() };
    let bare = TcpSegment { seq: 1, ack: 1, flags: ack, ..TcpSegment::default() };
    tcp.on_segment(&bare, Time(10 * MS), &mut out);
    out.clear();
    let mut take = |now: Time, out: &mut Vec<TransportEffect>, timers: &mut Expiries| {
        for effect in out.drain(..) {
            timers.note(&effect);
            if let TransportEffect::Emit(Body::Tcp(seg)) = effect {
                sent.push((now.0 / MS, (seg.ack - 1) / u64::from(MSS)));
            }
        }
    };
    for (at, segment) in arrivals.iter().copied().chain([(until_ms, 0)]) {
        while let Some((kind, due)) = timers.due(Time(at * MS)) {
            tcp.on_timer(kind, due, &mut out);
            take(due, &mut out, &mut timers);
        }
        if segment > 0 {
            let seg = TcpSegment { seq: 1 + (segment - 1) * u64::from(MSS), len: MSS, ..bare };
            tcp.on_segment(&seg, Time(at * MS), &mut out);
            take(Time(at * MS), &mut out, &mut timers);
        }
    }
    sent
}

#[test]
fn the_timer_starts_at_forty_milliseconds_and_the_round_trip_time_bounds_it() {
    // Eight quick ACKs (half of 16), then pairs; the last one waits for the timer.
    let mut arrivals: Vec<(u64, u64)> = (1..=10).map(|n| (100 + 5 * n, n)).collect();
    arrivals.push((300, 11));
    let found = acks(AckPolicy::Linux, &arrivals, 1000);
    let quick: Vec<(u64, u64)> = (1..=8).map(|n| (100 + 5 * n, n)).collect();
    assert_eq!(found[..8], quick);
    assert_eq!(found[8..], [(150, 10), (340, 11)], "second full segment; 40 ms, though 200 are allowed");
}

#[test]
fn a_repetition_is_answered_quickly_and_so_is_what_follows() {
    let mut arrivals: Vec<(u64, u64)> = (1..=10).map(|n| (100 + 5 * n, n)).collect();
    arrivals.extend([(200, 10), (205, 11), (210, 12)]);
    let found = acks(AckPolicy::Linux, &arrivals, 1000);
    assert_eq!(found[9..], [(200, 10), (205, 11), (210, 12)]);
}

#[test]
fn gaps_are_answered_at_once() {
    let mut arrivals: Vec<(u64, u64)> = (1..=8).map(|n| (100 + 5 * n, n)).collect();
    arrivals.extend([(200, 10), (205, 11), (210, 9)]);
    let found = acks(AckPolicy::LinuxModern, &arrivals, 1000);
    assert_eq!(found[8..], [(200, 8), (205, 8), (210, 11)]);
}
