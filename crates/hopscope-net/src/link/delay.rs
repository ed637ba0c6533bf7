//! What a node knows of the time that its packets take: averages of the time in the queue (Q) and of the time from the head of the
//! queue until the transmitter is done (T), contention and retries included (ATP, Sundaresan et al. 2003).
//!
//! All packets count that pass the link layer, so all but routing messages. A node that has sent nothing yet takes for T the time
//! that the exchange of the packet at hand takes without contention.

use std::collections::VecDeque;

use crate::config::NetConfig;
use hopscope_core::ids::PacketId;
use hopscope_core::units::{Span, Time};

/// Averages of one interface.
#[derive(Debug)]
pub struct Delays {
    /// Weight of a new packet.
    weight: f64,
    /// After so long without a packet the node counts as idle, and its sum counts so many times.
    idle_after: Span,
    idle_factor: f64,
    /// Nanoseconds: Q, and T once a packet has been sent.
    queued: f64,
    sending: Option<f64>,
    /// Packets in the queue, and when they joined it.
    waiting: VecDeque<(PacketId, Time)>,
    /// When the packet that is being sent came to the head.
    head: Option<Time>,
    /// When the last packet was done.
    done: Option<Time>,
}

impl Delays {
    /// An interface that has sent nothing.
    pub fn new(cfg: &NetConfig) -> Self {
        Delays {
            weight: cfg.delay_weight,
            idle_after: cfg.delay_idle,
            idle_factor: cfg.delay_idle_factor,
            queued: 0.0,
            sending: None,
            waiting: VecDeque::new(),
            head: None,
            done: None,
        }
    }

    /// A packet has joined the queue.
    pub(super) fn on_joined(&mut self, packet: PacketId, now: Time) {
        self.waiting.push_back((packet, now));
    }

    /// A packet has left the queue otherwise than to be sent.
    pub(super) fn on_taken(&mut self, packet: PacketId) {
        self.waiting.retain(|&(id, _)| id != packet);
    }

    /// A packet goes to the transmitter.
    pub(super) fn on_sent(&mut self, packet: PacketId, now: Time) {
        let place = self.waiting.iter().position(|&(id, _)| id == packet);
        let since = place.and_then(|place| self.waiting.remove(place)).map_or(now, |(_, since)| since);
        let first = self.sending.is_none();
        self.queued = mean(self.queued, (now - since).0 as f64, if first { 1.0 } else { self.weight });
        self.head = Some(now);
    }

    /// The transmitter is done with its packet, which may be one that did not pass here.
    pub(super) fn on_done(&mut self, now: Time) {
        if let Some(head) = self.head.take() {
            let sample = (now - head).0 as f64;
            self.sending = Some(self.sending.map_or(sample, |old| mean(old, sample, self.weight)));
            self.done = Some(now);
        }
    }

    /// Q + T now, for a packet whose exchange takes so long without contention.
    pub fn sum(&self, exchange: Span, now: Time) -> Span {
        let sum = self.queued + self.sending.unwrap_or(exchange.0 as f64);
        let is_idle = self.done.is_none_or(|done| now.saturating_since(done) > self.idle_after);
        Span((sum * if is_idle { self.idle_factor } else { 1.0 }) as u64)
    }
}

fn mean(old: f64, sample: f64, weight: f64) -> f64 {
    old + weight * (sample - old)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn delays(idle_factor: f64) -> Delays {
        Delays::new(&NetConfig { delay_idle_factor: idle_factor, ..NetConfig::default() })
    }

    #[test]
    fn the_first_packet_counts_whole_and_later_ones_by_their_weight() {
        let mut delays = delays(1.0);
        let exchange = Span::from_millis(8);
        assert_eq!(delays.sum(exchange, at(0)), exchange, "nothing is known yet");
        // In at 0, at the head at 4, done at 16; the next one waits 0 and takes 4: Q = 4, 3; T = 12, 10.
        delays.on_joined(PacketId(1), at(0));
        delays.on_sent(PacketId(1), at(4));
        delays.on_done(at(16));
        assert_eq!(delays.sum(exchange, at(16)), Span::from_millis(16));
        delays.on_joined(PacketId(2), at(20));
        delays.on_sent(PacketId(2), at(20));
        delays.on_done(at(24));
        assert_eq!(delays.sum(exchange, at(24)), Span::from_millis(13));
    }

    #[test]
    fn what_did_not_pass_does_not_count() {
        let mut delays = delays(1.0);
        delays.on_joined(PacketId(1), at(0));
        delays.on_joined(PacketId(2), at(0));
        delays.on_taken(PacketId(1));
        delays.on_sent(PacketId(2), at(2));
        delays.on_done(at(4));
        delays.on_done(at(50));
        assert_eq!(delays.sum(Span::ZERO, at(50)), Span::from_millis(4));
        assert!(delays.waiting.is_empty());
    }

    #[test]
    fn an_idle_node_expects_the_contention_of_the_flow_to_come() {
        let mut delays = delays(3.0);
        assert_eq!(delays.sum(Span::from_millis(8), at(0)), Span::from_millis(24));
        delays.on_sent(PacketId(1), at(0));
        delays.on_done(at(10));
        assert_eq!(
            delays.sum(Span::ZERO, at(1_010)),
            Span::from_millis(10),
            "a second without a packet is not too long"
        );
        assert_eq!(delays.sum(Span::ZERO, at(1_011)), Span::from_millis(30));
    }
}
