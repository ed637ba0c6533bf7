//! What a line of ns-2 is about, before it is written in one of its formats.

use crate::config::{App, FlowConfig};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use hopscope_mac::dcf::{Frame, FrameKind};
use hopscope_net::config::net::RoutingProtocol;
use hopscope_packet::aodv::AodvMessage;
use hopscope_packet::atp::AtpKind;
use hopscope_packet::dccp::DccpType;
use hopscope_packet::{Body, DropReason, Packet, PathNoticeKind};

/// One line about a node with a radio.
pub(super) struct Event<'p> {
    /// `s`, `r`, `f` or `D`.
    pub(super) op: char,
    pub(super) now: Time,
    pub(super) node: NodeId,
    pub(super) layer: Layer,
    pub(super) reason: &'static str,
    pub(super) uid: u64,
    pub(super) size: u32,
    pub(super) mac: MacHeader,
    pub(super) what: What<'p>,
}

/// Where a line is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    Agent,
    Router,
    Queue,
    Mac,
}

impl Layer {
    pub(super) fn word(self) -> &'static str {
        match self {
            Layer::Agent => "AGT",
            Layer::Router => "RTR",
            Layer::Queue => "IFQ",
            Layer::Mac => "MAC",
        }
    }
}

/// What lines say of a MAC header: duration in microseconds, addresses, and the type of what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MacHeader {
    pub(super) duration_us: u64,
    pub(super) dst: u32,
    pub(super) src: u32,
    pub(super) kind: u32,
}

impl MacHeader {
    /// Of a packet that has had none yet.
    pub(super) const NONE: MacHeader = MacHeader { duration_us: 0, dst: 0, src: 0, kind: 0 };

    /// That of a frame. CTS and ACK have no transmitter address; control frames carry nothing.
    pub(super) fn of(frame: &Frame, is_arp: bool) -> Self {
        let (src, kind) = match frame.kind {
            FrameKind::Rts | FrameKind::BlockAck | FrameKind::BlockAckReq | FrameKind::CfEnd | FrameKind::Action => {
                (frame.src.0, 0)
            }
            FrameKind::Cts | FrameKind::Ack => (0, 0),
            FrameKind::Data => (frame.src.0, if is_arp { 0x806 } else { 0x800 }),
        };
        // The Duration field has whole microseconds (IEEE 802.11-2020 9.2.4.2).
        MacHeader { duration_us: frame.duration.0 / 1_000, dst: frame.dst.0, src, kind }
    }
}

/// What is sent, received or lost.
pub(super) enum What<'p> {
    Control(FrameKind),
    Arp { reply: bool, packet: &'p Packet, target: NodeId },
    Packet { packet: &'p Packet, word: &'static str, hops: u8, detail: Detail<'p> },
}

/// What follows the IP header.
pub(super) enum Detail<'p> {
    /// Number of a segment, in packets; the second one is that of ns-2's two-way agents.
    Tcp(u64),
    /// Number of a datagram.
    Datagram(u64),
    Aodv(&'p AodvMessage),
    None,
}

impl<'p> What<'p> {
    /// The packet that it is about.
    pub(super) fn packet(&self) -> Option<&'p Packet> {
        match *self {
            What::Control(_) => None,
            What::Arp { packet, .. } | What::Packet { packet, .. } => Some(packet),
        }
    }
}

/// What lines say of the packets of a flow.
#[derive(Debug)]
pub(super) struct Traffic {
    /// Payload of a full packet, bytes.
    packet: u64,
    /// What ns-2 calls the datagrams of this application.
    word: &'static str,
}

impl Traffic {
    pub(super) fn of(flow: &FlowConfig) -> Self {
        let word = match flow.app {
            App::Cbr { .. } => "cbr",
            // ns-2 has no Poisson agent: its manual makes one of the exponential on-off agent, with bursts of no
            // length.
            App::OnOff { .. } | App::Poisson { .. } => "exp",
            App::Bulk | App::File { .. } | App::Trace { .. } => "udp",
        };
        Traffic { packet: u64::from(flow.packet), word }
    }
}

/// What a packet is; `hops` are those it has travelled.
pub(super) fn what<'p>(packet: &'p Packet, hops: u8, flows: &[Traffic], routing: RoutingProtocol) -> What<'p> {
    let flow = flows.get(packet.flow.index());
    let (word, detail) = match &packet.body {
        Body::Arp { target, reply } => return What::Arp { reply: *reply, packet, target: *target },
        Body::Tcp(segment) => {
            let size = flow.map_or(1, |flow| flow.packet.max(1));
            // The SYN is number 0, the first data packet 1; bytes are counted from 1 behind the SYN.
            let number = |byte: u64| byte.saturating_sub(1).div_ceil(size);
            match segment.is_data() || segment.flags.fin {
                true if segment.flags.syn => ("tcp", Detail::Tcp(0)),
                true => ("tcp", Detail::Tcp(1 + segment.seq.saturating_sub(1) / size)),
                // ns-2 acknowledges the last packet received, TCP the next byte expected; part of a packet counts as
                // that packet.
                false => ("ack", Detail::Tcp(number(segment.ack))),
            }
        }
        Body::Udp { seq, .. } => (flow.map_or("udp", |flow| flow.word), Detail::Datagram(*seq)),
        Body::Dccp(dccp) => (dccp_word(dccp.kind), Detail::Datagram(dccp.seq.bits())),
        Body::Atp(atp) => (atp_word(atp.kind), Detail::Datagram(atp.number.into())),
        Body::Aodv(message) => ("AODV", Detail::Aodv(message)),
        Body::Routing => (routing_word(routing), Detail::None),
        Body::Notice(_) => ("message", Detail::None),
        Body::PathNotice(notice) => {
            (if notice.kind == PathNoticeKind::Unreachable { "icmp" } else { "message" }, Detail::None)
        }
        Body::Opaque { number } | Body::Ethernet { number } => ("udp", Detail::Datagram(*number)),
    };
    What::Packet { packet, word, hops, detail }
}

/// Bytes of a packet as its agent counts them: TCP's with all headers, those of others without that of IP.
pub(super) fn agent_size(packet: &Packet) -> u32 {
    match &packet.body {
        Body::Udp { len, .. } => *len,
        Body::Dccp(dccp) => dccp.len,
        Body::Atp(atp) => atp.len,
        _ => packet.bytes,
    }
}

/// Layer and reason of a drop.
pub(super) fn drop_words(reason: DropReason) -> (Layer, &'static str) {
    match reason {
        DropReason::RetryLimit => (Layer::Mac, "RET"),
        DropReason::Reassembly | DropReason::Lifetime => (Layer::Mac, "---"),
        DropReason::NoRoute => (Layer::Router, "NRTE"),
        DropReason::TtlExpired => (Layer::Router, "TTL"),
        DropReason::RouteBufferFull => (Layer::Router, "IFQ"),
        DropReason::RouteBufferTimeout => (Layer::Router, "TOUT"),
        DropReason::Loop => (Layer::Router, "LOOP"),
        DropReason::LinkFailed => (Layer::Router, "CBK"),
        DropReason::ArpReplaced | DropReason::ArpUnresolved => (Layer::Queue, "ARP"),
        // A loss on a wire gets a line in the wired format before this is asked: that format has no reasons.
        DropReason::QueueFull
        | DropReason::EarlyRed
        | DropReason::EarlyNred
        | DropReason::EarlyLred
        | DropReason::EarlyCodel
        | DropReason::EarlyFqCodel
        | DropReason::WireLoss => (Layer::Queue, "---"),
    }
}

fn routing_word(routing: RoutingProtocol) -> &'static str {
    match routing {
        RoutingProtocol::Dsr => "DSR",
        RoutingProtocol::Olsr => "OLSR",
        RoutingProtocol::Babel => "Babel",
        // Of these DSDV, batman-adv and HWMP come here, whose messages have no packet type of their own in ns-2.
        RoutingProtocol::Static
        | RoutingProtocol::Aodv
        | RoutingProtocol::Dsdv
        | RoutingProtocol::BatmanIv
        | RoutingProtocol::BatmanV
        | RoutingProtocol::Hwmp => "message",
    }
}

fn atp_word(kind: AtpKind) -> &'static str {
    match kind {
        AtpKind::Data => "ATP_Data",
        AtpKind::Probe => "ATP_Probe",
        AtpKind::Feedback => "ATP_Feedback",
        AtpKind::Answer => "ATP_Answer",
    }
}

fn dccp_word(kind: DccpType) -> &'static str {
    match kind {
        DccpType::Request => "DCCP_Request",
        DccpType::Response => "DCCP_Response",
        DccpType::Data => "DCCP_Data",
        DccpType::Ack => "DCCP_Ack",
        DccpType::DataAck => "DCCP_DataAck",
        DccpType::CloseReq => "DCCP_CloseReq",
        DccpType::Close => "DCCP_Close",
        DccpType::Reset => "DCCP_Reset",
        DccpType::Sync => "DCCP_Sync",
        DccpType::SyncAck => "DCCP_SyncAck",
    }
}
