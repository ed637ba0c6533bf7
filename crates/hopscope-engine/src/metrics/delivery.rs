//! What a flow sent and what came of it: throughput, loss, retransmissions.

use super::{FlowCx, FlowFamily, Outcomes, SeriesSet};
use crate::config::{Config, FlowConfig, SeriesKind};
use crate::record::Record;
use hopscope_core::ids::FlowId;
use hopscope_core::units::Time;

/// Copies and bytes of a flow.
#[derive(Debug, Clone, Default)]
pub(crate) struct Delivery {
    /// Copies of data packets sent, SYN included.
    pub sent: u64,
    /// Copies that repeat data sent before.
    pub retransmitted: u64,
    /// Copies received.
    pub received: u64,
    /// Copies received that repeat data received before.
    pub duplicates: u64,
    /// Payload bytes handed up.
    pub delivered_bytes: u64,
    /// Payload bytes that came in copies sent for the first time.
    first_copy_bytes: u64,
    /// Payload bytes of all copies received.
    pub copy_bytes: u64,
    /// Payload bytes handed up in the sampling interval under way.
    interval_bytes: u64,
}

impl FlowFamily for Delivery {
    fn begin(_config: &Config, _flow: &FlowConfig) -> Self {
        Delivery::default()
    }

    #[inline(always)]
    fn record(&mut self, _now: Time, record: &Record, _series: &mut SeriesSet) {
        match *record {
            Record::SegmentSent { ref header, .. } if header.is_data => {
                self.sent += 1;
                self.retransmitted += u64::from(header.retransmission);
            }
            Record::DataReceived { bytes, duplicate, retransmission, .. } => {
                self.received += 1;
                self.copy_bytes += u64::from(bytes);
                self.duplicates += u64::from(duplicate);
                // A repetition may bring what was lost; goodput counts first copies alone.
                if !duplicate && !retransmission {
                    self.first_copy_bytes += u64::from(bytes);
                }
            }
            Record::Delivered { bytes, .. } => {
                self.delivered_bytes += u64::from(bytes);
                self.interval_bytes += u64::from(bytes);
            }
            _ => {}
        }
    }

    fn sample(&mut self, now: Time, flow: FlowId, series: &mut SeriesSet) {
        let bytes = std::mem::take(&mut self.interval_bytes);
        let kbps = bytes as f64 * 8.0 / series.interval().as_secs() / 1e3;
        series.push(SeriesKind::Throughput, flow.0, now, kbps);
    }

    fn restart(&mut self, _now: Time) {
        *self = Delivery::default();
    }
}

/// The metrics.
impl Delivery {
    pub(super) fn throughput_kbps(&self, cx: &FlowCx<'_>) -> f64 {
        cx.kbps(self.delivered_bytes)
    }

    pub(super) fn goodput_kbps(&self, cx: &FlowCx<'_>) -> f64 {
        // First copies may still wait for the one before them when the run ends.
        cx.kbps(self.first_copy_bytes.min(self.delivered_bytes))
    }

    pub(super) fn overall_kbps(&self, cx: &FlowCx<'_>) -> Option<f64> {
        // A file that has come through is over: the rest of the run is none of its time.
        cx.own_kbps(self.copy_bytes, cx.flow.completion.completed.unwrap_or(cx.now))
    }

    pub(super) fn received_bytes(&self, _cx: &FlowCx<'_>) -> u64 {
        self.delivered_bytes
    }

    pub(super) fn received_packets(&self, _cx: &FlowCx<'_>) -> u64 {
        self.received
    }

    pub(super) fn sent_packets(&self, _cx: &FlowCx<'_>) -> u64 {
        self.sent
    }

    pub(super) fn duplicate_packets(&self, _cx: &FlowCx<'_>) -> u64 {
        self.duplicates
    }

    pub(super) fn retransmitted_packets(&self, _cx: &FlowCx<'_>) -> u64 {
        self.retransmitted
    }

    pub(super) fn retransmission_index_pct(&self, _cx: &FlowCx<'_>) -> Option<f64> {
        // Each packet once: an index over copies would sink with every needless repetition.
        let fresh = self.received - self.duplicates;
        (fresh > 0).then(|| 100.0 * self.retransmitted as f64 / fresh as f64)
    }

    pub(super) fn loss_pct(&self, cx: &FlowCx<'_>) -> Option<f64> {
        self.outcomes(cx).loss_pct()
    }

    pub(super) fn lost_packets(&self, cx: &FlowCx<'_>) -> u64 {
        self.outcomes(cx).lost
    }

    pub(super) fn in_flight(&self, cx: &FlowCx<'_>) -> u64 {
        self.outcomes(cx).in_flight
    }

    fn outcomes(&self, cx: &FlowCx<'_>) -> Outcomes {
        cx.run.outcomes(cx.id(), self)
    }
}
