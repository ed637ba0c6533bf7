//! Messages received (RFC 3561 6.5 to 6.7, 6.9, 6.11).

use smallvec::SmallVec;

use super::search::RouteSource;
use super::table::{RouteState, newer};
use super::{Aodv, timer};
use crate::config::aodv::{AnswerRule, ErrorRule, FlushCause, Lifetimes, OwnNumber, SearchRule};
use crate::routing::{Cx, RouteLoss, RoutingEffect};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::aodv::{AodvMessage, Rerr, Rrep, Rreq};

impl Aodv {
    pub(super) fn on_rreq(&mut self, from: NodeId, ttl: u8, rreq: &Rreq, cx: &mut Cx) {
        if rreq.origin == self.node {
            // Its own request, repeated by a neighbour: a way back to itself would be a loop.
            return;
        }
        self.meet(from, cx);
        // What a clock forgets is known until it ticks.
        let forgotten = if self.cfg.request_clock { Time::ZERO } else { cx.now };
        if !self.seen.insert(rreq.origin, rreq.id, forgotten, cx.now + self.cfg.request_life()) {
            return;
        }
        // Copies that come later over shorter ways are not looked at: the first one decides the way back (RFC 3561
        // 6.5).
        let hops = rreq.hops.saturating_add(1);
        let until = self.reverse_life(hops, cx.now);
        let offer =
            Offer { dst: rreq.origin, next_hop: from, hops, seq: rreq.origin_seq, source: RouteSource::Request };
        self.offer(&offer, until, cx);
        if let Some(reverse) = self.table.get_mut(rreq.origin) {
            // A way back that is no better than the one known still proves that the originator can be reached.
            if reverse.answers() {
                reverse.live_until(until);
            }
        }
        // Before the answer: a route whose time is over at this very instant must not be given to others.
        self.settle(rreq.dst, cx);
        if rreq.dst == self.node {
            self.answer_for_self(rreq, cx);
        } else if !self.answer_for_other(from, rreq, hops, cx) && ttl > 1 {
            // A node farther on must not answer with what is older than anybody on the way knows (RFC 3561 6.5).
            let dst_seq = match (rreq.dst_seq, self.known_seq(rreq.dst)) {
                (Some(asked), Some(known)) => Some(if newer(known, asked) { known } else { asked }),
                (asked, known) => asked.or(known),
            };
            // All neighbours have heard the request at the same instant; without the jitter they would collide.
            let jitter = cx.part_of(self.cfg.broadcast_jitter);
            self.broadcast(AodvMessage::Rreq(Rreq { hops, dst_seq, ..*rreq }), ttl - 1, jitter, cx);
        }
    }

    pub(super) fn on_rrep(&mut self, from: NodeId, ttl: u8, rrep: &Rrep, cx: &mut Cx) {
        self.meet(from, cx);
        if self.cfg.replies_confirm && rrep.dst == self.node {
            return;
        }
        let hops = rrep.hops.saturating_add(1);
        // Anything else has been forwarded before, or is stale.
        let offer = Offer { dst: rrep.dst, next_hop: from, hops, seq: rrep.dst_seq, source: RouteSource::Reply };
        if !self.offer(&offer, cx.now + rrep.lifetime, cx) {
            return;
        }
        if rrep.origin == self.node && self.cfg.time_stamp && self.cfg.search == SearchRule::Sweep {
            self.learn_delay(rrep.dst, cx.now - rrep.asked, hops);
        }
        self.last_use = Some(cx.now);
        // The answer has come home, or may not go on.
        if rrep.origin == self.node || ttl <= 1 {
            return;
        }
        self.settle(rrep.origin, cx);
        // The way back may have ended while the answer was under way; the originator asks again.
        let Some(reverse) = self.table.get_mut(rrep.origin).filter(|route| route.answers()) else { return };
        let until = cx.now + self.cfg.active_route_timeout;
        let to = reverse.next_hop;
        match self.cfg.lifetimes {
            Lifetimes::Extended => reverse.live_until(until),
            Lifetimes::Assigned => {
                reverse.expires = until;
                self.watch(until, cx);
            }
        }
        // Who uses these routes hears of their end.
        for node in [Some(rrep.dst), self.cfg.neighbour_routes.then_some(from)].into_iter().flatten() {
            if let Some(route) = self.table.get_mut(node) {
                route.add_precursor(to);
            }
        }
        cx.push(RoutingEffect::Unicast {
            message: AodvMessage::Rrep(Rrep { hops, ..*rrep }).into(),
            to,
            interface: None,
            ttl: ttl - 1,
            delay: Span::ZERO,
        });
    }

    pub(super) fn on_hello(&mut self, from: NodeId, hello: &Rrep, cx: &mut Cx) {
        // The hold time is this node's own (RFC 3561 6.9), not the lifetime in the message.
        let until = cx.now + self.cfg.hold();
        if self.neighbours.insert(from, until) {
            self.count_neighbour();
        }
        if !self.cfg.neighbour_clock {
            self.armed.by(timer::NEIGHBOURS, until, cx.out);
        }
        if !self.cfg.neighbour_routes {
            return;
        }
        self.meet(from, cx);
        let offer = Offer { dst: from, next_hop: from, hops: 1, seq: hello.dst_seq, source: RouteSource::Neighbour };
        self.offer(&offer, until, cx);
        if let Some(route) = self.table.get_mut(from) {
            route.live_until(until);
        }
    }

    pub(super) fn on_rerr(&mut self, from: NodeId, rerr: &Rerr, cx: &mut Cx) {
        self.meet(from, cx);
        let mut lost: SmallVec<[NodeId; Rerr::MAX]> = SmallVec::new();
        for &(dst, seq) in rerr.unreachable() {
            self.settle(dst, cx);
            let Some(route) = self.table.get_mut(dst) else { continue };
            // This route does not lead over the node that reports, or is down already.
            if !route.answers() || route.next_hop != from {
                continue;
            }
            match self.cfg.error_rule {
                // A neighbour cannot lose itself: the link to it is judged here.
                ErrorRule::AnyNumber if dst == from => continue,
                ErrorRule::NotOlder if newer(route.seq, seq) => continue,
                ErrorRule::AnyNumber if !newer(seq, route.seq) => route.lose(),
                ErrorRule::AnyNumber | ErrorRule::NotOlder => (route.seq, route.seq_valid) = (seq, true),
            }
            self.set_down(dst, RouteLoss::Reported, cx);
            lost.push(dst);
        }
        if !lost.is_empty() && self.cfg.flush_queue && self.cfg.flush_cause == FlushCause::Report {
            cx.push(RoutingEffect::FlushNextHop { next_hop: from });
        }
        self.report_lost(&lost, true, cx);
    }

    /// The sender of any message is a neighbour: a route of one hop, its number only remembered (RFC 3561 6.2, 6.5).
    fn meet(&mut self, from: NodeId, cx: &mut Cx) {
        if !self.cfg.neighbour_routes {
            return;
        }
        self.settle(from, cx);
        let until = cx.now + self.cfg.active_route_timeout;
        let route = self.table.entry(from);
        if route.state == RouteState::Up && route.hops == 1 {
            route.live_until(until);
            return;
        }
        // What is left of an older route is remembered, and not believed.
        route.seq_valid = route.seq_valid && route.state == RouteState::Up;
        let seq = route.seq;
        let until = if route.state == RouteState::Up { until.max(route.expires) } else { until };
        self.set_up(from, from, 1, seq, until, cx);
        self.found(from, from, RouteSource::Neighbour, cx);
    }

    /// Takes a route when it is fresher or shorter than the one known; true when it is taken or confirms the one in use.
    fn offer(&mut self, offer: &Offer, until: Time, cx: &mut Cx) -> bool {
        let &Offer { dst, next_hop, hops, seq, source } = offer;
        self.settle(dst, cx);
        let route = self.table.entry(dst);
        if !route.loses_to(seq, hops) {
            let same = (route.next_hop, route.seq, route.hops) == (next_hop, seq, hops);
            let counts = source != RouteSource::Reply || self.cfg.replies_confirm;
            let confirmed = same && counts && route.state == RouteState::Up;
            if confirmed {
                route.seq_valid = true;
                route.live_until(until);
            }
            return confirmed;
        }
        route.seq_valid = true;
        let anew = source == RouteSource::Reply && self.cfg.lifetimes == Lifetimes::Assigned;
        // RFC 3561 6.5 keeps the longer of both lives for a way back; `lifetimes = "extended"` does so for replies,
        // too.
        let until = if route.answers() && !anew { until.max(route.expires) } else { until };
        self.set_up(dst, next_hop, hops, seq, until, cx);
        self.found(dst, next_hop, source, cx);
        true
    }

    /// When the way back to the originator of a request expires (RFC 3561 6.5, MinimalLifetime).
    fn reverse_life(&self, hops: u8, now: Time) -> Time {
        let cfg = &self.cfg;
        if cfg.reverse_route_life.0 > 0 {
            return now + cfg.reverse_route_life;
        }
        // More than twice `net_diameter` hops would make the RFC's difference negative.
        let travelled = cfg.node_traversal_time * (2 * u64::from(hops));
        now + (cfg.net_traversal_time() * 2).saturating_sub(travelled)
    }

    fn answer_for_self(&mut self, rreq: &Rreq, cx: &mut Cx) {
        // A node that has restarted may be asked for a number above its own (RFC 3561 6.1).
        let asked = rreq.dst_seq.filter(|&asked| newer(asked, self.seq)).unwrap_or(self.seq);
        self.seq = match self.cfg.own_number {
            OwnNumber::Counted => asked,
            OwnNumber::Even => asked.wrapping_add(2 - asked % 2),
        };
        self.last_use = Some(cx.now);
        let rrep = Rrep {
            dst: self.node,
            dst_seq: self.seq,
            origin: rreq.origin,
            hops: 0,
            lifetime: self.cfg.my_route_timeout,
            asked: rreq.asked,
        };
        self.reply(rrep, cx);
    }

    /// Answers with a route that is fresh enough (RFC 3561 6.6.2, 6.6.3); false when there is none.
    fn answer_for_other(&mut self, from: NodeId, rreq: &Rreq, hops: u8, cx: &mut Cx) -> bool {
        if rreq.destination_only || !self.cfg.intermediate_reply {
            return false;
        }
        // Without a way back nobody would get the answer.
        let Some(back) = self.table.get(rreq.origin).map(|reverse| reverse.next_hop) else { return false };
        let rule = self.cfg.answers;
        let Some(route) = self.table.get_mut(rreq.dst) else { return false };
        let not_older = rreq.dst_seq.is_none_or(|asked| !newer(asked, route.seq));
        let (answers, user, lifetime) = match rule {
            // A way that leads back to where the request came from is no answer.
            AnswerRule::Fresh => {
                let fresh = route.state == RouteState::Up && route.seq_valid && route.next_hop != from;
                (fresh, from, route.expires.saturating_since(cx.now))
            }
            AnswerRule::Stored => (route.answers(), back, whole_seconds_left(route.expires, cx.now)),
        };
        if !(answers && not_older) {
            return false;
        }
        route.add_precursor(user);
        let (onward, to_dst, dst_seq) = (route.next_hop, route.hops, route.seq);
        let answer = Rrep { dst: rreq.dst, dst_seq, origin: rreq.origin, hops: to_dst, lifetime, asked: rreq.asked };
        let Some(reverse) = self.table.get_mut(rreq.origin) else { return true };
        let (hops, lifetime) = match rule {
            AnswerRule::Fresh if reverse.state != RouteState::Up => return true,
            AnswerRule::Fresh => (hops, reverse.expires.saturating_since(cx.now)),
            // ns-2.35 reports one hop too few here.
            AnswerRule::Stored => (hops - 1, lifetime),
        };
        reverse.add_precursor(onward);
        self.last_use = Some(cx.now);
        self.reply(answer, cx);
        // The destination has not seen the request and needs a way back as well (RFC 3561 6.6.3).
        if rreq.gratuitous {
            let (dst, dst_seq, origin) = (rreq.origin, rreq.origin_seq, rreq.dst);
            self.reply(Rrep { dst, dst_seq, origin, hops, lifetime, asked: rreq.asked }, cx);
        }
        true
    }

    /// Sends a reply on its way to who asked.
    fn reply(&mut self, rrep: Rrep, cx: &mut Cx) {
        if let Some(route) = self.table.get(rrep.origin).filter(|route| route.answers()) {
            let ttl = self.cfg.net_diameter as u8;
            cx.push(RoutingEffect::Unicast {
                message: AodvMessage::Rrep(rrep).into(),
                to: route.next_hop,
                interface: None,
                ttl,
                delay: Span::ZERO,
            });
        }
    }
}

/// A route that a message reports.
#[derive(Debug, Clone, Copy)]
struct Offer {
    dst: NodeId,
    next_hop: NodeId,
    hops: u8,
    seq: u32,
    source: RouteSource,
}

/// Lifetime under `answers = "stored"`: whole seconds without a sign. A time that is past wraps around, which makes the
/// route of a node that is repairing it last for ever where nobody uses it.
fn whole_seconds_left(expires: Time, now: Time) -> Span {
    let left = (i128::from(expires.0) - i128::from(now.0)) / i128::from(Span::from_secs(1).0);
    Span::from_secs(u64::from(left as u32))
}
