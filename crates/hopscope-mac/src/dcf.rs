//! Frame exchange of the DCF: RTS, CTS, DATA, ACK, retries (IEEE 802.11-2020 10.3.2 and 10.3.4.4).
//!
//! ```text
//!           offer            access, RTS in use          CTS          SIFS
//!   IDLE ----------> CONTEND ------------------> WAIT_CTS ---> SIFS_DATA ---> WAIT_ACK --ACK--> IDLE
//!                      ^  | access, no RTS           |                          |
//!                      |  +--------------------------|------------------------->|
//!                      +------- retry ---------------+---- timeout -------------+---- limit --> IDLE
//! ```
//! Besides its own exchange a station answers others: an RTS with a CTS, a data frame with an ACK, each after SIFS.

use crate::config::mac::CtsRule;
use crate::contention::Station;
use crate::dedup::{Dedup, PacketCounts};
use crate::failures::{FailureRule, Failures};
use crate::frame::{ACK_BYTES, CTS_BYTES, RTS_BYTES, SequenceControl};
pub use crate::frame::{Frame, FrameKind};
use crate::outgoing::Outgoing;
use crate::rate::RateControl;
use crate::retry::Retries;
use crate::rules::{MacRules, Pacing};
use hopscope_core::event::Generation;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_phy::phy::modes::Mode;

/// What the MAC asks of its neighbours after one input: at most one of each, carried out in the order of the fields.
#[derive(Debug, Default)]
pub struct MacEffects {
    /// Put this frame on the air now.
    pub transmit: Option<Frame>,
    /// Call `on_sifs` then, with this generation.
    pub arm_sifs: Option<(Time, Generation)>,
    /// Call `on_response_timeout` then, with this generation.
    pub arm_response: Option<(Time, Generation)>,
    /// Call `on_access` then.
    pub arm_access: Option<Time>,
    /// A new data frame came in: hand a copy of this packet, still in the transmitter's hands, up.
    /// With the neighbour it came from.
    pub deliver: Option<(PacketId, NodeId)>,
    /// The attempt to get the packet in hand across has failed; there will be another one.
    pub failed: bool,
    /// The exchange of this packet is over; the MAC is free for the next one.
    pub done: Option<(PacketId, Outcome)>,
}

/// End of a frame exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Acknowledged, or broadcast.
    Sent,
    /// The short or long retry limit was reached.
    RetryLimit,
    /// A neighbour's packet, whose last fragment came here: one before it is missing. It says nothing of the own exchange.
    Incomplete,
}

/// How far the own exchange is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Idle,
    Contend,
    WaitCts,
    SifsData,
    WaitAck,
    Broadcasting,
}

/// Answering somebody else's exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    None,
    /// The response leaves after SIFS.
    Pending {
        kind: FrameKind,
        mode: Mode,
        to: NodeId,
        duration: Span,
    },
    /// CTS sent: the data frame is due.
    AwaitData {
        from: NodeId,
        until: Time,
    },
}

/// What an entry point of the MAC needs besides its own state.
pub struct MacCx<'a> {
    /// Now.
    pub now: Time,
    /// Lower half of this station, edges applied up to `now`.
    pub station: &'a mut Station,
    /// Parameters.
    pub rules: &'a MacRules,
    /// Effects.
    pub out: &'a mut MacEffects,
}

/// Frame exchange of one node. The first cache line is all that answering another node takes; the second is what the own
/// exchanges need besides.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Dcf {
    pub(super) phase: Phase,
    pub(super) response_timer: Generation,
    /// The wait for a response is over, but a frame for this node is on the air: whatever its end brings decides.
    decided_at: Time,
    sifs_timer: Generation,
    node: NodeId,
    pub(super) reply: Reply,
    pub(super) dedup: Dedup,
    pub(super) current: Option<Outgoing>,
    pub(super) retries: Retries,
    next: SequenceControl,
    pub(super) attempts: Attempts,
    /// Read only where rates are learnt.
    pub(super) rates: RateControl,
    pub(super) packet_counts: PacketCounts,
    /// Kept where routing asks for it.
    pub(super) failures: Option<Box<Failures>>,
}

#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(std::mem::offset_of!(Dcf, current) == 64);
    assert!(std::mem::offset_of!(Dcf, attempts) + std::mem::offset_of!(Attempts, retries) <= 128);
};

/// Counters of one node's MAC, the frequent ones first.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct Attempts {
    /// RTS frames sent.
    pub rts: u64,
    /// Data frames sent, broadcast included.
    pub data: u64,
    /// Packets taken from the queue.
    pub packets: u64,
    /// Exchanges tried again.
    pub retries: u64,
    /// Packets given up at a retry limit.
    pub retry_drops: u64,
    /// Data frames sent to one station that brought no ACK.
    pub data_failures: u64,
}

impl Dcf {
    /// The idle MAC of `node`, whose rates never change.
    pub fn new(node: NodeId) -> Self {
        Dcf {
            phase: Phase::Idle,
            response_timer: Generation::default(),
            decided_at: Time::NEVER,
            reply: Reply::None,
            current: None,
            attempts: Attempts::default(),
            node,
            retries: Retries::default(),
            rates: RateControl::default(),
            sifs_timer: Generation::default(),
            next: SequenceControl::default(),
            dedup: Dedup::default(),
            packet_counts: PacketCounts::default(),
            failures: None,
        }
    }

    /// The same with rates that it learns.
    #[must_use]
    pub fn with_rates(self, rates: RateControl) -> Self {
        Dcf { rates, ..self }
    }

    /// The same, keeping what fails.
    #[must_use]
    pub fn with_failures(self, rule: Option<FailureRule>) -> Self {
        Dcf { failures: rule.map(|rule| Box::new(Failures::new(rule))), ..self }
    }

    /// What it has learnt about its rates.
    pub fn rate_control(&mut self) -> &mut RateControl {
        &mut self.rates
    }

    /// Takes a packet of `bytes` bytes (network header included) for the neighbour `to`; `pacing`: adaptive pacing is on.
    /// The MAC must be free.
    #[inline]
    pub fn offer(&mut self, packet: PacketId, to: NodeId, bytes: u32, pacing: Option<Pacing>, cx: &mut MacCx<'_>) {
        self.offer_as(FrameKind::Data, (packet, to, bytes), pacing, cx);
    }

    /// The same for a packet that goes as a frame of this kind: `Action` is a management frame, sent at the basic rate.
    #[inline]
    pub fn offer_as(
        &mut self,
        kind: FrameKind,
        (packet, to, bytes): (PacketId, NodeId, u32),
        pacing: Option<Pacing>,
        cx: &mut MacCx<'_>,
    ) {
        debug_assert!(self.current.is_none(), "node {}: the MAC holds one packet at a time", self.node);
        let bytes = bytes + cx.rules.header;
        self.attempts.packets += 1;
        self.retries.on_packet(&cx.rules.retry);
        let with = (&self.rates, cx.rules);
        self.current = Some(Outgoing::new((packet, to, bytes), kind, self.next, pacing, with));
        self.next = self.next.next_packet();
        self.phase = Phase::Contend;
        // A back-off that still runs after the last frame serves this packet, which draws none of its own (10.3.4.3).
        if !cx.station.adopt_post_backoff(cx.now, &cx.rules.station) {
            let idle = cx.station.is_idle(cx.now);
            // Versions of ns-2 before 2006 (docs/models/ns2.md, 21).
            if cx.rules.nonfreezing_defer && idle {
                cx.station.start_nonfreezing(cx.now, &cx.rules.station);
            } else if cx.rules.immediate_access && idle {
                cx.station.start_immediate(cx.now);
            } else {
                cx.station.start_backoff(cx.now, &cx.rules.station);
            }
        }
        self.arm_access(cx);
    }

    /// The station may send: its back-off has ended.
    #[inline]
    pub fn on_access(&mut self, cx: &mut MacCx<'_>) {
        // The answer that is due goes first: SIFS is shorter than any other space.
        if matches!(self.reply, Reply::Pending { .. }) {
            cx.station.start_backoff(cx.now, &cx.rules.station);
            self.arm_access(cx);
        } else {
            self.start_exchange(cx);
        }
    }

    /// True when the wait for a response with this timer generation is over: its expiry means nothing.
    #[inline]
    pub fn response_is_stale(&self, generation: Generation) -> bool {
        generation != self.response_timer || matches!(self.phase, Phase::Idle | Phase::Contend | Phase::SifsData)
    }

    /// True when the wait for a response goes on, as a frame for this node is on the air. Known without applying edges.
    #[inline]
    pub fn waits_for_end(&mut self, now: Time, station: &mut Station, rules: &MacRules) -> bool {
        let waits = rules.rx_start_timeout && matches!(self.phase, Phase::WaitCts | Phase::WaitAck);
        if waits {
            if let Some(end) = station.radio.own_frame_until(now, rules.timing().announced_by(now)) {
                self.decided_at = end;
                return true;
            }
        }
        false
    }

    /// True when the end of a frame for this node means something even if the frame was not received.
    #[inline]
    pub fn is_decided_at(&self, now: Time) -> bool {
        self.decided_at == now
    }

    /// A frame for this node (or a broadcast) ends; `frame` if it was received without error.
    #[inline(always)]
    pub fn on_rx_end(&mut self, frame: Option<Frame>, cx: &mut MacCx<'_>) {
        if let Some(frame) = frame {
            self.on_rx(frame, cx);
        }
        // The frame first: if it was the response, the phase has moved on and nothing is awaited any more.
        if self.decided_at == cx.now && matches!(self.phase, Phase::WaitCts | Phase::WaitAck) {
            self.arm_response(cx.now, cx);
        }
    }

    /// The frame comes by value and goes by reference only where packets are cut, so that no more of it is unpacked than is
    /// read.
    #[inline(always)]
    fn on_rx(&mut self, frame: Frame, cx: &mut MacCx<'_>) {
        match frame.kind {
            FrameKind::Rts => self.on_rts(frame, cx),
            FrameKind::Cts => {
                if self.phase == Phase::WaitCts {
                    self.retries.on_cts(&cx.rules.retry);
                    self.phase = Phase::SifsData;
                    self.arm_sifs(cx);
                }
            }
            FrameKind::Data => self.on_data(frame, cx),
            FrameKind::Ack => {
                if self.phase == Phase::WaitAck {
                    self.on_success(cx);
                }
            }
            FrameKind::CfEnd => cx.station.free_nav(cx.now),
            // Stations without QoS know no agreements.
            FrameKind::BlockAck | FrameKind::BlockAckReq | FrameKind::Action => {}
        }
    }

    /// SIFS has passed.
    #[inline]
    pub fn on_sifs(&mut self, generation: Generation, cx: &mut MacCx<'_>) {
        if generation != self.sifs_timer {
            return;
        }
        if let Reply::Pending { kind, mode, to, duration } = self.reply {
            self.send_reply(kind, mode, to, duration, cx);
        } else if self.phase == Phase::SifsData {
            // After a CTS the data frame goes whatever the medium does (10.3.2.9); ns-2 asks the medium, and takes a
            // busy one for a failed attempt (docs/models/ns2.md, 22).
            if cx.rules.data_needs_idle && !cx.station.is_idle(cx.now) {
                self.phase = Phase::Contend;
                cx.out.failed = true;
                cx.station.double_cw(&cx.rules.station);
                cx.station.start_backoff(cx.now, &cx.rules.station);
            } else {
                self.send_data(cx);
            }
        }
        self.arm_access(cx);
    }

    /// The wait for a response is over, or a broadcast has left.
    #[inline]
    pub fn on_response_timeout(&mut self, generation: Generation, cx: &mut MacCx<'_>) {
        if self.response_is_stale(generation) {
            return;
        }
        match self.phase {
            Phase::Broadcasting => {
                self.retries.on_broadcast();
                // Nobody answers a broadcast, so that one which has left counts as a success.
                cx.station.reset_cw(&cx.rules.station);
                self.finish(Outcome::Sent, true, cx);
            }
            Phase::WaitCts | Phase::WaitAck => {
                // Only a frame that the PHY has announced is waited for (10.3.2.9, 10.3.2.11).
                let latest = cx.rules.timing().announced_by(cx.now);
                let announced = cx.rules.rx_start_timeout
                    && cx.station.radio.receiving_since().is_some_and(|start| start <= latest);
                match cx.station.radio.receiving_until().filter(|&end| announced && end > cx.now) {
                    Some(end) if cx.station.radio.receives_own() => self.decided_at = end,
                    Some(end) => self.arm_response(end, cx),
                    None => self.on_failure(cx),
                }
            }
            Phase::Idle | Phase::Contend | Phase::SifsData => {}
        }
        self.arm_access(cx);
    }

    #[inline(always)]
    fn on_rts(&mut self, frame: Frame, cx: &mut MacCx<'_>) {
        let own_exchange =
            matches!(self.phase, Phase::WaitCts | Phase::SifsData | Phase::WaitAck | Phase::Broadcasting);
        let replying = match self.reply {
            Reply::None => false,
            Reply::Pending { .. } => true,
            Reply::AwaitData { until, .. } => cx.now < until,
        };
        // One exchange at a time: the sender of the RTS will hear nothing and try again.
        if own_exchange || replying {
            return;
        }
        let mode = cx.rules.rates.response(frame.mode);
        let timing = cx.rules.timing();
        // What the RTS reserves less what the CTS takes (9.3.1.3); zero where a sender reserved too little.
        let duration = frame.duration.saturating_sub(timing.sifs + timing.response(mode));
        self.reply = Reply::Pending { kind: FrameKind::Cts, mode, to: frame.src, duration };
        self.arm_sifs(cx);
    }

    #[inline(always)]
    fn on_data(&mut self, frame: Frame, cx: &mut MacCx<'_>) {
        if frame.dst != NodeId::BROADCAST {
            if let Some(cut) = &cx.rules.fragmentation {
                // A copy: only what lies in memory can go by reference, and other frames should stay in registers.
                let fragment = frame;
                self.on_fragment(&fragment, cut, cx);
                return;
            }
            if !self.takes_data(&frame, cx.rules.data_needs_cts, cx) {
                return;
            }
            // Before the filter: a frame comes again because its ACK was lost, so a duplicate is acknowledged, too.
            self.acknowledge(frame.src, frame.mode, Span::ZERO, cx);
            let may_repeat = || frame.retry || !cx.rules.duplicates_retry;
            if self.dedup.is_duplicate(
                frame.src,
                SequenceControl::new(frame.seq, 0),
                may_repeat,
                &mut self.packet_counts,
            ) {
                return;
            }
        }
        cx.out.deliver = Some((frame.body, frame.src));
    }

    /// True for a data frame for this node that it answers now; `asked`: only from a station that was sent a CTS, if the
    /// frame is long enough for one.
    #[inline(always)]
    pub(super) fn takes_data(&self, frame: &Frame, asked: bool, cx: &MacCx<'_>) -> bool {
        let awaited = matches!(self.reply, Reply::AwaitData { from, until } if from == frame.src && cx.now < until);
        // The answer under way keeps its turn; a frame that ends within its SIFS gets none and comes again.
        let busy = matches!(self.reply, Reply::Pending { .. });
        !busy && (!asked || awaited || !cx.rules.uses_rts(frame.dst, frame.bytes))
    }

    /// Answers a data frame after SIFS with an ACK of this Duration field.
    #[inline(always)]
    pub(super) fn acknowledge(&mut self, to: NodeId, asked: Mode, duration: Span, cx: &mut MacCx<'_>) {
        // Where an own CTS has asked for this frame, the station has waited for it until here and no longer.
        cx.station.hold(cx.now);
        let mode = cx.rules.rates.response(asked);
        self.reply = Reply::Pending { kind: FrameKind::Ack, mode, to, duration };
        self.arm_sifs(cx);
    }

    fn start_exchange(&mut self, cx: &mut MacCx<'_>) {
        let Some(out) = self.current else { return };
        if !out.rts {
            self.send_data(cx);
            return;
        }
        self.phase = Phase::WaitCts;
        self.attempts.rts += 1;
        let mode = self.rates.choose(&cx.rules.rates, out.to, FrameKind::Rts, RTS_BYTES);
        let airtime = cx.rules.timing().rts(mode);
        let frame = Frame {
            kind: FrameKind::Rts,
            mode,
            // The Retry bit is that of data and management frames (9.2.4.1.6): a repeated RTS does not carry it.
            retry: false,
            frag: 0,
            tid: 0,
            seq: 0,
            src: self.node,
            dst: out.to,
            bytes: RTS_BYTES,
            body: out.packet,
            airtime,
            duration: cx.rules.rts_duration(mode, out.mode, out.airtime()),
        };
        self.transmit(frame, cx);
        self.arm_response(cx.now + airtime + cx.rules.answer_wait(mode), cx);
    }

    fn send_data(&mut self, cx: &mut MacCx<'_>) {
        let Some(out) = &mut self.current else { return };
        // The Retry bit says that this data frame was sent before. RTS frames before it, answered or not, do not
        // count.
        let retry = std::mem::replace(&mut out.is_repeated, true);
        let out = *out;
        let broadcast = out.to == NodeId::BROADCAST;
        self.attempts.data += 1;
        self.phase = if broadcast { Phase::Broadcasting } else { Phase::WaitAck };
        let duration = match &cx.rules.fragmentation {
            _ if broadcast => Span::ZERO,
            None => cx.rules.data_duration(out.mode),
            Some(cut) => cx.rules.fragment_duration(cut, &out),
        };
        let frame = Frame {
            kind: FrameKind::Data,
            mode: out.mode,
            retry,
            frag: out.control.fragment(),
            tid: 0,
            seq: out.control.sequence(),
            src: self.node,
            dst: out.to,
            bytes: cx.rules.fragment_bytes(out.to, out.bytes, out.control.fragment()),
            body: out.packet,
            airtime: out.airtime(),
            duration,
        };
        self.transmit(frame, cx);
        // The timer of a broadcast marks its end alone.
        let wait = if broadcast { Span::ZERO } else { cx.rules.answer_wait(out.mode) };
        self.arm_response(cx.now + out.airtime() + wait, cx);
    }

    fn send_reply(&mut self, kind: FrameKind, mode: Mode, to: NodeId, duration: Span, cx: &mut MacCx<'_>) {
        let timing = cx.rules.timing();
        let airtime = timing.response(mode);
        self.reply = Reply::None;
        // An ACK goes whatever the medium does (10.3.2.11); a CTS needs an idle NAV (10.3.2.9), here at the end of
        // SIFS.
        let is_cts = kind == FrameKind::Cts;
        if is_cts {
            let allowed = match cx.rules.cts_rule {
                CtsRule::NavIdle => cx.station.nav_idle(cx.now),
                CtsRule::MediumIdle => cx.station.is_idle(cx.now),
            };
            if !allowed {
                return;
            }
            // What was announced beyond the data frame is its ACK, which this station would send.
            // The shortest, where the data frame may come in several modes.
            let ack = || cx.rules.shortest_ack();
            let data = if timing.waits_for_all { duration.saturating_sub(timing.sifs + ack()) } else { Span::ZERO };
            self.reply = Reply::AwaitData { from: to, until: cx.now + airtime + timing.wait_for(data) };
        }
        let frame = Frame {
            kind,
            mode,
            retry: false,
            frag: 0,
            tid: 0,
            seq: 0,
            src: self.node,
            dst: to,
            bytes: if is_cts { CTS_BYTES } else { ACK_BYTES },
            body: PacketId::default(),
            airtime,
            duration,
        };
        self.transmit(frame, cx);
        // After the transmission has begun: slots that passed before it count up to what was known to be busy then.
        if let Reply::AwaitData { until, .. } = self.reply {
            cx.station.hold(until);
        }
    }

    #[inline(always)]
    fn transmit(&mut self, frame: Frame, cx: &mut MacCx<'_>) {
        let until = cx.now + frame.airtime;
        cx.out.transmit = Some(frame);
        cx.station.begin_tx(cx.now, until, &cx.rules.station);
    }

    pub(super) fn arm_sifs(&mut self, cx: &mut MacCx<'_>) {
        cx.out.arm_sifs = Some((cx.now + cx.rules.timing().sifs, self.sifs_timer.renew()));
    }

    fn arm_response(&mut self, at: Time, cx: &mut MacCx<'_>) {
        // A new wait begins, and no frame decides it yet.
        self.decided_at = Time::NEVER;
        cx.out.arm_response = Some((at, self.response_timer.renew()));
    }

    fn arm_access(&mut self, cx: &mut MacCx<'_>) {
        if let Some(at) = cx.station.access_to_queue(cx.now, &cx.rules.station) {
            cx.out.arm_access = Some(at);
        }
    }
}
