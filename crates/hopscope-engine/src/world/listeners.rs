//! Who listens at all.
//!
//! Under static routes only the nodes on the way of a flow ever send, receive or forward. Nothing that another node hears
//! can have an effect, so frames need not be announced to it: in a large field that is most of the work.

use crate::channel::{Link, Medium};
use crate::ids::NodeId;
use crate::routing::FixedRoutes;

/// The nodes to which frames are announced.
#[derive(Debug)]
pub(super) enum Listeners {
    /// All of them.
    Everyone,
    /// Those that may act one day.
    Some {
        /// One place for each node.
        listens: Vec<bool>,
        /// The links that lead to them.
        links: Medium,
    },
}

impl Listeners {
    /// The nodes on the ways of `routes`.
    pub(super) fn on_the_way(medium: &Medium, routes: &FixedRoutes) -> Self {
        let listens = routes.on_the_way();
        if listens.iter().all(|&on| on) {
            return Listeners::Everyone;
        }
        Listeners::Some { links: medium.only_to(&listens), listens }
    }

    /// Counts in the nodes of ways that were installed since.
    pub(super) fn join(&mut self, medium: &Medium, routes: &FixedRoutes) {
        if matches!(self, Listeners::Some { .. }) {
            *self = Self::on_the_way(medium, routes);
        }
    }

    /// The listeners that hear `node`.
    #[inline(always)]
    pub(super) fn hearers<'a>(&'a self, medium: &'a Medium, node: NodeId) -> &'a [Link] {
        match self {
            Listeners::Everyone => medium.hearers(node),
            Listeners::Some { links, .. } => links.hearers(node),
        }
    }

    /// True when `node` listens.
    #[inline]
    pub(super) fn include(&self, node: NodeId) -> bool {
        match self {
            Listeners::Everyone => true,
            Listeners::Some { listens, .. } => listens[node.index()],
        }
    }
}
