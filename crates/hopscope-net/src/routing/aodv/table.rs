//! Routing table: one entry per destination heard of, kept in the order of node numbers.

use smallvec::SmallVec;

use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;

/// Hop count of a destination that cannot be reached.
pub(super) const UNREACHABLE: u8 = u8::MAX;

/// A route.
#[derive(Debug, Clone)]
pub struct Route {
    /// Where it leads.
    pub dst: NodeId,
    /// Neighbour that takes packets.
    pub next_hop: NodeId,
    /// Hops to the destination; 255 during a repair under `repair = "near"`, meaningless when down.
    pub hops: u8,
    /// Hops it had when it last went down; 255: it never has.
    pub last_hops: u8,
    /// Last sequence number of the destination; 0: none.
    pub seq: u32,
    /// The number stands for this route or for its loss; otherwise it is only remembered (RFC 3561 6.2).
    pub seq_valid: bool,
    /// Whether it can be used.
    pub state: RouteState,
    /// An up route may be used, a down route is remembered until then.
    pub expires: Time,
    /// Neighbours that send packets for the destination through here.
    pub precursors: SmallVec<[NodeId; 4]>,
}

/// Whether a route can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteState {
    /// Packets can take it.
    Up,
    /// Broken; this node searches a new way and holds the packets.
    Repairing,
    /// Expired, broken or never known.
    Down,
}

impl Route {
    fn unknown(dst: NodeId) -> Self {
        Route {
            dst,
            next_hop: NodeId::BROADCAST,
            hops: UNREACHABLE,
            last_hops: UNREACHABLE,
            seq: 0,
            seq_valid: false,
            state: RouteState::Down,
            expires: Time::ZERO,
            precursors: SmallVec::new(),
        }
    }

    /// Hops to compare with a new offer: a route that is down loses against any.
    pub(super) fn metric(&self) -> u8 {
        if self.state == RouteState::Down { UNREACHABLE } else { self.hops }
    }

    /// True when it can carry replies: up, or under a repair in which it keeps its hop count.
    pub(super) fn answers(&self) -> bool {
        self.metric() != UNREACHABLE
    }

    /// True when an offer of `hops` with `seq` is fresher, or as fresh and shorter (RFC 3561 6.2).
    pub(super) fn loses_to(&self, seq: u32, hops: u8) -> bool {
        newer(seq, self.seq) || (seq == self.seq && hops < self.metric())
    }

    /// Takes the route out of use while this node searches a new way, which any answer is fresh enough for.
    pub(super) fn await_repair(&mut self) {
        self.last_hops = self.hops;
        self.hops = UNREACHABLE;
        self.state = RouteState::Repairing;
    }

    /// Takes the route out of use; it is remembered until `until`.
    pub(super) fn fall(&mut self, until: Time) {
        if self.metric() != UNREACHABLE {
            self.last_hops = self.hops;
        }
        self.state = RouteState::Down;
        self.expires = until;
    }

    /// Extends the lifetime; never shortens it.
    pub(super) fn live_until(&mut self, at: Time) {
        self.expires = self.expires.max(at);
    }

    pub(super) fn add_precursor(&mut self, neighbour: NodeId) {
        if !self.precursors.contains(&neighbour) {
            self.precursors.push(neighbour);
        }
    }

    pub(super) fn remove_precursor(&mut self, neighbour: NodeId) {
        self.precursors.retain(|p| *p != neighbour);
    }

    /// The route is gone: its number rises above that of every node that sends through here. A number that is only
    /// remembered rose when the route before was lost, and nobody has had it from here since.
    pub(super) fn lose(&mut self) {
        if self.seq_valid {
            // 0 stands for no number at all.
            self.seq = self.seq.wrapping_add(1).max(1);
        }
        self.seq_valid = self.seq != 0;
    }
}

/// True when sequence number `a` is fresher than `b`; numbers wrap (RFC 3561 6.1).
pub(super) fn newer(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) > 0
}

/// All routes of a node.
#[derive(Debug, Default)]
pub(super) struct RouteTable {
    routes: Vec<Route>,
}

impl RouteTable {
    #[inline]
    pub(super) fn get(&self, dst: NodeId) -> Option<&Route> {
        self.place(dst).ok().map(|at| &self.routes[at])
    }

    #[inline]
    pub(super) fn get_mut(&mut self, dst: NodeId) -> Option<&mut Route> {
        self.place(dst).ok().map(|at| &mut self.routes[at])
    }

    /// The entry for `dst`, made when there is none.
    pub(super) fn entry(&mut self, dst: NodeId) -> &mut Route {
        let at = self.place(dst).unwrap_or_else(|at| {
            self.routes.insert(at, Route::unknown(dst));
            at
        });
        &mut self.routes[at]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Route> {
        self.routes.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Route> {
        self.routes.iter_mut()
    }

    pub(super) fn retain(&mut self, keep: impl FnMut(&Route) -> bool) {
        self.routes.retain(keep);
    }

    #[inline]
    fn place(&self, dst: NodeId) -> Result<usize, usize> {
        self.routes.binary_search_by_key(&dst, |route| route.dst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freshness_wraps_around() {
        assert!(newer(2, 1) && !newer(1, 2) && !newer(5, 5));
        assert!(newer(3, u32::MAX - 2), "numbers wrap");
    }

    #[test]
    fn a_route_loses_to_fresher_or_shorter_offers_only() {
        let mut table = RouteTable::default();
        let route = table.entry(NodeId(7));
        assert!(route.loses_to(0, 9), "an unknown destination takes anything");
        (route.seq, route.hops, route.state) = (10, 3, RouteState::Up);
        assert!(route.loses_to(11, 9));
        assert!(route.loses_to(10, 2));
        assert!(!route.loses_to(10, 3));
        assert!(!route.loses_to(9, 1));
        route.state = RouteState::Down;
        assert!(route.loses_to(10, 3), "a route that is down takes an equal number");
        assert!(!route.loses_to(9, 1), "but never an older one");
    }

    #[test]
    fn entries_stay_in_order() {
        let mut table = RouteTable::default();
        for node in [5, 1, 3, 1] {
            table.entry(NodeId(node));
        }
        assert_eq!(table.iter().map(|r| r.dst.0).collect::<Vec<_>>(), [1, 3, 5]);
        assert!(table.get(NodeId(2)).is_none());
    }
}
