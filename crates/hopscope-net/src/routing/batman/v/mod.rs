//! BATMAN_V (bat_v_elp.c, bat_v_ogm.c of the kernel): paths by the throughput that rate control expects of their links.
//!
//! Neighbours find each other by ELP messages twice a second, with probes for those that no data goes to ([`links`]). OGMs of
//! version 2 go through the network once a second, each along the best routes alone; they carry the throughput of the
//! narrowest link, halved where a node sends by the radio that it receives by.

mod links;
#[cfg(test)]
mod tests;

use super::originators::{Metric, Originators};
use super::sequence::{Jump, ahead};
use super::{jittered, random_seq};
use crate::config::BatmanVConfig;
use crate::config::batman_v::UnknownThroughput;
use crate::routing::armed::Armed;
use crate::routing::{Cx, Lost, Query, RouteAnswer, RoutingEffect};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;
use hopscope_packet::batman::{BatmanMessage, ELP_BYTES, Elp, OGM2_BYTES, Ogm2};
use links::Neighbours;

/// BATMAN_V of one node.
#[derive(Debug)]
pub struct BatmanV {
    node: NodeId,
    cfg: BatmanVConfig,
    originators: Originators<Throughput>,
    neighbours: Neighbours,
    /// OGMs that wait for the next frames, for each radio, and when those go.
    waiting: Vec<Vec<Ogm2>>,
    next_frame: Time,
    /// Sequence numbers of the next ELP message and of the next OGM.
    elp_seq: u32,
    ogm_seq: u32,
    armed: Armed<{ timer::COUNT }>,
}

/// What is kept of an originator by one neighbour.
#[derive(Debug, Default)]
struct Throughput {
    /// That of the path, 100 kbit/s.
    value: u32,
    /// Number of the OGM that said so.
    seq: u32,
    /// One has come.
    is_known: bool,
}

/// What is kept of the originator itself: the last OGM that was carried on.
#[derive(Debug, Default)]
struct Carried(Option<u32>);

impl Metric for Throughput {
    type Whole = Carried;

    fn value(&self) -> u32 {
        self.value
    }
}

/// Timers.
pub mod timer {
    /// An ELP message goes, with probes.
    pub(super) const ELP: u8 = 0;
    /// The node's own OGM goes.
    pub(super) const OGM: u8 = 1;
    /// A frame of OGMs goes.
    pub(super) const FRAME: u8 = 2;
    /// Something that is known of others is over.
    pub(super) const PURGE: u8 = 3;
    /// Their names for records.
    pub const NAMES: [&str; COUNT] = ["elp", "ogm", "frame", "purge"];
    /// Number of timers.
    pub(super) const COUNT: usize = 4;
}
use timer::{ELP, FRAME, OGM, PURGE};

/// A throughput of so many bit/s is one unit of the protocol.
const UNIT: u64 = 100_000;
/// Throughputs up to this, 1 Mbit/s, are not halved (batadv_v_forward_penalty).
const NOT_HALVED: u32 = 10;
/// OGMs so far behind the last are too old (BATADV_OGM_MAX_AGE).
const MAX_AGE: u32 = 64;
/// What the hop penalty is a share of (BATADV_TQ_MAX_VALUE).
const ALL: u64 = 255;

impl BatmanV {
    /// The machine of `node` before it is started.
    pub fn new(node: NodeId, cfg: &BatmanVConfig) -> Self {
        BatmanV {
            node,
            cfg: cfg.clone(),
            originators: Originators::new(cfg.ttl as u8),
            neighbours: Neighbours::default(),
            waiting: Vec::new(),
            next_frame: Time::ZERO,
            elp_seq: 0,
            ogm_seq: 0,
            armed: Armed::new(),
        }
    }

    /// Starts the machine's clocks.
    pub fn start(&mut self, cx: &mut Cx) {
        (self.elp_seq, self.ogm_seq) = (random_seq(cx), random_seq(cx));
        // Clocks of separate nodes have no common phase.
        for (timer, interval) in [(ELP, self.cfg.elp_interval), (OGM, self.cfg.originator_interval)] {
            let phase = cx.part_of(interval);
            self.armed.by(timer, cx.now + phase, cx.out);
        }
        self.next_frame = cx.now + cx.part_of(self.cfg.aggregation_time);
    }

    /// The next hop of a packet.
    pub fn route(&mut self, query: &Query, cx: &mut Cx) -> RouteAnswer {
        match self.originators.router(query.dst) {
            None => RouteAnswer::Drop(DropReason::NoRoute),
            Some(via) => {
                self.neighbours.note_data(via.interface, via.node, cx.now);
                RouteAnswer::ViaInterface(via.node, via.interface)
            }
        }
    }

    /// A frame came in from the neighbour `from`.
    pub fn on_message(&mut self, from: NodeId, message: &BatmanMessage, cx: &mut Cx) {
        match message {
            BatmanMessage::Elp(elp) => self.hear_elp(from, elp, cx),
            BatmanMessage::Ogm2(ogms) => {
                for ogm in ogms.iter() {
                    self.hear_ogm(from, ogm, cx);
                }
            }
            BatmanMessage::Ogm(_) => {}
        }
    }

    /// The MAC gave up a unicast frame: rate control hears of it, and the protocol from that.
    pub fn on_link_failure(&mut self, _next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        cx.drop_lost(lost);
    }

    /// A timer expired.
    pub fn on_timer(&mut self, timer: u8, cx: &mut Cx) {
        if !self.armed.fires(timer, cx.now) {
            return;
        }
        match timer {
            ELP => self.say_elp(cx),
            OGM => self.say_ogm(cx),
            FRAME => self.send_frame(cx),
            PURGE => self.purge(cx),
            _ => unreachable!("BATMAN_V has {} timers", timer::COUNT),
        }
    }

    /// The neighbour that takes packets for `dst`.
    pub fn next_hop(&self, dst: NodeId, _now: Time) -> Option<NodeId> {
        self.originators.next_hop(dst).ok()
    }

    /// Throughput of the path to `dst`, 100 kbit/s; none where there is no path.
    pub fn throughput(&self, dst: NodeId) -> Option<u32> {
        self.originators.router(dst).map(|via| via.metric.value)
    }

    /// Hops that data packets live for.
    pub fn data_ttl(&self) -> u8 {
        self.cfg.ttl as u8
    }

    fn purge(&mut self, cx: &mut Cx) {
        let neighbours = self.neighbours.purge(self.cfg.purge_timeout, cx.now);
        let originators = self.originators.purge(self.cfg.purge_timeout, cx);
        if let Some(at) = neighbours.into_iter().chain(originators).min() {
            self.armed.by(PURGE, at, cx.out);
        }
    }

    // ---- neighbours ------------------------------------------------------------------------------------------

    /// Sends an ELP message and probes, and asks for the throughputs of links (batadv_v_elp_periodic_work).
    fn say_elp(&mut self, cx: &mut Cx) {
        let elp = Elp { origin: self.node, seq: self.elp_seq, interval: self.cfg.elp_interval, padding: 0 };
        self.elp_seq = self.elp_seq.wrapping_add(1);
        let message = BatmanMessage::Elp(elp).into();
        cx.push(RoutingEffect::Broadcast { message, interface: None, ttl: 1, delay: Span::ZERO });
        let probe = Elp { padding: (self.cfg.probe_bytes - ELP_BYTES) as u16, ..elp };
        for neighbour in self.neighbours.iter_mut() {
            if neighbour.is_idle(self.cfg.probe_idle, cx.now) {
                for _ in 0..self.cfg.elp_probes {
                    let (message, to) = (BatmanMessage::Elp(probe).into(), neighbour.node);
                    let interface = Some(neighbour.interface);
                    cx.push(RoutingEffect::Unicast { message, to, interface, ttl: 1, delay: Span::ZERO });
                }
            }
            neighbour.throughput.add(link_throughput(&self.cfg, neighbour.interface, neighbour.node, cx));
        }
        let after = jittered(self.cfg.elp_interval, self.cfg.jitter, cx);
        self.armed.by(ELP, cx.now + after, cx.out);
    }

    fn hear_elp(&mut self, from: NodeId, elp: &Elp, cx: &mut Cx) {
        let place = self.originators.place_or_new(from, cx.now);
        let originator = self.originators.at_mut(place);
        let via = originator.via_or_new(cx.interface, from, cx.now);
        if self.neighbours.hear(cx.interface, from, elp.seq, cx.now) {
            originator.vias[via].last_seen = cx.now;
        }
        self.armed.by(PURGE, cx.now + self.cfg.purge_timeout, cx.out);
    }

    // ---- OGMs ------------------------------------------------------------------------------------------------

    fn say_ogm(&mut self, cx: &mut Cx) {
        let ogm = Ogm2 { origin: self.node, seq: self.ogm_seq, throughput: u32::MAX, ttl: self.cfg.ttl as u8 };
        self.ogm_seq = self.ogm_seq.wrapping_add(1);
        for radio in 0..cx.link.radios() {
            // Where nobody is heard, nothing is sent (batadv_hardif_no_broadcast).
            if self.neighbours.on(radio, cx).next().is_some() {
                self.queue(ogm, radio, cx);
            }
        }
        let after = jittered(self.cfg.originator_interval, self.cfg.jitter, cx);
        self.armed.by(OGM, cx.now + after, cx.out);
    }

    /// An OGM came (batadv_v_ogm_process).
    fn hear_ogm(&mut self, from: NodeId, ogm: &Ogm2, cx: &mut Cx) {
        if ogm.origin == self.node || ogm.throughput == 0 {
            return;
        }
        let Some(neighbour) = self.neighbours.get(cx.interface, from) else { return };
        let value = ogm.throughput.min(neighbour.throughput.get());
        let place = self.originators.place_or_new(ogm.origin, cx.now);
        self.armed.by(PURGE, cx.now + self.cfg.purge_timeout, cx.out);
        let Some(via) = self.learn(place, from, value, ogm, cx) else { return };
        self.choose(place, via, cx);
        self.carry_on(place, via, from, ogm, value, cx);
    }

    /// Takes the throughput of a path, unless the OGM is an old one (batadv_v_ogm_metric_update).
    fn learn(&mut self, place: usize, from: NodeId, value: u32, ogm: &Ogm2, cx: &mut Cx) -> Option<usize> {
        let originator = self.originators.at_mut(place);
        let via = originator.via_or_new(cx.interface, from, cx.now);
        let ahead = ahead(ogm.seq, originator.last_seq);
        match originator.protection.check(ahead, MAX_AGE, cx.now) {
            Jump::Protected => return None,
            Jump::None if ahead < 0 => return None,
            Jump::None | Jump::Restart => {}
        }
        (originator.last_seq, originator.last_ttl, originator.last_seen) = (ogm.seq, ogm.ttl, cx.now);
        let entry = &mut originator.vias[via];
        entry.last_seen = cx.now;
        entry.metric = Throughput { value, seq: ogm.seq, is_known: true };
        self.originators.set_ttl(place, via, ogm.ttl, cx);
        Some(via)
    }

    /// A neighbour takes the place of the best one where it offers more, or where that lags behind
    /// (batadv_v_ogm_route_update).
    fn choose(&mut self, place: usize, via: usize, cx: &mut Cx) {
        let originator = self.originators.at(place);
        let new = &originator.vias[via].metric;
        let takes_over = match originator.router() {
            None => true,
            Some(_) if originator.router_place() == Some(via) => false,
            Some(old) if !old.metric.is_known => true,
            Some(old) => {
                let lag = ahead(new.seq, old.metric.seq);
                lag >= self.cfg.max_lag as i32 || new.value > old.metric.value
            }
        };
        if takes_over {
            self.originators.set_router(place, via, cx);
        }
    }

    /// Sends an OGM on, where it came by the best neighbour and for the first time (batadv_v_ogm_forward).
    fn carry_on(&mut self, place: usize, via: usize, from: NodeId, ogm: &Ogm2, value: u32, cx: &mut Cx) {
        let came_by = cx.radio_of(cx.interface);
        if !(0..cx.link.radios()).any(|radio| self.concerns(radio, [from, ogm.origin], cx)) {
            return;
        }
        let originator = self.originators.at_mut(place);
        if originator.router_place() != Some(via) || originator.whole.0 == Some(ogm.seq) {
            return;
        }
        originator.whole.0 = Some(ogm.seq);
        for radio in 0..cx.link.radios() {
            if ogm.ttl > 1 && self.concerns(radio, [from, ogm.origin], cx) {
                let throughput = onwards(value, radio == came_by, &self.cfg);
                self.queue(Ogm2 { throughput, ttl: ogm.ttl - 1, ..*ogm }, radio, cx);
            }
        }
    }

    /// Somebody on a radio may not have an OGM yet (batadv_hardif_no_broadcast): no only neighbour that is one of these.
    fn concerns(&self, radio: u8, known: [NodeId; 2], cx: &Cx) -> bool {
        let mut on = self.neighbours.on(radio, cx);
        match (on.next(), on.next()) {
            (Some(only), None) => !known.contains(&only.node),
            (None, _) => false,
            (Some(_), Some(_)) => true,
        }
    }

    // ---- frames ----------------------------------------------------------------------------------------------

    /// An OGM waits for the next frame of a radio (batadv_v_ogm_queue_on_if).
    fn queue(&mut self, ogm: Ogm2, radio: u8, cx: &mut Cx) {
        if !self.cfg.aggregation {
            broadcast(vec![ogm], radio, cx);
            return;
        }
        self.waiting.resize_with(cx.link.radios().into(), Vec::new);
        let waiting = &mut self.waiting[usize::from(radio)];
        if (waiting.len() as u32 + 1) * OGM2_BYTES > self.cfg.aggregation_bytes {
            broadcast(std::mem::take(waiting), radio, cx);
        }
        waiting.push(ogm);
        if self.next_frame <= cx.now {
            // The kernel's clock runs on where nothing waits.
            let time = self.cfg.aggregation_time;
            let missed = (cx.now - self.next_frame).0 / time.0 + 1;
            self.next_frame += time * missed;
        }
        self.armed.by(FRAME, self.next_frame, cx.out);
    }

    fn send_frame(&mut self, cx: &mut Cx) {
        for (radio, waiting) in (0..).zip(&mut self.waiting) {
            if !waiting.is_empty() {
                broadcast(std::mem::take(waiting), radio, cx);
            }
        }
        let time = self.cfg.aggregation_time;
        self.next_frame = cx.now + jittered(time, Span(time.0 / 10), cx);
    }
}

fn broadcast(ogms: Vec<Ogm2>, radio: u8, cx: &mut Cx) {
    let (message, interface) = (BatmanMessage::Ogm2(ogms.into()).into(), Some(radio));
    cx.push(RoutingEffect::Broadcast { message, interface, ttl: 1, delay: Span::ZERO });
}

/// Throughput of a link, 100 kbit/s, as the MAC knows it (batadv_v_elp_get_throughput).
fn link_throughput(cfg: &BatmanVConfig, interface: u8, node: NodeId, cx: &Cx) -> u32 {
    let link = cx.link.estimate(interface, node);
    let unknown = || match cfg.unknown_throughput {
        UnknownThroughput::ThirdOfRate => link.data_rate / 3,
        UnknownThroughput::Default => cfg.default_throughput,
    };
    let throughput = cfg.throughput_override.or(link.expected_throughput).unwrap_or_else(unknown);
    (throughput / UNIT).min(u32::MAX.into()) as u32
}

/// Throughput of a path as it is carried on, by the radio that it came by or by another one (batadv_v_forward_penalty).
fn onwards(value: u32, is_same_radio: bool, cfg: &BatmanVConfig) -> u32 {
    if cfg.half_duplex && is_same_radio && value > NOT_HALVED {
        return value / 2;
    }
    (u64::from(value) * (ALL - u64::from(cfg.hop_penalty)) / ALL) as u32
}
