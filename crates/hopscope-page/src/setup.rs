//! What stands before a run begins.

use hopscope_core::units::Time;
use hopscope_engine::config::Config;
use hopscope_phy::mobility::Mobility;
use hopscope_phy::phy::modes::Mode;
use serde_json::{Value as Json, json};

/// An instant in seconds, as near as a double comes: the product with 1e-9 would show 31 s as 31.000000000000004.
pub fn seconds(at: Time) -> f64 {
    at.0 as f64 / 1e9
}

/// The setup of a run whose radio has a preset, under the names of `Setup` in `web/src/engine/api.ts`.
pub fn setup(config: &Config, preset: &str) -> Json {
    let config = config.measured();
    let flows = config.flows.iter().map(|flow| {
        json!({
            "source": flow.from,
            "destination": flow.to,
            "transport": flow.transport.word(),
            "start_s": seconds(flow.start),
            "label": flow.group,
        })
    });
    let radio = &config.radio;
    json!({
        "seed": config.seed,
        "duration_s": seconds(config.duration),
        "warmup_s": seconds(config.warmup),
        "nodes": config.stations().spread(&config.nodes),
        "flows": flows.collect::<Vec<_>>(),
        "radio": {
            "range_m": radio.tx_range,
            "cs_range_m": radio.cs_range,
            "data_rate_bps": radio.data_mode().map_or(radio.data_rate, Mode::rate),
            "preset": preset,
        },
        "routing": config.routing.protocol.word(),
        "mobility": !Mobility::new(&config.movement()).is_none(),
    })
}
