//! Veno (Fu and Liew 2003): Reno that takes a loss for a random one while Vegas' backlog is small.

use super::round::Round;
use super::{Acked, Aimd, Controller, Feedback, Loss, Window};
use crate::config::TcpConfig;

/// Share of the window kept after a random loss.
const AFTER_RANDOM_LOSS: f64 = 0.8;
/// Round-trip samples needed before the backlog means anything (Linux `tcp_veno.c`).
const SAMPLES: u32 = 3;

/// State of Veno. Times are seconds.
#[derive(Debug, Clone)]
pub(in super::super) struct Veno {
    reno: Aimd,
    /// Backlog in packets from which on the network counts as congested.
    beta: f64,
    base_rtt: f64,
    /// Smallest round-trip time of the last round, and of the one under way.
    rtt: f64,
    round_rtt: f64,
    round: Round,
    samples: u32,
    /// The next ACK does not grow a congested window.
    skip: bool,
}

impl Veno {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64) -> Self {
        Veno {
            reno: Aimd::new(cfg, mss),
            beta: cfg.veno_beta,
            base_rtt: f64::INFINITY,
            rtt: f64::INFINITY,
            round_rtt: f64::INFINITY,
            round: Round::default(),
            samples: 0,
            skip: false,
        }
    }

    /// Packets that wait in the network; none before there are enough samples.
    fn backlog(&self, w: &Window) -> Option<f64> {
        (self.samples >= SAMPLES && self.rtt.is_finite()).then(|| w.cwnd * (1.0 - self.base_rtt / self.rtt))
    }
}

impl Controller for Veno {
    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, _w: &mut Window, ack: &Feedback) {
        if let Some(rtt) = ack.rtt {
            let rtt = rtt.as_secs();
            self.samples = self.samples.saturating_add(1);
            self.base_rtt = self.base_rtt.min(rtt);
            self.round_rtt = self.round_rtt.min(rtt);
        }
        if self.round.ended(ack.una, ack.nxt) && self.round_rtt.is_finite() {
            self.rtt = std::mem::replace(&mut self.round_rtt, f64::INFINITY);
        }
    }

    fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
        let congested = self.backlog(w).is_some_and(|n| n >= self.beta);
        if congested && w.cwnd >= w.ssthresh {
            // Every other ACK: the window grows by a packet in two round trips.
            self.skip = !self.skip;
            if self.skip {
                return;
            }
        }
        self.reno.on_ack(w, ack);
    }

    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        // A router that marks has said that it is congestion.
        if !loss.marked && self.backlog(w).is_some_and(|n| n < self.beta) {
            (w.ssthresh, w.cwnd) = self.reno.cut(loss, AFTER_RANDOM_LOSS);
            return true;
        }
        self.reno.on_loss(w, loss)
    }

    fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
        self.reno.on_timeout(w, loss);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{acked, feedback, loss, window};
    use super::*;

    /// A Veno that has seen a base RTT of 100 ms and then rounds of `rtt` ms.
    fn seen(rtt: u64) -> Veno {
        let mut v = Veno::new(&TcpConfig::default(), 1000);
        let mut w = window(10.0, 5.0);
        for (n, ms) in [100, rtt, rtt, rtt].into_iter().enumerate() {
            v.on_feedback(&mut w, &feedback(n as u64 * 100, 1 + n as u64 * 10_000, Some(ms)));
        }
        v
    }

    #[test]
    fn a_loss_with_a_small_backlog_is_taken_for_random() {
        let mut w = window(10.0, 5.0);
        let mut v = seen(125); // 10 (1 - 100 / 125) = 2 packets
        assert!((v.backlog(&w).expect("samples") - 2.0).abs() < 1e-9);
        v.on_loss(&mut w, &loss(10.0));
        assert_eq!((w.cwnd, w.ssthresh), (8.0, 8.0));
        let mut w = window(10.0, 5.0);
        let mut v = seen(200); // 5 packets
        v.on_loss(&mut w, &loss(10.0));
        assert_eq!((w.cwnd, w.ssthresh), (5.0, 5.0));
    }

    #[test]
    fn a_congested_window_grows_on_every_second_ack() {
        for (rtt, grown) in [(125, 10.0 + 0.1 + 1.0 / 10.1), (200, 10.1)] {
            let mut w = window(10.0, 5.0);
            let mut v = seen(rtt);
            for _ in 0..2 {
                v.on_ack(&mut w, &acked(1000));
            }
            assert!((w.cwnd - grown).abs() < 1e-12, "{} at {rtt} ms", w.cwnd);
        }
    }

    #[test]
    fn without_samples_it_is_reno() {
        let mut w = window(10.0, 5.0);
        Veno::new(&TcpConfig::default(), 1000).on_loss(&mut w, &loss(10.0));
        assert_eq!(w.cwnd, 5.0);
    }
}
