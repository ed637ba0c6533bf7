//! Frames for others: what is learned from them, and routes that they shorten.

use crate::config::dsr::DsrConfig;
use crate::routing::tests::net::{Line, Net, Place, ms};
use hopscope_core::units::{Span, Time};
use hopscope_packet::dsr::DsrMessage;
use hopscope_packet::routing::RoutingMessage;

fn linked(nodes: usize, links: &[(usize, usize)], cfg: &DsrConfig) -> Net {
    Net::linked(nodes, links, &DsrConfig { broadcast_jitter: Span::ZERO, ..cfg.clone() })
}

/// A chain 0 to 3 with node 4 next to node 1, after a packet from 0 to 3.
fn with_a_bystander(cfg: &DsrConfig) -> Net {
    let mut net = linked(5, &[(0, 1), (1, 2), (2, 3), (1, 4)], cfg);
    net.send_at(ms(0), 0, 3);
    net.run(ms(100));
    net
}

#[test]
fn a_node_next_to_a_route_learns_it_from_reply_and_packet() {
    assert_eq!(with_a_bystander(&DsrConfig::default()).path(4, 3), Some(vec![4, 1, 2, 3]));
    let deaf = DsrConfig { promiscuous: false, ..DsrConfig::default() };
    assert_eq!(with_a_bystander(&deaf).path(4, 3), None);
}

#[test]
fn an_overheard_packet_reports_its_whole_route_in_both_directions() {
    // Node 4 comes next to node 2 when the search is over.
    let mut net = linked(5, &[(0, 1), (1, 2), (2, 3)], &DsrConfig::default());
    net.send_at(ms(0), 0, 3);
    net.run(ms(100));
    assert_eq!(net.path(4, 0), None);
    net.set_link(2, 4, true);
    net.send_at(ms(100), 0, 3);
    net.run(ms(110));
    assert_eq!((net.path(4, 0), net.path(4, 3)), (Some(vec![4, 2, 1, 0]), Some(vec![4, 2, 3])));
}

#[test]
fn an_overheard_error_takes_the_link_from_the_cache() {
    let mut net = with_a_bystander(&DsrConfig::default());
    net.set_link(2, 3, false);
    net.send_at(ms(100), 0, 3);
    net.run(ms(108));
    // Node 2 gives up at 107 ms and notifies node 1 at 108 ms, which node 4 does not hear.
    assert_eq!(net.path(4, 3), Some(vec![4, 1, 2, 3]));
    net.run(ms(109));
    assert_eq!((net.path(4, 3), net.path(4, 2)), (None, Some(vec![4, 1, 2])));
}

#[test]
fn a_held_packet_leaves_when_a_route_is_overheard() {
    let mut net = with_a_bystander(&DsrConfig { nonpropagating_request: false, ..DsrConfig::default() });
    net.set_link(1, 4, false);
    net.run(ms(400_000));
    assert_eq!(net.path(4, 3), None, "it has expired");
    let packet = net.send_at(ms(400_000), 4, 3);
    net.run(ms(400_100));
    assert_eq!(net.held(4), 1);
    net.set_link(1, 4, true);
    net.send_at(ms(400_100), 0, 3);
    net.run(ms(400_120));
    assert_eq!(net.packet(packet).trail, [4, 1, 2, 3], "long before the next request");
}

/// A chain 0 to 4 in whose middle node 3 comes near node 1.
fn shortcut(cfg: &DsrConfig) -> Net {
    let mut net = linked(5, &[(0, 1), (1, 2), (2, 3), (3, 4)], cfg);
    net.send_at(ms(0), 0, 4);
    net.run(ms(100));
    assert_eq!(net.path(0, 4), Some(vec![0, 1, 2, 3, 4]));
    net.set_link(1, 3, true);
    net
}

/// Routes reported by node 3 since an instant, with the neighbour they are reported to.
fn reported(net: &Net, since: Time) -> Vec<(Time, Option<u32>, Vec<u32>)> {
    let reported = |(at, node, line): &(Time, u32, Line)| match line {
        Line::Sent { message: RoutingMessage::Dsr(DsrMessage::RouteReply(reply)), to, .. }
            if *node == 3 && *at >= since =>
        {
            Some((*at, *to, reply.route.iter().map(|node| node.0).collect()))
        }
        _ => None,
    };
    net.log.iter().filter_map(reported).collect()
}

#[test]
fn a_node_later_on_a_route_shortens_it() {
    let mut net = shortcut(&DsrConfig::default());
    let first = net.send_at(ms(100), 0, 4);
    net.run(ms(150));
    // Node 3 hears node 1 at 102 ms.
    assert_eq!(reported(&net, ms(100)), [(ms(102), Some(1), vec![0, 1, 3, 4])]);
    assert_eq!(net.packet(first).trail, [0, 1, 2, 3, 4], "it is on its way already");
    assert_eq!(net.path(0, 4), Some(vec![0, 1, 3, 4]));
    let second = net.send_at(ms(150), 0, 4);
    net.run(ms(200));
    assert_eq!((net.place(second), &net.packet(second).trail[..]), (Place::Delivered, &[0, 1, 3, 4][..]));
}

#[test]
fn shortening_can_be_off() {
    let mut net = shortcut(&DsrConfig { route_shortening: false, ..DsrConfig::default() });
    net.send_at(ms(100), 0, 4);
    net.run(ms(150));
    assert_eq!(reported(&net, ms(100)), []);
    assert_eq!(net.path(3, 0), Some(vec![3, 1, 0]), "it has learned of the link");
}

#[test]
fn a_writer_is_reported_once_in_the_holdoff() {
    // Packets every 50 ms; the reply does not come back, as node 1 hears nothing of node 3.
    let reported_in = |holdoff| {
        let mut net = shortcut(&DsrConfig { grat_reply_holdoff: Span::from_millis(holdoff), ..DsrConfig::default() });
        net.links[3][1] = false;
        for packet in 0..10 {
            net.send_at(ms(100 + 50 * packet), 0, 4);
        }
        net.run(ms(600));
        reported(&net, ms(100)).len()
    };
    assert_eq!((reported_in(0), reported_in(120), reported_in(1_000)), (10, 4, 1));
}
