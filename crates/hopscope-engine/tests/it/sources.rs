//! Sources that always have more: they keep the interface queue filled, and wait where it cannot be filled.

use hopscope_core::units::{Span, Time};
use hopscope_engine::config::net::RoutingProtocol;
use hopscope_engine::config::radio::ErrorKind;
use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation;

use crate::support::{chain, flow};

fn run(config: Config) -> RunResult {
    simulation::run(config).expect("a sound scenario")
}

#[test]
fn a_queue_of_one_packet_is_filled_by_one() {
    for profile in ["standard", "ns2"] {
        let mut config = chain(profile, 1, 5);
        config.flows.push(flow(profile, 0, 1, Transport::Udp, App::Bulk));
        let long = run(config.clone());
        config.mac.queue = 1 + config.mac.queue_reserve;
        let short = run(config);
        assert_eq!(short.nodes[0].queue_max, 1, "{profile}");
        let (found, expected) = (short.network.aggregate_kbps, long.network.aggregate_kbps);
        assert!((found / expected - 1.0).abs() < 0.02, "{profile}: {found} kbit/s, {expected} with a long queue");
    }
}

#[test]
fn a_source_over_a_routing_protocol_waits_for_its_route() {
    for profile in ["standard", "ns2"] {
        let mut config = chain(profile, 2, 10);
        config.flows.push(flow(profile, 0, 2, Transport::Udp, App::Bulk));
        config.flows[0].start = Default::default();
        let fixed = run(config.clone()).network.aggregate_kbps;
        config.routing.protocol = RoutingProtocol::Aodv;
        let found = run(config.clone()).network.aggregate_kbps;
        assert!((found / fixed - 1.0).abs() < 0.1, "{profile}: {found} kbit/s over AODV, {fixed} over fixed routes");
        // Without a way it offers ten packets a second, and one after each request that its node broadcasts.
        config.nodes[2] = [5_000.0, 0.0];
        let lonely = run(config);
        let sent = lonely.flows[0].sent_packets;
        assert!(lonely.flows[0].received_packets == 0 && (1..=200).contains(&sent), "{profile}: {sent} packets");
    }
}

#[test]
fn a_file_over_udp_is_complete_when_its_last_byte_has_arrived() {
    for profile in ["standard", "ns2"] {
        let mut config = chain(profile, 1, 10);
        config.flows.push(flow(profile, 0, 1, Transport::Udp, App::File { bytes: 1_480 }));
        let one = &run(config.clone()).flows[0];
        assert_eq!(one.completion_s, one.first_delivery_s, "{profile}");
        let delay = one.delay_ms.expect("it arrived");
        assert!((one.completion_s.expect("it arrived") - delay / 1e3).abs() < 1e-9, "{profile}: {delay} ms");

        config.flows[0].app = App::File { bytes: 200_000 };
        let whole = &run(config.clone()).flows[0];
        let completion = whole.completion_s.expect("all arrived");
        config.duration = config.flows[0].start + Span::from_secs_f64(completion);
        assert_eq!(run(config.clone()).flows[0].received_bytes, 200_000, "{profile}");
        config.duration = Time(config.duration.0 - 1_000_000);
        let cut = &run(config.clone()).flows[0];
        assert!(cut.received_bytes < 200_000 && cut.completion_s.is_none(), "{profile}: {} bytes", cut.received_bytes);

        // What arrives before the metrics count is part of the file all the same.
        config.duration = Time::ZERO + Span::from_secs(10);
        config.warmup = config.flows[0].start + Span::from_secs_f64(completion / 2.0);
        let later = &run(config.clone()).flows[0];
        assert!(later.received_bytes < 200_000, "{profile}");
        assert_eq!(later.completion_s, whole.completion_s, "{profile}");
    }
}

#[test]
fn a_file_over_udp_that_lost_a_packet_is_never_complete() {
    let mut config = chain("standard", 1, 10);
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::File { bytes: 200_000 }));
    config.radio.error_kind = ErrorKind::Uniform;
    config.radio.error_per = 0.5;
    let lossy = &run(config).flows[0];
    assert!(0 < lossy.received_bytes && lossy.received_bytes < 200_000, "{} bytes", lossy.received_bytes);
    assert_eq!((lossy.completion_s, lossy.received_packets < lossy.sent_packets), (None, true));
}

#[test]
fn a_start_with_jitter_is_drawn_by_the_seed() {
    let begun = |seed, jitter_ms| {
        let mut config = chain("standard", 1, 10);
        config.seed = seed;
        for _ in 0..2 {
            let mut flow = flow("standard", 0, 1, Transport::Udp, App::File { bytes: 100 });
            flow.start_jitter = Span::from_millis(jitter_ms);
            config.flows.push(flow);
        }
        let drawn = config.clone().with_starts_drawn();
        let starts: Vec<Time> = drawn.flows.iter().map(|flow| flow.start).collect();
        let result = run(config);
        assert!(
            result.flows.iter().all(|flow| flow.first_delivery_s.is_some_and(|s| s < 0.1)),
            "since the drawn start"
        );
        starts
    };
    let second = Time::ZERO + Span::from_secs(1);
    assert_eq!(begun(1, 0), [second; 2]);
    let starts = begun(1, 500);
    assert!(starts.iter().all(|&at| at >= second && at < second + Span::from_millis(500)), "{starts:?}");
    assert_ne!(starts[0], starts[1]);
    assert_eq!(begun(1, 500), starts);
    assert_ne!(begun(2, 500), starts);
}

#[test]
fn a_start_that_jitter_may_put_beyond_the_end_is_refused() {
    let mut config = chain("standard", 1, 10);
    let mut flow = flow("standard", 0, 1, Transport::Udp, App::Bulk);
    flow.start_jitter = Span::from_secs(9);
    config.flows.push(flow);
    let error = simulation::run(config).expect_err("refused").to_string();
    assert!(error.starts_with("flows.0.start_jitter: found 9 s: the flow could start at 10 s"), "{error}");
}
