//! Applications that read slowly: the window closes, is probed and opens again.

use hopscope_core::units::Span;
use hopscope_engine::config::tcp::LossRecovery;
use hopscope_engine::config::{App, Config, HostConfig, Transport, WireConfig};
use hopscope_engine::results::FlowResult;
use hopscope_engine::simulation::Simulation;

use crate::support::{chain, flow};

/// Two nodes and a wire of 10 Mbit/s; the application reads at a rate in bit/s.
fn reading(rate: Option<u64>, transport: Transport, app: App, change: impl FnOnce(&mut Config)) -> FlowResult {
    let mut config = chain("standard", 1, 60);
    let document = serde_json::json!({ "nodes": [0, 1], "wifi": false });
    config.hosts = vec![serde_json::from_value::<HostConfig>(document).expect("settings of nodes")];
    config.wires = vec![WireConfig::between([0, 1], 10_000_000, Span::from_millis(20), 100)];
    config.flows.push(flow("standard", 0, 1, transport, app));
    config.flows[0].tcp.read_rate = rate;
    change(&mut config);
    Simulation::new(config).expect("a sound scenario").run().flows[0].clone()
}

const TRANSPORTS: [Transport; 6] = [
    Transport::TcpTahoe,
    Transport::TcpReno,
    Transport::TcpNewReno,
    Transport::TcpSack,
    Transport::TcpCubic,
    Transport::TcpVegas,
];

#[test]
fn what_is_handed_up_is_what_is_read() {
    for transport in TRANSPORTS {
        let found = reading(Some(400_000), transport, App::Bulk, |_| {});
        // The rate over 59 of 60 seconds, as the flow starts after one; the set-up takes a round trip.
        assert!((found.throughput_kbps - 400.0 * 59.0 / 60.0).abs() < 1.0, "{transport:?}: {found:?}");
        assert_eq!((found.timeouts, found.retransmitted_packets), (0, 0), "{transport:?}: {found:?}");
    }
    let fast = reading(None, Transport::TcpNewReno, App::Bulk, |_| {});
    assert!(fast.throughput_kbps > 9_000.0 * 59.0 / 60.0, "{fast:?}");
}

#[test]
fn who_reads_nothing_takes_a_buffer() {
    for transport in TRANSPORTS {
        let found = reading(Some(0), transport, App::Bulk, |_| {});
        assert_eq!((found.throughput_kbps, found.timeouts), (0.0, 0), "{transport:?}: {found:?}");
        // The buffer of 32 packets, the SYN, and the probes of a minute: after 1, 2, 4, 8, 16 s and then some.
        assert!((32..=42).contains(&found.sent_packets), "{transport:?}: {found:?}");
    }
}

#[test]
fn a_file_arrives_although_packets_are_lost() {
    for recovery in [LossRecovery::Reno, LossRecovery::NewReno, LossRecovery::Sack, LossRecovery::Rack] {
        let app = App::File { bytes: 300_000 };
        let found = reading(Some(200_000), Transport::TcpNewReno, app, |config| {
            config.wires[0].loss = 0.05;
            config.flows[0].tcp.loss_recovery = recovery;
        });
        // Twelve seconds to read it, and what losses cost.
        let took = found.completion_s.unwrap_or_else(|| panic!("{recovery:?}: {found:?}"));
        assert!((10.0..40.0).contains(&took), "{recovery:?}: {took} s");
        assert_eq!(found.received_bytes, 300_000, "{recovery:?}");
    }
}
