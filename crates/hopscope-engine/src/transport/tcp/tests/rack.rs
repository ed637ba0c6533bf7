//! RACK-TLP (RFC 8985): losses told by time, and probes of the tail. Round trips of 100 ms.

use super::*;

fn rack() -> Sender {
    let cfg = TcpConfig { loss_recovery: LossRecovery::Rack, ..TcpConfig::default() };
    Sender::established(&cfg, Transport::TcpNewReno, 64)
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
    Sender::established(&cfg, Transport::TcpNewReno, 64).run(
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
