//! UDP (RFC 768), and sources that fill the interface queue over it.
//!
//! Datagrams are numbered and sent as they are offered. A source without a rate of its own (bulk, file) has a backlog:
//! it keeps what one access to the medium carries and one packet more in the interface queue of its node, and adds the next
//! whenever the queue lets one go: two packets where each goes in a frame of its own.
//! While its packet waits for a route or an address it waits, too, for [`PATIENCE`], because another packet is the only
//! thing that repeats a lost request.

use hopscope_core::units::Span;
use hopscope_packet::Body;
use hopscope_tcp::endpoint::{Cx, NodeView, Note, PathEvent, Payload, Timer, TransportEffect};

/// How long such a source waits for an address or a route before it offers another packet (a default).
const PATIENCE: Span = Span::from_millis(100);

/// One end of a row of datagrams.
#[derive(Debug)]
pub struct Udp {
    next_seq: u64,
    /// Bytes ready beyond what has been sent; `u64::MAX`: without end.
    backlog: u64,
    /// Payload bytes per datagram.
    packet: u32,
    /// Network and UDP header.
    headers: u32,
    /// It sends from a backlog, as the queue has room; otherwise every offer is a datagram of its own instant.
    refills: bool,
}

impl Udp {
    /// An end with datagrams of `packet` payload bytes below `headers` bytes of headers; `refills`: it sends from a
    /// backlog.
    pub fn new(packet: u32, headers: u32, refills: bool) -> Self {
        Udp { next_seq: 0, backlog: 0, packet, headers, refills }
    }

    /// It fills the interface queue itself.
    #[inline]
    pub fn refills(&self) -> bool {
        self.refills
    }

    /// The application has this much to send.
    pub fn on_send(&mut self, bytes: u64, cx: &mut Cx<'_>) {
        // A bulk or file source offers all it has in one call, so this sets the backlog and adds nothing.
        if self.refills {
            self.backlog = bytes;
            self.pump(cx);
        } else {
            self.emit(bytes as u32, cx);
        }
    }

    /// A file keeps what it has left; an endless source ends here.
    pub fn close(&mut self) {
        if self.backlog == u64::MAX {
            self.backlog = 0;
        }
    }

    /// A datagram has arrived.
    pub fn on_datagram(&mut self, len: u32, cx: &mut Cx<'_>) -> Payload {
        cx.out.push(TransportEffect::Deliver { bytes: len });
        Payload { bytes: len, duplicate: false, retransmission: false }
    }

    /// The wait for a route or an address is over.
    pub fn on_timer(&mut self, timer: Timer, cx: &mut Cx<'_>) {
        debug_assert_eq!(timer, Timer::Refill);
        self.pump(cx);
    }

    /// The queue has let a packet go.
    pub fn on_writable(&mut self, cx: &mut Cx<'_>) {
        // What the queue has let go waits for an address now: another packet would wait with it.
        if cx.node.is_some_and(|node| node.is_resolving) {
            self.wait(cx);
        } else {
            self.pump(cx);
        }
    }

    /// What has become of the last datagram; one still passing is followed by the next when the queue calls. Without a
    /// route the source waits: its next packet is what makes the node look for one. That a route has ended changes
    /// nothing for it until one of its packets finds none.
    pub fn on_path_event(&mut self, event: PathEvent, cx: &mut Cx<'_>) {
        match event {
            // Only now does the queue's length show the packet, so the next one is weighed against the right number.
            PathEvent::Queued => self.pump(cx),
            PathEvent::Passing
            | PathEvent::RouteFailed
            | PathEvent::RouteExpired
            | PathEvent::Unreachable
            | PathEvent::RouteFound => {}
            PathEvent::Held | PathEvent::Refused | PathEvent::NoRoute => self.wait(cx),
        }
    }

    /// Bytes of a packet with so much payload.
    #[inline]
    pub fn packet_bytes(&self, len: u32) -> u32 {
        self.headers + len
    }

    fn wait(&self, cx: &mut Cx<'_>) {
        cx.out.push(TransportEffect::Arm(Timer::Refill, cx.now + PATIENCE));
    }

    /// Sends the next datagram of the backlog while the interface queue holds no more than the next access carries.
    fn pump(&mut self, cx: &mut Cx<'_>) {
        let together = |node: NodeView| node.access.packets_of(self.packet_bytes(self.packet));
        let has_room = cx.node.is_some_and(|node| node.queued <= together(node) && !node.is_full);
        if self.backlog == 0 || !has_room {
            return;
        }
        let bytes = self.backlog.min(u64::from(self.packet)) as u32;
        if self.backlog != u64::MAX {
            self.backlog -= u64::from(bytes);
            // UDP learns nothing of arrivals: what is sent is complete.
            if self.backlog == 0 {
                cx.out.push(TransportEffect::Note(Note::Completed));
            }
        }
        self.emit(bytes, cx);
    }

    fn emit(&mut self, len: u32, cx: &mut Cx<'_>) {
        let seq = self.next_seq;
        self.next_seq += 1;
        cx.out.push(TransportEffect::Emit(Body::Udp { seq, len }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::units::Time;
    use hopscope_tcp::endpoint::{AccessLimit, MacCounters};

    /// What a source looks at: packets in the queue, whether it is full, and whether an address is asked for.
    #[derive(Clone, Copy)]
    struct QueueState {
        queued: usize,
        is_full: bool,
        is_resolving: bool,
        access: AccessLimit,
    }

    const IDLE: QueueState =
        QueueState { queued: 0, is_full: false, is_resolving: false, access: AccessLimit::ONE_PACKET };

    fn sent(udp: &mut Udp, queue: QueueState, input: impl FnOnce(&mut Udp, &mut Cx<'_>)) -> Vec<TransportEffect> {
        let mut out = Vec::new();
        let QueueState { queued, is_full, is_resolving, access } = queue;
        let node = NodeView { queued, is_full, is_resolving, access, mac: MacCounters::default() };
        input(udp, &mut Cx { now: Time(7), out: &mut out, node: Some(node), path_info: None });
        out
    }

    fn datagram(seq: u64, len: u32) -> TransportEffect {
        TransportEffect::Emit(Body::Udp { seq, len })
    }

    #[test]
    fn a_backlog_keeps_two_packets_in_the_queue() {
        let mut udp = Udp::new(1000, 28, true);
        assert_eq!(sent(&mut udp, IDLE, |udp, cx| udp.on_send(2500, cx)), [datagram(0, 1000)]);
        let next = |udp: &mut Udp, cx: &mut Cx<'_>| udp.on_path_event(PathEvent::Queued, cx);
        assert_eq!(sent(&mut udp, QueueState { queued: 1, ..IDLE }, next), [datagram(1, 1000)]);
        assert_eq!(sent(&mut udp, QueueState { queued: 2, ..IDLE }, next), []);
        assert_eq!(sent(&mut udp, QueueState { queued: 1, is_full: true, ..IDLE }, |udp, cx| udp.on_writable(cx)), []);
        let last = [TransportEffect::Note(Note::Completed), datagram(2, 500)];
        assert_eq!(sent(&mut udp, QueueState { queued: 1, ..IDLE }, |udp, cx| udp.on_writable(cx)), last);
        assert_eq!(sent(&mut udp, IDLE, |udp, cx| udp.on_writable(cx)), []);
    }

    #[test]
    fn a_backlog_fills_the_next_aggregate() {
        let mut udp = Udp::new(1472, 28, true);
        let queue = |queued, packets, bytes| QueueState { queued, access: AccessLimit { packets, bytes }, ..IDLE };
        let mut sends = |state| !sent(&mut udp, state, |udp, cx| udp.on_send(u64::MAX, cx)).is_empty();
        // 43 packets of 1500 bytes are in 65,535 bytes.
        assert!(sends(queue(43, 64, 65_535)));
        assert!(!sends(queue(44, 64, 65_535)));
        // The window of the agreement ends before the bytes do.
        assert!(sends(queue(16, 16, 65_535)));
        assert!(!sends(queue(17, 16, 65_535)));
    }

    #[test]
    fn it_waits_while_its_packet_waits() {
        let mut udp = Udp::new(1000, 28, true);
        let patience = [TransportEffect::Arm(Timer::Refill, Time(100_000_007))];
        assert_eq!(sent(&mut udp, IDLE, |udp, cx| udp.on_send(u64::MAX, cx)), [datagram(0, 1000)]);
        for event in [PathEvent::Held, PathEvent::Refused, PathEvent::NoRoute] {
            assert_eq!(sent(&mut udp, IDLE, |udp, cx| udp.on_path_event(event, cx)), patience);
        }
        for event in [PathEvent::Passing, PathEvent::RouteFailed] {
            assert_eq!(sent(&mut udp, IDLE, |udp, cx| udp.on_path_event(event, cx)), []);
        }
        let asking = QueueState { is_resolving: true, ..IDLE };
        assert_eq!(sent(&mut udp, asking, |udp, cx| udp.on_writable(cx)), patience);
        assert_eq!(sent(&mut udp, asking, |udp, cx| udp.on_timer(Timer::Refill, cx)), [datagram(1, 1000)]);
        udp.close();
        assert_eq!(sent(&mut udp, IDLE, |udp, cx| udp.on_writable(cx)), [], "an endless source ends");
    }

    #[test]
    fn a_paced_source_sends_what_it_is_given() {
        let mut udp = Udp::new(1000, 28, false);
        let full = QueueState { queued: 50, is_full: true, is_resolving: true, ..IDLE };
        assert_eq!(sent(&mut udp, full, |udp, cx| udp.on_send(300, cx)), [datagram(0, 300)]);
        assert_eq!(udp.packet_bytes(300), 328);
    }
}
