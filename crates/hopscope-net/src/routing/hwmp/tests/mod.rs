mod exchange;
mod graph;
mod quality;
mod radios;
mod root;

use crate::config::hwmp::HwmpConfig;
use crate::routing::tests::net::Net;
use hopscope_core::units::Span;

/// The standard's constants with a beacon each 100 ms, so that links come up soon, and without jitter, so that latencies are
/// known.
fn quick() -> HwmpConfig {
    let beacon_interval = Span::from_millis(100);
    HwmpConfig { beacon_interval, target_only: true, jitter: Span::ZERO, ..HwmpConfig::default() }
}

/// A chain whose links stand.
fn chain(nodes: usize, cfg: &HwmpConfig) -> Net {
    let mut net = Net::chain(nodes, cfg);
    net.run(crate::routing::tests::net::ms(1_000));
    net
}
