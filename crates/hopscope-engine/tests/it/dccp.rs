//! DCCP over the whole network.

use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::{App, Config, ControlChoice, DccpControl, LossRecovery, Transport, WireConfig};
use hopscope_engine::record::Record;
use hopscope_engine::results::RunResult;
use hopscope_engine::simulation;

use crate::support::{Log, chain, flow};

fn run(config: &Config) -> RunResult {
    simulation::run(config.clone()).expect("a sound scenario")
}

fn with(hops: u32, seconds: u64, transport: Transport, app: App) -> Config {
    let mut config = chain("standard", hops, seconds);
    config.flows.push(flow("standard", 0, hops, transport, app));
    config
}

#[test]
fn it_carries_what_tcp_with_sack_carries_over_a_chain() {
    // Like with like: both acknowledge every packet, fill the same 50 places of the queue and halve for the same losses; the
    // shares of the air differ by the headers.
    for hops in [1, 2, 4] {
        let rate = |transport| {
            let mut config = with(hops, 100, transport, App::Bulk);
            config.flows[0].dccp.ack_ratio = 1;
            config.flows[0].dccp.adapt_ack_ratio = false;
            run(&config).flows[0].throughput_kbps
        };
        let (dccp, sack) = (rate(Transport::Dccp), rate(Transport::TcpSack));
        assert!((0.75..1.25).contains(&(dccp / sack)), "{hops} hops: {dccp:.1} against {sack:.1} kbit/s");
    }
}

#[test]
fn a_file_is_sent_and_its_connection_closed() {
    let config = with(2, 60, Transport::Dccp, App::File { bytes: 146_000 });
    let flow = &run(&config).flows[0];
    assert_eq!((flow.sent_packets, flow.retransmitted_packets), (100, 0));
    assert!(flow.completion_s.is_some());
    assert_eq!(flow.received_bytes, 1460 * flow.received_packets);
}

/// Sender, acknowledging or not, and payload of every packet that leaves an end.
fn exchange(config: &Config, seconds: u64) -> Vec<(u32, bool, u32)> {
    let mut world = World::new(config, Log::default()).expect("a sound scenario");
    world.run_until(Time::ZERO + Span::from_secs(seconds));
    let sent = |(_, record): &(Time, Record)| match record {
        Record::SegmentSent { node, header, .. } => Some((node.0, header.flags.ack, header.len)),
        _ => None,
    };
    world.recorder().0.iter().filter_map(sent).collect()
}

#[test]
fn a_packet_takes_a_handshake_and_a_teardown() {
    let mut config = with(2, 60, Transport::Dccp, App::File { bytes: 1_460 });
    config.flows[0].dccp.ack_ratio = 1; // held back, the acknowledgement would come after the client has asked again
    let expected = [
        (0, false, 0),    // Request
        (2, true, 0),     // Response
        (0, true, 1_460), // DataAck
        (2, true, 0),     // Ack
        (0, true, 0),     // Close
        (2, true, 0),     // Reset
    ];
    assert_eq!(exchange(&config, 60), expected);
}

#[test]
fn two_flows_share_a_chain() {
    // From one end, over the same hops: nothing distinguishes them. Several seeds, as one run over radio says little.
    for transport in [Transport::Dccp, Transport::DccpAdhoc] {
        let jain = |seed| {
            let mut config = with(2, 120, transport, App::Bulk);
            config.seed = seed;
            config.flows.push(config.flows[0].clone());
            run(&config).network.jain
        };
        let mut seen: Vec<f64> = (1..=5).map(jain).collect();
        seen.sort_by(f64::total_cmp);
        assert!(seen[2] > 0.95 && seen[0] > 0.85, "{transport:?} {seen:?}");
    }
}

#[test]
fn the_adhoc_control_has_two_names() {
    let word = with(2, 20, Transport::DccpAdhoc, App::Bulk);
    let mut axes = with(2, 20, Transport::Dccp, App::Bulk);
    axes.flows[0].control = Some(ControlChoice::Dccp(DccpControl::Adhoc));
    let reported = |config| format!("{:?}", run(config).flows);
    assert_eq!(reported(&word), reported(&axes));
}

#[test]
fn the_adhoc_control_keeps_few_packets_queued() {
    // What it gains over CCID 2 is delay: that one fills a queue of 50.
    let delay = |transport| {
        let result = run(&with(2, 60, transport, App::Bulk));
        assert!(result.flows[0].throughput_kbps > 300.0, "{transport:?} {}", result.flows[0].throughput_kbps);
        result.flows[0].delay_ms.expect("packets have come")
    };
    let (adhoc, ccid2) = (delay(Transport::DccpAdhoc), delay(Transport::Dccp));
    assert!(adhoc * 3.0 < ccid2, "{adhoc} against {ccid2} ms");
}

#[test]
fn reliable_data_arrives_whole_and_in_order_where_the_channel_loses_it() {
    for transport in [Transport::Dccp, Transport::DccpAdhoc] {
        let reported = |reliable| {
            let mut config = with(2, 300, transport, App::File { bytes: 1_460_000 });
            config.flows[0].dccp.reliable = reliable;
            config.mac.long_retry_limit = 1;
            config.mac.short_retry_limit = 2;
            config.flows.push(flow("standard", 2, 0, Transport::Udp, App::cbr(200e3)));
            run(&config).flows[0].clone()
        };
        let (plain, whole) = (reported(false), reported(true));
        assert!(plain.received_packets < 1_000, "{transport:?}: the way loses packets");
        assert_eq!(whole.received_bytes, 1_460_000, "{transport:?}: all of it, and nothing twice");
        assert!(whole.completion_s.is_some() && whole.retransmitted_packets > 0, "{transport:?}");
    }
}

#[test]
fn its_packets_weigh_what_their_headers_do() {
    // One packet over one hop: Request 20 + 20 + 20 of options, and so on; the air time distinguishes them.
    let airtime = |change: &dyn Fn(&mut Config)| {
        let mut config = with(1, 30, Transport::Dccp, App::File { bytes: 1460 });
        change(&mut config);
        run(&config).nodes[0].airtime_s
    };
    let plain = airtime(&|_| {});
    let stamped = airtime(&|config| config.flows[0].dccp.timestamps = true);
    // 8 bytes of option on one packet at 2 Mbit/s: 32 us.
    assert!((stamped - plain - 32e-6).abs() < 1e-9, "{}", stamped - plain);
}

#[test]
fn rate_control_follows_its_equation_over_a_wire() {
    // A dumbbell of one link: 50 ms each way, every fiftieth packet lost; X(0.02, 101 ms) = 844 kbit/s, less what is lost.
    let rate = |control| {
        let mut config = chain("standard", 1, 60);
        let nodes = serde_json::json!({ "nodes": [0, 1], "wifi": false });
        config.hosts = vec![serde_json::from_value(nodes).expect("settings of nodes")];
        let wire = WireConfig::between([0, 1], 10_000_000, Span::from_millis(50), 50);
        config.wires = vec![WireConfig { loss_period: 50, ..wire }];
        config.flows.push(flow("standard", 0, 1, Transport::Dccp, App::Bulk));
        config.flows[0].control = Some(ControlChoice::Dccp(control));
        run(&config).flows[0].throughput_kbps
    };
    let ccid3 = rate(DccpControl::Ccid3);
    assert!((760.0..=840.0).contains(&ccid3), "{ccid3}");
    let ccid4 = rate(DccpControl::Ccid4);
    assert!((700.0..=840.0).contains(&ccid4), "{ccid4}: the same less headers");
}

#[test]
fn ends_that_share_no_control_reset_the_connection_and_the_result_says_so() {
    use hopscope_engine::config::dccp::ReceiverCcid;
    let reported = |control, receiver_ccid| {
        let mut config = with(2, 20, Transport::Dccp, App::Bulk);
        config.flows[0].control = Some(ControlChoice::Dccp(control));
        config.flows[0].dccp.receiver_ccid = receiver_ccid;
        let flow = run(&config).flows[0].clone();
        (flow.received_packets > 0, flow.note.unwrap_or_default())
    };
    let reset = "the connection was reset (Mandatory Error): the ends share no congestion control, ";
    // The server refuses what it does not know, the client what it has not asked for.
    let (carried, note) = reported(DccpControl::Ccid3, ReceiverCcid::Ccid2);
    assert!(!carried && note.starts_with(&format!("{reset}ccid3 and ccid2")), "{note}");
    let (carried, note) = reported(DccpControl::Ccid2, ReceiverCcid::Adhoc);
    assert!(!carried && note.starts_with(&format!("{reset}ccid2 and adhoc")), "{note}");
    for (control, known) in [(DccpControl::Ccid3, ReceiverCcid::Ccid3), (DccpControl::Ccid2, ReceiverCcid::Ccid2)] {
        assert_eq!(reported(control, known), (true, String::new()), "{control:?}");
    }
}

#[test]
fn words_that_do_not_go_with_it_are_refused() {
    let refused = |change: &dyn Fn(&mut Config)| {
        let mut config = with(1, 5, Transport::Dccp, App::Bulk);
        change(&mut config);
        simulation::run(config).expect_err("refused").to_string()
    };
    let error = refused(&|config| config.flows[0].recovery = LossRecovery::Sack);
    assert!(error.contains("flows.0.recovery") && error.contains("dccp repairs no losses"), "{error}");
    let error = refused(&|config| config.flows[0].dccp.sequence_window = 10);
    assert!(error.contains("flows.0.dccp.sequence_window"), "{error}");
    let error = refused(&|config| {
        config.flows[0].transport = Transport::Tcp;
        config.flows[0].control = Some(ControlChoice::Dccp(DccpControl::Ccid2));
    });
    assert!(error.contains("flows.0.control") && error.contains("goes with transport \"dccp\""), "{error}");
}
