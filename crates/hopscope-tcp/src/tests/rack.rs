//! RACK-TLP (RFC 8985): losses detected by time, and probes of the tail. Round trips of 100 ms.

use super::*;

fn rack() -> Sender {
    let cfg = TcpConfig { loss_recovery: LossRecovery::Rack, ..TcpConfig::default() };
    Sender::established(&cfg, TcpVariant::NewReno, 64)
}

#[test]
fn a_hole_is_lost_when_reordering_has_had_a_quarter_of_a_round_trip() {
    rack().run(
        "100 endless > 1 2 3 4
         200 ack 1 > 5 6
         201 ack 1 sack 3-3 > 7
         202 ack 1 sack 3-4 > 8
         227 reorder > 2* | cwnd 2.5 ssthresh 2.5 cuts 1
         300 ack 1 sack 3-5 >
         300 ack 1 sack 3-6 >
         301 ack 1 sack 3-7 >
         302 ack 1 sack 3-8 > 9
         327 ack 8 > 10 | cwnd 2.5 cuts 1 timeouts 0",
    );
}

#[test]
fn a_late_segment_is_not_taken_for_lost() {
    rack().run(
        "100 endless > 1 2 3 4
         200 ack 1 > 5 6
         201 ack 1 sack 3-3 > 7
         210 ack 3 > 8 9 | cwnd 6 cuts 0
         211 ack 4 > 10 11 | cuts 0",
    );
}

#[test]
fn three_reported_segments_end_the_patience() {
    rack().run(
        "100 endless > 1 2 3 4
         200 ack 0 sack 2-2 > 5
         201 ack 0 sack 2-3 > 6
         202 ack 0 sack 2-4 > 1* | cwnd 2 cuts 1",
    );
}

#[test]
fn a_lost_repetition_is_repeated_without_a_timeout() {
    rack().run(
        "100 endless > 1 2 3 4
         200 ack 1 > 5 6
         201 ack 1 sack 3-3 > 7
         202 ack 1 sack 3-4 > 8
         227 reorder > 2* | cuts 1
         300 ack 1 sack 3-5 >
         301 ack 1 sack 3-6 >
         302 ack 1 sack 3-7 >
         303 ack 1 sack 3-8 > 9
         402 ack 1 sack 3-9 > 2* 10
         502 ack 9 > 11 | cuts 1 timeouts 0",
    );
}

#[test]
fn the_tail_is_probed_after_two_round_trips() {
    rack().run(
        "100 offer 2 > 1 2
         300 probe > 2*
         400 ack 2 > | cuts 0 timeouts 0",
    );
    // A lone segment allows for a delayed ACK; the probe that repaired it is a loss all the same.
    rack().run(
        "100 offer 2 > 1 2
         200 ack 1 >
         600 probe > 2*
         700 ack 2 > | cuts 0
         800 offer 1 > 3
         900 ack 3 > | cuts 1 timeouts 0",
    );
}

#[test]
fn new_data_is_the_better_probe() {
    let cfg = TcpConfig { loss_recovery: LossRecovery::Rack, initial_window: 2, ..TcpConfig::default() };
    Sender::established(&cfg, TcpVariant::NewReno, 64).run(
        "100 offer 5 > 1 2
         300 probe > 3
         400 ack 0 sack 3-3 > 1* 2* | cwnd 2 cuts 1",
    );
}

#[test]
fn a_timeout_gives_up_what_had_its_time_and_keeps_the_rest() {
    rack().run(
        "100 endless > 1 2 3 4
         300 probe > 5
         1300 rto > 1* | cwnd 1 timeouts 1
         1400 ack 1 > 2* 3* | cwnd 2
         1500 ack 5 > 6 7 8 | timeouts 1",
    );
}

#[test]
fn a_probe_goes_out_in_place_of_a_timeout_that_would_come_first() {
    // Round trips of 600 ms: two of them are longer than the RTO, which is down to its lower bound of a second by then.
    let cfg = TcpConfig { loss_recovery: LossRecovery::Rack, ..TcpConfig::default() };
    let mut s = Sender::new(&cfg, TcpVariant::NewReno, 64);
    s.run("0 open > syn").run("600 synack > ack");
    for k in 1..=8_u64 {
        s.run(&format!("{} offer 1 > {k}", 600 * k)).run(&format!("{} ack {k} >", 600 * (k + 1)));
    }
    s.run(
        "5400 offer 1 > 9 | rto_ms 1000
         6400 rto > 9* | timeouts 0
         7400 rto > 9* | timeouts 1",
    );
}

#[test]
fn a_probe_keeps_a_least_distance() {
    for (probe_min, at) in [(Span::ZERO, 104), (Span::from_millis(10), 110), (Span::from_millis(50), 150)] {
        let cfg = TcpConfig { loss_recovery: LossRecovery::Rack, probe_min, ..TcpConfig::default() };
        let mut s = Sender::new(&cfg, TcpVariant::NewReno, 64);
        s.run("98 open > syn").run("100 synack > ack").run("100 offer 2 > 1 2").run(&format!("{at} probe > 2*"));
    }
}

#[test]
fn nothing_is_probed_while_segments_are_reported() {
    // Segment 1 is late by more than a probe would wait; the timer of reordering asks for it, not a probe.
    rack().run(
        "100 offer 4 > 1 2 3 4
         200 ack 1 sack 3-3 >
         225 reorder > 2* | cuts 1
         325 ack 4 > | timeouts 0",
    );
    let mut s = rack();
    s.run("100 offer 2 > 1 2").run("296 ack 0 sack 2-2 >").run("345 reorder > 1*");
    assert_eq!(s.tcp.stats().probes, 0);
}

#[test]
fn without_reordering_a_repair_is_not_patient() {
    // A needless repetition has widened the window of reordering, but nothing has come out of order: in a recovery
    // a segment is given up at once (RFC 8985 6.2 step 4).
    let cfg = TcpConfig { loss_recovery: LossRecovery::Rack, initial_window: 8, ..TcpConfig::default() };
    Sender::established(&cfg, TcpVariant::NewReno, 8).run(
        "100 offer 2 > 1 2
         300 probe > 2*
         301 ack 2 >
         302 ack 2 sack 2-2 >
         400 offer 8 > 3 4 5 6 7 8 9 10
         500 ack 2 sack 4-4 >
         501 ack 2 sack 4-5 >
         502 ack 2 sack 4-6 > 3* | cuts 1",
    );
}

#[test]
fn reports_of_an_overtaken_ack_count() {
    rack().run(
        "100 endless > 1 2 3 4
         200 ack 2 > 5 6 7
         201 ack 0 sack 1-1 >
         202 ack 1 sack 4-4 > 8
         227 reorder > 3* | cuts 1",
    );
}

#[test]
fn the_first_repetition_counts_in_what_its_ack_lets_out() {
    // Ten in flight, eight lost: below the target as many leave as arrive, one for one (RFC 9937).
    for recovery in [LossRecovery::Rack, LossRecovery::Sack] {
        let cfg = TcpConfig { loss_recovery: recovery, prr: true, initial_window: 10, ..TcpConfig::default() };
        let mut s = Sender::established(&cfg, TcpVariant::NewReno, 64);
        s.run("100 offer 20 > 1 2 3 4 5 6 7 8 9 10");
        let sent: Vec<String> = (0..4)
            .map(|k| {
                let input = format!("ack 0 sack {}-{}", 4, 4 + k);
                s.step(&input, Time((200 + k) * MS), &input)
            })
            .collect();
        let repeated: Vec<usize> =
            sent.iter().map(|out| out.split(' ').filter(|word| word.ends_with('*')).count()).collect();
        let first = repeated.iter().position(|n| *n > 0).expect("a repetition");
        assert_eq!(repeated[first], 1, "{recovery:?}: {sent:?}");
        assert_eq!(sent[first].split(' ').count(), 1, "{recovery:?}: {sent:?}");
    }
}
