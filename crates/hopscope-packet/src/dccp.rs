//! DCCP packets (RFC 4340 5): types, sequence numbers, options, and what they weigh.
//!
//! Numbers of the header are fields. Ack Vectors, feature negotiation and options of a congestion control are kept as the
//! octets that they are on the wire, in an area of 44 bytes: what does not fit there does not travel.

use super::Ecn;

/// Sequence numbers are counted modulo this (RFC 4340 7.1).
const MODULUS: u64 = 1 << 48;
/// Half of it: numbers that far apart have no order.
const HALF: u64 = 1 << 47;
/// Values of a short sequence number (RFC 4340 7.6).
const SHORT: u64 = 1 << 24;

/// Options below this are one octet long (RFC 4340 5.8).
const FIRST_LONG: u8 = 32;

/// Octets of a packet for its Ack Vector, and for options of variable content.
const AREA: usize = 44;

/// A 48-bit sequence number. They are compared on the circle: of two, that one comes first from which the other is reached
/// with fewer steps forward.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Seq(u64);

impl Seq {
    /// The number with these 48 low bits.
    pub const fn new(bits: u64) -> Self {
        Seq(bits % MODULUS)
    }

    /// Its 48 bits.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// So many steps forward.
    #[must_use]
    pub const fn plus(self, steps: u64) -> Self {
        Seq::new(self.0.wrapping_add(steps))
    }

    /// So many steps back.
    #[must_use]
    pub const fn minus(self, steps: u64) -> Self {
        Seq::new(self.0.wrapping_add(MODULUS - steps % MODULUS))
    }

    /// Steps from `other` to this number; negative where this one comes first.
    pub const fn since(self, other: Seq) -> i64 {
        let forward = self.minus(other.0).0;
        if forward < HALF { forward as i64 } else { forward as i64 - MODULUS as i64 }
    }

    /// It comes after `other`.
    pub const fn is_after(self, other: Seq) -> bool {
        self.since(other) > 0
    }

    /// The later of two.
    #[must_use]
    pub const fn latest(self, other: Seq) -> Seq {
        if self.is_after(other) { self } else { other }
    }

    /// It lies from `low` to `high`, both included.
    // Both by steps on the circle: a range may reach over the turn of the numbers.
    pub const fn is_within(self, low: Seq, high: Seq) -> bool {
        self.since(low) >= 0 && high.since(self) >= 0
    }

    /// Its 24 low bits, as a short header carries them.
    pub const fn short(self) -> u32 {
        (self.0 % SHORT) as u32
    }

    /// The number with these 24 low bits that is nearest to `near` (RFC 4340 7.6).
    pub const fn extend(short: u32, near: Seq) -> Seq {
        let ahead = (short as u64 + SHORT - near.0 % SHORT) % SHORT;
        // Numbers up to half a circle ahead are newer, the others older: packets may overtake each other.
        if ahead < SHORT / 2 { near.plus(ahead) } else { near.minus(SHORT - ahead) }
    }
}

/// What a packet is for (RFC 4340 5.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DccpType {
    /// A client asks for a connection.
    Request = 0,
    /// The server's answer.
    Response = 1,
    /// Data.
    #[default]
    Data = 2,
    /// An acknowledgement.
    Ack = 3,
    /// Both.
    DataAck = 4,
    /// The server asks the client to close.
    CloseReq = 5,
    /// The connection ends.
    Close = 6,
    /// It has ended, for a reason.
    Reset = 7,
    /// Sequence numbers are to be put in order again.
    Sync = 8,
    /// The answer to that.
    SyncAck = 9,
}

impl DccpType {
    /// Every type, by its number.
    pub const ALL: [DccpType; 10] = [
        DccpType::Request,
        DccpType::Response,
        DccpType::Data,
        DccpType::Ack,
        DccpType::DataAck,
        DccpType::CloseReq,
        DccpType::Close,
        DccpType::Reset,
        DccpType::Sync,
        DccpType::SyncAck,
    ];

    /// It has an acknowledgement number.
    #[inline]
    pub const fn acknowledges(self) -> bool {
        !matches!(self, DccpType::Request | DccpType::Data)
    }

    /// It may have a short header (RFC 4340 5.1).
    pub const fn may_be_short(self) -> bool {
        matches!(self, DccpType::Data | DccpType::Ack | DccpType::DataAck)
    }
}

/// Why a connection ends (RFC 4340 5.6).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ResetCode {
    /// For no reason given.
    #[default]
    Unspecified = 0,
    /// As both wanted.
    Closed = 1,
    /// The other end was silent for too long.
    Aborted = 2,
    /// There is none here.
    NoConnection = 3,
    /// An acknowledgement of what was never sent.
    PacketError = 4,
    /// An option that cannot be.
    OptionError = 5,
    /// An option that had to be understood and was not, such as a feature on which the ends do not agree.
    MandatoryError = 6,
    /// Nobody takes connections at this port.
    ConnectionRefused = 7,
    /// Not for this service.
    BadServiceCode = 8,
    /// Too many connections.
    TooBusy = 9,
    /// The Init Cookie was not repeated.
    BadInitCookie = 10,
    /// The receiver accuses the sender of lying.
    AggressionPenalty = 11,
}

impl ResetCode {
    /// Its name in RFC 4340 5.6.
    pub const fn name(self) -> &'static str {
        match self {
            ResetCode::Unspecified => "Unspecified",
            ResetCode::Closed => "Closed",
            ResetCode::Aborted => "Aborted",
            ResetCode::NoConnection => "No Connection",
            ResetCode::PacketError => "Packet Error",
            ResetCode::OptionError => "Option Error",
            ResetCode::MandatoryError => "Mandatory Error",
            ResetCode::ConnectionRefused => "Connection Refused",
            ResetCode::BadServiceCode => "Bad Service Code",
            ResetCode::TooBusy => "Too Busy",
            ResetCode::BadInitCookie => "Bad Init Cookie",
            ResetCode::AggressionPenalty => "Aggression Penalty",
        }
    }
}

/// What a packet says about time (RFC 4340 13).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stamp {
    /// Nothing.
    #[default]
    None,
    /// The sender's clock, in units of 10 us (option Timestamp).
    Timestamp(u32),
    /// A timestamp that has come, and how long ago in units of 10 us (option Timestamp Echo).
    Echo {
        /// The other end's clock.
        value: u32,
        /// Since its arrival.
        elapsed: u32,
    },
    /// Since the arrival of the packet that is acknowledged, in units of 10 us (option Elapsed Time).
    Elapsed(u32),
}

impl Stamp {
    /// Bytes of its option.
    pub const fn bytes(self) -> u32 {
        match self {
            Stamp::None => 0,
            Stamp::Timestamp(_) => 6,
            // An elapsed time of 0 is left out, a short one has two bytes (RFC 4340 13.3).
            Stamp::Echo { elapsed: 0, .. } => 6,
            Stamp::Echo { elapsed: 1..=0xFFFF, .. } => 8,
            Stamp::Echo { .. } => 10,
            Stamp::Elapsed(0..=0xFFFF) => 4,
            Stamp::Elapsed(_) => 6,
        }
    }
}

/// One DCCP packet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DccpPacket {
    /// What it is for.
    pub kind: DccpType,
    /// It has a header with 24-bit numbers (X = 0).
    pub short: bool,
    /// The congestion control's own four bits (CCVal).
    pub ccval: u8,
    /// Number of this packet.
    pub seq: Seq,
    /// Greatest number received by its sender; valid where the type acknowledges.
    pub ack: Seq,
    /// Why the connection ends, in a Reset.
    pub reset: ResetCode,
    /// Payload bytes.
    pub len: u32,
    /// Number of its data in reliable DCCP, from 1 on: four bytes of payload that `len` does not count; 0: none.
    pub number: u32,
    /// Packets without data in a row before this one (option NDP Count); 0: no such option.
    pub ndp: u32,
    /// What it says about time.
    pub stamp: Stamp,
    /// The receiver cannot take more (option Slow Receiver).
    pub slow_receiver: bool,
    /// Sum of the ECN nonces that its Ack Vector reports, modulo 2.
    pub nonce: bool,
    /// This copy repeats data sent before (reliable DCCP; no field of the header).
    pub retransmission: bool,
    /// ECN field of the network header: what the sender asks for, and what a packet that has arrived carried.
    pub ecn: Ecn,
    /// Octets of the Ack Vector and of options of variable content.
    pub area: Area,
}

/// Octets of a packet: those of its Ack Vector, then options as they are on the wire.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    octets: [u8; AREA],
    n_vector: u8,
    n_options: u8,
}

impl Default for DccpPacket {
    fn default() -> Self {
        DccpPacket {
            kind: DccpType::Data,
            short: false,
            ccval: 0,
            seq: Seq(0),
            ack: Seq(0),
            reset: ResetCode::Unspecified,
            len: 0,
            number: 0,
            ndp: 0,
            stamp: Stamp::None,
            slow_receiver: false,
            nonce: false,
            retransmission: false,
            ecn: Ecn::NotEct,
            area: Area { octets: [0; AREA], n_vector: 0, n_options: 0 },
        }
    }
}

impl DccpPacket {
    /// Octets of its Ack Vector: two bits of state above six of run length less one, from `ack` downwards (RFC 4340 11.4).
    #[inline]
    pub fn vector(&self) -> &[u8] {
        &self.area.octets[..usize::from(self.area.n_vector)]
    }

    /// Options of variable content as they are on the wire: feature negotiation, Data Dropped, those of congestion controls.
    #[inline]
    pub fn options(&self) -> &[u8] {
        let start = usize::from(self.area.n_vector);
        &self.area.octets[start..start + usize::from(self.area.n_options)]
    }

    /// Octets of the area that are free.
    pub fn room(&self) -> usize {
        AREA - usize::from(self.area.n_vector) - usize::from(self.area.n_options)
    }

    /// Appends an option: its type and its content. False, and nothing happens, where there is no room for it.
    pub fn push_option(&mut self, kind: u8, content: &[u8]) -> bool {
        let bytes = content.len() + 2;
        if bytes > self.room() {
            return false;
        }
        let start = AREA - self.room();
        self.area.octets[start] = kind;
        self.area.octets[start + 1] = bytes as u8;
        self.area.octets[start + 2..start + bytes].copy_from_slice(content);
        self.area.n_options += bytes as u8;
        true
    }

    /// Appends octets of an Ack Vector while there is room for them and so many octets of other options.
    pub fn push_vector(&mut self, octets: impl Iterator<Item = u8>, reserved: usize) {
        debug_assert!(self.area.n_options == 0, "the vector stands in front of the other options");
        // It goes from the newest packet downwards: what finds no room are the oldest.
        for octet in octets.take(self.room().saturating_sub(reserved)) {
            self.area.octets[usize::from(self.area.n_vector)] = octet;
            self.area.n_vector += 1;
        }
    }

    /// Appends an option of one octet.
    pub fn push_single(&mut self, kind: u8) -> bool {
        debug_assert!(kind < FIRST_LONG);
        let fits = self.room() > 0;
        if fits {
            self.area.octets[AREA - self.room()] = kind;
            self.area.n_options += 1;
        }
        fits
    }

    /// Each option of this part: its type and its content. An option whose length cannot be ends the list.
    pub fn each_option(&self) -> impl Iterator<Item = (u8, &[u8])> {
        let mut rest = self.options();
        std::iter::from_fn(move || {
            let (&kind, after) = rest.split_first()?;
            // These have no length behind them, padding among them.
            if kind < FIRST_LONG {
                rest = after;
                return Some((kind, &after[..0]));
            }
            let &bytes = after.first()?;
            // The length counts type and length: below two it has no content to begin with.
            let content = rest.get(2..usize::from(bytes))?;
            rest = &rest[usize::from(bytes)..];
            Some((kind, content))
        })
    }

    /// Bytes of its options with their padding to whole words (RFC 4340 5.8).
    pub fn option_bytes(&self) -> u32 {
        // Type and length, then one to six octets, as few as hold the number (RFC 4340 7.7).
        let ndp = match self.ndp {
            0 => 0,
            1..=0xFF => 3,
            0x100..=0xFFFF => 4,
            0x1_0000..=0xFF_FFFF => 5,
            _ => 6,
        };
        let vector = if self.area.n_vector > 0 { 2 + u32::from(self.area.n_vector) } else { 0 };
        let sum = ndp + vector + u32::from(self.area.n_options) + u32::from(self.slow_receiver) + self.stamp.bytes();
        sum.next_multiple_of(4)
    }

    /// Bytes of its header with options (RFC 4340 5.1 to 5.7): 16, or 12 where short; an acknowledgement number 8, or 4; the
    /// service code of Request and Response 4; code and data of a Reset 4.
    pub fn header_bytes(&self) -> u32 {
        let fixed = match (self.kind, self.short) {
            (DccpType::Data, true) => 12,
            (_, true) => 16,
            (DccpType::Data, false) => 16,
            (DccpType::Request, false) => 20,
            (DccpType::Response | DccpType::Reset, false) => 28,
            (_, false) => 24,
        };
        fixed + self.option_bytes()
    }

    /// Bytes of its payload: data, and the number of reliable DCCP.
    pub fn payload_bytes(&self) -> u32 {
        self.len + if self.number > 0 { 4 } else { 0 }
    }

    /// It carries data of the application.
    #[inline(always)]
    pub fn is_data(&self) -> bool {
        self.len > 0
    }
}

/// Most bytes that the header of a packet with data takes: all options that such a packet may have.
pub const MAX_DATA_HEADER: u32 = 24 + 64;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_go_round_in_a_circle() {
        let last = Seq::new(MODULUS - 1);
        assert_eq!(last.plus(1), Seq::new(0));
        assert_eq!(Seq::new(0).minus(1), last);
        assert_eq!([Seq::new(2).since(last), last.since(Seq::new(2))], [3, -3]);
        assert!(Seq::new(0).is_after(last) && !last.is_after(Seq::new(0)));
        assert!(Seq::new(1).is_within(last, Seq::new(1)) && !Seq::new(2).is_within(last, Seq::new(1)));
        assert_eq!(last.latest(Seq::new(3)), Seq::new(3));
    }

    #[test]
    fn short_numbers_are_extended_to_the_nearest() {
        let near = Seq::new(0x12_34FF_FFFE);
        assert_eq!(Seq::extend(0xFF_FFFF, near), near.plus(1));
        assert_eq!(Seq::extend(1, near), near.plus(3), "beyond the turn of the 24 bits");
        assert_eq!(Seq::extend(0xFF_FF00, near), near.minus(0xFE));
        assert_eq!(Seq::extend(0xFF_FFFF, Seq::new(0)), Seq::new(MODULUS - 1));
    }

    #[test]
    fn headers_weigh_what_the_standard_says() {
        let bytes = |kind, short| DccpPacket { kind, short, ..DccpPacket::default() }.header_bytes();
        let long = DccpType::ALL.map(|kind| bytes(kind, false));
        assert_eq!(long, [20, 28, 16, 24, 24, 24, 24, 28, 24, 24]);
        assert_eq!([DccpType::Data, DccpType::Ack, DccpType::DataAck].map(|kind| bytes(kind, true)), [12, 16, 16]);
    }

    #[test]
    fn options_weigh_what_they_carry_in_whole_words() {
        let plain = DccpPacket::default();
        assert_eq!(plain.option_bytes(), 0);
        let with = |stamp| DccpPacket { stamp, ..plain }.option_bytes();
        assert_eq!(with(Stamp::Timestamp(7)), 8);
        let echo = |elapsed| with(Stamp::Echo { value: 1, elapsed });
        assert_eq!([echo(0), echo(1), echo(65_535), echo(65_536)], [8, 8, 8, 12]);
        assert_eq!([with(Stamp::Elapsed(9)), with(Stamp::Elapsed(70_000))], [4, 8]);
        assert_eq!([1, 255, 256, 70_000].map(|ndp| DccpPacket { ndp, ..plain }.option_bytes()), [4, 4, 4, 8]);
        let mut packet = DccpPacket { slow_receiver: true, ..plain };
        packet.push_vector([1, 2, 3].into_iter(), 0); // 2 + 3
        assert!(packet.push_option(32, &[5, 0, 0, 0, 0, 2])); // 8
        assert_eq!(packet.option_bytes(), 16, "14 in whole words");
        assert_eq!(packet.vector(), [1, 2, 3]);
        assert_eq!(packet.each_option().collect::<Vec<_>>(), [(32, [5, 0, 0, 0, 0, 2].as_slice())]);
    }

    #[test]
    fn what_does_not_fit_does_not_travel() {
        let mut packet = DccpPacket::default();
        packet.push_vector(std::iter::repeat_n(7, 300), 0);
        assert_eq!((packet.vector().len(), packet.room()), (AREA, 0));
        assert!(!packet.push_option(32, &[1]));
        assert!(packet.options().is_empty());
    }

    #[test]
    fn a_body_does_not_grow_for_it() {
        let (dccp, tcp) = (size_of::<DccpPacket>(), size_of::<crate::tcp::TcpSegment>());
        assert!(dccp <= tcp, "{dccp} {tcp}");
    }

    proptest! {
        #![proptest_config(hopscope_testing::property(300))]

        #[test]
        fn steps_lead_back(bits in 0..MODULUS, steps in 0..HALF) {
            let seq = Seq::new(bits);
            prop_assert_eq!(seq.plus(steps).since(seq), steps as i64);
            prop_assert_eq!(seq.plus(steps).minus(steps), seq);
        }

        #[test]
        fn short_numbers_lead_back(bits in 0..MODULUS, away in 0..SHORT / 2) {
            let seq = Seq::new(bits);
            prop_assert_eq!(Seq::extend(seq.plus(away).short(), seq), seq.plus(away));
            prop_assert_eq!(Seq::extend(seq.minus(away).short(), seq), seq.minus(away));
        }
    }
}
