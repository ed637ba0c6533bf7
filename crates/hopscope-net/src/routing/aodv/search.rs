//! Searching a destination: requests in growing rings, then network-wide (RFC 3561 6.3, 6.4).

use super::table::{RouteState, UNREACHABLE};
use super::{Aodv, timer};
use crate::config::aodv::{OwnNumber, SearchRule};
use crate::routing::{Cx, RouteLoss, RoutingEffect, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;
use hopscope_packet::aodv::{AodvMessage, Rreq};

/// The message that reports a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RouteSource {
    /// A request, of its originator.
    Request,
    /// A reply, of the node asked for.
    Reply,
    /// Any message, of its sender.
    Neighbour,
}

/// The search for one destination.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) dst: NodeId,
    /// When it began; none: it is over and only remembered.
    pub(super) started: Option<Time>,
    /// Time to live of the next request or, once it is sent, of the last.
    pub(super) ttl: u8,
    /// The request with that time to live was sent.
    sent: bool,
    /// Network-wide requests sent.
    pub(super) wide: u32,
    /// End of the wait for an answer, of a pause, or of a rate limit.
    pub(super) due: Time,
    /// It repairs a broken route of others: one request only.
    repair: bool,
    /// `search = "sweep"`: the last delays per hop, oldest overwritten first.
    pub(super) delays: [Span; 3],
    pub(super) next_delay: u8,
}

impl Search {
    pub(super) fn new(dst: NodeId) -> Self {
        Search {
            dst,
            started: None,
            ttl: 0,
            sent: false,
            wide: 0,
            due: Time::ZERO,
            repair: false,
            delays: [Span::ZERO; 3],
            next_delay: 0,
        }
    }
}

impl Aodv {
    /// Searches `dst` unless that is being done or a pause is on.
    pub(super) fn seek(&mut self, dst: NodeId, cx: &mut Cx) {
        match self.cfg.search {
            SearchRule::Rings => {
                if let Err(at) = self.search_place(dst) {
                    self.searches.insert(at, Search { ttl: self.first_ring(dst), ..Search::new(dst) });
                    self.begin(at, cx);
                }
            }
            SearchRule::Sweep => self.seek_by_clock(dst, cx),
        }
    }

    /// Searches a new way, for a route under repair, from where a packet has come `hops_done` hops.
    pub(super) fn seek_repair(&mut self, dst: NodeId, hops_done: u8, cx: &mut Cx) {
        match self.cfg.search {
            SearchRule::Rings => self.ask_for_repair(dst, hops_done, cx),
            SearchRule::Sweep => self.seek_repair_by_clock(dst, cx),
        }
    }

    /// One request, as far as RFC 3561 6.12 says.
    fn ask_for_repair(&mut self, dst: NodeId, hops_done: u8, cx: &mut Cx) {
        let last = self.table.get(dst).map_or(0, |route| route.last_hops);
        // MIN_REPAIR_TTL is the last known number of hops to the destination (RFC 3561 10), the other part half of
        // the way back to the source (6.12).
        let ttl = u32::from(last.max(hops_done / 2)) + self.cfg.local_add_ttl;
        let ttl = ttl.min(self.cfg.net_diameter) as u8;
        let search = Search { ttl, repair: true, ..Search::new(dst) };
        let at = match self.search_place(dst) {
            Ok(at) => {
                // A search of its own for the same destination gives way; the answer releases its packets as well.
                self.searches[at] = search;
                at
            }
            Err(at) => {
                self.searches.insert(at, search);
                at
            }
        };
        self.begin(at, cx);
    }

    /// Waits that are over: the next request, or the end of the search.
    pub(super) fn end_waits(&mut self, cx: &mut Cx) {
        let mut at = 0;
        while at < self.searches.len() {
            let search = &self.searches[at];
            let dst = search.dst;
            if search.due > cx.now {
            } else if search.started.is_none() {
                self.end_pause(at, cx);
            } else if !search.sent || self.widen(at) {
                self.ask(at, cx);
            } else {
                self.fail(at, cx);
            }
            // A search that is gone has made room for its successor at the same place.
            at += usize::from(self.searches.get(at).is_some_and(|s| s.dst == dst));
        }
        if let Some(at) = self.searches.iter().map(|s| s.due).min() {
            self.armed.by(timer::SEARCH, at, cx.out);
        }
    }

    /// A route to `dst` is up: its search is over and the packets held for it leave.
    pub(super) fn found(&mut self, dst: NodeId, next_hop: NodeId, source: RouteSource, cx: &mut Cx) {
        match self.cfg.search {
            SearchRule::Rings => {
                if let Ok(at) = self.search_place(dst) {
                    if let Some(started) = self.searches.remove(at).started {
                        cx.note(RoutingNote::SearchDone { dst, latency: cx.now - started });
                    }
                }
                self.release(dst, next_hop, self.cfg.release_gap, cx);
            }
            SearchRule::Sweep => self.found_by_clock(dst, source, cx),
        }
    }

    /// Broadcasts a request.
    pub(super) fn send_request(&mut self, dst: NodeId, ttl: u8, cx: &mut Cx) {
        // A fresh number for the way back: it must beat what others remember of this node (RFC 3561 6.1).
        self.seq = self.seq.wrapping_add(match self.cfg.own_number {
            OwnNumber::Counted => 1,
            OwnNumber::Even => 2,
        });
        self.request_id = self.request_id.wrapping_add(1);
        let message = AodvMessage::Rreq(Rreq {
            origin: self.node,
            origin_seq: self.seq,
            id: self.request_id,
            dst,
            dst_seq: self.known_seq(dst),
            hops: 0,
            destination_only: self.cfg.destination_only,
            gratuitous: self.cfg.gratuitous_rrep,
            asked: cx.now,
        });
        self.broadcast(message, ttl, Span::ZERO, cx);
    }

    /// Broadcasts a message after a delay.
    pub(super) fn broadcast(&mut self, message: AodvMessage, ttl: u8, delay: Span, cx: &mut Cx) {
        self.last_broadcast = Some(cx.now + delay);
        cx.push(RoutingEffect::Broadcast { message: message.into(), interface: None, ttl, delay });
    }

    /// The number an answer must at least have: of a route known, lost, or remembered.
    pub(super) fn known_seq(&self, dst: NodeId) -> Option<u32> {
        self.table.get(dst).map(|route| route.seq).filter(|&seq| seq != 0)
    }

    pub(super) fn search_place(&self, dst: NodeId) -> Result<usize, usize> {
        self.searches.binary_search_by_key(&dst, |search| search.dst)
    }

    fn begin(&mut self, at: usize, cx: &mut Cx) {
        let search = &mut self.searches[at];
        search.started = Some(cx.now);
        cx.note(RoutingNote::SearchStarted { dst: search.dst, repair: search.repair });
        self.ask(at, cx);
    }

    /// Sends the request that is due, or waits until the rate limit lets it go.
    fn ask(&mut self, at: usize, cx: &mut Cx) {
        let (dst, ttl) = (self.searches[at].dst, self.searches[at].ttl);
        let due = match self.rreq_limit.take(cx.now) {
            // `sent` stays false: the same ring is due when the limit allows it.
            Err(allowed) => allowed,
            Ok(()) => {
                self.send_request(dst, ttl, cx);
                let search = &mut self.searches[at];
                search.sent = true;
                search.wide += u32::from(u32::from(ttl) >= self.cfg.net_diameter);
                cx.now + self.wait(at)
            }
        };
        self.searches[at].due = due;
        self.armed.by(timer::SEARCH, due, cx.out);
    }

    /// Sets the next ring; false when there is none.
    fn widen(&mut self, at: usize) -> bool {
        let cfg = &self.cfg;
        let search = &mut self.searches[at];
        // RREQ_RETRIES counts only requests through the whole network, not rings (RFC 3561 6.4); a repair has one
        // request (6.12).
        if search.repair || search.wide > cfg.rreq_retries {
            return false;
        }
        let next = u32::from(search.ttl) + cfg.ttl_increment;
        search.ttl = if next > cfg.ttl_threshold { cfg.net_diameter } else { next } as u8;
        search.sent = false;
        true
    }

    /// Time the answer to the request just sent may take: RING_TRAVERSAL_TIME, or NET_TRAVERSAL_TIME doubled each time.
    fn wait(&self, at: usize) -> Span {
        let (search, cfg) = (&self.searches[at], &self.cfg);
        let wait = match search.wide.checked_sub(1) {
            None => cfg.node_traversal_time * (2 * (u64::from(search.ttl) + u64::from(cfg.timeout_buffer))),
            // `rreq_retries` has no upper bound: this one keeps the shift within its type.
            Some(doublings) => cfg.net_traversal_time() * (1 << doublings.min(20)),
        };
        wait.min(cfg.max_rreq_wait)
    }

    /// Time to live of the first request: just beyond where the destination was, if that is remembered.
    fn first_ring(&self, dst: NodeId) -> u8 {
        let cfg = &self.cfg;
        let known = self.table.get(dst).map(|route| route.last_hops).filter(|&hops| hops != UNREACHABLE);
        let ring = known.map_or(cfg.ttl_start, |hops| u32::from(hops) + cfg.ttl_increment);
        if cfg.expanding_ring && ring <= cfg.ttl_threshold { ring as u8 } else { cfg.net_diameter as u8 }
    }

    /// Gives a search up.
    fn fail(&mut self, at: usize, cx: &mut Cx) {
        let search = &mut self.searches[at];
        let dst = search.dst;
        // The pause is for searches of its own; a repair serves packets of others, whose sources are notified.
        if search.repair || self.cfg.search_pause == Span::ZERO {
            self.searches.remove(at);
        } else {
            *search = Search { due: cx.now + self.cfg.search_pause, ..Search::new(dst) };
        }
        self.drop_held(dst, cx);
        cx.note(RoutingNote::SearchFailed { dst });
        self.give_up_repair(dst, cx);
    }

    /// A route still under repair is lost for good.
    pub(super) fn give_up_repair(&mut self, dst: NodeId, cx: &mut Cx) {
        if self.table.get(dst).is_some_and(|route| route.state == RouteState::Repairing) {
            self.set_down(dst, RouteLoss::LinkLost, cx);
            self.report_lost(&[dst], false, cx);
        }
    }

    pub(super) fn drop_held(&mut self, dst: NodeId, cx: &mut Cx) {
        while let Some(packet) = self.buffer.take(dst) {
            cx.drop_packet(packet, DropReason::NoRoute);
        }
    }

    /// A pause is over: packets that came meanwhile get their search.
    fn end_pause(&mut self, at: usize, cx: &mut Cx) {
        let dst = self.searches.remove(at).dst;
        if self.buffer.holds(dst) {
            self.seek(dst, cx);
        }
    }
}
