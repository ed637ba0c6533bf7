//! Movement that a file describes: places by time, straight lines in between.

use super::leg::{Leg, distance};
use crate::config::mobility::Path;
use hopscope_core::units::Time;

/// One node.
#[derive(Debug)]
pub(super) struct Recorded {
    path: Path,
    /// The place that it goes to.
    next: usize,
}

impl Recorded {
    /// A node with this way, which has a place.
    pub(super) fn new(path: Path) -> Self {
        Recorded { path, next: 0 }
    }

    /// The leg at time zero: at rest until the first instant.
    pub(super) fn first(&mut self) -> Leg {
        // A file may begin later than the run: until then the node stands at its first place.
        let (at, place) = self.path[0];
        self.next = 1;
        Leg::between(Time::ZERO, at, place, place)
    }

    /// The leg that follows one which has ended.
    pub(super) fn next(&mut self, last: &Leg) -> Leg {
        let Some(&(until, to)) = self.path.get(self.next) else {
            return Leg::rest_for_good(last.until, last.to);
        };
        self.next += 1;
        Leg::between(last.until, until, last.to, to)
    }
}

/// Greatest speed on a way, m/s.
pub(super) fn fastest(path: &Path) -> f64 {
    let speed = |pair: &[(Time, [f64; 2])]| {
        let time = pair[1].0.0.saturating_sub(pair[0].0.0) as f64 * 1e-9;
        if time > 0.0 { distance(pair[0].1, pair[1].1) / time } else { 0.0 }
    };
    path.windows(2).map(speed).fold(0.0, f64::max)
}
