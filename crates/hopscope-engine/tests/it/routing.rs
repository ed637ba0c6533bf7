//! Whole networks under every routing protocol: the ways packets take, what happens when nodes come and go, and that
//! nothing is lost on the books.

use std::collections::VecDeque;

use hopscope_engine::World;
use hopscope_engine::channel::Medium;
use hopscope_engine::config::Config;
use hopscope_engine::config::aodv::AodvConfig;
use hopscope_engine::config::dsdv::DsdvConfig;
use hopscope_engine::config::dsr::DsrConfig;
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::olsr::OlsrConfig;
use hopscope_engine::ids::NodeId;
use hopscope_engine::record::NullRecorder;
use hopscope_engine::rng::{Purpose, Stream};
use hopscope_engine::units::{Span, Time};

use crate::support::chain;

/// A protocol with a parameter set.
#[derive(Debug, Clone, Copy)]
struct Case {
    protocol: RoutingProtocol,
    set: &'static str,
}

impl Case {
    fn apply(self, config: &mut Config) {
        config.routing.protocol = self.protocol;
        match self.protocol {
            RoutingProtocol::Static => {}
            RoutingProtocol::Aodv => config.aodv = AodvConfig::set(self.set).expect("a set"),
            RoutingProtocol::Dsdv => config.dsdv = DsdvConfig::set(self.set).expect("a set"),
            RoutingProtocol::Dsr => config.dsr = DsrConfig::set(self.set).expect("a set"),
            RoutingProtocol::Olsr => config.olsr = OlsrConfig::set(self.set).expect("a set"),
        }
    }
}

const AODV: Case = Case { protocol: RoutingProtocol::Aodv, set: "rfc3561" };
const AODV_HELLO: Case = Case { protocol: RoutingProtocol::Aodv, set: "aodv-uu" };
const AODV_NS2: Case = Case { protocol: RoutingProtocol::Aodv, set: "ns2" };
const DSDV: Case = Case { protocol: RoutingProtocol::Dsdv, set: "perkins1994" };
const DSR: Case = Case { protocol: RoutingProtocol::Dsr, set: "rfc4728" };
const DSDV_NS2: Case = Case { protocol: RoutingProtocol::Dsdv, set: "ns2" };
const OLSR: Case = Case { protocol: RoutingProtocol::Olsr, set: "rfc3626" };
const OLSR_UNIK: Case = Case { protocol: RoutingProtocol::Olsr, set: "olsr-unik" };

fn secs(s: u64) -> Time {
    Time::ZERO + Span::from_secs(s)
}

/// Hops from `src` to every node, along the links of the medium.
fn hops_from(medium: &Medium, src: NodeId, nodes: usize) -> Vec<Option<u8>> {
    let mut hops = vec![None; nodes];
    hops[src.index()] = Some(0);
    let mut frontier = VecDeque::from([src]);
    while let Some(node) = frontier.pop_front() {
        let next = hops[node.index()].map(|h: u8| h + 1);
        for neighbour in medium.neighbours(node) {
            if hops[neighbour.index()].is_none() {
                hops[neighbour.index()] = next;
                frontier.push_back(neighbour);
            }
        }
    }
    hops
}

/// 50 nodes scattered over 1100 m x 1100 m, drawn again until they hang together.
fn field(seed: u64, case: Case) -> (Config, Medium) {
    let mut stream = Stream::derive(seed, 0, 0, Purpose::Placement);
    let mut config = chain("standard", 1, 1_000);
    case.apply(&mut config);
    config.seed = seed;
    loop {
        config.nodes = (0..50).map(|_| [stream.uniform() * 1100.0, stream.uniform() * 1100.0]).collect();
        let medium = Medium::new(&config.nodes, &config.radio);
        if hops_from(&medium, NodeId(0), 50).iter().all(Option::is_some) {
            return (config, medium);
        }
    }
}

/// Ways taken by lone packets between random ends.
#[derive(Debug, Default)]
struct Ways {
    sent: u32,
    arrived: u32,
    /// As short as any.
    shortest: u32,
    /// Hops of all that arrived, and of the shortest ways between their ends.
    hops: u32,
    least: u32,
}

impl Ways {
    /// Sends a packet every two seconds, so that no search meets another, after the protocol had time to settle.
    fn walk(&mut self, case: Case, seed: u64) {
        const SETTLED: u64 = 200;
        const PACKETS: u64 = 60;
        let (config, medium) = field(seed, case);
        let mut world = World::new(&config, NullRecorder).expect("a sound scenario");
        let mut stream = Stream::derive(seed, 1, 0, Purpose::Placement);
        let mut ends = Vec::new();
        for number in 0..PACKETS {
            world.run_until(secs(SETTLED + 2 * number));
            let (src, dst) = (stream.below(50), stream.below(50));
            ends.push((src, dst));
            if src != dst {
                world.inject(NodeId(src), NodeId(dst), 512, number).expect("both exist");
                self.sent += 1;
            }
        }
        world.run_until(secs(SETTLED + 2 * PACKETS + 30));
        for packet in world.take_arrived() {
            let (src, dst) = ends[packet.handle as usize];
            assert_eq!((packet.from, packet.node), (NodeId(src), NodeId(dst)));
            let least = hops_from(&medium, packet.from, 50)[packet.node.index()].expect("connected");
            assert!(packet.hops >= least, "{packet:?} in fewer hops than there are: {least}");
            self.arrived += 1;
            self.shortest += u32::from(packet.hops == least);
            self.hops += u32::from(packet.hops);
            self.least += u32::from(least);
        }
    }
}

/// Packets take a shortest way in at least this share (percent) of all cases, and this many percent more hops than
/// needed at most; at least this share (percent) arrives.
///
/// AODV answers the first copy of a request, which need not have come the shortest way: random delays decide, and
/// broadcasts that collide are not repeated. DSDV follows a new number as soon as it hears it, and hears it over a
/// longer way first now and then; the shorter way is back with the neighbour's next update. DSR's requests take random
/// ways as well, and it keeps a way that works. OLSR calculates its ways.
#[test]
fn packets_take_short_ways_through_a_field() {
    for (case, shortest, more, arrive) in [
        (AODV, 85, 4, 98),
        (AODV_HELLO, 85, 4, 98),
        (AODV_NS2, 75, 7, 98),
        (DSDV, 90, 2, 100),
        (DSDV_NS2, 88, 3, 100),
        (DSR, 85, 4, 98),
        (OLSR, 100, 0, 100),
        (OLSR_UNIK, 100, 0, 100),
    ] {
        let mut ways = Ways::default();
        for seed in 1..=3 {
            ways.walk(case, seed);
        }
        assert!(100 * ways.arrived >= arrive * ways.sent, "{case:?}: {ways:?}");
        assert!(100 * ways.shortest >= shortest * ways.arrived, "{case:?}: {ways:?}");
        assert!(100 * ways.hops <= (100 + more) * ways.least, "{case:?}: {ways:?}");
    }
}
