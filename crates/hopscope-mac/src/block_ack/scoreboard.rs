//! The scoreboard of a recipient: which of the last MPDUs have come (full-state operation, IEEE 802.11-2020 10.25.6.3).

use super::bitmap::Bitmap;
use super::sequence::{advance, ahead};

/// Its window is [WinStart_R, WinStart_R + WinSize_R).
#[derive(Debug, Clone)]
pub(super) struct Scoreboard {
    start: u16,
    size: u16,
    bitmap: Bitmap,
}

impl Scoreboard {
    pub(super) fn new(start: u16, size: u16) -> Self {
        Scoreboard { start, size, bitmap: Bitmap::EMPTY }
    }

    /// An MPDU has come. One beyond the window becomes its last.
    #[inline]
    pub(super) fn on_mpdu(&mut self, seq: u16) {
        let Some(offset) = ahead(self.start, seq) else { return };
        let beyond = (offset + 1).saturating_sub(self.size);
        if beyond > 0 {
            self.advance_by(beyond);
        }
        self.bitmap.set(offset - beyond);
    }

    /// A Block Ack request has come: the window begins at its starting sequence number, if that is ahead.
    pub(super) fn on_request(&mut self, ssn: u16) {
        if let Some(offset) = ahead(self.start, ssn) {
            self.advance_by(offset);
        }
    }

    /// What a Block Ack says: starting sequence number and bitmap.
    #[inline]
    pub(super) fn block_ack(&self) -> (u16, Bitmap) {
        (self.start, self.bitmap)
    }

    fn advance_by(&mut self, by: u16) {
        self.start = advance(self.start, by);
        self.bitmap.shift(by);
    }
}
