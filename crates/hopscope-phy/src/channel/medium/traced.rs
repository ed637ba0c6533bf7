//! Links that a trace covers, in place of the propagation model.

use hopscope_core::math;
use std::collections::BTreeMap;

use super::{Law, Link, Medium, Right, motion};
use hopscope_core::ids::NodeId;

/// What a trace says of the link from one node to another: the received power in watts, or that it is there as by the model.
pub type TracedLink = (NodeId, NodeId, Option<f64>);

/// What traces say of links now.
#[derive(Debug, Default)]
pub(super) struct Traced {
    /// Links that they do not cover are not there.
    alone: bool,
    /// By sender and receiver: the received power in watts, or that of the model.
    links: BTreeMap<[u32; 2], Option<f64>>,
}

impl Traced {
    /// Nothing is traced, and all links are there.
    fn is_empty(&self) -> bool {
        self.links.is_empty() && !self.alone
    }

    /// The same of one link: that of the model, one with the traced power, or none.
    pub(super) fn one(
        &self,
        [from, to]: [NodeId; 2],
        model: impl FnOnce() -> Option<Link>,
        make: impl FnOnce(f64) -> Option<Link>,
    ) -> Option<Link> {
        match self.links.get(&[from.0, to.0]) {
            None if self.alone => None,
            None | Some(None) => model(),
            Some(&Some(watts)) => make(watts),
        }
    }

    /// Puts what is traced in the place of what the model says of the links from a node. `make` makes the link to another node
    /// with a power; none where nothing is heard.
    pub(super) fn replay(&self, from: NodeId, links: &mut Vec<Link>, make: impl Fn(NodeId, f64) -> Option<Link>) {
        if self.is_empty() {
            return;
        }
        let mut known = Vec::new();
        links.retain_mut(|link| match self.links.get(&[from.0, link.to.0]) {
            None => !self.alone,
            Some(None) => true,
            Some(&Some(watts)) => {
                known.push(link.to.0);
                make(link.to, watts).map(|made| *link = made).is_some()
            }
        });
        known.sort_unstable();
        // Links that the model does not have come behind its own, by number.
        let traced = self.links.range([from.0, 0]..=[from.0, u32::MAX]);
        let traced = traced.filter_map(|(&[_, to], &watts)| Some((to, watts?)));
        let new = traced.filter(|(to, _)| known.binary_search(to).is_err());
        links.extend(new.filter_map(|(to, watts)| make(NodeId(to), watts)));
    }
}

impl Law {
    /// The link between two places to a node that hears this power; none where it hears nothing. A frame takes no longer over
    /// it than from the border of what the model lets a node hear.
    pub(super) fn traced(&self, [a, b]: [[f64; 2]; 2], to: NodeId, watts: f64, places: Option<&[u32]>) -> Option<Link> {
        let metres = math::hypot(a[0] - b[0], a[1] - b[1]);
        let delay_ns = (metres.min(self.full.reach) / self.radio.propagation_speed * 1e9 + 0.5) as u16;
        let place = places.map_or(to.0, |places| places[to.index()]);
        let received = watts >= self.least;
        received.then(|| Link { to, place, delay_ns, power: watts as f32, flags: self.budget.flags(watts) })
    }
}

impl Medium {
    /// Traces cover links from now on, none yet: the links are those of the model, or none at all (`alone`).
    pub fn follow_traces(&mut self, alone: bool) {
        motion(&mut self.motion, &self.positions, &self.law).traced = Traced { alone, links: BTreeMap::new() };
        self.make_again((0..self.nodes() as u32).map(NodeId));
    }

    /// Traces say this of links. A power that was given before stays where none is given now.
    pub fn apply_traced(&mut self, links: &[TracedLink]) {
        let traced = &mut motion(&mut self.motion, &self.positions, &self.law).traced;
        let mut senders = Vec::new();
        for (from, to, watts) in links {
            let key = [from.0, to.0];
            let before = traced.links.get(&key).copied();
            let after = watts.or(before.flatten());
            if before != Some(after) {
                traced.links.insert(key, after);
                senders.push(*from);
            }
        }
        senders.sort_unstable();
        senders.dedup();
        self.make_again(senders.into_iter());
    }

    fn make_again(&mut self, nodes: impl Iterator<Item = NodeId>) {
        for node in nodes {
            motion(&mut self.motion, &self.positions, &self.law).right_until[node.index()] = Right::Not;
            self.remake(node);
        }
    }
}
