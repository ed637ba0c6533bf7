//! The paths that packets of this node take. A path is kept while all its links are known and none shorter is.

use super::{Arc, Cx, Dsr, NodeId, RouteLoss, RoutingNote, SWEEP, Scratch};
use hopscope_core::units::Time;
use hopscope_packet::dsr::BrokenLink;

/// The path in use to a destination.
#[derive(Debug)]
pub(super) struct Route {
    dst: NodeId,
    path: Arc<[NodeId]>,
    /// No link of it expires before.
    until: Time,
    /// Links the cache had gained when it was last found to be among the shortest.
    added: u64,
}

impl Dsr {
    /// The path to `dst` for a packet that leaves now.
    pub(super) fn path_to(&mut self, dst: NodeId, cx: &mut Cx) -> Option<Arc<[NodeId]>> {
        let unchanged = |route: &&Route| route.added == self.cache.added() && route.until > cx.now;
        let in_use = self.route_place(dst).ok().map(|at| &self.routes[at]).filter(unchanged);
        let path = match in_use {
            Some(route) => route.path.clone(),
            None => self.settle(dst, RouteLoss::Expired, cx)?,
        };
        self.cache.used(&path, cx.now);
        Some(path)
    }

    /// The path in use if its links are known and none is shorter, else the best one.
    pub(super) fn choice(&self, dst: NodeId, now: Time, scratch: &mut Scratch) -> Option<Arc<[NodeId]>> {
        let shortest = self.cache.find(self.node, dst, now, scratch)?;
        let old = self.route_place(dst).ok().map(|at| &self.routes[at].path);
        // Equally short paths are not swapped: a flow's packets would overtake each other.
        let keeps = |old: &&Arc<[NodeId]>| old.len() <= shortest.len() && self.cache.path_until(old, now).is_some();
        Some(old.filter(keeps).cloned().unwrap_or_else(|| shortest.into()))
    }

    /// A link is gone: the routes over it change or end.
    pub(super) fn reroute(&mut self, broken: BrokenLink, cause: RouteLoss, cx: &mut Cx) {
        let uses = |route: &Route| {
            let is_it =
                |link: &[NodeId]| [[broken.from, broken.to], [broken.to, broken.from]].iter().any(|b| link == b);
            route.path.windows(2).any(is_it)
        };
        let hit: Vec<NodeId> = self.routes.iter().filter(|route| uses(route)).map(|route| route.dst).collect();
        for dst in hit {
            self.settle(dst, cause, cx);
        }
    }

    /// Looks again at routes whose links may have expired.
    pub(super) fn expire_routes(&mut self, cx: &mut Cx) {
        let late: Vec<NodeId> = self.routes.iter().filter(|r| r.until <= cx.now).map(|r| r.dst).collect();
        for dst in late {
            self.settle(dst, RouteLoss::Expired, cx);
        }
        if let Some(at) = self.routes.iter().map(|route| route.until).min() {
            self.armed.by(SWEEP, at, cx.out);
        }
    }

    /// Chooses the path to `dst` anew; `cause` is why the one in use may have ended.
    pub(super) fn settle(&mut self, dst: NodeId, cause: RouteLoss, cx: &mut Cx) -> Option<Arc<[NodeId]>> {
        // Out of `self`, as the search reads the rest of it.
        let mut scratch = std::mem::take(&mut self.scratch);
        let path = self.choice(dst, cx.now, &mut scratch);
        self.scratch = scratch;
        let place = self.route_place(dst);
        let Some(path) = path else {
            if let Ok(at) = place {
                self.routes.remove(at);
                cx.note(RoutingNote::RouteDown { dst, cause });
            }
            return None;
        };
        let before = place.ok().map(|at| (self.routes[at].path[1], self.routes[at].path.len()));
        let until = self.cache.path_until(&path, cx.now).unwrap_or(cx.now);
        let (next_hop, length) = (path[1], path.len());
        let hops = u8::try_from(length - 1).unwrap_or(u8::MAX);
        let route = Route { dst, path: path.clone(), until, added: self.cache.added() };
        match place {
            Ok(at) => self.routes[at] = route,
            Err(at) => {
                self.routes.insert(at, route);
                // A target that answers at last starts the next search without the back-off of the old ones.
                self.searches.forget(dst);
            }
        }
        self.armed.by(SWEEP, until, cx.out);
        match before {
            Some((hop, before)) if hop == next_hop => {
                if before != length {
                    cx.note(RoutingNote::HopsChanged { dst, next_hop, hops });
                }
            }
            Some(_) | None => cx.note(RoutingNote::RouteUp { dst, next_hop, hops }),
        }
        Some(path)
    }

    fn route_place(&self, dst: NodeId) -> Result<usize, usize> {
        self.routes.binary_search_by_key(&dst, |route| route.dst)
    }
}
