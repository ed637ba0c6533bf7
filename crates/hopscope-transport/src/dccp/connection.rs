//! One end of a DCCP connection (RFC 4340 8): states, sequence validity, handshake and teardown.
//!
//! ```text
//! client: CLOSED -> REQUEST -> PARTOPEN -> OPEN -> CLOSING -> TIMEWAIT -> CLOSED
//! server: LISTEN -> RESPOND -> OPEN (-> CLOSEREQ) -> CLOSED
//! ```
//!
//! Data flows from the client to the server. The client closes when all has been sent and reported; a server that closes asks
//! the client to. A client asks without end: giving up is left to it (8.1.1), and PARTOPEN is not left for its length.

mod failure;
mod teardown;

use super::ack_ratio::AckRatio;
use super::features::{Feature, Features};
use super::rtt::Deadline;
use super::sink::{Sink, Taken};
use super::source::{Outgoing, Source, ticks};
use super::state::State;
use crate::config::{DccpConfig, DccpControl, FlowConfig};
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};
use hopscope_packet::dccp::{DccpPacket, DccpType, ResetCode, Seq, Stamp};
use hopscope_packet::{Body, Ecn};
use hopscope_tcp::SenderStats;
use hopscope_tcp::endpoint::{Cx, Note, Payload, Timer, TransportEffect};

/// First wait for the answer to a Request, and the longest (RFC 4340 8.1.1).
const REQUEST_WAIT: (Span, Span) = (Span::from_secs(1), Span::from_secs(64));
/// The same for the first packet of the server after PARTOPEN began (8.1.5).
const PARTOPEN_WAIT: (Span, Span) = (Span::from_millis(200), Span::from_secs(8));
/// Longest wait for the answer to a Close or CloseReq (8.3).
const CLOSE_WAIT: Span = Span::from_secs(64);
/// Least time between two Syncs that answer invalid packets (7.5.4: not more than eight a second).
const SYNC_GAP: Span = Span::from_millis(125);

/// One end of a connection.
#[derive(Debug)]
pub struct Connection {
    cfg: DccpConfig,
    is_server: bool,
    state: State,
    /// First and greatest number sent.
    iss: Seq,
    gss: Seq,
    has_sent: bool,
    /// First and greatest valid number received, and the number with which the other end left its handshake.
    isr: Seq,
    gsr: Seq,
    osr: Seq,
    /// Greatest acknowledgement received.
    gar: Seq,
    features: Features,
    source: Option<Box<Source>>,
    sink: Option<Box<Sink>>,
    /// Retransmission of the handshake, of data and of the teardown, whichever is under way.
    rto: Deadline,
    held: Deadline,
    /// When the rate lets the next packet go.
    pacing: Deadline,
    /// The wait for an answer in the handshake or the teardown.
    wait: Span,
    last_sync: Option<Time>,
    /// Packets without data sent in a row.
    without_data: u32,
    /// What is known of lost acknowledgements.
    ratio: AckRatio,
    /// Network header.
    network_header: u32,
}

impl Connection {
    /// Both ends of a flow, the client first, over a network with headers of so many bytes.
    pub fn pair(flow: &FlowConfig, network_header: u32, mut stream: Stream) -> (Connection, Connection) {
        let control = flow.dccp_control();
        let [client, server] =
            [false, true].map(|is_server| Connection::new(flow, control, is_server, network_header, stream.next_u64()));
        (client, server)
    }

    fn new(flow: &FlowConfig, control: DccpControl, is_server: bool, network_header: u32, iss: u64) -> Self {
        let (mut cfg, iss) = (flow.dccp.clone(), Seq::new(iss));
        cfg.timestamps |= control == DccpControl::Adhoc;
        cfg.adapt_ack_ratio &= control == DccpControl::Ccid2;
        let ack_ratio = u64::from(cfg.first_ack_ratio(control));
        let known = if is_server { cfg.receiver_ccid.number().unwrap_or(control.number()) } else { control.number() };
        let mut features = Features::new(is_server, &[known]);
        if !is_server {
            if u64::from(control.number()) != features.local(Feature::Ccid) {
                features.demand(Feature::Ccid, u64::from(control.number()));
            }
            features.change(Feature::AckRatio, ack_ratio);
            features.change(Feature::ShortSeq, u64::from(cfg.short_seq));
            features.change_remote(Feature::ShortSeq, u64::from(cfg.short_seq));
            features.change(Feature::NdpCount, u64::from(cfg.ndp_count));
            features.change_remote(Feature::AckVector, u64::from(control.needs_vectors(&cfg)));
            features.change_remote(Feature::LossEventRate, u64::from(control.is_by_rate()));
        }
        if is_server
            && cfg.receiver_ccid.number().is_some_and(|known| u64::from(known) != features.remote(Feature::Ccid))
        {
            features.demand_remote(Feature::Ccid, u64::from(known));
        }
        features.change(Feature::EcnIncapable, u64::from(!cfg.ecn));
        features.change(Feature::SequenceWindow, u64::from(cfg.sequence_window));
        Connection {
            is_server,
            state: if is_server { State::Listen } else { State::Closed },
            iss,
            gss: iss.minus(1),
            has_sent: false,
            isr: Seq::default(),
            gsr: Seq::default(),
            osr: Seq::default(),
            gar: iss,
            features,
            source: (!is_server).then(|| Box::new(Source::new(control, &cfg, flow.packet, network_header, iss))),
            sink: is_server.then(|| Box::new(Sink::new(control, &cfg))),
            rto: Deadline::new(Timer::Rto),
            held: Deadline::new(Timer::DelayedAck),
            pacing: Deadline::new(Timer::Pacing),
            wait: REQUEST_WAIT.0,
            last_sync: None,
            without_data: 0,
            ratio: AckRatio::new(ack_ratio),
            network_header,
            cfg,
        }
    }

    // Inputs.

    /// The application has `bytes` more to send; `u64::MAX`: without end. The first time it opens the connection.
    pub fn on_send(&mut self, bytes: u64, cx: &mut Cx<'_>) {
        let Some(source) = &mut self.source else { return };
        source.offer(bytes);
        match self.state {
            State::Closed if !self.has_sent => {
                self.become_(State::Request);
                self.wait = REQUEST_WAIT.0;
                self.ask(DccpType::Request, cx);
            }
            State::PartOpen | State::Open => self.pump(cx),
            _ => {}
        }
    }

    /// The application will send no more; a server asks its client to close.
    pub fn close(&mut self, cx: &mut Cx<'_>) {
        if let Some(source) = &mut self.source {
            source.close();
            self.finish(cx);
        } else if self.state == State::Open {
            self.become_(State::CloseReq);
            self.wait = REQUEST_WAIT.0;
            self.ask(DccpType::CloseReq, cx);
        }
    }

    /// A packet has arrived with this ECN field; gives the data that it carried, if any.
    pub fn on_packet(&mut self, wire: &DccpPacket, ecn: Ecn, cx: &mut Cx<'_>) -> Option<Payload> {
        let packet = &self.whole(wire);
        match self.state {
            State::Closed | State::TimeWait => {
                self.refuse(packet, cx);
                return None;
            }
            State::Listen if packet.kind != DccpType::Request => {
                self.refuse(packet, cx);
                return None;
            }
            State::Listen => {
                self.begin(packet.seq);
                self.become_(State::Respond);
            }
            State::Request => {
                let is_answer = matches!(packet.kind, DccpType::Response | DccpType::Reset);
                if !is_answer || !packet.ack.is_within(self.awl(), self.gss) {
                    self.reset(ResetCode::PacketError, packet, cx);
                    return None;
                }
                self.begin(packet.seq);
                self.gar = packet.ack;
            }
            State::Respond | State::PartOpen | State::Open | State::CloseReq | State::Closing => {
                if !self.is_valid(packet, cx) {
                    return None;
                }
            }
        }
        if self.is_unexpected(packet) {
            self.sync(packet.seq, cx);
            return None;
        }
        if let Err(code) = self.features.read(packet) {
            self.reset(code, packet, cx);
            return None;
        }
        if packet.kind == DccpType::Reset {
            self.wait_out(packet.reset, cx);
            return None;
        }
        self.proceed(packet, cx);
        self.take(packet, ecn, cx)
    }

    /// A timer armed by this end has expired.
    pub fn on_timer(&mut self, timer: Timer, cx: &mut Cx<'_>) {
        match timer {
            Timer::DelayedAck => {
                if self.held.is_due(cx.now, cx.out) && self.sink.as_ref().is_some_and(|sink| sink.has_waiting()) {
                    self.acknowledge(cx);
                }
            }
            Timer::TimeWait => {
                if self.state == State::TimeWait {
                    self.become_(State::Closed);
                }
            }
            Timer::Rto => {
                if self.rto.is_due(cx.now, cx.out) {
                    self.on_rto(cx);
                }
            }
            Timer::Pacing => {
                if self.pacing.is_due(cx.now, cx.out) && matches!(self.state, State::PartOpen | State::Open) {
                    self.pump(cx);
                }
            }
            Timer::Reorder | Timer::Probe | Timer::Refill | Timer::Wake | Timer::Read => {}
        }
    }

    // Queries.

    /// Its state.
    pub fn state(&self) -> State {
        self.state
    }

    /// Bytes of the network packet that carries a packet of this end.
    #[inline]
    pub fn packet_bytes(&self, packet: &DccpPacket) -> u32 {
        self.network_header + packet.header_bytes() + packet.payload_bytes()
    }

    /// Window, slow-start threshold and packets in flight of the half that sends.
    pub fn window(&self) -> Option<(f64, f64, f64)> {
        let source = self.source.as_ref()?;
        Some((source.ccid().window(), source.ccid().ssthresh(), f64::from(source.pipe())))
    }

    /// Bytes that the half that sends has ready.
    pub fn backlog(&self) -> u64 {
        self.source.as_ref().map_or(0, |source| source.backlog())
    }

    /// What the half that sends has counted.
    pub fn stats(&self) -> Option<&SenderStats> {
        self.source.as_ref().map(|source| source.stats())
    }

    /// The list of reliable DCCP at this end.
    #[cfg(test)]
    pub(super) fn list(&self) -> String {
        let sent = self.source.as_ref().and_then(|source| source.list()).map(|list| list.shown());
        sent.or_else(|| self.sink.as_ref().map(|sink| sink.list().shown())).unwrap_or_default()
    }

    // Steps: a packet that has come, in the order of RFC 4340 8.5.

    /// The packet with whole numbers, where it came with short ones.
    fn whole(&self, wire: &DccpPacket) -> DccpPacket {
        if !wire.short {
            return *wire;
        }
        let seq = Seq::extend(wire.seq.short(), self.gsr);
        let ack = Seq::extend(wire.ack.short(), self.gss);
        DccpPacket { seq, ack, ..*wire }
    }

    /// The first packet of the other end.
    fn begin(&mut self, seq: Seq) {
        (self.isr, self.gsr) = (seq, seq);
    }

    /// Least valid acknowledgement.
    fn awl(&self) -> Seq {
        let width = self.features.local(Feature::SequenceWindow);
        lower(self.gss, width - 1, self.iss)
    }

    /// Steps 5 and 6: numbers in their windows; others are answered with a Sync, but for Syncs.
    fn is_valid(&mut self, packet: &DccpPacket, cx: &mut Cx<'_>) -> bool {
        let width = self.features.remote(Feature::SequenceWindow);
        let swl = lower(self.gsr, width / 4 - 1, self.isr);
        let swh = self.gsr.plus((3 * width).div_ceil(4));
        let awl = self.awl();
        if matches!(packet.kind, DccpType::Sync | DccpType::SyncAck) {
            let fits = packet.ack.is_within(awl, self.gss) && packet.seq.since(swl) >= 0;
            if fits {
                self.gsr = self.gsr.latest(packet.seq);
            }
            return fits;
        }
        let ends = matches!(packet.kind, DccpType::CloseReq | DccpType::Close | DccpType::Reset);
        let (least_seq, least_ack) = if ends { (self.gsr.plus(1), self.gar) } else { (swl, awl) };
        let acknowledges_well = !packet.kind.acknowledges() || packet.ack.is_within(least_ack, self.gss);
        if packet.seq.is_within(least_seq, swh) && acknowledges_well {
            self.ratio.on_packet(packet.seq.since(self.gsr));
            self.gsr = self.gsr.latest(packet.seq);
            if packet.kind.acknowledges() {
                self.gar = self.gar.latest(packet.ack);
            }
            return true;
        }
        if self.last_sync.is_none_or(|last| cx.now.saturating_since(last) >= SYNC_GAP) {
            self.last_sync = Some(cx.now);
            self.sync(if packet.kind == DccpType::Reset { self.gsr } else { packet.seq }, cx);
        }
        false
    }

    /// Step 7: a type that the other end cannot send now.
    fn is_unexpected(&self, packet: &DccpPacket) -> bool {
        let is_late = self.state.is_synchronized() && packet.seq.since(self.osr) >= 0 && self.state != State::PartOpen;
        match packet.kind {
            DccpType::CloseReq => self.is_server,
            DccpType::Response => self.is_server || is_late,
            DccpType::Request => !self.is_server || is_late,
            DccpType::Data => self.state == State::Respond,
            _ => false,
        }
    }

    /// Steps 10 to 15: what the type does to the state.
    fn proceed(&mut self, packet: &DccpPacket, cx: &mut Cx<'_>) {
        match (self.state, packet.kind) {
            (State::Request, _) => {
                self.become_(State::PartOpen);
                self.wait = PARTOPEN_WAIT.0;
                self.rto.stop();
            }
            (State::Respond, DccpType::Request) => {
                self.emit(DccpPacket { kind: DccpType::Response, ..DccpPacket::default() }, cx);
            }
            (State::Respond, DccpType::Ack | DccpType::DataAck) => {
                self.osr = packet.seq;
                self.become_(State::Open);
            }
            (State::PartOpen, kind) if !matches!(kind, DccpType::Response | DccpType::Sync) => {
                self.osr = packet.seq;
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
    fn take(&mut self, packet: &DccpPacket, ecn: Ecn, cx: &mut Cx<'_>) -> Option<Payload> {
        let mut payload = None;
        if let Some(sink) = &mut self.sink {
            let taken = sink.on_packet(packet, ecn == Ecn::Ce, cx.now);
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
        let before = cx.out.len();
        self.pump(cx);
        let has_answered = cx.out[before..].iter().any(|effect| matches!(effect, TransportEffect::Emit(_)));
        if packet.kind == DccpType::Response && !has_answered {
            self.ask(DccpType::Ack, cx);
        }
        self.finish(cx);
        payload
    }

    // Steps of the half that sends.

    fn on_ack(&mut self, packet: &DccpPacket, cx: &mut Cx<'_>) {
        let ratio = self.features.local(Feature::AckRatio);
        let Some(source) = &mut self.source else { return };
        if let Some(rtt) = source.on_ack(packet, ratio, cx.now) {
            cx.out.push(TransportEffect::Note(Note::Rtt(rtt)));
        }
        let window = source.ccid().window();
        let width = (5.0 * window) as u64;
        if width > self.features.local(Feature::SequenceWindow) {
            self.features.change(Feature::SequenceWindow, width.next_power_of_two());
        }
        if self.cfg.adapt_ack_ratio {
            let wanted = self.ratio.on_ack(packet.ack, self.gss.plus(1), window);
            self.features.change(Feature::AckRatio, wanted);
        }
        if !self.source.as_ref().is_some_and(|source| source.is_probing()) {
            self.rto.stop();
        }
        self.watch(cx);
    }

    /// Sends what the window allows. In PARTOPEN every packet acknowledges (RFC 4340 8.1.5).
    fn pump(&mut self, cx: &mut Cx<'_>) {
        while let Some(data) = self.source.as_mut().and_then(|source| source.take(cx.now)) {
            self.emit_data(data, cx);
        }
        if let Some(at) = self.source.as_mut().and_then(|source| source.sends_at(cx.now)) {
            self.pacing.set(at, cx.out);
        }
        self.watch(cx);
    }

    fn emit_data(&mut self, data: Outgoing, cx: &mut Cx<'_>) {
        let Outgoing { bytes: len, number, is_repeated: retransmission, acknowledges } = data;
        // Packets of type Data carry no options of features (RFC 4340 5.8).
        let is_data_alone = !acknowledges && self.state != State::PartOpen && !self.features.is_busy();
        let kind = if is_data_alone { DccpType::Data } else { DccpType::DataAck };
        let stamp = if self.cfg.timestamps { Stamp::Timestamp(ticks(cx.now)) } else { Stamp::None };
        self.emit(DccpPacket { kind, len, number, retransmission, stamp, ..DccpPacket::default() }, cx);
    }

    /// The timer runs while data is in flight; in PARTOPEN while the server has not answered.
    fn watch(&mut self, cx: &mut Cx<'_>) {
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
    fn finish(&mut self, cx: &mut Cx<'_>) {
        let Some(source) = &mut self.source else { return };
        if source.completes() {
            cx.out.push(TransportEffect::Note(Note::Completed));
        }
        if source.is_completed() && matches!(self.state, State::PartOpen | State::Open) {
            self.send_close(cx);
        }
    }

    // Steps of the half that receives.

    /// Acknowledges at once, or later.
    fn answer(&mut self, cx: &mut Cx<'_>) {
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

    fn acknowledge(&mut self, cx: &mut Cx<'_>) {
        self.held.stop();
        let width = self.features.remote(Feature::SequenceWindow);
        if width > self.features.local(Feature::SequenceWindow) {
            self.features.change(Feature::SequenceWindow, width);
        }
        self.emit(DccpPacket { kind: DccpType::Ack, ..DccpPacket::default() }, cx);
    }

    // Steps below all.

    /// The timer of the state has expired: what was not answered is sent again.
    fn on_rto(&mut self, cx: &mut Cx<'_>) {
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

    fn again(&mut self, kind: DccpType, most: Span, cx: &mut Cx<'_>) {
        self.wait = (self.wait * 2).min(most);
        self.ask(kind, cx);
    }

    /// Sends what the other end has to answer.
    fn ask(&mut self, kind: DccpType, cx: &mut Cx<'_>) {
        self.emit(DccpPacket { kind, ..DccpPacket::default() }, cx);
        self.rto.set(cx.now + self.wait, cx.out);
    }

    fn emit(&mut self, packet: DccpPacket, cx: &mut Cx<'_>) {
        self.emit_acking(packet, self.gsr, cx);
    }

    /// Sends a packet with the next number and this acknowledgement.
    fn emit_acking(&mut self, mut packet: DccpPacket, ack: Seq, cx: &mut Cx<'_>) {
        self.gss = self.gss.plus(1);
        self.has_sent = true;
        packet.seq = self.gss;
        if packet.kind.acknowledges() {
            packet.ack = ack;
        }
        if packet.kind == DccpType::Ack || packet.kind == DccpType::DataAck {
            let with_vector = self.features.local(Feature::AckVector) == 1;
            if let Some(sink) = &mut self.sink {
                sink.write(&mut packet, with_vector, self.features.wanted_octets(), cx.now);
            }
        }
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
        if packet.kind.may_be_short() && self.features.local(Feature::ShortSeq) == 1 {
            packet.short = true;
            (packet.seq, packet.ack) = (Seq::new(packet.seq.short().into()), Seq::new(packet.ack.short().into()));
        }
        cx.out.push(TransportEffect::Emit(Body::Dccp(packet)));
    }

    fn become_(&mut self, next: State) {
        assert!(self.state.may_become(next), "{:?} does not become {next:?}", self.state);
        self.state = next;
    }
}

/// So many steps below `high`, but not below `first`, where the numbers began.
fn lower(high: Seq, steps: u64, first: Seq) -> Seq {
    if high.since(first) < steps as i64 { first } else { high.minus(steps) }
}
