//! Who says what when under BATMAN_V, and which paths come of it.

use std::collections::BTreeMap;

use super::{BatmanV, onwards};
use crate::config::BatmanVConfig;
use crate::config::batman_v::UnknownThroughput;
use crate::routing::tests::net::{Line, Net, ms};
use crate::routing::{Cx, LinkEstimate, LinkLayer, Query, RouteAnswer, Router, RoutingEffect};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};
use hopscope_packet::batman::{BatmanMessage, Elp, Ogm2};
use hopscope_packet::routing::RoutingMessage;

/// Links of 100 Mbit/s without probes.
fn fast() -> BatmanVConfig {
    BatmanVConfig { throughput_override: Some(100_000_000), elp_probes: 0, ..BatmanVConfig::default() }
}

impl Net {
    fn batman_frames(&self, node: u32) -> Vec<(Time, &BatmanMessage, Option<u32>)> {
        let frame = |line: &'_ (Time, u32, Line)| line.1 == node && matches!(line.2, Line::Sent { .. });
        let of = |(at, _, line): &'_ (Time, u32, Line)| match line {
            Line::Sent { message: RoutingMessage::Batman(_), to, .. } => Some((*at, *to)),
            _ => None,
        };
        let lines = self.log.iter().filter(|line| frame(line));
        lines.filter_map(|line| Some((of(line)?, message(&line.2)?))).map(|((at, to), m)| (at, m, to)).collect()
    }

    fn throughput(&self, node: usize, dst: u32) -> u32 {
        match &self.nodes[node] {
            Router::BatmanV(batman) => batman.throughput(NodeId(dst)).unwrap_or(0),
            other => panic!("{other:?}"),
        }
    }
}

fn message(line: &Line) -> Option<&BatmanMessage> {
    match line {
        Line::Sent { message: RoutingMessage::Batman(message), .. } => Some(message),
        _ => None,
    }
}

#[test]
fn elp_messages_go_twice_a_second_and_ogms_once() {
    let mut net = Net::chain(2, &fast());
    net.run(ms(60_000));
    let mut last: BTreeMap<&str, Time> = BTreeMap::new();
    let mut gaps: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (at, message, _) in net.batman_frames(0) {
        if let Some(before) = last.insert(message.kind(), at) {
            gaps.entry(message.kind()).or_default().push((at - before).0 / 1_000_000);
        }
    }
    assert!(gaps["elp"].len() > 115 && gaps["elp"].iter().all(|gap| (480..=520).contains(gap)), "{gaps:?}");
    // Frames of OGMs go by a clock of 90 to 110 ms.
    assert!(gaps["ogm2"].len() >= 55 && gaps["ogm2"].iter().all(|gap| (860..=1130).contains(gap)), "{gaps:?}");
}

#[test]
fn the_first_hop_counts_in_full_and_each_further_one_half() {
    let mut net = Net::chain(5, &fast());
    net.run(ms(20_000));
    let found: Vec<u32> = (1..5).map(|dst| net.throughput(0, dst)).collect();
    assert_eq!(found, [1000, 500, 250, 125]);
    assert_eq!(net.path(0, 4), Some(vec![0, 1, 2, 3, 4]));
    let mut net = Net::chain(4, &BatmanVConfig { half_duplex: false, ..fast() });
    net.run(ms(20_000));
    // 1000 x 225/255 = 882, 882 x 225/255 = 778.
    assert_eq!((1..4).map(|dst| net.throughput(0, dst)).collect::<Vec<_>>(), [1000, 882, 778]);
}

#[test]
fn slow_paths_pay_the_hop_penalty_instead() {
    let cfg = BatmanVConfig::default();
    assert_eq!([1000, 12, 11, 10, 9, 1].map(|value| onwards(value, true, &cfg)), [500, 6, 5, 8, 7, 0]);
    // 30 of 255 less, by whichever radio.
    assert_eq!([1000, 10].map(|value| onwards(value, false, &cfg)), [882, 8]);
}

#[test]
fn an_ogm_goes_on_once_and_from_the_best_neighbour() {
    let mut net = Net::chain(4, &fast());
    net.run(ms(60_000));
    let of_0 = |node| {
        let frames = net.batman_frames(node);
        let ogms = frames.iter().filter_map(|(_, message, _)| match message {
            BatmanMessage::Ogm2(ogms) => Some(ogms.iter()),
            _ => None,
        });
        ogms.flatten().filter(|ogm| ogm.origin == NodeId(0)).copied().collect::<Vec<Ogm2>>()
    };
    let (own, first, second, end) = (of_0(0), of_0(1), of_0(2), of_0(3));
    assert!(own.len() >= 58 && own.len() - first.len() <= 3 && own.len() - second.len() <= 4);
    assert!(own.iter().all(|ogm| (ogm.ttl, ogm.throughput) == (50, u32::MAX)));
    assert!(second.iter().all(|ogm| ogm.ttl == 48));
    assert_eq!(end, [], "its only neighbour has it already");
    let mut seqs: Vec<u32> = first.iter().map(|ogm| ogm.seq).collect();
    seqs.dedup();
    assert_eq!(seqs.len(), first.len());
}

#[test]
fn probes_go_to_neighbours_that_no_data_goes_to() {
    let mut net = Net::chain(3, &BatmanVConfig { elp_probes: 2, ..fast() });
    let data: Vec<PacketId> = (0..400).map(|n| net.send_at(ms(20_000 + 50 * n), 1, 2)).collect();
    net.run(ms(40_000));
    let probes = |to| {
        let frames = net.batman_frames(1);
        let to_it = frames.into_iter().filter(|frame| frame.2 == Some(to) && frame.0 > ms(21_000));
        to_it.map(|frame| frame.1.bytes()).collect::<Vec<u32>>()
    };
    let idle = probes(0);
    assert!((74..=80).contains(&idle.len()) && idle.iter().all(|&bytes| bytes == 200), "{idle:?}");
    assert!(probes(2).is_empty(), "data went there every 50 ms");
    assert!(data.iter().all(|&packet| net.place(packet) == crate::routing::tests::net::Place::Delivered));
}

/// Links as rate control knows them.
#[derive(Debug)]
struct Known(BTreeMap<u32, u64>);

impl LinkLayer for Known {
    fn radios(&self) -> u8 {
        1
    }

    fn estimate(&self, _interface: u8, neighbour: NodeId) -> LinkEstimate {
        let expected_throughput = self.0.get(&neighbour.0).copied();
        LinkEstimate { data_rate: 6_000_000, expected_throughput, ..LinkEstimate::default() }
    }
}

/// A machine that is given what it hears.
struct Bench {
    batman: BatmanV,
    rng: Stream,
    link: Known,
    now: Time,
}

impl Bench {
    fn new(cfg: &BatmanVConfig, known: &[(u32, u64)]) -> Self {
        let (rng, link) = (Stream::derive(1, 0, 0, Purpose::RoutingJitter), Known(known.iter().copied().collect()));
        let mut bench = Bench { batman: BatmanV::new(NodeId(0), cfg), rng, link, now: Time::ZERO };
        bench.input(|batman, cx| batman.start(cx));
        bench
    }

    fn input<T>(&mut self, input: impl FnOnce(&mut BatmanV, &mut Cx) -> T) -> (T, Vec<RoutingEffect>) {
        let mut out = Vec::new();
        let Bench { batman, rng, link, now } = self;
        let answer = input(batman, &mut Cx { now: *now, interface: 0, link, rng, out: &mut out });
        (answer, out)
    }

    /// Neighbours are there, and their links are known.
    fn meets(&mut self, neighbours: &[u32]) {
        for &node in neighbours {
            let elp = Elp { origin: NodeId(node), seq: 1, interval: Span::from_millis(500), padding: 0 };
            self.input(|batman, cx| batman.on_message(NodeId(node), &BatmanMessage::Elp(elp), cx));
        }
        self.input(|batman, cx| batman.say_elp(cx));
    }

    fn hears(&mut self, from: u32, origin: u32, seq: u32, throughput: u32) {
        let ogm = Ogm2 { origin: NodeId(origin), seq, throughput, ttl: 50 };
        self.input(|batman, cx| batman.on_message(NodeId(from), &BatmanMessage::Ogm2([ogm].into()), cx));
    }

    fn route(&mut self, dst: u32) -> Option<(u32, u32)> {
        let query = Query { packet: PacketId(0), src: NodeId(0), dst: NodeId(dst), prev: None, source_route: None };
        let (answer, _) = self.input(|batman, cx| batman.route(&query, cx));
        match answer {
            RouteAnswer::ViaInterface(node, _) => Some((node.0, self.batman.throughput(NodeId(dst))?)),
            _ => None,
        }
    }
}

#[test]
fn the_throughput_of_a_path_is_that_of_its_narrowest_link() {
    let mut bench = Bench::new(&BatmanVConfig::default(), &[(1, 20_000_000), (2, 50_000_000)]);
    bench.hears(1, 9, 5, 300);
    assert_eq!(bench.route(9), None, "the sender was not heard of by ELP");
    bench.meets(&[1, 2, 3]);
    bench.hears(1, 9, 5, 300);
    assert_eq!(bench.route(9), Some((1, 200)));
    bench.hears(2, 9, 5, 300);
    assert_eq!(bench.route(9), Some((2, 300)), "more than 20 Mbit/s");
    bench.hears(1, 9, 6, 300);
    assert_eq!(bench.route(9), Some((2, 300)));
    bench.hears(2, 9, 6, 150);
    bench.hears(1, 9, 6, 300);
    assert_eq!(bench.route(9), Some((1, 200)));
    // Nothing is known of the route to 3: a third of 6 Mbit/s.
    bench.hears(3, 3, 5, u32::MAX);
    assert_eq!(bench.route(3), Some((3, 20)));
    bench.hears(1, 8, 5, 0);
    assert_eq!(bench.route(8), None, "a throughput of nothing is no route");
}

#[test]
fn links_of_which_nothing_is_known_have_the_default_where_that_is_asked_for() {
    let cfg = BatmanVConfig { unknown_throughput: UnknownThroughput::Default, ..BatmanVConfig::default() };
    let mut bench = Bench::new(&cfg, &[]);
    bench.meets(&[1]);
    bench.hears(1, 1, 5, u32::MAX);
    assert_eq!(bench.route(1), Some((1, 10)));
}

#[test]
fn a_neighbour_that_lags_behind_gives_way_to_a_worse_one() {
    let mut bench = Bench::new(&BatmanVConfig::default(), &[(1, 20_000_000), (2, 5_000_000)]);
    bench.meets(&[1, 2]);
    bench.hears(1, 9, 100, 300);
    for seq in 101..105 {
        bench.hears(2, 9, seq, 300);
        assert_eq!(bench.route(9), Some((1, 200)), "{seq}");
    }
    bench.hears(2, 9, 105, 300);
    assert_eq!(bench.route(9), Some((2, 50)), "five OGMs newer");
    bench.hears(1, 9, 104, 300);
    assert_eq!(bench.route(9), Some((2, 50)), "an old one does not count");
}

#[test]
fn a_restart_is_believed_once_in_thirty_seconds() {
    let mut bench = Bench::new(&fast(), &[]);
    bench.meets(&[1, 2]);
    bench.hears(1, 9, 1_000_000, 300);
    bench.hears(2, 9, 5, 400);
    assert_eq!(bench.route(9), Some((1, 300)), "the first OGM itself was a jump");
    bench.now = Time::ZERO + Span::from_secs(31);
    bench.hears(2, 9, 5, 400);
    assert_eq!(bench.route(9), Some((2, 400)));
}
