//! A congestion control from outside the engine: what it leaves open is NewReno, and its own rules are obeyed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use hopscope_core::units::Time;
use hopscope_engine::config::{App, Config, ControlName, Transport};
use hopscope_engine::record::NullRecorder;
use hopscope_engine::world::Controls;
use hopscope_engine::{Simulation, simulation};
use hopscope_tcp::control::{Control, Hook, NodeState, Reaction, View};

use crate::support::{chain, flow};

/// A chain whose flow has `control`.
fn run(profile: &str, hops: u32, seconds: u64, control: Arc<dyn Control>) -> serde_json::Value {
    let config = config(profile, hops, seconds);
    let controls = Controls::from([(0, control)]);
    let mut simulation = Simulation::controlled(config, NullRecorder, &controls).expect("a sound scenario");
    serde_json::to_value(simulation.run()).expect("results are JSON")
}

fn config(profile: &str, hops: u32, seconds: u64) -> Config {
    let mut config = chain(profile, hops, seconds);
    config.flows.push(flow(profile, 0, hops, Transport::TcpExternal, App::Bulk));
    config.flows[0].control = Some(ControlName { name: "tcp:mine".into(), identity: "1".into() }.into());
    config
}

fn newreno(profile: &str, hops: u32, seconds: u64) -> serde_json::Value {
    let mut config = chain(profile, hops, seconds);
    config.flows.push(flow(profile, 0, hops, Transport::TcpNewReno, App::Bulk));
    serde_json::to_value(simulation::run(config).expect("a sound scenario")).expect("results are JSON")
}

/// Results without what names the transport.
fn unnamed(mut result: serde_json::Value) -> serde_json::Value {
    result["flows"][0].as_object_mut().expect("a flow").remove("transport");
    result
}

#[derive(Debug)]
struct Silent;

impl Control for Silent {
    fn answers(&self, _hook: Hook) -> bool {
        false
    }

    fn react(&self, hook: Hook, _view: &View) -> Reaction {
        panic!("asked at {hook:?}");
    }
}

#[test]
fn a_control_that_answers_nothing_is_newreno() {
    for profile in ["standard", "ns2"] {
        let found = run(profile, 7, 60, Arc::new(Silent));
        assert_eq!(found["flows"][0]["transport"], "tcp:mine");
        assert_eq!(unnamed(found), unnamed(newreno(profile, 7, 60)), "{profile}");
    }
}

/// RFC 5681 by what it is shown, and a record of the calls.
#[derive(Debug, Default)]
struct Rfc5681 {
    calls: Mutex<Vec<(Hook, View)>>,
}

impl Control for Rfc5681 {
    fn answers(&self, _hook: Hook) -> bool {
        true
    }

    fn react(&self, hook: Hook, view: &View) -> Reaction {
        self.calls.lock().expect("one thread").push((hook, *view));
        let cwnd = match hook {
            Hook::Ack if !view.window_limited => None,
            Hook::Ack if view.cwnd < view.ssthresh => Some(view.cwnd + view.acked.min(1.0)),
            Hook::Ack => Some(view.cwnd + 1.0 / view.cwnd),
            Hook::Loss => Some((view.in_flight / 2.0).max(2.0)),
            Hook::Timeout => Some(1.0),
            Hook::Rtt | Hook::Every | Hook::Sent | Hook::Wake | Hook::RoundTrip => None,
        };
        Reaction { cwnd, ..Reaction::default() }
    }
}

#[test]
fn the_rules_of_newreno_from_outside_give_newreno() {
    // Undecodable frames and hidden stations: losses enough, and timeouts, in a chain with the standard's rules.
    let control = Arc::new(Rfc5681::default());
    let mut config = config("standard", 7, 120);
    config.mac.queue = 5;
    let mut built_in = config.clone();
    built_in.flows[0].transport = Transport::TcpNewReno;
    built_in.flows[0].control = None;
    let controls = Controls::from([(0, control.clone() as Arc<dyn Control>)]);
    let found = Simulation::controlled(config, NullRecorder, &controls).expect("a sound scenario").run();
    let found = unnamed(serde_json::to_value(found).expect("results are JSON"));
    let wanted = serde_json::to_value(simulation::run(built_in).expect("a sound scenario")).expect("results are JSON");
    assert_eq!(found, unnamed(wanted));

    let calls = control.calls.lock().expect("one thread");
    let mut counts = BTreeMap::new();
    for (hook, view) in calls.iter() {
        *counts.entry(hook.index()).or_insert(0) += 1;
        assert!(view.cwnd >= 1.0 && view.cwnd <= view.max_window && view.max_window == 32.0 && view.packet == 1460);
        assert!(view.min_rtt.is_none_or(|least| view.rtt.is_some_and(|rtt| rtt >= least)));
    }
    let [acks, losses, timeouts, rtts, every, sent, woken, rounds] =
        Hook::ALL.map(|hook| counts.get(&hook.index()).copied().unwrap_or(0));
    let segments = found["flows"][0]["sent_packets"].as_u64().expect("a number");
    assert!(
        every > acks && sent >= segments / 2 && woken == 0,
        "{every} ACKs of any kind, {sent} of {segments} segments"
    );
    assert!(rounds > 100 && rounds < rtts, "{rounds} rounds");
    assert!(acks > 1000 && losses > 10 && rtts > acks / 2, "{acks} ACKs, {losses} losses, {rtts} round trips");
    assert_eq!(timeouts, found["flows"][0]["timeouts"].as_u64().expect("a number"));
    assert_eq!(losses, found["flows"][0]["fast_retransmits"].as_u64().expect("a number"));
    assert!(calls.windows(2).all(|pair| pair[0].1.now <= pair[1].1.now), "calls come in the order of time");
}

/// A window of four and one segment every quarter of a second, and nonsense now and then.
#[derive(Debug)]
struct Paced;

impl Control for Paced {
    fn answers(&self, hook: Hook) -> bool {
        matches!(hook, Hook::Ack)
    }

    fn react(&self, _hook: Hook, view: &View) -> Reaction {
        let nonsense = (view.delivered as u64) % 3 == 0 && view.pacing_rate.is_some();
        Reaction {
            cwnd: Some(if nonsense { f64::NAN } else { 4.0 }),
            pacing_rate: Some(if nonsense { -1.0 } else { 4.0 }),
            ..Reaction::default()
        }
    }
}

#[test]
fn a_pace_from_outside_is_kept_and_nonsense_changes_nothing() {
    for pacing in [hopscope_engine::config::tcp::Pacing::Own, hopscope_engine::config::tcp::Pacing::Window] {
        let mut config = config("standard", 1, 101);
        config.flows[0].tcp.pacing = pacing;
        let controls = Controls::from([(0, Arc::new(Paced) as Arc<dyn Control>)]);
        let result = Simulation::controlled(config, NullRecorder, &controls).expect("a sound scenario").run();
        // 100 s at four segments a second, after the first few of slow start.
        let received = result.flows[0].received_packets;
        assert!((398..=404).contains(&received), "{pacing:?}: {received} segments");
    }
}

#[test]
fn a_flow_without_its_control_is_refused() {
    let error = simulation::run(config("standard", 1, 2)).expect_err("no control");
    assert_eq!(error.key, "flows.0.transport");
    let mut named = config("standard", 1, 2);
    named.flows[0].transport = Transport::TcpCubic;
    assert_eq!(simulation::run(named).expect_err("a name without use").key, "flows.0.control");
    let mut nameless = config("standard", 1, 2);
    nameless.flows[0].control = None;
    assert_eq!(simulation::run(nameless).expect_err("no name").key, "flows.0.control");
}

/// A window of four that doubles by a timer of its own, and what it sees of its node.
#[derive(Debug, Default)]
struct Clockwork(Mutex<Vec<(Time, f64, Option<NodeState>)>>);

impl Control for Clockwork {
    fn answers(&self, hook: Hook) -> bool {
        matches!(hook, Hook::Ack | Hook::Every | Hook::Wake)
    }

    fn react(&self, hook: Hook, view: &View) -> Reaction {
        let mut woken = self.0.lock().expect("one thread");
        if hook == Hook::Wake {
            woken.push((view.now, view.cwnd, view.node));
        }
        let first = woken.is_empty() && hook == Hook::Every && view.delivered < 1.5;
        let at = Time((1 + woken.len() as u64) * 1_000_000_000);
        Reaction {
            cwnd: (hook == Hook::Wake).then_some(view.cwnd * 2.0),
            wake: (first || hook == Hook::Wake).then_some(at),
            ..Reaction::default()
        }
    }
}

#[test]
fn a_timer_of_ones_own_and_a_look_at_the_node() {
    let control = Arc::new(Clockwork::default());
    let controls = Controls::from([(0, control.clone() as Arc<dyn Control>)]);
    Simulation::controlled(config("standard", 2, 5), NullRecorder, &controls).expect("a sound scenario").run();
    let woken = control.0.lock().expect("one thread");
    let at: Vec<u64> = woken.iter().map(|(at, ..)| at.0 / 1_000_000_000).collect();
    assert_eq!(at, [1, 2, 3, 4, 5], "on the second, each time for the next");
    assert!(woken.windows(2).all(|pair| pair[1].1 == (pair[0].1 * 2.0).min(32.0)), "{woken:?}");
    let queue: Vec<NodeState> = woken.iter().filter_map(|(.., node)| *node).collect();
    assert_eq!(queue.len(), 5);
    assert!(queue.windows(2).all(|pair| pair[1].mac.data > pair[0].mac.data), "its MAC goes on sending");
    assert!(queue.iter().any(|view| view.queued > 0));
}
