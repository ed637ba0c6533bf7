//! Transports: a closed set of machines behind one contract, and the sockets by which packets find them.
//!
//! One [`Endpoint`] is one end of a connection or of a row of datagrams, at one node. It takes an input with the
//! instant and a list of effects ([`Cx`]) and knows neither queue nor network:
//!
//! | input | when |
//! |---|---|
//! | `on_send`, `close` | the application has something to send, or will have nothing more |
//! | `on_packet` | a packet for its port has arrived |
//! | `on_timer` | a timer that it armed expires |
//! | `on_writable` | the interface queue of its node has let a packet go; for those that fill it themselves |
//! | `on_path_event` | what became of the packet it has just emitted, for the same; the end of its route, for all |
//!
//! What it learns from below comes by three ways: a view of its node ([`hopscope_tcp::endpoint::NodeView`]), what a
//! packet knows of its way ([`hopscope_packet::PathInfo`]), and [`PathEvent`].
//!
//! Below stand `hopscope-core`, `hopscope-packet` and `hopscope-tcp`, which has the contract
//! ([`hopscope_tcp::endpoint`]); above stands the world, which carries the effects out. Begin with [`Endpoint`].
//!
//! Adding a transport: a folder here, a variant of [`Endpoint`] and of [`Protocol`], a variant of
//! [`hopscope_packet::Body`], its words in `config/flow.rs`.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod atp;
pub mod config;
pub mod dccp;
pub mod sockets;
pub mod udp;

pub use sockets::{BoundSockets, Protocol, Socket, Sockets};

use hopscope_packet::{Body, Packet};
use hopscope_tcp as tcp;
use hopscope_tcp::endpoint::{Cx, PathEvent, Payload, Timer};

/// One end of a transport, at one node.
#[derive(Debug)]
pub enum Endpoint {
    /// TCP.
    Tcp(tcp::Connection),
    /// UDP.
    Udp(udp::Udp),
    /// DCCP.
    Dccp(Box<dccp::Connection>),
    /// ATP.
    Atp(atp::Connection),
}

impl Endpoint {
    /// It wants to see its node, and to hear of the queue and of what becomes of its packets. Others pay nothing for
    /// it.
    #[inline]
    pub fn wants_view(&self) -> bool {
        match self {
            Endpoint::Tcp(_) | Endpoint::Dccp(_) | Endpoint::Atp(_) => false,
            Endpoint::Udp(udp) => udp.refills(),
        }
    }

    /// It looks at its node at each input, and wants to hear nothing of it.
    #[inline]
    pub fn sees_node(&self) -> bool {
        match self {
            Endpoint::Tcp(tcp) => tcp.sees_node(),
            Endpoint::Udp(_) | Endpoint::Dccp(_) | Endpoint::Atp(_) => false,
        }
    }

    /// It acts when its route fails, and wants to hear of a new one.
    pub fn needs_route_events(&self) -> bool {
        match self {
            Endpoint::Tcp(tcp) => tcp.needs_route_events(),
            Endpoint::Udp(_) | Endpoint::Dccp(_) | Endpoint::Atp(_) => false,
        }
    }

    /// Its packets with data learn of their way ([`hopscope_packet::PathOption`]); the one that has come shows it in
    /// [`Cx::path_info`]. Those of ATP learn in their own header.
    #[inline]
    pub fn wants_path(&self) -> bool {
        match self {
            Endpoint::Tcp(tcp) => tcp.wants_path_info(),
            Endpoint::Udp(_) | Endpoint::Dccp(_) => false,
            Endpoint::Atp(_) => true,
        }
    }

    /// The application has `bytes` more to send; `u64::MAX`: without end.
    pub fn on_send(&mut self, bytes: u64, cx: &mut Cx<'_>) {
        match self {
            Endpoint::Tcp(tcp) => tcp.on_send(bytes, cx),
            Endpoint::Udp(udp) => udp.on_send(bytes, cx),
            Endpoint::Dccp(dccp) => dccp.on_send(bytes, cx),
            Endpoint::Atp(atp) => atp.on_send(bytes, cx),
        }
    }

    /// The application will send no more. An endless offer ends with what has been sent.
    pub fn close(&mut self, cx: &mut Cx<'_>) {
        match self {
            Endpoint::Tcp(tcp) => tcp.close(cx),
            Endpoint::Udp(udp) => udp.close(),
            Endpoint::Dccp(dccp) => dccp.close(cx),
            Endpoint::Atp(atp) => atp.close(cx),
        }
    }

    /// A packet for this end has arrived; gives the data that it carried, if any.
    pub fn on_packet(&mut self, packet: &Packet, cx: &mut Cx<'_>) -> Option<Payload> {
        match (self, &packet.body) {
            (Endpoint::Tcp(tcp), Body::Tcp(segment)) => tcp.on_segment(segment, packet.ecn, cx),
            (Endpoint::Udp(udp), &Body::Udp { len, .. }) => Some(udp.on_datagram(len, cx)),
            (Endpoint::Dccp(dccp), Body::Dccp(body)) => dccp.on_packet(body, packet.ecn, cx),
            (Endpoint::Atp(atp), Body::Atp(body)) => atp.on_packet(body, cx),
            (Endpoint::Tcp(_) | Endpoint::Udp(_) | Endpoint::Dccp(_) | Endpoint::Atp(_), _) => {
                // A release build drops the packet: a run of hours is not to end by it.
                debug_assert!(false, "sockets are found by protocol");
                None
            }
        }
    }

    /// A timer armed by this end has expired.
    pub fn on_timer(&mut self, timer: Timer, cx: &mut Cx<'_>) {
        match self {
            Endpoint::Tcp(tcp) => tcp.on_timer(timer, cx),
            Endpoint::Udp(udp) => udp.on_timer(timer, cx),
            Endpoint::Dccp(dccp) => dccp.on_timer(timer, cx),
            Endpoint::Atp(atp) => atp.on_timer(timer, cx),
        }
    }

    /// The interface queue of its node has let a packet go.
    pub fn on_writable(&mut self, cx: &mut Cx<'_>) {
        match self {
            Endpoint::Tcp(_) | Endpoint::Dccp(_) | Endpoint::Atp(_) => {}
            Endpoint::Udp(udp) => udp.on_writable(cx),
        }
    }

    /// What has become of the packet emitted last, or of the route.
    pub fn on_path_event(&mut self, event: PathEvent, cx: &mut Cx<'_>) {
        match self {
            Endpoint::Tcp(tcp) => tcp.on_path_event(event, cx),
            Endpoint::Dccp(dccp) => dccp.on_path_event(event, cx),
            Endpoint::Atp(atp) => atp.on_path_event(event, cx),
            Endpoint::Udp(udp) => udp.on_path_event(event, cx),
        }
    }

    /// Bytes of a packet with this body that leaves this end, network header included.
    #[inline]
    pub fn packet_bytes(&self, body: &Body) -> u32 {
        match (self, body) {
            (Endpoint::Tcp(tcp), Body::Tcp(segment)) => tcp.packet_bytes(segment),
            (Endpoint::Udp(udp), &Body::Udp { len, .. }) => udp.packet_bytes(len),
            (Endpoint::Dccp(dccp), Body::Dccp(packet)) => dccp.packet_bytes(packet),
            (Endpoint::Atp(atp), Body::Atp(packet)) => atp.packet_bytes(packet),
            (Endpoint::Tcp(_) | Endpoint::Udp(_) | Endpoint::Dccp(_) | Endpoint::Atp(_), _) => {
                debug_assert!(false, "an endpoint emits packets of its own protocol");
                0
            }
        }
    }

    /// The sending half, of TCP.
    pub fn sender(&self) -> Option<&tcp::TcpSender> {
        match self {
            Endpoint::Tcp(tcp) => tcp.sender(),
            Endpoint::Udp(_) | Endpoint::Dccp(_) | Endpoint::Atp(_) => None,
        }
    }

    /// The receiving half, of TCP.
    pub fn receiver(&self) -> Option<&tcp::TcpReceiver> {
        match self {
            Endpoint::Tcp(tcp) => tcp.receiver(),
            Endpoint::Udp(_) | Endpoint::Dccp(_) | Endpoint::Atp(_) => None,
        }
    }

    /// Window as far as the receiver allows it, slow-start threshold and flight of the sending half, in packets; none
    /// of UDP and ATP.
    #[inline(always)]
    pub fn window(&self) -> Option<(f64, f64, f64)> {
        match self {
            Endpoint::Tcp(tcp) => {
                let sender = tcp.sender()?;
                Some((sender.cwnd().min(sender.receiver_window()), sender.ssthresh(), sender.flight()))
            }
            Endpoint::Udp(_) | Endpoint::Atp(_) => None,
            Endpoint::Dccp(dccp) => dccp.window(),
        }
    }

    /// Bytes that the sending half has ready and its window holds back; none of UDP.
    #[inline]
    pub fn backlog(&self) -> u64 {
        match self {
            Endpoint::Tcp(tcp) => tcp.sender().map_or(0, tcp::TcpSender::backlog),
            Endpoint::Udp(_) => 0,
            Endpoint::Dccp(dccp) => dccp.backlog(),
            Endpoint::Atp(atp) => atp.backlog(),
        }
    }

    /// What the sending half has counted; none of UDP.
    pub fn sender_stats(&self) -> Option<&tcp::SenderStats> {
        match self {
            Endpoint::Tcp(tcp) => tcp.sender().map(tcp::TcpSender::stats),
            Endpoint::Udp(_) => None,
            Endpoint::Dccp(dccp) => dccp.stats(),
            Endpoint::Atp(atp) => atp.stats(),
        }
    }
}
