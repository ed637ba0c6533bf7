//! A frame on its way to one radio: as it is heard and as it is stored.

use crate::phy::edge::Edge;
use crate::phy::outcome::RxOutcome;
use crate::phy::rules::RadioRules;
use hopscope_core::units::{Span, Time};

/// A frame as one receiver hears it.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    /// First instant at the receiver.
    pub start: Time,
    /// Last instant at the receiver.
    pub end: Time,
    /// Duration field, nanoseconds.
    pub nav: u32,
    /// Received power, watts.
    pub power: f32,
    /// Air slot of the frame.
    pub slot: u32,
    /// `Arrival::DECODABLE` and the other bits.
    pub flags: u8,
    /// Index of the rate in `phy::modes`.
    pub mode: u8,
}

impl Arrival {
    /// Within `tx_range`.
    pub const DECODABLE: u8 = 1;
    /// Within `cs_range`.
    pub const SENSED: u8 = 2;
    /// Within `interference_range`.
    pub const INTERFERES: u8 = 4;
    /// Addressed to this node, or broadcast.
    pub const FOR_ME: u8 = 8;
    /// An RTS.
    pub const RTS: u8 = 16;
    /// Hit by a channel error.
    pub const ERRORED: u8 = 32;
    const OWN: u8 = Arrival::FOR_ME | Arrival::DECODABLE;
}

/// An arrival as it is stored: 24 bytes instead of 32, so that the hot part of a radio fits its cache line, and in whole
/// words, so that none is written in parts and read as a whole.
#[derive(Debug, Clone, Copy)]
pub struct Packed {
    pub(super) start: Time,
    /// Time on the air above the Duration field, both in nanoseconds.
    pub(super) times: u64,
    /// Power above the tag: slot (22 bits), mode (4 bits), flags (6 bits).
    pub(super) signal: u64,
}

/// Air slots that a packed arrival can name.
pub const MAX_SLOTS: u32 = 1 << 22;

const FLAG_BITS: u32 = 6;
const MODE_BITS: u32 = 4;

impl Packed {
    /// Nothing: later than everything.
    pub(super) const NONE: Packed = Packed { start: Time::NEVER, times: 0, signal: 0 };

    /// Packs an arrival.
    #[inline]
    pub fn new(a: &Arrival) -> Self {
        debug_assert!(a.slot < MAX_SLOTS && (a.end - a.start).0 <= u64::from(u32::MAX));
        let tag = (a.slot << (FLAG_BITS + MODE_BITS)) | (u32::from(a.mode) << FLAG_BITS) | u32::from(a.flags);
        Packed {
            start: a.start,
            times: ((a.end - a.start).0 << 32) | u64::from(a.nav),
            signal: (u64::from(a.power.to_bits()) << 32) | u64::from(tag),
        }
    }

    /// A frame packed without power at another hearer: with its own start, power and further flags.
    #[inline(always)]
    pub fn received_by(&self, start: Time, power: f32, flags: u8) -> Self {
        Packed { start, times: self.times, signal: self.signal | (u64::from(power.to_bits()) << 32) | u64::from(flags) }
    }

    /// Last instant at the receiver.
    #[inline(always)]
    pub(super) fn end(&self) -> Time {
        self.start + Span(self.times >> 32)
    }

    #[inline(always)]
    pub(super) fn nav(&self) -> u32 {
        self.times as u32
    }

    #[inline(always)]
    pub(super) fn slot(&self) -> u32 {
        Packed::slot_of(self.signal)
    }

    /// The slot in a tag.
    #[inline(always)]
    pub(super) fn slot_of(signal: u64) -> u32 {
        signal as u32 >> (FLAG_BITS + MODE_BITS)
    }

    #[inline(always)]
    pub(super) fn flags(&self) -> u8 {
        (self.signal & ((1 << FLAG_BITS) - 1)) as u8
    }

    #[inline(always)]
    pub(super) fn power(&self) -> f32 {
        Packed::power_of(self.signal)
    }

    /// The power above a tag.
    #[inline(always)]
    pub(super) fn power_of(signal: u64) -> f32 {
        f32::from_bits((signal >> 32) as u32)
    }

    pub(super) fn mode(&self) -> u8 {
        ((self.signal >> FLAG_BITS) & ((1 << MODE_BITS) - 1)) as u8
    }

    #[inline(always)]
    pub(super) fn has(&self, bit: u8) -> bool {
        self.flags() & bit != 0
    }

    /// True when its end is an event at its receiver.
    #[inline(always)]
    pub(super) fn is_own(&self) -> bool {
        self.flags() & Arrival::OWN == Arrival::OWN
    }

    /// True when it can hold a receiver.
    #[inline(always)]
    pub(super) fn locks(&self, rules: &RadioRules) -> bool {
        self.has(Arrival::DECODABLE) || (rules.undecodable_locks && self.has(Arrival::SENSED))
    }

    /// Why nobody can receive it here, whatever else is on the air, if so.
    #[inline(always)]
    pub(super) fn lost(&self) -> Option<RxOutcome> {
        match self.flags() & (Arrival::DECODABLE | Arrival::ERRORED) {
            Arrival::DECODABLE => None,
            flags if flags & Arrival::DECODABLE == 0 => Some(RxOutcome::OutOfReach),
            _ => Some(RxOutcome::Errored),
        }
    }

    /// What its start means to carrier sense.
    #[inline(always)]
    pub(super) fn sensed(&self) -> Edge {
        if self.has(Arrival::SENSED) { Edge::Busy { at: self.start } } else { Edge::Silent }
    }

    /// True when `other` is applied first; equal starts are ordered by air slot.
    pub(super) fn is_after(&self, other: &Packed) -> bool {
        if self.start == other.start { self.slot() > other.slot() } else { self.start > other.start }
    }
}
