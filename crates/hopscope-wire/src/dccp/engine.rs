//! The engine's DCCP packets and their octets.
//!
//! What the engine does not keep of a packet is given with it: ports and the service code. A repetition, and the ECN field of
//! the network header, are not in octets.

use hopscope_packet::dccp::{DccpPacket, DccpType, ResetCode, Stamp};
use thiserror::Error;

use super::{DccpOption, Malformed, Options, Packet, write_option, write_vector};

/// What a packet of the engine cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unrepresentable {
    /// Its Ack Vector and its options of variable content take more room than the engine gives them.
    #[error("{found} octets of Ack Vector and options; the engine keeps {most}")]
    Options {
        /// Octets.
        found: usize,
        /// Octets kept.
        most: usize,
    },
    /// Its reset code is not known.
    #[error("reset code {0}; known are 0 to 11")]
    ResetCode(u8),
    /// The number of reliable DCCP is missing from its payload.
    #[error("{0} octets of payload; the number of the data takes 4")]
    Number(usize),
}

/// Codes of a Reset by their numbers (RFC 4340 5.6).
const CODES: [ResetCode; 12] = [
    ResetCode::Unspecified,
    ResetCode::Closed,
    ResetCode::Aborted,
    ResetCode::NoConnection,
    ResetCode::PacketError,
    ResetCode::OptionError,
    ResetCode::MandatoryError,
    ResetCode::ConnectionRefused,
    ResetCode::BadServiceCode,
    ResetCode::TooBusy,
    ResetCode::BadInitCookie,
    ResetCode::AggressionPenalty,
];

/// The octets of a packet of the engine between these ports, payload of zeros, without checksum.
///
/// # Errors
/// Never for packets of the engine's own making.
pub fn from_engine(packet: &DccpPacket, ports: (u16, u16), service: u32) -> Result<Vec<u8>, Malformed> {
    let mut options = Vec::new();
    if packet.ndp > 0 {
        let octets = packet.ndp.to_be_bytes();
        // The shortest form that holds it, one octet at least (RFC 4340 7.7).
        let skip = octets.iter().take_while(|octet| **octet == 0).count();
        write_option(&mut options, 37, &octets[skip..]);
    }
    write_vector(&mut options, packet.vector(), packet.nonce);
    options.extend(packet.options());
    if packet.slow_receiver {
        write_option(&mut options, 2, &[]);
    }
    write_stamp(&mut options, packet.stamp);
    let mut payload = Vec::with_capacity(packet.payload_bytes() as usize);
    if packet.number > 0 {
        // Reliable DCCP has its number in the payload: the standard knows no option for it.
        payload.extend(packet.number.to_be_bytes());
    }
    payload.resize(packet.payload_bytes() as usize, 0);
    let code = match packet.kind {
        DccpType::Request | DccpType::Response => service,
        DccpType::Reset => u32::from(packet.reset as u8) << 24,
        _ => 0,
    };
    let (source, destination) = ports;
    Packet {
        source,
        destination,
        ccval: packet.ccval,
        coverage: 0,
        checksum: 0,
        kind: packet.kind,
        short: packet.short,
        seq: packet.seq,
        ack: packet.ack,
        code,
        options: &options,
        payload: &payload,
    }
    .encode()
}

/// The engine's packet; `is_reliable`: the payload of data begins with its number (reliable DCCP).
///
/// # Errors
/// What the engine has no place for.
pub fn to_engine(packet: &Packet<'_>, is_reliable: bool) -> Result<DccpPacket, Unrepresentable> {
    let mut own = DccpPacket {
        kind: packet.kind,
        short: packet.short,
        ccval: packet.ccval,
        seq: packet.seq,
        ack: packet.ack,
        len: packet.payload.len() as u32,
        ..DccpPacket::default()
    };
    if packet.kind == DccpType::Reset {
        let code = (packet.code >> 24) as u8;
        own.reset = CODES.get(usize::from(code)).copied().ok_or(Unrepresentable::ResetCode(code))?;
    }
    if is_reliable && !packet.payload.is_empty() {
        let number = packet.payload.first_chunk::<4>().ok_or(Unrepresentable::Number(packet.payload.len()))?;
        (own.number, own.len) = (u32::from_be_bytes(*number), own.len - 4);
    }
    let (mut vector, mut others) = (Vec::new(), Vec::new());
    for (kind, content) in Options::new(packet.options) {
        match DccpOption::read(kind, content) {
            DccpOption::Padding => {}
            DccpOption::SlowReceiver => own.slow_receiver = true,
            DccpOption::NdpCount(count) => own.ndp = u32::try_from(count).unwrap_or(u32::MAX),
            DccpOption::AckVector { nonce, octets } => {
                own.nonce = nonce;
                vector.extend(octets);
            }
            DccpOption::Timestamp(value) => own.stamp = Stamp::Timestamp(value),
            DccpOption::TimestampEcho { value, elapsed } => own.stamp = Stamp::Echo { value, elapsed },
            DccpOption::ElapsedTime(elapsed) => own.stamp = Stamp::Elapsed(elapsed),
            DccpOption::Mandatory
            | DccpOption::Feature { .. }
            | DccpOption::InitCookie(_)
            | DccpOption::DataDropped(_)
            | DccpOption::DataChecksum(_)
            | DccpOption::OfControl { .. }
            | DccpOption::Unknown { .. } => others.push((kind, content)),
        }
    }
    let (most, found) = (
        own.room(),
        vector.len() + others.iter().map(|(kind, c)| c.len() + usize::from(*kind >= 32) + 1).sum::<usize>(),
    );
    if found > most {
        return Err(Unrepresentable::Options { found, most });
    }
    // The Ack Vector first: the engine keeps it before the options, in the same room.
    own.push_vector(vector.into_iter(), 0);
    for (kind, content) in others {
        if kind < 32 {
            own.push_single(kind);
        } else {
            own.push_option(kind, content);
        }
    }
    Ok(own)
}

fn write_stamp(options: &mut Vec<u8>, stamp: Stamp) {
    // A time takes two octets where it fits (RFC 4340 13).
    let time = |ticks: u32| match u16::try_from(ticks) {
        Ok(short) => short.to_be_bytes().to_vec(),
        Err(_) => ticks.to_be_bytes().to_vec(),
    };
    let (kind, content) = match stamp {
        Stamp::None => return,
        Stamp::Timestamp(value) => (41, value.to_be_bytes().to_vec()),
        Stamp::Echo { value, elapsed: 0 } => (42, value.to_be_bytes().to_vec()),
        Stamp::Echo { value, elapsed } => (42, [value.to_be_bytes().to_vec(), time(elapsed)].concat()),
        Stamp::Elapsed(elapsed) => (43, time(elapsed)),
    };
    write_option(options, kind, &content);
}

#[cfg(test)]
mod tests {
    use hopscope_packet::dccp::Seq;
    use proptest::prelude::*;

    use super::*;

    /// A number as a short header has it.
    fn low(seq: Seq, short: bool) -> Seq {
        if short { Seq::new(seq.short().into()) } else { seq }
    }

    fn stamps() -> impl Strategy<Value = Stamp> {
        prop_oneof![
            Just(Stamp::None),
            any::<u32>().prop_map(Stamp::Timestamp),
            (any::<u32>(), prop_oneof![Just(0), 1..70_000u32, any::<u32>()])
                .prop_map(|(value, elapsed)| Stamp::Echo { value, elapsed }),
            prop_oneof![1..70_000u32, any::<u32>()].prop_map(Stamp::Elapsed),
        ]
    }

    prop_compose! {
        fn packets()(
            kind in 0..10usize, short in any::<bool>(), ccval in 0..16u8, seq in any::<u64>(), ack in any::<u64>(), code in 0..12usize,
            len in 0..2_000u32, number in prop_oneof![Just(0u32), any::<u32>()], ndp in prop_oneof![0..3u32, any::<u32>()],
            stamp in stamps(), slow_receiver in any::<bool>(), nonce in any::<bool>(),
            vector in proptest::collection::vec(any::<u8>(), 0..30),
            options in proptest::collection::vec((prop_oneof![Just(1u8), 32..36u8, 40..41u8, 128..=255u8], proptest::collection::vec(any::<u8>(), 1..5)), 0..4),
        ) -> DccpPacket {
            let kind = DccpType::ALL[kind];
            let short = short && kind.may_be_short();
            let mut packet = DccpPacket { kind, short, ccval, len, number, ndp, stamp, slow_receiver, ..DccpPacket::default() };
            packet.seq = low(Seq::new(seq), short);
            packet.ack = if kind.acknowledges() { low(Seq::new(ack), short) } else { packet.ack };
            packet.reset = if kind == DccpType::Reset { CODES[code] } else { packet.reset };
            packet.nonce = nonce && !vector.is_empty();
            packet.push_vector(vector.into_iter(), 0);
            for (kind, content) in options {
                _ = if kind < 32 { packet.push_single(kind) } else { packet.push_option(kind, &content) };
            }
            packet
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

        #[test]
        fn packets_come_back_from_their_octets(packet in packets()) {
            let octets = from_engine(&packet, (1, 2), 42).expect("it fits");
            prop_assert_eq!(octets.len() as u32, packet.header_bytes() + packet.payload_bytes(), "it weighs what it says");
            let read = Packet::decode(&octets).expect("a packet");
            prop_assert_eq!((read.source, read.destination), (1, 2));
            let is_reliable = packet.number > 0;
            prop_assert_eq!(to_engine(&read, is_reliable), Ok(packet));
            prop_assert_eq!(read.encode(), Ok(octets));
        }

        #[test]
        fn octets_come_back_from_what_is_read(octets in proptest::collection::vec(any::<u8>(), 0..80)) {
            if let Ok(packet) = Packet::decode(&octets) {
                let mut expected = octets.clone();
                // Reserved bits are written as zeros.
                expected[8] &= 0x1F;
                if !packet.short {
                    expected[9] = 0;
                }
                if packet.kind.acknowledges() {
                    let at = if packet.short { 12 } else { 16 };
                    expected[at..at + if packet.short { 1 } else { 2 }].fill(0);
                }
                prop_assert_eq!(packet.encode(), Ok(expected));
            }
        }
    }

    #[test]
    fn what_the_engine_has_no_place_for_is_named() {
        let request = DccpPacket { kind: DccpType::Reset, ..DccpPacket::default() };
        let octets = from_engine(&request, (1, 2), 0).expect("it fits");
        let packet = Packet::decode(&octets).expect("a packet");
        let unfit = |packet: Packet<'_>, is_reliable| to_engine(&packet, is_reliable).expect_err("unfit").to_string();
        assert_eq!(unfit(Packet { code: 12 << 24, ..packet }, false), "reset code 12; known are 0 to 11");
        assert_eq!(
            unfit(Packet { payload: &[1, 2], ..packet }, true),
            "2 octets of payload; the number of the data takes 4"
        );
        let mut options = Vec::new();
        write_vector(&mut options, &[0x3F; 300], false);
        let found = unfit(Packet { options: &options, ..packet }, false);
        assert_eq!(found, "300 octets of Ack Vector and options; the engine keeps 44");
    }
}
