//! What a node knows of all others (originator.c of the kernel): by which neighbours it hears of each, how good those are,
//! and which one takes its data. In a network of a thousand nodes that is most of the memory, and what every OGM asks.

use super::super::by_node::{ByNode, push};
use super::super::{Cx, RouteLoss, RoutingNote};
use super::sequence::Protection;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;

/// What an algorithm keeps of an originator by one neighbour.
pub(super) trait Metric: Default {
    /// What it keeps of the originator itself.
    type Whole: Default + std::fmt::Debug;

    /// How good the neighbour is; 0: it is no way.
    fn value(&self) -> u32;
}

/// A neighbour by which an originator is heard of.
#[derive(Debug)]
pub(super) struct Via<M> {
    pub(super) node: NodeId,
    /// Radio by which it is heard.
    pub(super) interface: u8,
    /// Time to live of the last OGM that counted.
    pub(super) last_ttl: u8,
    pub(super) last_seen: Time,
    pub(super) metric: M,
}

/// A node that is heard of.
#[derive(Debug)]
pub(super) struct Originator<M: Metric> {
    pub(super) node: NodeId,
    /// Its last sequence number, and the time to live that came with it.
    pub(super) last_seq: u32,
    pub(super) last_ttl: u8,
    pub(super) last_seen: Time,
    pub(super) protection: Protection,
    pub(super) whole: M::Whole,
    /// Place of the neighbour that takes its data.
    router: Option<u16>,
    pub(super) vias: Vec<Via<M>>,
}

impl<M: Metric> Originator<M> {
    fn new(node: NodeId, now: Time) -> Self {
        Originator {
            node,
            last_seq: 0,
            last_ttl: 0,
            last_seen: now,
            protection: Protection::default(),
            whole: M::Whole::default(),
            router: None,
            vias: Vec::new(),
        }
    }

    /// Place of a neighbour.
    pub(super) fn via(&self, interface: u8, node: NodeId) -> Option<usize> {
        self.vias.iter().position(|via| via.node == node && via.interface == interface)
    }

    /// The same; it is there from now on.
    pub(super) fn via_or_new(&mut self, interface: u8, node: NodeId, now: Time) -> usize {
        self.via(interface, node).unwrap_or_else(|| {
            let via = Via { node, interface, last_ttl: 0, last_seen: now, metric: M::default() };
            // Most originators have few: what `Vec` would double is left.
            self.vias.reserve_exact(1);
            self.vias.push(via);
            self.vias.len() - 1
        })
    }

    /// The neighbour that takes its data.
    pub(super) fn router(&self) -> Option<&Via<M>> {
        self.router_place().map(|place| &self.vias[place])
    }

    /// Place of that neighbour.
    pub(super) fn router_place(&self) -> Option<usize> {
        self.router.map(usize::from)
    }

    /// When something of it is over.
    fn deadline(&self, timeout: Span) -> Time {
        let oldest = self.vias.iter().map(|via| via.last_seen + timeout).min();
        oldest.unwrap_or(Time::NEVER).min(self.last_seen + timeout * 2)
    }
}

/// All nodes that are heard of.
#[derive(Debug)]
pub(super) struct Originators<M: Metric> {
    /// Time to live with which OGMs begin, from which the hops follow.
    ttl: u8,
    /// Places in `list`, and 1; 0: none.
    places: ByNode<u32>,
    list: Vec<Originator<M>>,
}

impl<M: Metric> Originators<M> {
    pub(super) fn new(ttl: u8) -> Self {
        Originators { ttl, places: ByNode::default(), list: Vec::new() }
    }

    /// Place of a node, if it is known.
    pub(super) fn place(&self, node: NodeId) -> Option<usize> {
        self.places.get(node).and_then(|&place| (place as usize).checked_sub(1))
    }

    /// Place of a node, which is known from now on.
    pub(super) fn place_or_new(&mut self, node: NodeId, now: Time) -> usize {
        let place = self.places.slot(node);
        if *place == 0 {
            push(&mut self.list, Originator::new(node, now));
            *place = self.list.len() as u32;
        }
        *place as usize - 1
    }

    pub(super) fn at(&self, place: usize) -> &Originator<M> {
        &self.list[place]
    }

    pub(super) fn at_mut(&mut self, place: usize) -> &mut Originator<M> {
        &mut self.list[place]
    }

    /// The neighbour that takes data for a node.
    pub(super) fn router(&self, node: NodeId) -> Option<&Via<M>> {
        self.at(self.place(node)?).router()
    }

    /// The same, as an answer for a packet.
    pub(super) fn next_hop(&self, node: NodeId) -> Result<NodeId, DropReason> {
        self.router(node).map(|via| via.node).ok_or(DropReason::NoRoute)
    }

    /// A neighbour takes the data for an originator from now on (batadv_update_route).
    pub(super) fn set_router(&mut self, place: usize, via: usize, cx: &mut Cx) {
        let hops = self.hops(place, via);
        let originator = &mut self.list[place];
        let old = originator.router().map(|via| via.node);
        originator.router = Some(via as u16);
        let (dst, next_hop) = (originator.node, originator.vias[via].node);
        if old != Some(next_hop) {
            cx.note(RoutingNote::RouteUp { dst, next_hop, hops });
        }
    }

    /// An OGM that counted came by a neighbour with this time to live.
    pub(super) fn set_ttl(&mut self, place: usize, via: usize, ttl: u8, cx: &mut Cx) {
        let originator = &mut self.list[place];
        let old = std::mem::replace(&mut originator.vias[via].last_ttl, ttl);
        if old != ttl && originator.router_place() == Some(via) {
            let (dst, next_hop) = (originator.node, originator.vias[via].node);
            let hops = self.hops(place, via);
            cx.note(RoutingNote::HopsChanged { dst, next_hop, hops });
        }
    }

    /// Hops to an originator by a neighbour: its OGM has lost one with each hop but the first.
    fn hops(&self, place: usize, via: usize) -> u8 {
        (self.ttl.saturating_sub(self.list[place].vias[via].last_ttl)).saturating_add(1)
    }

    /// Forgets what is over (batadv_purge_orig_node); when to look again.
    pub(super) fn purge(&mut self, timeout: Span, cx: &mut Cx) -> Option<Time> {
        let mut next = Time::NEVER;
        for place in 0..self.list.len() {
            if self.list[place].vias.is_empty() {
                continue;
            }
            if self.list[place].deadline(timeout) <= cx.now {
                self.purge_one(place, timeout, cx);
            }
            if !self.list[place].vias.is_empty() {
                next = next.min(self.list[place].deadline(timeout));
            }
        }
        (next < Time::NEVER).then_some(next)
    }

    fn purge_one(&mut self, place: usize, timeout: Span, cx: &mut Cx) {
        let originator = &mut self.list[place];
        let dst = originator.node;
        let forgotten = originator.last_seen + timeout * 2 <= cx.now;
        let router = originator.router().map(|via| (via.interface, via.node));
        let is_over = |via: &Via<M>| forgotten || via.last_seen + timeout <= cx.now;
        let was_linked = originator.vias.iter().any(|via| via.node == dst);
        originator.vias.retain(|via| !is_over(via));
        let lost_link = was_linked && !originator.vias.iter().any(|via| via.node == dst);
        originator.router = router.and_then(|(interface, node)| originator.via(interface, node)).map(|via| via as u16);
        if lost_link {
            cx.note(RoutingNote::LinkLost { neighbour: dst });
        }
        if forgotten {
            self.list[place] = Originator::new(dst, cx.now);
        }
        if router.is_some() && self.list[place].router.is_none() {
            self.replace_router(place, lost_link, cx);
        }
    }

    /// The neighbour that took its data is gone: the best of the others takes its place (batadv_find_best_neighbor).
    fn replace_router(&mut self, place: usize, lost_link: bool, cx: &mut Cx) {
        let vias = self.list[place].vias.iter().enumerate();
        // Of equals the first.
        let best = vias.rev().max_by_key(|(_, via)| via.metric.value()).map(|(via, _)| via);
        match best {
            Some(via) => self.set_router(place, via, cx),
            None => {
                let cause = if lost_link { RouteLoss::LinkLost } else { RouteLoss::Expired };
                cx.note(RoutingNote::RouteDown { dst: self.list[place].node, cause });
            }
        }
    }
}
