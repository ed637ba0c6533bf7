//! Rules of profile `as-ns3` that `standard` and `ns2` do not have (docs/models/as-ns3.md).

use super::*;

/// Frames of one kind up to an instant.
fn frames(mut lab: Lab, us: u64, kind: &str) -> Vec<u64> {
    instants(&lab.run(us), kind)
}

fn quiet(profile: &str) -> Lab {
    Lab::with(profile, |_, mac| mac.rts_threshold = None)
}

#[test]
fn a_packet_that_comes_with_a_frame_waits_difs_after_the_ack_to_it() {
    // A data frame until 6436, its ACK from 6446 to 6694 at 2 Mbit/s.
    let lab = |profile| quiet(profile).draws(&[5]).hears(100, RxFrame::data(1)).offer(6_436);
    let as_ns3 = frames(lab("as-ns3"), 8_000, "DATA");
    assert_eq!(as_ns3, [6_694 + 50], "no back-off");
    let standard = frames(lab("standard"), 8_000, "DATA");
    assert_eq!(standard, [6_750 + 50 + 5 * 20], "304 us of ACK, and a back-off");
}

#[test]
fn slots_left_are_used_up_and_none_left_makes_a_whole_difs() {
    // The exchange takes 100..6694 from the first access on; the back-off after it counts from 6744 on.
    let next = |draw, offered| {
        let lab = quiet("as-ns3").draws(&[draw]).offer(50).offer(offered);
        frames(lab, 20_000, "DATA")[1]
    };
    let end = 100 + 6_336 + 10 + 248;
    assert_eq!(next(4, end + 60), end + 50 + 80, "slots are left");
    assert_eq!(next(4, end + 140), end + 190, "none are");
    assert_eq!(next(0, end + 20), end + 70, "none were drawn");
}

#[test]
fn a_packet_has_seven_transmissions_and_the_window_a_count_of_its_own() {
    let mut windows = vec![];
    let mut lab = quiet("as-ns3").peer(Peer::Silent).offer(50).offer(60).offer(70);
    for us in (0..400_000).step_by(100) {
        lab.run(us);
        let cw = lab.station.cw();
        if windows.last() != Some(&cw) {
            windows.push(cw);
        }
    }
    let log = lab.run(400_000);
    let sent_before_drop = log.iter().position(|(_, what)| *what == "dropped").expect("a packet is given up");
    assert_eq!(sent_before_drop, 7);
    // Seven failures lead to the largest window and keep it; the eighth, of the next packet, takes it back.
    assert_eq!(windows[..8], [31, 63, 127, 255, 511, 1_023, 31, 63]);
    let drops: Vec<usize> =
        log.iter().enumerate().filter(|(_, (_, what))| *what == "dropped").map(|(place, _)| place).collect();
    assert_eq!(drops[..2], [7, 15]);
}

#[test]
fn an_rts_counts_as_a_transmission_of_its_packet() {
    let mut lab = Lab::new("as-ns3").peer(Peer::ClearsOnly).offer(50);
    let log = lab.run(400_000);
    let count = |kind| instants(&log, kind).len();
    // Each attempt ends with its data frame: seven failures, whichever frame they are of.
    assert_eq!((count("RTS"), count("DATA"), count("dropped")), (7, 7, 1));
    let standard = Lab::new("standard").peer(Peer::ClearsOnly).offer(50).run(400_000);
    assert_eq!(instants(&standard, "DATA").len(), 4, "the long retry limit");
}

#[test]
fn only_a_frame_that_holds_the_receiver_confirms_the_nav_of_an_rts() {
    // The RTS ends at 452; NAVTimeout (two SIFS, a CTS, preamble and header, two slots) ends at 1008.
    let sent = |frame: Option<(u64, RxFrame)>| {
        let lab = quiet("as-ns3").draws(&[2]).hears(100, RxFrame::rts(OTHER, PEER, 6_966)).offer(500);
        frames(frame.into_iter().fold(lab, |lab, (at, frame)| lab.hears(at, frame)), 20_000, "DATA")
    };
    let (reset, kept) = ([1_008 + 50 + 40], [452 + 6_966 + 50 + 40]);
    assert_eq!(sent(None), reset);
    assert_eq!(sent(Some((700, RxFrame::distant(200)))), reset, "energy is no PHY-RXSTART.indication");
    assert_eq!(sent(Some((700, RxFrame::foreign(200)))), kept);
    assert_eq!(sent(Some((700, RxFrame::errored(200)))), kept, "its preamble was found");
    // Preamble and header take 192 us; they have to have come by then.
    assert_eq!(sent(Some((1_008 - 192, RxFrame::foreign(100)))), kept);
    assert_eq!(sent(Some((1_008 - 191, RxFrame::foreign(100)))), reset);
    // Two frames whose preambles spoil each other hold nothing.
    let lab = quiet("as-ns3").draws(&[2]).hears(100, RxFrame::rts(OTHER, PEER, 6_966)).offer(500);
    let spoilt = lab.hears(700, RxFrame::foreign(200)).hears(702, RxFrame::foreign(198));
    assert_eq!(frames(spoilt, 20_000, "DATA"), reset);
}

#[test]
fn the_same_rule_holds_where_frames_alone_on_the_air_are_taken_at_once() {
    let sent = |confirmed_by, frame| {
        let lab = Lab::with("standard", |_, mac| {
            mac.rts_threshold = None;
            mac.nav_confirmed_by = confirmed_by;
        });
        let lab = lab.draws(&[2]).hears(100, RxFrame::rts(OTHER, PEER, 6_966)).hears(700, frame).offer(500);
        frames(lab, 20_000, "DATA")
    };
    let (reset, kept) = ([1_008 + 50 + 40], [452 + 6_966 + 50 + 40]);
    use crate::config::mac::NavConfirmation::{Carrier, RxStart};
    assert_eq!(sent(Carrier, RxFrame::distant(200)), kept);
    assert_eq!(sent(RxStart, RxFrame::distant(200)), reset);
    assert_eq!(sent(RxStart, RxFrame::foreign(200)), kept);
    assert_eq!(sent(RxStart, RxFrame::foreign(2_000)), kept, "one that still goes on");
}
