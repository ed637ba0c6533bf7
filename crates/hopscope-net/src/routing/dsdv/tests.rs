use proptest::prelude::*;

use super::*;
use crate::routing::tests::graph::{cases, config, no_loop, nothing_leaks};
use crate::routing::tests::net::{Line, Net, Place};
use hopscope_packet::DropReason;

fn secs(s: u64) -> Time {
    Time::ZERO + Span::from_secs(s)
}

/// What the log says of one thing.
fn found<'a, T>(net: &'a Net, pick: impl Fn(Time, u32, &'a Line) -> Option<T>) -> Vec<T> {
    net.log.iter().filter_map(|(at, node, line)| pick(*at, *node, line)).collect()
}

/// Updates sent: instant, sender, update.
fn updates(net: &Net) -> Vec<(Time, u32, &DsdvUpdate)> {
    found(net, |at, node, line| match line {
        Line::Sent { message: RoutingMessage::Dsdv(update), .. } => Some((at, node, update)),
        _ => None,
    })
}

/// Packets lost by machines: instant, packet, reason.
fn dropped(net: &Net) -> Vec<(Time, PacketId, DropReason)> {
    found(net, |at, _, line| match *line {
        Line::Dropped { packet, reason } => Some((at, packet, reason)),
        _ => None,
    })
}

/// Held packets that machines let go on.
fn forwarded(net: &Net) -> Vec<(PacketId, NodeId)> {
    found(net, |_, _, line| match *line {
        Line::Forwarded { packet, next_hop } => Some((packet, next_hop)),
        _ => None,
    })
}

/// Neighbours for which the interface queues of nodes were asked.
fn recalled(net: &Net) -> Vec<(u32, NodeId)> {
    found(net, |_, node, line| match *line {
        Line::Recall(next_hop) => Some((node, next_hop)),
        _ => None,
    })
}

fn ns2() -> DsdvConfig {
    DsdvConfig::set("ns2").expect("a set")
}

#[test]
fn a_chain_learns_its_ways() {
    let mut net = Net::chain(5, &DsdvConfig::default());
    net.run(secs(120));
    assert_eq!(net.path(0, 4), Some(vec![0, 1, 2, 3, 4]));
    assert_eq!(net.path(4, 0), Some(vec![4, 3, 2, 1, 0]));
}

#[test]
fn full_updates_come_within_their_interval() {
    let mut net = Net::chain(2, &DsdvConfig::default());
    net.run(secs(300));
    let updates = updates(&net);
    let full: Vec<_> = updates.iter().filter(|u| u.1 == 0 && u.2.entries[0].dst == NodeId(0)).map(|u| u.0).collect();
    let gaps: Vec<_> = full.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.len() >= 19, "{gaps:?}");
    assert!(gaps.iter().all(|&gap| (Span::from_millis(11_250)..=Span::from_secs(15)).contains(&gap)), "{gaps:?}");
    assert_eq!(updates.last().map(|u| u.2.bytes(0)), Some(24), "12 bytes for each destination");
}

#[test]
fn a_new_distance_is_reported_after_settling() {
    let mut net = Net::chain(3, &DsdvConfig::default());
    net.run(secs(60));
    let updates = updates(&net);
    let reports = |u: &&(Time, u32, &DsdvUpdate)| u.1 == 1 && u.2.entries.iter().any(|e| e.dst == NodeId(0));
    let reported = updates.iter().find(reports).expect("reported").0;
    let received = updates.iter().find(|u| u.1 == 0).expect("an update of node 0").0;
    assert!(reported >= received + Span::from_secs(12), "twice 6 s after {received:?}, not at {reported:?}");
    assert!(reported <= received + Span::from_millis(12_000 + 1_011), "at most the gap later: {reported:?}");
}

#[test]
fn a_silent_neighbour_is_lost_after_three_intervals_and_found_again() {
    let mut net = Net::chain(3, &ns2());
    net.run(secs(120));
    net.set_link(1, 2, false);
    net.run(secs(120 + 28));
    assert_eq!(net.path(1, 2), Some(vec![1, 2]), "15 s without update at most, then 45 s");
    net.run(secs(120 + 46));
    assert_eq!(net.path(1, 2), None);
    net.run(secs(190));
    assert_eq!(net.path(0, 2), None, "the loss has spread");
    net.set_link(1, 2, true);
    net.run(secs(240));
    assert_eq!(net.path(0, 2), Some(vec![0, 1, 2]));
}

/// When each node but 0 has lost its route to 0, after node 1 of a chain lost the link at 200 s.
fn loss_known_at(cfg: &DsdvConfig) -> Vec<Option<Span>> {
    let cfg = DsdvConfig { link_layer_detection: true, ..cfg.clone() };
    let mut net = Net::chain(5, &cfg);
    net.run(secs(200));
    assert_eq!(net.path(4, 0), Some(vec![4, 3, 2, 1, 0]));
    net.set_link(0, 1, false);
    net.give_up(1, 0);
    let mut known = vec![None; 4];
    net.run_checked(secs(230), |net| {
        for (node, at) in (1..).zip(&mut known) {
            if at.is_none() && net.nodes[node].next_hop(NodeId(0), net.now).is_none() {
                *at = Some(net.now - secs(200));
            }
        }
    });
    known
}

#[test]
fn a_loss_is_passed_on_at_once_or_with_the_next_update() {
    let at_once = loss_known_at(&DsdvConfig::default());
    // Each node advertises it as soon as its last update is `trigger_gap` ago.
    assert!(at_once.iter().all(|at| at.is_some_and(|at| at < Span::from_millis(3 * 1_011))), "{at_once:?}");
    let later = loss_known_at(&ns2());
    assert!(later[1].is_some_and(|at| at < Span::from_millis(1_011)), "the node at the break advertises it: {later:?}");
    assert!(later[2].is_none_or(|at| at > Span::from_secs(2)), "its neighbour waits for its next update: {later:?}");
}

#[test]
fn a_mac_failure_counts_only_when_asked_for() {
    let mut net = Net::chain(2, &ns2());
    net.run(secs(60));
    let packet = net.give_up(0, 1);
    assert_eq!(net.path(0, 1), Some(vec![0, 1]));
    assert_eq!(dropped(&net), [(secs(60), packet, DropReason::LinkFailed)]);
    assert_eq!(recalled(&net), []);
    let mut net = Net::chain(2, &DsdvConfig { link_layer_detection: true, ..DsdvConfig::default() });
    net.run(secs(60));
    let packets = [net.give_up(0, 1), net.give_up(0, 1)];
    assert_eq!((net.path(0, 1), net.held(0)), (None, 2));
    assert_eq!(recalled(&net), [(0, NodeId(1))], "what the queue holds for it is asked for once");
    // Node 1 hears of its own loss and says at once that it is there.
    net.run(secs(63));
    assert_eq!(forwarded(&net), packets.map(|packet| (packet, NodeId(1))));
    assert_eq!(packets.map(|packet| net.place(packet)), [Place::Delivered; 2]);
}

#[test]
fn five_packets_wait_for_a_route() {
    let mut net = Net::chain(2, &DsdvConfig::default());
    let packets: Vec<_> = (0..7).map(|_| net.send_at(Time::ZERO, 0, 1)).collect();
    let other = net.send_at(Time::ZERO, 0, 9);
    net.run(Time::ZERO);
    assert_eq!(net.place(other), Place::HeldBy(NodeId(0)), "another destination has its own five");
    let full = |packet| (Time::ZERO, packet, DropReason::RouteBufferFull);
    assert_eq!(dropped(&net), [full(packets[0]), full(packets[1])]);
    net.run(secs(20));
    assert_eq!(forwarded(&net).iter().map(|f| f.0).collect::<Vec<_>>(), packets[2..]);
    assert_eq!(net.held(0), 1);
}

#[test]
fn a_packet_waits_for_its_time_or_for_ever() {
    let mut net = Net::chain(2, &DsdvConfig::default());
    let packet = net.send_at(secs(3), 0, 9);
    net.run(secs(3_000));
    assert_eq!(dropped(&net), [(secs(33), packet, DropReason::RouteBufferTimeout)]);
    let mut net = Net::chain(2, &ns2());
    let packet = net.send_at(Time::ZERO, 0, 9);
    net.run(secs(3_000));
    assert_eq!(net.place(packet), Place::HeldBy(NodeId(0)));
    assert_eq!((dropped(&net), net.held(0)), (vec![], 1));
}

#[test]
fn a_packet_that_comes_back_is_lost() {
    let mut net = Net::chain(2, &DsdvConfig::default());
    net.run(secs(60));
    let back = Query { packet: PacketId(7), src: NodeId(0), dst: NodeId(1), prev: Some(NodeId(1)), source_route: None };
    assert_eq!(net.input(0, |dsdv, cx| dsdv.route(&back, cx)), RouteAnswer::Drop(DropReason::Loop));
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn distances_never_loop(
        case in cases(6, [100, 5_000, 20_000], 0.8, 5..80),
        link_layer_detection in any::<bool>(),
        trigger in prop::sample::select(vec![DsdvTrigger::BetterRoute, DsdvTrigger::NewDistance, DsdvTrigger::NewNumber]),
    ) {
        let cfg = DsdvConfig { link_layer_detection, trigger, ..DsdvConfig::default() };
        let mut net = Net::new(6, &cfg, case.seed);
        let end = case.plan(&mut net) + Span::from_secs(60);
        net.run_checked(end, |net| {
            nothing_leaks(net);
            no_loop(net);
        });
    }
}

#[test]
fn a_shorter_way_over_the_same_neighbour_is_noted() {
    let mut net = Net::chain(4, &DsdvConfig::default());
    net.run(secs(100));
    net.link_at(secs(100), 1, 3, true);
    net.run(secs(200));
    assert_eq!(net.path(0, 3), Some(vec![0, 1, 3]));
    let shorter = RoutingNote::HopsChanged { dst: NodeId(3), next_hop: NodeId(1), hops: 2 };
    assert!(net.noted(0, shorter).is_some_and(|at| at > secs(100)), "{:?}", net.notes(0));
}
