//! What the tests of families share.

use crate::config::{App, Config, FlowConfig, Transport, presets};
use hopscope_core::units::{Span, Time};

const MS: u64 = 1_000_000;

/// An instant, milliseconds.
pub(super) fn at(ms: u64) -> Time {
    Time(ms * MS)
}

/// Flows from node 0 to node 1 with these starts and stops, milliseconds.
pub(super) fn config(flows: &[(u64, Option<u64>)]) -> Config {
    let base = presets::base("standard", "wavelan-2M").expect("a profile and a preset");
    let mut config = base.config(vec![[0.0, 0.0], [200.0, 0.0]], Span::from_secs(10));
    config.flows = flows
        .iter()
        .map(|&(start, stop)| {
            let (start, stop) = (at(start), stop.map(at));
            FlowConfig { packet: 1_000, start, stop, ..FlowConfig::new(0, 1, Transport::Udp, App::Bulk) }
        })
        .collect();
    config
}
