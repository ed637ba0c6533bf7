//! The file of a capture: blocks of pcapng (draft-ietf-opsawg-pcapng), which `pcap-file` puts into octets. Numbers have their low
//! octet first; time counts nanoseconds from the start of the run.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use pcap_file::pcapng::blocks::name_resolution::{Ipv4Record, NameResolutionBlock, Record};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::pcapng::{PcapNgBlock, PcapNgWriter};
use pcap_file::{DataLink, Endianness};

/// Longest value of an option, whose length has 16 bits: the library would write what is left of a longer one.
const MOST_OPTION: usize = 0xFFFF;

/// Which way a packet went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// It came in.
    In = 1,
    /// It went out.
    Out = 2,
}

/// What is written of a packet with its octets.
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

/// Blocks on their way into a file.
pub struct Blocks {
    writer: PcapNgWriter<Vec<u8>>,
    /// Octets of the packet that is being written.
    packet: Vec<u8>,
}

impl fmt::Debug for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocks").field("octets", &self.writer.get_ref().len()).finish_non_exhaustive()
    }
}

impl Blocks {
    /// Begins with the head of a section.
    pub fn new(application: &str, comment: &str) -> Self {
        let head = SectionHeaderBlock {
            endianness: Endianness::Little,
            major_version: 1,
            minor_version: 0,
            // Not known before the end, which a reader behind a pipe does not wait for.
            section_length: -1,
            options: vec![
                SectionHeaderOption::Comment(Cow::Owned(cut(comment).to_string())),
                SectionHeaderOption::UserApplication(Cow::Owned(application.to_string())),
            ],
        };
        let writer = PcapNgWriter::with_section_header(Vec::new(), head).expect("memory takes it");
        Blocks { writer, packet: Vec::new() }
    }

    /// Octets that nobody has taken yet.
    pub fn octets(&mut self) -> &mut Vec<u8> {
        self.writer.get_mut()
    }

    /// Writes an interface; they are numbered from 0 in the order of their blocks.
    pub fn interface(&mut self, link_type: DataLink, name: &str, description: &str) {
        self.write(InterfaceDescriptionBlock {
            linktype: link_type,
            snaplen: 0, // no limit
            options: vec![
                InterfaceDescriptionOption::IfName(name.into()),
                InterfaceDescriptionOption::IfDescription(description.into()),
                InterfaceDescriptionOption::IfTsResol(9), // 10^-9 s
            ],
        });
    }

    /// Writes names of addresses.
    pub fn names<'a>(&mut self, entries: impl Iterator<Item = ([u8; 4], &'a str)>) {
        let record = |(address, name): ([u8; 4], &'a str)| {
            Record::Ipv4(Ipv4Record { ip_addr: address.to_vec().into(), names: vec![name.into()] })
        };
        self.write(NameResolutionBlock { records: entries.map(record).collect(), options: Vec::new() });
    }

    /// Writes a packet, whose octets come in two parts.
    pub fn packet(&mut self, head: &PacketHead<'_>, first: &[u8], second: &[u8]) {
        let mut octets = std::mem::take(&mut self.packet);
        octets.clear();
        octets.extend_from_slice(first);
        octets.extend_from_slice(second);
        let mut options = vec![EnhancedPacketOption::Flags(head.direction as u32)];
        if !head.comment.is_empty() {
            options.push(EnhancedPacketOption::Comment(cut(head.comment).into()));
        }
        self.write(EnhancedPacketBlock {
            interface_id: head.interface,
            timestamp: Duration::from_nanos(head.at),
            original_len: octets.len() as u32,
            data: Cow::Borrowed(&octets),
            options,
        });
        self.packet = octets;
    }

    fn write<'a>(&mut self, block: impl PcapNgBlock<'a>) {
        // Memory takes everything, and no packet names an interface before its block.
        self.writer.write_pcapng_block(block).expect("a block of a section");
    }
}

/// As much of a text as an option holds.
fn cut(text: &str) -> &str {
    let mut end = text.len().min(MOST_OPTION);
    // Options are UTF-8: no character may be cut in two.
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use pcap_file::pcapng::{Block, PcapNgReader};

    use super::*;

    /// A section with an interface of frames and one of packets.
    fn blocks() -> Blocks {
        let mut blocks = Blocks::new("Hopscope", "a run");
        blocks.interface(DataLink::IEEE802_11_RADIOTAP, "radio0", "radio of node 0");
        blocks.interface(DataLink::RAW, "host0", "host of node 0");
        blocks
    }

    #[test]
    fn blocks_have_their_octets_where_the_draft_draws_them() {
        let mut blocks = blocks();
        let expected = [
            &[0x0A, 0x0D, 0x0D, 0x0A, 56, 0, 0, 0, 0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0][..],
            &[0xFF; 8],
            &[1, 0, 5, 0, b'a', b' ', b'r', b'u', b'n', 0, 0, 0, 4, 0, 8, 0],
            b"Hopscope",
            &[0, 0, 0, 0, 56, 0, 0, 0],
        ];
        assert_eq!(blocks.octets()[..56], expected.concat());
        assert_eq!(blocks.octets()[64..68], [127, 0, 0, 0], "LINKTYPE_IEEE802_11_RADIOTAP of tcpdump.org");
        blocks.octets().clear();
        let head = PacketHead { interface: 1, at: 0x1_0000_0003, direction: Direction::Out, comment: "hi" };
        blocks.packet(&head, &[7, 8], &[9]);
        let expected = [
            &[6, 0, 0, 0, 56, 0, 0, 0][..],
            &[1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 7, 8, 9, 0],
            &[2, 0, 4, 0, 2, 0, 0, 0, 1, 0, 2, 0, b'h', b'i', 0, 0, 0, 0, 0, 0, 56, 0, 0, 0],
        ];
        assert_eq!(*blocks.octets(), expected.concat());
        blocks.octets().clear();
        blocks.packet(&PacketHead { comment: "", ..head }, &[7, 8], &[9]);
        let expected = [
            &[6, 0, 0, 0, 48, 0, 0, 0][..],
            &[1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 7, 8, 9, 0],
            &[2, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0, 48, 0, 0, 0],
        ];
        assert_eq!(*blocks.octets(), expected.concat());
    }

    #[test]
    fn a_reader_finds_what_was_written() {
        let mut blocks = blocks();
        blocks.names([([10, 0, 0, 1], "node0")].into_iter());
        let head = PacketHead { interface: 1, at: 1_500_000_001, direction: Direction::In, comment: "lost" };
        blocks.packet(&head, b"oct", b"ets");
        let out = blocks.octets().clone();
        let mut reader = PcapNgReader::new(&out[..]).expect("a section");
        let mut found = Vec::new();
        while let Some(block) = reader.next_block() {
            found.push(block.expect("a block").into_owned());
        }
        let texts: Vec<String> = found.iter().map(|block| format!("{block:?}")).collect();
        assert_eq!(found.len(), 4, "two interfaces, names, a packet");
        assert!(texts[0].contains("IEEE802_11_RADIOTAP") && texts[0].contains("radio0"), "{}", texts[0]);
        assert!(texts[1].contains("RAW") && texts[2].contains("node0"), "{} {}", texts[1], texts[2]);
        let Some(Block::EnhancedPacket(packet)) = found.last() else { panic!("a packet comes last") };
        assert_eq!((packet.interface_id, packet.original_len, &packet.data[..]), (1, 6, &b"octets"[..]));
    }

    #[test]
    fn a_comment_is_cut_to_what_an_option_holds() {
        let mut blocks = blocks();
        blocks.octets().clear();
        let comment = "µ".repeat(40_000);
        blocks.packet(&PacketHead { interface: 0, at: 0, direction: Direction::In, comment: &comment }, &[], &[]);
        // Head of block and packet, flags, the comment with its padding, the end of options, the length again.
        assert_eq!(blocks.octets().len(), 28 + 8 + 4 + 65_536 + 4 + 4);
        assert_eq!(blocks.octets()[38..40], 65_534_u16.to_le_bytes());
    }
}
