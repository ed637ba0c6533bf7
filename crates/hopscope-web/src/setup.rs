//! What stands before a run begins.

use hopscope_engine::config::Config;
use hopscope_phy::mobility::Mobility;
use hopscope_scenario::resolve::Resolved;
use serde_json::{Value as Json, json};

/// The setup of a run, under the names of `Setup` in `web/src/engine/api.ts`.
pub(crate) fn setup(config: &Config, resolved: &Resolved) -> Json {
    let config = config.measured();
    let flows = config.flows.iter().map(|flow| {
        json!({
            "source": flow.from,
            "destination": flow.to,
            "transport": flow.transport.word(),
            "start_s": flow.start.as_secs(),
            "label": flow.group,
        })
    });
    let radio = &config.radio;
    json!({
        "seed": config.seed,
        "duration_s": config.duration.as_secs(),
        "warmup_s": config.warmup.as_secs(),
        "nodes": config.nodes,
        "flows": flows.collect::<Vec<_>>(),
        "radio": {
            "range_m": radio.tx_range,
            "cs_range_m": radio.cs_range,
            "data_rate_bps": radio.data_rate,
            "preset": resolved.preset(),
        },
        "routing": config.routing.protocol.word(),
        "mobility": !Mobility::new(&config.movement()).is_none(),
    })
}
