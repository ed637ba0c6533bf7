//! A station that looks at the medium only when something happens to it sends exactly when a watchful one would.
//!
//! The access event stands at the earliest instant known when it was queued. Whatever happens on the air afterwards may
//! only make that instant later, never earlier, or the station would come too late.

use proptest::prelude::*;

use super::*;
use hopscope_testing::property;

/// A frame of others: when after the one before it began, how long, which kind.
#[derive(Debug, Clone)]
struct Script {
    ns2: bool,
    rts_used: bool,
    defers: bool,
    cuts: bool,
    answers: u8,
    frames: Vec<(u64, u64, u8)>,
    offers: Vec<u64>,
}

fn script() -> impl Strategy<Value = Script> {
    let frames = proptest::collection::vec((1..900u64, 10..600u64, 0..10u8), 0..16);
    let offers = proptest::collection::vec(0..12_000u64, 1..5);
    (any::<[bool; 4]>(), 0..3u8, frames, offers).prop_map(|([ns2, rts_used, defers, cuts], answers, frames, offers)| {
        Script { ns2, rts_used, defers, cuts, answers, frames, offers }
    })
}

fn log(script: &Script, watchful: bool) -> Vec<Line> {
    let mut lab = Lab::with(if script.ns2 { "ns2" } else { "standard" }, |_, mac| {
        mac.rts_threshold = script.rts_used.then_some(0);
        mac.nonfreezing_defer = script.defers;
        mac.fragmentation_threshold = script.cuts.then_some(700);
    });
    lab.watchful = watchful;
    lab = lab.peer([Peer::Answers, Peer::ClearsOnly, Peer::Silent][usize::from(script.answers)]);
    let mut start = 0;
    for &(gap, length, kind) in &script.frames {
        start += gap;
        let frame = match kind {
            0 => RxFrame::errored(length),
            1 => RxFrame::distant(length),
            2 => RxFrame::rts(OTHER, PEER, 2_000),
            3 => RxFrame::new(FrameKind::Cts, PEER, OTHER, 700, length),
            4 => RxFrame { length, frag: (start / 4_096) as u8, ..RxFrame::data((start % 4_096) as u16) },
            5 => RxFrame::rts(PEER, ME, 3_000),
            6 => RxFrame::new(FrameKind::Cts, PEER, ME, 700, length),
            7 => RxFrame { to: ME, ..RxFrame::errored(length) },
            _ => RxFrame::foreign(length),
        };
        lab = lab.hears(start, frame);
    }
    for &offer in &script.offers {
        lab = lab.offer(offer);
    }
    lab.run(60_000)
}

proptest! {
    #![proptest_config(property(2_000))]

    #[test]
    fn looking_late_never_means_sending_late(script in script()) {
        prop_assert_eq!(log(&script, false), log(&script, true));
    }
}
