//! What a configuration must hold to be built.

use crate::config::{AckPolicy, App, Config, FlowConfig, LONGEST, MacConfig, RadioConfig, seconds};
use hopscope_core::error::{BuildError, BuildErrors, require};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_mac::MacRules;
use hopscope_mac::fragment::{self, Fragmentation};
use hopscope_net::config::net::{RouteNotices, RoutingProtocol};
use hopscope_net::iface::rules::InterfaceSet;
use hopscope_packet::atp::AtpPacket;
use hopscope_packet::dccp::MAX_DATA_HEADER;
use hopscope_phy::channel;
use hopscope_phy::config::radio::{Fading, Phy, Shadowing};
use hopscope_phy::phy::modes;
use hopscope_tcp::config::tcp::Handshake;
use hopscope_transport::{Protocol, sockets};

/// More nodes than this are refused: each has two air slots.
const MAX_NODES: usize = hopscope_phy::phy::arrival::MAX_SLOTS as usize / 2;
/// Most that the 16-bit Duration field can announce (IEEE 802.11-2020 9.2.4.2).
const LONGEST_DURATION: Span = Span::from_micros(32_767);
/// Most packets of one frame of a trace: they leave in one burst.
const MAX_BURST: u32 = 100_000;
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
    for set in config.interfaces() {
        check_rates(&set.radio, &set.rates_key, &mut found);
        check_mac(set.mac, &set.mac_key, &mut found);
        for &rate in &set.mac.rates {
            check_rate(set.radio.phy, format!("{}.rates", set.mac_key), rate, &mut found);
        }
    }
    check_net(config, &mut found);
    found.note_all(config.check_link_layers());
    match config.routing.protocol {
        RoutingProtocol::Static => {}
        RoutingProtocol::Aodv => found.note_all(config.aodv.check()),
        RoutingProtocol::Dsdv => found.note_all(config.dsdv.check()),
        RoutingProtocol::Dsr => found.note_all(config.dsr.check()),
        RoutingProtocol::Olsr => found.note_all(config.olsr.check()),
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
    let shortest = config.interfaces().map(|set| set.mac.sifs).min().unwrap_or(config.mac.sifs);
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

fn check_flow(config: &Config, number: usize, flow: &FlowConfig, on_air: bool, found: &mut BuildErrors) {
    let key = |name: &str| format!("flows.{number}.{name}");
    let nodes = config.nodes.len();
    let mut exist = true;
    for (name, node) in [("from", flow.from), ("to", flow.to)] {
        if node as usize >= nodes {
            exist = false;
            found.note(Err(BuildError::no_such_node(key(name), node, nodes)));
        }
    }
    found.require(!exist || flow.from != flow.to, key("to"), || {
        format!("a flow needs two different nodes, found {} twice", flow.to)
    });
    for set in config.interfaces().filter(|_| on_air && exist) {
        check_packet(config, &set, number, flow, found);
    }
    let starts = found.require(found.has("duration") || flow.start < config.duration, key("start"), || {
        format!(
            "the flow would never start: found {} s, the run ends at {} s",
            flow.start.as_secs(),
            config.duration.as_secs()
        )
    });
    let latest = Time(flow.start.0.saturating_add(flow.start_jitter.0));
    found.require(!starts || found.has("duration") || latest < config.duration, key("start_jitter"), || {
        format!(
            "found {} s: the flow could start at {} s, the run ends at {} s",
            seconds(flow.start_jitter),
            latest.as_secs(),
            config.duration.as_secs()
        )
    });
    if let Some(stop) = flow.stop.filter(|&stop| stop <= latest) {
        let message =
            format!("found {} s; it must lie after start and start_jitter, {} s", stop.as_secs(), latest.as_secs());
        found.note(Err(BuildError::new(key("stop"), message)));
    }
    check_app(&flow.app, flow.packet, |name| key(&format!("app.{name}")), found);
    if let Some(reply) = &flow.reply {
        found.require(flow.transport.is_tcp(), key("reply"), || {
            let word = flow.transport.word();
            format!("found together with transport \"{word}\"; a reply goes back over a TCP connection")
        });
        found.require(flow.tcp.handshake == Handshake::ThreeWay, key("reply"), || {
            "found together with tcp.handshake = \"ns2\"; data both ways needs \"three-way\"".to_string()
        });
        check_app(reply, flow.packet, |name| key(&format!("reply.{name}")), found);
    }
    found.note_all(flow.check_transport(key));
    if flow.transport.is_tcp() {
        check_tcp(number, flow, found);
    }
}

/// The packet with all its headers fits the MAC, and its exchange the Duration field.
fn check_packet(config: &Config, set: &InterfaceSet<'_>, number: usize, flow: &FlowConfig, found: &mut BuildErrors) {
    let InterfaceSet { radio, mac, mac_key, rates_key, .. } = set;
    let key = |name: &str| format!("flows.{number}.{name}");
    // Reckoned with sound values alone.
    if ["net", mac_key, &key("tcp")].into_iter().any(|section| found.has_within(section)) {
        return;
    }
    let transport_header = match Protocol::used_by(flow.transport) {
        Protocol::Tcp => flow.tcp.header + flow.connection().data_options(),
        Protocol::Udp => config.net.udp_header,
        // Which header a packet gets shows in the run alone: the longest has to fit.
        Protocol::Dccp => MAX_DATA_HEADER,
        Protocol::Atp => AtpPacket::default().header_bytes(),
    };
    let header = config.net.ip_header + transport_header;
    let most = mac.max_msdu.saturating_sub(header + mac.llc_header);
    // Before the exchange is reckoned, which a packet that is too long would overflow.
    let fits = found.require(flow.packet >= 1 && flow.packet <= most, key("packet"), || {
        format!("found {} bytes; allowed are 1 to {most} ({mac_key}.max_msdu less all headers)", flow.packet)
    });
    if !fits || ["radio", rates_key].into_iter().any(|section| found.has_within(section)) {
        return;
    }
    let whole = flow.packet + header + mac.llc_header + mac.data_header;
    let cut = Fragmentation::new(mac);
    if let (Some(cut), Some(threshold)) = (&cut, mac.fragmentation_threshold) {
        found.require(cut.bytes(whole, 0) <= threshold, key("packet"), || {
            format!(
                "found {} bytes: with {mac_key}.fragmentation_threshold = {threshold} they make more than {} fragments",
                flow.packet,
                fragment::MOST
            )
        });
    }
    let duration = MacRules::new(radio, mac).longest_duration(NodeId(flow.to), whole);
    found.require(duration <= LONGEST_DURATION, key("packet"), || {
        format!(
            "found {} bytes: the exchange takes {} us at this rate, the Duration field holds 32767",
            flow.packet,
            duration.0 / 1_000
        )
    });
}

fn check_tcp(number: usize, flow: &FlowConfig, found: &mut BuildErrors) {
    let key = |name: &str| format!("flows.{number}.{name}");
    let t = &flow.tcp;
    let delayed = match flow.ack {
        AckPolicy::Fixed => Some(("tcp.ack_every", t.ack_every)),
        AckPolicy::Daa | AckPolicy::Daap | AckPolicy::Mda => Some(("tcp.daa_most", t.daa_most)),
        AckPolicy::Every | AckPolicy::Delayed | AckPolicy::Ns2Delack | AckPolicy::Linux | AckPolicy::LinuxModern => {
            None
        }
        AckPolicy::Tack => Some(("tcp.tack_segments", t.tack_segments)),
        AckPolicy::Asym => Some(("tcp.asym_most", t.asym_most)),
        // Their windows follow the sender's, or start with more than that and go down.
        AckPolicy::Lda | AckPolicy::Ada | AckPolicy::Dca | AckPolicy::IatWindow | AckPolicy::Quic => None,
        AckPolicy::External => None,
    };
    if let Some((name, segments)) = delayed {
        found.require((1..=flow.max_window).contains(&segments), key(name), || {
            format!("found {segments}; allowed are 1 to max_window, {}: more are never in flight", flow.max_window)
        });
    }
    let (is_external, has_name) = (flow.ack == AckPolicy::External, flow.ack_code.is_some());
    found.require(is_external == has_name, key("ack"), || {
        let what = if is_external { "nothing names its code" } else { "the name of other code stands with it" };
        format!("found \"{}\"; {what}", flow.ack.word())
    });
    found.note_all(t.check(|name| key(&format!("tcp.{name}"))));
}

fn check_app(app: &App, packet: u32, key: impl Fn(&str) -> String, found: &mut BuildErrors) {
    match *app {
        App::Bulk => {}
        App::Trace { ref frames } => {
            found.require(!frames.is_empty(), key("frames"), || "a trace needs at least one frame".to_string());
            let late = frames.iter().position(|(at, _)| at.0 > MAX_DURATION.0);
            found.require(late.is_none(), key("frames"), || {
                format!("frame {} is too late; frames may come for at most 100 years", late.unwrap_or(0))
            });
            let large = frames.iter().find(|(_, bytes)| bytes.div_ceil(packet.max(1)) > MAX_BURST);
            found.require(large.is_none(), key("frames"), || {
                let bytes = large.map_or(0, |&(_, bytes)| bytes);
                format!("found {bytes} bytes; at most {MAX_BURST} packets a frame are allowed, {packet} bytes each")
            });
            let unordered = frames.windows(2).position(|pair| pair[1].0 < pair[0].0);
            found.require(unordered.is_none(), key("frames"), || {
                format!(
                    "frame {} comes before the one ahead of it; they must be in order of time",
                    unordered.unwrap_or(0) + 1
                )
            });
        }
        App::File { bytes } => {
            // Far below u64::MAX, which stands for data without end.
            found.require((1..u64::MAX / 2).contains(&bytes), key("bytes"), || {
                format!("found {bytes}; at least 1 byte is needed, and less than 2^63")
            });
        }
        App::Cbr { rate, .. } | App::Poisson { rate } | App::OnOff { rate, .. } => {
            found.require(rate.is_finite() && rate > 0.0 && rate <= 1e12, key("rate"), || {
                format!("found {rate:e} bit/s; more than zero and at most 1e12 is allowed")
            });
            if let App::OnOff { on, off, .. } = *app {
                for (name, time) in [("on", on), ("off", off)] {
                    found.require(time >= Span::from_micros(1) && time <= LONGEST, key(name), || {
                        format!(
                            "found {} s; at least 1 us and at most {} s is allowed",
                            seconds(time),
                            seconds(LONGEST)
                        )
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::outage::Outage;
    use crate::config::{HostConfig, Transport, WireConfig, presets};
    use hopscope_phy::config::radio::ErrorKind;
    use hopscope_tcp::config::tcp::{CongestionControl, LossRecovery};
    use hopscope_transport::config::flow::ControlChoice;

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
