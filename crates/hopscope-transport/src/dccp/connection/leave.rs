//! What leaves an end of a connection: packets with their numbers and options, and their repetition where an answer is
//! missing.

use super::super::features::Feature;
use super::super::state::State;
use super::{CLOSE_WAIT, Connection, PARTOPEN_WAIT, REQUEST_WAIT};
use hopscope_core::units::Span;
use hopscope_packet::dccp::{DccpPacket, DccpType, Seq};
use hopscope_packet::{Body, Ecn};
use hopscope_tcp::endpoint::{Cx, TransportEffect};

impl Connection {
    /// The timer of the state has expired: what was not answered is sent again.
    pub(super) fn on_rto(&mut self, cx: &mut Cx<'_>) {
        match self.state {
            State::Request => self.again(DccpType::Request, REQUEST_WAIT.1, cx),
            State::PartOpen => {
                // With data out, a packet of data without any: all acknowledgements of the first window may be lost.
                let is_waiting = self.source.as_ref().is_some_and(|source| source.pipe() > 0);
                let kind = if is_waiting { DccpType::DataAck } else { DccpType::Ack };
                self.again(kind, PARTOPEN_WAIT.1, cx);
            }
            State::CloseReq => self.again(DccpType::CloseReq, CLOSE_WAIT, cx),
            State::Closing => self.again(DccpType::Close, CLOSE_WAIT, cx),
            State::Open => {
                // Where reliable data alone waits for its repetition, no timeout has happened: nothing is in flight.
                if let Some(source) = self.source.as_mut().filter(|source| source.repeats_at().is_none()) {
                    source.on_timeout(cx.now);
                }
                self.pump(cx);
                self.finish(cx);
                self.probe(cx);
            }
            State::Closed | State::Listen | State::Respond | State::TimeWait => {}
        }
    }

    /// The same again, after twice the wait.
    fn again(&mut self, kind: DccpType, most: Span, cx: &mut Cx<'_>) {
        self.wait = (self.wait * 2).min(most);
        self.ask(kind, cx);
    }

    /// Sends what the other end has to answer.
    pub(super) fn ask(&mut self, kind: DccpType, cx: &mut Cx<'_>) {
        self.emit(DccpPacket { kind, ..DccpPacket::default() }, cx);
        self.rto.set(cx.now + self.wait, cx.out);
    }

    /// Sends a packet that acknowledges the greatest number received.
    pub(super) fn emit(&mut self, packet: DccpPacket, cx: &mut Cx<'_>) {
        self.emit_acking(packet, self.seq.gsr, cx);
    }

    /// Sends a packet with the next number and this acknowledgement.
    pub(super) fn emit_acking(&mut self, mut packet: DccpPacket, ack: Seq, cx: &mut Cx<'_>) {
        self.has_sent = true;
        packet.seq = self.seq.next();
        if packet.kind.acknowledges() {
            packet.ack = ack;
        }
        if packet.kind == DccpType::Ack || packet.kind == DccpType::DataAck {
            let with_vector = self.features.local(Feature::AckVector) == 1;
            if let Some(sink) = &mut self.sink {
                sink.write(&mut packet, with_vector, self.features.wanted_octets(), cx.now);
            }
        }
        // After the Ack Vector, which has left the room that features want.
        self.features.write(&mut packet);
        if self.features.local(Feature::NdpCount) == 1 {
            packet.ndp = self.without_data;
        }
        self.without_data = if packet.is_data() { 0 } else { self.without_data.saturating_add(1) };
        packet.ecn = if self.cfg.ecn { Ecn::Ect } else { Ecn::NotEct };
        if let Some(source) = &mut self.source {
            packet.ccval = source.counter(cx.now);
            source.on_sent(&packet, cx.now);
        }
        // Last: all that reads the numbers before reads them whole.
        if packet.kind.may_be_short() && self.features.local(Feature::ShortSeq) == 1 {
            packet.short = true;
            (packet.seq, packet.ack) = (Seq::new(packet.seq.short().into()), Seq::new(packet.ack.short().into()));
        }
        cx.out.push(TransportEffect::Emit(Body::Dccp(packet)));
    }
}
