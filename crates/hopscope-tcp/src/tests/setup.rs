//! Set-up and tear-down of the sending side.

use super::*;

fn fresh(variant: TcpVariant) -> Sender {
    Sender::new(&TcpConfig::default(), variant, 16)
}

#[test]
fn three_way_set_up_and_tear_down() {
    let mut s = fresh(TcpVariant::NewReno);
    s.run(
        "0 open > syn
         0 offer 3 >
         0 close >
         80 synack > ack 1 2 3+fin | cwnd 4
         160 ack 1 >
         170 ackb 3001 > done
         175 peerfin 3001 > ack",
    );
    assert_eq!(s.tcp.state(), SenderState::TimeWait);
    s.run("300 peerfin 3001 > ack").run("60300 timewait >");
    assert_eq!(s.tcp.state(), SenderState::Closed);
    s.run("60400 peerfin 3001 > rst");
    assert_eq!(s.tcp.stats().bytes_acked, 3000);
}

#[test]
fn states_follow_the_fin() {
    let mut s = fresh(TcpVariant::Reno);
    assert_eq!(s.tcp.state(), SenderState::Idle);
    s.run("0 open > syn");
    assert_eq!(s.tcp.state(), SenderState::SynSent);
    s.run(
        "10 synack > ack
         20 offer 1 > 1",
    );
    assert_eq!(s.tcp.state(), SenderState::Established);
    s.run("30 close > fin");
    assert_eq!(s.tcp.state(), SenderState::FinWait1);
    s.run("40 ack 1 > done");
    assert_eq!(s.tcp.state(), SenderState::FinWait1);
    s.run("50 ackb 1001 >");
    assert_eq!(s.tcp.state(), SenderState::FinWait2);
}

#[test]
fn a_lost_syn_is_repeated_with_back_off_and_costs_the_initial_window() {
    fresh(TcpVariant::NewReno).run(
        "0 open > syn
         0 endless >
         1000 rto > syn*
         3000 rto > syn*
         3100 synack > ack 1 | cwnd 1 rto_ms 3000
         6100 rto > 1*",
    );
}

#[test]
fn a_repeated_syn_ack_is_answered_again() {
    fresh(TcpVariant::NewReno).run(
        "0 open > syn
         0 offer 1 >
         100 synack > ack 1
         900 synack > ack
         950 ack 1 >",
    );
}

#[test]
fn a_lost_fin_is_repeated_by_the_timer() {
    let mut s = fresh(TcpVariant::NewReno);
    s.run(
        "0 open > syn
         100 synack > ack
         100 offer 1 > 1
         200 ack 1 >
         200 close > fin done
         1200 rto > fin*
         3200 rto > fin*
         3300 peerfin 1001 > ack",
    );
    assert_eq!(s.tcp.state(), SenderState::TimeWait);
}

#[test]
fn a_lost_last_segment_takes_its_fin_along() {
    fresh(TcpVariant::NewReno).run(
        "0 open > syn
         0 offer 1500b >
         0 close >
         100 synack > ack 1 2:500+fin
         200 ack 1 >
         1200 rto > 2:500+fin*
         1300 ackb 1501 > done",
    );
}

#[test]
fn segments_end_at_multiples_of_the_mss_and_small_offers_go_at_once() {
    fresh(TcpVariant::NewReno).run(
        "0 open > syn
         100 synack > ack
         100 offer 300b > 1:300
         110 offer 1000b > 1:700 2:300
         200 ackb 300 >
         210 ackb 1300 >
         210 close > fin done",
    );
}

#[test]
fn an_endless_offer_ends_where_close_finds_it() {
    fresh(TcpVariant::Tahoe).run(
        "0 open > syn
         0 endless >
         100 synack > ack 1 2 3 4
         150 close > fin
         160 offer 5 >
         200 ack 4 > done
         210 ackb 4001 >",
    );
}

#[test]
fn nothing_to_send_is_complete_at_once() {
    fresh(TcpVariant::Sack).run(
        "0 open > syn
         0 close >
         100 synack > ack fin done
         200 ackb 1 >",
    );
}

#[test]
fn ns2_set_up_has_neither_third_ack_nor_fin() {
    let mut s = Sender::new(&ns2_config(), TcpVariant::NewReno, 20);
    s.run("0 open > syn | cwnd 1 ssthresh 20")
        .run("0 offer 3 >")
        .run("50 ack 0 > 1 2 | cwnd 2 rto_ms 200")
        .run("100 ack 1 > 3 | cwnd 3")
        .run("110 ack 2 >")
        .run("120 ack 3 >")
        .run("130 close > done");
    assert_eq!(s.tcp.state(), SenderState::Closed);
}

#[test]
fn ns2_lost_syn_leaves_a_window_of_one_and_the_least_ssthresh() {
    Sender::new(&ns2_config(), TcpVariant::NewReno, 20).run(
        "0 open > syn
         0 endless >
         3000 rto > syn*
         3050 ack 0 > 1 | cwnd 1 ssthresh 2",
    );
}

#[test]
fn what_was_never_sent_cannot_be_acknowledged() {
    fresh(TcpVariant::NewReno).run(
        "0 open > syn
         0 offer 2 >
         50 ack 1 > rst
         100 synack > ack 1 2
         150 ack 7 > ack
         160 ack 1 >",
    );
}
