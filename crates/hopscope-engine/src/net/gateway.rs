//! Window advertisement at a gateway (Pilosof, Ramjee, Raz, Shavitt and Sinha, INFOCOM 2003): the TCP flows that pass a
//! node share its buffer, because the node lowers the window that their ACKs advertise.

use crate::ids::FlowId;
use crate::packet::{Body, Packet};
use crate::units::{Span, Time};

/// What one gateway knows of the TCP flows that pass it.
#[derive(Debug)]
pub struct Gateway {
    /// Packets that fit into its interface queue.
    buffer: u32,
    /// A flow is forgotten after so long a silence.
    idle: Span,
    /// When each flow passed last.
    seen: Vec<Option<Time>>,
}

impl Gateway {
    /// A gateway that has seen none of so many flows.
    pub fn new(buffer: u32, idle: Span, flows: usize) -> Self {
        Gateway { buffer, idle, seen: vec![None; flows] }
    }

    /// A packet comes by: of TCP its flow is counted, whose segments have `mss` bytes, and the window that an ACK without
    /// data advertises is lowered to the share.
    pub fn pass(&mut self, packet: &mut Packet, mss: impl FnOnce(FlowId) -> u32, now: Time) {
        let Body::Tcp(segment) = &mut packet.body else { return };
        self.on_packet(packet.flow, now);
        if segment.flags.ack && segment.len == 0 {
            segment.window = segment.window.min(self.window(mss(packet.flow), now));
        }
    }

    /// A packet of a TCP flow passes.
    fn on_packet(&mut self, flow: FlowId, now: Time) {
        self.seen[flow.index()] = Some(now);
    }

    /// The window that an ACK may advertise to a flow with segments of `mss` bytes: its share of the buffer, at least
    /// one segment.
    fn window(&self, mss: u32, now: Time) -> u32 {
        let active = self.seen.iter().flatten().filter(|&&at| now.saturating_since(at) < self.idle).count() as u32;
        (self.buffer / active.max(1)).max(1).saturating_mul(mss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn active_flows_share_the_buffer() {
        let mut gateway = Gateway::new(50, Span::from_secs(30), 60);
        let now = Time::ZERO + Span::from_secs(100);
        gateway.on_packet(FlowId(0), now);
        assert_eq!(gateway.window(1460, now), 50 * 1460);
        gateway.on_packet(FlowId(0), now);
        assert_eq!(gateway.window(1460, now), 50 * 1460, "the same flow");
        gateway.on_packet(FlowId(1), now);
        gateway.on_packet(FlowId(2), now);
        assert_eq!(gateway.window(1000, now), 16 * 1000);
        // 30 s later only a flow that went on counts.
        gateway.on_packet(FlowId(2), now + Span::from_secs(29));
        assert_eq!(gateway.window(1000, now + Span::from_secs(30)), 50 * 1000);
        for flow in 0..60 {
            gateway.on_packet(FlowId(flow), now);
        }
        assert_eq!(gateway.window(1000, now), 1000, "never less than a segment");
    }
}
