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
    }
}

/// Bytes of an RTS frame with FCS (9.3.1.2).
pub const RTS_BYTES: u32 = 20;
/// Bytes of a CTS frame with FCS (9.3.1.3).
pub const CTS_BYTES: u32 = 14;
/// Bytes of an ACK frame with FCS (9.3.1.4).
pub const ACK_BYTES: u32 = 14;

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
    /// Sequence number of a data frame, 0 to 4095.
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

/// Where the fragment number stands above the sequence number in [`sequence_control`].
pub const FRAGMENT_SHIFT: u32 = 12;

/// Sequence and fragment number in one word, the fragment number in the upper four bits.
#[inline(always)]
pub fn sequence_control(seq: u16, frag: u8) -> u16 {
    seq | u16::from(frag) << FRAGMENT_SHIFT
}

/// The two numbers of such a word.
#[inline(always)]
pub fn numbers(control: u16) -> (u16, u8) {
    (control & ((1 << FRAGMENT_SHIFT) - 1), (control >> FRAGMENT_SHIFT) as u8)
}
