//! Parts for failing routes: timelines of each, and a pipe whose route comes and goes.

use proptest::prelude::*;

use super::pipe::{Routes, case, check};
use super::*;
use crate::config::tcp::{DoorDetection, RouteFailure};
use hopscope_testing::property;

const ALL: [RouteFailure; 4] = [RouteFailure::Ignore, RouteFailure::Elfn, RouteFailure::TcpF, RouteFailure::Atcp];

fn with(route_failure: RouteFailure) -> TcpConfig {
    TcpConfig { route_failure, initial_window: 4, ..TcpConfig::default() }
}

fn newreno(cfg: &TcpConfig) -> Sender {
    Sender::established(cfg, TcpVariant::NewReno, 16)
}

#[test]
fn elfn_probes_and_goes_on_with_window_and_rto() {
    newreno(&with(RouteFailure::Elfn)).run(
        "100 endless > 1 2 3 4
         150 fail >
         200 ack 1 > | cwnd 4
         250 found >
         300 offer 3 >
         2150 rto > 2* | cwnd 4 timeouts 0
         4150 rto > 2*
         4250 ack 2 > 5 6 7 | cwnd 5 rto_ms 1000
         5250 rto > 3* | cwnd 1 timeouts 1",
    );
}

#[test]
fn elfn_may_take_any_ack_for_an_answer() {
    let cfg = TcpConfig { elfn_any_ack: true, ..with(RouteFailure::Elfn) };
    newreno(&cfg).run(
        "100 endless > 1 2 3 4
         150 fail >
         200 ack 1 > 5 6 | cwnd 5
         1200 rto > 2*",
    );
}

#[test]
fn tcp_f_sends_everything_again_once_there_is_a_route() {
    newreno(&with(RouteFailure::TcpF)).run(
        "100 endless > 1 2 3 4
         150 fail > 1*
         200 ack 1 > | cwnd 4
         210 ack 1 >
         220 fail >
         9000 found > 2* 3* 4* 5 | cwnd 4 rto_ms 1000
         9010 found >
         9100 ack 2 > 6 7 | cwnd 5 timeouts 0",
    );
}

#[test]
fn tcp_f_waits_for_a_route_no_longer_than_its_timer() {
    newreno(&with(RouteFailure::TcpF)).run(
        "100 endless > 1 2 3 4
         150 fail > 1*
         30150 rto > 1* | cwnd 1 timeouts 1
         30200 ack 1 > 2* 3* | cwnd 2",
    );
    // Nothing is under way any more: new data goes out and no loss is found.
    newreno(&with(RouteFailure::TcpF)).run(
        "100 endless > 1 2 3 4
         150 fail > 1*
         200 ack 4 > | cwnd 4
         30150 rto > 5 6 7 8 | cwnd 4 timeouts 0",
    );
}

#[test]
fn atcp_repairs_losses_without_a_cut() {
    newreno(&with(RouteFailure::Atcp)).run(
        "100 endless > 1 2 3 4
         200 ack 1 > 5 6 | cwnd 5
         210 ack 1 > 7
         220 ack 1 > 8
         230 ack 1 > 2*
         240 ack 1 >
         1230 rto > 2* | cwnd 5
         1330 ack 8 > 9 10 11 12 13 14 | cwnd 6 cuts 0
         2330 rto > 9* | timeouts 0",
    );
}

#[test]
fn atcp_leaves_marked_losses_to_tcp_until_new_data_is_out() {
    let cfg = TcpConfig { ecn: true, limited_transmit: false, ..with(RouteFailure::Atcp) };
    newreno(&cfg).run(
        "100 endless > 1 2 3 4
         200 ack 1 ece > | cwnd 2 cuts 1
         210 ack 1 >
         220 ack 1 >
         1200 rto > 2* | cwnd 1 timeouts 1",
    );
    newreno(&cfg).run(
        "100 endless > 1 2 3 4
         200 ack 1 ece > | cwnd 2
         250 ack 4 > 5+cwr 6 | cwnd 2.5
         1250 rto > 5* | cwnd 2.5 timeouts 0",
    );
}

#[test]
fn atcp_probes_a_failed_route_and_starts_slowly() {
    newreno(&with(RouteFailure::Atcp)).run(
        "100 endless > 1 2 3 4
         150 fail >
         1150 rto > 1*
         3150 rto > 1*
         3200 ack 2 > 3* | cwnd 1 rto_ms 1000
         3300 ack 3 > 4* 5 | cwnd 2 timeouts 0",
    );
}

#[test]
fn fixed_rto_is_doubled_once() {
    let cfg = TcpConfig { fixed_rto: true, ..with(RouteFailure::Ignore) };
    newreno(&cfg).run(
        "100 endless > 1 2 3 4
         1100 rto > 1* | rto_ms 2000
         3100 rto > 1* | rto_ms 2000
         5100 rto > 1* | rto_ms 2000 cwnd 1
         5200 ack 1 > 2* 3* | rto_ms 2000
         7200 rto > 2* | rto_ms 4000
         11200 rto > 2* | rto_ms 4000",
    );
}

fn door() -> TcpConfig {
    TcpConfig { door: true, ..with(RouteFailure::Ignore) }
}

#[test]
fn door_restores_what_was_cut_within_two_round_trips() {
    // The third duplicate cuts the window; the second one comes after it, and says that its segment was late, too.
    newreno(&door()).run(
        "100 endless > 1 2 3 4
         200 ack 1 > 5 6 | cwnd 5
         210 ack 1 order 2 > 7
         220 ack 1 order 4 > 8
         230 ack 1 order 6 > 2* | cwnd 2.5 cuts 1
         240 ack 1 order 5 > 9 10 | cwnd 5
         340 ack 8 > 11 | cwnd 5",
    );
    newreno(&door()).run(
        "100 endless > 1 2 3 4
         1100 rto > 1* | cwnd 1 rto_ms 2000
         1250 ack 0 order 1 > | cwnd 4 rto_ms 1000",
    );
    newreno(&door()).run(
        "100 endless > 1 2 3 4
         1100 rto > 1* | cwnd 1
         1350 ack 0 order 1 > | cwnd 1 rto_ms 2000",
    );
}

#[test]
fn door_cuts_nothing_for_a_round_trip() {
    // An ACK that a later one has overtaken.
    newreno(&door()).run(
        "100 endless > 1 2 3 4
         200 ack 1 > 5 6 | cwnd 5
         205 ack 0 >
         210 ack 1 order 2 > 7
         220 ack 1 order 4 > 8
         230 ack 1 order 6 > 2* | cwnd 5 cuts 0
         240 ack 1 order 8 > 9 10",
    );
    newreno(&door()).run(
        "100 endless > 1 2 3 4
         200 ack 1 > 5 6
         1150 ack 0 >
         1200 rto > 2* | cwnd 5 timeouts 1 rto_ms 1000
         2200 rto > 2* | cwnd 1 timeouts 2 rto_ms 2000",
    );
}

#[test]
fn door_looks_at_what_it_is_reported_to() {
    let deaf = TcpConfig { door_detection: DoorDetection::Data, ..door() };
    newreno(&deaf).run(
        "100 endless > 1 2 3 4
         1100 rto > 1* | cwnd 1
         1150 ack 1 > 2* 3* | cwnd 2
         1160 ack 0 > | cwnd 2",
    );
    newreno(&door()).run(
        "100 endless > 1 2 3 4
         1100 rto > 1* | cwnd 1
         1150 ack 1 > 2* 3* | cwnd 2
         1160 ack 0 > | cwnd 4",
    );
}

#[test]
fn a_sender_with_nothing_to_send_needs_no_route_events() {
    for part in ALL {
        newreno(&with(part)).run(
            "150 fail >
             200 offer 2 > 1 2
             300 ack 2 >
             310 fail >
             320 offer 1 > 3
             420 ack 3 >
             430 close > fin done
             500 ack 3 >",
        );
    }
}

#[test]
fn the_last_ack_ends_what_keeps_the_sender_still() {
    for part in ALL {
        let first = if part == RouteFailure::TcpF { "1*" } else { "" };
        newreno(&with(part)).run(&format!(
            "100 offer 3 > 1 2 3
             150 fail > {first}
             200 ack 3 >
             300 offer 1 > 4"
        ));
    }
    newreno(&with(RouteFailure::Elfn)).run(
        "100 offer 3 > 1 2 3
         150 fail >
         160 close >
         200 ack 3 > done
         2150 rto > fin",
    );
}

/// When the route fails (`false`) or is found again, in milliseconds.
fn routes() -> impl Strategy<Value = Routes> {
    let changes = proptest::collection::vec((0u64..20_000, any::<bool>()), 0..12);
    (proptest::sample::select(ALL.to_vec()), any::<[bool; 3]>(), changes).prop_map(
        |(part, [fixed_rto, elfn_any_ack, door], changes)| Routes { part, fixed_rto, elfn_any_ack, door, changes },
    )
}

proptest! {
    #![proptest_config(property(512))]

    #[test]
    fn every_byte_arrives_whatever_becomes_of_the_route(mut case in case(), routes in routes()) {
        case.routes = routes;
        check(case);
    }
}
