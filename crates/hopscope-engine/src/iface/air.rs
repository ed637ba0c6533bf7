//! What each node has put on the air.

use crate::ids::{NodeId, PacketId};
use crate::mac::dcf::{Frame, FrameKind};
use crate::units::Span;

/// The last two frames of a transmitter: the second begins only after the first has reached everyone. In a large field
/// the frames of a node are looked at again when others have taken the cache: they fill one of its lines, no more.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub struct AirSlots {
    frames: [Stored; 2],
    /// Frames sent so far; the next one takes the place of the last but one.
    sent: u64,
    airtime: Span,
}

const _: () = assert!(size_of::<AirSlots>() == 64, "one cache line");

/// A frame without its transmitter. No duration is longer than 32 bits of nanoseconds hold: `Packed` relies on it, too.
#[derive(Debug, Clone, Copy)]
struct Stored {
    airtime: u32,
    nav: u32,
    dst: NodeId,
    bytes: u32,
    packet: PacketId,
    seq: u16,
    kind: FrameKind,
}

impl AirSlots {
    /// A node that has sent nothing.
    pub fn new() -> Self {
        let none =
            Stored { airtime: 0, nav: 0, dst: NodeId(0), bytes: 0, packet: PacketId(0), seq: 0, kind: FrameKind::Ack };
        AirSlots { frames: [none; 2], sent: 0, airtime: Span::ZERO }
    }

    /// Keeps a frame that is sent now; gives its slot, 0 or 1.
    #[inline(always)]
    pub fn put(&mut self, frame: &Frame) -> u32 {
        let &Frame { kind, src: _, dst, bytes, airtime, nav, packet, seq } = frame;
        debug_assert!(airtime.0.max(nav.0) <= u64::from(u32::MAX));
        let slot = self.next();
        self.frames[slot as usize] =
            Stored { airtime: airtime.0 as u32, nav: nav.0 as u32, dst, bytes, packet, seq, kind };
        self.sent += 1;
        self.airtime = self.airtime + airtime;
        slot
    }

    /// The frame in slot 0 or 1 of `src`, whose slots these are.
    #[inline(always)]
    pub fn frame(&self, slot: u32, src: NodeId) -> Frame {
        let Stored { airtime, nav, dst, bytes, packet, seq, kind } = self.frames[(slot % 2) as usize];
        Frame { kind, src, dst, bytes, airtime: Span(u64::from(airtime)), nav: Span(u64::from(nav)), packet, seq }
    }

    /// Kind and receiver of the frame in slot 0 or 1.
    pub fn addressed(&self, slot: u32) -> (FrameKind, NodeId) {
        let Stored { kind, dst, .. } = self.frames[(slot % 2) as usize];
        (kind, dst)
    }

    /// The slot of the next frame.
    #[inline(always)]
    pub fn next(&self) -> u32 {
        (self.sent % 2) as u32
    }

    /// Frames sent so far.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Time on the air so far.
    pub fn airtime(&self) -> Span {
        self.airtime
    }
}
