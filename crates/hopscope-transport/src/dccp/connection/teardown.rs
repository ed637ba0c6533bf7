//! How a connection ends (RFC 4340 8.3), and what answers packets that do not fit: Reset (8.3.1) and Sync (7.5.4).

use super::super::state::State;
use super::{Connection, PARTOPEN_WAIT, REQUEST_WAIT};
use hopscope_packet::Body;
use hopscope_packet::dccp::{DccpPacket, DccpType, ResetCode, Seq};
use hopscope_tcp::endpoint::{Cx, Note, Timer, TransportEffect};

impl Connection {
    pub(super) fn send_close(&mut self, cx: &mut Cx<'_>) {
        self.become_(State::Closing);
        let rtt = self.source.as_ref().and_then(|source| source.rtt.srtt());
        self.wait = rtt.map_or(REQUEST_WAIT.0, |rtt| (rtt * 2).max(PARTOPEN_WAIT.0)); // 8.3: two round trips
        self.rto.stop();
        self.ask(DccpType::Close, cx);
    }

    /// The other end says that the connection is over.
    pub(super) fn wait_out(&mut self, code: ResetCode, cx: &mut Cx<'_>) {
        // One that waits for the answer to its Close hears of no connection where that answer was lost.
        if code != ResetCode::Closed && self.state != State::Closing {
            cx.out.push(TransportEffect::Note(Note::Reset(code)));
        }
        self.become_(State::TimeWait);
        self.retire(cx);
        cx.out.push(TransportEffect::Arm(Timer::TimeWait, cx.now + self.cfg.time_wait));
        cx.out.push(TransportEffect::Note(Note::PeerClosed));
    }

    pub(super) fn retire(&mut self, cx: &mut Cx<'_>) {
        self.rto.retire(cx.out);
        self.held.retire(cx.out);
        self.pacing.retire(cx.out);
    }

    /// A packet for a connection that is not (step 2).
    pub(super) fn refuse(&mut self, packet: &DccpPacket, cx: &mut Cx<'_>) {
        if packet.kind != DccpType::Reset {
            self.reset(ResetCode::NoConnection, packet, cx);
        }
    }

    /// Answers a packet with a Reset. Where numbers are known it has the next one, else one that the packet asks for
    /// (8.3.1).
    pub(super) fn reset(&mut self, code: ResetCode, packet: &DccpPacket, cx: &mut Cx<'_>) {
        if packet.kind == DccpType::Reset {
            return;
        }
        let reset = DccpPacket { kind: DccpType::Reset, reset: code, ..DccpPacket::default() };
        // Numbers that such an end keeps belong to another connection, or to none.
        if matches!(self.state, State::Closed | State::Listen | State::TimeWait) {
            let seq = if packet.kind.acknowledges() { packet.ack.plus(1) } else { Seq::default() };
            cx.out.push(TransportEffect::Emit(Body::Dccp(DccpPacket { seq, ack: packet.seq, ..reset })));
            return;
        }
        self.emit_acking(reset, packet.seq, cx);
        // A wrong answer leaves a Request standing; the answer to a Close ends the state where it is sent.
        if !matches!(code, ResetCode::PacketError | ResetCode::Closed) {
            self.become_(State::Closed);
            self.retire(cx);
            cx.out.push(TransportEffect::Note(Note::Reset(code)));
        }
    }

    pub(super) fn sync(&mut self, ack: Seq, cx: &mut Cx<'_>) {
        self.emit_acking(DccpPacket { kind: DccpType::Sync, ..DccpPacket::default() }, ack, cx);
    }
}
