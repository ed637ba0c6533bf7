//! Random links that come and go, lost broadcasts: no loop ever, no packet lost track of.

use proptest::prelude::*;

use crate::config::aodv::{
    AnswerRule, AodvConfig, ErrorReach, ErrorRule, FlushCause, Lifetimes, OwnNumber, RepairRule, SearchRule,
};
use crate::routing::tests::graph::{Case, all_ended, cases, config, no_loop, nothing_leaks};
use crate::routing::tests::net::Net;
use hopscope_core::units::Span;

const NODES: usize = 7;

fn case() -> impl Strategy<Value = Case> {
    cases(NODES, [60, 2_000, 9_000], 0.4, 1..80)
}

fn flap(cfg: &AodvConfig, loops_are_errors: bool, case: &Case) {
    let mut net = Net::new(NODES, cfg, case.seed);
    let end = case.plan(&mut net) + Span::from_secs(120);
    net.run_checked(end, |net| {
        nothing_leaks(net);
        if loops_are_errors {
            no_loop(net);
        }
    });
    all_ended(&net, !loops_are_errors);
}

fn options() -> impl Strategy<Value = AodvConfig> {
    let bits = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    bits.prop_map(|(local_repair, gratuitous_rrep, expanding_ring, intermediate_reply, rerr_unicast)| AodvConfig {
        local_repair,
        gratuitous_rrep,
        expanding_ring,
        intermediate_reply,
        rerr_unicast,
        ..AodvConfig::default()
    })
}

/// Any rules of the two sets side by side.
fn mixed() -> impl Strategy<Value = AodvConfig> {
    (any::<[bool; 16]>(), any::<bool>()).prop_map(|(other, numbers)| {
        let base = AodvConfig::set(if numbers { "ns2" } else { "rfc3561" }).expect("a set");
        AodvConfig {
            search: SearchRule::ALL[usize::from(other[0])],
            lifetimes: Lifetimes::ALL[usize::from(other[1])],
            neighbour_routes: other[2],
            own_number: OwnNumber::ALL[usize::from(other[3])],
            request_clock: other[4],
            answers: AnswerRule::ALL[usize::from(other[5])],
            replies_confirm: other[6],
            repair: RepairRule::ALL[usize::from(other[7])],
            error_reach: ErrorReach::ALL[usize::from(other[8])],
            error_rule: ErrorRule::ALL[usize::from(other[9])],
            flush_cause: FlushCause::ALL[usize::from(other[10])],
            messages_break_links: other[11],
            messages_refresh_neighbour: other[12],
            broadcast_saves_hello: other[13],
            neighbour_clock: other[14],
            local_repair: other[15],
            ..base
        }
    })
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn the_rfc_never_loops(case in case(), cfg in options()) {
        flap(&cfg, true, &case);
    }

    #[test]
    fn hellos_never_loop(case in case()) {
        flap(&AodvConfig::set("aodv-uu").expect("a set"), true, &case);
    }

    #[test]
    fn the_agent_of_ns2_keeps_track_of_every_packet(case in case()) {
        flap(&AodvConfig::set("ns2").expect("a set"), false, &case);
    }

    #[test]
    fn rules_of_both_sets_side_by_side_keep_track_of_every_packet(case in case(), cfg in mixed()) {
        flap(&cfg, false, &case);
    }
}
