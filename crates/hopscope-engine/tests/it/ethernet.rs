//! Ethernet frames at the doors of nodes: they go over one hop, come out at every receiver of theirs, and the run pauses there.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::config::HostConfig;
use hopscope_engine::record::{DropReason, NullRecorder, TrajectoryHash};
use hopscope_engine::world::{Arrival, Doorkeeper, Loss};
use hopscope_engine::{Config, Simulation, World};

use crate::support::{busy_field, chain, take_arrived};

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// A frame of `bytes` bytes behind its header, marked by `mark`.
fn frame(mark: u8, bytes: usize) -> Vec<u8> {
    let mut octets = vec![mark; 14 + bytes];
    // IPv4.
    octets[12..14].copy_from_slice(&[8, 0]);
    octets
}

fn world(config: &Config) -> World<Doorkeeper> {
    World::new(config, Doorkeeper::default()).expect("a sound scenario")
}

fn take(world: &mut World<Doorkeeper>) -> Doorkeeper {
    world.observe(|keeper, _, _| keeper.take())
}

#[test]
fn a_frame_goes_over_one_hop_as_any_packet_of_its_size() {
    for profile in ["standard", "ns2"] {
        let mut world = world(&chain(profile, 3, 1));
        world.run_until(ms(10));
        let number = world.offer_frame(NodeId(1), NodeId(2), &frame(7, 1_000), 0).expect("a neighbour");
        world.run_until(ms(500));
        let arrived = take_arrived(&mut world);
        let Arrival { at, node, from, hops, is_broadcast, .. } = arrived[0];
        assert_eq!((arrived.len(), node, from, hops, is_broadcast), (1, NodeId(2), NodeId(1), 1, false), "{profile}");
        assert_eq!((arrived[0].number, &*arrived[0].octets), (number, &frame(7, 1_000)[..]), "{profile}");
        // RTS, CTS and data behind DIFS or the idle medium; the header of Ethernet is not among the octets on the air.
        let data = 1_000 + 8 + 28;
        let least = Span::from_micros(352 + 10 + 304 + 10 + 192 + 4 * data - 200);
        assert!(at > ms(10) + least && at < ms(10) + least + Span::from_millis(2), "{profile}: {at:?}, {least:?}");
        assert_eq!(world.live_packets(), 0, "{profile}: nothing is kept");
    }
}

#[test]
fn its_time_on_the_air_is_that_of_a_packet_without_the_header() {
    let airtime = |send: &dyn Fn(&mut World<Doorkeeper>)| {
        let mut world = world(&chain("standard", 1, 1));
        world.run_until(ms(10));
        send(&mut world);
        world.run_until(ms(500));
        take_arrived(&mut world)[0].at
    };
    let offered = airtime(&|world| {
        world.offer_frame(NodeId(0), NodeId(1), &frame(1, 700), 0).expect("a neighbour");
    });
    let injected = airtime(&|world| {
        world.inject(NodeId(0), NodeId(1), &[1; 700]).expect("a way");
    });
    // Both draw the same back-off; only the packet from routing asks for an address first where ARP is on, as it is not here.
    assert_eq!(offered, injected);
}

#[test]
fn every_receiver_of_a_broadcast_has_its_arrival() {
    let mut world = world(&chain("standard", 4, 1));
    let number = world.offer_frame(NodeId(2), NodeId::BROADCAST, &frame(3, 100), 0).expect("a radio");
    world.run_until(ms(100));
    let keeper = take(&mut world);
    let mut nodes: Vec<u32> = keeper.arrived.iter().map(|arrival| arrival.node.0).collect();
    nodes.sort_unstable();
    // 250 m are reached: the two next ones of a chain with steps of 200 m.
    assert_eq!((nodes, keeper.sent, keeper.lost), (vec![1, 3], vec![number], vec![]));
    assert!(keeper.arrived.iter().all(|a| a.is_broadcast && a.number == number && *a.octets == frame(3, 100)));
    assert_eq!(world.live_packets(), 0);
}

#[test]
fn a_frame_of_qos_stations_comes_out_once() {
    let mut config = chain("standard", 1, 5);
    config.mac.qos = true;
    let mut world = world(&config);
    for mark in 0..20 {
        world.offer_frame(NodeId(0), NodeId(1), &frame(mark, 300), 46).expect("a neighbour");
    }
    world.offer_frame(NodeId(1), NodeId::BROADCAST, &frame(99, 300), 0).expect("a radio");
    world.run_until(ms(2_000));
    let marks: Vec<(u32, u8)> = take_arrived(&mut world).iter().map(|a| (a.node.0, a.octets[0])).collect();
    let expected: Vec<(u32, u8)> = (0..20).map(|mark| (1, mark)).collect();
    let (there, back): (Vec<_>, Vec<_>) = marks.into_iter().partition(|(node, _)| *node == 1);
    assert_eq!((there, back), (expected, vec![(0, 99)]), "in order, none twice");
    assert_eq!(world.live_packets(), 0);
}

#[test]
fn what_finds_no_room_or_no_answer_is_reported_with_its_reason() {
    let mut config = chain("standard", 1, 5);
    config.mac.queue = 3;
    // Out of everybody's reach.
    config.nodes.push([50_000.0, 0.0]);
    let mut world = world(&config);
    for mark in 0..6 {
        world.offer_frame(NodeId(0), NodeId(1), &frame(mark, 500), 0).expect("a neighbour");
    }
    let lost = take(&mut world).lost;
    let full = |number| Loss { at: Time::ZERO, node: NodeId(0), number, reason: DropReason::QueueFull };
    assert_eq!(lost, [full(4), full(5)], "one at the MAC, three wait");
    world.run_until(ms(1_000));
    assert_eq!(take_arrived(&mut world).iter().map(|a| a.number).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let number = world.offer_frame(NodeId(0), NodeId(2), &frame(9, 500), 0).expect("a node");
    world.run_until(ms(3_000));
    let keeper = take(&mut world);
    assert!(keeper.arrived.is_empty());
    assert_eq!(
        keeper.lost.iter().map(|l| (l.number, l.reason)).collect::<Vec<_>>(),
        [(number, DropReason::RetryLimit)]
    );
    assert_eq!(world.live_packets(), 0);
}

#[test]
fn a_routing_protocol_neither_takes_nor_learns_of_frames() {
    let mut config = chain("standard", 2, 60);
    config.routing.protocol = hopscope_engine::config::net::RoutingProtocol::Aodv;
    let mut world = world(&config);
    // Two hops away: AODV would find a way, the link layer does not look for one.
    let far = world.offer_frame(NodeId(0), NodeId(2), &frame(1, 100), 0).expect("a node");
    world.run_until(ms(5_000));
    let keeper = take(&mut world);
    assert_eq!(keeper.lost.iter().map(|l| (l.number, l.reason)).collect::<Vec<_>>(), [(far, DropReason::RetryLimit)]);
    assert_eq!(world.live_packets(), 0);
}

#[test]
fn a_run_pauses_where_something_comes_out_and_takes_the_answer_at_that_instant() {
    let config = chain("standard", 2, 5);
    let mut run = Simulation::observed(config, Doorkeeper::pausing()).expect("a sound scenario");
    run.offer_frame(NodeId(0), NodeId(1), &frame(1, 1_000), 0).expect("a neighbour");
    let mut path = Vec::new();
    while path.len() < 4 {
        run.advance(Span::from_secs(1));
        let now = run.world().now();
        let arrived = run.observe(|keeper, _, _| keeper.take().arrived);
        let arrival = arrived.first().expect("it pauses for an arrival alone");
        assert_eq!((arrived.len(), arrival.at), (1, now));
        path.push((arrival.node.0, now));
        let next = [1, 2, 1, 0][path.len() % 4];
        run.offer_frame(arrival.node, NodeId(next), &frame(1, 1_000), 0).expect("a neighbour");
    }
    assert_eq!(path.iter().map(|(node, _)| *node).collect::<Vec<_>>(), [1, 2, 1, 0]);
    // Each hop waits for the ACK and a back-off of its own at most: nobody slept in between.
    for pair in path.windows(2) {
        let hop = pair[1].1.saturating_since(pair[0].1);
        assert!(hop < Span::from_millis(8), "{hop:?}");
    }
    // Nothing comes out any more once nobody answers.
    run.advance(Span::from_secs(1));
    run.observe(|keeper, _, _| keeper.take());
    let before = run.world().now();
    run.advance(Span::from_millis(300));
    assert_eq!(run.world().now(), before + Span::from_millis(300));
}

#[test]
fn the_next_event_is_known_also_where_it_is_the_end_of_a_sifs() {
    let mut world = world(&chain("standard", 1, 5));
    world.offer_frame(NodeId(0), NodeId(1), &frame(1, 1_000), 0).expect("a neighbour");
    let mut instants = Vec::new();
    while let Some(at) = world.next_event() {
        let (before, processed) = (world.now(), world.events());
        if at > before {
            // Nothing happens before it.
            world.run_until(Time(at.0 - 1));
            assert_eq!(world.events(), processed, "at {before:?}");
        }
        world.run_until(at);
        assert!(world.events() > processed, "at {at:?}");
        instants.push(at);
    }
    // SIFS before CTS, data and ACK at the least.
    assert!(instants.len() > 6, "{instants:?}");
    assert_eq!(take_arrived(&mut world).len(), 1);
}

#[test]
fn frames_that_are_only_possible_change_nothing() {
    // A run that is looked at event by event, whose nodes all listen, sends the frames that it sends anyway.
    let config = busy_field("standard", 3);
    let plain = hopscope_engine::simulation::trajectory(&config, false).expect("a sound scenario");
    let mut world = World::new(&config, (TrajectoryHash::default(), Doorkeeper::pausing())).expect("a sound scenario");
    while let Some(at) = world.next_event().filter(|at| *at <= config.duration) {
        world.run_until(at);
    }
    assert_eq!(world.recorder().0.0, plain);
}

#[test]
fn what_cannot_be_offered_is_named() {
    let mut config = chain("standard", 2, 1);
    config.hosts = vec![HostConfig { wifi: false, ..HostConfig::of(&[2]) }];
    config.wires = vec![hopscope_engine::config::WireConfig::between([1, 2], 1_000_000, Span::from_millis(1), 5)];
    let mut world = World::new(&config, NullRecorder).expect("a sound scenario");
    let mut error = |node, to, octets: &[u8]| world.offer_frame(node, to, octets, 0).expect_err("refused").to_string();
    let good = frame(0, 100);
    assert_eq!(error(NodeId(7), NodeId(0), &good), "node: node 7 does not exist; nodes are 0 to 2");
    assert_eq!(error(NodeId(0), NodeId(9), &good), "to: node 9 does not exist; nodes are 0 to 2");
    assert_eq!(error(NodeId(2), NodeId(1), &good), "node: node 2 has no radio");
    assert_eq!(error(NodeId(1), NodeId(1), &good), "to: node 1 has no link to itself");
    assert_eq!(error(NodeId(0), NodeId(1), &good[..14]), "frame: found 14; allowed are 15 to 2310 octets");
    assert_eq!(error(NodeId(0), NodeId(1), &[0; 2_400]), "frame: found 2400; allowed are 15 to 2310 octets");
}
