//! What a configuration must hold to be built.

mod flow;
mod qos;
#[cfg(test)]
mod qos_tests;

use super::link_costs;
use crate::config::{Config, MacConfig, RadioConfig, seconds};
use flow::check_flow;
use hopscope_core::error::{BuildError, BuildErrors, require};
use hopscope_core::units::{Span, Time};
use hopscope_net::config::net::{RouteNotices, RoutingProtocol};
use hopscope_phy::channel;
use hopscope_phy::config::radio::{Fading, Phy, Shadowing};
use hopscope_phy::phy::modes;
use hopscope_transport::sockets;
use qos::check_qos;

/// More nodes than this are refused: each has two air slots.
const MAX_NODES: usize = hopscope_phy::phy::arrival::MAX_SLOTS as usize / 2;
/// Wrong positions of nodes that are reported: a file of wrong ones has thousands of them.
const MOST_POSITIONS: usize = 10;
/// Longest run: the clock is 64 bits of nanoseconds, and instants beyond the end must not overflow.
const MAX_DURATION: Time = Time(100 * 365 * 86_400 * 1_000_000_000);

/// Checks a configuration without building it. Reachability is found only by building.
///
/// # Errors
/// The first parameter at fault, with what was found and what is allowed.
pub fn check(config: &Config) -> Result<(), BuildError> {
    problems(config).into_iter().next().map_or(Ok(()), Err)
}

/// Everything that is wrong with a configuration: each key at most once, those out of their range first.
pub fn problems(config: &Config) -> Vec<BuildError> {
    let mut found = BuildErrors(config.outside());
    check_run(config, &mut found);
    check_radio(config, &mut found);
    found.note_all(config.check_hosts());
    found.note_all(config.check_interfaces());
    for set in config.interface_sets() {
        check_rates(&set.radio, &set.rates_key, &mut found);
        check_mac(set.mac, &set.mac_key, &mut found);
        for &rate in &set.mac.rates {
            check_rate(set.radio.phy, format!("{}.rates", set.mac_key), rate, &mut found);
        }
    }
    check_qos(config, &mut found);
    check_net(config, &mut found);
    found.note_all(config.check_link_layers());
    match config.routing.protocol {
        RoutingProtocol::Static => link_costs::check(config, &mut found),
        RoutingProtocol::Aodv => found.note_all(config.aodv.check()),
        RoutingProtocol::Dsdv => found.note_all(config.dsdv.check()),
        RoutingProtocol::Dsr => found.note_all(config.dsr.check()),
        RoutingProtocol::Olsr => found.note_all(config.olsr.check()),
        RoutingProtocol::Babel => found.note_all(config.babel.check()),
        RoutingProtocol::BatmanIv => found.note_all(config.batman_iv.check()),
        RoutingProtocol::BatmanV => found.note_all(config.batman_v.check()),
        RoutingProtocol::Hwmp => {
            found.note_all(config.hwmp.check());
            check_mesh(config, &mut found);
        }
    }
    found.note_all(config.movement().check());
    check_traces(config, &mut found);
    found.note_all(config.check_events());
    for (number, outage) in config.outages.iter().enumerate() {
        found.note_all(outage.check(number, config.nodes.len()));
    }
    // Where nobody has a radio, no MAC limits a packet.
    let on_air = config.radios().contains(&true);
    for (number, flow) in config.flows.iter().enumerate() {
        check_flow(config, number, flow, on_air, &mut found);
    }
    found.note_all(sockets::check_ports(&config.flows));
    found.0
}

/// A position is within the space that there is.
pub(super) fn position(key: impl Into<String>, p: [f64; 2]) -> Result<(), BuildError> {
    require(p.iter().all(|c| c.is_finite() && c.abs() <= 1e9), key, || {
        format!("found position {p:?}; coordinates are metres between -1e9 and 1e9")
    })
}

fn check_run(config: &Config, found: &mut BuildErrors) {
    let nodes = config.nodes.len();
    found.require((1..=MAX_NODES).contains(&nodes), "nodes", || {
        format!("found {nodes} nodes; allowed are 1 to {MAX_NODES}")
    });
    let positions = config.nodes.iter().enumerate().filter_map(|(n, &p)| position(format!("nodes.{n}"), p).err());
    found.note_all(positions.take(MOST_POSITIONS));
    found.require(config.duration > Time::ZERO && config.duration <= MAX_DURATION, "duration", || {
        format!("found {} s; allowed is more than zero and at most 100 years", config.duration.as_secs())
    });
    // Not compared with a duration that is wrong by itself.
    found.require(found.has("duration") || config.warmup < config.duration, "warmup", || {
        format!(
            "found {} s; it must end before the run does, at {} s",
            config.warmup.as_secs(),
            config.duration.as_secs()
        )
    });
    found.require(config.starved_after > Span::ZERO, "starved_after", || {
        "found 0 s; more than zero is needed".to_string()
    });
    let interval = config.series.interval;
    found.require(!config.series.is_sampled() || interval >= Span::from_micros(1), "series.interval", || {
        format!("found {} s; queue and throughput series need a sampling interval of at least 1 us", seconds(interval))
    });
}

fn check_traces(config: &Config, found: &mut BuildErrors) {
    let radios = config.radios();
    found.require(config.traces.is_empty() || config.interfaces.is_empty(), "interfaces", || {
        "found together with traces of links, which do not say of which radio; leave one of them out".to_string()
    });
    found.note_all(config.traces.check(config.nodes.len(), |node| radios.get(node as usize) != Some(&false)));
    let (r, has_powers) = (&config.radio, !config.traces.rssi.is_empty());
    for (key, word, varies) in [
        ("radio.shadowing", r.shadowing.word(), r.shadowing == Shadowing::Correlated),
        ("radio.fading", r.fading.word(), r.fading != Fading::None),
    ] {
        found.require(!(has_powers && varies), key, || {
            format!(
                "found \"{word}\" together with a trace of received powers, which has it already; leave one of them out"
            )
        });
    }
}

fn check_radio(config: &Config, found: &mut BuildErrors) {
    let r = &config.radio;
    found.require(r.cs_range >= r.tx_range, "radio.cs_range", || {
        format!("found {} m; a frame that can be received (tx_range {} m) can also be sensed", r.cs_range, r.tx_range)
    });
    channel::check::check(r, config.nodes.len(), found);
    let delay = r.cs_range.max(r.interference_range) / r.propagation_speed;
    let shortest = config.interface_sets().map(|set| set.mac.sifs).min().unwrap_or(config.mac.sifs);
    // Nobody may answer before everyone has heard the frame end, and links keep delays in 16 bits of nanoseconds.
    let most = shortest.as_secs().min(f64::from(u16::MAX) * 1e-9);
    found.require(delay < most, "radio.cs_range", || {
        format!("a signal takes {:.1} us over this range; it must stay below {:.1} us (SIFS)", delay * 1e6, most * 1e6)
    });
}

/// The rates are those of the PHY.
fn check_rates(r: &RadioConfig, section: &str, found: &mut BuildErrors) {
    let rates = [("data_rate", r.data_rate), ("basic_rate", r.basic_rate)];
    let responses = r.response_rates.iter().map(|&rate| ("response_rates", rate));
    for (key, rate) in rates.into_iter().chain(responses) {
        check_rate(r.phy, format!("{section}.{key}"), rate, found);
    }
}

fn check_rate(phy: Phy, key: String, rate: u64, found: &mut BuildErrors) {
    found.require(modes::rates(phy).any(|of_phy| of_phy == rate), key, || {
        let allowed: Vec<String> = modes::rates(phy).map(|r| format!("{}", r as f64 / 1e6)).collect();
        format!("found {} Mbit/s; phy = \"{}\" has {} Mbit/s", rate as f64 / 1e6, phy.word(), allowed.join(", "))
    });
}

fn check_mac(m: &MacConfig, section: &str, found: &mut BuildErrors) {
    let named = |key: &str| format!("{section}.{key}");
    found.require(m.cw_min <= m.cw_max, named("cw_min"), || {
        format!("found cw_min {} and cw_max {}; cw_min <= cw_max is needed", m.cw_min, m.cw_max)
    });
    let has_slot = !found.has(&named("slot"));
    for (key, time) in [("slot_rounding", m.slot_rounding), ("cca_delay", m.cca_delay)] {
        found.require(!has_slot || time < m.slot, named(key), || {
            format!("found {} s; it must stay below the slot time, {} s", seconds(time), seconds(m.slot))
        });
    }
}

fn check_net(config: &Config, found: &mut BuildErrors) {
    let nodes = config.nodes.len();
    let rides = config.net.route_notices == RouteNotices::Packets && config.routing.protocol == RoutingProtocol::Dsr;
    found.require(!rides, "net.route_notices".to_string(), || {
        "found \"packets\" together with routing.protocol = \"dsr\"; its route error is the notice, only \"routing\" is allowed".to_string()
    });
    if let Some(node) = config.net.window_gateways.iter().find(|&&node| node >= nodes as u64) {
        found.note(Err(BuildError::no_such_node("net.window_gateways", node, nodes)));
    }
}

/// What a mesh cannot have here.
fn check_mesh(config: &Config, found: &mut BuildErrors) {
    let nodes = config.nodes.len();
    if let Some(root) = config.hwmp.root.filter(|&root| root as usize >= nodes) {
        found.note(Err(BuildError::no_such_node("routing.hwmp.root", root, nodes)));
    }
    found.require(config.wires.is_empty(), "routing.protocol", || {
        "found \"hwmp\" together with wires; a mesh of 802.11 has none, and gates out of it are not modelled"
            .to_string()
    });
    for set in config.interface_sets() {
        for (key, is_off) in
            [("fragmentation_threshold", set.mac.fragmentation_threshold.is_none()), ("amsdu", set.mac.amsdu.is_none())]
        {
            found.require(is_off, format!("{}.{key}", set.mac_key), || {
                "found together with routing.protocol = \"hwmp\"; frames of a mesh go whole and with one packet here, only \"off\" is allowed"
                    .to_string()
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::outage::Outage;
    use crate::config::{App, FlowConfig, HostConfig, Transport, WireConfig, presets};
    use hopscope_phy::config::radio::ErrorKind;
    use hopscope_tcp::config::tcp::{CongestionControl, LossRecovery};
    use hopscope_transport::config::ControlChoice;

    fn network() -> Config {
        let base = presets::base("standard", "wavelan-2M").expect("a profile and a preset");
        let mut config = base.clone().config(vec![[0.0, 0.0], [200.0, 0.0]], Span::from_secs(1));
        let flow = serde_json::json!({
            "from": 0, "to": 1, "transport": "tcp", "app": {"kind": "cbr", "rate": 160_000.0}, "packet": 1000,
            "max_window": 4, "start": 0, "ack": "every", "ack_delay": 1, "tcp": base.tcp,
        });
        config.flows.push(serde_json::from_value(flow).expect("a flow"));
        config
    }

    fn keys(config: &Config) -> Vec<String> {
        problems(config).into_iter().map(|error| error.key).collect()
    }

    fn keys_of(config: &Config, section: &str) -> Vec<String> {
        keys(config).into_iter().filter(|key| key.starts_with(section)).collect()
    }

    #[test]
    fn a_mesh_has_no_wires_fragments_and_a_msdus_and_its_root_exists() {
        let mut config = network();
        config.routing.protocol = RoutingProtocol::Hwmp;
        config.hwmp.root = Some(1);
        assert_eq!(keys(&config), [""; 0]);
        config.hwmp.root = Some(2);
        (config.mac.fragmentation_threshold, config.mac.amsdu) = (Some(500), Some(3839));
        let found = keys_of(&config, "");
        for key in ["routing.hwmp.root", "mac.fragmentation_threshold", "mac.amsdu"] {
            assert!(found.iter().any(|found| found == key), "{key}: {found:?}");
        }
    }

    #[test]
    fn all_mistakes_of_sections_are_reported_at_once() {
        let mut config = network();
        assert_eq!(keys(&config), [""; 0]);
        config.radio.tx_range = f64::NAN;
        config.radio.error_kind = ErrorKind::Markov;
        config.radio.error_transitions = vec![vec![1.0], vec![0.5, 1.5]];
        config.mac.queue = 0;
        config.mac.cca_delay = config.mac.slot;
        config.net.ttl = 256;
        config.net.window_gateways = vec![2];
        let found = problems(&config);
        let keys: Vec<&str> = found.iter().map(|error| error.key.as_str()).collect();
        let ranges = ["radio.tx_range", "radio.error_transitions.1.1", "mac.queue", "net.ttl"];
        let rules = [
            "radio.cs_range",
            "radio.error_transitions.0",
            "radio.error_transitions.1",
            "radio.error_state_per",
            "mac.cca_delay",
            "net.window_gateways",
        ];
        assert_eq!(keys, [&ranges[..], &rules[..]].concat());
        assert_eq!(found[2].message, "found 0; allowed is at least 1 and at most 1000000 packets");
    }

    #[test]
    fn mistakes_of_every_section_are_reported_at_once() {
        let mut config = network();
        config.warmup = config.duration;
        config.nodes.push([f64::NAN, 0.0]);
        config.routing.protocol = RoutingProtocol::Aodv;
        config.aodv.buffer_packets = 0;
        config.aodv.hello_jitter = config.aodv.hello_interval;
        let wire = WireConfig { loss: 2.0, hops: 0, ..WireConfig::between([0, 9], 1, Span::ZERO, 1) };
        config.wires = vec![wire.clone(), wire];
        config.hosts = vec![HostConfig { wifi: false, ..HostConfig::of(&[1, u32::MAX]) }, HostConfig::of(&[1])];
        config.link.red_max = config.link.red_min;
        config.outages = vec![Outage { node: 7, from: Time::ZERO, to: Some(Time::ZERO) }];
        let flow = &mut config.flows[0];
        flow.packet = 100_000;
        flow.transport = Transport::TcpReno;
        flow.control = Some(ControlChoice::BuiltIn(CongestionControl::Cubic));
        flow.recovery = LossRecovery::Sack;
        (flow.from_port, flow.to_port) = (Some(0), Some(65_536));
        let expected = [
            "nodes.2",
            "warmup",
            "wires.0.ends.1",
            "wires.0.loss",
            "wires.0.hops",
            "wires.1.ends.1",
            "wires.1.loss",
            "wires.1.hops",
            "hosts.0.nodes.1",
            "hosts.1.nodes.0",
            "link.red_max",
            "routing.aodv.buffer_packets",
            "routing.aodv.hello_jitter",
            "outages.0.node",
            "outages.0.to",
            "flows.0.packet",
            "flows.0.control",
            "flows.0.recovery",
            "flows.0.from_port",
            "flows.0.to_port",
        ];
        assert_eq!(keys(&config), expected);
    }

    #[test]
    fn what_cannot_be_looked_at_hides_nothing_else() {
        let mut config = network();
        config.nodes.clear();
        config.duration = Time::ZERO;
        config.mac.max_msdu = 0;
        config.flows[0].packet = 0;
        let found = problems(&config);
        let keys: Vec<&str> = found.iter().map(|error| error.key.as_str()).collect();
        assert_eq!(keys, ["mac.max_msdu", "nodes", "duration", "flows.0.from", "flows.0.to"]);
        assert_eq!(found[3].message, "node 0 does not exist; there are none");
        // A packet is not weighed by a header that cannot be, yet by one that has nothing to do with what is wrong.
        let mut config = network();
        config.mac.queue_reserve = 1_000_001;
        config.radio.tx_range = -1.0;
        config.flows[0].packet = 100_000;
        config.flows[0].tcp.header = 10_000;
        assert!(!keys_of(&config, "flows.0").contains(&"flows.0.packet".to_string()));
        config.flows[0].tcp.header = 20;
        config.mac.queue_reserve = 0;
        assert_eq!(keys_of(&config, "flows.0"), ["flows.0.packet"]);
    }

    #[test]
    fn settings_that_a_host_shares_are_reported_once() {
        let mut config = network();
        config.hosts = vec![HostConfig { mac: Some(config.mac.clone()), ..HostConfig::of(&[1]) }];
        config.radio.data_rate = 3;
        assert_eq!(keys(&config), ["radio.data_rate"]);
    }

    #[test]
    fn every_flow_out_of_reach_is_reported_and_a_reply_with_its_flow() {
        let mut config = network();
        config.nodes.push([9_000.0, 0.0]);
        config.flows[0].reply = Some(App::Bulk);
        config.flows[0].to = 2;
        config.flows.push(FlowConfig { reply: None, to: 1, ..config.flows[0].clone() });
        config.flows.push(FlowConfig { from: 1, to: 2, ..config.flows[0].clone() });
        assert_eq!(keys(&config), [""; 0]);
        let mut reachability = super::super::Reachability::default();
        let mut lost = |config: &Config| -> Vec<String> {
            super::super::out_of_reach(config, &mut reachability).into_iter().map(|error| error.key).collect()
        };
        assert_eq!(lost(&config), ["flows.0.to", "flows.2.to"]);
        assert_eq!(lost(&config), ["flows.0.to", "flows.2.to"]);
        config.nodes[2] = [450.0, 0.0];
        assert_eq!(lost(&config), [""; 0]);
        config.radio.tx_range = 150.0;
        assert_eq!(lost(&config), ["flows.0.to", "flows.1.to", "flows.2.to"]);
    }

    #[test]
    fn all_mistakes_of_a_flow_are_reported_at_once_even_with_those_of_sections() {
        let mut config = network();
        config.mac.queue = 0;
        let flow = &mut config.flows[0];
        flow.to = 2;
        flow.max_window = 0;
        flow.start = Time::ZERO + Span::from_secs(2);
        flow.stop = Some(flow.start);
        flow.app = App::cbr(0.0);
        flow.tcp.vegas_alpha = 4.0;
        flow.tcp.min_rto = flow.tcp.max_rto + Span(1);
        let of_flow = ["to", "start", "stop", "app.rate", "tcp.min_rto", "tcp.vegas_alpha"];
        let named = of_flow.map(|name| format!("flows.0.{name}"));
        assert_eq!(keys(&config), [&["mac.queue".to_string(), "flows.0.max_window".to_string()][..], &named].concat());
    }
}
