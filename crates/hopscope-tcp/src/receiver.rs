//! The receiving machine: passive set-up and tear-down, reassembly, acknowledgements.

use std::sync::Arc;

use super::ack::outside::AckRule;
use super::ack::{AckDecision, Acker, Arrival, Guard};
use super::header::Reverse;
use super::reading::Reading;
use super::reassembly::{Placed, Reassembly};
use super::reset::refuse;
use super::route_failure::door::Order;
use super::rtt::Rtt;
use super::timer::LazyTimer;
use super::{Cx, Note, Timer, TransportEffect, window_field};
use crate::config::tcp::{Handshake, TIMESTAMPS_OPTION};
use crate::config::{AckPolicy, TcpConfig};
use hopscope_core::units::{Span, Time};
use hopscope_packet::tcp::{SackBlock, TcpFlags, TcpSegment, Timestamps};
use hopscope_packet::{Ecn, PathInfo};

/// States of the receiving side (RFC 9293 3.3.2). It closes as soon as the peer has. With `handshake = ns2` only
/// `Listen` and `Established` occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiverState {
    /// No SYN has come.
    Listen,
    /// The SYN-ACK is outstanding.
    SynReceived,
    /// Data may flow.
    Established,
    /// The peer's FIN is consumed, our own is outstanding.
    LastAck,
    /// Done.
    Closed,
}

/// Counters of a receiver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Segments with data.
    pub segments_received: u64,
    /// Those among them that brought nothing new.
    pub duplicates: u64,
    /// Those among them that came above a gap.
    pub out_of_order: u64,
    /// Payload bytes handed up.
    pub bytes_delivered: u64,
    /// Segments sent without SYN or FIN.
    pub acks_sent: u64,
}

impl ReceiverStats {
    /// Segments that brought something new. One that is refused, by a window or a connection that is closed, does not.
    #[inline]
    pub(super) fn new_segments(&self) -> u64 {
        self.segments_received - self.duplicates
    }
}

/// What a receiver has of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receipt {
    /// Not all of it.
    Missing,
    /// All, in order, and its ACK is held back.
    Owed,
    /// All, and its sender knows as far as it could be: it has been acknowledged, or lies above a gap.
    Acknowledged,
}

/// Number of our FIN: the SYN took number 0.
const FIN_NUMBER: u64 = 1;

/// A TCP receiver. See the [module](super) for how it is driven.
#[derive(Debug, Clone)]
pub struct TcpReceiver {
    three_way: bool,
    /// SACK blocks per ACK; 0 without SACK.
    sack_blocks: usize,
    window: u32,
    /// The application reads slowly; none: at once, and the window stays as it is.
    reading: Option<Box<Reading>>,
    /// Data that arrived twice is reported, and what the next ACK has to report of it.
    dsack: bool,
    repeated: Option<SackBlock>,
    /// Marks are understood, and one is being echoed until the sender has heard of it.
    ecn: bool,
    echo: bool,
    /// Tick of the clock in the timestamps option (none: not in use), the stamp to echo, and what the last ACK covered.
    stamp_tick: Option<Span>,
    recent: u32,
    last_ack: u64,
    acker: Acker,
    /// An ACK stands for half of what may be in flight at most.
    guard: Option<Guard>,
    /// Segments that an ACK is to stand for, as last reported; 0: nothing was.
    reported_window: f64,
    /// The order in which segments come is watched.
    order: Option<Order>,
    state: ReceiverState,
    /// When the SYN-ACK left, if it was sent once (Karn).
    syn_ack_sent: Option<Time>,
    data: Reassembly,
    /// Number of the peer's FIN, once seen.
    fin: Option<u64>,
    rtt: Rtt,
    rto_timer: LazyTimer,
    ack_timer: LazyTimer,
    /// Number of what the sending half of this end sends next; none where it sends nothing but SYN and FIN.
    sends_next: Option<u64>,
    stats: ReceiverStats,
}

/// When the ACK of a segment has to leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Nothing has to be said.
    Never,
    /// It may wait for more data, or for data of our own.
    Later,
    /// Now; a data segment of our own will do.
    Now,
    /// Now, and by a segment without data: only such count as duplicates (RFC 5681 2) and carry SACK blocks.
    Bare,
}

impl TcpReceiver {
    /// A receiver that advertises `max_window` segments of `mss` bytes and holds ACKs back for `ack_delay` at most.
    pub fn new(cfg: &TcpConfig, ack: AckPolicy, ack_delay: Span, sack: bool, mss: u32, max_window: u32) -> Self {
        let mss = u64::from(mss.max(1));
        TcpReceiver {
            three_way: cfg.handshake == Handshake::ThreeWay,
            sack_blocks: if sack { room_for_blocks(cfg) } else { 0 },
            window: window_field(u64::from(max_window.max(1)), mss),
            reading: (cfg.read_rate.is_some())
                .then(|| Box::new(Reading::new(u64::from(max_window.max(1)) * mss, mss, cfg.read_rate))),
            dsack: sack && cfg.dsack == Some(true),
            repeated: None,
            ecn: cfg.ecn,
            echo: false,
            stamp_tick: cfg.timestamps.then_some(cfg.timestamp_clock),
            recent: 0,
            last_ack: 0,
            acker: Acker::new(cfg, ack, ack_delay, mss, u64::from(max_window.max(1)) * mss),
            guard: cfg.ack_guard.then(Guard::default),
            reported_window: 0.0,
            order: Order::new(cfg),
            state: ReceiverState::Listen,
            syn_ack_sent: None,
            data: Reassembly::new(),
            fin: None,
            rtt: Rtt::new(cfg),
            rto_timer: LazyTimer::new(Timer::Rto),
            ack_timer: LazyTimer::new(Timer::DelayedAck),
            sends_next: None,
            stats: ReceiverStats::default(),
        }
    }

    /// Reports data that arrived twice in the first SACK block.
    pub fn report_repeats(&mut self, reports: bool) {
        self.dsack = reports;
    }

    /// Hands over an ACK policy from outside.
    pub fn set_rule(&mut self, rule: Arc<dyn AckRule>) {
        self.acker.set_rule(rule);
    }

    /// From now on the application reads on request ([`TcpReceiver::on_read`]), from a buffer of so many bytes.
    pub fn read_on_request(&mut self, buffer: u64, mss: u32) {
        self.reading = Some(Box::new(Reading::new(buffer, u64::from(mss), None)));
    }

    /// From now on a window of so many bytes is advertised.
    pub fn advertise(&mut self, window: u32) {
        self.window = window;
    }

    // Inputs.

    /// The application reads so many bytes.
    #[cold]
    pub fn on_read(&mut self, bytes: u64, now: Time, out: &mut Vec<TransportEffect>) {
        let mut cx = Cx { now, out };
        let Some(reading) = &mut self.reading else { return };
        if bytes > 0 {
            cx.push(TransportEffect::Deliver { bytes: bytes as u32 });
        }
        let must_update = reading.on_read(bytes, self.data.next, &mut cx);
        if must_update && self.state == ReceiverState::Established && !self.is_finished() {
            self.send_ack(&mut cx);
        }
    }

    /// A segment from the sender has arrived.
    pub fn on_segment(&mut self, seg: &TcpSegment, now: Time, out: &mut Vec<TransportEffect>) {
        let mut cx = Cx { now, out };
        self.take_stamp(seg);
        if seg.flags.syn {
            return self.on_syn(seg, &mut cx);
        }
        if self.state != ReceiverState::Established && !self.goes_on(seg, &mut cx) {
            return;
        }
        if seg.seq_len() > 0 {
            let due = self.take_data(seg, &mut cx);
            if self.is_finished() && self.state != ReceiverState::LastAck && self.state != ReceiverState::Closed {
                self.state = ReceiverState::LastAck;
                return self.send_fin(false, &mut cx);
            }
            self.answer(due, &mut cx);
        }
    }

    /// The way of the segment that comes next.
    #[inline]
    pub(super) fn take_path_info(&mut self, path_info: &PathInfo) {
        self.acker.on_path_info(path_info);
    }

    // Inputs from a sending half of the same end, where data flows both ways.

    /// Before every other input: the number of what the sending half sends next.
    pub(super) fn share(&mut self, sends_next: u64) {
        self.sends_next = Some(sends_next);
    }

    /// This end is the active one, and a SYN-ACK has come.
    pub(super) fn join(&mut self, seg: &TcpSegment) {
        self.take_stamp(seg);
        if self.state == ReceiverState::Listen {
            self.data.next = 1;
            self.state = ReceiverState::Established;
        }
    }

    /// The acknowledgement of a segment; if it is the first one of our SYN-ACK, when that left, if it was sent once.
    pub(super) fn take_ack(&mut self, seg: &TcpSegment, cx: &mut Cx) -> Option<Option<Time>> {
        let waits = self.state == ReceiverState::SynReceived;
        self.on_ack(seg, cx);
        (waits && self.state == ReceiverState::Established).then_some(self.syn_ack_sent)
    }

    /// The SYN that came is forgotten.
    pub(super) fn listen_again(&mut self, cx: &mut Cx) {
        self.state = ReceiverState::Listen;
        (self.data, self.fin, self.syn_ack_sent) = (Reassembly::new(), None, None);
        (self.recent, self.last_ack, self.echo) = (0, 0, false);
        self.rtt.end_back_off();
        self.rto_timer.retire(cx);
    }

    /// The connection is over, whatever was under way.
    pub(super) fn end(&mut self, cx: &mut Cx) {
        self.state = ReceiverState::Closed;
        self.rto_timer.retire(cx);
        self.ack_timer.retire(cx);
        if let Some(reading) = &mut self.reading {
            reading.retire(cx);
        }
    }

    /// An ACK that nothing was received for.
    pub(super) fn challenge(&mut self, cx: &mut Cx) {
        self.send_ack(cx);
    }

    /// A segment of the sending half has left and carried our ACK.
    pub(super) fn on_carried(&mut self) {
        self.last_ack = self.data.next;
        self.on_ack_sent();
    }

    /// Nothing is left to be held back.
    fn on_ack_sent(&mut self) {
        self.acker.on_ack_sent();
        if let Some(guard) = &mut self.guard {
            guard.on_ack_sent();
        }
        self.ack_timer.stop();
    }

    /// Next number expected.
    pub(super) fn next(&self) -> u64 {
        self.data.next
    }

    /// What segments of the sending half have to say for this one.
    pub(super) fn reverse(&mut self) -> Reverse {
        let window = match &mut self.reading {
            None => self.window,
            Some(reading) => reading.window(self.data.next),
        };
        Reverse { window, stamp: self.recent, ece: self.echo }
    }

    /// A timer armed by this machine has expired.
    pub fn on_timer(&mut self, timer: Timer, now: Time, out: &mut Vec<TransportEffect>) {
        let mut cx = Cx { now, out };
        match timer {
            Timer::DelayedAck => {
                if self.ack_timer.fires(&mut cx) {
                    self.acker.on_expiry(now);
                    self.report_window(&mut cx);
                    self.send_ack(&mut cx);
                }
            }
            Timer::Rto => {
                if self.rto_timer.fires(&mut cx) {
                    self.rtt.back_off();
                    match self.state {
                        ReceiverState::SynReceived => self.send_syn_ack(true, &mut cx),
                        ReceiverState::LastAck => self.send_fin(true, &mut cx),
                        _ => {}
                    }
                }
            }
            Timer::Read => {
                let bytes = self.reading.as_mut().map_or(0, |reading| reading.on_timer(&mut cx));
                if bytes > 0 {
                    self.on_read(bytes, now, cx.out);
                }
            }
            Timer::TimeWait | Timer::Pacing | Timer::Reorder | Timer::Probe | Timer::Refill | Timer::Wake => {}
        }
    }

    // Queries.

    /// Bytes that wait for the application.
    pub fn unread(&self) -> u64 {
        self.reading.as_ref().map_or(0, |reading| reading.unread())
    }

    /// Counters.
    pub fn stats(&self) -> &ReceiverStats {
        &self.stats
    }

    /// State of the connection.
    pub fn state(&self) -> ReceiverState {
        self.state
    }

    /// What is known here of the numbers from `start` up to `end`.
    pub fn receipt(&self, start: u64, end: u64) -> Receipt {
        match self.data.holds(start, end) {
            false => Receipt::Missing,
            true if self.last_ack <= start && end <= self.data.next => Receipt::Owed,
            true => Receipt::Acknowledged,
        }
    }

    /// The peer's FIN is consumed.
    pub(super) fn is_finished(&self) -> bool {
        self.fin.is_some_and(|fin| self.data.next > fin)
    }

    // Steps.

    /// The stamp of the segment that the next ACK answers first (RFC 7323 4.3).
    pub(super) fn take_stamp(&mut self, seg: &TcpSegment) {
        if let Some(stamps) = seg.timestamps {
            // An older stamp comes with a segment that was overtaken.
            let newer = stamps.value.wrapping_sub(self.recent) as i32 >= 0 || seg.flags.syn;
            if seg.seq <= self.last_ack && newer {
                self.recent = stamps.value;
            }
        }
    }

    /// A segment comes before the connection is up or after our FIN; true where its data is taken.
    #[cold]
    fn goes_on(&mut self, seg: &TcpSegment, cx: &mut Cx) -> bool {
        if matches!(self.state, ReceiverState::Listen | ReceiverState::Closed) {
            if self.three_way && (seg.flags.ack || self.state == ReceiverState::Closed) {
                refuse(seg, cx);
            }
            return false;
        }
        if seg.flags.ack {
            self.on_ack(seg, cx);
        }
        self.state != ReceiverState::SynReceived
    }

    fn on_syn(&mut self, seg: &TcpSegment, cx: &mut Cx) {
        if self.state == ReceiverState::Listen {
            self.data.next = 1;
            self.state = if self.three_way { ReceiverState::SynReceived } else { ReceiverState::Established };
            if self.three_way {
                return self.send_syn_ack(false, cx);
            }
        }
        match self.state {
            ReceiverState::SynReceived => self.send_syn_ack(true, cx),
            ReceiverState::Closed if self.three_way => refuse(seg, cx),
            _ => self.send_ack(cx),
        }
    }

    fn on_ack(&mut self, seg: &TcpSegment, cx: &mut Cx) {
        match self.state {
            ReceiverState::SynReceived if seg.ack != FIN_NUMBER => refuse(seg, cx),
            ReceiverState::SynReceived => {
                self.state = ReceiverState::Established;
                if let Some(sent) = self.syn_ack_sent {
                    self.acker.on_set_up(cx.now.saturating_since(sent));
                }
                self.rto_timer.stop();
                self.rtt.end_back_off();
            }
            ReceiverState::LastAck if seg.ack > FIN_NUMBER => {
                self.state = ReceiverState::Closed;
                self.rto_timer.retire(cx);
                self.ack_timer.retire(cx);
            }
            _ => {}
        }
    }

    /// Takes data and FIN; says when their ACK is due.
    pub(super) fn take_data(&mut self, seg: &TcpSegment, cx: &mut Cx) -> Due {
        let end = seg.seq + u64::from(seg.len);
        let mut due = if seg.seq_len() > 0 { Due::Now } else { Due::Never };
        if seg.len > 0 {
            if self.dsack {
                self.repeated = self.data.known(seg.seq, end).or(self.repeated);
            }
            if let Some(order) = &mut self.order {
                order.on_data(seg.order);
            }
            let mut end = end;
            if let Some(reading) = &self.reading {
                end = end.min(reading.edge().max(seg.seq));
                if end == seg.seq {
                    return Due::Bare; // beyond the window (RFC 9293 3.10.7.4, first step)
                }
            }
            let placed = self.data.place(seg.seq, end);
            self.count(placed);
            self.echo &= !seg.flags.cwr;
            self.echo |= self.ecn && seg.ecn == Ecn::Ce;
            let mut arrival = Arrival {
                now: cx.now,
                in_order: false,
                duplicate: placed == Placed::Duplicate,
                repeats_last: false,
                bytes: 0,
                len: u64::from(seg.len),
                marked: self.ecn && seg.ecn == Ecn::Ce,
                pushed: seg.flags.psh,
                sender_window: seg.sender_window,
            };
            match placed {
                Placed::InOrder { bytes, filled } => {
                    self.stats.bytes_delivered += bytes;
                    match &mut self.reading {
                        None => cx.push(TransportEffect::Deliver { bytes: bytes as u32 }),
                        Some(reading) => reading.on_data(bytes, cx),
                    }
                    arrival = Arrival { in_order: !filled, bytes, ..arrival };
                }
                Placed::Duplicate => arrival.repeats_last = end == self.data.next && !self.data.has_gap(),
                Placed::OutOfOrder => {}
            }
            let is_bare = placed == Placed::Duplicate || placed == Placed::OutOfOrder || self.data.has_gap();
            let mut decision = self.acker.on_data(&arrival);
            self.report_window(cx);
            if let Some(guard) = &mut self.guard {
                if guard.has_enough(seg.sender_window) {
                    decision = AckDecision::Now;
                }
            }
            due = match decision {
                AckDecision::Hold if !seg.flags.fin => Due::Later,
                AckDecision::Hold | AckDecision::Now if is_bare => Due::Bare,
                AckDecision::Hold | AckDecision::Now => Due::Now,
            };
        }
        if seg.flags.fin && self.fin.is_none() {
            self.fin = Some(end);
        }
        if self.fin == Some(self.data.next) {
            self.data.next += 1;
            cx.push(TransportEffect::Note(Note::PeerClosed));
        }
        due
    }

    /// Acknowledges now or starts the wait.
    pub(super) fn answer(&mut self, due: Due, cx: &mut Cx) {
        match due {
            Due::Never => {}
            Due::Now | Due::Bare => self.send_ack(cx),
            Due::Later if self.ack_timer.running() && !self.acker.waits_anew() => {}
            Due::Later => self.ack_timer.set(cx.now + self.acker.hold(), cx),
        }
    }

    /// Says for how many segments an ACK is to stand, where that is another number than before.
    fn report_window(&mut self, cx: &mut Cx) {
        let window = self.acker.window();
        if window != self.reported_window {
            self.reported_window = window;
            cx.push(TransportEffect::Note(Note::AckWindow(window)));
        }
    }

    fn count(&mut self, placed: Placed) {
        self.stats.segments_received += 1;
        match placed {
            Placed::Duplicate => self.stats.duplicates += 1,
            Placed::OutOfOrder => self.stats.out_of_order += 1,
            Placed::InOrder { .. } => {}
        }
    }

    fn send_syn_ack(&mut self, again: bool, cx: &mut Cx) {
        let flags = TcpFlags { syn: true, ack: true, ece: self.ecn, ..TcpFlags::default() };
        self.syn_ack_sent = (!again).then_some(cx.now);
        self.emit(TcpSegment { flags, retransmission: again, ..TcpSegment::default() }, cx);
        self.restart_rto(cx);
    }

    /// Our FIN, which acknowledges the peer's.
    fn send_fin(&mut self, again: bool, cx: &mut Cx) {
        let flags = TcpFlags { ack: true, fin: true, ..TcpFlags::default() };
        self.emit(TcpSegment { seq: FIN_NUMBER, flags, retransmission: again, ..TcpSegment::default() }, cx);
        self.restart_rto(cx);
    }

    fn send_ack(&mut self, cx: &mut Cx) {
        self.stats.acks_sent += 1;
        let seq = match self.state {
            _ if self.sends_next.is_some() => self.sends_next.unwrap_or(0),
            ReceiverState::LastAck | ReceiverState::Closed => FIN_NUMBER + 1,
            _ => u64::from(self.three_way),
        };
        let mut seg = TcpSegment { seq, ..TcpSegment::default() };
        seg.flags.ack = true;
        seg.flags.ece = self.echo;
        if let Some(repeated) = self.repeated.take() {
            (seg.sack[0], seg.n_sack) = (repeated, 1);
        }
        self.data.report(self.sack_blocks, &mut seg);
        if let Some(order) = &mut self.order {
            seg.order = order.of_ack(self.data.next == self.last_ack);
        }
        self.emit(seg, cx);
    }

    /// Completes a segment and sends it; nothing is left to be held back.
    fn emit(&mut self, mut seg: TcpSegment, cx: &mut Cx) {
        seg.ack = self.data.next;
        seg.timestamps =
            self.stamp_tick.map(|tick| Timestamps { value: (cx.now.0 / tick.0) as u32, echo: self.recent });
        self.last_ack = seg.ack;
        seg.window = match &mut self.reading {
            None => self.window,
            Some(reading) => reading.window(seg.ack),
        };
        self.on_ack_sent();
        cx.emit(seg);
    }

    fn restart_rto(&mut self, cx: &mut Cx) {
        let at = cx.now + self.rtt.rto();
        self.rto_timer.set(at, cx);
    }
}

/// SACK blocks of an ACK at most: a header has room for 40 bytes of options (RFC 9293 3.1), which time stamps (12) and TCP-DOOR's order of
/// ACKs (4) share with the blocks (4 and 8 for each).
fn room_for_blocks(cfg: &TcpConfig) -> usize {
    let taken = if cfg.timestamps { TIMESTAMPS_OPTION } else { 0 } + if cfg.door { 4 } else { 0 };
    cfg.max_sack_blocks.min((40 - 4 - taken) / 8) as usize
}
