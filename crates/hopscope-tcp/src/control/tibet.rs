//! TIBET (Capone, Fratta and Martignon 2004) as zhang2006 gives it: the bandwidth in use is the mean packet length over
//! the mean time between packets sent, both averaged; after a loss the window is what it fills. A variant takes what
//! ACKs acknowledge in place of what is sent.

use super::{Acked, Aimd, Controller, Feedback, Loss, Window};
use crate::config::TcpConfig;
use crate::config::tcp::TibetSamples;
use hopscope_core::units::Time;

/// State of TIBET. Times are seconds, lengths bytes.
#[derive(Debug, Clone)]
pub(in super::super) struct Tibet {
    reno: Aimd,
    mss: f64,
    /// Weight of the old averages.
    alpha: f64,
    samples: TibetSamples,
    /// When the last packet left, or the last ACK came.
    last: Option<Time>,
    /// Mean length and mean time between packets or ACKs; zero before the second one.
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
            samples: cfg.tibet_samples,
            last: None,
            length: 0.0,
            gap: 0.0,
            rtt_min: f64::INFINITY,
        }
    }

    /// One more packet or ACK, of so many bytes.
    fn average(&mut self, bytes: f64, now: Time) {
        if let Some(last) = self.last {
            let gap = now.saturating_since(last).as_secs();
            if self.length == 0.0 {
                (self.length, self.gap) = (bytes, gap);
            } else {
                self.length = self.alpha * self.length + (1.0 - self.alpha) * bytes;
                self.gap = self.alpha * self.gap + (1.0 - self.alpha) * gap;
            }
        }
        self.last = Some(now);
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
        if self.samples == TibetSamples::Ack {
            // A duplicate acknowledges nothing, and the ACK after it what it stood for.
            self.average(ack.bytes as f64, ack.now);
        }
    }

    fn on_sent(&mut self, seq: u64, now: Time) {
        if seq > 0 && self.samples == TibetSamples::Sent {
            self.average(self.mss, now);
        }
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

    #[test]
    fn acks_average_to_what_they_acknowledge_whatever_they_stand_for() {
        // alpha 1/2. ACKs at 0, 10, 20, 30 ms of 1000, 1000, 0 (a duplicate) and 2000 bytes: the second begins with 1000
        // bytes and 10 ms, then 500 and 1250 bytes; the time stays 10 ms. 125 kB/s times 80 ms are 10 segments.
        let cfg = TcpConfig { tibet_alpha: 0.5, tibet_samples: TibetSamples::Ack, ..TcpConfig::default() };
        let mut tibet = Tibet::new(&cfg, 1000);
        let mut w = window(40.0, 50.0);
        for (n, bytes) in [1000, 1000, 0, 2000].into_iter().enumerate() {
            let mut ack = feedback(10 * n as u64, 1, Some(80));
            ack.bytes = bytes;
            tibet.on_feedback(&mut w, &ack);
            tibet.on_sent(1, Time(n as u64)); // does not count
        }
        assert_eq!((tibet.length, (tibet.gap * 1e6).round()), (1250.0, 10_000.0));
        tibet.on_loss(&mut w, &loss(40.0));
        assert!((w.cwnd - 10.0).abs() < 1e-9, "{}", w.cwnd);
    }
}
