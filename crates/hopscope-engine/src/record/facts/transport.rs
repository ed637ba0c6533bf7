//! Records of transport and application.

macro_rules! transport_records {
    ($next:ident $($after:ident)*; $($before:tt)*) => {
        $next! { $($after)*; $($before)*
            /// The application of a flow hands data to its transport, which has not acted on it yet.
            AppSent in TRANSPORT about flow {
                /// Flow.
                flow: FlowId,
                /// Bytes; `u64::MAX`: without end.
                bytes: u64 as bounded,
            }
            /// The application of a flow sends no more.
            AppClosed in TRANSPORT about flow {
                /// Flow.
                flow: FlowId,
            }
            /// An application sends at another rate from now on.
            RateSet in TRANSPORT about flow {
                /// Flow.
                flow: FlowId,
                /// Payload bits per second.
                rate: f64,
            }
            /// A segment or datagram leaves its transport.
            SegmentSent in TRANSPORT about node, flow {
                /// Node that sends it.
                node: NodeId,
                /// Flow whose data it carries, or whose connection it belongs to.
                flow: FlowId,
                /// Its header.
                header: Header,
            }
            /// A segment or datagram has reached its transport, which has not acted on it yet.
            SegmentReceived in TRANSPORT about node, flow {
                /// Node that it has reached.
                node: NodeId,
                /// Flow whose data it carries, or whose connection it belongs to.
                flow: FlowId,
                /// Flow whose data it acknowledges; the same one where data go one way.
                answers: FlowId as number,
                /// Time since this copy left the other transport.
                delay: Span,
                /// Its header.
                header: Header,
            }
            /// What the data of a segment or datagram received was worth to the transport; a SYN counts as data.
            DataReceived in TRANSPORT about flow {
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
            }
            /// How far a copy of a data packet has come; reported where `path_lengths` asks for it.
            PathTaken in TRANSPORT about flow {
                /// Flow.
                flow: FlowId,
                /// Hops that it has taken.
                hops: u32,
                /// Those of the shortest path by radio now; none where there is no path.
                shortest: Option<u32> as hops_or_infinity,
            }
            /// New payload, in order, goes up to the application.
            Delivered in TRANSPORT about flow {
                /// Flow.
                flow: FlowId,
                /// Payload bytes.
                bytes: u32,
            }
            /// The flow has nothing left to send; over TCP everything has been acknowledged.
            Completed in TRANSPORT about flow {
                /// Flow.
                flow: FlowId,
            }
            /// A connection of DCCP has ended with an error.
            Reset in TRANSPORT about flow {
                /// Flow.
                flow: FlowId,
                /// Why.
                code: ResetCode,
            }
            /// The usable window changed (the congestion window, or the receiver window where that is smaller), or the
            /// slow-start threshold did.
            Window in WINDOWS about flow {
                /// Flow.
                flow: FlowId,
                /// min(cwnd, receiver window), segments.
                cwnd: f64,
                /// Slow-start threshold, segments; 2^32 - 1 before the first loss where no other is configured.
                ssthresh: f64,
                /// Sent and not acknowledged, segments.
                flight: f64,
            }
            /// A receiver wants one ACK to stand for another number of segments.
            AckWindow in WINDOWS about flow {
                /// Flow.
                flow: FlowId,
                /// Segments, not always a whole number.
                segments: f64,
            }
            /// A sender that has a rate goes at another one from now on.
            SendingRate in WINDOWS about flow {
                /// Flow.
                flow: FlowId,
                /// Packets a second.
                rate: f64,
            }
            /// A round-trip time was measured.
            Rtt in WINDOWS about flow {
                /// Flow.
                flow: FlowId,
                /// Sample.
                rtt: Span,
            }
            /// A timer of a transport was set. Sources that fill the queue of their node themselves share one: who asks
            /// first sets it, and it expires for all of them.
            TimerArmed in TIMERS about node, flow {
                /// Node.
                node: NodeId,
                /// Flow that this end sends, or whose connection it belongs to.
                flow: FlowId,
                /// Which.
                timer: Timer,
                /// When it will expire.
                until: Time,
            }
            /// A timer of a transport has expired; the transport has not acted on it yet. Some are set once for several
            /// deadlines and only move on.
            TimerExpired in TIMERS about node, flow {
                /// Node.
                node: NodeId,
                /// Flow that this end sends, or whose connection it belongs to.
                flow: FlowId,
                /// Which.
                timer: Timer,
            }
            /// A timer of a transport was stopped for good, and will not expire.
            TimerStopped in TIMERS about node, flow {
                /// Node.
                node: NodeId,
                /// Flow that this end sends, or whose connection it belongs to.
                flow: FlowId,
                /// Which.
                timer: Timer,
            }
        }
    };
}
