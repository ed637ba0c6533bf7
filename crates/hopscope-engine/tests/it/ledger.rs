//! The airtime ledger over whole networks: every nanosecond has one cause, and nothing changes by being watched.

use hopscope_engine::config::Config;
use hopscope_engine::ledger::{Ledger, LedgerResult};
use hopscope_engine::record::TrajectoryHash;
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation::{self, Simulation};
use hopscope_engine::units::{Span, Time};
use proptest::prelude::*;

use crate::invariants::{EVERY, flows, routed, with_flows};
use crate::support::property;

/// Runs with a ledger and the hash of the trajectory.
fn explained(config: &Config) -> (RunResult, LedgerResult, u64) {
    let observer = (TrajectoryHash::default(), Ledger::new(config));
    let mut simulation = Simulation::observed(config.clone(), observer).expect("a sound scenario");
    let mut result = simulation.run();
    let ledger = result.ledger.take().expect("a ledger was asked for");
    (result, ledger, simulation.observer().0.0)
}

/// What has to hold in any ledger.
fn check(config: &Config, result: &RunResult, ledger: &LedgerResult) -> Result<(), TestCaseError> {
    prop_assert_eq!(ledger.duration_ns, config.duration.0 - config.warmup.0);
    prop_assert_eq!(ledger.nodes.len(), config.nodes.len());
    for node in &ledger.nodes {
        prop_assert_eq!(node.ns.values().sum::<u64>(), ledger.duration_ns, "node {}: {:?}", node.id, node.ns);
    }
    for link in &ledger.links {
        prop_assert_eq!(link.ns.values().sum::<u64>(), ledger.duration_ns, "{:?}", link);
        let failed: u64 = link.failures.iter().map(|failure| failure.count).sum();
        let lost: u64 = link.ns.iter().filter(|(cause, _)| cause.starts_with("retry-")).map(|(_, ns)| ns).sum();
        prop_assert_eq!(link.failures.iter().map(|failure| failure.ns).sum::<u64>(), lost, "{:?}", link);
        // One attempt may be under way at either end of the measured time.
        prop_assert!(link.attempts.abs_diff(link.delivered + failed) <= 1, "{:?}", link);
    }
    for (flow, measured) in ledger.flows.iter().zip(&result.flows) {
        prop_assert_eq!(flow.copies, measured.received_packets);
        let parts: u64 = flow.ns.iter().filter(|(part, _)| **part != "timeout").map(|(_, ns)| ns).sum();
        let mean = (flow.copies > 0).then(|| parts as f64 / flow.copies as f64 / 1e6);
        prop_assert_eq!(mean, measured.delay_ms, "flow {}", flow.id);
    }
    Ok(())
}

/// Time of a node in states in which its transmitter is on.
fn on_air(ledger: &LedgerResult, node: usize) -> u64 {
    let sending = ["data", "data-again", "transport-ack", "routing", "rts", "cts", "mac-ack"];
    let is_sending = |cause: &str| sending.contains(&cause) || cause.starts_with("retry-");
    ledger.nodes[node].ns.iter().filter(|(cause, _)| is_sending(cause)).map(|(_, ns)| ns).sum()
}

proptest! {
    #![proptest_config(property(150))]

    #[test]
    fn every_nanosecond_has_one_cause(config in routed(), flows in flows(), warmup in 0..1_200u64) {
        let mut config = with_flows(config, &flows, &EVERY);
        config.warmup = Time::ZERO + Span::from_millis(warmup);
        let (result, ledger, hash) = explained(&config);
        check(&config, &result, &ledger)?;
        prop_assert_eq!(hash, simulation::trajectory(&config, false).expect("a sound scenario"), "it only watches");
        if warmup == 0 {
            for node in &result.nodes {
                // A frame on the air at the end counts whole in the metric.
                let metric = (node.airtime_s * 1e9).round() as u64;
                let ledger = on_air(&ledger, node.id as usize);
                prop_assert!(ledger <= metric && metric - ledger <= 20_000_000, "{} and {}", ledger, metric);
            }
        }
    }
}
