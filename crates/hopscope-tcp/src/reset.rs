//! Resets (RFC 9293 3.10.7) and what keeps strangers from using them (RFC 5961).
//!
//! | state | a segment that comes | answer |
//! |---|---|---|
//! | none, CLOSED | any but a reset | a reset |
//! | LISTEN | an acknowledgement | a reset |
//! | SYN-SENT | an acknowledgement of something else than the SYN | a reset |
//! | SYN-SENT | a reset that acknowledges the SYN | the connection is refused |
//! | SYN-RECEIVED | an acknowledgement of something else than the SYN-ACK | a reset |
//! | SYN-RECEIVED | a reset with the number expected | LISTEN again |
//! | later | a reset with the number expected | the connection has ended |
//! | SYN-RECEIVED and later | a reset elsewhere in the window | an ACK ("challenge", RFC 5961 3.2) |
//! | later | an acknowledgement of what was never sent | an ACK (RFC 5961 5) |

use super::{Connection, Cx, Note, ReceiverState, SenderState};
use hopscope_packet::dccp::ResetCode;
use hopscope_packet::tcp::{TcpFlags, TcpSegment};

/// Answers a segment that no connection here is for, unless it is a reset (RFC 9293 3.10.7.1).
#[cold]
pub(super) fn refuse(segment: &TcpSegment, cx: &mut Cx<'_>) {
    if segment.flags.rst {
        return;
    }
    let (ack, next) = (segment.flags.ack, segment.seq + segment.seq_len());
    let (seq, ack_number) = if ack { (segment.ack, 0) } else { (0, next) };
    let flags = TcpFlags { rst: true, ack: !ack, ..TcpFlags::default() };
    cx.emit(TcpSegment { seq, ack: ack_number, flags, ..TcpSegment::default() });
}

impl Connection {
    /// A segment with RST has arrived.
    #[cold]
    pub(super) fn on_reset(&mut self, segment: &TcpSegment, cx: &mut Cx<'_>) {
        let sending = self.sender().map(|half| half.state());
        let receiving = self.receiver().map(|half| half.state());
        let opens = self.opens();
        if receiving == Some(ReceiverState::Closed) || sending == Some(SenderState::Closed) {
            return;
        }
        match (sending, receiving) {
            (Some(SenderState::Idle), _) if opens => return, // nothing has been opened
            (_, Some(ReceiverState::Listen)) if !opens => return,
            (Some(SenderState::SynSent), _) => {
                if segment.flags.ack && segment.ack == 1 {
                    self.end(Some(ResetCode::ConnectionRefused), cx);
                }
                return;
            }
            _ => {}
        }
        let (next, window) = self.expects();
        if segment.seq != next {
            if (next..next + window).contains(&segment.seq) {
                self.challenge(cx);
            }
        } else if receiving == Some(ReceiverState::SynReceived) {
            if let Some(receiver) = self.receiver_mut() {
                receiver.listen_again(cx);
            }
        } else {
            let waits = sending == Some(SenderState::TimeWait); // it has ended already
            self.end((!waits).then_some(ResetCode::Unspecified), cx);
        }
    }

    /// The application gives the connection up: what it has not sent or read is lost (RFC 9293 3.10.5).
    pub fn abort(&mut self, cx: &mut crate::endpoint::Cx<'_>) {
        let cx = &mut Cx { now: cx.now, out: cx.out };
        let receiving = self.receiver().map(|half| half.state());
        let synchronised = match self.sender().map(|half| half.state()) {
            Some(SenderState::Idle) => receiving == Some(ReceiverState::SynReceived),
            Some(SenderState::SynSent | SenderState::TimeWait | SenderState::Closed) => false,
            Some(_) => true,
            None => matches!(receiving, Some(ReceiverState::SynReceived | ReceiverState::Established)),
        };
        if synchronised {
            let (ack, _) = self.expects();
            let seq = self.sends();
            let flags = TcpFlags { rst: true, ack: true, ..TcpFlags::default() };
            cx.emit(TcpSegment { seq, ack, flags, ..TcpSegment::default() });
        }
        self.end(None, cx);
    }

    /// Everything here is over.
    fn end(&mut self, code: Option<ResetCode>, cx: &mut Cx<'_>) {
        if let Some(sender) = self.sender_mut() {
            sender.end(cx);
        }
        if let Some(receiver) = self.receiver_mut() {
            receiver.end(cx);
        }
        if let Some(code) = code {
            cx.push(super::TransportEffect::Note(Note::Reset(code)));
        }
    }
}
