//! Flows of one group added up.

use std::collections::BTreeMap;

use super::{FlowResult, GroupResult, jain_of};
use crate::config::Config;
use crate::metrics::{Meter, Outcomes, Sketch};
use hopscope_core::ids::FlowId;

/// The groups of a run, by name.
pub(super) fn groups(config: &Config, flows: &[FlowResult], meter: &Meter) -> BTreeMap<String, GroupResult> {
    let mut members: BTreeMap<&str, Vec<&FlowResult>> = BTreeMap::new();
    for (flow, result) in config.flows.iter().zip(flows) {
        if let Some(group) = &flow.group {
            members.entry(group).or_default().push(result);
        }
    }
    members.into_iter().map(|(name, flows)| (name.to_string(), group_result(&flows, meter))).collect()
}

fn group_result(flows: &[&FlowResult], meter: &Meter) -> GroupResult {
    let mut delays = Sketch::default();
    flows.iter().for_each(|f| delays.merge(&meter.flows[f.id as usize].delays));
    let scores: Vec<f64> = flows.iter().filter_map(|f| f.mos).collect();
    let received: u64 = flows.iter().map(|f| f.received_packets).sum();
    let outcomes = flows.iter().map(|f| meter.outcomes(FlowId(f.id))).fold(Outcomes::default(), Outcomes::and);
    let waited: f64 = flows.iter().filter_map(|f| Some(f.delay_ms? * f.received_packets as f64)).sum();
    let starved: Vec<f64> = flows.iter().filter_map(|f| f.starved_pct).collect();
    GroupResult {
        flows: flows.iter().map(|f| f.id).collect(),
        aggregate_kbps: flows.iter().map(|f| f.throughput_kbps).sum(),
        jain: jain_of(flows.iter().copied()),
        delay_ms: (received > 0).then(|| waited / received as f64),
        delay_p95_ms: delays.percentile_ms(95.0),
        delay_p99_ms: delays.percentile_ms(99.0),
        mos: (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64),
        loss_pct: outcomes.loss_pct(),
        starved_pct: (!starved.is_empty()).then(|| starved.iter().sum::<f64>() / starved.len() as f64),
    }
}
