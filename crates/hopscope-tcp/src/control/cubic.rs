//! CUBIC (RFC 9438): the window is a cubic function of the time since the last loss, with its plateau at the window of
//! that loss, and never below what Reno would have.

use super::hystart::{HyStart, Step};
use super::{Acked, Controller, Feedback, Loss, Window, slow_start};
use crate::config::TcpConfig;
use crate::config::tcp::Pacing;
use hopscope_core::units::Time;

/// State of CUBIC. Windows are segments, times seconds.
#[derive(Debug, Clone)]
pub(in super::super) struct Cubic {
    mss: f64,
    c: f64,
    beta: f64,
    fast_convergence: bool,
    cuts_cwnd: bool,
    repeated_timeout_cuts: bool,
    /// Of the first slow start; none later.
    hystart: Option<HyStart>,
    /// Window of the plateau.
    w_max: f64,
    /// Window at the last cut.
    cwnd_prior: f64,
    /// Time from the start of the epoch to the plateau.
    k: f64,
    /// Start of the epoch: the present stretch of congestion avoidance.
    epoch: Option<Time>,
    /// What Reno would have by now.
    w_est: f64,
    /// The epoch to come starts at its plateau: slow start was left after a timeout or without a loss.
    flat_start: bool,
    /// Since when the window was not in use; the epoch stands still meanwhile (RFC 9438 5.8).
    idle_since: Option<Time>,
    srtt: f64,
}

impl Cubic {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64) -> Self {
        Cubic {
            mss: mss as f64,
            c: cfg.cubic_c,
            beta: cfg.cubic_beta,
            fast_convergence: cfg.cubic_fast_convergence,
            cuts_cwnd: cfg.cubic_cuts_cwnd,
            repeated_timeout_cuts: cfg.repeated_timeout_cuts,
            hystart: cfg.cubic_hystart.then(|| HyStart::new(cfg.pacing == Pacing::Window)),
            w_max: 0.0,
            cwnd_prior: 0.0,
            k: 0.0,
            epoch: None,
            w_est: 0.0,
            flat_start: true,
            idle_since: None,
            srtt: 0.0,
        }
    }

    /// W_cubic (equation 1).
    fn w_cubic(&self, t: f64) -> f64 {
        let d = t - self.k;
        self.c * d * d * d + self.w_max
    }

    fn start_epoch(&mut self, cwnd: f64, now: Time) -> Time {
        self.epoch = Some(now);
        self.w_est = cwnd;
        if self.flat_start || self.w_max < cwnd {
            self.w_max = cwnd;
            self.k = 0.0;
            self.flat_start = false;
        } else {
            self.k = cube_root((self.w_max - cwnd) / self.c); // equation 2
        }
        now
    }

    fn avoid(&mut self, w: &mut Window, ack: &Acked) {
        let epoch = match self.epoch {
            Some(epoch) => epoch,
            None => self.start_epoch(w.cwnd, ack.now),
        };
        let t = ack.now.saturating_since(epoch).as_secs();
        // Equation 4: after the window of the last loss is passed, Reno grows by a full segment.
        let alpha = if self.w_est >= self.cwnd_prior { 1.0 } else { 3.0 * (1.0 - self.beta) / (1.0 + self.beta) };
        self.w_est += alpha * (ack.bytes as f64 / self.mss) / w.cwnd;
        if self.w_cubic(t) < self.w_est {
            w.cwnd = w.cwnd.max(self.w_est);
        } else {
            let target = self.w_cubic(t + self.srtt).clamp(w.cwnd, 1.5 * w.cwnd);
            w.cwnd += (target - w.cwnd) / w.cwnd;
        }
    }

    /// The plateau after a loss at this window, and ssthresh.
    fn reduce(&mut self, w: &mut Window, loss: &Loss) {
        self.w_max = if self.fast_convergence && w.cwnd < self.w_max {
            w.cwnd * (1.0 + self.beta) / 2.0 // leave room for newcomers
        } else {
            w.cwnd
        };
        self.cwnd_prior = w.cwnd;
        w.ssthresh = (if self.cuts_cwnd { w.cwnd } else { loss.flight } * self.beta).max(2.0);
        self.epoch = None;
        self.idle_since = None;
        self.hystart = None; // for the first slow start alone (RFC 9406 4.3)
    }
}

impl Controller for Cubic {
    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, w: &mut Window, ack: &Feedback) {
        if let Some(srtt) = ack.srtt {
            self.srtt = srtt.as_secs();
        }
        if let (Some(hystart), Some(rtt), true) = (&mut self.hystart, ack.rtt, w.cwnd < w.ssthresh) {
            hystart.on_rtt(rtt.as_secs());
        }
    }

    fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
        if !ack.cwnd_limited {
            self.idle_since.get_or_insert(ack.now);
            return;
        }
        if let (Some(idle), Some(epoch)) = (self.idle_since.take(), &mut self.epoch) {
            *epoch += ack.now.saturating_since(idle);
        }
        if w.cwnd >= w.ssthresh {
            return self.avoid(w, ack);
        }
        let segments = ack.bytes as f64 / self.mss;
        match &mut self.hystart {
            None => slow_start(w, segments),
            Some(hystart) => match hystart.on_ack(ack.una, ack.nxt, segments) {
                Step::Grow(by) => w.cwnd += by,
                Step::Leave => {
                    w.ssthresh = w.cwnd;
                    self.hystart = None;
                }
            },
        }
    }

    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        self.reduce(w, loss);
        w.cwnd = w.ssthresh;
        self.flat_start = false;
        true
    }

    fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
        if self.repeated_timeout_cuts || !loss.repeated {
            self.reduce(w, loss);
        }
        w.cwnd = 1.0;
        self.flat_start = true; // RFC 9438 4.8
    }

    /// RFC 9438 4.9.2: not where the window has passed that of the loss by itself.
    fn on_undo(&mut self, w: &mut Window, to: &Window, before: &Self) {
        if w.cwnd < self.cwnd_prior {
            w.restore(to);
            *self = Cubic { srtt: self.srtt, ..before.clone() };
        }
    }
}

/// Cube root of a number that is not negative, to the last bits and the same on every machine (Newton).
pub(super) fn cube_root(x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    // A third of the exponent is a good start.
    let mut root = f64::from_bits(x.to_bits() / 3 + 0x2A9F_7893_0000_0000);
    for _ in 0..5 {
        root = (2.0 * root + x / (root * root)) / 3.0;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::super::tests::{acked, loss, window};
    use super::*;

    fn cubic() -> Cubic {
        let mut c = Cubic::new(&TcpConfig { cubic_hystart: false, ..TcpConfig::default() }, 1000);
        c.srtt = 0.1;
        c
    }

    #[test]
    fn the_cube_root_is_one() {
        for x in [1e-6, 0.3, 1.0, 8.0, 27.0, 123_456.789, 1e12] {
            let root = cube_root(x);
            assert!((root * root * root / x - 1.0).abs() < 1e-14, "{x}: {root}");
        }
        assert_eq!(cube_root(0.0), 0.0);
    }

    #[test]
    fn k_is_the_time_back_to_the_window_of_the_loss() {
        for (cwnd, k) in [(10.0, 1.957), (100.0, 4.217)] {
            let mut c = cubic();
            let mut w = window(cwnd, 2.0);
            c.on_loss(&mut w, &loss(cwnd));
            assert_eq!(w.cwnd, 0.7 * cwnd);
            c.start_epoch(w.cwnd, Time::ZERO);
            assert!((c.k - k).abs() < 5e-4, "{}", c.k);
            assert!((c.w_cubic(0.0) - w.cwnd).abs() < 1e-9 && c.w_cubic(c.k) == cwnd);
        }
    }

    #[test]
    fn what_is_cut_is_flight_size_or_cwnd() {
        let cut = |cuts_cwnd| {
            let cfg = TcpConfig { cubic_cuts_cwnd: cuts_cwnd, cubic_hystart: false, ..TcpConfig::default() };
            let mut w = window(20.0, 2.0);
            Cubic::new(&cfg, 1000).on_loss(&mut w, &loss(10.0));
            w.ssthresh
        };
        assert_eq!((cut(false), cut(true)), (7.0, 14.0));
    }

    /// The window after each round trip of 100 ms from a loss at `cwnd` on, one ACK per segment.
    fn evolve(c: &mut Cubic, cwnd: f64, rounds: u64) -> Vec<f64> {
        let mut w = window(cwnd, 2.0);
        c.on_loss(&mut w, &loss(cwnd));
        let mut seen = Vec::new();
        for round in 0..rounds {
            let acks = w.cwnd as u64;
            for k in 0..acks {
                let mut ack = acked(1000);
                ack.now = Time(round * 100_000_000 + k * 100_000_000 / acks);
                c.on_ack(&mut w, &ack);
            }
            seen.push(w.cwnd);
        }
        seen
    }

    #[test]
    fn the_window_follows_the_cubic_function() {
        let mut c = cubic();
        let seen = evolve(&mut c, 200.0, 100);
        let k = cube_root(60.0 / 0.4);
        for (round, got) in seen.iter().enumerate() {
            let t = 0.1 * (round + 1) as f64;
            let want = 0.4 * (t - k).powi(3) + 200.0;
            assert!((got / want - 1.0).abs() < 0.02, "{got} at {t} s, not {want}");
        }
        assert!(seen[99] > 230.0, "the convex part is reached");
    }

    #[test]
    fn small_windows_grow_as_reno_does() {
        let mut c = cubic();
        let seen = evolve(&mut c, 10.0, 12);
        // 3 (1 - 0.7) / (1 + 0.7) segments per round trip, from 7 on
        for (round, got) in seen.iter().enumerate().take(5) {
            let reno = 7.0 + 0.529 * (round + 1) as f64;
            assert!((got - reno).abs() < 0.35, "{got} in round {round}, not {reno}");
        }
    }

    #[test]
    fn a_second_loss_below_the_plateau_gives_way() {
        let mut c = cubic();
        let mut w = window(100.0, 2.0);
        c.on_loss(&mut w, &loss(100.0));
        w.cwnd = 80.0;
        c.on_loss(&mut w, &loss(80.0));
        assert_eq!((c.w_max, w.cwnd), (80.0 * 0.85, 56.0));
    }

    #[test]
    fn a_timeout_starts_the_next_epoch_at_its_plateau() {
        let mut c = cubic();
        let mut w = window(20.0, 2.0);
        c.on_timeout(&mut w, &loss(20.0));
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 14.0));
        c.on_timeout(&mut w, &Loss { repeated: true, ..loss(1.0) });
        assert_eq!(w.ssthresh, 14.0);
        w.cwnd = 14.0;
        c.on_ack(&mut w, &acked(1000));
        assert_eq!((c.k, c.w_max), (0.0, 14.0));
    }

    #[test]
    fn a_loss_that_was_none_leaves_the_epoch_as_it_was() {
        let mut c = cubic();
        let mut w = window(100.0, 2.0);
        c.on_loss(&mut w, &loss(100.0));
        c.on_ack(&mut w, &acked(1000));
        let (before, to) = (c.clone(), w);
        c.on_loss(&mut w, &loss(70.0));
        assert_eq!((c.epoch, c.w_max, w.cwnd.round()), (None, to.cwnd * 0.85, 49.0));
        c.on_undo(&mut w, &to, &before);
        // RFC 9438 4.9.2: cwnd, cwnd_prior, ssthresh, W_max, K, t_epoch, W_est
        assert_eq!((w.cwnd, w.ssthresh), (to.cwnd, to.ssthresh));
        assert_eq!((c.epoch, c.w_max, c.k), (Some(Time::ZERO), 100.0, before.k));
        assert_eq!((c.cwnd_prior, c.w_est), (100.0, before.w_est));
        // Where the window has come back by itself, it and the epoch of now stay.
        c.on_loss(&mut w, &loss(70.0));
        (w.cwnd, c.epoch) = (90.0, Some(Time(5)));
        c.on_undo(&mut w, &to, &before);
        assert_eq!((w.cwnd, c.epoch), (90.0, Some(Time(5))));
    }

    #[test]
    fn hystart_is_for_the_first_slow_start_alone() {
        let mut c = Cubic::new(&TcpConfig::default(), 1000);
        assert!(c.hystart.is_some());
        let mut w = window(20.0, f64::from(u32::MAX));
        c.on_timeout(&mut w, &loss(20.0));
        assert!(c.hystart.is_none(), "slow start after a timeout is RFC 5681's");
        c.on_ack(&mut w, &acked(20_000));
        assert_eq!(w.cwnd, 2.0);
    }

    #[test]
    fn an_unused_window_neither_grows_nor_ages() {
        let mut c = cubic();
        let mut w = window(100.0, 2.0);
        c.on_loss(&mut w, &loss(100.0));
        c.on_ack(&mut w, &acked(1000));
        let before = w.cwnd;
        let at = |s: u64, limited| Acked { now: Time(s * 1_000_000_000), cwnd_limited: limited, ..acked(1000) };
        c.on_ack(&mut w, &at(1, false));
        assert_eq!(w.cwnd, before);
        c.on_ack(&mut w, &at(3, true));
        assert_eq!(c.epoch, Some(Time(2_000_000_000)), "two seconds stood still");
    }
}
