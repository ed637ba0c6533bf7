//! Sending spread over time: a segment leaves when the one before it has had its share of the rate.

use super::core::Core;
use super::timer::LazyTimer;
use super::{Cx, Timer};
use crate::control::Controller;
use hopscope_core::units::{Span, Time};

/// The gate that paced segments pass.
#[derive(Debug, Clone)]
pub(super) struct Pacer {
    /// When the next segment may leave.
    next: Time,
    timer: LazyTimer,
    /// Data that the window allows is held back.
    pub(super) holding: bool,
}

impl Pacer {
    pub(super) fn new() -> Self {
        Pacer { next: Time::ZERO, timer: LazyTimer::new(Timer::Pacing), holding: false }
    }

    /// May a segment leave now? If not, the timer will say when.
    pub(super) fn admits(&mut self, cx: &mut Cx) -> bool {
        self.holding = cx.now < self.next;
        if self.holding {
            self.timer.set(self.next, cx);
        }
        !self.holding
    }

    /// A segment leaves; the next one follows after `spacing`.
    pub(super) fn on_sent(&mut self, spacing: Span, now: Time) {
        self.next = self.next.max(now) + spacing;
    }

    /// What was held back may go at once.
    pub(super) fn flush(&mut self, now: Time) {
        self.next = now;
        self.timer.stop();
    }

    /// Takes a queued expiry; true when it is time to send.
    pub(super) fn fires(&mut self, cx: &mut Cx) -> bool {
        self.timer.fires(cx)
    }

    /// No more will be sent.
    pub(super) fn retire(&mut self, cx: &mut Cx) {
        self.timer.retire(cx);
    }
}

impl Core {
    /// Pacing lets a segment go now.
    pub(super) fn admits(&mut self, cx: &mut Cx) -> bool {
        self.pacer.as_mut().is_none_or(|pacer| pacer.admits(cx))
    }

    /// A segment of `bytes` bytes leaves: the next one keeps its distance.
    pub(super) fn pace(&mut self, bytes: u64, now: Time) {
        let spacing = if self.cc.paces() { self.cc.spacing(bytes) } else { self.window_spacing(bytes) };
        let Some(pacer) = &mut self.pacer else { return };
        match spacing {
            Some(spacing) => pacer.on_sent(spacing, now),
            None => pacer.flush(now),
        }
    }

    /// The share of a round trip that `bytes` bytes of the window take.
    fn window_spacing(&self, bytes: u64) -> Option<Span> {
        let srtt = self.rtt.srtt()?.as_secs();
        let w = &self.window;
        let gain = if w.cwnd < w.ssthresh { self.pace.0 } else { self.pace.1 };
        let share = bytes as f64 / (w.cwnd.max(1.0) * self.mss as f64);
        Some(Span::from_secs_f64(share * srtt / gain))
    }
}
