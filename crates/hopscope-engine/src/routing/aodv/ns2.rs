//! The agent of ns-2.35 (ns2-facts items 44 to 46, and traces made for this project), where it differs.
//!
//! * The last hop count of a destination never reached counts as 255: its first request is network-wide, with TTL 30.
//!   Once a hop count is known, rings grow from it by 2 while below 7.
//! * A request is repeated only by a new packet or by the sweep, which runs every 0.5 s, once the wait is over. The wait
//!   is twice the time to live times a mean of measured delays per hop (30 ms at first), times the number of
//!   network-wide requests; after more than three of those the held packets are dropped and a pause of 10 s begins.
//! * Routes expire in the sweep only. A route in use lives 10 s on; the others of its path are not extended.
//! * Errors go to everybody at once, forwarded ones after up to 10 ms, if there are precursors.
//! * Routing messages that the MAC gives up change nothing.
//! * A route under repair keeps its number and hop count, so nodes behind the break that still have a route cannot help:
//!   their answers are refused as no fresher and no shorter. A repair across a link that was away for a moment can so take
//!   more than 10 s, until those routes have expired and the destination itself answers. It still answers requests with
//!   the broken way, for a lifetime that never ends, and carries replies.
//! * The time at which a repair is taken for failed is an instant used as a delay: it comes when the clock has
//!   about doubled, so a repair mostly ends with its requests. The number does not rise then, so a node upstream
//!   may answer the next request with a way that leads back: such a loop lasts until a time to live ends it.

use smallvec::SmallVec;

use super::search::Search;
use super::table::{Route, RouteState};
use super::{Aodv, timer};
use crate::config::aodv::Detection;
use crate::ids::NodeId;
use crate::packet::aodv::{AodvMessage, Rerr, Rrep, Rreq};
use crate::routing::{Cx, Lost, RouteDrop, RouteLoss, RoutingEffect, RoutingNote};
use crate::units::{Span, Time};

impl Aodv {
    pub(super) fn start_ns2(&mut self, cx: &mut Cx) {
        self.armed.by(timer::MEMORY, cx.now + self.cfg.request_life(), cx.out);
        self.armed.by(timer::SWEEP, cx.now + SWEEP, cx.out);
        if self.cfg.detection == Detection::Hello {
            self.armed.by(timer::NEIGHBOURS, cx.now + self.cfg.hello_interval, cx.out);
        }
    }

    pub(super) fn seek_ns2(&mut self, dst: NodeId, cx: &mut Cx) {
        let route = self.table.entry(dst);
        if route.state == RouteState::Up {
            return;
        }
        let (last_hops, repair) = (route.last_hops, route.state == RouteState::Repairing);
        let at = self.search_entry(dst);
        let search = &mut self.searches[at];
        if search.due > cx.now {
            return;
        }
        if search.wide > self.cfg.rreq_retries {
            search.due = cx.now + self.cfg.search_pause;
            search.wide = 0;
            search.started = None;
            self.drop_held(dst, cx);
            cx.note(RoutingNote::SearchFailed { dst });
            return;
        }
        if search.started.is_none() {
            search.started = Some(cx.now);
            cx.note(RoutingNote::SearchStarted { dst, repair });
        }
        let cfg = &self.cfg;
        search.ttl = match u32::from(search.ttl.max(last_hops)) {
            0 => cfg.ttl_start as u8,
            _ if !cfg.expanding_ring => cfg.net_diameter as u8,
            ring if ring < cfg.ttl_threshold => (ring + cfg.ttl_increment) as u8,
            _ => cfg.net_diameter as u8,
        };
        search.wide += u32::from(u32::from(search.ttl) >= cfg.net_diameter);
        let per_hop = search.delay_per_hop(cfg.node_traversal_time);
        let wait = per_hop * (2 * u64::from(search.ttl) * u64::from(search.wide.max(1)));
        search.due = cx.now + wait.min(cfg.max_rreq_wait);
        let ttl = search.ttl;
        self.table.entry(dst).expires = Time::ZERO;
        self.send_request(dst, ttl, cx);
    }

    pub(super) fn on_rreq_ns2(&mut self, from: NodeId, ttl: u8, rreq: &Rreq, cx: &mut Cx) {
        // A request is known until the next purge, whatever its age: "now" is the beginning of time.
        if rreq.origin == self.node
            || !self.seen.insert(rreq.origin, rreq.id, Time::ZERO, cx.now + self.cfg.request_life())
        {
            return;
        }
        let hops = rreq.hops.saturating_add(1);
        let until = cx.now + self.cfg.reverse_route_life;
        let reverse = self.table.entry(rreq.origin);
        reverse.live_until(until);
        if reverse.loses_to(rreq.origin_seq, hops) {
            let mut expires = reverse.expires;
            if self.end_search(rreq.origin, hops, cx) {
                expires = cx.now + self.cfg.active_route_timeout;
            }
            self.set_up(rreq.origin, from, hops, rreq.origin_seq, expires, cx);
            self.release_ns2(rreq.origin, Span::ZERO, cx);
        }
        let known = self.table.get(rreq.dst).map(|route| (route.state, route.seq));
        if rreq.dst == self.node {
            self.seq = self.seq.max(rreq.dst_seq.unwrap_or(0)) + 1;
            self.seq += self.seq % 2;
            let lifetime = self.cfg.my_route_timeout;
            self.reply(
                Rrep { dst: self.node, dst_seq: self.seq, origin: rreq.origin, hops: 0, lifetime, asked: rreq.asked },
                cx,
            );
        } else if self.cfg.intermediate_reply
            && !rreq.destination_only
            && known.is_some_and(|(state, seq)| state != RouteState::Down && seq >= rreq.dst_seq.unwrap_or(0))
        {
            self.answer_for_other_ns2(rreq, hops, cx);
        } else if ttl > 1 {
            let dst_seq = rreq.dst_seq.max(known.map(|(_, seq)| seq));
            let jitter = cx.part_of(self.cfg.broadcast_jitter);
            self.broadcast(AodvMessage::Rreq(Rreq { hops, dst_seq, ..*rreq }), ttl - 1, jitter, cx);
        }
    }

    fn answer_for_other_ns2(&mut self, rreq: &Rreq, hops: u8, cx: &mut Cx) {
        let Some(back) = self.table.get(rreq.origin).map(|route| route.next_hop) else { return };
        let route = self.table.entry(rreq.dst);
        route.add_precursor(back);
        let (onward, asked) = (route.next_hop, rreq.asked);
        let lifetime = whole_seconds_left(route.expires, cx.now);
        let answer = Rrep { dst: rreq.dst, dst_seq: route.seq, origin: rreq.origin, hops: route.hops, lifetime, asked };
        self.reply(answer, cx);
        self.table.entry(rreq.origin).add_precursor(onward);
        if rreq.gratuitous {
            let hops = hops - 1;
            let news = Rrep { dst: rreq.origin, dst_seq: rreq.origin_seq, origin: rreq.dst, hops, lifetime, asked };
            self.reply(news, cx);
        }
    }

    pub(super) fn on_rrep_ns2(&mut self, from: NodeId, ttl: u8, rrep: &Rrep, cx: &mut Cx) {
        let hops = rrep.hops.saturating_add(1);
        if !self.table.entry(rrep.dst).loses_to(rrep.dst_seq, hops) {
            return;
        }
        if rrep.origin == self.node {
            let at = self.search_entry(rrep.dst);
            self.searches[at].learn_delay(cx.now - rrep.asked, hops);
        }
        let at = self.search_entry(rrep.dst);
        // Whether or not a search is on, the next one starts from this hop count.
        self.searches[at].due = self.searches[at].due.max(Time(1));
        self.end_search(rrep.dst, hops, cx);
        self.set_up(rrep.dst, from, hops, rrep.dst_seq, cx.now + rrep.lifetime, cx);
        self.release_ns2(rrep.dst, self.cfg.release_gap, cx);
        if rrep.origin == self.node || ttl <= 1 {
            return;
        }
        let until = cx.now + self.cfg.active_route_timeout;
        let reverse = self.table.get_mut(rrep.origin);
        // A way back that is under repair serves too.
        let Some(reverse) = reverse.filter(|route| route.state != RouteState::Down) else { return };
        reverse.expires = until;
        let to = reverse.next_hop;
        cx.push(RoutingEffect::Unicast {
            message: AodvMessage::Rrep(Rrep { hops, ..*rrep }).into(),
            to,
            ttl: ttl - 1,
            delay: Span::ZERO,
        });
        self.table.entry(rrep.dst).add_precursor(to);
    }

    pub(super) fn on_hello_ns2(&mut self, from: NodeId, cx: &mut Cx) {
        if self.neighbours.insert(from, cx.now + self.cfg.hold()) {
            self.seq += 2;
        }
    }

    pub(super) fn on_rerr_ns2(&mut self, from: NodeId, rerr: &Rerr, cx: &mut Cx) {
        let mut listed: SmallVec<[(NodeId, u32); Rerr::MAX]> = SmallVec::new();
        for &(dst, seq) in rerr.unreachable() {
            let Some(route) = self.table.get_mut(dst) else { continue };
            if route.state == RouteState::Down || route.next_hop != from || route.seq > seq {
                continue;
            }
            route.seq = seq;
            if !route.precursors.is_empty() {
                listed.push((dst, seq));
                route.precursors.clear();
            }
            self.set_down(dst, RouteLoss::Reported, cx);
            if self.cfg.flush_queue {
                cx.push(RoutingEffect::FlushNextHop { next_hop: from });
            }
        }
        self.send_errors(&listed, &[], true, cx);
    }

    pub(super) fn link_failed_ns2(&mut self, next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        let Some(lost) = lost else { return };
        let Some(route) = self.table.get_mut(lost.dst) else {
            cx.drop_packet(lost.packet, RouteDrop::LinkFailed);
            return;
        };
        if self.cfg.local_repair && lost.hops > route.metric() {
            if route.state == RouteState::Up {
                cx.note(RoutingNote::RouteDown { dst: lost.dst, cause: RouteLoss::LinkLost });
            }
            route.state = RouteState::Repairing;
            self.hold(lost.packet, lost.dst, cx);
            self.seek_ns2(lost.dst, cx);
            let wait_ends = self.search_place(lost.dst).map_or(cx.now, |at| self.searches[at].due);
            let until = Time(cx.now.0.saturating_add(wait_ends.0));
            self.repairs.push((until, lost.dst));
            self.armed.by(timer::SEARCH, until, cx.out);
            return;
        }
        cx.drop_packet(lost.packet, RouteDrop::LinkFailed);
        if self.cfg.flush_queue {
            cx.push(RoutingEffect::FlushNextHop { next_hop });
        }
        self.neighbour_lost_ns2(next_hop, cx);
    }

    pub(super) fn neighbour_lost_ns2(&mut self, neighbour: NodeId, cx: &mut Cx) {
        self.seq += 2;
        self.neighbours.remove(neighbour);
        let mut listed: SmallVec<[(NodeId, u32); Rerr::MAX]> = SmallVec::new();
        for route in self.table.iter_mut() {
            if route.state != RouteState::Down && route.next_hop == neighbour {
                route.seq += 1;
                listed.push((route.dst, route.seq));
                if route.state == RouteState::Up {
                    cx.note(RoutingNote::RouteDown { dst: route.dst, cause: RouteLoss::LinkLost });
                }
                route.fall(Time::ZERO);
            }
            route.remove_precursor(neighbour);
        }
        if !listed.is_empty() {
            cx.note(RoutingNote::LinkLost { neighbour });
        }
        self.send_errors(&listed, &[], false, cx);
    }

    /// Every 0.5 s: expires routes, sends what waits for a route that is up, repeats requests.
    pub(super) fn sweep_ns2(&mut self, cx: &mut Cx) {
        self.armed.by(timer::SWEEP, cx.now + SWEEP, cx.out);
        self.drop_expired(cx);
        let dsts: SmallVec<[NodeId; 16]> = self.table.iter().map(|route| route.dst).collect();
        let mut delay = Span::ZERO;
        for dst in dsts {
            let Some(&Route { state, expires, next_hop, .. }) = self.table.get(dst) else { continue };
            match state {
                RouteState::Up if expires < cx.now => {
                    self.drop_held(dst, cx);
                    self.table.entry(dst).seq += 1;
                    self.set_down(dst, RouteLoss::Expired, cx);
                }
                RouteState::Up => {
                    while let Some(packet) = self.buffer.take(dst) {
                        cx.push(RoutingEffect::Forward { packet, next_hop, delay });
                        delay = delay + self.cfg.release_gap;
                    }
                }
                _ if self.buffer.holds(dst) => self.seek_ns2(dst, cx),
                _ => {}
            }
        }
    }

    pub(super) fn forget_ns2(&mut self, cx: &mut Cx) {
        self.seen.purge(cx.now);
        self.armed.by(timer::MEMORY, cx.now + self.cfg.request_life(), cx.out);
    }

    /// Repairs whose (late) end has come and that have not succeeded: the route is down for good.
    pub(super) fn end_repairs_ns2(&mut self, cx: &mut Cx) {
        while let Some(at) = self.repairs.iter().position(|&(until, _)| until <= cx.now) {
            let (_, dst) = self.repairs.remove(at);
            if self.table.get(dst).is_some_and(|route| route.state == RouteState::Repairing) {
                self.set_down(dst, RouteLoss::LinkLost, cx);
            }
        }
        if let Some(at) = self.repairs.iter().map(|&(until, _)| until).min() {
            self.armed.by(timer::SEARCH, at, cx.out);
        }
    }

    /// A route is known again: the next search starts afresh from its hop count. False when none was ever made.
    fn end_search(&mut self, dst: NodeId, hops: u8, cx: &mut Cx) -> bool {
        let Ok(at) = self.search_place(dst) else { return false };
        let search = &mut self.searches[at];
        if search.due == Time::ZERO {
            return false;
        }
        if let Some(started) = search.started.take() {
            cx.note(RoutingNote::SearchDone { dst, latency: cx.now - started });
        }
        (search.wide, search.due, search.ttl) = (0, Time::ZERO, hops);
        true
    }

    fn release_ns2(&mut self, dst: NodeId, gap: Span, cx: &mut Cx) {
        if !self.buffer.holds(dst) {
            return;
        }
        let route = self.table.entry(dst);
        route.expires = cx.now + self.cfg.active_route_timeout;
        let next_hop = route.next_hop;
        self.release(dst, next_hop, gap, cx);
    }

    /// Place of what is remembered of searches for `dst`.
    fn search_entry(&mut self, dst: NodeId) -> usize {
        self.search_place(dst).unwrap_or_else(|at| {
            self.searches.insert(at, Search::new(dst));
            at
        })
    }
}

impl Search {
    /// Notes the delay of an answer over `hops` hops.
    fn learn_delay(&mut self, delay: Span, hops: u8) {
        self.delays[usize::from(self.next_delay)] = Span(delay.0 / u64::from(hops.max(1)));
        self.next_delay = (self.next_delay + 1) % 3;
    }

    /// Mean of the noted delays per hop.
    fn delay_per_hop(&self, unknown: Span) -> Span {
        let (count, sum) = self.delays.iter().filter(|d| d.0 > 0).fold((0, 0), |(n, sum), d| (n + 1, sum + d.0));
        sum.checked_div(count).map_or(unknown, Span)
    }
}

/// Lifetime that an answer gives to a route that expires then: whole seconds without a sign. A time that is past wraps
/// around, which makes the route of a node that is repairing it last for ever where nobody uses it.
fn whole_seconds_left(expires: Time, now: Time) -> Span {
    let left = (i128::from(expires.0) - i128::from(now.0)) / i128::from(Span::from_secs(1).0);
    Span::from_secs(u64::from(left as u32))
}

/// Interval of the sweep.
const SWEEP: Span = Span::from_millis(500);
