//! The same station under profile ns2: what differs, item by item of docs/models/ns2.md.
//!
//! RTS 352, CTS and ACK 304, 1534-byte data frame 6328 us; EIFS 364 us; back-off 0..CW-1.

use super::*;

fn rts(mut lab: Lab) -> Vec<u64> {
    instants(&lab.run(20_000), "RTS")
}

#[test]
fn every_packet_draws_a_back_off_of_its_own() {
    for (offered, draw) in [(0, 4), (1_000, 4), (1_000, 30)] {
        let lab = Lab::new("ns2").draws(&[draw]).offer(offered);
        assert_eq!(rts(lab), [offered + 50 + 20 * u64::from(draw)], "idle for long, offered at {offered}");
    }
}

#[test]
fn cw_itself_is_never_drawn() {
    let lab = Lab::new("ns2");
    let (mut station, mut most) = (lab.station, 0);
    for n in 0..2_000 {
        station.start_backoff(at(n), &lab.rules.station);
        let expiry = station.access_to_queue(at(n), &lab.rules.station);
        if let Some(expiry) = expiry {
            most = most.max((expiry - at(n)).0 / 1_000);
            station.access_event(expiry);
        }
    }
    assert_eq!(most, 50 + 30 * 20);
}

#[test]
fn a_saturated_station_takes_7668_us_per_packet_on_average() {
    // DIFS 50, mean back-off 300, RTS 352, SIFS, CTS 304, SIFS, DATA 6328, SIFS, ACK 304.
    const PACKETS: usize = 2_000;
    let mut lab = Lab::new("ns2");
    let slots: u64 = lab.unchosen_draws(&[31; PACKETS]).iter().sum();
    for _ in 0..PACKETS {
        lab = lab.offer(0);
    }
    let last = *instants(&lab.run(20_000_000), "sent").last().expect("all were sent");
    assert_eq!(instants(&lab.log, "sent").len(), PACKETS);
    assert_eq!(last, PACKETS as u64 * (50 + 352 + 10 + 304 + 10 + 6_328 + 10 + 304) + 20 * slots);
    let mean = last as f64 / PACKETS as f64;
    // One standard error of the mean of 2000 draws is 4 us.
    assert!((mean - 7_668.0).abs() < 10.0, "{mean} us");
}

#[test]
fn eifs_is_a_nav_and_difs_follows_it() {
    let lab = || Lab::new("ns2").draws(&[2]).hears(100, RxFrame::errored(900)).offer(500);
    assert_eq!(rts(lab()), [1_000 + 414 + 40]);
    assert_eq!(rts(lab().hears(1_100, RxFrame::foreign(100))), [1_000 + 414 + 40], "a correct frame does not end it");
    let control_2m = Lab::with("ns2", |radio, _| radio.basic_rate = 2_000_000);
    let control_2m = control_2m.draws(&[2]).hears(100, RxFrame::errored(900)).offer(500);
    assert_eq!(rts(control_2m), [1_000 + 414 + 40], "the ACK within EIFS goes at the PLCP rate");
}

#[test]
fn undecodable_frames_lock_the_receiver() {
    assert_eq!(rts(Lab::new("ns2").draws(&[2]).hears(100, RxFrame::distant(900)).offer(500)), [1_000 + 414 + 40]);
}

#[test]
fn a_frozen_back_off_waits_for_difs_and_keeps_whole_slots() {
    // Offered at 0 on an idle medium: 10 slots count from 50 on.
    for (begins, left) in [(30, 10), (69, 10), (70, 9), (249, 1), (250, 0)] {
        let lab = Lab::new("ns2").draws(&[10]).offer(0).hears(begins, RxFrame::foreign(1_000 - begins));
        let expected = if left == 0 { 250 } else { 1_050 + 20 * left };
        assert_eq!(rts(lab)[0], expected, "frame at {begins} us");
    }
}

#[test]
fn an_rts_reserves_to_the_end_even_if_nothing_follows() {
    let lab = Lab::new("ns2").draws(&[2]).hears(100, RxFrame::rts(OTHER, PEER, 6_966)).offer(500);
    assert_eq!(rts(lab), [452 + 6_966 + 50 + 40]);
}

#[test]
fn a_missing_cts_is_noticed_after_670_us() {
    let mut lab = Lab::new("ns2").peer(Peer::Silent).draws_from(&[(31, 4), (63, 40)]).offer(100);
    assert_eq!(instants(&lab.run(2_200), "RTS"), [230, 230 + 670 + 50 + 40 * 20]);
}

#[test]
fn a_frame_under_reception_does_not_put_the_time_out_off() {
    let lab = Lab::new("ns2").peer(Peer::Silent).draws_from(&[(31, 4), (63, 5)]).offer(100);
    let mut lab = lab.hears(800, RxFrame::foreign(700));
    // Time-out at 900; the frame until 1500 pauses the new back-off.
    lab.run(900);
    assert_eq!(lab.station.cw(), 63);
    assert_eq!(instants(&lab.run(2_000), "RTS"), [230, 1_500 + 50 + 5 * 20]);
}

#[test]
fn after_a_drop_nothing_is_drawn_until_the_next_packet() {
    let mut lab = Lab::new("ns2").peer(Peer::Silent).offer(0);
    let draws = lab.unchosen_draws(&[31, 63, 127, 255, 511, 1_023, 1_023, 31]);
    let mut expected = vec![50 + 20 * draws[0]];
    for slots in &draws[1..7] {
        expected.push(expected.last().expect("one") + 670 + 50 + 20 * slots);
    }
    let dropped = expected[6] + 670;
    assert_eq!(instants(&lab.run(dropped), "RTS"), expected);
    assert_eq!(lab.log.last(), Some(&(dropped, "dropped")));
    let offered = dropped + 10_000;
    let mut lab = lab.offer(offered);
    assert_eq!(instants(&lab.run(offered + 1_000), "RTS")[7], offered + 50 + 20 * draws[7]);
}

#[test]
fn eifs_in_the_nav_forbids_a_cts() {
    // EIFS kept in the NAV lasts until 664.
    let lab =
        |us| Lab::new("ns2").hears(100, RxFrame::errored(200)).hears(us, RxFrame::rts(PEER, ME, 6_966)).run(1_000);
    assert_eq!(lab(301), []);
    assert_eq!(lab(302), [(664, "CTS")]);
    let distant =
        Lab::new("ns2").hears(100, RxFrame::rts(PEER, ME, 6_966)).hears(300, RxFrame::distant(900)).run(1_000);
    assert_eq!(distant, [], "a frame ignored by capture reserves EIFS beyond its end");
}

#[test]
fn the_rts_threshold_counts_the_plcp_too() {
    let first = |threshold, bytes| {
        let lab = Lab::with("ns2", |_, mac| mac.rts_threshold = Some(threshold));
        lab.offer_to(100, PEER, bytes).run(20_000)[0].1
    };
    assert_eq!(first(1_558, 1_500), "DATA", "1500 bytes, 34 of the MAC and 24 of the PLCP are not more than 1558");
    assert_eq!(first(1_557, 1_500), "RTS");
    assert_eq!(first(10, 1), "RTS", "a threshold below the PLCP is below every frame");
}

#[test]
fn data_is_taken_only_after_the_own_cts() {
    let data = RxFrame { length: 6_328, ..RxFrame::data(0) };
    assert_eq!(Lab::new("ns2").hears(776, data).run(20_000), []);
    let cleared = Lab::new("ns2").hears(100, RxFrame::rts(PEER, ME, 6_966));
    assert_eq!(cleared.hears(776, data).run(20_000), [(462, "CTS"), (7_104, "up"), (7_114, "ACK")]);
    let by_another = Lab::new("ns2").hears(100, RxFrame::rts(OTHER, ME, 6_966));
    assert_eq!(by_another.hears(776, data).run(20_000), [(462, "CTS")]);
    let without_rts = Lab::with("ns2", |_, mac| mac.rts_threshold = None);
    assert_eq!(without_rts.hears(776, data).run(20_000), [(7_104, "up"), (7_114, "ACK")]);
}

#[test]
fn a_frame_ignored_by_capture_sets_the_nav() {
    // It begins while a frame for others (nav 0) is received, ends at 600 and counts EIFS from there.
    let lab = Lab::new("ns2").draws(&[2]).hears(100, RxFrame::foreign(900)).offer(500);
    assert_eq!(rts(lab.hears(500, RxFrame::distant(400))), [900 + 364 + 50 + 40]);
}

#[test]
fn after_a_cts_the_data_frame_waits_for_an_idle_medium() {
    let lab = |profile| {
        let lab = Lab::new(profile).draws_from(&[(if profile == "ns2" { 31 } else { 63 }, 4), (63, 6)]);
        lab.offer(1_000)
    };
    // RTS at 1130, CTS 1492..1796; an ignored frame 1500..1600 sets the NAV to 1964.
    let mut ns2 = lab("ns2").hears(1_500, RxFrame::distant(100));
    assert_eq!(ns2.run(2_200), [(1_130, "RTS"), (1_964 + 50 + 6 * 20, "RTS")]);
    assert_eq!(ns2.station.cw(), 63);
    let mut standard = lab("standard").hears(1_400, RxFrame::distant(500));
    assert_eq!(standard.run(2_000), [(1_000, "RTS"), (1_676, "DATA")]);
}

#[test]
fn the_older_defer_timer_runs_on_under_a_busy_medium() {
    let lab = Lab::with("ns2", |_, mac| mac.nonfreezing_defer = true).draws_from(&[(31, 4), (63, 6)]);
    let mut busy = lab.offer(1_000).hears(1_100, RxFrame::foreign(400));
    // The timer ends at 1130 on a busy medium: doubled window, a new back-off that freezes.
    assert_eq!(instants(&busy.run(3_000), "RTS"), [1_500 + 50 + 6 * 20]);
    let lab = Lab::with("ns2", |_, mac| mac.nonfreezing_defer = true).draws_from(&[(31, 4), (63, 6)]);
    let mut idle_again = lab.offer(1_000).hears(1_040, RxFrame::foreign(60));
    assert_eq!(instants(&idle_again.run(3_000), "RTS"), [1_130], "idle at its end: sent, whatever came between");
}
