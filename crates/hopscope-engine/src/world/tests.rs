//! What the world hands on between machines.

use crate::config::{Outage, WireConfig, presets};
use crate::record::NullRecorder;
use crate::world::World;
use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_net::routing::{RouteLoss, RoutingEffect, RoutingNote};
use hopscope_packet::{Body, Packet, PathOption};
use hopscope_tcp::endpoint::PathEvent;
use hopscope_transport::sockets::FIRST_DYNAMIC;

/// Two hops with one datagram every 50 ms.
fn chain() -> World<NullRecorder> {
    let nodes = vec![[0.0, 0.0], [200.0, 0.0], [400.0, 0.0]];
    let base = presets::base("standard", "wavelan-2M").expect("a profile");
    let mut config = base.clone().config(nodes, Span::from_secs(2));
    let flow = serde_json::json!({
        "from": 0, "to": 2, "transport": "udp", "app": {"kind": "cbr", "rate": 160_000.0}, "packet": 1000,
        "max_window": 4, "start": 0, "ack": "every", "ack_delay": 1, "tcp": base.tcp,
    });
    config.flows.push(serde_json::from_value(flow).expect("a flow"));
    World::new(&config, NullRecorder).expect("a sound scenario")
}

#[test]
fn a_packet_that_asks_learns_of_its_way_at_each_hop() {
    let mut world = chain();
    world.run_until(Time::ZERO + Span::from_millis(1));
    let id = PacketId(0);
    let packet = world.packets.get_mut(id);
    assert_eq!((packet.flow, packet.ports.from, packet.path), (FlowId(0), FIRST_DYNAMIC, None), "nobody has asked");
    let begun = packet.sent;
    packet.path = Some(PathOption::new(begun));
    // Its copy at the relay, on its second hop.
    let relayed = (0..250).find_map(|step| {
        world.run_until(begun + Span::from_micros(100 * step));
        if world.packets.live() < 2 {
            return None;
        }
        let copy = *world.packets.get(PacketId(1));
        (copy.hops == 1).then_some(copy)
    });
    let path = relayed.and_then(|packet| packet.path).expect("what it has learnt");
    assert!(path.largest_delay() > Span::from_millis(4), "a frame of 1000 bytes at 2 Mbit/s: {path:?}");
    assert_eq!(path.non_collision(), 1.0, "alone on the air");
    assert_eq!(world.wifi[NodeId(0)].mac.attempts().retries, 0);
}

#[test]
fn a_wire_reports_nothing_of_the_radio_next_to_it() {
    // 3 ~ 0 = 1 ~ 2: a wire between two radio cells, and node 2 is off, so that the radio of node 1 only repeats itself.
    let nodes = vec![[0.0, 0.0], [5_000.0, 0.0], [5_200.0, 0.0], [200.0, 0.0]];
    let base = presets::base("standard", "wavelan-2M").expect("a profile");
    let mut config = base.clone().config(nodes, Span::from_secs(2));
    config.wires.push(WireConfig::between([0, 1], 10_000_000, Span::from_millis(1), 50));
    config.outages.push(Outage { node: 2, from: Time::ZERO, to: None });
    for to in [2, 3] {
        let flow = serde_json::json!({
            "from": 1, "to": to, "transport": "udp", "app": {"kind": "cbr", "rate": 160_000.0}, "packet": 1000,
            "max_window": 4, "start": 0, "ack": "every", "ack_delay": 1, "tcp": base.tcp,
        });
        config.flows.push(serde_json::from_value(flow).expect("a flow"));
    }
    let mut world = World::new(&config, NullRecorder).expect("a sound scenario");
    world.run_until(Time::ZERO + Span::from_secs(1));
    assert!(world.wifi[NodeId(1)].mac.attempts().retries > 0, "nobody answers");
    let mut packet = Packet::new(NodeId(1), NodeId(3), 1000, 9, Body::Opaque { number: 0 }, world.now);
    packet.path = Some(PathOption::new(world.now));
    let id = world.packets.insert(packet);
    world.forward(NodeId(1), id);
    world.run_until(world.now + Span::from_millis(3));
    let relayed = *world.packets.get(id);
    let path = relayed.path.expect("what it has learnt");
    assert_eq!(
        (relayed.prev_hop, relayed.hops, path.non_collision()),
        (NodeId(1), 1, 1.0),
        "nothing collides on a wire"
    );
    assert!(path.largest_delay() > Span::from_millis(1), "its delay counts: {path:?}");
}

/// Three nodes in a row with a source at the first that fills its queue with datagrams for the last, and a node apart.
fn saturated() -> World<NullRecorder> {
    let nodes = vec![[0.0, 0.0], [200.0, 0.0], [400.0, 0.0], [5_000.0, 0.0]];
    let base = presets::base("standard", "wavelan-2M").expect("a profile");
    let mut config = base.clone().config(nodes, Span::from_secs(2));
    let flow = serde_json::json!({
        "from": 0, "to": 2, "transport": "udp", "app": {"kind": "bulk"}, "packet": 1000,
        "max_window": 4, "start": 0, "ack": "every", "ack_delay": 1, "tcp": base.tcp,
    });
    config.flows.push(serde_json::from_value(flow).expect("a flow"));
    World::new(&config, NullRecorder).expect("a sound scenario")
}

#[test]
fn a_source_hears_what_became_of_its_packet() {
    let mut world = saturated();
    let now = world.now;
    let packet = |to: u32| Packet::new(NodeId(0), NodeId(to), 1000, 9, Body::Opaque { number: 0 }, now);
    assert_eq!(world.originate(packet(3)), PathEvent::NoRoute);
    let reported: Vec<_> = (0..60).map(|_| world.originate(packet(2))).collect();
    let taken = reported.iter().take_while(|event| **event == PathEvent::Queued).count();
    assert_eq!(taken, 51, "one at the MAC, fifty in the queue");
    assert!(reported[taken..].iter().all(|event| *event == PathEvent::Refused), "{reported:?}");
}

#[test]
fn the_end_of_a_route_reaches_the_sockets_whose_path_it_was() {
    let base = presets::base("standard", "wavelan-2M").expect("a profile");
    let mut config = base.clone().config(vec![[0.0, 0.0], [200.0, 0.0], [400.0, 0.0]], Span::from_secs(2));
    for to in [1, 2, 2] {
        let flow = serde_json::json!({
            "from": 0, "to": to, "transport": "tcp", "app": {"kind": "bulk"}, "packet": 1000,
            "max_window": 4, "start": 0, "ack": "every", "ack_delay": 1, "tcp": base.tcp,
        });
        config.flows.push(serde_json::from_value(flow).expect("a flow"));
    }
    let mut world = World::new(&config, NullRecorder).expect("a sound scenario");
    let note = RoutingNote::RouteDown { dst: NodeId(2), cause: RouteLoss::LinkLost };
    world.routing_effect(NodeId(0), RoutingEffect::Note(note));
    world.work_off();
    let failures = [0, 1, 2].map(|flow| world.sender(&world.flows[flow]).expect("TCP").stats().route_failures);
    assert_eq!(failures, [0, 1, 1], "only those whose data goes to node 2");
}
