//! The event queue: timing wheels, and a short sorted list for the slice of time that is being handled; all ordered by
//! (time, order of the event, insertion).
//!
//! While few events wait, the sorted list alone holds them all; the wheels start when they become many.
//!
//! A MAC's events lie microseconds to milliseconds ahead: putting one on a wheel and taking it off costs the same
//! whether ten or ten thousand wait. Nothing is removed early: an event that no longer matters is recognised by its
//! owner when it comes up.

mod far;
mod wheel;

#[cfg(test)]
mod tests;

use crate::event::Event;
use crate::units::Time;
use wheel::{Next, Wheel};

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
        self.time < time || (self.time == time && self.event <= event | Event::DETAIL)
    }
}

const _: () = assert!(std::mem::size_of::<Entry>() == 16, "an entry is copied on every move");

/// Pending events.
#[derive(Debug)]
pub struct EventQueue {
    /// Events of the slices up to the wheel's, latest first; all events as long as `few`.
    near: Vec<Entry>,
    /// Places of `near` in use; the others keep what was last in them.
    near_len: usize,
    few: bool,
    wheel: Wheel,
    last: Time,
}

/// So many events are kept in the sorted list alone.
const FEW: usize = 48;

impl Default for EventQueue {
    fn default() -> Self {
        Self::new()
    }
}

impl EventQueue {
    /// An empty queue.
    pub fn new() -> Self {
        EventQueue { near: vec![Entry::default(); FEW], near_len: 0, few: true, wheel: Wheel::new(), last: Time::ZERO }
    }

    /// Number of pending events, stale ones included.
    pub fn len(&self) -> usize {
        self.near_len + self.wheel.len()
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

    /// Words instead of an entry: they travel in registers. What is rare is left to others, so that none need be saved.
    fn place(&mut self, time: u64, event: u64) {
        if self.wheel.reaches(time) {
            self.wheel.push(time, event);
        } else {
            self.push_near(time, event);
        }
    }

    /// Time of the next event.
    pub fn next_time(&mut self) -> Option<Time> {
        if self.near_len == 0 && !self.few {
            let next = self.wheel.take_next(u64::MAX);
            self.keep(next);
        }
        self.first_near().map(|e| Time(e.time))
    }

    /// True when no event up to `time`, that instant included, waits; false also when finding out takes a search.
    #[inline(always)]
    pub fn is_clear_until(&self, time: Time) -> bool {
        match self.first_near() {
            Some(first) => first.time > time.0,
            None => self.few || self.wheel.is_clear_until(time.0),
        }
    }

    /// Takes the next event if it lies at or before `limit`.
    #[inline]
    pub fn pop_until(&mut self, limit: Time) -> Option<(Time, Event)> {
        loop {
            if let Some(&Entry { time, event }) = self.first_near() {
                if time > limit.0 {
                    return None;
                }
                self.near_len -= 1;
                return Some(self.taken(time, event));
            }
            if self.few {
                return None;
            }
            match self.wheel.take_next(limit.0) {
                Next::Nothing => return None,
                // Most slices hold one event.
                Next::One(entry) => return Some(self.taken(entry.time, entry.event)),
                several => self.keep(several),
            }
        }
    }

    /// The next event of the sorted list. Of an empty list the place is beyond all: one comparison finds that out, too.
    #[inline(always)]
    fn first_near(&self) -> Option<&Entry> {
        self.near.get(self.near_len.wrapping_sub(1))
    }

    #[inline(always)]
    fn taken(&mut self, time: u64, event: u64) -> (Time, Event) {
        debug_assert!(time >= self.last.0, "time runs forward");
        self.last = Time(time);
        (self.last, Event::unpack(event))
    }

    /// Puts what came off the wheel into the sorted list, which is empty.
    fn keep(&mut self, next: Next) {
        match next {
            Next::Nothing => {}
            Next::One(entry) => self.push_near(entry.time, entry.event),
            // The chain has the event that was added last at its front.
            Next::Several(mut chain) => {
                while let Some(entry) = self.wheel.next_of(&mut chain) {
                    self.push_older(entry);
                }
            }
        }
    }

    /// Inserts an event that was added before all others here. Those of a slice are mostly added in the order of time, as
    /// the copies of a broadcast are: from last to first they come as they have to stand.
    fn push_older(&mut self, entry: Entry) {
        if self.near_len == self.near.len() {
            self.near.push(Entry::default());
        }
        let mut hole = self.near_len;
        self.near_len += 1;
        while hole > 0 && !entry.keeps_ahead_of(self.near[hole - 1].time, self.near[hole - 1].event) {
            self.near[hole] = self.near[hole - 1];
            hole -= 1;
        }
        self.near[hole] = entry;
    }

    fn start_wheel(&mut self) {
        self.few = false;
        self.wheel.start(self.last.0);
        let all = self.near[..self.near_len].to_vec();
        self.near_len = 0;
        // The next one first: equal ones keep their order.
        for entry in all.into_iter().rev() {
            self.place(entry.time, entry.event);
        }
    }

    /// Inserts in order. The words are written one by one: an entry put together elsewhere and copied here would be
    /// read before it has left the processor's store buffer.
    #[inline(always)]
    fn push_near(&mut self, time: u64, event: u64) {
        let places = self.near.get_mut(..self.near_len + 1).and_then(|places| places.split_last_mut());
        let Some((mut hole, ahead)) = places else { return self.push_into_full(time, event) };
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

    /// No place is free: the few have become many, or one slice holds many.
    #[cold]
    #[inline(never)]
    fn push_into_full(&mut self, time: u64, event: u64) {
        if self.few {
            // The wheels cost a fixed price per event, a sorted list one that grows with its length.
            self.start_wheel();
        } else {
            self.near.push(Entry::default());
        }
        self.place(time, event);
    }
}
