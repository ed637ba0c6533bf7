//! Link layers: what stands between the interface queue and the MAC of a node.
//!
//! A layer decides at two doors: when a packet comes to the queue, and when the MAC takes the packet at the head. It
//! learns from the MAC how each packet fared. Routing packets pass every layer untouched.
//!
//! | file | layer | decides |
//! |---|---|---|
//! | `lred.rs` | Link RED of fu2003 | at the head, by the MAC's retries |
//! | `red.rs` | RED | at arrival, by the length of the queue |
//! | `nred.rs` | Neighborhood RED | at arrival, by the use of the channel around |
//! | `codel.rs` | CoDel | at the head, by the time waited |
//! | `fair.rs` | FQ-CoDel | which flow goes next, and CoDel |
//! | `timer.rs` | non-work-conserving scheduler | when the next packet may go |
//!
//! Adaptive pacing lengthens the back-off and so stands in the MAC; the layer switches it.

mod codel;
mod fair;
mod lred;
mod nred;
mod red;
mod timer;

use std::collections::VecDeque;

use codel::Codel;
use fair::FairQueue;
use lred::Lred;
use nred::Nred;
pub use nred::{Notice, Tick};
use red::Red;
use timer::OutputTimer;

use crate::config::LinkConfig;
use crate::config::link::LinkKind;
use crate::ids::{NodeId, PacketId};
use crate::rng::Stream;
use crate::units::{Span, Time};

/// What becomes of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on.
    Pass,
    /// It is marked, or dropped where its flow does not know ECN.
    Mark,
    /// It is dropped.
    Drop,
}

/// The packet that goes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The packet.
    pub packet: PacketId,
    /// What becomes of it.
    pub verdict: Verdict,
}

/// The link layer of one node.
#[derive(Debug)]
pub struct LinkLayer {
    discipline: Discipline,
    /// Adaptive pacing is part of it.
    pacing: bool,
    rng: Stream,
}

#[derive(Debug)]
enum Discipline {
    Fifo,
    Lred(Lred),
    Red(Red),
    Codel { codel: Codel, waiting: VecDeque<(PacketId, Time)> },
    Fair(FairQueue),
    Timer(OutputTimer),
    Nred(Box<Nred>),
}

impl LinkLayer {
    /// The layer of a node; none where it has none.
    pub fn new(cfg: &LinkConfig, node: NodeId, mut rng: Stream) -> Option<Self> {
        if !cfg.is_at(node.0) {
            return None;
        }
        let discipline = match cfg.layer {
            LinkKind::Plain | LinkKind::Pacing => Discipline::Fifo,
            LinkKind::Lred | LinkKind::LredPacing => Discipline::Lred(Lred::new(cfg)),
            LinkKind::Red => Discipline::Red(Red::new(cfg)),
            LinkKind::Codel => Discipline::Codel { codel: Codel::new(cfg), waiting: VecDeque::new() },
            LinkKind::FqCodel => Discipline::Fair(FairQueue::new(cfg)),
            LinkKind::Timer => Discipline::Timer(OutputTimer::new(cfg)),
            LinkKind::Nred => Discipline::Nred(Box::new(Nred::new(cfg, &mut rng))),
        };
        let pacing = matches!(cfg.layer, LinkKind::Pacing | LinkKind::LredPacing);
        Some(LinkLayer { discipline, pacing, rng })
    }

    /// A data packet comes to a queue of so many packets; `service` is the time one takes to be sent.
    pub fn on_arrival(&mut self, waiting: usize, service: Span, now: Time) -> Verdict {
        match &mut self.discipline {
            Discipline::Red(red) => red.on_arrival(waiting, service, now, &mut self.rng),
            Discipline::Nred(nred) => nred.on_arrival(now, &mut self.rng),
            _ => Verdict::Pass,
        }
    }

    /// A data packet of `bytes` bytes from `src` to `dst` has joined the queue.
    pub fn on_joined(&mut self, packet: PacketId, src: NodeId, dst: NodeId, bytes: u32, now: Time) {
        match &mut self.discipline {
            Discipline::Codel { waiting, .. } => waiting.push_back((packet, now)),
            Discipline::Fair(fair) => fair.push(packet, src, dst, bytes, now),
            _ => {}
        }
    }

    /// The packet that gives way when there is no room; none: the one that comes.
    pub fn gives_way(&mut self) -> Option<PacketId> {
        match &mut self.discipline {
            Discipline::Fair(fair) => fair.pop_fattest(),
            _ => None,
        }
    }

    /// A data packet has left the queue otherwise than over [`LinkLayer::next`].
    pub fn on_taken(&mut self, packet: PacketId) {
        match &mut self.discipline {
            Discipline::Codel { waiting, .. } => waiting.retain(|&(id, _)| id != packet),
            Discipline::Fair(fair) => fair.forget(packet),
            _ => {}
        }
    }

    /// The data packet that goes next and what becomes of it, when `head` is at the head of the queue; `judged`: the
    /// layer may mark or drop it.
    pub fn next(&mut self, head: PacketId, judged: bool, now: Time) -> Head {
        let verdict = match &mut self.discipline {
            Discipline::Lred(lred) if judged => lred.judge(&mut self.rng),
            Discipline::Codel { codel, waiting } => {
                let place = waiting.iter().position(|&(id, _)| id == head);
                let since = place.and_then(|place| waiting.remove(place)).map_or(now, |(_, since)| since);
                codel.judge(now - since, waiting.is_empty(), now)
            }
            Discipline::Fair(fair) => match fair.pop(now) {
                Some(head) => return head,
                None => Verdict::Pass,
            },
            _ => Verdict::Pass,
        };
        Head { packet: head, verdict }
    }

    /// The instant from which the next data packet may go.
    pub fn ready(&self) -> Time {
        match &self.discipline {
            Discipline::Timer(timer) => timer.ready,
            _ => Time::ZERO,
        }
    }

    /// The data packet given last, of `bytes` bytes, goes to the MAC; its exchange takes `exchange` without contention.
    pub fn on_sent(&mut self, bytes: u32, exchange: Span, now: Time) {
        match &mut self.discipline {
            Discipline::Timer(timer) => timer.on_sent(exchange, now, &mut self.rng),
            Discipline::Fair(fair) => fair.charge(bytes),
            _ => {}
        }
    }

    /// The MAC is done with a packet after so many retries.
    pub fn on_done(&mut self, retries: u32) {
        if let Discipline::Lred(lred) = &mut self.discipline {
            lred.on_done(retries);
        }
    }

    /// When the layer wants its first tick; none if it has none.
    pub fn first_tick(&self) -> Option<Time> {
        match &self.discipline {
            Discipline::Nred(nred) => Some(nred.begins()),
            _ => None,
        }
    }

    /// The instant of a tick has come.
    pub fn on_tick(&mut self, now: Time) -> Option<Tick> {
        match &mut self.discipline {
            Discipline::Nred(nred) => Some(nred.on_tick(now)),
            _ => None,
        }
    }

    /// A neighbour's notification has come.
    pub fn on_notice(&mut self, notice: Notice, now: Time) {
        if let Discipline::Nred(nred) = &mut self.discipline {
            nred.on_notice(notice, now);
        }
    }

    /// The node's radio sends from `start` to `end`.
    pub fn on_air(&mut self, start: Time, end: Time) {
        if let Discipline::Nred(nred) = &mut self.discipline {
            nred.on_sent(start, end);
        }
    }

    /// The node's radio senses a frame from `start` to `end`; `mine`: it is addressed to it and can be decoded.
    pub fn on_sensed(&mut self, start: Time, end: Time, mine: bool) {
        if let Discipline::Nred(nred) = &mut self.discipline {
            nred.on_sensed(start, end, mine);
        }
    }

    /// The queue ran empty.
    pub fn on_empty(&mut self, now: Time) {
        match &mut self.discipline {
            Discipline::Red(red) => red.on_empty(now),
            Discipline::Codel { codel, .. } => codel.on_empty(),
            _ => {}
        }
    }

    /// True when the back-off after the next packet is to be longer.
    pub fn is_pacing(&self) -> bool {
        self.pacing
            && match &self.discipline {
                Discipline::Lred(lred) => lred.is_quiet(),
                _ => true,
            }
    }
}
