//! Notices of failed routes as packets (`net.route_notices = "packets"`): a node that drops a packet for want of a route notifies its
//! source, by ICMP, or under TCP-F by notifications that go from node to node.
//!
//! | notice | made by | what nodes on its way do |
//! |---|---|---|
//! | host unreachable | the node that drops | forward it as any packet |
//! | route failure (RFN) | the node that drops | one with another way to the destination ends it; others keep it in mind and pass it on |
//! | route re-establishment (RRN) | a node that has it in mind and has a route again | forget the failure and pass it on |
//!
//! A node whose own packet it drops knows without a packet. Nothing is sent about notices (RFC 1122 3.2.2), and of one source and destination
//! only so often (RFC 1812 4.3.2.8).

use std::collections::BTreeMap;

use super::World;
use crate::config::{FlowConfig, NetConfig};
use crate::record::{Record, Recorder};
use hopscope_core::ids::{FlowId, NodeId, PacketId, SocketId};
use hopscope_core::units::{Span, Time};
use hopscope_net::config::net::RouteNotices;
use hopscope_packet::{Body, DropReason, Packet, PathNotice, PathNoticeKind};
use hopscope_tcp::config::tcp::RouteFailure;
use hopscope_tcp::endpoint::PathEvent;

/// ICMP: header, and octets behind the header of the packet that is quoted (RFC 792).
const ICMP_HEADER: u32 = 8;
const QUOTED: u32 = 8;
/// Octets of RFN and RRN below their UDP header.
const NOTIFICATION: u32 = 16;

/// What nodes remember of what they have reported.
#[derive(Debug)]
pub(super) struct Notices {
    gap: Span,
    /// By node, source and destination: when it was notified last.
    last_sent: BTreeMap<(NodeId, NodeId, NodeId), Time>,
    /// Failures that nodes keep in mind, by node and destination.
    failed: BTreeMap<(NodeId, NodeId), Vec<PathNotice>>,
}

impl Notices {
    /// Where the configuration wants packets.
    pub(super) fn new(cfg: &NetConfig) -> Option<Box<Self>> {
        let notices = || Box::new(Notices { gap: cfg.notice_gap, last_sent: BTreeMap::new(), failed: BTreeMap::new() });
        (cfg.route_notices == RouteNotices::Packets).then(notices)
    }

    /// The node may report this now.
    fn may_send(&mut self, key: (NodeId, NodeId, NodeId), now: Time) -> bool {
        let may = self.last_sent.get(&key).is_none_or(|last| now.saturating_since(*last) >= self.gap);
        if may {
            self.last_sent.insert(key, now);
        }
        may
    }

    fn keep(&mut self, node: NodeId, notice: PathNotice) {
        let kept = self.failed.entry((node, notice.dst)).or_default();
        // A failure may come by two ways; one re-establishment answers both.
        if !kept.contains(&notice) {
            kept.push(notice);
        }
    }

    /// Forgets a failure that is over.
    fn forget(&mut self, node: NodeId, found: PathNotice) {
        if let Some(kept) = self.failed.get_mut(&(node, found.dst)) {
            kept.retain(|failed| (failed.source, failed.ports) != (found.source, found.ports));
        }
    }
}

impl<R: Recorder> World<R> {
    /// The source of a packet that is dropped for this reason is to be notified.
    #[cold]
    pub(super) fn must_notify(&self, node: NodeId, packet: PacketId, reason: DropReason) -> bool {
        let is_for_want_of_a_route = match reason {
            DropReason::NoRoute
            | DropReason::LinkFailed
            | DropReason::RouteBufferTimeout
            | DropReason::ArpUnresolved => true,
            DropReason::QueueFull
            | DropReason::RetryLimit
            | DropReason::TtlExpired
            | DropReason::ArpReplaced
            | DropReason::RouteBufferFull
            | DropReason::Loop
            | DropReason::EarlyRed
            | DropReason::EarlyNred
            | DropReason::EarlyLred
            | DropReason::EarlyCodel
            | DropReason::EarlyFqCodel
            | DropReason::WireLoss
            | DropReason::Lifetime
            | DropReason::Reassembly => false,
        };
        let packet = self.packets.get(packet);
        // What has no flow is a message or a notice itself, about which nothing is sent (RFC 1122 3.2.2).
        is_for_want_of_a_route && packet.flow != FlowId::NONE && self.nodes[node].router().is_some()
    }

    /// A node has dropped a packet for want of a route.
    pub(super) fn on_unroutable(&mut self, node: NodeId, id: PacketId) {
        let packet = *self.packets.get(id);
        self.packets.release(id);
        let key = (node, packet.src, packet.dst);
        if !self.notices.as_mut().is_some_and(|notices| notices.may_send(key, self.now)) {
            return;
        }
        let kind = match self.is_tcp_f(packet.flow) {
            true => PathNoticeKind::RouteFailed,
            false => PathNoticeKind::Unreachable,
        };
        let notice = PathNotice { kind, source: packet.src, dst: packet.dst, ports: packet.ports };
        match kind {
            PathNoticeKind::Unreachable if node != packet.src => self.send_icmp(node, notice, packet),
            PathNoticeKind::Unreachable => self.hand_up(node, notice),
            PathNoticeKind::RouteFailed | PathNoticeKind::RouteFound => self.pass_on(node, notice),
        }
    }

    /// A notice has come to a node, from this neighbour.
    pub(super) fn on_path_notice(&mut self, node: NodeId, from: NodeId, notice: PathNotice) {
        match notice.kind {
            PathNoticeKind::Unreachable => self.hand_up(node, notice),
            PathNoticeKind::RouteFailed => {
                // A way over the neighbour that reports the failure is the one that has failed.
                let other_way = self.next_hop_of(node, notice.dst).is_some_and(|next| next != from);
                if !other_way {
                    self.pass_on(node, notice);
                }
            }
            PathNoticeKind::RouteFound => self.pass_on(node, notice),
        }
    }

    /// The routing of a node has lost its way to `dst` or has one again; gives what its sockets hear at once: nothing to act on.
    pub(super) fn on_route_change_notice(&mut self, node: NodeId, dst: NodeId, event: PathEvent) -> Option<PathEvent> {
        // What has failed is reported by packets alone; to the sockets of the node itself it looks like a route that
        // nobody used.
        if event != PathEvent::RouteFound {
            return Some(PathEvent::RouteExpired);
        }
        let kept = self.notices.as_mut().and_then(|notices| notices.failed.remove(&(node, dst)));
        for failed in kept.into_iter().flatten() {
            self.pass_on(node, PathNotice { kind: PathNoticeKind::RouteFound, ..failed });
        }
        None
    }

    /// The neighbour that takes packets of a node for `dst`.
    fn next_hop_of(&self, node: NodeId, dst: NodeId) -> Option<NodeId> {
        self.nodes[node].router().and_then(|router| router.next_hop(dst, self.now))
    }

    /// A flow, or the one that it replies to, runs TCP-F.
    fn is_tcp_f(&self, flow: FlowId) -> bool {
        let is_one = |flow: &FlowConfig| flow.transport.is_tcp() && flow.tcp.route_failure == RouteFailure::TcpF;
        self.settings_of(flow).is_some_and(is_one)
    }

    /// The settings of a flow, or of the one that it replies to.
    fn settings_of(&self, flow: FlowId) -> Option<&FlowConfig> {
        let asked = self.flows.get(flow.index()).and_then(|flow| flow.reply_to).unwrap_or(flow);
        self.settings.flows.get(asked.index())
    }

    /// Sends an ICMP message that quotes the packet.
    fn send_icmp(&mut self, node: NodeId, notice: PathNotice, failed: Packet) {
        let header = self.nodes[node].ip.header;
        // The option is a part of the header that is quoted; ATP has its path in its own header.
        let has_option = failed.path.is_some() && !matches!(failed.body, Body::Atp(_));
        let option = self.settings_of(failed.flow).filter(|_| has_option).map_or(0, |flow| flow.tcp.path_option);
        let quoted = header + option + QUOTED;
        let bytes = header + ICMP_HEADER + quoted;
        self.note(Record::RoutingSent { node, kind: notice.kind.word(), bytes });
        let extension = self.packets.keep_failed(failed);
        let packet = Packet::new(node, notice.source, bytes, 0, Body::PathNotice(notice), self.now);
        self.originate(Packet { extension, ..packet });
    }

    /// A notification of TCP-F goes on from a node, which keeps it in mind; without a way back it ends there.
    fn pass_on(&mut self, node: NodeId, notice: PathNotice) {
        if let Some(notices) = &mut self.notices {
            match notice.kind {
                PathNoticeKind::RouteFound => notices.forget(node, notice),
                PathNoticeKind::RouteFailed | PathNoticeKind::Unreachable => notices.keep(node, notice),
            }
        }
        if node == notice.source {
            // Before the look for a next hop: at the source there is none.
            return self.hand_up(node, notice);
        }
        let Some(next) = self.next_hop_of(node, notice.source) else { return };
        let bytes = self.nodes[node].ip.header + self.wiring.udp_header + NOTIFICATION;
        self.note(Record::RoutingSent { node, kind: notice.kind.word(), bytes });
        // One hop: every node on the way keeps it in mind and sends it on itself.
        let packet = Packet::new(node, next, bytes, 1, Body::PathNotice(notice), self.now);
        let id = self.admit(packet);
        self.resolve(node, id);
    }

    /// The socket whose packets are meant hears of it. The two of a connection have neighbouring numbers.
    fn hand_up(&mut self, node: NodeId, notice: PathNotice) {
        let id = SocketId(notice.ports.found.0 ^ 1);
        let event = match notice.kind {
            PathNoticeKind::Unreachable | PathNoticeKind::RouteFailed => PathEvent::Unreachable,
            PathNoticeKind::RouteFound => PathEvent::RouteFound,
        };
        debug_assert_eq!((self.sockets[id].node, self.sockets[id].ports), (node, notice.ports));
        self.notify_endpoint(id, event);
    }
}
