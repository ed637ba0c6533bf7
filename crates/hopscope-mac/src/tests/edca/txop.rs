//! Several exchanges in one TXOP (IEEE 802.11-2020 10.23.2.8).

use super::*;
use crate::config::mac::TxopRecovery;

/// A TXOP limit of best effort.
fn of_best_effort(us: u32) -> impl FnOnce(&mut RadioConfig, &mut MacConfig) {
    move |_, mac| mac.edca_txop = vec![0, us, 0, 0]
}

#[test]
fn exchanges_follow_a_sifs_apart_until_the_next_does_not_fit() {
    // Single MPDUs, as A-MPDU is off: each takes 228 + 16 + 28, and a SIFS before the next.
    let mut lab = Lab::with("as-ns3", |radio, mac| {
        of_best_effort(2_528)(radio, mac);
        mac.ampdu = None;
    });
    lab = lab.offer(1_000, 12).draws(&[(15, 2)]);
    let log = only(&lab.run(6_000), &["DATA"]);
    // Eight take 8 x 288 + 272 - 288 = 2288, nine 2576.
    let first = (0..8).map(|nth| 1_043 + 288 * nth);
    let again = 1_043 + 2_288 + 68 + 43 + 18;
    let second = (0..4).map(|nth| again + 288 * nth);
    let table: Vec<String> = first.chain(second).zip(0..).map(|(us, seq)| format!("{us} DATA {seq}")).collect();
    assert_eq!(log, table);
    assert_eq!(only(&lab.log, &["CF-END"])[0], format!("{} CF-END", 1_043 + 2_288 + 16), "52 us at 6 Mbit/s");
    let durations: Vec<u64> = lab.fields().iter().map(|(_, duration)| *duration).collect();
    assert_eq!(durations[..3], [2_528 - 228, 2_528 - 288 - 228, 2_528 - 576 - 228], "the rest of the TXOP");
}

#[test]
fn an_a_mpdu_is_cut_to_what_is_left() {
    let mut lab = Lab::with("as-ns3", of_best_effort(2_528)).offer(1_000, 3).offer(1_200, 60).draws(&[(15, 0)]);
    let log = only(&lab.run(9_000), &["MPDU"]);
    // Three until 1043 + 608 + 48 = 1699. From 1715 on 1856 are left: nine MPDUs (1748 + 48), ten take 1940.
    // They end at 3511; another one would need 272 behind SIFS, and 44 are left.
    assert_eq!(log[..2], ["1043 A-MPDU 0 x3", "1715 A-MPDU 3 x9"]);
    // The next TXOP is full: 12 MPDUs.
    assert_eq!(log[2], format!("{} A-MPDU 12 x12", 3_511 + 43));
}

/// Single MPDUs of best effort in TXOPs of 2528 us, of which the second one is lost.
fn with_a_loss(recovery: TxopRecovery, packets: usize) -> Lab {
    let lab = Lab::with("as-ns3", |radio, mac| {
        of_best_effort(2_528)(radio, mac);
        (mac.ampdu, mac.txop_recovery) = (None, recovery);
    });
    lab.offer(1_000, packets).peer([Peer::Answers, Peer::Silent])
}

/// When the wait for the answer to the second one is over.
const FAILED: u64 = 1_043 + 288 + 228 + 45;

#[test]
fn a_failed_exchange_ends_the_txop() {
    let mut lab = with_a_loss(TxopRecovery::Backoff, 4).draws(&[(31, 9)]);
    let log = only(&lab.run(4_000), &["DATA"]);
    let third = FAILED + 43 + 81;
    let table =
        ["1043 DATA 0".into(), "1331 DATA 1".into(), format!("{third} DATA 1"), format!("{} DATA 2", third + 288)];
    assert_eq!(log[..4], table);
}

#[test]
fn after_pifs_of_idle_medium_the_txop_goes_on() {
    let mut lab = with_a_loss(TxopRecovery::Pifs, 3);
    let again = FAILED + 16 + 9;
    let cf_end = again + 288 + 272 + 16;
    let table =
        ["1043 DATA 0".into(), "1331 DATA 1".into(), format!("{again} DATA 1"), format!("{} DATA 2", again + 288)];
    let log = lab.run(20_000);
    assert_eq!(only(&log, &["DATA"]), table);
    assert_eq!(only(&log, &["CF-END"]), [format!("{cf_end} CF-END")]);
    let durations: Vec<u64> = lab.fields().iter().map(|(_, duration)| *duration).collect();
    assert_eq!(durations[2], 1_043 + 2_528 - again - 228, "to the end of the same TXOP");
    assert_eq!((lab.cw(Ac::BestEffort), lab.edca.attempts().retries), (15, 1));
}

#[test]
fn pifs_recovery_of_a_medium_that_becomes_busy_is_a_back_off() {
    // A frame begins with the last microsecond of PIFS, or a microsecond later, when the frame is on the air.
    for (begin, again) in [(24, FAILED + 24 + 300 + 43 + 81), (26, FAILED + 25)] {
        let mut lab = with_a_loss(TxopRecovery::Pifs, 2).draws(&[(31, 9)]);
        lab.watchful = true;
        lab = lab.hears(FAILED + begin, RxFrame::foreign(300));
        assert_eq!(
            only(&lab.run(20_000), &["DATA 1"])[..2],
            ["1331 DATA 1".into(), format!("{again} DATA 1")],
            "{begin}"
        );
    }
    // One that has begun too late for its preamble to end before the wait, and ends within PIFS.
    let mut lab = with_a_loss(TxopRecovery::Pifs, 2).draws(&[(31, 9)]);
    lab.watchful = true;
    lab = lab.hears(FAILED - 10, RxFrame::foreign(30));
    assert_eq!(only(&lab.run(20_000), &["DATA 1"])[1], format!("{} DATA 1", FAILED + 25 + 43 + 81));
}

#[test]
fn pifs_recovery_repeats_until_the_txop_is_over() {
    // Each attempt takes 228 + 45 + 25, and needs 272 until 3571: seven fit behind the first exchange, and 154 us are left.
    let mut lab = with_a_loss(TxopRecovery::Pifs, 2).beyond(Peer::Silent).draws(&[(31, 5)]);
    lab.rules.qos.as_mut().expect("a QoS station").plain_limit = 20;
    let log = only(&lab.run(3_700), &["DATA 1", "CF-END"]);
    let first = 1_043 + 288;
    let over = first + 298 * 7;
    let attempts = (0..7).map(|nth| format!("{} DATA 1", first + 298 * nth));
    let end = [format!("{over} CF-END"), format!("{} DATA 1", over + 52 + 43 + 45)];
    assert_eq!(log, attempts.chain(end).collect::<Vec<_>>());
    assert_eq!(lab.cw(Ac::BestEffort), 31, "one back-off");
}

#[test]
fn a_cf_end_follows_pifs_where_no_exchange_fits() {
    // An A-MPDU of the two that are left does not fit behind the loss; 80 us do.
    let lab = Lab::with("as-ns3", |radio, mac| {
        of_best_effort(2 * 288 + 45 + 25 + 80)(radio, mac);
        mac.ampdu = None;
    });
    let mut lab = lab.offer(1_000, 2).peer([Peer::Answers, Peer::Silent]).draws(&[(31, 3)]);
    let log = only(&lab.run(20_000), &["CF-END", "DATA 1"]);
    let cf_end = FAILED + 25;
    assert_eq!(log[1..3], [format!("{cf_end} CF-END"), format!("{} DATA 1", cf_end + 52 + 43 + 27)]);
}

#[test]
fn the_first_exchange_is_never_recovered() {
    let mut lab = Lab::with("as-ns3", of_best_effort(2_528)).offer(1_000, 1).peer([Peer::Silent]).draws(&[(31, 4)]);
    assert_eq!(only(&lab.run(20_000), &["DATA"])[1], format!("{} DATA 0", 1_043 + 228 + 45 + 43 + 36));
}

#[test]
fn a_request_asks_after_pifs() {
    let lab = Lab::with("as-ns3", of_best_effort(4_000)).offer(1_000, 1).offer(1_050, 2);
    let mut lab = lab.peer([Peer::Answers, Peer::Unheard]);
    // Two MPDUs take 420 us.
    let log = only(&lab.run(20_000), &["BAR", "MPDU", "sent"]);
    assert_eq!(log[..3], ["1315 sent 0".into(), "1331 A-MPDU 1 x2".into(), format!("{} BAR 1", 1_331 + 420 + 45 + 25)]);
    assert_eq!(log.len(), 5);
}

#[test]
fn a_packet_that_comes_in_time_goes_on_in_the_txop() {
    // It comes before the ACK of the first ends at 1315, or after it: a CF-End follows until 1383.
    let second = |us| {
        let lab = Lab::with("as-ns3", of_best_effort(2_528)).offer(1_000, 1).offer(us, 1).draws(&[(15, 6)]);
        only(&{ lab }.run(20_000), &["DATA 1"])
    };
    assert_eq!(second(1_314), ["1331 DATA 1"]);
    assert_eq!(second(1_316), [format!("{} DATA 1", 1_315 + 68 + 43 + 54)]);
}

#[test]
fn a_request_and_broadcasts_are_exchanges_of_a_txop() {
    let lab = Lab::with("as-ns3", of_best_effort(4_000)).offer(1_000, 2).peer([Peer::Unheard]).draws(&[(31, 0)]);
    let mut lab = lab.offer_to(1_050, NodeId::BROADCAST, BE, PACKET).offer(1_051, 1);
    let log = only(&lab.run(20_000), &["DATA", "BAR", "MPDU"]);
    let request = 1_043 + 420 + 45 + 43;
    let broadcast = request + 32 + 48 + 16;
    let table = [
        "1043 A-MPDU 0 x2".into(),
        format!("{request} BAR 0"),
        format!("{broadcast} DATA 0"),
        format!("{} DATA 2", broadcast + 536 + 16),
    ];
    assert_eq!(log, table);
}

#[test]
fn with_rts_the_handshake_counts() {
    let mut lab = Lab::with("as-ns3", |radio, mac| {
        of_best_effort(2_400)(radio, mac);
        mac.rts_threshold = Some(0);
    });
    lab = lab.offer(1_000, 60);
    lab.run(4_000);
    let (rts, data) = (&lab.sent[0].0, &lab.sent[1].0);
    assert_eq!(rts.duration.0 / 1_000, 2_400 - 28, "to the end of the TXOP");
    assert_eq!(data.airtime.0 / 1_000, 2_128, "eleven MPDUs; twelve would fit without the handshake of 88 us");
    assert_eq!(lab.sent[1].1.mpdus.len(), 11);
}

#[test]
fn a_cf_end_gives_back_what_is_left_if_that_is_longer() {
    // One exchange of 272 us, SIFS and 52 us.
    let log = |us| Lab::with("as-ns3", of_best_effort(us)).offer(1_000, 1).run(20_000);
    assert_eq!(log(340), ["1043 DATA 0", "1315 sent 0", "1331 CF-END"]);
    assert_eq!(log(339), ["1043 DATA 0", "1315 sent 0"]);
    let mut lab = Lab::with("as-ns3", of_best_effort(2_000)).offer(1_000, 1).draws(&[(15, 3)]);
    // Its own station goes on behind it.
    lab = lab.offer(1_340, 1);
    assert_eq!(only(&lab.run(20_000), &["DATA 1"]), [format!("{} DATA 1", 1_383 + 43 + 27)]);
    assert_eq!((lab.sent[1].0.dst, lab.sent[1].0.bytes, lab.sent[1].0.duration), (NodeId::BROADCAST, 20, Span::ZERO));
}

#[test]
fn a_cf_end_of_another_station_frees_the_medium() {
    let reserved = RxFrame { nav: 5_000, ..RxFrame::foreign(200) };
    let cf_end = RxFrame::new(FrameKind::CfEnd, OTHER, NodeId::BROADCAST, 52);
    let first = |frames: Vec<(u64, RxFrame)>| {
        let lab = Lab::new("as-ns3").draws(&[(15, 4)]).offer(1_100, 1);
        let mut lab = frames.into_iter().fold(lab, |lab, (us, frame)| lab.hears(us, frame));
        only(&lab.run(20_000), &["DATA"])
    };
    assert_eq!(first(vec![(1_000, reserved.clone())]), [format!("{} DATA 0", 6_200 + 43 + 36)]);
    assert_eq!(first(vec![(1_000, reserved), (2_000, cf_end)]), [format!("{} DATA 0", 2_052 + 43 + 36)]);
}

#[test]
fn an_rts_goes_once_in_a_txop() {
    let lab = |ampdu| {
        Lab::with("as-ns3", move |radio, mac| {
            of_best_effort(2_528)(radio, mac);
            (mac.rts_threshold, mac.ampdu) = (Some(0), ampdu);
        })
    };
    // RTS, CTS and two SIFS take 88; behind it single MPDUs follow every 288: eight end 2376 behind the begin, nine 2664.
    let mut single = lab(None).offer(1_000, 12).draws(&[(15, 2)]);
    let log = only(&single.run(6_000), &["RTS", "DATA"]);
    let first = 1_043 + 88;
    let data = (0..8).map(|nth| format!("{} DATA {nth}", first + 288 * nth));
    let again = first + 288 * 7 + 272 + 16 + 52 + 43 + 18;
    let table: Vec<String> = std::iter::once("1043 RTS".into()).chain(data).chain([format!("{again} RTS")]).collect();
    assert_eq!(log[..10], table);
    let durations: Vec<u64> = single.fields().iter().map(|(_, duration)| *duration).collect();
    assert_eq!(durations[..2], [2_528 - 28, 2_528 - 88 - 228], "to the end of the TXOP");
    assert_eq!(single.edca.attempts().rts, 2);
    // Behind three of them 1768 us are left: eight take 1556 + 48, and nine 1748 + 48.
    let mut many = lab(Some(65_535)).offer(1_000, 3).offer(1_200, 60);
    let log = only(&many.run(4_000), &["RTS", "MPDU"]);
    assert_eq!(log[..3], ["1043 RTS", "1131 A-MPDU 0 x3", "1803 A-MPDU 3 x8"]);
}

#[test]
fn each_neighbour_of_a_txop_answers_an_rts() {
    let mut lab = Lab::with("as-ns3", |radio, mac| {
        of_best_effort(5_000)(radio, mac);
        (mac.rts_threshold, mac.ampdu) = (Some(0), None);
    });
    lab.both_answer = true;
    for (us, to) in [(1_000, PEER), (1_001, OTHER), (1_002, PEER), (1_003, OTHER)] {
        lab = lab.offer_to(us, to, if to == PEER { BE } else { 3 }, PACKET);
    }
    lab.run(9_000);
    let sent: Vec<_> = lab.sent.iter().map(|(frame, _)| (frame.kind, frame.dst)).collect();
    let [rts, data] = [FrameKind::Rts, FrameKind::Data];
    assert_eq!(sent[..6], [(rts, PEER), (data, PEER), (rts, OTHER), (data, OTHER), (data, PEER), (data, OTHER)]);
}

#[test]
fn an_rts_without_an_answer_protects_nothing() {
    let mut lab = Lab::with("as-ns3", |radio, mac| {
        of_best_effort(2_528)(radio, mac);
        mac.rts_threshold = Some(0);
    });
    lab = lab.offer(1_000, 1).peer([Peer::Silent]);
    let log = only(&lab.run(20_000), &["RTS", "DATA"]);
    assert_eq!(log.iter().map(|line| what(line)).collect::<Vec<_>>(), ["RTS", "RTS", "DATA 0"]);
}
