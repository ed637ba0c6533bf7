//! What a segment does to the sender, by the state of the connection (RFC 9293 3.10.7).

use super::{Phase, TcpSender};
use crate::Cx;
use crate::reset::refuse;
use hopscope_packet::tcp::TcpSegment;

impl TcpSender {
    /// A segment in SYN-SENT: the handshake is over with the ACK of the SYN, or nothing changes.
    pub(super) fn on_segment_in_syn_sent(&mut self, seg: &TcpSegment, cx: &mut Cx) {
        // A SYN alone, of a simultaneous open (RFC 9293 3.5), comes from no passive end and is left alone. ns-2's
        // receiver, which sends no SYN of its own, opens by an ACK.
        if !seg.flags.ack || seg.ack != 1 || seg.flags.syn != self.core.three_way {
            if seg.flags.ack && seg.ack != 1 && self.core.three_way {
                refuse(seg, cx); // it acknowledges something of an older connection (RFC 9293 3.10.7.3)
            }
            return;
        }
        self.core.peer.take(seg.window);
        self.core.timing.take_echo(seg, cx);
        self.core.establish(cx);
        self.phase = Phase::Open;
        if self.core.three_way {
            self.core.header.expect(1);
            self.send_ack(cx);
        }
        self.recovery.send(&mut self.core, cx);
        self.core.watch_window(cx);
        self.advance_phase(cx);
    }

    /// A segment on a connection that is up (RFC 9293 3.10.7.4, as far as it is for the end that sends).
    pub(super) fn on_segment_when_open(&mut self, seg: &TcpSegment, hops: u8, cx: &mut Cx) {
        if seg.flags.syn {
            self.send_ack(cx); // the peer missed the ACK of its SYN
            return;
        }
        let is_ack = seg.flags.ack;
        // Below `una` the difference wraps: one comparison finds both sides.
        let is_outside =
            is_ack && seg.ack.wrapping_sub(self.core.seq.una()) > self.core.seq.max() - self.core.seq.una();
        if is_outside && seg.ack > self.core.seq.max() {
            return self.send_ack(cx); // of what was never sent (RFC 9293 3.10.7.4, RFC 5961 5)
        }
        let before = self.watch(Some(seg), cx.now);
        // An ACK that was overtaken acknowledges nothing and says nothing about the window; its blocks may still be
        // new.
        if is_outside && seg.n_sack > 0 && !self.core.rules.sack_counts_pipe {
            self.on_old_report(seg, hops, cx);
        }
        let window_changed = is_ack && !is_outside && self.take_ack(seg, hops, cx);
        if window_changed {
            self.mind_window(cx);
        }
        if self.core.loss.undo.is_some() && is_ack && self.may_send() {
            self.recovery.take_dsack(&mut self.core, seg, cx);
        }
        self.settle(before, cx);
        // Where this end receives as well, the receiving half has taken the FIN.
        if seg.flags.fin && !self.core.header.is_shared() {
            self.core.header.expect(seg.seq + seg.seq_len());
            self.peer_closed = true;
            self.send_ack(cx);
        }
        self.advance_phase(cx);
    }

    /// Takes an ACK of what is outstanding, or of nothing new; true where the window has changed or is closed.
    #[inline]
    fn take_ack(&mut self, seg: &TcpSegment, hops: u8, cx: &mut Cx) -> bool {
        let changes = self.core.peer.take(seg.window);
        let is_new = seg.ack > self.core.seq.una();
        // A window that changes or is closed makes no duplicate (RFC 5681 2), unless blocks say what has come (RFC 6675
        // 2).
        let window_changed = changes || self.core.peer.is_shut();
        let duplicate = !is_new && self.core.hears_dup_acks() && seg.seq_len() == 0;
        let duplicate = duplicate && (!window_changed || seg.n_sack > 0);
        if (is_new || duplicate) && !self.withholds(seg, cx) {
            self.core.take_mark(seg, cx.now);
            // Controls see every ACK before recovery changes what is outstanding.
            self.core.feed(seg, hops, cx.now);
            if seg.ack > self.core.seq.una() {
                self.core.timing.take_echo(seg, cx);
                self.recovery.on_new_ack(&mut self.core, seg, cx);
            } else {
                if self.core.rules.duplicates_are_timed {
                    self.core.timing.take_echo(seg, cx);
                    self.core.timing.restart(cx);
                }
                self.recovery.on_dup_ack(&mut self.core, seg, cx);
            }
        }
        window_changed
    }

    /// An ACK has been overtaken; what it reports above what is acknowledged by now is news all the same.
    #[cold]
    fn on_old_report(&mut self, seg: &TcpSegment, hops: u8, cx: &mut Cx) {
        let una = self.core.seq.una();
        let mut unseen = TcpSegment { ack: una, n_sack: 0, ..*seg };
        for block in seg.sack_blocks().iter().filter(|block| block.start > una && block.end <= self.core.seq.max()) {
            unseen.sack[usize::from(unseen.n_sack)] = *block;
            unseen.n_sack += 1;
        }
        if unseen.n_sack > 0 && self.core.hears_dup_acks() && !self.withholds(&unseen, cx) {
            self.core.feed(&unseen, hops, cx.now);
            self.recovery.on_dup_ack(&mut self.core, &unseen, cx);
        }
    }

    /// The window has changed, or is closed.
    #[cold]
    fn mind_window(&mut self, cx: &mut Cx) {
        // What probes have done to the timer ends even while a failed route keeps the sender still.
        if !self.core.peer.is_shut() {
            self.core.unprobe();
        }
        if self.may_send() {
            if !self.core.peer.is_shut() {
                self.recovery.send(&mut self.core, cx);
            }
            self.core.watch_window(cx);
        }
    }
}
