//! Westwood+ (Grieco and Mascolo 2004): after a loss the window is what the measured bandwidth fills at the smallest
//! round-trip time. Westwood as first published (Mascolo et al. 2001) takes a bandwidth sample from each ACK.

use super::{Acked, Aimd, Controller, Feedback, Loss, Window};
use crate::config::TcpConfig;
use crate::config::tcp::WestwoodSamples;
use hopscope_core::units::{Span, Time};

/// Samples of nothing after which nothing is left of the estimate: each takes two fifths of it.
const SILENT: u64 = 64;

/// State of Westwood. Times are seconds, the bandwidth is bytes per second.
#[derive(Debug, Clone)]
pub(in super::super) struct Westwood {
    reno: Aimd,
    mss: u64,
    samples: WestwoodSamples,
    /// Time constant of the filter with a sample for each ACK.
    constant: Span,
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
    /// Output of the two filters; zero before the first sample. With a sample for each ACK the first is the last sample.
    first: f64,
    bandwidth: f64,
}

impl Westwood {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64) -> Self {
        Westwood {
            reno: Aimd::new(cfg, mss),
            mss,
            samples: cfg.westwood_samples,
            constant: cfg.westwood_time_constant,
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

    /// Takes a sample once a round trip has passed. Not each ACK: they come in bunches, whose gaps make samples of any size.
    fn sample_round_trip(&mut self, since: Time, now: Time) {
        let elapsed = now.saturating_since(since).as_secs();
        if elapsed > self.rtt.max(self.interval) {
            let sample = self.acked as f64 / elapsed;
            if self.bandwidth == 0.0 {
                (self.first, self.bandwidth) = (sample, sample);
            } else {
                self.first = self.filter * self.first + (1.0 - self.filter) * sample;
                self.bandwidth = self.filter * self.bandwidth + (1.0 - self.filter) * self.first;
            }
            (self.since, self.acked) = (Some(now), 0);
        }
    }

    /// Takes a sample from what this ACK acknowledges and the time since the last one; ACKs of one instant are one.
    fn sample_ack(&mut self, since: Time, now: Time) {
        if now <= since {
            return;
        }
        let silence = Span(self.constant.0 / 2);
        let mut gap = now.saturating_since(since);
        // As long as no ACK comes, each half of the time constant is a sample of nothing.
        let silent = gap.0.saturating_sub(1) / silence.0;
        for _ in 0..silent.min(SILENT) {
            self.filter_sample(0.0, silence);
        }
        gap = gap.saturating_sub(silence * silent);
        self.filter_sample(self.acked as f64 / gap.as_secs(), gap);
        (self.since, self.acked) = (Some(now), 0);
    }

    /// The low-pass filter of Mascolo et al. 2001, made discrete for the time since the last sample.
    fn filter_sample(&mut self, sample: f64, gap: Span) {
        let (twice, gap) = (2.0 * self.constant.as_secs(), gap.as_secs());
        let weight = (twice - gap) / (twice + gap);
        self.bandwidth = weight * self.bandwidth + (1.0 - weight) * (sample + self.first) / 2.0;
        self.first = sample;
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
        match self.samples {
            WestwoodSamples::Rtt => self.sample_round_trip(since, ack.now),
            WestwoodSamples::Ack => self.sample_ack(since, ack.now),
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

    fn by_ack() -> Westwood {
        Westwood::new(&TcpConfig { westwood_samples: WestwoodSamples::Ack, ..TcpConfig::default() }, 1000)
    }

    #[test]
    fn a_sample_for_each_ack_goes_through_the_published_filter() {
        let mut west = by_ack();
        stream(&mut west, 0, 100, 100, 2);
        // 2000 bytes over 100 ms, as the first ACK began the time: weight (1 - 0.1) / (1 + 0.1) = 9/11 of nothing, and
        // 2/11 of the mean of 20 kB/s and nothing.
        assert!((west.bandwidth - 2.0 / 11.0 * 10e3).abs() < 1e-6, "{}", west.bandwidth);
        stream(&mut west, 200, 100, 100, 1);
        let second = 9.0 / 11.0 * 2.0 / 11.0 * 10e3 + 2.0 / 11.0 * 15e3;
        assert!((west.bandwidth - second).abs() < 1e-6, "{}", west.bandwidth);
        stream(&mut west, 300, 100, 100, 200);
        assert!((west.bandwidth / 10e3 - 1.0).abs() < 1e-6, "{}", west.bandwidth);
    }

    #[test]
    fn acks_in_bunches_make_large_samples_and_silence_makes_none() {
        // Four ACKs, 1 ms apart, every 100 ms: 40 kB/s. The sample after a pause has 1000 bytes in 97 ms, the others
        // 1000 in 1 ms; each filters with the time since the one before, so that the mean is near.
        let mut west = by_ack();
        let mut w = window(10.0, 5.0);
        for n in 0..400_u64 {
            let mut ack = feedback(n / 4 * 100 + n % 4, 1 + n * 1000, Some(100));
            ack.bytes = 1000;
            west.on_feedback(&mut w, &ack);
        }
        assert!(west.bandwidth > 60e3, "the gap after a bunch is weighed with half of the bunch: {}", west.bandwidth);
        // 1 s without an ACK: three samples of nothing, then 1000 bytes in the last 250 ms.
        let mut west = by_ack();
        stream(&mut west, 0, 100, 100, 300);
        (west.first, west.bandwidth) = (10e3, 10e3);
        stream(&mut west, 30_900, 100, 100, 1);
        // The weight of 250 ms is 0.6: 0.6 * 10 + 0.4 * 5 = 8, then 4.8, 2.88, and 1.728 with 0.4 * 2 kB/s more.
        assert!((west.bandwidth - 2_528.0).abs() < 1.0, "{}", west.bandwidth);
        stream(&mut west, 9_000_000, 100, 100, 1);
        assert!(west.bandwidth < 2_000.0, "hours of silence leave the last sample alone: {}", west.bandwidth);
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
