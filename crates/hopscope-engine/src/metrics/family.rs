//! What a family of metrics is: metrics that count the same things, in one file, with what they take from records and
//! the values that results take from them.
//!
//! A value is a method with the name of its metric: the row of a table ([`super::tables`]) names the family that has
//! it, and a row without its method does not compile. The methods of one scope take one context: [`FlowCx`], [`NodeCx`]
//! or [`super::tables::NetworkCx`].

use super::{FlowMeter, RunMeter, SeriesSet};
use crate::config::{Config, FlowConfig};
use crate::record::{NetworkView, Record};
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::{Span, Time};

/// A family that counts each flow apart.
pub(super) trait FlowFamily {
    /// Nothing is counted yet, and time begins.
    fn begin(config: &Config, flow: &FlowConfig) -> Self;

    /// Takes a record about its flow. Implementations are `#[inline(always)]`: where a record is made, its kind is
    /// known, and of the families that do not take it nothing is left.
    fn record(&mut self, _now: Time, _record: &Record, _series: &mut SeriesSet) {}

    /// An interval of the sampled series ends.
    fn sample(&mut self, _now: Time, _flow: FlowId, _series: &mut SeriesSet) {}

    /// The measured time begins: what was counted is forgotten. What lasts, such as a window, stays.
    fn restart(&mut self, _now: Time) {}

    /// Accounts what lasts up to `now`, when results are wanted. More may be counted afterwards.
    fn close(&mut self, _now: Time) {}
}

/// What a family of the run sees with a record.
pub(super) struct RunCx<'a, V> {
    /// The instant.
    pub(super) now: Time,
    /// What was counted of each flow; the one that the record is about has taken it already.
    pub(super) flows: &'a [FlowMeter],
    /// The series that were asked for.
    pub(super) series: &'a mut SeriesSet,
    /// The network.
    pub(super) view: &'a mut V,
}

/// A family that counts what is of no flow, or of several.
pub(super) trait RunFamily {
    /// Nothing is counted yet, and time begins.
    fn begin(config: &Config, series: &mut SeriesSet) -> Self;

    /// Takes any record, after the flow that it is about. As with [`FlowFamily::record`], implementations are
    /// `#[inline(always)]`.
    fn record(&mut self, _record: &Record, _cx: &mut RunCx<'_, impl NetworkView>) {}

    /// The measured time begins: what was counted is forgotten.
    fn restart(&mut self, _now: Time, _view: &mut impl NetworkView) {}

    /// Accounts everything up to `now`, when results are wanted; the measured time began at `start`.
    fn close(&mut self, _now: Time, _start: Time, _series: &mut SeriesSet, _view: &mut impl NetworkView) {}
}

/// Of what the metrics of a flow are worked out, once the meter is closed.
#[derive(Clone, Copy)]
pub(crate) struct FlowCx<'a> {
    /// The configuration, with each reply as a flow.
    pub config: &'a Config,
    /// That of the flow.
    pub settings: &'a FlowConfig,
    /// Its number, ends and length.
    pub label: &'a super::FlowLabel,
    /// What was counted of it.
    pub flow: &'a FlowMeter,
    /// What was counted of the run.
    pub run: &'a RunMeter,
    /// Start of the measured time.
    pub start: Time,
    /// Its end.
    pub now: Time,
}

impl FlowCx<'_> {
    /// The number of the flow.
    pub(super) fn id(&self) -> FlowId {
        FlowId(self.label.id)
    }

    /// Rate of so many bytes over the measured time, kbit/s.
    pub(super) fn kbps(&self, bytes: u64) -> f64 {
        kbps(bytes, self.now.saturating_since(self.start)).unwrap_or(0.0)
    }

    /// Rate of so many bytes over the measured time of the flow itself, which ends at `end`; none if it had no time.
    pub(super) fn own_kbps(&self, bytes: u64, end: Time) -> Option<f64> {
        kbps(bytes, end.saturating_since(self.settings.start.max(self.start)))
    }

    /// Seconds from the start of the flow to an instant, the warm-up included.
    pub(super) fn since_start(&self, at: Option<Time>) -> Option<f64> {
        at.map(|at| at.saturating_since(self.settings.start).as_secs())
    }
}

fn kbps(bytes: u64, span: Span) -> Option<f64> {
    (span > Span::ZERO).then(|| bytes as f64 * 8.0 / span.as_secs() / 1e3)
}

/// Of what the metrics of a node are worked out, once the meter is closed.
#[derive(Clone, Copy)]
pub(crate) struct NodeCx<'a> {
    /// What was counted of the run.
    pub run: &'a RunMeter,
    /// The node.
    pub node: NodeId,
}
