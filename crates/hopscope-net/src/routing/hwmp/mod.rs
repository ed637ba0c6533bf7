//! The mesh of IEEE 802.11s: peering with neighbours, and path selection by HWMP (IEEE 802.11-2020 14.3, 14.9, 14.10).
//!
//! A node peers with the neighbours whose beacons it hears, and takes frames from peers alone. A path is searched by a path
//! request (PREQ), which floods; the target answers with a path reply (PREP) on the best way that the request has come. Both
//! add up the airtime metric of the links. A root may announce itself, so that all have a path to it. What a broken link
//! cuts off is reported by a path error (PERR).
//!
//! | file | idea |
//! |---|---|
//! | `peering` | links to neighbours: beacons, Open, Confirm, Close, and what closes a link |
//! | `metric.rs` | the airtime metric |
//! | `paths.rs` | the table of paths, and when one replaces another |
//! | `search.rs` | path requests of this node, and the packets that wait for them |
//! | `receive.rs` | what requests and replies of others cause |
//! | `errors.rs` | path errors |
//! | `root.rs` | the root's requests and announcements |
//!
//! Left out: MCCA, power save, congestion control, gates, proxied addresses, security.

mod errors;
mod metric;
mod paths;
mod peering;
mod receive;
mod root;
mod search;
#[cfg(test)]
mod tests;

use errors::Errors;
use paths::Paths;
use peering::Peers;
use root::Root;
use search::Searches;

use super::armed::Armed;
use super::{Cx, Lost, Query, RouteAnswer, RoutingEffect, RoutingNote};
use crate::config::hwmp::HwmpConfig;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;
use hopscope_packet::hwmp::{Beacon, HwmpMessage, MESH_DATA};

/// The mesh station of one node.
#[derive(Debug)]
pub struct Hwmp {
    node: NodeId,
    cfg: HwmpConfig,
    peers: Peers,
    paths: Paths,
    searches: Searches,
    errors: Errors,
    /// The root that is known from others.
    root: Option<Root>,
    /// Own sequence number.
    seq: u32,
    /// Number of the last path request.
    preq_id: u32,
    armed: Armed<{ timer::COUNT }>,
}

/// Timers of the machine.
pub(super) mod timer {
    /// The next beacon.
    pub(super) const BEACON: u8 = 0;
    /// A peering waits no longer, or a neighbour is silent for too long.
    pub(super) const PEERS: u8 = 1;
    /// A search has no answer.
    pub(super) const SEARCH: u8 = 2;
    /// The next path request may go.
    pub(super) const PREQ: u8 = 3;
    /// The next path error may go.
    pub(super) const PERR: u8 = 4;
    /// The root makes itself known.
    pub(super) const ROOT: u8 = 5;
    /// Their names for records.
    pub const NAMES: [&str; COUNT] = ["beacon", "peers", "search", "preq", "perr", "root"];
    /// Number of timers.
    pub(super) const COUNT: usize = 6;
}

/// A way to a neighbour: the radio of this node that it goes by, and the neighbour.
type Link = (u8, NodeId);

/// A time unit of IEEE 802.11.
const TU: Span = Span::from_micros(1_024);

impl Hwmp {
    /// The machine of `node` before it is started.
    pub fn new(node: NodeId, cfg: &HwmpConfig) -> Self {
        Hwmp {
            node,
            cfg: cfg.clone(),
            peers: Peers::default(),
            paths: Paths::default(),
            searches: Searches::default(),
            errors: Errors::default(),
            root: None,
            seq: 0,
            preq_id: 0,
            armed: Armed::new(),
        }
    }

    /// Starts the machine's clocks.
    pub fn start(&mut self, cx: &mut Cx) {
        // Clocks of separate nodes have no common phase.
        let phase = cx.part_of(self.cfg.beacon_interval);
        self.armed.by(timer::BEACON, cx.now + phase, cx.out);
        if self.is_root() {
            let phase = cx.part_of(self.root_interval());
            self.armed.by(timer::ROOT, cx.now + phase, cx.out);
        }
    }

    /// The next hop of a packet.
    pub fn route(&mut self, query: &Query, cx: &mut Cx) -> RouteAnswer {
        let Query { packet, dst, prev, .. } = *query;
        self.note_expired(dst, cx);
        let Some(path) = self.paths.usable(dst, cx.now) else {
            let Some(prev) = prev else {
                self.hold(packet, dst, cx);
                return RouteAnswer::Held;
            };
            // Whoever sent it here believes in a path that is not there (14.10.11).
            self.report_unknown(dst, prev, cx);
            return RouteAnswer::Drop(DropReason::NoRoute);
        };
        let ((interface, next_hop), expires) = (path.link(), path.expires);
        if self.cfg.refresh_by_use {
            path.expires = expires.max(cx.now + self.cfg.active_path_timeout);
        }
        match prev {
            Some(prev) => path.add_user(prev),
            None => {
                self.answer_root(dst, cx);
                if cx.now + self.cfg.refresh_before > expires {
                    self.search(dst, true, cx);
                }
            }
        }
        RouteAnswer::ViaInterface(next_hop, interface)
    }

    /// A message came in from the neighbour `from`. What is no beacon or peering frame counts from a peer alone.
    pub fn on_message(&mut self, from: NodeId, message: &HwmpMessage, cx: &mut Cx) {
        match message {
            HwmpMessage::Beacon(beacon) => self.peers.on_beacon(from, beacon, &self.cfg, cx),
            HwmpMessage::Peering(frame) => {
                if self.peers.on_frame(from, frame, &self.cfg, cx) {
                    self.lose_peer((cx.interface, from), cx);
                }
            }
            _ if !self.peers.is_up(cx.interface, from) => return,
            HwmpMessage::Preq(preq) => self.on_preq(from, preq, cx),
            HwmpMessage::Prep(prep) => self.on_prep(from, prep, cx),
            HwmpMessage::Perr(perr) => self.on_perr(from, perr, cx),
            HwmpMessage::Rann(rann) => self.on_rann(from, rann, cx),
        }
        self.watch_peers(cx);
    }

    /// The MAC gave up a unicast frame to `next_hop`.
    pub fn on_link_failure(&mut self, next_hop: NodeId, lost: Option<&Lost>, cx: &mut Cx) {
        cx.drop_lost(lost);
        if self.peers.on_given_up(next_hop, &self.cfg, cx) {
            self.lose_peer((cx.interface, next_hop), cx);
            self.watch_peers(cx);
        }
    }

    /// A data packet came in from the neighbour `from`: false where that is no peer, whose frames are discarded (14.3.1).
    pub fn on_reception(&self, from: NodeId) -> bool {
        self.peers.is_peer(from)
    }

    /// A timer expired.
    pub fn on_timer(&mut self, timer: u8, cx: &mut Cx) {
        if !self.armed.fires(timer, cx.now) {
            return;
        }
        match timer {
            timer::BEACON => self.say_beacon(cx),
            timer::PEERS => {
                for lost in self.peers.on_timer(&self.cfg, cx) {
                    self.lose_peer(lost, cx);
                }
                self.watch_peers(cx);
            }
            timer::SEARCH => self.search_again(cx),
            timer::PREQ => self.ask(cx),
            timer::PERR => self.report(cx),
            timer::ROOT => self.say_root(cx),
            _ => unreachable!("HWMP has {} timers", timer::COUNT),
        }
    }

    /// The neighbour that takes packets for `dst`.
    pub fn next_hop(&self, dst: NodeId, now: Time) -> Option<NodeId> {
        self.paths.get(dst, now).map(|path| path.next_hop)
    }

    /// Bytes that a data packet grows by: in a mesh its frames have a fourth address and Mesh Control.
    pub fn data_header(&self) -> u32 {
        MESH_DATA
    }

    /// Hops that data from here travels.
    pub fn data_ttl(&self) -> Option<u8> {
        Some(self.cfg.mesh_ttl.min(255) as u8)
    }

    /// Packets that wait for a path.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.searches.held()
    }

    fn say_beacon(&mut self, cx: &mut Cx) {
        // Each radio is a mesh station of its own, which counts its own peerings.
        for radio in 0..cx.link.radios() {
            let beacon = Beacon {
                interval: in_tu(self.cfg.beacon_interval).min(u32::from(u16::MAX)) as u16,
                timestamp: cx.now.0 / 1_000,
                peerings: self.peers.established(radio).min(63) as u8,
            };
            let (message, interface) = (HwmpMessage::Beacon(beacon).into(), Some(radio));
            cx.push(RoutingEffect::Broadcast { message, interface, ttl: 1, delay: Span::ZERO });
        }
        // At target times, whatever becomes of single beacons (11.1.3.5).
        let next = cx.now + self.cfg.beacon_interval;
        self.armed.by(timer::BEACON, next, cx.out);
    }

    /// A peering is over: paths over it are, too.
    fn lose_peer(&mut self, link: Link, cx: &mut Cx) {
        cx.note(RoutingNote::LinkLost { neighbour: link.1 });
        self.break_paths(link, cx);
    }

    fn watch_peers(&mut self, cx: &mut Cx) {
        let at = self.peers.next_deadline();
        if at < Time::NEVER {
            self.armed.by(timer::PEERS, at.max(cx.now), cx.out);
        }
    }

    fn broadcast(&self, message: HwmpMessage, cx: &mut Cx) {
        self.broadcast_after(message, Span::ZERO, cx);
    }

    /// A message of another node goes on.
    fn pass_on(&self, message: HwmpMessage, cx: &mut Cx) {
        let delay = cx.part_of(self.cfg.jitter);
        self.broadcast_after(message, delay, cx);
    }

    fn broadcast_after(&self, message: HwmpMessage, delay: Span, cx: &mut Cx) {
        // Their own elements count hops: the packet goes over one.
        cx.push(RoutingEffect::Broadcast { message: message.into(), interface: None, ttl: 1, delay });
    }

    fn unicast(&self, message: HwmpMessage, (interface, to): Link, cx: &mut Cx) {
        send_by(message, Some(interface), to, cx);
    }

    fn next_seq(&mut self) -> u32 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}

/// Sends a message to a neighbour by a radio; none: by the first one that leads there.
fn send_by(message: HwmpMessage, interface: Option<u8>, to: NodeId, cx: &mut Cx) {
    cx.push(RoutingEffect::Unicast { message: message.into(), to, interface, ttl: 1, delay: Span::ZERO });
}

/// A time in TU, at least 1.
fn in_tu(span: Span) -> u32 {
    (span.0 / TU.0).clamp(1, u64::from(u32::MAX)) as u32
}

/// A time that a message gives in TU.
fn of_tu(count: u32) -> Span {
    TU * u64::from(count)
}

/// Whether a sequence number is newer than another (14.10.8.2: they wrap).
fn is_newer(seq: u32, than: u32) -> bool {
    (seq.wrapping_sub(than) as i32) > 0
}
