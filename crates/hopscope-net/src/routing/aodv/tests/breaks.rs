//! Links that break: errors upstream, local repair, routes that expire.

use super::chain;
use crate::config::aodv::AodvConfig;
use crate::routing::aodv::RouteState;
use crate::routing::tests::net::{Line, Net, Place, ms};
use crate::routing::{RouteLoss, Router, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;
use hopscope_packet::DropReason;
use hopscope_packet::aodv::AodvMessage;
use hopscope_packet::routing::RoutingMessage;

fn wide() -> AodvConfig {
    AodvConfig { expanding_ring: false, ..AodvConfig::default() }
}

#[test]
fn a_break_travels_upstream_to_the_source() {
    let mut net = chain(4, &wide());
    net.send_at(ms(0), 0, 3);
    net.link_at(ms(100), 2, 3, false);
    let lost = net.send_at(ms(200), 0, 3);
    net.run(ms(300));
    // Nodes 1 and 2 carry it 1 ms each, the MAC of 2 gives up after 5 ms; each error has one precursor to notify.
    assert_eq!(net.sent("rerr"), [(ms(207), 2, Some(1), 1), (ms(208), 1, Some(0), 1)]);
    assert_eq!(net.place(lost), Place::Dropped(DropReason::LinkFailed));
    assert_eq!(net.path(0, 3), None);
    assert!(net.log.contains(&(ms(207), 2, Line::Flush(NodeId(3)))));
    assert_eq!(net.noted(2, RoutingNote::LinkLost { neighbour: NodeId(3) }), Some(ms(207)));
    let down = RoutingNote::RouteDown { dst: NodeId(3), cause: RouteLoss::Reported };
    assert_eq!(net.noted(0, down), Some(ms(209)));
}

#[test]
fn errors_to_several_precursors_are_broadcast_and_others_keep_still() {
    // 0 and 4 send to 3 over 1; node 5 hears node 1 but has no route over it.
    let cfg = AodvConfig { broadcast_jitter: Span::ZERO, ..wide() };
    let mut net = Net::linked(6, &[(0, 1), (4, 1), (1, 2), (2, 3), (5, 1)], &cfg);
    net.send_at(ms(0), 0, 3);
    net.send_at(ms(50), 4, 3);
    net.link_at(ms(100), 1, 2, false);
    net.send_at(ms(200), 0, 3);
    net.run(ms(300));
    assert_eq!(net.sent("rerr"), [(ms(206), 1, None, 1)]);
    let error = net.log.iter().find_map(|line| match &line.2 {
        Line::Sent { message: RoutingMessage::Aodv(AodvMessage::Rerr(rerr)), .. } => Some(rerr),
        _ => None,
    });
    let rerr = error.expect("an error");
    // The lost next hop was a destination of the precursors as well.
    assert_eq!(rerr.unreachable().iter().map(|u| u.0.0).collect::<Vec<_>>(), [2, 3]);
    assert_eq!((net.path(0, 3), net.path(4, 3)), (None, None));
}

#[test]
fn the_search_after_a_break_starts_just_beyond_the_old_distance() {
    let mut net = chain(4, &AodvConfig::default());
    net.send_at(ms(0), 0, 3);
    net.link_at(ms(1000), 0, 1, false);
    net.send_at(ms(1100), 0, 3);
    net.link_at(ms(1200), 0, 1, true);
    let packet = net.send_at(ms(1300), 0, 3);
    net.run(ms(1400));
    let (at, node, _, ttl) = net.sent("rreq").into_iter().find(|line| line.0 > ms(1000)).expect("a new search");
    assert_eq!((at, node, ttl), (ms(1300), 0, 5));
    assert_eq!(net.place(packet), Place::Delivered);
}

#[test]
fn a_forwarder_without_route_reports_who_sent_the_packet() {
    let mut net = chain(4, &wide());
    net.send_at(ms(0), 0, 3);
    net.link_at(ms(100), 2, 3, false);
    // The first packet after the break costs the route at 207 ms, and with it the one that waits behind it; the last
    // one finds none at node 2.
    let packets = [200, 201, 206].map(|at| net.send_at(ms(at), 0, 3));
    net.run(ms(300));
    let [failed, missing] = [DropReason::LinkFailed, DropReason::NoRoute].map(Place::Dropped);
    assert_eq!(packets.map(|p| net.place(p)), [failed, failed, missing]);
    assert_eq!(net.sent("rerr")[..3], [(ms(207), 2, Some(1), 1), (ms(208), 1, Some(0), 1), (ms(208), 2, Some(1), 1)]);
    let late = net.send_at(ms(400), 1, 3);
    net.run(ms(3100));
    assert_eq!(net.place(late), Place::HeldBy(NodeId(1)), "a source searches instead");
    net.run(ms(60_000));
    assert_eq!(net.place(late), Place::Dropped(DropReason::NoRoute));
}

#[test]
fn a_local_repair_finds_a_way_around() {
    // 0-1-2-3 with a detour 2-4-3.
    let mut net = Net::linked(5, &[(0, 1), (1, 2), (2, 3)], &AodvConfig { local_repair: true, ..wide() });
    net.send_at(ms(0), 0, 3);
    net.link_at(ms(100), 2, 3, false);
    for (a, b) in [(2, 4), (4, 3)] {
        net.link_at(ms(100), a, b, true);
    }
    let packet = net.send_at(ms(200), 0, 3);
    net.run(ms(400));
    assert_eq!(net.place(packet), Place::Delivered);
    assert_eq!(net.noted(2, RoutingNote::SearchStarted { dst: NodeId(3), repair: true }), Some(ms(207)));
    // TTL: hops known to the destination (1) or half those from the source (1), and LOCAL_ADD_TTL.
    assert!(net.sent("rreq").contains(&(ms(207), 2, None, 3)));
    assert_eq!(net.sent("rerr"), []);
    assert_eq!(net.path(0, 3), Some(vec![0, 1, 2, 4, 3]));
}

#[test]
fn a_local_repair_that_fails_reports_upstream() {
    let mut net = chain(4, &AodvConfig { local_repair: true, ..wide() });
    net.send_at(ms(0), 0, 3);
    net.link_at(ms(100), 2, 3, false);
    // The second one waits in the queue behind the first when the link is given up, and is lost with it.
    let packets = [200, 201, 210, 220].map(|at| net.send_at(ms(at), 0, 3));
    net.run(ms(240));
    assert_eq!(net.held(2), 3);
    net.run(ms(1000));
    // One request with TTL 3: 2 x 40 ms x (3 + 2 hops).
    assert_eq!(net.sent("rerr"), [(ms(607), 2, Some(1), 1), (ms(608), 1, Some(0), 1)]);
    let [failed, missing] = [DropReason::LinkFailed, DropReason::NoRoute].map(Place::Dropped);
    assert_eq!(packets.map(|p| net.place(p)), [missing, failed, missing, missing]);
    assert_eq!(net.path(0, 3), None);
}

#[test]
fn an_unused_route_expires_and_is_forgotten_later() {
    let mut net = chain(2, &wide());
    net.send_at(ms(0), 0, 1);
    net.send_at(ms(5000), 0, 1);
    net.run(ms(7999));
    assert_eq!(net.path(0, 1), Some(vec![0, 1]));
    net.run(ms(8000));
    assert_eq!(net.path(0, 1), None);
    let down = RoutingNote::RouteDown { dst: NodeId(1), cause: RouteLoss::Expired };
    assert_eq!(net.noted(0, down), Some(ms(8000)));
    let state = |net: &Net| match &net.nodes[0] {
        Router::Aodv(aodv) => aodv.routes().find(|r| r.dst == NodeId(1)).map(|r| r.state),
        other => panic!("not AODV: {other:?}"),
    };
    net.run(ms(22_999));
    assert_eq!(state(&net), Some(RouteState::Down));
    net.run(ms(23_000));
    assert_eq!(state(&net), None);
}
