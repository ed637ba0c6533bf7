//! Contention of the four categories (IEEE 802.11-2020 10.23.2.4).

use super::*;

/// The first frame of the station, when it is of a category.
fn first(profile: &str, tid: u8, received: Option<RxFrame>, draw: (u32, u32)) -> u64 {
    let lab = Lab::new(profile).draws(&[draw]);
    let lab = received.into_iter().fold(lab, |lab, frame| lab.hears(1_000, frame)).offer_tid(1_050, tid);
    time(&only(&{ lab }.run(10_000), &["DATA"])[0])
}

#[test]
fn each_category_has_its_aifs() {
    for profile in ["standard", "as-ns3"] {
        // The medium is busy from 1000 to 1300.
        let busy = |tid, draw| first(profile, tid, Some(RxFrame::foreign(300)), draw) - 1_300;
        assert_eq!(busy(BK, (15, 4)), 16 + 7 * 9 + 36, "{profile}");
        assert_eq!(busy(BE, (15, 4)), 16 + 3 * 9 + 36, "{profile}");
        assert_eq!(busy(VI, (7, 4)), 16 + 2 * 9 + 36, "{profile}");
        assert_eq!(busy(VO, (3, 2)), 16 + 2 * 9 + 18, "{profile}");
    }
}

#[test]
fn a_packet_that_finds_an_idle_medium_waits_for_aifs_alone() {
    for (tid, aifs) in [(BK, 79), (BE, 43), (VI, 34), (VO, 34)] {
        assert_eq!(first("as-ns3", tid, None, (3, 3)), 1_050 + aifs, "from its arrival on (ns3-ht rule 13)");
        assert_eq!(first("standard", tid, None, (3, 3)), 1_050, "idle time before it counts");
    }
    // The medium is idle since 1030.
    assert_eq!(first("standard", BE, Some(RxFrame::foreign(30)), (15, 3)), 1_030 + 43);
    assert_eq!(first("standard", BK, Some(RxFrame::foreign(30)), (15, 3)), 1_030 + 79);
}

#[test]
fn an_internal_collision_is_the_lower_categorys_failure_and_is_not_on_the_air() {
    // Both count from 1343 or 1334 on: 43 + 18 us and 34 + 27.
    let lab = Lab::new("as-ns3").draws(&[(15, 2), (3, 3), (31, 10)]).hears(1_000, RxFrame::foreign(300));
    let mut lab = lab.offer_tid(1_050, BE).offer_tid(1_060, VO);
    let ended = 1_361 + 272;
    assert_eq!(lab.run(1_400), ["1361 DATA 0"]);
    assert_eq!(lab.sent[0].0.tid, VO);
    assert_eq!((lab.cw(Ac::BestEffort), lab.cw(Ac::Voice)), (31, 3));
    assert_eq!(only(&lab.run(3_000), &["DATA"])[1], format!("{} DATA 0", ended + 43 + 90));
    assert_eq!(lab.edca.mpdu_counts().internal_collisions, 1);
    assert_eq!(lab.edca.mpdu_counts().repeated, 0, "it was not on the air");
    assert_eq!(lab.cw(Ac::BestEffort), 15, "its exchange has succeeded");
}

#[test]
fn a_lost_access_counts_as_an_attempt() {
    for ampdu in [Some(65_535), None] {
        let lab = |limit| {
            let lab = Lab::with("as-ns3", |_, mac| {
                (mac.ampdu, mac.retry_limit, mac.mpdu_retry_limit) = (ampdu, Some(limit), Some(limit));
            });
            let lab = lab.draws(&[(15, 2), (3, 3), (31, 10)]).hears(1_000, RxFrame::foreign(300));
            lab.offer_tid(1_050, BE).offer_tid(1_060, VO).peer([Peer::Answers, Peer::Silent])
        };
        let seq = |packet| if ampdu.is_some() { 0 } else { packet };
        assert_eq!(lab(1).run(9_000), ["1361 DATA 0", "1361 dropped 0", "1633 sent 1"], "it never goes");
        let mut second = lab(2);
        let table =
            ["1361 DATA 0".into(), "1633 sent 1".into(), format!("1766 DATA {}", seq(1)), "2039 dropped 0".into()];
        assert_eq!(second.run(9_000)[..4], table);
        assert!(!second.sent[1].0.retry, "it was not on the air before");
    }
    // The MPDU that has failed once fails again inside the station.
    let limit = |_: &mut RadioConfig, mac: &mut MacConfig| mac.mpdu_retry_limit = Some(2);
    let mut lab = Lab::with("as-ns3", limit).draws(&[(3, 3), (31, 2)]).offer(1_000, 1).offer_tid(1_100, VO);
    lab = lab.peer([Peer::Silent]);
    assert_eq!(lab.run(9_000)[..4], ["1043 DATA 0", "1377 DATA 0", "1377 dropped 0", "1649 sent 1"]);
}

#[test]
fn a_loser_without_a_slot_drawn_waits_for_the_winner() {
    for profile in ["standard", "as-ns3"] {
        let lab = Lab::new(profile).draws(&[(15, 2), (3, 3), (31, 0)]).hears(1_000, RxFrame::foreign(300));
        let mut lab = lab.offer_tid(1_050, BE).offer_tid(1_060, VO);
        let ended = 1_361 + 272;
        let table = ["1361 DATA 0".into(), format!("{ended} sent 1"), format!("{} DATA 0", ended + 43)];
        assert_eq!(lab.run(3_000)[..3], table, "{profile}");
    }
}

#[test]
fn of_four_collided_categories_the_most_urgent_goes() {
    // AIFS and slots: 79, 43 + 36, 34 + 45, 34 + 45 beyond 1300; voice has CW 7 here.
    let lab = Lab::with("as-ns3", |_, mac| mac.edca_cw_min = vec![15, 15, 7, 7]);
    let lab = lab.draws(&[(15, 0), (15, 4), (7, 5), (7, 5)]).hears(1_000, RxFrame::foreign(300));
    let mut lab = [BK, BE, VI, VO].into_iter().fold(lab, |lab, tid| lab.offer_tid(1_050, tid));
    assert_eq!(lab.run(1_380), ["1379 DATA 0"]);
    assert_eq!(lab.sent[0].0.tid, VO);
    assert_eq!(Ac::ALL.map(|ac| lab.cw(ac)), [31, 31, 15, 7]);
    assert_eq!(lab.edca.mpdu_counts().internal_collisions, 3);
}

#[test]
fn a_post_back_off_runs_without_a_packet() {
    // The exchange ends at 1315 in as-ns3; its post-back-off has six slots, from 1358 on.
    let second = |us| {
        let lab = Lab::new("as-ns3").draws(&[(15, 6)]).offer(1_000, 1).offer(us, 1);
        time(&only(&{ lab }.run(10_000), &["DATA 1"])[0])
    };
    assert_eq!(second(1_320), 1_358 + 54, "it serves a packet that comes meanwhile");
    assert_eq!(second(1_411), 1_358 + 54);
    assert_eq!(second(1_413), 1_413 + 43, "it is over");
    // Another category has none.
    let lab = Lab::new("as-ns3").draws(&[(15, 6)]).offer(1_000, 1).offer_tid(1_320, VO);
    assert_eq!(only(&{ lab }.run(10_000), &["DATA"])[1], format!("{} DATA 0", 1_320 + 34));
}

#[test]
fn one_frame_freezes_the_back_offs_of_all_categories() {
    for profile in ["standard", "as-ns3"] {
        // Idle from 1100 on. BE has counted 3 slots from 1143 to 1175, VI 4 from 1134 on, BK none from 1179 on.
        let lab = Lab::new(profile).draws(&[(15, 9), (7, 6), (15, 3)]).hears(1_000, RxFrame::foreign(100));
        let lab =
            lab.offer_tid(1_010, BE).offer_tid(1_020, VI).offer_tid(1_030, BK).hears(1_175, RxFrame::foreign(125));
        let mut lab = lab;
        let log = only(&lab.run(4_000), &["DATA"]);
        let video = 1_300 + 34 + 2 * 9;
        assert_eq!(log[0], format!("{video} DATA 0"), "{profile}");
        // The own frame freezes them as well: BE has counted one more slot, BK none.
        let ended = video + 272;
        assert_eq!(log[1], format!("{} DATA 0", ended + 43 + 5 * 9), "{profile}: best effort");
        // Background has counted one slot before best effort began.
        let background = ended + 43 + 5 * 9 + 272 + 79 + 2 * 9;
        assert_eq!(log[2], format!("{background} DATA 0"), "{profile}: background");
        assert_eq!(lab.sent.iter().map(|(frame, _)| frame.tid).collect::<Vec<_>>(), [VI, BE, BK]);
    }
}

#[test]
fn after_an_error_eifs_replaces_the_beginning_of_aifs() {
    // SIFS, an ACK at 6 Mbit/s and AIFS.
    for profile in ["standard", "as-ns3"] {
        let lab = |tid, draw| first(profile, tid, Some(RxFrame::errored(300)), draw) - 1_300;
        assert_eq!(lab(BE, (15, 4)), 16 + 44 + 43 + 36, "{profile}");
        assert_eq!(lab(BK, (15, 0)), 16 + 44 + 79, "{profile}");
        assert_eq!(lab(VO, (3, 1)), 16 + 44 + 34 + 9, "{profile}");
        // A frame without error ends it.
        let lab = Lab::new(profile).draws(&[(15, 4)]).hears(1_000, RxFrame::errored(300)).offer_tid(1_050, BE);
        let mut lab = lab.hears(1_310, RxFrame::foreign(40));
        assert_eq!(only(&lab.run(3_000), &["DATA"]), [format!("{} DATA 0", 1_350 + 43 + 36)], "{profile}");
    }
}

#[test]
fn no_category_contends_while_the_station_waits_for_an_answer() {
    for profile in ["standard", "as-ns3"] {
        // Best effort goes at 1343 and waits until 1343 + 228 + 45; voice has come meanwhile.
        let lab = Lab::new(profile).draws(&[(15, 0), (3, 0), (31, 8)]).hears(1_000, RxFrame::foreign(300));
        let mut lab = lab.offer_tid(1_050, BE).offer_tid(1_400, VO).peer([Peer::Silent]);
        let over = 1_343 + 228 + 45;
        let log = only(&lab.run(4_000), &["DATA"]);
        assert_eq!(log[..2], ["1343 DATA 0".into(), format!("{} DATA 0", over + 34)], "{profile}");
        assert_eq!(lab.sent[1].0.tid, VO);
        assert_eq!(log[2], format!("{} DATA 0", over + 34 + 272 + 43 + 72), "{profile}: best effort again");
    }
}

#[test]
fn no_exchange_begins_within_another() {
    // A frame begins 3 us before voice and 4 us before best effort may send, too late to be sensed by either (4 us).
    let lab = Lab::with("as-ns3", |_, mac| mac.edca_aifsn = vec![7, 2, 2, 2]).hears(2_000 + 31, RxFrame::foreign(500));
    let mut lab = lab.offer_tid(2_000, VO).offer_tid(2_001, BE).beyond(Peer::Silent);
    lab.run(2_100);
    assert_eq!(lab.log, ["2034 DATA 0"], "voice");
    let log = lab.run(20_000);
    assert!(only(&log, &["DATA"]).len() > 2, "best effort in its turn");
}

#[test]
fn the_answer_that_is_due_goes_first() {
    // A request ends at 1532; a packet comes with the frame before, which has let the back-off begin long ago.
    let mut lab = Lab::new("standard").draws(&[(15, 1)]).hears(1_000, RxFrame::aggregate([0, 1])).offer(1_500, 1);
    let log = lab.run(5_000);
    assert_eq!(
        log,
        [
            "2000 up 0".to_owned(),
            "2000 up 1".into(),
            "2016 BA".into(),
            format!("{} DATA 0", 2_048 + 43 + 9),
            format!("{} sent 0", 2_048 + 43 + 9 + 272),
        ]
    );
}

#[test]
fn what_comes_within_a_ppdu_finds_the_medium_busy() {
    for (within, sent) in [(false, 1_043), (true, 1_043 + 36)] {
        let mut lab = Lab::new("as-ns3").draws(&[(15, 4)]);
        let new = new_packet(PacketId(0), (PEER, BE), PACKET);
        lab.input(at(1_000), |edca, cx| assert!(edca.enqueue(&new, within, cx)));
        assert_eq!(lab.run(9_000)[0], format!("{sent} DATA 0"));
    }
}

#[test]
fn a_packet_that_is_taken_back_leaves_an_access_unused() {
    let lab = Lab::with("as-ns3", |_, mac| mac.queue = 2).draws(&[(15, 4), (7, 6)]).hears(1_000, RxFrame::foreign(300));
    let mut lab = lab.offer(1_050, 2).offer_tid(1_060, VI).offer(5_000, 2);
    lab.run(1_200);
    let mut take = |packet| lab.edca.take_waiting(at(1_200), |one| one == PacketId(packet));
    assert_eq!([take(0), take(0), take(1), take(7)], [Some(PacketId(0)), None, Some(PacketId(1)), None]);
    let log = lab.run(9_000);
    assert_eq!(lab.sent.iter().map(|(frame, _)| frame.tid).collect::<Vec<_>>(), [VI, BE], "{log:?}");
    // Both find room, and the medium idle.
    assert_eq!(only(&log, &["A-MPDU"]), ["5043 A-MPDU 0 x2"]);
}
