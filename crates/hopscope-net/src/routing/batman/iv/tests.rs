//! Who says what when under BATMAN_IV, and which paths come of it.

use super::BatmanIv;
use crate::config::BatmanIvConfig;
use crate::routing::tests::net::{FRAME, Line, Net, cx, ms};
use crate::routing::{Router, RoutingEffect, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};
use hopscope_packet::batman::{BatmanMessage, Ogm, OgmFlags};
use hopscope_packet::routing::RoutingMessage;

impl Net {
    /// Frames of OGMs that a node sent.
    fn ogm_frames(&self, node: u32) -> Vec<(Time, &[Ogm])> {
        let frame = |(at, by, line): &'_ (Time, u32, Line)| match line {
            Line::Sent { message: RoutingMessage::Batman(BatmanMessage::Ogm(_)), .. } => (*by == node).then_some(*at),
            _ => None,
        };
        let ogms = |line| match line {
            &Line::Sent { message: RoutingMessage::Batman(BatmanMessage::Ogm(ref ogms)), .. } => &ogms[..],
            _ => &[],
        };
        self.log.iter().filter_map(|line| Some((frame(line)?, ogms(&line.2)))).collect()
    }

    /// OGMs about `origin` that a node sent.
    fn ogms(&self, node: u32, origin: u32) -> Vec<(Time, Ogm)> {
        let frames = self.ogm_frames(node).into_iter();
        let all = frames.flat_map(|(at, ogms)| ogms.iter().map(move |ogm| (at, *ogm)));
        all.filter(|(_, ogm)| ogm.origin == NodeId(origin)).collect()
    }

    fn tq(&self, node: usize, dst: u32) -> u8 {
        match &self.nodes[node] {
            Router::BatmanIv(batman) => batman.tq(NodeId(dst)).unwrap_or(0),
            other => panic!("{other:?}"),
        }
    }

    /// Mean quality of a path over this many seconds.
    fn mean_tq(&mut self, node: usize, dst: u32, seconds: u64) -> f64 {
        let mut sum = 0.0;
        for _ in 0..seconds {
            self.run(self.now + Span::from_secs(1));
            sum += f64::from(self.tq(node, dst));
        }
        sum / seconds as f64
    }
}

fn plain() -> BatmanIvConfig {
    BatmanIvConfig::default()
}

#[test]
fn a_node_speaks_once_a_second_with_a_jitter() {
    let mut net = Net::chain(2, &plain());
    net.run(ms(60_000));
    let own = net.ogms(0, 0);
    let gaps: Vec<Span> = own.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(gaps.len() >= 58 && gaps.iter().all(|gap| (980_000_000..=1_020_000_000).contains(&gap.0)), "{gaps:?}");
    assert!(gaps.windows(2).any(|pair| pair[0] != pair[1]));
    for pair in own.windows(2) {
        assert_eq!(pair[1].1.seq, pair[0].1.seq.wrapping_add(1));
    }
    let first = OgmFlags { primaries_first_hop: true, ..OgmFlags::default() };
    let expected = Ogm { origin: NodeId(0), prev_sender: NodeId(0), seq: own[0].1.seq, tq: 255, ttl: 50, flags: first };
    assert_eq!(own[0].1, expected);
}

#[test]
fn neighbours_echo_and_others_carry_on_what_comes_by_their_best_neighbour() {
    let mut net = Net::chain(4, &plain());
    net.run(ms(90_000));
    let since =
        |ogms: Vec<(Time, Ogm)>| -> Vec<(Time, Ogm)> { ogms.into_iter().filter(|o| o.0 > ms(70_000)).collect() };
    let (own, echoes, on) = (since(net.ogms(0, 0)), since(net.ogms(1, 0)), since(net.ogms(2, 0)));
    let direct = OgmFlags { direct_link: true, ..OgmFlags::default() };
    for (ogms, from, ttl, flags) in [(&echoes, 0, 49, direct), (&on, 1, 48, OgmFlags::default())] {
        assert!(ogms.iter().all(|(_, ogm)| (ogm.prev_sender, ogm.ttl, ogm.flags) == (NodeId(from), ttl, flags)));
        assert!(own.len() - ogms.len() <= 1, "each goes on once: {} of {}", ogms.len(), own.len());
    }
    // An echo waits the time of aggregation and up to half of the jitter; it goes by itself.
    for (at, ogm) in &echoes {
        let said = own.iter().find(|(_, own)| own.seq == ogm.seq).map_or(*at, |own| own.0);
        assert!(said == *at || (101..=112).contains(&((*at - said).0 / 1_000_000)), "{:?}", *at - said);
        let frames = net.ogm_frames(1);
        let frame = frames.iter().find(|(when, ogms)| when == at && ogms.contains(ogm)).expect("its frame");
        assert_eq!(frame.1.len(), 1);
    }
    assert_eq!((net.path(0, 3), net.path(3, 1)), (Some(vec![0, 1, 2, 3]), Some(vec![3, 2, 1])));
}

#[test]
fn an_echo_that_is_no_route_is_marked() {
    // 0 and 2 hear each other badly: their echoes say so, and go no farther.
    let mut net = Net::chain(3, &plain());
    net.set_lossy(0, 2, 0.7);
    net.run(ms(120_000));
    let echoes: Vec<Ogm> = net.ogms(2, 0).into_iter().filter(|o| o.0 > ms(80_000)).map(|o| o.1).collect();
    assert_eq!(net.path(2, 0), Some(vec![2, 1, 0]));
    let marked = |ogm: &&Ogm| ogm.flags.not_best_next_hop;
    assert!(echoes.iter().filter(marked).all(|ogm| ogm.flags.direct_link && ogm.prev_sender == NodeId(0)));
    assert!(echoes.iter().filter(marked).count() > 3);
    assert!(echoes.iter().filter(|ogm| !marked(ogm)).all(|ogm| !ogm.flags.direct_link), "the others came by 1");
}

#[test]
fn the_quality_of_a_lossy_link_is_that_of_the_formula() {
    for loss in [0.0, 0.2, 0.5] {
        let mut net = Net::new(2, &plain(), 3);
        net.set_lossy(0, 1, loss);
        net.run(ms(80_000));
        let mean = net.mean_tq(0, 1, 1500);
        // Received: 1 - p of all. Echoed: (1 - p)^2. One OGM in 64 has no echo yet for a tenth of the time.
        let expected = 255.0 * (1.0 - loss) * (1.0 - loss * loss * loss);
        assert!((mean - expected).abs() < 8.0, "{loss}: {mean} for {expected}");
    }
}

#[test]
fn on_an_asymmetric_link_each_side_knows_its_own_direction() {
    let mut net = Net::new(2, &plain(), 4);
    net.set_link(0, 1, true);
    // 1 hears two OGMs of 0 in five.
    net.losses.insert((0, 1), 0.6);
    net.run(ms(80_000));
    let to_1 = net.mean_tq(0, 1, 1000);
    let to_0 = net.mean_tq(1, 0, 1000);
    // 0 receives everything and has echoes of 0.4. 1 receives 0.4 of the OGMs and 0.4 of the echoes of its own, both 25.6
    // of 64 with a deviation of 3.9: the smaller of two such numbers is 0.56 x 3.9 = 2.2 below their mean, so that
    // 0.914 are taken for echoed. Times 1 - 0.6^3 = 0.784.
    assert!((to_1 - 102.0).abs() < 8.0 && (to_0 - 183.0).abs() < 8.0, "{to_1} and {to_0}");
}

#[test]
fn two_good_hops_go_before_one_bad_and_a_good_one_before_two() {
    for (loss, path) in [(0.6, vec![0, 1, 2]), (0.05, vec![0, 2])] {
        let mut net = Net::chain(3, &plain());
        net.set_lossy(0, 2, loss);
        net.run(ms(150_000));
        assert_eq!(net.path(0, 2), Some(path.clone()), "{loss}");
        let back: Vec<u32> = path.iter().rev().copied().collect();
        assert_eq!(net.path(2, 0), Some(back));
    }
}

#[test]
fn each_hop_costs_its_penalty_and_one_by_the_same_radio_twice() {
    // 255 x 225/255 = 225 once, 198 twice; 240 and 225 with 15.
    for (set, factor) in [("batman-adv", 198.0), ("batman-adv-2014.0", 225.0), ("batman-adv-2013.4", 225.0)] {
        let mut net = Net::chain(4, &BatmanIvConfig::set(set).expect("a set"));
        net.run(ms(100_000));
        for (dst, hops) in [(1, 0), (2, 1), (3, 2)] {
            let expected = 255.0 * (factor / 255.0f64).powi(hops);
            let found = f64::from(net.tq(0, dst));
            // One echo of 64 that is not there yet takes 4 off each link, and rounding up to 1 off each product.
            assert!(
                found <= expected && found >= expected - 6.0 * f64::from(hops + 1),
                "{set}, {dst}: {found}, {expected}"
            );
        }
    }
}

#[test]
fn a_new_link_is_trusted_as_its_window_fills() {
    let mut net = Net::chain(2, &plain());
    let mut at = |ms_: u64| {
        net.run(ms(ms_));
        net.tq(0, 1)
    };
    let (early, later, full) = (at(9_000), at(32_000), at(80_000));
    // With 8 of 64: 1 - (7/8)^3 = 0.33 of 255 at most. With 32: 0.875.
    assert!((10..=95).contains(&early) && (140..=224).contains(&later) && full >= 247, "{early}, {later}, {full}");
}

#[test]
fn ogms_for_many_originators_share_frames() {
    let mut net = Net::chain(12, &plain());
    net.run(ms(100_000));
    let frames = net.ogm_frames(5);
    let late: Vec<_> = frames.iter().filter(|frame| frame.0 > ms(80_000)).collect();
    let ogms: usize = late.iter().map(|frame| frame.1.len()).sum();
    // 12 OGMs a second, of which two are echoes that go alone.
    assert!((20 * 11..=20 * 13).contains(&ogms), "{ogms}");
    assert!(late.len() < ogms * 3 / 4, "{} frames", late.len());
    assert!(frames.iter().all(|frame| frame.1.len() <= 21), "512 bytes");
    let mut alone = Net::chain(12, &BatmanIvConfig { aggregation: false, ..plain() });
    alone.run(ms(20_000));
    assert!(alone.ogm_frames(5).iter().all(|frame| frame.1.len() == 1));
}

#[test]
fn time_to_live_bounds_the_flood() {
    let mut net = Net::chain(5, &BatmanIvConfig { ttl: 3, ..plain() });
    net.run(ms(60_000));
    assert_eq!(net.path(0, 3), Some(vec![0, 1, 2, 3]));
    assert_eq!(net.path(0, 4), None);
    let up = |dst, hops| RoutingNote::RouteUp { dst: NodeId(dst), next_hop: NodeId(1), hops };
    assert!(net.noted(0, up(1, 1)).is_some() && net.noted(0, up(3, 3)).is_some());
}

/// A machine that is given what it hears.
struct Bench {
    batman: BatmanIv,
    rng: Stream,
}

impl Bench {
    fn hears(&mut self, at: Time, from: u32, ogm: Ogm) -> Vec<RoutingEffect> {
        let mut out = Vec::new();
        let message = BatmanMessage::Ogm([ogm].into());
        self.batman.on_message(NodeId(from), &message, &mut cx(at, &mut self.rng, &mut out));
        out
    }
}

#[test]
fn an_ogm_of_this_node_or_from_it_or_of_no_quality_is_no_route() {
    let mut bench =
        Bench { batman: BatmanIv::new(NodeId(0), &plain()), rng: Stream::derive(1, 0, 0, Purpose::RoutingJitter) };
    let ogm = |origin, prev, tq, not_best_next_hop| Ogm {
        origin: NodeId(origin),
        prev_sender: NodeId(prev),
        seq: 7,
        tq,
        ttl: 40,
        flags: OgmFlags { not_best_next_hop, ..OgmFlags::default() },
    };
    let at = Time::ZERO + FRAME;
    for (origin, prev, tq, marked) in [(0, 0, 255, false), (5, 0, 255, false), (5, 5, 0, false), (5, 5, 255, true)] {
        bench.hears(at, 1, ogm(origin, prev, tq, marked));
        assert_eq!(bench.batman.next_hop(NodeId(5), at), None);
    }
    assert_eq!(bench.hears(at, 1, ogm(9, 8, 255, false)), [], "no route leads to the sender itself");
}
