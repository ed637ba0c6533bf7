//! MAC frames of 802.11 as octets (IEEE 802.11-2020 9.2 and 9.3): RTS, CTS, ACK, Block Ack and its request, ADDBA frames, and
//! data of an independent BSS, with QoS and without.
//!
//! ```text
//!  RTS        frame control 2, Duration 2, RA 6, TA 6, FCS 4
//!  CTS, ACK   frame control 2, Duration 2, RA 6, FCS 4
//!  Block Ack, request
//!             frame control 2, Duration 2, RA 6, TA 6, what `block_ack.rs` draws, FCS 4
//!  data       frame control 2, Duration 2, RA 6, TA 6, BSSID 6, sequence control 2, body, FCS 4
//!  QoS data   the same with QoS Control 2 before the body
//!  Action     the same without QoS Control, with what `addba.rs` draws for the body
//! ```

mod addba;
pub mod aggregate;
mod block_ack;
mod qos;

use hopscope_core::ids::NodeId;
use hopscope_mac::dcf::FrameKind;

use crate::address::{self, BSSID};
use crate::octets::{Malformed, fcs, split, take, take16};
pub use addba::AddbaFields;
pub use block_ack::{AckBitmap, BlockAckFields};
pub use qos::{AckPolicy, QosControl};

/// Octets of a data frame before its body.
const DATA_HEADER: usize = 24;
/// The same of QoS data.
pub const QOS_DATA_HEADER: usize = DATA_HEADER + qos::QOS_BYTES;
/// Octets of the frame check sequence.
pub const FCS_BYTES: usize = 4;
/// Longest time that a Duration field can hold, microseconds (9.2.4.2).
pub const MOST_DURATION: u16 = 32_767;

/// Retry bit of the second octet of frame control.
const RETRY: u8 = 0x08;
/// More Fragments bit.
const MORE_FRAGMENTS: u8 = 0x04;
/// First octet of frame control of QoS data.
const QOS_DATA: u8 = 0x88;

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
    /// Sequence number, of data and Action frames.
    pub seq: u16,
    /// Fragment number, of data.
    pub frag: u8,
    /// QoS Control field of QoS data; none in data without QoS.
    pub qos: Option<QosControl>,
    /// What a Block Ack or its request says.
    pub block_ack: Option<BlockAckFields>,
    /// What an ADDBA request or response says.
    pub addba: Option<AddbaFields>,
    /// Body, of data: LLC header and packet.
    pub body: &'a [u8],
}

impl<'a> Mac<'a> {
    /// Writes its octets up to the body, which follows; [`close`] ends the frame.
    pub fn write_head(&self, out: &mut Vec<u8>) {
        let flags = if self.retry { RETRY } else { 0 } | if self.more { MORE_FRAGMENTS } else { 0 };
        // Fields of 802.11 have their low octet first (9.2.2), unlike those of IP behind them.
        let [low, high] = self.duration.min(MOST_DURATION).to_le_bytes();
        out.reserve(QOS_DATA_HEADER);
        let first = if self.kind == FrameKind::Data && self.qos.is_some() { QOS_DATA } else { control(self.kind) };
        out.extend_from_slice(&[first, flags, low, high]);
        out.extend_from_slice(&address::mac(self.to));
        if names_transmitter(self.kind) {
            out.extend_from_slice(&address::mac(self.from.unwrap_or(self.to)));
        }
        if matches!(self.kind, FrameKind::Data | FrameKind::Action) {
            // To DS and From DS are zero: in an independent BSS the third address is its identifier (9.3.2.1).
            out.extend_from_slice(&BSSID);
            out.extend_from_slice(&(self.seq << 4 | u16::from(self.frag)).to_le_bytes());
            if let Some(qos) = self.qos {
                out.extend_from_slice(&qos.octets());
            }
        }
        if let Some(fields) = self.block_ack {
            fields.write(out);
        }
        if let Some(fields) = self.addba {
            fields.write(out);
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
        let kind = if first == QOS_DATA { Some(FrameKind::Data) } else { kind_of(first) };
        let kind =
            kind.ok_or(Malformed::field("802.11 frame control", first, "control frames, data, QoS data, Action"))?;
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
            qos: None,
            block_ack: None,
            addba: None,
            body: &[],
        };
        if names_transmitter(kind) {
            frame.from = Some(address::node_of_mac(take(WHAT, &mut head)?)?);
        }
        frame.read_rest(first, head)?;
        Ok(frame)
    }

    /// Reads what stands behind the addresses of receiver and transmitter.
    fn read_rest(&mut self, first: u8, mut head: &'a [u8]) -> Result<(), Malformed> {
        const WHAT: &str = "802.11 frame";
        match self.kind {
            FrameKind::Data => {
                self.read_sequence(&mut head)?;
                if first == QOS_DATA {
                    self.qos = Some(QosControl::read(take(WHAT, &mut head)?)?);
                }
                self.body = head;
                return Ok(());
            }
            FrameKind::BlockAck => self.block_ack = Some(BlockAckFields::take(&mut head, true)?),
            FrameKind::Action => {
                self.read_sequence(&mut head)?;
                self.addba = Some(AddbaFields::take(&mut head)?);
            }
            FrameKind::BlockAckReq => self.block_ack = Some(BlockAckFields::take(&mut head, false)?),
            FrameKind::Rts | FrameKind::Cts | FrameKind::Ack | FrameKind::CfEnd => {}
        }
        if !head.is_empty() {
            return Err(Malformed::field("802.11 frame with octets behind it", head.len() as u64, "none"));
        }
        Ok(())
    }

    /// Takes BSSID and sequence control.
    fn read_sequence(&mut self, head: &mut &'a [u8]) -> Result<(), Malformed> {
        const WHAT: &str = "802.11 frame";
        let bssid: [u8; 6] = take(WHAT, head)?;
        if bssid != BSSID {
            return Err(Malformed::field("802.11 BSSID", bssid[5], "that of Hopscope's network"));
        }
        let control = take16(WHAT, head)?.swap_bytes();
        (self.seq, self.frag) = (control >> 4, (control & 15) as u8);
        Ok(())
    }
}

/// Ends the frame that begins at `start`: its check sequence.
pub fn close(out: &mut Vec<u8>, start: usize) {
    let sum = fcs(&out[start..]);
    out.extend_from_slice(&sum.to_le_bytes());
}

/// True for frames that name their transmitter too.
fn names_transmitter(kind: FrameKind) -> bool {
    !matches!(kind, FrameKind::Cts | FrameKind::Ack)
}

/// The kind with a first octet of frame control that is not that of QoS data.
fn kind_of(first: u8) -> Option<FrameKind> {
    FrameKind::ALL.into_iter().find(|kind| control(*kind) == first)
}

/// First octet of frame control: protocol version 0, type and subtype (table 9-1), of data without QoS.
const fn control(kind: FrameKind) -> u8 {
    match kind {
        FrameKind::Rts => 0xB4,
        FrameKind::Cts => 0xC4,
        FrameKind::Ack => 0xD4,
        FrameKind::Data => 0x08,
        FrameKind::BlockAckReq => 0x84,
        FrameKind::BlockAck => 0x94,
        FrameKind::CfEnd => 0xE4,
        FrameKind::Action => 0xD0,
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
        qos: None,
        block_ack: None,
        addba: None,
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
    fn frames_of_the_qos_mac_have_their_octets_where_the_standard_draws_them() {
        let qos = QosControl { tid: 5, ack: AckPolicy::BlockAck, amsdu: true };
        let data = octets(&Mac { qos: Some(qos), ..DATA });
        assert_eq!((data[0], &data[22..28]), (0x88, &[0x34, 0x12, 0xE5, 0, 0xAA, 0xBB][..]));
        // A packet of 1500 octets: header 26, LLC 8, FCS 4 (ns3-ht.md, column payload_bytes).
        assert_eq!(octets(&Mac { qos: Some(qos), body: &[0; 8 + 1500], ..DATA }).len(), 1538);
        let control = Mac { retry: false, seq: 0, frag: 0, body: &[], ..DATA };
        let fields = BlockAckFields { tid: 5, ssn: 0xABC, bitmap: None };
        let request = octets(&Mac { kind: FrameKind::BlockAckReq, block_ack: Some(fields), ..control });
        let addresses = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
        assert_eq!((&request[..4], &request[4..16]), (&[0x84, 0, 0x3A, 1][..], &addresses[..]));
        assert_eq!((&request[16..20], request.len()), (&[0x04, 0x50, 0xC0, 0xAB][..], 24));
        let answer = |bitmap| {
            let fields = BlockAckFields { bitmap: Some(bitmap), ..fields };
            octets(&Mac { kind: FrameKind::BlockAck, block_ack: Some(fields), ..control })
        };
        let of_64 = answer(AckBitmap::Of64(0x8000_0000_0000_0201));
        assert_eq!((of_64[0], &of_64[4..16], of_64.len()), (0x94, &addresses[..], 32));
        assert_eq!(of_64[16..28], [0x04, 0x50, 0xC0, 0xAB, 0x01, 0x02, 0, 0, 0, 0, 0, 0x80]);
        let of_256 = answer(AckBitmap::of(256, [1, 0, 0, 2]));
        assert_eq!((&of_256[16..21], of_256[44], of_256.len()), (&[0x04, 0x50, 0xC4, 0xAB, 1][..], 2, 56));
    }

    #[test]
    fn addba_frames_have_their_octets_where_the_standard_draws_them() {
        let fields = AddbaFields { token: 9, amsdu: true, tid: 5, size: 64, ssn: Some(0xABC) };
        let frame =
            Mac { kind: FrameKind::Action, retry: false, seq: 0x123, frag: 0, addba: Some(fields), body: &[], ..DATA };
        let request = octets(&frame);
        assert_eq!((&request[..4], &request[22..24], request.len()), (&[0xD0, 0, 0x3A, 1][..], &[0x30, 0x12][..], 37));
        // 64 << 6 | 5 << 2 | immediate | A-MSDU.
        assert_eq!(request[24..33], [3, 0, 9, 0x17, 0x10, 0, 0, 0xC0, 0xAB]);
        let response = octets(&Mac { addba: Some(AddbaFields { ssn: None, ..fields }), ..frame });
        assert_eq!((&response[24..33], response.len()), (&[3, 1, 9, 0, 0, 0x17, 0x10, 0, 0][..], 37));
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
            kind in 0..FrameKind::COUNT, flags: (bool, bool), duration in 0..=MOST_DURATION,
            to in prop_oneof![Just(u32::MAX), 0..10_000u32], from in 0..10_000u32, number in (0..4096u16, 0..16u8),
            qos in qos(), (block_ack, addba) in (block_ack(), addba()), body in proptest::collection::vec(any::<u8>(), 0..60),
        ) {
            let kind = FrameKind::ALL[kind];
            let is_data = kind == FrameKind::Data;
            let is_action = kind == FrameKind::Action;
            let (seq, frag) = if is_data || is_action { number } else { (0, 0) };
            let with_bitmap = kind == FrameKind::BlockAck;
            let (retry, more) = flags;
            let frame = Mac {
                kind, retry, more: more && is_data, duration, to: NodeId(to),
                from: names_transmitter(kind).then_some(NodeId(from)), seq, frag,
                qos: qos.filter(|_| is_data),
                block_ack: matches!(kind, FrameKind::BlockAck | FrameKind::BlockAckReq).then_some(BlockAckFields {
                    bitmap: block_ack.bitmap.filter(|_| with_bitmap), ..block_ack
                }),
                addba: is_action.then_some(addba),
                body: if is_data { &body } else { &[] },
            };
            let octets = octets(&frame);
            prop_assert_eq!(Mac::read(&octets), Ok(frame));
        }

        #[test]
        fn any_octets_are_read_or_refused(start in 0..9usize, octets in proptest::collection::vec(any::<u8>(), 0..60)) {
            _ = Mac::read(&octets);
            // With a good FCS more of them get through.
            let first = [[0xB4, 0], [0xC4, 0], [0xD4, 8], [8, 0], [8, 4], [0x88, 0], [0x84, 0], [0x94, 0], [0xD0, 0]][start];
            let octets = closed([&first[..], &octets].concat());
            if let Ok(frame) = Mac::read(&octets) {
                let mut again = Vec::new();
                frame.write(&mut again);
                prop_assert_eq!(again, octets);
            }
        }

        #[test]
        fn what_is_behind_the_addresses_is_read_or_refused(
            first in prop_oneof![Just(0x84), Just(0x94), Just(0x88)], fields: (u16, u16, u16),
            rest in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let mut octets = octets(&Mac { kind: FrameKind::Rts, ..DATA });
            octets.truncate(16);
            octets[0] = first;
            if first == 0x88 {
                octets.extend_from_slice(&BSSID);
            }
            // Of the control fields few values are known; their bits get through more often one by one.
            let (control, start, mask) = fields;
            octets.extend_from_slice(&(control & mask | 4).to_le_bytes());
            octets.extend_from_slice(&(start & 0xFFF4).to_le_bytes());
            octets.extend(rest);
            let octets = closed(octets);
            if let Ok(frame) = Mac::read(&octets) {
                let mut again = Vec::new();
                frame.write(&mut again);
                prop_assert_eq!(again, octets);
            }
        }
    }

    fn qos() -> impl Strategy<Value = Option<QosControl>> {
        let ack = prop_oneof![Just(AckPolicy::NormalOrImplicitBar), Just(AckPolicy::NoAck), Just(AckPolicy::BlockAck)];
        let field = (0..16u8, ack, any::<bool>()).prop_map(|(tid, ack, amsdu)| QosControl { tid, ack, amsdu });
        proptest::option::of(field)
    }

    /// The fields of an ADDBA frame.
    fn addba() -> impl Strategy<Value = AddbaFields> {
        (any::<u8>(), any::<bool>(), 0..16u8, 0..1_024u16, proptest::option::of(0..4_096u16))
            .prop_map(|(token, amsdu, tid, size, ssn)| AddbaFields { token, amsdu, tid, size, ssn })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

        #[test]
        fn what_an_action_frame_says_is_read_or_refused(
            (category, action) in (3u8..5, 0u8..3), fields in proptest::collection::vec(prop_oneof![3 => Just(0u8), 1 => any::<u8>()], 0..12),
        ) {
            let mut frame = octets(&Mac { kind: FrameKind::Action, retry: false, body: &[], ..DATA });
            frame.truncate(24);
            frame.extend([category, action]);
            frame.extend(fields);
            let frame = closed(frame);
            if let Ok(read) = Mac::read(&frame) {
                let mut again = Vec::new();
                read.write(&mut again);
                prop_assert_eq!(again, frame);
            }
        }
    }

    /// The fields of a Block Ack.
    fn block_ack() -> impl Strategy<Value = BlockAckFields> {
        let bitmap = (any::<bool>(), any::<[u64; 4]>());
        let bitmap = bitmap.prop_map(|(wide, words)| AckBitmap::of(if wide { 256 } else { 64 }, words));
        (0..16u8, 0..4096u16, bitmap).prop_map(|(tid, ssn, bitmap)| BlockAckFields { tid, ssn, bitmap: Some(bitmap) })
    }
}
