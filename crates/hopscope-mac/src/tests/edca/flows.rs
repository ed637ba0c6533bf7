//! Flow queues: turns of flows and neighbours, CoDel at the head, and the limit on the airtime in the queue of a driver.

use super::*;

/// Best effort, too: that of node 2.
const BE_TOO: u8 = 3;

/// A laboratory whose station has flow queues, with this limit on airtime (us), and two neighbours that answer.
fn lab(limit: Option<u32>, change: impl FnOnce(&mut MacConfig)) -> Lab {
    let mut lab = Lab::with("as-ns3", |_, mac| {
        (mac.airtime_limit, mac.airtime_limit_low, mac.airtime_threshold) = (limit, 500, 1_500);
        mac.queue = 1_000;
        change(mac);
    });
    lab.edca.order_by_flows(FAIR, true);
    lab.both_answer = true;
    lab
}

/// Words behind the instants of those lines that begin with one of these.
fn of(log: &[String], words: &[&str]) -> Vec<String> {
    only(log, words).iter().map(|line| what(line).to_owned()).collect()
}

#[test]
fn neighbours_take_turns_by_their_airtime() {
    // Ten packets for one neighbour, then ten short ones for another, one at a time: what the first sends takes 292 us, the other's 68.
    let mut lab = lab(None, |mac| mac.ampdu = None).offer(1_000, 10);
    for _ in 0..10 {
        lab = lab.offer_to(1_000, OTHER, BE_TOO, 100);
    }
    lab.run(60_000);
    let to: Vec<bool> = lab.sent.iter().map(|(frame, _)| frame.dst == OTHER).collect();
    let airtime = |is_other: bool| {
        let first = lab.sent[..12].iter().filter(|(frame, _)| (frame.dst == OTHER) == is_other);
        first.map(|(frame, _)| frame.airtime.0).sum::<u64>() as f64
    };
    assert_eq!(to.len(), 20, "all go");
    let share = airtime(true) / airtime(false);
    assert!((0.5..2.0).contains(&share), "a turn is 300 us: {share} {to:?}");
    let last_of_other = to.iter().rposition(|other| *other).expect("packets of the other");
    assert!(last_of_other < 15, "short packets are not held back by long ones: {to:?}");
}

#[test]
fn codel_drops_what_has_waited_too_long_and_counts_it() {
    // 600 packets come at once and leave one at a time, each in 228 us, AIFS, ACK and back-off.
    let mut lab = lab(None, |mac| mac.ampdu = None).offer(1_000, 600);
    let log = lab.run(2_000_000);
    let (sent, dropped) = (only(&log, &["sent"]).len(), only(&log, &["codel"]).len());
    assert_eq!((sent + dropped, lab.edca.waiting()), (600, 0));
    let first = time(&only(&log, &["codel"])[0]);
    // The first packet above the target leaves 5 ms behind 1000 us; the first drop is an interval later, at the next access.
    assert!((106_000..106_900).contains(&first), "{first}");
    assert!(dropped > 1, "{dropped}");
}

#[test]
fn a_full_category_pushes_out_the_longest_flow() {
    let mut lab = lab(None, |mac| mac.queue = 3).hears(900, RxFrame::foreign(2_000)).offer(1_000, 3);
    lab = lab.offer_to(1_100, OTHER, BE_TOO, 100);
    let log = lab.run(9_000);
    assert_eq!(of(&log, &["pushed", "refused"]), ["pushed out 0"]);
    assert_eq!(only(&log, &["sent"]).len(), 3);
}

#[test]
fn the_queue_of_the_driver_holds_what_the_limit_allows() {
    // An MPDU of 1542 bytes takes 189.8 us at 65 Mbit/s. Below 1500 us in all a neighbour has less than 1000 us, then less than 500.
    let first_ppdus = |limit, to: &[NodeId]| {
        let mut lab = lab(limit, |_| ()).hears(900, RxFrame::foreign(2_000));
        for &to in to {
            for _ in 0..20 {
                lab = lab.offer_to(1_000, to, if to == PEER { BE } else { BE_TOO }, PACKET);
            }
        }
        lab.run(90_000);
        assert_eq!((lab.edca.waiting(), only(&lab.log, &["codel"]).len()), (0, 0));
        let data = lab.sent.iter().filter(|(frame, _)| frame.kind == FrameKind::Data);
        data.map(|(frame, carried)| (frame.dst, carried.mpdus.len().max(1))).take(to.len()).collect::<Vec<_>>()
    };
    assert_eq!(first_ppdus(None, &[PEER]), [(PEER, 20)], "a PPDU takes them out of the flow queues");
    assert_eq!(first_ppdus(Some(1_000), &[PEER]), [(PEER, 6)], "the sixth comes at 949 us");
    assert_eq!(first_ppdus(Some(1_000), &[PEER, OTHER]), [(PEER, 6), (OTHER, 6)], "each neighbour has its own limit");
    assert_eq!(first_ppdus(Some(100), &[PEER]), [(PEER, 1)], "one packet goes in any case");
    assert_eq!(
        first_ppdus(Some(12_000), &[PEER]),
        [(PEER, 8)],
        "1518 us are more than the threshold, and the lower limit holds"
    );
}

#[test]
fn codel_marks_what_knows_ecn_and_spares_messages() {
    let table = [
        (Aqm::Marks, true, (true, false)),
        (Aqm::Marks, false, (false, true)),
        (Aqm::Spares, true, (false, false)),
        (Aqm::Drops, true, (false, true)),
    ];
    for (aqm, marks, expected) in table {
        let mut lab = lab(None, |mac| mac.ampdu = None);
        lab.edca.order_by_flows(FAIR, marks);
        for number in 0..600 {
            let new = PacketEntry { aqm, ..new_packet(PacketId(number), (PEER, BE), PACKET) };
            lab.input(at(1_000), |edca, cx| assert!(edca.enqueue(&new, false, cx)));
        }
        let log = lab.run(2_000_000);
        let found = (!only(&log, &["marked"]).is_empty(), !only(&log, &["codel"]).is_empty());
        assert_eq!(found, expected, "{aqm:?}");
    }
}

#[test]
fn an_amsdu_is_made_of_what_waits_in_flow_queues() {
    let mut lab = lab(None, |mac| mac.amsdu = Some(3_839)).offer(1_000, 5);
    lab.run(20_000);
    // Two, two and one: 12 bytes more of two packets in an MPDU, and 36 of each MPDU, than their own.
    let mpdus: Vec<u32> = lab.sent[0].1.mpdus.iter().map(|mpdu| mpdu.bytes).collect();
    assert_eq!((lab.sent.len(), mpdus.len()), (1, 3), "{mpdus:?}");
    assert!(mpdus[0] > 2 * PACKET && mpdus[0] == mpdus[1] && mpdus[2] == PACKET + 38, "{mpdus:?}");
}
