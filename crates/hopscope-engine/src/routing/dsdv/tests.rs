use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::rng::{Purpose, Stream};

/// Machines over links that take 1 ms.
struct Net {
    nodes: Vec<Dsdv>,
    rngs: Vec<Stream>,
    links: Vec<Vec<bool>>,
    events: BTreeMap<(Time, u64), Event>,
    count: u64,
    now: Time,
    updates: Vec<(Time, usize, DsdvUpdate)>,
    forwarded: Vec<(PacketId, NodeId)>,
    dropped: Vec<(Time, PacketId, RouteDrop)>,
    recalled: Vec<(usize, NodeId)>,
}

enum Event {
    Send(usize, DsdvUpdate),
    Update(usize, NodeId, DsdvUpdate),
    Timer(usize, u8),
    Link(usize, usize, bool),
}

fn secs(s: u64) -> Time {
    Time::ZERO + Span::from_secs(s)
}

impl Net {
    fn new(nodes: usize, cfg: &DsdvConfig, seed: u64) -> Self {
        let mut net = Net {
            nodes: (0..nodes).map(|i| Dsdv::new(NodeId(i as u32), cfg)).collect(),
            rngs: (0..nodes).map(|i| Stream::derive(seed, 0, i as u64, Purpose::RoutingJitter)).collect(),
            links: vec![vec![false; nodes]; nodes],
            events: BTreeMap::new(),
            count: 0,
            now: Time::ZERO,
            updates: Vec::new(),
            forwarded: Vec::new(),
            dropped: Vec::new(),
            recalled: Vec::new(),
        };
        for i in 0..nodes {
            net.input(i, Dsdv::start);
        }
        net
    }

    fn chain(nodes: usize, cfg: &DsdvConfig) -> Self {
        let mut net = Net::new(nodes, cfg, 1);
        for i in 1..nodes {
            (net.links[i - 1][i], net.links[i][i - 1]) = (true, true);
        }
        net
    }

    fn push(&mut self, at: Time, event: Event) {
        self.count += 1;
        self.events.insert((at, self.count), event);
    }

    fn input<T>(&mut self, node: usize, input: impl FnOnce(&mut Dsdv, &mut Cx) -> T) -> T {
        let mut out = Vec::new();
        let mut cx = Cx { now: self.now, rng: &mut self.rngs[node], out: &mut out };
        let answer = input(&mut self.nodes[node], &mut cx);
        for effect in out {
            match effect {
                RoutingEffect::Broadcast { message: RoutingMessage::Dsdv(update), ttl, delay } => {
                    assert_eq!(ttl, 1, "updates are for neighbours");
                    self.updates.push((self.now, node, update.clone()));
                    self.push(self.now + delay, Event::Send(node, update));
                }
                RoutingEffect::Arm(timer, at) => self.push(at, Event::Timer(node, timer)),
                RoutingEffect::Forward { packet, next_hop, .. } => self.forwarded.push((packet, next_hop)),
                RoutingEffect::Drop { packet, reason } => self.dropped.push((self.now, packet, reason)),
                RoutingEffect::RecallNextHop { next_hop } => self.recalled.push((node, next_hop)),
                RoutingEffect::Note(_) => {}
                other => panic!("DSDV never does this: {other:?}"),
            }
        }
        answer
    }

    fn run(&mut self, until: Time, mut check: impl FnMut(&Net)) {
        while let Some(entry) = self.events.first_entry() {
            if entry.key().0 > until {
                break;
            }
            let ((at, _), event) = entry.remove_entry();
            self.now = at;
            match event {
                Event::Send(from, update) => {
                    for to in (0..self.nodes.len()).filter(|&to| self.links[from][to]).collect::<Vec<_>>() {
                        let heard = Event::Update(to, NodeId(from as u32), update.clone());
                        self.push(at + Span::from_millis(1), heard);
                    }
                }
                Event::Update(to, from, update) => {
                    self.input(to, |dsdv, cx| dsdv.on_message(from, &update, cx));
                }
                Event::Timer(node, timer) => self.input(node, |dsdv, cx| dsdv.on_timer(timer, cx)),
                Event::Link(a, b, up) => (self.links[a][b], self.links[b][a]) = (up, up),
            }
            check(self);
        }
        self.now = until;
    }

    fn path(&self, src: usize, dst: usize) -> Option<Vec<usize>> {
        let mut path = vec![src];
        while path[path.len() - 1] != dst {
            let next = self.nodes[path[path.len() - 1]].next_hop(NodeId(dst as u32), self.now)?.index();
            assert!(!path.contains(&next), "loop towards {dst}: {path:?} then {next}");
            path.push(next);
        }
        Some(path)
    }

    fn lose_link(&mut self, node: usize, next_hop: u32, packet: u32, dst: u32) {
        let (packet, src, dst) = (PacketId(packet), NodeId(node as u32), NodeId(dst));
        let lost = Lost { packet, src, dst, hops: 0, source_route: None };
        self.input(node, |dsdv, cx| dsdv.on_link_failure(NodeId(next_hop), Some(&lost), cx));
    }

    fn originate(&mut self, node: usize, packet: u32, dst: u32) -> RouteAnswer {
        let (packet, src, dst) = (PacketId(packet), NodeId(node as u32), NodeId(dst));
        let query = Query { packet, src, dst, prev: None, source_route: None };
        self.input(node, |dsdv, cx| dsdv.route(&query, cx))
    }
}

fn ns2() -> DsdvConfig {
    DsdvConfig::set("ns2").expect("a set")
}

#[test]
fn a_chain_learns_its_ways() {
    let mut net = Net::chain(5, &DsdvConfig::default());
    net.run(secs(120), |_| ());
    assert_eq!(net.path(0, 4), Some(vec![0, 1, 2, 3, 4]));
    assert_eq!(net.path(4, 0), Some(vec![4, 3, 2, 1, 0]));
}

#[test]
fn full_updates_come_within_their_interval() {
    let mut net = Net::chain(2, &DsdvConfig::default());
    net.run(secs(300), |_| ());
    let full: Vec<_> =
        net.updates.iter().filter(|u| u.1 == 0 && u.2.entries[0].dst == NodeId(0)).map(|u| u.0).collect();
    let gaps: Vec<_> = full.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.len() >= 19, "{gaps:?}");
    assert!(gaps.iter().all(|&gap| (Span::from_millis(11_250)..=Span::from_secs(15)).contains(&gap)), "{gaps:?}");
    assert_eq!(net.updates.last().map(|u| u.2.bytes()), Some(24), "12 bytes for each destination");
}

#[test]
fn a_new_distance_is_told_after_settling() {
    let mut net = Net::chain(3, &DsdvConfig::default());
    net.run(secs(60), |_| ());
    let of_1 = |u: &&(Time, usize, DsdvUpdate)| u.1 == 1;
    let told =
        net.updates.iter().filter(of_1).find(|u| u.2.entries.iter().any(|e| e.dst == NodeId(0))).expect("told").0;
    let heard = net.updates.iter().find(|u| u.1 == 0).expect("an update of node 0").0;
    assert!(told >= heard + Span::from_secs(12), "twice 6 s after {heard:?}, not at {told:?}");
    assert!(told <= heard + Span::from_millis(12_000 + 1_011), "at most the gap later: {told:?}");
}

#[test]
fn a_silent_neighbour_is_lost_after_three_intervals_and_found_again() {
    let mut net = Net::chain(3, &ns2());
    net.run(secs(120), |_| ());
    net.push(secs(120), Event::Link(1, 2, false));
    net.run(secs(120 + 28), |_| ());
    assert_eq!(net.path(1, 2), Some(vec![1, 2]), "15 s without update at most, then 45 s");
    net.run(secs(120 + 46), |_| ());
    assert_eq!(net.path(1, 2), None);
    net.run(secs(190), |_| ());
    assert_eq!(net.path(0, 2), None, "the loss has spread");
    net.push(secs(190), Event::Link(1, 2, true));
    net.run(secs(240), |_| ());
    assert_eq!(net.path(0, 2), Some(vec![0, 1, 2]));
}

/// When each node but 0 has lost its route to 0, after node 1 of a chain lost the link at 200 s.
fn loss_known_at(cfg: &DsdvConfig) -> Vec<Option<Span>> {
    let cfg = DsdvConfig { link_layer_detection: true, ..cfg.clone() };
    let mut net = Net::chain(5, &cfg);
    net.run(secs(200), |_| ());
    assert_eq!(net.path(4, 0), Some(vec![4, 3, 2, 1, 0]));
    (net.links[0][1], net.links[1][0]) = (false, false);
    net.lose_link(1, 0, 7, 0);
    let mut known = vec![None; 4];
    net.run(secs(230), |net| {
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
    // Each node tells it as soon as its last update is `trigger_gap` ago.
    assert!(at_once.iter().all(|at| at.is_some_and(|at| at < Span::from_millis(3 * 1_011))), "{at_once:?}");
    let later = loss_known_at(&ns2());
    assert!(later[1].is_some_and(|at| at < Span::from_millis(1_011)), "the node at the break tells it: {later:?}");
    assert!(later[2].is_none_or(|at| at > Span::from_secs(2)), "its neighbour waits for its next update: {later:?}");
}

#[test]
fn a_mac_failure_counts_only_when_asked_for() {
    let mut net = Net::chain(2, &ns2());
    net.run(secs(60), |_| ());
    net.lose_link(0, 1, 7, 1);
    assert_eq!(net.path(0, 1), Some(vec![0, 1]));
    assert_eq!(net.dropped, [(secs(60), PacketId(7), RouteDrop::LinkFailed)]);
    assert_eq!(net.recalled, []);
    let mut net = Net::chain(2, &DsdvConfig { link_layer_detection: true, ..DsdvConfig::default() });
    net.run(secs(60), |_| ());
    net.lose_link(0, 1, 7, 1);
    net.lose_link(0, 1, 8, 1);
    assert_eq!((net.path(0, 1), net.nodes[0].held()), (None, 2));
    assert_eq!(net.recalled, [(0, NodeId(1))], "what the queue holds for it is asked for once");
    // Node 1 hears of its own loss and says at once that it is there.
    net.run(secs(63), |_| ());
    assert_eq!(net.forwarded, [(PacketId(7), NodeId(1)), (PacketId(8), NodeId(1))]);
}

#[test]
fn five_packets_wait_for_a_route() {
    let mut net = Net::chain(2, &DsdvConfig::default());
    for packet in 0..7 {
        assert_eq!(net.originate(0, packet, 1), RouteAnswer::Held);
    }
    assert_eq!(net.originate(0, 7, 9), RouteAnswer::Held, "another destination has its own five");
    let full = |packet| (Time::ZERO, PacketId(packet), RouteDrop::BufferFull);
    assert_eq!(net.dropped, [full(0), full(1)]);
    net.run(secs(20), |_| ());
    assert_eq!(net.forwarded.iter().map(|f| f.0.0).collect::<Vec<_>>(), [2, 3, 4, 5, 6]);
    assert_eq!(net.nodes[0].held(), 1);
}

#[test]
fn a_packet_waits_for_its_time_or_for_ever() {
    let mut net = Net::chain(2, &DsdvConfig::default());
    net.run(secs(3), |_| ());
    net.originate(0, 7, 9);
    net.run(secs(3_000), |_| ());
    assert_eq!(net.dropped, [(secs(33), PacketId(7), RouteDrop::BufferTimeout)]);
    let mut net = Net::chain(2, &ns2());
    net.originate(0, 7, 9);
    net.run(secs(3_000), |_| ());
    assert_eq!((&net.dropped[..], net.nodes[0].held()), (&[][..], 1));
}

#[test]
fn a_packet_that_comes_back_is_lost() {
    let mut net = Net::chain(2, &DsdvConfig::default());
    net.run(secs(60), |_| ());
    let back = Query { packet: PacketId(7), src: NodeId(0), dst: NodeId(1), prev: Some(NodeId(1)), source_route: None };
    assert_eq!(net.input(0, |dsdv, cx| dsdv.route(&back, cx)), RouteAnswer::Drop(RouteDrop::Loop));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn distances_never_loop(
        seed in any::<u64>(),
        link_layer_detection in any::<bool>(),
        trigger in prop::sample::select(vec![DsdvTrigger::BetterRoute, DsdvTrigger::NewDistance, DsdvTrigger::NewNumber]),
        flips in prop::collection::vec((0u64..20_000, 0usize..6, 0usize..6, any::<bool>()), 5..80),
    ) {
        let mut net = Net::new(6, &DsdvConfig { link_layer_detection, trigger, ..DsdvConfig::default() }, seed);
        let mut at = Time::ZERO;
        for (pause, a, b, up) in flips {
            at += Span::from_millis(pause);
            if a != b {
                net.push(at, Event::Link(a, b, up));
            }
        }
        net.run(at + Span::from_secs(60), |net| {
            for (src, dst) in (0..6).flat_map(|src| (0..6).map(move |dst| (src, dst))) {
                net.path(src, dst);
            }
        });
    }
}
