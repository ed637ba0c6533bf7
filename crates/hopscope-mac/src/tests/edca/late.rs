//! A QoS station that looks at the medium only when something happens to it sends exactly when a watchful one would, as
//! [`late`](crate::tests::late) has it for a station of the DCF.

use super::*;
use hopscope_testing::property;
use proptest::prelude::*;

/// Frames of others: when after the one before it began, how long, which kind.
#[derive(Debug, Clone)]
struct Script {
    as_ns3: bool,
    rts: bool,
    ampdu: bool,
    txops: bool,
    peer: Vec<Peer>,
    frames: Vec<(u64, u64, u8)>,
    offers: Vec<(u64, u8)>,
}

fn script() -> impl Strategy<Value = Script> {
    let frames = proptest::collection::vec((1..900u64, 20..600u64, 0..12u8), 0..16);
    let offers = proptest::collection::vec((0..8_000u64, 0..8u8), 1..12);
    let peer = prop_oneof![Just(Peer::Answers), Just(Peer::Silent), Just(Peer::Unheard), Just(Peer::Lacks(vec![0, 2]))];
    let peer = proptest::collection::vec(peer, 0..12);
    (any::<[bool; 4]>(), peer, frames, offers).prop_map(|([as_ns3, rts, ampdu, txops], peer, frames, offers)| Script {
        as_ns3,
        rts,
        ampdu,
        txops,
        peer,
        frames,
        offers,
    })
}

fn frame(start: u64, length: u64, kind: u8) -> RxFrame {
    let of_length = |frame: RxFrame| RxFrame { length, ..frame };
    match kind {
        0 => RxFrame::errored(length),
        1 => RxFrame { flags: Arrival::SENSED, ..RxFrame::foreign(length) },
        2 => RxFrame { nav: 2_000, ..RxFrame::new(FrameKind::Rts, OTHER, PEER, 28) },
        3 => RxFrame { nav: 700, ..RxFrame::new(FrameKind::Cts, PEER, OTHER, length) },
        4 => of_length(RxFrame::data((start % 64) as u16)),
        5 => RxFrame::rts(1_500),
        6 => RxFrame::new(FrameKind::Cts, PEER, ME, length),
        7 => RxFrame { to: ME, ..RxFrame::errored(length) },
        8 => of_length(RxFrame::aggregate([(start % 64) as u16, (start % 64) as u16 + 1])),
        9 => RxFrame::new(FrameKind::CfEnd, OTHER, NodeId::BROADCAST, length),
        10 => RxFrame::request((start % 64) as u16),
        _ => RxFrame { nav: 300, ..RxFrame::foreign(length) },
    }
}

fn log(script: &Script, watchful: bool) -> Vec<String> {
    let mut lab = Lab::with(if script.as_ns3 { "as-ns3" } else { "standard" }, |_, mac| {
        mac.rts_threshold = script.rts.then_some(0);
        mac.ampdu = script.ampdu.then_some(65_535);
        mac.mpdu_retry_limit = Some(4);
        mac.edca_txop_table = if script.txops { TxopTable::Y2020 } else { TxopTable::None };
    });
    lab.watchful = watchful;
    lab = lab.peer(script.peer.clone());
    let mut start = 0;
    for &(gap, length, kind) in &script.frames {
        start += gap;
        lab = lab.hears(start, frame(start, length, kind));
    }
    let offered = script.offers.iter().fold(lab, |lab, &(us, tid)| lab.offer_tid(us, tid));
    { offered }.run(60_000)
}

proptest! {
    #![proptest_config(property(1_000))]

    #[test]
    fn a_station_never_comes_late(script in script()) {
        prop_assert_eq!(log(&script, false), log(&script, true));
    }
}
