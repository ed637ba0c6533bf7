//! What the time of nodes, links and packets is accounted to. Each set is closed; the names are those of the results.

use hopscope_core::ids::NodeId;
use hopscope_core::named;
use hopscope_mac::dcf::FrameKind;

named! {
    /// Where a node's time goes: at every instant exactly one of these.
    pub enum Cause {
        /// On the air: data sent for the first time by its transport, in attempts that succeeded. Of an A-MPDU those MPDUs that came.
        Data = "data",
        /// On the air: data that its transport sent again.
        DataAgain = "data-again",
        /// On the air: segments of a transport without data, most of them ACKs.
        TransportAck = "transport-ack",
        /// On the air: routing messages, ARP, and what link layers report to their neighbours.
        Routing = "routing",
        /// On the air: RTS of attempts that succeeded.
        Rts = "rts",
        /// On the air: CTS.
        Cts = "cts",
        /// On the air: ACKs of the MAC.
        MacAck = "mac-ack",
        /// On the air: Block Acks.
        BlockAck = "block-ack",
        /// On the air: Block Ack requests that were answered.
        BlockAckReq = "block-ack-req",
        /// On the air: CF-End, which gives the rest of a TXOP back.
        CfEnd = "cf-end",
        /// On the air, in vain: a station that the transmitter cannot sense disturbed the attempt or silenced the
        /// receiver.
        RetryHidden = "retry-hidden",
        /// On the air, in vain: a station that it can sense began in the same slot.
        RetryCollision = "retry-collision",
        /// On the air, in vain: a station that it can sense sent later, without listening (an answer after SIFS).
        RetryOverlap = "retry-overlap",
        /// On the air, in vain: the channel lost the frame or its answer.
        RetryChannel = "retry-channel",
        /// On the air, in vain: the receiver did not answer (reserved, in another exchange, sending, off).
        RetryNoAnswer = "retry-no-answer",
        /// A frame for this node comes in, and is received.
        Receive = "receive",
        /// Nothing to send, and the medium is busy.
        Overheard = "overheard",
        /// A packet waits, and the medium is busy.
        Carrier = "carrier",
        /// A packet waits, and the medium is reserved.
        Nav = "nav",
        /// A packet waits for EIFS after a frame received in error.
        Eifs = "eifs",
        /// A packet waits for DIFS.
        Difs = "difs",
        /// A packet waits for the end of the back-off.
        Backoff = "backoff",
        /// Inside an exchange of this node: between its frames.
        Sifs = "sifs",
        /// Inside an exchange of this node: waiting for an answer that did not come.
        ResponseTimeout = "response-timeout",
        /// Packets wait in the queue, and the link layer holds them back.
        LinkTimer = "link-timer",
        /// Packets wait for a route or an address.
        RouteSearch = "route-search",
        /// The source has data, and its window has no room for it.
        WindowClosed = "window-closed",
        /// The source waits for its retransmission timer.
        Timeout = "timeout",
        /// The source holds segments back to pace them.
        Paced = "paced",
        /// The application has nothing to send.
        SenderLimited = "sender-limited",
        /// Nothing to forward or to answer.
        NothingToSend = "nothing-to-send",
        /// The radio is off.
        Off = "off",
        /// No flow leads through this node, which therefore never sends; what it hears is not looked at.
        Bystander = "bystander",
    }
}

impl Cause {
    /// Those that are time on the air.
    pub const ON_AIR: [Cause; 15] = [
        Cause::Data,
        Cause::DataAgain,
        Cause::TransportAck,
        Cause::Routing,
        Cause::Rts,
        Cause::Cts,
        Cause::MacAck,
        Cause::BlockAck,
        Cause::BlockAckReq,
        Cause::CfEnd,
        Cause::RetryHidden,
        Cause::RetryCollision,
        Cause::RetryOverlap,
        Cause::RetryChannel,
        Cause::RetryNoAnswer,
    ];
}

named! {
    /// Why an attempt to get a frame across failed.
    pub enum Failure {
        /// A station that the transmitter cannot sense: its frame, or an answer to it, was on the air as well, or kept
        /// the receiver from answering.
        Hidden = "hidden",
        /// A station that it can sense began within the same slot.
        Collision = "collision",
        /// A station that it can sense sent without listening: an answer after SIFS, or data after a CTS.
        Overlap = "overlap",
        /// The channel: bit errors, fading, noise.
        Channel = "channel",
        /// The receiver got the frame but did not answer, or was sending itself, or off.
        NoAnswer = "no-answer",
    }
}

impl Failure {
    /// What the airtime of such an attempt is accounted to.
    pub const fn cause(self) -> Cause {
        match self {
            Failure::Hidden => Cause::RetryHidden,
            Failure::Collision => Cause::RetryCollision,
            Failure::Overlap => Cause::RetryOverlap,
            Failure::Channel => Cause::RetryChannel,
            Failure::NoAnswer => Cause::RetryNoAnswer,
        }
    }

    /// What the time of such an attempt is accounted to on its link.
    pub const fn link_cause(self) -> LinkCause {
        match self {
            Failure::Hidden => LinkCause::RetryHidden,
            Failure::Collision => LinkCause::RetryCollision,
            Failure::Overlap => LinkCause::RetryOverlap,
            Failure::Channel => LinkCause::RetryChannel,
            Failure::NoAnswer => LinkCause::RetryNoAnswer,
        }
    }
}

/// What is known of the outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Diagnosis {
    /// Why it will have failed, if it fails.
    pub failure: Failure,
    /// Frame that was lost, or not answered.
    pub frame: FrameKind,
    /// Station that disturbed it.
    pub by: Option<NodeId>,
}

impl Diagnosis {
    /// Nothing is known: what is lost without a trace was lost by the channel.
    pub(super) const fn unknown(frame: FrameKind) -> Self {
        Diagnosis { failure: Failure::Channel, frame, by: None }
    }
}

named! {
    /// Where the time of a link (transmitter and receiver) goes. Attempts count with their answers and waits.
    pub enum LinkCause {
        /// Attempts that got their packet across, or were answered by a Block Ack.
        Delivered = "delivered",
        /// See [`Failure::Hidden`].
        RetryHidden = "retry-hidden",
        /// See [`Failure::Collision`].
        RetryCollision = "retry-collision",
        /// See [`Failure::Overlap`].
        RetryOverlap = "retry-overlap",
        /// See [`Failure::Channel`].
        RetryChannel = "retry-channel",
        /// See [`Failure::NoAnswer`].
        RetryNoAnswer = "retry-no-answer",
        /// A packet for this link is in the hands of the MAC, which waits for the medium.
        Contention = "contention",
        /// The MAC has no packet for this link.
        Idle = "idle",
    }
}

named! {
    /// Where the delay of a packet went, from the sending to the receiving transport.
    pub enum DelayPart {
        /// In interface queues.
        Queueing = "queueing",
        /// First in line: deferring and back-off. In the MAC of a QoS station: since its last attempt was over.
        Contention = "contention",
        /// Attempts that got it across, from the RTS on, and its time on wires.
        Airtime = "airtime",
        /// Attempts that failed.
        Retries = "retries",
        /// At the source until the data was sent again.
        Timeout = "timeout",
        /// Waiting for a route or an address.
        RouteSearch = "route-search",
        /// In the nodes, between network layer and queue.
        Processing = "processing",
        /// In reordering buffers, behind MPDUs that had not come.
        Reordering = "reordering",
    }
}
