//! TIBET (Capone, Fratta and Martignon 2004) as zhang2006 gives it: the bandwidth in use is the mean packet length over
//! the mean time between packets sent, both averaged; after a loss the window is what it fills.

use super::{Acked, Aimd, Controller, Feedback, Loss, Window};
use crate::config::TcpConfig;
use hopscope_core::units::Time;

/// State of TIBET. Times are seconds, lengths bytes.
#[derive(Debug, Clone)]
pub(in super::super) struct Tibet {
    reno: Aimd,
    mss: f64,
    /// Weight of the old averages.
    alpha: f64,
    /// When the last packet left.
    last: Option<Time>,
    /// Mean length and mean time between packets; zero before the second packet.
    length: f64,
    gap: f64,
    rtt_min: f64,
}

impl Tibet {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64) -> Self {
        Tibet {
            reno: Aimd::new(cfg, mss),
            mss: mss as f64,
            alpha: cfg.tibet_alpha,
            last: None,
            length: 0.0,
            gap: 0.0,
            rtt_min: f64::INFINITY,
        }
    }

    /// Segments that the bandwidth in use fills at the smallest round-trip time.
    fn pipe(&self) -> Option<f64> {
        (self.gap > 0.0 && self.rtt_min.is_finite())
            .then(|| (self.length / self.gap * self.rtt_min / self.mss).max(2.0))
    }
}

impl Controller for Tibet {
    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, _w: &mut Window, ack: &Feedback) {
        if let Some(rtt) = ack.rtt {
            self.rtt_min = self.rtt_min.min(rtt.as_secs());
        }
    }

    fn on_sent(&mut self, seq: u64, now: Time) {
        if seq == 0 {
            return;
        }
        if let Some(last) = self.last {
            let gap = now.saturating_since(last).as_secs();
            if self.length == 0.0 {
                (self.length, self.gap) = (self.mss, gap);
            } else {
                self.length = self.alpha * self.length + (1.0 - self.alpha) * self.mss;
                self.gap = self.alpha * self.gap + (1.0 - self.alpha) * gap;
            }
        }
        self.last = Some(now);
    }

    fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
        self.reno.on_ack(w, ack);
    }

    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        let pipe = self.pipe();
        self.reno.fall_to(pipe, w, loss)
    }

    fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
        let pipe = self.pipe();
        self.reno.restart_below(pipe, w, loss);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{feedback, loss, window};
    use super::*;

    #[test]
    fn pairs_sent_together_average_to_the_rate() {
        let mut tibet = Tibet::new(&TcpConfig::default(), 1000);
        let mut w = window(40.0, 50.0);
        tibet.on_loss(&mut w, &loss(40.0));
        assert_eq!(w.cwnd, 20.0, "Reno before anything is known");
        let mut w = window(40.0, 50.0);
        tibet.on_feedback(&mut w, &feedback(0, 1, Some(200)));
        for n in 0..4_000 {
            tibet.on_sent(1, Time((n / 2) * 20_000_000)); // two packets every 20 ms: 100 kB/s
        }
        let bandwidth = tibet.length / tibet.gap;
        assert!((bandwidth / 100e3 - 1.0).abs() < 0.02, "{bandwidth}");
        tibet.on_loss(&mut w, &loss(40.0));
        assert!((w.cwnd - 20.0).abs() < 0.4, "100 kB/s times 200 ms, not {}", w.cwnd);
        tibet.on_timeout(&mut w, &loss(20.0));
        assert!(w.cwnd == 1.0 && (w.ssthresh - 20.0).abs() < 0.4);
    }
}
