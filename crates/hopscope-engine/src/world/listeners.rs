//! Who listens at all.
//!
//! Under static routes only the nodes on the way of a flow ever send, receive or forward. Nothing that another node hears
//! can have an effect, so frames need not be announced to it: in a large field that is most of the work.

use hopscope_core::ids::NodeId;
use hopscope_phy::channel::{Link, Medium};

use super::places::Places;

/// The nodes to which frames are announced.
#[derive(Debug)]
pub(super) enum Listeners {
    /// All of them.
    Everyone,
    /// Those that may act one day.
    Some {
        /// One place for each node.
        listens: Vec<bool>,
        lists: Lists,
    },
}

/// The links between listeners, one list for each of them. The lists lie in the order of the places, so that those
/// in use lie together.
#[derive(Debug)]
pub(super) struct Lists {
    starts: Vec<u32>,
    links: Vec<Link>,
}

impl Lists {
    fn new(medium: &Medium, listens: &[bool], places: &Places) -> Self {
        let mut starts = Vec::with_capacity(listens.len() + 1);
        let mut links = Vec::new();
        starts.push(0);
        for node in places.in_order() {
            // Who does not listen does not send either.
            if listens[node.index()] {
                medium.hearers_among(node, |other| listens[other.index()], &mut links);
            }
            starts.push(links.len() as u32);
        }
        // The lists stay for the whole run; growing has left up to half of their memory idle.
        links.shrink_to_fit();
        Lists { starts, links }
    }

    #[inline(always)]
    fn of(&self, place: u32) -> &[Link] {
        let place = place as usize;
        &self.links[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

impl Listeners {
    /// Those nodes for which `listens` holds.
    pub(super) fn of(medium: &Medium, listens: Vec<bool>, places: &Places) -> Self {
        if listens.iter().all(|&on| on) {
            return Listeners::Everyone;
        }
        Listeners::Some { lists: Lists::new(medium, &listens, places), listens }
    }

    /// The listeners that hear `node`, whose place is given: who may send has a list.
    #[inline(always)]
    pub(super) fn hearers<'a>(&'a self, medium: &'a Medium, node: NodeId, place: u32) -> &'a [Link] {
        match self {
            Listeners::Everyone => medium.known_hearers(node),
            Listeners::Some { lists, .. } => lists.of(place),
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
