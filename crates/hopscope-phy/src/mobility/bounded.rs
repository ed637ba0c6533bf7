//! Steps of equal time between walls: random walk, and Gauss-Markov (Liang and Haas 1999).
//!
//! A random walk draws speed and direction of each step anew. Under Gauss-Markov they are s' = a s + (1 - a) m + sqrt(1 -
//! a^2) d N(0, 1), with memory a, mean m and deviation d, of which the mean direction is the node's own; speeds stay
//! within their bounds. The border reflects a node, under Gauss-Markov its mean direction too. Both fill the area evenly
//! after a long time, and a node is anywhere in its step.

use hopscope_core::math;
use std::f64::consts::{PI, TAU};

use super::leg::{Leg, after};
use super::steady;
use crate::config::mobility::{MobilityConfig, MobilityModel, MobilityStart};
use hopscope_core::rng::Stream;
use hopscope_core::units::Time;

/// One node.
#[derive(Debug)]
pub(super) struct Bounded {
    m: MobilityConfig,
    /// m/s.
    speed: f64,
    /// Radians.
    direction: f64,
    mean_direction: f64,
    /// Seconds left of the step.
    left: f64,
}

impl Bounded {
    /// A node in an area from the origin on.
    pub(super) fn new(m: &MobilityConfig) -> Self {
        Bounded { m: m.clone(), speed: 0.0, direction: 0.0, mean_direction: 0.0, left: 0.0 }
    }

    /// The leg at time zero.
    pub(super) fn first(&mut self, start: MobilityStart, home: [f64; 2], rng: &mut Stream) -> Leg {
        let m = &self.m;
        self.mean_direction = TAU * rng.uniform();
        self.direction = self.mean_direction;
        self.left = m.step.as_secs();
        let place = match start {
            MobilityStart::Topology => home,
            MobilityStart::Steady => {
                self.left *= 1.0 - rng.uniform();
                m.area.map(|side| side * rng.uniform())
            }
        };
        self.speed = match m.model {
            MobilityModel::GaussMarkov => self.bounded(self.mean_speed() + m.speed_deviation * rng.normal()),
            _ => steady::chosen_speed(m, rng),
        };
        if m.model == MobilityModel::GaussMarkov {
            // Speed and direction begin with the distribution that the process keeps, so that nothing settles in a
            // run.
            self.direction += m.direction_deviation * rng.normal();
        }
        self.go(Time::ZERO, place)
    }

    /// The leg that follows one which has ended.
    pub(super) fn next(&mut self, last: &Leg, rng: &mut Stream) -> Leg {
        if self.left <= 0.0 {
            self.draw(rng);
        }
        self.go(last.until, last.to)
    }

    /// Speed and direction of the next step.
    fn draw(&mut self, rng: &mut Stream) {
        let m = &self.m;
        self.left = m.step.as_secs();
        if m.model == MobilityModel::RandomWalk {
            self.speed = steady::chosen_speed(m, rng);
            self.direction = TAU * rng.uniform();
            return;
        }
        let fresh = (1.0 - m.memory * m.memory).sqrt();
        let mixed = |old: f64, mean: f64, deviation: f64, draw: f64| {
            m.memory * old + (1.0 - m.memory) * mean + fresh * deviation * draw
        };
        let speed = mixed(self.speed, self.mean_speed(), m.speed_deviation, rng.normal());
        let direction = mixed(self.direction, self.mean_direction, m.direction_deviation, rng.normal());
        (self.speed, self.direction) = (self.bounded(speed), direction);
    }

    fn mean_speed(&self) -> f64 {
        0.5 * (self.m.speed_min + self.m.speed_max)
    }

    fn bounded(&self, speed: f64) -> f64 {
        speed.clamp(self.m.speed_min, self.m.speed_max)
    }

    /// On to the end of the step or to the border, which turns the node round.
    fn go(&mut self, now: Time, from: [f64; 2]) -> Leg {
        let velocity = [self.speed * math::cos(self.direction), self.speed * math::sin(self.direction)];
        let to_wall = |axis: usize| {
            let room = if velocity[axis] > 0.0 { self.m.area[axis] - from[axis] } else { from[axis] };
            if velocity[axis] == 0.0 { f64::INFINITY } else { (room / velocity[axis].abs()).max(0.0) }
        };
        let walls = [to_wall(0), to_wall(1)];
        let wall = walls[0].min(walls[1]);
        let time = wall.min(self.left);
        // Rounding may end a hair beyond the wall.
        let to = [0, 1].map(|axis| (from[axis] + velocity[axis] * time).clamp(0.0, self.m.area[axis]));
        self.left -= time;
        if wall <= time {
            // Both walls of a corner turn it.
            for (_, turn) in walls.into_iter().zip([PI, 0.0]).filter(|&(wall, _)| wall <= time) {
                self.direction = turn - self.direction;
                // Otherwise the mean would press the node against the wall from now on.
                self.mean_direction = turn - self.mean_direction;
            }
        }
        Leg::between(now, after(now, time), from, to)
    }
}
