//! DSDV (Perkins and Bhagwat 1994): every node advertises its distances to its neighbours.
//!
//! A destination numbers its updates with even numbers. A fresher number wins; among equal ones the fewer hops. A node
//! that loses a neighbour gives the routes over it the next odd number and no reach, so news of a loss beat older
//! routes and the destination's next update beats the loss: distances cannot count up and routes cannot loop.
//!
//! Full updates come every 0.75 to 1 `update_interval`, triggered ones when a distance has changed and has had twice its
//! usual settling time, at most one per `trigger_gap`; one that would carry more than a third of the table is made full.
//!
//! Nothing is searched: a packet without a route waits until an update brings one.

#[cfg(test)]
mod tests;

use super::armed::Armed;
use super::buffer::SendBuffer;
use super::{Cx, Lost, Query, RouteAnswer, RouteLoss, RoutingEffect, RoutingNote};
use crate::config::dsdv::{DsdvConfig, DsdvTrigger};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;
use hopscope_packet::dsdv::{DsdvEntry, DsdvUpdate};
use hopscope_packet::routing::RoutingMessage;

const UNREACHABLE: u8 = DsdvEntry::UNREACHABLE;

/// DSDV at one node.
#[derive(Debug)]
pub struct Dsdv {
    node: NodeId,
    cfg: DsdvConfig,
    /// Own number; even.
    seq: u32,
    routes: Vec<DsdvRoute>,
    buffer: SendBuffer,
    /// When the next full update is due.
    full_due: Time,
    /// When the last update was made.
    last_update: Option<Time>,
    armed: Armed<{ timer::COUNT }>,
}

/// A route.
#[derive(Debug, Clone)]
pub struct DsdvRoute {
    /// Where it leads.
    pub dst: NodeId,
    /// Neighbour that takes packets.
    pub next_hop: NodeId,
    /// Hops to the destination; [`DsdvEntry::UNREACHABLE`] when there is no way.
    pub metric: u8,
    /// Number of the news it comes from.
    pub seq: u32,
    /// The number has not been advertised since it changed.
    new_seq: bool,
    /// The distance differs from the one advertised last.
    new_metric: bool,
    advertised_metric: Option<u8>,
    /// It may be advertised from then on; never: not at all.
    advertise_from: Time,
    changed: Time,
    fresh_since: Time,
    settling: Span,
    /// A triggered update is due.
    trigger: Option<Time>,
    /// As a neighbour it is lost then.
    silent_at: Option<Time>,
}

/// Timers of the machine.
pub(super) mod timer {
    /// A full update.
    pub(super) const FULL: u8 = 0;
    /// A triggered update.
    pub(super) const TRIGGER: u8 = 1;
    /// A neighbour's silence has lasted too long.
    pub(super) const SILENCE: u8 = 2;
    /// A held packet expires.
    pub(super) const BUFFER: u8 = 3;
    /// Their names for records.
    pub const NAMES: [&str; COUNT] = ["full", "trigger", "silence", "buffer"];
    /// Number of timers.
    pub(super) const COUNT: usize = 4;
}

impl Dsdv {
    /// The machine of `node` before it is started.
    pub fn new(node: NodeId, cfg: &DsdvConfig) -> Self {
        Dsdv {
            node,
            seq: 0,
            routes: Vec::new(),
            // The limit is one for each destination, which `hold` keeps.
            buffer: SendBuffer::new(u32::MAX, cfg.buffer_time),
            full_due: Time::NEVER,
            last_update: None,
            armed: Armed::new(),
            cfg: cfg.clone(),
        }
    }

    /// Starts the machine's clocks.
    pub fn start(&mut self, cx: &mut Cx) {
        self.full_due = cx.now + cx.part_of(self.cfg.startup_jitter);
        self.arm_next(cx);
    }

    /// The next hop of a packet.
    pub fn route(&mut self, query: &Query, cx: &mut Cx) -> RouteAnswer {
        if query.src == self.node && query.prev.is_some() {
            return RouteAnswer::Drop(DropReason::Loop);
        }
        if let Some(next_hop) = self.next_hop(query.dst, cx.now) {
            return RouteAnswer::Via(next_hop);
        }
        self.hold(query.packet, query.dst, cx);
        self.arm_next(cx);
        RouteAnswer::Held
    }

    /// An update came in from the neighbour `from`.
    pub fn on_message(&mut self, from: NodeId, update: &DsdvUpdate, cx: &mut Cx) {
        for entry in update.entries.iter() {
            if entry.dst == self.node {
                if entry.metric == UNREACHABLE {
                    // Nobody else has the last word on this node: notify everybody that it is there.
                    self.full_due = cx.now;
                }
            } else {
                self.learn(from, *entry, cx);
                self.release(entry.dst, cx);
            }
        }
        let silent_at = cx.now + self.cfg.update_interval * u64::from(self.cfg.missed_updates);
        let at = self.place(from).unwrap_or_else(|at| {
            // Its update did not name it: a route that is never advertised keeps its clock.
            self.routes.insert(at, DsdvRoute { next_hop: from, metric: 1, ..self.blank(from, cx.now) });
            cx.note(RoutingNote::RouteUp { dst: from, next_hop: from, hops: 1 });
            at
        });
        self.routes[at].silent_at = Some(silent_at);
        self.release(from, cx);
        self.arm_next(cx);
    }

    /// The MAC gave up a unicast frame to `next_hop` with this packet.
    pub fn on_link_failure(&mut self, next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        if !self.cfg.link_layer_detection {
            cx.drop_lost(lost);
            return;
        }
        // Before the packet is held: it must not take the route that has just failed.
        let was_up = self.lose(next_hop, cx);
        if let Some(lost) = lost {
            // It waits for another way, or takes one that is there.
            self.hold(lost.packet, lost.dst, cx);
            self.release(lost.dst, cx);
        }
        if was_up {
            // Once: each packet that comes back reports the same link, which is down by then.
            cx.push(RoutingEffect::RecallNextHop { next_hop });
        }
        self.arm_next(cx);
    }

    /// A timer asked for expired.
    pub fn on_timer(&mut self, timer: u8, cx: &mut Cx) {
        if !self.armed.fires(timer, cx.now) {
            return;
        }
        match timer {
            timer::FULL => {
                if self.full_due <= cx.now {
                    self.send_update(true, cx);
                }
            }
            timer::TRIGGER => self.send_triggered_updates(cx),
            timer::SILENCE => {
                while let Some(at) = self.routes.iter().position(|r| r.silent_at.is_some_and(|at| at <= cx.now)) {
                    self.lose(self.routes[at].dst, cx);
                }
            }
            _ => {
                while let Some(packet) = self.buffer.take_expired(cx.now) {
                    cx.drop_packet(packet, DropReason::RouteBufferTimeout);
                }
            }
        }
        self.arm_next(cx);
    }

    /// The neighbour that takes packets for `dst`, if there is a route.
    pub fn next_hop(&self, dst: NodeId, _now: Time) -> Option<NodeId> {
        let route = &self.routes[self.place(dst).ok()?];
        (route.metric != UNREACHABLE).then_some(route.next_hop)
    }

    /// Every other destination heard of, in the order of node numbers.
    pub fn routes(&self) -> impl Iterator<Item = &DsdvRoute> {
        self.routes.iter()
    }

    /// Number of packets held.
    pub fn held(&self) -> usize {
        self.buffer.len()
    }

    /// Bytes that data packets of this node grow by.
    pub fn data_header(&self) -> u32 {
        self.cfg.data_header
    }

    /// Time to live of data packets that originate here; none: that of the network layer.
    pub fn data_ttl(&self) -> Option<u8> {
        self.cfg.data_ttl.map(|ttl| ttl as u8)
    }

    // ---- news ------------------------------------------------------------------------------------------------

    /// Takes a neighbour's word about another node.
    fn learn(&mut self, from: NodeId, entry: DsdvEntry, cx: &mut Cx) {
        let DsdvEntry { dst, seq, .. } = entry;
        let metric = if entry.metric == UNREACHABLE { UNREACHABLE } else { entry.metric.saturating_add(1) };
        let now = cx.now;
        let at = match self.place(dst) {
            Ok(at) => at,
            Err(at) => return self.learn_first(at, from, DsdvEntry { metric, ..entry }, cx),
        };
        let old = &mut self.routes[at];
        if seq < old.seq {
            if metric == UNREACHABLE && old.metric != UNREACHABLE {
                // The neighbour has old news of a loss: advertise the route to it.
                (old.advertise_from, old.new_metric, old.trigger) = (now, true, Some(now));
            }
            return;
        }
        if seq == old.seq && metric >= old.metric {
            return;
        }
        let fresher = seq > old.seq;
        if fresher {
            // How long the better routes of the last number kept coming.
            let took = old.changed.saturating_since(old.fresh_since);
            let weight = self.cfg.settling_memory;
            old.settling = Span::from_secs_f64(weight * old.settling.as_secs() + (1.0 - weight) * took.as_secs());
            old.fresh_since = now;
            old.new_seq = true;
        }
        let was_up = old.metric != UNREACHABLE;
        let moved = old.next_hop != from || !was_up;
        let is_as_long = old.metric == metric;
        (old.next_hop, old.metric, old.seq, old.changed) = (from, metric, seq, now);
        old.new_metric = old.advertised_metric != Some(metric);
        // The paper leaves open which changes are important enough to trigger an update.
        let is_trigger = match self.cfg.trigger {
            DsdvTrigger::BetterRoute => old.new_metric && !fresher,
            DsdvTrigger::NewDistance => old.new_metric,
            DsdvTrigger::NewNumber => old.new_metric || fresher,
        };
        if metric == UNREACHABLE {
            if was_up {
                cx.note(RoutingNote::RouteDown { dst, cause: RouteLoss::Reported });
            }
        } else if moved {
            cx.note(RoutingNote::RouteUp { dst, next_hop: from, hops: metric });
        } else if !is_as_long {
            cx.note(RoutingNote::HopsChanged { dst, next_hop: from, hops: metric });
        }
        if metric != UNREACHABLE && was_up {
            self.advertise_after_settling(at, is_trigger, now);
        } else {
            // A loss, or a return: nothing settles.
            old.advertise_from = now;
            if is_trigger {
                old.trigger = Some(now);
            }
        }
    }

    /// What the neighbour says of a node never heard of: `entry.metric` counts the hop to it.
    fn learn_first(&mut self, at: usize, from: NodeId, entry: DsdvEntry, cx: &mut Cx) {
        let DsdvEntry { dst, metric, seq, .. } = entry;
        // A loss is remembered, so that older entries lose against it, but not passed on.
        let new_metric = metric != UNREACHABLE;
        let route = DsdvRoute { next_hop: from, metric, seq, new_metric, ..self.blank(dst, cx.now) };
        self.routes.insert(at, route);
        if new_metric {
            cx.note(RoutingNote::RouteUp { dst, next_hop: from, hops: metric });
            self.advertise_after_settling(at, true, cx.now);
        }
    }

    fn advertise_after_settling(&mut self, at: usize, trigger: bool, now: Time) {
        let route = &mut self.routes[at];
        route.advertise_from = now + route.settling * 2;
        if trigger {
            route.trigger = Some(route.advertise_from);
        }
    }

    /// A neighbour is gone: so are the routes over it; false when there were none.
    fn lose(&mut self, neighbour: NodeId, cx: &mut Cx) -> bool {
        if let Ok(at) = self.place(neighbour) {
            self.routes[at].silent_at = None;
        }
        let mut lost_any = false;
        for route in &mut self.routes {
            if route.next_hop == neighbour && route.metric != UNREACHABLE {
                if !lost_any {
                    cx.note(RoutingNote::LinkLost { neighbour });
                    lost_any = true;
                }
                route.metric = UNREACHABLE;
                // The odd number between two of the destination's own: only its next update beats it.
                route.seq += 1;
                (route.new_seq, route.new_metric) = (true, true);
                (route.advertise_from, route.trigger) = (cx.now, Some(cx.now));
                cx.note(RoutingNote::RouteDown { dst: route.dst, cause: RouteLoss::LinkLost });
            }
        }
        lost_any
    }

    // ---- updates ---------------------------------------------------------------------------------------------

    /// Triggered updates that are due, as far as the gap allows.
    fn send_triggered_updates(&mut self, cx: &mut Cx) {
        while let Some(at) = self.routes.iter().position(|r| r.trigger.is_some_and(|at| at <= cx.now)) {
            let allowed = self.last_update.map_or(Time::ZERO, |at| at + self.cfg.trigger_gap);
            if cx.now < allowed {
                // One later update serves all that would come before it.
                for route in &mut self.routes {
                    route.trigger = route.trigger.filter(|&at| at >= allowed);
                }
                self.routes[at].trigger = Some(allowed);
                return;
            }
            self.routes[at].trigger = None;
            self.send_update(false, cx);
        }
    }

    /// Makes an update: full, or of what has changed and has settled.
    fn send_update(&mut self, full: bool, cx: &mut Cx) {
        let now = cx.now;
        let changed = |route: &DsdvRoute| (route.new_seq || route.new_metric) && route.advertise_from <= now;
        let count = self.routes.iter().filter(|route| changed(route)).count();
        // The table has this node's own entry too.
        let full = full || (count > 3 && count * 3 > self.routes.len() + 1);
        let mut entries = Vec::new();
        if full {
            self.seq += 2;
            entries.push(DsdvEntry { dst: self.node, metric: 0, seq: self.seq });
        }
        for route in &mut self.routes {
            if route.advertise_from > now || !(full || changed(route)) {
                continue;
            }
            entries.push(DsdvEntry { dst: route.dst, metric: route.metric, seq: route.seq });
            route.advertised_metric = Some(route.metric);
            route.new_seq = false;
            // A triggered update may be missed: the distance is repeated until a full one has carried it.
            route.new_metric &= !full;
        }
        if full {
            let interval = self.cfg.update_interval;
            // Drawn anew each time: neighbours with one interval would stay in step.
            self.full_due = now + Span(interval.0 / 4 * 3) + cx.part_of(Span(interval.0 / 4));
        }
        if !entries.is_empty() {
            self.last_update = Some(now);
            let delay = cx.part_of(self.cfg.broadcast_jitter);
            let message = RoutingMessage::Dsdv(DsdvUpdate { entries: entries.into() });
            cx.push(RoutingEffect::Broadcast { message, interface: None, ttl: 1, delay });
        }
    }

    // ---- packets, places, timers -----------------------------------------------------------------------------

    fn hold(&mut self, packet: PacketId, dst: NodeId, cx: &mut Cx) {
        if self.buffer.count(dst) >= self.cfg.buffer_packets as usize {
            if let Some(oldest) = self.buffer.take(dst) {
                cx.drop_packet(oldest, DropReason::RouteBufferFull);
            }
        }
        self.buffer.hold(packet, dst, cx.now);
    }

    fn release(&mut self, dst: NodeId, cx: &mut Cx) {
        let Some(next_hop) = self.next_hop(dst, cx.now) else { return };
        while let Some(packet) = self.buffer.take(dst) {
            cx.push(RoutingEffect::Forward { packet, next_hop, interface: None, delay: Span::ZERO });
        }
    }

    fn place(&self, dst: NodeId) -> Result<usize, usize> {
        self.routes.binary_search_by_key(&dst, |route| route.dst)
    }

    /// A route of which nothing is to be advertised.
    fn blank(&self, dst: NodeId, now: Time) -> DsdvRoute {
        DsdvRoute {
            dst,
            next_hop: dst,
            metric: UNREACHABLE,
            seq: 0,
            new_seq: false,
            new_metric: false,
            advertised_metric: None,
            advertise_from: Time::NEVER,
            changed: now,
            fresh_since: now,
            settling: self.cfg.settling_time,
            trigger: None,
            silent_at: None,
        }
    }

    /// Asks for the next expiry of each timer.
    fn arm_next(&mut self, cx: &mut Cx) {
        self.armed.by(timer::FULL, self.full_due, cx.out);
        if let Some(at) = self.routes.iter().filter_map(|r| r.trigger).min() {
            self.armed.by(timer::TRIGGER, at, cx.out);
        }
        if let Some(at) = self.routes.iter().filter_map(|r| r.silent_at).min() {
            self.armed.by(timer::SILENCE, at, cx.out);
        }
        if self.cfg.buffer_time != Span::ZERO {
            if let Some(at) = self.buffer.next_expiry() {
                self.armed.by(timer::BUFFER, at, cx.out);
            }
        }
    }
}
