//! Who says what when: Hellos, updates, and requests that are answered, carried on, repeated or left.

use super::views::update;
use crate::config::babel::{BabelConfig, UnfeasibleUpdate};
use crate::routing::RouteLoss;
use crate::routing::RoutingNote;
use crate::routing::tests::net::{FRAME, Net, ms};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::babel::{BabelTlv, INFINITY, SeqnoRequest};

fn rfc() -> BabelConfig {
    BabelConfig::set("rfc8966").expect("a set")
}

fn request(dst: u32, seqno: u16, hops: u8) -> BabelTlv {
    BabelTlv::SeqnoRequest(SeqnoRequest { dst: NodeId(dst), seqno, hops })
}

/// Node 0 with the neighbours 1 and 2, of which 1 has a route of metric 256 to node 3. Node 0 has advertised it with 512.
fn met(cfg: &BabelConfig) -> Net {
    let mut net = Net::new(3, cfg, 1);
    net.meet(0, &[1, 2]);
    net.hear(0, 1, &[update(3, 5, 256)]);
    net.run(net.now + Span::from_millis(250));
    assert_eq!(net.babel_updates(0, 3, Time::ZERO).pop().map(|said| (said.1, said.2)), Some((5, 512)));
    net
}

fn next_hop(net: &Net, dst: u32) -> Option<u32> {
    net.nodes[0].next_hop(NodeId(dst), net.now).map(|node| node.0)
}

#[test]
fn hellos_and_updates_come_at_their_intervals() {
    let mut net = Net::chain(2, &rfc());
    net.run(ms(400_000));
    let gaps = |kind| {
        let times: Vec<Time> = net.babel_said(0, kind, ms(50_000)).into_iter().map(|said| said.0).collect();
        times.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<Span>>()
    };
    let within = |gaps: &[Span], low, high| {
        let (low, high) = (Span::from_secs(low), Span::from_secs(high));
        assert!(gaps.len() > 10 && gaps.iter().all(|gap| (low..=high).contains(gap)), "{gaps:?}");
        assert!(gaps.windows(2).any(|pair| pair[0] != pair[1]), "intervals vary");
    };
    within(&gaps("hello"), 3, 4);
    within(&gaps("next-hop"), 12, 16);
    // Without losses each third Hello brings an IHU.
    within(&gaps("ihu"), 9, 12);
    let late = BabelConfig { jitter_early: 0.0, jitter_late: 0.5, ..rfc() };
    let mut net = Net::chain(2, &late);
    net.run(ms(100_000));
    let hellos = net.babel_said(0, "hello", Time::ZERO);
    assert!(hellos.windows(2).all(|pair| (4..=6).contains(&((pair[1].0 - pair[0].0).0 / 1_000_000_000))));
}

#[test]
fn lossy_links_get_an_ihu_with_each_hello() {
    let mut net = Net::chain(2, &rfc());
    net.set_lossy(0, 1, 0.5);
    net.run(ms(200_000));
    let said = |kind| net.babel_said(0, kind, ms(100_000)).len();
    assert!(said("ihu") > said("hello") * 2 / 3, "{} of {}", said("ihu"), said("hello"));
}

/// What neighbour 2 advertises; whether node 0 takes it at once, and what it does once 1 has no route any more.
#[test]
fn the_feasibility_condition_decides() {
    // Number, metric, next hop at once, next hop after the retraction of 1.
    let cases = [
        (5, 100, 2, Some(2)),
        (5, 511, 1, Some(2)),
        (5, 512, 1, None),
        (5, 600, 1, None),
        (6, 600, 1, Some(2)),
        (4, 100, 1, None),
        (0xFFFF, 100, 1, None),
    ];
    for (seqno, metric, at_once, later) in cases {
        let mut net = met(&rfc());
        net.hear(0, 2, &[update(3, seqno, metric)]);
        assert_eq!(next_hop(&net, 3), Some(at_once), "{seqno} {metric}");
        net.hear(0, 1, &[update(3, 5, INFINITY)]);
        assert_eq!(next_hop(&net, 3), later, "{seqno} {metric}");
    }
}

#[test]
fn a_lost_route_is_retracted_and_asked_for_until_it_is_back() {
    let mut net = met(&rfc());
    net.hear(0, 2, &[update(3, 5, 600)]);
    let lost = net.now;
    net.hear(0, 1, &[update(3, 5, INFINITY)]);
    assert_eq!(next_hop(&net, 3), None, "2 is not feasible");
    assert_eq!(net.noted(0, RoutingNote::RouteDown { dst: NodeId(3), cause: RouteLoss::Reported }), Some(lost));
    for step in 1..=30 {
        net.greet(0, 1, 19 + step);
        net.greet(0, 2, 19 + step);
        net.run(net.now + Span::from_secs(1));
    }
    // Both go out within the urgent timeout of 0.2 s, and three times more: 2, 4 and 8 s after one another.
    let near = |times: Vec<Time>| {
        let wanted = [0, 2_000, 6_000, 14_000].map(|after| lost + Span::from_millis(after));
        assert_eq!(times.len(), 4, "{times:?}");
        assert!(times.iter().zip(wanted).all(|(at, from)| *at >= from && *at <= from + Span::from_millis(201)));
    };
    near(net.babel_updates(0, 3, lost).into_iter().map(|said| said.0).collect());
    assert!(net.babel_updates(0, 3, lost).iter().all(|said| said.2 == INFINITY));
    let requests = net.babel_said(0, "seqno-request", lost);
    assert!(requests.iter().all(|said| (said.1, said.2) == (None, request(3, 6, 127))), "{requests:?}");
    near(requests.into_iter().map(|said| said.0).collect());
    let back = net.now;
    net.hear(0, 2, &[update(3, 6, 600)]);
    assert_eq!(next_hop(&net, 3), Some(2));
    net.run(back + Span::from_millis(250));
    assert_eq!(net.babel_updates(0, 3, back).pop().map(|said| (said.1, said.2)), Some((6, 856)));
}

#[test]
fn a_route_in_use_whose_update_is_forbidden_is_given_up_or_kept() {
    // No other route is there: all neighbours are asked.
    for (unfeasible_update, metric, asked) in [
        (UnfeasibleUpdate::Unselect, None, vec![None]),
        (UnfeasibleUpdate::Ignore, Some(512), vec![Some(1)]),
        (UnfeasibleUpdate::Keep, Some(956), vec![]),
    ] {
        let mut net = met(&BabelConfig { unfeasible_update, ..rfc() });
        let now = net.now;
        // Twice: a request that is on its way is not sent again.
        for _ in 0..2 {
            net.hear(0, 1, &[update(3, 5, 700)]);
            net.run(net.now + Span::from_millis(250));
        }
        assert_eq!((next_hop(&net, 3), net.babel(0).metric(NodeId(3))), (metric.map(|_| 1), metric));
        let requests = net.babel_said(0, "seqno-request", now);
        assert_eq!(requests.iter().map(|said| said.1).collect::<Vec<_>>(), asked, "{unfeasible_update:?}");
        assert!(requests.iter().all(|said| said.2 == request(3, 6, 127)));
    }
}

#[test]
fn a_better_route_that_is_forbidden_is_asked_for() {
    for (request_margin, asked) in [(0, 1), (600, 0)] {
        let mut net = met(&BabelConfig { request_margin, ..rfc() });
        // The way over 1 is 956 now, by a new number; an old number over 2 would be 500.
        net.hear(0, 1, &[update(3, 6, 700)]);
        net.run(net.now + Span::from_millis(250));
        let now = net.now;
        net.hear(0, 2, &[update(3, 5, 244)]);
        net.run(net.now + Span::from_millis(250));
        let requests = net.babel_said(0, "seqno-request", now);
        assert_eq!(requests.len(), asked, "{request_margin}");
        assert!(requests.iter().all(|said| (said.1, said.2) == (Some(2), request(3, 7, 127))));
    }
}

/// A request of neighbour 2 for node 3, whose route goes over 1: what node 0 does.
#[test]
fn requests_are_answered_carried_on_or_left() {
    let answer = |tlv: BabelTlv| {
        let mut net = met(&rfc());
        let now = net.now;
        for _ in 0..2 {
            net.hear(0, 2, &[tlv]);
            net.run(net.now + Span::from_millis(250));
        }
        let carried: Vec<_> = net.babel_said(0, "seqno-request", now).iter().map(|said| (said.1, said.2)).collect();
        (net.babel_updates(0, 3, now).len(), carried)
    };
    assert_eq!(answer(request(3, 5, 9)), (2, vec![]), "it has that number");
    assert_eq!(answer(request(3, 6, 9)), (0, vec![(Some(1), request(3, 6, 8))]), "once: the second is known");
    assert_eq!(answer(request(3, 6, 1)), (0, vec![]), "it has travelled far enough");
    assert_eq!(answer(request(8, 6, 9)), (0, vec![]), "nothing is known of 8");
    // Who asks gets no request back, and nobody else has a route.
    let mut net = met(&rfc());
    let now = net.now;
    net.hear(0, 1, &[request(3, 6, 9)]);
    net.run(net.now + Span::from_millis(250));
    assert_eq!(net.babel_said(0, "seqno-request", now), []);
    // The answer to a request that was carried on goes out at once.
    net.hear(0, 2, &[request(3, 6, 9)]);
    net.run(net.now + Span::from_secs(1));
    let now = net.now;
    net.hear(0, 1, &[update(3, 6, 256)]);
    net.run(net.now + Span::from_millis(250));
    assert_eq!(net.babel_updates(0, 3, now).first().map(|said| (said.1, said.2)), Some((6, 512)));
}

/// Nodes 0 and 1 have their routes over each other, and each waits for a number of the other's: the way over 2 is left.
#[test]
fn a_request_goes_on_while_its_own_is_not_answered() {
    let mut net = met(&BabelConfig { unfeasible_update: UnfeasibleUpdate::Ignore, ..rfc() });
    let now = net.now;
    net.hear(0, 2, &[update(3, 5, 600)]);
    net.hear(0, 1, &[update(3, 5, 700)]);
    net.hear(0, 1, &[request(3, 6, 9)]);
    net.run(net.now + Span::from_millis(250));
    let requests: Vec<_> = net.babel_said(0, "seqno-request", now).iter().map(|said| (said.1, said.2)).collect();
    assert_eq!(requests, [(Some(1), request(3, 6, 127)), (Some(2), request(3, 6, 8))]);
}

#[test]
fn its_own_number_goes_up_by_one_when_a_newer_one_is_wanted() {
    let mut net = met(&rfc());
    let mut said = |tlv| {
        let now = net.now;
        net.hear(0, 1, &[tlv]);
        net.run(now + Span::from_millis(250));
        net.babel_updates(0, 0, now).first().map(|said| (said.1, said.2))
    };
    assert_eq!(said(request(0, 0, 9)), Some((0, 0)));
    assert_eq!(said(request(0, 1, 9)), Some((1, 0)));
    assert_eq!(said(request(0, 9, 9)), Some((2, 0)));
    assert_eq!(said(request(0, 2, 9)), Some((2, 0)));
    assert_eq!(said(request(0, 200, 9)), None, "of an earlier life");
}

#[test]
fn route_requests_are_answered() {
    let mut net = met(&rfc());
    let mut said = |dst: Option<u32>| {
        net.run(net.now + Span::from_secs(5));
        let now = net.now;
        net.hear(0, 2, &[BabelTlv::RouteRequest(dst.map(NodeId))]);
        net.run(now + Span::from_millis(250));
        (net.babel_updates(0, 3, now).len(), net.babel_updates(0, 0, now).len())
    };
    // Between two updates of all routes, which come each 12 to 16 s.
    assert_eq!(said(Some(3)), (1, 0));
    assert_eq!(said(None), (1, 1));
    let now = net.now;
    net.hear(0, 2, &[BabelTlv::RouteRequest(None)]);
    net.run(now + Span::from_secs(1));
    assert_eq!(net.babel_updates(0, 3, now), [], "all have just gone out");
    net.hear(0, 2, &[BabelTlv::RouteRequest(Some(NodeId(9)))]);
    net.run(net.now + Span::from_millis(250));
    assert_eq!(net.babel_updates(0, 9, now).first().map(|said| said.2), Some(INFINITY), "a retraction");
}

#[test]
fn an_update_that_is_not_repeated_is_asked_for_and_ages() {
    let mut net = met(&rfc());
    let received = net.now - Time::ZERO;
    for seqno in 20..40 {
        net.greet(0, 1, seqno);
        net.run(net.now + Span::from_secs(4));
    }
    // Valid for 56 s; asked for an eighth of that before the end.
    let received = Time::ZERO + received - Time::ZERO;
    let requests = net.babel_said(0, "route-request", Time::ZERO + received);
    let route = |said: &&(Time, Option<u32>, BabelTlv)| said.2 == BabelTlv::RouteRequest(Some(NodeId(3)));
    let asked: Vec<_> = requests.iter().filter(route).map(|said| (said.0 - Time::ZERO, said.1)).collect();
    assert_eq!(asked.len(), 1, "{asked:?}");
    let after = asked[0].0 - received;
    assert!((48..=51).contains(&(after.0 / 1_000_000_000)), "{after:?}");
    let down = RoutingNote::RouteDown { dst: NodeId(3), cause: RouteLoss::Expired };
    let lost = net.noted(0, down).expect("too old") - Time::ZERO - received;
    assert!((55..=57).contains(&(lost.0 / 1_000_000_000)), "{lost:?}");
}

#[test]
fn new_neighbours_are_asked_for_all_routes() {
    for (new_neighbour_request, least) in [(true, 1), (false, 0)] {
        let mut net = Net::chain(2, &BabelConfig { new_neighbour_request, ..rfc() });
        net.run(ms(30_000));
        let asked = net.babel_said(0, "route-request", Time::ZERO);
        assert_eq!(asked.len(), least, "{asked:?}");
        assert!(asked.iter().all(|said| (said.1, said.2) == (Some(1), BabelTlv::RouteRequest(None))));
    }
}

#[test]
fn what_goes_out_together_is_cut_into_packets_of_bounded_size() {
    for (router_id_flag, each, most) in [(true, 16, 91), (false, 28, 52)] {
        let mut net = Net::new(3, &BabelConfig { router_id_flag, ..rfc() }, 1);
        net.meet(0, &[1]);
        let all: Vec<BabelTlv> = (10..210).map(|dst| update(dst, 1, 256)).collect();
        let now = net.now;
        net.hear(0, 1, &all);
        net.run(now + Span::from_millis(250));
        let packets: Vec<usize> = net
            .babel_packets(0)
            .into_iter()
            .filter(|p| p.0 >= now && p.2.len() > 3)
            .map(|p| {
                let bytes: u32 = p.2.iter().map(BabelTlv::bytes).sum();
                assert!(bytes + 4 <= 1472, "{bytes}");
                assert_eq!(p.2.iter().filter(|tlv| tlv.kind() == "next-hop").count(), 1, "one in each packet");
                p.2.iter().filter(|tlv| tlv.kind() == "update").count()
            })
            .collect();
        assert!(packets.iter().sum::<usize>() >= 200, "{packets:?}");
        let full = (1472 - 4 - 8 - 28 + each) / each;
        assert!(packets.iter().all(|&n| n <= most) && packets[0] >= full - 1, "{packets:?}");
    }
}

#[test]
fn two_nodes_meet_and_a_silent_one_is_lost() {
    let mut net = Net::chain(2, &rfc());
    net.run(ms(120_000));
    assert_eq!((net.babel(0).cost(NodeId(1)), net.path(0, 1)), (Some(256), Some(vec![0, 1])));
    let last = net.babel_said(1, "hello", Time::ZERO).pop().expect("Hellos").0 + FRAME;
    net.set_link(0, 1, false);
    net.run(ms(200_000));
    // The ninth missing Hello makes 65,535 of the cost of reception: 6 s after the last one, then each 4 s. Before that the IHU of
    // 12 s is too old, 42 s after it came: at most 36 s after that Hello.
    let lost = net.noted(0, RoutingNote::LinkLost { neighbour: NodeId(1) }).expect("lost") - last;
    assert!(lost <= Span::from_secs(6 + 8 * 4) && lost >= Span::from_secs(28), "{lost:?}");
    assert_eq!(net.babel(0).cost(NodeId(1)), None, "forgotten");
}
