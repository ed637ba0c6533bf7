//! Timelines of the policies that thin ACKs out: in order, a gap and its end, the timer, SYN and FIN.

use super::receiver::Receiver;
use super::*;

/// A receiver after the set-up at 0 ms.
fn receiver(policy: AckPolicy, change: impl FnOnce(&mut TcpConfig)) -> Receiver {
    let mut cfg = TcpConfig::default();
    change(&mut cfg);
    let mut receiver = Receiver::new(&cfg, policy, false);
    receiver.run("0 syn > synack").run("0 ack 0 >");
    receiver
}

/// The policy acknowledges these of the segments 1 to `last`, which come in order every millisecond.
fn acknowledges(policy: AckPolicy, last: u64, expected: &[u64]) -> Receiver {
    let mut receiver = receiver(policy, |_| ());
    for number in 1..=last {
        let ack = if expected.contains(&number) { format!("ack {number}") } else { String::new() };
        receiver.run(&format!("{number} seg {number} > up 1000 {ack}"));
    }
    receiver
}

#[test]
fn fixed_counts_segments_in_order() {
    receiver(AckPolicy::Fixed, |cfg| cfg.ack_every = 3).run(
        "10 seg 1 > up 1000
         11 seg 2 > up 1000
         12 seg 3 > up 1000 ack 3
         13 seg 4 > up 1000
         14 seg 6 > ack 4
         15 seg 5 > up 2000 ack 6
         16 seg 6 > ack 6
         17 seg 7:10 > up 10
         217 delack > ack 6",
    );
}

#[test]
fn fixed_with_one_is_every_segment_and_a_fin_ends_the_wait() {
    receiver(AckPolicy::Fixed, |cfg| cfg.ack_every = 1).run("10 seg 1 > up 1000 ack 1");
    receiver(AckPolicy::Fixed, |cfg| cfg.ack_every = 4).run(
        "10 seg 1 > up 1000
         11 fin 1 > done fin",
    );
}

#[test]
fn lda_takes_more_segments_for_an_ack_the_longer_it_lasts() {
    acknowledges(AckPolicy::Lda, 22, &[1, 3, 6, 10, 14, 18, 22]).run(
        "30 seg 23 > up 1000
         31 seg 25 > ack 23
         32 seg 24 > up 2000 ack 25
         33 seg 26 > up 1000
         233 delack > ack 26",
    );
}

#[test]
fn ada_waits_for_the_end_of_a_burst() {
    receiver(AckPolicy::Ada, |_| ()).run(
        "10 seg 1 > up 1000 ack 1
         20 seg 2 > up 1000
         30 seg 3 > up 1000
         40 seg 4 > up 1000
         52 delack > ack 4
         60 seg 6 > ack 4
         61 seg 5 > up 2000 ack 6",
    );
}

#[test]
fn ada_defers_no_longer_than_its_period_from_the_first_segment_on() {
    receiver(AckPolicy::Ada, |cfg| cfg.ada_deferment = Span::from_millis(25)).run(
        "10 seg 1 > up 1000 ack 1
         20 seg 2 > up 1000
         30 seg 3 > up 1000
         40 seg 4 > up 1000
         45 delack > ack 4
         50 seg 5 > up 1000
         61 fin 5 > done fin",
    );
}

#[test]
fn daa_starts_slowly_and_grows_by_one_after_a_loss() {
    acknowledges(AckPolicy::Daa, 21, &[1, 2, 3, 5, 8, 12, 16, 20]).run(
        "22 seg 23 > ack 21
         23 seg 22 > up 2000 ack 23
         24 seg 24 > up 1000
         25 seg 25 > up 1000
         26 seg 26 > up 1000
         27 seg 27 > up 1000 ack 27",
    );
}

#[test]
fn daap_grows_slowly_after_a_loss_too() {
    acknowledges(AckPolicy::Daap, 21, &[1, 2, 3, 5, 8, 12, 16, 20]).run(
        "22 seg 23 > ack 21
         23 seg 22 > up 2000 ack 23
         24 seg 24 > up 1000
         25 seg 25 > up 1000 ack 25
         26 seg 26 > up 1000
         27 seg 27 > up 1000
         28 seg 28 > up 1000 ack 28",
    );
}

#[test]
fn daa_waits_for_two_segments_more_from_each_one_on_and_shrinks_by_the_timer() {
    // 2.2 times 10 ms from the last segment on.
    receiver(AckPolicy::Daa, |_| ()).run(
        "10 seg 1 > up 1000 ack 1
         20 seg 2 > up 1000 ack 2
         30 seg 3 > up 1000 ack 3
         40 seg 4 > up 1000
         62 delack > ack 4
         70 seg 5 > up 1000
         71 seg 6 > up 1000 ack 6
         80 seg 7 > up 1000
         81 fin 7 > done fin",
    );
}

#[test]
fn daa_never_delays_more_than_its_limit() {
    receiver(AckPolicy::Daa, |cfg| (cfg.daa_most, cfg.daa_growth) = (2, 5.0)).run(
        "10 seg 1 > up 1000
         11 seg 2 > up 1000 ack 2
         12 seg 3 > up 1000
         13 seg 4 > up 1000 ack 4",
    );
}

#[test]
fn mda_grows_by_each_segment_while_the_path_reports_of_no_collisions() {
    acknowledges(AckPolicy::Mda, 13, &[1, 5, 9, 13]).run(
        "22 seg 15 > ack 13
         23 seg 14 > up 2000 ack 15
         24 seg 16 > up 1000
         25 seg 17 > up 1000
         26 seg 18 > up 1000
         27 seg 19 > up 1000 ack 19
         28 seg 20 > up 1000
         38 delack > ack 20
         39 seg 21 > up 1000
         40 fin 21 > done fin",
    );
}

#[test]
fn dca_holds_a_window_of_the_sender_at_most() {
    receiver(AckPolicy::Dca, |cfg| cfg.dca_short = 4).run(
        "10 seg 1~1 > up 1000 ack 1
         20 seg 2~2 > up 1000
         30 seg 3~2 > up 1000 ack 3
         40 seg 4~9 > up 1000
         50 seg 5~9 > up 1000
         60 seg 6~9 > up 1000
         70 seg 7~9 > up 1000 ack 7
         80 seg 9~9 > ack 7
         90 seg 8~9 > up 2000 ack 9
         91 seg 10~9 > up 1000
         92 fin 10 > done fin",
    );
}

#[test]
fn dca_waits_as_daa_does_and_needs_no_word_of_the_sender() {
    receiver(AckPolicy::Dca, |cfg| cfg.dca_short = 3).run(
        "10 seg 1 > up 1000
         20 seg 2 > up 1000
         42 delack > ack 2
         50 seg 3 > up 1000",
    );
}

#[test]
fn the_iat_window_grows_with_that_of_the_sender() {
    // 10 ms is the shortest time between segments: growth of the sender's window adds a third, a gap of 30 ms a whole.
    receiver(AckPolicy::IatWindow, |_| ()).run(
        "10 seg 1~4 > up 1000
         20 seg 2~4 > up 1000
         30 seg 3~4 > up 1000 ack 3
         40 seg 4~5 > up 1000
         50 seg 5~5 > up 1000
         60 seg 6~5 > up 1000
         70 seg 7~5 > up 1000 ack 7
         80 seg 8~4 > up 1000
         90 seg 9~4 > up 1000
         100 seg 10~4 > up 1000 ack 10
         110 seg 12~4 > ack 10
         120 seg 11~4 > up 2000 ack 12
         150 seg 13~6 > up 1000
         160 seg 14~6 > up 1000
         170 seg 15~6 > up 1000
         180 seg 16~6 > up 1000 ack 16
         190 seg 17~6 > up 1000
         220 delack > ack 17
         230 seg 18~6 > up 1000
         231 fin 18 > done fin",
    );
}

#[test]
fn tack_sends_four_acks_in_a_round_trip_at_most() {
    // The set-up took 80 ms, so 20 ms lie between ACKs.
    let mut receiver = Receiver::new(&TcpConfig::default(), AckPolicy::Tack, false);
    receiver.run(
        "0 syn > synack
         80 ack 0 >
         90 seg 1 > up 1000
         91 seg 2 > up 1000 ack 2
         92 seg 3 > up 1000
         93 seg 4 > up 1000
         94 seg 5 > up 1000
         111 delack > ack 5
         130 seg 6 > up 1000
         140 seg 7 > up 1000 ack 7
         141 seg 9 > ack 7
         142 seg 8 > up 2000 ack 9
         143 seg 10 > up 1000
         343 delack > ack 10
         350 seg 11 > up 1000
         351 fin 11 > done fin",
    );
}

#[test]
fn quic_reports_a_gap_from_the_reordering_threshold_on() {
    receiver(AckPolicy::Quic, |_| ()).run(
        "10 seg 1 > up 1000
         11 seg 2 > up 1000 ack 2
         12 seg 4 > ack 2
         13 seg 3 > up 2000 ack 4
         14 seg 4 > ack 4
         15 seg 5 > up 1000
         215 delack > ack 5
         220 seg 6 > up 1000
         221 fin 6 > done fin",
    );
    receiver(AckPolicy::Quic, |cfg| (cfg.quic_threshold, cfg.quic_reordering) = (9, 3)).run(
        "10 seg 2 >
         11 seg 3 >
         12 seg 4 > ack 0
         13 seg 5 > ack 0
         14 seg 1 > up 5000 ack 5",
    );
    receiver(AckPolicy::Quic, |cfg| (cfg.quic_threshold, cfg.quic_reordering) = (3, 0)).run(
        "10 seg 2 >
         11 seg 3 >
         12 seg 4 >
         13 seg 5 > ack 0
         14 seg 6 >
         214 delack > ack 0",
    );
}

#[test]
fn the_guard_holds_no_more_than_half_of_what_may_be_in_flight() {
    let guarded = |policy| receiver(policy, |cfg| (cfg.ack_guard, cfg.ack_every) = (true, 8));
    guarded(AckPolicy::Fixed).run(
        "10 seg 1~1 > up 1000 ack 1
         11 seg 2~3 > up 1000 ack 2
         12 seg 3~6 > up 1000
         13 seg 4~6 > up 1000
         14 seg 5~6 > up 1000 ack 5
         15 seg 6~6 > up 1000
         16 seg 8~6 > ack 6
         17 seg 7~6 > up 2000 ack 8
         18 seg 9~6 > up 1000
         19 seg 10~6 > up 1000
         20 seg 11~6 > up 1000 ack 11
         21 seg 12 > up 1000
         221 delack > ack 12",
    );
    guarded(AckPolicy::Lda).run("10 seg 1~9 > up 1000 ack 1").run("11 seg 2~2 > up 1000 ack 2");
}

#[test]
fn the_limit_of_the_window_and_the_factor_on_the_rto_are_the_sender_s() {
    let cfg = TcpConfig { cwnd_limit: 4, rto_multiplier: 5, dupack_threshold: 2, ..TcpConfig::default() };
    let mut sender = Sender::established(&cfg, TcpVariant::NewReno, 32);
    sender.run(
        "100 endless > 1 2 3 4
         200 ack 2 > 5 6 | cwnd 4 rto_ms 5000
         210 ack 4 > 7 8 | cwnd 4",
    );
    // Limited transmit goes beyond the limit of the congestion window, and the second duplicate repairs.
    sender.run(
        "220 ack 4 > 9
         221 ack 4 > 5*",
    );
    let unlimited = TcpConfig { limited_transmit: true, ..TcpConfig::default() };
    let mut by_window = Sender::established(&unlimited, TcpVariant::NewReno, 4);
    by_window.run(
        "100 endless > 1 2 3 4
         200 ack 1 > 5
         201 ack 1 >",
    );
}

#[test]
fn asym_doubles_with_a_mark_and_falls_by_one_a_round_trip() {
    let mut receiver = receiver(AckPolicy::Asym, |cfg| cfg.ecn = true);
    receiver.run(
        "10 seg 1~8! > up 1000
         11 seg 2~8 > up 1000 ack 2
         12 seg 3~8! > up 1000
         13 seg 4~8 > up 1000 ack 4
         14 seg 5~8 > up 1000
         15 seg 6~8 > up 1000 ack 6
         16 seg 7~8 > up 1000
         17 seg 8~8 > up 1000 ack 8
         18 seg 9~8! > up 1000
         19 seg 10~8 > up 1000
         20 seg 11~8 > up 1000
         21 seg 12~8 > up 1000 ack 12",
    );
    // Half of four in flight, a gap and its end, the timer, the end.
    receiver.run(
        "22 seg 13~4 > up 1000
         23 seg 14~4 > up 1000 ack 14
         24 seg 16~8 > ack 14
         25 seg 15~8 > up 2000 ack 16
         26 seg 17~8 > up 1000
         226 delack > ack 17
         230 seg 18~8 > up 1000
         231 fin 18 > done fin",
    );
}

#[test]
fn asym_without_marks_acknowledges_every_segment() {
    receiver(AckPolicy::Asym, |_| ()).run("10 seg 1~8! > up 1000 ack 1").run("11 seg 2~8 > up 1000 ack 2");
}

#[test]
fn tack_counts_segments_alone_where_the_set_up_was_repeated() {
    let mut receiver = Receiver::new(&TcpConfig::default(), AckPolicy::Tack, false);
    receiver.run(
        "0 syn > synack
         1000 rto > synack
         1080 ack 0 >
         1090 seg 1 > up 1000
         1091 seg 2 > up 1000 ack 2
         1092 seg 3 > up 1000
         1093 seg 4 > up 1000 ack 4",
    );
}

/// What the first segment of a connection is answered with.
fn first_answer(policy: AckPolicy) -> &'static str {
    let is_eager = matches!(policy, AckPolicy::Every | AckPolicy::Lda | AckPolicy::Ada | AckPolicy::Daa)
        || matches!(policy, AckPolicy::Daap | AckPolicy::Mda | AckPolicy::Asym)
        || matches!(policy, AckPolicy::Linux | AckPolicy::LinuxModern);
    if is_eager { "ack 1" } else { "" }
}

#[test]
fn every_policy_answers_a_repeated_syn_at_once_and_a_fin_ends_its_wait() {
    for policy in AckPolicy::ALL {
        let first = first_answer(policy);
        receiver(policy, |_| ())
            .run(&format!("10 seg 1~9 > up 1000 {first}"))
            .run("11 syn > ack 1")
            .run("12 fin 1 > done fin");
    }
}

#[test]
fn every_policy_answers_a_gap_its_filling_and_what_was_there_before_at_once() {
    for policy in AckPolicy::ALL {
        receiver(policy, |_| ())
            .run(&format!("5 seg 1 > up 1000 {}", first_answer(policy)))
            .run("10 seg 3 > ack 1")
            .run("11 seg 4 > ack 1")
            .run("12 seg 2 > up 3000 ack 4")
            .run("13 seg 2 > ack 4");
    }
}

#[test]
fn under_the_guard_no_policy_holds_more_than_half_of_a_small_window() {
    for policy in AckPolicy::ALL {
        receiver(policy, |cfg| {
            (cfg.ack_guard, cfg.ack_every, cfg.tack_segments, cfg.quic_threshold) = (true, 8, 8, 8);
        })
        .run("10 seg 1~2 > up 1000 ack 1")
        .run("11 seg 2~3 > up 1000 ack 2")
        .run("12 seg 3~1 > up 1000 ack 3");
    }
}

#[test]
fn tack_and_quic_without_it_wait_for_their_timer_where_less_is_in_flight() {
    for policy in [AckPolicy::Tack, AckPolicy::Quic] {
        receiver(policy, |cfg| (cfg.tack_segments, cfg.quic_threshold) = (8, 7)).run(
            "10 seg 1~2 > up 1000
             11 seg 2~2 > up 1000
             210 delack > ack 2",
        );
    }
}
