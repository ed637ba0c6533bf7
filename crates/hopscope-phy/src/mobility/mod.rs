//! Movement: where each node is at any instant.
//!
//! Every model gives straight legs, one after the other ([`Leg`]); the world asks for the next one when a leg has ended, and
//! the medium works out from them who hears whom when a frame begins. The models are those of Camp, Boleng and Davies
//! ("A survey of mobility models for ad hoc network research", 2002). Each node draws from a stream of its own, so the
//! movement of a run follows from its seed, whatever else happens in it.
//!
//! Nodes begin as after a long time: the place, the speed and the pause of time zero are drawn from the distribution that
//! the model keeps, so that neither the mean speed nor the density changes in the course of a run (Yoon, Liu and Noble
//! 2003 show what happens otherwise; Navidi and Camp 2004, Le Boudec and Vojnovic 2005 give the distributions).

mod bounded;
mod group;
mod leg;
mod manhattan;
mod path;
mod steady;
mod waypoint;

pub use leg::Leg;

use crate::config::Movement;
use crate::config::mobility::{MobilityConfig, MobilityModel, MobilityStart, Path};
use bounded::Bounded;
use group::Member;
use hopscope_core::ids::NodeId;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::Time;
use manhattan::Manhattan;
use path::Recorded;
use waypoint::Waypoint;

/// The nodes that move by themselves.
#[derive(Debug, Default)]
pub struct Mobility {
    /// In the order of their numbers.
    movers: Vec<Mover>,
    /// No node is faster, m/s.
    fastest: f64,
}

/// A node that moves by a model.
#[derive(Debug)]
struct Mover {
    node: NodeId,
    leg: Leg,
    walk: Walk,
    rng: Stream,
}

/// What a node goes by.
#[derive(Debug)]
enum Walk {
    Waypoint(Waypoint),
    Bounded(Bounded),
    Manhattan(Manhattan),
    Member(Box<Member>),
    Recorded(Recorded),
    /// It has been put elsewhere, and stays.
    Stopped,
}

impl Mobility {
    /// The movement of a sound configuration.
    pub fn new(config: &Movement<'_>) -> Self {
        let numbers = config.movers();
        let m = config.mobility;
        let members = numbers.len();
        let mut movers: Vec<Mover> = numbers
            .into_iter()
            .enumerate()
            .map(|(place, node)| {
                let mut rng = Stream::derive(config.seed, 0, u64::from(node), Purpose::Mobility);
                let home = config.nodes[node as usize];
                let mut walk = match m.model {
                    MobilityModel::Static => Walk::Stopped,
                    MobilityModel::RandomWaypoint => Walk::Waypoint(Waypoint::new(m, [0.0; 2], m.area)),
                    MobilityModel::RandomWalk | MobilityModel::GaussMarkov => Walk::Bounded(Bounded::new(m)),
                    MobilityModel::Manhattan => Walk::Manhattan(Manhattan::new(m)),
                    MobilityModel::Group => {
                        // In order of their numbers, so that groups differ in size by at most one.
                        let group = place * m.groups as usize / members;
                        Walk::Member(Box::new(Member::new(m, config.seed, group)))
                    }
                    MobilityModel::File => Walk::Recorded(Recorded::new(config.paths[place].path.clone())),
                };
                let leg = walk.first(m.start, home, &mut rng);
                Mover { node: NodeId(node), leg, walk, rng }
            })
            .collect();
        movers.sort_by_key(|mover| mover.node);
        Mobility { movers, fastest: fastest(config, m) }
    }

    /// True when no node moves.
    pub fn is_none(&self) -> bool {
        self.movers.is_empty()
    }

    /// No node is faster, m/s.
    pub fn fastest(&self) -> f64 {
        self.fastest
    }

    /// The first leg of each node that moves.
    pub fn legs(&self) -> impl Iterator<Item = (NodeId, Leg)> + '_ {
        self.movers.iter().map(|mover| (mover.node, mover.leg))
    }

    /// Where the nodes are at the beginning: in place of those given where they move.
    pub fn begin(&self, places: &mut [[f64; 2]]) {
        for (node, leg) in self.legs() {
            places[node.index()] = leg.at(Time::ZERO);
        }
    }

    /// The ways of the nodes that move until an instant: when each was where it set out, turned or came to rest, metres.
    pub fn paths(mut self, until: Time) -> Vec<(NodeId, Path)> {
        let begun: Vec<(NodeId, Leg)> = self.legs().collect();
        let mut path = |(node, mut leg): (NodeId, Leg)| {
            let mut path = vec![(Time::ZERO, leg.at(Time::ZERO))];
            while leg.until < until {
                path.push((leg.until, leg.at(leg.until)));
                leg = self.next(node, leg.until).expect("nobody has stopped it");
                // A file may put a node elsewhere at once.
                let begin = (leg.since.min(until), leg.at(leg.since));
                if path.last().is_some_and(|last| last.1 != begin.1) {
                    path.push(begin);
                }
            }
            path.push((until, leg.at(until)));
            (node, path)
        };
        begun.into_iter().map(&mut path).collect()
    }

    /// The next leg of a node whose leg ends now; none where it was stopped in between.
    pub fn next(&mut self, node: NodeId, now: Time) -> Option<Leg> {
        let mover = self.of(node).filter(|mover| mover.leg.until == now)?;
        mover.leg = mover.walk.next(&mover.leg, &mut mover.rng);
        Some(mover.leg)
    }

    /// A node does not move by itself any more.
    pub fn stop(&mut self, node: NodeId, now: Time) {
        if let Some(mover) = self.of(node) {
            mover.walk = Walk::Stopped;
            mover.leg = Leg::rest_for_good(now, mover.leg.at(now));
        }
    }

    fn of(&mut self, node: NodeId) -> Option<&mut Mover> {
        let place = self.movers.binary_search_by_key(&node, |mover| mover.node).ok()?;
        Some(&mut self.movers[place])
    }
}

impl Walk {
    /// The leg at time zero of a node that has a place in the topology.
    fn first(&mut self, start: MobilityStart, home: [f64; 2], rng: &mut Stream) -> Leg {
        let leg = match self {
            Walk::Waypoint(walk) => walk.first(start, home, rng),
            Walk::Bounded(walk) => walk.first(start, home, rng),
            Walk::Manhattan(walk) => walk.first(rng),
            Walk::Member(member) => member.first(rng),
            Walk::Recorded(walk) => walk.first(),
            Walk::Stopped => Leg::rest_for_good(Time::ZERO, home),
        };
        self.unless_empty(leg, rng)
    }

    /// The leg that follows one which has ended.
    fn next(&mut self, last: &Leg, rng: &mut Stream) -> Leg {
        let leg = self.step(last, rng);
        self.unless_empty(leg, rng)
    }

    fn step(&mut self, last: &Leg, rng: &mut Stream) -> Leg {
        match self {
            Walk::Waypoint(walk) => walk.next(last, rng),
            Walk::Bounded(walk) => walk.next(last, rng),
            Walk::Manhattan(walk) => walk.next(last, rng),
            Walk::Member(member) => member.next(last, rng),
            Walk::Recorded(walk) => walk.next(last),
            Walk::Stopped => Leg::rest_for_good(last.until, last.to),
        }
    }

    /// Legs that take no time are walked at once.
    fn unless_empty(&mut self, mut leg: Leg, rng: &mut Stream) -> Leg {
        while leg.until <= leg.since {
            leg = self.step(&leg, rng);
        }
        leg
    }
}

/// No node of a configuration is faster.
fn fastest(config: &Movement<'_>, m: &MobilityConfig) -> f64 {
    match m.model {
        MobilityModel::Static => 0.0,
        // A node about a point that moves.
        MobilityModel::Group => 2.0 * m.speed_max,
        MobilityModel::File => config.paths.iter().map(|path| path::fastest(&path.path)).fold(0.0, f64::max),
        _ => m.speed_max,
    }
}

#[cfg(test)]
mod tests;
