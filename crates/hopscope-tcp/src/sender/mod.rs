//! The sending machine: entry points, set-up (RFC 9293 3.5) and tear-down (3.6) as the active side of both.
//!
//! What segments do is in `arrivals.rs`, what it shows in `queries.rs`; `routes.rs` asks the parts for failing routes
//! and for reordering. Where data flows both ways it stands next to a receiving half (`joined.rs`).

mod arrivals;
mod joined;
mod queries;
mod routes;

use std::sync::Arc;

use super::core::Core;
use super::push::PushMarks;
use super::recovery::{LossRecovery, Undo};
use super::reset::refuse;
use super::route_failure::Part;
use super::route_failure::door::TcpDoor;
use super::timer::LazyTimer;
use super::{Cx, Note, Timer, TransportEffect};
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
                // The last ACK was lost (RFC 9293 3.10.7.4, fifth step), or the segment is none that is awaited (first
                // step).
                let again = seg.flags.fin && seg.flags.ack;
                if again || seg.flags.syn || seg.seq != self.core.header.rcv_nxt() {
                    self.send_ack(&mut cx);
                }
                if again {
                    self.time_wait_timer.set(now + self.time_wait, &mut cx);
                }
            }
            Phase::Closed if self.core.three_way => refuse(seg, &mut cx),
            // ns-2 answers nothing by a reset.
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

    // Steps.

    /// The connection is over, whatever was under way.
    pub(crate) fn end(&mut self, cx: &mut Cx) {
        self.phase = Phase::Closed;
        self.core.retire_timers(cx);
        self.recovery.retire(cx);
        self.time_wait_timer.retire(cx);
        self.wake_timer.retire(cx);
    }

    /// The retransmission timer has expired on a connection that is up.
    fn on_timeout(&mut self, cx: &mut Cx) {
        // With a closed window it is the persist timer (RFC 9293 3.8.6.1): nothing is lost, the window is not cut.
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

    /// After every input: what is acknowledged by now may end the connection, or the flow.
    fn advance_phase(&mut self, cx: &mut Cx) {
        let core = &mut self.core;
        if !core.seq.is_closing() || core.seq.una() < core.seq.data_end() {
            return;
        }
        if !self.completed {
            self.completed = true;
            cx.push(TransportEffect::Note(Note::Completed));
        }
        // ns-2's connections have no FIN: they end with their data.
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

    /// A segment without data.
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
