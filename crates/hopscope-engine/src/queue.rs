//! The event queue: a timing wheel for the next milliseconds, a 4-ary heap for what lies beyond, and a short sorted
//! list for the slice of time that is being handled; all ordered by (time, order of the event, insertion).
//!
//! While few events wait, the sorted list alone holds them all; the wheel starts when they become many.
//!
//! A MAC's events lie microseconds to milliseconds ahead: putting one on the wheel and taking it off costs the same
//! whether ten or ten thousand wait. Nothing is removed early: an event that no longer matters is recognised by its
//! owner when it comes up.

use crate::event::Event;
use crate::units::Time;

/// A queued event: two words, so that none is ever written in parts and read as a whole.
///
/// Entries of one time and order stand in the order of insertion, which needs no third word: each list keeps it.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    time: u64,
    /// See `Event::pack`.
    event: u64,
}

impl Entry {
    /// True when this entry, which was there before, comes no later than a new one of these words.
    #[inline(always)]
    fn keeps_ahead_of(&self, time: u64, event: u64) -> bool {
        wide(self.time, self.event) <= wide(time, event | Event::DETAIL)
    }
}

/// Time above the event's word, to compare both at once.
#[inline(always)]
fn wide(time: u64, event: u64) -> u128 {
    (u128::from(time) << 64) | u128::from(event)
}

/// An event far ahead, with its number among those.
#[derive(Debug, Clone, Copy)]
struct FarEntry {
    entry: Entry,
    inserted: u64,
}

impl FarEntry {
    fn is_before(&self, other: &FarEntry) -> bool {
        let key = |e: &FarEntry| (e.entry.time, e.entry.event | Event::DETAIL, e.inserted);
        key(self) < key(other)
    }
}

const _: () = assert!(std::mem::size_of::<Entry>() == 16, "an entry is copied on every move");

/// Pending events.
#[derive(Debug)]
pub struct EventQueue {
    /// Events of the slices up to `slice`, latest first; all events as long as `few`.
    near: Vec<Entry>,
    /// Places of `near` in use; the others keep what was last in them.
    near_len: usize,
    few: bool,
    /// Number of the slice being handled: time divided by the slice length.
    slice: u64,
    /// First place in `slots` of each slice on the wheel.
    wheel: Vec<u32>,
    /// One bit per slice of the wheel, and one per word of those.
    occupied: [u64; WORDS],
    words: u32,
    /// Events on the wheel, chained by place.
    slots: Vec<(Entry, u32)>,
    free: u32,
    on_wheel: usize,
    /// Events beyond the wheel when they were added.
    far: Vec<FarEntry>,
    /// Number of the next event added to `far`.
    inserted: u64,
    last: Time,
}

/// A slice is 2^13 ns, about 8 us: less than most gaps between events of a small network.
const SLICE_BITS: u32 = 13;
/// Slices on the wheel: 2048 of them reach 16.8 ms ahead, beyond the longest frame exchange.
const SLICES: usize = 2048;
const WORDS: usize = SLICES / 64;
/// So many events are kept in the sorted list alone.
const FEW: usize = 48;
const _: () = assert!(WORDS == u32::BITS as usize, "the summary has one bit per word");
const ARITY: usize = 4;
const NONE: u32 = u32::MAX;

impl Default for EventQueue {
    fn default() -> Self {
        Self::new()
    }
}

impl EventQueue {
    /// An empty queue.
    pub fn new() -> Self {
        EventQueue {
            near: vec![Entry::default(); FEW + 1],
            near_len: 0,
            few: true,
            slice: 0,
            wheel: Vec::new(),
            occupied: [0; WORDS],
            words: 0,
            slots: Vec::new(),
            free: NONE,
            on_wheel: 0,
            far: Vec::new(),
            inserted: 0,
            last: Time::ZERO,
        }
    }

    /// Number of pending events, stale ones included.
    pub fn len(&self) -> usize {
        self.near_len + self.on_wheel + self.far.len()
    }

    /// True when nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an event at `time`, which must not lie before the last event taken.
    #[inline(always)]
    pub fn push(&mut self, time: Time, event: Event) {
        debug_assert!(time >= self.last, "an event in the past: {event:?} at {time:?}, now {:?}", self.last);
        self.place(time.0, event.pack());
    }

    /// Words instead of an entry: they travel in registers.
    fn place(&mut self, time: u64, event: u64) {
        if self.few {
            self.push_near(time, event);
            if self.near_len > FEW {
                self.start_wheel();
            }
        } else {
            self.push_by_slice(Entry { time, event });
        }
    }

    /// Time of the next event.
    pub fn next_time(&mut self) -> Option<Time> {
        self.refill();
        self.near[..self.near_len].last().map(|e| Time(e.time))
    }

    /// Takes the next event if it lies at or before `limit`.
    #[inline]
    pub fn pop_until(&mut self, limit: Time) -> Option<(Time, Event)> {
        self.refill();
        let first = self.near[..self.near_len].last()?;
        let (time, event) = (first.time, first.event);
        if time > limit.0 {
            return None;
        }
        self.near_len -= 1;
        debug_assert!(time >= self.last.0, "time runs forward");
        self.last = Time(time);
        Some((self.last, Event::unpack(event)))
    }

    #[inline(always)]
    fn refill(&mut self) {
        if self.near_len == 0 && !self.few {
            self.advance();
        }
    }

    #[inline]
    fn push_by_slice(&mut self, entry: Entry) {
        let slice = entry.time >> SLICE_BITS;
        if slice <= self.slice {
            self.push_near(entry.time, entry.event);
        } else if slice - self.slice < SLICES as u64 {
            self.push_wheel((slice as usize) % SLICES, entry);
        } else {
            self.push_far(entry);
        }
    }

    #[cold]
    fn start_wheel(&mut self) {
        self.few = false;
        self.wheel = vec![NONE; SLICES];
        self.slice = self.last.0 >> SLICE_BITS;
        let all = self.near[..self.near_len].to_vec();
        self.near_len = 0;
        // The next one first: equal ones keep their order.
        for entry in all.into_iter().rev() {
            self.push_by_slice(entry);
        }
    }

    /// Inserts in order. The words are written one by one: an entry put together elsewhere and copied here would be
    /// read before it has left the processor's store buffer.
    #[inline(always)]
    fn push_near(&mut self, time: u64, event: u64) {
        if self.near_len == self.near.len() {
            self.near.push(Entry::default());
        }
        let Some((mut hole, ahead)) = self.near[..=self.near_len].split_last_mut() else { return };
        self.near_len += 1;
        for entry in ahead.iter_mut().rev() {
            if !entry.keeps_ahead_of(time, event) {
                break;
            }
            *hole = *entry;
            hole = entry;
        }
        hole.time = time;
        hole.event = event;
    }

    #[inline]
    fn push_wheel(&mut self, at: usize, entry: Entry) {
        let chained = (entry, self.wheel[at]);
        let place = self.free;
        if place == NONE {
            self.wheel[at] = self.slots.len() as u32;
            self.slots.push(chained);
        } else {
            let slot = &mut self.slots[place as usize];
            self.free = slot.1;
            *slot = chained;
            self.wheel[at] = place;
        }
        self.occupied[at / 64] |= 1 << (at % 64);
        self.words |= 1 << (at / 64);
        self.on_wheel += 1;
    }

    /// Moves the earliest non-empty slice into the sorted list.
    fn advance(&mut self) {
        let on_wheel = self.next_on_wheel();
        let far = self.far.first().map_or(u64::MAX, |e| e.entry.time >> SLICE_BITS);
        let next = on_wheel.min(far);
        if next == u64::MAX {
            return;
        }
        self.slice = next;
        // What is still far away was added before anything of its slice on the wheel.
        while self.far.first().is_some_and(|e| e.entry.time >> SLICE_BITS == next) {
            if let Some(FarEntry { entry, .. }) = self.pop_far() {
                self.push_near(entry.time, entry.event);
            }
        }
        if on_wheel == next {
            let mut place = self.take_slice((next as usize) % SLICES);
            while place != NONE {
                let (entry, following) = self.slots[place as usize];
                self.slots[place as usize].1 = self.free;
                self.free = place;
                self.on_wheel -= 1;
                self.push_near(entry.time, entry.event);
                place = following;
            }
        }
    }

    /// Takes the chain of a slice off the wheel, first added first.
    #[inline]
    fn take_slice(&mut self, at: usize) -> u32 {
        let mut place = std::mem::replace(&mut self.wheel[at], NONE);
        self.occupied[at / 64] &= !(1 << (at % 64));
        if self.occupied[at / 64] == 0 {
            self.words &= !(1 << (at / 64));
        }
        let mut chain = NONE;
        while place != NONE {
            let following = std::mem::replace(&mut self.slots[place as usize].1, chain);
            chain = place;
            place = following;
        }
        chain
    }

    /// Number of the first non-empty slice on the wheel after the one being handled; `u64::MAX` if all are empty.
    #[inline]
    fn next_on_wheel(&self) -> u64 {
        if self.words == 0 {
            return u64::MAX;
        }
        let from = ((self.slice + 1) as usize) % SLICES;
        let (word, bit) = (from / 64, from % 64);
        let here = self.occupied[word] >> bit;
        if here != 0 {
            return self.slice + 1 + u64::from(here.trailing_zeros());
        }
        // The next word with any bit, cyclically; the first word comes again last with its lower bits.
        let turned = self.words.rotate_right(word as u32 + 1);
        let found = (word + 1 + turned.trailing_zeros() as usize) % WORDS;
        let at = found * 64 + self.occupied[found].trailing_zeros() as usize;
        let ahead = (at + SLICES - from) % SLICES;
        self.slice + 1 + ahead as u64
    }

    fn push_far(&mut self, entry: Entry) {
        let entry = FarEntry { entry, inserted: self.inserted };
        self.inserted += 1;
        let mut hole = self.far.len();
        self.far.push(entry);
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if !entry.is_before(&self.far[parent]) {
                break;
            }
            self.far[hole] = self.far[parent];
            hole = parent;
        }
        self.far[hole] = entry;
    }

    fn pop_far(&mut self) -> Option<FarEntry> {
        let last = self.far.pop()?;
        let len = self.far.len();
        if len == 0 {
            return Some(last);
        }
        let first = self.far[0];
        let mut hole = 0;
        loop {
            let child = hole * ARITY + 1;
            if child >= len {
                break;
            }
            let mut least = child;
            for other in child + 1..(child + ARITY).min(len) {
                if self.far[other].is_before(&self.far[least]) {
                    least = other;
                }
            }
            if !self.far[least].is_before(&last) {
                break;
            }
            self.far[hole] = self.far[least];
            hole = least;
        }
        self.far[hole] = last;
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
    fn near_wheel_and_far_agree_with_a_sorted_list() {
        let mut stream = Stream::derive(12, 0, 0, Purpose::Traffic);
        let mut queue = EventQueue::new();
        let mut expected: Vec<(u64, u32)> = Vec::new();
        let mut now = 0u64;
        for round in 0..30_000u32 {
            let ahead = match stream.below(4) {
                0 => stream.below(10_000),
                1 => stream.below(1_000_000),
                2 => stream.below(20_000_000),
                _ => stream.below(400_000_000),
            };
            let time = now + u64::from(ahead);
            queue.push(Time(time), Event::Access { node: NodeId(round) });
            expected.push((time, round));
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
    }

    #[test]
    fn equal_events_keep_the_order_of_insertion_wherever_they_wait() {
        let mut stream = Stream::derive(13, 0, 0, Purpose::Traffic);
        let mut queue = EventQueue::new();
        let mut expected: Vec<(u64, u32, u32)> = Vec::new();
        let mut now = 0;
        for round in 0..20_000u32 {
            // Few owners and few instants: many events differ in nothing but the order in which they came.
            let time = now + [0, 3, 9_000, 16_000_000, 40_000_000][stream.below(5) as usize];
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
}
