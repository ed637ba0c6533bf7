//! The originator of an agreement: which MPDUs it may send, and which it sends again (IEEE 802.11-2020 10.25.6.7).
//!
//! | an MPDU | until |
//! |---|---|
//! | waits: it has a number and is to be sent, or sent again | it is in a PPDU |
//! | is sent | a Block Ack or an ACK says what became of it, or none came |
//! | is acknowledged, or given up | the window has moved beyond it |
//!
//! The window begins at the oldest MPDU that waits or is sent. Where it moves beyond one that was given up, the
//! recipient may wait for that one: a Block Ack request moves it on.

use std::collections::VecDeque;

use hopscope_core::ids::PacketId;
use hopscope_core::units::Time;

use super::MAX_WINDOW;
use super::bitmap::Bitmap;
use super::sequence::{advance, ahead};
use crate::frame::Mpdu;

/// An MPDU that is neither acknowledged nor given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outstanding {
    /// The packet that it carries; the first one, where it carries an A-MSDU.
    pub packet: PacketId,
    /// Sequence number.
    pub seq: u16,
    /// PPDUs that it was part of, and accesses that it has lost inside the station.
    pub attempts: u16,
    /// It was on the air before.
    pub is_repeated: bool,
    /// Bytes with MAC header and FCS, without delimiter and padding.
    pub bytes: u32,
    /// Its lifetime counts from here.
    pub since: Time,
}

impl Outstanding {
    /// As the next PPDU carries it.
    pub fn mpdu(&self) -> Mpdu {
        Mpdu { packet: self.packet, seq: self.seq, bytes: self.bytes, retry: self.is_repeated }
    }
}

/// What has become of a sequence number.
#[derive(Debug, Clone, Copy)]
enum Slot {
    Waits(Outstanding),
    Sent(Outstanding),
    Acknowledged,
    GivenUp,
}

impl Slot {
    fn outstanding(&self) -> Option<&Outstanding> {
        match self {
            Slot::Waits(mpdu) | Slot::Sent(mpdu) => Some(mpdu),
            Slot::Acknowledged | Slot::GivenUp => None,
        }
    }
}

/// The originator of one agreement.
#[derive(Debug, Clone)]
pub struct Originator {
    /// WinStart_O.
    start: u16,
    /// WinSize_O.
    size: u16,
    /// From WinStart_O on; the first is outstanding.
    slots: VecDeque<Slot>,
    /// No Block Ack came, and a request is to ask for what it would have said.
    missing: bool,
    /// The window has moved beyond an MPDU that was given up, and no request has confirmed that yet.
    gap: bool,
    /// Requests went unanswered for too long: none asks about the gap before an answer has come.
    is_silent: bool,
    /// Starting sequence number of the request whose Block Ack is waited for.
    requested: Option<u16>,
}

impl Originator {
    /// An agreement whose first MPDU is `start`, of `size` MPDUs (1 to [`MAX_WINDOW`]).
    pub fn new(start: u16, size: u16) -> Self {
        debug_assert!((1..=MAX_WINDOW).contains(&size), "an agreement of {size} MPDUs");
        Originator {
            start,
            size,
            slots: VecDeque::new(),
            missing: false,
            gap: false,
            is_silent: false,
            requested: None,
        }
    }

    /// True when the window has room for another MPDU.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.slots.len() < usize::from(self.size)
    }

    /// Sequence number of the next MPDU.
    pub fn next_seq(&self) -> u16 {
        self.end()
    }

    /// Gives the next sequence number to an MPDU that goes under no agreement. Not while MPDUs under one are outstanding.
    pub fn skip(&mut self) -> u16 {
        debug_assert!(self.slots.is_empty(), "an agreement is in use");
        let seq = self.start;
        self.start = advance(seq, 1);
        seq
    }

    /// An agreement of `size` MPDUs begins with the next sequence number. `has_gap`: the recipient may wait for an earlier one.
    pub fn begin(&mut self, size: u16, has_gap: bool) {
        *self = Originator { gap: has_gap, ..Originator::new(self.end(), size) };
    }

    /// The recipient may wait for an MPDU before the window that does not come any more.
    pub fn leave_gap(&mut self) {
        (self.gap, self.is_silent) = (true, false);
    }

    /// Gives a packet, of so many bytes as an MPDU, the next sequence number: its MPDU then waits. None where the window has no room.
    pub fn next(&mut self, (packet, bytes): (PacketId, u32), since: Time, attempts: u16) -> Option<Outstanding> {
        if !self.has_room() {
            return None;
        }
        let mpdu = Outstanding { packet, seq: self.end(), attempts, is_repeated: false, bytes, since };
        self.slots.push_back(Slot::Waits(mpdu));
        Some(mpdu)
    }

    /// MPDUs that are to be sent or sent again, lower numbers first.
    pub fn to_send(&self) -> impl Iterator<Item = &Outstanding> {
        self.slots.iter().filter_map(|slot| if let Slot::Waits(mpdu) = slot { Some(mpdu) } else { None })
    }

    /// A PPDU carries these MPDUs.
    pub fn on_sent(&mut self, seqs: impl IntoIterator<Item = u16>) {
        for seq in seqs {
            let Some(slot) = self.slot(seq) else { continue };
            if let Some(&mpdu) = slot.outstanding() {
                let attempts = mpdu.attempts.saturating_add(1);
                *slot = Slot::Sent(Outstanding { attempts, is_repeated: true, ..mpdu });
            }
        }
    }

    /// The first MPDU that is to be sent has lost so many accesses inside the station.
    pub fn add_attempts(&mut self, lost: u16) {
        let first = self.slots.iter_mut().find_map(|slot| if let Slot::Waits(mpdu) = slot { Some(mpdu) } else { None });
        if let Some(mpdu) = first {
            mpdu.attempts = mpdu.attempts.saturating_add(lost);
        }
    }

    /// The starting sequence number of a Block Ack request that is to be sent before any data; none where none is
    /// needed.
    pub fn request_needed(&self) -> Option<u16> {
        (self.missing || self.gap && !self.is_silent).then_some(self.start)
    }

    /// A Block Ack request with the current start of the window is sent.
    pub fn on_request_sent(&mut self) {
        self.requested = Some(self.start);
    }

    /// A Block Ack has come. What it acknowledges is appended to `acked`, in order; the rest of what was sent is to be
    /// sent again. Returns how many these are.
    pub fn on_block_ack(&mut self, ssn: u16, bitmap: &Bitmap, acked: &mut Vec<Outstanding>) -> u32 {
        (self.missing, self.is_silent) = (false, false);
        // The answer to a request says that the recipient has moved to where the window then began.
        self.gap &= self.requested.take() != Some(self.start);
        let mut failed = 0;
        for slot in &mut self.slots {
            let Some(&mpdu) = slot.outstanding() else { continue };
            // What lies before the starting sequence number the recipient takes no more.
            if ahead(ssn, mpdu.seq).is_none_or(|offset| bitmap.has(offset)) {
                acked.push(mpdu);
                *slot = Slot::Acknowledged;
            } else if matches!(slot, Slot::Sent(_)) {
                *slot = Slot::Waits(mpdu);
                failed += 1;
            }
        }
        self.move_window();
        failed
    }

    /// An ACK has come for an MPDU that was sent alone.
    pub fn on_ack(&mut self, seq: u16) -> Option<Outstanding> {
        let slot = self.slot(seq)?;
        let mpdu = *slot.outstanding()?;
        *slot = Slot::Acknowledged;
        self.is_silent = false;
        self.move_window();
        Some(mpdu)
    }

    /// No answer came to a PPDU or to a request. Either all that was sent is to be sent again (`resend`), or a Block
    /// Ack request is to ask what has come of it.
    pub fn on_missing(&mut self, resend: bool) {
        self.requested = None;
        self.missing = !resend;
        if resend {
            for slot in &mut self.slots {
                if let Slot::Sent(mpdu) = *slot {
                    *slot = Slot::Waits(mpdu);
                }
            }
        }
    }

    /// Requests have gone unanswered for too long: what was sent is to be sent again, and no request asks about a gap until an
    /// answer has come, or the window has left another gap.
    pub fn stop_asking(&mut self) {
        self.on_missing(true);
        self.is_silent = true;
    }

    /// Gives up those outstanding MPDUs of which `ends` is true, such as by attempts or lifetime, and appends them to
    /// `given_up`, in order. Not while an answer to them is waited for.
    pub fn give_up(&mut self, ends: impl Fn(&Outstanding) -> bool, given_up: &mut Vec<Outstanding>) {
        for slot in &mut self.slots {
            if let Some(&mpdu) = slot.outstanding().filter(|mpdu| ends(mpdu)) {
                given_up.push(mpdu);
                *slot = Slot::GivenUp;
            }
        }
        self.move_window();
    }

    /// True when no MPDU is outstanding.
    pub fn is_idle(&self) -> bool {
        self.slots.is_empty()
    }

    /// The sequence number after the last one given.
    fn end(&self) -> u16 {
        advance(self.start, self.slots.len() as u16)
    }

    fn slot(&mut self, seq: u16) -> Option<&mut Slot> {
        self.slots.get_mut(usize::from(ahead(self.start, seq)?))
    }

    /// Moves the window to the oldest outstanding MPDU, or to the next new one.
    fn move_window(&mut self) {
        let done = self.slots.iter().take_while(|slot| slot.outstanding().is_none()).count();
        if self.slots.drain(..done).any(|slot| matches!(slot, Slot::GivenUp)) {
            self.leave_gap();
        }
        self.start = advance(self.start, done as u16);
    }
}

#[cfg(test)]
mod tests;
