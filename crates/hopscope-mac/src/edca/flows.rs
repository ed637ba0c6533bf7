//! Flow queues in front of an access category (`mac.link = "fq-codel"`): for each neighbour and traffic identifier an FQ-CoDel
//! (RFC 8290), and the neighbours in turn by airtime, as in mac80211 (Høiland-Jørgensen et al., Ending the Anomaly, USENIX ATC 2017).
//!
//! ```text
//!   packet -> flow queues of its neighbour -> waiting -> PPDU
//!                              CoDel here ^
//! ```
//!
//! Without a limit on airtime a packet leaves its flow queues when a PPDU takes it: the category has no queue of a driver, and a neighbour
//! pays for the time of the frames to it, those that come again included. With one, `waiting` is the queue of a driver: it is filled as soon
//! as a neighbour has less than the limit in it or on its way, goes in order, and a neighbour pays when its packets leave the flow
//! queues.

use std::collections::VecDeque;

use super::category::Ac;
use super::plan::Exchange;
use super::queue::Waiting;
use super::rules::with_mpdu;
use super::{DropCause, Edca, EdcaCx, PacketEntry, qos};
use crate::fair::{FairQueue, FairRules, Turns, Visit};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::{Span, Time};

/// Airtime of a neighbour in its turn: that of mac80211 for ath9k (section 3.2 of the paper).
const QUANTUM: Span = Span::from_micros(300);

/// How much of the time of a neighbour may wait in the queue of a driver, as mac80211's airtime queue limits bound it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AirtimeLimits {
    /// As long as the station holds less than `threshold` in all.
    pub(crate) high: Span,
    /// Otherwise.
    pub(crate) low: Span,
    /// Of all neighbours and access categories.
    pub(crate) threshold: Span,
}

/// What CoDel may do with a packet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Aqm {
    /// Nothing: messages of routing protocols and notices.
    #[default]
    Spares,
    /// Drop it.
    Drops,
    /// Mark it: its flow knows ECN.
    Marks,
}

/// A packet in a flow queue.
#[derive(Debug, Clone, Copy)]
struct Queued {
    waiting: Waiting,
    aqm: Aqm,
}

/// The flow queues of one neighbour and traffic identifier.
#[derive(Debug)]
struct Neighbour {
    to: NodeId,
    tid: u8,
    queue: FairQueue<Queued>,
}

impl Neighbour {
    fn is(&self, (to, tid): (NodeId, u8)) -> bool {
        (self.to, self.tid) == (to, tid)
    }
}

/// The flow queues of one access category.
#[derive(Debug)]
pub(crate) struct FlowQueues {
    rules: FairRules,
    /// Packets of flows that know ECN are marked where others are dropped.
    marks: bool,
    turns: Turns<Neighbour>,
    /// Neighbours that have nothing, for the next time that they have.
    left: Vec<Neighbour>,
    /// With a limit on airtime: packets that have left the flow queues and are still in the MAC, with their time on the air.
    pending: VecDeque<(PacketId, NodeId, Span)>,
    /// Sums of these by neighbour.
    sums: Vec<(NodeId, Span)>,
}

impl FlowQueues {
    fn new(rules: FairRules, marks: bool) -> Self {
        FlowQueues {
            rules,
            marks,
            turns: Turns::new(QUANTUM.0 as i64),
            left: Vec::new(),
            pending: VecDeque::new(),
            sums: Vec::new(),
        }
    }

    fn push(&mut self, new: &PacketEntry, waiting: Waiting) {
        let key = (new.to, new.tid);
        let queued = Queued { waiting, aqm: new.aqm };
        let now = waiting.since;
        if let Some(one) = self.turns.iter_mut().find(|one| one.is(key)) {
            one.queue.push(queued, new.flow, new.bytes, now);
            return;
        }
        let known = self.left.iter().position(|one| one.is(key)).map(|place| self.left.swap_remove(place));
        let mut one =
            known.unwrap_or_else(|| Neighbour { to: new.to, tid: new.tid, queue: FairQueue::new(&self.rules) });
        one.queue.push(queued, new.flow, new.bytes, now);
        self.turns.add(one);
    }

    /// The neighbour whose turn it is; `visit` says of each what it has, given whether its flow queues are empty.
    fn next(&mut self, mut visit: impl FnMut(NodeId, u8, bool) -> Visit) -> Option<(NodeId, u8)> {
        let FlowQueues { turns, left, .. } = self;
        let next = turns.next(|one| visit(one.to, one.tid, one.queue.is_empty()), left)?;
        Some((next.to, next.tid))
    }

    /// The packet of a neighbour that leaves its flow queues, and whether CoDel wants it marked or dropped.
    fn pop(&mut self, key: (NodeId, u8), now: Time) -> Option<(Queued, bool)> {
        self.turns.iter_mut().find(|one| one.is(key))?.queue.pop(now)
    }

    /// The flow of the packet given last pays for it.
    fn charge_flow(&mut self, key: (NodeId, u8), bytes: u32) {
        if let Some(one) = self.turns.iter_mut().find(|one| one.is(key)) {
            one.queue.charge(bytes);
        }
    }

    /// A neighbour pays for time on the air.
    fn charge(&mut self, key: (NodeId, u8), airtime: Span) {
        self.turns.charge_to(|one| one.is(key), i64::try_from(airtime.0).unwrap_or(i64::MAX));
    }

    /// The packet at the head of the longest flow queue: it gives way when there is no room (RFC 8290 4.1).
    fn pop_fattest(&mut self) -> Option<PacketId> {
        let fattest = self.turns.iter_mut().max_by_key(|one| (one.queue.longest(), one.to, one.tid))?;
        fattest.queue.pop_fattest().map(|queued| queued.waiting.packet)
    }

    /// Takes out the first packet that is `wanted`, by its number and when it has come.
    pub(super) fn take(&mut self, mut wanted: impl FnMut(PacketId, Time) -> bool) -> Option<PacketId> {
        let taken =
            self.turns.iter_mut().find_map(|one| one.queue.take(|queued, since| wanted(queued.waiting.packet, since)));
        taken.map(|queued| queued.waiting.packet)
    }

    /// Packets of a neighbour that wait.
    pub(super) fn count(&self, key: (NodeId, u8)) -> usize {
        self.turns.iter().find(|one| one.is(key)).map_or(0, |one| one.queue.len())
    }

    /// Neighbours for which packets wait.
    pub(super) fn backlogged(&self) -> impl Iterator<Item = (NodeId, u8)> {
        self.turns.iter().filter(|one| !one.queue.is_empty()).map(|one| (one.to, one.tid))
    }

    /// The neighbour that may fill the queue of the driver next: one of which it holds less than `limit`. Nothing bounds broadcasts.
    fn next_below(&mut self, limit: Span) -> Option<(NodeId, u8)> {
        let FlowQueues { turns, left, sums, .. } = self;
        let is_below = |to| to == NodeId::BROADCAST || sums.iter().all(|(one, sum)| *one != to || *sum < limit);
        let visit = |one: &mut Neighbour| match one.queue.is_empty() {
            true => Visit::Ends,
            false if is_below(one.to) => Visit::Goes,
            false => Visit::Waits,
        };
        turns.next(visit, left).map(|one| (one.to, one.tid))
    }

    /// Airtime that waits in the queue of the driver or is on its way.
    fn pending_of_all(&self) -> Span {
        self.sums.iter().fold(Span::ZERO, |all, (_, sum)| all + *sum)
    }

    fn add_pending(&mut self, packet: PacketId, to: NodeId, airtime: Span) {
        self.pending.push_back((packet, to, airtime));
        match self.sums.iter_mut().find(|(one, _)| *one == to) {
            Some((_, sum)) => *sum = *sum + airtime,
            None => self.sums.push((to, airtime)),
        }
    }

    /// A packet has left the MAC.
    pub(super) fn on_left(&mut self, packet: PacketId) {
        let place = self.pending.iter().position(|(one, ..)| *one == packet);
        let Some((_, to, airtime)) = place.and_then(|place| self.pending.remove(place)) else { return };
        if let Some((_, sum)) = self.sums.iter_mut().find(|(one, _)| *one == to) {
            *sum = sum.saturating_sub(airtime);
        }
    }
}

impl Edca {
    /// Puts flow queues in front of its access categories. With `marks` packets of flows that know ECN are marked where others are
    /// dropped.
    pub fn order_by_flows(&mut self, rules: FairRules, marks: bool) {
        self.categories.iter_mut().for_each(|category| category.flows = Some(Box::new(FlowQueues::new(rules, marks))));
    }

    /// True where PPDUs take their packets out of flow queues.
    pub(super) fn draws(&self, ac: Ac, cx: &EdcaCx<'_>) -> bool {
        self.categories[ac as usize].flows.is_some() && qos(cx.rules).airtime_limits.is_none()
    }

    /// A packet that was taken in waits: with those of its flow where there are flow queues.
    pub(super) fn wait(&mut self, ac: Ac, new: &PacketEntry, waiting: Waiting, cx: &mut EdcaCx<'_>) {
        match &mut self.categories[ac as usize].flows {
            None => self.categories[ac as usize].waiting.push_back(waiting),
            Some(flows) => {
                flows.push(new, waiting);
                self.refill(cx);
            }
        }
    }

    /// A packet of the longest flow gives way to the one that comes; false where none does.
    pub(super) fn make_room(&mut self, ac: Ac, cx: &mut EdcaCx<'_>) -> bool {
        let category = &mut self.categories[ac as usize];
        let Some(packet) = category.flows.as_mut().and_then(|flows| flows.pop_fattest()) else { return false };
        category.held -= 1;
        self.occupancy.take(cx.now);
        cx.out.discarded.push((packet, DropCause::QueueFull));
        true
    }

    /// The neighbour that a category sends to next, by their turns.
    pub(super) fn next_neighbour(&mut self, ac: Ac) -> Option<(NodeId, u8)> {
        let Edca { categories, outgoing, .. } = self;
        let category = &mut categories[ac as usize];
        let (flows, waiting) = (category.flows.as_mut()?, &category.waiting);
        let next = flows.next(|to, tid, is_empty| {
            let one = outgoing.iter().find(|one| (one.to, one.tid) == (to, tid));
            let has_drawn = || waiting.iter().any(|waiting| (waiting.to, waiting.tid) == (to, tid));
            if one.is_some_and(|one| one.setup.is_asked()) {
                Visit::Waits
            } else if !is_empty || one.is_some_and(super::Outgoing::has_more) || has_drawn() {
                Visit::Goes
            } else {
                Visit::Ends
            }
        });
        // One without a turn may still have to ask about a gap.
        let asks = || outgoing.iter().find(|one| Ac::of_tid(one.tid) == ac && one.has_more());
        next.or_else(|| asks().map(|one| (one.to, one.tid)))
    }

    /// The neighbour of an exchange pays for a frame to it. With the queue of a driver it has paid when its packets came there.
    pub(super) fn charge(&mut self, exchange: &Exchange, airtime: Span, cx: &EdcaCx<'_>) {
        if self.draws(exchange.ac, cx) {
            if let Some(flows) = &mut self.categories[exchange.ac as usize].flows {
                flows.charge((exchange.to, exchange.tid), airtime);
            }
        }
    }

    /// Where a packet to this neighbour waits that a PPDU may take; it leaves its flow queues if need be.
    pub(super) fn place(&mut self, ac: Ac, key: (NodeId, u8), cx: &mut EdcaCx<'_>) -> Option<usize> {
        if self.categories[ac as usize].place(key).is_none() && self.draws(ac, cx) {
            self.draw(ac, key, cx);
        }
        self.categories[ac as usize].place(key)
    }

    /// Packets to a neighbour leave its flow queues until so many bytes of them wait for a PPDU.
    pub(super) fn draw_bytes(&mut self, ac: Ac, key: (NodeId, u8), bytes: u32, cx: &mut EdcaCx<'_>) {
        let drawn = |edca: &Edca| {
            let like_it = edca.categories[ac as usize].waiting.iter().filter(|one| (one.to, one.tid) == key);
            like_it.map(|one| one.bytes).sum::<u32>()
        };
        while drawn(self) < bytes && self.draw(ac, key, cx).is_some() {}
    }

    /// One more packet to a neighbour leaves its flow queues; CoDel may drop others before it.
    fn draw(&mut self, ac: Ac, key: (NodeId, u8), cx: &mut EdcaCx<'_>) -> Option<Waiting> {
        let category = &mut self.categories[ac as usize];
        let flows = category.flows.as_mut()?;
        loop {
            let (Queued { waiting, aqm }, wants) = flows.pop(key, cx.now)?;
            if wants && (aqm == Aqm::Drops || aqm == Aqm::Marks && !flows.marks) {
                category.held -= 1;
                self.occupancy.take(cx.now);
                cx.out.discarded.push((waiting.packet, DropCause::CoDel));
                continue;
            }
            if wants && aqm == Aqm::Marks {
                cx.out.marked.push(waiting.packet);
            }
            flows.charge_flow(key, waiting.bytes);
            category.waiting.push_back(waiting);
            return Some(waiting);
        }
    }

    /// The queues of the driver are filled as far as the limits on airtime allow, which are looked at before each packet.
    pub(super) fn refill(&mut self, cx: &mut EdcaCx<'_>) {
        let Some(limits) = qos(cx.rules).airtime_limits else { return };
        for ac in Ac::ALL {
            loop {
                let of_all = |edca: &Edca| {
                    let flows = edca.categories.iter().filter_map(|category| category.flows.as_ref());
                    flows.fold(Span::ZERO, |all, flows| all + flows.pending_of_all())
                };
                let limit = if of_all(self) < limits.threshold { limits.high } else { limits.low };
                let Some(flows) = &mut self.categories[ac as usize].flows else { return };
                let Some(key) = flows.next_below(limit) else { break };
                let Some(waiting) = self.draw(ac, key, cx) else { continue };
                let airtime = self.expected_airtime(&waiting, cx);
                if let Some(flows) = &mut self.categories[ac as usize].flows {
                    flows.charge(key, airtime);
                    if waiting.to != NodeId::BROADCAST {
                        flows.add_pending(waiting.packet, waiting.to, airtime);
                    }
                }
            }
        }
    }

    /// What a packet is expected to take on the air: the bits of its MPDU in an A-MPDU, or a PPDU of its own where there are none.
    fn expected_airtime(&self, waiting: &Waiting, cx: &EdcaCx<'_>) -> Span {
        let rules = qos(cx.rules);
        let mode = self.next_ppdu(waiting.to, cx.rules).mode;
        if rules.ampdu.is_some() {
            return Span(u64::from(with_mpdu(0, waiting.bytes)) * 8_000_000_000 / mode.rate());
        }
        rules.airtime(cx.rules.timing(), mode, rules.single(waiting.bytes))
    }
}
