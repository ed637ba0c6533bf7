//! Octets thrown at the decoders of every protocol.
//!
//! The first octet picks the decoder, the rest is the packet. Checksums, which no mutation would ever hit, are put right first; where
//! they were wrong the decoder sees the input as it came, too.

use std::fmt::Debug;

use hopscope_wire::dccp::{self, Addresses, DccpOption, Options};
use hopscope_wire::dot11::{Mac, aggregate};
use hopscope_wire::dsr::Dsr;
use hopscope_wire::icmp::Icmp;
use hopscope_wire::ipv4::Ipv4;
use hopscope_wire::link::{self, Arp};
use hopscope_wire::radiotap::Radiotap;
use hopscope_wire::tcp::Tcp;
use hopscope_wire::{Malformed, Sum, aodv, atp, babel, batman, dsdv, fcs, notice, olsr, path_notice, tcp, udp};

const ENDS: ([u8; 4], [u8; 4]) = ([10, 0, 0, 1], [10, 0, 0, 2]);

/// Decodes a packet of the protocol that the first octet names.
pub fn octets(input: &[u8]) {
    let Some((&first, packet)) = input.split_first() else { return };
    let decode = DECODERS[usize::from(first) % DECODERS.len()];
    decode(packet);
}

const DECODERS: [fn(&[u8]); 13] =
    [frame, radio, llc, arp, ip, control, segment, datagram, congestion, vector, distance, source, state];

/// MAC frames, and the subframes of aggregates: the numbers of the decoders stay.
fn frame(packet: &[u8]) {
    let _ = Mac::read(packet);
    subframes(packet);
    let whole = [packet, &fcs(packet).to_le_bytes()].concat();
    let Ok(read) = Mac::read(&whole) else { return };
    let mut written = Vec::new();
    read.write(&mut written);
    assert_eq!(Mac::read(&written), Ok(read));
}

fn subframes(packet: &[u8]) {
    let mut written = Vec::new();
    if let Ok((mpdu, eof)) = aggregate::take_mpdu(&mut &packet[..]) {
        aggregate::write_mpdu(mpdu, eof, &mut written);
        assert_eq!(aggregate::take_mpdu(&mut &written[..]), Ok((mpdu, eof)));
    }
    written.clear();
    if let Ok(msdu) = aggregate::take_msdu(&mut &packet[..]) {
        aggregate::write_msdu(msdu.to, msdu.from, msdu.body, &mut written);
        assert_eq!(aggregate::take_msdu(&mut &written[..]), Ok(msdu));
    }
}

fn radio(packet: &[u8]) {
    let Ok((read, _)) = Radiotap::read(packet) else { return };
    let mut written = Vec::new();
    read.write(&mut written);
    assert_eq!(Radiotap::read(&written), Ok((read, &[][..])));
}

fn llc(packet: &[u8]) {
    let Ok((kind, rest)) = link::read_llc(packet) else { return };
    let mut written = Vec::new();
    link::write_llc(&mut written, kind);
    written.extend(rest);
    assert_eq!(link::read_llc(&written), Ok((kind, rest)));
}

fn arp(packet: &[u8]) {
    comes_back(packet, Arp::read, Arp::write);
}

fn ip(packet: &[u8]) {
    let _ = Ipv4::read(packet);
    let head = usize::from(packet.first().copied().unwrap_or(0) & 15) * 4;
    let Some(whole) = summed(packet, 10, |octets| Sum::default().with(&octets[..head.min(octets.len())])) else {
        return;
    };
    let Ok((read, payload)) = Ipv4::read(&whole) else { return };
    let mut written = Vec::new();
    read.write(payload.len(), &mut written);
    written.extend(payload);
    assert_eq!(Ipv4::read(&written), Ok((read, payload)));
}

fn control(packet: &[u8]) {
    let _ = Icmp::read(packet);
    let Some(whole) = summed(packet, 2, |octets| Sum::default().with(octets)) else { return };
    let Ok(read) = Icmp::read(&whole) else { return };
    let mut written = Vec::new();
    read.write(&mut written);
    assert_eq!(Icmp::read(&written), Ok(read));
}

fn segment(packet: &[u8]) {
    let _ = Tcp::read(packet, ENDS, 0);
    if packet.len() < 20 {
        return;
    }
    let mut whole = packet.to_vec();
    tcp::close(&mut whole, 0, ENDS);
    let Ok((read, payload)) = Tcp::read(&whole, ENDS, 0) else { return };
    if read.head_bytes() > tcp::MOST_HEADER {
        return; // options without the padding that the engine's have, too many for it
    }
    let mut written = Vec::new();
    read.write_head(&mut written);
    written.extend(payload);
    tcp::close(&mut written, 0, ENDS);
    assert_eq!(Tcp::read(&written, ENDS, 0), Ok((read, payload)));
}

fn datagram(packet: &[u8]) {
    let _ = udp::read(packet, ENDS);
    if packet.len() < 8 {
        return;
    }
    // A checksum of zero is one that was not computed.
    let whole = [&packet[..6], &[0, 0], &packet[8..]].concat();
    let Ok((ports, payload)) = udp::read(&whole, ENDS) else { return };
    let mut written = Vec::new();
    udp::open(ports, &mut written);
    written.extend(payload);
    udp::close(&mut written, 0, ENDS);
    assert_eq!(udp::read(&written, ENDS), Ok((ports, payload)));
}

/// DCCP, and ATP, which came later: the numbers of the decoders stay.
fn congestion(packet: &[u8]) {
    rate(packet);
    let Ok(read) = dccp::Packet::decode(packet) else { return };
    let _ = dccp::has_good_checksum(packet, Addresses::V4(ENDS.0, ENDS.1));
    for (kind, content) in Options::new(read.options) {
        let _ = DccpOption::read(kind, content);
    }
    for is_reliable in [false, true] {
        let _ = dccp::to_engine(&read, is_reliable);
    }
    let Ok(written) = read.encode() else { return };
    assert_eq!(dccp::Packet::decode(&written), Ok(read));
}

fn rate(packet: &[u8]) {
    let _ = atp::read(packet, ENDS);
    if packet.len() < atp::HEADER {
        return;
    }
    let mut whole = packet.to_vec();
    atp::close(&mut whole, 0, ENDS);
    let Ok(read) = atp::read(&whole, ENDS) else { return };
    let mut written = Vec::new();
    atp::open(&read.packet, read.ports, &mut written);
    written.extend(read.payload);
    atp::close(&mut written, 0, ENDS);
    assert_eq!(atp::read(&written, ENDS), Ok(read));
}

fn vector(packet: &[u8]) {
    comes_back(packet, aodv::read, aodv::write);
}

/// DSDV, and what else goes from neighbour to neighbour in datagrams of its own.
fn distance(packet: &[u8]) {
    comes_back(packet, notice::read, notice::write);
    comes_back(packet, path_notice::read, path_notice::write);
    comes_back(packet, dsdv::read, dsdv::write);
}

fn source(packet: &[u8]) {
    let Ok((read, rest)) = Dsr::read(packet) else { return };
    let mut written = Vec::new();
    read.write(&mut written);
    written.extend(rest);
    assert_eq!(Dsr::read(&written), Ok((read, rest)));
}

fn state(packet: &[u8]) {
    comes_back(packet, olsr::read, olsr::write);
    comes_back(packet, babel::read, babel::write);
    comes_back(packet, batman::read, batman::write);
}

/// What is read is the same once it was written and read again.
fn comes_back<T: Debug + PartialEq>(
    packet: &[u8],
    read: impl Fn(&[u8]) -> Result<T, Malformed>,
    write: impl Fn(&T, &mut Vec<u8>),
) {
    let Ok(found) = read(packet) else { return };
    let mut written = Vec::new();
    write(&found, &mut written);
    assert_eq!(read(&written), Ok(found));
}

/// The packet with the right checksum at a place; none where there is no room for it.
fn summed(packet: &[u8], at: usize, sum: impl Fn(&[u8]) -> Sum) -> Option<Vec<u8>> {
    let mut whole = packet.to_vec();
    whole.get_mut(at..at + 2)?.fill(0);
    let found = sum(&whole).checksum();
    whole[at..at + 2].copy_from_slice(&found.to_be_bytes());
    Some(whole)
}
