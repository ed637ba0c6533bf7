//! One end of a connection: the half that sends and the half that receives, and what its segments weigh.

use std::sync::Arc;

use super::{TcpReceiver, TcpSender};
use crate::config::tcp::RttEstimator;
use crate::config::{CongestionControl, FlowConfig};
use crate::packet::Ecn;
use crate::packet::tcp::TcpSegment;
use crate::rng::Stream;
use crate::transport::control::Control;
use crate::transport::{Cx, Payload, Timer};
use crate::units::Span;

/// Bytes of the timestamps option with its padding (RFC 7323 A).
pub const TIMESTAMPS_OPTION: u32 = 12;

/// One end of a connection. Data flows one way: the active end only sends, the passive end only receives.
#[derive(Debug)]
pub struct Connection {
    sender: Option<Box<TcpSender>>,
    receiver: Option<Box<TcpReceiver>>,
    sizes: SegmentSizes,
}

/// Bytes of TCP segments as network packets.
#[derive(Debug)]
struct SegmentSizes {
    /// Network and TCP header.
    headers: u32,
    /// SACK option beyond its blocks.
    sack_option_base: u32,
    /// Data segments and the SYN of this end are this long on the air and carry no headers (ns-2's Vegas).
    bare: Option<u32>,
}

impl SegmentSizes {
    fn new(flow: &FlowConfig, network_header: u32) -> Self {
        SegmentSizes {
            headers: network_header + flow.tcp.header,
            sack_option_base: flow.tcp.sack_option_base,
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
        self.headers + stamps + segment.len + if blocks > 0 { self.sack_option_base + 8 * blocks } else { 0 }
    }
}

impl Connection {
    /// Both ends of a flow, the active one first, over a network with headers of so many bytes; `stream` is for what the
    /// clock and the congestion control draw.
    pub fn pair(flow: &FlowConfig, network_header: u32, mut stream: Stream) -> (Connection, Connection) {
        let phase = (flow.tcp.rtt_estimator == RttEstimator::Ns2)
            .then(|| Span((stream.uniform() * flow.tcp.clock_granularity.0 as f64) as u64));
        let (mut sender, receiver) = super::ends(flow, stream);
        if let Some(phase) = phase {
            sender.set_clock_phase(phase);
        }
        let vegas = flow.tcp_kind().is_some_and(|kind| kind.control == CongestionControl::Vegas);
        let bare = (vegas && !flow.tcp.vegas_headers).then_some(flow.packet);
        let sizes = SegmentSizes::new(flow, network_header);
        let active = SegmentSizes { bare, ..SegmentSizes::new(flow, network_header) };
        (
            Connection { sender: Some(Box::new(sender)), receiver: None, sizes: active },
            Connection { sender: None, receiver: Some(Box::new(receiver)), sizes },
        )
    }

    /// Hands over a congestion control from outside to the half that sends.
    pub fn set_control(&mut self, control: Arc<dyn Control>) {
        if let Some(sender) = &mut self.sender {
            sender.set_control(control);
        }
    }

    // Inputs.

    /// The application has `bytes` more to send; `u64::MAX`: without end. The first time it opens the connection.
    pub fn on_send(&mut self, bytes: u64, cx: &mut Cx<'_>) {
        if let Some(sender) = &mut self.sender {
            sender.open(cx.now, cx.out);
            sender.offer(bytes, cx.now, cx.out);
        }
    }

    /// The application will send no more.
    pub fn close(&mut self, cx: &mut Cx<'_>) {
        if let Some(sender) = &mut self.sender {
            sender.close(cx.now, cx.out);
        }
    }

    /// A segment has arrived in a packet with this ECN field after `hops` hops; gives the data that it carried, if any.
    #[inline]
    pub fn on_segment(&mut self, segment: &TcpSegment, ecn: Ecn, hops: u8, cx: &mut Cx<'_>) -> Option<Payload> {
        let segment = TcpSegment { ecn, ..*segment };
        if let Some(sender) = &mut self.sender {
            sender.on_segment(&segment, hops, cx.now, cx.out);
            return None;
        }
        let receiver = self.receiver.as_mut()?;
        let before = receiver.stats().duplicates;
        receiver.on_segment(&segment, cx.now, cx.out);
        let duplicate = receiver.stats().duplicates != before;
        let TcpSegment { len, retransmission, .. } = segment;
        segment.is_data().then_some(Payload { bytes: len, duplicate, retransmission })
    }

    /// A timer armed by this end has expired.
    pub fn on_timer(&mut self, timer: Timer, cx: &mut Cx<'_>) {
        match (&mut self.sender, &mut self.receiver) {
            (Some(sender), _) => sender.on_timer(timer, cx.now, cx.out),
            (None, Some(receiver)) => receiver.on_timer(timer, cx.now, cx.out),
            (None, None) => {}
        }
    }

    // Queries.

    /// Bytes of the network packet that carries a segment of this end.
    #[inline]
    pub fn packet_bytes(&self, segment: &TcpSegment) -> u32 {
        self.sizes.of(segment)
    }

    /// The half that sends.
    pub fn sender(&self) -> Option<&TcpSender> {
        self.sender.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::tcp::TcpFlags;

    #[test]
    fn segments_weigh_what_they_carry() {
        let sizes = SegmentSizes { headers: 40, sack_option_base: 4, bare: None };
        let ack = TcpSegment { flags: TcpFlags { ack: true, ..TcpFlags::default() }, ..TcpSegment::default() };
        assert_eq!(sizes.of(&ack), 40);
        assert_eq!(sizes.of(&TcpSegment { n_sack: 2, ..ack }), 60);
        let data = TcpSegment { len: 1000, timestamps: Some(Default::default()), ..ack };
        assert_eq!(sizes.of(&data), 1052);
        let bare = SegmentSizes { bare: Some(1000), ..sizes };
        let syn = TcpSegment { flags: TcpFlags { syn: true, ..TcpFlags::default() }, ..TcpSegment::default() };
        assert_eq!([bare.of(&TcpSegment { len: 700, ..ack }), bare.of(&syn), bare.of(&ack)], [700, 1000, 40]);
    }
}
