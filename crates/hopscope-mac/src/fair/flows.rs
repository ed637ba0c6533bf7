//! The flow queues of FQ-CoDel (RFC 8290): deficit round robin by bytes, new flows first, each under CoDel.

use std::collections::VecDeque;

use super::codel::Codel;
use super::turns::{Turns, Visit};
use super::{FairRules, FlowKey};
use hopscope_core::units::Time;

/// A waiting packet.
#[derive(Debug, Clone, Copy)]
struct Waiting<T> {
    packet: T,
    bytes: u32,
    since: Time,
}

/// The packets of the flows that share one queue.
#[derive(Debug)]
struct FlowQueue<T> {
    /// Its place among all queues.
    place: u32,
    waiting: VecDeque<Waiting<T>>,
    codel: Codel,
}

/// The order in which packets go that wait in flow queues.
#[derive(Debug)]
pub struct FairQueue<T> {
    queues: u32,
    fresh: Codel,
    turns: Turns<FlowQueue<T>>,
    /// Queues that have ended: their room is for the next that begin.
    left: Vec<FlowQueue<T>>,
    count: usize,
}

impl<T> FairQueue<T> {
    /// No packets.
    pub fn new(rules: &FairRules) -> Self {
        FairQueue {
            queues: rules.queues,
            fresh: Codel::new(rules),
            turns: Turns::new(i64::from(rules.quantum)),
            left: Vec::new(),
            count: 0,
        }
    }

    /// Packets that wait.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True when none waits.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// A packet of `bytes` bytes comes.
    pub fn push(&mut self, packet: T, flow: FlowKey, bytes: u32, now: Time) {
        self.count += 1;
        let place = self.place(flow);
        let waiting = Waiting { packet, bytes, since: now };
        if let Some(queue) = self.turns.iter_mut().find(|queue| queue.place == place) {
            queue.waiting.push_back(waiting);
            return;
        }
        let mut room = self.left.pop().map(|queue| queue.waiting).unwrap_or_default();
        room.push_back(waiting);
        self.turns.add(FlowQueue { place, waiting: room, codel: self.fresh.clone() });
    }

    /// The packet that goes next, and whether CoDel wants it marked or dropped.
    pub fn pop(&mut self, now: Time) -> Option<(T, bool)> {
        let visit = |queue: &mut FlowQueue<T>| {
            if !queue.waiting.is_empty() {
                return Visit::Goes;
            }
            queue.codel.on_empty();
            Visit::Ends
        };
        let queue = self.turns.next(visit, &mut self.left)?;
        let next = queue.waiting.pop_front()?;
        self.count -= 1;
        let is_last = queue.waiting.is_empty();
        Some((next.packet, queue.codel.marks(now.saturating_since(next.since), is_last, now)))
    }

    /// The packet given last, of `bytes` bytes, goes: its flow pays for it. For a dropped one it does not.
    pub fn charge(&mut self, bytes: u32) {
        self.turns.charge(i64::from(bytes));
    }

    /// Bytes of the longest queue; zero where nothing waits.
    pub fn longest(&self) -> u32 {
        self.turns.iter().map(FlowQueue::bytes).max().unwrap_or(0)
    }

    /// The packet at the head of the longest queue (in bytes): it gives way when there is no room.
    pub fn pop_fattest(&mut self) -> Option<T> {
        // The place decides between equals, so that the order of the lists does not.
        let fattest = self.turns.iter_mut().max_by_key(|queue| (queue.bytes(), queue.place))?;
        let packet = fattest.waiting.pop_front().map(|waiting| waiting.packet);
        self.count -= usize::from(packet.is_some());
        packet
    }

    /// Takes out the first packet for which `wanted` holds, given when it has come.
    pub fn take(&mut self, mut wanted: impl FnMut(&T, Time) -> bool) -> Option<T> {
        let taken = self.turns.iter_mut().find_map(|queue| {
            let place = queue.waiting.iter().position(|waiting| wanted(&waiting.packet, waiting.since))?;
            queue.waiting.remove(place)
        });
        self.count -= usize::from(taken.is_some());
        taken.map(|waiting| waiting.packet)
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

impl<T> FlowQueue<T> {
    fn bytes(&self) -> u32 {
        self.waiting.iter().map(|waiting| waiting.bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::ids::NodeId;
    use hopscope_core::units::Span;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const TCP: u8 = 6;
    const UDP: u8 = 17;

    fn queue(quantum: u32) -> FairQueue<u32> {
        let (target, interval) = (Span::from_millis(5), Span::from_millis(100));
        FairQueue::new(&FairRules { target, interval, quantum, queues: 1_024 })
    }

    fn key(src: u32, dst: u32) -> FlowKey {
        FlowKey { ends: (NodeId(src), NodeId(dst)), protocol: TCP, ports: (1, 2) }
    }

    fn order(fair: &mut FairQueue<u32>, bytes: impl Fn(u32) -> u32) -> Vec<u32> {
        let mut all = Vec::new();
        while let Some((packet, _)) = fair.pop(Time::ZERO) {
            fair.charge(bytes(packet));
            all.push(packet);
        }
        all
    }

    #[test]
    fn flows_between_the_same_nodes_differ_by_protocol_and_ports() {
        let mut fair = queue(1_514);
        for n in 0..4 {
            fair.push(n, key(0, 1), 1514, Time::ZERO);
        }
        fair.push(8, FlowKey { ports: (3, 2), ..key(0, 1) }, 1514, Time::ZERO);
        fair.push(9, FlowKey { protocol: UDP, ..key(0, 1) }, 1514, Time::ZERO);
        assert_eq!(order(&mut fair, |_| 1_514), [0, 8, 9, 1, 2, 3]);
    }

    /// The next packet that is not marked and, before it, those that are.
    fn serve(fair: &mut FairQueue<u32>, now: Time) -> (Option<u32>, Vec<u32>) {
        let mut marked = Vec::new();
        while let Some((packet, marks)) = fair.pop(now) {
            if !marks {
                fair.charge(1000);
                return (Some(packet), marked);
            }
            marked.push(packet);
        }
        (None, marked)
    }

    #[test]
    fn flows_take_turns_and_a_sparse_one_goes_first() {
        let mut fair = queue(1_000);
        for n in 0..4 {
            fair.push(n, key(0, 1), 1000, Time::ZERO);
        }
        for n in 10..14 {
            fair.push(n, key(2, 3), 500, Time::ZERO);
        }
        assert_eq!(serve(&mut fair, Time::ZERO).0, Some(0));
        fair.push(20, key(4, 5), 100, Time::ZERO);
        // 1000 bytes of each in turn: packets 10 and 11 are as long as one of the other flow.
        assert_eq!(order(&mut fair, |n| if n < 4 { 1000 } else { 500 }), [10, 11, 20, 1, 12, 13, 2, 3]);
    }

    #[test]
    fn the_fattest_queue_gives_way_and_what_left_is_forgotten() {
        let mut fair = queue(1_514);
        for (n, src, bytes) in [(0, 0, 400), (1, 0, 400), (2, 6, 700)] {
            fair.push(n, key(src, 1), bytes, Time::ZERO);
        }
        assert_eq!((fair.longest(), fair.pop_fattest()), (800, Some(0)));
        assert_eq!(fair.take(|&packet, _| packet == 2), Some(2));
        assert_eq!((fair.len(), order(&mut fair, |_| 400)), (1, vec![1]));
        assert_eq!((fair.pop_fattest(), fair.longest(), fair.is_empty()), (None, 0, true));
    }

    #[test]
    fn each_flow_is_under_its_own_codel() {
        let mut fair = queue(1_514);
        let mut marked = Vec::new();
        for n in 0..400u32 {
            let now = Time::ZERO + Span::from_millis(u64::from(n) * 20);
            // Two packets go in each round: one flow has a backlog and adds two, the other adds one now and then.
            for k in 0..if n == 0 { 400 } else { 2 } {
                fair.push(1000 + 2 * n + k, key(0, 1), 1000, now);
            }
            if n % 4 == 0 {
                fair.push(n, key(2, 3), 1000, now);
            }
            marked.extend((0..2).flat_map(|_| serve(&mut fair, now).1));
        }
        assert!(marked.len() > 5 && marked.iter().all(|&n| n >= 1000), "{marked:?}");
    }

    /// What is done to a queue.
    #[derive(Debug, Clone, Copy)]
    enum Step {
        Push { flow: u32, bytes: u32 },
        Pop,
        Evict,
        Take { flow: u32 },
        Pass(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0..5u32, 40..1_500u32).prop_map(|(flow, bytes)| Step::Push { flow, bytes }),
            3 => Just(Step::Pop),
            1 => Just(Step::Evict),
            1 => (0..5u32).prop_map(|flow| Step::Take { flow }),
            2 => (0..60u64).prop_map(Step::Pass),
        ]
    }

    proptest! {
        #[test]
        fn a_flow_keeps_its_order_and_no_packet_is_lost(steps in vec(step(), 0..400), quantum in 1u32..3_000) {
            let mut fair = queue(quantum);
            let (mut now, mut pushed, mut out) = (Time::ZERO, 0u32, Vec::new());
            let mut last = [None; 5];
            for step in steps {
                let gone = match step {
                    Step::Push { flow, bytes } => {
                        fair.push(pushed * 5 + flow, key(flow, 9), bytes, now);
                        pushed += 1;
                        None
                    }
                    Step::Pop => fair.pop(now).map(|(packet, _)| { fair.charge(700); packet }),
                    Step::Evict => fair.pop_fattest(),
                    Step::Take { flow } => fair.take(|packet, _| packet % 5 == flow),
                    Step::Pass(ms) => {
                        now += Span::from_millis(ms);
                        None
                    }
                };
                if let Some(packet) = gone {
                    // Every door takes the oldest of its flow.
                    prop_assert!(last[(packet % 5) as usize].replace(packet) < Some(packet));
                    out.push(packet);
                }
                prop_assert_eq!(fair.len() + out.len(), pushed as usize);
            }
            out.extend(order(&mut fair, |_| 700));
            out.sort_unstable();
            out.dedup();
            prop_assert_eq!(out.len(), pushed as usize, "each comes out once");
        }
    }
}
