//! The three formats, letter by letter.

use std::fmt::{Display, Formatter, Result, Write};

use super::event::{Detail, Event, Layer, MacHeader, What};
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::Time;
use hopscope_mac::dcf::FrameKind;
use hopscope_packet::aodv::AodvMessage;
use hopscope_packet::{Body, Packet};

const SECOND: u64 = 1_000_000_000;

/// Appends a line in the old wireless format.
pub(super) fn old(text: &mut String, event: &Event<'_>) {
    let &Event { op, now, node, layer, reason, uid, size, mac, ref what } = event;
    let MacHeader { duration_us, dst, src, kind } = mac;
    let (at, layer) = (Nanos(now), layer.word());
    let word = word_of(what);
    push(text, format_args!("{op} {at} _{node}_ {layer:>3} {reason:>4} {uid} {word} {size} "));
    push(text, format_args!("[{duration_us:x} {dst:x} {src:x} {kind:x}] "));
    match what {
        What::Control(_) => {}
        What::Arp { reply, packet, target } => {
            let (op, theirs) = arp(*reply, packet, *target);
            let me = packet.src;
            push(text, format_args!("------- [{op} {me}/{me} {}/{}]", theirs.0, theirs.1));
        }
        What::Packet { packet, hops, detail, .. } => {
            let (src, dst) = addresses(packet, ':');
            // The old format has 0 where the new one has -1 and -2.
            let next = if packet.next_hop == NodeId::BROADCAST { 0 } else { shown_next(packet, event).max(0) };
            push(text, format_args!("------- [{src} {dst} {} {next}] ", packet.ttl));
            match detail {
                Detail::Tcp(number) => push(text, format_args!("[{number} 0] {hops} 0")),
                Detail::Datagram(number) => push(text, format_args!("[{number}] {hops} 0")),
                Detail::Aodv(message) => old_aodv(text, message),
                Detail::None => {}
            }
        }
    }
    text.push('\n');
}

/// Appends a line in the new wireless format; `x` and `y` are metres.
pub(super) fn new(text: &mut String, event: &Event<'_>, x: f64, y: f64) {
    let &Event { op, now, node, layer, reason, uid, size, mac, ref what } = event;
    let MacHeader { duration_us, dst, src, kind } = mac;
    let op = op.to_ascii_lowercase();
    let next = match what {
        What::Packet { packet, .. } => shown_next(packet, event),
        What::Control(_) | What::Arp { .. } => NO_NEXT,
    };
    let (at, layer) = (Nanos(now), layer.word());
    push(text, format_args!("{op} -t {at} -Hs {node} -Hd {next} -Ni {node} -Nx {x:.2} -Ny {y:.2} -Nz 0.00 "));
    push(text, format_args!("-Ne -1.000000 -Nl {layer} -Nw {reason} "));
    push(text, format_args!("-Ma {duration_us:x} -Md {dst:x} -Ms {src:x} -Mt {kind:x} "));
    match what {
        What::Control(_) => {}
        What::Arp { reply, packet, target } => {
            let (op, theirs) = arp(*reply, packet, *target);
            let me = packet.src;
            push(text, format_args!("-P arp -Po {op} -Pms {me} -Ps {me} -Pmd {} -Pd {} ", theirs.0, theirs.1));
        }
        What::Packet { packet, word, hops, detail } => {
            let (src, dst) = addresses(packet, '.');
            let flow = flow_of(packet);
            push(
                text,
                format_args!("-Is {src} -Id {dst} -It {word} -Il {size} -If {flow} -Ii {uid} -Iv {} ", packet.ttl),
            );
            match detail {
                Detail::Tcp(number) => push(text, format_args!("-Pn tcp -Ps {number} -Pa 0 -Pf {hops} -Po 0 ")),
                Detail::Datagram(number) => push(text, format_args!("-Pn {word} -Pi {number} -Pf {hops} -Po 0 ")),
                Detail::Aodv(message) => new_aodv(text, message),
                Detail::None => {}
            }
        }
    }
    text.push('\n');
}

/// Appends a line about a wire.
pub(super) fn wired(
    text: &mut String,
    op: char,
    now: Time,
    (from, to): (NodeId, NodeId),
    uid: u64,
    packet: &Packet,
    what: &What<'_>,
) {
    let (src, dst) = addresses(packet, '.');
    let number = match what {
        What::Packet { detail: Detail::Tcp(number) | Detail::Datagram(number), .. } => *number as i64,
        What::Packet { .. } | What::Control(_) | What::Arp { .. } => -1,
    };
    let (at, word, bytes, flow) = (Short(now), word_of(what), packet.bytes, flow_of(packet));
    push(
        text,
        format_args!("{op} {at} {from} {} {word} {bytes} ------- {flow} {src} {dst} {number} {uid}\n", node(to)),
    );
}

/// An instant in seconds with nine digits.
struct Nanos(Time);

impl Display for Nanos {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}.{:09}", self.0.0 / SECOND, self.0.0 % SECOND)
    }
}

/// An instant in seconds with no more digits than it needs.
struct Short(Time);

impl Display for Short {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (seconds, rest) = (self.0.0 / SECOND, self.0.0 % SECOND);
        if rest == 0 {
            return write!(f, "{seconds}");
        }
        let digits = format!("{rest:09}");
        write!(f, "{seconds}.{}", digits.trim_end_matches('0'))
    }
}

fn push(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("text takes what is written");
}

fn word_of(what: &What<'_>) -> &'static str {
    match what {
        What::Control(FrameKind::Rts) => "RTS",
        What::Control(FrameKind::Cts) => "CTS",
        What::Control(FrameKind::Ack) => "ACK",
        What::Control(FrameKind::Data) => "data",
        // ns-2 has none of these: words of this project.
        What::Control(FrameKind::BlockAck) => "BACK",
        What::Control(FrameKind::BlockAckReq) => "BAR",
        What::Control(FrameKind::CfEnd) => "CFE",
        What::Control(FrameKind::Action) => "ACT",
        What::Arp { .. } => "ARP",
        What::Packet { word, .. } => word,
    }
}

/// A node, everybody as -1.
fn node(id: NodeId) -> i64 {
    if id == NodeId::BROADCAST { -1 } else { i64::from(id.0) }
}

/// Port of what belongs to no transport.
const ROUTING_PORT: u16 = 255;

/// Source and destination with their ports.
fn addresses(packet: &Packet, point: char) -> (String, String) {
    let is_transport = matches!(
        packet.body,
        Body::Tcp(_) | Body::Udp { .. } | Body::Dccp(_) | Body::Atp(_) | Body::Opaque { .. } | Body::Ethernet { .. }
    );
    let ports = if is_transport { (packet.ports.from, packet.ports.to) } else { (ROUTING_PORT, ROUTING_PORT) };
    (format!("{}{point}{}", node(packet.src), ports.0), format!("{}{point}{}", node(packet.dst), ports.1))
}

/// In place of the next hop of what has none yet, and of messages of AODV for everybody.
const NO_NEXT: i64 = -2;

/// The next hop as a line shows it: a packet that has not been routed yet has none.
fn shown_next(packet: &Packet, event: &Event<'_>) -> i64 {
    let is_routed = match event.layer {
        Layer::Mac | Layer::Queue => true,
        Layer::Router => event.op != 'r' && event.op != 'D' || event.mac != MacHeader::NONE,
        Layer::Agent => event.mac != MacHeader::NONE,
    };
    match packet.next_hop {
        NodeId::BROADCAST if matches!(packet.body, Body::Aodv(_)) => NO_NEXT,
        NodeId::BROADCAST => -1,
        _ if !is_routed => NO_NEXT,
        next => i64::from(next.0),
    }
}

/// The flow, 0 for none as in ns-2.
fn flow_of(packet: &Packet) -> u32 {
    if packet.flow == FlowId::NONE { 0 } else { packet.flow.0 }
}

/// Word of an ARP message, and the other end by its MAC and its IP address: that of one asked for is unknown, 0.
fn arp(reply: bool, packet: &Packet, target: NodeId) -> (&'static str, (u32, u32)) {
    if reply { ("REPLY", (packet.dst.0, packet.dst.0)) } else { ("REQUEST", (0, target.0)) }
}

/// Seconds as ns-2 prints a lifetime.
fn seconds(span: hopscope_core::units::Span) -> f64 {
    span.as_secs()
}

fn old_aodv(text: &mut String, message: &AodvMessage) {
    match message {
        AodvMessage::Rreq(m) => {
            // ns-2 counts hops from 1 and RFC 3561 (6.3) from 0; its types are bits, not the numbers of section 5.
            let (hops, seq) = (m.hops + 1, m.dst_seq.unwrap_or(0));
            push(
                text,
                format_args!("[0x2 {hops} {} [{} {seq}] [{} {}]] (REQUEST)", m.id, m.dst, m.origin, m.origin_seq),
            );
        }
        AodvMessage::Rrep(m) => {
            let (hops, life) = (m.hops + 1, seconds(m.lifetime));
            push(text, format_args!("[0x4 {hops} [{} {}] {life:.6}] (REPLY)", m.dst, m.dst_seq));
        }
        AodvMessage::Hello(m) => {
            let (hops, life) = (m.hops + 1, seconds(m.lifetime));
            push(text, format_args!("[0x1 {hops} [{} {}] {life:.6}] (HELLO)", m.dst, m.dst_seq));
        }
        AodvMessage::Rerr(m) => {
            let ((node, seq), count) = (first(m.unreachable()), m.unreachable().len());
            push(text, format_args!("[0x8 {count} [{node} {seq}] 0.000000] (ERROR)"));
        }
    }
}

fn new_aodv(text: &mut String, message: &AodvMessage) {
    match message {
        AodvMessage::Rreq(m) => {
            let (hops, seq) = (m.hops + 1, m.dst_seq.unwrap_or(0));
            push(text, format_args!("-P aodv -Pt 0x2 -Ph {hops} -Pb {} -Pd {} -Pds {seq} ", m.id, m.dst));
            push(text, format_args!("-Ps {} -Pss {} -Pc REQUEST ", m.origin, m.origin_seq));
        }
        AodvMessage::Rrep(m) | AodvMessage::Hello(m) => {
            let (hops, life) = (m.hops + 1, seconds(m.lifetime));
            let (kind, word) =
                if matches!(message, AodvMessage::Hello(_)) { ("0x1", "HELLO") } else { ("0x4", "REPLY") };
            push(
                text,
                format_args!(
                    "-P aodv -Pt {kind} -Ph {hops} -Pd {} -Pds {} -Pl {life:.6} -Pc {word} ",
                    m.dst, m.dst_seq
                ),
            );
        }
        AodvMessage::Rerr(m) => {
            let ((node, seq), count) = (first(m.unreachable()), m.unreachable().len());
            push(text, format_args!("-P aodv -Pt 0x8 -Ph {count} -Pd {node} -Pds {seq} -Pl 0.000000 -Pc ERROR "));
        }
    }
}

/// The first destination of a route error; lines have one.
fn first(unreachable: &[(NodeId, u32)]) -> (NodeId, u32) {
    unreachable.first().copied().unwrap_or((NodeId(0), 0))
}
