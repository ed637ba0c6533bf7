//! The recipient of an agreement: what has come, and the order in which it goes up (IEEE 802.11-2020 10.25.6.3 to
//! 10.25.6.6).
//!
//! The scoreboard answers, the reordering buffer passes up. Their windows differ: that of the scoreboard moves when an
//! MPDU comes from beyond it, that of the buffer also with each MPDU that goes up in order.

use std::collections::VecDeque;

use hopscope_core::units::{Span, Time};

use super::MAX_WINDOW;
use super::bitmap::Bitmap;
use super::scoreboard::Scoreboard;
use super::sequence::{advance, ahead};

/// What an MPDU was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// New: it waits in the buffer or has gone up.
    Kept,
    /// Nothing new: it came before, or the window has left it behind. It is discarded.
    Duplicate,
}

/// An MPDU that waits for those before it.
#[derive(Debug, Clone)]
struct Stored<T> {
    item: T,
    since: Time,
}

/// Waits that are over: of MPDUs in a reordering buffer, or of packets in a queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waits {
    /// How many have waited.
    pub count: u64,
    /// Their waits together.
    pub total: Span,
    /// The longest.
    pub longest: Span,
}

impl Waits {
    pub(crate) fn add(&mut self, wait: Span) {
        self.count += 1;
        self.total = self.total + wait;
        self.longest = self.longest.max(wait);
    }

    /// Those of two buffers together.
    #[must_use]
    pub fn and(self, other: Waits) -> Waits {
        Waits {
            count: self.count + other.count,
            total: self.total + other.total,
            longest: self.longest.max(other.longest),
        }
    }
}

/// The recipient of one agreement. `T` is what it keeps of an MPDU, such as the number of its packet.
#[derive(Debug, Clone)]
pub struct Recipient<T> {
    scoreboard: Scoreboard,
    /// WinStart_B: the next MPDU to go up.
    start: u16,
    /// WinSize_B.
    size: u16,
    /// From WinStart_B on; the first is missing, the last is stored, if there is any.
    buffer: VecDeque<Option<Stored<T>>>,
    /// How long a stored MPDU waits for those before it; none: until the window moves.
    release_timeout: Option<Span>,
    waits: Waits,
}

impl<T> Recipient<T> {
    /// An agreement whose first MPDU is `start`, of `size` MPDUs (1 to [`MAX_WINDOW`]).
    ///
    /// The standard and ns-3 have no `release_timeout`; Linux has 100 ms (HT_RX_REORDER_BUF_TIMEOUT of mac80211).
    pub fn new(start: u16, size: u16, release_timeout: Option<Span>) -> Self {
        debug_assert!((1..=MAX_WINDOW).contains(&size), "an agreement of {size} MPDUs");
        let scoreboard = Scoreboard::new(start, size);
        Recipient { scoreboard, start, size, buffer: VecDeque::new(), release_timeout, waits: Waits::default() }
    }

    /// True when this MPDU would be kept.
    #[inline]
    pub fn is_new(&self, seq: u16) -> bool {
        ahead(self.start, seq).is_some_and(|offset| !matches!(self.buffer.get(offset.into()), Some(Some(_))))
    }

    /// An MPDU has come. What may go up now is appended to `released`, in order.
    pub fn on_mpdu(&mut self, seq: u16, item: T, now: Time, released: &mut Vec<T>) -> Arrival {
        self.scoreboard.on_mpdu(seq);
        if !self.is_new(seq) {
            return Arrival::Duplicate;
        }
        if seq == self.start && self.buffer.is_empty() {
            // The usual case: nothing is missing.
            self.start = advance(seq, 1);
            released.push(item);
            return Arrival::Kept;
        }
        // An MPDU beyond the window becomes its last (10.25.6.6.2).
        let distance = ahead(self.start, seq).map_or(0, |offset| (offset + 1).saturating_sub(self.size));
        self.advance_by(distance, now, released);
        self.store(seq, Stored { item, since: now });
        self.release_in_order(now, released);
        Arrival::Kept
    }

    /// An MPDU has come that is not new ([`Recipient::is_new`]): it is acknowledged all the same.
    pub fn on_duplicate(&mut self, seq: u16) {
        self.scoreboard.on_mpdu(seq);
    }

    /// A Block Ack request has come: everything before its starting sequence number goes up, with gaps (10.25.6.6.3).
    pub fn on_request(&mut self, ssn: u16, now: Time, released: &mut Vec<T>) {
        self.scoreboard.on_request(ssn);
        if let Some(distance) = ahead(self.start, ssn) {
            self.advance_by(distance, now, released);
            self.release_in_order(now, released);
        }
    }

    /// The agreement ends: what waits goes up, in order.
    pub fn end(&mut self, now: Time, released: &mut Vec<T>) {
        self.advance_by(self.buffer.len() as u16, now, released);
    }

    /// What a Block Ack says now: starting sequence number and bitmap.
    #[inline]
    pub fn block_ack(&self) -> (u16, Bitmap) {
        self.scoreboard.block_ack()
    }

    /// When to call [`Recipient::on_release_timer`]: none where nothing waits, or without a timeout.
    pub fn release_at(&self) -> Option<Time> {
        let timeout = self.release_timeout?;
        self.first_stored().map(|(_, since)| since + timeout)
    }

    /// Passes up what has waited for the timeout and what follows it without a gap; nothing if it is too early.
    pub fn on_release_timer(&mut self, now: Time, released: &mut Vec<T>) {
        while self.release_at().is_some_and(|at| at <= now) {
            let missing = self.first_stored().map_or(0, |(offset, _)| offset);
            self.advance_by(missing, now, released);
            self.release_in_order(now, released);
        }
    }

    /// The waits that are over, since the start of the agreement; the longest since [`Recipient::restart_longest`].
    pub fn waits(&self) -> Waits {
        self.waits
    }

    /// Forgets the longest wait.
    pub fn restart_longest(&mut self) {
        self.waits.longest = Span::ZERO;
    }

    /// Offset of the first stored MPDU, and since when it waits.
    fn first_stored(&self) -> Option<(u16, Time)> {
        let mut slots = self.buffer.iter().enumerate();
        slots.find_map(|(offset, slot)| slot.as_ref().map(|stored| (offset as u16, stored.since)))
    }

    /// Stores an MPDU of the window.
    fn store(&mut self, seq: u16, stored: Stored<T>) {
        let Some(offset) = ahead(self.start, seq).map(usize::from) else { return };
        if self.buffer.len() <= offset {
            self.buffer.resize_with(offset + 1, || None);
        }
        self.buffer[offset] = Some(stored);
    }

    /// Moves the window on; what it leaves behind goes up, missing MPDUs do not come any more.
    fn advance_by(&mut self, distance: u16, now: Time, released: &mut Vec<T>) {
        let left = usize::from(distance).min(self.buffer.len());
        for stored in self.buffer.drain(..left).flatten() {
            // What fills a gap goes up at once: it has not waited.
            if stored.since < now {
                self.waits.add(now - stored.since);
            }
            released.push(stored.item);
        }
        self.start = advance(self.start, distance);
    }

    /// Passes up what nothing is missing before.
    fn release_in_order(&mut self, now: Time, released: &mut Vec<T>) {
        let whole = self.buffer.iter().take_while(|slot| slot.is_some()).count();
        self.advance_by(whole as u16, now, released);
    }
}

#[cfg(test)]
mod tests;
