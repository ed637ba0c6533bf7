//! What happens first when several things happen in one nanosecond.

use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::{App, Config, Transport};
use hopscope_mac::dcf::FrameKind;

use crate::support::{Log, chain, flow, is_data_received};

/// Stations at `positions`; node 0 receives one UDP flow from each of the others, all started together. The first
/// back-off of every station is zero slots.
fn contest(profile: &str, positions: &[[f64; 2]]) -> Config {
    let mut config = chain(profile, 1, 2);
    config.nodes = positions.to_vec();
    config.net.arp = false;
    config.mac.cw_min = 1;
    config.mac.backoff_includes_cw = false;
    for from in 1..positions.len() as u32 {
        config.flows.push(flow(profile, from, 0, Transport::Udp, App::File { bytes: 1_480 }));
    }
    config
}

fn log(config: &Config) -> Log {
    let mut world = World::new(config, Log::default()).expect("a sound scenario");
    world.run_until(config.duration);
    world.observe(|log, _, _| std::mem::take(log))
}

#[test]
fn stations_whose_back_offs_end_together_both_send() {
    for profile in ["ns2", "standard"] {
        let frames = log(&contest(profile, &[[0.0, 0.0], [10.0, 0.0], [10.0, 0.0], [10.0, 0.0]])).frames();
        let first = frames[0].0;
        let together: Vec<u32> = frames.iter().take_while(|f| f.0 == first).map(|f| f.1).collect();
        assert_eq!(together, [1, 2, 3], "{profile}: all in the same nanosecond, in the order of their numbers");
        assert_ne!(frames[3].2, FrameKind::Cts, "{profile}: three RTS at once are no RTS");
    }
}

#[test]
fn a_collision_is_repeated_until_the_draws_differ() {
    for profile in ["ns2", "standard"] {
        let log = log(&contest(profile, &[[0.0, 0.0], [10.0, 0.0], [10.0, 0.0]]));
        assert_eq!(log.count(is_data_received), 2, "{profile}");
    }
}

#[test]
fn stations_at_different_distances_collide_as_well() {
    // Both start from a frame of node 0 that ends 333 ns earlier at node 1 than at node 2 (100 m further away).
    let mut config = contest("standard", &[[0.0, 0.0], [100.0, 0.0], [-200.0, 0.0], [0.0, 20.0]]);
    config.flows.remove(2);
    // Node 0 sends one packet to node 3 first; the two others come while it is on the air.
    config.flows.insert(0, flow("standard", 0, 3, Transport::Udp, App::File { bytes: 1_480 }));
    for flow in &mut config.flows[1..] {
        flow.start = config_start() + Span::from_millis(3);
    }
    let frames = log(&config).frames();
    let rts: Vec<(u64, u32)> =
        frames.iter().filter(|f| f.2 == FrameKind::Rts && f.1 != 0).map(|f| (f.0, f.1)).take(2).collect();
    assert_eq!(rts.iter().map(|r| r.1).collect::<Vec<_>>(), [1, 2]);
    assert!(rts[1].0 - rts[0].0 < 1_000, "both send within a microsecond: {rts:?}");
}

fn config_start() -> Time {
    Time::ZERO + Span::from_secs(1)
}

#[test]
fn a_frame_that_ends_frees_the_medium_for_an_action_of_that_instant() {
    // CTS after CTS: SIFS after the RTS ends, every answer leaves to the nanosecond, whatever ends then.
    let mut config = chain("ns2", 1, 3);
    config.net.arp = false;
    config.radio.propagation_speed = 1e15;
    config.flows.push(flow("ns2", 0, 1, Transport::Udp, App::Bulk));
    config.flows.push(flow("ns2", 1, 0, Transport::Udp, App::Bulk));
    let frames = log(&config).frames();
    let mut exchanges = 0;
    for four in frames.windows(4) {
        if four.iter().map(|f| f.2).eq([FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack]) {
            let gaps: Vec<u64> = four.windows(2).map(|w| w[1].0 - w[0].0).collect();
            assert_eq!(gaps, [362_000, 314_000, 6_338_000]);
            exchanges += 1;
        }
    }
    assert!(exchanges > 200, "{exchanges} exchanges in two seconds");
}
