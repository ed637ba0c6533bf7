//! `search = "sweep"`: a clock repeats requests and ends lifetimes.
//!
//! So does the agent of ns-2.35 (ns2-facts item 45, and traces made for this project).
//!
//! * The last hop count of a destination never reached counts as 255: its first request is network-wide. Once a hop
//!   count is known, rings grow from it by `ttl_increment` while below `ttl_threshold`.
//! * A request is repeated only by a new packet or by the sweep, once the wait is over. The wait is twice the time to live
//!   times a mean of measured delays per hop (`node_traversal_time` where none is known), times the number of
//!   network-wide requests; after more than `rreq_retries` of those the held packets are dropped and a pause begins.
//! * Routes expire in the sweep only.
//! * The time at which a repair past half of the way is taken for failed is an instant used as a delay: it comes when the
//!   clock has about doubled, so a repair mostly ends with its requests. The number does not rise then, so a node
//!   upstream may answer the next request with a way that leads back.

use smallvec::SmallVec;

use super::search::{RouteSource, Search};
use super::table::{Route, RouteState, UNREACHABLE};
use super::{Aodv, timer};
use crate::config::aodv::RepairRule;
use crate::routing::{Cx, RouteLoss, RoutingEffect, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};

impl Aodv {
    /// Sends the next request for `dst`, if no wait or pause is on.
    pub(super) fn seek_by_clock(&mut self, dst: NodeId, cx: &mut Cx) {
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
            match self.cfg.repair {
                RepairRule::Near => self.give_up_repair(dst, cx),
                RepairRule::PastHalf => {}
            }
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
            ring if ring < cfg.ttl_threshold => (ring + cfg.ttl_increment).min(u32::from(UNREACHABLE) - 1) as u8,
            _ => cfg.net_diameter as u8,
        };
        search.wide += u32::from(u32::from(search.ttl) >= cfg.net_diameter);
        let per_hop = search.delay_per_hop(cfg.node_traversal_time);
        let wait = per_hop * (2 * u64::from(search.ttl) * u64::from(search.wide.max(1)));
        search.due = cx.now + wait.min(cfg.max_rreq_wait);
        let ttl = search.ttl;
        // As in ns-2.35, a destination that is searched has no lifetime until an answer sets one.
        self.table.entry(dst).expires = Time::ZERO;
        self.send_request(dst, ttl, cx);
    }

    /// The same for a route under repair.
    pub(super) fn seek_repair_by_clock(&mut self, dst: NodeId, cx: &mut Cx) {
        self.seek_by_clock(dst, cx);
        match self.cfg.repair {
            RepairRule::Near => {}
            RepairRule::PastHalf => {
                let wait_ends = self.search_place(dst).map_or(cx.now, |at| self.searches[at].due);
                // The sum of two instants, not of an instant and a span: so ns-2.35 schedules it (see the top of this
                // file).
                let until = Time(cx.now.0.saturating_add(wait_ends.0));
                self.repairs.push((until, dst));
                self.armed.by(timer::SEARCH, until, cx.out);
            }
        }
    }

    /// A route is up: the packets held for it leave, after a request at once, and the next search starts from its hops.
    pub(super) fn found_by_clock(&mut self, dst: NodeId, source: RouteSource, cx: &mut Cx) {
        let replied = source == RouteSource::Reply;
        if replied {
            // Whether or not a search is on, the next one starts from this hop count.
            let at = self.search_entry(dst);
            self.searches[at].due = self.searches[at].due.max(Time(1));
        }
        let hops = self.table.entry(dst).hops;
        let searched = self.end_search(dst, hops, cx);
        let route = self.table.entry(dst);
        if (searched && !replied) || self.buffer.holds(dst) {
            route.expires = cx.now + self.cfg.active_route_timeout;
        }
        let next_hop = route.next_hop;
        self.release(dst, next_hop, if replied { self.cfg.release_gap } else { Span::ZERO }, cx);
    }

    /// Expires routes, sends what waits for a route that is up, repeats requests.
    pub(super) fn sweep(&mut self, cx: &mut Cx) {
        self.armed.by(timer::SWEEP, cx.now + self.cfg.sweep_interval, cx.out);
        self.drop_expired(cx);
        self.forget_old_requests(cx.now);
        let dsts: SmallVec<[NodeId; 16]> = self.table.iter().map(|route| route.dst).collect();
        let mut delay = Span::ZERO;
        for dst in dsts {
            let Some(&Route { state, expires, next_hop, .. }) = self.table.get(dst) else { continue };
            match state {
                // Strictly: at the instant of its end a route still serves, as in ns-2.35.
                RouteState::Up if expires < cx.now => {
                    self.drop_held(dst, cx);
                    self.table.entry(dst).lose();
                    self.set_down(dst, RouteLoss::Expired, cx);
                }
                RouteState::Up => {
                    while let Some(packet) = self.buffer.take(dst) {
                        cx.push(RoutingEffect::Forward { packet, next_hop, interface: None, delay });
                        // Gaps add up over all destinations, not for each of them.
                        delay = delay + self.cfg.release_gap;
                    }
                }
                RouteState::Repairing | RouteState::Down if self.buffer.holds(dst) => self.seek_by_clock(dst, cx),
                RouteState::Repairing | RouteState::Down => {}
            }
        }
    }

    /// Repairs whose (late) end has come and that have not succeeded: the route is down for good.
    pub(super) fn end_repairs(&mut self, cx: &mut Cx) {
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

    /// Notes the delay of an answer about `dst` over `hops` hops.
    pub(super) fn learn_delay(&mut self, dst: NodeId, delay: Span, hops: u8) {
        let at = self.search_entry(dst);
        let search = &mut self.searches[at];
        search.delays[usize::from(search.next_delay)] = Span(delay.0 / u64::from(hops.max(1)));
        search.next_delay = (search.next_delay + 1) % 3;
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

    /// Place of what is remembered of searches for `dst`.
    fn search_entry(&mut self, dst: NodeId) -> usize {
        self.search_place(dst).unwrap_or_else(|at| {
            self.searches.insert(at, Search::new(dst));
            at
        })
    }
}

impl Search {
    /// Mean of the noted delays per hop.
    fn delay_per_hop(&self, unknown: Span) -> Span {
        let (count, sum) = self.delays.iter().filter(|d| d.0 > 0).fold((0, 0), |(n, sum), d| (n + 1, sum + d.0));
        sum.checked_div(count).map_or(unknown, Span)
    }
}
