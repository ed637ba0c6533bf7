//! A receiving half next to a sending half of the same end, where data flows both ways: what each learns of the other.

use super::{ReceiverState, TcpReceiver};
use crate::Cx;
use crate::header::Reverse;
use crate::reassembly::Reassembly;
use hopscope_core::units::Time;
use hopscope_packet::tcp::TcpSegment;

impl TcpReceiver {
    /// Before every other input: the number of what the sending half sends next.
    pub(crate) fn share(&mut self, sends_next: u64) {
        self.sends_next = Some(sends_next);
    }

    /// This end is the active one, and a SYN-ACK has come.
    pub(crate) fn join(&mut self, seg: &TcpSegment) {
        self.take_stamp(seg);
        if self.state == ReceiverState::Listen {
            self.data.next = 1;
            self.state = ReceiverState::Established;
        }
    }

    /// The acknowledgement of a segment; if it is the first one of our SYN-ACK, when that left, if it was sent once.
    pub(crate) fn take_ack(&mut self, seg: &TcpSegment, cx: &mut Cx) -> Option<Option<Time>> {
        // Only its state shows whether the ACK was the one awaited: a wrong one is answered by a reset and changes
        // none.
        let waits = self.state == ReceiverState::SynReceived;
        self.on_ack(seg, cx);
        (waits && self.state == ReceiverState::Established).then_some(self.syn_ack_sent)
    }

    /// The SYN that came is forgotten.
    pub(crate) fn listen_again(&mut self, cx: &mut Cx) {
        // A reset in SYN-RECEIVED returns a passive end to LISTEN (RFC 9293 3.10.7.4, second step), as if nothing had
        // come.
        self.state = ReceiverState::Listen;
        (self.data, self.fin, self.syn_ack_sent) = (Reassembly::new(), None, None);
        (self.recent, self.last_ack, self.echo) = (0, 0, false);
        self.rtt.end_back_off();
        self.rto_timer.retire(cx);
    }

    /// The connection is over, whatever was under way.
    pub(crate) fn end(&mut self, cx: &mut Cx) {
        self.state = ReceiverState::Closed;
        self.rto_timer.retire(cx);
        self.ack_timer.retire(cx);
        if let Some(reading) = &mut self.reading {
            reading.retire(cx);
        }
    }

    /// An ACK that nothing was received for.
    pub(crate) fn challenge(&mut self, cx: &mut Cx) {
        self.send_ack(cx);
    }

    /// A segment of the sending half has left and carried our ACK.
    pub(crate) fn on_carried(&mut self) {
        self.last_ack = self.data.next;
        self.on_ack_sent();
    }

    /// Next number expected.
    pub(crate) fn next(&self) -> u64 {
        self.data.next
    }

    /// What segments of the sending half have to say for this one.
    pub(crate) fn reverse(&mut self) -> Reverse {
        let window = match &mut self.reading {
            None => self.window,
            Some(reading) => reading.window(self.data.next),
        };
        Reverse { window, stamp: self.recent, ece: self.echo }
    }
}
