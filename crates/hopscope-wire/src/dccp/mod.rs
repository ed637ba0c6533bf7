//! DCCP packets as octets (RFC 4340 5): generic header, acknowledgement number, service code or reset code, options, payload.
//!
//! ```text
//!  0-1 source port   2-3 destination port
//!  4 data offset in words   5 CCVal, CsCov   6-7 checksum
//!  8 reserved 3, type 4, X 1   with X: 9 reserved, 10-15 number;   without: 9-11 its low 24 bits
//!  then, where the type acknowledges: reserved 2, acknowledgement number 6, or reserved 1 and 3
//!  then the service code of Request and Response, or code and data of a Reset: 4
//!  then options up to the data offset, then payload
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `options.rs` | options one by one; numbers of the drafts |
//! | `checksum.rs` | the Internet checksum with its pseudo-header and coverage |
//! | `engine.rs` | to the engine's packets and from them |

mod checksum;
mod engine;
mod options;

pub use checksum::{Addresses, checksum, has_good_checksum, write_checksum};
pub use engine::{Unrepresentable, from_engine, to_engine};
pub use options::{DRAFT_OPTIONS, DccpOption, DraftOption, Options, from_draft, write_option, write_vector};

use hopscope_packet::dccp::{DccpType, Seq};
use thiserror::Error;

/// Number of the protocol in IP headers (RFC 4340 19).
pub const PROTOCOL: u8 = 33;
/// Longest header with options: 255 words (RFC 4340 5.1), octets.
pub const MOST_HEADER: usize = 255 * 4;
/// Octets of one Ack Vector option at most (RFC 4340 11.4).
pub const MOST_VECTOR: usize = 253;
/// Shortest header.
const LEAST: usize = 12;

/// Why octets are no DCCP packet (RFC 4340 8.5, step 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Malformed {
    /// It ends inside a header of this length.
    #[error("{found} octets; the header takes at least {needed}")]
    Short {
        /// Octets there.
        found: usize,
        /// Octets needed.
        needed: usize,
    },
    /// Its data would begin inside the fixed part of the header, or behind the end.
    #[error("data offset of {found} octets; allowed are {least} to {most}")]
    DataOffset {
        /// Where the data would begin.
        found: usize,
        /// End of the fixed part.
        least: usize,
        /// End of the packet.
        most: usize,
    },
    /// No packet has this type.
    #[error("type {0}; known are 0 to 9")]
    Type(u8),
    /// Such packets have numbers of 48 bits.
    #[error("a {0:?} with a number of 24 bits; Data, Ack and DataAck alone may have one")]
    ShortNumber(DccpType),
    /// The checksum covers more payload than there is.
    #[error("checksum over {found} octets of payload; there are {most}")]
    Coverage {
        /// Octets covered.
        found: usize,
        /// Octets of payload.
        most: usize,
    },
    /// The header does not hold its options.
    #[error("a header of {found} octets; the data offset reaches {MOST_HEADER}")]
    Long {
        /// Octets of the header with options.
        found: usize,
    },
}

/// A packet, its options and payload as they stand in the octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Port of the sender.
    pub source: u16,
    /// Port of the receiver.
    pub destination: u16,
    /// The congestion control's four bits.
    pub ccval: u8,
    /// What the checksum covers of the payload: 0 all of it, n its first n - 1 words.
    pub coverage: u8,
    /// Checksum as it came; written by [`write_checksum`].
    pub checksum: u16,
    /// Type.
    pub kind: DccpType,
    /// Numbers have 24 bits (X = 0).
    pub short: bool,
    /// Number of the packet; the low 24 bits where `short`.
    pub seq: Seq,
    /// Acknowledgement number, likewise; 0 where the type has none.
    pub ack: Seq,
    /// Service code of Request and Response; code and three octets of data of a Reset; else 0.
    pub code: u32,
    /// Options, padding included.
    pub options: &'a [u8],
    /// Payload.
    pub payload: &'a [u8],
}

impl<'a> Packet<'a> {
    /// Reads the octets of a packet; its checksum is not looked at.
    ///
    /// # Errors
    /// What makes it no packet.
    pub fn decode(octets: &'a [u8]) -> Result<Packet<'a>, Malformed> {
        let found = octets.len();
        let short_of = |needed: usize| if found < needed { Err(Malformed::Short { found, needed }) } else { Ok(()) };
        short_of(LEAST)?;
        let number = (octets[8] >> 1) & 15;
        let kind = DccpType::ALL.get(usize::from(number)).copied().ok_or(Malformed::Type(number))?;
        let short = octets[8] & 1 == 0;
        if short && !kind.may_be_short() {
            return Err(Malformed::ShortNumber(kind));
        }
        let fixed = fixed_bytes(kind, short);
        short_of(fixed)?;
        let offset = usize::from(octets[4]) * 4;
        if offset < fixed || offset > found {
            return Err(Malformed::DataOffset { found: offset, least: fixed, most: found });
        }
        let coverage = octets[5] & 15;
        if let Some(covered) = covered(coverage).filter(|covered| *covered > found - offset) {
            return Err(Malformed::Coverage { found: covered, most: found - offset });
        }
        let (seq_at, ack_at) = if short { (9..12, 13..16) } else { (10..16, 18..24) };
        Ok(Packet {
            source: big(&octets[0..2]) as u16,
            destination: big(&octets[2..4]) as u16,
            ccval: octets[5] >> 4,
            coverage,
            checksum: big(&octets[6..8]) as u16,
            kind,
            short,
            seq: Seq::new(big(&octets[seq_at])),
            ack: Seq::new(if kind.acknowledges() { big(&octets[ack_at]) } else { 0 }),
            code: if has_code(kind) { big(&octets[fixed - 4..fixed]) as u32 } else { 0 },
            options: &octets[fixed..offset],
            payload: &octets[offset..],
        })
    }

    /// The octets of the packet, with its checksum as it is.
    ///
    /// # Errors
    /// Its options are longer than a header can be, or its checksum covers more than there is.
    pub fn encode(&self) -> Result<Vec<u8>, Malformed> {
        if self.short && !self.kind.may_be_short() {
            return Err(Malformed::ShortNumber(self.kind));
        }
        let fixed = fixed_bytes(self.kind, self.short);
        // The data offset counts words.
        let offset = (fixed + self.options.len()).next_multiple_of(4);
        if offset > MOST_HEADER {
            return Err(Malformed::Long { found: offset });
        }
        if let Some(found) = covered(self.coverage & 15).filter(|covered| *covered > self.payload.len()) {
            return Err(Malformed::Coverage { found, most: self.payload.len() });
        }
        let mut octets = Vec::with_capacity(offset + self.payload.len());
        octets.extend(self.source.to_be_bytes());
        octets.extend(self.destination.to_be_bytes());
        octets.push((offset / 4) as u8);
        octets.push((self.ccval << 4) | (self.coverage & 15));
        octets.extend(self.checksum.to_be_bytes());
        octets.push(((self.kind as u8) << 1) | u8::from(!self.short));
        let width = if self.short { 3 } else { 6 };
        // A number of 48 bits stands behind an octet of zeros, to begin at an even place.
        let skip = usize::from(!self.short);
        octets.extend(std::iter::repeat_n(0, skip));
        octets.extend(&self.seq.bits().to_be_bytes()[8 - width..]);
        if self.kind.acknowledges() {
            // Zeros fill the acknowledgement number up to whole words: two octets before six, or one before three.
            octets.extend(std::iter::repeat_n(0, skip + 1));
            octets.extend(&self.ack.bits().to_be_bytes()[8 - width..]);
        }
        if has_code(self.kind) {
            octets.extend(self.code.to_be_bytes());
        }
        octets.extend(self.options);
        octets.resize(offset, 0); // Padding
        octets.extend(self.payload);
        Ok(octets)
    }
}

/// Octets of the header before its options.
const fn fixed_bytes(kind: DccpType, short: bool) -> usize {
    let generic = if short { 12 } else { 16 };
    let ack = match (kind.acknowledges(), short) {
        (false, _) => 0,
        (true, true) => 4,
        (true, false) => 8,
    };
    generic + ack + if has_code(kind) { 4 } else { 0 }
}

/// It has a service code, or a reset code.
const fn has_code(kind: DccpType) -> bool {
    matches!(kind, DccpType::Request | DccpType::Response | DccpType::Reset)
}

/// Octets of payload under the checksum; none: all (RFC 4340 9.2).
fn covered(coverage: u8) -> Option<usize> {
    (coverage > 0).then(|| (usize::from(coverage) - 1) * 4)
}

fn big(octets: &[u8]) -> u64 {
    octets.iter().fold(0, |value, octet| (value << 8) | u64::from(*octet))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Packet<'static> = Packet {
        source: 0x1234,
        destination: 0x5678,
        ccval: 9,
        coverage: 0,
        checksum: 0xABCD,
        kind: DccpType::Data,
        short: false,
        seq: Seq::new(0x0102_0304_0506),
        ack: Seq::new(0),
        code: 0,
        options: &[],
        payload: &[7, 8],
    };

    #[test]
    fn headers_have_their_octets_where_the_standard_draws_them() {
        let octets = PLAIN.encode().expect("it fits");
        let expected = [0x12, 0x34, 0x56, 0x78, 4, 0x90, 0xAB, 0xCD, 0b0000_0101, 0, 1, 2, 3, 4, 5, 6, 7, 8];
        assert_eq!(octets, expected);
        let short = Packet {
            short: true,
            seq: Seq::new(0x04_0506),
            ack: Seq::new(0x0A_0B0C),
            kind: DccpType::DataAck,
            ..PLAIN
        };
        let octets = short.encode().expect("it fits");
        assert_eq!(octets[4..], [4, 0x90, 0xAB, 0xCD, 0b0000_1000, 4, 5, 6, 0, 0x0A, 0x0B, 0x0C, 7, 8]);
        let reset =
            Packet { kind: DccpType::Reset, ack: Seq::new(9), code: 0x0600_0102, options: &[2], payload: &[], ..PLAIN };
        let octets = reset.encode().expect("it fits");
        assert_eq!(octets[16..], [0, 0, 0, 0, 0, 0, 0, 9, 6, 0, 1, 2, 2, 0, 0, 0], "padded to a word");
        assert_eq!(octets[4], 8);
    }

    #[test]
    fn octets_that_are_no_packet_say_why() {
        let octets = PLAIN.encode().expect("it fits");
        let with = |place: usize, octet: u8| {
            let mut changed = octets.clone();
            changed[place] = octet;
            Packet::decode(&changed).err()
        };
        assert_eq!(Packet::decode(&octets[..11]).err(), Some(Malformed::Short { found: 11, needed: 12 }));
        assert_eq!(Packet::decode(&octets[..15]).err(), Some(Malformed::Short { found: 15, needed: 16 }));
        assert_eq!(with(8, 10 << 1), Some(Malformed::Type(10)));
        assert_eq!(with(8, 0), Some(Malformed::ShortNumber(DccpType::Request)));
        assert_eq!(with(4, 3), Some(Malformed::DataOffset { found: 12, least: 16, most: 18 }));
        assert_eq!(with(4, 5), Some(Malformed::DataOffset { found: 20, least: 16, most: 18 }));
        assert_eq!(with(5, 2), Some(Malformed::Coverage { found: 4, most: 2 }));
        let options = [0; MOST_HEADER];
        let long = Packet { options: &options, ..PLAIN }.encode();
        assert_eq!(long, Err(Malformed::Long { found: 1036 }));
        assert_eq!(long.unwrap_err().to_string(), "a header of 1036 octets; the data offset reaches 1020");
    }
}
