//! Route discovery: requests and replies (RFC 4728 8.2).

use super::requests::Search;
use super::{Arc, Cx, Dsr, NodeId, RoutingEffect, RoutingNote, SEARCH};
use hopscope_core::units::Span;
use hopscope_packet::DropReason;
use hopscope_packet::dsr::{DsrMessage, RouteReply, RouteRequest};

impl Dsr {
    /// Searches `target` unless that is being done. After a search that was given up waits keep growing.
    pub(super) fn seek(&mut self, target: NodeId, cx: &mut Cx) {
        match self.searches.place(target) {
            Ok(at) if self.searches.at(at).started.is_some() => {}
            Ok(at) => {
                let search = self.searches.at(at);
                // `period` stays as the last search left it: back-off goes on for a target that does not answer (RFC
                // 4728 4.3).
                (search.started, search.sent) = (Some(cx.now), 0);
                cx.note(RoutingNote::SearchStarted { dst: target, repair: false });
                self.ask(at, cx);
            }
            Err(at) => {
                let (started, period) = (Some(cx.now), self.cfg.request_period);
                self.searches.insert(at, Search { target, started, sent: 0, period, due: cx.now });
                cx.note(RoutingNote::SearchStarted { dst: target, repair: false });
                if self.cfg.nonpropagating_request {
                    // Neighbours first: one of them may know a way, and nobody else is disturbed (RFC 4728 3.3.3).
                    self.send_request(target, 1, cx);
                    let due = cx.now + self.cfg.nonprop_request_timeout;
                    self.searches.at(at).due = due;
                    self.armed.by(SEARCH, due, cx.out);
                } else {
                    self.ask(at, cx);
                }
                self.searches.limit(self.cfg.request_table_size as usize);
            }
        }
    }

    /// Waits that are over: the next request, or the end of the search.
    pub(super) fn end_waits(&mut self, cx: &mut Cx) {
        let mut at = 0;
        while let Some(search) = self.searches.get(at) {
            if search.started.is_some() && search.due <= cx.now {
                // Without a packet there is nothing to search for.
                if search.sent > self.cfg.max_request_rexmt || !self.buffer.holds(search.target) {
                    self.give_up(at, cx);
                } else {
                    self.ask(at, cx);
                }
            }
            at += 1;
        }
        if let Some(at) = self.searches.next_due() {
            self.armed.by(SEARCH, at, cx.out);
        }
    }

    /// Sends the held packets for which the cache has gained a path.
    pub(super) fn release(&mut self, cx: &mut Cx) {
        if self.links_seen == self.cache.added() {
            // No link was added, so no path can have appeared.
            return;
        }
        self.links_seen = self.cache.added();
        let mut at = 0;
        while let Some(search) = self.searches.get(at) {
            let dst = search.target;
            let found = search.started.and_then(|started| Some((started, self.path_to(dst, cx)?)));
            let Some((started, path)) = found else {
                at += 1;
                continue;
            };
            self.searches.remove(at);
            // The requests of this search have carried it far enough to bring an answer.
            self.pending_error = None;
            cx.note(RoutingNote::SearchDone { dst, latency: cx.now - started });
            while let Some(packet) = self.buffer.take(dst) {
                self.send(packet, path.clone(), 0, cx);
            }
        }
    }

    pub(super) fn on_request(&mut self, ttl: u8, request: &RouteRequest, cx: &mut Cx) {
        if request.path.contains(&self.node) {
            // It has passed here already; in a route no node stands twice (RFC 4728 8.2.2).
            return;
        }
        // What others say of this node's own links counts less than what its MAC says.
        if let Some(link) = request.error.filter(|link| link.from != self.node) {
            self.report_received(link, cx);
        }
        let path: Arc<[NodeId]> = request.path.iter().copied().chain([self.node]).collect();
        self.cache.travelled(&path, cx.now);
        // After the cache has learned: a copy that is not answered still shows links.
        let new = self.request_table.insert(path[0], request.id, request.target);
        if request.target == self.node {
            // Every copy that came another way is another route.
            if new || !self.cfg.reply_to_first {
                let delay = cx.part_of(self.cfg.broadcast_jitter);
                self.reply(path, delay, cx);
            }
        } else if new && !self.reply_from_cache(&path, request.target, cx) && ttl > 1 {
            let delay = cx.part_of(self.cfg.broadcast_jitter);
            let message = DsrMessage::RouteRequest(RouteRequest { path, ..request.clone() }).into();
            cx.push(RoutingEffect::Broadcast { message, interface: None, ttl: ttl - 1, delay });
        }
    }

    pub(super) fn on_reply(&mut self, ttl: u8, reply: &RouteReply, cx: &mut Cx) {
        let place = |node| reply.route.iter().position(|&n| n == node);
        let (Some(here), Some(replier)) = (place(self.node), place(reply.replier)) else { return };
        if here >= replier {
            return;
        }
        self.cache.travelled(&reply.route[here..=replier], cx.now);
        self.cache.learn_listed(&reply.route, cx.now);
        if here > 0 && ttl > 1 {
            let message = DsrMessage::RouteReply(reply.clone()).into();
            let to = reply.route[here - 1];
            cx.push(RoutingEffect::Unicast { message, to, interface: None, ttl: ttl - 1, delay: Span::ZERO });
        }
    }

    /// Answers with the path of the request and the way on from here, if no node would stand in it twice (RFC 4728 8.2.3).
    fn reply_from_cache(&mut self, path: &[NodeId], target: NodeId, cx: &mut Cx) -> bool {
        if !self.cfg.cached_reply {
            return false;
        }
        let Some(onward) = self.cache.find(self.node, target, cx.now, &mut self.scratch) else { return false };
        if onward[1..].iter().any(|node| path.contains(node)) {
            return false;
        }
        let route: Arc<[NodeId]> = path.iter().chain(&onward[1..]).copied().collect();
        let delay = match self.cfg.cached_reply_delay {
            Span::ZERO => cx.part_of(self.cfg.broadcast_jitter),
            // H (h - 1 + r) for h hops and r from 0 to 1 (RFC 4728 8.2.5): the shortest route is answered first.
            hop => hop * (route.len() as u64 - 2) + cx.part_of(hop),
        };
        self.reply(route, delay, cx);
        true
    }

    /// Sends a reply back along its route from this node.
    pub(super) fn reply(&mut self, route: Arc<[NodeId]>, delay: Span, cx: &mut Cx) {
        let Some(prev) = route.iter().position(|&node| node == self.node).and_then(|here| here.checked_sub(1)) else {
            return;
        };
        let to = route[prev];
        let message = DsrMessage::RouteReply(RouteReply { route, replier: self.node }).into();
        cx.push(RoutingEffect::Unicast { message, to, interface: None, ttl: self.hop_limit(), delay });
    }

    /// Sends the propagated request that is due; the next one waits twice as long.
    fn ask(&mut self, at: usize, cx: &mut Cx) {
        let longest = self.cfg.max_request_period;
        let search = self.searches.at(at);
        let target = search.target;
        search.sent += 1;
        search.due = cx.now + search.period;
        search.period = (search.period * 2).min(longest);
        self.armed.by(SEARCH, search.due, cx.out);
        self.send_request(target, self.hop_limit(), cx);
    }

    fn send_request(&mut self, target: NodeId, ttl: u8, cx: &mut Cx) {
        self.request_id = self.request_id.wrapping_add(1);
        let (id, path) = (self.request_id, Arc::from([self.node]));
        // Unless a packet has come over that link again meanwhile.
        let error = self.pending_error.filter(|link| !self.cache.knows(*link, cx.now));
        let message = DsrMessage::RouteRequest(RouteRequest { id, target, path, error }).into();
        cx.push(RoutingEffect::Broadcast { message, interface: None, ttl, delay: Span::ZERO });
    }

    fn give_up(&mut self, at: usize, cx: &mut Cx) {
        let search = self.searches.at(at);
        search.started = None;
        let dst = search.target;
        while let Some(packet) = self.buffer.take(dst) {
            cx.drop_packet(packet, DropReason::NoRoute);
        }
        cx.note(RoutingNote::SearchFailed { dst });
    }

    /// Time to live of requests through the network and of what is sent along routes found by them.
    pub(super) fn hop_limit(&self) -> u8 {
        self.cfg.discovery_hop_limit as u8
    }
}
