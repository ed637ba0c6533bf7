//! What bounds an A-MPDU, how often an MPDU is tried, and how long.

use super::*;
use crate::config::mac::MissingBlockAck;
use crate::edca::QosStations;

/// MPDUs of the first PPDU of a hundred packets.
fn first(change: impl FnOnce(&mut RadioConfig, &mut MacConfig)) -> usize {
    let mut lab = Lab::with("as-ns3", change).offer(1_000, 100);
    lab.run(1_100);
    lab.sent[0].1.mpdus.len().max(1)
}

#[test]
fn the_tightest_limit_cuts_an_a_mpdu() {
    assert_eq!(first(|_, _| ()), 28, "the longest PPDU of the standard");
    assert_eq!(first(|radio, _| radio.mcs = 3), 11);
    assert_eq!(first(|radio, _| radio.mcs = 0), 2);
    assert_eq!(first(|_, mac| mac.block_ack_window = 16), 16);
    let bytes = |most| first(|_, mac| mac.ampdu = Some(most));
    assert_eq!([bytes(3_085), bytes(3_086), bytes(8_191), bytes(1_000)], [1, 2, 5, 1], "subframes of 1544 bytes");
    // Ten MPDUs: 15438 bytes, 476 symbols; nine: 13894 bytes, 428.
    let longest = |us| first(|_, mac| mac.longest_ppdu = Span::from_micros(us));
    assert_eq!([longest(1_940), longest(1_939), longest(200)], [10, 9, 1]);
    // As in ns-3: 12 MPDUs of 2320 us within 2528, the answer included.
    let txop = |us| first(|_, mac| mac.edca_txop = vec![0, us, 0, 0]);
    assert_eq!([txop(2_528), txop(2_320 + 48), txop(2_320 + 47), txop(32)], [12, 12, 11, 1]);
}

#[test]
fn mpdus_of_other_receivers_and_identifiers_do_not_join() {
    let mut lab = Lab::new("as-ns3").draws(&[(15, 0), (15, 0)]);
    for (to, tid) in [(PEER, 0), (PEER, 3), (PEER, 0), (OTHER, 0), (PEER, 3), (PEER, 0)] {
        lab = lab.offer_to(1_000, to, tid, PACKET);
    }
    lab.run(2_500);
    let carried: Vec<(NodeId, u8, usize)> =
        lab.sent.iter().map(|(frame, carried)| (frame.dst, frame.tid, carried.mpdus.len())).collect();
    assert_eq!(carried, [(PEER, 0, 3), (PEER, 3, 2), (OTHER, 0, 0)], "the oldest packet decides");
}

#[test]
fn one_stubborn_mpdu_stalls_the_window() {
    let lost = std::iter::repeat_n(Peer::Lacks(vec![0]), 4);
    let mut lab = Lab::with("as-ns3", |_, mac| mac.block_ack_window = 8).offer(1_000, 20).peer(lost);
    lab.run(40_000);
    let sent: Vec<usize> = lab.sent.iter().map(|(_, carried)| carried.mpdus.len()).collect();
    // Eight, then the first one alone, as nothing else is within the window.
    assert_eq!(sent[..2], [8, 0]);
    assert_eq!(lab.sent[1].0.seq, 0);
    assert_eq!(only(&lab.log, &["sent"]).len(), 20);
}

#[test]
fn an_mpdu_is_given_up_after_its_attempts_and_a_request_moves_the_recipient_on() {
    for missing in [MissingBlockAck::Request, MissingBlockAck::Resend] {
        let limit = |_: &mut RadioConfig, mac: &mut MacConfig| {
            (mac.mpdu_retry_limit, mac.missing_block_ack) = (Some(3), missing);
        };
        let lacks = |seqs: &[u16]| Peer::Lacks(seqs.to_vec());
        let peer = [lacks(&[0]), lacks(&[0, 2]), lacks(&[0])];
        let mut lab = Lab::with("standard", limit).offer(1_000, 1).offer(1_000, 1).offer(1_001, 1);
        lab.peer = [Peer::Silent].into_iter().chain(peer).collect();
        let log = lab.run(40_000);
        // The first goes alone; then 0 to 2, of which 1 and 2 come; 0 has a third attempt in vain.
        let frames: Vec<&str> = log.iter().map(|line| what(line)).collect();
        assert_eq!(frames[..2], ["DATA 0", "A-MPDU 0 x3"], "{missing:?}");
        assert_eq!(frames[2..], ["sent 1", "sent 2", "DATA 0", "sent 0"], "{missing:?}: an ACK came");
    }
}

#[test]
fn the_window_moves_on_without_an_mpdu_that_was_given_up() {
    let lacks = |seqs: &[u16]| Peer::Lacks(seqs.to_vec());
    let limit = |_: &mut RadioConfig, mac: &mut MacConfig| mac.mpdu_retry_limit = Some(2);
    let mut lab = Lab::with("as-ns3", limit).offer(1_000, 3).offer(1_100, 2);
    lab.peer = [lacks(&[0, 1]), lacks(&[0])].into_iter().collect();
    let log = lab.run(40_000);
    let frames: Vec<&str> = log.iter().map(|line| what(line)).collect();
    let table = ["A-MPDU 0 x3", "sent 2", "A-MPDU 0 x4", "sent 1", "sent 3", "sent 4", "dropped 0", "BAR 5"].as_slice();
    assert_eq!(frames, table);
    assert_eq!(lab.edca.attempts().retry_drops, 1);
    // The recipient waits for 0 no longer.
    assert_eq!(lab.recipients[0].block_ack().0, 5);
    assert!(lab.recipients[0].is_new(5) && !lab.recipients[0].is_new(4));
}

#[test]
fn requests_have_as_many_attempts_as_an_mpdu() {
    let limit = |_: &mut RadioConfig, mac: &mut MacConfig| mac.mpdu_retry_limit = Some(3);
    let mut lab = Lab::with("as-ns3", limit).offer(1_000, 2).beyond(Peer::Silent);
    let log = lab.run(200_000);
    let frames: Vec<&str> = log.iter().map(|line| what(line)).collect();
    let tried = ["A-MPDU 0 x2", "BAR 0", "BAR 0", "BAR 0"];
    let end = ["dropped 0", "dropped 1", "BAR 2", "BAR 2", "BAR 2"].as_slice();
    assert_eq!(frames, [&tried, &tried, &tried, end].concat());
    assert_eq!(lab.edca.waiting(), 0);
}

#[test]
fn without_a_retry_limit_requests_go_on() {
    let mut lab = Lab::new("as-ns3").offer(1_000, 2).beyond(Peer::Silent);
    let log = lab.run(1_000_000);
    assert!(log[1..].iter().all(|line| line.ends_with("BAR 0")), "ns3-ht rule 9");
    assert!(log.len() > 50);
}

#[test]
fn a_packet_is_given_up_at_the_end_of_its_lifetime() {
    // 1024 us from 1000 on: the first attempt that fails behind 2024 ends it.
    for ampdu in [Some(65_535), None] {
        let lifetime = |_: &mut RadioConfig, mac: &mut MacConfig| (mac.msdu_lifetime, mac.ampdu) = (Some(1), ampdu);
        let mut lab = Lab::with("as-ns3", lifetime).offer(1_000, 1).beyond(Peer::Silent);
        lab.run(4_000);
        let failed: Vec<u64> = only(&lab.log, &["DATA 0"]).iter().map(|line| time(line) + 228 + 45).collect();
        let (last, before) = failed.split_last().expect("an attempt");
        assert!(*last >= 2_024 && before.iter().all(|us| *us < 2_024), "{failed:?}");
        assert_eq!(only(&lab.log, &["dropped"]), [format!("{last} dropped 0")]);
    }
}

#[test]
fn a_packet_that_is_never_sent_has_a_lifetime_too() {
    // 1024 us from 1050 on. The medium is busy until 3000, and the back-off has two slots.
    let lab = |change: fn(&mut MacConfig)| {
        let lab = Lab::with("as-ns3", |_, mac| {
            mac.msdu_lifetime = Some(1);
            change(mac);
        });
        lab.draws(&[(15, 2)]).hears(1_000, RxFrame::foreign(2_000)).offer(1_050, 2)
    };
    let log = lab(|_| ()).offer(2_500, 1).run(9_000);
    assert_eq!(log, ["3061 DATA 0", "3061 expired 0", "3061 expired 1", "3333 sent 2"]);
    let mut none = lab(|_| ());
    assert_eq!(none.run(9_000), ["3061 expired 0", "3061 expired 1"], "nothing is left to send");
    assert_eq!((none.edca.waiting(), none.edca.attempts().retry_drops), (0, 0));
    // A full category makes room for what comes.
    let mut full = lab(|mac| mac.queue = 2).offer(2_000, 1).offer(2_500, 1);
    assert_eq!(full.run(9_000)[..4], ["2000 refused 2", "2500 expired 0", "2500 expired 1", "3061 DATA 0"]);
}

#[test]
fn a_neighbour_without_qos_gets_plain_data() {
    let mut lab = Lab::with("as-ns3", |_, mac| (mac.ampdu, mac.amsdu) = (None, Some(3_839)));
    lab.rules.set_qos_stations(&QosStations { listed: vec![PEER], have_qos: false });
    lab = lab.offer(1_000, 2).offer_to(1_000, NodeId::BROADCAST, BE, PACKET);
    lab = (0..2).fold(lab, |lab, _| lab.offer_to(1_000, OTHER, BE, PACKET));
    lab.run(5_000);
    let sizes: Vec<u32> = lab.sent.iter().map(|(frame, _)| frame.bytes).take(4).collect();
    assert_eq!(
        sizes,
        [1_536, 1_536, 1_536, 30 + 1_524 + 1_522],
        "no QoS Control field and no A-MSDU, and to all neither"
    );
}

#[test]
fn what_a_packet_takes_alone_is_at_the_rate_of_its_ppdu() {
    let rules = |threshold| rules("standard", |_, mac| mac.rts_threshold = threshold);
    let us = |span: Span| span.0 / 1_000;
    // AIFS 43, PPDU 228, SIFS 16, ACK 28; RTS, CTS and two SIFS 88.
    assert_eq!(us(rules(None).exchange(PEER, PACKET)), 43 + 228 + 16 + 28);
    assert_eq!(us(rules(Some(0)).exchange(PEER, PACKET)), 43 + 88 + 228 + 16 + 28);
    assert_eq!(us(rules(None).exchange(NodeId::BROADCAST, PACKET)), 34 + 536, "at 24 Mbit/s");
    assert_eq!(us(rules(None).longest_duration(PEER, PACKET + 38)), 3 * 16 + 28 + 228 + 28);
}

#[test]
fn no_lifetime_waits_for_the_answer_to_a_request() {
    let mut lab = Lab::with("as-ns3", |_, mac| mac.msdu_lifetime = Some(1)).offer(1_000, 2).beyond(Peer::Silent);
    let log = lab.run(20_000);
    let frames: Vec<&str> = log.iter().map(|line| what(line)).collect();
    let ended = frames.iter().position(|what| *what == "dropped 0").expect("the first packet is given up");
    assert_eq!(frames[..2], ["A-MPDU 0 x2", "BAR 0"]);
    assert!(frames[2..ended].iter().all(|what| *what == "BAR 0") && time(&log[ended]) >= 2_024);
    assert_eq!(frames[ended + 1..ended + 3], ["dropped 1", "BAR 2"], "the recipient is to move on");
}

#[test]
fn packets_wait_until_a_ppdu_takes_them() {
    // They come at 1000; the first goes at 1043, the others at 1331 and 1619 in the same TXOP. Another one comes at
    // 1700 and goes at 1907.
    let txop = |_: &mut RadioConfig, mac: &mut MacConfig| (mac.ampdu, mac.edca_txop) = (None, vec![2_528; 4]);
    let mut lab = Lab::with("as-ns3", txop).offer(1_000, 3).offer(1_700, 1);
    lab.run(3_000);
    assert_eq!(only(&lab.log, &["DATA 3"]), ["1907 DATA 3"]);
    let (mean, most) = lab.edca.occupancy(Time::ZERO, at(2_000));
    let waited = 3 * 43 + 2 * 288 + 288 + (1_907 - 1_700);
    assert_eq!((mean, most), (f64::from(waited) / 2_000.0, 3));
}

#[test]
fn packets_for_one_station_share_an_mpdu() {
    // A subframe has 14 + 1508 bytes; two in one body are 1524 + 1522, three 4570.
    let with =
        |most, ampdu| move |_: &mut RadioConfig, mac: &mut MacConfig| (mac.amsdu, mac.ampdu) = (Some(most), ampdu);
    let mut lab = Lab::with("as-ns3", with(3_839, Some(65_535))).offer(1_000, 5);
    // Two MPDUs of 30 + 3046 bytes, one of 1538: 3080, 3080 and 1542 bytes with delimiters, 238 symbols.
    let ended = 1_043 + 36 + 952 + 48;
    let log = lab.run(20_000);
    assert_eq!(log[0], "1043 A-MPDU 0 x3");
    assert_eq!(log[1..], std::array::from_fn::<_, 5, _>(|packet| format!("{ended} sent {packet}")));
    assert_eq!(lab.sent[0].1.mpdus.iter().map(|mpdu| mpdu.bytes).collect::<Vec<_>>(), [3_076, 3_076, 1_538]);
    let first = |most, ampdu| {
        let mut lab = Lab::with("as-ns3", with(most, ampdu)).offer(1_000, 5);
        lab.run(1_100);
        lab.sent[0].0.bytes
    };
    assert_eq!([first(3_046, None), first(3_045, None), first(7_935, None)], [3_076, 1_538, 30 + 4 * 1_524 + 1_522]);
}

#[test]
fn packets_that_wait_behind_an_amsdu_are_taken_back_one_by_one() {
    let limits = |_: &mut RadioConfig, mac: &mut MacConfig| (mac.amsdu, mac.ampdu) = (Some(3_839), Some(4_000));
    // The A-MPDU has no room behind the A-MSDU of packets 0 and 1; another one is made only when it goes.
    let mut lab = Lab::with("as-ns3", limits).offer(1_000, 5);
    lab.run(1_100);
    let mut take = |packet| lab.edca.take_waiting(at(1_100), |one| one == PacketId(packet));
    assert_eq!([0, 1, 2, 4].map(&mut take), [None, None, Some(PacketId(2)), Some(PacketId(4))]);
    let log = only(&lab.run(20_000), &["sent"]);
    assert_eq!(log.iter().map(|line| what(line)).collect::<Vec<_>>(), ["sent 0", "sent 1", "sent 3"]);
}

#[test]
fn a_category_holds_so_many_packets() {
    let mut lab = Lab::with("as-ns3", |_, mac| mac.queue = 4).offer(1_000, 5).offer_tid(1_001, VO);
    assert_eq!(lab.run(1_030), ["1000 refused 4"]);
    assert!(lab.edca.is_full(&lab.rules));
    // Those on the air are held.
    assert_eq!(lab.offer(1_050, 1).run(1_100).last().map(|line| what(line)), Some("refused 6"));
}

#[test]
fn a_gap_is_asked_about_again_once_an_answer_has_come() {
    let limit = |_: &mut RadioConfig, mac: &mut MacConfig| mac.mpdu_retry_limit = Some(2);
    let mut lab = Lab::with("as-ns3", limit).offer(1_000, 3).offer(50_000, 1);
    lab = lab.peer([Peer::Lacks(vec![0]), Peer::Silent, Peer::Silent, Peer::Silent]);
    let log = lab.run(100_000);
    let frames: Vec<&str> = log.iter().map(|line| what(line)).collect();
    let before = ["A-MPDU 0 x3", "sent 1", "sent 2", "DATA 0", "dropped 0", "BAR 3", "BAR 3"].as_slice();
    assert_eq!(frames, [before, &["DATA 3", "sent 3", "BAR 4"]].concat());
    assert_eq!(lab.recipients[0].block_ack().0, 4, "1 to 3 have gone up");
}
