//! Who says what when: HELLOs, relays and TC messages on small networks.

use crate::config::olsr::{OlsrConfig, TcTrigger};
use crate::routing::tests::net::{FRAME, Line, Net, ms};
use crate::routing::{RouteLoss, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time, TimeCode};
use hopscope_packet::olsr::{
    Hello, HelloLink, LinkCode, LinkType, NeighbourType, OlsrBody, OlsrMessage, OlsrPacket, Tc,
};
use hopscope_packet::routing::RoutingMessage;

fn plain() -> OlsrConfig {
    OlsrConfig::set("olsr-unik").expect("a set")
}

fn listed(hello: &Hello, node: u32) -> Option<(LinkType, NeighbourType)> {
    hello.links.iter().find(|l| l.node == NodeId(node)).map(|l| (l.code.link, l.code.neighbour))
}

fn nodes(list: &[u32]) -> Vec<NodeId> {
    list.iter().map(|&n| NodeId(n)).collect()
}

#[test]
fn two_nodes_meet_in_three_hellos() {
    let mut net = Net::chain(2, &plain());
    net.run(ms(10_000));
    let (of_0, of_1) = (net.hellos(0), net.hellos(1));
    // Whoever speaks first (a) is heard, answered as heard by the other one (b), and answers as symmetric.
    let (a, b, of_a, of_b) = if of_0[0].0 < of_1[0].0 { (0, 1, of_0, of_1) } else { (1, 0, of_1, of_0) };
    assert_eq!(listed(&of_a[0].1, b), None);
    assert_eq!(listed(&of_b[0].1, a), Some((LinkType::Asymmetric, NeighbourType::Not)));
    let second = of_a.iter().find(|h| h.0 > of_b[0].0).expect("another HELLO");
    assert_eq!(listed(&second.1, b), Some((LinkType::Symmetric, NeighbourType::Symmetric)));
    // The route is noted within 100 ms of the HELLO that made the link symmetric.
    let up = |dst| RoutingNote::RouteUp { dst: NodeId(dst), next_hop: NodeId(dst), hops: 1 };
    let later = Span::from_millis(100);
    assert_eq!(net.noted(a, up(b)), Some(of_b[0].0 + FRAME + later));
    assert_eq!(net.noted(b, up(a)), Some(second.0 + FRAME + later));
}

#[test]
fn packets_do_not_wait_for_the_records() {
    let mut net = Net::chain(2, &plain());
    while net.path(0, 1).is_none() {
        net.run(net.now + FRAME);
    }
    let now = net.now;
    assert_eq!(net.noted(0, RoutingNote::RouteUp { dst: NodeId(1), next_hop: NodeId(1), hops: 1 }), Some(now));
    let received = net.hellos(1).into_iter().map(|h| h.0 + FRAME).find(|&at| at <= now && now - at < FRAME);
    assert!(received.is_some(), "the route was there as soon as the HELLO was heard");
}

#[test]
fn intervals_are_cut_short_by_at_most_the_jitter() {
    let mut net = Net::chain(3, &plain());
    net.run(ms(60_000));
    let gaps = |times: Vec<_>| -> Vec<Span> { times.windows(2).map(|pair: &[_]| pair[1] - pair[0]).collect() };
    let hello = gaps(net.hellos(0).into_iter().map(|h| h.0).collect());
    let tc = gaps(net.tcs(1).into_iter().map(|t| t.0).collect());
    let within =
        |gaps: &[Span], low, high| gaps.iter().all(|g| (Span::from_millis(low)..=Span::from_millis(high)).contains(g));
    assert!(hello.len() > 30 && within(&hello, 1500, 2000), "{hello:?}");
    assert!(tc.len() >= 9 && within(&tc, 4500, 5000), "{tc:?}");
    assert!(hello.windows(2).any(|pair| pair[0] != pair[1]));
}

#[test]
fn inner_nodes_of_a_chain_are_relays_and_say_for_whom() {
    let mut net = Net::chain(5, &plain());
    net.run(ms(30_000));
    let last = net.hellos(1).pop().expect("HELLOs").1;
    assert_eq!(listed(&last, 0), Some((LinkType::Symmetric, NeighbourType::Symmetric)));
    assert_eq!(listed(&last, 2), Some((LinkType::Symmetric, NeighbourType::Mpr)));
    assert!(net.tcs(0).is_empty() && net.tcs(4).is_empty(), "the ends relay for nobody");
    for (node, selectors) in [(1, [0, 2]), (2, [1, 3]), (3, [2, 4])] {
        assert_eq!(*net.tcs(node).pop().expect("TC messages").1.advertised, nodes(&selectors));
    }
    assert_eq!(net.path(0, 4), Some(vec![0, 1, 2, 3, 4]));
    assert_eq!(net.path(4, 1), Some(vec![4, 3, 2, 1]));
}

#[test]
fn a_tc_message_goes_on_once_per_relay_with_its_hops_counted() {
    let mut net = Net::chain(5, &plain());
    net.run(ms(40_000));
    let generated = net.tcs(1).len();
    let of_1_at_3: Vec<_> = net.relayed(3).into_iter().filter(|&(at, _, hops)| at > ms(20_000) && hops == 2).collect();
    assert!(of_1_at_3.iter().all(|&(_, ttl, _)| ttl == 253));
    assert!(!of_1_at_3.is_empty() && of_1_at_3.len() <= generated);
    assert!(net.relayed(0).is_empty() && net.relayed(4).is_empty(), "only relays carry on");
    // Each relay keeps a message for at most the jitter.
    let sent: Vec<_> = net.tcs(2).into_iter().map(|t| t.0).filter(|&at| at > ms(20_000)).collect();
    for at in sent {
        let next = net.relayed(3).into_iter().find(|&(on, _, hops)| on > at && hops == 1).expect("carried on");
        assert!(next.0 - at <= Span::from_millis(500) + FRAME);
    }
}

#[test]
fn in_a_ring_only_the_first_copy_goes_on() {
    let mut net = Net::new(6, &plain(), 3);
    for i in 0..6 {
        net.set_link(i, (i + 1) % 6, true);
    }
    net.run(ms(60_000));
    let messages = |net: &Net| (0..6).map(|n| net.tcs(n).iter().filter(|t| t.0 > ms(30_000)).count()).sum::<usize>();
    let relayed = (0..6).map(|n| net.relayed(n).iter().filter(|r| r.0 > ms(30_000)).count()).sum::<usize>();
    // Every node but the originator carries each message on once, those at the edges of the time window excepted.
    let (messages, relayed) = (messages(&net) as f64, relayed as f64);
    assert!((relayed / messages - 5.0).abs() < 0.6, "{relayed} of {messages}");
}

#[test]
fn a_neighbour_is_lost_six_seconds_after_its_last_hello() {
    let mut net = Net::chain(3, &plain());
    net.run(ms(20_000));
    let last = net.hellos(1).pop().expect("HELLOs").0;
    let of_1 = net.tcs(1);
    let ansn = of_1.last().expect("TC messages").1.ansn;
    net.set_link(0, 1, false);
    net.run(ms(40_000));
    let lost = last + FRAME + Span::from_secs(6);
    assert_eq!(net.noted(0, RoutingNote::LinkLost { neighbour: NodeId(1) }), Some(lost));
    assert!(net.log.contains(&(lost, 0, Line::Flush(NodeId(1)))), "the queue is flushed");
    assert_eq!((net.path(0, 1), net.path(0, 2)), (None, None));
    for dst in [1, 2] {
        let down = RoutingNote::RouteDown { dst: NodeId(dst), cause: RouteLoss::LinkLost };
        assert_eq!(net.noted(0, down), Some(lost + Span::from_millis(100)));
    }
    // On the other side node 1 loses a selector, says so early, and has nobody left: 2 needs no relay any more.
    let lost = net.noted(1, RoutingNote::LinkLost { neighbour: NodeId(0) }).expect("lost");
    let early = net.tcs(1).into_iter().find(|t| t.0 >= lost).expect("a TC message");
    assert!(early.0 - lost <= Span::from_millis(1500), "{:?}", early.0 - lost);
    assert_eq!((early.1.ansn, &*early.1.advertised), (ansn.wrapping_add(1), &nodes(&[2])[..]));
    let hello = net.hellos(0).into_iter().rfind(|h| h.0 > lost).expect("a HELLO").1;
    assert_eq!(listed(&hello, 1), None, "forgotten after another hold time");
}

#[test]
fn a_relay_nobody_needs_says_so_for_a_hold_time() {
    let mut net = Net::chain(3, &plain());
    net.run(ms(20_000));
    net.set_link(0, 1, false);
    net.run(ms(60_000));
    let of_1 = net.tcs(1);
    let (last_full, _) = of_1.iter().rfind(|t| !t.1.advertised.is_empty()).expect("TC messages");
    let empty: Vec<_> = of_1.iter().filter(|t| t.1.advertised.is_empty()).map(|t| t.0).collect();
    assert!(empty.len() >= 2 && empty.iter().all(|&at| at > *last_full && at - *last_full < Span::from_secs(15)));
    assert!(net.now - *empty.last().expect("one") > Span::from_secs(10), "then it is silent");
}

#[test]
fn early_tc_messages_come_as_configured() {
    let first_after_change = |tc_trigger| {
        let mut net = Net::chain(3, &OlsrConfig { tc_trigger, tc_interval: Span::from_secs(12), ..plain() });
        net.run(ms(60_000));
        // A fourth node appears at the end: 2 becomes a relay of 1 and 3.
        let mut bigger = Net::chain(4, &OlsrConfig { tc_trigger, tc_interval: Span::from_secs(12), ..plain() });
        bigger.set_link(2, 3, false);
        bigger.run(ms(60_000));
        bigger.set_link(2, 3, true);
        bigger.run(ms(80_000));
        let chosen = |h: &Hello| listed(h, 2).is_some_and(|l| l.1 == NeighbourType::Mpr);
        let since = bigger.hellos(1).into_iter().find(|h| h.0 > ms(60_000) && chosen(&h.1)).expect("chosen").0;
        bigger.tcs(2).into_iter().find(|t| t.0 > since).expect("a TC message").0 - since
    };
    assert!(first_after_change(TcTrigger::Change) <= Span::from_millis(501));
    assert!(first_after_change(TcTrigger::Loss) > Span::from_secs(1));
    assert_eq!(first_after_change(TcTrigger::Loss), first_after_change(TcTrigger::Never));
}

#[test]
fn tc_messages_list_more_where_reported() {
    let advertised = |change: &dyn Fn(&mut OlsrConfig)| {
        // Node 1 has neighbours 0, 2 and 3; 4 hangs behind 2. Relays of 1: 2. It is the relay of 0, 2 and 3.
        let mut cfg = plain();
        change(&mut cfg);
        let mut net = Net::of(&[plain(), cfg, plain(), plain(), plain()], 1);
        for (a, b) in [(0, 1), (1, 2), (1, 3), (2, 3), (2, 4)] {
            net.set_link(a, b, true);
        }
        net.run(ms(30_000));
        net.tcs(1).pop().map(|t| t.1.advertised.iter().map(|n| n.0).collect::<Vec<_>>())
    };
    assert_eq!(advertised(&|_| ()), Some(vec![0, 2, 3]));
    assert_eq!(advertised(&|cfg| cfg.tc_redundancy = 1), Some(vec![0, 2, 3]));
    assert_eq!(advertised(&|cfg| cfg.willingness = 0), None, "it relays for nobody");
    assert_eq!(advertised(&|cfg| (cfg.willingness, cfg.tc_redundancy) = (0, 2)), None);
}

#[test]
fn the_ends_of_a_chain_list_their_relay_or_all_neighbours_when_reported() {
    for (tc_redundancy, expected) in [(0, None), (1, Some(vec![NodeId(1)])), (2, Some(vec![NodeId(1)]))] {
        let mut net = Net::chain(3, &OlsrConfig { tc_redundancy, ..plain() });
        net.run(ms(30_000));
        assert_eq!(net.tcs(0).pop().map(|t| t.1.advertised.to_vec()), expected, "{tc_redundancy}");
    }
}

#[test]
fn under_fisheye_scope_few_tc_messages_go_far() {
    let cfg = OlsrConfig { fisheye: true, fisheye_hops: 2, ..plain() };
    let mut net = Net::chain(8, &cfg);
    net.run(ms(90_000));
    let of_3 = |by: u32| {
        let of_3 = |(_, message): &(Time, &OlsrMessage)| {
            message.origin == NodeId(3) && matches!(message.body, OlsrBody::Tc(_))
        };
        net.messages(by).into_iter().filter(of_3).collect::<Vec<_>>()
    };
    let sent = of_3(3);
    let far: Vec<Time> = sent.iter().filter(|(_, message)| message.ttl == 255).map(|(at, _)| *at).collect();
    // Three intervals of 4.5 to 5 s each; the first ones come as relays are chosen.
    let gaps = far.windows(2).skip(1).map(|at| at[1] - at[0]);
    assert!(gaps.clone().all(|gap| (Span::from_millis(13_500)..=Span::from_secs(15)).contains(&gap)), "{far:?}");
    assert!(far.len() >= 6 && sent.len() >= 3 * far.len() - 3, "{} of {}", far.len(), sent.len());
    let valid = |message: &OlsrMessage| (message.ttl, message.vtime.span() >= Span::from_secs(45));
    assert!(sent.iter().all(|(_, message)| [(255, true), (2, false)].contains(&valid(message))));
    // 4 hears all and carries them on, 5 those that go far.
    assert_eq!((of_3(4).len(), of_3(5).len()), (sent.len(), far.len()));
    assert!(net.path(7, 0).is_some(), "what went far is valid until the next");
}

fn packet(seq: u16, messages: impl IntoIterator<Item = (u32, u16, OlsrBody)>) -> OlsrPacket {
    let vtime = TimeCode::at_least(Span::from_secs(15));
    let message = |(origin, seq, body)| OlsrMessage { origin: NodeId(origin), seq, vtime, ttl: 255, hops: 0, body };
    OlsrPacket { seq, messages: messages.into_iter().map(message).collect() }
}

fn tc(ansn: u16, list: &[u32]) -> OlsrBody {
    OlsrBody::Tc(Tc { ansn, advertised: nodes(list).into(), qualities: None }.into())
}

fn hello(links: &[(LinkType, NeighbourType, u32)]) -> OlsrBody {
    let link = |&(link, neighbour, node)| HelloLink { code: LinkCode { link, neighbour }, node: NodeId(node) };
    let htime = TimeCode::at_least(Span::from_secs(2));
    OlsrBody::Hello(Hello { htime, willingness: 3, links: links.iter().map(link).collect(), qualities: None })
}

#[test]
fn tc_messages_of_strangers_are_ignored_and_those_of_other_relays_not_carried_on() {
    let mut net = Net::new(3, &plain(), 1);
    net.run(ms(5_000));
    net.deliver(0, 1, &packet(0, [(9, 1, tc(1, &[8]))]));
    assert_eq!(net.path(0, 8), None, "no symmetric link to 1");
    // 1 is a neighbour now; it did not choose 0 as relay.
    let meet = hello(&[
        (LinkType::Symmetric, NeighbourType::Symmetric, 0),
        (LinkType::Symmetric, NeighbourType::Symmetric, 9),
    ]);
    net.deliver(0, 1, &packet(1, [(1, 1, meet)]));
    net.deliver(0, 1, &packet(2, [(9, 1, tc(1, &[8]))]));
    assert_eq!(net.path(0, 9).map(|p| p[1]), None, "the way ends at 1, which is not there");
    assert_eq!(net.nodes[0].next_hop(NodeId(8), net.now), Some(NodeId(1)), "processed: it was not seen before");
    net.run(ms(6_000));
    assert_eq!(net.relayed(0), []);
    // Now it did; the message is known, another one is not.
    let choose = hello(&[(LinkType::Symmetric, NeighbourType::Mpr, 0)]);
    net.deliver(0, 1, &packet(3, [(1, 2, choose)]));
    net.deliver(0, 1, &packet(4, [(9, 1, tc(1, &[8])), (9, 2, tc(1, &[8]))]));
    net.run(ms(7_000));
    assert_eq!(net.relayed(0).len(), 1);
}

#[test]
fn what_waits_goes_together_in_packets_of_bounded_size() {
    let mut net = Net::new(2, &plain(), 1);
    net.deliver(0, 1, &packet(0, [(1, 1, hello(&[(LinkType::Symmetric, NeighbourType::Mpr, 0)]))]));
    // 100 messages of 12 + 4 + 20 bytes.
    net.deliver(0, 1, &packet(1, (0..100).map(|i| (50 + i, 1, tc(1, &[1, 2, 3, 4, 5])))));
    net.run(ms(600));
    let sizes: Vec<u32> = net
        .log
        .iter()
        .filter_map(|line| match line {
            (_, 0, Line::Sent { message: RoutingMessage::Olsr(packet), .. }) => Some(packet.bytes(0)),
            _ => None,
        })
        .collect();
    assert_eq!(net.relayed(0).len(), 100);
    assert!(sizes.iter().all(|&bytes| bytes <= 1472), "{sizes:?}");
    assert_eq!(sizes.iter().filter(|&&bytes| bytes > 1400).count(), 2, "{sizes:?}");
}

#[test]
fn a_shorter_way_over_the_same_neighbour_is_noted() {
    let mut net = Net::chain(4, &plain());
    net.run(ms(30_000));
    net.link_at(ms(30_000), 1, 3, true);
    net.run(ms(60_000));
    assert_eq!(net.path(0, 3), Some(vec![0, 1, 3]));
    let shorter = RoutingNote::HopsChanged { dst: NodeId(3), next_hop: NodeId(1), hops: 2 };
    assert!(net.noted(0, shorter).is_some_and(|at| at > ms(30_000)), "{:?}", net.notes(0));
}
