//! Neighbours, links that break, and the errors sent about them (RFC 3561 6.9, 6.11, 6.12).

use smallvec::SmallVec;

use super::table::RouteState;
use super::{Aodv, timer};
use crate::config::aodv::{ErrorReach, FlushCause, HelloSenders, RepairRule};
use crate::routing::{Cx, Lost, RouteLoss, RoutingEffect, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;
use hopscope_packet::aodv::{AodvMessage, Rerr, Rrep};

/// Neighbours whose HELLOs were heard, each with the end of its hold time.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    known: Vec<(NodeId, Time)>,
}

impl Neighbours {
    /// Notes a HELLO; true for a new neighbour.
    pub(super) fn insert(&mut self, node: NodeId, until: Time) -> bool {
        match self.place(node) {
            Ok(at) => {
                self.known[at].1 = until;
                false
            }
            Err(at) => {
                self.known.insert(at, (node, until));
                true
            }
        }
    }

    /// Another sign of a neighbour whose HELLOs were heard.
    #[inline]
    pub(super) fn refresh(&mut self, node: NodeId, until: Time) {
        if let Ok(at) = self.place(node) {
            self.known[at].1 = until;
        }
    }

    pub(super) fn remove(&mut self, node: NodeId) {
        if let Ok(at) = self.place(node) {
            self.known.remove(at);
        }
    }

    /// Takes a neighbour whose hold time is over.
    pub(super) fn take_expired(&mut self, now: Time) -> Option<NodeId> {
        let at = self.known.iter().position(|&(_, until)| until <= now)?;
        Some(self.known.remove(at).0)
    }

    pub(super) fn next_expiry(&self) -> Option<Time> {
        self.known.iter().map(|&(_, until)| until).min()
    }

    fn place(&self, node: NodeId) -> Result<usize, usize> {
        self.known.binary_search_by_key(&node, |&(known, _)| known)
    }
}

impl Aodv {
    /// The MAC gave a frame to `next_hop` up.
    pub(super) fn link_failed(&mut self, next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        match self.cfg.repair {
            RepairRule::Near => self.repair_near(next_hop, lost, cx),
            RepairRule::PastHalf => self.repair_past_half(next_hop, lost, cx),
        }
    }

    fn repair_near(&mut self, next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        let repairs = |lost: &Lost, this: &Self| {
            let route = this.table.get(lost.dst);
            let near = |hops: u8| u32::from(hops) <= this.cfg.max_repair_ttl;
            // Only on the way: a source searches anew by itself (RFC 3561 6.12).
            this.cfg.local_repair
                && lost.src != this.node
                && route.is_some_and(|r| r.state == RouteState::Up && r.next_hop == next_hop && near(r.hops))
        };
        let repair = lost.filter(|lost| repairs(lost, self));
        // The routes fall before the search begins: the repair must not find the broken one.
        self.link_lost(next_hop, repair.map(|lost| lost.dst), self.cfg.flush_queue, cx);
        match (repair, lost) {
            (Some(lost), _) => {
                self.hold(lost.packet, lost.dst, cx);
                self.seek_repair(lost.dst, lost.hops, cx);
            }
            // A repair that is already under way takes further packets too.
            (None, Some(lost)) if self.table.get(lost.dst).is_some_and(|r| r.state == RouteState::Repairing) => {
                self.hold(lost.packet, lost.dst, cx);
            }
            // Also at its source: RFC 3561 keeps no packet that was sent, transports repair the loss.
            (None, Some(lost)) => cx.drop_packet(lost.packet, DropReason::LinkFailed),
            (None, None) => {}
        }
    }

    /// The route to repair keeps number and hop count, so nodes behind the break that still have a route cannot help:
    /// their answers are refused as no fresher and no shorter. A repair across a link that was away for a moment can so
    /// take more than 10 s, until those routes have expired and the destination itself answers.
    fn repair_past_half(&mut self, next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        let route = lost.and_then(|lost| self.table.get_mut(lost.dst));
        if let (Some(lost), Some(route), true) = (lost, route, self.cfg.local_repair) {
            // More hops lie behind the packet than before it.
            if lost.hops > route.metric() {
                if route.state == RouteState::Up {
                    cx.note(RoutingNote::RouteDown { dst: lost.dst, cause: RouteLoss::LinkLost });
                }
                route.state = RouteState::Repairing;
                self.hold(lost.packet, lost.dst, cx);
                self.seek_repair(lost.dst, lost.hops, cx);
                return;
            }
        }
        cx.drop_lost(lost);
        self.link_lost(next_hop, None, self.cfg.flush_queue, cx);
    }

    /// The link to `neighbour` is gone: every route over it goes down, but the one to `repair` is repaired.
    fn link_lost(&mut self, neighbour: NodeId, repair: Option<NodeId>, flush: bool, cx: &mut Cx) {
        self.count_neighbour();
        self.neighbours.remove(neighbour);
        let until = self.remembered_until(cx.now);
        let mut lost: SmallVec<[NodeId; Rerr::MAX]> = SmallVec::new();
        let mut broken = false;
        for route in self.table.iter_mut() {
            // The neighbour is gone as a user of this route, wherever that leads.
            route.remove_precursor(neighbour);
            if !route.answers() || route.next_hop != neighbour {
                continue;
            }
            // The number grows, so that no stale route of others takes its place (RFC 3561 6.11).
            route.lose();
            if route.state == RouteState::Up {
                cx.note(RoutingNote::RouteDown { dst: route.dst, cause: RouteLoss::LinkLost });
            }
            broken = true;
            if repair == Some(route.dst) {
                route.await_repair();
            } else {
                route.fall(until);
                lost.push(route.dst);
            }
        }
        if broken {
            cx.note(RoutingNote::LinkLost { neighbour });
            self.watch(until, cx);
        }
        if flush {
            cx.push(RoutingEffect::FlushNextHop { next_hop: neighbour });
        }
        match self.cfg.error_reach {
            ErrorReach::Precursors => self.report_lost(&lost, false, cx),
            ErrorReach::Everybody => {
                let number = |&dst: &NodeId| (dst, self.table.get(dst).map_or(0, |route| route.seq));
                let listed: SmallVec<[(NodeId, u32); Rerr::MAX]> = lost.iter().map(number).collect();
                self.send_errors(&listed, &[], false, cx);
            }
        }
    }

    /// Notifies the precursors of lost routes, which are precursors no more (RFC 3561 6.11 cases i and iii).
    pub(super) fn report_lost(&mut self, lost: &[NodeId], jitter: bool, cx: &mut Cx) {
        let mut listed: SmallVec<[(NodeId, u32); Rerr::MAX]> = SmallVec::new();
        let mut reported: SmallVec<[NodeId; 8]> = SmallVec::new();
        for &dst in lost {
            let Some(route) = self.table.get_mut(dst) else { continue };
            // Nobody sends over it.
            if route.precursors.is_empty() {
                continue;
            }
            listed.push((dst, route.seq));
            for node in route.precursors.drain(..) {
                if !reported.contains(&node) {
                    reported.push(node);
                }
            }
        }
        self.send_errors(&listed, &reported, jitter, cx);
    }

    /// Notifies upstream that there is no route for a packet that came from `prev` (RFC 3561 6.11 case ii).
    pub(super) fn report_missing_route(&mut self, dst: NodeId, prev: Option<NodeId>, cx: &mut Cx) {
        let mut reported: SmallVec<[NodeId; 8]> = prev.into_iter().collect();
        let mut seq = 0;
        if let Some(route) = self.table.get_mut(dst) {
            seq = route.seq;
            // It is still in use upstream: the number must not be forgotten meanwhile.
            route.expires = cx.now + self.cfg.delete_period;
            if self.cfg.error_reach == ErrorReach::Precursors {
                for node in route.precursors.drain(..) {
                    if !reported.contains(&node) {
                        reported.push(node);
                    }
                }
            }
        }
        self.send_errors(&[(dst, seq)], &reported, false, cx);
    }

    /// Sends errors about `listed` to the nodes `reported`, as far as the rate limit allows.
    pub(super) fn send_errors(&mut self, listed: &[(NodeId, u32)], reported: &[NodeId], jitter: bool, cx: &mut Cx) {
        // A message has room for so many destinations; each one counts for the rate limit.
        for part in listed.chunks(Rerr::MAX) {
            // What is beyond the limit is not sent later: who still sends over a lost route gets an error of its own
            // (case ii).
            if self.rerr_limit.take(cx.now).is_err() {
                return;
            }
            let message = AodvMessage::Rerr(Rerr::new(part));
            let alone = self.cfg.rerr_unicast && self.cfg.error_reach == ErrorReach::Precursors;
            if let ([to], true) = (reported, alone) {
                cx.push(RoutingEffect::Unicast {
                    message: message.into(),
                    to: *to,
                    interface: None,
                    ttl: 1,
                    delay: Span::ZERO,
                });
            } else {
                // An error that was heard is passed on by several at once; one that begins here is alone.
                let delay = if jitter { cx.part_of(self.cfg.broadcast_jitter) } else { Span::ZERO };
                self.broadcast(message, 1, delay, cx);
            }
        }
    }

    // ---- HELLOs ----------------------------------------------------------------------------------------------

    /// Sends a HELLO unless a broadcast of the last interval did its work, and asks for the next one.
    pub(super) fn say_hello(&mut self, cx: &mut Cx) {
        let interval = self.cfg.hello_interval;
        let jitter = cx.part_of(self.cfg.hello_jitter * 2);
        let since = |at: Option<Time>| at.map(|at| cx.now.saturating_since(at));
        // A node that carries nothing need not be known to its neighbours (RFC 3561 6.9).
        let active = since(self.last_use).is_some_and(|since| since < self.cfg.active_route_timeout);
        let spoken = since(self.last_broadcast).filter(|&since| self.cfg.broadcast_saves_hello && since < interval);
        let wait = interval.saturating_sub(spoken.unwrap_or(Span::ZERO));
        if spoken.is_none() && (active || self.cfg.hello_senders == HelloSenders::All) {
            let hello = Rrep {
                dst: self.node,
                dst_seq: self.seq,
                origin: self.node,
                hops: 0,
                // RFC 3561 6.9 gives the fields of a HELLO; `hello_hold` is a rule of the receiver and stays out of
                // it.
                lifetime: self.cfg.hello_interval * u64::from(self.cfg.allowed_hello_loss),
                asked: cx.now,
            };
            self.broadcast(AodvMessage::Hello(hello), 1, Span::ZERO, cx);
        }
        // Uniform within the jitter on both sides, and always in the future.
        let next = (wait + jitter).saturating_sub(self.cfg.hello_jitter).max(Span(1));
        self.armed.by(timer::HELLO, cx.now + next, cx.out);
    }

    /// Takes down the links whose hold time is over.
    pub(super) fn check_neighbours(&mut self, cx: &mut Cx) {
        while let Some(neighbour) = self.neighbours.take_expired(cx.now) {
            let flush = self.cfg.flush_queue && self.cfg.flush_cause == FlushCause::LinkLost;
            self.link_lost(neighbour, None, flush, cx);
        }
        let tick = self.cfg.neighbour_clock.then(|| cx.now + self.cfg.hello_interval);
        if let Some(at) = tick.or_else(|| self.neighbours.next_expiry()) {
            self.armed.by(timer::NEIGHBOURS, at, cx.out);
        }
    }
}
