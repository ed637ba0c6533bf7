//! ATP (Sundaresan et al. 2003): a transport for ad hoc networks whose rate comes from the nodes of the path.
//!
//! | who | what |
//! |---|---|
//! | every node | averages the time that packets wait in its queue (Q) and the time that the one at the head takes to be sent (T), and writes Q + T into the header of data that leaves where that is the largest so far (the link layer) |
//! | receiver | averages these delays D and reports the average and what has come once an epoch |
//! | sender | has the rate 1/D, as far as its rules of increase and decrease let it |
//!
//! ```text
//!            data to send                answer of the receiver
//!   IDLE  ------------------>  STARTING  ---------------------->  OPEN
//!                              a probe an epoch                   paced by the rate
//!                                 ^                                 |
//!                                 +---------------------------------+
//!                    route failed, feedback missed too often, long idle
//! ```
//!
//! The parts: `source.rs` has rate and repetition, `sink.rs` the receiver. There is no handshake (the first probe opens
//! the connection), no retransmission timeout and no window. The receiver takes everything at once, so that nothing has
//! to be said of its buffer.

mod sink;
mod source;
#[cfg(test)]
mod tests;

use sink::Sink;
use source::Source;

use crate::config::FlowConfig;
use hopscope_packet::atp::AtpPacket;
use hopscope_tcp::SenderStats;
use hopscope_tcp::endpoint::{Cx, PathEvent, Payload, Timer};

/// One end of a connection.
#[derive(Debug)]
pub struct Connection {
    half: Half,
    /// Network header, bytes.
    network_header: u32,
}

/// Data goes one way.
#[derive(Debug)]
enum Half {
    Source(Box<Source>),
    Sink(Box<Sink>),
}

impl Connection {
    /// Both ends of a flow, the sender first, over a network with headers of so many bytes.
    pub fn pair(flow: &FlowConfig, network_header: u32) -> (Connection, Connection) {
        let end = |half| Connection { half, network_header };
        let source = Box::new(Source::new(&flow.atp, flow.packet));
        (end(Half::Source(source)), end(Half::Sink(Box::new(Sink::new(&flow.atp)))))
    }

    /// The application has `bytes` more to send; `u64::MAX`: without end.
    pub fn on_send(&mut self, bytes: u64, cx: &mut Cx<'_>) {
        if let Half::Source(source) = &mut self.half {
            source.on_send(bytes, cx);
        }
    }

    /// The application will send no more.
    pub fn close(&mut self, cx: &mut Cx<'_>) {
        if let Half::Source(source) = &mut self.half {
            source.close(cx);
        }
    }

    /// A packet has arrived; gives the data that it carried, if any.
    pub fn on_packet(&mut self, packet: &AtpPacket, cx: &mut Cx<'_>) -> Option<Payload> {
        match &mut self.half {
            Half::Source(source) => {
                if !packet.is_data() {
                    source.on_feedback(packet, cx);
                }
                None
            }
            Half::Sink(sink) if packet.is_data() => sink.on_data(packet, cx),
            Half::Sink(_) => None,
        }
    }

    /// A timer armed by this end has expired.
    pub fn on_timer(&mut self, timer: Timer, cx: &mut Cx<'_>) {
        match (&mut self.half, timer) {
            (Half::Source(source), Timer::Pacing) => source.on_pacing(cx),
            (Half::Source(source), Timer::Rto) => source.on_silence(cx),
            (Half::Sink(sink), Timer::DelayedAck) => sink.on_epoch(cx),
            (Half::Source(_) | Half::Sink(_), _) => {}
        }
    }

    /// The node knows something of the path.
    pub fn on_path_event(&mut self, event: PathEvent, cx: &mut Cx<'_>) {
        if let Half::Source(source) = &mut self.half {
            match event {
                PathEvent::RouteFailed => {
                    source.on_route_ended();
                    source.on_route_failed(cx);
                }
                // A route that was not used is no failed one: nothing was lost, and the next data finds another.
                PathEvent::RouteExpired => source.on_route_ended(),
                PathEvent::Unreachable => source.on_route_failed(cx),
                PathEvent::Queued
                | PathEvent::Passing
                | PathEvent::Held
                | PathEvent::Refused
                | PathEvent::NoRoute
                | PathEvent::RouteFound => {}
            }
        }
    }

    /// Bytes of the network packet that carries a packet of this end.
    #[inline]
    pub fn packet_bytes(&self, packet: &AtpPacket) -> u32 {
        self.network_header + packet.header_bytes() + packet.len
    }

    /// Bytes that the half that sends has ready.
    pub fn backlog(&self) -> u64 {
        match &self.half {
            Half::Source(source) => source.backlog(),
            Half::Sink(_) => 0,
        }
    }

    /// What the half that sends has counted.
    pub fn stats(&self) -> Option<&SenderStats> {
        match &self.half {
            Half::Source(source) => Some(source.stats()),
            Half::Sink(_) => None,
        }
    }
}
