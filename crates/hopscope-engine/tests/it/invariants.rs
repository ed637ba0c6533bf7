//! What holds in every network: packets are conserved, bounds are kept, the walk over radio edges is exact.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::config::aodv::AodvConfig;
use hopscope_engine::config::babel::BabelConfig;
use hopscope_engine::config::dsdv::DsdvConfig;
use hopscope_engine::config::dsr::DsrConfig;
use hopscope_engine::config::hwmp::HwmpConfig;
use hopscope_engine::config::link::{LinkPart, LinkParts};
use hopscope_engine::config::mac::{BusyAtExpiry, EifsRule};
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::olsr::OlsrConfig;
use hopscope_engine::config::radio::{
    CaptureRule, ErrorKind, ErrorScope, Fading, IgnoredFrame, Interference, OnError, Propagation, Shadowing,
    Undecodable,
};
use hopscope_engine::config::{App, Config, Key, LinkConfig, Transport};
use hopscope_engine::config::{BatmanIvConfig, BatmanVConfig};
use hopscope_engine::record::{DropReason, NetworkView, Record};
use hopscope_engine::simulation::{self, Simulation};
use hopscope_engine::{World, world};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Log, chain, flow, is_data_received, is_data_sent};

/// A handful of nodes within reach of each other, with any radio and MAC rules.
fn network() -> impl Strategy<Value = Config> {
    let nodes = proptest::collection::vec((0.0..700.0f64, 0.0..500.0f64), 2..10);
    let radio = (any::<[bool; 6]>(), 0..3u8, prop_oneof![2 => Just(0.0), 1 => 0.01..0.3f64]);
    let mac = (any::<[bool; 7]>(), prop_oneof![Just(None), Just(Some(0)), Just(Some(400))], 1..12u32);
    let channel = prop_oneof![1 => Just([0; 4]), 1 => any::<[u8; 4]>()];
    let layers = prop_oneof![1 => Just([0; 2]), 1 => any::<[u8; 2]>()];
    let parts = (any::<bool>(), 0..1_000u64, nodes, radio, mac, channel, layers);
    parts.prop_map(|(ns2, seed, nodes, radio, mac, channel, layers)| {
        let mut config = chain(if ns2 { "ns2" } else { "standard" }, 1, 3);
        config.seed = seed;
        config.nodes = nodes.into_iter().map(|(x, y)| [x, y]).collect();
        config.net.arp = false;
        change_radio(&mut config, radio);
        change_channel(&mut config, channel);
        change_mac(&mut config, mac);
        change_layers(&mut config, layers);
        config
    })
}

fn change_radio(config: &mut Config, (flags, model, errors): ([bool; 6], u8, f64)) {
    let r = &mut config.radio;
    r.interference = [Interference::Capture, Interference::Range, Interference::Sinr][usize::from(model)];
    r.capture_rule = if flags[0] { CaptureRule::FirstComes } else { CaptureRule::Strongest };
    r.ignored_frame = if flags[1] { IgnoredFrame::NavEifs } else { IgnoredFrame::CarrierSense };
    r.undecodable = if flags[2] { Undecodable::Locks } else { Undecodable::EnergyOnly };
    r.interference_range = if flags[3] { 400.0 } else { 800.0 };
    r.error_kind = if errors > 0.0 { ErrorKind::Uniform } else { ErrorKind::None };
    r.error_per = errors;
    r.error_applies_to = if flags[4] { ErrorScope::All } else { ErrorScope::Data };
    r.error_on_error = if flags[5] { OnError::Flag } else { OnError::Drop };
}

/// Any combination of path loss, shadowing, fading and losses in bursts; zeros are the plain channel.
fn change_channel(config: &mut Config, picks: [u8; 4]) {
    let r = &mut config.radio;
    r.propagation = [Propagation::TwoRay, Propagation::Friis, Propagation::LogDistance][usize::from(picks[0] % 3)];
    r.shadowing = [Shadowing::None, Shadowing::Static, Shadowing::Correlated][usize::from(picks[1] % 3)];
    r.shadowing_time = Span::from_millis(u64::from(picks[1]) + 1);
    r.fading = [Fading::None, Fading::Rayleigh, Fading::Nakagami][usize::from(picks[2] % 3)];
    r.coherence_time = Span::from_millis(u64::from(picks[2]) + 1);
    match picks[3] % 3 {
        0 => {}
        1 => {
            r.error_kind = ErrorKind::GilbertElliott;
            r.error_good_time = Span::from_millis(100);
            r.error_bad_time = Span::from_millis(u64::from(picks[3]) + 1);
        }
        _ => {
            r.error_kind = ErrorKind::Markov;
            r.error_transitions = vec![vec![0.9, 0.1, 0.0], vec![0.0, 0.5, 0.5], vec![1.0, 0.0, 0.0]];
            r.error_state_per = vec![0.0, 0.2, 1.0];
            r.error_links = if picks[3] > 127 { vec![[0, 1], [1, 0]] } else { Vec::new() };
        }
    }
}

/// Any link layers, one everywhere and another at node 1; zeros are none.
fn change_layers(config: &mut Config, sets: [u8; 2]) {
    let [common, own] = sets.map(|set| {
        let chosen = LinkPart::ALL.into_iter().filter(|&part| set & 1 << part as u8 != 0);
        let parts = chosen.fold(LinkParts::PLAIN, LinkParts::with);
        // Two parts may exclude each other.
        parts.to_string().parse().unwrap_or(LinkPart::Lred.into())
    });
    let l = &mut config.link;
    l.layer = common;
    // Thresholds that three seconds reach.
    (l.lred_min, l.lred_max, l.red_min, l.red_max, l.red_weight) = (0.2, 1.0, 0.3, 4.0, 0.2);
    (l.codel_target, l.codel_interval) = (Span::from_millis(1), Span::from_millis(20));
    (l.nred_min, l.nred_max, l.nred_max_p) = (0.2, 0.6, 0.5);
    (l.ecn, l.acks) = (sets[0] < 200, sets[1] < 200);
    if own != common {
        config.layers = vec![LinkConfig { layer: own, nodes: vec![1], ..config.link.clone() }];
    }
}

fn change_mac(config: &mut Config, (flags, rts_threshold, queue): ([bool; 7], Option<u32>, u32)) {
    let m = &mut config.mac;
    m.rts_threshold = rts_threshold;
    m.queue = queue + m.queue_reserve;
    m.eifs = if flags[0] { m.eifs } else { EifsRule::Off };
    m.nonfreezing_defer = flags[1];
    m.busy_at_expiry = if flags[2] { BusyAtExpiry::DoubleCw } else { BusyAtExpiry::Transmit };
    m.data_needs_idle = flags[3];
    m.nav_reset = flags[4];
    m.fragmentation_threshold = flags[6].then_some(500);
    if flags[5] {
        config.net.link_delay = Span::from_micros(25);
    }
}

/// Any routing protocol, with a few of its parameters at other values; what its check refuses stays as it was.
pub fn routed() -> impl Strategy<Value = Config> {
    let changes = proptest::collection::vec((any::<usize>(), any::<u32>()), 0..6);
    let protocol = proptest::sample::select(RoutingProtocol::WORDS.to_vec());
    (network(), protocol, changes).prop_map(|(config, (protocol, _), changes)| {
        let mut document = serde_json::to_value(config).expect("a configuration is JSON");
        document["routing"]["protocol"] = json!(protocol);
        if protocol == RoutingProtocol::Hwmp.word() {
            // Frames of a mesh go whole.
            document["mac"]["fragmentation_threshold"] = Value::Null;
        }
        let read = |document: &Value| serde_json::from_value(document.clone()).expect("values of the right kind");
        for (place, draw) in changes {
            let parameters = parameters_of(protocol);
            if parameters.is_empty() {
                break;
            }
            let parameter = &parameters[place % parameters.len()];
            let draw_below = |n: u32| u64::from(draw % n);
            let value = match parameter.kind.word() {
                "time" => json!(draw_below(8_000) * 1_000_000),
                "int" => json!(1 + draw_below(12)),
                "int-or-off" if draw % 3 == 0 => Value::Null,
                "int-or-off" => json!(1 + draw_below(40)),
                "float" => json!(draw_below(1_000) as f64 / 500.0),
                "flag" => json!(draw % 2 == 0),
                "flag-or-own" => [json!(true), json!(false), Value::Null][draw as usize % 3].clone(),
                "choice" => json!(parameter.choices[draw as usize % parameter.choices.len()]),
                other => panic!("{}: no values of kind {other}", parameter.name),
            };
            let before = std::mem::replace(&mut document[protocol][&parameter.name], value);
            if world::check(&read(&document)).is_err() {
                document[protocol][&parameter.name] = before;
            }
        }
        read(&document)
    })
}

fn parameters_of(protocol: &str) -> Vec<Key> {
    match protocol {
        "aodv" => AodvConfig::describe(),
        "dsdv" => DsdvConfig::describe(),
        "dsr" => DsrConfig::describe(),
        "olsr" => OlsrConfig::describe(),
        "babel" => BabelConfig::describe(),
        "batman_iv" => BatmanIvConfig::describe(),
        "batman_v" => BatmanVConfig::describe(),
        "hwmp" => HwmpConfig::describe(),
        _ => Vec::new(),
    }
}

/// Adds flows between pairs of nodes; pairs without a way are left out.
pub fn with_flows(mut config: Config, flows: &[(u32, u32, u8, u64)], transports: &[Transport]) -> Config {
    let nodes = config.nodes.len() as u32;
    for &(from, to, kind, start) in flows {
        let (from, to) = (from % nodes, to % nodes);
        let transport = transports[usize::from(kind) % transports.len()];
        let app = match kind / 8 {
            0 => App::Bulk,
            1 => App::File { bytes: 20_000 },
            2 => App::cbr(400e3),
            3 => App::Poisson { rate: 400e3 },
            4 => App::Trace { frames: (0..100).map(|i| (Span::from_millis(40 * i), 700 * (i % 7) as u32)).collect() },
            _ => App::OnOff { rate: 800e3, on: Span::from_millis(100), off: Span::from_millis(50), codec: None },
        };
        let profile = if config.mac.queue_reserve > 0 { "ns2" } else { "standard" };
        let mut flow = flow(profile, from, to, transport, app);
        flow.start = Time::ZERO + Span::from_millis(start);
        flow.stop = Some(Time::ZERO + Span::from_millis(1_500));
        if from != to {
            config.flows.push(flow);
            if World::new(&config, Log::default()).is_err() {
                config.flows.pop();
            }
        }
    }
    config
}

pub const EVERY: [Transport; 6] = [
    Transport::Udp,
    Transport::TcpTahoe,
    Transport::TcpReno,
    Transport::TcpNewReno,
    Transport::TcpSack,
    Transport::TcpVegas,
];

pub fn flows() -> impl Strategy<Value = Vec<(u32, u32, u8, u64)>> {
    proptest::collection::vec((0..10u32, 0..10u32, 0..48u8, 0..1_000u64), 1..5)
}

proptest! {
    #![proptest_config(hopscope_testing::property(150))]

    #[test]
    fn the_walk_over_edges_is_exact(config in routed(), flows in flows()) {
        let config = with_flows(config, &flows, &EVERY);
        let hash = |eager| simulation::trajectory(&config, eager).expect("a sound scenario");
        prop_assert_eq!(hash(false), hash(true));
    }

    #[test]
    fn udp_packets_are_conserved(config in network(), flows in flows()) {
        // Sources stop at 1.5 s: long before the end the network is empty and every packet has been delivered or dropped.
        let mut config = with_flows(config, &flows, &[Transport::Udp]);
        config.duration = Time::ZERO + Span::from_secs(30);
        let mut world = World::new(&config, Log::default()).expect("a sound scenario");
        world.run_until(config.duration);
        let measures = |layer: &Option<&LinkConfig>| layer.is_some_and(|cfg| cfg.layer.has(LinkPart::Nred));
        let ticks = config.link_layers().iter().filter(|layer| measures(layer)).count();
        prop_assert_eq!(world.pending(), ticks, "a drained network has nothing to do but to measure its channel");
        let log = world.recorder();
        let sent = log.count(is_data_sent);
        let received = log.count(is_data_received);
        let dropped = log.count(|r| matches!(r, Record::Dropped { .. }));
        let retry_drops = log.count(|r| matches!(r, Record::Dropped { reason: DropReason::RetryLimit, .. }));
        prop_assert!(received <= sent, "{received} received of {sent}");
        // A packet given up may have arrived all the same: only its ACK was lost. Notices of the channel's use are dropped,
        // too, and have no flow.
        let lost = sent - received;
        prop_assert!((ticks > 0 || dropped - retry_drops <= lost) && lost <= dropped, "{lost} lost, {dropped} dropped, {retry_drops} of them given up");
        let nodes = config.nodes.len() as u32;
        let longest = world.observe(|_, _, view| (0..nodes).map(|n| view.counters(NodeId(n), Time::ZERO).queue_max).max());
        prop_assert!(longest <= Some(config.mac.queue));
    }

    #[test]
    fn results_keep_their_bounds(config in routed(), flows in flows()) {
        let config = with_flows(config, &flows, &EVERY);
        let seconds = config.duration.as_secs();
        let result = Simulation::new(config.clone()).expect("a sound scenario").run();
        for f in &result.flows {
            // A protocol that sends a packet again may do so after only the ACK was lost.
            let fixed = config.routing.protocol == RoutingProtocol::Static;
            let copies = if fixed { 1 } else { 3 };
            prop_assert!(f.received_packets <= copies * f.sent_packets, "flow {}: {f:?}", f.id);
            prop_assert!(f.throughput_kbps < 2_000.0, "one channel of 2 Mbit/s: {f:?}");
            prop_assert!(f.goodput_kbps <= f.throughput_kbps + 1e-9, "{f:?}");
            prop_assert!(f.duplicate_packets <= f.received_packets, "{f:?}");
            prop_assert!(f.delay_ms.is_none_or(|d| d > 0.0 && d < seconds * 1e3), "{f:?}");
            prop_assert!(f.loss_pct.is_none_or(|l| (0.0..=100.0).contains(&l)), "{f:?}");
            prop_assert!((f.hops >= 1 || !fixed) && (f.hops as usize) < config.nodes.len(), "{f:?}");
            let share: f64 = f.cwnd_share.values().sum();
            prop_assert!(f.cwnd_share.is_empty() || (share - 1.0).abs() < 1e-9, "{f:?}");
        }
        for n in &result.nodes {
            prop_assert!(n.queue_max <= config.mac.queue - config.mac.queue_reserve, "{n:?}");
            prop_assert!(n.queue_mean <= f64::from(n.queue_max), "{n:?}");
            // A frame under way at the end counts whole.
            prop_assert!(n.airtime_s <= seconds + 0.02, "a transmitter is on once at a time: {n:?}");
            prop_assert!(n.data_sent + n.rts_sent >= n.mac_retries, "{n:?}");
        }
        prop_assert!(result.network.jain > 0.0 && result.network.jain <= 1.0 + 1e-12);
    }
}
