//! How long copies take from the sending to the receiving transport, how that varies, and how far apart they arrive.

use super::{FlowCx, FlowFamily, SeriesSet, Sketch};
use crate::config::{Config, FlowConfig};
use crate::record::Record;
use hopscope_core::units::{Span, Time};

/// Delays of the copies that a flow received.
#[derive(Debug, Clone, Default)]
pub(crate) struct Delay {
    delay_ns: u128,
    jitter_ns: u128,
    last_delay: Option<Span>,
    /// Interarrival jitter of RFC 3550, nanoseconds.
    rfc_jitter: f64,
    last_arrival: Option<Time>,
    /// Delays of the copies received.
    pub delays: Sketch,
    /// Times between the copies received.
    pub gaps: Sketch,
}

impl FlowFamily for Delay {
    fn begin(_config: &Config, _flow: &FlowConfig) -> Self {
        Delay::default()
    }

    #[inline(always)]
    fn record(&mut self, now: Time, record: &Record, _series: &mut SeriesSet) {
        if let Record::DataReceived { delay, .. } = *record {
            self.on_received(now, delay);
        }
    }

    fn restart(&mut self, _now: Time) {
        // The first copy of the measured time has no delay before it to differ from.
        *self = Delay::default();
    }
}

impl Delay {
    fn on_received(&mut self, now: Time, delay: Span) {
        self.delay_ns += u128::from(delay.0);
        if let Some(last) = self.last_delay {
            // In the order of arrival, as RFC 3550 has it, not in that of sending.
            let difference = delay.0.abs_diff(last.0);
            self.jitter_ns += u128::from(difference);
            // RFC 3550 6.4.1 smooths by 1/16.
            self.rfc_jitter += (difference as f64 - self.rfc_jitter) / 16.0;
        }
        self.last_delay = Some(delay);
        self.delays.record(delay);
        if let Some(last) = self.last_arrival.replace(now) {
            self.gaps.record(now.saturating_since(last));
        }
    }
}

/// The metrics.
impl Delay {
    pub(super) fn delay_ms(&self, cx: &FlowCx<'_>) -> Option<f64> {
        let received = cx.flow.delivery.received;
        (received > 0).then(|| self.delay_ns as f64 / received as f64 / 1e6)
    }

    pub(super) fn delay_p50_ms(&self, _cx: &FlowCx<'_>) -> Option<f64> {
        self.delays.percentile_ms(50.0)
    }

    pub(super) fn delay_p95_ms(&self, _cx: &FlowCx<'_>) -> Option<f64> {
        self.delays.percentile_ms(95.0)
    }

    pub(super) fn delay_p99_ms(&self, _cx: &FlowCx<'_>) -> Option<f64> {
        self.delays.percentile_ms(99.0)
    }

    pub(super) fn gap_p50_ms(&self, _cx: &FlowCx<'_>) -> Option<f64> {
        self.gaps.percentile_ms(50.0)
    }

    pub(super) fn gap_p95_ms(&self, _cx: &FlowCx<'_>) -> Option<f64> {
        self.gaps.percentile_ms(95.0)
    }

    pub(super) fn gap_p99_ms(&self, _cx: &FlowCx<'_>) -> Option<f64> {
        self.gaps.percentile_ms(99.0)
    }

    pub(super) fn jitter_ms(&self, cx: &FlowCx<'_>) -> Option<f64> {
        let received = cx.flow.delivery.received;
        // Over the copies, as the source of the metric has it, although the differences are one fewer.
        (received > 1).then(|| self.jitter_ns as f64 / received as f64 / 1e6)
    }

    pub(super) fn jitter_rfc3550_ms(&self, cx: &FlowCx<'_>) -> Option<f64> {
        (cx.flow.delivery.received > 1).then_some(self.rfc_jitter / 1e6)
    }
}
