//! Needless recoveries and timeouts that are undone (RFC 3522, 3708, 4015, 9438 4.9). Round trips of 100 ms; the time
//! stamps tick in milliseconds.

use super::*;
use crate::config::tcp::Detection;

/// An ssthresh without limit.
const OPEN: &str = "4294967295";

fn sender(cfg: TcpConfig, recovery: LossRecovery, by: (bool, bool)) -> Sender {
    let cfg = TcpConfig { loss_recovery: recovery, timestamps: by.1, ..cfg };
    let mut s = Sender::established(&cfg, TcpVariant::NewReno, 64);
    s.tcp.undo_by(Detection { dsack: by.0, timestamps: by.1 });
    s
}

fn ten() -> TcpConfig {
    TcpConfig { initial_window: 10, ..TcpConfig::default() }
}

fn undone(s: &Sender) -> (u64, u64) {
    (s.tcp.stats().undone_recoveries, s.tcp.stats().spurious_timeouts)
}

/// Three segments overtake the first of ten.
const OVERTAKEN: &str = "100 endless > 1 2 3 4 5 6 7 8 9 10
     200 ack 0 sack 2-2 stamp 100 > 11
     201 ack 0 sack 2-3 stamp 100 > 12
     202 ack 0 sack 2-4 stamp 100 > 1* | cwnd 5 ssthresh 5 cuts 1";

#[test]
fn a_dsack_of_all_that_was_sent_again_undoes_a_recovery() {
    let mut s = sender(ten(), LossRecovery::Sack, (true, false));
    s.run(OVERTAKEN).run(
        "203 ack 10 > 13 14 15 | cwnd 5
         300 ack 12 > 16 17 | cwnd 5 ssthresh 5",
    );
    assert_eq!(undone(&s), (0, 0), "the recovery has ended, and nothing is reported yet");
    s.run(&format!("302 ack 12 sack 1-1 > 18 19 20 21 22 | cwnd 10 ssthresh {OPEN} cuts 1"));
    assert_eq!(undone(&s), (1, 0));
    s.run(&format!("303 ack 12 sack 1-1 > | cwnd 10 ssthresh {OPEN}"));
    assert_eq!(undone(&s), (1, 0), "once");
}

#[test]
fn a_retransmission_without_a_dsack_leaves_the_cut() {
    let mut s = sender(ten(), LossRecovery::Sack, (true, false));
    // Two are sent again, one of them for nothing.
    s.run(
        "100 endless > 1 2 3 4 5 6 7 8 9 10
         200 ack 0 sack 2-2 > 11
         201 ack 0 sack 2-3 > 12
         202 ack 0 sack 2-3,5-5 > 1*
         203 ack 0 sack 2-3,5-6 >
         204 ack 0 sack 2-3,5-7 >
         205 ack 0 sack 2-3,5-8 >
         206 ack 0 sack 2-3,5-9 > 4*
         207 ack 3 sack 5-9 > 13
         300 ack 3 sack 1-1,5-12 > 14 15 16
         305 ack 12 > 17 | cwnd 5 cuts 1
         400 ack 13 > 18 | cwnd 5.2",
    );
    assert_eq!(undone(&s), (0, 0));
}

#[test]
fn a_network_that_duplicates_packets_is_not_believed() {
    let mut s = sender(ten(), LossRecovery::Sack, (true, false));
    s.run(OVERTAKEN).run(
        "203 ack 10 > 13 14 15
         300 ack 12 sack 5-5 > 16 17
         302 ack 12 sack 1-1 > | cwnd 5 ssthresh 5",
    );
    assert_eq!(undone(&s), (0, 0));
}

#[test]
fn an_older_stamp_undoes_a_recovery_at_once() {
    for recovery in [LossRecovery::Sack, LossRecovery::NewReno, LossRecovery::Rack] {
        let mut s = sender(ten(), recovery, (false, true));
        s.run("100 endless > 1 2 3 4 5 6 7 8 9 10");
        for (at, blocks) in [(200, "2-2"), (201, "2-3"), (202, "2-4")] {
            let line = format!("ack 0 sack {blocks} stamp 100");
            s.step(&line, Time(at * MS), &line);
        }
        assert_eq!((s.tcp.stats().retransmissions, s.tcp.stats().window_cuts), (1, 1), "{recovery:?}");
        // The stamp of 100 ms is that of the original; the retransmission left at 202 ms.
        s.run(&format!("203 ack 4 stamp 100 > 13 14 | cwnd 10 ssthresh {OPEN} cuts 1"));
        assert_eq!(undone(&s), (1, 0), "{recovery:?}");
        // What comes next is as if nothing had been.
        s.run("204 ack 5 stamp 100 > 15 16 | cwnd 11");
        assert_eq!(s.tcp.stats().retransmissions, 1, "{recovery:?}");
    }
}

#[test]
fn the_stamp_of_the_retransmission_leaves_the_cut() {
    let mut s = sender(ten(), LossRecovery::Sack, (false, true));
    s.run(OVERTAKEN).run("302 ack 4 stamp 202 > | cwnd 5 ssthresh 5");
    s.run("303 ack 5 stamp 100 > | cwnd 5");
    assert_eq!(undone(&s), (0, 0), "the first ACK of new data decides (RFC 3522 3.2 step 3)");
}

#[test]
fn where_all_is_acknowledged_acks_may_have_been_lost() {
    // RFC 3522 3.2 step 5: unless the receiver is known to report duplicates.
    let mut s = sender(ten(), LossRecovery::Sack, (false, true));
    s.run(OVERTAKEN).run("203 ack 12 stamp 100 > 13 14 15 16 17 | cwnd 5");
    assert_eq!(undone(&s), (0, 0));
    let mut s = sender(ten(), LossRecovery::Sack, (false, true));
    s.run("100 endless > 1 2 3 4 5 6 7 8 9 10");
    s.run("190 ack 0 sack 2-2,2-2 stamp 100 > 11"); // the network has duplicated it
    s.run(
        "201 ack 0 sack 2-3 stamp 100 > 12
         202 ack 0 sack 2-4 stamp 100 > 1* | cwnd 5
         203 ack 12 stamp 100 > 13 14 15 16 17 18 19 20 21 22 | cwnd 10",
    );
    assert_eq!(undone(&s), (1, 0));
}

#[test]
fn a_needless_timeout_goes_on_with_new_data() {
    let cfg = TcpConfig {
        min_rto: Span::from_millis(200),
        initial_ssthresh: InitialSsthresh::Window,
        ..TcpConfig::default()
    };
    for recovery in [LossRecovery::NewReno, LossRecovery::Sack, LossRecovery::Rack] {
        let cfg = TcpConfig { loss_recovery: recovery, timestamps: true, ..cfg.clone() };
        let mut s = Sender::established(&cfg, TcpVariant::NewReno, 6);
        s.tcp.undo_by(Detection { dsack: false, timestamps: true });
        s.run(
            "100 endless > 1 2 3 4
             200 ack 1 stamp 100 > 5 6 | cwnd 5 ssthresh 6 rto_ms 300",
        );
        let line = match recovery {
            LossRecovery::Rack => "400 probe > 7",
            _ => "500 rto > 2* | cwnd 1 ssthresh 2.5 rto_ms 600",
        };
        s.run(line);
        if recovery == LossRecovery::Rack {
            // Six are in flight then, and the timer starts anew with the probe.
            s.run("700 rto > 2* | cwnd 1 ssthresh 3");
            s.run("800 ack 2 stamp 100 > 8 | cwnd 6 ssthresh 6");
        } else {
            // 4 in flight, 1 acknowledged: a window of 5. pipe_prev is the greater of 5 in flight and ssthresh, 6.
            // SRTT = 7/8 100 + 1/8 500 = 150, RTTVAR = 3/4 50 + 1/4 400 = 137.5, RTO = 150 + 550.
            s.run("600 ack 2 stamp 100 > 7 | cwnd 5 ssthresh 6 rto_ms 700 timeouts 1");
            // The first sample of data sent since then: SRTT = max(100 + 2 G, 100), RTTVAR = max(50, 50), RTO = 102 +
            // 200.
            s.run("700 ack 7 stamp 600 > 8 9 10 11 12 13 | cwnd 6 rto_ms 302");
        }
        assert_eq!(undone(&s), (0, 1), "{recovery:?}");
        assert_eq!(s.tcp.stats().retransmissions, 1, "{recovery:?}");
    }
}

#[test]
fn a_timeout_found_needless_late_restores_ssthresh() {
    let mut s = sender(TcpConfig::default(), LossRecovery::Sack, (true, false));
    s.run(
        "100 endless > 1 2 3 4
         1100 rto > 1* | cwnd 1 ssthresh 2
         1150 ack 1 > 2* 3* | cwnd 2
         1151 ack 4 > 5 6 | cwnd 2.5
         1250 ack 4 sack 1-1 > | ssthresh 2
         1251 ack 4 sack 2-2 > | ssthresh 2",
    );
    s.run(&format!("1252 ack 4 sack 3-3 > | cwnd 2.5 ssthresh {OPEN}"));
    assert_eq!(undone(&s), (0, 1));
}

#[test]
fn rack_undoes_by_dsack() {
    let mut s = sender(TcpConfig::default(), LossRecovery::Rack, (true, false));
    s.run(
        "100 endless > 1 2 3 4
         200 ack 1 > 5 6
         201 ack 1 sack 3-3 > 7
         202 ack 1 sack 3-4 > 8
         227 reorder > 2* | cwnd 2.5 ssthresh 2.5 cuts 1
         230 ack 4 >
         300 ack 5 >
         301 ack 6 >
         302 ack 7 > 9
         303 ack 8 > 10 | cwnd 2.5",
    );
    s.run(&format!("327 ack 8 sack 2-2 > 11 12 13 | cwnd 5 ssthresh {OPEN}"));
    assert_eq!(undone(&s), (1, 0));
}

#[test]
fn a_mark_keeps_the_cut() {
    let cfg = TcpConfig { ecn: true, ..ten() };
    let mut s = sender(cfg, LossRecovery::Sack, (true, true));
    s.run(OVERTAKEN).run("203 ack 4 ece stamp 100 > | cwnd 5 ssthresh 5");
    assert_eq!(undone(&s), (1, 0), "RFC 4015 3.1");
}

/// (cwnd, ssthresh) and the counters after three segments have overtaken the first of ten, whatever paces them.
fn overtaken(variant: TcpVariant, cfg: &TcpConfig, by: Detection) -> (f64, f64, SenderStats) {
    let mut s = Sender::established(cfg, variant, 64);
    s.tcp.undo_by(by);
    for (at, line) in [
        (100, "endless"),
        (1000, "ack 0 sack 2-2 stamp 100"),
        (1001, "ack 0 sack 2-3 stamp 100"),
        (1002, "ack 0 sack 2-4 stamp 100"),
        (1003, "ack 4 stamp 100"),
    ] {
        let now = Time(at * MS);
        while let Some((timer, due)) = s.timers.due(Time(now.0 - 1)) {
            let mut out = Vec::new();
            s.tcp.on_timer(timer, due, &mut out);
            out.iter().for_each(|effect| s.timers.note(effect));
        }
        s.step(line, now, line);
    }
    (s.tcp.cwnd(), s.tcp.ssthresh(), *s.tcp.stats())
}

#[test]
fn every_control_goes_back_to_its_window() {
    for variant in TcpVariant::built_in() {
        let recovery = if variant == TcpVariant::Bbr3 { LossRecovery::Rack } else { LossRecovery::Sack };
        let cfg = TcpConfig { loss_recovery: recovery, initial_window: 10, timestamps: true, ..TcpConfig::default() };
        let (left, _, none) = overtaken(variant, &cfg, Detection { dsack: false, timestamps: false });
        let (cwnd, ssthresh, stats) = overtaken(variant, &cfg, Detection { dsack: false, timestamps: true });
        assert_eq!((none.undone_recoveries, stats.fast_retransmits, stats.undone_recoveries), (0, 1, 1), "{variant:?}");
        assert!(cwnd >= 10.0 && cwnd >= left, "{variant:?}: {left} and {cwnd}");
        assert!(ssthresh >= 10.0, "{variant:?}: {ssthresh}");
    }
}
