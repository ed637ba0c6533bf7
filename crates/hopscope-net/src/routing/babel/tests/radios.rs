//! Two radios a node: what is said on which, and what each link costs.

use crate::config::babel::BabelConfig;
use crate::routing::tests::net::{Line, Net, Place, ms};
use hopscope_core::ids::NodeId;
use hopscope_packet::babel::BabelTlv;
use hopscope_packet::routing::RoutingMessage;

fn rfc() -> BabelConfig {
    BabelConfig::set("rfc8966").expect("a set")
}

/// Two nodes with two radios each; the second channel loses this part of what goes from node 0 to node 1.
fn pair(loss: f64) -> Net {
    let mut net = Net::with_radios(2, [&rfc(), &rfc()], 1);
    net.set_link(0, 1, true);
    net.channel_losses.insert((0, 1, 1), loss);
    net
}

/// Packets with a Hello that a node sent: radio, number of the Hello, costs of reception in the IHUs.
fn hellos(net: &Net, node: u32) -> Vec<(Option<u8>, u16, Vec<u16>)> {
    let of = |(_, by, line): &(_, u32, Line)| match line {
        Line::Sent { message: RoutingMessage::Babel(packet), radio, .. } if *by == node => {
            let number = packet.tlvs.iter().find_map(|tlv| match tlv {
                BabelTlv::Hello { seqno, .. } => Some(*seqno),
                _ => None,
            })?;
            let costs = packet.tlvs.iter().filter_map(|tlv| match tlv {
                BabelTlv::Ihu { rxcost, .. } => Some(*rxcost),
                _ => None,
            });
            Some((*radio, number, costs.collect()))
        }
        _ => None,
    };
    net.log.iter().filter_map(of).collect()
}

#[test]
fn a_neighbour_hears_on_each_radio_what_that_one_receives() {
    let mut net = pair(0.5);
    net.run(ms(200_000));
    let said = hellos(&net, 1);
    let by = |radio| said.iter().filter(move |hello| hello.0 == Some(radio) && !hello.2.is_empty());
    assert!(by(0).count() > 10 && by(1).count() > 10, "{said:?}");
    // The first Hellos of a link make 1023, 511, 341 and 292 of its cost.
    assert!(by(0).skip(5).all(|hello| hello.2 == [256]), "nothing is lost on the first channel: {said:?}");
    assert!(by(1).all(|hello| hello.2.len() == 1), "one IHU for the one neighbour there");
    assert!(
        by(1).filter(|hello| hello.2[0] > 256).count() * 10 > by(1).count() * 9,
        "half is lost on the second: {said:?}"
    );
    let costs = |node: usize, other| [0, 1].map(|radio| net.babel(node).cost_by(radio, NodeId(other)).unwrap_or(0));
    for [good, bad] in [costs(0, 1), costs(1, 0)] {
        assert!(good == 256 && bad > 256, "{good} and {bad}");
    }
}

#[test]
fn hellos_of_a_radio_have_consecutive_numbers() {
    let mut net = pair(0.0);
    net.run(ms(100_000));
    let said = hellos(&net, 0);
    for radio in [0, 1] {
        // A packet without a radio goes over both.
        let numbers: Vec<u16> =
            said.iter().filter(|hello| hello.0.is_none_or(|by| by == radio)).map(|hello| hello.1).collect();
        assert!(numbers.len() > 20);
        assert!(numbers.iter().copied().eq(0..numbers.len() as u16), "{numbers:?}");
    }
}

#[test]
fn data_leaves_by_the_better_radio() {
    for worse in [0, 1] {
        let mut net = pair(0.0);
        net.set_channel(0, 1, worse, 0.6);
        net.run(ms(200_000));
        let packet = net.send_at(net.now, 0, 1);
        net.run(ms(201_000));
        let by = &net.packet(packet).radios;
        assert_eq!((net.place(packet), &by[..]), (Place::Delivered, &[Some(1 - worse)][..]));
    }
}
