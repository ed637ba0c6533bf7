//! Timelines of a link.

use super::link::{Event, Link, Said, State};
use crate::config::hwmp::HwmpConfig;
use crate::routing::RoutingNote;
use crate::routing::tests::net::{Net, ms};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};

const TIMEOUT: Span = Span::from_millis(40);

fn cfg() -> HwmpConfig {
    let (retry_timeout, confirm_timeout, holding_timeout) = (TIMEOUT, TIMEOUT, TIMEOUT);
    HwmpConfig {
        beacon_interval: Span::from_millis(100),
        retry_timeout,
        confirm_timeout,
        holding_timeout,
        ..HwmpConfig::default()
    }
}

/// What a link does with these events, and where it ends.
fn step(link: &mut Link, event: Event, at: u64) -> (State, Vec<Said>) {
    let said = link.step(event, &cfg(), ms(at));
    (link.state, said)
}

#[test]
fn both_sides_open_and_confirm() {
    for order in [[Event::Open, Event::Confirm], [Event::Confirm, Event::Open]] {
        let mut link = Link::default();
        assert_eq!(step(&mut link, Event::Begin, 0), (State::OpenSent, vec![Said::Open]));
        for event in order {
            step(&mut link, event, 1);
        }
        assert_eq!((link.state, link.deadline), (State::Established, Time::NEVER));
    }
    let mut asked = Link::default();
    assert_eq!(step(&mut asked, Event::Open, 0), (State::OpenReceived, vec![Said::Open, Said::Confirm]));
    assert_eq!(step(&mut asked, Event::Confirm, 1), (State::Established, vec![]));
    assert_eq!(step(&mut asked, Event::Open, 2), (State::Established, vec![Said::Confirm]), "the answer was lost");
}

#[test]
fn a_link_without_an_answer_is_given_up_after_its_retries() {
    let mut link = Link::default();
    step(&mut link, Event::Begin, 0);
    for at in [40, 80] {
        assert_eq!(link.deadline, ms(at));
        assert_eq!(step(&mut link, Event::Timeout, at), (State::OpenSent, vec![Said::Open]));
    }
    assert_eq!(step(&mut link, Event::Timeout, 120), (State::Holding, vec![Said::Close(56)]));
    assert_eq!(step(&mut link, Event::Open, 130), (State::Holding, vec![Said::Close(52)]), "not before its time");
    assert_eq!(link.deadline, ms(160));
    assert_eq!(step(&mut link, Event::Timeout, 160), (State::Idle, vec![]));
}

#[test]
fn a_confirmed_link_waits_for_the_open_frame_of_the_other_side() {
    let mut link = Link::default();
    step(&mut link, Event::Begin, 0);
    assert_eq!(step(&mut link, Event::Confirm, 10), (State::ConfirmReceived, vec![]));
    assert_eq!(link.deadline, ms(50));
    assert_eq!(step(&mut link, Event::Timeout, 50), (State::Holding, vec![Said::Close(57)]));
    assert_eq!(step(&mut link, Event::Close, 60), (State::Idle, vec![]), "the other side has closed it, too");
}

#[test]
fn closing_goes_both_ways() {
    for (event, reason) in [(Event::Close, 55), (Event::Cancel, 52)] {
        let mut link = Link { state: State::Established, ..Link::default() };
        assert_eq!(step(&mut link, event, 0), (State::Holding, vec![Said::Close(reason)]));
        assert_eq!(step(&mut link, event, 5).0, if event == Event::Close { State::Idle } else { State::Holding });
    }
}

/// Instants of the peering frames of two nodes that hear each other from `ms(0)` on, by kind.
fn frames(net: &Net, kind: &str) -> Vec<(Time, u32)> {
    net.sent(kind).into_iter().map(|(at, from, ..)| (at, from)).collect()
}

#[test]
fn two_nodes_peer_with_the_first_beacon_and_stay() {
    let mut net = Net::linked(2, &[(0, 1)], &cfg());
    net.run(ms(5_000));
    let first = net.sent("beacon")[0];
    // A frame takes 1 ms: the beacon, an Open, and what answers.
    let (received, hearer) = (first.0 + Span::from_millis(1), 1 - first.1);
    let beacons = frames(&net, "beacon").into_iter().filter(|one| one.1 == 0).map(|one| one.0).collect::<Vec<_>>();
    assert!(beacons.len() >= 49 && beacons.windows(2).all(|pair| pair[1] == pair[0] + Span::from_millis(100)));
    let opens = frames(&net, "open");
    assert_eq!(opens[0], (received, hearer));
    assert_eq!((opens.len(), frames(&net, "confirm").len(), frames(&net, "close").len()), (2, 2, 0));
}

#[test]
fn a_link_closes_when_beacons_are_missing() {
    for (most, lost) in [(Some(2), true), (None, false)] {
        let mut net = Net::linked(2, &[(0, 1)], &HwmpConfig { max_beacon_loss: most, ..cfg() });
        net.run(ms(1_000));
        net.set_link(0, 1, false);
        net.run(ms(1_500));
        let last = frames(&net, "beacon").into_iter().rfind(|one| one.1 == 1 && one.0 < ms(1_000)).expect("beacons");
        let noted = net.noted(0, RoutingNote::LinkLost { neighbour: NodeId(1) });
        // The field counts in TU: 97 for 100 ms. The frame takes 1 ms.
        let gone = last.0 + Span::from_millis(1) + Span::from_micros(2 * 97 * 1_024);
        assert_eq!(noted, lost.then_some(gone));
    }
}

#[test]
fn a_link_closes_after_so_many_packets_given_up_in_a_row() {
    let mut net = Net::linked(2, &[(0, 1)], &HwmpConfig { max_packet_failures: Some(3), ..cfg() });
    net.run(ms(1_000));
    let path = net.send_at(ms(1_000), 0, 1);
    net.run(ms(1_100));
    assert_eq!(net.place(path), crate::routing::tests::net::Place::Delivered);
    net.set_link(0, 1, false);
    for at in [1_100, 1_120, 1_140, 1_160] {
        net.send_at(ms(at), 0, 1);
    }
    net.run(ms(1_180));
    // Each attempt ends after 5 ms.
    assert_eq!(net.noted(0, RoutingNote::LinkLost { neighbour: NodeId(1) }), Some(ms(1_145)));
}

#[test]
fn a_link_closes_when_most_packets_fail_or_the_neighbour_is_silent() {
    let average = HwmpConfig { max_failure_average: 0.95, ..cfg() };
    let mut net = Net::linked(2, &[(0, 1)], &average);
    net.run(ms(1_000));
    net.send_at(ms(1_000), 0, 1);
    net.run(ms(1_100));
    net.set_link(0, 1, false);
    for n in 0..20 {
        net.send_at(ms(1_100 + 10 * n), 0, 1);
    }
    net.run(ms(1_400));
    // 1 - 0.8^n exceeds 0.95 from the 14th on: 0.8^13 is 0.055, 0.8^14 is 0.044.
    assert_eq!(net.noted(0, RoutingNote::LinkLost { neighbour: NodeId(1) }), Some(ms(1_100 + 10 * 13 + 5)));

    let silent = HwmpConfig { peer_timeout: Span::from_secs(2), ..cfg() };
    let mut net = Net::linked(2, &[(0, 1)], &silent);
    net.run(ms(1_000));
    let last = frames(&net, "beacon").into_iter().rfind(|one| one.1 == 1).expect("beacons").0;
    net.set_link(0, 1, false);
    net.run(ms(4_000));
    let gone = last + Span::from_millis(2_001);
    assert_eq!(net.noted(0, RoutingNote::LinkLost { neighbour: NodeId(1) }), Some(gone));
}

#[test]
fn no_more_neighbours_than_allowed() {
    let cfgs = [1, 3, 3, 3].map(|max_peer_links| HwmpConfig { max_peer_links, ..cfg() });
    let mut net = Net::of(&cfgs, 1);
    for other in 1..4 {
        net.set_link(0, other, true);
    }
    net.run(ms(3_000));
    let of = |node: usize| match &net.nodes[node] {
        crate::routing::Router::Hwmp(hwmp) => hwmp.peers.established(0),
        other => unreachable!("{other:?}"),
    };
    assert_eq!((of(0), of(1) + of(2) + of(3)), (1, 1));
}
