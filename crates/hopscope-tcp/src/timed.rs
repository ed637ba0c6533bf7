//! What a sender times: the retransmission timer, and segments for the round-trip time: one at a time, all by their
//! timestamps, or, as ns-3 does it without them, every one that is sent once.

use std::collections::VecDeque;

use super::core::Core;
use super::{Cx, Note, TransportEffect};
use hopscope_core::units::Time;
use hopscope_packet::tcp::TcpSegment;

impl Core {
    /// (Re)starts the retransmission timer with the present RTO.
    pub(super) fn restart_rto(&mut self, cx: &mut Cx) {
        let at = cx.now + self.rtt.rto();
        self.rto_timer.set(at, cx);
    }

    pub(super) fn take_sample(&mut self, cx: &mut Cx) {
        let una = self.una;
        let sent = match &mut self.every {
            Some(every) if una > 1 => every.on_ack(una),
            _ => self.timed.take_if(|(end, _)| una >= *end).map(|(_, sent)| sent),
        };
        if let Some(sent) = sent {
            self.rtt.sample(sent, cx.now);
            cx.push(TransportEffect::Note(Note::Rtt(cx.now.saturating_since(sent))));
        }
    }

    /// An ACK of new data has come; where its number is enough, it ends the back-off of the RTO.
    #[inline]
    pub(super) fn end_back_off(&mut self) {
        if self.rules.backoff_ends_by_ack {
            self.rtt.end_back_off();
        }
    }

    /// An echoed timestamp times what this ACK of new data answers, a repetition too (RFC 7323 4).
    pub(super) fn take_echo(&mut self, seg: &TcpSegment, cx: &mut Cx) {
        let (Some(tick), Some(stamps)) = (self.stamp_tick, seg.timestamps) else { return };
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
