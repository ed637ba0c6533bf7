//! Window advertisement at a gateway (Pilosof, Ramjee, Raz, Shavitt and Sinha, INFOCOM 2003): the TCP flows that pass a
//! node share its buffer, because the node lowers the window that their ACKs advertise.

use hopscope_core::ids::FlowId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::{Body, Packet};

/// What one gateway knows of the TCP flows that pass it.
#[derive(Debug)]
pub struct Gateway {
    /// Packets that fit into its interface queue.
    buffer: u32,
    /// A flow is forgotten after so long a silence.
    idle: Span,
    flows: Vec<Passing>,
}

/// A TCP flow as a gateway sees it.
#[derive(Debug, Clone, Copy)]
struct Passing {
    /// Bytes in a segment.
    mss: u32,
    /// When it passed last.
    seen: Option<Time>,
}

impl Gateway {
    /// A gateway that has seen none of the flows, whose segments have so many bytes.
    pub fn new(buffer: u32, idle: Span, mss: impl Iterator<Item = u32>) -> Self {
        Gateway { buffer, idle, flows: mss.map(|mss| Passing { mss, seen: None }).collect() }
    }

    /// A packet comes by: of TCP its flow is counted, and the window that an ACK without data advertises is lowered to the
    /// share.
    #[cold]
    pub fn pass(&mut self, packet: &mut Packet, now: Time) {
        let Body::Tcp(segment) = &mut packet.body else { return };
        self.on_packet(packet.flow, now);
        if segment.flags.ack && segment.len == 0 {
            segment.window = segment.window.min(self.window(packet.flow, now));
        }
    }

    /// A packet of a TCP flow passes.
    fn on_packet(&mut self, flow: FlowId, now: Time) {
        self.flows[flow.index()].seen = Some(now);
    }

    /// The window that an ACK may advertise to a flow, bytes: its share of the buffer, at least one segment.
    fn window(&self, flow: FlowId, now: Time) -> u32 {
        let seen = self.flows.iter().filter_map(|flow| flow.seen);
        let active = seen.filter(|&at| now.saturating_since(at) < self.idle).count() as u32;
        (self.buffer / active.max(1)).max(1).saturating_mul(self.flows[flow.index()].mss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn active_flows_share_the_buffer() {
        let mut gateway = Gateway::new(50, Span::from_secs(30), [1460, 1000, 1000].into_iter().chain([500; 57]));
        let now = Time::ZERO + Span::from_secs(100);
        gateway.on_packet(FlowId(0), now);
        assert_eq!(gateway.window(FlowId(0), now), 50 * 1460);
        gateway.on_packet(FlowId(0), now);
        assert_eq!(gateway.window(FlowId(0), now), 50 * 1460, "the same flow");
        gateway.on_packet(FlowId(1), now);
        gateway.on_packet(FlowId(2), now);
        assert_eq!(gateway.window(FlowId(1), now), 16 * 1000);
        // 30 s later only a flow that went on counts.
        gateway.on_packet(FlowId(2), now + Span::from_secs(29));
        assert_eq!(gateway.window(FlowId(1), now + Span::from_secs(30)), 50 * 1000);
        for flow in 0..60 {
            gateway.on_packet(FlowId(flow), now);
        }
        assert_eq!(gateway.window(FlowId(1), now), 1000, "never less than a segment");
    }
}
