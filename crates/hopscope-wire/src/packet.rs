//! A packet of the engine as octets, from its IP header on, and the body of the frame that carries it.
//!
//! Headers are those of the standards whatever a configuration counts for them. Under profile `standard` they weigh what the engine
//! counts; under `ns2` they often weigh more, since ns-2 leaves some out.
//!
//! Windows are written in the units of the scale in the SYN, rounded down, and without one as 65,535 bytes at most.

use hopscope_core::ids::NodeId;
use hopscope_engine::Config;
use hopscope_engine::config::FlowConfig;
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_packet::arena::Extension;
use hopscope_packet::batman::UNICAST_BYTES;
use hopscope_packet::dccp::DccpPacket;
use hopscope_packet::routing::RoutingMessage;
use hopscope_packet::tcp::{Opening, TcpSegment};
use hopscope_packet::{Body, Packet, PathNoticeKind};

use crate::dccp::{self, Addresses};
use crate::dsr::Dsr;
use crate::icmp::{Icmp, IcmpKind};
use crate::ipv4::{self, Ipv4, Ipv4PathOption};
use crate::link::{self, Arp};
use crate::tcp::{self, Tcp};
use crate::udp::{self, AODV_PORT, BABEL_PORT, DSDV_PORT, Ends, NOTICE_PORT, OLSR_PORT, PATH_NOTICE_PORT};
use crate::{address, aodv, atp, babel, batman, dsdv, notice, olsr, path_notice, payload};

/// Service code of the engine's DCCP connections, "DISC": receivers count data and discard it (RFC 863; IANA, DCCP service codes).
pub const SERVICE: u32 = u32::from_be_bytes(*b"DISC");

/// Time to live of IP where packets go over a mesh (RFC 1700).
const MESH_IP_TTL: u8 = 64;
/// Code of ICMP's Destination Unreachable: the host (RFC 792).
const HOST: u8 = 1;

/// A packet with what the arena keeps for it.
#[derive(Debug, Clone, Copy)]
pub struct FullPacket<'a> {
    /// The packet.
    pub packet: &'a Packet,
    /// Its routing message or source route.
    pub extension: Option<&'a Extension>,
    /// Octets of a packet or an Ethernet frame from outside.
    pub octets: &'a [u8],
}

/// Makes octets of the packets of a run.
#[derive(Debug)]
pub struct Encoder {
    /// Payload bytes of a full packet, by flow.
    full: Vec<u64>,
    /// Flows whose segments report their order (TCP-DOOR).
    ordered: Vec<bool>,
    /// Options of their SYNs.
    openings: Vec<Opening>,
    /// Time to live in the IP headers of data below which batman-adv routes; none under other protocols.
    bridged: Option<u8>,
    /// Packets count the hops of the mesh, which IP takes for one.
    has_mesh: bool,
}

/// What a header in front of an IP payload has to know.
struct Head {
    ends: (NodeId, NodeId),
    protocol: u8,
}

impl Encoder {
    /// For the packets of a configuration, replies included.
    pub fn new(config: &Config) -> Self {
        // With the flows of replies: their packets have numbers of flows too.
        let config = config.measured();
        let full = config.flows.iter().map(|flow| u64::from(flow.packet)).collect();
        let ordered = config.flows.iter().map(|flow| flow.transport.is_tcp() && flow.tcp.door).collect();
        let openings = config.flows.iter().map(FlowConfig::opening).collect();
        let is_bridged = matches!(config.routing.protocol, RoutingProtocol::BatmanIv | RoutingProtocol::BatmanV);
        let bridged = is_bridged.then_some(config.net.ttl.min(255) as u8);
        Encoder { full, ordered, openings, bridged, has_mesh: config.has_mesh() }
    }

    /// Writes the body of the frame in which `sender` sends a packet: LLC header, then the packet.
    pub fn body(&self, whole: FullPacket<'_>, sender: NodeId, out: &mut Vec<u8>) {
        if let Body::Arp { target, reply } = whole.packet.body {
            link::write_llc(out, link::ARP);
            Arp { sender: whole.packet.src, target, is_reply: reply }.write(out);
        } else if let Body::Ethernet { .. } = whole.packet.body {
            let (ether_type, packet) = link::in_ethernet(whole.octets);
            link::write_llc(out, ether_type);
            out.extend(packet);
        } else if let Some(Extension::Message(RoutingMessage::Batman(message))) = whole.extension {
            link::write_llc(out, link::BATMAN);
            batman::write(message, out);
        } else {
            if self.below_ip(whole.packet) > 0 {
                link::write_llc(out, link::BATMAN);
                batman::write_unicast(whole.packet.ttl, (whole.packet.src, whole.packet.dst), out);
            } else {
                link::write_llc(out, link::IPV4);
            }
            self.packet(whole, sender, out);
        }
    }

    /// Octets of batman-adv between LLC and IP in the frames of a packet.
    pub fn below_ip(&self, packet: &Packet) -> u32 {
        let is_bridged = match &packet.body {
            Body::Tcp(_) | Body::Udp { .. } | Body::Dccp(_) | Body::Atp(_) | Body::Opaque { .. } => true,
            // Those of TCP-F go from neighbour to neighbour.
            Body::PathNotice(notice) => notice.kind == PathNoticeKind::Unreachable,
            Body::Arp { .. } | Body::Aodv(_) | Body::Routing | Body::Notice(_) | Body::Ethernet { .. } => false,
        };
        if is_bridged && self.bridged.is_some() { UNICAST_BYTES } else { 0 }
    }

    /// Writes a packet as `sender` sends it, from its IP header on; nothing of what is no IP packet.
    pub fn packet(&self, whole: FullPacket<'_>, sender: NodeId, out: &mut Vec<u8>) {
        let packet = whole.packet;
        if let Body::Opaque { .. } = packet.body {
            out.extend(whole.octets);
            return;
        }
        if let Body::Ethernet { .. } = packet.body {
            let (ether_type, packet) = link::in_ethernet(whole.octets);
            // Others, such as ARP, are no IP packets.
            if matches!(ether_type, link::IPV4 | link::IPV6) {
                out.extend(packet);
            }
            return;
        }
        // ATP learns of its way in its own header.
        let path = packet.path.as_ref().filter(|_| !matches!(packet.body, Body::Atp(_)));
        let path = path.map(Ipv4PathOption::of);
        // The header holds the length of what is behind it, which is written first.
        let start = out.len();
        // Below batman-adv the way of a packet is one hop for IP.
        let bridged = self.bridged.filter(|_| self.below_ip(packet) > 0);
        let ttl = if self.has_mesh { MESH_IP_TTL } else { bridged.unwrap_or(packet.ttl) };
        let empty = Ipv4 { from: [0; 4], to: [0; 4], ttl, protocol: 0, dscp: packet.dscp, ecn: packet.ecn, path };
        let payload = start + empty.bytes();
        out.resize(payload, 0);
        let Some(head) = self.inside(whole, sender, out) else {
            out.truncate(start);
            return;
        };
        let (from, to) = head.ends;
        let header = Ipv4 { from: address::ip(from), to: address::ip(to), protocol: head.protocol, ..empty };
        let length = out.len() - payload;
        header.write_at(&mut out[start..payload], length);
    }

    /// What an ICMP message quotes of a packet: its header and 8 octets (RFC 792).
    fn quoted(&self, failed: &Packet, sender: NodeId) -> Vec<u8> {
        let mut octets = Vec::new();
        self.packet(FullPacket { packet: failed, extension: None, octets: &[] }, sender, &mut octets);
        // The header with options, as its own length field counts it.
        octets.truncate(4 * usize::from(octets[0] & 0x0F) + 8);
        octets
    }

    /// Writes what is behind the IP header; none of what is no IP packet.
    fn inside(&self, whole: FullPacket<'_>, sender: NodeId, inner: &mut Vec<u8>) -> Option<Head> {
        let packet = whole.packet;
        let ends = (packet.src, packet.dst);
        let addresses = (address::ip(packet.src), address::ip(packet.dst));
        let plain = |protocol| Some(Head { ends, protocol });
        let full = self.full.get(packet.flow.index()).copied().unwrap_or(0);
        let route = match whole.extension {
            Some(Extension::SourceRoute(route)) => Some(route),
            _ => None,
        };
        let led = |protocol: u8, inner: &mut Vec<u8>| {
            let header = route.and_then(|route| Dsr::of_route(route, sender, protocol));
            header.iter().for_each(|header| header.write(inner));
            if header.is_some() { ipv4::DSR } else { protocol }
        };
        match &packet.body {
            Body::Tcp(segment) => {
                let protocol = led(ipv4::TCP, inner);
                // Each segment with data has it, an ACK where it has something to say.
                let is_ordered = self.ordered.get(packet.flow.index()).copied().unwrap_or(false);
                let has_order = segment.order > 0 || is_ordered && segment.len > 0;
                let opening = self.openings.get(packet.flow.index()).copied().unwrap_or_default();
                write_tcp(packet, segment, (has_order, opening), addresses, inner);
                plain(protocol)
            }
            Body::Udp { seq, len } => {
                let protocol = led(ipv4::UDP, inner);
                let write = |out: &mut Vec<u8>| payload::stream(packet.flow.0, seq * full, *len as usize, out);
                datagram((packet.ports.from, packet.ports.to), addresses, inner, write);
                plain(protocol)
            }
            Body::Dccp(body) => {
                let protocol = led(dccp::PROTOCOL, inner);
                write_dccp(packet, body, full, addresses, inner);
                plain(protocol)
            }
            Body::Atp(body) => {
                let protocol = led(atp::PROTOCOL, inner);
                let start = inner.len();
                atp::open(body, (packet.ports.from, packet.ports.to), inner);
                payload::datagram(packet.flow.0, body.number.into(), body.len as usize, inner);
                atp::close(inner, start, addresses);
                plain(protocol)
            }
            Body::Aodv(message) => {
                datagram((AODV_PORT, AODV_PORT), addresses, inner, |out| aodv::write(message, out));
                plain(ipv4::UDP)
            }
            Body::Notice(own) => {
                datagram((NOTICE_PORT, NOTICE_PORT), addresses, inner, |out| notice::write(own, out));
                plain(ipv4::UDP)
            }
            Body::PathNotice(own) if own.kind == PathNoticeKind::Unreachable => {
                let Some(Extension::Failed(failed)) = whole.extension else { unreachable!("ICMP quotes a packet") };
                let quoted = self.quoted(failed, sender);
                Icmp { kind: IcmpKind::Unreachable(HOST), packet: &quoted }.write(inner);
                plain(ipv4::ICMP)
            }
            Body::PathNotice(own) => {
                let ports = (PATH_NOTICE_PORT, PATH_NOTICE_PORT);
                datagram(ports, addresses, inner, |out| path_notice::write(own, out));
                plain(ipv4::UDP)
            }
            Body::Routing => match whole.extension {
                Some(Extension::Message(RoutingMessage::Dsr(message))) => {
                    let (header, ends) = Dsr::of_message(message, sender);
                    header.write(inner);
                    Some(Head { ends, protocol: ipv4::DSR })
                }
                Some(Extension::Message(RoutingMessage::Dsdv(update))) => {
                    datagram((DSDV_PORT, DSDV_PORT), addresses, inner, |out| dsdv::write(update, out));
                    plain(ipv4::UDP)
                }
                Some(Extension::Message(RoutingMessage::Olsr(own))) => {
                    datagram((OLSR_PORT, OLSR_PORT), addresses, inner, |out| olsr::write(own, out));
                    plain(ipv4::UDP)
                }
                Some(Extension::Message(RoutingMessage::Babel(own))) => {
                    datagram((BABEL_PORT, BABEL_PORT), addresses, inner, |out| babel::write(own, out));
                    plain(ipv4::UDP)
                }
                // It lies below IP.
                Some(Extension::Message(RoutingMessage::Batman(_))) => None,
                // A management frame: no packet of IP.
                Some(Extension::Message(RoutingMessage::Hwmp(_))) => None,
                Some(
                    Extension::Message(RoutingMessage::Aodv(_)) | Extension::SourceRoute(_) | Extension::Failed(_),
                )
                | None => {
                    unreachable!("AODV is a body of its own, and a routing packet carries its message")
                }
            },
            Body::Arp { .. } | Body::Opaque { .. } | Body::Ethernet { .. } => None,
        }
    }
}

fn datagram(ports: (u16, u16), ends: Ends, inner: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = inner.len();
    udp::open(ports, inner);
    write(inner);
    udp::close(inner, start, ends);
}

fn write_tcp(packet: &Packet, segment: &TcpSegment, options: (bool, Opening), ends: Ends, inner: &mut Vec<u8>) {
    let start = inner.len();
    let (from, to) = (packet.ports.from, packet.ports.to);
    let (has_order, reported) = options;
    let (shift, opening) = match segment.flags.syn {
        true => (0, reported),
        false => (reported.window_scale.unwrap_or(0), Opening::default()),
    };
    Tcp { from, to, segment: *segment, shift, has_order, opening }.write_head(inner);
    // The SYN takes the first number.
    payload::stream(packet.flow.0, segment.seq.saturating_sub(1), segment.len as usize, inner);
    tcp::close(inner, start, ends);
}

fn write_dccp(packet: &Packet, body: &DccpPacket, full: u64, (from, to): Ends, inner: &mut Vec<u8>) {
    let ports = (packet.ports.from, packet.ports.to);
    let octets = dccp::from_engine(body, ports, SERVICE).expect("the engine's packets fit their headers");
    let start = inner.len();
    inner.extend(&octets[..octets.len() - body.len as usize]);
    if body.number > 0 {
        payload::stream(packet.flow.0, u64::from(body.number - 1) * full, body.len as usize, inner);
    } else {
        payload::datagram(packet.flow.0, body.seq.bits(), body.len as usize, inner);
    }
    dccp::write_checksum(&mut inner[start..], Addresses::V4(from, to)).expect("a packet");
}

#[cfg(test)]
mod tests {
    use hopscope_core::ids::FlowId;
    use hopscope_core::units::{Span, Time};
    use hopscope_engine::config::tcp::SynOptions;
    use hopscope_engine::config::{App, FlowConfig, Transport, presets};
    use hopscope_packet::tcp::{TcpFlags, Timestamps};

    use super::*;

    /// Two nodes and a flow whose window of 100 packets of 1000 bytes needs a scale of 1.
    fn config(profile: &str, change: impl Fn(&mut FlowConfig)) -> Config {
        let base = presets::base(profile, "wavelan-2M").expect("a profile");
        let mut flow: FlowConfig = serde_json::from_value(serde_json::json!({
            "from": 0, "to": 1, "transport": Transport::TcpSack, "app": App::Bulk, "packet": 1000, "max_window": 100, "start": 0,
            "ack": "every", "ack_delay": 1, "tcp": base.tcp,
        }))
        .expect("a flow");
        change(&mut flow);
        let mut config = base.config(vec![[0.0, 0.0], [100.0, 0.0]], Span::from_secs(1));
        config.flows = vec![flow];
        config
    }

    /// Header and options of a segment of the flow, without what stands in front of the window.
    fn head(config: &Config, segment: TcpSegment) -> Vec<u8> {
        let mut packet = Packet::new(NodeId(0), NodeId(1), 40, 64, Body::Tcp(segment), Time::ZERO);
        packet.flow = FlowId(0);
        let mut out = Vec::new();
        Encoder::new(config).packet(FullPacket { packet: &packet, extension: None, octets: &[] }, NodeId(0), &mut out);
        let (tcp, _) = Tcp::read(&out[20..], ([10, 0, 0, 1], [10, 0, 0, 2]), 0).expect("its own segment");
        let mut words = out[34..36].to_vec();
        words.extend_from_slice(&out[40..20 + tcp.head_bytes()]);
        words
    }

    #[test]
    fn a_syn_reports_what_its_connection_uses() {
        let flags = TcpFlags { syn: true, ..TcpFlags::default() };
        let syn = TcpSegment { flags, window: 100_000, ..TcpSegment::default() };
        let plain = config("standard", |_| {});
        assert_eq!(head(&plain, syn), [0xFF, 0xFF, 2, 4, 3, 0xE8, 4, 2, 1, 1, 1, 3, 3, 1]);
        let reno = config("standard", |flow| (flow.transport, flow.max_window) = (Transport::TcpNewReno, 32));
        assert_eq!(head(&reno, syn)[2..], [2, 4, 3, 0xE8, 1, 3, 3, 0], "32,000 bytes need no scale");
        let stamped = TcpSegment { timestamps: Some(Timestamps { value: 5, echo: 0 }), ..syn };
        let stamps = [8, 10, 0, 0, 0, 5, 0, 0, 0, 0];
        let ns3 = config("as-ns3", |_| {});
        assert_eq!(head(&ns3, stamped)[2..], [&[4, 2][..], &stamps, &[1, 3, 3, 1]].concat());
        // What is announced has room for the 12 bytes of time stamps and 1000 of data (RFC 6691).
        let all = config("as-ns3", |flow| flow.tcp.syn_options = SynOptions::All);
        assert_eq!(head(&all, stamped)[2..6], [2, 4, 3, 0xF4]);
        let ns2 = config("ns2", |_| {});
        assert_eq!(head(&ns2, syn), [0xFF, 0xFF]);
    }

    #[test]
    fn windows_are_scaled_by_what_the_syn_said() {
        let flags = TcpFlags { ack: true, ..TcpFlags::default() };
        let ack = TcpSegment { flags, window: 100_001, ack: 1, ..TcpSegment::default() };
        let plain = config("standard", |_| {});
        assert_eq!(head(&plain, ack), 50_000u16.to_be_bytes(), "rounded down");
        let silent = config("standard", |flow| flow.tcp.syn_options = SynOptions::None);
        assert_eq!(head(&silent, ack), [0xFF, 0xFF]);
    }

    #[test]
    fn an_ethernet_frame_is_its_packet_behind_llc() {
        let encoder = Encoder::new(&config("standard", |_| {}));
        let packet = Packet::new(NodeId(0), NodeId(1), 3, 1, Body::Ethernet { number: 0 }, Time::ZERO);
        let octets = |ether_type: [u8; 2]| [&[0xFF; 12][..], &ether_type, &[7, 8, 9]].concat();
        for (ether_type, is_ip) in [([8, 0], true), ([0x86, 0xDD], true), ([8, 6], false), ([0x88, 0xB5], false)] {
            let frame = octets(ether_type);
            let whole = FullPacket { packet: &packet, extension: None, octets: &frame };
            let (mut body, mut inside) = (Vec::new(), Vec::new());
            encoder.body(whole, NodeId(0), &mut body);
            encoder.packet(whole, NodeId(0), &mut inside);
            assert_eq!(body, [&[0xAA, 0xAA, 3, 0, 0, 0][..], &ether_type, &[7, 8, 9]].concat());
            assert_eq!(inside, if is_ip { vec![7, 8, 9] } else { vec![] }, "{ether_type:?}");
        }
    }
}
