//! Acknowledging as Linux does (`net/ipv4/tcp_input.c` and `tcp.c`, kernels 2.6.12 and 6.18, by measurement).
//!
//! A segment is acknowledged at once in quick-ACK mode (the start of a connection, after a repetition or a long gap),
//! when more than one full segment waits, and, by the application that reads at once, when the read doubles the window
//! that can be advertised. With a window of two segments that is every segment; with three or more the second full
//! segment comes first. Kernels since 6.6 take PSH on a full segment as the end of a write and acknowledge it too.

use super::{AckDecision, Arrival};
use crate::config::TcpConfig;
use hopscope_core::units::{Span, Time};

/// State of the policy.
#[derive(Debug, Clone)]
pub(in super::super) struct LinuxAck {
    /// Acknowledge a pushed full segment at once.
    heeds_push: bool,
    mss: u64,
    window: u64,
    /// In-order bytes not yet acknowledged.
    held: u64,
    /// Segments left to acknowledge at once, and the most there can be.
    quick: u64,
    most_quick: u64,
    /// The present delay, adapted to the time between segments; none before the first one.
    delay: Option<Span>,
    least: Span,
    most: Span,
    /// A gap longer than this starts the quick-ACK mode again.
    rto: Span,
    last: Time,
}

impl LinuxAck {
    pub(super) fn new(cfg: &TcpConfig, heeds_push: bool, ack_delay: Span, mss: u64, window: u64) -> Self {
        LinuxAck {
            heeds_push,
            mss,
            window,
            held: 0,
            quick: 0,
            most_quick: u64::from(cfg.linux_quickacks),
            delay: None,
            least: cfg.linux_ack_min.min(ack_delay),
            most: ack_delay,
            rto: cfg.initial_rto.max(cfg.min_rto),
            last: Time::ZERO,
        }
    }

    /// The round-trip time of the set-up bounds the delay.
    pub(super) fn on_set_up(&mut self, rtt: Span) {
        self.most = self.most.min(rtt.max(self.least));
    }

    pub(super) fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        if arrival.duplicate {
            self.be_quick();
            self.delay = Some(self.least);
            return AckDecision::Now;
        }
        if arrival.bytes > 0 {
            self.adapt(arrival.now);
        }
        if !arrival.in_order {
            return AckDecision::Now;
        }
        self.held += arrival.bytes;
        let second = self.held > self.mss;
        let read_doubles_window = 2 * self.held >= self.window;
        let short = arrival.len < self.mss;
        let pushed = self.heeds_push && arrival.pushed;
        if second || read_doubles_window || short || pushed || self.quick > 0 {
            AckDecision::Now
        } else {
            AckDecision::Hold
        }
    }

    pub(super) fn on_ack_sent(&mut self) {
        self.held = 0;
        if self.quick > 0 {
            self.quick -= 1;
            if self.quick == 0 {
                self.delay = Some(self.least);
            }
        }
    }

    /// The timer had to send an ACK: wait longer next time.
    pub(super) fn on_expiry(&mut self) {
        self.delay = self.delay.map(|d| Span(2 * d.0).min(self.rto));
    }

    /// Segments that one ACK is to stand for.
    pub(super) fn window(&self) -> f64 {
        if self.quick > 0 { 1.0 } else { 2.0 }
    }

    /// How long an ACK held back now may wait.
    pub(super) fn hold(&self) -> Span {
        self.delay.unwrap_or(self.least).min(self.most)
    }

    /// Follows the time between segments.
    fn adapt(&mut self, now: Time) {
        let gap = now.saturating_since(std::mem::replace(&mut self.last, now));
        let half = Span(self.least.0 / 2);
        match &mut self.delay {
            None => {
                self.delay = Some(self.least);
                self.be_quick();
            }
            // It comes down to the least delay, however fast segments come.
            Some(delay) if gap <= half => *delay = Span(delay.0 / 2) + half,
            Some(delay) if gap < *delay => *delay = (Span(delay.0 / 2) + gap).min(self.rto),
            // After a pause the sender's window is small again, which quick ACKs open.
            Some(_) if gap > self.rto => self.be_quick(),
            Some(_) => {}
        }
    }

    fn be_quick(&mut self) {
        let half_window = match self.window / (2 * self.mss) {
            0 => 2,
            segments => segments,
        };
        self.quick = self.quick.max(half_window.min(self.most_quick));
    }
}
