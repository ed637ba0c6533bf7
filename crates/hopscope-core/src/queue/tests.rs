//! The queue compared with a plain sorted list.

use super::*;
use crate::event::Generation;
use crate::ids::{FlowId, NodeId};
use crate::rng::{Purpose, Stream};

#[test]
fn equal_times_follow_the_order_of_variants_then_owners_then_insertion() {
    let mut queue = EventQueue::new();
    let events = [
        Event::Sample,
        Event::App { flow: FlowId(0) },
        Event::Access { node: NodeId(2) },
        Event::Access { node: NodeId(1) },
        Event::Sifs { node: NodeId(9), generation: Generation::default() },
        Event::RxEnd { node: NodeId(5), slot: 3 },
        Event::RxEnd { node: NodeId(5), slot: 1 },
    ];
    for event in events {
        queue.push(Time(7), event);
    }
    let taken: Vec<Event> = std::iter::from_fn(|| queue.pop_until(Time::NEVER).map(|(_, e)| e)).collect();
    assert_eq!(
        taken,
        vec![
            Event::RxEnd { node: NodeId(5), slot: 3 },
            Event::RxEnd { node: NodeId(5), slot: 1 },
            Event::Sifs { node: NodeId(9), generation: Generation::default() },
            Event::Access { node: NodeId(1) },
            Event::Access { node: NodeId(2) },
            Event::App { flow: FlowId(0) },
            Event::Sample,
        ]
    );
}

#[test]
fn random_pushes_come_out_sorted() {
    let mut stream = Stream::derive(11, 0, 0, Purpose::Traffic);
    let mut queue = EventQueue::new();
    let mut now = Time::ZERO;
    for _ in 0..20_000 {
        for _ in 0..2 {
            let owner = NodeId(stream.below(50));
            queue.push(Time(now.0 + u64::from(stream.below(1000))), Event::Access { node: owner });
        }
        let (time, _) = queue.pop_until(Time::NEVER).expect("two were pushed");
        assert!(time >= now);
        now = time;
    }
    assert_eq!(queue.len(), 20_000);
}

#[test]
fn near_wheels_and_far_agree_with_a_sorted_list() {
    let mut stream = Stream::derive(12, 0, 0, Purpose::Traffic);
    let mut queue = EventQueue::new();
    let mut expected: Vec<(u64, u32)> = Vec::new();
    let mut now = 0u64;
    let mut clear = 0;
    for round in 0..30_000u32 {
        let ahead = match stream.below(5) {
            0 => stream.below(10_000),
            1 => stream.below(1_000_000),
            2 => stream.below(20_000_000),
            3 => stream.below(400_000_000),
            _ => stream.below(2_000_000_000),
        };
        let time = now + u64::from(ahead);
        queue.push(Time(time), Event::Access { node: NodeId(round) });
        expected.push((time, round));
        let probe = now + u64::from(stream.below(20_000));
        if queue.is_clear_until(Time(probe)) {
            assert!(expected.iter().all(|&(time, _)| time > probe), "round {round}: not clear until {probe}");
            clear += u32::from(!queue.few && queue.near_len == 0);
        }
        if stream.below(2) == 0 || round > 29_000 {
            let least = *expected.iter().min().expect("one was pushed");
            expected.retain(|e| *e != least);
            assert_eq!(queue.next_time(), Some(Time(least.0)));
            let (time, event) = queue.pop_until(Time::NEVER).expect("one was pushed");
            assert_eq!((time, event), (Time(least.0), Event::Access { node: NodeId(least.1) }));
            now = least.0;
        }
        assert_eq!(queue.len(), expected.len());
    }
    assert!(clear > 100, "the wheel alone was clear {clear} times");
}

#[test]
fn equal_events_keep_the_order_of_insertion_wherever_they_wait() {
    let mut stream = Stream::derive(13, 0, 0, Purpose::Traffic);
    let mut queue = EventQueue::new();
    let mut expected: Vec<(u64, u32, u32)> = Vec::new();
    let mut now = 0;
    for round in 0..20_000u32 {
        // Few owners and few instants: many events differ in nothing but the order in which they came.
        let time = now + [0, 3, 9_000, 16_000_000, 40_000_000, 800_000_000][stream.below(6) as usize];
        let time = time - if time > now + 9_000 { time % 1_000_000 } else { 0 };
        let node = stream.below(3);
        queue.push(Time(time), Event::RxEnd { node: NodeId(node), slot: round ^ 0x2a });
        expected.push((time, node, round));
        while expected.len() > 200 || (round > 19_900 && !expected.is_empty()) || stream.below(2) == 0 {
            let Some(&least) = expected.iter().min() else { break };
            expected.retain(|e| *e != least);
            let taken = queue.pop_until(Time::NEVER);
            let event = Event::RxEnd { node: NodeId(least.1), slot: least.2 ^ 0x2a };
            assert_eq!(taken, Some((Time(least.0), event)), "round {round}");
            now = least.0;
        }
    }
}

#[test]
fn an_event_before_the_next_slice_is_taken_first() {
    let mut queue = EventQueue::new();
    queue.push(Time(50_000_000), Event::Sample);
    assert!(queue.pop_until(Time(1_000)).is_none());
    queue.push(Time(2_000), Event::App { flow: FlowId(0) });
    assert_eq!(queue.pop_until(Time::NEVER), Some((Time(2_000), Event::App { flow: FlowId(0) })));
    assert_eq!(queue.pop_until(Time::NEVER), Some((Time(50_000_000), Event::Sample)));
    assert!(queue.pop_until(Time::NEVER).is_none());
}

#[test]
fn the_limit_holds_events_back() {
    let mut queue = EventQueue::new();
    queue.push(Time(10), Event::Sample);
    assert!(queue.pop_until(Time(9)).is_none());
    assert_eq!(queue.pop_until(Time(10)), Some((Time(10), Event::Sample)));
}
