//! Two radios a node: peerings of each, and paths that keep the radio that they were found by.

use super::quick;
use crate::config::hwmp::HwmpConfig;
use crate::routing::tests::net::{Line, Net, Place, ms};
use crate::routing::{RouteLoss, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use hopscope_packet::hwmp::HwmpMessage;
use hopscope_packet::routing::RoutingMessage;

/// A chain of nodes with two radios each. `apart`: links that are not there on one channel.
fn chain(nodes: usize, apart: &[(usize, usize, u8)], cfg: &HwmpConfig) -> Net {
    let mut net = Net::with_radios(2, std::iter::repeat_n(cfg, nodes), 1);
    for node in 1..nodes {
        net.set_link(node - 1, node, true);
    }
    for &(a, b, radio) in apart {
        net.set_channel(a, b, radio, 1.0);
    }
    net.run(ms(1_000));
    net
}

/// Radios and next hops of replies that were sent since an instant.
fn replies(net: &Net, since: Time) -> Vec<(u32, Option<u32>, Option<u8>)> {
    let of = |(at, node, line): &(Time, u32, Line)| match line {
        Line::Sent { message: RoutingMessage::Hwmp(HwmpMessage::Prep(_)), to, radio, .. } if *at >= since => {
            Some((*node, *to, *radio))
        }
        _ => None,
    };
    net.log.iter().filter_map(of).collect()
}

#[test]
fn each_radio_has_its_peerings_and_counts_them() {
    let net = chain(3, &[(0, 1, 1)], &quick());
    let last = |node: u32, radio: u8| {
        let of = |(_, by, line): &(Time, u32, Line)| match line {
            Line::Sent { message: RoutingMessage::Hwmp(HwmpMessage::Beacon(beacon)), radio: by_radio, .. } => {
                (*by == node && *by_radio == Some(radio)).then_some(beacon.peerings)
            }
            _ => None,
        };
        net.log.iter().rev().find_map(of).expect("a beacon")
    };
    let peerings = [0, 1, 2].map(|node| [last(node, 0), last(node, 1)]);
    assert_eq!(peerings, [[1, 0], [2, 1], [1, 1]]);
}

#[test]
fn a_path_changes_the_channel_where_its_links_do() {
    // 0 and 1 share the second channel alone, 1 and 2 the first.
    for second in [0, 1] {
        let mut net = chain(3, &[(0, 1, 1 - second), (1, 2, second)], &quick());
        let packets = [net.send_at(ms(1_000), 0, 2), net.send_at(ms(1_100), 0, 2)];
        net.run(ms(1_200));
        let by = [Some(second), Some(1 - second)];
        assert_eq!(replies(&net, ms(1_000)), [(2, Some(1), by[1]), (1, Some(0), by[0])], "replies go back by the same");
        for packet in packets {
            assert_eq!((net.place(packet), &net.packet(packet).radios[..]), (Place::Delivered, &by[..]));
        }
    }
}

#[test]
fn a_radio_that_fails_takes_its_paths_and_leaves_those_of_the_other() {
    let cfg = HwmpConfig { max_packet_failures: Some(1), ..quick() };
    let mut net = chain(2, &[], &cfg);
    let first = net.send_at(ms(1_000), 0, 1);
    net.run(ms(1_100));
    assert_eq!((net.place(first), &net.packet(first).radios[..]), (Place::Delivered, &[Some(0)][..]));
    net.set_channel(0, 1, 0, 1.0);
    let lost = net.send_at(ms(1_100), 0, 1);
    let next = net.send_at(ms(1_150), 0, 1);
    net.run(ms(1_300));
    let down = RoutingNote::RouteDown { dst: NodeId(1), cause: RouteLoss::LinkLost };
    assert!(net.noted(0, down).is_some() && matches!(net.place(lost), Place::Dropped(_)));
    assert_eq!((net.place(next), &net.packet(next).radios[..]), (Place::Delivered, &[Some(1)][..]));
}
