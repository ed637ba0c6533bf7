//! Links that come, go and lose, and nodes that die and return: at no instant do next hops make a loop.

use crate::config::babel::{BabelConfig, BabelLinkCost};
use crate::routing::tests::net::Net;
use hopscope_core::ids::NodeId;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::Span;

const NODES: usize = 9;

/// Next hops towards every node end there or at a node without a route. `Net::path` costs more and is asked less often.
fn assert_no_loop(net: &Net) {
    for dst in (0..NODES as u32).map(NodeId) {
        for src in 0..NODES {
            let (mut at, mut hops) = (src, 0);
            while at != dst.index() {
                let Some(next_hop) = net.nodes[at].next_hop(dst, net.now) else { break };
                at = next_hop.index();
                hops += 1;
                assert!(hops <= NODES, "loop from {src} to {dst} at {:?}", net.now);
            }
        }
    }
}

/// A network under so many random events; the answer is how many routes changed.
fn under_events(cfg: &BabelConfig, events: usize, seed: u64) -> usize {
    let mut net = Net::new(NODES, cfg, seed);
    let mut dice = Stream::derive(seed, 1, 0, Purpose::Placement);
    let mut draw = |below: usize| (dice.uniform() * below as f64) as usize;
    let mut is_dead = [false; NODES];
    let mut wanted = [[false; NODES]; NODES];
    for (a, row) in wanted.iter_mut().enumerate() {
        row[..a].fill_with(|| draw(10) < 4);
    }
    for _ in 0..events {
        let (a, b) = (draw(NODES), draw(NODES));
        match draw(10) {
            0 => is_dead[a] = !is_dead[a],
            1..=3 if a != b => {
                let loss = draw(10) as f64 / 10.0;
                net.losses.extend([((a, b), loss), ((b, a), draw(10) as f64 / 10.0)]);
            }
            _ if a != b => wanted[a.max(b)][a.min(b)] ^= true,
            _ => {}
        }
        for a in 0..NODES {
            for b in 0..a {
                net.set_link(a, b, wanted[a][b] && !is_dead[a] && !is_dead[b]);
            }
        }
        // Mostly quiet enough that Hellos show it, at times a burst.
        let pause = [10, 100, 1_000, 4_000, 20_000][draw(5)];
        net.run_checked(net.now + Span::from_millis(draw(pause) as u64), |net| assert_no_loop(net));
    }
    let changes = |node| net.notes(node).len();
    (0..NODES as u32).map(changes).sum()
}

#[test]
fn ten_thousand_random_events_make_no_loop() {
    let rfc = BabelConfig::set("rfc8966").expect("a set");
    let babeld = BabelConfig::set("babeld").expect("a set");
    let wired = BabelConfig { link_cost: BabelLinkCost::KOutOfJ, ..rfc.clone() };
    let hasty = BabelConfig { smoothing_half_life: Span::ZERO, trigger_worse: 0, trigger_better: 0, ..babeld.clone() };
    for (cfg, seed) in [(rfc, 1), (babeld, 2), (wired, 3), (hasty, 4)] {
        let changes = under_events(&cfg, 2_500, seed);
        assert!(changes > 3_000, "{changes} changes of routes: something happened");
    }
}
