//! The station receives: ACKs and Block Acks, reordering, repetitions, requests.

use super::*;

/// What the Block Acks sent so far said: starting sequence number and the numbers that had come.
fn said(lab: &Lab) -> Vec<(u16, Vec<u16>)> {
    let block_acks = lab.sent.iter().filter(|(frame, _)| frame.kind == FrameKind::BlockAck);
    let said = block_acks.map(|(frame, carried)| {
        let BlockAckInfo { ssn, bitmap, size } = carried.said.block_ack;
        assert_eq!((frame.seq, size), (ssn, 64));
        (ssn, (0..256).filter(|&offset| bitmap.has(offset)).map(|offset| ssn + offset).collect())
    });
    said.collect()
}

#[test]
fn an_mpdu_alone_is_acknowledged_after_sifs_and_goes_up() {
    let mut lab = Lab::new("standard").hears(1_000, RxFrame::data(0)).hears(2_000, RxFrame::data(1));
    assert_eq!(lab.run(5_000), ["1228 up 0", "1244 ACK", "2228 up 1", "2244 ACK"]);
    assert_eq!(lab.fields()[0], (14, 0));
    assert_eq!(lab.edca.received_from(), [(PEER, 2)]);
}

#[test]
fn a_block_ack_lists_what_has_come_and_what_waits_goes_up_in_order() {
    let mut lab = Lab::new("standard");
    lab = lab.hears(1_000, RxFrame::aggregate([0, 1, 3, 5])).hears(3_000, RxFrame::aggregate([4, 6]).retry());
    lab = lab.hears(5_000, RxFrame::data(2).retry());
    let table = [
        "2000 up 0",
        "2000 up 1",
        "2016 BA",
        "4016 BA",
        "5228 up 2",
        "5228 up 3",
        "5228 up 4",
        "5228 up 5",
        "5228 up 6",
        "5244 ACK",
    ];
    assert_eq!(lab.run(9_000), table);
    assert_eq!(said(&lab), [(0, vec![0, 1, 3, 5]), (0, vec![0, 1, 3, 4, 5, 6])]);
    assert_eq!(lab.fields()[0], (32, 0));
    assert_eq!(lab.sent[0].0.mode.rate(), 24_000_000);
}

#[test]
fn an_a_mpdu_that_comes_again_is_acknowledged_and_not_delivered_twice() {
    let mut lab = Lab::new("standard");
    lab = lab.hears(1_000, RxFrame::aggregate([0, 1, 3])).hears(3_000, RxFrame::aggregate([0, 1, 2, 3]).retry());
    lab = lab.hears(5_000, RxFrame::data(3).retry());
    let table = ["2000 up 0", "2000 up 1", "2016 BA", "4000 up 2", "4000 up 3", "4016 BA", "5244 ACK"];
    assert_eq!(lab.run(9_000), table);
    assert_eq!(said(&lab), [(0, vec![0, 1, 3]), (0, vec![0, 1, 2, 3])]);
    assert_eq!(lab.edca.received_from(), [(PEER, 4)]);
}

#[test]
fn a_request_moves_the_window_and_is_answered() {
    let mut lab = Lab::new("standard");
    lab = lab.hears(1_000, RxFrame::aggregate([1, 2, 4])).hears(3_000, RxFrame::request(3));
    lab = lab.hears(5_000, RxFrame::data(0).retry()).hears(7_000, RxFrame::request(5));
    let table = ["2016 BA", "3032 up 1", "3032 up 2", "3048 BA", "5244 ACK", "7032 up 4", "7048 BA"];
    assert_eq!(lab.run(9_000), table);
    assert_eq!(said(&lab), [(0, vec![1, 2, 4]), (3, vec![4]), (5, vec![])]);
}

#[test]
fn an_mpdu_beyond_the_window_releases_what_it_leaves_behind() {
    let mut lab = Lab::new("standard").hears(1_000, RxFrame::aggregate([1, 2])).hears(3_000, RxFrame::aggregate([65]));
    assert_eq!(lab.run(9_000), ["2016 BA", "4000 up 1", "4000 up 2", "4016 BA"]);
    assert_eq!(said(&lab)[1], (2, vec![2, 65]));
}

#[test]
fn identifiers_and_transmitters_have_agreements_of_their_own() {
    let other = RxFrame { from: OTHER, ..RxFrame::aggregate([0, 1]) };
    let mut lab = Lab::new("standard").hears(1_000, RxFrame::aggregate([1, 2])).hears(3_000, other);
    lab = lab.hears(5_000, RxFrame::aggregate([0]).tid(VO));
    assert_eq!(lab.run(9_000), ["2016 BA", "4000 up 0", "4000 up 1", "4016 BA", "6000 up 0", "6016 BA"]);
    let to: Vec<(NodeId, u8)> = lab.sent.iter().map(|(frame, _)| (frame.dst, frame.tid)).collect();
    assert_eq!(to, [(PEER, BE), (OTHER, BE), (PEER, VO)]);
}

#[test]
fn what_waits_too_long_goes_up() {
    let mut lab = Lab::with("standard", |_, mac| mac.reorder_timeout = Some(100));
    // 1 and 4 wait from 2000 on, 3 from 52000 on.
    lab = lab.hears(1_000, RxFrame::aggregate([1, 4])).hears(51_000, RxFrame::aggregate([3]));
    lab = lab.hears(110_000, RxFrame::data(0).retry());
    let table = ["2016 BA", "52016 BA", "102000 up 1", "110244 ACK", "152000 up 3", "152000 up 4"];
    let log = lab.run(200_000);
    assert_eq!(log, table, "the first behind a gap counts, as in Linux; what comes later is acknowledged");
    let mut patient = Lab::new("standard").hears(1_000, RxFrame::aggregate([1, 4]));
    assert_eq!(patient.run(1_000_000), ["2016 BA"]);
}

#[test]
fn without_agreements_a_repetition_is_acknowledged_and_filtered() {
    let mut lab = Lab::with("standard", |_, mac| mac.ampdu = None);
    let frames =
        [RxFrame::data(5), RxFrame::data(5).retry(), RxFrame::data(6), RxFrame::data(6), RxFrame::data(5).retry()];
    // The same number from another station, and under another identifier, is another packet.
    let others = [RxFrame { from: OTHER, ..RxFrame::data(5).retry() }, RxFrame::data(5).tid(VO).retry()];
    for (nth, frame) in frames.into_iter().chain(others).enumerate() {
        lab = lab.hears(1_000 * (nth as u64 + 1), frame);
    }
    let log = lab.run(20_000);
    let up: Vec<u64> = only(&log, &["up"]).iter().map(|line| time(line)).collect();
    assert_eq!(up, [1_228, 3_228, 4_228, 5_228, 6_228, 7_228], "without the Retry bit none is a repetition");
    assert_eq!(only(&log, &["ACK"]).len(), 7);
}

#[test]
fn an_rts_is_answered_and_the_data_waited_for() {
    let mut lab = Lab::new("standard").draws(&[(15, 3)]).hears(1_000, RxFrame::rts(1_200));
    lab = lab.hears(1_088, RxFrame::aggregate([0, 1])).offer(1_050, 1);
    let ended = 2_088 + 16 + 32;
    let table = ["1044 CTS", "2088 up 0", "2088 up 1", "2104 BA"];
    let log = lab.run(5_000);
    assert_eq!(log[..4], table);
    assert_eq!(log[4], format!("{} DATA 0", ended + 43 + 27));
    assert_eq!(lab.fields()[0], (14, 1_200 - 16 - 28));
    // Where the data does not come the wait ends.
    let mut lab = Lab::new("standard").draws(&[(15, 3)]).hears(1_000, RxFrame::rts(1_200)).offer(1_050, 1);
    assert_eq!(lab.run(5_000)[..2], ["1044 CTS".into(), format!("{} DATA 0", 1_072 + 45 + 43 + 27)]);
}

#[test]
fn within_a_txop_answers_carry_its_rest() {
    let frames = [RxFrame::data(0), RxFrame::aggregate([1, 2]), RxFrame::request(3)];
    let mut lab = Lab::new("standard");
    for (nth, frame) in frames.into_iter().enumerate() {
        lab = lab.hears(3_000 * (nth as u64 + 1), RxFrame { nav: 1_500, ..frame });
    }
    lab.run(20_000);
    let durations: Vec<u64> = lab.fields().iter().map(|(_, duration)| *duration).collect();
    assert_eq!(durations, [1_500 - 16 - 28, 1_500 - 16 - 32, 1_500 - 16 - 32]);
}

#[test]
fn a_broadcast_goes_up_and_is_not_answered() {
    let mut lab = Lab::new("standard").hears(1_000, RxFrame { to: NodeId::BROADCAST, ..RxFrame::data(9) });
    assert_eq!(lab.run(9_000), ["1228 up 9"]);
    assert_eq!(lab.edca.received_from(), []);
}

#[test]
fn an_a_mpdu_of_which_nothing_came_is_not_answered_and_eifs_follows() {
    // As the engine has it: the frame was received, none of its MPDUs was.
    let mut lab = Lab::new("standard").hears(1_000, RxFrame::aggregate([]));
    let end = at(2_000);
    lab.station.catch_up(end, &lab.rules.station);
    assert!(lab.station.take_received(0));
    lab.station.fail_reception(end, &lab.rules.station);
    lab.input(end, |edca, cx| edca.on_rx_end(None, &[], FrameInfo::default(), cx));
    lab.events = EventQueue::new();
    let mut lab = lab.offer(2_000, 1);
    assert_eq!(lab.run(9_000)[0], format!("{} DATA 0", 2_000 + 16 + 44 + 43));
}

#[test]
fn in_as_ns3_all_but_the_last_mpdu_go_up_within_their_ppdu() {
    let mut lab =
        Lab::new("as-ns3").hears(1_000, RxFrame::aggregate([0, 1, 3])).hears(3_000, RxFrame::aggregate([2, 4]));
    let table =
        ["2000 up 0 early", "2000 up 1 early", "2016 BA", "4000 up 2 early", "4000 up 3 early", "4000 up 4", "4016 BA"];
    assert_eq!(lab.run(9_000), table);
}
