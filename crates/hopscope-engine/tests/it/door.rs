//! TCP-DOOR where routes change because nodes move: packets overtake each other, and the sender acts on it.

use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::mobility::{MobilityConfig, MobilityModel};
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::record::{Classes, NetworkView, Record, Recorder};
use hopscope_tcp::SenderStats;

use crate::support::{chain, flow};

/// Keeps what a sender says of its window.
#[derive(Debug, Default)]
struct Windows(Vec<(Time, f64)>);

impl Recorder for Windows {
    const WANTS: Classes = Classes::WINDOWS;

    fn record(&mut self, now: Time, record: &Record, _view: &mut impl NetworkView) {
        if let Record::Window { cwnd, .. } = record {
            self.0.push((now, *cwnd));
        }
    }
}

/// Thirty nodes by random waypoint over AODV, and one connection, whose routes change while packets are under way.
fn field(seed: u64, reaction: bool) -> Config {
    let mut config = chain("standard", 1, 100);
    let mut stream = Stream::derive(seed, 0, 0, Purpose::Placement);
    config.seed = seed;
    config.nodes = (0..30).map(|_| [1_200.0 * stream.uniform(), 300.0 * stream.uniform()]).collect();
    config.routing.protocol = RoutingProtocol::Aodv;
    config.mobility = MobilityConfig {
        model: MobilityModel::RandomWaypoint,
        area: [1_200.0, 300.0],
        pause: Span::ZERO,
        ..MobilityConfig::default()
    };
    config.flows.push(flow("standard", 0, 1, Transport::TcpNewReno, App::Bulk));
    config.flows[0].tcp.door = true;
    if !reaction {
        // It sees what overtakes what, and does nothing about it.
        (config.flows[0].tcp.door_hold, config.flows[0].tcp.door_recover) = (0.0, 0.0);
    }
    config
}

/// Windows over time, what the sender has counted, and when it saw the first packet overtaken.
fn run(config: &Config) -> (Vec<(Time, f64)>, SenderStats, Option<Time>) {
    let mut world = World::new(config, Windows::default()).expect("a sound scenario");
    let mut first = None;
    let counted = |world: &World<Windows>| *world.sender(&world.flows()[0]).expect("TCP").stats();
    while world.now() < config.duration {
        let next = world.now() + Span::from_millis(50);
        world.run_until(next);
        if first.is_none() && counted(&world).overtaken > 0 {
            first = Some(next);
        }
    }
    let stats = counted(&world);
    (world.recorder().0.clone(), stats, first)
}

#[test]
fn packets_that_overtake_each_other_under_motion_are_seen_and_answered() {
    let (mut seen, mut differ, mut cuts) = (0, 0, [0, 0]);
    for seed in 1..=12 {
        let (with, own, first) = run(&field(seed, true));
        let (without, plain, plain_first) = run(&field(seed, false));
        assert_eq!(first, plain_first, "the same until then");
        cuts[0] += own.window_cuts + own.timeouts;
        cuts[1] += plain.window_cuts + plain.timeouts;
        let Some(first) = first else {
            assert_eq!(with, without, "seed {seed}: nothing was overtaken, nothing is done");
            continue;
        };
        seen += 1;
        let before = |log: &[(Time, f64)]| log.iter().take_while(|(at, _)| *at + Span::from_millis(50) < first).count();
        assert_eq!(with[..before(&with)], without[..before(&without)], "seed {seed}");
        differ += u32::from(with != without);
    }
    assert!(seen >= 3, "{seen}");
    assert!(differ > 0, "{differ}");
    assert!(cuts[0] < cuts[1], "{cuts:?}");
}
