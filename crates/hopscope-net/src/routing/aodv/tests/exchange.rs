//! One machine and messages made by hand: freshness, duplicates, errors, limits.

use crate::config::aodv::AodvConfig;
use crate::routing::aodv::Aodv;
use crate::routing::tests::net::{cx, ms};
use crate::routing::{Lost, Query, RouteAnswer, RoutingEffect};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;
use hopscope_packet::aodv::{AodvMessage, Rerr, Rrep, Rreq};
use hopscope_packet::routing::RoutingMessage;

struct Bench {
    aodv: Aodv,
    rng: Stream,
}

impl Bench {
    /// Node 5.
    fn new(cfg: &AodvConfig) -> Self {
        let cfg = AodvConfig { broadcast_jitter: Span::ZERO, ..cfg.clone() };
        Bench { aodv: Aodv::new(NodeId(5), &cfg), rng: Stream::derive(1, 0, 5, Purpose::RoutingJitter) }
    }

    /// Messages sent in answer to one.
    fn hears(&mut self, at: Time, from: u32, message: AodvMessage) -> Vec<(Option<u32>, AodvMessage)> {
        let mut out = Vec::new();
        let mut cx = cx(at, &mut self.rng, &mut out);
        self.aodv.on_message(NodeId(from), 9, &message, &mut cx);
        messages(&out)
    }

    fn route(&mut self, at: Time, src: u32, dst: u32, prev: Option<u32>) -> (RouteAnswer, Vec<RoutingEffect>) {
        let mut out = Vec::new();
        let (packet, prev) = (PacketId(0), prev.map(NodeId));
        let query = Query { packet, src: NodeId(src), dst: NodeId(dst), prev, source_route: None };
        let answer = self.aodv.route(&query, &mut cx(at, &mut self.rng, &mut out));
        (answer, out)
    }

    /// The MAC gives up packet 3 from node 1, which has come `hops` hops.
    fn fails(&mut self, at: Time, next_hop: u32, dst: u32, hops: u8) -> Vec<RoutingEffect> {
        let mut out = Vec::new();
        let lost = Lost { packet: PacketId(3), src: NodeId(1), dst: NodeId(dst), hops, source_route: None };
        let mut cx = cx(at, &mut self.rng, &mut out);
        self.aodv.on_link_failure(NodeId(next_hop), Some(&lost), &mut cx);
        out
    }

    fn next_hop(&self, at: Time, dst: u32) -> Option<u32> {
        self.aodv.next_hop(NodeId(dst), at).map(|n| n.0)
    }
}

fn messages(out: &[RoutingEffect]) -> Vec<(Option<u32>, AodvMessage)> {
    let message = |effect: &RoutingEffect| match *effect {
        RoutingEffect::Unicast { message: RoutingMessage::Aodv(message), to, .. } => Some((Some(to.0), message)),
        RoutingEffect::Broadcast { message: RoutingMessage::Aodv(message), .. } => Some((None, message)),
        _ => None,
    };
    out.iter().filter_map(message).collect()
}

fn rreq(origin: u32, origin_seq: u32, id: u32, dst: u32, dst_seq: Option<u32>, hops: u8) -> Rreq {
    let (origin, dst, asked) = (NodeId(origin), NodeId(dst), Time::ZERO);
    Rreq { origin, origin_seq, id, dst, dst_seq, hops, destination_only: false, gratuitous: false, asked }
}

fn rrep(dst: u32, dst_seq: u32, origin: u32, hops: u8) -> AodvMessage {
    let lifetime = Span::from_secs(6);
    AodvMessage::Rrep(Rrep { dst: NodeId(dst), dst_seq, origin: NodeId(origin), hops, lifetime, asked: Time::ZERO })
}

fn rerr(listed: &[(u32, u32)]) -> AodvMessage {
    AodvMessage::Rerr(Rerr::new(&listed.iter().map(|&(node, seq)| (NodeId(node), seq)).collect::<Vec<_>>()))
}

#[test]
fn a_request_is_passed_on_once_with_the_freshest_number_known() {
    let mut node = Bench::new(&AodvConfig { intermediate_reply: false, ..AodvConfig::default() });
    node.hears(ms(0), 4, rrep(9, 20, 5, 1));
    let request = rreq(1, 7, 1, 9, Some(12), 2);
    let passed = Rreq { hops: 3, dst_seq: Some(20), ..request };
    assert_eq!(node.hears(ms(1), 3, AodvMessage::Rreq(request)), [(None, AodvMessage::Rreq(passed))]);
    assert_eq!(node.hears(ms(2), 2, AodvMessage::Rreq(request)), []);
    assert_eq!(node.next_hop(ms(2), 1), Some(3), "the first copy made the way back");
}

#[test]
fn stale_and_longer_offers_are_refused() {
    let mut node = Bench::new(&AodvConfig::default());
    node.hears(ms(0), 4, rrep(9, 20, 5, 2));
    node.hears(ms(1), 3, rrep(9, 19, 5, 0));
    assert_eq!(node.next_hop(ms(1), 9), Some(4), "an older number loses, however short");
    node.hears(ms(2), 3, rrep(9, 20, 5, 2));
    assert_eq!(node.next_hop(ms(2), 9), Some(4), "an equal one must be shorter");
    node.hears(ms(3), 3, rrep(9, 20, 5, 1));
    assert_eq!(node.next_hop(ms(3), 9), Some(3));
    node.hears(ms(4), 2, rrep(9, 21, 5, 8));
    assert_eq!(node.next_hop(ms(4), 9), Some(2), "a fresher number wins, however long");
}

#[test]
fn a_node_answers_only_with_a_number_fresh_enough() {
    let mut node = Bench::new(&AodvConfig::default());
    node.hears(ms(0), 4, rrep(9, 20, 5, 2));
    let answers = node.hears(ms(1), 3, AodvMessage::Rreq(rreq(1, 7, 1, 9, Some(20), 0)));
    let [(Some(3), AodvMessage::Rrep(answer))] = answers[..] else { panic!("an answer: {answers:?}") };
    assert_eq!((answer.dst_seq, answer.hops), (20, 3));
    assert_eq!(answer.lifetime, Span::from_millis(5999), "what is left of the route's life");
    let answers = node.hears(ms(2), 3, AodvMessage::Rreq(rreq(1, 8, 2, 9, Some(21), 0)));
    assert!(matches!(answers[..], [(None, AodvMessage::Rreq(_))]), "{answers:?}");
    let answers = node.hears(ms(3), 4, AodvMessage::Rreq(rreq(2, 8, 1, 9, Some(20), 0)));
    assert!(matches!(answers[..], [(None, AodvMessage::Rreq(_))]), "its own next hop asks: {answers:?}");
}

#[test]
fn a_destination_raises_its_number_to_what_is_asked_for() {
    let mut node = Bench::new(&AodvConfig::default());
    let mut seq = |id, dst_seq| match node.hears(ms(0), 3, AodvMessage::Rreq(rreq(1, id, id, 5, dst_seq, 0)))[..] {
        [(Some(3), AodvMessage::Rrep(answer))] => answer.dst_seq,
        ref other => panic!("an answer: {other:?}"),
    };
    assert_eq!([seq(1, None), seq(2, Some(40)), seq(3, Some(30))], [1, 40, 40]);
}

#[test]
fn a_reply_goes_on_to_who_asked_and_makes_a_precursor() {
    let mut node = Bench::new(&AodvConfig::default());
    node.hears(ms(0), 3, AodvMessage::Rreq(rreq(1, 7, 1, 9, None, 1)));
    let sent = node.hears(ms(1), 4, rrep(9, 20, 1, 2));
    let [(Some(3), AodvMessage::Rrep(passed))] = sent[..] else { panic!("passed on: {sent:?}") };
    assert_eq!(passed.hops, 3);
    assert_eq!(node.hears(ms(2), 4, rerr(&[(9, 21)])), [(Some(3), rerr(&[(9, 21)]))]);
}

#[test]
fn errors_count_only_from_the_next_hop() {
    let mut node = Bench::new(&AodvConfig::default());
    node.hears(ms(0), 4, rrep(9, 20, 5, 2));
    node.hears(ms(1), 3, rerr(&[(9, 21)]));
    assert_eq!(node.next_hop(ms(1), 9), Some(4));
    assert_eq!(node.hears(ms(2), 4, rerr(&[(9, 21)])), [], "no precursor, no error");
    assert_eq!(node.next_hop(ms(2), 9), None);
    node.hears(ms(3), 3, rrep(9, 20, 5, 0));
    assert_eq!(node.next_hop(ms(3), 9), None, "the number in the error bars older routes");
}

#[test]
fn a_packet_without_route_is_reported_to_who_sent_it() {
    let mut node = Bench::new(&AodvConfig::default());
    let (answer, out) = node.route(ms(0), 1, 9, Some(3));
    assert_eq!(answer, RouteAnswer::Drop(DropReason::NoRoute));
    assert_eq!(messages(&out), [(Some(3), rerr(&[(9, 0)]))]);
    let (answer, out) = node.route(ms(1), 5, 9, Some(3));
    assert_eq!((answer, out), (RouteAnswer::Drop(DropReason::Loop), vec![]));
}

#[test]
fn at_most_ten_errors_leave_per_second() {
    let mut node = Bench::new(&AodvConfig::default());
    let errors = |node: &mut Bench, at| messages(&node.route(ms(at), 1, 9, Some(3)).1).len();
    assert_eq!((0..15).map(|at| errors(&mut node, at)).sum::<usize>(), 10);
    assert_eq!(errors(&mut node, 999), 0);
    assert_eq!(errors(&mut node, 1000), 1);
}

#[test]
fn using_a_route_extends_its_whole_path() {
    let mut node = Bench::new(&AodvConfig::default());
    node.hears(ms(0), 3, AodvMessage::Rreq(rreq(1, 7, 1, 9, None, 1)));
    node.hears(ms(0), 4, rrep(9, 20, 1, 2));
    assert_eq!(node.route(ms(2900), 1, 9, Some(3)).0, RouteAnswer::Via(NodeId(4)));
    for at in [9, 4, 3, 1] {
        assert!(node.next_hop(ms(5899), at).is_some(), "node {at}");
    }
}

#[test]
fn more_than_eight_lost_destinations_take_two_errors() {
    let mut node = Bench::new(&AodvConfig::default());
    node.hears(ms(0), 3, AodvMessage::Rreq(rreq(1, 7, 1, 99, None, 1)));
    for dst in 10..20 {
        node.hears(ms(1), 4, rrep(dst, 20, 1, 2));
    }
    let out = node.fails(ms(2), 4, 10, 2);
    assert!(out.contains(&RoutingEffect::Drop { packet: PacketId(3), reason: DropReason::LinkFailed }));
    let counts: Vec<_> = messages(&out)
        .iter()
        .map(|(to, message)| match message {
            AodvMessage::Rerr(rerr) => (*to, rerr.unreachable().len()),
            other => panic!("only errors: {other:?}"),
        })
        .collect();
    // The neighbour itself is lost too, and its precursor is notified.
    assert_eq!(counts, [(Some(3), 8), (Some(3), 3)]);
}

#[test]
fn under_ns2_rules_a_route_under_repair_still_answers_and_carries_replies() {
    let mut node = Bench::new(&AodvConfig::set("ns2").expect("a listed set"));
    node.hears(ms(0), 4, rrep(9, 20, 5, 2));
    let out = node.fails(ms(7_300), 4, 9, 4);
    assert!(matches!(messages(&out)[..], [(None, AodvMessage::Rreq(_))]), "it is repaired: {out:?}");
    let answers = node.hears(ms(7_400), 3, AodvMessage::Rreq(rreq(1, 8, 1, 9, Some(20), 0)));
    let [(Some(3), AodvMessage::Rrep(answer))] = answers[..] else { panic!("an answer: {answers:?}") };
    // Trace: with the expiry set to 0 at 38.3 s the lifetime reads 4294967258, 2^32 - 38.
    assert_eq!((answer.dst_seq, answer.lifetime), (20, Span::from_secs((1 << 32) - 7)));
    let passed = node.hears(ms(7_500), 2, rrep(7, 30, 9, 0));
    assert!(matches!(passed[..], [(Some(4), AodvMessage::Rrep(_))]), "the way back to node 9: {passed:?}");
    // Carrying it has given the broken route ten seconds more; a time just past counts as none.
    let mut lifetime = |at, id: u32| {
        let asked = AodvMessage::Rreq(rreq(1, 8 + id, 1 + id, 9, Some(20), 0));
        match node.hears(ms(at), 3, asked)[..] {
            [(Some(3), AodvMessage::Rrep(answer))] => answer.lifetime,
            ref other => panic!("an answer: {other:?}"),
        }
    };
    let expected = [9, 0, (1 << 32) - 1].map(Span::from_secs);
    assert_eq!([lifetime(8_000, 1), lifetime(17_900, 2), lifetime(18_600, 3)], expected);
}
