//! Changes in a run: by events of its configuration, and by the same between two instants.

use hopscope_core::units::{Span, Time};
use hopscope_engine::config::{App, Change, ChangeKind, Config, EventConfig, HostConfig, Transport, WireConfig};
use hopscope_engine::{Simulation, World};

use crate::support::{Log, chain, flow, is_data_received};

/// Datagrams of 1480 bytes over two hops, ten a second from 1 s on, for ten seconds.
fn relayed() -> Config {
    let mut config = chain("standard", 2, 10);
    config.flows.push(flow("standard", 0, 2, Transport::Udp, App::cbr(1480.0 * 80.0)));
    config
}

fn at(seconds: u64) -> Time {
    Time::ZERO + Span::from_secs(seconds)
}

fn change(kind: ChangeKind, set: impl Fn(&mut Change)) -> Change {
    let mut change = Change::of(kind);
    set(&mut change);
    change
}

/// Datagrams that arrive in each second, with these changes as events; the same changes made by a caller give the same.
fn arrivals(config: &Config, changes: &[(u64, Change)]) -> Vec<usize> {
    let mut with_events = config.clone();
    with_events.events =
        changes.iter().map(|(second, change)| EventConfig { at: at(*second), change: change.clone() }).collect();
    let mut by_event = World::new(&with_events, Log::default()).expect("a sound scenario");
    by_event.run_until(config.duration);
    let mut by_call = World::new(config, Log::default()).expect("a sound scenario");
    for (second, change) in changes {
        by_call.run_until(at(*second));
        by_call.change(change).expect("a sound change");
    }
    by_call.run_until(config.duration);
    assert!(by_event.recorder().0 == by_call.recorder().0, "an event and a call do the same");
    let mut seconds = vec![0; 10];
    for (now, _) in by_event.recorder().0.iter().filter(|(_, record)| is_data_received(record)) {
        seconds[(now.0 / 1_000_000_000) as usize] += 1;
    }
    seconds
}

#[test]
fn a_node_dies_and_returns() {
    let down = change(ChangeKind::NodeDown, |c| c.node = Some(1));
    let up = change(ChangeKind::NodeUp, |c| c.node = Some(1));
    // Reported twice it is as off as reported once.
    let found = arrivals(&relayed(), &[(4, down.clone()), (5, down), (7, up)]);
    assert_eq!((&found[1..4], &found[5..7]), (&[10; 3][..], &[0; 2][..]));
    assert!(found[8] >= 10 && found[9] >= 9, "{found:?}");
}

#[test]
fn a_radio_link_is_cut_weakened_and_restored() {
    let of =
        |kind, decibels: Option<f64>| change(kind, |c| (c.from, c.to, c.attenuation) = (Some(2), Some(1), decibels));
    // 200 m leave 3.9 dB to the range of 250 m under two-ray ground.
    let changes = [
        (2, of(ChangeKind::LinkDegrade, Some(3.0))),
        (3, of(ChangeKind::LinkDegrade, Some(5.0))),
        (5, of(ChangeKind::LinkRestore, None)),
        (7, of(ChangeKind::LinkCut, None)),
    ];
    let found = arrivals(&relayed(), &changes);
    assert_eq!((found[2], &found[4..5], found[6], &found[8..]), (10, &[0][..], 10, &[0, 0][..]), "{found:?}");
}

#[test]
fn a_wire_loses_what_it_is_reported_to() {
    let mut config = chain("standard", 1, 10);
    config.hosts = vec![HostConfig { wifi: false, ..HostConfig::of(&[0, 1]) }];
    config.wires = vec![WireConfig::between([0, 1], 10_000_000, Span::from_millis(1), 50)];
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(1480.0 * 8_000.0 / 10.0)));
    let of = |kind, loss: Option<f64>| change(kind, |c| (c.from, c.to, c.loss) = (Some(0), Some(1), loss));
    let changes = [
        (3, of(ChangeKind::LinkDegrade, Some(0.5))),
        (5, of(ChangeKind::LinkCut, None)),
        (7, of(ChangeKind::LinkRestore, None)),
    ];
    let found = arrivals(&config, &changes);
    assert_eq!((found[2], found[6], found[8]), (100, 0, 100), "{found:?}");
    assert!((30..70).contains(&found[4]), "{found:?}");
}

#[test]
fn a_node_walks_at_its_speed() {
    // From 200 to 300 m at 20 m/s from 2 s on: out of range at 4.5 s.
    let mut config = chain("standard", 1, 10);
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(1480.0 * 80.0)));
    let goes = change(ChangeKind::Move, |c| (c.node, c.position, c.speed) = (Some(1), Some([300.0, 0.0]), Some(20.0)));
    let back = change(ChangeKind::Move, |c| (c.node, c.position) = (Some(1), Some([200.0, 0.0])));
    let found = arrivals(&config, &[(2, goes), (8, back)]);
    assert_eq!((found[3], &found[5..8]), (10, &[0; 3][..]), "{found:?}");
    assert!((4..=6).contains(&found[4]) && found[9] >= 9, "{found:?}");
}

#[test]
fn a_flow_stops_starts_and_changes_its_rate() {
    let of = |kind| change(kind, |c| c.flow = Some(0));
    let faster = change(ChangeKind::FlowRate, |c| (c.flow, c.rate) = (Some(0), Some(1480.0 * 160.0)));
    let found = arrivals(&relayed(), &[(3, of(ChangeKind::FlowStop)), (5, of(ChangeKind::FlowStart)), (7, faster)]);
    assert_eq!((found[2], &found[4..5], found[6], found[8]), (10, &[0][..], 10, 20), "{found:?}");
    // Before its time.
    let mut late = relayed();
    late.flows[0].start = at(8);
    let found = arrivals(&late, &[(2, of(ChangeKind::FlowStart))]);
    assert_eq!((found[1], found[3], found[8]), (0, 10, 10), "{found:?}");
}

#[test]
fn parameters_change_for_the_frames_that_follow() {
    let set = |key: &str, value| change(ChangeKind::Set, |c| (c.key, c.value) = (Some(key.to_string()), Some(value)));
    let mut lossy = relayed();
    lossy.mac.short_retry_limit = 1;
    lossy.mac.long_retry_limit = 1;
    let found = arrivals(&lossy, &[(4, set("radio.error.per", 1.0)), (6, set("radio.error.per", 0.0))]);
    assert_eq!((found[3], found[5], found[8]), (10, 0, 10), "{found:?}");
    // Without RTS a packet takes two frames a hop in place of four.
    let mut config = relayed();
    config.mac.rts_threshold = Some(0);
    let frames = |threshold: f64| {
        let mut config = config.clone();
        config.events = vec![EventConfig { at: at(5), change: set("mac.rts_threshold", threshold) }];
        let mut world = World::new(&config, Log::default()).expect("a sound scenario");
        world.run_until(at(5));
        let before = world.frames();
        world.run_until(config.duration);
        world.frames() - before
    };
    let (with, without) = (frames(0.0), frames(2000.0));
    assert!(with > 390 && 10 * without < 6 * with, "{with}, {without}");
}

#[test]
fn what_no_change_can_be_is_named() {
    let config = relayed();
    let messages = |kind, set: &dyn Fn(&mut Change)| {
        let mut config = config.clone();
        let mut change = Change::of(kind);
        set(&mut change);
        config.events = vec![EventConfig { at: at(1), change }];
        hopscope_engine::world::check(&config).expect_err("refused").to_string()
    };
    for (found, expected) in [
        (
            messages(ChangeKind::NodeDown, &|c| c.node = Some(3)),
            "events.0.node: node 3 does not exist; nodes are 0 to 2",
        ),
        (messages(ChangeKind::NodeDown, &|_| {}), "events.0.node: is missing; kind = \"node-down\" needs it"),
        (messages(ChangeKind::LinkCut, &|c| (c.from, c.to) = (Some(1), Some(1))), "events.0.to: a link has two ends"),
        (
            messages(ChangeKind::LinkDegrade, &|c| (c.from, c.to, c.loss) = (Some(0), Some(1), Some(0.5))),
            "events.0.attenuation: is missing: they hear each other by radio",
        ),
        (
            messages(ChangeKind::Move, &|c| (c.node, c.position, c.speed) = (Some(0), Some([0.0; 2]), Some(0.0))),
            "events.0.speed: found 0 m/s; it must be above 0",
        ),
        (messages(ChangeKind::FlowStop, &|c| c.flow = Some(1)), "events.0.flow: flow 1 does not exist"),
        (
            messages(ChangeKind::Set, &|c| (c.key, c.value) = (Some("mac.slot".to_string()), Some(1.0))),
            "events.0.key: found \"mac.slot\"; in a run can change mac.rts_threshold",
        ),
        (
            messages(ChangeKind::Set, &|c| (c.key, c.value) = (Some("mac.cw_min".to_string()), Some(0.5))),
            "events.0.value: found 0.5; mac.cw_min is a whole number",
        ),
        (messages(ChangeKind::NodeUp, &|c| (c.node, c.rate) = (Some(0), Some(1.0))), "events.0.rate: does not belong"),
    ] {
        assert!(found.starts_with(expected), "{found} for {expected}");
    }
    let mut late = config.clone();
    late.events = vec![EventConfig { at: at(11), change: change(ChangeKind::NodeDown, |c| c.node = Some(0)) }];
    let found = hopscope_engine::world::check(&late).expect_err("refused").to_string();
    assert!(found.starts_with("events.0.at: found 11 s; the run ends at 10 s"), "{found}");
    let mut world = World::new(&config, Log::default()).expect("a sound scenario");
    world.run_until(at(3));
    let running = world.change(&change(ChangeKind::FlowStart, |c| c.flow = Some(0))).expect_err("refused").to_string();
    assert!(running.contains("flow 0 runs already"), "{running}");
}

#[test]
fn nodes_change_one_by_one() {
    let set = |node, key: &str, value| {
        change(ChangeKind::Set, |c| (c.node, c.key, c.value) = (node, Some(key.to_string()), Some(value)))
    };
    let mut config = relayed();
    config.radio.data_rate = 11_000_000;
    config.mac.rts_threshold = Some(3_000);
    let by_node = |change: Option<Change>| {
        let mut config = config.clone();
        config.events = change.map(|change| EventConfig { at: at(1), change }).into_iter().collect();
        let found = Simulation::new(config).expect("a sound scenario").run();
        let of_node = |node: usize| (found.nodes[node].rts_sent, found.nodes[node].airtime_s);
        (of_node(0), of_node(1))
    };
    let usual = by_node(None);
    assert_eq!((usual.0.0, usual.1.0), (0, 0));
    // Station 0 sends data alone: on the air for as long as before, whatever station 1 does.
    let slow = by_node(Some(set(Some(1), "radio.data_rate", 2_000_000.0)));
    assert_eq!(slow.0, usual.0);
    assert!(slow.1.1 > 3.0 * usual.1.1, "{slow:?} after {usual:?}");
    let asks = by_node(Some(set(Some(0), "mac.rts_threshold", 0.0)));
    assert!(asks.0.0 >= 90 && asks.1.0 == 0, "{asks:?}");
}

#[test]
fn a_queue_of_another_length_keeps_what_waits() {
    let mut config = relayed();
    // More than two hops carry.
    config.flows[0] = flow("standard", 0, 2, Transport::Udp, App::cbr(4e6));
    let longest = |limit: Option<f64>, node| {
        let mut run = Simulation::new(config.clone()).expect("a sound scenario");
        run.advance(Span::from_secs(5));
        let key = "mac.queue";
        if limit.is_some() {
            let change = change(ChangeKind::Set, |c| (c.node, c.key, c.value) = (node, Some(key.to_string()), limit));
            run.change(&change).expect("a sound change");
        }
        let before = run.results().nodes[0].queue_drops;
        let end = run.run();
        let node = &end.nodes[0];
        (node.queue_max, node.queue_drops - before)
    };
    let usual = longest(None, None);
    assert_eq!(usual.0, 50);
    assert_eq!(longest(Some(80.0), Some(0)).0, 80);
    assert_eq!(longest(Some(80.0), None).0, 80);
    // That of another node changes nothing here.
    assert_eq!(longest(Some(80.0), Some(2)), usual);
    // Those that wait already are sent.
    let shorter = longest(Some(10.0), Some(0));
    assert!(shorter.0 == 50 && shorter.1 >= usual.1, "{shorter:?} after {usual:?}");
}

#[test]
fn what_a_node_cannot_change_alone_is_refused() {
    let refused = |node, key: &str, value: f64| {
        let mut config = relayed();
        config.hosts = vec![HostConfig { wifi: false, ..HostConfig::of(&[2]) }];
        config.flows.clear();
        let world = World::new(&config, Log::default());
        let change = change(ChangeKind::Set, |c| (c.node, c.key, c.value) = (node, Some(key.to_string()), Some(value)));
        world.expect("a sound scenario").change(&change).expect_err("it is refused").to_string()
    };
    for (node, key, value, expected) in [
        (None, "radio.data_rate", 2e6, "node: is missing: nodes change radio.data_rate one by one"),
        (Some(0), "radio.error.per", 0.5, "node: radio.error.per is that of all nodes; leave node out"),
        (Some(2), "mac.queue", 7.0, "node: it has no 802.11 interface"),
        (Some(9), "mac.queue", 7.0, "node: node 9 does not exist; nodes are 0 to 2"),
        (Some(1), "mac.queue", 0.0, "value: "),
        (Some(1), "mac.cw_min", 2_047.0, "value: it makes the smallest contention window 2047"),
        // Faster frames need more above noise and interference than the air is reckoned for.
        (Some(1), "radio.data_rate", 11e6, "value: found 11000000 bit/s; in a run are allowed 1000000, 2000000"),
    ] {
        let found = refused(node, key, value);
        assert!(found.starts_with(expected), "{found} for {expected}");
    }
}

#[test]
fn what_qos_stations_do_not_follow_is_refused() {
    let refused = |key: &str, value: f64, set: &dyn Fn(&mut Config)| {
        let mut config = relayed();
        (config.mac.qos, config.mac.data_header) = (true, 30);
        set(&mut config);
        let change = change(ChangeKind::Set, |c| (c.key, c.value) = (Some(key.to_string()), Some(value)));
        config.events = vec![EventConfig { at: at(1), change }];
        hopscope_engine::world::check(&config).err().map(|found| found.to_string())
    };
    let windows = |config: &mut Config| {
        (config.mac.edca_cw_min, config.mac.edca_cw_max) = (vec![15, 15, 7, 3], vec![1_023, 1_023, 15, 7]);
    };
    for (key, value, set, why) in [
        (
            "long_retry_limit",
            3.0,
            (&|_: &mut Config| {}) as &dyn Fn(&mut Config),
            "QoS stations have mac.mpdu_retry_limit",
        ),
        ("short_retry_limit", 3.0, &|config| config.mac.retry_limit = Some(7), "mac.retry_limit is given"),
        ("cw_max", 63.0, &windows, "mac.edca_cw_max is given"),
        ("cw_min", 7.0, &windows, "mac.edca_cw_min and mac.edca_cw_max are given"),
    ] {
        let expected = format!("events.0.key: found \"mac.{key}\", which has no effect: {why}");
        let found = refused(&format!("mac.{key}"), value, set).unwrap_or_default();
        assert!(found.starts_with(&expected), "{found} for {expected}");
    }
    // Of the categories two have their largest window from the smallest of all.
    let found = refused("mac.cw_min", 63.0, &|config| config.mac.edca_cw_max = vec![1_023, 1_023, 31, 31]);
    let expected = "events.0.value: it makes the smallest contention window 31 and the largest 31";
    assert!(found.as_deref().is_none_or(|found| !found.starts_with(expected)), "half of 64, less 1, is 31");
    let found = refused("mac.cw_min", 127.0, &|config| config.mac.edca_cw_max = vec![1_023, 1_023, 31, 31]);
    let expected = "events.0.value: it makes the smallest contention window 63 and the largest 31 slots";
    assert!(found.as_deref().is_some_and(|found| found.starts_with(expected)), "{found:?}");
    for (key, value) in [("rts_threshold", 100.0), ("cw_min", 7.0), ("cw_max", 127.0), ("short_retry_limit", 3.0)] {
        assert_eq!(refused(&format!("mac.{key}"), value, &|_| {}), None);
    }
}

#[test]
fn qos_stations_follow_the_parameters_that_change() {
    let set = |key: &str, value| change(ChangeKind::Set, |c| (c.key, c.value) = (Some(key.to_string()), Some(value)));
    let mut config = relayed();
    (config.mac.qos, config.mac.data_header, config.mac.rts_threshold) = (true, 30, Some(0));
    let frames = |changes: &[Change]| {
        let mut world = World::new(&config, Log::default()).expect("a sound scenario");
        world.run_until(at(5));
        changes.iter().for_each(|one| world.change(one).expect("a sound change"));
        let before = world.frames();
        world.run_until(config.duration);
        world.frames() - before
    };
    let with = frames(&[]);
    assert!(with > 390 && 10 * frames(&[set("mac.rts_threshold", 2_000.0)]) < 6 * with, "no RTS, no CTS");
    // Every frame is lost: each of 50 packets is tried so often, and goes no further.
    let lost = |limit| frames(&[set("radio.error.per", 1.0), set("mac.short_retry_limit", limit)]);
    assert_eq!(lost(3.0) - lost(1.0), 100);
}
