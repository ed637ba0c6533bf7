//! Nodes under way: where each is at an instant, and who may be within reach of whom.
//!
//! Positions are exact at every instant; what is approximate is only who is looked at. A node knows its candidates, those
//! that can come within its reach before a while has passed even if both go towards each other at the greatest speed;
//! until then nobody else is looked at. Cells are put right as nodes cross their borders, all at once when the first
//! could be farther from where its cell was last taken than the slack.

use super::budget::RANGE_SLACK;
use super::grid::Moving;
use crate::mobility::Leg;
use crate::units::{Span, Time};

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
    /// Candidates by square of distance (its bits, which have its order) while they are looked for, kept for the next search.
    found: Vec<(u64, u32)>,
    /// Counts the jumps, after which all candidates are looked for again.
    jumps: u64,
}

/// A leg as [`Leg::at`] works with it: what follows from its ends is worked out once.
#[derive(Debug, Clone, Copy)]
struct Course {
    from: [f64; 2],
    /// From its beginning to its end, metres.
    way: [f64; 2],
    to: [f64; 2],
    since: Time,
    until: Time,
    /// Parts of the way in a nanosecond.
    rate: f64,
}

impl Course {
    fn new(leg: &Leg) -> Self {
        let [from, to] = if leg.rests() { [leg.to; 2] } else { [leg.from, leg.to] };
        Course {
            from,
            way: [to[0] - from[0], to[1] - from[1]],
            to,
            since: leg.since,
            until: leg.until,
            rate: leg.rate(),
        }
    }

    /// The same as [`Leg::at`].
    #[inline(always)]
    fn at(&self, now: Time) -> [f64; 2] {
        if now >= self.until {
            return self.to;
        }
        // Signed: what converts in one instruction.
        let done = now.0.saturating_sub(self.since.0) as i64 as f64 * self.rate;
        [self.from[0] + self.way[0] * done, self.from[1] + self.way[1] * done]
    }
}

/// Who may be within reach of a node, the nearest first.
#[derive(Debug, Clone, Default)]
struct Candidates {
    nodes: Vec<Candidate>,
    until: Time,
    jumps: u64,
    reach: f64,
}

/// A node that may be within reach of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) node: u32,
    /// Where its state lies.
    pub(super) place: u32,
    /// Before that it is farther than [`BLUR`] from every border, so that `class` holds.
    holds_until: Time,
    /// What the distance meant when last looked at.
    pub(super) class: Option<u8>,
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
            fastest: 0.0,
            per_metre: f64::MAX,
            slack,
            cells: Moving::new(places, range + 2.0 * slack, 0),
            taken: places.to_vec(),
            stale_at: Time::NEVER,
            candidates: vec![Candidates::default(); places.len()],
            found: Vec::new(),
            jumps: 1,
        }
    }

    /// Where a node is, metres.
    #[inline(always)]
    pub(super) fn at(&self, node: usize, now: Time) -> [f64; 2] {
        self.legs[node].at(now)
    }

    /// A node goes by this leg from now on.
    pub(super) fn set_leg(&mut self, node: usize, leg: Leg, now: Time) {
        let (before, after) = (self.at(node, now), leg.at(now));
        let jumped = (before[0] - after[0]).hypot(before[1] - after[1]) > NO_JUMP;
        self.legs[node] = Course::new(&leg);
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
        Span::from_secs_f64((metres / self.fastest.max(1e-12)).min(LONGEST))
    }

    /// Counts the jumps so far, of nodes and of the greatest speed.
    pub(super) fn jumps(&self) -> u64 {
        self.jumps
    }

    /// Calls `found` with the distance in metres of each node within `reach` metres of a node, and with what the distance
    /// means. Gives the instant until which nobody crosses one of the borders and no distance changes by more than
    /// [`BLUR`]. `places`: where the states of the nodes lie.
    #[inline(always)]
    pub(super) fn near(
        &mut self,
        node: usize,
        reach: f64,
        law: &impl Classes,
        places: Option<&[u32]>,
        now: Time,
        mut found: impl FnMut(f64, u8, &Candidate),
    ) -> Time {
        let known = &self.candidates[node];
        if now > known.until || known.jumps != self.jumps || known.reach != reach {
            self.look_for(node, reach, places, now);
        }
        let here = self.at(node, now);
        let mut room = BLUR;
        let mut candidates = std::mem::take(&mut self.candidates[node].nodes);
        for candidate in &mut candidates {
            let is_due = now >= candidate.holds_until;
            if !is_due && candidate.class.is_none() {
                continue; // too far, and not yet nearer
            }
            let squared = squared(here, self.legs[candidate.node as usize].at(now));
            if is_due {
                room = room.min(self.look_at(candidate, squared, reach, law, now));
            }
            if let Some(class) = candidate.class {
                found(squared.sqrt(), class, candidate);
            }
        }
        self.candidates[node].nodes = candidates;
        // Both ends of a link may move. Ranges are met but for rounding.
        let room = (room - 2.0 * RANGE_SLACK).max(0.0);
        (now + self.time_for(0.5 * room)).min(self.candidates[node].until)
    }

    /// Looks what the distance to a candidate means and how long that holds. Gives its distance to the next border.
    #[inline(never)]
    fn look_at(&self, candidate: &mut Candidate, squared: f64, reach: f64, law: &impl Classes, now: Time) -> f64 {
        let distance = squared.sqrt();
        candidate.class = (squared <= reach * reach).then(|| law.class(distance));
        let room = law.borders().iter().map(|border| (distance - border).abs()).fold(f64::INFINITY, f64::min);
        let spare = 0.5 * (room - BLUR) - 2.0 * RANGE_SLACK;
        // Rounded down: sooner is as good.
        candidate.holds_until = now + Span((spare.max(0.0) * self.per_metre).min(1e9 * LONGEST) as i64 as u64);
        room
    }

    /// Takes the candidates of a node anew, the nearest first.
    #[cold]
    fn look_for(&mut self, node: usize, reach: f64, places: Option<&[u32]>, now: Time) {
        if now > self.stale_at {
            self.take(now);
        }
        let here = self.at(node, now);
        let room = ROOM * reach;
        let limit = (reach + room) * (reach + room);
        let around = self.cells.around(&here, reach + room + self.slack);
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        for other in around.filter(|&other| other as usize != node) {
            let squared = squared(here, self.at(other as usize, now));
            if squared <= limit {
                found.push((squared.to_bits(), other));
            }
        }
        found.sort_unstable();
        let until = now + self.time_for(0.5 * room);
        let candidates = &mut self.candidates[node];
        candidates.nodes.clear();
        candidates.nodes.extend(found.iter().map(|&(_, node)| Candidate {
            node,
            place: places.map_or(node, |places| places[node as usize]),
            holds_until: Time::ZERO,
            class: None,
        }));
        (candidates.until, candidates.jumps, candidates.reach) = (until, self.jumps, reach);
        self.found = found;
    }
}

/// A leg that begins so far from the end of the last one begins there but for rounding, metres.
const NO_JUMP: f64 = 1e-6;

#[inline(always)]
fn squared(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (dx, dy) = (a[0] - b[0], a[1] - b[1]);
    dx * dx + dy * dy
}

#[cfg(test)]
mod tests {
    use crate::channel::{Link, Medium};
    use crate::config::presets;
    use crate::ids::NodeId;
    use crate::mobility::Leg;
    use crate::rng::{Purpose, Stream};
    use crate::units::Time;

    #[test]
    fn lists_of_nodes_under_way_are_those_of_their_places_at_that_instant() {
        let radio = presets::base("ns2", "wavelan-2M").expect("a profile").radio;
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
