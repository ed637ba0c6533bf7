//! Broken links: errors, salvaged packets, packets that waited for the lost neighbour.

use super::{chain, linked};
use crate::config::dsr::DsrConfig;
use crate::routing::tests::net::{Line, Net, Place, ms};
use crate::routing::{RouteLoss, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_packet::DropReason;
use hopscope_packet::dsr::{BrokenLink, DsrMessage};
use hopscope_packet::routing::RoutingMessage;

/// A chain 0 to 4 on which node 0 has a route, with a way round from node 1 over 5 and 6 to 4.
fn ladder(cfg: &DsrConfig) -> Net {
    let mut net = linked(7, &[(0, 1), (1, 2), (2, 3), (3, 4), (1, 5), (5, 6), (6, 4)], cfg);
    net.set_link(1, 5, false);
    net.send_at(ms(0), 0, 4);
    net.run(ms(100));
    assert_eq!(net.path(0, 4), Some(vec![0, 1, 2, 3, 4]));
    net.set_link(1, 5, true);
    net
}

#[test]
fn an_error_goes_back_to_the_source_and_clears_every_cache_on_its_way() {
    let mut net = chain(5, &DsrConfig::default());
    net.send_at(ms(0), 0, 4);
    net.run(ms(100));
    net.set_link(3, 4, false);
    let packet = net.send_at(ms(100), 0, 4);
    net.run(ms(120));
    // Three hops, five milliseconds of retries, and the error back over three hops.
    let errors = [(ms(108), 3, Some(2), 255), (ms(109), 2, Some(1), 254), (ms(110), 1, Some(0), 253)];
    assert_eq!(net.sent("rerr"), errors);
    assert_eq!(net.place(packet), Place::Dropped(DropReason::LinkFailed));
    for node in 0..4 {
        assert_eq!(net.path(node, 4), None, "node {node}");
    }
    assert_eq!(net.path(0, 3), Some(vec![0, 1, 2, 3]), "the other links stay");
    let down = RoutingNote::RouteDown { dst: NodeId(4), cause: RouteLoss::Reported };
    assert_eq!(net.notes(0).last(), Some(&(ms(111), down)));
    assert_eq!(net.notes(3), [(ms(108), RoutingNote::LinkLost { neighbour: NodeId(4) })]);
}

#[test]
fn the_source_sends_its_own_packet_again() {
    let mut net = linked(4, &[(0, 1), (1, 3), (0, 2), (2, 3)], &DsrConfig::default());
    net.send_at(ms(0), 0, 3);
    net.run(ms(100));
    assert_eq!(net.path(0, 3), Some(vec![0, 1, 3]));
    net.set_link(0, 1, false);
    let packet = net.send_at(ms(100), 0, 3);
    net.run(ms(107));
    assert_eq!((net.place(packet), &net.packet(packet).trail[..]), (Place::Delivered, &[0, 2, 3][..]));
    assert_eq!(net.packet(packet).route.as_ref().map(|route| route.salvage), Some(0));
    let up = RoutingNote::RouteUp { dst: NodeId(3), next_hop: NodeId(2), hops: 2 };
    let lost = RoutingNote::LinkLost { neighbour: NodeId(1) };
    assert_eq!(net.notes(0)[3..], [(ms(105), lost), (ms(105), up)]);
    // Without another route it waits for a search.
    net.set_link(0, 2, false);
    let packet = net.send_at(ms(200), 0, 3);
    net.run(ms(206));
    assert_eq!(net.place(packet), Place::HeldBy(NodeId(0)));
    net.set_link(0, 1, true);
    net.run(ms(300));
    assert_eq!(net.packet(packet).trail, [0, 1, 3]);
}

/// The same when node 1 has learned of the way round.
fn known_ladder(cfg: &DsrConfig) -> Net {
    let mut net = ladder(cfg);
    for (at, src, dst) in [(100, 5, 1), (200, 1, 6), (300, 6, 4), (400, 5, 4), (500, 1, 4)] {
        net.send_at(ms(at), src, dst);
    }
    net.run(ms(600));
    net
}

#[test]
fn a_node_on_the_way_salvages_after_it_has_reported_the_source() {
    let mut net = known_ladder(&DsrConfig::default());
    net.set_link(1, 2, false);
    let packet = net.send_at(ms(600), 0, 4);
    net.run(ms(700));
    let taken = net.packet(packet);
    assert_eq!((taken.place, &taken.trail[..]), (Place::Delivered, &[0, 1, 5, 6, 4][..]), "{taken:?}");
    let route = taken.route.as_ref().expect("a source route");
    assert_eq!((route.salvage, route.path.len(), route.bytes()), (1, 4, 4 + 4 + 3 * 4), "the salvager is listed");
    assert_eq!(net.sent_since("rerr", ms(600)), [(ms(606), 1, Some(0), 255)]);
}

#[test]
fn salvaging_can_be_off() {
    let mut net = known_ladder(&DsrConfig { max_salvage_count: 0, ..DsrConfig::default() });
    net.set_link(1, 2, false);
    let packet = net.send_at(ms(600), 0, 4);
    net.run(ms(700));
    assert_eq!(net.path(1, 4), Some(vec![1, 5, 6, 4]), "it knows a way");
    assert_eq!(net.place(packet), Place::Dropped(DropReason::LinkFailed));
}

#[test]
fn an_error_about_a_salvaged_packet_goes_to_the_salvager() {
    let mut net = known_ladder(&DsrConfig { max_salvage_count: 1, ..DsrConfig::default() });
    net.set_link(1, 2, false);
    net.set_link(6, 4, false);
    let packet = net.send_at(ms(700), 0, 4);
    net.run(ms(800));
    let errors: Vec<_> = net.sent_since("rerr", ms(700)).iter().map(|&(_, from, to, _)| (from, to)).collect();
    // The first to the source; the second no further than to node 1, which wrote the route.
    assert_eq!(errors, [(1, Some(0)), (6, Some(5)), (5, Some(1))], "{:?}", net.packet(packet));
    assert_eq!(net.packet(packet).trail, [0, 1, 5, 6]);
    assert_eq!(net.place(packet), Place::Dropped(DropReason::LinkFailed), "it has been salvaged once");
}

#[test]
fn packets_that_wait_for_the_lost_neighbour_are_dropped_with_one_error() {
    let mut net = chain(4, &DsrConfig::default());
    net.send_at(ms(0), 0, 3);
    net.run(ms(100));
    net.set_link(2, 3, false);
    let packets = [100, 101, 102, 103].map(|at| net.send_at(ms(at), 0, 3));
    net.run(ms(108));
    // The first fails at 107 ms, when three more have come to node 2.
    for packet in packets {
        assert_eq!(net.place(packet), Place::Dropped(DropReason::LinkFailed));
        assert_eq!(net.packet(packet).trail, [0, 1, 2]);
    }
    let error = [(ms(107), 2, Some(1), 255), (ms(108), 1, Some(0), 254)];
    assert_eq!(net.sent("rerr"), error);
}

#[test]
fn own_packets_that_waited_keep_their_order() {
    let mut net = linked(4, &[(0, 1), (1, 3), (0, 2), (2, 3)], &DsrConfig::default());
    net.send_at(ms(0), 0, 3);
    net.run(ms(100));
    net.set_link(0, 1, false);
    let packets = [100, 101, 102].map(|at| net.send_at(ms(at), 0, 3));
    let mut arrived = Vec::new();
    net.run_checked(ms(120), |net| {
        for &packet in &packets {
            if net.place(packet) == Place::Delivered && !arrived.contains(&packet) {
                arrived.push(packet);
            }
        }
    });
    assert_eq!(arrived, packets);
}

#[test]
fn the_next_request_repeats_an_error_so_that_stale_caches_do_not_answer() {
    // Node 5 next to the source has the whole chain in its cache.
    let run = |spread_errors| {
        let cfg = DsrConfig { spread_errors, ..DsrConfig::default() };
        let mut net = linked(6, &[(0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (5, 1)], &cfg);
        net.send_at(ms(0), 5, 4);
        net.send_at(ms(100), 0, 4);
        net.run(ms(300));
        net.set_link(3, 4, false);
        net.send_at(ms(300), 0, 4);
        net.run(ms(320));
        net.send_at(ms(320), 0, 4);
        net.run(ms(325));
        let errors = net.log.iter().filter_map(|(at, _, line)| match line {
            Line::Sent { message: RoutingMessage::Dsr(DsrMessage::RouteRequest(request)), .. } if *at >= ms(320) => {
                Some(request.error)
            }
            _ => None,
        });
        (errors.collect::<Vec<_>>(), net.path(5, 4), net.sent_since("rrep", ms(320)).len())
    };
    let broken = BrokenLink { from: NodeId(3), to: NodeId(4) };
    assert_eq!(run(true), (vec![Some(broken)], None, 0));
    let (errors, path, replies) = run(false);
    assert_eq!((errors, path), (vec![None], Some(vec![5, 1, 2, 3, 4])));
    assert_eq!(replies, 1, "the stale route is reported");
}
