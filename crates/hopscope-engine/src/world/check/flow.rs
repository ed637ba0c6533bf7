//! What a flow must hold to be built: its ends, times and applications, its transport, and its packets on the air.

use super::MAX_DURATION;
use super::qos::check_txop;
use crate::config::{AckPolicy, App, Config, FlowConfig, LONGEST, seconds};
use hopscope_core::error::{BuildError, BuildErrors};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_mac::MacRules;
use hopscope_mac::fragment::{self, Fragmentation};
use hopscope_net::iface::rules::InterfaceSet;
use hopscope_packet::atp::AtpPacket;
use hopscope_packet::dccp::MAX_DATA_HEADER;
use hopscope_tcp::config::tcp::Handshake;
use hopscope_transport::Protocol;

/// Most that the 16-bit Duration field can announce (IEEE 802.11-2020 9.2.4.2).
const LONGEST_DURATION: Span = Span::from_micros(32_767);
/// Most packets of one frame of a trace: they leave in one burst.
const MAX_BURST: u32 = 100_000;

/// What a flow must hold, by itself and in its network.
pub(super) fn check_flow(config: &Config, number: usize, flow: &FlowConfig, on_air: bool, found: &mut BuildErrors) {
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
    for set in config.interface_sets().filter(|_| on_air && exist) {
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
    let whole = flow.packet + header + mac.llc_header + mac.data_overhead();
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
    check_txop(set, flow.to, (flow.dscp, whole), found);
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
