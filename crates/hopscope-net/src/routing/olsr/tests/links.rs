//! Links that are one-sided, lossy or reported broken.

use crate::config::olsr::OlsrConfig;
use crate::routing::RoutingNote;
use crate::routing::tests::net::{FRAME, Line, Net, ms};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;
use hopscope_packet::DropReason;
use hopscope_packet::olsr::{LinkType, NeighbourType};

fn lost(neighbour: u32) -> RoutingNote {
    RoutingNote::LinkLost { neighbour: NodeId(neighbour) }
}

#[test]
fn a_one_sided_link_is_heard_but_not_used() {
    let mut net = Net::new(2, &OlsrConfig::set("olsr-unik").expect("a set"), 1);
    net.links[1][0] = true;
    net.run(ms(20_000));
    let code =
        |node: u32| net.hellos(node).pop().expect("HELLOs").1.links.first().map(|l| (l.code.link, l.code.neighbour));
    assert_eq!((code(0), code(1)), (Some((LinkType::Asymmetric, NeighbourType::Not)), None));
    assert_eq!(net.path(0, 1), None);
}

#[test]
fn under_hysteresis_a_link_needs_three_packets_and_falls_after_two_silences() {
    let cfg = OlsrConfig::default();
    let mut net = Net::chain(2, &cfg);
    net.run(ms(20_000));
    // With 0.5, 0.75, 0.875 the third packet of 1 takes its link into use at 0, which then shows it.
    let third = net.hellos(1)[2].0 + FRAME;
    let first_shown = net.hellos(0).into_iter().find(|h| !h.1.links.is_empty()).expect("shown").0;
    let next = net.hellos(0).into_iter().map(|h| h.0).find(|&at| at > third).expect("HELLOs");
    assert_eq!(first_shown, next);
    assert_eq!(net.path(0, 1), Some(vec![0, 1]));
    // From 20 s on everything is lost. The quality is nearly 1, so two silences of 3 s halve it below 0.3.
    net.loss = 1.0;
    let last = net.hellos(1).pop().expect("HELLOs").0 + FRAME;
    net.run(ms(40_000));
    assert_eq!(net.noted(0, lost(1)), Some(last + Span::from_secs(6)));
}

#[test]
fn hysteresis_gives_up_sooner_where_hellos_come_more_often_than_the_hold_time_asks() {
    let base = OlsrConfig { neighb_hold_time: Span::from_secs(20), ..OlsrConfig::default() };
    let lost_after = |hysteresis| {
        let mut net = Net::chain(2, &OlsrConfig { hysteresis, ..base.clone() });
        net.run(ms(30_000));
        net.loss = 1.0;
        let last = net.hellos(1).pop().expect("HELLOs").0 + FRAME;
        net.run(ms(80_000));
        net.noted(0, lost(1)).expect("lost") - last
    };
    assert_eq!(lost_after(false), Span::from_secs(20));
    assert_eq!(lost_after(true), Span::from_secs(6));
}

#[test]
fn the_mac_is_believed_only_where_reported() {
    for link_layer_detection in [false, true] {
        let set = OlsrConfig::set("olsr-unik").expect("a set");
        let mut net = Net::chain(2, &OlsrConfig { link_layer_detection, ..set });
        net.run(ms(20_000));
        let before = net.log.len();
        let packet = net.give_up(0, 1);
        assert_eq!(net.log[before].2, Line::Dropped { packet, reason: DropReason::LinkFailed });
        let reported = link_layer_detection.then_some(ms(20_000));
        assert_eq!(net.noted(0, lost(1)), reported);
        assert_eq!(net.path(0, 1).is_none(), link_layer_detection);
        if link_layer_detection {
            // 0 says so in its next HELLO, and 1 gives the link up too. After the hold time they meet again.
            net.run(ms(22_100));
            let hello = net.hellos(0).pop().expect("HELLOs").1;
            assert_eq!(hello.links.first().map(|l| l.code.link), Some(LinkType::Lost));
            assert!(net.noted(1, lost(0)).is_some());
            net.run(ms(25_900));
            assert_eq!(net.path(0, 1), None);
            net.run(ms(31_000));
            assert_eq!(net.path(0, 1), Some(vec![0, 1]));
        }
    }
}
