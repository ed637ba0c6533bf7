//! Searches, their answers and path errors, message by message.

use super::{chain, quick};
use crate::config::hwmp::{HwmpConfig, PreqBackoff};
use crate::routing::tests::net::{Line, Net, Place, ms};
use crate::routing::{RouteLoss, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;
use hopscope_packet::hwmp::{HwmpMessage, Perr, Prep, Preq};
use hopscope_packet::routing::RoutingMessage;

/// Airtime of a link at 2 Mbit/s: 185 us and 8192 bits, in units of 10.24 us.
const LINK: u32 = 419;

/// Messages sent since an instant but for beacons and peering.
fn said(net: &Net, since: Time) -> Vec<(u32, Option<u32>, HwmpMessage)> {
    let of = |(at, node, line): &(Time, u32, Line)| match line {
        Line::Sent { message: RoutingMessage::Hwmp(message), to, .. } if *at >= since => match message {
            HwmpMessage::Beacon(_) | HwmpMessage::Peering(_) => None,
            HwmpMessage::Preq(_) | HwmpMessage::Prep(_) | HwmpMessage::Perr(_) | HwmpMessage::Rann(_) => {
                Some((*node, *to, message.clone()))
            }
        },
        _ => None,
    };
    net.log.iter().filter_map(of).collect()
}

/// A request in short: sender, hops, metric, sequence number of the originator.
fn requests(net: &Net, since: Time) -> Vec<(u32, u8, u32, u32)> {
    let of = |(node, to, message): &(u32, Option<u32>, HwmpMessage)| match message {
        HwmpMessage::Preq(preq) => {
            assert_eq!(*to, None);
            let Preq { hops, metric, originator_seq, ttl, .. } = **preq;
            assert_eq!(ttl, 31 - hops);
            Some((*node, hops, metric, originator_seq))
        }
        _ => None,
    };
    said(net, since).iter().filter_map(of).collect()
}

/// A reply in short: sender, receiver, hops, metric, target.
fn replies(net: &Net, since: Time) -> Vec<(u32, u32, u8, u32, u32)> {
    let of = |(node, to, message): &(u32, Option<u32>, HwmpMessage)| match message {
        HwmpMessage::Prep(Prep { hops, metric, target, .. }) => {
            Some((*node, to.expect("a neighbour"), *hops, *metric, target.0))
        }
        _ => None,
    };
    said(net, since).iter().filter_map(of).collect()
}

#[test]
fn a_search_floods_and_its_reply_comes_back() {
    let mut net = chain(4, &quick());
    let packet = net.send_at(ms(1_000), 0, 3);
    net.run(ms(1_050));
    let since = ms(1_000);
    // Node 3 asks nobody any more.
    assert_eq!(requests(&net, since), [(0, 0, 0, 1), (1, 1, LINK, 1), (2, 2, 2 * LINK, 1)]);
    assert_eq!(replies(&net, since), [(3, 2, 0, 0, 3), (2, 1, 1, LINK, 3), (1, 0, 2, 2 * LINK, 3)]);
    assert_eq!(net.place(packet), Place::Delivered);
    assert_eq!(net.path(0, 3), Some(vec![0, 1, 2, 3]));
    assert_eq!(net.path(3, 0), Some(vec![3, 2, 1, 0]), "the request has shown the way back");
    let latency = Span::from_millis(6);
    assert!(net.noted(0, RoutingNote::SearchDone { dst: NodeId(3), latency }).is_some());
}

#[test]
fn a_node_that_knows_a_path_answers_unless_the_target_alone_may() {
    for (target_only, reply_and_forward, expected) in [
        (true, true, vec![(3, 2), (2, 1), (1, 0)]),
        (false, true, vec![(1, 0), (3, 2), (2, 1), (1, 0)]),
        (false, false, vec![(1, 0)]),
    ] {
        let mut net = chain(4, &HwmpConfig { target_only, reply_and_forward, ..quick() });
        net.send_at(ms(1_000), 1, 3);
        net.send_at(ms(1_200), 0, 3);
        net.run(ms(1_300));
        let pairs: Vec<_> = replies(&net, ms(1_200)).iter().map(|one| (one.0, one.1)).collect();
        assert_eq!(pairs, expected, "target only {target_only}, reply and forward {reply_and_forward}");
        assert_eq!(net.path(0, 3), Some(vec![0, 1, 2, 3]));
    }
}

#[test]
fn targets_that_come_within_an_interval_share_a_request() {
    let mut net = chain(5, &quick());
    for (at, dst) in [(1_000, 2), (1_010, 3), (1_020, 4)] {
        net.send_at(ms(at), 0, dst);
    }
    net.run(ms(1_200));
    let of = |(node, _, message): (u32, Option<u32>, HwmpMessage)| match message {
        HwmpMessage::Preq(preq) if node == 0 => Some(preq.targets.iter().map(|target| target.node.0).collect()),
        _ => None,
    };
    let targets: Vec<Vec<u32>> = said(&net, ms(1_000)).into_iter().filter_map(of).collect();
    assert_eq!(targets, [vec![2], vec![3, 4]]);
    let sent: Vec<Time> = net.sent_since("preq", ms(1_000)).iter().filter(|one| one.1 == 0).map(|one| one.0).collect();
    assert_eq!(sent, [ms(1_000), ms(1_000) + Span::from_micros(102_400)]);
    assert!(net.packets.iter().all(|packet| packet.place == Place::Delivered));
}

#[test]
fn a_search_without_an_answer_is_repeated_and_given_up() {
    // 500 TU twice, as often as there are requests; then twice as long each time.
    for (backoff, waits) in [(PreqBackoff::None, [1, 2, 3, 4]), (PreqBackoff::Double, [1, 3, 7, 15])] {
        let mut net = Net::new(5, &HwmpConfig { preq_backoff: backoff, ..quick() }, 1);
        net.set_link(0, 1, true);
        net.run(ms(1_000));
        let packet = net.send_at(ms(1_000), 0, 4);
        net.run(ms(20_000));
        let sent = net.sent("preq").into_iter().filter(|one| one.1 == 0).map(|one| one.0);
        let at = |periods: u64| ms(1_000) + Span::from_micros(1_024_000) * periods;
        assert_eq!(sent.collect::<Vec<_>>(), [at(0), at(waits[0]), at(waits[1]), at(waits[2])]);
        assert_eq!(net.noted(0, RoutingNote::SearchFailed { dst: NodeId(4) }), Some(at(waits[3])));
        assert_eq!(net.place(packet), Place::Dropped(DropReason::NoRoute));
    }
}

#[test]
fn the_oldest_packet_gives_way() {
    let mut net = Net::new(2, &HwmpConfig { hold_limit: 2, ..quick() }, 1);
    let packets: Vec<_> = (0..3).map(|n| net.send_at(ms(n), 0, 1)).collect();
    net.run(ms(500));
    let places: Vec<_> = packets.iter().map(|packet| net.place(*packet)).collect();
    let held = Place::HeldBy(NodeId(0));
    assert_eq!(places, [Place::Dropped(DropReason::RouteBufferFull), held, held]);
}

#[test]
fn a_path_ends_with_its_lifetime_unless_use_or_a_renewal_prolongs_it() {
    let expired = RoutingNote::RouteDown { dst: NodeId(2), cause: RouteLoss::Expired };
    let run = |cfg: HwmpConfig| {
        let mut net = chain(3, &cfg);
        for at in 0..100 {
            net.send_at(ms(1_000 + 100 * at), 0, 2);
        }
        net.run(ms(11_500));
        assert!(net.packets.iter().all(|packet| packet.place == Place::Delivered));
        let own = net.sent("preq").into_iter().filter(|one| one.1 == 0).map(|one| one.0).collect::<Vec<_>>();
        (own.len(), own.get(1).copied(), net.noted(0, expired).is_some())
    };
    assert_eq!(run(quick()), (1, None, false), "each packet prolongs it");
    let (count, second, ends) = run(HwmpConfig { refresh_by_use: false, ..quick() });
    // The path of 5.12 s begins with the reply; the packet after its end has to wait.
    assert_eq!((count, second, ends), (2, Some(ms(6_200)), true));
    let renewing = HwmpConfig { refresh_by_use: false, refresh_before: Span::from_secs(1), ..quick() };
    let (count, second, ends) = run(renewing);
    assert_eq!((count, second, ends), (3, Some(ms(5_200)), false));
}

#[test]
fn a_break_is_reported_to_who_sends_over_it() {
    for perr_unicast in [0, 31] {
        let cfg = HwmpConfig { max_packet_failures: Some(1), perr_unicast, ..quick() };
        let mut net = chain(4, &cfg);
        net.send_at(ms(1_000), 0, 3);
        net.run(ms(1_100));
        net.set_link(2, 3, false);
        let lost = net.send_at(ms(1_100), 0, 3);
        net.run(ms(1_400));
        assert_eq!(net.place(lost), Place::Dropped(DropReason::LinkFailed));
        let of = |(node, to, message): (u32, Option<u32>, HwmpMessage)| match message {
            HwmpMessage::Perr(perr) => {
                let Perr { ttl, destinations } = &*perr;
                Some((node, to, *ttl, destinations.iter().map(|one| (one.node.0, one.seq)).collect::<Vec<_>>()))
            }
            _ => None,
        };
        let errors: Vec<_> = said(&net, ms(1_100)).into_iter().filter_map(of).collect();
        // Node 3 has answered with number 1.
        if perr_unicast == 0 {
            let to_all = (2, None, 31, vec![(3, 2)]);
            assert_eq!(errors, [to_all, (1, None, 30, vec![(3, 2)]), (0, None, 29, vec![(3, 2)])]);
        } else {
            assert_eq!(errors, [(2, Some(1), 31, vec![(3, 2)]), (1, Some(0), 30, vec![(3, 2)])]);
        }
        let reported = RoutingNote::RouteDown { dst: NodeId(3), cause: RouteLoss::Reported };
        assert!(net.noted(0, reported).is_some() && net.path(0, 3).is_none());
        assert_eq!(net.path(0, 1), Some(vec![0, 1]), "nothing else is gone");
    }
}

#[test]
fn a_node_dies_and_comes_back() {
    let cfg = HwmpConfig { max_packet_failures: Some(2), ..quick() };
    // A ring of four: 0-1-3 and 0-2-3.
    let mut net = Net::linked(4, &[(0, 1), (1, 3), (0, 2), (2, 3)], &cfg);
    net.run(ms(1_000));
    for at in 0..200 {
        net.send_at(ms(1_000 + 20 * at), 0, 3);
    }
    // Between two packets.
    net.run(ms(1_510));
    let first = net.path(0, 3).expect("a path")[1] as usize;
    net.set_link(0, first, false);
    net.set_link(first, 3, false);
    net.run(ms(6_000));
    // Two packets are given up, then one search finds the other way.
    assert_eq!(net.path(0, 3), Some(vec![0, 3 - first as u32, 3]));
    let dropped = net.packets.iter().filter(|packet| matches!(packet.place, Place::Dropped(_))).count();
    assert_eq!(dropped, 2);
    net.set_link(0, first, true);
    net.set_link(first, 3, true);
    net.set_link(0, 3 - first, false);
    let back = net.now;
    let later = net.send_at(back + Span::from_millis(500), 0, first);
    net.run(back + Span::from_secs(2));
    assert_eq!(net.place(later), Place::Delivered, "a beacon, then Open and Confirm, make the link anew");
}
