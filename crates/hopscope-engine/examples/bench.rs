//! Fixed scenarios for measurements: `bench chain|hops|grid|random|moving|still|field|dense|wide|ht|hold`, one line of
//! figures each. Wall-clock seconds are measured here; instruction counts come from running this under callgrind.
#![expect(clippy::print_stdout, reason = "a measuring program talks to the terminal")]
#![expect(clippy::disallowed_methods, reason = "a measuring program reads the clock")]

use std::time::Instant;

use hopscope_core::ids::NodeId;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};
use hopscope_engine::config::mobility::{MobilityConfig, MobilityModel};
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::{AckPolicy, App, Config, FlowConfig, RoutingConfig, Transport, presets};
use hopscope_engine::record::{NullRecorder, Recorder};
use hopscope_engine::simulation::Simulation;
use hopscope_engine::world::World;
use hopscope_phy::mobility::Mobility;

/// A scenario of `nodes` with the given flows, 802.11 at 2 Mbit/s, all other parameters of `profile`.
fn scenario(profile: &str, nodes: Vec<[f64; 2]>, flows: Vec<FlowConfig>, seconds: u64) -> Config {
    let base = presets::base(profile, "wavelan-2M").expect("a profile and a preset");
    let mut config = base.config(nodes, Span::from_secs(seconds));
    config.routing = RoutingConfig { protocol: routing_from_environment(), ..RoutingConfig::default() };
    config.olsr.fisheye = std::env::var("FISHEYE").is_ok_and(|word| word == "on");
    config.flows = flows;
    config
}

/// `ROUTING=aodv`, or another protocol, runs the scenarios over it; `FISHEYE=on` gives OLSR fisheye scope.
fn routing_from_environment() -> RoutingProtocol {
    let word = std::env::var("ROUTING").unwrap_or_else(|_| "static".to_string());
    serde_json::from_value(word.as_str().into()).unwrap_or_else(|error| {
        println!("ROUTING: {error}");
        std::process::exit(2);
    })
}

/// `TRANSPORT=tcp-cubic` runs the TCP flows with that variant instead of NewReno.
fn transport_from_environment() -> Transport {
    let word = std::env::var("TRANSPORT").unwrap_or_else(|_| "tcp-newreno".to_string());
    serde_json::from_value(word.into()).expect("a transport")
}

/// `ACK=mda`, or another policy, runs the TCP flows with it instead of an ACK for every segment.
fn ack_from_environment() -> AckPolicy {
    let word = std::env::var("ACK").unwrap_or_else(|_| "every".to_string());
    serde_json::from_value(word.into()).expect("an ACK policy")
}

fn flow(profile: &str, from: u32, to: u32, transport: Transport, app: App, start: Time) -> FlowConfig {
    let tcp = presets::base(profile, "wavelan-2M").expect("a profile and a preset").tcp;
    FlowConfig { start, tcp, ..FlowConfig::new(from, to, transport, app) }
}

fn tcp(profile: &str, from: u32, to: u32, start_ms: u64) -> FlowConfig {
    let start = Time::ZERO + Span::from_millis(start_ms);
    let flow = flow(profile, from, to, transport_from_environment(), App::Bulk, start);
    FlowConfig { ack: ack_from_environment(), ..flow }
}

fn chain(profile: &str, hops: u32, seconds: u64) -> Config {
    let nodes = (0..=hops).map(|i| [200.0 * f64::from(i), 0.0]).collect();
    scenario(profile, nodes, vec![tcp(profile, 0, hops, 1000)], seconds)
}

/// 13 x 13 nodes, 200 m apart; flows along rows 4 and 8 and columns 4 and 8.
fn grid(profile: &str, seconds: u64) -> Config {
    let nodes = (0..169).map(|i| [200.0 * f64::from(i % 13), 200.0 * f64::from(i / 13)]).collect();
    let at = |row: u32, column: u32| row * 13 + column;
    let ends = [(at(4, 0), at(4, 12)), (at(8, 0), at(8, 12)), (at(0, 4), at(12, 4)), (at(0, 8), at(12, 8))];
    let flows = ends.iter().zip(0..).map(|(&(a, b), i)| tcp(profile, a, b, 1000 + 100 * i)).collect();
    scenario(profile, nodes, flows, seconds)
}

/// 200 nodes on 2500 m x 1000 m, 20 flows between random pairs that can reach each other.
fn random(profile: &str, seconds: u64) -> Config {
    let mut stream = Stream::derive(1, 0, 0, Purpose::Placement);
    let nodes: Vec<[f64; 2]> = (0..200).map(|_| [stream.uniform() * 2500.0, stream.uniform() * 1000.0]).collect();
    let mut flows = Vec::new();
    while flows.len() < 20 {
        let (a, b) = (stream.below(200), stream.below(200));
        let candidate = tcp(profile, a, b, 1000 + 100 * flows.len() as u64);
        let alone = scenario(profile, nodes.clone(), vec![candidate.clone()], seconds);
        if a != b && World::new(&alone, NullRecorder).is_ok() {
            flows.push(candidate);
        }
    }
    scenario(profile, nodes, flows, seconds)
}

/// The field and pairs of `random`, over AODV or another protocol of `ROUTING`; the nodes move by random waypoint at 1 to
/// 20 m/s without pauses. `still`: they stay where they are at time zero. `cbr`: four packets of 512 bytes a second
/// (Broch et al. 1998) instead of TCP.
fn moving(profile: &str, seconds: u64, still: bool, cbr: bool) -> Config {
    let mut config = random(profile, seconds);
    for flow in config.flows.iter_mut().filter(|_| cbr) {
        (flow.transport, flow.app, flow.packet) = (Transport::Udp, App::cbr(4.0 * 512.0 * 8.0), 512);
    }
    config.mobility =
        MobilityConfig { model: MobilityModel::RandomWaypoint, area: [2500.0, 1000.0], ..MobilityConfig::default() };
    if still {
        Mobility::new(&config.movement()).begin(&mut config.nodes);
        config.mobility = MobilityConfig::default();
    }
    config
}

/// `n` nodes at constant density (one per 200 m x 200 m), every tenth sending one-hop UDP at 100 kbit/s. Each number in
/// `placement` puts them elsewhere.
fn field(n: u32, seconds: u64, placement: u64) -> Config {
    let side = (f64::from(n)).sqrt() * 200.0;
    let mut stream = Stream::derive(placement, 0, 0, Purpose::Placement);
    let nodes: Vec<[f64; 2]> = (0..n).map(|_| [stream.uniform() * side, stream.uniform() * side]).collect();
    let medium =
        hopscope_phy::channel::Medium::new(&nodes, &presets::base("standard", "wavelan-2M").expect("a preset").radio);
    let flows = (0..n)
        .step_by(10)
        .filter_map(|from| {
            let to = medium.neighbours(NodeId(from)).next()?;
            let start = Time(u64::from(stream.below(100_000_000)));
            Some(flow("standard", from, to.0, Transport::Udp, App::cbr(100e3), start))
        })
        .collect();
    scenario("standard", nodes, flows, seconds)
}

/// `n` nodes on 100 m x 100 m, where each hears all others; `flows` of them (at most half) send one-hop UDP at
/// 100 kbit/s to one other each.
fn dense(profile: &str, n: u32, seconds: u64, flows: u32) -> Config {
    let mut stream = Stream::derive(1, 0, 0, Purpose::Placement);
    let nodes: Vec<[f64; 2]> = (0..n).map(|_| [stream.uniform() * 100.0, stream.uniform() * 100.0]).collect();
    let flows = (0..flows.min(n / 2))
        .map(|pair| {
            let start = Time(u64::from(stream.below(100_000_000)));
            flow(profile, 2 * pair, 2 * pair + 1, Transport::Udp, App::cbr(100e3), start)
        })
        .collect();
    scenario(profile, nodes, flows, seconds)
}

/// The nodes of `field` with ten UDP flows of 20 kbit/s over six hops: what a routing protocol makes of many nodes.
fn wide(n: u32, seconds: u64, placement: u64) -> Config {
    let mut config = field(n, seconds, placement);
    let medium = hopscope_phy::channel::Medium::new(&config.nodes, &config.radio);
    let ends = (0..n).filter_map(|from| Some((from, away(&medium, NodeId(from), 6)?)));
    let flows = ends.step_by((n / 12).max(1) as usize).take(10).zip(0..).map(|((from, to), place)| {
        let start = Time::ZERO + Span::from_millis(1000 + 100 * place);
        flow("standard", from, to.0, Transport::Udp, App::cbr(20e3), start)
    });
    config.flows = flows.collect();
    config
}

/// One hop of 802.11n at MCS 7 over 40 MHz that UDP packets of 1500 bytes saturate; A-MPDUs of at most so many bytes, 0: one
/// packet a frame.
fn ht(bytes: u32, seconds: u64) -> Config {
    let base = presets::base("standard", "ht-40").expect("a profile and a preset");
    let mut config = base.config(vec![[0.0, 0.0], [2.0, 0.0]], Span::from_secs(seconds));
    config.radio.mcs = 7;
    config.mac.ampdu = (bytes > 0).then_some(bytes);
    let packet = 1_500 - config.net.ip_header - config.net.udp_header;
    let flow = FlowConfig::new(0, 1, Transport::Udp, App::Bulk);
    config.flows = vec![FlowConfig { packet, ..flow }];
    config
}

/// The lowest node just so many hops away.
fn away(medium: &hopscope_phy::channel::Medium, from: NodeId, hops: usize) -> Option<NodeId> {
    let (mut known, mut ring) = (std::collections::BTreeSet::from([from]), vec![from]);
    for _ in 0..hops {
        let mut next: Vec<NodeId> = ring.iter().flat_map(|&node| medium.neighbours(node)).collect();
        next.retain(|&node| known.insert(node));
        ring = next;
    }
    ring.into_iter().min()
}

/// Measures a run with an observer.
pub fn measure(name: &str, config: Config, observer: impl Recorder) {
    let built = Instant::now();
    let nodes = config.nodes.len();
    let duration = config.duration;
    let mut simulation = Simulation::observed(config, observer).expect("a sound scenario");
    let build_s = built.elapsed().as_secs_f64();
    let started = Instant::now();
    simulation.advance(Span(duration.0));
    let wall = started.elapsed().as_secs_f64();
    let pending = simulation.world().pending();
    let node_bytes = simulation.world().node_memory() / nodes;
    let result = simulation.results();
    let (events, edges, frames) = (result.engine.events, result.engine.edges, result.engine.frames);
    println!(
        "{{\"scenario\":\"{name}\",\"nodes\":{nodes},\"simulated_s\":{},\"build_s\":{build_s:.4},\"run_s\":{wall:.4},\"events\":{events},\"edges\":{edges},\"frames\":{frames},\"events_per_s\":{:.0},\"steps_per_s\":{:.0},\"us_per_frame\":{:.4},\"pending\":{pending},\"node_bytes\":{node_bytes},\"aggregate_kbps\":{:.1},\"jain\":{:.3}}}",
        duration.as_secs(),
        events as f64 / wall,
        (events + edges) as f64 / wall,
        wall * 1e6 / frames.max(1) as f64,
        result.network.aggregate_kbps,
        result.network.jain,
    );
}

/// A bare `std` heap holding `pending` entries of the engine's size: take the earliest, put a later one.
fn hold(pending: usize, events: u64) {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;
    #[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
    struct Entry(u64, u64, u64);
    let mut stream = Stream::derive(1, 0, 0, Purpose::Traffic);
    let mut heap = BinaryHeap::new();
    for i in 0..pending as u64 {
        heap.push(Reverse(Entry(u64::from(stream.below(1_000_000)), i, 0)));
    }
    // The draws come from a table so that the loop is the heap's work alone.
    let steps: Vec<u64> = (0..4096).map(|_| u64::from(stream.below(2_000_000)) + 1).collect();
    let started = Instant::now();
    for i in 0..events {
        let Some(Reverse(entry)) = heap.pop() else { return };
        heap.push(Reverse(Entry(entry.0 + steps[(i & 4095) as usize], entry.1, entry.2)));
    }
    let wall = started.elapsed().as_secs_f64();
    println!(
        "{{\"scenario\":\"hold\",\"pending\":{pending},\"events\":{events},\"run_s\":{wall:.4},\"events_per_s\":{:.0}}}",
        events as f64 / wall
    );
}

/// The least seconds of `random` and `moving`: their flows start after 1 to 2.9 s.
const ALL_STARTED: u64 = 3;

/// A number of the command line; less than `least`, or what is none, ends the program with a sentence: there is nothing to
/// measure.
fn whole(scenario: &str, given: &str, least: u64) -> u64 {
    given.parse().ok().filter(|&number| number >= least).unwrap_or_else(|| {
        eprintln!("bench {scenario}: found {given}; expected a whole number of at least {least}");
        std::process::exit(2);
    })
}

fn main() {
    run(|name, config| measure(name, config, NullRecorder));
}

/// Does what the command line asks for; `measure` measures a scenario.
pub fn run(measure: impl Fn(&str, Config)) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let at_least = |least: u64, place: usize, default: u64| {
        arguments.get(place).map_or(default, |given| whole(&arguments[0], given, least))
    };
    let number = |place: usize, default: u64| at_least(1, place, default);
    let profile = std::env::var("PROFILE").unwrap_or_else(|_| "ns2".to_string());
    match arguments.first().map(String::as_str) {
        Some("chain") => measure("chain", chain(&profile, 7, number(1, 300) + 1)),
        Some("hops") => measure("hops", chain(&profile, number(1, 7) as u32, number(2, 300) + 1)),
        Some("grid") => measure("grid", grid(&profile, number(1, 300))),
        Some("random") => measure("random", random(&profile, at_least(ALL_STARTED, 1, 300))),
        Some(word @ ("moving" | "still")) => {
            let cbr = arguments.get(2).is_some_and(|traffic| traffic == "cbr");
            measure(word, moving(&profile, at_least(ALL_STARTED, 1, 60), word == "still", cbr));
        }
        Some("field") => measure("field", field(number(1, 100) as u32, number(2, 10), number(3, 1))),
        Some("dense") => measure("dense", dense(&profile, number(1, 4_000) as u32, number(2, 1), number(3, 20) as u32)),
        Some("wide") => measure("wide", wide(number(1, 1000) as u32, number(2, 30), number(3, 1))),
        Some("ht") => measure("ht", ht(at_least(0, 1, 65_535) as u32, number(2, 2))),
        Some("hold") => hold(number(1, 50) as usize, number(2, 10_000_000)),
        other => {
            println!(
                "usage: bench chain [S] | hops H [S] | grid [S] | random [S] | moving [S [cbr]] | still [S [cbr]] | field N [S [PLACEMENT]] | dense N [S [FLOWS]] | wide N [S [PLACEMENT]] | ht [BYTES [S]] | hold PENDING [EVENTS]; found {other:?}"
            );
            std::process::exit(2);
        }
    }
}
