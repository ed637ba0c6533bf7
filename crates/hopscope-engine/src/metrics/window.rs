//! The usable window of a flow over time.

use std::collections::BTreeMap;

use super::{FlowCx, FlowFamily, SeriesSet};
use crate::config::{Config, FlowConfig, SeriesKind};
use crate::record::Record;
use hopscope_core::units::Time;

/// Largest window that has its own entry in the distribution; larger ones count there.
const CWND_CLASSES: usize = 1024;

/// min(cwnd, receiver window) of a flow, weighted by time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Window {
    /// The window now, segments; 0 before there is one.
    cwnd: f64,
    since: Time,
    area: f64,
    /// Nanoseconds at each whole window.
    spans: Vec<u64>,
}

impl FlowFamily for Window {
    fn begin(_config: &Config, _flow: &FlowConfig) -> Self {
        Window::default()
    }

    #[inline(always)]
    fn record(&mut self, now: Time, record: &Record, series: &mut SeriesSet) {
        match *record {
            // The record comes for a new threshold too, which is none of this family's business.
            Record::Window { flow, cwnd, .. } if self.cwnd != cwnd => {
                self.close(now);
                self.cwnd = cwnd;
                series.push(SeriesKind::Cwnd, flow.0, now, cwnd);
            }
            Record::SendingRate { flow, rate } => series.push(SeriesKind::Rate, flow.0, now, rate),
            _ => {}
        }
    }

    fn restart(&mut self, now: Time) {
        // The window itself lasts, what was counted of it does not.
        *self = Window { cwnd: self.cwnd, since: now, ..Window::default() };
    }

    fn close(&mut self, now: Time) {
        let span = now.saturating_since(self.since).0;
        self.since = now;
        if self.cwnd <= 0.0 || span == 0 {
            return;
        }
        self.area += self.cwnd * span as f64;
        // Whole segments: what a window allows to be under way.
        let class = (self.cwnd as usize).min(CWND_CLASSES - 1);
        if self.spans.len() <= class {
            self.spans.resize(class + 1, 0);
        }
        self.spans[class] += span;
    }
}

impl Window {
    /// Time in which a window existed, nanoseconds.
    fn span(&self) -> u64 {
        self.spans.iter().sum()
    }

    /// Share of time at a whole window size; of the largest class, which holds several sizes, it is not known.
    fn share_at(&self, window: u32) -> Option<f64> {
        let (span, class) = (self.span(), window as usize);
        // The last class has all larger windows, and says nothing of one of them.
        let known = span > 0 && class < CWND_CLASSES - 1;
        known.then(|| self.spans.get(class).copied().unwrap_or(0) as f64 / span as f64)
    }
}

/// The metrics.
impl Window {
    pub(super) fn mean_cwnd(&self, _cx: &FlowCx<'_>) -> Option<f64> {
        let span = self.span();
        (span > 0).then(|| self.area / span as f64)
    }

    pub(super) fn window_limited_pct(&self, cx: &FlowCx<'_>) -> Option<f64> {
        // Only TCP has a receiver's window; of others the same size says nothing.
        let share = cx.settings.transport.is_tcp().then(|| self.share_at(cx.settings.max_window)).flatten();
        share.map(|share| 100.0 * share)
    }

    pub(super) fn cwnd_share(&self, _cx: &FlowCx<'_>) -> BTreeMap<String, f64> {
        let span = self.span();
        let used = self.spans.iter().enumerate().filter(|(_, time)| **time > 0);
        used.map(|(window, time)| (window.to_string(), *time as f64 / span as f64)).collect()
    }
}
