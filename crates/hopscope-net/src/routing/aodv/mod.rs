//! AODV (RFC 3561): routes are searched when a packet needs one.
//!
//! Using a route allocates nothing.
//!
//! | file | idea |
//! |---|---|
//! | `table.rs` | routes, freshness of sequence numbers |
//! | `memory.rs` | requests seen, rate limits |
//! | `search.rs` | requests sent: rings, waits, giving up |
//! | `receive.rs` | requests, replies, HELLOs and errors received |
//! | `links.rs` | neighbours, broken links, route errors sent, local repair |
//! | `sweep.rs` | the other choice of `search`: requests repeated, and lifetimes ended, by a clock |
//!
//! Loop freedom: a route is replaced only by a fresher number or an equal one with fewer hops, and a route that is lost
//! counts its number up, so along a way (number, -hops) never falls. The RFC leaves room for other readings of 6.5, 6.7
//! and 6.11, some of which loop; this reading does not, and `tests/graph.rs` holds it under flapping links. It does not
//! hold for the rules of the set `ns2`: a number that stays where it is when a route is lost, an answer that leads back
//! to who asked. Such a loop lasts until a time to live ends it.
//!
//! Left out: unidirectional links (RREP-ACK, blacklist; RFC 3561 6.8), the N flag of errors after a longer repair (6.12),
//! aggregation of prefixes (7) and actions after a reboot (6.13).

mod links;
mod memory;
mod receive;
mod search;
mod sweep;
mod table;
#[cfg(test)]
mod tests;

pub use table::{Route, RouteState};

use links::Neighbours;
use memory::{RateLimit, SeenRequests};
use search::Search;
use table::RouteTable;

use crate::config::aodv::{AodvConfig, Detection, Lifetimes, OwnNumber, SearchRule};
use crate::routing::armed::Armed;
use crate::routing::buffer::SendBuffer;
use crate::routing::{Cx, Lost, Query, RouteAnswer, RouteLoss, RoutingEffect, RoutingNote};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;
use hopscope_packet::aodv::AodvMessage;

/// AODV at one node.
#[derive(Debug)]
pub struct Aodv {
    node: NodeId,
    cfg: AodvConfig,
    /// Own sequence number.
    seq: u32,
    /// Number of the last request sent.
    request_id: u32,
    table: RouteTable,
    buffer: SendBuffer,
    /// Searches under way (and, under `search = "sweep"`, what past ones taught), in the order of destinations.
    searches: Vec<Search>,
    /// `search = "sweep"`: when a repair that has not ended is taken for failed.
    repairs: Vec<(Time, NodeId)>,
    seen: SeenRequests,
    neighbours: Neighbours,
    rreq_limit: RateLimit,
    rerr_limit: RateLimit,
    /// When the last broadcast was asked for.
    last_broadcast: Option<Time>,
    /// When this node last took part in carrying data.
    last_use: Option<Time>,
    armed: Armed<{ timer::COUNT }>,
}

/// Timers of the machine.
pub(super) mod timer {
    /// The wait for an answer to a request ends.
    pub const SEARCH: u8 = 0;
    /// A route or a held packet expires.
    pub const SWEEP: u8 = 1;
    /// The next HELLO.
    pub const HELLO: u8 = 2;
    /// A neighbour's hold time ends.
    pub const NEIGHBOURS: u8 = 3;
    /// Old requests are forgotten (`request_clock`).
    pub const MEMORY: u8 = 4;
    /// Their names for records.
    pub const NAMES: [&str; COUNT] = ["search", "sweep", "hello", "neighbours", "memory"];
    /// Number of timers.
    pub const COUNT: usize = 5;
}

impl Aodv {
    /// The machine of `node` before it is started.
    pub fn new(node: NodeId, cfg: &AodvConfig) -> Self {
        let cfg = cfg.resolved();
        let seq = match cfg.own_number {
            OwnNumber::Counted => 1,
            OwnNumber::Even => 2,
        };
        Aodv {
            node,
            seq,
            request_id: 0,
            table: RouteTable::default(),
            buffer: SendBuffer::new(cfg.buffer_packets, cfg.buffer_time),
            searches: Vec::new(),
            repairs: Vec::new(),
            seen: SeenRequests::default(),
            neighbours: Neighbours::default(),
            rreq_limit: RateLimit::new(cfg.rreq_ratelimit),
            rerr_limit: RateLimit::new(cfg.rerr_ratelimit),
            last_broadcast: None,
            last_use: None,
            armed: Armed::new(),
            cfg,
        }
    }

    /// Starts the machine's clocks.
    pub fn start(&mut self, cx: &mut Cx) {
        if self.cfg.detection == Detection::Hello {
            // Clocks of separate nodes have no common phase.
            let phase = cx.part_of(self.cfg.hello_interval);
            self.armed.by(timer::HELLO, cx.now + phase, cx.out);
        }
        if self.cfg.request_clock {
            self.armed.by(timer::MEMORY, cx.now + self.cfg.request_life(), cx.out);
        }
        match self.cfg.search {
            SearchRule::Rings => {}
            SearchRule::Sweep => self.armed.by(timer::SWEEP, cx.now + self.cfg.sweep_interval, cx.out),
        }
        if self.cfg.neighbour_clock && self.cfg.detection == Detection::Hello {
            self.armed.by(timer::NEIGHBOURS, cx.now + self.cfg.hello_interval, cx.out);
        }
    }

    /// The next hop of a packet from `src` to `dst` that `prev` forwarded to this node (none: it originates here).
    /// The route's lifetime is extended.
    pub fn route(&mut self, query: &Query, cx: &mut Cx) -> RouteAnswer {
        let &Query { packet, src, dst, prev, .. } = query;
        let now = cx.now;
        if src == self.node && prev.is_some() {
            // Its own packet has come back. RFC 3561 has no rule for that; to send it on would keep the loop going.
            return RouteAnswer::Drop(DropReason::Loop);
        }
        self.last_use = Some(now);
        self.settle(dst, cx);
        let until = now + self.cfg.active_route_timeout;
        match self.table.get_mut(dst) {
            Some(route) if route.state == RouteState::Up => {
                let next_hop = route.next_hop;
                match self.cfg.lifetimes {
                    Lifetimes::Extended => {
                        route.live_until(until);
                        self.refresh_path(next_hop, src, prev, now, until);
                    }
                    Lifetimes::Assigned => {
                        route.expires = until;
                        self.watch(until, cx);
                    }
                }
                RouteAnswer::Via(next_hop)
            }
            _ if prev.is_none() => {
                self.hold(packet, dst, cx);
                self.seek(dst, cx);
                RouteAnswer::Held
            }
            Some(route) if route.state == RouteState::Repairing => {
                self.hold(packet, dst, cx);
                RouteAnswer::Held
            }
            _ => {
                self.report_missing_route(dst, prev, cx);
                RouteAnswer::Drop(DropReason::NoRoute)
            }
        }
    }

    /// A message came in from the neighbour `from` with this time to live, as sent.
    pub fn on_message(&mut self, from: NodeId, ttl: u8, message: &AodvMessage, cx: &mut Cx) {
        if self.cfg.messages_refresh_neighbour {
            self.neighbours.refresh(from, cx.now + self.cfg.hold());
        }
        match message {
            AodvMessage::Rreq(rreq) => self.on_rreq(from, ttl, rreq, cx),
            AodvMessage::Rrep(rrep) => self.on_rrep(from, ttl, rrep, cx),
            AodvMessage::Hello(rrep) => self.on_hello(from, rrep, cx),
            AodvMessage::Rerr(rerr) => self.on_rerr(from, rerr, cx),
        }
    }

    /// The MAC gave up a unicast frame to `next_hop`: `lost` is the data packet in it, none for a routing message.
    pub fn on_link_failure(&mut self, next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        // Where HELLOs decide, the loss of one frame says nothing of the link.
        if self.cfg.detection == Detection::Hello {
            cx.drop_lost(lost);
        } else if lost.is_some() || self.cfg.messages_break_links {
            self.link_failed(next_hop, lost, cx);
        }
    }

    /// A data packet for this node or to be forwarded came in from the neighbour `from`.
    #[inline]
    pub fn on_reception(&mut self, from: NodeId, now: Time) {
        self.last_use = Some(now);
        if self.cfg.data_refreshes_neighbour {
            self.neighbours.refresh(from, now + self.cfg.hold());
        }
    }

    /// A timer asked for expired.
    pub fn on_timer(&mut self, timer: u8, cx: &mut Cx) {
        if !self.armed.fires(timer, cx.now) {
            return;
        }
        match timer {
            timer::SEARCH => match self.cfg.search {
                SearchRule::Rings => self.end_waits(cx),
                SearchRule::Sweep => self.end_repairs(cx),
            },
            timer::SWEEP => match self.cfg.search {
                SearchRule::Rings => self.end_lifetimes(cx),
                SearchRule::Sweep => self.sweep(cx),
            },
            timer::HELLO => self.say_hello(cx),
            timer::NEIGHBOURS => self.check_neighbours(cx),
            timer::MEMORY => self.forget_requests(cx),
            _ => unreachable!("the machine asked for no such timer"),
        }
    }

    /// The neighbour that takes packets for `dst`, if a route is up at `now`.
    pub fn next_hop(&self, dst: NodeId, now: Time) -> Option<NodeId> {
        let route = self.table.get(dst)?;
        (route.state == RouteState::Up && !is_over(&self.cfg, route, now)).then_some(route.next_hop)
    }

    /// Every destination heard of, in the order of node numbers.
    pub fn routes(&self) -> impl Iterator<Item = &Route> {
        self.table.iter()
    }

    /// Number of packets held.
    pub fn held(&self) -> usize {
        self.buffer.len()
    }

    /// Time to live of data packets that originate here; none: that of the network layer.
    pub fn data_ttl(&self) -> Option<u8> {
        self.cfg.data_ttl.map(|ttl| ttl as u8)
    }

    // ---- shared steps ----------------------------------------------------------------------------------------

    /// Extends the other routes of a path in use (RFC 3561 6.2).
    fn refresh_path(&mut self, next_hop: NodeId, src: NodeId, prev: Option<NodeId>, now: Time, until: Time) {
        for node in [Some(next_hop), prev.map(|_| src), prev].into_iter().flatten() {
            if let Some(route) = self.table.get_mut(node) {
                if route.state == RouteState::Up && !is_over(&self.cfg, route, now) {
                    route.live_until(until);
                }
            }
        }
    }

    /// Holds a packet until a route to `dst` is found.
    fn hold(&mut self, packet: PacketId, dst: NodeId, cx: &mut Cx) {
        // First, so that no packet is pushed out by one whose time is over.
        self.drop_expired(cx);
        if let Some(oldest) = self.buffer.hold(packet, dst, cx.now) {
            cx.drop_packet(oldest, DropReason::RouteBufferFull);
        }
        if let Some(at) = self.buffer.next_expiry() {
            self.watch(at, cx);
        }
    }

    fn drop_expired(&mut self, cx: &mut Cx) {
        while let Some(packet) = self.buffer.take_expired(cx.now) {
            cx.drop_packet(packet, DropReason::RouteBufferTimeout);
        }
    }

    /// Sends the packets held for `dst` on their way.
    fn release(&mut self, dst: NodeId, next_hop: NodeId, gap: Span, cx: &mut Cx) {
        let mut delay = Span::ZERO;
        while let Some(packet) = self.buffer.take(dst) {
            cx.push(RoutingEffect::Forward { packet, next_hop, interface: None, delay });
            delay = delay + gap;
        }
    }

    /// Takes a route into use.
    fn set_up(&mut self, dst: NodeId, next_hop: NodeId, hops: u8, seq: u32, expires: Time, cx: &mut Cx) {
        let route = self.table.entry(dst);
        if route.state != RouteState::Up || route.next_hop != next_hop {
            cx.note(RoutingNote::RouteUp { dst, next_hop, hops });
        } else if route.hops != hops {
            cx.note(RoutingNote::HopsChanged { dst, next_hop, hops });
        }
        (route.state, route.next_hop, route.hops, route.seq) = (RouteState::Up, next_hop, hops, seq);
        route.expires = expires;
        self.watch(expires, cx);
    }

    /// Takes a route out of use and remembers it.
    fn set_down(&mut self, dst: NodeId, cause: RouteLoss, cx: &mut Cx) {
        let until = self.remembered_until(cx.now);
        if let Some(route) = self.table.get_mut(dst) {
            if route.state == RouteState::Up {
                cx.note(RoutingNote::RouteDown { dst, cause });
            }
            route.fall(until);
            self.watch(until, cx);
        }
    }

    /// Sees to it that what ends at `at` does; the clock of `search = "sweep"` runs anyway.
    fn watch(&mut self, at: Time, cx: &mut Cx) {
        match self.cfg.search {
            SearchRule::Rings => self.armed.by(timer::SWEEP, at, cx.out),
            SearchRule::Sweep => {}
        }
    }

    /// Expiry of a route that is lost now.
    fn remembered_until(&self, now: Time) -> Time {
        match self.cfg.search {
            SearchRule::Rings => now + self.cfg.delete_period,
            SearchRule::Sweep => Time::ZERO,
        }
    }

    /// Takes the route to `dst` down if its lifetime is over; the timer may come later at this same instant.
    fn settle(&mut self, dst: NodeId, cx: &mut Cx) {
        if let Some(route) = self.table.get_mut(dst) {
            if route.state == RouteState::Up && is_over(&self.cfg, route, cx.now) {
                route.lose();
                self.set_down(dst, RouteLoss::Expired, cx);
            }
        }
    }

    /// The end of routes, held packets and old requests whose time is over.
    fn end_lifetimes(&mut self, cx: &mut Cx) {
        self.drop_expired(cx);
        self.forget_old_requests(cx.now);
        let (now, forget) = (cx.now, cx.now + self.cfg.delete_period);
        for route in self.table.iter_mut() {
            if route.state == RouteState::Up && route.expires <= now {
                route.lose();
                route.fall(forget);
                cx.note(RoutingNote::RouteDown { dst: route.dst, cause: RouteLoss::Expired });
            }
        }
        // A route under repair has no end of its own: its search has one.
        self.table.retain(|route| route.state != RouteState::Down || route.expires > now);
        let expiries = self.table.iter().filter(|r| r.state != RouteState::Repairing).map(|r| r.expires);
        if let Some(at) = expiries.chain(self.buffer.next_expiry()).min() {
            self.armed.by(timer::SWEEP, at, cx.out);
        }
    }

    /// Forgets requests that are old, unless a clock of their own does.
    fn forget_old_requests(&mut self, now: Time) {
        if !self.cfg.request_clock {
            self.seen.purge(now);
        }
    }

    /// The clock of old requests.
    fn forget_requests(&mut self, cx: &mut Cx) {
        self.seen.purge(cx.now);
        self.armed.by(timer::MEMORY, cx.now + self.cfg.request_life(), cx.out);
    }

    /// A neighbour came or went.
    fn count_neighbour(&mut self) {
        match self.cfg.own_number {
            OwnNumber::Counted => {}
            OwnNumber::Even => self.seq = self.seq.wrapping_add(2),
        }
    }
}

/// True when a lifetime has ended; under `search = "sweep"` it ends in the sweep.
fn is_over(cfg: &AodvConfig, route: &Route, now: Time) -> bool {
    match cfg.search {
        SearchRule::Rings => route.expires <= now,
        SearchRule::Sweep => false,
    }
}
