//! How often a receiver acknowledges.

use super::{FlowCx, FlowFamily, Level, SeriesSet};
use crate::config::{Config, FlowConfig, SeriesKind};
use crate::record::Record;
use hopscope_core::units::Time;

/// The ACKs of a flow.
#[derive(Debug, Clone)]
pub(crate) struct Acks {
    /// Segments without data that either end sent for it.
    sent: u64,
    /// Segments that its receiver wants one ACK to stand for.
    window: Level,
}

impl FlowFamily for Acks {
    fn begin(_config: &Config, _flow: &FlowConfig) -> Self {
        Acks { sent: 0, window: Level::new(Time::ZERO) }
    }

    #[inline(always)]
    fn record(&mut self, now: Time, record: &Record, series: &mut SeriesSet) {
        match *record {
            Record::SegmentSent { ref header, .. } if !header.is_data => self.sent += 1,
            Record::AckWindow { flow, segments } => {
                self.window.set(now, segments);
                series.push(SeriesKind::AckWindow, flow.0, now, segments);
            }
            _ => {}
        }
    }

    fn restart(&mut self, now: Time) {
        // What the receiver wants lasts; what was counted does not.
        *self = Acks { sent: 0, window: self.window.restarted(now) };
    }

    fn close(&mut self, now: Time) {
        self.window.close(now);
    }
}

/// The metrics.
impl Acks {
    pub(super) fn acks_sent(&self, _cx: &FlowCx<'_>) -> u64 {
        self.sent
    }

    pub(super) fn acks_per_packet(&self, cx: &FlowCx<'_>) -> Option<f64> {
        let received = cx.flow.delivery.received;
        (received > 0 && cx.settings.transport.is_tcp()).then(|| self.sent as f64 / received as f64)
    }

    pub(super) fn mean_ack_window(&self, _cx: &FlowCx<'_>) -> Option<f64> {
        self.window.mean()
    }
}
