//! DSR (RFC 4728): the source of a packet writes into it every node it has to pass.
//!
//! One machine per node; see [`super`] for how it is called.
//!
//! | file | idea |
//! |---|---|
//! | `cache.rs` | every link heard of, and the shortest path over them |
//! | `requests.rs` | requests heard, searches under way |
//! | `discovery.rs` | requests and replies |
//! | `maintenance.rs` | broken links: errors, salvaging, packets sent again |
//! | `overhearing.rs` | what frames for others report, and routes shortened by it |
//! | `routes.rs` | paths to the destinations this node sends to |
//!
//! Loop freedom: a packet follows its source route, on which each node stands once. Only salvaging gives it another,
//! at most `max_salvage_count` times.
//!
//! Acknowledgements are those of the link layer (RFC 4728 8.3.1). Left out: passive
//! acknowledgements (8.3.2), replies held back because of other nodes' (8.2.5), the blacklist of one-way links (4.6), errors about replies and errors that could not be delivered (8.3.4), data in requests (8.2.1), several
//! interfaces (8.4) and the flow state extension (3.5).

mod cache;
mod discovery;
mod maintenance;
mod overhearing;
mod requests;
mod routes;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use cache::{LinkCache, Scratch};
use overhearing::Shortened;
use requests::{RequestTable, Searches};
use routes::Route;

use super::armed::Armed;
use super::buffer::SendBuffer;
use super::{Cx, Lost, Query, RouteAnswer, RouteLoss, RoutingEffect, RoutingNote};
use crate::config::dsr::DsrConfig;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;
use hopscope_packet::dsr::SourceRoute;
use hopscope_packet::dsr::{BrokenLink, DsrMessage};

/// DSR at one node.
#[derive(Debug)]
pub struct Dsr {
    node: NodeId,
    cfg: DsrConfig,
    cache: LinkCache,
    scratch: Scratch,
    /// Paths in use by packets of this node, in the order of destinations.
    routes: Vec<Route>,
    buffer: SendBuffer,
    request_table: RequestTable,
    searches: Searches,
    /// Number of the last request sent.
    request_id: u16,
    /// Links the cache had gained when held packets were last looked through.
    links_seen: u64,
    /// Link that the next requests report as broken.
    pending_error: Option<BrokenLink>,
    /// Nodes notified at one instant that a neighbour is out of reach: (whom, neighbour).
    notified: (Time, Vec<(NodeId, NodeId)>),
    shortened: Shortened,
    armed: Armed<{ timer::COUNT }>,
}

/// Timers of the machine.
pub(super) mod timer {
    /// The wait for an answer to a request ends.
    pub(super) const SEARCH: u8 = 0;
    /// A held packet, a route or a link expires.
    pub(super) const SWEEP: u8 = 1;
    /// Their names for records.
    pub const NAMES: [&str; COUNT] = ["search", "sweep"];
    /// Number of timers.
    pub(super) const COUNT: usize = 2;
}
use timer::{SEARCH, SWEEP};

impl Dsr {
    /// The machine of `node` before it is started.
    pub fn new(node: NodeId, cfg: &DsrConfig) -> Self {
        Dsr {
            node,
            cache: LinkCache::new(cfg),
            scratch: Scratch::default(),
            routes: Vec::new(),
            buffer: SendBuffer::new(cfg.send_buffer_size, cfg.send_buffer_timeout),
            request_table: RequestTable::new(cfg.request_table_size, cfg.request_table_ids),
            searches: Searches::default(),
            request_id: 0,
            links_seen: 0,
            pending_error: None,
            notified: (Time::ZERO, Vec::new()),
            shortened: Shortened::default(),
            armed: Armed::new(),
            cfg: cfg.clone(),
        }
    }

    /// Starts the machine; it acts only when packets ask for it.
    pub fn start(&mut self, _cx: &mut Cx) {}

    /// The next hop of a packet: along its source route or, at its source, along one chosen now.
    pub fn route(&mut self, query: &Query, cx: &mut Cx) -> RouteAnswer {
        // Receptions teach the cache without a chance to send: what waits goes before this packet.
        self.release(cx);
        if query.prev.is_some() {
            let next_hop = query.source_route.and_then(|route| route.after(self.node));
            return next_hop.map_or(RouteAnswer::Drop(DropReason::NoRoute), RouteAnswer::Via);
        }
        match self.path_to(query.dst, cx) {
            Some(path) => {
                let next_hop = path[1];
                cx.push(RoutingEffect::SetSourceRoute {
                    packet: query.packet,
                    route: SourceRoute { path, salvage: 0 },
                });
                RouteAnswer::Via(next_hop)
            }
            None => {
                self.hold(query.packet, query.dst, cx);
                RouteAnswer::Held
            }
        }
    }

    /// A message came in with this time to live, as sent.
    pub fn on_message(&mut self, ttl: u8, message: &DsrMessage, cx: &mut Cx) {
        match message {
            DsrMessage::RouteRequest(request) => self.on_request(ttl, request, cx),
            DsrMessage::RouteReply(reply) => self.on_reply(ttl, reply, cx),
            DsrMessage::RouteError(error) => self.on_error(ttl, error, cx),
        }
        self.release(cx);
        self.watch_cache(cx);
    }

    /// A data packet for this node or to be forwarded came in: its source route reports links (RFC 4728 3.3.1).
    #[inline]
    pub fn on_reception(&mut self, source_route: Option<&SourceRoute>, now: Time) {
        let Some(route) = source_route else { return };
        if let Some(here) = route.path.iter().position(|&node| node == self.node) {
            self.cache.travelled(&route.path[..=here], now);
            self.cache.learn_listed(&route.path[here..], now);
        }
    }

    /// The MAC gave up a unicast frame to `next_hop`: `lost` is the data packet in it, none for a routing message.
    pub fn on_link_failure(&mut self, next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        self.link_failed(next_hop, lost, cx);
    }

    /// A timer asked for expired.
    pub fn on_timer(&mut self, timer: u8, cx: &mut Cx) {
        if !self.armed.fires(timer, cx.now) {
            return;
        }
        // Before searches are repeated or given up: what was learned meanwhile may have ended them.
        self.release(cx);
        match timer {
            SEARCH => self.end_waits(cx),
            _ => self.sweep(cx),
        }
    }

    /// The neighbour that takes packets of this node for `dst`, if the cache has a path at `now`.
    pub fn next_hop(&self, dst: NodeId, now: Time) -> Option<NodeId> {
        self.path(dst, now).map(|path| path[1])
    }

    /// The path of packets of this node to `dst`, if the cache has one at `now`.
    pub fn path(&self, dst: NodeId, now: Time) -> Option<Arc<[NodeId]>> {
        self.choice(dst, now, &mut Scratch::default())
    }

    /// Number of packets held.
    pub fn held(&self) -> usize {
        self.buffer.len()
    }

    // ---- shared steps ----------------------------------------------------------------------------------------

    /// Holds a packet until a path to `dst` is found, and searches one.
    fn hold(&mut self, packet: PacketId, dst: NodeId, cx: &mut Cx) {
        self.drop_expired(cx);
        if let Some(oldest) = self.buffer.hold(packet, dst, cx.now) {
            cx.drop_packet(oldest, DropReason::RouteBufferFull);
        }
        if let Some(at) = self.buffer.next_expiry() {
            self.armed.by(SWEEP, at, cx.out);
        }
        self.seek(dst, cx);
    }

    fn drop_expired(&mut self, cx: &mut Cx) {
        while let Some(packet) = self.buffer.take_expired(cx.now) {
            cx.drop_packet(packet, DropReason::RouteBufferTimeout);
        }
    }

    /// Sends a packet of the machine along a path from here.
    fn send(&self, packet: PacketId, path: Arc<[NodeId]>, salvage: u8, cx: &mut Cx) {
        let next_hop = path[1];
        cx.push(RoutingEffect::SetSourceRoute { packet, route: SourceRoute { path, salvage } });
        cx.push(RoutingEffect::Forward { packet, next_hop, interface: None, delay: Span::ZERO });
    }

    /// Expires held packets, routes and links, and asks for the next sweep.
    fn sweep(&mut self, cx: &mut Cx) {
        self.drop_expired(cx);
        self.expire_routes(cx);
        self.cache.purge(cx.now);
        if let Some(at) = self.buffer.next_expiry() {
            self.armed.by(SWEEP, at, cx.out);
        }
        if !self.cache.is_empty() {
            self.watch_cache(cx);
        }
    }

    /// Sees to it that links which expire are forgotten in the end; routes never use them.
    fn watch_cache(&mut self, cx: &mut Cx) {
        self.armed.by(SWEEP, cx.now + self.cfg.route_cache_timeout, cx.out);
    }
}
