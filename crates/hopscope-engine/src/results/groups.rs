//! Flows of one group added up.

use std::collections::BTreeMap;

use super::{FlowResult, GroupResult};
use crate::config::Config;
use crate::metrics::Meter;

/// The groups of a run, by name.
pub(super) fn groups(config: &Config, flows: &[FlowResult], meter: &Meter) -> BTreeMap<String, GroupResult> {
    let mut members: BTreeMap<&str, Vec<&FlowResult>> = BTreeMap::new();
    for (flow, result) in config.flows.iter().zip(flows) {
        if let Some(group) = &flow.group {
            members.entry(group).or_default().push(result);
        }
    }
    members.into_iter().map(|(name, flows)| (name.to_string(), GroupResult::of(&flows, meter))).collect()
}
