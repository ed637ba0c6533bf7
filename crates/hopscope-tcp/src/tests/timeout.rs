//! The retransmission timer of a connection.

use super::*;

const ALL: [TcpVariant; 5] =
    [TcpVariant::Tahoe, TcpVariant::Reno, TcpVariant::NewReno, TcpVariant::Sack, TcpVariant::Vegas];

#[test]
fn a_lost_repetition_is_repeated_with_back_off() {
    let cfg = TcpConfig { initial_window: 4, ..TcpConfig::default() };
    for variant in [TcpVariant::Tahoe, TcpVariant::Reno, TcpVariant::NewReno, TcpVariant::Sack] {
        Sender::established(&cfg, variant, 16).run(
            "100 endless > 1 2 3 4
             1100 rto > 1* | cwnd 1 ssthresh 2 rto_ms 2000 timeouts 1
             3100 rto > 1* | cwnd 1 ssthresh 2 rto_ms 4000 timeouts 2
             7100 rto > 1* | rto_ms 8000",
        );
    }
}

#[test]
fn go_back_n_jumps_over_what_was_received() {
    let cfg = TcpConfig { initial_window: 8, ..TcpConfig::default() };
    Sender::established(&cfg, TcpVariant::NewReno, 16).run(
        "100 endless > 1 2 3 4 5 6 7 8
         1100 rto > 1* | cwnd 1 ssthresh 4
         1200 ack 1 > 2* 3* | cwnd 2
         1300 ack 6 > 7* 8* 9 | cwnd 3
         1400 ack 8 > 10 11 12 | cwnd 4",
    );
}

#[test]
fn karn_keeps_the_back_off_until_a_segment_sent_once_is_acknowledged() {
    let cfg = TcpConfig { initial_window: 1, ..TcpConfig::default() };
    Sender::established(&cfg, TcpVariant::NewReno, 16).run(
        "100 endless > 1 | rto_ms 1000
         1100 rto > 1* | rto_ms 2000
         1150 ack 1 > 2 3 | rto_ms 2000
         1250 ack 2 > 4 | cwnd 2.5 rto_ms 1000",
    );
    // One measurement at a time, each as long as its segment is under way.
    let mut s = Sender::established(&cfg, TcpVariant::NewReno, 16);
    s.run("100 endless > 1").run("300 ack 1 > 2 3");
    assert_eq!(s.tcp.srtt(), Some(Span::from_micros(112_500)), "7/8 of 100 ms and 1/8 of 200 ms");
    s.run("310 ack 2 > 4 5").run("320 ack 3 > 6 7");
    assert_eq!(s.tcp.srtt(), Some(Span(99_687_500)), "segment 2 was timed, segment 3 was not");
}

#[test]
fn ns2_back_off_multiplies_the_lower_bound() {
    Sender::new(&ns2_config(), TcpVariant::NewReno, 16).run(
        "0 open > syn | rto_ms 3000
         0 endless >
         20 ack 0 > 1 2 | rto_ms 200
         220 rto > 1* | cwnd 1 ssthresh 2 rto_ms 400
         620 rto > 1* | rto_ms 800
         1420 rto > 1* | rto_ms 1600
         1440 ack 1 > 2* 3 | rto_ms 1600
         1460 ack 2 > 4 | rto_ms 1600
         1480 ack 3 > 5 | rto_ms 200",
    );
}

#[test]
fn the_timer_stops_when_all_is_acknowledged_and_restarts_with_the_next_segment() {
    let cfg = TcpConfig { initial_window: 4, ..TcpConfig::default() };
    for variant in ALL {
        Sender::established(&cfg, variant, 16).run(
            "100 offer 1 > 1
             200 ack 1 >
             9000 offer 1 > 2
             10000 rto > 2*",
        );
    }
}

#[test]
fn every_ack_of_new_data_restarts_the_timer_without_a_queue_entry() {
    let cfg = TcpConfig { initial_window: 4, ..TcpConfig::default() };
    let mut s = Sender::established(&cfg, TcpVariant::NewReno, 4);
    let mut out = Vec::new();
    s.tcp.offer(u64::MAX, Time(100 * MS), &mut out);
    let arms = |out: &[TransportEffect]| out.iter().filter(|e| matches!(e, TransportEffect::Arm(..))).count();
    out.clear();
    for k in 1..=9 {
        s.tcp.on_segment(&answer(&format!("ack {k}")), 1, Time((100 + 90 * k) * MS), &mut out);
    }
    assert_eq!(arms(&out), 0, "nine restarts");
    out.clear();
    s.tcp.on_timer(Timer::Rto, Time(1000 * MS), &mut out);
    assert_eq!(out, [TransportEffect::Arm(Timer::Rto, Time(1910 * MS))], "the early expiry moves on to the deadline");
}

#[test]
fn ns2_sack_ignores_duplicates_until_a_timeout_is_repaired() {
    let cfg = TcpConfig { handshake: Handshake::ThreeWay, initial_window: 8, ..ns2_config() };
    let mut s = Sender::established(&cfg, TcpVariant::Sack, 8);
    s.run(
        "100 endless > 1 2 3 4 5 6 7 8
         400 rto > 1* | cwnd 1 ssthresh 4
         410 ack 0 sack 5-5 >
         411 ack 0 sack 5-6 >
         412 ack 0 sack 5-7 > | cuts 1
         500 ack 1 > 2* 3* | cwnd 2",
    );
}

#[test]
fn vegas_restarts_with_two_segments() {
    let cfg = TcpConfig { initial_window: 4, ..TcpConfig::default() };
    Sender::established(&cfg, TcpVariant::Vegas, 16).run(
        "100 endless > 1 2 3 4
         1100 rto > 1* 2* | cwnd 2 ssthresh 2",
    );
}
