//! A frame as a value (IEEE 802.11-2020 9.2 and 9.3): made once, by the MAC that sends it. Whatever its receivers, the
//! channel and the observers want to know of a frame they read here; nobody else knows a rate.

use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::named;
use hopscope_core::units::Span;
use hopscope_phy::phy::modes::Mode;

named! {
    /// Kinds of frames.
    pub enum FrameKind {
        /// Request to send.
        Rts = "rts",
        /// Clear to send.
        Cts = "cts",
        /// Data, unicast or broadcast.
        Data = "data",
        /// Acknowledgement.
        Ack = "ack",
        /// Compressed Block Ack: which MPDUs of an A-MPDU have come.
        BlockAck = "block-ack",
        /// Block Ack request: asks for a Block Ack, and moves the window of the receiver.
        BlockAckReq = "block-ack-req",
        /// CF-End: the rest of a TXOP is free.
        CfEnd = "cf-end",
        /// Action frame of category Block Ack: ADDBA request or response.
        Action = "action",
    }
}

impl FrameKind {
    /// True for frames that carry a packet or ask for one. Others answer a station or arrange something (IEEE 802.11-2020 9.3.1.3
    /// to 9.3.1.8 and 9.6.4).
    pub fn names_packet(self) -> bool {
        match self {
            FrameKind::Rts | FrameKind::Data => true,
            FrameKind::Cts
            | FrameKind::Ack
            | FrameKind::BlockAck
            | FrameKind::BlockAckReq
            | FrameKind::CfEnd
            | FrameKind::Action => false,
        }
    }

    /// True for frames that ask their receiver for an answer, unless they are broadcasts.
    #[inline(always)]
    pub fn asks(self) -> bool {
        match self {
            FrameKind::Rts | FrameKind::Data | FrameKind::BlockAckReq | FrameKind::Action => true,
            FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck | FrameKind::CfEnd => false,
        }
    }

    /// The kind of this number, that of its place in the list above; only the lower three bits count.
    #[inline(always)]
    pub fn numbered(number: u16) -> FrameKind {
        // Written out, as a match of all eight compiles to nothing.
        match number & 7 {
            0 => FrameKind::Rts,
            1 => FrameKind::Cts,
            2 => FrameKind::Data,
            3 => FrameKind::Ack,
            4 => FrameKind::BlockAck,
            5 => FrameKind::BlockAckReq,
            6 => FrameKind::CfEnd,
            _ => FrameKind::Action,
        }
    }
}

/// Bytes of an RTS frame with FCS (9.3.1.2).
pub const RTS_BYTES: u32 = 20;
/// Bytes of a CTS frame with FCS (9.3.1.3).
pub const CTS_BYTES: u32 = 14;
/// Bytes of an ACK frame with FCS (9.3.1.4).
pub const ACK_BYTES: u32 = 14;

/// Bytes of a CF-End frame with FCS (9.3.1.5).
pub const CF_END_BYTES: u32 = 20;

/// Bytes of an ADDBA request or response with FCS (9.6.4.2 and 9.6.4.3).
pub const ADDBA_BYTES: u32 = 37;

/// One MPDU of an A-MPDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mpdu {
    /// The packet that it carries; the first one, where it carries an A-MSDU.
    pub packet: PacketId,
    /// Sequence number, 0 to 4095, of its receiver and traffic identifier.
    pub seq: u16,
    /// Bytes with MAC header and FCS, without delimiter and padding.
    pub bytes: u32,
    /// Retry bit.
    pub retry: bool,
}

/// A frame on the air.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Kind.
    pub kind: FrameKind,
    /// Mode that it is sent in.
    pub mode: Mode,
    /// Retry bit: the same frame was sent before (9.2.4.1.6).
    pub retry: bool,
    /// Fragment number of a data frame, 0 to 15.
    pub frag: u8,
    /// Traffic identifier of the frames of a QoS station, 0 to 7.
    pub tid: u8,
    /// Sequence number of a data or management frame, 0 to 4095.
    pub seq: u16,
    /// Transmitter.
    pub src: NodeId,
    /// Receiver, or `NodeId::BROADCAST`.
    pub dst: NodeId,
    /// Bytes of the MAC frame, FCS included.
    pub bytes: u32,
    /// Packet carried by a data frame, or announced by an RTS.
    pub body: PacketId,
    /// Time on the air, which follows from mode and bytes.
    pub airtime: Span,
    /// Duration field: the medium is reserved so long beyond the end of the frame.
    pub duration: Span,
}

const _: () = assert!(size_of::<Frame>() == 40);

impl Frame {
    /// True for a frame for everyone.
    #[inline(always)]
    pub fn is_broadcast(&self) -> bool {
        self.dst == NodeId::BROADCAST
    }
}

/// Sequence and fragment number of a data frame (Sequence Control field, 9.2.4.4).
///
/// On the air the fragment number takes the lower four bits; here it takes the upper ones, so that the word of a packet that
/// is not cut is its sequence number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SequenceControl(u16);

impl SequenceControl {
    const SEQUENCE_BITS: u32 = 12;
    /// Sequence numbers count modulo this.
    const SEQUENCES: u16 = 1 << Self::SEQUENCE_BITS;

    /// The field of a sequence number below 4096 and a fragment number below 16.
    #[inline(always)]
    pub fn new(seq: u16, frag: u8) -> Self {
        debug_assert!(seq < Self::SEQUENCES && frag < 16);
        SequenceControl(seq | u16::from(frag) << Self::SEQUENCE_BITS)
    }

    /// The sequence number.
    #[inline(always)]
    pub fn sequence(self) -> u16 {
        self.0 & (Self::SEQUENCES - 1)
    }

    /// The fragment number.
    #[inline(always)]
    pub fn fragment(self) -> u8 {
        (self.0 >> Self::SEQUENCE_BITS) as u8
    }

    /// True for a packet that is not cut, and for the first fragment of one that is.
    #[inline(always)]
    pub(crate) fn is_first(self) -> bool {
        self.0 < Self::SEQUENCES
    }

    /// The next fragment of the same packet; none after the sixteenth.
    #[inline(always)]
    pub(crate) fn next_fragment(self) -> Option<Self> {
        self.0.checked_add(Self::SEQUENCES).map(SequenceControl)
    }

    /// The next packet, not cut.
    #[inline(always)]
    pub(crate) fn next_packet(self) -> Self {
        SequenceControl(self.0.wrapping_add(1) & (Self::SEQUENCES - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_testing::property;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(property(2_000))]

        /// The plain form is the pair of numbers.
        #[test]
        fn a_sequence_control_field_is_its_two_numbers((seq, frag) in (0u16..4096, 0u8..16), other in (0u16..4096, 0u8..16)) {
            let of = |(seq, frag)| SequenceControl::new(seq, frag);
            let plain = |field: SequenceControl| (field.sequence(), field.fragment());
            let field = of((seq, frag));
            prop_assert_eq!(plain(field), (seq, frag));
            prop_assert_eq!(field == of(other), (seq, frag) == other);
            prop_assert_eq!(field.is_first(), frag == 0);
            prop_assert_eq!(field.next_fragment().map(plain), (frag < 15).then(|| (seq, frag + 1)));
            prop_assert_eq!(plain(of((seq, 0)).next_packet()), ((seq + 1) % 4096, 0));
        }
    }

    #[test]
    fn what_is_not_cut_is_its_sequence_number() {
        assert_eq!(SequenceControl::new(4095, 0), SequenceControl(4095));
    }
}
