//! TCP segments (RFC 9293 3.1). Sequence numbers are 64-bit offsets and never wrap inside the engine.

use super::Ecn;

/// A half-open range of sequence numbers `[start, end)`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// First sequence number held.
    pub start: u64,
    /// First sequence number not held.
    pub end: u64,
}

/// The timestamps option (RFC 7323 3), in ticks of the clock of the end that sends it or is echoed.
///
/// Packed, so that a segment with it stays in six pieces of 16 bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(Rust, packed)]
pub struct Timestamps {
    /// Clock of the sender of this segment (TSval).
    pub value: u32,
    /// The peer's clock, repeated (TSecr).
    pub echo: u32,
}

/// One TCP segment.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TcpSegment {
    /// Sequence number of the first octet (the SYN and the FIN take one number each).
    pub seq: u64,
    /// Payload bytes.
    pub len: u32,
    /// Next sequence number expected by the sender of this segment; valid when `flags.ack`.
    pub ack: u64,
    /// Control bits.
    pub flags: TcpFlags,
    /// Advertised window in bytes.
    pub window: u32,
    /// Segments that the sender of this one may have in flight, the lesser of its congestion window and the receiver's window, for a
    /// receiver whose ACK policy looks at it (an experimental option of `tcp.window_option` bytes); 0: it does not say.
    pub sender_window: u16,
    /// Where TCP-DOOR is in use: the number of the transmission in segments with data, in others twice the number of the duplicate
    /// ACK, plus one where the segment that it answers was overtaken. 0: nothing is said.
    pub order: u8,
    /// This copy repeats octets sent before.
    pub retransmission: bool,
    /// SACK blocks (RFC 2018), the first `n_sack` of them valid.
    pub sack: [SackBlock; 3],
    /// Number of valid SACK blocks.
    pub n_sack: u8,
    /// ECN field of the network header: what the sender asks for, and what a packet that has arrived carried.
    pub ecn: Ecn,
    /// The timestamps option, where it is in use.
    pub timestamps: Option<Timestamps>,
}

/// Control bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TcpFlags {
    /// Synchronise sequence numbers.
    pub syn: bool,
    /// `ack` is valid.
    pub ack: bool,
    /// No more data from the sender.
    pub fin: bool,
    /// There is no such connection, or no longer.
    pub rst: bool,
    /// The data shall go up to the application at once (PSH); set where the receiver's ACK policy looks at it.
    pub psh: bool,
    /// A mark was seen (ECE, RFC 3168 6.1).
    pub ece: bool,
    /// The window was reduced for it (CWR).
    pub cwr: bool,
}

/// Options that a SYN has and no other segment: what both ends of a connection report as it opens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Opening {
    /// Maximum segment size: the longest segment that is awaited, its options counted as data (RFC 9293 3.7.1, RFC 6691).
    pub segment_size: Option<u16>,
    /// Selective acknowledgements are understood (RFC 2018 2).
    pub sack_permitted: bool,
    /// Bits by which the windows in the segments to come are shifted (RFC 7323 2).
    pub window_scale: Option<u8>,
}

impl Opening {
    /// Largest window without a scale.
    const PLAIN_WINDOW: u64 = 65_535;
    /// Largest scale (RFC 7323 2.3).
    const MOST_SCALE: u8 = 14;

    /// The shift of the smallest scale by which a window of so many bytes can be given.
    pub fn scale_of(window: u64) -> u8 {
        // The smallest that will do: each bit more makes the windows coarser.
        (0..Self::MOST_SCALE).find(|&scale| window >> scale <= Self::PLAIN_WINDOW).unwrap_or(Self::MOST_SCALE)
    }

    /// What they add to a segment, padded to whole words. With time stamps, that SACK is permitted stands where their padding would
    /// (RFC 7323 A).
    pub fn bytes(&self, stamped: bool) -> u32 {
        let size = if self.segment_size.is_some() { 4 } else { 0 };
        let sack = if self.sack_permitted && !stamped { 4 } else { 0 };
        // Three octets, and one of No Operation before them.
        let scale = if self.window_scale.is_some() { 4 } else { 0 };
        size + sack + scale
    }
}

impl TcpSegment {
    /// Sequence numbers the segment takes: payload plus one each for SYN and FIN.
    pub fn seq_len(&self) -> u64 {
        u64::from(self.len) + u64::from(self.flags.syn) + u64::from(self.flags.fin)
    }

    /// It is a source's: it carries data, or opens the connection.
    #[inline]
    pub fn is_data(&self) -> bool {
        // The SYN-ACK is the receiver's.
        self.len > 0 || (self.flags.syn && !self.flags.ack)
    }

    /// The valid SACK blocks.
    pub fn sack_blocks(&self) -> &[SackBlock] {
        &self.sack[..usize::from(self.n_sack)]
    }

    /// The first block reports data that arrived twice (RFC 2883 4): it lies below the cumulative ACK or inside the second
    /// block.
    pub fn is_dsack(&self) -> bool {
        match self.sack_blocks() {
            // Below the cumulative ACK nothing is missing, so that a block there can only report a duplicate.
            [first, ..] if first.end <= self.ack => true,
            [first, second, ..] => first.start >= second.start && first.end <= second.end,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_stays_in_six_pieces_of_16_bytes() {
        assert_eq!(size_of::<TcpSegment>(), 96);
    }
}
