//! A packet that has come, in the order of the steps of RFC 4340 8.5.

use super::super::features::Feature;
use super::super::sink::Taken;
use super::super::state::State;
use super::{Connection, PARTOPEN_WAIT, SYNC_GAP};
use hopscope_packet::Ecn;
use hopscope_packet::dccp::{DccpPacket, DccpType, ResetCode};
use hopscope_tcp::endpoint::{Cx, Note, Payload, TransportEffect};

impl Connection {
    /// Steps 5 and 6: numbers in their windows; others are answered with a Sync, but for Syncs.
    pub(super) fn is_valid(&mut self, packet: &DccpPacket, cx: &mut Cx<'_>) -> bool {
        let [local, remote] =
            [self.features.local(Feature::SequenceWindow), self.features.remote(Feature::SequenceWindow)];
        let gsr = self.seq.gsr;
        let is_sync = matches!(packet.kind, DccpType::Sync | DccpType::SyncAck);
        if self.seq.accepts(packet, local, remote) {
            // A Sync may jump ahead: what it leaves out was not lost.
            if !is_sync {
                self.ratio.on_packet(packet.seq.since(gsr));
            }
            return true;
        }
        if !is_sync && self.last_sync.is_none_or(|last| cx.now.saturating_since(last) >= SYNC_GAP) {
            self.last_sync = Some(cx.now);
            // A Reset from an end that knows no numbers has one that means nothing: GSR is acknowledged in its place.
            self.sync(if packet.kind == DccpType::Reset { self.seq.gsr } else { packet.seq }, cx);
        }
        false
    }

    /// Step 7: a type that the other end cannot send now.
    pub(super) fn is_unexpected(&self, packet: &DccpPacket) -> bool {
        let is_late =
            self.state.is_synchronized() && packet.seq.since(self.seq.osr) >= 0 && self.state != State::PartOpen;
        // A client in PARTOPEN still takes a Response: the server answers each Request that comes.
        match packet.kind {
            DccpType::CloseReq => self.is_server,
            DccpType::Response => self.is_server || is_late,
            DccpType::Request => !self.is_server || is_late,
            DccpType::Data => self.state == State::Respond,
            _ => false,
        }
    }

    /// Steps 10 to 15: what the type does to the state.
    pub(super) fn proceed(&mut self, packet: &DccpPacket, cx: &mut Cx<'_>) {
        match (self.state, packet.kind) {
            (State::Request, _) => {
                self.become_(State::PartOpen);
                self.wait = PARTOPEN_WAIT.0;
                self.rto.stop();
            }
            // A Response to each Request: it has no timer here, it is the client that repeats (8.1.3).
            (State::Respond, DccpType::Request) => {
                self.emit(DccpPacket { kind: DccpType::Response, ..DccpPacket::default() }, cx);
            }
            (State::Respond, DccpType::Ack | DccpType::DataAck) => {
                self.seq.osr = packet.seq;
                self.become_(State::Open);
            }
            // Only what the server sends in OPEN shows that it knows of the handshake's end (8.1.5).
            (State::PartOpen, kind) if !matches!(kind, DccpType::Response | DccpType::Sync) => {
                self.seq.osr = packet.seq;
                self.become_(State::Open);
                self.rto.stop();
                self.watch(cx);
            }
            _ => {}
        }
        match packet.kind {
            DccpType::CloseReq if self.state.is_synchronized() && self.state != State::Closing => self.send_close(cx),
            DccpType::Close => {
                self.reset(ResetCode::Closed, packet, cx);
                self.become_(State::Closed);
                self.retire(cx);
                cx.out.push(TransportEffect::Note(Note::PeerClosed));
            }
            DccpType::Sync => {
                let answer = DccpPacket { kind: DccpType::SyncAck, ack: packet.seq, ..DccpPacket::default() };
                self.emit_acking(answer, packet.seq, cx);
            }
            _ => {}
        }
    }

    /// Step 16: data and acknowledgements.
    pub(super) fn take(&mut self, packet: &DccpPacket, ecn: Ecn, cx: &mut Cx<'_>) -> Option<Payload> {
        let mut payload = None;
        if let Some(sink) = &mut self.sink {
            let taken = sink.on_packet(packet, ecn == Ecn::Ce, cx.now);
            // Data in a Request or before OPEN is acknowledged by its number, but not handed up.
            let is_here = packet.is_data() && matches!(self.state, State::Open | State::CloseReq);
            if is_here && taken != Taken::Dropped {
                let DccpPacket { len: bytes, retransmission, .. } = *packet;
                let ready = sink.hand_over(packet, taken);
                payload = Some(Payload { bytes, duplicate: ready.is_none(), retransmission });
                if let Some(bytes) = ready.filter(|bytes| *bytes > 0) {
                    cx.out.push(TransportEffect::Deliver { bytes });
                }
            }
            self.answer(cx);
        }
        if self.source.is_none() || !matches!(self.state, State::PartOpen | State::Open) {
            return payload;
        }
        if packet.kind.acknowledges() && !matches!(packet.kind, DccpType::Sync | DccpType::SyncAck) {
            self.on_ack(packet, cx);
        }
        // Data that leaves at once acknowledges the Response; an Ack of its own is for a client without any.
        let before = cx.out.len();
        self.pump(cx);
        let has_answered = cx.out[before..].iter().any(|effect| matches!(effect, TransportEffect::Emit(_)));
        if packet.kind == DccpType::Response && !has_answered {
            self.ask(DccpType::Ack, cx);
        }
        self.finish(cx);
        payload
    }
}
