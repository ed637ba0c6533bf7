//! What an endpoint of a transport says and is reported: timers, effects, events of its path.
//!
//! TCP keeps to it here; the other transports and the sockets, which stand above, do too.

use hopscope_core::units::{Span, Time};
use hopscope_packet::dccp::ResetCode;
use hopscope_packet::{Body, PathInfo};

/// A timer of an endpoint. Each endpoint owns at most one of each kind.
///
/// A new [`TransportEffect::Arm`] replaces the pending expiry of the same kind. TCP restarts its timers on almost every
/// segment but does not say so each time: while an earlier expiry is pending it only moves its own deadline, and
/// answers the expiry that comes too early with an `Arm` for the deadline. An expiry that is no longer wanted at all is
/// answered with nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Timer {
    /// Retransmission timeout (RFC 6298).
    Rto,
    /// Longest time an ACK is held back.
    DelayedAck,
    /// End of TIME-WAIT (RFC 9293 3.4.2).
    TimeWait,
    /// The next paced segment may leave.
    Pacing,
    /// What could still be reordering has become a loss (RFC 8985 6.2).
    Reorder,
    /// Nothing has come back: ask with a tail-loss probe (RFC 8985 7).
    Probe,
    /// A source that fills the interface queue itself tries again. The sources of one node wake together, at the first
    /// instant that one of them armed.
    Refill,
    /// A congestion control from outside the engine asked to be called.
    Wake,
    /// The receiving application reads what has come (`tcp.read_rate`).
    Read,
}

impl Timer {
    /// Number of kinds.
    pub const COUNT: usize = 9;
    /// Every kind, by its index.
    pub const ALL: [Timer; Timer::COUNT] = [
        Timer::Rto,
        Timer::DelayedAck,
        Timer::TimeWait,
        Timer::Pacing,
        Timer::Reorder,
        Timer::Probe,
        Timer::Refill,
        Timer::Wake,
        Timer::Read,
    ];

    /// A number below [`Timer::COUNT`], for tables.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// What an endpoint wants done. The caller carries effects out in the order given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TransportEffect {
    /// Send this to the other end.
    Emit(Body),
    /// Call `on_timer` at this instant; replaces the pending expiry of the same kind.
    Arm(Timer, Time),
    /// Forget the pending expiry of this kind.
    Disarm(Timer),
    /// This many payload bytes, new and in order, go up to the application.
    Deliver {
        /// Payload bytes.
        bytes: u32,
    },
    /// Something to be recorded.
    Note(Note),
}

/// What an endpoint has to say about itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Note {
    /// A round-trip time was measured.
    Rtt(Span),
    /// The receiving half wants one ACK to stand for so many segments, which is another number than before.
    AckWindow(f64),
    /// The sending half goes at another rate from now on, packets a second.
    Rate(f64),
    /// Nothing is left to send; over TCP everything offered before `close` is acknowledged. Given once.
    Completed,
    /// The other end will send no more: its FIN is consumed. Given once.
    PeerClosed,
    /// The connection has ended with an error.
    Reset(ResetCode),
}

/// What the node of an endpoint knows of its path: what has become of the packet just emitted, and the end of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathEvent {
    /// The packet is in the interface queue or at the MAC.
    Queued,
    /// It is on its way to the queue (`net.link_delay`).
    Passing,
    /// It waits for a route or an address.
    Held,
    /// The queue or its link layer has dropped it.
    Refused,
    /// No route takes it.
    NoRoute,
    /// The route to the other end has failed, whatever was under way; concerns no packet.
    RouteFailed,
    /// The route to the other end was not used for its lifetime, or has failed without news to act on; concerns no
    /// packet.
    RouteExpired,
    /// A notice has come that packets do not reach the other end (ICMP, RFN); what ended with it was reported before.
    Unreachable,
    /// There is a route to the other end again, or another one; concerns no packet, and only those who ask for it.
    RouteFound,
}

/// What an endpoint that asks for it may know of its node.
#[derive(Debug, Clone, Copy)]
pub struct NodeView {
    /// Packets in the interface queue.
    pub queued: usize,
    /// The interface queue takes no more.
    pub is_full: bool,
    /// A packet waits for the address of its next hop.
    pub is_resolving: bool,
    /// What the interface takes out of the queue at once.
    pub access: AccessLimit,
    /// Counters of its MAC.
    pub mac: MacCounters,
}

/// The most that one access to the medium carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessLimit {
    /// Packets.
    pub packets: u32,
    /// Bytes where it may be more than one packet.
    pub bytes: u32,
}

impl AccessLimit {
    /// A frame carries one packet.
    pub const ONE_PACKET: AccessLimit = AccessLimit { packets: 1, bytes: 0 };

    /// Packets of so many bytes that one access carries, at least one.
    pub fn packets_of(self, bytes: u32) -> usize {
        (self.bytes / bytes.max(1)).clamp(1, self.packets) as usize
    }
}

/// Counters of one node's MAC since the start, as a transport sees them.
#[derive(Debug, Clone, Copy, Default)]
pub struct MacCounters {
    /// RTS frames sent.
    pub rts: u64,
    /// Data frames sent, broadcast included.
    pub data: u64,
    /// Packets taken from the queue.
    pub packets: u64,
    /// Exchanges tried again.
    pub retries: u64,
    /// Packets dropped at a retry limit.
    pub retry_drops: u64,
    /// Data frames sent to one station that brought no ACK.
    pub data_failures: u64,
}

/// The instant of an input and the list its effects go to; with it a view of the node, where the endpoint asks for one,
/// and what the packet that has come knows of its way.
#[derive(Debug)]
pub struct Cx<'a> {
    /// The instant.
    pub now: Time,
    /// Where effects go.
    pub out: &'a mut Vec<TransportEffect>,
    /// The node.
    pub node: Option<NodeView>,
    /// The way of the packet that is the input; none of other inputs.
    pub path_info: Option<PathInfo>,
}

/// What a packet has brought to the transport that it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payload {
    /// Bytes of payload; none in a SYN.
    pub bytes: u32,
    /// It brought nothing new.
    pub duplicate: bool,
    /// It repeats data sent before.
    pub retransmission: bool,
}
