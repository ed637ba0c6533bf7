//! Searches: requests, waits, replies from the target and from caches, giving up.

use super::{chain, linked};
use crate::config::dsr::DsrConfig;
use crate::routing::tests::net::{Line, Place, ms};
use crate::routing::{RouteLoss, Router, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;
use hopscope_packet::DropReason;
use hopscope_packet::dsr::DsrMessage;
use hopscope_packet::routing::RoutingMessage;

#[test]
fn a_chain_is_found_by_the_second_request() {
    let mut net = chain(4, &DsrConfig::default());
    let packet = net.send_at(ms(0), 0, 3);
    net.run(ms(100));
    // Only neighbours hear the first request. The second is repeated by nodes 1 and 2 and answered by node 3.
    let requests = [(ms(0), 0, None, 1), (ms(30), 0, None, 255), (ms(31), 1, None, 254), (ms(32), 2, None, 253)];
    assert_eq!(net.sent("rreq"), requests);
    let replies = [(ms(33), 3, Some(2), 255), (ms(34), 2, Some(1), 254), (ms(35), 1, Some(0), 253)];
    assert_eq!(net.sent("rrep"), replies);
    assert_eq!(net.place(packet), Place::Delivered);
    assert_eq!(net.packet(packet).trail, [0, 1, 2, 3]);
    let dst = NodeId(3);
    let notes = [
        (ms(0), RoutingNote::SearchStarted { dst, repair: false }),
        (ms(36), RoutingNote::RouteUp { dst, next_hop: NodeId(1), hops: 3 }),
        (ms(36), RoutingNote::SearchDone { dst, latency: Span::from_millis(36) }),
    ];
    assert_eq!(net.notes(0), notes);
    // Everybody on the way has learned all of it, in both directions.
    assert_eq!(net.path(3, 0), Some(vec![3, 2, 1, 0]));
    assert_eq!(net.path(1, 3), Some(vec![1, 2, 3]));
    assert_eq!(net.path(2, 0), Some(vec![2, 1, 0]));
}

#[test]
fn a_neighbour_is_found_by_the_first_request_and_needs_no_source_route() {
    let mut net = chain(2, &DsrConfig::default());
    let packet = net.send_at(ms(0), 0, 1);
    net.run(ms(100));
    assert_eq!(net.sent("rreq"), [(ms(0), 0, None, 1)]);
    assert_eq!(net.place(packet), Place::Delivered);
    assert_eq!(net.packet(packet).route.as_ref().map(|route| route.bytes()), Some(0));
}

#[test]
fn waits_double_up_to_the_longest_and_end_after_the_last_retransmission() {
    let cfg = DsrConfig { max_request_rexmt: 7, send_buffer_timeout: Span::from_secs(500), ..DsrConfig::default() };
    let mut net = chain(1, &cfg);
    let packet = net.send_at(ms(0), 0, 9);
    net.run(ms(100_000));
    let waits = [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000];
    let mut at = 30;
    let mut requests = vec![(ms(0), 0, None, 1)];
    for wait in waits {
        requests.push((ms(at), 0, None, 255));
        at += wait;
    }
    assert_eq!(net.sent("rreq"), requests);
    assert_eq!(net.place(packet), Place::Dropped(DropReason::NoRoute));
    let dst = NodeId(9);
    assert_eq!(net.notes(0).last(), Some(&(ms(at), RoutingNote::SearchFailed { dst })));
    // The next search waits as long as the last one did in the end, and does not ask the neighbours first.
    net.send_at(ms(100_000), 0, 9);
    net.send_at(ms(101_000), 0, 9);
    net.run(ms(112_000));
    assert_eq!(net.sent_since("rreq", ms(100_000)), [(ms(100_000), 0, None, 255), (ms(110_000), 0, None, 255)]);
}

#[test]
fn waits_keep_growing_over_searches_until_one_succeeds() {
    let cfg = DsrConfig { max_request_rexmt: 0, request_period: Span::from_secs(4), ..DsrConfig::default() };
    let mut net = linked(10, &[], &cfg);
    net.send_at(ms(0), 0, 9);
    net.send_at(ms(5_000), 0, 9);
    net.send_at(ms(6_000), 0, 9);
    net.run(ms(13_000));
    assert_eq!(net.sent_since("rreq", ms(1)), [(ms(30), 0, None, 255), (ms(5_000), 0, None, 255)]);
    let failed = RoutingNote::SearchFailed { dst: NodeId(9) };
    assert_eq!(net.notes(0).last(), Some(&(ms(13_000), failed)), "the second search waited twice as long");
    net.send_at(ms(14_000), 0, 9);
    net.run(ms(23_000));
    assert_eq!(net.notes(0).last().map(|note| note.0), Some(ms(14_000)));
    net.set_link(0, 9, true);
    net.send_at(ms(23_000), 9, 0);
    net.run(ms(23_100));
    assert_eq!(net.path(0, 9), Some(vec![0, 9]));
    net.set_link(0, 9, false);
    net.send_at(ms(24_000), 0, 9);
    net.run(ms(25_000));
    assert_eq!(net.sent_since("rreq", ms(24_000))[0], (ms(24_005), 0, None, 1), "a fresh start");
}

#[test]
fn without_packets_the_search_ends() {
    let cfg = DsrConfig { send_buffer_timeout: Span::from_secs(1), ..DsrConfig::default() };
    let mut net = chain(1, &cfg);
    let packet = net.send_at(ms(0), 0, 9);
    net.run(ms(30_000));
    let requests: Vec<_> = net.sent("rreq").iter().map(|request| request.0).collect();
    assert_eq!(requests, [ms(0), ms(30), ms(530)]);
    assert_eq!(net.place(packet), Place::Dropped(DropReason::RouteBufferTimeout));
    assert_eq!(net.notes(0).last(), Some(&(ms(1_530), RoutingNote::SearchFailed { dst: NodeId(9) })));
}

#[test]
fn a_node_with_a_route_answers_from_its_cache() {
    let wide = DsrConfig { nonpropagating_request: false, ..DsrConfig::default() };
    let asked = |cfg: &DsrConfig| {
        let mut net = chain(5, cfg);
        net.send_at(ms(0), 1, 4);
        let packet = net.send_at(ms(100), 0, 4);
        net.run(ms(200));
        assert_eq!(net.packet(packet).trail, [0, 1, 2, 3, 4]);
        (net.sent_since("rreq", ms(100)).len(), net.sent_since("rrep", ms(100)))
    };
    assert_eq!(asked(&wide), (1, vec![(ms(101), 1, Some(0), 255)]));
    let delayed = DsrConfig { cached_reply_delay: Span::from_millis(2), ..wide.clone() };
    let (_, replies) = asked(&delayed);
    let [(at, 1, Some(0), 255)] = replies[..] else { panic!("one reply: {replies:?}") };
    assert!((ms(107)..ms(109)).contains(&at), "a route of four hops waits three to four times 2 ms: {at:?}");
    let (requests, replies) = asked(&DsrConfig { cached_reply: false, ..wide });
    assert_eq!((requests, replies.len()), (4, 4), "the target itself answers");
}

#[test]
fn no_cached_reply_leads_back_over_the_asking_path() {
    // Node 3 reaches the target 4 over node 2 only, from which it hears the request.
    let cfg = DsrConfig { nonpropagating_request: false, ..DsrConfig::default() };
    let mut net = linked(5, &[(1, 2), (2, 3), (2, 4)], &cfg);
    net.send_at(ms(0), 3, 4);
    net.run(ms(50));
    // Node 2 forgets: it has lost the target meanwhile.
    net.set_link(2, 4, false);
    net.send_at(ms(50), 2, 4);
    net.run(ms(60));
    net.set_link(0, 1, true);
    let packet = net.send_at(ms(100), 0, 4);
    net.run(ms(150));
    assert_eq!(net.path(3, 4), Some(vec![3, 2, 4]), "node 3 has not heard of it");
    assert_eq!(net.sent_since("rrep", ms(100)), []);
    assert_eq!(net.place(packet), Place::HeldBy(NodeId(0)));
}

#[test]
fn the_target_answers_every_copy_or_the_first() {
    let diamond = [(0, 1), (0, 2), (1, 3), (2, 3)];
    let replies = |reply_to_first| {
        let cfg = DsrConfig { nonpropagating_request: false, reply_to_first, ..DsrConfig::default() };
        let mut net = linked(4, &diamond, &cfg);
        net.send_at(ms(0), 0, 3);
        net.run(ms(50));
        let route = |(_, node, line): &(_, u32, Line)| match (node, line) {
            (3, Line::Sent { message: RoutingMessage::Dsr(DsrMessage::RouteReply(reply)), .. }) => {
                Some(reply.route.iter().map(|node| node.0).collect::<Vec<_>>())
            }
            _ => None,
        };
        net.log.iter().filter_map(route).collect::<Vec<_>>()
    };
    assert_eq!(replies(false), [[0, 1, 3], [0, 2, 3]]);
    assert_eq!(replies(true), [[0, 1, 3]]);
}

#[test]
fn a_request_heard_gives_the_way_to_its_initiator() {
    let mut net = chain(3, &DsrConfig { cached_reply: false, ..DsrConfig::default() });
    net.send_at(ms(0), 0, 9);
    let back = net.send_at(ms(100), 2, 0);
    net.run(ms(200));
    assert_eq!(net.packet(back).trail, [2, 1, 0]);
    assert!(net.sent_since("rreq", ms(100)).is_empty(), "no search of its own");
}

#[test]
fn routes_expire_when_not_used() {
    let cfg = DsrConfig { route_cache_timeout: Span::from_secs(5), ..DsrConfig::default() };
    let mut net = chain(3, &cfg);
    net.send_at(ms(0), 0, 2);
    net.send_at(ms(4_000), 0, 2);
    net.run(ms(60_000));
    let down = RoutingNote::RouteDown { dst: NodeId(2), cause: RouteLoss::Expired };
    assert_eq!(net.notes(0).last(), Some(&(ms(9_000), down)), "5 s after the second packet left");
    assert_eq!(net.path(0, 2), None);
    // The last node heard the second packet, 2 ms later.
    assert_eq!(net.path(2, 0), None);
}

#[test]
fn the_oldest_held_packet_gives_way() {
    let mut net = chain(1, &DsrConfig { send_buffer_size: 2, ..DsrConfig::default() });
    let packets = [0, 1, 2].map(|at| net.send_at(ms(at), 0, 9));
    net.run(ms(10));
    let places = packets.map(|packet| net.place(packet));
    let held = Place::HeldBy(NodeId(0));
    assert_eq!(places, [Place::Dropped(DropReason::RouteBufferFull), held, held]);
}

#[test]
fn another_length_over_the_same_neighbour_is_noted_once() {
    let mut net = chain(2, &DsrConfig::default());
    let dst = NodeId(9);
    for path in [&[0, 1, 2, 3, 9][..], &[0, 1, 2, 3, 9], &[0, 1, 9]] {
        let path: Vec<_> = path.iter().map(|&node| NodeId(node)).collect();
        net.input(0, |router, cx| {
            let Router::Dsr(dsr) = router else { unreachable!("the machine is DSR") };
            dsr.cache.learn_listed(&path, cx.now);
            dsr.settle(dst, RouteLoss::Expired, cx);
        });
    }
    let up = RoutingNote::RouteUp { dst, next_hop: NodeId(1), hops: 4 };
    let shorter = RoutingNote::HopsChanged { dst, next_hop: NodeId(1), hops: 2 };
    assert_eq!(net.notes(0), [(ms(0), up), (ms(0), shorter)]);
}
