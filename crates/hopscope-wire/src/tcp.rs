//! Segments of TCP as octets (RFC 9293 3.1), with the options that the engine's TCP has.
//!
//! ```text
//!  source port 2, destination port 2, sequence number 4, acknowledgement number 4,
//!  data offset in words and flags 2, window 2, checksum 2, urgent pointer 2, then options, then payload
//! ```
//!
//! | option | octets | source |
//! |---|---|---|
//! | maximum segment size, of a SYN | 4 | RFC 9293 3.7.1 |
//! | SACK permitted, of a SYN | 2 | RFC 2018 2 |
//! | window scale, of a SYN | 3 | RFC 7323 2 |
//! | timestamps | 2 of No Operation, 10 | RFC 7323 3, appendix A |
//! | SACK | 2 of No Operation, 2, 8 a block | RFC 2018 3 |
//! | window of the sender (ACK policies that read it) | 4 | kind 254, an experiment (RFC 4727) |
//! | order of segments and ACKs (TCP-DOOR) | 4 | kind 253, an experiment (RFC 4727) |
//!
//! The engine's sequence numbers have 64 bits and begin with 0: the low 32 travel. That a segment repeats others, no octet says.

use hopscope_packet::tcp::{Opening, SackBlock, TcpFlags, TcpSegment, Timestamps};

use crate::ipv4::TCP;
use crate::octets::{Malformed, Sum, split, take32};
use crate::udp::Ends;

/// Octets of a header without options.
pub const HEADER: usize = 20;
/// Octets of the longest header.
pub const MOST_HEADER: usize = 60;

const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const SEGMENT_SIZE: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
const ORDER: u8 = 253;
const SENDER_WINDOW: u8 = 254;

const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;
const PSH: u8 = 8;
const ACK: u8 = 16;
const ECE: u8 = 64;
const CWR: u8 = 128;
/// URG, which the engine never sends.
const UNKNOWN: u8 = 32;

/// A segment between two ports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tcp {
    /// Port of the sender.
    pub from: u16,
    /// Port of the receiver.
    pub to: u16,
    /// What the engine keeps of it. Its window is written in units of 2^`shift` bytes, rounded down, and 65,535 at most.
    pub segment: TcpSegment,
    /// Scale of the window field; 0 in a SYN.
    pub shift: u8,
    /// It has its place in the order of segments or ACKs; without it the engine's is 0.
    pub has_order: bool,
    /// Options of a SYN alone.
    pub opening: Opening,
}

impl Tcp {
    /// Writes header and options; the payload follows, and [`close`] ends the segment.
    pub fn write_head(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let TcpSegment { seq, ack, flags, window, .. } = self.segment;
        let mut head = [0; HEADER];
        head[..2].copy_from_slice(&self.from.to_be_bytes());
        head[2..4].copy_from_slice(&self.to.to_be_bytes());
        head[4..8].copy_from_slice(&(seq as u32).to_be_bytes());
        // Without the ACK flag the field means nothing (RFC 9293 3.1).
        head[8..12].copy_from_slice(&(if flags.ack { ack as u32 } else { 0 }).to_be_bytes());
        head[13] = octet(flags);
        // A shift above 14 counts as 14 (RFC 7323 2.3).
        let window = u16::try_from(window >> self.shift.min(14)).unwrap_or(u16::MAX);
        head[14..16].copy_from_slice(&window.to_be_bytes());
        out.extend_from_slice(&head);
        self.write_options(out);
        // The data offset counts words of four octets.
        out.resize(start + (out.len() - start).next_multiple_of(4), END);
        out[start + 12] = ((out.len() - start) as u8 / 4) << 4;
    }

    fn write_options(&self, out: &mut Vec<u8>) {
        let TcpSegment { timestamps, sender_window, .. } = self.segment;
        if let Some(size) = self.opening.segment_size {
            out.extend([SEGMENT_SIZE, 4]);
            out.extend(size.to_be_bytes());
        }
        if self.opening.sack_permitted {
            // In the place of the No Operations before a time stamp, if one follows (RFC 7323 appendix A).
            out.extend([SACK_PERMITTED, 2]);
            if timestamps.is_none() {
                out.extend([NO_OPERATION, NO_OPERATION]);
            }
        }
        if let Some(stamps) = timestamps {
            if !self.opening.sack_permitted {
                out.extend([NO_OPERATION, NO_OPERATION]);
            }
            out.extend([TIMESTAMPS, 10]);
            out.extend(stamps.value.to_be_bytes());
            out.extend(stamps.echo.to_be_bytes());
        }
        if let Some(scale) = self.opening.window_scale {
            out.extend([NO_OPERATION, WINDOW_SCALE, 3, scale]);
        }
        let blocks = self.segment.sack_blocks();
        // Behind two octets of No Operation the numbers of the blocks stand at multiples of four, as those of
        // timestamps do.
        if !blocks.is_empty() {
            out.extend([NO_OPERATION, NO_OPERATION, SACK, 2 + 8 * blocks.len() as u8]);
            for block in blocks {
                out.extend((block.start as u32).to_be_bytes());
                out.extend((block.end as u32).to_be_bytes());
            }
        }
        if sender_window > 0 {
            out.extend([SENDER_WINDOW, 4]);
            out.extend(sender_window.to_be_bytes());
        }
        if self.has_order {
            out.extend([ORDER, 4, 0, self.segment.order]);
        }
    }

    /// Reads a segment; gives its payload too. Its ECN field stands in the network header. The window of what is no SYN is
    /// scaled by `shift`.
    ///
    /// # Errors
    /// It is damaged, or has flags or options that the engine does not know.
    pub fn read(octets: &[u8], ends: Ends, shift: u8) -> Result<(Self, &[u8]), Malformed> {
        const WHAT: &str = "TCP";
        let (head, _) = split(WHAT, octets, HEADER)?;
        // Over everything, before any field is believed.
        let (found, expected) = (u16::from_be_bytes([head[16], head[17]]), checksum(octets, ends));
        if found != expected {
            return Err(Malformed::Checksum { what: WHAT, found: found.into(), expected: expected.into() });
        }
        let offset = usize::from(head[12] >> 4) * 4;
        if offset < HEADER {
            return Err(Malformed::field("TCP data offset", offset as u64, "20 to 60 octets"));
        }
        let (whole, payload) = split(WHAT, octets, offset)?;
        if head[12] & 15 != 0 || head[13] & UNKNOWN != 0 {
            return Err(Malformed::field("TCP flags", head[13], "FIN, SYN, RST, PSH, ACK, ECE and CWR"));
        }
        let flag = |bit: u8| head[13] & bit != 0;
        let flags = TcpFlags {
            syn: flag(SYN),
            ack: flag(ACK),
            fin: flag(FIN),
            rst: flag(RST),
            psh: flag(PSH),
            ece: flag(ECE),
            cwr: flag(CWR),
        };
        let mut numbers = &head[4..];
        let (seq, ack) = (take32(WHAT, &mut numbers)?, take32(WHAT, &mut numbers)?);
        // The window of a SYN is never scaled (RFC 7323 2.2).
        let shift = if flags.syn { 0 } else { shift.min(14) };
        let segment = TcpSegment {
            seq: seq.into(),
            len: payload.len() as u32,
            ack: if flags.ack { ack.into() } else { 0 },
            flags,
            window: u32::from(u16::from_be_bytes([head[14], head[15]])) << shift,
            ..TcpSegment::default()
        };
        let ports = [0, 2].map(|at| u16::from_be_bytes([head[at], head[at + 1]]));
        let mut tcp =
            Tcp { from: ports[0], to: ports[1], segment, shift, has_order: false, opening: Opening::default() };
        tcp.read_options(&whole[HEADER..])?;
        Ok((tcp, payload))
    }

    fn read_options(&mut self, mut octets: &[u8]) -> Result<(), Malformed> {
        const WHAT: &str = "TCP option";
        while let Some((&kind, rest)) = octets.split_first() {
            octets = match kind {
                END => return Ok(()),
                NO_OPERATION => rest,
                _ => {
                    let (&length, _) =
                        rest.split_first().ok_or(Malformed::Short { what: WHAT, found: 1, needed: 2 })?;
                    let length = usize::from(length);
                    if length < 2 {
                        return Err(Malformed::field("TCP option length", length as u64, "2 and more"));
                    }
                    let (option, rest) = split(WHAT, octets, length)?;
                    self.read_option(kind, &option[2..])?;
                    rest
                }
            };
        }
        Ok(())
    }

    fn read_option(&mut self, kind: u8, mut content: &[u8]) -> Result<(), Malformed> {
        let number = |at: usize| u32::from_be_bytes([content[at], content[at + 1], content[at + 2], content[at + 3]]);
        match (kind, content) {
            (SEGMENT_SIZE, [high, low]) => self.opening.segment_size = Some(u16::from_be_bytes([*high, *low])),
            (SACK_PERMITTED, []) => self.opening.sack_permitted = true,
            (WINDOW_SCALE, [scale]) => self.opening.window_scale = Some(*scale),
            (SENDER_WINDOW, [high, low]) => self.segment.sender_window = u16::from_be_bytes([*high, *low]),
            (ORDER, [0, number]) => (self.segment.order, self.has_order) = (*number, true),
            (TIMESTAMPS, _) if content.len() == 8 => {
                self.segment.timestamps = Some(Timestamps { value: number(0), echo: number(4) });
            }
            (SACK, _) if content.len() % 8 == 0 && content.len() <= 24 => {
                (self.segment.n_sack, self.segment.sack) = (0, Default::default()); // of several options the last counts
                while !content.is_empty() {
                    let (start, end) = (take32("SACK", &mut content)?.into(), take32("SACK", &mut content)?.into());
                    self.segment.sack[usize::from(self.segment.n_sack)] = SackBlock { start, end };
                    self.segment.n_sack += 1;
                }
            }
            (SEGMENT_SIZE | SACK_PERMITTED | WINDOW_SCALE | SENDER_WINDOW | ORDER | TIMESTAMPS | SACK, _) => {
                return Err(Malformed::field("TCP option content", content.len() as u64, "the octets of its kind"));
            }
            _ => return Err(Malformed::field("TCP option", kind, "0 to 5, 8, 253 and 254")),
        }
        Ok(())
    }

    /// Octets of header and options.
    pub fn head_bytes(&self) -> usize {
        let mut out = Vec::with_capacity(MOST_HEADER);
        self.write_head(&mut out);
        out.len()
    }
}

/// Ends the segment that begins at `start`: its checksum.
pub fn close(out: &mut [u8], start: usize, ends: Ends) {
    let sum = checksum(&out[start..], ends);
    out[start + 16..start + 18].copy_from_slice(&sum.to_be_bytes());
}

/// The checksum of a segment, whatever stands in its place.
fn checksum(octets: &[u8], ends: Ends) -> u16 {
    let sum = Sum::default().with_pseudo_header(ends, TCP, octets.len());
    // The checksum itself counts as zero, so that it is left out: both pieces around it begin at even octets.
    sum.with(&octets[..16]).with(&octets[18..]).checksum()
}

fn octet(flags: TcpFlags) -> u8 {
    let TcpFlags { syn, ack, fin, rst, psh, ece, cwr } = flags;
    let bits = [(fin, FIN), (syn, SYN), (rst, RST), (psh, PSH), (ack, ACK), (ece, ECE), (cwr, CWR)];
    bits.iter().map(|&(set, bit)| if set { bit } else { 0 }).sum()
}

#[cfg(test)]
mod tests;
