//! What a node reports to the source of packets that no route takes any more (`net.route_notices = "packets"`).

use super::Ports;
use hopscope_core::ids::NodeId;

/// A notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathNotice {
    /// What it reports.
    pub kind: PathNoticeKind,
    /// Source of the packets, whom it is for.
    pub source: NodeId,
    /// Their destination.
    pub dst: NodeId,
    /// Their ports.
    pub ports: Ports,
}

/// What a notice reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathNoticeKind {
    /// ICMP: the host cannot be reached (RFC 792); with the beginning of a packet, which is the extra part.
    Unreachable,
    /// TCP-F: the route has failed (RFN).
    RouteFailed,
    /// TCP-F: there is a route again (RRN).
    RouteFound,
}

impl PathNoticeKind {
    /// Its word in records.
    pub const fn word(self) -> &'static str {
        match self {
            PathNoticeKind::Unreachable => "unreachable",
            PathNoticeKind::RouteFailed => "rfn",
            PathNoticeKind::RouteFound => "rrn",
        }
    }
}
