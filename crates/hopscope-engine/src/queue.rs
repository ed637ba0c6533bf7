//! The event queue: the nearest events in a short sorted list, the others in a 4-ary implicit heap; both ordered by
//! (time, order of the event, insertion).
//!
//! Most events of a MAC lie microseconds ahead and are taken soon: they never enter the heap. Nothing is removed
//! early: an event that no longer matters is recognised by its owner when it comes up.

use crate::event::Event;
use crate::units::Time;

/// A queued event with its place.
#[derive(Debug, Clone, Copy)]
struct Entry {
    time: u64,
    inserted: u32,
    event: Event,
}

impl Entry {
    #[inline]
    fn before(&self, other: &Entry) -> bool {
        if self.time != other.time { self.time < other.time } else { self.before_at_same_time(other) }
    }

    /// Insertion numbers wrap; two events of one owner at one instant are never 2^31 insertions apart.
    #[cold]
    fn before_at_same_time(&self, other: &Entry) -> bool {
        let (a, b) = (self.event.order(), other.event.order());
        if a != b { a < b } else { (other.inserted.wrapping_sub(self.inserted) as i32) > 0 }
    }
}

const _: () = assert!(std::mem::size_of::<Entry>() == 24, "an entry is copied on every move");

/// Pending events.
#[derive(Debug, Default)]
pub struct EventQueue {
    /// The earliest events, latest first; every one comes before all of `heap`.
    near: Vec<Entry>,
    heap: Vec<Entry>,
    inserted: u64,
    last: Time,
}

const ARITY: usize = 4;
/// Most entries of the sorted list: an insertion moves half of them at worst on average.
const NEAR: usize = 32;
/// Entries moved to the sorted list when it has run empty.
const REFILL: usize = 8;

impl EventQueue {
    /// An empty queue.
    pub fn new() -> Self {
        EventQueue { near: Vec::with_capacity(NEAR + 1), ..Self::default() }
    }

    /// Number of pending events, stale ones included.
    pub fn len(&self) -> usize {
        self.near.len() + self.heap.len()
    }

    /// True when nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.near.is_empty() && self.heap.is_empty()
    }

    /// Number of events ever inserted.
    pub fn inserted(&self) -> u64 {
        self.inserted
    }

    /// Adds an event at `time`, which must not lie before the last event taken.
    #[inline]
    pub fn push(&mut self, time: Time, event: Event) {
        debug_assert!(time >= self.last, "an event in the past: {event:?} at {time:?}, now {:?}", self.last);
        let entry = Entry { time: time.0, inserted: self.inserted as u32, event };
        self.inserted += 1;
        // Into the sorted list when it comes before the list's last, or when nothing at all waits behind the list.
        let goes_near = match self.near.first() {
            Some(latest) => entry.before(latest) || (self.heap.is_empty() && self.near.len() < NEAR),
            None => self.heap.is_empty(),
        };
        if !goes_near {
            self.push_heap(entry);
            return;
        }
        self.near.push(entry);
        let near = &mut self.near[..];
        let mut place = near.len() - 1;
        while place > 0 && near[place - 1].before(&entry) {
            near[place] = near[place - 1];
            place -= 1;
        }
        near[place] = entry;
        if near.len() > NEAR {
            let latest = self.near.remove(0);
            self.push_heap(latest);
        }
    }

    /// Time of the next event.
    #[inline]
    pub fn next_time(&self) -> Option<Time> {
        self.near.last().or(self.heap.first()).map(|e| Time(e.time))
    }

    /// Takes the next event if it lies at or before `limit`.
    #[inline]
    pub fn pop_until(&mut self, limit: Time) -> Option<(Time, Event)> {
        if self.near.is_empty() {
            self.refill();
        }
        let first = *self.near.last()?;
        if first.time > limit.0 {
            return None;
        }
        self.near.pop();
        debug_assert!(first.time >= self.last.0, "time runs forward");
        self.last = Time(first.time);
        Some((self.last, first.event))
    }

    fn refill(&mut self) {
        for _ in 0..REFILL {
            let Some(entry) = self.pop_heap() else { break };
            self.near.push(entry);
        }
        self.near.reverse();
    }

    fn push_heap(&mut self, entry: Entry) {
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

    fn pop_heap(&mut self) -> Option<Entry> {
        let last = self.heap.pop()?;
        let len = self.heap.len();
        if len == 0 {
            return Some(last);
        }
        let first = self.heap[0];
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
        Some(first)
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
