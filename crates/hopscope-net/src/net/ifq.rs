//! Interface queue: drop-tail with priority for routing packets.

use std::collections::VecDeque;

use hopscope_core::ids::PacketId;
use hopscope_core::units::Time;

/// Packets that wait for the MAC, and the length of the queue over time.
#[derive(Debug)]
pub struct InterfaceQueue {
    waiting: VecDeque<PacketId>,
    limit: u32,
    /// Largest length seen.
    max: u32,
    /// Length times time, accounted up to `since`.
    packet_ns: u128,
    since: Time,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<InterfaceQueue>() == 64, "one cache line");

/// Places made at the build, so that a queue of usual length never allocates later.
const RESERVED: u32 = 64;

impl InterfaceQueue {
    /// An empty queue for `limit` packets.
    pub fn new(limit: u32) -> Self {
        InterfaceQueue {
            waiting: VecDeque::with_capacity(limit.min(RESERVED) as usize),
            limit,
            max: 0,
            packet_ns: 0,
            since: Time::ZERO,
        }
    }

    /// Number of waiting packets.
    #[inline]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// True when nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// It has room for so many packets from now on; those that wait stay.
    pub fn set_limit(&mut self, limit: u32) {
        self.limit = limit;
    }

    /// True when one more packet finds no room.
    pub fn is_full(&self) -> bool {
        self.waiting.len() >= self.limit as usize
    }

    /// Bytes of its places.
    pub fn memory(&self) -> usize {
        self.waiting.capacity() * size_of::<PacketId>()
    }

    /// The packet at the head.
    pub fn head(&self) -> Option<PacketId> {
        self.waiting.front().copied()
    }

    /// The waiting packets from the head on.
    pub fn iter(&self) -> impl Iterator<Item = PacketId> + '_ {
        self.waiting.iter().copied()
    }

    /// Adds a packet at the tail, or at the head when it has `priority`; gives back the packet that found no room.
    #[inline]
    pub fn push(&mut self, now: Time, packet: PacketId, priority: bool) -> Option<PacketId> {
        self.account(now);
        let full = self.is_full();
        if !priority {
            if full {
                return Some(packet);
            }
            self.waiting.push_back(packet);
        } else {
            // As ns-2.35's priority queue does: of two routing packets in a row the later one leaves first.
            self.waiting.push_front(packet);
        }
        // With priority the tail gives way, which may be data that was let in before.
        let dropped = if full { self.waiting.pop_back() } else { None };
        self.max = self.max.max(self.waiting.len() as u32);
        dropped
    }

    /// Takes the packet at the head.
    #[inline]
    pub fn pop(&mut self, now: Time) -> Option<PacketId> {
        if self.is_empty() {
            return None;
        }
        self.account(now);
        self.waiting.pop_front()
    }

    /// Takes out the first packet for which `wanted` holds.
    pub fn take(&mut self, now: Time, mut wanted: impl FnMut(PacketId) -> bool) -> Option<PacketId> {
        let place = self.waiting.iter().position(|&packet| wanted(packet))?;
        self.account(now);
        self.waiting.remove(place)
    }

    /// Starts the measured time: forgets the occupancy so far.
    pub fn restart_measure(&mut self, now: Time) {
        (self.since, self.packet_ns, self.max) = (now, 0, self.waiting.len() as u32);
    }

    /// Mean length from `from` to `now` and the largest length.
    pub fn occupancy(&mut self, from: Time, now: Time) -> (f64, u32) {
        self.account(now);
        let span = now.saturating_since(from).0;
        (if span == 0 { 0.0 } else { self.packet_ns as f64 / span as f64 }, self.max)
    }

    #[inline]
    fn account(&mut self, now: Time) {
        self.packet_ns += u128::from((now - self.since).0) * self.waiting.len() as u128;
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_dropped_and_routing_goes_first() {
        let mut queue = InterfaceQueue::new(2);
        assert_eq!(queue.push(Time(0), PacketId(1), false), None);
        assert_eq!(queue.push(Time(0), PacketId(2), false), None);
        assert_eq!(queue.push(Time(0), PacketId(3), false), Some(PacketId(3)));
        assert_eq!(queue.push(Time(0), PacketId(4), true), Some(PacketId(2)));
        assert_eq!(queue.pop(Time(0)), Some(PacketId(4)));
        assert_eq!(queue.pop(Time(0)), Some(PacketId(1)));
        assert_eq!(queue.pop(Time(0)), None);
    }

    #[test]
    fn occupancy_is_the_mean_over_time() {
        let mut queue = InterfaceQueue::new(10);
        queue.push(Time(0), PacketId(1), false);
        queue.push(Time(50), PacketId(2), false);
        queue.pop(Time(100));
        assert_eq!(queue.occupancy(Time(0), Time(200)), ((50.0 + 100.0 + 100.0) / 200.0, 2));
    }
}
