//! Agreements set up by ADDBA frames (IEEE 802.11-2020 10.25.2 and 11.5.2): 37 bytes at 6 Mbit/s take 76 us, their ACK 44.

use super::*;
use crate::config::mac::BlockAckSetup;

fn lab() -> Lab {
    with(|_, _| ())
}

fn with(change: impl FnOnce(&mut RadioConfig, &mut MacConfig)) -> Lab {
    Lab::with("as-ns3", |radio, mac| {
        mac.block_ack_setup = BlockAckSetup::Addba;
        change(radio, mac);
    })
}

const REQUEST: Addba = Addba { is_response: false, token: 1, window: 64, ssn: 0 };
const RESPONSE: Addba = Addba { is_response: true, ..REQUEST };

/// The end of the ACK of a request that is sent at 1043.
const ASKED: u64 = 1_043 + 76 + 16 + 44;

#[test]
fn a_request_and_its_response_set_an_agreement_up() {
    let mut lab = lab().draws(&[(15, 0), (15, 7)]).offer(1_000, 3).hears(1_300, RxFrame::action(RESPONSE));
    let log = lab.run(20_000);
    // The response ends at 1376, and its ACK takes 44.
    let data = 1_376 + 16 + 44 + 43;
    let table = ["1043 ACTION".into(), "1392 ACK".into(), format!("{data} A-MPDU 0 x3")];
    assert_eq!(log[..3], table);
    assert_eq!(lab.addba(), [REQUEST]);
    let request = &lab.sent[0].0;
    assert_eq!((request.bytes, request.mode.rate(), request.airtime.0), (37, 6_000_000, 76_000));
    assert_eq!((request.dst, request.duration.0), (PEER, 60_000), "its ACK at the same rate");
    assert_eq!(lab.edca.mpdu_counts().sent, 3, "it is no data");
    // It is there for good.
    assert_eq!(only(&lab.offer(30_000, 2).run(40_000), &["30043"]), ["30043 A-MPDU 3 x2"]);
}

#[test]
fn one_packet_alone_is_worth_a_request_in_vht_and_he() {
    assert_eq!(lab().offer(1_000, 1).run(20_000), ["1043 DATA 0", "1315 sent 0"], "in HT it goes bare");
    for format in [PpduFormat::Vht, PpduFormat::He] {
        let mut lab = with(|radio, _| radio.ppdu_format = format).offer(1_000, 1);
        assert_eq!(only(&lab.run(1_300), &["DATA", "ACTION"]), ["1043 ACTION"], "{format:?}");
    }
}

#[test]
fn without_a_mpdu_there_is_nothing_to_agree_on() {
    let mut lab = with(|_, mac| mac.ampdu = None).offer(1_000, 3);
    assert_eq!(only(&lab.run(20_000), &["DATA", "ACTION"]).len(), 3);
    assert_eq!(lab.addba(), []);
}

#[test]
fn what_waits_for_the_neighbour_waits_on_and_others_go() {
    let mut lab = lab().offer(1_000, 2).draws(&[(15, 2), (15, 0)]);
    lab = lab.offer_to(1_100, OTHER, BE, PACKET).offer_tid(1_100, VO);
    let log = only(&lab.run(1_600), &["DATA", "ACTION"]);
    // Voice to the same neighbour is another traffic identifier, and goes bare.
    assert_eq!(
        log,
        ["1043 ACTION".into(), format!("{} DATA 0", ASKED + 34), format!("{} DATA 0", ASKED + 34 + 272 + 43)]
    );
    assert_eq!(
        lab.sent[1..].iter().map(|(frame, _)| (frame.dst, frame.tid)).collect::<Vec<_>>(),
        [(PEER, VO), (OTHER, BE)]
    );
}

#[test]
fn without_a_response_in_time_mpdus_go_one_by_one_for_a_while() {
    let mut lab = lab().offer(1_000, 3).offer(150_000, 3).offer(300_000, 2).draws(&[(15, 0), (15, 3)]);
    let log = only(&lab.run(400_000), &["DATA", "ACTION"]);
    let first = ASKED + 5_000 + 43;
    assert_eq!(
        log[..3],
        ["1043 ACTION".into(), format!("{first} DATA 0"), format!("{} DATA 1", first + 272 + 43 + 27)]
    );
    assert_eq!(
        log[3..].iter().map(|line| what(line)).collect::<Vec<_>>(),
        ["DATA 2", "DATA 3", "DATA 4", "DATA 5", "ACTION", "DATA 6", "DATA 7"]
    );
    assert_eq!(time(&log[7]), 300_043, "200 ms later it asks again");
    let again = Addba { token: 2, ssn: 6, ..REQUEST };
    assert_eq!(lab.addba(), [REQUEST, again]);
}

#[test]
fn a_request_has_the_attempts_of_a_frame() {
    let silent = std::iter::repeat_n(Peer::Silent, 7);
    let mut lab = lab().offer(1_000, 2).peer(silent);
    let log = lab.run(100_000);
    let names: Vec<&str> = log.iter().map(|line| what(line)).collect();
    assert_eq!(names, [["ACTION"; 7].as_slice(), &["DATA 0", "sent 0", "DATA 1", "sent 1"]].concat());
    assert_eq!(
        lab.sent[..3].iter().map(|(frame, _)| (frame.retry, frame.seq)).collect::<Vec<_>>(),
        [(false, 0), (true, 0), (true, 0)]
    );
    assert_eq!((lab.edca.attempts().data_failures, lab.edca.attempts().retry_drops), (0, 0));
}

#[test]
fn a_response_that_comes_before_its_request_is_acknowledged_counts() {
    // The ACK of the request is lost, and the request comes again behind the response.
    let lab = lab().draws(&[(31, 31), (15, 3)]).offer(1_000, 2).peer([Peer::Unheard]);
    let mut lab = lab.hears(1_300, RxFrame::action(RESPONSE));
    let log = only(&lab.run(20_000), &["ACTION", "MPDU"]);
    assert_eq!(log.iter().map(|line| what(line)).collect::<Vec<_>>(), ["ACTION", "ACTION", "A-MPDU 0 x2"]);
    assert_eq!(lab.addba(), [REQUEST, REQUEST]);
}

#[test]
fn a_late_response_counts_and_a_request_closes_the_gap() {
    // It has gone on with 0 to 2, of which 1 was given up after its attempts: the recipient is notified.
    let mut lab = with(|_, mac| mac.retry_limit = Some(1)).offer(1_000, 3).draws(&[(15, 0), (15, 0)]);
    lab.peer = [Peer::Answers, Peer::Answers, Peer::Silent].into_iter().collect();
    lab = lab.hears(20_000, RxFrame::action(RESPONSE)).offer(30_000, 2);
    let log = only(&lab.run(40_000), &["DATA", "ACTION", "MPDU", "BAR", "dropped"]);
    let names: Vec<&str> = log.iter().map(|line| what(line)).collect();
    assert_eq!(names, ["ACTION", "DATA 0", "DATA 1", "dropped 1", "DATA 2", "BAR 3", "A-MPDU 3 x2"]);
}

#[test]
fn a_response_to_another_request_counts_for_nothing() {
    let stray = Addba { token: 9, ..RESPONSE };
    let mut lab = lab().draws(&[(15, 0)]).offer(1_000, 2).hears(1_300, RxFrame::action(stray));
    let log = only(&lab.run(8_000), &["DATA", "MPDU", "ACK"]);
    assert_eq!(log[..2], ["1392 ACK".into(), format!("{} DATA 0", ASKED + 5_000 + 43)]);
}

#[test]
fn a_request_is_acknowledged_and_answered_before_data() {
    let request = Addba { window: 32, ssn: 5, token: 7, ..REQUEST };
    let mut lab = lab().draws(&[(15, 3), (15, 6)]).hears(1_000, RxFrame::action(request)).offer(1_020, 1);
    let log = only(&lab.run(20_000), &["ACK", "ACTION", "DATA"]);
    // The packet has drawn a back-off of three slots before the request has come.
    let response = 1_092 + 44 + 43 + 27;
    let data = response + 76 + 16 + 44 + 43 + 54;
    assert_eq!(log, ["1092 ACK".into(), format!("{response} ACTION"), format!("{data} DATA 0")]);
    assert_eq!(lab.addba(), [Addba { is_response: true, ..request }]);
    // MPDUs under it go up in order, from 5 on.
    let mut lab = lab.hears(30_000, RxFrame::aggregate([6, 7])).hears(40_000, RxFrame::data(5));
    assert_eq!(only(&lab.run(50_000), &["up"]), ["40228 up 5", "40228 up 6", "40228 up 7"]);
}

#[test]
fn a_repeated_request_is_acknowledged_and_not_answered_again() {
    let again = RxFrame::action(REQUEST).retry();
    let mut lab = lab().hears(1_000, RxFrame::action(REQUEST)).hears(3_000, again);
    assert_eq!(only(&lab.run(20_000), &["ACK", "ACTION"]).len(), 3);
    // Without the Retry bit it is a new one.
    let mut lab = lab.hears(30_000, RxFrame { seq: 1, ..RxFrame::action(REQUEST) });
    assert_eq!(lab.run(50_000).last().map(|line| what(line)), Some("ACTION"));
}

#[test]
fn a_new_agreement_hands_up_what_has_waited_under_the_old_one() {
    let lab = lab().hears(1_000, RxFrame::action(REQUEST)).hears(3_000, RxFrame::aggregate([1, 3]));
    let begin = Addba { ssn: 9, token: 2, ..REQUEST };
    let mut lab = lab.hears(5_000, RxFrame { seq: 1, ..RxFrame::action(begin) }).hears(7_000, RxFrame::data(9));
    assert_eq!(only(&lab.run(20_000), &["up"]), ["5076 up 1", "5076 up 3", "7228 up 9"]);
}

#[test]
fn before_an_agreement_an_mpdu_goes_up_at_once() {
    let mut lab =
        lab().hears(1_000, RxFrame::data(4)).hears(2_000, RxFrame::data(4).retry()).hears(3_000, RxFrame::data(6));
    assert_eq!(only(&lab.run(20_000), &["up"]), ["1228 up 4", "3228 up 6"], "nothing is waited for");
}

#[test]
fn the_smaller_window_counts() {
    let mut lab = lab().offer(1_000, 60).hears(1_300, RxFrame::action(Addba { window: 8, ..RESPONSE }));
    assert_eq!(only(&lab.run(3_000), &["MPDU"]).first().map(|line| what(line)), Some("A-MPDU 0 x8"));
    let mut lab = with(|_, mac| mac.block_ack_window = 16).hears(1_000, RxFrame::action(REQUEST));
    lab.run(3_000);
    assert_eq!(lab.addba()[0].window, 16);
}

#[test]
fn both_frames_are_protected_as_others_are() {
    let mut lab = with(|_, mac| mac.rts_threshold = Some(36)).offer(1_000, 2);
    assert_eq!(only(&lab.run(1_300), &["RTS", "ACTION"]), ["1043 RTS", "1131 ACTION"]);
}

#[test]
fn a_request_is_an_exchange_of_a_txop() {
    let mut lab = with(|_, mac| mac.edca_txop = vec![0, 2_528, 0, 0]).offer(1_000, 2);
    lab = lab.offer_to(1_010, OTHER, BE, PACKET);
    let log = only(&lab.run(1_400), &["ACTION", "DATA", "CF-END"]);
    assert_eq!(log, ["1043 ACTION".into(), format!("{} DATA 0", ASKED + 16)]);
}
