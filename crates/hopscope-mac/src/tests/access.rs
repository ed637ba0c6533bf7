//! When a station may send: inter-frame spaces, back-off, NAV (profile standard; slot 20, SIFS 10, DIFS 50 us).

use super::*;

/// Instants of the RTS frames of a laboratory up to 20 ms.
fn rts(mut lab: Lab) -> Vec<u64> {
    instants(&lab.run(20_000), "RTS")
}

#[test]
fn an_idle_medium_is_taken_at_once_after_difs() {
    for (offered, sent) in [(0, 50), (10, 50), (50, 50), (100, 100)] {
        assert_eq!(rts(Lab::new("standard").offer(offered)), [sent], "offered at {offered} us, medium idle since 0");
    }
    for (offered, sent) in [(400, 450), (420, 450), (450, 450), (460, 460)] {
        let lab = Lab::new("standard").hears(100, RxFrame::foreign(300)).offer(offered);
        assert_eq!(rts(lab), [sent], "offered at {offered} us, medium idle since 400");
    }
}

#[test]
fn a_busy_medium_makes_a_back_off() {
    for (draw, sent) in [(0, 1_050), (7, 1_190), (31, 1_670)] {
        let lab = Lab::new("standard").draws(&[draw]).hears(100, RxFrame::foreign(900)).offer(500);
        assert_eq!(rts(lab), [sent], "frame until 1000, {draw} slots");
    }
}

#[test]
fn a_frame_that_begins_within_difs_makes_a_back_off() {
    let lab = |begins| {
        let lab = Lab::new("standard").draws(&[3]).hears(100, RxFrame::foreign(300));
        rts(lab.hears(begins, RxFrame::foreign(1_000 - begins)).offer(420))[0]
    };
    assert_eq!(lab(430), 1_110);
    assert_eq!(lab(444), 1_110);
    assert_eq!(lab(445), 450, "5 us before the own access: too late to be sensed");
}

#[test]
fn a_frozen_back_off_keeps_whole_slots_only() {
    // 10 slots count from 1050 on. A frame from `begins` to 2000 freezes them; the rest follows a new DIFS.
    for (begins, left) in [(1_010, 10), (1_050, 10), (1_069, 10), (1_070, 9), (1_123, 7), (1_244, 1)] {
        let lab = Lab::new("standard").draws(&[10]).hears(100, RxFrame::foreign(900)).offer(500);
        let lab = lab.hears(begins, RxFrame::foreign(2_000 - begins));
        assert_eq!(rts(lab), [2_050 + 20 * left], "frame at {begins} us");
    }
}

#[test]
fn two_stations_whose_back_offs_end_within_the_turnaround_both_send() {
    // The back-off ends at 1250.
    let lab = |begins| {
        let lab = Lab::new("standard").draws(&[10]).hears(100, RxFrame::foreign(900)).offer(500);
        lab.peer(Peer::Silent).hears(begins, RxFrame::foreign(3_000))
    };
    for begins in [1_245, 1_249, 1_250, 1_260] {
        assert_eq!(rts(lab(begins))[0], 1_250, "other frame at {begins} us");
    }
    assert_eq!(rts(lab(1_244))[0], 4_244 + 50 + 20);
}

#[test]
fn several_interruptions_add_up() {
    let lab = Lab::new("standard").draws(&[6]).hears(100, RxFrame::foreign(400)).offer(200);
    // 550: 6 slots; frame after 2 of them; 850: 4 slots; frame within DIFS: none counted; 1250: 4 slots.
    let lab = lab.hears(595, RxFrame::foreign(205)).hears(830, RxFrame::foreign(370));
    assert_eq!(rts(lab), [1_250 + 80]);
}

#[test]
fn a_back_off_follows_every_exchange_and_serves_the_next_packet() {
    // First exchange 100..7426; 4 slots of post-back-off end at 7556.
    let next = |offered| rts(Lab::new("standard").draws(&[4]).offer(100).offer(offered))[1];
    assert_eq!(next(100), 7_556, "a packet that waits");
    assert_eq!(next(7_500), 7_556, "a packet that comes meanwhile");
    assert_eq!(next(7_556), 7_556);
    assert_eq!(next(7_600), 7_600, "the back-off is over: immediate access");
}

#[test]
fn pacing_lengthens_the_back_off_after_a_success_by_one_exchange() {
    let next = |clock, overhead| rts(Lab::paced(clock, overhead).draws(&[4]).offer(100).offer(100))[1];
    // The exchange takes 7326 us, and DIFS: 368.8 slots, which makes 369.
    assert_eq!(next(PacingClock::Backoff, true), 7_556 + 369 * 20);
    // By the clock: it ends at 14802, four slots follow.
    assert_eq!(next(PacingClock::Wall, true), 14_802 + 80);
    // The data frame alone: 192 + 1536 * 4 us.
    assert_eq!(next(PacingClock::Backoff, false), 7_556 + 317 * 20);
}

#[test]
fn a_paced_back_off_freezes_and_a_failure_is_not_paced() {
    let paced = || Lab::paced(PacingClock::Backoff, true);
    let lab = paced().draws(&[4]).offer(100).offer(100);
    assert_eq!(rts(lab.hears(8_000, RxFrame::foreign(500)))[1], 7_556 + 369 * 20 + 500 + 50 + 4);
    let silent = |lab: Lab| rts(lab.peer(Peer::Silent).offer(100))[..4].to_vec();
    assert_eq!(silent(paced()), silent(Lab::new("standard")));
}

#[test]
fn a_post_back_off_freezes_too() {
    let lab = Lab::new("standard").draws(&[4]).offer(100).hears(7_501, RxFrame::foreign(499));
    // One slot had passed at 7501; three follow 8050.
    assert_eq!(rts(lab.offer(7_510)), [100, 8_110]);
}

#[test]
fn eifs_replaces_difs_after_an_errored_frame() {
    let lab = || Lab::new("standard").draws(&[2]).hears(100, RxFrame::errored(900));
    assert_eq!(rts(lab().offer(500)), [1_000 + 364 + 40]);
    assert_eq!(rts(lab().offer(1_100)), [1_364], "immediate access waits for EIFS as well");
    assert_eq!(rts(lab().offer(1_400)), [1_400]);
}

#[test]
fn a_correct_frame_ends_eifs() {
    let lab = Lab::new("standard").draws(&[2]).hears(100, RxFrame::errored(900)).offer(500);
    assert_eq!(rts(lab.hears(1_100, RxFrame::foreign(304))), [1_404 + 50 + 40]);
}

#[test]
fn eifs_ended_early_lets_the_station_send_early() {
    // 3 slots of back-off; EIFS after the error would last until 1364. A short correct frame from 1010 to 1110 ends it:
    // DIFS counts from there, long before the instant known at first.
    let lab = || Lab::new("standard").draws(&[3]).hears(100, RxFrame::errored(900)).offer(500);
    assert_eq!(rts(lab().hears(1_010, RxFrame::foreign(100))), [1_110 + 50 + 60]);
    // The same when the error was followed by a long frame during which the station looked at its back-off.
    let lab = lab().hears(1_010, RxFrame::foreign(2_000)).hears(3_020, RxFrame::foreign(100));
    assert_eq!(rts(lab), [3_120 + 50 + 60]);
}

#[test]
fn eifs_counts_from_the_errored_frame() {
    // After the error the medium stays idle for long, then the station sends in vain: no EIFS after its own frame.
    let lab = Lab::new("standard").peer(Peer::Silent).draws_from(&[(63, 1)]).hears(100, RxFrame::errored(900));
    let mut lab = lab.offer(5_000);
    assert_eq!(instants(&lab.run(5_700), "RTS"), [5_000, 5_000 + 352 + 222 + 20]);
}

#[test]
fn a_frame_that_began_during_the_own_transmission_means_eifs_only_where_it_locks() {
    use hopscope_phy::config::radio::DuringTransmission;
    // The RTS is on the air from 100 to 452; a frame that begins at 300 lasts until 900 and was never heard. Then the wait
    // for the CTS is over, and one slot of the second back-off follows DIFS or EIFS.
    let second = |rule| {
        let lab = Lab::with("standard", |radio, _| radio.during_transmission = rule).peer(Peer::Silent);
        rts(lab.draws_from(&[(63, 1)]).hears(300, RxFrame::foreign(600)).offer(100))[1]
    };
    assert_eq!(second(DuringTransmission::EnergyOnly), 900 + 50 + 20);
    assert_eq!(second(DuringTransmission::Locks), 900 + 364 + 20);
}

#[test]
fn an_undecodable_frame_means_eifs_only_where_it_locks() {
    use hopscope_phy::config::radio::Undecodable;
    let lab = |rule| {
        let lab = Lab::with("standard", |radio, _| radio.undecodable = rule).draws(&[2]);
        rts(lab.hears(100, RxFrame::distant(900)).offer(500))
    };
    assert_eq!(lab(Undecodable::EnergyOnly), [1_050 + 40]);
    assert_eq!(lab(Undecodable::Locks), [1_364 + 40]);
}

#[test]
fn the_nav_of_an_exchange_is_respected_to_its_end() {
    // RTS, CTS and DATA of two others; the ACK, which ends at 7426, is not heard.
    let lab = Lab::new("standard").draws(&[2]).offer(500);
    let lab = lab.hears(100, RxFrame::rts(OTHER, PEER, 6_974));
    let lab = lab.hears(462, RxFrame::new(FrameKind::Cts, PEER, OTHER, 6_660, 304));
    let lab = lab.hears(776, RxFrame::new(FrameKind::Data, OTHER, PEER, 314, 6_336));
    assert_eq!(rts(lab), [7_426 + 50 + 40]);
}

#[test]
fn the_nav_of_a_cts_alone_holds_a_hidden_station() {
    let lab = Lab::new("standard").draws(&[2]).offer(500);
    let lab = lab.hears(462, RxFrame::new(FrameKind::Cts, PEER, OTHER, 6_660, 304));
    assert_eq!(rts(lab), [7_426 + 50 + 40]);
}

#[test]
fn an_rts_without_a_following_frame_resets_the_nav() {
    // The RTS ends at 452; two SIFS, a CTS, the receive-start delay and two slots later its NAV falls.
    let reset = 452 + 2 * 10 + 304 + 192 + 2 * 20;
    let lab = || Lab::new("standard").draws(&[2]).hears(100, RxFrame::rts(OTHER, PEER, 6_974)).offer(500);
    assert_eq!(rts(lab()), [reset + 50 + 40]);
    // A frame that begins by then confirms the NAV, a later one does not.
    assert_eq!(rts(lab().hears(reset, RxFrame::foreign(100))), [7_426 + 50 + 40]);
    assert_eq!(rts(lab().hears(reset + 1, RxFrame::foreign(99))), [reset + 100 + 50 + 40]);
}

#[test]
fn a_shorter_nav_never_shortens_a_longer_one() {
    let lab = Lab::new("standard").draws(&[2]).offer(500);
    let lab = lab.hears(100, RxFrame::new(FrameKind::Cts, PEER, OTHER, 3_000, 304));
    assert_eq!(rts(lab.hears(600, RxFrame::new(FrameKind::Cts, PEER, OTHER, 500, 304))), [3_404 + 50 + 40]);
}

#[test]
fn the_duration_of_a_frame_for_this_station_sets_no_nav() {
    // The RTS is for us and we answer it; no data frame follows the CTS (462..766), so the wait ends at 988.
    let mut lab = Lab::new("standard").draws(&[2]).offer(800).hears(100, RxFrame::rts(PEER, ME, 6_974));
    assert_eq!(lab.run(5_000), [(462, "CTS"), (988 + 50 + 40, "RTS"), (988 + 50 + 40 + 676, "DATA")]);
}

#[test]
fn a_packet_that_found_the_medium_idle_draws_nothing_where_the_rule_says_so() {
    use crate::config::mac::BackoffDraw;
    let lab = |draw| {
        let lab = Lab::with("standard", |_, mac| mac.backoff_draw = draw).draws(&[5]);
        lab.hears(100, RxFrame::foreign(300))
    };
    // Offered at 420, idle since 400; a frame from 430 to 1000 comes before 450.
    let interrupted = |draw| rts(lab(draw).hears(430, RxFrame::foreign(570)).offer(420))[0];
    assert_eq!(interrupted(BackoffDraw::Deferred), 1_050 + 5 * 20);
    assert_eq!(interrupted(BackoffDraw::FoundBusy), 1_050);
    let found_busy = |draw| rts(lab(draw).hears(430, RxFrame::foreign(570)).offer(500))[0];
    assert_eq!(found_busy(BackoffDraw::Deferred), 1_150);
    assert_eq!(found_busy(BackoffDraw::FoundBusy), 1_150);
}

#[test]
fn a_packet_handed_down_at_the_end_of_a_reception_finds_the_medium_idle() {
    use crate::config::mac::BackoffDraw;
    let lab = |draw| {
        let lab = Lab::with("standard", |_, mac| mac.backoff_draw = draw).draws(&[5]);
        let mut lab = lab.hears(100, RxFrame::data(0)).offer(6_436);
        lab.run(20_000)
    };
    // Data until 6436, ACK 6446..6750.
    assert_eq!(lab(BackoffDraw::Deferred)[..3], [(6_436, "up"), (6_446, "ACK"), (6_750 + 50 + 100, "RTS")]);
    assert_eq!(lab(BackoffDraw::FoundBusy)[..3], [(6_436, "up"), (6_446, "ACK"), (6_800, "RTS")]);
}

#[test]
fn a_post_back_off_without_slots_left_is_no_back_off_for_a_packet_that_finds_a_busy_medium() {
    use crate::config::mac::BackoffDraw;
    // The exchange ends at 7426 with a back-off of no slots; a frame from 7430 to 8000 begins within DIFS.
    let lab = |draw, offered| {
        let lab = Lab::with("standard", |_, mac| mac.backoff_draw = draw).draws(&[0, 6]);
        rts(lab.offer(100).hears(7_430, RxFrame::foreign(570)).offer(offered))[1]
    };
    assert_eq!(lab(BackoffDraw::Deferred, 7_500), 8_050, "the back-off stands, with no slots");
    assert_eq!(lab(BackoffDraw::FoundBusy, 7_500), 8_050 + 6 * 20);
    assert_eq!(lab(BackoffDraw::FoundBusy, 7_428), 8_050, "handed down before the frame");
}

#[test]
fn no_slot_is_lost_to_the_rounding_of_propagation_delays() {
    // Three nodes in line, 150 m apart: an ACK of the first is over at the second after 500 ns and at the third after
    // 1001; then the second sends with a slot, and the third hears it 500 ns later, 1 ns before its own slot.
    for (near, far, between) in [(500, 1_001, 500), (600, 1_201, 600), (400, 801, 400)] {
        for slots in 0..10u64 {
            let mut lab = Lab::new("standard").draws(&[12]);
            let now = at(500);
            lab.station.radio.post(&heard_for_delay(at(100), at(600) + Span(far)));
            lab.station.catch_up(now, &lab.rules.station);
            lab.station.start_backoff(now, &lab.rules.station);
            let own_count = at(600) + Span(far) + Span::from_micros(50);
            let other = at(600) + Span(near) + Span::from_micros(50 + 20 * slots) + Span(between);
            lab.station.radio.post(&heard_for_delay(other, other + Span::from_micros(300)));
            lab.station.catch_up(other + Span(1), &lab.rules.station);
            let again = lab.station.access_to_queue(other + Span(1), &lab.rules.station);
            let left = 12 - slots;
            let expected = other + Span::from_micros(300 + 50 + 20 * left);
            assert_eq!(again, Some(expected), "{slots} slots counted from {own_count:?}");
        }
    }
}

/// A frame of others that keeps the medium busy between two instants.
fn heard_for_delay(start: Time, end: Time) -> Arrival {
    Arrival { start, end, nav: 0, power: 1e-9, slot: 9, flags: DECODABLE, mode: 0 }
}
