//! Growth of the window, its limits, idle periods.

use super::*;

#[test]
fn slow_start_then_congestion_avoidance() {
    let cfg = TcpConfig { initial_window: 1, initial_ssthresh: InitialSsthresh::Window, ..TcpConfig::default() };
    Sender::established(&cfg, TcpVariant::NewReno, 4).run(
        "100 endless > 1
         200 ack 1 > 2 3 | cwnd 2
         300 ack 2 > 4 5 | cwnd 3
         300 ack 3 > 6 7 | cwnd 4
         400 ack 4 > 8 | cwnd 4.25
         400 ack 5 > 9 | cwnd 4.4853",
    );
}

#[test]
fn one_ack_of_two_segments_grows_the_window_by_one() {
    let cfg = TcpConfig { initial_window: 4, ..TcpConfig::default() };
    Sender::established(&cfg, TcpVariant::Reno, 64).run(
        "100 endless > 1 2 3 4
         200 ack 2 > 5 6 7 | cwnd 5
         200 ack 4 > 8 9 10 | cwnd 6",
    );
}

#[test]
fn initial_window_by_segment_size() {
    for (mss, segments) in [(536, 4.0), (1095, 4.0), (1096, 3.0), (1460, 3.0), (2190, 3.0), (2191, 2.0), (4000, 2.0)] {
        let cfg = TcpConfig::default();
        let mut s = TcpSender::new(&cfg, TcpVariant::NewReno.kind(&cfg), mss, 100);
        let mut out = Vec::new();
        s.open(Time::ZERO, &mut out);
        s.on_segment(&answer("synack"), 1, Time(MS), &mut out);
        assert_eq!(s.cwnd(), segments, "MSS {mss}");
    }
}

#[test]
fn the_receiver_window_bounds_what_is_sent_and_the_growth() {
    Sender::established(&TcpConfig::default(), TcpVariant::NewReno, 3).run(
        "100 endless > 1 2 3 | cwnd 4
         200 ack 1 > 4 | cwnd 5
         200 ack 2 > 5 | cwnd 6
         200 ack 3 > 6 | cwnd 7",
    );
    Sender::established(&ns2_config_three_way(), TcpVariant::NewReno, 3).run(
        "100 endless > 1 2 | cwnd 2
         200 ack 1 > 3 4 | cwnd 3
         200 ack 2 > 5 | cwnd 3.333
         200 ack 3 > 6 | cwnd 3.633",
    );
}

fn ns2_config_three_way() -> TcpConfig {
    TcpConfig { handshake: Handshake::ThreeWay, ..ns2_config() }
}

#[test]
fn an_unused_window_grows_under_ns2_only() {
    for (cfg, cwnd) in [(TcpConfig { initial_window: 2, ..TcpConfig::default() }, 2.0), (ns2_config_three_way(), 5.0)] {
        let mut s = Sender::established(&cfg, TcpVariant::NewReno, 20);
        for k in 1..=3 {
            let at = 100 * k;
            s.run(&format!("{at} offer 1 > {k}")).run(&format!("{} ack {k} >", at + 50));
        }
        assert_eq!(s.tcp.cwnd(), cwnd);
    }
}

#[test]
fn a_smaller_advertised_window_counts() {
    let mut s = Sender::established(&TcpConfig::default(), TcpVariant::NewReno, 16);
    s.run("100 endless > 1 2 3 4");
    let mut out = Vec::new();
    s.tcp.on_segment(&TcpSegment { window: 2 * MSS, ..answer("ack 3") }, 1, Time(200 * MS), &mut out);
    assert_eq!(show_sender(&out), "5");
}

#[test]
fn an_idle_period_longer_than_the_rto_closes_the_window() {
    let table = "100 offer 4 > 1 2 3 4
                 200 ack 1 > | cwnd 5
                 200 ack 2 >
                 200 ack 3 >
                 200 ack 4 >";
    let mut s = Sender::established(&TcpConfig::default(), TcpVariant::NewReno, 16);
    s.run(table).run("900 offer 9 > 5 6 7 8 9 10 11 12 | cwnd 8");
    let mut s = Sender::established(&TcpConfig::default(), TcpVariant::NewReno, 16);
    s.run(table).run("1300 offer 9 > 5 6 7 8 | cwnd 4");
    let mut s =
        Sender::established(&TcpConfig { initial_window: 4, ..ns2_config_three_way() }, TcpVariant::NewReno, 16);
    s.run(table).run("1300 offer 9 > 5 | cwnd 1 ssthresh 16 timeouts 0");
}

#[test]
fn a_window_filled_in_the_last_round_trip_grows_with_each_of_its_acks() {
    // Ten segments at an initial window of ten, an ACK for two: CUBIC's slow start counts what is acknowledged, RFC
    // 5681 ACKs.
    for (variant, cwnd) in [(TcpVariant::Cubic, 20.0), (TcpVariant::NewReno, 15.0)] {
        let mut s = Sender::established(&TcpConfig { initial_window: 10, ..TcpConfig::default() }, variant, 64);
        s.run("100 offer 10 > 1 2 3 4 5 6 7 8 9 10");
        for k in 1..=5 {
            s.run(&format!("{} ack {} >", 199 + k, 2 * k));
        }
        assert_eq!(s.tcp.cwnd(), cwnd, "{variant:?}");
        // A round trip that does not fill the window leaves it as it is.
        s.run("250 offer 9 > 11 12 13 14 15 16 17 18 19").run("350 ack 15 >").run("351 ack 19 >");
        assert_eq!(s.tcp.cwnd(), cwnd, "{variant:?}");
    }
}

#[test]
fn ns2_checks_each_ack_by_itself() {
    let cfg = TcpConfig { initial_window: 10, cubic_hystart: false, ..ns2_config_three_way() };
    let mut s = Sender::established(&cfg, TcpVariant::Cubic, 64);
    s.run("100 offer 10 > 1 2 3 4 5 6 7 8 9 10").run("200 ack 2 > | cwnd 11").run("201 ack 4 > | cwnd 11");
}
