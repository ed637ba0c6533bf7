//! Capacities that can be worked out on paper.

use hopscope_core::units::{Span, Time};
use hopscope_engine::config::mac::EifsRule;
use hopscope_engine::config::radio::Interference;
use hopscope_engine::config::{App, Config, Transport, presets};
use hopscope_engine::simulation;

use crate::support::{chain, flow};

/// Two nodes, one saturating UDP flow, 1500-byte network packets.
fn one_hop(profile: &str, preset: &str, seconds: u64) -> Config {
    let mut config = chain(profile, 1, seconds);
    let base = presets::base(profile, preset).expect("a preset");
    (config.radio, config.mac, config.net) = (base.radio, base.mac, base.net);
    // So near that propagation does not count.
    config.nodes[1] = [3.0, 0.0];
    let mut flow = flow(profile, 0, 1, Transport::Udp, App::Bulk);
    flow.packet = 1_500 - config.net.ip_header - config.net.udp_header;
    config.flows.push(flow);
    config.warmup = Time::ZERO + Span::from_secs(2);
    config
}

fn throughput(config: Config) -> f64 {
    simulation::run(config).expect("a sound scenario").network.aggregate_kbps
}

fn assert_close(found: f64, expected: f64, per_cent: f64, what: &str) {
    let off = (found / expected - 1.0) * 100.0;
    assert!(
        off.abs() <= per_cent,
        "{what}: {found:.2} kbit/s, expected {expected:.2}: {off:+.2} %, allowed {per_cent} %"
    );
}

#[test]
fn one_hop_of_udp_under_ns2() {
    // ns-2.35 itself, measured for this project: 1480 bytes per 7668 us.
    let mut cbr = one_hop("ns2", "wavelan-2M", 62);
    cbr.flows[0].app = App::cbr(1_700e3);
    assert_close(throughput(cbr), 1_543.7, 0.5, "CBR above capacity");
}

#[test]
fn an_endless_source_survives_address_resolution() {
    // Its first packets meet ARP: whatever becomes of them, the source must go on.
    assert_close(throughput(one_hop("ns2", "wavelan-2M", 62)), 1_543.7, 0.5, "bulk");
}

#[test]
fn a_station_alone_reaches_the_closed_form() {
    // One exchange: DIFS, mean back-off, [RTS, SIFS, CTS, SIFS,] DATA, SIFS, ACK, in us; 1536-byte data frames.
    let rts = 352.0 + 10.0 + 304.0 + 10.0;
    for (preset, threshold, exchange) in [
        ("wavelan-2M", Some(0), 50.0 + 310.0 + rts + 6_336.0 + 10.0 + 304.0),
        ("wavelan-2M", None, 50.0 + 310.0 + 6_336.0 + 10.0 + 304.0),
        ("hr-dsss-11M", Some(0), 50.0 + 310.0 + rts + 1_310.0 + 10.0 + 248.0),
        ("hr-dsss-11M", None, 50.0 + 310.0 + 1_310.0 + 10.0 + 248.0),
        ("ofdm-54M", None, 34.0 + 7.5 * 9.0 + 248.0 + 16.0 + 28.0),
    ] {
        let mut config = one_hop("standard", preset, 62);
        config.mac.rts_threshold = threshold;
        let expected = 1_472.0 * 8.0 / exchange * 1e3;
        assert_close(throughput(config), expected, 0.3, &format!("{preset}, RTS threshold {threshold:?}"));
    }
}

#[test]
fn a_chain_without_interference_shares_its_time() {
    // With ranges so large that all hear all, one packet occupies the channel once per hop.
    let one = throughput(one_hop("standard", "wavelan-2M", 62));
    let mut config = one_hop("standard", "wavelan-2M", 62);
    config.nodes = vec![[0.0, 0.0], [200.0, 0.0], [400.0, 0.0]];
    config.flows[0].to = 2;
    config.flows[0].app = App::cbr(one * 1e3 * 0.4);
    assert_close(throughput(config), one * 0.4, 0.5, "two hops below half the capacity carry everything");
}

/// `n` saturated stations on a circle of `radius` metres around their receiver, 1500-byte payloads without headers.
fn cell(n: u32, preset: &str, radius: f64) -> Config {
    // About 10,000 exchanges at every rate.
    let seconds = match preset {
        "dsss-2M" => 80,
        "ofdm-54M" => 8,
        _ => 25,
    };
    let mut config = chain("standard", 1, seconds);
    let base = presets::base("standard", preset).expect("a preset");
    (config.radio, config.mac) = (base.radio, base.mac);
    (config.net.ip_header, config.net.udp_header) = (0, 0);
    config.warmup = Time::ZERO + Span::from_secs(2);
    config.nodes = vec![[0.0, 0.0]];
    for station in 1..=n {
        let angle = std::f64::consts::TAU * f64::from(station) / f64::from(n);
        config.nodes.push([radius * angle.cos(), radius * angle.sin()]);
        let mut flow = flow("standard", station, 0, Transport::Udp, App::Bulk);
        flow.packet = 1_500;
        config.flows.push(flow);
    }
    // The model's assumptions: basic access, overlapping frames are all lost, a packet is tried until it gets through.
    config.mac.rts_threshold = None;
    config.radio.interference = Interference::Range;
    config.mac.short_retry_limit = 1_000_000;
    config
}

/// Saturation throughput, kbit/s: Bianchi (2000) with stations that can win twice in a row, 1500-byte payload, 1536-byte
/// frames, long preamble, ACK at 2 Mbit/s (DSSS); the numbers are those of ns-3's validation program, recomputed for
/// this project. (stations, preset, a collision followed by DIFS, a collision followed by EIFS)
const BIANCHI: [(u32, &str, f64, f64); 8] = [
    (5, "dsss-2M", 1_622.8, 1_617.0),
    (10, "dsss-2M", 1_516.8, 1_507.5),
    (20, "dsss-2M", 1_397.2, 1_384.9),
    (50, "dsss-2M", 1_227.9, 1_212.4),
    (5, "hr-dsss-11M", 6_473.4, 6_382.1),
    (10, "hr-dsss-11M", 6_177.4, 6_026.9),
    (20, "hr-dsss-11M", 5_781.9, 5_576.5),
    (50, "hr-dsss-11M", 5_174.5, 4_910.3),
];

/// The same for OFDM, known with EIFS after a collision only.
const BIANCHI_OFDM: [(u32, &str, f64); 4] =
    [(5, "ofdm-6M", 4_689.9), (10, "ofdm-6M", 4_319.7), (5, "ofdm-54M", 29_286.1), (10, "ofdm-54M", 27_376.3)];

#[test]
fn a_saturated_cell_follows_bianchi() {
    // The model lets all stations wait equally long after a collision. `eifs = "off"` is its form with DIFS (measured
    // within 0.6 %); under "replaces-difs" those who collided go on after the ACK time-out and only the others wait
    // EIFS, which the form with EIFS describes less exactly (within 1.3 %).
    let dsss = BIANCHI.iter().flat_map(|&(n, preset, difs, eifs)| {
        [(n, preset, EifsRule::Off, difs), (n, preset, EifsRule::ReplacesDifs, eifs)]
    });
    let ofdm = BIANCHI_OFDM.iter().map(|&(n, preset, eifs)| (n, preset, EifsRule::ReplacesDifs, eifs));
    for (n, preset, rule, expected) in dsss.chain(ofdm) {
        let mut config = cell(n, preset, 1.0);
        config.mac.eifs = rule;
        assert_close(throughput(config), expected, 2.0, &format!("{n} stations, {preset}, EIFS {rule:?}"));
    }
}

#[test]
fn the_size_of_a_cell_does_not_hide_its_collisions() {
    // At 100 m the slots of two stations differ by up to 0.7 us: far less than the time to sense a carrier.
    let small = throughput(cell(10, "hr-dsss-11M", 0.0));
    assert_close(throughput(cell(10, "hr-dsss-11M", 100.0)), small, 1.5, "100 m against 0 m");
}

/// Shares in kbit/s of two saturated neighbours on a line of three stations, spaced so far: 1 sends to 0, 2 sends to 1,
/// and frames that overlap are lost. Mean over eight seeds of 60 s.
fn shares_in_line(spacing: f64, rounding: Span) -> [f64; 2] {
    let mut config = chain("standard", 2, 60);
    config.nodes = (0..3).map(|i| [spacing * f64::from(i), 0.0]).collect();
    config.radio.interference = Interference::Range;
    config.mac.slot_rounding = rounding;
    for (from, to) in [(1, 0), (2, 1)] {
        let mut flow = flow("standard", from, to, Transport::Udp, App::Bulk);
        flow.packet = 350;
        config.flows.push(flow);
    }
    let seeds = 8;
    let mut shares = [0.0; 2];
    for seed in 1..=seeds {
        config.seed = seed;
        let results = simulation::run(config.clone()).expect("a sound scenario");
        for (share, flow) in shares.iter_mut().zip(&results.flows) {
            *share += flow.throughput_kbps / seeds as f64;
        }
    }
    shares
}

#[test]
fn neighbours_in_line_share_fairly_at_any_spacing() {
    // 150 m take 500 ns and 300 m take 1001: by rounding, a frame of station 1 begins at station 2 a nanosecond before the
    // slot it came with has passed there. 200 m take 667 ns, 400 m 1334: nothing is lost.
    let parts = |spacing, rounding| {
        let [near, far] = shares_in_line(spacing, Span(rounding));
        (near - far) / (near + far)
    };
    for spacing in [150.0, 180.0, 200.0] {
        let fair = parts(spacing, 2);
        assert!(fair.abs() < 0.004, "{spacing} m: {:.2} % apart", fair * 100.0);
    }
    let unfair = parts(150.0, 0);
    assert!(unfair > 0.008, "without the allowance: {:.2} % apart", unfair * 100.0);
}
