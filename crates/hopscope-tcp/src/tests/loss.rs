//! Losses found by duplicate ACKs.

use super::*;
use crate::config::tcp::SackLosses;
use TcpVariant::{NewReno, Reno, Sack, Tahoe, Vegas};

/// Eight segments in flight with a window of eight, in congestion avoidance.
fn eight_in_flight(cfg: &TcpConfig, variant: TcpVariant, max_window: u32) -> Sender {
    let cfg = TcpConfig { initial_window: 8, handshake: Handshake::ThreeWay, ..cfg.clone() };
    let mut s = Sender::established(&cfg, variant, max_window);
    s.run("100 endless > 1 2 3 4 5 6 7 8 | cwnd 8");
    s
}

fn rfc() -> TcpConfig {
    TcpConfig { limited_transmit: false, ..TcpConfig::default() }
}

fn ns2() -> TcpConfig {
    TcpConfig { limited_transmit: false, ..ns2_config() }
}

#[test]
fn limited_transmit_sends_on_the_first_two_duplicates() {
    for cfg in [TcpConfig::default(), ns2_config()] {
        for variant in [Tahoe, Reno, NewReno] {
            eight_in_flight(&cfg, variant, 20).run(
                "200 ack 0 > 9
                 201 ack 0 > 10",
            );
        }
        eight_in_flight(&cfg, NewReno, 9).run(
            "200 ack 0 > 9
             201 ack 0 >",
        );
        eight_in_flight(&cfg, Sack, 20).run(
            "200 ack 0 sack 2-2 > 9
             201 ack 0 sack 2-3 > 10",
        );
    }
    eight_in_flight(&rfc(), NewReno, 20).run("200 ack 0 >");
}

#[test]
fn limited_transmit_is_left_out_of_the_flight_that_is_halved() {
    eight_in_flight(&TcpConfig::default(), NewReno, 20).run(
        "200 ack 0 > 9
         201 ack 0 > 10
         202 ack 0 > 1* | cwnd 4 ssthresh 4",
    );
}

#[test]
fn tahoe_restarts_slow_start() {
    for cfg in [rfc(), ns2()] {
        eight_in_flight(&cfg, Tahoe, 20).run(
            "200 ack 0 >
             201 ack 0 >
             202 ack 0 > 1* | cwnd 1 ssthresh 4 cuts 1
             203 ack 0 >
             204 ack 0 >
             300 ack 8 > 9 10 | cwnd 2
             400 ack 9 > 11 12 | cwnd 3",
        );
    }
}

#[test]
fn reno_leaves_recovery_at_the_first_new_ack() {
    eight_in_flight(&rfc(), Reno, 20).run(
        "200 ack 0 >
         201 ack 0 >
         202 ack 0 > 1* | cwnd 4 ssthresh 4
         203 ack 0 >
         204 ack 0 > 9
         205 ack 0 > 10
         206 ack 0 > 11
         300 ack 8 > 12 | cwnd 4
         310 ack 9 > 13 | cwnd 4.25",
    );
    eight_in_flight(&ns2(), Reno, 20).run(
        "200 ack 0 >
         201 ack 0 >
         202 ack 0 > 1* | cwnd 4 ssthresh 4
         203 ack 0 >
         204 ack 0 > 9
         300 ack 8 > 10 11 12 | cwnd 4.25",
    );
}

#[test]
fn ns2_keeps_the_real_half_in_cwnd_and_the_whole_one_in_ssthresh() {
    let cfg = TcpConfig { initial_window: 9, ..ns2() };
    let cfg = TcpConfig { handshake: Handshake::ThreeWay, ..cfg };
    Sender::established(&cfg, NewReno, 20).run(
        "100 endless > 1 2 3 4 5 6 7 8 9
         200 ack 0 >
         201 ack 0 >
         202 ack 0 > 1* | cwnd 4.5 ssthresh 4",
    );
    // Older ns-2: whole segments only.
    let cfg = TcpConfig { integer_reduction: true, ..cfg };
    Sender::established(&cfg, NewReno, 20).run(
        "100 endless > 1 2 3 4 5 6 7 8 9
         200 ack 0 >
         201 ack 0 >
         202 ack 0 > 1* | cwnd 4 ssthresh 4",
    );
}

#[test]
fn reno_halves_again_for_every_loss_of_the_window() {
    // Segments 1 and 3 are lost.
    eight_in_flight(&rfc(), Reno, 20).run(
        "200 ack 0 >
         201 ack 0 >
         202 ack 0 > 1* | cwnd 4 cuts 1
         203 ack 0 >
         204 ack 0 > 9
         205 ack 0 > 10
         300 ack 2 > | cwnd 4
         310 ack 2 >
         311 ack 2 >
         312 ack 2 > 3* | cwnd 4 cuts 2",
    );
}

#[test]
fn ns2_reno_waits_for_the_timer_after_a_second_loss_in_the_window() {
    eight_in_flight(&ns2(), Reno, 20).run(
        "200 ack 0 >
         201 ack 0 >
         202 ack 0 > 1*
         300 ack 2 >
         310 ack 2 >
         311 ack 2 >
         312 ack 2 > | cuts 1
         600 rto > 3* | cwnd 1",
    );
}

#[test]
fn newreno_repeats_one_segment_per_partial_ack() {
    // Segments 1, 3 and 5 are lost.
    for (cfg, end) in [(rfc(), "500 ack 11 > 13 | cwnd 2"), (ns2(), "500 ack 11 > 13 14 15 | cwnd 4.25")] {
        let mut s = eight_in_flight(&cfg, NewReno, 20);
        s.run(
            "200 ack 0 >
             201 ack 0 >
             202 ack 0 > 1* | cwnd 4 ssthresh 4
             203 ack 0 >
             204 ack 0 > 9
             300 ack 2 > 3* 10
             310 ack 2 > 11
             400 ack 4 > 5* 12",
        );
        s.run(end);
    }
}

#[test]
fn newreno_full_ack_by_profile() {
    // RFC 6582 option 1 leaves min(ssthresh, flight + 1), ns-2 the half and one step of growth.
    eight_in_flight(&rfc(), NewReno, 20).run(
        "200 ack 0 >
         201 ack 0 >
         202 ack 0 > 1*
         300 ack 8 > 9 10 | cwnd 2",
    );
    eight_in_flight(&ns2(), NewReno, 20).run(
        "200 ack 0 >
         201 ack 0 >
         202 ack 0 > 1*
         300 ack 8 > 9 10 11 12 | cwnd 4.25",
    );
}

#[test]
fn ns2_newreno_releases_two_segments_per_ack_at_most() {
    let cfg = TcpConfig { initial_window: 12, handshake: Handshake::ThreeWay, ..ns2() };
    let losses = "100 endless > 1 2 3 4 5 6 7 8 9 10 11 12
                  200 ack 0 >
                  201 ack 0 >
                  202 ack 0 > 1*
                  203 ack 0 >
                  204 ack 0 >";
    Sender::established(&cfg, NewReno, 20).run(losses).run("300 ack 1 > 2*").run("301 ack 1 > 13");
    // A partial ACK of four opens the window by four: two go now, two with the next ACK.
    let mut s = Sender::established(&cfg, NewReno, 12);
    s.run(losses);
    for at in 205..=211 {
        s.run(&format!("{at} ack 0 >"));
    }
    s.run("300 ack 4 > 5* 13 14").run("301 ack 4 > 15 16");
}

#[test]
fn newreno_restarts_the_timer_at_the_first_partial_ack_only() {
    let cfg = TcpConfig { min_rto: Span::from_millis(400), ..rfc() };
    eight_in_flight(&cfg, NewReno, 8).run(
        "200 ack 0 >
         201 ack 0 >
         202 ack 0 > 1*
         300 ack 1 > 2*
         400 ack 2 > 3* 9
         700 rto > 3* | cwnd 1",
    );
}

#[test]
fn no_second_recovery_before_the_last_one_is_acknowledged() {
    for cfg in [rfc(), ns2()] {
        for variant in [Tahoe, NewReno] {
            let mut s = eight_in_flight(&cfg, variant, 8);
            let rto = if s.tcp.rto() >= Span::from_secs(1) { 1100 } else { 400 };
            s.run(&format!("{rto} rto > 1* | cwnd 1 cuts 1"));
            // The receiver answers the repetitions of what it has: duplicates that report no loss.
            let t = rto + 50;
            s.run(&format!("{t} ack 6 > 7* 8*"));
            for d in 1..=4 {
                s.run(&format!("{} ack 6 >", t + d));
            }
            assert_eq!((s.tcp.stats().fast_retransmits, s.tcp.stats().window_cuts), (0, 1), "{variant:?}");
        }
    }
}

#[test]
fn sack_repeats_the_holes_within_one_round_trip() {
    // Segments 1, 3 and 5 are lost. RFC 6675: the holes below more than two reported segments are lost.
    eight_in_flight(&rfc(), Sack, 20).run(
        "200 ack 0 sack 2-2 >
         201 ack 0 sack 4-4,2-2 >
         202 ack 0 sack 6-6,4-4,2-2 > 1* | cwnd 4 ssthresh 4
         203 ack 0 sack 6-7,4-4,2-2 > 3*
         204 ack 0 sack 6-8,4-4,2-2 > 5* 9
         300 ack 2 sack 6-8,4-4 > 10
         310 ack 4 sack 6-8 > 11
         320 ack 8 > 12 | cwnd 4",
    );
}

#[test]
fn ns2_sack_counts_its_pipe() {
    // Pipe at entry 8 - 3 = 5; each duplicate takes one, each repetition adds one, a partial ACK takes two.
    eight_in_flight(&ns2(), Sack, 20).run(
        "200 ack 0 sack 2-2 >
         201 ack 0 sack 4-4,2-2 >
         202 ack 0 sack 6-6,4-4,2-2 > 1* | cwnd 4 ssthresh 4
         203 ack 0 sack 6-7,4-4,2-2 >
         204 ack 0 sack 6-8,4-4,2-2 > 3*
         300 ack 2 sack 6-8,4-4 > 5* 9
         310 ack 4 sack 6-8 > 10 11
         320 ack 8 > 12 | cwnd 4",
    );
}

#[test]
fn sack_needs_a_new_block_to_count_a_duplicate() {
    for cfg in [rfc(), ns2()] {
        eight_in_flight(&cfg, Sack, 8).run(
            "200 ack 0 sack 2-2 >
             201 ack 0 sack 2-2 >
             202 ack 0 sack 2-2 >
             203 ack 0 sack 2-2 > | cuts 0",
        );
    }
}

#[test]
fn sack_rescues_the_tail() {
    // Segments 2, 6 and 8 of 8 are lost and nothing more is to be sent: 6 is never given up for lost, 8 has nothing
    // above.
    let cfg = TcpConfig { initial_window: 8, ..rfc() };
    Sender::established(&cfg, Sack, 20).run(
        "100 offer 8 > 1 2 3 4 5 6 7 8
         200 ack 1 >
         201 ack 1 sack 3-3 >
         202 ack 1 sack 3-4 >
         203 ack 1 sack 3-5 > 2*
         204 ack 1 sack 7-7,3-5 >
         300 ack 5 sack 7-7 > 6*
         400 ack 7 > 8*
         500 ack 8 >",
    );
}

#[test]
fn sack_does_not_repeat_after_a_timeout_what_is_reported_since() {
    eight_in_flight(&rfc(), Sack, 8).run(
        "1100 rto > 1* | cwnd 1 ssthresh 4
         1200 ack 1 sack 3-5 > 2* 6* | cwnd 2",
    );
}

#[test]
fn sack_recovers_again_from_the_recovery_point_on() {
    // RFC 6675 5.1: HighACK = RecoveryPoint is enough, and segment 9 is the first after it.
    eight_in_flight(&rfc(), Sack, 20).run(
        "200 ack 0 sack 2-2 >
         201 ack 0 sack 2-3 >
         202 ack 0 sack 2-4 > 1* | cwnd 4 ssthresh 4
         300 ack 8 > 9 10 11 12 | cuts 1
         400 ack 8 sack 10-10 >
         401 ack 8 sack 10-11 >
         402 ack 8 sack 10-12 > 9* 13 | cwnd 2 cuts 2",
    );
}

#[test]
fn forward_acknowledgement_finds_losses_by_the_highest_segment_reported() {
    let fack = TcpConfig { sack_losses: SackLosses::Fack, ..rfc() };
    // Segment 1 is given up when 5 is reported, however few others are; 2 with 6, 3 with 7.
    eight_in_flight(&fack, Sack, 20).run(
        "200 ack 0 sack 4-4 >
         201 ack 0 sack 4-5 > 1* | cwnd 4 ssthresh 4 cuts 1
         202 ack 0 sack 4-6 >
         203 ack 0 sack 4-7 > 2* 3*
         204 ack 0 sack 4-8 > 9
         300 ack 8 > 10 11 12",
    );
    // A repetition is lost when anything is reported that was sent after it.
    let mut s = eight_in_flight(&fack, Sack, 20);
    s.run(
        "200 ack 0 sack 2-4 >
         201 ack 0 sack 2-5 > 1*
         202 ack 0 sack 2-6 > 9
         203 ack 0 sack 2-7 > 10
         204 ack 0 sack 2-8 > 11
         300 ack 0 sack 2-9 > 1* 12 | cuts 1
         301 ack 0 sack 2-10 > 13
         302 ack 0 sack 2-11 > 14
         401 ack 11 > 15 | cuts 1",
    );
    assert_eq!(s.tcp.stats().timeouts, 0);
    // What has been reported before a timeout is not sent again after it.
    eight_in_flight(&fack, Sack, 8).run(
        "200 ack 0 sack 6-6 > 1* | cwnd 4
         1200 rto > 1* | cwnd 1
         1300 ack 1 sack 6-6 > 2* 3* | cwnd 2
         1400 ack 3 sack 6-6 > 4* 5* 7* | cwnd 3",
    );
}

#[test]
fn vegas_repeats_at_the_first_duplicate_of_an_old_packet() {
    let cfg = TcpConfig { initial_window: 4, ..TcpConfig::default() };
    // The set-up took 100 ms: the fine-grained timeout is 150 ms.
    Sender::established(&cfg, Vegas, 20).run(
        "100 endless > 1 2 3 4
         260 ack 0 > 1* | cwnd 4 cuts 1",
    );
    Sender::established(&cfg, Vegas, 20).run(
        "100 endless > 1 2 3 4
         200 ack 0 >
         201 ack 0 >
         202 ack 0 > 1* 5 6 | cwnd 6 cuts 1
         203 ack 0 > 7 | cwnd 7
         300 ack 4 > | cwnd 3.333 ssthresh 2",
    );
}

#[test]
fn vegas_opens_the_initial_window_one_ack_late_under_ns2() {
    Sender::new(&ns2_config(), Vegas, 20).run(
        "0 open > syn
         0 endless >
         50 ack 0 > 1 | cwnd 1
         100 ack 1 > 2 3 4 | cwnd 3",
    );
}

#[test]
fn proportional_rate_reduction_spreads_the_cut_over_the_round_trip() {
    for recovery in [LossRecovery::Sack, LossRecovery::Rack] {
        let start = "100 endless > 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
                     200 ack 0 sack 2-2 > 17
                     201 ack 0 sack 2-3 > 18
                     202 ack 0 sack 2-4 > 1* | cwnd 8 cuts 1";
        for (prr, rest) in [
            // A pause until half of the flight has arrived, then a segment for each ACK.
            (
                false,
                "210 ack 0 sack 2-10 >
                 211 ack 0 sack 2-11 >
                 212 ack 0 sack 2-12 > 19
                 213 ack 0 sack 2-13 > 20",
            ),
            // Half a segment for each that arrives, the first of them the repetition.
            (
                true,
                "203 ack 0 sack 2-5 >
                 204 ack 0 sack 2-6 >
                 205 ack 0 sack 2-7 > 19
                 206 ack 0 sack 2-8 >
                 207 ack 0 sack 2-9 > 20
                 300 ack 20 > 21 22 23 24 25 26 27 28 | cwnd 8",
            ),
        ] {
            let cfg = TcpConfig { loss_recovery: recovery, initial_window: 16, prr, ..TcpConfig::default() };
            Sender::established(&cfg, TcpVariant::NewReno, 64).run(&format!("{start}\n{rest}"));
        }
    }
}

#[test]
fn rate_halving_lets_one_out_for_two_until_the_cut_window_is_reached() {
    // As ns-2.35's Agent/TCP/Linux does from a window of twelve: the retransmission, a pause, one, a pause, then one
    // for each.
    let cfg = TcpConfig {
        loss_recovery: LossRecovery::Sack,
        sack_losses: crate::config::tcp::SackLosses::Fack,
        rate_halving: true,
        initial_window: 12,
        cubic_arithmetic: crate::config::tcp::CubicArithmetic::Whole,
        cubic_beta: 819.0 / 1024.0,
        ..TcpConfig::default()
    };
    let table = "100 endless > 1 2 3 4 5 6 7 8 9 10 11 12
         201 ack 0 sack 2-2 > 13
         202 ack 0 sack 2-3 > 14
         203 ack 0 sack 2-4 > 15
         204 ack 0 sack 2-5 > 1* | cwnd 9 ssthresh 9
         205 ack 0 sack 2-6 >
         206 ack 0 sack 2-7 > 16
         207 ack 0 sack 2-8 >
         208 ack 0 sack 2-9 > 17
         209 ack 0 sack 2-10 > 18
         210 ack 0 sack 2-11 > 19
         211 ack 0 sack 2-12 > 20
         301 ack 0 sack 2-13 > 21
         302 ack 0 sack 2-14 > 22
         303 ack 0 sack 2-15 > 23
         304 ack 15 > 24 | cwnd 9
         306 ack 16 > 25 26 | cwnd 10";
    Sender::established(&cfg, TcpVariant::Cubic, 64).run(table);
}
