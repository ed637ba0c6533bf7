//! Slow start, congestion avoidance and halving (RFC 5681): the window of Tahoe, Reno, NewReno and SACK.

use super::{Acked, Controller, Loss, Window, slow_start};
use crate::config::TcpConfig;
use crate::config::tcp::LossWindow;

/// Share of the window kept after a loss (RFC 5681 equation 4).
const HALF: f64 = 0.5;

/// Additive increase, multiplicative decrease. The state is the window itself.
#[derive(Debug, Clone)]
pub(in super::super) struct Aimd {
    mss: f64,
    loss_window: LossWindow,
    /// Halves are truncated to whole segments (older ns-2).
    integer_reduction: bool,
    /// Growth by each ACK, used or not, in place of the acknowledged data while the window is in use.
    growth_by_ack: bool,
    /// The ACK that ends slow start goes on in congestion avoidance.
    growth_goes_on: bool,
    /// Every timeout of a segment lowers ssthresh.
    repeated_timeout_cuts: bool,
}

impl Aimd {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64) -> Self {
        Aimd {
            mss: mss as f64,
            loss_window: cfg.loss_window,
            integer_reduction: cfg.integer_reduction,
            growth_by_ack: cfg.growth_by_ack,
            growth_goes_on: cfg.growth_goes_on,
            repeated_timeout_cuts: cfg.repeated_timeout_cuts,
        }
    }

    /// Slow start, or congestion avoidance by `alpha` segments per round trip.
    pub(super) fn grow(&self, w: &mut Window, ack: &Acked, alpha: f64) {
        if !self.growth_by_ack && !ack.window_limited {
            return; // a window that is not used says nothing about the path (RFC 7661)
        }
        if w.cwnd >= w.ssthresh {
            w.cwnd += alpha / w.cwnd;
            return;
        }
        if self.growth_by_ack {
            w.cwnd += 1.0;
        } else {
            slow_start(w, ack.bytes as f64 / self.mss);
        }
        if self.growth_goes_on && w.cwnd >= w.ssthresh && ack.bytes as f64 > self.mss {
            w.cwnd += alpha / w.cwnd;
        }
    }

    /// A timeout after which `share` of what was in use is the threshold.
    pub(super) fn restart(&self, w: &mut Window, loss: &Loss, share: f64) {
        // A second timeout of the same segment says nothing new about the path (RFC 5681 equation 4).
        if self.repeated_timeout_cuts || !loss.repeated {
            w.ssthresh = self.cut(loss, share).0;
        }
        w.cwnd = 1.0;
    }

    // What Westwood+ and TIBET do with a measured `pipe`, the segments that the path holds; without one it is Reno.

    /// A loss leaves no more than the pipe.
    pub(super) fn fall_to(&mut self, pipe: Option<f64>, w: &mut Window, loss: &Loss) -> bool {
        let Some(pipe) = pipe else { return self.on_loss(w, loss) };
        w.ssthresh = pipe;
        w.cwnd = w.cwnd.min(pipe);
        true
    }

    /// A timeout starts again with the pipe as the threshold.
    pub(super) fn restart_below(&mut self, pipe: Option<f64>, w: &mut Window, loss: &Loss) {
        match pipe {
            Some(pipe) => (w.ssthresh, w.cwnd) = (pipe, 1.0),
            None => self.on_timeout(w, loss),
        }
    }

    /// A share of what was in use: (ssthresh, cwnd).
    pub(super) fn cut(&self, loss: &Loss, share: f64) -> (f64, f64) {
        let used = match self.loss_window {
            LossWindow::Flight => loss.flight,
            LossWindow::Window => loss.window,
        };
        let kept = if self.integer_reduction { (used.floor() * share).floor() } else { used * share };
        match self.loss_window {
            LossWindow::Flight => (kept.max(2.0), kept.max(2.0)),
            // ns-2 keeps ssthresh as a whole number of packets and cwnd as a real one, which may fall below one.
            LossWindow::Window => (kept.floor().max(2.0), kept),
        }
    }
}

impl Controller for Aimd {
    fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
        self.grow(w, ack, 1.0);
    }

    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        (w.ssthresh, w.cwnd) = self.cut(loss, HALF);
        true
    }

    fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
        self.restart(w, loss, HALF);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{acked, window};
    use super::*;
    use crate::config::tcp::Recovery;

    fn ack(bytes: u64, window_limited: bool) -> Acked {
        Acked { window_limited, ..acked(bytes) }
    }

    fn loss(flight: f64, window: f64) -> Loss {
        Loss { window, ..super::super::tests::loss(flight) }
    }

    fn ns2() -> TcpConfig {
        let cfg = TcpConfig { recovery: Recovery::Ns2, loss_window: LossWindow::Window, ..TcpConfig::default() };
        cfg.resolved()
    }

    #[test]
    fn growth_by_profile() {
        let mut rfc = Aimd::new(&TcpConfig::default(), 1000);
        let mut w = window(4.0, 8.0);
        rfc.on_ack(&mut w, &ack(2000, true));
        assert_eq!(w.cwnd, 5.0, "slow start: one segment per ACK at most");
        rfc.on_ack(&mut w, &ack(250, true));
        assert_eq!(w.cwnd, 5.25, "and no more than was acknowledged");
        rfc.on_ack(&mut w, &ack(1000, false));
        assert_eq!(w.cwnd, 5.25, "an idle window does not grow");
        let mut w = window(8.0, 8.0);
        rfc.on_ack(&mut w, &ack(2000, true));
        assert_eq!(w.cwnd, 8.125);
        let mut old = Aimd::new(&ns2(), 1000);
        let mut w = window(4.0, 8.0);
        old.on_ack(&mut w, &ack(250, false));
        assert_eq!(w.cwnd, 5.0);
    }

    #[test]
    fn halving_by_profile() {
        let mut w = window(9.0, 20.0);
        Aimd::new(&TcpConfig::default(), 1000).on_loss(&mut w, &loss(7.0, 9.0));
        assert_eq!((w.cwnd, w.ssthresh), (3.5, 3.5));
        Aimd::new(&ns2(), 1000).on_loss(&mut w, &loss(7.0, 9.0));
        assert_eq!((w.cwnd, w.ssthresh), (4.5, 4.0));
        let mut old = Aimd::new(&TcpConfig { integer_reduction: true, ..ns2() }, 1000);
        old.on_loss(&mut w, &loss(7.0, 9.0));
        assert_eq!((w.cwnd, w.ssthresh), (4.0, 4.0));
        old.on_loss(&mut w, &loss(1.0, 1.0));
        assert_eq!((w.cwnd, w.ssthresh), (0.0, 2.0));
        Aimd::new(&ns2(), 1000).on_loss(&mut w, &loss(1.0, 1.0));
        assert_eq!((w.cwnd, w.ssthresh), (0.5, 2.0));
    }

    #[test]
    fn timeouts_by_profile() {
        let again = Loss { repeated: true, ..loss(1.0, 1.0) };
        let mut w = window(8.0, 20.0);
        let mut rfc = Aimd::new(&TcpConfig::default(), 1000);
        rfc.on_timeout(&mut w, &loss(8.0, 8.0));
        rfc.on_timeout(&mut w, &again);
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 4.0), "held at the second timeout");
        let mut old = Aimd::new(&ns2(), 1000);
        old.on_timeout(&mut w, &again);
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 2.0));
    }
}
