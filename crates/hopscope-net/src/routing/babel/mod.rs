//! Babel (RFC 8966): every node advertises its routes with their metrics, and takes only those that cannot make a loop.
//!
//! Hellos show each node how well it hears its neighbours, IHUs how well they hear it. A route's metric is the sum of the
//! costs of its links. A node remembers the best metric that it has advertised for a destination (its feasibility distance);
//! it takes a route only where the neighbour's metric is better, or where the destination has numbered it anew. A node
//! whose routes are all forbidden asks the destination for a new number.
//!
//! | file | idea |
//! |---|---|
//! | `neighbours.rs` | Hellos and IHUs, the costs of links |
//! | `smoothed.rs` | metrics that follow slowly |
//! | `routes.rs` | what neighbours advertise, the choice among it, the feasibility condition |
//! | `requests.rs` | requests for routes and numbers, and their repetition |
//! | `speaking.rs` | what goes out, and when |
//!
//! Each node has one prefix, its own address, and its router-id is made of that: a source of RFC 8966 3.2.5 is a node.
//! A packet without a route is lost at once: a protocol that knows every route in advance holds nothing.
//!
//! Left out: unicast Hellos (3.4.1), acknowledgments (3.3), prefixes behind a node, source-specific routes, packets that
//! are signed, what the MAC knows of lost neighbours.

mod neighbours;
mod requests;
mod routes;
mod smoothed;
mod speaking;
#[cfg(test)]
mod tests;

use neighbours::Neighbour;
use requests::{Repeat, Request};
use routes::Dest;
use speaking::Waiting;

use super::armed::Armed;
use super::by_node::ByNode;
use super::{Cx, Lost, Query, RouteAnswer};
use crate::config::babel::BabelConfig;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;
use hopscope_packet::babel::{BabelPacket, BabelTlv};

/// A link: the radio of this node that it goes by, and the neighbour.
type Link = (u8, NodeId);

/// Babel at one node.
#[derive(Debug)]
pub struct Babel {
    node: NodeId,
    cfg: BabelConfig,
    /// Number of its own prefix.
    seqno: u16,
    hello_seqno: u16,
    /// In the order of links.
    neighbours: Vec<Neighbour>,
    /// What this node knows of others: its routes and its source table.
    table: ByNode<Dest>,
    /// Requests that are not answered, in the order of destinations and of whom they went to.
    requests: Vec<Request>,
    /// Retractions to be repeated.
    repeats: Vec<Repeat>,
    waiting: Waiting,
    /// When all routes were advertised last.
    last_dump: Option<Time>,
    armed: Armed<{ timer::COUNT }>,
}

/// Timers of the machine.
pub(super) mod timer {
    /// The next Hello.
    pub(super) const HELLO: u8 = 0;
    /// The next update of all routes.
    pub(super) const DUMP: u8 = 1;
    /// What waits goes out.
    pub(super) const FLUSH: u8 = 2;
    /// A Hello is missing, or an IHU is too old.
    pub(super) const LINKS: u8 = 3;
    /// A route is too old, or soon will be.
    pub(super) const ROUTES: u8 = 4;
    /// A request or a retraction is repeated.
    pub(super) const REPEAT: u8 = 5;
    /// Their names for records.
    pub const NAMES: [&str; COUNT] = ["hello", "update", "flush", "links", "routes", "repeat"];
    /// Number of timers.
    pub(super) const COUNT: usize = 6;
}
use timer::{DUMP, FLUSH, HELLO, LINKS, REPEAT, ROUTES};

impl Babel {
    /// The machine of `node` before it is started.
    pub fn new(node: NodeId, cfg: &BabelConfig) -> Self {
        Babel {
            node,
            cfg: cfg.clone(),
            seqno: 0,
            hello_seqno: 0,
            neighbours: Vec::new(),
            table: ByNode::default(),
            requests: Vec::new(),
            repeats: Vec::new(),
            waiting: Waiting::default(),
            last_dump: None,
            armed: Armed::new(),
        }
    }

    /// Starts the machine's clocks.
    pub fn start(&mut self, cx: &mut Cx) {
        // Clocks of separate nodes have no common phase.
        for (timer, interval) in [(HELLO, self.cfg.hello_interval), (DUMP, self.cfg.update_interval)] {
            let phase = cx.part_of(interval);
            self.armed.by(timer, cx.now + phase, cx.out);
        }
    }

    /// The next hop of a packet.
    #[inline]
    pub fn route(&mut self, query: &Query, _cx: &mut Cx) -> RouteAnswer {
        match self.table.get(query.dst).and_then(|dest| dest.via) {
            Some((interface, next_hop)) => RouteAnswer::ViaInterface(next_hop, interface),
            None => RouteAnswer::Drop(DropReason::NoRoute),
        }
    }

    /// A packet came in from the neighbour `from` (RFC 8966 4.6).
    pub fn on_message(&mut self, from: NodeId, packet: &BabelPacket, cx: &mut Cx) {
        let link = (cx.interface, from);
        for tlv in packet.tlvs.iter() {
            match tlv {
                BabelTlv::Hello { seqno, interval } => self.hear_hello(link, *seqno, interval.span(), cx),
                BabelTlv::Ihu { neighbour, rxcost, interval } if *neighbour == self.node => {
                    self.hear_ihu(link, *rxcost, interval.span(), cx);
                }
                // The router-id is that of the prefix, and the next hop the sender: nodes have one address each.
                BabelTlv::Ihu { .. } | BabelTlv::RouterId(_) | BabelTlv::NextHop(_) => {}
                BabelTlv::Update(update) => self.hear_update(link, update, cx),
                BabelTlv::RouteRequest(dst) => self.hear_route_request(*dst, cx),
                BabelTlv::SeqnoRequest(request) => self.hear_seqno_request(from, *request, cx),
            }
        }
    }

    /// The MAC gave up a unicast frame.
    pub fn on_link_failure(&mut self, _next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        cx.drop_lost(lost);
    }

    /// A timer expired.
    pub fn on_timer(&mut self, timer: u8, cx: &mut Cx) {
        if !self.armed.fires(timer, cx.now) {
            return;
        }
        match timer {
            HELLO => self.say_hello(cx),
            DUMP => self.say_all_routes(cx),
            FLUSH => self.say_what_waits(cx),
            LINKS => self.watch_links(cx),
            ROUTES => self.watch_routes(cx),
            REPEAT => self.repeat(cx),
            _ => unreachable!("Babel has {} timers", timer::COUNT),
        }
    }

    /// The neighbour that takes packets for `dst`.
    #[inline]
    pub fn next_hop(&self, dst: NodeId, _now: Time) -> Option<NodeId> {
        self.table.get(dst)?.via.map(|link| link.1)
    }

    /// Asks for a timer after an interval that is cut short or prolonged at random.
    fn again(&mut self, timer: u8, interval: Span, cx: &mut Cx) {
        let (early, late) = (self.cfg.jitter_early, self.cfg.jitter_late);
        let part = 1.0 - early + cx.rng.uniform() * (early + late);
        self.armed.by(timer, cx.now + times(interval, part), cx.out);
    }
}

/// An interval as often as a parameter says.
fn times(interval: Span, factor: f64) -> Span {
    Span((interval.0 as f64 * factor) as u64)
}

/// `a` is newer than `b`, numbers of 16 bits that begin anew (RFC 8966 3.2.1).
fn is_newer(a: u16, b: u16) -> bool {
    (a.wrapping_sub(b) as i16) > 0
}
