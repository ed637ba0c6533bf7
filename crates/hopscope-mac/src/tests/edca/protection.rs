//! CTS-to-self before long frames (IEEE 802.11-2020 10.27).

use super::*;
use crate::config::mac::Protection;

/// A CTS to the station itself before frames longer than this.
fn beyond(bytes: u32) -> impl Fn(&mut RadioConfig, &mut MacConfig) {
    move |_, mac| (mac.rts_threshold, mac.protection) = (Some(bytes), Protection::CtsToSelf)
}

#[test]
fn a_cts_to_itself_goes_before_what_is_longer_than_the_threshold() {
    let lab = || Lab::with("as-ns3", beyond(1_538)).offer(1_000, 1);
    assert_eq!(lab().run(20_000), ["1043 DATA 0", "1315 sent 0"]);
    let mut two = lab().offer(1_010, 1);
    let data = 1_043 + 28 + 16;
    let ended = data + 420 + 48;
    let table =
        ["1043 CTS".into(), format!("{data} A-MPDU 0 x2"), format!("{ended} sent 0"), format!("{ended} sent 1")];
    assert_eq!(two.run(20_000), table);
    assert_eq!(two.fields(), [(14, 16 + 420 + 16 + 32), (3_086, 48)], "to the end of the Block Ack");
    let cts = &two.sent[0].0;
    assert_eq!((cts.src, cts.dst, cts.mode), (ME, ME, two.rules.rates.first(PEER, FrameKind::Rts)));
}

#[test]
fn nothing_of_the_station_begins_within_its_protection() {
    // A packet of voice comes while the CTS is on the air, and within the SIFS behind it.
    for us in [1_050, 1_075] {
        let mut lab = Lab::with("as-ns3", beyond(0)).offer(1_000, 1).offer_tid(us, VO).draws(&[(3, 0)]);
        let log = only(&lab.run(20_000), &["CTS", "DATA"]);
        let second = 1_087 + 272 + 34;
        let table =
            ["1043 CTS".into(), "1087 DATA 0".into(), format!("{second} CTS"), format!("{} DATA 0", second + 44)];
        assert_eq!(log, table, "{us}");
    }
}

#[test]
fn no_answer_costs_the_data_frame_and_the_cts_comes_again() {
    let mut lab = Lab::with("as-ns3", beyond(0)).offer(1_000, 1).peer([Peer::Silent]).draws(&[(31, 2)]);
    let again = 1_087 + 228 + 45 + 43 + 18;
    let table = ["1043 CTS".into(), "1087 DATA 0".into(), format!("{again} CTS"), format!("{} DATA 0", again + 44)];
    assert_eq!(only(&lab.run(20_000), &["CTS", "DATA"]), table);
    assert_eq!((lab.edca.attempts().data_failures, lab.edca.attempts().rts), (1, 0));
}

#[test]
fn a_broadcast_has_no_protection() {
    let mut lab = Lab::with("as-ns3", beyond(0)).offer_to(1_000, NodeId::BROADCAST, BE, PACKET);
    assert_eq!(lab.run(20_000), ["1043 DATA 0", "1579 sent 0"]);
}

#[test]
fn one_cts_reserves_the_whole_txop() {
    // 2416 less 44 for the CTS and 48 for the answer are 2324: twelve MPDUs, where RTS and CTS leave room for eleven.
    let of_txop = |us: u32| {
        Lab::with("as-ns3", move |radio, mac| {
            beyond(0)(radio, mac);
            mac.edca_txop = vec![0, us, 0, 0];
        })
    };
    let mut full = of_txop(2_416).offer(1_000, 60);
    assert_eq!(only(&full.run(1_100), &["CTS", "MPDU"]), ["1043 CTS", "1087 A-MPDU 0 x12"]);
    assert_eq!(full.fields()[0].1, 2_416 - 28, "to the end of the TXOP");
    let mut two = of_txop(4_000).offer(1_000, 2).offer(1_200, 2);
    let second = 1_087 + 420 + 48 + 16;
    assert_eq!(
        only(&two.run(4_000), &["CTS", "MPDU"]),
        ["1043 CTS".into(), "1087 A-MPDU 0 x2".into(), format!("{second} A-MPDU 2 x2")]
    );
}

#[test]
fn the_cts_of_another_station_to_itself_reserves_the_medium() {
    let reserves = |nav| {
        let cts = RxFrame { nav, ..RxFrame::new(FrameKind::Cts, OTHER, OTHER, 28) };
        let mut lab = Lab::new("as-ns3").draws(&[(15, 4)]).hears(1_000, cts).offer(1_010, 1);
        only(&lab.run(20_000), &["DATA"])
    };
    // Nothing follows it, and the reservation stays: only that of an RTS falls back (10.3.2.4).
    assert_eq!(reserves(0), [format!("{} DATA 0", 1_028 + 43 + 36)]);
    assert_eq!(reserves(3_000), [format!("{} DATA 0", 4_028 + 43 + 36)]);
}
