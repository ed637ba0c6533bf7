//! The state Failure of zhang2006 (4.3) step by step: news of a failed route, timeouts, probes and their answers.

use super::*;
use crate::config::dccp::AdhocResume;

/// A transfer of 40 packets.
fn failing(cfg: DccpConfig, losses: Losses<'static>) -> Pipe<'static> {
    let mut pipe = Pipe::of(DccpControl::Adhoc, DccpConfig { adhoc_update: AdhocUpdate::PerRtt, ..cfg }, losses);
    pipe.input(0, |client, cx| client.on_send(40_000, cx));
    pipe.input(0, |client, cx| client.close(cx));
    pipe
}

fn notify(pipe: &mut Pipe<'_>, event: PathEvent) {
    pipe.input(0, |client, cx| client.on_path_event(event, cx));
}

/// Instants of packets without data from the client, until it closes.
fn probes(pipe: &Pipe<'_>) -> Vec<u64> {
    let is_probe = |line: &&String| line.contains("> Data") && !line.contains(" B");
    pipe.log.iter().filter(is_probe).map(|line| line.split(' ').next().unwrap().parse().unwrap()).collect()
}

/// The four packets that leave at 60 ms are lost, and the first four probes.
const GAP: Losses<'static> = &|client, kind, n| match kind {
    DccpType::Data => client && (2..=8).contains(&n),
    DccpType::DataAck => client && n == 3,
    _ => false,
};

#[test]
fn a_notice_of_a_failed_route_begins_the_probing_at_once() {
    let elfn = || DccpConfig { adhoc_elfn: true, ..DccpConfig::default() };
    let reported = |cfg| {
        let mut pipe = failing(cfg, GAP);
        pipe.run(75);
        assert!(probes(&pipe).is_empty(), "packets are under way");
        notify(&mut pipe, PathEvent::RouteFailed);
        pipe.run(5_000);
        assert!(pipe.completed);
        pipe
    };
    let (with, without) = (reported(elfn()), reported(DccpConfig::default()));
    let at = probes(&with);
    assert_eq!(at[0], 75, "the news itself");
    assert!(at.len() > 2 && at.windows(2).all(|pair| pair[1] - pair[0] == 200), "one each timeout: {at:?}");
    assert!(probes(&without)[0] > 200, "a timeout alone: {:?}", probes(&without));
    assert_eq!(with.ends[0].stats().map(|stats| stats.route_failures), Some(1));
    assert_eq!(with.ends[0].stats().map(|stats| stats.timeouts), Some(at.len() as u64 - 1), "the news is none");
    let data = |line: &&String| line.contains("> Data") && line.contains(" B");
    let between = |line: &&String| {
        let at_ms: u64 = line.split(' ').next().unwrap().parse().unwrap();
        (75..at[at.len() - 1] + 20).contains(&at_ms)
    };
    assert_eq!(with.log.iter().filter(data).filter(between).count(), 0, "no data until a probe is answered");
    let Some(resumed) =
        with.log.iter().filter(data).find(|line| line.starts_with(&format!("{} ", at[at.len() - 1] + 20)))
    else {
        panic!("data leaves with the answer: {:?}", with.log);
    };
    assert!(!resumed.contains("lost"));
}

#[test]
fn the_timeline_of_a_failure_with_notices() {
    let cfg = DccpConfig { adhoc_elfn: true, adhoc_resume: AdhocResume::Keep, ..DccpConfig::default() };
    let mut pipe = failing(cfg, NO_LOSS);
    pipe.run(75);
    let before = pipe.windows[pipe.windows.len() - 1];
    pipe.log.clear();
    notify(&mut pipe, PathEvent::RouteFailed);
    notify(&mut pipe, PathEvent::RouteFailed);
    pipe.run(94);
    // Acknowledgements of what was under way come, and end nothing.
    assert!(pipe.log[0].starts_with("75 > Data") && !pipe.log[0].contains(" B"), "{:?}", pipe.log);
    assert_eq!(pipe.log.iter().filter(|line| line.contains('>')).count(), 1, "one probe: {:?}", pipe.log);
    assert!(pipe.log.iter().any(|line| line.contains("< Ack")), "{:?}", pipe.log);
    pipe.run(95);
    assert!(pipe.log.iter().any(|line| line.starts_with("95 > Data") && line.ends_with("1000 B")), "{:?}", pipe.log);
    assert!(pipe.windows[pipe.windows.len() - 1] >= before, "the window was kept");
    pipe.run(5_000);
    assert_eq!((pipe.completed, pipe.delivered), (true, 40_000), "nothing was lost, what was under way came");
}

#[test]
fn other_notices_and_an_idle_end_begin_nothing() {
    let cfg = || DccpConfig { adhoc_elfn: true, ..DccpConfig::default() };
    for event in [PathEvent::RouteExpired, PathEvent::RouteFound, PathEvent::Queued, PathEvent::NoRoute] {
        let mut pipe = failing(cfg(), NO_LOSS);
        pipe.run(75);
        notify(&mut pipe, event);
        pipe.run(5_000);
        assert!(probes(&pipe).is_empty(), "{event:?}");
    }
    let mut idle = Pipe::of(DccpControl::Adhoc, cfg(), NO_LOSS);
    idle.input(0, |client, cx| client.on_send(2_000, cx));
    idle.run(5_000);
    notify(&mut idle, PathEvent::RouteFailed);
    idle.run(9_000);
    assert!(probes(&idle).is_empty(), "nothing to send");
    // Before the connection is open, and at controls that have no such state.
    let mut asking = failing(cfg(), NO_LOSS);
    notify(&mut asking, PathEvent::RouteFailed);
    asking.run(5_000);
    assert!(asking.completed && probes(&asking).is_empty());
    for control in [DccpControl::Ccid2, DccpControl::Ccid3, DccpControl::Ccid4] {
        let run = |event: Option<PathEvent>| {
            let mut pipe = Pipe::of(control, cfg(), NO_LOSS);
            pipe.input(0, |client, cx| client.on_send(40_000, cx));
            pipe.run(75);
            event.into_iter().for_each(|event| notify(&mut pipe, event));
            pipe.run(2_000);
            pipe.log
        };
        assert_eq!(run(Some(PathEvent::RouteFailed)), run(None), "{control:?}");
    }
}

#[test]
fn reliable_data_under_way_is_repeated_once_a_probe_reports_what_came() {
    let cfg = DccpConfig { adhoc_elfn: true, reliable: true, ..DccpConfig::default() };
    let mut pipe = failing(cfg, GAP);
    pipe.run(75);
    notify(&mut pipe, PathEvent::RouteFailed);
    pipe.run(10_000);
    assert_eq!((pipe.delivered, pipe.completed), (40_000, true), "{:?}", pipe.log);
    assert!(pipe.log.iter().any(|line| line.ends_with("again")), "{:?}", pipe.log);
}

#[test]
fn the_four_states_of_the_design_with_notices() {
    // Normal; a loss halves (Congestion); news stops the data (Failure); the answer begins anew (Normal).
    let four = DccpConfig {
        adhoc_states: AdhocStates::Four,
        adhoc_elfn: true,
        adhoc_resume: AdhocResume::Rate,
        ..DccpConfig::default()
    };
    let losses: Losses<'_> = &|client, kind, n| client && kind == DccpType::Data && n == 9;
    let mut pipe = Pipe::of(DccpControl::Adhoc, four, losses);
    pipe.input(0, |client, cx| client.on_send(u64::MAX, cx));
    pipe.run(500);
    let cut = pipe.windows.windows(2).find(|pair| pair[1] < pair[0]).expect("a cut");
    assert_eq!(cut[1], (cut[0] / 2.0).max(1.0), "Congestion");
    let window = pipe.windows[pipe.windows.len() - 1];
    notify(&mut pipe, PathEvent::RouteFailed);
    assert_eq!(pipe.ends[0].window().map(|(.., flight)| flight), Some(0.0), "Failure: what was under way is given up");
    let sent = pipe.counts[0][DccpType::Data as usize] + pipe.counts[0][DccpType::DataAck as usize];
    pipe.run(519);
    let probed = pipe.counts[0][DccpType::Data as usize] + pipe.counts[0][DccpType::DataAck as usize];
    assert_eq!(probed, sent, "the probe has left, nothing else does");
    pipe.run(521);
    assert!(pipe.ends[0].window().is_some_and(|(cwnd, _, flight)| cwnd >= window && flight > 0.0), "Normal");
}
