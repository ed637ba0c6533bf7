//! Reference-point group (Hong, Gerla, Pei and Chiang 1999): nodes about a point that moves.
//!
//! The point of a group moves by random waypoint so far from the border that its nodes stay in the area. Each node moves
//! by random waypoint in a square about it. What a node does is the sum of both.

use super::leg::Leg;
use super::waypoint::Waypoint;
use crate::config::mobility::{MobilityConfig, MobilityStart};
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::Time;

/// The streams of the points of groups come behind those of all nodes.
const POINTS: u64 = 1 << 32;

/// One node of a group. It keeps a movement of its point by itself, which is the same for all nodes of the group.
#[derive(Debug)]
pub(super) struct Member {
    point: Waypoint,
    point_leg: Leg,
    point_rng: Stream,
    about: Waypoint,
    about_leg: Leg,
}

impl Member {
    /// A node of the group of this number.
    pub(super) fn new(m: &MobilityConfig, seed: u64, group: usize) -> Self {
        let inner = m.area.map(|side| side - 2.0 * m.radius);
        let point = Waypoint::new(m, [m.radius; 2], inner);
        let about = Waypoint::new(m, [-m.radius; 2], [2.0 * m.radius; 2]);
        let nowhere = Leg::rest_for_good(Time::ZERO, [0.0; 2]);
        let point_rng = Stream::derive(seed, 0, POINTS + group as u64, Purpose::Mobility);
        Member { point, point_leg: nowhere, point_rng, about, about_leg: nowhere }
    }

    /// The leg at time zero.
    pub(super) fn first(&mut self, rng: &mut Stream) -> Leg {
        self.point_leg = self.point.first(MobilityStart::Steady, [0.0; 2], &mut self.point_rng);
        self.about_leg = self.about.first(MobilityStart::Steady, [0.0; 2], rng);
        self.both(Time::ZERO)
    }

    /// The leg that follows one which has ended: that of the point, that about it, or both.
    pub(super) fn next(&mut self, last: &Leg, rng: &mut Stream) -> Leg {
        let now = last.until;
        while self.point_leg.until <= now {
            self.point_leg = self.point.next(&self.point_leg, &mut self.point_rng);
        }
        while self.about_leg.until <= now {
            self.about_leg = self.about.next(&self.about_leg, rng);
        }
        self.both(now)
    }

    fn both(&self, now: Time) -> Leg {
        // The sum of two straight legs is straight as long as both last.
        let until = self.point_leg.until.min(self.about_leg.until);
        let place = |at: Time| {
            let (point, about) = (self.point_leg.at(at), self.about_leg.at(at));
            [point[0] + about[0], point[1] + about[1]]
        };
        Leg::between(now, until, place(now), place(until))
    }
}
