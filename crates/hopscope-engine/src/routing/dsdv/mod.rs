//! DSDV (Perkins and Bhagwat 1994) with the rules of ns-2.35: every node tells its neighbours its distances.
//!
//! A destination numbers its updates with even numbers. A fresher number wins; among equal ones the fewer hops. A node
//! that loses a neighbour gives the routes over it the next odd number and no reach, so news of a loss beat older
//! routes and the destination's next update beats the loss: distances cannot count up and routes cannot loop.
//!
//! The machine has the doors of [`crate::routing::aodv`]: an input comes with the instant, the node's random numbers and
//! a list for effects; a held packet belongs to the machine until it names it.
//!
//! Full updates come every 0.75 to 1 `update_interval`, triggered ones when a distance has changed and has had twice its
//! usual settling time, at most one per `trigger_gap`; one that would tell of more than a third of the table is made full.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use crate::config::dsdv::DsdvConfig;
use crate::ids::{NodeId, PacketId};
use crate::packet::dsdv::{DsdvEntry, DsdvUpdate};
use crate::rng::Stream;
use crate::routing::aodv::{AodvDrop as DropCause, Lost, RouteAnswer};
use crate::units::{Span, Time};

const UNREACHABLE: u8 = DsdvEntry::UNREACHABLE;

/// DSDV at one node.
#[derive(Debug)]
pub struct Dsdv {
    node: NodeId,
    cfg: DsdvConfig,
    /// Own number; even.
    seq: u32,
    routes: Vec<DsdvRoute>,
    held: VecDeque<(PacketId, NodeId)>,
    /// When the next full update is due.
    full_due: Time,
    /// When the last update was made.
    last_update: Option<Time>,
    armed: [Time; DsdvTimer::COUNT],
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
    /// The number has not been told since it changed.
    new_seq: bool,
    /// The distance differs from the one told last.
    new_metric: bool,
    told_metric: Option<u8>,
    /// It may be told from then on; never: not at all.
    tell_from: Time,
    changed: Time,
    fresh_since: Time,
    settling: Span,
    /// A triggered update is due.
    trigger: Option<Time>,
    /// As a neighbour it is lost then.
    silent_at: Option<Time>,
}

/// A timer of the machine. A new [`DsdvEffect::Arm`] replaces the pending expiry of the same kind; an expiry that comes
/// though it was replaced is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DsdvTimer {
    /// A full update.
    Full,
    /// A triggered update.
    Trigger,
    /// A neighbour's silence has lasted too long.
    Silence,
}

impl DsdvTimer {
    /// Number of kinds.
    pub const COUNT: usize = 3;
    /// Every kind, by index.
    pub const ALL: [DsdvTimer; DsdvTimer::COUNT] = [DsdvTimer::Full, DsdvTimer::Trigger, DsdvTimer::Silence];

    /// A number below [`DsdvTimer::COUNT`], for tables.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// What the machine wants done. The caller carries effects out in the order given.
#[derive(Debug, Clone, PartialEq)]
pub enum DsdvEffect {
    /// Send an update to all neighbours after `delay`.
    Broadcast {
        /// The update.
        update: DsdvUpdate,
        /// Random delay that keeps neighbours from speaking in chorus.
        delay: Span,
    },
    /// Send a held packet to a neighbour.
    Forward {
        /// The packet.
        packet: PacketId,
        /// The neighbour.
        next_hop: NodeId,
    },
    /// A packet of the machine is lost.
    Drop {
        /// The packet.
        packet: PacketId,
        /// Why.
        reason: DropCause,
    },
    /// Call `on_timer` at this instant; replaces the pending expiry of the same kind.
    Arm(DsdvTimer, Time),
    /// A destination can be reached over a new next hop.
    RouteUp {
        /// Destination.
        dst: NodeId,
        /// Neighbour that takes its packets.
        next_hop: NodeId,
        /// Hops.
        hops: u8,
    },
    /// A destination can no longer be reached.
    RouteDown {
        /// Destination.
        dst: NodeId,
    },
}

/// The instant of an input, the node's random numbers and the list its effects go to.
struct Cx<'a> {
    now: Time,
    rng: &'a mut Stream,
    out: &'a mut Vec<DsdvEffect>,
}

impl Cx<'_> {
    fn part_of(&mut self, longest: Span) -> Span {
        Span((self.rng.uniform() * longest.0 as f64) as u64)
    }
}

impl Dsdv {
    /// The machine of `node` before it is started.
    pub fn new(node: NodeId, cfg: &DsdvConfig) -> Self {
        Dsdv {
            node,
            cfg: cfg.clone(),
            seq: 0,
            routes: Vec::new(),
            held: VecDeque::new(),
            full_due: Time::NEVER,
            last_update: None,
            armed: [Time::NEVER; DsdvTimer::COUNT],
        }
    }

    /// Starts the machine's clocks.
    pub fn start(&mut self, now: Time, rng: &mut Stream, out: &mut Vec<DsdvEffect>) {
        let mut cx = Cx { now, rng, out };
        self.full_due = now + cx.part_of(self.cfg.startup_jitter);
        self.arm(DsdvTimer::Full, self.full_due, &mut cx);
    }

    /// The next hop of a packet from `src` to `dst` that `prev` forwarded to this node (none: it originates here).
    pub fn route(
        &mut self,
        packet: PacketId,
        src: NodeId,
        dst: NodeId,
        prev: Option<NodeId>,
        out: &mut Vec<DsdvEffect>,
    ) -> RouteAnswer {
        if src == self.node && prev.is_some() {
            return RouteAnswer::Drop(DropCause::Loop);
        }
        if let Some(next_hop) = self.next_hop(dst) {
            return RouteAnswer::Via(next_hop);
        }
        self.hold(packet, dst, out);
        RouteAnswer::Held
    }

    /// An update came in from the neighbour `from`.
    pub fn on_update(
        &mut self,
        from: NodeId,
        update: &DsdvUpdate,
        now: Time,
        rng: &mut Stream,
        out: &mut Vec<DsdvEffect>,
    ) {
        let mut cx = Cx { now, rng, out };
        for entry in update.entries.iter() {
            if entry.dst == self.node {
                if entry.metric == UNREACHABLE {
                    // Nobody else has the last word on this node: tell everybody that it is there.
                    self.full_due = now;
                    self.arm(DsdvTimer::Full, now, &mut cx);
                }
            } else {
                self.learn(from, *entry, &mut cx);
                self.release(entry.dst, &mut cx);
            }
        }
        let silent_at = now + self.cfg.update_interval * u64::from(self.cfg.missed_updates);
        let at = self.place(from).unwrap_or_else(|at| {
            // Its update did not name it: a route that is never told keeps its clock.
            self.routes.insert(at, DsdvRoute { next_hop: from, metric: 1, ..self.blank(from, now) });
            cx.out.push(DsdvEffect::RouteUp { dst: from, next_hop: from, hops: 1 });
            at
        });
        self.routes[at].silent_at = Some(silent_at);
        self.release(from, &mut cx);
        self.arm_next(&mut cx);
    }

    /// The MAC gave up a unicast frame to `next_hop` with this packet.
    pub fn on_link_failure(
        &mut self,
        next_hop: NodeId,
        lost: Lost,
        now: Time,
        rng: &mut Stream,
        out: &mut Vec<DsdvEffect>,
    ) {
        let mut cx = Cx { now, rng, out };
        if !self.cfg.link_layer_detection {
            cx.out.push(DsdvEffect::Drop { packet: lost.packet, reason: DropCause::LinkFailed });
            return;
        }
        self.lose(next_hop, &mut cx);
        // It waits for another way, or takes one that is there.
        self.hold(lost.packet, lost.dst, cx.out);
        self.release(lost.dst, &mut cx);
        self.arm_next(&mut cx);
    }

    /// A timer asked for expired.
    pub fn on_timer(&mut self, timer: DsdvTimer, now: Time, rng: &mut Stream, out: &mut Vec<DsdvEffect>) {
        if self.armed[timer.index()] > now {
            return;
        }
        self.armed[timer.index()] = Time::NEVER;
        let mut cx = Cx { now, rng, out };
        match timer {
            DsdvTimer::Full if self.full_due > now => {}
            DsdvTimer::Full => self.tell(true, &mut cx),
            DsdvTimer::Trigger => self.tell_triggered(&mut cx),
            DsdvTimer::Silence => {
                while let Some(at) = self.routes.iter().position(|r| r.silent_at.is_some_and(|at| at <= now)) {
                    self.lose(self.routes[at].dst, &mut cx);
                }
            }
        }
        self.arm_next(&mut cx);
    }

    /// The neighbour that takes packets for `dst`, if there is a route.
    pub fn next_hop(&self, dst: NodeId) -> Option<NodeId> {
        let route = &self.routes[self.place(dst).ok()?];
        (route.metric != UNREACHABLE).then_some(route.next_hop)
    }

    /// Every other destination heard of, in the order of node numbers.
    pub fn routes(&self) -> impl Iterator<Item = &DsdvRoute> {
        self.routes.iter()
    }

    /// Number of packets held.
    pub fn held(&self) -> usize {
        self.held.len()
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
            Err(at) => {
                let route = DsdvRoute { next_hop: from, metric, seq, ..self.blank(dst, now) };
                self.routes.insert(at, route);
                if metric != UNREACHABLE {
                    cx.out.push(DsdvEffect::RouteUp { dst, next_hop: from, hops: metric });
                    self.tell_after_settling(at, true, now);
                }
                return;
            }
        };
        let old = &mut self.routes[at];
        if seq < old.seq {
            if metric == UNREACHABLE && old.metric != UNREACHABLE {
                // The neighbour has old news of a loss: tell it the way.
                (old.tell_from, old.new_metric, old.trigger) = (now, true, Some(now));
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
        (old.next_hop, old.metric, old.seq, old.changed) = (from, metric, seq, now);
        old.new_metric = old.told_metric != Some(metric);
        let news = old.new_metric && !fresher;
        if metric == UNREACHABLE {
            if was_up {
                cx.out.push(DsdvEffect::RouteDown { dst });
            }
        } else if moved {
            cx.out.push(DsdvEffect::RouteUp { dst, next_hop: from, hops: metric });
        }
        if metric != UNREACHABLE && was_up {
            self.tell_after_settling(at, news, now);
        } else {
            // A loss, or a return: known at once, told with the next update of either kind.
            old.tell_from = now;
            if news {
                old.trigger = Some(now);
            }
        }
    }

    fn tell_after_settling(&mut self, at: usize, trigger: bool, now: Time) {
        let route = &mut self.routes[at];
        route.tell_from = now + route.settling * 2;
        if trigger {
            route.new_metric = true;
            route.trigger = Some(route.tell_from);
        }
    }

    /// A neighbour is gone: so are the routes over it.
    fn lose(&mut self, neighbour: NodeId, cx: &mut Cx) {
        if let Ok(at) = self.place(neighbour) {
            self.routes[at].silent_at = None;
        }
        for route in &mut self.routes {
            if route.next_hop == neighbour && route.metric != UNREACHABLE {
                route.metric = UNREACHABLE;
                route.seq += 1;
                (route.new_seq, route.new_metric) = (true, true);
                (route.tell_from, route.trigger) = (cx.now, Some(cx.now));
                cx.out.push(DsdvEffect::RouteDown { dst: route.dst });
            }
        }
    }

    // ---- updates ---------------------------------------------------------------------------------------------

    /// Triggered updates that are due, as far as the gap allows.
    fn tell_triggered(&mut self, cx: &mut Cx) {
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
            self.tell(false, cx);
        }
    }

    /// Makes an update: full, or of what has changed and has settled.
    fn tell(&mut self, full: bool, cx: &mut Cx) {
        let now = cx.now;
        let changed = |route: &DsdvRoute| (route.new_seq || route.new_metric) && route.tell_from <= now;
        let count = self.routes.iter().filter(|route| changed(route)).count();
        // The table has this node's own entry too.
        let full = full || (count > 3 && count * 3 > self.routes.len() + 1);
        let mut entries = Vec::new();
        if full {
            self.seq += 2;
            entries.push(DsdvEntry { dst: self.node, metric: 0, seq: self.seq });
        }
        for route in &mut self.routes {
            if route.tell_from > now || !(full || changed(route)) {
                continue;
            }
            entries.push(DsdvEntry { dst: route.dst, metric: route.metric, seq: route.seq });
            route.told_metric = Some(route.metric);
            route.new_seq = false;
            // A triggered update may be missed: the distance is repeated until a full one has told it.
            route.new_metric &= !full;
        }
        if full {
            let interval = self.cfg.update_interval;
            self.full_due = now + Span(interval.0 / 4 * 3) + cx.part_of(Span(interval.0 / 4));
        }
        if !entries.is_empty() {
            self.last_update = Some(now);
            let delay = cx.part_of(self.cfg.broadcast_jitter);
            cx.out.push(DsdvEffect::Broadcast { update: DsdvUpdate { entries: entries.into() }, delay });
        }
    }

    // ---- packets, places, timers -----------------------------------------------------------------------------

    fn hold(&mut self, packet: PacketId, dst: NodeId, out: &mut Vec<DsdvEffect>) {
        self.held.push_back((packet, dst));
        if self.held.iter().filter(|held| held.1 == dst).count() > self.cfg.buffer_packets as usize
            && let Some(oldest) = self.take_held(dst)
        {
            out.push(DsdvEffect::Drop { packet: oldest, reason: DropCause::BufferFull });
        }
    }

    fn release(&mut self, dst: NodeId, cx: &mut Cx) {
        let Some(next_hop) = self.next_hop(dst) else { return };
        while let Some(packet) = self.take_held(dst) {
            cx.out.push(DsdvEffect::Forward { packet, next_hop });
        }
    }

    fn take_held(&mut self, dst: NodeId) -> Option<PacketId> {
        let at = self.held.iter().position(|held| held.1 == dst)?;
        self.held.remove(at).map(|held| held.0)
    }

    fn place(&self, dst: NodeId) -> Result<usize, usize> {
        self.routes.binary_search_by_key(&dst, |route| route.dst)
    }

    /// A route about which nothing is to be told.
    fn blank(&self, dst: NodeId, now: Time) -> DsdvRoute {
        DsdvRoute {
            dst,
            next_hop: dst,
            metric: UNREACHABLE,
            seq: 0,
            new_seq: false,
            new_metric: false,
            told_metric: None,
            tell_from: Time::NEVER,
            changed: now,
            fresh_since: now,
            settling: self.cfg.settling_time,
            trigger: None,
            silent_at: None,
        }
    }

    /// Asks for the next expiry of each kind.
    fn arm_next(&mut self, cx: &mut Cx) {
        self.arm(DsdvTimer::Full, self.full_due, cx);
        if let Some(at) = self.routes.iter().filter_map(|r| r.trigger).min() {
            self.arm(DsdvTimer::Trigger, at, cx);
        }
        if let Some(at) = self.routes.iter().filter_map(|r| r.silent_at).min() {
            self.arm(DsdvTimer::Silence, at, cx);
        }
    }

    fn arm(&mut self, timer: DsdvTimer, at: Time, cx: &mut Cx) {
        if at < self.armed[timer.index()] {
            self.armed[timer.index()] = at;
            cx.out.push(DsdvEffect::Arm(timer, at));
        }
    }
}
