//! RED (Floyd and Jacobson 1993): the average length of the queue decides at arrival.

use super::Verdict;
use crate::config::LinkConfig;
use crate::rng::Stream;
use crate::units::{Span, Time};

/// RED at one node.
#[derive(Debug)]
pub struct Red {
    avg: f64,
    /// Packets since the last mark; none: the average is below the lower threshold.
    count: Option<u32>,
    /// When the queue ran empty; none: it holds packets.
    empty_since: Option<Time>,
    min: f64,
    max: f64,
    max_p: f64,
    weight: f64,
}

impl Red {
    /// RED at an empty queue.
    pub fn new(cfg: &LinkConfig) -> Self {
        Red {
            avg: 0.0,
            count: None,
            empty_since: Some(Time::ZERO),
            min: cfg.red_min,
            max: cfg.red_max,
            max_p: cfg.red_max_p,
            weight: cfg.red_weight,
        }
    }

    /// What becomes of a packet that finds `waiting` packets; `service` is the time one takes to be sent.
    pub fn on_arrival(&mut self, waiting: usize, service: Span, now: Time, rng: &mut Stream) -> Verdict {
        if let Some(since) = self.empty_since.take() {
            // As if so many packets had found the queue empty.
            let missed = (now - since).0 as f64 / service.0.max(1) as f64;
            self.avg *= (1.0 - self.weight).powf(missed);
        }
        self.avg += self.weight * (waiting as f64 - self.avg);
        if self.avg < self.min {
            self.count = None;
            return Verdict::Pass;
        }
        let count = self.count.map_or(0, |count| count + 1);
        self.count = Some(count);
        if self.avg >= self.max {
            self.count = Some(0);
            return Verdict::Drop;
        }
        let share = self.max_p * (self.avg - self.min) / (self.max - self.min);
        let left = 1.0 - f64::from(count) * share;
        if left <= 0.0 || rng.uniform() < share / left {
            self.count = Some(0);
            return Verdict::Mark;
        }
        Verdict::Pass
    }

    /// The queue ran empty.
    pub fn on_empty(&mut self, now: Time) {
        self.empty_since = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;

    const SERVICE: Span = Span::from_millis(10);

    fn red(avg: f64) -> (Red, Stream) {
        let red = Red { avg, empty_since: None, weight: 1e-9, ..Red::new(&LinkConfig::default()) };
        (red, Stream::derive(1, 0, 0, Purpose::Link))
    }

    #[test]
    fn nothing_below_the_lower_threshold_everything_above_the_upper() {
        let (mut low, mut rng) = red(4.9);
        assert!((0..1000).all(|_| low.on_arrival(5, SERVICE, Time::ZERO, &mut rng) == Verdict::Pass));
        let (mut high, mut rng) = red(15.1);
        assert!((0..1000).all(|_| high.on_arrival(15, SERVICE, Time::ZERO, &mut rng) == Verdict::Drop));
    }

    #[test]
    fn marks_between_are_spread_evenly() {
        // Half-way: p = 0.05, marks after 1 to 20 packets, each distance equally likely (mean 10.5).
        let (mut red, mut rng) = red(10.0);
        let verdicts: Vec<Verdict> = (0..21_000).map(|_| red.on_arrival(10, SERVICE, Time::ZERO, &mut rng)).collect();
        let places: Vec<usize> = (0..verdicts.len()).filter(|&i| verdicts[i] == Verdict::Mark).collect();
        let gaps: Vec<usize> = places.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(gaps.iter().all(|&gap| (1..=20).contains(&gap)), "{:?}", gaps.iter().max());
        let mean = gaps.iter().sum::<usize>() as f64 / gaps.len() as f64;
        // Five standard errors: 5.77 / sqrt(2000) each.
        assert!((mean - 10.5).abs() < 0.65, "{mean}");
    }

    #[test]
    fn the_average_decays_while_the_queue_is_empty() {
        let (mut red, mut rng) = red(10.0);
        red.weight = 0.002;
        red.on_empty(Time::ZERO);
        red.on_arrival(0, SERVICE, Time::ZERO + SERVICE * 500, &mut rng);
        assert!((red.avg - 10.0 * 0.998f64.powi(501)).abs() < 1e-9, "{}", red.avg);
    }
}
