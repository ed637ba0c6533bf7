//! What a Block Ack and its request hold behind their addresses: the compressed variants (IEEE 802.11-2020 9.3.1.7 and
//! 9.3.1.8; the bitmap of 256 frames is that of 802.11ax-2021 9.3.1.8.2).
//!
//! ```text
//!  request    BAR control 2, starting sequence control 2
//!  Block Ack  BA control 2, starting sequence control 2, bitmap 8 or 32
//! ```

use crate::octets::{Malformed, take};

/// Type of the compressed variant, in BAR control and in BA control.
const COMPRESSED: u16 = 2 << 1;
const TID_AT: u32 = 12;
/// Fragment number of the starting sequence control field, where the bitmap has 256 bits; it is zero where it has 64.
const FRAGMENT_OF_256: u16 = 4;

/// Which MPDUs have come: bit n is that of the starting sequence number plus n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AckBitmap {
    /// Of 64 MPDUs.
    Of64(u64),
    /// Of 256 MPDUs, the first of them in the first word.
    Of256([u64; 4]),
}

impl AckBitmap {
    /// The bitmap of a window of so many MPDUs (64 or 256 at most), from words of 64 bits.
    pub fn of(size: u16, words: [u64; 4]) -> Self {
        if size > 64 { AckBitmap::Of256(words) } else { AckBitmap::Of64(words[0]) }
    }
}

/// What a Block Ack or its request says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockAckFields {
    /// Traffic identifier, 0 to 15.
    pub tid: u8,
    /// Starting sequence number, 0 to 4095.
    pub ssn: u16,
    /// Which MPDUs have come; nothing in a request.
    pub bitmap: Option<AckBitmap>,
}

impl BlockAckFields {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        // Octets of a word that are sent first are its low ones, as the bits in an octet are (9.2.2).
        out.extend_from_slice(&(COMPRESSED | u16::from(self.tid) << TID_AT).to_le_bytes());
        let fragment = if matches!(self.bitmap, Some(AckBitmap::Of256(_))) { FRAGMENT_OF_256 } else { 0 };
        out.extend_from_slice(&(self.ssn << 4 | fragment).to_le_bytes());
        match self.bitmap {
            None => {}
            Some(AckBitmap::Of64(word)) => out.extend_from_slice(&word.to_le_bytes()),
            Some(AckBitmap::Of256(words)) => words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes())),
        }
    }

    /// Takes the fields off the front of `octets`; a Block Ack has a bitmap, a request has none.
    pub(super) fn take(octets: &mut &[u8], with_bitmap: bool) -> Result<Self, Malformed> {
        const WHAT: &str = "802.11 Block Ack";
        let control = u16::from_le_bytes(take(WHAT, octets)?);
        let tid = (control >> TID_AT) as u8;
        if control != COMPRESSED | u16::from(tid) << TID_AT {
            return Err(Malformed::field("802.11 Block Ack control", control, "compressed, with normal ack policy"));
        }
        let start = u16::from_le_bytes(take(WHAT, octets)?);
        let bitmap = match (with_bitmap, start & 15) {
            (false, 0) => None,
            (true, 0) => Some(AckBitmap::Of64(u64::from_le_bytes(take(WHAT, octets)?))),
            (true, FRAGMENT_OF_256) => {
                let mut words = [0; 4];
                for word in &mut words {
                    *word = u64::from_le_bytes(take(WHAT, octets)?);
                }
                Some(AckBitmap::Of256(words))
            }
            (_, fragment) => {
                return Err(Malformed::field("802.11 Block Ack fragment number", fragment, "0, and 4 of 256 MPDUs"));
            }
        };
        Ok(BlockAckFields { tid, ssn: start >> 4, bitmap })
    }
}
