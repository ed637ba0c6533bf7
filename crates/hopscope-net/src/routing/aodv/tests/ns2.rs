//! The `ns2` set against traces of ns-2.35 made for this project.

use super::chain;
use crate::config::aodv::{AodvConfig, Detection};
use crate::routing::RoutingNote;
use crate::routing::tests::net::{Line, Net, Place, ms};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;
use hopscope_packet::aodv::AodvMessage;
use hopscope_packet::routing::RoutingMessage;

fn ns2() -> AodvConfig {
    AodvConfig::set("ns2").expect("a listed set")
}

/// Requests with (instant, time to live, own number, number asked for), by their originator. The traces show an unknown
/// number as 0.
fn requests(net: &Net, origin: u32) -> Vec<(u64, u8, u32, u32)> {
    let own = |(at, node, line): &(Time, u32, Line)| match line {
        Line::Sent { message: RoutingMessage::Aodv(AodvMessage::Rreq(rreq)), ttl, .. }
            if *node == origin && rreq.hops == 0 =>
        {
            Some((at.0 / 1_000_000, *ttl, rreq.origin_seq, rreq.dst_seq.unwrap_or(0)))
        }
        _ => None,
    };
    net.log.iter().filter_map(own).collect()
}

#[test]
fn requests_for_an_unreachable_node_come_when_ns2_sends_them() {
    let mut net = chain(1, &ns2());
    // A TCP source's SYN at 1 s and its repetitions.
    let packets = [1000, 7000, 19_000].map(|at| net.send_at(ms(at), 0, 1));
    let late = net.send_at(ms(25_000), 0, 1);
    net.run(ms(48_999));
    let expected =
        [(1000, 4), (3000, 6), (7000, 8), (12_500, 10), (30_000, 12), (32_000, 14), (36_000, 16), (41_500, 18)];
    let expected: Vec<_> = expected.iter().map(|&(at, seq)| (at, 30, seq, 0)).collect();
    assert_eq!(requests(&net, 0), expected);
    assert_eq!(net.noted(0, RoutingNote::SearchFailed { dst: NodeId(1) }), Some(ms(20_000)));
    assert_eq!(packets.map(|p| net.place(p)), [Place::Dropped(DropReason::NoRoute); 3]);
    assert_eq!(net.place(late), Place::HeldBy(NodeId(0)));
    net.run(ms(49_000));
    assert_eq!(net.place(late), Place::Dropped(DropReason::NoRoute));
}

#[test]
fn numbers_and_rings_of_a_chain_follow_the_trace() {
    // Trace of 4 hops: numbers 4 and 4 at first; after a failure at the source an error at once, then TTL 6 asking for
    // 5 with own number 8; unanswered, TTL 8 from the next half second on.
    let mut net = chain(5, &ns2());
    net.send_at(ms(1000), 0, 4);
    net.link_at(ms(1600), 0, 1, false);
    net.send_at(ms(1670), 0, 4);
    net.send_at(ms(1708), 0, 4);
    net.run(ms(2600));
    assert_eq!(requests(&net, 0)[..2], [(1000, 30, 4, 0), (1708, 6, 8, 5)]);
    assert_eq!(net.sent("rerr"), [(ms(1675), 0, None, 1)]);
    let replies = [(1004, 4, Some(3), 30), (1005, 3, Some(2), 29), (1006, 2, Some(1), 28), (1007, 1, Some(0), 27)];
    assert_eq!(net.sent("rrep"), replies.map(|(at, node, to, ttl)| (ms(at), node, to, ttl)));
    // The wait is 2 x 6 hops x the measured delay per hop (8 ms / 4): it has ended before the next sweep.
    assert_eq!(requests(&net, 0)[2..], [(2000, 8, 10, 5), (2500, 30, 12, 5)]);
}

#[test]
fn a_failure_far_along_is_repaired_and_one_near_the_source_is_reported() {
    let broken_at = |a: usize| {
        let mut net = chain(5, &ns2());
        net.send_at(ms(0), 0, 4);
        net.link_at(ms(500), a, a + 1, false);
        let packet = net.send_at(ms(600), 0, 4);
        net.run(ms(620));
        (net.sent("rerr").len(), net.held(a), net.place(packet))
    };
    // At node 1: 1 hop done, 3 to go; node 0 has no precursor and stays quiet. At node 3: 3 done, 1 to go.
    assert_eq!(broken_at(1), (1, 0, Place::Dropped(DropReason::LinkFailed)));
    assert_eq!(broken_at(3), (0, 1, Place::HeldBy(NodeId(3))));
    // Half way it is not repaired: more hops must lie behind than ahead.
    assert_eq!(broken_at(2).2, Place::Dropped(DropReason::LinkFailed));
}

#[test]
fn a_repair_waits_until_the_nodes_behind_it_forget() {
    // Trace of 6 hops with a packet each 0.1 s and the link 4-5 away from 20.01 to 20.35 s: node 5 answers with the
    // number node 4 has, which is refused until 5's own route has expired; then the destination answers.
    let mut net = chain(7, &ns2());
    for packet in 0..400 {
        net.send_at(ms(1000 + 100 * packet), 0, 6);
    }
    net.link_at(ms(20_010), 4, 5, false);
    net.link_at(ms(20_350), 4, 5, true);
    net.run(ms(31_499));
    assert_eq!(net.path(4, 6), None);
    net.run(ms(31_600));
    let requests = requests(&net, 4);
    assert_eq!(requests, [(20_109, 30, 4, 4), (22_000, 30, 6, 4), (26_000, 30, 8, 4), (31_500, 30, 10, 4)]);
    assert_eq!(net.path(4, 6), Some(vec![4, 5, 6]));
}

#[test]
fn held_packets_leave_ten_milliseconds_apart() {
    let mut net = chain(3, &ns2());
    let packets = [0, 1, 2].map(|at| net.send_at(ms(at), 0, 2));
    net.run(ms(4 + 2));
    assert_eq!(net.place(packets[0]), Place::Delivered);
    assert_eq!(net.place(packets[1]), Place::Moving);
    net.run(ms(4 + 12));
    assert_eq!(packets.map(|p| net.place(p)), [Place::Delivered, Place::Delivered, Place::Moving]);
    net.run(ms(4 + 22));
    assert_eq!(net.place(packets[2]), Place::Delivered);
}

#[test]
fn a_route_in_use_lives_ten_seconds_on_and_ends_in_the_sweep() {
    let mut net = chain(2, &ns2());
    net.send_at(ms(100), 0, 1);
    net.send_at(ms(700), 0, 1);
    net.run(ms(10_999));
    assert_eq!(net.path(0, 1), Some(vec![0, 1]));
    net.run(ms(11_000));
    assert_eq!(net.path(0, 1), None);
}

#[test]
fn hellos_of_ns2_hold_for_four_and_a_half_seconds() {
    let cfg = AodvConfig { detection: Detection::Hello, ..ns2() };
    let mut net = chain(2, &cfg);
    net.send_at(ms(2000), 0, 1);
    net.link_at(ms(4000), 0, 1, false);
    net.run(ms(20_000));
    let last = net.sent("hello").into_iter().filter(|l| l.1 == 1 && l.0 < ms(4000)).map(|l| l.0).max().expect("HELLOs");
    let lost = net.noted(0, RoutingNote::LinkLost { neighbour: NodeId(1) }).expect("the link is lost");
    // Heard 1 ms later; looked at once per second.
    let due = last + Span::from_millis(4501);
    assert!(lost >= due && lost <= due + Span::from_secs(1), "{lost:?} against {due:?}");
}
