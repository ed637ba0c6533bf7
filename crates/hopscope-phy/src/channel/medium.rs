//! Who hears a transmission: one list of links for each transmitter, made when it is first asked for. Of a crowd in
//! which few nodes send, no others have lists.
//!
//! Nodes may jump and change their power between two instants. What stands still costs nothing: positions become cells
//! and epochs at the first change. From then on a list is worked out again when it is asked for
//! ([`Medium::refresh`]) and a cell in its reach has changed since it was made. Once a node is under way (`travel.rs`) each
//! list that is asked for is worked out for that very instant.

#[cfg(test)]
mod tests;
mod traced;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::channel::decoding::Decoding;
use crate::channel::grid::{Grid, Moving, squared};
use crate::channel::law::{Law, Power, Ranges};
pub use crate::channel::links::Link;
use crate::channel::links::LinkLists;
use crate::channel::travel::{Candidates, Travel};
use crate::config::RadioConfig;
use crate::mobility::Leg;
use crate::phy::Arrival;
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use traced::Traced;
pub use traced::TracedLink;

/// All links, grouped by transmitter and sorted by distance, then by number.
#[derive(Debug)]
pub struct Medium {
    /// Metres.
    positions: Vec<[f64; 2]>,
    law: Law,
    /// Where the nodes are at the beginning.
    grid: Grid,
    lists: LinkLists,
    /// Where the state of each node lies; by number where nobody has said.
    places: Option<Arc<[u32]>>,
    /// Channel of each node; none where all share one.
    channels: Option<Box<[u16]>>,
    /// What follows from changes; nothing while there was none.
    motion: Option<Box<Motion>>,
    /// Nodes near a transmitter by square of distance, kept for the next list.
    near: Vec<(f64, u32)>,
}

/// What is known of nodes that move or have a power of their own.
#[derive(Debug)]
struct Motion {
    /// Changes so far.
    epoch: u64,
    cells: Moving,
    /// Epoch at which the list of each node was right.
    right_at: Vec<u64>,
    /// How often the list of each node was made again.
    #[cfg(test)]
    made: Vec<u32>,
    /// Power of each node.
    powers: Vec<Power>,
    /// Nodes under way; nothing before the first one.
    travel: Option<Travel>,
    /// Part of their power that comes over links that are not as usual, by their two ends, the lower number first.
    parts: BTreeMap<[u32; 2], f64>,
    /// Links that traces cover.
    traced: Traced,
    /// How long the list of each node is right, once nodes are under way.
    right_until: Vec<Right>,
}

/// How long a list is right.
#[derive(Debug, Clone, Copy)]
enum Right {
    /// It is not.
    Not,
    /// Until an instant, unless a node jumps before.
    Until(Time, u64),
}

impl Right {
    /// Whether the list is right at an instant.
    #[inline(always)]
    fn holds(self, travel: &Travel, now: Time) -> bool {
        matches!(self, Right::Until(until, jumps) if now <= until && jumps == travel.jumps())
    }
}

/// The list of a node, put aside while an observer looks at another one.
#[derive(Debug)]
pub struct KeptList {
    node: NodeId,
    links: Option<Vec<Link>>,
    right: Right,
    candidates: Candidates,
}

impl Medium {
    /// The links of nodes at `positions` (metres) in seed 0; only shadowing depends on the seed.
    pub fn new(positions: &[[f64; 2]], radio: &RadioConfig) -> Self {
        Self::seeded(positions, radio, 0)
    }

    /// The medium of nodes at `positions` (metres).
    pub fn seeded(positions: &[[f64; 2]], radio: &RadioConfig, seed: u64) -> Self {
        let law = Law::new(radio, seed);
        let grid = Grid::new(positions, law.full.reach);
        let (positions, lists) = (positions.to_vec(), LinkLists::new(positions.len()));
        Medium { positions, law, grid, lists, places: None, channels: None, motion: None, near: Vec::new() }
    }

    /// Puts each node on a channel: nobody hears another channel. Must be called before the first list is made.
    pub fn set_channels(&mut self, channels: &[u16]) {
        let is_shared = channels.windows(2).all(|pair| pair[0] == pair[1]);
        self.channels = (!is_shared).then(|| channels.into());
    }

    /// True when two nodes are on one channel.
    #[inline]
    fn share_channel(&self, a: NodeId, b: NodeId) -> bool {
        share_channel(self.channels.as_deref(), a, b)
    }

    /// Notes where the state of each node lies; until then that is its number.
    pub fn place(&mut self, places: Arc<[u32]>) {
        let links = self.lists.all_made().flatten();
        links.for_each(|link| link.place = places[link.to.index()]);
        self.places = Some(places);
    }

    /// A node is at `position` (metres) from now on and stays there. Frames on the air keep the power they began with.
    pub fn move_node(&mut self, node: NodeId, position: [f64; 2], now: Time) {
        let motion = motion(&mut self.motion, &self.positions, &self.law);
        motion.epoch += 1;
        if let Some(travel) = &mut motion.travel {
            travel.set_leg(node.index(), Leg::rest_for_good(now, position), now);
        }
        let from = std::mem::replace(&mut self.positions[node.index()], position);
        motion.cells.moved(node.0, &from, &self.positions, motion.epoch);
    }

    /// A node sends with so many watts from now on; it hears as before. Of a power other than `tx_power`, the thresholds
    /// decide what it reaches: they are the mean powers of `tx_power` at the ranges.
    pub fn set_power(&mut self, node: NodeId, watts: f64) {
        let power = self.law.power(watts);
        let motion = motion(&mut self.motion, &self.positions, &self.law);
        motion.powers[node.index()] = power;
        motion.right_until[node.index()] = Right::Not;
        self.remake(node);
    }

    /// Of what two nodes send, this part of the power comes to the other from now on; 1: as at the beginning.
    pub fn set_part(&mut self, ends: [NodeId; 2], part: f64) {
        let motion = motion(&mut self.motion, &self.positions, &self.law);
        let [a, b] = ends.map(|node| node.0);
        let key = [a.min(b), a.max(b)];
        if part == 1.0 {
            motion.parts.remove(&key);
        } else {
            motion.parts.insert(key, part);
        }
        ends.iter().for_each(|node| motion.right_until[node.index()] = Right::Not);
        ends.into_iter().for_each(|node| self.remake(node));
    }

    /// No node will be faster, m/s: those that set out do so without a search for who comes near.
    pub fn expect_speed(&mut self, fastest: f64, now: Time) {
        self.travel(now).expect_speed(fastest, now);
    }

    /// A node goes by this leg from now on.
    pub fn set_leg(&mut self, node: NodeId, leg: Leg, now: Time) {
        self.travel(now).set_leg(node.index(), leg, now);
    }

    fn travel(&mut self, now: Time) -> &mut Travel {
        let motion = motion(&mut self.motion, &self.positions, &self.law);
        motion.travel.get_or_insert_with(|| Travel::new(&self.positions, self.law.full.reach, now))
    }

    /// Position of a node at an instant, metres.
    pub fn position(&self, node: NodeId, now: Time) -> [f64; 2] {
        let travel = self.motion.as_ref().and_then(|motion| motion.travel.as_ref());
        travel.map_or(self.positions[node.index()], |travel| travel.at(node.index(), now))
    }

    /// True when a node has moved or changed its power: its own list and those of others are right only after
    /// [`Medium::refresh`].
    #[inline(always)]
    pub fn has_changed(&self) -> bool {
        self.motion.is_some()
    }

    /// Brings the list of `node` up to date.
    #[inline]
    pub fn refresh(&mut self, node: NodeId, now: Time) {
        if let Some(motion) = &mut self.motion {
            if motion.travel.is_some() {
                return self.follow(node, now);
            }
            let right_at = std::mem::replace(&mut motion.right_at[node.index()], motion.epoch);
            if right_at != motion.epoch {
                let reach = motion.powers[node.index()].reach;
                // A change farther away than the node reaches leaves its list as it is.
                if motion.cells.changed(&self.positions[node.index()], reach) > right_at {
                    self.remake(node);
                }
            }
        }
    }

    /// Brings the lists of nodes up to date for an observer. Where nodes are under way a list holds for a while, and frames must
    /// not go by another one as somebody has looked: what this gives has to be put back by [`Medium::put_back`] before anything
    /// else happens.
    #[must_use]
    pub fn refresh_aside(&mut self, nodes: [NodeId; 2], now: Time) -> Vec<KeptList> {
        let mut kept = Vec::new();
        for node in nodes {
            let n = node.index();
            let travel = self.motion.as_ref().and_then(|motion| Some((motion, motion.travel.as_ref()?)));
            if let Some((motion, travel)) = travel.filter(|(motion, travel)| !motion.right_until[n].holds(travel, now))
            {
                let (right, candidates) = (motion.right_until[n], travel.candidates(n));
                kept.push(KeptList { node, links: self.lists.made(node).map(<[Link]>::to_vec), right, candidates });
            }
            self.refresh(node, now);
        }
        kept
    }

    /// Puts back the lists that frames go by.
    pub fn put_back(&mut self, kept: Vec<KeptList>) {
        let Medium { motion: Some(motion), lists, .. } = self else { return };
        // The last first, should both be of one node.
        for KeptList { node, links, right, candidates } in kept.into_iter().rev() {
            lists.take(node);
            if let Some(links) = links {
                lists.put(node, links);
            }
            motion.right_until[node.index()] = right;
            if let Some(travel) = &mut motion.travel {
                travel.set_candidates(node.index(), candidates);
            }
        }
    }

    /// True when nodes move by themselves.
    pub fn is_under_way(&self) -> bool {
        self.motion.as_ref().is_some_and(|motion| motion.travel.is_some())
    }

    /// Brings all lists up to date.
    pub fn refresh_all(&mut self, now: Time) {
        (0..self.nodes() as u32).for_each(|node| self.refresh(NodeId(node), now));
    }

    /// Works out the list of a node for this instant, where nodes are under way, unless the last one still holds: no range
    /// has been crossed since, and no distance is another by more than `travel::BLUR`. Nearest come first but for what has
    /// changed since the candidates were looked for.
    fn follow(&mut self, node: NodeId, now: Time) {
        let Medium { motion: Some(motion), law, lists, places, channels, .. } = self else { return };
        let (Some(travel), n) = (&mut motion.travel, node.index()) else { return };
        if motion.right_until[n].holds(travel, now) {
            return;
        }
        let Power { gain, reach } = motion.powers[n];
        let ranges = Ranges { radio: &law.radio, reach };
        let until = travel.refresh(n, reach, &ranges, places.as_deref(), now);
        let mut links = lists.take(node);
        law.links(n, gain, travel.near(n, now), &mut links);
        if channels.is_some() {
            links.retain(|link| share_channel(channels.as_deref(), node, link.to));
        }
        motion.right_until[n] = Right::Until(until, travel.jumps());
        let (at, places) = (|node: NodeId| travel.at(node.index(), now), places.as_deref());
        motion.traced.replay(node, &mut links, |to, watts| law.traced([at(node), at(to)], to, watts, places));
        // After the traces: a part weakens a traced link as it does one of the model.
        if !motion.parts.is_empty() {
            law.weaken(node, &motion.parts, &mut links);
        }
        lists.put(node, links);
    }

    /// Works out the list of a node anew, where there is one that nobody else brings up to date. With nodes under way
    /// [`Medium::follow`] does, and a list that was never made is made when it is asked for.
    fn remake(&mut self, node: NodeId) {
        let Some(motion) = &mut self.motion else { return };
        if motion.travel.is_some() || self.lists.made(node).is_none() {
            return;
        }
        // Not `refresh` alone comes here: the next one need not look for changes that this list has.
        motion.right_at[node.index()] = motion.epoch;
        #[cfg(test)]
        {
            motion.made[node.index()] += 1;
        }
        let (mut links, mut near) = (self.lists.take(node), std::mem::take(&mut self.near));
        self.work_out(node, &mut near, &mut links);
        self.lists.put(node, links);
        self.near = near;
    }

    /// Works out the links of a node from where all nodes are, but for those under way.
    fn work_out(&self, node: NodeId, near: &mut Vec<(f64, u32)>, links: &mut Vec<Link>) {
        let Medium { positions, law, places, .. } = self;
        let (n, motion, places) = (node.index(), self.motion.as_deref(), places.as_deref());
        let Power { gain, reach } = self.power(node);
        self.look_around(node, reach, |other| self.share_channel(node, NodeId(other)), near);
        links.clear();
        // In one piece: growing would leave up to half of it idle.
        links.reserve_exact(near.len());
        links.extend(near.iter().filter_map(|&at| law.link(n, at, gain, places)));
        let Some(motion) = motion else { return };
        motion
            .traced
            .replay(node, links, |to, watts| law.traced([positions[n], positions[to.index()]], to, watts, places));
        if !motion.parts.is_empty() {
            law.weaken(node, &motion.parts, links);
        }
    }

    /// Those of the nodes for which `counts` holds that are within `reach` metres of a node, the nearest first.
    fn look_around(&self, node: NodeId, reach: f64, counts: impl Fn(u32) -> bool, near: &mut Vec<(f64, u32)>) {
        let (n, positions) = (node.index(), &self.positions[..]);
        match self.motion.as_deref() {
            None => Law::near(n, self.grid.around(&positions[n], reach), counts, (positions, reach), near),
            Some(motion) => Law::near(n, motion.cells.around(&positions[n], reach), counts, (positions, reach), near),
        }
    }

    fn power(&self, node: NodeId) -> Power {
        self.motion.as_deref().map_or(self.law.full, |motion| motion.powers[node.index()])
    }

    /// Everyone who hears `node`.
    #[inline]
    pub fn hearers(&self, node: NodeId) -> &[Link] {
        self.lists.of(node, || {
            let mut links = Vec::new();
            self.work_out(node, &mut Vec::new(), &mut links);
            links
        })
    }

    /// Makes the list of those who hear `node`, which is about to send for the first time.
    pub fn make_list(&self, node: NodeId) {
        self.hearers(node);
    }

    /// Everyone who hears `node`, which has a list: made by [`Medium::make_list`], or by [`Medium::refresh`] with nodes
    /// under way. The scan of a frame has nothing to spare for a list that may have to be made.
    ///
    /// # Panics
    /// When it has none.
    #[inline(always)]
    pub fn known_hearers(&self, node: NodeId) -> &[Link] {
        self.lists.made(node).expect("a node that sends has a list of its hearers")
    }

    /// Adds to `links` those who hear `node` and for which `counts` holds, in the order of [`Medium::hearers`]. No list
    /// of all is made for it while nothing has changed.
    pub fn hearers_among(&self, node: NodeId, counts: impl Fn(NodeId) -> bool, links: &mut Vec<Link>) {
        if self.has_changed() || self.lists.made(node).is_some() {
            links.extend(self.hearers(node).iter().filter(|link| counts(link.to)));
            return;
        }
        let mut near = Vec::new();
        let counts = |other| self.share_channel(node, NodeId(other)) && counts(NodeId(other));
        self.look_around(node, self.law.full.reach, counts, &mut near);
        let (law, places) = (&self.law, self.places.as_deref());
        links.extend(near.iter().filter_map(|&at| law.link(node.index(), at, 1.0, places)));
    }

    /// How many hear `node`. No list is made for it while nothing has changed.
    pub fn count_hearers(&self, node: NodeId) -> usize {
        if self.has_changed() || self.lists.made(node).is_some() {
            return self.hearers(node).len();
        }
        let is_heard =
            |&at: &(f64, u32)| self.law.is_plain(1.0) || self.law.link(node.index(), at, 1.0, None).is_some();
        self.within_reach(node).filter(is_heard).count()
    }

    /// The nearest node that decodes `node` and for which `counts` holds, as [`Medium::neighbours`] has them. No list is
    /// made for it while nothing has changed.
    pub fn nearest(&self, node: NodeId, counts: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        if self.has_changed() || self.lists.made(node).is_some() {
            return self.neighbours(node).find(|&other| counts(other));
        }
        let mut nearest: Option<(f64, u32)> = None;
        for at in self.within_reach(node).filter(|&(_, other)| counts(NodeId(other))) {
            if nearest.is_none_or(|best| at < best) && self.law.decodes(node.index(), at) {
                nearest = Some(at);
            }
        }
        nearest.map(|(_, other)| NodeId(other))
    }

    /// Squares of the distances to the nodes that were within the usual reach of a node at the beginning, in any order.
    fn within_reach(&self, node: NodeId) -> impl Iterator<Item = (f64, u32)> + '_ {
        let (here, reach) = (&self.positions[node.index()], self.law.full.reach);
        let counts = move |other: &u32| *other != node.0 && self.share_channel(node, NodeId(*other));
        let others = self.grid.around(here, reach).filter(counts);
        let near = others.map(|other| (squared(*here, self.positions[other as usize]), other));
        near.filter(move |&(squared, _)| squared <= reach * reach)
    }

    /// A search for who decodes whom at the beginning; none once a node has moved, has a power of its own, or is
    /// traced, and where nodes are on several channels.
    pub fn decoding(&self) -> Option<Decoding> {
        (!self.has_changed() && self.channels.is_none()).then(|| Decoding::of(self.law.clone(), &self.positions))
    }

    /// Neighbours that can decode `node`, nearest first; by mean power where it varies with time.
    pub fn neighbours(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.hearers(node).iter().filter(|l| l.flags & Arrival::DECODABLE != 0).map(|l| l.to)
    }

    /// True when a node can decode frames of another at this instant, by mean power. No list is made anew for it.
    pub fn decodes(&self, from: NodeId, to: NodeId, now: Time) -> bool {
        if !self.share_channel(from, to) {
            return false;
        }
        let [a, b] = [from, to].map(|node| self.position(node, now));
        let motion = self.motion.as_deref();
        let Power { gain, reach } = self.power(from);
        let squared = squared(a, b);
        let model =
            // A list has only nodes within reach; a single link has to be held to that here.
            || if squared > reach * reach { None } else { self.law.link(from.index(), (squared, to.0), gain, None) };
        let link = match motion {
            None => model(),
            Some(motion) => motion.traced.one([from, to], model, |watts| self.law.traced([a, b], to, watts, None)),
        };
        let part = motion.and_then(|motion| motion.parts.get(&[from.0.min(to.0), from.0.max(to.0)]));
        let flags = |link: Link| part.map_or(link.flags, |part| self.law.budget.flags(part * f64::from(link.power)));
        link.is_some_and(|link| flags(link) & Arrival::DECODABLE != 0)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.lists.nodes()
    }
}

/// True when two nodes are on one channel, given the channel of each.
#[inline]
fn share_channel(channels: Option<&[u16]>, a: NodeId, b: NodeId) -> bool {
    channels.is_none_or(|channels| channels[a.index()] == channels[b.index()])
}

/// What is known of changes; the first one begins it.
fn motion<'a>(motion: &'a mut Option<Box<Motion>>, positions: &[[f64; 2]], law: &Law) -> &'a mut Motion {
    motion.get_or_insert_with(|| {
        let nodes = positions.len();
        let cells = Moving::new(positions, law.full.reach, 0);
        Box::new(Motion {
            epoch: 0,
            cells,
            right_at: vec![0; nodes],
            #[cfg(test)]
            made: vec![0; nodes],
            powers: vec![law.full; nodes],
            travel: None,
            parts: BTreeMap::new(),
            traced: Traced::default(),
            right_until: vec![Right::Not; nodes],
        })
    })
}
