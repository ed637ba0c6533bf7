//! A flow in motion: application, transport machines, timers.

use crate::app::Source;
use crate::config::Transport;
use crate::ids::NodeId;
use crate::packet::tcp::TcpSegment;
use crate::rng::Stream;
use crate::transport::tcp::{TcpReceiver, TcpSender, TcpTimer};
use crate::transport::udp::Udp;

/// The two ends of a flow's transport.
#[derive(Debug)]
pub enum Endpoint {
    /// TCP: large, so behind a pointer, for a field of UDP flows to fill few pages of memory.
    Tcp(Box<TcpEnds>),
    /// UDP.
    Udp(Udp),
}

/// TCP machines of a flow.
#[derive(Debug)]
pub struct TcpEnds {
    /// At `Flow::from`.
    pub sender: TcpSender,
    /// At `Flow::to`.
    pub receiver: TcpReceiver,
}

/// Which end of a flow a timer belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The sending end.
    Sender,
    /// The receiving end.
    Receiver,
}

/// Bytes of the timestamps option with its padding (RFC 7323 A).
pub(super) const TIMESTAMPS_OPTION: u32 = 12;

/// Bytes of TCP segments as network packets.
#[derive(Debug)]
pub(super) struct SegmentSizes {
    /// Network and TCP header.
    pub(super) headers: u32,
    /// SACK option beyond its blocks.
    pub(super) sack_option_base: u32,
    /// Data segments and the SYN of this flow are this long on the air and carry no headers.
    pub(super) bare: Option<u32>,
}

impl SegmentSizes {
    /// Packet size of a segment sent by `end`.
    pub(super) fn of(&self, segment: &TcpSegment, end: End) -> u32 {
        if let (Some(full), End::Sender) = (self.bare, end) {
            if segment.len > 0 || segment.flags.syn {
                return if segment.flags.syn { full } else { segment.len };
            }
        }
        let blocks = u32::from(segment.n_sack);
        let stamps = if segment.timestamps.is_some() { TIMESTAMPS_OPTION } else { 0 };
        self.headers + stamps + segment.len + if blocks > 0 { self.sack_option_base + 8 * blocks } else { 0 }
    }
}

/// One flow. What a datagram looks at fills the first two cache lines.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Flow {
    /// Sending node.
    pub from: NodeId,
    /// Receiving node.
    pub to: NodeId,
    /// Transport protocol.
    pub transport: Transport,
    /// Payload bytes per packet.
    pub packet: u32,
    /// Hops under static routing.
    pub hops: u32,
    /// Transport machines.
    pub endpoint: Endpoint,
    pub(super) source: Source,
    /// Bytes that a UDP source has ready beyond what it has sent (bulk and file).
    pub(super) backlog: u64,
    pub(super) sizes: SegmentSizes,
    /// Window last recorded.
    pub(super) cwnd: f64,
    pub(super) generations: [u32; 2 * TcpTimer::COUNT],
    pub(super) rng: Stream,
}

impl Flow {
    /// Code of a timer in events: one number for end and kind.
    pub(super) fn timer_code(end: End, timer: TcpTimer) -> u8 {
        let base = if end == End::Sender { 0 } else { TcpTimer::COUNT };
        (base + timer.index()) as u8
    }

    /// Inverse of [`Flow::timer_code`].
    pub(super) fn decode_timer(code: u8) -> (End, TcpTimer) {
        let code = usize::from(code);
        let end = if code < TcpTimer::COUNT { End::Sender } else { End::Receiver };
        (end, TcpTimer::ALL[code % TcpTimer::COUNT])
    }
}
