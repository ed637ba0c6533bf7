//! The passive end of set-up (RFC 9293 3.5) and tear-down (3.6): SYN-ACK and FIN, their answers and their timer.

use super::{FIN_NUMBER, ReceiverState, TcpReceiver};
use crate::Cx;
use crate::reset::refuse;
use hopscope_packet::tcp::{TcpFlags, TcpSegment};

impl TcpReceiver {
    /// A segment comes before the connection is up or after our FIN; true where its data is taken.
    #[cold]
    pub(super) fn goes_on(&mut self, seg: &TcpSegment, cx: &mut Cx) -> bool {
        if matches!(self.state, ReceiverState::Listen | ReceiverState::Closed) {
            // LISTEN resets an ACK and drops the rest in silence (RFC 9293 3.10.7.2); CLOSED resets all (3.10.7.1).
            if self.three_way && (seg.flags.ack || self.state == ReceiverState::Closed) {
                refuse(seg, cx);
            }
            return false;
        }
        if seg.flags.ack {
            self.on_ack(seg, cx);
        }
        self.state != ReceiverState::SynReceived
    }

    /// A SYN, which only LISTEN waits for.
    pub(super) fn on_syn(&mut self, seg: &TcpSegment, cx: &mut Cx) {
        if self.state == ReceiverState::Listen {
            self.data.next = 1;
            self.state = if self.three_way { ReceiverState::SynReceived } else { ReceiverState::Established };
            if self.three_way {
                return self.send_syn_ack(false, cx);
            }
        }
        match self.state {
            // The peer has not seen the SYN-ACK: a repetition, as the timer would send it, spares it the rest of the
            // wait.
            ReceiverState::SynReceived => self.send_syn_ack(true, cx),
            ReceiverState::Closed if self.three_way => refuse(seg, cx),
            _ => self.send_ack(cx), // a challenge ACK (RFC 5961 4.2)
        }
    }

    /// The fifth step of RFC 9293 3.10.7.4: what the ACK of our SYN and that of our FIN change.
    pub(super) fn on_ack(&mut self, seg: &TcpSegment, cx: &mut Cx) {
        match self.state {
            ReceiverState::SynReceived if seg.ack != FIN_NUMBER => refuse(seg, cx),
            ReceiverState::SynReceived => {
                self.state = ReceiverState::Established;
                // No sample from a SYN-ACK that was sent twice (Karn).
                if let Some(sent) = self.syn_ack_sent {
                    self.acker.on_set_up(cx.now.saturating_since(sent));
                }
                self.rto_timer.stop();
                self.rtt.end_back_off();
            }
            ReceiverState::LastAck if seg.ack > FIN_NUMBER => {
                self.state = ReceiverState::Closed;
                self.rto_timer.retire(cx);
                self.ack_timer.retire(cx);
            }
            _ => {}
        }
    }

    pub(super) fn send_syn_ack(&mut self, again: bool, cx: &mut Cx) {
        // ECE alone answers the SYN's ECE and CWR: that is what makes both ends use ECN (RFC 3168 6.1.1).
        let flags = TcpFlags { syn: true, ack: true, ece: self.ecn, ..TcpFlags::default() };
        self.syn_ack_sent = (!again).then_some(cx.now);
        self.emit(TcpSegment { flags, retransmission: again, ..TcpSegment::default() }, cx);
        self.restart_rto(cx);
    }

    /// Our FIN, which acknowledges the peer's.
    pub(super) fn send_fin(&mut self, again: bool, cx: &mut Cx) {
        let flags = TcpFlags { ack: true, fin: true, ..TcpFlags::default() };
        self.emit(TcpSegment { seq: FIN_NUMBER, flags, retransmission: again, ..TcpSegment::default() }, cx);
        self.restart_rto(cx);
    }

    fn restart_rto(&mut self, cx: &mut Cx) {
        let at = cx.now + self.rtt.rto();
        self.rto_timer.set(at, cx);
    }
}
