//! ACK policies in whole runs: how many ACKs they send, what that is worth, and what is refused.

use std::sync::Arc;

use hopscope_core::units::Span;
use hopscope_engine::config::mac::{CollisionMemory, CollisionSignal};
use hopscope_engine::config::{AckName, AckPolicy, App, Config, TcpConfig, Transport};
use hopscope_engine::record::NullRecorder;
use hopscope_engine::results::FlowResult;
use hopscope_engine::world::Controls;
use hopscope_engine::{Simulation, simulation};
use hopscope_tcp::ack::outside::{AckAnswer, AckHook, AckRule, AckView};

use crate::support::{chain, flow};

fn transfer(hops: u32, ack: AckPolicy, change: impl FnOnce(&mut TcpConfig)) -> Config {
    let mut config = chain("standard", hops, 30);
    let mut flow = flow("standard", 0, hops, Transport::TcpNewReno, App::Bulk);
    (flow.ack, flow.ack_delay, flow.max_window) = (ack, Span::from_millis(100), 16);
    change(&mut flow.tcp);
    config.flows = vec![flow];
    config
}

fn run(config: Config) -> FlowResult {
    simulation::run(config).expect("a sound scenario").flows.swap_remove(0)
}

#[test]
fn over_one_hop_each_policy_sends_its_share_of_acks_and_gains_by_it() {
    let every = run(transfer(1, AckPolicy::Every, |_| ()));
    for (policy, number, expected) in [
        (AckPolicy::Every, 2, 1.0),
        (AckPolicy::Fixed, 1, 1.0),
        (AckPolicy::Fixed, 2, 0.5),
        (AckPolicy::Delayed, 2, 0.5),
        (AckPolicy::Fixed, 4, 0.25),
        (AckPolicy::Lda, 2, 0.25),
        (AckPolicy::Daa, 2, 0.25),
        (AckPolicy::Daap, 2, 0.25),
        (AckPolicy::Mda, 2, 0.25),
        (AckPolicy::Quic, 2, 0.5),
    ] {
        let got = run(transfer(1, policy, |tcp| tcp.ack_every = number));
        let share = got.acks_per_packet.expect("packets have come");
        assert!((share - expected).abs() < 0.02, "{policy:?} {number}: {share}");
        assert_eq!(got.acks_sent, (share * got.received_packets as f64).round() as u64);
        // At most by the airtime of the ACKs that are spared: (1 + r) / (1 + r / d) - 1 with r below 0.25 here.
        let gain = got.throughput_kbps / every.throughput_kbps - 1.0;
        let ceiling = 1.25 / (1.0 + 0.25 * expected) - 1.0;
        assert!((-0.001..ceiling + 0.001).contains(&gain), "{policy:?} {number}: {gain}");
        assert!(gain > 0.03 || expected == 1.0, "{policy:?} {number}: {gain}");
    }
}

#[test]
fn a_window_smaller_than_the_number_waits_for_the_timer_but_goes_on() {
    let every = run(transfer(2, AckPolicy::Fixed, |tcp| (tcp.ack_every, tcp.cwnd_limit) = (4, 4)));
    let waits = run(transfer(2, AckPolicy::Fixed, |tcp| (tcp.ack_every, tcp.cwnd_limit) = (5, 4)));
    assert!(waits.throughput_kbps < 0.7 * every.throughput_kbps, "{} {}", waits.throughput_kbps, every.throughput_kbps);
    assert!(waits.throughput_kbps > 200.0 && waits.timeouts == 0, "{waits:?}");
}

#[test]
fn a_guard_ends_the_wait_for_more_than_is_in_flight() {
    let with = |guard| {
        run(transfer(2, AckPolicy::Fixed, |tcp| (tcp.ack_every, tcp.cwnd_limit, tcp.ack_guard) = (5, 4, guard)))
    };
    let (waits, guarded) = (with(false), with(true));
    let gain = guarded.throughput_kbps / waits.throughput_kbps;
    assert!(gain > 1.3, "two segments an ACK and no timer: {gain}");
    let share = guarded.acks_per_packet.expect("packets have come");
    assert!((share - 0.5).abs() < 0.05, "half of the window of four: {share}");
}

#[test]
fn dca_holds_fewer_acks_back_the_longer_the_path() {
    let share = |hops| run(transfer(hops, AckPolicy::Dca, |_| ())).acks_per_packet.expect("packets have come");
    let shares = [1, 4, 10].map(share);
    assert!(shares[0] < shares[1] && shares[1] < shares[2] && shares[2] < 1.0, "{shares:?}");
}

#[test]
fn what_segments_say_of_the_window_takes_airtime() {
    let with = |bytes| {
        let change = |tcp: &mut TcpConfig| (tcp.window_option, tcp.ack_every, tcp.ack_guard) = (bytes, 2, true);
        run(transfer(1, AckPolicy::Fixed, change)).throughput_kbps
    };
    let (none, most) = (with(0), with(40));
    assert!((0.96..0.99).contains(&(most / none)), "40 bytes against 1500 and what each frame costs: {none} {most}");
}

#[test]
fn options_of_segments_have_to_fit_the_frame() {
    let largest = |ack, guard| {
        let mut config = transfer(1, ack, |tcp| tcp.ack_guard = guard);
        config.flows[0].packet = 100_000;
        let error = simulation::run(config).expect_err("no frame is as long").to_string();
        let (_, rest) = error.split_once("allowed are 1 to ").expect("the range");
        rest.split(' ').next().and_then(|most| most.parse::<u32>().ok()).expect("bytes")
    };
    let plain = largest(AckPolicy::Every, false);
    assert_eq!(plain - largest(AckPolicy::Mda, false), 4);
    assert_eq!(plain - largest(AckPolicy::Dca, false), 4);
    assert_eq!(plain - largest(AckPolicy::Mda, true), 8);
}

#[test]
fn delay_windows_beyond_the_window_and_bad_steps_are_refused() {
    let refused = |ack, change: &dyn Fn(&mut TcpConfig)| {
        simulation::run(transfer(1, ack, change)).expect_err("refused").to_string()
    };
    let error = refused(AckPolicy::Fixed, &|tcp| tcp.ack_every = 17);
    assert!(error.contains("flows.0.tcp.ack_every") && error.contains("max_window, 16"), "{error}");
    let error = refused(AckPolicy::Fixed, &|tcp| tcp.ack_every = 0);
    assert!(error.contains("flows.0.tcp.ack_every") && error.contains("found 0"), "{error}");
    let error = refused(AckPolicy::Daa, &|tcp| tcp.daa_most = 17);
    assert!(error.contains("flows.0.tcp.daa_most"), "{error}");
    let error = refused(AckPolicy::Mda, &|tcp| tcp.daa_most = 17);
    assert!(error.contains("flows.0.tcp.daa_most"), "{error}");
    for threshold in [1.1, -0.1, f64::NAN] {
        let error = refused(AckPolicy::Mda, &|tcp| tcp.mda_threshold = threshold);
        assert!(error.contains("flows.0.tcp.mda_threshold") && error.contains("at most 1"), "{error}");
    }
    for policy in [AckPolicy::Daa, AckPolicy::Daap, AckPolicy::Mda] {
        let error = refused(policy, &|tcp| tcp.daa_most = 0);
        assert!(error.contains("flows.0.tcp.daa_most") && error.contains("found 0"), "{error}");
    }
    for most in [0, 17] {
        let error = refused(AckPolicy::Asym, &|tcp| tcp.asym_most = most);
        assert!(error.contains("flows.0.tcp.asym_most") && error.contains(&format!("found {most}")), "{error}");
    }
    let error = refused(AckPolicy::Tack, &|tcp| tcp.tack_segments = 17);
    assert!(error.contains("flows.0.tcp.tack_segments"), "{error}");
    let error = refused(AckPolicy::Dca, &|tcp| tcp.dca_long = 0);
    assert!(error.contains("flows.0.tcp.dca_long"), "{error}");
    let error = refused(AckPolicy::IatWindow, &|tcp| tcp.iat_alpha = 1.1);
    assert!(error.contains("flows.0.tcp.iat_alpha"), "{error}");
    let error = refused(AckPolicy::Lda, &|tcp| tcp.lda_steps = vec![2, 2]);
    assert!(error.contains("flows.0.tcp.lda_steps"), "{error}");
    let error = refused(AckPolicy::Daa, &|tcp| tcp.daa_least_wait = Span::from_secs(1));
    assert!(error.contains("flows.0.tcp.daa_least_wait"), "{error}");
    let error = refused(AckPolicy::Every, &|tcp| tcp.rto_multiplier = 0);
    assert!(error.contains("flows.0.tcp.rto_multiplier"), "{error}");
}

#[test]
fn mda_delays_fewer_acks_the_more_its_path_collides() {
    let share = |threshold, signal, memory| {
        let mut config = transfer(4, AckPolicy::Mda, |tcp| tcp.mda_threshold = threshold);
        (config.mac.collision_signal, config.mac.collision_memory) = (signal, memory);
        run(config).acks_per_packet.expect("packets have come")
    };
    let (data, rts, ewma) = (CollisionSignal::DataRetries, CollisionSignal::AllRetries, CollisionMemory::Ewma);
    let free = share(1.0, rts, ewma);
    let busy = share(0.0, rts, ewma);
    assert!((0.25..0.45).contains(&free), "up to four segments an ACK: {free}");
    assert!((0.5..1.0).contains(&busy), "one or two: {busy}");
    for memory in [CollisionMemory::Ewma, CollisionMemory::Window] {
        let by_data = share(0.2, data, memory);
        assert!(by_data < free + 0.05, "with RTS on, data frames hardly collide: {by_data} {free}");
        let by_all = share(0.2, rts, memory);
        assert!(by_all > by_data + 0.05, "RTS do: {by_all} {by_data}");
    }
    let by_time = share(0.2, CollisionSignal::BusyTime, ewma);
    assert!(by_time > free + 0.05, "four hops are busy more than a fifth of the time: {by_time} {free}");
}

#[test]
fn what_packets_learn_on_their_way_takes_airtime() {
    let with = |bytes| run(transfer(1, AckPolicy::Mda, |tcp| tcp.path_option = bytes)).throughput_kbps;
    let (none, most) = (with(0), with(40));
    assert!((0.96..0.99).contains(&(most / none)), "40 bytes against 1500 and what each frame costs: {none} {most}");
}

/// One ACK for so many segments, set from outside.
#[derive(Debug)]
struct Outside(u32);

impl AckRule for Outside {
    fn answers(&self, hook: AckHook) -> bool {
        hook == AckHook::Data
    }

    fn decide(&self, _hook: AckHook, view: &AckView) -> AckAnswer {
        let is_due = !view.in_order || view.held >= self.0;
        AckAnswer { wait: is_due.then_some(Span::ZERO), window: Some(f64::from(self.0)) }
    }
}

fn outside(code: Option<AckName>) -> Config {
    let mut config = transfer(4, AckPolicy::External, |_| ());
    config.flows[0].ack_code = code;
    config
}

fn named() -> Option<AckName> {
    Some(AckName { name: "mine".into(), identity: "1".into(), reads_path: false, reads_window: false })
}

#[test]
fn a_rule_from_outside_gives_the_run_of_the_built_in_one() {
    for number in [1, 2, 4] {
        let mut controls = Controls::new();
        controls.set_ack(0, Arc::new(Outside(number)));
        let mut simulation =
            Simulation::controlled(outside(named()), NullRecorder, &controls).expect("a sound scenario");
        let found = serde_json::to_value(&simulation.run().flows).expect("results are JSON");
        let built_in = run(transfer(4, AckPolicy::Fixed, |tcp| tcp.ack_every = number));
        assert_eq!(found, serde_json::json!([built_in]), "{number}");
    }
}

#[test]
fn options_that_a_rule_asks_for_are_those_of_the_built_in_ones() {
    let size = |ack, code: Option<AckName>| {
        let mut config = transfer(1, ack, |_| ());
        (config.flows[0].packet, config.flows[0].ack_code) = (100_000, code);
        simulation::run(config).expect_err("no frame is as long").to_string()
    };
    let asking = |reads_path, reads_window| named().map(|name| AckName { reads_path, reads_window, ..name });
    assert_eq!(size(AckPolicy::External, asking(false, false)), size(AckPolicy::Every, None));
    assert_eq!(size(AckPolicy::External, asking(true, false)), size(AckPolicy::Mda, None));
    assert_eq!(size(AckPolicy::External, asking(false, true)), size(AckPolicy::Dca, None));
    assert_ne!(size(AckPolicy::External, asking(true, true)), size(AckPolicy::Mda, None));
}

#[test]
fn a_rule_that_is_not_named_or_not_handed_over_is_refused() {
    let refused = |config| simulation::run(config).expect_err("refused").to_string();
    let error = refused(outside(None));
    assert!(error.contains("flows.0.ack") && error.contains("nothing names its code"), "{error}");
    let error = refused(outside(named()));
    assert!(error.contains("flows.0.ack") && error.contains("handed over with the configuration"), "{error}");
    let mut both = outside(named());
    both.flows[0].ack = AckPolicy::Every;
    let error = refused(both);
    assert!(error.contains("flows.0.ack") && error.contains("other code stands with it"), "{error}");
}
