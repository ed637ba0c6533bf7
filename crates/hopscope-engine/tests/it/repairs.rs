//! What is sent again for nothing, how large delay windows are and how segments are spread: metrics of both ends.

use hopscope_core::units::Span;
use hopscope_engine::config::{AckPolicy, App, Config, HostConfig, SeriesKind, Transport, WireConfig};
use hopscope_engine::ledger::Ledger;
use hopscope_engine::results::{FlowResult, RunResult};
use hopscope_engine::simulation::{self, Simulation};

use crate::support::{chain, flow};

/// A transfer with a window of `window` over a wire of 1 Mbit/s and so many milliseconds each way.
fn over_wire(delay_ms: u64, window: u32, seconds: u64) -> Config {
    let mut config = chain("standard", 1, seconds);
    let wired = serde_json::json!({ "nodes": [0, 1], "wifi": false });
    config.hosts = vec![serde_json::from_value::<HostConfig>(wired).expect("settings of nodes")];
    config.wires = vec![WireConfig::between([0, 1], 1_000_000, Span::from_millis(delay_ms), 50)];
    let mut flow = flow("standard", 0, 1, Transport::TcpNewReno, App::Bulk);
    flow.max_window = window;
    config.flows.push(flow);
    config
}

fn run(config: Config) -> FlowResult {
    simulation::run(config).expect("a sound scenario").flows.swap_remove(0)
}

#[test]
fn a_syn_that_takes_longer_than_its_timer_times_out_for_nothing() {
    // The timer expires after 1 s; where one way takes 1.25 s, not even the SYN has come by then.
    for (delay_ms, needless) in [(800, 1), (1_250, 0)] {
        let got = run(over_wire(delay_ms, 1, 20));
        assert_eq!((got.timeouts, got.spurious_timeouts), (1, 1), "{delay_ms} ms");
        assert_eq!(got.needless_retransmissions, needless, "{delay_ms} ms");
    }
}

#[test]
fn a_timeout_of_what_was_lost_is_not_spurious() {
    // With a window of one there are no duplicate ACKs: the timer finds every loss.
    let mut data = over_wire(10, 1, 300);
    (data.wires[0].loss, data.wires[0].back_loss) = (0.1, Some(0.0));
    let got = run(data);
    assert!(got.timeouts > 20 && got.retransmitted_packets == got.timeouts, "{got:?}");
    assert_eq!((got.spurious_timeouts, got.needless_retransmissions), (0, 0));
    let mut acks = over_wire(10, 1, 300);
    (acks.wires[0].loss, acks.wires[0].back_loss) = (0.0, Some(0.1));
    let got = run(acks);
    assert!(got.timeouts > 20, "{got:?}");
    assert_eq!(got.spurious_timeouts, 0, "the ACK was lost");
    assert!(got.needless_retransmissions >= got.timeouts - 1, "the receiver had them: {got:?}");
}

#[test]
fn an_ack_held_back_longer_than_the_timer_is_a_spurious_timeout() {
    let mut config = over_wire(10, 2, 60);
    (config.flows[0].ack, config.flows[0].ack_delay) = (AckPolicy::Fixed, Span::from_secs(3));
    config.flows[0].tcp.ack_every = 2;
    assert_eq!(run(config.clone()).timeouts, 0, "two are in flight");
    config.flows[0].tcp.cwnd_limit = 1;
    let got = run(config);
    // Once a round trip of three seconds is measured, the timer is longer.
    assert_eq!((got.timeouts, got.spurious_timeouts), (2, 2));
    assert_eq!(got.needless_retransmissions, got.retransmitted_packets);
}

#[test]
fn what_was_spurious_before_the_measured_time_is_not_counted() {
    let mut config = over_wire(1_250, 1, 20);
    config.warmup = hopscope_core::units::Time(5_000_000_000);
    let got = run(config);
    assert_eq!((got.timeouts, got.spurious_timeouts, got.needless_retransmissions), (0, 0, 0));
}

#[test]
fn the_delay_window_is_reported_over_time_and_on_average() {
    let with = |ack, number| {
        let mut config = over_wire(10, 16, 20);
        (config.flows[0].ack, config.flows[0].tcp.ack_every) = (ack, number);
        config.series.keep = vec![SeriesKind::AckWindow];
        simulation::run(config).expect("a sound scenario")
    };
    let reported = |result: &RunResult| result.series["ack_window"].value.clone();
    for (ack, window) in [(AckPolicy::Every, 1.0), (AckPolicy::Delayed, 2.0), (AckPolicy::Fixed, 5.0)] {
        let result = with(ack, 5);
        assert_eq!((reported(&result), result.flows[0].mean_ack_window), (vec![window], Some(window)), "{ack:?}");
    }
    let result = with(AckPolicy::Daa, 2);
    let values = reported(&result);
    assert!(values[0] == 1.3 && values.windows(2).all(|pair| pair[0] < pair[1]), "{values:?}");
    assert_eq!(values.last(), Some(&4.0));
    assert!(result.flows[0].mean_ack_window.is_some_and(|mean| (3.8..4.0).contains(&mean)), "{:?}", result.flows[0]);
    let lda = reported(&with(AckPolicy::Lda, 2));
    assert_eq!(lda, [1.0, 2.0, 3.0, 4.0], "one more from segments 2, 5 and 9 on");
}

#[test]
fn fewer_acks_let_larger_bursts_out() {
    let burst = |number| {
        let mut config = over_wire(50, 16, 60);
        (config.flows[0].ack, config.flows[0].tcp.ack_every) = (AckPolicy::Fixed, number);
        let got = run(config);
        (got.mean_burst.expect("segments left"), got.burstiness.expect("times between them"))
    };
    let (one, four) = (burst(1), burst(4));
    assert!((1.0..1.1).contains(&one.0) && (3.8..4.1).contains(&four.0), "{one:?} {four:?}");
    assert!(four.1 > one.1 + 0.3, "{one:?} {four:?}");
}

#[test]
fn the_ledger_says_what_share_of_airtime_acks_take() {
    let share = |explain: bool, number| {
        let mut config = chain("standard", 1, 20);
        let mut flow = flow("standard", 0, 1, Transport::TcpNewReno, App::Bulk);
        (flow.ack, flow.tcp.ack_every, flow.max_window) = (AckPolicy::Fixed, number, 16);
        config.flows.push(flow);
        if !explain {
            return simulation::run(config).expect("a sound scenario").network.ack_airtime_pct;
        }
        let ledger = Ledger::new(&config);
        let mut simulation = Simulation::observed(config, ledger).expect("a sound scenario");
        let mut result = simulation.run();
        result.keep_ledger(simulation.observe(|ledger, now, view| ledger.result(now, view)));
        result.network.ack_airtime_pct
    };
    assert_eq!(share(false, 1), None);
    let [every, fourth] = [1, 4].map(|number| share(true, number).expect("frames were sent"));
    // An ACK of 40 bytes takes 496 us, a segment of 1500 bytes 6336 us, each with RTS, CTS and MAC ACK of 960 us at 1 Mbit/s.
    let expected = |number: f64| 100.0 * 496.0 / (number * (6_336.0 + 900.0) + 496.0 + 900.0);
    assert!((every - expected(1.0)).abs() < 0.4, "{every} {}", expected(1.0));
    assert!((fourth - expected(4.0)).abs() < 0.2, "{fourth} {}", expected(4.0));
}
