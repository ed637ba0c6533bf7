//! The half of a connection that sends data, and the half that receives it: what each puts on its way.

use super::super::features::Feature;
use super::super::source::{Outgoing, ticks};
use super::super::state::State;
use super::Connection;
use hopscope_packet::dccp::{DccpPacket, DccpType, Stamp};
use hopscope_tcp::endpoint::{Cx, Note, TransportEffect};

impl Connection {
    // The half that sends.

    /// A valid acknowledgement has come.
    pub(super) fn on_ack(&mut self, packet: &DccpPacket, cx: &mut Cx<'_>) {
        let ratio = self.features.local(Feature::AckRatio);
        let Some(source) = &mut self.source else { return };
        if let Some(rtt) = source.on_ack(packet, ratio, cx.now) {
            cx.out.push(TransportEffect::Note(Note::Rtt(rtt)));
        }
        let window = source.ccid().window();
        // Five times what a round trip sends: numbers stay valid over as many (RFC 4340 7.5.2). It only widens, in
        // powers of two, since every change is negotiated.
        let width = (5.0 * window) as u64;
        if width > self.features.local(Feature::SequenceWindow) {
            self.features.change(Feature::SequenceWindow, width.next_power_of_two());
        }
        if self.cfg.adapt_ack_ratio {
            let wanted = self.ratio.on_ack(packet.ack, self.seq.gss.plus(1), window);
            self.features.change(Feature::AckRatio, wanted);
        }
        // Probes leave one each timeout: what does not end them leaves the timer alone.
        if !self.source.as_ref().is_some_and(|source| source.is_probing()) {
            self.rto.stop();
        }
        self.watch(cx);
    }

    /// Sends what the window allows. In PARTOPEN every packet acknowledges (RFC 4340 8.1.5).
    pub(super) fn pump(&mut self, cx: &mut Cx<'_>) {
        while let Some(data) = self.source.as_mut().and_then(|source| source.take(cx.now)) {
            self.emit_data(data, cx);
        }
        if let Some(at) = self.source.as_mut().and_then(|source| source.sends_at(cx.now)) {
            self.pacing.set(at, cx.out);
        }
        self.watch(cx);
    }

    /// Data leaves, in the type that it needs.
    pub(super) fn emit_data(&mut self, data: Outgoing, cx: &mut Cx<'_>) {
        let Outgoing { bytes: len, number, is_repeated: retransmission, acknowledges } = data;
        // Packets of type Data carry no options of features (RFC 4340 5.8).
        let is_data_alone = !acknowledges && self.state != State::PartOpen && !self.features.is_busy();
        let kind = if is_data_alone { DccpType::Data } else { DccpType::DataAck };
        let stamp = if self.cfg.timestamps { Stamp::Timestamp(ticks(cx.now)) } else { Stamp::None };
        self.emit(DccpPacket { kind, len, number, retransmission, stamp, ..DccpPacket::default() }, cx);
    }

    /// The timer runs while data is in flight; in PARTOPEN while the server has not answered.
    pub(super) fn watch(&mut self, cx: &mut Cx<'_>) {
        let Some(source) = &self.source else { return };
        if self.rto.is_set() {
            return;
        }
        match self.state {
            State::PartOpen => self.rto.set(cx.now + self.wait, cx.out),
            State::Open if source.pipe() > 0 || source.is_probing() => self.rto.set(cx.now + source.timeout(), cx.out),
            State::Open => {
                if let Some(at) = source.repeats_at() {
                    self.rto.set(at.max(cx.now), cx.out);
                }
            }
            _ => {}
        }
    }

    /// All is sent and reported: the connection closes.
    pub(super) fn finish(&mut self, cx: &mut Cx<'_>) {
        let Some(source) = &mut self.source else { return };
        if source.completes() {
            cx.out.push(TransportEffect::Note(Note::Completed));
        }
        if source.is_completed() && matches!(self.state, State::PartOpen | State::Open) {
            self.send_close(cx);
        }
    }

    // The half that receives.

    /// Acknowledges at once, or later.
    pub(super) fn answer(&mut self, cx: &mut Cx<'_>) {
        let ratio = self.features.remote(Feature::AckRatio);
        let Some(sink) = &self.sink else { return };
        if self.state != State::Open {
            return;
        }
        if sink.is_due(ratio) {
            self.acknowledge(cx);
        } else if let Some(at) = sink.due_at(cx.now).filter(|_| !self.held.is_set()) {
            self.held.set(at, cx.out);
        }
    }

    /// An acknowledgement leaves.
    pub(super) fn acknowledge(&mut self, cx: &mut Cx<'_>) {
        self.held.stop();
        let width = self.features.remote(Feature::SequenceWindow);
        if width > self.features.local(Feature::SequenceWindow) {
            self.features.change(Feature::SequenceWindow, width);
        }
        self.emit(DccpPacket { kind: DccpType::Ack, ..DccpPacket::default() }, cx);
    }
}
