//! What a configuration must hold to be built.

use crate::channel;
use crate::config::host::InterfaceSet;
use crate::config::net::RoutingProtocol;
use crate::config::tcp::Handshake;
use crate::config::{AckPolicy, App, Config, FlowConfig, LONGEST, MacConfig, RadioConfig, seconds};
use crate::error::{BuildError, require};
use crate::ids::NodeId;
use crate::mac::MacRules;
use crate::mac::fragment::{self, Fragmentation};
use crate::packet::dccp::MAX_DATA_HEADER;
use crate::phy::modes;
use crate::transport::tcp::TIMESTAMPS_OPTION;
use crate::transport::{Protocol, sockets};
use crate::units::{Span, Time};

/// More nodes than this are refused: each has two air slots.
const MAX_NODES: usize = crate::phy::arrival::MAX_SLOTS as usize / 2;
/// Most that the 16-bit Duration field can announce (IEEE 802.11-2020 9.2.4.2).
const LONGEST_DURATION: Span = Span::from_micros(32_767);
/// Most packets of one frame of a trace: they leave in one burst.
const MAX_BURST: u32 = 100_000;
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
    let mut found = config.outside();
    let run = check_run(config);
    let is_sound = run.is_ok();
    let mut note = |checked: Result<(), BuildError>| match checked {
        Err(error) if found.iter().all(|known| known.key != error.key) => found.push(error),
        Err(_) | Ok(()) => {}
    };
    note(run);
    if !is_sound {
        return found; // what follows counts on nodes and times
    }
    note(check_radio(config));
    note(config.check_hosts());
    for set in config.interfaces() {
        note(check_rates(&set.radio, &set.rates_key));
        note(check_mac(set.mac, &set.mac_key));
    }
    note(check_net(config));
    note(config.check_link_layers());
    match config.routing.protocol {
        RoutingProtocol::Static => {}
        RoutingProtocol::Aodv => note(config.aodv.check()),
        RoutingProtocol::Dsdv => note(config.dsdv.check()),
        RoutingProtocol::Dsr => note(config.dsr.check()),
        RoutingProtocol::Olsr => note(config.olsr.check()),
    }
    for (number, outage) in config.outages.iter().enumerate() {
        note(outage.check(number, config.nodes.len()));
    }
    if found.is_empty() {
        // Sizes of packets are reckoned with sound sections alone.
        let flows = config.flows.iter().enumerate();
        found = flows.filter_map(|(number, flow)| check_flow(config, number, flow).err()).collect();
    }
    found.extend(sockets::assign_ports(&config.flows).err());
    found
}

/// A time is more than zero and at most `most`.
fn require_time(key: impl Into<String>, found: Span, most: Span) -> Result<(), BuildError> {
    require(found > Span::ZERO && found <= most, key, || {
        format!("found {} s; more than zero and at most {} s is allowed", seconds(found), seconds(most))
    })
}

/// A time is at most `most`.
fn require_time_up_to(key: impl Into<String>, found: Span, most: Span) -> Result<(), BuildError> {
    require(found <= most, key, || format!("found {} s; at most {} s is allowed", seconds(found), seconds(most)))
}

/// A position is within the space that there is.
pub(super) fn position(key: impl Into<String>, p: [f64; 2]) -> Result<(), BuildError> {
    require(p.iter().all(|c| c.is_finite() && c.abs() <= 1e9), key, || {
        format!("found position {p:?}; coordinates are metres between -1e9 and 1e9")
    })
}

fn check_run(config: &Config) -> Result<(), BuildError> {
    let nodes = config.nodes.len();
    require((1..=MAX_NODES).contains(&nodes), "nodes", || {
        format!("found {nodes} nodes; allowed are 1 to {MAX_NODES}")
    })?;
    for (n, &p) in config.nodes.iter().enumerate() {
        position(format!("nodes.{n}"), p)?;
    }
    require(config.duration > Time::ZERO && config.duration <= MAX_DURATION, "duration", || {
        format!("found {} s; allowed is more than zero and at most 100 years", config.duration.as_secs())
    })?;
    require(config.warmup < config.duration, "warmup", || {
        format!(
            "found {} s; it must end before the run does, at {} s",
            config.warmup.as_secs(),
            config.duration.as_secs()
        )
    })?;
    require(config.starved_after > Span::ZERO, "starved_after", || "found 0 s; more than zero is needed".to_string())?;
    let interval = config.series.interval;
    require(!config.series.is_sampled() || interval >= Span::from_micros(1), "series.interval", || {
        format!("found {} s; queue and throughput series need a sampling interval of at least 1 us", seconds(interval))
    })
}

fn check_radio(config: &Config) -> Result<(), BuildError> {
    let r = &config.radio;
    for (key, value) in [
        ("tx_range", r.tx_range),
        ("cs_range", r.cs_range),
        ("interference_range", r.interference_range),
        ("tx_power", r.tx_power),
        ("frequency", r.frequency),
        ("antenna_height", r.antenna_height),
        ("antenna_gain", r.antenna_gain),
        ("propagation_speed", r.propagation_speed),
    ] {
        require(value.is_finite() && value > 0.0, format!("radio.{key}"), || {
            format!("found {value}; it must be a positive number")
        })?;
    }
    require(r.cs_range >= r.tx_range, "radio.cs_range", || {
        format!("found {} m; a frame that can be received (tx_range {} m) can also be sensed", r.cs_range, r.tx_range)
    })?;
    require(r.capture_threshold.is_finite() && r.capture_threshold >= 1.0, "radio.capture_threshold", || {
        format!("found {}; a power ratio of 1 or more is allowed", r.capture_threshold)
    })?;
    require(r.system_loss.is_finite() && r.system_loss >= 1.0, "radio.system_loss", || {
        format!("found {}; a loss of 1 or more is allowed", r.system_loss)
    })?;
    require(r.noise_floor.is_finite(), "radio.noise_floor", || {
        format!("found {}; a level in dBm is needed", r.noise_floor)
    })?;
    channel::check::check(r, config.nodes.len())?;
    for (key, bits) in [("plcp_bits_1m", r.plcp_bits_1m), ("plcp_bits_2m", r.plcp_bits_2m)] {
        require(bits <= 10_000, format!("radio.{key}"), || format!("found {bits}; allowed are 0 to 10000 bits"))?;
    }
    let delay = r.cs_range.max(r.interference_range) / r.propagation_speed;
    let shortest = config.interfaces().map(|set| set.mac.sifs).min().unwrap_or(config.mac.sifs);
    let most = shortest.as_secs().min(f64::from(u16::MAX) * 1e-9);
    require(delay < most, "radio.cs_range", || {
        format!("a signal takes {:.1} us over this range; it must stay below {:.1} us (SIFS)", delay * 1e6, most * 1e6)
    })
}

/// The rates are those of the PHY.
fn check_rates(r: &RadioConfig, section: &str) -> Result<(), BuildError> {
    let rates = [("data_rate", r.data_rate), ("basic_rate", r.basic_rate)];
    let responses = r.response_rates.iter().map(|&rate| ("response_rates", rate));
    for (key, rate) in rates.into_iter().chain(responses) {
        require(modes::rates(r.phy).any(|of_phy| of_phy == rate), format!("{section}.{key}"), || {
            let allowed: Vec<String> = modes::rates(r.phy).map(|r| format!("{}", r as f64 / 1e6)).collect();
            let (found, phy) = (rate as f64 / 1e6, r.phy.word());
            format!("found {found} Mbit/s; phy = \"{phy}\" has {} Mbit/s", allowed.join(", "))
        })?;
    }
    Ok(())
}

fn check_mac(m: &MacConfig, section: &str) -> Result<(), BuildError> {
    let named = |key: &str| format!("{section}.{key}");
    require_time(named("slot"), m.slot, Span::from_millis(10))?;
    require_time(named("sifs"), m.sifs, Span::from_millis(10))?;
    require_time(named("receive_lifetime"), m.receive_lifetime, Span::from_secs(60))?;
    require_time_up_to(named("timeout_margin"), m.timeout_margin, Span::from_millis(1))?;
    require(m.cw_min >= 1 && m.cw_min <= m.cw_max && m.cw_max <= 65_535, named("cw_min"), || {
        format!("found cw_min {} and cw_max {}; 1 <= cw_min <= cw_max <= 65535 is allowed", m.cw_min, m.cw_max)
    })?;
    for (key, value) in [
        ("short_retry_limit", m.short_retry_limit),
        ("long_retry_limit", m.long_retry_limit),
        ("retry_limit", m.retry_limit.unwrap_or(1)),
        ("cw_reset_failures", m.cw_reset_failures.unwrap_or(1)),
        ("queue", m.queue),
        ("max_msdu", m.max_msdu),
    ] {
        require((1..=1_000_000).contains(&value), named(key), || format!("found {value}; allowed are 1 to 1000000"))?;
    }
    for (key, value) in [("data_header", m.data_header), ("llc_header", m.llc_header)] {
        require(value <= 1_000, named(key), || format!("found {value}; allowed are 0 to 1000 bytes"))?;
    }
    let threshold = m.fragmentation_threshold;
    require(threshold.is_none_or(|t| (256..=8_000).contains(&t)), named("fragmentation_threshold"), || {
        format!("found {}; allowed are 256 to 8000 bytes, or \"off\"", threshold.unwrap_or(0))
    })?;
    require(m.slot_rounding < m.slot, named("slot_rounding"), || {
        format!("found {} s; it must stay below the slot time, {} s", seconds(m.slot_rounding), seconds(m.slot))
    })?;
    require(m.cca_delay < m.slot, named("cca_delay"), || {
        format!("found {} s; it must stay below the slot time, {} s", seconds(m.cca_delay), seconds(m.slot))
    })
}

fn check_net(config: &Config) -> Result<(), BuildError> {
    let n = &config.net;
    require((1..=255).contains(&n.ttl), "net.ttl", || format!("found {}; allowed are 1 to 255 hops", n.ttl))?;
    let nodes = config.nodes.len();
    if let Some(node) = n.window_gateways.iter().find(|&&node| node >= nodes as u64) {
        return Err(BuildError::no_such_node("net.window_gateways", node, nodes));
    }
    require(n.window_idle > Span::ZERO, "net.window_idle", || "found 0 s; more than zero is needed".to_string())?;
    require_time_up_to("net.link_delay", n.link_delay, Span::from_secs(1))?;
    for (key, value) in [("ip_header", n.ip_header), ("udp_header", n.udp_header)] {
        require(value <= 1_000, format!("net.{key}"), || format!("found {value}; allowed are 0 to 1000 bytes"))?;
    }
    Ok(())
}

fn check_flow(config: &Config, number: usize, flow: &FlowConfig) -> Result<(), BuildError> {
    let key = |name: &str| format!("flows.{number}.{name}");
    let nodes = config.nodes.len();
    for (name, node) in [("from", flow.from), ("to", flow.to)] {
        if node as usize >= nodes {
            return Err(BuildError::no_such_node(key(name), node, nodes));
        }
    }
    require(flow.from != flow.to, key("to"), || format!("a flow needs two different nodes, found {} twice", flow.to))?;
    // Where nobody has a radio, no MAC limits a packet.
    let on_air = (0..nodes as u32).any(|node| config.has_wifi(node));
    for set in config.interfaces().filter(|_| on_air) {
        check_packet(config, &set, number, flow)?;
    }
    require(flow.start < config.duration, key("start"), || {
        format!(
            "the flow would never start: found {} s, the run ends at {} s",
            flow.start.as_secs(),
            config.duration.as_secs()
        )
    })?;
    let latest = Time(flow.start.0.saturating_add(flow.start_jitter.0));
    require(latest < config.duration, key("start_jitter"), || {
        format!(
            "found {} s: the flow could start at {} s, the run ends at {} s",
            seconds(flow.start_jitter),
            latest.as_secs(),
            config.duration.as_secs()
        )
    })?;
    if let Some(stop) = flow.stop.filter(|&stop| stop <= latest) {
        let message =
            format!("found {} s; it must lie after start and start_jitter, {} s", stop.as_secs(), latest.as_secs());
        return Err(BuildError::new(key("stop"), message));
    }
    check_app(&flow.app, flow.packet, |name| key(&format!("app.{name}")))?;
    if let Some(reply) = &flow.reply {
        require(flow.transport.is_tcp(), key("reply"), || {
            let word = flow.transport.word();
            format!("found beside transport \"{word}\"; a reply goes back over a TCP connection")
        })?;
        require(flow.tcp.handshake == Handshake::ThreeWay, key("reply"), || {
            "found beside tcp.handshake = \"ns2\"; data both ways needs \"three-way\"".to_string()
        })?;
        check_app(reply, flow.packet, |name| key(&format!("reply.{name}")))?;
    }
    flow.check_transport(key)?;
    if flow.transport.is_tcp() { check_tcp(number, flow) } else { Ok(()) }
}

/// The packet with all its headers fits the MAC, and its exchange the Duration field.
fn check_packet(config: &Config, set: &InterfaceSet<'_>, number: usize, flow: &FlowConfig) -> Result<(), BuildError> {
    let key = |name: &str| format!("flows.{number}.{name}");
    for (name, bytes, most) in
        [("tcp.header", flow.tcp.header, 1_000), ("tcp.sack_option_base", flow.tcp.sack_option_base, 100)]
    {
        require(bytes <= most, key(name), || format!("found {bytes}; allowed are 0 to {most} bytes"))?;
    }
    let stamps = if flow.tcp.timestamps { TIMESTAMPS_OPTION } else { 0 };
    let transport_header = match Protocol::used_by(flow.transport) {
        Protocol::Tcp => flow.tcp.header + stamps,
        Protocol::Udp => config.net.udp_header,
        Protocol::Dccp => MAX_DATA_HEADER,
    };
    let header = config.net.ip_header + transport_header;
    let InterfaceSet { radio, mac, mac_key, .. } = set;
    let most = mac.max_msdu.saturating_sub(header + mac.llc_header);
    require(flow.packet >= 1 && flow.packet <= most, key("packet"), || {
        format!("found {} bytes; allowed are 1 to {most} ({mac_key}.max_msdu less all headers)", flow.packet)
    })?;
    let whole = flow.packet + header + mac.llc_header + mac.data_header;
    let cut = Fragmentation::new(mac);
    if let (Some(cut), Some(threshold)) = (&cut, mac.fragmentation_threshold) {
        require(cut.bytes(whole, 0) <= threshold, key("packet"), || {
            format!(
                "found {} bytes: with {mac_key}.fragmentation_threshold = {threshold} they make more than {} fragments",
                flow.packet,
                fragment::MOST
            )
        })?;
    }
    let duration = MacRules::new(radio, mac).longest_duration(NodeId(flow.to), whole);
    require(duration <= LONGEST_DURATION, key("packet"), || {
        format!(
            "found {} bytes: the exchange takes {} us at this rate, the Duration field holds 32767",
            flow.packet,
            duration.0 / 1_000
        )
    })
}

fn check_tcp(number: usize, flow: &FlowConfig) -> Result<(), BuildError> {
    let key = |name: &str| format!("flows.{number}.{name}");
    let t = &flow.tcp;
    for (name, count, least, most) in [
        ("max_window", flow.max_window, 1, 100_000),
        ("tcp.dupack_threshold", t.dupack_threshold, 1, 1_000),
        ("tcp.max_sack_blocks", t.max_sack_blocks, 1, 3),
        ("tcp.linux_quickacks", t.linux_quickacks, 0, 1_000),
        ("tcp.initial_window", t.initial_window, 0, 1_000),
        ("tcp.cwnd_limit", t.cwnd_limit, 0, 100_000),
    ] {
        require((least..=most).contains(&count), key(name), || {
            format!("found {count}; allowed are {least} to {most}")
        })?;
    }
    let delayed = match flow.ack {
        AckPolicy::Fixed => Some(("tcp.ack_every", t.ack_every)),
        AckPolicy::Daa | AckPolicy::Daap => Some(("tcp.daa_most", t.daa_most)),
        AckPolicy::Every | AckPolicy::Delayed | AckPolicy::Ns2Delack | AckPolicy::Linux | AckPolicy::LinuxModern => {
            None
        }
        AckPolicy::Lda | AckPolicy::Ada => None,
    };
    if let Some((name, segments)) = delayed {
        require((1..=flow.max_window).contains(&segments), key(name), || {
            format!("found {segments}; allowed are 1 to max_window, {}: more are never in flight", flow.max_window)
        })?;
    }
    let day = Span::from_secs(86_400);
    for (name, time, most) in [
        ("ack_delay", flow.ack_delay, Span::from_secs(10)),
        ("tcp.initial_rto", t.initial_rto, Span::from_secs(3_600)),
        ("tcp.max_rto", t.max_rto, day),
        ("tcp.clock_granularity", t.clock_granularity, Span::from_secs(1)),
        ("tcp.linux_ack_min", t.linux_ack_min, Span::from_secs(10)),
    ] {
        require_time(key(name), time, most)?;
    }
    require_time_up_to(key("tcp.time_wait"), t.time_wait, day)?;
    require(t.min_rto <= t.max_rto, key("tcp.min_rto"), || {
        format!("found {} s; it must not exceed max_rto, {} s", seconds(t.min_rto), seconds(t.max_rto))
    })?;
    t.check(|name| key(&format!("tcp.{name}")))?;
    let vegas = [("vegas_alpha", t.vegas_alpha), ("vegas_beta", t.vegas_beta), ("vegas_gamma", t.vegas_gamma)];
    for (name, segments) in vegas {
        require(segments.is_finite() && segments >= 0.0, key(&format!("tcp.{name}")), || {
            format!("found {segments}; it must be 0 or more segments")
        })?;
    }
    require(t.vegas_alpha <= t.vegas_beta, key("tcp.vegas_alpha"), || {
        format!("found {}; it must not exceed vegas_beta, {}", t.vegas_alpha, t.vegas_beta)
    })
}

fn check_app(app: &App, packet: u32, key: impl Fn(&str) -> String) -> Result<(), BuildError> {
    match *app {
        App::Bulk => Ok(()),
        App::Trace { ref frames } => {
            require(!frames.is_empty(), key("frames"), || "a trace needs at least one frame".to_string())?;
            let late = frames.iter().position(|(at, _)| at.0 > MAX_DURATION.0);
            require(late.is_none(), key("frames"), || {
                format!("frame {} is too late; frames may come for at most 100 years", late.unwrap_or(0))
            })?;
            let large = frames.iter().find(|(_, bytes)| bytes.div_ceil(packet) > MAX_BURST);
            require(large.is_none(), key("frames"), || {
                let bytes = large.map_or(0, |&(_, bytes)| bytes);
                format!("found {bytes} bytes; at most {MAX_BURST} packets a frame are allowed, {packet} bytes each")
            })?;
            let unordered = frames.windows(2).position(|pair| pair[1].0 < pair[0].0);
            require(unordered.is_none(), key("frames"), || {
                format!(
                    "frame {} comes before the one ahead of it; they must be in order of time",
                    unordered.unwrap_or(0) + 1
                )
            })
        }
        App::File { bytes } => require((1..u64::MAX / 2).contains(&bytes), key("bytes"), || {
            format!("found {bytes}; at least 1 byte is needed, and less than 2^63")
        }),
        App::Cbr { rate, .. } | App::Poisson { rate } | App::OnOff { rate, .. } => {
            require(rate.is_finite() && rate > 0.0 && rate <= 1e12, key("rate"), || {
                format!("found {rate:e} bit/s; more than zero and at most 1e12 is allowed")
            })?;
            if let App::OnOff { on, off, .. } = *app {
                for (name, time) in [("on", on), ("off", off)] {
                    require(time >= Span::from_micros(1) && time <= LONGEST, key(name), || {
                        format!(
                            "found {} s; at least 1 us and at most {} s is allowed",
                            seconds(time),
                            seconds(LONGEST)
                        )
                    })?;
                }
            }
            Ok(())
        }
    }
}
