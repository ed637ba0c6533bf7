//! Sending spread over time: a segment leaves when the one before it has had its share of the rate.

use super::core::Core;
use super::timer::LazyTimer;
use super::{Cx, Timer};
use crate::config::TcpConfig;
use crate::config::tcp::Pacing as By;
use crate::control::{Cc, Controller};
use hopscope_core::units::{Span, Time};

/// The gate that paced segments pass.
#[derive(Debug, Clone)]
struct Pacer {
    /// When the next segment may leave.
    next: Time,
    timer: LazyTimer,
    /// Data that the window allows is held back.
    holding: bool,
}

impl Pacer {
    fn new() -> Self {
        Pacer { next: Time::ZERO, timer: LazyTimer::new(Timer::Pacing), holding: false }
    }

    /// May a segment leave now? If not, the timer will say when.
    fn admits(&mut self, cx: &mut Cx) -> bool {
        self.holding = cx.now < self.next;
        if self.holding {
            self.timer.set(self.next, cx);
        }
        !self.holding
    }

    /// A segment leaves; the next one follows after `spacing`.
    fn on_sent(&mut self, spacing: Span, now: Time) {
        self.next = self.next.max(now) + spacing;
    }

    /// What was held back may go at once.
    fn flush(&mut self, now: Time) {
        self.next = now;
        self.timer.stop();
    }
}

/// Pacing of a sender.
#[derive(Debug, Clone)]
pub(super) struct Pacing {
    /// Spreads what is sent over time; none: bursts as the window allows.
    pacer: Option<Pacer>,
    /// Pace over cwnd per SRTT, in slow start and later, for algorithms that set none.
    gains: (f64, f64),
}

impl Pacing {
    /// Paces if the algorithm does, or if the configuration wants it.
    pub(super) fn new(cfg: &TcpConfig, cc: &Cc) -> Self {
        Pacing {
            pacer: (cc.paces() || cfg.pacing == By::Window).then(Pacer::new),
            gains: (cfg.pacing_slow_start, cfg.pacing_avoidance),
        }
    }

    /// Segments are spread over time.
    pub(super) fn is_on(&self) -> bool {
        self.pacer.is_some()
    }

    /// Data that the window allows is held back.
    pub(super) fn is_holding(&self) -> bool {
        self.pacer.as_ref().is_some_and(|pacer| pacer.holding)
    }

    /// Takes a queued expiry; true when it is time to send.
    pub(super) fn fires(&mut self, cx: &mut Cx) -> bool {
        self.pacer.as_mut().is_some_and(|pacer| pacer.timer.fires(cx))
    }

    /// No more will be sent.
    pub(super) fn retire(&mut self, cx: &mut Cx) {
        if let Some(pacer) = &mut self.pacer {
            pacer.timer.retire(cx);
        }
    }
}

impl Core {
    /// Pacing lets a segment go now.
    pub(super) fn admits(&mut self, cx: &mut Cx) -> bool {
        self.pacing.pacer.as_mut().is_none_or(|pacer| pacer.admits(cx))
    }

    /// A segment of `bytes` bytes leaves: the next one keeps its distance.
    pub(super) fn pace(&mut self, bytes: u64, now: Time) {
        let spacing = if self.cc.paces() { self.cc.spacing(bytes) } else { self.window_spacing(bytes) };
        let Some(pacer) = &mut self.pacing.pacer else { return };
        match spacing {
            Some(spacing) => pacer.on_sent(spacing, now),
            None => pacer.flush(now), // nothing is known of the path yet
        }
    }

    /// The share of a round trip that `bytes` bytes of the window take.
    fn window_spacing(&self, bytes: u64) -> Option<Span> {
        let srtt = self.timing.rtt.srtt()?.as_secs();
        let w = &self.window;
        let gains = self.pacing.gains;
        // In slow start the pace has to be ahead of a window that doubles in the round trip.
        let gain = if w.cwnd < w.ssthresh { gains.0 } else { gains.1 };
        let share = bytes as f64 / (w.cwnd.max(1.0) * self.mss as f64);
        Some(Span::from_secs_f64(share * srtt / gain))
    }
}
