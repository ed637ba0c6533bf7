//! What a sender times: the retransmission timer, and segments for the round-trip time: one at a time, all by their
//! timestamps, or, as ns-3 does it without them, every one that is sent once.

use std::collections::VecDeque;

use super::rtt::Rtt;
use super::timer::LazyTimer;
use super::{Cx, Note, Timer, TransportEffect};
use crate::config::TcpConfig;
use hopscope_core::units::{Span, Time};
use hopscope_packet::tcp::TcpSegment;

/// The clock of a sender.
#[derive(Debug, Clone)]
pub(super) struct Timing {
    pub(super) rtt: Rtt,
    rto_timer: LazyTimer,
    /// The timed segment: number after it, and when it left.
    timed: Option<(u64, Time)>,
    /// All segments are timed, not one at a time.
    every: Option<EverySegment>,
    /// Tick of the timestamps, which time the segments; none without them.
    stamp_tick: Option<Span>,
    /// Timeouts since the last ACK of new data.
    timeouts_in_row: u32,
    /// Only the first of them doubles the RTO.
    fixed_rto: bool,
    /// Repetitions are timed as what is sent once (ns-2).
    times_repetitions: bool,
    /// Any ACK of new data ends the back-off of the RTO.
    backoff_ends_by_ack: bool,
}

impl Timing {
    pub(super) fn new(cfg: &TcpConfig) -> Self {
        Timing {
            rtt: Rtt::new(cfg),
            rto_timer: LazyTimer::new(Timer::Rto),
            timed: None,
            every: (cfg.times_every_segment && !cfg.timestamps).then(EverySegment::default),
            stamp_tick: cfg.timestamps.then_some(cfg.timestamp_clock),
            timeouts_in_row: 0,
            fixed_rto: cfg.fixed_rto,
            times_repetitions: cfg.times_repetitions,
            backoff_ends_by_ack: cfg.backoff_ends_by_ack,
        }
    }

    // The retransmission timer.

    /// It runs.
    pub(super) fn is_running(&self) -> bool {
        self.rto_timer.running()
    }

    /// When it will expire; none: it is stopped.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.rto_timer.deadline()
    }

    /// (Re)starts it with the present RTO.
    pub(super) fn restart(&mut self, cx: &mut Cx) {
        let at = cx.now + self.rtt.rto();
        self.rto_timer.set(at, cx);
    }

    /// Lets it expire at `at`.
    pub(super) fn run_until(&mut self, at: Time, cx: &mut Cx) {
        self.rto_timer.set(at, cx);
    }

    /// Nothing is to be waited for.
    pub(super) fn stop(&mut self) {
        self.rto_timer.stop();
    }

    /// Takes a queued expiry; true when its time has come.
    pub(super) fn fires(&mut self, cx: &mut Cx) -> bool {
        self.rto_timer.fires(cx)
    }

    /// Nothing will be sent any more.
    pub(super) fn retire(&mut self, cx: &mut Cx) {
        self.rto_timer.retire(cx);
    }

    // Timeouts in a row.

    /// It has expired for the segment at `una`.
    pub(super) fn count_timeout(&mut self) {
        self.timeouts_in_row += 1;
    }

    /// It has expired before for the segment at `una`.
    pub(super) fn has_timed_out(&self) -> bool {
        self.timeouts_in_row > 0
    }

    /// An ACK of new data has come.
    pub(super) fn end_timeouts(&mut self) {
        self.timeouts_in_row = 0;
    }

    /// The timeout at hand leaves the RTO as it is (Fixed RTO of Dyer and Boppana 2001): what is lost twice is taken
    /// for the loss of the route. A lost SYN backs off as ever.
    pub(super) fn holds_rto(&self) -> bool {
        self.fixed_rto && self.timeouts_in_row > 1
    }

    /// An ACK of new data has come; where its number is enough, it ends the back-off of the RTO.
    #[inline]
    pub(super) fn end_back_off(&mut self) {
        if self.backoff_ends_by_ack {
            self.rtt.end_back_off();
        }
    }

    // Round-trip times.

    /// The SYN, or the SYN-ACK, left at `sent` and was sent once.
    pub(super) fn on_syn_sent(&mut self, sent: Time) {
        self.timed = self.stamp_tick.is_none().then_some((1, sent));
    }

    /// The segment up to `after` leaves for the first time.
    pub(super) fn on_sent(&mut self, after: u64, now: Time) {
        if let Some(every) = &mut self.every {
            every.on_sent(after, now);
        } else if self.timed.is_none() && self.stamp_tick.is_none() {
            self.timed = Some((after, now));
        }
    }

    /// `[seq, after)` leaves again. Karn: no sample from a segment sent twice. ns-2 stops timing only when a recovery
    /// begins.
    pub(super) fn on_repeated(&mut self, seq: u64, after: u64) {
        if let Some(every) = &mut self.every {
            every.on_repeated(after);
        } else if !self.times_repetitions && self.timed.is_some_and(|(end, _)| seq < end && end <= after) {
            self.timed = None;
        }
    }

    /// The segment at hand is not timed any more.
    pub(super) fn forget(&mut self) {
        self.timed = None;
    }

    /// Nor is any other.
    pub(super) fn forget_all(&mut self) {
        self.timed = None;
        if let Some(every) = &mut self.every {
            every.forget();
        }
    }

    /// Everything below `una` is acknowledged.
    pub(super) fn take_sample(&mut self, una: u64, cx: &mut Cx) {
        let sent = match &mut self.every {
            // The SYN is timed by itself.
            Some(every) if una > 1 => every.on_ack(una),
            _ => self.timed.take_if(|(end, _)| una >= *end).map(|(_, sent)| sent),
        };
        if let Some(sent) = sent {
            self.rtt.sample(sent, cx.now);
            cx.push(TransportEffect::Note(Note::Rtt(cx.now.saturating_since(sent))));
        }
    }

    /// An echoed timestamp times what this ACK of new data answers, a repetition too (RFC 7323 4).
    pub(super) fn take_echo(&mut self, seg: &TcpSegment, cx: &mut Cx) {
        let (Some(tick), Some(stamps)) = (self.stamp_tick, seg.timestamps) else { return };
        // An answer within the tick has taken some time all the same.
        let ticks = ((cx.now.0 / tick.0) as u32).wrapping_sub(stamps.echo).max(1);
        let rtt = tick * u64::from(ticks);
        self.rtt.sample(Time(cx.now.0.saturating_sub(rtt.0)), cx.now);
        cx.push(TransportEffect::Note(Note::Rtt(rtt)));
    }
}

#[derive(Debug, Clone, Copy)]
struct Sent {
    /// Number after the segment.
    end: u64,
    at: Time,
    again: bool,
}

/// The segments that were sent and not acknowledged since the last timeout.
#[derive(Debug, Clone, Default)]
pub(super) struct EverySegment(VecDeque<Sent>);

impl EverySegment {
    /// The segment up to `end` leaves for the first time.
    pub(super) fn on_sent(&mut self, end: u64, at: Time) {
        self.0.push_back(Sent { end, at, again: false });
    }

    /// It leaves again.
    pub(super) fn on_repeated(&mut self, end: u64) {
        if let Some(sent) = self.0.iter_mut().find(|sent| sent.end == end) {
            sent.again = true;
        }
    }

    /// Everything below `una` is acknowledged: when the first of these segments left, if it did so once.
    pub(super) fn on_ack(&mut self, una: u64) -> Option<Time> {
        let first = *self.0.front().filter(|sent| sent.end <= una)?;
        while self.0.front().is_some_and(|sent| sent.end <= una) {
            self.0.pop_front();
        }
        (!first.again).then_some(first.at)
    }

    /// What was under way is not timed any more.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_segment_of_an_ack_is_timed_unless_it_was_repeated() {
        let mut every = EverySegment::default();
        for n in 1..=5 {
            every.on_sent(100 * n, Time(n));
        }
        assert_eq!(every.on_ack(100), Some(Time(1)));
        every.on_repeated(200);
        assert_eq!(every.on_ack(300), None, "the first of two was sent twice");
        assert_eq!(every.on_ack(300), None, "nothing new");
        assert_eq!(every.on_ack(500), Some(Time(4)));
        every.on_sent(600, Time(6));
        every.forget();
        assert_eq!(every.on_ack(600), None);
    }
}
