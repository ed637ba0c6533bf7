//! One end of a DCCP connection (RFC 4340 8): states, sequence validity, handshake and teardown.
//!
//! ```text
//! client: CLOSED -> REQUEST -> PARTOPEN -> OPEN -> CLOSING -> TIMEWAIT -> CLOSED
//! server: LISTEN -> RESPOND -> OPEN (-> CLOSEREQ) -> CLOSED
//! ```
//!
//! Data flows from the client to the server. The client closes when all has been sent and reported; a server that
//! closes asks the client to. A client asks without end: giving up is left to it (8.1.1), and PARTOPEN is not left for
//! its length.

mod failure;
mod halves;
mod leave;
mod sequence;
mod steps;
mod teardown;

use super::ack_ratio::AckRatio;
use super::features::{Feature, Features};
use super::rtt::Deadline;
use super::sink::Sink;
use super::source::Source;
use super::state::State;
use crate::config::{DccpConfig, DccpControl, FlowConfig};
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};
use hopscope_packet::Ecn;
use hopscope_packet::dccp::{DccpPacket, DccpType, ResetCode, Seq};
use hopscope_tcp::SenderStats;
use hopscope_tcp::endpoint::{Cx, Payload, Timer};
use sequence::Sequence;

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
    seq: Sequence,
    has_sent: bool,
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
        // The control of zhang2006 measures by timestamps alone, and only CCID 2 has rules for the Ack Ratio.
        cfg.timestamps |= control == DccpControl::Adhoc;
        cfg.adapt_ack_ratio &= control == DccpControl::Ccid2;
        let ack_ratio = u64::from(cfg.first_ack_ratio(control));
        let features = wanted_features(&cfg, control, is_server, ack_ratio);
        Connection {
            is_server,
            state: if is_server { State::Listen } else { State::Closed },
            seq: Sequence::new(iss),
            has_sent: false,
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
            // The client is to close, so that TIMEWAIT is held there and not at the server (8.3).
            self.become_(State::CloseReq);
            self.wait = REQUEST_WAIT.0;
            self.ask(DccpType::CloseReq, cx);
        }
    }

    /// A packet has arrived with this ECN field; gives the data that it carried, if any.
    pub fn on_packet(&mut self, wire: &DccpPacket, ecn: Ecn, cx: &mut Cx<'_>) -> Option<Payload> {
        let packet = &self.seq.whole(wire);
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
                self.seq.begin(packet.seq);
                self.become_(State::Respond);
            }
            State::Request => {
                // Step 4: numbers of the server are not known yet, so its acknowledgement alone is checked.
                let is_answer = matches!(packet.kind, DccpType::Response | DccpType::Reset);
                let width = self.features.local(Feature::SequenceWindow);
                if !is_answer || !packet.ack.is_within(self.seq.awl(width), self.seq.gss) {
                    self.reset(ResetCode::PacketError, packet, cx);
                    return None;
                }
                self.seq.begin(packet.seq);
                self.seq.gar = packet.ack;
            }
            State::Respond | State::PartOpen | State::Open | State::CloseReq | State::Closing => {
                if !self.is_valid(packet, cx) {
                    return None;
                }
            }
        }
        // A Sync asks an end that is out of step what it thinks of the connection; no Reset, as the packet may be an
        // old one.
        if self.is_unexpected(packet) {
            self.sync(packet.seq, cx);
            return None;
        }
        // Before a Reset ends the connection: an option that must be understood counts in it as well (step 8).
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

    fn become_(&mut self, next: State) {
        assert!(self.state.may_become(next), "{:?} does not become {next:?}", self.state);
        self.state = next;
    }
}

/// The features as an end begins to negotiate them. The client asks for what its data needs; each end says what
/// concerns itself.
fn wanted_features(cfg: &DccpConfig, control: DccpControl, is_server: bool, ack_ratio: u64) -> Features {
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
        features.change_remote(Feature::AckVector, u64::from(control.needs_vectors(cfg)));
        features.change_remote(Feature::LossEventRate, u64::from(control.is_by_rate()));
    }
    if is_server && cfg.receiver_ccid.number().is_some_and(|known| u64::from(known) != features.remote(Feature::Ccid)) {
        features.demand_remote(Feature::Ccid, u64::from(known));
    }
    features.change(Feature::EcnIncapable, u64::from(!cfg.ecn));
    features.change(Feature::SequenceWindow, u64::from(cfg.sequence_window));
    features
}
