//! Random links that come and go, lost broadcasts: source routes without loops, no packet lost track of; and shortest
//! paths where links stay.

use proptest::prelude::*;

use crate::config::dsr::{DsrConfig, LinkLife};
use crate::routing::tests::graph::{all_ended, cases, config, hops, links, nothing_leaks, set_links};
use crate::routing::tests::net::{Net, Place, ms};
use hopscope_core::units::Span;

const NODES: usize = 8;

fn options() -> impl Strategy<Value = DsrConfig> {
    let bits =
        (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let numbers = (0u32..=15, prop_oneof![Just(0u64), Just(1_000)], prop_oneof![Just(0u64), Just(3)], 1u32..6);
    (bits, numbers).prop_map(|(bits, (max_salvage_count, memory, hop, send_buffer_size))| {
        let (nonpropagating_request, cached_reply, reply_to_first, spread_errors, adaptive, promiscuous, shorten) =
            bits;
        DsrConfig {
            nonpropagating_request,
            cached_reply,
            reply_to_first,
            spread_errors,
            promiscuous,
            route_shortening: shorten,
            max_salvage_count,
            link_life: if adaptive { LinkLife::MaxLife } else { LinkLife::Timeout },
            route_cache_timeout: Span::from_secs(20),
            broken_link_memory: Span::from_millis(memory),
            cached_reply_delay: Span::from_millis(hop),
            send_buffer_size,
            ..DsrConfig::default()
        }
    })
}

proptest! {
    #![proptest_config(config(256))]

    // That no node stands twice in a source route is asserted wherever one is written.
    #[test]
    fn every_packet_is_delivered_or_dropped_and_paths_recover(
        case in cases(NODES, [20, 2_000, 20_000], 0.3, 1..80),
        cfg in options(),
    ) {
        let mut net = Net::new(NODES, &cfg, case.seed);
        // All searches have ended by then.
        let quiet = case.plan(&mut net) + Span::from_secs(400);
        net.run_checked(quiet, |net| nothing_leaks(net));
        all_ended(&net, cfg.max_salvage_count > 7);
        net.loss = 0.0;
        for src in 0..NODES {
            let reach = hops(&net, src);
            for dst in (0..NODES).filter(|&dst| dst != src) {
                // A link that is gone may still be known, each time to one node less.
                let mut arrives = || {
                    let packet = net.send_at(net.now, src, dst);
                    net.run_checked(net.now + Span::from_secs(200), |net| nothing_leaks(net));
                    net.place(packet) == Place::Delivered
                };
                let delivered = (0..NODES).any(|_| arrives());
                prop_assert_eq!(delivered, reach[dst].is_some(), "{} to {}", src, dst);
            }
        }
    }

    #[test]
    fn the_first_search_finds_a_shortest_path(
        there in links(NODES),
        src in 0..NODES,
        on in 1..NODES,
        first in any::<bool>(),
    ) {
        let dst = (src + on) % NODES;
        let cfg = DsrConfig { broadcast_jitter: Span::ZERO, reply_to_first: first, ..DsrConfig::default() };
        let mut net = Net::new(NODES, &cfg, 1);
        set_links(&mut net, &there);
        let packet = net.send_at(ms(0), src, dst);
        net.run(ms(200));
        let shortest = hops(&net, src)[dst];
        prop_assert_eq!(net.path(src, dst).map(|path| path.len() - 1), shortest);
        let taken = net.packet(packet);
        prop_assert_eq!((taken.place == Place::Delivered).then(|| taken.trail.len() - 1), shortest);
    }
}
