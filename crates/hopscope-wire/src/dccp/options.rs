//! Options of DCCP (RFC 4340 5.8): a type below 32 alone, others with a length that counts type and length, and a content.
//!
//! The drafts before the standard had other numbers; zhang2006 quotes those of 2003. They are distinguished by a table alone:
//! nothing is written or read by them.

use super::MOST_VECTOR;

/// Types from here on have a length.
const FIRST_LONG: u8 = 32;
/// The first type that belongs to the congestion control.
const FIRST_OF_CONTROL: u8 = 128;

/// An option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DccpOption<'a> {
    /// Nothing.
    Padding,
    /// The next one must be understood.
    Mandatory,
    /// The receiver cannot take more.
    SlowReceiver,
    /// Feature negotiation, types 32 to 35: Change L, Confirm L, Change R, Confirm R; number of the feature and values.
    Feature {
        /// 32 to 35.
        kind: u8,
        /// Number.
        feature: u8,
        /// Values, those preferred first.
        values: &'a [u8],
    },
    /// What a server wants to have back.
    InitCookie(&'a [u8]),
    /// Packets without data in a row before this one.
    NdpCount(u64),
    /// Two bits of state and six of run length an octet, from the acknowledgement number downwards.
    AckVector {
        /// Sum of the ECN nonces, modulo 2.
        nonce: bool,
        /// Octets.
        octets: &'a [u8],
    },
    /// What became of data that has come.
    DataDropped(&'a [u8]),
    /// The sender's clock, 10 us.
    Timestamp(u32),
    /// The other end's clock, and since when it is here, 10 us.
    TimestampEcho {
        /// The clock.
        value: u32,
        /// Since its arrival; 0 where it is not reported.
        elapsed: u32,
    },
    /// Since the arrival of what is acknowledged, 10 us.
    ElapsedTime(u32),
    /// CRC-32c of the payload.
    DataChecksum(u32),
    /// One of the congestion control: 128 to 191 from the sender of data, from 192 on from its receiver.
    OfControl {
        /// Type.
        kind: u8,
        /// Content.
        content: &'a [u8],
    },
    /// One that is not known, or whose content cannot be: to be ignored, unless mandatory.
    Unknown {
        /// Type.
        kind: u8,
        /// Content.
        content: &'a [u8],
    },
}

impl<'a> DccpOption<'a> {
    /// The option of a type and its content; one-octet options have none.
    pub fn read(kind: u8, content: &'a [u8]) -> DccpOption<'a> {
        let number = content.iter().take(8).fold(0, |value: u64, octet| (value << 8) | u64::from(*octet));
        let unknown = DccpOption::Unknown { kind, content };
        match (kind, content.len()) {
            (0, _) => DccpOption::Padding,
            (1, _) => DccpOption::Mandatory,
            (2, _) => DccpOption::SlowReceiver,
            (32..=35, 1..) => DccpOption::Feature { kind, feature: content[0], values: &content[1..] },
            (36, 1..) => DccpOption::InitCookie(content),
            (37, 1..=6) => DccpOption::NdpCount(number),
            // Two types in place of a flag: the nonce is part of the type (RFC 4340 11.4).
            (38 | 39, _) => DccpOption::AckVector { nonce: kind == 39, octets: content },
            (40, _) => DccpOption::DataDropped(content),
            (41, 4) => DccpOption::Timestamp(number as u32),
            (42, 4) => DccpOption::TimestampEcho { value: number as u32, elapsed: 0 },
            (42, 6) => DccpOption::TimestampEcho { value: (number >> 16) as u32, elapsed: number as u32 & 0xFFFF },
            (42, 8) => DccpOption::TimestampEcho { value: (number >> 32) as u32, elapsed: number as u32 },
            (43, 2 | 4) => DccpOption::ElapsedTime(number as u32),
            (44, 4) => DccpOption::DataChecksum(number as u32),
            (FIRST_OF_CONTROL.., _) => DccpOption::OfControl { kind, content },
            _ => unknown,
        }
    }
}

/// The options of a header, one by one; a length that cannot be ends the list (RFC 4340 5.8).
#[derive(Debug, Clone)]
pub struct Options<'a> {
    rest: &'a [u8],
}

impl<'a> Options<'a> {
    /// Those in these octets.
    pub fn new(octets: &'a [u8]) -> Self {
        Options { rest: octets }
    }
}

impl<'a> Iterator for Options<'a> {
    type Item = (u8, &'a [u8]);

    /// Type and content.
    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&kind, after) = self.rest.split_first()?;
        if kind < FIRST_LONG {
            self.rest = after;
            return Some((kind, &[]));
        }
        let bytes = usize::from(*after.first()?);
        // Also none where the length does not even count itself.
        let content = self.rest.get(2..bytes)?;
        self.rest = &self.rest[bytes..];
        Some((kind, content))
    }
}

/// Appends an option; false, and nothing happens, where its content is longer than a length can hold.
pub fn write_option(octets: &mut Vec<u8>, kind: u8, content: &[u8]) -> bool {
    if kind < FIRST_LONG {
        octets.push(kind);
        return content.is_empty();
    }
    let fits = content.len() <= MOST_VECTOR;
    if fits {
        octets.extend([kind, content.len() as u8 + 2]);
        octets.extend(content);
    }
    fits
}

/// Appends an Ack Vector: as many options as it needs, 253 octets each (RFC 4340 11.4).
pub fn write_vector(octets: &mut Vec<u8>, vector: &[u8], nonce: bool) {
    for part in vector.chunks(MOST_VECTOR) {
        write_option(octets, 38 + u8::from(nonce), part);
    }
}

/// An option of the drafts of 2003.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DraftOption {
    /// Its number then.
    pub number: u8,
    /// Its name then.
    pub name: &'static str,
    /// The number of the standard; none: the option is gone, or has another form.
    pub standard: Option<u8>,
}

/// Options whose numbers changed up to the standard, as zhang2006 quotes them.
pub const DRAFT_OPTIONS: [DraftOption; 13] = {
    const fn of(number: u8, name: &'static str, standard: Option<u8>) -> DraftOption {
        DraftOption { number, name, standard }
    }
    [
        of(33, "Change", Some(34)),
        of(34, "Prefer", Some(32)),
        of(35, "Confirm", Some(33)),
        of(36, "Init Cookie", Some(36)),
        of(37, "Ack Vector, nonce 0", Some(38)),
        of(38, "Ack Vector, nonce 1", Some(39)),
        of(39, "Data Dropped", Some(40)),
        of(40, "Timestamp", Some(41)),
        of(41, "Timestamp Echo", Some(42)),
        of(42, "Identification", None),
        of(44, "Challenge", None),
        of(45, "Payload Checksum", Some(44)),
        of(46, "Elapsed Time", Some(43)),
    ]
};

/// The number in the standard of an option of the drafts.
pub fn from_draft(number: u8) -> Option<u8> {
    DRAFT_OPTIONS.into_iter().find(|option| option.number == number)?.standard
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_read() {
        let octets = [
            &[0, 1, 2][..],
            &[32, 5, 3, 1, 0],
            &[36, 3, 7],
            &[37, 4, 1, 0],
            &[38, 4, 0x40, 0xC1],
            &[39, 2],
            &[40, 3, 0x85],
            &[41, 6, 0, 0, 1, 0],
            &[42, 6, 0, 0, 0, 9],
            &[42, 8, 0, 0, 0, 9, 1, 2],
            &[42, 10, 0, 0, 0, 9, 0, 1, 0, 0],
            &[43, 4, 1, 0],
            &[44, 6, 1, 2, 3, 4],
            &[192, 3, 5],
            &[77, 2],
            &[41, 3, 1],
        ]
        .concat();
        let read: Vec<DccpOption<'_>> =
            Options::new(&octets).map(|(kind, content)| DccpOption::read(kind, content)).collect();
        let expected = [
            DccpOption::Padding,
            DccpOption::Mandatory,
            DccpOption::SlowReceiver,
            DccpOption::Feature { kind: 32, feature: 3, values: &[1, 0] },
            DccpOption::InitCookie(&[7]),
            DccpOption::NdpCount(256),
            DccpOption::AckVector { nonce: false, octets: &[0x40, 0xC1] },
            DccpOption::AckVector { nonce: true, octets: &[] },
            DccpOption::DataDropped(&[0x85]),
            DccpOption::Timestamp(256),
            DccpOption::TimestampEcho { value: 9, elapsed: 0 },
            DccpOption::TimestampEcho { value: 9, elapsed: 0x102 },
            DccpOption::TimestampEcho { value: 9, elapsed: 0x1_0000 },
            DccpOption::ElapsedTime(256),
            DccpOption::DataChecksum(0x0102_0304),
            DccpOption::OfControl { kind: 192, content: &[5] },
            DccpOption::Unknown { kind: 77, content: &[] },
            DccpOption::Unknown { kind: 41, content: &[1] },
        ];
        assert_eq!(read, expected);
    }

    #[test]
    fn a_length_that_cannot_be_ends_the_list() {
        let after = |octets: &[u8]| Options::new(octets).count();
        assert_eq!([&[2, 41, 1, 2][..], &[2, 41, 0, 2], &[2, 41, 9, 2], &[2, 41]].map(after), [1; 4]);
    }

    #[test]
    fn a_long_vector_takes_several_options() {
        let vector: Vec<u8> = (0..=255).cycle().take(600).collect();
        let mut octets = Vec::new();
        write_vector(&mut octets, &vector, true);
        let parts: Vec<(u8, &[u8])> = Options::new(&octets).collect();
        assert_eq!(
            parts.iter().map(|(kind, part)| (*kind, part.len())).collect::<Vec<_>>(),
            [(39, 253), (39, 253), (39, 94)]
        );
        assert_eq!(parts.concat_contents(), vector);
        assert!(!write_option(&mut octets, 38, &[0; 254]), "longer than the standard allows");
        assert_eq!(octets.len(), 606);
    }

    trait Contents {
        fn concat_contents(&self) -> Vec<u8>;
    }

    impl Contents for Vec<(u8, &[u8])> {
        fn concat_contents(&self) -> Vec<u8> {
            self.iter().flat_map(|(_, part)| part.iter().copied()).collect()
        }
    }

    #[test]
    fn the_drafts_have_other_numbers() {
        assert_eq!([37, 40, 46, 42, 32].map(from_draft), [Some(38), Some(41), Some(43), None, None]);
        assert!(DRAFT_OPTIONS.windows(2).all(|pair| pair[0].number < pair[1].number));
    }
}
