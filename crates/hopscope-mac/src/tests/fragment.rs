//! Packets in fragments (profile standard).
//!
//! A threshold of 564 bytes leaves 536 for the packet; 1508 bytes with LLC header go as 536, 536 and 436, frames of 564,
//! 564 and 464 bytes that take 2448, 2448 and 2048 us. RTS 352, CTS and ACK 304.

use proptest::prelude::*;

use super::*;
use crate::fragment::{Fragmentation, MOST};
use hopscope_testing::property;

/// From the start of a long fragment to the end of the wait for its ACK.
const NO_ACK: u64 = 2_448 + 10 + 20 + 192;

fn lab() -> Lab {
    Lab::with("standard", |_, mac| mac.fragmentation_threshold = Some(564))
}

/// Number of the packet, number of the fragment, bytes and Duration field (us) of the data frames sent.
fn data(lab: &Lab) -> Vec<(u16, u16, u32, u64)> {
    let frames = lab.sent.iter().filter(|f| f.kind == FrameKind::Data);
    frames.map(|f| (f.seq, u16::from(f.frag), f.bytes, f.duration.0 / 1_000)).collect()
}

#[test]
fn fragments_follow_each_other_after_sifs() {
    let mut lab = lab().offer(100);
    let expected = [(100, "RTS"), (776, "DATA"), (3_548, "DATA"), (6_320, "DATA"), (8_682, "sent")];
    assert_eq!(lab.run(30_000), expected);
    assert_eq!(
        lab.sent[0].duration,
        Span::from_micros(3 * 10 + 304 + 2_448 + 304),
        "the RTS reserves the first fragment"
    );
    let next = |length: u64| 3 * 10 + 2 * 304 + length;
    assert_eq!(data(&lab), [(0, 0, 564, next(2_448)), (0, 1, 564, next(2_048)), (0, 2, 464, 314)]);
}

#[test]
fn short_packets_and_broadcasts_stay_whole() {
    let mut short = lab().offer_to(100, PEER, 528);
    assert_eq!(short.run(20_000), [(100, "RTS"), (776, "DATA"), (3_538, "sent")]);
    assert_eq!(data(&short), [(0, 0, 564, 314)]);
    let mut broadcast = lab().offer_to(100, NodeId::BROADCAST, PACKET);
    assert_eq!(broadcast.run(20_000), [(100, "DATA"), (12_580, "sent")]);
    assert_eq!(data(&broadcast), [(0, 0, 1_536, 0)]);
}

#[test]
fn the_rts_threshold_counts_the_bytes_of_a_fragment() {
    let first = |rts| {
        let lab = Lab::with("standard", |_, mac| {
            (mac.fragmentation_threshold, mac.rts_threshold) = (Some(564), Some(rts));
        });
        lab.offer(100).run(20_000)[0]
    };
    assert_eq!(first(563), (100, "RTS"));
    assert_eq!(first(564), (100, "DATA"));
}

#[test]
fn a_fragment_without_ack_is_repeated_alone() {
    let mut lab = lab().draws_from(&[(63, 40)]).offer(100).offer(100);
    lab.run(3_540);
    lab.peer = Peer::ClearsOnly;
    let again = 3_548 + NO_ACK + 40 * 20;
    lab.run(again - 1);
    lab.peer = Peer::Answers;
    lab.run(again + 5_000);
    assert_eq!(lab.mac.view().last_retries, 1, "counted over the whole packet");
    let log = lab.run(again + 8_000);
    let rest = [(again, "RTS"), (again + 676, "DATA"), (again + 676 + 2_772, "DATA"), (again + 676 + 5_134, "sent")];
    assert_eq!(log[3..7], rest);
    let numbers: Vec<(u16, u16)> = data(&lab).iter().map(|&(packet, fragment, ..)| (packet, fragment)).collect();
    assert_eq!(numbers[..4], [(0, 0), (0, 1), (0, 1), (0, 2)]);
    let after = lab.run(again + 40_000);
    assert_eq!(after.iter().filter(|line| line.1 == "sent").count(), 2);
    assert_eq!(data(&lab)[4..].iter().map(|d| (d.0, d.1)).collect::<Vec<_>>(), [(1, 0), (1, 1), (1, 2)]);
}

#[test]
fn each_fragment_has_its_own_attempts_and_the_packet_falls_with_one() {
    let mut lab = lab().offer(100);
    let run_until = |lab: &mut Lab, frames: usize| {
        let mut us = 0;
        while data(lab).len() < frames {
            us += 1;
            lab.run(us);
        }
    };
    // Three attempts of fragment 0 without an answer; the fourth is answered. Then fragment 1 fails four times.
    lab.peer = Peer::ClearsOnly;
    run_until(&mut lab, 3);
    lab.peer = Peer::Answers;
    run_until(&mut lab, 4);
    lab.peer = Peer::ClearsOnly;
    let log = lab.run(1_000_000);
    assert_eq!(data(&lab).iter().map(|d| d.1).collect::<Vec<_>>(), [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(log.last().map(|line| line.1), Some("dropped"));
}

/// Fragments of packet 5 from node 1: number, Duration field, length.
fn fragment(number: u8, more: bool) -> RxFrame {
    let nav = if more { 3_086 } else { 314 };
    RxFrame { nav, length: 2_448, frag: number, ..RxFrame::data(5) }
}

#[test]
fn a_packet_goes_up_with_its_last_fragment_and_each_is_acknowledged() {
    let lab = lab().hears(100, fragment(0, true)).hears(2_872, fragment(1, true)).hears(5_644, fragment(2, false));
    // The last one comes again, as if its ACK had been lost.
    let mut lab = lab.hears(10_000, RxFrame { retry: true, ..fragment(2, false) });
    let expected = [(2_558, "ACK"), (5_330, "ACK"), (8_092, "up"), (8_102, "ACK"), (12_458, "ACK")];
    assert_eq!(lab.run(30_000), expected);
    let reserved: Vec<u64> = lab.sent.iter().map(|ack| ack.duration.0 / 1_000).collect();
    assert_eq!(reserved, [3_086 - 314, 3_086 - 314, 0, 0], "an ACK reserves the next fragment as the last one did");
}

#[test]
fn a_packet_with_a_gap_or_too_late_does_not_go_up() {
    let gap = lab().hears(100, fragment(0, true)).hears(3_000, fragment(2, false)).run(30_000);
    assert_eq!(gap, [(2_558, "ACK"), (5_448, "incomplete"), (5_458, "ACK")]);
    let late = |second| {
        let mut lab = lab().hears(100, fragment(0, true)).hears(second, fragment(1, false));
        lab.run(1_000_000).iter().filter(|line| line.1 == "up").count()
    };
    assert_eq!(late(520_000), 1, "512 units of 1024 us have not passed");
    assert_eq!(late(530_000), 0);
}

proptest! {
    #![proptest_config(property(512))]

    #[test]
    fn fragments_are_equal_even_and_make_up_the_packet(threshold in 256u32..3_000, packet in 1u32..8_000) {
        let mac = MacConfig { fragmentation_threshold: Some(threshold), ..MacConfig::default() };
        let cut = Fragmentation::new(&mac).expect("it is on");
        let whole = packet + mac.data_header;
        let sizes: Vec<u32> = (0..cut.count(whole)).map(|n| cut.bytes(whole, n) - mac.data_header).collect();
        prop_assert!(sizes.len() <= MOST as usize);
        prop_assert_eq!(sizes.iter().sum::<u32>(), packet);
        let (last, others) = sizes.split_last().expect("at least one");
        prop_assert!(others.iter().all(|&size| size == sizes[0] && size % 2 == 0));
        prop_assert!(*last > 0 && *last <= sizes[0]);
        if packet <= MOST * ((threshold - mac.data_header) & !1) {
            prop_assert!(sizes[0] + mac.data_header <= threshold);
        }
        if whole <= threshold && packet % 2 == 0 {
            prop_assert_eq!(sizes.len(), 1);
        }
    }
}
