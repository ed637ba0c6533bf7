//! Messages received (RFC 3561 6.5 to 6.7, 6.9, 6.11).

use smallvec::SmallVec;

use super::table::{RouteState, newer};
use super::{Aodv, timer};
use crate::ids::NodeId;
use crate::packet::aodv::{AodvMessage, Rerr, Rrep, Rreq};
use crate::routing::{Cx, RouteLoss, RoutingEffect};
use crate::units::{Span, Time};

impl Aodv {
    pub(super) fn on_rreq(&mut self, from: NodeId, ttl: u8, rreq: &Rreq, cx: &mut Cx) {
        if rreq.origin == self.node {
            return;
        }
        self.meet(from, cx);
        if !self.seen.insert(rreq.origin, rreq.id, cx.now, cx.now + self.cfg.request_life()) {
            return;
        }
        let hops = rreq.hops.saturating_add(1);
        let until = self.reverse_life(hops, cx.now);
        self.offer(rreq.origin, from, hops, rreq.origin_seq, until, cx);
        if let Some(reverse) = self.table.get_mut(rreq.origin) {
            if reverse.state == RouteState::Up {
                reverse.live_until(until);
            }
        }
        self.settle(rreq.dst, cx);
        if rreq.dst == self.node {
            self.answer_for_self(rreq, cx);
        } else if !self.answer_for_other(from, rreq, hops, cx) && ttl > 1 {
            let dst_seq = match (rreq.dst_seq, self.known_seq(rreq.dst)) {
                (Some(asked), Some(known)) => Some(if newer(known, asked) { known } else { asked }),
                (asked, known) => asked.or(known),
            };
            let jitter = cx.part_of(self.cfg.broadcast_jitter);
            self.broadcast(AodvMessage::Rreq(Rreq { hops, dst_seq, ..*rreq }), ttl - 1, jitter, cx);
        }
    }

    pub(super) fn on_rrep(&mut self, from: NodeId, ttl: u8, rrep: &Rrep, cx: &mut Cx) {
        self.meet(from, cx);
        if rrep.dst == self.node {
            return;
        }
        let hops = rrep.hops.saturating_add(1);
        // Anything else has been forwarded before, or is stale.
        if !self.offer(rrep.dst, from, hops, rrep.dst_seq, cx.now + rrep.lifetime, cx) {
            return;
        }
        self.last_use = Some(cx.now);
        if rrep.origin == self.node || ttl <= 1 {
            return;
        }
        self.settle(rrep.origin, cx);
        let Some(reverse) = self.table.get_mut(rrep.origin).filter(|route| route.state == RouteState::Up) else {
            return;
        };
        reverse.live_until(cx.now + self.cfg.active_route_timeout);
        let to = reverse.next_hop;
        for node in [rrep.dst, from] {
            if let Some(route) = self.table.get_mut(node) {
                route.add_precursor(to);
            }
        }
        cx.push(RoutingEffect::Unicast {
            message: AodvMessage::Rrep(Rrep { hops, ..*rrep }).into(),
            to,
            ttl: ttl - 1,
            delay: Span::ZERO,
        });
    }

    pub(super) fn on_hello(&mut self, from: NodeId, hello: &Rrep, cx: &mut Cx) {
        let until = cx.now + self.cfg.hold();
        self.neighbours.insert(from, until);
        self.armed.by(timer::NEIGHBOURS, until, cx.out);
        self.meet(from, cx);
        self.offer(from, from, 1, hello.dst_seq, until, cx);
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
            // A neighbour cannot lose itself: the link to it is judged here.
            if route.state != RouteState::Up || route.next_hop != from || dst == from {
                continue;
            }
            if newer(seq, route.seq) {
                (route.seq, route.seq_valid) = (seq, true);
            } else {
                route.lose();
            }
            self.set_down(dst, RouteLoss::Reported, cx);
            lost.push(dst);
        }
        self.report_lost(&lost, true, cx);
    }

    /// The sender of any message is a neighbour: a route of one hop, its number only remembered (RFC 3561 6.2, 6.5).
    fn meet(&mut self, from: NodeId, cx: &mut Cx) {
        self.settle(from, cx);
        let until = cx.now + self.cfg.active_route_timeout;
        let route = self.table.entry(from);
        if route.state == RouteState::Up && route.hops == 1 {
            route.live_until(until);
            return;
        }
        route.seq_valid = route.seq_valid && route.state == RouteState::Up;
        let seq = route.seq;
        let until = if route.state == RouteState::Up { until.max(route.expires) } else { until };
        self.set_up(from, from, 1, seq, until, cx);
        self.found(from, from, cx);
    }

    /// Takes a route when it is fresher or shorter than the one known; true when it is taken or confirms the one in use.
    fn offer(&mut self, dst: NodeId, next_hop: NodeId, hops: u8, seq: u32, until: Time, cx: &mut Cx) -> bool {
        self.settle(dst, cx);
        let route = self.table.entry(dst);
        if !route.loses_to(seq, hops) {
            let same = (route.next_hop, route.seq, route.hops) == (next_hop, seq, hops);
            let confirmed = same && route.state == RouteState::Up;
            if confirmed {
                route.seq_valid = true;
                route.live_until(until);
            }
            return confirmed;
        }
        route.seq_valid = true;
        let until = if route.state == RouteState::Up { until.max(route.expires) } else { until };
        self.set_up(dst, next_hop, hops, seq, until, cx);
        self.found(dst, next_hop, cx);
        true
    }

    /// When the way back to the originator of a request expires (RFC 3561 6.5, MinimalLifetime).
    fn reverse_life(&self, hops: u8, now: Time) -> Time {
        let cfg = &self.cfg;
        if cfg.reverse_route_life.0 > 0 {
            return now + cfg.reverse_route_life;
        }
        let travelled = cfg.node_traversal_time * (2 * u64::from(hops));
        now + (cfg.net_traversal_time() * 2).saturating_sub(travelled)
    }

    fn answer_for_self(&mut self, rreq: &Rreq, cx: &mut Cx) {
        if let Some(asked) = rreq.dst_seq {
            if newer(asked, self.seq) {
                self.seq = asked;
            }
        }
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
        let Some(route) = self.table.get_mut(rreq.dst) else { return false };
        let fresh = route.seq_valid && rreq.dst_seq.is_none_or(|asked| !newer(asked, route.seq));
        // A way that leads back to where the request came from is no answer.
        if route.state != RouteState::Up || !fresh || route.next_hop == from {
            return false;
        }
        route.add_precursor(from);
        let (onward, to_dst) = (route.next_hop, route.hops);
        let (dst_seq, lifetime) = (route.seq, route.expires - cx.now);
        let answer = Rrep { dst: rreq.dst, dst_seq, origin: rreq.origin, hops: to_dst, lifetime, asked: rreq.asked };
        let Some(reverse) = self.table.get_mut(rreq.origin).filter(|route| route.state == RouteState::Up) else {
            return true;
        };
        reverse.add_precursor(onward);
        let lifetime = reverse.expires - cx.now;
        self.last_use = Some(cx.now);
        self.reply(answer, cx);
        if rreq.gratuitous {
            let news = Rrep {
                dst: rreq.origin,
                dst_seq: rreq.origin_seq,
                origin: rreq.dst,
                hops,
                lifetime,
                asked: rreq.asked,
            };
            self.reply(news, cx);
        }
        true
    }

    /// Sends a reply on its way to who asked.
    pub(super) fn reply(&mut self, rrep: Rrep, cx: &mut Cx) {
        // The agent of ns-2 also answers over a route that is under repair.
        let usable = |state| if self.ns2 { state != RouteState::Down } else { state == RouteState::Up };
        if let Some(route) = self.table.get(rrep.origin).filter(|route| usable(route.state)) {
            let ttl = self.cfg.net_diameter as u8;
            cx.push(RoutingEffect::Unicast {
                message: AodvMessage::Rrep(rrep).into(),
                to: route.next_hop,
                ttl,
                delay: Span::ZERO,
            });
        }
    }
}
