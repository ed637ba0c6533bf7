//! OLSR (RFC 3626): every node keeps routes to all others, from what neighbours and relays announce at intervals.
//!
//! HELLOs show each node its links and its neighbours' neighbours. Among its neighbours it chooses relays (MPRs) that
//! reach everybody two hops away; only they carry on the TC messages in which nodes that are relays of others list those
//! others (their MPR selectors). The table of shortest ways is calculated from both.
//!
//! | file | idea |
//! |---|---|
//! | `links.rs` | links, neighbours and their neighbours, hysteresis, reports of the MAC |
//! | `mpr.rs` | choice of relays |
//! | `topology.rs` | links advertised by others |
//! | `seen.rs` | messages processed |
//! | `routes.rs` | shortest ways |
//! | `quality.rs` | what is measured of links, and what they cost by it |
//! | `relays.rs` | choice of relays by link quality |
//! | `weighted.rs` | ways of least cost |
//! | `table.rs` | when either table is calculated, and what is noted of it |
//!
//! A packet without a route is lost at once: a protocol that knows every route in advance holds nothing.
//!
//! Left out: several interfaces (MID messages, RFC 3626 5), networks behind a node (HNA messages, 12), HELLOs and TC
//! messages in parts (6.2, 9.3).

mod links;
mod mpr;
mod quality;
mod relays;
mod routes;
mod seen;
mod table;
#[cfg(test)]
mod tests;
mod topology;
mod weighted;

use std::sync::Arc;

use links::Link;
use mpr::Candidate;
use quality::{BROKEN, Pricing};
use table::Table;
use topology::Topology;

use super::armed::Armed;
use super::{Cx, Lost, Query, RouteAnswer, RoutingEffect};
use crate::config::olsr::{OlsrConfig, TcTrigger};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time, TimeCode};
use hopscope_packet::DropReason;
use hopscope_packet::olsr::{Hello, OlsrBody, OlsrMessage, OlsrPacket, PACKET_HEADER, Tc};

/// OLSR at one node.
#[derive(Debug)]
pub struct Olsr {
    node: NodeId,
    cfg: OlsrConfig,
    /// Links to neighbours, in the order of nodes.
    links: Vec<Link>,
    /// Nodes that chose this one as relay, in the order of nodes, with the ends of their validity.
    selectors: Vec<(NodeId, Time)>,
    /// Relays this node chose, in the order of nodes.
    relays: Vec<NodeId>,
    /// The neighbourhood changed since they were chosen.
    relays_stale: bool,
    /// What links cost; none: routes are short by hops.
    pricing: Option<Pricing>,
    topology: Topology,
    routes: Table,
    /// When routes of least cost were last calculated.
    calculated: Option<Time>,
    /// What the last TC message said.
    said: Arc<Tc>,
    /// When the last TC message was sent.
    last_tc: Option<Time>,
    /// When the last one that goes everywhere was sent.
    last_far_tc: Option<Time>,
    /// TC messages sent, under fisheye scope by a sequence.
    scoped: usize,
    /// Until when the last TC message that listed somebody is valid.
    advertised_until: Time,
    /// Messages of others to carry on.
    relayed: Vec<OlsrMessage>,
    message_seq: u16,
    packet_seq: u16,
    armed: Armed<{ timer::COUNT }>,
}

/// Timers of the machine.
pub(super) mod timer {
    /// The next HELLO.
    pub(super) const HELLO: u8 = 0;
    /// The next TC message.
    pub(super) const TC: u8 = 1;
    /// Messages of others go on.
    pub(super) const RELAY: u8 = 2;
    /// Something about links, neighbours or selectors is over.
    pub(super) const LINKS: u8 = 3;
    /// A set of advertised links is over.
    pub(super) const TOPOLOGY: u8 = 4;
    /// The routes are calculated: by hops for the records, by quality for packets too.
    pub(super) const ROUTES: u8 = 5;
    /// A second of the windows of link quality is over.
    pub(super) const QUALITY: u8 = 6;
    /// Their names for records.
    pub const NAMES: [&str; COUNT] = ["hello", "tc", "relay", "links", "topology", "routes", "quality"];
    /// Number of timers.
    pub(super) const COUNT: usize = 7;
}
use timer::{HELLO, LINKS, QUALITY, RELAY, ROUTES, TC, TOPOLOGY};

/// Most bytes of messages in one packet: with IP and UDP header it fits an Ethernet frame.
const MAX_PACKET: u32 = 1472;
/// Time to live of messages for all.
const EVERYWHERE: u8 = 255;
/// Hops that TC messages travel in turn, as `create_lq_tc` of olsrd 0.9.8 has them.
const FISHEYE_SEQUENCE: [u8; 8] = [2, 8, 2, 16, 2, 8, 2, EVERYWHERE];

impl Olsr {
    /// The machine of `node` before it is started.
    pub fn new(node: NodeId, cfg: &OlsrConfig) -> Self {
        let pricing = Pricing::new(cfg);
        Olsr {
            node,
            cfg: cfg.clone(),
            links: Vec::new(),
            selectors: Vec::new(),
            relays: Vec::new(),
            relays_stale: false,
            topology: Topology::default(),
            pricing,
            routes: Table::new(pricing),
            calculated: None,
            said: Arc::default(),
            last_tc: None,
            last_far_tc: None,
            scoped: 0,
            advertised_until: Time::ZERO,
            relayed: Vec::new(),
            message_seq: 0,
            packet_seq: 0,
            armed: Armed::new(),
        }
    }

    /// Starts the machine's clocks.
    pub fn start(&mut self, cx: &mut Cx) {
        // Clocks of separate nodes have no common phase.
        for (timer, interval) in [(HELLO, self.cfg.hello_interval), (TC, self.cfg.tc_interval)] {
            let phase = cx.part_of(interval);
            self.armed.by(timer, cx.now + phase, cx.out);
        }
        if self.pricing.is_some() {
            let phase = cx.part_of(quality::SECOND);
            self.armed.by(QUALITY, cx.now + phase, cx.out);
        }
    }

    /// The next hop of a packet.
    pub fn route(&mut self, query: &Query, cx: &mut Cx) -> RouteAnswer {
        if self.pricing.is_none() {
            self.calculate_routes(cx);
        }
        match self.routes.get(query.dst) {
            Some(route) => RouteAnswer::Via(route.next_hop),
            None => RouteAnswer::Drop(DropReason::NoRoute),
        }
    }

    /// A packet came in from the neighbour `from` (RFC 3626 3.4).
    pub fn on_message(&mut self, from: NodeId, packet: &OlsrPacket, cx: &mut Cx) {
        self.update_link_quality(from, packet.seq, cx);
        let me = self.node;
        // Its own messages come back from its relays and are dropped (RFC 3626 3.4).
        for message in packet.messages.iter().filter(|m| m.origin != me) {
            let valid = message.vtime.span();
            match &message.body {
                OlsrBody::Hello(hello) => self.hear_hello(from, packet.seq, hello, valid, cx),
                OlsrBody::Tc(tc) => self.hear_tc(from, message, tc, cx.now + valid, cx),
            }
        }
    }

    /// The MAC gave up a unicast frame to `next_hop`.
    pub fn on_link_failure(&mut self, next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        cx.drop_lost(lost);
        if self.cfg.link_layer_detection {
            self.link_broke(next_hop, cx);
        }
    }

    /// A timer expired.
    pub fn on_timer(&mut self, timer: u8, cx: &mut Cx) {
        if !self.armed.fires(timer, cx.now) {
            return;
        }
        match timer {
            HELLO => self.say_hello(cx),
            TC => self.say_tc(cx),
            RELAY => self.send(None, cx),
            LINKS => self.expire_links(cx),
            TOPOLOGY => self.expire_topology(cx),
            ROUTES => self.calculate_routes(cx),
            QUALITY => self.end_second(cx),
            _ => unreachable!("OLSR has {} timers", timer::COUNT),
        }
    }

    /// The neighbour that takes packets for `dst`, as of the last calculation.
    pub fn next_hop(&self, dst: NodeId, _now: Time) -> Option<NodeId> {
        self.routes.get(dst).map(|route| route.next_hop)
    }

    // ---- HELLO -----------------------------------------------------------------------------------------------

    fn say_hello(&mut self, cx: &mut Cx) {
        // Nobody learns of a choice before a HELLO names it, so it is made no more often than that.
        self.choose_relays();
        let links = self.shown_links(&self.relays, cx.now);
        let qualities = self.pricing.map(|_| links.iter().map(|link| self.announced(link.node)).collect());
        let hello = Hello {
            htime: TimeCode::at_least(self.cfg.hello_interval),
            willingness: self.cfg.willingness as u8,
            links: links.into(),
            qualities,
        };
        let message = self.message(OlsrBody::Hello(hello), self.cfg.neighb_hold_time, 1);
        self.send(Some(message), cx);
        self.again(HELLO, self.cfg.hello_interval, cx);
    }

    fn choose_relays(&mut self) {
        if !std::mem::take(&mut self.relays_stale) {
            return;
        }
        self.relays = if self.pricing.is_some() {
            let always = |node| self.place(node).is_ok_and(|at| self.links[at].willingness == mpr::WILL_ALWAYS);
            relays::select(&self.weighted_neighbours(), self.cfg.mpr_coverage, always)
        } else {
            let candidates: Vec<Candidate> = self
                .neighbours()
                .map(|link| Candidate { node: link.node, willingness: link.willingness, reaches: &link.reaches })
                .collect();
            mpr::select(self.node, &candidates, self.cfg.mpr_coverage)
        };
    }

    // ---- TC --------------------------------------------------------------------------------------------------

    /// Lists the advertised neighbours, or nobody for as long as others may believe in an earlier list (RFC 3626 9.3).
    fn say_tc(&mut self, cx: &mut Cx) {
        let mut advertised = self.list_selectors();
        let mut qualities = None;
        if self.pricing.is_some() {
            advertised.retain(|&node| self.cost_of(node) < BROKEN);
            qualities = Some(advertised.iter().map(|&node| self.announced(node)).collect());
        }
        if *self.said.advertised != *advertised || self.said.qualities != qualities {
            let ansn = self.said.ansn.wrapping_add(1);
            self.said = Tc { ansn, advertised: advertised.into(), qualities }.into();
        }
        if !self.said.advertised.is_empty() || self.advertised_until > cx.now {
            let (valid, ttl) = self.tc_scope(cx.now);
            if !self.said.advertised.is_empty() {
                self.advertised_until = self.advertised_until.max(cx.now + TimeCode::at_least(valid).span());
            }
            let message = self.message(OlsrBody::Tc(self.said.clone()), valid, ttl);
            self.send(Some(message), cx);
            self.last_tc = Some(cx.now);
        }
        self.again(TC, self.cfg.tc_interval, cx);
    }

    /// How long a TC message is valid and how many hops it travels. Under fisheye scope one goes everywhere if the next
    /// would come too late for that.
    fn tc_scope(&mut self, now: Time) -> (Span, u8) {
        let cfg = &self.cfg;
        if !cfg.fisheye {
            return (cfg.top_hold_time, EVERYWHERE);
        }
        if cfg.fisheye_sequence {
            let ttl = FISHEYE_SEQUENCE[self.scoped % FISHEYE_SEQUENCE.len()];
            self.scoped += 1;
            return (cfg.top_hold_time, ttl);
        }
        if self.last_far_tc.is_some_and(|last| now + cfg.tc_interval <= last + cfg.fisheye_interval) {
            return (cfg.top_hold_time, cfg.fisheye_hops as u8);
        }
        self.last_far_tc = Some(now);
        (cfg.fisheye_hold_time, EVERYWHERE)
    }

    /// The selectors, and what else is to be listed, in the order of nodes (RFC 3626 15.1).
    fn list_selectors(&mut self) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = self.selectors.iter().map(|s| s.0).collect();
        // A node that never relays has nothing to add.
        let redundancy = if self.cfg.willingness == 0 { 0 } else { self.cfg.tc_redundancy };
        match redundancy {
            0 => {}
            1 => {
                self.choose_relays();
                nodes.extend(&self.relays);
            }
            _ => nodes.extend(self.neighbours().map(|link| link.node)),
        }
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    fn hear_tc(&mut self, from: NodeId, message: &OlsrMessage, tc: &Arc<Tc>, until: Time, cx: &mut Cx) {
        if !self.is_neighbour(from) {
            // RFC 3626 9.5, step 1. The message does not count as seen either: a copy from a symmetric neighbour is
            // taken.
            return;
        }
        let forget = cx.now + self.cfg.dup_hold_time;
        let Some(place) = self.topology.see(message.origin, message.seq, cx.now, forget) else { return };
        if let Some(old) = self.topology.update(place, tc, cx.now, until) {
            self.routes.links_changed(self.node, message.origin, &old, tc);
            self.note_routes(cx);
        }
        self.armed.by(TOPOLOGY, until, cx.out);
        // Only what comes from a selector is carried on (RFC 3626 3.4.1): that is what keeps the flood small.
        if message.ttl > 1 && self.is_selector(from) {
            let (ttl, hops) = (message.ttl - 1, message.hops.saturating_add(1));
            self.relayed.push(OlsrMessage { ttl, hops, ..message.clone() });
            let delay = cx.part_of(self.cfg.max_jitter);
            self.armed.by(RELAY, cx.now + delay, cx.out);
        }
    }

    fn expire_topology(&mut self, cx: &mut Cx) {
        let mut is_changed = false;
        let nothing = Tc::default();
        let next = self.topology.expire(cx.now, |last, said| {
            is_changed |= !said.advertised.is_empty();
            self.routes.links_changed(self.node, last, said, &nothing);
        });
        if is_changed {
            self.note_routes(cx);
        }
        if let Some(at) = next {
            self.armed.by(TOPOLOGY, at, cx.out);
        }
    }

    // ---- selectors -------------------------------------------------------------------------------------------

    fn is_selector(&self, node: NodeId) -> bool {
        self.selectors.binary_search_by_key(&node, |s| s.0).is_ok()
    }

    /// A neighbour chose this node as relay, or still does.
    fn select(&mut self, node: NodeId, until: Time, cx: &mut Cx) {
        match self.selectors.binary_search_by_key(&node, |s| s.0) {
            Ok(at) => self.selectors[at].1 = until,
            Err(at) => {
                self.selectors.insert(at, (node, until));
                self.selectors_changed(false, cx);
            }
        }
        self.armed.by(LINKS, until, cx.out);
    }

    fn deselect(&mut self, node: NodeId, cx: &mut Cx) {
        if let Ok(at) = self.selectors.binary_search_by_key(&node, |s| s.0) {
            self.selectors.remove(at);
            self.selectors_changed(true, cx);
        }
    }

    fn expire_selectors(&mut self, cx: &mut Cx) {
        let before = self.selectors.len();
        self.selectors.retain(|s| s.1 > cx.now);
        if self.selectors.len() != before {
            self.selectors_changed(false, cx);
        }
    }

    /// Asks for an early TC message where the change calls for one; `broken`: a link to a selector is gone.
    fn selectors_changed(&mut self, broken: bool, cx: &mut Cx) {
        // Selectors are preferred as next hops.
        self.routes.neighbours_changed();
        self.note_routes(cx);
        let wanted = match self.cfg.tc_trigger {
            TcTrigger::Never => false,
            TcTrigger::Loss => broken,
            TcTrigger::Change => true,
        };
        if wanted {
            // A change right after a TC message waits: neighbours mostly change together.
            let earliest = self.last_tc.map_or(cx.now, |at| cx.now.max(at + self.cfg.tc_trigger_gap));
            let delay = cx.part_of(self.cfg.max_jitter);
            self.armed.by(TC, earliest + delay, cx.out);
        }
    }

    // ---- sending ---------------------------------------------------------------------------------------------

    fn message(&mut self, body: OlsrBody, valid: Span, ttl: u8) -> OlsrMessage {
        self.message_seq = self.message_seq.wrapping_add(1);
        let vtime = TimeCode::at_least(valid);
        OlsrMessage { origin: self.node, seq: self.message_seq, vtime, ttl, hops: 0, body }
    }

    /// Sends a message of this node, and with it those of others that wait (RFC 3626 3.5).
    fn send(&mut self, own: Option<OlsrMessage>, cx: &mut Cx) {
        let mut messages: Vec<OlsrMessage> = Vec::with_capacity(self.relayed.len() + 1);
        let mut bytes = PACKET_HEADER;
        for message in own.into_iter().chain(std::mem::take(&mut self.relayed)) {
            if !messages.is_empty() && bytes + message.bytes() > MAX_PACKET {
                self.broadcast(std::mem::take(&mut messages), cx);
                bytes = PACKET_HEADER;
            }
            bytes += message.bytes();
            messages.push(message);
        }
        if !messages.is_empty() {
            self.broadcast(messages, cx);
        }
    }

    fn broadcast(&mut self, messages: Vec<OlsrMessage>, cx: &mut Cx) {
        self.packet_seq = self.packet_seq.wrapping_add(1);
        let packet = OlsrPacket { seq: self.packet_seq, messages: messages.into() };
        cx.push(RoutingEffect::Broadcast { message: packet.into(), interface: None, ttl: 1, delay: Span::ZERO });
    }

    /// Asks for a timer after an interval cut short at random (RFC 3626 3.5).
    fn again(&mut self, timer: u8, interval: Span, cx: &mut Cx) {
        let jitter = cx.part_of(self.cfg.max_jitter);
        self.armed.by(timer, cx.now + interval.saturating_sub(jitter), cx.out);
    }
}
