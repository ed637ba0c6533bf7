//! Blocks of pcapng (draft-ietf-opsawg-pcapng): a section, its interfaces, names of addresses, and packets.
//!
//! ```text
//!  block    type 4, length 4, body, length 4
//!  option   code 2, length 2, value padded to 4; code 0 ends them
//!  section  byte-order magic 4, version 2 + 2, section length 8 (all ones: not given), options
//!  interface  link type 2, reserved 2, snap length 4, options
//!  names    record type 2, length 2, address and name, padded to 4, ...; type 0 ends them
//!  packet   interface 4, time high 4, time low 4, captured length 4, original length 4, octets padded to 4, options
//! ```
//! Numbers have their low octet first. Time counts nanoseconds from the start of the run.

/// Link type of 802.11 frames behind radiotap (tcpdump.org, LINKTYPE_IEEE802_11_RADIOTAP).
pub const RADIOTAP: u16 = 127;
/// Link type of IP packets (LINKTYPE_RAW).
pub const RAW_IP: u16 = 101;

const SECTION: u32 = 0x0A0D_0D0A;
const INTERFACE: u32 = 1;
const NAMES: u32 = 4;
const PACKET: u32 = 6;

const COMMENT: u16 = 1;
const APPLICATION: u16 = 4;
const NAME: u16 = 2;
const DESCRIPTION: u16 = 3;
const RESOLUTION: u16 = 9;
const FLAGS: u16 = 2;
const IPV4_NAME: u16 = 1;

/// Longest value of an option.
const MOST_OPTION: usize = 0xFFFF;

/// Which way a packet went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// It came in.
    In = 1,
    /// It went out.
    Out = 2,
}

/// A packet beside its octets.
#[derive(Debug, Clone, Copy)]
pub struct PacketHead<'a> {
    /// Interface, by its number in the section.
    pub interface: u32,
    /// Nanoseconds since the start of the run.
    pub at: u64,
    /// Which way it went.
    pub direction: Direction,
    /// A comment on it; empty: none.
    pub comment: &'a str,
}

/// Writes the head of a section.
pub fn section(application: &str, comment: &str, out: &mut Vec<u8>) {
    block(SECTION, out, |out| {
        out.extend(0x1A2B_3C4D_u32.to_le_bytes());
        out.extend([1, 0, 0, 0]);
        out.extend([0xFF; 8]);
        option(COMMENT, comment.as_bytes(), out);
        option(APPLICATION, application.as_bytes(), out);
        end_options(out);
    });
}

/// Writes an interface; they are numbered from 0 in the order of their blocks.
pub fn interface(link_type: u16, name: &str, description: &str, out: &mut Vec<u8>) {
    block(INTERFACE, out, |out| {
        out.extend(link_type.to_le_bytes());
        out.extend([0; 6]);
        option(NAME, name.as_bytes(), out);
        option(DESCRIPTION, description.as_bytes(), out);
        option(RESOLUTION, &[9], out);
        end_options(out);
    });
}

/// Writes names of addresses.
pub fn names<'a>(entries: impl Iterator<Item = ([u8; 4], &'a str)>, out: &mut Vec<u8>) {
    block(NAMES, out, |out| {
        for (address, name) in entries {
            let value = [&address[..], name.as_bytes(), &[0]].concat();
            option(IPV4_NAME, &value, out);
        }
        out.extend([0; 4]);
    });
}

/// Octets of a packet block before its octets.
const PACKET_HEAD: usize = 28;
/// The flags of a packet, and the end of the options behind them.
const PACKET_FLAGS: usize = 12;

/// Longest first part of a packet.
pub const MOST_FIRST: usize = hopscope_wire::radiotap::MOST;

/// Writes a packet, whose octets come in two parts; the first has so many octets of an array. Nearly all of a capture goes through
/// here: pieces of a fixed length are copied without a call, and cut where they turn out shorter.
pub fn packet(head: &PacketHead<'_>, (first, count): ([u8; MOST_FIRST], usize), second: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let length = count + second.len();
    let padded = length.next_multiple_of(4);
    let whole = (PACKET_HEAD + padded + PACKET_FLAGS + 4) as u32;
    let octets = length as u32;
    let words = [PACKET, whole, head.interface, (head.at >> 32) as u32, head.at as u32, octets, octets];
    let mut fixed = [0; PACKET_HEAD + MOST_FIRST];
    fixed.chunks_exact_mut(4).zip(words).for_each(|(place, word)| place.copy_from_slice(&word.to_le_bytes()));
    fixed[PACKET_HEAD..].copy_from_slice(&first);
    out.reserve(whole as usize + MOST_FIRST);
    out.extend_from_slice(&fixed);
    out.truncate(start + PACKET_HEAD + count);
    out.extend_from_slice(second);
    out.extend_from_slice(&[0; 4]);
    out.truncate(start + PACKET_HEAD + padded);
    if head.comment.is_empty() {
        let mut tail = [0; PACKET_FLAGS + 4];
        tail[..8].copy_from_slice(&[FLAGS as u8, 0, 4, 0, head.direction as u8, 0, 0, 0]);
        tail[PACKET_FLAGS..].copy_from_slice(&whole.to_le_bytes());
        out.extend_from_slice(&tail);
    } else {
        option(FLAGS, &(head.direction as u32).to_le_bytes(), out);
        option(COMMENT, head.comment.as_bytes(), out);
        end_options(out);
        close(start, out);
    }
}

fn block(kind: u32, out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend(kind.to_le_bytes());
    out.extend([0; 4]);
    body(out);
    close(start, out);
}

/// Ends the block that begins at `start`: its length before and behind its body.
fn close(start: usize, out: &mut Vec<u8>) {
    let length = ((out.len() - start + 4) as u32).to_le_bytes();
    out[start + 4..start + 8].copy_from_slice(&length);
    out.extend_from_slice(&length);
}

fn option(code: u16, value: &[u8], out: &mut Vec<u8>) {
    let value = &value[..value.len().min(MOST_OPTION)];
    out.extend_from_slice(&code.to_le_bytes());
    out.extend_from_slice(&(value.len() as u16).to_le_bytes());
    out.extend_from_slice(value);
    pad(out, value.len());
}

fn end_options(out: &mut Vec<u8>) {
    out.extend_from_slice(&[0; 4]);
}

/// Fills up to a multiple of four what has this length.
fn pad(out: &mut Vec<u8>, length: usize) {
    out.extend_from_slice(&[0; 3][..length.next_multiple_of(4) - length]);
}

#[cfg(test)]
mod tests {
    use pcap_file::pcapng::{Block, PcapNgReader};

    use super::*;

    fn first(octets: &[u8]) -> ([u8; MOST_FIRST], usize) {
        let mut all = [0xEE; MOST_FIRST];
        all[..octets.len()].copy_from_slice(octets);
        (all, octets.len())
    }

    #[test]
    fn a_packet_block_has_its_octets_where_the_draft_draws_them() {
        let mut out = Vec::new();
        let head = PacketHead { interface: 2, at: 0x1_0000_0003, direction: Direction::Out, comment: "hi" };
        packet(&head, first(&[7, 8]), &[9], &mut out);
        let expected = [
            &[6, 0, 0, 0, 56, 0, 0, 0][..],
            &[2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 7, 8, 9, 0],
            &[2, 0, 4, 0, 2, 0, 0, 0, 1, 0, 2, 0, b'h', b'i', 0, 0, 0, 0, 0, 0, 56, 0, 0, 0],
        ];
        assert_eq!(out, expected.concat());
        out.clear();
        packet(&PacketHead { comment: "", ..head }, first(&[7, 8]), &[9], &mut out);
        let expected = [
            &[6, 0, 0, 0, 48, 0, 0, 0][..],
            &[2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 7, 8, 9, 0],
            &[2, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0, 48, 0, 0, 0],
        ];
        assert_eq!(out, expected.concat());
    }

    #[test]
    fn another_reader_takes_it() {
        let mut out = Vec::new();
        section("Hopscope", "a run", &mut out);
        interface(RADIOTAP, "radio0", "radio of node 0", &mut out);
        interface(RAW_IP, "host0", "host of node 0", &mut out);
        names([([10, 0, 0, 1], "node0")].into_iter(), &mut out);
        let head = PacketHead { interface: 1, at: 1_500_000_001, direction: Direction::In, comment: "lost" };
        packet(&head, first(b"oct"), b"ets", &mut out);
        let mut reader = PcapNgReader::new(&out[..]).expect("a section");
        let mut found = Vec::new();
        while let Some(block) = reader.next_block() {
            found.push(format!("{:?}", block.expect("a block").into_owned()));
        }
        assert_eq!(found.len(), 4, "two interfaces, names, a packet");
        assert!(found[0].contains("IEEE802_11_RADIOTAP") && found[0].contains("radio0"), "{}", found[0]);
        assert!(found[1].contains("RAW") && found[2].contains("node0"), "{} {}", found[1], found[2]);
        let mut reader = PcapNgReader::new(&out[..]).expect("a section");
        let last = std::iter::from_fn(|| reader.next_block().map(|block| block.expect("a block").into_owned())).last();
        let Some(Block::EnhancedPacket(packet)) = last else { panic!("a packet comes last") };
        assert_eq!((packet.interface_id, packet.original_len, &packet.data[..]), (1, 6, &b"octets"[..]));
    }
}
