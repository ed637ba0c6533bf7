//! Announced arrivals of one radio, in order of their start. Nearly always there is none or one.

use crate::phy::radio::Arrival;
use crate::units::Time;

/// Arrivals that have not begun for this radio yet.
#[derive(Debug)]
pub struct Inbox {
    /// The earliest arrival; `Arrival::NONE` when there is none.
    front: Arrival,
    /// The later ones, in order; empty without a front.
    rest: Vec<Arrival>,
}

impl Default for Inbox {
    fn default() -> Self {
        Inbox { front: Arrival::NONE, rest: Vec::new() }
    }
}

impl Inbox {
    /// True when nothing was announced.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.front.start == Time::NEVER
    }

    /// The earliest arrival; it starts at `NEVER` when there is none.
    #[inline]
    pub fn front(&self) -> &Arrival {
        &self.front
    }

    /// Start of the second arrival, `NEVER` without one.
    #[inline]
    pub fn second_start(&self) -> Time {
        self.rest.first().map_or(Time::NEVER, |a| a.start)
    }

    /// Adds an arrival; equal starts are ordered by air slot.
    #[inline]
    pub fn push(&mut self, arrival: Arrival) {
        if self.is_empty() {
            self.front = arrival;
        } else {
            self.push_behind(arrival);
        }
    }

    /// Takes the earliest arrival away.
    #[inline]
    pub fn pop(&mut self) {
        if self.rest.is_empty() {
            self.front.start = Time::NEVER;
            self.front.end = Time::NEVER;
        } else {
            self.front = self.rest.remove(0);
        }
    }

    #[cold]
    fn push_behind(&mut self, arrival: Arrival) {
        let later = if self.front.is_after(&arrival) { std::mem::replace(&mut self.front, arrival) } else { arrival };
        let place = self.rest.partition_point(|a| !a.is_after(&later));
        self.rest.insert(place, later);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[test]
    fn any_order_of_announcement_comes_out_sorted() {
        let mut stream = Stream::derive(2, 0, 0, Purpose::Traffic);
        for count in 1..12u32 {
            let mut inbox = Inbox::default();
            let mut starts = Vec::new();
            for slot in 0..count {
                let start = Time(u64::from(stream.below(8)));
                starts.push((start, slot));
                inbox.push(Arrival { start, slot, ..Arrival::NONE });
            }
            starts.sort_unstable();
            for (start, slot) in starts {
                assert_eq!((inbox.front().start, inbox.front().slot), (start, slot));
                inbox.pop();
            }
            assert!(inbox.is_empty());
        }
    }
}
