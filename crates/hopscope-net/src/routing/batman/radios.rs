//! Two radios a node under both algorithms: what goes by which, and paths that change the channel from hop to hop.

use crate::config::{BatmanIvConfig, BatmanVConfig};
use crate::routing::Router;
use crate::routing::tests::net::{Constants, Line, Net, Place, ms};
use hopscope_core::ids::NodeId;
use hopscope_packet::batman::BatmanMessage;
use hopscope_packet::routing::RoutingMessage;

fn v() -> BatmanVConfig {
    BatmanVConfig { throughput_override: Some(100_000_000), elp_probes: 1, ..BatmanVConfig::default() }
}

/// A chain whose links are there on both channels, after 100 s.
fn chain<C: Constants>(nodes: usize, cfg: &C) -> Net {
    let mut net = Net::with_radios(2, std::iter::repeat_n(cfg, nodes), 1);
    for node in 1..nodes {
        net.set_link(node - 1, node, true);
    }
    net.run(ms(100_000));
    net
}

/// Messages that a node sent after 70 s, by one radio.
fn said(net: &Net, node: u32, radio: u8) -> Vec<&BatmanMessage> {
    let of = |(at, by, line): &'_ (_, u32, Line)| {
        *by == node && *at > ms(70_000) && matches!(line, Line::Sent { radio: by, .. } if *by == Some(radio))
    };
    let message = |line| match line {
        &Line::Sent { message: RoutingMessage::Batman(ref message), .. } => Some(message),
        _ => None,
    };
    net.log.iter().filter(|line| of(line)).filter_map(|line| message(&line.2)).collect()
}

/// The radios by which a packet goes from end to end.
fn radios(net: &mut Net, dst: usize) -> Vec<u8> {
    let packet = net.send_at(net.now, 0, dst);
    net.run(net.now + hopscope_core::units::Span::from_secs(1));
    assert_eq!(net.place(packet), Place::Delivered);
    net.packet(packet).radios.iter().map(|radio| radio.expect("a choice")).collect()
}

#[test]
fn data_changes_the_channel_at_each_hop() {
    fn changes<C: Constants>(cfg: &C) {
        let by = radios(&mut chain(4, cfg), 3);
        assert!(by.len() == 3 && by.windows(2).all(|pair| pair[0] != pair[1]), "{by:?}");
    }
    changes(&BatmanIvConfig::default());
    changes(&v());
}

#[test]
fn a_change_of_the_radio_costs_one_penalty_where_the_same_one_costs_two() {
    let net = chain(4, &BatmanIvConfig::default());
    let tq = |dst| match &net.nodes[0] {
        Router::BatmanIv(batman) => batman.tq(NodeId(dst)).unwrap_or(0),
        other => panic!("{other:?}"),
    };
    // 255 x (225/255)^hops; with one radio 198 and 153. Echoes that are not there yet take up to 6 off each link.
    for (dst, expected) in [(1, 255), (2, 225), (3, 198)] {
        assert!(tq(dst) <= expected && tq(dst) >= expected - 6 * dst as u8, "{dst}: {} for {expected}", tq(dst));
    }
    let net = chain(4, &v());
    let throughput = |dst| match &net.nodes[0] {
        Router::BatmanV(batman) => batman.throughput(NodeId(dst)),
        other => panic!("{other:?}"),
    };
    // 1000 x 225/255, rounded down, and once more; with one radio 500 and 250.
    assert_eq!([1, 2, 3].map(throughput), [Some(1000), Some(882), Some(778)]);
}

#[test]
fn an_echo_goes_by_the_radio_that_the_ogm_came_by_alone() {
    let mut net = Net::with_radios(2, std::iter::repeat_n(&BatmanIvConfig::default(), 3), 1);
    net.set_link(0, 1, true);
    net.set_link(1, 2, true);
    // 0 is there on the first channel alone, 2 on the second.
    net.set_channel(0, 1, 1, 1.0);
    net.set_channel(1, 2, 0, 1.0);
    net.run(ms(100_000));
    let ogms = |radio: u8, origin: u32| {
        let of = |message: &BatmanMessage| match message {
            BatmanMessage::Ogm(ogms) => {
                ogms.iter().filter(|ogm| ogm.origin.0 == origin).map(|ogm| ogm.flags.direct_link).collect()
            }
            _ => Vec::new(),
        };
        said(&net, 1, radio).into_iter().flat_map(of).collect::<Vec<bool>>()
    };
    for (radio, near, far) in [(0, 0, 2), (1, 2, 0)] {
        let (echoes, on) = (ogms(radio, near), ogms(radio, far));
        assert!((28..=32).contains(&echoes.len()) && echoes.iter().all(|direct| *direct), "{echoes:?}");
        assert!((28..=32).contains(&on.len()) && on.iter().all(|direct| !direct), "{on:?}");
        assert!((28..=32).contains(&ogms(radio, 1).len()), "its own, once a second by each");
    }
    assert_eq!(radios(&mut net, 2), [0, 1]);
}

#[test]
fn throughput_ogms_and_probes_go_where_somebody_needs_them() {
    let mut net = Net::with_radios(2, std::iter::repeat_n(&v(), 3), 1);
    net.set_link(0, 1, true);
    net.set_link(1, 2, true);
    net.set_channel(0, 1, 1, 1.0);
    net.set_channel(1, 2, 0, 1.0);
    net.run(ms(100_000));
    let origins = |node, radio| {
        let of = |message: &BatmanMessage| match message {
            BatmanMessage::Ogm2(ogms) => ogms.iter().map(|ogm| ogm.origin.0).collect(),
            _ => Vec::new(),
        };
        let mut found: Vec<u32> = said(&net, node, radio).into_iter().flat_map(of).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    // What comes from the only neighbour of a channel does not go back there, and nobody is on the second one of 0.
    let expected = [[vec![0], vec![]], [vec![1, 2], vec![0, 1]], [vec![], vec![2]]];
    assert_eq!([0, 1, 2].map(|node| [origins(node, 0), origins(node, 1)]), expected);
    let probes = |radio| {
        let probe = |message: &&BatmanMessage| matches!(message, BatmanMessage::Elp(elp) if elp.padding > 0);
        said(&net, 1, radio).into_iter().filter(probe).count()
    };
    assert!((56..=64).contains(&probes(0)) && (56..=64).contains(&probes(1)), "two a second to each neighbour");
    assert_eq!(radios(&mut net, 2), [0, 1]);
}
