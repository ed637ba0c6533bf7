//! Random links that come and go, traffic over them, and what holds whatever happens.

use std::collections::VecDeque;
use std::ops::Range;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::net::{Net, Place, ms};
use hopscope_core::units::{Span, Time};

/// The same cases at every run: this many at the usual setting, which `PROPTEST_CASES` scales.
pub fn config(cases: u32) -> ProptestConfig {
    const USUAL: u32 = 256;
    let set = ProptestConfig::default();
    let cases = (cases * set.cases).div_ceil(USUAL);
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..set }
}

/// One happening: after a pause, a link flips or a packet is offered.
#[derive(Debug, Clone, Copy)]
struct Step {
    pause_ms: u64,
    a: usize,
    b: usize,
    flip: bool,
}

/// Links at first, the part of broadcast copies that get lost, and what happens.
#[derive(Debug, Clone)]
pub struct Case {
    pub seed: u64,
    loss: f64,
    links: Vec<bool>,
    steps: Vec<Step>,
}

fn pairs(nodes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..nodes).flat_map(|a| (0..a).map(move |b| (a, b)))
}

/// Which of the pairs of nodes have a link.
pub fn links(nodes: usize) -> impl Strategy<Value = Vec<bool>> {
    prop::collection::vec(prop::bool::weighted(0.4), pairs(nodes).count())
}

/// Cases of so many nodes and steps. Pauses are shorter than one of three limits, mostly than the first; `flips` is the
/// part of steps that flip a link.
pub fn cases(nodes: usize, pauses: [u64; 3], flips: f64, steps: Range<usize>) -> impl Strategy<Value = Case> {
    let [short, middle, long] = pauses;
    let pause = prop_oneof![4 => 0..short, 2 => 0..middle, 1 => 0..long];
    let step = (pause, 0..nodes, 0..nodes, prop::bool::weighted(flips));
    let step = step.prop_map(|(pause_ms, a, b, flip)| Step { pause_ms, a, b, flip });
    let loss = prop_oneof![Just(0.0), Just(0.3)];
    let case = (any::<u64>(), loss, links(nodes), prop::collection::vec(step, steps));
    case.prop_map(|(seed, loss, links, steps)| Case { seed, loss, links, steps })
}

pub fn set_links(net: &mut Net, links: &[bool]) {
    for ((a, b), &there) in pairs(net.nodes.len()).zip(links) {
        net.set_link(a, b, there);
    }
}

impl Case {
    /// Sets up links and losses and puts the steps on the calendar; the answer is when the last one happens.
    pub fn plan(&self, net: &mut Net) -> Time {
        set_links(net, &self.links);
        net.loss = self.loss;
        let mut up = net.links.clone();
        let mut at = ms(10);
        for &Step { pause_ms, a, b, flip } in &self.steps {
            at += Span::from_millis(pause_ms);
            if a == b {
                continue;
            }
            if flip {
                let there = !up[a][b];
                (up[a][b], up[b][a]) = (there, there);
                net.link_at(at, a, b, there);
            } else {
                net.send_at(at, a, b);
            }
        }
        at
    }
}

/// Hops from `src` to every node, over the links that are up.
pub fn hops(net: &Net, src: usize) -> Vec<Option<usize>> {
    let mut hops = vec![None; net.links.len()];
    hops[src] = Some(0);
    let mut queue = VecDeque::from([src]);
    while let Some(at) = queue.pop_front() {
        for to in 0..hops.len() {
            if net.links[at][to] && hops[to].is_none() {
                hops[to] = hops[at].map(|hops| hops + 1);
                queue.push_back(to);
            }
        }
    }
    hops
}

/// Next hops lead in no circle.
pub fn no_loop(net: &mut Net) {
    for src in 0..net.nodes.len() {
        for dst in 0..net.nodes.len() {
            net.path(src, dst);
        }
    }
}

/// Machines hold the packets that were left to them, and no others.
pub fn nothing_leaks(net: &Net) {
    let mut held = vec![0; net.nodes.len()];
    for packet in &net.packets {
        if let Place::HeldBy(node) = packet.place {
            held[node.index()] += 1;
        }
    }
    for (node, &held) in held.iter().enumerate() {
        assert_eq!(net.held(node), held, "packets held by node {node}");
    }
}

/// No packet is on its way or held any more; only where that is configured may one have used up its time to live.
pub fn all_ended(net: &Net, too_far: bool) {
    for (number, packet) in net.packets.iter().enumerate() {
        let ended = match packet.place {
            Place::Delivered | Place::Dropped(_) => true,
            Place::TooFar => too_far,
            Place::Moving | Place::HeldBy(_) => false,
        };
        assert!(ended, "packet {number}: {packet:?}");
    }
}
