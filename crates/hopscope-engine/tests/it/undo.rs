//! Recoveries and timeouts that were needless are undone: whole runs over wires that reorder, lose, or hold up packets.

use hopscope_core::units::Span;
use hopscope_engine::config::{
    AckPolicy, App, Config, FlowConfig, HostConfig, LossRecovery, Transport, WireConfig, presets, tcp::Undo,
};
use hopscope_engine::results::FlowResult;
use hopscope_engine::simulation;

use crate::support::{chain, flow};

/// A transfer by NewReno with a window of 32 over 2 Mbit/s and 40 ms each way.
fn over_wire(profile: &str, recovery: LossRecovery, change: impl Fn(&mut WireConfig, &mut FlowConfig)) -> Config {
    let mut config = chain(profile, 1, 60);
    let wired = serde_json::json!({ "nodes": [0, 1], "wifi": false });
    config.hosts = vec![serde_json::from_value::<HostConfig>(wired).expect("settings of nodes")];
    let mut wire = WireConfig::between([0, 1], 2_000_000, Span::from_millis(40), 100);
    let mut flow = flow(profile, 0, 1, Transport::Tcp, App::Bulk);
    (flow.max_window, flow.recovery) = (32, recovery);
    change(&mut wire, &mut flow);
    config.wires = vec![wire];
    config.flows.push(flow);
    config
}

fn run(config: Config) -> FlowResult {
    simulation::run(config).expect("a sound scenario").flows.swap_remove(0)
}

/// One packet in fifty is held back until seven others have passed it.
fn reorders(wire: &mut WireConfig) {
    (wire.reorder, wire.reorder_delay) = (0.02, Span::from_millis(45));
}

#[test]
fn where_packets_are_reordered_and_none_is_lost_recoveries_are_undone() {
    for recovery in [LossRecovery::Sack, LossRecovery::Rack] {
        let of = |undo, timestamps| {
            run(over_wire("standard", recovery, |wire, flow| {
                reorders(wire);
                (flow.tcp.undo, flow.tcp.timestamps) = (undo, timestamps);
            }))
        };
        let never = of(Undo::None, false);
        assert!(never.fast_retransmits > 5 && never.undone_recoveries == 0, "{recovery:?}: {never:?}");
        for (undo, timestamps) in
            [(Undo::Dsack, false), (Undo::Timestamps, true), (Undo::Any, true), (Undo::Any, false)]
        {
            let got = of(undo, timestamps);
            let what = format!("{recovery:?} {undo:?}: {got:?}");
            // Nothing is lost: every recovery is needless. Some are not seen to be, as another one has begun before the report.
            assert!(2 * got.undone_recoveries > got.fast_retransmits, "{what}");
            assert!(got.undone_recoveries <= got.fast_retransmits, "{what}");
            assert!(got.throughput_kbps > never.throughput_kbps, "{what}: {never:?}");
        }
    }
}

#[test]
fn a_recovery_from_a_loss_is_not_undone() {
    for recovery in [LossRecovery::Sack, LossRecovery::Rack] {
        let got = run(over_wire("standard", recovery, |wire, flow| {
            (wire.loss, wire.back_loss) = (0.01, Some(0.0));
            (flow.tcp.undo, flow.tcp.timestamps) = (Undo::Any, true);
        }));
        assert!(got.fast_retransmits > 5, "{recovery:?}: {got:?}");
        assert_eq!((got.undone_recoveries, got.undone_timeouts), (0, 0), "{recovery:?}: {got:?}");
    }
}

#[test]
fn profiles_say_who_undoes() {
    let undoes = |profile: &str, ack, timestamps: Option<bool>| {
        run(over_wire(profile, LossRecovery::Sack, |wire, flow| {
            reorders(wire);
            flow.ack = ack;
            flow.tcp.timestamps = timestamps.unwrap_or(flow.tcp.timestamps);
        }))
        .undone_recoveries
            > 0
    };
    // All RFCs say MAY.
    assert!(!undoes("standard", AckPolicy::Every, Some(true)));
    assert!(undoes("standard", AckPolicy::LinuxModern, None), "by DSACK");
    assert!(undoes("standard", AckPolicy::LinuxModern, Some(true)));
    for profile in ["ns2", "as-ns3"] {
        assert!(!undoes(profile, AckPolicy::Every, None), "{profile}");
        assert!(!undoes(profile, AckPolicy::LinuxModern, Some(true)), "{profile}");
    }
}

#[test]
fn with_rack_duplicates_are_reported() {
    // RFC 8985 4: adapting the reordering window by DSACK is RECOMMENDED.
    let of = |profile: &str, dsack| {
        run(over_wire(profile, LossRecovery::Rack, |wire, flow| {
            reorders(wire);
            if dsack == Some(false) {
                flow.tcp.dsack = dsack;
            }
        }))
    };
    let (adapts, does_not) = (of("standard", None), of("standard", Some(false)));
    assert!(adapts.fast_retransmits < does_not.fast_retransmits, "{adapts:?} {does_not:?}");
    let ns3 = (of("as-ns3", None).fast_retransmits, of("as-ns3", Some(false)).fast_retransmits);
    assert_eq!(ns3.0, ns3.1, "ns-3 3.44 reports none");
}

#[test]
fn what_cannot_be_found_is_refused() {
    let refused = |recovery, change: &dyn Fn(&mut FlowConfig)| {
        let config = over_wire("standard", recovery, |_, flow| change(flow));
        simulation::run(config).map(|_| ()).map_err(|errors| errors.to_string())
    };
    let says = |recovery, undo, dsack, what: &str| {
        let found = refused(recovery, &|flow| (flow.tcp.undo, flow.tcp.dsack) = (undo, dsack)).expect_err("refused");
        assert!(found.contains("flows.0.tcp.undo") && found.contains(what), "{found}");
    };
    says(LossRecovery::NewReno, Undo::Dsack, None, "sack or rack");
    says(LossRecovery::Sack, Undo::Dsack, Some(false), "dsack = false");
    says(LossRecovery::Sack, Undo::Timestamps, None, "timestamps = true");
    says(LossRecovery::NewReno, Undo::Any, None, "timestamps = true, or recovery sack or rack");
    for undo in Undo::ALL {
        let found = refused(LossRecovery::Sack, &|flow| (flow.tcp.undo, flow.tcp.timestamps) = (undo, true));
        assert_eq!(found, Ok(()), "{undo:?}");
    }
    let old = serde_json::json!({ "dsack": true });
    let read = serde_json::from_value::<hopscope_engine::config::TcpConfig>(old).expect("an older document");
    assert_eq!(read.dsack, Some(true));
    let base = presets::base("standard", "wavelan-2M").expect("a profile");
    assert_eq!((base.tcp.undo, base.tcp.dsack), (Undo::Own, None));
}
