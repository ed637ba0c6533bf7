//! A frame on its way to one radio: as it is heard and as it is stored.

use crate::phy::edge::Edge;
use crate::phy::outcome::RxOutcome;
use crate::phy::rules::{RadioRules, RuleSet};
use hopscope_core::units::{Span, Time};

/// A frame as one receiver hears it.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    /// First instant at the receiver.
    pub start: Time,
    /// Last instant at the receiver.
    pub end: Time,
    /// Duration field, nanoseconds: at most 32,767 us.
    pub nav: u32,
    /// Received power, watts.
    pub power: f32,
    /// Air slot of the frame.
    pub slot: u32,
    /// `Arrival::DECODABLE` and the other bits.
    pub flags: u8,
    /// Number of its mode among those of the run, [`Mode::number`](super::modes::Mode::number).
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
    start: Time,
    times: Times,
    signal: Signal,
}

/// Time on the air above the Duration field, both in nanoseconds; between them, in the bits that no Duration field needs, the
/// number of MPDUs of an A-MPDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Times(u64);

/// Received power above the tag of the frame: slot (20 bits), number of the mode (6 bits), flags (6 bits). Powers are not negative, and
/// the bits of such numbers have their order, so that the greatest of these words is the strongest signal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Signal(u64);

/// Air slots that a packed arrival can name.
pub const MAX_SLOTS: u32 = 1 << 20;

/// Bits of a Duration field in nanoseconds (IEEE 802.11-2020 9.2.4.2: at most 32,767 us).
const NAV_BITS: u32 = 25;
/// Most MPDUs that an arrival can count.
pub const MOST_MPDUS: u8 = 127;
const FLAG_BITS: u32 = 6;
const MODE_BITS: u32 = 6;

impl Times {
    #[inline(always)]
    fn new(airtime: Span, nav: u32) -> Self {
        Times(airtime.0 << 32 | u64::from(nav))
    }

    #[inline(always)]
    fn airtime(self) -> Span {
        Span(self.0 >> 32)
    }

    #[inline(always)]
    fn nav(self) -> u32 {
        self.0 as u32 & ((1 << NAV_BITS) - 1)
    }

    fn mpdus(self) -> u8 {
        (self.0 as u32 >> NAV_BITS) as u8
    }
}

impl Signal {
    #[inline(always)]
    fn new(power: f32, slot: u32, mode: u8, flags: u8) -> Self {
        let tag = (slot << (FLAG_BITS + MODE_BITS)) | (u32::from(mode) << FLAG_BITS) | u32::from(flags);
        Signal((u64::from(power.to_bits()) << 32) | u64::from(tag))
    }

    /// Received power, watts.
    #[inline(always)]
    pub(super) fn power(self) -> f32 {
        f32::from_bits((self.0 >> 32) as u32)
    }

    /// Air slot of the frame.
    #[inline(always)]
    pub(super) fn slot(self) -> u32 {
        self.0 as u32 >> (FLAG_BITS + MODE_BITS)
    }

    fn mode(self) -> u8 {
        ((self.0 >> FLAG_BITS) & ((1 << MODE_BITS) - 1)) as u8
    }

    #[inline(always)]
    fn flags(self) -> u8 {
        (self.0 & ((1 << FLAG_BITS) - 1)) as u8
    }
}

impl Packed {
    /// Nothing: later than everything.
    pub(super) const NONE: Packed = Packed { start: Time::NEVER, times: Times(0), signal: Signal(0) };

    /// Packs an arrival.
    #[inline]
    pub fn new(a: &Arrival) -> Self {
        debug_assert!(a.nav < 1 << NAV_BITS);
        debug_assert!(a.slot < MAX_SLOTS && (a.end - a.start).0 <= u64::from(u32::MAX));
        Packed {
            start: a.start,
            times: Times::new(a.end - a.start, a.nav),
            signal: Signal::new(a.power, a.slot, a.mode, a.flags),
        }
    }

    /// The same with the number of MPDUs of an A-MPDU, at most [`MOST_MPDUS`]; no other frame has it.
    #[must_use]
    pub fn with_mpdus(self, mpdus: u8) -> Self {
        debug_assert!(mpdus <= MOST_MPDUS);
        Packed { times: Times(self.times.0 | u64::from(mpdus) << NAV_BITS), ..self }
    }

    /// A frame packed without power at another hearer: with its own start, power and further flags.
    #[inline(always)]
    pub fn received_by(&self, start: Time, power: f32, flags: u8) -> Self {
        // Power and these flags are zero in what is packed once for all hearers.
        let signal = Signal(self.signal.0 | (u64::from(power.to_bits()) << 32) | u64::from(flags));
        Packed { start, times: self.times, signal }
    }

    /// Its words, for a function that is not inlined: as arguments of their own they go in registers, where the whole would
    /// go through memory.
    #[inline(always)]
    pub(super) fn into_words(self) -> (Time, Times, Signal) {
        (self.start, self.times, self.signal)
    }

    /// What has these words.
    #[inline(always)]
    pub(super) fn from_words(start: Time, times: Times, signal: Signal) -> Self {
        Packed { start, times, signal }
    }

    /// Takes another one's place word by word, from registers.
    #[inline(always)]
    pub(super) fn set(&mut self, Packed { start, times, signal }: Packed) {
        self.start = start;
        self.times = times;
        self.signal = signal;
    }

    /// True for `NONE`.
    #[inline(always)]
    pub(super) fn is_none(&self) -> bool {
        self.start == Time::NEVER
    }

    /// First instant at the receiver.
    #[inline(always)]
    pub(super) fn start(&self) -> Time {
        self.start
    }

    /// Last instant at the receiver.
    #[inline(always)]
    pub(super) fn end(&self) -> Time {
        self.start + self.times.airtime()
    }

    #[inline(always)]
    pub(super) fn nav(&self) -> u32 {
        self.times.nav()
    }

    #[inline(always)]
    pub(super) fn slot(&self) -> u32 {
        self.signal.slot()
    }

    #[inline(always)]
    pub(super) fn flags(&self) -> u8 {
        self.signal.flags()
    }

    #[inline(always)]
    pub(super) fn power(&self) -> f32 {
        self.signal.power()
    }

    /// MPDUs of an A-MPDU; 0 of any other frame.
    pub(super) fn mpdus(&self) -> u8 {
        self.times.mpdus()
    }

    /// Number of its mode.
    pub(super) fn mode(&self) -> u8 {
        self.signal.mode()
    }

    /// Power and tag.
    #[inline(always)]
    pub(super) fn signal(&self) -> Signal {
        self.signal
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
    pub(super) fn locks<S: RuleSet>(&self, rules: &RadioRules) -> bool {
        self.has(Arrival::DECODABLE) || (S::undecodable_locks(rules) && self.has(Arrival::SENSED))
    }

    /// Why nobody can receive it here, whatever else is on the air, if so.
    #[inline(always)]
    pub(super) fn lost(&self) -> Option<RxOutcome> {
        // Reach first: an error of the channel means nothing to who could not have decoded the frame.
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
