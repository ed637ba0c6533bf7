//! H-TCP (Leith and Shorten 2004; draft-leith-tcp-htcp-06): the longer ago the last loss, the faster the window grows,
//! and what a loss leaves of it follows from how far queues stretch the round-trip time. Without scaling by the
//! round-trip time, an option of the draft.

use super::round::Round;
use super::{Acked, Aimd, Controller, Feedback, Loss, Window};
use crate::config::TcpConfig;
use hopscope_core::units::Time;

/// Share kept after a loss: at least, and at most.
const BETA_MIN: f64 = 0.5;
const BETA_MAX: f64 = 0.8;
/// Change of the throughput from one epoch to the next, relative, that asks for halving.
const CHANGE: f64 = 0.2;

/// State of H-TCP. Times are seconds; an epoch is the time between two losses.
#[derive(Debug, Clone)]
pub(in super::super) struct Htcp {
    reno: Aimd,
    /// How long after a loss the window grows as Reno's.
    low_speed: f64,
    /// Share kept at the last loss.
    beta: f64,
    /// Start of the epoch; none before the first ACK.
    epoch: Option<Time>,
    rtt_min: f64,
    /// Largest round-trip time of the epoch.
    rtt_max: f64,
    /// Bytes acknowledged in the round trip under way, and since when.
    round: Round,
    bytes: u64,
    since: Time,
    /// Largest throughput over a round trip in this epoch and in the one before, bytes per second; zero: none.
    throughput: f64,
    before: f64,
}

impl Htcp {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64) -> Self {
        Htcp {
            reno: Aimd::new(cfg, mss),
            low_speed: cfg.htcp_low_speed.as_secs(),
            beta: BETA_MIN,
            epoch: None,
            rtt_min: f64::INFINITY,
            rtt_max: 0.0,
            round: Round::default(),
            bytes: 0,
            since: Time::ZERO,
            throughput: 0.0,
            before: 0.0,
        }
    }

    /// Growth in segments per round trip, `t` after the last loss.
    fn alpha(&self, t: f64) -> f64 {
        let d = t - self.low_speed;
        let alpha = if d <= 0.0 { 1.0 } else { 1.0 + 10.0 * d + 0.25 * d * d };
        // Friendly to Reno whatever share a loss leaves.
        (2.0 * (1.0 - self.beta) * alpha).max(1.0)
    }

    /// The epoch is over: what is kept of the window.
    fn end_epoch(&mut self, now: Time) -> f64 {
        let steady = self.before > 0.0 && (self.throughput / self.before - 1.0).abs() <= CHANGE;
        self.beta = if steady && self.rtt_max > 0.0 {
            (self.rtt_min / self.rtt_max).clamp(BETA_MIN, BETA_MAX)
        } else {
            BETA_MIN
        };
        self.before = std::mem::take(&mut self.throughput);
        self.rtt_max = 0.0;
        self.epoch = Some(now);
        self.beta
    }
}

impl Controller for Htcp {
    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, _w: &mut Window, ack: &Feedback) {
        if let Some(rtt) = ack.rtt {
            let rtt = rtt.as_secs();
            self.rtt_min = self.rtt_min.min(rtt);
            self.rtt_max = self.rtt_max.max(rtt);
        }
        let took = ack.now.saturating_since(self.since).as_secs();
        let ended = self.round.ended(ack.una, ack.nxt);
        if ack.recovering {
            // What was held back by a gap is acknowledged at once: that is no rate (Linux leaves recoveries out too).
            (self.bytes, self.since) = (0, ack.now);
            return;
        }
        self.bytes += ack.bytes;
        if ended && took > 0.0 && took >= self.rtt_min {
            self.throughput = self.throughput.max(self.bytes as f64 / took);
            (self.bytes, self.since) = (0, ack.now);
        }
    }

    fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
        let epoch = *self.epoch.get_or_insert(ack.now);
        let alpha = self.alpha(ack.now.saturating_since(epoch).as_secs());
        self.reno.grow(w, ack, alpha);
    }

    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        let share = self.end_epoch(loss.now);
        (w.ssthresh, w.cwnd) = self.reno.cut(loss, share);
        true
    }

    fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
        let share = if loss.repeated { self.beta } else { self.end_epoch(loss.now) };
        self.reno.restart(w, loss, share);
    }

    /// The epoch goes on (so in Linux too).
    fn on_undo(&mut self, w: &mut Window, to: &Window, before: &Self) {
        w.restore(to);
        (self.epoch, self.beta, self.before) = (before.epoch, before.beta, before.before);
        self.rtt_max = self.rtt_max.max(before.rtt_max);
        self.throughput = self.throughput.max(before.throughput);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{acked, feedback, loss, window};
    use super::*;

    fn htcp() -> Htcp {
        Htcp::new(&TcpConfig::default(), 1000)
    }

    fn after(ms: u64) -> Acked {
        Acked { now: Time(ms * 1_000_000), ..acked(1000) }
    }

    /// One round trip: `bytes` acknowledged in `rtt` ms, ending at `ms`.
    fn round(h: &mut Htcp, ms: u64, una: u64, bytes: u64, rtt: u64) {
        h.on_feedback(&mut window(10.0, 5.0), &Feedback { bytes, ..feedback(ms, una, Some(rtt)) });
    }

    #[test]
    fn growth_is_renos_for_a_second_and_quadratic_after() {
        let mut h = htcp();
        h.on_loss(&mut window(20.0, 50.0), &loss(20.0));
        // alpha = 1 + 10 (t - 1) + (t - 1)^2 / 4
        for (ms, alpha) in [(1, 1.0), (1_000, 1.0), (1_500, 6.0625), (2_000, 11.25), (5_000, 45.0)] {
            let mut w = window(10.0, 10.0);
            h.on_ack(&mut w, &after(ms));
            assert!((w.cwnd - 10.0 - alpha / 10.0).abs() < 1e-12, "{} after {ms} ms", w.cwnd);
        }
        let mut w = window(4.0, 10.0);
        h.on_ack(&mut w, &after(5_000));
        assert_eq!(w.cwnd, 5.0, "slow start is Reno's");
        h.on_ack(&mut w, &Acked { window_limited: false, ..after(5_000) });
        assert_eq!(w.cwnd, 5.0, "an unused window does not grow");
    }

    #[test]
    fn a_loss_leaves_what_empties_the_queue_while_the_throughput_is_steady() {
        // Epochs of a round trip each: bytes in 100 ms, largest round-trip time, share kept then.
        let epochs = [
            (10_000, 160, 0.5),   // nothing to compare with
            (10_500, 160, 0.625), // 100 / 160
            (10_500, 110, 0.8),   // 100 / 110 is too much
            (10_500, 400, 0.5),   // 100 / 400 is too little
            (14_000, 160, 0.5),   // a third more: room has been found
        ];
        let mut h = htcp();
        round(&mut h, 0, 1, 0, 100);
        for (n, (bytes, rtt, share)) in epochs.into_iter().enumerate() {
            let n = n as u64 + 1;
            round(&mut h, 100 * n, 1 + 20_000 * n, bytes, rtt);
            let mut w = window(40.0, 50.0);
            h.on_loss(&mut w, &loss(40.0));
            assert_eq!((w.cwnd, w.ssthresh), (40.0 * share, 40.0 * share), "epoch {n}");
        }
    }

    #[test]
    fn what_a_recovery_acknowledges_at_once_is_no_throughput() {
        let mut h = htcp();
        round(&mut h, 0, 1, 0, 100);
        for n in 1..4 {
            round(&mut h, 100 * n, 1 + 20_000 * n, 10_000, 100);
        }
        let steady = h.throughput;
        let mut ack = Feedback { bytes: 40_000, recovering: true, ..feedback(400, 100_001, Some(100)) };
        h.on_feedback(&mut window(10.0, 5.0), &ack);
        assert_eq!(h.throughput, steady);
        // Nor is what a part of a round trip brings.
        ack = Feedback { bytes: 5_000, ..feedback(410, 110_001, Some(100)) };
        h.on_feedback(&mut window(10.0, 5.0), &ack);
        assert_eq!(h.throughput, steady);
    }

    #[test]
    fn a_loss_that_was_none_ends_no_epoch() {
        let mut h = htcp();
        h.on_ack(&mut window(10.0, 5.0), &after(0));
        round(&mut h, 100, 20_001, 10_000, 160);
        let (before, to) = (h.clone(), window(20.0, 50.0));
        let mut w = to;
        h.on_loss(&mut w, &Loss { now: Time(3_000_000_000), ..loss(20.0) });
        round(&mut h, 3_100, 40_001, 0, 120);
        h.on_undo(&mut w, &to, &before);
        assert_eq!((w.cwnd, w.ssthresh, h.epoch), (20.0, 50.0, Some(Time::ZERO)));
        assert_eq!((h.beta, h.before, h.rtt_max), (before.beta, before.before, 0.16));
    }

    #[test]
    fn growth_makes_up_for_the_share_kept() {
        let mut h = htcp();
        h.beta = 0.8;
        assert_eq!(h.alpha(0.5), 1.0, "never below Reno");
        assert!((h.alpha(2.0) - 0.4 * 11.25).abs() < 1e-12);
    }

    #[test]
    fn a_timeout_begins_an_epoch_and_its_repetition_does_not() {
        let mut h = htcp();
        h.on_ack(&mut window(10.0, 5.0), &after(0));
        let mut w = window(20.0, 50.0);
        h.on_timeout(&mut w, &Loss { now: Time(3_000_000_000), ..loss(20.0) });
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 10.0));
        h.on_timeout(&mut w, &Loss { now: Time(6_000_000_000), repeated: true, ..loss(1.0) });
        assert_eq!((w.cwnd, w.ssthresh, h.epoch), (1.0, 10.0, Some(Time(3_000_000_000))));
    }
}
