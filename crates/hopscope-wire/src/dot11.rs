//! MAC frames of 802.11 as octets (IEEE 802.11-2020 9.2 and 9.3): RTS, CTS, ACK and data of an independent BSS.
//!
//! ```text
//!  RTS       frame control 2, Duration 2, RA 6, TA 6, FCS 4
//!  CTS, ACK  frame control 2, Duration 2, RA 6, FCS 4
//!  data      frame control 2, Duration 2, RA 6, TA 6, BSSID 6, sequence control 2, body, FCS 4
//! ```

use hopscope_core::ids::NodeId;
use hopscope_mac::dcf::FrameKind;

use crate::address::{self, BSSID};
use crate::octets::{Malformed, fcs, split, take, take16};

/// Octets of a data frame around its body.
pub const DATA_HEADER: usize = 24;
/// Octets of the frame check sequence.
pub const FCS_BYTES: usize = 4;
/// Longest time that a Duration field can hold, microseconds (9.2.4.2).
pub const MOST_DURATION: u16 = 32_767;

/// Retry bit of the second octet of frame control.
const RETRY: u8 = 0x08;
/// More Fragments bit.
const MORE_FRAGMENTS: u8 = 0x04;

/// A MAC frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mac<'a> {
    /// Kind.
    pub kind: FrameKind,
    /// Retry bit: the frame was sent before.
    pub retry: bool,
    /// More fragments of the packet follow.
    pub more: bool,
    /// Duration field, microseconds.
    pub duration: u16,
    /// Receiver.
    pub to: NodeId,
    /// Transmitter; CTS and ACK do not name theirs.
    pub from: Option<NodeId>,
    /// Sequence number, of data.
    pub seq: u16,
    /// Fragment number, of data.
    pub frag: u8,
    /// Body, of data: LLC header and packet.
    pub body: &'a [u8],
}

impl<'a> Mac<'a> {
    /// Writes its octets up to the body, which follows; [`close`] ends the frame.
    pub fn write_head(&self, out: &mut Vec<u8>) {
        let flags = if self.retry { RETRY } else { 0 } | if self.more { MORE_FRAGMENTS } else { 0 };
        // Fields of 802.11 have their low octet first (9.2.2), unlike those of IP behind them.
        let [low, high] = self.duration.min(MOST_DURATION).to_le_bytes();
        out.reserve(DATA_HEADER);
        out.extend_from_slice(&[control(self.kind), flags, low, high]);
        out.extend_from_slice(&address::mac(self.to));
        if matches!(self.kind, FrameKind::Rts | FrameKind::Data) {
            out.extend_from_slice(&address::mac(self.from.unwrap_or(self.to)));
        }
        if self.kind == FrameKind::Data {
            // To DS and From DS are zero: in an independent BSS the third address is its identifier (9.3.2.1).
            out.extend_from_slice(&BSSID);
            out.extend_from_slice(&(self.seq << 4 | u16::from(self.frag)).to_le_bytes());
        }
    }

    /// Writes its octets.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        self.write_head(out);
        out.extend_from_slice(self.body);
        close(out, start);
    }

    /// Reads the octets of a frame, its check sequence too.
    ///
    /// # Errors
    /// It is a frame of another kind, or damaged.
    pub fn read(octets: &'a [u8]) -> Result<Self, Malformed> {
        const WHAT: &str = "802.11 frame";
        let needed = 10 + FCS_BYTES;
        let inside = octets.len().checked_sub(FCS_BYTES);
        let inside = inside.ok_or(Malformed::Short { what: WHAT, found: octets.len(), needed })?;
        let (mut head, tail) = split(WHAT, octets, inside)?;
        let (found, expected) = (u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]), fcs(head));
        // The check sequence first: of a damaged frame no field means anything.
        if found != expected {
            return Err(Malformed::Checksum { what: WHAT, found, expected });
        }
        let [first, flags] = take(WHAT, &mut head)?;
        let kind = FrameKind::ALL.into_iter().find(|kind| control(*kind) == first);
        let kind = kind.ok_or(Malformed::field("802.11 frame control", first, "RTS, CTS, ACK and data"))?;
        // More Fragments means something in data frames alone.
        let known = RETRY | if kind == FrameKind::Data { MORE_FRAGMENTS } else { 0 };
        if flags & !known != 0 {
            return Err(Malformed::field("802.11 frame control flags", flags, "Retry, and More Fragments of data"));
        }
        // `take16` reads in the order of the network.
        let duration = take16(WHAT, &mut head)?.swap_bytes();
        if duration > MOST_DURATION {
            return Err(Malformed::field("802.11 Duration", duration, "0 to 32767 microseconds"));
        }
        let to = address::node_of_mac(take(WHAT, &mut head)?)?;
        let mut frame = Mac {
            kind,
            retry: flags & RETRY != 0,
            more: flags & MORE_FRAGMENTS != 0,
            duration,
            to,
            from: None,
            seq: 0,
            frag: 0,
            body: &[],
        };
        if matches!(kind, FrameKind::Rts | FrameKind::Data) {
            frame.from = Some(address::node_of_mac(take(WHAT, &mut head)?)?);
        }
        if kind == FrameKind::Data {
            let bssid: [u8; 6] = take(WHAT, &mut head)?;
            if bssid != BSSID {
                return Err(Malformed::field("802.11 BSSID", bssid[5], "that of Hopscope's network"));
            }
            let control = take16(WHAT, &mut head)?.swap_bytes();
            (frame.seq, frame.frag) = (control >> 4, (control & 15) as u8);
            frame.body = head;
        } else if !head.is_empty() {
            return Err(Malformed::field("802.11 control frame with octets behind it", head.len() as u64, "none"));
        }
        Ok(frame)
    }
}

/// Ends the frame that begins at `start`: its check sequence.
pub fn close(out: &mut Vec<u8>, start: usize) {
    let sum = fcs(&out[start..]);
    out.extend_from_slice(&sum.to_le_bytes());
}

/// First octet of frame control: protocol version 0, type and subtype (table 9-1).
const fn control(kind: FrameKind) -> u8 {
    match kind {
        FrameKind::Rts => 0xB4,
        FrameKind::Cts => 0xC4,
        FrameKind::Ack => 0xD4,
        FrameKind::Data => 0x08,
        FrameKind::BlockAckReq => 0x84,
        FrameKind::BlockAck => 0x94,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn octets(frame: &Mac<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        frame.write(&mut out);
        out
    }

    const DATA: Mac<'static> = Mac {
        kind: FrameKind::Data,
        retry: true,
        more: false,
        duration: 314,
        to: NodeId(2),
        from: Some(NodeId(1)),
        seq: 0x123,
        frag: 4,
        body: &[0xAA, 0xBB],
    };

    #[test]
    fn frames_have_their_octets_where_the_standard_draws_them() {
        let data = octets(&DATA);
        let head = [
            0x08, 0x08, 0x3A, 0x01, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 2, b'h', b'o', b'p', b's', b'c', 0x34, 0x12,
            0xAA, 0xBB,
        ];
        assert_eq!(data[..26], head);
        assert_eq!(data[26..], crc32fast::hash(&head).to_le_bytes());
        let ack =
            Mac { kind: FrameKind::Ack, retry: false, duration: 0, from: None, seq: 0, frag: 0, body: &[], ..DATA };
        assert_eq!(octets(&ack)[..10], [0xD4, 0, 0, 0, 2, 0, 0, 0, 0, 2]);
        let rts = octets(&Mac { kind: FrameKind::Rts, retry: false, duration: 0x1234, body: &[], ..DATA });
        assert_eq!(rts[..16], [0xB4, 0, 0x34, 0x12, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1]);
        let cts = octets(&Mac { kind: FrameKind::Cts, ..ack });
        assert_eq!(cts[..4], [0xC4, 0, 0, 0]);
        assert_eq!([rts.len(), cts.len(), octets(&ack).len()], [20, 14, 14]);
    }

    #[test]
    fn a_residue_shows_a_good_frame() {
        // CRC-32 over a frame and its FCS leaves this constant (IEEE 802.3 3.2.9), whatever the frame.
        assert_eq!(crc32fast::hash(&octets(&DATA)), 0x2144_DF1C);
    }

    #[test]
    fn damage_is_found() {
        let good = octets(&DATA);
        for place in 0..good.len() {
            let mut bad = good.clone();
            bad[place] ^= 4;
            assert!(matches!(Mac::read(&bad), Err(Malformed::Checksum { .. })), "{place}");
        }
        assert!(matches!(Mac::read(&good[..3]), Err(Malformed::Short { .. })));
    }

    fn closed(mut octets: Vec<u8>) -> Vec<u8> {
        close(&mut octets, 0);
        octets
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

        #[test]
        fn frames_come_back(
            kind in 0..4usize, retry: bool, more: bool, duration in 0..=MOST_DURATION, to in prop_oneof![Just(u32::MAX), 0..10_000u32],
            from in 0..10_000u32, seq in 0..4096u16, frag in 0..16u8, body in proptest::collection::vec(any::<u8>(), 0..60),
        ) {
            let kind = FrameKind::ALL[kind];
            let is_data = kind == FrameKind::Data;
            let frame = Mac {
                kind, retry, more: more && is_data, duration, to: NodeId(to),
                from: matches!(kind, FrameKind::Data | FrameKind::Rts).then_some(NodeId(from)),
                seq: if is_data { seq } else { 0 }, frag: if is_data { frag } else { 0 },
                body: if is_data { &body } else { &[] },
            };
            let octets = octets(&frame);
            prop_assert_eq!(Mac::read(&octets), Ok(frame));
        }

        #[test]
        fn any_octets_are_read_or_refused(start in 0..5usize, octets in proptest::collection::vec(any::<u8>(), 0..60)) {
            _ = Mac::read(&octets);
            // With a good FCS more of them get through.
            let first = [[0xB4, 0], [0xC4, 0], [0xD4, 8], [8, 0], [8, 4]][start];
            let octets = closed([&first[..], &octets].concat());
            if let Ok(frame) = Mac::read(&octets) {
                let mut again = Vec::new();
                frame.write(&mut again);
                prop_assert_eq!(again, octets);
            }
        }
    }
}
