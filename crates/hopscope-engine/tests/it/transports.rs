//! TCP variants, their parts and the ACK policies over real MACs.

use hopscope_core::units::Span;
use hopscope_engine::World;
use hopscope_engine::config::link::LinkPart;
use hopscope_engine::config::tcp::{LossRecovery, Pacing};
use hopscope_engine::config::{AckPolicy, App, Config, TcpConfig, Transport};
use hopscope_engine::record::Record;
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation;
use hopscope_tcp::endpoint::Timer;

use crate::support::{Log, flow, tcp_chain};

fn run(config: Config) -> RunResult {
    simulation::run(config).expect("a sound scenario")
}

fn kbps(variant: Transport, profile: &str, hops: u32, change: impl Fn(&mut TcpConfig)) -> f64 {
    let mut config = tcp_chain(profile, hops, 30);
    config.flows[0].transport = variant;
    change(&mut config.flows[0].tcp);
    run(config).flows[0].throughput_kbps
}

#[test]
fn every_variant_carries_a_chain_in_both_profiles() {
    for profile in ["ns2", "standard"] {
        let newreno = kbps(Transport::TcpNewReno, profile, 4, |_| ());
        for variant in Transport::built_in_tcp() {
            let found = kbps(variant, profile, 4, |_| ());
            let share = found / newreno;
            assert!((0.6..2.0).contains(&share), "{variant:?} in {profile}: {found} against {newreno} kbit/s");
        }
    }
}

/// What switches a part of TCP on.
type Part<'a> = &'a dyn Fn(&mut TcpConfig);

#[test]
fn every_part_works_with_every_variant() {
    for variant in Transport::built_in_tcp() {
        let plain = kbps(variant, "standard", 3, |_| ());
        let parts: [(&str, Part<'_>); 6] = [
            ("pacing", &|t| t.pacing = Pacing::Window),
            ("ecn", &|t| t.ecn = true),
            ("timestamps", &|t| t.timestamps = true),
            ("frto", &|t| t.frto = true),
            ("dsack", &|t| t.dsack = Some(true)),
            ("rack", &|t| {
                if variant.lets_choose_recovery() {
                    t.loss_recovery = LossRecovery::Rack;
                }
            }),
        ];
        for (name, part) in parts {
            let found = kbps(variant, "standard", 3, part);
            assert!(found > 0.5 * plain, "{variant:?} with {name}: {found} against {plain} kbit/s");
        }
    }
}

/// Segments per ACK over a static route without ARP: what one end sends over what the other sends.
fn segments_per_ack(policy: AckPolicy, window: u32, hops: u32) -> f64 {
    let mut config = tcp_chain("standard", hops, 40);
    config.flows[0].ack = policy;
    config.flows[0].max_window = window;
    let result = run(config);
    result.flows[0].received_packets as f64 / result.nodes[hops as usize].mac_packets as f64
}

#[test]
fn linux_receivers_acknowledge_as_measured_on_kernels() {
    for (policy, window, hops, least, most) in [
        (AckPolicy::Linux, 2, 1, 0.99, 1.01),
        (AckPolicy::Linux, 3, 1, 1.96, 2.01),
        (AckPolicy::LinuxModern, 1, 1, 0.99, 1.01),
        (AckPolicy::LinuxModern, 2, 1, 0.99, 1.01), // measured 1.00
        (AckPolicy::LinuxModern, 3, 1, 1.62, 1.70), // measured 1.67
        (AckPolicy::LinuxModern, 4, 1, 1.96, 2.01), // measured 2.00
        (AckPolicy::LinuxModern, 8, 1, 1.96, 2.01), // measured 2.00
        (AckPolicy::LinuxModern, 2, 4, 0.97, 1.02), // measured 1.00
        (AckPolicy::LinuxModern, 3, 4, 1.50, 1.75), // measured 1.60
    ] {
        let found = segments_per_ack(policy, window, hops);
        assert!((least..=most).contains(&found), "{policy:?}, window {window}, {hops} hops: {found}");
    }
}

#[test]
fn marks_take_the_place_of_drops() {
    let lred = |ecn| {
        let mut config = tcp_chain("ns2", 7, 60);
        config.link.layer = LinkPart::Lred.into();
        (config.link.lred_min, config.link.lred_max) = (0.1, 0.8);
        config.flows[0].tcp.ecn = ecn;
        run(config)
    };
    let early = |r: &RunResult| -> u64 { r.nodes.iter().map(|n| n.early_drops).sum() };
    let (dropped, marked) = (lred(false), lred(true));
    assert!(early(&dropped) > 10, "{} drops", early(&dropped));
    assert!(early(&marked) < early(&dropped), "ACKs are dropped still, data is not");
    let marks: u64 = marked.nodes.iter().map(|n| n.ecn_marks).sum();
    assert!(marks > 10, "{marks} marks");
    let repeated = |r: &RunResult| r.flows[0].retransmitted_packets;
    assert!(repeated(&marked) < repeated(&dropped), "{} and {}", repeated(&marked), repeated(&dropped));
}

#[test]
fn results_count_tail_loss_probes_and_timeouts_undone() {
    let counts = |change: &dyn Fn(&mut TcpConfig)| {
        let mut config = tcp_chain("standard", 7, 60);
        change(&mut config.flows[0].tcp);
        let flow = run(config).flows.remove(0);
        assert!(flow.spurious_timeouts <= flow.timeouts);
        (flow.tail_loss_probes, flow.spurious_timeouts)
    };
    assert_eq!(counts(&|_| ()), (0, 0));
    assert!(counts(&|tcp| tcp.loss_recovery = LossRecovery::Rack).0 > 0);
    // Timers shorter than the longest round trips expire needlessly.
    assert!(counts(&|tcp| (tcp.frto, tcp.min_rto) = (true, Span::from_millis(1))).1 > 0);
}

#[test]
fn combinations_that_mean_nothing_are_refused_by_name() {
    type Wrong<'a> = (Transport, &'a dyn Fn(&mut TcpConfig), &'a str);
    let wrong: [Wrong<'_>; 5] = [
        (Transport::TcpTahoe, &|t| t.loss_recovery = LossRecovery::Rack, "loss_recovery"),
        (Transport::TcpBbr, &|t| t.loss_recovery = LossRecovery::NewReno, "loss_recovery"),
        (Transport::TcpBbr3, &|t| t.loss_recovery = LossRecovery::Sack, "loss_recovery"),
        (Transport::TcpIllinois, &|t| t.illinois_beta_min = 0.6, "illinois_beta_min"),
        (Transport::TcpHtcp, &|t| t.htcp_low_speed = Span::from_secs(61), "htcp_low_speed"),
    ];
    for (variant, change, key) in wrong {
        let mut config = tcp_chain("standard", 2, 2);
        config.flows[0].transport = variant;
        change(&mut config.flows[0].tcp);
        let error = simulation::run(config).expect_err("refused").to_string();
        assert!(error.contains(key), "{variant:?}: {error}");
    }
}

#[test]
fn timers_are_reported_when_they_are_set_expire_and_are_stopped() {
    let run = |config: &Config| {
        let mut world = World::new(config, Log::default()).expect("a sound scenario");
        world.run_until(config.duration);
        let of = |timer: Timer| {
            let log = world.recorder();
            let about = |record: &Record| match *record {
                Record::TimerArmed { timer, .. } => Some((timer, 0)),
                Record::TimerExpired { timer, .. } => Some((timer, 1)),
                Record::TimerStopped { timer, .. } => Some((timer, 2)),
                _ => None,
            };
            [0, 1, 2].map(|what| log.count(|record| about(record) == Some((timer, what))))
        };
        [Timer::Rto, Timer::Refill].map(of)
    };
    let mut file = tcp_chain("standard", 2, 20);
    file.flows[0].app = App::File { bytes: 50_000 };
    let [[armed, expired, stopped], refill] = run(&file);
    // Each end stops its own when all is acknowledged. Whatever was set has expired, was stopped, or was set anew before.
    assert!(stopped == 2 && armed >= expired + stopped, "{armed} set, {expired} expired, {stopped} stopped");
    assert_eq!(refill, [0; 3]);
    let mut bulk = tcp_chain("standard", 2, 5);
    bulk.flows = vec![flow("standard", 0, 2, Transport::Udp, App::Bulk)];
    // Its first packet waits for an address, and so the source asks again later.
    bulk.net.arp = true;
    let [rto, [armed, expired, stopped]] = run(&bulk);
    assert_eq!((rto, stopped), ([0; 3], 0));
    assert!(armed > 0 && armed - expired <= 1, "one source: {armed} set, {expired} expired");
}
