//! Nodes under way: where each is at an instant, and who may be within reach of whom.
//!
//! Positions are exact at every instant; what is approximate is only who is looked at. A node knows its candidates, those
//! that can come within its reach before a while has passed even if both go towards each other at the greatest speed;
//! until then nobody else is looked at. Cells are put right as nodes cross their borders, all at once when the first
//! could be farther from where its cell was last taken than the slack.

use super::budget::RANGE_SLACK;
use super::grid::{Moving, squared};
use crate::mobility::Leg;
use hopscope_core::math;
use hopscope_core::units::{Span, Time};

/// Room beyond the reach of a node within which candidates are taken, in parts of the reach. More room means fewer
/// searches, and more candidates to look at; no result depends on it.
const ROOM: f64 = 0.1;
/// A list of who hears a node is used again while no distance in it is another by more than this, metres: 10 ms at the 10
/// m/s at which two nodes part. Ranges are not crossed meanwhile.
pub(super) const BLUR: f64 = 0.1;
/// Longest time that candidates stay, s.
const LONGEST: f64 = 1e6;

/// Nodes with their legs.
#[derive(Debug)]
pub(super) struct Travel {
    legs: Vec<Course>,
    /// Where the legs end, metres.
    ends: Vec<[f64; 2]>,
    /// No node is faster, m/s.
    fastest: f64,
    /// Nanoseconds that the fastest takes for a metre.
    per_metre: f64,
    /// Metres that a node may be away from where its cell was taken.
    slack: f64,
    cells: Moving,
    /// Where the cells were taken.
    taken: Vec<[f64; 2]>,
    /// When cells have to be taken again.
    stale_at: Time,
    candidates: Vec<Candidates>,
    /// The last search that met each node, and how many there were.
    met: Vec<u64>,
    searches: u64,
    /// Counts the jumps, after which all candidates are looked for again.
    jumps: u64,
}

/// A leg as [`Leg::at`] works with it, in one line of the cache: what follows from its ends is worked out once.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Course {
    from: [f64; 2],
    /// From its beginning to its end, metres.
    displacement: [f64; 2],
    since: Time,
    span: Span,
    /// Parts of the way in a nanosecond.
    rate: f64,
}

impl Course {
    fn new(leg: &Leg) -> Self {
        let Leg { since, until, from, to, .. } = *leg;
        if leg.rests() {
            return Course { from: to, displacement: [0.0; 2], since, span: Span(u64::MAX), rate: 0.0 };
        }
        Course { from, displacement: [to[0] - from[0], to[1] - from[1]], since, span: until - since, rate: leg.rate() }
    }

    /// The same as [`Leg::at`]; nothing before it begins and after it has ended.
    #[inline(always)]
    fn at(&self, now: Time) -> Option<[f64; 2]> {
        // Before the beginning the difference wraps to more than any span, so that one comparison asks for both ends.
        let gone = now.0.wrapping_sub(self.since.0);
        // Signed: what converts in one instruction.
        let done = gone as i64 as f64 * self.rate;
        (gone < self.span.0)
            .then(|| [self.from[0] + self.displacement[0] * done, self.from[1] + self.displacement[1] * done])
    }
}

/// Who may be within reach of a node.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    /// The nearest first, when they were looked for.
    nodes: Vec<Candidate>,
    /// Those within reach, in the same order.
    near: Vec<Near>,
    until: Time,
    jumps: u64,
    reach: f64,
}

/// A node that may be within reach of another.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    /// Square of its distance when it was looked for, metres^2: its bits, which have its order.
    squared: u64,
    /// Before that it is farther than [`BLUR`] from every border, so that `class` holds.
    holds_until: Time,
    node: u32,
    /// What the distance meant when last looked at; none: it is out of reach.
    class: Option<u8>,
}

/// A node within reach of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    pub(super) node: u32,
    /// Where its state lies.
    pub(super) place: u32,
    /// What its distance means.
    pub(super) class: u8,
}

/// What distances mean to a node that sends.
pub(super) trait Classes {
    /// Distances in metres at which the meaning changes.
    fn borders(&self) -> [f64; 4];
    /// The meaning of a distance, metres.
    fn class(&self, distance: f64) -> u8;
}

impl Travel {
    /// Nodes at rest; `range` is the usual reach, metres.
    pub(super) fn new(places: &[[f64; 2]], range: f64, now: Time) -> Self {
        let slack = ROOM * range;
        Travel {
            legs: places.iter().map(|&place| Course::new(&Leg::rest_for_good(now, place))).collect(),
            ends: places.to_vec(),
            fastest: 0.0,
            per_metre: f64::MAX,
            slack,
            cells: Moving::new(places, range + 2.0 * slack, 0),
            taken: places.to_vec(),
            stale_at: Time::NEVER,
            candidates: vec![Candidates::default(); places.len()],
            met: vec![0; places.len()],
            searches: 0,
            jumps: 1,
        }
    }

    /// Where a node is, metres.
    #[inline(always)]
    pub(super) fn at(&self, node: usize, now: Time) -> [f64; 2] {
        self.legs[node].at(now).unwrap_or_else(|| self.aside(node, now))
    }

    /// Where a node is while it is not on its leg, metres.
    #[cold]
    fn aside(&self, node: usize, now: Time) -> [f64; 2] {
        let leg = &self.legs[node];
        if now < leg.since { leg.from } else { self.ends[node] }
    }

    /// A node goes by this leg from now on.
    pub(super) fn set_leg(&mut self, node: usize, leg: Leg, now: Time) {
        let (before, after) = (self.at(node, now), leg.at(now));
        let jumped = math::hypot(before[0] - after[0], before[1] - after[1]) > NO_JUMP;
        (self.legs[node], self.ends[node]) = (Course::new(&leg), leg.to);
        self.expect_speed(leg.speed(), now);
        if jumped {
            self.jumps += 1;
            self.take(now);
        }
    }

    /// Announces the greatest speed, so that no leg comes as a surprise.
    pub(super) fn expect_speed(&mut self, fastest: f64, now: Time) {
        if fastest > self.fastest {
            // With the rounding of instants to nanoseconds.
            self.fastest = fastest * (1.0 + 1e-6);
            self.per_metre = 1e9 / self.fastest;
            // Candidates were chosen by the old speed.
            self.jumps += 1;
            self.take(now);
        }
    }

    /// Brings all cells up to date.
    fn take(&mut self, now: Time) {
        for node in 0..self.legs.len() {
            let place = self.at(node, now);
            let from = std::mem::replace(&mut self.taken[node], place);
            if from != place {
                self.cells.moved(node as u32, &from, &self.taken, 0);
            }
        }
        self.stale_at = now + self.time_for(self.slack);
    }

    /// Time in which no node goes farther than so many metres.
    fn time_for(&self, metres: f64) -> Span {
        // Nodes at rest may stay so for ever: neither the quotient nor the span may overflow.
        Span::from_secs_f64((metres / self.fastest.max(1e-12)).min(LONGEST))
    }

    /// Counts the jumps so far, of nodes and of the greatest speed.
    pub(super) fn jumps(&self) -> u64 {
        self.jumps
    }

    /// Looks who is within `reach` metres of a node, for [`Travel::near`]. Gives the instant until which nobody crosses one
    /// of the borders and no distance changes by more than [`BLUR`]. `places`: where the states of the nodes lie.
    pub(super) fn refresh(
        &mut self,
        node: usize,
        reach: f64,
        law: &impl Classes,
        places: Option<&[u32]>,
        now: Time,
    ) -> Time {
        let known = &self.candidates[node];
        let mut has_changed = now > known.until || known.jumps != self.jumps || known.reach != reach;
        if has_changed {
            self.find_candidates(node, reach, now);
        }
        let here = self.at(node, now);
        let mut room = BLUR;
        let mut all = std::mem::take(&mut self.candidates[node]);
        for candidate in &mut all.nodes {
            if now >= candidate.holds_until {
                let before = candidate.class;
                room = room.min(self.update_candidate(candidate, here, reach, law, now));
                has_changed |= before != candidate.class;
            }
        }
        if has_changed {
            all.choose(places);
        }
        // Both ends of a link may move. Ranges are met but for rounding.
        let room = (room - 2.0 * RANGE_SLACK).max(0.0);
        let until = (now + self.time_for(0.5 * room)).min(all.until);
        self.candidates[node] = all;
        until
    }

    /// Who may be within reach of a node, to be put back.
    pub(super) fn candidates(&self, node: usize) -> Candidates {
        self.candidates[node].clone()
    }

    /// Puts that back.
    pub(super) fn set_candidates(&mut self, node: usize, candidates: Candidates) {
        self.candidates[node] = candidates;
    }

    /// Those within reach of a node and their distances in metres.
    #[inline(always)]
    pub(super) fn near(&self, node: usize, now: Time) -> impl Iterator<Item = (&Near, f64)> {
        // The legs by themselves: the loop then reads where they lie once.
        let (here, legs) = (self.at(node, now), &self.legs[..]);
        self.candidates[node].near.iter().map(move |near| {
            let other = near.node as usize;
            let there = legs[other].at(now).unwrap_or_else(|| self.aside(other, now));
            (near, squared(here, there).sqrt())
        })
    }

    /// Looks what the distance to a candidate means and how long that holds. Gives its distance to the next border.
    #[inline(never)]
    fn update_candidate(
        &self,
        candidate: &mut Candidate,
        here: [f64; 2],
        reach: f64,
        law: &impl Classes,
        now: Time,
    ) -> f64 {
        let squared = squared(here, self.at(candidate.node as usize, now));
        let distance = squared.sqrt();
        candidate.class = (squared <= reach * reach).then(|| law.class(distance));
        let room = law.borders().iter().map(|border| (distance - border).abs()).fold(f64::INFINITY, f64::min);
        let spare = 0.5 * (room - BLUR) - 2.0 * RANGE_SLACK;
        // Rounded down: sooner is as good.
        candidate.holds_until = now + Span((spare.max(0.0) * self.per_metre).min(1e9 * LONGEST) as i64 as u64);
        room
    }

    /// Takes the candidates of a node anew, the nearest first. What is known of those that stay holds on.
    #[cold]
    fn find_candidates(&mut self, node: usize, reach: f64, now: Time) {
        if now > self.stale_at {
            self.take(now);
        }
        let here = self.at(node, now);
        let room = ROOM * reach;
        let limit = (reach + room) * (reach + room);
        let mut all = std::mem::take(&mut self.candidates[node]);
        // After a jump nothing that was worked out from speeds holds.
        if (all.jumps, all.reach) != (self.jumps, reach) {
            all.nodes.clear();
        }
        // The number of the search marks whom it has met: nothing has to be cleared before the next one.
        self.searches += 1;
        let mut met = std::mem::take(&mut self.met);
        met[node] = self.searches;
        all.nodes.retain_mut(|candidate| {
            met[candidate.node as usize] = self.searches;
            let squared = squared(here, self.at(candidate.node as usize, now));
            candidate.squared = squared.to_bits();
            squared <= limit
        });
        let stay = all.nodes.len();
        for other in self.cells.around(&here, reach + room + self.slack) {
            if met[other as usize] != self.searches {
                let squared = squared(here, self.at(other as usize, now));
                if squared <= limit {
                    let squared = squared.to_bits();
                    all.nodes.push(Candidate { squared, holds_until: Time::ZERO, node: other, class: None });
                }
            }
        }
        all.sort(stay);
        (all.until, all.jumps, all.reach) = (now + self.time_for(0.5 * room), self.jumps, reach);
        (self.candidates[node], self.met) = (all, met);
    }
}

impl Candidates {
    /// Puts the nearest first, the lowest number first where they are as near. The first `stay` were in order a while ago.
    fn sort(&mut self, stay: usize) {
        let key = |candidate: &Candidate| (candidate.squared, candidate.node);
        let nodes = &mut self.nodes;
        if nodes.len() > MANY || nodes.len() - stay > FEW {
            nodes.sort_unstable_by_key(key);
            return;
        }
        for at in 1..nodes.len() {
            let mut hole = at;
            let candidate = nodes[at];
            while hole > 0 && key(&nodes[hole - 1]) > key(&candidate) {
                nodes[hole] = nodes[hole - 1];
                hole -= 1;
            }
            nodes[hole] = candidate;
        }
    }

    /// Chooses those within reach.
    fn choose(&mut self, places: Option<&[u32]>) {
        let Candidates { nodes, near, .. } = self;
        near.clear();
        near.extend(nodes.iter().filter_map(|&Candidate { node, class, .. }| {
            let place = places.map_or(node, |places| places[node as usize]);
            class.map(|class| Near { node, place, class })
        }));
    }
}

/// More candidates, and more new ones, than these are sorted anew, not by moving each to its place.
const MANY: usize = 256;
const FEW: usize = 16;

/// A leg that begins so far from the end of the last one begins there but for rounding, metres.
const NO_JUMP: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use crate::channel::{Link, Medium};
    use crate::config::presets;
    use crate::mobility::Leg;
    use hopscope_core::config::profile::Profile;
    use hopscope_core::ids::NodeId;
    use hopscope_core::rng::{Purpose, Stream};
    use hopscope_core::units::Time;

    #[test]
    fn lists_of_nodes_under_way_are_those_of_their_places_at_that_instant() {
        let radio = presets::radio(Profile::Ns2, "wavelan-2M").expect("a preset");
        let mut stream = Stream::derive(5, 0, 0, Purpose::Placement);
        let mut place = |_: u32| [stream.uniform() * 3000.0, stream.uniform() * 900.0];
        let begin: Vec<[f64; 2]> = (0..60).map(&mut place).collect();
        let mut medium = Medium::new(&begin, &radio);
        let mut legs: Vec<Leg> = begin.iter().map(|&home| Leg::rest_for_good(Time::ZERO, home)).collect();
        for step in 0..400u64 {
            let now = Time(step * 130_000_000);
            // One sets out, now and then faster than anyone before, or jumps.
            let node = (step * 7 % 60) as usize;
            legs[node] = match step % 9 {
                4 => Leg::rest_for_good(now, place(0)),
                _ => Leg::at_speed(now, legs[node].at(now), place(0), 1.0 + step as f64 / 10.0),
            };
            medium.set_leg(NodeId(node as u32), legs[node], now);
            let places: Vec<[f64; 2]> = legs.iter().map(|leg| leg.at(now)).collect();
            let right = Medium::new(&places, &radio);
            let key = |link: &Link| (link.to, link.delay_ns, link.power.to_bits(), link.flags);
            for looked_at in [step * 11 % 60, step * 13 % 60].map(|n| NodeId(n as u32)) {
                medium.refresh(looked_at, now);
                let sorted = |medium: &Medium| {
                    let mut links: Vec<_> = medium.hearers(looked_at).iter().map(key).collect();
                    links.sort_unstable();
                    links
                };
                assert_eq!(sorted(&medium), sorted(&right), "step {step}");
                assert_eq!(medium.position(looked_at, now), places[looked_at.index()]);
            }
        }
    }
}
