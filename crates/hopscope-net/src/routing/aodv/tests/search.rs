//! Searches: rings, waits, answers, giving up.

use super::chain;
use crate::config::aodv::AodvConfig;
use crate::routing::tests::net::{Place, ms};
use crate::routing::{Router, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;
use hopscope_packet::DropReason;

#[test]
fn three_nodes_find_a_way_in_two_rings() {
    let mut net = chain(3, &AodvConfig::default());
    let packet = net.send_at(ms(0), 0, 2);
    net.run(ms(500));
    // Ring 1 ends unanswered after 2 x 40 ms x (1 + 2 hops); ring 3 is repeated by node 1 and answered by node 2.
    assert_eq!(net.sent("rreq"), [(ms(0), 0, None, 1), (ms(240), 0, None, 3), (ms(241), 1, None, 2)]);
    assert_eq!(net.sent("rrep"), [(ms(242), 2, Some(1), 35), (ms(243), 1, Some(0), 34)]);
    assert_eq!(net.place(packet), Place::Delivered);
    assert_eq!(net.path(0, 2), Some(vec![0, 1, 2]));
    assert_eq!(net.path(2, 0), Some(vec![2, 1, 0]));
    let done = RoutingNote::SearchDone { dst: NodeId(2), latency: Span::from_millis(244) };
    assert_eq!(net.noted(0, done), Some(ms(244)));
}

#[test]
fn rings_grow_to_the_threshold_then_the_network_is_asked_with_doubled_waits() {
    let mut net = chain(1, &AodvConfig::default());
    let packet = net.send_at(ms(0), 0, 9);
    net.run(ms(60_000));
    let ring = |hops: u64| 80 * (hops + 2);
    let mut at = 0;
    let mut expected = Vec::new();
    for ttl in [1, 3, 5, 7] {
        expected.push((ms(at), 0, None, ttl));
        at += ring(u64::from(ttl));
    }
    for doublings in 0..3 {
        expected.push((ms(at), 0, None, 35));
        at += 2800 << doublings;
    }
    assert_eq!(net.sent("rreq"), expected);
    assert_eq!(net.place(packet), Place::Dropped(DropReason::NoRoute));
    assert_eq!(net.noted(0, RoutingNote::SearchFailed { dst: NodeId(9) }), Some(ms(at)));
}

#[test]
fn without_rings_the_first_request_is_network_wide() {
    let mut net = chain(4, &AodvConfig { expanding_ring: false, ..AodvConfig::default() });
    let packet = net.send_at(ms(0), 0, 3);
    net.run(ms(100));
    assert_eq!(net.sent("rreq"), [(ms(0), 0, None, 35), (ms(1), 1, None, 34), (ms(2), 2, None, 33)]);
    assert_eq!(net.place(packet), Place::Delivered);
}

#[test]
fn a_node_on_the_way_answers_unless_the_destination_shall() {
    let wide = AodvConfig { expanding_ring: false, ..AodvConfig::default() };
    let asked_twice = |cfg: &AodvConfig| {
        let mut net = chain(4, cfg);
        net.send_at(ms(0), 1, 3);
        net.send_at(ms(100), 0, 3);
        net.run(ms(200));
        assert_eq!(net.path(0, 3), Some(vec![0, 1, 2, 3]));
        net.sent("rrep").into_iter().filter(|line| line.0 >= ms(100)).map(|line| line.1).collect::<Vec<_>>()
    };
    assert_eq!(asked_twice(&wide), [1]);
    assert_eq!(asked_twice(&AodvConfig { destination_only: true, ..wide.clone() }), [3, 2, 1]);
    assert_eq!(asked_twice(&AodvConfig { intermediate_reply: false, ..wide.clone() }), [3, 2, 1]);
    // With the G flag node 1 notifies the destination about node 0 as well: over 2 to 3.
    assert_eq!(asked_twice(&AodvConfig { gratuitous_rrep: true, ..wide }), [1, 1, 2]);
}

#[test]
fn a_gratuitous_answer_gives_the_destination_its_way_back() {
    let cfg = AodvConfig { expanding_ring: false, gratuitous_rrep: true, ..AodvConfig::default() };
    let mut net = chain(4, &cfg);
    net.send_at(ms(0), 1, 3);
    net.send_at(ms(100), 0, 3);
    net.run(ms(200));
    assert_eq!(net.path(3, 0), Some(vec![3, 2, 1, 0]));
}

#[test]
fn at_most_ten_requests_leave_per_second() {
    let mut net = chain(1, &AodvConfig { expanding_ring: false, ..AodvConfig::default() });
    for dst in 1..=12 {
        net.send_at(ms(dst as u64), 0, 100 + dst);
    }
    net.run(ms(1500));
    let sent: Vec<_> = net.sent("rreq").into_iter().map(|line| line.0).collect();
    assert_eq!(sent[..10], (1..=10).map(ms).collect::<Vec<_>>());
    assert_eq!(sent[10..], [ms(1001), ms(1002)]);
}

#[test]
fn the_buffer_drops_its_oldest_and_what_waits_too_long() {
    let cfg = AodvConfig { buffer_packets: 2, buffer_time: Span::from_secs(1), ..AodvConfig::default() };
    let mut net = chain(1, &cfg);
    let packets: Vec<_> = [0, 100, 200].map(|at| net.send_at(ms(at), 0, 9)).into();
    net.run(ms(1150));
    let places: Vec<_> = packets.iter().map(|&packet| net.place(packet)).collect();
    let held = Place::HeldBy(NodeId(0));
    assert_eq!(
        places,
        [Place::Dropped(DropReason::RouteBufferFull), Place::Dropped(DropReason::RouteBufferTimeout), held]
    );
    net.run(ms(1200));
    assert_eq!(net.place(packets[2]), Place::Dropped(DropReason::RouteBufferTimeout));
}

#[test]
fn a_pause_after_a_failed_search_holds_back_the_next_one() {
    let cfg = AodvConfig {
        expanding_ring: false,
        rreq_retries: 0,
        search_pause: Span::from_secs(5),
        ..AodvConfig::default()
    };
    let mut net = chain(1, &cfg);
    net.send_at(ms(0), 0, 9);
    let second = net.send_at(ms(4000), 0, 9);
    net.run(ms(7799));
    assert_eq!(net.sent("rreq").len(), 1);
    assert_eq!(net.place(second), Place::HeldBy(NodeId(0)));
    net.run(ms(7800));
    assert_eq!(net.sent("rreq").last(), Some(&(ms(7800), 0, None, 35)));
}

#[test]
fn another_length_over_the_same_neighbour_is_noted_once() {
    let mut net = chain(1, &AodvConfig::default());
    let dst = NodeId(9);
    for hops in [3, 3, 5] {
        net.input(0, |router, cx| {
            let Router::Aodv(aodv) = router else { unreachable!("the machine is AODV") };
            aodv.set_up(dst, NodeId(1), hops, 2, ms(10_000), cx);
        });
    }
    let up = RoutingNote::RouteUp { dst, next_hop: NodeId(1), hops: 3 };
    let longer = RoutingNote::HopsChanged { dst, next_hop: NodeId(1), hops: 5 };
    assert_eq!(net.notes(0), [(ms(0), up), (ms(0), longer)]);
}
