//! The table of paths, and when what a message says replaces what is known (IEEE 802.11-2020 14.10.8.4).

use super::{Hwmp, Link, is_newer};
use crate::routing::by_node::ByNode;
use crate::routing::{Cx, RouteLoss, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;

/// What is known of the path to a node.
#[derive(Debug, Default)]
pub(super) struct Path {
    /// The node.
    pub(super) node: NodeId,
    /// Neighbour that takes its packets.
    pub(super) next_hop: NodeId,
    /// Radio that leads there.
    pub(super) interface: u8,
    pub(super) hops: u8,
    pub(super) metric: u32,
    /// Sequence number of the node, as far as it is known.
    pub(super) seq: Option<u32>,
    /// It can be used until it expires.
    pub(super) is_active: bool,
    pub(super) expires: Time,
    /// Neighbours that send over it, in the order of nodes (precursors).
    pub(super) users: Vec<NodeId>,
}

impl Path {
    /// The way to the next hop.
    pub(super) fn link(&self) -> Link {
        (self.interface, self.next_hop)
    }

    /// A neighbour sends over it.
    pub(super) fn add_user(&mut self, neighbour: NodeId) {
        if let Err(place) = self.users.binary_search(&neighbour) {
            self.users.insert(place, neighbour);
        }
    }
}

/// The paths of a node.
#[derive(Debug, Default)]
pub(super) struct Paths(ByNode<Path>);

impl Paths {
    /// The path to a node, if it can be used now.
    pub(super) fn get(&self, node: NodeId, now: Time) -> Option<&Path> {
        self.0.get(node).filter(|path| path.is_active && path.expires > now)
    }

    /// The same, to change it.
    pub(super) fn usable(&mut self, node: NodeId, now: Time) -> Option<&mut Path> {
        self.0.get_mut(node).filter(|path| path.is_active && path.expires > now)
    }

    /// What is known of a node, though its path may be of no use.
    pub(super) fn known(&self, node: NodeId) -> Option<&Path> {
        self.0.get(node)
    }

    pub(super) fn known_mut(&mut self, node: NodeId) -> Option<&mut Path> {
        self.0.get_mut(node)
    }

    /// All that are active, to change them.
    pub(super) fn active(&mut self) -> impl Iterator<Item = &mut Path> {
        self.0.values_mut().iter_mut().filter(|path| path.is_active)
    }
}

/// What a message says of a path to a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Notice {
    pub(super) node: NodeId,
    /// None: the node is the neighbour that was heard.
    pub(super) seq: Option<u32>,
    pub(super) hops: u8,
    pub(super) metric: u32,
    /// The neighbour that said it, and the radio that this came by.
    pub(super) link: Link,
    pub(super) expires: Time,
}

impl Hwmp {
    /// Takes what a message says of a path; false where what is known is newer or better.
    pub(super) fn learn(&mut self, notice: &Notice, cx: &mut Cx) -> bool {
        let now = cx.now;
        self.note_expired(notice.node, cx);
        let hysteresis = self.cfg.metric_hysteresis;
        let known = self.paths.0.slot(notice.node);
        if !is_better(known, notice, now, hysteresis) {
            return false;
        }
        let before = known.is_active.then_some((known.link(), known.hops));
        // A message on another way says nothing of the life of the old one.
        let expires = if before.is_some_and(|old| old.0 == notice.link) {
            known.expires.max(notice.expires)
        } else {
            notice.expires
        };
        let users = std::mem::take(&mut known.users);
        let Notice { node, hops, metric, link: (interface, next_hop), .. } = *notice;
        let seq = notice.seq.or(known.seq);
        *known = Path { node, next_hop, interface, hops, metric, seq, is_active: true, expires, users };
        match before {
            Some(((_, old), _)) if old != next_hop => cx.note(RoutingNote::RouteUp { dst: node, next_hop, hops }),
            Some((_, old)) if old != hops => cx.note(RoutingNote::HopsChanged { dst: node, next_hop, hops }),
            Some(_) => {}
            None => cx.note(RoutingNote::RouteUp { dst: node, next_hop, hops }),
        }
        self.found(node, cx);
        true
    }

    /// Notes that a path has not been renewed in time.
    pub(super) fn note_expired(&mut self, dst: NodeId, cx: &mut Cx) {
        if let Some(path) = self.paths.known_mut(dst).filter(|path| path.is_active && path.expires <= cx.now) {
            path.is_active = false;
            cx.note(RoutingNote::RouteDown { dst, cause: RouteLoss::Expired });
        }
    }
}

/// Whether notice replace what is known.
fn is_better(known: &Path, notice: &Notice, now: Time, hysteresis: f64) -> bool {
    let is_usable = known.is_active && known.expires > now;
    let Some(seq) = notice.seq else {
        // Of a neighbour itself: nothing can be shorter in hops, and no loop comes of it.
        return !is_usable || notice.metric < known.metric || known.link() == notice.link;
    };
    let Some(before) = known.seq else { return true };
    if seq != before || !is_usable {
        return !is_newer(before, seq);
    }
    let share = if known.link() == notice.link { 0.0 } else { hysteresis };
    f64::from(notice.metric) < f64::from(known.metric) * (1.0 - share)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(100);

    #[test]
    fn newer_wins_then_better() {
        let path = |seq, next_hop, metric, until| Path {
            node: NodeId(9),
            next_hop: NodeId(next_hop),
            interface: 0,
            hops: 2,
            metric,
            seq,
            is_active: true,
            expires: Time(until),
            users: Vec::new(),
        };
        let notice = |seq, next_hop, metric| Notice {
            node: NodeId(9),
            seq,
            hops: 2,
            metric,
            link: (0, NodeId(next_hop)),
            expires: Time(500),
        };
        let known = path(Some(5), 1, 100, 200);
        for (seq, next_hop, metric, taken) in [
            (6, 2, 900, true),
            (5, 2, 99, true),
            (5, 2, 100, false),
            (4, 2, 1, false),
            (u32::MAX, 2, 1, false),
            (5, 1, 100, false),
        ] {
            let notice = notice(Some(seq), next_hop, metric);
            assert_eq!(is_better(&known, &notice, NOW, 0.0), taken, "{notice:?}");
        }
        // A tenth better at least over another neighbour, not over the same one.
        assert!(!is_better(&known, &notice(Some(5), 2, 90), NOW, 0.1));
        assert!(is_better(&known, &notice(Some(5), 2, 89), NOW, 0.1));
        assert!(is_better(&known, &notice(Some(5), 1, 99), NOW, 0.1));
        // What has expired gives way to whatever is not older.
        let expired = path(Some(5), 1, 100, 100);
        assert!(is_better(&expired, &notice(Some(5), 2, 900), NOW, 0.0));
        assert!(!is_better(&expired, &notice(Some(4), 2, 1), NOW, 0.0));
        // A neighbour that was heard itself.
        assert!(!is_better(&known, &notice(None, 9, 100), NOW, 0.0));
        assert!(is_better(&known, &notice(None, 9, 99), NOW, 0.0));
        assert!(is_better(&path(None, 9, 100, 200), &notice(None, 9, 300), NOW, 0.0), "its metric now");
    }
}
