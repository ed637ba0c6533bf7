//! FAST (Jin, Wei and Low 2004; Wei et al. 2006): the window moves towards the one that keeps `alpha` packets queued.

use super::round::Round;
use super::{Acked, Aimd, Controller, Feedback, Loss, Window};
use crate::config::TcpConfig;

/// After a loss the delay counts again once this share of a window of samples is in (zhang2006).
const SAMPLES_AFTER_LOSS: f64 = 0.3;

/// State of FAST. Times are seconds.
#[derive(Debug, Clone)]
pub(in super::super) struct Fast {
    reno: Aimd,
    /// Packets each flow keeps queued.
    alpha: f64,
    /// Share of the way to the target taken by one update.
    gamma: f64,
    base_rtt: f64,
    avg_rtt: f64,
    round: Round,
    /// The window moves in every other round trip: what it moved is seen in between.
    move_now: bool,
    /// Samples still to come before the delay counts.
    blind: f64,
}

impl Fast {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64) -> Self {
        Fast {
            reno: Aimd::new(cfg, mss),
            alpha: cfg.fast_alpha,
            gamma: cfg.fast_gamma,
            base_rtt: f64::INFINITY,
            avg_rtt: 0.0,
            round: Round::default(),
            move_now: false,
            blind: 0.0,
        }
    }

    /// Packets in the queues of the path.
    fn queued(&self, w: &Window) -> f64 {
        if self.avg_rtt > 0.0 { w.cwnd * (1.0 - self.base_rtt / self.avg_rtt) } else { 0.0 }
    }

    fn update(&self, w: &mut Window) {
        let target = w.cwnd - self.queued(w) + self.alpha;
        let moved = (1.0 - self.gamma) * w.cwnd + self.gamma * target;
        w.cwnd = moved.min(2.0 * w.cwnd).max(2.0);
    }
}

impl Controller for Fast {
    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, w: &mut Window, ack: &Feedback) {
        let Some(rtt) = ack.rtt else { return };
        let rtt = rtt.as_secs();
        self.base_rtt = self.base_rtt.min(rtt);
        let weight = (3.0 / w.cwnd).min(0.25);
        self.avg_rtt = if self.avg_rtt > 0.0 { self.avg_rtt + weight * (rtt - self.avg_rtt) } else { rtt };
        self.blind -= 1.0;
    }

    fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
        let new_round = self.round.ended(ack.una, ack.nxt);
        if w.cwnd < w.ssthresh {
            // Slow start lasts until the packets to be kept queued are queued.
            if self.queued(w) < self.alpha {
                return self.reno.on_ack(w, ack);
            }
            w.ssthresh = w.cwnd;
        }
        if new_round && self.blind <= 0.0 {
            self.move_now = !self.move_now;
            // A window that is not used does not grow.
            if self.move_now && (ack.cwnd_limited || self.queued(w) > self.alpha) {
                self.update(w);
            }
        }
    }

    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        self.blind = (SAMPLES_AFTER_LOSS * w.cwnd).ceil();
        self.reno.on_loss(w, loss)
    }

    fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
        self.blind = (SAMPLES_AFTER_LOSS * w.cwnd).ceil();
        self.reno.on_timeout(w, loss);
    }

    fn on_undo(&mut self, w: &mut Window, to: &Window, before: &Self) {
        w.restore(to);
        self.blind = before.blind;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{acked, feedback, loss, window};
    use super::*;

    /// Runs FAST over a link that serves `rate` packets per second after `base` seconds, one step per round trip.
    fn settle(alpha: f64, rate: f64, base: f64, rounds: u64) -> (Window, f64) {
        let cfg = TcpConfig { fast_alpha: alpha, ..TcpConfig::default() };
        let mut fast = Fast::new(&cfg, 1000);
        let mut w = window(2.0, 2.0);
        for n in 0..rounds {
            let rtt = (w.cwnd / rate).max(base);
            for k in 0..20 {
                fast.on_feedback(&mut w, &feedback(n * 20 + k, 1 + n, Some((rtt * 1000.0) as u64)));
            }
            let mut ack = acked(1000);
            (ack.una, ack.nxt) = (n + 1, n + 1);
            fast.on_ack(&mut w, &ack);
        }
        let queued = (w.cwnd - rate * base).max(0.0);
        (w, queued)
    }

    #[test]
    fn each_flow_keeps_alpha_packets_queued() {
        for (alpha, rate, base) in [(2.0, 100.0, 0.1), (2.0, 20.0, 0.2), (10.0, 400.0, 0.05)] {
            let (w, queued) = settle(alpha, rate, base, 400);
            assert!((queued - alpha).abs() < 0.1 * alpha + 0.2, "{queued} of {alpha}, window {}", w.cwnd);
        }
    }

    #[test]
    fn growth_is_at_most_a_doubling_and_gamma_of_the_way() {
        let cfg = TcpConfig { fast_alpha: 100.0, ..TcpConfig::default() };
        let mut fast = Fast::new(&cfg, 1000);
        let mut w = window(4.0, 2.0);
        fast.on_feedback(&mut w, &feedback(0, 1, Some(100)));
        fast.update(&mut w);
        assert_eq!(w.cwnd, 8.0);
        let mut fast = Fast::new(&TcpConfig::default(), 1000); // alpha 2, gamma 0.5, no queue
        let mut w = window(10.0, 2.0);
        fast.on_feedback(&mut w, &feedback(0, 1, Some(100)));
        fast.update(&mut w);
        assert_eq!(w.cwnd, 11.0);
    }

    #[test]
    fn a_loss_halves_and_blinds_for_a_third_of_a_window() {
        let mut fast = Fast::new(&TcpConfig::default(), 1000);
        let mut w = window(10.0, 2.0);
        fast.on_feedback(&mut w, &feedback(0, 1, Some(100)));
        fast.on_loss(&mut w, &loss(10.0));
        assert_eq!((w.cwnd, fast.blind), (5.0, 3.0));
    }
}
