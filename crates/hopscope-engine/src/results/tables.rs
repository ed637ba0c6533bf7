//! What a run gives besides its metrics: time series, the histograms behind its percentiles, and the links that were used.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::config::Config;
use crate::metrics::{FlowMeter, Meter, RunMeter, Sketch};

/// A time series.
#[derive(Debug, Clone, Serialize)]
pub struct SeriesResult {
    /// Flow numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<Vec<u32>>,
    /// Node numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<Vec<u32>>,
    /// Instants, seconds.
    pub t_s: Vec<f64>,
    /// Values.
    pub value: Vec<f64>,
}

/// Histograms of the flows: classes with values in them, those of a flow in order.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DistributionResult {
    /// Flow numbers.
    pub flow: Vec<u32>,
    /// Smallest value of each class, milliseconds.
    pub low_ms: Vec<f64>,
    /// Smallest value of the next class, milliseconds.
    pub high_ms: Vec<f64>,
    /// Values in each class.
    pub count: Vec<u32>,
}

/// The links of the air that carried packets to single stations in the measured time, by receiver, then by sender.
#[derive(Debug, Clone, Default, Serialize)]
pub struct LinksResult {
    /// Sending nodes.
    pub from: Vec<u32>,
    /// Receiving nodes.
    pub to: Vec<u32>,
    /// Packets received, each once: data, ACKs and messages of routing protocols.
    pub packets: Vec<u64>,
}

impl LinksResult {
    /// True when no packet got across.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}

/// The links that were used.
pub(super) fn links(run: &RunMeter) -> LinksResult {
    let mut found = LinksResult::default();
    for (to, from, packets) in run.counters.carried() {
        found.from.push(from.0);
        found.to.push(to.0);
        found.packets.push(packets);
    }
    found
}

/// The histograms of all flows.
pub(super) fn distributions(meter: &Meter) -> BTreeMap<&'static str, DistributionResult> {
    let of = |sketch: fn(&FlowMeter) -> &Sketch| {
        let mut found = DistributionResult::default();
        for (number, flow) in meter.flows().iter().enumerate() {
            for bucket in sketch(flow).buckets() {
                found.flow.push(number as u32);
                found.low_ms.push(bucket.low_ms);
                found.high_ms.push(bucket.high_ms);
                found.count.push(bucket.count);
            }
        }
        found
    };
    BTreeMap::from([("delay", of(|flow| &flow.delay.delays)), ("gap", of(|flow| &flow.delay.gaps))])
}

/// The series that were asked for.
pub(super) fn series(config: &Config, meter: &Meter) -> BTreeMap<&'static str, SeriesResult> {
    config
        .series
        .keep
        .iter()
        .filter_map(|&kind| {
            let series = meter.series().of(kind)?;
            let owner = kind.entry().owner;
            // One of the two columns, or none for a series of the whole network.
            let of = |what: &str| (owner == what).then(|| series.owner.clone());
            let (flow, node) = (of("flow"), of("node"));
            let t_s = series.time.iter().map(|t| t.as_secs()).collect();
            Some((kind.word(), SeriesResult { flow, node, t_s, value: series.value.clone() }))
        })
        .collect()
}
