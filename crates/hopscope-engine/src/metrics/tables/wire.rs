//! The metrics of a wire, which counts them itself.

use super::MetricKind::Label;
use super::{Metric, measured};
use hopscope_core::units::Time;
use hopscope_net::iface::WireEnd;
use hopscope_net::iface::wire::Sent;

measured! {
    /// One direction of a wire.
    pub struct WireResult of "wire" {
        /// Number: twice that of the wire, plus 1 for the way from its second node to its first.
        id: u32 = Metric::other(Label, "direction");
        /// Sending node.
        from: u32 = Metric::other(Label, "from");
        /// Receiving node.
        to: u32 = Metric::other(Label, "to");
        /// Bits sent over those that the rate allows.
        use_pct: f64 = Metric::sample("%", "use");
        /// Packets sent.
        sent_packets: u64 = Metric::sample("packets", "sent");
        /// Bytes sent, network headers included.
        sent_bytes: u64 = Metric::sample("bytes", "sent");
        /// Packets lost on the way.
        lost_packets: u64 = Metric::sample("packets", "lost on the way");
        /// Packets that its queue, or what stands before it, dropped.
        dropped_packets: u64 = Metric::sample("packets", "dropped");
        /// Time-weighted mean length of its queue, the packet being sent left out.
        queue_mean: f64 = Metric::sample("packets", "mean queue");
        /// Greatest length of its queue.
        queue_max: u32 = Metric::sample("packets", "longest queue");
    }
}

impl WireResult {
    /// Those of a direction; the measured time began at `start`.
    pub(crate) fn of(id: u32, end: &mut WireEnd, start: Time, now: Time) -> WireResult {
        let (queue_mean, queue_max) = end.port.queue.occupancy(start, now);
        let allowed = end.rate() as f64 * now.saturating_since(start).as_secs();
        let Sent { packets, bytes, lost, dropped } = end.sent;
        WireResult {
            id,
            from: end.node.0,
            to: end.peer.0,
            use_pct: if allowed > 0.0 { 100.0 * 8.0 * bytes as f64 / allowed } else { 0.0 },
            sent_packets: packets,
            sent_bytes: bytes,
            lost_packets: lost,
            dropped_packets: dropped,
            queue_mean,
            queue_max,
        }
    }
}
