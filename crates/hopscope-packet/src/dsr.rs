//! DSR messages (RFC 4728 6), and the source routes that packets carry. The messages follow the IP header directly
//! (protocol 48).

use std::sync::Arc;

use hopscope_core::ids::NodeId;

/// A DSR message.
#[derive(Debug, Clone, PartialEq)]
pub enum DsrMessage {
    /// Route request.
    RouteRequest(RouteRequest),
    /// Route reply.
    RouteReply(RouteReply),
    /// Route error.
    RouteError(RouteError),
}

/// A link that did not take a packet: `from` could not reach `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrokenLink {
    /// Node that found it broken.
    pub from: NodeId,
    /// Its neighbour out of reach.
    pub to: NodeId,
}

/// Route request.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteRequest {
    /// Number of the request; with initiator and target it names it.
    pub id: u16,
    /// Node searched.
    pub target: NodeId,
    /// The initiator and the nodes that repeated this copy, in order.
    pub path: Arc<[NodeId]>,
    /// Error that the initiator repeats for its neighbours.
    pub error: Option<BrokenLink>,
}

/// Route reply. It goes back along the route from the node that answered.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteReply {
    /// From the initiator of the request to its target.
    pub route: Arc<[NodeId]>,
    /// Node that answered: the target, or one on the way to it.
    pub replier: NodeId,
}

/// Route error.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteError {
    /// The link.
    pub link: BrokenLink,
    /// From the node that found it broken to the node whose source route used it.
    pub path: Arc<[NodeId]>,
}

/// The way a packet has to take (DSR Source Route option, RFC 4728 6.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRoute {
    /// Every node of the way, from the one that chose it to the destination; each stands once.
    pub path: Arc<[NodeId]>,
    /// How often the packet was salvaged.
    pub salvage: u8,
}

impl SourceRoute {
    /// Bytes it adds to the packet.
    pub fn bytes(&self) -> u32 {
        SourceRoute::header_bytes(self.path.len(), self.salvage)
    }

    /// The fixed part of the DSR header (RFC 4728 6.1) and the option, which lists the nodes between the ends and, once
    /// salvaged, the node that did it (8.3.6). A neighbour needs no source route (8.1.1).
    fn header_bytes(nodes: usize, salvage: u8) -> u32 {
        // The ends stand in the IP header; once salvaged, its source is no longer the first of the way.
        let listed = (nodes as u32).saturating_sub(if salvage > 0 { 1 } else { 2 });
        if listed == 0 { 0 } else { 4 + 4 + 4 * listed }
    }

    /// The node after `node`; none at the end of the way or off it.
    pub fn after(&self, node: NodeId) -> Option<NodeId> {
        let place = self.path.iter().position(|&n| n == node)?;
        self.path.get(place + 1).copied()
    }
}

impl DsrMessage {
    /// Bytes without IP header: fixed header, option, and the source route that leads a reply or an error to its
    /// destination.
    pub fn bytes(&self) -> u32 {
        match self {
            DsrMessage::RouteRequest(request) => {
                let error = if request.error.is_some() { ERROR_OPTION } else { 0 };
                // The initiator is the source of the IP packet and takes no address here.
                FIXED + REQUEST_OPTION + ADDRESS * (request.path.len() as u32 - 1) + error
            }
            DsrMessage::RouteReply(reply) => {
                // The reply goes back from the node that answered, which need not be the target.
                let nodes = reply.route.iter().position(|&node| node == reply.replier).map_or(0, |place| place + 1);
                header(nodes) + REPLY_OPTION + ADDRESS * (reply.route.len() as u32 - 1)
            }
            DsrMessage::RouteError(error) => header(error.path.len()) + ERROR_OPTION,
        }
    }

    /// Name of the kind in results.
    pub const fn kind(&self) -> &'static str {
        match self {
            DsrMessage::RouteRequest(_) => "rreq",
            DsrMessage::RouteReply(_) => "rrep",
            DsrMessage::RouteError(_) => "rerr",
        }
    }
}

/// Bytes of the fixed header and, beyond one hop, of the source route over this many nodes.
fn header(nodes: usize) -> u32 {
    SourceRoute::header_bytes(nodes, 0).max(FIXED)
}

/// Fixed part of the DSR header (RFC 4728 6.1).
const FIXED: u32 = 4;
/// Route request option without addresses (6.2).
const REQUEST_OPTION: u32 = 8;
/// Route reply option without addresses (6.3).
const REPLY_OPTION: u32 = 3;
/// Route error option about an unreachable node (6.4).
const ERROR_OPTION: u32 = 16;
const ADDRESS: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(ids: &[u32]) -> Arc<[NodeId]> {
        ids.iter().map(|&id| NodeId(id)).collect()
    }

    #[test]
    fn sizes_are_those_of_the_rfc() {
        let request = |ids: &[u32], error| RouteRequest { id: 1, target: NodeId(9), path: nodes(ids), error };
        let broken = BrokenLink { from: NodeId(2), to: NodeId(3) };
        let reply = |ids: &[u32], replier| RouteReply { route: nodes(ids), replier: NodeId(replier) };
        let error = |ids: &[u32]| RouteError { link: broken, path: nodes(ids) };
        let cases = [
            // As it leaves the initiator, and with two addresses.
            (DsrMessage::RouteRequest(request(&[1], None)), 4 + 8),
            (DsrMessage::RouteRequest(request(&[1, 2, 3], None)), 4 + 8 + 2 * 4),
            (DsrMessage::RouteRequest(request(&[1], Some(broken))), 4 + 8 + 16),
            // A neighbour answers; the target answers over one node; the second node answers for a route of three hops.
            (DsrMessage::RouteReply(reply(&[1, 2], 2)), 4 + 3 + 4),
            (DsrMessage::RouteReply(reply(&[1, 2, 3], 3)), 4 + (4 + 4) + 3 + 2 * 4),
            (DsrMessage::RouteReply(reply(&[1, 2, 3, 4], 2)), 4 + 3 + 3 * 4),
            (DsrMessage::RouteError(error(&[2, 1])), 4 + 16),
            (DsrMessage::RouteError(error(&[4, 3, 2, 1])), 4 + (4 + 2 * 4) + 16),
        ];
        for (message, bytes) in cases {
            assert_eq!(message.bytes(), bytes, "{message:?}");
        }
    }
}
