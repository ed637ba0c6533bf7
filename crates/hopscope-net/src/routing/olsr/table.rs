//! When routes are calculated, and what is noted of them.
//!
//! By hops the table is brought up to date when a packet needs it, or shortly after a change for the records. By quality,
//! where something changes all the time, it is calculated at intervals, as olsrd does, and packets follow the table that is
//! there.

use super::links::Link;
use super::quality::{BROKEN, Cost, Pricing};
use super::routes::{self, Change, Route, Routes};
use super::timer::ROUTES;
use super::topology::Topology;
use super::weighted::{self, Weighted};
use super::{Olsr, mpr};
use crate::routing::{Cx, RouteLoss, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;
use hopscope_packet::olsr::{LinkQuality, Tc};

/// Longest wait of the records for a change of routes by hops. Packets do not wait.
const NOTE_DELAY: Span = Span::from_millis(100);

/// The routing table, by what routes are short by.
#[derive(Debug)]
pub(super) enum Table {
    Hops(Routes),
    Quality(Weighted),
}

impl Table {
    pub(super) fn new(pricing: Option<Pricing>) -> Self {
        pricing.map_or_else(|| Table::Hops(Routes::default()), |pricing| Table::Quality(Weighted::new(pricing)))
    }

    #[inline]
    pub(super) fn get(&self, dst: NodeId) -> Option<Route> {
        match self {
            Table::Hops(routes) => routes.get(dst),
            Table::Quality(routes) => routes.get(dst),
        }
    }

    fn are_current(&self) -> bool {
        match self {
            Table::Hops(routes) => routes.are_current(),
            Table::Quality(routes) => routes.are_current(),
        }
    }

    /// Neighbours changed, what they reach, or which are preferred.
    pub(super) fn neighbours_changed(&mut self) {
        match self {
            Table::Hops(routes) => routes.neighbours_changed(),
            Table::Quality(routes) => routes.neighbours_changed(),
        }
    }

    /// `last` advertises the links of `new` in place of those of `old`.
    pub(super) fn links_changed(&mut self, me: NodeId, last: NodeId, old: &Tc, new: &Tc) {
        match self {
            Table::Hops(routes) => routes.links_changed(me, last, &old.advertised, &new.advertised),
            Table::Quality(routes) => routes.links_changed(me, last, old, new),
        }
    }

    fn calculate(&mut self, olsr: &Olsr, topology: &Topology) -> Vec<Change> {
        match self {
            Table::Hops(routes) => routes.calculate(olsr.node, &olsr.plain_neighbours(), topology),
            Table::Quality(routes) => routes.calculate(olsr.node, &olsr.weighted_neighbours(), topology),
        }
    }
}

impl Olsr {
    pub(super) fn neighbourhood_changed(&mut self, cx: &mut Cx) {
        self.relays_stale = true;
        self.routes.neighbours_changed();
        self.note_routes(cx);
    }

    /// Routes may change: asks for their calculation.
    pub(super) fn note_routes(&mut self, cx: &mut Cx) {
        if self.pricing.is_none() {
            self.armed.by(ROUTES, cx.now + NOTE_DELAY, cx.out);
        } else if !self.routes.are_current() {
            let at = self.calculated.map_or(cx.now, |last| cx.now.max(last + self.cfg.route_gap));
            self.armed.by(ROUTES, at, cx.out);
        }
    }

    pub(super) fn calculate_routes(&mut self, cx: &mut Cx) {
        if self.routes.are_current() {
            return;
        }
        self.calculated = Some(cx.now);
        let mut table = std::mem::replace(&mut self.routes, Table::new(None));
        let changes = table.calculate(self, &self.topology);
        self.routes = table;
        for Change { dst, old, new } in changes {
            match (old, new) {
                (_, Some(route)) if old.map(|old| old.next_hop) != Some(route.next_hop) => {
                    cx.note(RoutingNote::RouteUp { dst, next_hop: route.next_hop, hops: route.hops });
                }
                (Some(_), Some(route)) => {
                    cx.note(RoutingNote::HopsChanged { dst, next_hop: route.next_hop, hops: route.hops });
                }
                (Some(old), None) => {
                    let here = !self.is_neighbour(old.next_hop);
                    let cause = if here { RouteLoss::LinkLost } else { RouteLoss::Reported };
                    cx.note(RoutingNote::RouteDown { dst, cause });
                }
                (None, _) => {}
            }
        }
    }

    /// The symmetric neighbours in the order in which they are preferred as next hops (RFC 3626 10): willing ones and
    /// selectors first; the lowest number breaks ties.
    fn preferred(&self) -> Vec<&Link> {
        let mut neighbours: Vec<&Link> = self.neighbours().collect();
        neighbours.sort_by_key(|link| std::cmp::Reverse((link.willingness, self.is_selector(link.node))));
        neighbours
    }

    fn plain_neighbours(&self) -> Vec<routes::Neighbour<'_>> {
        let of = self.preferred().into_iter();
        let relays = |link: &Link| link.willingness != mpr::WILL_NEVER;
        of.map(|link| routes::Neighbour { node: link.node, relays: relays(link), reaches: &link.reaches }).collect()
    }

    /// The same with what the links to them cost.
    pub(super) fn weighted_neighbours(&self) -> Vec<weighted::Neighbour<'_>> {
        let mut neighbours = Vec::new();
        for link in self.preferred() {
            if let Some(measured) = &link.measured {
                let (cost, reaches) = (measured.cost, measured.reaches.as_slice());
                let relays = link.willingness != mpr::WILL_NEVER;
                neighbours.push(weighted::Neighbour { node: link.node, relays, cost, reaches });
            }
        }
        neighbours
    }

    /// What messages say of the link to a node.
    pub(super) fn announced(&self, node: NodeId) -> LinkQuality {
        let link = self.place(node).ok().and_then(|at| self.links[at].measured.as_ref());
        link.map_or(LinkQuality::default(), |measured| measured.announced())
    }

    /// What the link to a node costs.
    pub(super) fn cost_of(&self, node: NodeId) -> Cost {
        let link = self.place(node).ok().and_then(|at| self.links[at].measured.as_ref());
        link.map_or(BROKEN, |measured| measured.cost)
    }
}
