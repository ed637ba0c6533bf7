//! A sending half next to a receiving half of the same end, where data flows both ways: what each learns of the other.

use super::{Phase, TcpSender};
use crate::Cx;
use crate::header::Reverse;
use hopscope_core::units::Time;
use hopscope_packet::tcp::TcpSegment;

impl TcpSender {
    /// Before every other input: the state of the receiving half, for what is sent in answer.
    pub(crate) fn share(&mut self, next: u64, reverse: Reverse) {
        self.core.header.share(next, reverse);
    }

    /// This end is the passive one, and its SYN-ACK is acknowledged by `seg`; it left at `sent` if it was sent once.
    pub(crate) fn accept(&mut self, seg: &TcpSegment, sent: Option<Time>, cx: &mut Cx) {
        if self.phase == Phase::Idle {
            self.core.peer.take(seg.window);
            self.core.establish_passively(sent, cx);
            self.core.timing.take_echo(seg, cx);
            self.phase = Phase::Open;
            self.recovery.send(&mut self.core, cx);
            self.core.watch_window(cx);
            self.advance_phase(cx);
        }
    }

    /// The peer's FIN is consumed.
    pub(crate) fn on_peer_closed(&mut self, cx: &mut Cx) {
        self.peer_closed = true;
        // The end whose FIN comes after the peer's goes through LAST-ACK and waits out nothing (RFC 9293 3.6).
        self.closes_second = self.core.seq.max() <= self.core.seq.data_end();
        if self.phase == Phase::Open {
            self.advance_phase(cx);
        }
    }

    /// A segment acknowledges what was never sent.
    #[inline]
    pub(crate) fn never_sent(&self, seg: &TcpSegment) -> bool {
        seg.flags.ack && seg.ack > self.core.seq.max() && self.phase == Phase::Open
    }

    /// Next number expected of the other end.
    pub(crate) fn expects(&self) -> u64 {
        self.core.header.rcv_nxt()
    }

    /// The window that this end advertises, in bytes.
    pub(crate) fn offers(&self) -> u32 {
        self.core.header.window(self.core.peer.limit(), self.core.mss)
    }

    /// Next number that a segment without data carries.
    pub(crate) fn next(&self) -> u64 {
        self.core.seq.nxt()
    }
}
