//! Illinois (Liu, Basar and Srikant 2008): losses decide when the window moves, the queueing delay how far. Little
//! delay means fast growth and a small cut, much delay the opposite.

use super::round::Round;
use super::{Acked, Aimd, Controller, Feedback, Loss, Window};
use crate::config::TcpConfig;

/// Delays that bound the curves, as shares of the largest queueing delay (eta 1 to 3).
const ETA: [f64; 3] = [0.01, 0.1, 0.8];
/// Round trips with little delay before growth returns to its maximum (theta).
const THETA: u32 = 5;
/// Reno's growth and cut.
const BASE: (f64, f64) = (1.0, 0.5);

/// State of Illinois.
#[derive(Debug, Clone)]
pub(in super::super) struct Illinois {
    reno: Aimd,
    /// Bounds of the growth, and of the cut.
    alpha_bounds: (f64, f64),
    beta_bounds: (f64, f64),
    /// Below this window it is Reno.
    threshold: f64,
    /// Smallest and largest round-trip time, in whole microseconds: what differs by less is no delay.
    base_rtt: u64,
    max_rtt: u64,
    /// Sum and number of the round-trip times of the round under way.
    sum: u64,
    samples: u64,
    round: Round,
    /// Growth in segments per round trip, and the share of the window that a loss takes.
    alpha: f64,
    beta: f64,
    /// Round trips in a row with little delay, while growth is below its maximum.
    calm: u32,
    /// Growth has been below its maximum for delay, not for want of samples.
    delayed: bool,
}

impl Illinois {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64) -> Self {
        Illinois {
            reno: Aimd::new(cfg, mss),
            alpha_bounds: (cfg.illinois_alpha_min, cfg.illinois_alpha_max),
            beta_bounds: (cfg.illinois_beta_min, cfg.illinois_beta_max),
            threshold: cfg.illinois_window,
            base_rtt: u64::MAX,
            max_rtt: 0,
            sum: 0,
            samples: 0,
            round: Round::default(),
            alpha: BASE.0,
            beta: BASE.1,
            calm: 0,
            delayed: false,
        }
    }

    /// A round trip is over.
    fn update(&mut self, w: &Window) {
        if self.samples == 0 {
            return;
        }
        let delay = self.sum / self.samples - self.base_rtt;
        (self.sum, self.samples) = (0, 0);
        if w.cwnd < self.threshold {
            (self.alpha, self.beta) = BASE;
            (self.calm, self.delayed) = (0, false);
            return;
        }
        let (delay, most) = (delay as f64 / 1e6, (self.max_rtt - self.base_rtt) as f64 / 1e6);
        self.alpha = self.growth(delay, most);
        self.beta = self.cut(delay, most);
    }

    /// alpha of the average queueing delay (equations 5 and 7).
    fn growth(&mut self, delay: f64, most: f64) -> f64 {
        let (least, largest) = self.alpha_bounds;
        let little = ETA[0] * most;
        if delay <= little {
            // One quiet round trip after a crowded one proves nothing.
            self.calm += 1;
            if self.delayed && self.calm < THETA {
                return self.alpha;
            }
            self.delayed = false;
            return largest;
        }
        (self.calm, self.delayed) = (0, true);
        let k1 = (most - little) * least * largest / (largest - least);
        let k2 = (most - little) * least / (largest - least) - little;
        k1 / (k2 + delay)
    }

    /// beta of the average queueing delay (equations 5 and 8).
    fn cut(&self, delay: f64, most: f64) -> f64 {
        let (least, largest) = self.beta_bounds;
        let share = (delay / most - ETA[1]) / (ETA[2] - ETA[1]);
        if most > 0.0 { least + (largest - least) * share.clamp(0.0, 1.0) } else { least }
    }
}

impl Controller for Illinois {
    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, w: &mut Window, ack: &Feedback) {
        if let Some(rtt) = ack.rtt {
            let rtt = rtt.0 / 1_000;
            self.base_rtt = self.base_rtt.min(rtt);
            self.max_rtt = self.max_rtt.max(rtt);
            self.sum += rtt;
            self.samples += 1;
        }
        if self.round.ended(ack.una, ack.nxt) {
            self.update(w);
        }
    }

    fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
        self.reno.grow(w, ack, self.alpha);
    }

    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        (w.ssthresh, w.cwnd) = self.reno.cut(loss, 1.0 - self.beta);
        true
    }

    fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
        self.reno.restart(w, loss, 1.0 - self.beta);
        // What was known of the delay is out of date.
        (self.alpha, self.beta) = BASE;
        (self.calm, self.delayed) = (0, false);
        (self.sum, self.samples) = (0, 0);
    }

    fn on_undo(&mut self, w: &mut Window, to: &Window, before: &Self) {
        w.restore(to);
        (self.alpha, self.beta) = (before.alpha, before.beta);
        (self.calm, self.delayed) = (before.calm, before.delayed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{acked, feedback, loss, window};
    use super::*;
    use hopscope_core::units::Span;

    /// An Illinois that knows round-trip times from 100 to 200 ms, and the next round to give it.
    struct Seen(Illinois, u64);

    impl Seen {
        fn new() -> Self {
            let mut seen = Seen(Illinois::new(&TcpConfig::default(), 1000), 0);
            seen.round(100);
            seen.round(200);
            seen
        }

        /// A round trip of `rtt` ms at a window of 20; alpha and beta then.
        fn round(&mut self, rtt: u64) -> (f64, f64) {
            self.1 += 1;
            self.0.on_feedback(&mut window(20.0, 10.0), &feedback(self.1 * 200, self.1 * 20_000, Some(rtt)));
            (self.0.alpha, self.0.beta)
        }
    }

    #[test]
    fn growth_falls_and_the_cut_rises_with_the_delay() {
        // d_m = 100 ms: d_1 = 1 ms, d_2 = 10 ms, d_3 = 80 ms.
        // kappa_1 = 0.099 * 3 / 9.7, kappa_2 = 0.099 * 0.3 / 9.7 - 0.001
        let (k1, k2) = (0.099 * 3.0 / 9.7, 0.099 * 0.3 / 9.7 - 0.001);
        for (rtt, beta) in [(105, 0.125), (110, 0.125), (145, 0.3125), (180, 0.5), (200, 0.5)] {
            let (alpha, cut) = Seen::new().round(rtt);
            let want = k1 / (k2 + (rtt - 100) as f64 / 1000.0);
            assert!((alpha - want).abs() < 1e-9, "alpha {alpha}, not {want} at {rtt} ms");
            assert!((cut - beta).abs() < 1e-9, "beta {cut}, not {beta} at {rtt} ms");
        }
        assert!((Seen::new().round(200).0 - 0.3).abs() < 1e-9, "alpha_min at the largest delay");
    }

    #[test]
    fn growth_is_the_largest_where_no_queue_was_seen() {
        // Three times the same does not divide by three to the last bit.
        let mut seen = Seen(Illinois::new(&TcpConfig::default(), 1000), 0);
        let mut w = window(20.0, 10.0);
        for round in 1..40_u64 {
            for ack in 0..3 {
                let rtt = Some(Span(100_000_100 + 100 * (ack % 2)));
                seen.0.on_feedback(&mut w, &Feedback { rtt, ..feedback(round * 200 + ack, round * 20_000, None) });
            }
            assert!(round < 2 || seen.0.alpha == 10.0, "{} in round {round}", seen.0.alpha);
        }
    }

    #[test]
    fn growth_returns_to_its_maximum_after_five_quiet_round_trips() {
        let mut seen = Seen::new();
        let crowded = seen.round(150).0;
        let quiet: Vec<f64> = (0..6).map(|_| seen.round(100).0).collect();
        assert_eq!(quiet, [crowded, crowded, crowded, crowded, 10.0, 10.0]);
    }

    #[test]
    fn the_window_moves_by_alpha_and_beta() {
        let mut seen = Seen::new();
        let (alpha, _) = seen.round(145);
        let mut w = window(20.0, 10.0);
        seen.0.on_ack(&mut w, &acked(1000));
        assert!((w.cwnd - 20.0 - alpha / 20.0).abs() < 1e-12);
        let mut w = window(20.0, 10.0);
        seen.0.on_loss(&mut w, &loss(20.0));
        assert!((w.cwnd - 13.75).abs() < 1e-9 && w.ssthresh == w.cwnd, "{}", w.cwnd);
    }

    #[test]
    fn small_windows_and_timeouts_are_renos() {
        let mut seen = Seen::new();
        seen.round(200);
        seen.0.on_feedback(&mut window(14.0, 10.0), &feedback(9_000, 900_000, Some(200)));
        assert_eq!((seen.0.alpha, seen.0.beta), BASE);
        let mut seen = Seen::new();
        seen.round(105);
        let mut w = window(20.0, 10.0);
        seen.0.on_timeout(&mut w, &loss(20.0));
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 17.5), "the cut of the delay before");
        assert_eq!((seen.0.alpha, seen.0.beta), BASE);
    }
}
