//! Route maintenance: broken links, errors and salvaged packets (RFC 4728 3.4, 8.3).

use super::{Arc, Cx, Dsr, Lost, RouteLoss, RoutingEffect, RoutingNote};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Span;
use hopscope_packet::DropReason;
use hopscope_packet::dsr::SourceRoute;
use hopscope_packet::dsr::{BrokenLink, DsrMessage, RouteError};

impl Dsr {
    /// The MAC gave a frame to `next_hop` up.
    pub(super) fn link_failed(&mut self, next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        let link = BrokenLink { from: self.node, to: next_hop };
        // The cache forgets the link before the packet looks for another path.
        if self.cache.remove(link, cx.now) {
            cx.note(RoutingNote::LinkLost { neighbour: next_hop });
            self.reroute(link, RouteLoss::LinkLost, cx);
        }
        match lost.map(|lost| (lost, lost.source_route)) {
            Some((lost, Some(route))) if route.salvage == 0 && route.path[0] == self.node => {
                // Its source takes it back; only nodes on the way salvage (RFC 4728 8.3.6).
                self.send_again(lost.packet, lost.dst, cx);
            }
            Some((lost, Some(route))) => {
                self.report(link, route, cx);
                self.salvage(lost, route, cx);
            }
            Some((lost, None)) => cx.drop_packet(lost.packet, DropReason::LinkFailed),
            None => {}
        }
        // Packets that wait for the same neighbour are dropped with it.
        cx.push(RoutingEffect::RecallNextHop { next_hop });
    }

    pub(super) fn on_error(&mut self, ttl: u8, error: &RouteError, cx: &mut Cx) {
        let Some(here) = error.path.iter().position(|&node| node == self.node) else { return };
        self.cache.travelled(&error.path[..=here], cx.now);
        self.report_received(error.link, cx);
        match error.path.get(here + 1) {
            // This node wrote the route: its next request carries the error on, so that caches on the way forget the
            // link, too (RFC 4728 3.4.4).
            None if self.cfg.spread_errors => self.pending_error = Some(error.link),
            Some(&to) if ttl > 1 => {
                let message = DsrMessage::RouteError(error.clone()).into();
                cx.push(RoutingEffect::Unicast { message, to, interface: None, ttl: ttl - 1, delay: Span::ZERO });
            }
            _ => {}
        }
    }

    /// Another node found a link broken.
    pub(super) fn report_received(&mut self, link: BrokenLink, cx: &mut Cx) {
        if self.cache.remove(link, cx.now) {
            self.reroute(link, RouteLoss::Reported, cx);
        }
    }

    /// A packet of this node takes another path, or waits for one.
    fn send_again(&mut self, packet: PacketId, dst: NodeId, cx: &mut Cx) {
        match self.path_to(dst, cx) {
            Some(path) => self.send(packet, path, 0, cx),
            None => self.hold(packet, dst, cx),
        }
    }

    /// Notifies the node that wrote the source route, once for all packets given up at the same instant (RFC 4728 3.4.2).
    fn report(&mut self, link: BrokenLink, route: &SourceRoute, cx: &mut Cx) {
        let Some(here) = route.path.iter().position(|&node| node == self.node) else { return };
        let writer = route.path[0];
        let (at, notified) = &mut self.notified;
        if *at != cx.now {
            *at = cx.now;
            notified.clear();
        }
        // A packet salvaged here that fails on its first hop is this node's own affair.
        if here == 0 || notified.contains(&(writer, link.to)) {
            return;
        }
        notified.push((writer, link.to));
        let path: Arc<[NodeId]> = route.path[..=here].iter().rev().copied().collect();
        let to = path[1];
        let message = DsrMessage::RouteError(RouteError { link, path }).into();
        cx.push(RoutingEffect::Unicast { message, to, interface: None, ttl: self.hop_limit(), delay: Span::ZERO });
    }

    /// Gives a packet of another node a path from this node's cache, if there is one (RFC 4728 8.3.6).
    fn salvage(&mut self, lost: &Lost, route: &SourceRoute, cx: &mut Cx) {
        let allowed = u32::from(route.salvage) < self.cfg.max_salvage_count;
        let path = if allowed { self.cache.find(self.node, lost.dst, cx.now, &mut self.scratch) } else { None };
        match path {
            Some(path) => {
                self.cache.used(&path, cx.now);
                self.send(lost.packet, path.into(), route.salvage + 1, cx);
            }
            None => cx.drop_packet(lost.packet, DropReason::LinkFailed),
        }
    }
}
