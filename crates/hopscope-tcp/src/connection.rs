//! One end of a connection: the half that sends and the half that receives, and what its segments weigh.

use std::sync::Arc;

use super::ack::outside::AckRule;
use super::receiver::Due;
use super::reset::refuse;
use super::{Cx as TcpCx, ReceiverState, SenderState, TcpReceiver, TcpSender};
use crate::config::tcp::{RttEstimator, TIMESTAMPS_OPTION};
use crate::config::{CongestionControl, ConnectionConfig};
use crate::control::{Control, NodeState};
use crate::endpoint::{Cx, NodeView, PathEvent, Payload, Timer, TransportEffect};
use hopscope_core::rng::Stream;
use hopscope_core::units::Span;
use hopscope_packet::Ecn;
use hopscope_packet::tcp::TcpSegment;

/// One end of a connection. Where data flows one way, the active end has only the half that sends and the passive end
/// only the one that receives. Where the far end replies, both have both halves over the one handshake: segments with
/// data carry the ACK and the window of the other direction, and data that leaves in time spares a delayed ACK. Each
/// direction has its own FIN; one that is closed does not keep the other from sending (half-close, RFC 9293 3.6).
#[derive(Debug)]
pub struct Connection {
    /// It is the end that sends the SYN.
    opens: bool,
    sender: Option<Box<TcpSender>>,
    receiver: Option<Box<TcpReceiver>>,
    sizes: SegmentSizes,
    /// Its congestion control is from outside the engine and may look at the node.
    sees_node: bool,
}

/// Bytes of TCP segments as network packets.
#[derive(Debug)]
struct SegmentSizes {
    /// Network and TCP header.
    headers: u32,
    /// SACK option beyond its blocks.
    sack_option_base: u32,
    /// Option of data segments and of the SYN, in which they learn of their way, where it is in use.
    path_option: Option<u32>,
    /// Options of data segments in which they say what may be in flight, and their number; 0 where neither is in use.
    window_option: u32,
    /// Option of ACKs that say something of the order.
    order_option: u32,
    /// Options of the SYN and the SYN-ACK, besides time stamps.
    opening: u32,
    /// Data segments and the SYN of this end are this long on the air and carry no headers (ns-2's Vegas).
    bare: Option<u32>,
}

impl SegmentSizes {
    fn new(flow: &ConnectionConfig<'_>, network_header: u32) -> Self {
        SegmentSizes {
            headers: network_header + flow.tcp.header,
            sack_option_base: flow.tcp.sack_option_base,
            path_option: flow.reads_path().then_some(flow.tcp.path_option),
            window_option: flow.order_options(),
            order_option: flow.tcp.door_option,
            opening: flow.opening().bytes(flow.tcp.timestamps),
            bare: None,
        }
    }

    #[inline]
    fn of(&self, segment: &TcpSegment) -> u32 {
        if let (Some(full), true) = (self.bare, segment.is_data()) {
            return if segment.flags.syn { full } else { segment.len };
        }
        let blocks = u32::from(segment.n_sack);
        let stamps = if segment.timestamps.is_some() { TIMESTAMPS_OPTION } else { 0 };
        let path = self.path_option.filter(|_| segment.is_data()).unwrap_or(0);
        let own = match segment.len {
            0 if segment.flags.syn => self.opening,
            0 if segment.order == 0 => 0,
            0 => self.order_option,
            _ => self.window_option,
        };
        self.headers
            + path
            + own
            + stamps
            + segment.len
            + if blocks > 0 { self.sack_option_base + 8 * blocks } else { 0 }
    }
}

impl Connection {
    /// Both ends of a flow, the active one first, over a network with headers of so many bytes; `stream` is for what
    /// the clock and the congestion control draw.
    pub fn pair(flow: &ConnectionConfig<'_>, network_header: u32, mut stream: Stream) -> (Connection, Connection) {
        let phase = (flow.tcp.rtt_estimator == RttEstimator::Ns2)
            .then(|| Span((stream.uniform() * flow.tcp.clock_granularity.0 as f64) as u64));
        let (mut sender, receiver) = super::ends(flow, stream);
        if let Some(phase) = phase {
            sender.set_clock_phase(phase);
        }
        let vegas = flow.kind.control == CongestionControl::Vegas;
        let bare = (vegas && !flow.tcp.vegas_headers).then_some(flow.packet);
        let sizes = SegmentSizes::new(flow, network_header);
        let active = SegmentSizes { bare, ..SegmentSizes::new(flow, network_header) };
        (
            Connection { opens: true, sender: Some(Box::new(sender)), receiver: None, sizes: active, sees_node: false },
            Connection { opens: false, sender: None, receiver: Some(Box::new(receiver)), sizes, sees_node: false },
        )
    }

    /// Gives both ends of a flow the half that they lack: data flows both ways. `stream` is for what the congestion
    /// control of the passive end draws.
    pub fn join((active, passive): (&mut Connection, &mut Connection), flow: &ConnectionConfig<'_>, stream: Stream) {
        let (sender, receiver) = super::ends(flow, stream);
        active.receiver = Some(Box::new(receiver));
        passive.sender = Some(Box::new(sender));
        passive.sizes.bare = active.sizes.bare;
    }

    /// Hands over a congestion control from outside to the half that sends.
    pub fn set_control(&mut self, control: Arc<dyn Control>) {
        if let Some(sender) = &mut self.sender {
            sender.set_control(control);
            self.sees_node = true;
        }
    }

    /// Hands over an ACK policy from outside to the half that receives.
    pub fn set_rule(&mut self, rule: Arc<dyn AckRule>) {
        if let Some(receiver) = &mut self.receiver {
            receiver.set_rule(rule);
        }
    }

    /// It looks at its node at each input.
    #[inline]
    pub fn sees_node(&self) -> bool {
        self.sees_node
    }

    /// Shows the node to the congestion control.
    #[cold]
    fn see_node(&mut self, node: &NodeView) {
        if let Some(sender) = &mut self.sender {
            sender.see_node(NodeState { queued: node.queued as u32, is_full: node.is_full, mac: node.mac });
        }
    }

    // Inputs.

    /// The application has `bytes` more to send; `u64::MAX`: without end. The first time it opens the connection.
    pub fn on_send(&mut self, bytes: u64, cx: &mut Cx<'_>) {
        if let (true, Some(node)) = (self.sees_node, &cx.node) {
            self.see_node(node);
        }
        self.with_sender(cx, |sender, opens, cx| {
            if opens {
                sender.open(cx.now, cx.out);
            }
            sender.offer(bytes, cx.now, cx.out);
        });
    }

    /// The application reads so many bytes, where it reads on request.
    pub fn on_read(&mut self, bytes: u64, cx: &mut Cx<'_>) {
        if let Some(receiver) = &mut self.receiver {
            if let Some(sender) = &self.sender {
                receiver.share(sender.next());
            }
            receiver.on_read(bytes, cx.now, cx.out);
        }
    }

    /// From now on a window of so many bytes is advertised.
    pub fn advertise(&mut self, window: u32) {
        if let Some(receiver) = &mut self.receiver {
            receiver.advertise(window);
        }
    }

    /// From now on the application reads on request, from a buffer of so many bytes.
    pub fn read_on_request(&mut self, buffer: u64, mss: u32) {
        if let Some(receiver) = &mut self.receiver {
            receiver.read_on_request(buffer, mss);
        }
    }

    /// The application will send no more.
    pub fn close(&mut self, cx: &mut Cx<'_>) {
        self.with_sender(cx, |sender, _, cx| sender.close(cx.now, cx.out));
    }

    /// Its data segments and its SYN learn of their way.
    #[inline]
    pub fn wants_path_info(&self) -> bool {
        self.sizes.path_option.is_some()
    }

    /// The way of the segment at hand, and what it has learnt there, goes to the half that receives.
    #[inline]
    fn take_path_info(&mut self, cx: &Cx<'_>) {
        if let (Some(path_info), Some(receiver)) = (&cx.path_info, &mut self.receiver) {
            receiver.take_path_info(path_info);
        }
    }

    /// A segment has arrived in a packet with this ECN field; gives the data that it carried, if any.
    #[inline]
    pub fn on_segment(&mut self, segment: &TcpSegment, ecn: Ecn, cx: &mut Cx<'_>) -> Option<Payload> {
        if let (true, Some(node)) = (self.sees_node, &cx.node) {
            self.see_node(node);
        }
        let segment = TcpSegment { ecn, ..*segment };
        if segment.flags.rst {
            self.on_reset(&segment, &mut TcpCx { now: cx.now, out: cx.out });
            return None;
        }
        if self.sender.is_some() && self.receiver.is_some() {
            self.take_path_info(cx);
            return self.on_segment_of_both(&segment, cx);
        }
        if let Some(sender) = &mut self.sender {
            sender.on_segment(&segment, hops(cx), cx.now, cx.out);
            return None;
        }
        self.take_path_info(cx);
        let receiver = self.receiver.as_mut()?;
        let before = receiver.stats().new_segments();
        receiver.on_segment(&segment, cx.now, cx.out);
        let duplicate = segment.len > 0 && receiver.stats().new_segments() == before;
        payload(&segment, duplicate)
    }

    /// A timer armed by this end has expired.
    pub fn on_timer(&mut self, timer: Timer, cx: &mut Cx<'_>) {
        if let (true, Some(node)) = (self.sees_node, &cx.node) {
            self.see_node(node);
        }
        match (&mut self.sender, &mut self.receiver) {
            (Some(sender), None) => sender.on_timer(timer, cx.now, cx.out),
            (None, Some(receiver)) => receiver.on_timer(timer, cx.now, cx.out),
            (Some(sender), Some(receiver))
                if matches!(timer, Timer::DelayedAck | Timer::Read)
                    || receiver.state() == ReceiverState::SynReceived =>
            {
                receiver.share(sender.next());
                receiver.on_timer(timer, cx.now, cx.out);
            }
            (Some(_), Some(_)) => self.with_sender(cx, |sender, _, cx| sender.on_timer(timer, cx.now, cx.out)),
            (None, None) => {}
        }
    }

    /// The node knows something of the path.
    pub fn on_path_event(&mut self, event: PathEvent, cx: &mut Cx<'_>) {
        match event {
            PathEvent::RouteFailed => self.with_sender(cx, |sender, _, cx| {
                sender.on_route_ended();
                sender.on_route_failed(&mut TcpCx { now: cx.now, out: cx.out });
            }),
            PathEvent::Unreachable => self.with_sender(cx, |sender, _, cx| {
                sender.on_route_failed(&mut TcpCx { now: cx.now, out: cx.out });
            }),
            PathEvent::RouteExpired => {
                if let Some(sender) = &mut self.sender {
                    sender.on_route_ended();
                }
            }
            PathEvent::RouteFound => self.with_sender(cx, |sender, _, cx| {
                sender.on_route_found(&mut TcpCx { now: cx.now, out: cx.out });
            }),
            // What becomes of single packets, it learns from the other end.
            PathEvent::Queued | PathEvent::Passing | PathEvent::Held | PathEvent::Refused | PathEvent::NoRoute => {}
        }
    }

    // Steps where data flows both ways.

    /// Gives the sending half an input; what it sends in answer carries the ACK of the receiving one.
    fn with_sender(&mut self, cx: &mut Cx<'_>, input: impl FnOnce(&mut TcpSender, bool, &mut Cx<'_>)) {
        let Some(sender) = &mut self.sender else { return };
        let Some(receiver) = &mut self.receiver else { return input(sender, self.opens, cx) };
        sender.share(receiver.next(), receiver.reverse());
        let before = cx.out.len();
        input(sender, self.opens, cx);
        // Whatever the sending half emits carries the ACK that was held back.
        if cx.out[before..].iter().any(|effect| matches!(effect, TransportEffect::Emit(_))) {
            receiver.on_carried();
        }
    }

    /// Data is taken first, so that what the acknowledgement lets out acknowledges it; then the acknowledgement; what
    /// is then still owed goes out by itself.
    fn on_segment_of_both(&mut self, segment: &TcpSegment, cx: &mut Cx<'_>) -> Option<Payload> {
        let (Some(sender), Some(receiver)) = (&mut self.sender, &mut self.receiver) else { return None };
        receiver.share(sender.next());
        let hops = hops(cx);
        if segment.flags.syn {
            if segment.flags.ack {
                if self.opens {
                    receiver.join(segment); // in LISTEN it is refused (RFC 9293 3.10.7.2)
                }
                self.with_sender(cx, |sender, _, cx| sender.on_segment(segment, hops, cx.now, cx.out));
            } else {
                receiver.on_segment(segment, cx.now, cx.out);
            }
            return payload(segment, false);
        }
        let closed = sender.state() == SenderState::Closed;
        if closed || receiver.state() == ReceiverState::Listen || sender.never_sent(segment) {
            let listens = receiver.state() == ReceiverState::Listen && !self.opens;
            match closed || listens && segment.flags.ack {
                true => refuse(segment, &mut TcpCx { now: cx.now, out: cx.out }),
                false if listens => {}
                false => self.with_sender(cx, |sender, _, cx| sender.on_segment(segment, hops, cx.now, cx.out)),
            }
            return None;
        }
        if !segment.flags.ack {
            return None; // RFC 9293 3.10.7.4, fifth step
        }
        let (now, new_segments) = (cx.now, receiver.stats().new_segments());
        receiver.take_stamp(segment);
        let accepted = receiver.take_ack(segment, &mut TcpCx { now, out: cx.out });
        if receiver.state() == ReceiverState::SynReceived {
            return None; // the SYN-ACK is not acknowledged by it
        }
        let was_finished = receiver.is_finished();
        let mut due = receiver.take_data(segment, &mut TcpCx { now, out: cx.out });
        if due == Due::Bare {
            receiver.answer(due, &mut TcpCx { now, out: cx.out });
            due = Due::Never;
        }
        let duplicate = segment.len > 0 && receiver.stats().new_segments() == new_segments;
        let closes = receiver.is_finished() && !was_finished;
        let before = cx.out.len();
        self.with_sender(cx, |sender, _, cx| {
            match accepted {
                Some(sent) => sender.accept(segment, sent, &mut TcpCx { now, out: cx.out }),
                None => sender.on_segment(segment, hops, now, cx.out),
            }
            if closes {
                sender.on_peer_closed(&mut TcpCx { now, out: cx.out });
            }
        });
        let answered = cx.out[before..].iter().any(|effect| matches!(effect, TransportEffect::Emit(_)));
        if let (Some(sender), Some(receiver), false) = (&self.sender, &mut self.receiver, answered) {
            receiver.share(sender.next());
            receiver.answer(due, &mut TcpCx { now, out: cx.out });
        }
        payload(segment, duplicate)
    }

    // What resets look at.

    /// It is the end that sends the SYN.
    pub(super) fn opens(&self) -> bool {
        self.opens
    }

    /// The half that sends.
    pub(super) fn sender_mut(&mut self) -> Option<&mut TcpSender> {
        self.sender.as_deref_mut()
    }

    /// The half that receives.
    pub(super) fn receiver_mut(&mut self) -> Option<&mut TcpReceiver> {
        self.receiver.as_deref_mut()
    }

    /// Next number expected, and how many from there on are taken.
    pub(super) fn expects(&mut self) -> (u64, u64) {
        match (&mut self.receiver, &self.sender) {
            (Some(receiver), _) => (receiver.next(), u64::from(receiver.reverse().window)),
            (None, Some(sender)) => (sender.expects(), u64::from(sender.offers())),
            (None, None) => (0, 0),
        }
    }

    /// Number of what would be sent next.
    pub(super) fn sends(&self) -> u64 {
        match (&self.sender, &self.receiver) {
            (Some(sender), Some(receiver)) if receiver.state() == ReceiverState::SynReceived => sender.next().max(1),
            (Some(sender), _) => sender.next(),
            (None, _) => 1,
        }
    }

    /// An ACK for one who may know less of the connection than he should (RFC 5961).
    pub(super) fn challenge(&mut self, cx: &mut TcpCx<'_>) {
        let sends = self.sends();
        if let Some(receiver) = &mut self.receiver {
            if self.sender.is_some() {
                receiver.share(sends);
            }
            receiver.challenge(cx);
        } else if let Some(sender) = &mut self.sender {
            sender.send_ack(cx);
        }
    }

    // Queries.

    /// The half that receives.
    pub fn receiver(&self) -> Option<&TcpReceiver> {
        self.receiver.as_deref()
    }

    /// Bytes of the network packet that carries a segment of this end.
    #[inline]
    pub fn packet_bytes(&self, segment: &TcpSegment) -> u32 {
        self.sizes.of(segment)
    }

    /// The half that sends acts when the route fails.
    pub fn needs_route_events(&self) -> bool {
        self.sender.as_ref().is_some_and(|sender| sender.needs_route_events())
    }

    /// The half that sends.
    pub fn sender(&self) -> Option<&TcpSender> {
        self.sender.as_deref()
    }
}

/// Hops that the segment at hand has travelled.
#[inline]
fn hops(cx: &Cx<'_>) -> u8 {
    cx.path_info.map_or(0, |path_info| path_info.hops)
}

/// What a segment has brought.
fn payload(segment: &TcpSegment, duplicate: bool) -> Option<Payload> {
    let TcpSegment { len, retransmission, .. } = *segment;
    segment.is_data().then_some(Payload { bytes: len, duplicate, retransmission })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_packet::tcp::TcpFlags;

    #[test]
    fn segments_weigh_what_they_carry() {
        let sizes = SegmentSizes {
            headers: 40,
            sack_option_base: 4,
            path_option: None,
            window_option: 0,
            order_option: 0,
            opening: 8,
            bare: None,
        };
        let ack = TcpSegment { flags: TcpFlags { ack: true, ..TcpFlags::default() }, ..TcpSegment::default() };
        assert_eq!(sizes.of(&ack), 40);
        assert_eq!(sizes.of(&TcpSegment { n_sack: 2, ..ack }), 60);
        let data = TcpSegment { len: 1000, timestamps: Some(Default::default()), ..ack };
        assert_eq!(sizes.of(&data), 1052);
        let asking = SegmentSizes { path_option: Some(4), ..sizes };
        assert_eq!([asking.of(&data), asking.of(&ack)], [1056, 40], "data alone learns of its way");
        let reporting = SegmentSizes { window_option: 4, ..sizes };
        assert_eq!([reporting.of(&data), reporting.of(&ack)], [1056, 40], "data alone says what may be in flight");
        let ordered = SegmentSizes { window_option: 4, order_option: 4, ..sizes };
        let late = TcpSegment { order: 3, ..ack };
        assert_eq!(
            [ordered.of(&data), ordered.of(&ack), ordered.of(&late)],
            [1056, 40, 44],
            "a usual ACK says nothing"
        );
        let syn = TcpSegment { flags: TcpFlags { syn: true, ..TcpFlags::default() }, ..TcpSegment::default() };
        let stamped = TcpSegment { timestamps: data.timestamps, ..syn };
        assert_eq!([sizes.of(&syn), sizes.of(&stamped), asking.of(&syn)], [48, 60, 52]);
        let bare = SegmentSizes { bare: Some(1000), ..sizes };
        assert_eq!([bare.of(&TcpSegment { len: 700, ..ack }), bare.of(&syn), bare.of(&ack)], [700, 1000, 40]);
    }
}
