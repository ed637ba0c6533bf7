//! HighSpeed TCP (RFC 3649): growth and cut by the window, so that at large windows fewer losses are needed to fill a
//! path. Slow start and timeouts are Reno's.

use super::{Acked, Aimd, Controller, Loss, Window};
use crate::config::TcpConfig;
use hopscope_core::math;

/// Loss rate of the response function at the largest window, High_P (RFC 3649 5).
const HIGH_P: f64 = 1e-7;
/// Reno's loss rate at Low_Window (RFC 3649 5: 10^-3).
const LOW_P: f64 = 1e-3;

/// State of HighSpeed TCP.
#[derive(Debug, Clone)]
pub(in super::super) struct HighSpeed {
    reno: Aimd,
    /// Window up to which it is Reno, Low_Window, segments.
    low: f64,
    /// Logarithm of High_Window over Low_Window.
    span: f64,
    /// Share of the window that a loss takes at High_Window, High_Decrease.
    high_decrease: f64,
}

impl HighSpeed {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64) -> Self {
        HighSpeed {
            reno: Aimd::new(cfg, mss),
            low: cfg.highspeed_low_window,
            span: math::ln(cfg.highspeed_high_window / cfg.highspeed_low_window),
            high_decrease: cfg.highspeed_decrease,
        }
    }

    /// How far a window is from Low_Window to High_Window, by logarithms; 0 and below: it is Reno.
    fn place(&self, window: f64) -> f64 {
        math::ln(window / self.low) / self.span
    }

    /// b(w): share of the window that a loss takes (RFC 3649 5).
    fn decrease(&self, window: f64) -> f64 {
        if window <= self.low { 0.5 } else { 0.5 + (self.high_decrease - 0.5) * self.place(window).min(1.0) }
    }

    /// a(w): growth for each round trip (RFC 3649 5).
    fn increase(&self, window: f64) -> f64 {
        if window <= self.low {
            return 1.0;
        }
        let loss = LOW_P * math::exp(self.place(window) * math::ln(HIGH_P / LOW_P));
        let decrease = self.decrease(window);
        window * window * loss * 2.0 * decrease / (2.0 - decrease)
    }
}

impl Controller for HighSpeed {
    fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
        let alpha = self.increase(w.cwnd).max(1.0);
        self.reno.grow(w, ack, alpha);
    }

    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        let share = 1.0 - self.decrease(w.cwnd);
        (w.ssthresh, w.cwnd) = self.reno.cut(loss, share);
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

    fn highspeed() -> HighSpeed {
        HighSpeed::new(&TcpConfig::default(), 1000)
    }

    #[test]
    fn the_table_of_rfc_3649_appendix_b() {
        let h = highspeed();
        // window, a(w), b(w)
        for (window, increase, decrease) in
            [(118.0, 2.0, 0.44), (1058.0, 8.0, 0.33), (10_661.0, 30.0, 0.21), (83_981.0, 70.0, 0.10)]
        {
            let (a, b) = (h.increase(window), h.decrease(window));
            assert!((a / increase - 1.0).abs() < 0.06, "a({window}) = {a}, not {increase}");
            assert!((b - decrease).abs() < 0.006, "b({window}) = {b}, not {decrease}");
        }
    }

    #[test]
    fn it_grows_and_falls_by_the_window() {
        let (mut h, mut w) = (highspeed(), window(1058.0, 2.0));
        (0..1058).for_each(|_| h.on_ack(&mut w, &acked(1000)));
        assert!((w.cwnd - 1066.0).abs() < 0.5, "{}", w.cwnd);
        w.cwnd = 1058.0;
        h.on_loss(&mut w, &loss(1000.0));
        assert!((w.cwnd - 673.0).abs() < 4.0, "a third less: {}", w.cwnd);
    }

    #[test]
    fn small_windows_are_those_of_reno() {
        let (mut h, mut w) = (highspeed(), window(38.0, 2.0));
        h.on_ack(&mut w, &acked(1000));
        assert_eq!(w.cwnd, 38.0 + 1.0 / 38.0);
        let mut w = window(20.0, 2.0);
        h.on_loss(&mut w, &loss(20.0));
        assert_eq!(w.cwnd, 10.0);
        let mut w = window(20.0, 2.0);
        h.on_timeout(&mut w, &loss(20.0));
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 10.0));
    }
}
