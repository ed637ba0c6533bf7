//! What the tests of families share.

use crate::config::{AckPolicy, App, Config, FlowConfig, LossRecovery, TcpConfig, Transport, presets};
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
            let app = App::Bulk;
            let (start, stop) = (at(start), stop.map(at));
            FlowConfig {
                from: 0,
                to: 1,
                transport: Transport::Udp,
                app,
                packet: 1_000,
                max_window: 1,
                start,
                stop,
                ack: AckPolicy::Every,
                ack_code: None,
                ack_delay: Span::from_millis(200),
                tcp: TcpConfig::default(),
                dccp: Default::default(),
                atp: Default::default(),
                group: None,
                control: None,
                reply: None,
                start_jitter: Span::ZERO,
                from_port: None,
                to_port: None,
                recovery: LossRecovery::Own,
            }
        })
        .collect();
    config
}
