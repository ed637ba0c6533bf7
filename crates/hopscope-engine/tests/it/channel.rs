//! Whole networks over channels that vary, lose frames, or disturb less far than they are sensed.

use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::presets;
use hopscope_engine::config::radio::{ErrorKind, ErrorScope, Fading, Interference, Propagation, Shadowing};
use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::record::NullRecorder;
use hopscope_engine::simulation;
use hopscope_mac::dcf::FrameKind;

use crate::support::{Log, busy_field, chain, flow, tcp_chain};

/// One saturated hop of UDP without RTS/CTS, 1536-byte data frames at 2 Mbit/s.
fn saturated(seconds: u64) -> Config {
    let mut config = chain("standard", 1, seconds);
    config.nodes[1] = [3.0, 0.0];
    config.mac.rts_threshold = None;
    config.warmup = Time::ZERO + Span::from_secs(2);
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::Bulk));
    config.flows[0].packet = 1_472;
    config
}

fn throughput(config: Config) -> f64 {
    simulation::run(config).expect("a sound scenario").network.aggregate_kbps
}

/// Throughput in kbit/s of `saturated` when each attempt fails with probability `p`, independently; `data` of the
/// failures hit the data frame and the rest its ACK.
fn with_retries(p: f64, data: f64) -> f64 {
    let (slot, sifs, difs, frame, ack) = (20.0, 10.0, 50.0, 6_336.0, 304.0);
    // After a failure the station waits SIFS, a slot and the start of an ACK (192 us); the idle time counts as DIFS.
    let wait = sifs + slot + 192.0;
    let (mut time, mut lost) = (0.0, 0.0);
    for attempt in 0..7 {
        let reached = p.powi(attempt);
        let window = 32.0 * 2f64.powi(attempt.min(5)) - 1.0;
        let ifs = if attempt == 0 { difs } else { 0.0 };
        time += reached * (ifs + window / 2.0 * slot + frame);
        // Success: SIFS and the ACK. A lost ACK keeps the medium busy and leaves EIFS behind.
        time += reached * (1.0 - p) * (sifs + ack);
        time += reached * p * wait;
        lost = (p * data).powi(attempt + 1);
    }
    (1.0 - lost) * 8.0 * 1_472.0 / time * 1e3
}

fn assert_close(found: f64, expected: f64, per_cent: f64, what: &str) {
    let off = (found / expected - 1.0) * 100.0;
    assert!(off.abs() <= per_cent, "{what}: {found:.1} kbit/s, expected {expected:.1}: {off:+.2} %");
}

#[test]
fn losses_cost_a_saturated_hop_what_its_retries_cost() {
    assert_close(throughput(saturated(60)), with_retries(0.0, 1.0), 0.3, "no losses");
    for per in [0.1, 0.3, 0.6] {
        let mut config = saturated(800);
        config.radio.error_kind = ErrorKind::Uniform;
        config.radio.error_applies_to = ErrorScope::Data;
        config.radio.error_per = per;
        assert_close(throughput(config.clone()), with_retries(per, 1.0), 1.0, &format!("PER {per}"));
        // The same rate from bits: 1 - (1 - ber)^(8 * 1536).
        config.radio.error_per = 0.0;
        config.radio.error_ber = 1.0 - (1.0 - per).powf(1.0 / (8.0 * 1_536.0));
        assert_close(throughput(config), with_retries(per, 1.0), 1.0, &format!("PER {per} from bits"));
    }
}

#[test]
fn a_link_in_bursts_carries_while_it_is_good() {
    // Bursts far longer than a packet's attempts: nothing while bad, everything while good.
    let mut config = saturated(400);
    config.radio.error_kind = ErrorKind::GilbertElliott;
    config.radio.error_good_time = Span::from_secs(3);
    config.radio.error_bad_time = Span::from_secs(1);
    let clean = with_retries(0.0, 1.0);
    assert_close(throughput(config.clone()), 0.75 * clean, 12.0, "Gilbert-Elliott");
    // The same chain of states, given as a matrix.
    config.radio.error_kind = ErrorKind::Markov;
    config.radio.error_step = Span::from_millis(100);
    config.radio.error_transitions = vec![vec![1.0 - 0.1 / 3.0, 0.1 / 3.0], vec![0.1, 0.9]];
    config.radio.error_state_per = vec![0.0, 1.0];
    assert_close(throughput(config), 0.75 * clean, 12.0, "Markov");
}

/// Nodes 0 and 3 send at the same time, to 1 and 2: 0 -> 1 is under test, and 3 is hidden from 0.
fn hidden(interference_range: f64) -> Config {
    let mut config = chain("standard", 3, 20);
    // 1 is 300 m from the disturbing node 3; 0 is 500 m away from it.
    config.nodes = vec![[0.0, 0.0], [200.0, 0.0], [600.0, 0.0], [500.0, 0.0]];
    config.radio.cs_range = 450.0;
    config.radio.interference = Interference::Range;
    config.radio.interference_range = interference_range;
    config.mac.rts_threshold = None;
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(200e3)));
    config.flows.push(flow("standard", 3, 2, Transport::Udp, App::Bulk));
    config
}

#[test]
fn a_frame_that_is_sensed_but_out_of_interference_range_destroys_nothing() {
    let retries = |range| {
        let result = simulation::run(hidden(range)).expect("a sound scenario");
        assert!(result.nodes[3].data_sent > 2_000, "the disturbing node is never held back");
        (result.nodes[0].mac_retries, result.nodes[0].mac_packets, result.nodes[0].mac_retry_drops)
    };
    let (near, packets, _) = retries(290.0);
    assert!(packets > 300);
    assert_eq!(near, 0, "300 m is beyond 290 m");
    let (far, _, drops) = retries(310.0);
    assert!(far > packets && drops > 0, "300 m is within 310 m: {far} retries, {drops} drops of {packets} packets");
}

#[test]
fn a_sensed_frame_holds_a_station_back_whatever_its_interference() {
    // Nodes 1 and 2 hear each other's flows only as carrier: the two share the channel although neither disturbs.
    let mut config = chain("standard", 1, 10);
    config.nodes = vec![[0.0, 0.0], [200.0, 0.0], [500.0, 0.0], [700.0, 0.0]];
    config.radio.interference = Interference::Range;
    config.radio.interference_range = 250.0;
    config.flows.push(flow("standard", 1, 0, Transport::Udp, App::Bulk));
    config.flows.push(flow("standard", 2, 3, Transport::Udp, App::Bulk));
    let shared = simulation::run(config.clone()).expect("a sound scenario");
    config.radio.cs_range = 260.0;
    let apart = simulation::run(config).expect("a sound scenario");
    assert!(shared.network.aggregate_kbps < 0.6 * apart.network.aggregate_kbps);
    assert!(apart.nodes[1].mac_retries == 0 && apart.nodes[2].mac_retries == 0);
}

/// Delivered kbit/s of a 54 Mbit/s link of 250 m next to a saturated one whose sender is `away` metres from the receiver.
fn at_distance(away: f64) -> f64 {
    let mut config = chain("standard", 1, 5);
    config.radio = presets::base("standard", "ofdm-54M").expect("a preset").radio;
    config.mac = presets::base("standard", "ofdm-54M").expect("a preset").mac;
    config.mac.rts_threshold = None;
    config.radio.interference = Interference::Sinr;
    config.radio.frequency = 914e6;
    config.nodes = vec![[0.0, 0.0], [250.0, 0.0], [250.0 + away, 0.0], [260.0 + away, 0.0]];
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::Bulk));
    config.flows.push(flow("standard", 2, 3, Transport::Udp, App::Bulk));
    simulation::run(config).expect("a sound scenario").flows[0].throughput_kbps
}

#[test]
fn interference_does_not_end_with_carrier_sense() {
    // 26 dB over a sender at x need (x / 250)^4 of 400: 1118 m.
    let alone = at_distance(20_000.0);
    assert!(alone > 20_000.0, "{alone}");
    for away in [540.0, 560.0, 700.0, 1_000.0] {
        assert!(at_distance(away) < 0.2 * alone, "{away} m: {} of {alone}", at_distance(away));
    }
    for away in [1_200.0, 1_950.0] {
        assert!(at_distance(away) > 0.95 * alone, "{away} m: {} of {alone}", at_distance(away));
    }
}

/// One hop of 200 m with a block of fading longer than the run.
fn one_block(seed: u64) -> Config {
    let mut config = chain("standard", 1, 3);
    config.seed = seed;
    config.radio.fading = Fading::Rayleigh;
    config.radio.coherence_time = Span::from_secs(100_000);
    config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(200e3)));
    config
}

#[test]
fn an_exchange_within_a_block_sees_one_channel() {
    let (mut good, seeds) = (0, 400);
    for seed in 0..seeds {
        let mut world = World::new(&one_block(seed), Log::default()).expect("a sound scenario");
        world.run_until(one_block(seed).duration);
        let frames = world.recorder().frames();
        let count = |kind| frames.iter().filter(|f| f.2 == kind).count();
        let acks = count(FrameKind::Ack);
        if acks > 0 {
            // Either everything comes through or nothing does.
            assert_eq!(
                [count(FrameKind::Rts), count(FrameKind::Cts), count(FrameKind::Data)],
                [acks; 3],
                "seed {seed}"
            );
            good += 1;
        } else {
            assert_eq!([count(FrameKind::Cts), count(FrameKind::Data)], [0; 2], "seed {seed}");
        }
    }
    // An exponential power of mean P(200 m) exceeds P(250 m) with probability exp(-(200 / 250)^4).
    let expected = f64::from(seeds as u32) * (-0.4096f64).exp();
    let allowed = 4.0 * (expected * (1.0 - (-0.4096f64).exp())).sqrt();
    assert!((f64::from(good) - expected).abs() < allowed, "{good} of {seeds} links carry, expected {expected:.0}");
}

#[test]
fn static_routes_take_the_links_that_shadowing_leaves() {
    // A ladder of two rows: many ways from end to end.
    let mut config = chain("standard", 1, 10);
    config.nodes = (0..24).map(|n| [f64::from(n / 2) * 150.0, f64::from(n % 2) * 150.0]).collect();
    config.radio.propagation = Propagation::LogDistance;
    config.radio.shadowing = Shadowing::Static;
    config.radio.shadowing_sigma = 4.0;
    config.flows.push(flow("standard", 0, 22, Transport::Udp, App::cbr(20e3)));
    let mut hops = Vec::new();
    for seed in 0..20 {
        config.seed = seed;
        let result = simulation::run(config.clone()).expect("a way");
        let f = &result.flows[0];
        assert!(f.received_packets + 1 >= f.sent_packets && f.sent_packets > 10, "seed {seed}: {f:?}");
        hops.push(f.hops);
    }
    hops.sort_unstable();
    hops.dedup();
    assert!(hops.len() > 1, "the ways differ: {hops:?}");
    // A chain breaks in some seeds, and says so.
    let mut chain = tcp_chain("standard", 7, 1);
    chain.flows[0].start = Time::ZERO;
    chain.radio = config.radio;
    let broken: Vec<String> = (0..20)
        .filter_map(|seed| World::new(&Config { seed, ..chain.clone() }, NullRecorder).err())
        .map(|error| error.to_string())
        .collect();
    assert!(!broken.is_empty() && broken.len() < 20);
    assert!(broken.iter().all(|e| e.starts_with("flows.0.to: ") && e.ends_with("under the shadowing of this seed")));
}

#[test]
fn errors_on_a_chosen_link_leave_the_others_alone() {
    let mut config = chain("standard", 3, 20);
    config.flows.push(flow("standard", 0, 3, Transport::Udp, App::cbr(50e3)));
    config.radio.error_kind = ErrorKind::Uniform;
    config.radio.error_applies_to = ErrorScope::Data;
    config.radio.error_per = 0.5;
    config.radio.error_links = vec![[1, 2]];
    let chosen = simulation::run(config.clone()).expect("a sound scenario");
    let retries: Vec<u64> = chosen.nodes.iter().map(|n| n.mac_retries).collect();
    assert!(retries[1] > 40, "{retries:?}");
    // The hidden node costs a retry now and then.
    assert!(retries[0] + retries[2] < retries[1] / 4, "{retries:?}");
    config.radio.error_links.clear();
    config.radio.error_nodes = vec![1];
    let node = simulation::run(config).expect("a sound scenario");
    assert!(node.nodes[0].mac_retries > 40 && node.nodes[1].mac_retries < node.nodes[0].mac_retries / 4);
}

#[test]
fn a_channel_of_no_spread_is_the_plain_one() {
    let plain = tcp_chain("standard", 4, 10);
    let hash = |config: &Config| simulation::trajectory(config, false).expect("a sound scenario");
    for shadowing in [Shadowing::Static, Shadowing::Correlated] {
        let mut config = plain.clone();
        config.radio.shadowing = shadowing;
        config.radio.shadowing_sigma = 0.0;
        assert_eq!(hash(&config), hash(&plain), "{shadowing:?}");
    }
    // A Nakagami shape of 1000 fades by 0.14 dB: a chain with that much to spare does not notice.
    let mut config = plain.clone();
    config.radio.fading = Fading::Nakagami;
    config.radio.nakagami_m = 1000.0;
    let delivered =
        |config: &Config| simulation::run(config.clone()).expect("a sound scenario").flows[0].received_packets;
    assert!((delivered(&config) as f64 / delivered(&plain) as f64 - 1.0).abs() < 0.1);
}

#[test]
fn a_distant_node_changes_no_draw() {
    let mut config = busy_field("standard", 5);
    config.radio.shadowing = Shadowing::Correlated;
    config.radio.fading = Fading::Nakagami;
    config.radio.error_kind = ErrorKind::GilbertElliott;
    let mut larger = config.clone();
    larger.nodes.push([50_000.0, 0.0]);
    let log = |config: &Config| {
        let mut world = World::new(config, Log::default()).expect("a sound scenario");
        world.run_until(config.duration);
        world.recorder().frames().len()
    };
    let hash = |c: &Config| simulation::trajectory(c, false).expect("a sound scenario");
    assert_eq!(hash(&config), hash(&larger));
    assert!(log(&config) > 100);
}
