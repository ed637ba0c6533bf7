//! What a segment brings: the steps of RFC 9293 3.10.7.4 for its text and its FIN, in their order.

use super::{Due, TcpReceiver};
use crate::ack::{AckDecision, Arrival};
use crate::reassembly::Placed;
use crate::{Cx, Note, TransportEffect};
use hopscope_core::units::Time;
use hopscope_packet::Ecn;
use hopscope_packet::tcp::TcpSegment;

impl TcpReceiver {
    /// Takes data and FIN; says when their ACK is due.
    pub(crate) fn take_data(&mut self, seg: &TcpSegment, cx: &mut Cx) -> Due {
        let mut due = if seg.seq_len() > 0 { Due::Now } else { Due::Never };
        if seg.len > 0 {
            self.note_arrival(seg);
            // What is not acceptable is answered and dropped whole, a FIN behind it too.
            let Some(end) = self.acceptable_end(seg) else { return Due::Bare };
            due = self.take_text(seg, end, cx);
        }
        self.take_fin(seg, cx);
        due
    }

    /// What is to be reported of an arrival, whether it is acceptable or not.
    #[inline]
    fn note_arrival(&mut self, seg: &TcpSegment) {
        if self.dsack {
            // Of several repetitions before an ACK the last one is reported (RFC 2883 4); asked before the text is
            // placed.
            let end = seg.seq + u64::from(seg.len);
            self.repeated = self.data.known(seg.seq, end).or(self.repeated);
        }
        if let Some(order) = &mut self.order {
            order.on_data(seg.order);
        }
    }

    /// First step: number after the text that the window has room for; none where it has for nothing.
    #[inline]
    fn acceptable_end(&self, seg: &TcpSegment) -> Option<u64> {
        let end = seg.seq + u64::from(seg.len);
        // Where the application reads at once the window never closes, and a sender keeps to it.
        let Some(reading) = &self.reading else { return Some(end) };
        let end = end.min(reading.edge().max(seg.seq));
        (end > seg.seq).then_some(end)
    }

    /// Seventh step: the text up to `end`.
    #[inline]
    fn take_text(&mut self, seg: &TcpSegment, end: u64, cx: &mut Cx) -> Due {
        let placed = self.data.place(seg.seq, end);
        self.count(placed);
        // CWR ends the echo of older marks; a mark on the same segment is a new one (RFC 3168 6.1.3).
        self.echo &= !seg.flags.cwr;
        self.echo |= self.is_marked(seg);
        let arrival = self.arrival(seg, placed, end, cx.now);
        if let Placed::InOrder { bytes, .. } = placed {
            self.deliver(bytes, cx);
        }
        let decision = self.acker.on_data(&arrival);
        self.report_window(cx);
        let has_enough = self.guard.as_mut().is_some_and(|guard| guard.has_enough(seg.sender_window));
        let is_bare = matches!(placed, Placed::Duplicate | Placed::OutOfOrder) || self.data.has_gap();
        match decision {
            // The eighth step acknowledges a FIN at once, whatever the policy holds back.
            AckDecision::Hold if !seg.flags.fin && !has_enough => Due::Later,
            AckDecision::Hold | AckDecision::Now if is_bare => Due::Bare,
            AckDecision::Hold | AckDecision::Now => Due::Now,
        }
    }

    /// Eighth step: the FIN, which waits until everything before it has come.
    #[inline]
    fn take_fin(&mut self, seg: &TcpSegment, cx: &mut Cx) {
        if seg.flags.fin && self.fin.is_none() {
            self.fin = Some(seg.seq + u64::from(seg.len));
        }
        if self.fin == Some(self.data.next) {
            self.data.next += 1;
            cx.push(TransportEffect::Note(Note::PeerClosed));
        }
    }

    /// What the arrival of text that has been placed means for the policy.
    #[inline]
    fn arrival(&self, seg: &TcpSegment, placed: Placed, end: u64, now: Time) -> Arrival {
        let (in_order, bytes) = match placed {
            Placed::InOrder { bytes, filled } => (!filled, bytes),
            Placed::Duplicate | Placed::OutOfOrder => (false, 0),
        };
        let duplicate = placed == Placed::Duplicate;
        Arrival {
            now,
            in_order,
            duplicate,
            repeats_last: duplicate && end == self.data.next && !self.data.has_gap(),
            bytes,
            len: u64::from(seg.len),
            marked: self.is_marked(seg),
            pushed: seg.flags.psh,
            sender_window: seg.sender_window,
        }
    }

    /// A router has marked it, and marks are understood.
    #[inline]
    fn is_marked(&self, seg: &TcpSegment) -> bool {
        self.ecn && seg.ecn == Ecn::Ce
    }

    #[inline]
    fn deliver(&mut self, bytes: u64, cx: &mut Cx) {
        self.stats.bytes_delivered += bytes;
        match &mut self.reading {
            None => cx.push(TransportEffect::Deliver { bytes: bytes as u32 }),
            Some(reading) => reading.on_data(bytes, cx),
        }
    }

    fn count(&mut self, placed: Placed) {
        self.stats.segments_received += 1;
        match placed {
            Placed::Duplicate => self.stats.duplicates += 1,
            Placed::OutOfOrder => self.stats.out_of_order += 1,
            Placed::InOrder { .. } => {}
        }
    }
}
