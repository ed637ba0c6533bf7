//! What a record is called and whom it is about: what filters and readable traces ask of every record alike.

use super::{NetworkView, Record};
use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_mac::dcf::{Frame, FrameKind};

/// Names of the records, from the one list that must have them all.
macro_rules! records {
    ($($name:ident)+) => {
        impl Record {
            /// The names of all records, in the order of [`Record`].
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// The name of the variant.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Record::$name { .. } => stringify!($name)),+
                }
            }
        }
    };
}

records! {
    FrameBegan FrameUnsent Busy FrameEnded FrameOverheard Power Moved SetOut LinkChanged LinkTraced RateSet ParameterSet
    PowerSet
    WireBegan WireEnded
    AccessGranted ResponseTimeout SifsBegan AttemptFailed RateChanged ExchangeEnded
    PacketMade PacketCopied PacketReceived PacketRouted PacketHeld PacketArrived
    Queued Dequeued Offered HeldBack Dropped Marked
    AppSent AppClosed SegmentSent SegmentReceived DataReceived PathTaken Delivered Completed Reset
    Window AckWindow SendingRate Rtt TimerArmed TimerExpired TimerStopped
    RoutingSent Routing RouteInstalled RoutingTimerArmed RoutingTimerExpired
    QueueLength SampleEnd MeasureBegan
}

/// Whom a record is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Subject {
    /// The node at which it happens: of a frame that leaves its transmitter, of a packet that comes into being its source.
    pub node: Option<NodeId>,
    /// The flow, where the record itself says so.
    pub flow: Option<FlowId>,
    /// The packet; of a frame the one that it carries or announces.
    pub packet: Option<PacketId>,
}

impl Subject {
    fn node(node: NodeId) -> Self {
        Subject { node: Some(node), ..Subject::default() }
    }

    fn and_flow(self, flow: Option<FlowId>) -> Self {
        Subject { flow: flow.filter(|&flow| flow != FlowId::NONE), ..self }
    }

    fn and_packet(self, packet: PacketId) -> Self {
        Subject { packet: Some(packet), ..self }
    }

    fn and_frame(self, frame: &Frame) -> Self {
        match frame.kind {
            FrameKind::Rts | FrameKind::Data => self.and_packet(frame.body),
            FrameKind::Cts | FrameKind::Ack => self,
        }
    }

    /// The same, with the source of a packet that has come into being, and the flow of any packet.
    #[must_use]
    pub fn seen(self, view: &impl NetworkView) -> Self {
        let Some(packet) = self.packet else { return self };
        let packet = view.packet(packet);
        let flow = self.flow.or(Some(packet.flow).filter(|&flow| flow != FlowId::NONE));
        Subject { node: self.node.or(Some(packet.src)), flow, ..self }
    }
}

impl Record {
    /// The flow, where the record itself says so.
    #[inline(always)]
    pub(crate) fn flow(&self) -> Option<FlowId> {
        match *self {
            Record::SegmentSent { flow, .. }
            | Record::SegmentReceived { flow, .. }
            | Record::TimerArmed { flow, .. }
            | Record::TimerExpired { flow, .. }
            | Record::TimerStopped { flow, .. }
            | Record::AppSent { flow, .. }
            | Record::RateSet { flow, .. }
            | Record::AppClosed { flow }
            | Record::DataReceived { flow, .. }
            | Record::PathTaken { flow, .. }
            | Record::Delivered { flow, .. }
            | Record::Completed { flow }
            | Record::Reset { flow, .. }
            | Record::Window { flow, .. }
            | Record::AckWindow { flow, .. }
            | Record::SendingRate { flow, .. }
            | Record::Rtt { flow, .. } => Some(flow),
            _ => None,
        }
    }

    /// Whom it is about.
    pub fn about(&self) -> Subject {
        let subject = match *self {
            Record::FrameBegan { ref frame, .. } | Record::FrameUnsent { ref frame } => {
                Subject::node(frame.src).and_frame(frame)
            }
            Record::FrameEnded { node, ref frame, .. } | Record::FrameOverheard { node, ref frame, .. } => {
                Subject::node(node).and_frame(frame)
            }
            Record::Busy { node, .. }
            | Record::Power { node, .. }
            | Record::Moved { node, .. }
            | Record::SetOut { node, .. }
            | Record::LinkChanged { node, .. }
            | Record::LinkTraced { node, .. }
            | Record::PowerSet { node, .. }
            | Record::AccessGranted { node, .. }
            | Record::ResponseTimeout { node }
            | Record::SifsBegan { node, .. }
            | Record::AttemptFailed { node }
            | Record::RateChanged { node, .. }
            | Record::HeldBack { node }
            | Record::RoutingSent { node, .. }
            | Record::Routing { node, .. }
            | Record::RouteInstalled { node, .. }
            | Record::RoutingTimerArmed { node, .. }
            | Record::RoutingTimerExpired { node, .. }
            | Record::SegmentSent { node, .. }
            | Record::SegmentReceived { node, .. }
            | Record::TimerArmed { node, .. }
            | Record::TimerExpired { node, .. }
            | Record::TimerStopped { node, .. }
            | Record::QueueLength { node, .. } => Subject::node(node),
            Record::WireBegan { node, packet, .. }
            | Record::WireEnded { node, packet, .. }
            | Record::ExchangeEnded { node, packet, .. }
            | Record::PacketCopied { node, copy: packet, .. }
            | Record::PacketReceived { node, packet }
            | Record::PacketRouted { node, packet }
            | Record::PacketHeld { node, packet, .. }
            | Record::PacketArrived { node, packet }
            | Record::Queued { node, packet, .. }
            | Record::Dequeued { node, packet, .. }
            | Record::Offered { node, packet }
            | Record::Dropped { node, packet, .. }
            | Record::Marked { node, packet, .. } => Subject::node(node).and_packet(packet),
            Record::PacketMade { packet } => Subject::default().and_packet(packet),
            Record::AppSent { .. }
            | Record::RateSet { .. }
            | Record::AppClosed { .. }
            | Record::DataReceived { .. }
            | Record::PathTaken { .. }
            | Record::Delivered { .. }
            | Record::Completed { .. }
            | Record::Reset { .. }
            | Record::Window { .. }
            | Record::AckWindow { .. }
            | Record::SendingRate { .. }
            | Record::Rtt { .. }
            | Record::ParameterSet { .. }
            | Record::SampleEnd
            | Record::MeasureBegan => Subject::default(),
        };
        subject.and_flow(self.flow())
    }
}
