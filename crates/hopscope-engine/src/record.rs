//! Everything that can be observed in a run, and who observes it.
//!
//! The world emits typed records in order of time; a [`Recorder`] keeps what it wants. With [`NullRecorder`] the
//! compiler removes every record.

use crate::config::link::LinkPart;
use crate::ids::{FlowId, NodeId};
use crate::ledger::Ledger;
use crate::mac::dcf::FrameKind;
use crate::named::named;
use crate::routing::RoutingNote;
use crate::units::{Span, Time};

named! {
    /// Why a packet was lost.
    pub enum DropReason {
        /// No room in the interface queue.
        QueueFull = "queue-full",
        /// The MAC reached a retry limit: a contention drop unless the channel has errors.
        RetryLimit = "retry-limit",
        /// No route to the destination.
        NoRoute = "no-route",
        /// Time to live used up.
        TtlExpired = "ttl-expired",
        /// Pushed out of its place by a later packet while the next hop's address was asked for.
        ArpReplaced = "arp-replaced",
        /// The next hop's address was asked for too often.
        ArpUnresolved = "arp-unresolved",
        /// Too many packets waited for a route.
        RouteBufferFull = "route-buffer-full",
        /// It waited for a route too long.
        RouteBufferTimeout = "route-buffer-timeout",
        /// It came back to its source.
        Loop = "loop",
        /// The routing protocol took the link to the next hop for broken.
        LinkFailed = "link-failed",
        /// RED dropped it to signal congestion, as do the next four.
        EarlyRed = "early-red",
        /// Neighborhood RED.
        EarlyNred = "early-nred",
        /// Link RED.
        EarlyLred = "early-lred",
        /// CoDel.
        EarlyCodel = "early-codel",
        /// FQ-CoDel.
        EarlyFqCodel = "early-fq-codel",
        /// Its fragments did not come together in time.
        Reassembly = "reassembly",
    }
}

impl DropReason {
    /// Those of link layers.
    pub const EARLY: [DropReason; 5] = [
        DropReason::EarlyRed,
        DropReason::EarlyNred,
        DropReason::EarlyLred,
        DropReason::EarlyCodel,
        DropReason::EarlyFqCodel,
    ];
}

/// One observable fact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Record {
    /// A frame goes on the air.
    FrameSent {
        /// Transmitter.
        node: NodeId,
        /// Kind.
        kind: FrameKind,
        /// Receiver or broadcast.
        to: NodeId,
        /// Bytes of the MAC frame.
        bytes: u32,
        /// Time on the air.
        airtime: Span,
    },
    /// A copy of a data packet leaves the sending transport.
    DataSent {
        /// Flow.
        flow: FlowId,
        /// Payload bytes.
        bytes: u32,
        /// It repeats data sent before.
        retransmission: bool,
    },
    /// A copy of a data packet reaches the receiving transport.
    DataReceived {
        /// Flow.
        flow: FlowId,
        /// Payload bytes.
        bytes: u32,
        /// Time since this copy left the sending transport.
        delay: Span,
        /// It repeats data received before.
        duplicate: bool,
        /// It repeats data sent before.
        retransmission: bool,
    },
    /// New payload, in order, goes up to the application.
    Delivered {
        /// Flow.
        flow: FlowId,
        /// Payload bytes.
        bytes: u32,
    },
    /// The usable window changed: the congestion window, or the receiver window where that is smaller.
    Cwnd {
        /// Flow.
        flow: FlowId,
        /// min(cwnd, receiver window), segments.
        cwnd: f64,
    },
    /// A round-trip time was measured.
    Rtt {
        /// Flow.
        flow: FlowId,
        /// Sample.
        rtt: Span,
    },
    /// The flow has nothing left to send; over TCP everything has been acknowledged.
    Completed {
        /// Flow.
        flow: FlowId,
    },
    /// A packet was lost.
    Dropped {
        /// Node.
        node: NodeId,
        /// Why.
        reason: DropReason,
    },
    /// The link layer marked a packet with congestion experienced.
    Marked {
        /// Node.
        node: NodeId,
        /// The part of the layer that wanted it.
        by: LinkPart,
    },
    /// A routing message goes to the link layer.
    RoutingSent {
        /// Node.
        node: NodeId,
        /// Kind, such as `rreq`.
        kind: &'static str,
        /// Bytes with network header.
        bytes: u32,
    },
    /// Something happened to a node's routes.
    Routing {
        /// Node.
        node: NodeId,
        /// What.
        note: RoutingNote,
        /// For a lost link: the neighbour was in range all the while.
        in_range: bool,
    },
    /// Length of an interface queue at a sampling instant.
    QueueLength {
        /// Node.
        node: NodeId,
        /// Packets.
        packets: u32,
    },
    /// A sampling interval ends.
    SampleEnd,
}

/// Observer of a run.
pub trait Recorder {
    /// False lets the compiler drop the emission of records.
    const ENABLED: bool = true;
    /// True lets the compiler keep the hooks of the airtime ledger.
    const LEDGER: bool = false;

    /// The ledger, where `LEDGER` is set.
    fn ledger(&mut self) -> Option<&mut Ledger> {
        None
    }

    /// Takes a record of the instant `now`; records come in order of time.
    fn record(&mut self, now: Time, record: &Record);
}

/// Observes nothing and costs nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct NullRecorder;

impl Recorder for NullRecorder {
    const ENABLED: bool = false;

    fn record(&mut self, _now: Time, _record: &Record) {}
}

impl<A: Recorder, B: Recorder> Recorder for (A, B) {
    const ENABLED: bool = A::ENABLED || B::ENABLED;
    const LEDGER: bool = A::LEDGER || B::LEDGER;

    #[inline]
    fn ledger(&mut self) -> Option<&mut Ledger> {
        if A::LEDGER { self.0.ledger() } else { self.1.ledger() }
    }

    #[inline(always)]
    fn record(&mut self, now: Time, record: &Record) {
        self.0.record(now, record);
        self.1.record(now, record);
    }
}

/// Hash of a run's trajectory (FNV-1a over instants, transmitters and kinds of all frames): two runs that agree in
/// it sent the same frames at the same nanoseconds. It says nothing about what was measured.
#[derive(Debug, Clone, Copy)]
pub struct TrajectoryHash(pub u64);

impl Default for TrajectoryHash {
    fn default() -> Self {
        TrajectoryHash(0xcbf2_9ce4_8422_2325)
    }
}

impl Recorder for TrajectoryHash {
    fn record(&mut self, now: Time, record: &Record) {
        if let Record::FrameSent { node, kind, to, .. } = *record {
            for word in [now.0, u64::from(node.0), kind as u64, u64::from(to.0)] {
                self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
}
