//! Link RED (fu2003, algorithm 1): the number of MAC retries shows how crowded the channel is.

use super::AqmAction;
use crate::config::LinkConfig;
use hopscope_core::rng::Stream;

/// Link RED at one node.
#[derive(Debug)]
pub struct Lred {
    avg_retry: f64,
    min: f64,
    max: f64,
    max_p: f64,
    weight: f64,
}

impl Lred {
    /// Link RED that has seen no packet.
    pub fn new(cfg: &LinkConfig) -> Self {
        Lred { avg_retry: 0.0, min: cfg.lred_min, max: cfg.lred_max, max_p: cfg.lred_max_p, weight: cfg.lred_weight }
    }

    /// Probability with which the next packet is marked.
    fn mark_probability(&self) -> f64 {
        if self.is_quiet() { 0.0 } else { ((self.avg_retry - self.min) / (self.max - self.min)).min(self.max_p) }
    }

    /// True while the average is below the lower threshold: pacing is on.
    pub fn is_quiet(&self) -> bool {
        self.avg_retry < self.min
    }

    /// What becomes of the packet at the head of the queue.
    pub fn decide(&self, rng: &mut Stream) -> AqmAction {
        let p = self.mark_probability();
        // No draw without a chance: a layer that is quiet leaves its random numbers where they are.
        if p > 0.0 && rng.uniform() < p { AqmAction::Mark } else { AqmAction::Pass }
    }

    /// The MAC is done with a packet after so many retries.
    pub fn on_done(&mut self, retries: u32) {
        self.avg_retry = (1.0 - self.weight) * self.avg_retry + self.weight * f64::from(retries);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::rng::Purpose;

    #[test]
    fn the_average_follows_the_retries_and_the_probability_the_average() {
        let mut lred = Lred::new(&LinkConfig::default());
        assert_eq!((lred.mark_probability(), lred.is_quiet()), (0.0, true));
        lred.on_done(7);
        assert!((lred.avg_retry - 0.875).abs() < 1e-12);
        lred.on_done(7);
        assert!((lred.avg_retry - (0.875 * 0.875 + 0.875)).abs() < 1e-12 && lred.is_quiet());
        lred.on_done(7);
        // 2.31 retries: (2.31 - 1.8) / 1.4 = 0.36 is cut to the largest probability.
        assert!(!lred.is_quiet());
        assert_eq!(lred.mark_probability(), 0.14);
        lred.avg_retry = 1.87;
        assert!((lred.mark_probability() - 0.05).abs() < 1e-12);
        for _ in 0..3 {
            lred.on_done(0);
        }
        assert!(lred.is_quiet());
    }

    #[test]
    fn marks_come_at_that_rate() {
        let mut lred = Lred::new(&LinkConfig::default());
        lred.avg_retry = 5.0;
        let mut rng = Stream::derive(3, 0, 0, Purpose::Link);
        let marks = (0..10_000).filter(|_| lred.decide(&mut rng) == AqmAction::Mark).count();
        // Five standard deviations of a binomial count.
        assert!((marks as f64 - 1400.0).abs() < 5.0 * 34.7, "{marks}");
    }
}
