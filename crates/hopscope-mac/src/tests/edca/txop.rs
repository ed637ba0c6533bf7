//! Several exchanges in one TXOP (IEEE 802.11-2020 10.23.2.8).

use super::*;

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

#[test]
fn a_failed_exchange_ends_the_txop() {
    let mut lab = Lab::with("as-ns3", |radio, mac| {
        of_best_effort(2_528)(radio, mac);
        mac.ampdu = None;
    });
    lab = lab.offer(1_000, 4).peer([Peer::Answers, Peer::Silent]).draws(&[(31, 9)]);
    let log = only(&lab.run(4_000), &["DATA"]);
    let second = 1_043 + 288;
    let third = second + 228 + 45 + 43 + 81;
    assert_eq!(
        log[..4],
        [
            "1043 DATA 0".into(),
            format!("{second} DATA 1"),
            format!("{third} DATA 1"),
            format!("{} DATA 2", third + 288),
        ]
    );
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
