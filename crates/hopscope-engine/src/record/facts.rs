//! All that can be observed in a run: one closed set.
//!
//! A record has the instant it is given with; a field may have another. Records of one instant come as things happen.

use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_mac::contention::QuietPlan;
use hopscope_mac::dcf::{Frame, FrameKind, Outcome};
use hopscope_net::config::link::LinkPart;
use hopscope_net::routing::RoutingNote;
use hopscope_packet::{Body, DropReason, dccp::ResetCode, tcp::TcpFlags};
use hopscope_phy::phy::RxOutcome;
use hopscope_tcp::endpoint::Timer;

/// One observable fact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Record {
    // ---- radio ----------------------------------------------------------------------------------------------
    /// A frame goes on the air.
    FrameBegan {
        /// The frame; its transmitter is `frame.src`.
        frame: Frame,
        /// Air slot, by which reception outcomes name the frame: twice the number of the transmitter, and 0 or 1 by turns.
        slot: u32,
    },
    /// The MAC sends a frame, but the radio of its node is off: nothing goes on the air, and the MAC does not know.
    FrameUnsent {
        /// The frame.
        frame: Frame,
    },
    /// A frame that goes on the air now will keep the medium busy around a node, which senses it.
    Busy {
        /// Who senses it.
        node: NodeId,
        /// First instant there.
        from: Time,
        /// Last instant there.
        until: Time,
    },
    /// A frame has ended at a node that it was addressed to and that could have decoded it.
    FrameEnded {
        /// The hearer.
        node: NodeId,
        /// The frame.
        frame: Frame,
        /// Its air slot.
        slot: u32,
        /// What became of it there, and the frame at fault.
        outcome: RxOutcome,
    },
    /// A frame has ended at a node that senses it, though not addressed to it or too weak to be decoded there.
    FrameOverheard {
        /// The hearer.
        node: NodeId,
        /// The frame.
        frame: Frame,
        /// Its air slot.
        slot: u32,
        /// What became of it there, and the frame at fault; `Received`: the hearer has read its header.
        outcome: RxOutcome,
    },
    /// The radio of a node has gone off or come back.
    Power {
        /// Node.
        node: NodeId,
        /// It is on from now on.
        on: bool,
    },
    /// A node is somewhere else from now on.
    Moved {
        /// Node.
        node: NodeId,
        /// Metres.
        position: [f64; 2],
    },
    /// A node sets out on a straight way, or rests.
    SetOut {
        /// Node.
        node: NodeId,
        /// Where it is, metres.
        from: [f64; 2],
        /// Where it goes; a node at rest: the same place.
        to: [f64; 2],
        /// When it will be there, or will go on.
        until: Time,
    },
    /// A link loses power (radio) or packets (wire) from now on, both ways.
    LinkChanged {
        /// One end.
        node: NodeId,
        /// The other end.
        peer: NodeId,
        /// Part of the power, or of the packets, that still comes over: 0 is a cut, 1 as at the beginning.
        part: f64,
    },
    /// A trace covers a link, one way, from now on.
    LinkTraced {
        /// The node that sends.
        node: NodeId,
        /// The node that hears it.
        peer: NodeId,
        /// Received power, dBm, where it gives that.
        rssi: Option<f64>,
        /// Probability with which a copy of a frame is lost, where it gives that.
        loss: Option<f64>,
    },
    /// An application sends at another rate from now on.
    RateSet {
        /// Flow.
        flow: FlowId,
        /// Payload bits per second.
        rate: f64,
    },
    /// A parameter has another value from now on.
    ParameterSet {
        /// Its name in a scenario.
        key: &'static str,
        /// Its value.
        value: f64,
    },
    /// A node sends with another power from now on.
    PowerSet {
        /// Node.
        node: NodeId,
        /// Watts.
        watts: f64,
    },

    // ---- wires ----------------------------------------------------------------------------------------------
    /// A packet begins to leave by a wire. What finds no room before it is `Dropped`; a wire loses nothing else.
    WireBegan {
        /// Node that sends it.
        node: NodeId,
        /// Interface, by its number at the node.
        via: u8,
        /// Packet.
        packet: PacketId,
        /// Its last bit leaves then.
        until: Time,
    },
    /// A packet has come over a wire whole.
    WireEnded {
        /// Node that has got it.
        node: NodeId,
        /// Node that sent it.
        from: NodeId,
        /// Packet.
        packet: PacketId,
    },

    // ---- MAC ------------------------------------------------------------------------------------------------
    /// The wait of a station for the medium is over: it will send now, unless it has to answer another one.
    AccessGranted {
        /// Station.
        node: NodeId,
        /// How it has spent the time since the medium became idle.
        wait: QuietPlan,
    },
    /// No answer has come within the timeout, or the time of a broadcast is over.
    ResponseTimeout {
        /// Station that waited.
        node: NodeId,
    },
    /// A SIFS begins, after which the station will send an answer or the data frame it was asked for.
    SifsBegan {
        /// Station.
        node: NodeId,
        /// End of the SIFS.
        until: Time,
        /// Kind of the frame that will follow.
        then: FrameKind,
    },
    /// The attempt of a station to get its packet across has failed: it will try again.
    AttemptFailed {
        /// Station.
        node: NodeId,
    },
    /// A station will send data frames to a neighbour at another rate.
    RateChanged {
        /// Station.
        node: NodeId,
        /// The neighbour.
        to: NodeId,
        /// Bit/s.
        rate: u64,
    },
    /// The MAC is done with its packet. Over a retry limit, the last attempt has failed as well.
    ExchangeEnded {
        /// Station.
        node: NodeId,
        /// Its packet.
        packet: PacketId,
        /// Acknowledged (or broadcast), or given up.
        outcome: Outcome,
    },

    // ---- packets --------------------------------------------------------------------------------------------
    /// A packet comes into being at its source.
    PacketMade {
        /// Packet.
        packet: PacketId,
    },
    /// A receiver has got a packet: from now on there are two.
    PacketCopied {
        /// Receiver.
        node: NodeId,
        /// The packet, still in the hands of the transmitter.
        packet: PacketId,
        /// That of the receiver.
        copy: PacketId,
    },
    /// A packet has come up from an interface: to be delivered here, to be read by the routing protocol, or to go on.
    PacketReceived {
        /// Node.
        node: NodeId,
        /// Packet.
        packet: PacketId,
    },
    /// A packet has its next hop and goes down to the interface.
    PacketRouted {
        /// Node.
        node: NodeId,
        /// Packet.
        packet: PacketId,
    },
    /// A packet has to wait for a route, or for the address of its next hop.
    PacketHeld {
        /// Node.
        node: NodeId,
        /// Packet.
        packet: PacketId,
        /// It has its route, and waits for the address.
        routed: bool,
    },
    /// A packet has come to its destination and goes up to the transport.
    PacketArrived {
        /// Destination.
        node: NodeId,
        /// Packet.
        packet: PacketId,
    },
    /// A packet has joined the queue of an interface. One that finds the transmitter free and nobody waiting goes on at
    /// once, without this; where there is no room, `Dropped` says which packet had to go: this one or another.
    Queued {
        /// Node.
        node: NodeId,
        /// Interface, by its number at the node.
        via: u8,
        /// Packet.
        packet: PacketId,
    },
    /// A packet has left the queue of an interface other than by a drop: it is sent now, or goes back to the router as the
    /// link is lost.
    Dequeued {
        /// Node.
        node: NodeId,
        /// Interface, by its number at the node.
        via: u8,
        /// Packet.
        packet: PacketId,
    },
    /// The MAC takes a packet: from the queue, or at once where nothing waits.
    Offered {
        /// Node.
        node: NodeId,
        /// Packet.
        packet: PacketId,
    },
    /// The link layer holds the queue back for a while.
    HeldBack {
        /// Node.
        node: NodeId,
    },
    /// A packet is lost. It is still there to be looked at.
    Dropped {
        /// Node.
        node: NodeId,
        /// Packet.
        packet: PacketId,
        /// Why.
        reason: DropReason,
    },
    /// The link layer marked a packet with congestion experienced.
    Marked {
        /// Node.
        node: NodeId,
        /// Packet.
        packet: PacketId,
        /// The part of the layer that wanted it.
        by: LinkPart,
    },

    // ---- transport and application --------------------------------------------------------------------------
    /// The application of a flow hands data to its transport, which has not acted on it yet.
    AppSent {
        /// Flow.
        flow: FlowId,
        /// Bytes; `u64::MAX`: without end.
        bytes: u64,
    },
    /// The application of a flow sends no more.
    AppClosed {
        /// Flow.
        flow: FlowId,
    },
    /// A segment or datagram leaves its transport.
    SegmentSent {
        /// Node that sends it.
        node: NodeId,
        /// Flow whose data it carries, or whose connection it belongs to.
        flow: FlowId,
        /// Its header.
        header: Header,
    },
    /// A segment or datagram has reached its transport, which has not acted on it yet.
    SegmentReceived {
        /// Node that it has reached.
        node: NodeId,
        /// Flow whose data it carries, or whose connection it belongs to.
        flow: FlowId,
        /// Flow whose data it acknowledges; the same one where data go one way.
        answers: FlowId,
        /// Its header.
        header: Header,
        /// Time since this copy left the other transport.
        delay: Span,
    },
    /// What the data of a segment or datagram received was worth to the transport; a SYN counts as data.
    DataReceived {
        /// Flow.
        flow: FlowId,
        /// Payload bytes.
        bytes: u32,
        /// Time since this copy left the other transport.
        delay: Span,
        /// It repeats data received before.
        duplicate: bool,
        /// It repeats data sent before.
        retransmission: bool,
    },
    /// How far a copy of a data packet has come; reported where `path_lengths` asks for it.
    PathTaken {
        /// Flow.
        flow: FlowId,
        /// Hops that it has taken.
        hops: u32,
        /// Those of the shortest path by radio now; none where there is no path.
        shortest: Option<u32>,
    },
    /// New payload, in order, goes up to the application.
    Delivered {
        /// Flow.
        flow: FlowId,
        /// Payload bytes.
        bytes: u32,
    },
    /// The flow has nothing left to send; over TCP everything has been acknowledged.
    Completed {
        /// Flow.
        flow: FlowId,
    },
    /// A connection of DCCP has ended with an error.
    Reset {
        /// Flow.
        flow: FlowId,
        /// Why.
        code: ResetCode,
    },
    /// The usable window changed (the congestion window, or the receiver window where that is smaller), or the slow-start
    /// threshold did.
    Window {
        /// Flow.
        flow: FlowId,
        /// min(cwnd, receiver window), segments.
        cwnd: f64,
        /// Slow-start threshold, segments; 2^32 - 1 before the first loss where no other is configured.
        ssthresh: f64,
        /// Sent and not acknowledged, segments.
        flight: f64,
    },
    /// A receiver wants one ACK to stand for another number of segments.
    AckWindow {
        /// Flow.
        flow: FlowId,
        /// Segments, not always a whole number.
        segments: f64,
    },
    /// A sender that has a rate goes at another one from now on.
    SendingRate {
        /// Flow.
        flow: FlowId,
        /// Packets a second.
        rate: f64,
    },
    /// A round-trip time was measured.
    Rtt {
        /// Flow.
        flow: FlowId,
        /// Sample.
        rtt: Span,
    },
    /// A timer of a transport was set. Sources that fill the queue of their node themselves share one: who asks first sets
    /// it, and it expires for all of them.
    TimerArmed {
        /// Node.
        node: NodeId,
        /// Flow that this end sends, or whose connection it belongs to.
        flow: FlowId,
        /// Which.
        timer: Timer,
        /// When it will expire.
        until: Time,
    },
    /// A timer of a transport has expired; the transport has not acted on it yet. Some are set once for several deadlines
    /// and only move on.
    TimerExpired {
        /// Node.
        node: NodeId,
        /// Flow that this end sends, or whose connection it belongs to.
        flow: FlowId,
        /// Which.
        timer: Timer,
    },

    /// A timer of a transport was stopped for good, and will not expire.
    TimerStopped {
        /// Node.
        node: NodeId,
        /// Flow that this end sends, or whose connection it belongs to.
        flow: FlowId,
        /// Which.
        timer: Timer,
    },

    // ---- routing --------------------------------------------------------------------------------------------
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
    /// A static route is found for the first packet from outside that wants it. Those of flows stand before the run.
    RouteInstalled {
        /// Node on the way.
        node: NodeId,
        /// Destination.
        dst: NodeId,
        /// Neighbour that takes its packets.
        next_hop: NodeId,
        /// Hops from this node on.
        hops: u32,
    },
    /// A timer of a routing machine was set; an earlier deadline replaces a later one of the same timer.
    RoutingTimerArmed {
        /// Node.
        node: NodeId,
        /// Which, such as `hello`.
        timer: &'static str,
        /// When it will expire.
        until: Time,
    },
    /// A timer of a routing machine has expired, on which it has not acted yet; it never does where an earlier one came.
    RoutingTimerExpired {
        /// Node.
        node: NodeId,
        /// Which.
        timer: &'static str,
    },

    // ---- the run --------------------------------------------------------------------------------------------
    /// Length of an interface queue at a sampling instant.
    QueueLength {
        /// Node.
        node: NodeId,
        /// Packets.
        packets: u32,
    },
    /// A sampling interval ends.
    SampleEnd,
    /// The warm-up is over: what is measured is counted from this instant on, before which nothing more happens.
    MeasureBegan,
}

const _: () = assert!(size_of::<Record>() <= 64, "records are passed by value");

/// What the header of a segment or datagram says.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Header {
    /// Number of the first byte (TCP), of the packet (DCCP), or of the datagram in its flow from 0 (UDP).
    pub seq: u64,
    /// Next number expected from the other end, or over DCCP the greatest one received; valid when `flags.ack`.
    pub ack: u64,
    /// Payload bytes.
    pub len: u32,
    /// Advertised window, bytes.
    pub window: u32,
    /// Control bits.
    pub flags: TcpFlags,
    /// This copy repeats data sent before.
    pub retransmission: bool,
    /// It carries data, or is the SYN of who opens the connection.
    pub is_data: bool,
}

impl Header {
    /// The header in front of a body; an empty one for what has none.
    #[inline(always)]
    pub fn of(body: &Body) -> Self {
        match body {
            Body::Tcp(segment) => Header {
                seq: segment.seq,
                ack: segment.ack,
                len: segment.len,
                window: segment.window,
                flags: segment.flags,
                retransmission: segment.retransmission,
                is_data: segment.is_data(),
            },
            Body::Udp { seq, len } => Header { seq: *seq, len: *len, is_data: true, ..Header::default() },
            Body::Dccp(packet) => Header {
                seq: packet.seq.bits(),
                ack: packet.ack.bits(),
                len: packet.len,
                flags: TcpFlags { ack: packet.kind.acknowledges(), ..TcpFlags::default() },
                retransmission: packet.retransmission,
                is_data: packet.is_data(),
                ..Header::default()
            },
            Body::Atp(packet) => Header {
                seq: if packet.is_data() { packet.number.into() } else { 0 },
                ack: if packet.is_data() { 0 } else { packet.number.into() },
                len: packet.len,
                flags: TcpFlags { ack: !packet.is_data(), ..TcpFlags::default() },
                retransmission: packet.retransmission,
                is_data: packet.is_data(),
                ..Header::default()
            },
            Body::Arp { .. }
            | Body::Aodv(_)
            | Body::Routing
            | Body::Notice(_)
            | Body::PathNotice(_)
            | Body::Opaque { .. } => Header::default(),
        }
    }
}
