//! What is measured of routes. On a chain whose HELLOs collide, the series of a flow's route and its share of time
//! without one say the same; links count what went over them.

use hopscope_core::units::{Span, Time};
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::{AodvConfig, App, Config, SeriesKind, Transport};
use hopscope_engine::record::Record;
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation::{self, Simulation};

use crate::support::{Log, busy_field, flow, tcp_chain};

fn over_hellos(hops: u32, seconds: u64) -> Config {
    let mut config = tcp_chain("ns2", hops, seconds);
    config.routing.protocol = RoutingProtocol::Aodv;
    config.aodv = AodvConfig::set("aodv-uu").expect("a known set");
    config.series.keep = vec![SeriesKind::Route];
    config
}

fn run(config: Config) -> RunResult {
    simulation::run(config).expect("a sound scenario")
}

/// The samples of one flow: (instant in seconds, state).
fn states(result: &RunResult, flow: u32) -> Vec<(f64, f64)> {
    let series = &result.series["route"];
    let owners = series.flow.as_ref().expect("a series of flows");
    let samples = series.t_s.iter().zip(&series.value).zip(owners);
    samples.filter(|&(_, owner)| *owner == flow).map(|((&t, &value), _)| (t, value)).collect()
}

/// Seconds between `from` and `until` in which the state was 0.
fn without(states: &[(f64, f64)], from: f64, until: f64) -> f64 {
    let ends = states.iter().skip(1).map(|s| s.0).chain([f64::INFINITY]);
    let spans = states.iter().zip(ends).filter(|((_, value), _)| *value == 0.0);
    spans.map(|(&(start, _), end)| (end.min(until) - start.max(from)).max(0.0)).sum()
}

#[test]
fn the_share_without_a_route_is_the_area_under_the_series() {
    for (warmup, stop, end) in [(0, None, 60.0), (20, None, 60.0), (20, Some(50), 50.0)] {
        let mut config = over_hellos(4, 60);
        config.warmup = Time::ZERO + Span::from_secs(warmup);
        config.flows[0].stop = stop.map(|s| Time::ZERO + Span::from_secs(s));
        let result = run(config);
        let states = states(&result, 0);
        assert!(states.len() > 8, "false failures on a busy chain: {states:?}");
        assert!(states.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 + pair[1].1 == 1.0), "{states:?}");
        let from = (warmup as f64).max(1.0);
        let expected = 100.0 * without(&states, from, end) / (end - from);
        let measured = result.flows[0].no_route_share_pct.expect("the flow had time");
        assert!((measured - expected).abs() < 1e-6, "{measured} but the series gives {expected}");
        assert!(measured > 1.0 && measured < 50.0, "{measured}");
        // A next hop that changes is a change too, so there may be more of them than states.
        let seen = states.iter().filter(|s| s.0 >= warmup as f64).count() as u64;
        assert!(result.flows[0].route_changes + 1 >= seen, "{} of {seen}", result.flows[0].route_changes);
    }
}

#[test]
fn each_flow_has_the_route_of_its_own_ends() {
    let mut config = over_hellos(3, 30);
    // Back to back with the first flow, a second one between the same ends, and one that goes the other way.
    config.flows.push(flow("ns2", 0, 3, Transport::Udp, App::cbr(20e3)));
    config.flows.push(flow("ns2", 3, 0, Transport::Udp, App::cbr(20e3)));
    let result = run(config);
    assert_eq!(states(&result, 0), states(&result, 1));
    assert_eq!(result.flows[0].no_route_share_pct, result.flows[1].no_route_share_pct);
    assert_ne!(states(&result, 0), states(&result, 2));
}

#[test]
fn static_routes_are_always_there_and_a_partition_has_none() {
    let mut fixed = over_hellos(3, 10);
    fixed.routing.protocol = RoutingProtocol::Static;
    let result = run(fixed);
    assert_eq!((result.flows[0].no_route_share_pct, result.flows[0].route_changes), (Some(0.0), 0));
    assert_eq!(states(&result, 0), [(0.0, 1.0)]);

    let mut cut = over_hellos(3, 10);
    cut.nodes[2][0] += 5_000.0;
    cut.nodes[3][0] += 5_000.0;
    let result = run(cut);
    assert_eq!((result.flows[0].no_route_share_pct, result.flows[0].route_changes), (Some(100.0), 0));
    assert_eq!(states(&result, 0), [(0.0, 0.0)]);
    assert!(result.flows[0].note.as_ref().is_some_and(|note| note.contains("no chain of neighbours")));
}

#[test]
fn a_flow_that_carried_nothing_says_how_long_it_had_no_route() {
    // In five milliseconds no reply comes back over three hops.
    let mut config = over_hellos(3, 2);
    config.flows[0].start = Time::ZERO + Span::from_millis(1_995);
    let result = run(config);
    let note = result.flows[0].note.clone().expect("nothing was carried");
    assert!(note.ends_with("none was delivered in order; the source had no route for 100 % of the time"), "{note}");
}

#[test]
fn a_finished_file_needs_no_route_any_more() {
    let mut config = over_hellos(1, 40);
    config.flows[0].app = App::File { bytes: 20_000 };
    let result = run(config);
    let done = result.flows[0].completion_s.expect("a short file over one hop");
    assert!(done < 5.0, "{done}");
    let share = result.flows[0].no_route_share_pct.expect("the flow had time");
    let expected = 100.0 * without(&states(&result, 0), 1.0, 1.0 + done) / done;
    assert!((share - expected).abs() < 1e-6, "{share} but the series gives {expected}");
}

#[test]
fn links_count_the_packets_that_each_node_was_given() {
    for (fragments, warmup) in [(None, 0), (None, 3), (Some(400), 0), (Some(400), 3)] {
        let mut config = busy_field("standard", 8);
        config.mac.fragmentation_threshold = fragments;
        config.warmup = Time::ZERO + Span::from_secs(warmup);
        let nodes = config.nodes.len();
        let mut simulation = Simulation::observed(config, Log::default()).expect("a sound scenario");
        let links = simulation.run().links;
        let mut expected = vec![0; nodes];
        for (at, record) in &simulation.observer().0 {
            if let Record::PacketReceived { node, .. } = record {
                expected[node.index()] += u64::from(at.0 >= Span::from_secs(warmup).0);
            }
        }
        let mut counted = vec![0; nodes];
        for (&to, packets) in links.to.iter().zip(&links.packets) {
            counted[to as usize] += packets;
        }
        assert!(links.packets.len() > 20, "{links:?}");
        assert!(links.from.iter().zip(&links.to).all(|(from, to)| from != to));
        assert_eq!(counted, expected, "fragments {fragments:?}, warm-up {warmup} s");
    }
}

#[test]
fn links_of_a_route_carry_what_its_flow_receives() {
    let mut config = tcp_chain("standard", 3, 20);
    config.flows[0].transport = Transport::Udp;
    config.flows[0].app = App::cbr(50e3);
    config.flows[0].stop = Some(Time::ZERO + Span::from_secs(18));
    let result = run(config);
    let packets = result.flows[0].received_packets;
    assert!(packets > 50, "{packets}");
    assert_eq!((&result.links.from[..], &result.links.to[..]), (&[0, 1, 2][..], &[1, 2, 3][..]));
    assert_eq!(result.links.packets, [packets; 3]);
}
