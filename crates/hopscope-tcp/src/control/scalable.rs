//! Scalable TCP (Kelly 2003): growth by a share of what is acknowledged, and a cut by a share of the window, so that
//! the time to recover does not hang on the window. Slow start and timeouts are Reno's.

use super::{Acked, Aimd, Controller, Loss, Window};
use crate::config::TcpConfig;

/// State of Scalable TCP.
#[derive(Debug, Clone)]
pub(in super::super) struct Scalable {
    reno: Aimd,
    mss: f64,
    /// Growth for each segment acknowledged.
    growth: f64,
    /// Share of the window that a loss takes.
    cut: f64,
    /// Window up to which it is Reno, segments.
    legacy: f64,
}

impl Scalable {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64) -> Self {
        Scalable {
            reno: Aimd::new(cfg, mss),
            mss: mss as f64,
            growth: cfg.scalable_growth,
            cut: cfg.scalable_cut,
            legacy: cfg.scalable_window,
        }
    }

    fn is_legacy(&self, w: &Window) -> bool {
        w.cwnd <= self.legacy
    }
}

impl Controller for Scalable {
    fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
        if self.is_legacy(w) || w.cwnd < w.ssthresh {
            return self.reno.on_ack(w, ack);
        }
        if ack.window_limited {
            w.cwnd += self.growth * ack.bytes as f64 / self.mss;
        }
    }

    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        if self.is_legacy(w) {
            return self.reno.on_loss(w, loss);
        }
        // What is not acknowledged may be more than the window by what has been reported out of order.
        w.cwnd = (w.cwnd.min(loss.flight) * (1.0 - self.cut)).max(2.0);
        w.ssthresh = w.cwnd;
        true
    }

    fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
        self.reno.on_timeout(w, loss);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{acked, loss, window};
    use super::*;

    fn scalable() -> Scalable {
        Scalable::new(&TcpConfig::default(), 1000)
    }

    #[test]
    fn it_grows_by_a_hundredth_of_what_is_acknowledged_and_falls_by_an_eighth() {
        let (mut s, mut w) = (scalable(), window(100.0, 2.0));
        for _ in 0..100 {
            s.on_ack(&mut w, &acked(1000));
        }
        assert!((w.cwnd - 101.0).abs() < 1e-9, "{}", w.cwnd);
        s.on_ack(&mut w, &acked(3000));
        assert!((w.cwnd - 101.03).abs() < 1e-9, "an ACK of three segments: {}", w.cwnd);
        assert!(s.on_loss(&mut w, &loss(96.0)));
        assert_eq!((w.cwnd, w.ssthresh), (84.0, 84.0));
    }

    #[test]
    fn the_round_trips_to_recover_do_not_hang_on_the_window() {
        let rounds = |start: f64| {
            let (mut s, mut w) = (scalable(), window(start, 2.0));
            s.on_loss(&mut w, &loss(start));
            let mut rounds = 0;
            while w.cwnd < start {
                (0..w.cwnd as u32).for_each(|_| s.on_ack(&mut w, &acked(1000)));
                rounds += 1;
            }
            rounds
        };
        // ln(8 / 7) / ln(1.01) = 13.4
        assert_eq!((rounds(200.0), rounds(2000.0), rounds(20_000.0)), (14, 14, 14));
    }

    #[test]
    fn small_windows_are_those_of_reno() {
        let (mut s, mut w) = (scalable(), window(10.0, 2.0));
        s.on_ack(&mut w, &acked(1000));
        assert!((w.cwnd - 10.1).abs() < 1e-12);
        s.on_loss(&mut w, &loss(10.0));
        assert_eq!(w.cwnd, 5.0);
        let mut w = window(16.0, 2.0);
        s.on_timeout(&mut w, &loss(16.0));
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 8.0));
        let mut w = window(80.0, 2.0);
        s.on_timeout(&mut w, &loss(80.0));
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 40.0), "a timeout is Reno's");
    }

    #[test]
    fn a_window_that_is_not_used_does_not_grow() {
        let (mut s, mut w) = (scalable(), window(100.0, 2.0));
        s.on_ack(&mut w, &Acked { window_limited: false, ..acked(1000) });
        assert_eq!(w.cwnd, 100.0);
    }
}
