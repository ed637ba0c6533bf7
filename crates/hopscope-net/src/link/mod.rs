//! Link layers: what stands between the interface queue and the MAC of a node.
//!
//! A layer is made of parts, any of which may be absent. It has three doors: a packet comes to the queue, the MAC takes
//! the packet that goes next, and the MAC asks how it is to be paced. The layer learns from the MAC how each packet
//! fared. Routing packets pass every layer untouched.
//!
//! ```text
//!   arrival  -->  RED, Neighborhood RED  -->  interface queue  -->  head  -->  back-off
//!                 (mark or drop)              in order, or          timer: when    pacing: longer after a success,
//!                                             FQ-CoDel's order      Link RED, CoDel  while Link RED is quiet
//!                                                                   (mark or drop)
//! ```
//!
//! Where two parts judge one packet at one door, each judges it for itself and the severer verdict holds: drop before
//! mark before pass. Of two that are equally severe the first in this order is named as the one that wanted it.
//!
//! | file | part | decides |
//! |---|---|---|
//! | `red.rs` | RED | at arrival, by the length of the queue |
//! | `nred.rs` | Neighborhood RED | at arrival, by the use of the channel around |
//! | `lred.rs` | Link RED of fu2003 | at the head, by the MAC's retries |
//! | [`hopscope_mac::fair`] | CoDel | at the head, by the time waited |
//! | the same | FQ-CoDel | which flow goes next, and CoDel |
//! | `timer.rs` | non-work-conserving scheduler | when the next packet may go |
//! | `delay.rs` | averages of queueing and transmission delays | nothing: packets that ask carry them (ATP) |
//!
//! Adaptive pacing lengthens the back-off and so stands in the MAC; the layer switches it.

mod delay;
mod lred;
mod nred;
mod red;
mod timer;

use std::collections::VecDeque;

pub use delay::Delays;
use lred::Lred;
use nred::Nred;
pub use nred::Tick;
use red::Red;
use timer::OutputTimer;

use crate::config::link::LinkPart;
use crate::config::{LinkConfig, NetConfig};
use hopscope_core::ids::PacketId;
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};
use hopscope_mac::MacView;
use hopscope_mac::Pacing;
pub use hopscope_mac::fair::FlowKey;
use hopscope_mac::fair::{Codel, FairQueue};
use hopscope_packet::Notice;

/// What a part of the layer wants to become of a packet, from mild to severe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AqmAction {
    /// It goes on.
    Pass,
    /// It is marked, or dropped where its flow does not know ECN.
    Mark,
    /// It is dropped.
    Drop,
}

impl AqmAction {
    /// What CoDel wants.
    fn of(marks: bool) -> Self {
        if marks { AqmAction::Mark } else { AqmAction::Pass }
    }
}

/// The severest verdict on a packet at one door, and whose it is; none: all let it pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AqmDecision(Option<(AqmAction, LinkPart)>);

impl AqmDecision {
    /// One part judges the packet as well.
    #[must_use]
    fn and(self, action: AqmAction, part: LinkPart) -> Self {
        match self.0 {
            Some((severest, _)) if severest >= action => self,
            _ if action == AqmAction::Pass => self,
            _ => AqmDecision(Some((action, part))),
        }
    }

    /// The verdict and the part that wanted it; none: the packet goes on.
    pub fn action(self) -> Option<(AqmAction, LinkPart)> {
        self.0
    }
}

/// The packet that goes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The packet.
    pub packet: PacketId,
    /// What those who order the queue want to become of it.
    pub decision: AqmDecision,
}

/// The link layer of one node.
#[derive(Debug)]
pub struct LinkLayer {
    red: Option<Red>,
    nred: Option<Box<Nred>>,
    lred: Option<Lred>,
    order: Order,
    timer: Option<OutputTimer>,
    pacing: Option<Pacing>,
    /// What its packets take, where some ask for it.
    delays: Option<Box<Delays>>,
    /// Packets of flows that know ECN are marked where others are dropped.
    pub ecn: bool,
    /// Packets without data are judged, too.
    pub acks: bool,
    /// Size of a notification of Neighborhood RED without its network header.
    pub notice_bytes: u32,
    rng: Stream,
}

/// Who says which packet is next.
#[derive(Debug)]
enum Order {
    Fifo,
    Codel { codel: Codel, waiting: VecDeque<(PacketId, Time)> },
    Fair(FairQueue<PacketId>),
}

impl LinkLayer {
    /// The layer that these parameters name.
    pub fn new(cfg: &LinkConfig, mut rng: Stream) -> Self {
        let has = |part| cfg.layer.has(part);
        let order = if has(LinkPart::FqCodel) {
            Order::Fair(FairQueue::new(&cfg.fair()))
        } else if has(LinkPart::Codel) {
            Order::Codel { codel: Codel::new(&cfg.fair()), waiting: VecDeque::new() }
        } else {
            Order::Fifo
        };
        LinkLayer {
            red: has(LinkPart::Red).then(|| Red::new(cfg)),
            // It draws its first interval here, before any packet does.
            nred: has(LinkPart::Nred).then(|| Box::new(Nred::new(cfg, &mut rng))),
            lred: has(LinkPart::Lred).then(|| Lred::new(cfg)),
            order,
            timer: has(LinkPart::Timer).then(|| OutputTimer::new(cfg)),
            pacing: has(LinkPart::Pacing).then_some(Pacing { clock: cfg.pacing_clock, overhead: cfg.pacing_overhead }),
            delays: None,
            ecn: cfg.ecn,
            acks: cfg.acks,
            notice_bytes: cfg.nred_bytes,
            rng,
        }
    }

    /// It averages what its packets take from now on.
    pub fn measure(&mut self, cfg: &NetConfig) {
        self.delays = Some(Box::new(Delays::new(cfg)));
    }

    /// What its packets take.
    pub fn delays(&self) -> Option<&Delays> {
        self.delays.as_deref()
    }

    /// True if a part of it judges packets at arrival.
    pub fn acts_on_arrival(&self) -> bool {
        self.red.is_some() || self.nred.is_some()
    }

    /// A data packet of `bytes` bytes comes to a queue of so many packets; `service` is the time one takes to be sent.
    pub fn on_arrival(&mut self, waiting: usize, bytes: u32, service: Span, now: Time) -> AqmDecision {
        let mut decision = AqmDecision::default();
        if let Some(red) = &mut self.red {
            decision = decision.and(red.on_arrival(waiting, bytes, service, now, &mut self.rng), LinkPart::Red);
        }
        if let Some(nred) = &mut self.nred {
            decision = decision.and(nred.on_arrival(now, &mut self.rng), LinkPart::Nred);
        }
        decision
    }

    /// A data packet of `bytes` bytes has joined the queue.
    pub fn on_joined(&mut self, packet: PacketId, flow: FlowKey, bytes: u32, now: Time) {
        if let Some(delays) = &mut self.delays {
            delays.on_joined(packet, now);
        }
        match &mut self.order {
            Order::Fifo => {}
            Order::Codel { waiting, .. } => waiting.push_back((packet, now)),
            Order::Fair(fair) => fair.push(packet, flow, bytes, now),
        }
    }

    /// The packet that gives way when there is no room; none: the one that comes.
    pub fn evict(&mut self) -> Option<PacketId> {
        match &mut self.order {
            Order::Fair(fair) => fair.pop_fattest(),
            _ => None,
        }
    }

    /// A data packet has left the queue otherwise than over [`LinkLayer::next`].
    pub fn on_taken(&mut self, packet: PacketId) {
        if let Some(delays) = &mut self.delays {
            delays.on_taken(packet);
        }
        match &mut self.order {
            Order::Fifo => {}
            Order::Codel { waiting, .. } => waiting.retain(|&(id, _)| id != packet),
            Order::Fair(fair) => {
                fair.take(|&waiting, _| waiting == packet);
            }
        }
    }

    /// The data packet that goes next when `head` is at the head of the queue, and what CoDel says of it.
    pub fn next(&mut self, head: PacketId, now: Time) -> Head {
        let pass = Head { packet: head, decision: AqmDecision::default() };
        match &mut self.order {
            Order::Fifo => pass,
            Order::Codel { codel, waiting } => {
                let place = waiting.iter().position(|&(id, _)| id == head);
                let since = place.and_then(|place| waiting.remove(place)).map_or(now, |(_, since)| since);
                let action = AqmAction::of(codel.marks(now - since, waiting.is_empty(), now));
                Head { packet: head, decision: pass.decision.and(action, LinkPart::Codel) }
            }
            Order::Fair(fair) => fair.pop(now).map_or(pass, |(packet, marks)| Head {
                packet,
                decision: pass.decision.and(AqmAction::of(marks), LinkPart::FqCodel),
            }),
        }
    }

    /// What becomes of the packet that goes next, with Link RED's verdict.
    pub fn decide_next(&mut self, decision: AqmDecision) -> AqmDecision {
        match &self.lred {
            // It stands before CoDel: of two marks its own counts.
            Some(lred) => {
                let own = AqmDecision::default().and(lred.decide(&mut self.rng), LinkPart::Lred);
                decision.action().map_or(own, |(action, part)| own.and(action, part))
            }
            None => decision,
        }
    }

    /// The instant from which the next data packet may go.
    pub fn ready(&self) -> Time {
        self.timer.as_ref().map_or(Time::ZERO, |timer| timer.ready)
    }

    /// The data packet given last, of `bytes` bytes, goes to the MAC; its exchange takes `exchange` without contention.
    pub fn on_sent(&mut self, packet: PacketId, bytes: u32, exchange: Span, now: Time) {
        if let Some(delays) = &mut self.delays {
            delays.on_sent(packet, now);
        }
        if let Some(timer) = &mut self.timer {
            timer.on_sent(exchange, now, &mut self.rng);
        }
        if let Order::Fair(fair) = &mut self.order {
            fair.charge(bytes);
        }
    }

    /// The MAC is done with a packet.
    pub fn on_done(&mut self, mac: &MacView<'_>, now: Time) {
        self.on_left(now);
        if let Some(lred) = &mut self.lred {
            lred.on_done(mac.last_retries);
        }
    }

    /// The transmitter is done with a packet.
    pub fn on_left(&mut self, now: Time) {
        if let Some(delays) = &mut self.delays {
            delays.on_done(now);
        }
    }

    /// When the layer wants its first tick; none if it has none.
    pub fn first_tick(&self) -> Option<Time> {
        self.nred.as_ref().map(|nred| nred.begins())
    }

    /// The instant of a tick, or of a packet that may go, has come; none: no tick is due.
    pub fn on_tick(&mut self, now: Time) -> Option<Tick> {
        self.nred.as_mut().filter(|nred| nred.ticks_at() == now).map(|nred| nred.on_tick(now))
    }

    /// A neighbour's notification has come.
    pub fn on_notice(&mut self, notice: Notice, now: Time) {
        if let Some(nred) = &mut self.nred {
            nred.on_notice(notice, now);
        }
    }

    /// The node's radio sends from `start` to `end`.
    pub fn on_air(&mut self, start: Time, end: Time) {
        if let Some(nred) = &mut self.nred {
            nred.on_sent(start, end);
        }
    }

    /// The node's radio senses a frame from `start` to `end`; `mine`: it is addressed to it and can be decoded.
    pub fn on_sensed(&mut self, start: Time, end: Time, mine: bool) {
        if let Some(nred) = &mut self.nred {
            nred.on_sensed(start, end, mine);
        }
    }

    /// The queue ran empty.
    pub fn on_empty(&mut self, now: Time) {
        if let Some(red) = &mut self.red {
            red.on_empty(now);
        }
        if let Order::Codel { codel, .. } = &mut self.order {
            codel.on_empty();
        }
    }

    /// How the next packet is paced; none: not at all, or not now.
    pub fn pacing(&self) -> Option<Pacing> {
        self.pacing.filter(|_| self.lred.as_ref().is_none_or(Lred::is_quiet))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::ids::NodeId;
    use hopscope_core::rng::Purpose;
    use hopscope_mac::dcf::Attempts;

    fn layer(words: &str, change: impl FnOnce(&mut LinkConfig)) -> LinkLayer {
        let mut cfg = LinkConfig { layer: words.parse().expect("a layer"), ..LinkConfig::default() };
        change(&mut cfg);
        LinkLayer::new(&cfg, Stream::derive(1, 0, 0, Purpose::Link))
    }

    const FLOW: FlowKey = FlowKey { ends: (NodeId(0), NodeId(1)), protocol: 0, ports: (0, 0) };

    /// The MAC is done with a packet after so many retries.
    fn done(layer: &mut LinkLayer, last_retries: u32) {
        layer.on_done(&MacView { attempts: &Attempts::default(), last_retries }, at(0));
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn the_severest_action_holds_and_the_first_of_equals_is_named() {
        use AqmAction::{Drop, Mark, Pass};
        let both = |one, other| AqmDecision::default().and(one, LinkPart::Red).and(other, LinkPart::Nred).action();
        assert_eq!(both(Pass, Pass), None);
        assert_eq!(both(Mark, Pass), Some((Mark, LinkPart::Red)));
        assert_eq!(both(Pass, Mark), Some((Mark, LinkPart::Nred)));
        assert_eq!(both(Mark, Mark), Some((Mark, LinkPart::Red)));
        assert_eq!(both(Mark, Drop), Some((Drop, LinkPart::Nred)));
        assert_eq!(both(Drop, Mark), Some((Drop, LinkPart::Red)));
    }

    #[test]
    fn link_red_and_codel_both_decide_on_the_packet_at_the_head() {
        // Link RED marks every packet from its first retry on, CoDel after 100 ms above its target.
        let sure =
            |cfg: &mut LinkConfig| (cfg.lred_min, cfg.lred_max, cfg.lred_max_p, cfg.lred_weight) = (0.5, 1.0, 1.0, 1.0);
        for order in ["codel", "fq-codel"] {
            let codel = if order == "codel" { LinkPart::Codel } else { LinkPart::FqCodel };
            let mut layer = layer(&format!("{order}+lred"), sure);
            for n in 0..400 {
                layer.on_joined(PacketId(n), FLOW, 1000, at(0));
            }
            let mut take = |n: u32, ms: u64, retries: u32| {
                done(&mut layer, retries);
                let head = layer.next(PacketId(n), at(ms));
                layer.on_sent(head.packet, 1000, Span::ZERO, at(ms));
                (head.packet.0, layer.decide_next(head.decision).action().map(|(_, by)| by))
            };
            assert_eq!(take(0, 10, 0), (0, None));
            assert_eq!(take(1, 50, 3), (1, Some(LinkPart::Lred)));
            assert_eq!(take(2, 120, 0), (2, Some(codel)));
            assert_eq!(take(3, 225, 1), (3, Some(LinkPart::Lred)), "both mark it");
        }
    }

    #[test]
    fn pacing_is_on_alone_and_with_link_red_while_that_is_quiet() {
        for words in ["pacing", "pacing+red+codel"] {
            let mut layer = layer(words, |cfg| cfg.pacing_overhead = false);
            done(&mut layer, 9);
            assert_eq!(layer.pacing().map(|pacing| pacing.overhead), Some(false));
        }
        let mut both = layer("pacing+lred", |cfg| cfg.lred_weight = 1.0);
        assert!(both.pacing().is_some());
        done(&mut both, 2);
        assert!(both.pacing().is_none());
        done(&mut both, 0);
        assert!(both.pacing().is_some());
        assert!(layer("lred", |_| ()).pacing().is_none());
    }

    #[test]
    fn intervals_of_neighborhood_red_end_only_at_their_instants() {
        let mut layer = layer("nred+timer", |_| ());
        let first = layer.first_tick().expect("intervals");
        // The timer's wake-ups come over the same door.
        assert_eq!(layer.on_tick(first + Span(1)), None);
        let tick = layer.on_tick(first).expect("the first interval begins");
        assert_eq!(layer.on_tick(first), None);
        assert_eq!(layer.on_tick(tick.next).map(|tick| tick.next), Some(tick.next + Span::from_millis(100)));
    }
}
