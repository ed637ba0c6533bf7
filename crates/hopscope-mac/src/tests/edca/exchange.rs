//! Exchanges of one access: single MPDUs, A-MPDUs, answers and their absence, RTS, broadcast.

use super::*;
use crate::config::mac::MissingBlockAck;

/// The end of the wait for an answer, behind the end of the frame: SIFS, slot and preamble.
const WAIT: u64 = 16 + 9 + 20;

#[test]
fn one_mpdu_alone_goes_bare_and_an_ack_answers_it() {
    let mut standard = Lab::new("standard").offer(1_000, 1);
    assert_eq!(standard.run(20_000), ["1000 DATA 0", "1272 sent 0"]);
    assert_eq!(standard.fields(), [(1_538, 16 + 28)], "bytes and Duration field");
    let mut as_ns3 = Lab::new("as-ns3").offer(1_000, 1);
    assert_eq!(as_ns3.run(20_000), ["1043 DATA 0", "1315 sent 0"], "AIFS counts from its arrival on (rule 13)");
}

#[test]
fn a_psdu_of_vht_or_he_is_an_a_mpdu_even_of_one() {
    for format in [PpduFormat::Vht, PpduFormat::He] {
        let mut lab = Lab::with("as-ns3", |radio, _| radio.ppdu_format = format).offer(1_000, 1);
        assert_eq!(lab.run(1_100), ["1043 DATA 0"]);
        assert_eq!(lab.fields(), [(1_542, 44)], "{format:?}: a delimiter, and an ordinary ACK");
    }
}

#[test]
fn what_waits_at_the_access_goes_in_one_ppdu() {
    for (profile, begin) in [("standard", 1_000), ("as-ns3", 1_043)] {
        let mut lab = Lab::new(profile).draws(&[(15, 4)]).offer(1_000, 3).offer(1_500, 28);
        let log = only(&lab.run(20_000), &["DATA", "A-MPDU"]);
        // In standard the first packet goes as it comes; 43 us later all of them are there.
        if profile == "standard" {
            let next = begin + 272 + 43 + 4 * 9;
            assert_eq!(log[..2], [format!("{begin} DATA 0"), format!("{next} A-MPDU 1 x2")]);
        } else {
            assert_eq!(log[0], "1043 A-MPDU 0 x3");
        }
    }
}

#[test]
fn a_block_ack_follows_the_longest_a_mpdu_after_sifs() {
    let mut lab = Lab::new("as-ns3").offer(1_000, 29).draws(&[(15, 5)]);
    let log = lab.run(20_000);
    let ended = 1_043 + 5_360 + 16 + 32;
    assert_eq!(log[0], "1043 A-MPDU 0 x28");
    assert_eq!(log[1..29], std::array::from_fn::<_, 28, _>(|packet| format!("{ended} sent {packet}")));
    assert_eq!(log[29..], [format!("{} DATA 28", ended + 43 + 45), format!("{} sent 28", ended + 43 + 45 + 272)]);
    assert_eq!(lab.fields()[0], (28 * 1_544 - 2, 16 + 32), "delimiters, and padding but after the last");
}

#[test]
fn failed_mpdus_come_again_first_together_with_new_ones() {
    let peer = [Peer::Lacks(vec![1, 27])];
    let mut lab = Lab::new("as-ns3").offer(1_000, 60).peer(peer).draws(&[(15, 0)]);
    let log = lab.run(12_000);
    let ended = 1_043 + 5_360 + 48;
    assert_eq!(only(&log, &["A-MPDU"]), ["1043 A-MPDU 0 x28".to_owned(), format!("{} A-MPDU 1 x28", ended + 43)]);
    let again = lab.mpdus(1);
    assert_eq!(again[..4], [(1, true), (27, true), (28, false), (29, false)]);
    assert_eq!(again.len(), 28);
    assert_eq!(lab.cw(Ac::BestEffort), 15, "a Block Ack is a success, whatever it lacks");
    assert_eq!(only(&log, &["sent"]).len(), 26 + 28);
}

#[test]
fn an_mpdu_alone_without_ack_comes_again_with_a_doubled_window() {
    let mut lab = Lab::new("as-ns3").offer(1_000, 1).peer([Peer::Silent, Peer::Unheard]).draws(&[(31, 20), (63, 1)]);
    let second = 1_043 + 228 + WAIT + 43 + 180;
    let third = second + 228 + WAIT + 43 + 9;
    let table = ["1043 DATA 0".to_owned(), format!("{second} DATA 0"), format!("{third} DATA 0")];
    assert_eq!(only(&lab.run(20_000), &["DATA"]), table);
    assert_eq!(lab.sent.iter().map(|(frame, _)| frame.retry).collect::<Vec<_>>(), [false, true, true]);
    assert_eq!(lab.log.last(), Some(&format!("{} sent 0", third + 272)));
}

#[test]
fn a_request_asks_for_a_missing_block_ack_and_its_answer_decides() {
    for (came, table) in [
        // Nothing had come: all is sent again.
        (Peer::Silent, ["A-MPDU 0 x3", "BAR 0", "A-MPDU 0 x4"].as_slice()),
        // All had: only the packet that came meanwhile goes.
        (Peer::Unheard, ["A-MPDU 0 x3", "BAR 0", "DATA 3"].as_slice()),
    ] {
        let mut lab = Lab::new("as-ns3").offer(1_000, 3).offer(1_100, 1).peer([came]).draws(&[(31, 7), (15, 2)]);
        let log = lab.run(20_000);
        let frames = only(&log, &["A-MPDU", "BAR", "DATA"]);
        assert_eq!(frames.iter().map(|line| what(line)).collect::<Vec<_>>(), table);
        // 3 MPDUs: 4630 bytes, 143 symbols.
        let (request, next) = (1_043 + 36 + 572 + WAIT + 43 + 63, 32 + 16 + 32 + 43 + 18);
        assert_eq!(frames[1..].iter().map(|line| time(line)).collect::<Vec<_>>(), [request, request + next]);
        assert_eq!(lab.fields()[1], (24, 48));
        assert_eq!(lab.sent[1].0.mode, lab.rules.rates.first(PEER, FrameKind::Rts));
    }
}

#[test]
fn a_request_without_answer_comes_again() {
    let lacks = [Peer::Lacks(vec![0]), Peer::Unheard, Peer::Unheard, Peer::Unheard];
    let mut lab =
        Lab::new("as-ns3").offer(1_000, 2).peer(lacks[1..].to_vec()).draws(&[(31, 0), (63, 0), (127, 0), (15, 0)]);
    let log = lab.run(20_000);
    let names: Vec<&str> = log.iter().map(|line| what(line)).collect();
    assert_eq!(names, ["A-MPDU 0 x2", "BAR 0", "BAR 0", "BAR 0", "sent 0", "sent 1"]);
    assert_eq!(lab.cw(Ac::BestEffort), 15);
    assert_eq!(lab.edca.mpdu_counts().requests, 3);
}

#[test]
fn with_resend_the_mpdus_come_again_at_once() {
    let resend = |mac: &mut MacConfig| mac.missing_block_ack = MissingBlockAck::Resend;
    let mut lab = Lab::with("as-ns3", |_, mac| resend(mac)).offer(1_000, 2).peer([Peer::Unheard]).draws(&[(31, 3)]);
    // 2 MPDUs: 3086 bytes, 96 symbols.
    let second = 1_043 + 36 + 384 + WAIT + 43 + 27;
    let ended = second + 420 + 48;
    let table = [
        "1043 A-MPDU 0 x2".into(),
        format!("{second} A-MPDU 0 x2"),
        format!("{ended} sent 0"),
        format!("{ended} sent 1"),
    ];
    assert_eq!(lab.run(20_000), table);
    assert_eq!(lab.mpdus(1), [(0, true), (1, true)]);
}

#[test]
fn an_rts_precedes_what_is_longer_than_its_threshold() {
    let lab = || Lab::with("as-ns3", |_, mac| mac.rts_threshold = Some(1_538)).offer(1_000, 1);
    assert_eq!(lab().run(20_000), ["1043 DATA 0", "1315 sent 0"]);
    // The PSDU counts (rule 16): two MPDUs are longer.
    let mut two = lab().offer(1_010, 1);
    let data = 1_043 + 28 + 16 + 28 + 16;
    let ended = data + 420 + 48;
    let table =
        ["1043 RTS".into(), format!("{data} A-MPDU 0 x2"), format!("{ended} sent 0"), format!("{ended} sent 1")];
    assert_eq!(two.run(20_000), table);
    assert_eq!(two.fields(), [(20, 16 * 3 + 28 + 420 + 32), (3_086, 48)]);
}

#[test]
fn a_missing_cts_costs_no_request() {
    let mut lab = Lab::with("as-ns3", |_, mac| mac.rts_threshold = Some(1_538)).offer(1_000, 2).peer([Peer::Silent]);
    lab = lab.draws(&[(31, 2)]);
    let again = 1_043 + 28 + WAIT + 43 + 18;
    assert_eq!(
        only(&lab.run(20_000), &["RTS", "BAR", "A-MPDU"]),
        ["1043 RTS".into(), format!("{again} RTS"), format!("{} A-MPDU 0 x2", again + 88)]
    );
    assert_eq!(lab.mpdus(2), [(0, false), (1, false)], "they were not on the air");
    assert_eq!(lab.edca.attempts().data_failures, 0);
}

#[test]
fn a_broadcast_goes_once_at_a_basic_rate_and_nothing_answers_it() {
    let lab = Lab::new("as-ns3").offer_to(1_000, NodeId::BROADCAST, BE, PACKET).offer(1_010, 2).draws(&[(15, 3)]);
    let mut lab = lab.offer_to(1_020, NodeId::BROADCAST, BE, PACKET);
    // 1538 bytes at 24 Mbit/s: 20 + 4 x 129.
    let ended = 1_043 + 536;
    let log = lab.run(20_000);
    assert_eq!(log[..3], ["1043 DATA 0".into(), format!("{ended} sent 0"), format!("{} A-MPDU 0 x2", ended + 43 + 27)]);
    assert_eq!(lab.fields()[0], (1_538, 0));
    assert_eq!(only(&log, &["DATA"]).len(), 2, "the second one, in its turn");
}

#[test]
fn without_a_mpdu_a_packet_has_seven_attempts() {
    let mut lab = Lab::with("as-ns3", |_, mac| mac.ampdu = None).offer(1_000, 2).beyond(Peer::Silent);
    let mut windows = vec![];
    let mut us = 0;
    while only(&lab.run(us), &["dropped 1"]).is_empty() {
        if windows.last() != Some(&lab.cw(Ac::BestEffort)) {
            windows.push(lab.cw(Ac::BestEffort));
        }
        us += 50;
        assert!(us < 1_000_000);
    }
    let names: Vec<&str> = lab.log.iter().map(|line| what(line)).collect();
    let seven = |data, end| [data; 7].into_iter().chain([end]).collect::<Vec<&str>>();
    assert_eq!(names, [seven("DATA 0", "dropped 0"), seven("DATA 1", "dropped 1")].concat());
    assert_eq!(windows[..8], [15, 31, 63, 127, 255, 511, 1_023, 15], "eight failures in a row (ns3-cells rule 10)");
    assert_eq!((lab.edca.attempts().retry_drops, lab.edca.mpdu_counts().sent), (2, 14));
}

#[test]
fn an_answer_to_another_frame_is_none() {
    // A Block Ack comes where an ACK is due, and an ACK where a Block Ack is.
    let stray = |kind| RxFrame::new(kind, PEER, ME, 28);
    for (packets, kind) in [(1, FrameKind::BlockAck), (2, FrameKind::Ack)] {
        let mut lab = Lab::new("as-ns3").offer(1_000, packets).beyond(Peer::Silent);
        let ended = 1_043 + [228, 420][packets - 1];
        lab = lab.hears(ended + 16, stray(kind));
        assert_eq!(only(&lab.run(ended + 100), &["sent"]), [""; 0], "{kind:?}");
        assert_eq!(lab.edca.attempts().retries, 1);
    }
}
