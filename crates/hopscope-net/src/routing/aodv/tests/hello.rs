//! HELLOs: who sends them, what they find and what they miss.

use super::chain;
use crate::config::aodv::{AodvConfig, Detection, HelloSenders};
use crate::routing::RoutingNote;
use crate::routing::tests::net::{Place, ms};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;
use hopscope_packet::DropReason;

fn hello() -> AodvConfig {
    AodvConfig { detection: Detection::Hello, hello_jitter: Span::ZERO, expanding_ring: false, ..AodvConfig::default() }
}

#[test]
fn a_neighbour_is_lost_after_the_allowed_losses() {
    let mut net = chain(2, &AodvConfig { hello_senders: HelloSenders::All, ..hello() });
    net.run(ms(3000));
    assert_eq!(net.path(0, 1), Some(vec![0, 1]), "a HELLO makes a route");
    let last = net.sent("hello").into_iter().filter(|l| l.1 == 1).map(|l| l.0).max().expect("HELLOs of node 1");
    net.link_at(ms(3000), 0, 1, false);
    net.run(ms(6000));
    // Heard 1 ms after it was sent; 2 x 1 s later the link is gone.
    let lost = net.noted(0, RoutingNote::LinkLost { neighbour: NodeId(1) }).expect("the link is lost");
    assert_eq!(lost, last + Span::from_millis(2001));
    assert_eq!(net.path(0, 1), None);
}

#[test]
fn hellos_come_once_per_interval_and_broadcasts_replace_them() {
    let mut net = chain(2, &AodvConfig { hello_senders: HelloSenders::All, ..hello() });
    net.run(ms(5000));
    let of_0: Vec<_> = net.sent("hello").into_iter().filter(|l| l.1 == 0).map(|l| l.0).collect();
    assert_eq!(of_0.len(), 5);
    assert!(of_0.windows(2).all(|pair| pair[1] - pair[0] == Span::from_secs(1)));
    // A request 400 ms after a HELLO moves the next one to 1 s after the request.
    let request = of_0[4] + Span::from_millis(400);
    net.send_at(request, 0, 7);
    net.run(ms(6999));
    let next = net.sent("hello").into_iter().find(|l| l.1 == 0 && l.0 > request).expect("a HELLO").0;
    assert_eq!(next, request + Span::from_secs(1));
}

#[test]
fn only_nodes_in_use_say_hello_when_so_reported() {
    let mut net = chain(3, &hello());
    net.run(ms(5000));
    assert_eq!(net.sent("hello"), []);
    net.send_at(ms(5000), 0, 1);
    net.run(ms(6500));
    let senders: Vec<_> = net.sent("hello").into_iter().map(|l| l.1).collect();
    assert!(senders.contains(&0) && senders.contains(&1) && !senders.contains(&2), "{senders:?}");
    net.run(ms(20_000));
    assert!(net.sent("hello").iter().all(|l| l.0 < ms(9200)), "silence after the route's lifetime");
}

#[test]
fn the_mac_is_not_believed() {
    let mut net = chain(2, &AodvConfig { hello_senders: HelloSenders::All, ..hello() });
    net.run(ms(2000));
    net.link_at(ms(2000), 0, 1, false);
    net.link_at(ms(2010), 0, 1, true);
    let lost = net.send_at(ms(2001), 0, 1);
    let next = net.send_at(ms(2020), 0, 1);
    net.run(ms(2100));
    assert_eq!(net.place(lost), Place::Dropped(DropReason::LinkFailed));
    assert_eq!(net.place(next), Place::Delivered, "the route stays up");
}

#[test]
fn data_keeps_a_neighbour_only_where_the_set_says_so() {
    let silent_after_3_s = |data_refreshes_neighbour| {
        let cfg = AodvConfig { data_refreshes_neighbour, hello_senders: HelloSenders::All, ..hello() };
        let mut net = chain(2, &cfg);
        for at in (1500..10_000).step_by(100) {
            net.send_at(ms(at), 1, 0);
        }
        net.run(ms(3000));
        // From here all HELLOs are lost on the air, and data is not.
        net.loss = 1.0;
        net.run(ms(9900));
        net.noted(0, RoutingNote::LinkLost { neighbour: NodeId(1) }).is_some()
    };
    assert!(silent_after_3_s(false));
    assert!(!silent_after_3_s(true));
}
