//! The airtime metric at work.

use super::quick;
use crate::config::hwmp::{FailureCount, HwmpConfig};
use crate::routing::tests::net::{Net, ms};

/// Nodes 0 and 2 hear each other over a bad link; node 1 is in the middle of two good ones.
fn triangle(cfg: &HwmpConfig) -> Net {
    let mut net = Net::linked(3, &[(0, 1), (1, 2), (0, 2)], cfg);
    // Three of four attempts fail each time.
    net.retries.extend([((0, 2), 3), ((2, 0), 3)]);
    net.run(ms(1_000));
    net
}

#[test]
fn two_good_hops_are_taken_over_one_bad_one_once_failures_show() {
    let cfg = HwmpConfig { failure_count: FailureCount::Attempts, refresh_by_use: false, ..quick() };
    let mut net = triangle(&cfg);
    // Both ways: a request adds up what each node knows of the link back.
    for at in 0..100 {
        net.send_at(ms(1_000 + 100 * at), 0, 2);
        net.send_at(ms(1_050 + 100 * at), 2, 0);
    }
    net.run(ms(1_040));
    // Peering frames have failed, too, but a single one in a second weighs little.
    let first = net.path(0, 2).expect("a path");
    net.run(ms(11_000));
    assert_eq!(first, [0, 2], "nothing is known yet");
    assert_eq!(net.path(0, 2), Some(vec![0, 1, 2]), "after its lifetime the path is searched with what is known");
}

#[test]
fn packets_that_come_in_the_end_are_no_failure_where_packets_count() {
    let mut net = triangle(&HwmpConfig { refresh_by_use: false, ..quick() });
    for at in 0..100 {
        net.send_at(ms(1_000 + 100 * at), 0, 2);
    }
    net.run(ms(11_000));
    assert_eq!(net.path(0, 2), Some(vec![0, 2]));
}
