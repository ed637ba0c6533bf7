//! Random waypoint (Johnson and Maltz 1996; Broch et al. 1998): straight to a place drawn evenly, then a pause.
//!
//! After a long time (Navidi and Camp 2004, Le Boudec and Vojnovic 2005) a node is at rest with the probability E[P] /
//! (E[P] + E[D] E[1/V]), anywhere alike, with the rest of a pause before it; else on a way whose two ends have a density
//! that grows with their distance, anywhere on it alike, at a speed whose density falls with 1/v. It is thus more often in
//! the middle, and slower than the mean of the speeds that it chooses.

use super::leg::{Leg, distance};
use super::steady;
use crate::config::mobility::{MobilityConfig, MobilityStart};
use hopscope_core::math;
use hopscope_core::rng::Stream;
use hopscope_core::units::Time;

/// One node.
#[derive(Debug, Clone)]
pub(super) struct Waypoint {
    m: MobilityConfig,
    low: [f64; 2],
    size: [f64; 2],
    /// It has come to a place and is to pause there.
    arrives: bool,
}

impl Waypoint {
    /// A node in a rectangle: its lower left corner and its size, metres.
    pub(super) fn new(m: &MobilityConfig, low: [f64; 2], size: [f64; 2]) -> Self {
        Waypoint { m: m.clone(), low, size, arrives: false }
    }

    /// The leg at time zero.
    pub(super) fn first(&mut self, start: MobilityStart, home: [f64; 2], rng: &mut Stream) -> Leg {
        match start {
            MobilityStart::Steady => self.steady(rng),
            MobilityStart::Topology => self.set_out(Time::ZERO, home, rng),
        }
    }

    /// The leg that follows one which has ended.
    pub(super) fn next(&mut self, last: &Leg, rng: &mut Stream) -> Leg {
        if std::mem::take(&mut self.arrives) {
            Leg::rest(last.until, steady::chosen_pause(&self.m, rng), last.to)
        } else {
            self.set_out(last.until, last.to, rng)
        }
    }

    fn set_out(&mut self, now: Time, from: [f64; 2], rng: &mut Stream) -> Leg {
        self.arrives = true;
        let to = self.place(rng);
        Leg::at_speed(now, from, to, steady::chosen_speed(&self.m, rng))
    }

    fn steady(&mut self, rng: &mut Stream) -> Leg {
        let (rest, travel) =
            (steady::mean_pause(&self.m), steady::mean_distance(self.size) * steady::mean_slowness(&self.m));
        if rng.uniform() * (rest + travel) < rest {
            let place = self.place(rng);
            return Leg::rest(Time::ZERO, steady::left_of_pause(&self.m, rng), place);
        }
        let longest = math::hypot(self.size[0], self.size[1]);
        // Rejected with the share that a way's length lacks of the longest one: density in proportion to the length.
        let (from, to) = loop {
            let (from, to) = (self.place(rng), self.place(rng));
            if rng.uniform() * longest < distance(from, to) {
                break (from, to);
            }
        };
        let done = rng.uniform();
        let here = [0, 1].map(|axis| from[axis] + done * (to[axis] - from[axis]));
        self.arrives = true;
        Leg::at_speed(Time::ZERO, here, to, steady::seen_speed(&self.m, rng))
    }

    fn place(&self, rng: &mut Stream) -> [f64; 2] {
        [0, 1].map(|axis| self.low[axis] + self.size[axis] * rng.uniform())
    }
}
