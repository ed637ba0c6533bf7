//! The sending machine: entry points, set-up (RFC 9293 3.5) and tear-down (3.6) as the active side of both.

use std::sync::Arc;

use super::core::Core;
use super::header::Reverse;
use super::push::PushMarks;
use super::recovery::{LossRecovery, Undo};
use super::reset::refuse;
use super::route_failure::Part;
use super::route_failure::door::{self, TcpDoor};
use super::timer::LazyTimer;
use super::{Cx, Note, SenderState, SenderStats, Timer, TransportEffect};
use crate::config::tcp::Detection;
use crate::config::{TcpConfig, TcpKind};
use crate::control::{Control, NodeState};
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};
use hopscope_packet::tcp::{TcpFlags, TcpSegment};

/// What is stored of the state; the rest follows from the sequence numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    SynSent,
    Open,
    TimeWait,
    Closed,
}

/// A TCP sender. See the [module](super) for how it is driven.
#[derive(Debug, Clone)]
pub struct TcpSender {
    core: Core,
    recovery: LossRecovery,
    /// What it does when the route fails; none: nothing.
    part: Option<Part>,
    /// What it does when packets overtake each other; none: nothing.
    door: Option<Box<TcpDoor>>,
    phase: Phase,
    time_wait: Span,
    time_wait_timer: LazyTimer,
    /// A congestion control from outside the engine is in use, and when it wants to be called.
    is_outside: bool,
    wake_timer: LazyTimer,
    completed: bool,
    /// The peer's FIN is consumed, and it came before our own left.
    peer_closed: bool,
    closes_second: bool,
}

impl TcpSender {
    /// A sender with segments of `mss` payload bytes and a receiver window of `max_window` segments.
    pub fn new(cfg: &TcpConfig, kind: TcpKind, mss: u32, max_window: u32) -> Self {
        let cfg = &cfg.resolved();
        let core = Core::new(cfg, kind, mss, max_window);
        TcpSender {
            recovery: LossRecovery::new(cfg, kind.recovery, core.mss),
            part: Part::new(cfg),
            door: TcpDoor::new(cfg),
            core,
            phase: Phase::Idle,
            time_wait: cfg.time_wait,
            time_wait_timer: LazyTimer::new(Timer::TimeWait),
            is_outside: false,
            wake_timer: LazyTimer::new(Timer::Wake),
            completed: false,
            peer_closed: false,
            closes_second: false,
        }
    }

    /// Shifts the ticks of the `ns2` round-trip clock against the start of the simulation (ns-2 draws the shift
    /// uniformly from one tick). Exact clocks ignore it.
    pub fn set_clock_phase(&mut self, shift: Span) {
        self.core.timing.rtt.set_phase(shift);
    }

    /// Gives the congestion control its random numbers (BBR draws where its cycle starts).
    pub fn set_stream(&mut self, stream: Stream) {
        self.core.cc.set_stream(stream);
    }

    /// Hands over a congestion control from outside; without one it follows RFC 5681.
    pub fn set_control(&mut self, control: Arc<dyn Control>) {
        self.core.cc.set_control(control);
        self.is_outside = true;
    }

    /// Sets PSH where Linux does, for a receiver that looks at it.
    pub fn mark_pushes(&mut self) {
        self.core.header.mark_pushes(PushMarks::new(self.core.mss, self.core.peer.bytes()));
    }

    /// Undoes recoveries that turn out to be needless.
    pub(crate) fn undo_by(&mut self, detection: Detection) {
        self.core.loss.undo = Undo::new(detection);
    }

    /// Says in data segments what may be in flight, for a receiver that looks at it.
    pub fn signal_window(&mut self) {
        self.core.header.signal_window();
    }

    // Inputs.

    /// Opens the connection: sends the SYN. A second call does nothing.
    pub fn open(&mut self, now: Time, out: &mut Vec<TransportEffect>) {
        if self.phase == Phase::Idle {
            self.phase = Phase::SynSent;
            self.core.send_syn(&mut Cx { now, out });
        }
    }

    /// The application has `bytes` more to send; `u64::MAX`: without end. Nothing is taken after `close`.
    pub fn offer(&mut self, bytes: u64, now: Time, out: &mut Vec<TransportEffect>) {
        if self.core.seq.is_closing() {
            return;
        }
        self.core.seq.offer(bytes);
        if self.may_send() {
            self.recovery.send(&mut self.core, &mut Cx { now, out });
            self.core.watch_window(&mut Cx { now, out });
        }
    }

    /// The application will offer no more. An endless offer ends with what has been sent.
    pub fn close(&mut self, now: Time, out: &mut Vec<TransportEffect>) {
        if self.core.seq.is_closing() {
            return;
        }
        self.core.seq.close(self.core.three_way);
        if self.phase == Phase::Open {
            let mut cx = Cx { now, out };
            if self.may_send() {
                self.recovery.send(&mut self.core, &mut cx);
            }
            self.advance_phase(&mut cx);
        }
    }

    /// A segment from the receiver has arrived after `hops` hops.
    pub fn on_segment(&mut self, seg: &TcpSegment, hops: u8, now: Time, out: &mut Vec<TransportEffect>) {
        let mut cx = Cx { now, out };
        match self.phase {
            Phase::Idle => refuse(seg, &mut cx),
            Phase::SynSent => self.on_segment_in_syn_sent(seg, &mut cx),
            Phase::Open => self.on_segment_when_open(seg, hops, &mut cx),
            Phase::TimeWait => {
                // The last ACK was lost (RFC 9293 3.10.7.4, fifth step), or the segment is none that is awaited (first step).
                let again = seg.flags.fin && seg.flags.ack;
                if again || seg.flags.syn || seg.seq != self.core.header.rcv_nxt() {
                    self.send_ack(&mut cx);
                }
                if again {
                    self.time_wait_timer.set(now + self.time_wait, &mut cx);
                }
            }
            Phase::Closed if self.core.three_way => refuse(seg, &mut cx),
            Phase::Closed => {
                if seg.flags.fin {
                    self.send_ack(&mut cx);
                }
            }
        }
        if self.is_outside {
            self.arm_wake(&mut cx);
        }
    }

    // Inputs from the receiving half of the same end, where data flows both ways.

    /// Before every other input: the state of the receiving half, for what is sent in answer.
    pub(super) fn share(&mut self, next: u64, reverse: Reverse) {
        self.core.header.share(next, reverse);
    }

    /// This end is the passive one, and its SYN-ACK is acknowledged by `seg`; it left at `sent` if it was sent once.
    pub(super) fn accept(&mut self, seg: &TcpSegment, sent: Option<Time>, cx: &mut Cx) {
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
    pub(super) fn on_peer_closed(&mut self, cx: &mut Cx) {
        self.peer_closed = true;
        self.closes_second = self.core.seq.max() <= self.core.seq.data_end();
        if self.phase == Phase::Open {
            self.advance_phase(cx);
        }
    }

    /// A segment acknowledges what was never sent.
    #[inline]
    pub(super) fn never_sent(&self, seg: &TcpSegment) -> bool {
        seg.flags.ack && seg.ack > self.core.seq.max() && self.phase == Phase::Open
    }

    /// Next number expected of the other end.
    pub(super) fn expects(&self) -> u64 {
        self.core.header.rcv_nxt()
    }

    /// The window that this end advertises, in bytes.
    pub(super) fn offers(&self) -> u32 {
        self.core.header.window(self.core.peer.limit(), self.core.mss)
    }

    /// The connection is over, whatever was under way.
    pub(super) fn end(&mut self, cx: &mut Cx) {
        self.phase = Phase::Closed;
        self.core.retire_timers(cx);
        self.recovery.retire(cx);
        self.time_wait_timer.retire(cx);
        self.wake_timer.retire(cx);
    }

    /// Next number that a segment without data carries.
    pub(super) fn next(&self) -> u64 {
        self.core.seq.nxt()
    }

    /// The route to the other end has ended.
    pub(super) fn on_route_ended(&mut self) {
        self.core.stats.route_failures += 1;
    }

    /// It has failed: it did not end for want of use.
    pub(super) fn on_route_failed(&mut self, cx: &mut Cx) {
        if let (Some(part), Phase::Open) = (&mut self.part, self.phase) {
            part.on_route_failed(&mut self.core, cx);
        }
    }

    /// There is a route again.
    pub(super) fn on_route_found(&mut self, cx: &mut Cx) {
        if let (Some(part), Phase::Open) = (&mut self.part, self.phase) {
            part.on_route_found(&mut self.recovery, &mut self.core, cx);
            self.advance_phase(cx);
        }
    }

    /// It acts when the route fails.
    pub(super) fn needs_route_events(&self) -> bool {
        self.part.is_some()
    }

    /// A timer armed by this machine has expired.
    pub fn on_timer(&mut self, timer: Timer, now: Time, out: &mut Vec<TransportEffect>) {
        let mut cx = Cx { now, out };
        match timer {
            Timer::Rto => {
                if self.core.timing.fires(&mut cx) {
                    match self.phase {
                        Phase::SynSent => self.core.time_out_syn(&mut cx),
                        Phase::Open => self.on_timeout(&mut cx),
                        Phase::Idle | Phase::TimeWait | Phase::Closed => {}
                    }
                }
            }
            Timer::TimeWait => {
                if self.time_wait_timer.fires(&mut cx) {
                    self.phase = Phase::Closed;
                }
            }
            Timer::Pacing => {
                if self.core.pacing.fires(&mut cx) && self.may_send() {
                    self.recovery.send(&mut self.core, &mut cx);
                }
            }
            Timer::Reorder | Timer::Probe => {
                if self.may_send() {
                    let before = self.watch(None, now);
                    self.recovery.on_timer(&mut self.core, timer, &mut cx);
                    self.settle(before, &mut cx);
                }
            }
            Timer::Wake => {
                if self.wake_timer.fires(&mut cx) && self.phase == Phase::Open {
                    self.core.cc.on_wake(&mut self.core.window, cx.now);
                    if self.may_send() {
                        self.recovery.send(&mut self.core, &mut cx);
                    }
                }
            }
            Timer::DelayedAck | Timer::Refill | Timer::Read => {} // a sender acknowledges SYN and FIN at once
        }
        if self.is_outside {
            self.arm_wake(&mut cx);
        }
    }

    // Queries.

    /// Congestion window in segments, without the inflation of fast recovery (Vegas: with it, as in ns-2).
    pub fn cwnd(&self) -> f64 {
        self.core.window.cwnd
    }

    /// Receiver window in segments: the flow's limit, or what ACKs advertise where that is less.
    pub fn receiver_window(&self) -> f64 {
        self.core.peer.segments() as f64
    }

    /// Slow-start threshold in segments.
    pub fn ssthresh(&self) -> f64 {
        self.core.window.ssthresh
    }

    /// Segments sent and not acknowledged.
    pub fn flight(&self) -> f64 {
        self.core.flight()
    }

    /// Smoothed round-trip time; none before the first sample.
    pub fn srtt(&self) -> Option<Span> {
        self.core.timing.rtt.srtt()
    }

    /// The present retransmission timeout, back-off included.
    pub fn rto(&self) -> Span {
        self.core.timing.rtt.rto()
    }

    /// What is lost is being repaired: true behind a timeout, false in a recovery that duplicate or selective ACKs began.
    pub fn is_repairing(&self) -> Option<bool> {
        match (self.core.loss.is_recovering(), self.core.loss.is_behind_timeout(self.core.seq.una())) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        }
    }

    /// Duplicate ACKs, or reports of data above a gap, have come since the last ACK of new data.
    pub fn hears_disorder(&self) -> bool {
        self.core.loss.dupacks() > 0 || self.core.sent.as_ref().is_some_and(|sent| sent.sacked() > 0)
    }

    /// Counters.
    pub fn stats(&self) -> &SenderStats {
        &self.core.stats
    }

    /// First number not acknowledged.
    pub fn una(&self) -> u64 {
        self.core.seq.una()
    }

    /// Numbers sent and not acknowledged.
    pub fn outstanding(&self) -> u64 {
        self.core.seq.max() - self.core.seq.una()
    }

    /// Bytes offered and not yet sent once; `u64::MAX` when the offer has no end.
    pub fn backlog(&self) -> u64 {
        match self.core.seq.data_end() {
            u64::MAX => u64::MAX,
            end => end.saturating_sub(self.core.seq.max().max(1)),
        }
    }

    /// State of the connection.
    pub fn state(&self) -> SenderState {
        match self.phase {
            Phase::Idle => SenderState::Idle,
            Phase::SynSent => SenderState::SynSent,
            Phase::Open if self.core.seq.una() > self.core.seq.data_end() => SenderState::FinWait2,
            Phase::Open if self.core.seq.max() > self.core.seq.data_end() => SenderState::FinWait1,
            Phase::Open => SenderState::Established,
            Phase::TimeWait => SenderState::TimeWait,
            Phase::Closed => SenderState::Closed,
        }
    }

    // Steps.

    /// Before every input: what the node shows.
    pub(super) fn see_node(&mut self, node: NodeState) {
        self.core.cc.see_node(node);
    }

    /// After every input: a congestion control from outside may want to be called.
    #[cold]
    fn arm_wake(&mut self, cx: &mut Cx) {
        if self.phase == Phase::Closed {
            self.wake_timer.retire(cx);
        } else if let Some(at) = self.core.cc.wake_at() {
            self.wake_timer.set(at.max(cx.now), cx);
        }
    }

    fn on_segment_in_syn_sent(&mut self, seg: &TcpSegment, cx: &mut Cx) {
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

    fn on_segment_when_open(&mut self, seg: &TcpSegment, hops: u8, cx: &mut Cx) {
        if seg.flags.syn {
            self.send_ack(cx); // the peer missed the ACK of its SYN
            return;
        }
        let is_ack = seg.flags.ack;
        let is_outside =
            is_ack && seg.ack.wrapping_sub(self.core.seq.una()) > self.core.seq.max() - self.core.seq.una();
        if is_outside && seg.ack > self.core.seq.max() {
            return self.send_ack(cx); // of what was never sent (RFC 9293 3.10.7.4, RFC 5961 5)
        }
        let before = self.watch(Some(seg), cx.now);
        if is_outside && seg.n_sack > 0 && !self.core.rules.sack_counts_pipe {
            self.on_old_report(seg, hops, cx);
        }
        // An old ACK says nothing about the window (RFC 9293 3.10.7.4).
        let mut window_changed = false;
        if is_ack && !is_outside {
            let changes = self.core.peer.take(seg.window);
            let duplicate = seg.ack == self.core.seq.una() && self.core.hears_dup_acks() && seg.seq_len() == 0;
            // A window that changes or is closed makes no duplicate (RFC 5681 2), unless blocks say what has come (RFC 6675 2).
            window_changed = changes || self.core.peer.is_shut();
            let duplicate = duplicate && (!window_changed || seg.n_sack > 0);
            if (seg.ack > self.core.seq.una() || duplicate) && !self.withholds(seg, cx) {
                self.core.take_mark(seg, cx.now);
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
        }
        if window_changed {
            self.mind_window(cx);
        }
        if self.core.loss.undo.is_some() && is_ack && self.may_send() {
            self.recovery.take_dsack(&mut self.core, seg, cx);
        }
        self.settle(before, cx);
        if seg.flags.fin && !self.core.header.is_shared() {
            self.core.header.expect(seg.seq + seg.seq_len());
            self.peer_closed = true;
            self.send_ack(cx);
        }
        self.advance_phase(cx);
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

    /// The connection is up and nothing keeps the sender still.
    fn may_send(&self) -> bool {
        self.phase == Phase::Open && !self.part.as_ref().is_some_and(Part::is_still)
    }

    /// The part for failing routes keeps an ACK from the recovery.
    #[inline]
    fn withholds(&mut self, seg: &TcpSegment, cx: &mut Cx) -> bool {
        let Some(part) = &mut self.part else { return false };
        part.takes_ack(&mut self.recovery, &mut self.core, seg, cx)
    }

    /// TCP-DOOR looks at an ACK, and at what the input at hand may change.
    #[inline]
    fn watch(&mut self, seg: Option<&TcpSegment>, now: Time) -> Option<door::State> {
        let door = self.door.as_mut()?;
        Some(match seg.filter(|seg| seg.flags.ack) {
            Some(seg) => door.on_ack(&mut self.core, seg, now),
            None => door.before(&self.core, now),
        })
    }

    /// It looks at what the input has changed.
    #[inline]
    fn settle(&mut self, before: Option<door::State>, cx: &mut Cx) {
        if let (Some(door), Some(before)) = (&mut self.door, before) {
            door.settle(&mut self.core, before, cx);
        }
    }

    fn on_timeout(&mut self, cx: &mut Cx) {
        if self.core.peer.is_shut() {
            return self.core.probe_window(cx);
        }
        let before = self.watch(None, cx.now);
        let part = self.part.as_mut();
        if !part.is_some_and(|part| part.takes_timeout(&mut self.recovery, &mut self.core, cx)) {
            self.recovery.on_timeout(&mut self.core, cx);
        }
        self.settle(before, cx);
    }

    /// The window has changed, or is closed.
    #[cold]
    fn mind_window(&mut self, cx: &mut Cx) {
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

    fn advance_phase(&mut self, cx: &mut Cx) {
        let core = &mut self.core;
        if !core.seq.is_closing() || core.seq.una() < core.seq.data_end() {
            return;
        }
        if !self.completed {
            self.completed = true;
            cx.push(TransportEffect::Note(Note::Completed));
        }
        if !core.three_way {
            self.phase = Phase::Closed;
            core.retire_timers(cx);
            self.recovery.retire(cx);
        } else if core.seq.una() > core.seq.data_end() && self.peer_closed {
            core.retire_timers(cx);
            self.recovery.retire(cx);
            self.phase = if self.closes_second { Phase::Closed } else { Phase::TimeWait };
            if self.phase == Phase::TimeWait {
                self.time_wait_timer.set(cx.now + self.time_wait, cx);
            }
        }
    }

    pub(super) fn send_ack(&self, cx: &mut Cx) {
        cx.emit(TcpSegment {
            seq: self.core.seq.nxt(),
            ack: self.core.header.rcv_nxt(),
            flags: TcpFlags { ack: true, ece: self.core.header.echoes_mark(), ..TcpFlags::default() },
            timestamps: self.core.header.stamps(cx.now),
            window: self.core.header.window(self.core.peer.limit(), self.core.mss),
            ..TcpSegment::default()
        });
    }
}
