//! Packets handed in from outside: they travel as any other and come out once, with their octets.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::radio::ErrorKind;
use hopscope_engine::record::Record;
use hopscope_engine::world::Doorkeeper;

use crate::support::{Log, chain, take_arrived};

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

#[test]
fn a_packet_crosses_three_hops_once_and_unchanged() {
    for profile in ["standard", "ns2"] {
        let mut world = World::new(&chain(profile, 3, 1), Doorkeeper::default()).expect("a sound scenario");
        world.run_until(ms(10));
        let octets: Vec<u8> = (0..1_000u32).map(|n| (n * 7 % 251) as u8).collect();
        let number = world.inject(NodeId(0), NodeId(3), &octets).expect("a way");
        assert!(take_arrived(&mut world).is_empty(), "{profile}: nothing arrives at once");
        world.run_until(ms(500));
        let arrived = take_arrived(&mut world);
        assert_eq!(arrived.len(), 1, "{profile}");
        let packet = &arrived[0];
        assert_eq!((packet.node, packet.from, packet.number), (NodeId(3), NodeId(0), number));
        assert_eq!(*packet.octets, octets[..], "{profile}: unchanged");
        // Three exchanges of RTS, CTS and data (1036 bytes), without any back-off and ACK of the last: the least there is.
        let least = 3 * (352 + 10 + 304 + 10 + 192 + 1_034 * 4);
        assert!(packet.at > ms(10) + Span::from_micros(least), "{profile}: {:?}", packet.at);
        assert!(packet.at < ms(60), "{profile}: {:?}", packet.at);
        assert!(take_arrived(&mut world).is_empty(), "{profile}: it is given out once");
    }
}

#[test]
fn lost_acks_do_not_make_two_packets_of_one() {
    let mut config = chain("standard", 3, 60);
    config.radio.error_kind = ErrorKind::Uniform;
    config.radio.error_per = 0.1;
    let mut world = World::new(&config, Doorkeeper::default()).expect("a sound scenario");
    let mut handles = Vec::new();
    for number in 0..200u64 {
        assert_eq!(world.inject(NodeId(0), NodeId(3), &[7; 500]).expect("a way"), number);
        world.run_until(ms((number + 1) * 200));
        handles.extend(take_arrived(&mut world).iter().map(|p| p.number));
    }
    world.run_until(config.duration);
    handles.extend(take_arrived(&mut world).iter().map(|p| p.number));
    assert!(handles.windows(2).all(|w| w[0] < w[1]), "in order, none twice: {handles:?}");
    assert!(handles.len() > 190, "{} of 200", handles.len());
}

#[test]
fn packets_of_both_directions_meet() {
    let mut world = World::new(&chain("ns2", 3, 5), Doorkeeper::default()).expect("a sound scenario");
    world.inject(NodeId(0), NodeId(3), &[1; 800]).expect("a way");
    world.inject(NodeId(3), NodeId(0), &[2; 800]).expect("a way");
    world.run_until(ms(5_000));
    let mut ends: Vec<(u32, u8)> = take_arrived(&mut world).iter().map(|p| (p.node.0, p.octets[0])).collect();
    ends.sort_unstable();
    // ARP may lose one of them to a collision of requests, but never both and never to the wrong end.
    assert!(!ends.is_empty() && ends.iter().all(|e| [(0, 2), (3, 1)].contains(e)), "{ends:?}");
}

#[test]
fn a_wrong_address_is_named() {
    let mut config = chain("standard", 3, 1);
    config.nodes.push([99_000.0, 0.0]);
    let mut world = World::new(&config, Doorkeeper::default()).expect("a sound scenario");
    let mut error =
        |node, dst| world.inject(NodeId(node), NodeId(dst), &[0; 100]).expect_err("no such way").to_string();
    assert_eq!(error(7, 0), "node: node 7 does not exist; nodes are 0 to 4");
    assert_eq!(error(0, 9), "dst: node 9 does not exist; nodes are 0 to 4");
    assert_eq!(error(0, 4), "dst: no way leads from node 0 to node 4");
    let error = world.inject(NodeId(0), NodeId(3), &[0; 3_000]).expect_err("too long").to_string();
    assert_eq!(error, "octets: found 3000; allowed are 1 to 2296 octets");
}

#[test]
fn a_way_that_is_found_for_a_packet_is_reported_once() {
    let mut world = World::new(&chain("standard", 3, 1), Log::default()).expect("a sound scenario");
    for _ in 0..2 {
        world.inject(NodeId(1), NodeId(3), &[1; 100]).expect("a way");
        world.inject(NodeId(0), NodeId(3), &[1; 100]).expect("a way");
    }
    let reported = world.recorder().0.iter().filter_map(|(_, record)| match *record {
        Record::RouteInstalled { node, dst, next_hop, hops } => Some((node.0, dst.0, next_hop.0, hops)),
        _ => None,
    });
    assert_eq!(reported.collect::<Vec<_>>(), [(1, 3, 2, 2), (2, 3, 3, 1), (0, 3, 1, 3)]);
}
