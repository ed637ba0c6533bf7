//! When a flow delivered its first payload and its last, and what each had got while all were active.

use super::{FlowCx, FlowFamily, FlowMeter, RunCx, RunFamily, SeriesSet};
use crate::config::{App, Config, FlowConfig, Transport};
use crate::record::{NetworkView, Record};
use hopscope_core::units::Time;
use hopscope_packet::dccp::ResetCode;

/// The milestones of a flow. They are instants of the run: the warm-up does not forget them.
#[derive(Debug, Clone)]
pub(crate) struct Completion {
    /// Payload handed up since the start of the run.
    delivered: u64,
    /// Payload from which on something is to be noted: the first, or all of a file over UDP.
    milestone: u64,
    /// Payload of a file over UDP, whose sender does not hear of its arrival; more than can be for other flows.
    whole: u64,
    first_delivery: Option<Time>,
    /// Everything carried.
    pub completed: Option<Time>,
    /// Why its connection ended with an error; the first reason reported.
    pub reset: Option<ResetCode>,
}

impl FlowFamily for Completion {
    fn begin(_config: &Config, flow: &FlowConfig) -> Self {
        let whole = match flow.app {
            App::File { bytes } if flow.transport == Transport::Udp => bytes,
            _ => u64::MAX,
        };
        Completion { delivered: 0, milestone: 0, whole, first_delivery: None, completed: None, reset: None }
    }

    #[inline(always)]
    fn record(&mut self, now: Time, record: &Record, _series: &mut SeriesSet) {
        match *record {
            Record::Delivered { bytes, .. } => {
                self.delivered += u64::from(bytes);
                if self.delivered >= self.milestone {
                    self.on_milestone(now);
                }
            }
            // The sender of a file over UDP is done when all has left it, not when all has arrived.
            Record::Completed { .. } if self.whole == u64::MAX => _ = self.completed.get_or_insert(now),
            Record::Reset { code, .. } => _ = self.reset.get_or_insert(code),
            _ => {}
        }
    }
}

impl Completion {
    /// Payload has reached the milestone.
    #[cold]
    fn on_milestone(&mut self, now: Time) {
        self.first_delivery.get_or_insert(now);
        // From now on only the whole file is waited for.
        self.milestone = self.whole;
        if self.delivered >= self.whole {
            self.completed.get_or_insert(now);
            self.milestone = u64::MAX;
        }
    }
}

/// The metrics.
impl Completion {
    pub(super) fn completion_s(&self, cx: &FlowCx<'_>) -> Option<f64> {
        cx.since_start(self.completed)
    }

    pub(super) fn first_delivery_s(&self, cx: &FlowCx<'_>) -> Option<f64> {
        cx.since_start(self.first_delivery)
    }
}

/// The time until the first flow had carried everything, in which all were active (zhang2006, chapter 6).
#[derive(Debug, Clone)]
pub(crate) struct AllActive {
    /// When it ended, and the payload of each flow's copies by then.
    ended: Option<(Time, Vec<u64>)>,
}

impl RunFamily for AllActive {
    fn begin(_config: &Config, _series: &mut SeriesSet) -> Self {
        AllActive { ended: None }
    }

    #[inline(always)]
    fn record(&mut self, record: &Record, cx: &mut RunCx<'_, impl NetworkView>) {
        // The family above has had the record before.
        let is_over = match *record {
            Record::Delivered { flow, .. } => cx.flows[flow.index()].completion.completed == Some(cx.now),
            Record::Completed { flow } => cx.flows[flow.index()].completion.whole == u64::MAX,
            _ => false,
        };
        if is_over {
            self.end(cx.now, cx.flows);
        }
    }

    fn restart(&mut self, _now: Time, _view: &mut impl NetworkView) {
        self.ended = None;
    }
}

impl AllActive {
    #[cold]
    fn end(&mut self, now: Time, flows: &[FlowMeter]) {
        self.ended.get_or_insert_with(|| (now, flows.iter().map(|flow| flow.delivery.copy_bytes).collect()));
    }

    /// Throughput of a flow in this time.
    pub(super) fn shared_kbps(&self, cx: &FlowCx<'_>) -> Option<f64> {
        let (end, bytes) = match &self.ended {
            Some((end, bytes)) => (*end, bytes[cx.id().index()]),
            None => (cx.now, cx.flow.delivery.copy_bytes),
        };
        cx.own_kbps(bytes, end)
    }
}
