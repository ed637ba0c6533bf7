//! One flow over one wired bottleneck with a drop-tail queue: what the textbooks draw.

use hopscope_core::units::{Span, Time};
use hopscope_engine::bottleneck::{self, BottleneckConfig, Observation};
use hopscope_engine::config::tcp::Pacing;
use hopscope_engine::config::{App, FlowConfig, TcpConfig, Transport};
use hopscope_engine::world::Controls;

const MSS: u32 = 1000;

/// A link that sends `rate` segments per second, with `delay_ms` each way and room for `queue` segments, the one being
/// sent included.
#[derive(Clone, Copy)]
struct Link {
    rate: u64,
    delay_ms: u64,
    queue: u32,
    max_window: u32,
}

/// Megabit-like default: 100 segments/s, base round-trip time 110 ms with the segment's own time, BDP 11 segments.
const LINK: Link = Link { rate: 100, delay_ms: 50, queue: 1000, max_window: 10_000 };

/// The state of the sender at an ACK.
#[derive(Debug, Clone, Copy)]
struct Sample {
    at: f64,
    cwnd: f64,
    /// Segments in the queue.
    queued: f64,
    /// Segments acknowledged so far.
    acked: f64,
}

struct Run {
    samples: Vec<Sample>,
    dropped: u64,
    timeouts: u64,
    retransmissions: u64,
    /// Time between data segments leaving, in seconds, bursts included.
    gaps: Vec<f64>,
}

impl Run {
    /// Mean of `value` from `from` to `to` seconds.
    fn mean(&self, from: f64, to: f64, value: impl Fn(&Sample) -> f64) -> f64 {
        let within: Vec<f64> = self.samples.iter().filter(|s| s.at >= from && s.at < to).map(value).collect();
        within.iter().sum::<f64>() / within.len() as f64
    }

    /// Segments acknowledged per second.
    fn rate(&self, from: f64, to: f64) -> f64 {
        let at = |t: f64| self.samples.iter().take_while(|s| s.at < t).last().map_or(0.0, |s| s.acked);
        (at(to) - at(from)) / (to - from)
    }
}

fn run(variant: Transport, cfg: &TcpConfig, link: Link, seconds: u64) -> Run {
    let config = BottleneckConfig {
        flow: FlowConfig {
            packet: MSS,
            max_window: link.max_window,
            tcp: cfg.clone(),
            ..FlowConfig::new(0, 1, variant, App::Bulk)
        },
        rate: link.rate * u64::from(MSS) * 8,
        delay: Span::from_millis(link.delay_ms),
        queue: link.queue - 1,
        header: 0,
        hops: 4,
        duration: Time(seconds * 1_000_000_000),
        sample: Span::ZERO,
        seed: 0,
    };
    let mut result = Run { samples: Vec::new(), dropped: 0, timeouts: 0, retransmissions: 0, gaps: Vec::new() };
    let mut last_data = None;
    let stats = bottleneck::drive(&config, &Controls::new(), |seen| match seen {
        Observation::Data { at, dropped } => {
            result.dropped += u64::from(dropped);
            if let Some(last) = last_data.replace(at) {
                result.gaps.push(at.saturating_since(last).as_secs());
            }
        }
        Observation::Ack { at, sender, waiting } => result.samples.push(Sample {
            at: at.as_secs(),
            cwnd: sender.cwnd(),
            queued: waiting.as_secs() * link.rate as f64,
            acked: sender.stats().bytes_acked as f64 / f64::from(MSS),
        }),
    })
    .expect("a sound path");
    result.timeouts = stats.timeouts;
    result.retransmissions = stats.retransmissions;
    result
}

#[test]
fn every_variant_fills_the_link_and_repairs_what_overflows() {
    let link = Link { queue: 20, ..LINK };
    for variant in Transport::built_in_tcp() {
        let found = run(variant, &TcpConfig::default(), link, 60);
        // TCP-AP sends no faster than one segment per four-hop delay, 75 ms (see below); the others fill the link.
        let least = if variant == Transport::TcpAp { 13.0 } else { 85.0 };
        let rate = found.rate(20.0, 60.0);
        // The ACK that ends a repair stands for what arrived before too: all that link and queue hold, 31 segments.
        assert!((least..=100.0 + 31.0 / 40.0).contains(&rate), "{variant:?}: {rate} segments/s");
        // The overshoot of slow start loses more than partial ACKs repair in time.
        let most = if variant.kind(&TcpConfig::default()).uses_sack() { 1 } else { 8 };
        assert!(found.timeouts <= most, "{variant:?}: {} timeouts", found.timeouts);
    }
}

#[test]
fn cubic_follows_its_function_between_losses() {
    // 1000 segments/s and 100 ms: the cubic region. A queue of 60: losses at about 160 segments.
    let link = Link { rate: 1000, queue: 60, ..LINK };
    let cfg = TcpConfig { cubic_fast_convergence: false, ..TcpConfig::default() };
    let found = run(Transport::TcpCubic, &cfg, link, 120);
    assert_eq!(found.timeouts, 0);
    // Cuts to 0.7 of the window, seen from one ACK to a later one.
    let cuts: Vec<usize> =
        (1..found.samples.len()).filter(|&i| found.samples[i].cwnd < 0.75 * found.samples[i - 1].cwnd).collect();
    assert!(cuts.len() >= 4, "{} cuts", cuts.len());
    let mut compared = 0;
    for pair in cuts.windows(2).skip(1) {
        let epoch = &found.samples[pair[0]..pair[1]];
        let plateau = found.samples[pair[0] - 1].cwnd;
        // The epoch begins with the first ACK after the recovery.
        let begin = epoch.iter().find(|s| s.cwnd > epoch[0].cwnd).expect("it grows").at;
        let k = ((plateau - epoch[0].cwnd) / 0.4_f64).cbrt();
        for sample in epoch {
            let t = sample.at - begin + 0.1;
            if t > 0.5 {
                let want = 0.4 * (t - k).powi(3) + plateau;
                assert!((sample.cwnd / want - 1.0).abs() < 0.03, "{} at {t} s of {k}, not {want}", sample.cwnd);
                compared += 1;
            }
        }
    }
    assert!(compared > 10_000, "{compared} samples compared");
}

#[test]
fn bbr_fills_the_pipe_without_a_standing_queue() {
    let found = run(Transport::TcpBbr, &TcpConfig::default(), LINK, 60);
    assert_eq!((found.dropped, found.retransmissions), (0, 0));
    let rate = found.rate(5.0, 60.0);
    assert!(rate > 93.0, "{rate} segments/s");
    // Startup overshoots; after the drain the queue holds little more than the probes put there.
    let peak = found.samples.iter().filter(|s| s.at < 3.0).map(|s| s.queued).fold(0.0, f64::max);
    let steady = found.mean(5.0, 60.0, |s| s.queued);
    assert!(peak > 10.0 && steady < 6.0, "peak {peak}, then {steady}");
    // PROBE_RTT: four segments for 200 ms every ten seconds.
    let probes = found.samples.windows(2).filter(|p| p[0].cwnd > 4.0 && p[1].cwnd == 4.0).count();
    assert!((4..=6).contains(&probes), "{probes} probes of the round-trip time in 60 s");
    let window = found.mean(5.0, 9.0, |s| s.cwnd);
    assert!((22.0..30.0).contains(&window), "two bandwidth-delay products and three segments, not {window}");
}

#[test]
fn loss_based_variants_keep_the_queue_full_and_delay_based_ones_nearly_empty() {
    let link = Link { queue: 30, ..LINK };
    let queue = |variant| run(variant, &TcpConfig::default(), link, 60).mean(20.0, 60.0, |s| s.queued);
    let (reno, cubic) = (queue(Transport::TcpNewReno), queue(Transport::TcpCubic));
    let (vegas, fast, bbr) = (queue(Transport::TcpVegas), queue(Transport::TcpFast), queue(Transport::TcpBbr));
    assert!(reno > 8.0 && cubic > 8.0, "NewReno {reno}, CUBIC {cubic}");
    assert!(vegas < 5.0 && fast < 5.0 && bbr < 8.0, "Vegas {vegas}, FAST {fast}, BBR {bbr}");
    assert!((fast - 2.0).abs() < 1.0, "FAST keeps alpha = 2 queued, not {fast}");
}

#[test]
fn westwood_and_tibet_return_to_the_bandwidth_delay_product_after_a_loss() {
    let link = Link { queue: 30, ..LINK };
    for variant in [Transport::TcpWestwood, Transport::TcpTibet] {
        let found = run(variant, &TcpConfig::default(), link, 120);
        // The window that a cut leaves, once both the estimate and slow start have settled.
        let cuts: Vec<f64> = found
            .samples
            .windows(2)
            .filter(|p| p[0].at > 30.0 && p[1].cwnd < 0.8 * p[0].cwnd)
            .map(|p| p[1].cwnd)
            .collect();
        assert!(!cuts.is_empty(), "{variant:?} never cut");
        let mean = cuts.iter().sum::<f64>() / cuts.len() as f64;
        assert!((9.0..14.0).contains(&mean), "{variant:?} cuts to {mean}, the path holds 11");
    }
}

#[test]
fn pacing_by_window_spreads_the_window_over_the_round_trip() {
    let cfg = TcpConfig { pacing: Pacing::Window, ..TcpConfig::default() };
    let link = Link { max_window: 8, ..LINK };
    let bursts = |cfg: &TcpConfig| run(Transport::TcpNewReno, cfg, link, 10).gaps.iter().filter(|g| **g < 1e-6).count();
    assert!(bursts(&TcpConfig::default()) >= 5, "slow start sends pairs");
    assert_eq!(bursts(&cfg), 0);
}

#[test]
fn tcp_ap_sends_one_segment_per_four_hop_delay() {
    let cfg = TcpConfig { ap_link_rate: 800_000, ..TcpConfig::default() };
    let found = run(Transport::TcpAp, &cfg, LINK, 30);
    let gaps = &found.gaps[found.gaps.len() / 2..];
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    // 110 ms over four hops at 800 kbit/s: waiting 7.63 ms and 11.12 ms on the air per hop, four hops.
    assert!((mean - 0.075).abs() < 0.002, "{mean}");
    assert!(gaps.iter().all(|g| *g > 0.05));
}

/// Growth in segments per second from `from` to `to` seconds after a cut, in the last epoch that is long enough.
fn growth(found: &Run, from: f64, to: f64) -> f64 {
    let samples = &found.samples;
    let cuts = (1..samples.len()).filter(|&i| samples[i].cwnd < 0.9 * samples[i - 1].cwnd);
    let mut ends: Vec<usize> = cuts.chain([samples.len()]).collect();
    let end = ends.pop().expect("the end of the run");
    let next = ends.iter().skip(1).copied().chain([end]);
    let long = ends.iter().zip(next).filter(|&(&i, j)| samples[j - 1].at > samples[i].at + to).last();
    let (&cut, _) = long.expect("a long epoch");
    let at = |t: f64| samples[cut..].iter().find(|s| s.at >= samples[cut].at + t).expect("inside the epoch").cwnd;
    (at(to) - at(from)) / (to - from)
}

#[test]
fn htcp_grows_faster_and_illinois_slower_as_an_epoch_goes_on() {
    // Long epochs: 1000 segments/s, base round-trip time 101 ms, and a queue that holds another round trip.
    let link = Link { rate: 1000, queue: 100, ..LINK };
    let htcp = run(Transport::TcpHtcp, &TcpConfig::default(), link, 20);
    let (slow, fast) = (growth(&htcp, 0.3, 0.9), growth(&htcp, 1.6, 2.2));
    assert!((4.0..11.0).contains(&slow), "one segment per round trip at first, not {slow} per second");
    assert!(fast > 4.0 * slow, "{slow}, then {fast} segments per second");
    let illinois = run(Transport::TcpIllinois, &TcpConfig::default(), link, 20);
    let (early, late) = (growth(&illinois, 0.5, 1.5), growth(&illinois, 14.0, 16.0));
    assert!(early > 2.0 * late, "{early}, then {late} segments per second");
    assert_eq!((htcp.timeouts, illinois.timeouts), (0, 0));
}

#[test]
fn at_large_windows_scalable_and_highspeed_regain_in_seconds_what_reno_needs_a_minute_for() {
    // 5000 segments/s and 100 ms: 500 segments and a queue of 100 more. From the half to all of it Reno takes some 250 round trips.
    let link = Link { rate: 5000, queue: 100, ..LINK };
    let per_round = |variant| growth(&run(variant, &TcpConfig::default(), link, 60), 1.0, 3.0) / 10.0;
    let reno = per_round(Transport::TcpSack);
    assert!((0.7..1.3).contains(&reno), "one segment per round trip, not {reno}");
    let scalable = per_round(Transport::TcpScalable);
    assert!((4.0..6.5).contains(&scalable), "a hundredth of 530 to 600 segments per round trip, not {scalable}");
    let highspeed = per_round(Transport::TcpHighSpeed);
    assert!((4.0..7.0).contains(&highspeed), "five or six segments per round trip (RFC 3649), not {highspeed}");
}

#[test]
fn bbr3_heeds_the_losses_of_a_shallow_queue() {
    // Half a bandwidth-delay product of queue.
    let link = Link { rate: 1000, queue: 50, ..LINK };
    let (old, new) = (
        run(Transport::TcpBbr, &TcpConfig::default(), link, 40),
        run(Transport::TcpBbr3, &TcpConfig::default(), link, 40),
    );
    assert!(new.dropped * 2 < old.dropped, "{} drops against {} of version 1", new.dropped, old.dropped);
    let rate = new.rate(10.0, 40.0);
    assert!(rate > 900.0, "{rate} of 1000 segments/s");
    assert_eq!(new.timeouts, 0);
    let peak = new.samples.iter().filter(|s| s.at > 10.0).map(|s| s.queued).fold(0.0, f64::max);
    let steady = new.mean(10.0, 40.0, |s| s.queued);
    assert!(steady < 15.0 && peak > 20.0, "probes fill the queue, the rest keeps it short: {steady} of {peak}");
}
