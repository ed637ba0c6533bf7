//! Westwood+ (Grieco and Mascolo 2004): after a loss the window is what the measured bandwidth fills at the smallest
//! round-trip time.

use super::{Acked, Aimd, Controller, Feedback, Loss, Window};
use crate::config::TcpConfig;
use hopscope_core::units::Time;

/// State of Westwood+. Times are seconds, the bandwidth is bytes per second.
#[derive(Debug, Clone)]
pub(in super::super) struct Westwood {
    reno: Aimd,
    mss: u64,
    /// Shortest time one bandwidth sample is taken over.
    interval: f64,
    /// Weight of the old value in each of the two filters in a row.
    filter: f64,
    rtt: f64,
    rtt_min: f64,
    /// When the sample under way began, and what was acknowledged since.
    since: Option<Time>,
    acked: u64,
    /// Bytes that duplicate ACKs have counted ahead of their cumulative ACK.
    ahead: u64,
    /// Output of the two filters; zero before the first sample.
    first: f64,
    bandwidth: f64,
}

impl Westwood {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64) -> Self {
        Westwood {
            reno: Aimd::new(cfg, mss),
            mss,
            interval: cfg.westwood_interval.as_secs(),
            filter: cfg.westwood_filter,
            rtt: 0.0,
            rtt_min: f64::INFINITY,
            since: None,
            acked: 0,
            ahead: 0,
            first: 0.0,
            bandwidth: 0.0,
        }
    }

    /// Bytes an ACK stands for: a duplicate for one segment, a cumulative one for what duplicates have not counted.
    fn count(&mut self, bytes: u64) -> u64 {
        if bytes == 0 {
            self.ahead += self.mss;
            return self.mss;
        }
        if bytes <= self.mss {
            return bytes;
        }
        let counted = self.ahead.min(bytes);
        self.ahead -= counted;
        (bytes - counted).max(self.mss)
    }

    /// Segments that the bandwidth fills at the smallest round-trip time; none before the first sample.
    fn pipe(&self) -> Option<f64> {
        (self.bandwidth > 0.0 && self.rtt_min.is_finite())
            .then(|| (self.bandwidth * self.rtt_min / self.mss as f64).max(2.0))
    }
}

impl Controller for Westwood {
    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, _w: &mut Window, ack: &Feedback) {
        if let Some(rtt) = ack.rtt {
            self.rtt = rtt.as_secs();
            self.rtt_min = self.rtt_min.min(self.rtt);
        }
        self.acked += self.count(ack.bytes);
        let since = *self.since.get_or_insert(ack.now);
        let elapsed = ack.now.saturating_since(since).as_secs();
        // Not each ACK: ACKs come in bunches, whose gaps would make samples of any size.
        if elapsed > self.rtt.max(self.interval) {
            let sample = self.acked as f64 / elapsed;
            if self.bandwidth == 0.0 {
                (self.first, self.bandwidth) = (sample, sample);
            } else {
                self.first = self.filter * self.first + (1.0 - self.filter) * sample;
                self.bandwidth = self.filter * self.bandwidth + (1.0 - self.filter) * self.first;
            }
            (self.since, self.acked) = (Some(ack.now), 0);
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

    /// One ACK of a segment of 1000 bytes every `gap` ms, round-trip time `rtt` ms, from `from` ms on.
    fn stream(west: &mut Westwood, from: u64, gap: u64, rtt: u64, acks: u64) {
        let mut w = window(10.0, 5.0);
        for n in 0..acks {
            let mut ack = feedback(from + n * gap, 1 + n * 1000, Some(rtt));
            ack.bytes = 1000;
            west.on_feedback(&mut w, &ack);
        }
    }

    #[test]
    fn the_estimate_follows_the_rate_of_the_acks() {
        let mut west = Westwood::new(&TcpConfig::default(), 1000);
        stream(&mut west, 0, 10, 100, 400);
        assert!((west.bandwidth / 100e3 - 1.0).abs() < 0.1, "{}", west.bandwidth);
        stream(&mut west, 4_010, 20, 100, 2_000);
        assert!((west.bandwidth / 50e3 - 1.0).abs() < 0.02, "{}", west.bandwidth);
    }

    #[test]
    fn a_loss_leaves_what_the_path_holds() {
        let mut west = Westwood::new(&TcpConfig::default(), 1000);
        let mut w = window(30.0, 50.0);
        west.on_loss(&mut w, &loss(30.0));
        assert_eq!(w.cwnd, 15.0, "Reno before the first sample");
        stream(&mut west, 0, 10, 100, 2_000);
        let mut w = window(30.0, 50.0);
        west.on_loss(&mut w, &loss(30.0));
        assert!((w.cwnd - 10.0).abs() < 0.2 && w.ssthresh == w.cwnd, "100 kB/s times 100 ms, not {}", w.cwnd);
        let mut w = window(4.0, 50.0);
        west.on_loss(&mut w, &loss(4.0));
        assert_eq!(w.cwnd, 4.0, "a smaller window stays");
        west.on_timeout(&mut w, &loss(4.0));
        assert!(w.cwnd == 1.0 && w.ssthresh > 9.0);
    }

    #[test]
    fn what_duplicates_counted_is_not_counted_again() {
        let mut west = Westwood::new(&TcpConfig::default(), 1000);
        assert_eq!([0, 0, 0].map(|b| west.count(b)), [1000; 3]);
        assert_eq!(west.count(5000), 2000);
        assert_eq!([west.count(2000), west.count(600)], [2000, 600], "delayed and short");
    }
}
