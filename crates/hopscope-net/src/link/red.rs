//! RED (Floyd and Jacobson 1993): the average length of the queue decides at arrival.

use super::AqmAction;
use crate::config::LinkConfig;
use hopscope_core::math;
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};

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
    gentle: bool,
    wait: bool,
    restart: bool,
    /// Bytes of what counts as one packet; none: every packet does.
    size: Option<f64>,
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
            gentle: cfg.red_gentle,
            wait: cfg.red_wait,
            restart: cfg.red_restart,
            size: (cfg.red_size > 0).then_some(f64::from(cfg.red_size)),
        }
    }

    /// What becomes of a packet of `bytes` bytes that finds `waiting` others; `service` is the time one takes to be sent.
    pub fn on_arrival(&mut self, waiting: usize, bytes: u32, service: Span, now: Time, rng: &mut Stream) -> AqmAction {
        let worth = self.size.map_or(1.0, |size| f64::from(bytes) / size);
        if let Some(since) = self.empty_since.take() {
            // As if so many packets had found the queue empty.
            let missed = (now - since).0 as f64 / service.0.max(1) as f64 * worth;
            self.avg *= math::pow(1.0 - self.weight, missed);
        }
        self.avg += self.weight * (waiting as f64 * worth - self.avg);
        if self.avg < self.min || self.restart && waiting == 0 {
            self.count = None;
            return AqmAction::Pass;
        }
        let is_first = self.restart && self.count.is_none();
        let count = self.count.map_or(u32::from(is_first), |count| count + 1);
        self.count = Some(count);
        let highest = if self.gentle { 2.0 * self.max } else { self.max };
        if self.avg >= highest {
            self.count = Some(0);
            return AqmAction::Drop;
        }
        if is_first {
            return AqmAction::Pass;
        }
        let share = if self.avg < self.max {
            self.max_p * (self.avg - self.min) / (self.max - self.min)
        } else {
            self.max_p + (1.0 - self.max_p) * (self.avg - self.max) / self.max
        };
        let probability = self.spread(share, f64::from(count) * worth);
        if probability.is_infinite() || rng.uniform() < probability * worth {
            self.count = Some(0);
            return AqmAction::Mark;
        }
        AqmAction::Pass
    }

    /// Probability of a mark after so many packets without one that spreads marks evenly; infinite when one is due.
    fn spread(&self, share: f64, passed: f64) -> f64 {
        let turn = if self.wait { 2.0 } else { 1.0 };
        let left = turn - passed * share;
        if left <= 0.0 {
            f64::INFINITY
        } else if left > 1.0 {
            0.0 // the wait is not over
        } else {
            share / left
        }
    }

    /// The queue ran empty.
    pub fn on_empty(&mut self, now: Time) {
        self.empty_since = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::rng::Purpose;

    const SERVICE: Span = Span::from_millis(10);

    fn red(avg: f64) -> (Red, Stream) {
        let red = Red { avg, empty_since: None, weight: 1e-9, ..Red::new(&LinkConfig::default()) };
        (red, Stream::derive(1, 0, 0, Purpose::Link))
    }

    #[test]
    fn nothing_below_the_lower_threshold_everything_above_the_upper() {
        let (mut low, mut rng) = red(4.9);
        assert!((0..1000).all(|_| low.on_arrival(5, 1500, SERVICE, Time::ZERO, &mut rng) == AqmAction::Pass));
        let (mut high, mut rng) = red(15.1);
        assert!((0..1000).all(|_| high.on_arrival(15, 1500, SERVICE, Time::ZERO, &mut rng) == AqmAction::Drop));
    }

    #[test]
    fn marks_between_are_spread_evenly() {
        // Half-way: p = 0.05, marks after 1 to 20 packets, each distance equally likely (mean 10.5).
        let (mut red, mut rng) = red(10.0);
        let actions: Vec<AqmAction> =
            (0..21_000).map(|_| red.on_arrival(10, 1500, SERVICE, Time::ZERO, &mut rng)).collect();
        let places: Vec<usize> = (0..actions.len()).filter(|&i| actions[i] == AqmAction::Mark).collect();
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
        red.on_arrival(0, 1500, SERVICE, Time::ZERO + SERVICE * 500, &mut rng);
        assert!((red.avg - 10.0 * 0.998f64.powi(501)).abs() < 1e-9, "{}", red.avg);
    }

    /// Distances between the marks of 21,000 packets of 1500 bytes.
    fn gaps(mut red: Red, mut rng: Stream) -> Vec<usize> {
        let marked = |_| red.on_arrival(10, 1500, SERVICE, Time::ZERO, &mut rng) == AqmAction::Mark;
        let marks: Vec<bool> = (0..21_000).map(marked).collect();
        let places: Vec<usize> = (0..marks.len()).filter(|&place| marks[place]).collect();
        places.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    #[test]
    fn with_the_wait_no_mark_follows_within_its_mean_distance() {
        let (red, rng) = red(10.0);
        let gaps = gaps(Red { wait: true, ..red }, rng);
        // p = 0.05: 20 to 40 packets, each distance equally likely.
        assert!(gaps.iter().all(|gap| (20..=40).contains(gap)), "{:?}", gaps.iter().max());
        let mean = gaps.iter().sum::<usize>() as f64 / gaps.len() as f64;
        assert!((mean - 30.0).abs() < 1.5, "{mean}");
    }

    #[test]
    fn gently_the_probability_goes_on_above_the_upper_threshold() {
        let (gentle, mut rng) = red(29.9);
        let mut gentle = Red { gentle: true, ..gentle };
        assert_ne!(gentle.on_arrival(30, 1500, SERVICE, Time::ZERO, &mut rng), AqmAction::Drop);
        gentle.avg = 30.1;
        assert_eq!(gentle.on_arrival(30, 1500, SERVICE, Time::ZERO, &mut rng), AqmAction::Drop);
        let (above, rng) = red(17.0);
        // p = 0.22: one to four packets.
        let gaps = gaps(Red { gentle: true, ..above }, rng);
        assert!(gaps.iter().all(|gap| (1..=4).contains(gap)) && (1..=4).all(|gap| gaps.contains(&gap)), "{gaps:?}");
    }

    #[test]
    fn with_restarts_an_empty_queue_spares_packets_and_begins_anew() {
        let (red, mut rng) = red(14.9);
        let mut red = Red { max_p: 1.0, restart: true, ..red };
        // p = 0.99: the second after the first is always marked.
        let mut actions = |lengths: [usize; 5]| {
            lengths.map(|waiting| red.on_arrival(waiting, 1500, SERVICE, Time::ZERO, &mut rng) == AqmAction::Mark)
        };
        assert_eq!(actions([0, 0, 9, 9, 9]), [false, false, false, true, true]);
        assert_eq!(actions([0, 9, 0, 9, 9]), [false, false, false, false, true]);
    }

    #[test]
    fn a_packet_three_times_the_size_counts_as_three() {
        let (mut sized, mut rng) = red(9.0);
        sized = Red { size: Some(500.0), weight: 0.5, ..sized };
        sized.on_arrival(7, 1500, SERVICE, Time::ZERO, &mut rng);
        assert!((sized.avg - 15.0).abs() < 1e-9, "half of 9 and of 21: {}", sized.avg);
        let (third, rng) = red(10.0);
        let gaps = gaps(Red { size: Some(500.0), ..third }, rng);
        // p = 0.05 for each third: marks within 7 packets.
        assert!(gaps.iter().all(|gap| (1..=7).contains(gap)) && gaps.iter().any(|gap| *gap > 5), "{gaps:?}");
    }
}
