//! Manhattan grid (ETSI TR 101 112, B.1.4.2; Bai, Sadagopan and Helmy 2003): along streets, turning at crossings.
//!
//! A node goes from crossing to crossing, each block at a speed drawn anew, and pauses at crossings. Where four streets
//! meet it goes straight on with the probability `straight` and turns left or right alike; where fewer meet, it takes
//! those ahead and aside alike. It never turns back. So it comes from each street to each other one as often as the other
//! way round, and after a long time every block is walked alike, both ways.

use super::leg::Leg;
use super::steady;
use crate::config::mobility::MobilityConfig;
use hopscope_core::rng::Stream;
use hopscope_core::units::Time;

/// East, north, west, south.
const STEPS: [[i64; 2]; 4] = [[1, 0], [0, 1], [-1, 0], [0, -1]];

/// One node.
#[derive(Debug)]
pub(super) struct Manhattan {
    m: MobilityConfig,
    /// Blocks on each axis.
    blocks: [i64; 2],
    /// The crossing that it has come to or goes to.
    crossing: [i64; 2],
    /// Number of its direction.
    heading: usize,
    /// It has come to a crossing and is to pause there.
    arrives: bool,
}

impl Manhattan {
    /// A node on the streets of an area from the origin on.
    pub(super) fn new(m: &MobilityConfig) -> Self {
        // A side that is a whole number of blocks keeps the last one in spite of rounding.
        let blocks = m.area.map(|side| ((side / m.block) * (1.0 + 1e-12)) as i64);
        Manhattan { m: m.clone(), blocks, crossing: [0; 2], heading: 0, arrives: false }
    }

    /// The leg at time zero.
    pub(super) fn first(&mut self, rng: &mut Stream) -> Leg {
        // Every block of every street alike, in either direction.
        let [across, up] = self.blocks;
        let (east, north) = (across * (up + 1), up * (across + 1));
        let drawn = i64::from(rng.below((east + north).min(i64::from(u32::MAX)) as u32));
        let (axis, from) = if drawn < east {
            (0, [drawn % across, drawn / across])
        } else {
            let drawn = drawn - east;
            (1, [drawn / up, drawn % up])
        };
        let ahead = rng.below(2) == 0;
        self.heading = if ahead { axis } else { axis + 2 };
        let mut to = from;
        to[axis] += 1;
        let (from, to) = if ahead { (from, to) } else { (to, from) };
        self.crossing = to;
        let (rest, travel) = (steady::mean_pause(&self.m), self.m.block * steady::mean_slowness(&self.m));
        // By time, not by legs: a node is seen at rest as often as it spends time there.
        if rng.uniform() * (rest + travel) < rest {
            return Leg::rest(Time::ZERO, steady::left_of_pause(&self.m, rng), self.place(to));
        }
        self.arrives = true;
        let (from, to, done) = (self.place(from), self.place(to), rng.uniform());
        let here = [0, 1].map(|axis| from[axis] + done * (to[axis] - from[axis]));
        Leg::at_speed(Time::ZERO, here, to, steady::seen_speed(&self.m, rng))
    }

    /// The leg that follows one which has ended.
    pub(super) fn next(&mut self, last: &Leg, rng: &mut Stream) -> Leg {
        if std::mem::take(&mut self.arrives) {
            return Leg::rest(last.until, steady::chosen_pause(&self.m, rng), last.to);
        }
        self.heading = self.turn(rng);
        let step = STEPS[self.heading];
        self.crossing = [self.crossing[0] + step[0], self.crossing[1] + step[1]];
        self.arrives = true;
        Leg::at_speed(last.until, last.to, self.place(self.crossing), steady::chosen_speed(&self.m, rng))
    }

    /// Where it goes on from its crossing.
    fn turn(&self, rng: &mut Stream) -> usize {
        // Straight on, left, right; two quarters would be back.
        let there = [0, 1, 3].map(|turn| (self.heading + turn) % 4);
        let mut open = there.into_iter().filter(|&heading| self.is_street(heading));
        let found: Vec<usize> = open.by_ref().collect();
        let draw = rng.uniform();
        if found.len() == 3 {
            let aside = 0.5 * (1.0 - self.m.straight);
            return there[if draw < self.m.straight { 0 } else { 1 + usize::from(draw >= self.m.straight + aside) }];
        }
        found[(draw * found.len() as f64) as usize]
    }

    fn is_street(&self, heading: usize) -> bool {
        let step = STEPS[heading];
        (0..2).all(|axis| (0..=self.blocks[axis]).contains(&(self.crossing[axis] + step[axis])))
    }

    fn place(&self, crossing: [i64; 2]) -> [f64; 2] {
        crossing.map(|number| number as f64 * self.m.block)
    }
}
