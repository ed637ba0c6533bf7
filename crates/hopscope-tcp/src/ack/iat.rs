//! A delay window by the time between segments (`iat-window`), known only as code for another simulator (the ns-3
//! repository bizuki/TCP-AAD, 2024): the window grows while the sender's does, the less the closer segments come
//! together.
//!
//! With the shortest time `base` between segments and the last one `iat`, `ratio = (base - iat) / base` below `lambda *
//! base` and `1 - lambda` from there on; `theta = (ratio + lambda - 1) / lambda` is between 0 and 1, and growth of the
//! sender's window adds `1 - theta`. Windows are compared in whole segments.

use std::cmp::Ordering;

use super::{AckDecision, Arrival};
use crate::config::TcpConfig;
use hopscope_core::units::{Span, Time};

/// Times between segments below this one, in seconds, are those of one frame's parts and give no sample.
const SHORTEST: f64 = 50e-6;

/// State of the policy.
#[derive(Debug, Clone)]
pub(in super::super) struct IatWindow {
    lambda: f64,
    /// Weight of the shortest time between segments in the wait.
    alpha: f64,
    longest: Span,
    last: Option<Time>,
    /// Shortest and last time between segments, in seconds.
    gaps: Option<(f64, f64)>,
    /// The sender's window of the segment before.
    sender_window: Option<u16>,
    window: f64,
    held: u32,
}

impl IatWindow {
    pub(super) fn new(cfg: &TcpConfig, longest: Span) -> Self {
        IatWindow {
            lambda: cfg.iat_lambda,
            alpha: cfg.iat_alpha,
            longest,
            last: None,
            gaps: None,
            sender_window: None,
            window: cfg.iat_lambda,
            held: 0,
        }
    }

    pub(super) fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        let gap = self.last.replace(arrival.now).map(|last| arrival.now.saturating_since(last).as_secs());
        if let Some(gap) = gap.filter(|gap| *gap >= SHORTEST) {
            self.gaps = Some((self.gaps.map_or(gap, |(base, _)| base.min(gap)), gap));
        }
        let window = arrival.sender_window;
        let before = self.sender_window.replace(window).unwrap_or(window);
        if !arrival.in_order {
            self.window = self.lambda;
            return AckDecision::Now;
        }
        match window.cmp(&before) {
            Ordering::Greater => self.window = (self.window + self.step()).min(f64::from(window)),
            Ordering::Less => self.window = self.lambda,
            Ordering::Equal => {}
        }
        self.held += 1;
        if f64::from(self.held) >= self.window { AckDecision::Now } else { AckDecision::Hold }
    }

    /// Growth of the window when the sender's has grown; a whole segment before the first sample.
    fn step(&self) -> f64 {
        let Some((base, iat)) = self.gaps else { return 1.0 };
        let ratio = if iat < self.lambda * base { (base - iat) / base } else { 1.0 - self.lambda };
        1.0 - (ratio + self.lambda - 1.0) / self.lambda
    }

    /// Segments that one ACK is to stand for.
    pub(super) fn window(&self) -> f64 {
        self.window
    }

    /// From the segment held last on.
    pub(super) fn hold(&self) -> Span {
        let Some((base, iat)) = self.gaps else { return self.longest };
        Span::from_secs_f64(self.lambda * (self.alpha * base + (1.0 - self.alpha) * iat)).min(self.longest)
    }

    pub(super) fn on_ack_sent(&mut self) {
        self.held = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_follows_the_time_between_segments() {
        let mut policy = IatWindow::new(&TcpConfig::default(), Span::from_millis(100));
        assert_eq!(policy.step(), 1.0, "no sample");
        for (iat, step) in [(0.01, 1.0 / 3.0), (0.02, 2.0 / 3.0), (0.03, 1.0), (0.5, 1.0)] {
            policy.gaps = Some((0.01, iat));
            assert!((policy.step() - step).abs() < 1e-12, "{iat}: {}", policy.step());
        }
    }
}
