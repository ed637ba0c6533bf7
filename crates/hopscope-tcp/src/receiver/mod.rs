//! The receiving machine: passive set-up and tear-down (`set_up.rs`), the data that comes (`data.rs`), and the ACKs for
//! it (`acks.rs`). Where data flows both ways it stands next to a sending half (`joined.rs`).

mod acks;
mod data;
mod joined;
mod set_up;

use std::sync::Arc;

use super::ack::outside::AckRule;
use super::ack::{Acker, Guard};
use super::reading::Reading;
use super::reassembly::Reassembly;
use super::route_failure::door::Order;
use super::rtt::Rtt;
use super::timer::LazyTimer;
use super::{Cx, Timer, TransportEffect, window_field};
use crate::config::tcp::Handshake;
use crate::config::{AckPolicy, TcpConfig};
use acks::room_for_blocks;
use hopscope_core::units::{Span, Time};
use hopscope_packet::PathInfo;
use hopscope_packet::tcp::{SackBlock, TcpSegment};

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
pub(crate) enum Due {
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
        // Behind the peer's FIN there is nothing that a window would let come.
        if must_update && self.state == ReceiverState::Established && !self.is_finished() {
            self.send_ack(&mut cx);
        }
    }

    /// A segment from the sender has arrived.
    pub fn on_segment(&mut self, seg: &TcpSegment, now: Time, out: &mut Vec<TransportEffect>) {
        let mut cx = Cx { now, out };
        // Before the segment is placed: whether a stamp counts is asked against the ACK that was sent last.
        self.take_stamp(seg);
        if seg.flags.syn {
            return self.on_syn(seg, &mut cx);
        }
        if self.state != ReceiverState::Established && !self.goes_on(seg, &mut cx) {
            return;
        }
        if seg.seq_len() > 0 {
            let due = self.take_data(seg, &mut cx);
            // Nothing is left to send here, so our FIN goes with the ACK of the peer's: CLOSE-WAIT takes no time.
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

    /// A timer armed by this machine has expired.
    pub fn on_timer(&mut self, timer: Timer, now: Time, out: &mut Vec<TransportEffect>) {
        let mut cx = Cx { now, out };
        match timer {
            Timer::DelayedAck => {
                if self.ack_timer.fires(&mut cx) {
                    // The policy hears of the expiry first: `send_ack` says to it that nothing is held back any more.
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
}
