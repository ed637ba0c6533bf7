//! What each node has put on the air.

use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Span;
use hopscope_mac::frame::{Frame, FrameKind, SequenceControl};
use hopscope_phy::phy::modes::Mode;

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
    duration: u32,
    dst: NodeId,
    bytes: u32,
    body: PacketId,
    control: SequenceControl,
    /// The kind, `RETRY` and the code of the mode.
    tag: u16,
}

/// The Retry bit above the kind, which is read most often and so stands lowest.
const RETRY: u16 = 1 << 3;
/// Where the code of the mode stands above both.
const MODE: u32 = 4;

impl Default for AirSlots {
    fn default() -> Self {
        Self::new()
    }
}

impl AirSlots {
    /// A node that has sent nothing.
    pub fn new() -> Self {
        let none = Stored {
            airtime: 0,
            duration: 0,
            dst: NodeId(0),
            bytes: 0,
            body: PacketId(0),
            control: SequenceControl::default(),
            tag: 0,
        };
        AirSlots { frames: [none; 2], sent: 0, airtime: Span::ZERO }
    }

    /// Keeps a frame that is sent now; gives its slot, 0 or 1.
    #[inline(always)]
    pub fn put(&mut self, frame: &Frame) -> u32 {
        let &Frame { kind, mode, retry, frag, tid: _, seq, src: _, dst, bytes, body, airtime, duration } = frame;
        debug_assert!(airtime.0.max(duration.0) <= u64::from(u32::MAX));
        let slot = self.next();
        self.frames[slot as usize] = Stored {
            airtime: airtime.0 as u32,
            duration: duration.0 as u32,
            dst,
            bytes,
            body,
            control: SequenceControl::new(seq, frag),
            tag: mode.code() << MODE | kind as u16 | if retry { RETRY } else { 0 },
        };
        self.sent += 1;
        self.airtime = self.airtime + airtime;
        slot
    }

    /// The frame in slot 0 or 1 of `src`, whose slots these are.
    #[inline(always)]
    pub fn frame(&self, slot: u32, src: NodeId) -> Frame {
        let Stored { airtime, duration, dst, bytes, body, control, tag } = self.frames[(slot % 2) as usize];
        Frame {
            kind: FrameKind::numbered(tag),
            mode: Mode::coded(tag >> MODE),
            retry: tag & RETRY != 0,
            frag: control.fragment(),
            // Kept by the MAC of a QoS station, with what its frame carries.
            tid: 0,
            seq: control.sequence(),
            src,
            dst,
            bytes,
            body,
            airtime: Span(u64::from(airtime)),
            duration: Span(u64::from(duration)),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_comes_back_as_it_was_put() {
        let mut air = AirSlots::new();
        for kind in FrameKind::ALL {
            for (code, retry) in [(0, false), (1, true), (0xfff, true), (0xffe, false)] {
                let frame = Frame {
                    kind,
                    mode: Mode::coded(code),
                    retry,
                    frag: 15,
                    tid: 0,
                    seq: 4095,
                    src: NodeId(7),
                    dst: NodeId(3),
                    bytes: 1536,
                    body: PacketId(9),
                    airtime: Span(5_484_000),
                    duration: Span(32_767_000),
                };
                let slot = air.put(&frame);
                assert_eq!(format!("{:?}", air.frame(slot, frame.src)), format!("{frame:?}"));
            }
        }
    }
}
