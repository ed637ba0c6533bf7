//! What the segments of a sender say besides their data: for the receiving half of the same end, and in options.

use super::push::PushMarks;
use super::window_field;
use crate::config::TcpConfig;
use hopscope_core::units::{Span, Time};
use hopscope_packet::tcp::Timestamps;

/// What the receiving half of the same end has to say in the segments of the sending half.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reverse {
    /// Advertised window in bytes.
    pub(super) window: u32,
    /// The peer's clock, to be echoed.
    pub(super) stamp: u32,
    /// A mark is being echoed.
    pub(super) ece: bool,
}

/// The part of the header that does not come from the sequence space.
#[derive(Debug, Clone)]
pub(super) struct Header {
    /// Next number expected from the peer (its SYN and FIN only, unless `reverse` is set).
    rcv_nxt: u64,
    /// What every segment says for the receiving half; none where data flows one way.
    reverse: Option<Reverse>,
    /// Tick of the clock in the timestamps option; none without the option.
    stamp_tick: Option<Span>,
    /// Data segments say what may be in flight.
    signals_window: bool,
    /// Number of the last transmission, where they are numbered.
    order: Option<u8>,
    /// Where PSH goes; none: nowhere.
    push: Option<PushMarks>,
}

impl Header {
    pub(super) fn new(cfg: &TcpConfig) -> Self {
        Header {
            rcv_nxt: 0,
            reverse: None,
            stamp_tick: cfg.timestamps.then_some(cfg.timestamp_clock),
            signals_window: false,
            order: cfg.door.then_some(0),
            push: None,
        }
    }

    /// Data segments say from now on what may be in flight.
    pub(super) fn signal_window(&mut self) {
        self.signals_window = true;
    }

    /// PSH goes where `marks` say from now on.
    pub(super) fn mark_pushes(&mut self, marks: PushMarks) {
        self.push = Some(marks);
    }

    // For the receiving half.

    /// Its state, for what is sent in answer to the input at hand.
    pub(super) fn share(&mut self, next: u64, reverse: Reverse) {
        self.rcv_nxt = next;
        self.reverse = Some(reverse);
    }

    /// There is a receiving half.
    pub(super) fn is_shared(&self) -> bool {
        self.reverse.is_some()
    }

    /// Next number expected from the peer.
    pub(super) fn rcv_nxt(&self) -> u64 {
        self.rcv_nxt
    }

    /// Without a receiving half: the peer's SYN or FIN is taken, and `next` follows it.
    pub(super) fn expect(&mut self, next: u64) {
        self.rcv_nxt = self.rcv_nxt.max(next);
    }

    /// The window that this end advertises: its receiving half's, or that of so many segments.
    pub(super) fn window(&self, segments: u64, mss: u64) -> u32 {
        match &self.reverse {
            Some(reverse) => reverse.window,
            None => window_field(segments, mss),
        }
    }

    /// The receiving half echoes a mark.
    pub(super) fn echoes_mark(&self) -> bool {
        self.reverse.is_some_and(|reverse| reverse.ece)
    }

    // Options.

    /// The timestamps option of a segment that leaves now.
    pub(super) fn stamps(&self, now: Time) -> Option<Timestamps> {
        let echo = self.reverse.map_or(0, |reverse| reverse.stamp);
        self.stamp_tick.map(|tick| Timestamps { value: (now.0 / tick.0) as u32, echo })
    }

    /// The clock of the timestamps at `now`; without them nanoseconds, which nothing is compared with.
    pub(super) fn clock(&self, now: Time) -> u32 {
        (now.0 / self.stamp_tick.map_or(1, |tick| tick.0)) as u32
    }

    /// What data segments say of what may be in flight, `usable` segments now; 0 where they say nothing.
    pub(super) fn sender_window(&self, usable: impl FnOnce() -> u64) -> u16 {
        if self.signals_window { u16::try_from(usable()).unwrap_or(u16::MAX) } else { 0 }
    }

    /// Number of the transmission that leaves now; 0 where they are not numbered.
    pub(super) fn next_order(&mut self) -> u8 {
        self.order.as_mut().map_or(0, |number| {
            *number = number.wrapping_add(1);
            *number
        })
    }

    /// PSH is set somewhere.
    pub(super) fn marks_pushes(&self) -> bool {
        self.push.is_some()
    }

    /// Where PSH goes; none: nowhere.
    pub(super) fn push_mut(&mut self) -> Option<&mut PushMarks> {
        self.push.as_mut()
    }
}
