//! The parts that can be switched on for any variant: ECN, timestamps, F-RTO, duplicate SACK, another recovery.

use super::*;

fn sender(cfg: TcpConfig) -> Sender {
    Sender::established(&cfg, TcpVariant::NewReno, 64)
}

#[test]
fn a_mark_cuts_once_per_window_and_is_confirmed() {
    sender(TcpConfig { ecn: true, ..TcpConfig::default() }).run(
        "100 endless > 1 2 3 4
         200 ack 1 ece > | cwnd 2 ssthresh 2 cuts 1
         201 ack 2 ece >
         202 ack 3 > 5+cwr | cwnd 2.5
         203 ack 4 > 6 | cuts 1
         300 ack 5 ece > 7+cwr | cwnd 2 cuts 2 timeouts 0",
    );
    sender(TcpConfig::default()).run(
        "100 endless > 1 2 3 4
         200 ack 1 ece > 5 6 | cuts 0",
    );
}

#[test]
fn new_data_and_nothing_else_may_be_marked() {
    let mut s = sender(TcpConfig { ecn: true, ..TcpConfig::default() });
    let mut out = Vec::new();
    s.tcp.offer(2000, Time(100 * MS), &mut out);
    let ecn = |out: &[TransportEffect]| -> Vec<Ecn> {
        out.iter()
            .filter_map(|e| if let TransportEffect::Emit(Body::Tcp(seg)) = e { Some(seg.ecn) } else { None })
            .collect()
    };
    assert_eq!(ecn(&out), [Ecn::Ect; 2]);
    out.iter().for_each(|e| s.timers.note(e));
    out.clear();
    s.tcp.on_timer(Timer::Rto, Time(1100 * MS), &mut out);
    assert_eq!(ecn(&out), [Ecn::NotEct], "a repetition");
}

/// Segment `n` with changes, given to a receiver; the ACK that answers it.
fn answer_of(tcp: &mut TcpReceiver, n: u64, ms: u64, change: impl FnOnce(&mut TcpSegment)) -> Option<TcpSegment> {
    let flags = TcpFlags { ack: true, ..TcpFlags::default() };
    let mut seg = TcpSegment { seq: 1 + (n - 1) * u64::from(MSS), len: MSS, ack: 1, flags, ..TcpSegment::default() };
    change(&mut seg);
    let mut out = Vec::new();
    tcp.on_segment(&seg, Time(ms * MS), &mut out);
    out.into_iter().find_map(|e| if let TransportEffect::Emit(Body::Tcp(seg)) = e { Some(seg) } else { None })
}

fn receiver(cfg: &TcpConfig, policy: AckPolicy) -> TcpReceiver {
    let mut tcp = TcpReceiver::new(cfg, policy, Span::from_millis(200), true, MSS, 16);
    let flags = TcpFlags { syn: true, ..TcpFlags::default() };
    let stamps = cfg.timestamps.then_some(Timestamps { value: 7, echo: 0 });
    let mut out = Vec::new();
    tcp.on_segment(&TcpSegment { flags, timestamps: stamps, ..TcpSegment::default() }, Time::ZERO, &mut out);
    tcp
}

#[test]
fn the_receiver_echoes_a_mark_until_the_sender_has_heard_of_it() {
    let mut tcp = receiver(&TcpConfig { ecn: true, ..TcpConfig::default() }, AckPolicy::Every);
    let mut ece = |n: u64, ecn: Ecn, cwr: bool| {
        let ack = answer_of(&mut tcp, n, n, |seg| (seg.ecn, seg.flags.cwr) = (ecn, cwr));
        ack.expect("every segment is answered").flags.ece
    };
    assert!(!ece(1, Ecn::Ect, false));
    assert!(ece(2, Ecn::Ce, false));
    assert!(ece(3, Ecn::Ect, false));
    assert!(!ece(4, Ecn::Ect, true));
    assert!(ece(5, Ecn::Ce, true), "marked again");
}

#[test]
fn a_stamp_times_a_repetition_too() {
    // Without stamps the back-off lasts until a segment sent once is acknowledged (Karn).
    sender(TcpConfig::default()).run(
        "100 offer 1 > 1
         1100 rto > 1* | rto_ms 2000
         1150 ack 1 > | rto_ms 2000",
    );
    let cfg = TcpConfig { timestamps: true, ..TcpConfig::default() };
    let mut s = Sender::new(&cfg, TcpVariant::NewReno, 64);
    s.run(
        "0 open > syn
         100 synack stamp 0 > ack
         100 offer 1 > 1
         1100 rto > 1* | rto_ms 2000
         1150 ack 1 stamp 1100 > | rto_ms 1000",
    );
    assert_eq!(s.tcp.srtt(), Some(Span::from_micros(93_750)), "7/8 of 100 ms and 1/8 of 50 ms");
}

#[test]
fn the_receiver_echoes_the_stamp_of_the_oldest_segment_answered() {
    let cfg = TcpConfig { timestamps: true, ..TcpConfig::default() };
    let mut tcp = receiver(&cfg, AckPolicy::Delayed);
    let mut echo = |n: u64, value: u32| {
        let stamp = |seg: &mut TcpSegment| seg.timestamps = Some(Timestamps { value, echo: 0 });
        answer_of(&mut tcp, n, u64::from(value), stamp).map(|ack| ack.timestamps.expect("stamped"))
    };
    assert_eq!(echo(1, 10), None);
    assert_eq!(echo(2, 20), Some(Timestamps { value: 20, echo: 10 }), "a delayed ACK times the first of two");
    assert_eq!({ echo(4, 30).expect("out of order").echo }, 10);
    assert_eq!({ echo(3, 40).expect("fills the gap").echo }, 40);
}

#[test]
fn an_older_stamp_is_not_echoed() {
    let cfg = TcpConfig { timestamps: true, ..TcpConfig::default() };
    let mut tcp = receiver(&cfg, AckPolicy::Every);
    let mut echo = |n: u64, value: u32| {
        let stamp = |seg: &mut TcpSegment| seg.timestamps = Some(Timestamps { value, echo: 0 });
        answer_of(&mut tcp, n, u64::from(value), stamp).and_then(|ack| ack.timestamps).expect("stamped").echo
    };
    assert_eq!([echo(1, 10), echo(2, 30)], [10, 30]);
    assert_eq!(echo(1, 20), 30, "a copy that was overtaken");
    assert_eq!(echo(3, 30), 30);
    assert_eq!(echo(4, 31), 31);
}

#[test]
fn data_that_arrives_twice_is_reported_first() {
    let mut tcp = receiver(&TcpConfig { dsack: Some(true), ..TcpConfig::default() }, AckPolicy::Every);
    let mut blocks = |n: u64| {
        let ack = answer_of(&mut tcp, n, n, |_| ()).expect("answered");
        let named: Vec<(u64, u64)> = ack.sack_blocks().iter().map(|b| (b.start / 1000 + 1, b.end / 1000)).collect();
        (named, ack.is_dsack())
    };
    assert_eq!(blocks(1), (vec![], false));
    assert_eq!(blocks(1), (vec![(1, 1)], true));
    assert_eq!(blocks(3), (vec![(3, 3)], false));
    assert_eq!(blocks(5), (vec![(5, 5), (3, 3)], false));
    assert_eq!(blocks(3), (vec![(3, 3), (3, 3), (5, 5)], true));
    assert_eq!(blocks(1), (vec![(1, 1), (3, 3), (5, 5)], true));
}

#[test]
fn of_data_that_arrives_twice_in_part_the_part_is_reported() {
    let mut tcp = receiver(&TcpConfig { dsack: Some(true), ..TcpConfig::default() }, AckPolicy::Every);
    let mut first = |seq: u64, len: u32| {
        let ack = answer_of(&mut tcp, 1, seq, |seg| (seg.seq, seg.len) = (seq, len)).expect("answered");
        let block = ack.sack_blocks().first().map(|b| (b.start, b.end));
        (ack.ack, block, ack.is_dsack())
    };
    assert_eq!(first(1, 1000), (1001, None, false));
    assert_eq!(first(501, 1000), (1501, Some((501, 1001)), true), "the first half has come before");
    assert_eq!(first(3001, 1000), (1501, Some((3001, 4001)), false));
    assert_eq!(first(3501, 1000), (1501, Some((3501, 4001)), true), "above a gap");
    assert_eq!(first(2001, 1500), (1501, Some((3001, 3501)), true));
}

#[test]
fn frto_undoes_a_needless_timeout() {
    let mut s = sender(TcpConfig { frto: true, ..TcpConfig::default() });
    s.run(
        "100 endless > 1 2 3 4
         1100 rto > 1* | cwnd 1 ssthresh 2
         1150 ack 1 > 5 6
         1151 ack 2 > | cwnd 4 timeouts 1
         1152 ack 3 > 7 8 | cwnd 5",
    );
    assert_eq!((s.tcp.stats().spurious_timeouts, s.tcp.stats().retransmissions), (1, 1));
}

#[test]
fn frto_goes_back_when_something_is_missing() {
    let mut s = sender(TcpConfig { frto: true, ..TcpConfig::default() });
    s.run(
        "100 endless > 1 2 3 4
         1100 rto > 1*
         1200 ack 1 > 5 6
         1300 ack 1 > 2* 3* 4* | cwnd 3 ssthresh 2",
    );
    assert_eq!(s.tcp.stats().spurious_timeouts, 0);
}

#[test]
fn without_frto_a_late_ack_repeats_what_has_arrived() {
    sender(TcpConfig::default()).run(
        "100 endless > 1 2 3 4
         1100 rto > 1*
         1150 ack 1 > 2* 3*",
    );
}

#[test]
fn any_growth_takes_any_recovery() {
    for variant in [TcpVariant::Veno, TcpVariant::Westwood, TcpVariant::Fast, TcpVariant::Cubic] {
        for recovery in [LossRecovery::NewReno, LossRecovery::Sack, LossRecovery::Rack] {
            let cfg = TcpConfig { loss_recovery: recovery, initial_window: 8, ..TcpConfig::default() };
            let sack = recovery != LossRecovery::NewReno;
            let mut s = Sender::established(&cfg, variant, 8);
            s.run("100 endless > 1 2 3 4 5 6 7 8");
            // Segments 2 and 3 are lost; the first repetition is acknowledged after a round trip.
            let mut sent = Vec::new();
            for (ms, ack, last) in [
                (200, 1, 1),
                (201, 1, 4),
                (202, 1, 5),
                (203, 1, 6),
                (204, 1, 7),
                (205, 1, 8),
                (300, 1, 9),
                (303, 2, 9),
                (403, 9, 9),
            ] {
                let blocks = if sack && last > 3 && ack < last { format!(" sack 4-{last}") } else { String::new() };
                let input = format!("ack {ack}{blocks}");
                sent.push(s.step(&input, Time(ms * MS), &input));
            }
            let repeated: Vec<&str> = sent.iter().flat_map(|o| o.split(' ')).filter(|w| w.ends_with('*')).collect();
            // With room in the window and nothing new to send, RFC 6675 may repeat the last segment as well.
            assert_eq!(repeated[..2], ["2*", "3*"], "{variant:?} {recovery:?}: {sent:?}");
            assert!(repeated.len() <= if recovery == LossRecovery::Sack { 3 } else { 2 }, "{sent:?}");
            assert_eq!(s.tcp.stats().timeouts, 0);
        }
    }
}
