//! Data at rates that are learnt.

use super::*;
use crate::config::mac::{MinstrelHtVariant, RateControlKind};

/// A station with enough to send that finds its rates so.
fn learns(control: RateControlKind, variant: MinstrelHtVariant) -> Lab {
    let lab = Lab::with("as-ns3", |_, mac| {
        (mac.rate_control, mac.minstrel_ht, mac.queue) = (control, variant, 1_000);
    });
    lab.offer(1_000, 1_000)
}

/// MCS and MPDUs of the data PPDUs so far.
fn data(lab: &Lab) -> Vec<(u8, usize)> {
    let data = lab.sent.iter().filter(|(frame, _)| frame.kind == FrameKind::Data);
    data.map(|(frame, carried)| (frame.mode.mcs().expect("an MCS").0, carried.mpdus.len().max(1))).collect()
}

#[test]
fn the_limits_of_a_ppdu_follow_its_mode() {
    // 1544 bytes a subframe and 5484 us: (5448 / 4 symbols * N_DBPS - 22 bits) / 12352 MPDUs.
    let most = [26, 52, 78, 104, 156, 208, 234, 260].map(|bits| (5_448 / 4 * bits - 22) / (8 * 1_544));
    let mut lab = learns(RateControlKind::MinstrelHt, MinstrelHtVariant::Ns3);
    lab.run(150_000);
    let sent = data(&lab);
    assert_eq!(sent[0], (0, 2), "the slowest first");
    assert!(sent.iter().all(|&(mcs, mpdus)| mpdus == most[usize::from(mcs)]), "{sent:?}, {most:?}");
    assert!(sent.last().is_some_and(|(mcs, _)| *mcs > 3), "{sent:?}");
    let counts = lab.edca.mpdu_counts();
    assert_eq!(counts.modes.values().sum::<u64>(), counts.ppdus);
}

#[test]
fn a_sample_of_linux_is_one_mpdu() {
    let mut lab = learns(RateControlKind::MinstrelHt, MinstrelHtVariant::Linux);
    lab.run(60_000);
    // Four samples follow the first PPDU.
    let sent = data(&lab);
    assert_eq!(sent[0], (0, 2));
    assert!(sent[1..5].iter().all(|&(mcs, mpdus)| mcs > 0 && mpdus == 1), "{sent:?}");
    assert_eq!(sent[5], (0, 2), "nothing is chosen before the window is over");
}

#[test]
fn what_was_lost_as_a_whole_steps_down_the_chain() {
    let mut lab = learns(RateControlKind::MinstrelHt, MinstrelHtVariant::Linux);
    // The first sample, of one MPDU, is not acknowledged: it goes again at the second rate, which is the slowest as yet.
    lab.peer = [Peer::Answers, Peer::Silent].into();
    lab.run(20_000);
    let seqs: Vec<u16> = lab.sent.iter().map(|(frame, _)| frame.seq).collect();
    let sent = data(&lab);
    assert!(sent[1].0 > 0 && sent[1].1 == 1);
    assert_eq!((sent[2], seqs[2]), ((0, 1), seqs[1]));
}

#[test]
fn the_ideal_rate_follows_what_the_answer_reports() {
    let mut lab = learns(RateControlKind::Ideal, MinstrelHtVariant::Ns3);
    // 40 dB, then 5 dB, where the threshold of MCS 0 or 1 is the last one below.
    lab.ratio = 1e4;
    lab.run(10_000);
    lab.ratio = 3.2;
    lab.run(30_000);
    let sent: Vec<u8> = data(&lab).into_iter().map(|(mcs, _)| mcs).collect();
    assert_eq!(sent[0], 0, "nothing is known");
    assert_eq!(sent[1], 7);
    assert!(sent.last().is_some_and(|mcs| *mcs < 2), "{sent:?}");
    // Without an answer nothing changes.
    lab.ratio = 1e4;
    lab.beyond = Peer::Silent;
    lab.run(60_000);
    let later: Vec<u8> = data(&lab).into_iter().map(|(mcs, _)| mcs).skip(sent.len() + 1).collect();
    assert!(later.iter().all(|mcs| *mcs < 2), "{later:?}");
}
