//! The event queue: a 4-ary implicit heap ordered by (time, order of the event, insertion).
//!
//! Nothing is removed early: an event that no longer matters is recognised by its owner when it comes up.

use crate::event::Event;
use crate::units::Time;

/// A queued event with its place.
#[derive(Debug, Clone, Copy)]
struct Entry {
    time: u64,
    /// `Event::order` in the upper 40 bits (rank 4, owner 28 used at most), insertion number in the lower 24.
    order: u64,
    event: Event,
}

impl Entry {
    #[inline]
    fn before(&self, other: &Entry) -> bool {
        (self.time, self.order) < (other.time, other.order)
    }
}

/// Pending events.
#[derive(Debug, Default)]
pub struct EventQueue {
    heap: Vec<Entry>,
    inserted: u64,
    last: Time,
}

const ARITY: usize = 4;
const INSERTION_BITS: u32 = 24;

impl EventQueue {
    /// An empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of pending events, stale ones included.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// True when nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Number of events ever inserted.
    pub fn inserted(&self) -> u64 {
        self.inserted
    }

    /// Adds an event at `time`, which must not lie before the last event taken.
    #[inline]
    pub fn push(&mut self, time: Time, event: Event) {
        debug_assert!(time >= self.last, "an event in the past: {event:?} at {time:?}, now {:?}", self.last);
        let order = (event.order() << INSERTION_BITS) | (self.inserted & ((1 << INSERTION_BITS) - 1));
        self.inserted += 1;
        let entry = Entry { time: time.0, order, event };
        let mut hole = self.heap.len();
        self.heap.push(entry);
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if !entry.before(&self.heap[parent]) {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = entry;
    }

    /// Time of the next event.
    #[inline]
    pub fn next_time(&self) -> Option<Time> {
        self.heap.first().map(|e| Time(e.time))
    }

    /// Takes the next event if it lies at or before `limit`.
    #[inline]
    pub fn pop_until(&mut self, limit: Time) -> Option<(Time, Event)> {
        let first = *self.heap.first()?;
        if first.time > limit.0 {
            return None;
        }
        let last = self.heap.pop().expect("the heap has a first entry");
        let len = self.heap.len();
        if len > 0 {
            let mut hole = 0;
            loop {
                let child = hole * ARITY + 1;
                if child >= len {
                    break;
                }
                let mut least = child;
                for other in child + 1..(child + ARITY).min(len) {
                    if self.heap[other].before(&self.heap[least]) {
                        least = other;
                    }
                }
                if !self.heap[least].before(&last) {
                    break;
                }
                self.heap[hole] = self.heap[least];
                hole = least;
            }
            self.heap[hole] = last;
        }
        debug_assert!(first.time >= self.last.0, "time runs forward");
        self.last = Time(first.time);
        Some((self.last, first.event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            Event::Sifs { node: NodeId(9), generation: 0 },
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
                Event::Sifs { node: NodeId(9), generation: 0 },
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
    fn the_limit_holds_events_back() {
        let mut queue = EventQueue::new();
        queue.push(Time(10), Event::Sample);
        assert!(queue.pop_until(Time(9)).is_none());
        assert_eq!(queue.pop_until(Time(10)), Some((Time(10), Event::Sample)));
    }
}
