//! Round-trip times as the sender of a flow measures them.

use super::{FlowCx, FlowFamily, SeriesSet};
use crate::config::{Config, FlowConfig, SeriesKind};
use crate::record::Record;
use hopscope_core::units::Time;

/// The timed segments of a flow.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rtt {
    sum_ns: u128,
    samples: u64,
}

impl FlowFamily for Rtt {
    fn begin(_config: &Config, _flow: &FlowConfig) -> Self {
        Rtt::default()
    }

    #[inline(always)]
    fn record(&mut self, now: Time, record: &Record, series: &mut SeriesSet) {
        if let Record::Rtt { flow, rtt } = *record {
            self.sum_ns += u128::from(rtt.0);
            self.samples += 1;
            series.push(SeriesKind::Rtt, flow.0, now, rtt.as_secs());
        }
    }

    fn restart(&mut self, _now: Time) {
        *self = Rtt::default();
    }
}

/// The metric.
impl Rtt {
    pub(super) fn mean_rtt_ms(&self, _cx: &FlowCx<'_>) -> Option<f64> {
        (self.samples > 0).then(|| self.sum_ns as f64 / self.samples as f64 / 1e6)
    }
}
