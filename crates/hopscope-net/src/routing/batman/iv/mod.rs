//! BATMAN_IV (bat_iv_ogm.c of the kernel): paths by transmission quality (TQ), the share of OGMs that come through.
//!
//! A node sends an OGM each second and hears its neighbours echo it. From what it hears of a neighbour's OGMs (receive quality)
//! and of the echoes (echo quality) follows how much of its own frames come there: `TQ = echo / receive`, times a penalty for
//! links by which little is received ([`links`]). An OGM carries the product of the hops behind it, and each hop costs a
//! penalty more. The best neighbour is the one whose last five OGMs of an originator promised most ([`quality`]); only what
//! comes from that one is carried on, and what a neighbour says of itself, as its echo.
//!
//! [`queue`] puts OGMs together into frames.

mod links;
mod quality;
mod queue;
#[cfg(test)]
mod tests;

use super::originators::Originators;
use super::{jittered, random_seq};
use crate::config::BatmanIvConfig;
use crate::routing::armed::Armed;
use crate::routing::{Cx, Lost, Query, RouteAnswer, RoutingEffect};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;
use hopscope_packet::batman::{BatmanMessage, Ogm, OgmFlags};
use links::{Links, TQ_MAX, after_hop, qualities};
use quality::{Quality, Seen};
use queue::{Aggregation, Queue};

/// BATMAN_IV of one node.
#[derive(Debug)]
pub struct BatmanIv {
    node: NodeId,
    cfg: BatmanIvConfig,
    originators: Originators<Quality>,
    links: Links,
    queue: Queue,
    /// Sequence number of the last own OGM, which all radios share.
    seq: u32,
    armed: Armed<{ timer::COUNT }>,
}

/// Timers.
pub mod timer {
    /// OGMs go.
    pub(super) const SEND: u8 = 0;
    /// Something that is known of others is over.
    pub(super) const PURGE: u8 = 1;
    /// Their names for records.
    pub const NAMES: [&str; COUNT] = ["send", "purge"];
    /// Number of timers.
    pub(super) const COUNT: usize = 2;
}
use timer::{PURGE, SEND};

/// What an OGM that came is worth: to this node, as it is carried on by the radio that it came by, and by another one.
#[derive(Debug, Clone, Copy)]
struct Worth {
    here: u8,
    same_radio: u8,
    other_radio: u8,
}

impl BatmanIv {
    /// The machine of `node` before it is started.
    pub fn new(node: NodeId, cfg: &BatmanIvConfig) -> Self {
        BatmanIv {
            node,
            cfg: cfg.clone(),
            originators: Originators::new(cfg.ttl as u8),
            links: Links::default(),
            queue: Queue::default(),
            seq: 0,
            armed: Armed::new(),
        }
    }

    /// Starts the machine's clocks.
    pub fn start(&mut self, cx: &mut Cx) {
        self.seq = random_seq(cx);
        // Clocks of separate nodes have no common phase.
        let phase = cx.part_of(self.cfg.originator_interval);
        self.plan_own(phase, cx);
    }

    /// The next hop of a packet.
    pub fn route(&mut self, query: &Query, _cx: &mut Cx) -> RouteAnswer {
        let router = self.originators.router(query.dst);
        router.map_or(RouteAnswer::Drop(DropReason::NoRoute), |via| RouteAnswer::ViaInterface(via.node, via.interface))
    }

    /// A frame came in from the neighbour `from`.
    pub fn on_message(&mut self, from: NodeId, message: &BatmanMessage, cx: &mut Cx) {
        if let BatmanMessage::Ogm(ogms) = message {
            for ogm in ogms.iter() {
                self.hear(from, ogm, cx);
            }
            self.arm_send(cx);
        }
    }

    /// The MAC gave up a unicast frame: that is none of the protocol's business.
    pub fn on_link_failure(&mut self, _next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        cx.drop_lost(lost);
    }

    /// A timer expired.
    pub fn on_timer(&mut self, timer: u8, cx: &mut Cx) {
        if !self.armed.fires(timer, cx.now) {
            return;
        }
        match timer {
            SEND => self.send(cx),
            PURGE => {
                if let Some(at) = self.originators.purge(self.cfg.purge_timeout, cx) {
                    self.armed.by(PURGE, at, cx.out);
                }
            }
            _ => unreachable!("BATMAN_IV has {} timers", timer::COUNT),
        }
    }

    /// The neighbour that takes packets for `dst`.
    pub fn next_hop(&self, dst: NodeId, _now: Time) -> Option<NodeId> {
        self.originators.next_hop(dst).ok()
    }

    /// Quality of the path to `dst`, 0 to 255; none where there is no path.
    pub fn tq(&self, dst: NodeId) -> Option<u8> {
        self.originators.router(dst).map(|via| via.metric.tq())
    }

    /// Hops that data packets live for.
    pub fn data_ttl(&self) -> u8 {
        self.cfg.ttl as u8
    }

    // ---- sending ---------------------------------------------------------------------------------------------

    fn plan_own(&mut self, after: Span, cx: &mut Cx) {
        let ogm = Ogm {
            origin: self.node,
            prev_sender: self.node,
            seq: self.seq.wrapping_add(1),
            tq: TQ_MAX as u8,
            ttl: self.cfg.ttl as u8,
            flags: OgmFlags { primaries_first_hop: true, ..OgmFlags::default() },
        };
        for radio in 0..cx.link.radios() {
            self.queue.add_own(ogm, radio, cx.now + after);
        }
        self.arm_send(cx);
    }

    fn arm_send(&mut self, cx: &mut Cx) {
        if let Some(at) = self.queue.next() {
            self.armed.by(SEND, at, cx.out);
        }
    }

    fn send(&mut self, cx: &mut Cx) {
        while let Some(waiting) = self.queue.pop(cx.now) {
            let message = BatmanMessage::Ogm(waiting.ogms.into());
            let interface = Some(waiting.radio);
            cx.push(RoutingEffect::Broadcast { message: message.into(), interface, ttl: 1, delay: Span::ZERO });
            // Once for all radios, whose frames go at one instant.
            if waiting.is_own && waiting.radio == 0 {
                self.seq = self.seq.wrapping_add(1);
                let after = jittered(self.cfg.originator_interval, self.cfg.jitter, cx);
                self.plan_own(after, cx);
            }
        }
        self.arm_send(cx);
    }

    // ---- hearing ---------------------------------------------------------------------------------------------

    /// An OGM came (batadv_iv_ogm_process).
    fn hear(&mut self, from: NodeId, ogm: &Ogm, cx: &mut Cx) {
        if ogm.origin == self.node {
            if ogm.flags.direct_link {
                self.links.echo(cx.interface, from, ogm.seq, self.seq);
            }
            return;
        }
        // What this node has said itself comes back, and what is said for an echo alone.
        if ogm.prev_sender == self.node || ogm.flags.not_best_next_hop {
            return;
        }
        let place = self.originators.place_or_new(ogm.origin, cx.now);
        let originator = self.originators.at_mut(place);
        let via = originator.via(cx.interface, from);
        let seen = originator.see(via, ogm.seq, self.cfg.local_window, cx.now);
        if seen == Seen::Protected || ogm.tq == 0 || self.may_loop(place, ogm) {
            return;
        }
        let router = self.originators.at(place).router();
        let is_best =
            router.is_some_and(|via| (via.interface, via.node) == (cx.interface, from) && via.metric.tq() != 0);
        let Some(worth) = self.worth(from, place, ogm, cx) else { return };
        let originator = self.originators.at(place);
        // A copy of the last OGM counts, unless its path is much longer.
        let again = originator.last_seq == ogm.seq && i32::from(originator.last_ttl) - 3 <= i32::from(ogm.ttl);
        if worth.here > 0 && (seen == Seen::New || again) {
            self.rank(place, from, (ogm.ttl, worth.here), seen, cx);
        }
        self.carry_on(ogm, worth, (from, is_best), seen, cx);
    }

    /// The sender has it from the neighbour that takes this node's data for the originator: a loop could come of it.
    fn may_loop(&self, place: usize, ogm: &Ogm) -> bool {
        let Some(router) = self.originators.at(place).router() else { return false };
        // The neighbour itself must be reached straight, else it is reached by yet another.
        router.node == ogm.prev_sender
            && ogm.origin != ogm.prev_sender
            && self.originators.router(router.node).is_some_and(|direct| direct.node == router.node)
    }

    /// What the OGM is worth behind the link that it came by (batadv_iv_ogm_calc_tq); none where no route leads to the
    /// neighbour.
    fn worth(&mut self, from: NodeId, place: usize, ogm: &Ogm, cx: &mut Cx) -> Option<Worth> {
        let (now, interface, window) = (cx.now, cx.interface, self.cfg.local_window);
        let is_direct = from == ogm.origin;
        let sender = if is_direct { place } else { self.originators.place(from)? };
        let neighbour = self.originators.at_mut(sender);
        if !is_direct {
            neighbour.router()?;
        }
        let link = neighbour.via(interface, from).unwrap_or_else(|| {
            self.links.add(interface, from);
            neighbour.via_or_new(interface, from, now)
        });
        if is_direct {
            neighbour.vias[link].last_seen = now;
        }
        let received = neighbour.vias[link].metric.received(window);
        self.originators.at_mut(place).last_seen = now;
        self.armed.by(PURGE, now + self.cfg.purge_timeout, cx.out);
        let echoed = self.links.echoed(interface, from, self.seq, window);
        let (own, symmetry) = qualities(echoed, received, window);
        let penalty = self.cfg.hop_penalty;
        let half_duplex = if self.cfg.half_duplex { after_hop(TQ_MAX, penalty) } else { TQ_MAX };
        let product = u32::from(ogm.tq) * own * symmetry;
        let onwards = |share| after_hop(product * share / TQ_MAX.pow(3), penalty) as u8;
        let here = (product / TQ_MAX.pow(2)) as u8;
        Some(Worth { here, same_radio: onwards(half_duplex), other_radio: onwards(TQ_MAX) })
    }

    /// Averages qualities and chooses the best neighbour (batadv_iv_ogm_orig_update).
    fn rank(&mut self, place: usize, from: NodeId, (ttl, tq): (u8, u8), seen: Seen, cx: &mut Cx) {
        let (window, interface) = (self.cfg.global_window, cx.interface);
        let originator = self.originators.at_mut(place);
        let this = originator.via_or_new(interface, from, cx.now);
        if seen == Seen::New {
            originator.last_ttl = ttl;
            // A neighbour that is not the first to have it has missed it so far.
            for (number, via) in originator.vias.iter_mut().enumerate() {
                if number != this {
                    via.metric.push(0, window);
                }
            }
        }
        let via = &mut originator.vias[this];
        via.last_seen = cx.now;
        via.metric.push(tq, window);
        let new = via.metric.tq();
        let old = originator.router().map(|via| (via.interface, via.node, via.metric.tq()));
        self.originators.set_ttl(place, this, ttl, cx);
        let takes_over = match old {
            None => true,
            Some((radio, node, _)) if (radio, node) == (interface, from) => false,
            Some((radio, node, tq)) => {
                let echoed = |radio, node| self.links.echoed(radio, node, self.seq, self.cfg.local_window);
                // Of equals the one with more echoes.
                new > tq || new == tq && echoed(interface, from) > echoed(radio, node)
            }
        };
        if takes_over {
            self.originators.set_router(place, this, cx);
        }
    }

    /// Sends an OGM on (batadv_iv_ogm_forward): as an echo by the radio that it came by, and by others where it is the way.
    fn carry_on(&mut self, ogm: &Ogm, worth: Worth, (from, is_best): (NodeId, bool), seen: Seen, cx: &mut Cx) {
        let (came_by, is_direct) = (cx.radio_of(cx.interface), from == ogm.origin);
        for radio in 0..cx.link.radios() {
            let is_echo = is_direct && radio == came_by;
            let tq = if radio == came_by { worth.same_radio } else { worth.other_radio };
            let goes_on = is_best && tq > 0 && seen != Seen::ByThis;
            if ogm.ttl > 1 && (is_echo || goes_on) {
                let flags = OgmFlags { not_best_next_hop: !is_best, primaries_first_hop: false, direct_link: is_echo };
                let on = Ogm { prev_sender: from, tq, ttl: ogm.ttl - 1, flags, ..*ogm };
                let at: Time = cx.now + cx.part_of(Span(self.cfg.jitter.0 / 2));
                let (time, bytes) = (self.cfg.aggregation_time, self.cfg.aggregation_bytes);
                let aggregation = self.cfg.aggregation.then_some(Aggregation { time, bytes });
                self.queue.add(on, (radio, cx.interface), at, aggregation);
            }
        }
    }
}
