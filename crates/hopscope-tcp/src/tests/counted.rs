//! NewReno whose duplicate ACKs stand for selective ones (`dupacks_as_sack`), as ns-3.44 sends: profile `as-ns3`
//! without timestamps and with an initial window of one segment. The end of the table has the cwnds and the segments of
//! a run of ns-3 in which one recovery led to the next (two crossing flows over four hops, 15.1 to 15.6 s).

use super::*;
use crate::config::presets;
use hopscope_core::config::profile::Profile;

pub(super) fn as_ns3() -> TcpConfig {
    let tcp = presets::tcp(Profile::AsNs3);
    TcpConfig { initial_window: 1, timestamps: false, ..tcp }
}

/// Segments 6..11 are outstanding with a window of six.
fn in_slow_start() -> Sender {
    let mut s = Sender::established(&as_ns3(), TcpVariant::NewReno, 32);
    s.run(
        "
        200 endless > 1
        300 ack 1 > 2 3
        400 ack 2 > 4 5
        410 ack 3 > 6 7
        500 ack 4 > 8 9
        510 ack 5 > 10 11 | cwnd 6
        ",
    );
    s
}

#[test]
fn duplicate_acks_empty_the_pipe_and_partial_acks_repeat_the_first_segment() {
    // Segments 6 and 8 are lost. FlightSize is what no duplicate ACK stands for: 8 - 3 segments.
    in_slow_start().run(
        "
        600 ack 5 > 12
        610 ack 5 > 13
        620 ack 5 > 6* | cwnd 2.5 ssthresh 2.5
        630 ack 5 >
        700 ack 5 >
        710 ack 5 >
        720 ack 7 > 8* 14 | cwnd 2.5
        820 ack 13 > 15 | cwnd 2.9
        ",
    );
}

#[test]
fn a_reported_segment_that_comes_to_be_the_first_is_repeated_without_need() {
    in_slow_start().run(
        "
        600 ack 5 > 12
        610 ack 5 > 13
        620 ack 5 > 6*
        720 ack 13 > 14 15 | cwnd 2.9
        900 ack 13 > 16
        910 ack 14 > 15* 17 18 | cwnd 3.2448
        920 ack 15 > 16* 19 | cwnd 3.5530
        930 ack 15 > 16* | cwnd 2 ssthresh 2
        1920 rto > 16* | cwnd 1 ssthresh 2 rto_ms 2000
        1990 ack 15 >
        2010 ack 16 > 17* 18* | cwnd 2 rto_ms 1000
        2020 ack 19 > 20 21 | cwnd 2
        ",
    );
}

#[test]
fn the_rfc_sends_nothing_again_after_such_an_ack() {
    let cfg = TcpConfig { dupacks_as_sack: false, ..as_ns3() };
    let mut s = Sender::established(&cfg, TcpVariant::NewReno, 32);
    s.run(
        "
        200 endless > 1
        300 ack 1 > 2 3
        400 ack 2 > 4 5
        500 ack 2 > 6
        510 ack 3 > 7
        ",
    );
}

#[test]
fn every_timeout_lowers_the_threshold_to_what_was_in_flight() {
    in_slow_start().run(
        "
        1510 rto > 6* | cwnd 1 ssthresh 3 rto_ms 2000
        3510 rto > 6* | cwnd 1 ssthresh 2 rto_ms 4000
        3600 ack 8 > 9* 10* | cwnd 2.5 rto_ms 1000
        ",
    );
}
