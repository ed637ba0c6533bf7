//! Frame exchanges: sequences, durations, time-outs, retries, answers (profile standard).
//!
//! RTS 352, CTS and ACK 304, 1536-byte data frame 6336 us.

use super::*;
use crate::config::mac::{Counting, CtsRule};
use crate::frame;

/// From the start of an RTS or a data frame to the end of the wait for its answer: SIFS, slot, receive-start delay.
const NO_CTS: u64 = 352 + 10 + 20 + 192;
const NO_ACK: u64 = 6_336 + 10 + 20 + 192;

#[test]
fn a_complete_exchange() {
    let mut lab = Lab::new("standard").offer(100);
    assert_eq!(lab.run(20_000), [(100, "RTS"), (776, "DATA"), (7_426, "sent")]);
    let fields: Vec<(u32, u64)> = lab.sent.iter().map(|f| (f.bytes, f.duration.0 / 1_000)).collect();
    assert_eq!(fields, [(20, 6_974), (1_536, 314)], "bytes and Duration fields");
}

#[test]
fn without_rts_the_data_frame_goes_at_once() {
    let mut lab = Lab::with("standard", |_, mac| mac.rts_threshold = None).offer(100);
    assert_eq!(lab.run(20_000), [(100, "DATA"), (6_750, "sent")]);
}

#[test]
fn the_rts_threshold_counts_the_bytes_of_the_frame() {
    let first = |bytes| {
        let lab = Lab::with("standard", |_, mac| mac.rts_threshold = Some(1_536));
        lab.offer_to(100, PEER, bytes).run(20_000)[0].1
    };
    assert_eq!(first(1_500), "DATA", "1536 bytes are not more than 1536");
    assert_eq!(first(1_501), "RTS");
}

#[test]
fn a_missing_cts_repeats_the_rts_with_a_doubled_window() {
    let mut lab = Lab::new("standard").peer(Peer::Silent).draws_from(&[(63, 40)]).offer(100);
    assert_eq!(instants(&lab.run(2_000), "RTS"), [100, 100 + NO_CTS + 40 * 20]);
    assert_eq!(lab.station.cw(), 63);
}

#[test]
fn a_frame_announced_before_the_time_out_puts_it_off() {
    let lab = |begins| {
        let lab = Lab::new("standard").peer(Peer::Silent).draws_from(&[(63, 5)]).offer(100);
        instants(&lab.hears(begins, RxFrame::foreign(1_500 - begins)).run(2_000), "RTS")
    };
    let time_out = 100 + NO_CTS;
    // Preamble and header of 192 us end at the time-out: the PHY announces it in time, it is judged at its end.
    assert_eq!(lab(time_out - 192), [100, 1_500 + 50 + 5 * 20]);
    // A microsecond later there is energy, but no frame yet: the back-off is drawn at the time-out. It counts from the
    // end of the frame on, like the other.
    let mut late = Lab::new("standard").peer(Peer::Silent).draws_from(&[(63, 5)]).offer(100);
    late = late.hears(time_out - 191, RxFrame::foreign(2_000));
    late.run(time_out);
    assert_eq!(late.station.cw(), 63, "failed at the time-out");
    // Begun later: the back-off runs already; one whole slot of it has passed.
    assert_eq!(lab(time_out + 25), [100, 1_500 + 50 + 4 * 20]);
}

#[test]
fn energy_alone_puts_no_time_out_off() {
    let lab = |frame: fn(u64) -> RxFrame| {
        let mut lab = Lab::new("standard").peer(Peer::Silent).draws_from(&[(63, 5)]).offer(100);
        lab = lab.hears(480, frame(2_000));
        lab.run(100 + NO_CTS);
        lab.station.cw()
    };
    assert_eq!(lab(RxFrame::foreign), 31, "still waiting");
    assert_eq!(lab(RxFrame::distant), 63);
}

#[test]
fn a_frame_for_the_station_decides_at_its_end() {
    let lab = |length, frame: fn(u64) -> RxFrame| {
        let lab = Lab::new("standard").peer(Peer::Silent).draws_from(&[(63, 5)]).offer(100);
        lab.hears(470, frame(length)).run(2_000)
    };
    let answered = lab(304, |length| RxFrame::new(FrameKind::Cts, PEER, ME, 7_000, length));
    assert_eq!(instants(&answered, "DATA"), [470 + 304 + 10]);
    let lost = lab(304, |length| RxFrame { to: ME, ..RxFrame::errored(length) });
    assert_eq!(instants(&lost, "RTS"), [100, 774 + 364 + 5 * 20], "EIFS and the back-off follow the end");
    let ended_before = lab(100, |length| RxFrame { to: ME, ..RxFrame::errored(length) });
    assert_eq!(instants(&ended_before, "RTS"), [100, 570 + 364 + 5 * 20], "nothing on the air at the time-out");
}

#[test]
fn seven_rts_without_cts_drop_the_packet() {
    let mut lab = Lab::new("standard").peer(Peer::Silent).offer(100).offer(100);
    let windows = [63, 127, 255, 511, 1_023, 1_023];
    let mut expected = vec![100];
    for slots in lab.unchosen_draws(&windows) {
        expected.push(expected.last().expect("one") + NO_CTS + 20 * slots);
    }
    let dropped = expected.last().expect("seven") + NO_CTS;
    let log = lab.run(dropped);
    assert_eq!(instants(&log, "RTS"), expected);
    assert_eq!(log.last(), Some(&(dropped, "dropped")));
    assert_eq!(lab.station.cw(), 31, "the window starts again");
    // A back-off from the smallest window precedes the next packet.
    let after = lab.unchosen_draws(&[63, 127, 255, 511, 1_023, 1_023, 31])[6];
    assert_eq!(instants(&lab.run(dropped + 1_000), "RTS")[7], dropped + 20 * after);
}

#[test]
fn four_data_frames_without_ack_drop_the_packet_after_rts() {
    let mut lab = Lab::new("standard").peer(Peer::ClearsOnly).offer(100);
    let mut rts = vec![100];
    for slots in lab.unchosen_draws(&[63, 127, 255]) {
        rts.push(rts.last().expect("one") + 676 + NO_ACK + 20 * slots);
    }
    let log = lab.run(200_000);
    assert_eq!(instants(&log, "RTS"), rts);
    assert_eq!(instants(&log, "DATA"), rts.iter().map(|us| us + 676).collect::<Vec<_>>());
    assert_eq!(log.last(), Some(&(rts[3] + 676 + NO_ACK, "dropped")));
    assert!(lab.sent.iter().filter(|f| f.kind == FrameKind::Data).all(|f| f.seq == 0), "one sequence number");
    assert_eq!(lab.mac.attempts().retries, 3);
}

#[test]
fn seven_data_frames_without_ack_drop_the_packet_without_rts() {
    let mut lab = Lab::with("standard", |_, mac| mac.rts_threshold = None).peer(Peer::Silent).offer(100);
    let mut data = vec![100];
    for slots in lab.unchosen_draws(&[63, 127, 255, 511, 1_023, 1_023]) {
        data.push(data.last().expect("one") + NO_ACK + 20 * slots);
    }
    let log = lab.run(300_000);
    assert_eq!(instants(&log, "DATA"), data);
    assert_eq!(log.last(), Some(&(data[6] + NO_ACK, "dropped")));
}

/// Runs until the station has sent so many RTS.
fn run_until_rts(lab: &mut Lab, count: usize) {
    let mut us = 0;
    while instants(&lab.log, "RTS").len() < count {
        us += 20;
        lab.run(us);
    }
}

#[test]
fn a_cts_starts_the_count_of_rts_again_where_the_station_counts() {
    let mut lab = Lab::with("standard", |_, mac| mac.retry_counting = Counting::Station).peer(Peer::Silent).offer(100);
    run_until_rts(&mut lab, 6);
    lab.peer = Peer::ClearsOnly;
    run_until_rts(&mut lab, 7);
    lab.peer = Peer::Silent;
    run_until_rts(&mut lab, 13);
    assert_eq!(lab.station.cw(), 1_023);
    lab.peer = Peer::Answers;
    let log = lab.run(1_000_000);
    assert_eq!(instants(&log, "RTS").len(), 14, "6, then a CTS, then 6 more and the last that is answered");
    assert_eq!(instants(&log, "DATA").len(), 2);
    assert_eq!(log.last().map(|l| l.1), Some("sent"));
    assert_eq!(lab.station.cw(), 31);
}

#[test]
fn a_cts_leaves_the_count_of_the_packet() {
    let mut lab = Lab::new("standard").peer(Peer::Silent).offer(100);
    run_until_rts(&mut lab, 6);
    lab.peer = Peer::ClearsOnly;
    run_until_rts(&mut lab, 7);
    lab.peer = Peer::Silent;
    let log = lab.run(1_000_000);
    assert_eq!(instants(&log, "RTS").len(), 8, "6, then a CTS, then the seventh without one");
    assert_eq!((instants(&log, "DATA").len(), log.last().map(|l| l.1)), (1, Some("dropped")));
    // The station itself has one failure since the CTS: its window goes on doubling.
    assert_eq!(lab.station.cw(), 1_023);
}

#[test]
fn a_packet_given_up_leaves_the_next_one_all_its_attempts() {
    let data_frames_of_the_second = |counting| {
        let mut lab = Lab::with("standard", |_, mac| mac.retry_counting = counting).peer(Peer::ClearsOnly).offer(100);
        // Three data frames without an ACK, then no CTS any more: given up at the short limit.
        run_until_rts(&mut lab, 3);
        lab.peer = Peer::Silent;
        lab.run(1_000_000);
        let first = instants(&lab.log, "DATA").len();
        assert_eq!((first, lab.log.last().map(|l| l.1)), (3, Some("dropped")));
        lab.peer = Peer::ClearsOnly;
        let log = lab.offer(1_000_001).run(3_000_000);
        instants(&log, "DATA").len() - first
    };
    assert_eq!(data_frames_of_the_second(Counting::Packet), 4);
    assert_eq!(data_frames_of_the_second(Counting::Station), 1, "ns-2: the first left three failures");
}

#[test]
fn a_repeated_frame_is_acknowledged_and_not_handed_up() {
    let repeated = RxFrame { retry: true, ..RxFrame::data(5) };
    let mut lab =
        Lab::new("standard").hears(100, RxFrame::data(5)).hears(7_000, repeated).hears(14_000, RxFrame::data(6));
    let expected = [(6_436, "up"), (6_446, "ACK"), (13_346, "ACK"), (20_336, "up"), (20_346, "ACK")];
    assert_eq!(lab.run(30_000), expected);
}

#[test]
fn a_frame_without_the_retry_bit_repeats_nothing() {
    let ups = |profile| {
        let lab = Lab::with(profile, |_, mac| mac.rts_threshold = None);
        let mut lab = lab.hears(100, RxFrame::data(5)).hears(7_000, RxFrame::data(5));
        instants(&lab.run(30_000), "up").len()
    };
    assert_eq!(ups("standard"), 2);
    assert_eq!(ups("ns2"), 1, "ns-2 looks at the number alone");
}

#[test]
fn a_data_frame_that_was_sent_before_has_the_retry_bit() {
    let mut lab = Lab::new("standard").peer(Peer::ClearsOnly).offer(100).offer(100);
    lab.run(60_000);
    lab.peer = Peer::Answers;
    lab.run(200_000);
    let data: Vec<(u16, bool)> =
        lab.sent.iter().filter(|f| f.kind == FrameKind::Data).map(|f| (f.seq, f.retry)).collect();
    assert!(data.len() > 3);
    let first = |seq| data.iter().position(|frame| frame.0 == seq);
    for (n, &(seq, retry)) in data.iter().enumerate() {
        assert_eq!(retry, first(seq) != Some(n), "frame {n} of {data:?}");
    }
    assert!(lab.sent.iter().filter(|f| f.kind == FrameKind::Rts).all(|f| !f.retry), "an RTS is never a repetition");
}

#[test]
fn a_broadcast_is_sent_once_at_the_basic_rate() {
    let mut lab = Lab::new("standard").draws(&[4]).offer_to(100, NodeId::BROADCAST, PACKET).offer(100);
    let log = lab.run(13_000);
    assert_eq!(log, [(100, "DATA"), (12_580, "sent"), (12_580 + 50 + 80, "RTS")]);
    assert_eq!((lab.sent[0].duration, lab.sent[0].bytes), (Span::ZERO, 1_536), "no reservation, no answer");
}

#[test]
fn a_broadcast_that_comes_in_is_handed_up_and_not_answered() {
    let frame = RxFrame::new(FrameKind::Data, PEER, NodeId::BROADCAST, 0, 1_000);
    assert_eq!(Lab::new("standard").hears(100, frame).run(5_000), [(1_100, "up")]);
}

#[test]
fn an_rts_is_answered_with_what_is_left_of_its_duration() {
    let mut lab = Lab::new("standard").hears(100, RxFrame::rts(PEER, ME, 6_974)).hears(776, RxFrame::data(0));
    assert_eq!(lab.run(20_000), [(462, "CTS"), (7_112, "up"), (7_122, "ACK")]);
    assert_eq!(lab.sent[0].duration, Span::from_micros(6_974 - 10 - 304));
    assert_eq!((lab.sent[0].bytes, lab.sent[1].bytes), (frame::CTS_BYTES, frame::ACK_BYTES));
    assert_eq!(lab.sent[1].duration, Span::ZERO);
}

#[test]
fn no_cts_is_sent_while_the_nav_is_set() {
    let reservation = RxFrame::new(FrameKind::Data, OTHER, PEER, 1_000, 500);
    let answered =
        |us| Lab::new("standard").hears(100, reservation).hears(us, RxFrame::rts(PEER, ME, 6_974)).run(3_000);
    assert_eq!(answered(700), [], "the CTS would leave at 1062, the NAV lasts until 1600");
    assert_eq!(answered(1_237), []);
    assert_eq!(answered(1_238), [(1_600, "CTS")], "it ends at that very instant");
}

#[test]
fn a_busy_carrier_forbids_the_cts_only_where_the_rule_says_so() {
    let answered = |rule| {
        let lab = Lab::with("standard", |_, mac| mac.cts_rule = rule);
        lab.hears(100, RxFrame::rts(PEER, ME, 6_974)).hears(300, RxFrame::distant(900)).run(800)
    };
    assert_eq!(answered(CtsRule::NavIdle), [(462, "CTS")]);
    assert_eq!(answered(CtsRule::MediumIdle), []);
}

#[test]
fn what_ends_with_the_sifs_no_longer_counts_and_what_begins_does_not_yet() {
    // The CTS is due at 462.
    let answered = |begins: u64, ends: u64| {
        let lab = Lab::with("standard", |_, mac| mac.cts_rule = CtsRule::MediumIdle);
        lab.hears(100, RxFrame::rts(PEER, ME, 6_974)).hears(begins, RxFrame::distant(ends - begins)).run(800)
    };
    assert_eq!(answered(300, 462), [(462, "CTS")]);
    assert_eq!(answered(300, 463), []);
    assert_eq!(answered(462, 600), [(462, "CTS")]);
    assert_eq!(answered(461, 600), []);
}

#[test]
fn an_ack_is_sent_whatever_the_nav() {
    let reservation = RxFrame::new(FrameKind::Cts, OTHER, PEER, 20_000, 304);
    let mut lab = Lab::new("standard").hears(100, reservation).hears(500, RxFrame::data(0));
    assert_eq!(lab.run(10_000), [(6_836, "up"), (6_846, "ACK")]);
}

#[test]
fn a_station_in_its_own_exchange_answers_no_rts() {
    let mut lab = Lab::new("standard").peer(Peer::Silent).offer(100).hears(460, RxFrame::rts(OTHER, ME, 6_974));
    assert_eq!(lab.run(850), [(100, "RTS")]);
}

#[test]
fn a_station_waiting_for_data_answers_no_second_rts() {
    let mut lab =
        Lab::new("standard").hears(100, RxFrame::rts(PEER, ME, 6_974)).hears(770, RxFrame::rts(OTHER, ME, 1_000));
    // The second RTS ends at 1122, after the wait for data (988) has passed.
    assert_eq!(lab.run(5_000), [(462, "CTS"), (1_132, "CTS")]);
    let mut ns2 = Lab::new("ns2").hears(100, RxFrame::rts(PEER, ME, 6_966)).hears(770, RxFrame::rts(OTHER, ME, 1_000));
    assert_eq!(ns2.run(5_000), [(462, "CTS")], "the whole data frame is waited for");
}

#[test]
fn unasked_answers_are_ignored() {
    let mut lab = Lab::new("standard").hears(100, RxFrame::new(FrameKind::Cts, PEER, ME, 500, 304));
    lab = lab.hears(600, RxFrame::new(FrameKind::Ack, PEER, ME, 0, 304));
    assert_eq!(lab.run(5_000), []);
}

#[test]
fn a_data_frame_and_its_ack_freeze_the_own_back_off() {
    let data = RxFrame { length: 100, ..RxFrame::data(0) };
    let lab = Lab::new("standard").draws(&[10]).hears(100, RxFrame::foreign(900)).offer(500);
    let mut lab = lab.hears(1_230, data).peer(Peer::Silent);
    // Frozen at 1230 with one slot left; up at 1330, ACK 1340..1644; one slot after DIFS.
    assert_eq!(lab.run(1_800), [(1_330, "up"), (1_340, "ACK"), (1_644 + 50 + 20, "RTS")]);
}
