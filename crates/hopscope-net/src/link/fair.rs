//! FQ-CoDel (RFC 8290): flow queues served by deficit round robin, new flows first, each under CoDel.

use std::collections::VecDeque;

use super::AqmAction;
use super::codel::Codel;
use crate::config::LinkConfig;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Time;

/// What names a flow: addresses, protocol and ports (RFC 8290 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowKey {
    /// Source and destination.
    pub ends: (NodeId, NodeId),
    /// Number of the transport protocol (RFC 791 3.1); 0 of what has no ports.
    pub protocol: u8,
    /// Their ports.
    pub ports: (u16, u16),
}

/// A waiting packet.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    packet: PacketId,
    bytes: u32,
    since: Time,
}

/// The packets of the flows that share one queue.
#[derive(Debug)]
struct FlowQueue {
    /// Its place among all queues.
    place: u32,
    credit: i64,
    waiting: VecDeque<Waiting>,
    codel: Codel,
}

/// The order in which the packets of one interface queue go.
#[derive(Debug)]
pub struct FairQueue {
    quantum: i64,
    queues: u32,
    fresh: Codel,
    /// Queues that have just begun, then the others; those without packets leave.
    new: VecDeque<FlowQueue>,
    old: VecDeque<FlowQueue>,
    /// Room of queues that have left, for the next that begin.
    spare: Vec<VecDeque<Waiting>>,
}

impl FairQueue {
    /// No packets.
    pub fn new(cfg: &LinkConfig) -> Self {
        FairQueue {
            quantum: i64::from(cfg.fq_quantum),
            queues: cfg.fq_queues,
            fresh: Codel::new(cfg),
            new: VecDeque::new(),
            old: VecDeque::new(),
            spare: Vec::new(),
        }
    }

    /// A packet of `bytes` bytes has joined the interface queue.
    pub fn push(&mut self, packet: PacketId, flow: FlowKey, bytes: u32, now: Time) {
        let place = self.place(flow);
        let waiting = Waiting { packet, bytes, since: now };
        if let Some(queue) = self.new.iter_mut().chain(&mut self.old).find(|queue| queue.place == place) {
            queue.waiting.push_back(waiting);
            return;
        }
        let mut room = self.spare.pop().unwrap_or_default();
        room.push_back(waiting);
        let codel = self.fresh.clone();
        self.new.push_back(FlowQueue { place, credit: self.quantum, waiting: room, codel });
    }

    /// The packet that goes next and what becomes of it.
    pub fn pop(&mut self, now: Time) -> Option<(PacketId, AqmAction)> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let mut queue = list.pop_front()?;
            if queue.credit <= 0 {
                queue.credit += self.quantum;
                self.old.push_back(queue);
                continue;
            }
            let Some(next) = queue.waiting.pop_front() else {
                // A new queue that ran empty goes round once more, so that it cannot jump the others for ever.
                queue.codel.on_empty();
                if is_new && !self.old.is_empty() {
                    self.old.push_back(queue);
                } else {
                    self.spare.push(queue.waiting);
                }
                continue;
            };
            let action = queue.codel.decide(now - next.since, queue.waiting.is_empty(), now);
            let list = if is_new { &mut self.new } else { &mut self.old };
            list.push_front(queue);
            return Some((next.packet, action));
        }
    }

    /// The packet given last, of `bytes` bytes, goes to the MAC: its flow pays for it. For a dropped one it does not.
    pub fn charge(&mut self, bytes: u32) {
        // `pop` has put the queue that it served back to the front.
        let list = if self.new.is_empty() { &mut self.old } else { &mut self.new };
        if let Some(queue) = list.front_mut() {
            queue.credit -= i64::from(bytes);
        }
    }

    /// The packet at the head of the longest queue (in bytes): it gives way when there is no room.
    pub fn pop_fattest(&mut self) -> Option<PacketId> {
        let bytes = |queue: &FlowQueue| queue.waiting.iter().map(|w| w.bytes).sum::<u32>();
        // The place decides between equals, so that the order of the lists does not.
        let fattest = self.new.iter_mut().chain(&mut self.old).max_by_key(|queue| (bytes(queue), queue.place))?;
        fattest.waiting.pop_front().map(|waiting| waiting.packet)
    }

    /// A packet has left the interface queue by another door.
    pub fn forget(&mut self, packet: PacketId) {
        for queue in self.new.iter_mut().chain(&mut self.old) {
            queue.waiting.retain(|waiting| waiting.packet != packet);
        }
    }

    /// Flows are spread over the queues by a fixed hash.
    fn place(&self, FlowKey { ends: (src, dst), protocol, ports: (from, to) }: FlowKey) -> u32 {
        let ends = (u64::from(src.0) << 32) | u64::from(dst.0);
        let ports = (u64::from(protocol) << 32) | (u64::from(from) << 16) | u64::from(to);
        // Constants of SplitMix64. RFC 8290 asks for a random perturbation, which a run that can be repeated does
        // without.
        let mixed = (ends.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ ports).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((mixed >> 32) % u64::from(self.queues)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::units::Span;

    const TCP: u8 = 6;
    const UDP: u8 = 17;

    fn key(src: u32, dst: u32) -> FlowKey {
        FlowKey { ends: (NodeId(src), NodeId(dst)), protocol: TCP, ports: (1, 2) }
    }

    #[test]
    fn flows_between_the_same_nodes_differ_by_protocol_and_ports() {
        let mut fair = FairQueue::new(&LinkConfig::default());
        for n in 0..4 {
            fair.push(PacketId(n), key(0, 1), 1514, Time::ZERO);
        }
        fair.push(PacketId(8), FlowKey { ports: (3, 2), ..key(0, 1) }, 1514, Time::ZERO);
        fair.push(PacketId(9), FlowKey { protocol: UDP, ..key(0, 1) }, 1514, Time::ZERO);
        let mut order = Vec::new();
        while let Some((packet, _)) = fair.pop(Time::ZERO) {
            fair.charge(1514);
            order.push(packet.0);
        }
        assert_eq!(order, [0, 8, 9, 1, 2, 3]);
    }

    /// The next packet that is not marked and, before it, those that are.
    fn serve(fair: &mut FairQueue, now: Time) -> (Option<u32>, Vec<u32>) {
        let mut marked = Vec::new();
        while let Some((packet, action)) = fair.pop(now) {
            if action == AqmAction::Pass {
                fair.charge(1000);
                return (Some(packet.0), marked);
            }
            marked.push(packet.0);
        }
        (None, marked)
    }

    fn order(fair: &mut FairQueue, bytes: impl Fn(u32) -> u32) -> Vec<u32> {
        let mut all = Vec::new();
        while let Some((packet, _)) = fair.pop(Time::ZERO) {
            fair.charge(bytes(packet.0));
            all.push(packet.0);
        }
        all
    }

    #[test]
    fn flows_take_turns_and_a_sparse_one_goes_first() {
        let mut fair = FairQueue::new(&LinkConfig { fq_quantum: 1000, ..LinkConfig::default() });
        for n in 0..4 {
            fair.push(PacketId(n), key(0, 1), 1000, Time::ZERO);
        }
        for n in 10..14 {
            fair.push(PacketId(n), key(2, 3), 500, Time::ZERO);
        }
        assert_eq!(serve(&mut fair, Time::ZERO).0, Some(0));
        fair.push(PacketId(20), key(4, 5), 100, Time::ZERO);
        // 1000 bytes of each in turn: packets 10 and 11 are as long as one of the other flow.
        assert_eq!(order(&mut fair, |n| if n < 4 { 1000 } else { 500 }), [10, 11, 20, 1, 12, 13, 2, 3]);
    }

    #[test]
    fn the_fattest_queue_gives_way_and_what_left_is_forgotten() {
        let mut fair = FairQueue::new(&LinkConfig::default());
        for (n, src, bytes) in [(0, 0, 400), (1, 0, 400), (2, 6, 700)] {
            fair.push(PacketId(n), key(src, 1), bytes, Time::ZERO);
        }
        assert_eq!(fair.pop_fattest(), Some(PacketId(0)));
        fair.forget(PacketId(2));
        assert_eq!(order(&mut fair, |_| 400), [1]);
        assert_eq!(fair.pop_fattest(), None);
    }

    #[test]
    fn each_flow_is_under_its_own_codel() {
        let mut fair = FairQueue::new(&LinkConfig::default());
        let mut marked = Vec::new();
        for n in 0..400u32 {
            let now = Time::ZERO + Span::from_millis(u64::from(n) * 20);
            // Two packets go in each round: one flow has a backlog and adds two, the other adds one now and then.
            for k in 0..if n == 0 { 400 } else { 2 } {
                fair.push(PacketId(1000 + 2 * n + k), key(0, 1), 1000, now);
            }
            if n % 4 == 0 {
                fair.push(PacketId(n), key(2, 3), 1000, now);
            }
            marked.extend((0..2).flat_map(|_| serve(&mut fair, now).1));
        }
        assert!(marked.len() > 5 && marked.iter().all(|&n| n >= 1000), "{marked:?}");
    }
}
