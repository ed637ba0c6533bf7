//! What a packet learns of its way, hop by hop, for a transport that asks for it: an option of the network header.
//!
//! ACK policies that read the MAC ask for it (`ack = "mda"`); a packet that does not carry it costs a comparison a hop. Its bytes
//! on the air are the asking transport's to count.

use hopscope_core::units::{Span, Time};

/// The option. Times are kept in whole microseconds; differences below 71 minutes are known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathOption {
    non_collision: f32,
    largest_delay_us: u32,
    /// When it passed last.
    passed_us: u32,
}

impl PathOption {
    /// Of a packet that its source sends now.
    pub fn new(now: Time) -> Self {
        PathOption { non_collision: 1.0, largest_delay_us: 0, passed_us: microseconds(now) }
    }

    /// A hop has been taken, from a node whose MAC expects collisions with this probability.
    pub fn pass(&mut self, now: Time, collision: f64) {
        self.non_collision *= (1.0 - collision) as f32;
        let now = microseconds(now);
        // Wrapping, since the clock has 32 bits here: the difference is right below 71 minutes.
        self.largest_delay_us = self.largest_delay_us.max(now.wrapping_sub(self.passed_us));
        self.passed_us = now;
    }

    /// Product over the hops of the probability that a transmission does not collide.
    pub fn non_collision(&self) -> f32 {
        self.non_collision
    }

    /// Longest time from one node's network layer to the next one's.
    pub fn largest_delay(&self) -> Span {
        Span::from_micros(u64::from(self.largest_delay_us))
    }
}

/// Whole microseconds, modulo 2^32.
fn microseconds(at: Time) -> u32 {
    (at.0 / 1_000) as u32
}

/// What a packet reports of its path to the transport that it has come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathInfo {
    /// Hops travelled.
    pub hops: u8,
    /// What it has learnt, where its transport asked for it.
    pub learnt: Option<PathOption>,
}

impl PathInfo {
    /// A way of so many hops on which nothing was asked.
    pub const fn of(hops: u8) -> Self {
        PathInfo { hops, learnt: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hops_multiply_and_the_longest_counts() {
        let at = |us: u64| Time(us * 1_000 + 999);
        let mut path = PathOption::new(at(10));
        path.pass(at(4_010), 0.25);
        path.pass(at(5_000), 0.5);
        path.pass(at(5_100), 0.0);
        assert_eq!((path.non_collision(), path.largest_delay()), (0.375, Span::from_micros(4_000)));
    }

    #[test]
    fn the_clock_may_wrap() {
        let wrap = u64::from(u32::MAX) + 1;
        let mut path = PathOption::new(Time((wrap - 5) * 1_000));
        path.pass(Time((wrap + 7) * 1_000), 0.0);
        assert_eq!(path.largest_delay(), Span::from_micros(12));
    }
}
